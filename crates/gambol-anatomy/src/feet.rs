//! The feet of a creature: what belongs to each, where it stands, where its leg begins, and which one is its mate.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Landmark, Role, ShapeSpec, Side, Vec3};

use crate::{Heading, Mirror};

/// A foot in a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Foot {
    /// Of its landmark: `foot.front.left`.
    pub name: String,
    /// Left or right; `None` on the midline.
    pub side: Option<Side>,
    /// The bodies that belong to it: that of the landmark and all below.
    pub bodies: Vec<usize>,
    /// Where it is pinned: the landmark.
    pub toe: BodyPoint,
    /// Its hindmost low point in the pose; the toe where it has no shape.
    pub heel: BodyPoint,
    /// Where the leg begins: the joint of its first body that no other foot hangs from.
    pub hip: BodyPoint,
    /// The foot on the other side, by its place among all feet.
    pub mate: Option<usize>,
    /// Where the toe is in the pose, in the world, m.
    pub place: Vec3,
}

/// All feet in the pose `q`, in the order of [`Creature::landmarks`]. Leaves the frames of `q` in `data`.
pub fn feet(creature: &Creature, data: &mut Data, q: &[f64]) -> Vec<Foot> {
    let mirror = Mirror::new(creature, data);
    let heading = Heading::of_reference(creature, data);
    forward_kinematics(creature, data, q);
    let marks: Vec<&Landmark> = creature.landmarks().iter().filter(|mark| mark.role == Role::Foot).collect();
    let users = users(creature, &marks);
    let mate = |mark: &Landmark| {
        let body = mirror.body(mark.body).filter(|body| *body != mark.body)?;
        marks.iter().position(|other| other.body == body)
    };
    let foot = |mark: &&Landmark| {
        let bodies = foot_bodies(creature, mark.body);
        let toe = BodyPoint { body: mark.body, point: mark.point };
        Foot {
            name: mark.name(),
            side: mark.side,
            toe,
            heel: farthest(creature, data, &bodies, -heading.forward - heading.up).unwrap_or(toe),
            hip: hip(creature, &leg_bodies(creature, &users, mark.body)),
            mate: mate(mark),
            place: data.frames[mark.body].point_in_world(mark.point),
            bodies,
        }
    };
    marks.iter().map(foot).collect()
}

/// From front to back a left foot and a right one in turn: half of the feet, whose mates are the other half. None where a
/// foot has no mate.
pub fn diagonal_feet<'f>(feet: &'f [Foot], heading: &Heading) -> Vec<&'f Foot> {
    let mates: Option<Vec<&Foot>> = feet.iter().map(|foot| foot.mate.map(|mate| &feet[mate])).collect();
    let Some(mates) = mates else { return Vec::new() };
    let leftwards = |foot: &Foot| foot.place.dot(&heading.left);
    let mut pairs: Vec<[&Foot; 2]> = feet
        .iter()
        .zip(mates)
        .filter(|(foot, mate)| leftwards(mate) < leftwards(foot))
        .map(|(left, right)| [left, right])
        .collect();
    let ahead = |[left, _]: &[&Foot; 2]| left.place.dot(&heading.forward);
    pairs.sort_by(|a, b| ahead(b).total_cmp(&ahead(a)));
    pairs.iter().enumerate().map(|(row, pair)| pair[row % 2]).collect()
}

/// The bodies of a foot: that of its landmark and all that hangs from it, in their order.
pub fn foot_bodies(creature: &Creature, foot: usize) -> Vec<usize> {
    let is_below = |mut body: usize| {
        while body > foot {
            body = creature.bodies()[body].parent;
        }
        body == foot
    };
    (foot..creature.bodies().len()).filter(|&body| is_below(body)).collect()
}

/// The farthest point of the shapes of some bodies in `direction` of the world, at the frames in `data`.
fn farthest(creature: &Creature, data: &Data, bodies: &[usize], direction: Vec3) -> Option<BodyPoint> {
    let shapes = |body: usize| {
        creature.shapes()[creature.bodies()[body].shapes.clone()].iter().map(move |s| (body, s))
    };
    let points = bodies.iter().flat_map(|&body| shapes(body)).map(|(body, spec): (usize, &ShapeSpec)| {
        let frame = &data.frames[body];
        let in_shape = spec.body_from_shape.rotation.inverse() * frame.rotation.tr_mul(&direction);
        let point = spec.body_from_shape.transform_point(&spec.shape.support(in_shape).into()).coords;
        (BodyPoint { body, point }, frame.point_in_world(point).dot(&direction))
    });
    points.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(point, _)| point)
}

/// Per body: how many of the feet are on it or below it.
pub(crate) fn users(creature: &Creature, feet: &[&Landmark]) -> Vec<usize> {
    let mut users = vec![0; creature.bodies().len()];
    for foot in feet {
        let mut body = foot.body;
        while body != 0 {
            users[body] += 1;
            body = creature.bodies()[body].parent;
        }
    }
    users
}

/// The bodies of the leg that ends in `foot`, from its hip: up to the last that this foot has to itself. A body whose
/// parent is the world is the trunk of a hopper.
pub(crate) fn leg_bodies(creature: &Creature, users: &[usize], foot: usize) -> Vec<usize> {
    let bodies = creature.bodies();
    let mut chain = vec![foot];
    let mut body = foot;
    while bodies[body].parent != 0
        && users[bodies[body].parent] == 1
        && bodies[bodies[body].parent].parent != 0
    {
        body = bodies[body].parent;
        chain.push(body);
    }
    chain.reverse();
    chain
}

/// The joint where a leg begins.
fn hip(creature: &Creature, leg: &[usize]) -> BodyPoint {
    let body = leg[0];
    let joint = creature.joints()[creature.bodies()[body].joints.clone()].first();
    BodyPoint { body, point: joint.map_or_else(Vec3::zeros, |joint| joint.anchor) }
}
