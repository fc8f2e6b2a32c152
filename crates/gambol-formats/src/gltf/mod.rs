//! Creatures from glTF and GLB files: a skinned model becomes bodies, joints and shapes, and keeps the way back to its
//! nodes.

mod append;
mod base64;
mod nodes;
mod rig;
pub mod samples;
mod splice;

pub use append::append_clips;
pub use rig::{Bone, Rig, Source, read_gltf};

use gambol_model::CreatureSpec;

use crate::{Files, FormatError, LoadOptions};

/// Reads a skinned model.
fn read(_files: &dyn Files, path: &str, _options: &LoadOptions) -> Result<(CreatureSpec, Rig), FormatError> {
    Err(FormatError::new(path, "glTF is not read yet"))
}
