//! A clip as the bytes of a file, and the ground from one.

use std::io::{IsTerminal, Write};
use std::path::Path;

use gambol_formats::clip::{ClipFileError, GlbOptions, to_bvh, to_glb, to_json, to_npz};
use gambol_formats::gltf::{Rig, Source, append_clips};
use gambol_formats::{FormatError, LoadOptions, height_field_from_png};
use gambol_gait::{HeightField, Terrain, TerrainFile};
use gambol_model::Creature;
use gambol_motion::Clip;
use gambol_picture::{AnimationFormat, ClipOptions, Picture, PictureError, clip_animation, clip_strip};

use super::animate::RootMotion;
use super::files::{Format, folder_of};

/// A film strip has this many pixels for each of the picture's: sharp on today's screens.
const PNG_SCALE: f64 = 2.0;

/// Why there are no bytes.
#[derive(Debug, thiserror::Error)]
pub(super) enum RenderError {
    #[error(transparent)]
    Clip(#[from] ClipFileError),
    #[error(transparent)]
    Source(#[from] FormatError),
    #[error(transparent)]
    Picture(#[from] PictureError),
}

/// Pictures follow the creature, so that only files for programs care for its way over the ground.
pub(super) fn to_bytes(
    format: Format,
    creature: &Creature,
    terrain: Option<&Terrain>,
    clip: &Clip,
    root_motion: RootMotion,
) -> Result<Vec<u8>, RenderError> {
    let placed = || match root_motion {
        RootMotion::Travel => clip.clone(),
        RootMotion::InPlace => clip.in_place(creature),
    };
    Ok(match format {
        Format::Glb | Format::Gltf => to_glb(creature, clip, &root_motion.into())?,
        Format::Bvh => to_bvh(creature, &placed())?.into_bytes(),
        Format::Json => to_json(creature, &placed())?.into_bytes(),
        Format::Npz => to_npz(creature, &placed())?,
        Format::Png => strip(creature, terrain, clip)?.to_png(PNG_SCALE)?,
        Format::Svg => strip(creature, terrain, clip)?.to_svg().into_bytes(),
        Format::Gif => animation(AnimationFormat::Gif, creature, terrain, clip)?,
        Format::Apng => animation(AnimationFormat::Apng, creature, terrain, clip)?,
    })
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
    let apart = rig.source.names_files()
        && folder_of(path).canonicalize().ok() != folder_of(input).canonicalize().ok();
    let open = || gambol_formats::open(input, options);
    let source = match (format, &rig.source) {
        (Format::Gltf, Source::Gltf { .. }) | (Format::Glb, Source::Glb { .. }) if !apart => None,
        (Format::Gltf, source) => Some(open().and_then(|(files, name)| source.to_gltf(&files, &name))?),
        (_, source) => Some(open().and_then(|(files, name)| source.to_glb(&files, &name))?),
    };
    Ok(match source {
        None => append_clips(rig, creature, clips, &root_motion.into())?,
        Some(source) => append_clips(&Rig { source, ..rig.clone() }, creature, clips, &root_motion.into())?,
    })
}

impl From<RootMotion> for GlbOptions {
    fn from(root_motion: RootMotion) -> Self {
        let root_motion = match root_motion {
            RootMotion::Travel => gambol_formats::clip::RootMotion::Travel,
            RootMotion::InPlace => gambol_formats::clip::RootMotion::InPlace,
        };
        Self { root_motion }
    }
}

fn strip(creature: &Creature, terrain: Option<&Terrain>, clip: &Clip) -> Result<Picture, PictureError> {
    let height = |x: f64, y: f64| terrain.map_or(0.0, |terrain| terrain.height(x, y));
    let ground: Option<&dyn Fn(f64, f64) -> f64> = if terrain.is_some() { Some(&height) } else { None };
    let options = ClipOptions { ground, ..ClipOptions::default() };
    clip_strip(creature, clip, &options)
}

fn animation(
    format: AnimationFormat,
    creature: &Creature,
    terrain: Option<&Terrain>,
    clip: &Clip,
) -> Result<Vec<u8>, PictureError> {
    let height = |x: f64, y: f64| terrain.map_or(0.0, |terrain| terrain.height(x, y));
    let ground: Option<&dyn Fn(f64, f64) -> f64> = if terrain.is_some() { Some(&height) } else { None };
    let options = ClipOptions { ground, ..ClipOptions::default() };
    let watched = std::io::stderr().is_terminal();
    let mut progress = |done: usize, all: usize| {
        if watched {
            let end = if done == all { "\n" } else { "" };
            let _ = write!(std::io::stderr(), "\rgambol: frame {done} of {all}{end}"); // nobody has to see it
        }
    };
    clip_animation(creature, clip, format, &options, &mut progress)
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
