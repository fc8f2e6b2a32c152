//! A symmetric matrix to a tridiagonal one by Householder reflections, and the reflections back onto eigenvectors.
//!
//! ```text
//! for each column k:
//!     H = 1 − τ u uᵀ turns what is below the diagonal of column k onto its first number
//!     A ← H A H = A − u wᵀ − w uᵀ,   p = τ A u,   w = p − ½ τ (p · u) u
//! ```
//!
//! The update of A waits for the next reflection, so that one pass over the matrix does both: it takes off the last
//! u wᵀ + w uᵀ and multiplies what is left by the next u. Memory is read and written half as often.

use nalgebra::DMatrix;

use super::NOTHING;
use super::kernels::dot;

/// Numbers of a column that are worked on together; so many partial sums has a product of the pass.
const LANES: usize = 4;

/// Reflections that are applied together: (1 − V T Vᵀ) with so many columns in V.
const BLOCK: usize = 4;

/// A = Q T Qᵀ
pub(super) struct Tridiagonal {
    pub(super) diagonal: Vec<f64>,
    /// Numbers beside the diagonal, as many as on it; the last one is 0.
    pub(super) beside: Vec<f64>,
    pub(super) reflections: Reflections,
}

/// Q = H₀ H₁ … with Hₖ = 1 − τₖ uₖ uₖᵀ, uₖ below the diagonal of column k and its first number 1.
pub(super) struct Reflections {
    columns: DMatrix<f64>,
    taus: Vec<f64>,
}

/// The matrix made tridiagonal; of `a` only the lower triangle is read.
pub(super) fn reduce(mut a: DMatrix<f64>) -> Tridiagonal {
    let n = a.nrows();
    let (mut diagonal, mut beside, mut taus) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    // What waits: u and w of the last reflection, 0 above it.
    let (mut u, mut w) = (vec![0.0; n], vec![0.0; n]);
    let mut next = vec![0.0; n];
    let numbers = a.as_mut_slice();
    for k in 0..n {
        let column = &mut numbers[k * n..(k + 1) * n];
        let (u_k, w_k) = (u[k], w[k]);
        for ((x, u), w) in column.iter_mut().zip(&u).zip(&w).skip(k) {
            *x = *x - u * w_k - w * u_k;
        }
        diagonal[k] = column[k];
        if k + 1 == n {
            break;
        }
        (beside[k], taus[k]) = reflection(&mut column[k + 1..]);
        next[..=k].fill(0.0);
        next[k + 1..].copy_from_slice(&column[k + 1..]);
        let mut p = vec![0.0; n];
        update_and_multiply(numbers, n, k + 1, [&u, &w, &next], &mut p);
        for p in &mut p {
            *p *= taus[k];
        }
        let along = 0.5 * taus[k] * dot(&p, &next);
        for ((w, p), u) in w.iter_mut().zip(&p).zip(&next) {
            *w = p - along * u;
        }
        std::mem::swap(&mut u, &mut next);
    }
    Tridiagonal { diagonal, beside, reflections: Reflections { columns: a, taus } }
}

/// Makes u of what a reflection is to turn onto its first axis, in place; returns what is left on that axis, and τ.
fn reflection(x: &mut [f64]) -> (f64, f64) {
    let rest = dot(&x[1..], &x[1..]);
    let first = x[0];
    if rest < NOTHING {
        x[0] = 1.0;
        return (first, 0.0);
    }
    let length = (first * first + rest).sqrt().copysign(-first);
    let scale = 1.0 / (first - length);
    for x in x.iter_mut() {
        *x *= scale;
    }
    x[0] = 1.0;
    (length, (length - first) / length)
}

/// One pass over the lower triangle from row and column `first` on: A ← A − u wᵀ − w uᵀ, then p += A v. Two columns at a
/// time share what they read.
fn update_and_multiply(a: &mut [f64], n: usize, first: usize, [u, w, v]: [&[f64]; 3], p: &mut [f64]) {
    let mut j = first;
    while j + 1 < n {
        let (left, right) = a[j * n..(j + 2) * n].split_at_mut(n);
        // The two by two numbers on the diagonal.
        left[j] -= 2.0 * (u[j] * w[j]);
        left[j + 1] = left[j + 1] - u[j + 1] * w[j] - w[j + 1] * u[j];
        right[j + 1] -= 2.0 * (u[j + 1] * w[j + 1]);
        let ends = [left[j] * v[j] + left[j + 1] * v[j + 1], left[j + 1] * v[j] + right[j + 1] * v[j + 1]];
        let below = j + 2;
        let pair = Pair { u: [u[j], u[j + 1]], w: [w[j], w[j + 1]], v: [v[j], v[j + 1]] };
        let rows = Rows { u: &u[below..], w: &w[below..], v: &v[below..] };
        let sums = pair.pass(&mut left[below..], &mut right[below..], &rows, &mut p[below..]);
        p[j] += ends[0] + sums[0];
        p[j + 1] += ends[1] + sums[1];
        j += 2;
    }
    if j < n {
        let last = &mut a[j * n + j];
        *last -= 2.0 * (u[j] * w[j]);
        p[j] += *last * v[j];
    }
}

/// u, w and v at two columns.
struct Pair {
    u: [f64; 2],
    w: [f64; 2],
    v: [f64; 2],
}

/// The same at all rows below.
struct Rows<'a> {
    u: &'a [f64],
    w: &'a [f64],
    v: &'a [f64],
}

impl Pair {
    /// Updates two columns below their diagonal; adds what they give to `p` at those rows and returns what those rows give
    /// to p at the two.
    fn pass(&self, left: &mut [f64], right: &mut [f64], rows: &Rows, p: &mut [f64]) -> [f64; 2] {
        let mut sums = [[0.0; LANES]; 2];
        let mut lefts = left.chunks_exact_mut(LANES);
        let mut rights = right.chunks_exact_mut(LANES);
        let mut ps = p.chunks_exact_mut(LANES);
        let (us, ws, vs) =
            (rows.u.chunks_exact(LANES), rows.w.chunks_exact(LANES), rows.v.chunks_exact(LANES));
        let rest = Rows { u: us.remainder(), w: ws.remainder(), v: vs.remainder() };
        for (((((left, right), p), u), w), v) in
            lefts.by_ref().zip(rights.by_ref()).zip(ps.by_ref()).zip(us).zip(ws).zip(vs)
        {
            for l in 0..LANES {
                let a = left[l] - u[l] * self.w[0] - w[l] * self.u[0];
                let b = right[l] - u[l] * self.w[1] - w[l] * self.u[1];
                left[l] = a;
                right[l] = b;
                sums[0][l] += a * v[l];
                sums[1][l] += b * v[l];
                p[l] = p[l] + a * self.v[0] + b * self.v[1];
            }
        }
        let (left, right, p) = (lefts.into_remainder(), rights.into_remainder(), ps.into_remainder());
        for l in 0..left.len() {
            let a = left[l] - rest.u[l] * self.w[0] - rest.w[l] * self.u[0];
            let b = right[l] - rest.u[l] * self.w[1] - rest.w[l] * self.u[1];
            left[l] = a;
            right[l] = b;
            sums[0][l] += a * rest.v[l];
            sums[1][l] += b * rest.v[l];
            p[l] = p[l] + a * self.v[0] + b * self.v[1];
        }
        sums.map(|s| (s[0] + s[2]) + (s[1] + s[3]))
    }
}

impl Reflections {
    /// Z ← Q Z for a matrix of whole columns, [`BLOCK`] reflections and two columns at a time.
    pub(super) fn apply(&self, z: &mut [f64]) {
        let n = self.taus.len();
        if n < 3 {
            // One reflection of a single number is none.
            return;
        }
        let count = n - 2;
        for block in (0..count.div_ceil(BLOCK)).rev() {
            let first = block * BLOCK;
            let block = Block::new(self, first, BLOCK.min(count - first));
            for pair in z.chunks_mut(2 * n) {
                let (a, b) = pair.split_at_mut(n);
                if b.is_empty() {
                    block.apply(&mut a[first + 1..], &mut vec![0.0; n - first - 1]);
                } else {
                    block.apply(&mut a[first + 1..], &mut b[first + 1..]);
                }
            }
        }
    }
}

/// H₀ H₁ … of a few reflections, 1 − V T Vᵀ (Schreiber and Van Loan 1989).
struct Block {
    /// V by rows.
    rows: Vec<[f64; BLOCK]>,
    /// T by rows, upper triangle.
    t: [[f64; BLOCK]; BLOCK],
}

impl Block {
    fn new(all: &Reflections, first: usize, count: usize) -> Self {
        let n = all.taus.len();
        let mut rows = vec![[0.0; BLOCK]; n - first - 1];
        for k in 0..count {
            // Above a reflection is 0, on its first row the 1 that the column holds.
            for (row, x) in
                rows.iter_mut().zip(&all.columns.as_slice()[(first + k) * n + first + 1..]).skip(k)
            {
                row[k] = *x;
            }
        }
        // Column by column: T grows by −τ T (Vᵀ u) above and τ on its diagonal.
        let mut t = [[0.0; BLOCK]; BLOCK];
        for k in 0..count {
            let tau = all.taus[first + k];
            let mut along = [0.0; BLOCK];
            for row in &rows {
                for i in 0..k {
                    along[i] += row[i] * row[k];
                }
            }
            for i in 0..k {
                let sum: f64 = (i..k).map(|j| t[i][j] * along[j]).sum();
                t[i][k] = -tau * sum;
            }
            t[k][k] = tau;
        }
        Self { rows, t }
    }

    /// On two columns at once, from the first row of the reflections on.
    fn apply(&self, a: &mut [f64], b: &mut [f64]) {
        // Two partial sums for each: even and odd rows.
        let mut sums = [[[0.0; BLOCK]; 2]; 2];
        let (rows, last) = self.rows.as_slice().split_at(self.rows.len() / 2 * 2);
        for ((rows, a), b) in rows.chunks_exact(2).zip(a.chunks_exact(2)).zip(b.chunks_exact(2)) {
            for (half, row) in rows.iter().enumerate() {
                for k in 0..BLOCK {
                    sums[0][half][k] += row[k] * a[half];
                    sums[1][half][k] += row[k] * b[half];
                }
            }
        }
        if let ([row], [.., a], [.., b]) = (last, &*a, &*b) {
            for k in 0..BLOCK {
                sums[0][0][k] += row[k] * a;
                sums[1][0][k] += row[k] * b;
            }
        }
        let [x, y] = sums.map(|[even, odd]| {
            let along: [f64; BLOCK] = std::array::from_fn(|k| even[k] + odd[k]);
            let turned = |row: &[f64; BLOCK]| {
                (row[0] * along[0] + row[2] * along[2]) + (row[1] * along[1] + row[3] * along[3])
            };
            self.t.map(|row| turned(&row))
        });
        for ((row, a), b) in self.rows.iter().zip(a).zip(b) {
            *a -= (row[0] * x[0] + row[2] * x[2]) + (row[1] * x[1] + row[3] * x[3]);
            *b -= (row[0] * y[0] + row[2] * y[2]) + (row[1] * y[1] + row[3] * y[3]);
        }
    }
}
