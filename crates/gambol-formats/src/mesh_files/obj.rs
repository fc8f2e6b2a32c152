//! Wavefront OBJ: vertices and polygons; normals, textures, materials and lines are passed over,
//! and all objects and groups are one mesh.

use super::{Soup, coordinate, lines};
use crate::FormatError;
use gambol_model::Vec3;

/// Cutting a polygon into triangles takes up to the cube of this many steps; no tool writes larger ones.
const MAX_CORNERS: usize = 1024;

struct Reader<'a> {
    path: &'a str,
    line: u32,
    vertices: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
    /// Polygons of four and more corners, cut up at the end when all vertices are known.
    polygons: Vec<(u32, Vec<u32>)>,
    /// Objects and groups that have faces.
    objects: usize,
    /// Faces have come since the last `o` or `g`.
    in_object: bool,
}

pub(super) fn read(path: &str, bytes: &[u8]) -> Result<Soup, FormatError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader {
        path,
        line: 0,
        vertices: Vec::new(),
        faces: Vec::new(),
        polygons: Vec::new(),
        objects: 0,
        in_object: false,
    };
    let mut continued = String::new();
    for (number, line) in lines(&text) {
        reader.line = number;
        // A line that ends in `\` goes on in the next.
        match line.trim_end().strip_suffix('\\') {
            Some(start) => {
                continued.push_str(start);
                continued.push(' ');
            }
            None if continued.is_empty() => reader.read_line(line)?,
            None => reader.read_line(&(std::mem::take(&mut continued) + line))?,
        }
    }
    reader.read_line(&continued)?;
    reader.finish()
}

impl Reader<'_> {
    fn error(&self, reason: impl Into<String>) -> FormatError {
        FormatError::new(self.path, reason).at_line(self.line)
    }

    fn read_line(&mut self, line: &str) -> Result<(), FormatError> {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || coordinate(self.path, self.line, words.next());
                self.vertices.push(Vec3::new(next()?, next()?, next()?));
            }
            Some("o" | "g") => self.in_object = false,
            Some("f") => {
                self.objects += usize::from(!self.in_object);
                self.in_object = true;
                let corners = words.map(|word| self.index(word)).collect::<Result<Vec<_>, _>>()?;
                match corners[..] {
                    [a, b, c] => self.faces.push([a, b, c]),
                    [] | [_] | [_, _] => {} // a point or a line encloses nothing
                    _ if corners.len() > MAX_CORNERS => {
                        let reason =
                            format!("a polygon of {} corners; the limit is {MAX_CORNERS}", corners.len());
                        return Err(self.error(reason));
                    }
                    _ => self.polygons.push((self.line, corners)),
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `7`, `7/1`, `7//2` or `7/1/2`: the first number counts vertices from 1, or back from the latest one if negative.
    fn index(&self, word: &str) -> Result<u32, FormatError> {
        let number = word.split('/').next().unwrap_or_default();
        let number: i64 =
            number.parse().map_err(|_| self.error(format!("{word:?} is not a vertex of a face")))?;
        let index = if number < 0 {
            i64::try_from(self.vertices.len()).unwrap_or(i64::MAX) + number
        } else {
            number - 1
        };
        u32::try_from(index).map_err(|_| self.error(format!("there is no vertex {number}")))
    }

    fn finish(mut self) -> Result<Soup, FormatError> {
        for (line, corners) in std::mem::take(&mut self.polygons) {
            self.line = line;
            if let Some(corner) = corners.iter().find(|corner| **corner as usize >= self.vertices.len()) {
                return Err(self.error(format!("there is no vertex {}", u64::from(*corner) + 1)));
            }
            self.cut(corners);
        }
        let several =
            format!("it has {} objects, of which MuJoCo reads only the first; all are used", self.objects);
        Ok(Soup { vertices: self.vertices, faces: self.faces, note: (self.objects > 1).then_some(several) })
    }

    fn at(&self, corner: u32) -> Vec3 {
        self.vertices[corner as usize]
    }

    /// Cuts a polygon into triangles where tinyobjloader, and so MuJoCo, cuts it; this matters when it is not flat.
    fn cut(&mut self, mut rest: Vec<u32>) {
        if let [a, b, c, d] = rest[..] {
            let shorter_ac =
                (self.at(a) - self.at(c)).norm_squared() < (self.at(b) - self.at(d)).norm_squared();
            let pair = if shorter_ac { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            self.faces.extend(pair);
            return;
        }
        let flat: Vec<[f64; 2]> = self.project(&rest);
        let turn = area(&flat);
        let mut flat: Vec<_> = flat.into_iter().zip(rest.iter().copied()).collect();
        let mut start = 0;
        let mut failures = 0;
        while flat.len() > 3 && failures < flat.len() {
            let count = flat.len();
            let ear = [0, 1, 2].map(|k| flat[(start + k) % count]);
            let others = (3..count).map(|k| flat[(start + k) % count].0);
            if is_ear(ear.map(|(p, _)| p), turn, others) {
                self.faces.push(ear.map(|(_, corner)| corner));
                flat.remove((start + 1) % count);
                failures = 0;
                start %= flat.len();
            } else {
                failures += 1;
                start = (start + 1) % count;
            }
        }
        // What is left has no ears when it crosses itself or has no area: a fan keeps the surface closed.
        rest.clear();
        rest.extend(flat.iter().map(|(_, corner)| *corner));
        self.faces.extend(rest[1..].windows(2).map(|pair| [rest[0], pair[0], pair[1]]));
    }

    /// The polygon seen along the axis that its first real corner faces most.
    fn project(&self, corners: &[u32]) -> Vec<[f64; 2]> {
        let point = |k: usize| self.at(corners[k % corners.len()]);
        let normals =
            (0..corners.len()).map(|k| (point(k + 1) - point(k)).cross(&(point(k + 2) - point(k + 1))).abs());
        let normal = normals.into_iter().find(|n| n.max() > f64::from(f32::EPSILON)).unwrap_or_else(Vec3::x);
        let axes = match normal.imax() {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        };
        corners.iter().map(|corner| axes.map(|axis| self.at(*corner)[axis])).collect()
    }
}

/// Twice the signed area.
fn area(polygon: &[[f64; 2]]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    polygon.iter().zip(next).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum()
}

/// Whether a corner bulges out and none of the other corners lies in its triangle.
fn is_ear(ear: [[f64; 2]; 3], turn: f64, mut others: impl Iterator<Item = [f64; 2]>) -> bool {
    area(&ear) * turn >= 0.0 && !others.any(|point| inside(&ear, point))
}

/// Whether a ray from `point` leaves the polygon an odd number of times.
fn inside(polygon: &[[f64; 2]; 3], point: [f64; 2]) -> bool {
    let mut inside = false;
    for k in 0..3 {
        let (p, q) = (polygon[k], polygon[(k + 2) % 3]);
        if (p[1] > point[1]) != (q[1] > point[1]) {
            let crossing = (q[0] - p[0]) * (point[1] - p[1]) / (q[1] - p[1]) + p[0];
            inside ^= point[0] < crossing;
        }
    }
    inside
}
