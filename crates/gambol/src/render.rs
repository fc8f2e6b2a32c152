//! A clip as the bytes of a file.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::clip::{
    ClipFileError, GlbOptions, RootMotion, clips_to_glb, to_bvh, to_glb, to_json, to_npz,
};
use gambol_formats::gltf::{GltfSource, Rig, append_clips};
use gambol_formats::{Files, FormatError, WriteError};
use gambol_gait::{FootForces, Forces, Terrain};
use gambol_model::Creature;
use gambol_modes::Reading;
use gambol_motion::{Basis, BasisError, Clip, Direction, swing};
use gambol_picture::{
    AnimationFormat, ClipOptions, ForceCurves, ModeTile, Picture, PictureError, clip_animation, clip_strip,
    mode_sheet,
};

/// A film strip has this many pixels for each of the picture's: sharp on today's screens.
const PNG_SCALE: f64 = 2.0;

/// What a clip can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Binary glTF.
    Glb,
    /// glTF as text: only for a creature that came from glTF.
    Gltf,
    /// A skeleton and its motion, for animation programs.
    Bvh,
    /// All numbers, as text.
    Json,
    /// All numbers, for NumPy.
    Npz,
    /// A film strip.
    Png,
    /// A film strip.
    Svg,
    /// A loop that every program shows.
    Gif,
    /// A loop with more colours.
    Apng,
}

impl Format {
    /// With their endings.
    pub const ALL: [(&'static str, Self); 9] = [
        ("glb", Self::Glb),
        ("gltf", Self::Gltf),
        ("bvh", Self::Bvh),
        ("json", Self::Json),
        ("npz", Self::Npz),
        ("png", Self::Png),
        ("svg", Self::Svg),
        ("gif", Self::Gif),
        ("apng", Self::Apng),
    ];

    /// The format of files with this ending, in any case.
    pub fn of_ending(ending: &str) -> Option<Self> {
        let same = |(name, _): &&(&str, Self)| name.eq_ignore_ascii_case(ending);
        Self::ALL.iter().find(same).map(|(_, format)| *format)
    }

    /// Whether text on it is drawn here, and not by who shows it.
    pub fn has_pixels(self) -> bool {
        matches!(self, Self::Png | Self::Gif | Self::Apng)
    }

    /// Whether it can hold the user's own model.
    pub fn is_gltf(self) -> bool {
        matches!(self, Self::Glb | Self::Gltf)
    }
}

/// Why there are no bytes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The clip cannot be written so.
    #[error(transparent)]
    Clip(#[from] ClipFileError),
    /// The user's own file cannot be read any more.
    #[error(transparent)]
    Source(#[from] FormatError),
    /// No format has this ending.
    #[error("{}: the ending is none of {}", .0.display(), Format::ALL.map(|(ending, _)| ending).join(", "))]
    Ending(std::path::PathBuf),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// It cannot be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
}

/// A clip on a ground, as a file of `format` with a body of ours. Pictures follow the creature, so that only files for
/// programs care for its way over the ground. `progress` is told how many frames of how many are drawn.
pub fn render(
    format: Format,
    creature: &Creature,
    terrain: Option<&Terrain>,
    clip: &Clip,
    root_motion: RootMotion,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<u8>, RenderError> {
    let placed = || match root_motion {
        RootMotion::Travel => clip.clone(),
        RootMotion::InPlace => clip.in_place(creature),
    };
    let height = |x: f64, y: f64| terrain.map_or(0.0, |terrain| terrain.height(x, y));
    let ground: Option<&dyn Fn(f64, f64) -> f64> = if terrain.is_some() { Some(&height) } else { None };
    let options = ClipOptions { ground, ..ClipOptions::default() };
    Ok(match format {
        Format::Glb | Format::Gltf => to_glb(creature, clip, &GlbOptions { root_motion })?,
        Format::Bvh => to_bvh(creature, &placed())?.into_bytes(),
        Format::Json => to_json(creature, &placed())?.into_bytes(),
        Format::Npz => to_npz(creature, &placed())?,
        Format::Png => clip_strip(creature, clip, &options)?.to_png(PNG_SCALE)?,
        Format::Svg => clip_strip(creature, clip, &options)?.to_svg().into_bytes(),
        Format::Gif => clip_animation(creature, clip, AnimationFormat::Gif, &options, progress)?,
        Format::Apng => clip_animation(creature, clip, AnimationFormat::Apng, &options, progress)?,
    })
}

/// Several clips in one file of binary glTF, with a body of ours.
pub fn render_clips(
    creature: &Creature,
    clips: &[Clip],
    root_motion: RootMotion,
) -> Result<Vec<u8>, RenderError> {
    Ok(clips_to_glb(creature, clips, &GlbOptions { root_motion })?)
}

/// A film strip with the forces that the clip takes under it: `format` is [`Format::Png`] or [`Format::Svg`].
pub fn render_forces(
    format: Format,
    creature: &Creature,
    terrain: Option<&Terrain>,
    clip: &Clip,
    forces: &Forces,
) -> Result<Vec<u8>, RenderError> {
    let height = |x: f64, y: f64| terrain.map_or(0.0, |terrain| terrain.height(x, y));
    let ground: Option<&dyn Fn(f64, f64) -> f64> = if terrain.is_some() { Some(&height) } else { None };
    let curves = force_curves(forces);
    let strip =
        clip_strip(creature, clip, &ClipOptions { ground, forces: Some(&curves), ..ClipOptions::default() })?;
    Ok(match format {
        Format::Svg => strip.to_svg().into_bytes(),
        _ => strip.to_png(PNG_SCALE)?,
    })
}

/// Forces as a picture draws them.
pub fn force_curves(forces: &Forces) -> ForceCurves {
    let vertical = |foot: &FootForces| foot.force.iter().map(|force| force.z).collect();
    ForceCurves {
        times: forces.times.clone(),
        feet: forces.feet.iter().map(|foot| (foot.name.clone(), vertical(foot))).collect(),
        residual: forces.residual_force.clone(),
        unbelieved: forces.unbelieved.clone(),
    }
}

/// The creature's own glTF file with `clips` in it. `source` is where that file, and what it names, is read again if the
/// new file is of another kind or is to lie elsewhere (`apart`): then all goes into the one file.
pub fn render_into(
    format: Format,
    rig: &Rig,
    source: (&dyn Files, &str),
    apart: bool,
    creature: &Creature,
    clips: &[Clip],
    root_motion: RootMotion,
) -> Result<Vec<u8>, RenderError> {
    let (files, name) = source;
    let apart = apart && rig.source.names_files();
    let whole = match (format, &rig.source) {
        (Format::Gltf, GltfSource::Gltf { .. }) | (Format::Glb, GltfSource::Glb { .. }) if !apart => None,
        (Format::Gltf, source) => Some(source.to_gltf(files, name)?),
        (_, source) => Some(source.to_glb(files, name)?),
    };
    let options = GlbOptions { root_motion };
    Ok(match whole {
        None => append_clips(rig, creature, clips, &options)?,
        Some(source) => append_clips(&Rig { source, ..rig.clone() }, creature, clips, &options)?,
    })
}

/// A contact sheet of the vibrations of a creature, a tile for each: what it does by `readings`, which are of all of `modes`.
pub fn vibration_sheet(
    creature: &Creature,
    data: &mut Data,
    modes: &Basis,
    readings: &[Reading],
) -> Result<Picture, BasisError> {
    let mut tiles = Vec::new();
    for (mode, reading) in modes.directions().iter().zip(readings).skip(modes.rigid()) {
        let amplitude = shown_amplitude(creature, data, modes, mode)?;
        tiles.push(ModeTile {
            caption: format!("{}  {} Hz", mode.name, hertz(modes.frequency(creature, mode))),
            name: reading.name.clone(),
            poses: [
                swing(creature, data, modes, mode, amplitude)?,
                swing(creature, data, modes, mode, -amplitude)?,
            ],
        });
    }
    Ok(mode_sheet(creature, &format!("{}: natural vibrations", creature.name()), &tiles))
}

/// How far to swing a mode for a picture, rad: as far as reads well, but not so far that a long body leaves its shape.
fn shown_amplitude(
    creature: &Creature,
    data: &mut Data,
    modes: &Basis,
    mode: &Direction,
) -> Result<f64, BasisError> {
    const MOST: f64 = 0.5; // rad, of the joint that moves most
    const SHARE: f64 = 0.3; // of the creature's length, for the body that moves most
    let places = |data: &mut Data, pose: &[f64]| -> Vec<_> {
        let frames = forward_kinematics(creature, data, pose);
        frames.iter().skip(1).map(|frame| frame.position).collect()
    };
    let rest = places(data, modes.mean());
    let most = swing(creature, data, modes, mode, MOST)?;
    let swung = places(data, &most);
    let length = rest.iter().map(|at| (at - rest[0]).norm()).fold(0.0, f64::max);
    let way = rest.iter().zip(&swung).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    Ok(if way > SHARE * length { MOST * SHARE * length / way } else { MOST })
}

/// A frequency in Hz for people: four decimals, or four digits of what would vanish among them.
pub fn hertz(frequency: f64) -> String {
    if frequency == 0.0 || frequency >= 0.01 { format!("{frequency:.4}") } else { format!("{frequency:.3e}") }
}
