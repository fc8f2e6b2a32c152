//! Bases from recorded poses: poses made of known directions give these back; the mean is the one with no mean logarithm; the metric
//! decides what is large; the product of exponentials moves as its Jacobian says; exact geodesics are no farther than the approximate
//! ones; and what has no direction is an error that says so.

use gambol_model::Creature;
use gambol_model::samples::{Random, TreeKind, random_tree};
use gambol_motion::{Basis, BasisError, BasisSpec, Direction, ExactSettings, GeodesicSettings, Keep, Metric};
use nalgebra::{DMatrix, DVector};

fn tree(seed: u64) -> Creature {
    random_tree(seed, TreeKind { bodies: 7, free_root: seed.is_multiple_of(2), armature: true })
}

/// Coordinates that bend the creature.
fn bends(creature: &Creature) -> Vec<usize> {
    let free = |dof: &gambol_model::Dof| creature.joints()[dof.joint].kind == gambol_model::JointKind::Free;
    creature.dofs().iter().enumerate().filter(|(_, dof)| !free(dof)).map(|(k, _)| k).collect()
}

/// Two directions, and poses on them: the coordinates are symmetric about 0, so that the mean is that of the basis.
fn made(creature: &Creature, seed: u64) -> (Basis, Vec<Vec<f64>>) {
    let mut random = Random::new(seed);
    let dofs = bends(creature);
    let direction = |random: &mut Random| {
        let numbers = random.numbers(creature.nv(), 1.0);
        let mut shape = vec![0.0; creature.nv()];
        for &dof in &dofs {
            shape[dof] = numbers[dof];
        }
        Direction::new(shape)
    };
    let directions = vec![direction(&mut random), direction(&mut random)];
    let mean = random.pose(creature, 0.5);
    let basis = Basis::new(creature, BasisSpec::new(mean, Metric::Joint, directions)).unwrap();
    let mut poses = Vec::new();
    for _ in 0..40 {
        let x = random.numbers(2, 0.6);
        for side in [1.0, -1.0] {
            poses.push(basis.pose(creature, &[side * x[0], 0.3 * side * x[1]]).unwrap());
        }
    }
    (basis, poses)
}

fn slices(poses: &[Vec<f64>]) -> Vec<&[f64]> {
    poses.iter().map(Vec::as_slice).collect()
}

fn settings(keep: Keep, metric: Metric) -> GeodesicSettings {
    GeodesicSettings { keep, metric: Some(metric) }
}

#[test]
fn poses_of_two_directions_have_two_geodesics() {
    for seed in 0..6 {
        let creature = tree(seed);
        let (basis, poses) = made(&creature, seed);
        for metric in [Metric::Joint, Metric::Mass, Metric::position(&creature)] {
            let found =
                Basis::from_poses(&creature, &slices(&poses), &settings(Keep::Variance(0.999_999), metric))
                    .unwrap();
            assert_eq!(found.basis.directions().len(), 2, "{:?}", found.variances);
            assert!(found.residual <= 1e-12 && found.far.is_empty());
            // The same poses: each is found again by its coordinates, up to its root.
            for pose in &poses {
                let posture = found.basis.posture(&creature, pose).unwrap();
                let x = found.basis.project(&creature, &posture).unwrap();
                let again = found.basis.pose(&creature, &x).unwrap();
                let mut gap = vec![0.0; creature.nv()];
                creature.difference(&posture, &again, &mut gap);
                let gap = gap.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                // The mean is settled to 1e-12; directions are eigenvectors of variances that differ by 1e-12 of the largest.
                assert!(gap < 1e-5, "{seed}: {gap:e}");
            }
            let both: f64 = found.basis.directions().iter().map(|d| d.spread).sum();
            assert!(both.is_finite() && both > 0.0);
        }
        assert_eq!(basis.directions().len(), 2);
    }
}

/// Variances are those of the coordinates, and directions are orthonormal in the metric up to their scale: the defining equations of
/// principal components, by a second way.
#[test]
fn variances_are_those_of_the_coordinates() {
    for seed in 0..4 {
        let creature = tree(seed);
        let mut random = Random::new(50 + seed);
        let poses: Vec<Vec<f64>> = (0..60).map(|_| random.pose(&creature, 0.4)).collect();
        let metric = Metric::position(&creature);
        let found = Basis::from_poses(&creature, &slices(&poses), &settings(Keep::Count(4), metric)).unwrap();
        let projector = found.basis.projector(&creature).unwrap();
        let mut squares = DMatrix::zeros(4, 4);
        for pose in &poses {
            let posture = found.basis.posture(&creature, pose).unwrap();
            let x = DVector::from_vec(projector.project(&creature, &posture).unwrap());
            squares.ger(1.0 / 60.0, &x, &x, 1.0);
        }
        let spreads: Vec<f64> = found.basis.directions().iter().map(|d| d.spread).collect();
        for i in 0..4 {
            for j in 0..4 {
                let expected = if i == j { spreads[i] * spreads[i] } else { 0.0 };
                let gap = (squares[(i, j)] - expected).abs() / (spreads[i] * spreads[j]);
                assert!(gap < 1e-8, "{seed} {i} {j}: {gap:e}");
            }
        }
        assert!(found.variances.windows(2).all(|pair| pair[0] >= pair[1]));
        let total: f64 = found.variances.iter().sum();
        let share = found.variances[..4].iter().sum::<f64>() / total;
        assert!((found.explained() - share).abs() < 1e-12);
        assert!(
            found.directions_for(share - 1e-9) <= 4 && found.directions_for(1.0) == found.variances.len()
        );
    }
}

#[test]
fn the_product_moves_as_its_jacobian_says() {
    const H: f64 = 1e-5;
    for seed in 0..6 {
        let creature = tree(seed);
        let mut random = Random::new(seed);
        let directions = (0..3).map(|_| Direction::new(random.numbers(creature.nv(), 1.0))).collect();
        let spec = BasisSpec::new(random.pose(&creature, 1.0), Metric::Joint, directions);
        let basis = Basis::new(&creature, spec).unwrap();
        let x = random.numbers(3, 0.8);
        let pose = basis.product_pose(&creature, &x).unwrap();
        let jacobian = basis.product_jacobian(&creature, &x).unwrap();
        for k in 0..3 {
            let at = |step: f64| {
                let mut moved = x.clone();
                moved[k] += step;
                let mut delta = DVector::zeros(creature.nv());
                let to = basis.product_pose(&creature, &moved).unwrap();
                creature.difference(&pose, &to, delta.as_mut_slice());
                delta
            };
            let gap = (jacobian.column(k) - (at(H) - at(-H)) / (2.0 * H)).amax();
            assert!(gap < 1e-9, "{seed}, direction {k}: {gap:e}");
        }
        // With one direction alone, both maps are one.
        let alone = [x[0], 0.0, 0.0];
        let (sum, product) =
            (basis.pose(&creature, &alone).unwrap(), basis.product_pose(&creature, &alone).unwrap());
        assert!(sum.iter().zip(&product).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn exact_geodesics_are_no_farther() {
    for seed in 0..3 {
        let creature = tree(seed);
        let mut random = Random::new(80 + seed);
        let poses: Vec<Vec<f64>> = (0..40).map(|_| random.pose(&creature, 0.8)).collect();
        let found =
            Basis::from_poses(&creature, &slices(&poses), &settings(Keep::Count(3), Metric::Joint)).unwrap();
        let exact = found.basis.refined(&creature, &slices(&poses), &ExactSettings::default()).unwrap();
        assert!(exact.after <= exact.before && exact.after > 0.0, "{seed}: {} {}", exact.after, exact.before);
        assert!(exact.angle < 0.8 && exact.basis.directions().len() == 3, "{}", exact.angle);
    }
    // Poses on a geodesic submanifold are on it already.
    let creature = tree(1);
    let (_, poses) = made(&creature, 1);
    let found =
        Basis::from_poses(&creature, &slices(&poses), &settings(Keep::Count(2), Metric::Joint)).unwrap();
    let exact = found.basis.refined(&creature, &slices(&poses), &ExactSettings::default()).unwrap();
    assert!(exact.before < 1e-6, "{}", exact.before);
}

/// A thumb that noise has turned six times is as it was: what is whole turns apart is one posture.
#[test]
fn hinges_that_turn_on_are_wound_back() {
    let creature = gambol_model::samples::chain(3);
    let hinge = creature.joints().iter().find(|joint| joint.kind == gambol_model::JointKind::Hinge).unwrap();
    let mut random = Random::new(4);
    let plain: Vec<Vec<f64>> = (0..30).map(|_| random.pose(&creature, 0.3)).collect();
    let mut wound = plain.clone();
    for (k, pose) in wound.iter_mut().enumerate() {
        pose[hinge.q] += std::f64::consts::TAU * (k % 7) as f64;
    }
    let all = settings(Keep::All, Metric::Joint);
    let [a, b] = [&plain, &wound].map(|poses| Basis::from_poses(&creature, &slices(poses), &all).unwrap());
    assert_eq!(a.variances.len(), b.variances.len());
    assert!(a.variances.iter().zip(&b.variances).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn what_has_no_direction_is_told() {
    let creature = tree(0);
    let mut random = Random::new(1);
    let pose = random.pose(&creature, 0.5);
    let other = random.pose(&creature, 0.5);
    let of = |poses: &[&[f64]], keep| {
        Basis::from_poses(&creature, poses, &settings(keep, Metric::Joint)).map(|_| ()).unwrap_err()
    };
    assert_eq!(of(&[&pose], Keep::All), BasisError::Frames { frames: 1 });
    assert!(matches!(of(&[&pose, &pose], Keep::All), BasisError::Still { .. }));
    assert_eq!(of(&[&pose, &other], Keep::Count(2)), BasisError::Rank { count: 2, rank: 1 });
    assert!(matches!(of(&[&pose, &other], Keep::Variance(f64::NAN)), BasisError::Share { .. }));
    assert!(matches!(of(&[&pose, &pose[1..]], Keep::All), BasisError::Pose(_)));
    // Half a turn from the mean, a warning.
    let ball = creature.joints().iter().find(|joint| joint.kind == gambol_model::JointKind::Ball);
    if let Some(ball) = ball {
        let mut far = vec![pose.clone(); 5];
        let mut way = vec![0.0; creature.nv()];
        way[ball.v] = 3.1;
        creature.integrate(&mut far[0], &way, 1.0);
        let found = Basis::from_poses(&creature, &slices(&far), &settings(Keep::All, Metric::Joint)).unwrap();
        assert!(found.far.iter().all(|far| far.joint == ball.name));
    }
}
