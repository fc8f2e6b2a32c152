//! Controllers: the stride that a search found, as a cycle to play.

use std::sync::Arc;

use gambol::control::locomotion::{
    Cycle, Judge, Limits, Search, SearchSettings, Stride, is_controller, read_controller, world,
};
use gambol::control::sketch::{FileError, Sketch, Stage, read};
use gambol::guess_contacts;
use gambol::model::Creature;
use gambol::motion::{Clip, Stride as Way};

use super::creature::{Read, clip_part};
use super::search::settings;
use super::sketch::{sketch_of, work_of};
use super::{Answer, Trouble};
use crate::protocol::{
    CreatureWork, FoundWork, GaitFileAnswer, GaitWork, PreviewAnswer, SketchWork, StyleWork,
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

    /// One cycle that loops.
    pub(super) fn cycle(&self) -> Result<Clip, Trouble> {
        let world = world(&self.stage, self.step).map_err(Trouble::from_error)?;
        let cycle = Judge::new(&self.stage, &world, Limits::default()).cycle(&self.stride, true);
        Ok(clip_of(&self.stage, &self.stride, self.step, &cycle, true))
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

/// Whether a text is a sketch or a controller, and not a gait: gaits have no period.
pub(super) fn is_sketch(text: &str) -> bool {
    text.lines().any(|line| {
        line.trim_start().strip_prefix("period").is_some_and(|rest| rest.trim_start().starts_with('='))
    })
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
        let found = Some(judged(text, &sketch, &stage, &stride, step)?);
        SketchWork { found, ..work_of(&sketch, &stage) }
    } else {
        let (sketch, stage) = read(text, find).map_err(told)?;
        work_of(&sketch, &stage)
    };
    let answer = GaitFileAnswer {
        creature: whose,
        style: StyleWork::default(),
        gait: GaitWork::default(),
        sketch: Some(work),
    };
    Answer::new(answer, Vec::new())
}

/// What a stride is worth: a file may have been edited since it was found.
fn judged(
    text: &str,
    sketch: &Sketch,
    stage: &Stage,
    stride: &Stride,
    step: f64,
) -> Result<FoundWork, Trouble> {
    let settings = SearchSettings { step, ..settings(sketch, 0) };
    let search = Search::new(sketch, stage, settings).map_err(Trouble::from_error)?;
    let score = Judge::new(stage, search.world(), search.settings().limits).cycle(stride, false).score;
    let gap = search.largest_gap(&score);
    let status = if score.is_easy() && gap < 1.0 { "converged" } else { "opened" };
    Ok(FoundWork {
        seed: 0,
        controller: Some(text.to_owned()),
        status: status.to_owned(),
        short: None,
        evaluations: 0,
        speed: score.speed,
        gap: gap.is_finite().then_some(gap),
    })
}

/// Poses per second of a cycle that is shown.
const FPS: f64 = 120.0;

/// A cycle as a clip: of legs that alternate the second half is the mirror image of the first. One that is `closed` within the
/// tolerance is closed for good: what is left of the gap is spread over it, less than an eye sees. One that broke off is told
/// as far as it got.
pub(super) fn clip_of(stage: &Stage, stride: &Stride, step: f64, cycle: &Cycle, closed: bool) -> Clip {
    let creature = &stage.creature;
    let poses = &cycle.poses;
    let mut clip = Clip {
        name: "controller".to_owned(),
        times: Vec::new(),
        poses: Vec::new(),
        stride: None,
        contacts: Vec::new(),
        travel: None,
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small number above 0
    let every = (1.0 / (FPS * step)).round().max(1.0) as usize;
    let keys = (0..poses.len()).step_by(every);
    let (Some(first), Some(last)) = (poses.first(), poses.last()) else { return clip };
    if cycle.broke.is_some() {
        clip.times = keys.clone().map(|k| k as f64 * step).collect();
        clip.poses = keys.map(|k| poses[k].clone()).collect();
        clip.align_signs(creature);
        return clip;
    }
    let length = if stage.mirror.is_some() { 0.5 * stride.period } else { stride.period };
    let end = end_of(creature, poses, length, step).unwrap_or_else(|| last.clone());
    let mut next = image(stage, first);
    let way = [end[0] - next[0], end[1] - next[1]];
    move_by(&mut next, way);
    let mut gap = vec![0.0; creature.nv()];
    creature.difference(&next, &end, &mut gap);
    let spread = |mut pose: Vec<f64>, time: f64| {
        if closed {
            creature.integrate(&mut pose, &gap, -time / length);
        }
        pose
    };
    let half: Vec<(f64, Vec<f64>)> = keys
        .map(|k| (k as f64 * step, spread(poses[k].clone(), k as f64 * step)))
        .filter(|(time, _)| *time < length)
        .collect();
    let mut whole = way;
    if stage.mirror.is_some() {
        let mirrored = half.iter().map(|(time, pose)| {
            let mut pose = image(stage, pose);
            move_by(&mut pose, way);
            (length + time, pose)
        });
        let mut back = image(stage, &next);
        move_by(&mut back, way);
        whole = [back[0] - first[0], back[1] - first[1]];
        (clip.times, clip.poses) = half.iter().cloned().chain(mirrored).unzip();
    } else {
        (clip.times, clip.poses) = half.into_iter().unzip();
    }
    let mut again = clip.poses[0].clone();
    move_by(&mut again, whole);
    clip.times.push(stride.period);
    clip.poses.push(again);
    clip.stride = Some(Way { yaw: 0.0, shift: [whole[0], whole[1], 0.0].into() });
    clip.align_signs(creature);
    clip.contacts = guess_contacts(creature, &clip);
    clip
}

/// The pose at the end of the cycle, which lies within a step after the last pose.
fn end_of(creature: &Creature, poses: &[Vec<f64>], length: f64, step: f64) -> Option<Vec<f64>> {
    let [.., before, last] = poses else { return None };
    let mut moves = vec![0.0; creature.nv()];
    creature.difference(before, last, &mut moves);
    let mut end = last.clone();
    let part = (length / step - (poses.len() - 1) as f64).clamp(0.0, 1.0);
    creature.integrate(&mut end, &moves, part);
    Some(end)
}

/// Left for right.
fn image(stage: &Stage, pose: &[f64]) -> Vec<f64> {
    let creature = &stage.creature;
    let rest = creature.rest_pose();
    let mut bent = vec![0.0; creature.nv()];
    creature.difference(rest, pose, &mut bent);
    let mut image = rest.to_vec();
    creature.integrate(&mut image, &stage.mirrored(&bent), 1.0);
    image
}

/// Along the ground; a stage's creature begins with its free root.
fn move_by(pose: &mut [f64], way: [f64; 2]) {
    pose[0] += way[0];
    pose[1] += way[1];
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
