//! Mass from skin. Each body owns the triangles that move with it most; where it meets a neighbour the cut is closed by
//! a fan over its rim, the same on both sides, so that the pieces of a closed skin add up to the whole. A piece that does
//! not enclose a sensible volume (cloth, hair, half shells) is taken as its convex hull.

use std::collections::HashMap;

use gambol_model::{MassProperties, Mat3, MeshMass, TriMesh, Vec3};

/// A closed piece holds between these parts of the volume of its convex hull; outside of it, it is broken or a sheet.
const SENSIBLE: [f64; 2] = [0.12, 1.001];
/// The pieces together are scaled to the whole if this changes them by no more than this factor; a whole that is
/// further off is not closed itself.
const TRUST: f64 = 1.6;
/// A piece without any volume is a sheet of this thickness, as part of the size of all.
const SHEET: f64 = 0.005;

/// Points and triangles of one body, in metres, in any frame.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) points: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Piece {
    /// The triangles of a surface that `owned` says.
    pub(super) fn cut(points: &[Vec3], triangles: &[[usize; 3]], owned: impl Fn(usize) -> bool) -> Self {
        let mut piece = Self::default();
        let mut new_index: HashMap<usize, u32> = HashMap::new();
        for (_, triangle) in triangles.iter().enumerate().filter(|(index, _)| owned(*index)) {
            let corners = triangle.map(|vertex| {
                *new_index.entry(vertex).or_insert_with(|| {
                    piece.points.push(points[vertex]);
                    u32::try_from(piece.points.len() - 1).unwrap_or(u32::MAX)
                })
            });
            piece.triangles.push(corners);
        }
        piece
    }

    pub(super) fn area(&self) -> f64 {
        self.triangles.iter().map(|t| normal(&self.points, *t).norm() / 2.0).sum()
    }

    /// The piece with its open rims closed by fans about their middles.
    fn closed(&self) -> Self {
        let rim = self.rim();
        let mut group: Vec<usize> = (0..self.points.len()).collect();
        fn top(group: &mut [usize], mut x: usize) -> usize {
            while group[x] != x {
                group[x] = group[group[x]];
                x = group[x];
            }
            x
        }
        for &[a, b] in &rim {
            let (a, b) = (top(&mut group, a as usize), top(&mut group, b as usize));
            group[a.max(b)] = a.min(b);
        }
        let mut middles: HashMap<usize, (Vec3, f64)> = HashMap::new();
        for &[a, b] in &rim {
            let (p, q) = (self.points[a as usize], self.points[b as usize]);
            let length = (q - p).norm();
            let middle = middles.entry(top(&mut group, a as usize)).or_insert((Vec3::zeros(), 0.0));
            middle.0 += (p + q) * (0.5 * length);
            middle.1 += length;
        }
        let mut closed = Self { points: self.points.clone(), triangles: self.triangles.clone() };
        let mut apex: HashMap<usize, u32> = HashMap::new();
        for &[a, b] in &rim {
            let loop_of = top(&mut group, a as usize);
            let at = *apex.entry(loop_of).or_insert_with(|| {
                let (sum, length) = middles[&loop_of];
                closed.points.push(sum / length.max(f64::MIN_POSITIVE));
                u32::try_from(closed.points.len() - 1).unwrap_or(u32::MAX)
            });
            closed.triangles.push([b, a, at]);
        }
        closed
    }

    /// Edges that run one way only, in the direction of their triangle.
    fn rim(&self) -> Vec<[u32; 2]> {
        let mut edges: HashMap<[u32; 2], i32> = HashMap::new();
        let mut order = Vec::new();
        for &[a, b, c] in &self.triangles {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                *edges.entry([from.min(to), from.max(to)]).or_insert_with(|| {
                    order.push([from.min(to), from.max(to)]);
                    0
                }) += if from < to { 1 } else { -1 };
            }
        }
        let mut rim = Vec::new();
        for edge in order {
            let count = edges[&edge];
            let [a, b] = edge;
            (0..count.abs()).for_each(|_| rim.push(if count > 0 { [a, b] } else { [b, a] }));
        }
        rim
    }

    /// Volume with the sign of the triangles' orientation, rims closed, m³.
    pub(super) fn volume(&self) -> f64 {
        let closed = self.closed();
        let apex = closed.points.first().copied().unwrap_or_default();
        let corner = |k: u32| closed.points[k as usize] - apex;
        closed.triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
    }

    /// At unit density.
    fn mass_properties(&self, size: f64) -> MassProperties {
        let closed = self.closed();
        let solid = TriMesh::new(closed.points, closed.triangles)
            .and_then(|mesh| mesh.try_unit_mass_properties(MeshMass::Exact));
        let hull = TriMesh::hull_of(&self.points).and_then(|hull| hull.try_unit_mass_properties(MeshMass::Exact));
        match (solid, hull) {
            (Ok(solid), Ok(hull))
                if (SENSIBLE[0]..SENSIBLE[1]).contains(&(solid.mass / hull.mass)) && is_solid(&solid.inertia) =>
            {
                solid
            }
            (_, Ok(hull)) if is_solid(&hull.inertia) => hull,
            _ => self.sheet(size),
        }
    }

    /// A thin sheet, or a dot where there is not even an area.
    fn sheet(&self, size: f64) -> MassProperties {
        let thickness = SHEET * size;
        let sheet = TriMesh::new(self.points.clone(), self.triangles.clone())
            .and_then(|mesh| mesh.try_unit_mass_properties(MeshMass::Shell));
        // Rounded off by its thickness, so that it turns about any axis with some inertia.
        let dot = |mass: f64| Mat3::from_diagonal_element(0.4 * mass * thickness * thickness);
        match sheet {
            Ok(sheet) => {
                let sheet = sheet.scaled(thickness);
                MassProperties { inertia: sheet.inertia + dot(sheet.mass), ..sheet }
            }
            Err(_) => {
                let mass = thickness.powi(3);
                let middle = self.points.iter().sum::<Vec3>() / self.points.len().max(1) as f64;
                MassProperties { mass, com: middle, inertia: dot(mass) }
            }
        }
    }
}

/// Whether an inertia is that of something with a body: positive, and no axis with more than the two others together.
fn is_solid(inertia: &Mat3) -> bool {
    let mut moments = inertia.symmetric_eigenvalues();
    moments.as_mut_slice().sort_by(f64::total_cmp);
    moments[0] > 1e-6 * moments[2] && moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-9)
}

fn normal(points: &[Vec3], [a, b, c]: [u32; 3]) -> Vec3 {
    let at = |k: u32| points[k as usize];
    (at(b) - at(a)).cross(&(at(c) - at(a)))
}

/// Mass properties at unit density of all pieces, scaled to `whole` (m³) where that can be trusted.
pub(super) fn weigh(pieces: &[Piece], whole: f64, size: f64) -> Vec<MassProperties> {
    let masses: Vec<MassProperties> = pieces.iter().map(|piece| piece.mass_properties(size)).collect();
    let sum: f64 = masses.iter().map(|mass| mass.mass).sum();
    let factor = whole / sum.max(f64::MIN_POSITIVE);
    let trusted = (1.0 / TRUST..TRUST).contains(&factor);
    masses.iter().map(|mass| if trusted { mass.scaled(factor) } else { *mass }).collect()
}
