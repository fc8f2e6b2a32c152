//! Poses as a Gaussian process of a few hidden coordinates: what Wu and others (2011) pose with.
//!
//! ```text
//! yᵢ = f(xᵢ) + noise,   f ~ GP(0, k)                         Gaussian process latent variable model (Lawrence 2005)
//! k(x, x') = α exp(−½ γ |x − x'|²) + ν,   noise β⁻¹
//! train:  X, Xᵤ, α, γ, ν, β ← argmax log p(Y | X, Xᵤ) − ½ |X|²      scaled conjugate gradients (Møller 1993)
//! pose:   x, y ← argmin  |y − f(x)|²/2σ²(x) + ½ D ln σ²(x) + ½ |x|² + handles      L-BFGS, in `pose`
//! ```
//!
//! y are the logarithms of joints at the mean pose, without the root. Equation 1 of the paper is missing from the text that we have; the sparse
//! approximations are those of Snelson and Ghahramani (2006) and Quiñonero-Candela and Rasmussen (2005), in the latent variable model
//! as in Lawrence (2007, "Learning for larger datasets with the Gaussian process latent variable model").

mod conjugate;
mod kernel;
mod lbfgs;
mod likelihood;
mod pose;

use std::ops::ControlFlow;

use gambol_dynamics::{Data, Goal};
use gambol_model::{Creature, Random, math};
use likelihood::{Hidden, Predictor, cost, predictor};
use nalgebra::DMatrix;

use super::{PoseFrames, Posed, RootMotion};
use crate::basis::eigen;
use crate::basis::metric::posture_dofs;
use crate::{Basis, BasisError, GeodesicSettings, Keep, Metric};

/// How the covariance of all frames is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessMethod {
    /// As it is: the cube of the number of frames in time.
    Full,
    /// Deterministic training conditional (Seeger and others 2003).
    Dtc,
    /// Partially independent training conditional (Quiñonero-Candela and Rasmussen 2005).
    Pitc,
    /// Fully independent training conditional (Snelson and Ghahramani 2006): the paper's choice.
    Fitc,
}

impl ProcessMethod {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Full, Self::Dtc, Self::Pitc, Self::Fitc];

    /// `gp`, `dtc`, `pitc` or `fitc`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "gp",
            Self::Dtc => "dtc",
            Self::Pitc => "pitc",
            Self::Fitc => "fitc",
        }
    }
}

gambol_model::settings! {
    /// Of a process of poses.
    pub struct ProcessSettings {
        /// Hidden coordinates: the paper's.
        latent: usize = 12, AtLeastOne;
        /// Inducing points: the paper's.
        inducing: usize = 200, AtLeastOne;
        /// Frames of a block of PITC: as many as there are inducing points make it as fast as the others.
        block: usize = 100, AtLeastOne;
        /// Which frames the inducing points begin at.
        seed: usize = 1, AtLeastZero;
        /// What a handle's distance counts beside the likelihood: the paper's, in squares of `unit`.
        handle_weight: f64 = 10.0, AtLeastZero;
        /// What the way of a free root counts: the paper's.
        root_weight: f64 = 200.0, AtLeastZero;
        /// What the change of a pose counts: the paper's, as half of its square.
        smooth_weight: f64 = 1.0, AtLeastZero;
        /// m, of lengths in these: the paper says none; CMU's files count in 2.54 cm / 0.45.
        unit: f64 = 0.056_444, Positive;
        /// Rounds of a pose at most.
        pose_rounds: usize = 300, AtLeastOne;
    }
}

/// What a process has learnt, as numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessSpec {
    /// How.
    pub method: ProcessMethod,
    /// Frames of a block of PITC.
    pub block: usize,
    /// Hidden coordinates of each frame.
    pub latent: Vec<Vec<f64>>,
    /// The inducing points; none of the full process.
    pub inducing: Vec<Vec<f64>>,
    /// ln α, ln γ, ln ν and ln of the noise's variance.
    pub kernel: [f64; 4],
}

/// A process of poses.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseProcess {
    frames: PoseFrames,
    method: ProcessMethod,
    settings: ProcessSettings,
    mean: Vec<f64>,
    /// A row for each frame, about `centre`.
    y: DMatrix<f64>,
    centre: Vec<f64>,
    hidden: Hidden,
    predictor: Predictor,
}

impl PoseProcess {
    /// With hidden coordinates from principal components, not yet trained.
    pub fn begin(
        creature: &Creature,
        frames: PoseFrames,
        method: ProcessMethod,
        settings: ProcessSettings,
    ) -> Result<Self, BasisError> {
        settings.check().map_err(|error| BasisError::Pose(error.to_string()))?;
        let Logarithms { mean, y, centre } = Logarithms::of(creature, &frames)?;
        let (count, outputs) = y.shape();
        let x = components(&y, settings.latent.min(outputs)).ok_or(BasisError::Decomposition)?;
        let variance = y.iter().map(|y| y * y).sum::<f64>() / (count * outputs).max(1) as f64;
        let mut order: Vec<usize> = (0..count).collect();
        let mut random = Random::new(settings.seed as u64);
        (1..count).rev().for_each(|k| order.swap(k, random.below(k + 1)));
        order.truncate(if method == ProcessMethod::Full { 0 } else { settings.inducing });
        let inducing = DMatrix::from_fn(x.nrows(), order.len(), |axis, k| x[(axis, order[k])]);
        let logs = [variance, 1.0, 0.01 * variance, 0.01 * variance].map(|x| math::ln(x.max(1e-12)));
        let hidden = Hidden { x, inducing, logs };
        let known = predictor(&hidden, &y, method, settings.block).ok_or(BasisError::Decomposition)?;
        Ok(Self { frames, method, settings, mean, y, centre, hidden, predictor: known })
    }

    /// As it was learnt before.
    pub fn from_spec(
        creature: &Creature,
        frames: PoseFrames,
        spec: &ProcessSpec,
    ) -> Result<Self, BasisError> {
        let Logarithms { mean, y, centre } = Logarithms::of(creature, &frames)?;
        let latent = spec.latent.first().map_or(0, Vec::len);
        let is_even = |points: &Vec<Vec<f64>>| {
            points.iter().all(|point| point.len() == latent && point.iter().all(|x| x.is_finite()))
        };
        let told = |reason: &str| BasisError::Pose(format!("the process: {reason}"));
        if latent == 0 || spec.latent.len() != y.nrows() || !is_even(&spec.latent) || !is_even(&spec.inducing)
        {
            return Err(told(
                "every pose and every inducing point needs the same number of hidden coordinates",
            ));
        }
        let is_full = spec.method == ProcessMethod::Full;
        if is_full != spec.inducing.is_empty() || spec.inducing.len() > y.nrows() || spec.block == 0 {
            return Err(told("its inducing points do not go with its method"));
        }
        if spec.kernel.iter().any(|x| !x.is_finite()) {
            return Err(told("a number of its kernel is not finite"));
        }
        let matrix =
            |points: &Vec<Vec<f64>>| DMatrix::from_fn(latent, points.len(), |axis, k| points[k][axis]);
        let hidden = Hidden { x: matrix(&spec.latent), inducing: matrix(&spec.inducing), logs: spec.kernel };
        let known = predictor(&hidden, &y, spec.method, spec.block).ok_or(BasisError::Decomposition)?;
        let settings = ProcessSettings { latent, block: spec.block, ..ProcessSettings::default() };
        Ok(Self { frames, method: spec.method, settings, mean, y, centre, hidden, predictor: known })
    }

    /// What was learnt, as numbers.
    pub fn spec(&self) -> ProcessSpec {
        let points = |matrix: &DMatrix<f64>| {
            matrix.column_iter().map(|column| column.iter().copied().collect()).collect()
        };
        ProcessSpec {
            method: self.method,
            block: self.settings.block,
            latent: points(&self.hidden.x),
            inducing: points(&self.hidden.inducing),
            kernel: self.hidden.logs,
        }
    }

    /// The frames that it is of.
    pub fn frames(&self) -> &PoseFrames {
        &self.frames
    }

    /// How it takes the covariance of frames.
    pub fn method(&self) -> ProcessMethod {
        self.method
    }

    /// Minus the logarithm of the likelihood of all frames and of their hidden coordinates.
    pub fn cost(&self) -> Option<f64> {
        cost(&self.hidden, &self.y, self.method, self.settings.block).map(|(cost, _)| cost)
    }

    /// Goes on learning for at most so many rounds. `tell` hears of each round and of its cost, and may end it: what was learnt stays.
    pub fn train(
        &mut self,
        rounds: usize,
        mut tell: impl FnMut(usize, f64) -> ControlFlow<()>,
    ) -> Result<f64, BasisError> {
        let (y, method, block) = (&self.y, self.method, self.settings.block);
        let mut hidden = self.hidden.clone();
        let mut flat = hidden.flat();
        let value = conjugate::descend(
            &mut flat,
            rounds,
            |flat| {
                hidden.set_flat(flat);
                cost(&hidden, y, method, block)
            },
            |round, value, _| tell(round, value),
        );
        self.hidden.set_flat(&flat);
        let known = predictor(&self.hidden, y, method, block).ok_or(BasisError::Decomposition)?;
        self.predictor = known;
        value.ok_or(BasisError::Decomposition)
    }

    /// Itself, for a creature that it is of.
    pub(super) fn of(&self, creature: &Creature) -> Result<&Self, BasisError> {
        if self.mean.len() == creature.nq() && self.y.ncols() == posture_dofs(creature).len() {
            return Ok(self);
        }
        let (found, name) = (self.mean.len(), creature.name());
        Err(BasisError::Pose(format!("poses of {found} numbers are none of {name}")))
    }

    pub(super) fn pose(
        &self,
        creature: &Creature,
        data: &mut Data,
        at: &[f64],
        goals: &[Goal],
        root: RootMotion,
    ) -> Posed {
        pose::pose(self, creature, data, at, goals, root)
    }
}

/// Frames as logarithms.
struct Logarithms {
    /// The pose that they are taken at.
    mean: Vec<f64>,
    /// A row for each frame, about their own mean.
    y: DMatrix<f64>,
    centre: Vec<f64>,
}

impl Logarithms {
    fn of(creature: &Creature, frames: &PoseFrames) -> Result<Self, BasisError> {
        let poses: Vec<&[f64]> = frames.poses().iter().map(Vec::as_slice).collect();
        let settings = GeodesicSettings { keep: Keep::Count(1), metric: Some(Metric::Joint) };
        let mean = Basis::from_poses(creature, &poses, &settings)?.basis.mean().to_vec();
        let dofs = posture_dofs(creature);
        let mut y = DMatrix::zeros(poses.len(), dofs.len());
        let mut delta = vec![0.0; creature.nv()];
        for (mut row, pose) in y.row_iter_mut().zip(&poses) {
            creature.difference(&mean, pose, &mut delta);
            row.iter_mut().zip(&dofs).for_each(|(to, dof)| *to = delta[*dof]);
        }
        let centre: Vec<f64> = y.column_iter().map(|column| column.sum() / poses.len() as f64).collect();
        y.column_iter_mut().zip(&centre).for_each(|(mut column, centre)| column.add_scalar_mut(-centre));
        Ok(Self { mean, y, centre })
    }
}

/// The first principal components of rows, as columns for each row, in parts of the spread of the first.
fn components(y: &DMatrix<f64>, count: usize) -> Option<DMatrix<f64>> {
    let found = eigen(&y.tr_mul(y))?;
    let mut order: Vec<usize> = (0..y.ncols()).collect();
    order.sort_by(|a, b| found.eigenvalues[*b].total_cmp(&found.eigenvalues[*a]));
    let first = order.first().map_or(0.0, |k| found.eigenvalues[*k]);
    let spread = (first / y.nrows().max(1) as f64).sqrt().max(f64::MIN_POSITIVE);
    let axes: Vec<_> = order[..count].iter().map(|k| found.eigenvectors.column(*k) / spread).collect();
    Some((y * DMatrix::from_columns(&axes)).transpose())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(frames: usize, inducing: usize) -> (Hidden, DMatrix<f64>) {
        let mut random = Random::new(4);
        let mut matrix =
            |rows, columns, size: f64| DMatrix::from_fn(rows, columns, |_, _| size * random.symmetric());
        let hidden = Hidden {
            x: matrix(2, frames, 1.5),
            inducing: matrix(2, inducing, 1.5),
            logs: [-0.3, 0.2, -1.5, -2.0],
        };
        (hidden, matrix(frames, 3, 1.0))
    }

    /// The likelihood's slopes are its differences, for every method and every number.
    #[test]
    fn slopes_are_differences() {
        for method in ProcessMethod::ALL {
            let inducing = if method == ProcessMethod::Full { 0 } else { 5 };
            let (hidden, y) = made(13, inducing);
            let (_, slopes) = cost(&hidden, &y, method, 4).unwrap();
            let flat = hidden.flat();
            assert_eq!(slopes.len(), flat.len());
            for k in 0..flat.len() {
                let at = |step: f64| {
                    let (mut moved, mut other) = (flat.clone(), hidden.clone());
                    moved[k] += step;
                    other.set_flat(&moved);
                    cost(&other, &y, method, 4).unwrap().0
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                // Of second order in the step, and some roundings of a cost of about 30.
                let gap = (slopes[k] - difference).abs();
                assert!(gap < 1e-6 * (1.0 + difference.abs()), "{method:?} {k}: {} {difference}", slopes[k]);
            }
        }
    }

    /// With every frame as an inducing point, FITC and DTC are the full process, and so is PITC in one block, whatever its inducing points are; in
    /// blocks of one it is FITC. The covariance that is never made says the same as the one that is.
    #[test]
    fn approximations_become_exact() {
        let (mut hidden, y) = made(13, 0);
        let exact = cost(&hidden, &y, ProcessMethod::Full, 1).unwrap().0;
        let few = made(13, 5).0.inducing;
        hidden.inducing = hidden.x.clone();
        for method in [ProcessMethod::Dtc, ProcessMethod::Fitc] {
            let all = cost(&hidden, &y, method, 1).unwrap().0;
            // Jitter between inducing points is a millionth.
            assert!((all - exact).abs() < 1e-3, "{method:?}: {all} {exact}");
        }
        hidden.inducing = few;
        let one = cost(&hidden, &y, ProcessMethod::Pitc, 13).unwrap().0;
        assert!((one - exact).abs() < 1e-9, "{one} {exact}");
        let [pitc, fitc, dtc] = [ProcessMethod::Pitc, ProcessMethod::Fitc, ProcessMethod::Dtc]
            .map(|method| cost(&hidden, &y, method, 1).unwrap().0);
        assert!((pitc - fitc).abs() < 1e-9 && (fitc - dtc).abs() > 1e-3 && (fitc - exact).abs() > 1e-3);
        let kernel = kernel::Kernel::of(&hidden.logs);
        let kfu = kernel.between(&hidden.x, &hidden.inducing);
        let q = &kfu * kernel.among(&hidden.inducing).cholesky().unwrap().solve(&kfu.transpose());
        let k = kernel.between(&hidden.x, &hidden.x);
        let mut s = q.clone();
        (0..13).for_each(|i| s[(i, i)] = k[(i, i)] + kernel.noise);
        let factor = s.clone().cholesky().unwrap();
        let outputs = y.ncols() as f64;
        let plain = 0.5 * outputs * math::ln(s.determinant())
            + 0.5 * y.dot(&factor.solve(&y))
            + 0.5 * 39.0 * math::ln(std::f64::consts::TAU)
            + 0.5 * hidden.x.norm_squared();
        assert!((plain - fitc).abs() < 1e-9, "{plain} {fitc}");
    }

    /// Predictions with all frames as inducing points are those of the full process, and at the frames they are nearly the frames.
    #[test]
    fn predictions_become_exact() {
        let (mut hidden, y) = made(13, 0);
        let full = predictor(&hidden, &y, ProcessMethod::Full, 1).unwrap();
        hidden.inducing = hidden.x.clone();
        let sparse = predictor(&hidden, &y, ProcessMethod::Fitc, 1).unwrap();
        for x in [nalgebra::DVector::from_column_slice(&[0.3, -0.4]), hidden.x.column(3).into_owned()] {
            let of = |known: &Predictor| {
                let k = known.kernel.from(&x, &known.centres);
                (known.weights.tr_mul(&k), k.dot(&(&known.known * &k)))
            };
            let (a, b) = (of(&full), of(&sparse));
            assert!((&a.0 - &b.0).amax() < 1e-4 && (a.1 - b.1).abs() < 1e-4, "{a:?} {b:?}");
        }
    }
}
