//! MSH, MuJoCo's own binary meshes: the numbers of vertices, normals, texture coordinates and faces, then each.

use super::{Soup, point, words};
use crate::FormatError;

const HEADER: usize = 16;

pub(super) fn read(path: &str, bytes: &[u8]) -> Result<Soup, FormatError> {
    let Some((header, body)) = bytes.split_at_checked(HEADER) else {
        let reason = format!("it is {} bytes long, too short for an MSH file", bytes.len());
        return Err(FormatError::new(path, reason));
    };
    // As unsigned numbers, a negative count is a large one and does not fit the length either.
    let mut counts = words(header).map(|word| u64::from(u32::from_le_bytes(word)));
    let mut next = || counts.next().unwrap_or_default();
    let [vertices, normals, texcoords, faces] = [next(), next(), next(), next()];
    let needed = 12 * vertices + 12 * normals + 8 * texcoords + 12 * faces;
    if needed != body.len() as u64 {
        let reason = format!(
            "it claims {vertices} vertices, {normals} normals, {texcoords} texture coordinates and {faces} faces, \
             which take {} bytes, but is {} bytes long",
            needed + HEADER as u64,
            bytes.len()
        );
        return Err(FormatError::new(path, reason));
    }
    // What fits the length of a file in memory fits `usize`.
    let length = |words: u64| usize::try_from(4 * words).unwrap_or(usize::MAX);
    let points = &body[..length(3 * vertices)];
    let indices = &body[body.len() - length(3 * faces)..];
    let vertices = points.as_chunks::<12>().0.iter().map(|p| point(p)).collect();
    let index =
        |face: &[u8; 12], at: usize| u32::from_le_bytes([face[at], face[at + 1], face[at + 2], face[at + 3]]);
    let faces = indices.as_chunks::<12>().0.iter().map(|face| [0, 4, 8].map(|at| index(face, at))).collect();
    Ok(Soup { vertices, faces, note: None })
}
