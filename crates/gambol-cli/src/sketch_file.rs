//! Sketches and controllers, by name or as files, and the creatures that they name.

use std::path::{Component, Path, PathBuf};

use gambol::{LoadOptions, gallery};
use gambol_control::sketch::{FileError, is_sketch, to_toml};
use gambol_formats::gltf::Rig;
use gambol_model::Creature;

use super::Failure;
use super::files::folder_of;
use super::hint::told;
use super::sketch::first;

/// The text of a sketch or a controller, and where it came from.
pub(super) struct SketchFile {
    /// As the user wrote it.
    pub(super) place: String,
    pub(super) text: String,
    /// None: it is of the gallery.
    pub(super) path: Option<PathBuf>,
}

impl SketchFile {
    /// A sketch of the gallery by its name, else a file.
    pub(super) fn read(name: &str) -> Result<Self, Failure> {
        let place = name.to_owned();
        if let Some(text) = gallery::sketch(name) {
            return Ok(Self { place, text: text.to_owned(), path: None });
        }
        let path = Path::new(name);
        if !path.exists() {
            let known = gallery::sketches().join(", ");
            let message = format!("there is no sketch or file {name:?}; the gallery has {known}");
            return Err(Failure::Failed(message));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Failed(format!("{place}: cannot be read: {error}")))?;
        Ok(Self { place, text, path: Some(path.to_owned()) })
    }

    /// A first sketch of a creature, a name of the gallery or a file, after a gait.
    pub(super) fn after_gait(creature: &str, gait: &str) -> Result<Self, Failure> {
        let (body, _) = gambol::load_rig(creature, &LoadOptions::default())
            .map_err(|error| Failure::Failed(told(&error)))?;
        let text = to_toml(&first(&body, creature, Some(gait))?);
        let stem = Path::new(creature).file_stem().map_or(creature.into(), |stem| stem.to_string_lossy());
        Ok(Self { place: format!("{stem}-{gait}"), text, path: None })
    }

    /// A controller of the gallery by its name, or a file that is one, or a sketch, of which one could be made; none if it is
    /// something else, or nothing.
    pub(super) fn controller(name: &str) -> Option<Self> {
        if let Some(text) = gallery::controller(name) {
            return Some(Self { place: name.to_owned(), text: text.to_owned(), path: None });
        }
        let path = Path::new(name);
        let text = std::fs::read_to_string(path).ok()?;
        is_sketch(&text).then(|| Self { place: name.to_owned(), text, path: Some(path.to_owned()) })
    }

    /// What the gallery or the file is called.
    pub(super) fn stem(&self) -> String {
        let stem = self.path.as_deref().and_then(Path::file_stem);
        stem.map_or_else(|| self.place.clone(), |stem| stem.to_string_lossy().into_owned())
    }

    /// The creature that it names: one of the gallery, else a file beside it.
    pub(super) fn find(&self, creature: &str) -> Result<(Creature, Option<Rig>), String> {
        let path = self.creature_path(creature);
        let name = path.as_deref().map_or_else(|| creature.into(), Path::to_string_lossy);
        gambol::load_rig(&name, &LoadOptions::default()).map_err(|error| told(&error))
    }

    /// Where the creature's file is; none if it is of the gallery.
    pub(super) fn creature_path(&self, creature: &str) -> Option<PathBuf> {
        if gallery::find(creature).is_some() {
            return None;
        }
        let folder = self.path.as_deref().map_or(Path::new("."), folder_of);
        Some(folder.join(creature))
    }

    /// What a file in `folder` has to call the creature, so that it is found from there.
    pub(super) fn creature_from(&self, creature: &str, folder: &Path) -> String {
        let way = self.creature_path(creature).and_then(|path| way_from(&path, folder));
        way.unwrap_or_else(|| creature.to_owned())
    }

    /// About the file, with its line.
    pub(super) fn error(&self, error: &FileError) -> Failure {
        let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
        Failure::Failed(format!("{}{line}: {}", self.place, error.reason))
    }
}

/// The way from `folder` to a file; none where one of them is not there.
pub(super) fn way_from(file: &Path, folder: &Path) -> Option<String> {
    let (file, folder) = (file.canonicalize().ok()?, folder.canonicalize().ok()?);
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return Some(file.to_string_lossy().into_owned()); // on another drive
    }
    let up = std::iter::repeat_n(Component::ParentDir, folder.components().count() - shared);
    let way: PathBuf = up.chain(file.components().skip(shared)).collect();
    Some(way.to_string_lossy().into_owned())
}
