//! A forest: many instances of one plant, each with its own place, turn, size and wind (Diener et al. 2009, section 5 and
//! figure 5).
//!
//! ```text
//! T  (instances × 5)          x, y, z, turn, size             constant
//! P  (modes × 7)              ω², γ, its air's share, p        constant
//! Φ  (modes × nodes × 3)      displacements                   constant
//! Q  (instances × modes × 2)  q, q̇                            step 1
//! U  (instances × nodes × 3)  Q Φ, in the plant's own axes    step 2
//! ```
//!
//! A plant that is s times as large has ω/s and moves s times as far in the same wind, as beams do: with q̂ = q s^(3/2) the
//! oscillator is q̂″ + γ q̂′ + (ω/s)² q̂ = ‖v‖ v·p/s², and its nodes move by s Φ q̂. All that a page needs to draw it are these five.

use gambol_model::{Random, Vec3, math};

use crate::detail::Detail;
use crate::oscillator::{OscillatorStep, Stepping};
use crate::{Foliage, Plant, PlantError, PlantMode, SwaySettings, Wind, WindBasis};

gambol_model::settings! {
    /// How a forest is planted.
    pub struct ForestSettings {
        /// Distance between neighbours, in parts of the plant's width.
        spacing: f64 = 1.1, Positive;
        /// How far off its place a tree stands, in parts of that distance.
        scatter: f64 = 0.35, AtLeastZero;
        /// Smallest and largest, in parts of the plant's size.
        sizes: [f64; 2] = [0.7, 1.2], Positive;
    }
}

impl ForestSettings {
    /// Trees stand apart; tufts of grass grow into each other.
    pub fn of(plant: &Plant) -> Self {
        let usual = Self::default();
        let spacing = if plant.foliage == Foliage::Blades { 0.35 * usual.spacing } else { usual.spacing };
        Self { spacing, ..usual }
    }
}

/// A tree of a forest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Where it is rooted, m.
    pub place: Vec3,
    /// About the vertical, rad.
    pub turn: f64,
    /// In parts of the plant's size.
    pub size: f64,
}

impl Instance {
    /// A vector of the world along the plant's own axes.
    fn to_own(self, v: Vec3) -> Vec3 {
        let (sin, cos) = math::sin_cos(self.turn);
        Vec3::new(cos * v.x + sin * v.y, cos * v.y - sin * v.x, v.z)
    }

    /// A point of the plant in the world.
    pub fn to_world(self, p: Vec3) -> Vec3 {
        let (sin, cos) = math::sin_cos(self.turn);
        self.place + Vec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z) * self.size
    }
}

/// Trees that are worked on at once, and columns of Φ: their sums fit into eight registers of eight numbers, or sixteen of sixteen.
const TREES: usize = 4;
const NARROW: usize = 16;
#[cfg(target_arch = "x86_64")]
const WIDE: usize = 64;
/// Columns of Φ that stay in the nearest cache (13 kB with 25 modes) while they go over this many trees, whose pages of memory the
/// processor still remembers when it comes to the next columns.
const PANEL: usize = 128;
const STAND: usize = 256;

/// Many instances of a plant in motion.
#[derive(Clone, Debug)]
pub struct Forest {
    /// T: the trees.
    pub instances: Vec<Instance>,
    /// The nodes of which there are displacements.
    pub detail: Detail,
    modes: usize,
    /// P: p of each mode.
    projection: Vec<Vec3>,
    /// One step of each mode of each tree.
    steps: Vec<OscillatorStep>,
    /// Φ, mode by mode, x, y, z of each node.
    phi: Vec<f32>,
    /// Q: `[q, q̇]` of each mode of each tree.
    states: Vec<[f64; 2]>,
    /// q of each mode of each tree, for the product.
    coordinates: Vec<f32>,
    step: f64,
}

impl Forest {
    /// Trees at rest in the mean wind, of which at most `nodes` nodes each move.
    pub fn new(
        plant: &Plant,
        (modes, basis): (&[PlantMode], &WindBasis),
        instances: Vec<Instance>,
        nodes: usize,
        sway: &SwaySettings,
        wind: &Wind,
    ) -> Result<Self, PlantError> {
        sway.check()?;
        if basis.projection.len() != modes.len() {
            return Err(PlantError::Mismatch("the wind basis is not of these modes".to_owned()));
        }
        let detail = Detail::new(plant, nodes);
        let count = instances.len();
        let mut phi = Vec::with_capacity(modes.len() * detail.kept.len() * 3);
        for mode in modes {
            #[allow(clippy::cast_possible_truncation)] // pictures and pages take single precision
            phi.extend(detail.kept.iter().flat_map(|&node| {
                let u = mode.displacement(node);
                [u.x as f32, u.y as f32, u.z as f32]
            }));
        }
        let mut forest = Self {
            modes: modes.len(),
            projection: basis.projection.clone(),
            steps: Vec::with_capacity(count * modes.len()),
            states: Vec::with_capacity(count * modes.len()),
            coordinates: vec![0.0; count * modes.len()],
            instances,
            detail,
            phi,
            step: sway.step,
        };
        for tree in &forest.instances {
            let mean = tree.to_own(wind.mean());
            for (index, mode) in modes.iter().enumerate() {
                let omega_squared = mode.omega_squared / (tree.size * tree.size);
                let gamma = sway.mass_damping
                    + sway.stiffness_damping * omega_squared
                    + basis.aerodynamic_damping(index, mean) / tree.size;
                forest.steps.push(OscillatorStep::new(omega_squared, gamma, sway.step, Stepping::Exact));
                forest.states.push([basis.force(index, mean) / mode.omega_squared, 0.0]);
            }
        }
        Ok(forest)
    }

    /// Step 1 of figure 5: the wind at each tree, and one step of all its modes.
    pub fn step(&mut self, wind: &Wind, time: f64) {
        for (index, tree) in self.instances.iter().enumerate() {
            let v = tree.to_own(wind.at(tree.place, time));
            let load = v * (v.norm() / (tree.size * tree.size));
            let own = index * self.modes..(index + 1) * self.modes;
            advance(&mut self.states[own.clone()], &self.steps[own], &self.projection, load);
        }
    }

    /// The same with one wind for all, which is what the oscillators alone cost.
    pub fn step_oscillators(&mut self, load: Vec3) {
        let (states, steps) = (self.states.chunks_mut(self.modes), self.steps.chunks(self.modes));
        for (states, steps) in states.zip(steps) {
            advance(states, steps, &self.projection, load);
        }
    }

    /// s from one step to the next.
    pub fn time_step(&self) -> f64 {
        self.step
    }

    /// Step 2 of figure 5: U = Q Φ with the first `modes` modes, in the plants' own axes and size, m; x, y, z of every kept node of
    /// every tree. `out` is made as long as it needs to be.
    pub fn displacements(&mut self, modes: usize, out: &mut Vec<f32>) {
        let modes = modes.min(self.modes);
        #[allow(clippy::cast_possible_truncation)] // as above
        for (single, state) in self.coordinates.iter_mut().zip(&self.states) {
            *single = state[0] as f32;
        }
        let columns = 3 * self.detail.kept.len();
        out.resize(self.instances.len() * columns, 0.0);
        for (stand, out) in out.chunks_mut((STAND * columns).max(1)).enumerate() {
            let q = &self.coordinates[stand * STAND * self.modes..];
            multiply(Factor { q, stride: self.modes, modes }, &self.phi, columns, out);
        }
    }

    /// T as single numbers, for a texture: x, y, z, turn, size of each tree.
    #[allow(clippy::cast_possible_truncation)] // as above
    pub fn matrix_t(&self) -> Vec<f32> {
        let row = |tree: &Instance| [tree.place.x, tree.place.y, tree.place.z, tree.turn, tree.size];
        self.instances.iter().flat_map(row).map(|x| x as f32).collect()
    }

    /// Φ as single numbers, mode by mode, x, y, z of each kept node.
    pub fn matrix_phi(&self) -> &[f32] {
        &self.phi
    }

    /// Q as single numbers: q, q̇ of each mode of each tree.
    #[allow(clippy::cast_possible_truncation)] // as above
    pub fn matrix_q(&self) -> Vec<f32> {
        self.states.iter().flatten().map(|x| *x as f32).collect()
    }

    /// How many modes move it.
    pub fn modes(&self) -> usize {
        self.modes
    }
}

fn advance(states: &mut [[f64; 2]], steps: &[OscillatorStep], projection: &[Vec3], load: Vec3) {
    for ((state, step), p) in states.iter_mut().zip(steps).zip(projection) {
        *state = step.apply(*state, p.dot(&load));
    }
}

/// How trees stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planting {
    /// In rows that make a square, each a little off its place.
    #[default]
    Wood,
    /// In one row along x, as along a road.
    Row,
}

/// `count` trees, the same for the same seed.
pub fn stand_of(
    plant: &Plant,
    count: usize,
    seed: u64,
    planting: Planting,
    settings: &ForestSettings,
) -> Result<Vec<Instance>, PlantError> {
    settings.check()?;
    let [low, high] = plant.bounds();
    let width = (high.x - low.x).max(high.y - low.y).max(0.25 * (high.z - low.z)).max(f64::MIN_POSITIVE);
    let distance = settings.spacing * width;
    let mut random = Random::new(seed ^ 0x666f_7265_7374);
    let (side, depth, chance) = match planting {
        Planting::Wood => {
            let side = (1..=count).find(|side| side * side >= count).unwrap_or(1);
            (side, side, 1.0)
        }
        // Who plants a row measures it, and takes trees of an age.
        Planting::Row => (count.max(1), 1, 0.15),
    };
    let [half, half_depth] = [side, depth].map(|trees| 0.5 * (trees as f64 - 1.0));
    let trees = (0..count)
        .map(|index| {
            let (row, column) = ((index / side) as f64, (index % side) as f64);
            let off = [random.symmetric(), random.symmetric()].map(|x| x * chance * settings.scatter);
            let [small, large] = settings.sizes;
            Instance {
                place: Vec3::new(column - half + off[0], row - half_depth + off[1], 0.0) * distance,
                turn: std::f64::consts::PI * random.symmetric(),
                size: small + (large - small) * (0.5 + chance * (random.unit() - 0.5)),
            }
        })
        .collect();
    Ok(trees)
}

/// Q as the product reads it: coordinates of all modes of each tree, of which the first few count.
#[derive(Clone, Copy)]
struct Factor<'a> {
    q: &'a [f32],
    stride: usize,
    modes: usize,
}

/// Rows of Q times Φ, for up to [`STAND`] trees, with the widest registers that the processor has. Multiplication and addition are not
/// fused, so that all bits are the same.
fn multiply(q: Factor<'_>, phi: &[f32], columns: usize, out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: the processor has what the function is compiled for.
        #[allow(unsafe_code)] // here and below alone: thrice as fast as with what every x86-64 has
        if std::arch::is_x86_feature_detected!("avx512f") {
            return unsafe { multiply_by_sixteens(q, phi, columns, out) };
        }
        // SAFETY: as above.
        #[allow(unsafe_code)]
        if std::arch::is_x86_feature_detected!("avx2") {
            return unsafe { multiply_by_eights(q, phi, columns, out) };
        }
    }
    multiply_rows::<NARROW>(q, phi, columns, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn multiply_by_sixteens(q: Factor<'_>, phi: &[f32], columns: usize, out: &mut [f32]) {
    multiply_rows::<WIDE>(q, phi, columns, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn multiply_by_eights(q: Factor<'_>, phi: &[f32], columns: usize, out: &mut [f32]) {
    multiply_rows::<NARROW>(q, phi, columns, out);
}

#[allow(clippy::inline_always)] // else it is not compiled for its caller's registers
#[inline(always)]
fn multiply_rows<const COLUMNS: usize>(q: Factor<'_>, phi: &[f32], columns: usize, out: &mut [f32]) {
    let trees = out.len() / columns.max(1);
    let [whole, narrow] = [columns - columns % COLUMNS, columns - columns % NARROW];
    multiply_tiles::<COLUMNS>(q, phi, columns, 0..whole, out);
    multiply_tiles::<NARROW>(q, phi, columns, whole..narrow, out);
    // What is left over at the edges.
    let whole_trees = trees - trees % TREES;
    for tree in 0..trees {
        for column in if tree < whole_trees { narrow } else { 0 }..columns {
            out[tree * columns + column] =
                (0..q.modes).map(|mode| q.q[tree * q.stride + mode] * phi[mode * columns + column]).sum();
        }
    }
}

/// Those of as many trees as are worked on at once, in some columns of Φ.
#[allow(clippy::inline_always)] // as above
#[allow(clippy::needless_range_loop)] // iterators are calls where they are not inlined, which made this ten times as slow
#[inline(always)]
fn multiply_tiles<const COLUMNS: usize>(
    q: Factor<'_>,
    phi: &[f32],
    columns: usize,
    of: std::ops::Range<usize>,
    out: &mut [f32],
) {
    let trees = out.len() / columns.max(1);
    for panel in of.clone().step_by(PANEL) {
        for four in (0..trees - trees % TREES).step_by(TREES) {
            let own: [&[f32]; TREES] =
                std::array::from_fn(|tree| &q.q[(four + tree) * q.stride..][..q.modes]);
            for first in (panel..of.end.min(panel + PANEL)).step_by(COLUMNS) {
                let mut sums = [[0.0_f32; COLUMNS]; TREES];
                for mode in 0..q.modes {
                    let row = phi.get(mode * columns + first..).and_then(|row| row.first_chunk::<COLUMNS>());
                    let Some(row) = row else { break };
                    for tree in 0..TREES {
                        for column in 0..COLUMNS {
                            sums[tree][column] += own[tree][mode] * row[column];
                        }
                    }
                }
                for tree in 0..TREES {
                    let at = (four + tree) * columns + first;
                    out[at..at + COLUMNS].copy_from_slice(&sums[tree]);
                }
            }
        }
    }
}
