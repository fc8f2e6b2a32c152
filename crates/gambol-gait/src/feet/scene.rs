//! What the ground needs to know about creature and gait, and where the body is before its feet are drawn home.

use std::f64::consts::TAU;

use gambol_dynamics::{
    BodyFrame, Data, Touch, TreeMatrix, forward_kinematics, mass_matrix, stiffness_matrix, touches,
};
use gambol_model::{Constraint, ConstraintKind, Creature, Quat, Remark, Role, Vec3, math};

use crate::limits::limit;
use crate::modal::ModalMotion;
use crate::stance::{Sign, Stance, stances};
use crate::{Body, FeetSettings, Gait, GaitError, GaitSettings, Leg, Legs, Support, Terrain};

use super::bounce::Bounce;
use super::road::{Moving, Road};
use super::root::RootTrack;
use super::slope::Slope;
use super::sole::{Local, Sole, Stand};
use super::way::Way;

/// What the ground needs to know about the gait.
pub(super) struct FeetScene<'a> {
    pub(super) creature: &'a Creature,
    pub(super) settings: &'a GaitSettings,
    pub(super) legs: &'a Legs,
    pub(super) motion: &'a ModalMotion<'a>,
    /// Cycles per second.
    pub(super) frequency: f64,
    pub(super) bounce: Bounce,
    pub(super) movers: Movers,
    /// First coordinates of the free root.
    pub(super) root_q: usize,
    pub(super) root_v: usize,
    /// Per velocity coordinate: rad per N·m (or m per N).
    pub(super) compliance: Vec<f64>,
    /// Mean over the joints.
    pub(super) mean_compliance: f64,
    /// Factor of the creature's weight.
    pub(super) weight: f64,
    /// Per leg: what is set down flat.
    pub(super) flat: Vec<Vec<Flat>>,
    /// Per leg: what of the ground it covers.
    pub(super) soles: Vec<Sole>,
    /// The head and its orientation in the rest pose, which it likes to keep.
    pub(super) head: Option<(usize, Quat)>,
    /// What else of the body may come near the ground: tails, knees, hands.
    pub(super) low: Vec<Touch>,
    /// Closed loops of the creature, and what the gait holds (a steady head, hands on a cart).
    pub(super) constraints: Vec<Constraint>,
    /// The ground, flat where it is a slope that `slope` lays level.
    pub(super) terrain: &'a Terrain,
    pub(super) slope: Slope,
    /// Against the weight: a unit vector in the ground frame.
    pub(super) up: Vec3,
}

/// Which velocity coordinates move what, rising: most of them move only one limb.
pub(super) struct Movers {
    pub(super) all: Vec<usize>,
    /// Per body.
    pub(super) bodies: Vec<Vec<usize>>,
    /// Per leg: its foot, and all that its sole is made of.
    pub(super) soles: Vec<Vec<usize>>,
}

impl Movers {
    fn new(creature: &Creature, legs: &Legs) -> Self {
        let bodies = creature.bodies();
        let of = |body: usize| {
            let above = std::iter::successors(Some(body), |&body| (body > 0).then(|| bodies[body].parent));
            let mut dofs: Vec<usize> = above.flat_map(|body| bodies[body].dofs.clone()).collect();
            dofs.sort_unstable();
            dofs
        };
        let of_all: Vec<Vec<usize>> = (0..bodies.len()).map(of).collect();
        let of_sole = |leg: &Leg| {
            let parts = leg.sole.iter().map(|touch| touch.body).chain([leg.foot]);
            let mut dofs: Vec<usize> = parts.flat_map(|body| of_all[body].iter().copied()).collect();
            dofs.sort_unstable();
            dofs.dedup();
            dofs
        };
        let soles = legs.legs.iter().map(of_sole).collect();
        Self { all: (0..creature.nv()).collect(), bodies: of_all, soles }
    }
}

/// A sole, or toes, long enough to lie flat.
pub(super) struct Flat {
    pub(super) body: usize,
    /// How much that matters, 0 to 1: all for a plantigrade's sole, little for a paw.
    pub(super) weight: f64,
    /// The sole's normal in the body: what points up in the rest pose.
    pub(super) normal: Vec3,
    /// Whether it may rise before the foot leaves the ground.
    pub(super) heel: bool,
}

impl<'a> FeetScene<'a> {
    pub(super) fn new(
        body: &'a Body,
        data: &mut Data,
        gait: &'a Gait,
        motion: &'a ModalMotion<'a>,
        mut constraints: Vec<Constraint>,
    ) -> Result<Self, GaitError> {
        let creature = &body.creature;
        let cannot = |reason: Remark| GaitError::DoesNotFit {
            creature: creature.name().to_owned(),
            gait: gait.name.clone(),
            reason,
        };
        if body.legs.is_empty() {
            return Err(cannot("it has no feet to stand on".into()));
        }
        if body.legs.heading.up.z < 0.999 {
            return Err(cannot("gravity must point down along z".into()));
        }
        let root = body.free_root().map_err(cannot)?;
        // Feet that the analysis pins are the ground's business here.
        constraints.retain(|constraint| !matches!(constraint.kind, ConstraintKind::Pin { .. }));
        constraints.extend(creature.constraints().iter().cloned());
        let frames = forward_kinematics(creature, data, body.basis.mean());
        let flat = body.legs.legs.iter().map(|leg| flats(leg, frames, &body.settings.feet)).collect();
        let soles = body
            .legs
            .legs
            .iter()
            .map(|leg| sole(creature, leg, frames, &body.legs, &body.settings.feet))
            .collect();
        let head = creature.landmarks().iter().find(|mark| mark.role == Role::Head);
        let (terrain, slope) =
            Slope::of(gait).map_or((&gait.ground.terrain, Slope::none()), |slope| (&Terrain::Flat, slope));
        let head = head.map(|mark| (mark.body, slope.seen(frames[mark.body].orientation)));
        let (compliance, mean_compliance) = compliance(body, data, root.v, gait.frequency);
        Ok(Self {
            creature,
            settings: &body.settings,
            legs: &body.legs,
            motion,
            movers: Movers::new(creature, &body.legs),
            frequency: gait.frequency,
            bounce: Bounce::default(),
            root_q: root.q,
            root_v: root.v,
            compliance,
            mean_compliance,
            weight: body.style.weight,
            flat,
            soles,
            head,
            low: low(body, data, motion),
            constraints,
            terrain,
            slope,
            up: slope.up(),
        })
    }

    /// When each foot stands.
    pub(super) fn stances(&self, data: &mut Data, gait: &Gait, injured: &[String]) -> Vec<Stance> {
        let sign = if gait.ground.support == Support::Crouch { Sign::Crouch } else { Sign::Sweep };
        let (style, samples) = (&self.settings.style, self.settings.root.samples);
        let mut paths = vec![Vec::with_capacity(samples); self.legs.legs.len()];
        for k in 0..samples {
            let pose = self.motion.pose(k as f64 / samples as f64);
            let frames = forward_kinematics(self.creature, data, &pose);
            for (leg, path) in self.legs.legs.iter().zip(&mut paths) {
                let place = frames[leg.foot].point_in_world(leg.point);
                path.push(match sign {
                    Sign::Sweep => self.legs.heading.components(place),
                    // A bent leg is a short one, wherever it points and however high the body is.
                    Sign::Crouch => Vec3::z() * -(place - leg.hip_in_world(self.creature, frames)).norm(),
                });
            }
        }
        let duty = |leg: &Leg| {
            let hurt = injured.iter().any(|name| leg.name.ends_with(name.as_str()));
            let heavy = math::powf(self.weight, style.heavy_duty_power);
            let longest = self.settings.feet.longest_stance.max(gait.ground.duty);
            (gait.ground.duty * heavy * if hurt { style.hurt_duty } else { 1.0 }).min(longest)
        };
        let of_leg = |(index, path): (usize, &Vec<Vec3>)| {
            let leg = &self.legs.legs[index];
            match gait.ground.footfalls.get(&leg.name) {
                Some(&middle) => vec![Stance::around(index, middle, duty(leg))],
                None => stances(index, path, sign, duty(leg), self.settings.feet.stands_twice),
            }
        };
        paths.iter().enumerate().flat_map(of_leg).collect()
    }

    /// How a foot stands on the ground below it.
    pub(super) fn stand(&self, leg: &Leg, frames: &[BodyFrame], ground: &Local) -> Stand {
        Stand::new(leg, frames, ground, &self.settings.footholds)
    }

    /// Of a leg of joints of mean compliance, m/N.
    pub(super) fn leg_compliance(&self) -> f64 {
        self.mean_compliance * self.legs.length * self.legs.length
    }

    /// Lifts a pose, in the world, that is buried: feet that ask for so much miss.
    pub(super) fn unbury(&self, data: &mut Data, pose: &mut [f64]) {
        let frames = forward_kinematics(self.creature, data, pose);
        let of_feet: Vec<usize> =
            self.legs.legs.iter().flat_map(|leg| leg.sole.iter().map(|touch| touch.body)).collect();
        let mut deepest: f64 = 0.0;
        for body in (1..frames.len()).filter(|body| !of_feet.contains(body)) {
            for touch in touches(self.creature, body, &frames[body], Vec3::z()) {
                let low = touch.lowest_point(&frames[body], Vec3::z());
                deepest = deepest.max(self.terrain.height(low.x, low.y) - low.z);
            }
        }
        if deepest > self.settings.feet.deepest_body * self.legs.length {
            pose[self.root_q + 2] += deepest;
        }
    }

    /// A bounce that the legs can follow: at most this share of their length.
    pub(super) fn bounded(&self, bounce: Bounce) -> Bounce {
        let most = self.settings.feet.highest_bounce * self.legs.length;
        let range = bounce.range();
        if range > most { bounce.scaled(most / range) } else { bounce }
    }

    /// Equation 4 without limits, with the root where bounce and track have it.
    fn rooted(&self, cycle: f64, track: &RootTrack) -> Vec<f64> {
        let mut pose = self.motion.unlimited(cycle);
        let mut shift = track.at(cycle);
        shift[2] += self.bounce.height(cycle);
        self.move_root(&mut pose, &shift);
        pose
    }

    fn move_root(&self, pose: &mut [f64], tangent: &[f64; 6]) {
        for k in 0..3 {
            pose[self.root_q + k] += tangent[k];
        }
        let turn = Quat::from_scaled_axis(Vec3::new(tangent[3], tangent[4], tangent[5]));
        let quat = &mut pose[self.root_q + 3..self.root_q + 7];
        let before = nalgebra::Quaternion::new(quat[0], quat[1], quat[2], quat[3]);
        let after = before * turn.into_inner();
        quat.copy_from_slice(&[after.w, after.i, after.j, after.k]);
    }

    /// The same with limits.
    pub(super) fn modal_pose(&self, cycle: f64, track: &RootTrack) -> Vec<f64> {
        let mut pose = self.rooted(cycle, track);
        limit(self.creature, self.settings.limits.soft, &mut pose, &mut Vec::new());
        pose
    }

    /// The pose that `pin` starts from: the modal one with soft limits, which `pin` applies once more to what it adds, so
    /// that a joint far past its limit is not out of its reach. On uneven ground, the body rises and tilts with what its feet stand on.
    pub(super) fn free_pose(&self, cycle: f64, track: &RootTrack, ways: &[Way], road: &Road) -> Vec<f64> {
        let mut pose = self.modal_pose(cycle, track);
        if *self.terrain != Terrain::Flat {
            self.tilt(&mut pose, ways, &|way| way.local(road, cycle).height);
        } else if !self.slope.is_level() {
            self.tilt(&mut pose, ways, &|way| self.slope.height(way.rest.x));
            self.slope.lay(self.creature, &mut pose);
        }
        self.lean(&mut pose, &road.moving(cycle), road.forward());
        pose
    }

    /// Leans into a curve by tan φ = v ω / g about the way on the ground, so that weight and the pull of the curve go through the feet together: who
    /// stays upright has to push with the outer foot alone, and bobs by a third of its height.
    pub(super) fn lean(&self, pose: &mut [f64], moving: &Moving, forward: Vec3) {
        let gravity = self.creature.gravity().norm();
        let angle = math::atan2(moving.speed * moving.turn, gravity);
        if angle != 0.0 && gravity > 0.0 {
            self.turn_root(pose, &Quat::from_scaled_axis(forward * -angle), 0.0);
        }
    }

    /// Turns the root about the middle of the ground frame, and raises it.
    fn turn_root(&self, pose: &mut [f64], turn: &Quat, raised: f64) {
        let at = Vec3::new(pose[self.root_q], pose[self.root_q + 1], pose[self.root_q + 2]);
        let moved = turn * at + Vec3::z() * raised;
        pose[self.root_q..self.root_q + 3].copy_from_slice(moved.as_slice());
        let quat = &mut pose[self.root_q + 3..self.root_q + 7];
        let after = turn.into_inner() * nalgebra::Quaternion::new(quat[0], quat[1], quat[2], quat[3]);
        quat.copy_from_slice(&[after.w, after.i, after.j, after.k]);
    }

    /// Lifts and tilts the root to the plane through the ground under the feet, which is so high there. Feet that stand close
    /// together say little about the slope: the plane is tied to level over a leg's length.
    fn tilt(&self, pose: &mut [f64], ways: &[Way], height: &dyn Fn(&Way) -> f64) {
        let mut matrix = nalgebra::Matrix3::zeros();
        let mut right = Vec3::zeros();
        for way in ways {
            let row = Vec3::new(1.0, way.rest.x, way.rest.y);
            matrix += row * row.transpose();
            right += row * height(way);
        }
        let tie = self.settings.feet.level_tie * self.legs.length * self.legs.length * ways.len() as f64;
        matrix[(1, 1)] += tie;
        matrix[(2, 2)] += tie;
        let Some(plane) = matrix.try_inverse().map(|inverse| inverse * right) else { return };
        let normal = Vec3::new(-plane[1], -plane[2], 1.0);
        let turn = Quat::rotation_between(&Vec3::z(), &normal).unwrap_or_else(Quat::identity);
        self.turn_root(pose, &turn, plane[0]);
    }
}

/// Whether the gait says itself how the body rises, by a rigid mode.
pub(super) fn rises(body: &Body, gait: &Gait, root_v: usize) -> bool {
    gait.components.iter().any(|component| {
        let mode = &body.basis.directions()[component.mode];
        mode.is_rigid() && mode.shape[root_v + 2].abs() > 0.5 && component.amplitude != 0.0
    })
}

/// Touches of all bodies but the feet that come near the ground somewhere in the cycle.
fn low(body: &Body, data: &mut Data, motion: &ModalMotion) -> Vec<Touch> {
    let creature = &body.creature;
    let frames = forward_kinematics(creature, data, body.basis.mean());
    let of_feet: Vec<usize> =
        body.legs.legs.iter().flat_map(|leg| leg.sole.iter().map(|touch| touch.body)).collect();
    let mut found: Vec<(Touch, bool)> = (1..creature.bodies().len())
        .filter(|index| !of_feet.contains(index))
        .flat_map(|index| touches(creature, index, &frames[index], Vec3::z()))
        .map(|touch| (touch, false))
        .collect();
    let (watched, looks) = (body.settings.feet.watched, body.settings.feet.watched_looks);
    for k in 0..looks {
        let frames = forward_kinematics(creature, data, &motion.pose(k as f64 / looks as f64));
        for (touch, near) in &mut found {
            let height = touch.lowest_point(&frames[touch.body], Vec3::z()).z - body.legs.ground;
            *near |= height < watched * body.legs.length;
        }
    }
    found.into_iter().filter(|(_, near)| *near).map(|(touch, _)| touch).collect()
}

/// What of the ground a foot covers in the rest pose.
fn sole(creature: &Creature, leg: &Leg, frames: &[BodyFrame], legs: &Legs, settings: &FeetSettings) -> Sole {
    let heading = &legs.heading;
    let planted = frames[leg.foot].point_in_world(leg.point);
    let lowest: Vec<Vec3> =
        leg.sole.iter().map(|touch| touch.lowest_point(&frames[touch.body], Vec3::z()) - planted).collect();
    let least = lowest.iter().map(|point| point.z).fold(f64::INFINITY, f64::min);
    let standing = lowest.iter().filter(|point| point.z < least + settings.level * leg.length);
    let ankle = leg.ankle_in_world(creature, frames) - planted;
    let ankle = heading.components(ankle - Vec3::z() * least);
    let mut sole = Sole { ankle, ..Sole::default() };
    for point in standing {
        let [x, y, _]: [f64; 3] = heading.components(*point).into();
        sole.along = [sole.along[0].min(x), sole.along[1].max(x)];
        sole.across = [sole.across[0].min(y), sole.across[1].max(y)];
    }
    sole
}

/// What of a foot lies flat in the rest pose: the foot itself, and toes that hang on it.
fn flats(leg: &Leg, frames: &[BodyFrame], settings: &FeetSettings) -> Vec<Flat> {
    let lowest: Vec<Vec3> =
        leg.sole.iter().map(|touch| touch.lowest_point(&frames[touch.body], Vec3::z())).collect();
    let least = lowest.iter().map(|point| point.z).fold(f64::INFINITY, f64::min);
    let mut bodies: Vec<usize> =
        leg.sole.iter().map(|touch| touch.body).filter(|&body| body >= leg.foot).collect();
    bodies.dedup();
    let mut flats = Vec::new();
    for body in bodies {
        let standing: Vec<(&Touch, &Vec3)> = leg
            .sole
            .iter()
            .zip(&lowest)
            .filter(|(touch, point)| touch.body == body && point.z < least + settings.level * leg.length)
            .collect();
        // How far apart the points are on which it stands: what rolls on one point has nothing to lay flat.
        let half = |axis: Vec3| {
            let along = standing.iter().map(|(_, point)| point.dot(&axis));
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            0.5 * (high - low)
        };
        let size = half(Vec3::x()).max(half(Vec3::y())) / leg.length;
        if size > settings.sole {
            let normal = frames[body].orientation.inverse() * Vec3::z();
            let weight = math::square((size / settings.plantigrade).min(1.0));
            flats.push(Flat { body, weight, normal, heel: body == leg.foot });
        }
    }
    flats
}

/// What a correction costs, as a compliance of every coordinate: 1/(k + ω² I), the elastic energy and the kinetic one of a
/// correction that comes and goes with the gait, I the inertia that the joint carries; in arms `arm_stiffness` times as much, in long necks `neck_stiffness` times. The root's is that of the legs,
/// divided by `root_stiffness`. Returns the mean of the joints', too.
fn compliance(body: &Body, data: &mut Data, root_v: usize, frequency: f64) -> (Vec<f64>, f64) {
    let (creature, length) = (&body.creature, body.legs.length);
    let k = stiffness_matrix(creature);
    let omega2 = math::square(TAU * frequency);
    let mut inertia = vec![0.0; creature.nv()];
    if let Ok(mut mass) = TreeMatrix::new(creature) {
        mass_matrix(creature, data, body.basis.mean(), &mut mass);
        let dense = mass.to_dense();
        for (dof, inertia) in inertia.iter_mut().enumerate() {
            *inertia = dense[(dof, dof)];
        }
    }
    let mut compliance: Vec<f64> = (0..creature.nv()).map(|dof| k[(dof, dof)]).collect();
    let joints: Vec<f64> = compliance.iter().copied().filter(|&k| k > 0.0).collect();
    let mean = joints.iter().map(|k| 1.0 / k).sum::<f64>() / joints.len().max(1) as f64;
    let stiffness = body.settings.feet.root_stiffness;
    let least = body.settings.posture.shortest_arm * length;
    let arms = gambol_anatomy::arms(creature, data, body.basis.mean(), least);
    let mut dearer = vec![1.0; creature.nv()];
    let arms =
        arms.iter().flat_map(|arm| &arm.joints).map(|&joint| (joint, body.settings.feet.arm_stiffness));
    let (neck, long) = neck(creature, forward_kinematics(creature, data, body.basis.mean()));
    let of_neck =
        1.0 + body.settings.feet.neck_stiffness * math::square(long / length.max(f64::MIN_POSITIVE));
    let neck = neck.into_iter().map(|joint| (joint, of_neck));
    for (joint, stiffer) in arms.chain(neck) {
        let joint = &creature.joints()[joint];
        dearer[joint.v..joint.v + joint.kind.nv()].fill(stiffer);
    }
    for (dof, c) in compliance.iter_mut().enumerate() {
        let root = (root_v..root_v + 6).contains(&dof);
        *c = match *c {
            // A leg of this length on joints of this compliance gives by c·length² under a force, c·length⁰ under a torque.
            _ if root && dof < root_v + 3 => mean * length * length / stiffness,
            _ if root => mean / stiffness,
            k if k > 0.0 => 1.0 / (dearer[dof] * (k + omega2 * inertia[dof])),
            _ => mean / dearer[dof],
        };
    }
    (compliance, mean)
}

/// Joints that carry the head and no other end of a limb, and how far the head is from the first of them, m.
fn neck(creature: &Creature, frames: &[BodyFrame]) -> (Vec<usize>, f64) {
    let bodies = creature.bodies();
    let carries = |body: usize, end: usize| {
        std::iter::successors(Some(end), |&end| (end > 0).then(|| bodies[end].parent))
            .any(|part| part == body)
    };
    let marks = creature.landmarks();
    let Some(head) = marks.iter().find(|mark| mark.role == Role::Head) else { return (Vec::new(), 0.0) };
    let ends: Vec<usize> =
        marks.iter().filter(|mark| mark.role != Role::Head).map(|mark| mark.body).collect();
    let joints: Vec<usize> = (1..bodies.len())
        .filter(|&body| carries(body, head.body) && ends.iter().all(|&end| !carries(body, end)))
        .flat_map(|body| bodies[body].joints.clone())
        .collect();
    let long = joints.first().map_or(0.0, |&first| {
        let joint = &creature.joints()[first];
        let from = frames[joint.body].point_in_world(joint.anchor);
        (frames[head.body].point_in_world(head.point) - from).norm()
    });
    (joints, long)
}
