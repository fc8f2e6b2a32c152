//! Whether a creature is still up.

use gambol_dynamics::{Data, Terrain, center_of_mass};
use gambol_model::{Creature, Vec3};
use gambol_motion::Clip;

use crate::sketch::Stage;

/// Share of the height of the centre of mass at rest below which a creature has fallen: lower than any squat that it could
/// run on from.
const FALLEN: f64 = 0.5;

/// Knows a fallen creature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Upright {
    /// Of the centre of mass, m.
    resting_height: f64,
    up: Vec3,
}

impl Upright {
    /// For the creature of a stage.
    pub fn new(stage: &Stage) -> Self {
        let creature = &stage.creature;
        let up = stage.axes[2];
        let com = center_of_mass(creature, &mut Data::new(creature), creature.rest_pose());
        Self { resting_height: com.dot(&up), up }
    }

    /// Whether a creature has fallen whose centre of mass is at this height over the ground, m.
    pub fn has_fallen(&self, height: f64) -> bool {
        height < FALLEN * self.resting_height
    }

    /// When a creature fell, s: the first key of a clip at which it has fallen.
    pub fn fall(&self, creature: &Creature, clip: &Clip, ground: Option<&Terrain>) -> Option<f64> {
        let mut data = Data::new(creature);
        let mut height = |pose: &[f64]| {
            let com = center_of_mass(creature, &mut data, pose);
            com.dot(&self.up) - ground.map_or(0.0, |ground| ground.height(com.x, com.y))
        };
        let mut keys = clip.times.iter().zip(&clip.poses);
        keys.find(|(_, pose)| self.has_fallen(height(pose))).map(|(time, _)| *time)
    }
}
