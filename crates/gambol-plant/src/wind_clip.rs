//! A plant in the wind for some seconds: frame by frame, and what came of it in numbers.

use gambol_model::Vec3;
use serde::Serialize;

use crate::oscillator::Stepping;
use crate::{
    Correction, CorrectionSettings, Leaf, Mechanics, Plant, PlantError, PlantMode, Sway, SwaySettings, Wind,
    WindBasis,
};

/// Steps a second at least: gusts of 3 Hz have twenty.
const STEPS: f64 = 60.0;
/// s before the first frame, so that gusts have set in.
const BEFORE: f64 = 6.0;

/// A plant ready to move, and for how long.
#[derive(Clone, Debug)]
pub struct WindStage {
    /// What moves.
    pub plant: Plant,
    /// Of its wood.
    pub mechanics: Mechanics,
    /// Its slowest vibrations.
    pub modes: Vec<PlantMode>,
    /// What wind does to them.
    pub basis: WindBasis,
    /// What blows.
    pub wind: Wind,
    /// Damping; the step follows from the frames.
    pub sway: SwaySettings,
    /// How oscillators go on.
    pub stepping: Stepping,
    /// Whether branches keep their lengths.
    pub keeps_lengths: bool,
    /// What flutters on it.
    pub leaves: Vec<Leaf>,
    /// How many nodes a file for viewers has.
    pub nodes: Option<usize>,
    /// s of each frame.
    pub times: Vec<f64>,
    /// Frames a second.
    pub fps: f64,
    /// Steps between two frames.
    substeps: usize,
}

/// How a plant moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Swayed {
    /// m/s at each time.
    pub winds: Vec<Vec3>,
    /// Of all modes at each time.
    pub coordinates: Vec<Vec<f64>>,
    /// Of all nodes at each time, m.
    pub displacements: Vec<Vec<Vec3>>,
    /// γ of each mode, 1/s, the air's included.
    pub gammas: Vec<f64>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WindReport {
    /// Of the plant.
    pub name: String,
    /// Of the plant.
    pub nodes: usize,
    /// kg
    pub mass: f64,
    /// Of the clip.
    pub seconds: f64,
    /// m/s
    pub mean_wind: [f64; 3],
    /// Hz
    pub frequencies: Vec<f64>,
    /// Of critical damping, that of the air included.
    pub damping_ratios: Vec<f64>,
    /// Where the top is under the mean wind, m from its place at rest.
    pub top_steady: [f64; 3],
    /// Farthest that the top comes from its place at rest, m.
    pub top_farthest: f64,
    /// Standard deviation of the top along each axis, m.
    pub top_spread: [f64; 3],
    /// Mean and largest change of an element's length over all frames, in parts of it.
    pub length_errors: [f64; 2],
    /// Files that were written.
    pub files: Vec<String>,
}

impl WindStage {
    /// A plant in the wind for so many seconds at so many frames a second, with branches that keep their lengths.
    pub fn new(
        plant: Plant,
        (mechanics, modes, basis): (Mechanics, Vec<PlantMode>, WindBasis),
        wind: Wind,
        sway: &SwaySettings,
        (seconds, fps): (f64, f64),
    ) -> Self {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few
        let substeps = (STEPS / fps).ceil().max(1.0) as usize;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // as many as the caller can keep
        let frames = (seconds * fps).round().max(0.0) as usize + 1;
        Self {
            plant,
            mechanics,
            modes,
            basis,
            wind,
            sway: SwaySettings { step: 1.0 / (fps * substeps as f64), ..sway.clone() },
            stepping: Stepping::Exact,
            keeps_lengths: true,
            leaves: Vec::new(),
            nodes: None,
            times: (0..frames).map(|k| k as f64 / fps).collect(),
            fps,
            substeps,
        }
    }

    /// Lets the wind blow.
    pub fn sway(&self) -> Result<Swayed, PlantError> {
        let correction = self
            .keeps_lengths
            .then(|| Correction::new(&self.plant, &self.modes, &CorrectionSettings::of(&self.plant)));
        let mut sway = Sway::new(&self.modes, &self.basis, &self.sway, self.wind.mean(), self.stepping)?;
        let step = sway.time_step();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // some hundreds
        let before = (BEFORE / step).round() as usize;
        let root = self.plant.nodes[0];
        for k in (1..=before).rev() {
            sway.step(&self.basis, self.wind.at(root, -(k as f64) * step));
        }
        let mut swayed = Swayed {
            winds: Vec::new(),
            coordinates: Vec::new(),
            displacements: Vec::new(),
            gammas: sway.gammas().to_vec(),
        };
        for time in &self.times {
            let mut moved = Vec::new();
            sway.displacements(&self.modes, &self.basis, correction.as_ref(), &mut moved);
            if moved.iter().any(|u| !u.iter().all(|x| x.is_finite())) {
                return Err(PlantError::Exploded { time: *time });
            }
            swayed.winds.push(self.wind.at(root, *time));
            swayed.coordinates.push(sway.states().iter().map(|state| state[0]).collect());
            swayed.displacements.push(moved);
            for k in 0..self.substeps {
                sway.step(&self.basis, self.wind.at(root, time + k as f64 * step));
            }
        }
        Ok(swayed)
    }

    /// Where all nodes are in a frame, m.
    pub fn places(&self, swayed: &Swayed, frame: usize) -> Vec<Vec3> {
        self.plant.nodes.iter().zip(&swayed.displacements[frame]).map(|(at, u)| at + u).collect()
    }

    /// What came of it, in numbers.
    pub fn report(&self, swayed: &Swayed) -> WindReport {
        let top = self.plant.top();
        let tops = || swayed.displacements.iter().map(|moved| moved[top]);
        let count = swayed.displacements.len() as f64;
        let mean = tops().sum::<Vec3>() / count;
        let spread = tops().map(|u| (u - mean).component_mul(&(u - mean))).sum::<Vec3>() / count;
        let ratio = |(mode, gamma): (&PlantMode, &f64)| 0.5 * gamma / mode.omega_squared.sqrt();
        WindReport {
            name: self.plant.name.clone(),
            nodes: self.plant.len(),
            mass: self.mechanics.total_mass(),
            seconds: self.times.last().copied().unwrap_or(0.0),
            mean_wind: self.wind.mean().into(),
            frequencies: self.modes.iter().map(PlantMode::frequency).collect(),
            damping_ratios: self.modes.iter().zip(&swayed.gammas).map(ratio).collect(),
            top_steady: self.steady(top).into(),
            top_farthest: tops().map(|u| u.norm()).fold(0.0, f64::max),
            top_spread: spread.map(f64::sqrt).into(),
            length_errors: self.length_errors(swayed),
            files: Vec::new(),
        }
    }

    /// Displacement of a node under the mean wind, m.
    fn steady(&self, node: usize) -> Vec3 {
        let mean = self.wind.mean();
        let load = mean * mean.norm();
        let bent = self.modes.iter().enumerate().map(|(index, mode)| {
            mode.displacement(node) * (self.basis.force(index, mean) / mode.omega_squared)
        });
        bent.sum::<Vec3>() + (0..3).map(|axis| self.basis.residual[axis][node] * load[axis]).sum::<Vec3>()
    }

    /// Mean and largest change of an element's length over all frames, in parts of it.
    fn length_errors(&self, swayed: &Swayed) -> [f64; 2] {
        let plant = &self.plant;
        let (mut sum, mut most, mut number) = (0.0, 0.0_f64, 0.0);
        for moved in &swayed.displacements {
            for node in 1..plant.len() {
                let parent = plant.parents[node];
                let now = (plant.nodes[node] + moved[node] - plant.nodes[parent] - moved[parent]).norm();
                let error = (now / plant.length(node) - 1.0).abs();
                sum += error;
                most = most.max(error);
                number += 1.0;
            }
        }
        [sum / number, most]
    }
}
