//! Motion from files: recordings bring their own creature, a clip of ours names one.

use std::path::Path;

use gambol_anatomy::recording::LengthScale;
use gambol_formats::clip::{creature_of_json, creature_of_npz, from_json, from_npz};
use gambol_formats::files::{Files, Folder};
use gambol_formats::gltf::{GltfClip, Rig, read_clips};
use gambol_formats::mocap::{Kind, Recording, RecordingOptions, kind, load_recording};
use gambol_formats::pack::{clip_of_pack, creature_of_pack};
use gambol_formats::{FormatError, LoadOptions};
use gambol_model::{Creature, Hint};
use gambol_motion::{Clip, JointList};

use crate::{LoadError, load};

/// How motion is read from a file.
#[derive(Clone, Debug, Default)]
pub struct MotionOptions {
    /// Of a recording.
    pub recording: RecordingOptions,
    /// Of a clip of ours: the creature that moves, a name from the gallery or a file. Default: what the clip says.
    pub creature: Option<String>,
}

/// Somebody who moves.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Who.
    pub creature: Creature,
    /// How.
    pub clip: Clip,
    /// How a recording's lengths became metres.
    pub scale: Option<LengthScale>,
    /// The first key is a pose of its own, not part of the motion.
    pub first_apart: bool,
}

/// Whether a file holds motion: `.bvh`, `.amc`, or a clip as `.json`, `.npz` or `.pack`.
pub fn is_motion(path: &Path) -> bool {
    let name = path.to_string_lossy();
    matches!(kind(&name), Some(Kind::Bvh | Kind::Amc)) || own_kind(path).is_some()
}

/// What gambol writes clips as, and reads again.
#[derive(Clone, Copy)]
enum Own {
    Json,
    Npz,
    Pack,
}

fn own_kind(path: &Path) -> Option<Own> {
    let ends = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    [("json", Own::Json), ("npz", Own::Npz), ("pack", Own::Pack)]
        .into_iter()
        .find(|(ending, _)| ends(ending))
        .map(|(_, kind)| kind)
}

/// Reads motion from a `.bvh`, `.amc`, `.json`, `.npz` or `.pack` file.
pub fn load_motion(path: &Path, options: &MotionOptions) -> Result<Motion, LoadError> {
    if let Some(kind) = own_kind(path) {
        return load_own(path, kind, options);
    }
    Ok(load_recording(path, &options.recording)?.into())
}

/// Reads motion as one of `creature`: it must have its joints, or with `by_name` some of them. Bones may differ in length, as between
/// people. A first frame that is apart from a motion is left out.
pub fn load_motion_of(
    path: &Path,
    creature: &Creature,
    options: &MotionOptions,
    by_name: bool,
) -> Result<Clip, LoadError> {
    let mut motion = load_motion(path, options)?;
    motion.drop_first_apart();
    let file = path.display().to_string();
    let joints = JointList::of(&motion.creature);
    let map = if by_name { joints.by_name(creature) } else { joints.same(creature) };
    let map = map.map_err(|error| FormatError::new(&file, error.to_string()))?;
    let poses = motion.clip.poses.iter().filter_map(|pose| map.pose(creature, pose)).collect();
    // Feet of another skeleton are other bodies.
    Ok(Clip { poses, contacts: Vec::new(), ..motion.clip })
}

/// Reads motions of one skeleton, that of the first file, as [`load_motion_of`] does the others.
pub fn load_motions(
    paths: &[&Path],
    options: &MotionOptions,
    by_name: bool,
) -> Result<(Creature, Vec<Clip>), LoadError> {
    let nothing = || FormatError::new("", "no file of a motion is given");
    let (first, others) = paths.split_first().ok_or_else(nothing)?;
    let mut motion = load_motion(first, options)?;
    motion.drop_first_apart();
    let (creature, mut clips) = (motion.creature, vec![motion.clip]);
    for path in others {
        clips.push(load_motion_of(path, &creature, options, by_name)?);
    }
    Ok((creature, clips))
}

/// A clip of ours.
fn load_own(path: &Path, kind: Own, options: &MotionOptions) -> Result<Motion, LoadError> {
    let file = path.display().to_string();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let named = |error: FormatError| FormatError { file: file.clone(), ..error };
    let folder = Folder::new(path.parent().unwrap_or(Path::new("")), None)?;
    let bytes = folder.read(name).map_err(named)?;
    let text = || std::str::from_utf8(&bytes).map_err(|_| FormatError::new(&file, "the file is not UTF-8"));
    let said = match kind {
        Own::Json => Some(creature_of_json(&file, text()?)?),
        Own::Npz => creature_of_npz(&file, &bytes)?,
        Own::Pack => Some(creature_of_pack(&file, &bytes)?),
    };
    let who =
        options.creature.as_ref().or(said.as_ref()).ok_or_else(|| {
            FormatError::new(&file, "the clip does not say who moves").with_hint(Hint::Mover)
        })?;
    let creature = mover(who, path, options).map_err(|error| match error {
        LoadError::Unknown { name } => {
            let reason =
                format!("the clip is of {name:?}, which is neither in the gallery nor beside the file");
            LoadError::Format(FormatError::new(&file, reason).with_hint(Hint::Mover))
        }
        other => other,
    })?;
    let clip = match kind {
        Own::Json => from_json(&file, text()?, &creature)?,
        Own::Npz => from_npz(&file, &bytes, &creature)?,
        Own::Pack => clip_of_pack(&file, &bytes, &creature)?,
    };
    Ok(Motion { creature, clip, scale: None, first_apart: false })
}

/// Files of creatures that are looked for beside a clip, by their endings.
const BESIDE: [&str; 7] = ["xml", "urdf", "glb", "gltf", "bvh", "amc", "asf"];

/// Who moves in a clip of ours: a creature of the gallery, a file, or a file of that name beside the clip. The creature of a recording
/// is the one that its motion was read with.
fn mover(who: &str, clip: &Path, options: &MotionOptions) -> Result<Creature, LoadError> {
    let of_file = |path: &Path| {
        let name = path.to_string_lossy();
        match kind(&name) {
            Some(Kind::Bvh | Kind::Amc) => Ok(load_recording(path, &options.recording)?.creature),
            _ => load(&name, &options.recording.load),
        }
    };
    if Path::new(who).exists() && crate::gallery::find(who).is_none() {
        return of_file(Path::new(who));
    }
    match load(who, &options.recording.load) {
        Err(LoadError::Unknown { name }) => {
            // A name with a path in it is no name of a neighbour.
            let is_name = Path::new(who).components().count() == 1;
            let beside = |ending: &str| clip.with_file_name(format!("{who}.{ending}"));
            let found = BESIDE.iter().map(|ending| beside(ending)).find(|path| is_name && path.is_file());
            found.map_or(Err(LoadError::Unknown { name }), |path| of_file(&path))
        }
        other => other,
    }
}

impl From<Recording> for Motion {
    fn from(Recording { creature, clip, scale, first_apart }: Recording) -> Self {
        Self { creature, clip, scale: Some(scale), first_apart }
    }
}

/// How far the last key of a clip may be from its first one for it to be a loop, root mean square, rad: less than an eye sees.
const CLOSES: f64 = 0.02;

/// A step from the last key to the first that differs from the steps before and after it by less than this share of them is one of
/// the motion.
const GOES_ON: f64 = 0.5;

/// Reads the clips of a skinned glTF file with the creature that was made of it; see [`read_clips`]. One that ends in the pose in
/// which it starts is a loop, or a step before that.
pub fn load_clips(
    path: &Path,
    options: &LoadOptions,
    (creature, rig): (&Creature, &Rig),
) -> Result<Vec<GltfClip>, LoadError> {
    let (files, name) = gambol_formats::open(path, options)?;
    clips_from(&files, &name, (creature, rig))
}

/// The same from any files.
pub(crate) fn clips_from(
    files: &dyn Files,
    name: &str,
    (creature, rig): (&Creature, &Rig),
) -> Result<Vec<GltfClip>, LoadError> {
    let clips = read_clips(files, name, rig, creature)?;
    let looped = |found: GltfClip| GltfClip { clip: closed(creature, found.clip), ..found };
    Ok(clips.into_iter().map(looped).collect())
}

/// As a loop, if it is one.
fn closed(creature: &Creature, mut clip: Clip) -> Clip {
    if clip.times.len() <= 3 {
        return clip;
    }
    if goes_on(creature, &clip) {
        // Many exporters leave the last key of a loop out, since it is the first.
        let last = clip.times.len() - 1;
        clip.times.push(2.0 * clip.times[last] - clip.times[last - 1]);
        clip.poses.push(clip.poses[0].clone());
    }
    // Less than an eye sees, or than half a step between keys.
    let last = clip.times.len() - 1;
    let steps = [clip.part(0, 1), clip.part(last - 1, last)].map(|step| step.seam(creature));
    let step = steps.into_iter().flatten().map(|step| step.pose).fold(0.0, f64::max);
    match clip.seam(creature) {
        Some(seam) if seam.pose < CLOSES.max(GOES_ON * step) => {
            Clip { contacts: clip.contacts.clone(), ..clip.looped(creature, &seam) }
        }
        _ => clip,
    }
}

/// Whether the way from the last key to the first goes on as the steps around it do.
fn goes_on(creature: &Creature, clip: &Clip) -> bool {
    let last = clip.poses.len() - 1;
    let step = |from: usize, to: usize| {
        let mut way = vec![0.0; creature.nv()];
        creature.difference(&clip.poses[from], &clip.poses[to], &mut way);
        way
    };
    let (before, over, after) = (step(last - 1, last), step(last, 0), step(0, 1));
    let size = |way: &[f64]| way.iter().map(|x| x * x).sum::<f64>().sqrt();
    let around: Vec<f64> = before.iter().zip(&after).map(|(a, b)| 0.5 * (a + b)).collect();
    let off: Vec<f64> = over.iter().zip(&around).map(|(a, b)| a - b).collect();
    size(&around) > 0.0 && size(&off) < GOES_ON * size(&around)
}

impl Motion {
    /// Leaves out the first key if it is a pose of its own; says whether.
    pub fn drop_first_apart(&mut self) -> bool {
        let last = self.clip.times.len() - 1;
        let drop = self.first_apart && last > 1;
        if drop {
            self.clip = self.clip.part(1, last);
            self.first_apart = false;
        }
        drop
    }
}

impl From<LoadOptions> for MotionOptions {
    fn from(load: LoadOptions) -> Self {
        let recording = RecordingOptions { load, ..RecordingOptions::default() };
        Self { recording, creature: None }
    }
}
