//! Stiffness from weight: the smallest uniform scaling of all springs with which a creature keeps its posture.
//!
//! Kry et al. 2009 take the least stiffness with which the animal holds its posture under gravity as a first guess
//! (section 3), found by scaling all joints alike in a simulation (section 5.1). Here the equilibrium is solved for.
//!
//! **Equilibrium.** With the springs at rest in the chosen pose and scaled by s, the creature settles where its
//! potential energy is least:
//!
//! ```text
//! E(q) = s · (elastic energy of joints and tendons) + m g · (height of the centre of mass)
//! gap(q) ≥ 0    no part of the creature is below the ground        (normal force N ≥ 0)
//! slip(q) = 0   what stands on the ground stays where it stands    (while the tangential force T ≤ μ N)
//! g(q) = 0      the creature's own constraints hold
//! ```
//!
//! The ground is the plane across gravity through the lowest point of the pose. Every shape can touch it: paws roll,
//! soles tip over their edges, a tail helps. A creature that hangs on the world (no free root) has no ground.
//!
//! **Standing.** A posture is kept if there is an equilibrium, if it is stable (the Hessian of E on what contacts
//! and constraints leave free is positive definite: nothing buckles, nothing topples), and if it is near the pose:
//! the centre of mass drops by no more than [`StandSettings::sag`] of its height, and no joint gives by more than
//! [`StandSettings::deflection`]. The smallest stiffness leaves a [`StandSettings::reserve`] of stability.
//!
//! `ground` finds what can touch the ground, `potential` is E with its two derivatives, `equilibrium` minimises it,
//! `search` looks for the smallest s.

mod equilibrium;
mod ground;
mod potential;
mod search;
#[cfg(test)]
mod tests;

use gambol_dynamics::Data;
use gambol_model::{Creature, Hint, Hinted, JointKind, Vec3};

use potential::Problem;

pub use search::stiffness_from_weight;

/// What counts as standing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandSettings {
    /// Largest drop of the centre of mass, as a share of its height above the ground in the pose. Default 0.05: the
    /// posture is still the same to the eye. A hanging creature has no such height; the diagonal of the box around it
    /// stands in.
    pub sag: f64,
    /// Largest turn of a joint away from the pose, rad. Default 15°: what weighs little hardly lowers the centre of
    /// mass, and a head that hangs would go unnoticed. Joints that slide are bounded by `sag` alone.
    pub deflection: f64,
    /// It must remain stable with this much more weight, as a share of its own. Default 0.1: at the critical stiffness
    /// itself the smallest push topples it. By stiffness and weight alone this is the same as softer springs.
    pub reserve: f64,
    /// Coefficient of friction between creature and ground. Default 1, as in MuJoCo.
    pub friction: f64,
    /// The smallest scale is found to this share of itself. Default 0.01.
    pub precision: f64,
}

impl Default for StandSettings {
    fn default() -> Self {
        Self { sag: 0.05, deflection: 15_f64.to_radians(), reserve: 0.1, friction: 1.0, precision: 0.01 }
    }
}

impl StandSettings {
    fn check(&self) -> Result<(), WeightError> {
        let settings = [
            ("sag", self.sag, 1.0),
            ("deflection", self.deflection, std::f64::consts::PI),
            ("friction", self.friction, f64::MAX),
            ("precision", self.precision, 1.0),
        ];
        if !(0.0..=1.0).contains(&self.reserve) {
            return Err(WeightError::Setting { name: "reserve", value: self.reserve });
        }
        for (name, value, most) in settings {
            if !(value > 0.0 && value <= most) {
                return Err(WeightError::Setting { name, value });
            }
        }
        Ok(())
    }
}

/// Why the question has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// The pose is not one of this creature's.
    #[error("{0}")]
    Pose(String),
    /// A joint has no spring: no scaling gives it one.
    #[error("joint {joint:?} has no stiffness; {}", Hint::Stiffness)]
    NoStiffness {
        /// Name of the joint.
        joint: String,
    },
    /// Nothing of it moves: it has no joints.
    #[error("the creature has no joints that could give way under its weight")]
    Rigid,
    /// No mass, or no gravity.
    #[error("the creature weighs nothing: it has no mass or there is no gravity")]
    Weightless,
    /// Its root is free, and it has neither shapes nor feet.
    #[error("the creature has nothing to stand on: no shapes, and no feet")]
    NothingToStandOn,
    /// A setting, or a scale, is out of its range.
    #[error("{name} = {value} is out of range")]
    Setting {
        /// Which.
        name: &'static str,
        /// What it was set to.
        value: f64,
    },
}

impl Hinted for WeightError {
    fn hint(&self) -> Option<Hint> {
        matches!(self, Self::NoStiffness { .. }).then_some(Hint::Stiffness)
    }
}

/// How the creature ends up under its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandStatus {
    /// It keeps its posture: from stiff to soft it has sunk through stable equilibria, and is within the bounds.
    Stands,
    /// It keeps its posture, but beyond the bounds on sag or deflection.
    Sags,
    /// It stands, but not with its reserve of weight on top; only the search asks for this.
    NoReserve,
    /// Its posture buckles or snaps, and it comes to rest in another, still within the bounds.
    Leans,
    /// It is in equilibrium, but on a knife's edge: the smallest push makes it buckle or topple.
    Unstable,
    /// It falls, so far that nothing is left of the posture; the state is the last one looked at.
    Collapses,
    /// There is no equilibrium next to the posture, or none that the iteration could find; the state is the last one
    /// looked at.
    NoEquilibrium,
}

impl StandStatus {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::Sags => "sags",
            Self::NoReserve => "stands without reserve",
            Self::Leans => "leans",
            Self::Unstable => "is unstable",
            Self::Collapses => "collapses",
            Self::NoEquilibrium => "finds no equilibrium",
        }
    }
}

/// How far a joint has given way.
#[derive(Clone, Debug, PartialEq)]
pub struct Deflection {
    /// Index of the joint.
    pub joint: usize,
    /// Its name.
    pub name: String,
    /// Angle from the pose, rad; for a slide the distance, m.
    pub amount: f64,
}

/// The force of the ground on one foot, or on another body that touches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// Name of the foot (`foot.front.left`), else of the body.
    pub name: String,
    /// In the world, N.
    pub force: Vec3,
    /// Its component against gravity, N.
    pub normal: f64,
    /// Its component along the ground, N.
    pub tangential: f64,
    /// How many points touch.
    pub points: usize,
    /// Whether a point has reached the friction cone and has slid.
    pub slides: bool,
}

/// A creature under its weight.
#[derive(Clone, Debug)]
pub struct Stand {
    /// How it ended.
    pub status: StandStatus,
    /// Where it is.
    pub qpos: Vec<f64>,
    /// Drop of the centre of mass, m.
    pub drop: f64,
    /// The same as a share of [`Stand::height`].
    pub sag: f64,
    /// Height of the centre of mass above the ground in the pose (of a hanging creature: its size), m.
    pub height: f64,
    /// All joints but the root's, the one that gives most first; slides come last.
    pub deflections: Vec<Deflection>,
    /// Forces of the ground, the largest normal force first.
    pub reactions: Vec<Reaction>,
    /// Mass times gravity, N.
    pub weight: f64,
    /// Energy in the springs, J.
    pub elastic_energy: f64,
    /// Steps of Newton's method.
    pub iterations: usize,
}

impl Stand {
    /// The joint angle that has changed most, rad.
    pub fn deflection(&self) -> f64 {
        self.deflections.first().map_or(0.0, |worst| worst.amount)
    }
}

/// How the search for the smallest scale ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightStatus {
    /// The creature stands at the scale and does not a little below.
    Found,
    /// It stands with next to no stiffness, as a snake on the ground; the scale is the smallest one tried.
    NoStiffnessNeeded,
    /// It does not stand even as a statue: it topples, or a pose cannot be kept for another reason. The scale is the
    /// largest one tried.
    NeverStands,
}

/// Joints with one stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct StiffnessGroup {
    /// As the file has it, N·m/rad or N/m.
    pub before: f64,
    /// Times the scale.
    pub after: f64,
    /// Names of the joints and tendons.
    pub members: Vec<String>,
}

/// One attempt of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// Factor on all stiffnesses.
    pub scale: f64,
    /// How it ended.
    pub status: StandStatus,
    /// Drop of the centre of mass as a share of its height.
    pub sag: f64,
    /// Largest deflection of a joint, rad.
    pub deflection: f64,
}

/// The smallest stiffness that carries the weight.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WeightReport {
    /// How the search ended.
    pub status: WeightStatus,
    /// Smallest factor on all stiffnesses with which the creature stands.
    pub scale: f64,
    /// Whether the stiffness it came with is enough.
    pub suffices: bool,
    /// The creature with that stiffness.
    pub stand: Stand,
    /// How it ends up a little softer: what the smallest stiffness is there to prevent.
    pub below: Option<Attempt>,
    /// Stiffness values before and after, the softest first.
    pub groups: Vec<StiffnessGroup>,
    /// All attempts, in their order.
    pub attempts: Vec<Attempt>,
}

/// The equilibrium of `creature` under its weight, with its springs at rest in `pose` and scaled by `scale`.
pub fn stand(
    creature: &Creature,
    data: &mut Data,
    pose: &[f64],
    scale: f64,
    settings: &StandSettings,
) -> Result<Stand, WeightError> {
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(WeightError::Setting { name: "scale", value: scale });
    }
    let mut problem = Problem::new(creature, data, pose, settings)?;
    let stiff = search::START * search::natural_scale(&problem)?;
    Ok(equilibrium::settle(&mut problem, stiff, scale, settings))
}

/// A joint that holds the root rather than the creature together.
fn is_root(creature: &Creature, joint: usize) -> bool {
    let joint = &creature.joints()[joint];
    joint.kind == JointKind::Free || creature.bodies()[joint.body].parent == 0 && joint.stiffness == 0.0
}
