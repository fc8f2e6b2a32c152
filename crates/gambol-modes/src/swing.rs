//! A mode at finite amplitude.

use gambol_dynamics::{Data, top_momentum};
use gambol_model::Creature;
use nalgebra::{DMatrix, DVector};

use crate::coordinates::Coordinates;
use crate::{Mode, Modes, ModesError};

/// Steps of a swing: halving them changes no picture.
const STEPS: u32 = 12;

/// The same of a [`Swinger`], rad: what is left is of second order in it, and below a thousandth of the way.
const LONGEST_STEP: f64 = 0.1;

/// The pose at `amplitude` (rad of the joint that moves most) along a mode. For many of them, make one [`Swinger`].
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
    let mut swinger = Swinger::new(creature, modes)?;
    let mut pose = modes.pose.clone();
    swinger.go(data, mode, &mut pose, amplitude, STEPS)?;
    Ok(pose)
}

/// Swings all modes of a creature, as [`swing`] does, to several amplitudes on one way and in one piece of memory: for
/// pictures of many modes that have to follow a slider.
#[derive(Clone, Debug)]
pub struct Swinger<'c> {
    creature: &'c Creature,
    modes: &'c Modes,
    /// Coordinates of the root that keep momentum at zero; none where constraints bind them.
    root: Vec<usize>,
    velocity: Vec<f64>,
    middle: Vec<f64>,
    /// M_rr
    inertia: DMatrix<f64>,
    /// M_rj v_j
    momentum: DVector<f64>,
}

impl<'c> Swinger<'c> {
    /// For the modes of `creature`.
    pub fn new(creature: &'c Creature, modes: &'c Modes) -> Result<Self, ModesError> {
        let mut root = Coordinates::new(creature)?.root;
        if modes.rigid != root.len() {
            root.clear();
        }
        Ok(Self {
            creature,
            modes,
            velocity: vec![0.0; creature.nv()],
            middle: modes.pose.clone(),
            inertia: DMatrix::zeros(root.len(), root.len()),
            momentum: DVector::zeros(root.len()),
            root,
        })
    }

    /// The poses at `amplitudes` along a mode, in that order.
    pub fn poses(
        &mut self,
        data: &mut Data,
        mode: &Mode,
        amplitudes: &[f64],
    ) -> Result<Vec<Vec<f64>>, ModesError> {
        let mut poses = vec![self.modes.pose.clone(); amplitudes.len()];
        for side in [1.0, -1.0] {
            // From the rest pose outwards.
            let mut way: Vec<usize> = (0..poses.len()).filter(|&k| side * amplitudes[k] > 0.0).collect();
            way.sort_by(|&a, &b| amplitudes[a].abs().total_cmp(&amplitudes[b].abs()));
            let (mut pose, mut at) = (self.modes.pose.clone(), 0.0);
            for k in way {
                let further = amplitudes[k] - at;
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
                let steps = (further.abs() / LONGEST_STEP).ceil() as u32;
                self.go(data, mode, &mut pose, further, steps)?;
                at = amplitudes[k];
                poses[k].copy_from_slice(&pose);
            }
        }
        Ok(poses)
    }

    /// Moves a pose on along a mode.
    fn go(
        &mut self,
        data: &mut Data,
        mode: &Mode,
        pose: &mut [f64],
        amplitude: f64,
        steps: u32,
    ) -> Result<(), ModesError> {
        let creature = self.creature;
        if self.root.is_empty() || mode.is_rigid() {
            creature.integrate(pose, &mode.shape, amplitude);
            return Ok(());
        }
        self.velocity.copy_from_slice(&mode.shape);
        let step = amplitude / f64::from(steps);
        for _ in 0..steps {
            // Midpoint rule: the root's velocity half a step ahead serves for the whole step.
            self.lead_root(data, pose)?;
            let mut middle = std::mem::take(&mut self.middle);
            middle.copy_from_slice(pose);
            creature.integrate(&mut middle, &self.velocity, 0.5 * step);
            self.lead_root(data, &middle)?;
            self.middle = middle;
            creature.integrate(pose, &self.velocity, step);
        }
        Ok(())
    }

    /// Sets the root's part of the velocity such that all rigid momentum vanishes: M_rr v_r = −M_rj v_j.
    fn lead_root(&mut self, data: &mut Data, pose: &[f64]) -> Result<(), ModesError> {
        let Self { creature, root, velocity, inertia, momentum, .. } = self;
        for &dof in root.iter() {
            velocity[dof] = 0.0;
        }
        top_momentum(creature, data, pose, velocity, root, inertia, momentum.as_mut_slice());
        let Some(factor) = inertia.clone().cholesky() else { return Err(ModesError::NotConverged) };
        factor.solve_mut(momentum);
        for (k, &dof) in root.iter().enumerate() {
            velocity[dof] = -momentum[k];
        }
        Ok(())
    }
}
