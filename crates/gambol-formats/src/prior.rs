//! `.prior`: representative poses of recordings, as JSON, with the names of the joints that they are of. What it holds is in
//! `docs/motion.md`.

use gambol_model::Creature;
use gambol_motion::{PoseFrames, PoseProcess, Prior, ProcessMethod, ProcessSpec};
use serde::{Deserialize, Serialize};

use crate::FormatError;
use crate::basis::{JointMatch, joint_list, parse_versioned};

const FORMAT: &str = "gambol-prior";
const VERSION: u32 = 1;

/// Numbers are kept to this part of a radian or a metre: far below what a recording knows.
const DIGITS: f64 = 1e6;

#[derive(Serialize, Deserialize)]
struct PriorFile {
    format: String,
    version: u32,
    creature: String,
    joint_names: Vec<String>,
    joint_kinds: Vec<String>,
    /// How many frames each pose stands for.
    counts: Vec<f64>,
    poses: Vec<Vec<f64>>,
    /// Of a Gaussian process of these poses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    process: Option<ProcessFile>,
}

#[derive(Serialize, Deserialize)]
struct ProcessFile {
    method: String,
    /// Frames of a block of PITC.
    block: usize,
    /// Hidden coordinates of each pose, and of each inducing point.
    latent: Vec<Vec<f64>>,
    inducing: Vec<Vec<f64>>,
    /// ln α, ln γ, ln ν and ln of the variance of noise.
    kernel: [f64; 4],
}

/// Poses of a creature as the text of a `.prior` file.
pub fn to_prior_file(creature: &Creature, frames: &PoseFrames) -> String {
    write(creature, frames, None)
}

/// A process of poses as the text of a `.prior` file.
pub fn to_process_file(creature: &Creature, process: &PoseProcess) -> String {
    let ProcessSpec { method, block, latent, inducing, kernel } = process.spec();
    let method = method.name().to_owned();
    write(creature, process.frames(), Some(ProcessFile { method, block, latent, inducing, kernel }))
}

fn write(creature: &Creature, frames: &PoseFrames, process: Option<ProcessFile>) -> String {
    let short = |pose: &Vec<f64>| pose.iter().map(|x| (x * DIGITS).round() / DIGITS).collect();
    let file = PriorFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        creature: creature.name().to_owned(),
        joint_names: creature.joints().iter().map(|joint| joint.name.clone()).collect(),
        joint_kinds: creature.joints().iter().map(|joint| joint.kind.name().to_owned()).collect(),
        counts: frames.counts().to_vec(),
        poses: frames.poses().iter().map(short).collect(),
        process,
    };
    // A struct of numbers and texts has no way to fail.
    serde_json::to_string(&file).unwrap_or_default() + "\n"
}

/// Reads poses for `creature`, whatever else the file says of them; `file` names it in messages.
pub fn from_prior_file(
    file: &str,
    text: &str,
    creature: &Creature,
    joints: JointMatch,
) -> Result<PoseFrames, FormatError> {
    read(file, text, creature, joints).map(|(frames, _)| frames)
}

/// Reads what a file says is likely for `creature`: frames, or a process of them; `file` names it in messages.
pub fn prior_of_file(
    file: &str,
    text: &str,
    creature: &Creature,
    joints: JointMatch,
) -> Result<Prior, FormatError> {
    let error = |reason: String| FormatError::new(file, reason);
    let (frames, process) = read(file, text, creature, joints)?;
    let Some(ProcessFile { method, block, latent, inducing, kernel }) = process else {
        return Ok(Prior::Frames(frames));
    };
    let known = ProcessMethod::ALL.into_iter().find(|known| known.name() == method);
    let method =
        known.ok_or_else(|| error(format!("{method:?} is no method: gp, dtc, pitc and fitc are")))?;
    let spec = ProcessSpec { method, block, latent, inducing, kernel };
    let process = PoseProcess::from_spec(creature, frames, &spec).map_err(|why| error(why.to_string()))?;
    Ok(Prior::Process(Box::new(process)))
}

fn read(
    file: &str,
    text: &str,
    creature: &Creature,
    joints: JointMatch,
) -> Result<(PoseFrames, Option<ProcessFile>), FormatError> {
    let error = |reason: String| FormatError::new(file, reason);
    let read: PriorFile = parse_versioned(file, text, "prior", FORMAT, VERSION)?;
    let map = joints.map(file, &joint_list(file, &read.joint_names, &read.joint_kinds)?, creature)?;
    let mut poses = Vec::with_capacity(read.poses.len());
    for (k, pose) in read.poses.iter().enumerate() {
        let mapped = map.pose(creature, pose);
        poses.push(mapped.ok_or_else(|| {
            error(format!("pose {k} has not one number for each coordinate of the joints"))
        })?);
    }
    let frames = PoseFrames::new(creature, &poses, read.counts).map_err(|why| error(why.to_string()))?;
    Ok((frames, read.process))
}
