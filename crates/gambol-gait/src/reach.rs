//! A body pulled by a few of its points: inverse kinematics from its rest pose, in the elastic metric, told as the bends of
//! a style.

use gambol_dynamics::{Data, Goal, Hold, Reached, forward_kinematics, reach};
use gambol_model::{BodyPoint, Creature, JointKind, Role};
use gambol_motion::Basis;

use crate::{Body, GaitError};

/// A joint that turns by less than this is not bent, rad or m: what is left by rounding when a pose is taken apart.
const STRAIGHT: f64 = 1e-6;

/// The rest pose of a body, pulled.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// `nq` numbers.
    pub pose: Vec<f64>,
    /// All bends of a style in which the body rests so: see [`crate::Style::bend`].
    pub bend: Vec<(String, Vec<f64>)>,
    /// How far the worst point is from its place, m.
    pub miss: f64,
}

impl Body {
    /// Pulls points of the body to places in the world; its joints give way as their springs would. Who pulls at the trunk moves
    /// it over its standing feet; else the trunk stays where it is.
    pub fn reach(&self, data: &mut Data, goals: &[Goal]) -> Result<Reach, GaitError> {
        let (goals, hold) = self.pulled(data, goals)?;
        self.bent(reach(&self.creature, data, self.basis.mean(), &goals, hold))
    }

    /// The same by the directions of `basis` alone: a few vibrations, or what a recording is made of. The trunk goes where these
    /// take it.
    pub fn reach_along(&self, data: &mut Data, basis: &Basis, goals: &[Goal]) -> Result<Reach, GaitError> {
        let (goals, hold) = self.pulled(data, goals)?;
        let reached = basis.reach(&self.creature, data, &goals, hold);
        self.bent(reached.map_err(|error| GaitError::Body(error.to_string()))?)
    }

    /// What is pulled besides, and what is held.
    fn pulled(&self, data: &mut Data, goals: &[Goal]) -> Result<(Vec<Goal>, Hold), GaitError> {
        let creature = &self.creature;
        if let Some(goal) = goals.iter().find(|goal| !is_sensible(creature, goal)) {
            return Err(GaitError::Body(format!("nothing can be pulled at body {}", goal.point.body)));
        }
        let mut goals = goals.to_vec();
        let of_trunk = |goal: &Goal| creature.bodies()[goal.point.body].parent == 0;
        let hold = if goals.iter().any(of_trunk) { Hold::Goals } else { Hold::Root };
        if hold == Hold::Goals {
            forward_kinematics(creature, data, self.basis.mean());
            let feet = creature.landmarks().iter().filter(|landmark| landmark.role == Role::Foot);
            goals.extend(feet.map(|foot| Goal {
                point: BodyPoint { body: foot.body, point: foot.point },
                target: data.frames[foot.body].point_in_world(foot.point),
            }));
        }
        Ok((goals, hold))
    }

    /// As bends of the style.
    fn bent(&self, reached: Reached) -> Result<Reach, GaitError> {
        let creature = &self.creature;
        // A heavy creature sags besides: bends are told without that, or it would sag twice.
        let unbent = self.style.named_pose(creature)?;
        let mut bent = self.style.bent_pose(creature)?;
        let mut turn = vec![0.0; creature.nv()];
        creature.difference(self.basis.mean(), &reached.pose, &mut turn);
        creature.integrate(&mut bent, &turn, 1.0);
        Ok(Reach { bend: bends(creature, &unbent, &bent), pose: reached.pose, miss: reached.miss })
    }
}

/// Whether a goal names a body that moves, and finite places.
fn is_sensible(creature: &Creature, goal: &Goal) -> bool {
    let Goal { point: BodyPoint { body, point }, target } = goal;
    (1..creature.bodies().len()).contains(body) && point.iter().chain(target.iter()).all(|x| x.is_finite())
}

/// Joints that are bent between two poses, and how far.
fn bends(creature: &Creature, from: &[f64], to: &[f64]) -> Vec<(String, Vec<f64>)> {
    let mut turn = vec![0.0; creature.nv()];
    creature.difference(from, to, &mut turn);
    let joints = creature.joints().iter().filter(|joint| joint.kind != JointKind::Free);
    let bent = joints.map(|joint| (joint.name.clone(), turn[joint.v..joint.v + joint.kind.nv()].to_vec()));
    bent.filter(|(_, turn)| turn.iter().any(|x| x.abs() > STRAIGHT)).collect()
}
