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
    let mut momentum = vec![0.0; creature.nv()];
    for _ in 0..STEPS {
        mass_matrix(creature, data, &pose, &mut m);
        for &dof in root {
            velocity[dof] = 0.0;
        }
        m.multiply(&velocity, &mut momentum);
        let of_joints = DVector::from_iterator(root.len(), root.iter().map(|&dof| -momentum[dof]));
        // M_rr v_r = −M_rj v_j; columns of M_rr by unit velocities of the root.
        let mut rr = DMatrix::zeros(root.len(), root.len());
        let mut unit = vec![0.0; creature.nv()];
        for (k, &dof) in root.iter().enumerate() {
            unit[dof] = 1.0;
            m.multiply(&unit, &mut momentum);
            unit[dof] = 0.0;
            rr.column_mut(k).copy_from_slice(&root.iter().map(|&row| momentum[row]).collect::<Vec<_>>());
        }
        let Some(factor) = rr.cholesky() else { return Err(ModesError::NotConverged) };
        let of_root = factor.solve(&of_joints);
        for (k, &dof) in root.iter().enumerate() {
            velocity[dof] = of_root[k];
        }
        creature.integrate(&mut pose, &velocity, amplitude / f64::from(STEPS));
    }
    Ok(pose)
}
