//! Wings, and fins that beat like them: what sticks out on both sides of the trunk, and the blades it is made of.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Role, Side, Vec3, words_of_name};
use nalgebra::Point3;

use crate::{Heading, Leg, Legs, Mirror};

/// A wing, from its joint at the trunk to its tip.
#[derive(Clone, Debug, PartialEq)]
pub struct Wing {
    /// Left or right.
    pub side: Side,
    /// Which pair, from 0 in front.
    pub row: usize,
    /// All of its bodies, the one at the trunk first.
    pub bodies: Vec<usize>,
    /// Where it is joined to the trunk in the reference pose, world, m.
    pub shoulder: Vec3,
    /// From there to the farthest point, m.
    pub length: f64,
}

/// A piece of a wing across its span, in the frame of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blade {
    /// The body that it is a part of.
    pub body: usize,
    /// Its middle, m.
    pub point: Vec3,
    /// Along the wing, unit length.
    pub span: Vec3,
    /// Towards the leading edge, unit length, square to `span`.
    pub ahead: Vec3,
    /// From the leading edge to the trailing one, m.
    pub chord: f64,
    /// Along the span, m.
    pub width: f64,
}

/// Words of names that beat.
const BEATS: [&str; 6] = ["wing", "wings", "fin", "flipper", "flippers", "fins"];
/// Blades of one body: its speed grows along it, and its square is what counts.
const BLADES: usize = 4;
/// What is this far from the middle, as a share of the farthest, is on one side.
const ASIDE: f64 = 0.15;
/// Feet are so far below the joints of their limbs, as a share of the farthest from the middle.
const STANDS: f64 = 0.1;
/// A limb is a wing beside named ones if it reaches this far, as a share of the farthest.
const REACHES: f64 = 0.4;

/// Sine of the angle below which a piece of a leg points along the way.
const ALONG: f64 = 0.2;
/// How far ahead of straight out, and behind it, the ends of a tip are looked for.
const TIP_ASIDE: f64 = 0.2;

/// All wings in the reference pose: limbs that are called so; where none is, those that reach far aside and do not stand.
pub fn wings(creature: &Creature, data: &mut Data) -> Vec<Wing> {
    let mirror = Mirror::new(creature, data);
    let heading = Heading::of_reference(creature, data);
    let frames = forward_kinematics(creature, data, creature.reference_pose());
    let bodies = creature.bodies();
    let middle = trunk(creature, frames, &heading);
    let lateral =
        |body: usize| frames[body].point_in_world(bodies[body].mass.com).dot(&heading.left) - middle;
    let breadth = (1..bodies.len()).map(|body| lateral(body).abs()).fold(0.0, f64::max);
    // Drawn as they are, wings need not mirror each other to a hair.
    let is_aside = |body: usize| {
        body != 0
            && (lateral(body).abs() > ASIDE * breadth || mirror.body(body).is_some_and(|mate| mate != body))
    };
    let mut all: Vec<(Wing, bool)> = Vec::new();
    for root in (1..bodies.len()).filter(|&body| is_aside(body) && !is_aside(bodies[body].parent)) {
        let own = below(creature, root);
        let called = |body: &usize| {
            words_of_name(&bodies[*body].name).iter().any(|word| BEATS.contains(&word.as_str()))
        };
        let named = own.iter().any(called);
        let joint = creature.joints()[bodies[root].joints.clone()].first();
        let Some(joint) = joint else { continue };
        let shoulder = frames[root].point_in_world(joint.anchor);
        // What ends level with where it begins carries nobody, though it may be the lowest there is.
        let carries = |mark: &&gambol_model::Landmark| {
            let foot = frames[mark.body].point_in_world(mark.point);
            (shoulder - foot).dot(&heading.up) > STANDS * breadth
        };
        let own_marks = creature.landmarks().iter().filter(|mark| own.contains(&mark.body));
        let stands = own_marks.filter(|mark| mark.role == Role::Foot).any(|mark| carries(&mark));
        if stands && !named {
            continue;
        }
        let far = |body: &usize| (frames[*body].point_in_world(bodies[*body].mass.com) - shoulder).norm();
        let tip = own.iter().map(|&body| tip(creature, frames, body, shoulder)).fold(0.0, f64::max);
        let length = own.iter().map(far).fold(tip, f64::max);
        all.push((Wing { side: Side::Left, row: 0, bodies: own, shoulder, length }, named));
    }
    if all.iter().any(|(_, named)| *named) {
        all.retain(|(_, named)| *named);
    }
    let longest = all.iter().map(|(wing, _)| wing.length).fold(0.0, f64::max);
    let mut wings: Vec<Wing> =
        all.into_iter().map(|(wing, _)| wing).filter(|wing| wing.length > REACHES * longest).collect();
    for wing in &mut wings {
        let outermost = lateral(*wing.bodies.last().unwrap_or(&0));
        wing.side = if outermost > 0.0 { Side::Left } else { Side::Right };
    }
    number_rows(&mut wings, &heading);
    wings
}

/// Whether a body is called a wing.
pub fn is_wing(name: &str) -> bool {
    words_of_name(name).iter().any(|word| word.starts_with("wing"))
}

/// Place of the middle of the whole to the left, m.
fn trunk(creature: &Creature, frames: &[gambol_dynamics::BodyFrame], heading: &Heading) -> f64 {
    let moment = |(body, frame): (&gambol_model::Body, &gambol_dynamics::BodyFrame)| {
        body.mass.mass * frame.point_in_world(body.mass.com).dot(&heading.left)
    };
    creature.bodies().iter().zip(frames).map(moment).sum::<f64>() / creature.mass().max(f64::MIN_POSITIVE)
}

/// Pairs from front to hind.
fn number_rows(wings: &mut [Wing], heading: &Heading) {
    for side in [Side::Left, Side::Right] {
        let mut own: Vec<usize> = (0..wings.len()).filter(|&wing| wings[wing].side == side).collect();
        let ahead = |wing: usize| wings[wing].shoulder.dot(&heading.forward);
        own.sort_by(|&a, &b| ahead(b).total_cmp(&ahead(a)));
        for (row, wing) in own.into_iter().enumerate() {
            wings[wing].row = row;
        }
    }
}

/// A body and all that hangs from it, parents first.
fn below(creature: &Creature, root: usize) -> Vec<usize> {
    let mut own: Vec<usize> = (root..creature.bodies().len()).collect();
    let mut inside = vec![false; creature.bodies().len()];
    inside[root] = true;
    own.retain(|&body| {
        inside[body] |= inside[creature.bodies()[body].parent];
        inside[body]
    });
    own
}

/// How far a body's shapes reach from a point, m.
fn tip(creature: &Creature, frames: &[gambol_dynamics::BodyFrame], body: usize, from: Vec3) -> f64 {
    let frame = &frames[body];
    let out = frame.point_in_world(creature.bodies()[body].mass.com) - from;
    let Some(out) = out.try_normalize(1e-9) else { return 0.0 };
    extreme(creature, frame, body, out).map_or(0.0, |point| (point - from).dot(&out))
}

/// The farthest point of a body's shapes in a direction, world.
fn extreme(
    creature: &Creature,
    frame: &gambol_dynamics::BodyFrame,
    body: usize,
    toward: Vec3,
) -> Option<Vec3> {
    let shapes = &creature.shapes()[creature.bodies()[body].shapes.clone()];
    let point = |shape: &gambol_model::ShapeSpec| {
        let inner = shape.body_from_shape.rotation.inverse() * (frame.orientation.inverse() * toward);
        let point = shape.body_from_shape * Point3::from(shape.shape.support(inner));
        frame.point_in_world(point.coords)
    };
    let finite = shapes.iter().map(point).filter(|point| point.iter().all(|x| x.is_finite()));
    finite.reduce(|a, b| if b.dot(&toward) > a.dot(&toward) { b } else { a })
}

/// Where a piece of a wing leads to: the joint of the next one, or its own farthest point. Not its centre of mass, which lies behind the
/// bone where the feathers are.
fn outer_end(
    creature: &Creature,
    frames: &[gambol_dynamics::BodyFrame],
    limb: &[usize],
    body: usize,
    from: Vec3,
    heading: &Heading,
) -> Vec3 {
    let bodies = creature.bodies();
    let joint = |next: usize| {
        let joint = creature.joints()[bodies[next].joints.clone()].first()?;
        Some(frames[next].point_in_world(joint.anchor))
    };
    let next = limb.iter().filter(|&&next| bodies[next].parent == body).filter_map(|&next| joint(next));
    let far = next.max_by(|a, b| (a - from).norm().total_cmp(&(b - from).norm()));
    let middle = frames[body].point_in_world(bodies[body].mass.com);
    let out = middle - from;
    let out = (out - heading.forward * out.dot(&heading.forward)).try_normalize(1e-9);
    // The middle of the tip: a box has two corners there, and either alone would sweep the wing.
    let tip = || {
        let corner = |aside: f64| extreme(creature, &frames[body], body, out? + heading.forward * aside);
        Some((corner(TIP_ASIDE)? + corner(-TIP_ASIDE)?) * 0.5)
    };
    // A next joint that is hardly away is a fan of feathers.
    far.filter(|far| (far - from).norm() > 0.5 * (middle - from).norm()).or_else(tip).unwrap_or(middle)
}

/// The blades of a wing, from how its shapes lie in the reference pose: spans lead outwards, leading edges ahead.
pub fn blades(creature: &Creature, data: &mut Data, wing: &Wing) -> Vec<Blade> {
    let heading = Heading::of_reference(creature, data);
    blades_of(creature, data, &wing.bodies, &heading, |_| heading.forward)
}

/// The blades of a leg that rows: spans lead to the foot, and their breadth lies across the way.
pub fn oars(creature: &Creature, data: &mut Data, legs: &Legs, leg: &Leg) -> Vec<Blade> {
    let mut limb: Vec<usize> = leg.joints.iter().map(|&joint| creature.joints()[joint].body).collect();
    limb.push(leg.foot);
    limb.dedup();
    let heading = legs.heading;
    let across = |span: Vec3| span.cross(&heading.forward).try_normalize(ALONG).unwrap_or(heading.left);
    blades_of(creature, data, &limb, &heading, across)
}

/// `edge` tells where the leading edge is, by the span; what of it lies along the span does not matter.
fn blades_of(
    creature: &Creature,
    data: &mut Data,
    limb: &[usize],
    heading: &Heading,
    edge: impl Fn(Vec3) -> Vec3,
) -> Vec<Blade> {
    let frames = forward_kinematics(creature, data, creature.reference_pose());
    let mut all = Vec::new();
    for &body in limb {
        let frame = &frames[body];
        let joint = creature.joints()[creature.bodies()[body].joints.clone()].first();
        let from = joint.map_or(frame.position, |joint| frame.point_in_world(joint.anchor));
        let end = outer_end(creature, frames, limb, body, from, heading);
        let Some(span) = (end - from).try_normalize(1e-9) else { continue };
        let edge = edge(span);
        let flat = edge - span * span.dot(&edge);
        let Some(ahead) = flat.try_normalize(1e-9) else { continue };
        let reach =
            |toward: Vec3| extreme(creature, frame, body, toward).map(|point| (point - from).dot(&toward));
        let (Some(out), Some(front), Some(rear)) = (reach(span), reach(ahead), reach(-ahead)) else {
            continue;
        };
        let (length, chord) = (out.max(0.0), front + rear);
        for k in 0..BLADES {
            let at =
                from + span * (length * (k as f64 + 0.5) / BLADES as f64) + ahead * (0.5 * (front - rear));
            let inverse = frame.orientation.inverse();
            all.push(Blade {
                body,
                point: inverse * (at - frame.position),
                span: inverse * span,
                ahead: inverse * ahead,
                chord,
                width: length / BLADES as f64,
            });
        }
    }
    all
}
