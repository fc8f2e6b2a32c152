//! Lengths of branches under large motion (Diener et al. 2009, section 5.2, equations 17 to 19).
//!
//! A mode moves nodes along straight lines, so that branches grow as they bend. For samples of a mode's coordinate every node
//! is pulled towards its parent, from the root on, until its element has its length again; the way that it then takes is
//! fitted by u(q) = s v + s² w with s = a arctan(b q).

use gambol_model::{Vec3, math};

use crate::{Foliage, Plant, PlantMode};

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

impl CorrectionSettings {
    /// Trees break where grass lies down and gets up again.
    pub fn of(plant: &Plant) -> Self {
        let usual = Self::default();
        if plant.foliage == Foliage::Blades { Self { reach: 0.45, turn: 1.4, ..usual } } else { usual }
    }
}

/// Values of b q at the largest sample that are tried: from straight to strongly bent.
const BENDS: [f64; 10] = [1e-3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5];

/// The way of one node along one mode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BentWay {
    /// s = a arctan(b q)
    pub a: f64,
    /// 1 over the mode's coordinate.
    pub b: f64,
    /// The largest coordinate that the way was fitted to; a branch that is driven farther stays there.
    pub largest: f64,
    /// m
    pub v: Vec3,
    /// m
    pub w: Vec3,
}

impl BentWay {
    /// Displacement at the coordinate q.
    pub fn at(&self, q: f64) -> Vec3 {
        let s = self.a * math::atan(self.b * q.clamp(-self.largest, self.largest));
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
    // Displacements at q and −q: half their difference is odd in q, half their sum even.
    let halves: Vec<[Vec<Vec3>; 2]> = samples
        .iter()
        .map(|&q| {
            let (there, back) = (bend(plant, mode, q), bend(plant, mode, -q));
            let half = |sign: f64| there.iter().zip(&back).map(|(a, b)| (a + b * sign) * 0.5).collect();
            [half(-1.0), half(1.0)]
        })
        .collect();
    let attempts = BENDS.iter().map(|bend| fit(&samples, &halves, bend / largest));
    attempts.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, ways)| ways).unwrap_or_default()
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

/// Least squares for v and w of all nodes with one b, and what is left. s is odd and s² even in q, so that the two do not disturb
/// each other. The paper has a b for each node; but with one for all, what is fitted to two neighbours is fitted to the element
/// between them too, and its length is kept as well as its way: the walnut's worst element at 1 m is off by 0.15 %, and by 40 % with
/// a b for each node.
fn fit(samples: &[f64], halves: &[[Vec<Vec3>; 2]], b: f64) -> (f64, Vec<BentWay>) {
    let a = 1.0 / b;
    let largest = samples.last().copied().unwrap_or(0.0);
    let s: Vec<f64> = samples.iter().map(|q| a * math::atan(b * q)).collect();
    let second: f64 = s.iter().map(|s| s * s).sum();
    let fourth: f64 = s.iter().map(|s| s * s * s * s).sum();
    let nodes = halves.first().map_or(0, |[odd, _]| odd.len());
    let mut left = 0.0;
    let mut ways = Vec::with_capacity(nodes);
    for node in 0..nodes {
        let both = || s.iter().zip(halves).map(|(s, [odd, even])| (*s, odd[node], even[node]));
        let v = both().map(|(s, odd, _)| odd * s).sum::<Vec3>() / second;
        let w = both().map(|(s, _, even)| even * (s * s)).sum::<Vec3>() / fourth;
        let off = |(s, odd, even): (f64, Vec3, Vec3)| {
            (odd - v * s).norm_squared() + (even - w * (s * s)).norm_squared()
        };
        left += both().map(off).sum::<f64>();
        ways.push(BentWay { a, b, largest, v, w });
    }
    (left, ways)
}
