//! Which limbs are on the far side of a creature.

use gambol_dynamics::{Data, center_of_mass, forward_kinematics};
use gambol_model::{Creature, Vec3};

use crate::View;

/// Per body: whether it belongs to the side that is away from the eye. In its reference pose a creature looks along x,
/// so its sides are where y is positive and negative. Nothing is far of a creature without sides, or seen from a
/// direction in which both sides show.
pub(crate) fn far_bodies(creature: &Creature, view: &View) -> Vec<bool> {
    const SIDEWAYS: f64 = 0.5; // from 30° off the midplane on, one side covers the other
    const ASIDE: f64 = 0.02; // of the creature's size; a spine is not quite straight
    let bodies = creature.bodies();
    let towards = view.towards().y;
    let has_sides = creature.landmarks().iter().any(|landmark| landmark.side.is_some());
    if !has_sides || towards.abs() < SIDEWAYS {
        return vec![false; bodies.len()];
    }
    let mut data = Data::new(creature);
    let middle = center_of_mass(creature, &mut data, creature.reference_pose());
    let frames = forward_kinematics(creature, &mut data, creature.reference_pose());
    let centres: Vec<Vec3> =
        bodies.iter().zip(frames).map(|(body, frame)| frame.point_in_world(body.mass.com)).collect();
    let size = centres.iter().skip(1).map(|at| (at - middle).norm()).fold(0.0, f64::max);
    let is_far = |at: &Vec3| (middle.y - at.y) * towards.signum() > ASIDE * size;
    centres.iter().map(is_far).collect()
}
