//! Largest eigenvalues of a symmetric positive operator by block Lanczos with full reorthogonalisation, thick restarts
//! (Wu and Simon 2000) and probes for what symmetry hides.
//!
//! ```text
//! Q = one random block
//! repeat:
//!     W = A Q_last;  H_last = Qᵀ W;  W ← W − Q H_last, once more;  Q_next R = W          (expand)
//!     H Y = Y Θ;  pair i is off by ‖R Y_last,i‖                                           (Rayleigh–Ritz)
//!     if the wanted pairs have converged: Q ← the wanted Q Y, and a new random block      (probe)
//!     if the basis is full:               Q ← the best half of Q Y, and Q_next            (restart)
//! until a probe has found nothing larger
//! ```
//!
//! A Krylov space of a block of four holds at most four vectors of an eigenspace, and a symmetric creature may have
//! more modes of one frequency. A probe searches, from a new random block, the space across all that was found; it
//! ends when the largest eigenvalue left there is known well enough to be the smaller one.
//!
//! Many pairs are found in stages, each in the space across the pairs before it. All vectors are stored to sixteen
//! digits of K^½ u, so that a trace of the first eigenvector in the k-th is enlarged by μ_1/μ_k: the residual of some
//! three hundred modes of a uniform chain (μ_1/μ_k = 1e9) is about as good as it needs to be, and no more can be had.

use gambol_model::Random;
use gambol_model::math;
use nalgebra::{DMatrix, SymmetricEigen};

use super::block::{Block, LANES, Row, Square, gram, orthonormalize, rotate, subtract};

/// A symmetric positive semidefinite operator on a space of long vectors.
pub trait Operator {
    /// Coordinates of a vector.
    fn rows(&self) -> usize;
    /// Dimension of the space, at most `rows`.
    fn dimension(&self) -> usize;
    /// `out` = A x, in the space if x is.
    fn apply(&mut self, x: &[Row], out: &mut [Row]);
    /// Takes from `x` what lies outside the space.
    fn restrict(&self, x: &mut [Row]);
}

/// Eigenpairs, largest first.
#[derive(Debug)]
pub struct Largest {
    /// Eigenvalues.
    pub values: Vec<f64>,
    /// Orthonormal eigenvectors, [`LANES`] to a block; the last block may be padded with others.
    pub vectors: Vec<Block>,
}

/// The iteration limit was reached, or too much was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// A wanted pair has converged when ‖A x − θ x‖ is below this share of θ. The eigenvalue is then right to its square;
/// the shape to this number times the distance to the next one.
const TOLERANCE: f64 = 1e-11;

/// No residual falls below the rounding of A, a few ulps of its largest eigenvalue.
const FLOOR: f64 = 8.0 * f64::EPSILON;

/// How well a probe must know the largest eigenvalue it has found. A hidden pair could be overlooked only if it lies
/// closer than this to the next one, and by a random block that happens to be almost perpendicular to it.
const PROBE_TOLERANCE: f64 = 1e-6;

/// Basis vectors beyond one and a half times the wanted ones. Long bodies converge within this, without a restart.
const SPARE: usize = 80;

/// Blocks between two looks at the Ritz values, which cost as much as a few products for small creatures.
const STRIDE: usize = 3;

/// Products with a block before giving up. Creatures take 20 to 50 a stage; thousands of pendulums that all differ a
/// little, without a gap between their frequencies, take some hundreds.
const MOST_PRODUCTS: usize = 3000;

/// Pairs found in one go. The rounding of the first pair, whose eigenvalue is the largest, disturbs all that come with
/// it; those of a later stage see that of the first pair of their own stage only.
const STAGE: usize = 63;

/// A share of all pairs above which a dense matrix is faster.
const MOST_OF_ALL: usize = 4; // a quarter

/// Rows of the largest dense matrix: half a gigabyte.
const MOST_ROWS: usize = 8192;

/// At least the `wanted` largest eigenpairs of `a`, and a few more of those that come next; all if it has fewer.
pub fn largest(a: &mut impl Operator, wanted: usize) -> Result<Largest, Stopped> {
    let wanted = wanted.min(a.dimension());
    if a.dimension() <= capacity(wanted.min(STAGE)) * LANES || wanted > a.dimension() / MOST_OF_ALL {
        return by_matrix(a, wanted);
    }
    let mut found = Largest { values: Vec::new(), vectors: Vec::new() };
    while found.values.len() < wanted {
        let stage = STAGE.min(wanted - found.values.len());
        let mut next = largest_of_stage(&mut Across { a, found: &found.vectors }, stage)?;
        refine(a, &found, &mut next);
        found.values.append(&mut next.values);
        found.vectors.append(&mut next.vectors);
    }
    Ok(found)
}

/// Blocks of converged pairs for `wanted` pairs: one more, so that the last one is known to stand alone or not.
fn locked(wanted: usize) -> usize {
    (wanted + 1).div_ceil(LANES)
}

/// Blocks of a basis for `wanted` pairs.
fn capacity(wanted: usize) -> usize {
    locked(wanted) + locked(wanted) / 2 + SPARE / LANES
}

/// An operator in the space across some of its eigenvectors.
struct Across<'a, A> {
    a: &'a mut A,
    found: &'a [Block],
}

impl<A: Operator> Operator for Across<'_, A> {
    fn rows(&self) -> usize {
        self.a.rows()
    }

    fn dimension(&self) -> usize {
        self.a.dimension() - self.found.len() * LANES
    }

    fn apply(&mut self, x: &[Row], out: &mut [Row]) {
        self.a.apply(x, out);
        self.restrict(out);
    }

    fn restrict(&self, x: &mut [Row]) {
        self.a.restrict(x);
        // Twice: the first pass leaves rounding of the whole, the second of the rest.
        for _ in 0..2 {
            for block in self.found {
                let c = gram(block, x);
                subtract(x, block, &c);
            }
        }
    }
}

/// Takes from the pairs of a new stage what rounding has left in them of the eigenvectors found before.
///
/// A trace ε of x_j in x_k is invisible in x_jᵀ x_k, but A shows it enlarged: x_jᵀ A x_k = ε (μ_j − μ_k).
fn refine(a: &mut impl Operator, found: &Largest, next: &mut Largest) {
    if found.vectors.is_empty() {
        return;
    }
    let mut image = vec![[0.0; LANES]; a.rows()];
    for (k, x) in next.vectors.iter_mut().enumerate() {
        a.apply(x, &mut image);
        for (j, before) in found.vectors.iter().enumerate() {
            let mut trace = gram(before, &image);
            for (p, q) in (0..LANES).flat_map(|p| (0..LANES).map(move |q| (p, q))) {
                let (mu_j, mu_k) = (found.values[j * LANES + p], next.values[k * LANES + q]);
                // Where the two are close, the trace is not enlarged and not worth the division.
                trace[p][q] = if mu_j > 2.0 * mu_k { trace[p][q] / (mu_j - mu_k) } else { 0.0 };
            }
            subtract(x, before, &trace);
        }
    }
}

/// The `wanted` largest eigenpairs and those that fill the last block.
fn largest_of_stage(a: &mut impl Operator, wanted: usize) -> Result<Largest, Stopped> {
    let (locked, capacity) = (locked(wanted), capacity(wanted));
    let mut krylov = Krylov::new(a, capacity);
    let mut known: Option<Vec<f64>> = None;
    for _ in 0..MOST_PRODUCTS {
        krylov.expand(a);
        if !krylov.is_time_to_look(locked) {
            continue;
        }
        let ritz = krylov.rayleigh_ritz()?;
        let converged = (0..locked * LANES).all(|i| ritz.has_converged(i));
        match &known {
            Some(known) if converged && ritz.is_resolved(locked * LANES) && ritz.has_nothing_above(known) => {
                krylov.compress(&ritz, locked);
                let values = ritz.values[..locked * LANES].to_vec();
                return Ok(Largest { values, vectors: krylov.blocks });
            }
            Some(_) if converged && ritz.is_resolved(locked * LANES) => {
                known = Some(krylov.probe(a, &ritz, locked));
            }
            None if converged => known = Some(krylov.probe(a, &ritz, locked)),
            _ if krylov.is_full() => krylov.restart(&ritz, capacity / 2),
            _ => {}
        }
    }
    Err(Stopped)
}

/// A small problem: the matrix itself, by its action on the unit vectors.
fn by_matrix(a: &mut impl Operator, wanted: usize) -> Result<Largest, Stopped> {
    let rows = a.rows();
    if rows > MOST_ROWS {
        return Err(Stopped);
    }
    let mut matrix = DMatrix::zeros(rows, rows);
    let (mut x, mut out) = (vec![[0.0; LANES]; rows], vec![[0.0; LANES]; rows]);
    for first in (0..rows).step_by(LANES) {
        x.fill([0.0; LANES]);
        (first..rows.min(first + LANES)).for_each(|i| x[i][i - first] = 1.0);
        a.restrict(&mut x);
        a.apply(&x, &mut out);
        for column in first..rows.min(first + LANES) {
            matrix.column_mut(column).iter_mut().zip(&out).for_each(|(m, out)| *m = out[column - first]);
        }
    }
    let symmetric = (&matrix + matrix.transpose()) * 0.5;
    let ritz = Ritz::new(symmetric, [[0.0; LANES]; LANES])?;
    let block = |k: usize| {
        let entry = |r: usize, l: usize| ritz.vectors.get((r, k * LANES + l)).copied().unwrap_or(0.0);
        (0..rows).map(|r| std::array::from_fn(|l| entry(r, l))).collect()
    };
    let vectors: Vec<Block> = (0..wanted.div_ceil(LANES)).map(block).collect();
    Ok(Largest { values: ritz.values[..wanted].to_vec(), vectors })
}

/// A Krylov space: A Q = Q H + Q_next R on the last block.
struct Krylov {
    /// Q, and Q_next at the end.
    blocks: Vec<Block>,
    /// Memory of blocks no longer needed: fresh pages cost as much as a product.
    spare: Vec<Block>,
    /// H = Qᵀ A Q, in its upper left corner.
    h: DMatrix<f64>,
    r: Square,
    capacity: usize,
    /// Blocks that the last restart or probe left.
    kept: usize,
    /// The last block couples to all blocks before it, not only to its neighbour.
    couples_to_all: bool,
    random: Random,
}

impl Krylov {
    fn new(a: &impl Operator, capacity: usize) -> Self {
        let side = capacity * LANES;
        let mut krylov = Self {
            blocks: Vec::with_capacity(capacity + 1),
            spare: Vec::new(),
            h: DMatrix::zeros(side, side),
            r: [[0.0; LANES]; LANES],
            capacity,
            kept: 0,
            couples_to_all: true,
            random: Random::new(0x006d_6f64_6573),
        };
        krylov.push_random(a);
        krylov
    }

    /// A block of zeros.
    fn zeros(&mut self, rows: usize) -> Block {
        let mut block = self.spare.pop().unwrap_or_default();
        block.clear();
        block.resize(rows, [0.0; LANES]);
        block
    }

    fn push_random(&mut self, a: &impl Operator) {
        let empty = self.zeros(a.rows());
        self.push_completed(a, empty);
    }

    /// Blocks of Q whose images are known.
    fn size(&self) -> usize {
        self.blocks.len() - 1
    }

    fn is_full(&self) -> bool {
        self.size() == self.capacity
    }

    /// Ritz values are worth a look when there are enough of them, some blocks have come in, or nothing more fits.
    fn is_time_to_look(&self, locked: usize) -> bool {
        let news = self.size() - self.kept;
        self.is_full() || self.size() > locked && news.is_multiple_of(STRIDE)
    }

    /// One block more: its image, its coefficients, and what is new in it.
    fn expand(&mut self, a: &mut impl Operator) {
        let last = self.size();
        let mut w = self.zeros(a.rows());
        a.apply(&self.blocks[last], &mut w);
        // In exact arithmetic A Q_last reaches back to the block before only. The second pass, over all blocks,
        // takes out what rounding added.
        let neighbours = if self.couples_to_all { 0 } else { last.saturating_sub(1) };
        self.couples_to_all = false;
        let mut coefficients = vec![[[0.0; LANES]; LANES]; last + 1];
        for first in [neighbours, 0] {
            for (block, sum) in self.blocks.iter().zip(&mut coefficients).skip(first) {
                let c = gram(block, &w);
                subtract(&mut w, block, &c);
                sum.iter_mut().zip(c).for_each(|(sum, c)| (0..LANES).for_each(|b| sum[b] += c[b]));
            }
        }
        for (i, c) in coefficients.iter().enumerate() {
            for (p, q) in (0..LANES).flat_map(|p| (0..LANES).map(move |q| (p, q))) {
                self.h[(i * LANES + p, last * LANES + q)] = c[p][q];
                self.h[(last * LANES + q, i * LANES + p)] = c[p][q];
            }
        }
        self.r = orthonormalize(&mut w, FLOOR * self.scale());
        self.push_completed(a, w);
    }

    /// A lower bound of the norm of A: the largest diagonal entry of H.
    fn scale(&self) -> f64 {
        self.h.diagonal().amax()
    }

    /// Adds a block after filling its empty columns with random directions across all others.
    fn push_completed(&mut self, a: &impl Operator, mut w: Block) {
        let norms = gram(&w, &w);
        let empty: Vec<usize> = (0..LANES).filter(|&j| norms[j][j] == 0.0).collect();
        if !empty.is_empty() {
            for row in &mut w {
                for &j in &empty {
                    row[j] = self.random.symmetric();
                }
            }
            // Twice: the first pass leaves rounding of the whole, the second of the rest.
            for _ in 0..2 {
                a.restrict(&mut w);
                for block in &self.blocks {
                    let c = gram(block, &w);
                    subtract(&mut w, block, &c);
                }
                orthonormalize(&mut w, 0.0);
            }
        }
        self.blocks.push(w);
    }

    fn rayleigh_ritz(&self) -> Result<Ritz, Stopped> {
        let side = self.size() * LANES;
        Ritz::new(self.h.view((0, 0), (side, side)).into_owned(), self.r)
    }

    /// Q ← the first `keep` blocks of Q Y; forgets Q_next.
    fn compress(&mut self, ritz: &Ritz, keep: usize) {
        let size = self.size();
        rotate(&mut self.blocks[..size], &ritz.vectors.columns(0, keep * LANES).into_owned());
        self.spare.extend(self.blocks.drain(keep..));
        self.h.fill(0.0);
        for (i, value) in ritz.values[..keep * LANES].iter().enumerate() {
            self.h[(i, i)] = *value;
        }
        self.kept = keep;
        self.couples_to_all = true;
    }

    /// Thick restart: the `keep` best blocks, and the direction in which the space grows.
    fn restart(&mut self, ritz: &Ritz, keep: usize) {
        let next = self.blocks.pop();
        self.blocks.push(Block::new()); // compress forgets the last one
        self.compress(ritz, keep);
        self.blocks.extend(next);
    }

    /// Keeps the converged pairs and looks in a new direction. Returns the values kept.
    fn probe(&mut self, a: &impl Operator, ritz: &Ritz, locked: usize) -> Vec<f64> {
        self.compress(ritz, locked);
        self.push_random(a);
        ritz.values[..locked * LANES].to_vec()
    }
}

/// Eigenpairs of H, largest first.
struct Ritz {
    values: Vec<f64>,
    /// One column per pair.
    vectors: DMatrix<f64>,
    /// ‖A x − θ x‖ of each pair.
    residuals: Vec<f64>,
}

impl Ritz {
    fn new(h: DMatrix<f64>, r: Square) -> Result<Self, Stopped> {
        let side = h.nrows();
        let eigen = SymmetricEigen::try_new(h, f64::EPSILON, 100 * side).ok_or(Stopped)?;
        let mut order: Vec<usize> = (0..side).collect();
        order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
        let vectors = eigen.eigenvectors.select_columns(&order);
        let residual = |i: usize| {
            let y = &vectors.as_slice()[(i + 1) * side - LANES.min(side)..(i + 1) * side];
            let part = |row: &Row| row.iter().zip(y).map(|(r, y)| r * y).sum::<f64>();
            r.iter().map(|row| math::square(part(row))).sum::<f64>().sqrt()
        };
        let residuals = (0..side).map(residual).collect();
        Ok(Self { values: order.iter().map(|&i| eigen.eigenvalues[i]).collect(), vectors, residuals })
    }

    fn has_converged(&self, i: usize) -> bool {
        self.residuals[i] <= (TOLERANCE * self.values[i]).max(FLOOR * self.values[0])
    }

    /// Whether pair `i` is known well enough to say that nothing larger hides behind it.
    fn is_resolved(&self, i: usize) -> bool {
        self.residuals[i] <= (PROBE_TOLERANCE * self.values[i]).max(FLOOR * self.values[0])
    }

    /// Whether the largest values are the `known` ones, to rounding.
    fn has_nothing_above(&self, known: &[f64]) -> bool {
        let slack = FLOOR * self.values[0];
        known.iter().zip(&self.values).all(|(known, value)| *value <= known * (1.0 + PROBE_TOLERANCE) + slack)
    }
}
