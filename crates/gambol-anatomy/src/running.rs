//! How people stand when they run: whatever pose their file has, elbows are bent, knees give, the trunk leans ahead.
//!
//! It is found from where shoulders, elbows, hands, hips and feet are, never from what they are called: an elbow may be a
//! hinge, a ball, or one of several hinges in a row, about axes that nobody can guess. So directions in space are what is
//! asked for, and the joints are turned towards them in steps of least squares.

use gambol_dynamics::{BodyFrame, Data, body_jacobian, forward_kinematics, point_jacobian};
use gambol_model::{Creature, Joint, JointKind, Landmark, Quat, Role, Side, Vec3, math};
use nalgebra::{DMatrix, DVector, Quaternion, UnitQuaternion};

use crate::feet::{leg_bodies, users};
use crate::{Heading, Leg, Legs};

gambol_model::settings! {
    /// How people stand when they run.
    pub struct RunningSettings {
        /// Bend of the elbows, rad. Runners are told to keep a right angle, and keep 75° to 100°.
        elbow: f64 = 1.48, Positive;
        /// Upper arms point so far back from straight down, rad: bent arms balance about the shoulder then, forearm and hand
        /// being as heavy as the upper arm.
        shoulder: f64 = 0.3, AtLeastZero;
        /// They stay so far from the body, rad from the vertical plane: hands pass beside the hips, not through them.
        aside: f64 = 0.17, AtLeastZero;
        /// Bend of the knees in the middle of a stance, rad: 40° to 45° in runners (Novacheck 1998).
        knee: f64 = 0.75, Positive;
        /// Lean of the trunk per root of the Froude number, which is the speed in units of √(g h), rad: 4° in a jog (2 m/s of a
        /// person), 7° in a run, 13° in a sprint of 6 m/s. Runners have 3° to 13°, more when they are fast (Novacheck 1998).
        /// The head stays level.
        lean: f64 = 0.11, AtLeastZero;
        /// No more than this, rad: what leans further falls.
        most_lean: f64 = 0.35, AtLeastZero;
        /// Froude number of a usual run.
        froude: f64 = 1.2, AtLeastZero;
        /// Steps of least squares: the third is exact to a thousandth, limits take some more.
        steps: usize = 24, AtLeastOne;
        /// No joint turns further in one step, rad.
        longest_step: f64 = 0.5, Positive;
        /// Square of what a joint that does not help is worth against a direction that is missed, per rad.
        damping: f64 = 1e-4, Positive;
        /// A foot that is turned by 1 rad is as bad as one that is this many leg lengths off.
        turned_foot: f64 = 0.3, Positive;
        /// Who stands as people do has shoulders above the hips, within this angle of upright, rad: a tyrannosaur leans far
        /// more.
        upright: f64 = 0.7, Positive;
        /// A tail that is more than this share of the body balances it, as a kangaroo's, which has a tenth there.
        tail: f64 = 0.03, Positive;
        /// Upper arms shorter than this, leg lengths, are none: what is above is the same joint in two bodies.
        shortest_arm: f64 = 0.02, Positive;
    }
}

impl RunningSettings {
    /// How far the trunk leans ahead, rad, in a run at this Froude number v²/(g h); in a usual one if none is given.
    pub fn lean_at(&self, froude: Option<f64>) -> f64 {
        (self.lean * froude.unwrap_or(self.froude).max(0.0).sqrt()).min(self.most_lean)
    }
}

/// The pose in which a creature on two legs and with arms runs, with a trunk that leans ahead by `lean`, rad (see
/// [`RunningSettings::lean_at`]); `None` for all others. The pose of the file need only be such that it stands: arms may be
/// stretched out or hang, limbs may be straight or bent.
pub fn running_pose(creature: &Creature, lean: f64, settings: &RunningSettings) -> Option<Vec<f64>> {
    let mut data = Data::new(creature);
    let mut pose = creature.reference_pose().to_vec();
    let legs = Legs::new(creature, &mut data, &pose);
    let hands: Vec<&Landmark> = creature.landmarks().iter().filter(|mark| mark.role == Role::Hand).collect();
    if legs.pairs != 1 || legs.legs.len() != 2 || hands.is_empty() || legs.length <= 0.0 {
        return None;
    }
    let mut aim = Aim { creature, data: &mut data, pose: &mut pose, settings };
    let leans = aim.trunk(&legs, &hands).angle(&legs.heading.up) > settings.upright;
    if leans || tail_share(creature) > settings.tail {
        return None; // it runs as it stands
    }
    let stands: Vec<Stands> = legs.legs.iter().map(|leg| aim.stands(leg)).collect();
    aim.lean(&legs, lean);
    for (leg, stands) in legs.legs.iter().zip(&stands) {
        aim.crouch(&legs, leg, stands);
    }
    for hand in hands {
        aim.bend_arm(&legs, hand);
    }
    let sunk = Legs::new(creature, &mut data, &pose).ground - legs.ground;
    if let Some(root) = free_root(creature) {
        for (k, up) in legs.heading.up.iter().enumerate() {
            pose[root.q + k] -= sunk * up;
        }
    }
    pose.iter().all(|x| x.is_finite()).then_some(pose)
}

/// Share of a creature's mass that is in its tails.
fn tail_share(creature: &Creature) -> f64 {
    let is_end = |mark: &&Landmark| matches!(mark.role, Role::Hand | Role::Foot | Role::Head | Role::Tail);
    let ends: Vec<&Landmark> = creature.landmarks().iter().filter(is_end).collect();
    let users = users(creature, &ends);
    let mass = |body: usize| creature.bodies()[body].mass.mass;
    let tails = ends.iter().filter(|mark| mark.role == Role::Tail);
    let of_tails: f64 = tails.flat_map(|mark| leg_bodies(creature, &users, mark.body)).map(mass).sum();
    of_tails / (1..creature.bodies().len()).map(mass).sum::<f64>().max(f64::MIN_POSITIVE)
}

fn free_root(creature: &Creature) -> Option<&Joint> {
    creature.joints().iter().find(|joint| joint.kind == JointKind::Free)
}

/// How a leg stood before: from hip to ankle, m, and how its foot was turned, in the world.
struct Stands {
    hip_to_ankle: Vec3,
    foot: Quat,
}

/// A pose on its way.
struct Aim<'a> {
    creature: &'a Creature,
    data: &'a mut Data,
    pose: &'a mut Vec<f64>,
    settings: &'a RunningSettings,
}

impl Aim<'_> {
    fn frames(&mut self) -> &[BodyFrame] {
        forward_kinematics(self.creature, self.data, self.pose)
    }

    fn place(&mut self, joint: usize) -> Vec3 {
        let joint = &self.creature.joints()[joint];
        self.frames()[joint.body].point_in_world(joint.anchor)
    }

    /// From the hips to where the arms begin, m.
    fn trunk(&mut self, legs: &Legs, hands: &[&Landmark]) -> Vec3 {
        let creature = self.creature;
        let is_end = |mark: &&Landmark| matches!(mark.role, Role::Hand | Role::Foot | Role::Head);
        let ends: Vec<&Landmark> = creature.landmarks().iter().filter(is_end).collect();
        let users = users(creature, &ends);
        let frames = self.frames();
        let top = |hand: &&Landmark| frames[leg_bodies(creature, &users, hand.body)[0]].position;
        let tops: Vec3 = hands.iter().map(top).sum();
        let hips: Vec3 = legs.legs.iter().map(|leg| leg.hip).sum();
        tops / hands.len() as f64 - hips / legs.legs.len() as f64
    }

    fn stands(&mut self, leg: &Leg) -> Stands {
        let creature = self.creature;
        let frames = self.frames();
        let hip_to_ankle = leg.ankle_in_world(creature, frames) - leg.hip_in_world(creature, frames);
        Stands { hip_to_ankle, foot: frames[leg.foot].orientation }
    }

    /// Turns what a joint moves by `angle` about an axis of the world, as far as the joint can.
    fn turn(&mut self, joint: usize, axis: Vec3, angle: f64) {
        let joint = &self.creature.joints()[joint];
        self.frames();
        let mut step = vec![0.0; self.creature.nv()];
        let angular = if joint.kind == JointKind::Free { joint.v + 3 } else { joint.v };
        let count = match joint.kind {
            JointKind::Hinge => 1,
            JointKind::Ball | JointKind::Free => 3,
            JointKind::Slide => 0,
        };
        for dof in angular..angular + count {
            step[dof] = angle * self.data.axes[dof].angular.dot(&axis);
        }
        self.creature.integrate(self.pose, &step, 1.0);
        self.keep_limits(joint);
    }

    /// The trunk leans ahead about the hips; the head looks on.
    fn lean(&mut self, legs: &Legs, lean: f64) {
        let Some(root) = free_root(self.creature) else { return };
        let (root_index, left) = (self.index(root), legs.heading.left);
        let hips: Vec3 = legs.legs.iter().map(|leg| leg.hip).sum::<Vec3>() / legs.legs.len() as f64;
        self.turn(root_index, left, lean);
        let creature = self.creature;
        let frames = self.frames();
        let moved: Vec3 = legs.legs.iter().map(|leg| leg.hip_in_world(creature, frames)).sum::<Vec3>();
        let back = hips - moved / legs.legs.len() as f64;
        self.pose[root.q..root.q + 3].iter_mut().zip(back.iter()).for_each(|(x, by)| *x += by);
        let head = self.creature.landmarks().iter().find(|mark| mark.role == Role::Head);
        let neck = head.and_then(|head| self.joints_above(head.body).next());
        if let Some(neck) = neck.filter(|&neck| self.creature.joints()[neck].kind != JointKind::Free) {
            self.turn(neck, left, -lean);
        }
    }

    fn index(&self, joint: &Joint) -> usize {
        self.creature.joints().iter().position(|other| std::ptr::eq(other, joint)).unwrap_or(0)
    }

    /// Joints from a body up to the root, nearest first.
    fn joints_above(&self, body: usize) -> impl Iterator<Item = usize> {
        let creature = self.creature;
        std::iter::successors(Some(body), move |&body| Some(creature.bodies()[body].parent))
            .take_while(|&body| body != 0)
            .flat_map(move |body| creature.bodies()[body].joints.clone().rev())
    }

    /// The knee gives, the ankle stays where it was under the hip but nearer, and the foot stays flat. A leg that is bent
    /// as much already, or has no knee, only stays under the hip.
    fn crouch(&mut self, legs: &Legs, leg: &Leg, stands: &Stands) {
        let mut wanted = stands.hip_to_ankle;
        if let Some(knee) = leg.knee {
            let (at, creature) = (self.place(knee), self.creature);
            let frames = &self.data.frames;
            let thigh = at - leg.hip_in_world(creature, frames);
            let shank = leg.ankle_in_world(creature, frames) - at;
            let bent = thigh.angle(&shank);
            let lacks = self.settings.knee - bent;
            if thigh.norm() > 0.0 && shank.norm() > 0.0 && lacks > 0.0 {
                let joint = &self.creature.joints()[knee];
                // The way it is bent already, or else as people's knees do, shin back.
                let drawn = thigh.cross(&shank);
                let straight = bent < STRAIGHT * self.settings.knee;
                let axis = match joint.kind {
                    JointKind::Hinge => self.data.axes[joint.v].angular * leg.bend,
                    _ if straight => legs.heading.left,
                    _ => drawn.normalize(),
                };
                let (a, b) = (thigh.norm(), shank.norm());
                let short = (a * a + b * b + 2.0 * a * b * math::cos(self.settings.knee)).max(0.0).sqrt();
                // Of the whole bend, the thigh takes what its shin leaves.
                let of_hip = lacks * b / (a + b);
                if let Some(&hip) = leg.joints.first().filter(|&&hip| hip != knee) {
                    self.turn(hip, axis, -of_hip);
                }
                self.turn(knee, axis, lacks);
                wanted *= short / wanted.norm().max(f64::MIN_POSITIVE);
            }
        }
        let (creature, length, turned) = (self.creature, legs.length, self.settings.turned_foot);
        let (ankle, foot) = (leg.joints.last().copied(), leg.foot);
        let nv = creature.nv();
        self.towards(&leg.joints, |data| {
            let hip = leg.hip_in_world(creature, &data.frames);
            let at = leg.ankle_in_world(creature, &data.frames);
            let turn = (stands.foot * data.frames[foot].orientation.inverse()).scaled_axis();
            let ankle_body = ankle.map_or(foot, |ankle| creature.joints()[ankle].body);
            let mut rows = DMatrix::zeros(6, nv);
            body_jacobian(creature, data, foot, at, &mut rows);
            let mut place = DMatrix::zeros(3, nv);
            point_jacobian(creature, data, ankle_body, at, &mut place);
            let mut all = DMatrix::zeros(6, nv);
            all.rows_mut(0, 3).copy_from(&(place / length));
            all.rows_mut(3, 3).copy_from(&(rows.rows(0, 3) * turned));
            let lacks = (hip + wanted - at) / length;
            let mut missing = DVector::zeros(6);
            missing.rows_mut(0, 3).copy_from(&lacks);
            missing.rows_mut(3, 3).copy_from(&(turn * turned));
            (missing, all)
        });
    }

    /// The upper arm hangs, a little back; the forearm points ahead and a little up or down, as the elbow has it.
    fn bend_arm(&mut self, legs: &Legs, hand: &Landmark) {
        let creature = self.creature;
        let bodies = creature.bodies();
        let above: Vec<usize> = self.joints_above(hand.body).collect();
        let elbows = creature.landmarks().iter().filter(|mark| mark.role == Role::Elbow);
        let Some(elbow) = elbows.filter_map(|mark| mark.joint).find(|joint| above.contains(joint)) else {
            return; // an arm in one piece, or two
        };
        let of_elbow = creature.joints()[elbow].body;
        let elbow_at = self.place(elbow);
        let far = self.settings.shortest_arm * legs.length;
        let higher = above.iter().copied().filter(|&joint| {
            let joint = &creature.joints()[joint];
            joint.body < of_elbow && joint.kind != JointKind::Free
        });
        let mut shoulder = None;
        for joint in higher {
            if (self.place(joint) - elbow_at).norm() > far {
                shoulder = Some(joint);
                break;
            }
        }
        let Some(shoulder) = shoulder else { return };
        let of_shoulder = creature.joints()[shoulder].body;
        let joints: Vec<usize> =
            [of_shoulder, of_elbow].into_iter().flat_map(|body| bodies[body].joints.clone()).collect();
        let Heading { forward, left, up } = legs.heading;
        let out = match hand.side {
            Some(Side::Left) => left,
            Some(Side::Right) => -left,
            None => Vec3::zeros(),
        };
        let shoulder_at = self.place(shoulder);
        let hand_in_world = |frames: &[BodyFrame]| frames[hand.body].point_in_world(hand.point);
        let (upper, lower) =
            ((elbow_at - shoulder_at).norm(), (hand_in_world(self.frames()) - elbow_at).norm());
        if upper <= far || lower <= far {
            return;
        }
        let RunningSettings { elbow: bend, shoulder: back, aside, .. } = *self.settings;
        let (sine, cosine) = math::sin_cos(back);
        let hangs = -up * cosine - forward * sine;
        let (sine, cosine) = math::sin_cos(bend - back);
        let points = -up * cosine + forward * sine;
        let (sine, cosine) = math::sin_cos(aside);
        let wanted = [hangs * cosine + out * sine, points];
        // An arm that is straight, or points elsewhere, may be turned about itself: one look ahead says which way the elbow
        // bends best, and least squares do the rest.
        let nv = creature.nv();
        let elbow_joint = &creature.joints()[elbow];
        if elbow_joint.kind == JointKind::Hinge {
            let axis = self.data.axes[elbow_joint.v].angular;
            let lever = hand_in_world(&self.data.frames) - elbow_at;
            let folds = axis.cross(&lever).dot(&(shoulder_at - elbow_at).normalize());
            let forwards = axis.cross(&lever).dot(&forward);
            // Towards the shoulder as far as it is bent, and forward where it is straight.
            let bent = lever.angle(&(elbow_at - shoulder_at));
            let sign = if bent < STRAIGHT { forwards.signum() } else { folds.signum() };
            self.turn(elbow, axis * sign, bend - bent);
        }
        self.towards(&joints, |data| {
            let frames = &data.frames;
            let at = |joint: usize| {
                let joint = &creature.joints()[joint];
                frames[joint.body].point_in_world(joint.anchor)
            };
            let (shoulder_at, elbow_at, hand_at) = (at(shoulder), at(elbow), hand_in_world(frames));
            let mut of_arm = DMatrix::zeros(3, nv);
            let mut of_hand = DMatrix::zeros(3, nv);
            point_jacobian(creature, data, of_elbow, elbow_at, &mut of_arm);
            point_jacobian(creature, data, hand.body, hand_at, &mut of_hand);
            let mut all = DMatrix::zeros(6, nv);
            all.rows_mut(0, 3).copy_from(&(&of_arm / upper));
            all.rows_mut(3, 3).copy_from(&((of_hand - &of_arm) / lower));
            let mut missing = DVector::zeros(6);
            missing.rows_mut(0, 3).copy_from(&(wanted[0] - (elbow_at - shoulder_at) / upper));
            missing.rows_mut(3, 3).copy_from(&(wanted[1] - (hand_at - elbow_at) / lower));
            (missing, all)
        });
    }

    /// Turns `joints` until what `lacks` gives is least: what is missing, and its rows per motion of the creature. The
    /// pose with the least of it is kept.
    fn towards(&mut self, joints: &[usize], lacks: impl Fn(&Data) -> (DVector<f64>, DMatrix<f64>)) {
        let creature = self.creature;
        let of_joint = |&joint: &usize| {
            let joint = &creature.joints()[joint];
            joint.v..joint.v + joint.kind.nv()
        };
        let dofs: Vec<usize> = joints.iter().flat_map(of_joint).collect();
        if dofs.is_empty() {
            return;
        }
        let mut best = (f64::INFINITY, self.pose.clone());
        for _ in 0..self.settings.steps {
            self.frames();
            let (missing, rows) = lacks(self.data);
            if missing.norm() < best.0 {
                best = (missing.norm(), self.pose.clone());
            }
            let rows = rows.select_columns(&dofs);
            let mut normal = rows.tr_mul(&rows);
            for k in 0..dofs.len() {
                normal[(k, k)] += self.settings.damping;
            }
            let Some(factor) = normal.cholesky() else { break };
            let turn = factor.solve(&rows.tr_mul(&missing));
            let share = (self.settings.longest_step / turn.amax().max(f64::MIN_POSITIVE)).min(1.0);
            let mut step = vec![0.0; creature.nv()];
            for (&dof, by) in dofs.iter().zip(turn.iter()) {
                step[dof] = share * by;
            }
            creature.integrate(self.pose, &step, 1.0);
            for &joint in joints {
                self.keep_limits(&creature.joints()[joint]);
            }
        }
        *self.pose = best.1;
    }

    /// Back to what a joint can do.
    fn keep_limits(&mut self, joint: &Joint) {
        let Some([low, high]) = joint.limit else { return };
        match joint.kind {
            JointKind::Hinge | JointKind::Slide => self.pose[joint.q] = self.pose[joint.q].clamp(low, high),
            JointKind::Ball => {
                let [w, x, y, z] = [0, 1, 2, 3].map(|k| self.pose[joint.q + k]);
                let turned = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)).scaled_axis();
                if turned.norm() > high {
                    let within = UnitQuaternion::from_scaled_axis(turned * (high / turned.norm()));
                    let q = [within.w, within.i, within.j, within.k];
                    self.pose[joint.q..joint.q + 4].copy_from_slice(&q);
                }
            }
            JointKind::Free => (),
        }
    }
}

/// Bent by less than this part of what is wanted (rad of an elbow), a limb is straight, and its bend says nothing.
const STRAIGHT: f64 = 0.15;
