//! Motion from files: recordings bring their own creature, as skinned characters with clips do; a clip of ours names one.

use std::path::{Path, PathBuf};

use gambol_anatomy::recording::LengthScale;
use gambol_formats::basis::{JointMatch, from_basis_file};
use gambol_formats::clip::{creature_of_json, creature_of_npz, from_json, from_npz};
use gambol_formats::files::{Files, Folder};
use gambol_formats::gltf::{GltfClip, Rig, read_clips};
use gambol_formats::mocap::{Kind, Recording, RecordingOptions, kind, load_recording};
use gambol_formats::pack::{basis_of_pack, creature_of_pack, open_pack, packed_of};
use gambol_formats::{FormatError, LoadOptions};
use gambol_model::{Creature, Hint};
use gambol_motion::{Basis, Clip, JointList};

use crate::{LoadError, load, load_rig};

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
    /// Of a skinned character: the way back to the nodes of its file.
    pub rig: Option<Rig>,
}

/// What motion is read from, for messages.
pub const MOTION_FILES: &str = "motion is read from .bvh, .amc, .json, .npz and .pack files, and from clips in .glb, .gltf, .vrm and .fbx";

/// Where a motion is: a file, and of a skinned character's several clips the one after a `#`: `fox.glb#Walk`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MotionPlace {
    /// The file.
    pub file: PathBuf,
    /// The clip, if one is named.
    pub clip: Option<String>,
}

impl MotionPlace {
    /// What a user wrote. A file whose own name has a `#` in it is that file.
    pub fn of(path: &Path) -> Self {
        let whole = || Self { file: path.to_owned(), clip: None };
        let Some(text) = path.to_str().filter(|_| !path.exists()) else { return whole() };
        let mut cuts = text.match_indices('#').map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]));
        let named = cuts.find(|(file, clip)| is_skinned(file) && !clip.is_empty());
        named.map_or_else(whole, |(file, clip)| Self { file: file.to_owned(), clip: Some(clip.to_owned()) })
    }

    /// Whether such a file may hold motion, by its ending.
    pub fn may_move(&self) -> bool {
        is_motion(&self.file) || is_skinned(&self.file)
    }
}

fn is_skinned(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| ["glb", "gltf", "vrm", "fbx"].contains(&ending.as_str()))
}

/// Whether a file holds nothing but motion: `.bvh`, `.amc`, or a clip as `.json`, `.npz` or `.pack`.
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

/// Reads motion from a `.bvh`, `.amc`, `.json`, `.npz` or `.pack` file, or a clip of a skinned character; see [`MotionPlace`].
pub fn load_motion(path: &Path, options: &MotionOptions) -> Result<Motion, LoadError> {
    let place = MotionPlace::of(path);
    if is_skinned(&place.file) {
        let mut motions = load_skinned(&place, options)?;
        let file = place.file.display().to_string();
        return match (motions.pop(), motions.is_empty()) {
            (Some(motion), true) => Ok(motion),
            (last, _) => {
                let names: Vec<&str> =
                    motions.iter().chain(&last).map(|motion| motion.clip.name.as_str()).collect();
                let example = names.first().copied().unwrap_or_default();
                let reason = format!(
                    "it has {} clips: {}; name one, as {file}#{example}",
                    names.len(),
                    names.join(", ")
                );
                Err(FormatError::new(&file, reason).into())
            }
        };
    }
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
    clip_of(motion, creature, &path.display().to_string(), by_name)
}

/// The clip of a motion as one of `creature`.
fn clip_of(motion: Motion, creature: &Creature, file: &str, by_name: bool) -> Result<Clip, LoadError> {
    let joints = JointList::of(&motion.creature);
    let map = if by_name { joints.by_name(creature) } else { joints.same(creature) };
    let map = map.map_err(|error| FormatError::new(file, error.to_string()))?;
    let poses = motion.clip.poses.iter().filter_map(|pose| map.pose(creature, pose)).collect();
    // Feet of another skeleton are other bodies.
    Ok(Clip { poses, contacts: Vec::new(), ..motion.clip })
}

/// Reads motions of one skeleton, that of the first file, as [`load_motion_of`] does the others. Of a skinned character all clips are
/// taken, unless one is named.
pub fn load_motions(
    paths: &[&Path],
    options: &MotionOptions,
    by_name: bool,
) -> Result<(Creature, Vec<Clip>), LoadError> {
    let mut first: Option<Creature> = None;
    let mut clips = Vec::with_capacity(paths.len());
    for path in paths {
        let place = MotionPlace::of(path);
        let motions = if is_skinned(&place.file) {
            load_skinned(&place, options)?
        } else {
            vec![load_motion(path, options)?]
        };
        for mut motion in motions {
            motion.drop_first_apart();
            let Some(creature) = &first else {
                first = Some(motion.creature);
                clips.push(motion.clip);
                continue;
            };
            clips.push(clip_of(motion, creature, &path.display().to_string(), by_name)?);
        }
    }
    let nothing = || FormatError::new("", "no file of a motion is given");
    Ok((first.ok_or_else(nothing)?, clips))
}

/// The clips of a skinned character, or the one that is named: in full, or as what follows the armature's name, `Armature|Walk`.
fn load_skinned(place: &MotionPlace, options: &MotionOptions) -> Result<Vec<Motion>, LoadError> {
    let file = place.file.display().to_string();
    let wrong = |reason: String| LoadError::Format(FormatError::new(&file, reason));
    let load = &options.recording.load;
    let (creature, rig) = load_rig(&file, load)?;
    let rig = rig.ok_or_else(|| wrong("it is no skinned character".to_owned()))?;
    let mut clips: Vec<Clip> =
        load_clips(&place.file, load, (&creature, &rig))?.into_iter().map(|found| found.clip).collect();
    if clips.is_empty() {
        return Err(wrong("it has no clips".to_owned()));
    }
    if let Some(name) = &place.clip {
        let names: Vec<String> = clips.iter().map(|clip| clip.name.clone()).collect();
        let short = |own: &String| own.rsplit('|').next() == Some(name.as_str());
        let found = names.iter().position(|own| own == name).or_else(|| names.iter().position(short));
        let found =
            found.ok_or_else(|| wrong(format!("there is no clip {name:?}; it has {}", names.join(", "))))?;
        clips = vec![clips.swap_remove(found)];
    }
    let motion = |clip: Clip| Motion {
        creature: creature.clone(),
        clip,
        scale: None,
        first_apart: false,
        rig: Some(rig.clone()),
    };
    Ok(clips.into_iter().map(motion).collect())
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
        Own::Pack => {
            let basis = basis_beside(&folder, &file, &bytes, &creature)?;
            open_pack(&file, &bytes, &creature, basis.as_ref())?.clip()
        }
    };
    Ok(Motion { creature, clip, scale: None, first_apart: false, rig: None })
}

/// The basis that a packed clip shares, from the file beside it.
fn basis_beside(
    folder: &Folder,
    file: &str,
    bytes: &[u8],
    creature: &Creature,
) -> Result<Option<Basis>, FormatError> {
    let Some(name) = basis_of_pack(file, bytes)? else { return Ok(None) };
    let absent = |reason: &str| {
        FormatError::new(
            file,
            format!("it shares the basis {name:?}, which {reason}; put that file beside it"),
        )
    };
    if Path::new(&name).components().count() != 1 {
        return Err(absent("is no name of a neighbour"));
    }
    let text = folder.read(&name).map_err(|_| absent("cannot be read"))?;
    let text = String::from_utf8(text).map_err(|_| absent("is not UTF-8"))?;
    from_basis_file(&name, &text, creature, JointMatch::Same).map(Some)
}

/// A packed clip that stays packed.
#[derive(Clone, Debug)]
pub struct PackedMotion {
    /// Who moves.
    pub creature: Creature,
    /// The clip, without the head and checksum of its file.
    pub packed: Vec<u8>,
    /// The basis that it shares.
    pub basis: Option<Basis>,
}

/// Reads a `.pack` file without unpacking it.
pub fn load_packed(path: &Path, options: &MotionOptions) -> Result<PackedMotion, LoadError> {
    let creature = load_own(path, Own::Pack, options)?.creature;
    let file = path.display().to_string();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = Folder::new(path.parent().unwrap_or(Path::new("")), None)?;
    let bytes = folder.read(name)?;
    let basis = basis_beside(&folder, &file, &bytes, &creature)?;
    let packed = packed_of(&file, &bytes)?.to_vec();
    Ok(PackedMotion { creature, packed, basis })
}

/// Files of creatures that are looked for beside a clip, by their endings.
const BESIDE: [&str; 9] = ["xml", "urdf", "glb", "gltf", "vrm", "fbx", "bvh", "amc", "asf"];

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
        Self { creature, clip, scale: Some(scale), first_apart, rig: None }
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
