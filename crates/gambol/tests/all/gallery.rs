//! The gallery's creatures are what their papers and their bodies say: degrees of freedom, masses, sizes, symmetry,
//! feet on the ground, springs at rest, a positive definite mass matrix.

use gambol::dynamics::{
    Data, TreeMatrix, center_of_mass, constraint_residual, degrees_of_freedom, forward_kinematics,
    mass_matrix, null_space, passive_forces, stiffness_matrix,
};
use gambol::model::{Creature, Role, Vec3};
use gambol::{LoadOptions, gallery, load};

fn creature(name: &str) -> Creature {
    load(name, &LoadOptions { strict: true, ..LoadOptions::default() }).expect("the gallery is valid")
}

fn all() -> impl Iterator<Item = Creature> {
    gallery::names().into_iter().map(creature)
}

/// Lowest point of all shapes in the pose, m above the ground.
fn lowest(creature: &Creature, qpos: &[f64]) -> f64 {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, qpos).to_vec();
    let mut lowest = f64::INFINITY;
    for (body, frame) in creature.bodies().iter().zip(&frames) {
        for shape in &creature.shapes()[body.shapes.clone()] {
            let rotation = frame.rotation * shape.body_from_shape.rotation.to_rotation_matrix().matrix();
            let point = rotation * shape.shape.support(rotation.transpose() * -Vec3::z());
            lowest = lowest.min(frame.point_in_world(shape.body_from_shape.translation.vector).z + point.z);
        }
    }
    lowest
}

#[test]
fn every_creature_loads_without_a_warning() {
    for creature in all() {
        assert!(creature.warnings().is_empty(), "{}: {:?}", creature.name(), creature.warnings());
    }
}

#[test]
fn degrees_of_freedom_and_masses() {
    // DOF: Kry et al. 2009, figure 3, and Nunes et al. 2012, section 8 (30, 42 and 36 besides the root's 6). Masses: a box of
    // 0.0571 × 0.02855² m weighs 46.54 g; the others as their files say.
    let expected = [
        ("loop", 19, 0.7447),
        ("linear", 21, 0.7447),
        ("dog", 80, 34.0),
        ("human", 47, 70.0),
        ("biped", 36, 70.0),
        ("monster", 48, 240.0),
        ("kangaroo", 42, 55.0),
    ];
    for (name, dof, mass) in expected {
        let creature = creature(name);
        let mut data = Data::new(&creature);
        assert_eq!(degrees_of_freedom(&creature, &mut data, creature.reference_pose()), dof, "{name}");
        assert!((creature.mass() / mass - 1.0).abs() < 0.01, "{name} weighs {}", creature.mass());
    }
}

#[test]
fn every_creature_stands_on_the_ground_in_balance() {
    for creature in all() {
        for pose in creature.poses() {
            let height = lowest(&creature, &pose.qpos);
            // A millimetre: what a person would see; keyframes are written to six digits.
            assert!(height.abs() < 1e-3, "{} in {}: {height} m", creature.name(), pose.name);
        }
        let mut data = Data::new(&creature);
        let com = center_of_mass(&creature, &mut data, creature.reference_pose());
        assert!(com.y.abs() < 1e-9, "{} leans to one side: {com}", creature.name());
    }
}

#[test]
fn springs_rest_and_loops_close_in_the_reference_pose() {
    for creature in all() {
        let mut data = Data::new(&creature);
        let q = creature.reference_pose();
        let still = vec![0.0; creature.nv()];
        let force =
            passive_forces(&creature, &mut data, q, &still).iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        assert!(force < 1e-12, "{}: {force}", creature.name());
        let gap = constraint_residual(&creature, &mut data, q, creature.constraints());
        assert!(gap.iter().all(|x| x.abs() < 1e-12), "{}: {gap}", creature.name());
        for joint in creature.joints().iter().skip(1) {
            assert!(joint.stiffness > 0.0, "{}: joint {} has no spring", creature.name(), joint.name);
        }
    }
}

#[test]
fn left_mirrors_right() {
    for creature in all() {
        let mut data = Data::new(&creature);
        let frames = forward_kinematics(&creature, &mut data, creature.reference_pose()).to_vec();
        for (index, body) in creature.bodies().iter().enumerate() {
            let Some(stem) = body.name.strip_suffix(".left") else { continue };
            let twin = creature.body_index(&format!("{stem}.right")).expect("left has a right");
            let (l, r) = (frames[index].position, frames[twin].position);
            assert!((l - Vec3::new(r.x, -r.y, r.z)).norm() < 1e-12, "{}: {}", creature.name(), body.name);
            let masses = (body.mass.mass, creature.bodies()[twin].mass.mass);
            assert!((masses.0 - masses.1).abs() < 1e-12, "{}: {}", creature.name(), body.name);
        }
    }
}

#[test]
fn feet_are_where_they_should_be() {
    let feet = [
        ("dog", 4),
        ("human", 2),
        ("biped", 2),
        ("bird", 2),
        ("kangaroo", 2),
        ("monster", 2),
        ("insect", 6),
        ("spider", 8),
    ];
    for (name, count) in feet {
        let creature = creature(name);
        let found: Vec<_> = creature.landmarks().iter().filter(|l| l.role == Role::Foot).collect();
        assert_eq!(found.len(), count, "{name}: {:?}", found.iter().map(|l| l.name()).collect::<Vec<_>>());
    }
    for name in ["loop", "linear", "snake"] {
        assert!(creature(name).landmarks().iter().all(|l| l.role != Role::Foot), "{name}");
    }
    let dog = creature("dog");
    for name in [
        "foot.front.left",
        "foot.hind.right",
        "knee.left",
        "elbow.right",
        "head",
        "tail",
        "spine.1",
        "spine.3",
    ] {
        assert!(dog.landmark(name).is_some(), "the dog has no {name}");
    }
}

#[test]
fn the_loop_rings_at_the_frequencies_of_the_paper() {
    // Kry et al. 2009, figure 2: 5.26, 14.7, 27.5 Hz, each twice; printed to three digits.
    let creature = creature("loop");
    let mut data = Data::new(&creature);
    let q = creature.reference_pose();
    let mut m = TreeMatrix::new(&creature).unwrap();
    mass_matrix(&creature, &mut data, q, &mut m);
    let z = null_space(&creature, &mut data, q, creature.constraints()).basis;
    let m = z.transpose() * m.to_dense() * &z;
    let k = z.transpose() * stiffness_matrix(&creature) * &z;
    let l = m.cholesky().unwrap().l();
    let half = l.solve_lower_triangular(&k).unwrap();
    let reduced = l.solve_lower_triangular(&half.transpose()).unwrap();
    let mut values: Vec<f64> = reduced.symmetric_eigenvalues().iter().copied().collect();
    values.sort_by(f64::total_cmp);
    let hz: Vec<f64> = values.iter().map(|x| x.max(0.0).sqrt() / std::f64::consts::TAU).collect();
    for (pair, expected) in hz[6..12].chunks(2).zip([5.26, 14.7, 27.5]) {
        assert!((pair[0] / pair[1] - 1.0).abs() < 1e-9, "{pair:?} is no pair");
        assert!((pair[0] / expected - 1.0).abs() < 5e-3, "{} against {expected}", pair[0]);
    }
}

#[test]
fn every_mass_matrix_is_positive_definite() {
    for creature in all() {
        let mut data = Data::new(&creature);
        let mut m = TreeMatrix::new(&creature).unwrap();
        for pose in creature.poses() {
            mass_matrix(&creature, &mut data, &pose.qpos, &mut m);
            assert!(m.factor(), "{} in {}", creature.name(), pose.name);
        }
    }
}
