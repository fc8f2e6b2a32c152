//! The definition itself, A V = V Λ and Vᵀ V = 1, for matrices that are hard in one way or another, at all sizes around
//! those at which the algorithm changes: two and three rows, blocks of reflections, leaves, one and several seams.

use gambol_model::math;
use gambol_model::samples::Random;
use nalgebra::{DMatrix, DVector};

use super::{NotConverged, largest_eigenpairs};

/// Sizes: from nothing to the blocks of four, around leaves of 20 rows, twice and four times as many, and larger.
const SIZES: [usize; 24] =
    [0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 19, 20, 21, 22, 37, 40, 41, 42, 63, 80, 81, 84, 129, 200];

/// Rounding that an orthogonal method may add up, in units of the largest eigenvalue: a few at each of n steps.
fn tolerance(n: usize) -> f64 {
    8.0 * f64::EPSILON * (n as f64).max(4.0)
}

/// Checks all eigenpairs of `a`, and that the first half is the same if no more are asked for.
fn check(name: &str, a: &DMatrix<f64>) -> Vec<f64> {
    let n = a.nrows();
    let (values, vectors) = largest_eigenpairs(a.clone(), n).unwrap();
    assert_eq!((values.len(), vectors.shape()), (n, (n, n)), "{name} {n}");
    assert!(values.is_sorted_by(|a, b| a >= b), "{name} {n}: {values:?}");
    let size = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let residual = a * &vectors - &vectors * DMatrix::from_diagonal(&DVector::from_column_slice(&values));
    let worst = residual.column_iter().map(|column| column.norm()).fold(0.0, f64::max);
    assert!(worst <= tolerance(n) * size, "{name} {n}: A v is off by {:e}", worst / size);
    let apart =
        (vectors.tr_mul(&vectors) - DMatrix::identity(n, n)).iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(apart <= tolerance(n), "{name} {n}: vectors overlap by {apart:e}");
    let (some, few) = largest_eigenpairs(a.clone(), n / 2).unwrap();
    assert_eq!(
        (some.as_slice(), few),
        (&values[..n / 2], vectors.columns(0, n / 2).into_owned()),
        "{name} {n}"
    );
    values
}

fn random_symmetric(n: usize, random: &mut Random) -> DMatrix<f64> {
    let a = DMatrix::from_fn(n, n, |_, _| random.symmetric());
    (&a + a.transpose()) * 0.5
}

fn random_orthogonal(n: usize, random: &mut Random) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |_, _| random.symmetric()).qr().q()
}

/// Q diag(values) Qᵀ, made exactly symmetric.
fn with_values(values: &[f64], random: &mut Random) -> DMatrix<f64> {
    let q = random_orthogonal(values.len(), random);
    let a = &q * DMatrix::from_diagonal(&DVector::from_column_slice(values)) * q.transpose();
    (&a + a.transpose()) * 0.5
}

fn tridiagonal(diagonal: &[f64], beside: &[f64]) -> DMatrix<f64> {
    DMatrix::from_fn(diagonal.len(), diagonal.len(), |i, j| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => beside[i.min(j)],
        _ => 0.0,
    })
}

#[test]
fn random_matrices_of_all_sizes_and_as_nalgebra_has_them() {
    let mut random = Random::new(1);
    for n in SIZES {
        let a = random_symmetric(n, &mut random);
        let values = check("random", &a);
        if n == 0 {
            continue;
        }
        let mut theirs: Vec<f64> = a.symmetric_eigenvalues().iter().copied().collect();
        theirs.sort_by(|a, b| b.total_cmp(a));
        for (ours, theirs) in values.iter().zip(&theirs) {
            assert!((ours - theirs).abs() <= tolerance(n) * values[0].abs().max(values[n - 1].abs()), "{n}");
        }
    }
}

#[test]
fn repeated_values_and_zeros() {
    let mut random = Random::new(2);
    for n in SIZES.into_iter().skip(1) {
        check("zero", &DMatrix::zeros(n, n));
        check("one", &DMatrix::identity(n, n));
        check("all alike", &DMatrix::from_element(n, n, 1.0));
        let three: Vec<f64> = (0..n).map(|k| [0.0, 1.0, 3.0][k % 3]).collect();
        check("three values", &with_values(&three, &mut random));
        let rigid: Vec<f64> = (0..n).map(|k| if k < 6 { 0.0 } else { k as f64 }).collect();
        check("six zeros", &with_values(&rigid, &mut random));
        let close: Vec<f64> = (0..n).map(|k| 1.0 + 1e-14 * (k / 2) as f64).collect();
        check("closer than rounding", &with_values(&close, &mut random));
        let pairs: Vec<f64> = (0..n).map(|k| (k / 2) as f64 + 1e-9 * (k % 2) as f64).collect();
        check("close pairs", &with_values(&pairs, &mut random));
    }
}

#[test]
fn graded_values() {
    let mut random = Random::new(3);
    for n in SIZES.into_iter().skip(1) {
        for span in [4.0, 12.0, 30.0, 200.0] {
            let graded: Vec<f64> = (0..n).map(|k| math::powf(10.0, -span * k as f64 / n as f64)).collect();
            check("graded", &with_values(&graded, &mut random));
            // Graded rows and columns, as a body with light toes has them.
            let scale = DVector::from_iterator(n, graded.iter().map(|x| x.sqrt()));
            let mut a = random_symmetric(n, &mut random) + DMatrix::identity(n, n) * 3.0;
            for j in 0..n {
                for i in 0..n {
                    a[(i, j)] *= scale[i] * scale[j];
                }
            }
            check("graded rows", &a);
        }
    }
}

/// Numbers near the ends of the range of floating point are no worse than others.
#[test]
fn huge_and_tiny_numbers() {
    let mut random = Random::new(4);
    for scale in [1e-300, 1e-160, 1e-30, 1e30, 1e160, 1e300] {
        let a = random_symmetric(45, &mut random) * scale;
        let (values, vectors) = largest_eigenpairs(a.clone(), 45).unwrap();
        let (unit, same) = largest_eigenpairs(&a / scale, 45).unwrap();
        for (value, unit) in values.iter().zip(&unit) {
            assert!((value / scale - unit).abs() < tolerance(45) * unit.abs().max(unit.abs() + 1.0));
        }
        // Vectors of one matrix but for the rounding of the factor; gaps of a random matrix are near 0.1.
        let apart = (0..45).map(|k| 1.0 - vectors.column(k).dot(&same.column(k)).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{scale:e}: {apart:e}");
    }
}

/// Matrices that are made to be hard for a method on tridiagonal ones: Wilkinson's, whose largest eigenvalues agree in
/// pairs to the last digit, several of them glued, parts that are not joined at all, and a discrete Laplacian with known
/// eigenvalues.
#[test]
fn hard_tridiagonal_matrices() {
    for n in [21, 41, 81, 101] {
        let diagonal: Vec<f64> = (0..n).map(|k| (k as f64 - ((n - 1) / 2) as f64).abs()).collect();
        check("Wilkinson", &tridiagonal(&diagonal, &vec![1.0; n - 1]));
    }
    for glue in [0.0, 1e-14, 1e-8, 1e-3] {
        let diagonal: Vec<f64> = (0..105).map(|k| (f64::from(k % 21) - 10.0).abs()).collect();
        let beside: Vec<f64> = (0..104).map(|k| if k % 21 == 20 { glue } else { 1.0 }).collect();
        check("glued", &tridiagonal(&diagonal, &beside));
    }
    for n in SIZES.into_iter().skip(1) {
        let values = check("Laplacian", &tridiagonal(&vec![2.0; n], &vec![-1.0; n.saturating_sub(1)]));
        for (k, value) in values.iter().enumerate() {
            let angle = std::f64::consts::PI * (n - k) as f64 / (n + 1) as f64;
            assert!((value - (2.0 - 2.0 * math::cos(angle))).abs() <= 4.0 * tolerance(n), "{n} {k}: {value}");
        }
        check(
            "alone",
            &tridiagonal(&(0..n).map(|k| ((7 * k) % 5) as f64).collect::<Vec<_>>(), &vec![0.0; n]),
        );
        let signs: Vec<f64> = (0..n).map(|k| if k % 3 == 0 { -1e-3 } else { 1.0 }).collect();
        check("signs", &tridiagonal(&signs, &signs));
    }
}

#[test]
fn what_is_not_finite_is_an_error() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (i, j) in [(0, 0), (29, 3), (17, 17)] {
            let mut a = DMatrix::identity(30, 30);
            a[(i, j)] = bad;
            a[(j, i)] = bad;
            assert_eq!(largest_eigenpairs(a, 30), Err(NotConverged));
        }
    }
}
