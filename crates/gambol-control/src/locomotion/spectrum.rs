//! What vibrations a motion is made of.

use gambol_dynamics::{Data, TreeMatrix, mass_matrix};
use gambol_model::math;
use gambol_motion::Direction;
use nalgebra::DVector;

use crate::sketch::{Phase, Stage};

/// The share of each vibration of a phase's basis in a motion: how far it swings about its mean, by mass. With modes that are
/// M-orthogonal, η_i = φ_iᵀ M x / √(φ_iᵀ M φ_i) are the modal coordinates of a displacement x from the rest pose, and what is
/// shared out is the variance of them all over the poses, which should be a whole cycle. As many numbers as the basis has modes;
/// rigid ones have no share.
pub fn spectrum(stage: &Stage, phase: Phase, poses: &[Vec<f64>]) -> Vec<f64> {
    let creature = &stage.creature;
    let mut mass = TreeMatrix::new(creature).expect("small enough for the modes of the stage");
    mass_matrix(creature, &mut Data::new(creature), creature.rest_pose(), &mut mass);
    let mass = mass.to_dense();
    let displacement = |pose: &Vec<f64>| {
        let mut x = DVector::zeros(creature.nv());
        creature.difference(creature.rest_pose(), pose, x.as_mut_slice());
        x
    };
    let displacements: Vec<DVector<f64>> = poses.iter().map(displacement).collect();
    let variance = |mode: &Direction| {
        if mode.is_rigid() || poses.is_empty() {
            return 0.0;
        }
        let shape = DVector::from_column_slice(&mode.shape);
        let weighted = &mass * &shape;
        let coordinates: Vec<f64> = displacements.iter().map(|x| weighted.dot(x)).collect();
        let mean = coordinates.iter().sum::<f64>() / coordinates.len() as f64;
        coordinates.iter().map(|x| math::square(x - mean)).sum::<f64>() / shape.dot(&weighted)
    };
    let variances: Vec<f64> = stage.basis(phase).directions().iter().map(variance).collect();
    let sum: f64 = variances.iter().sum();
    variances.iter().map(|variance| if sum > 0.0 { variance / sum } else { 0.0 }).collect()
}
