//! Gait files, course files, errand files, and pictures of the ground.

use std::path::{Path, PathBuf};

use gambol_control::legged::{Errand, errand_from_toml};
use gambol_dynamics::Course;
use gambol_formats::course::course_from_toml_with;
use gambol_formats::toml_file::FileError;
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
            Self::Course(file) => Terrain::Course(read_course(file)?),
        })
    }

    /// The ground for feet that are put down without physics: not a course, whose edges they do not know.
    pub(super) fn read_smooth(&self) -> Result<Terrain, Failure> {
        if let Self::Course(file) = self {
            let file = file.display();
            let reason =
                format!("{file}: a course has edges, which only physics knows: gambol simulate takes it");
            return Err(Failure::Failed(reason));
        }
        self.read()
    }
}

pub(super) fn is_file(gait: &str) -> bool {
    let path = Path::new(gait);
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) || path.is_file()
}

pub(super) fn read_gait(path: &Path) -> Result<Gait, Failure> {
    let text = read_text(path)?;
    let fetch = |terrain: &TerrainFile| read_terrain(&find_beside(path, &terrain.file)?, terrain);
    from_toml_with(&text, fetch).map_err(|error| at_line(path, &error))
}

pub(super) fn read_course(path: &Path) -> Result<Course, Failure> {
    let text = read_text(path)?;
    let mut fetch = |terrain: &TerrainFile| read_terrain(&find_beside(path, &terrain.file)?, terrain);
    course_from_toml_with(&text, &mut fetch).map_err(|error| at_line(path, &error))
}

pub(super) fn read_errand(path: &Path) -> Result<Errand, Failure> {
    errand_from_toml(&read_text(path)?).map_err(|error| at_line(path, &error))
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::Failed(format!("{}: cannot be read: {error}", path.display()));
    std::fs::read_to_string(path).map_err(failed)
}

fn at_line(path: &Path, error: &FileError) -> Failure {
    let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
    Failure::Failed(format!("{}{line}: {}", path.display(), error.reason))
}

/// A picture that a file names lies in the file's folder or below it: a gait from a stranger opens nothing else.
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
