//! Draws all feet to where they shall be, as near as possible to the modal motion in the elastic metric.
//!
//! ```text
//! minimise ½ δᵀ K δ   with   f(y ⊕ δ) = target
//! ```
//!
//! y is the pose of equation 4 before limits, f takes limits (softly, as section 4.2) and then the feet. Newton's
//! iteration on the conditions of optimality: δ = C Jᵀ λ with (J C Jᵀ + S) λ = target − f + J δ, C = K⁻¹. The orientation
//! of a flat sole is a wish, of compliance S. Feet are exact: their S is lent, and given back through the force λ of the
//! round before (the proximal method of multipliers), so that it does not show in what the iteration ends at. It keeps
//! the matrix regular where legs cannot do what is asked of them, because they are at their limits or have too few
//! joints; there the iteration ends where the feet miss least.
//!
//! Where the pushes of the feet say how the body moves as a whole, that is exact too ([`Held`]), and δ is measured from
//! where it would like to be: K is then the energy of what differs from its neighbours in time.

mod chain;
mod columns;
mod system;

use gambol_dynamics::{Data, FloatingBase};
use gambol_model::{Mat3, Quat, Vec3};

use self::chain::chain_rule;
use self::system::System;
use super::scene::FeetScene;
use super::sole::Local;
use crate::PinSettings;
use crate::limits::limit;

/// A foot's target at one moment.
pub(super) struct Goal {
    pub(super) leg: usize,
    /// Planted point (x, y) and lowest height above the ground (z), m.
    pub(super) place: Vec3,
    /// How much it may go aside, 0 to 1: nothing for a standing foot.
    pub(super) astray: f64,
    /// The ground under it.
    pub(super) ground: Local,
    /// Orientations of sole and toes: body, its orientation in the ground frame, and how much it matters, 0 to 1.
    pub(super) flat: Vec<(usize, Quat, f64)>,
}

/// What the pushes of the feet make of the body as a whole, at one moment.
pub(super) struct Held {
    pub(super) base: FloatingBase,
    /// Where the centre of mass shall be, m.
    pub(super) center: Vec3,
    /// How δ shall turn the body, m, …
    pub(super) turn: Vec3,
    /// … from this δ on.
    pub(super) from: Vec<f64>,
    /// From ∫ of angular momentum, N·m·s², to m.
    pub(super) unit: Mat3,
    /// Compliance of a foot in the middle of its swing, as a share of a leg's.
    pub(super) astray: f64,
    /// Where δ would like to be: what its neighbours in time have, so that it moves smoothly.
    pub(super) around: Vec<f64>,
}

/// How a frame ended.
pub(super) struct Pinned {
    pub(super) pose: Vec<f64>,
    /// Largest distance of a foot from its target, m.
    pub(super) error: f64,
}

/// How near to what is asked a frame shall come.
#[derive(Clone, Copy)]
pub(super) struct Precision {
    /// A foot is where it shall be if it is within this, leg lengths.
    near: f64,
    /// A frame is done when no joint is further than this from where the iteration leads, rad.
    settled: f64,
}

impl Precision {
    pub(super) fn of_keys(settings: &PinSettings) -> Self {
        Self { near: settings.near, settled: settings.settled }
    }

    pub(super) fn of_rounds(settings: &PinSettings) -> Self {
        Self { near: settings.near_round, settled: settings.settled_round }
    }

    pub(super) fn of_drafts(settings: &PinSettings) -> Self {
        Self { near: settings.near_draft, settled: settings.settled_draft }
    }
}

/// What is asked of a frame.
pub(super) struct Asked<'a> {
    /// The unlimited modal pose with its root in place.
    pub(super) free: &'a [f64],
    pub(super) goals: &'a [Goal],
    /// Height of the ground in the creature's ground frame, m.
    pub(super) floor: &'a dyn Fn(f64, f64) -> f64,
    pub(super) held: Option<&'a Held>,
    pub(super) precision: Precision,
}

impl Asked<'_> {
    /// δ as seen from where it would like to be.
    fn apart(&self, delta: &[f64]) -> Vec<f64> {
        match self.held {
            Some(held) => delta.iter().zip(&held.around).map(|(d, a)| d - a).collect(),
            None => delta.to_vec(),
        }
    }
}

/// `pin` or `reach`.
pub(super) type Solver = fn(&FeetScene, &mut Data, &Asked, &mut [f64]) -> Pinned;

/// Pins one frame. `delta` is a guess of its correction on entry, the correction on return.
pub(super) fn pin(scene: &FeetScene, data: &mut Data, asked: &Asked, delta: &mut [f64]) -> Pinned {
    let settings = &scene.settings.pin;
    let near = asked.precision.near * scene.legs.length.max(1e-6);
    let (mut best, mut least) = (Pinned { pose: asked.free.to_vec(), error: f64::INFINITY }, f64::INFINITY);
    // Feet come first: nothing that holds the body as a whole is stiffer.
    let most_lent =
        asked.held.map_or(settings.most_lent, |_| settings.feet_first * scene.settings.obey.soft[0]);
    let (mut lent, mut error) = (settings.first_lent.min(most_lent), f64::INFINITY);
    // How far a joint would go to relax, and how far it will still have to after that.
    let (mut slack, mut rest) = (f64::INFINITY, f64::INFINITY);
    let mut force: Vec<f64> = Vec::new();
    let mut kept = delta.to_vec();
    let mut relaxed = Relaxed { step: vec![0.0; delta.len()], share: 0.0 };
    for _ in 0..settings.iterations {
        let (pose, system) = linearised(scene, data, asked, delta);
        let (arrived, merit) = (system.error <= near, system.merit(scene, &asked.apart(delta)));
        if arrived || merit < least {
            (best, least) = (Pinned { pose, error: system.error }, merit);
            kept.copy_from_slice(delta);
        }
        if arrived && rest <= asked.precision.settled {
            break;
        }
        (lent, error) = (lend(settings, lent, error, system.error).min(most_lent), system.error);
        let Some([reach, relax]) =
            system.solve(scene, &asked.apart(delta), lent * scene.leg_compliance(), &mut force)
        else {
            break;
        };
        // It shrinks by about the same share in every round.
        let before = std::mem::replace(&mut slack, largest(&relax));
        rest = if before.is_finite() { slack * slack / before } else { slack };
        if largest(&reach).max(slack) <= settings.still {
            break;
        }
        let share = relaxed.next_share(scene, &relax);
        let step: Vec<f64> = reach.iter().zip(&relax).map(|(n, t)| n + share * t).collect();
        let part = advance(settings, delta, &step);
        relaxed = Relaxed { step: relax, share: part * share };
    }
    delta.copy_from_slice(&kept);
    best
}

/// Brings the feet of a frame where they shall be by the shortest way from `delta`, and changes nothing else.
pub(super) fn reach(scene: &FeetScene, data: &mut Data, asked: &Asked, delta: &mut [f64]) -> Pinned {
    let settings = &scene.settings.pin;
    let near = asked.precision.near * scene.legs.length.max(1e-6);
    let mut force = Vec::new();
    let mut best = Pinned { pose: asked.free.to_vec(), error: f64::INFINITY };
    let (mut lent, mut error) = (settings.least_lent, f64::INFINITY);
    for _ in 0..settings.reach_iterations {
        let (pose, mut system) = linearised(scene, data, asked, delta);
        if system.error < best.error {
            best = Pinned { pose, error: system.error };
        }
        if best.error <= near {
            break;
        }
        (lent, error) = (lend(settings, lent, error, system.error), system.error);
        system.bring_home(delta.len());
        let Some([step, _]) =
            system.solve(scene, &asked.apart(delta), lent * scene.leg_compliance(), &mut force)
        else {
            break;
        };
        advance(settings, delta, &step);
    }
    best
}

/// The free pose with its correction and limits, and the conditions there by small changes of that correction.
fn linearised<'a>(
    scene: &'a FeetScene,
    data: &mut Data,
    asked: &Asked,
    delta: &[f64],
) -> (Vec<f64>, System<'a>) {
    let (mut pose, mut give) = (asked.free.to_vec(), Vec::new());
    scene.creature.integrate(&mut pose, delta, 1.0);
    limit(scene.creature, scene.settings.limits.soft, &mut pose, &mut give);
    let mut system = System::new(scene, data, &pose, asked);
    chain_rule(scene, &give, delta, system.rows_and_movers());
    system.turn(asked.held, delta);
    (pose, system)
}

/// Goes a step, or as much of it as the linear picture holds for; by what part of it.
fn advance(settings: &PinSettings, delta: &mut [f64], step: &[f64]) -> f64 {
    let part = (settings.longest_step / largest(step)).min(1.0);
    for (d, s) in delta.iter_mut().zip(step) {
        *d += part * s;
    }
    part
}

fn largest(step: &[f64]) -> f64 {
    step.iter().map(|x| x.abs()).fold(0.0, f64::max)
}

/// What to lend to the feet after a round that brought their error from `before` to `now`.
fn lend(settings: &PinSettings, lent: f64, before: f64, now: f64) -> f64 {
    if before.is_infinite() {
        lent
    } else if now > settings.slow * before {
        (settings.lend * lent).min(settings.most_lent)
    } else if now < settings.fast * before {
        (lent / settings.lend).max(settings.least_lent)
    } else {
        lent
    }
}

/// The last relaxing step: what was wished for, and how much of it was done.
struct Relaxed {
    step: Vec<f64>,
    share: f64,
}

impl Relaxed {
    /// How much of the next one to do: the secant step of Barzilai and Borwein (1988), a = ⟨s, −y⟩ / ⟨y, y⟩ in the
    /// elastic metric, s what was done and y by how much the wish changed. It stands for the curvature of feet and limits
    /// that J leaves out: where the pull on a foot is strong, steps of 1 swing about the goal.
    fn next_share(&self, scene: &FeetScene, wish: &[f64]) -> f64 {
        let (mut sy, mut yy) = (0.0, 0.0);
        for ((before, now), c) in self.step.iter().zip(wish).zip(&scene.compliance) {
            let y = now - before;
            sy -= self.share * before * y / c;
            yy += y * y / c;
        }
        let [least, most] = scene.settings.pin.relax;
        if sy > 0.0 { (sy / yy).clamp(least, most) } else { 1.0 }
    }
}
