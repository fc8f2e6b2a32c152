//! Where somebody looks: a body turns its front to a place.
//!
//! The body stays where it is without looking, and a point in front of it is one handle more: it turns, and does not lean out of the way.

use gambol_dynamics::{Data, Goal, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Vec3};

use super::{Posed, Prior, RootMotion};
use crate::{BasisError, shell};

/// A body and what it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The head of somebody, or any other body.
    pub body: usize,
    /// World, m.
    pub target: Vec3,
}

/// How far in front of a body its handle is, in shells: 30 cm of a person, so that a turn weighs as much as the way of a hand.
const AHEAD: f64 = 10.0;

impl Prior {
    /// The same as [`Self::pose_for`], with bodies that look at something: each turns to it what it has in front when the creature is at
    /// rest. Tells also the largest angle by which one looks past it, rad.
    pub fn pose_looking(
        &self,
        creature: &Creature,
        data: &mut Data,
        at: &[f64],
        goals: &[Goal],
        looks: &[Look],
        root: RootMotion,
    ) -> Result<(Posed, f64), BasisError> {
        let plain = match goals {
            [] => at.to_vec(),
            goals => self.pose_for(creature, data, at, goals, root)?.pose,
        };
        let fronts: Vec<Vec3> = looks.iter().map(|look| front(creature, data, look.body)).collect();
        let places: Vec<Vec3> =
            forward_kinematics(creature, data, &plain).iter().map(|frame| frame.position).collect();
        let ahead = AHEAD * shell(creature);
        let mut all = goals.to_vec();
        for (look, front) in looks.iter().zip(&fronts) {
            let place = places[look.body];
            let way = (look.target - place).try_normalize(1e-9).unwrap_or_else(Vec3::x);
            let handle =
                |point: Vec3, target: Vec3| Goal { point: BodyPoint { body: look.body, point }, target };
            // Who is pulled by something of its own stays there by that.
            if !goals.iter().any(|goal| goal.point.body == look.body) {
                all.push(handle(Vec3::zeros(), place));
            }
            all.push(handle(ahead * front, place + ahead * way));
        }
        let mut posed = self.pose_for(creature, data, at, &all, root)?;
        let frames = forward_kinematics(creature, data, &posed.pose);
        let past = |(look, front): (&Look, &Vec3)| {
            let frame = &frames[look.body];
            (frame.rotation * front).angle(&(look.target - frame.position))
        };
        let past = looks.iter().zip(&fronts).map(past).fold(0.0, f64::max);
        let apart =
            |goal: &Goal| (goal.target - frames[goal.point.body].point_in_world(goal.point.point)).norm();
        posed.miss = goals.iter().map(apart).fold(0.0, f64::max);
        Ok((posed, past))
    }
}

/// Where the world's x lies in a body's frame when the creature is at rest: creatures look along it.
fn front(creature: &Creature, data: &mut Data, body: usize) -> Vec3 {
    forward_kinematics(creature, data, creature.rest_pose())[body].rotation.tr_mul(&Vec3::x())
}
