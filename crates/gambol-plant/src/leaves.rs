//! Leaves: at the tips and along the last twigs; they follow their nodes and flutter.

use gambol_model::{Random, Vec3, math};

use crate::Plant;

gambol_model::settings! {
    /// How leaves look and flutter.
    pub struct LeafSettings {
        /// Length of a leaf, m.
        size: f64 = 0.12, Positive;
        /// Elements thinner than this share of the thickest bear leaves.
        twigs: f64 = 0.08, Share;
        /// Flutter, Hz: leaves of broadleaves shake at some hertz.
        rate: f64 = 4.0, Positive;
        /// Speed of the wind at which flutter is two thirds of what it can be, m/s.
        brisk: f64 = 6.0, Positive;
    }
}

/// One leaf, or a spray of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaf {
    /// The node that it follows.
    pub node: usize,
    /// Where its middle is, from the node, m.
    pub offset: Vec3,
    /// rad
    pub(crate) phase: f64,
    /// Hz
    pub(crate) rate: f64,
    /// Half of its size, m.
    pub radius: f64,
}

/// The leaves of a plant; always the same.
pub fn leaves(plant: &Plant, settings: &LeafSettings) -> Vec<Leaf> {
    let thickest = plant.radii.iter().skip(1).copied().fold(0.0, f64::max);
    let tips = plant.tips();
    let mut random = Random::new(0x6c65_6166);
    let bears =
        |node: usize| tips[node] || plant.orders[node] > 1 && plant.radii[node] < settings.twigs * thickest;
    (1..plant.len())
        .filter(|&node| bears(node))
        .map(|node| {
            let mut aside = Vec3::zeros();
            (0..3).for_each(|axis| aside[axis] = random.symmetric());
            let size = settings.size * (0.7 + 0.6 * random.unit());
            Leaf {
                node,
                offset: aside * (0.5 * size),
                phase: std::f64::consts::PI * random.symmetric(),
                rate: settings.rate * (0.7 + 0.6 * random.unit()),
                radius: 0.5 * size,
            }
        })
        .collect()
}

impl Leaf {
    /// How far it is off its place in a wind (m/s) at a time (s), m: across the wind, more in stronger wind.
    pub fn flutter(&self, wind: Vec3, time: f64, settings: &LeafSettings) -> Vec3 {
        let speed = wind.norm();
        if speed == 0.0 {
            return Vec3::zeros();
        }
        let strength = math::tanh(0.8 * speed / settings.brisk);
        let angle = std::f64::consts::TAU * self.rate * time + self.phase;
        let across = Vec3::new(-wind.y, wind.x, 0.6 * speed) / speed;
        (wind * (0.4 / speed) + across * (0.5 * math::sin(angle))) * (strength * self.radius)
    }
}
