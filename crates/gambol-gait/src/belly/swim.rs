//! Through water: the drag on all segments adds up to nothing.
//!
//! Resistive force theory (Gray and Hancock 1955): a piece of a slender body is held back in proportion to its speed
//! and length, `across` times as much across its axis as along it. The body's motion follows at every instant from
//! no force and no moment. Buoyancy keeps it level and at its depth; only a body that waves up and down, like a whale,
//! pitches and rises as drag has it, and rights itself slowly.
//!
//! What is large and quick leaves water behind that it has moved aside, and drag knows nothing of that push. Where module `thrust` says
//! how far a beat takes the body, what is missing for it (or is too much) is a push straight ahead that moves the whole and turns nothing: a bent
//! body that were pushed at its centre alone would spin.

use gambol_model::{Quat, Transform, Vec3};
use gambol_motion::Stride;
use nalgebra::{DVector, Point3, Translation3, Vector6};

use super::balance::{Drag, Twist, derivative, resistance, system};
use super::path::{Path, Slip, yaw_between};
use super::rest::Rest;
use super::scene::BellyScene;
use crate::GaitError;

/// Difference of depth, as a share of the size, and of up, rad, at which it swims as it did a period ago.
const SAME_SWIM: f64 = 1e-12;
/// Rounds of finding the speed that the push adds, and the share of the whole that is left to find.
const PUSH_ROUNDS: usize = 6;
const SAME_SPEED: f64 = 1e-6;

/// The path through the water.
pub(super) fn path(scene: &BellyScene, across: f64, advance: Option<f64>) -> Result<Path, GaitError> {
    let drifts = Flow::new(scene, across, 0.0)?;
    let Some(advance) = advance else { return drifts.path() };
    let period = scene.step * scene.samples() as f64;
    let forward = scene.left.cross(&Vec3::z());
    let ahead = |path: &Path| path.travel().dot(&forward) / period;
    // The way is linear in what is added, by the cosine of the small turns of the whole, which a few rounds of the secant see to.
    let (mut path, mut push, mut rate) = (drifts.path()?, 0.0, 1.0);
    for _ in 0..PUSH_ROUNDS {
        let (before, lacks) = (ahead(&path), advance / period - ahead(&path));
        if lacks.abs() <= SAME_SPEED * advance.abs() / period {
            break;
        }
        push += lacks / rate;
        path = Flow::new(scene, across, push)?.path()?;
        let by = ahead(&path) - before;
        if by * lacks > 0.0 {
            rate *= by / lacks;
        }
    }
    Ok(path)
}

/// The water is deep enough: raised as a whole where something would go below the ground.
pub(super) fn off_the_bottom(scene: &BellyScene, mut frames: Vec<Transform>) -> Vec<Transform> {
    let Ok(rest) = Rest::new(scene, false) else { return frames };
    let lowest =
        |(k, frame): (usize, &Transform)| frame.translation.z + rest.lowest_point(k, &frame.rotation);
    let lowest = frames.iter().enumerate().map(lowest).fold(0.0, f64::min);
    for frame in &mut frames {
        frame.translation.z -= lowest;
    }
    frames
}

/// How the body swims at every sample, in its floating frame.
struct Flow<'s> {
    scene: &'s BellyScene<'s>,
    drags: Vec<Vec<Drag>>,
    /// Velocity of the centre of mass, and angular velocity, at which drag adds up to nothing.
    swims: Vec<Vector6<f64>>,
    /// Height of the centre of mass that it keeps, m.
    depth: f64,
}

impl<'s> Flow<'s> {
    /// `push` is the speed ahead that is added, m/s.
    fn new(scene: &'s BellyScene<'s>, across: f64, push: f64) -> Result<Self, GaitError> {
        let n = scene.samples();
        let forward = scene.left.cross(&Vec3::z());
        let free = if scene.planar {
            [Twist::slide(forward), Twist::slide(Vec3::z()), Twist::turn(scene.left)]
        } else {
            [Twist::slide(Vec3::x()), Twist::slide(Vec3::y()), Twist::turn(Vec3::z())]
        };
        let (mut all, mut swims) = (Vec::new(), Vec::new());
        let ahead = DVector::from_iterator(free.len(), free.iter().map(|free| free.linear.dot(&forward)));
        for k in 0..n {
            let drags = drags(scene, k, across);
            let (a, b) = system(&drags, &free, scene.settings.swim.thickness * scene.size);
            let none = || GaitError::Body(format!("{} has nothing to swim with", scene.creature.name()));
            let resists = a.cholesky().ok_or_else(none)?;
            let velocity = resists.solve(&b) + &ahead * push;
            let twist = Twist::sum(&free, velocity.as_slice());
            let (v, w) = (twist.linear, twist.angular);
            swims.push(Vector6::new(v.x, v.y, v.z, w.x, w.y, w.z));
            all.push(drags);
        }
        let depth = scene.given.iter().map(|frame| frame.translation.z).sum::<f64>() / n as f64;
        Ok(Self { scene, drags: all, swims, depth })
    }

    /// The period that recurs.
    fn path(&self) -> Result<Path, GaitError> {
        let scene = self.scene;
        let mut start = Transform::from_parts(scene.given[0].translation, Quat::identity());
        for _ in 0..scene.settings.swim.patience {
            let (frames, end) = self.swim(start);
            let up = |frame: &Transform| frame.rotation.inverse() * Vec3::z();
            let depth = (end.translation.z - start.translation.z).abs() / scene.size;
            if (up(&start) - up(&end)).norm() + depth < SAME_SWIM {
                let yaw = yaw_between(&start.rotation, &end.rotation);
                let mut shift = end.translation.vector - super::scene::yaw(yaw) * start.translation.vector;
                shift.z = 0.0;
                let world_from_float = off_the_bottom(scene, frames);
                return Ok(Path { world_from_float, stride: Stride { yaw, shift }, slip: self.slip() });
            }
            start = Transform::from_parts(Translation3::new(0.0, 0.0, end.translation.z), end.rotation);
        }
        Err(GaitError::Body(format!("{} does not come to a steady motion", scene.creature.name())))
    }

    /// One period from `start`: the frames at all samples, and the one after.
    fn swim(&self, start: Transform) -> (Vec<Transform>, Transform) {
        let (n, step) = (self.scene.samples(), self.scene.step);
        let mut frames = Vec::with_capacity(n);
        let mut frame = start;
        for k in 0..n {
            frames.push(frame);
            // The classical Runge-Kutta step; the turns within it are so small that they add up as vectors.
            let k1 = self.velocity(&frame, k, false);
            let k2 = self.velocity(&moved(&frame, k1 * (0.5 * step)), k, true);
            let k3 = self.velocity(&moved(&frame, k2 * (0.5 * step)), k, true);
            let k4 = self.velocity(&moved(&frame, k3 * step), k + 1, false);
            frame = moved(&frame, (k1 + (k2 + k3) * 2.0 + k4) * (step / 6.0));
        }
        (frames, frame)
    }

    /// Linear velocity along the world axes and angular velocity in the floating frame, at sample `k` or half a step
    /// later.
    fn velocity(&self, frame: &Transform, k: usize, half: bool) -> Vector6<f64> {
        let n = self.scene.samples();
        let up = frame.rotation.inverse() * Vec3::z();
        let rate = 1.0 / (self.scene.settings.swim.righting * self.scene.step * n as f64);
        let righting = Vec3::z().cross(&up) * rate;
        let rise = up * (rate * (self.depth - frame.translation.z));
        let own = between(k, half, n, |k| self.swims[k]);
        let linear = frame.rotation * (own.fixed_rows::<3>(0) + rise);
        let angular = own.fixed_rows::<3>(3) + righting;
        Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
    }

    fn slip(&self) -> Slip {
        let (mut slip, mut aside) = (Slip::default(), 0.0);
        let length: f64 = self.scene.segments.iter().map(|segment| segment.length).sum();
        for (k, drags) in self.drags.iter().enumerate() {
            let s = &self.swims[k];
            let twist = Twist { linear: Vec3::new(s[0], s[1], s[2]), angular: Vec3::new(s[3], s[4], s[5]) };
            let mut now = 0.0;
            for (place, drag) in places(self.scene).zip(drags) {
                let load = 0.5 * self.scene.segments[place.0].length / length;
                let moves = drag.velocity + twist.at(drag.at);
                let axis = self.scene.segments[place.0].axis.unwrap_or_else(Vec3::zeros);
                let along = self.scene.frames[k][place.0].rotation * axis;
                now += load * moves.norm();
                aside += load * (moves - along * moves.dot(&along)).norm() * self.scene.step;
            }
            slip.way += now * self.scene.step;
            slip.fastest = slip.fastest.max(now);
        }
        slip.sideways = if slip.way > 0.0 { aside / slip.way } else { 0.0 };
        slip
    }
}

/// The points that stand for the segments: body and place in its frame.
fn places<'s>(scene: &'s BellyScene) -> impl Iterator<Item = (usize, Vec3)> + 's {
    let long = scene.segments.iter().enumerate().skip(1).filter(|(_, segment)| segment.length > 0.0);
    long.flat_map(|(body, segment)| segment.points().map(|point| (body, point)))
}

/// Drag at sample `k` in the floating frame.
fn drags(scene: &BellyScene, k: usize, across: f64) -> Vec<Drag> {
    let n = scene.samples();
    let drag = |(body, point): (usize, Vec3)| {
        let at = |k: usize| (scene.frames[k % n][body] * Point3::from(point)).coords;
        let segment = &scene.segments[body];
        let axis = segment.axis.map(|axis| scene.frames[k][body].rotation * axis);
        Drag {
            at: at(k),
            velocity: derivative([k + n - 2, k + n - 1, k + 1, k + 2].map(at), scene.step),
            resistance: resistance(axis, across, 0.5 * segment.length),
        }
    };
    places(scene).map(drag).collect()
}

/// A periodic value at sample `k`, or half a step later by a cubic through four samples.
fn between<T>(k: usize, half: bool, n: usize, value: impl Fn(usize) -> T) -> T
where
    T: std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    if !half {
        return value(k % n);
    }
    let [a, b, c, d] = [k + n - 1, k, k + 1, k + 2].map(|k| value(k % n));
    (b + c) * (9.0 / 16.0) - (a + d) * (1.0 / 16.0)
}

/// `frame` moved by a way along the world axes and a turn about its own.
fn moved(frame: &Transform, by: Vector6<f64>) -> Transform {
    let turn = Quat::from_scaled_axis(Vec3::new(by[3], by[4], by[5]));
    let position = frame.translation.vector + Vec3::new(by[0], by[1], by[2]);
    Transform::from_parts(Translation3::from(position), frame.rotation * turn)
}
