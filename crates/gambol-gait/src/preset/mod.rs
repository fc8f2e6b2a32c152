//! Gaits that somebody made for one creature: the rows of figure 3 of Kry et al. 2009, and their like.
//!
//! A preset is data that comes with a creature ([`Creature::attach`]), never a matter of what the creature or its file is
//! called. It says what each of its modes does, and the heuristics find them: mode numbers of the paper belong to its
//! models. Signs are chosen so that the creature moves forward.

mod file;

use std::collections::BTreeMap;
use std::f64::consts::PI;

use gambol_dynamics::Data;
use gambol_model::{Creature, Role, Side, math};
use nalgebra::{Complex, DMatrix};

use crate::design::suitable;
use crate::heuristics::{Action, Timing};
use crate::palette::{Palette, Target, jump_targets, step_targets};
use crate::posture::{crouch, rise, rise_amplitude, spreading_mode};
use crate::{Body, Component, Gait, GaitError, Ground, Style, Support, Terrain};
use gambol_anatomy::footfall::Order;

/// A gait that somebody made for one creature, before its modes are found.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// What users call it.
    pub name: String,
    /// The gait of the list whose footfalls it has; none for a body that lies on the ground.
    pub footfalls: Option<String>,
    /// The body whose modes are meant. It is played where pose and constraints are these.
    pub style: Style,
    /// Cycles per second.
    pub frequency: f64,
    /// The modes that move.
    pub parts: Vec<PresetPart>,
}

/// One term of equation 4, by what its mode does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PresetPart {
    /// What the mode does.
    pub mode: PresetMode,
    /// α, rad; of a rise it is not used: it belongs to a rigid mode of arbitrary scale, and gravity decides.
    pub amplitude: f64,
    /// γ, rad, up to the sign of the motion.
    pub phase: f64,
    /// As [`Component::harmonic`].
    pub harmonic: u32,
    /// β, rad
    pub offset: f64,
}

/// What a mode does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresetMode {
    /// A mode by its number.
    Number(usize),
    /// Of the modes that do this for one pair of legs, the best that no part before this one uses.
    Best {
        /// Counted from the hind one: 0 is hind, and the only one of a biped.
        pair_from_hind: usize,
        /// What the legs do.
        action: Action,
        /// How they go together.
        timing: Timing,
    },
    /// The best alternating swing of the hind pair, be it with a twist of the trunk.
    TwistingSwing,
    /// Front and hind legs swing against each other.
    Bound,
    /// The whole body rises.
    Rise,
    /// Feet go apart.
    SpreadFeet,
    /// Hands go up and apart.
    SpreadHands,
}

/// The presets of a creature. [`Creature::attach`] lets them come with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Presets(pub Vec<Preset>);

impl Presets {
    /// Those that come with a creature.
    pub fn of(creature: &Creature) -> &[Preset] {
        creature.attached::<Self>().map_or(&[], |presets| presets.0.as_slice())
    }
}

/// The preset of this name that comes with a creature.
pub(crate) fn find<'c>(creature: &'c Creature, name: &str) -> Option<&'c Preset> {
    Presets::of(creature).iter().find(|preset| preset.name == name)
}

/// The body that a gait asks for, be it a preset of this creature or one of the list: apply it before [`crate::design`].
/// None where any body will do.
pub fn preset_style(creature: &Creature, gait: &str) -> Option<Style> {
    let preset = find(creature, gait).map(|preset| preset.style.clone());
    preset.or_else(|| Style::for_gait(creature, gait))
}

/// The preset called `name` that comes with this creature, if there is one and the body has its pose and constraints.
pub(crate) fn preset(body: &Body, data: &mut Data, name: &str) -> Result<Option<Gait>, GaitError> {
    let Some(preset) = find(&body.creature, name) else { return Ok(None) };
    if (&preset.style.pose, &preset.style.constraints) != (&body.style.pose, &body.style.constraints) {
        return Ok(None);
    }
    let Some(footfalls) = &preset.footfalls else {
        let lie = Support::Belly { across: body.settings.waves.crawl_across };
        return Ok(
            components_by_number(body, preset).map(|components| finished(body, preset, components, lie, 1.0))
        );
    };
    let pattern = suitable(body, data, footfalls)?;
    let palette = Palette::new(body, data)?;
    let jumps = matches!(pattern.order, Order::Jump | Order::Jacks);
    let Some(mut components) = components(body, data, &palette, preset, pattern.duty) else {
        return Ok(None);
    };
    if jumps {
        // Legs are short at the printed phase of 90°, while the feet are apart, and the body low.
        let turned = |target: Target| Target { lift: target.lift * Complex::new(0.0, -1.0), ..target };
        let targets: Vec<Target> = jump_targets(body, &pattern, 0.0).into_iter().map(turned).collect();
        choose_signs(&mut components, &palette, &palette.wanted(body, &targets), rise(body, &palette));
    } else {
        let targets = step_targets(body, &pattern, body.settings.design.compared_step * body.legs.length);
        choose_signs(&mut components, &palette, &palette.wanted(body, &targets), None);
        // Knees that would have to bend backwards are bent a little to begin with, as in every designed gait: a leg that
        // is straight in the middle of its stance snaps from one side to the other.
        crouch(body, data, &palette, &mut components);
    }
    components.sort_by_key(|component| component.mode);
    let support = if jumps { Support::Crouch } else { Support::Feet };
    let mut gait = finished(body, preset, components, support, pattern.duty);
    gait.ground.clearance = pattern.clearance;
    Ok(Some(gait))
}

fn finished(body: &Body, preset: &Preset, components: Vec<Component>, support: Support, duty: f64) -> Gait {
    // The figures are for the springs as they are: the same elastic energy in tenser ones, and their pace.
    let tense = body.style.tension.sqrt();
    let components = components
        .into_iter()
        .map(|component| Component { amplitude: component.amplitude / tense, ..component })
        .collect();
    let jumps = support == Support::Crouch;
    Gait {
        name: preset.name.clone(),
        creature: Some(body.creature.name().to_owned()),
        style: body.style.clone(),
        frequency: preset.frequency * tense,
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

/// Of a body that lies on the ground: modes by number, as a body without legs has none that do something for them.
fn components_by_number(body: &Body, preset: &Preset) -> Option<Vec<Component>> {
    let by_number = |part: &PresetPart| match part.mode {
        PresetMode::Number(mode) if mode < body.basis.directions().len() => Some(part.component(mode)),
        _ => None,
    };
    preset.parts.iter().map(by_number).collect()
}

impl PresetPart {
    fn component(&self, mode: usize) -> Component {
        let Self { amplitude, phase, harmonic, offset, .. } = *self;
        Component { mode, amplitude, phase, harmonic, offset }
    }
}

/// The modes that do what the preset says; `None` if this body has none that does.
fn components(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    preset: &Preset,
    duty: f64,
) -> Option<Vec<Component>> {
    let mut components: Vec<Component> = Vec::new();
    for part in &preset.parts {
        let component = match part.mode {
            PresetMode::Number(mode) if mode < body.basis.directions().len() => part.component(mode),
            PresetMode::Number(_) => return None,
            PresetMode::Best { pair_from_hind, action, timing } => {
                let pair = body.legs.pairs.checked_sub(1 + pair_from_hind)?;
                let unused = |mode: &usize| components.iter().all(|component| component.mode != *mode);
                let mut ranked = palette.best(pair, action, timing).iter().map(|(mode, _)| *mode);
                part.component(ranked.find(unused)?)
            }
            PresetMode::TwistingSwing => part.component(twisting_swing(body, palette, &components)?),
            PresetMode::Bound => part.component(bounding(body, palette)?),
            PresetMode::Rise => part.component(rise(body, palette)?),
            PresetMode::SpreadFeet => spread(body, data, palette, part, Role::Foot)?,
            PresetMode::SpreadHands => spread(body, data, palette, part, Role::Hand)?,
        };
        components.push(component);
    }
    scale_rise(body, palette, preset, duty, &mut components);
    Some(components)
}

/// The mode that spreads feet or hands: a positive offset and the first half of the cycle take them apart.
fn spread(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    part: &PresetPart,
    role: Role,
) -> Option<Component> {
    let (mode, outward) = spreading_mode(body, data, palette, role)?;
    let mut component = part.component(mode);
    component.offset *= outward.signum();
    if outward < 0.0 {
        component.phase += PI;
    }
    Some(component)
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
fn scale_rise(body: &Body, palette: &Palette, preset: &Preset, duty: f64, components: &mut [Component]) {
    let Some(index) = preset.parts.iter().position(|part| part.mode == PresetMode::Rise) else { return };
    let harmonic = components[index].harmonic;
    let legs = body.legs.legs.len().max(1) as f64;
    let lift: f64 = components
        .iter()
        .filter(|component| component.harmonic == harmonic && component.mode >= body.basis.rigid())
        .map(|c| {
            c.amplitude * palette.measures[c.mode].legs.iter().map(|leg| leg.lift).sum::<f64>().abs() / legs
        })
        .sum();
    let jumps_per_second = preset.frequency * f64::from(harmonic);
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
