//! Brings a pose back onto the creature's own constraints, e.g. a ring that a large amplitude tears open.

use gambol_dynamics::{Data, constraint_jacobian, constraint_residual, stiffness_matrix};
use gambol_model::{Creature, svd};
use nalgebra::DVector;

use crate::GaitError;

/// Largest gap that counts as closed, m or rad: far below what can be seen, far above rounding.
const CLOSED_GAP: f64 = 1e-10;

/// Newton's method squares the gap with each step; a pose that needs more steps than this is not near any closed one.
const CLOSING_STEPS: usize = 30;

/// Singular values of G K⁻¹ Gᵀ below this share of the largest belong to redundant rows.
const REDUNDANT_ROW: f64 = 1e-9;

/// Projects `pose` onto the constraints of `creature` by Newton steps that cost the least elastic energy:
/// δ = −K⁻¹ Gᵀ (G K⁻¹ Gᵀ)⁺ g, with the gap g and its Jacobian G.
pub(crate) fn close(creature: &Creature, data: &mut Data, pose: &mut [f64]) -> Result<(), GaitError> {
    let constraints = creature.constraints();
    if constraints.is_empty() {
        return Ok(());
    }
    let mut metric = stiffness_matrix(creature);
    // A coordinate without a spring counts as the stiffest: a free root is not to turn with the gap.
    let stiffest = metric.diagonal().max();
    for k in (0..creature.nv()).filter(|&k| creature.joints()[creature.dofs()[k].joint].stiffness == 0.0) {
        metric[(k, k)] += stiffest;
    }
    let torn = |gap: f64| GaitError::Body(format!("the pose cannot be closed: a gap of {gap:.2e} m is left"));
    let factor = metric.cholesky().ok_or_else(|| GaitError::Body("a joint has no stiffness".into()))?;
    let mut gap = constraint_residual(creature, data, pose, constraints);
    for _ in 0..CLOSING_STEPS {
        if gap.amax() < CLOSED_GAP {
            return Ok(());
        }
        let g = constraint_jacobian(creature, data, pose, constraints);
        let softened = factor.solve(&g.transpose()); // K⁻¹ Gᵀ
        let svd = svd(&g * &softened).ok_or_else(|| torn(gap.amax()))?;
        let least = REDUNDANT_ROW * svd.singular_values.max();
        let push: DVector<f64> = svd.solve(&gap, least).map_err(|_| torn(gap.amax()))?;
        let step = softened * push;
        creature.integrate(pose, step.as_slice(), -1.0);
        gap = constraint_residual(creature, data, pose, constraints);
    }
    Err(torn(gap.amax()))
}

#[cfg(test)]
mod tests {
    //! A closed pose has no gap, and is the nearest one in elastic energy: against a second method that goes all the way
    //! to the least energy, and by the condition of Lagrange. The springs are uneven, so that the metric matters.
    use super::*;
    use gambol::LoadOptions;
    use gambol_dynamics::null_space;
    use gambol_modes::{Settings, analyze};
    use nalgebra::DMatrix;

    fn torn_ring(amplitude: f64) -> (Creature, Data, Vec<f64>) {
        let mut ring = gambol::load("loop", &LoadOptions::default()).unwrap();
        for joint in 0..ring.joints().len() {
            // Soft and stiff in turn, three to a side; the root has no spring and gets none.
            let factor = if joint / 3 % 2 == 0 { 1.0 } else { 8.0 };
            ring.set_stiffness(joint, factor * ring.joints()[joint].stiffness).unwrap();
        }
        let mut data = Data::new(&ring);
        let rest = ring.reference_pose().to_vec();
        let modes = analyze(&ring, &mut data, &rest, &Settings::default()).unwrap();
        let mut pose = rest;
        // Two waves and three waves around it: each alone closes by symmetry, both together do not.
        for mode in [6, 8] {
            ring.integrate(&mut pose, &modes.directions()[mode].shape, 0.5 * amplitude);
        }
        (ring, data, pose)
    }

    /// K, with the free root as stiff as the stiffest joint.
    fn metric(ring: &Creature) -> DMatrix<f64> {
        let mut metric = stiffness_matrix(ring);
        let stiffest = metric.diagonal().max();
        for k in 0..6 {
            metric[(k, k)] += stiffest;
        }
        metric
    }

    /// The displacement δ of least energy ½ δᵀ K δ that closes the ring, by sequential quadratic programming: the least
    /// δ' with g + G (δ' − δ) = 0, until nothing changes.
    fn least(ring: &Creature, data: &mut Data, open: &[f64]) -> DVector<f64> {
        let eased = metric(ring).try_inverse().unwrap();
        let mut delta = DVector::zeros(ring.nv());
        for _ in 0..200 {
            let mut pose = open.to_vec();
            ring.integrate(&mut pose, delta.as_slice(), 1.0);
            let gap = constraint_residual(ring, data, &pose, ring.constraints());
            let g = constraint_jacobian(ring, data, &pose, ring.constraints());
            let normal = (&g * &eased * g.transpose()).pseudo_inverse(1e-9).unwrap();
            let next = &eased * g.transpose() * (normal * (&g * &delta - gap));
            let change = (&next - &delta).amax();
            delta = next;
            if change < 1e-12 {
                return delta;
            }
        }
        panic!("the second method does not end");
    }

    #[test]
    fn a_torn_ring_is_closed_at_the_least_energy() {
        for amplitude in [0.05, 0.5, 1.0] {
            let (ring, mut data, open) = torn_ring(amplitude);
            let before = constraint_residual(&ring, &mut data, &open, ring.constraints()).amax();
            assert!(before > 1e-3 * amplitude * amplitude, "nothing was torn: {before}");
            let mut pose = open.clone();
            close(&ring, &mut data, &mut pose).unwrap();
            let after = constraint_residual(&ring, &mut data, &pose, ring.constraints()).amax();
            assert!(after < CLOSED_GAP, "a gap of {after} m is left");

            let mut moved = vec![0.0; ring.nv()];
            ring.difference(&open, &pose, &mut moved);
            // The root turns the gap, but does not close it: no more than a small part of what the joints move.
            let joints = moved[6..].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            assert!(moved[..6].iter().all(|x| x.abs() < 0.05 * joints), "the root moved: {:?}", &moved[..6]);
            let moved = DVector::from_vec(moved);
            let energy = |delta: &DVector<f64>| 0.5 * delta.dot(&(metric(&ring) * delta));
            let ratio = energy(&moved) / energy(&least(&ring, &mut data, &open));
            let force = metric(&ring) * &moved;
            let free = null_space(&ring, &mut data, &pose, ring.constraints()).basis;
            let along = (free.transpose() * &force).norm() / force.norm();
            println!("{amplitude}: {ratio} {along} {}", moved.amax());
            assert!((1.0 - 1e-9..1.01).contains(&ratio), "{ratio} of the least energy");
        }
    }

    #[test]
    fn a_pose_that_is_closed_or_has_no_constraints_stays() {
        let (ring, mut data, _) = torn_ring(0.0);
        let rest = ring.reference_pose().to_vec();
        let mut pose = rest.clone();
        close(&ring, &mut data, &mut pose).unwrap();
        assert_eq!(pose, rest);
        let chain = gambol_model::samples::chain(4);
        let mut data = Data::new(&chain);
        let mut pose = chain.reference_pose().to_vec();
        pose[8] = 1.0;
        let before = pose.clone();
        close(&chain, &mut data, &mut pose).unwrap();
        assert_eq!(pose, before);
    }
}
