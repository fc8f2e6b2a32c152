//! Normal equations of conditions each of which a few joints move.

/// The Jacobian by columns, with where they are not 0: a foot moves with the joints of its leg alone, and most products are with nothing.
pub(super) struct Columns {
    /// Rows.
    m: usize,
    /// Column by column.
    slopes: Vec<f64>,
    /// Per column: where its spans begin; one more at the end.
    starts: Vec<usize>,
    /// First row and the one after the last.
    spans: Vec<[usize; 2]>,
}

impl Columns {
    /// Of a Jacobian row by row, and which of the `nv` coordinates may have anything in each.
    pub(super) fn new(rows: &[f64], movers: &[&[usize]], nv: usize) -> Self {
        let m = rows.len() / nv;
        let words = m.div_ceil(64).max(1);
        let (mut slopes, mut marks) = (vec![0.0; nv * m], vec![0_u64; nv * words]);
        for (i, (row, movers)) in rows.chunks_exact(nv).zip(movers).enumerate() {
            // Without a branch: which of them are 0 is as good as random.
            for &dof in *movers {
                let slope = row[dof];
                slopes[dof * m + i] = slope;
                marks[dof * words + i / 64] |= u64::from(slope != 0.0) << (i % 64);
            }
        }
        let mut columns = Self { m, slopes, starts: Vec::with_capacity(nv + 1), spans: Vec::new() };
        for marks in marks.chunks_exact(words) {
            columns.starts.push(columns.spans.len());
            for (word, marks) in marks.iter().enumerate() {
                columns.add_spans(64 * word, without_gaps(*marks));
            }
        }
        columns.starts.push(columns.spans.len());
        columns
    }

    /// Spans of rows that are marked, the lowest bit for the row `first`.
    fn add_spans(&mut self, first: usize, mut marks: u64) {
        let mut row = first;
        while marks != 0 {
            let skipped = marks.trailing_zeros();
            marks >>= skipped;
            let long = marks.trailing_ones();
            marks = marks.checked_shr(long).unwrap_or(0);
            row += skipped as usize;
            self.spans.push([row, row + long as usize]);
            row += long as usize;
        }
    }

    /// Of each coordinate: how it moves all rows, and which of them.
    fn each(&self) -> impl Iterator<Item = (&[f64], &[[usize; 2]])> {
        let columns = self.slopes.chunks_exact(self.m.max(1));
        columns.zip(self.starts.windows(2)).map(|(column, of)| (column, &self.spans[of[0]..of[1]]))
    }

    /// J C Jᵀ column by column: the part below the diagonal.
    pub(super) fn weighed(&self, compliance: &[f64]) -> Vec<f64> {
        let m = self.m;
        let mut matrix = vec![0.0; m * m];
        for ((slopes, spans), c) in self.each().zip(compliance) {
            for (k, &[first, end]) in spans.iter().enumerate() {
                for j in first..end {
                    let (column, eased) = (&mut matrix[j * m..(j + 1) * m], slopes[j] * c);
                    add(&mut column[j..end], &slopes[j..end], eased);
                    for &[first, end] in &spans[k + 1..] {
                        add(&mut column[first..end], &slopes[first..end], eased);
                    }
                }
            }
        }
        matrix
    }

    /// C Jᵀ `force`
    pub(super) fn pull(&self, compliance: &[f64], force: &[f64]) -> Vec<f64> {
        let sum = |((slopes, spans), c): ((&[f64], &[[usize; 2]]), &f64)| {
            let of_span = |&[first, end]: &[usize; 2]| dot(&slopes[first..end], &force[first..end]);
            c * spans.iter().map(of_span).sum::<f64>()
        };
        self.each().zip(compliance).map(sum).collect()
    }

    /// J `delta`
    pub(super) fn times(&self, delta: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.m];
        for ((slopes, spans), d) in self.each().zip(delta) {
            for &[first, end] in spans {
                add(&mut product[first..end], &slopes[first..end], *d);
            }
        }
        product
    }
}

/// `marks` with one or two zeros between ones filled: one long sum is quicker than two short ones.
fn without_gaps(marks: u64) -> u64 {
    let (below, above) = (marks << 1, marks >> 1);
    marks | below & above | (marks << 2) & above | below & (marks >> 2)
}

/// The factor L of a symmetric matrix A = L Lᵀ, by columns, with 1/L on its diagonal.
pub(super) struct Factor {
    m: usize,
    entries: Vec<f64>,
}

impl Factor {
    /// Of what `matrix`, of `m` columns, has below its diagonal; `None` if it is not positive.
    pub(super) fn new(mut matrix: Vec<f64>, m: usize) -> Option<Self> {
        for j in 0..m {
            let (before, rest) = matrix.split_at_mut(j * m);
            let column = &mut rest[j..m];
            // Four at a time, so that the column is loaded and stored a fourth as often.
            let mut fours = before.chunks_exact(4 * m);
            for four in &mut fours {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| &four[k * m + j..(k + 1) * m]);
                let by = [a[0], b[0], c[0], d[0]];
                if by != [0.0; 4] {
                    let others = a.iter().zip(b).zip(c).zip(d);
                    for (x, (((a, b), c), d)) in column.iter_mut().zip(others) {
                        *x = *x - by[0] * a - by[1] * b - by[2] * c - by[3] * d;
                    }
                }
            }
            for other in fours.remainder().chunks_exact(m) {
                add(column, &other[j..], -other[j]);
            }
            // Not positive, or not a number.
            if column[0].is_nan() || column[0] <= 0.0 {
                return None;
            }
            let inverse = 1.0 / column[0].sqrt();
            for a in &mut column[1..] {
                *a *= inverse;
            }
            column[0] = inverse;
        }
        Some(Self { m, entries: matrix })
    }

    /// A x = b for two right sides, in place.
    pub(super) fn solve(&self, [first, second]: [&mut [f64]; 2]) {
        let columns = || self.entries.chunks_exact(self.m.max(1)).enumerate();
        for (j, column) in columns() {
            let by = [first[j] * column[j], second[j] * column[j]];
            (first[j], second[j]) = (by[0], by[1]);
            add(&mut first[j + 1..], &column[j + 1..], -by[0]);
            add(&mut second[j + 1..], &column[j + 1..], -by[1]);
        }
        for (j, column) in columns().rev() {
            let below = &column[j + 1..];
            first[j] = (first[j] - dot(below, &first[j + 1..])) * column[j];
            second[j] = (second[j] - dot(below, &second[j + 1..])) * column[j];
        }
    }
}

/// `sum` += `by` · `terms`
fn add(sum: &mut [f64], terms: &[f64], by: f64) {
    for (sum, term) in sum.iter_mut().zip(terms) {
        *sum += by * term;
    }
}

/// ⟨a, b⟩, in four sums that do not wait for one another.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use gambol_model::Random;
    use nalgebra::{DMatrix, DVector};

    use super::*;

    #[test]
    fn gaps_of_two_are_filled_and_longer_ones_are_not() {
        for (marks, filled) in [
            (0b0, 0b0),
            (0b101, 0b111),
            (0b1001, 0b1111),
            (0b10001, 0b10001),
            (0b1_0001_1001, 0b1_0001_1111),
            (1 << 63 | 1 << 61, 0b111 << 61),
        ] {
            assert_eq!(without_gaps(marks), filled, "{marks:b}");
        }
    }

    /// Rounding of sums of a hundred products of numbers about 1.
    const ROUNDING: f64 = 1e-12;

    #[test]
    fn all_is_as_with_dense_matrices() {
        let mut random = Random::new(3);
        for (m, nv) in [(1, 1), (5, 9), (64, 30), (65, 90), (131, 40)] {
            let sparse = |_, _| if random.unit() < 0.3 { random.unit() - 0.5 } else { 0.0 };
            let dense = DMatrix::from_fn(m, nv, sparse);
            let compliance: Vec<f64> = (0..nv).map(|_| 0.1 + random.unit()).collect();
            let c = DMatrix::from_diagonal(&DVector::from_column_slice(&compliance));
            let all: Vec<usize> = (0..nv).collect();
            let columns = Columns::new(dense.transpose().as_slice(), &vec![&all[..]; m], nv);
            let force = DVector::from_fn(m, |_, _| random.unit());
            let delta = DVector::from_fn(nv, |_, _| random.unit());
            let apart =
                |ours: &[f64], theirs: DVector<f64>| (DVector::from_column_slice(ours) - theirs).amax();
            assert!(
                apart(&columns.pull(&compliance, force.as_slice()), &c * dense.tr_mul(&force)) < ROUNDING
            );
            assert!(apart(&columns.times(delta.as_slice()), &dense * &delta) < ROUNDING);

            let matrix = &dense * c * dense.transpose() + DMatrix::identity(m, m);
            let mut weighed = columns.weighed(&compliance);
            for i in 0..m {
                weighed[i * m + i] += 1.0;
                for j in 0..=i {
                    assert!((weighed[j * m + i] - matrix[(i, j)]).abs() < ROUNDING, "{i} {j}");
                }
            }
            let factor = Factor::new(weighed, m).expect("it is positive");
            let (mut x, mut y) = (force.clone(), -2.0 * &force);
            factor.solve([x.as_mut_slice(), y.as_mut_slice()]);
            assert!((&matrix * &x - &force).amax() < ROUNDING);
            assert!((y + 2.0 * x).amax() < ROUNDING);
        }
    }

    #[test]
    fn what_is_not_positive_has_no_factor() {
        assert!(Factor::new(vec![1.0, 2.0, 0.0, 1.0], 2).is_none());
        assert!(Factor::new(vec![f64::NAN], 1).is_none());
    }
}
