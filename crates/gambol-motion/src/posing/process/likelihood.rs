//! How likely data are under a Gaussian process, exactly and with inducing points, and how that goes with everything.
//!
//! ```text
//! S = Q + Λ,   Q = K_fu K_uu⁻¹ K_uf           Quiñonero-Candela and Rasmussen (2005)
//! DTC:  Λ = σ²          FITC: Λ = diag(K − Q) + σ²          PITC: Λ = blockdiag(K − Q) + σ²          full: S = K + σ²
//! log p = −½ D ln |S| − ½ tr(Yᵀ S⁻¹ Y) − ½ N D ln 2π
//! G = ∂ log p/∂S = ½ (S⁻¹ Y Yᵀ S⁻¹ − D S⁻¹)
//! ```
//!
//! With B = K_uu + K_uf Λ⁻¹ K_fu, S⁻¹ = Λ⁻¹ − Λ⁻¹ K_fu B⁻¹ K_uf Λ⁻¹: nothing larger than N × M is made. FITC is PITC with blocks of one;
//! PITC with one block, and FITC with all points as inducing ones, are the full process.

use std::ops::Range;

use nalgebra::{Cholesky, DMatrix, Dyn};

use super::ProcessMethod;
use super::kernel::{Kernel, Slopes};

/// What is fitted: hidden coordinates of frames and of inducing points as columns, and the logarithms of the kernel's numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hidden {
    pub(super) x: DMatrix<f64>,
    /// None of the full process.
    pub(super) inducing: DMatrix<f64>,
    pub(super) logs: [f64; 4],
}

impl Hidden {
    /// All numbers in one row.
    pub(super) fn flat(&self) -> Vec<f64> {
        self.x.iter().chain(self.inducing.iter()).chain(&self.logs).copied().collect()
    }

    pub(super) fn set_flat(&mut self, flat: &[f64]) {
        let numbers = self.x.iter_mut().chain(self.inducing.iter_mut()).chain(&mut self.logs);
        numbers.zip(flat).for_each(|(to, from)| *to = *from);
    }
}

/// Of a prediction f(x) = Wᵀ k(x), σ²(x) = k(x, x) − k(x)ᵀ R k(x) + noise.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Predictor {
    pub(super) kernel: Kernel,
    pub(super) centres: DMatrix<f64>,
    /// W, M × D
    pub(super) weights: DMatrix<f64>,
    /// R, M × M
    pub(super) known: DMatrix<f64>,
}

/// Blocks of Λ.
fn blocks(method: ProcessMethod, block: usize, frames: usize) -> Vec<Range<usize>> {
    let size = if method == ProcessMethod::Pitc { block.max(1) } else { 1 };
    (0..frames).step_by(size).map(|from| from..(from + size).min(frames)).collect()
}

/// What the sparse approximations have in common: `None` where a matrix is not positive definite.
struct Sparse {
    kernel: Kernel,
    kuu: DMatrix<f64>,
    kfu: DMatrix<f64>,
    blocks: Vec<Range<usize>>,
    /// Λ⁻¹ by blocks.
    inverses: Vec<DMatrix<f64>>,
    /// K_uu⁻¹ K_uf, M × N
    a: DMatrix<f64>,
    /// Λ⁻¹ K_fu, N × M
    f: DMatrix<f64>,
    uu: Cholesky<f64, Dyn>,
    b: Cholesky<f64, Dyn>,
    /// ln |S|
    log_size: f64,
    /// K_uf Λ⁻¹ Y, M × D
    t: DMatrix<f64>,
    /// Λ⁻¹ Y, N × D
    v: DMatrix<f64>,
}

impl Sparse {
    fn new(hidden: &Hidden, y: &DMatrix<f64>, method: ProcessMethod, block: usize) -> Option<Self> {
        let kernel = Kernel::of(&hidden.logs);
        let kuu = kernel.among(&hidden.inducing);
        let kfu = kernel.between(&hidden.x, &hidden.inducing);
        let uu = kuu.clone().cholesky()?;
        let a = uu.solve(&kfu.transpose());
        let blocks = blocks(method, block, y.nrows());
        let mut inverses = Vec::with_capacity(blocks.len());
        let (mut f, mut v) = (kfu.clone(), y.clone());
        // |S| = |B| |Λ| / |K_uu|
        let mut log_size = -ln_det(&uu);
        for members in &blocks {
            let (first, count) = (members.start, members.len());
            let mut lambda = DMatrix::zeros(count, count);
            if method != ProcessMethod::Dtc {
                let points = hidden.x.columns(first, count).into_owned();
                lambda = kernel.between(&points, &points) - kfu.rows(first, count) * a.columns(first, count);
            }
            (0..count).for_each(|k| lambda[(k, k)] += kernel.noise);
            let factor = lambda.cholesky()?;
            log_size += ln_det(&factor);
            let inverse = factor.inverse();
            let (of_f, of_v) = (&inverse * f.rows(first, count), &inverse * v.rows(first, count));
            f.rows_mut(first, count).copy_from(&of_f);
            v.rows_mut(first, count).copy_from(&of_v);
            inverses.push(inverse);
        }
        let b = (&kuu + kfu.tr_mul(&f)).cholesky()?;
        log_size += ln_det(&b);
        let t = kfu.tr_mul(&v);
        Some(Self { kernel, kuu, kfu, blocks, inverses, a, f, uu, b, log_size, t, v })
    }
}

/// ln |K| of a factor of K.
fn ln_det(factor: &Cholesky<f64, Dyn>) -> f64 {
    2.0 * factor.l_dirty().diagonal().iter().map(|x| gambol_model::math::ln(*x)).sum::<f64>()
}

/// Minus the logarithm of the likelihood and of the prior of the hidden coordinates, and its slopes; `None` where it has none.
pub(super) fn cost(
    hidden: &Hidden,
    y: &DMatrix<f64>,
    method: ProcessMethod,
    block: usize,
) -> Option<(f64, Vec<f64>)> {
    let (likelihood, mut slopes) = match method {
        ProcessMethod::Full => full(hidden, y)?,
        _ => sparse(hidden, y, method, block)?,
    };
    let prior: f64 = hidden.x.iter().map(|x| 0.5 * x * x).sum();
    for slope in &mut slopes {
        *slope = -*slope;
    }
    slopes.iter_mut().zip(hidden.x.iter()).for_each(|(slope, x)| *slope += x);
    let cost = prior - likelihood;
    cost.is_finite().then_some((cost, slopes))
}

fn constant(y: &DMatrix<f64>) -> f64 {
    0.5 * (y.nrows() * y.ncols()) as f64 * gambol_model::math::ln(std::f64::consts::TAU)
}

/// The full process.
fn full(hidden: &Hidden, y: &DMatrix<f64>) -> Option<(f64, Vec<f64>)> {
    let kernel = Kernel::of(&hidden.logs);
    let k = kernel.between(&hidden.x, &hidden.x);
    let mut s = k.clone();
    (0..s.nrows()).for_each(|i| s[(i, i)] += kernel.noise);
    let factor = s.cholesky()?;
    let w = factor.solve(y);
    let outputs = y.ncols() as f64;
    let likelihood = -0.5 * outputs * ln_det(&factor) - 0.5 * w.dot(y) - constant(y);
    let gain = (&w * w.transpose() - factor.inverse() * outputs) * 0.5;
    let mut slopes = Slopes { logs: [0.0; 4] };
    let mut of_x = DMatrix::zeros(hidden.x.nrows(), hidden.x.ncols());
    slopes.among(&kernel, &hidden.x, 0..hidden.x.ncols(), &gain, &mut of_x);
    slopes.logs[3] += kernel.noise * gain.trace();
    Some((likelihood, of_x.iter().chain(&slopes.logs).copied().collect()))
}

fn sparse(hidden: &Hidden, y: &DMatrix<f64>, method: ProcessMethod, block: usize) -> Option<(f64, Vec<f64>)> {
    let made = Sparse::new(hidden, y, method, block)?;
    let Sparse { kernel, kuu, kfu, blocks, inverses, a, f, b, t, v, log_size, .. } = &made;
    let outputs = y.ncols() as f64;
    // S⁻¹ Y and K_uu⁻¹ K_uf S⁻¹.
    let w = v - f * b.solve(t);
    let c = b.solve(&f.transpose());
    let likelihood = -0.5 * outputs * log_size - 0.5 * w.dot(y) - constant(y);
    // A G, less what stays in the blocks.
    let mut ah = (a * &w) * w.transpose() * 0.5 - &c * (0.5 * outputs);
    let mut slopes = Slopes { logs: [0.0; 4] };
    let (rows, frames) = hidden.x.shape();
    let mut of_x = DMatrix::zeros(rows, frames);
    let mut of_inducing = DMatrix::zeros(rows, hidden.inducing.ncols());
    for (members, inverse) in blocks.iter().zip(inverses) {
        let (first, count) = (members.start, members.len());
        let of_block = w.rows(first, count);
        let own = inverse - f.rows(first, count) * c.columns(first, count);
        let gain = (of_block * of_block.transpose() - own * outputs) * 0.5;
        slopes.logs[3] += kernel.noise * gain.trace();
        if method == ProcessMethod::Dtc {
            continue;
        }
        let kept = a.columns(first, count) * &gain;
        ah.columns_mut(first, count).zip_apply(&kept, |x, y| *x -= y);
        slopes.among(kernel, &hidden.x, members.clone(), &gain, &mut of_x);
    }
    let by_fu = ah.transpose() * 2.0;
    let by_uu = &ah * a.transpose() * -1.0;
    slopes.through(kernel, [&hidden.x, &hidden.inducing], kfu, &by_fu, [&mut of_x, &mut of_inducing]);
    slopes.among(kernel, &hidden.inducing, 0..kuu.nrows(), &by_uu, &mut of_inducing);
    slopes.jitter(kernel, &by_uu);
    Some((likelihood, of_x.iter().chain(of_inducing.iter()).chain(&slopes.logs).copied().collect()))
}

/// What all frames say of a new one.
pub(super) fn predictor(
    hidden: &Hidden,
    y: &DMatrix<f64>,
    method: ProcessMethod,
    block: usize,
) -> Option<Predictor> {
    let kernel = Kernel::of(&hidden.logs);
    if method == ProcessMethod::Full {
        let mut s = kernel.between(&hidden.x, &hidden.x);
        (0..s.nrows()).for_each(|i| s[(i, i)] += kernel.noise);
        let factor = s.cholesky()?;
        let (weights, known) = (factor.solve(y), factor.inverse());
        return Some(Predictor { kernel, centres: hidden.x.clone(), weights, known });
    }
    let made = Sparse::new(hidden, y, method, block)?;
    let known = made.uu.inverse() - made.b.inverse();
    Some(Predictor { kernel, centres: hidden.inducing.clone(), weights: made.b.solve(&made.t), known })
}
