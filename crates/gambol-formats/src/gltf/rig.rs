//! The way back from a creature to the nodes of the glTF file it came from.

use gambol_model::{Creature, Transform};

use crate::{Files, FormatError, LoadOptions};

/// How a creature that came from a glTF file maps back to its nodes.
#[derive(Clone, Debug)]
pub struct Rig {
    /// The creature's world (m, z up, x forward) from the file's scene (y up): a rotation and one scale.
    pub world_from_scene: nalgebra::Similarity3<f64>,
    /// Nodes that bodies move. Their parents come first.
    pub bones: Vec<Bone>,
    /// Per body after the world: the node whose origin is its joint, and whose name it has unless told otherwise.
    pub joints: Vec<usize>,
    /// The node that takes the travel of the root.
    pub root: usize,
    /// The file as it was read.
    pub source: Source,
    /// Guesses, in words, for `inspect` and the rig file.
    pub notes: Vec<String>,
}

/// A node that follows a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// Index into the file's nodes.
    pub node: usize,
    /// Index into [`Creature::bodies`].
    pub body: usize,
    /// The body frame from the node frame without its scale, in creature metres.
    pub body_from_node: Transform,
}

/// A glTF file as it was read, to be written again with clips in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
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
