//! Each quantity computed by two algorithms that share no step beyond the kinematics: a mistake in one recursion
//! would have to be repeated in the other. Kinematics itself is checked against plain composition of transforms.
//!
//! Tolerances: both ways lose a few digits to the condition of the mass matrix of a random tree (up to 1e4), so
//! 1e-9 relative leaves room for 1e-16 · 1e4 with a safety factor; kinematics has no conditioning and gets 1e-12.

use crate::support::{poses_by_composition, relative, state, trees};
use gambol_dynamics::{
    Data, TreeMatrix, bias_forces, forward_dynamics, forward_kinematics, inverse_dynamics, mass_matrix, paper,
};
use nalgebra::DVector;

#[test]
fn kinematics_is_composition_of_transforms() {
    for (seed, creature) in trees() {
        let (q, _) = state(&creature, seed);
        let mut data = Data::new(&creature);
        let frames = forward_kinematics(&creature, &mut data, &q);
        for (frame, pose) in frames.iter().zip(poses_by_composition(&creature, &q)) {
            assert!((frame.position - pose.translation.vector).norm() < 1e-12, "tree {seed}");
            assert!(
                (frame.rotation - pose.rotation.to_rotation_matrix().matrix()).norm() < 1e-12,
                "tree {seed}"
            );
        }
    }
}

#[test]
fn mass_matrix_is_inverse_dynamics_of_unit_accelerations() {
    for (seed, creature) in trees() {
        let (q, _) = state(&creature, seed);
        let nv = creature.nv();
        let mut data = Data::new(&creature);
        let mut m = TreeMatrix::new(&creature).unwrap();
        mass_matrix(&creature, &mut data, &q, &mut m);
        let m = m.to_dense();
        let zero = vec![0.0; nv];
        let gravity = bias_forces(&creature, &mut data, &q, &zero).to_vec();
        for k in 0..nv {
            let mut unit = zero.clone();
            unit[k] = 1.0;
            let tau = inverse_dynamics(&creature, &mut data, &q, &zero, &unit);
            let column: Vec<f64> = tau.iter().zip(&gravity).map(|(t, g)| t - g).collect();
            assert!(relative(&column, m.column(k).as_slice()) < 1e-9, "tree {seed}, column {k}");
        }
    }
}

#[test]
fn mass_matrix_is_the_papers_projection() {
    for (seed, creature) in trees() {
        let (q, _) = state(&creature, seed);
        let mut data = Data::new(&creature);
        let mut m = TreeMatrix::new(&creature).unwrap();
        mass_matrix(&creature, &mut data, &q, &mut m);
        // The paper has no armature; it sits on the diagonal.
        let mut m = m.to_dense();
        for (k, dof) in creature.dofs().iter().enumerate() {
            m[(k, k)] -= dof.armature;
        }
        let n = paper::admissible_directions(&creature, &mut data, &q, &[]);
        let projected = n.transpose() * paper::body_mass_matrix(&creature) * &n;
        assert!(relative(projected.as_slice(), m.as_slice()) < 1e-9, "tree {seed}");
    }
}

#[test]
fn forward_dynamics_inverts_inverse_dynamics() {
    for (seed, creature) in trees() {
        let (q, v) = state(&creature, seed);
        let tau = gambol_model::samples::Random::new(seed).numbers(creature.nv(), 2.0);
        let mut data = Data::new(&creature);
        let a = forward_dynamics(&creature, &mut data, &q, &v, &tau).to_vec();
        let back = inverse_dynamics(&creature, &mut data, &q, &v, &a);
        // The forces that cancel in the sum set the scale, not their small difference.
        let scale = 1e-9 * (1.0 + a.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
        for k in 0..creature.nv() {
            assert!(
                (back[k] - tau[k]).abs() < scale,
                "tree {seed}, coordinate {k}: {} against {}",
                back[k],
                tau[k]
            );
        }
    }
}

#[test]
fn articulated_bodies_and_factored_mass_matrix_agree() {
    for (seed, creature) in trees() {
        let (q, v) = state(&creature, seed);
        let tau = gambol_model::samples::Random::new(seed).numbers(creature.nv(), 2.0);
        let mut data = Data::new(&creature);
        let a = forward_dynamics(&creature, &mut data, &q, &v, &tau).to_vec();
        let bias = bias_forces(&creature, &mut data, &q, &v).to_vec();
        let rest: Vec<f64> = tau.iter().zip(&bias).map(|(t, b)| t - b).collect();

        let mut m = TreeMatrix::new(&creature).unwrap();
        mass_matrix(&creature, &mut data, &q, &mut m);
        let dense = m.to_dense();
        let mut product = vec![0.0; creature.nv()];
        m.multiply(&a, &mut product);
        assert!(
            relative(&product, (&dense * DVector::from_column_slice(&a)).as_slice()) < 1e-12,
            "tree {seed}"
        );
        assert!(m.factor());
        let mut x = rest.clone();
        m.solve(&mut x);
        assert!(relative(&x, &a) < 1e-8, "tree {seed}");
        let by_dense = dense.cholesky().unwrap().solve(&DVector::from_column_slice(&rest));
        assert!(relative(&x, by_dense.as_slice()) < 1e-8, "tree {seed}");
    }
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_refused() {
    let creature = gambol_model::samples::chain(3);
    let mut m = TreeMatrix::new(&creature).unwrap();
    assert!(!m.factor(), "the zero matrix has no factors");
}
