//! A clip at other times: between its keys, at another rate, in part.

use gambol_model::{Creature, Vec3, math};
use nalgebra::Complex;

use crate::{Clip, ClipError, Contact, Stride};

/// The most numbers of all poses that a new rate may lead to: a GiB.
const MOST_NUMBERS: f64 = (1 << 27) as f64;
/// A time this close to a key, in parts of a step, is the key's.
const SAME_TIME: f64 = 1e-6;

impl Clip {
    /// The pose at `time`, on the shortest way between the keys around it; before the first key and after the last one,
    /// those.
    pub fn pose_at(&self, creature: &Creature, time: f64) -> Vec<f64> {
        let Self { times, poses, .. } = self;
        let after = times.partition_point(|&key| key <= time).clamp(1, times.len().max(2) - 1);
        let Some(to) = poses.get(after) else { return poses[0].clone() };
        let share = (time - times[after - 1]) / (times[after] - times[after - 1]);
        let mut pose = poses[after - 1].clone();
        let mut way = vec![0.0; creature.nv()];
        creature.difference(&pose, to, &mut way);
        creature.integrate(&mut pose, &way, share.clamp(0.0, 1.0));
        pose
    }

    /// The pose at any `time`: a clip that loops goes on, a stride further with every turn; another one stays at its
    /// ends.
    pub fn sample(&self, creature: &Creature, time: f64) -> Vec<f64> {
        let start = self.times[0];
        let length = self.duration() - start;
        let Some(stride) = self.stride.filter(|_| length > 0.0) else { return self.pose_at(creature, time) };
        let turns = ((time - start) / length).floor();
        let mut pose = self.pose_at(creature, time - turns * length);
        stride.repeated(turns).apply(creature, &mut pose);
        pose
    }

    /// The same clip with `rate` keys per second. A loop gets the next whole number of steps, so that it closes as before;
    /// another clip loses less than a step at its end.
    pub fn resampled(&self, creature: &Creature, rate: f64) -> Result<Self, ClipError> {
        let start = self.times[0];
        let length = self.duration() - start;
        let steps = length * rate;
        // Not `>`, so that NaN is caught.
        if !(rate > 0.0 && steps * (creature.nq() as f64) < MOST_NUMBERS) {
            return Err(ClipError::Rate { rate });
        }
        let loops = self.stride.is_some();
        let steps = if loops { steps.round().max(1.0) } else { (steps + SAME_TIME).floor() };
        let step = if loops { length / steps } else { 1.0 / rate };
        let keys = (0_u32..).map(f64::from).take_while(|key| *key <= steps);
        let times: Vec<f64> = keys.map(|key| start + key * step).collect();
        let mut poses: Vec<Vec<f64>> = times.iter().map(|&time| self.pose_at(creature, time)).collect();
        if let (true, Some(last), Some(whole)) = (loops, poses.last_mut(), self.poses.last()) {
            last.clone_from(whole);
        }
        let end = times.last().copied().unwrap_or(start);
        let mut clip = Self { times, poses, contacts: self.contacts_within(start, end, 0.0), ..self.clone() };
        clip.align_signs(creature);
        Ok(clip)
    }

    /// The part between two times, each moved to the nearest key, from 0. Unless that is all of it, it does not loop.
    pub fn trimmed(&self, start: f64, end: f64) -> Result<Self, ClipError> {
        let nearest = |time: f64| {
            let after = self.times.partition_point(|&key| key < time).min(self.times.len() - 1);
            let before = after.saturating_sub(1);
            if time - self.times[before] < self.times[after] - time { before } else { after }
        };
        let (first, last) = (nearest(start), nearest(end));
        // Not `start >= end`, so that NaN is caught.
        if !(start < end && first < last) {
            return Err(ClipError::Part { start, end, length: self.duration() });
        }
        Ok(self.part(first, last))
    }

    /// The keys from `first` to `last`, both included, from 0. Unless these are all, it does not loop.
    #[must_use]
    pub fn part(&self, first: usize, last: usize) -> Self {
        let whole = first == 0 && last + 1 == self.times.len();
        let (start, end) = (self.times[first], self.times[last]);
        Self {
            name: self.name.clone(),
            times: self.times[first..=last].iter().map(|time| time - start).collect(),
            poses: self.poses[first..=last].to_vec(),
            stride: self.stride.filter(|_| whole),
            contacts: self.contacts_within(start, end, start),
            travel: self.travel.filter(|_| whole),
        }
    }

    /// Stances between two times, `earlier` seconds earlier.
    fn contacts_within(&self, start: f64, end: f64, earlier: f64) -> Vec<Contact> {
        let cut = |[from, to]: [f64; 2]| [from.max(start) - earlier, to.min(end) - earlier];
        let within = |contact: &Contact| Contact {
            intervals: contact.intervals.iter().map(|part| cut(*part)).filter(|[a, b]| a < b).collect(),
            ..contact.clone()
        };
        self.contacts.iter().map(within).collect()
    }
}

impl Stride {
    /// So many of it, one after the other; a whole number, also below 0. n steps of yaw ψ and shift s lead by
    /// Σₖ e^{ikψ} s = sin(nψ/2)/sin(ψ/2) e^{i(n−1)ψ/2} s, in the plane of complex numbers.
    #[must_use]
    pub fn repeated(&self, n: f64) -> Self {
        let half = 0.5 * self.yaw;
        let (sine, whole) = (math::sin(half), math::sin(n * half));
        // Of whole turns both sines vanish and all steps go the same way.
        let length = if sine.abs() < 1e-12 { n } else { whole / sine };
        let turn = if sine.abs() < 1e-12 { 0.0 } else { (n - 1.0) * half };
        let level = Complex::new(self.shift.x, self.shift.y) * math::polar(length, turn);
        Self { yaw: n * self.yaw, shift: Vec3::new(level.re, level.im, n * self.shift.z) }
    }
}
