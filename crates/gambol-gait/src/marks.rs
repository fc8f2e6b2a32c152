//! Modes that an animator marked: green ones that he wants to see, red ones that he does not (Nunes et al. 2012,
//! section 4.3).

use std::f64::consts::{FRAC_PI_2, PI};

use gambol_anatomy::footfall::{Order, Pattern};
use gambol_dynamics::{Data, body_velocities, center_of_mass};
use gambol_model::{Role, Vec3, math};
use gambol_modes::{Reader, Symmetry};

use crate::design::{Look, suitable};
use crate::palette::{Palette, jump_targets, step_targets};
use crate::{Body, Component, Gait, GaitError, MarkSettings, Support, Wish, belly};

/// The marked modes of a wish, checked against a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    pub(crate) prefer: Vec<usize>,
    pub(crate) avoid: Vec<usize>,
}

impl Marks {
    pub(crate) fn new(body: &Body, wish: &Wish) -> Result<Self, GaitError> {
        for (place, marked) in [("prefer", &wish.prefer), ("avoid", &wish.avoid)] {
            let bad = |reason| Err(GaitError::Number { place: place.to_owned(), reason });
            for &mode in marked {
                body.check_mode(mode)?;
                if body.basis.directions()[mode].is_rigid() {
                    return bad(format!("mode {mode} moves the whole body, which follows from its feet"));
                }
                if wish.prefer.contains(&mode) && wish.avoid.contains(&mode) {
                    return bad(format!("mode {mode} cannot be preferred and avoided"));
                }
            }
        }
        Ok(Self { prefer: wish.prefer.clone(), avoid: wish.avoid.clone() })
    }

    /// Whether a gait may use this mode.
    pub(crate) fn allow(&self, mode: usize) -> bool {
        !self.avoid.contains(&mode)
    }

    /// Why there is no gait, said of the modes that are left.
    pub(crate) fn reason(&self, reason: &str) -> String {
        if self.avoid.is_empty() {
            reason.to_owned()
        } else {
            format!("without the modes to avoid, {reason}")
        }
    }

    /// A gait of a file with the marks of its new owner.
    pub(crate) fn apply(&self, body: &Body, data: &mut Data, mut gait: Gait) -> Result<Gait, GaitError> {
        let moved = !gait.components.is_empty();
        gait.components.retain(|component| self.allow(component.mode));
        if moved && gait.components.is_empty() {
            return Err(GaitError::DoesNotFit {
                creature: body.creature.name().to_owned(),
                reason: self.reason("none of its modes is left").into(),
                gait: gait.name,
            });
        }
        if self.prefer.is_empty() {
            return Ok(gait);
        }
        if matches!(gait.ground.support, Support::Belly { .. } | Support::Water { .. }) {
            gait.components = belly::with_preferred(body, data, self, gait.components, gait.ground.support)?;
            return Ok(gait);
        }
        let palette = Palette::marked(body, data, self.clone())?;
        // Footfalls of an unknown name are most likely those of a walk.
        let pattern = suitable(body, data, &gait.name).or_else(|_| suitable(body, data, "walk")).ok();
        match (pattern, gait.ground.support) {
            (Some(pattern), Support::Feet | Support::Crouch) => {
                with_preferred(body, data, &palette, &pattern, gait).map(|(gait, _)| gait)
            }
            (pattern, _) => {
                let additions = additions(body, data, &palette, pattern.as_ref(), &gait.components)?;
                gait.components = added(&gait.components, &additions, 1.0);
                Ok(gait)
            }
        }
    }
}

/// A designed gait in which every preferred mode is seen, and how it stands on the ground.
pub(crate) fn with_preferred(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: &Pattern,
    mut gait: Gait,
) -> Result<(Gait, Look), GaitError> {
    let plain = gait.components.clone();
    let additions = additions(body, data, palette, Some(pattern), &plain)?;
    let mut look = Look::new(body, data, &gait)?;
    if additions.is_empty() || !look.reaches(body) {
        gait.components = added(&plain, &additions, 1.0);
        return Ok((gait, look));
    }
    for share in body.settings.marks.shares {
        gait.components = added(&plain, &additions, share);
        look = Look::new(body, data, &gait)?;
        if look.reaches(body) {
            break;
        }
    }
    Ok((gait, look))
}

/// The components with more of the preferred modes: each addition takes the place of what the mode did.
fn added(components: &[Component], additions: &[Component], share: f64) -> Vec<Component> {
    let mut all = components.to_vec();
    for addition in additions {
        let amplitude = share * addition.amplitude;
        let mut own: Vec<&mut Component> = all.iter_mut().filter(|c| c.mode == addition.mode).collect();
        let size = size_of(own.iter().map(|c| &**c));
        if own.is_empty() || size == 0.0 {
            // Only an offset of posture, if anything: it stays.
            let offset = own.iter().map(|c| c.offset).sum();
            all.retain(|c| c.mode != addition.mode);
            all.push(Component { amplitude, offset, ..*addition });
        } else if size < amplitude {
            for component in &mut own {
                component.amplitude *= amplitude / size;
            }
        }
    }
    all.sort_by(|a, b| (a.mode, a.harmonic).cmp(&(b.mode, b.harmonic)).then(a.phase.total_cmp(&b.phase)));
    all
}

/// Components of one mode together: quarters of a cycle apart, they add up as the sides of a right angle do.
fn size_of<'c>(components: impl Iterator<Item = &'c Component>) -> f64 {
    components.map(|c| math::square(c.amplitude)).sum::<f64>().sqrt()
}

/// Preferred modes that would not be seen, as components that are.
///
/// A gait whose second half cycle is the mirror image of the first stays one: what is antisymmetric swings once a cycle,
/// what is symmetric at every step. A mode that moves the feet goes with them, as near as a phase of 0°, 90°, 180° or 270°
/// comes; another one is at its ends when the legs are, and what lifts the head lets it sink onto every step.
fn additions(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: Option<&Pattern>,
    components: &[Component],
) -> Result<Vec<Component>, GaitError> {
    let prefer = &palette.marks.prefer;
    let unseen = prefer.iter().filter_map(|&mode| {
        let amplitude = visible(body, data, mode);
        let present = size_of(components.iter().filter(|c| c.mode == mode));
        (present < body.settings.marks.seen * amplitude).then_some((mode, amplitude))
    });
    let unseen: Vec<(usize, f64)> = unseen.collect();
    if unseen.is_empty() {
        return Ok(Vec::new());
    }
    let reader = Reader::new(&body.creature, data, body.basis.mean())?;
    let wanted = pattern.map(|pattern| {
        let swing = body.settings.design.compared_step * body.legs.length;
        let targets = match pattern.order {
            Order::Jump | Order::Jacks => jump_targets(body, pattern, 0.0),
            _ => step_targets(body, pattern, swing),
        };
        palette.wanted(body, &targets)
    });
    let mut additions = Vec::new();
    for (mode, amplitude) in unseen {
        let symmetric = reader.read(data, &body.basis.directions()[mode]).symmetry == Symmetry::Symmetric;
        let steps = pattern.is_some_and(|pattern| pattern.order.is_symmetrical());
        let harmonic = if symmetric && steps { 2 } else { 1 };
        let with_feet = wanted.as_ref().filter(|_| harmonic == 1).and_then(|wanted| {
            let row = palette.row(mode);
            let (re, im) = (row.dot(&wanted.column(0)), row.dot(&wanted.column(1)));
            let quarter = match (re.abs() >= im.abs(), re >= 0.0, im >= 0.0) {
                (true, true, _) => 0.0,
                (true, false, _) => PI,
                (false, _, true) => FRAC_PI_2,
                (false, _, false) => 3.0 * FRAC_PI_2,
            };
            (math::hypot(re, im) > body.settings.marks.moves_feet * row.norm() * wanted.norm())
                .then_some(quarter)
        });
        let phase = with_feet.unwrap_or_else(|| {
            let sinks = if head_rises(body, data, mode) { 3.0 * FRAC_PI_2 } else { FRAC_PI_2 };
            if symmetric { sinks } else { 0.0 }
        });
        additions.push(Component { mode, amplitude, phase, harmonic, offset: 0.0 });
    }
    Ok(additions)
}

/// The amplitude at which a mode is seen, rad.
pub(crate) fn visible(body: &Body, data: &mut Data, mode: usize) -> f64 {
    let (creature, pose) = (&body.creature, body.basis.mean());
    let centre = center_of_mass(creature, data, pose);
    let velocities = body_velocities(creature, data, pose, &body.basis.directions()[mode].shape).to_vec();
    let (mut size, mut fastest): (f64, f64) = (0.0, 0.0);
    for (index, part) in creature.bodies().iter().enumerate().skip(1) {
        let frame = &data.frames[index];
        let lever = frame.rotation * part.mass.com;
        size = size.max((frame.position + lever - centre).norm());
        let velocity = velocities[index].linear + velocities[index].angular.cross(&lever);
        fastest = fastest.max(velocity.norm());
    }
    let MarkSettings { visible, far, .. } = body.settings.marks;
    if fastest > 0.0 { visible.min(far * size / fastest) } else { visible }
}

/// Whether a mode takes the head up; without a head, that which moves most up or down.
fn head_rises(body: &Body, data: &mut Data, mode: usize) -> bool {
    let (creature, shape) = (&body.creature, &body.basis.directions()[mode].shape);
    let velocities = body_velocities(creature, data, body.basis.mean(), shape).to_vec();
    let up = |index: usize, point: Vec3| {
        let lever = data.frames[index].rotation * point;
        (velocities[index].linear + velocities[index].angular.cross(&lever)).dot(&body.legs.heading.up)
    };
    let head = creature.landmarks().iter().find(|mark| mark.role == Role::Head);
    let most = || {
        let of_bodies = creature.bodies().iter().enumerate().skip(1).map(|(k, part)| up(k, part.mass.com));
        of_bodies.fold(0.0, |most: f64, up| if up.abs() > most.abs() { up } else { most })
    };
    head.map_or_else(most, |head| up(head.body, head.point)) > 0.0
}
