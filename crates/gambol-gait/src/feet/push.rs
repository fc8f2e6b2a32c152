//! The pushes of the feet, and the motion of the body as a whole that they make.
//!
//! Over its stance, s from 0 to 1, each foot pushes with f(s) = m g Σ_b x_b sin(bπs): nothing at touchdown and lift-off.
//! The centre of mass c and the angular momentum L about it follow (Newton and Euler),
//!
//! ```text
//! m c̈ = Σ f − m g        L̇ = Σ (p − c) × f
//! ```
//!
//! p the middles of the soles; a push may wander over its sole, which is a moment besides. Both recur after a cycle: the pushes carry the weight, and turn nothing, on the whole. Of all
//! such pushes inside their friction cones the plan takes those whose c and L are nearest to the motion of the vibrations,
//! and that are nearest to the pushes of animals (Alexander and Jayes 1978). c is linear in x; L nearly so, and a few
//! rounds of linear least squares settle it.
//!
//! All of it is told in the creature's ground frame, which travels and turns with it. Even travel does not matter; one that changes adds
//! its acceleration v̇, and a turn by Ω the apparent ones Ω × v + 2 Ω × ċ + Ω × (Ω × c) + Ω̇ × c and Ω × L, taken from the round before.

use std::f64::consts::PI;

use gambol_model::{Mat3, Vec3, math};
use nalgebra::{DMatrix, DVector};

use super::road::Moving;
use super::series::{convolution, convolved, integrator, look_up};
use crate::ObeySettings;

/// Shapes of a push per component: sines of one to this many half periods, for a stance of a gait. Longer ones have more.
pub(super) const SHAPES: usize = 4;
/// Numbers of a shape: a force, and a moment in units of the levers.
const PARTS: usize = 6;

/// A foot that pushes for a part of the cycle.
#[derive(Clone, Debug)]
pub(super) struct Pusher {
    /// Touchdown and lift-off, cycles.
    pub(super) start: f64,
    pub(super) end: f64,
    /// Share of a stride that it stands.
    pub(super) duty: f64,
    /// What animals push with in the mean over such a stance, weights.
    pub(super) load: f64,
    /// Sines of one to this many half periods.
    pub(super) shapes: usize,
    /// The middle of where the ground may push it at each sample, m; used while it stands.
    pub(super) points: Vec<Vec3>,
    /// How far the push may wander from there at each sample, as levers, m: its moments about the three axes are at most these
    /// times the upward push. Nothing for the tip of a paw, half the length of a sole.
    pub(super) levers: Vec<Vec3>,
}

/// What the plan should come near to, at each sample of the cycle.
pub(super) struct Wanted {
    /// Centre of mass, m.
    pub(super) center: Vec<Vec3>,
    /// Angular momentum about it, N·m·s.
    pub(super) momentum: Vec<Vec3>,
}

/// The body as a whole.
pub(super) struct Lump {
    /// kg
    pub(super) mass: f64,
    /// m/s²
    pub(super) gravity: f64,
    /// Inertia about the centre of mass with all joints held, mean over the cycle, kg·m².
    pub(super) inertia: Mat3,
    /// Length of the legs, m.
    pub(super) length: f64,
    /// s
    pub(super) period: f64,
    /// Strides in that time.
    pub(super) strides: f64,
    /// Unit vector ahead in the ground frame.
    pub(super) forward: Vec3,
    /// What the ground frame does at each sample; nothing where Newton's laws hold in it.
    pub(super) frame: Vec<Moving>,
    /// How slowly it goes at each sample, 0 to 1.
    pub(super) slow: Vec<f64>,
}

impl ObeySettings {
    /// How slowly who has legs of this `length` goes, 0 to 1, by Froude's number v²/(g h).
    pub(super) fn slowness(&self, speed: f64, gravity: f64, length: f64) -> f64 {
        let [slow, fast] = self.slow;
        let froude = speed * speed / (gravity * length).max(f64::MIN_POSITIVE);
        ((fast - froude) / (fast - slow).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }
}

/// A motion of the body as a whole with the pushes that make it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    waves: Vec<Wave>,
    /// Acceleration of the centre of mass per wave, m/s².
    x: Vec<Vec3>,
    /// Mean place of the centre of mass, m.
    pub(super) mean: Vec3,
    /// What the turn of the ground frame adds to it, per sample, m; nothing on a straight way.
    drift: Vec<Vec3>,
    /// Angular momentum per sample, N·m·s.
    pub(super) momentum: Vec<Vec3>,
    period: f64,
}

impl Plan {
    /// The centre of mass at `cycle`, m.
    pub(super) fn center(&self, cycle: f64) -> Vec3 {
        let square = self.period * self.period;
        let pushed = |(wave, x): (&Wave, &Vec3)| x * (wave.twice_integrated(cycle) * square);
        let mut center = self.mean + self.waves.iter().zip(&self.x).map(pushed).sum::<Vec3>();
        if !self.drift.is_empty() {
            let weights = look_up(self.drift.len(), 0.5, cycle);
            center += weights.iter().zip(&self.drift).map(|(w, d)| d * *w).sum::<Vec3>();
        }
        center
    }
}

/// One shape of one push: sin(bπs) over a stance.
#[derive(Clone, Copy, Debug)]
struct Wave {
    /// Index of its foot.
    pusher: usize,
    start: f64,
    /// In cycles.
    duration: f64,
    /// b
    halves: f64,
}

impl Wave {
    fn value(&self, cycle: f64) -> f64 {
        let s = (cycle - self.start).rem_euclid(1.0) / self.duration;
        if s < 1.0 { math::sin(self.halves * PI * s) } else { 0.0 }
    }

    /// Over the cycle.
    fn mean(&self) -> f64 {
        self.duration * (1.0 - math::cos(self.halves * PI)) / (self.halves * PI)
    }

    /// The periodic function of mean zero whose second derivative by the cycle is the wave less its mean.
    fn twice_integrated(&self, cycle: f64) -> f64 {
        // With u = cycle − start in 0..1, d the duration and k = bπ/d, integrated from u = 0 on:
        //   once (1 − cos ku)/k, constant after d;   twice u/k − sin(ku)/k², linear after d.
        let u = (cycle - self.start).rem_euclid(1.0);
        let (d, k) = (self.duration, self.halves * PI / self.duration);
        let mean = (1.0 - math::cos(k * d)) / k;
        let second = |u: f64| {
            let inside = u.min(d);
            inside / k - math::sin(k * inside) / (k * k) + mean * (u - inside)
        };
        // Less the parabola of the mean, and with the slope that closes the cycle.
        let slope = 0.5 * mean - second(1.0);
        let value = second(u) - 0.5 * mean * u * u + slope * u;
        // ∫ of `second` over the stance and after it, of the parabola and of the slope.
        let rest = 1.0 - d;
        let inside = d * d / (2.0 * k) - (1.0 - math::cos(k * d)) / (k * k * k);
        let outside = second(d) * rest + 0.5 * mean * rest * rest;
        value - (inside + outside - mean / 6.0 + 0.5 * slope)
    }
}

/// Plans the pushes; `None` where there is no solution, as without gravity. `humps`: see [`crate::FeetSettings::push_humps`].
pub(super) fn plan(
    lump: &Lump,
    pushers: &[Pusher],
    wanted: &Wanted,
    settings: &ObeySettings,
    humps: f64,
) -> Option<Plan> {
    let problem = Problem::new(lump, pushers, wanted, settings, humps)?;
    let mut last: Option<Round> = None;
    for _ in 0..settings.plans {
        let apparent = problem.apparent(last.as_ref());
        let moments = problem.moments(last.as_ref(), &apparent);
        let guess = last.map_or_else(|| problem.first(), |last| last.x);
        let x = problem.solve(&guess, &moments, &apparent)?;
        last = Some(Round { momentum: problem.momentum(&x, &moments, &apparent), x, apparent });
    }
    let Round { x, momentum, apparent } = last?;
    let drift = if lump.frame.is_empty() { Vec::new() } else { apparent.drift };
    let of_wave = |w: usize| force(&x, w) * lump.gravity;
    Some(Plan {
        x: (0..problem.waves.len()).map(of_wave).collect(),
        mean: problem.mean(&x),
        waves: problem.waves,
        drift,
        momentum,
        period: lump.period,
    })
}

/// The force of a wave, in weights.
fn force(x: &DVector<f64>, wave: usize) -> Vec3 {
    Vec3::new(x[PARTS * wave], x[PARTS * wave + 1], x[PARTS * wave + 2])
}

/// The least squares of [`plan`]. Unknowns: [`PARTS`] per wave, then the level place of the centre of mass.
struct Problem<'a> {
    lump: &'a Lump,
    pushers: &'a [Pusher],
    wanted: &'a Wanted,
    settings: &'a ObeySettings,
    waves: Vec<Wave>,
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
struct Moments {
    rows: [DMatrix<f64>; 3],
    constant: Vec<Vec3>,
}

/// What the turn of the ground frame adds.
struct Apparent {
    /// Acceleration of the centre of mass, mean, m/s².
    mean: Vec3,
    /// What it does to the centre of mass, per sample, m.
    drift: Vec<Vec3>,
    /// How that changes, m/s.
    rate: Vec<Vec3>,
    /// −Ω × L per sample, N·m.
    moment: Vec<Vec3>,
}

/// What a round of least squares ends at.
struct Round {
    x: DVector<f64>,
    /// Angular momentum per sample, N·m·s.
    momentum: Vec<Vec3>,
    apparent: Apparent,
}

impl<'a> Problem<'a> {
    fn new(
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
            prior: prior(pushers, humps),
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

    /// Samples per stride: a stride counts the same in a gait and in a script.
    /// Samples from one wish to the next.
    fn thinned(&self) -> usize {
        if self.lump.strides > 1.0 { self.settings.thinned } else { 1 }
    }

    fn per_stride(&self) -> f64 {
        self.samples() as f64 / self.lump.strides
    }

    fn unknowns(&self) -> usize {
        PARTS * self.waves.len() + 2
    }

    /// The pushes of animals under the wanted centre of mass.
    fn first(&self) -> DVector<f64> {
        let mut x = DVector::zeros(self.unknowns());
        x.rows_mut(0, self.prior.len()).copy_from_slice(&self.prior);
        x[self.prior.len()] = self.mean.x;
        x[self.prior.len() + 1] = self.mean.y;
        x
    }

    fn mean(&self, x: &DVector<f64>) -> Vec3 {
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
    fn moments(&self, last: Option<&Round>, apparent: &Apparent) -> Moments {
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
                None => (self.wanted.center[k], Vec3::z() * (lump.mass * lump.gravity)),
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
    fn apparent(&self, last: Option<&Round>) -> Apparent {
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
    fn solve(&self, x: &DVector<f64>, moments: &Moments, apparent: &Apparent) -> Option<DVector<f64>> {
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
                    weight += self.settings.level * self.lump.slow[k];
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
            given[axis] = apparent.mean[axis] / self.lump.gravity;
        }
        given[2] += 1.0;
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
    fn momentum(&self, x: &DVector<f64>, moments: &Moments, apparent: &Apparent) -> Vec<Vec3> {
        let rate = |k: usize| {
            Vec3::from_fn(|i, _| (moments.rows[i].row(k) * x)[0]) + moments.constant[k] + apparent.moment[k]
        };
        let rates: Vec<Vec3> = (0..self.samples()).map(rate).collect();
        convolved(&self.once_kernel, &rates).into_iter().map(|change| change + self.momentum).collect()
    }
}

/// Pushes of animals: straight up, with two humps in long stances and one in short ones; even where they stand at rest.
fn prior(pushers: &[Pusher], humps: f64) -> Vec<f64> {
    let mut prior = Vec::new();
    for pusher in pushers {
        // From one hump at half the stride to two at two thirds.
        let q = humps * ((pusher.duty - 0.5) / 0.15).clamp(0.0, 1.0);
        // ∫ (sin πs + q sin 3πs) ds = (2 + 2q/3)/π
        let height = pusher.load * PI / (2.0 + 2.0 * q / 3.0);
        for b in 1..=pusher.shapes {
            let up = match b {
                // 1 = 4/π Σ sin(bπs)/b over the odd ones
                _ if pusher.shapes > SHAPES && b % 2 == 1 => pusher.load * 4.0 / (PI * b as f64),
                1 if pusher.shapes <= SHAPES => height,
                3 if pusher.shapes <= SHAPES => height * q,
                _ => 0.0,
            };
            prior.extend([0.0, 0.0, up, 0.0, 0.0, 0.0]);
        }
    }
    prior
}

/// Weighted least squares, row by row.
struct Normal {
    /// The columns that matter; what is left out is 0.
    columns: Vec<usize>,
    /// Of these columns: the part below the diagonal.
    matrix: DMatrix<f64>,
    right: DVector<f64>,
    /// Rows that wait, one after another.
    waiting: Vec<f64>,
}

impl Normal {
    /// Rows that are added at once: as many as stay near the processor, so that a large matrix is not read for every row.
    const AT_ONCE: usize = 32;

    fn new(columns: Vec<usize>) -> Self {
        let size = columns.len();
        Self { columns, matrix: DMatrix::zeros(size, size), right: DVector::zeros(size), waiting: Vec::new() }
    }

    /// weight · (row·x − wanted) → 0
    fn add(&mut self, row: &[f64], wanted: f64, weight: f64) {
        let from = self.waiting.len();
        self.waiting.extend(self.columns.iter().map(|&column| weight * row[column]));
        for (right, a) in self.right.iter_mut().zip(&self.waiting[from..]) {
            *right += weight * wanted * a;
        }
        if self.waiting.len() >= Self::AT_ONCE * self.columns.len() {
            self.flush();
        }
    }

    /// Adds the rows that wait.
    fn flush(&mut self) {
        let size = self.columns.len();
        for j in 0..size {
            let mut column = self.matrix.column_mut(j);
            let below = &mut column.as_mut_slice()[j..];
            for row in self.waiting.chunks_exact(size).filter(|row| row[j] != 0.0) {
                let b = row[j];
                for (m, a) in below.iter_mut().zip(&row[j..]) {
                    *m += b * a;
                }
            }
        }
        self.waiting.clear();
    }

    /// The least squares under `conditions` x = `given`, by its multipliers.
    fn solve(mut self, conditions: &DMatrix<f64>, given: &DVector<f64>) -> Option<DVector<f64>> {
        // What no wish and no condition determines stays small; twelve digits are left to the rest.
        const TIE: f64 = 1e-12;
        self.flush();
        let (n, m) = (self.columns.len(), given.len());
        let mut matrix = DMatrix::zeros(n + m, n + m);
        let tie = TIE * self.matrix.trace() / n as f64;
        for j in 0..n {
            for i in j..n {
                matrix[(i, j)] = self.matrix[(i, j)];
                matrix[(j, i)] = self.matrix[(i, j)];
            }
            matrix[(j, j)] += tie;
            for i in 0..m {
                matrix[(n + i, j)] = conditions[(i, self.columns[j])];
                matrix[(j, n + i)] = conditions[(i, self.columns[j])];
            }
        }
        // A creature whose feet stand on one line cannot turn about it, whatever it pushes: such a condition is left out.
        for i in 0..m {
            matrix[(n + i, n + i)] = -TIE;
        }
        let mut right = DVector::zeros(n + m);
        right.rows_mut(0, n).copy_from(&self.right);
        right.rows_mut(n, m).copy_from(given);
        let solved = matrix.lu().solve(&right)?;
        let mut x = DVector::zeros(conditions.ncols());
        for (j, &column) in self.columns.iter().enumerate() {
            x[column] = solved[j];
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_integrates_twice_to_itself() {
        for halves in [1.0, 2.0, 3.0, 4.0] {
            let wave = Wave { pusher: 0, start: 0.7, duration: 0.4, halves };
            let h = 1e-4;
            let mut mean = 0.0;
            for k in 0..1000 {
                let at = (f64::from(k) + 0.5) / 1000.0;
                let [before, now, after] = [at - h, at, at + h].map(|at| wave.twice_integrated(at));
                mean += now / 1000.0;
                // Differences lose 1e-16/h², and err by h² times the fourth derivative, or by h times the kink at the ends.
                let second = (before + after - 2.0 * now) / (h * h);
                let expected = wave.value(at) - wave.mean();
                assert!(
                    (second - expected).abs() < 2e-3 * (1.0 + halves),
                    "{halves} {at}: {second} {expected}"
                );
            }
            assert!(mean.abs() < 1e-6, "{mean}");
        }
    }
}
