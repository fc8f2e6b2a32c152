//! A clip as BVH (Biovision hierarchy), in metres and degrees, y up and z forward.
//!
//! In BVH a joint without rotation has the axes of its parent, so every joint here has the world's axes in the creature's
//! reference pose: with all angles zero a reader shows that pose.

use std::collections::HashSet;
use std::f64::consts::{PI, TAU};
use std::fmt::Write;

use gambol_dynamics::Data;
use gambol_model::{Creature, Mat3, Quat, Shape, Transform, Vec3, math};
use gambol_motion::Clip;

use super::{ClipFileError, check, floats, frames, frames_over_time, size, unused_name, y_up, y_up_rotation};

/// A joint whose place in its parent stays this close to that of the reference pose has no position channels, in parts
/// of the creature's size. Far below what a viewer shows, far above rounding.
const STILL: f64 = 1e-7;
/// Keys may be off from equal steps of time by this share of a step.
const EVEN: f64 = 1e-3;
/// Below this cosine the first and the last of the three angles turn about the same axis: only their sum is known.
const GIMBAL: f64 = 1e-9;
/// Time step of a clip with one key, s.
const ONE_KEY_STEP: f64 = 1.0 / 30.0;
/// Deeper joints are not indented further: a chain of a hundred thousand would be all tabs.
const DEEPEST_INDENT: usize = 40;

/// The clip as the text of a `.bvh` file.
pub fn to_bvh(creature: &Creature, clip: &Clip) -> Result<String, ClipFileError> {
    check(creature, clip)?;
    let step = time_step(&clip.times)?;
    let hierarchy = Hierarchy::new(creature, clip);
    let mut text = hierarchy.text();
    let _ = writeln!(text, "MOTION\nFrames: {}\nFrame Time: {step:.7}", clip.times.len());
    let channels = hierarchy.channels();
    for key in 0..clip.times.len() {
        let line: Vec<&str> = channels.iter().map(|channel| channel[key].as_str()).collect();
        let _ = writeln!(text, "{}", line.join(" "));
    }
    Ok(text)
}

fn time_step(times: &[f64]) -> Result<f64, ClipFileError> {
    let [first, .., last] = times else { return Ok(ONE_KEY_STEP) };
    let step = (last - first) / (times.len() - 1) as f64;
    let uneven = |(key, time): (usize, &f64)| (time - first - key as f64 * step).abs() > EVEN * step;
    match times.iter().enumerate().position(uneven) {
        Some(key) => Err(ClipFileError::UnevenTimes { key }),
        None => Ok(step),
    }
}

/// The bodies as joints.
struct Hierarchy<'c> {
    creature: &'c Creature,
    /// Body of the ROOT; the world, if several bodies hang from it.
    root: usize,
    /// Joints below each.
    children: Vec<Vec<usize>>,
    parents: Vec<usize>,
    names: Vec<String>,
    /// Per body, in the reference pose.
    reference: Vec<Transform>,
    /// Per key and body.
    world: Vec<Vec<Transform>>,
    /// Per body: whether it has position channels.
    shifts: Vec<bool>,
}

impl<'c> Hierarchy<'c> {
    fn new(creature: &'c Creature, clip: &Clip) -> Self {
        let bodies = creature.bodies();
        let mut children = vec![Vec::new(); bodies.len()];
        let mut parents = vec![0; bodies.len()];
        for (index, body) in bodies.iter().enumerate().skip(1) {
            parents[index] = if floats(creature, index) { 0 } else { body.parent };
            children[parents[index]].push(index);
        }
        let root = if let [only] = children[0][..] { only } else { 0 };
        let reference = frames(creature, &mut Data::new(creature), creature.reference_pose());
        let mut hierarchy = Self {
            creature,
            root,
            children,
            parents,
            names: names(creature),
            world: frames_over_time(creature, clip),
            shifts: Vec::new(),
            reference,
        };
        let still = STILL * size(creature, &hierarchy.reference);
        let moves = |index: usize| {
            let bound = hierarchy.offset(index);
            let moved = |key| (hierarchy.place(key, index) - bound).norm() > still;
            index == root || (0..clip.poses.len()).any(moved)
        };
        hierarchy.shifts = (0..bodies.len()).map(moves).collect();
        hierarchy
    }

    /// The turn of body `index` since the reference pose.
    fn turn(&self, key: usize, index: usize) -> Quat {
        self.world[key][index].rotation * self.reference[index].rotation.inverse()
    }

    /// Where body `index` is in its parent joint in the reference pose, m.
    fn offset(&self, index: usize) -> Vec3 {
        self.reference[index].translation.vector - self.reference[self.parents[index]].translation.vector
    }

    /// The same at a key.
    fn place(&self, key: usize, index: usize) -> Vec3 {
        let parent = self.parents[index];
        let world = &self.world[key];
        self.turn(key, parent).inverse()
            * (world[index].translation.vector - world[parent].translation.vector)
    }

    /// Bodies from the root on, depth first, each with its depth.
    fn depth_first(&self) -> Vec<(usize, usize)> {
        let (mut order, mut waiting) = (Vec::new(), vec![(self.root, 0)]);
        while let Some((index, depth)) = waiting.pop() {
            order.push((index, depth));
            waiting.extend(self.children[index].iter().rev().map(|&child| (child, depth + 1)));
        }
        order
    }

    fn text(&self) -> String {
        let mut text = String::from("HIERARCHY\n");
        let indent = |depth: usize| "\t".repeat(depth.min(DEEPEST_INDENT));
        let order = self.depth_first();
        for (place, &(index, depth)) in order.iter().enumerate() {
            let word = if index == self.root { "ROOT" } else { "JOINT" };
            let (outside, inside) = (indent(depth), indent(depth + 1));
            // With position channels some readers add the offset and some do not: it is zero.
            let offset = if self.shifts[index] { Vec3::zeros() } else { self.offset(index) };
            let channels = if self.shifts[index] { "6 Xposition Yposition Zposition" } else { "3" };
            let _ = writeln!(
                text,
                "{outside}{word} {}\n{outside}{{\n{inside}OFFSET {}\n{inside}CHANNELS {channels} Zrotation Xrotation Yrotation",
                self.names[index],
                metres(offset).join(" ")
            );
            if self.children[index].is_empty() {
                let end = metres(self.reference[index].rotation * self.end(index)).join(" ");
                let _ = writeln!(text, "{inside}End Site\n{inside}{{\n{inside}\tOFFSET {end}\n{inside}}}");
            }
            // Close this joint and those above it that end here.
            let next = order.get(place + 1).map_or(0, |&(_, depth)| depth);
            for depth in (next..=depth).rev() {
                let _ = writeln!(text, "{}}}", indent(depth));
            }
        }
        text
    }

    /// Where the last bone ends, in the body frame: the far side of the body's shapes, seen from its joint through its
    /// centre of mass.
    fn end(&self, index: usize) -> Vec3 {
        let body = &self.creature.bodies()[index];
        let com = body.mass.com;
        let onward = self.reference[index].rotation.inverse() * self.offset(index);
        let Some(direction) = com.try_normalize(1e-9).or_else(|| onward.try_normalize(1e-9)) else {
            return Vec3::zeros();
        };
        let reach = |shape: &Shape, place: &Transform| {
            let farthest = shape.support(place.rotation.inverse() * direction);
            (place * nalgebra::Point3::from(farthest)).coords.dot(&direction)
        };
        let shapes = &self.creature.shapes()[body.shapes.clone()];
        let far = shapes.iter().map(|shape| reach(&shape.shape, &shape.body_from_shape)).fold(0.0, f64::max);
        let length = if far > 0.0 { far } else { com.norm().max(0.5 * onward.norm()) };
        direction * length
    }

    /// The numbers of every channel, in the order of the hierarchy, over all keys.
    fn channels(&self) -> Vec<Vec<String>> {
        let keys = 0..self.world.len();
        let mut channels = Vec::new();
        for (index, _) in self.depth_first() {
            if self.shifts[index] {
                let places: Vec<[String; 3]> =
                    keys.clone().map(|key| metres(self.place(key, index))).collect();
                channels.extend((0..3).map(|k| places.iter().map(|place| place[k].clone()).collect()));
            }
            let mut before = [0.0; 3];
            let angles: Vec<[f64; 3]> = keys
                .clone()
                .map(|key| {
                    let turn = self.turn(key, self.parents[index]).inverse() * self.turn(key, index);
                    let turn = y_up_rotation(turn).to_rotation_matrix();
                    before = zxy(turn.matrix(), before);
                    before
                })
                .collect();
            channels.extend(
                (0..3).map(|k| {
                    angles.iter().map(|angles| number(angles[k].to_degrees(), 6)).collect::<Vec<_>>()
                }),
            );
        }
        channels
    }
}

/// The angles z, x, y with R = Rz(z) Rx(x) Ry(y) that are nearest to those `before`, rad. There are two sets of them, and
/// each angle counts modulo a turn.
fn zxy(r: &Mat3, before: [f64; 3]) -> [f64; 3] {
    // The middle column of R is (−sin z cos x, cos z cos x, sin x).
    let z = if math::hypot(r.m12, r.m22) < GIMBAL { before[0] } else { math::atan2(-r.m12, r.m22) };
    let candidates = [z, z + PI].map(|z| {
        let (sine, cosine) = math::sin_cos(z);
        // What is left after turning back by z is Rx Ry, whose first row is (cos y, 0, sin y).
        let x = math::atan2(r.m32, cosine * r.m22 - sine * r.m12);
        let y = math::atan2(cosine * r.m13 + sine * r.m23, cosine * r.m11 + sine * r.m21);
        let near = |angle: f64, before: f64| angle + TAU * ((before - angle) / TAU).round();
        [near(z, before[0]), near(x, before[1]), near(y, before[2])]
    });
    let way =
        |angles: &[f64; 3]| -> f64 { angles.iter().zip(before).map(|(a, b)| math::square(a - b)).sum() };
    if way(&candidates[1]) < way(&candidates[0]) { candidates[1] } else { candidates[0] }
}

/// Names without spaces and braces, each once; the world's is that of the creature.
fn names(creature: &Creature) -> Vec<String> {
    let mut taken = HashSet::new();
    let bodies = creature.bodies().iter().skip(1).map(|body| body.name.as_str());
    let mut clean = |name: &str| {
        let unfit = |c: char| c.is_whitespace() || c.is_control() || c == '{' || c == '}';
        let name: String = name.chars().map(|c| if unfit(c) { '_' } else { c }).collect();
        let name = unused_name(if name.is_empty() { "joint" } else { &name }, |name| taken.contains(name));
        taken.insert(name.clone());
        name
    };
    let mut names: Vec<String> = bodies.map(&mut clean).collect();
    names.insert(0, clean(creature.name()));
    names
}

/// To the nanometre, in BVH's axes.
fn metres(v: Vec3) -> [String; 3] {
    let [x, y, z] = y_up(v).into();
    [x, y, z].map(|x| number(x, 9))
}

/// A number without a sign on zero.
fn number(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if !rest.bytes().any(|c| (b'1'..=b'9').contains(&c)) => rest.to_owned(),
        _ => text,
    }
}
