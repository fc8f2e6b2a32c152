//! Constraints for one analysis, in the words of the command line.
//!
//! | text | what it does | rows |
//! |---|---|---|
//! | `ground:foot.left` | the point stays where it stands in the world | 3 |
//! | `orientation:head` | the body keeps its orientation in the world | 3 |
//! | `hands:cart` | all hands hold one rigid cart that can only slide forward | 3 each, less 1 |
//! | `weld:A,B` | two bodies keep their relative pose | 6 |
//! | `connect:A,B` | B's body is held at the point A of A's body | 3 |
//!
//! A name is a landmark, a site, a body or a joint of the creature, in this order.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{BodyPoint, Constraint, ConstraintKind, Creature, Role, Transform, Vec3};

use crate::ModesError;

/// Reads one constraint that holds in the pose `q`.
pub fn parse_constraint(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    text: &str,
) -> Result<Constraint, ModesError> {
    let bad = |reason: String| ModesError::Constraint { text: text.to_owned(), reason };
    let (kind, arguments) = text.split_once(':').ok_or_else(|| bad(FORMS.to_owned()))?;
    forward_kinematics(creature, data, q);
    let find = |name: &str| find(creature, name).ok_or_else(|| bad(unknown(creature, name)));
    let two = || arguments.split_once(',').ok_or_else(|| bad(format!("{kind} takes two names, {kind}:A,B")));
    let kind = match kind {
        "ground" => {
            let point = find(arguments)?;
            ConstraintKind::Pin { point, position_in_world: in_world(data, &point) }
        }
        "orientation" => {
            let body = find(arguments)?.body;
            ConstraintKind::Orientation { body, world_from_body: data.frames[body].rotation }
        }
        "hands" if arguments == "cart" => {
            let hands = hands(creature);
            if hands.is_empty() {
                return Err(bad(format!("{} has no hands", creature.name())));
            }
            let positions_in_world = hands.iter().map(|hand| in_world(data, hand)).collect();
            ConstraintKind::Cart { hands, positions_in_world, forward: Vec3::x() }
        }
        "weld" => {
            let (a, b) = two()?;
            let (a, b) = (find(a)?.body, find(b)?.body);
            ConstraintKind::Weld { a, b, a_from_b: pose(data, a).inverse() * pose(data, b) }
        }
        "connect" => {
            let (a, b) = two()?;
            let (a, b) = (find(a)?, find(b)?.body);
            let on_b = pose(data, b).inverse_transform_point(&in_world(data, &a).into());
            ConstraintKind::Connect { a, b: BodyPoint { body: b, point: on_b.coords } }
        }
        _ => return Err(bad(FORMS.to_owned())),
    };
    if let ConstraintKind::Weld { a, b, .. }
    | ConstraintKind::Connect { a: BodyPoint { body: a, .. }, b: BodyPoint { body: b, .. } } = &kind
        && a == b
    {
        return Err(bad("both names are on one body".to_owned()));
    }
    Ok(Constraint { name: text.to_owned(), kind })
}

const FORMS: &str = "a constraint is ground:POINT, orientation:BODY, hands:cart, weld:A,B or connect:A,B";

fn unknown(creature: &Creature, name: &str) -> String {
    let known: Vec<String> = creature.landmarks().iter().map(gambol_model::Landmark::name).collect();
    let known =
        if known.is_empty() { String::new() } else { format!("; landmarks are {}", known.join(", ")) };
    format!("{} has no landmark, site, body or joint {name:?}{known}", creature.name())
}

/// The point of that name. A body's is its centre of mass, a joint's its anchor.
fn find(creature: &Creature, name: &str) -> Option<BodyPoint> {
    if let Some(landmark) = creature.landmark(name) {
        return Some(BodyPoint { body: landmark.body, point: landmark.point });
    }
    if let Some(site) = creature.sites().iter().find(|site| site.name == name) {
        return Some(BodyPoint { body: site.body, point: site.body_from_site.translation.vector });
    }
    if let Some(body) = creature.body_index(name) {
        return Some(BodyPoint { body, point: creature.bodies()[body].mass.com });
    }
    let joint = &creature.joints()[creature.joint_index(name)?];
    Some(BodyPoint { body: joint.body, point: joint.anchor })
}

fn hands(creature: &Creature) -> Vec<BodyPoint> {
    let hands = creature.landmarks().iter().filter(|landmark| landmark.role == Role::Hand);
    hands.map(|hand| BodyPoint { body: hand.body, point: hand.point }).collect()
}

fn in_world(data: &Data, point: &BodyPoint) -> Vec3 {
    data.frames[point.body].point_in_world(point.point)
}

fn pose(data: &Data, body: usize) -> Transform {
    Transform::from_parts(data.frames[body].position.into(), data.frames[body].orientation)
}
