//! MJCF, the format of MuJoCo and gambol's own creature format.

mod include;

use gambol_model::CreatureSpec;

use crate::xml::Document;
use crate::{Files, FormatError, LoadOptions};

/// Reads a creature from an MJCF document.
pub(crate) fn read(
    files: &dyn Files,
    mut document: Document,
    _options: &LoadOptions,
) -> Result<CreatureSpec, FormatError> {
    include::expand(files, &mut document)?;
    Err(document.root().error("MJCF is not read yet"))
}
