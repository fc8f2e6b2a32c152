//! Gait files, and pictures of the ground.

use std::path::{Path, PathBuf};

use gambol_gait::{Gait, HeightField, Terrain, TerrainFile, from_toml_with};

use super::settings::Ground;
use super::{Failure, render};

/// The largest picture of the ground; 4096 × 4096 grey levels of 16 bits fit even without compression.
const MOST_BYTES: u64 = 64 << 20;

impl Ground {
    /// The ground that was asked for, with its picture read.
    pub(super) fn read(&self) -> Result<Terrain, Failure> {
        Ok(match self {
            Self::Flat => Terrain::Flat,
            Self::Slope(angle) => Terrain::Slope(*angle),
            Self::Picture(picture) => {
                Terrain::Field(read_terrain(Path::new(&picture.file), picture).map_err(Failure::Failed)?)
            }
        })
    }
}

pub(super) fn is_file(gait: &str) -> bool {
    let path = Path::new(gait);
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) || path.is_file()
}

pub(super) fn read_gait(path: &Path) -> Result<Gait, Failure> {
    let place = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Failed(format!("{place}: cannot be read: {error}")))?;
    let fetch = |terrain: &TerrainFile| read_terrain(&find_beside(path, &terrain.file)?, terrain);
    from_toml_with(&text, fetch).map_err(|error| {
        let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
        Failure::Failed(format!("{place}{line}: {}", error.reason))
    })
}

/// A picture that a gait file names lies in the file's folder or below it: a gait from a stranger opens nothing else.
fn find_beside(gait_file: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = match gait_file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let real = |path: &Path| path.canonicalize().map_err(|error| format!("{name}: cannot be read: {error}"));
    let (folder, picture) = (real(folder)?, real(&folder.join(name))?);
    if picture.starts_with(folder) {
        Ok(picture)
    } else {
        Err(format!("{name}: it lies outside of the gait file's folder"))
    }
}

fn read_terrain(path: &Path, terrain: &TerrainFile) -> Result<HeightField, String> {
    let failed = |reason: String| format!("{}: cannot be read: {reason}", terrain.file);
    let length = path.metadata().map_err(|error| failed(error.to_string()))?.len();
    if length > MOST_BYTES {
        return Err(failed(format!("it is larger than {} MiB", MOST_BYTES >> 20)));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    render::height_field(terrain, &bytes)
}
