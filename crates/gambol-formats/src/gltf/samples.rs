//! Skinned animals of our own making, as awkward as those of artists: for tests, benchmarks and examples.

use gambol_model::{Quat, Transform, Vec3, math};
use nalgebra::{Matrix4, Similarity3, UnitQuaternion};
use serde_json::{Map, Value, json};

use super::data_uri::data_uri;
use crate::clip::glb::{Buffer, container, quaternion, to_f32};

mod corpus;

pub use corpus::{OddBody, odd_bodies};

/// How a file is awkward. The default is the plainest there is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // any trouble may come with any other
pub struct Awkward {
    /// Scale of the armature above all bones.
    pub scale: f64,
    /// The armature is turned from z up to y up, as Blender's and Maya's exporters do.
    pub turned: bool,
    /// A control bone above the hips, an end bone on each limb, targets of inverse kinematics beside it.
    pub helpers: bool,
    /// Hind and front part have a mesh and a skin each.
    pub two_skins: bool,
    /// Nodes have matrices.
    pub matrices: bool,
    /// There are clips already: one moves bones, one moves the scale of the head and a target.
    pub clips: bool,
    /// Each bone has a mesh of its own, and nothing is bound to a skin: a robot.
    pub rigid: bool,
    /// Names are not ASCII, some appear twice and one is missing.
    pub names: bool,
    /// Extras, unknown extensions and odd white space all over.
    pub clutter: bool,
    /// A text file with data URIs.
    pub text: bool,
    /// Bones of the tail, at least 2.
    pub tail: usize,
    /// Pieces of the skin along each bone, at least 2; it has a ring of 8 vertices more.
    pub rings: usize,
}

impl Awkward {
    /// No trouble at all.
    pub const PLAIN: Self = Self {
        scale: 1.0,
        turned: false,
        helpers: false,
        two_skins: false,
        matrices: false,
        clips: false,
        rigid: false,
        names: false,
        clutter: false,
        text: false,
        tail: 2,
        rings: 3,
    };
}

impl Default for Awkward {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// The default, each trouble alone, and all together; with a name for each.
pub fn awkward() -> Vec<(&'static str, Awkward)> {
    let plain = Awkward::default();
    let all = Awkward {
        scale: 0.01,
        turned: true,
        helpers: true,
        two_skins: true,
        matrices: false,
        clips: true,
        rigid: false,
        names: true,
        clutter: true,
        text: false,
        tail: 3,
        rings: 4,
    };
    vec![
        ("plain", plain),
        ("scaled", Awkward { scale: 0.01, ..plain }),
        ("turned", Awkward { turned: true, scale: 100.0, ..plain }),
        ("helpers", Awkward { helpers: true, ..plain }),
        ("two-skins", Awkward { two_skins: true, ..plain }),
        ("matrices", Awkward { matrices: true, scale: 0.01, turned: true, ..plain }),
        ("clips", Awkward { clips: true, helpers: true, ..plain }),
        ("names", Awkward { names: true, ..plain }),
        ("clutter", Awkward { clutter: true, clips: true, ..plain }),
        ("text", Awkward { text: true, ..plain }),
        ("everything", all),
        ("everything-text", Awkward { text: true, ..all }),
    ]
}

/// A bone with the piece of skin around it.
#[derive(Clone)]
struct Bone {
    name: String,
    parent: Option<usize>,
    head: Vec3,
    tail: Vec3,
    /// Radius of its skin, m; 0: it carries none.
    radius: f64,
}

/// Four legs, head and tail, 0.84 m tall, looking along z, as a glTF file; a GLB unless `text`.
pub fn quadruped(awkward: &Awkward) -> Vec<u8> {
    file_of(&bones(awkward), awkward)
}

/// Bones and the skin around them as a file.
fn file_of(bones: &[Bone], awkward: &Awkward) -> Vec<u8> {
    let armature = armature(awkward);
    let mut file = File { awkward: *awkward, buffer: Buffer::default(), nodes: Vec::new() };
    // Nodes: the scene's root, the armature, then bones, then targets, then meshes.
    let globals: Vec<Similarity3<f64>> = bones.iter().map(|bone| global(bone, armature.scaling())).collect();
    let mut children = vec![vec![1], Vec::new()];
    children.resize(2 + bones.len(), Vec::new());
    for (index, bone) in bones.iter().enumerate() {
        children[bone.parent.map_or(1, |parent| parent + 2)].push(index + 2);
    }
    let targets: Vec<Vec3> =
        if awkward.helpers { vec![Vec3::new(0.1, 0.0, 0.2), Vec3::new(-0.1, 0.0, 0.2)] } else { Vec::new() };
    let first_target = 2 + bones.len();
    children[1].extend(first_target..first_target + targets.len());
    let first_mesh = first_target + targets.len();
    let parts: Vec<Vec<usize>> = if awkward.rigid { Vec::new() } else { parts(bones, awkward.two_skins) };
    children[0].extend(first_mesh..first_mesh + parts.len());

    file.node("scene root", &Similarity3::identity(), &children[0]);
    file.node("Armature", &armature, &children[1]);
    for (index, bone) in bones.iter().enumerate() {
        let parent = bone.parent.map_or(armature, |parent| globals[parent]);
        file.node(&bone.name, &(parent.inverse() * globals[index]), &children[index + 2]);
        if awkward.rigid {
            file.nodes[index + 2]["mesh"] = json!(index);
        }
    }
    if awkward.rigid {
        let meshes: Vec<Value> = bones.iter().map(|bone| file.rod(bone)).collect();
        return file.finish(&meshes, &[], &[]);
    }
    for (index, target) in targets.iter().enumerate() {
        let place = Similarity3::from_parts((*target).into(), UnitQuaternion::identity(), armature.scaling());
        file.node(&format!("IK_target.{index}"), &(armature.inverse() * place), &[]);
    }
    let (mut meshes, mut skins) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let inverse_bind: Vec<[f32; 16]> =
            part.iter().map(|&bone| single(&globals[bone].inverse().to_homogeneous())).collect();
        let inverse_bind = expect(file.buffer.floats(&inverse_bind, None));
        let joints: Vec<usize> = part.iter().map(|bone| bone + 2).collect();
        skins.push(json!({ "name": format!("skin {index}"), "inverseBindMatrices": inverse_bind, "joints": joints, "skeleton": 1 }));
        meshes.push(json!({ "name": format!("mesh {index}"), "primitives": [file.skin(bones, part)] }));
        file.nodes.push(json!({ "name": format!("body {index}"), "mesh": index, "skin": index }));
    }
    let animations = if awkward.clips { file.clips(bones, first_target) } else { Vec::new() };
    file.finish(&meshes, &skins, &animations)
}

/// Writing to a buffer in memory fails only beyond 4 GiB.
fn expect<T: Default>(result: Result<T, crate::clip::ClipFileError>) -> T {
    result.unwrap_or_default()
}

fn armature(awkward: &Awkward) -> Similarity3<f64> {
    let turn = if awkward.turned { -std::f64::consts::FRAC_PI_2 } else { 0.0 };
    let rotation = UnitQuaternion::from_axis_angle(&Vec3::x_axis(), turn);
    Similarity3::from_parts(Vec3::new(0.0, 0.0, 0.0).into(), rotation, awkward.scale)
}

/// In the scene: y along the bone, as Blender has it.
fn global(bone: &Bone, scale: f64) -> Similarity3<f64> {
    let along = bone.tail - bone.head;
    let half_turn = UnitQuaternion::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI);
    let rotation: Quat = UnitQuaternion::rotation_between(&Vec3::y(), &along).unwrap_or(half_turn);
    Similarity3::from_parts(bone.head.into(), rotation, scale)
}

fn bones(awkward: &Awkward) -> Vec<Bone> {
    let mut bones: Vec<Bone> = Vec::new();
    let mut add = |name: &str, parent: Option<usize>, head: [f64; 3], tail: [f64; 3], radius: f64| {
        bones.push(Bone { name: name.to_owned(), parent, head: head.into(), tail: tail.into(), radius });
        bones.len() - 1
    };
    let root = awkward.helpers.then(|| add("Root", None, [0.0, 0.0, 0.0], [0.0, 0.0, 0.2], 0.0));
    let hips = add("Hips", root, [0.0, 0.55, -0.25], [0.0, 0.57, -0.05], 0.11);
    let spine = add("Spine", Some(hips), [0.0, 0.57, -0.05], [0.0, 0.58, 0.12], 0.11);
    let chest = add("Chest", Some(spine), [0.0, 0.58, 0.12], [0.0, 0.6, 0.3], 0.12);
    let neck = add("Neck", Some(chest), [0.0, 0.62, 0.3], [0.0, 0.78, 0.42], 0.06);
    add("Head", Some(neck), [0.0, 0.78, 0.42], [0.0, 0.74, 0.62], 0.06);
    let mut tail = hips;
    for k in 0..awkward.tail {
        let at = |k: usize| {
            let share = k as f64 / awkward.tail as f64;
            [0.0, 0.56 - 0.2 * share, -0.3 - 0.35 * share]
        };
        tail = add(&format!("Tail{}", k + 1), Some(tail), at(k), at(k + 1), 0.025);
    }
    let mut ends = vec![tail];
    for (side, x) in [("L", 0.09), ("R", -0.09)] {
        let upper = add(&format!("UpperArm.{side}"), Some(chest), [x, 0.5, 0.2], [x, 0.3, 0.15], 0.045);
        let lower = add(&format!("LowerArm.{side}"), Some(upper), [x, 0.3, 0.15], [x, 0.09, 0.19], 0.03);
        ends.push(add(&format!("Hand.{side}"), Some(lower), [x, 0.09, 0.19], [x, 0.02, 0.25], 0.025));
        let thigh = add(&format!("Thigh.{side}"), Some(hips), [x, 0.5, -0.27], [x, 0.31, -0.2], 0.055);
        let shin = add(&format!("Shin.{side}"), Some(thigh), [x, 0.31, -0.2], [x, 0.1, -0.29], 0.03);
        ends.push(add(&format!("Foot.{side}"), Some(shin), [x, 0.1, -0.29], [x, 0.02, -0.23], 0.025));
    }
    if awkward.helpers {
        for end in ends {
            let (name, tail) = (format!("{}_end", bones[end].name), bones[end].tail);
            let (head, tail) = (tail, tail + 0.1 * (tail - bones[end].head));
            bones.push(Bone { name, parent: Some(end), head, tail, radius: 0.0 });
        }
    }
    bones
}

/// The bones of each skin. Of two, both have the spine.
fn parts(bones: &[Bone], two: bool) -> Vec<Vec<usize>> {
    if !two {
        return vec![(0..bones.len()).collect()];
    }
    let front = |bone: &Bone| bone.head.z > 0.0;
    let shared = |bone: &Bone| bone.name == "Spine";
    [true, false]
        .map(|part| (0..bones.len()).filter(|&k| front(&bones[k]) == part || shared(&bones[k])).collect())
        .to_vec()
}

fn single(matrix: &Matrix4<f64>) -> [f32; 16] {
    #[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
    std::array::from_fn(|k| matrix.as_slice()[k] as f32)
}

struct File {
    awkward: Awkward,
    buffer: Buffer,
    nodes: Vec<Value>,
}

impl File {
    fn node(&mut self, name: &str, place: &Similarity3<f64>, children: &[usize]) {
        let mut node = Map::new();
        let index = self.nodes.len();
        let odd_name = match name {
            "Hand.L" => Some("Pfötchen 左".to_owned()),
            "Tail1" | "Tail2" => Some("尾".to_owned()),
            "Neck" => None,
            _ => Some(name.to_owned()),
        };
        let name = if self.awkward.names { odd_name } else { Some(name.to_owned()) };
        let name = name.filter(|name| !name.is_empty());
        if let Some(name) = name {
            node.insert("name".into(), json!(name));
        }
        if self.awkward.matrices && index > 0 {
            node.insert("matrix".into(), json!(single(&place.to_homogeneous())));
        } else {
            node.insert("translation".into(), json!(to_f32(place.isometry.translation.vector)));
            node.insert("rotation".into(), json!(quaternion(place.isometry.rotation)));
            if (place.scaling() - 1.0).abs() > 1e-9 {
                node.insert("scale".into(), json!(to_f32(Vec3::repeat(place.scaling()))));
            }
        }
        if !children.is_empty() {
            node.insert("children".into(), json!(children));
        }
        if self.awkward.clutter {
            node.insert("extras".into(), json!({ "note": "a \"quoted\" ] } note", "bone": index }));
        }
        self.nodes.push(Value::Object(node));
    }

    /// A closed tube around each bone. Where it meets its parent, both carry it.
    fn skin(&mut self, bones: &[Bone], part: &[usize]) -> Value {
        const SIDES: usize = 8;
        let (mut places, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut indices: Vec<[u16; 3]> = Vec::new();
        let narrow = |x: usize| u16::try_from(x).unwrap_or(u16::MAX);
        for (joint, &index) in part.iter().enumerate() {
            let bone = &bones[index];
            let front = bone.name != "Spine" || part.first() != Some(&0) || !self.awkward.two_skins;
            if bone.radius == 0.0 || !front {
                continue;
            }
            let parent = bone.parent.and_then(|parent| part.iter().position(|&k| k == parent));
            let frame = Transform::from_parts(bone.head.into(), global(bone, 1.0).isometry.rotation);
            let length = (bone.tail - bone.head).norm();
            let first = places.len();
            let rings = self.awkward.rings;
            for ring in 0..=rings {
                let along = ring as f64 / rings as f64;
                // Round ends: a smaller first and last ring.
                let radius = bone.radius * if ring == 0 || ring == rings { 0.6 } else { 1.0 - 0.2 * along };
                for side in 0..SIDES {
                    let (sine, cosine) = math::sin_cos(std::f64::consts::TAU * side as f64 / SIDES as f64);
                    let place = Vec3::new(radius * cosine, along * length, radius * sine);
                    places.push(to_f32((frame * nalgebra::Point3::from(place)).coords));
                    let blend = ring == 0 && parent.is_some();
                    joints.push([joint, parent.unwrap_or(0)].map(narrow));
                    weights.push(if blend { [0.6, 0.4] } else { [1.0, 0.0] });
                }
            }
            let at = |ring: usize, side: usize| narrow(first + ring * SIDES + side % SIDES);
            for side in 0..SIDES {
                for ring in 0..rings {
                    let [a, b, c, d] =
                        [at(ring, side), at(ring, side + 1), at(ring + 1, side), at(ring + 1, side + 1)];
                    indices.extend([[a, c, b], [b, c, d]]);
                }
                if side >= 2 {
                    indices.push([at(0, 0), at(0, side - 1), at(0, side)]);
                    indices.push([at(rings, 0), at(rings, side), at(rings, side - 1)]);
                }
            }
        }
        let position = expect(self.buffer.floats(&places, None));
        self.buffer.bound(position, &places);
        let joints: Vec<[u16; 4]> = joints
            .iter()
            .zip(&weights)
            .map(|([own, other], weight): (&[u16; 2], &[f32; 2])| {
                [*own, if weight[1] > 0.0 { *other } else { 0 }, 0, 0]
            })
            .collect();
        let joints = expect(self.buffer.shorts(&joints));
        let weights: Vec<[f32; 4]> = weights.iter().map(|[a, b]| [*a, *b, 0.0, 0.0]).collect();
        let weights = expect(self.buffer.floats(&weights, None));
        let indices: Vec<[u16; 1]> = indices.iter().flatten().map(|&k| [k]).collect();
        let indices = expect(self.buffer.shorts(&indices));
        json!({
            "attributes": { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights },
            "indices": indices,
            "material": 0,
        })
    }

    /// A closed prism around a bone, in its own space.
    fn rod(&mut self, bone: &Bone) -> Value {
        const SIDES: u16 = 8;
        let length = (bone.tail - bone.head).norm();
        let corner = |along: f64, side: u16| {
            let (sine, cosine) = math::sin_cos(std::f64::consts::TAU * f64::from(side) / f64::from(SIDES));
            to_f32(Vec3::new(bone.radius * cosine, along * length, bone.radius * sine))
        };
        let places: Vec<[f32; 3]> = [0.0, 1.0]
            .into_iter()
            .flat_map(|along| (0..SIDES).map(move |side| corner(along, side)))
            .collect();
        let mut indices: Vec<[u16; 1]> = Vec::new();
        for side in 0..SIDES {
            let (next, top) = ((side + 1) % SIDES, SIDES);
            let mut triangles = vec![[side, side + top, next], [next, side + top, next + top]];
            if side >= 2 {
                triangles.extend([[0, side - 1, side], [top, side + top, side - 1 + top]]);
            }
            indices.extend(triangles.into_iter().flatten().map(|k| [k]));
        }
        let position = expect(self.buffer.floats(&places, None));
        self.buffer.bound(position, &places);
        let indices = expect(self.buffer.shorts(&indices));
        let primitive = json!({ "attributes": { "POSITION": position }, "indices": indices, "material": 0 });
        json!({ "name": bone.name, "primitives": [primitive] })
    }

    /// `walk` bends two bones, `blink` scales the head and moves a target.
    fn clips(&mut self, bones: &[Bone], first_target: usize) -> Vec<Value> {
        let node_of = |name: &str| bones.iter().position(|bone| bone.name == name).map_or(0, |bone| bone + 2);
        let times = [[0.0], [0.5], [1.0]];
        let input = expect(self.buffer.floats(&times, None));
        self.buffer.bound(input, &times);
        let turns =
            [0.0, 0.4, 0.0].map(|angle| quaternion(UnitQuaternion::from_axis_angle(&Vec3::x_axis(), angle)));
        let turned = expect(self.buffer.floats(&turns, None));
        let scaled = expect(self.buffer.floats(&[[1.0; 3], [1.5; 3], [1.0; 3]], None));
        let moved = expect(self.buffer.floats(&[[0.0; 3], [0.1, 0.2, 0.3], [0.0; 3]], None));
        let sampler =
            |output: usize, how: &str| json!({ "input": input, "output": output, "interpolation": how });
        let channel = |sampler: usize, node: usize, path: &str| json!({ "sampler": sampler, "target": { "node": node, "path": path } });
        let mut blink = vec![channel(0, node_of("Head"), "scale")];
        if self.awkward.helpers {
            blink.push(channel(1, first_target, "translation"));
        }
        let walk = [channel(0, node_of("Shin.L"), "rotation"), channel(0, node_of("UpperArm.R"), "rotation")];
        let mut samplers = vec![sampler(scaled, "STEP")];
        if self.awkward.helpers {
            samplers.push(sampler(moved, "LINEAR"));
        }
        vec![
            json!({ "name": "walk", "samplers": [sampler(turned, "LINEAR")], "channels": walk }),
            json!({ "name": "blink", "samplers": samplers, "channels": blink }),
        ]
    }

    fn finish(self, meshes: &[Value], skins: &[Value], animations: &[Value]) -> Vec<u8> {
        let mut buffer = json!({ "byteLength": self.buffer.bytes.len() });
        if self.awkward.text {
            buffer["uri"] = json!(data_uri("application/octet-stream", &self.buffer.bytes));
        }
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "gambol samples" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": self.nodes,
            "meshes": meshes,
            "materials": [{ "name": "fur", "pbrMetallicRoughness": { "baseColorFactor": [0.8, 0.5, 0.3, 1.0], "metallicFactor": 0.0 } }],
            "accessors": self.buffer.accessors,
            "bufferViews": self.buffer.views,
            "buffers": [buffer],
        });
        if !skins.is_empty() {
            document["skins"] = json!(skins);
        }
        if !animations.is_empty() {
            document["animations"] = json!(animations);
        }
        let mut text = document.to_string();
        if self.awkward.clutter {
            document["extensionsUsed"] = json!(["ACME_fur"]);
            document["extensions"] = json!({ "ACME_fur": { "density": 1.0e3, "list": [[], {}, [1, [2]]] } });
            document["extras"] =
                json!({ "author": "Ünïcode \"quote\" \\ back", "numbers": [1e-7, 0.300_000_000_000_000_04] });
            text = format!("\n{document:#}\n ").replace("\": ", "\" :\t");
        }
        if self.awkward.text {
            text.into_bytes()
        } else {
            expect(container(text.into_bytes(), Some(self.buffer.bytes)))
        }
    }
}
