//! What `gambol wind` writes.

use std::path::{Path, PathBuf};

use gambol_formats::clip::jointed_surface_to_glb;
use gambol_formats::{npz, write_file};
use gambol_picture::{AnimationFormat, picture_animation};
use gambol_plant::{Detail, PlantDrawing, TubeSettings, plant_strip, swaying_surface};
use serde_json::{Value, json};

use super::files::folder_of;
use super::wind::{Stage, Swayed};
use super::{Failure, is_same_file, written};

/// Nodes of a file for viewers, which move each of them by itself.
const GLB_NODES: usize = 500;
/// Frames of a film strip.
const STRIP: usize = 6;
/// px
const FRAME: [f64; 2] = [420.0, 460.0];

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

pub(super) fn write(path: &Path, stage: &Stage, swayed: &Swayed, report: &Value) -> Result<(), Failure> {
    let frames = written::count(stage.times.len(), "frame");
    match ending(path).as_str() {
        "png" | "svg" => return Ok(written::picture(path, &strip(stage, swayed), stage.force)?),
        "glb" => write_file(path, &glb(stage, swayed, report)?, stage.force)?,
        "npz" => write_file(path, &arrays(stage, swayed)?, stage.force)?,
        "json" => write_file(path, series(stage, swayed, report).to_string().as_bytes(), stage.force)?,
        other => {
            let format = if other == "gif" { AnimationFormat::Gif } else { AnimationFormat::Apng };
            write_file(path, &animation(stage, swayed, format)?, stage.force)?;
        }
    }
    written::tell(path, &format!("{frames}, {:.2} s", stage.times.last().copied().unwrap_or(0.0)));
    Ok(())
}

fn places(stage: &Stage, swayed: &Swayed, frame: usize) -> Vec<gambol_model::Vec3> {
    stage.plant.nodes.iter().zip(&swayed.displacements[frame]).map(|(at, u)| at + u).collect()
}

fn strip(stage: &Stage, swayed: &Swayed) -> gambol_picture::Picture {
    let last = stage.times.len() - 1;
    let frame = |k: usize| {
        let index = last * k / (STRIP - 1);
        (stage.times[index], swayed.winds[index], places(stage, swayed, index))
    };
    let frames: Vec<_> = (0..STRIP.min(last + 1)).map(frame).collect();
    plant_strip(&stage.plant, &stage.leaves, &frames)
}

fn animation(stage: &Stage, swayed: &Swayed, format: AnimationFormat) -> Result<Vec<u8>, Failure> {
    let mut frame = |k: usize| {
        let drawing = PlantDrawing {
            plant: &stage.plant,
            leaves: &stage.leaves,
            flutter: (swayed.winds[k], stage.times[k]),
            opacity: 1.0,
        };
        drawing.frame(FRAME[0], FRAME[1], &places(stage, swayed, k))
    };
    Ok(picture_animation(stage.times.len(), 1.0 / stage.fps, format, &mut frame, &mut progress)?)
}

/// How many pictures are drawn, on the terminal.
pub(super) fn progress(done: usize, of: usize) {
    if done.is_multiple_of(50) || done == of {
        eprintln!("gambol: {done} of {of} frames");
    }
}

fn glb(stage: &Stage, swayed: &Swayed, report: &Value) -> Result<Vec<u8>, Failure> {
    let detail = Detail::new(&stage.plant, stage.nodes.unwrap_or(GLB_NODES));
    let mut surface = swaying_surface(
        &stage.plant,
        &detail,
        &stage.leaves,
        &stage.times,
        &swayed.displacements,
        &TubeSettings::default(),
    );
    let shape = |mode: &gambol_plant::PlantMode| -> Vec<[f64; 3]> {
        detail.kept.iter().map(|node| mode.displacement(*node).into()).collect()
    };
    surface.extras = json!({
        "frequencies": report["frequencies"],
        "damping_ratios": report["damping_ratios"],
        "projection": stage.basis.projection.iter().map(|p| <[f64; 3]>::from(*p)).collect::<Vec<_>>(),
        "shapes": stage.modes.iter().map(shape).collect::<Vec<_>>(),
        "mean_wind": report["mean_wind"],
    });
    jointed_surface_to_glb(&surface).map_err(|error| Failure::Failed(error.to_string()))
}

/// `times` (t), `wind` (t × 3), `coordinates` (t × k), `nodes` (n × 3), `parents` (n), `displacements` (t × n × 3), `frequencies` (k).
fn arrays(stage: &Stage, swayed: &Swayed) -> Result<Vec<u8>, Failure> {
    let (t, n, k) = (stage.times.len(), stage.plant.len(), stage.modes.len());
    let flat = |vectors: &[gambol_model::Vec3]| -> Vec<f64> {
        vectors.iter().flat_map(|v| [v.x, v.y, v.z]).collect()
    };
    let displacements: Vec<f64> = swayed.displacements.iter().flat_map(|moved| flat(moved)).collect();
    let coordinates: Vec<f64> = swayed.coordinates.concat();
    let frequencies: Vec<f64> = stage.modes.iter().map(gambol_plant::PlantMode::frequency).collect();
    let index = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    let parents: Vec<i64> = stage
        .plant
        .parents
        .iter()
        .enumerate()
        .map(|(node, parent)| if node == 0 { -1 } else { index(*parent) })
        .collect();
    let (nodes, winds) = (flat(&stage.plant.nodes), flat(&swayed.winds));
    let numbers = |name, shape, values| npz::Array { name, shape, values: npz::Values::Numbers(values) };
    Ok(npz::to_bytes(&[
        numbers("times", vec![t], &stage.times),
        numbers("wind", vec![t, 3], &winds),
        numbers("coordinates", vec![t, k], &coordinates),
        numbers("nodes", vec![n, 3], &nodes),
        npz::Array { name: "parents", shape: vec![n], values: npz::Values::Integers(&parents) },
        numbers("displacements", vec![t, n, 3], &displacements),
        numbers("frequencies", vec![k], &frequencies),
    ])?)
}

/// The report, and what changes over time: wind, modes, and the top.
fn series(stage: &Stage, swayed: &Swayed, report: &Value) -> Value {
    let top = stage.plant.top();
    let vector = |v: &gambol_model::Vec3| <[f64; 3]>::from(*v);
    json!({
        "report": report,
        "times": stage.times,
        "wind": swayed.winds.iter().map(vector).collect::<Vec<_>>(),
        "coordinates": swayed.coordinates,
        "top": swayed.displacements.iter().map(|moved| vector(&moved[top])).collect::<Vec<_>>(),
    })
}
