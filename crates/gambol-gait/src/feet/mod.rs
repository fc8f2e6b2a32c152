//! Feet on the ground: what Kry et al. 2009 left for later (section 4.2, last paragraph).
//!
//! `scene` is what all of these know about creature and gait.
//!
//! 1. `stance` (one floor up): when each foot stands, from the modal motion.
//! 2. `bounce`: how the centre of mass rises and falls under the pushes of these stances.
//! 3. `root`: the root trajectory, plants and speed of least elastic energy.
//! 4. `way` and `target`: where each foot shall be, in stance and in swing.
//! 5. `pin`: the pose nearest to the modal one that has all feet there.
//! 6. `push` and `obey`: forces of the feet, and the motion that they make; `series` knows what recurs.
//! 7. `round`: corrections without jumps over time, where nothing obeys.
//!
//! Everything happens in the creature's ground frame, which travels along the path and turns with it; poses are taken to
//! the world at the end. On a `slope` that frame lies on it.

mod bounce;
mod journey;
mod obey;
mod pin;
mod push;
mod road;
mod root;
mod round;
mod scene;
mod series;
mod slope;
mod sole;
mod target;
mod way;

use gambol_dynamics::Data;
use gambol_model::Constraint;

use crate::modal::ModalMotion;
use crate::path::Path;
use crate::stance::Stance;
use crate::{Body, Gait, GaitError, GaitSettings, Terrain};

pub(crate) use bounce::Bounce;
pub(crate) use journey::{Breath, Journey, Part, Seams, journey};
use obey::{Course, Moment, Obeyed};
use pin::{Pinned, Precision};
pub(crate) use road::Moving;
use road::Road;
use round::round_off;
use scene::{FeetScene, rises};
pub(crate) use slope::Slope;

/// Poses over the cycle (or over the whole way on uneven ground), with feet on the ground.
pub(crate) struct Grounded {
    /// One per sample, in the world.
    pub(crate) poses: Vec<Vec<f64>>,
    /// Modal poses with their limits, for comparison; the joints count, the root does not.
    pub(crate) modal: Vec<Vec<f64>>,
    pub(crate) stances: Vec<Stance>,
    pub(crate) path: Path,
    /// Largest distance of a foot from its target, m, with the time (cycles) and the leg.
    pub(crate) miss: f64,
}

/// Plays `gait` on its feet. `cycles` are the times of the samples, in cycles, rising. A `draft` is not smoothed over time.
pub(crate) fn ground(
    body: &Body,
    data: &mut Data,
    gait: &Gait,
    motion: &ModalMotion,
    constraints: Vec<Constraint>,
    cycles: &[f64],
    draft: bool,
) -> Result<Grounded, GaitError> {
    let mut scene = FeetScene::new(body, data, gait, motion, constraints)?;
    let GaitSettings { feet: settings, pin, .. } = &body.settings;
    let stances = scene.stances(data, gait, &body.style.injured);
    let g = body.creature.gravity().norm();
    if !rises(body, gait, scene.root_v) {
        let push = g * scene.up.z;
        scene.bounce = scene.bounded(Bounce::new(&stances, gait.frequency, push, settings.push_humps));
    }
    let fit = root::fit(&scene, data, &stances, gait.ground.speed, gait.ground.turn)?;
    let road = Road::Steady { path: fit.path, frequency: gait.frequency };
    let ways = scene.ways(data, &stances, &fit, &road, gait.ground.clearance, cycles);
    let free = |scene: &FeetScene, cycle: f64| scene.free_pose(cycle, &fit.track, &ways, &road);
    let course = Course {
        scene: &scene,
        free: &free,
        ways: &ways,
        road: &road,
        strides: 1,
        leaps: &|_| false,
        carrier: None,
        precision: if draft { Precision::of_drafts(pin) } else { Precision::of_rounds(pin) },
    };
    let obeys = *scene.terrain == Terrain::Flat && scene.slope.holds(body.settings.obey.friction);
    let obeyed = if obeys && !draft { course.obey(data) } else { None };
    let course = if draft { course } else { Course { precision: Precision::of_keys(pin), ..course } };
    let mut frames = match &obeyed {
        Some(obeyed) => obeyed.course(&course).obeying(data, obeyed, cycles),
        None => course.nearest(data, cycles, draft),
    };
    for (&cycle, pinned) in cycles.iter().zip(&mut frames) {
        road.between(0.0, cycle).apply(&body.creature, &mut pinned.pose);
        scene.unbury(data, &mut pinned.pose);
        scene.slope.raise(&body.creature, &mut pinned.pose);
    }
    let miss = frames.iter().map(|frame| frame.error).fold(0.0, f64::max);
    let poses = frames.into_iter().map(|frame| frame.pose).collect();
    let modal = cycles.iter().map(|&cycle| motion.pose(cycle)).collect();
    Ok(Grounded { poses, modal, stances, path: fit.path, miss })
}

impl Course<'_> {
    /// Frames of a motion that obeys, in the creature's ground frame.
    fn obeying(&self, data: &mut Data, obeyed: &Obeyed, cycles: &[f64]) -> Vec<Pinned> {
        let frame = |&cycle: &f64| {
            let (held, mut delta) = obeyed.at(self, cycle);
            let moment = self.moment(data, cycle);
            self.solved(data, &moment, Some(&held), &mut delta, obeyed.solver)
        };
        cycles.iter().map(frame).collect()
    }

    /// Frames nearest to the vibrations, whatever forces they take: for drafts, and on ground that is uneven or too steep.
    fn nearest(&self, data: &mut Data, cycles: &[f64], draft: bool) -> Vec<Pinned> {
        let (scene, settings) = (self.scene, &self.scene.settings.feet);
        // Every frame is found from that before.
        let mut delta = vec![0.0; scene.creature.nv()];
        let (mut deltas, mut frames): (Vec<Vec<f64>>, Vec<Pinned>) = (Vec::new(), Vec::new());
        let moments: Vec<Moment> = cycles.iter().map(|&cycle| self.moment(data, cycle)).collect();
        for moment in &moments {
            frames.push(self.solved(data, moment, None, &mut delta, pin::pin));
            deltas.push(delta.clone());
        }
        if draft {
            return frames;
        }
        let repeats = *scene.terrain == Terrain::Flat;
        if repeats {
            // The first frame had none before it. In a loop it has: where that leads elsewhere, as far as it does.
            for (k, moment) in moments.iter().enumerate() {
                frames[k] = self.solved(data, moment, None, &mut delta, pin::pin);
                let same = deltas[k].iter().zip(&delta).all(|(a, b)| (a - b).abs() < settings.same);
                deltas[k].copy_from_slice(&delta);
                if same {
                    break;
                }
            }
        }
        // The nearest pose may jump from one side to another, as a foot that tips does; over a moment it is rounded, where
        // the feet can still be where they shall be.
        let mut rounded = round_off(&deltas, cycles, repeats, settings.rounding);
        for ((moment, delta), pinned) in moments.iter().zip(&mut rounded).zip(&mut frames) {
            let reached = self.solved(data, moment, None, delta, pin::reach);
            if reached.error <= pinned.error.max(settings.exact * scene.legs.length) {
                *pinned = reached;
            }
        }
        frames
    }
}
