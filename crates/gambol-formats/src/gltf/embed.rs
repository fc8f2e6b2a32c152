//! A file of the user as another kind of file: all in one, whatever it names beside it.

use serde_json::Value;

use super::data_uri::data_uri;
use super::splice::Splice;
use super::{GltfSource, container};
use crate::{Files, FormatError};

/// A mark that some programs put before a text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

impl GltfSource {
    /// The JSON. An error is a reason in words.
    pub(super) fn text(&self) -> Result<&str, String> {
        let (Self::Glb { json, .. } | Self::Gltf { json }) = self;
        let text = std::str::from_utf8(json).map_err(|_| "the JSON is not UTF-8".to_owned())?;
        Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
    }

    /// The same as a binary file that needs no other: what it names beside it is put into it. The first buffer becomes the
    /// binary chunk, all else data URIs. `path` is where the file was read from.
    pub fn to_glb(&self, files: &dyn Files, path: &str) -> Result<Self, FormatError> {
        let (text, document) = self.parse(path)?;
        let mut splice = Splice::new(text);
        let mut bin = match self {
            Self::Glb { bin, .. } => bin.clone(),
            Self::Gltf { .. } => None,
        };
        let mut moved = 0;
        if let (None, Some(uri)) = (&bin, document["buffers"][0]["uri"].as_str()) {
            bin = Some(container::fetch(files, path, uri)?);
            moved = 1;
            let buffer = splice
                .member(&splice.root(), "buffers")
                .and_then(|all| splice.items(&all).into_iter().next());
            if let Some(buffer) = buffer {
                splice.remove_member(&buffer, "uri");
            }
        }
        embed(&mut splice, &document, files, path, moved)?;
        Ok(Self::Glb { json: splice.finish().into_bytes(), bin })
    }

    /// The same as a text file that needs no other: binary parts become data URIs.
    pub fn to_gltf(&self, files: &dyn Files, path: &str) -> Result<Self, FormatError> {
        let (text, document) = self.parse(path)?;
        let mut splice = Splice::new(text);
        if let (Self::Glb { bin: Some(bin), .. }, true) = (self, document["buffers"][0]["uri"].is_null()) {
            let buffer = splice
                .member(&splice.root(), "buffers")
                .and_then(|all| splice.items(&all).into_iter().next());
            if let Some(buffer) = buffer {
                let length =
                    document["buffers"][0]["byteLength"].as_u64().and_then(|n| usize::try_from(n).ok());
                let bytes = &bin[..length.unwrap_or(bin.len()).min(bin.len())];
                let uri = Value::from(data_uri("application/octet-stream", bytes));
                splice.insert_last(&buffer, format!("\"uri\":{uri}"));
            }
        }
        embed(&mut splice, &document, files, path, 0)?;
        Ok(Self::Gltf { json: splice.finish().into_bytes() })
    }

    /// Whether it names files beside it.
    pub fn names_files(&self) -> bool {
        let document: Value =
            self.text().ok().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        ["buffers", "images"].iter().any(|key| {
            let all = document[*key].as_array().into_iter().flatten();
            all.filter_map(|entry| entry["uri"].as_str()).any(|uri| !uri.starts_with("data:"))
        })
    }

    fn parse(&self, path: &str) -> Result<(&str, Value), FormatError> {
        let text = self.text().map_err(|reason| FormatError::new(path, reason))?;
        let document = serde_json::from_str(text)
            .map_err(|error| FormatError::new(path, format!("not JSON: {error}")))?;
        Ok((text, document))
    }
}

/// Makes data URIs of all files that buffers, after the first `skip`, and images name.
fn embed(
    splice: &mut Splice,
    document: &Value,
    files: &dyn Files,
    path: &str,
    skip: usize,
) -> Result<(), FormatError> {
    for (key, skip) in [("buffers", skip), ("images", 0)] {
        let Some(all) = splice.member(&splice.root(), key) else { continue };
        for (index, span) in splice.items(&all).into_iter().enumerate().skip(skip) {
            let entry = &document[key][index];
            let Some(uri) = entry["uri"].as_str().filter(|uri| !uri.starts_with("data:")) else { continue };
            let bytes = container::fetch(files, path, uri)?;
            let kind = if key == "buffers" { "application/octet-stream" } else { image_type(entry, uri) };
            if let Some(place) = splice.member(&span, "uri") {
                splice.replace(place, Value::from(data_uri(kind, &bytes)).to_string());
            }
        }
    }
    Ok(())
}

fn image_type<'v>(image: &'v Value, uri: &str) -> &'v str {
    let ending = uri.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    image["mimeType"].as_str().unwrap_or(match ending.as_str() {
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ktx2" => "image/ktx2",
        _ => "image/png",
    })
}
