//! A clip as a motion: its keys, beyond the ends of a loop too, and velocities and accelerations at them.

use std::borrow::Cow;

use gambol_model::{Creature, JointKind, Vec3, math};
use gambol_motion::{Clip, Stride};
use nalgebra::Matrix3;

/// Keys of a clip; those of a loop go on on both sides, a stride further with every turn.
pub(super) struct Track<'c> {
    creature: &'c Creature,
    clip: &'c Clip,
    /// If it loops.
    stride: Option<Stride>,
    /// Keys that differ: all, but for the last of a loop.
    pub(super) count: usize,
}

/// Velocity and acceleration at a key.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    pub(super) v: Vec<f64>,
    pub(super) a: Vec<f64>,
    /// From the key to another one.
    way: Vec<f64>,
}

impl Rates {
    pub(super) fn new(creature: &Creature) -> Self {
        let zeros = vec![0.0; creature.nv()];
        Self { v: zeros.clone(), a: zeros.clone(), way: zeros }
    }
}

/// Rotations between keys that are further apart than this are not smooth enough for differences of high order, rad. A parabola
/// follows them as well as it can: neighbours alone would be all noise.
const FAR: f64 = 1.5;

impl<'c> Track<'c> {
    /// The clip has been checked against the creature.
    pub(super) fn new(creature: &'c Creature, clip: &'c Clip) -> Self {
        let stride = clip.stride.filter(|_| clip.times.len() > 1);
        let count = clip.times.len() - usize::from(stride.is_some());
        Self { creature, clip, stride, count }
    }

    pub(super) fn loops(&self) -> bool {
        self.stride.is_some()
    }

    /// How far a loop comes with every turn.
    pub(super) fn turn(&self) -> Option<Stride> {
        self.stride
    }

    /// How the first free body goes over the ground on the whole, m/s.
    pub(super) fn travel(&self) -> Vec3 {
        let free = self.creature.joints().iter().find(|joint| joint.kind == JointKind::Free);
        let Some(root) = free.filter(|_| self.length() > 0.0) else { return Vec3::zeros() };
        let place = |pose: &[f64]| Vec3::new(pose[root.q], pose[root.q + 1], 0.0);
        let last = if self.loops() { self.count.cast_signed() } else { self.count.cast_signed() - 1 };
        (place(&self.pose(0, last)) - place(&self.pose(0, 0))) / self.length()
    }

    /// s, of one turn.
    pub(super) fn length(&self) -> f64 {
        self.clip.duration() - self.clip.times[0]
    }

    /// From how many keys before to how many after `key` the keys within `reach` on either side are; near the ends of a clip that
    /// does not loop, as many all the same, as far as there are.
    pub(super) fn window(&self, key: usize, reach: usize) -> [isize; 2] {
        let reach = reach.cast_signed();
        if self.loops() {
            return [-reach, reach];
        }
        let (before, after) = (key.cast_signed(), (self.count - 1 - key).cast_signed());
        let from = reach.max(2 * reach - after).min(before);
        let to = reach.max(2 * reach - before).min(after);
        [-from, to]
    }

    /// The key `by` keys after `key`, within the turn, and in which turn that is.
    fn place(&self, key: usize, by: isize) -> (usize, f64) {
        let count = self.count.cast_signed();
        let at = key.cast_signed() + by;
        let turn = at.div_euclid(count);
        (at.rem_euclid(count).cast_unsigned(), turn as f64)
    }

    /// The key so far away, within the turn; `None` beyond the ends.
    pub(super) fn neighbour(&self, key: usize, by: isize) -> Option<usize> {
        let (at, turn) = self.place(key, by);
        (self.loops() || turn == 0.0).then_some(at)
    }

    /// s; the same key in the turns before and after is so much earlier or later.
    pub(super) fn time(&self, key: usize, by: isize) -> f64 {
        let (at, turn) = self.place(key, by);
        self.clip.times[at] + turn * self.length()
    }

    pub(super) fn pose(&self, key: usize, by: isize) -> Cow<'c, [f64]> {
        let (at, turn) = self.place(key, by);
        let pose = &self.clip.poses[at];
        match self.stride {
            Some(stride) if turn != 0.0 => {
                let mut moved = pose.clone();
                stride.repeated(turn).apply(self.creature, &mut moved);
                Cow::Owned(moved)
            }
            _ => Cow::Borrowed(pose.as_slice()),
        }
    }

    /// So many keys on either side of `key` are within `time`, s; at least one.
    pub(super) fn within(&self, key: usize, time: f64) -> usize {
        let step = self.time(key, self.window(key, 1)[1]) - self.time(key, self.window(key, 1)[0]);
        let keys = self.window(key, 1)[1] - self.window(key, 1)[0];
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
        let reach = (time * keys as f64 / step + 1e-6).clamp(1.0, MOST_REACH) as usize;
        reach
    }

    /// Velocity and acceleration at `key` from the keys in `window` about it.
    ///
    /// In the chart x(t) = difference(q, q(t)) about the key, x = 0 there. The velocity is ẋ − ½ [x, ẋ] + …, so at the key v = ẋ
    /// and, since [ẋ, ẋ] = 0, also a = ẍ: differences of x are as exact as those of a path in flat space.
    pub(super) fn rates(&self, key: usize, window: &Window, rates: &mut Rates) {
        if !self.differences(key, window, rates) && window.keys != self.window(key, 1) {
            self.differences(key, &Window { keys: self.window(key, 1), ..*window }, rates);
        }
    }

    /// Whether all keys are near enough for their rotations to be smooth.
    fn differences(&self, key: usize, window: &Window, rates: &mut Rates) -> bool {
        let now = self.time(key, 0);
        let [from, to] = window.keys;
        let times: Vec<f64> = (from..=to).map(|by| self.time(key, by) - now).collect();
        let weights = if window.noisy { parabola(&times) } else { weights(&times) };
        let Rates { v, a, way } = rates;
        v.fill(0.0);
        a.fill(0.0);
        let pose = self.pose(key, 0);
        let mut near = true;
        for (by, [first, second]) in (from..=to).zip(weights).filter(|(by, _)| *by != 0) {
            self.creature.difference(&pose, &self.pose(key, by), way);
            near &= window.noisy || way.iter().all(|x| x.abs() < FAR);
            for ((v, a), x) in v.iter_mut().zip(a.iter_mut()).zip(way.iter()) {
                *v += first * x;
                *a += second * x;
            }
        }
        near
    }
}

/// Which keys tell a velocity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// From how many before to how many after.
    pub(super) keys: [isize; 2],
    /// By the parabola of least squares through them, not the polynomial through all.
    pub(super) noisy: bool,
}

/// Most keys on either side: of a recording at a thousand keys a second.
const MOST_REACH: f64 = 40.0;

/// Weights of function values at `times` in the first and the second derivative at time 0 of the parabola c + v t + ½ a t² that
/// fits them best: rows of (Xᵀ X)⁻¹ Xᵀ with X = [1, t, t²]. Of three times it goes through all three.
fn parabola(times: &[f64]) -> Vec<[f64; 2]> {
    // In parts of the longest, so that the sums are of one size.
    let unit = times.iter().map(|time| time.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let mut normal = Matrix3::zeros();
    for time in times {
        let row = Vec3::new(1.0, time / unit, math::square(time / unit));
        normal += row * row.transpose();
    }
    let Some(inverse) = normal.try_inverse() else { return weights(times) };
    let of = |time: &f64| {
        let row = inverse * Vec3::new(1.0, time / unit, math::square(time / unit));
        [row.y / unit, 2.0 * row.z / (unit * unit)]
    };
    times.iter().map(of).collect()
}

/// Weights of function values at `times` in the first and the second derivative at time 0 (Fornberg 1988, with the highest
/// derivative 2). At −h, 0, h they are (−1, 0, 1)/2h and (1, −2, 1)/h².
fn weights(times: &[f64]) -> Vec<[f64; 2]> {
    let mut w = vec![[0.0; 3]; times.len()];
    w[0][0] = 1.0;
    let mut product = 1.0;
    for i in 1..times.len() {
        let mut own = 1.0;
        for j in 0..i {
            let gap = times[i] - times[j];
            own *= gap;
            if j + 1 == i {
                for m in (0..3).rev() {
                    let lower = if m == 0 { 0.0 } else { m as f64 * w[i - 1][m - 1] };
                    w[i][m] = product / own * (lower - times[i - 1] * w[i - 1][m]);
                }
            }
            for m in (0..3).rev() {
                let lower = if m == 0 { 0.0 } else { m as f64 * w[j][m - 1] };
                w[j][m] = (times[i] * w[j][m] - lower) / gap;
            }
        }
        product = own;
    }
    w.into_iter().map(|[_, first, second]| [first, second]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_differentiate_polynomials_exactly() {
        for times in [vec![-0.1, 0.0, 0.1], vec![-0.3, 0.0, 0.1], vec![-0.4, -0.2, -0.1, 0.0, 0.1, 0.3, 0.35]]
        {
            let weights = weights(&times);
            for power in 0..i32::try_from(times.len()).unwrap() {
                let sum = |k: usize| -> f64 {
                    times.iter().zip(&weights).map(|(t, w)| w[k] * gambol_model::math::powi(*t, power)).sum()
                };
                let (first, second) =
                    (f64::from(u8::from(power == 1)), 2.0 * f64::from(u8::from(power == 2)));
                assert!(
                    (sum(0) - first).abs() < 1e-9 && (sum(1) - second).abs() < 1e-7,
                    "{times:?}, {power}"
                );
            }
        }
        let plain = weights(&[-0.5, 0.0, 0.5]);
        assert_eq!(plain, [[-1.0, 4.0], [0.0, -8.0], [1.0, 4.0]]);
    }

    #[test]
    fn a_parabola_is_exact_for_parabolas_and_calms_noise() {
        let times: Vec<f64> = (-4..=4).map(|k| f64::from(k) / 120.0).collect();
        let fitted = parabola(&times);
        let sum = |k: usize, of: &dyn Fn(f64) -> f64| -> f64 {
            times.iter().zip(&fitted).map(|(t, w)| w[k] * of(*t)).sum()
        };
        let path = |t: f64| 3.0 - 2.0 * t + 0.5 * 7.0 * t * t;
        assert!((sum(0, &path) + 2.0).abs() < 1e-9 && (sum(1, &path) - 7.0).abs() < 1e-7);
        // Of three keys it is the central difference.
        for (a, b) in parabola(&[-0.3, 0.0, 0.1]).iter().zip(weights(&[-0.3, 0.0, 0.1])) {
            assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-7);
        }
        // How much of independent noise at the keys comes through: a twentieth of that of neighbours.
        let noise = |weights: &[[f64; 2]]| weights.iter().map(|w| w[1] * w[1]).sum::<f64>().sqrt();
        let near = weights(&[-1.0 / 120.0, 0.0, 1.0 / 120.0]);
        assert!(noise(&fitted) < 0.05 * noise(&near), "{} {}", noise(&fitted), noise(&near));
    }
}
