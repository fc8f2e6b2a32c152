//! Motion from files: recordings bring their own creature, a clip of ours names one.

use std::path::Path;

use gambol_formats::clip::{creature_of_json, from_json};
use gambol_formats::files::{Files, Folder};
use gambol_formats::mocap::{Kind, Recording, RecordingOptions, Scale, kind, load_recording};
use gambol_formats::{FormatError, LoadOptions};
use gambol_model::Creature;
use gambol_motion::Clip;

use crate::{LoadError, load};

/// How motion is read from a file.
#[derive(Clone, Debug, Default)]
pub struct MotionOptions {
    /// Of a recording.
    pub recording: RecordingOptions,
    /// Of a clip as JSON: the creature that moves, a name from the gallery or a file. Default: what the clip says.
    pub creature: Option<String>,
}

/// Somebody who moves.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Who.
    pub creature: Creature,
    /// How.
    pub clip: Clip,
    /// How a recording's lengths became metres.
    pub scale: Option<Scale>,
    /// The first key is a pose of its own, not part of the motion.
    pub first_apart: bool,
}

/// Whether a file holds motion: `.bvh`, `.amc`, or a clip as `.json`.
pub fn is_motion(path: &Path) -> bool {
    let name = path.to_string_lossy();
    matches!(kind(&name), Some(Kind::Bvh | Kind::Amc)) || is_json(path)
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Reads motion from a `.bvh`, `.amc` or `.json` file.
pub fn load_motion(path: &Path, options: &MotionOptions) -> Result<Motion, LoadError> {
    if is_json(path) {
        return load_json(path, options);
    }
    let Recording { creature, clip, scale, first_apart } = load_recording(path, &options.recording)?;
    Ok(Motion { creature, clip, scale: Some(scale), first_apart })
}

fn load_json(path: &Path, options: &MotionOptions) -> Result<Motion, LoadError> {
    let file = path.display().to_string();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let named = |error: FormatError| FormatError { file: file.clone(), ..error };
    let folder = Folder::new(path.parent().unwrap_or(Path::new("")), None)?;
    let text = String::from_utf8(folder.read(name).map_err(named)?)
        .map_err(|_| FormatError::new(&file, "the file is not UTF-8"))?;
    let said = creature_of_json(&file, &text)?;
    let who = options.creature.as_ref().unwrap_or(&said);
    let creature = load(who, &options.recording.load).map_err(|error| match error {
        LoadError::Unknown { name } => {
            let reason = format!(
                "the clip is of {name:?}, which is not in the gallery; --creature FILE says who it is"
            );
            LoadError::Format(FormatError::new(&file, reason))
        }
        other => other,
    })?;
    let clip = from_json(&file, &text, &creature)?;
    Ok(Motion { creature, clip, scale: None, first_apart: false })
}

impl Motion {
    /// Leaves out the first key if it is a pose of its own; says whether.
    pub fn drop_first_apart(&mut self) -> bool {
        let last = self.clip.times.len() - 1;
        let drop = self.first_apart && last > 1;
        if drop {
            self.clip = self.clip.part(1, last);
            self.first_apart = false;
        }
        drop
    }
}

impl From<LoadOptions> for MotionOptions {
    fn from(load: LoadOptions) -> Self {
        let recording = RecordingOptions { load, ..RecordingOptions::default() };
        Self { recording, creature: None }
    }
}
