//! The shape of the ground.

use serde::{Deserialize, Serialize};

use crate::{Course, Vec3};
use gambol_model::math;

/// The shape of the ground.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Terrain {
    /// z = 0
    Flat,
    /// A plane that rises along x, rad.
    Slope(f64),
    /// Heights on a grid.
    Field(HeightField),
    /// Blocks and ramps with sharp edges, and patches of friction.
    Course(Course),
}

/// Heights on a grid over the ground, interpolated smoothly between its points and continued flat beyond its edges.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct HeightField {
    /// x and y of the first height, m.
    pub origin: [f64; 2],
    /// Distance of grid points, m.
    pub spacing: f64,
    /// Number of points along x; the rest follows from the number of heights.
    pub columns: usize,
    /// m, row by row: x runs first, then y.
    pub heights: Vec<f64>,
}

/// Why ground cannot be stood on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// A slope of 90° or more, or not a number.
    #[error("a slope of {0} rad is not between -π/2 and π/2")]
    Slope(f64),
    /// The grid is not placed in the world.
    #[error("the origin of the height field, {0} {1}, is not finite")]
    Origin(f64, f64),
    /// Grid points coincide or run backwards.
    #[error("a grid spacing of {0} m is not a finite number above 0")]
    Spacing(f64),
    /// No heights at all.
    #[error("the height field is empty: {columns} columns, {heights} heights")]
    Empty {
        /// Points along x.
        columns: usize,
        /// All points.
        heights: usize,
    },
    /// The last row is not full.
    #[error("{heights} heights do not fill rows of {columns}")]
    Ragged {
        /// Points along x.
        columns: usize,
        /// All points.
        heights: usize,
    },
    /// A hole: a height that is not finite.
    #[error("the height in row {row}, column {column} is {height}: the ground has a hole there")]
    Hole {
        /// Along y, from 0.
        row: usize,
        /// Along x, from 0.
        column: usize,
        /// What stands there.
        height: f64,
    },
    /// The base of a course is nowhere.
    #[error("the base of a course at {0} m is not finite")]
    Base(f64),
    /// A block that cannot be.
    #[error("block {}{}: {reason}", index + 1, in_quotes(name))]
    Block {
        /// Among the blocks, from 0.
        index: usize,
        /// What it is called.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A patch that cannot be.
    #[error("patch {}{}: {reason}", index + 1, in_quotes(name))]
    Patch {
        /// Among the patches, from 0.
        index: usize,
        /// What it is called.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

fn in_quotes(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" {name:?}") }
}

impl Terrain {
    /// Refuses what is no ground: holes, a grid without points, a wall for a slope.
    pub fn check(&self) -> Result<(), TerrainError> {
        match self {
            // A course cannot be made otherwise.
            Self::Flat | Self::Course(_) => Ok(()),
            Self::Slope(angle) if angle.abs() < std::f64::consts::FRAC_PI_2 => Ok(()),
            Self::Slope(angle) => Err(TerrainError::Slope(*angle)),
            Self::Field(field) => field.check(),
        }
    }

    /// Height of the ground at a place, m.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Flat => 0.0,
            Self::Slope(angle) => x * math::tan(*angle),
            Self::Field(field) => field.height(x, y),
            Self::Course(course) => course.height_and_normal(x, y).0,
        }
    }

    /// Unit normal of the ground at a place.
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        match self {
            Self::Flat => Vec3::z(),
            Self::Slope(angle) => Vec3::new(-math::sin(*angle), 0.0, math::cos(*angle)),
            Self::Field(field) => field.height_and_normal(x, y).1,
            Self::Course(course) => course.height_and_normal(x, y).1,
        }
    }

    /// Coulomb's coefficient at a place, where the ground has one of its own.
    pub fn friction(&self, x: f64, y: f64) -> Option<f64> {
        match self {
            Self::Course(course) => course.friction(x, y),
            _ => None,
        }
    }
}

impl HeightField {
    /// A checked height field: at least one point, full rows, no holes.
    pub fn new(
        origin: [f64; 2],
        spacing: f64,
        columns: usize,
        heights: Vec<f64>,
    ) -> Result<Self, TerrainError> {
        let field = Self { origin, spacing, columns, heights };
        field.check().map(|()| field)
    }

    fn check(&self) -> Result<(), TerrainError> {
        let (columns, heights) = (self.columns, self.heights.len());
        if !self.origin.iter().all(|x| x.is_finite()) {
            return Err(TerrainError::Origin(self.origin[0], self.origin[1]));
        }
        if !(self.spacing.is_finite() && self.spacing > 0.0) {
            return Err(TerrainError::Spacing(self.spacing));
        }
        if columns == 0 || heights == 0 {
            return Err(TerrainError::Empty { columns, heights });
        }
        if heights % columns != 0 {
            return Err(TerrainError::Ragged { columns, heights });
        }
        match self.heights.iter().position(|height| !height.is_finite()) {
            Some(k) => {
                Err(TerrainError::Hole { row: k / columns, column: k % columns, height: self.heights[k] })
            }
            None => Ok(()),
        }
    }

    /// Height at a place, m: bicubic (Catmull–Rom) between the points of the grid, so that slopes are continuous;
    /// beyond the edges as at the edge.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let Some((patch, s, t)) = self.patch(x, y) else { return 0.0 };
        cubic(patch.map(|row| cubic(row, s)), t)
    }

    /// Height, m, and unit normal at a place. Beyond an edge the ground is flat across it.
    pub fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3) {
        let Some((patch, s, t)) = self.patch(x, y) else { return (0.0, Vec3::z()) };
        let rows = patch.map(|row| cubic(row, s));
        let within = |at: f64, axis: usize, points: usize| {
            let u = (at - self.origin[axis]) / self.spacing;
            if u >= 0.0 && u <= points as f64 - 1.0 { 1.0 / self.spacing } else { 0.0 }
        };
        let along_x = cubic(patch.map(|row| cubic_slope(row, s)), t) * within(x, 0, self.columns);
        let along_y = cubic_slope(rows, t) * within(y, 1, self.rows());
        (cubic(rows, t), Vec3::new(-along_x, -along_y, 1.0).normalize())
    }

    /// No ground within `radius` of a place, along x and along y, is higher than this, m.
    ///
    /// The four weights of Catmull–Rom sum to 1, the negative ones to no less than −1/8. Of the products of two such
    /// sets the negative ones sum to no less than −2·(9/8)·(1/8) = −9/32, so the surface rises above the highest of
    /// its points by at most 9/32 of their range.
    pub fn highest(&self, x: f64, y: f64, radius: f64) -> f64 {
        const OVERSHOOT: f64 = 9.0 / 32.0;
        if self.columns == 0 || self.rows() == 0 {
            return 0.0;
        }
        let range = |at: f64, axis: usize, points: usize| {
            let cell = |at: f64| split((at - self.origin[axis]) / self.spacing, points).0;
            near(cell(at - radius), -1, points)..=near(cell(at + radius), 2, points)
        };
        let (columns, mut low, mut high) = (range(x, 0, self.columns), f64::INFINITY, f64::NEG_INFINITY);
        for row in range(y, 1, self.rows()) {
            let row = &self.heights[row * self.columns..][columns.clone()];
            for height in row {
                low = if *height < low { *height } else { low };
                high = if *height > high { *height } else { high };
            }
        }
        high + OVERSHOOT * (high - low)
    }

    fn rows(&self) -> usize {
        self.heights.len() / self.columns.max(1)
    }

    /// The sixteen heights around a place, row by row, and the place between the middle ones, 0 to 1 along x and y.
    fn patch(&self, x: f64, y: f64) -> Option<([[f64; 4]; 4], f64, f64)> {
        let rows = self.rows();
        if rows == 0 || self.columns == 0 {
            return None;
        }
        let (i, s) = split((x - self.origin[0]) / self.spacing, self.columns);
        let (j, t) = split((y - self.origin[1]) / self.spacing, rows);
        let columns = [-1, 0, 1, 2].map(|d| near(i, d, self.columns));
        let patch = [-1, 0, 1, 2].map(|d| {
            let row = near(j, d, rows) * self.columns;
            columns.map(|column| self.heights[row + column])
        });
        Some((patch, s, t))
    }
}

/// `offset` points on from a cell, held to the grid.
fn near(cell: usize, offset: isize, n: usize) -> usize {
    cell.saturating_add_signed(offset).min(n - 1)
}

/// Cell and place within it, held to the grid.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // held to the number of cells first
fn split(u: f64, n: usize) -> (usize, f64) {
    let u = u.clamp(0.0, (n - 1) as f64);
    let cell = (u as usize).min(n.max(2) - 2);
    (cell, u - cell as f64)
}

/// Catmull–Rom between the middle two of four values.
fn cubic([a, b, c, d]: [f64; 4], s: f64) -> f64 {
    b + 0.5 * s * (c - a + s * (2.0 * a - 5.0 * b + 4.0 * c - d + s * (3.0 * (b - c) + d - a)))
}

/// Its derivative.
fn cubic_slope([a, b, c, d]: [f64; 4], s: f64) -> f64 {
    0.5 * (c - a + s * (2.0 * (2.0 * a - 5.0 * b + 4.0 * c - d) + s * 3.0 * (3.0 * (b - c) + d - a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field() -> HeightField {
        let heights: Vec<f64> = (0..20).map(|k| f64::from(k * k % 7) * 0.1).collect();
        HeightField::new([1.0, -2.0], 0.5, 5, heights).unwrap()
    }

    #[test]
    fn a_field_meets_its_points_and_is_smooth() {
        let field = field();
        for (k, height) in field.heights.iter().enumerate() {
            let (x, y) = (1.0 + 0.5 * (k % 5) as f64, -2.0 + 0.5 * (k / 5) as f64);
            assert!((field.height(x, y) - height).abs() < 1e-12);
        }
        // Slopes agree on both sides of a grid line; beyond the edge it is flat.
        let slope = |x: f64| (field.height(x + 1e-6, -1.2) - field.height(x - 1e-6, -1.2)) / 2e-6;
        assert!((slope(2.0 - 1e-5) - slope(2.0 + 1e-5)).abs() < 1e-3);
        assert_eq!(field.height(9.0, 9.0), field.height(100.0, 100.0));
    }

    #[test]
    fn normals_are_those_of_central_differences() {
        let field = field();
        for k in 0..400 {
            // Off the grid lines of the edges, where the slope jumps.
            let (x, y) = (0.63 + 0.13 * f64::from(k % 20), -2.4 + 0.117 * f64::from(k / 20));
            let (height, normal) = field.height_and_normal(x, y);
            assert_eq!(height, field.height(x, y));
            let h = 1e-6; // rounding 1e-16/h, truncation h²
            let slope =
                |dx: f64, dy: f64| (field.height(x + dx, y + dy) - field.height(x - dx, y - dy)) / (2.0 * h);
            let expected = Vec3::new(-slope(h, 0.0), -slope(0.0, h), 1.0).normalize();
            assert!((normal - expected).norm() < 1e-8, "{x} {y}");
        }
    }

    #[test]
    fn nothing_is_higher_than_the_highest() {
        let field = field();
        for k in 0..100 {
            let (x, y, radius) = (0.4 + 0.3 * f64::from(k % 10), -2.3 + 0.2 * f64::from(k / 10), 0.35);
            let bound = field.highest(x, y, radius);
            for i in -7..=7 {
                for j in -7..=7 {
                    let height = field.height(x + 0.05 * f64::from(i), y + 0.05 * f64::from(j));
                    assert!(height <= bound + 1e-12);
                }
            }
        }
    }

    #[test]
    fn what_is_no_ground_is_refused_in_words() {
        let says = |result: Result<HeightField, TerrainError>, words: &str| {
            let message = result.unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        };
        let new = |spacing, columns, heights: &[f64]| {
            HeightField::new([0.0, 0.0], spacing, columns, heights.to_vec())
        };
        says(new(0.1, 2, &[0.0, 0.0, 0.0, f64::NAN]), "row 1, column 1");
        says(new(0.1, 2, &[0.0, f64::INFINITY]), "hole");
        says(new(0.1, 2, &[0.0, 0.0, 0.0]), "do not fill rows of 2");
        says(new(0.1, 0, &[0.0]), "empty");
        says(new(0.1, 3, &[]), "empty");
        says(new(0.0, 1, &[0.0]), "spacing");
        says(HeightField::new([f64::NAN, 0.0], 1.0, 1, vec![0.0]), "origin");
        assert!(Terrain::Slope(1.6).check().is_err() && Terrain::Slope(f64::NAN).check().is_err());
        assert!(Terrain::Slope(-1.5).check().is_ok() && Terrain::Flat.check().is_ok());
    }
}
