//! The binary part of a glTF: views and accessors.

use serde_json::{Value, json};

use crate::clip::ClipFileError;

/// What glTF calls the types of numbers.
#[derive(Clone, Copy)]
pub(super) enum Component {
    UnsignedByte = 5121,
    UnsignedShort = 5123,
    UnsignedInt = 5125,
    Float = 5126,
}

/// What a view is for; the rest is read by the processor alone.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    Vertices = 34962,
    Indices = 34963,
}

/// Every view starts at a multiple of the largest number, as accessors must.
const ALIGNMENT: usize = 4;

/// The bytes, and the JSON that says what they are.
#[derive(Default)]
pub(crate) struct Buffer {
    /// What the file holds already.
    pub(crate) start: Start,
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: Vec<Value>,
    pub(crate) accessors: Vec<Value>,
}

/// Where new entries of a file begin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Start {
    /// The buffer that the bytes go to.
    pub(crate) buffer: usize,
    /// Bytes that it has, a multiple of four.
    pub(crate) bytes: usize,
    pub(crate) views: usize,
    pub(crate) accessors: usize,
}

impl Buffer {
    /// Adds an accessor with a view of its own and returns its index. `kind` is glTF's, e.g. `VEC3`.
    pub(super) fn push(
        &mut self,
        (component, kind): (Component, &str),
        count: usize,
        bytes: &[u8],
        target: Option<Target>,
    ) -> Result<usize, ClipFileError> {
        within_u32("entries of an array", count)?;
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
        let offset = self.start.bytes + self.bytes.len();
        let mut view =
            json!({ "buffer": self.start.buffer, "byteOffset": offset, "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target as u32);
        }
        self.bytes.extend_from_slice(bytes);
        within_u32("bytes", offset + bytes.len())?;
        self.views.push(view);
        self.accessors.push(json!({
            "bufferView": self.start.views + self.views.len() - 1,
            "componentType": component as u32,
            "count": count,
            "type": kind,
        }));
        Ok(self.start.accessors + self.accessors.len() - 1)
    }

    /// Adds vectors of `N` numbers.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        vectors: &[[f32; N]],
        target: Option<Target>,
    ) -> Result<usize, ClipFileError> {
        let kind = match N {
            1 => "SCALAR",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        self.push((Component::Float, kind), vectors.len(), &bytes, target)
    }

    /// Adds vectors of `N` small whole numbers. Only samples and FBX have skins to write, and not every machine reads FBX.
    #[allow(dead_code)]
    pub(crate) fn shorts<const N: usize>(&mut self, vectors: &[[u16; N]]) -> Result<usize, ClipFileError> {
        let kind = if N == 1 { "SCALAR" } else { "VEC4" };
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        self.push((Component::UnsignedShort, kind), vectors.len(), &bytes, None)
    }

    /// Adds whole numbers of 32 bits, for FBX too.
    #[allow(dead_code)]
    pub(crate) fn longs(&mut self, numbers: &[u32]) -> Result<usize, ClipFileError> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.push((Component::UnsignedInt, "SCALAR"), numbers.len(), &bytes, Some(Target::Indices))
    }

    /// Writes the least and the largest of each number into the accessor of `vectors`, where glTF asks for them.
    pub(crate) fn bound<const N: usize>(&mut self, accessor: usize, vectors: &[[f32; N]]) {
        let own = accessor - self.start.accessors;
        let fold = |pick: fn(f32, f32) -> f32| {
            let picked = vectors.iter().copied().reduce(|a, b| std::array::from_fn(|k| pick(a[k], b[k])));
            Value::from(picked.map_or_else(Vec::new, |all| all.to_vec()))
        };
        self.accessors[own]["min"] = fold(f32::min);
        self.accessors[own]["max"] = fold(f32::max);
    }
}

/// glTF counts with 32 bits.
pub(super) fn within_u32(what: &'static str, count: usize) -> Result<u32, ClipFileError> {
    let most = u32::MAX as usize;
    u32::try_from(count).map_err(|_| ClipFileError::TooMany { what, count, format: "glTF", most })
}
