//! Exact principal geodesics: the directions whose poses are truly nearest to those recorded, not only in the tangent space of the
//! mean (Sommer and others 2010 for the definition; Tournier and others 2009 take Fletcher's approximation).
//!
//! ```text
//! minimise Σ ‖qᵢ ⊖ (μ ⊕ Φ xᵢ)‖²   over Φ and all xᵢ
//! ```
//!
//! By turns: each xᵢ by Gauss and Newton's steps with Φ held, then Φ along the gradient in the metric,
//! W⁻¹ Σ Dᵢᵀ W rᵢ xᵢᵀ (Σ xᵢ xᵢᵀ)⁻¹, halved until the sum falls. D is the derivative of the exponential. Where D is near 1 that is
//! least squares at once.

use gambol_model::{Creature, JointKind, Vec3};
use nalgebra::{DMatrix, DVector};

use super::geodesic::{direction, eigen, wound_back};
use super::metric::{metric_block, posture_dofs};
use super::{Basis, BasisError, BasisSpec, Turn};

gambol_model::settings! {
    /// Of the search for exact geodesics.
    pub struct ExactSettings {
        /// Rounds at most; the approximation is near, and twenty are enough to settle in three digits.
        rounds: usize = 20, AtLeastOne;
        /// Poses looked at, equally spaced: the directions of a clip do not change with every second frame left out.
        poses: usize = 400, AtLeastOne;
        /// A round that betters the sum by less than this share of it is the last.
        settled: f64 = 1e-6, Positive;
    }
}

/// Rounds of Gauss and Newton for the coordinates of a pose; the tangent space's own are near.
const NEWTON: usize = 3;

/// Halvings of a step of the directions.
const HALVINGS: usize = 8;

/// Exact directions, and what they are better by.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refined {
    /// With the exact directions.
    pub basis: Basis,
    /// Root mean square distance of the poses looked at from the approximate basis, in the metric.
    pub before: f64,
    /// The same from the exact one.
    pub after: f64,
    /// The largest angle between the two subspaces, in the metric, rad.
    pub angle: f64,
}

impl Basis {
    /// Turns the directions of principal geodesics to where their poses are truly nearest to `poses`.
    pub fn refined(
        &self,
        creature: &Creature,
        poses: &[&[f64]],
        settings: &ExactSettings,
    ) -> Result<Refined, BasisError> {
        self.check_creature(creature)?;
        let count = self.directions.len();
        let step = poses.len().div_ceil(settings.poses).max(1);
        let chosen: Vec<Vec<f64>> = wound_back(creature, poses)
            .iter()
            .step_by(step)
            .map(|q| self.posture(creature, q))
            .collect::<Result<_, _>>()?;
        if chosen.len() < 2 || count == 0 {
            return Err(BasisError::Frames { frames: chosen.len() });
        }
        let dofs = posture_dofs(creature);
        let weight = metric_block(creature, &self.metric, &self.mean, &dofs);
        let problem = Problem { creature, mean: &self.mean, dofs, weight, poses: chosen };
        let first = problem.orthonormal(&self.shapes(&problem.dofs))?;
        let mut now = problem.fit(first.clone());
        let before = now.loss;
        for _ in 0..settings.rounds {
            let Some(next) = problem.better(&now)? else { break };
            let gain = now.loss - next.loss;
            now = next;
            if gain < settings.settled * now.loss {
                break;
            }
        }
        let rms = |loss: f64| (loss / problem.poses.len() as f64).sqrt();
        let (before, after) = (rms(before), rms(now.loss));
        let angle = problem.angle(&first, &now.shapes);
        let basis = self.with_principal(creature, &problem, &now)?;
        Ok(Refined { basis, before, after, angle })
    }

    fn shapes(&self, dofs: &[usize]) -> DMatrix<f64> {
        DMatrix::from_fn(dofs.len(), self.directions.len(), |i, k| self.directions[k].shape[dofs[i]])
    }

    /// The subspace's own principal directions, by the variance of the coordinates in it.
    fn with_principal(&self, creature: &Creature, problem: &Problem, fit: &Fit) -> Result<Self, BasisError> {
        let count = fit.shapes.ncols();
        let mut covariance = DMatrix::zeros(count, count);
        for x in &fit.coordinates {
            covariance.ger(1.0 / fit.coordinates.len() as f64, x, x, 1.0);
        }
        let found = eigen(&covariance).ok_or(BasisError::Decomposition)?;
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| found.eigenvalues[b].total_cmp(&found.eigenvalues[a]));
        let directions = order.iter().enumerate().map(|(place, &k)| {
            let shape = &fit.shapes * found.eigenvectors.column(k);
            let variance = found.eigenvalues[k].max(f64::MIN_POSITIVE);
            direction(creature, &problem.dofs, format!("g{place}"), shape.as_slice(), variance)
        });
        let spec = BasisSpec::new(self.mean.clone(), self.metric.clone(), directions.collect());
        Self::new(creature, spec)
    }
}

/// What is near to what.
struct Problem<'p> {
    creature: &'p Creature,
    mean: &'p [f64],
    dofs: Vec<usize>,
    /// W over `dofs`.
    weight: DMatrix<f64>,
    poses: Vec<Vec<f64>>,
}

/// Directions, and the nearest poses in them.
struct Fit {
    /// Orthonormal in the metric, over `dofs`.
    shapes: DMatrix<f64>,
    coordinates: Vec<DVector<f64>>,
    /// Σ xᵢ rᵢᵀ W Dᵢ, transposed: the gradient by the shapes, over `dofs`.
    gradient: DMatrix<f64>,
    loss: f64,
}

impl Problem<'_> {
    /// The nearest poses for given directions.
    fn fit(&self, shapes: DMatrix<f64>) -> Fit {
        let mut gradient = DMatrix::zeros(shapes.nrows(), shapes.ncols());
        let (mut loss, mut coordinates) = (0.0, Vec::with_capacity(self.poses.len()));
        let covectors = &self.weight * &shapes;
        for q in &self.poses {
            // Where D is 1, this is the answer.
            let mut x = covectors.tr_mul(&self.missing(&DVector::zeros(shapes.nrows()), q).0);
            for _ in 0..NEWTON {
                let (missing, turns) = self.missing(&(&shapes * &x), q);
                let moves = turned(&turns, &shapes);
                let weighted = &self.weight * &moves;
                let Some(factor) = weighted.tr_mul(&moves).cholesky() else { break };
                x += factor.solve(&weighted.tr_mul(&missing));
            }
            let (missing, turns) = self.missing(&(&shapes * &x), q);
            let pull = &self.weight * &missing;
            loss += missing.dot(&pull);
            gradient.ger(1.0, &turned_back(&turns, &pull), &x, 1.0);
            coordinates.push(x);
        }
        Fit { shapes, coordinates, gradient, loss }
    }

    /// A step down, if there is one.
    fn better(&self, now: &Fit) -> Result<Option<Fit>, BasisError> {
        let count = now.shapes.ncols();
        let mut squares = DMatrix::zeros(count, count);
        now.coordinates.iter().for_each(|x| squares.ger(1.0, x, x, 1.0));
        let (Some(metric), Some(squares)) = (self.weight.clone().cholesky(), squares.cholesky()) else {
            return Ok(None);
        };
        let step = metric.solve(&squares.solve(&now.gradient.transpose()).transpose());
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let next = self.fit(self.orthonormal(&(&now.shapes + &step * share))?);
            if next.loss < now.loss {
                return Ok(Some(next));
            }
            share *= 0.5;
        }
        Ok(None)
    }

    /// rᵢ over `dofs`, and how each ball has turned at the pose of `tangent`.
    fn missing(&self, tangent: &DVector<f64>, q: &[f64]) -> (DVector<f64>, Vec<(usize, Turn)>) {
        let nv = self.creature.nv();
        let (mut whole, mut delta, mut pose) = (vec![0.0; nv], vec![0.0; nv], self.mean.to_vec());
        for (&dof, x) in self.dofs.iter().zip(tangent) {
            whole[dof] = *x;
        }
        self.creature.integrate(&mut pose, &whole, 1.0);
        self.creature.difference(&pose, q, &mut delta);
        let balls = self.creature.joints().iter().filter(|joint| joint.kind == JointKind::Ball);
        let row = |dof: usize| self.dofs.binary_search(&dof).unwrap_or(0);
        let turns = balls
            .map(|joint| (row(joint.v), Turn::new(Vec3::from_column_slice(&whole[joint.v..joint.v + 3]))));
        (DVector::from_iterator(self.dofs.len(), self.dofs.iter().map(|&dof| delta[dof])), turns.collect())
    }

    /// The same subspace with directions orthonormal in the metric (Gram and Schmidt, twice).
    fn orthonormal(&self, shapes: &DMatrix<f64>) -> Result<DMatrix<f64>, BasisError> {
        let mut q = shapes.clone();
        for k in 0..q.ncols() {
            let mut column = q.column(k).into_owned();
            for _ in 0..2 {
                for known in 0..k {
                    let along = q.column(known).dot(&(&self.weight * &column));
                    column -= q.column(known) * along;
                }
            }
            let length = column.dot(&(&self.weight * &column)).sqrt();
            if length.is_nan() || length <= 0.0 {
                return Err(BasisError::Dependent { direction: k });
            }
            q.set_column(k, &(column / length));
        }
        Ok(q)
    }

    /// The largest principal angle: its cosine is the least singular value of Aᵀ W B.
    fn angle(&self, a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
        let overlap = a.tr_mul(&(&self.weight * b));
        let least = gambol_model::svd(overlap).map_or(1.0, |svd| svd.singular_values.min());
        gambol_model::math::acos(least.clamp(-1.0, 1.0))
    }
}

/// D times each column.
fn turned(turns: &[(usize, Turn)], columns: &DMatrix<f64>) -> DMatrix<f64> {
    let mut turned = columns.clone();
    for (first, turn) in turns {
        for k in 0..turned.ncols() {
            let rate: Vec3 = turned.fixed_view::<3, 1>(*first, k).into_owned();
            turned.fixed_view_mut::<3, 1>(*first, k).copy_from(&turn.velocity(rate));
        }
    }
    turned
}

/// Dᵀ times a vector.
fn turned_back(turns: &[(usize, Turn)], vector: &DVector<f64>) -> DVector<f64> {
    let mut turned = vector.clone();
    for (first, turn) in turns {
        let rate: Vec3 = turned.fixed_rows::<3>(*first).into_owned();
        turned.fixed_rows_mut::<3>(*first).copy_from(&turn.transposed(rate));
    }
    turned
}
