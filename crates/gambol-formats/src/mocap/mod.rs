//! Recorded motion in: what BVH and ASF/AMC have in common.
//!
//! Both say a skeleton in a pose with all angles zero, and numbers per frame that move its joints. A reader makes a
//! skeleton and a take of its file, in gambol's axes and radians but in the file's unit of length. What body they have is
//! `gambol-anatomy`'s business (`recording::embody`); here they become a clip of it.

use std::path::{Path, PathBuf};

use gambol_anatomy::recording::{
    LengthScale, RecordedBody, RecordedSkeleton, RecordingSettings, Take, embody, lower_arms,
};
use gambol_model::{Creature, CreatureSpec, Hint, Remark, Vec3, Warning};
use gambol_motion::Clip;

use crate::asf;
use crate::bvh::read_bvh;
use crate::files::{Files, Folder};
use crate::{FormatError, LoadOptions};

/// The most joints of a skeleton. Real ones have a hundred; a chain of these still builds at once.
pub(crate) const MAX_JOINTS: usize = 20_000;
/// The most numbers in all frames and in all poses, and the most joints in all frames: an hour at 120 Hz of a hundred
/// channels.
pub(crate) const MAX_NUMBERS: usize = 1 << 26;
/// Lengths and angles beyond this are no measurement, and their squares must stay finite.
const LARGEST_NUMBER: f64 = 1e9;

/// What a file holds, by its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.bvh`: skeleton and motion.
    Bvh,
    /// `.asf`: a skeleton.
    Asf,
    /// `.amc`: the motion of an ASF file's skeleton.
    Amc,
}

/// Whether a file is a recording.
pub fn kind(file: &str) -> Option<Kind> {
    match file.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
        "bvh" => Some(Kind::Bvh),
        "asf" => Some(Kind::Asf),
        "amc" => Some(Kind::Amc),
        _ => None,
    }
}

/// How a recording is read.
#[derive(Clone, Debug, Default)]
pub struct RecordingOptions {
    /// The skeleton of an AMC file. Default: the ASF file beside it with its name, or the part of the name up to the
    /// last `_`, or the only one.
    pub asf: Option<PathBuf>,
    /// Frames per second of an AMC file. Default: CMU's 120.
    pub rate: Option<f64>,
    /// Unit, height, mass and landmarks.
    pub load: LoadOptions,
}

/// Reads a recording, BVH or AMC, from a file on disk.
pub fn load_recording(path: &Path, options: &RecordingOptions) -> Result<Recording, FormatError> {
    let (folder, name) = open(path)?;
    let file = path.display().to_string();
    let named = |error: FormatError| FormatError { file: file.clone(), ..error };
    match kind(&name) {
        Some(Kind::Bvh) => read_bvh(&name, &text(&folder, &name)?, &options.load).map_err(named),
        Some(Kind::Amc) => {
            let amc = text(&folder, &name)?;
            let (asf_name, asf) = match &options.asf {
                Some(path) => {
                    let (folder, name) = open(path)?;
                    let asf = text(&folder, &name)?;
                    (name, asf)
                }
                None => asf_beside(&folder, &name)?,
            };
            let asf = asf::Text { file: &asf_name, text: &asf };
            asf::read_amc(asf, asf::Text { file: &name, text: &amc }, options.rate, &options.load)
        }
        Some(Kind::Asf) => {
            Err(FormatError::new(file, "an ASF file is a skeleton without a motion; give the .amc"))
        }
        None => Err(FormatError::new(file, "a recording is a .bvh or .amc file")),
    }
}

/// Reads the recording `main`, BVH or AMC with its skeleton beside it, from `files`.
pub fn read_recording(
    files: &dyn Files,
    main: &str,
    options: &LoadOptions,
) -> Result<Recording, FormatError> {
    match kind(main) {
        Some(Kind::Bvh) => read_bvh(main, &text(files, main)?, options),
        Some(Kind::Amc) => {
            let (name, asf) = asf_beside(files, main)?;
            let asf = asf::Text { file: &name, text: &asf };
            asf::read_amc(asf, asf::Text { file: main, text: &text(files, main)? }, None, options)
        }
        Some(Kind::Asf) | None => Err(FormatError::new(main, "a recording is a .bvh or .amc file")),
    }
}

/// Reads the skeleton of a recording.
pub(crate) fn read(
    files: &dyn Files,
    main: &str,
    kind: Kind,
    options: &LoadOptions,
) -> Result<CreatureSpec, FormatError> {
    match kind {
        Kind::Bvh => crate::bvh::read(main, &text(files, main)?, options),
        Kind::Asf => asf::read(asf::Text { file: main, text: &text(files, main)? }, options),
        Kind::Amc => {
            let (name, asf) = asf_beside(files, main)?;
            let asf = asf::Text { file: &name, text: &asf };
            asf::read_moving(asf, asf::Text { file: main, text: &text(files, main)? }, options)
        }
    }
}

/// The folder of a file, and its name in there.
fn open(path: &Path) -> Result<(Folder, String), FormatError> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(FormatError::new(path.display().to_string(), "this is not the path of a file"));
    };
    Ok((Folder::new(path.parent().unwrap_or(Path::new("")), None)?, name.to_owned()))
}

/// Names in old files are in any encoding; numbers and keywords are ASCII.
fn text(files: &dyn Files, name: &str) -> Result<String, FormatError> {
    Ok(String::from_utf8_lossy(&files.read(name)?).into_owned())
}

/// The skeleton that belongs to `amc`: `02.asf` for `02_01.amc`.
fn asf_beside(files: &dyn Files, amc: &str) -> Result<(String, String), FormatError> {
    let own = amc.rsplit_once('.').map_or(amc, |(stem, _)| stem);
    let group = own.rsplit_once('_').map(|(group, _)| group);
    let mut names: Vec<String> =
        [Some(own), group].into_iter().flatten().map(|stem| format!("{stem}.asf")).collect();
    names.extend(files.only_one("asf"));
    for name in &names {
        if let Ok(asf) = text(files, name) {
            return Ok((name.clone(), asf));
        }
    }
    let reason = format!("its skeleton is not beside it ({})", names.join(", "));
    Err(FormatError::new(amc, reason).with_hint(Hint::Skeleton))
}

/// A recording: who moves, and how.
#[derive(Clone, Debug)]
pub struct Recording {
    /// A body for every joint of the file, with shapes from the lengths of its bones.
    pub creature: Creature,
    /// All frames of the file.
    pub clip: Clip,
    /// How the file's lengths became metres.
    pub scale: LengthScale,
    /// The first frame is a pose of its own, not part of the motion: conversions of CMU's data start with a T-pose.
    pub first_apart: bool,
}

/// A recording before its creature is checked.
pub(crate) struct Draft {
    file: String,
    spec: CreatureSpec,
    clip: Clip,
    scale: LengthScale,
    first_apart: bool,
}

impl Draft {
    /// Makes bodies and poses. A skeleton without a take gives a creature and a clip of its one pose.
    pub(crate) fn new(
        file: &str,
        skeleton: RecordedSkeleton,
        take: &Take,
        stated_unit: Option<f64>,
        options: &LoadOptions,
        warnings: Vec<Warning>,
    ) -> Result<Self, FormatError> {
        // A few channels may move a root of seven numbers, or be the only ones among many joints that are fixed.
        if take.len().saturating_mul(skeleton.joints.len().max(skeleton.pose_length())) > MAX_NUMBERS {
            let reason = format!("{} frames of so many joints are too many", take.len());
            return Err(FormatError::new(file, reason));
        }
        let name = stem(file).to_owned();
        let body = embody(
            &name,
            skeleton,
            take,
            stated_unit,
            &options.measures(),
            &options.landmarks,
            &RecordingSettings::default(),
        )
        .map_err(|error| FormatError::new(file, error.to_string()))?;
        let RecordedBody { mut spec, poses, scale, first_apart, notes } = body;
        spec.warnings = warnings;
        let warning = |note: Remark| Warning { hint: note.hint, ..Warning::new(file, note.text) };
        spec.warnings.extend(notes.into_iter().map(warning));
        let clip = Clip {
            name,
            times: (0..take.len()).map(|frame| frame as f64 * take.step).collect(),
            poses,
            stride: None,
            contacts: Vec::new(),
            travel: None,
        };
        Ok(Self { file: file.to_owned(), spec, clip, scale, first_apart })
    }

    /// The creature alone, to be moved by something else than the file.
    pub(crate) fn creature(self) -> CreatureSpec {
        let Self { file, mut spec, .. } = self;
        if lower_arms(&mut spec) {
            let told = "its arms are stretched out in the file and hang down here";
            spec.warnings.push(Warning::new(file, told).with_hint(Hint::FilePose));
        }
        spec
    }

    pub(crate) fn finish(self) -> Result<Recording, FormatError> {
        let Self { file, spec, mut clip, scale, first_apart } = self;
        let creature = spec.build().map_err(|error| FormatError::new(&file, error.to_string()))?;
        clip.align_signs(&creature);
        clip.check(&creature).map_err(|error| FormatError::new(&file, error.to_string()))?;
        Ok(Recording { creature, clip, scale, first_apart })
    }
}

/// A point or direction of a file that is y up and z forward.
pub(crate) fn z_up(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(z, x, y)
}

/// One of a file's axes, which is y up and z forward, by its letter.
pub(crate) fn axis(letter: char) -> Option<Vec3> {
    match letter.to_ascii_lowercase() {
        'x' => Some(z_up(1.0, 0.0, 0.0)),
        'y' => Some(z_up(0.0, 1.0, 0.0)),
        'z' => Some(z_up(0.0, 0.0, 1.0)),
        _ => None,
    }
}

/// A number of a file, or what is wrong with it.
pub(crate) fn number(word: &str) -> Result<f64, String> {
    let number: f64 = word.parse().map_err(|_| format!("{:?} is not a number", shorten(word)))?;
    if !number.is_finite() {
        return Err(format!("{number} is not a finite number"));
    }
    if number.abs() > LARGEST_NUMBER {
        return Err(format!("{number} is too large to be a length or an angle"));
    }
    Ok(number)
}

/// A word of a file as it may stand in a message.
pub(crate) fn shorten(word: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = word.chars().take(LONGEST).collect();
    if short.len() < word.len() {
        short.push('…');
    }
    short
}

/// `walk` of `path/walk.bvh`.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
