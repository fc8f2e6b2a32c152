//! Eigenvalues and eigenvectors of a tridiagonal matrix by divide and conquer (Cuppen 1981; Gu and Eisenstat 1995).
//!
//! ```text
//! T = (T₁, T₂) + ρ v vᵀ              cut in two, a dyad at the seam
//! T₁ = Q₁ D₁ Q₁ᵀ, T₂ = Q₂ D₂ Q₂ᵀ     each half by itself
//! D + ρ z zᵀ, z = (Q₁, Q₂)ᵀ v        deflated where z or a gap of D is rounding
//!            = V Λ Vᵀ                roots of the secular equation
//! Q = (Q₁, Q₂) V
//! ```
//!
//! The eigenvectors V are not those of z, but of the ẑ of which the computed roots are the exact ones. So they are
//! orthogonal to the last digit, however close the roots are.

use super::kernels::{Panels, TILE, dot, multiply, rotate};
use super::secular::Secular;
use super::{NotConverged, ROUNDING, ql};

/// Rows of a part that is not cut any more: below, rotations cost less than what a seam needs.
const LEAF: usize = 20;

/// Replaces a diagonal by the eigenvalues, ascending, and writes the eigenvectors as columns into `vectors`, which are 0.
/// Overwrites `beside`, the numbers beside the diagonal, which are as many as those on it; the last one is of no use. The
/// matrix is scaled to numbers of at most about 1.
pub(super) fn eigen(
    diagonal: &mut [f64],
    beside: &mut [f64],
    vectors: &mut [f64],
) -> Result<(), NotConverged> {
    let n = diagonal.len();
    Memory::default().part(diagonal, beside, vectors, n)
}

/// Where a column of a seam has numbers that are not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Half {
    Top,
    /// A rotation mixed one of each.
    Both,
    Bottom,
}

/// Memory that all seams share.
#[derive(Debug, Default)]
struct Memory {
    /// Of a leaf.
    leaf: Vec<f64>,
    /// Columns that are set aside while others are written.
    aside: Vec<f64>,
    top: Panels,
    bottom: Panels,
    right_top: Panels,
    right_bottom: Panels,
    /// dᵢ − λⱼ by columns j, then the eigenvectors.
    distances: Vec<f64>,
}

impl Memory {
    /// One part; its `vectors` start at its first number and have columns `stride` numbers apart.
    fn part(
        &mut self,
        diagonal: &mut [f64],
        beside: &mut [f64],
        vectors: &mut [f64],
        stride: usize,
    ) -> Result<(), NotConverged> {
        let n = diagonal.len();
        if n <= LEAF {
            return self.leaf(diagonal, beside, vectors, stride);
        }
        let half = n / 2;
        let seam = beside[half - 1];
        // What the dyad has on the diagonal is taken off first.
        diagonal[half - 1] -= seam.abs();
        diagonal[half] -= seam.abs();
        let (upper, lower) = diagonal.split_at_mut(half);
        let (beside_upper, beside_lower) = beside.split_at_mut(half);
        self.part(upper, beside_upper, vectors, stride)?;
        self.part(lower, beside_lower, &mut vectors[half * stride + half..], stride)?;
        Seam::new(diagonal, vectors, stride, half, seam).close(diagonal, vectors, self)
    }

    fn leaf(
        &mut self,
        diagonal: &mut [f64],
        beside: &mut [f64],
        vectors: &mut [f64],
        stride: usize,
    ) -> Result<(), NotConverged> {
        let n = diagonal.len();
        self.leaf.clear();
        self.leaf.resize(n * n, 0.0);
        self.leaf.iter_mut().step_by(n + 1).for_each(|x| *x = 1.0);
        ql::eigen(diagonal, beside, &mut self.leaf, n)?;
        for (to, from) in vectors.chunks_mut(stride).zip(self.leaf.chunks_exact(n.max(1))) {
            to[..n].copy_from_slice(from);
        }
        Ok(())
    }
}

/// D + ρ z zᵀ at the seam of two halves.
struct Seam {
    stride: usize,
    /// Rows of the upper half.
    half: usize,
    rho: f64,
    z: Vec<f64>,
    halves: Vec<Half>,
    /// Columns that the dyad changes, by ascending eigenvalue.
    changed: Vec<usize>,
    /// Columns that stay as they are.
    settled: Vec<usize>,
}

impl Seam {
    /// z is the last row of the upper vectors and the first of the lower ones; each has length 1.
    fn new(diagonal: &[f64], vectors: &[f64], stride: usize, half: usize, seam: f64) -> Self {
        let n = diagonal.len();
        let part = std::f64::consts::FRAC_1_SQRT_2;
        let z = |column: usize| {
            if column < half {
                part * vectors[column * stride + half - 1]
            } else {
                part.copysign(seam) * vectors[column * stride + half]
            }
        };
        Self {
            stride,
            half,
            rho: 2.0 * seam.abs(),
            z: (0..n).map(z).collect(),
            halves: (0..n).map(|k| if k < half { Half::Top } else { Half::Bottom }).collect(),
            changed: Vec::with_capacity(n),
            settled: Vec::new(),
        }
    }

    fn close(
        mut self,
        diagonal: &mut [f64],
        vectors: &mut [f64],
        memory: &mut Memory,
    ) -> Result<(), NotConverged> {
        self.deflate(diagonal, vectors);
        let poles: Vec<f64> = self.changed.iter().map(|&k| diagonal[k]).collect();
        let z: Vec<f64> = self.changed.iter().map(|&k| self.z[k]).collect();
        let roots = eigenvectors(&poles, &z, self.rho, &mut memory.distances)?;
        self.pack(vectors, memory);
        self.write(diagonal, vectors, &roots, memory);
        Ok(())
    }

    /// Sets columns aside that the dyad does not change but for rounding: those with nothing of z, and of two with nearly
    /// one eigenvalue the one that a rotation frees of z.
    fn deflate(&mut self, d: &mut [f64], vectors: &mut [f64]) {
        let n = d.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| d[a].total_cmp(&d[b]));
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let small = 8.0 * ROUNDING * largest(d).max(largest(&self.z));
        let mut before: Option<usize> = None;
        for k in order {
            if self.rho * self.z[k].abs() <= small {
                self.settled.push(k);
                continue;
            }
            let Some(other) = before.replace(k) else { continue };
            let length = (self.z[k] * self.z[k] + self.z[other] * self.z[other]).sqrt();
            let (c, s) = (self.z[k] / length, -self.z[other] / length);
            if ((d[k] - d[other]) * c * s).abs() > small {
                self.changed.push(other);
                continue;
            }
            (self.z[k], self.z[other]) = (length, 0.0);
            if self.halves[k] != self.halves[other] {
                (self.halves[k], self.halves[other]) = (Half::Both, Half::Both);
            }
            let (low, high) = (other.min(k), other.max(k));
            let (left, right) = vectors.split_at_mut(high * self.stride);
            let (left, right) = (&mut left[low * self.stride..][..n], &mut right[..n]);
            if other == low {
                rotate(left, right, c, s);
            } else {
                rotate(right, left, c, s);
            }
            let (a, b) = (d[other], d[k]);
            d[other] = a * (c * c) + b * (s * s);
            d[k] = a * (s * s) + b * (c * c);
            self.settled.push(other);
        }
        self.changed.extend(before);
    }

    /// Packs the two products (Q₁, Q₂) V: columns of the upper half first, those of both, then those of the lower half.
    fn pack(&self, vectors: &[f64], memory: &mut Memory) {
        let (n, count) = (self.z.len(), self.changed.len());
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&i| self.halves[self.changed[i]]);
        let in_half = |half: Half| order.iter().filter(|&&i| self.halves[self.changed[i]] == half).count();
        let (tops, boths) = (in_half(Half::Top), in_half(Half::Both));
        let (upper, lower) = (&order[..tops + boths], &order[tops..]);
        let column = |i: usize| &vectors[self.changed[i] * self.stride..][..n];
        memory.top.reset(self.half, upper.len());
        for (k, &i) in upper.iter().enumerate() {
            memory.top.set_column(k, &column(i)[..self.half]);
        }
        memory.bottom.reset(n - self.half, lower.len());
        for (k, &i) in lower.iter().enumerate() {
            memory.bottom.set_column(k, &column(i)[self.half..]);
        }
        memory.right_top.set_rows(&memory.distances, count, upper);
        memory.right_bottom.set_rows(&memory.distances, count, lower);
    }

    /// Writes eigenvalues and vectors in ascending order.
    fn write(&self, d: &mut [f64], vectors: &mut [f64], roots: &[f64], memory: &mut Memory) {
        let n = d.len();
        // Every column: its eigenvalue, and where it comes from.
        let settled = self.settled.iter().enumerate().map(|(k, &from)| (d[from], roots.len() + k));
        let mut order: Vec<(f64, usize)> = roots.iter().copied().zip(0..).chain(settled).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut place = vec![0; n];
        for (to, &(value, from)) in order.iter().enumerate() {
            d[to] = value;
            place[from] = to;
        }
        memory.aside.clear();
        for &from in &self.settled {
            memory.aside.extend_from_slice(&vectors[from * self.stride..][..n]);
        }
        for (column, &to) in memory.aside.chunks_exact(n).zip(&place[roots.len()..]) {
            vectors[to * self.stride..][..n].copy_from_slice(column);
        }
        for &to in &place[..roots.len()] {
            vectors[to * self.stride..][..n].fill(0.0); // a half that has no part in any product stays so
        }
        let mut block = |first: usize, rows: usize, j: usize, i: usize, numbers: &[f64; TILE]| {
            if j < roots.len() {
                let count = TILE.min(rows - i);
                vectors[place[j] * self.stride + first + i..][..count].copy_from_slice(&numbers[..count]);
            }
        };
        multiply(&memory.top, &memory.right_top, |j, i, numbers| block(0, self.half, j, i, numbers));
        multiply(&memory.bottom, &memory.right_bottom, |j, i, numbers| {
            block(self.half, n - self.half, j, i, numbers);
        });
    }
}

/// Eigenvalues of D + ρ z zᵀ, ascending, and in `vectors` the eigenvectors as columns.
fn eigenvectors(
    poles: &[f64],
    z: &[f64],
    rho: f64,
    vectors: &mut Vec<f64>,
) -> Result<Vec<f64>, NotConverged> {
    let n = poles.len();
    let weights: Vec<f64> = z.iter().map(|z| rho * z * z).collect();
    let secular = Secular { poles, weights: &weights };
    vectors.clear();
    vectors.resize(n * n, 0.0);
    let roots: Result<Vec<f64>, NotConverged> = vectors
        .chunks_exact_mut(n.max(1))
        .enumerate()
        .map(|(j, distances)| secular.root(j, distances))
        .collect();
    let roots = roots?;
    // ẑᵢ² = Πⱼ (λⱼ − dᵢ) / Π_{j≠i} (dⱼ − dᵢ), up to ρ, which is the length of the vector's own scale.
    let mut squares: Vec<f64> = (0..n).map(|i| -vectors[i * n + i]).collect();
    for (j, distances) in vectors.chunks_exact(n.max(1)).enumerate() {
        let pole = poles[j];
        let share =
            |(square, (distance, other)): (&mut f64, (&f64, &f64))| *square *= distance / (other - pole);
        squares[..j].iter_mut().zip(distances[..j].iter().zip(&poles[..j])).for_each(share);
        squares[j + 1..].iter_mut().zip(distances[j + 1..].iter().zip(&poles[j + 1..])).for_each(share);
    }
    // Rounding of a square that is 0.
    let near: Vec<f64> =
        squares.iter().zip(z).map(|(square, z)| square.max(0.0).sqrt().copysign(*z)).collect();
    for vector in vectors.chunks_exact_mut(n.max(1)) {
        vector.iter_mut().zip(&near).for_each(|(x, z)| *x = z / *x);
        let length = dot(vector, vector).sqrt();
        for x in vector {
            *x /= length;
        }
    }
    Ok(roots)
}
