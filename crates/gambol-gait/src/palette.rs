//! Wanted motions of feet as sums of a few modes.
//!
//! Motions are complex amplitudes c: a component α u sin(ωt + γ) has c = α e^{iγ} and moves a foot by Im(c f e^{iωt}),
//! f being what the mode does to the foot. A foot in the middle of its stance at phase ψ moves by
//! x = −X sin(ωt − 2πψ), z = −Z cos(ωt − 2πψ), so that it is high while it goes forward: ∮ z dx = π X Z > 0.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use gambol_anatomy::footfall::Pattern;
use gambol_dynamics::Data;
use gambol_model::math;
use nalgebra::{Complex, DMatrix, DVector};

use crate::heuristics::{Action, Measure, Ranking, Timing, measure, rank};
use crate::marks::Marks;
use crate::tempo::span;
use crate::{Body, Component, GaitError, Leg, PaletteSettings};

/// What the modes of a body can do for its legs.
pub(crate) struct Palette {
    pub(crate) measures: Vec<Measure>,
    pub(crate) rankings: Vec<Ranking>,
    /// Four rows per leg (forward, left, lift in leg lengths, bend in rad; weighted), a column per mode.
    rows: DMatrix<f64>,
    /// Weights of these rows.
    weights: [f64; ROWS],
    /// Modes that move the legs, but twist or sway the body.
    last_resort: Vec<usize>,
    /// Modes that the user wants to see, or does not.
    pub(crate) marks: Marks,
    /// Those that he wants to see and that move the legs.
    favoured: Vec<usize>,
}

/// Rows per leg.
const ROWS: usize = 4;

impl Palette {
    pub(crate) fn new(body: &Body, data: &mut Data) -> Result<Self, GaitError> {
        Self::marked(body, data, Marks::default())
    }

    /// Without the modes to avoid.
    pub(crate) fn marked(body: &Body, data: &mut Data, marks: Marks) -> Result<Self, GaitError> {
        let (mut rankings, rejections) =
            rank(&body.creature, data, &body.basis, &body.legs, &body.settings.heuristics)?;
        let measures = measure(&body.creature, data, &body.basis, &body.legs, &body.settings.heuristics);
        let length = body.legs.length.max(1e-6);
        let upright = length / span(body, data);
        let settings = &body.settings.palette;
        let weights = [1.0, settings.sideways, settings.lift, settings.bend * upright * upright];
        let rows = DMatrix::from_fn(ROWS * body.legs.legs.len(), measures.len(), |row, mode| {
            let leg = &measures[mode].legs[row / ROWS];
            let parts = [leg.forward / length, leg.left / length, leg.lift / length, leg.bend];
            weights[row % ROWS] * parts[row % ROWS]
        });
        for ranking in &mut rankings {
            ranking.modes.retain(|(mode, _)| marks.allow(*mode));
        }
        let of_use = rejections.iter().filter(|r| r.moves_legs && marks.allow(r.mode));
        let last_resort = of_use.map(|r| r.mode).collect();
        let still = |mode: &usize| rejections.iter().any(|r| r.mode == *mode && !r.moves_legs);
        let favoured = marks.prefer.iter().copied().filter(|mode| !still(mode)).collect();
        Ok(Self { measures, rankings, rows, weights, last_resort, marks, favoured })
    }

    /// The best modes for a pair, an action and a timing.
    pub(crate) fn best(&self, pair: usize, action: Action, timing: Timing) -> &[(usize, f64)] {
        let wanted = |ranking: &&Ranking| {
            let category = ranking.category;
            (category.pair, category.action, category.timing) == (pair, action, timing)
        };
        self.rankings.iter().find(wanted).map_or(&[], |ranking| ranking.modes.as_slice())
    }
}

/// What amplitude costs, against squares of weighted rows.
struct Price {
    /// μ, per J of uᵀ K u.
    energy: f64,
    /// ν, per rad².
    radian: f64,
}

impl Price {
    /// The price decides which modes are taken; once they are, they may as well do the work.
    fn discounted(&self, discount: f64) -> Self {
        Self { energy: discount * self.energy, radian: discount * self.radian }
    }
}

/// Wanted motion of one foot: forward and lift, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) forward: Complex<f64>,
    pub(crate) lift: Complex<f64>,
}

/// What each foot should do in a gait of steps.
pub(crate) fn step_targets(body: &Body, pattern: &Pattern, swing: f64) -> Vec<Target> {
    let legs = &body.legs;
    let foot = |leg: &Leg| {
        let phase = TAU * pattern.order.phase(leg.pair, legs.pairs, leg.side);
        let forward = math::polar(-swing, -phase);
        let lift = math::polar(-pattern.lift * legs.length, FRAC_PI_2 - phase);
        Target { forward, lift }
    };
    legs.legs.iter().map(foot).collect()
}

/// What each foot should do in a jump, as the trunk sees it: it is high while it stands, at ωt = 0.
pub(crate) fn jump_targets(body: &Body, pattern: &Pattern, swing: f64) -> Vec<Target> {
    let lift = Complex::new(0.0, pattern.lift * body.legs.length);
    body.legs.legs.iter().map(|_| Target { forward: Complex::new(-swing, 0.0), lift }).collect()
}

impl Palette {
    /// Wanted rows, real and imaginary, as [`Palette::rows`] has them.
    pub(crate) fn wanted(&self, body: &Body, targets: &[Target]) -> DMatrix<f64> {
        let (length, settings) = (body.legs.length.max(1e-6), &body.settings.palette);
        DMatrix::from_fn(self.rows.nrows(), 2, |row, column| {
            let Target { forward, lift } = targets[row / ROWS];
            let (forward, lift) = (forward / length, lift / length);
            let bend = lift * settings.bend_per_lift;
            let bend = bend * (settings.most_bend / math::length(bend)).min(1.0);
            let value = [forward, Complex::new(0.0, 0.0), lift, bend][row % ROWS] * self.weights[row % ROWS];
            if column == 0 { value.re } else { value.im }
        })
    }

    /// Motion of a mode in the weighted rows.
    pub(crate) fn row(&self, mode: usize) -> DVector<f64> {
        self.rows.column(mode).into_owned()
    }

    /// Modes and complex amplitudes that come near the targets with little elastic energy, among the ranked modes.
    pub(crate) fn mix(&self, body: &Body, targets: &[Target]) -> Vec<(usize, Complex<f64>)> {
        let wanted = self.wanted(body, targets);
        let timings = timings(body, targets);
        let mut candidates = self.candidates(body, &[Action::Swing, Action::Bend, Action::Lift], &timings);
        candidates.extend(&self.favoured);
        candidates.sort_unstable();
        candidates.dedup();
        let settings = &body.settings.palette;
        let fit = Fit { rows: &self.rows, measures: &self.measures, favoured: &self.favoured, settings };
        let most = settings.per_pair * body.legs.pairs * timings.len();
        let try_with = |candidates: &[usize]| {
            let price = fit.price(candidates);
            let chosen = fit.choose(&wanted, candidates, &price, most, body.legs.pairs);
            let mixed = fit.quantised(&chosen, &wanted, &price.discounted(settings.discount));
            (fit.miss(&mixed, &wanted), mixed)
        };
        let (miss, mixed) = try_with(&candidates);
        if miss <= settings.poor {
            return mixed;
        }
        // A stiff trunk may have to turn with its legs.
        let (other_miss, other) = try_with(&[candidates, self.last_resort.clone()].concat());
        if other_miss < settings.twist_gains * miss { other } else { mixed }
    }

    /// Lasting offsets of modes that bend the knees of all legs by `angles`, rad, and leave the feet under the hips.
    pub(crate) fn bent(&self, body: &Body, angles: &[f64]) -> Vec<(usize, f64)> {
        let length = body.legs.length.max(1e-6);
        let rows = DMatrix::from_fn(3 * angles.len(), self.measures.len(), |row, mode| {
            let leg = &self.measures[mode].legs[row / 3];
            [leg.forward / length, leg.left / length, leg.bend][row % 3]
        });
        let wanted =
            DMatrix::from_fn(rows.nrows(), 1, |row, _| if row % 3 == 2 { angles[row / 3] } else { 0.0 });
        let candidates = self.candidates(body, &[Action::Bend], &[Timing::Together]);
        let settings = &body.settings.palette;
        let fit = Fit { rows: &rows, measures: &self.measures, favoured: &[], settings };
        let price = fit.price(&candidates);
        let most = settings.per_pair * body.legs.pairs;
        let chosen = fit.choose(&wanted, &candidates, &price, most, body.legs.pairs);
        let (offsets, _) = fit.solve(&chosen, &wanted, &price.discounted(settings.discount));
        chosen.into_iter().zip(offsets.iter().copied()).collect()
    }

    /// Modes and complex amplitudes that come near to what is `wanted` in other rows than those of the legs, real and
    /// imaginary, of all modes that may be used and at most so many of them.
    pub(crate) fn mix_rows(
        &self,
        body: &Body,
        rows: &DMatrix<f64>,
        wanted: &DMatrix<f64>,
        most: usize,
    ) -> Vec<(usize, Complex<f64>)> {
        let flexible = body.basis.flexible().iter().map(|mode| mode.index);
        let candidates: Vec<usize> = flexible.filter(|&mode| self.marks.allow(mode)).collect();
        let settings = &body.settings.palette;
        let fit = Fit { rows, measures: &self.measures, favoured: &[], settings };
        let price = fit.price(&candidates);
        let chosen = fit.choose(wanted, &candidates, &price, most, body.legs.pairs);
        fit.quantised(&chosen, wanted, &price.discounted(settings.discount))
    }

    fn candidates(&self, body: &Body, actions: &[Action], timings: &[Timing]) -> Vec<usize> {
        let mut candidates = Vec::new();
        for pair in 0..body.legs.pairs {
            for &action in actions {
                for &timing in timings {
                    let ranked = self.best(pair, action, timing);
                    let PaletteSettings { tried, good, .. } = body.settings.palette;
                    let least = ranked.first().map_or(0.0, |(_, score)| good * score);
                    let good = ranked.iter().take(tried).take_while(|(_, score)| *score >= least);
                    candidates.extend(good.map(|(mode, _)| *mode));
                }
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }
}

/// Wanted rows as a sum of modes.
struct Fit<'p> {
    /// A column per mode.
    rows: &'p DMatrix<f64>,
    measures: &'p [Measure],
    /// Modes that cost less, and are taken first.
    favoured: &'p [usize],
    settings: &'p PaletteSettings,
}

impl Fit<'_> {
    fn price(&self, candidates: &[usize]) -> Price {
        let per_radian = |&mode: &usize| self.rows.column(mode).norm_squared();
        let per_energy = |mode: &usize| per_radian(mode) / self.measures[*mode].energy;
        Price {
            energy: self.settings.thrift * candidates.iter().map(per_energy).fold(0.0, f64::max),
            radian: self.settings.modesty * candidates.iter().map(per_radian).fold(0.0, f64::max),
        }
    }

    /// Exact greedy choice: each time the candidate that lowers |A c − t|² + Σ (μ Eⱼ + ν)|cⱼ|² most.
    fn choose(
        &self,
        wanted: &DMatrix<f64>,
        candidates: &[usize],
        price: &Price,
        most: usize,
        pairs: usize,
    ) -> Vec<usize> {
        let whole = wanted.norm_squared();
        let worth = self.settings.worth * whole / pairs as f64;
        let mut chosen: Vec<usize> = Vec::new();
        let mut left = whole;
        for (group, worth) in [(self.favoured, self.settings.favour * worth), (candidates, worth)] {
            while chosen.len() < most {
                let tried = group.iter().filter(|mode| !chosen.contains(mode)).map(|&mode| {
                    let with: Vec<usize> = chosen.iter().copied().chain([mode]).collect();
                    (self.solve(&with, wanted, price).1, mode)
                });
                match tried.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) {
                    Some((rest, mode)) if left - rest > worth => {
                        chosen.push(mode);
                        left = rest;
                    }
                    _ => break,
                }
            }
        }
        chosen
    }

    /// Amplitudes (a row per mode, real and imaginary) and what is left of the objective.
    fn solve(&self, modes: &[usize], wanted: &DMatrix<f64>, price: &Price) -> (DMatrix<f64>, f64) {
        let a = self.rows.select_columns(modes);
        let mut normal = a.tr_mul(&a);
        for (k, &mode) in modes.iter().enumerate() {
            let cost = price.energy * self.measures[mode].energy + price.radian;
            normal[(k, k)] += if self.favoured.contains(&mode) { self.settings.favour * cost } else { cost };
        }
        let right = a.tr_mul(wanted);
        let Some(factor) = normal.cholesky() else {
            return (DMatrix::zeros(modes.len(), wanted.ncols()), wanted.norm_squared());
        };
        let c = factor.solve(&right);
        let left = wanted.norm_squared() - c.dot(&right);
        (c, left)
    }

    /// Part of the wanted motion that a mixture misses.
    fn miss(&self, mixed: &[(usize, Complex<f64>)], wanted: &DMatrix<f64>) -> f64 {
        let mut rest = wanted.clone();
        for &(mode, c) in mixed {
            rest.column_mut(0).axpy(-c.re, &self.rows.column(mode), 1.0);
            rest.column_mut(1).axpy(-c.im, &self.rows.column(mode), 1.0);
        }
        rest.norm_squared() / wanted.norm_squared().max(f64::MIN_POSITIVE)
    }

    /// Amplitudes without the faint ones. Real and imaginary parts are components of phase 0° and 90°: they do not
    /// mix, so each has its own modes.
    fn quantised(&self, modes: &[usize], wanted: &DMatrix<f64>, price: &Price) -> Vec<(usize, Complex<f64>)> {
        let (c, _) = self.solve(modes, wanted, price);
        let strength = |k: usize, column: usize| c[(k, column)].abs() * self.rows.column(modes[k]).norm();
        let strongest = (0..modes.len()).flat_map(|k| [strength(k, 0), strength(k, 1)]).fold(0.0, f64::max);
        let mut amplitudes = vec![Complex::new(0.0, 0.0); modes.len()];
        for column in 0..2 {
            let kept: Vec<usize> =
                (0..modes.len()).filter(|&k| strength(k, column) > self.settings.faint * strongest).collect();
            let of_kept: Vec<usize> = kept.iter().map(|&k| modes[k]).collect();
            let (c, _) = self.solve(&of_kept, &wanted.columns(column, 1).into_owned(), price);
            for (row, &k) in kept.iter().enumerate() {
                if column == 0 {
                    amplitudes[k].re = c[(row, 0)];
                } else {
                    amplitudes[k].im = c[(row, 0)];
                }
            }
        }
        modes.iter().copied().zip(amplitudes).collect()
    }
}

/// Which timings the targets ask of the pairs.
fn timings(body: &Body, targets: &[Target]) -> Vec<Timing> {
    /// Below this part of the whole a timing is not wanted.
    const LITTLE: f64 = 1e-6;
    let (mut together, mut in_turn, mut all) = (0.0, 0.0, 0.0);
    for pair in 0..body.legs.pairs {
        let of_pair: Vec<Complex<f64>> = (0..targets.len())
            .filter(|&leg| body.legs.legs[leg].pair == pair)
            .flat_map(|leg| [targets[leg].forward, targets[leg].lift])
            .collect();
        for part in 0..2 {
            let values = || of_pair.iter().skip(part).step_by(2);
            let mean = values().sum::<Complex<f64>>() / values().count().max(1) as f64;
            together += values().count() as f64 * mean.norm_sqr();
            in_turn += values().map(|x| (x - mean).norm_sqr()).sum::<f64>();
            all += values().map(Complex::norm_sqr).sum::<f64>();
        }
    }
    let mut timings = Vec::new();
    if in_turn > LITTLE * all {
        timings.push(Timing::Alternating);
    }
    if together > LITTLE * all {
        timings.push(Timing::Together);
    }
    timings
}

/// Components of phase 0°, 90°, 180° or 270° that make up complex amplitudes.
pub(crate) fn in_quarters(mixed: &[(usize, Complex<f64>)], harmonic: u32) -> Vec<Component> {
    let component = |mode: usize, value: f64, quarter: f64| Component {
        mode,
        amplitude: value.abs(),
        phase: quarter + if value < 0.0 { PI } else { 0.0 },
        harmonic,
        offset: 0.0,
    };
    mixed
        .iter()
        .flat_map(|&(mode, c)| [component(mode, c.re, 0.0), component(mode, c.im, FRAC_PI_2)])
        .filter(|component| component.amplitude != 0.0)
        .collect()
}

/// First-order motion of one foot under `components` at the gait's frequency: forward and lift, m.
pub(crate) fn foot_motion(
    measures: &[Measure],
    components: &[Component],
    leg: usize,
) -> (Complex<f64>, Complex<f64>) {
    let mut sum = (Complex::new(0.0, 0.0), Complex::new(0.0, 0.0));
    for component in components.iter().filter(|component| component.harmonic == 1) {
        let c = math::polar(component.amplitude, component.phase);
        let motion = &measures[component.mode].legs[leg];
        sum.0 += c * motion.forward;
        sum.1 += c * motion.lift;
    }
    sum
}

/// ∮ z dx of a foot, m²: positive if it is high while it goes forward.
pub(crate) fn area(forward: Complex<f64>, lift: Complex<f64>) -> f64 {
    PI * (forward.conj() * lift).im
}
