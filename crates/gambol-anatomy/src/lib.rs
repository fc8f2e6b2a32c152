//! What a creature's body is for, seen from its shape: which way it faces, what is left and what is right, its limbs, legs
//! and feet and the order in which these may fall, how stiff its joints must be to carry it, and how a skin or the skeleton
//! of a recording becomes a body at all.
//!
//! The landmarks that all of this stands on (feet, knees, hands, head, tail) are found by `gambol-model` when a creature is
//! built, so that no creature is without them; this crate reads them.
//!
//! ```text
//! RigNodes, Skin      ──► skin::embody ──────┐
//! RecordedSkeleton, Take ──► recording::embody ──► CreatureSpec ──build──► Creature
//!                                                                            │
//!        Heading, Mirror ──► Limbs, Legs, Feet ──► footfall                  │
//!        give_springs, stand, stiffness_from_weight   ◄──────────────────────┘
//! ```

mod arms;
mod class;
mod ease;
mod error;
mod feet;
pub mod footfall;
mod heading;
mod legs;
mod limbs;
mod measures;
mod mirror;
pub mod recording;
mod running;
pub mod skin;
mod springs;
mod survey;
mod weight;
mod wings;

pub use arms::{Arm, arms};
pub use class::{ClassSettings, Classified, classify};
pub use ease::FOLDED_WINGS;
pub use error::AnatomyError;
pub use feet::{Foot, diagonal_feet, feet, foot_bodies};
pub use heading::Heading;
pub use legs::{Leg, Legs};
pub use limbs::{Limb, LimbPart, Limbs};
pub use measures::Measures;
pub use mirror::Mirror;
pub use running::{RunningSettings, running_pose};
pub use springs::{GivenSprings, SpringSettings, give_springs, heights};
pub use weight::{
    Attempt, Deflection, Reaction, Stand, StandSettings, StandStatus, StiffnessGroup, WeightError,
    WeightReport, WeightStatus, stand, stiffness_from_weight,
};

pub use wings::{Blade, Wing, blades, is_wing, oars, wings};

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;
