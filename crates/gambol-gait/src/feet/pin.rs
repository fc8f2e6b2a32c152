//! Draws all feet to where they shall be, as near as possible to the modal motion in the elastic metric.
//!
//! ```text
//! minimise ½ δᵀ K δ   with   f(y ⊕ δ) = target
//! ```
//!
//! y is the pose of equation 4 before limits, f takes limits (softly, as section 4.2) and then the feet. Newton's
//! iteration on the conditions of optimality: δ = C Jᵀ λ with (J C Jᵀ + S) λ = target − f + J δ, C = K⁻¹. Feet are exact
//! (S = 0); the orientation of a flat sole is a wish (S > 0).

use gambol_dynamics::{Data, Touch, constraint_jacobian, constraint_residual, forward_kinematics};
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

/// Iterations; a frame that follows its neighbour takes three or four.
const MOST: usize = 30;

/// Rounds after which the relaxing part of a step is damped, by this factor a round: where the pull on a foot is strong,
/// the curvature that the iteration leaves out can make it swing about its goal.
const PATIENCE: usize = 4;
const CALM: f64 = 0.6;

/// A foot is where it shall be if it is within this share of the leg's length: 50 nm for half a metre. Well below what
/// matters, so that the seam of a loop does not show where the iteration started.
const NEAR: f64 = 1e-7;

/// Largest step of one iteration, rad: beyond, the linear picture of a leg does not hold.
const STRIDE: f64 = 0.4;

/// A flat sole is this many times as stiff as the joints of its leg are on average.
const FLAT: f64 = 0.25;

/// How much the head keeps its orientation, as a share of how much a sole does: eyes and ears like it (Kry et al. 2009,
/// section 4.3), and the neck of a galloping animal takes up most of the pitch of its body.
const STEADY: f64 = 0.7;

/// Tails and knees stay above the ground by about this share of the legs' length, and give by that much.
const MARGIN: f64 = 0.02;

/// Compliance of what keeps them out, as a share of that of a leg of joints of mean compliance.
const HARD: f64 = 0.02;

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
    for round in 0..MOST {
        let mut pose = free.to_vec();
        creature.integrate(&mut pose, delta, 1.0);
        limit(creature, &mut pose, &mut give);
        let mut system = System::new(scene, data, &pose, goals, floor);
        if system.error < best.error {
            best = Pinned { pose, error: system.error };
        }
        if system.error <= near {
            break;
        }
        chain_rule(scene, &give, delta, &mut system.rows, nv);
        let Some([reach, relax]) = system.solve(scene, delta) else { break };
        let calm = CALM.powi(i32::try_from(round.saturating_sub(PATIENCE)).unwrap_or(i32::MAX));
        let step: Vec<f64> = reach.iter().zip(&relax).map(|(n, t)| n + calm * t).collect();
        let longest = step.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let share = (STRIDE / longest).min(1.0);
        for (d, s) in delta.iter_mut().zip(&step) {
            *d += share * s;
        }
    }
    best
}

/// The linearised conditions.
struct System {
    /// Jacobian, row by row, by small motions of the limited pose and after `chain_rule` by δ.
    rows: Vec<f64>,
    /// target − f
    residual: Vec<f64>,
    /// Diagonal of S.
    soft: Vec<f64>,
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
        let mut system = Self { rows: Vec::new(), residual: Vec::new(), soft: Vec::new(), error: 0.0 };
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
            for &(body, orientation, weight) in goal.flat.iter().filter(|(_, _, weight)| *weight > 0.0) {
                system.flatten(scene, data, body, orientation, weight, &mut rows);
            }
        }
        for touch in &scene.low {
            system.keep_out(scene, data, touch, floor);
        }
        if let Some((head, orientation)) = scene.head {
            system.flatten(scene, data, head, orientation, STEADY, &mut rows);
        }
        system
    }

    /// One row that keeps a tail or a knee out of the ground: a spring that sets in smoothly, φ = s ln(1 + exp((m − z)/s)),
    /// and is stiff enough to end above the ground.
    fn keep_out(&mut self, scene: &Scene, data: &Data, touch: &Touch, floor: &dyn Fn(f64, f64) -> f64) {
        let low = touch.lowest(&data.frames[touch.body], Vec3::z()).point;
        let soft = MARGIN * scene.legs.length;
        let x = (soft - (low.z - floor(low.x, low.y))) / (0.3 * soft);
        if x < -12.0 {
            return; // six millionths of the margin
        }
        let depth = 0.3 * soft * if x > 30.0 { x } else { x.exp().ln_1p() };
        let share = 1.0 / (1.0 + (-x).exp());
        let nv = scene.creature.nv();
        let start = self.rows.len();
        self.rows.resize(start + nv, 0.0);
        each_axis(scene.creature, data, touch.body, |dof, angular, linear, origin| {
            self.rows[start + dof] = share * (linear + angular.cross(&(low - origin))).z;
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
        let turn = (orientation * data.frames[body].orientation.inverse()).scaled_axis();
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

    /// The step to the δ of least elastic energy that meets the linearised conditions, in two parts: the shortest one
    /// that meets them, n = C Jᵀ A⁻¹ r with A = J C Jᵀ + S, and the one that relaxes without leaving them,
    /// t = C Jᵀ A⁻¹ J δ − δ.
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
        let factor: Cholesky<f64, Dyn> = Cholesky::new(matrix)?;
        let pull = |right: Vec<f64>| {
            let force = factor.solve(&DVector::from_vec(right));
            let mut step = vec![0.0; nv];
            for (i, eased) in eased.chunks_exact(nv).enumerate() {
                for (s, e) in step.iter_mut().zip(eased) {
                    *s += e * force[i];
                }
            }
            step
        };
        let reach = pull(self.residual.clone());
        let mut relax = pull((0..m).map(|i| dot(row(i), delta)).collect());
        for (t, d) in relax.iter_mut().zip(delta) {
            *t -= d;
        }
        Some([reach, relax])
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
