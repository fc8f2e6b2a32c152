//! The wind projection basis (Diener et al. 2009, section 4), and two things beyond it: static residual shapes, which make
//! steady wind exact whatever the number of modes, and the aerodynamic damping that the paper leaves to a guess.

use gambol_model::{Mat3, Vec3};
use gambol_modes::krylov::{Block, LANES};

use crate::beam::Vec6;
use crate::{Mechanics, PlantMode};

gambol_model::settings! {
    /// What air is like.
    pub struct AirSettings {
        /// ρ, kg/m³, of dry air at 20 °C.
        density: f64 = 1.2, Positive;
        /// C_D of equation 11. A cylinder across the flow has 1.0 to 1.2 at the Reynolds numbers of branches.
        drag: f64 = 1.0, AtLeastZero;
    }
}

impl AirSettings {
    /// C = ½ ρ C_D of equation 11, kg/m³.
    pub fn constant(&self) -> f64 {
        0.5 * self.density * self.drag
    }
}

/// Places and weights of Gauss' rule on 0..1 that is exact up to the seventh power: a product of two cubics has the sixth.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_92),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_1),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_1),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_92),
];

/// How wind acts on the modes of a plant.
#[derive(Clone, Debug, PartialEq)]
pub struct WindBasis {
    /// p_i = C ∫ D φ_i of equation 16: fᵢ = ‖v‖ v · pᵢ.
    pub projection: Vec<Vec3>,
    /// What the modes leave of the displacement under steady wind along each of the world's axes: m of every node per (m/s)².
    pub residual: [Vec<Vec3>; 3],
    /// C ∫ D φᵢ φᵢᵀ, from which the damping by the air follows.
    pub drag: Vec<Mat3>,
}

impl WindBasis {
    /// Of the modes of a plant, which are mass-normalised.
    pub fn new(mechanics: &Mechanics, modes: &[PlantMode], air: &AirSettings) -> Self {
        let constant = air.constant();
        let loads = loads(mechanics);
        let project = |mode: &PlantMode| {
            let sum = |axis: usize| -> f64 {
                let of_node =
                    |(node, u): (usize, &Vec6)| (0..6).map(|k| loads[6 * node + k][axis] * u[k]).sum::<f64>();
                mode.shape.iter().enumerate().skip(1).map(of_node).sum()
            };
            Vec3::new(sum(0), sum(1), sum(2)) * constant
        };
        let projection: Vec<Vec3> = modes.iter().map(project).collect();
        let mut steady = loads;
        mechanics.factor().solve(&mut steady);
        let residual = std::array::from_fn(|axis| {
            let mut left: Vec<Vec3> = (0..mechanics.nodes())
                .map(|node| Vec3::from_fn(|k, _| steady[6 * node + k][axis]) * constant)
                .collect();
            for (mode, p) in modes.iter().zip(&projection) {
                let q = p[axis] / mode.omega_squared;
                left.iter_mut().enumerate().for_each(|(node, left)| *left -= mode.displacement(node) * q);
            }
            left
        });
        let drag = modes.iter().map(|mode| drag_of(mechanics, mode) * constant).collect();
        Self { projection, residual, drag }
    }

    /// The force on each mode under a wind, by equation 16.
    pub fn force(&self, mode: usize, wind: Vec3) -> f64 {
        self.projection[mode].dot(&wind) * wind.norm()
    }

    /// The damping of a mode by the air, 1/s, linearised about a mean wind: with the relative velocity v − ṗ in equation 11,
    /// ‖v − ṗ‖(v − ṗ) ≈ ‖v‖v − (‖v‖ 1 + v vᵀ/‖v‖) ṗ, so that γ = ‖v‖ (tr S + v̂ᵀ S v̂) with S = C ∫ D φ φᵀ. What couples modes
    /// to each other is left out.
    pub fn aerodynamic_damping(&self, mode: usize, mean_wind: Vec3) -> f64 {
        let speed = mean_wind.norm();
        if speed == 0.0 {
            return 0.0;
        }
        let along = mean_wind / speed;
        speed * (self.drag[mode].trace() + along.dot(&(self.drag[mode] * along)))
    }
}

/// ∫ D Nᵀ over the plant: forces of a wind of 1 m/s along each axis with C = 1, in the first three lanes.
fn loads(mechanics: &Mechanics) -> Block {
    let mut loads = vec![[0.0; LANES]; 6 * mechanics.nodes()];
    for (node, parent, beam) in mechanics.elements() {
        let diameter = 2.0 * beam.radius;
        for (end, load) in [parent, node].into_iter().zip(beam.load()) {
            for (k, axis) in (0..6).flat_map(|k| (0..3).map(move |axis| (k, axis))) {
                loads[6 * end + k][axis] += diameter * load[(k, axis)];
            }
        }
    }
    loads[..6].fill([0.0; LANES]); // the root stands
    loads
}

/// ∫ D φ φᵀ.
fn drag_of(mechanics: &Mechanics, mode: &PlantMode) -> Mat3 {
    let mut total = Mat3::zeros();
    for (node, parent, beam) in mechanics.elements() {
        let ends = beam.ends(&mode.shape[parent], &mode.shape[node]);
        let mut local = Mat3::zeros();
        for (s, weight) in GAUSS {
            let u = beam.local_displacement(s, &ends);
            local += u * u.transpose() * weight;
        }
        let turn = beam.local_from_world;
        total += turn.transpose() * local * turn * (2.0 * beam.radius * beam.length);
    }
    total
}
