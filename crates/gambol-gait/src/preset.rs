//! Figure 3 of Kry et al. 2009, row by row.
//!
//! The mode numbers of the paper belong to its models. Here each row names what its modes do, and the heuristics find
//! them; amplitudes, phases and frequencies are those printed. Signs are chosen so that the creature moves forward.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use gambol_dynamics::Data;
use gambol_model::{Role, Side, math};
use nalgebra::{Complex, DMatrix};

use crate::design::suitable;
use crate::heuristics::{Action, Timing};
use crate::palette::{Palette, Target, jump_targets, step_targets};
use crate::posture::{crouch, rise, rise_amplitude, spreading_mode};
use crate::{Body, Component, Gait, GaitError, Ground, Style, Support, Terrain};

/// One row of the figure.
struct Row {
    creature: &'static str,
    /// Degrees of freedom, as printed: another creature of that name is not the one of the figure.
    dof: usize,
    name: &'static str,
    /// The gait whose footfalls it has; empty for a body without legs.
    gait: &'static str,
    pose: Option<&'static str>,
    /// N·m/rad for all joints, where it is not the file's own.
    stiffness: Option<f64>,
    constraint: Option<&'static str>,
    /// Hz
    frequency: f64,
    parts: &'static [Part],
}

/// One line of its parameters.
struct Part {
    what: What,
    amplitude: f64,
    phase: f64,
    harmonic: u32,
    offset: f64,
}

/// What the mode does; the n-th best, counted from 0, that no line before it uses.
#[derive(Clone, Copy)]
enum What {
    /// A mode by its number.
    Mode(usize),
    /// Pair, counted from the hind one: 0 is hind, 1 is front.
    Best(usize, Action, Timing),
    /// The best alternating swing, be it with a twist of the trunk.
    SwingWithTwist,
    /// Front and hind legs swing against each other.
    Bounding,
    /// The body's rise; the printed amplitude belongs to a rigid mode of arbitrary scale.
    Rise,
    Spread(Role),
}

const fn part(what: What, amplitude: f64, phase: f64) -> Part {
    Part { what, amplitude, phase, harmonic: 1, offset: 0.0 }
}

const fn twice(what: What, amplitude: f64, phase: f64) -> Part {
    Part { what, amplitude, phase, harmonic: 2, offset: 0.0 }
}

/// Hind legs of a quadruped, and the legs of a biped.
const HIND: usize = 0;
const FRONT: usize = 1;

const SWING: What = What::Best(HIND, Action::Swing, Timing::Alternating);
const KNEES: What = What::Best(HIND, Action::Bend, Timing::Alternating);
const LIFT: What = What::Best(HIND, Action::Lift, Timing::Alternating);
const KNEES_TOGETHER: What = What::Best(HIND, Action::Bend, Timing::Together);
const LIFT_TOGETHER: What = What::Best(HIND, Action::Lift, Timing::Together);
const FRONT_SWING: What = What::Best(FRONT, Action::Swing, Timing::Alternating);
const FRONT_ELBOWS: What = What::Best(FRONT, Action::Bend, Timing::Alternating);

const NINETY: f64 = FRAC_PI_2;

/// The gallop's amplitudes are the printed ones times this: a radian of bounding and one of stretching take the feet of
/// our dog two leg lengths to each side, and its nose between its knees.
const GALLOP: f64 = 0.4;

/// The figure. Its rows have the stiffness of the files (dog 20, spine ×5; human 100, spine ×10; loop and linear 1)
/// but for the steady run.
const ROWS: [Row; 11] = [
    // Its amplitudes cannot be read in our copy of the figure; 5.26 Hz is in the text. With −90° it rolls forward.
    row("loop", "roll", "", 5.26, &[part(What::Mode(6), 0.3, 0.0), part(What::Mode(7), 0.3, -NINETY)]),
    // Printed are amplitudes of 1: set points that a physical body does not reach. A body that does reach them curls
    // into circles, and one that reaches 0.4 rears up; this one creeps.
    row("linear", "crawl", "", 5.0, &[part(What::Mode(6), 0.15, 0.0), part(What::Mode(7), 0.15, NINETY)]),
    row("dog", "trot", "trot", 2.0, FOUR_LEGS),
    // The row cannot be read in our copy; an amble is the trot with the front legs the other way round.
    row("dog", "amble", "amble", 2.0, FOUR_LEGS),
    row(
        "dog",
        "gallop",
        "gallop",
        2.0,
        &[
            part(What::Mode(4), GALLOP * 0.2, 0.0), // the body's pitch
            part(What::Bounding, GALLOP * 1.0, NINETY),
            part(What::Best(FRONT, Action::Swing, Timing::Together), GALLOP * 1.0, 0.0),
            part(FRONT_SWING, GALLOP * 0.2, NINETY),
            part(SWING, GALLOP * 0.7, NINETY),
            part(KNEES_TOGETHER, GALLOP * 1.0, NINETY),
        ],
    ),
    Row {
        pose: Some("t-pose"),
        ..row("human", "t-pose-walk", "walk", 2.0, &[part(SWING, 0.5, 0.0), part(KNEES, 0.76, NINETY)])
    },
    row(
        "human",
        "jump",
        "jump",
        2.0,
        &[part(What::Rise, 0.75, 0.0), part(KNEES_TOGETHER, 0.75, 0.0), part(LIFT_TOGETHER, 0.75, 0.0)],
    ),
    Row {
        pose: Some("t-pose"),
        ..row(
            "human",
            "jumping-jacks",
            "jumping-jacks",
            1.0,
            &[
                twice(What::Rise, 0.75, 0.0),
                Part {
                    what: What::Spread(Role::Foot),
                    amplitude: 0.35,
                    phase: FRAC_PI_4,
                    harmonic: 1,
                    offset: 0.3,
                },
                part(What::Spread(Role::Hand), 0.95, FRAC_PI_4),
                twice(KNEES_TOGETHER, 0.75, 0.0),
                twice(LIFT_TOGETHER, 0.75, 0.0),
            ],
        )
    },
    Row {
        pose: Some("run"),
        ..row(
            "human",
            "run",
            "run",
            2.0,
            &[part(SWING, 0.5, 0.0), part(LIFT, 0.5, NINETY), part(KNEES, 0.75, NINETY)],
        )
    },
    Row {
        pose: Some("run"),
        stiffness: Some(100.0),
        constraint: Some("orientation:head"),
        dof: 44,
        ..row(
            "human",
            "steady-run",
            "run",
            2.0,
            &[
                part(SWING, 0.5, 0.0),
                part(KNEES, 0.5, NINETY),
                part(LIFT, 0.5, NINETY),
                part(What::SwingWithTwist, 0.5, 0.0),
            ],
        )
    },
    Row {
        pose: Some("run"),
        constraint: Some("hands:cart"),
        dof: 42,
        ..row(
            "human",
            "push-cart",
            "walk",
            2.0,
            &[part(SWING, 0.5, 0.0), part(KNEES, 0.5, NINETY), part(LIFT, 0.5, NINETY)],
        )
    },
];

const FOUR_LEGS: &[Part] = &[
    part(FRONT_SWING, 0.5, 0.0),
    part(SWING, 0.5, 0.0),
    part(KNEES, 0.5, NINETY),
    part(FRONT_ELBOWS, 0.5, NINETY),
];

const fn row(
    creature: &'static str,
    name: &'static str,
    gait: &'static str,
    frequency: f64,
    parts: &'static [Part],
) -> Row {
    let dof = match creature.as_bytes() {
        b"loop" => 19,
        b"linear" => 21,
        b"dog" => 80,
        _ => 47,
    };
    Row { creature, dof, name, gait, pose: None, stiffness: None, constraint: None, frequency, parts }
}

impl Row {
    fn style(&self) -> Style {
        Style {
            pose: self.pose.map(str::to_owned),
            stiffness: self.stiffness,
            constraints: self.constraint.iter().map(|&text| text.to_owned()).collect(),
            ..Style::default()
        }
    }
}

fn find(creature: &str, name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.creature == creature && row.name == name)
}

/// The presets of a creature of the gallery.
pub(crate) fn names(creature: &str) -> Vec<&'static str> {
    ROWS.iter().filter(|row| row.creature == creature).map(|row| row.name).collect()
}

/// The body that a preset of a gallery creature asks for: apply it before [`crate::design`].
pub fn preset_style(creature: &str, gait: &str) -> Option<Style> {
    find(creature, gait).map(Row::style)
}

/// The gait whose footfalls a preset has; none for a body without legs.
pub(crate) fn footfalls_of(creature: &str, name: &str) -> Option<&'static str> {
    find(creature, name).map(|row| row.gait).filter(|gait| !gait.is_empty())
}

/// A step to compare with, in leg lengths; signs hardly depend on it.
const STEP: f64 = 0.3;

/// The preset called `name` of this creature, if there is one and the body has its pose and constraints.
pub(crate) fn preset(body: &Body, data: &mut Data, name: &str) -> Result<Option<Gait>, GaitError> {
    let Some(row) = find(body.creature.name(), name) else { return Ok(None) };
    let style = row.style();
    if row.dof != body.basis.dof()
        || (&style.pose, &style.constraints) != (&body.style.pose, &body.style.constraints)
    {
        return Ok(None);
    }
    if row.gait.is_empty() {
        let lie = Support::Belly { across: 1.0 };
        return Ok(Some(finished(body, row, components_by_number(row), lie, 1.0)));
    }
    let pattern = suitable(body, data, row.gait)?;
    let palette = Palette::new(body, data)?;
    let jumps = matches!(row.gait, "jump" | "jumping-jacks");
    let Some(mut components) = components(body, data, &palette, row, pattern.duty) else { return Ok(None) };
    if jumps {
        // Legs are short at the printed phase of 90°, while the feet are apart, and the body low.
        let turned = |target: Target| Target { lift: target.lift * Complex::new(0.0, -1.0), ..target };
        let targets: Vec<Target> = jump_targets(body, &pattern, 0.0).into_iter().map(turned).collect();
        choose_signs(&mut components, &palette, &palette.wanted(body, &targets), rise(body, &palette));
    } else {
        let targets = step_targets(body, &pattern, STEP * body.legs.length);
        choose_signs(&mut components, &palette, &palette.wanted(body, &targets), None);
        // Knees that would have to bend backwards are bent a little to begin with, as in every designed gait: a leg that
        // is straight in the middle of its stance snaps from one side to the other.
        crouch(body, data, &palette, &mut components);
    }
    components.sort_by_key(|component| component.mode);
    let support = if jumps { Support::Crouch } else { Support::Feet };
    let mut gait = finished(body, row, components, support, pattern.duty);
    gait.ground.clearance = pattern.clearance;
    Ok(Some(gait))
}

fn finished(body: &Body, row: &Row, components: Vec<Component>, support: Support, duty: f64) -> Gait {
    // The printed figures are for the springs as they are: the same elastic energy in tenser ones, and their pace.
    let tense = body.style.tension.sqrt();
    let components = components
        .into_iter()
        .map(|component| Component { amplitude: component.amplitude / tense, ..component })
        .collect();
    let jumps = support == Support::Crouch;
    Gait {
        name: row.name.to_owned(),
        creature: Some(row.creature.to_owned()),
        style: body.style.clone(),
        frequency: row.frequency * tense,
        components,
        ground: Ground {
            support,
            duty,
            // As fast as the modes move the feet; the figure gives no speed.
            speed: jumps.then_some(0.0),
            turn: 0.0,
            clearance: 0.0,
            footfalls: BTreeMap::new(),
            terrain: Terrain::Flat,
        },
    }
}

fn components_by_number(row: &Row) -> Vec<Component> {
    let by_number = |part: &Part| match part.what {
        What::Mode(mode) => Some(part.component(mode)),
        _ => None,
    };
    row.parts.iter().filter_map(by_number).collect()
}

impl Part {
    fn component(&self, mode: usize) -> Component {
        let Part { amplitude, phase, harmonic, offset, .. } = *self;
        Component { mode, amplitude, phase, harmonic, offset }
    }
}

/// The modes that do what the row says; `None` if this body has none that does.
fn components(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    row: &Row,
    duty: f64,
) -> Option<Vec<Component>> {
    let mut components: Vec<Component> = Vec::new();
    for part in row.parts {
        let component = match part.what {
            What::Mode(mode) => part.component(mode),
            What::Best(from_hind, action, timing) => {
                let pair = body.legs.pairs.checked_sub(1 + from_hind)?;
                let unused = |mode: &usize| components.iter().all(|component| component.mode != *mode);
                let mut ranked = palette.best(pair, action, timing).iter().map(|(mode, _)| *mode);
                part.component(ranked.find(unused)?)
            }
            What::SwingWithTwist => part.component(twisting_swing(body, palette, &components)?),
            What::Bounding => part.component(bounding(body, palette)?),
            What::Rise => part.component(rise(body, palette)?),
            What::Spread(role) => {
                let (mode, outward) = spreading_mode(body, data, palette, role)?;
                // A positive offset and the first half of the cycle spread.
                let sign = outward.signum();
                let mut component = part.component(mode);
                component.offset *= sign;
                if sign < 0.0 {
                    component.phase += PI;
                }
                component
            }
        };
        components.push(component);
    }
    scale_rise(body, palette, row, duty, &mut components);
    Some(components)
}

/// The unused mode that swings the two legs of the hindmost pair in turn with the least energy, twist or no twist: a
/// runner whose head is held turns the trunk against it.
fn twisting_swing(body: &Body, palette: &Palette, used: &[Component]) -> Option<usize> {
    let score = |mode: usize| {
        let side = |leg: &crate::Leg| if leg.side == Some(Side::Right) { -1.0 } else { 1.0 };
        let hindmost = |leg: &crate::Leg| leg.pair + 1 == body.legs.pairs;
        let motions = body.legs.legs.iter().zip(&palette.measures[mode].legs);
        let swing: f64 = motions.filter(|(leg, _)| hindmost(leg)).map(|(leg, m)| side(leg) * m.forward).sum();
        swing * swing / palette.measures[mode].energy
    };
    let unused = |mode: &usize| used.iter().all(|component| component.mode != *mode);
    let vibrations = (body.basis.rigid()..body.basis.directions().len()).filter(unused);
    vibrations.max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))
}

/// The mode that swings the front legs against the hind legs with the least energy.
fn bounding(body: &Body, palette: &Palette) -> Option<usize> {
    let score = |mode: usize| {
        let forward = |pair: usize| -> f64 {
            let of_pair = body.legs.legs.iter().zip(&palette.measures[mode].legs);
            of_pair.filter(|(leg, _)| leg.pair == pair).map(|(_, motion)| motion.forward).sum()
        };
        -forward(0) * forward(body.legs.pairs - 1) / palette.measures[mode].energy
    };
    (body.basis.rigid()..body.basis.directions().len())
        .max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))
}

/// Gives the rise a height that gravity allows at this frequency.
fn scale_rise(body: &Body, palette: &Palette, row: &Row, duty: f64, components: &mut [Component]) {
    let Some(index) = row.parts.iter().position(|part| matches!(part.what, What::Rise)) else { return };
    let harmonic = components[index].harmonic;
    let legs = body.legs.legs.len().max(1) as f64;
    let lift: f64 = components
        .iter()
        .filter(|component| component.harmonic == harmonic && component.mode >= body.basis.rigid())
        .map(|c| {
            c.amplitude * palette.measures[c.mode].legs.iter().map(|leg| leg.lift).sum::<f64>().abs() / legs
        })
        .sum();
    let jumps_per_second = row.frequency * f64::from(harmonic);
    components[index].amplitude = rise_amplitude(body, lift, jumps_per_second, duty);
}

/// Turns components by 180° where that brings the motion nearer to the wanted one, whatever the time it starts at: of
/// all signs those with the largest |⟨wanted, motion⟩|. The rise of a jump goes against the legs.
fn choose_signs(components: &mut [Component], palette: &Palette, wanted: &DMatrix<f64>, rise: Option<usize>) {
    // Spreading, at half the frequency, does not show in the wanted motion: its signs are chosen already.
    let base = components.iter().map(|component| component.harmonic).max().unwrap_or(1);
    let free: Vec<usize> = (0..components.len())
        .filter(|&k| components[k].harmonic == base && Some(components[k].mode) != rise)
        .collect();
    let parts: Vec<Complex<f64>> = free
        .iter()
        .map(|&k| {
            let row = palette.row(components[k].mode);
            let along = Complex::new(row.dot(&wanted.column(0)), -row.dot(&wanted.column(1)));
            along * math::polar(components[k].amplitude, components[k].phase)
        })
        .collect();
    let judge = |signs: u32| {
        let signed = |(bit, part): (usize, &Complex<f64>)| if signs >> bit & 1 == 1 { -part } else { *part };
        let product: Complex<f64> = parts.iter().enumerate().map(signed).sum();
        // Between a motion and its negative, half a cycle apart, that in step with the wanted one.
        math::length(product) + 1e-6 * product.re
    };
    let best =
        (0..1_u32 << free.len()).max_by(|&a, &b| judge(a).total_cmp(&judge(b)).then(b.cmp(&a))).unwrap_or(0);
    for (bit, &k) in free.iter().enumerate() {
        if best >> bit & 1 == 1 {
            components[k].phase += PI;
        }
    }
    if let Some(rise) = components.iter_mut().find(|component| Some(component.mode) == rise) {
        rise.phase += PI;
    }
}
