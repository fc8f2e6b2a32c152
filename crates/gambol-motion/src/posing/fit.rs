//! A pose whose bones are about where they are expected, and whose handles are where they are pulled: least squares by the method of
//! Levenberg and Marquardt.
//!
//! ```text
//! E = Σ |p(q) − p̂|² / σ²  +  Σ |h(q) − t|² / ε²  +  Σ (q ⊖ q̄)² / s²  +  Σ past(q)² / l²
//! ```
//!
//! `past` is how far a joint is past its limit, where limits are asked.
//!
//! Every point moves with the joints above it alone, so that the quadratic picture of E is as sparse as the tree of joints.

use gambol_dynamics::{Data, Goal, TreeMatrix, each_axis_above, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Joint, JointKind, Quat, Vec3};
use nalgebra::Quaternion;

use super::{Posed, RootMotion};

/// Rounds; ten are usual.
const ROUNDS: usize = 60;

/// Nothing moves any more, rad or m.
const STILL: f64 = 1e-5;

/// E hardly falls any more, as a share of it.
const LEVEL: f64 = 1e-4;

/// Largest step of a round, rad: beyond, the linear picture does not hold.
const STRIDE: f64 = 0.6;

/// Least, first and largest share of the diagonal that holds a round back, and the factors by which it goes up and down.
const HOLD_BACK: [f64; 3] = [1e-9, 1e-4, 1e8];
const HARDER: f64 = 8.0;
const SOFTER: f64 = 10.0;

/// What a pose is wanted to be like.
#[derive(Clone, Copy, Debug)]
pub struct PoseWish<'w> {
    /// Points of bones.
    pub ends: &'w [BodyPoint],
    /// Where each is expected, m.
    pub places: &'w [Vec3],
    /// How much that may be wrong, m².
    pub variances: &'w [f64],
    /// Points that are to be met, to a part of `handle_blur`.
    pub goals: &'w [Goal],
    /// m
    pub handle_blur: f64,
    /// Where the search begins, `nq` numbers.
    pub start: &'w [f64],
    /// The angles that joints have if nothing pulls at them, `nq` numbers.
    pub anchor: &'w [f64],
    /// How far they may be from that, `nv` numbers, rad² or m².
    pub angle_variances: &'w [f64],
    /// How far joints may go past their limits, rad or m; `None`: limits are not asked.
    pub past_limits: Option<f64>,
    /// A free root goes anywhere.
    pub root: RootMotion,
}

/// The pose of least E. Lengths must agree with the creature.
pub fn fit_pose(creature: &Creature, data: &mut Data, wish: &PoseWish) -> Posed {
    let mut pose = wish.start.to_vec();
    if let Some(mut work) = Work::new(creature) {
        work.fit(data, wish, &mut pose);
    }
    let frames = forward_kinematics(creature, data, &pose);
    let miss = |goal: &Goal| (goal.target - frames[goal.point.body].point_in_world(goal.point.point)).norm();
    Posed { miss: wish.goals.iter().map(miss).fold(0.0, f64::max), pose }
}

/// The memory of one fit.
struct Work<'c> {
    creature: &'c Creature,
    /// Jᵀ W J and Jᵀ W r of all points, and of the angles.
    system: TreeMatrix,
    held: TreeMatrix,
    force: Vec<f64>,
    step: Vec<f64>,
    delta: Vec<f64>,
    /// Coordinates that move a point, from the root down, and how.
    moves: Vec<(usize, Vec3)>,
    /// Of a free root.
    root: Vec<usize>,
}

impl<'c> Work<'c> {
    /// `None` of a creature whose tree is too large for a matrix.
    fn new(creature: &'c Creature) -> Option<Self> {
        let nv = creature.nv();
        let system = TreeMatrix::new(creature).ok()?;
        let is_root = |dof: &usize| creature.joints()[creature.dofs()[*dof].joint].kind == JointKind::Free;
        let root = (0..nv).filter(is_root).collect();
        let [force, step, delta] = [(); 3].map(|()| vec![0.0; nv]);
        let moves = Vec::with_capacity(nv);
        Some(Self { creature, held: system.clone(), system, force, step, delta, moves, root })
    }

    fn fit(&mut self, data: &mut Data, wish: &PoseWish, pose: &mut Vec<f64>) {
        let mut energy = self.energy(data, wish, pose);
        let mut hold_back = HOLD_BACK[1];
        for _ in 0..ROUNDS {
            self.linearise(data, wish, pose);
            let Some((next, lower, moved)) = self.descend(data, wish, pose, energy, &mut hold_back) else {
                break;
            };
            let level = energy - lower <= LEVEL * energy;
            (*pose, energy) = (next, lower);
            if moved < STILL || level {
                break;
            }
        }
    }

    /// E at a pose; leaves its frames in `data`.
    fn energy(&mut self, data: &mut Data, wish: &PoseWish, pose: &[f64]) -> f64 {
        forward_kinematics(self.creature, data, pose);
        let mut energy: f64 = points(wish)
            .map(|(at, target, weight)| {
                weight * (target - data.frames[at.body].point_in_world(at.point)).norm_squared()
            })
            .sum();
        self.creature.difference(pose, wish.anchor, &mut self.delta);
        for (dof, x) in self.delta.iter().enumerate() {
            energy += x * x * self.angle_weight(wish, dof);
        }
        if let Some(blur) = wish.past_limits {
            energy += past_limits(self.creature, pose)
                .iter()
                .map(|(_, past, _)| past * past / (blur * blur))
                .sum::<f64>();
        }
        energy
    }

    /// 1/s² of a coordinate; nothing of the root.
    fn angle_weight(&self, wish: &PoseWish, dof: usize) -> f64 {
        if self.root.contains(&dof) { 0.0 } else { 1.0 / wish.angle_variances[dof] }
    }

    /// The quadratic picture of E about a pose whose frames are in `data`.
    fn linearise(&mut self, data: &Data, wish: &PoseWish, pose: &[f64]) {
        self.system.clear();
        self.force.fill(0.0);
        for (at, target, weight) in points(wish) {
            let there = data.frames[at.body].point_in_world(at.point);
            self.moves.clear();
            let moves = &mut self.moves;
            each_axis_above(self.creature, data, at.body, |dof, angular, linear, origin| {
                moves.push((dof, linear + angular.cross(&(there - origin))));
            });
            // A row has a coordinate's ancestors from the root down.
            moves.sort_unstable_by_key(|(dof, _)| *dof);
            let pull = weight * (target - there);
            for (k, (dof, a)) in self.moves.iter().enumerate() {
                self.force[*dof] += a.dot(&pull);
                let a = weight * a;
                let row = self.system.row_mut(*dof);
                row.iter_mut().zip(&self.moves[..=k]).for_each(|(entry, (_, b))| *entry += a.dot(b));
            }
        }
        self.creature.difference(pose, wish.anchor, &mut self.delta);
        for dof in 0..self.creature.nv() {
            let weight = self.angle_weight(wish, dof);
            self.system.add_diagonal(dof, weight);
            self.force[dof] += weight * self.delta[dof];
        }
        if let Some(blur) = wish.past_limits {
            self.push_back(pose, 1.0 / (blur * blur));
        }
        if wish.root == RootMotion::Given {
            self.fix_root();
        }
    }

    /// The picture of what is past its limit.
    fn push_back(&mut self, pose: &[f64], weight: f64) {
        for (joint, past, along) in past_limits(self.creature, pose) {
            for (i, a) in along.iter().enumerate().filter(|(_, a)| **a != 0.0) {
                self.force[joint.v + i] -= weight * past * a;
                let row = self.system.row_mut(joint.v + i);
                let own = row.len() - 1 - i; // the joint's first coordinate
                row[own..].iter_mut().zip(&along).for_each(|(entry, b)| *entry += weight * a * b);
            }
        }
    }

    /// Takes the root out of the picture: it stays.
    fn fix_root(&mut self) {
        for dof in 0..self.creature.nv() {
            let known = self.system.row_columns(dof).len();
            for k in 0..known {
                let column = self.system.row_columns(dof)[k] as usize;
                if self.root.contains(&column) || self.root.contains(&dof) {
                    self.system.row_mut(dof)[k] = f64::from(u8::from(column == dof));
                }
            }
        }
        for &dof in &self.root {
            self.force[dof] = 0.0;
        }
    }

    /// A pose with a lower E, whose frames it leaves in `data`, that, and how far it is; `None` if there is none.
    fn descend(
        &mut self,
        data: &mut Data,
        wish: &PoseWish,
        pose: &[f64],
        energy: f64,
        hold_back: &mut f64,
    ) -> Option<(Vec<f64>, f64, f64)> {
        while *hold_back <= HOLD_BACK[2] {
            self.held.clone_from(&self.system);
            for dof in 0..self.force.len() {
                let own = *self.system.row(dof).last().unwrap_or(&0.0);
                // What nothing pulls at stays.
                self.held.add_diagonal(dof, own * *hold_back + f64::MIN_POSITIVE);
            }
            if !self.held.factor() {
                *hold_back *= HARDER;
                continue;
            }
            self.step.copy_from_slice(&self.force);
            self.held.solve(&mut self.step);
            let longest = self.step.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let share = if longest > STRIDE { STRIDE / longest } else { 1.0 };
            let mut next = pose.to_vec();
            self.creature.integrate(&mut next, &self.step, share);
            let lower = self.energy(data, wish, &next);
            if lower < energy {
                *hold_back = (*hold_back / SOFTER).max(HOLD_BACK[0]);
                return Some((next, lower, share * longest));
            }
            *hold_back *= HARDER;
        }
        None
    }
}

/// Joints past their limits: how far, and along which of their coordinates that grows.
fn past_limits<'c>(creature: &'c Creature, pose: &[f64]) -> Vec<(&'c Joint, f64, Vec3)> {
    let past = |joint: &'c Joint| {
        let [low, high] = joint.limit?;
        let (past, along) = match joint.kind {
            JointKind::Free => return None,
            JointKind::Hinge | JointKind::Slide => {
                (pose[joint.q] - pose[joint.q].clamp(low, high), Vec3::x())
            }
            JointKind::Ball => {
                // Its angle grows with what the angular velocity has along its axis, which is the same in both bodies.
                let [w, x, y, z] = [0, 1, 2, 3].map(|k| pose[joint.q + k]);
                let turn = Quat::new_normalize(Quaternion::new(w, x, y, z));
                let (axis, angle) = turn.axis_angle()?;
                (angle - angle.min(high), axis.into_inner())
            }
        };
        (past != 0.0).then_some((joint, past, along))
    };
    creature.joints().iter().filter_map(past).collect()
}

/// All points, where they should be, and how much that counts.
fn points<'w>(wish: &'w PoseWish) -> impl Iterator<Item = (BodyPoint, Vec3, f64)> + 'w {
    let ends = wish.ends.iter().zip(wish.places).zip(wish.variances);
    let ends = ends.map(|((&at, &place), variance)| (at, place, 1.0 / variance));
    let handle = 1.0 / (wish.handle_blur * wish.handle_blur);
    ends.chain(wish.goals.iter().map(move |goal| (goal.point, goal.target, handle)))
}
