//! Where somebody looks: a body turns its front to a place.
//!
//! A point in front of the body is one handle more. Where it shall be depends on where the body is, so that a pose is found a few times, each
//! time from where the body was.

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

/// Poses that are found one after the other at most, and the angle, rad, by which nobody sees that one looks past.
const ROUNDS: usize = 12;
const MET: f64 = 0.01;

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
        let fronts: Vec<Vec3> = looks.iter().map(|look| front(creature, data, look.body)).collect();
        let ahead = AHEAD * shell(creature);
        let points: Vec<BodyPoint> = looks
            .iter()
            .zip(&fronts)
            .map(|(look, front)| BodyPoint { body: look.body, point: ahead * front })
            .collect();
        let handles: Vec<BodyPoint> = goals.iter().map(|goal| goal.point).chain(points).collect();
        let poser = self.poser(creature, &handles)?;
        let mut places: Vec<Vec3> =
            forward_kinematics(creature, data, at).iter().map(|frame| frame.position).collect();
        for round in 1.. {
            let target = |look: &Look| {
                let way = look.target - places[look.body];
                places[look.body] + ahead * way.try_normalize(1e-9).unwrap_or_else(Vec3::x)
            };
            let targets: Vec<Vec3> =
                goals.iter().map(|goal| goal.target).chain(looks.iter().map(target)).collect();
            let mut posed = poser.pose(data, at, &targets, root)?;
            let frames = forward_kinematics(creature, data, &posed.pose);
            let past = |(look, front): (&Look, &Vec3)| {
                let frame = &frames[look.body];
                (frame.rotation * front).angle(&(look.target - frame.position))
            };
            let past = looks.iter().zip(&fronts).map(past).fold(0.0, f64::max);
            if past < MET || round == ROUNDS {
                let apart = |goal: &Goal| {
                    (goal.target - frames[goal.point.body].point_in_world(goal.point.point)).norm()
                };
                posed.miss = goals.iter().map(apart).fold(0.0, f64::max);
                return Ok((posed, past));
            }
            // Half of the way at a time: who turns also moves, and turns back.
            for (place, frame) in places.iter_mut().zip(frames) {
                *place = 0.5 * (*place + frame.position);
            }
        }
        Err(BasisError::Bounds)
    }
}

/// Where the world's x lies in a body's frame when the creature is at rest: creatures look along it.
fn front(creature: &Creature, data: &mut Data, body: usize) -> Vec3 {
    forward_kinematics(creature, data, creature.rest_pose())[body].rotation.tr_mul(&Vec3::x())
}
