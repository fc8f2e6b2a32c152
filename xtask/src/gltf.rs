//! `cargo xtask gltf`: clips as other programs read them. The Khronos validator must find nothing wrong, the bones of
//! three.js must be where our kinematics put the bodies, its skin as large as the shapes, and NumPy must find all numbers.
//! Files of users, ours or those of a folder, must come back unchanged but for the clip, with their old clips as before.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use gambol::LoadOptions;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::formats::clip::{GlbOptions, RootMotion, to_bvh, to_glb, to_json, to_npz};
use gambol::formats::write_file;
use gambol::model::math;
use gambol::model::samples::{TreeKind, random_tree};
use gambol::model::{Creature, Shape, Vec3};
use gambol::modes::{Settings, analyze};
use gambol::motion::swing;
use gambol::motion::{Clip, Stride, samples::wander};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::shell::{Result, command, output, target};
use crate::{node, peers, rigs_out};

/// Distance of bones, in parts of the creature's size: 32-bit numbers along a chain of bones.
const NEAR: f64 = 1e-5;
/// The skin's box may be off by this share of the creature's size: round shapes are drawn with 24 corners.
const SKIN: f64 = 0.01;
/// Keys of a clip, and how many of them are compared.
const KEYS: usize = 31;
const COMPARED: usize = 10;
/// Amplitude of random swings, rad or m.
const SWING: f64 = 0.5;
/// Creatures of the gallery: a dog that turns, a ring, one on hinges and balls, a chain.
const GALLERY: [&str; 4] = ["dog", "loop", "human", "snake"];
/// Models of dm_control: several hinges on a body and anchors off the origin; slides at the root; meshes; one fixed to
/// the world; several creatures in one file.
const DM_CONTROL: [&str; 5] = [
    "suite/humanoid.xml",
    "suite/cheetah.xml",
    "suite/dog.xml",
    "suite/manipulator.xml",
    "suite/stacker.xml",
];

/// Opposite corners of a box, m; none around nothing.
type Corners = Option<[[f64; 3]; 2]>;

/// What the readers found.
#[derive(Deserialize)]
struct Found {
    file: PathBuf,
    /// Beyond those that a user's file had before.
    errors: i64,
    warnings: i64,
    messages: Vec<String>,
    /// Largest distance of a bone, m.
    off: f64,
    bones: usize,
    tracks: usize,
    /// Box around the skin at each time.
    boxes: Vec<Corners>,
    /// What is no longer as it was, in words.
    changed: Vec<String>,
    /// Largest distance of a node in an old clip from where it was, in units of the file.
    old_off: f64,
}

/// A file and what must be in it.
struct Case {
    size: f64,
    /// Box around the shapes at each time; none if nothing is to be seen.
    boxes: Vec<Corners>,
    /// For the script.
    input: Value,
}

/// All clips, and files of `characters` if given.
pub(crate) fn run(characters: Option<&Path>) -> Result<()> {
    let folder = target().join("gltf");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let (mut cases, mut stems) = (Vec::new(), Vec::new());
    for (stem, creature, clip) in clips()? {
        stems.push(write_all(&folder.join(stem), &creature, &clip, &mut cases)?);
    }
    output(command(peers::python()?, &["xtask/peers/clips.py"]).args(&stems))?;
    for rig in rigs_out::write_all(characters)? {
        let boxes = vec![None; rig.frames.times.len()];
        let input = json!({
            "file": rig.file,
            "before": rig.before,
            "times": rig.frames.times,
            "bones": rig.frames.bones.iter().map(|bone| json!([bone.node, bone.places])).collect::<Value>(),
        });
        cases.push(Case { size: rig.frames.size, boxes, input });
    }

    let list = folder.join("cases.json");
    let inputs: Value = cases.iter().map(|case| case.input.clone()).collect();
    write(&list, inputs.to_string().as_bytes())?;
    let script = node::script("clips.mjs", include_str!("../peers/clips.mjs"))?;
    let lines = output(command("node", &[]).arg(script).arg(&list))?;
    println!("{:<36} {:>5} {:>6} {:>9} {:>9} issues", "file", "bones", "tracks", "bones off", "skin off");
    let mut failed = 0;
    for (line, case) in lines.lines().zip(&cases) {
        let found: Found =
            serde_json::from_str(line).map_err(|error| format!("clips.mjs: {error}: {line}"))?;
        let (bones, skin) = (found.off / case.size, skin_off(&found.boxes, &case.boxes) / case.size);
        println!(
            "{:<36} {:>5} {:>6} {bones:>9.0e} {skin:>9.0e} {}",
            found.file.file_name().unwrap_or_default().to_string_lossy(),
            found.bones,
            found.tracks,
            found.errors + found.warnings
        );
        // Not `bones >= NEAR`, so that NaN fails.
        let old = found.old_off / case.size;
        found.changed.iter().for_each(|change| println!("    {change}"));
        let kept = found.changed.is_empty() && old < NEAR;
        let fine = found.errors <= 0 && found.warnings <= 0;
        if !fine {
            found.messages.iter().for_each(|message| println!("    {message}"));
        }
        failed += usize::from(!(fine && bones < NEAR && skin < SKIN && kept));
    }
    let count = lines.lines().count();
    println!("{} passed, {failed} failed; {} clips agree with NumPy", count - failed, stems.len());
    if count != cases.len() {
        return Err(format!("only {count} of {} files were read", cases.len()));
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} files are not read as they were meant")) }
}

/// Name of the file, creature and clip.
fn clips() -> Result<Vec<(String, Creature, Clip)>> {
    let load =
        |name: &str| gambol::load(name, &LoadOptions::default()).map_err(|error| format!("{name}: {error}"));
    let turning = Stride { yaw: 0.7, shift: Vec3::new(1.2, 0.3, 0.05) };
    let mut clips = Vec::new();
    for name in GALLERY {
        let creature = load(name)?;
        let clip = wander(&creature, 3, KEYS, SWING, turning);
        clips.push((name.to_owned(), creature, clip));
    }
    let dog = load("dog")?;
    let swung = swung(&dog)?;
    clips.push(("dog-mode".into(), dog, swung));
    let dm_control = peers::dm_control()?;
    for name in DM_CONTROL {
        let creature = load(&dm_control.join(name).display().to_string())?;
        let clip = wander(&creature, 4, KEYS, SWING, Stride { yaw: TAU, ..turning });
        clips.push((name.replace('/', "-").replace(".xml", ""), creature, clip));
    }
    for free_root in [false, true] {
        let creature = random_tree(9, TreeKind { bodies: 20, free_root, armature: false });
        let clip = wander(&creature, 5, KEYS, SWING, turning);
        clips.push((format!("tree-{free_root}"), creature, clip));
    }
    Ok(clips)
}

/// The first vibration of a creature, straight ahead.
fn swung(creature: &Creature) -> Result<Clip> {
    let mut data = Data::new(creature);
    let settings = Settings { count: Some(7), ..Settings::default() };
    let modes =
        analyze(creature, &mut data, creature.rest_pose(), &settings).map_err(|error| error.to_string())?;
    let mode = modes.directions().get(modes.rigid()).ok_or("the creature has no vibration")?;
    let mut clip = wander(creature, 0, KEYS, 0.0, Stride { yaw: 0.0, shift: Vec3::new(0.5, 0.0, 0.0) });
    let path = clip.path(creature);
    for ((pose, time), way) in clip.poses.iter_mut().zip(&clip.times).zip(path) {
        let amplitude = SWING * math::sin(TAU * time);
        *pose = swing(creature, &mut data, &modes, mode, amplitude).map_err(|error| error.to_string())?;
        way.apply(creature, pose);
    }
    Ok(clip)
}

/// Writes a clip in all formats and notes what must be found in them; returns the path without an ending.
fn write_all(path: &Path, creature: &Creature, clip: &Clip, cases: &mut Vec<Case>) -> Result<String> {
    let failed = |error: gambol::formats::clip::ClipFileError| format!("{}: {error}", path.display());
    let stem = path.display().to_string();
    let still = clip.in_place(creature);
    for (ending, root_motion, shown) in
        [("glb", RootMotion::Travel, clip), ("in-place.glb", RootMotion::InPlace, &still)]
    {
        let file = PathBuf::from(format!("{stem}.{ending}"));
        write(&file, &to_glb(creature, clip, &GlbOptions { root_motion }).map_err(failed)?)?;
        cases.push(Case::new(&file, creature, shown, false));
    }
    let file = PathBuf::from(format!("{stem}.bvh"));
    write(&file, to_bvh(creature, clip).map_err(failed)?.as_bytes())?;
    cases.push(Case::new(&file, creature, clip, true));
    write(&PathBuf::from(format!("{stem}.json")), to_json(creature, clip).map_err(failed)?.as_bytes())?;
    write(&PathBuf::from(format!("{stem}.npz")), &to_npz(creature, clip).map_err(failed)?)?;
    Ok(stem)
}

impl Case {
    fn new(file: &Path, creature: &Creature, clip: &Clip, bvh: bool) -> Self {
        let keys: Vec<usize> = (0..COMPARED).map(|k| k * (KEYS - 1) / (COMPARED - 1)).collect();
        let mut data = Data::new(creature);
        let (mut places, mut boxes) = (vec![Vec::new(); creature.bodies().len()], Vec::new());
        for &key in &keys {
            let frames = forward_kinematics(creature, &mut data, &clip.poses[key]);
            for (places, frame) in places.iter_mut().zip(frames) {
                places.push(y_up(frame.position));
            }
            boxes.push(if bvh { None } else { bounds(creature, &data) });
        }
        let name = |name: &str| if bvh { name.replace(' ', "_") } else { name.to_owned() };
        let bones: Vec<Value> = creature
            .bodies()
            .iter()
            .zip(&places)
            .skip(1)
            .map(|(body, places)| json!([name(&body.name), places]))
            .collect();
        let times: Vec<f64> = keys.iter().map(|&key| clip.times[key]).collect();
        let input = json!({ "file": file, "times": times, "bones": bones });
        Self { size: size(creature), boxes, input }
    }
}

/// The box around all visible shapes, y up; nothing for a creature without any, whose bones are drawn. A mesh for the eye
/// stands for the shapes for contact.
fn bounds(creature: &Creature, data: &Data) -> Corners {
    let (mut low, mut high) = (Vec3::repeat(f64::MAX), Vec3::repeat(f64::MIN));
    for (body, frame) in creature.bodies().iter().zip(&data.frames).skip(1) {
        let seen = || creature.shapes()[body.shapes.clone()].iter().filter(|shape| shape.rgba[3] > 0.0);
        let modelled = seen().any(|shape| !shape.collides && matches!(shape.shape, Shape::Mesh { .. }));
        for shape in seen().filter(|shape| !(shape.collides && modelled)) {
            let turn = frame.orientation * shape.body_from_shape.rotation;
            let centre = frame.point_in_world(shape.body_from_shape.translation.vector);
            for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                for direction in [axis, -axis] {
                    let place = centre + turn * shape.shape.support(turn.inverse() * direction);
                    (low, high) = (low.inf(&place), high.sup(&place));
                }
            }
        }
    }
    (low.x <= high.x).then(|| [y_up(low), y_up(high)])
}

fn skin_off(found: &[Corners], expected: &[Corners]) -> f64 {
    let off = |(found, expected): (&Corners, &Corners)| match (found, expected) {
        (Some(found), Some(expected)) => {
            let numbers = found.as_flattened().iter().zip(expected.as_flattened());
            numbers.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        }
        (None, Some(_)) => f64::INFINITY,
        (_, None) => 0.0,
    };
    found.iter().zip(expected).map(off).fold(0.0, f64::max)
}

/// Largest extent of the creature as it is drawn in its file, m.
fn size(creature: &Creature) -> f64 {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, creature.reference_pose());
    let places = || frames.iter().skip(1).map(|frame| frame.position);
    let span = places().fold(Vec3::repeat(f64::MIN), |high, place| high.sup(&place))
        - places().fold(Vec3::repeat(f64::MAX), |low, place| low.inf(&place));
    span.max()
}

fn y_up(v: Vec3) -> [f64; 3] {
    [v.y, v.z, v.x]
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    write_file(file, bytes, true).map_err(|error| error.to_string())
}
