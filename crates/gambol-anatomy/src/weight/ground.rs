//! What can touch the ground, and what stands on it in the pose.

use gambol_dynamics::{BodyFrame, Lowest, Touch, touches};
use gambol_model::{Creature, JointKind, Role, Vec3};

use super::WeightError;

/// A feature, and how it stands in the pose.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    touch: Touch,
    /// The body it is on.
    pub(super) body: usize,
    /// The point that is lowest in the pose, body frame, m.
    pub(super) sole: Vec3,
    /// Where that point stands in the pose, m.
    pub(super) anchor: Vec3,
    /// Whether it stands on the ground in the pose, so that friction holds it there.
    pub(super) grips: bool,
}

impl Feature {
    fn new(touch: Touch) -> Self {
        let (body, sole, anchor) = (touch.body, Vec3::zeros(), Vec3::zeros());
        Self { touch, body, sole, anchor, grips: false }
    }

    pub(super) fn lowest(&self, frame: &BodyFrame, up: Vec3) -> Lowest {
        self.touch.lowest(frame, up)
    }
}

/// The plane the creature stands on, and all that can touch it.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    /// Against gravity.
    pub(super) up: Vec3,
    /// Height of the plane along `up`, m.
    pub(super) level: f64,
    /// Empty for a creature that hangs on the world.
    pub(super) features: Vec<Feature>,
}

/// Features higher above the ground than this share of the centre of mass do not reach it before the creature has long
/// ceased to stand.
const STANDS_WITHIN: f64 = 0.4;

/// Friction holds what is this close to the ground in the pose, as a share of the height of the centre of mass: feet
/// in files are level to a few millimetres.
const GRIP: f64 = 0.01;

impl Ground {
    /// The ground under the creature in its pose. `frames` and `com` are those of the pose.
    pub(super) fn new(
        creature: &Creature,
        frames: &[BodyFrame],
        com: Vec3,
        up: Vec3,
    ) -> Result<Self, WeightError> {
        let mut ground = Self { up, level: 0.0, features: Vec::new() };
        let falling = falling_bodies(creature, up);
        for body in (1..frames.len()).filter(|&body| falling[body]) {
            ground.features.extend(touches(creature, body, &frames[body], up).into_iter().map(Feature::new));
        }
        if ground.features.is_empty() && falling.contains(&true) {
            return Err(WeightError::NothingToStandOn);
        }
        let height = |feature: &Feature| feature.lowest(&frames[feature.body], up).point.dot(&up);
        ground.level = ground.features.iter().map(height).fold(f64::INFINITY, f64::min);
        let com_height = com.dot(&up) - ground.level;
        for feature in &mut ground.features {
            let frame = &frames[feature.body];
            feature.anchor = feature.lowest(frame, up).point;
            feature.sole = frame.rotation.tr_mul(&(feature.anchor - frame.position));
            feature.grips = feature.anchor.dot(&up) - ground.level <= GRIP * com_height;
        }
        let level = ground.level;
        ground.features.retain(|feature| feature.anchor.dot(&up) - level <= STANDS_WITHIN * com_height);
        Ok(ground)
    }
}

/// Whether a body would fall if nothing were below it: its root floats, or slides down without a spring.
fn falling_bodies(creature: &Creature, up: Vec3) -> Vec<bool> {
    let mut falling = vec![false; creature.bodies().len()];
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let down = creature.joints()[body.joints.clone()].iter().any(|joint| match joint.kind {
            JointKind::Free => joint.stiffness == 0.0,
            JointKind::Slide => body.parent == 0 && joint.stiffness == 0.0 && joint.axis.dot(&up).abs() > 0.5,
            JointKind::Ball | JointKind::Hinge => false,
        });
        falling[index] = down || falling[body.parent];
    }
    falling
}

/// The name under which the force on a body is reported: the foot it belongs to, else its own.
pub(super) fn name_of(creature: &Creature, body: usize) -> String {
    let mut above = body;
    while above != 0 {
        if let Some(foot) =
            creature.landmarks().iter().find(|mark| mark.role == Role::Foot && mark.body == above)
        {
            return foot.name();
        }
        above = creature.bodies()[above].parent;
    }
    creature.bodies()[body].name.clone()
}
