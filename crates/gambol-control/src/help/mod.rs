//! Help from outside, for creatures that cannot do it alone: springs that carry them, a hand that holds them upright and leads
//! them on, another that pulls at a point of them.
//!
//! Hands are forces on the coordinates besides what a controller asks for. [`Held`] and [`Pulled`] put them around a controller
//! of any kind; in the books of a simulation they count as its drive.

mod grip;
mod hand;

pub use grip::{Grip, GripSettings, PullError, Pulled};
pub use hand::{Hand, Held};

use gambol_anatomy::{StandSettings, stiffness_from_weight};
use gambol_dynamics::Data;
use gambol_model::{Creature, ModelError};

/// How a creature is helped to stay up.
#[derive(Clone, Debug, PartialEq)]
pub struct HelpSettings {
    /// Springs in parts of those with which the creature just stands: a walk loads the legs with about 1.3 times the weight,
    /// and a body that sags under it is no longer in the gait's poses. Never below the creature's own.
    pub stiffness: f64,
    /// Least k_d / k_s, s: the time in which a joint that its spring alone pulls comes to rest. Much shorter than a step, so
    /// that legs do not ring, and much longer than a step of the simulation, so that they can still follow the gait.
    pub damping: f64,
    /// The hand is a spring about the trunk that would let the whole creature sway at this frequency, Hz, damped
    /// critically: slower than most strides, so that the gait's own pitch and roll remain.
    pub sway: f64,
    /// Time in which it leads the creature to its speed, s: about a step.
    pub lead: f64,
}

impl Default for HelpSettings {
    fn default() -> Self {
        Self { stiffness: 1.5, damping: 0.015, sway: 1.5, lead: 0.3 }
    }
}

/// Makes springs stiff enough to carry the creature in `pose`, and damps them; how many times as stiff they are now.
pub fn strengthen(creature: &mut Creature, pose: &[f64], settings: &HelpSettings) -> Result<f64, ModelError> {
    let mut data = Data::new(creature);
    // A creature that topples however stiff it is has a hand to hold it, and keeps its springs.
    let stands = stiffness_from_weight(creature, &mut data, pose, &StandSettings::default());
    let factor = stands.map_or(1.0, |report| (settings.stiffness * report.scale).max(1.0));
    for joint in 0..creature.joints().len() {
        let stiffness = factor * creature.joints()[joint].stiffness;
        creature.set_stiffness(joint, stiffness)?;
        let damping = creature.joints()[joint].damping.max(settings.damping * stiffness);
        creature.set_damping(joint, damping)?;
    }
    for tendon in 0..creature.tendons().len() {
        let stiffness = factor * creature.tendons()[tendon].stiffness;
        creature.set_tendon_stiffness(tendon, stiffness)?;
    }
    Ok(factor)
}
