//! The lowest vibrations of a plant (Diener et al. 2009, equations 3 to 9), mass-normalised: φᵀ M φ = 1.
//!
//! With K = L Lᵀ the largest eigenvalues μ of L⁻¹ M L⁻ᵀ are 1/ω² of the slowest modes, and φ = L⁻ᵀ x / √μ.

use gambol_model::{Vec3, math};
use gambol_modes::krylov::{Block, LANES, Operator, Raw, Row, largest, pin_by, probe_field};
use nalgebra::DMatrix;

use crate::beam::Vec6;
use crate::{Mechanics, Plant, PlantError};

/// What a mode may leave of K φ = ω² M φ, in parts of it, in the coordinates of the search.
const LARGEST_RESIDUAL: f64 = 1e-6;
/// Plants with at most so many coordinates are solved all at once: where nearly all modes are wanted, a search for the slowest does
/// not end. What is then left of a fast mode is measured by the slowest, in parts of which it is rounded.
const SMALL: usize = 360;
const ROUNDING: f64 = 1e-11;

/// One vibration.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantMode {
    /// ω², rad²/s²
    pub omega_squared: f64,
    /// φ: displacement (m) and rotation (rad) of each node, for a modal mass of 1 kg.
    pub shape: Vec<Vec6>,
}

impl PlantMode {
    /// Hz
    pub fn frequency(&self) -> f64 {
        self.omega_squared.sqrt() / std::f64::consts::TAU
    }

    /// Displacement of a node per unit of the mode's coordinate.
    pub fn displacement(&self, node: usize) -> Vec3 {
        self.shape[node].fixed_rows::<3>(0).into_owned()
    }

    /// The largest displacement of a node, per unit of the mode's coordinate.
    pub fn reach(&self) -> f64 {
        self.shape.iter().map(|u| u.fixed_rows::<3>(0).norm()).fold(0.0, f64::max)
    }
}

/// The `count` slowest vibrations, their signs and the choice among equal frequencies pinned by the house's rule.
pub fn plant_modes(plant: &Plant, mechanics: &Mechanics, count: usize) -> Result<Vec<PlantMode>, PlantError> {
    let most = 6 * (plant.len() - 1);
    if count == 0 || count > most {
        return Err(PlantError::TooMany { count, most });
    }
    let mut inverse = Inverse { mechanics, scratch: vec![[0.0; LANES]; 6 * plant.len()] };
    let (vectors, found, slack) = if most <= SMALL {
        let (vectors, slowest) = inverse.all_pairs();
        (vectors, most, ROUNDING * slowest)
    } else {
        let pairs = largest(&mut inverse, count).map_err(|_| PlantError::NotConverged)?;
        (pairs.vectors, pairs.values.len(), 0.0)
    };
    let mut modes = Vec::with_capacity(found);
    for x in &vectors {
        modes.extend(inverse.vibrations(x, slack)?);
        if modes.len() >= found.min(count + LANES) {
            break; // of a small plant more are there than are wanted
        }
    }
    modes.truncate(found);
    modes.sort_by(|a, b| a.eigenvalue.total_cmp(&b.eigenvalue));
    let mut probes = Probes::new(plant, mechanics);
    pin_by(&mut modes, &mut |probe, shape| probes.work(probe, shape));
    modes.truncate(count);
    let mode = |raw: Raw| PlantMode {
        omega_squared: raw.eigenvalue,
        shape: raw.shape.chunks_exact(6).map(Vec6::from_column_slice).collect(),
    };
    Ok(modes.into_iter().map(mode).collect())
}

/// L⁻¹ M L⁻ᵀ.
struct Inverse<'a> {
    mechanics: &'a Mechanics,
    scratch: Block,
}

impl Operator for Inverse<'_> {
    fn rows(&self) -> usize {
        self.scratch.len()
    }

    fn dimension(&self) -> usize {
        self.scratch.len() - 6
    }

    fn apply(&mut self, x: &[Row], out: &mut [Row]) {
        self.scratch.copy_from_slice(x);
        self.mechanics.factor().solve_upper(&mut self.scratch);
        self.mechanics.mass().multiply(&self.scratch, out);
        self.mechanics.factor().solve_lower(out);
    }

    /// The root is clamped.
    fn restrict(&self, x: &mut [Row]) {
        x[..6].fill([0.0; LANES]);
    }
}

impl Inverse<'_> {
    /// All eigenvectors, of the largest eigenvalue first, and that.
    fn all_pairs(&mut self) -> (Vec<Block>, f64) {
        let (rows, n) = (self.rows(), self.dimension());
        let mut a = DMatrix::zeros(n, n);
        let mut image = vec![[0.0; LANES]; rows];
        for first in (0..n).step_by(LANES) {
            let mut x = vec![[0.0; LANES]; rows];
            let lanes = LANES.min(n - first);
            (0..lanes).for_each(|l| x[rows - n + first + l][l] = 1.0);
            self.apply(&x, &mut image);
            for (row, l) in (0..n).flat_map(|row| (0..lanes).map(move |l| (row, l))) {
                a[(row, first + l)] = image[rows - n + row][l];
            }
        }
        let eigen = ((&a + a.transpose()) * 0.5).symmetric_eigen();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]).then(a.cmp(&b)));
        let block = |few: &[usize]| -> Block {
            let mut x = vec![[0.0; LANES]; rows];
            for (l, &column) in few.iter().enumerate() {
                (0..n).for_each(|row| x[rows - n + row][l] = eigen.eigenvectors[(row, column)]);
            }
            x
        };
        let slowest = order.first().map_or(0.0, |&first| eigen.eigenvalues[first]);
        (order.chunks(LANES).map(block).collect(), slowest)
    }

    /// Eigenvectors as vibrations; padding, which is 0, is none. They may leave `slack` more than their own share.
    fn vibrations(&mut self, x: &[Row], slack: f64) -> Result<Vec<Raw>, PlantError> {
        let mut image = vec![[0.0; LANES]; x.len()];
        self.apply(x, &mut image);
        // `apply` leaves L⁻ᵀ x there.
        let u = &self.scratch;
        let mut raws = Vec::new();
        for l in 0..LANES {
            let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
                x.iter().zip(&image).map(|(x, image)| term(x[l], image[l])).sum()
            };
            let length = sum(&|x, _| x * x);
            if length == 0.0 {
                continue;
            }
            // The Rayleigh quotient is right to the square of what the vector is off by.
            let mu = sum(&|x, image| x * image) / length;
            let residual = sum(&|x, image| math::square(image - mu * x)).sqrt();
            if mu.is_nan() || mu <= 0.0 || residual.is_nan() || residual > LARGEST_RESIDUAL * mu + slack {
                return Err(PlantError::NotConverged);
            }
            let scale = 1.0 / (mu * length).sqrt();
            raws.push(Raw { eigenvalue: 1.0 / mu, shape: u.iter().map(|u| u[l] * scale).collect() });
        }
        Ok(raws)
    }
}

/// The force fields that pin signs, on the mass of the nodes.
struct Probes<'a> {
    plant: &'a Plant,
    /// Half of each element's mass at either end, kg.
    masses: Vec<f64>,
    centre: Vec3,
    /// Root mean square distance of mass from the centre, m.
    size: f64,
    made: Vec<Vec<f64>>,
}

impl<'a> Probes<'a> {
    fn new(plant: &'a Plant, mechanics: &Mechanics) -> Self {
        let mut masses = vec![0.0; plant.len()];
        for (node, parent, beam) in mechanics.elements() {
            let half = 0.5 * beam.section.mass * beam.length;
            masses[node] += half;
            masses[parent] += half;
        }
        let total: f64 = masses.iter().sum();
        let weighted = || masses.iter().zip(&plant.nodes);
        let centre = weighted().map(|(mass, at)| at * *mass).sum::<Vec3>() / total;
        let spread: f64 = weighted().map(|(mass, at)| mass * (at - centre).norm_squared()).sum();
        let size = (spread / total).sqrt().max(f64::MIN_POSITIVE);
        Self { plant, masses, centre, size, made: Vec::new() }
    }

    fn work(&mut self, k: usize, shape: &[f64]) -> f64 {
        while self.made.len() <= k {
            self.made.push(self.make(self.made.len()));
        }
        self.made[k].iter().zip(shape).map(|(force, u)| force * u).sum()
    }

    /// Forces on all coordinates, scaled so that their work is at most about 1 on unit kinetic energy.
    fn make(&self, k: usize) -> Vec<f64> {
        let mut forces = vec![0.0; 6 * self.plant.len()];
        let mut norm = 0.0;
        for (node, (at, mass)) in self.plant.nodes.iter().zip(&self.masses).enumerate() {
            let (push, _) = probe_field(k, (at - self.centre) / self.size);
            norm += mass * push.norm_squared();
            (0..3).for_each(|axis| forces[6 * node + axis] = mass * push[axis]);
        }
        let scale = if norm > 0.0 { 1.0 / norm.sqrt() } else { 0.0 };
        for force in &mut forces {
            *force *= scale;
        }
        forces
    }
}
