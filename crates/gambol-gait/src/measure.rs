//! What a finished clip is like, measured on its poses.

use gambol_dynamics::{Data, forward_kinematics, stiffness_matrix};
use gambol_model::{Creature, JointKind, Vec3};
use gambol_motion::Clip;
use nalgebra::{DMatrix, DVector, Point3};

use crate::limits::past;
use crate::modal::ModalMotion;
use crate::perform::FootReport;
use crate::stance::Stance;
use crate::{Body, Gait, Legs, Terrain};

/// What standing feet do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slip {
    /// Worst and mean way along the ground from the middle of the stance, m.
    pub(crate) worst: f64,
    pub(crate) mean: f64,
    /// Worst as a share of the leg's length.
    pub(crate) share: f64,
    pub(crate) feet: Vec<FootReport>,
}

/// Slip of every foot in its stances.
pub(crate) fn slip(
    creature: &Creature,
    data: &mut Data,
    legs: &Legs,
    stances: &[Stance],
    clip: &Clip,
    frequency: f64,
    normal: &Vec3,
) -> Slip {
    // Places of all planted points at all keys.
    let places: Vec<Vec<Vec3>> = clip
        .poses
        .iter()
        .map(|pose| {
            let frames = forward_kinematics(creature, data, pose);
            legs.legs.iter().map(|leg| frames[leg.foot].point_in_world(leg.point)).collect()
        })
        .collect();
    let mut slip = Slip::default();
    let (mut sum, mut count) = (0.0, 0.0);
    for (index, leg) in legs.legs.iter().enumerate() {
        let own: Vec<&Stance> = stances.iter().filter(|stance| stance.leg == index).collect();
        let mut worst: f64 = 0.0;
        for stance in &own {
            // Every recurrence of this stance within the clip.
            let mut number = -1.0;
            while number / frequency <= clip.duration() {
                let [start, end] =
                    [stance.start + number, stance.end + number].map(|cycle| cycle / frequency);
                let inside = |time: f64| time >= start - 1e-9 && time <= end + 1e-9;
                let stood: Vec<Vec3> = clip
                    .times
                    .iter()
                    .zip(&places)
                    .filter(|(time, _)| inside(**time))
                    .map(|(_, p)| p[index])
                    .collect();
                for way in ways(&stood, normal) {
                    worst = worst.max(way);
                    sum += way;
                    count += 1.0;
                }
                number += 1.0;
            }
        }
        slip.worst = slip.worst.max(worst);
        slip.share = slip.share.max(worst / leg.length);
        slip.feet.push(FootReport {
            name: leg.name.clone(),
            duty: own.iter().map(|stance| stance.end - stance.start).sum(),
            stance: own.iter().map(|stance| [stance.start, stance.end]).collect(),
            slip_mm: worst * 1e3,
            peak_force: None,
            load: None,
        });
    }
    slip.mean = if count > 0.0 { sum / count } else { 0.0 };
    slip
}

/// Distance of every place from the middle one along the ground of this `normal`, m: a foot that rolls does not slip.
fn ways(stood: &[Vec3], normal: &Vec3) -> Vec<f64> {
    let Some(middle) = stood.get(stood.len() / 2) else { return Vec::new() };
    let along = |way: Vec3| (way - normal * normal.dot(&way)).norm();
    stood.iter().map(|place| along(place - middle)).collect()
}

/// The worst way of a standing foot along the ground, m, by the contacts that the clip tells.
pub(crate) fn slip_of_contacts(creature: &Creature, data: &mut Data, clip: &Clip) -> f64 {
    let mut worst: f64 = 0.0;
    for contact in &clip.contacts {
        for [start, end] in &contact.intervals {
            let stands = |time: &f64| (start - 1e-9..=end + 1e-9).contains(time);
            let keys = clip.times.iter().zip(&clip.poses).filter(|(time, _)| stands(time));
            let stood: Vec<Vec3> = keys
                .map(|(_, pose)| {
                    forward_kinematics(creature, data, pose)[contact.body].point_in_world(contact.point)
                })
                .collect();
            worst = ways(&stood, &Vec3::z()).into_iter().fold(worst, f64::max);
        }
    }
    worst
}

/// Depth of the deepest point of any shape below the ground, m, and the body it is on; 0 if nothing is below.
pub(crate) fn penetration(
    creature: &Creature,
    data: &mut Data,
    terrain: &Terrain,
    poses: &[Vec<f64>],
) -> (f64, usize) {
    let mut deepest = (0.0, 0);
    for pose in poses {
        let frames = forward_kinematics(creature, data, pose);
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            let shapes = &creature.shapes()[body.shapes.clone()];
            let solid = shapes.iter().any(|shape| shape.collides);
            for shape in shapes.iter().filter(|shape| shape.collides || !solid) {
                let frame = &frames[index];
                // Deepest against the ground's own normal, which is that under the body: exact on a plane.
                let normal = terrain.normal(frame.position.x, frame.position.y);
                let down = shape.body_from_shape.rotation.inverse() * frame.rotation.tr_mul(&-normal);
                let support = Point3::from(shape.shape.support(down));
                let lowest = frame.point_in_world((shape.body_from_shape * support).coords);
                let depth = terrain.height(lowest.x, lowest.y) - lowest.z;
                if depth > deepest.0 {
                    deepest = (depth, index);
                }
            }
        }
    }
    deepest
}

/// Mean elastic energy of the joints between pairs of poses, J; a free root has no stiffness and does not count.
pub(crate) fn elastic<'a>(
    creature: &Creature,
    stiffness: &[f64],
    pairs: impl Iterator<Item = (&'a [f64], &'a Vec<f64>)>,
) -> f64 {
    let mut v = vec![0.0; creature.nv()];
    let (mut sum, mut count) = (0.0, 0.0);
    for (from, to) in pairs {
        creature.difference(from, to, &mut v);
        sum += v.iter().zip(stiffness).map(|(v, k)| 0.5 * k * v * v).sum::<f64>();
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Elastic energy of what poses do along the vibrations of a gait, as a share of all that they do; `None` where nothing is elastic, or
/// nothing moves.
///
/// The part of δ along directions Φ that is nearest to it in the metric K is Φ x with ΦᵀKΦ x = ΦᵀKδ; its energy is ½ xᵀΦᵀKδ.
pub fn modal_share(body: &Body, gait: &Gait, poses: &[Vec<f64>]) -> Option<f64> {
    let stiffness = stiffness_matrix(&body.creature).diagonal();
    let mut modes: Vec<usize> = gait.components.iter().map(|component| component.mode).collect();
    modes.sort_unstable();
    modes.dedup();
    modes.retain(|&mode| mode >= body.basis.rigid());
    let nv = body.creature.nv();
    let shapes = DMatrix::from_fn(nv, modes.len(), |dof, k| body.basis.directions()[modes[k]].shape[dof]);
    let stiff = DMatrix::from_fn(nv, modes.len(), |dof, k| stiffness[dof] * shapes[(dof, k)]);
    let gram = shapes.tr_mul(&stiff).cholesky()?;
    let (mut along, mut all): (f64, f64) = (0.0, 0.0);
    let mut delta = DVector::zeros(nv);
    for pose in poses {
        body.creature.difference(body.basis.mean(), pose, delta.as_mut_slice());
        let right = stiff.tr_mul(&delta);
        along += gram.solve(&right).dot(&right);
        all += delta.iter().zip(&stiffness).map(|(d, k)| k * d * d).sum::<f64>();
    }
    (all > 0.0).then(|| (along / all).min(1.0))
}

/// What is wrong with legs that move too far: one sentence for each leg.
pub(crate) fn folded(body: &Body, data: &mut Data, clip: &Clip) -> Vec<String> {
    let (creature, settings) = (&body.creature, &body.settings.warnings);
    let frames = forward_kinematics(creature, data, body.basis.mean());
    let rest: Vec<f64> = body.legs.legs.iter().map(|leg| leg.stretch(creature, frames)).collect();
    let mut worst: Vec<Option<String>> = vec![None; rest.len()];
    let mut turn = vec![0.0; creature.nv()];
    for pose in &clip.poses {
        creature.difference(body.basis.mean(), pose, &mut turn);
        let frames = forward_kinematics(creature, data, pose);
        for ((leg, rest), worst) in body.legs.legs.iter().zip(&rest).zip(&mut worst) {
            let name = &leg.name;
            let bent = leg.knee.map_or(0.0, |knee| leg.bend * turn[creature.joints()[knee].v]);
            let foot = frames[leg.foot].point_in_world(leg.point);
            let above = (foot - leg.hip_in_world(creature, frames)).dot(&body.legs.heading.up);
            if rest - bent < settings.folded {
                *worst = Some(format!("{name}: the leg folds through itself; try smaller amplitudes"));
            } else if worst.is_none() && above > 0.0 && leg.length > 0.0 {
                *worst = Some(format!("{name}: the foot comes above its hip; try smaller amplitudes"));
            } else if worst.is_none()
                && let Some(joint) = leg.joints.iter().map(|&joint| &creature.joints()[joint]).find(|joint| {
                    let turns = match joint.kind {
                        JointKind::Hinge => turn[joint.v].abs(),
                        JointKind::Ball => Vec3::from_column_slice(&turn[joint.v..joint.v + 3]).norm(),
                        JointKind::Slide | JointKind::Free => 0.0,
                    };
                    turns > settings.turned
                })
            {
                *worst = Some(format!(
                    "{name}: joint {:?} turns by more than {:.0}°; try smaller amplitudes",
                    joint.name,
                    settings.turned.to_degrees()
                ));
            }
        }
    }
    worst.into_iter().flatten().collect()
}

/// The joint that a motion takes further past its limit than `beyond`, and how far, rad.
pub(crate) fn demanded<'a>(
    creature: &'a Creature,
    motion: &ModalMotion,
    beyond: f64,
) -> Option<(&'a str, f64)> {
    const LOOKS: usize = 32; // eight in the shortest harmonic of interest
    let mut most: Option<(&str, f64)> = None;
    for look in 0..LOOKS {
        let pose = motion.unlimited(look as f64 / LOOKS as f64);
        for (joint, past) in past(creature, &pose).filter(|(joint, _)| joint.kind != JointKind::Slide) {
            if past > most.map_or(beyond, |(_, most)| most) {
                most = Some((&creature.joints()[creature.dofs()[joint.v].joint].name, past));
            }
        }
    }
    most
}
