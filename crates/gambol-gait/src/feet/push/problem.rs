//! The least squares of a plan: what is wished for, and what must be.

use std::f64::consts::PI;

use gambol_model::{Mat3, Vec3, math};
use nalgebra::{DMatrix, DVector};

use super::super::road::Moving;
use super::super::series::{convolution, convolved, integrator};
use super::normal::Normal;
use super::wave::Wave;
use super::{Lump, PARTS, Pusher, SHAPES, Wanted, force};
use crate::ObeySettings;

/// The least squares of [`plan`]. Unknowns: [`PARTS`] per wave, then the level place of the centre of mass.
pub(super) struct Problem<'a> {
    lump: &'a Lump,
    pushers: &'a [Pusher],
    wanted: &'a Wanted,
    settings: &'a ObeySettings,
    pub(super) waves: Vec<Wave>,
    /// Per wave and sample: its value, and its place in s².
    value: Vec<Vec<f64>>,
    twice: Vec<Vec<f64>>,
    /// Mean wanted place of the centre of mass, m; its height is kept.
    mean: Vec3,
    /// Mean wanted angular momentum: pushes say only how it changes.
    momentum: Vec3,
    prior: Vec<f64>,
    inverse_inertia: Mat3,
    once_kernel: Vec<f64>,
    twice_kernel: Vec<f64>,
    /// ∫ of the wanted momentum.
    wanted_turn: Vec<Vec3>,
}

/// Σ (p − c) × f about the last guess: linear in the unknowns, plus a constant, per axis and sample.
pub(super) struct Moments {
    rows: [DMatrix<f64>; 3],
    constant: Vec<Vec3>,
}

/// What the turn of the ground frame adds.
pub(super) struct Apparent {
    /// Acceleration of the centre of mass, mean, m/s².
    mean: Vec3,
    /// What it does to the centre of mass, per sample, m.
    pub(super) drift: Vec<Vec3>,
    /// How that changes, m/s.
    rate: Vec<Vec3>,
    /// −Ω × L per sample, N·m.
    moment: Vec<Vec3>,
}

/// What a round of least squares ends at.
pub(super) struct Round {
    pub(super) x: DVector<f64>,
    /// Angular momentum per sample, N·m·s.
    pub(super) momentum: Vec<Vec3>,
    pub(super) apparent: Apparent,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        lump: &'a Lump,
        pushers: &'a [Pusher],
        wanted: &'a Wanted,
        settings: &'a ObeySettings,
        humps: f64,
    ) -> Option<Self> {
        let n = wanted.center.len();
        if pushers.is_empty() || lump.gravity <= 0.0 || lump.mass <= 0.0 || lump.length <= 0.0 {
            return None;
        }
        let shapes = |(index, pusher): (usize, &Pusher)| {
            let (start, duration) = (pusher.start, pusher.end - pusher.start);
            (1..=pusher.shapes).map(move |b| Wave { pusher: index, start, duration, halves: b as f64 })
        };
        let waves: Vec<Wave> = pushers.iter().enumerate().flat_map(shapes).collect();
        let square = lump.period * lump.period;
        let sampled = |of: &dyn Fn(&Wave, f64) -> f64| -> Vec<Vec<f64>> {
            let over = |wave: &Wave| (0..n).map(|k| of(wave, k as f64 / n as f64)).collect();
            waves.iter().map(over).collect()
        };
        let once_kernel = integrator(n, 1, lump.period);
        Some(Self {
            value: sampled(&|wave, cycle| wave.value(cycle)),
            twice: sampled(&|wave, cycle| wave.twice_integrated(cycle) * square),
            mean: wanted.center.iter().sum::<Vec3>() / n as f64,
            momentum: wanted.momentum.iter().sum::<Vec3>() / n as f64,
            prior: prior(pushers, humps, &lump.up),
            inverse_inertia: lump.inertia.try_inverse()?,
            wanted_turn: convolved(&once_kernel, &wanted.momentum),
            twice_kernel: integrator(n, 2, lump.period),
            once_kernel,
            waves,
            lump,
            pushers,
            wanted,
            settings,
        })
    }

    fn samples(&self) -> usize {
        self.wanted.center.len()
    }

    /// All unknowns but the moments of feet that have no lever.
    fn columns(&self) -> Vec<usize> {
        let matters = |column: &usize| {
            let Some(wave) = self.waves.get(column / PARTS) else { return true };
            let part = column % PARTS;
            part < 3 || self.pushers[wave.pusher].levers.iter().any(|lever| lever[part - 3] != 0.0)
        };
        (0..self.unknowns()).filter(matters).collect()
    }

    /// Samples from one wish to the next.
    fn thinned(&self) -> usize {
        if self.lump.strides > 1.0 { self.settings.thinned } else { 1 }
    }

    /// Samples per stride: a stride counts the same in a gait and in a script.
    fn per_stride(&self) -> f64 {
        self.samples() as f64 / self.lump.strides
    }

    fn unknowns(&self) -> usize {
        PARTS * self.waves.len() + 2
    }

    /// The pushes of animals under the wanted centre of mass.
    pub(super) fn first(&self) -> DVector<f64> {
        let mut x = DVector::zeros(self.unknowns());
        x.rows_mut(0, self.prior.len()).copy_from_slice(&self.prior);
        x[self.prior.len()] = self.mean.x;
        x[self.prior.len() + 1] = self.mean.y;
        x
    }

    pub(super) fn mean(&self, x: &DVector<f64>) -> Vec3 {
        let level = self.prior.len();
        Vec3::new(x[level], x[level + 1], self.mean.z)
    }

    /// Σ over waves of x times what `of` gives per wave, in units of the gravity.
    fn summed(&self, x: &DVector<f64>, of: &dyn Fn(usize) -> f64) -> Vec3 {
        let g = self.lump.gravity;
        (0..self.waves.len()).map(|w| force(x, w) * (g * of(w))).sum()
    }

    /// The centre of mass at sample `k` but for the drift.
    fn center(&self, x: &DVector<f64>, k: usize) -> Vec3 {
        self.mean(x) + self.summed(x, &|w| self.twice[w][k])
    }

    /// About the last round; about the wanted motion for the first time, since a first guess that does not balance strays far.
    pub(super) fn moments(&self, last: Option<&Round>, apparent: &Apparent) -> Moments {
        let (n, size, lump) = (self.samples(), self.unknowns(), self.lump);
        let mut rows = [0, 1, 2].map(|_| DMatrix::zeros(n, size));
        let mut constant = vec![Vec3::zeros(); n];
        for k in 0..n {
            let drift = apparent.drift[k];
            let (center, total) = match last {
                Some(Round { x, apparent, .. }) => {
                    let total = self.summed(x, &|w| self.value[w][k]) * lump.mass;
                    (self.center(x, k) + apparent.drift[k], total)
                }
                None => (self.wanted.center[k], lump.up * (lump.mass * lump.gravity)),
            };
            let mut put = |column: usize, moment: Vec3| {
                for i in 0..3 {
                    rows[i][(k, column)] = moment[i];
                }
            };
            // Σ (p − c̃) × f − (c − c̃) × F̃
            for w in 0..self.waves.len() {
                let pusher = &self.pushers[self.waves[w].pusher];
                let arm = pusher.points[k] - center;
                for axis in 0..3 {
                    let force = Vec3::ith(axis, lump.mass * lump.gravity * self.value[w][k]);
                    let shift = Vec3::ith(axis, lump.gravity * self.twice[w][k]);
                    put(PARTS * w + axis, arm.cross(&force) - shift.cross(&total));
                    put(PARTS * w + 3 + axis, force * pusher.levers[k][axis]);
                }
            }
            for axis in 0..2 {
                put(self.prior.len() + axis, -Vec3::ith(axis, 1.0).cross(&total));
            }
            // Where all unknowns are 0, c has the mean height and the drift alone.
            constant[k] = (center - Vec3::z() * self.mean.z - drift).cross(&total);
        }
        Moments { rows, constant }
    }

    /// About the last round, or about the wanted motion for the first time.
    pub(super) fn apparent(&self, last: Option<&Round>) -> Apparent {
        let (n, lump) = (self.samples(), self.lump);
        if lump.frame.is_empty() {
            let nothing = vec![Vec3::zeros(); n];
            let [drift, rate, moment] = [nothing.clone(), nothing.clone(), nothing];
            return Apparent { mean: Vec3::zeros(), drift, rate, moment };
        }
        let (centers, velocities, momentum) = if let Some(Round { x, apparent, momentum }) = last {
            let centers = (0..n).map(|k| self.center(x, k) + apparent.drift[k]).collect();
            let pushed: Vec<Vec3> = (0..n).map(|k| self.summed(x, &|w| self.value[w][k])).collect();
            let mean = pushed.iter().sum::<Vec3>() / n as f64;
            let change: Vec<Vec3> = pushed.iter().map(|push| push - mean).collect();
            let velocities = convolved(&self.once_kernel, &change);
            let velocities = velocities.iter().zip(&apparent.rate).map(|(v, rate)| v + rate).collect();
            (centers, velocities, momentum)
        } else {
            let centers = self.wanted.center.clone();
            let step = lump.period / n as f64;
            let rate = |k: usize| (centers[(k + 1) % n] - centers[(k + n - 1) % n]) / (2.0 * step);
            let velocities: Vec<Vec3> = (0..n).map(rate).collect();
            (centers, velocities, &self.wanted.momentum)
        };
        let of = |k: usize| {
            let Moving { speed, turn, faster, tighter } = lump.frame[k];
            let (turn, center) = (Vec3::z() * turn, centers[k]);
            let frame = lump.forward * faster + turn.cross(&(lump.forward * speed));
            let round = turn.cross(&turn.cross(&center)) + (Vec3::z() * tighter).cross(&center);
            frame + turn.cross(&velocities[k]) * 2.0 + round
        };
        let all: Vec<Vec3> = (0..n).map(of).collect();
        let mean = all.iter().sum::<Vec3>() / n as f64;
        let change: Vec<Vec3> = all.iter().map(|a| mean - a).collect();
        let turned = |(momentum, frame): (&Vec3, &Moving)| -(Vec3::z() * frame.turn).cross(momentum);
        Apparent {
            mean,
            drift: convolved(&self.twice_kernel, &change),
            rate: convolved(&self.once_kernel, &change),
            moment: momentum.iter().zip(&lump.frame).map(turned).collect(),
        }
    }

    /// The nearest pushes about the guess `x`.
    pub(super) fn solve(
        &self,
        x: &DVector<f64>,
        moments: &Moments,
        apparent: &Apparent,
    ) -> Option<DVector<f64>> {
        let mut normal = Normal::new(self.columns());
        self.wish_centers(&mut normal, apparent);
        self.wish_heights(&mut normal, apparent);
        self.wish_turns(&mut normal, moments, apparent);
        self.wish_shapes(&mut normal);
        self.keep_cones(&mut normal, x);
        let (conditions, given) = self.recurrence(moments, apparent);
        normal.solve(&conditions, &given)
    }

    /// The centre of mass as wanted.
    fn wish_centers(&self, normal: &mut Normal, apparent: &Apparent) {
        let (n, g) = (self.samples(), self.lump.gravity);
        let mut row = vec![0.0; self.unknowns()];
        let thinned = self.thinned();
        for axis in 0..3 {
            for k in (0..n).step_by(thinned) {
                let mut weight = self.settings.center[axis];
                if axis == 2 {
                    weight += self.lump.level[k];
                }
                let weight = weight / self.lump.length * (thinned as f64 / self.per_stride()).sqrt();
                row.fill(0.0);
                for w in 0..self.waves.len() {
                    row[PARTS * w + axis] = g * self.twice[w][k];
                }
                let mut wanted = self.wanted.center[k][axis] - apparent.drift[k][axis];
                if axis < 2 {
                    row[self.prior.len() + axis] = 1.0;
                } else {
                    wanted -= self.mean.z;
                }
                normal.add(&row, wanted, weight);
            }
        }
    }

    /// Over every stride the centre of mass is as high as wanted in the mean: one stride alone has its mean, and many would drift.
    fn wish_heights(&self, normal: &mut Normal, apparent: &Apparent) {
        /// Means per stride.
        const MEANS: usize = 4;
        let (n, g) = (self.samples(), self.lump.gravity);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few dozen
        let window = (self.per_stride().round() as usize).max(1);
        if window >= n {
            return;
        }
        let weight = self.settings.height / self.lump.length / (MEANS as f64).sqrt();
        let mut row = vec![0.0; self.unknowns()];
        for first in (0..n).step_by(window.div_ceil(MEANS)) {
            let samples = || (first..first + window).map(|k| k % n);
            for w in 0..self.waves.len() {
                row[PARTS * w + 2] = samples().map(|k| g * self.twice[w][k]).sum::<f64>() / window as f64;
            }
            let wanted = samples().map(|k| self.wanted.center[k].z - apparent.drift[k].z - self.mean.z);
            let wanted = wanted.sum::<f64>() / window as f64;
            normal.add(&row, wanted, weight);
        }
    }

    /// The body turned as wanted: ∫∫ moments near ∫ wanted momentum, through the inertia.
    fn wish_turns(&self, normal: &mut Normal, moments: &Moments, apparent: &Apparent) {
        let n = self.samples();
        let thinned = self.thinned();
        let weight = self.settings.turn * (thinned as f64 / self.per_stride()).sqrt();
        let twice = convolution(&self.twice_kernel, thinned);
        let turned = [0, 1, 2].map(|i| &twice * &moments.rows[i]);
        let constant: Vec<Vec3> = moments.constant.iter().zip(&apparent.moment).map(|(a, b)| a + b).collect();
        let constant = convolved(&self.twice_kernel, &constant);
        for (row, k) in (0..n).step_by(thinned).enumerate() {
            let lacking = self.inverse_inertia * (self.wanted_turn[k] - constant[k]);
            for i in 0..3 {
                let of = |column: usize| {
                    (0..3).map(|j| self.inverse_inertia[(i, j)] * turned[j][(row, column)]).sum::<f64>()
                };
                let row: Vec<f64> = (0..self.unknowns()).map(of).collect();
                normal.add(&row, lacking[i], weight);
            }
        }
    }

    /// Pushes like those of animals, the finer shapes the more so.
    fn wish_shapes(&self, normal: &mut Normal) {
        let mut row = vec![0.0; self.unknowns()];
        for (index, prior) in self.prior.iter().enumerate() {
            row[index] = 1.0;
            let wave = &self.waves[index / PARTS];
            let natural = wave.halves * SHAPES as f64 / self.pushers[wave.pusher].shapes as f64;
            normal.add(&row, *prior, self.settings.shape * natural);
            row[index] = 0.0;
        }
    }

    /// Pushes inside their cones, where the guess `x` leaves them.
    fn keep_cones(&self, normal: &mut Normal, x: &DVector<f64>) {
        let n = self.samples();
        let (friction, weight) = (self.settings.friction, self.settings.cone / self.per_stride().sqrt());
        let mut row = vec![0.0; self.unknowns()];
        let mut first = 0;
        for pusher in self.pushers {
            let own = first..first + pusher.shapes;
            first += pusher.shapes;
            for k in 0..n {
                let mut f = [0.0; PARTS];
                for w in own.clone() {
                    for (part, f) in f.iter_mut().enumerate() {
                        *f += x[PARTS * w + part] * self.value[w][k];
                    }
                }
                // `out` is the way out of the cone; what is along it goes back to 0.
                let mut back = |out: [f64; PARTS]| {
                    row.fill(0.0);
                    for w in own.clone() {
                        for (part, out) in out.iter().enumerate() {
                            row[PARTS * w + part] = out * self.value[w][k];
                        }
                    }
                    normal.add(&row, 0.0, weight);
                };
                if f[2] < 0.0 {
                    back([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
                }
                let level = math::hypot(f[0], f[1]);
                if level > friction * f[2] && level > 0.0 {
                    back([f[0] / level, f[1] / level, -friction, 0.0, 0.0, 0.0]);
                }
                for part in 3..PARTS {
                    if f[part].abs() > f[2] {
                        let mut out = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
                        out[part] = f[part].signum();
                        back(out);
                    }
                }
            }
        }
    }

    /// Over the cycle the pushes carry the weight and turn nothing.
    fn recurrence(&self, moments: &Moments, apparent: &Apparent) -> (DMatrix<f64>, DVector<f64>) {
        let size = self.unknowns();
        let mut conditions = DMatrix::zeros(6, size);
        let mut given = DVector::zeros(6);
        for (w, wave) in self.waves.iter().enumerate() {
            for axis in 0..3 {
                conditions[(axis, PARTS * w + axis)] = wave.mean();
            }
        }
        for axis in 0..3 {
            given[axis] = apparent.mean[axis] / self.lump.gravity + self.lump.up[axis];
        }
        let unit = self.lump.mass * self.lump.gravity * self.lump.length * self.samples() as f64;
        for i in 0..3 {
            for j in 0..size {
                conditions[(3 + i, j)] = moments.rows[i].column(j).sum() / unit;
            }
            let constant = moments.constant.iter().zip(&apparent.moment).map(|(a, b)| a[i] + b[i]);
            given[3 + i] = -constant.sum::<f64>() / unit;
        }
        (conditions, given)
    }

    /// L that the moments make, about the wanted mean.
    pub(super) fn momentum(&self, x: &DVector<f64>, moments: &Moments, apparent: &Apparent) -> Vec<Vec3> {
        let rate = |k: usize| {
            Vec3::from_fn(|i, _| (moments.rows[i].row(k) * x)[0]) + moments.constant[k] + apparent.moment[k]
        };
        let rates: Vec<Vec3> = (0..self.samples()).map(rate).collect();
        convolved(&self.once_kernel, &rates).into_iter().map(|change| change + self.momentum).collect()
    }
}

/// Pushes of animals: against the weight, with two humps in long stances and one in short ones; even where they stand at rest.
fn prior(pushers: &[Pusher], humps: f64, up: &Vec3) -> Vec<f64> {
    let mut prior = Vec::new();
    for pusher in pushers {
        // From one hump at half the stride to two at two thirds.
        let q = humps * ((pusher.duty - 0.5) / 0.15).clamp(0.0, 1.0);
        // ∫ (sin πs + q sin 3πs) ds = (2 + 2q/3)/π
        let height = pusher.load * PI / (2.0 + 2.0 * q / 3.0);
        for b in 1..=pusher.shapes {
            let push = match b {
                // 1 = 4/π Σ sin(bπs)/b over the odd ones
                _ if pusher.shapes > SHAPES && b % 2 == 1 => pusher.load * 4.0 / (PI * b as f64),
                1 if pusher.shapes <= SHAPES => height,
                3 if pusher.shapes <= SHAPES => height * q,
                _ => 0.0,
            };
            prior.extend([push * up.x, push * up.y, push * up.z, 0.0, 0.0, 0.0]);
        }
    }
    prior
}
