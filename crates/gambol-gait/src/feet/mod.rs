//! Feet on the ground: what Kry et al. 2009 left for later (section 4.2, last paragraph).
//!
//! `scene` is what all of these know about creature and gait.
//!
//! 1. `stance` (one floor up): when each foot stands, from the modal motion.
//! 2. `bounce`: how the centre of mass rises and falls under the pushes of these stances.
//! 3. `root`: the root trajectory, plants and speed of least elastic energy.
//! 4. `way` and `target`: where each foot shall be, in stance and in swing.
//! 5. `pin`: the pose nearest to the modal one, in the elastic metric, that has all feet there.
//! 6. `round`: corrections without jumps over time.
//!
//! Everything happens in the creature's ground frame, which travels along the path and turns with it; poses are taken to
//! the world at the end.

mod bounce;
mod pin;
mod root;
mod round;
mod scene;
mod sole;
mod target;
mod way;

use gambol_dynamics::Data;
use gambol_model::{Constraint, Vec3};

use crate::modal::ModalMotion;
use crate::path::{Path, moved};
use crate::stance::Stance;
use crate::{Body, Gait, GaitError, Terrain};

use bounce::Bounce;
use pin::{Goal, Pinned, pin, reach};
use round::round_off;
use scene::{FeetScene, rises};

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
    let settings = &body.settings.feet;
    scene.settled = if draft { settings.settled_draft } else { settings.settled };
    let stances = scene.stances(data, gait, &body.style.injured);
    let g = body.creature.gravity().norm();
    if !rises(body, gait, scene.root_v) {
        scene.bounce = scene.bounded(Bounce::new(&stances, gait.frequency, g, settings.push_humps));
    }
    let root::Fit { track, plants, path } =
        root::fit(&scene, data, &stances, gait.ground.speed, gait.ground.turn)?;
    let ways = scene.ways(data, &stances, &plants, &track, &path, gait.ground.clearance, cycles);
    let frame = |data: &mut Data, cycle: f64, delta: &mut [f64], solve: Solver| {
        let free = scene.free_pose(cycle, &track, &ways, &path);
        let goals = scene.goals(data, cycle, &free, &ways, &path);
        let stride = path.after(cycle / gait.frequency);
        let floor = |x: f64, y: f64| {
            let place = moved(&stride, Vec3::new(x, y, 0.0));
            scene.terrain.height(place.x, place.y)
        };
        let mut pinned = solve(&scene, data, &free, &goals, &floor, delta);
        stride.apply(&body.creature, &mut pinned.pose);
        pinned
    };
    // The nearest pose of every frame, found from that of the frame before.
    let mut delta = vec![0.0; body.creature.nv()];
    let (mut deltas, mut frames): (Vec<Vec<f64>>, Vec<Pinned>) = (Vec::new(), Vec::new());
    for &cycle in cycles {
        frames.push(frame(data, cycle, &mut delta, pin));
        deltas.push(delta.clone());
    }
    let repeats = *scene.terrain == Terrain::Flat;
    if repeats && !draft {
        // The first frame had none before it. In a loop it has: where that leads elsewhere, as far as it does.
        for (k, &cycle) in cycles.iter().enumerate() {
            frames[k] = frame(data, cycle, &mut delta, pin);
            let same = deltas[k].iter().zip(&delta).all(|(a, b)| (a - b).abs() < settings.same);
            deltas[k].copy_from_slice(&delta);
            if same {
                break;
            }
        }
    }
    // The nearest pose may jump from one side to another, as a foot that tips does; over a moment it is rounded, where
    // the feet can still be where they shall be.
    let mut rounded = if draft { Vec::new() } else { round_off(&deltas, cycles, repeats, settings.rounding) };
    for ((&cycle, delta), pinned) in cycles.iter().zip(&mut rounded).zip(&mut frames) {
        let reached = frame(data, cycle, delta, reach);
        if reached.error <= pinned.error.max(settings.exact * scene.legs.length) {
            *pinned = reached;
        }
    }
    for pinned in &mut frames {
        scene.unbury(data, &mut pinned.pose);
    }
    let miss = frames.iter().map(|frame| frame.error).fold(0.0, f64::max);
    let poses = frames.into_iter().map(|frame| frame.pose).collect();
    let modal = cycles.iter().map(|&cycle| motion.pose(cycle)).collect();
    Ok(Grounded { poses, modal, stances, path, miss })
}

/// `pin` or `reach`.
type Solver = fn(&FeetScene, &mut Data, &[f64], &[Goal], &dyn Fn(f64, f64) -> f64, &mut [f64]) -> Pinned;
