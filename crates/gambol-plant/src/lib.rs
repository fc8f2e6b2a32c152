//! Trees in the wind (Diener, Rodriguez, Baboud and Reveret 2009).

mod beam;
mod error;
mod mechanics;
mod modes;
mod plant;
mod tree_system;

pub use beam::{Beam, Blocks, Constants, Mat6, Section, Vec6, WoodSettings};
pub use error::PlantError;
pub use mechanics::Mechanics;
pub use modes::{PlantMode, plant_modes};
pub use plant::{MERGE_DISTANCE, Plant};
pub use tree_system::{TreeFactor, TreeSystem};
