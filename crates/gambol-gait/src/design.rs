//! Press walk: a named gait for any creature.
//!
//! ```text
//! Pattern ──► Tempo ──► targets ──► mix ──► components
//! who when    Froude    of feet     modes   phases of 0°, 90°, 180°, 270°
//! ```
//!
//! Motions are complex amplitudes c: a component α u sin(ωt + γ) has c = α e^{iγ} and moves a foot by Im(c f e^{iωt}),
//! f being what the mode does to the foot. A foot in the middle of its stance at phase ψ moves by
//! x = −X sin(ωt − 2πψ), z = −Z cos(ωt − 2πψ), so that it is high while it goes forward: ∮ z dx = π X Z > 0.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use gambol_dynamics::{Data, body_velocities, forward_kinematics, point_jacobian};
use gambol_model::{Dof, JointKind, Role, Side, Vec3};
use gambol_modes::{Reader, Symmetry};
use nalgebra::{Complex, DMatrix, DVector};

use crate::heuristics::{Action, Measure, Ranking, Timing, measure, rank};
use crate::pattern::{self, Order, Pattern};
use crate::preset::preset;
use crate::{Body, Component, Gait, GaitError, Ground, Support, Terrain};

/// What the user asks of a gait; everything else follows from the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// m/s
    pub speed: Option<f64>,
    /// Cycles per second.
    pub frequency: Option<f64>,
    /// m per cycle
    pub stride_length: Option<f64>,
    /// Share of the cycle that a foot stands.
    pub duty: Option<f64>,
}

/// A gait as it was designed.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// The gait.
    pub gait: Gait,
    /// What a user should know, e.g. that a speed asks for more than the legs can swing.
    pub hints: Vec<String>,
}

/// The gait called `name` (a preset of this creature or a gait of the list) for `body`.
pub fn design(body: &Body, data: &mut Data, name: &str, wish: &Wish) -> Result<Design, GaitError> {
    if *wish == Wish::default()
        && let Some(gait) = preset(body, data, name)?
    {
        return Ok(Design { gait, hints: Vec::new() });
    }
    if body.legs.is_empty() && pattern::LEGLESS.contains(&name) {
        return legless(body, data, name, wish);
    }
    let palette = Palette::new(body, data)?;
    let mut pattern = suitable(body, name)?;
    let (mut tempo, mut mixed) = mixture(body, data, &palette, &pattern, wish)?;
    let speed_is_ours = (wish.speed, wish.frequency, wish.stride_length) == (None, None, None);
    for _ in 0..GENTLER_TRIES {
        if !speed_is_ours || widest_swing(body, &mixed.0).is_none_or(|(_, most)| most <= FARTHEST) {
            break;
        }
        pattern = Pattern { froude: SLOWER * pattern.froude, lift: LOWER * pattern.lift, ..pattern };
        (tempo, mixed) = mixture(body, data, &palette, &pattern, wish)?;
    }
    let (components, mut hints) = mixed;
    if let Some((joint, most)) = widest_swing(body, &components).filter(|(_, most)| *most > FARTHEST) {
        hints.push(format!("joint {joint:?} swings {:.0}° to each side; go slower", most.to_degrees()));
    }
    let crouches = matches!(pattern.order, Order::Jump | Order::Jacks);
    let gait = Gait {
        name: name.to_owned(),
        creature: Some(body.creature.name().to_owned()),
        style: body.style.clone(),
        frequency: if pattern.order == Order::Jacks { 0.5 * tempo.frequency } else { tempo.frequency },
        components,
        ground: Ground {
            support: if crouches { Support::Crouch } else { Support::Feet },
            duty: tempo.duty,
            speed: Some(tempo.speed),
            turn: 0.0,
            clearance: pattern.clearance,
            terrain: Terrain::Flat,
        },
    };
    let gait = if std::env::var("NOSETTLE").is_ok() { gait } else { crate::settle::settle(body, data, gait)? };
    Ok(Design { gait, hints })
}

/// Joints of legs swing no further than this to each side, rad; what asks for more looks like a puppet.
const FARTHEST: f64 = 1.0;
/// Where the usual speed of a gait asks for more, it is made slower by these factors of Froude number and lift.
const SLOWER: f64 = 0.7;
const LOWER: f64 = 0.85;
const GENTLER_TRIES: usize = 8;

/// Components in order, and hints.
type Mixture = (Vec<Component>, Vec<String>);

/// A pattern at its tempo as a mixture of modes.
fn mixture(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: &Pattern,
    wish: &Wish,
) -> Result<(Tempo, Mixture), GaitError> {
    let tempo = Tempo::new(body, data, pattern, wish)?;
    let mut hints = Vec::new();
    let mut components = match pattern.order {
        Order::Jump | Order::Jacks => jump(body, data, palette, pattern, &tempo, &mut hints),
        _ => steps(body, data, palette, pattern, &tempo, &mut hints)?,
    };
    components
        .sort_by(|a, b| (a.mode, a.harmonic).cmp(&(b.mode, b.harmonic)).then(a.phase.total_cmp(&b.phase)));
    Ok((tempo, (components, hints)))
}

/// Every gait, and why it does not suit this creature where it does not.
pub fn gaits_for(body: &Body, data: &mut Data) -> Vec<(String, Result<(), GaitError>)> {
    let presets = crate::preset::names(body.creature.name());
    let own = presets.into_iter().filter(|name| !pattern::names().contains(name));
    let all = pattern::names().into_iter().chain(own);
    all.map(|name| {
        let fits = match preset(body, data, name) {
            Ok(Some(_)) => Ok(()),
            // A preset that asks for another pose or other constraints is at hand all the same.
            _ if crate::preset::preset_style(body.creature.name(), name).is_some() => Ok(()),
            _ if body.legs.is_empty() && pattern::LEGLESS.contains(&name) => {
                legless(body, data, name, &Wish::default()).map(|_| ())
            }
            _ => suitable(body, name).map(|_| ()),
        };
        (name.to_owned(), fits)
    })
    .collect()
}

/// The pattern called `name` if these legs can do it.
pub(crate) fn suitable(body: &Body, name: &str) -> Result<Pattern, GaitError> {
    let does_not_fit = |reason: &str| GaitError::DoesNotFit {
        creature: body.creature.name().to_owned(),
        gait: name.to_owned(),
        reason: reason.to_owned(),
    };
    let hands = body.creature.landmarks().iter().any(|mark| mark.role == Role::Hand);
    match pattern::find(name, &body.legs, hands) {
        Some(Ok(pattern)) => Ok(pattern),
        Some(Err(reason)) => Err(does_not_fit(&reason)),
        None if pattern::LEGLESS.contains(&name) => Err(does_not_fit("it has legs, and they are in the way")),
        None if crate::preset::preset_style(body.creature.name(), name).is_some() => {
            Err(does_not_fit("it is a preset with a pose, stiffness and constraints of its own"))
        }
        None => {
            let mut known = pattern::names();
            known.extend(crate::preset::names(body.creature.name()));
            known.sort_unstable();
            known.dedup();
            let known = known.into_iter().map(str::to_owned).collect();
            Err(GaitError::Unknown { name: name.to_owned(), known })
        }
    }
}

/// A gait without legs.
fn legless(body: &Body, _data: &mut Data, name: &str, _wish: &Wish) -> Result<Design, GaitError> {
    // THE ONE PLACE for bodies without legs: `crate::belly::design_legless(body, data, name)` gives the components.
    Err(GaitError::DoesNotFit {
        creature: body.creature.name().to_owned(),
        gait: name.to_owned(),
        reason: "gaits without legs are not designed yet".to_owned(),
    })
}

/// How fast, how often, how far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tempo {
    /// m/s
    pub(crate) speed: f64,
    /// Cycles per second.
    pub(crate) frequency: f64,
    /// m per cycle
    pub(crate) stride: f64,
    pub(crate) duty: f64,
}

/// λ/h = 2.4 Fr^0.34: cursorial mammals from ferret to rhinoceros (Alexander and Jayes 1983).
const STRIDE: f64 = 2.4;
const STRIDE_POWER: f64 = 0.34;
/// Duty falls with speed as Fr^−0.14 (the same).
const DUTY_POWER: f64 = -0.14;
/// f √(h/g) of jumping on the spot: 1.6 Hz for a person.
const JUMPS: f64 = 0.5;
/// Speed, frequency and stride length given together must agree to this part.
const AGREE: f64 = 0.01;

impl Tempo {
    fn new(body: &Body, data: &mut Data, pattern: &Pattern, wish: &Wish) -> Result<Self, GaitError> {
        for (place, value) in
            [("speed", wish.speed), ("frequency", wish.frequency), ("stride length", wish.stride_length)]
        {
            let least_is_zero = place != "frequency";
            if value.is_some_and(|x| !x.is_finite() || x < 0.0 || (x == 0.0 && !least_is_zero)) {
                let reason = format!("{} is not a finite number above 0", value.unwrap_or(0.0));
                return Err(GaitError::Number { place: place.to_owned(), reason });
            }
        }
        if let Some(duty) = wish.duty.filter(|duty| !(*duty > 0.0 && *duty < 1.0)) {
            let reason = format!("{duty} is not between 0 and 1");
            return Err(GaitError::Number { place: "duty".to_owned(), reason });
        }
        let gravity = Some(body.creature.gravity().norm()).filter(|g| *g > 0.0).unwrap_or(9.81);
        let height = body.legs.length.max(1e-6);
        let reach = span(body, data);
        let in_place = pattern.froude == 0.0;
        let froude = |speed: f64| speed * speed / (gravity * height);
        // A sprawled leg reaches further than its hip is high.
        let natural_stride = |speed: f64| STRIDE * froude(speed).powf(STRIDE_POWER) * reach;
        let usual_speed = (pattern.froude * gravity * height).sqrt();
        let usual_frequency = if in_place {
            JUMPS * (gravity / height).sqrt()
        } else {
            usual_speed / natural_stride(usual_speed)
        };
        let (speed, frequency) = match (wish.speed, wish.frequency, wish.stride_length) {
            (Some(v), Some(f), Some(stride)) => {
                if (v - f * stride).abs() > AGREE * v.max(f * stride) {
                    return Err(GaitError::Number {
                        place: "speed, frequency and stride length".to_owned(),
                        reason: format!("{f} /s times {stride} m is not {v} m/s; give two of the three"),
                    });
                }
                (v, f)
            }
            (Some(v), Some(f), None) => (v, f),
            (Some(v), None, Some(stride)) if v > 0.0 && stride > 0.0 => (v, v / stride),
            (None, Some(f), Some(stride)) => (f * stride, f),
            // On the spot, and in jumps, the rhythm stays.
            (Some(v), None, _) if v == 0.0 || in_place => (v, usual_frequency),
            (Some(v), None, _) => (v, v / natural_stride(v)),
            // A frequency alone keeps the usual stride, a stride alone the usual frequency.
            (None, Some(f), None) => (f * usual_speed / usual_frequency, f),
            (None, None, Some(stride)) => (usual_frequency * stride, usual_frequency),
            (None, None, None) => (usual_speed, usual_frequency),
        };
        let faster = if in_place || speed == 0.0 { 1.0 } else { froude(speed) / pattern.froude };
        let [least, most] = pattern.duties;
        let duty = wish.duty.unwrap_or((pattern.duty * faster.powf(DUTY_POWER)).clamp(least, most));
        Ok(Self { speed, frequency, stride: speed / frequency, duty })
    }

    /// X of the sinusoid that follows the ground best while the foot stands, m: the least-squares fit of X sin θ to
    /// λ θ/2π over |θ| ≤ a = π duty is X = (λ/2π) · 2 (sin a − a cos a) / (a − sin a cos a).
    pub(crate) fn swing(&self) -> f64 {
        let a = PI * self.duty;
        let (sine, cosine) = a.sin_cos();
        self.stride / TAU * 2.0 * (sine - a * cosine) / (a - sine * cosine)
    }
}

/// Mean distance from hip to foot in the rest pose, m.
fn span(body: &Body, data: &mut Data) -> f64 {
    let frames = forward_kinematics(&body.creature, data, &body.modes.pose);
    let legs = &body.legs.legs;
    let reach = legs.iter().map(|leg| (leg.hip - frames[leg.foot].point_in_world(leg.point)).norm());
    (reach.sum::<f64>() / legs.len().max(1) as f64).max(1e-6)
}

/// What the modes of a body can do for its legs.
pub(crate) struct Palette {
    pub(crate) measures: Vec<Measure>,
    pub(crate) rankings: Vec<Ranking>,
    /// Four rows per leg (forward, left, lift in leg lengths, bend in rad; weighted), a column per mode.
    rows: DMatrix<f64>,
    /// Weights of these rows.
    weights: [f64; ROWS],
}

/// Rows per leg.
const ROWS: usize = 4;

/// Sideways motion of a foot counts this much against forward motion.
const SIDEWAYS: f64 = 0.5;
/// Lift of a foot counts this much: feet go up less far than forward, and must.
const LIFT: f64 = 3.0;
/// Bend of a knee counts this much under an upright leg, and less the more the leg sprawls: a spider lifts its feet
/// by the hip.
const BEND: f64 = 0.2;
/// Knees bend by this many radians for each leg length that the foot rises.
const BEND_PER_LIFT: f64 = 6.0;
/// No knee is asked to bend further than this to each side, rad.
const MOST_BEND: f64 = 0.7;
/// How many modes of each ranking are tried.
const TRIED: usize = 5;
/// Modes per pair of legs: one that swings it and two that lift it, or the same for each timing it needs.
const PER_PAIR: usize = 3;
/// The best of all modes, per elastic energy, gives up this part of its motion to save energy; others more.
const THRIFT: f64 = 0.02;
/// The same for radians: the mode that moves the feet furthest per radian gives up this part, those that wave a neck or
/// a tail about to move the feet a little give up more.
const MODESTY: f64 = 0.012;
/// A mode must explain this part of the wanted motion of one pair to be taken.
const WORTH: f64 = 0.02;
/// Components that move the feet less than this part of the strongest one are left out.
const FAINT: f64 = 0.08;

impl Palette {
    pub(crate) fn new(body: &Body, data: &mut Data) -> Result<Self, GaitError> {
        let (rankings, _) = rank(&body.creature, data, &body.modes, &body.legs)?;
        let measures = measure(&body.creature, data, &body.modes, &body.legs);
        let length = body.legs.length.max(1e-6);
        let upright = length / span(body, data);
        let weights = [1.0, SIDEWAYS, LIFT, BEND * upright * upright];
        let rows = DMatrix::from_fn(ROWS * body.legs.legs.len(), measures.len(), |row, mode| {
            let leg = &measures[mode].legs[row / ROWS];
            let parts = [leg.forward / length, leg.left / length, leg.lift / length, leg.bend];
            weights[row % ROWS] * parts[row % ROWS]
        });
        Ok(Self { measures, rankings, rows, weights })
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
    /// Per J of uᵀ K u.
    energy: f64,
    /// Per rad².
    radian: f64,
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
    let foot = |leg: &crate::Leg| {
        let phase = TAU * pattern.order.phase(leg.pair, legs.pairs, leg.side);
        let forward = Complex::from_polar(-swing, -phase);
        let lift = Complex::from_polar(-pattern.lift * legs.length, FRAC_PI_2 - phase);
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
        let length = body.legs.length.max(1e-6);
        DMatrix::from_fn(self.rows.nrows(), 2, |row, column| {
            let Target { forward, lift } = targets[row / ROWS];
            let (forward, lift) = (forward / length, lift / length);
            let bend = lift * BEND_PER_LIFT;
            let bend = bend * (MOST_BEND / bend.norm()).min(1.0);
            let value = [forward, Complex::new(0.0, 0.0), lift, bend][row % ROWS] * self.weights[row % ROWS];
            if column == 0 { value.re } else { value.im }
        })
    }

    /// Motion of a mode in the weighted rows.
    pub(crate) fn row(&self, mode: usize) -> DVector<f64> {
        self.rows.column(mode).into_owned()
    }

    /// Modes and complex amplitudes that come near the targets with little elastic energy: exact greedy choice among
    /// the ranked modes, each time the one that lowers |A c − t|² + Σ (μ Eⱼ + ν)|cⱼ|² most.
    fn mix(&self, body: &Body, targets: &[Target]) -> Vec<(usize, Complex<f64>)> {
        let wanted = self.wanted(body, targets);
        let timings = timings(body, targets);
        let candidates = self.candidates(body, &timings);
        let per_energy = |&mode: &usize| self.rows.column(mode).norm_squared() / self.measures[mode].energy;
        let per_radian = |&mode: &usize| self.rows.column(mode).norm_squared();
        let price = Price {
            energy: THRIFT * candidates.iter().map(per_energy).fold(0.0, f64::max),
            radian: MODESTY * candidates.iter().map(per_radian).fold(0.0, f64::max),
        };
        let whole = wanted.norm_squared();
        let worth = WORTH * whole / body.legs.pairs as f64;
        let mut chosen: Vec<usize> = Vec::new();
        let mut left = whole;
        while chosen.len() < PER_PAIR * body.legs.pairs * timings.len() {
            let tried = candidates.iter().filter(|mode| !chosen.contains(mode)).map(|&mode| {
                let with: Vec<usize> = chosen.iter().copied().chain([mode]).collect();
                (self.solve(&with, &wanted, &price).1, mode)
            });
            match tried.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) {
                Some((rest, mode)) if left - rest > worth => {
                    chosen.push(mode);
                    left = rest;
                }
                _ => break,
            }
        }
        self.quantised(&chosen, &wanted, &price)
    }

    fn candidates(&self, body: &Body, timings: &[Timing]) -> Vec<usize> {
        let mut candidates = Vec::new();
        for pair in 0..body.legs.pairs {
            for action in [Action::Swing, Action::Bend, Action::Lift] {
                for &timing in timings {
                    let best = self.best(pair, action, timing).iter().take(TRIED);
                    candidates.extend(best.map(|(mode, _)| *mode));
                }
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// Amplitudes (a row per mode, real and imaginary) and what is left of the objective.
    fn solve(&self, modes: &[usize], wanted: &DMatrix<f64>, price: &Price) -> (DMatrix<f64>, f64) {
        let a = self.rows.select_columns(modes);
        let mut normal = a.tr_mul(&a);
        for (k, &mode) in modes.iter().enumerate() {
            normal[(k, k)] += price.energy * self.measures[mode].energy + price.radian;
        }
        let right = a.tr_mul(wanted);
        let Some(factor) = normal.cholesky() else {
            return (DMatrix::zeros(modes.len(), wanted.ncols()), wanted.norm_squared());
        };
        let c = factor.solve(&right);
        let left = wanted.norm_squared() - c.dot(&right);
        (c, left)
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
                (0..modes.len()).filter(|&k| strength(k, column) > FAINT * strongest).collect();
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
fn in_quarters(mixed: &[(usize, Complex<f64>)], harmonic: u32) -> Vec<Component> {
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
        let c = Complex::from_polar(component.amplitude, component.phase);
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

/// Walking, running, bounding: each foot goes around its path in its turn.
fn steps(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: &Pattern,
    tempo: &Tempo,
    hints: &mut Vec<String>,
) -> Result<Vec<Component>, GaitError> {
    /// How often the wanted lift is raised where a foot would drag, and by how much.
    const TRIES: i32 = 5;
    const HIGHER: f64 = 1.4;
    let legs = &body.legs;
    let swing = tempo.swing();
    // A quarter of the wanted path counts as a path; a foot that does not go forward cannot drag.
    let least = if tempo.speed > 0.0 { 0.25 * PI * swing * pattern.lift * legs.length } else { -1.0 };
    let mut components = Vec::new();
    let mut dragging = Vec::new();
    for attempt in 0..TRIES {
        let higher = Pattern { lift: pattern.lift * HIGHER.powi(attempt), ..*pattern };
        components = in_quarters(&palette.mix(body, &step_targets(body, &higher, swing)), 1);
        let drags = |leg: &usize| {
            let (forward, lift) = foot_motion(&palette.measures, &components, *leg);
            area(forward, lift) < least
        };
        dragging = (0..legs.legs.len()).filter(drags).collect();
        if dragging.is_empty() {
            break;
        }
    }
    if !dragging.is_empty() {
        let names: Vec<&str> = dragging.iter().map(|&leg| legs.legs[leg].name.as_str()).collect();
        hints.push(format!("its modes hardly lift {}", names.join(", ")));
    }
    if components.is_empty() {
        return Err(GaitError::DoesNotFit {
            creature: body.creature.name().to_owned(),
            gait: pattern.name.to_owned(),
            reason: "none of its modes moves the feet as that needs".to_owned(),
        });
    }
    crouch(body, palette, &mut components);
    components.extend(bob(body, data, palette, pattern)?);
    Ok(components)
}

/// A knee is never bent by more than this to make room for its swing, rad.
const DEEPEST: f64 = 0.4;

/// Bends the knees a little where they stand too straight for their swing: the mean posture of a walk is a bent leg.
fn crouch(body: &Body, palette: &Palette, components: &mut Vec<Component>) {
    for pair in 0..body.legs.pairs {
        let Some(&(mode, _)) = palette.best(pair, Action::Bend, Timing::Together).first() else { continue };
        let legs = (0..body.legs.legs.len()).filter(|&leg| body.legs.legs[leg].pair == pair);
        let (mut lacking, mut bend, mut count) = (0.0, 0.0, 0.0);
        for leg in legs {
            let swing: Complex<f64> = components
                .iter()
                .map(|c| Complex::from_polar(c.amplitude, c.phase) * palette.measures[c.mode].legs[leg].bend)
                .sum();
            lacking += (swing.norm() - room(body, leg)).clamp(0.0, DEEPEST);
            bend += palette.measures[mode].legs[leg].bend;
            count += 1.0;
        }
        if lacking > 0.0 && bend.abs() > 0.1 * count {
            add_offset(components, mode, lacking / bend);
        }
    }
}

/// How far the knee of a leg can stretch before it meets its limit, rad.
fn room(body: &Body, leg: usize) -> f64 {
    let leg = &body.legs.legs[leg];
    let Some(joint) = leg.knee.map(|knee| &body.creature.joints()[knee]) else { return f64::INFINITY };
    match joint.limit {
        Some([low, high]) if joint.kind == JointKind::Hinge => {
            let angle = body.modes.pose[joint.q];
            if leg.bend > 0.0 { angle - low } else { high - angle }
        }
        _ => f64::INFINITY,
    }
}

fn add_offset(components: &mut Vec<Component>, mode: usize, offset: f64) {
    match components.iter_mut().find(|component| component.mode == mode) {
        Some(component) => component.offset += offset,
        None => components.push(Component { mode, amplitude: 0.0, phase: 0.0, harmonic: 1, offset }),
    }
}

/// Back and head at twice the frequency: they sink onto every step (section 4.2 of the paper).
fn bob(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: &Pattern,
) -> Result<Option<Component>, GaitError> {
    /// Part of the elastic energy that back and neck must have.
    const MOSTLY: f64 = 0.5;
    /// A mode that moves a foot by this many leg lengths per rad, or bends a knee so far, is no bob of the back.
    const LEGS_STILL: f64 = 0.5;
    let head = body.creature.landmarks().iter().find(|mark| mark.role == Role::Head);
    let Some(head) = head.filter(|_| pattern.bob > 0.0 && pattern.order.is_symmetrical()) else {
        return Ok(None);
    };
    let reader = Reader::new(&body.creature, data, &body.modes.pose)?;
    let found = body.modes.vibrations().iter().find(|mode| {
        let reading = reader.read(data, mode);
        let trunk = reading.limbs.iter().filter(|limb| limb.name == "spine" || limb.name == "head");
        let still = |leg: &crate::LegMotion| {
            let foot = leg.forward.hypot(leg.left).hypot(leg.up) / body.legs.length;
            foot.hypot(leg.bend) < LEGS_STILL
        };
        reading.symmetry == Symmetry::Symmetric
            && trunk.map(|limb| limb.elastic).sum::<f64>() > MOSTLY
            && palette.measures[mode.index].legs.iter().all(still)
    });
    let Some(mode) = found else { return Ok(None) };
    let velocity = body_velocities(&body.creature, data, &body.modes.pose, &mode.shape)[head.body];
    let lever = data.frames[head.body].rotation * head.point;
    let up = (velocity.linear + velocity.angular.cross(&lever)).dot(&body.legs.heading.up);
    let phase = if up > 0.0 { 3.0 * FRAC_PI_2 } else { FRAC_PI_2 };
    Ok(Some(Component { mode: mode.index, amplitude: pattern.bob, phase, harmonic: 2, offset: 0.0 }))
}

/// All feet at once: legs bend and stretch, and the body rises while they are long.
fn jump(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: &Pattern,
    tempo: &Tempo,
    hints: &mut Vec<String>,
) -> Vec<Component> {
    let jacks = pattern.order == Order::Jacks;
    let harmonic = if jacks { 2 } else { 1 };
    let swing = if tempo.speed > 0.0 { tempo.swing() } else { 0.0 };
    let mixed = palette.mix(body, &jump_targets(body, pattern, swing));
    let mut components = in_quarters(&mixed, harmonic);
    let legs = body.legs.legs.len().max(1) as f64;
    let lift = mixed.iter().map(|&(mode, c)| {
        let lifts = palette.measures[mode].legs.iter().map(|leg| leg.lift).sum::<f64>();
        c * lifts / legs
    });
    let lift = lift.sum::<Complex<f64>>().norm();
    if lift < 0.25 * pattern.lift * body.legs.length {
        hints.push("its modes hardly shorten the legs".to_owned());
    }
    crouch(body, palette, &mut components);
    if let Some(mode) = rise(body, palette) {
        let amplitude = rise_amplitude(body, lift, tempo.frequency, tempo.duty);
        components.push(Component { mode, amplitude, phase: 3.0 * FRAC_PI_2, harmonic, offset: 0.0 });
    }
    if jacks {
        components.extend(spread(body, data, palette));
    }
    components
}

/// The rigid motion that lifts the whole body.
pub(crate) fn rise(body: &Body, palette: &Palette) -> Option<usize> {
    let lifts = |leg: &crate::LegMotion| (leg.up - 1.0).abs() < 1e-6 && leg.forward.abs() < 1e-6;
    (0..body.modes.rigid).find(|&mode| palette.measures[mode].legs.iter().all(lifts))
}

/// Amplitude of the body's rise, m: as far as the legs stretch, and half the height of a flight of (1 − duty)/f.
pub(crate) fn rise_amplitude(body: &Body, lift: f64, frequency: f64, duty: f64) -> f64 {
    let flight = (1.0 - duty) / frequency;
    lift + body.creature.gravity().norm() * flight * flight / 16.0
}

/// Feet and hands apart while it stands at ωt = 0, and together half a cycle later.
pub(crate) fn spread(body: &Body, data: &mut Data, palette: &Palette) -> Vec<Component> {
    /// Feet go this far to each side, in leg lengths.
    const APART: f64 = 0.3;
    /// Joints of the arms swing this far to each side, rad.
    const ARMS: f64 = 0.95;
    let legs = spreading_mode(body, data, palette, Role::Foot).map(|(mode, outward)| {
        let amplitude = 0.5 * APART * body.legs.length / outward;
        Component {
            mode,
            amplitude: amplitude.abs(),
            phase: signed_quarter(amplitude),
            harmonic: 1,
            offset: amplitude,
        }
    });
    let arms = spreading_mode(body, data, palette, Role::Hand).map(|(mode, outward)| Component {
        mode,
        amplitude: ARMS,
        phase: signed_quarter(outward),
        harmonic: 1,
        offset: 0.0,
    });
    legs.into_iter().chain(arms).collect()
}

/// 90° for a positive number, 270° for a negative one.
fn signed_quarter(value: f64) -> f64 {
    if value < 0.0 { 3.0 * FRAC_PI_2 } else { FRAC_PI_2 }
}

/// The mode that spreads feet, or raises hands sideways, with the least energy and little else; and how far it takes
/// them out (and up), m per rad.
pub(crate) fn spreading_mode(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    role: Role,
) -> Option<(usize, f64)> {
    let creature = &body.creature;
    forward_kinematics(creature, data, &body.modes.pose);
    let mut jacobian = DMatrix::zeros(3, creature.nv());
    let marks: Vec<(f64, DMatrix<f64>)> = creature
        .landmarks()
        .iter()
        .filter(|mark| matches!(mark.role, Role::Foot | Role::Hand))
        .map(|mark| {
            let out = if mark.side == Some(Side::Right) { -1.0 } else { 1.0 };
            let at = data.frames[mark.body].point_in_world(mark.point);
            point_jacobian(creature, data, mark.body, at, &mut jacobian);
            (if mark.role == role { out } else { 0.0 }, jacobian.clone())
        })
        .collect();
    let count = marks.iter().filter(|(out, _)| *out != 0.0).count();
    let judge = |mode: &gambol_modes::Mode| {
        let u = DVector::from_column_slice(&mode.shape);
        let (mut outward, mut upward, mut all) = (0.0, 0.0, 0.0);
        for (out, jacobian) in &marks {
            let moved = jacobian * &u;
            let moved = body.legs.heading.components(Vec3::new(moved[0], moved[1], moved[2]));
            all += moved.norm_squared();
            outward += out * moved.y;
            upward += out.abs() * moved.z;
        }
        let (outward, upward) = (outward / count as f64, upward / count as f64);
        let wanted = outward * outward + if role == Role::Hand { upward * upward } else { 0.0 };
        let energy = palette.measures[mode.index].energy;
        let score = (wanted / energy).sqrt() * count as f64 * wanted / all.max(1e-12);
        (mode.index, score, if role == Role::Hand { outward + upward } else { outward })
    };
    if count == 0 {
        return None;
    }
    let best =
        body.modes.vibrations().iter().map(judge).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (best.2 != 0.0).then_some((best.0, best.2))
}

/// The joint that swings furthest to each side, and how far, rad.
fn widest_swing<'b>(body: &'b Body, components: &[Component]) -> Option<(&'b str, f64)> {
    let swing = |dof: usize| -> f64 {
        let at = |harmonic: u32| -> Complex<f64> {
            let same = components.iter().filter(|c| c.harmonic == harmonic);
            same.map(|c| Complex::from_polar(c.amplitude, c.phase) * body.modes.modes[c.mode].shape[dof])
                .sum()
        };
        at(1).norm() + at(2).norm()
    };
    let joint = |dof: &Dof| &body.creature.joints()[dof.joint];
    let dofs = body.creature.dofs().iter().enumerate();
    let turns = dofs.filter(|(_, dof)| matches!(joint(dof).kind, JointKind::Hinge | JointKind::Ball));
    turns.map(|(index, dof)| (joint(dof).name.as_str(), swing(index))).max_by(|a, b| a.1.total_cmp(&b.1))
}
