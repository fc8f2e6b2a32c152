//! FBX in: characters with their skins and clips become GLB files in memory, so that all that is done with those is done with
//! these, and clips come out as GLB.
//!
//! `ufbx` reads the file and brings it to metres and y up; pivots, pre- and post-rotations and the ways in which scales are
//! inherited are resolved by it, since a node of glTF has none of these. Its C code is not in WebAssembly or static builds.

/// Whether these bytes are an FBX file, binary or text.
pub(crate) fn is_fbx(bytes: &[u8]) -> bool {
    bytes.starts_with(b"Kaydara FBX Binary") || bytes.trim_ascii_start().starts_with(b"; FBX")
}

#[cfg(not(all(feature = "fbx", not(any(target_family = "wasm", target_env = "musl")))))]
pub(crate) fn to_glb(path: &str, _bytes: &[u8]) -> Result<Vec<u8>, crate::FormatError> {
    let reason = "this is an FBX file, which this build cannot read: export it as glTF (.glb), or use the gambol of your system";
    Err(crate::FormatError::new(path, reason))
}

#[cfg(all(feature = "fbx", not(any(target_family = "wasm", target_env = "musl"))))]
pub(crate) use reader::to_glb;

#[cfg(all(feature = "fbx", not(any(target_family = "wasm", target_env = "musl"))))]
mod reader {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};
    use ufbx::{BakeOpts, LoadOpts, Mesh, Node, Scene, SkinDeformer};

    use crate::FormatError;
    use crate::clip::ClipFileError;
    use crate::clip::glb::{Buffer, container};

    /// Most memory that a file may ask for, bytes: a gigabyte is a film's character.
    const MOST_MEMORY: usize = 1 << 30;
    /// Deepest tree of nodes; no rig has a tenth of it.
    const DEEPEST: u32 = 2000;
    /// Keys per second of baked clips where the file does not say at how many it was animated, or says what nobody does.
    const RATE: f64 = 30.0;
    /// Frames per second that files may say: film on twos has 12, motion capture 240.
    const RATES: std::ops::RangeInclusive<f64> = 10.0..=240.0;
    /// Bones that move one vertex, at most: two sets of glTF.
    const MOST_BONES: usize = 8;

    /// The file as a GLB.
    pub(crate) fn to_glb(path: &str, bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
        let wrong = |reason: String| FormatError::new(path, reason);
        let scene = ufbx::load_memory(bytes, options()).map_err(|error| {
            let info = if error.info().is_empty() { String::new() } else { format!(" ({})", error.info()) };
            wrong(format!("this FBX file cannot be read: {}{info}", error.description))
        })?;
        let mut file = Writer::default();
        file.write(&scene).map_err(|error| wrong(error.to_string()))
    }

    fn options<'a>() -> LoadOpts<'a> {
        let mut options = LoadOpts {
            target_axes: ufbx::CoordinateAxes::right_handed_y_up(),
            target_unit_meters: 1.0,
            space_conversion: ufbx::SpaceConversion::ModifyGeometry,
            geometry_transform_handling: ufbx::GeometryTransformHandling::ModifyGeometry,
            inherit_mode_handling: ufbx::InheritModeHandling::Compensate,
            clean_skin_weights: true,
            ignore_embedded: true,
            node_depth_limit: DEEPEST,
            ..LoadOpts::default()
        };
        options.temp_allocator.memory_limit = MOST_MEMORY;
        options.result_allocator.memory_limit = MOST_MEMORY;
        options
    }

    #[derive(Default)]
    struct Writer {
        buffer: Buffer,
        meshes: Vec<Value>,
        skins: Vec<Value>,
        animations: Vec<Value>,
    }

    impl Writer {
        fn write(&mut self, scene: &Scene) -> Result<Vec<u8>, ClipFileError> {
            let mut nodes: Vec<Value> = Vec::with_capacity(scene.nodes.len());
            for node in &scene.nodes {
                nodes.push(self.node(node)?);
            }
            for stack in &scene.anim_stacks {
                self.animation(scene, stack)?;
            }
            let materials: Vec<Value> =
                scene.materials.iter().map(|material| material_of(material)).collect();
            let mut document = json!({
                "asset": { "version": "2.0", "generator": "gambol, from FBX by ufbx" },
                "scene": 0, "scenes": [{ "nodes": [scene.root_node.element.typed_id] }], "nodes": nodes,
                "buffers": [{ "byteLength": self.buffer.bytes.len() }],
                "bufferViews": self.buffer.views, "accessors": self.buffer.accessors,
            });
            let parts = [
                ("meshes", std::mem::take(&mut self.meshes)),
                ("skins", std::mem::take(&mut self.skins)),
                ("animations", std::mem::take(&mut self.animations)),
                ("materials", materials),
            ];
            for (key, list) in parts.into_iter().filter(|(_, list)| !list.is_empty()) {
                document[key] = Value::from(list);
            }
            if self.buffer.bytes.is_empty() {
                for key in ["buffers", "bufferViews", "accessors"] {
                    document.as_object_mut().map(|document| document.remove(key));
                }
                return container(document.to_string().into_bytes(), None);
            }
            container(document.to_string().into_bytes(), Some(std::mem::take(&mut self.buffer.bytes)))
        }

        fn node(&mut self, node: &Node) -> Result<Value, ClipFileError> {
            let at = &node.local_transform;
            let mut value = json!({
                "translation": vector(&at.translation), "rotation": quaternion(&at.rotation), "scale": vector(&at.scale),
            });
            let name: &str = if node.is_root { "FBX" } else { &node.element.name };
            if !name.is_empty() {
                value["name"] = json!(name);
            }
            let children: Vec<u32> = node.children.iter().map(|child| child.element.typed_id).collect();
            if !children.is_empty() {
                value["children"] = json!(children);
            }
            if let Some(mesh) = node.mesh.as_ref().filter(|mesh| mesh.num_triangles > 0 && node.visible) {
                let skin: Option<&SkinDeformer> =
                    mesh.skin_deformers.iter().map(|skin| &**skin).find(|skin| usable(skin));
                value["mesh"] = json!(self.mesh(mesh, skin)?);
                if let Some(skin) = skin {
                    value["skin"] = json!(self.skin(skin)?);
                }
            }
            Ok(value)
        }

        /// All faces of one material are a primitive; vertices are the file's own, so that seams are none.
        fn mesh(&mut self, mesh: &Mesh, skin: Option<&SkinDeformer>) -> Result<usize, ClipFileError> {
            let points: Vec<[f32; 3]> = mesh.vertices.iter().map(vector).collect();
            let position = self.buffer.floats(&points, None)?;
            self.buffer.bound(position, &points);
            let mut attributes = json!({ "POSITION": position });
            if let Some(skin) = skin {
                let moved = weights(skin, points.len());
                let sets = if moved.iter().any(|bones| bones.len() > 4) { 2 } else { 1 };
                for set in 0..sets {
                    let of =
                        |k: usize, bones: &[(u16, f32)]| bones.get(4 * set + k).copied().unwrap_or_default();
                    let joints: Vec<[u16; 4]> =
                        moved.iter().map(|bones| std::array::from_fn(|k| of(k, bones).0)).collect();
                    let shares: Vec<[f32; 4]> =
                        moved.iter().map(|bones| std::array::from_fn(|k| of(k, bones).1)).collect();
                    attributes[format!("JOINTS_{set}")] = json!(self.buffer.shorts(&joints)?);
                    attributes[format!("WEIGHTS_{set}")] = json!(self.buffer.floats(&shares, None)?);
                }
            }
            let mut corners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            let mut room = vec![0; 3 * mesh.max_face_triangles];
            for (index, face) in mesh.faces.iter().enumerate() {
                let material = mesh.face_material.get(index).copied().unwrap_or(0);
                let count = 3 * mesh.triangulate_face(&mut room, *face) as usize;
                let of_face = room[..count].iter().map(|&corner| mesh.vertex_indices[corner as usize]);
                corners.entry(material).or_default().extend(of_face);
            }
            let mut primitives = Vec::new();
            for (material, corners) in corners {
                let indices = self.buffer.longs(&corners)?;
                let mut primitive = json!({ "attributes": attributes, "indices": indices });
                if let Some(material) = mesh.materials.get(material as usize) {
                    primitive["material"] = json!(material.element.typed_id);
                }
                primitives.push(primitive);
            }
            self.meshes.push(json!({ "name": &*mesh.element.name, "primitives": primitives }));
            Ok(self.meshes.len() - 1)
        }

        fn skin(&mut self, skin: &SkinDeformer) -> Result<usize, ClipFileError> {
            let bones =
                skin.clusters.iter().filter_map(|cluster| Some((cluster.bone_node.as_ref()?, cluster)));
            let (joints, binds): (Vec<u32>, Vec<[f32; 16]>) = bones
                .map(|(bone, cluster)| (bone.element.typed_id, matrix(&cluster.geometry_to_bone)))
                .unzip();
            let binds = self.buffer.floats(&binds, None)?;
            self.skins.push(json!({ "joints": joints, "inverseBindMatrices": binds }));
            Ok(self.skins.len() - 1)
        }

        fn animation(&mut self, scene: &Scene, stack: &ufbx::AnimStack) -> Result<(), ClipFileError> {
            // At the file's own rate its own keys and those between them fall on one grid.
            let own = scene.settings.frames_per_second;
            let rate = if RATES.contains(&own) { own } else { RATE };
            let options = BakeOpts { trim_start_time: true, resample_rate: rate, ..BakeOpts::default() };
            let Ok(baked) = ufbx::bake_anim(scene, &stack.anim, options) else { return Ok(()) };
            let (mut samplers, mut channels) = (Vec::new(), Vec::new());
            for node in &baked.nodes {
                let Some(rest) = scene.nodes.get(node.typed_id as usize) else { continue };
                let rest = &rest.local_transform;
                let turns: Keys<4> =
                    node.rotation_keys.iter().map(|key| (key.time, quaternion(&key.value))).collect();
                let keys = |keys: &[ufbx::BakedVec3]| -> Keys<3> {
                    keys.iter().map(|key| (key.time, vector(&key.value))).collect()
                };
                let (places, scales) = (keys(&node.translation_keys), keys(&node.scale_keys));
                // What holds still has keys too where it does so elsewhere than the node stands: that may be a pose of another clip.
                let all = [
                    (differs(&turns, &quaternion(&rest.rotation)), "rotation", self.sampler(turns)?),
                    (differs(&places, &vector(&rest.translation)), "translation", self.sampler(places)?),
                    (differs(&scales, &vector(&rest.scale)), "scale", self.sampler(scales)?),
                ];
                for (moves, path, sampler) in all {
                    let Some(sampler) = sampler.filter(|_| moves) else { continue };
                    channels.push(json!({ "sampler": samplers.len(), "target": { "node": node.typed_id, "path": path } }));
                    samplers.push(sampler);
                }
            }
            if !channels.is_empty() {
                let name: &str = &stack.element.name;
                self.animations.push(json!({ "name": name, "samplers": samplers, "channels": channels }));
            }
            Ok(())
        }

        /// Times that do not go on are left out: single precision makes some of them one.
        fn sampler<const N: usize>(&mut self, keys: Keys<N>) -> Result<Option<Value>, ClipFileError> {
            let (mut times, mut values): (Vec<[f32; 1]>, Vec<[f32; N]>) = (Vec::new(), Vec::new());
            for (time, value) in keys {
                #[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
                let time = time.max(0.0) as f32;
                if times.last().is_none_or(|last| time > last[0]) && time.is_finite() {
                    times.push([time]);
                    values.push(value);
                }
            }
            if times.is_empty() {
                return Ok(None);
            }
            let input = self.buffer.floats(&times, None)?;
            self.buffer.bound(input, &times);
            let output = self.buffer.floats(&values, None)?;
            Ok(Some(json!({ "input": input, "output": output, "interpolation": "LINEAR" })))
        }
    }

    /// Times, s, and values.
    type Keys<const N: usize> = Vec<(f64, [f32; N])>;

    /// Whether any key is elsewhere.
    fn differs<const N: usize>(keys: &Keys<N>, rest: &[f32; N]) -> bool {
        keys.iter().any(|(_, value)| value != rest)
    }

    fn usable(skin: &SkinDeformer) -> bool {
        skin.clusters.iter().any(|cluster| cluster.bone_node.is_some())
    }

    /// Of each vertex the bones that move it, by their places in the skin, the heaviest first.
    fn weights(skin: &SkinDeformer, vertices: usize) -> Vec<Vec<(u16, f32)>> {
        let mut slots = Vec::with_capacity(skin.clusters.len());
        let mut next = 0;
        for cluster in &skin.clusters {
            slots.push(cluster.bone_node.as_ref().map(|_| next));
            next += u16::from(cluster.bone_node.is_some());
        }
        let of_vertex = |index: usize| {
            let Some(vertex) = skin.vertices.get(index) else { return Vec::new() };
            let first = vertex.weight_begin as usize;
            let all = skin.weights.iter().skip(first).take(vertex.num_weights as usize);
            #[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
            let slot = |weight: &ufbx::SkinWeight| {
                Some(((*slots.get(weight.cluster_index as usize)?)?, weight.weight as f32))
            };
            let mut bones: Vec<(u16, f32)> = all.filter_map(slot).filter(|bone| bone.1 > 0.0).collect();
            bones.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            bones.truncate(MOST_BONES);
            bones
        };
        (0..vertices).map(of_vertex).collect()
    }

    fn material_of(material: &ufbx::Material) -> Value {
        let name: &str = &material.element.name;
        let colour = &material.fbx.diffuse_color.value_vec4;
        #[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
        let [r, g, b] = [colour.x, colour.y, colour.z].map(|x| x.clamp(0.0, 1.0) as f32);
        json!({ "name": name, "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0 } })
    }

    #[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
    fn vector(v: &ufbx::Vec3) -> [f32; 3] {
        [v.x as f32, v.y as f32, v.z as f32]
    }

    #[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
    fn quaternion(q: &ufbx::Quat) -> [f32; 4] {
        [q.x as f32, q.y as f32, q.z as f32, q.w as f32]
    }

    #[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
    fn matrix(m: &ufbx::Matrix) -> [f32; 16] {
        let columns = [
            [m.m00, m.m10, m.m20, 0.0],
            [m.m01, m.m11, m.m21, 0.0],
            [m.m02, m.m12, m.m22, 0.0],
            [m.m03, m.m13, m.m23, 1.0],
        ];
        std::array::from_fn(|k| columns[k / 4][k % 4] as f32)
    }
}
