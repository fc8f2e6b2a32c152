//! Mesh files of a robot: found where ROS packages put them, read once, shared.

use std::collections::HashMap;
use std::sync::Arc;

use gambol_model::{Hint, TriMesh, Vec3};

use super::settings::Settings;
use crate::xml::Element;
use crate::{Files, FormatError, mesh_files};

/// How many folders above the file's own are searched for a package.
const MAX_UP: usize = 8;

type Loaded = (Arc<TriMesh>, Option<String>);

pub(super) struct Meshes<'f> {
    files: &'f dyn Files,
    folder: String,
    strip_path: bool,
    loaded: HashMap<(String, [u64; 3]), Loaded>,
}

impl<'f> Meshes<'f> {
    pub(super) fn new(files: &'f dyn Files, settings: &Settings) -> Self {
        Self {
            files,
            folder: settings.mesh_dir.clone(),
            strip_path: settings.strip_path,
            loaded: HashMap::new(),
        }
    }

    /// The mesh of a file at a scale, and what is to be said about it.
    pub(super) fn load(
        &mut self,
        element: Element<'_>,
        file: &str,
        scale: Vec3,
    ) -> Result<Loaded, FormatError> {
        let key = (file.to_owned(), [scale.x, scale.y, scale.z].map(f64::to_bits));
        if let Some(loaded) = self.loaded.get(&key) {
            return Ok(loaded.clone());
        }
        let (mesh, note) = self.find(element, file)?;
        let mesh = mesh.scaled(scale).map_err(|error| element.error(format!("{file}: {}", error.reason)))?;
        let loaded = (Arc::new(mesh), note.map(|note| format!("{file}: {note}")));
        self.loaded.insert(key, loaded.clone());
        Ok(loaded)
    }

    fn find(&self, element: Element<'_>, file: &str) -> Result<(TriMesh, Option<String>), FormatError> {
        if !mesh_files::supported(file) {
            let reason = format!(
                "the mesh {file:?} is in a format that is not supported; convert it to .stl, .obj or .msh"
            );
            return Err(element.error(reason));
        }
        for path in self.candidates(file) {
            if let Ok(bytes) = self.files.read(&path) {
                return mesh_files::parse(&path, &bytes);
            }
        }
        let reason = format!("the mesh {file:?} was not found");
        Err(element.error(reason).with_hint(Hint::OpenFolder))
    }

    /// Where a file may be. A package is a folder with the package's name, or the one that holds the file's folder.
    fn candidates(&self, file: &str) -> Vec<String> {
        let file = file.replace('\\', "/");
        let in_package = file.strip_prefix("package://").or(file.strip_prefix("model://"));
        let path = in_package.or(file.strip_prefix("file://")).unwrap_or(&file);
        if self.strip_path {
            return vec![join(&self.folder, path.rsplit('/').next().unwrap_or(path))];
        }
        let mut candidates = vec![join(&self.folder, path)];
        if let Some((_, inside)) = in_package.and_then(|path| path.split_once('/')) {
            candidates.push(join(&self.folder, inside));
            for up in 0..=MAX_UP {
                let above = "../".repeat(up);
                candidates.extend([format!("{above}{path}"), format!("{above}{inside}")]);
            }
        }
        candidates
    }
}

fn join(folder: &str, path: &str) -> String {
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}
