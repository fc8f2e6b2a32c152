//! A direction at finite amplitude.

use gambol_dynamics::{Data, top_momentum};
use gambol_model::Creature;
use nalgebra::{DMatrix, DVector};

use super::{Basis, BasisError, Direction};

/// Steps of a swing: halving them changes no picture.
const STEPS: u32 = 12;

/// The same of a [`Swinger`], rad: what is left is of second order in it, and below a thousandth of the way.
const LONGEST_STEP: f64 = 0.1;

/// Steps of a [`Swinger`] at most: a hundred radians, beyond what any joint turns.
const MOST_STEPS: f64 = 1000.0;

/// The pose at `amplitude` along a direction of `basis` (of a vibration: rad of the joint that moves most). For many of
/// them, make one [`Swinger`].
///
/// The joints go straight along the shape. A vibration carries no momentum, but its root motion is that of the small
/// vibration: a slender body may roll by many times its bend while it is straight, and hardly at all once it is bent.
/// So the root of a floating creature is led along such that momentum stays zero at every step. Where constraints
/// bind the root, or the basis leaves it out, it follows the shape.
pub fn swing(
    creature: &Creature,
    data: &mut Data,
    basis: &Basis,
    direction: &Direction,
    amplitude: f64,
) -> Result<Vec<f64>, BasisError> {
    let mut swinger = Swinger::new(creature, basis)?;
    let mut pose = basis.mean().to_vec();
    swinger.go(data, direction, &mut pose, amplitude, STEPS)?;
    Ok(pose)
}

/// Swings along all directions of a basis, as [`swing`] does, to several amplitudes on one way and in one piece of
/// memory: for pictures of many motions that have to follow a slider.
#[derive(Clone, Debug)]
pub struct Swinger<'c> {
    creature: &'c Creature,
    basis: &'c Basis,
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
    /// For a basis of `creature`.
    pub fn new(creature: &'c Creature, basis: &'c Basis) -> Result<Self, BasisError> {
        basis.check_creature(creature)?;
        let mut root = unsprung_tops(creature);
        if basis.rigid() != root.len() {
            root.clear();
        }
        Ok(Self {
            creature,
            basis,
            velocity: vec![0.0; creature.nv()],
            middle: basis.mean().to_vec(),
            inertia: DMatrix::zeros(root.len(), root.len()),
            momentum: DVector::zeros(root.len()),
            root,
        })
    }

    /// The poses at `amplitudes` along a direction, in that order.
    pub fn poses(
        &mut self,
        data: &mut Data,
        direction: &Direction,
        amplitudes: &[f64],
    ) -> Result<Vec<Vec<f64>>, BasisError> {
        let mut poses = vec![self.basis.mean().to_vec(); amplitudes.len()];
        for side in [1.0, -1.0] {
            // From the rest pose outwards.
            let mut way: Vec<usize> = (0..poses.len()).filter(|&k| side * amplitudes[k] > 0.0).collect();
            way.sort_by(|&a, &b| amplitudes[a].abs().total_cmp(&amplitudes[b].abs()));
            let (mut pose, mut at) = (self.basis.mean().to_vec(), 0.0);
            for k in way {
                let further = amplitudes[k] - at;
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most MOST_STEPS
                let steps = (further.abs() / LONGEST_STEP).ceil().min(MOST_STEPS) as u32;
                self.go(data, direction, &mut pose, further, steps)?;
                at = amplitudes[k];
                poses[k].copy_from_slice(&pose);
            }
        }
        Ok(poses)
    }

    /// Moves a pose on along a direction.
    fn go(
        &mut self,
        data: &mut Data,
        direction: &Direction,
        pose: &mut [f64],
        amplitude: f64,
        steps: u32,
    ) -> Result<(), BasisError> {
        let creature = self.creature;
        if direction.shape.len() != creature.nv() {
            let (direction, found) = (direction.index, direction.shape.len());
            return Err(BasisError::Length { direction, found, nv: creature.nv() });
        }
        if !amplitude.is_finite() {
            let (what, wanted) = ("amplitude", "finite");
            return Err(BasisError::Number { direction: direction.index, what, value: amplitude, wanted });
        }
        if self.root.is_empty() || direction.is_rigid() {
            creature.integrate(pose, &direction.shape, amplitude);
            return Ok(());
        }
        self.velocity.copy_from_slice(&direction.shape);
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
    fn lead_root(&mut self, data: &mut Data, pose: &[f64]) -> Result<(), BasisError> {
        let Self { creature, root, velocity, inertia, momentum, .. } = self;
        for &dof in root.iter() {
            velocity[dof] = 0.0;
        }
        top_momentum(creature, data, pose, velocity, root, inertia, momentum.as_mut_slice());
        let massless = || BasisError::Massless { creature: creature.name().to_owned() };
        let factor = inertia.clone().cholesky().ok_or_else(massless)?;
        factor.solve_mut(momentum);
        for (k, &dof) in root.iter().enumerate() {
            velocity[dof] = -momentum[k];
        }
        Ok(())
    }
}

/// Coordinates that move whole trees and that no spring holds.
fn unsprung_tops(creature: &Creature) -> Vec<usize> {
    let at_the_top = |body: usize| creature.bodies()[body].parent == 0;
    let joints = creature.joints().iter().filter(|joint| at_the_top(joint.body) && joint.stiffness <= 0.0);
    joints.flat_map(|joint| joint.v..joint.v + joint.kind.nv()).collect()
}
