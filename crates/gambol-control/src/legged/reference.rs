//! A stride that can be followed: where everything is at any phase of it, how fast it goes and how it accelerates.
//!
//! A clip travels. What repeats is what is left when its *carriage* is taken away, a frame that goes along the ground with the clip's
//! mean motion: a stride's shift and turn, shared out evenly over its time. In the carriage, poses, feet and the centre of mass come back
//! after every period.

use gambol_anatomy::{Legs, foot_bodies};
use gambol_dynamics::{Data, FloatingBase, center_of_mass, forward_kinematics, touches};
use gambol_model::{Creature, Quat, Vec3, math};
use gambol_motion::{Clip, ClipError, Stride};
use nalgebra::Quaternion;

use super::GaitGraph;
use crate::locomotion::Upright;

/// Why a clip cannot be followed on legs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The clip is not one of the creature.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// It is held, or several creatures.
    #[error("{creature} is held by the world, or is several creatures: it has no balance to keep")]
    Held {
        /// Its name.
        creature: String,
    },
    /// Loops have forces of their own that the controllers do not know.
    #[error(
        "{creature} has {count} closed loops or couplings, and the controllers know trees of joints only"
    )]
    Loops {
        /// Its name.
        creature: String,
        /// How many.
        count: usize,
    },
    /// No stride to repeat.
    #[error("{clip} does not loop: a stride is needed that can be repeated")]
    NoLoop {
        /// Name of the clip.
        clip: String,
    },
    /// Nothing says when feet stand.
    #[error("{clip} has no contacts: nothing says when which foot stands")]
    NoContacts {
        /// Name of the clip.
        clip: String,
    },
    /// No weight to carry.
    #[error("there is no gravity, and nothing to balance")]
    NoGravity,
}

/// Keys per second of clips that are to be followed: eight times those of film, so that their accelerations are smooth.
pub const STRIDE_KEYS: f64 = 240.0;

/// Keys of a reference per stride: at two strides a second, 4 ms apart.
const KEYS: usize = 128;

/// Rates are differences over so many keys on either side: 16 ms at two strides a second, which calms the corners that clips have where
/// feet land.
const REACH: usize = 3;

/// Position, velocity and acceleration of something at one phase, in the carriage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// m
    pub place: Vec3,
    /// m/s, against the world: with the carriage's own.
    pub velocity: Vec3,
    /// m/s²
    pub acceleration: Vec3,
}

/// A foot of a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct FootPlan {
    /// Of its landmark.
    pub name: String,
    /// The body that stands.
    pub body: usize,
    /// That and all that hangs on it: what of the foot may touch.
    pub bodies: Vec<usize>,
    /// The point of the body that stays where it stands, in the body frame, m.
    pub point: Vec3,
    /// How much of a sole it has, from 0 for a point to 1 for a foot that can bear the whole creature: what it can hold upright.
    pub sole: f64,
    /// Per key.
    pub(super) path: Vec<Moving>,
    /// Per key: its orientation in the carriage, and its angular velocity along the carriage's axes, rad/s.
    pub(super) turns: Vec<(Quat, Vec3)>,
}

/// One stride of a gait, ready to be followed.
#[derive(Clone, Debug, PartialEq)]
pub struct StrideReference {
    /// Of the clip.
    pub name: String,
    /// When each foot stands.
    pub graph: GaitGraph,
    /// In the order of the graph.
    pub feet: Vec<FootPlan>,
    /// Mean velocity, m/s, at the start of the clip.
    pub velocity: Vec3,
    /// Mean turn, rad/s.
    pub turn: f64,
    /// The creature's free root.
    pub base: FloatingBase,
    /// Per key: the pose in the carriage.
    pub(super) poses: Vec<Vec<f64>>,
    /// Per key, as laid out in the clip: linear velocity of the root along the carriage's axes, with the carriage's own.
    pub(super) v: Vec<Vec<f64>>,
    pub(super) a: Vec<Vec<f64>>,
    pub(super) com: Vec<Moving>,
}

/// Room for a moment of a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// In the carriage.
    pub pose: Vec<f64>,
    /// The root's along the carriage's axes.
    pub v: Vec<f64>,
    /// The same.
    pub a: Vec<f64>,
    /// Of the centre of mass.
    pub com: Moving,
    way: Vec<f64>,
}

impl Moment {
    /// For one creature.
    pub fn new(creature: &Creature) -> Self {
        let zeros = vec![0.0; creature.nv()];
        let still = Moving { place: Vec3::zeros(), velocity: Vec3::zeros(), acceleration: Vec3::zeros() };
        Self {
            pose: creature.rest_pose().to_vec(),
            v: zeros.clone(),
            a: zeros.clone(),
            com: still,
            way: zeros,
        }
    }
}

impl StrideReference {
    /// The stride of `clip`, which loops and says when its feet stand.
    pub fn new(creature: &Creature, clip: &Clip) -> Result<Self, ReferenceError> {
        clip.check(creature)?;
        let name = || clip.name.clone();
        let base = FloatingBase::of(creature)
            .ok_or_else(|| ReferenceError::Held { creature: creature.name().to_owned() })?;
        if !creature.constraints().is_empty() {
            let count = creature.constraints().len();
            return Err(ReferenceError::Loops { creature: creature.name().to_owned(), count });
        }
        if creature.gravity().norm() == 0.0 {
            return Err(ReferenceError::NoGravity);
        }
        let period = clip.duration() - clip.times[0];
        let Some(stride) = clip.stride.filter(|_| period > 0.0 && clip.times.len() > 3) else {
            return Err(ReferenceError::NoLoop { clip: name() });
        };
        if clip.contacts.iter().all(|contact| contact.intervals.is_empty()) {
            return Err(ReferenceError::NoContacts { clip: name() });
        }
        let samples = Samples { creature, clip, stride, base, period };
        let mut data = Data::new(creature);
        let poses: Vec<Vec<f64>> = (0..KEYS).map(|key| samples.in_carriage(key)).collect();
        let (v, a) = (0..KEYS).map(|key| samples.rates(key)).unzip();
        let com = samples.moving(&mut data, center_of_mass);
        let legs = Legs::new(creature, &mut data, creature.rest_pose());
        let feet = clip.contacts.iter().map(|contact| {
            let place = |creature: &Creature, data: &mut Data, pose: &[f64]| {
                forward_kinematics(creature, data, pose)[contact.body].point_in_world(contact.point)
            };
            FootPlan {
                name: contact.name.clone(),
                body: contact.body,
                bodies: foot_bodies(creature, contact.body),
                point: contact.point,
                sole: sole(creature, contact.body, &legs),
                path: samples.moving(&mut data, place),
                turns: samples.turning(&mut data, contact.body),
            }
        });
        let feet = feet.collect();
        let graph = GaitGraph::of_clip(clip);
        let velocity = stride.repeated(1e-6).shift / (1e-6 * period);
        let turn = stride.yaw / period;
        Ok(Self { name: name(), graph, feet, velocity, turn, base, poses, v, a, com })
    }

    /// s
    pub fn period(&self) -> f64 {
        self.graph.period
    }

    /// The stride at `phase`, in cycles: poses on the shortest way between keys, rates in proportion.
    pub fn at(&self, creature: &Creature, phase: f64, moment: &mut Moment) {
        let (key, next, share) = between(phase);
        moment.pose.copy_from_slice(&self.poses[key]);
        creature.difference(&self.poses[key], &self.poses[next], &mut moment.way);
        creature.integrate(&mut moment.pose, &moment.way, share);
        for (out, rates) in [(&mut moment.v, &self.v), (&mut moment.a, &self.a)] {
            for ((out, from), to) in out.iter_mut().zip(&rates[key]).zip(&rates[next]) {
                *out = from + share * (to - from);
            }
        }
        moment.com = blend(&self.com, phase);
    }

    /// A foot at `phase`, in the carriage.
    pub fn foot(&self, foot: usize, phase: f64) -> Moving {
        blend(&self.feet[foot].path, phase)
    }

    /// Orientation and angular velocity of a foot at `phase`, in the carriage.
    pub fn foot_turn(&self, foot: usize, phase: f64) -> (Quat, Vec3) {
        let (key, next, share) = between(phase);
        let turns = &self.feet[foot].turns;
        let way = (turns[key].0.inverse() * turns[next].0).scaled_axis() * share;
        (turns[key].0 * Quat::from_scaled_axis(way), turns[key].1.lerp(&turns[next].1, share))
    }

    /// The centre of mass at `phase`, in the carriage.
    pub fn center_of_mass(&self, phase: f64) -> Moving {
        blend(&self.com, phase)
    }

    /// How far feet stand from each other along `way`: the root of the mean square of their mean places beside the centre of mass, m.
    pub(super) fn feet_apart(&self, way: Vec3) -> f64 {
        let middle = |foot: &FootPlan| {
            let beside = |(foot, com): (&Moving, &Moving)| (foot.place - com.place).dot(&way);
            foot.path.iter().zip(&self.com).map(beside).sum::<f64>() / self.com.len() as f64
        };
        let count = self.feet.len().max(1) as f64;
        let mean = self.feet.iter().map(middle).sum::<f64>() / count;
        (self.feet.iter().map(|foot| math::square(middle(foot) - mean)).sum::<f64>() / count).sqrt()
    }

    /// Knows a creature that has fallen from this stride: half as high as in its mean, or on something else than its feet.
    pub fn upright(&self, creature: &Creature) -> Upright {
        let height = self.com.iter().map(|com| com.place.z).sum::<f64>() / KEYS as f64;
        let mut stands: Vec<usize> = self.feet.iter().map(|foot| foot.body).collect();
        stands.extend(rests_on(creature));
        Upright::of_height(creature, height, Vec3::z(), &stands)
    }

    /// Pose and velocity at `phase`, with the carriage at the world's origin: where a simulation may start.
    pub fn start(&self, creature: &Creature, phase: f64) -> (Vec<f64>, Vec<f64>) {
        let mut moment = Moment::new(creature);
        self.at(creature, phase, &mut moment);
        (moment.pose, moment.v)
    }
}

/// The keys about a phase, and how far it is from the first to the second.
fn between(phase: f64) -> (usize, usize, f64) {
    let at = phase.rem_euclid(1.0) * KEYS as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 ≤ at ≤ KEYS
    let key = (at as usize).min(KEYS - 1);
    (key, (key + 1) % KEYS, at - key as f64)
}

fn blend(path: &[Moving], phase: f64) -> Moving {
    let (key, next, share) = between(phase);
    let (from, to) = (&path[key], &path[next]);
    Moving {
        place: from.place.lerp(&to.place, share),
        velocity: from.velocity.lerp(&to.velocity, share),
        acceleration: from.acceleration.lerp(&to.acceleration, share),
    }
}

/// A clip at evenly spaced times.
struct Samples<'c> {
    creature: &'c Creature,
    clip: &'c Clip,
    stride: Stride,
    base: FloatingBase,
    /// s
    period: f64,
}

impl Samples<'_> {
    /// In the world, so many keys after the start; may be before it, or in a later stride.
    fn in_world(&self, key: isize) -> Vec<f64> {
        self.clip.sample(self.creature, self.clip.times[0] + self.period * key as f64 / KEYS as f64)
    }

    /// Where the carriage is, as seen from its start.
    fn carriage(&self, key: isize) -> Stride {
        self.stride.repeated(key as f64 / KEYS as f64)
    }

    fn in_carriage(&self, key: usize) -> Vec<f64> {
        let carriage = self.carriage(key.cast_signed());
        let mut pose = self.in_world(key.cast_signed());
        // The inverse: first the shift, then the turn.
        let back = Quat::from_axis_angle(&Vec3::z_axis(), -carriage.yaw);
        let shift = back * -carriage.shift;
        Stride { yaw: -carriage.yaw, shift }.apply(self.creature, &mut pose);
        pose
    }

    /// Velocity and acceleration at a key, by differences in the chart about it.
    fn rates(&self, key: usize) -> (Vec<f64>, Vec<f64>) {
        let key = key.cast_signed();
        let step = REACH as f64 * self.period / KEYS as f64;
        let now = self.in_world(key);
        let nv = self.creature.nv();
        let (mut before, mut after) = (vec![0.0; nv], vec![0.0; nv]);
        self.creature.difference(&now, &self.in_world(key - REACH.cast_signed()), &mut before);
        self.creature.difference(&now, &self.in_world(key + REACH.cast_signed()), &mut after);
        let mut v: Vec<f64> = before.iter().zip(&after).map(|(b, a)| (a - b) / (2.0 * step)).collect();
        let mut a: Vec<f64> = before.iter().zip(&after).map(|(b, a)| (a + b) / (step * step)).collect();
        let back = Quat::from_axis_angle(&Vec3::z_axis(), -self.carriage(key).yaw);
        let root = self.base.v..self.base.v + 3;
        for rates in [&mut v[root.clone()], &mut a[root]] {
            let turned = back * Vec3::new(rates[0], rates[1], rates[2]);
            rates.copy_from_slice(turned.as_slice());
        }
        (v, a)
    }

    /// Orientations of a body along the stride, and its angular velocities.
    fn turning(&self, data: &mut Data, body: usize) -> Vec<(Quat, Vec3)> {
        let reach = REACH.cast_signed();
        let step = REACH as f64 * self.period / KEYS as f64;
        let last = KEYS.cast_signed() + reach;
        let mut turn =
            |key: isize| forward_kinematics(self.creature, data, &self.in_world(key))[body].orientation;
        let turns: Vec<Quat> = (-reach..last).map(&mut turn).collect();
        let one = |key: usize| {
            let back = Quat::from_axis_angle(&Vec3::z_axis(), -self.carriage(key.cast_signed()).yaw);
            let spin = (turns[key + 2 * REACH] * turns[key].inverse()).scaled_axis() / (2.0 * step);
            (back * turns[key + REACH], back * spin)
        };
        (0..KEYS).map(one).collect()
    }

    /// A point of the creature along the stride.
    fn moving(&self, data: &mut Data, point: impl Fn(&Creature, &mut Data, &[f64]) -> Vec3) -> Vec<Moving> {
        let reach = REACH.cast_signed();
        let step = REACH as f64 * self.period / KEYS as f64;
        let last = KEYS.cast_signed() + reach;
        let places: Vec<Vec3> =
            (-reach..last).map(|key| point(self.creature, data, &self.in_world(key))).collect();
        let one = |key: usize| {
            let (before, now, after) = (places[key], places[key + REACH], places[key + 2 * REACH]);
            let carriage = self.carriage(key.cast_signed());
            let back = Quat::from_axis_angle(&Vec3::z_axis(), -carriage.yaw);
            Moving {
                place: back * (now - carriage.shift),
                velocity: back * (after - before) / (2.0 * step),
                acceleration: back * (after - now * 2.0 + before) / (step * step),
            }
        };
        (0..KEYS).map(one).collect()
    }
}

/// What touches the ground in the rest pose, in parts of the creature's height: a kangaroo's tail.
const RESTS: f64 = 0.02;

/// Bodies that a creature stands on in its rest pose.
fn rests_on(creature: &Creature) -> Vec<usize> {
    let mut data = Data::new(creature);
    let high = center_of_mass(creature, &mut data, creature.rest_pose()).z;
    let lowest = |body: usize| {
        let found = touches(creature, body, &data.frames[body], Vec3::z());
        let heights = found.iter().map(|touch| touch.lowest(&data.frames[body], Vec3::z()).point.z);
        heights.fold(f64::INFINITY, f64::min)
    };
    let all: Vec<f64> = (1..creature.bodies().len()).map(lowest).collect();
    let ground = all.iter().copied().fold(f64::INFINITY, f64::min);
    let near = |height: &f64| *height < ground + RESTS * (high - ground);
    all.iter().enumerate().filter(|(_, height)| near(height)).map(|(k, _)| k + 1).collect()
}

/// A sole this long, in leg lengths, bears a creature that stands on it: a person's is 0.28, a dog's paw 0.1.
const WHOLE_SOLE: f64 = 0.2;

/// How much of a sole a foot has: the square of its length, as moments about it go.
fn sole(creature: &Creature, body: usize, legs: &Legs) -> f64 {
    let Some(leg) = legs.legs.iter().find(|leg| leg.foot == body) else { return 0.0 };
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, creature.rest_pose());
    let low: Vec<Vec3> =
        leg.sole.iter().map(|touch| touch.lowest(&frames[touch.body], Vec3::z()).point).collect();
    let apart = |a: &Vec3, b: &Vec3| math::hypot(a.x - b.x, a.y - b.y);
    let length = low.iter().flat_map(|a| low.iter().map(move |b| apart(a, b))).fold(0.0, f64::max);
    math::square(length / (WHOLE_SOLE * legs.length.max(f64::MIN_POSITIVE))).min(1.0)
}

/// The orientation in a pose of the root that begins at `q`.
pub(super) fn orientation(pose: &[f64], q: usize) -> Quat {
    Quat::new_normalize(Quaternion::new(pose[q + 3], pose[q + 4], pose[q + 5], pose[q + 6]))
}

/// A turn about the vertical.
pub(super) fn about_z(angle: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::z_axis(), angle)
}

/// The angle of a turn about the vertical that is nearest to an orientation, rad.
pub(super) fn yaw_of(orientation: &Quat) -> f64 {
    2.0 * math::atan2(orientation.k, orientation.w)
}
