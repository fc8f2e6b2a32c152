//! Draws all feet to where they shall be, as near as possible to the modal motion in the elastic metric.
//!
//! ```text
//! minimise ½ δᵀ K δ   with   f(y ⊕ δ) = target
//! ```
//!
//! y is the pose of equation 4 before limits, f takes limits (softly, as section 4.2) and then the feet. Newton's
//! iteration on the conditions of optimality: δ = C Jᵀ λ with (J C Jᵀ + S) λ = target − f + J δ, C = K⁻¹. Feet are exact
//! (S = 0); the orientation of a flat sole is a wish (S > 0).

use gambol_dynamics::{Data, constraint_jacobian, constraint_residual, forward_kinematics};
use gambol_model::{JointKind, Mat3, Quat, Vec3};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::{
    Scene,
    sole::{Local, Stand, each_axis},
};
use crate::limits::{Give, limit};

/// A foot's target at one moment.
pub(super) struct Goal {
    pub(super) leg: usize,
    /// Planted point (x, y) and lowest height above the ground (z), m.
    pub(super) place: Vec3,
    /// The ground under it.
    pub(super) ground: Local,
    /// Orientations of sole and toes: body, its orientation in the ground frame, and how much it matters, 0 to 1.
    pub(super) flat: Vec<(usize, Quat, f64)>,
}

/// Iterations; a frame that follows its neighbour takes about eight.
const MOST: usize = 60;

/// What a step does beyond reaching for the feet is damped by this factor whenever it does not shrink, down to the least: where the pull on
/// a foot is strong, the curvature that the iteration leaves out can make it swing about its goal.
const CALM: f64 = 0.6;
const LEAST_CALM: f64 = 0.05;

/// A frame is done when no joint would move by more than this, rad: a thousandth of what the eye sees, so that the seam
/// of a loop does not show where the iteration started.
const SETTLED: f64 = 1e-5;

/// A foot is where it shall be if it is within this share of the leg's length: 50 nm for half a metre.
const NEAR: f64 = 1e-7;

/// Largest step of one iteration, rad: beyond, the linear picture of a leg does not hold.
const STRIDE: f64 = 0.4;

/// A flat sole is this many times as stiff as the joints of its leg are on average.
const FLAT: f64 = 1.5;

/// How much the head keeps its orientation, as a share of how much a sole does: eyes and ears like it (Kry et al. 2009,
/// section 4.3), and the neck of a galloping animal takes up most of the pitch of its body.
const STEADY: f64 = 0.3;

/// Tails and knees stay above the ground by about this share of the legs' length, and give by that much.
const MARGIN: f64 = 0.02;

/// At the ends of a swing the margin goes to this share of it.
const LEAST_ALOFT: f64 = 0.05;

/// Compliance of what keeps them out, as a share of that of a leg of joints of mean compliance.
const HARD: f64 = 0.005;

/// How a frame ended.
pub(super) struct Pinned {
    pub(super) pose: Vec<f64>,
    /// Largest distance of a foot from its target, m.
    pub(super) error: f64,
}

/// Pins one frame. `free` is the unlimited modal pose with its root in place; `delta` is the correction of the frame
/// before on entry, that of this frame on return.
/// `floor` is the height of the ground in the creature's ground frame.
pub(super) fn pin(
    scene: &Scene,
    data: &mut Data,
    free: &[f64],
    goals: &[Goal],
    floor: &dyn Fn(f64, f64) -> f64,
    delta: &mut [f64],
) -> Pinned {
    let creature = scene.creature;
    let nv = creature.nv();
    let near = NEAR * scene.legs.length.max(1e-6);
    let mut give: Vec<Give> = Vec::new();
    let mut best = Pinned { pose: free.to_vec(), error: f64::INFINITY };
    let (mut calm, mut before) = (1.0, f64::INFINITY);
    for _ in 0..MOST {
        let mut pose = free.to_vec();
        creature.integrate(&mut pose, delta, 1.0);
        limit(creature, &mut pose, &mut give);
        let mut system = System::new(scene, data, &pose, goals, floor);
        chain_rule(scene, &give, delta, &mut system.rows, nv);
        let Some([reach, whole]) = system.solve(scene, delta) else { break };
        let settled = longest(&whole);
        if system.error <= near && settled <= SETTLED {
            return Pinned { pose, error: system.error };
        }
        if system.error < best.error {
            best = Pinned { pose, error: system.error };
        }
        if settled > 0.9 * before {
            calm = (CALM * calm).max(LEAST_CALM);
        }
        before = settled;
        let step: Vec<f64> = reach.iter().zip(&whole).map(|(n, p)| n + calm * (p - n)).collect();
        let share = (STRIDE / longest(&step)).min(1.0);
        for (d, s) in delta.iter_mut().zip(&step) {
            *d += share * s;
        }
    }
    best
}

fn longest(step: &[f64]) -> f64 {
    step.iter().map(|x| x.abs()).fold(0.0, f64::max)
}

/// The linearised conditions.
struct System {
    /// Jacobian, row by row, by small motions of the limited pose and after `chain_rule` by δ.
    rows: Vec<f64>,
    /// target − f
    residual: Vec<f64>,
    /// Diagonal of S.
    soft: Vec<f64>,
    /// How many rows, from the first on, must be met; the others are wishes.
    hard: usize,
    /// Largest distance of a foot from its target, m (or of a constraint from 0).
    error: f64,
}

impl System {
    fn new(
        scene: &Scene,
        data: &mut Data,
        pose: &[f64],
        goals: &[Goal],
        floor: &dyn Fn(f64, f64) -> f64,
    ) -> Self {
        let creature = scene.creature;
        let nv = creature.nv();
        let mut system = Self { rows: Vec::new(), residual: Vec::new(), soft: Vec::new(), hard: 0, error: 0.0 };
        if !scene.constraints.is_empty() {
            let gap = constraint_residual(creature, data, pose, &scene.constraints);
            let jacobian = constraint_jacobian(creature, data, pose, &scene.constraints);
            for row in 0..gap.len() {
                system.rows.extend(jacobian.row(row).iter());
                system.residual.push(-gap[row]);
                // Constraints may say the same thing twice.
                system.soft.push(1e-9 * scene.mean_compliance);
                system.error = system.error.max(gap[row].abs());
            }
        }
        forward_kinematics(creature, data, pose);
        let mut rows = vec![0.0; 3 * nv];
        for goal in goals {
            let leg = &scene.legs.legs[goal.leg];
            let stand = Stand::new(leg, &data.frames, &goal.ground);
            stand.rows(creature, data, leg, &mut rows);
            system.rows.extend_from_slice(&rows);
            let gap = goal.place - stand.place;
            system.residual.extend(gap.iter());
            system.soft.extend([0.0; 3]);
            system.error = system.error.max(gap.norm());
        }
        system.hard = system.residual.len();
        for (body, orientation, weight) in goals.iter().flat_map(|goal| &goal.flat) {
            if *weight > 0.0 {
                system.flatten(scene, data, *body, *orientation, *weight, &mut rows);
            }
        }
        let margin = MARGIN * scene.legs.length;
        for touch in &scene.low {
            let low = touch.lowest(&data.frames[touch.body], Vec3::z()).point;
            let ground = Local { height: floor(low.x, low.y), ..Local::level() };
            system.keep_out(scene, data, touch.body, low, &ground, margin);
        }
        // A swinging foot goes by its planted point; heel and toes must not drag.
        for goal in goals.iter().filter(|goal| goal.ground.aloft > 0.0) {
            for touch in &scene.legs.legs[goal.leg].sole {
                let low = touch.lowest(&data.frames[touch.body], goal.ground.normal).point;
                let margin = margin * goal.ground.aloft.max(LEAST_ALOFT);
                system.keep_out(scene, data, touch.body, low, &goal.ground.plane_at(goal.place, low), margin);
            }
        }
        if let Some((head, orientation)) = scene.head {
            system.flatten(scene, data, head, orientation, STEADY, &mut rows);
        }
        system
    }

    /// One row that keeps the point `low` of a body out of the ground: a spring that sets in smoothly at a `margin` m,
    /// φ = s ln(1 + exp((m − z)/s)), and is stiff enough to end above the ground.
    fn keep_out(&mut self, scene: &Scene, data: &Data, body: usize, low: Vec3, ground: &Local, margin: f64) {
        let soft = 0.3 * margin;
        let height = (low.z - ground.height) * ground.normal.z;
        let x = (margin - height) / soft;
        if x < -12.0 {
            return; // six millionths of the margin
        }
        let depth = soft * if x > 30.0 { x } else { x.exp().ln_1p() };
        let share = 1.0 / (1.0 + (-x).exp());
        let nv = scene.creature.nv();
        let start = self.rows.len();
        self.rows.resize(start + nv, 0.0);
        each_axis(scene.creature, data, body, |dof, angular, linear, origin| {
            self.rows[start + dof] = share * (linear + angular.cross(&(low - origin))).dot(&ground.normal);
        });
        self.residual.push(depth);
        self.soft.push(HARD * scene.mean_compliance * scene.legs.length * scene.legs.length);
    }

    /// Three rows that wish for the orientation of a body.
    fn flatten(
        &mut self,
        scene: &Scene,
        data: &Data,
        body: usize,
        orientation: Quat,
        weight: f64,
        rows: &mut [f64],
    ) {
        let nv = scene.creature.nv();
        // Axis times sine of the angle: as good as the angle where it is small, and smooth where a foot hangs upside down.
        let turn = orientation * data.frames[body].orientation.inverse();
        let turn = turn.imag() * (2.0 * turn.w);
        rows.fill(0.0);
        each_axis(scene.creature, data, body, |dof, angular, _, _| {
            for k in 0..3 {
                rows[k * nv + dof] = weight * angular[k];
            }
        });
        self.rows.extend_from_slice(rows);
        self.residual.extend((turn * weight).iter());
        self.soft.extend([scene.mean_compliance / FLAT; 3]);
    }

    /// Two steps: the shortest one that brings the feet where they shall be, and the whole one to the δ of least energy,
    /// δ′ = C Jᵀ A⁻¹ (r + J δ) with A = J C Jᵀ + S.
    fn solve(&self, scene: &Scene, delta: &[f64]) -> Option<[Vec<f64>; 2]> {
        let (m, nv) = (self.residual.len(), delta.len());
        let row = |i: usize| &self.rows[i * nv..(i + 1) * nv];
        let eased: Vec<f64> = self
            .rows
            .chunks_exact(nv)
            .flat_map(|row| row.iter().zip(&scene.compliance).map(|(j, c)| j * c))
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let mut matrix = DMatrix::zeros(m, m);
        for i in 0..m {
            for j in 0..=i {
                matrix[(i, j)] = dot(row(i), &eased[j * nv..(j + 1) * nv]);
            }
            matrix[(i, i)] += self.soft[i];
        }
        let hard = self.hard;
        let feet: Cholesky<f64, Dyn> = Cholesky::new(matrix.view((0, 0), (hard, hard)).into_owned())?;
        let all: Cholesky<f64, Dyn> = Cholesky::new(matrix)?;
        let pull = |force: &DVector<f64>| {
            let mut step = vec![0.0; nv];
            for (force, eased) in force.iter().zip(eased.chunks_exact(nv)) {
                for (s, e) in step.iter_mut().zip(eased) {
                    *s += e * force;
                }
            }
            step
        };
        let reach = pull(&feet.solve(&DVector::from_column_slice(&self.residual[..hard])));
        let right = DVector::from_iterator(m, (0..m).map(|i| self.residual[i] + dot(row(i), delta)));
        let mut whole = pull(&all.solve(&right));
        for (p, d) in whole.iter_mut().zip(delta) {
            *p -= d;
        }
        Some([reach, whole])
    }
}

/// From motions of the limited pose to motions of δ: limits give less, and δ of a ball is a rotation vector.
fn chain_rule(scene: &Scene, give: &[Give], delta: &[f64], rows: &mut [f64], nv: usize) {
    for (joint, give) in scene.creature.joints().iter().zip(give) {
        let turns = match joint.kind {
            JointKind::Hinge | JointKind::Slide => {
                if let Give::Scalar(slope) = give {
                    rows.iter_mut().skip(joint.v).step_by(nv).for_each(|x| *x *= slope);
                }
                continue;
            }
            JointKind::Ball => joint.v,
            JointKind::Free => joint.v + 3,
        };
        let mut map = right_jacobian(Vec3::from_column_slice(&delta[turns..turns + 3]));
        if let Give::Ball(limited) = give {
            map = limited * map;
        }
        for row in rows.chunks_exact_mut(nv) {
            let mapped = map.tr_mul(&Vec3::from_column_slice(&row[turns..turns + 3]));
            row[turns..turns + 3].copy_from_slice(mapped.as_slice());
        }
    }
}

/// Body velocity of exp(r) per change of r: I − (1 − cos a)/a² [r] + (a − sin a)/a³ [r]², a = |r|.
fn right_jacobian(r: Vec3) -> Mat3 {
    let a2 = r.norm_squared();
    let a = a2.sqrt();
    let (b, c) = if a < 1e-4 {
        (0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0)
    } else {
        ((1.0 - a.cos()) / a2, (a - a.sin()) / (a2 * a))
    };
    let cross = r.cross_matrix();
    Mat3::identity() - cross * b + cross * cross * c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_jacobian_is_the_difference_quotient() {
        for r in [Vec3::new(0.3, -0.8, 0.5), Vec3::new(1e-5, 0.0, 2e-5)] {
            let h = 1e-6;
            for k in 0..3 {
                let moved = Quat::from_scaled_axis(r + Vec3::ith(k, h));
                let turn = (Quat::from_scaled_axis(r).inverse() * moved).scaled_axis() / h;
                assert!((turn - right_jacobian(r).column(k)).norm() < 2e-6, "the quotient errs by h");
            }
        }
    }
}
