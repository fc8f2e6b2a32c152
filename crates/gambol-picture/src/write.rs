//! Pictures into files.

use std::ffi::OsString;
use std::path::Path;

use gambol_model::Creature;
use gambol_motion::Clip;

use crate::{AnimationFormat, ClipOptions, Picture, PictureError, clip_animation, clip_strip};

/// PNG has this many pixels for each of the picture's: sharp on today's screens.
const PNG_SCALE: f64 = 2.0;

/// Writes `picture` as SVG or PNG, by the ending of `path`. It is written beside and renamed, so that a file is never
/// half there; an existing file is kept unless `force`.
pub fn write(path: impl AsRef<Path>, picture: &Picture, force: bool) -> Result<(), PictureError> {
    let path = path.as_ref();
    let bytes = match ending(path).as_str() {
        "svg" => picture.to_svg().into_bytes(),
        "png" => picture.to_png(PNG_SCALE)?,
        _ => return Err(PictureError::Ending { path: path.to_owned(), known: ".svg or .png" }),
    };
    put(path, &bytes, force)
}

/// Writes `clip` by the ending of `path`: a strip as SVG or PNG, an animation as GIF or APNG. Whole or not at all, as
/// [`write()`] does; an existing file is kept unless `force`. `progress` hears how many frames of an animation are done,
/// and of how many.
pub fn write_clip(
    path: impl AsRef<Path>,
    creature: &Creature,
    clip: &Clip,
    options: &ClipOptions,
    force: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(), PictureError> {
    let path = path.as_ref();
    let ending = ending(path);
    // Both are known before the work starts.
    if !["png", "svg", "gif", "apng"].contains(&ending.as_str()) {
        let known = ".png or .svg for a strip, .gif or .apng for an animation";
        return Err(PictureError::Ending { path: path.to_owned(), known });
    }
    if path.exists() && !force {
        return Err(PictureError::Exists { path: path.to_owned() });
    }
    let bytes = match ending.as_str() {
        "svg" => clip_strip(creature, clip, options)?.to_svg().into_bytes(),
        "png" => clip_strip(creature, clip, options)?.to_png(PNG_SCALE)?,
        "gif" => clip_animation(creature, clip, AnimationFormat::Gif, options, progress)?,
        _ => clip_animation(creature, clip, AnimationFormat::Apng, options, progress)?,
    };
    put(path, &bytes, force)
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).unwrap_or_default()
}

fn put(path: &Path, bytes: &[u8], force: bool) -> Result<(), PictureError> {
    if path.exists() && !force {
        return Err(PictureError::Exists { path: path.to_owned() });
    }
    replace(path, bytes).map_err(|error| PictureError::Io { path: path.to_owned(), error })
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
