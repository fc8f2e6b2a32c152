//! STL: 80 bytes of header, a count, then 50 bytes for each triangle; or the same in words.

use super::{Soup, coordinate, lines, point};
use crate::FormatError;
use gambol_model::Vec3;

const HEADER: usize = 84;
const TRIANGLE: usize = 50;

/// A file whose length fits its count is binary, whatever its header says: many binary files start with `solid`.
pub(super) fn read(path: &str, bytes: &[u8]) -> Result<Soup, FormatError> {
    let count = bytes.get(80..HEADER).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    if let Some(count) = count
        && bytes.len() as u64 == HEADER as u64 + u64::from(count) * TRIANGLE as u64
    {
        return binary(path, &bytes[HEADER..]);
    }
    if bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        return text(path, &String::from_utf8_lossy(bytes));
    }
    let length = bytes.len();
    let reason = match count {
        None => format!("it is {length} bytes long, too short for an STL file"),
        Some(count) => {
            let needed = HEADER as u64 + u64::from(count) * TRIANGLE as u64;
            format!("it claims {count} triangles, which take {needed} bytes, but is {length} bytes long")
        }
    };
    Err(FormatError::new(path, reason))
}

fn binary(path: &str, triangles: &[u8]) -> Result<Soup, FormatError> {
    if triangles.is_empty() {
        return Err(FormatError::new(path, "it has no triangles"));
    }
    // Each triangle: normal (ignored), three corners, two bytes of attributes (ignored).
    let corners = |triangle: &[u8; TRIANGLE]| [12, 24, 36].map(|at| point(&triangle[at..at + 12]));
    Ok(soup(triangles.as_chunks::<TRIANGLE>().0.iter().flat_map(corners).collect()))
}

fn text(path: &str, text: &str) -> Result<Soup, FormatError> {
    let mut vertices = Vec::new();
    let mut ended = false;
    for (number, line) in lines(text) {
        let error = |reason: String| Err(FormatError::new(path, reason).at_line(number));
        let mut words = line.split_ascii_whitespace();
        let keyword = words.next().unwrap_or_default().to_ascii_lowercase();
        match keyword.as_str() {
            "vertex" => {
                let mut next = || coordinate(path, number, words.next());
                vertices.push(Vec3::new(next()?, next()?, next()?));
            }
            "facet" | "endfacet" if vertices.len() % 3 != 0 => {
                return error("a facet needs three vertices".into());
            }
            "endsolid" => ended = true,
            "" | "solid" | "facet" | "outer" | "endloop" | "endfacet" => {}
            other => return error(format!("{:?} is no STL", other.chars().take(20).collect::<String>())),
        }
    }
    if vertices.is_empty() {
        return Err(FormatError::new(path, "it has no triangles"));
    }
    if !ended || vertices.len() % 3 != 0 {
        return Err(FormatError::new(path, "it ends before its last facet and `endsolid`"));
    }
    Ok(soup(vertices))
}

/// Three vertices in a row are a triangle.
fn soup(vertices: Vec<Vec3>) -> Soup {
    let count = u32::try_from(vertices.len() / 3).unwrap_or(u32::MAX / 3);
    let faces = (0..count).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    Soup { vertices, faces, note: None }
}
