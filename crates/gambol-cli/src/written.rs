//! What was written: a line on stderr for each file, in the same words for every command.

use std::path::Path;

use gambol_motion::Clip;
use gambol_picture::{Picture, PictureError, missing_letters};

/// `gambol: trot.glb: 1 clip, 31 keys, 0.50 s`
pub(super) fn tell(path: &Path, what: &str) {
    eprintln!("gambol: {}: {what}", path.display());
}

/// Clips in one file.
pub(super) fn clips(clips: &[Clip]) -> String {
    let keys = clips.iter().map(|clip| clip.times.len()).sum();
    let seconds: f64 = clips.iter().map(Clip::duration).sum();
    format!("{}, {}, {seconds:.2} s", count(clips.len(), "clip"), count(keys, "key"))
}

/// `1 clip`, `2 clips`
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Writes a picture and tells so.
pub(super) fn picture(path: &Path, picture: &Picture, force: bool) -> Result<(), PictureError> {
    gambol_picture::write(path, picture, force)?;
    tell(path, &format!("1 picture, {} by {} px", picture.width, picture.height));
    let missing = picture.missing_letters();
    // A viewer of SVG has fonts of its own.
    let is_svg = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    if !is_svg {
        tell_missing(&missing);
    }
    Ok(())
}

/// Once for all letters of texts that pixels show as empty boxes.
pub(super) fn tell_missing_in<'t>(texts: impl IntoIterator<Item = &'t str>) {
    tell_missing(&missing_letters(texts));
}

fn tell_missing(letters: &[char]) {
    if !letters.is_empty() {
        let letters: String = letters.iter().collect();
        eprintln!("gambol: warning: no font here has {letters:?}, drawn as boxes; Noto fonts have them all");
    }
}
