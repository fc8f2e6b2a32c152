//! The shape of the ground.

use gambol_model::Vec3;

use crate::{HeightField, Terrain};

impl Terrain {
    /// Height of the ground at a place, m.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Flat => 0.0,
            Self::Slope(angle) => x * angle.tan(),
            Self::Field(field) => field.height(x, y),
        }
    }

    /// Unit normal of the ground at a place.
    pub(crate) fn normal(&self, x: f64, y: f64) -> Vec3 {
        const H: f64 = 1e-4; // m
        let slope =
            |dx: f64, dy: f64| (self.height(x + dx, y + dy) - self.height(x - dx, y - dy)) / (2.0 * H);
        Vec3::new(-slope(H, 0.0), -slope(0.0, H), 1.0).normalize()
    }

    /// How far the ground rises above the straight line between two places, m.
    pub(crate) fn hill(&self, from: Vec3, to: Vec3) -> f64 {
        const STEPS: u32 = 16;
        let above = |k: u32| {
            let at = from + (to - from) * (f64::from(k) / f64::from(STEPS));
            self.height(at.x, at.y) - at.z
        };
        (0..=STEPS).map(above).fold(0.0, f64::max)
    }
}

impl HeightField {
    /// Height at a place, m: bicubic (Catmull–Rom) between the points of the grid, so that slopes are continuous;
    /// beyond the edges as at the edge.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let rows = self.heights.len() / self.columns.max(1);
        if rows == 0 || self.columns == 0 {
            return 0.0;
        }
        let (u, v) = ((x - self.origin[0]) / self.spacing, (y - self.origin[1]) / self.spacing);
        let (i, s) = split(u, self.columns);
        let (j, t) = split(v, rows);
        let clamp = |k: isize, n: usize| usize::try_from(k.max(0)).unwrap_or(0).min(n - 1);
        let row = |dj: isize| {
            let j = clamp(j + dj, rows);
            let at = |di: isize| self.heights[j * self.columns + clamp(i + di, self.columns)];
            cubic([at(-1), at(0), at(1), at(2)], s)
        };
        cubic([row(-1), row(0), row(1), row(2)], t)
    }
}

/// Cell and place within it, held to the grid.
#[allow(clippy::cast_possible_truncation)] // held to the number of cells first
fn split(u: f64, n: usize) -> (isize, f64) {
    let u = u.clamp(0.0, (n - 1) as f64);
    let cell = u.floor().min((n.max(2) - 2) as f64);
    (cell as isize, u - cell)
}

/// Catmull–Rom between the middle two of four values.
fn cubic([a, b, c, d]: [f64; 4], s: f64) -> f64 {
    b + 0.5 * s * (c - a + s * (2.0 * a - 5.0 * b + 4.0 * c - d + s * (3.0 * (b - c) + d - a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_meets_its_points_and_is_smooth() {
        let heights: Vec<f64> = (0..20).map(|k| f64::from(k * k % 7) * 0.1).collect();
        let field = HeightField { origin: [1.0, -2.0], spacing: 0.5, columns: 5, heights: heights.clone() };
        for (k, height) in heights.iter().enumerate() {
            let (x, y) = (1.0 + 0.5 * (k % 5) as f64, -2.0 + 0.5 * (k / 5) as f64);
            assert!((field.height(x, y) - height).abs() < 1e-12);
        }
        // Slopes agree on both sides of a grid line; beyond the edge it is flat.
        let slope = |x: f64| (field.height(x + 1e-6, -1.2) - field.height(x - 1e-6, -1.2)) / 2e-6;
        assert!((slope(2.0 - 1e-5) - slope(2.0 + 1e-5)).abs() < 1e-3);
        assert_eq!(field.height(9.0, 9.0), field.height(100.0, 100.0));
    }
}
