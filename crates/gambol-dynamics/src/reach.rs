//! Inverse kinematics in the elastic metric: points of a creature go where they are pulled, and its joints give way as
//! their springs would.
//!
//! ```text
//! minimise ½ δᵀ K δ   with   f(q ⊕ δ) = target,   closed loops closed,   joints within their limits
//! ```
//!
//! What is out of reach is missed as little as possible: the goals are springs too, a million times as stiff as the joints
//! behind them. So it is a problem of least squares, E = ½ δᵀ K δ + ½ |target − f|² / s, and solved as one by the method
//! of Levenberg and Marquardt. What is far away pulls no harder than what is near (Huber's loss): else the turns of the
//! limb, which that method does not see, would outweigh all else. A joint that goes past its limit stays on it and leaves the work to the others.

use gambol_model::{BodyPoint, Creature, Joint, JointKind, Quat, Vec3};
use nalgebra::{DMatrix, DVector, DVectorViewMut, Quaternion};
use serde::{Deserialize, Serialize};

use crate::{
    Data, constraint_jacobian, constraint_residual, constraint_rows, forward_kinematics, point_jacobian,
};

/// A point and where it shall be.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Goal {
    /// On the creature.
    #[serde(flatten)]
    pub point: BodyPoint,
    /// In the world, m.
    pub target: Vec3,
}

/// What holds the creature while it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Its root stays where it is.
    Root,
    /// Nothing: the root goes along with less effort than any joint. Goals hold what shall stay.
    Goals,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reached {
    /// `nq` numbers.
    pub pose: Vec<f64>,
    /// Largest distance of a point from its target, m.
    pub miss: f64,
}

/// Iterations; a leg that bends by a radian takes about fifteen.
const MOST: usize = 200;

/// Nothing moves any more, rad or m.
const STILL: f64 = 1e-9;

/// Largest step of one iteration, rad: beyond, the linear picture does not hold.
const STRIDE: f64 = 0.3;

/// Compliance of the goals as a share of the mean compliance of what they move: a point within reach is missed by that
/// share of its way.
const SOFT: f64 = 1e-6;

/// A goal pulls harder with its distance up to this share of the creature's size, and no more beyond.
const NEAR: f64 = 0.1;

/// Least, first and largest multiple of K that holds an iteration back, and the factors by which it goes up and down. The
/// goals are a million times as stiff as K: the first hardly holds them back, the least not even the joints.
const HOLD_BACK: [f64; 3] = [1e-3, 1e3, 1e14];
const HARDER: f64 = 8.0;
const SOFTER: f64 = 4.0;

/// Compliance of a root that goes along, times that of the softest joint per square of the creature's size.
const EASY: f64 = 100.0;

/// Draws the points of `goals` to their targets, starting from `pose`. Bodies of goals must be bodies of the creature.
pub fn reach(creature: &Creature, data: &mut Data, pose: &[f64], goals: &[Goal], hold: Hold) -> Reached {
    let nv = creature.nv();
    let compliance = DVector::from_vec(compliance(creature, data, pose, hold));
    let mut hold_back = HOLD_BACK[1];
    let near = NEAR * size(creature, data, pose);
    let mut now = Try::new(creature, data, pose, goals, near, DVector::zeros(nv));
    let weighted = &now.rows * DMatrix::from_diagonal(&compliance);
    let soft = SOFT * (weighted.dot(&now.rows) / now.rows.nrows().max(1) as f64).max(f64::MIN_POSITIVE);
    for _ in 0..MOST {
        let free = now.free(creature, pose, &compliance, soft);
        let Some(mut delta) = now.next(&free, soft, hold_back) else { break };
        if (&delta - &now.delta).amax() > STRIDE {
            hold_back *= HARDER;
            continue;
        }
        limit(creature, pose, &mut delta);
        let moved = (&delta - &now.delta).amax();
        let next = Try::new(creature, data, pose, goals, near, delta);
        // Not `>`, so that what is not a number counts as worse.
        if next.energy(&compliance, soft) < now.energy(&compliance, soft) {
            now = next;
            hold_back = (hold_back / SOFTER).max(HOLD_BACK[0]);
        } else {
            hold_back *= HARDER;
        }
        if moved < STILL || hold_back > HOLD_BACK[2] {
            break;
        }
    }
    Reached { pose: now.pose, miss: now.miss }
}

/// A pose, and what is missing there.
struct Try {
    /// The joints' way from the first pose.
    delta: DVector<f64>,
    pose: Vec<f64>,
    /// Jacobian of goals and closed loops.
    rows: DMatrix<f64>,
    /// What is missing to them, m (or rad), a goal's cut off at `near`.
    residual: DVector<f64>,
    /// Huber's loss of it: |r|² near, and rising with |r| beyond.
    loss: f64,
    /// Largest distance of a point from its target, m.
    miss: f64,
}

impl Try {
    fn new(
        creature: &Creature,
        data: &mut Data,
        from: &[f64],
        goals: &[Goal],
        near: f64,
        delta: DVector<f64>,
    ) -> Self {
        let mut pose = from.to_vec();
        creature.integrate(&mut pose, delta.as_slice(), 1.0);
        let (nv, loops) = (creature.nv(), constraint_rows(creature.constraints()));
        let mut rows = DMatrix::zeros(3 * goals.len() + loops, nv);
        let mut residual = DVector::zeros(rows.nrows());
        let (mut loss, mut miss) = (0.0, 0.0_f64);
        forward_kinematics(creature, data, &pose);
        let mut jacobian = DMatrix::zeros(3, nv);
        for (index, goal) in goals.iter().enumerate() {
            let at = data.frames[goal.point.body].point_in_world(goal.point.point);
            point_jacobian(creature, data, goal.point.body, at, &mut jacobian);
            rows.rows_mut(3 * index, 3).copy_from(&jacobian);
            let missing = goal.target - at;
            let far = missing.norm();
            residual.rows_mut(3 * index, 3).copy_from(&missing.cap_magnitude(near));
            loss += if far > near { near * (2.0 * far - near) } else { far * far };
            miss = miss.max(far);
        }
        if loops > 0 {
            let open = constraint_residual(creature, data, &pose, creature.constraints());
            loss += open.norm_squared();
            residual.rows_mut(3 * goals.len(), loops).copy_from(&-open);
            let closed = constraint_jacobian(creature, data, &pose, creature.constraints());
            rows.rows_mut(3 * goals.len(), loops).copy_from(&closed);
        }
        Self { delta, pose, rows, residual, loss, miss }
    }

    /// E of the module's text; what has no compliance does not move.
    fn energy(&self, compliance: &DVector<f64>, soft: f64) -> f64 {
        let springs = self.delta.iter().zip(compliance).filter(|(_, c)| **c > 0.0);
        let elastic: f64 = springs.map(|(x, c)| x * x / c).sum();
        elastic + self.loss / soft
    }

    /// δ at the least of E about here, with K (1 + `hold_back`) for the step. With c = C / (1 + μ):
    /// δ' = δ μ / (1 + μ) + c Jᵀ y, y = (J c Jᵀ + s)⁻¹ (residual + J δ / (1 + μ)). What is on a limit keeps its part of δ.
    fn next(&self, free: &DVector<f64>, soft: f64, hold_back: f64) -> Option<DVector<f64>> {
        let share = 1.0 / (1.0 + hold_back);
        let weighted = &self.rows * DMatrix::from_diagonal(&(free * share));
        let mut system = &weighted * self.rows.transpose();
        (0..system.nrows()).for_each(|row| system[(row, row)] += soft);
        let back = self.delta.zip_map(free, |x, c| if c > 0.0 { share * x } else { 0.0 });
        let force = system.cholesky()?.solve(&(&self.residual + &self.rows * &back));
        let step = weighted.transpose() * &force - back;
        Some(&self.delta + step)
    }

    /// The compliance, without joints that are on a limit and are drawn against it: −dE/dδ = Jᵀ residual / s − K δ.
    fn free(&self, creature: &Creature, from: &[f64], compliance: &DVector<f64>, soft: f64) -> DVector<f64> {
        let pull = self.rows.transpose() * &self.residual / soft;
        let mut free = compliance.clone();
        for (joint, [low, high]) in limited(creature, from) {
            let dof = joint.v;
            let drawn = pull[dof] - self.delta[dof] / compliance[dof];
            if self.delta[dof] <= low && drawn < 0.0 || self.delta[dof] >= high && drawn > 0.0 {
                free[dof] = 0.0;
            }
        }
        free
    }
}

/// The largest distance of a body from the root, m.
fn size(creature: &Creature, data: &mut Data, pose: &[f64]) -> f64 {
    forward_kinematics(creature, data, pose);
    let root = data.frames.get(1).map_or_else(Vec3::zeros, |frame| frame.position);
    data.frames.iter().skip(1).map(|frame| (frame.position - root).norm()).fold(1e-3, f64::max)
}

/// Per coordinate, rad²/J or m²/J. A joint without a spring gives way like the mean of the others.
fn compliance(creature: &Creature, data: &mut Data, pose: &[f64], hold: Hold) -> Vec<f64> {
    let springs: Vec<f64> =
        creature.joints().iter().map(|joint| joint.stiffness).filter(|k| *k > 0.0).collect();
    let mean = if springs.is_empty() { 1.0 } else { springs.iter().sum::<f64>() / springs.len() as f64 };
    let softest = springs.iter().copied().fold(mean, f64::min);
    let size = size(creature, data, pose);
    creature
        .dofs()
        .iter()
        .enumerate()
        .map(|(index, dof)| {
            let joint = &creature.joints()[dof.joint];
            match (joint.kind, hold) {
                (JointKind::Free, Hold::Root) => 0.0,
                // Three shifts, which carry everything as far as a turn carries its far end; three turns.
                (JointKind::Free, Hold::Goals) if index < joint.v + 3 => EASY * size * size / softest,
                (JointKind::Free, Hold::Goals) => EASY / softest,
                _ if joint.stiffness > 0.0 => 1.0 / joint.stiffness,
                _ => 1.0 / mean,
            }
        })
        .collect()
}

/// Hinges and slides with limits, and how far they may go from a pose. One that is past its limit already does not go
/// further.
fn limited<'c>(creature: &'c Creature, pose: &'c [f64]) -> impl Iterator<Item = (&'c Joint, [f64; 2])> {
    let simple = creature.joints().iter().filter(|joint| joint.kind.nq() == 1);
    simple.filter_map(|joint| {
        let ([low, high], from) = (joint.limit?, pose[joint.q]);
        Some((joint, [low.min(from) - from, high.max(from) - from]))
    })
}

/// Puts what is past a limit onto it.
fn limit(creature: &Creature, pose: &[f64], delta: &mut DVector<f64>) {
    for (joint, [low, high]) in limited(creature, pose) {
        delta[joint.v] = delta[joint.v].clamp(low, high);
    }
    for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Ball) {
        if let Some([_, most]) = joint.limit {
            within_cone(&pose[joint.q..joint.q + 4], most, delta.rows_mut(joint.v, 3));
        }
    }
}

/// Shortens the turn of a ball so that its angle is at most `most`, or what it was before if that is more, rad.
fn within_cone(pose: &[f64], most: f64, mut turn: DVectorViewMut<f64>) {
    let from = Quat::new_normalize(Quaternion::new(pose[0], pose[1], pose[2], pose[3]));
    let to = from * Quat::from_scaled_axis(Vec3::new(turn[0], turn[1], turn[2]));
    let most = most.max(from.angle());
    if to.angle() > most {
        let nearest = Quat::from_scaled_axis(to.scaled_axis() * (most / to.angle()));
        turn.copy_from(&(from.inverse() * nearest).scaled_axis());
    }
}
