//! From bytes to a document and its buffers: GLB chunks, data URIs and files beside it.

use super::data_uri;
use super::json::{Buffer, Document};
use super::rig::GltfSource;
use super::unpack::unpack;
use crate::fbx::{is_fbx, to_glb};
use crate::{Files, FormatError};

/// `glTF`, little-endian.
const MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// Whether these bytes are a glTF file: a GLB, or JSON with an asset in it.
pub(crate) fn is_gltf(bytes: &[u8]) -> bool {
    if bytes.starts_with(MAGIC) {
        return true;
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// A document with all its buffers.
pub(super) struct Container {
    /// As the user names it.
    pub(super) path: String,
    pub(super) document: Document,
    pub(super) buffers: Vec<Vec<u8>>,
}

impl Container {
    pub(super) fn error(&self, reason: impl Into<String>) -> FormatError {
        FormatError::new(&self.path, reason)
    }
}

/// Reads the file, fetches its buffers and unpacks what is compressed in them.
pub(super) fn open(files: &dyn Files, path: &str) -> Result<(Container, GltfSource), FormatError> {
    let mut bytes = files.read(path)?;
    if is_fbx(&bytes) {
        bytes = to_glb(path, &bytes)?;
    }
    let source =
        if bytes.starts_with(MAGIC) { chunks(path, &bytes)? } else { GltfSource::Gltf { json: bytes } };
    let json = match &source {
        GltfSource::Glb { json, .. } | GltfSource::Gltf { json } => json,
    };
    let text = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let document: Document = serde_json::from_slice(text).map_err(|error| {
        let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
        FormatError::new(path, format!("this is not a glTF document: {error}")).at_line(line)
    })?;
    let mut container = Container { path: path.to_owned(), document, buffers: Vec::new() };
    check(&container)?;
    container.buffers = buffers(files, &container, &source)?;
    unpack(&mut container)?;
    Ok((container, source))
}

/// Cuts a GLB into its chunks.
fn chunks(path: &str, bytes: &[u8]) -> Result<GltfSource, FormatError> {
    let error = |reason: String| FormatError::new(path, reason);
    let word = |at: usize| {
        bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).ok_or_else(|| {
            error(format!("the GLB ends after {} bytes, in the middle of a header", bytes.len()))
        })
    };
    let (version, length) = (word(4)?, word(8)? as usize);
    if version != 2 {
        return Err(error(format!("this is GLB version {version}; version 2 is read")));
    }
    if length > bytes.len() {
        return Err(error(format!("the GLB says it has {length} bytes, but the file has {}", bytes.len())));
    }
    let (mut json, mut bin) = (None, None);
    let mut at = 12;
    while at + 8 <= length {
        let (size, kind) = (word(at)? as usize, word(at + 4)?);
        let end = (at + 8).checked_add(size).filter(|&end| end <= length).ok_or_else(|| {
            error(format!("a chunk of {size} bytes does not fit into the {length} bytes of the GLB"))
        })?;
        let chunk = bytes[at + 8..end].to_vec();
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(chunk),
            BIN_CHUNK if bin.is_none() => bin = Some(chunk),
            _ => {} // the standard asks to pass over chunks that one does not know
        }
        at = end;
    }
    let json = json.ok_or_else(|| error("the GLB has no JSON chunk".into()))?;
    Ok(GltfSource::Glb { json, bin })
}

/// What cannot be read is said by name.
fn check(container: &Container) -> Result<(), FormatError> {
    let document = &container.document;
    if !document.asset.version.starts_with("2.") {
        let version = &document.asset.version;
        return Err(container.error(format!("this is glTF version {version}; version 2 is read")));
    }
    Ok(())
}

fn buffers(
    files: &dyn Files,
    container: &Container,
    source: &GltfSource,
) -> Result<Vec<Vec<u8>>, FormatError> {
    let mut all = Vec::with_capacity(container.document.buffers.len());
    for (index, buffer) in container.document.buffers.iter().enumerate() {
        let bytes = match (&buffer.uri, source) {
            (Some(uri), _) => fetch(files, &container.path, uri)?,
            (None, GltfSource::Glb { bin: Some(bin), .. }) if index == 0 => bin.clone(),
            // A buffer that compressed views would fill: nobody has to bring its bytes.
            (None, _) if is_fallback(buffer) => {
                all.push(Vec::new());
                continue;
            }
            (None, _) => {
                return Err(container.error(format!("buffer {index} has neither a URI nor a binary chunk")));
            }
        };
        if bytes.len() < buffer.byte_length {
            return Err(container.error(format!(
                "buffer {index} says it has {} bytes, but there are {}",
                buffer.byte_length,
                bytes.len()
            )));
        }
        all.push(bytes);
    }
    Ok(all)
}

/// Whether a buffer stands only for what compressed views hold.
fn is_fallback(buffer: &Buffer) -> bool {
    buffer.extensions.values().any(|extension| extension["fallback"] == true)
}

/// The bytes of a data URI, or of a file in the folder of the document.
pub(super) fn fetch(files: &dyn Files, path: &str, uri: &str) -> Result<Vec<u8>, FormatError> {
    let error = |reason: &str| FormatError::new(path, reason);
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, text) = data.split_once(',').unwrap_or((data, ""));
        if !kind.ends_with(";base64") {
            return Err(error("a data URI is not base64"));
        }
        return data_uri::decode(text).ok_or_else(|| error("the base64 of a data URI is broken"));
    }
    let name = percent_decoded(uri);
    let scheme = name.split(['/', '\\']).next().is_some_and(|first| first.contains(':'));
    if scheme || name.starts_with(['/', '\\']) {
        return Err(error(&format!("{uri:?} is not a file in the folder of the document")));
    }
    // Beside the document, wherever that is.
    let beside = match path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name,
    };
    files.read(&beside)
}

/// `%20` and the like; what is no escape stays.
fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], escape.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_the_standard() {
        assert_eq!(percent_decoded("my%20fox%2.bin"), "my fox%2.bin");
    }
}
