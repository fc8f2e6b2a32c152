//! Trees in the wind (Diener, Rodriguez, Baboud and Reveret 2009): a plant as beams, the few slowest of its vibrations, how wind
//! acts on them, and what comes of it for one tree or for thousands.
//!
//! ```
//! use gambol_plant::{
//!     AirSettings, Constants, Mechanics, Stepping, Sway, SwaySettings, Wind, WindBasis, WoodSettings, find_plant, plant_modes,
//! };
//! use gambol_model::Vec3;
//!
//! let plant = find_plant("sapling").unwrap().plant();
//! let mechanics = Mechanics::new(&plant, &WoodSettings::default(), Constants::Disc)?;
//! let modes = plant_modes(&plant, &mechanics, 8)?;
//! let basis = WindBasis::new(&mechanics, &modes, &AirSettings::default());
//! let wind = Wind::from_bearing(8.0, 270.0);
//! let mut sway = Sway::new(&modes, &basis, &SwaySettings::default(), wind.mean(), Stepping::Exact)?;
//! sway.step(&basis, wind.at(Vec3::zeros(), 0.0));
//! let mut displacements = Vec::new();
//! sway.displacements(&modes, &basis, None, &mut displacements);
//! assert!(displacements[plant.top()].x > 0.0); // wind from the west bends it to the east
//! # Ok::<(), gambol_plant::PlantError>(())
//! ```

mod articulated;
mod beam;
mod correction;
mod detail;
mod error;
mod forest;
mod leaves;
mod level;
mod mechanics;
mod modes;
mod oscillator;
mod parametric;
mod picture;
mod plant;
mod reading;
mod sway;
mod tree_system;
mod tubes;
mod wind;
mod wind_basis;
mod wind_clip;
mod wind_files;

pub use articulated::{articulated, plant_basis};
pub use beam::{Beam, Blocks, Constants, Mat6, Section, Vec6, WoodSettings};
pub use correction::{BentWay, Correction, CorrectionSettings, bend};
pub use detail::{Binding, Detail};
pub use error::PlantError;
pub use forest::{Forest, ForestSettings, Instance, Planting, stand_of};
pub use leaves::{Foliage, Leaf, LeafSettings, leaves};
pub use level::PlantLevel;
pub use mechanics::Mechanics;
pub use modes::{PlantMode, plant_modes};
pub use oscillator::{OscillatorStep, Stepping};
pub use parametric::{PLANTS, PlantEntry, find_plant};
pub use picture::{
    ForestShot, PlantDrawing, PlantEye, forest_picture, plant_mode_sheet, plant_strip, plant_thumbnail,
    plant_views,
};
pub use plant::{MERGE_DISTANCE, Plant};
pub use reading::{PlantReader, PlantReading};
pub use sway::{Sway, SwaySettings};
pub use tree_system::{TreeFactor, TreeSystem};
pub use tubes::{TubeSettings, swaying_surface};
pub use wind::{FrontSettings, GustPatch, GustPatchSettings, GustSettings, Wind};
pub use wind_basis::{AirSettings, WindBasis};
pub use wind_clip::{Swayed, WindReport, WindStage};

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;
