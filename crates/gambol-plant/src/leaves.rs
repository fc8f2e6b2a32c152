//! Leaves: at the tips and along the last twigs; they follow their nodes and flutter.

use gambol_model::{Random, Vec3, math};
use serde::Serialize;

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

/// What grows on the twigs of a plant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Foliage {
    /// Leaves at the tips and along the last twigs.
    #[default]
    Broad,
    /// Sprays of needles along all branches.
    Needles,
    /// Leaflets on both sides of every branch.
    Fronds,
    /// None: the blades are the stems.
    Blades,
}

/// One leaf, or a spray of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaf {
    /// The node that it follows.
    pub node: usize,
    /// Where its middle is, from the node, m.
    pub offset: Vec3,
    /// From its stalk to its tip, of length 1.
    pub out: Vec3,
    /// Of its flutter, rad.
    pub phase: f64,
    /// Of its flutter, Hz.
    pub rate: f64,
    /// Half of its length, m.
    pub radius: f64,
}

impl LeafSettings {
    /// Leaves that fit the plant: those of a sapling are not those of an oak.
    pub fn of(plant: &Plant) -> Self {
        let usual = Self::default();
        let size = match plant.foliage {
            Foliage::Broad | Foliage::Blades => usual.size,
            Foliage::Needles => NEEDLES,
            Foliage::Fronds => LEAFLET,
        };
        Self { size: size.min(0.04 * plant.height().max(f64::MIN_POSITIVE)), ..usual }
    }
}

/// Length of a spray of needles, m: a year's growth.
const NEEDLES: f64 = 0.42;
/// Length of a leaflet in the middle of a frond, m.
const LEAFLET: f64 = 0.55;

/// The leaves of a plant; always the same.
pub fn leaves(plant: &Plant, settings: &LeafSettings) -> Vec<Leaf> {
    let mut grower = LeafGrower { settings, random: Random::new(0x6c65_6166), leaves: Vec::new() };
    let thickest = plant.radii.iter().skip(1).copied().fold(0.0, f64::max);
    let tips = plant.tips();
    for (node, tip) in tips.iter().enumerate().skip(1) {
        let order = plant.orders[node];
        let element = plant.nodes[node] - plant.nodes[plant.parents[node]];
        match plant.foliage {
            Foliage::Broad if *tip || order > 1 && plant.radii[node] < settings.twigs * thickest => {
                grower.leaf(node);
            }
            Foliage::Needles if order > 0 => grower.sprays(node, element),
            Foliage::Fronds if order > 0 => grower.leaflets(node, element, *tip),
            _ => {}
        }
    }
    grower.leaves
}

struct LeafGrower<'s> {
    settings: &'s LeafSettings,
    random: Random,
    leaves: Vec<Leaf>,
}

impl LeafGrower<'_> {
    fn push(&mut self, node: usize, offset: Vec3, out: Vec3, size: f64) {
        self.leaves.push(Leaf {
            node,
            offset,
            out: if out.norm() > 0.0 { out.normalize() } else { Vec3::z() },
            phase: std::f64::consts::PI * self.random.symmetric(),
            rate: self.settings.rate * (0.7 + 0.6 * self.random.unit()),
            radius: 0.5 * size,
        });
    }

    /// One that stands off its twig anyhow.
    fn leaf(&mut self, node: usize) {
        let aside = Vec3::from_fn(|_, _| self.random.symmetric());
        let size = self.settings.size * (0.7 + 0.6 * self.random.unit());
        self.push(node, aside * (0.5 * size), aside, size);
    }

    /// Sprays along an element, as close as they are long; they lie along it and hang a little.
    fn sprays(&mut self, node: usize, element: Vec3) {
        let long = element.norm();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few
        let count = (long / (0.7 * self.settings.size)).round().clamp(1.0, 6.0) as usize;
        for k in 0..count {
            let back = (k as f64 + 0.3) / count as f64;
            let aside = Vec3::from_fn(|_, _| self.random.symmetric());
            let size = self.settings.size * (0.8 + 0.4 * self.random.unit());
            let out = element / long.max(f64::MIN_POSITIVE) + aside * 0.5 - Vec3::z() * 0.25;
            self.push(node, aside * (0.2 * size) - element * back, out, size);
        }
    }

    /// A pair of leaflets across an element, which hang; one ahead at the tip.
    fn leaflets(&mut self, node: usize, element: Vec3, tip: bool) {
        let along = element / element.norm().max(f64::MIN_POSITIVE);
        let across = along.cross(&Vec3::z());
        let across = if across.norm() > 1e-6 { across.normalize() } else { Vec3::x() };
        for (k, side) in [(0.0, -1.0), (0.0, 1.0), (0.5, -1.0), (0.5, 1.0)] {
            let size = self.settings.size * (0.85 + 0.3 * self.random.unit());
            let out = (across * side + along * 0.8 - Vec3::z() * 0.45).normalize();
            self.push(node, out * (0.5 * size) - element * k, out, size);
        }
        if tip {
            let size = 0.8 * self.settings.size;
            self.push(node, along * (0.5 * size), along, size);
        }
    }
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
