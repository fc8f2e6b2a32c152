//! The way back from a creature to the nodes of the glTF file it came from.

use gambol_anatomy::skin::RigBone;
use gambol_model::{Creature, Remark};

use crate::{Files, FormatError, LoadOptions};

/// How a creature that came from a glTF file maps back to its nodes.
#[derive(Clone, Debug)]
pub struct Rig {
    /// The creature's world (m, z up, x forward) from the file's scene (y up): a rotation and one scale.
    pub world_from_scene: nalgebra::Similarity3<f64>,
    /// Nodes that bodies move. Their parents come first.
    pub bones: Vec<RigBone>,
    /// Per body after the world: the node whose origin is its joint, and whose name it has unless told otherwise.
    pub joints: Vec<usize>,
    /// The node that takes the travel of the root.
    pub root: usize,
    /// It lies in the file's pose, and stands in its own.
    pub lies: bool,
    /// The file as it was read.
    pub source: GltfSource,
    /// Guesses, in words, for `inspect` and the rig file.
    pub notes: Vec<Remark>,
}

/// A glTF file as it was read, to be written again with clips in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GltfSource {
    /// A binary file.
    Glb {
        /// The JSON chunk, padding included.
        json: Vec<u8>,
        /// The binary chunk, padding included.
        bin: Option<Vec<u8>>,
    },
    /// A text file. Its buffers are data URIs or files beside it.
    Gltf {
        /// The whole file.
        json: Vec<u8>,
    },
}

/// Reads a skinned model and makes a creature of it.
pub fn read_gltf(
    files: &dyn Files,
    path: &str,
    options: &LoadOptions,
) -> Result<(Creature, Rig), FormatError> {
    let (spec, rig) = super::read(files, path, options)?;
    let creature = spec.build().map_err(|error| FormatError::new(path, error.to_string()))?;
    Ok((creature, rig))
}
