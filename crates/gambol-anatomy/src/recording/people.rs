//! What people weigh, part by part: the flesh around a recording's bones is a guess from their lengths, and would make a
//! shank heavier than a thigh.

use gambol_model::{CreatureSpec, InertiaSpec, MassProperties, Mat3, Role, Vec3};

use super::body::body_mass;
use super::settings::BoneFleshSettings;
use crate::survey::{Chain, Chains, Survey};

/// A part of a person: its share of the body's mass; for a long one the place of its centre from its upper end, and its radii
/// of gyration across and along, as shares of its length.
struct Segment {
    share: f64,
    long: Option<[f64; 3]>,
}

/// After de Leva 1996, table 4, men, as the gallery's human has them; radii across are the mean of two.
mod share {
    use super::Segment;
    pub(super) const HEAD: Segment = Segment { share: 0.0694, long: None };
    pub(super) const TRUNK: Segment = Segment { share: 0.4346, long: None };
    pub(super) const TRUNK_AND_HEAD: Segment = Segment { share: HEAD.share + TRUNK.share, long: None };
    pub(super) const UPPER_ARM: Segment = Segment { share: 0.0271, long: Some([0.5772, 0.277, 0.158]) };
    pub(super) const FOREARM: Segment = Segment { share: 0.0162, long: Some([0.4574, 0.2705, 0.121]) };
    pub(super) const HAND: Segment = Segment { share: 0.0061, long: None };
    pub(super) const THIGH: Segment = Segment { share: 0.1416, long: Some([0.4095, 0.329, 0.149]) };
    pub(super) const SHANK: Segment = Segment { share: 0.0433, long: Some([0.4459, 0.252, 0.103]) };
    pub(super) const FOOT: Segment = Segment { share: 0.0137, long: None };
}

/// The bodies of one segment, and the end of its bone from the first of them, m.
struct Part {
    segment: &'static Segment,
    bodies: Vec<usize>,
    bone: Vec3,
}

/// Weighs a person as anatomists do, without changing what all of it weighs. It is one by its anatomy: two legs with knees, an
/// arm or two with elbows, and no tail. All others weigh what their flesh does.
pub(super) fn weigh(spec: &mut CreatureSpec, settings: &BoneFleshSettings) {
    let Ok(survey) = Survey::new(spec) else { return }; // what is wrong with it is told when it is built
    let Some(parts) = parts(&survey, settings) else { return };
    let total: f64 = spec.bodies.iter().map(body_mass).sum();
    let shares: f64 = parts.iter().map(|part| part.segment.share).sum();
    for part in &parts {
        let mass = total * part.segment.share / shares;
        match (part.segment.long, part.bodies.as_slice()) {
            (Some(long), &[only]) if part.bone.norm() > 0.0 => {
                spec.bodies[only].inertia = InertiaSpec::Given(long_segment(mass, part.bone, long));
            }
            (_, bodies) => {
                let before: f64 = bodies.iter().map(|&body| body_mass(&spec.bodies[body])).sum();
                for &body in bodies.iter().filter(|_| before > 0.0) {
                    spec.bodies[body].shapes.iter_mut().for_each(|shape| shape.density *= mass / before);
                }
            }
        }
    }
}

/// A piece of `mass` along `bone`.
fn long_segment(mass: f64, bone: Vec3, [center, across, along]: [f64; 3]) -> MassProperties {
    let length = bone.norm();
    let lengthwise = (bone / length) * (bone / length).transpose();
    let [across, along] = [across, along].map(|radius| mass * radius * radius * length * length);
    let inertia = (Mat3::identity() - lengthwise) * across + lengthwise * along;
    MassProperties { mass, com: bone * center, inertia }
}

/// All bodies of a person, each in one part.
fn parts(survey: &Survey, settings: &BoneFleshSettings) -> Option<Vec<Part>> {
    let chains = Chains::new(survey);
    let (arms, legs): (Vec<&Chain>, Vec<&Chain>) = chains.all.iter().partition(|chain| chain.is_arm);
    if legs.len() != 2 || !(1..=2).contains(&arms.len()) || survey.marks(Role::Tail).next().is_some() {
        return None;
    }
    let mut owner: Vec<Option<usize>> = vec![None; survey.parents.len()];
    let mut parts = vec![Part { segment: &share::TRUNK, bodies: Vec::new(), bone: Vec3::zeros() }];
    let limbs = legs
        .iter()
        .map(|chain| (chain, [&share::THIGH, &share::SHANK, &share::FOOT]))
        .chain(arms.iter().map(|chain| (chain, [&share::UPPER_ARM, &share::FOREARM, &share::HAND])));
    for (chain, segments) in limbs {
        let middle = chains.middle_of(chain).filter(|&middle| middle > 0)?;
        let [upper, lower, end] = cut(survey, chain, middle, settings.still_lower)?;
        for (segment, (bodies, bone)) in segments.into_iter().zip([upper, lower, end]) {
            for &body in &bodies {
                owner[body] = Some(parts.len());
            }
            parts.push(Part { segment, bodies, bone });
        }
    }
    // Neck and head: what no arm hangs from.
    let carries = |body: usize| {
        let ends = survey.marks(Role::Hand).chain(survey.marks(Role::Foot));
        ends.into_iter().any(|mark| survey.up(mark.body).any(|above| above == body))
    };
    let head = survey.marks(Role::Head).next();
    let skull: Vec<usize> =
        head.map_or_else(Vec::new, |head| survey.up(head.body).take_while(|&body| !carries(body)).collect());
    if skull.is_empty() {
        parts[0].segment = &share::TRUNK_AND_HEAD; // nobody knows where the one ends
    } else {
        for &body in &skull {
            owner[body] = Some(parts.len());
        }
        parts.push(Part { segment: &share::HEAD, bodies: skull, bone: Vec3::zeros() });
    }
    // Fingers, toes and jaws go with what they hang from; all else is trunk.
    for body in 1..survey.parents.len() {
        if owner[body].is_some() {
            continue;
        }
        let part = owner[survey.parents[body]].filter(|_| survey.parents[body] != 0).unwrap_or(0);
        owner[body] = Some(part);
        parts[part].bodies.push(body);
    }
    parts.iter().all(|part| !part.bodies.is_empty()).then_some(parts)
}

/// Bodies and bone of a part of a limb.
type Piece = (Vec<usize>, Vec3);

/// A limb in three: above its middle joint, below it, and its end. What is above the bone of the middle joint (a hip joint or a
/// collar bone) is left to the trunk.
fn cut(survey: &Survey, chain: &Chain, middle: usize, still_lower: f64) -> Option<[Piece; 3]> {
    let at = |index: usize| survey.origins[chain.bodies[index]];
    let last = chain.bodies.len() - 1;
    let way: Vec<f64> = (middle..last)
        .scan(0.0, |way, index| {
            *way += (at(index + 1) - at(index)).norm();
            Some(*way)
        })
        .collect();
    // The first that is beyond is the ankle or wrist.
    let whole = way.last().copied()?;
    let end = middle + 1 + way.iter().position(|way| *way > still_lower * whole)?;
    let upper = (vec![chain.bodies[middle - 1]], at(middle) - at(middle - 1));
    let lower = (chain.bodies[middle..end].to_vec(), at(end) - at(middle));
    Some([upper, lower, (chain.bodies[end..].to_vec(), Vec3::zeros())])
}
