//! Skinned characters of our own making: boxes on bones, written as glTF with all that artists' files do to readers.

use nalgebra::{Isometry3, Matrix4, Point3, Similarity3, Translation3, UnitQuaternion, Vector3};
use serde_json::{Value, json};

pub(crate) type Vec3 = Vector3<f64>;

/// A bone in the scene: y up, facing +z, m. Its skin is a box; without one it carries nothing.
#[derive(Clone)]
pub(crate) struct Bone {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) head: Vec3,
    /// Middle and half sizes of its box.
    pub(crate) flesh: Option<(Vec3, Vec3)>,
}

/// A character, and how it is written.
#[derive(Clone)]
pub(crate) struct Character {
    pub(crate) bones: Vec<Bone>,
    /// Scene from the character's own scene: turns and units.
    pub(crate) placed: Similarity3<f64>,
    /// Scene from armature, written into the armature node; the bones undo it.
    pub(crate) armature: Similarity3<f64>,
    /// Factor on all weights.
    pub(crate) weight: f64,
    /// Bones from this index on are skinned by a second skin and mesh.
    pub(crate) second_skin: Option<usize>,
    /// Turns of joints away from the bind pose, about x, rad.
    pub(crate) posed: Vec<(usize, f64)>,
    /// How each bone is turned in the bind pose.
    pub(crate) turn: fn(usize) -> UnitQuaternion<f64>,
    /// Scales of each bone's own axes, which its children and its inverse bind undo; negative ones mirror.
    pub(crate) stretch: fn(usize) -> Vec3,
}

/// Every bone is turned about, as no bone of a real rig lies along the axes.
fn any_turn(bone: usize) -> UnitQuaternion<f64> {
    UnitQuaternion::from_euler_angles(0.3 + bone as f64, 0.7, -0.4 * bone as f64)
}

impl Character {
    pub(crate) fn new(bones: Vec<Bone>) -> Self {
        let armature = Similarity3::from_parts(
            Translation3::new(0.3, -0.2, 0.1),
            UnitQuaternion::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2),
            0.01,
        );
        let (placed, weight) = (Similarity3::identity(), 1.0);
        Self {
            bones,
            placed,
            armature,
            weight,
            second_skin: None,
            posed: Vec::new(),
            turn: any_turn,
            stretch: |_| Vec3::repeat(1.0),
        }
    }

    pub(crate) fn bone(&self, name: &str) -> usize {
        self.bones.iter().position(|bone| bone.name == name).expect("the character has this bone")
    }

    /// Volume of all boxes, m³.
    pub(crate) fn volume(&self) -> f64 {
        self.bones.iter().filter_map(|bone| bone.flesh).map(|(_, half)| 8.0 * half.x * half.y * half.z).sum()
    }

    /// Scene from bone in the bind pose, before its axes are stretched.
    pub(crate) fn bind(&self, bone: usize) -> Similarity3<f64> {
        self.placed * Isometry3::from_parts(self.bones[bone].head.into(), (self.turn)(bone))
    }

    fn stretched(&self, bone: usize) -> Matrix4<f64> {
        Matrix4::new_nonuniform_scaling(&(self.stretch)(bone))
    }

    fn unstretched(&self, bone: usize) -> Matrix4<f64> {
        Matrix4::new_nonuniform_scaling(&(self.stretch)(bone).map(|x| 1.0 / x))
    }

    /// Scene from bone with the posed joints turned.
    pub(crate) fn global(&self, bone: usize) -> Similarity3<f64> {
        let above = match self.bones[bone].parent {
            Some(parent) => self.global(parent) * self.bind(parent).inverse(),
            None => Similarity3::identity(),
        };
        let bind = self.bind(bone);
        let at = Point3::from(bind.isometry.translation.vector);
        let angle = self.posed.iter().find(|(posed, _)| *posed == bone).map_or(0.0, |(_, angle)| *angle);
        let turn = Isometry3::rotation_wrt_point(UnitQuaternion::from_axis_angle(&Vec3::x_axis(), angle), at);
        above * turn * bind
    }

    /// The document and its buffer.
    pub(crate) fn gltf(&self) -> (Value, Vec<u8>) {
        let mut file = Writer::default();
        let mut nodes: Vec<Value> = Vec::new();
        for (index, bone) in self.bones.iter().enumerate() {
            let above = bone.parent.map_or(self.armature, |parent| self.global(parent));
            let local = above.inverse() * self.global(index);
            let q = local.isometry.rotation;
            let t = local.isometry.translation.vector;
            let children: Vec<usize> =
                (0..self.bones.len()).filter(|&child| self.bones[child].parent == Some(index)).collect();
            let mut node = json!({
                "name": bone.name, "translation": [t.x, t.y, t.z], "rotation": [q.i, q.j, q.k, q.w],
                "scale": [local.scaling(), local.scaling(), local.scaling()],
            });
            let is_stretched = |bone: usize| (self.stretch)(bone) != Vec3::repeat(1.0);
            if is_stretched(index) || bone.parent.is_some_and(is_stretched) {
                let above = bone.parent.map_or_else(Matrix4::identity, |parent| self.unstretched(parent));
                let matrix = above * local.to_homogeneous() * self.stretched(index);
                node = json!({ "name": bone.name, "matrix": matrix.as_slice() });
            }
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            nodes.push(node);
        }
        let tops: Vec<usize> =
            (0..self.bones.len()).filter(|&bone| self.bones[bone].parent.is_none()).collect();
        let matrix: Vec<f64> = self.armature.to_homogeneous().as_slice().to_vec();
        nodes.push(json!({"name": "Armature", "matrix": matrix, "children": tops}));
        let armature = nodes.len() - 1;

        let parts = match self.second_skin {
            Some(cut) => vec![(0, cut), (cut, self.bones.len())],
            None => vec![(0, self.bones.len())],
        };
        let (mut meshes, mut skins, mut shown) = (Vec::new(), Vec::new(), vec![armature]);
        for (from, to) in parts {
            let (mut points, mut joints, mut weights, mut indices) =
                (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for bone in from..to {
                let Some((middle, half)) = self.bones[bone].flesh else { continue };
                let first = u16::try_from(points.len() / 3).expect("small characters");
                for corner in 0..8u8 {
                    let sign = |bit: u8| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    let point = middle + half.component_mul(&Vec3::new(sign(0), sign(1), sign(2)));
                    let point = self.placed.transform_point(&point.into());
                    points.extend(point.iter().copied().map(single));
                    joints.extend([u16::try_from(bone).expect("small characters"), 0, 0, 0]);
                    weights.extend([single(self.weight), 0.0, 0.0, 0.0]);
                }
                indices.extend(BOX.iter().flatten().map(|k| first + k));
            }
            let binds: Vec<f32> = (0..self.bones.len())
                .flat_map(|bone| {
                    let inverse: Matrix4<f64> =
                        self.unstretched(bone) * self.bind(bone).inverse().to_homogeneous();
                    inverse.as_slice().iter().copied().map(single).collect::<Vec<_>>()
                })
                .collect();
            let vertices = points.len() / 3;
            let position = file.floats(&points, "VEC3", vertices);
            let joint = file.shorts(&joints, "VEC4", vertices);
            let weight = file.floats(&weights, "VEC4", vertices);
            let triangles = file.shorts(&indices, "SCALAR", indices.len());
            let bind = file.floats(&binds, "MAT4", self.bones.len());
            let (mesh, skin) = (meshes.len(), skins.len());
            meshes.push(json!({"primitives": [{
                "attributes": {"POSITION": position, "JOINTS_0": joint, "WEIGHTS_0": weight}, "indices": triangles,
            }]}));
            skins.push(
                json!({"joints": (0..self.bones.len()).collect::<Vec<_>>(), "inverseBindMatrices": bind}),
            );
            shown.push(nodes.len());
            nodes.push(json!({"mesh": mesh, "skin": skin}));
        }
        let document = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": shown}], "nodes": nodes, "meshes": meshes,
            "skins": skins, "accessors": file.accessors, "bufferViews": file.views,
            "buffers": [{"byteLength": file.bytes.len()}],
        });
        (document, file.bytes)
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        let (document, bytes) = self.gltf();
        glb(&document, &bytes)
    }
}

/// Files hold single precision.
#[allow(clippy::cast_possible_truncation)]
fn single(x: f64) -> f32 {
    x as f32
}

/// Outward triangles of a box with corners counted by their signs.
const BOX: [[u16; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// A GLB of a document and a buffer.
pub(crate) fn glb(document: &Value, bytes: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bytes.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let word = |x: usize| u32::try_from(x).expect("small files").to_le_bytes();
    let mut out = b"glTF".to_vec();
    out.extend([word(2), word(28 + json.len() + bin.len()), word(json.len()), *b"JSON"].concat());
    out.extend(&json);
    out.extend([word(bin.len()), *b"BIN\0"].concat());
    out.extend(&bin);
    out
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Writer {
    fn add(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        self.bytes.extend(bytes);
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({"bufferView": view, "componentType": component, "count": count, "type": kind}));
        view
    }

    fn floats(&mut self, numbers: &[f32], kind: &str, count: usize) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.add(&bytes, 5126, kind, count)
    }

    fn shorts(&mut self, numbers: &[u16], kind: &str, count: usize) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.add(&bytes, 5123, kind, count)
    }
}

/// A list of bones under construction.
#[derive(Default)]
pub(crate) struct Skeleton(pub(crate) Vec<Bone>);

impl Skeleton {
    /// A bone with a box from its head to `tail` and the given half thickness.
    pub(crate) fn add(
        &mut self,
        name: &str,
        parent: Option<&str>,
        head: [f64; 3],
        tail: [f64; 3],
        thick: f64,
    ) {
        let (head, tail) = (Vec3::from(head), Vec3::from(tail));
        let parent =
            parent.map(|parent| self.0.iter().position(|bone| bone.name == parent).expect("parents first"));
        let half = ((tail - head) / 2.0).map(|x| x.abs().max(thick));
        let flesh = (thick > 0.0).then_some(((head + tail) / 2.0, half));
        self.0.push(Bone { name: name.into(), parent, head, flesh });
    }
}

/// A dog of boxes, 0.6 m high, with the bones of a rig that nobody needs: a root, ends, a pole and a twist. With `ik` its
/// hind feet hang from the root.
pub(crate) fn quadruped(ik: bool) -> Character {
    let mut rig = Skeleton::default();
    rig.add("Root", None, [0.0; 3], [0.0; 3], 0.0);
    rig.add("Hips", Some("Root"), [0.0, 0.45, -0.25], [0.0, 0.45, -0.06], 0.08);
    rig.add("Spine", Some("Hips"), [0.0, 0.45, -0.05], [0.0, 0.45, 0.12], 0.08);
    rig.add("Chest", Some("Spine"), [0.0, 0.45, 0.13], [0.0, 0.45, 0.35], 0.09);
    rig.add("Neck", Some("Chest"), [0.0, 0.5, 0.36], [0.0, 0.6, 0.42], 0.05);
    rig.add("Head", Some("Neck"), [0.0, 0.62, 0.44], [0.0, 0.6, 0.62], 0.05);
    rig.add("Head_end", Some("Head"), [0.0, 0.6, 0.64], [0.0; 3], 0.0);
    rig.add("Tail", Some("Hips"), [0.0, 0.5, -0.34], [0.0, 0.48, -0.45], 0.02);
    rig.add("Tail.001", Some("Tail"), [0.0, 0.48, -0.46], [0.0, 0.46, -0.6], 0.02);
    for (side, x) in [("L", 0.1), ("R", -0.1)] {
        let name = |part: &str| format!("{part}.{side}");
        let (thigh, shin, foot) = (name("Thigh"), name("Shin"), name("HindFoot"));
        rig.add(&thigh, Some("Hips"), [x, 0.4, -0.22], [x, 0.24, -0.17], 0.03);
        rig.add(&name("ThighTwist"), Some(&thigh), [x, 0.33, -0.19], [x, 0.3, -0.19], 0.031);
        rig.add(&shin, Some(&thigh), [x, 0.22, -0.16], [x, 0.06, -0.25], 0.025);
        rig.add(&name("Shin_end"), Some(&shin), [x, 0.04, -0.26], [0.0; 3], 0.0);
        rig.add(&foot, Some(if ik { "Root" } else { &shin }), [x, 0.04, -0.26], [x, 0.02, -0.18], 0.02);
        let (upper, lower) = (name("UpperArm"), name("ForeArm"));
        rig.add(&upper, Some("Chest"), [x, 0.38, 0.28], [x, 0.23, 0.25], 0.03);
        rig.add(&lower, Some(&upper), [x, 0.21, 0.24], [x, 0.06, 0.27], 0.025);
        rig.add(&name("FrontFoot"), Some(&lower), [x, 0.04, 0.27], [x, 0.02, 0.35], 0.02);
        rig.add(&name("PoleTarget"), Some("Root"), [x, 0.3, 0.9], [0.0; 3], 0.0);
    }
    Character::new(rig.0)
}

/// A person of boxes, 1.7 m high, arms stretched out.
pub(crate) fn person() -> Character {
    let mut rig = Skeleton::default();
    rig.add("mixamorig:Hips", None, [0.0, 0.95, 0.0], [0.0, 1.05, 0.0], 0.1);
    rig.add("mixamorig:Spine", Some("mixamorig:Hips"), [0.0, 1.1, 0.0], [0.0, 1.25, 0.0], 0.1);
    rig.add("mixamorig:Spine1", Some("mixamorig:Spine"), [0.0, 1.3, 0.0], [0.0, 1.4, 0.0], 0.11);
    rig.add("mixamorig:Head", Some("mixamorig:Spine1"), [0.0, 1.53, 0.0], [0.0, 1.72, 0.0], 0.08);
    for (side, s) in [("Left", 1.0), ("Right", -1.0)] {
        let name = |part: &str| format!("mixamorig:{side}{part}");
        let (arm, fore, leg, shin) = (name("Arm"), name("ForeArm"), name("UpLeg"), name("Leg"));
        rig.add(&arm, Some("mixamorig:Spine1"), [s * 0.16, 1.4, 0.0], [s * 0.42, 1.4, 0.0], 0.04);
        rig.add(&fore, Some(&arm), [s * 0.44, 1.4, 0.0], [s * 0.66, 1.4, 0.0], 0.035);
        rig.add(&name("Hand"), Some(&fore), [s * 0.68, 1.4, 0.0], [s * 0.84, 1.4, 0.0], 0.03);
        rig.add(&leg, Some("mixamorig:Hips"), [s * 0.1, 0.83, 0.0], [s * 0.1, 0.5, 0.0], 0.06);
        rig.add(&shin, Some(&leg), [s * 0.1, 0.48, 0.0], [s * 0.1, 0.12, 0.0], 0.05);
        rig.add(&name("Foot"), Some(&shin), [s * 0.1, 0.08, 0.0], [s * 0.1, 0.04, 0.16], 0.04);
    }
    Character::new(rig.0)
}
