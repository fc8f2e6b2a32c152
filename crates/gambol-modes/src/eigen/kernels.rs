//! The inner loops: a fixed number of partial sums in a fixed order, whatever the machine.

/// Partial sums of a dot product. Four vectors of two numbers hide the time of an addition.
const LANES: usize = 8;

/// Rows and columns of the block of a product that is kept in registers: 16 sums are eight vectors of two numbers, half of
/// the registers of the smallest machine.
pub(super) const TILE: usize = 4;

/// Σ aᵢ bᵢ
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (chunks, others) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let (rest, other_rest) = (chunks.remainder(), others.remainder());
    for (a, b) in chunks.zip(others) {
        for l in 0..LANES {
            sums[l] += a[l] * b[l];
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(rest).zip(other_rest) {
        *sum += a * b;
    }
    total(sums)
}

/// The sum of partial sums, in halves.
fn total(s: [f64; LANES]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// Turns two columns in their plane: (x, y) ← (c x + s y, c y − s x).
pub(super) fn rotate(x: &mut [f64], y: &mut [f64], c: f64, s: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        let (a, b) = (*x, *y);
        *x = c * a + s * b;
        *y = c * b - s * a;
    }
}

/// A matrix in panels of [`TILE`] rows (of a left factor) or columns (of a right one), each panel contiguous along the
/// index that a product sums over; the last one is filled up with zeros.
#[derive(Clone, Debug, Default)]
pub(super) struct Panels {
    inner: usize,
    numbers: Vec<f64>,
}

impl Panels {
    /// Makes room for `outer` rows or columns and sums over `inner`; all zeros.
    pub(super) fn reset(&mut self, outer: usize, inner: usize) {
        self.inner = inner;
        self.numbers.clear();
        self.numbers.resize(outer.div_ceil(TILE) * TILE * inner, 0.0);
    }

    /// Sets number `k` of the sum for every row: column `k` of a left factor.
    pub(super) fn set_column(&mut self, k: usize, column: &[f64]) {
        for (panel, rows) in self.numbers.chunks_exact_mut(TILE * self.inner).zip(column.chunks(TILE)) {
            panel[TILE * k..TILE * k + rows.len()].copy_from_slice(rows);
        }
    }

    /// Sets a right factor from the `rows` of a matrix with columns of `count` numbers, in the order in which they are named.
    pub(super) fn set_rows(&mut self, matrix: &[f64], count: usize, rows: &[usize]) {
        self.reset(matrix.len() / count.max(1), rows.len());
        let size = (TILE * rows.len()).max(1);
        for (panel, columns) in self.numbers.chunks_exact_mut(size).zip(matrix.chunks((TILE * count).max(1)))
        {
            for (to, &row) in panel.chunks_exact_mut(TILE).zip(rows) {
                for (to, column) in to.iter_mut().zip(columns.chunks_exact(count)) {
                    *to = column[row];
                }
            }
        }
    }
}

/// left × right, a block at a time: `write(column, first row, numbers of a column of the block)`. Numbers of rows and
/// columns beyond the matrix are zeros and are to be left out by `write`.
pub(super) fn multiply(left: &Panels, right: &Panels, mut write: impl FnMut(usize, usize, &[f64; TILE])) {
    let size = TILE * left.inner;
    if size == 0 {
        return;
    }
    for (j, right) in right.numbers.chunks_exact(size).enumerate() {
        for (i, left) in left.numbers.chunks_exact(size).enumerate() {
            let block = block(left, right);
            for (column, numbers) in block.iter().enumerate() {
                write(TILE * j + column, TILE * i, numbers);
            }
        }
    }
}

/// One block: sums over all pairs of a row of the left panel and a column of the right one, by columns.
fn block(left: &[f64], right: &[f64]) -> [[f64; TILE]; TILE] {
    let mut sums = [[0.0; TILE]; TILE];
    for (a, b) in left.chunks_exact(TILE).zip(right.chunks_exact(TILE)) {
        for column in 0..TILE {
            for row in 0..TILE {
                sums[column][row] += a[row] * b[column];
            }
        }
    }
    sums
}
