//! Placeholder until the mesh readers are merged.

use gambol_model::TriMesh;

use crate::{Files, FormatError};

/// Reads a triangle mesh.
pub fn read(files: &dyn Files, path: &str) -> Result<TriMesh, FormatError> {
    files.read(path)?;
    Err(FormatError::new(path, "mesh files are not read yet"))
}
