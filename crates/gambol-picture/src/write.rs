//! Pictures into files.

use std::path::Path;

use gambol_formats::write_file;

use crate::{Picture, PictureError};

/// PNG has this many pixels for each of the picture's: sharp on today's screens.
const PNG_SCALE: f64 = 2.0;

/// Writes `picture` as SVG or PNG, by the ending of `path`. A file is never half there; an existing one is kept unless
/// `force`.
pub fn write(path: impl AsRef<Path>, picture: &Picture, force: bool) -> Result<(), PictureError> {
    let path = path.as_ref();
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let bytes = |ending: &str| match ending {
        "svg" => Ok(picture.to_svg().into_bytes()),
        "png" => picture.to_png(PNG_SCALE),
        _ => Err(PictureError::Ending { path: path.to_owned() }),
    };
    Ok(write_file(path, &bytes(ending.as_deref().unwrap_or_default())?, force)?)
}
