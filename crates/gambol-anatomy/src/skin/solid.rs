//! Mass from skin. What is inside of the whole skin is shared out in small cubes (`voxels`). What is too thin for cubes, a
//! finger or a spider's leg, is weighed by its own skin: the triangles that move with it most, closed by a fan over each
//! open rim; or, where these enclose no sensible volume, by their convex hull. The sum is that of the whole skin where this
//! is closed.

use std::collections::HashMap;

use gambol_model::{MassProperties, Mat3, MeshMass, TriMesh, Vec3, math};

use super::settings::FleshSettings;
use super::voxels::Voxels;

/// Points and triangles of one body, in metres, in any frame.
#[derive(Clone, Default)]
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

    /// The piece with its open rims closed by fans about their middles.
    fn closed(&self) -> Self {
        let rim = self.rim();
        let mut group: Vec<usize> = (0..self.points.len()).collect();
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
    fn mass_properties(&self, size: f64, settings: &FleshSettings) -> MassProperties {
        let closed = self.closed();
        let solid = TriMesh::new(closed.points, closed.triangles)
            .and_then(|mesh| mesh.try_unit_mass_properties(MeshMass::Exact));
        let hull =
            TriMesh::hull_of(&self.points).and_then(|hull| hull.try_unit_mass_properties(MeshMass::Exact));
        match (solid, hull) {
            (Ok(solid), Ok(hull))
                if (settings.of_hull[0]..settings.of_hull[1]).contains(&(solid.mass / hull.mass))
                    && is_solid(&solid.inertia) =>
            {
                solid
            }
            (_, Ok(hull)) if is_solid(&hull.inertia) => hull,
            _ => self.sheet(settings.sheet * size),
        }
    }

    /// A thin sheet, or a dot where there is not even an area.
    fn sheet(&self, thickness: f64) -> MassProperties {
        let sheet = TriMesh::new(self.points.clone(), self.triangles.clone())
            .and_then(|mesh| mesh.try_unit_mass_properties(MeshMass::Shell));
        // Rounded off by its thickness, so that it turns about any axis with some inertia.
        let dot = |mass: f64| Mat3::from_diagonal_element(0.4 * mass * thickness * thickness);
        if let Ok(sheet) = sheet {
            let sheet = sheet.scaled(thickness);
            return MassProperties { inertia: sheet.inertia + dot(sheet.mass), ..sheet };
        }
        let mass = math::powi(thickness, 3);
        let middle = self.points.iter().sum::<Vec3>() / self.points.len().max(1) as f64;
        MassProperties { mass, com: middle, inertia: dot(mass) }
    }
}

/// The first of the group that `x` is in.
fn top(group: &mut [usize], mut x: usize) -> usize {
    while group[x] != x {
        group[x] = group[group[x]];
        x = group[x];
    }
    x
}

/// Whether an inertia is that of something with a body: positive, and no axis with more than the two others together.
fn is_solid(inertia: &Mat3) -> bool {
    let mut moments = inertia.symmetric_eigenvalues();
    moments.as_mut_slice().sort_by(f64::total_cmp);
    moments[0] > 1e-6 * moments[2] && moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-9)
}

/// Mass properties at unit density of all pieces of a skin, in its frame. `weights` are those of the
/// bodies on each vertex; `parents` of the bodies come before them.
pub(super) fn weigh(
    points: &[Vec3],
    triangles: &[[usize; 3]],
    weights: &[Vec<(usize, f64)>],
    pieces: &[Piece],
    parents: &[Option<usize>],
    size: f64,
    settings: &FleshSettings,
) -> Vec<MassProperties> {
    let voxels = Voxels::new(points, triangles, settings.cubes_along);
    let by_cubes = voxels.weigh(points, triangles, weights, parents);
    let weigh = |(piece, (cubes, count)): (&Piece, (MassProperties, f64))| {
        if count >= settings.cubes {
            return cubes;
        }
        let closed = piece.mass_properties(size, settings);
        if count >= settings.patch && cubes.mass > closed.mass { cubes } else { closed }
    };
    let masses: Vec<MassProperties> = pieces.iter().zip(by_cubes).map(weigh).collect();
    let whole = Piece::cut(points, triangles, |_| true).volume();
    let closed =
        (1.0 / settings.closed..settings.closed).contains(&(whole / voxels.volume().max(f64::MIN_POSITIVE)));
    let sum: f64 = masses.iter().map(|mass| mass.mass).sum();
    let factor = if closed { whole / sum } else { 1.0 };
    masses.iter().map(|mass| mass.scaled(factor)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box from -`half` to `half`, each face a grid of `n` by `n` squares.
    fn gridded_box(half: Vec3, n: usize) -> (Vec<Vec3>, Vec<[usize; 3]>) {
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let first = points.len();
                for k in 0..(n + 1) * (n + 1) {
                    let mut point = Vec3::zeros();
                    point[axis] = sign * half[axis];
                    point[u] = half[u] * (2.0 * (k % (n + 1)) as f64 / n as f64 - 1.0);
                    point[v] = half[v] * (2.0 * (k / (n + 1)) as f64 / n as f64 - 1.0);
                    points.push(point);
                }
                for k in 0..n * n {
                    let a = first + k / n * (n + 1) + k % n;
                    let [b, c, d] = [a + 1, a + n + 2, a + n + 1];
                    triangles.extend(if sign > 0.0 {
                        [[a, b, c], [a, c, d]]
                    } else {
                        [[a, c, b], [a, d, c]]
                    });
                }
            }
        }
        (points, triangles)
    }

    /// A thorax whose sides, but for a rim, are the skin of two shoulder blades. By the nearest skin all flesh below a
    /// blade would be its own, to the middle plane: two pyramids with cut tops. But a chest is one, and blades lie on it.
    #[test]
    fn flesh_deep_below_a_shoulder_blade_belongs_to_the_chest() {
        let half = Vec3::new(0.3, 0.1, 0.15);
        let (points, triangles) = gridded_box(half, 30);
        let on_blade =
            |p: &Vec3| p.y.abs() > 0.999 * half.y && p.x.abs() < 0.8 * half.x && p.z.abs() < 0.8 * half.z;
        let weights: Vec<Vec<(usize, f64)>> = points
            .iter()
            .map(|p| {
                vec![(
                    if !on_blade(p) {
                        0
                    } else if p.y > 0.0 {
                        1
                    } else {
                        2
                    },
                    1.0,
                )]
            })
            .collect();
        let owned = |body: usize| {
            Piece::cut(&points, &triangles, |k| triangles[k].iter().all(|&v| weights[v][0].0 == body))
        };
        let pieces = [owned(0), owned(1), owned(2)];
        let masses = weigh(
            &points,
            &triangles,
            &weights,
            &pieces,
            &[None, Some(0), Some(0)],
            1.0,
            &FleshSettings::default(),
        );
        let whole = 8.0 * half.x * half.y * half.z;
        let sum: f64 = masses.iter().map(|mass| mass.mass).sum();
        assert!(
            (sum / whole - 1.0).abs() < 1e-9,
            "the volume of the box, by its triangles: {sum} and {whole}"
        );
        // Nearest to a blade is a quarter of the box: the integral of min(0.24, 0.3 - d) min(0.12, 0.15 - d) over the depth d.
        let blade = masses[1].mass / whole;
        assert!((0.05..0.2).contains(&blade), "each blade has {blade} of the chest");
        assert!((masses[1].mass / masses[2].mass - 1.0).abs() < 1e-9, "left as right");
        assert!(masses[0].com.norm() < 1e-3 && masses[1].com.y > 0.5 * half.y, "the blades lie outside");
    }
}
