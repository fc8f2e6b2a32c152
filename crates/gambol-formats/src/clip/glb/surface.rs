//! Shapes as triangles with smooth normals.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use gambol_model::{Shape, TriMesh, Vec3, math};

/// Corners around a round shape: the outline is within a hundredth of the radius of round.
const AROUND: u32 = 24;
/// Rings from the pole of a ball to its equator; as far apart as the corners around.
const TO_EQUATOR: u32 = AROUND / 4;
/// Cosine of the angle between faces above which an edge of a mesh is a crease: 40°, between the facets of a round tube
/// (30° for 12 of them) and the bevels of machined parts (45°).
const CREASE: f64 = 0.766;
/// More faces than this around one vertex are all shaded flat, so that a hostile fan does not take for ever.
const MOST_FACES_AROUND: usize = 256;

/// A surface in the frame of its shape.
#[derive(Default)]
pub(super) struct Surface {
    /// m
    pub(super) vertices: Vec<Vec3>,
    /// One for each vertex, of length 1.
    pub(super) normals: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub(super) faces: Vec<[u32; 3]>,
}

impl Surface {
    pub(super) fn new(shape: &Shape) -> Self {
        match shape {
            Shape::Sphere { radius } => Self::ball(Vec3::repeat(*radius), 0.0),
            Shape::Ellipsoid { radii } => Self::ball(*radii, 0.0),
            Shape::Capsule { radius, half_length } => Self::ball(Vec3::repeat(*radius), *half_length),
            Shape::Cylinder { radius, half_length } => Self::cylinder(*radius, *half_length),
            Shape::Box { half } => Self::block(*half),
            Shape::Mesh { mesh, .. } => Self::mesh(mesh),
        }
    }

    fn vertex(&mut self, place: Vec3, normal: Vec3) {
        self.vertices.push(place);
        self.normals.push(normal);
    }

    /// An ellipsoid whose halves are moved apart along z by `half_length` each, with a tube between them.
    fn ball(radii: Vec3, half_length: f64) -> Self {
        let mut surface = Self::default();
        let mut point = |unit: Vec3, side: f64| {
            let place = radii.component_mul(&unit) + Vec3::z() * (half_length * side);
            surface.vertex(place, unit.component_div(&radii).normalize());
        };
        point(-Vec3::z(), -1.0);
        // An equator for each half, or one for both.
        let second = if half_length > 0.0 { TO_EQUATOR } else { TO_EQUATOR + 1 };
        let below = (1..=TO_EQUATOR).map(|ring| (ring, -1.0));
        let rings: Vec<(u32, f64)> = below.chain((second..2 * TO_EQUATOR).map(|ring| (ring, 1.0))).collect();
        for &(ring, side) in &rings {
            let (sine, cosine) = math::sin_cos(PI * f64::from(ring) / f64::from(2 * TO_EQUATOR));
            for around in circle() {
                point(around * sine - Vec3::z() * cosine, side);
            }
        }
        point(Vec3::z(), 1.0);
        surface.sew(u32::try_from(rings.len()).unwrap_or(u32::MAX));
        surface
    }

    /// Faces of a globe: a pole, `rings` rings from the bottom up, a pole.
    fn sew(&mut self, rings: u32) {
        let at = |ring: u32, around: u32| 1 + ring * AROUND + around % AROUND;
        let top = 1 + rings * AROUND;
        for k in 0..AROUND {
            self.faces.push([0, at(0, k + 1), at(0, k)]);
            for ring in 1..rings {
                let [a, b, c, d] = [at(ring - 1, k), at(ring - 1, k + 1), at(ring, k + 1), at(ring, k)];
                self.faces.extend([[a, b, c], [a, c, d]]);
            }
            self.faces.push([at(rings - 1, k), at(rings - 1, k + 1), top]);
        }
    }

    fn cylinder(radius: f64, half_length: f64) -> Self {
        let mut surface = Self::default();
        // Rims of the tube, then of the lids, whose normals differ; bottom before top.
        for lid in [false, true] {
            for z in [-1.0, 1.0] {
                for around in circle() {
                    let normal = if lid { Vec3::z() * z } else { around };
                    surface.vertex(around * radius + Vec3::z() * (z * half_length), normal);
                }
            }
        }
        for k in 0..AROUND {
            let next = (k + 1) % AROUND;
            surface.faces.extend([[k, next, AROUND + next], [k, AROUND + next, AROUND + k]]);
            if (1..AROUND - 1).contains(&k) {
                let (bottom, top) = (2 * AROUND, 3 * AROUND);
                surface.faces.extend([[bottom, bottom + next, bottom + k], [top, top + k, top + next]]);
            }
        }
        surface
    }

    fn block(half: Vec3) -> Self {
        let mut surface = Self::default();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let normal = Vec3::ith(axis, side);
                // Right-handed with the normal, so that the corners run counter-clockwise.
                let u = Vec3::ith((axis + 1) % 3, 1.0);
                let v = normal.cross(&u);
                let first = u32::try_from(surface.vertices.len()).unwrap_or(u32::MAX);
                for corner in [-u - v, u - v, u + v, v - u] {
                    surface.vertex(half.component_mul(&(normal + corner)), normal);
                }
                surface.faces.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
        surface
    }

    /// The triangles of a mesh. Where faces meet at less than the crease angle their normals are blended, each by its
    /// angle at the vertex; elsewhere the vertex is split.
    fn mesh(mesh: &TriMesh) -> Self {
        let mesh = mesh.merged();
        let corners_of = |face: &[u32; 3]| face.map(|v| mesh.vertices()[v as usize]);
        let normal_of = |face: &[u32; 3]| {
            let [a, b, c] = corners_of(face);
            (b - a).cross(&(c - a)).try_normalize(0.0)
        };
        // A triangle without area has no normal and cannot be seen.
        let (faces, normals): (Vec<_>, Vec<_>) =
            mesh.faces().iter().filter_map(|face| Some((*face, normal_of(face)?))).unzip();
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); mesh.vertices().len()];
        for (index, face) in faces.iter().enumerate() {
            for &vertex in face {
                around[vertex as usize].push(index);
            }
        }
        let blended = |face: usize, vertex: u32| {
            let near = &around[vertex as usize];
            if near.len() > MOST_FACES_AROUND {
                return normals[face];
            }
            let smooth = near.iter().filter(|&&other| normals[face].dot(&normals[other]) > CREASE);
            let sum: Vec3 = smooth
                .map(|&other| normals[other] * angle_at(vertex, &faces[other], &corners_of(&faces[other])))
                .sum();
            sum.try_normalize(0.0).unwrap_or(normals[face])
        };

        let mut surface = Self::default();
        let mut known: HashMap<(u32, [u64; 3]), u32> = HashMap::new();
        for (index, face) in faces.iter().enumerate() {
            let corners = face.map(|vertex| {
                let normal = blended(index, vertex);
                *known.entry((vertex, [0, 1, 2].map(|k| normal[k].to_bits()))).or_insert_with(|| {
                    surface.vertex(mesh.vertices()[vertex as usize], normal);
                    u32::try_from(surface.vertices.len() - 1).unwrap_or(u32::MAX)
                })
            });
            surface.faces.push(corners);
        }
        surface
    }
}

/// Directions around z.
fn circle() -> impl Iterator<Item = Vec3> {
    (0..AROUND).map(|k| {
        let (sine, cosine) = math::sin_cos(TAU * f64::from(k) / f64::from(AROUND));
        Vec3::new(cosine, sine, 0.0)
    })
}

/// Angle of a triangle at one of its vertices, rad.
fn angle_at(vertex: u32, face: &[u32; 3], corners: &[Vec3; 3]) -> f64 {
    let k = face.iter().position(|&v| v == vertex).unwrap_or(0);
    let (a, b) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
    math::atan2(a.cross(&b).norm(), a.dot(&b))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use gambol_model::MeshMass;

    /// Signed volume and area.
    fn measure(surface: &Surface) -> (f64, f64) {
        surface.faces.iter().fold((0.0, 0.0), |(volume, area), face| {
            let [a, b, c] = face.map(|v| surface.vertices[v as usize]);
            (volume + a.dot(&b.cross(&c)) / 6.0, area + 0.5 * (b - a).cross(&(c - a)).norm())
        })
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { radius: 0.1, half_length: 0.4 },
            Shape::Cylinder { radius: 0.2, half_length: 0.3 },
            Shape::Box { half: Vec3::new(0.1, 0.2, 0.3) },
            Shape::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.3) },
        ]
    }

    /// A closed surface with outward faces has the volume of its solid; inscribed, it has a little less.
    #[test]
    fn surfaces_are_closed_and_have_the_volume_of_their_solid() {
        for shape in shapes() {
            let surface = Surface::new(&shape);
            let mesh = TriMesh::new(surface.vertices.clone(), surface.faces.clone()).unwrap();
            assert_eq!(mesh.defect(), None, "{shape:?}");
            let (volume, _) = measure(&surface);
            let missing = 1.0 - volume / shape.volume();
            // With chords over θ = 2π/24 a circle lacks θ²/6 of its area, and a ball θ²/4 more by its rings.
            assert!((-1e-12..0.029).contains(&missing), "{shape:?} lacks {missing}");
        }
    }

    /// Normals have length 1, point out of each face that uses them, and are those of the solid: the solid's farthest
    /// point along the normal is no farther than the vertex itself.
    #[test]
    fn normals_are_those_of_the_solid() {
        for shape in shapes() {
            let surface = Surface::new(&shape);
            for (place, normal) in surface.vertices.iter().zip(&surface.normals) {
                assert!((normal.norm() - 1.0).abs() < 1e-12);
                let beyond = shape.support(*normal).dot(normal) - place.dot(normal);
                assert!(beyond.abs() < 1e-12, "{shape:?}: {beyond} at {place}");
            }
        }
    }

    /// A tube of a mesh is shaded round and its rims sharp, with no more vertices than our own cylinder; a cube is sharp
    /// all over.
    #[test]
    fn meshes_are_smooth_but_for_their_creases() {
        for shape in [shapes().remove(2), shapes().remove(3)] {
            let ours = Surface::new(&shape);
            let mesh = TriMesh::new(ours.vertices.clone(), ours.faces.clone()).unwrap();
            let read = Surface::new(&Shape::Mesh { mesh: Arc::new(mesh), mass: MeshMass::Exact });
            assert_eq!(read.vertices.len(), ours.vertices.len(), "{shape:?}");
            assert_eq!(measure(&read), measure(&ours));
            for (place, normal) in read.vertices.iter().zip(&read.normals) {
                let same = ours.vertices.iter().zip(&ours.normals).filter(|(other, _)| *other == place);
                let best = same.map(|(_, other)| other.dot(normal)).fold(-1.0, f64::max);
                assert!(best > 1.0 - 1e-12, "{shape:?} at {place}: {best}");
            }
        }
    }

    /// A triangle without area is left out, and a fan with a thousand blades ends.
    #[test]
    fn bad_meshes_are_drawn_as_well_as_they_can_be() {
        let mut vertices = vec![Vec3::zeros()];
        vertices.extend((0..1001).map(|k| {
            let (y, x) = math::sin_cos(TAU * f64::from(k) / 1001.0);
            Vec3::new(x, y, 0.2 * x * y)
        }));
        let mut faces: Vec<[u32; 3]> = (1..1001).map(|k| [0, k, k + 1]).collect();
        faces.push([3, 3, 4]);
        let mesh = TriMesh::new(vertices, faces).unwrap();
        let surface = Surface::mesh(&mesh);
        assert_eq!(surface.faces.len(), 1000);
        assert!(surface.normals.iter().all(|normal| (normal.norm() - 1.0).abs() < 1e-12));
    }
}
