//! Compressed parts of a file, unpacked beside it: accessors then read numbers as they always do, and the user's bytes stay as
//! they are.
//!
//! `KHR_draco_mesh_compression` by the crate `draco-core`; `EXT_meshopt_compression` by `meshopt`.

use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};
use serde_json::{Map, Value};

use super::container::Container;
use super::json::{Accessor, Buffer, BufferView, Primitive};
use super::meshopt;
use crate::FormatError;

const DRACO: &str = "KHR_draco_mesh_compression";
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Most points and triangles of one compressed mesh: as many as all meshes together may have.
const MOST_POINTS: u64 = 10_000_000;
/// Most bytes that one compressed part may unpack to.
const MOST_BYTES: usize = 1 << 30;

/// glTF's numbers for component types.
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// Unpacks all that is compressed.
pub(super) fn unpack(container: &mut Container) -> Result<(), FormatError> {
    for index in 0..container.document.buffer_views.len() {
        unpack_view(container, index)
            .map_err(|reason| container.error(format!("buffer view {index} is compressed: {reason}")))?;
    }
    for mesh in 0..container.document.meshes.len() {
        for primitive in 0..container.document.meshes[mesh].primitives.len() {
            unpack_primitive(container, mesh, primitive)
                .map_err(|reason| container.error(format!("mesh {mesh} is compressed by Draco: {reason}")))?;
        }
    }
    Ok(())
}

fn unpack_view(container: &mut Container, index: usize) -> Result<(), String> {
    let view = &container.document.buffer_views[index];
    let Some(packed) = MESHOPT.iter().find_map(|name| view.extensions.get(*name)).cloned() else {
        return Ok(());
    };
    let number = |key: &str| packed[key].as_u64().and_then(|x| usize::try_from(x).ok());
    let need = |key: &str| number(key).ok_or_else(|| format!("it does not say its {key}"));
    let (stride, count) = (need("byteStride")?, need("count")?);
    if stride.checked_mul(count).is_none_or(|bytes| bytes > MOST_BYTES) {
        return Err(format!("{count} elements of {stride} bytes are too many"));
    }
    let bytes = container.range(need("buffer")?, number("byteOffset").unwrap_or(0), need("byteLength")?)?;
    let mode = packed["mode"].as_str().unwrap_or_default();
    let mut out = match mode {
        "ATTRIBUTES" => meshopt::vertices(bytes, stride, count)?,
        "TRIANGLES" => meshopt::triangles(bytes, stride, count)?,
        "INDICES" => meshopt::indices(bytes, stride, count)?,
        _ => return Err(format!("its mode is {mode:?}, which is unknown")),
    };
    meshopt::filter(packed["filter"].as_str().unwrap_or("NONE"), &mut out, stride)?;
    let byte_stride = (mode == "ATTRIBUTES").then_some(stride);
    let new = container.add_buffer(out);
    container.document.buffer_views[index] = BufferView { byte_stride, ..new };
    Ok(())
}

fn unpack_primitive(container: &mut Container, mesh: usize, index: usize) -> Result<(), String> {
    let primitive = &container.document.meshes[mesh].primitives[index];
    let Some(packed) = primitive.extensions.get(DRACO).cloned() else { return Ok(()) };
    let view = packed["bufferView"].as_u64().and_then(|view| usize::try_from(view).ok());
    let view = view.and_then(|view| container.document.buffer_views.get(view)).ok_or("it has no bytes")?;
    let decoded = decode(container.range(view.buffer, view.byte_offset, view.byte_length)?)?;
    let points = decoded.num_points();
    let mut attributes: Map<String, Value> = Map::new();
    for (name, id) in packed["attributes"].as_object().into_iter().flatten() {
        let wanted = name == "POSITION" || name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
        let id = id.as_u64().and_then(|id| u32::try_from(id).ok()).filter(|_| wanted);
        let Some(attribute) = id.and_then(|id| decoded.attribute_by_unique_id(id)) else { continue };
        let width = if name == "POSITION" { 3 } else { 4 };
        let numbers = attribute.read_f32s(points, width);
        let accessor = primitive_accessor(container, mesh, index, name, &numbers, width);
        attributes.insert(name.clone(), Value::from(accessor));
    }
    let corners = decoded.faces().iter().flatten().flat_map(|corner| corner.0.to_le_bytes()).collect();
    let (view, count) = (container.add_view(corners), 3 * decoded.num_faces());
    let indices = container.add_accessor(view, UNSIGNED_INT, count, "SCALAR");
    let primitive = &mut container.document.meshes[mesh].primitives[index];
    primitive.attributes.extend(attributes);
    (primitive.indices, primitive.mode) = (Some(indices), Some(4));
    primitive.extensions.remove(DRACO);
    Ok(())
}

/// Numbers of an attribute as an accessor of their own. Joints are whole numbers; weights that were stored as such are shares.
fn primitive_accessor(
    container: &mut Container,
    mesh: usize,
    index: usize,
    name: &str,
    numbers: &[f32],
    width: usize,
) -> usize {
    let kind = if width == 3 { "VEC3" } else { "VEC4" };
    let count = numbers.len() / width;
    if name.starts_with("JOINTS_") {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // at most 16 bits in a sound file; the cast saturates
        let shorts = numbers.iter().flat_map(|joint| (*joint as u16).to_le_bytes()).collect();
        let view = container.add_view(shorts);
        return container.add_accessor(view, UNSIGNED_SHORT, count, kind);
    }
    let primitive: &Primitive = &container.document.meshes[mesh].primitives[index];
    let stated = primitive.attribute(name).and_then(|accessor| container.document.accessors.get(accessor));
    let largest = match stated.filter(|accessor| accessor.normalized).map(|accessor| accessor.component_type)
    {
        Some(5121) => f32::from(u8::MAX),
        Some(UNSIGNED_SHORT) => f32::from(u16::MAX),
        _ => 1.0,
    };
    let view = container.add_view(numbers.iter().flat_map(|x| (x / largest).to_le_bytes()).collect());
    container.add_accessor(view, FLOAT, count, kind)
}

fn decode(bytes: &[u8]) -> Result<Mesh, String> {
    let limits = DecodeLimits::default().with_max_points(MOST_POINTS).with_max_faces(MOST_POINTS);
    let limits = limits.with_max_decoded_bytes(MOST_BYTES as u64);
    let mut mesh = Mesh::new();
    let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
    MeshDecoder::new().decode(&mut buffer, &mut mesh).map_err(|error| error.to_string())?;
    Ok(mesh)
}

impl Container {
    /// Bytes of a buffer.
    fn range(&self, buffer: usize, at: usize, length: usize) -> Result<&[u8], String> {
        let all = self.buffers.get(buffer).ok_or_else(|| format!("there is no buffer {buffer}"))?;
        let end = at.checked_add(length).filter(|&end| end <= all.len());
        end.map(|end| &all[at..end])
            .ok_or_else(|| format!("it reaches beyond the {} bytes of its buffer", all.len()))
    }

    /// A view of all of a new buffer.
    fn add_buffer(&mut self, bytes: Vec<u8>) -> BufferView {
        let byte_length = bytes.len();
        self.buffers.push(bytes);
        self.document.buffers.push(Buffer { uri: None, byte_length, extensions: Map::new() });
        let buffer = self.buffers.len() - 1;
        BufferView { buffer, byte_offset: 0, byte_length, byte_stride: None, extensions: Map::new() }
    }

    fn add_view(&mut self, bytes: Vec<u8>) -> usize {
        let view = self.add_buffer(bytes);
        self.document.buffer_views.push(view);
        self.document.buffer_views.len() - 1
    }

    fn add_accessor(&mut self, view: usize, component_type: u32, count: usize, kind: &str) -> usize {
        self.document.accessors.push(Accessor {
            buffer_view: Some(view),
            byte_offset: 0,
            component_type,
            normalized: false,
            count,
            kind: kind.to_owned(),
            sparse: None,
        });
        self.document.accessors.len() - 1
    }
}
