//! Plants, and forests of them in the wind.

use gambol::plant::Foliage;
use serde::{Deserialize, Serialize};

use super::Numbers;

/// See [`super::Request::Plant`]. All that moves a forest of it: matrices P and Φ of Diener et al. 2009, figure 5, and what is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct PlantAnswer {
    /// Name.
    pub name: String,
    /// Of the whole plant.
    pub nodes: usize,
    /// kg
    pub mass: f64,
    /// m
    pub height: f64,
    /// The larger of its two widths, m.
    pub width: f64,
    /// Middle of its crown, m.
    pub middle: [f64; 3],
    /// What grows on its twigs.
    pub foliage: Foliage,
    /// What was guessed or left out, in words.
    pub notes: Vec<String>,
    /// Damping of the wood, C = α M + β K: 1/s and s.
    pub damping: [f64; 2],
    /// The slowest first.
    pub modes: Vec<PlantModePart>,
    /// Nodes that have displacements, the root first: places at rest, three numbers each, m.
    pub places: Numbers,
    /// Of each of these its parent among them; the root's is 0.
    pub parents: Numbers,
    /// Of each of these the radius of what ends there, m.
    pub radii: Numbers,
    /// v of equation 18 for each mode and then each of these nodes: x, y, z.
    pub shapes: Numbers,
    /// w of equation 18, the same.
    pub bends: Numbers,
    /// What modes leave of the displacement under steady wind along each axis, then for each of these nodes: m per (m/s)².
    pub residual: Numbers,
    /// The finest first.
    pub levels: Vec<LevelPart>,
    /// Gusts that a wind carries along.
    pub gusts: GustPart,
}

/// A mode of a plant as an oscillator.
#[derive(Clone, Debug, Serialize)]
pub struct PlantModePart {
    /// Hz
    pub frequency: f64,
    /// What it looks like.
    pub name: String,
    /// ω², rad²/s²
    pub omega_squared: f64,
    /// p of equation 16.
    pub projection: [f64; 3],
    /// C ∫ D φ φᵀ, row by row, of which the air's damping follows.
    pub drag: [[f64; 3]; 3],
    /// a, b and the largest coordinate of equation 18: s = a arctan(b q).
    pub bend: [f64; 3],
    /// Largest displacement of a node per unit of its coordinate.
    pub reach: f64,
}

/// The plant as it is drawn at some distance.
#[derive(Clone, Debug, Serialize)]
pub struct LevelPart {
    /// Of the tubes: corners, three numbers each, m.
    pub positions: Numbers,
    /// The same.
    pub normals: Numbers,
    /// Of each corner: the two nodes that it follows, and how much the second counts.
    pub joints: Numbers,
    /// Corners of triangles, as whole f32 numbers.
    pub triangles: Numbers,
    /// Nine numbers each: middle x, y, z and half length (m), flutter's phase (rad) and rate (Hz), two nodes and the share of the second.
    pub leaves: Numbers,
    /// Of each leaf, from stalk to tip: x, y, z.
    pub outs: Numbers,
}

/// Gusts on a square that repeats itself.
#[derive(Clone, Debug, Serialize)]
pub struct GustPart {
    /// Cells along a side.
    pub side: usize,
    /// Of a side, m.
    pub length: f64,
    /// Along, across and up, row by row across the wind: standard deviation along it 1.
    pub field: Numbers,
}

/// See [`super::Request::Forest`].
#[derive(Clone, Debug, Serialize)]
pub struct ForestAnswer {
    /// T: x, y, z (m), turn (rad) and size of each tree. Turns and sizes are of a few kinds, so that trees share their oscillators' steps.
    pub trees: Numbers,
}

/// A wind to take home: `gambol wind`'s options.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct WindWork {
    /// m/s, east and north.
    pub wind: [f64; 2],
    /// Strength of gusts in parts of the mean speed.
    pub gusts: f64,
    /// Of the gusts.
    pub seed: u64,
    /// How many modes move.
    pub modes: usize,
    /// How many times as stiff as wood usually is.
    pub stiffness: f64,
    /// How many times as much the wood damps.
    pub damping: f64,
}
