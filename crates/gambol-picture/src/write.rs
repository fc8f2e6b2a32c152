//! Pictures into files.

use std::path::Path;

use gambol_formats::{WriteError, write_file};
use gambol_model::Creature;
use gambol_motion::Clip;

use crate::{AnimationFormat, ClipOptions, Picture, PictureError, clip_animation, clip_strip};

/// PNG has this many pixels for each of the picture's: sharp on today's screens.
const PNG_SCALE: f64 = 2.0;

/// Writes `picture` as SVG or PNG, by the ending of `path`. A file is never half there; an existing one is kept unless
/// `force`.
pub fn write(path: impl AsRef<Path>, picture: &Picture, force: bool) -> Result<(), PictureError> {
    let path = path.as_ref();
    let bytes = match ending(path).as_str() {
        "svg" => picture.to_svg().into_bytes(),
        "png" => picture.to_png(PNG_SCALE)?,
        _ => return Err(PictureError::Ending { path: path.to_owned(), known: ".svg or .png" }),
    };
    Ok(write_file(path, &bytes, force)?)
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
        return Err(WriteError::Exists { path: path.to_owned() }.into());
    }
    let bytes = match ending.as_str() {
        "svg" => clip_strip(creature, clip, options)?.to_svg().into_bytes(),
        "png" => clip_strip(creature, clip, options)?.to_png(PNG_SCALE)?,
        "gif" => clip_animation(creature, clip, AnimationFormat::Gif, options, progress)?,
        _ => clip_animation(creature, clip, AnimationFormat::Apng, options, progress)?,
    };
    Ok(write_file(path, &bytes, force)?)
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).unwrap_or_default()
}
