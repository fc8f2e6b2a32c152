//! The way over the ground taken out of a clip, so that a game can lead the creature itself.

use gambol_model::{Creature, Joint, JointKind, Vec3, math};
use nalgebra::Complex;

use crate::{Clip, Stride};

/// Points of the ground are x + iy.
const ORIGIN: Complex<f64> = Complex { re: 0.0, im: 0.0 };

/// A stride whose turn is closer than this to whole turns has no centre of its own, rad: rounding of a shift of 1 m
/// would move the centre by a micrometre.
const WHOLE_TURN: f64 = 1e-9;

/// The way of a clip that does not loop is smoothed by a bell of this standard deviation, √(h/g), h the height of its root at the start: people
/// take a step in 1.6 of that, and two steps sway to both sides.
const SMOOTH: f64 = 0.8;
/// So many of them away a bell is over.
const FARTHEST: f64 = 4.0;

/// The first joint by which a creature is free.
fn free(creature: &Creature) -> Option<&Joint> {
    creature.joints().iter().find(|joint| joint.kind == JointKind::Free)
}

/// A steady motion along the ground; after the time 1 it has done a stride.
struct Screw {
    /// rad
    yaw: f64,
    /// Velocity along the ground (x + iy) of what is at the world's origin at the start, m.
    velocity: Complex<f64>,
    /// What no steady turn can do: whole turns that end elsewhere. Added in proportion to time, m.
    drift: Complex<f64>,
    /// m
    rise: f64,
}

impl Clip {
    /// How far the creature has come at each key: nothing at the first, the stride at the last, and between them the
    /// steady motion (a screw about the vertical) that leads there.
    ///
    /// A clip that does not loop goes where its first free body goes, without the sway of its steps, level and without a turn: who
    /// starts or stops does so here too.
    pub fn path(&self, creature: &Creature) -> Vec<Stride> {
        if self.stride.is_none() {
            return self.wandering(creature);
        }
        let screw = self.screw(creature);
        self.fractions().map(|fraction| screw.after(fraction)).collect()
    }

    /// The clip without its way over the ground: the inverse of [`Clip::path`] on every key. A loop then ends with
    /// exactly the pose with which it starts.
    #[must_use]
    pub fn in_place(&self, creature: &Creature) -> Self {
        let mut clip = self.clone();
        for (pose, way) in clip.poses.iter_mut().zip(self.path(creature)) {
            way.inverse().apply(creature, pose);
        }
        if let (Some(stride), [first, .., last]) = (&mut clip.stride, clip.poses.as_mut_slice()) {
            last.clone_from(first);
            *stride = Stride::NONE;
        }
        clip.align_signs(creature);
        clip
    }

    /// Each key's share of the clip's time, from 0 to 1.
    fn fractions(&self) -> impl Iterator<Item = f64> {
        let start = self.times.first().copied().unwrap_or(0.0);
        let length = self.duration() - start;
        self.times.iter().map(move |time| if length > 0.0 { (time - start) / length } else { 0.0 })
    }

    /// The way of the first free body from where it starts: a mean over the times about each key, weighed by a bell. Before the first key and
    /// after the last one the way is thought to go on as it came, mirrored at that point, so that both ends are met.
    fn wandering(&self, creature: &Creature) -> Vec<Stride> {
        let (Some(root), [first, ..]) = (free(creature), self.poses.as_slice()) else {
            return vec![Stride::NONE; self.poses.len()];
        };
        let level = |pose: &[f64]| Complex::new(pose[root.q], pose[root.q + 1]);
        let places: Vec<Complex<f64>> = self.poses.iter().map(|pose| level(pose) - level(first)).collect();
        let gravity = creature.gravity().norm();
        let bell = if gravity > 0.0 { SMOOTH * (first[root.q + 2].abs() / gravity).sqrt() } else { 0.0 };
        let last = places.len() - 1;
        // Key `k` of the clip that goes on, which may be one before the first or after the last.
        let thought = |k: isize| {
            let end = last.cast_signed();
            let at = |k: isize| (self.times[k.unsigned_abs()], places[k.unsigned_abs()]);
            let mirrored = |about: isize| {
                let ((time, place), (at_time, at_place)) = (at(about), at(2 * about - k));
                (2.0 * time - at_time, place * 2.0 - at_place)
            };
            match k {
                k if k < -end || k > 2 * end => None,
                k if k < 0 => Some(mirrored(0)),
                k if k > end => Some(mirrored(end)),
                k => Some(at(k)),
            }
        };
        let smooth = |k: usize| {
            let (mut sum, mut weights) = (places[k], 1.0);
            // To both sides alike, so that what goes evenly stays where it is.
            for step in 1..=last.cast_signed() {
                let both = [k.cast_signed() - step, k.cast_signed() + step].map(thought);
                let [Some(before), Some(after)] = both else { break };
                let apart = 0.5 * (after.0 - before.0) / bell;
                if apart.is_nan() || apart >= FARTHEST {
                    break;
                }
                let weight = math::exp(-0.5 * apart * apart);
                sum += (before.1 + after.1) * weight;
                weights += 2.0 * weight;
            }
            sum / weights
        };
        let stride = |place: Complex<f64>| Stride { yaw: 0.0, shift: Vec3::new(place.re, place.im, 0.0) };
        (0..=last).map(|k| stride(smooth(k))).collect()
    }

    fn screw(&self, creature: &Creature) -> Screw {
        let free = free(creature);
        let (Some(root), [first, .., last]) = (free, self.poses.as_slice()) else {
            return Screw::from_stride(Stride::NONE, || ORIGIN);
        };
        let level = |pose: &[f64]| Complex::new(pose[root.q], pose[root.q + 1]);
        let stride = self.stride.unwrap_or_else(|| {
            let way = level(last) - level(first);
            Stride { yaw: 0.0, shift: Vec3::new(way.re, way.im, 0.0) }
        });
        Screw::from_stride(stride, || {
            let steps = self.poses.iter().zip(self.fractions());
            centre(steps.map(|(pose, fraction)| (level(pose), stride.yaw * fraction)))
        })
    }
}

impl Screw {
    /// The steady motion that does `stride`. Whole turns have any point as their centre: `centre` names one.
    ///
    /// A motion with yaw ψ and velocity u shifts the origin by V(ψ) u, with V(ψ) = ∫₀¹ R(ψ t) dt.
    fn from_stride(stride: Stride, centre: impl FnOnce() -> Complex<f64>) -> Self {
        let Stride { yaw, shift } = stride;
        let turns = yaw.abs() > std::f64::consts::PI && math::sin(0.5 * yaw).abs() < WHOLE_TURN;
        let level = Complex::new(shift.x, shift.y);
        let (velocity, drift) = if turns {
            (Complex::new(0.0, -yaw) * centre(), level)
        } else {
            (level / mean_turn(yaw), ORIGIN)
        };
        Self { yaw, velocity, drift, rise: shift.z }
    }

    fn after(&self, time: f64) -> Stride {
        let level = (mean_turn(self.yaw * time) * self.velocity + self.drift) * time;
        Stride { yaw: self.yaw * time, shift: Vec3::new(level.re, level.im, self.rise * time) }
    }
}

/// V(ψ) as a complex number: the mean of all turns from 0 to ψ, sin(ψ/2)/(ψ/2) · e^{iψ/2}.
fn mean_turn(yaw: f64) -> Complex<f64> {
    let (sine, cosine) = math::sin_cos(0.5 * yaw);
    let length = if yaw == 0.0 { 1.0 } else { sine / (0.5 * yaw) };
    Complex::new(cosine, sine) * length
}

/// The centre c of the circle p ≈ c + e^{iθ} m on which points p at known angles θ lie best, by least squares.
fn centre(points: impl Iterator<Item = (Complex<f64>, f64)>) -> Complex<f64> {
    let (mut count, mut turns, mut places, mut turned_back) = (0.0, ORIGIN, ORIGIN, ORIGIN);
    for (place, angle) in points {
        let (sine, cosine) = math::sin_cos(angle);
        let turn = Complex::new(cosine, sine);
        count += 1.0;
        turns += turn;
        places += place;
        turned_back += turn.conj() * place;
    }
    // Normal equations: n c + E m = Σp, conj(E) c + n m = Σ e^{−iθ} p.
    let spread = count - turns.norm_sqr() / count;
    if spread < WHOLE_TURN {
        return places / count; // keys at one angle tell nothing about the circle
    }
    (places - turns * turned_back / count) / spread
}

impl Stride {
    /// Stays where it is.
    pub const NONE: Self = Self { yaw: 0.0, shift: Vec3::new(0.0, 0.0, 0.0) };

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let (sine, cosine) = math::sin_cos(self.yaw);
        let [x, y, z] = self.shift.into();
        Self { yaw: -self.yaw, shift: -Vec3::new(cosine * x + sine * y, cosine * y - sine * x, z) }
    }
}
