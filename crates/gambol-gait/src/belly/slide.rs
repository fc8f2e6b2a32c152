//! Along the ground: the friction of all that touches it adds up to nothing.
//!
//! Friction is taken as proportional to speed and to load, and `across` times as large across a segment as along it.
//! That makes the motion along the ground linear in the bending: at every instant the one that costs the least work.
//! What can stay in place does, so a wheel rolls.

use gambol_model::{Transform, Vec3};
use gambol_motion::Stride;
use nalgebra::{Point3, Translation3};

use super::balance::{Drag, Twist, derivative, resistance, system};
use super::path::{Path, Slip, integrals, yaw_between};
use super::rest::{Contact, Lying, Rest};
use super::scene::{BellyScene, yaw};
use crate::GaitError;

/// The path along the ground.
pub(super) fn path(scene: &BellyScene, across: f64) -> Result<Path, GaitError> {
    // Scales hold across the body only where it lies on its belly.
    let lying = Rest::new(scene, across > 1.0)?.lie()?;
    let slide = Slide::new(scene, &lying, across);
    let speeds: Vec<Twist> = (0..lying.heights.len()).map(|k| slide.balanced(k)).collect();
    let speeds = slide.rounded(&speeds);
    let slip = slide.slip(&speeds);
    let (world_from_float, stride) = slide.integrate(&speeds);
    Ok(Path { world_from_float, stride, slip })
}

struct Slide<'s> {
    scene: &'s BellyScene<'s>,
    lying: &'s Lying,
    across: f64,
    /// What the tilts turn about the vertical from the first to the one after the last, rad.
    holonomy: f64,
}

impl<'s> Slide<'s> {
    fn new(scene: &'s BellyScene<'s>, lying: &'s Lying, across: f64) -> Self {
        let holonomy = yaw_between(&lying.tilts[0], &lying.tilts[lying.heights.len()]);
        Self { scene, lying, across, holonomy }
    }

    /// A point of a body at the samples from two before `k` to two after it, as the tilts alone move it around the
    /// centre of mass, m.
    fn points(&self, k: usize, contact: &Contact) -> [Vec3; 5] {
        [0, 1, 2, 3, 4].map(|later| self.point(k + later, contact))
    }

    /// The point two samples before `k`, which may run over the end.
    fn point(&self, k: usize, contact: &Contact) -> Vec3 {
        let n = self.lying.heights.len();
        let (at, turns) = ((k + n - 2) % n, ((k + n - 2) / n) as f64 - 1.0);
        let float_from_body = &self.scene.frames[at % self.scene.samples()][contact.body];
        let point = self.lying.tilts[at] * (float_from_body * Point3::from(contact.point)).coords;
        yaw(self.holonomy * turns) * point
    }

    /// What holds the body at sample `k`.
    fn drags(&self, k: usize) -> Vec<Drag> {
        let level = gambol_model::Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0));
        let drag = |contact: &Contact| {
            let [a, b, at, c, d] = self.points(k, contact);
            let float_from_body = &self.scene.frames[k % self.scene.samples()][contact.body];
            let axis = self.scene.segments[contact.body].axis;
            let axis = axis.map(|axis| self.lying.tilts[k] * (float_from_body.rotation * axis));
            Drag {
                at,
                velocity: derivative([a, b, c, d], self.scene.step),
                resistance: level * resistance(axis, self.across, contact.load) * level,
            }
        };
        self.lying.contacts[k].iter().map(drag).collect()
    }

    /// Velocity of the centre of mass along the ground and its turning at which no force and no moment is left.
    fn balanced(&self, k: usize) -> Twist {
        let left = self.lying.tilts[k] * self.scene.left;
        let free = if self.scene.planar {
            vec![Twist::slide(left.cross(&Vec3::z()).normalize())]
        } else {
            vec![Twist::slide(Vec3::x()), Twist::slide(Vec3::y()), Twist::turn(Vec3::z())]
        };
        let (a, b) = system(&self.drags(k), &free, self.scene.settings.lie.patch * self.scene.size);
        // Touches always bear load and resist in all directions: the matrix is positive.
        let speeds = a.cholesky().map_or_else(|| vec![0.0; free.len()], |a| a.solve(&b).as_slice().to_vec());
        Twist::sum(&free, &speeds)
    }

    /// Velocities without the jumps where load passes from one touch to another.
    fn rounded(&self, speeds: &[Twist]) -> Vec<Twist> {
        // Turned back evenly by what the tilts turn in all, the series has no step at its seam.
        let back = |k: usize| -self.holonomy * k as f64 / speeds.len() as f64;
        let linear: Vec<Vec3> = (0..speeds.len()).map(|k| yaw(back(k)) * speeds[k].linear).collect();
        let angular: Vec<Vec3> = speeds.iter().map(|speed| speed.angular).collect();
        let (linear, angular) = (self.scene.rounded(&linear), self.scene.rounded(&angular));
        let twist = |k: usize| Twist { linear: yaw(-back(k)) * linear[k], angular: angular[k] };
        (0..speeds.len()).map(twist).collect()
    }

    fn slip(&self, speeds: &[Twist]) -> Slip {
        let mut slip =
            Slip { penetration: self.lying.penetration, hover: self.lying.hover, ..Slip::default() };
        let mut aside = 0.0;
        for (k, speed) in speeds.iter().enumerate() {
            let mut now = 0.0;
            for (contact, drag) in self.lying.contacts[k].iter().zip(self.drags(k)) {
                let mut moves = drag.velocity + speed.at(drag.at);
                moves.z = 0.0;
                now += contact.load * moves.norm();
                let float_from_body = &self.scene.frames[k % self.scene.samples()][contact.body];
                let axis = self.scene.segments[contact.body].axis.unwrap_or_else(Vec3::zeros);
                let mut along = self.lying.tilts[k] * (float_from_body.rotation * axis);
                along.z = 0.0;
                let along = along.try_normalize(1e-9).unwrap_or_else(Vec3::zeros);
                aside += contact.load * (moves - along * moves.dot(&along)).norm() * self.scene.step;
            }
            slip.way += now * self.scene.step;
            slip.fastest = slip.fastest.max(now);
        }
        slip.sideways = if slip.way > 0.0 { aside / slip.way } else { 0.0 };
        slip.way /= speeds.len() as f64 / self.scene.samples() as f64;
        slip
    }

    /// From velocities in the frame of the tilts to places in the world.
    fn integrate(&self, speeds: &[Twist]) -> (Vec<Transform>, Stride) {
        let (n, step) = (speeds.len(), self.scene.step);
        let spins: Vec<Vec3> = speeds.iter().map(|speed| speed.angular).collect();
        let turns = integrals(spins[n - 1], &spins, [spins[0], spins[1]], step);
        let mut angles = vec![0.0];
        for turn in turns {
            angles.push(angles[angles.len() - 1] + turn.z);
        }
        let whole = angles[n] + self.holonomy;
        let in_world: Vec<Vec3> = (0..n).map(|k| yaw(angles[k]) * speeds[k].linear).collect();
        let after = [yaw(whole) * in_world[0], yaw(whole) * in_world[1]];
        let ways = integrals(yaw(-whole) * in_world[n - 1], &in_world, after, step);
        let mut place = Vec3::zeros();
        let mut frames = Vec::with_capacity(n);
        for k in 0..n {
            let position = place + Vec3::z() * self.lying.heights[k];
            let frame =
                Transform::from_parts(Translation3::from(position), yaw(angles[k]) * self.lying.tilts[k]);
            frames.push(frame);
            place += ways[k];
        }
        (frames, Stride { yaw: whole, shift: place })
    }
}
