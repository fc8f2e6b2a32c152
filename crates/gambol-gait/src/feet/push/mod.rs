//! The pushes of the feet, and the motion of the body as a whole that they make.
//!
//! Over its stance, s from 0 to 1, each foot pushes with f(s) = m g Σ_b x_b sin(bπs): nothing at touchdown and lift-off.
//! The centre of mass c and the angular momentum L about it follow (Newton and Euler),
//!
//! ```text
//! m c̈ = Σ f − m g        L̇ = Σ (p − c) × f
//! ```
//!
//! p the middles of the soles; a push may wander over its sole, which is a moment besides. Both recur after a cycle: the pushes carry the weight, and turn nothing, on the whole. Of all
//! such pushes inside their friction cones the plan takes those whose c and L are nearest to the motion of the vibrations,
//! and that are nearest to the pushes of animals (Alexander and Jayes 1978). c is linear in x; L nearly so, and a few
//! rounds of linear least squares settle it.
//!
//! All of it is told in the creature's ground frame, which travels and turns with it. Even travel does not matter; one that changes adds
//! its acceleration v̇, and a turn by Ω the apparent ones Ω × v + 2 Ω × ċ + Ω × (Ω × c) + Ω̇ × c and Ω × L, taken from the round before.

mod normal;
mod problem;
mod wave;

use gambol_model::{Mat3, Vec3};
use nalgebra::DVector;

use super::road::Moving;
use super::series::look_up;
use crate::ObeySettings;

use problem::{Problem, Round};
use wave::Wave;

/// Shapes of a push per component: sines of one to this many half periods, for a stance of a gait. Longer ones have more.
pub(super) const SHAPES: usize = 4;
/// Numbers of a shape: a force, and a moment in units of the levers.
const PARTS: usize = 6;

/// A foot that pushes for a part of the cycle.
#[derive(Clone, Debug)]
pub(super) struct Pusher {
    /// Touchdown and lift-off, cycles.
    pub(super) start: f64,
    pub(super) end: f64,
    /// Share of a stride that it stands.
    pub(super) duty: f64,
    /// What animals push with in the mean over such a stance, weights.
    pub(super) load: f64,
    /// Sines of one to this many half periods.
    pub(super) shapes: usize,
    /// The middle of where the ground may push it at each sample, m; used while it stands.
    pub(super) points: Vec<Vec3>,
    /// How far the push may wander from there at each sample, as levers, m: its moments about the three axes are at most these
    /// times the upward push. Nothing for the tip of a paw, half the length of a sole.
    pub(super) levers: Vec<Vec3>,
}

/// What the plan should come near to, at each sample of the cycle.
pub(super) struct Wanted {
    /// Centre of mass, m.
    pub(super) center: Vec<Vec3>,
    /// Angular momentum about it, N·m·s.
    pub(super) momentum: Vec<Vec3>,
}

/// The body as a whole.
pub(super) struct Lump {
    /// kg
    pub(super) mass: f64,
    /// m/s²
    pub(super) gravity: f64,
    /// Against gravity: a unit vector in the ground frame, askew on a slope.
    pub(super) up: Vec3,
    /// Inertia about the centre of mass with all joints held, mean over the cycle, kg·m².
    pub(super) inertia: Mat3,
    /// Length of the legs, m.
    pub(super) length: f64,
    /// s
    pub(super) period: f64,
    /// Strides in that time.
    pub(super) strides: f64,
    /// Unit vector ahead in the ground frame.
    pub(super) forward: Vec3,
    /// What the ground frame does at each sample; nothing where Newton's laws hold in it.
    pub(super) frame: Vec<Moving>,
    /// What is added to the weight of its height at each sample.
    pub(super) level: Vec<f64>,
}

impl ObeySettings {
    /// How slowly who has legs of this `length` goes, 0 to 1, by Froude's number v²/(g h).
    pub(super) fn slowness(&self, speed: f64, gravity: f64, length: f64) -> f64 {
        below(self.slow, speed, gravity, length)
    }

    /// Whether it strolls, 0 to 1.
    pub(super) fn strolling(&self, speed: f64, gravity: f64, length: f64) -> f64 {
        below(self.strolls, speed, gravity, length)
    }
}

/// 1 below the first of these Froude numbers, 0 above the second.
fn below([slow, fast]: [f64; 2], speed: f64, gravity: f64, length: f64) -> f64 {
    let froude = speed * speed / (gravity * length).max(f64::MIN_POSITIVE);
    ((fast - froude) / (fast - slow).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
}

/// A motion of the body as a whole with the pushes that make it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    waves: Vec<Wave>,
    /// Acceleration of the centre of mass per wave, m/s².
    x: Vec<Vec3>,
    /// Mean place of the centre of mass, m.
    pub(super) mean: Vec3,
    /// What the turn of the ground frame adds to it, per sample, m; nothing on a straight way.
    drift: Vec<Vec3>,
    /// Angular momentum per sample, N·m·s.
    pub(super) momentum: Vec<Vec3>,
    period: f64,
}

impl Plan {
    /// The centre of mass at `cycle`, m.
    pub(super) fn center(&self, cycle: f64) -> Vec3 {
        let square = self.period * self.period;
        let pushed = |(wave, x): (&Wave, &Vec3)| x * (wave.twice_integrated(cycle) * square);
        let mut center = self.mean + self.waves.iter().zip(&self.x).map(pushed).sum::<Vec3>();
        if !self.drift.is_empty() {
            let weights = look_up(self.drift.len(), 0.5, cycle);
            center += weights.iter().zip(&self.drift).map(|(w, d)| d * *w).sum::<Vec3>();
        }
        center
    }
}

/// Plans the pushes; `None` where there is no solution, as without gravity. `humps`: see [`crate::FeetSettings::push_humps`].
pub(super) fn plan(
    lump: &Lump,
    pushers: &[Pusher],
    wanted: &Wanted,
    settings: &ObeySettings,
    humps: f64,
) -> Option<Plan> {
    let problem = Problem::new(lump, pushers, wanted, settings, humps)?;
    let mut last: Option<Round> = None;
    for _ in 0..settings.plans {
        let apparent = problem.apparent(last.as_ref());
        let moments = problem.moments(last.as_ref(), &apparent);
        let guess = last.map_or_else(|| problem.first(), |last| last.x);
        let x = problem.solve(&guess, &moments, &apparent)?;
        last = Some(Round { momentum: problem.momentum(&x, &moments, &apparent), x, apparent });
    }
    let Round { x, momentum, apparent } = last?;
    let drift = if lump.frame.is_empty() { Vec::new() } else { apparent.drift };
    let of_wave = |w: usize| force(&x, w) * lump.gravity;
    Some(Plan {
        x: (0..problem.waves.len()).map(of_wave).collect(),
        mean: problem.mean(&x),
        waves: problem.waves,
        drift,
        momentum,
        period: lump.period,
    })
}

/// The force of a wave, in weights.
fn force(x: &DVector<f64>, wave: usize) -> Vec3 {
    Vec3::new(x[PARTS * wave], x[PARTS * wave + 1], x[PARTS * wave + 2])
}
