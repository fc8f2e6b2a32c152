//! A mode at finite amplitude.

use gambol_dynamics::{Data, TreeMatrix, mass_matrix};
use gambol_model::Creature;
use nalgebra::{DMatrix, DVector};

use crate::coordinates::Coordinates;
use crate::{Mode, Modes, ModesError};

/// Steps of a swing: halving them changes no picture.
const STEPS: u32 = 12;

/// The pose at `amplitude` (rad of the joint that moves most) along a mode.
///
/// The joints go straight along the shape. A vibration carries no momentum, but its root motion is that of the small
/// vibration: a slender body may roll by many times its bend while it is straight, and hardly at all once it is bent.
/// So the root of a floating creature is led along such that momentum stays zero at every step. Where constraints
/// bind the root, it follows the shape.
pub fn swing(
    creature: &Creature,
    data: &mut Data,
    modes: &Modes,
    mode: &Mode,
    amplitude: f64,
) -> Result<Vec<f64>, ModesError> {
    let coordinates = Coordinates::new(creature)?;
    let mut pose = modes.pose.clone();
    let root = &coordinates.root;
    if root.is_empty() || modes.rigid != root.len() || mode.is_rigid() {
        creature.integrate(&mut pose, &mode.shape, amplitude);
        return Ok(pose);
    }
    let mut m = TreeMatrix::new(creature).map_err(|error| ModesError::Pose(error.to_string()))?;
    let mut velocity = mode.shape.clone();
    let step = amplitude / f64::from(STEPS);
    for _ in 0..STEPS {
        // Midpoint rule: the root's velocity half a step ahead serves for the whole step.
        lead_root(creature, data, &pose, root, &mut m, &mut velocity)?;
        let mut middle = pose.clone();
        creature.integrate(&mut middle, &velocity, 0.5 * step);
        lead_root(creature, data, &middle, root, &mut m, &mut velocity)?;
        creature.integrate(&mut pose, &velocity, step);
    }
    Ok(pose)
}

/// Sets the root's part of `velocity` such that all rigid momentum vanishes: M_rr v_r = −M_rj v_j.
fn lead_root(
    creature: &Creature,
    data: &mut Data,
    pose: &[f64],
    root: &[usize],
    m: &mut TreeMatrix,
    velocity: &mut [f64],
) -> Result<(), ModesError> {
    mass_matrix(creature, data, pose, m);
    for &dof in root {
        velocity[dof] = 0.0;
    }
    let mut momentum = vec![0.0; creature.nv()];
    m.multiply(velocity, &mut momentum);
    let of_joints = DVector::from_iterator(root.len(), root.iter().map(|&dof| -momentum[dof]));
    // Columns of M_rr by unit velocities of the root.
    let mut rr = DMatrix::zeros(root.len(), root.len());
    let mut unit = vec![0.0; creature.nv()];
    for (k, &dof) in root.iter().enumerate() {
        unit[dof] = 1.0;
        m.multiply(&unit, &mut momentum);
        unit[dof] = 0.0;
        for (row, &other) in root.iter().enumerate() {
            rr[(row, k)] = momentum[other];
        }
    }
    let Some(factor) = rr.cholesky() else { return Err(ModesError::NotConverged) };
    let of_root = factor.solve(&of_joints);
    for (k, &dof) in root.iter().enumerate() {
        velocity[dof] = of_root[k];
    }
    Ok(())
}
