//! Convex hulls by quickhull (Barber, Dobkin, Huhdanpaa 1996, section 2) with exact orientation tests.
//!
//! With exact tests a point is outside of the hull if and only if some facet sees it, the facets that see it are one
//! patch, and no triangle over the rim of that patch is degenerate; no tolerances are needed. The hulls of
//! parry3d 0.31 were tried first and had volumes up to 19 % wrong on meshes of real robots, where many points lie
//! almost in one plane.

use std::collections::HashMap;

use robust::{Coord3D, orient3d};

use super::{TriMesh, bounding_box, check_vertices, error, merge};
use crate::{ModelError, Vec3, math};

/// Hulls with less volume than this fraction of their size cubed are flat: rounding alone makes them that thick.
const FLAT: f64 = 1e-14;

impl TriMesh {
    /// The convex hull of points: what a mesh without faces stands for in MuJoCo. An error if there are fewer than
    /// four different points or all lie in a plane.
    pub fn hull_of(points: &[Vec3]) -> Result<Self, ModelError> {
        check_vertices(points)?;
        let (points, _) = merge(points);
        if points.len() < 4 {
            return Err(error(format!("it has {} different points; a convex hull needs 4", points.len())));
        }
        let hull = Hull::of(&points).ok_or_else(flat)?.into_mesh()?;
        let size = bounding_box(&hull.vertices).0.max();
        if hull.signed_volume() <= FLAT * math::powi(size, 3) { Err(flat()) } else { Ok(hull) }
    }

    /// The convex hull; an error if all vertices lie in a plane.
    pub fn convex_hull(&self) -> Result<Self, ModelError> {
        Self::hull_of(&self.vertices)
    }
}

fn flat() -> ModelError {
    error("its points lie in a plane or on a line, so it has no convex hull")
}

struct Facet {
    /// Counter-clockwise seen from outside.
    corners: [u32; 3],
    /// The facet across the edge from corner k to corner k + 1.
    neighbours: [usize; 3],
    /// Points that this facet sees and that no other facet has in its list.
    outside: Vec<u32>,
    removed: bool,
}

/// An edge between what the new point sees and what it does not see, directed as in the facet that goes.
struct RimEdge {
    from: u32,
    to: u32,
    /// The facet that stays.
    beyond: usize,
}

struct Hull<'a> {
    points: &'a [Vec3],
    facets: Vec<Facet>,
}

impl<'a> Hull<'a> {
    /// The hull of at least four points; `None` if they lie in a plane.
    fn of(points: &'a [Vec3]) -> Option<Self> {
        let mut hull = Self { points, facets: Vec::new() };
        let tetrahedron = hull.first_tetrahedron()?;
        hull.start(tetrahedron);
        let mut next = 0;
        while next < hull.facets.len() {
            if !hull.facets[next].removed
                && let Some(point) = hull.farthest(next)
            {
                hull.add(point, next)?;
            }
            next += 1;
        }
        Some(hull)
    }

    fn at(&self, point: u32) -> Vec3 {
        self.points[point as usize]
    }

    /// Whether `point` lies strictly on the outer side of the plane of a triangle.
    fn sees(&self, corners: [u32; 3], point: u32) -> bool {
        self.orientation(corners, point) < 0.0
    }

    /// Negative if `point` is on the side from which the corners look counter-clockwise; the sign is exact.
    fn orientation(&self, corners: [u32; 3], point: u32) -> f64 {
        let coordinates = |index: u32| {
            let p = self.at(index);
            Coord3D { x: p.x, y: p.y, z: p.z }
        };
        let [a, b, c] = corners.map(coordinates);
        orient3d(a, b, c, coordinates(point))
    }

    /// The point for which `measure` is largest; the first one among equals.
    fn largest(&self, measure: impl Fn(Vec3) -> f64) -> u32 {
        let mut best = (0, f64::NEG_INFINITY);
        for (index, point) in (0..).zip(self.points) {
            let value = measure(*point);
            if value > best.1 {
                best = (index, value);
            }
        }
        best.0
    }

    /// Four points far apart, the last one below the first three.
    fn first_tetrahedron(&self) -> Option<[u32; 4]> {
        let a = self.largest(|p| -p.x);
        let from_a = |p: Vec3| p - self.at(a);
        let b = self.largest(|p| from_a(p).norm_squared());
        let ab = from_a(self.at(b));
        let c = self.largest(|p| ab.cross(&from_a(p)).norm_squared());
        let normal = ab.cross(&from_a(self.at(c)));
        let d = self.largest(|p| normal.dot(&from_a(p)).abs());
        let side = self.orientation([a, b, c], d);
        match side {
            side if side > 0.0 => Some([a, b, c, d]),
            side if side < 0.0 => Some([a, c, b, d]),
            _ => None,
        }
    }

    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        let facet = |corners, neighbours| Facet { corners, neighbours, outside: Vec::new(), removed: false };
        self.facets.push(facet([a, b, c], [1, 2, 3]));
        self.facets.push(facet([b, a, d], [0, 3, 2]));
        self.facets.push(facet([c, b, d], [0, 1, 3]));
        self.facets.push(facet([a, c, d], [0, 2, 1]));
        let count = u32::try_from(self.points.len()).unwrap_or(u32::MAX);
        self.assign((0..count).filter(|point| ![a, b, c, d].contains(point)), 0);
    }

    /// Gives each point to one facet, from number `first` on, that sees it. What none of them sees is inside.
    fn assign(&mut self, points: impl Iterator<Item = u32>, first: usize) {
        for point in points {
            let seen_by =
                (first..self.facets.len()).find(|facet| self.sees(self.facets[*facet].corners, point));
            if let Some(facet) = seen_by {
                self.facets[facet].outside.push(point);
            }
        }
    }

    /// The farthest of the points that a facet has in its list.
    fn farthest(&self, facet: usize) -> Option<u32> {
        let facet = &self.facets[facet];
        let [a, b, c] = facet.corners.map(|corner| self.at(corner));
        let normal = (b - a).cross(&(c - a));
        let height = |point: u32| normal.dot(&(self.at(point) - a));
        facet.outside.iter().copied().max_by(|p, q| height(*p).total_cmp(&height(*q)).then(q.cmp(p)))
    }

    /// Extends the hull to `point`, which `facet` sees: what it sees goes, a cone over the rim of that comes.
    /// `None` if the tests contradict each other, which only numbers beyond the range of f64 products can cause.
    fn add(&mut self, point: u32, facet: usize) -> Option<()> {
        let (patch, rim) = self.visible_patch(point, facet);
        let first = self.facets.len();
        let starts: HashMap<u32, usize> =
            rim.iter().enumerate().map(|(k, edge)| (edge.from, first + k)).collect();
        let ends: HashMap<u32, usize> =
            rim.iter().enumerate().map(|(k, edge)| (edge.to, first + k)).collect();
        if starts.len() != rim.len() || ends.len() != rim.len() {
            return None;
        }
        for (k, RimEdge { from, to, beyond }) in rim.into_iter().enumerate() {
            let neighbours = [beyond, *starts.get(&to)?, *ends.get(&from)?];
            self.facets.push(Facet {
                corners: [from, to, point],
                neighbours,
                outside: Vec::new(),
                removed: false,
            });
            let stays = &mut self.facets[beyond];
            let slot = stays.corners.iter().position(|corner| *corner == to)?;
            stays.neighbours[slot] = first + k;
        }
        for gone in patch {
            let points = std::mem::take(&mut self.facets[gone].outside);
            self.assign(points.into_iter().filter(|other| *other != point), first);
        }
        Some(())
    }

    /// Marks the facets that `point` sees as removed, starting from one of them; returns them and their rim.
    fn visible_patch(&mut self, point: u32, facet: usize) -> (Vec<usize>, Vec<RimEdge>) {
        let mut patch = vec![facet];
        let mut rim = Vec::new();
        self.facets[facet].removed = true;
        let mut next = 0;
        while next < patch.len() {
            let Facet { corners, neighbours, .. } = self.facets[patch[next]];
            for (k, beyond) in neighbours.into_iter().enumerate() {
                if self.facets[beyond].removed {
                    continue;
                }
                if self.sees(self.facets[beyond].corners, point) {
                    self.facets[beyond].removed = true;
                    patch.push(beyond);
                } else {
                    rim.push(RimEdge { from: corners[k], to: corners[(k + 1) % 3], beyond });
                }
            }
            next += 1;
        }
        (patch, rim)
    }

    fn into_mesh(self) -> Result<TriMesh, ModelError> {
        let mut new_index = HashMap::new();
        let mut vertices = Vec::new();
        let mut faces = Vec::new();
        for facet in self.facets.iter().filter(|facet| !facet.removed) {
            faces.push(facet.corners.map(|corner| {
                *new_index.entry(corner).or_insert_with(|| {
                    vertices.push(self.at(corner));
                    u32::try_from(vertices.len() - 1).unwrap_or(u32::MAX)
                })
            }));
        }
        TriMesh::new(vertices, faces)
    }
}
