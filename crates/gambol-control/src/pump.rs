//! Modal pumping (Kry et al. 2009, section 4.1).

use std::f64::consts::{FRAC_PI_2, TAU};

use gambol_dynamics::{Data, Sense, center_of_mass, stiffness_matrix};
use gambol_model::{Creature, JointKind, math};
use gambol_motion::Basis;
use nalgebra::DVector;

use crate::{Command, Controller};

/// One mode that is pumped: α u sin(2π f t + γ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Index of the direction; the first vibration of a free creature is 6.
    pub mode: usize,
    /// α, rad of the joint that moves most.
    pub amplitude: f64,
    /// γ, rad
    pub phase: f64,
    /// f, Hz
    pub frequency: f64,
}

/// What cannot be controlled so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// There is no such mode.
    #[error("there is no mode {mode}; {creature} has modes 0 to {last}")]
    Mode {
        /// As asked for.
        mode: usize,
        /// Name of the creature.
        creature: String,
        /// The highest.
        last: usize,
    },
    /// A mode that bends nothing.
    #[error(
        "mode {mode} moves the creature without bending it, so that no joint can pump it; the first vibration is mode {first}"
    )]
    Rigid {
        /// As asked for.
        mode: usize,
        /// The lowest that bends.
        first: usize,
    },
    /// A number that no spring can follow.
    #[error("{what} of mode {mode}: {value} is not {wanted}")]
    Number {
        /// Which.
        what: &'static str,
        /// Of which mode.
        mode: usize,
        /// As asked for.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
}

/// The equilibrium swings along a few vibrations: q₀ ⊕ r(t) Σ α u sin(2π f t + γ).
///
/// The springs that pull to it are the creature's own, so that a PD controller would have exactly the stiffness of the
/// analysis. r rises smoothly from 0 to 1 within the first cycle: a jump would be a blow.
#[derive(Clone, Debug)]
pub struct Pump {
    rest: Vec<f64>,
    /// With the coordinates of joints that have springs to pump with.
    waves: Vec<(Wave, Vec<f64>)>,
    /// Length of the first cycle, s.
    ramp: f64,
}

/// Largest amplitude: a joint that is asked to turn further than all the way round is a mistake.
const MOST_AMPLITUDE: f64 = TAU;

/// Largest frequency, Hz: no creature is pumped as fast as it could be heard.
const MOST_FREQUENCY: f64 = 1000.0;

impl Pump {
    /// Pumps `waves` along directions of a basis of `creature`, about its mean.
    pub fn new(creature: &Creature, basis: &Basis, waves: &[Wave]) -> Result<Self, ControlError> {
        let mut slowest = f64::INFINITY;
        let mut shapes = Vec::new();
        for &wave in waves {
            let Wave { mode, amplitude, phase, frequency } = wave;
            let Some(found) = basis.directions().get(mode) else {
                let last = basis.directions().len().saturating_sub(1);
                return Err(ControlError::Mode { mode, creature: creature.name().to_owned(), last });
            };
            if found.is_rigid() {
                return Err(ControlError::Rigid { mode, first: basis.rigid() });
            }
            let number = |what, value, wanted| Err(ControlError::Number { what, mode, value, wanted });
            if amplitude.is_nan() || amplitude.abs() > MOST_AMPLITUDE {
                return number("amplitude", amplitude, "a number of radians of at most a full turn");
            }
            if !phase.is_finite() {
                return number("phase", phase, "a finite number");
            }
            if !(frequency > 0.0 && frequency <= MOST_FREQUENCY) {
                return number("frequency", frequency, "a number of hertz above 0 and at most 1000");
            }
            slowest = slowest.min(frequency);
            let mut shape = found.shape.clone();
            for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
                shape[joint.v..joint.v + 6].fill(0.0); // what floats has nothing to push against
            }
            shapes.push((wave, shape));
        }
        Ok(Self { rest: basis.mean().to_vec(), waves: shapes, ramp: 1.0 / slowest })
    }
}

/// How a creature is pumped where somebody knows better than [`SuggestSettings`]: attached to it ([`Creature::attach`]), as the
/// gallery does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PumpPreset {
    /// α of every mode, rad.
    pub amplitude: f64,
    /// Hz
    pub frequency: f64,
}

/// How waves are suggested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuggestSettings {
    /// Modes that are pumped if nobody says which. Default: 2, the fewest that make a travelling wave (Kry et al. 2009,
    /// section 4.1).
    pub modes: usize,
    /// How far each is ahead of the one before, rad. Default: a quarter of a cycle, as in the paper.
    pub ahead: f64,
    /// Elastic energy of a mode at its amplitude, as a share of the creature's weight times its size: how far, in parts of
    /// its size, the springs could lift it. Default: 0.0404. With it the paper's loop runs; with a fifth less amplitude it only
    /// creeps, and with a fifth more a standing wave throws it to one side or the other.
    pub energy: f64,
    /// Most amplitude, rad. Default: 0.5; springs bend further than joints do.
    pub most_amplitude: f64,
    /// Amplitudes are multiples of this, rad. Default: 0.001; they are for people to read and to change.
    pub round: f64,
}

impl Default for SuggestSettings {
    fn default() -> Self {
        Self { modes: 2, ahead: FRAC_PI_2, energy: 0.0404, most_amplitude: 0.5, round: 0.001 }
    }
}

/// Waves to start from: of the modes asked for, or of the two lowest vibrations, each 90° ahead of the one before, all at
/// the frequency of the first. Amplitudes and frequency are those of a [`PumpPreset`] that is attached to the creature, else by
/// its weight. Empty for a creature that does not vibrate.
pub fn suggest(creature: &Creature, basis: &Basis, wanted: &[usize]) -> Vec<Wave> {
    let settings = SuggestSettings::default();
    let lowest: Vec<usize> = basis.flexible().iter().take(settings.modes).map(|mode| mode.index).collect();
    let wanted = if wanted.is_empty() { &lowest } else { wanted };
    let natural = wanted
        .first()
        .and_then(|&mode| basis.directions().get(mode))
        .map_or(0.0, |mode| basis.frequency(creature, mode));
    let preset = creature.attached::<PumpPreset>();
    let mut data = Data::new(creature);
    let center = center_of_mass(creature, &mut data, basis.mean());
    let distances = data.frames.iter().skip(1).map(|frame| (frame.position - center).norm());
    let size = distances.fold(0.0, f64::max);
    let lively = settings.energy * creature.mass() * creature.gravity().norm() * size;
    let stiffness = stiffness_matrix(creature);
    let wave = |(k, &mode): (usize, &usize)| {
        // ½ α² uᵀ K u is the energy
        let energy = basis.directions().get(mode).map_or(0.0, |mode| {
            let u = DVector::from_column_slice(&mode.shape);
            0.5 * u.dot(&(&stiffness * &u))
        });
        let by_weight =
            if energy > 0.0 { (lively / energy).sqrt().min(settings.most_amplitude) } else { 0.0 };
        let by_weight = (by_weight / settings.round).round() * settings.round;
        Wave {
            mode,
            amplitude: preset.map_or(by_weight, |preset| preset.amplitude),
            phase: k as f64 * settings.ahead,
            frequency: preset.map_or(natural, |preset| preset.frequency),
        }
    };
    wanted.iter().enumerate().map(wave).collect()
}

impl Controller for Pump {
    /// The displacement of the equilibrium.
    type Memory = Vec<f64>;

    fn memory(&self, creature: &Creature) -> Vec<f64> {
        vec![0.0; creature.nv()]
    }

    fn command(&self, sense: &Sense, displacement: &mut Vec<f64>, command: &mut Command) {
        displacement.fill(0.0);
        for (wave, shape) in &self.waves {
            let turn = (wave.frequency * sense.time()).rem_euclid(1.0); // whole cycles cost digits
            let swing = wave.amplitude * math::sin(TAU * turn + wave.phase);
            for (sum, u) in displacement.iter_mut().zip(shape) {
                *sum += swing * u;
            }
        }
        command.rest.copy_from_slice(&self.rest);
        let rise = smooth_step(sense.time() / self.ramp);
        sense.creature().integrate(&mut command.rest, displacement, rise);
    }
}

/// From 0 at 0 to 1 at 1, level at both ends.
fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
