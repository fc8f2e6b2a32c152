//! Triangle meshes from STL, OBJ and MuJoCo's MSH files.
//!
//! The readers are our own: each is a page, none reserves memory by the counts that a file claims, and polygons are cut
//! and files told apart as MuJoCo does it. Coordinates are rounded to 32 bits, as in STL and MSH and as MuJoCo does with
//! those of OBJ, so that masses agree to the last digit.

mod msh;
mod obj;
mod stl;

use gambol_model::{TriMesh, Vec3};

use crate::{Files, FormatError};

/// What a reader found.
#[derive(Debug, Default)]
struct Soup {
    vertices: Vec<Vec3>,
    /// Empty if the file has only vertices.
    faces: Vec<[u32; 3]>,
    /// Something the user should know.
    note: Option<String>,
}

/// Reads a triangle mesh. The extension tells the format: `.stl` (binary or text), `.obj` or `.msh`. A file without
/// faces stands for the convex hull of its points, as in MuJoCo.
pub fn read(files: &dyn Files, path: &str) -> Result<TriMesh, FormatError> {
    read_with_note(files, path).map(|(mesh, _)| mesh)
}

/// As [`read`], with a note where MuJoCo would read the file otherwise.
pub fn read_with_note(files: &dyn Files, path: &str) -> Result<(TriMesh, Option<String>), FormatError> {
    // The format first: a file that cannot be understood need not be there.
    reader(path)?;
    parse(path, &files.read(path)?)
}

/// The mesh in a file whose content is at hand; `path` tells the format and stands for the file in messages.
pub fn parse(path: &str, bytes: &[u8]) -> Result<(TriMesh, Option<String>), FormatError> {
    let Soup { vertices, faces, note } = reader(path)?(path, bytes)?;
    let mesh = if faces.is_empty() { TriMesh::hull_of(&vertices) } else { TriMesh::new(vertices, faces) };
    let mesh = mesh.map_err(|error| FormatError::new(path, error.reason))?;
    // STL repeats each vertex for each of its triangles; the other formats say themselves which are one.
    Ok((if extension(path) == "stl" { mesh.merged() } else { mesh }, note))
}

type Reader = fn(&str, &[u8]) -> Result<Soup, FormatError>;

fn reader(path: &str) -> Result<Reader, FormatError> {
    match extension(path).as_str() {
        "stl" => Ok(stl::read),
        "obj" => Ok(obj::read),
        "msh" => Ok(msh::read),
        "" => Err(FormatError::new(path, "a mesh file needs the extension .stl, .obj or .msh")),
        other => {
            let reason =
                format!("meshes in .{other} files are not supported; convert it to .stl, .obj or .msh");
            Err(FormatError::new(path, reason))
        }
    }
}

/// Whether [`read`] knows the format of this file.
pub fn supported(path: &str) -> bool {
    matches!(extension(path).as_str(), "stl" | "obj" | "msh")
}

fn extension(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
}

/// Little-endian 32-bit words; the caller has checked the length.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.as_chunks::<4>().0.iter().copied()
}

/// A point from three words.
fn point(bytes: &[u8]) -> Vec3 {
    Vec3::from_iterator(
        words(bytes).chain([[0; 4]; 3]).map(|word| f64::from(f32::from_le_bytes(word))).take(3),
    )
}

/// A coordinate in a text file, rounded to 32 bits.
fn coordinate(path: &str, line: u32, word: Option<&str>) -> Result<f64, FormatError> {
    let error = |reason: String| FormatError::new(path, reason).at_line(line);
    let word = word.ok_or_else(|| error("a vertex needs three numbers".into()))?;
    let number: f64 = word.parse().map_err(|_| error(format!("{word:?} is not a number")))?;
    #[allow(clippy::cast_possible_truncation)] // the rounding is meant
    let rounded = number as f32;
    Ok(f64::from(rounded))
}

/// Text lines with their numbers, counted from 1.
fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.lines().enumerate().map(|(index, line)| (u32::try_from(index + 1).unwrap_or(u32::MAX), line))
}

#[cfg(test)]
mod tests;
