//! The skeleton of a recording and its frames, in gambol's axes and radians, in the file's unit of length.

use gambol_model::{Quat, Transform, Vec3};
use nalgebra::Unit;

use super::settings::RecordedStanceSettings;

/// A place that is this close to another one, in parts of the bones' length, is the same: files have six digits.
const SAME_PLACE: f64 = 1e-6;
/// A turn below this is none, rad: files have four decimals of a degree.
const NO_TURN: f64 = 1e-6;

/// What feet and what is fixed to them are called.
const FEET: [&str; 5] = ["foot", "toe", "ankle", "paw", "hoof"];

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// The place of a joint.
    Shift,
    /// Its orientation.
    Turn,
}

/// A number per frame that moves a joint.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// What it moves.
    pub kind: ChannelKind,
    /// Unit vector, in the joint's `axes`.
    pub axis: Vec3,
    /// Which number of a frame.
    pub column: usize,
    /// Least and largest angle, rad.
    pub limit: Option<[f64; 2]>,
}

/// A joint and the bones that are fixed to it. With all angles zero it has the axes of the world.
#[derive(Clone, Debug)]
pub struct RecordedJoint {
    /// As the file has it; unique.
    pub name: String,
    /// Stands before it; none for a root, which floats.
    pub parent: Option<usize>,
    /// From the parent, with all angles zero.
    pub offset: Vec3,
    /// Where bones end that no joint follows.
    pub ends: Vec<Vec3>,
    /// The frame that the channels' axes are in.
    pub axes: Quat,
    /// Turns act in this order: the joint's turn is their product.
    pub channels: Vec<Channel>,
    /// Shifts say where the joint is in its parent, rather than how far it is off from there.
    pub whole_place: bool,
    /// It does not move, whatever its channels.
    pub fixed: bool,
}

/// Joints, parents first.
#[derive(Clone, Debug)]
pub struct RecordedSkeleton {
    /// All of them.
    pub joints: Vec<RecordedJoint>,
}

/// Frames at equal steps of time: lengths in the file's unit, angles in rad.
#[derive(Clone, Debug)]
pub struct Take {
    /// Time from frame to frame, s.
    pub step: f64,
    /// Numbers per frame.
    pub columns: usize,
    /// Frame after frame; at least one frame.
    pub numbers: Vec<f64>,
}

/// How the skeleton stands.
pub(super) struct Stance {
    /// From the lowest joint or bone's end to the highest, in the file's unit.
    pub(super) height: f64,
    /// A frame that stands better than the pose with all angles zero, if that lies or is folded.
    pub(super) frame: Option<usize>,
    /// It is about as long as it is high, or longer.
    pub(super) on_all_fours: bool,
}

impl Take {
    /// Number of frames.
    pub fn len(&self) -> usize {
        self.numbers.len() / self.columns.max(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of a frame.
    pub fn frame(&self, frame: usize) -> &[f64] {
        &self.numbers[frame * self.columns..(frame + 1) * self.columns]
    }

    fn frames(&self) -> impl Iterator<Item = &[f64]> {
        self.numbers.chunks_exact(self.columns.max(1))
    }
}

impl RecordedJoint {
    /// The channels that move one thing, in their order.
    pub fn channels(&self, kind: ChannelKind) -> impl Iterator<Item = &Channel> {
        self.channels.iter().filter(move |channel| channel.kind == kind)
    }

    /// How far a channel has shifted the joint off its place.
    pub(super) fn shift(&self, channel: &Channel, frame: &[f64]) -> f64 {
        let place = if self.whole_place { (self.axes * channel.axis).dot(&self.offset) } else { 0.0 };
        frame[channel.column] - place
    }

    /// Where it is in its parent.
    pub(super) fn place(&self, frame: &[f64]) -> Vec3 {
        let shifts = self.channels(ChannelKind::Shift);
        shifts
            .fold(self.offset, |place, channel| place + self.axes * channel.axis * self.shift(channel, frame))
    }

    /// How it is turned in its parent.
    pub(super) fn turn(&self, frame: &[f64]) -> Quat {
        let turns = self.channels(ChannelKind::Turn);
        let turn = turns.fold(Quat::identity(), |turn, channel| {
            turn * Quat::from_axis_angle(&Unit::new_unchecked(channel.axis), frame[channel.column])
        });
        self.axes * turn * self.axes.inverse()
    }
}

impl RecordedSkeleton {
    /// Where every joint is; without a frame, with all angles zero.
    pub(super) fn world_from_joint(&self, frame: Option<&[f64]>) -> Vec<Transform> {
        let mut world: Vec<Transform> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let local = frame.map_or_else(
                || Transform::from_parts(joint.offset.into(), Quat::identity()),
                |frame| Transform::from_parts(joint.place(frame).into(), joint.turn(frame)),
            );
            world.push(joint.parent.map_or(local, |parent| world[parent] * local));
        }
        world
    }

    /// Lengths of the box around all joints and ends of bones: forward, to the side, up.
    fn extent(&self, frame: Option<&[f64]>) -> Vec3 {
        let (mut low, mut high) = (Vec3::repeat(f64::MAX), Vec3::repeat(f64::MIN));
        for (joint, world) in self.joints.iter().zip(self.world_from_joint(frame)) {
            let ends = joint.ends.iter().map(|end| (world * nalgebra::Point3::from(*end)).coords);
            for point in ends.chain([world.translation.vector]) {
                (low, high) = (low.inf(&point), high.sup(&point));
            }
        }
        high - low
    }

    /// Frames to look at, evenly chosen.
    fn looked_at(take: &Take, frames: usize) -> impl Iterator<Item = usize> {
        let every = take.len().div_ceil(frames).max(1);
        (0..take.len()).step_by(every)
    }

    pub(super) fn stance(&self, take: &Take, settings: &RecordedStanceSettings) -> Stance {
        let zero = self.extent(None);
        let looked_at: Vec<(usize, Vec3)> =
            Self::looked_at(take, settings.frames).map(|k| (k, self.extent(Some(take.frame(k))))).collect();
        let usual = |axis: usize| median(looked_at.iter().map(|(_, extent)| extent[axis]).collect());
        let (Some(length), Some(height)) = (usual(0), usual(2)) else {
            return Stance {
                height: zero.z,
                frame: None,
                on_all_fours: zero.x > settings.all_fours * zero.z,
            };
        };
        let stands = |(frame, extent): &(usize, Vec3)| (extent.z >= height).then_some(*frame);
        let frame = if zero.z < settings.low * height { looked_at.iter().find_map(stands) } else { None };
        let first = if self.first_is_apart(take, settings) { looked_at[0].1.z } else { 0.0 };
        // Walking along the side shows the length there; it is turned about in most recordings.
        let on_all_fours =
            length.max(zero.x) > settings.all_fours * height && zero.x > settings.all_fours * zero.z;
        Stance { height: zero.z.max(height).max(first), frame, on_all_fours }
    }

    /// Whether the file, read as y up, has its legs lying along its z, by the names of feet: most files are y up, and
    /// nothing in them says so.
    pub(super) fn is_z_up(&self, take: &Take, settings: &RecordedStanceSettings) -> bool {
        let legs = self.legs();
        let (mut along_y, mut along_z) = (0.0, 0.0);
        let poses = Self::looked_at(take, settings.frames).map(|k| Some(take.frame(k)));
        // The zero pose of some files is folded; what is recorded counts if there is anything.
        let poses: Vec<Option<&[f64]>> = poses.chain(take.is_empty().then_some(None)).collect();
        for pose in poses {
            let world = self.world_from_joint(pose);
            for &[top, foot] in &legs {
                let leg = world[top].translation.vector - world[foot].translation.vector;
                along_y += leg.z; // in gambol's axes, in which the file's z is forward
                along_z += leg.x;
            }
        }
        along_z > settings.clearly * along_y.abs()
    }

    /// Where each leg begins, and the foot.
    fn legs(&self) -> Vec<[usize; 2]> {
        let is_foot = |joint: &RecordedJoint| {
            let name = joint.name.to_ascii_lowercase();
            FEET.iter().any(|foot| name.contains(foot))
        };
        let up = |foot: usize| std::iter::successors(Some(foot), |&joint| self.joints[joint].parent);
        let mut feet = vec![0; self.joints.len()];
        // The ankle of a foot with toes: it has no foot above it.
        let first = |&joint: &usize| {
            is_foot(&self.joints[joint]) && !up(joint).skip(1).any(|above| is_foot(&self.joints[above]))
        };
        let ankles: Vec<usize> = (0..self.joints.len()).filter(first).collect();
        for &ankle in &ankles {
            up(ankle).for_each(|joint| feet[joint] += 1);
        }
        let top = |ankle: usize| up(ankle).take_while(|&joint| feet[joint] == 1).last().unwrap_or(ankle);
        ankles.into_iter().map(|ankle| [top(ankle), ankle]).collect()
    }

    /// Turns a skeleton that was read as y up and is z up: its z becomes up, its −y forward.
    pub(super) fn stand_up(&mut self) {
        // In gambol's axes its z is x and its y is z: about y by −90°, x becomes z and z becomes −x.
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), -std::f64::consts::FRAC_PI_2);
        for joint in &mut self.joints {
            joint.offset = turn * joint.offset;
            joint.ends.iter_mut().for_each(|end| *end = turn * *end);
            joint.axes = turn * joint.axes;
        }
    }

    /// Shifts of a joint with an offset are read in two ways: some programs write how far it is off from there, some
    /// where it is. The reading is taken in which the joint stays nearer to its place.
    pub(super) fn read_places(&mut self, take: &Take) {
        for joint in &mut self.joints {
            let shifts: Vec<Channel> = joint.channels(ChannelKind::Shift).copied().collect();
            if shifts.is_empty() || joint.offset == Vec3::zeros() {
                continue;
            }
            let (mut off, mut whole) = (0.0, 0.0);
            for frame in take.frames() {
                joint.whole_place = false;
                off += (joint.place(frame) - joint.offset).norm();
                joint.whole_place = true;
                whole += (joint.place(frame) - joint.offset).norm();
            }
            joint.whole_place = whole < off;
        }
    }

    /// A joint in the place of its parent that never turns (CMU's hip joints) is part of it: as a joint of its own it
    /// would let the bone behind it swing about a point where nothing bends. In a take that does not turn the parent
    /// either nothing is known.
    pub(super) fn fix_still_doubles(&mut self, take: &Take) {
        let longest = self.joints.iter().map(|joint| joint.offset.norm()).fold(0.0, f64::max);
        let turns = |joint: &RecordedJoint| {
            let can = joint.channels(ChannelKind::Turn).next().is_some();
            can && take.frames().any(|frame| joint.turn(frame).angle() > NO_TURN)
        };
        for index in 0..self.joints.len() {
            let joint = &self.joints[index];
            let Some(parent) = joint.parent else { continue };
            let double = joint.offset.norm() <= SAME_PLACE * longest
                && joint.channels(ChannelKind::Shift).next().is_none()
                && !turns(joint);
            self.joints[index].fixed = double && turns(&self.joints[parent]);
        }
    }

    /// The largest turn of a joint from one frame to another, rad.
    fn step(&self, from: &[f64], to: &[f64]) -> f64 {
        self.joints.iter().map(|joint| joint.turn(from).angle_to(&joint.turn(to))).fold(0.0, f64::max)
    }

    /// The first frame is a pose of its own.
    pub(super) fn first_is_apart(&self, take: &Take, settings: &RecordedStanceSettings) -> bool {
        let frames: Vec<&[f64]> = take.frames().take(settings.frames).collect();
        let mut steps = frames.windows(2).map(|pair| self.step(pair[0], pair[1]));
        let Some(first) = steps.next() else { return false };
        median(steps.collect())
            .is_some_and(|usual| first > settings.apart && first > settings.apart_steps * usual)
    }

    /// Numbers in a pose, at most.
    pub fn pose_length(&self) -> usize {
        // Three shifts and a quaternion, or as many of them as there are channels for.
        self.joints
            .iter()
            .map(|joint| if joint.parent.is_none() { 7 } else { joint.channels.len() + 1 })
            .sum()
    }

    /// The pose of the creature that [`super::body::creature`] makes.
    pub(super) fn pose(&self, frame: &[f64], metres: f64) -> Vec<f64> {
        let mut pose = Vec::new();
        for joint in &self.joints {
            let turn = joint.turn(frame);
            let quaternion = [turn.w, turn.i, turn.j, turn.k];
            if joint.parent.is_none() {
                pose.extend((joint.place(frame) * metres).iter());
                pose.extend(quaternion);
            } else if !joint.fixed {
                pose.extend(
                    joint.channels(ChannelKind::Shift).map(|channel| joint.shift(channel, frame) * metres),
                );
                match joint.channels(ChannelKind::Turn).count() {
                    0..3 => {
                        pose.extend(joint.channels(ChannelKind::Turn).map(|channel| frame[channel.column]));
                    }
                    _ => pose.extend(quaternion),
                }
            }
        }
        pose
    }
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
