//! Skinned files with a clip in them, and where every bone must be: for the readers that check them.

use std::path::{Path, PathBuf};

use gambol::LoadOptions;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::formats::clip::{GlbOptions, RootMotion};
use gambol::formats::gltf::samples::{awkward, quadruped};
use gambol::formats::gltf::{Rig, append_clips};
use gambol::formats::write_file;
use gambol::model::{Creature, Transform, Vec3};
use gambol::motion::{Clip, Stride, samples::wander};
use nalgebra::Point3;

use crate::shell::{Result, target};

/// Keys of a clip at 30 per second, and which of them are compared: ten, the first and the last among them.
const KEYS: usize = 28;
const STEP: usize = 3;
/// Keys per second; Blender counts frames, so that keys must be at frames.
pub(crate) const RATE: f64 = 30.0;
/// Amplitude of random swings, rad or m.
const SWING: f64 = 0.4;

/// A file with a clip in it.
pub(crate) struct RigFile {
    pub(crate) file: PathBuf,
    /// The same without the clip.
    pub(crate) before: PathBuf,
    pub(crate) frames: Frames,
}

/// Where bones are at some times.
pub(crate) struct Frames {
    /// s
    pub(crate) times: Vec<f64>,
    pub(crate) bones: Vec<BonePlaces>,
    /// Largest extent of the bones at rest, in units of the file.
    pub(crate) size: f64,
}

/// A bone at each time, in the scene of the file.
pub(crate) struct BonePlaces {
    pub(crate) node: usize,
    pub(crate) places: Vec<[f64; 3]>,
}

/// Writes a clip into each of our own awkward files and each glTF file below `characters` that can be read.
pub(crate) fn write_all(characters: Option<&Path>) -> Result<Vec<RigFile>> {
    let folder = target().join("gltf/rigs");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for (name, awkward) in awkward() {
        let before = folder.join(format!("{name}.{}", if awkward.text { "gltf" } else { "glb" }));
        write(&before, &quadruped(&awkward))?;
        add_clips(&before, &mut files)?;
    }
    for before in characters.map_or_else(|| Ok(Vec::new()), below)? {
        if let Err(reason) = add_clips(&before, &mut files) {
            println!("{} is left out: {reason}", before.display());
        }
    }
    Ok(files)
}

/// All glTF files below a folder, in order.
fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files.extend(below(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "glb" || ending == "gltf") {
            files.push(path);
        }
    }
    Ok(files)
}

/// One file with a clip that travels, one with a clip in place.
fn add_clips(before: &Path, files: &mut Vec<RigFile>) -> Result<()> {
    let name = before.display().to_string();
    let loaded = gambol::load_rig(&name, &LoadOptions::default()).map_err(|error| error.to_string())?;
    let (creature, Some(rig)) = loaded else { return Err(format!("{name} is no glTF file")) };
    let stride = Stride { yaw: 0.7, shift: Vec3::new(1.2, 0.3, 0.05) };
    let mut clip = wander(&creature, 3, KEYS, SWING, stride);
    clip.name = "wander".into();
    clip.times = (0..KEYS).map(|key| key as f64 / RATE).collect();
    let stem = before.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ending = before.extension().unwrap_or_default().to_string_lossy().into_owned();
    for (kind, root_motion, shown) in [
        ("walks", RootMotion::Travel, clip.clone()),
        ("in-place", RootMotion::InPlace, clip.in_place(&creature)),
    ] {
        let bytes = append_clips(&rig, &creature, std::slice::from_ref(&clip), &GlbOptions { root_motion });
        let file = target().join("gltf/rigs").join(format!("{stem}.{kind}.{ending}"));
        write(&file, &bytes.map_err(|error| error.to_string())?)?;
        files.push(RigFile { file, before: before.to_owned(), frames: frames(&creature, &rig, &shown) });
    }
    Ok(())
}

fn frames(creature: &Creature, rig: &Rig, clip: &Clip) -> Frames {
    let mut data = Data::new(creature);
    let mut places = |pose: &[f64]| -> Vec<Vec3> {
        let frames = forward_kinematics(creature, &mut data, pose);
        let scene_from_world = rig.world_from_scene.inverse();
        let place = |bone: &gambol::anatomy::skin::RigBone| {
            let frame = &frames[bone.body];
            let body = Transform::from_parts(frame.position.into(), frame.orientation);
            (scene_from_world * Point3::from((body * bone.body_from_node).translation.vector)).coords
        };
        rig.bones.iter().map(place).collect()
    };
    let rest = places(creature.reference_pose());
    let low = rest.iter().fold(Vec3::repeat(f64::MAX), |low, place| low.inf(place));
    let high = rest.iter().fold(Vec3::repeat(f64::MIN), |high, place| high.sup(place));
    let mut bones: Vec<BonePlaces> =
        rig.bones.iter().map(|bone| BonePlaces { node: bone.node, places: Vec::new() }).collect();
    let keys: Vec<usize> = (0..KEYS).step_by(STEP).collect();
    for &key in &keys {
        for (bone, place) in bones.iter_mut().zip(places(&clip.poses[key])) {
            bone.places.push(place.into());
        }
    }
    Frames { times: keys.iter().map(|&key| clip.times[key]).collect(), bones, size: (high - low).max() }
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    write_file(file, bytes, true).map_err(|error| error.to_string())
}
