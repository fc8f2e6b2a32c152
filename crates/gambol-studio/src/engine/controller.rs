//! Controllers: the stride that a search found, as a cycle to play.

use std::sync::Arc;

use gambol::anatomy::Foot;
use gambol::control::locomotion::{
    Judge, Stride, StrideSearch, cycle_clip, is_controller, read_controller, world,
};
use gambol::control::search::SearchSettings;
use gambol::control::sketch::{FileError, Sketch, Stage, read};
use gambol::dynamics::World;
use gambol::gait::Style;
use gambol::model::Creature;
use gambol::motion::{Clip, Contact, Stride as Way};

use super::creature::{Read, clip_part};
use super::sketch::{sketch_of, work_of};
use super::{Answer, Trouble};
use crate::protocol::{
    CreatureWork, FoundStatus, FoundWork, GaitFileAnswer, GaitWork, PreviewAnswer, SketchWork,
};

/// A stride on its stage.
pub(super) struct Controller {
    pub(super) stage: Stage,
    pub(super) stride: Stride,
    /// Of the simulation that it was found with, s.
    pub(super) step: f64,
}

impl Controller {
    /// What was found of a sketch.
    pub(super) fn new(read: &Read, work: &SketchWork) -> Result<Self, Trouble> {
        let text = work.found.as_ref().and_then(|found| found.controller.as_deref());
        let text = text
            .ok_or_else(|| Trouble("nothing was found of this sketch yet; optimise it first".to_owned()))?;
        let (_, stage, stride, step) = read_controller(text, |_| Ok(read.creature.clone()))
            .map_err(|FileError { reason, .. }| Trouble(reason))?;
        Ok(Self { stage, stride, step })
    }

    /// One cycle.
    pub(super) fn cycle(&self) -> Result<Clip, Trouble> {
        let world = world(&self.stage, self.step).map_err(Trouble::from_error)?;
        Ok(shown(&self.stage, &world, &self.stride))
    }
}

/// The cycle, to play.
pub(super) fn played(controller: &Controller) -> Result<Answer, Trouble> {
    let mut bytes = Vec::new();
    Answer::new(PreviewAnswer { clip: clip_part(&controller.cycle()?, &mut bytes) }, bytes)
}

/// The text of a sketch or of what was found of it.
pub(super) fn file(read: &Read, work: &SketchWork, controller: bool) -> Result<String, Trouble> {
    if !controller {
        return Ok(gambol::control::sketch::to_toml(&sketch_of(read, work)));
    }
    let found = work.found.as_ref().and_then(|found| found.controller.clone());
    found.ok_or_else(|| Trouble("nothing was found of this sketch yet; optimise it first".to_owned()))
}

/// Reads a sketch or a controller; `find` gives the creature that it names.
pub(super) fn read_file(
    text: &str,
    find: impl FnOnce(&str) -> Result<(CreatureWork, Arc<Read>), Trouble>,
) -> Result<Answer, Trouble> {
    let mut whose = None;
    let find = |name: &str| -> Result<Creature, String> {
        let (work, read) = find(name).map_err(|Trouble(reason)| reason)?;
        whose = Some(work);
        Ok(read.creature.clone())
    };
    let told = |FileError { line, reason }: FileError| {
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        Trouble(format!("This sketch does not work: {line}{reason}"))
    };
    let work = if is_controller(text) {
        let (sketch, stage, stride, step) = read_controller(text, find).map_err(told)?;
        let stage = Arc::new(stage);
        let found = Some(judged(text, &sketch, &stage, &stride, step)?);
        SketchWork { found, ..work_of(&sketch, &stage) }
    } else {
        let (sketch, stage) = read(text, find).map_err(told)?;
        work_of(&sketch, &stage)
    };
    let answer = GaitFileAnswer {
        creature: whose,
        style: Style::default(),
        gait: GaitWork::default(),
        sketch: Some(work),
    };
    Answer::new(answer, Vec::new())
}

/// What a stride is worth: a file may have been edited since it was found.
fn judged(
    text: &str,
    sketch: &Sketch,
    stage: &Arc<Stage>,
    stride: &Stride,
    step: f64,
) -> Result<FoundWork, Trouble> {
    let settings = SearchSettings::default();
    let search = StrideSearch::of_sketch(sketch, stage, step, settings).map_err(Trouble::from_error)?;
    let score = Judge::new(stage, search.problem().world()).cycle(stride, false).score;
    let gap = search.largest_gap(&score);
    let status = if score.is_easy() && gap < 1.0 { FoundStatus::Converged } else { FoundStatus::Opened };
    Ok(FoundWork {
        seed: 0,
        controller: Some(text.to_owned()),
        status,
        short: None,
        evaluations: 0,
        speed: score.speed,
        gap: gap.is_finite().then_some(gap),
    })
}

/// Poses per second of a cycle that is shown.
const FPS: f64 = 120.0;

/// A cycle that ends farther from where it began, rad or m, is not shown as a loop: one would see how it is bent to close.
const MOST_GAP: f64 = 0.1;

/// One cycle to be shown: a loop, if it is nearly one. Of what touches the ground feet are told, as in gaits.
pub(super) fn shown(stage: &Stage, world: &World, stride: &Stride) -> Clip {
    let mut clip = cycle_clip(stage, world, stride, FPS, MOST_GAP);
    let feet = stage.stance.iter().chain(&stage.others);
    clip.contacts = feet.map(|foot| standing(foot, &clip.contacts)).collect();
    clip
}

/// When any part of a foot touches the ground.
fn standing(foot: &Foot, contacts: &[Contact]) -> Contact {
    let parts = contacts.iter().filter(|contact| foot.bodies.contains(&contact.body));
    let mut all: Vec<[f64; 2]> = parts.flat_map(|contact| contact.intervals.iter().copied()).collect();
    all.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut intervals: Vec<[f64; 2]> = Vec::new();
    for [start, end] in all {
        match intervals.last_mut() {
            Some(last) if last[1] >= start => last[1] = last[1].max(end),
            _ => intervals.push([start, end]),
        }
    }
    Contact { name: foot.name.clone(), body: foot.toe.body, point: foot.toe.point, intervals }
}

/// The same cycle so many times.
pub(super) fn repeated(clip: &Clip, creature: &Creature, cycles: usize) -> Clip {
    let Some(stride) = clip.stride else { return clip.clone() };
    let mut long = clip.clone();
    let period = clip.duration();
    let far = |cycle: usize| Way { yaw: 0.0, shift: cycle as f64 * stride.shift };
    for cycle in 1..cycles {
        for (time, pose) in clip.times.iter().zip(&clip.poses).skip(1) {
            let mut pose = pose.clone();
            far(cycle).apply(creature, &mut pose);
            long.times.push(cycle as f64 * period + time);
            long.poses.push(pose);
        }
        for (long, short) in long.contacts.iter_mut().zip(&clip.contacts) {
            let later = |ends: &[f64; 2]| ends.map(|end| cycle as f64 * period + end);
            long.intervals.extend(short.intervals.iter().map(later));
        }
    }
    long.stride = Some(far(cycles.max(1)));
    long.align_signs(creature);
    long
}
