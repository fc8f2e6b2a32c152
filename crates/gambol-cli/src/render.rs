//! A clip as the bytes of a file, and the ground from one.

use std::io::{IsTerminal, Write};
use std::path::Path;

use gambol::render::{Format, RenderError};
use gambol_formats::clip::RootMotion;
use gambol_formats::gltf::Rig;
use gambol_formats::{LoadOptions, height_field_from_png};
use gambol_gait::{HeightField, Terrain, TerrainFile};
use gambol_model::Creature;
use gambol_motion::Clip;

use super::files::folder_of;

/// Says on a terminal how far it is.
pub(super) fn to_bytes(
    format: Format,
    creature: &Creature,
    terrain: Option<&Terrain>,
    clip: &Clip,
    root_motion: RootMotion,
) -> Result<Vec<u8>, RenderError> {
    let watched = std::io::stderr().is_terminal();
    let mut progress = |done: usize, all: usize| {
        if watched {
            let end = if done == all { "\n" } else { "" };
            let _ = write!(std::io::stderr(), "\rgambol: frame {done} of {all}{end}"); // nobody has to see it
        }
    };
    gambol::render::render(format, creature, terrain, clip, root_motion, &mut progress)
}

/// A bar on a terminal for what takes seconds: what is done now, and how much of it is behind.
pub(super) fn bar(what: &str, done: usize, all: usize) {
    const WIDTH: usize = 24;
    if std::io::stderr().is_terminal() {
        let filled = WIDTH * done / all.max(1);
        let bar = format!("{}{}", "█".repeat(filled), "·".repeat(WIDTH - filled));
        let _ = write!(std::io::stderr(), "\r\x1b[Kgambol: {bar} {what}"); // nobody has to see it
    }
}

/// Wipes the bar away.
pub(super) fn end_of_bar() {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

/// The creature's own file with `clips` in it. What the file names beside it stays beside it, or is put into it if the
/// new file is of another kind or lies elsewhere.
pub(super) fn to_rig_bytes(
    (format, path): (Format, &Path),
    (rig, input, options): (&Rig, &Path, &LoadOptions),
    creature: &Creature,
    clips: &[Clip],
    root_motion: RootMotion,
) -> Result<Vec<u8>, RenderError> {
    let apart = folder_of(path).canonicalize().ok() != folder_of(input).canonicalize().ok();
    let (files, name) = gambol_formats::open(input, options)?;
    gambol::render::render_into(format, rig, (&files, &name), apart, creature, clips, root_motion)
}

/// A picture of the ground lies in the middle of the world, seen from above with x to the right.
pub(super) fn height_field(terrain: &TerrainFile, bytes: &[u8]) -> Result<HeightField, String> {
    let grid = height_field_from_png(&terrain.file, bytes, 1.0, [0.0, terrain.height])
        .map_err(|error| error.to_string())?;
    if grid.columns < 2 || grid.rows < 2 {
        return Err(format!("{}: a terrain has at least two pixels each way", terrain.file));
    }
    let spacing = terrain.size / (grid.columns - 1) as f64;
    let origin = [-0.5 * terrain.size, -0.5 * spacing * (grid.rows - 1) as f64];
    Ok(HeightField { origin, spacing, columns: grid.columns, heights: grid.heights })
}
