//! What is wrong with a sketch, wherever it came from: a file, a page, a program.

use gambol_formats::toml_file::{ABOVE_0, AT_LEAST_0, Range};

use super::{Palette, Phase, Sketch};

/// Shares of a cycle.
pub(crate) const SHARE: Range = ("a share of the cycle between 0 and 1", |x| x > 0.0 && x < 1.0);

/// Why a sketch makes no sense, or does not fit a creature.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{reason}", if mode.is_some() { String::new() } else { format!("{key}: ") })]
#[non_exhaustive]
pub struct Misfit {
    /// What of the sketch is to blame, as its file calls it.
    pub key: &'static str,
    /// The mode that is to blame, if it is one.
    pub mode: Option<(Phase, usize)>,
    /// What is wrong, and what would be right.
    pub reason: String,
}

impl Misfit {
    pub(super) fn new(key: &'static str, reason: impl Into<String>) -> Self {
        Self { key, mode: None, reason: reason.into() }
    }

    pub(super) fn of_mode(phase: Phase, mode: usize, reason: String) -> Self {
        Self { key: phase.name(), mode: Some((phase, mode)), reason }
    }
}

impl Sketch {
    /// Checks all that can be known without its creature; [`super::Stage::new`] does so too, and then the rest.
    pub fn check(&self) -> Result<(), Misfit> {
        let numbers = [
            ("stiffness", self.stiffness, ABOVE_0),
            ("damping", self.damping, AT_LEAST_0),
            ("period", self.period, ABOVE_0),
            ("flight_share", self.flight_share, SHARE),
            ("speed", self.speed, ABOVE_0),
            ("least_speed", self.least_speed, AT_LEAST_0),
            ("most_effort", self.most_effort, ABOVE_0),
            ("size", self.size, ABOVE_0),
        ];
        for (key, number, (wanted, fits)) in numbers {
            if !fits(number) {
                return Err(Misfit::new(key, format!("{number} is not {wanted}")));
            }
        }
        if !self.bursts.iter().all(|burst| burst.is_finite() && *burst > 0.0) {
            let reason = "they are two lengths above 0, in flight and on the ground (s)";
            return Err(Misfit::new("bursts", reason));
        }
        Phase::BOTH.into_iter().try_for_each(|phase| self.palette(phase).check(phase))
    }
}

impl Palette {
    /// No mode is wanted twice, by nothing, or wanted and unwanted.
    fn check(&self, phase: Phase) -> Result<(), Misfit> {
        let name = phase.name();
        for (k, priority) in self.priority.iter().enumerate() {
            let mode = priority.mode;
            if !(priority.amplitude.is_finite() && priority.amplitude != 0.0) {
                let reason = format!("{name} mode {mode}: its amplitude is above or below 0, in radians");
                return Err(Misfit::of_mode(phase, mode, reason));
            }
            if self.priority[..k].iter().any(|before| before.mode == mode) {
                return Err(Misfit::of_mode(phase, mode, format!("mode {mode} has priority already")));
            }
            if self.excluded.contains(&mode) {
                let reason = format!("{name} mode {mode} has priority and is excluded");
                return Err(Misfit::of_mode(phase, mode, reason));
            }
        }
        match self.permissible.iter().flatten().find(|mode| self.excluded.contains(mode)) {
            Some(&mode) => {
                let reason = format!("{name} mode {mode} is permissible and excluded");
                Err(Misfit::of_mode(phase, mode, reason))
            }
            None => Ok(()),
        }
    }
}
