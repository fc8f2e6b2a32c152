//! Creatures, read and told to the page.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use gambol::LoadOptions;
use gambol::anatomy::skin::{BoneWish, JointType, RigBone};
use gambol::anatomy::{Heading, SpringSettings, heights};
use gambol::control::sketch::creature_of;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::formats::files::{Files, Memory};
use gambol::formats::gltf::{self, BoneSettings, Rig, RigSettings, rig_to_toml};
use gambol::formats::mocap;
use gambol::formats::{FormatError, load_rig_from};
use gambol::gait::{Felt, FeltSettings};
use gambol::model::math;
use gambol::model::{
    Creature, JointKind, Landmark, LandmarkOverride, Shape, ShapeSpec, Transform, TriMesh, Vec3,
};
use gambol::modes::Reader;
use gambol::motion::Clip;
use gambol::picture::{Drawing, Look, Picture, Placement, View};
use gambol::plant::{LeafSettings, PLANTS, Plant, PlantEntry, find_plant, leaves, plant_thumbnail};
use gambol::{LoadError, Motion, felt_tempo_from, gallery, guess_contacts, load_plant_from, plant_spec};

use super::hint::told;
use super::{Answer, Shelf, Trouble};
use crate::protocol::{
    BodyPart, BonePart, ClipPart, CreatureAnswer, CreatureWork, FileKind, GalleryEntry, GallerySketch, Hello,
    JointPart, LandmarkPart, LimbPart, MOST_BYTES, Numbers, RecordingPart, ShapeKind, ShapePart, SkinPart,
    Source, TempoPart, VERSION, push,
};

/// A creature as it was read.
pub(super) struct Read {
    pub(super) work: CreatureWork,
    pub(super) creature: Creature,
    /// With gravity and springs as the file has them, where it goes in step with its own clips instead.
    by_size: Option<Creature>,
    /// The way back to the nodes of a glTF file.
    pub(super) rig: Option<Rig>,
    /// What its own clips say about its tempo.
    felt: Option<Felt>,
    kind: FileKind,
    /// What was guessed, in words.
    notes: Vec<String>,
    /// What a user should know, besides what the creature says.
    warnings: Vec<String>,
    recording: Option<Motion>,
}

impl Read {
    pub(super) fn new(shelf: &dyn Shelf, work: &CreatureWork) -> Result<Self, Trouble> {
        check(work)?;
        if let Some(plant) = plant(shelf, work)? {
            return Self::of_plant(work, &plant);
        }
        let (files, main) = open(shelf, &work.source)?;
        let main = main.as_str();
        let mut options = LoadOptions {
            free_root: work.free_root,
            landmarks: work.landmarks.iter().map(landmark_override).collect(),
            height: work.height,
            mass: work.mass,
            rig: work.forward.map(|forward| rig_settings(main, Some(forward))),
            ..LoadOptions::default()
        };
        let read = |options: &LoadOptions| -> Result<(Creature, Option<Rig>), Trouble> {
            let (spec, rig) = load_rig_from(files.as_ref(), main, options).map_err(unread)?;
            let creature = spec.build().map_err(|error| Trouble(format!("{main}: {error}")))?;
            Ok((creature, rig))
        };
        let (mut creature, mut rig) = read(&options)?;
        if let Some(guessed) = rig.as_ref().filter(|_| !work.joints.is_empty()) {
            let mut settings = rig_settings(main, work.forward);
            settings.bones = bones(&creature, guessed, &work.joints)?;
            options.rig = Some(settings);
            (creature, rig) = read(&options)?;
        }
        let is_motion = matches!(mocap::kind(main), Some(mocap::Kind::Bvh | mocap::Kind::Amc));
        let recording = is_motion
            .then(|| mocap::read_recording(files.as_ref(), main, &options))
            .transpose()
            .map_err(unread)?;
        let kind = match (&rig, mocap::kind(main)) {
            (Some(_), _) => FileKind::Gltf,
            (None, Some(_)) => FileKind::Recording,
            (None, None) => xml_kind(&files.read(main).map_err(unread)?),
        };
        let notes = match &rig {
            Some(rig) => rig.notes.iter().map(told).collect(),
            None => give_springs(&mut creature).into_iter().collect(),
        };
        if let Source::Gallery { name } = &work.source {
            // What comes with it besides its body: its own gaits.
            let furnished = gallery::find(name).map_or(Ok(()), |entry| entry.furnish(&mut creature));
            furnished.map_err(|error| Trouble(error.to_string()))?;
        }
        let recording = recording.map(|recording| ready_to_play(recording.into()));
        let mut warnings = Vec::new();
        let felt = match rig.as_ref().map(|rig| felt_tempo_from(files.as_ref(), main, (&creature, rig))) {
            Some(Ok(felt)) => Some(felt),
            Some(Err(error)) if work.own_tempo => {
                warnings.push(format!("it does not go in step with its own clips: {error}"));
                None
            }
            // Who does not ask for clips is not told what is wrong with them.
            Some(Err(_)) | None => None,
        };
        let mut by_size = None;
        if let Some(felt) = felt.as_ref().filter(|_| work.own_tempo) {
            by_size = Some(creature.clone());
            felt.apply(&mut creature).map_err(Trouble::hinted)?;
        }
        Ok(Self { work: work.clone(), creature, by_size, rig, felt, kind, notes, warnings, recording })
    }

    /// A plant as links on hinges.
    fn of_plant(work: &CreatureWork, plant: &Plant) -> Result<Self, Trouble> {
        let options = LoadOptions {
            free_root: work.free_root,
            landmarks: work.landmarks.iter().map(landmark_override).collect(),
            ..LoadOptions::default()
        };
        let spec = plant_spec(plant, &options).map_err(unloaded)?;
        Ok(Self {
            work: work.clone(),
            creature: spec.build().map_err(|error| Trouble(format!("{}: {error}", plant.name)))?,
            by_size: None,
            rig: None,
            felt: None,
            kind: FileKind::Plant,
            notes: plant.remarks.iter().map(told).collect(),
            warnings: Vec::new(),
            recording: None,
        })
    }

    /// What was guessed about a rig, to edit.
    pub(super) fn rig_file(&self) -> Result<String, Trouble> {
        let Some(rig) = &self.rig else {
            return Err(Trouble("only creatures that came from glTF have a rig file".to_owned()));
        };
        // Who reads it chooses the tempo anew.
        rig_to_toml(self.by_size.as_ref().unwrap_or(&self.creature), rig).map_err(Trouble::from_error)
    }

    /// As files that are made of it name it.
    pub(super) fn name(&self) -> &str {
        match &self.work.source {
            Source::Gallery { name } | Source::File { name, .. } => name,
        }
    }
}

/// The plant that a source is, if it is one.
pub(super) fn plant(shelf: &dyn Shelf, work: &CreatureWork) -> Result<Option<Plant>, Trouble> {
    match &work.source {
        Source::Gallery { name } => Ok(find_plant(name).map(PlantEntry::plant)),
        source @ Source::File { .. } => {
            let (files, main) = open(shelf, source)?;
            load_plant_from(files.as_ref(), &main, &LoadOptions::default()).map_err(unloaded)
        }
    }
}

/// Numbers that would go wrong far from here.
fn check(work: &CreatureWork) -> Result<(), Trouble> {
    for (what, number) in [("height", work.height), ("mass", work.mass)] {
        // A whale has 2e5 kg, a mite 1e-8 kg.
        if number.is_some_and(|number| !(1e-9..=1e9).contains(&number)) {
            return Err(Trouble(format!("its {what} is not a sensible number; give another, or none")));
        }
    }
    if let Some([x, y, z]) = work.forward {
        // The file's y is up: along it nothing can look.
        let level = math::hypot(x, z);
        if !(level.is_finite() && level > 0.1 * y.abs() && level < 1e9) {
            return Err(Trouble("forward must point along the ground; choose another direction".to_owned()));
        }
    }
    Ok(())
}

/// The files of a creature, as seen from the folder of the main one, and the name of that.
fn open(shelf: &dyn Shelf, source: &Source) -> Result<(Box<dyn Files>, String), Trouble> {
    match source {
        Source::Gallery { name } => {
            let entry = gallery::find(name).ok_or_else(|| {
                Trouble(format!("the gallery has no {name:?}; it has {}", gallery::names().join(", ")))
            })?;
            let main = format!("{name}.xml");
            Ok((Box::new(Memory::new().with(main.as_str(), entry.mjcf)), main))
        }
        Source::File { bundle, name } => {
            super::shelf::safe_name(name)?;
            let files = shelf.files(bundle)?;
            match name.rsplit_once('/') {
                None => Ok((Box::new(Dropped { files, folder: String::new() }), name.clone())),
                Some((folder, main)) => {
                    Ok((Box::new(Dropped { files, folder: format!("{folder}/") }), main.to_owned()))
                }
            }
        }
    }
}

/// Files that were dropped together, seen from one folder of them.
struct Dropped {
    files: Box<dyn Files>,
    /// Empty, or ends with `/`.
    folder: String,
}

impl Files for Dropped {
    /// A file where it should be; or where it lies if the folders were lost on the way, as when several files are
    /// dropped that were in folders.
    fn read(&self, path: &str) -> Result<Vec<u8>, FormatError> {
        let short = path.rsplit('/').next().unwrap_or(path);
        let places = [
            format!("{}{path}", self.folder),
            path.to_owned(),
            format!("{}{short}", self.folder),
            short.into(),
        ];
        places.iter().find_map(|place| self.files.read(place).ok()).ok_or_else(|| {
            FormatError::new(
                path,
                "this file was not dropped; drop the creature together with all files that it needs",
            )
        })
    }

    fn only_one(&self, ending: &str) -> Option<String> {
        self.files.only_one(ending)
    }

    fn all(&self, ending: &str) -> Vec<String> {
        self.files.all(ending)
    }
}

fn landmark_override((landmark, target): &(String, String)) -> LandmarkOverride {
    LandmarkOverride { landmark: landmark.clone(), target: target.clone() }
}

fn rig_settings(file: &str, forward: Option<[f64; 3]>) -> RigSettings {
    RigSettings {
        file: file.to_owned(),
        forward: forward.map(|forward| Vec3::from(forward).normalize()),
        ..RigSettings::default()
    }
}

/// What the user says about joints, by bone instead of by body.
fn bones(
    creature: &Creature,
    rig: &Rig,
    joints: &[(String, JointType)],
) -> Result<Vec<BoneSettings>, Trouble> {
    let names = rig.bone_names().map_err(unread)?;
    let mut bones = Vec::new();
    for (body, kind) in joints {
        let joint = match kind {
            JointType::Ball | JointType::Hinge | JointType::Fixed => *kind,
            JointType::Free => return Err(Trouble("a joint is ball, hinge or fixed, not free".to_owned())),
        };
        let index = creature.body_index(body).filter(|&index| index > 0);
        let Some((index, bone)) = index.and_then(|index| Some((index, names.get(index - 1)?))) else {
            return Err(Trouble(format!("{} has no body {body:?}", creature.name())));
        };
        let is_ball = creature.joints()[creature.bodies()[index].joints.clone()]
            .first()
            .is_some_and(|joint| joint.kind == JointKind::Ball);
        let axis = (joint == JointType::Hinge && is_ball).then(|| hinge_axis(creature, index));
        let wish = BoneWish { joint: Some(joint), axis, ..BoneWish::default() };
        bones.push(BoneSettings { bone: bone.clone(), wish, ..BoneSettings::default() });
    }
    Ok(bones)
}

/// The axis that a ball gets when it becomes a hinge: limbs swing forward and back, about the axis to the left; what
/// sticks out to the side about the vertical. Body frames of a rig are the world's in its own pose.
fn hinge_axis(creature: &Creature, body: usize) -> Vec3 {
    let along = creature.bodies()[body].mass.com;
    if along.y.abs() > math::hypot(along.x, along.z) { Vec3::z() } else { Vec3::y() }
}

/// Errors name the file and the line; settings of the page have no lines.
#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn unread(error: FormatError) -> Trouble {
    let line = error.line.filter(|&line| line > 0);
    Trouble::hinted(FormatError { line, ..error })
}

fn unloaded(error: LoadError) -> Trouble {
    Trouble::hinted(error)
}

/// MJCF or URDF, of a file that is one of them.
fn xml_kind(bytes: &[u8]) -> FileKind {
    if String::from_utf8_lossy(bytes).contains("<mujoco") { FileKind::Mjcf } else { FileKind::Urdf }
}

/// Robots come without springs, and without springs nothing vibrates. Says so.
fn give_springs(creature: &mut Creature) -> Option<String> {
    let mut data = Data::new(creature);
    let given = gambol::anatomy::give_springs(creature, &mut data, &SpringSettings::default());
    given.map(|given| given.to_string())
}

/// What is shown of a recording: its motion alone, with the contacts that it seems to have.
fn ready_to_play(mut motion: Motion) -> Motion {
    motion.drop_first_apart();
    if motion.clip.contacts.is_empty() {
        motion.clip.contacts = guess_contacts(&motion.creature, &motion.clip);
    }
    motion
}

/// Tells the page about a creature.
#[allow(clippy::needless_pass_by_value)] // as it comes from memory
pub(super) fn answer(read: Arc<Read>) -> Result<Answer, Trouble> {
    let mut bytes = Vec::new();
    let mut head = describe(&read.creature, read.kind, &mut bytes);
    head.notes.clone_from(&read.notes);
    head.warnings.extend(read.warnings.iter().cloned());
    head.tempo = read.felt.as_ref().map(|felt| tempo_part(felt, read.work.own_tempo));
    head.skin = read.rig.as_ref().and_then(|rig| skin(rig, &read.work.source));
    if let Some(Motion { creature, clip, .. }) = &read.recording {
        let creature = describe(creature, read.kind, &mut bytes);
        let clip = clip_part(clip, &mut bytes);
        head.recording = Some(Box::new(RecordingPart { creature, clip }));
    }
    Answer::new(head, bytes)
}

/// What can be told of any creature.
fn describe(creature: &Creature, kind: FileKind, bytes: &mut Vec<u8>) -> CreatureAnswer {
    let mut data = Data::new(creature);
    CreatureAnswer {
        name: creature.name().to_owned(),
        kind,
        mass: creature.mass(),
        height: height(creature, &mut data),
        nq: creature.nq(),
        nv: creature.nv(),
        bodies: creature.bodies().iter().map(body_part).collect(),
        joints: creature.joints().iter().map(|joint| joint_part(creature, joint)).collect(),
        shapes: shape_parts(creature, bytes),
        landmarks: creature.landmarks().iter().map(landmark_part).collect(),
        limbs: limb_parts(creature, &mut data),
        poses: creature.poses().iter().map(|pose| pose.name.clone()).collect(),
        forward: Heading::of_reference(creature, &mut data).forward.into(),
        reference: creature.reference_pose().to_vec(),
        notes: Vec::new(),
        warnings: creature.warnings().iter().map(told).collect(),
        gravity: creature.gravity().norm(),
        skin: None,
        tempo: None,
        recording: None,
    }
}

/// From the lowest to the highest point in the reference pose, m.
fn height(creature: &Creature, data: &mut Data) -> f64 {
    let [low, high] = heights(creature, forward_kinematics(creature, data, creature.reference_pose()));
    (high - low).max(0.0)
}

/// Position, and orientation w x y z.
fn place(transform: &Transform) -> ([f64; 3], [f64; 4]) {
    let q = transform.rotation;
    (transform.translation.vector.into(), [q.w, q.i, q.j, q.k])
}

fn body_part(body: &gambol::model::Body) -> BodyPart {
    let (position, orientation) = place(&body.parent_from_body);
    BodyPart {
        name: body.name.clone(),
        parent: body.parent,
        position,
        orientation,
        joints: [body.joints.start, body.joints.end],
        mass: body.mass.mass,
        com: body.mass.com.into(),
    }
}

fn joint_part(creature: &Creature, joint: &gambol::model::Joint) -> JointPart {
    JointPart {
        name: joint.name.clone(),
        body: joint.body,
        kind: joint.kind,
        anchor: joint.anchor.into(),
        axis: joint.axis.into(),
        q: joint.q,
        v: joint.v,
        reference: match joint.kind {
            JointKind::Hinge | JointKind::Slide => creature.reference_pose()[joint.q],
            JointKind::Free | JointKind::Ball => 0.0,
        },
        limit: joint.limit,
        stiffness: joint.stiffness,
    }
}

/// All shapes; a mesh that several of them share is told once.
fn shape_parts(creature: &Creature, bytes: &mut Vec<u8>) -> Vec<ShapePart> {
    let mut told: HashMap<*const TriMesh, [Numbers; 2]> = HashMap::new();
    let mut parts = Vec::new();
    for (index, body) in creature.bodies().iter().enumerate() {
        for spec in &creature.shapes()[body.shapes.clone()] {
            let mesh = match &spec.shape {
                Shape::Mesh { mesh, .. } => {
                    Some(*told.entry(Arc::as_ptr(mesh)).or_insert_with(|| mesh_numbers(mesh, bytes)))
                }
                _ => None,
            };
            parts.push(shape_part(index, spec, mesh));
        }
    }
    parts
}

fn shape_part(body: usize, spec: &ShapeSpec, mesh: Option<[Numbers; 2]>) -> ShapePart {
    let (kind, size) = match &spec.shape {
        Shape::Sphere { radius } => (ShapeKind::Sphere, vec![*radius]),
        Shape::Capsule { radius, half_length } => (ShapeKind::Capsule, vec![*radius, *half_length]),
        Shape::Cylinder { radius, half_length } => (ShapeKind::Cylinder, vec![*radius, *half_length]),
        Shape::Box { half } => (ShapeKind::Box, half.as_slice().to_vec()),
        Shape::Ellipsoid { radii } => (ShapeKind::Ellipsoid, radii.as_slice().to_vec()),
        Shape::Mesh { .. } => (ShapeKind::Mesh, Vec::new()),
    };
    let (position, orientation) = place(&spec.body_from_shape);
    let [vertices, triangles] = [mesh.map(|[v, _]| v), mesh.map(|[_, t]| t)];
    ShapePart { body, kind, size, position, orientation, colour: spec.rgba, vertices, triangles }
}

/// Corners, and corners of triangles. Whole numbers up to 2²⁴ are exact as f32; a mesh has fewer vertices than that.
fn mesh_numbers(mesh: &TriMesh, bytes: &mut Vec<u8>) -> [Numbers; 2] {
    let vertices = push(bytes, mesh.vertices().iter().flat_map(|vertex| [vertex.x, vertex.y, vertex.z]));
    let triangles = push(bytes, mesh.faces().iter().flatten().map(|&corner| f64::from(corner)));
    [vertices, triangles]
}

fn landmark_part(landmark: &Landmark) -> LandmarkPart {
    LandmarkPart {
        name: landmark.name(),
        role: landmark.role.to_string(),
        body: landmark.body,
        point: landmark.point.into(),
        joint: landmark.joint,
        source: landmark.source,
        reason: landmark.reason.clone(),
    }
}

/// Limbs that bend. A creature that cannot be cut into limbs has none.
fn limb_parts(creature: &Creature, data: &mut Data) -> Vec<LimbPart> {
    let Ok(reader) = Reader::new(creature, data, creature.reference_pose()) else { return Vec::new() };
    let part = |(name, joints): (&str, &[usize])| {
        let joints: Vec<String> = joints.iter().map(|&joint| creature.joints()[joint].name.clone()).collect();
        let pattern = joints.iter().map(|joint| escaped(joint)).collect::<Vec<_>>().join("|");
        (!joints.is_empty()).then(|| LimbPart { name: name.to_owned(), joints, pattern })
    };
    reader.limbs().filter_map(part).collect()
}

/// A pattern that matches this text and no other.
pub(super) fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

fn tempo_part(felt: &Felt, taken: bool) -> TempoPart {
    TempoPart {
        faster: felt.faster,
        differs: felt.differs(&FeltSettings::default()),
        said: if taken { felt.taken() } else { felt.offer() },
    }
}

fn skin(rig: &Rig, source: &Source) -> Option<SkinPart> {
    let Source::File { bundle, name } = source else { return None };
    let orientation = rig.world_from_scene.isometry.rotation;
    let bone = |bone: &RigBone| {
        let (position, orientation) = place(&bone.body_from_node);
        BonePart { node: bone.node, body: bone.body, position, orientation }
    };
    Some(SkinPart {
        bundle: bundle.clone(),
        file: name.clone(),
        scale: rig.world_from_scene.scaling(),
        orientation: [orientation.w, orientation.i, orientation.j, orientation.k],
        position: rig.world_from_scene.isometry.translation.vector.into(),
        root: rig.root,
        bones: rig.bones.iter().map(bone).collect(),
        clips: clip_names(&rig.source),
    })
}

/// Names of the animations that a file came with.
fn clip_names(source: &gltf::GltfSource) -> Vec<String> {
    let (gltf::GltfSource::Glb { json, .. } | gltf::GltfSource::Gltf { json }) = source;
    let text = String::from_utf8_lossy(json);
    let text = text.trim_start_matches('\u{feff}').trim_end_matches('\0');
    let Ok(document) = serde_json::from_str::<serde_json::Value>(text) else { return Vec::new() };
    let clips = document["animations"].as_array().into_iter().flatten().enumerate();
    clips
        .map(|(k, clip)| clip["name"].as_str().map_or_else(|| format!("clip {}", k + 1), str::to_owned))
        .collect()
}

/// A clip, its keys among the bytes.
pub(super) fn clip_part(clip: &Clip, bytes: &mut Vec<u8>) -> ClipPart {
    ClipPart {
        name: clip.name.clone(),
        keys: clip.poses.len(),
        times: push(bytes, clip.times.iter().copied()),
        poses: push(bytes, clip.poses.iter().flatten().copied()),
        duration: clip.duration(),
        stride: clip.stride,
        contacts: clip.contacts.clone(),
    }
}

/// Who is there.
pub(super) fn hello(start: &CreatureWork, start_gait: Option<&str>) -> Result<Answer, Trouble> {
    static GALLERY: OnceLock<Vec<GalleryEntry>> = OnceLock::new();
    let gallery = GALLERY.get_or_init(|| {
        gallery::ENTRIES.iter().map(gallery_entry).chain(PLANTS.iter().map(plant_entry)).collect()
    });
    let hello = Hello {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        gallery: gallery.clone(),
        sketches: gallery::sketches().into_iter().filter_map(gallery_sketch).collect(),
        start: start.clone(),
        start_gait: start_gait.map(str::to_owned),
        most_bytes: MOST_BYTES,
    };
    Answer::new(hello, Vec::new())
}

fn gallery_sketch(name: &str) -> Option<GallerySketch> {
    let text = gallery::sketch(name)?;
    let creature = creature_of(text).ok()?;
    Some(GallerySketch { name: name.to_owned(), creature, text: text.to_owned() })
}

fn gallery_entry(entry: &gallery::Entry) -> GalleryEntry {
    // What is embedded in the program can be read.
    let picture = gambol::load(entry.name, &LoadOptions::default()).map(|creature| thumbnail(&creature));
    GalleryEntry {
        name: entry.name.to_owned(),
        about: entry.about.to_owned(),
        picture: picture.unwrap_or_default(),
        plant: false,
    }
}

fn plant_entry(entry: &PlantEntry) -> GalleryEntry {
    let plant = entry.plant();
    let leaves = leaves(&plant, &LeafSettings::of(&plant));
    let picture = plant_thumbnail(&plant, &leaves, THUMBNAIL[0], THUMBNAIL[1]);
    GalleryEntry {
        name: entry.name.to_owned(),
        about: entry.about.to_owned(),
        picture: picture.to_transparent_svg(),
        plant: true,
    }
}

/// Width and height of a picture of the gallery, px.
const THUMBNAIL: [f64; 2] = [160.0, 120.0];

/// A small picture on no ground, for light and dark pages.
fn thumbnail(creature: &Creature) -> String {
    const MARGIN: f64 = 8.0;
    let drawing = Drawing::new(creature, creature.reference_pose(), View::three_quarter());
    let [width, height] = drawing.size();
    let room = THUMBNAIL.map(|size| size - 2.0 * MARGIN);
    let scale = (room[0] / width.max(1e-9)).min(room[1] / height.max(1e-9));
    let mut picture = Picture::new(THUMBNAIL[0], THUMBNAIL[1]);
    let placement = Placement::centred(&drawing.bounds(), scale, THUMBNAIL.map(|size| 0.5 * size));
    drawing.draw(&mut picture, placement, &Look::default());
    picture.to_transparent_svg()
}
