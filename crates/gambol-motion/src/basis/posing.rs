//! The likeliest pose of a basis that brings handles where they are pulled.
//!
//! With all principal geodesics of recordings and their spreads, that is the most probable pose under a Gaussian about their mean. It is
//! looked for by the solver of [`gambol_dynamics::reach`].

use gambol_dynamics::{Data, Goal, Hold, Reached, forward_kinematics};
use gambol_model::{Creature, Mat3, Quat, Vec3, mean_rotation};
use nalgebra::Quaternion;

use super::{Basis, BasisError, BasisSpec, Direction};
use crate::RootMotion;
use crate::posing::free_root;

impl Basis {
    /// The same with its free root where `pose` has it.
    pub fn rooted(&self, creature: &Creature, pose: &[f64]) -> Result<Self, BasisError> {
        let mut spec = self.clone().into_spec();
        let pose =
            creature.checked_pose("pose", pose).map_err(|error| BasisError::Pose(error.to_string()))?;
        self.check_creature(creature)?;
        if let Some(joint) = free_root(creature) {
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
        if let Some(joint) = free_root(creature) {
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

/// Moves the free root so that the points of goals are nearest to their targets as a whole (Kabsch 1976).
pub(crate) fn lay_over(creature: &Creature, data: &mut Data, pose: &mut [f64], goals: &[Goal]) {
    let Some(root) = free_root(creature) else { return };
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
