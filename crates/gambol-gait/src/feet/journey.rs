//! A script on its feet: standing, going and leaping one after another, as one long motion that obeys.
//!
//! It begins and ends at rest, and so it recurs like the cycle of a gait: all that makes a gait obey makes a script obey. What differs is
//! where the feet are planted and what the vibrations do meanwhile. Every gait keeps its own; where one goes over into the next, poses,
//! phases and duties are mixed, and the cycle of the legs goes on without a jump.

use std::f64::consts::TAU;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, JointKind, Quat, Vec3, math};
use gambol_motion::Stride;

use crate::ease::ease;
use crate::modal::ModalMotion;
use crate::path::moved;
use crate::script::{Kind, Pace, Timeline};
use crate::stance::Stance;
use crate::{Body, Gait, GaitError};

use super::obey::{Course, Obeyed};
use super::pin::{Pinned, Precision};
use super::road::{Road, Varied, onward};
use super::root::{self, Fit};
use super::scene::{FeetScene, Flat, rises};
use super::target::Plant;
use super::way::Way;
use super::{Bounce, ground};

/// A gait of a script, or the creature that stands.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) body: &'a Body,
    pub(crate) gait: &'a Gait,
    pub(crate) motion: &'a ModalMotion<'a>,
}

/// How a creature that stands breathes.
pub(crate) struct Breath {
    /// Tangent vector of breathing in.
    shape: Vec<f64>,
    /// 1/s: whole breaths in the script, so that it recurs.
    frequency: f64,
}

impl Breath {
    /// Of a body in a script of `seconds`; `shape` is what breathing in does.
    pub(crate) fn over(shape: Vec<f64>, body: &Body, seconds: f64) -> Option<Self> {
        let settings = &body.settings.script;
        let frequency = settings.breaths * math::powf(body.creature.mass(), settings.breaths_power);
        let frequency = frequency.clamp(settings.slowest_breath, settings.fastest_breath);
        let breaths = (frequency * seconds).round().max(1.0);
        shape.iter().any(|u| *u != 0.0).then_some(Self { shape, frequency: breaths / seconds })
    }

    /// How far it has breathed in at `time`, 0 to 1; at first not at all.
    fn depth(&self, time: f64) -> f64 {
        0.5 - 0.5 * math::cos(TAU * self.frequency * time)
    }
}

/// Where a clip of a script takes over the motion of a loop: the act, and from when to when, s. At its outer end it is the loop's own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seams {
    pub(crate) first: Option<(usize, [f64; 2])>,
    pub(crate) last: Option<(usize, [f64; 2])>,
}

/// Times of the keys, and where loops are met: of a timeline, and what each act's cycle is ahead of that of the script.
pub(crate) type Window<'a> = &'a dyn Fn(&Timeline, &[f64]) -> (Vec<f64>, Seams);

/// A script as it was played.
pub(crate) struct Journey {
    /// s, rising.
    pub(crate) times: Vec<f64>,
    /// One per time, in the world.
    pub(crate) poses: Vec<Vec<f64>>,
    /// Per leg: from when to when it stands, s.
    pub(crate) stands: Vec<Vec<[f64; 2]>>,
    /// Largest distance of a foot from its target, m.
    pub(crate) miss: f64,
    /// Whether the pushes of its feet make it.
    pub(crate) obeys: bool,
    /// Whether it only stands.
    pub(crate) rests: bool,
    /// How long it rests before it moves and after it, s.
    rest: [f64; 2],
    /// From where it begins to where it ends.
    way: Stride,
}

impl Journey {
    /// This one and then another, which begins at `begins` (s). Both rest where they meet, each in a pose of its own: as they come to rest and
    /// leave it, they go over into the one between the two.
    pub(crate) fn and_then(mut self, creature: &Creature, mut then: Self, begins: f64) -> Self {
        if let (Some(end), Some(start)) = (self.poses.last(), then.poses.first()) {
            let mut end = end.clone();
            self.way.inverse().apply(creature, &mut end);
            let mut half = vec![0.0; creature.nv()];
            creature.difference(&end, start, &mut half);
            let tail = |time: f64| 1.0 - (begins - time) / self.rest[1];
            bend(creature, &self.times, &mut self.poses, &half, 0.5, &tail, self.way.yaw);
            let head = |time: f64| 1.0 - time / then.rest[0];
            bend(creature, &then.times, &mut then.poses, &half, -0.5, &head, 0.0);
        }
        for pose in &mut then.poses {
            self.way.apply(creature, pose);
        }
        self.times.extend(then.times.iter().map(|time| time + begins));
        self.poses.append(&mut then.poses);
        for (stands, then) in self.stands.iter_mut().zip(&then.stands) {
            for [start, end] in then {
                let (start, end) = (start + begins, end + begins);
                match stands.last_mut() {
                    // It stands on.
                    Some(last) if last[1] >= start => last[1] = last[1].max(end),
                    _ => stands.push([start, end]),
                }
            }
        }
        Self {
            miss: self.miss.max(then.miss),
            obeys: self.obeys && then.obeys,
            rests: self.rests && then.rests,
            rest: [self.rest[0], then.rest[1]],
            way: onward(&self.way, &then.way),
            ..self
        }
    }
}

/// Moves poses along `way` by `share` of it, the more the further `s` goes from 0 to 1. The way is that of a frame turned by `yaw`.
fn bend(
    creature: &Creature,
    times: &[f64],
    poses: &mut [Vec<f64>],
    way: &[f64],
    share: f64,
    s: &dyn Fn(f64) -> f64,
    yaw: f64,
) {
    let mut turned = way.to_vec();
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), yaw);
    for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
        // Its linear part is along the axes of the world, its angular part along its own.
        let linear = turn * Vec3::new(way[joint.v], way[joint.v + 1], way[joint.v + 2]);
        turned[joint.v..joint.v + 3].copy_from_slice(linear.as_slice());
    }
    for (time, pose) in times.iter().zip(poses) {
        let by = share * ease(s(*time));
        if by != 0.0 {
            creature.integrate(pose, &turned, by);
        }
    }
}

/// What a gait says by itself, on its own cycle.
struct Played<'a> {
    scene: FeetScene<'a>,
    fit: Fit,
    /// Per leg.
    stances: Vec<Stance>,
    places: Vec<Vec3>,
    orientations: Vec<Vec<Quat>>,
    /// What is added to the cycles of the script.
    ahead: f64,
    /// Per leg: the middle of its stance in cycles of the script, up to whole ones.
    middles: Vec<f64>,
}

/// A foot on the ground at some time of the script.
#[derive(Clone)]
struct Stand {
    /// s
    start: f64,
    end: f64,
    /// When it is at `place` in the ground frame, s.
    when: f64,
    place: Vec3,
    orientations: Vec<Quat>,
    duty: f64,
    load: f64,
}

/// Who rests for longer than this, √(h/g), rises to its own height and sinks again as gently as one breathes out.
const RISES: f64 = 1.5;

/// A foot in the air that has less of its swing left than this when a gait begins stays for one more stance.
const WORTH_LIFTING: f64 = 0.7;

/// Plays a script whose acts have these `paces` and `parts`, the first and the last standing, as far as `window` looks. `base` tells how the
/// creature is made, and how it stands.
pub(crate) fn journey(
    base: &Part,
    data: &mut Data,
    mut paces: Vec<Pace>,
    parts: &[Option<Part>],
    breath: Option<&Breath>,
    window: Window,
) -> Result<Journey, GaitError> {
    let creature = &base.body.creature;
    let mut scene = FeetScene::new(base.body, data, base.gait, base.motion, Vec::new())?;
    let mut played: Vec<Option<Played>> = Vec::new();
    for (part, pace) in parts.iter().zip(&mut paces) {
        let own = part.as_ref().map(|part| Played::new(part, data)).transpose()?;
        if let (Some(own), Kind::Go { speed, .. }) = (&own, &mut pace.kind) {
            *speed = own.fit.path.speed;
        }
        played.push(own);
    }
    let timeline = Timeline::new(paces);
    line_up(&timeline, &mut played);
    let ahead: Vec<f64> = played.iter().map(|own| own.as_ref().map_or(0.0, |own| own.ahead)).collect();
    let (times, seams) = window(&timeline, &ahead);
    let period = timeline.period();
    let forward = base.body.legs.heading.forward;
    let road = Road::Varied(Varied::new(forward, period, &|time| timeline.moving(time)));
    let still = still(&scene, base.body);
    let ways = ways(&scene, data, &timeline, &played, &road, &still, base.gait.ground.clearance)?;
    let gravity = creature.gravity().norm();
    let free = |scene: &FeetScene, cycle: f64| {
        let time = cycle * period;
        let stands = free_standing(creature, &still, breath, time);
        let mut pose = mixed(creature, &timeline, &played, &stands, time);
        scene.lean(&mut pose, &road.moving(cycle), forward);
        pose[scene.root_q + 2] += timeline.rise(time.rem_euclid(period), gravity);
        pose
    };
    let leaps = |cycle: f64| timeline.is_about_to_leap((cycle * period).rem_euclid(period));
    scene.frequency = 1.0 / period;
    let fastest = timeline.paces.iter().map(|pace| match pace.kind {
        Kind::Go { frequency, .. } => frequency,
        Kind::Stand => base.gait.frequency,
        // Pushing off is like a stance, and that is half a stride.
        Kind::Jump { flight, .. } => 1.0 / (pace.seconds - flight),
    });
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // minutes of a few hertz
    let strides = (period * fastest.fold(0.0, f64::max)).ceil().max(1.0) as usize;
    let course = Course {
        scene: &scene,
        free: &free,
        ways: &ways,
        road: &road,
        strides,
        leaps: &leaps,
        carrier: None,
        precision: Precision::of_rounds(&base.body.settings.pin),
    };
    let obeyed = if timeline.rests() { None } else { course.obey(data) };
    let course = Course { precision: Precision::of_keys(&base.body.settings.pin), ..course };
    let cycles: Vec<f64> = times.iter().map(|time| time / period).collect();
    let mut frames: Vec<Pinned> = match &obeyed {
        Some(obeyed) => obeyed.course(&course).obeying(data, obeyed, &cycles),
        None => course.nearest(data, &cycles, false),
    };
    if let Some(obeyed) = &obeyed {
        let stands = |time: f64| free_standing(creature, &still, breath, time);
        come_to_rest(&course, obeyed, data, &stands, &timeline, (&times, &mut frames));
    }
    for (seam, begins) in [(seams.first, true), (seams.last, false)] {
        if let Some((act, span)) = seam
            && let Some(part) = &parts[act]
        {
            let seam = Seam { act: part, ahead: ahead[act], span, begins };
            seam.take_over((&course, obeyed.as_ref()), data, &timeline, (&times, &mut frames))?;
        }
    }
    // In the world it begins where the creature is drawn.
    let from = cycles.first().copied().unwrap_or(0.0);
    for (&cycle, pinned) in cycles.iter().zip(&mut frames) {
        road.between(from, cycle).apply(creature, &mut pinned.pose);
        scene.unbury(data, &mut pinned.pose);
    }
    // The plants of the time before and after are the same ones.
    let inside = |plant: &Plant| {
        let span = [plant.start.max(0.0) * period, plant.end.min(1.0) * period];
        (span[1] > span[0]).then_some(span)
    };
    let stands = |way: &Way| way.plants.iter().filter_map(inside).collect();
    let rest = timeline.rest();
    let way = road.between(from, 1.0);
    Ok(Journey {
        rest,
        way,
        rests: timeline.rests(),
        stands: ways.iter().map(stands).collect(),
        miss: frames.iter().map(|frame| frame.error).fold(0.0, f64::max),
        obeys: obeyed.is_some() || timeline.rests(),
        poses: frames.into_iter().map(|frame| frame.pose).collect(),
        times,
    })
}

/// The creature that stands and breathes.
fn free_standing(creature: &Creature, still: &[f64], breath: Option<&Breath>, time: f64) -> Vec<f64> {
    let mut stands = still.to_vec();
    if let Some(breath) = breath {
        creature.integrate(&mut stands, &breath.shape, breath.depth(time));
    }
    stands
}

/// Lets it stand at both ends as it `stands` by itself. What obeys may rest lower, where a leap asks for legs that are bent: it comes from its
/// own height and goes back to it while it rests, on feet that stay.
fn come_to_rest(
    course: &Course,
    obeyed: &Obeyed,
    data: &mut Data,
    stands: &dyn Fn(f64) -> Vec<f64>,
    timeline: &Timeline,
    (times, frames): (&[f64], &mut [Pinned]),
) {
    let creature = course.scene.creature;
    let natural = (course.scene.legs.length / creature.gravity().norm()).sqrt();
    let (period, [first, last]) = (timeline.period(), timeline.rest());
    // A rest that is too short for that is left as it is.
    let share = |since: f64, rest: f64| if rest > RISES * natural { (since / rest).min(1.0) } else { 1.0 };
    let mut way = vec![0.0; creature.nv()];
    for (&time, frame) in times.iter().zip(frames) {
        let moves = ease(share(time, first).min(share(period - time, last)));
        if moves >= 1.0 {
            continue;
        }
        let mut pose = stands(time);
        creature.difference(&pose, &frame.pose, &mut way);
        creature.integrate(&mut pose, &way, moves);
        frame.pose = course.settled_near(data, obeyed, time / period, &pose).pose;
    }
}

/// Where a script goes over into the loop of a gait, or comes from it.
struct Seam<'a> {
    act: &'a Part<'a>,
    /// What is added to the cycles of the script.
    ahead: f64,
    /// From when to when, s.
    span: [f64; 2],
    /// Whether it begins a clip; else it ends one.
    begins: bool,
}

impl Seam<'_> {
    /// Lets `frames` at `times` go over into the loop: at the outer end of the span they are its own.
    fn take_over(
        &self,
        (course, obeyed): (&Course, Option<&Obeyed>),
        data: &mut Data,
        timeline: &Timeline,
        (times, frames): (&[f64], &mut [Pinned]),
    ) -> Result<(), GaitError> {
        let Part { body, gait, motion } = *self.act;
        let creature = &body.creature;
        let [from, to] = self.span;
        // A hair wider, so that the key at its end is in it.
        let hair = 1e-9 * (to - from);
        let inside = |k: &usize| times[*k] >= from - hair && times[*k] <= to + hair;
        let keys: Vec<usize> = (0..times.len()).filter(inside).collect();
        let Some(&first) = keys.first() else { return Ok(()) };
        // In cycles that rise from the first of them on.
        let start = (timeline.cycle(times[first]) + self.ahead).floor();
        let cycles: Vec<f64> = keys.iter().map(|&k| timeline.cycle(times[k]) + self.ahead - start).collect();
        let looped = ground(body, data, gait, motion, Vec::new(), &cycles, false)?;
        let mut way = vec![0.0; creature.nv()];
        for ((&k, mut pose), cycle) in keys.iter().zip(looped.poses).zip(cycles) {
            looped.path.after(cycle / gait.frequency).inverse().apply(creature, &mut pose);
            let s = ease((times[k] - from) / (to - from));
            let own = if self.begins { s } else { 1.0 - s };
            creature.difference(&pose, &frames[k].pose, &mut way);
            creature.integrate(&mut pose, &way, own);
            // Between two poses with their feet on the ground is one with its feet nearly there; the loop's own stays as it is.
            if let Some(obeyed) = obeyed {
                let settled = course.settled_near(data, obeyed, times[k] / timeline.period(), &pose);
                creature.difference(&pose, &settled.pose, &mut way);
                creature.integrate(&mut pose, &way, 1.0 - math::powi(1.0 - own, 4));
            }
            frames[k].pose = pose;
        }
        Ok(())
    }
}

impl<'a> Played<'a> {
    fn new(part: &Part<'a>, data: &mut Data) -> Result<Self, GaitError> {
        let Part { body, gait, motion } = *part;
        let mut scene = FeetScene::new(body, data, gait, motion, Vec::new())?;
        let cannot = |reason: &str| GaitError::DoesNotFit {
            creature: body.creature.name().to_owned(),
            gait: gait.name.clone(),
            reason: reason.to_owned().into(),
        };
        let mut stances = scene.stances(data, gait, &body.style.injured);
        if !rises(body, gait, scene.root_v) {
            let g = body.creature.gravity().norm();
            scene.bounce =
                scene.bounded(Bounce::new(&stances, gait.frequency, g, body.settings.feet.push_humps));
        }
        stances.sort_by_key(|stance| stance.leg);
        let once = stances.len() == body.legs.legs.len()
            && stances.iter().enumerate().all(|(leg, stance)| stance.leg == leg);
        if !once {
            return Err(cannot("in a script: a foot stands twice in a cycle"));
        }
        let fit = root::fit(&scene, data, &stances, gait.ground.speed, gait.ground.turn)?;
        let orientations = stances
            .iter()
            .map(|stance| {
                let pose = scene.modal_pose(stance.middle(), &fit.track);
                lying(&scene, data, stance.leg, &pose)
            })
            .collect();
        let (places, middles) = (fit.plants.clone(), stances.iter().map(Stance::middle).collect());
        Ok(Self { scene, fit, stances, places, orientations, ahead: 0.0, middles })
    }

    fn duty(&self, leg: usize) -> f64 {
        self.stances[leg].end - self.stances[leg].start
    }

    /// A phase at which a gait is well begun from rest: some foot lifts off, and those in the air have most of their swing before them.
    fn beginning(&self) -> f64 {
        let left = |phase: f64| {
            let of = |stance: &Stance| {
                let since = (phase - stance.start).rem_euclid(1.0);
                let duty = stance.end - stance.start;
                // A hair before lift-off it still stands.
                if since <= duty - 1e-9 { 1.0 } else { (1.0 - since) / (1.0 - duty).max(1e-9) }
            };
            self.stances.iter().map(of).fold(1.0, f64::min)
        };
        let phases = self.stances.iter().map(|stance| stance.end.rem_euclid(1.0) - 1e-6);
        phases.max_by(|a, b| left(*a).total_cmp(&left(*b))).unwrap_or(0.0)
    }
}

/// Sets each gait's phase so that its footfalls are nearest to those of the gait before it.
fn line_up(timeline: &Timeline, played: &mut [Option<Played>]) {
    const TRIES: usize = 360;
    let near = |x: f64| (x + 0.5).rem_euclid(1.0) - 0.5;
    for (first, last, [from, _]) in timeline.runs() {
        for index in first..=last {
            let (before, rest) = played.split_at_mut(index);
            let Some(own) = rest[0].as_mut() else { continue };
            let middles: Vec<f64> = own.stances.iter().map(Stance::middle).collect();
            let before = if index > first { before[index - 1].as_ref() } else { None };
            match before {
                None => {
                    own.ahead = own.beginning() - timeline.cycle(from);
                    own.middles = middles.iter().map(|middle| middle - own.ahead).collect();
                }
                Some(before) => {
                    let off = |ahead: f64| -> f64 {
                        let apart = |(m, b): (&f64, &f64)| near(m - ahead - b) * near(m - ahead - b);
                        middles.iter().zip(&before.middles).map(apart).sum()
                    };
                    let tries = (0..TRIES).map(|k| k as f64 / TRIES as f64);
                    own.ahead = tries.min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(0.0);
                    let lift = |(m, b): (&f64, &f64)| b + near(m - own.ahead - b);
                    own.middles = middles.iter().zip(&before.middles).map(lift).collect();
                }
            }
        }
    }
}

/// The creature that stands: its rest pose on the ground.
fn still(scene: &FeetScene, body: &Body) -> Vec<f64> {
    let mut pose = body.basis.mean().to_vec();
    pose[scene.root_q + 2] -= body.legs.ground;
    pose
}

/// The pose of all acts at `time`, each by its share.
fn mixed(
    creature: &Creature,
    timeline: &Timeline,
    played: &[Option<Played>],
    still: &[f64],
    time: f64,
) -> Vec<f64> {
    let mut sum: Option<(Vec<f64>, f64)> = None;
    for (index, share, _) in timeline.shares(time) {
        let pose = match &played[index] {
            Some(own) => own.scene.modal_pose(timeline.cycle(time) + own.ahead, &own.fit.track),
            None => still.to_vec(),
        };
        sum = Some(match sum {
            None => (pose, share),
            Some((mut before, shares)) => {
                let mut way = vec![0.0; creature.nv()];
                creature.difference(&before, &pose, &mut way);
                creature.integrate(&mut before, &way, share / (shares + share));
                (before, shares + share)
            }
        });
    }
    sum.map_or_else(|| still.to_vec(), |(pose, _)| pose)
}

/// How sole and toes of a leg lie in a pose: its sole's normal, and nothing else, turned upright.
fn lying(scene: &FeetScene, data: &mut Data, leg: usize, pose: &[f64]) -> Vec<Quat> {
    let frames = forward_kinematics(scene.creature, data, pose);
    let lies = |flat: &Flat| {
        let now = frames[flat.body].orientation;
        let up = Quat::rotation_between(&(now * flat.normal), &Vec3::z()).unwrap_or_else(Quat::identity);
        up * now
    };
    scene.flat[leg].iter().map(lies).collect()
}

/// Where each foot is planted over the script, and its swings.
fn ways(
    scene: &FeetScene,
    data: &mut Data,
    timeline: &Timeline,
    played: &[Option<Played>],
    road: &Road,
    still: &[f64],
    clearance: f64,
) -> Result<Vec<Way>, GaitError> {
    let period = timeline.period();
    let mut ways = Vec::new();
    for (leg, own) in scene.legs.legs.iter().enumerate() {
        let orientations = lying(scene, data, leg, still);
        let frames = forward_kinematics(scene.creature, data, still);
        let place = frames[own.foot].point_in_world(own.point);
        let rest = Stand {
            start: 0.0,
            end: 0.0,
            when: 0.0,
            place: Vec3::new(place.x, place.y, 0.0),
            orientations,
            duty: 1.0,
            load: 1.0 / scene.legs.legs.len() as f64,
        };
        let stands = stands(timeline, played, leg, &rest)?;
        let plant = |stand: &Stand, number: f64| {
            let (start, end) = (stand.start / period + number, stand.end / period + number);
            let from = road.between(0.5 * (start + end), stand.when / period + number);
            let place = moved(&from, stand.place);
            let yaw = Quat::from_axis_angle(&Vec3::z_axis(), from.yaw);
            let orientations = stand.orientations.iter().map(|lies| yaw * lies).collect();
            let Stand { duty, load, .. } = *stand;
            Plant { start, end, place, normal: Vec3::z(), duty, load, orientations }
        };
        let mut plants: Vec<Plant> =
            [-1.0, 0.0, 1.0].iter().flat_map(|number| stands.iter().map(|s| plant(s, *number))).collect();
        plants.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut way = scene.way(own, plants, road, clearance);
        let fold = scene.settings.script.fold * scene.legs.length;
        for index in
            (0..timeline.paces.len()).filter(|index| matches!(timeline.paces[*index].kind, Kind::Jump { .. }))
        {
            way.fold(timeline.flight(index).map(|time| time / period), fold);
        }
        ways.push(way);
    }
    Ok(ways)
}

/// All stances of a leg over the script, one after another; the last goes over its end into the first of the next time.
fn stands(
    timeline: &Timeline,
    played: &[Option<Played>],
    leg: usize,
    rest: &Stand,
) -> Result<Vec<Stand>, GaitError> {
    let mut away: Vec<(f64, Vec<Stand>, f64)> = Vec::new();
    for (first, last, window) in timeline.runs() {
        away.push(steps(timeline, played, leg, (first, last), window));
    }
    for (index, pace) in timeline.paces.iter().enumerate() {
        if let Kind::Jump { .. } = pace.kind {
            let [off, on] = timeline.flight(index);
            away.push((off, Vec::new(), on));
        }
    }
    away.sort_by(|a, b| a.0.total_cmp(&b.0));
    let period = timeline.period();
    let (Some(first), Some(last)) = (away.first(), away.last()) else {
        return Ok(vec![Stand { start: 0.0, end: period, when: 0.0, ..rest.clone() }]);
    };
    // It stands from when it came back last time.
    let (leaves, mut back) = (first.0, last.2 - period);
    let mut stands = Vec::new();
    for (leave, steps, comes) in &away {
        if *leave <= back {
            return Err(GaitError::Number {
                place: "script".to_owned(),
                reason: format!(
                    "there is no time to stand around {:.2} s; make the pause longer",
                    leave.max(0.0)
                ),
            });
        }
        if back > 0.0 {
            stands.push(Stand {
                start: back,
                end: *leave,
                when: timeline.pause(back, *leave),
                ..rest.clone()
            });
        }
        stands.extend(steps.iter().cloned());
        back = *comes;
    }
    stands.push(Stand { start: back, end: leaves + period, when: period, ..rest.clone() });
    Ok(stands)
}

/// The steps of a leg in a run of gaits: when it leaves, its stances, and when it is back.
fn steps(
    timeline: &Timeline,
    played: &[Option<Played>],
    leg: usize,
    (first, last): (usize, usize),
    [from, to]: [f64; 2],
) -> (f64, Vec<Stand>, f64) {
    let (begins, ends) = (timeline.cycle(from), timeline.cycle(to));
    let frequency = |index: usize| match timeline.paces[index].kind {
        Kind::Go { frequency, .. } => frequency,
        Kind::Stand | Kind::Jump { .. } => 1.0,
    };
    // Beyond its ends the run is thought to go on.
    let time = |cycle: f64| {
        if cycle < begins {
            from - (begins - cycle) / frequency(first)
        } else if cycle > ends {
            to + (cycle - ends) / frequency(last)
        } else {
            timeline.time(cycle)
        }
    };
    let legs = played[first].as_ref().map_or(1, |own| own.stances.len()) as f64;
    let stand = |number: f64| {
        let mut middle = begins;
        let mut mix: Vec<(&Played, f64)> = Vec::new();
        // When it stands says what it is part of, and that says when it stands.
        for _ in 0..8 {
            let inside = time(middle).clamp(from + 1e-3 * (to - from), to - 1e-3 * (to - from));
            let shares = timeline.shares(inside);
            mix = shares.iter().filter_map(|(i, w, _)| played[*i].as_ref().map(|own| (own, *w))).collect();
            let sum: f64 = mix.iter().map(|(_, w)| w).sum();
            for (_, w) in &mut mix {
                *w /= sum;
            }
            middle = number + mix.iter().map(|(own, w)| w * own.middles[leg]).sum::<f64>();
        }
        let duty: f64 = mix.iter().map(|(own, w)| w * own.duty(leg)).sum();
        let most = mix.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(own, _)| *own);
        Stand {
            start: time(middle - 0.5 * duty),
            end: time(middle + 0.5 * duty),
            when: time(middle),
            place: mix.iter().map(|(own, w)| own.places[leg] * *w).sum(),
            orientations: most.map_or_else(Vec::new, |own| own.orientations[leg].clone()),
            duty,
            load: 1.0 / (duty * legs),
        }
    };
    let offset = played[first].as_ref().map_or(0.0, |own| own.middles[leg]);
    let mut number = (begins - offset).floor() - 2.0;
    let mut all: Vec<Stand> = Vec::new();
    while all.last().is_none_or(|stand| stand.start < to + 1.0 / frequency(last)) {
        all.push(stand(number));
        number += 1.0;
    }
    let swings = |a: &Stand, b: &Stand| b.start - a.end;
    // At the beginning.
    let mut next = all.partition_point(|stand| stand.start <= from).max(1);
    let mut leave = all[next - 1].end;
    if leave < from {
        leave = from;
        if all[next].start - from < WORTH_LIFTING * swings(&all[next - 1], &all[next]) {
            leave = all[next].end;
            next += 1;
        }
    }
    // At the end.
    let mut after = all.partition_point(|stand| stand.end < to);
    let mut back = all[after].start;
    if back > to {
        back = to;
        if to - all[after - 1].end < WORTH_LIFTING * swings(&all[after - 1], &all[after]) {
            after -= 1;
            back = all[after].start;
        }
    }
    let steps = if next < after { all[next..after].to_vec() } else { Vec::new() };
    (leave, steps, back)
}
