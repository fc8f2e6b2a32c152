//! Springs for a body that has none. Robots, rigs and recordings come without, and without springs nothing vibrates.
//!
//! There are two rules, because there are two questions. Who stands on its legs needs joints that hold up the body: a
//! leg's joint carries all of it, not the leg, so that **stance** springs follow from the weight of the whole and the height
//! of its centre (`stance_springs`; rigs and robots). Who is moved by a recording stands because it was filmed standing; its
//! springs only say how limp its parts are against each other, and a finger is to be as limp as an arm: **limp** springs
//! follow from what hangs from each joint (`limp_spring`; the skeletons of recordings). Both have the same damping, and the
//! same rule for what slides.

use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{Creature, JointKind, Role, Vec3, math};

use crate::survey::{Chains, Survey};

/// How stiff the springs are that a body gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringSettings {
    /// Stiffness of a joint over the weight of the creature times the height of its centre, 1/rad. Default 0.14: the dog
    /// and the human of Kry et al. 2009 have 0.13 and 0.16.
    pub stance: f64,
    /// Legs that sprawl carry the body beside their hips; they give by no more than about this, rad. Default 0.15: the belly
    /// of a lizard sinks by a seventh of the way from foot to hip.
    pub sprawl_give: f64,
    /// Times as stiff are the joints of the spine, as in the dog of Kry et al. 2009; so are those beyond the head, as jaws
    /// and ears would wag with every step. Default 5.
    pub spine: f64,
    /// What hangs from a joint (a head, a tail) bends it by no more than about this under its own weight, rad. Default 0.5:
    /// it hangs, but not straight down.
    pub hang_give: f64,
    /// A limp joint turns by this much when it holds out level what hangs from it, rad. Default 1.
    pub limp_give: f64,
    /// A joint that slides gives by this part of the height under the weight on it. Default 0.1.
    pub slide_give: f64,
    /// Damping over stiffness, s. Default 0.002: about 2 % of critical at 3 Hz, as in the gallery.
    pub damping: f64,
}

impl Default for SpringSettings {
    fn default() -> Self {
        Self {
            stance: 0.14,
            sprawl_give: 0.15,
            spine: 5.0,
            hang_give: 0.5,
            limp_give: 1.0,
            slide_give: 0.1,
            damping: 0.002,
        }
    }
}

/// A body in the pose that its springs are to keep.
pub(crate) struct Standing<'a> {
    pub(crate) survey: &'a Survey,
    /// Mass of each body, kg, and its centre in the world, m.
    pub(crate) masses: &'a [(f64, Vec3)],
    /// Height of the lowest point, m.
    pub(crate) low: f64,
    /// m/s²
    pub(crate) gravity: f64,
}

/// The springs of a body that stands.
pub(crate) struct StanceSprings {
    /// Of a leg's joint, N·m/rad.
    pub(crate) usual: f64,
    /// Of each body's joints that turn, N·m/rad.
    pub(crate) turn: Vec<f64>,
}

/// Springs that hold up a body on its legs.
pub(crate) fn stance_springs(standing: &Standing, settings: &SpringSettings) -> StanceSprings {
    let Standing { survey, masses, low, gravity } = *standing;
    let weighty = &masses[1..];
    let mass: f64 = weighty.iter().map(|(mass, _)| mass).sum();
    let centre = weighty.iter().map(|(mass, com)| com * *mass).sum::<Vec3>() / mass;
    let first = survey.origins[1];
    let (least, most) = survey.origins[1..]
        .iter()
        .fold((first, first), |(least, most), origin| (least.inf(origin), most.sup(origin)));
    // What lies on the ground has no height worth the name; its length speaks for it.
    let height = (centre.z - low).max(0.1 * (most - least).norm());
    let chains = Chains::new(survey);
    let legs = chains.legs().count().max(1) as f64;
    let sprawling = mass * gravity / legs * sprawl(survey, &chains) / settings.sprawl_give;
    let usual = (settings.stance * mass * gravity * height).max(sprawling);

    let mut stands = vec![false; survey.parents.len()];
    for foot in survey.marks(Role::Foot) {
        survey.up(foot.body).for_each(|body| stands[body] = true);
    }
    let held = held(survey);
    // Weight and its lever about each joint, of all that hangs from it.
    let mut below: Vec<(f64, Vec3)> = masses.iter().map(|(mass, com)| (*mass, com * *mass)).collect();
    let mut turn = vec![0.0; survey.parents.len()];
    for body in (1..survey.parents.len()).rev() {
        let parent = survey.parents[body];
        let (mass, moment) = below[body];
        below[parent].0 += mass;
        below[parent].1 += moment;
        let lever = if mass > 0.0 { moment / mass - survey.origins[body] } else { Vec3::zeros() };
        let level = math::hypot(lever.x, lever.y);
        let hangs = if stands[body] { 0.0 } else { mass * gravity * level / settings.hang_give };
        let factor = if held[body] { settings.spine } else { 1.0 };
        turn[body] = factor * usual.max(hangs);
    }
    StanceSprings { usual, turn }
}

/// Bodies of the spine, and those beyond the head.
fn held(survey: &Survey) -> Vec<bool> {
    let mut held = vec![false; survey.parents.len()];
    survey.marks(Role::Spine).for_each(|mark| held[mark.body] = true);
    if let Some(head) = survey.marks(Role::Head).next() {
        for body in 1..held.len() {
            held[body] |= survey.up(body).skip(1).any(|above| above == head.body);
        }
    }
    held
}

/// Mean distance of the feet from their hips to the side, m.
fn sprawl(survey: &Survey, chains: &Chains) -> f64 {
    let mut aside = Vec::new();
    for chain in chains.legs() {
        let knee = chains.middle_of(chain).unwrap_or(0);
        let foot = survey.marks(Role::Foot).find(|mark| chain.bodies.last() == Some(&mark.body));
        let hip = chain.bodies.get(knee.saturating_sub(1));
        aside.extend(foot.zip(hip).map(|(foot, &hip)| (survey.place(foot) - survey.origins[hip]).y.abs()));
    }
    aside.iter().sum::<f64>() / aside.len().max(1) as f64
}

/// The spring of a joint from which a `weight` hangs, N, that reaches so far from it, m. `height` is that of the whole, m.
pub(crate) fn limp_spring(
    kind: JointKind,
    weight: f64,
    reach: f64,
    height: f64,
    settings: &SpringSettings,
) -> f64 {
    match kind {
        JointKind::Free => 0.0,
        JointKind::Slide => slide_spring(weight, height, settings),
        JointKind::Ball | JointKind::Hinge => weight * reach / settings.limp_give,
    }
}

/// The spring of a slide that carries a `weight`, N/m.
fn slide_spring(weight: f64, height: f64, settings: &SpringSettings) -> f64 {
    weight / (settings.slide_give * height)
}

/// What joints without springs were given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GivenSprings {
    /// How many joints.
    pub joints: usize,
    /// Stiffness of a leg's joint, N·m/rad.
    pub usual: f64,
}

impl std::fmt::Display for GivenSprings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { joints, usual } = self;
        let (joint, by) = (if *joints == 1 { "joint" } else { "joints" }, "from its weight and height");
        write!(out, "{joints} {joint} came without springs and got {usual:.3} N·m/rad or more, {by}")
    }
}

/// Gives each joint of `creature` that has no spring, and no part in one, the spring and the damper that hold up its body
/// in the reference pose. A root that slides and turns on the world stays free. `None` if all have springs, or nothing has
/// weight. Writes what [`forward_kinematics`] writes.
pub fn give_springs(
    creature: &mut Creature,
    data: &mut Data,
    settings: &SpringSettings,
) -> Option<GivenSprings> {
    let bare: Vec<usize> = (0..creature.joints().len()).filter(|&joint| is_bare(creature, joint)).collect();
    let weight = creature.mass() * creature.gravity().norm();
    if bare.is_empty() || weight <= 0.0 {
        return None;
    }
    let frames = forward_kinematics(creature, data, creature.reference_pose()).to_vec();
    let survey = Survey::of_creature(creature, &frames);
    let com = |(body, frame): (&gambol_model::Body, &BodyFrame)| {
        (body.mass.mass, frame.point_in_world(body.mass.com))
    };
    let masses: Vec<(f64, Vec3)> = creature.bodies().iter().zip(&frames).map(com).collect();
    let [low, high] = heights(creature, &frames);
    let standing = Standing { survey: &survey, masses: &masses, low, gravity: creature.gravity().norm() };
    let springs = stance_springs(&standing, settings);
    let slide = slide_spring(weight, (high - low).max(f64::MIN_POSITIVE), settings);
    let mut joints = 0;
    for joint in bare {
        let found = &creature.joints()[joint];
        let stiffness = if found.kind == JointKind::Slide { slide } else { springs.turn[found.body] };
        // A spring that is not finite belongs to a body that has no size.
        if stiffness > 0.0 && creature.set_stiffness(joint, stiffness).is_ok() {
            joints += 1;
            let damping = creature.joints()[joint].damping.max(settings.damping * stiffness);
            let _ = creature.set_damping(joint, damping); // as finite as the stiffness
        }
    }
    (joints > 0).then_some(GivenSprings { joints, usual: springs.usual })
}

fn is_bare(creature: &Creature, index: usize) -> bool {
    let joint = &creature.joints()[index];
    let in_tendon = creature
        .tendons()
        .iter()
        .any(|tendon| tendon.stiffness > 0.0 && tendon.terms.iter().any(|(member, _)| *member == index));
    let is_root = joint.kind == JointKind::Free || creature.bodies()[joint.body].parent == 0;
    joint.stiffness == 0.0 && !in_tendon && !is_root
}

/// Of the lowest and the highest point, of shapes and of the bodies' origins, m.
pub fn heights(creature: &Creature, frames: &[BodyFrame]) -> [f64; 2] {
    let mut heights: Vec<f64> = frames.iter().skip(1).map(|frame| frame.position.z).collect();
    for (body, frame) in creature.bodies().iter().zip(frames).skip(1) {
        for shape in &creature.shapes()[body.shapes.clone()] {
            for up in [1.0, -1.0] {
                let in_body = frame.rotation.transpose() * Vec3::new(0.0, 0.0, up);
                let in_shape = shape.body_from_shape.rotation.inverse() * in_body;
                let point = shape.body_from_shape * nalgebra::Point3::from(shape.shape.support(in_shape));
                heights.push(frame.point_in_world(point.coords).z);
            }
        }
    }
    heights.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| [low.min(*z), high.max(*z)])
}
