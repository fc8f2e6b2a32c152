//! What vibrations a motion is made of.

use gambol_dynamics::{Data, TreeMatrix, mass_matrix};
use nalgebra::DVector;

use crate::sketch::{Phase, Stage};

/// The share of each vibration of a phase's basis in the elastic energy of some poses, ½ ω² η² on average. With modes that are
/// M-orthogonal, η_i = φ_iᵀ M x / φ_iᵀ M φ_i are the modal coordinates of a displacement x from the rest pose. As many numbers as
/// the basis has modes; rigid ones have no share.
pub fn spectrum(stage: &Stage, phase: Phase, poses: &[Vec<f64>]) -> Vec<f64> {
    let creature = &stage.creature;
    let mut mass = TreeMatrix::new(creature).expect("small enough for the modes of the stage");
    mass_matrix(creature, &mut Data::new(creature), creature.rest_pose(), &mut mass);
    let mass = mass.to_dense();
    let modes = &stage.modes(phase).modes;
    let weighted: Vec<(DVector<f64>, f64)> = modes
        .iter()
        .map(|mode| {
            let shape = DVector::from_column_slice(&mode.shape);
            let weighted = &mass * &shape;
            let norm = shape.dot(&weighted);
            (weighted, mode.eigenvalue / norm)
        })
        .collect();
    let mut energy = vec![0.0; modes.len()];
    let mut x = DVector::zeros(creature.nv());
    for pose in poses {
        creature.difference(creature.rest_pose(), pose, x.as_mut_slice());
        for (energy, (weighted, scale)) in energy.iter_mut().zip(&weighted) {
            *energy += scale * weighted.dot(&x).powi(2);
        }
    }
    let sum: f64 = energy.iter().sum();
    energy.iter().map(|energy| if sum > 0.0 { energy / sum } else { 0.0 }).collect()
}
