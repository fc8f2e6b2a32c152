//! What a mode does, in words and shares: which branches move, and which way.

use gambol_model::{Vec3, math};
use serde::Serialize;

use crate::{Mechanics, Plant, PlantMode};

/// A limb with at least this share of a mode's energy has the mode to itself.
const LIMB: f64 = 0.5;
/// A crown whose wood goes one way with at least this share of what it could sways as one.
const TOGETHER: f64 = 0.25;
/// Of turning about the vertical through the root, the same.
const TWIST: f64 = 0.4;

/// What a mode does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlantReading {
    /// "crown sways forwards", "lower left limb nods".
    pub name: String,
    /// Share of the kinetic energy in the trunk, in its branches, in theirs, and so on.
    pub energy_by_order: Vec<f64>,
    /// Share of the whole mass that goes along, as if rigid: 1 for a plant that slides as one.
    pub participation: f64,
}

/// Reads modes of one plant.
#[derive(Debug)]
pub struct PlantReader<'a> {
    plant: &'a Plant,
    /// kg, half of each element at either end
    masses: Vec<f64>,
    /// For each node, the node where its limb (a branch of the trunk) begins; the root for the trunk itself.
    limbs: Vec<usize>,
}

impl<'a> PlantReader<'a> {
    /// Of a plant of wood.
    pub fn new(plant: &'a Plant, mechanics: &Mechanics) -> Self {
        let mut masses = vec![0.0; plant.len()];
        for (node, parent, beam) in mechanics.elements() {
            let half = 0.5 * beam.section.mass * beam.length;
            masses[node] += half;
            masses[parent] += half;
        }
        let mut limbs = vec![0; plant.len()];
        for node in 1..plant.len() {
            let parent = plant.parents[node];
            limbs[node] = match (plant.orders[node], plant.orders[parent]) {
                (0, _) => 0,
                (_, 0) => node,
                _ => limbs[parent],
            };
        }
        Self { plant, masses, limbs }
    }

    /// Of one mode.
    pub fn read(&self, mode: &PlantMode) -> PlantReading {
        let energy = |node: usize| self.masses[node] * mode.displacement(node).norm_squared();
        let total = (0..self.plant.len()).map(energy).sum::<f64>().max(f64::MIN_POSITIVE);
        let deepest = self.plant.orders.iter().copied().max().unwrap_or(0) as usize;
        let mut energy_by_order = vec![0.0; deepest + 1];
        let mut by_limb = vec![0.0; self.plant.len()];
        for node in 0..self.plant.len() {
            energy_by_order[self.plant.orders[node] as usize] += energy(node) / total;
            by_limb[self.limbs[node]] += energy(node) / total;
        }
        let mass: f64 = self.masses.iter().sum();
        let momentum: Vec3 =
            (0..self.plant.len()).map(|node| mode.displacement(node) * self.masses[node]).sum();
        let participation = momentum.norm_squared() / (mass * total);
        let name = self.name(mode, &by_limb, momentum, participation, total);
        PlantReading { name, energy_by_order, participation }
    }

    fn name(
        &self,
        mode: &PlantMode,
        by_limb: &[f64],
        momentum: Vec3,
        participation: f64,
        total: f64,
    ) -> String {
        if participation >= TOGETHER {
            return format!("crown sways {}", way(momentum));
        }
        if self.twist(mode, total) >= TWIST {
            return "crown twists".to_owned();
        }
        let strongest = (1..by_limb.len()).max_by(|&a, &b| by_limb[a].total_cmp(&by_limb[b]));
        match strongest {
            Some(limb) if by_limb[limb] >= LIMB => format!("{} {}", self.place(limb), self.verb(mode, limb)),
            Some(limb) if by_limb[limb] >= 0.5 * LIMB => {
                format!("{} and others {}", self.place(limb), self.verb(mode, limb).trim_end_matches('s'))
            }
            _ => "branches sway against each other".to_owned(),
        }
    }

    /// Share of the energy that is a turn about the vertical through the root.
    fn twist(&self, mode: &PlantMode, total: f64) -> f64 {
        let (mut moment, mut inertia) = (0.0, 0.0);
        for node in 0..self.plant.len() {
            let arm = self.plant.nodes[node] - self.plant.nodes[0];
            let u = mode.displacement(node);
            moment += self.masses[node] * (arm.x * u.y - arm.y * u.x);
            inertia += self.masses[node] * (arm.x * arm.x + arm.y * arm.y);
        }
        if inertia > 0.0 { moment * moment / (inertia * total) } else { 0.0 }
    }

    /// "lower left limb": by the height where it begins and the side that its wood lies on, x being forwards and y left.
    fn place(&self, limb: usize) -> String {
        let [low, high] = self.plant.bounds();
        let begins = self.plant.nodes[self.plant.parents[limb]];
        let height = (begins.z - low.z) / (high.z - low.z).max(f64::MIN_POSITIVE);
        let level = match height {
            h if h < 0.4 => "lower",
            h if h < 0.7 => "middle",
            _ => "upper",
        };
        let of_limb = || (0..self.plant.len()).filter(|node| self.limbs[*node] == limb);
        let mass: f64 = of_limb().map(|node| self.masses[node]).sum();
        let centre = of_limb().map(|node| self.plant.nodes[node] * self.masses[node]).sum::<Vec3>() / mass;
        let out = centre - begins;
        let side = if out.x.abs() > out.y.abs() {
            if out.x > 0.0 { "front" } else { "rear" }
        } else if out.y > 0.0 {
            "left"
        } else {
            "right"
        };
        format!("{level} {side} limb")
    }

    /// Up and down, or level.
    fn verb(&self, mode: &PlantMode, limb: usize) -> &'static str {
        let (mut upright, mut all) = (0.0, 0.0);
        for node in (0..self.plant.len()).filter(|node| self.limbs[*node] == limb) {
            let u = mode.displacement(node);
            upright += self.masses[node] * u.z * u.z;
            all += self.masses[node] * u.norm_squared();
        }
        if upright > 0.5 * all { "nods" } else { "sways" }
    }
}

/// The level direction of a motion, x being forwards.
fn way(momentum: Vec3) -> &'static str {
    let angle = math::atan2(momentum.y.abs(), momentum.x.abs());
    if momentum.z.abs() > momentum.xy().norm() {
        "up and down"
    } else if angle < std::f64::consts::FRAC_PI_6 {
        "forwards"
    } else if angle > std::f64::consts::FRAC_PI_3 {
        "sideways"
    } else {
        "aslant"
    }
}
