//! Equation 4 of Kry et al. 2009 on the manifold of poses.

use std::f64::consts::TAU;

use gambol_model::{Creature, math};

use crate::limits::{Give, limit};
use crate::{Body, Component, Gait, GaitError};

/// A gait's motion over the cycle, before the ground has its say:
///
/// ```text
/// θ(t) = θ₀ ⊕ Σ_i u_i (α_i sin(2π f̃_i t + γ_i) + β_i)
/// ```
///
/// A mode's shape is a tangent vector: ball joints compose rotations, nothing is added to quaternions.
#[derive(Clone, Debug)]
pub(crate) struct ModalMotion<'a> {
    creature: &'a Creature,
    rest: &'a [f64],
    /// Of its joint limits, rad or m.
    soft: f64,
    terms: Vec<Term<'a>>,
}

#[derive(Clone, Debug)]
struct Term<'a> {
    shape: &'a [f64],
    amplitude: f64,
    phase: f64,
    harmonic: f64,
    offset: f64,
}

impl<'a> ModalMotion<'a> {
    /// The motion of `gait`, whose components name modes of `body`.
    pub(crate) fn new(body: &'a Body, gait: &Gait) -> Result<Self, GaitError> {
        gait.check_modes(body)?;
        let term = |component: &Component| Term {
            shape: &body.basis.directions()[component.mode].shape,
            amplitude: component.amplitude,
            phase: component.phase,
            harmonic: f64::from(component.harmonic),
            offset: component.offset,
        };
        let terms = gait.components.iter().map(term).collect();
        let soft = body.settings.limits.soft;
        Ok(Self { creature: &body.creature, rest: body.basis.mean(), soft, terms })
    }

    /// Tangent vector at the rest pose, at `cycle` (1 is a whole cycle).
    fn tangent(&self, cycle: f64) -> Vec<f64> {
        let mut tangent = vec![0.0; self.creature.nv()];
        for term in &self.terms {
            let swing = term.amplitude * math::sin(TAU * term.harmonic * cycle + term.phase) + term.offset;
            for (sum, u) in tangent.iter_mut().zip(term.shape) {
                *sum += u * swing;
            }
        }
        tangent
    }

    /// The pose that equation 4 asks for, limits not yet applied.
    pub(crate) fn unlimited(&self, cycle: f64) -> Vec<f64> {
        let mut pose = self.rest.to_vec();
        // The period is exact: sin sees the same numbers in every cycle.
        self.creature.integrate(&mut pose, &self.tangent(cycle - cycle.floor()), 1.0);
        pose
    }

    /// The pose with soft limits.
    pub(crate) fn pose(&self, cycle: f64) -> Vec<f64> {
        let mut pose = self.unlimited(cycle);
        let mut give: Vec<Give> = Vec::new();
        limit(self.creature, self.soft, &mut pose, &mut give);
        pose
    }
}
