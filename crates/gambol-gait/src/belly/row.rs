//! Strokes of legs through water: a dog paddles, a frog kicks, a pond turtle rows.
//!
//! ```text
//! paddle  σ(t) = σ₀ + Σ cos(ωt + φ)     of the whole leg, about the axis that takes its foot straight back
//!         κ(t) = ½K (1 + sin(ωt + φ))    of the knee: bent while the foot comes forward, straight while it pushes
//! kick    s(t) = ½ (1 − cos ωt)          of the way of each piece of both hind legs from folded to straight back
//! ```
//!
//! What pushes is drag: a foot goes back broadside and far out, and comes forward folded, near the body (Fish 1984, Mechanics, power
//! output and efficiency of the swimming muskrat, J. Exp. Biol. 110).

use gambol_anatomy::footfall::{self as pattern, Order};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{BodyClass, Side, Vec3, math};

use super::fly::Flow;
use super::stroke::{Beats, Stroke, turn};
use crate::heuristics::bend_direction;
use crate::{Body, Design, GaitError, Leg, Wish};

/// What one leg does: parts that go with cos ωt and sin ωt, and what lasts.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// Turns of bodies against their parents, world axes, rad.
    turns: Vec<(usize, [Vec3; 3])>,
    /// Of single coordinates, rad.
    bends: Vec<(usize, [f64; 3])>,
}

/// Whether legs are what this body swims with.
pub(crate) fn rows(body: &Body) -> bool {
    matches!(body.class.class, BodyClass::Legs | BodyClass::Wings)
        && body.class.walks
        && !body.legs.is_empty()
}

/// Why it does not swim with its legs, if it does not.
pub(crate) fn misfit(body: &Body, data: &mut Data) -> Option<String> {
    let settings = &body.settings.row;
    if let Err(reason) = body.free_root() {
        return Some(reason.to_string());
    }
    if body.legs.legs.iter().all(|leg| leg.knee.is_none()) {
        return Some("its legs have no knees to fold on the way back".to_owned());
    }
    let hands = body.creature.landmarks().iter().any(|mark| mark.role == gambol_model::Role::Hand);
    let most = if hands { settings.upright_with_hands } else { settings.upright };
    let size = extent(body, data);
    (body.legs.pairs < 2 && size.z > most * size.x)
        .then(|| "it stands upright on two legs, and would have to lie down to swim".to_owned())
}

/// Along forward, left and up, m, of the centres of all bodies.
fn extent(body: &Body, data: &mut Data) -> Vec3 {
    let frames = forward_kinematics(&body.creature, data, body.basis.mean());
    let centres = body.creature.bodies().iter().zip(frames).skip(1);
    let at = centres.map(|(of, frame)| body.legs.heading.components(frame.point_in_world(of.mass.com)));
    let none = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let (low, high) = at.fold(none, |(low, high), at| (low.inf(&at), high.sup(&at)));
    high - low
}

/// `swim` of somebody with legs.
pub(crate) fn design(body: &Body, data: &mut Data, wish: &Wish) -> Result<Design, GaitError> {
    if let Some(reason) = misfit(body, data) {
        return Err(GaitError::DoesNotFit {
            creature: body.creature.name().to_owned(),
            gait: "swim".to_owned(),
            reason: reason.into(),
        });
    }
    let (settings, kicks) = (&body.settings, kicks(body));
    let beats = Beats::rowing(body, strokes(body, data, kicks));
    let legs = &body.legs.legs;
    let length = legs.iter().map(|leg| leg.straight).sum::<f64>() / legs.len() as f64;
    let length = length.max(f64::MIN_POSITIVE);
    let frequency = wish.frequency.unwrap_or(settings.row.beat / length.sqrt());
    let flow = Flow { speed: length * frequency, climb: 0.0, pitch: 0.0, density: settings.flight.water };
    let still = Stroke { flap: 0.0, twist: 0.0, incidence: 0.0, raised: 0.0, tuck: 0.0, frequency, flow };
    let mut hints = Vec::new();
    let mut stroke = beats.driven(data, still, &mut hints)?;
    if let Some(speed) =
        wish.speed.filter(|speed| wish.frequency.is_none() && *speed > 0.0 && hints.is_empty())
    {
        // Thrust and drag both go with the square of all speeds.
        let faster = speed / stroke.flow.speed.max(f64::MIN_POSITIVE);
        let flow = Flow { speed, ..flow };
        stroke = beats.driven(data, Stroke { frequency: frequency * faster, flow, ..still }, &mut hints)?;
    }
    // Paddling is what is expected of legs.
    if kicks {
        hints.push("it swims by kicks of both hind legs, as a frog does".to_owned());
    }
    let gait = beats.gait("swim", &stroke, beats.components(data, &stroke));
    Ok(Design { gait, hints })
}

/// Who leaps on land kicks in water.
fn kicks(body: &Body) -> bool {
    let hands = body.creature.landmarks().iter().any(|mark| mark.role == gambol_model::Role::Hand);
    let run = pattern::find("run", &body.legs, hands);
    matches!(run, Some(Ok(pattern)) if pattern.order == Order::Pairs)
}

fn strokes(body: &Body, data: &mut Data, kicks: bool) -> Vec<Row> {
    forward_kinematics(&body.creature, data, body.basis.mean());
    let stroke = |leg: &Leg| if kicks { Some(kick(body, data, leg)) } else { paddle(body, data, leg) };
    body.legs.legs.iter().filter_map(stroke).collect()
}

/// A leg that sweeps about its hip, one after another.
fn paddle(body: &Body, data: &Data, leg: &Leg) -> Option<Row> {
    let (creature, settings, heading) = (&body.creature, &body.settings.row, &body.legs.heading);
    let hip = creature.joints()[*leg.joints.first()?].body;
    let foot = data.frames[leg.foot].point_in_world(leg.point);
    let along = (foot - leg.hip_in_world(creature, &data.frames)).try_normalize(1e-9)?;
    // A turn by a takes the foot along a × leg.
    let axis = along.cross(&-heading.forward).try_normalize(settings.straight).unwrap_or(heading.left);
    let from_hind = (body.legs.pairs - 1 - leg.pair) as f64;
    let right = if leg.side == Some(Side::Right) { 0.5 } else { 0.0 };
    let aside = along.dot(&heading.up).abs() < settings.aside;
    let later = right - from_hind * if aside { settings.rower } else { settings.paddler };
    // cos(ωt + φ) = cos ωt cos φ − sin ωt sin φ, and sin(ωt + φ) = cos ωt sin φ + sin ωt cos φ
    let (sine, cosine) = math::sin_cos(-std::f64::consts::TAU * later);
    let sweep = [settings.sweep * cosine, -settings.sweep * sine, settings.held].map(|by| axis * by);
    let half = 0.5 * settings.fold;
    let knee = leg.knee.map_or_else(Vec::new, |knee| {
        bend_direction(creature, data, &body.legs, leg, knee, foot, body.settings.heuristics.straight)
    });
    let bends =
        knee.into_iter().map(|(dof, share)| (dof, [half * sine, half * cosine, half].map(|by| share * by)));
    Some(Row { turns: vec![(hip, sweep)], bends: bends.collect() })
}

/// A hind leg whose pieces turn in its own plane from how they are folded to straight back, and again; a front leg lies along the body.
fn kick(body: &Body, data: &Data, leg: &Leg) -> Row {
    let (heading, trails) = (&body.legs.heading, body.settings.row.trails);
    let is_hind = leg.pair + 1 == body.legs.pairs;
    let mut chain: Vec<usize> = leg.joints.iter().map(|&joint| body.creature.joints()[joint].body).collect();
    chain.dedup();
    let foot = data.frames[leg.foot].point_in_world(leg.point);
    let mut above = 0.0;
    let turn = |(k, &piece): (usize, &usize)| {
        let to = chain.get(k + 1).map_or(foot, |&next| joint_place(body, data, next));
        let along = to - joint_place(body, data, piece);
        // From straight back, by way of down: 90° of a leg that stands, 180° of a thigh that points ahead.
        let angle = math::atan2(-along.dot(&heading.up), -along.dot(&heading.forward));
        let angle = if angle < -std::f64::consts::FRAC_PI_2 { angle + std::f64::consts::TAU } else { angle };
        let by = (angle.abs() - trails).max(0.0) * angle.signum();
        let turn = heading.left * (by - above);
        above = by;
        let none = Vec3::zeros();
        (piece, if is_hind { [-0.5 * turn, none, 0.5 * turn] } else { [none, none, turn] })
    };
    Row { turns: chain.iter().enumerate().map(turn).collect(), bends: Vec::new() }
}

fn joint_place(body: &Body, data: &Data, piece: usize) -> Vec3 {
    let joints = body.creature.bodies()[piece].joints.clone();
    let anchor = body.creature.joints()[joints].first().map_or_else(Vec3::zeros, |joint| joint.anchor);
    data.frames[piece].point_in_world(anchor)
}

/// Wanted motions of joints that go with cos ωt and sin ωt, and what lasts.
pub(super) fn directions(body: &Body, data: &mut Data, rows: &[Row]) -> [Vec<f64>; 3] {
    let creature = &body.creature;
    forward_kinematics(creature, data, body.basis.mean());
    let mut parts = [0, 1, 2].map(|_| vec![0.0; creature.nv()]);
    for row in rows {
        for (part, out) in parts.iter_mut().enumerate() {
            row.turns.iter().for_each(|(piece, by)| turn(creature, data, *piece, by[part], out));
            row.bends.iter().for_each(|&(dof, by)| out[dof] += by[part]);
        }
    }
    parts
}
