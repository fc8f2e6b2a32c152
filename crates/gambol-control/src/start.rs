//! Where a simulation starts.

use gambol_dynamics::{BodyFrame, Collider, ContactModel, Data, Terrain, forward_kinematics};
use gambol_model::Random;
use gambol_model::{Creature, JointKind, Vec3};

/// Times a creature is lifted or lowered on ground that is not a plane; each time what is left is about the share by
/// which the ground bends under its feet.
const LIFTS: usize = 8;

/// Moves a creature that floats up or down until its lowest point touches the ground. Others stay where they hang.
pub fn stand_on(creature: &Creature, ground: &Terrain, pose: &mut [f64]) {
    let Some(root) = creature.joints().iter().find(|joint| joint.kind == JointKind::Free) else { return };
    let mut data = Data::new(creature);
    let gauge = Gauge::new(creature);
    let mut found = Vec::new();
    for _ in 0..LIFTS {
        forward_kinematics(creature, &mut data, pose);
        let Some((gap, normal)) = gauge.lowest(&data.frames, ground, &mut found) else { return };
        pose[root.q + 2] -= gap / normal.z;
        if gap.abs() < 1e-9 {
            return;
        }
    }
}

/// Depth at which one contact bears the whole creature, m.
const SOFT_DEPTH: f64 = 1e-3;

/// Damping of soft ground, 1 being critical for the whole creature on one contact. With more, what pumps a creature is
/// lost in the ground.
const SOFT_DAMPING: f64 = 0.3;

/// The paper's stiff implicit penalty, as stiff as the weight of `creature` asks for.
pub fn soft_ground(creature: &Creature) -> ContactModel {
    let (mass, gravity) = (creature.mass().max(f64::MIN_POSITIVE), creature.gravity().norm());
    // A creature that weighs nothing meets the ground of one that weighs as much as on Earth.
    let weight = mass * if gravity > 0.0 { gravity } else { 9.81 };
    let stiffness = weight / SOFT_DEPTH;
    ContactModel::Penalty { stiffness, damping: SOFT_DAMPING * 2.0 * (stiffness * mass).sqrt() }
}

/// Largest joint velocity that [`perturb`] gives, rad/s or m/s: too little to see, enough to leave a balance on a knife's
/// edge.
const TREMOR: f64 = 0.02;

/// A small random velocity of every joint, the same for the same seed; zero for seed 0. Velocities and not angles, so
/// that closed loops stay closed.
pub fn perturb(creature: &Creature, seed: u64, v: &mut [f64]) {
    if seed == 0 {
        return;
    }
    let mut random = Random::new(seed);
    for joint in creature.joints().iter().filter(|joint| joint.kind != JointKind::Free) {
        for v in &mut v[joint.v..joint.v + joint.kind.nv()] {
            *v += TREMOR * random.symmetric();
        }
    }
}

/// Says how far a creature is above the ground.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    collider: Collider,
    reach: Vec<f64>,
}

/// From how high up the ground is seen, m: beyond, a creature is nowhere near it.
const FAR: f64 = 1e3;

/// Ground that rises less than this, the cosine of 60°, is a wall beside a creature and not below it.
const LEAST_RISE: f64 = 0.5;

impl Gauge {
    pub(crate) fn new(creature: &Creature) -> Self {
        let reach = vec![FAR; creature.bodies().len()];
        Self { collider: Collider::new(creature, false), reach }
    }

    /// The least gap, m, and the ground's normal there; none for a creature that touches nothing.
    pub(crate) fn lowest(
        &self,
        frames: &[BodyFrame],
        ground: &Terrain,
        found: &mut Vec<gambol_dynamics::Contact>,
    ) -> Option<(f64, Vec3)> {
        self.collider.find(frames, ground, &self.reach, found);
        let below = found.iter().filter(|contact| contact.normal.z > LEAST_RISE);
        let lowest = below.min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        Some((lowest.gap, lowest.normal))
    }
}
