//! Pictures into files.

use std::ffi::OsString;
use std::path::Path;

use crate::{Picture, PictureError};

/// PNG has this many pixels for each of the picture's: sharp on today's screens.
const PNG_SCALE: f64 = 2.0;

/// Writes `picture` as SVG or PNG, by the ending of `path`. It is written beside and renamed, so that a file is never
/// half there; an existing file is kept unless `force`.
pub fn write(path: impl AsRef<Path>, picture: &Picture, force: bool) -> Result<(), PictureError> {
    let path = path.as_ref();
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let bytes = |ending: &str| match ending {
        "svg" => Ok(picture.to_svg().into_bytes()),
        "png" => picture.to_png(PNG_SCALE),
        _ => Err(PictureError::Ending { path: path.to_owned() }),
    };
    let bytes = bytes(ending.as_deref().unwrap_or_default())?;
    if path.exists() && !force {
        return Err(PictureError::Exists { path: path.to_owned() });
    }
    replace(path, &bytes).map_err(|error| PictureError::Io { path: path.to_owned(), error })
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // Two programs may write the same file: each has its own half.
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(name);
    let result = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    if result.is_err() {
        // Nothing more can be done if the half cannot be removed either; the first error is the one to tell.
        let _ = std::fs::remove_file(&beside);
    }
    result
}
