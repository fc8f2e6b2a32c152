//! Press walk: a named gait for any creature.
//!
//! ```text
//! pattern ──► tempo ──► targets ──► palette ──► components
//! who when    Froude    of feet     modes       phases of 0°, 90°, 180°, 270°
//! ```

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use gambol_anatomy::footfall::{self as pattern, Order, Pattern};
use gambol_dynamics::Data;
use gambol_model::{BodyClass, Dof, Hint, JointKind, Remark, Role, math};
use nalgebra::Complex;
use serde::{Deserialize, Serialize};

use crate::belly::{self, design_legless, legless_frequency, legless_support};
use crate::feet::{Grounded, ground};
use crate::marks::{Marks, with_preferred};
use crate::measure::penetration;
use crate::modal::ModalMotion;
use crate::palette::{Palette, area, foot_motion, in_quarters, jump_targets, step_targets};
use crate::posture::{arms, bob, crouch, rise, rise_amplitude, spread};
use crate::preset::{self, Presets, preset};
use crate::settle::settle;
use crate::tempo::{Tempo, span};
use crate::{
    Body, Component, DesignSettings, Gait, GaitError, GaitSettings, Ground, Leg, Sampling, Support, Terrain,
    perform,
};

/// What the user asks of a gait; everything else follows from the body.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Wish {
    /// m/s
    pub speed: Option<f64>,
    /// Cycles per second.
    pub frequency: Option<f64>,
    /// m per cycle
    pub stride_length: Option<f64>,
    /// Share of the cycle that a foot stands.
    pub duty: Option<f64>,
    /// Vibrations to be seen in the gait, the green ones of Nunes et al. 2012, section 4.3: favoured where they serve the
    /// legs, and added where they do not.
    pub prefer: Vec<usize>,
    /// Vibrations that the gait must not use, the red ones.
    pub avoid: Vec<usize>,
}

impl Wish {
    /// The same without a pace of its own.
    pub(crate) fn marks_only(&self) -> Self {
        Self { prefer: self.prefer.clone(), avoid: self.avoid.clone(), ..Self::default() }
    }
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
    let marks = Marks::new(body, wish)?;
    let mut footfalls = name;
    if *wish == wish.marks_only()
        && let Some(gait) = preset(body, data, name)?
    {
        if gait.components.iter().all(|component| marks.allow(component.mode)) {
            let gait = if marks.prefer.is_empty() { gait } else { marks.apply(body, data, gait)? };
            return Ok(Design { gait, hints: Vec::new() });
        }
        // Its footfalls, with other modes.
        let own = preset::find(&body.creature, name).and_then(|preset| preset.footfalls.as_deref());
        footfalls = own.unwrap_or(name);
    }
    if belly::is_winged(body, name) && refused(body.class.class).is_none() {
        return belly::design_winged(body, data, name, wish);
    }
    if body.legs.is_empty() && pattern::LEGLESS.contains(&name) && refused(body.class.class).is_none() {
        return legless(body, data, name, wish, &marks);
    }
    let palette = Palette::marked(body, data, marks)?;
    let mut pattern = suitable(body, data, footfalls)?;
    let mut draft = Draft::new(body, data, &palette, &pattern, wish)?;
    let word = (pattern.name == "run" && pattern.order == Order::Pairs).then(|| {
        "its hind legs are much longer than its front legs and folded, so it runs in leaps, as a frog or a hare does; \
         a gallop is there as well"
            .to_owned()
    });
    let speed_is_ours = (wish.speed, wish.frequency, wish.stride_length) == (None, None, None);
    let settings = &body.settings.design;
    for _ in 0..settings.gentler_tries {
        if !speed_is_ours || (draft.swings <= settings.farthest_swing && draft.look.reaches(body)) {
            break;
        }
        pattern = Pattern {
            froude: settings.slower * pattern.froude,
            lift: settings.lower * pattern.lift,
            ..pattern
        };
        draft = Draft::new(body, data, &palette, &pattern, wish)?;
    }
    if let Some(speed) = wish.speed.filter(|speed| *speed > 0.0 && !draft.look.reaches(body)) {
        let most = fastest(body, data, &palette, &pattern, wish, speed)?;
        draft.hints.push(match most {
            Some(most) => {
                format!("{speed} m/s is more than its legs can reach; they keep up to about {most:.2} m/s")
            }
            None => format!("{speed} m/s is more than its legs can reach"),
        });
    }
    let hints = word.into_iter().chain(draft.hints).collect();
    Ok(Design { gait: Gait { name: name.to_owned(), ..draft.gait }, hints })
}

/// A gait as a pattern and a wish make it.
struct Draft {
    gait: Gait,
    hints: Vec<String>,
    /// How far a joint swings to each side at most, rad.
    swings: f64,
    look: Look,
}

/// A gait on the ground, looked at in a few moments of its cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// How far a foot is from where it should stand, m.
    miss: f64,
    /// How far anything is below the ground, m.
    depth: f64,
}

impl Look {
    pub(crate) fn new(body: &Body, data: &mut Data, gait: &Gait) -> Result<Self, GaitError> {
        let motion = ModalMotion::new(body, gait)?;
        let count = body.settings.design.looks;
        let looks: Vec<f64> = (0..count).map(|look| look as f64 / count as f64).collect();
        let Grounded { poses, miss, .. } = ground(body, data, gait, &motion, Vec::new(), &looks, true)?;
        let (depth, _) = penetration(&body.creature, data, &Terrain::Flat, &poses);
        Ok(Self { miss, depth })
    }

    /// Whether all feet get to where they should stand, and the body stays above the ground.
    pub(crate) fn reaches(&self, body: &Body) -> bool {
        let GaitSettings { warnings, design, .. } = &body.settings;
        self.miss <= warnings.reach * body.legs.length && self.depth <= design.buried * body.legs.length
    }
}

impl Draft {
    fn new(
        body: &Body,
        data: &mut Data,
        palette: &Palette,
        pattern: &Pattern,
        wish: &Wish,
    ) -> Result<Self, GaitError> {
        let (tempo, (components, mut hints)) = mixture(body, data, palette, pattern, wish)?;
        let widest = widest_swing(body, &components);
        if let Some((joint, most)) = widest.filter(|(_, most)| *most > body.settings.design.farthest_swing) {
            hints.push(format!("joint {joint:?} swings {:.0}° to each side; go slower", most.to_degrees()));
        }
        let crouches = matches!(pattern.order, Order::Jump | Order::Jacks);
        let gait = Gait {
            name: pattern.name.to_owned(),
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
                footfalls: footfalls(body, pattern),
                terrain: Terrain::Flat,
            },
        };
        let gait = settle(body, data, gait, pattern.lift)?;
        let (gait, look) = with_preferred(body, data, palette, pattern, gait)?;
        Ok(Self { gait, hints, swings: widest.map_or(0.0, |(_, most)| most), look })
    }
}

/// About the largest speed below `speed` at which all feet get to where they should stand; none if there is none in sight.
fn fastest(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: &Pattern,
    wish: &Wish,
    speed: f64,
) -> Result<Option<f64>, GaitError> {
    let DesignSettings { speed_step, speed_steps, .. } = body.settings.design;
    for step in (1_i32..).take(speed_steps) {
        let slower = Wish { speed: Some(speed * math::powi(speed_step, step)), ..wish.clone() };
        if Draft::new(body, data, palette, pattern, &slower)?.look.reaches(body) {
            return Ok(slower.speed);
        }
    }
    Ok(None)
}

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

/// When each foot stands, by the pattern. Jumping jacks are left to the legs: they stand twice, while they are bent.
fn footfalls(body: &Body, pattern: &Pattern) -> BTreeMap<String, f64> {
    if pattern.order == Order::Jacks {
        return BTreeMap::new();
    }
    let phase = |leg: &Leg| pattern.order.phase(leg.pair, body.legs.pairs, leg.side);
    body.legs.legs.iter().map(|leg| (leg.name.clone(), phase(leg))).collect()
}

/// What an animator would choose first for a body of this class.
fn preferred(class: BodyClass) -> &'static [&'static str] {
    match class {
        BodyClass::Belly => &["roll", "slither", "crawl"],
        BodyClass::Wings => &["fly", "hover", "glide", "take-off", "land"],
        BodyClass::Floats => &["hover"],
        class if class.swims() => &["swim"],
        _ => &[],
    }
}

/// Every gait, and why it does not suit this creature where it does not; what suits it best comes first.
pub fn gaits_for(body: &Body, data: &mut Data) -> Vec<(String, Result<(), GaitError>)> {
    let presets = Presets::of(&body.creature).iter().map(|preset| preset.name.as_str());
    let own = presets.filter(|name| !pattern::names().contains(name) && !belly::WINGED.contains(name));
    let mut all: Vec<&str> = pattern::names().into_iter().chain(belly::WINGED).chain(own).collect();
    let preferred = preferred(body.class.class);
    all.sort_by_key(|name| preferred.iter().position(|first| first == name).unwrap_or(preferred.len()));
    all.into_iter()
        .map(|name| {
            let fits = match preset(body, data, name) {
                Ok(Some(_)) => Ok(()),
                // A preset that asks for another pose or other constraints is at hand all the same.
                _ if preset::find(&body.creature, name).is_some() => Ok(()),
                _ if name == "swim" && belly::rows(body) => match belly::rowing_misfit(body, data) {
                    Some(reason) => Err(GaitError::DoesNotFit {
                        creature: body.creature.name().to_owned(),
                        gait: name.to_owned(),
                        reason: reason.into(),
                    }),
                    None => Ok(()),
                },
                _ if belly::is_winged(body, name) && refused(body.class.class).is_none() => {
                    belly::design_winged(body, data, name, &Wish::default()).map(|_| ())
                }
                _ if refused(body.class.class).is_some() => suitable(body, data, name).map(|_| ()),
                _ if body.legs.is_empty() && pattern::LEGLESS.contains(&name) => {
                    legless(body, data, name, &Wish::default(), &Marks::default()).map(|_| ())
                }
                _ => suitable(body, data, name).map(|_| ()),
            };
            (name.to_owned(), fits)
        })
        .collect()
}

/// What goes nowhere by itself, in words.
fn refused(class: BodyClass) -> Option<&'static str> {
    match class {
        BodyClass::Wheels => Some("a vehicle, and wheels turn without a gait"),
        BodyClass::Hand => Some("a hand, which grasps and does not walk"),
        BodyClass::Plant => Some("a plant, which stays where it is"),
        BodyClass::Thing => Some("nothing that gets about by itself"),
        _ => None,
    }
}

/// The pattern called `name` if these legs can do it.
pub(crate) fn suitable(body: &Body, data: &mut Data, name: &str) -> Result<Pattern, GaitError> {
    let does_not_fit = |reason: Remark| GaitError::DoesNotFit {
        creature: body.creature.name().to_owned(),
        gait: name.to_owned(),
        reason,
    };
    let known = pattern::names().contains(&name) || belly::WINGED.contains(&name);
    if let Some(what) = refused(body.class.class).filter(|_| known) {
        let reason = format!("it is {what}: {}", body.class.reason);
        return Err(does_not_fit(Remark::new(reason, Hint::Class)));
    }
    if !body.legs.is_empty() && body.legs.length < body.settings.design.stands * span(body, data) {
        return Err(does_not_fit(
            "its hips are not above its feet in this pose; give it a pose in which it stands".into(),
        ));
    }
    if !body.legs.is_empty()
        && let Err(reason) = body.free_root()
    {
        return Err(does_not_fit(reason));
    }
    let hands = body.creature.landmarks().iter().any(|mark| mark.role == Role::Hand);
    match pattern::find(name, &body.legs, hands) {
        Some(Ok(pattern)) => Ok(pattern),
        Some(Err(reason)) => Err(does_not_fit(reason.into())),
        None if pattern::LEGLESS.contains(&name) => {
            Err(does_not_fit("it has legs, and they are in the way".into()))
        }
        None if preset::find(&body.creature, name).is_some() => {
            Err(does_not_fit("it is a preset with a pose, stiffness and constraints of its own".into()))
        }
        None => {
            let mut known = pattern::names();
            known.extend(belly::WINGED);
            known.extend(Presets::of(&body.creature).iter().map(|preset| preset.name.as_str()));
            known.sort_unstable();
            known.dedup();
            let known = known.into_iter().map(str::to_owned).collect();
            Err(GaitError::Unknown { name: name.to_owned(), known })
        }
    }
}

/// A gait without legs: its modes at the frequency at which they ring, as the paper's loop and chain have it.
fn legless(
    body: &Body,
    data: &mut Data,
    name: &str,
    wish: &Wish,
    marks: &Marks,
) -> Result<Design, GaitError> {
    let components = design_legless(body, data, name, marks)?;
    let frequency = wish.frequency.unwrap_or_else(|| match belly::cruising_beat(body, data, name) {
        Some(cruises) => cruises,
        None => legless_frequency(body, &components),
    });
    let components =
        belly::with_preferred(body, data, marks, components, legless_support(name, &body.settings.waves))?;
    let mut support = legless_support(name, &body.settings.waves);
    if name == "swim"
        && let Some(advance) = belly::swim_advance(body, data, &components, frequency)?
    {
        support = Support::Water { across: body.settings.waves.swim_across, advance: Some(advance) };
    }
    let mut gait = Gait {
        name: name.to_owned(),
        creature: Some(body.creature.name().to_owned()),
        style: body.style.clone(),
        frequency,
        components,
        ground: Ground {
            support,
            duty: 1.0,
            speed: None,
            turn: 0.0,
            clearance: 0.0,
            footfalls: BTreeMap::new(),
            terrain: Terrain::Flat,
        },
    };
    if let Some(speed) = wish.speed {
        // Friction and drag balance whatever the pace: the way per cycle is the body's, its speed goes with the frequency.
        let played = perform(body, data, &gait, &Sampling { seconds: None, fps: 60.0 })?;
        let stride = played.report.stride_length;
        if stride * speed <= 0.0 {
            return Err(GaitError::Number {
                place: "speed".to_owned(),
                reason: format!("{speed} m/s: a cycle takes it {stride:.3} m"),
            });
        }
        gait.frequency = speed / stride;
    }
    Ok(Design { gait, hints: Vec::new() })
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
    let legs = &body.legs;
    let swing = tempo.swing();
    let settings = &body.settings.design;
    // A part of the wanted path counts as a path; a foot that does not go forward cannot drag.
    let least =
        if tempo.speed > 0.0 { settings.enough * PI * swing * pattern.lift * legs.length } else { -1.0 };
    let mut components = Vec::new();
    let mut dragging = Vec::new();
    for attempt in (0_i32..).take(settings.lift_tries) {
        let higher = Pattern { lift: pattern.lift * math::powi(settings.lift_factor, attempt), ..*pattern };
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
            reason: palette.marks.reason("none of its modes moves the feet as that needs").into(),
        });
    }
    crouch(body, data, palette, &mut components);
    components.extend(bob(body, data, palette, pattern)?);
    components.extend(arms(body, data, palette, pattern, &components));
    Ok(components)
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
    let lift = math::length(lift.sum());
    if lift < body.settings.design.enough * pattern.lift * body.legs.length {
        hints.push("its modes hardly shorten the legs".to_owned());
    }
    crouch(body, data, palette, &mut components);
    if let Some(mode) = rise(body, palette) {
        let amplitude = rise_amplitude(body, lift, tempo.frequency, tempo.duty);
        components.push(Component { mode, amplitude, phase: 3.0 * FRAC_PI_2, harmonic, offset: 0.0 });
    }
    if jacks {
        components.extend(spread(body, data, palette));
    }
    components
}

/// The joint that swings furthest to each side, and how far, rad.
fn widest_swing<'b>(body: &'b Body, components: &[Component]) -> Option<(&'b str, f64)> {
    let swing = |dof: usize| -> f64 {
        let at = |harmonic: u32| -> Complex<f64> {
            let same = components.iter().filter(|c| c.harmonic == harmonic);
            same.map(|c| math::polar(c.amplitude, c.phase) * body.basis.directions()[c.mode].shape[dof]).sum()
        };
        math::length(at(1)) + math::length(at(2))
    };
    let joint = |dof: &Dof| &body.creature.joints()[dof.joint];
    let dofs = body.creature.dofs().iter().enumerate();
    let turns = dofs.filter(|(_, dof)| matches!(joint(dof).kind, JointKind::Hinge | JointKind::Ball));
    turns.map(|(index, dof)| (joint(dof).name.as_str(), swing(index))).max_by(|a, b| a.1.total_cmp(&b.1))
}
