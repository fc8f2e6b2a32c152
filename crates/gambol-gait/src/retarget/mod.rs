//! A motion of one creature as a motion of another, by what their bodies are for.
//!
//! ```text
//! Figure            limbs cut at knees and elbows, and how far along its limb each body is     (figure)
//! partners          which limb of the one moves as which of the other                          (partners)
//! Source            turns of bodies from rest, ways of root and feet, key by key               (source)
//! Wishes            where all bodies of the other would be by these turns                      (wish, feet)
//! fit_pose          the pose nearest to that within its limits, feet where they are to stand
//! hold_feet         standing feet, exactly
//! ```
//!
//! Every body turns from its rest as the body at the same share of the other creature's limb does from its own, both seen in the frame of
//! their heading; arms also point where the other's do, since some are drawn with arms stretched out and some at ease. Ways
//! are longer by the ratio of the legs. A foot stands where the mean of its way in that stance is.

mod feet;
mod figure;
mod partners;
mod source;
mod wish;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Hint, Hinted, JointKind, math};
use gambol_motion::{Clip, ClipError, HeldFoot, Stride, Travel, hold_feet};
use serde::Serialize;

use crate::RetargetSettings;
use figure::Figure;
use partners::{Partner, partners};
use source::Source;
use wish::Wishes;

/// A motion, as another creature has it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retargeted {
    /// Of the other creature.
    pub clip: Clip,
    /// How many times as long ways are.
    pub scale: f64,
    /// Limbs that move alike.
    pub pairs: Vec<LimbPair>,
    /// Limbs of the other creature that nothing moves: they go along with what they hang on.
    pub alone: Vec<String>,
    /// Limbs of the first creature whose motion is lost.
    pub lost: Vec<String>,
    /// Largest distance of a standing foot from its place, m: what its leg cannot reach.
    pub miss: f64,
}

/// A limb and the one that it moves as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimbPair {
    /// Of the creature whose motion it is.
    pub from: String,
    /// Of the other.
    pub to: String,
}

/// Why a motion cannot be another's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// Not a clip of its creature.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A number of the settings.
    #[error(transparent)]
    Setting(#[from] gambol_model::SettingError),
    /// The other cannot go anywhere.
    #[error("{0} is held by the world and cannot go the way of a motion")]
    Held(String),
}

impl Hinted for RetargetError {
    fn hint(&self) -> Option<Hint> {
        matches!(self, Self::Held(_)).then_some(Hint::FreeRoot)
    }
}

/// `clip`, a motion of `from`, as a motion of `to`. A clip that does not say when its feet stand leaves none of them on the ground:
/// see [`crate::find_stances`]. `progress` is told how many keys of how many are done.
pub fn retarget(
    (from, clip): (&Creature, &Clip),
    to: &Creature,
    settings: &RetargetSettings,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Retargeted, RetargetError> {
    settings.check()?;
    clip.check(from)?;
    if !to.joints().iter().any(|joint| joint.kind == JointKind::Free) {
        return Err(RetargetError::Held(to.name().to_owned()));
    }
    let (mut data_from, mut data) = (Data::new(from), Data::new(to));
    let (first, other) = (Figure::new(from, &mut data_from), Figure::new(to, &mut data));
    let matched = partners(&first, &other);
    let scale = other.length / first.length;

    // A loop is done three times over, and the middle is kept: so its ends know nothing of ends.
    let whole = if clip.stride.is_some() { unrolled(from, clip) } else { clip.clone() };
    let source = Source::new(&first, &mut data_from, &whole);
    let wishes = Wishes::new(&first, &other, &matched, (&source, &whole), scale, settings);
    let all = whole.times.len();
    let mut poses: Vec<Vec<f64>> = Vec::with_capacity(all);
    let mut start = to.rest_pose().to_vec();
    for key in 0..all {
        let mut wish = wishes.at(key);
        if key == 0 {
            wish.put_root(&mut start);
        }
        let mut posed = wishes.fit(&mut data, &wish, &start);
        let frames = forward_kinematics(to, &mut data, &posed);
        if wishes.lift(key, frames, &mut wish.goals) {
            posed = wishes.fit(&mut data, &wish, &posed);
        }
        start.clone_from(&posed);
        poses.push(posed);
        progress(key + 1, all);
    }
    within_limits(to, &mut poses);
    let feet = wishes.held(&whole);
    hold_feet(to, &whole.times, &mut poses, &feet);
    within_limits(to, &mut poses);
    let miss = miss(to, &mut data, &whole.times, &poses, &feet);

    let stride = clip.stride.map(|stride| wishes.stride(&stride));
    if let Some(stride) = &stride {
        poses = middle(to, poses, clip.times.len(), stride);
    }
    let slower = math::powf(scale, settings.tempo);
    let mut made = Clip {
        name: clip.name.clone(),
        times: clip.times.iter().map(|time| time * slower).collect(),
        poses,
        stride,
        contacts: wishes.contacts(clip, slower),
        travel: clip.travel.map(|travel| Travel {
            speed: travel.speed * scale / slower,
            stride_length: travel.stride_length * scale,
            stride_frequency: travel.stride_frequency / slower,
        }),
    };
    made.align_signs(to);
    let (pairs, alone, lost) = in_words(&first, &other, &matched);
    Ok(Retargeted { clip: made, scale, pairs, alone, lost, miss })
}

/// Three cycles of a loop, one after the other.
fn unrolled(creature: &Creature, clip: &Clip) -> Clip {
    const CYCLES: usize = 3;
    let (Some(stride), Some(&first)) = (clip.stride, clip.times.first()) else { return clip.clone() };
    let (keys, length) = (clip.times.len() - 1, clip.duration() - first);
    let mut long = Clip { times: Vec::new(), poses: Vec::new(), stride: None, travel: None, ..clip.clone() };
    for cycle in 0..CYCLES {
        let last = if cycle + 1 == CYCLES { keys + 1 } else { keys };
        for key in 0..last {
            let mut pose = clip.poses[key].clone();
            (0..cycle).for_each(|_| stride.apply(creature, &mut pose));
            long.poses.push(pose);
            long.times.push(clip.times[key] + cycle as f64 * length);
        }
    }
    for contact in &mut long.contacts {
        let later = |cycle: usize| {
            let by = cycle as f64 * length;
            contact.intervals.iter().map(move |[start, end]| [start + by, end + by])
        };
        let mut all: Vec<[f64; 2]> = (0..CYCLES).flat_map(later).collect();
        all.sort_by(|a, b| a[0].total_cmp(&b[0]));
        contact.intervals = joined(&all);
    }
    long
}

/// Intervals, those that touch as one: a stance over the seam of a loop is told as two.
fn joined(intervals: &[[f64; 2]]) -> Vec<[f64; 2]> {
    const TOUCH: f64 = 1e-6; // s
    let mut whole: Vec<[f64; 2]> = Vec::new();
    for &[start, end] in intervals {
        match whole.last_mut() {
            Some(last) if start <= last[1] + TOUCH => last[1] = last[1].max(end),
            _ => whole.push([start, end]),
        }
    }
    whole
}

/// The middle of three cycles of `keys` keys each, back at the place of the first, and closed.
fn middle(creature: &Creature, poses: Vec<Vec<f64>>, keys: usize, stride: &Stride) -> Vec<Vec<f64>> {
    let back = stride.inverse();
    let mut cycle: Vec<Vec<f64>> = poses.into_iter().skip(keys - 1).take(keys).collect();
    for pose in &mut cycle {
        back.apply(creature, pose);
    }
    let mut last = cycle[0].clone();
    stride.apply(creature, &mut last);
    cycle[keys - 1] = last;
    cycle
}

/// Hinges and slides that are still past their limits stop there, whatever a foot then misses.
fn within_limits(creature: &Creature, poses: &mut [Vec<f64>]) {
    let stops =
        creature.joints().iter().filter(|joint| matches!(joint.kind, JointKind::Hinge | JointKind::Slide));
    for (joint, [low, high]) in stops.filter_map(|joint| Some((joint, joint.limit?))) {
        for pose in &mut *poses {
            pose[joint.q] = pose[joint.q].clamp(low, high);
        }
    }
}

/// How far standing feet are from their places at the worst key, m.
fn miss(creature: &Creature, data: &mut Data, times: &[f64], poses: &[Vec<f64>], feet: &[HeldFoot]) -> f64 {
    let mut worst: f64 = 0.0;
    for (&time, pose) in times.iter().zip(poses) {
        let frames = forward_kinematics(creature, data, pose);
        for foot in feet {
            let stances = foot.contact.intervals.iter().zip(&foot.places);
            let standing = stances.filter(|([start, end], _)| (*start..=*end).contains(&time));
            for place in standing.filter_map(|(_, place)| *place) {
                let there = frames[foot.contact.body].point_in_world(foot.contact.point);
                worst = worst.max((place - there).norm());
            }
        }
    }
    worst
}

/// What moves what, by the names of limbs.
fn in_words(
    first: &Figure,
    other: &Figure,
    matched: &[Partner],
) -> (Vec<LimbPair>, Vec<String>, Vec<String>) {
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    let mut used = vec![false; first.limbs.all.len()];
    for (limb, partner) in other.limbs.all.iter().zip(matched) {
        match partner {
            Partner::Alone => alone.push(limb.name.clone()),
            Partner::Of { limb: of, .. } => {
                used[*of] = true;
                pairs.push(LimbPair { from: first.limbs.all[*of].name.clone(), to: limb.name.clone() });
            }
        }
    }
    let lost = first.limbs.all.iter().zip(used).filter(|(limb, used)| !used && !limb.joints.is_empty());
    (pairs, alone, lost.map(|(limb, _)| limb.name.clone()).collect())
}
