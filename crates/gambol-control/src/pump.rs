//! Modal pumping (Kry et al. 2009, section 4.1).

use std::f64::consts::TAU;

use gambol_dynamics::State;
use gambol_model::{Creature, JointKind};
use gambol_modes::Modes;

use crate::{Command, Controller};

/// One mode that is pumped: α u sin(2π f t + γ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Index of the mode; the first vibration of a free creature is 6.
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
    /// Pumps `waves` of the modes of `creature`, about the pose of these.
    pub fn new(creature: &Creature, modes: &Modes, waves: &[Wave]) -> Result<Self, ControlError> {
        let mut slowest = f64::INFINITY;
        let mut shapes = Vec::new();
        for &wave in waves {
            let Wave { mode, amplitude, phase, frequency } = wave;
            let Some(found) = modes.modes.get(mode) else {
                let last = modes.modes.len().saturating_sub(1);
                return Err(ControlError::Mode { mode, creature: creature.name().to_owned(), last });
            };
            if found.is_rigid() {
                return Err(ControlError::Rigid { mode, first: modes.rigid });
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
        Ok(Self { rest: modes.pose.clone(), waves: shapes, ramp: 1.0 / slowest })
    }
}

impl Controller for Pump {
    fn command(&self, creature: &Creature, state: &State, command: &mut Command) {
        command.scratch.fill(0.0);
        for (wave, shape) in &self.waves {
            let turn = (wave.frequency * state.time).rem_euclid(1.0); // whole cycles cost digits
            let swing = wave.amplitude * libm::sin(TAU * turn + wave.phase);
            for (sum, u) in command.scratch.iter_mut().zip(shape) {
                *sum += swing * u;
            }
        }
        command.rest.copy_from_slice(&self.rest);
        creature.integrate(&mut command.rest, &command.scratch, smooth_step(state.time / self.ramp));
    }
}

/// From 0 at 0 to 1 at 1, level at both ends.
fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
