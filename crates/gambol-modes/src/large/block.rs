//! A few long vectors side by side, and the sums over them that a Krylov method needs.
//!
//! Row r of a block holds coordinate r of its [`LANES`] vectors: all loops run over rows with a fixed number of lanes,
//! which compilers turn into vector instructions, and each block is read once for all its vectors. Sums run in a fixed
//! order on one thread, so that the same input gives the same bits.

/// Vectors in a block.
pub const LANES: usize = 4;

/// One coordinate of all vectors of a block.
pub type Row = [f64; LANES];

/// [`LANES`] vectors.
pub type Block = Vec<Row>;

/// A small matrix between two blocks.
pub(super) type Square = [Row; LANES];

/// Xᵀ W.
pub(super) fn gram(x: &[Row], w: &[Row]) -> Square {
    let mut sum = [[0.0; LANES]; LANES];
    for (x, w) in x.iter().zip(w) {
        for a in 0..LANES {
            for b in 0..LANES {
                sum[a][b] += x[a] * w[b];
            }
        }
    }
    sum
}

/// W ← W − X C.
pub(super) fn subtract(w: &mut [Row], x: &[Row], c: &Square) {
    for (w, x) in w.iter_mut().zip(x) {
        for a in 0..LANES {
            for b in 0..LANES {
                w[b] -= x[a] * c[a][b];
            }
        }
    }
}

/// Makes the columns of W orthonormal by Gram–Schmidt, each column twice, and returns R with W_old = W R.
///
/// A column whose part across the others is no longer than `negligible` has nothing new to say: it becomes zero, and
/// so does its row of R.
pub(super) fn orthonormalize(w: &mut [Row], negligible: f64) -> Square {
    let mut r = [[0.0; LANES]; LANES];
    for j in 0..LANES {
        for _ in 0..2 {
            let mut dots = dots_with_column(w, j);
            dots[j..].fill(0.0);
            for a in 0..j {
                r[a][j] += dots[a];
            }
            for row in w.iter_mut() {
                let mut part = 0.0;
                for a in 0..LANES {
                    part += dots[a] * row[a];
                }
                row[j] -= part;
            }
        }
        let norm = dots_with_column(w, j)[j].sqrt();
        let keep = norm > negligible;
        r[j][j] = if keep { norm } else { 0.0 };
        let factor = if keep { 1.0 / norm } else { 0.0 };
        for row in w.iter_mut() {
            row[j] *= factor;
        }
    }
    r
}

fn dots_with_column(w: &[Row], j: usize) -> Row {
    let mut dots = [0.0; LANES];
    for row in w {
        for a in 0..LANES {
            dots[a] += row[a] * row[j];
        }
    }
    dots
}

/// The vectors in `blocks` times the matrix `y`, which has one row per vector. In place: the first blocks receive the
/// result, the others keep what they had.
pub(super) fn rotate(blocks: &mut [Block], y: &nalgebra::DMatrix<f64>) {
    let kept = y.ncols().div_ceil(LANES);
    // y as blocks of rows: coefficient[k][a] is the row of y for vector a of the block, cut to the lanes of output k.
    let coefficients: Vec<Vec<Square>> = (0..kept)
        .map(|k| {
            let entry = |i: usize, b: usize| y.get((i, k * LANES + b)).copied().unwrap_or(0.0);
            let square = |i: usize| std::array::from_fn(|a| std::array::from_fn(|b| entry(i * LANES + a, b)));
            (0..blocks.len()).map(square).collect()
        })
        .collect();
    let rows = blocks.first().map_or(0, Vec::len);
    let mut old = vec![[0.0; LANES]; blocks.len()];
    for r in 0..rows {
        for (old, block) in old.iter_mut().zip(&*blocks) {
            *old = block[r];
        }
        for (block, coefficient) in blocks.iter_mut().zip(&coefficients) {
            let mut sum = [0.0; LANES];
            for (x, c) in old.iter().zip(coefficient) {
                for a in 0..LANES {
                    for b in 0..LANES {
                        sum[b] += x[a] * c[a][b];
                    }
                }
            }
            block[r] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_model::samples::Random;

    fn random(rows: usize, seed: u64) -> Block {
        let mut random = Random::new(seed);
        (0..rows).map(|_| std::array::from_fn(|_| random.symmetric())).collect()
    }

    #[test]
    fn factors_of_a_block_give_it_back() {
        let w = random(50, 1);
        let mut q = w.clone();
        let r = orthonormalize(&mut q, 0.0);
        let identity = gram(&q, &q);
        let mut rest = w.clone();
        subtract(&mut rest, &q, &r);
        for a in 0..LANES {
            for b in 0..LANES {
                assert!((identity[a][b] - f64::from(u8::from(a == b))).abs() < 1e-15);
            }
        }
        assert!(rest.as_flattened().iter().all(|x| x.abs() < 1e-14));
    }

    #[test]
    fn dependent_column_becomes_zero() {
        let mut w = random(50, 2);
        for row in &mut w {
            row[2] = row[0] - 2.0 * row[1];
        }
        let r = orthonormalize(&mut w, 1e-12);
        assert_eq!(r[2][2], 0.0);
        assert!(w.iter().all(|row| row[2] == 0.0));
        assert!((gram(&w, &w)[3][3] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn rotation_is_a_product_of_matrices() {
        let mut blocks = vec![random(9, 3), random(9, 4)];
        let before = blocks.clone();
        let mut numbers = Random::new(5);
        let y = nalgebra::DMatrix::from_fn(8, 5, |_, _| numbers.symmetric());
        rotate(&mut blocks, &y);
        for r in 0..9 {
            for k in 0..5 {
                let expected: f64 = (0..8).map(|i| before[i / LANES][r][i % LANES] * y[(i, k)]).sum();
                assert!((blocks[k / LANES][r][k % LANES] - expected).abs() < 1e-14);
            }
        }
    }
}
