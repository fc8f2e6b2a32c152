//! The rig file: what was guessed about a skinned model, as a small TOML file that the user edits. `docs/formats.md`
//! explains every key.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use gambol_anatomy::skin::{BoneWish, JointType, RigNodes, RigWishes, SkinSettings};
use gambol_anatomy::{AnatomyError, ClassSettings, classify};
use gambol_dynamics::Data;
use gambol_model::{BodyClass, Creature, JointKind, LandmarkOverride, ModelError, Vec3};
use toml::Spanned;
use toml::de::DeValue;

use super::Rig;
use super::container::Container;
use super::nodes::Nodes;
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
    /// How it gets about.
    pub class: Option<BodyClass>,
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
    /// What is wished of it.
    pub wish: BoneWish,
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
    root.only(&["version", "forward", "up", "unit", "height", "mass", "class", "landmarks", "bones"])?;
    let mut settings = RigSettings {
        file: file.to_owned(),
        forward: direction(&root, "forward")?,
        up: direction(&root, "up")?,
        unit: root.number("unit", ABOVE_0)?,
        height: root.number("height", ABOVE_0)?,
        mass: root.number("mass", ABOVE_0)?,
        class: match root.string("class")? {
            Some(word) => Some(word.parse().map_err(|reason: String| root.error_at("class", reason))?),
            None => None,
        },
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
    let wish = BoneWish {
        fold,
        body: bone.string("body")?.map(str::to_owned),
        joint,
        axis: vector("axis")?,
        limits,
        stiffness: bone.number("stiffness", AT_LEAST_0)?,
        mass: bone.number("mass", ABOVE_0)?,
    };
    if fold == Some(true) && wish.has_body() {
        return Err(error_in(
            line,
            format!("{name}: a bone that is folded has no body, joint or mass of its own"),
        ));
    }
    Ok(BoneSettings { line, bone: name.to_owned(), wish })
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

impl RigSettings {
    /// What is said about the bones of a file, by node.
    fn bones_by_node(&self, rig: &RigNodes) -> Result<BTreeMap<usize, BoneWish>, FormatError> {
        let joints: Vec<usize> = (0..rig.names.len()).filter(|&node| rig.is_joint[node]).collect();
        let keys = keys(&rig.names, &joints);
        let mut bones = BTreeMap::new();
        for bone in &self.bones {
            let named: Vec<usize> =
                keys.iter().filter(|(_, key)| *key == bone.bone).map(|(node, _)| *node).collect();
            let [node] = named[..] else {
                let same =
                    keys.iter().find(|(node, _)| rig.names[*node] == bone.bone).map(|(_, key)| key.as_str());
                let near = same.or_else(|| nearest(&bone.bone, keys.iter().map(|(_, key)| key.as_str())));
                let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
                return Err(self.error(bone.line, format!("there is no bone {:?}{hint}", bone.bone)));
            };
            bones.insert(node, bone.wish.clone());
        }
        Ok(bones)
    }

    /// An error about a bone or a landmark of this file, with its line; others are about the model.
    fn locate(&self, error: &AnatomyError, rig: &RigNodes) -> Option<FormatError> {
        match error {
            AnatomyError::Bone { node, reason } => {
                let bone = self.bones.iter().find(|bone| {
                    bone.bone == rig.names[*node] || bone.bone == format!("{}#{node}", rig.names[*node])
                })?;
                Some(self.error(bone.line, format!("{}: {reason}", bone.bone)))
            }
            AnatomyError::Model(ModelError { place, reason }) => {
                let said = |(_, mark): &&(usize, LandmarkOverride)| {
                    *place == format!("landmark {:?}", mark.landmark)
                };
                let (line, _) = self.landmarks.iter().find(said)?;
                Some(self.error(*line, reason))
            }
            _ => None,
        }
    }
}

/// What is wished of the rig of a file: by the options, and where these say nothing by their rig file.
pub(super) fn wishes(options: &LoadOptions, rig: &RigNodes) -> Result<RigWishes, FormatError> {
    let options = options.with_rig();
    let settings = options.rig.as_ref();
    Ok(RigWishes {
        forward: settings.and_then(|settings| settings.forward),
        up: settings.and_then(|settings| settings.up),
        measures: options.measures(),
        bones: settings.map(|settings| settings.bones_by_node(rig)).transpose()?.unwrap_or_default(),
        landmarks: options.landmarks,
        settings: SkinSettings::default(),
    })
}

/// Why no creature can be made of a rig, as an error of the rig file or of the model.
pub(super) fn error_of(
    error: &AnatomyError,
    container: &Container,
    options: &LoadOptions,
    rig: &RigNodes,
) -> FormatError {
    let located = options.rig.as_ref().and_then(|settings| settings.locate(error, rig));
    located.unwrap_or_else(|| container.error(error.to_string()))
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
    if joints.is_empty() {
        joints = rig.bones.iter().map(|bone| bone.node).collect(); // a puppet without a skin
    }
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
    out.push_str("# and give this file along with the rig wherever that is read (docs/formats.md).\n");
    let mut line = |key: &str, value: String, comment: &str| {
        let _ = writeln!(out, "{:<24} # {comment}", format!("{key} = {value}")); // a String takes all
    };
    line("version", VERSION.to_string(), "of this kind of file");
    let in_scene = |direction: Vec3| rig.world_from_scene.inverse_transform_vector(&direction).normalize();
    if !rig.lies {
        line("forward", axis_text(in_scene(Vec3::x())), "where it looks, in the axes of the glTF file");
        line("up", axis_text(in_scene(Vec3::z())), "where its back is");
    }
    line("unit", short(rig.world_from_scene.scaling()), "m; or height = … in m");
    let mass: f64 = creature.bodies().iter().map(|body| body.mass.mass).sum();
    line("mass", short(mass), "kg, of all; those of the bones are scaled to it");

    let class = classify(creature, &mut Data::new(creature), &ClassSettings::default());
    line("class", quoted(class.class.name()), &class.reason);

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
