//! The files that are asked for, looked at before the work starts.

use std::path::{Path, PathBuf};

use gambol::render::Format;
use gambol::{MOTION_FILES, MotionPlace};
use gambol_motion::Clip;

use super::{Failure, is_same_file, written};

/// A motion that can be read, as far as one can know beforehand.
pub(super) fn check_motion(path: &Path) -> Result<MotionPlace, Failure> {
    let place = MotionPlace::of(path);
    if !place.file.exists() {
        return Err(Failure::Failed(format!("{}: there is no such file", place.file.display())));
    }
    if !place.may_move() {
        return Err(Failure::Failed(format!("{}: {MOTION_FILES}", place.file.display())));
    }
    Ok(place)
}

/// Files that can be written, as far as one can know beforehand.
pub(super) struct Outputs<'a> {
    pub(super) clips: Vec<(PathBuf, Format)>,
    pub(super) gait: Option<&'a Path>,
}

impl<'a> Outputs<'a> {
    /// `inputs` are files that are read: they are never written over, not even by `force`.
    pub(super) fn check(
        clips: &[PathBuf],
        gait: Option<&'a Path>,
        inputs: &[&Path],
        force: bool,
    ) -> Result<Self, Failure> {
        let fail = |path: &Path, reason: &str| Failure::Failed(format!("{}{reason}", path.display()));
        let mut outputs = Self { clips: Vec::new(), gait };
        for path in clips {
            let ending = path.extension().and_then(|ending| ending.to_str());
            let Some(format) = ending.and_then(Format::of_ending) else {
                let endings: Vec<String> = Format::ALL.iter().map(|(name, _)| format!(".{name}")).collect();
                return Err(fail(path, &format!(": a clip's file ends in one of {}", endings.join(", "))));
            };
            outputs.clips.push((path.clone(), format));
        }
        let mut seen: Vec<&Path> = Vec::new();
        for path in clips.iter().map(PathBuf::as_path).chain(gait) {
            if seen.contains(&path) {
                return Err(fail(path, " is given twice"));
            }
            seen.push(path);
            let folder = folder_of(path);
            if inputs.iter().any(|input| is_same_file(input, path)) {
                return Err(fail(path, " is read here and never written over; choose another name"));
            } else if path.is_dir() {
                return Err(fail(path, " is a folder"));
            } else if !folder.is_dir() {
                return Err(fail(path, &format!(": there is no folder {}", folder.display())));
            } else if path.exists() && !force {
                return Err(fail(path, " exists; --force replaces it"));
            }
        }
        Ok(outputs)
    }

    /// Says what was written. `names` are drawn on pictures.
    pub(super) fn tell(&self, clips: &[Clip], names: &[&str]) {
        for (path, _) in &self.clips {
            written::tell(path, &written::clips(clips));
        }
        if self.clips.iter().any(|(_, format)| format.has_pixels()) {
            written::tell_missing_in(names.iter().copied());
        }
    }

    /// Several clips go into one file only where that is glTF.
    pub(super) fn fit(&self, clips: usize, is_rig: bool) -> Result<(), Failure> {
        for (path, format) in &self.clips {
            let reason = match format {
                Format::Gltf if !is_rig => ".gltf is for creatures that came from glTF; write .glb",
                _ if clips > 1 && !format.is_gltf() => "only glTF takes several clips; write .glb",
                _ => continue,
            };
            return Err(Failure::Failed(format!("{}: {reason}", path.display())));
        }
        match self.gait {
            Some(path) if clips > 1 => {
                Err(Failure::Failed(format!("{}: --save-gait takes one gait", path.display())))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
