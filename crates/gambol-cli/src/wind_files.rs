//! What `gambol wind` writes.

use std::path::{Path, PathBuf};

use gambol_formats::write_file;
use gambol_picture::AnimationFormat;
use gambol_plant::{Swayed, WindReport, WindStage};

use super::files::folder_of;
use super::{Failure, is_same_file, written};

/// Endings of a tree's files, and of a forest's.
const TREE: [&str; 7] = ["glb", "gif", "apng", "png", "svg", "npz", "json"];
const FOREST: [&str; 4] = ["png", "svg", "gif", "apng"];

pub(super) fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).unwrap_or_default()
}

/// Files that can be written, as far as one can know beforehand.
pub(super) fn check(paths: &[PathBuf], input: &Path, is_forest: bool, force: bool) -> Result<(), Failure> {
    let fail = |path: &Path, reason: &str| Err(Failure::Failed(format!("{}{reason}", path.display())));
    let known: &[&str] = if is_forest { &FOREST } else { &TREE };
    for (index, path) in paths.iter().enumerate() {
        if !known.contains(&ending(path).as_str()) {
            let known: Vec<String> = known.iter().map(|ending| format!(".{ending}")).collect();
            let what = if is_forest { "a forest's" } else { "a plant's" };
            return fail(path, &format!(": {what} file ends in one of {}", known.join(", ")));
        }
        if paths[..index].contains(path) {
            return fail(path, " is given twice");
        }
        if is_same_file(input, path) {
            return fail(path, " is read here and never written over; choose another name");
        }
        if path.is_dir() {
            return fail(path, " is a folder");
        }
        if !folder_of(path).is_dir() {
            return fail(path, &format!(": there is no folder {}", folder_of(path).display()));
        }
        if path.exists() && !force {
            return fail(path, " exists; --force replaces it");
        }
    }
    Ok(())
}

pub(super) fn write(
    path: &Path,
    scene: &WindStage,
    swayed: &Swayed,
    report: &WindReport,
    force: bool,
) -> Result<(), Failure> {
    match ending(path).as_str() {
        "png" | "svg" => return Ok(written::picture(path, &scene.strip(swayed), force)?),
        "glb" => {
            let bytes = scene.glb(swayed, report).map_err(|error| Failure::Failed(error.to_string()))?;
            write_file(path, &bytes, force)?;
        }
        "npz" => write_file(path, &scene.arrays(swayed)?, force)?,
        "json" => write_file(path, scene.series(swayed, report).to_string().as_bytes(), force)?,
        other => {
            let format = if other == "gif" { AnimationFormat::Gif } else { AnimationFormat::Apng };
            write_file(path, &scene.animation(swayed, format, &mut progress)?, force)?;
        }
    }
    let frames = written::count(scene.times.len(), "frame");
    written::tell(path, &format!("{frames}, {:.2} s", scene.times.last().copied().unwrap_or(0.0)));
    Ok(())
}

/// How many pictures are drawn, on the terminal.
pub(super) fn progress(done: usize, of: usize) {
    if done.is_multiple_of(50) || done == of {
        eprintln!("gambol: {done} of {of} frames");
    }
}
