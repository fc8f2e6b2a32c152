//! What goes with the legs: bent knees, a bobbing back, the rise of a jump, arms and legs that spread.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use gambol_anatomy::footfall::{Order, Pattern};
use gambol_anatomy::is_wing;
use gambol_dynamics::{Data, body_velocities, forward_kinematics, point_jacobian};
use gambol_model::{BodyClass, JointKind, Role, Side, Vec3, math};
use gambol_modes::{Reader, Symmetry};
use gambol_motion::Direction;
use nalgebra::{Complex, DMatrix, DVector};

use crate::marks::Marks;
use crate::palette::{Palette, in_quarters};
use crate::{Body, Component, GaitError, LegMotion};

/// Bends the knees a little where they stand too straight for their swing: the mean posture of a walk is a bent leg.
pub(crate) fn crouch(body: &Body, data: &mut Data, palette: &Palette, components: &mut Vec<Component>) {
    let lacking = |leg: usize| {
        let bend = |c: &Component| palette.measures[c.mode].legs[leg].bend;
        let parts = components.iter().map(|c| math::polar(c.amplitude, c.phase) * bend(c));
        (math::length(parts.sum()) - room(body, data, leg)).clamp(0.0, body.settings.posture.deepest_crouch)
    };
    let angles: Vec<f64> = (0..body.legs.legs.len()).map(lacking).collect();
    if angles.iter().any(|angle| *angle > 0.0) {
        for (mode, offset) in palette.bent(body, &angles) {
            add_offset(components, mode, offset);
        }
    }
}

/// How far the knee of a leg can stretch before it meets its limit, rad. One without a limit stops where the leg is
/// straight: beyond, it would bend the wrong way.
fn room(body: &Body, data: &mut Data, leg: usize) -> f64 {
    let leg = &body.legs.legs[leg];
    let Some(joint) = leg.knee.map(|knee| &body.creature.joints()[knee]) else { return f64::INFINITY };
    if joint.kind != JointKind::Hinge {
        return f64::INFINITY;
    }
    let angle = body.basis.mean()[joint.q];
    match joint.limit {
        Some([low, _]) if leg.bend > 0.0 => angle - low,
        Some([_, high]) => high - angle,
        None => {
            let frames = forward_kinematics(&body.creature, data, body.basis.mean());
            PI - leg.stretch(&body.creature, frames)
        }
    }
}

fn add_offset(components: &mut Vec<Component>, mode: usize, offset: f64) {
    match components.iter_mut().find(|component| component.mode == mode) {
        Some(component) => component.offset += offset,
        None => components.push(Component { mode, amplitude: 0.0, phase: 0.0, harmonic: 1, offset }),
    }
}

/// Back and head at twice the frequency: they sink onto every step (section 4.2 of the paper).
pub(crate) fn bob(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: &Pattern,
) -> Result<Option<Component>, GaitError> {
    let head = body.creature.landmarks().iter().find(|mark| mark.role == Role::Head);
    let Some(head) = head.filter(|_| pattern.bob > 0.0 && pattern.order.is_symmetrical()) else {
        return Ok(None);
    };
    let Some(mode) = trunk_mode(body, data, palette)? else { return Ok(None) };
    let velocity = body_velocities(&body.creature, data, body.basis.mean(), &mode.shape)[head.body];
    let lever = data.frames[head.body].rotation * head.point;
    let up = (velocity.linear + velocity.angular.cross(&lever)).dot(&body.legs.heading.up);
    let phase = if up > 0.0 { 3.0 * FRAC_PI_2 } else { FRAC_PI_2 };
    Ok(Some(Component { mode: mode.index, amplitude: pattern.bob, phase, harmonic: 2, offset: 0.0 }))
}

/// The lowest vibration that is of back and head alone, and alike on both sides.
fn trunk_mode<'b>(
    body: &'b Body,
    data: &mut Data,
    palette: &Palette,
) -> Result<Option<&'b Direction>, GaitError> {
    let reader = Reader::new(&body.creature, data, body.basis.mean())?;
    let mut allowed = body.basis.flexible().iter().filter(|mode| palette.marks.allow(mode.index));
    Ok(allowed.find(|mode| {
        let reading = reader.read(data, mode);
        let trunk = reading.limbs.iter().filter(|limb| limb.name == "spine" || limb.name == "head");
        let still = |leg: &LegMotion| {
            let foot = math::hypot(math::hypot(leg.forward, leg.left), leg.up) / body.legs.length;
            math::hypot(foot, leg.bend) < body.settings.posture.bob_legs_still
        };
        reading.symmetry == Symmetry::Symmetric
            && trunk.map(|limb| limb.elastic).sum::<f64>() > body.settings.posture.bob_trunk
            && palette.measures[mode.index].legs.iter().all(still)
    }))
}

/// What a breath does to a body that stands, as a tangent vector: back and head give a little, by a vibration of theirs; where there is none,
/// the whole body rises.
pub(crate) fn breath(body: &Body, data: &mut Data) -> Result<Vec<f64>, GaitError> {
    let palette = Palette::marked(body, data, Marks::default())?;
    let settings = &body.settings.script;
    let (mode, amplitude) = match trunk_mode(body, data, &palette)? {
        Some(mode) => (mode, settings.breath),
        None => match rise(body, &palette) {
            Some(mode) => (&body.basis.directions()[mode], settings.breath_rise * body.legs.length),
            None => return Ok(vec![0.0; body.creature.nv()]),
        },
    };
    Ok(mode.shape.iter().map(|u| amplitude * u).collect())
}

/// Arms that swing in turn, each as a whole about its shoulder, along the way and against the leg of its side: a biped's
/// trunk would turn without them. What `components` do to them already counts, with its sign: the legs' own modes swing
/// heavy arms too far, light ones with the legs, and many of them sideways. Wings are held still.
pub(crate) fn arms(
    body: &Body,
    data: &mut Data,
    palette: &Palette,
    pattern: &Pattern,
    components: &[Component],
) -> Vec<Component> {
    let settings = &body.settings.posture;
    if body.legs.pairs != 1 || !matches!(pattern.order, Order::Wave | Order::Alternating) {
        return Vec::new();
    }
    let Some(left) = body.legs.legs.iter().find(|leg| leg.side == Some(Side::Left)) else {
        return Vec::new();
    };
    let swings = ArmSwings::new(body, data, palette);
    if swings.of_hands == 0 {
        return Vec::new();
    }
    // The left foot goes by −sin(ωt − 2πψ); the left hand goes the other way.
    let phase = -TAU * pattern.order.phase(left.pair, body.legs.pairs, left.side);
    let swing = math::polar(settings.arm_swing * (0.5 / pattern.duty).min(settings.most_arm_swing), phase);
    let first = components.iter().filter(|component| component.harmonic == 1);
    let lacks = first.fold(swings.of(swing), |lacks, component| {
        let c = math::polar(component.amplitude, component.phase);
        lacks - parts(&swings.rows.column(component.mode).into_owned(), c)
    });
    let lacks = swings.only_hands(lacks);
    in_quarters(&palette.mix_rows(body, &swings.rows, &lacks, settings.arm_modes), 1)
}

/// What modes do to the elbows and hands, in arm lengths, and to the feet, in leg lengths: three rows for each.
struct ArmSwings {
    /// A column per mode.
    rows: DMatrix<f64>,
    /// Of left arms that swing ahead by 1 rad, and right ones that swing back. Feet stay.
    wanted: DVector<f64>,
    /// Rows of hands and elbows; those of feet follow.
    of_hands: usize,
}

impl ArmSwings {
    fn new(body: &Body, data: &mut Data, palette: &Palette) -> Self {
        let (creature, heading) = (&body.creature, &body.legs.heading);
        let settings = &body.settings.posture;
        let least = settings.shortest_arm * body.legs.length;
        let arms = gambol_anatomy::arms(creature, data, body.basis.mean(), least);
        let place = |data: &Data, joint: usize| {
            let joint = &creature.joints()[joint];
            data.frames[joint.body].point_in_world(joint.anchor)
        };
        let modes = body.basis.directions();
        let (mut rows, mut wanted): (Vec<DMatrix<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut jacobian = DMatrix::zeros(3, creature.nv());
        let shapes = DMatrix::from_fn(creature.nv(), modes.len(), |dof, mode| modes[mode].shape[dof]);
        let axes = DMatrix::from_fn(3, 3, |i, k| [heading.forward, heading.left, heading.up][i][k]);
        let flies = body.class.class == BodyClass::Wings;
        let wings = if flies { gambol_anatomy::wings(creature, data) } else { Vec::new() };
        forward_kinematics(creature, data, body.basis.mean());
        let of_wing = |part: usize| {
            wings.iter().any(|wing| wing.bodies.contains(&part)) || is_wing(&creature.bodies()[part].name)
        };
        for arm in arms.iter().filter(|arm| arm.side.is_some()) {
            let side = match arm.side {
                _ if of_wing(arm.hand) => 0.0,
                Some(Side::Left) => 1.0,
                _ => -1.0,
            };
            let shoulder = place(data, arm.shoulder);
            let hand = (arm.hand, data.frames[arm.hand].point_in_world(arm.point));
            let elbow = arm.elbow.map(|elbow| (creature.joints()[elbow].body, place(data, elbow)));
            let length = (hand.1 - shoulder).norm().max(least);
            for (of, at) in [Some(hand), elbow].into_iter().flatten() {
                point_jacobian(creature, data, of, at, &mut jacobian);
                rows.push(&axes * &jacobian * &shapes / length);
                // Ahead is a turn about the axis to the right.
                let moves = heading.components(-heading.left.cross(&(at - shoulder))) * (side / length);
                wanted.extend(moves.iter());
            }
        }
        let of_hands = wanted.len();
        let of_feet = |row: usize, mode: usize| {
            let leg = &palette.measures[mode].legs[row / 3];
            settings.arms_spare_feet * [leg.forward, leg.left, leg.up][row % 3] / body.legs.length.max(1e-6)
        };
        let feet = 3 * body.legs.legs.len();
        rows.push(DMatrix::from_fn(feet, modes.len(), of_feet));
        wanted.extend(std::iter::repeat_n(0.0, feet));
        let mut all = DMatrix::zeros(wanted.len(), modes.len());
        let mut next = 0;
        for part in rows {
            all.rows_mut(next, part.nrows()).copy_from(&part);
            next += part.nrows();
        }
        Self { rows: all, wanted: DVector::from_vec(wanted), of_hands }
    }

    /// Real and imaginary part of a swing by the complex amplitude `c`, rad.
    fn of(&self, c: Complex<f64>) -> DMatrix<f64> {
        parts(&self.wanted, c)
    }

    /// What the legs do with their feet is theirs: nothing is lacking there.
    fn only_hands(&self, mut lacks: DMatrix<f64>) -> DMatrix<f64> {
        let count = lacks.nrows() - self.of_hands;
        lacks.rows_mut(self.of_hands, count).fill(0.0);
        lacks
    }
}

/// Real and imaginary part of a motion by the complex amplitude `c`, as two columns.
fn parts(motion: &DVector<f64>, c: Complex<f64>) -> DMatrix<f64> {
    DMatrix::from_columns(&[motion * c.re, motion * c.im])
}

/// The rigid motion that lifts the whole body.
pub(crate) fn rise(body: &Body, palette: &Palette) -> Option<usize> {
    let lifts = |leg: &LegMotion| (leg.up - 1.0).abs() < 1e-6 && leg.forward.abs() < 1e-6;
    (0..body.basis.rigid()).find(|&mode| palette.measures[mode].legs.iter().all(lifts))
}

/// Amplitude of the body's rise, m: as far as the legs stretch, and the height g t²/8 of a flight of t = (1 − duty)/f, so
/// that the feet come as high.
pub(crate) fn rise_amplitude(body: &Body, lift: f64, frequency: f64, duty: f64) -> f64 {
    let flight = (1.0 - duty) / frequency;
    lift + body.creature.gravity().norm() * flight * flight / 8.0
}

/// Feet and hands apart while it stands at ωt = 0, and together half a cycle later.
pub(crate) fn spread(body: &Body, data: &mut Data, palette: &Palette) -> Vec<Component> {
    let legs = spreading_mode(body, data, palette, Role::Foot).map(|(mode, outward)| {
        let amplitude = 0.5 * body.settings.posture.jacks_feet * body.legs.length / outward;
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
        amplitude: body.settings.posture.jacks_arms,
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
    forward_kinematics(creature, data, body.basis.mean());
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
    let judge = |mode: &Direction| {
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
    let allowed = body.basis.flexible().iter().filter(|mode| palette.marks.allow(mode.index));
    let best = allowed.map(judge).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (best.2 != 0.0).then_some((best.0, best.2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use crate::design::suitable;

    /// The modes of the legs swing heavy arms with them. With as much again on top, a robot on short legs walked with its
    /// arms held out.
    #[test]
    fn arms_count_what_swings_them_already() {
        let creature = gambol::load("human", &gambol::LoadOptions::default()).unwrap();
        let mut data = Data::new(&creature);
        let body = Body::new(creature, &mut data, &Style::default()).unwrap();
        let palette = Palette::new(&body, &mut data).unwrap();
        let pattern = suitable(&body, &mut data, "walk").unwrap();
        let swings = ArmSwings::new(&body, &mut data, &palette);
        let mut swing = |already: &[Component]| {
            let added = arms(&body, &mut data, &palette, &pattern, already);
            let of = |component: &Component| {
                let c = math::polar(component.amplitude, component.phase);
                parts(&swings.rows.column(component.mode).into_owned(), c)
            };
            let nothing = swings.of(Complex::new(0.0, 0.0));
            let all = already.iter().chain(&added).map(of).fold(nothing, |sum, part| sum + part);
            (added, all.rows(0, swings.of_hands).into_owned())
        };
        let (alone, usual) = swing(&[]);
        let settings = &body.settings.posture;
        let wanted = swings.of(math::polar(settings.arm_swing * 0.5 / pattern.duty, 0.0));
        let lacks = (&usual - wanted.rows(0, swings.of_hands)).norm() / usual.norm();
        assert!(lacks < 0.25, "arms miss {lacks} of their swing");
        for times in [-1.0, 0.5, 1.0, 2.0, 4.0] {
            let turned = |c: &Component| Component { amplitude: times * c.amplitude, ..*c };
            let already: Vec<Component> = alone.iter().map(turned).collect();
            let (_, all) = swing(&already);
            let off = (all - &usual).norm() / usual.norm();
            // What is added gives a little for thrift, and so more where it has more to undo.
            assert!(off < 0.15 * (times - 1.0_f64).abs().max(1.0), "{times} times as much: off by {off}");
        }
    }
}
