//! The controller: square bursts of torque along modes, at fixed times of the cycle (Nunes et al. 2012, section 4.1).

use gambol_dynamics::Sense;
use gambol_model::Creature;

use super::Stride;
use crate::cma::factor::add;
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
    /// Torques per radian of amplitude, of all modes of its phase.
    modes: Vec<Vec<f64>>,
    /// Where these are in a list of all amplitudes.
    first: usize,
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
        let burst = |phase: usize, start: f64, amplitudes: &[f64]| {
            let modes: Vec<Vec<f64>> =
                stage.active[phase].iter().map(|active| active.torque.clone()).collect();
            let mut torque = vec![0.0; stage.creature.nv()];
            for (mode, amplitude) in modes.iter().zip(amplitudes) {
                add(&mut torque, *amplitude, mode);
            }
            let (duration, first) = (stride.bursts[phase].min(period), phase * stride.flight.len());
            Burst { start, duration, torque, modes, first }
        };
        let mut bursts =
            vec![burst(0, 0.0, &stride.flight), burst(1, stride.flight_share * period, &stride.ground)];
        if stage.mirror.is_some() {
            for k in 0..2 {
                let Burst { start, duration, torque, modes, first } = &bursts[k];
                let later = Burst {
                    start: start + 0.5 * period,
                    duration: *duration,
                    torque: stage.mirrored(torque),
                    modes: modes.iter().map(|mode| stage.mirrored(mode)).collect(),
                    first: *first,
                };
                bursts.push(later);
            }
        }
        Self { period, step, pulses: bursts }
    }

    /// Adds the torques of the step that starts at `time` to `torque`, with amplitudes that are `changed`: in flight, then on
    /// the ground; empty if they are not.
    pub(super) fn add(&self, time: f64, changed: &[f64], torque: &mut [f64]) {
        for burst in &self.pulses {
            let share = self.covered(burst, time) / self.step;
            if share > 0.0 {
                add(torque, share, &burst.torque);
                let changed = changed.iter().skip(burst.first);
                for (mode, by) in burst.modes.iter().zip(changed) {
                    add(torque, share * by, mode);
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
    type Memory = ();

    fn memory(&self, _: &Creature) {}

    fn command(&self, sense: &Sense, (): &mut (), command: &mut Command) {
        self.add(sense.time(), &[], &mut command.torque);
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
            let burst = Burst { start, duration, torque: vec![3.0], modes: Vec::new(), first: 0 };
            let bursts = Bursts { period, step, pulses: vec![burst] };
            // Steps that do not divide the cycle: seven cycles of them.
            let steps = (0..).map(|k| f64::from(k) * step).take_while(|time| *time < 7.0 * period);
            let mut sum = 0.0;
            for time in steps {
                let mut torque = [0.0];
                bursts.add(time, &[], &mut torque);
                sum += step * torque[0];
            }
            let expected = 7.0 * 3.0 * duration;
            // The last step may reach into the next cycle.
            assert!((sum - expected).abs() < 3.0 * step + 1e-9, "{sum} instead of {expected}");
        }
    }
}
