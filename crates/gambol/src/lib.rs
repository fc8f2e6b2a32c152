//! gambol brings any creature to life from its own body.
//!
//! This crate is the front door: [`load`] reads a creature from a file or from the [`gallery`], [`animate`] makes it move,
//! [`load_motion`] reads one that moves, [`report`] says what it is, and [`render`] gives clips as files. The rooms behind it
//! are re-exported as [`model`], [`formats`], [`dynamics`], [`anatomy`], [`modes`], [`motion`], [`gait`], [`control`], [`picture`] and
//! [`plant`].
//!
//! ```no_run
//! let dog = gambol::load("dog", &gambol::LoadOptions::default())?;
//! let trot = gambol::animate(&dog, "trot")?;
//! trot.save("trot.glb")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animate;
mod contacts;
pub mod gallery;
mod plants;
mod recording;
pub mod render;
pub mod report;
mod roam;
mod tempo;

pub use animate::{Animation, animate};
pub use contacts::guess_contacts;
pub use gambol_anatomy as anatomy;
pub use gambol_control as control;
pub use gambol_dynamics as dynamics;
pub use gambol_formats as formats;
pub use gambol_formats::LoadOptions;
pub use gambol_gait as gait;
pub use gambol_model as model;
pub use gambol_model::nalgebra;
pub use gambol_modes as modes;
pub use gambol_motion as motion;
pub use gambol_picture as picture;
pub use gambol_plant as plant;
pub use plants::{load_plant, load_plant_from, plant_spec};
pub use recording::{
    MOTION_FILES, Motion, MotionOptions, MotionPlace, PackedMotion, is_motion, load_clips, load_motion,
    load_motion_of, load_motions, load_packed,
};
pub use roam::{RoamError, RoamWish, Roaming, roam};
pub use tempo::{TempoError, felt_tempo, felt_tempo_from};

use gambol_formats::FormatError;
use gambol_model::{Creature, Hint, Hinted, ModelError};

/// Why a creature could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read as a creature.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The file can be read, but no creature can be made of it.
    #[error("{file}: {error}")]
    Model {
        /// The file or gallery name.
        file: String,
        /// What is wrong.
        error: ModelError,
    },
    /// The creature is there, but not the gaits that come with it.
    #[error("{file}: {error}")]
    Presets {
        /// The file of presets.
        file: String,
        /// What is wrong.
        error: gambol_formats::toml_file::FileError,
    },
    /// The file holds a plant, but none can be made of it.
    #[error(transparent)]
    Plant(#[from] gambol_plant::PlantError),
    /// Neither a gallery name nor a file.
    #[error(
        "there is no creature or file {name:?}; the gallery has {}, and the plants {}",
        gallery::names().join(", "),
        gambol_plant::PLANTS.map(|entry| entry.name).join(", ")
    )]
    Unknown {
        /// What was asked for.
        name: String,
    },
}

impl Hinted for LoadError {
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Format(error) => error.hint(),
            Self::Plant(error) => error.hint(),
            Self::Model { .. } | Self::Presets { .. } | Self::Unknown { .. } => None,
        }
    }
}

/// Reads a creature: a name from the gallery (`dog`), or else the path of a file.
pub fn load(creature: &str, options: &LoadOptions) -> Result<Creature, LoadError> {
    load_rig(creature, options).map(|(creature, _)| creature)
}

/// Reads a creature and, if it is a glTF file, the way back to its nodes.
pub fn load_rig(
    creature: &str,
    options: &LoadOptions,
) -> Result<(Creature, Option<formats::gltf::Rig>), LoadError> {
    if let Some(entry) = gallery::find(creature) {
        return Ok((entry.load(options)?, None));
    }
    if let Some(plant) = load_plant(creature, options)? {
        return Ok((plants::plant_creature(&plant, options)?, None));
    }
    if !std::path::Path::new(creature).exists() {
        return Err(LoadError::Unknown { name: creature.to_owned() });
    }
    let (spec, rig) = gambol_formats::load_rig(creature, options)?;
    let built = spec.build().map_err(|error| LoadError::Model { file: creature.to_owned(), error })?;
    Ok((built, rig))
}

/// Compiles and runs what the README shows.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
