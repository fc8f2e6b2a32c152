//! The rig file: what was guessed about a skinned model, as a small TOML file that the user edits. `docs/formats.md`
//! explains every key.

use std::collections::HashMap;
use std::fmt::Write as _;

use gambol_model::{Creature, CreatureSpec, JointKind, JointSpec, LandmarkOverride, Vec3};
use toml::Spanned;
use toml::de::DeValue;

use super::Rig;
use super::nodes::Nodes;
use super::scene::Scene;
use crate::toml_file::{
    ABOVE_0, AT_LEAST_0, FileError, Section, error_in, from_degrees, nearest, parse, quoted,
};
use crate::{FormatError, LoadOptions};

/// The version that is written, and the highest that is read.
const VERSION: u64 = 1;

/// What the user says about a rig. What is not said is guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigSettings {
    /// The file, for messages.
    pub file: String,
    /// Where the creature looks, in the axes of the glTF file.
    pub forward: Option<Vec3>,
    /// Where its back is, in the axes of the glTF file.
    pub up: Option<Vec3>,
    /// Length of the file's unit, m.
    pub unit: Option<f64>,
    /// Height of the creature in the file's pose, m.
    pub height: Option<f64>,
    /// Mass of the whole creature, kg.
    pub mass: Option<f64>,
    /// What is said about bones.
    pub bones: Vec<BoneSettings>,
    /// Landmarks, each with its line in the file.
    pub landmarks: Vec<(usize, LandmarkOverride)>,
}

/// What the user says about a bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoneSettings {
    /// Line in the file.
    pub line: usize,
    /// Name of the node; `name#7` tells those apart that have one name.
    pub bone: String,
    /// Whether it goes with its parent and has no body of its own.
    pub fold: Option<bool>,
    /// Name of its body.
    pub body: Option<String>,
    /// How it moves in its parent.
    pub joint: Option<JointType>,
    /// Axis of a hinge in the file's pose: x forward, y left, z up.
    pub axis: Option<Vec3>,
    /// Least and largest angle, rad; of a ball 0 and the largest.
    pub limits: Option<[f64; 2]>,
    /// N·m/rad
    pub stiffness: Option<f64>,
    /// kg
    pub mass: Option<f64>,
}

/// What a bone can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointType {
    /// Float: the root.
    Free,
    /// Turn about every axis.
    Ball,
    /// Turn about one axis.
    Hinge,
    /// Nothing.
    Fixed,
}

const JOINT_TYPES: [(&str, JointType); 4] = [
    ("free", JointType::Free),
    ("ball", JointType::Ball),
    ("hinge", JointType::Hinge),
    ("fixed", JointType::Fixed),
];
const AXES: [(&str, [f64; 3]); 9] = [
    ("x", [1.0, 0.0, 0.0]),
    ("y", [0.0, 1.0, 0.0]),
    ("z", [0.0, 0.0, 1.0]),
    ("+x", [1.0, 0.0, 0.0]),
    ("+y", [0.0, 1.0, 0.0]),
    ("+z", [0.0, 0.0, 1.0]),
    ("-x", [-1.0, 0.0, 0.0]),
    ("-y", [0.0, -1.0, 0.0]),
    ("-z", [0.0, 0.0, -1.0]),
];

impl RigSettings {
    /// Reads a rig file; `file` stands for it in messages.
    pub fn from_toml(file: &str, text: &str) -> Result<Self, FormatError> {
        read(file, text).map_err(|FileError { line, reason }| {
            let error = FormatError::new(file, reason);
            match line.and_then(|line| u32::try_from(line).ok()) {
                Some(line) => error.at_line(line),
                None => error,
            }
        })
    }

    fn error(&self, line: usize, reason: impl Into<String>) -> FormatError {
        FormatError::new(&self.file, reason).at_line(u32::try_from(line).unwrap_or(u32::MAX))
    }
}

fn read(file: &str, text: &str) -> Result<RigSettings, FileError> {
    let document = parse(text)?;
    let root = Section::new(text, "a rig file", &document);
    root.check_version(VERSION)?;
    root.only(&["version", "forward", "up", "unit", "height", "mass", "landmarks", "bones"])?;
    let mut settings = RigSettings {
        file: file.to_owned(),
        forward: direction(&root, "forward")?,
        up: direction(&root, "up")?,
        unit: root.number("unit", ABOVE_0)?,
        height: root.number("height", ABOVE_0)?,
        mass: root.number("mass", ABOVE_0)?,
        ..RigSettings::default()
    };
    if settings.unit.is_some() && settings.height.is_some() {
        return Err(root.error_at("height", "the unit is given already; leave one of them out"));
    }
    let (forward, up) = (settings.forward.unwrap_or_else(Vec3::zeros), settings.up.unwrap_or_else(Vec3::y));
    if forward.norm() > 0.0 && forward.cross(&up).norm() < 0.1 * forward.norm() * up.norm() {
        return Err(root.error_at("forward", "it is the same direction as up"));
    }
    if let Some(section) = root.table("landmarks", "[landmarks]")? {
        for key in section.table.keys() {
            let landmark = key.get_ref().to_string();
            if let Err(error) = landmark.parse::<gambol_model::LandmarkName>() {
                return Err(error_in(section.line_at(key), format!("[landmarks]: {error}")));
            }
            let target = section.string(&landmark)?.unwrap_or_default().to_owned();
            settings.landmarks.push((section.line_at(key), LandmarkOverride { landmark, target }));
        }
    }
    if let Some(section) = root.table("bones", "[bones]")? {
        for (key, value) in section.table {
            let bone = section.section(key.get_ref(), "a bone", value)?;
            settings.bones.push(read_bone(key.get_ref(), section.line_at(key), &bone)?);
        }
    }
    settings.landmarks.sort_by_key(|(line, _)| *line);
    settings.bones.sort_by_key(|bone| bone.line);
    Ok(settings)
}

fn read_bone(name: &str, line: usize, bone: &Section) -> Result<BoneSettings, FileError> {
    bone.only(&["fold", "body", "joint", "axis", "limits", "stiffness", "mass"])?;
    let joint = match bone.string("joint")? {
        None => None,
        Some(word) => match JOINT_TYPES.iter().find(|(name, _)| *name == word) {
            Some((_, kind)) => Some(*kind),
            None => return Err(bone.error_at("joint", format!("{word:?} is not free, ball, hinge or fixed"))),
        },
    };
    let vector = |key: &str| match bone.numbers(key)?.as_deref() {
        None => Ok(None),
        Some([x, y, z]) if *x != 0.0 || *y != 0.0 || *z != 0.0 => Ok(Some(Vec3::new(*x, *y, *z).normalize())),
        Some(_) => Err(bone.error_at(key, "it is not three numbers, not all 0")),
    };
    let limits = match bone.numbers("limits")?.as_deref() {
        None => None,
        Some([low, high]) if low < high => Some([from_degrees(*low), from_degrees(*high)]),
        Some(_) => {
            return Err(bone.error_at("limits", "they are not two numbers of degrees, the lower first"));
        }
    };
    let fold = match bone.table.get("fold").map(|value| (value, value.get_ref())) {
        None => None,
        Some((_, DeValue::Boolean(fold))) => Some(*fold),
        Some((value, _)) => return Err(bone.wrong("fold", value, "true or false")),
    };
    let settings = BoneSettings {
        line,
        bone: name.to_owned(),
        fold,
        body: bone.string("body")?.map(str::to_owned),
        joint,
        axis: vector("axis")?,
        limits,
        stiffness: bone.number("stiffness", AT_LEAST_0)?,
        mass: bone.number("mass", ABOVE_0)?,
    };
    if fold == Some(true) && settings.has_body() {
        return Err(error_in(
            line,
            format!("{name}: a bone that is folded has no body, joint or mass of its own"),
        ));
    }
    Ok(settings)
}

impl BoneSettings {
    /// Whether something is said that only a bone with a body has.
    fn has_body(&self) -> bool {
        self.body.is_some()
            || self.joint.is_some()
            || self.axis.is_some()
            || self.limits.is_some()
            || self.stiffness.is_some()
            || self.mass.is_some()
    }
}

/// An axis by its name, or any direction by three numbers.
fn direction(section: &Section, key: &str) -> Result<Option<Vec3>, FileError> {
    let wrong = || section.error_at(key, "it is not an axis like \"+z\" or three numbers, not all 0");
    match section.table.get(key).map(Spanned::get_ref) {
        None => Ok(None),
        Some(DeValue::String(name)) => {
            let axis = AXES.iter().find(|(axis, _)| *axis == name.to_lowercase().replace('\u{2212}', "-"));
            axis.map(|(_, axis)| Some(Vec3::from(*axis))).ok_or_else(wrong)
        }
        Some(_) => match section.numbers(key)?.as_deref() {
            Some([x, y, z]) => Vec3::new(*x, *y, *z).try_normalize(0.0).map(Some).ok_or_else(wrong),
            _ => Err(wrong()),
        },
    }
}

impl LoadOptions {
    /// The options with what the rig file says where they say nothing themselves.
    pub(super) fn with_rig(&self) -> Self {
        let mut options = self.clone();
        let Some(rig) = &self.rig else { return options };
        if options.unit.is_none() && options.height.is_none() {
            (options.unit, options.height) = (rig.unit, rig.height);
        }
        options.mass = options.mass.or(rig.mass);
        let own = std::mem::take(&mut options.landmarks);
        options.landmarks = rig.landmarks.iter().map(|(_, landmark)| landmark.clone()).collect();
        options.landmarks.retain(|landmark| own.iter().all(|own| own.landmark != landmark.landmark));
        options.landmarks.extend(own);
        options
    }
}

/// What is said about the bones of a file, by node.
pub(super) struct Told<'s> {
    settings: Option<&'s RigSettings>,
    bones: HashMap<usize, &'s BoneSettings>,
}

impl<'s> Told<'s> {
    pub(super) fn new(settings: Option<&'s RigSettings>, scene: &Scene) -> Result<Self, FormatError> {
        let mut told = Self { settings, bones: HashMap::new() };
        let Some(settings) = settings else { return Ok(told) };
        let joints: Vec<usize> = (0..scene.names.len()).filter(|&node| scene.is_joint[node]).collect();
        let keys = keys(&scene.names, &joints);
        for bone in &settings.bones {
            let named: Vec<usize> =
                keys.iter().filter(|(_, key)| *key == bone.bone).map(|(node, _)| *node).collect();
            let [node] = named[..] else {
                let same = keys
                    .iter()
                    .find(|(node, _)| scene.names[*node] == bone.bone)
                    .map(|(_, key)| key.as_str());
                let near = same.or_else(|| nearest(&bone.bone, keys.iter().map(|(_, key)| key.as_str())));
                let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
                return Err(settings.error(bone.line, format!("there is no bone {:?}{hint}", bone.bone)));
            };
            told.bones.insert(node, bone);
        }
        Ok(told)
    }

    pub(super) fn fold(&self, node: usize) -> Option<bool> {
        self.bones.get(&node)?.fold
    }

    pub(super) fn body_name(&self, node: usize) -> Option<&str> {
        self.bones.get(&node)?.body.as_deref()
    }

    /// kg
    pub(super) fn mass(&self, node: usize) -> Option<f64> {
        self.bones.get(&node)?.mass
    }

    pub(super) fn up(&self) -> Option<Vec3> {
        self.settings?.up
    }

    pub(super) fn forward(&self) -> Option<Vec3> {
        self.settings?.forward
    }

    /// Bones that shall have bodies must be able to, and targets of landmarks must be there.
    pub(super) fn check(&self, spec: &CreatureSpec, nodes: &[usize]) -> Result<(), FormatError> {
        let Some(settings) = self.settings else { return Ok(()) };
        for (node, bone) in &self.bones {
            if !nodes.contains(node) && (bone.has_body() || bone.fold == Some(false)) {
                let reason = if bone.fold == Some(false) {
                    "carries no skin, and cannot have a body of its own"
                } else {
                    "goes with its parent and has no body; fold = false gives it one"
                };
                return Err(settings.error(bone.line, format!("{} {reason}", bone.bone)));
            }
        }
        let bodies = spec.bodies.iter().map(|body| body.name.as_str());
        let joints = spec.bodies.iter().flat_map(|body| &body.joints).map(|joint| joint.name.as_str());
        let sites = spec.bodies.iter().flat_map(|body| &body.sites).map(|site| site.name.as_str());
        let names: Vec<&str> = bodies.chain(joints).chain(sites).collect();
        for (line, landmark) in &settings.landmarks {
            let target = &landmark.target;
            if !target.is_empty() && !names.contains(&target.as_str()) {
                let near = nearest(target, names.iter().copied());
                let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
                return Err(
                    settings.error(*line, format!("there is no body, joint or site {target:?}{hint}"))
                );
            }
        }
        Ok(())
    }

    /// Changes joints as told. Body k + 1 of `spec` is node `nodes[k]`.
    pub(super) fn apply(&self, spec: &mut CreatureSpec, nodes: &[usize]) -> Result<(), FormatError> {
        let Some(settings) = self.settings else { return Ok(()) };
        for (body, node) in spec.bodies.iter_mut().skip(1).zip(nodes) {
            let Some(bone) = self.bones.get(node) else { continue };
            let fail = |reason: &str| Err(settings.error(bone.line, format!("{}: {reason}", bone.bone)));
            let [joint] = body.joints.as_mut_slice() else { continue };
            match (bone.joint, joint.kind) {
                (None | Some(JointType::Free), JointKind::Free) => {
                    if bone.axis.is_some() || bone.limits.is_some() || bone.stiffness.is_some() {
                        return fail("the root floats and has neither axis, limits nor stiffness");
                    }
                    continue;
                }
                (_, JointKind::Free) => return fail("it is the root, whose joint is free"),
                (Some(JointType::Free), _) => return fail("only the root's joint can be free"),
                (Some(JointType::Fixed), _) => {
                    body.joints.clear();
                    continue;
                }
                (Some(JointType::Hinge), JointKind::Ball) => match bone.axis {
                    Some(axis) => {
                        *joint = JointSpec { kind: JointKind::Hinge, axis, limit: None, ..joint.clone() }
                    }
                    None => return fail("a hinge needs an axis"),
                },
                (Some(JointType::Ball), JointKind::Hinge) => {
                    let most = joint.limit.map(|[low, high]| [0.0, high.max(-low)]);
                    *joint = JointSpec { kind: JointKind::Ball, limit: most, ..joint.clone() };
                }
                _ => (),
            }
            match (bone.axis, joint.kind) {
                (Some(axis), JointKind::Hinge) => joint.axis = axis,
                (Some(_), _) => return fail("only a hinge has an axis"),
                (None, _) => (),
            }
            match (bone.limits, joint.kind) {
                (Some([low, _]), JointKind::Ball) if low != 0.0 => {
                    return fail("the limits of a ball begin with 0");
                }
                (Some(limits), _) => joint.limit = Some(limits),
                (None, _) => (),
            }
            if let Some(stiffness) = bone.stiffness {
                // Damping stays the same share of it.
                joint.damping *= if joint.stiffness > 0.0 { stiffness / joint.stiffness } else { 1.0 };
                joint.stiffness = stiffness;
            }
        }
        Ok(())
    }
}

/// What bones are called in a rig file: by their names, and by their numbers where these are not unique.
fn keys(names: &[String], joints: &[usize]) -> Vec<(usize, String)> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for &node in joints {
        *count.entry(&names[node]).or_default() += 1;
    }
    let key = |&node: &usize| match count.get(names[node].as_str()) {
        Some(1) => (node, names[node].clone()),
        _ => (node, format!("{}#{node}", names[node])),
    };
    joints.iter().map(key).collect()
}

/// The names of all nodes of a rig's file, and which of them skins use.
fn bones_of(rig: &Rig) -> Result<(Vec<String>, Vec<usize>), String> {
    let document: serde_json::Value =
        serde_json::from_str(rig.source.text()?).map_err(|error| error.to_string())?;
    let nodes = Nodes::new(&document)?;
    let names: Vec<String> = (0..nodes.local.len()).map(|node| nodes.label(node)).collect();
    let skins = document["skins"].as_array().into_iter().flatten();
    let joints = skins.flat_map(|skin| skin["joints"].as_array().into_iter().flatten());
    let mut joints: Vec<usize> = joints
        .filter_map(|joint| usize::try_from(joint.as_u64()?).ok())
        .filter(|&node| node < names.len())
        .collect();
    joints.sort_unstable();
    joints.dedup();
    Ok((names, joints))
}

impl Rig {
    /// What [`BoneSettings::bone`] calls the bone of each body after the world.
    pub fn bone_names(&self) -> Result<Vec<String>, FormatError> {
        let (names, joints) = bones_of(self).map_err(|reason| FormatError::new("rig", reason))?;
        let keys = keys(&names, &joints);
        let name = |node: &usize| keys.iter().find(|(key, _)| key == node).map(|(_, name)| name.clone());
        Ok(self.joints.iter().map(|node| name(node).unwrap_or_default()).collect())
    }
}

/// A rig file that says what was guessed about `creature`, to be edited.
pub fn rig_to_toml(creature: &Creature, rig: &Rig) -> Result<String, FormatError> {
    let (names, joints) = bones_of(rig).map_err(|reason| FormatError::new(creature.name(), reason))?;
    let mut out = String::from(
        "# What gambol guessed about a rig. Change what is wrong, take out what may be guessed again,\n",
    );
    out.push_str("# and give the file to every command with --rig (docs/formats.md).\n");
    let mut line = |key: &str, value: String, comment: &str| {
        let _ = writeln!(out, "{:<24} # {comment}", format!("{key} = {value}")); // a String takes all
    };
    line("version", VERSION.to_string(), "of this kind of file");
    let in_scene = |direction: Vec3| rig.world_from_scene.inverse_transform_vector(&direction).normalize();
    line("forward", axis_text(in_scene(Vec3::x())), "where it looks, in the axes of the glTF file");
    line("up", axis_text(in_scene(Vec3::z())), "where its back is");
    line("unit", short(rig.world_from_scene.scaling()), "m; or height = … in m");
    let mass: f64 = creature.bodies().iter().map(|body| body.mass.mass).sum();
    line("mass", short(mass), "kg, of all; those of the bones are scaled to it");

    out.push_str("\n# What is where: a body or a joint; \"\" if there is none.\n[landmarks]\n");
    for landmark in creature.landmarks() {
        let joint = landmark.joint.map(|joint| &creature.joints()[joint].name);
        let target = joint.unwrap_or(&creature.bodies()[landmark.body].name);
        let _ = writeln!(out, "{} = {}", quoted(&landmark.name()), quoted(target));
    }
    out.push_str(
        "\n# joint: free (the root), ball, hinge or fixed. axis of a hinge: in the file's pose, x forward, y left, z up.\n\
         # limits: degrees from the file's pose, of a ball 0 and the most. stiffness: N·m/rad. mass: kg. body: its name.\n\
         # fold = true: the bone goes with its parent and has no body; false: it gets one.\n[bones]\n",
    );
    for (node, key) in keys(&names, &joints) {
        let body = rig.joints.iter().position(|&joint| joint == node).map(|index| index + 1);
        let settings =
            body.map_or_else(|| "fold = true".to_owned(), |body| bone_text(creature, body, &names[node]));
        let _ = writeln!(out, "{} = {{ {settings} }}", bare_or_quoted(&key));
    }
    Ok(out)
}

fn bone_text(creature: &Creature, index: usize, node_name: &str) -> String {
    let body = &creature.bodies()[index];
    let mut parts = Vec::new();
    match &creature.joints()[body.joints.clone()] {
        [] => parts.push("joint = \"fixed\"".to_owned()),
        [joint, ..] => {
            let degrees = |limit: Option<[f64; 2]>| {
                limit.map(|[low, high]| {
                    format!(
                        "limits = [{}, {}]",
                        decimals(low.to_degrees(), 1),
                        decimals(high.to_degrees(), 1)
                    )
                })
            };
            match joint.kind {
                JointKind::Free => parts.push("joint = \"free\"".to_owned()),
                JointKind::Ball => parts.push("joint = \"ball\"".to_owned()),
                JointKind::Hinge | JointKind::Slide => {
                    let [x, y, z] = [joint.axis.x, joint.axis.y, joint.axis.z].map(|x| decimals(x, 4));
                    parts.push(format!("joint = \"hinge\", axis = [{x}, {y}, {z}]"));
                }
            }
            if joint.kind != JointKind::Free {
                parts.extend(degrees(joint.limit));
                parts.push(format!("stiffness = {}", short(joint.stiffness)));
            }
        }
    }
    parts.push(format!("mass = {}", short(body.mass.mass)));
    if body.name != node_name {
        parts.push(format!("body = {}", quoted(&body.name)));
    }
    parts.join(", ")
}

/// `+z`, or the numbers.
fn axis_text(direction: Vec3) -> String {
    let name = AXES[3..].iter().find(|(_, axis)| (Vec3::from(*axis) - direction).norm() < 1e-6);
    let [x, y, z] = [direction.x, direction.y, direction.z].map(|x| decimals(x, 4));
    name.map_or_else(|| format!("[{x}, {y}, {z}]"), |(name, _)| quoted(name))
}

/// Four digits: more than a guess is worth, and still short.
fn short(x: f64) -> String {
    let number: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    format!("{number}")
}

fn decimals(x: f64, count: usize) -> String {
    let number: f64 = format!("{x:.count$}").parse().unwrap_or(x);
    format!("{}", number + 0.0) // not −0
}

fn bare_or_quoted(key: &str) -> String {
    let is_bare = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_bare { key.to_owned() } else { quoted(key) }
}
