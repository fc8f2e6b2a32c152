//! Natural poses from a few handles: the likeliest pose of a basis that brings them where they are pulled.
//!
//! With all principal geodesics of recordings and their spreads, that is the most probable pose under a Gaussian about their mean. With
//! each joint by itself it is an elastic body, for any rig and without a recording. Both are looked for by the solver of
//! [`gambol_dynamics::reach`].

use gambol_dynamics::{Data, Goal, Hold, Reached, SpringSpace, forward_kinematics, reach_in};
use gambol_model::{BodyPoint, Creature, JointKind, Mat3, Quat, Role, Vec3, mean_rotation};
use nalgebra::Quaternion;

use super::{Basis, BasisError, BasisSpec, Direction};
use crate::Clip;

/// Whether the root is where it is given, or goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootMotion {
    /// It stays in its place.
    Given,
    /// It goes where the handles take it.
    Free,
}

gambol_model::settings! {
    /// Of a body that poses without recordings.
    pub struct ElasticSettings {
        /// The stiffness of a joint counts by this power as what its angle costs: a hip is a thousand times as stiff as a finger, but
        /// does not move that much less. ¼ was best among the powers of 2 on recordings of people.
        power: f64 = 0.25, AtLeastZero;
        /// Knees and elbows are bent by this much to their side to begin with, rad: a stretched joint does not know which way to go.
        bend: f64 = 0.35, AtLeastZero;
    }
}

/// What makes a pose likely.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Prior {
    /// The spreads of a basis: with all principal geodesics of recordings, a Gaussian.
    Basis(Basis),
    /// Every joint by itself, within its limits: an angle costs ½ K^p θ², from the creature at rest with its knees and elbows bent to
    /// their side. No recording is needed.
    Elastic(ElasticSettings),
}

impl Prior {
    /// The likeliest pose with the points of `goals` at their targets. A given root is where `at` has it; a free one starts where the
    /// creature fits the goals best as a whole. Bodies of goals must be bodies of the creature.
    pub fn pose_for(
        &self,
        creature: &Creature,
        data: &mut Data,
        at: &[f64],
        goals: &[Goal],
        root: RootMotion,
    ) -> Result<Reached, BasisError> {
        match self {
            Self::Basis(basis) => basis.rooted(creature, at)?.pose_for(creature, data, goals, root),
            Self::Elastic(settings) => {
                let at =
                    creature.checked_pose("pose", at).map_err(|error| BasisError::Pose(error.to_string()))?;
                let mut from = bent(creature, settings.bend);
                for joint in free(creature) {
                    from[joint.q..joint.q + 7].copy_from_slice(&at[joint.q..joint.q + 7]);
                }
                let hold = match root {
                    RootMotion::Given => Hold::Root,
                    RootMotion::Free => {
                        lay_over(creature, data, &mut from, goals);
                        Hold::Goals
                    }
                };
                let space = SpringSpace { creature, from: &from, hold, power: settings.power };
                Ok(reach_in(creature, data, &space, goals))
            }
        }
    }
}

impl Basis {
    /// The same with its free root where `pose` has it.
    pub fn rooted(&self, creature: &Creature, pose: &[f64]) -> Result<Self, BasisError> {
        let mut spec = self.clone().into_spec();
        let pose =
            creature.checked_pose("pose", pose).map_err(|error| BasisError::Pose(error.to_string()))?;
        self.check_creature(creature)?;
        for joint in free(creature) {
            spec.mean[joint.q..joint.q + 7].copy_from_slice(&pose[joint.q..joint.q + 7]);
        }
        Self::new(creature, spec)
    }

    /// The likeliest pose with the points of `goals` at their targets. With a free root, it starts where the mean fits the goals best
    /// as a whole.
    pub fn pose_for(
        &self,
        creature: &Creature,
        data: &mut Data,
        goals: &[Goal],
        root: RootMotion,
    ) -> Result<Reached, BasisError> {
        match root {
            RootMotion::Given => self.reach_unlimited(creature, data, goals, Hold::Root),
            RootMotion::Free => {
                self.set_free(creature, data, goals)?.reach_unlimited(creature, data, goals, Hold::Goals)
            }
        }
    }

    /// With the root's own six directions first, which cost nothing, and the mean laid over the goals.
    fn set_free(&self, creature: &Creature, data: &mut Data, goals: &[Goal]) -> Result<Self, BasisError> {
        let mut mean = self.mean.clone();
        lay_over(creature, data, &mut mean, goals);
        if self.rigid > 0 {
            let spec = BasisSpec { mean, ..self.clone().into_spec() };
            return Self::new(creature, spec);
        }
        let mut directions = Vec::new();
        for joint in free(creature) {
            for dof in joint.v..joint.v + 6 {
                let mut shape = vec![0.0; creature.nv()];
                shape[dof] = 1.0;
                let mut direction = Direction::new(shape);
                direction.spread = f64::INFINITY;
                direction.omega_squared = Some(0.0);
                directions.push(direction);
            }
        }
        directions.extend(self.directions.iter().cloned());
        Self::new(creature, BasisSpec::new(mean, self.metric.clone(), directions))
    }
}

fn free(creature: &Creature) -> impl Iterator<Item = &gambol_model::Joint> {
    creature.joints().iter().filter(|joint| joint.kind == JointKind::Free)
}

/// The rest pose with knees and elbows bent into the wider side of their limits, where they are nearly straight.
fn bent(creature: &Creature, bend: f64) -> Vec<f64> {
    let mut pose = creature.rest_pose().to_vec();
    let is_middle = |body: usize| {
        let of_limb = |role| matches!(role, Role::Knee | Role::Elbow);
        creature.landmarks().iter().any(|mark| of_limb(mark.role) && mark.body == body)
    };
    for joint in
        creature.joints().iter().filter(|joint| joint.kind == JointKind::Hinge && is_middle(joint.body))
    {
        let Some([low, high]) = joint.limit else { continue };
        let (down, up) = (pose[joint.q] - low, high - pose[joint.q]);
        let side = if up > down { 1.0 } else { -1.0 };
        // Bent already as far as that from its nearer limit, it knows its side.
        if down.min(up) < bend && down.max(up) > 2.0 * bend {
            pose[joint.q] += side * (bend - down.min(up).max(0.0)).max(0.0);
        }
    }
    pose
}

/// Moves the free root so that the points of goals are nearest to their targets as a whole (Kabsch 1976).
fn lay_over(creature: &Creature, data: &mut Data, pose: &mut [f64], goals: &[Goal]) {
    let Some(root) = free(creature).next() else { return };
    if goals.is_empty() {
        return;
    }
    let frames = forward_kinematics(creature, data, pose);
    let points: Vec<Vec3> =
        goals.iter().map(|goal| frames[goal.point.body].point_in_world(goal.point.point)).collect();
    let count = goals.len() as f64;
    let from = points.iter().sum::<Vec3>() / count;
    let to = goals.iter().map(|goal| goal.target).sum::<Vec3>() / count;
    let mut turn = Quat::identity();
    if goals.len() > 2 {
        let pair = |(point, goal): (&Vec3, &Goal)| (goal.target - to) * (point - from).transpose();
        turn = mean_rotation(&points.iter().zip(goals).map(pair).sum::<Mat3>());
    }
    let q = root.q;
    let place = to + turn * (Vec3::new(pose[q], pose[q + 1], pose[q + 2]) - from);
    let looks = turn.into_inner() * Quaternion::new(pose[q + 3], pose[q + 4], pose[q + 5], pose[q + 6]);
    pose[q..q + 3].copy_from_slice(place.as_slice());
    pose[q + 3..q + 7].copy_from_slice(&[looks.w, looks.i, looks.j, looks.k]);
}

/// The far end of a body's bone: where its children are joined to it; of one without, twice as far as its centre of mass.
pub fn bone_end(creature: &Creature, body: usize) -> BodyPoint {
    let children = creature.bodies().iter().skip(1).filter(|child| child.parent == body);
    let joined: Vec<Vec3> = children.map(|child| child.parent_from_body.translation.vector).collect();
    let point = if joined.is_empty() {
        2.0 * creature.bodies()[body].mass.com
    } else {
        joined.iter().sum::<Vec3>() / joined.len() as f64
    };
    BodyPoint { body, point }
}

/// How near frames of a recording come to themselves when they are posed by the places of their own handles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reconstruction {
    /// Frames that were posed.
    pub frames: usize,
    /// Mean distance of the ends of all bones from where they were, m.
    pub distance: f64,
    /// Mean of the largest distances of handles from their places, m.
    pub miss: f64,
}

/// Poses `frames` equally spaced frames of a clip by the places of `handles` in them, as Wu and others (2011, table 3) measure. With a
/// given root it is where the frame has it.
pub fn reconstruct(
    creature: &Creature,
    clip: &Clip,
    prior: &Prior,
    handles: &[BodyPoint],
    root: RootMotion,
    frames: usize,
) -> Result<Reconstruction, BasisError> {
    let frames = frames.min(clip.poses.len());
    let ends: Vec<BodyPoint> = (1..creature.bodies().len()).map(|body| bone_end(creature, body)).collect();
    let mut data = Data::new(creature);
    let mut places = |pose: &[f64], points: &[BodyPoint]| -> Vec<Vec3> {
        let frames = forward_kinematics(creature, &mut data, pose);
        points.iter().map(|at| frames[at.body].point_in_world(at.point)).collect()
    };
    let mut scratch = Data::new(creature);
    let (mut distance, mut miss) = (0.0, 0.0);
    for k in 0..frames {
        let truth = &clip.poses[k * (clip.poses.len() - 1) / (frames - 1).max(1)];
        let targets = places(truth, handles);
        let goals: Vec<Goal> =
            handles.iter().zip(targets).map(|(&point, target)| Goal { point, target }).collect();
        // A free root is not told where it was.
        let at = if root == RootMotion::Given { truth } else { creature.reference_pose() };
        let reached = prior.pose_for(creature, &mut scratch, at, &goals, root)?;
        let [found, there] = [&reached.pose, truth].map(|pose| places(pose, &ends));
        let apart = found.iter().zip(&there).map(|(a, b)| (a - b).norm()).sum::<f64>();
        distance += apart / (ends.len().max(1) * frames) as f64;
        miss += reached.miss / frames as f64;
    }
    Ok(Reconstruction { frames, distance, miss })
}
