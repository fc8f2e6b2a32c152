//! A plant that moves: its modes as oscillators under the wind (Diener et al. 2009, section 3.3).
//!
//! ```text
//! at each step:
//!     fᵢ = ‖v‖ v · pᵢ                      (equation 16)
//!     (qᵢ, q̇ᵢ) ← the oscillator's step     (equation 8)
//! u = Σ qᵢ φᵢ, or its correction, + what the modes leave of steady wind
//! ```

use gambol_model::Vec3;

use crate::correction::Correction;
use crate::oscillator::{OscillatorStep, Stepping};
use crate::{PlantError, PlantMode, WindBasis};

gambol_model::settings! {
    /// Damping of wood and joints, C = α M + β K (equation 2), and the step in time.
    pub struct SwaySettings {
        /// α, 1/s. With β it gives 2 to 4 % of critical damping between 1 and 3 Hz, as leafless trees have
        /// (Moore and Maguire 2004); what the air takes away comes on top.
        mass_damping: f64 = 0.3, AtLeastZero;
        /// β, s
        stiffness_damping: f64 = 0.003, AtLeastZero;
        /// In s; the wind stays the same that long. Gusts of 3 Hz have twenty steps.
        step: f64 = 1.0 / 60.0, Positive;
    }
}

/// Modes in motion.
#[derive(Clone, Debug)]
pub struct Sway {
    steps: Vec<OscillatorStep>,
    gammas: Vec<f64>,
    states: Vec<[f64; 2]>,
    /// ‖v‖ v of the last step, (m/s)².
    load: Vec3,
    /// s
    step: f64,
}

impl Sway {
    /// At rest in a steady mean wind, which also damps.
    pub fn new(
        modes: &[PlantMode],
        basis: &WindBasis,
        settings: &SwaySettings,
        mean_wind: Vec3,
        stepping: Stepping,
    ) -> Result<Self, PlantError> {
        settings.check()?;
        let gamma = |(index, mode): (usize, &PlantMode)| {
            settings.mass_damping
                + settings.stiffness_damping * mode.omega_squared
                + basis.aerodynamic_damping(index, mean_wind)
        };
        let gammas: Vec<f64> = modes.iter().enumerate().map(gamma).collect();
        let oscillator = |(mode, gamma): (&PlantMode, &f64)| {
            OscillatorStep::new(mode.omega_squared, *gamma, settings.step, stepping)
        };
        let rest =
            |(index, mode): (usize, &PlantMode)| [basis.force(index, mean_wind) / mode.omega_squared, 0.0];
        Ok(Self {
            steps: modes.iter().zip(&gammas).map(oscillator).collect(),
            gammas,
            states: modes.iter().enumerate().map(rest).collect(),
            load: mean_wind * mean_wind.norm(),
            step: settings.step,
        })
    }

    /// One step on under a wind.
    pub fn step(&mut self, basis: &WindBasis, wind: Vec3) {
        for (index, (state, step)) in self.states.iter_mut().zip(&self.steps).enumerate() {
            *state = step.apply(*state, basis.force(index, wind));
        }
        self.load = wind * wind.norm();
    }

    /// s from one step to the next.
    pub fn time_step(&self) -> f64 {
        self.step
    }

    /// γ of each mode, 1/s, the air's included.
    pub fn gammas(&self) -> &[f64] {
        &self.gammas
    }

    /// Coordinates and their velocities.
    pub fn states(&self) -> &[[f64; 2]] {
        &self.states
    }

    /// Displacement of every node, m: equation 10, or 18 with a correction, and the residual shapes.
    pub fn displacements(
        &self,
        modes: &[PlantMode],
        basis: &WindBasis,
        correction: Option<&Correction>,
        out: &mut Vec<Vec3>,
    ) {
        let nodes = modes.first().map_or(0, |mode| mode.shape.len());
        out.clear();
        out.extend(
            (0..nodes)
                .map(|node| (0..3).map(|axis| basis.residual[axis][node] * self.load[axis]).sum::<Vec3>()),
        );
        for (index, (mode, [q, _])) in modes.iter().zip(&self.states).enumerate() {
            match correction {
                Some(correction) => {
                    out.iter_mut().zip(&correction.ways[index]).for_each(|(out, way)| *out += way.at(*q));
                }
                None => {
                    out.iter_mut().enumerate().for_each(|(node, out)| *out += mode.displacement(node) * *q);
                }
            }
        }
    }
}
