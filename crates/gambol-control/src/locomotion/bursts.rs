//! The controller: square bursts of torque along modes, at fixed times of the cycle (Nunes et al. 2012, section 4.1).

use gambol_dynamics::State;
use gambol_model::Creature;

use super::Stride;
use crate::sketch::Stage;
use crate::{Command, Controller};

/// A burst that comes back every period.
#[derive(Clone, Debug, PartialEq)]
struct Burst {
    /// s from the start of the cycle.
    start: f64,
    /// s
    duration: f64,
    torque: Vec<f64>,
}

/// Passive springs and dampers about the rest pose, and bursts at the start of flight and ground state of each foot:
///
/// ```text
/// left   |flight: τ_f for δ_f      |ground: τ_g for δ_g     |        0 … αT … T
/// right  the mirror image, half a cycle later
/// ```
///
/// All is by the clock. A step that a burst covers in part gets that part of its torque, so that what comes out depends
/// smoothly on when bursts begin and end.
#[derive(Clone, Debug, PartialEq)]
pub struct Bursts {
    period: f64,
    /// Length of a step of the simulation, s.
    step: f64,
    pulses: Vec<Burst>,
}

impl Bursts {
    /// The controller of a stride, for simulations with steps of `step`, s.
    pub fn new(stage: &Stage, stride: &Stride, step: f64) -> Self {
        let period = stride.period;
        let torque = |phase: usize, amplitudes: &[f64]| {
            let mut sum = vec![0.0; stage.creature.nv()];
            for (active, amplitude) in stage.active[phase].iter().zip(amplitudes) {
                for (sum, torque) in sum.iter_mut().zip(&active.torque) {
                    *sum += amplitude * torque;
                }
            }
            sum
        };
        let burst = |start: f64, duration: f64, torque: Vec<f64>| Burst {
            start,
            duration: duration.min(period),
            torque,
        };
        let mut bursts = vec![
            burst(0.0, stride.bursts[0], torque(0, &stride.flight)),
            burst(stride.flight_share * period, stride.bursts[1], torque(1, &stride.ground)),
        ];
        if stage.mirror.is_some() {
            for k in 0..2 {
                let Burst { start, duration, torque } = &bursts[k];
                let later = Burst {
                    start: start + 0.5 * period,
                    duration: *duration,
                    torque: stage.mirrored(torque),
                };
                bursts.push(later);
            }
        }
        Self { period, step, pulses: bursts }
    }

    /// Adds the torques of the step that starts at `time` to `torque`.
    pub(super) fn add(&self, time: f64, torque: &mut [f64]) {
        for burst in &self.pulses {
            let share = self.covered(burst, time) / self.step;
            if share > 0.0 {
                for (sum, torque) in torque.iter_mut().zip(&burst.torque) {
                    *sum += share * torque;
                }
            }
        }
    }

    /// How long the step from `time` on is covered by a burst, s.
    fn covered(&self, burst: &Burst, time: f64) -> f64 {
        let from = (time - burst.start).rem_euclid(self.period);
        let to = from + self.step;
        // This cycle's burst, and the next one's if the step reaches it.
        (to.min(burst.duration) - from).max(0.0) + (to - self.period).clamp(0.0, burst.duration)
    }
}

impl Controller for Bursts {
    fn command(&self, _: &Creature, state: &State, command: &mut Command) {
        self.add(state.time, &mut command.torque);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the step and wherever the bursts lie, a whole cycle gets all of each burst: amplitude times duration.
    #[test]
    fn a_cycle_gets_all_of_every_burst() {
        for (start, duration, step) in
            [(0.0, 0.1, 0.002), (0.37, 0.1037, 0.0021), (0.65, 0.12, 0.0019), (0.2, 0.0011, 0.005)]
        {
            let period = 0.7;
            let bursts = Bursts { period, step, pulses: vec![Burst { start, duration, torque: vec![3.0] }] };
            // Steps that do not divide the cycle: seven cycles of them.
            let steps = (0..).map(|k| f64::from(k) * step).take_while(|time| *time < 7.0 * period);
            let mut sum = 0.0;
            for time in steps {
                let mut torque = [0.0];
                bursts.add(time, &mut torque);
                sum += step * torque[0];
            }
            let expected = 7.0 * 3.0 * duration;
            // The last step may reach into the next cycle.
            assert!((sum - expected).abs() < 3.0 * step + 1e-9, "{sum} instead of {expected}");
        }
    }
}
