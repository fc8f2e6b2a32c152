//! `cargo xtask bvh`: recordings as three.js reads them. Its BVH reader must put every joint where ours does.

use std::path::{Path, PathBuf};

use gambol::LoadOptions;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::formats::bvh::read_bvh;
use gambol::formats::mocap::Recording;
use gambol::formats::write_file;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::node;
use crate::shell::{Result, command, output, root, target};

/// Distance of joints, in parts of the height: three.js has 32-bit numbers, along a chain of joints and far from the
/// origin.
const NEAR: f64 = 1e-5;
/// Frames that are compared, at most.
const COMPARED: usize = 20;

/// What three.js found.
#[derive(Deserialize)]
struct Found {
    /// Largest distance of a joint, in the file's unit.
    off: f64,
    bones: usize,
}

/// Compares these files; our own awkward ones if there are none.
pub(crate) fn run(files: &[PathBuf]) -> Result<()> {
    let own = root().join("crates/gambol-formats/tests/files");
    let own = ["two_joints.bvh", "awkward.bvh"].map(|name| own.join(name));
    let files = if files.is_empty() { &own } else { files };
    let folder = target().join("gltf");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let (mut inputs, mut heights) = (Vec::new(), Vec::new());
    for file in files {
        let (input, height) = case(file)?;
        inputs.push(input);
        heights.push(height);
    }
    let list = folder.join("recordings.json");
    write_file(&list, Value::from(inputs).to_string().as_bytes(), true).map_err(|error| error.to_string())?;
    let script = node::script("clips.mjs", include_str!("../peers/clips.mjs"))?;
    let lines = output(command("node", &[]).arg(script).arg(&list))?;
    println!("{:<36} {:>6} {:>9}", "file", "joints", "off");
    let mut passed = 0;
    for ((line, file), height) in lines.lines().zip(files).zip(heights) {
        let found: Found =
            serde_json::from_str(line).map_err(|error| format!("clips.mjs: {error}: {line}"))?;
        let off = found.off / height;
        println!(
            "{:<36} {:>6} {off:>9.0e}",
            file.file_name().unwrap_or_default().to_string_lossy(),
            found.bones
        );
        passed += usize::from(off < NEAR);
    }
    let all = files.len();
    if passed == all {
        return Ok(());
    }
    Err(format!("{} of {all} recordings are not read as three.js reads them", all - passed))
}

/// The file, and where we find its joints, in its own axes and unit; and its height.
fn case(file: &Path) -> Result<(Value, f64)> {
    let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let name = file.display().to_string();
    let Recording { creature, clip, scale, .. } =
        read_bvh(&name, &String::from_utf8_lossy(&text), &LoadOptions::default())
            .map_err(|error| error.to_string())?;
    let every = clip.times.len().div_ceil(COMPARED);
    let keys: Vec<usize> = (0..clip.times.len()).step_by(every).collect();
    let mut data = Data::new(&creature);
    let mut places = vec![Vec::new(); creature.bodies().len()];
    for &key in &keys {
        let frames = forward_kinematics(&creature, &mut data, &clip.poses[key]);
        for (places, frame) in places.iter_mut().zip(frames) {
            let p = frame.position / scale.metres;
            places.push([p.y, p.z, p.x]);
        }
    }
    let bones: Vec<Value> = creature
        .bodies()
        .iter()
        .zip(&places)
        .skip(1)
        .map(|(body, places)| json!([body.name, places]))
        .collect();
    let times: Vec<f64> = keys.iter().map(|&key| clip.times[key]).collect();
    Ok((json!({ "file": file, "times": times, "bones": bones }), scale.height / scale.metres))
}
