//! Bodies without legs: lying, rolling, slithering, swimming.
//!
//! The modal motion says how the body bends; what it lies in says where the body goes. On the ground it rests in
//! static balance (module `rest`) and moves along such that the friction of all that touches the ground adds up to
//! nothing (module `slide`); in water it moves such that the drag on all segments does (module `swim`). Neither has
//! inertia: what is slow, or small and wet, moves like this (Gray and Hancock 1955; Hu et al. 2009, without inertia).

mod balance;
mod chain;
mod design;
mod fly;
mod launch;
mod path;
mod rest;
mod row;
mod scene;
mod segment;
mod slide;
mod stroke;
mod swim;
#[cfg(test)]
mod tests;
mod thrust;
mod way;

use gambol_anatomy::Heading;
use gambol_dynamics::Data;
use gambol_model::Creature;
use gambol_motion::Stride;

use crate::{GaitError, GaitSettings, Support};
use path::Path;
use scene::BellyScene;

pub(crate) use design::{
    cruising_beat, design_legless, legless_frequency, legless_support, swim_advance, with_preferred,
};
pub(crate) use launch::launch;
pub(crate) use row::{misfit as rowing_misfit, rows};
pub(crate) use stroke::{WINGED, design_winged, is_winged, steered};
pub(crate) use way::Way;

/// A motion that its surroundings carry along.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// As many as were given, for each of `periods` in turn.
    pub(crate) poses: Vec<Vec<f64>>,
    /// After so many periods the first pose comes back, moved by `stride`: more than 1 for a body that rolls over.
    pub(crate) periods: usize,
    /// From the first pose to the one after the last.
    pub(crate) stride: Stride,
    /// What was measured on it.
    pub(crate) figures: Figures,
}

/// Measured on a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    /// Mean speed of the centre of mass from start to end, along the creature's heading, m/s; negative if it backs.
    pub(crate) speed: f64,
    /// Depth of the lowest point below the ground, the largest, m.
    pub(crate) penetration: f64,
    /// Height of the lowest point above the ground, the largest, m.
    pub(crate) hover: f64,
    /// Way of what touches the ground (or drags in water) per period, m, weighted by load.
    pub(crate) slip: f64,
    /// Part of that way which is across the segments, 0 to 1.
    pub(crate) sideways: f64,
    /// Mean speed of that as a multiple of the mean speed of travel; infinite for one that stays in place.
    pub(crate) mean_slip: f64,
    /// Its highest speed at any time as such a multiple.
    pub(crate) worst_slip: f64,
    /// Of wings: the mean force that is missing to carry and push it, in weights.
    pub(crate) missing: f64,
}

/// Moves the root of `poses`, one period in equal steps (the first pose not repeated, [`crate::WaveSettings::samples`] of
/// them), as `support` implies along `way`: on the heading, or straight back if that is nearer, where the way is straight. Of the
/// roots given, only the mean orientation of the body matters: it is upright.
pub(crate) fn carry_along(
    creature: &Creature,
    data: &mut Data,
    heading: &Heading,
    poses: &[Vec<f64>],
    period: f64,
    (support, way): (Support, Way),
    settings: &GaitSettings,
) -> Result<Carried, GaitError> {
    let scene = BellyScene::new(creature, data, heading, poses, period, settings)?;
    let path = match support {
        Support::Belly { across } => slide::path(&scene, checked(across)?)?,
        Support::Water { across, advance } => swim::path(&scene, checked(across)?, checked_way(advance)?)?,
        Support::Wings { speed, pitch, density } => {
            checked_flow([speed, pitch, density])?;
            let demand = way.demand(speed, creature.gravity().norm(), settings);
            fly::path(&scene, &fly::Flow { speed, climb: 0.0, pitch, density }, demand)?
        }
        Support::Air | Support::Feet | Support::Crouch | Support::Launch { .. } => {
            return Err(GaitError::Body("only the ground or water carries a body without legs".into()));
        }
    };
    let path = path.aligned(&scene, heading);
    let speed = path.travel().dot(&heading.forward) / path.duration(&scene);
    let mean = path.travel().norm() / path.duration(&scene);
    let bent = match support {
        Support::Water { .. } => way.bent(creature, data, heading, poses, (speed, settings)),
        _ => None,
    };
    let led = way.lead(path, &scene, heading);
    let placed = match &bent {
        Some(bent) => place(&BellyScene::new(creature, data, heading, bent, period, settings)?, bent, &led),
        None => place(&scene, poses, &led),
    };
    let slip = led.slip;
    Ok(Carried {
        poses: placed,
        periods: led.world_from_float.len() / poses.len(),
        stride: led.stride,
        figures: Figures {
            speed,
            penetration: slip.penetration,
            hover: slip.hover,
            slip: slip.way,
            sideways: slip.sideways,
            mean_slip: slip.way / period / mean,
            worst_slip: slip.fastest / mean,
            missing: slip.missing,
        },
    })
}

/// The same straight on.
pub(crate) fn carry(
    creature: &Creature,
    data: &mut Data,
    heading: &Heading,
    poses: &[Vec<f64>],
    period: f64,
    support: Support,
    settings: &GaitSettings,
) -> Result<Carried, GaitError> {
    carry_along(creature, data, heading, poses, period, (support, Way::STRAIGHT), settings)
}

fn checked(across: f64) -> Result<f64, GaitError> {
    if across.is_finite() && across > 0.0 {
        return Ok(across);
    }
    let reason = format!("friction across the body, {across} times that along it, is no number above 0");
    Err(GaitError::Number { place: "support.across".into(), reason })
}

fn checked_way(advance: Option<f64>) -> Result<Option<f64>, GaitError> {
    match advance.filter(|way| !way.is_finite()) {
        None => Ok(advance),
        Some(way) => {
            let reason = format!("a way of {way} m per cycle is no number");
            Err(GaitError::Number { place: "support.advance".into(), reason })
        }
    }
}

fn checked_flow(numbers: [f64; 3]) -> Result<(), GaitError> {
    let [speed, _, density] = numbers;
    if numbers.iter().all(|x| x.is_finite()) && speed >= 0.0 && density > 0.0 {
        return Ok(());
    }
    let reason = format!("wings at {speed} m/s in a medium of {density} kg/m³ make no sense");
    Err(GaitError::Number { place: "support.wings".into(), reason })
}

/// The poses along a path.
fn place(scene: &BellyScene, poses: &[Vec<f64>], path: &Path) -> Vec<Vec<f64>> {
    let placed = |(k, world_from_float): (usize, &_)| {
        let mut pose = poses[k % poses.len()].clone();
        scene.place(&mut pose, k % poses.len(), world_from_float);
        pose
    };
    path.world_from_float.iter().enumerate().map(placed).collect()
}
