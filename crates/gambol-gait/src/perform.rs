//! Plays a gait: from modes to a clip with feet on the ground.

use gambol_dynamics::Data;
use gambol_motion::Clip;

use crate::{Body, Gait, GaitError};

/// How long and how finely to sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// s, made a whole number of cycles; one cycle if not given.
    pub seconds: Option<f64>,
    /// Keys per second, made to divide the cycle.
    pub fps: f64,
}

/// A gait as it was played.
#[derive(Clone, Debug)]
pub struct Performance {
    /// First pose at time 0; the last one equals the first up to the stride.
    pub clip: Clip,
    /// What was measured on it.
    pub report: Report,
    /// What a user should know: a speed beyond reach, a leg folded through itself.
    pub warnings: Vec<String>,
}

/// Measured on the finished poses, not taken from the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// m/s
    pub speed: f64,
    /// m per cycle
    pub stride_length: f64,
    /// Cycles per second.
    pub stride_frequency: f64,
    /// From front to hind, left before right.
    pub feet: Vec<FootReport>,
    /// Way of a standing foot along the ground: the worst, mm; `None` without feet on the ground.
    pub slip_mm: Option<f64>,
    /// The mean over all stances, mm.
    pub mean_slip_mm: Option<f64>,
    /// The worst slip in percent of the leg's length.
    pub slip_percent_leg: Option<f64>,
    /// Depth of the lowest point below the ground, mm.
    pub penetration_mm: Option<f64>,
    /// Distance of last and first pose, less the stride: rad and m, the largest.
    pub loop_gap: f64,
    /// How far a joint is past its limit at most, rad (or m).
    pub limit_overshoot_rad: f64,
    /// Elastic energy of what the ground changed, as a share of that of the modal motion.
    pub ground_correction_energy: Option<f64>,
    /// v²/(g h); `None` for a legless creature.
    pub froude: Option<f64>,
}

/// How one foot stands.
#[derive(Clone, Debug, PartialEq)]
pub struct FootReport {
    /// Name of its landmark.
    pub name: String,
    /// Share of the cycle that it stands.
    pub duty: f64,
    /// Start and end in cycle fractions, 0 ≤ start < 1, start < end; the end is above 1 where it runs over the end.
    pub stance: Vec<[f64; 2]>,
    /// Worst way along the ground in stance, mm.
    pub slip_mm: f64,
}

/// Plays `gait` on `body`.
pub fn perform(
    _body: &Body,
    _data: &mut Data,
    _gait: &Gait,
    _sampling: &Sampling,
) -> Result<Performance, GaitError> {
    todo!()
}
