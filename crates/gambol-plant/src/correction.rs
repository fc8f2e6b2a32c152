//! Lengths of branches under large motion (Diener et al. 2009, section 5.2, equations 17 to 19).
//!
//! A mode moves nodes along straight lines, so that branches grow as they bend. For samples of a mode's coordinate every node
//! is pulled towards its parent, from the root on, until its element has its length again; the way that it then takes is
//! fitted by u(q) = s v + s² w with s = a arctan(b q).

use gambol_model::{Vec3, math};

use crate::{Plant, PlantMode};

gambol_model::settings! {
    /// How far and how finely the correction is fitted.
    pub struct CorrectionSettings {
        /// Largest displacement of a node that it is made for, in parts of the plant's height: a gale.
        reach: f64 = 0.2, Positive;
        /// Largest turn of an element that it is made for, rad; beyond, a branch would break.
        turn: f64 = 1.0, Positive;
        /// Samples on either side of rest.
        samples: usize = 6, AtLeastOne;
    }
}

/// Values of b q at the largest sample that are tried: from straight to strongly bent.
const BENDS: [f64; 10] = [1e-3, 0.2, 0.4, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 3.0];

/// The way of one node along one mode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BentWay {
    /// s = a arctan(b q)
    pub a: f64,
    /// 1 over the mode's coordinate.
    pub b: f64,
    /// m
    pub v: Vec3,
    /// m
    pub w: Vec3,
}

impl BentWay {
    /// Displacement at the coordinate q.
    pub fn at(&self, q: f64) -> Vec3 {
        let s = self.a * math::atan(self.b * q);
        self.v * s + self.w * (s * s)
    }
}

/// The ways of all nodes along each mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// By mode, then by node.
    pub ways: Vec<Vec<BentWay>>,
}

impl Correction {
    /// Fits all ways.
    pub fn new(plant: &Plant, modes: &[PlantMode], settings: &CorrectionSettings) -> Self {
        Self { ways: modes.iter().map(|mode| ways(plant, mode, settings)).collect() }
    }
}

fn ways(plant: &Plant, mode: &PlantMode, settings: &CorrectionSettings) -> Vec<BentWay> {
    let largest = farthest(plant, mode, settings);
    let samples: Vec<f64> =
        (1..=settings.samples).map(|k| largest * k as f64 / settings.samples as f64).collect();
    // Displacements at q and −q: their difference is odd in q, their sum even.
    let bent: Vec<[Vec<Vec3>; 2]> =
        samples.iter().map(|&q| [bend(plant, mode, q), bend(plant, mode, -q)]).collect();
    let way = |node: usize| {
        let odd: Vec<Vec3> = bent.iter().map(|[p, m]| (p[node] - m[node]) * 0.5).collect();
        let even: Vec<Vec3> = bent.iter().map(|[p, m]| (p[node] + m[node]) * 0.5).collect();
        fit(&samples, &odd, &even)
    };
    (0..plant.len()).map(way).collect()
}

/// The largest coordinate that the correction is for.
fn farthest(plant: &Plant, mode: &PlantMode, settings: &CorrectionSettings) -> f64 {
    let [low, high] = plant.bounds();
    let by_reach = settings.reach * (high - low).norm() / mode.reach().max(f64::MIN_POSITIVE);
    let turn = |node: usize| {
        (mode.displacement(node) - mode.displacement(plant.parents[node])).norm() / plant.length(node)
    };
    let by_turn = settings.turn / (1..plant.len()).map(turn).fold(f64::MIN_POSITIVE, f64::max);
    by_reach.min(by_turn)
}

/// Displacements at the coordinate q after each element is brought back to its length, from the root on.
pub fn bend(plant: &Plant, mode: &PlantMode, q: f64) -> Vec<Vec3> {
    let mut places = plant.nodes.clone();
    for node in 1..plant.len() {
        let parent = plant.parents[node];
        let rest = plant.nodes[node] - plant.nodes[parent];
        let stretched = rest + (mode.displacement(node) - mode.displacement(parent)) * q;
        let length = stretched.norm();
        let along = if length > 0.0 { stretched / length } else { rest / rest.norm() };
        places[node] = places[parent] + along * rest.norm();
    }
    places.iter().zip(&plant.nodes).map(|(place, rest)| place - rest).collect()
}

/// Least squares for v and w at each bend that is tried; the best is kept. s is odd and s² even in q, so that the two do not
/// disturb each other.
fn fit(samples: &[f64], odd: &[Vec3], even: &[Vec3]) -> BentWay {
    let largest = samples.last().copied().unwrap_or(1.0);
    let attempt = |bend: f64| {
        let b = bend / largest;
        let a = 1.0 / b;
        let s: Vec<f64> = samples.iter().map(|q| a * math::atan(b * q)).collect();
        let second: f64 = s.iter().map(|s| s * s).sum();
        let fourth: f64 = s.iter().map(|s| s * s * s * s).sum();
        let v = s.iter().zip(odd).map(|(s, u)| u * *s).sum::<Vec3>() / second;
        let w = s.iter().zip(even).map(|(s, u)| u * (s * s)).sum::<Vec3>() / fourth;
        let error: f64 = s
            .iter()
            .zip(odd.iter().zip(even))
            .map(|(s, (odd, even))| (odd - v * *s).norm_squared() + (even - w * (s * s)).norm_squared())
            .sum();
        (error, BentWay { a, b, v, w })
    };
    let best = BENDS.iter().map(|bend| attempt(*bend)).min_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, way)| way).unwrap_or_default()
}
