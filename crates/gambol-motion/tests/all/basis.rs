//! A basis is what design and reduction stand on: its pose map against `integrate`, its Jacobian against differences on
//! the manifold, its projection against the normal equations of the whole space and as the inverse of the pose map, in
//! every metric, on random trees of all kinds of joints; and bad input is an error that names what is wrong.

use gambol_dynamics::{Data, TreeMatrix, mass_matrix, stiffness_matrix};
use gambol_model::Creature;
use gambol_model::samples::{Random, TreeKind, chain, random_tree};
use gambol_motion::{Basis, BasisError, BasisSpec, Direction, Metric};
use nalgebra::{DMatrix, DVector};

fn trees() -> impl Iterator<Item = Creature> {
    (0..12).map(|seed| random_tree(seed, TreeKind { bodies: 6, free_root: seed % 2 == 0, armature: true }))
}

/// Random directions about a random pose: no two are orthogonal in any metric.
fn random_spec(creature: &Creature, random: &mut Random, count: usize, metric: Metric) -> BasisSpec {
    let directions = (0..count).map(|_| Direction::new(random.numbers(creature.nv(), 1.0))).collect();
    BasisSpec::new(random.pose(creature, 1.0), metric, directions)
}

/// A metric without structure: A Aᵀ + 1.
fn random_matrix(nv: usize, random: &mut Random) -> DMatrix<f64> {
    let a = DMatrix::from_fn(nv, nv, |_, _| random.symmetric());
    &a * a.transpose() + DMatrix::identity(nv, nv)
}

/// W of a metric, by a second way.
fn matrix(creature: &Creature, basis: &Basis) -> DMatrix<f64> {
    match basis.metric() {
        Metric::Mass => {
            let mut m = TreeMatrix::new(creature).unwrap();
            mass_matrix(creature, &mut Data::new(creature), basis.mean(), &mut m);
            m.to_dense()
        }
        Metric::Matrix(w) => w.clone(),
        _ => DMatrix::identity(creature.nv(), creature.nv()),
    }
}

fn difference(creature: &Creature, from: &[f64], to: &[f64]) -> DVector<f64> {
    let mut delta = DVector::zeros(creature.nv());
    creature.difference(from, to, delta.as_mut_slice());
    delta
}

#[test]
fn the_jacobian_is_the_derivative_of_the_pose() {
    // Central differences of step h are off by h² times the third derivative, which is near 1, and by 1e-16 / h.
    const H: f64 = 1e-5;
    for (seed, creature) in trees().enumerate() {
        let mut random = Random::new(seed as u64);
        let basis = Basis::new(&creature, random_spec(&creature, &mut random, 4, Metric::Joint)).unwrap();
        // From no turn at all, through the series for small ones, to more than a right angle.
        for size in [0.0, 1e-9, 1e-3, 0.05, 0.3, 1.0] {
            let x = random.numbers(4, size);
            let pose = basis.pose(&creature, &x).unwrap();
            let jacobian = basis.jacobian(&creature, &x).unwrap();
            for k in 0..4 {
                let at = |step: f64| {
                    let mut x = x.clone();
                    x[k] += step;
                    difference(&creature, &pose, &basis.pose(&creature, &x).unwrap())
                };
                let by_difference = (at(H) - at(-H)) / (2.0 * H);
                let gap = (jacobian.column(k) - by_difference).amax();
                assert!(gap < 1e-9, "{} at {size}, direction {k}: {gap:e}", creature.name());
            }
        }
    }
}

#[test]
fn a_projection_finds_the_coordinates_again() {
    for (seed, creature) in trees().enumerate() {
        let mut random = Random::new(100 + seed as u64);
        let own = random_matrix(creature.nv(), &mut random);
        for metric in [Metric::Joint, Metric::Mass, Metric::Matrix(own)] {
            let basis = Basis::new(&creature, random_spec(&creature, &mut random, 5, metric)).unwrap();
            // Five directions of at most 1 in each coordinate: no ball turns by more than 0.3 · 5 · √3 < π.
            let x = random.numbers(5, 0.3);
            let found = basis.project(&creature, &basis.pose(&creature, &x).unwrap()).unwrap();
            let gap = x.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // Rounding times the condition of five random directions.
            assert!(gap < 1e-10, "{} {}: {gap:e}", creature.name(), basis.metric().name());
        }
    }
}

#[test]
fn a_projection_is_the_nearest_in_the_metric() {
    for (seed, creature) in trees().enumerate() {
        let mut random = Random::new(200 + seed as u64);
        let own = random_matrix(creature.nv(), &mut random);
        for metric in [Metric::Joint, Metric::Mass, Metric::Matrix(own)] {
            let basis = Basis::new(&creature, random_spec(&creature, &mut random, 4, metric)).unwrap();
            let mut pose = basis.mean().to_vec();
            creature.integrate(&mut pose, &random.numbers(creature.nv(), 0.8), 1.0);
            let x = basis.project(&creature, &pose).unwrap();
            // What is left is orthogonal to every direction: Φᵀ W (δ − Φ x) = 0.
            let w = matrix(&creature, &basis);
            let along = DVector::from_vec(basis.tangent(&x).unwrap());
            let delta = difference(&creature, basis.mean(), &pose);
            let rest = &w * (&delta - along);
            for direction in basis.directions() {
                let shape = DVector::from_column_slice(&direction.shape);
                let length = (shape.dot(&(&w * &shape)) * delta.dot(&(&w * &delta))).sqrt();
                let share = shape.dot(&rest).abs() / length;
                assert!(share < 1e-11, "{} {}: {share:e}", creature.name(), basis.metric().name());
            }
        }
    }
}

/// Lengths of vibrations differ by many powers of ten; their coordinates must not suffer.
#[test]
fn directions_of_very_different_lengths_are_projected_alike() {
    let creature = chain(8);
    let mut random = Random::new(3);
    let mut spec = random_spec(&creature, &mut random, 3, Metric::Mass);
    for (direction, length) in spec.directions.iter_mut().zip([1e-9, 1.0, 1e9]) {
        direction.shape.iter_mut().for_each(|x| *x *= length);
    }
    let basis = Basis::new(&creature, spec).unwrap();
    let x = [0.1e9, -0.2, 0.3e-9];
    let found = basis.project(&creature, &basis.pose(&creature, &x).unwrap()).unwrap();
    for (a, b) in x.iter().zip(&found) {
        assert!((a / b - 1.0).abs() < 1e-10, "{a} {b}");
    }
}

#[test]
fn the_frequency_of_a_direction_without_one_is_rayleighs() {
    for creature in [chain(6), random_tree(7, TreeKind { bodies: 6, free_root: true, armature: false })] {
        let mut random = Random::new(11);
        let mut spec = random_spec(&creature, &mut random, 2, Metric::Joint);
        spec.directions[1].omega_squared = Some(7.0);
        let basis = Basis::new(&creature, spec).unwrap();
        let [plain, vibration] = basis.directions() else { unreachable!() };
        let (u, m) = (DVector::from_column_slice(&plain.shape), {
            let mut m = TreeMatrix::new(&creature).unwrap();
            mass_matrix(&creature, &mut Data::new(&creature), basis.mean(), &mut m);
            m.to_dense()
        });
        let expected = u.dot(&(stiffness_matrix(&creature) * &u)) / u.dot(&(m * &u));
        assert!((basis.omega_squared(&creature, plain) / expected - 1.0).abs() < 1e-12);
        assert_eq!(basis.omega_squared(&creature, vibration), 7.0);
        assert_eq!(
            (plain.frequency(), vibration.frequency()),
            (None, Some(basis.frequency(&creature, vibration)))
        );
    }
}

#[test]
fn what_is_no_basis_is_told() {
    let creature = chain(3);
    let nv = creature.nv();
    let mut random = Random::new(5);
    let good = random_spec(&creature, &mut random, 3, Metric::Joint);
    let fails = |change: &dyn Fn(&mut BasisSpec), words: &str| {
        let mut spec = good.clone();
        change(&mut spec);
        let error = Basis::new(&creature, spec).unwrap_err().to_string();
        assert!(error.contains(words), "{error:?} does not say {words:?}");
    };
    assert!(Basis::new(&creature, good.clone()).is_ok());
    fails(&|spec| spec.mean[0] = f64::NAN, "mean: number 1 is NaN");
    fails(&|spec| spec.mean.truncate(2), "numbers given");
    fails(&|spec| spec.directions[1].shape.truncate(2), "direction 1 has");
    fails(&|spec| spec.directions[2].shape[0] = f64::INFINITY, "shape of direction 2: inf is not finite");
    fails(&|spec| spec.directions[0].shape.fill(0.0), "direction 0: 0 is not a motion");
    fails(&|spec| spec.directions[0].spread = 0.0, "spread of direction 0: 0 is not above 0");
    fails(&|spec| spec.directions[0].spread = f64::NAN, "spread");
    fails(&|spec| spec.directions[0].omega_squared = Some(-1.0), "squared frequency of direction 0");
    fails(&|spec| spec.directions[1].omega_squared = Some(0.0), "direction 1 is rigid, but comes after");
    fails(&|spec| spec.rigid = Some(1), "1 rigid motions do not fit");
    fails(&|spec| spec.dof = Some(2), "3 directions");
    fails(&|spec| spec.dof = Some(nv + 1), "degrees of freedom");
    fails(&|spec| spec.metric = Metric::Matrix(DMatrix::identity(2, 2)), "metric");
    fails(&|spec| spec.metric = Metric::Matrix(DMatrix::from_element(nv, nv, f64::NAN)), "not finite");
    let lopsided = DMatrix::from_fn(nv, nv, |i, j| if i < j { 1.0 } else { 0.0 });
    fails(&|spec| spec.metric = Metric::Matrix(lopsided.clone()), "not symmetric");
    fails(&|spec| spec.metric = Metric::Matrix(-DMatrix::identity(nv, nv)), "negative length");
}

#[test]
fn what_a_basis_cannot_do_is_told() {
    let (creature, other) = (chain(3), chain(4));
    let mut random = Random::new(6);
    let mut spec = random_spec(&creature, &mut random, 3, Metric::Joint);
    let basis = Basis::new(&creature, spec.clone()).unwrap();
    let x = [0.1, 0.2, 0.3];
    assert_eq!(basis.pose(&creature, &x[..2]), Err(BasisError::Coordinates { found: 2, directions: 3 }));
    assert_eq!(basis.jacobian(&creature, &x[..2]).unwrap_err().to_string(), "2 coordinates for 3 directions");
    assert!(matches!(basis.pose(&other, &x), Err(BasisError::Creature { .. })));
    assert!(matches!(basis.jacobian(&other, &x), Err(BasisError::Creature { .. })));
    assert!(matches!(basis.project(&other, other.reference_pose()), Err(BasisError::Creature { .. })));
    let projector = basis.projector(&creature).unwrap();
    assert!(matches!(projector.project(&other, other.reference_pose()), Err(BasisError::Creature { .. })));
    assert!(matches!(projector.project(&creature, &[1.0]), Err(BasisError::Pose(_))));

    // A sum of the others cannot be told from them.
    spec.directions[2].shape =
        (0..creature.nv()).map(|k| 2.0 * spec.directions[0].shape[k] - spec.directions[1].shape[k]).collect();
    let twice = Basis::new(&creature, spec).unwrap();
    let error = twice.project(&creature, creature.reference_pose()).unwrap_err();
    assert_eq!(error, BasisError::Dependent { direction: 2 });
    // Nor can a motion that weighs nothing.
    let mut spec = random_spec(&creature, &mut random, 1, Metric::Joint);
    let mut weightless = DMatrix::identity(creature.nv(), creature.nv());
    weightless[(0, 0)] = 0.0;
    spec.metric = Metric::Matrix(weightless);
    spec.directions[0].shape.fill(0.0);
    spec.directions[0].shape[0] = 1.0;
    let error =
        Basis::new(&creature, spec).unwrap().project(&creature, creature.reference_pose()).unwrap_err();
    assert_eq!(error, BasisError::Dependent { direction: 0 });
}

/// A mean with unit quaternions is kept bit for bit, so that it equals the pose that it was taken from; another one is
/// made one.
#[test]
fn the_mean_is_a_pose() {
    let creature = random_tree(2, TreeKind { bodies: 5, free_root: true, armature: false });
    let mut random = Random::new(8);
    let mut spec = random_spec(&creature, &mut random, 1, Metric::Joint);
    let basis = Basis::new(&creature, spec.clone()).unwrap();
    assert_eq!(basis.mean(), spec.mean);
    let unit = spec.mean.clone();
    spec.mean[3..7].iter_mut().for_each(|x| *x *= 3.0);
    let basis = Basis::new(&creature, spec).unwrap();
    for (found, expected) in basis.mean().iter().zip(&unit) {
        assert!((found - expected).abs() < 1e-15);
    }
}
