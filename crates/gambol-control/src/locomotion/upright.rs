//! Whether a creature is still up.

use gambol_dynamics::{Data, Terrain, center_of_mass};
use gambol_model::{Creature, Role, Vec3};
use gambol_motion::Clip;

use crate::sketch::Stage;

/// Share of the height of the centre of mass at rest below which a creature has fallen: lower than any squat that it could
/// run on from.
const FALLEN: f64 = 0.5;

/// Knows a fallen creature.
#[derive(Clone, Debug, PartialEq)]
pub struct Upright {
    /// Of the centre of mass, m.
    resting_height: f64,
    up: Vec3,
    /// Of each body, whether it may touch the ground: feet, and what is below them.
    feet: Vec<bool>,
}

/// How a creature fell.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// s
    pub time: f64,
    /// What touched the ground and is no foot; none: it sank too low.
    pub body: Option<usize>,
}

impl Upright {
    /// For the creature of a stage.
    pub fn new(stage: &Stage) -> Self {
        let creature = &stage.creature;
        let up = stage.axes[2];
        let com = center_of_mass(creature, &mut Data::new(creature), creature.rest_pose());
        Self::of_height(creature, com.dot(&up), up, &[])
    }

    /// For a creature whose centre of mass is `resting_height` over the ground when it is up, m. Besides its feet, `stands` are bodies that
    /// it stands on.
    pub fn of_height(creature: &Creature, resting_height: f64, up: Vec3, stands: &[usize]) -> Self {
        let mut feet = vec![false; creature.bodies().len()];
        for &body in stands {
            feet[body] = true;
        }
        for mark in creature.landmarks().iter().filter(|mark| mark.role == Role::Foot) {
            feet[mark.body] = true;
        }
        for body in 1..feet.len() {
            feet[body] |= feet[creature.bodies()[body].parent]; // parents come first
        }
        Self { resting_height, up, feet }
    }

    /// Whether a creature has fallen whose centre of mass is at this height over the ground, m.
    pub fn has_fallen(&self, height: f64) -> bool {
        height < FALLEN * self.resting_height
    }

    /// The first fall in a clip that was simulated: it has fallen at a key, or something else than a foot touches the ground, as
    /// of a creature that sits down on its tail.
    pub fn fall(&self, creature: &Creature, clip: &Clip, ground: Option<&Terrain>) -> Option<Fall> {
        let mut data = Data::new(creature);
        let mut height = |pose: &[f64]| {
            let com = center_of_mass(creature, &mut data, pose);
            com.dot(&self.up) - ground.map_or(0.0, |ground| ground.height(com.x, com.y))
        };
        let mut keys = clip.times.iter().zip(&clip.poses);
        let sunk = keys.find(|(_, pose)| self.has_fallen(height(pose)));
        let sunk = sunk.map(|(time, _)| Fall { time: *time, body: None });
        let others = clip.contacts.iter().filter(|contact| !self.feet[contact.body]);
        let touched = others.filter_map(|contact| {
            contact.intervals.first().map(|[start, _]| Fall { time: *start, body: Some(contact.body) })
        });
        sunk.into_iter().chain(touched).min_by(|a, b| a.time.total_cmp(&b.time))
    }
}
