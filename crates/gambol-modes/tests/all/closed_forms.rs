//! Modes against closed forms and numbers from an independent oracle: two bodies on a spring, pendulum, ball, ring of
//! links with its exact formula, chain against the Euler–Bernoulli beam; and against their definition on random trees.

use std::f64::consts::{PI, TAU};

use gambol_dynamics::{Data, TreeMatrix, forward_kinematics, mass_matrix, stiffness_matrix};
use gambol_model::math;
use gambol_model::samples::{Random, TreeKind, random_tree};
use gambol_model::{
    BodyPoint, BodySpec, Constraint, ConstraintKind, Creature, CreatureSpec, InertiaSpec, JointSpec,
    MassProperties, Mat3, TendonSpec, Transform, Vec3,
};
use gambol_modes::{Damping, ModesError, Settings, analyze};
use gambol_motion::{Basis, Direction};
use nalgebra::{DMatrix, DVector, UnitQuaternion};

fn modes(creature: &Creature, constraints: &[Constraint]) -> Basis {
    let settings = Settings { constraints: constraints.to_vec(), ..Settings::default() };
    let mut data = Data::new(creature);
    analyze(creature, &mut data, creature.reference_pose(), &settings).expect("it has modes")
}

fn hertz(modes: &Basis) -> Vec<f64> {
    modes.flexible().iter().filter_map(Direction::frequency).collect()
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} against {expected}");
}

fn point_inertia(mass: f64, inertia: Vec3, com: Vec3) -> InertiaSpec {
    InertiaSpec::Given(MassProperties { mass, com, inertia: Mat3::from_diagonal(&inertia) })
}

/// Two free bodies on one joint at the origin; centres of mass at distances c1 and c2 along ∓x.
fn two_bodies(m: [f64; 2], i: [f64; 2], c: [f64; 2], joint: JointSpec) -> Creature {
    let mut spec = CreatureSpec::new("two bodies");
    let mut first = BodySpec::new("first");
    first.joints.push(JointSpec::free("root"));
    first.inertia = point_inertia(m[0], Vec3::repeat(i[0]), Vec3::new(-c[0], 0.0, 0.0));
    let first = spec.add_body(0, first).unwrap();
    let mut second = BodySpec::new("second");
    second.joints.push(joint);
    second.inertia = point_inertia(m[1], Vec3::repeat(i[1]), Vec3::new(c[1], 0.0, 0.0));
    spec.add_body(first, second).unwrap();
    spec.build().unwrap()
}

fn hinge(stiffness: f64) -> JointSpec {
    JointSpec::hinge("hinge", Vec3::y()).with_stiffness(stiffness)
}

#[test]
fn two_bodies_on_a_torsion_spring() {
    // ω² = k (a + b + 2x) / (a b − x²), a = I1 + μ c1², b = I2 + μ c2², x = μ c1 c2, μ = m1 m2 / (m1 + m2).
    let equal = modes(&two_bodies([1.0, 1.0], [0.03, 0.03], [0.0, 0.0], hinge(5.0)), &[]);
    assert_eq!((equal.dof(), equal.rigid()), (7, 6));
    assert_close(hertz(&equal)[0], (2.0 * 5.0 / 0.03f64).sqrt() / TAU, 1e-12);
    assert_close(hertz(&equal)[0], 2.905_758_416, 1e-9);

    let creature = two_bodies([2.0, 3.5], [0.03, 0.01], [0.2, 0.45], hinge(5.0));
    assert_close(hertz(&modes(&creature, &[]))[0], 2.926_944_712, 1e-9);

    let orientation = ConstraintKind::Orientation { body: 1, world_from_body: Mat3::identity() };
    let held = modes(&creature, &[Constraint { name: "orientation".into(), kind: orientation }]);
    assert_eq!((held.dof(), held.rigid()), (4, 3));
    assert_close(hertz(&held)[0], 0.687_794_703, 1e-9);

    let centre = BodyPoint { body: 1, point: Vec3::new(-0.2, 0.0, 0.0) };
    let pin = ConstraintKind::Pin { point: centre, position_in_world: Vec3::new(-0.2, 0.0, 0.0) };
    let pinned = modes(&creature, &[Constraint { name: "pin".into(), kind: pin }]);
    assert_eq!((pinned.dof(), pinned.rigid()), (4, 3));
    assert_close(hertz(&pinned)[0], 2.894_267_678, 1e-9);
}

#[test]
fn a_ball_joint_has_three_modes() {
    // Two equal bodies on a ball: ω² = 2k/I about each axis.
    let mut spec = CreatureSpec::new("ball");
    let inertia = Vec3::new(0.01, 0.02, 0.05);
    for (name, joint) in
        [("first", JointSpec::free("root")), ("second", JointSpec::ball("ball").with_stiffness(3.0))]
    {
        let mut body = BodySpec::new(name);
        body.parent = spec.bodies.len() - 1;
        body.joints.push(joint);
        body.inertia = point_inertia(1.0, inertia, Vec3::zeros());
        spec.bodies.push(body);
    }
    let found = hertz(&modes(&spec.build().unwrap(), &[]));
    for (found, i) in found.iter().zip([0.05, 0.02, 0.01]) {
        assert_close(*found, (6.0f64 / i).sqrt() / TAU, 1e-12);
    }
}

#[test]
fn a_pendulum_on_the_world_has_no_rigid_motion() {
    let mut spec = CreatureSpec::new("pendulum");
    let mut body = BodySpec::new("rod");
    body.joints.push(hinge(7.0));
    body.inertia = point_inertia(1.3, Vec3::repeat(0.02), Vec3::new(0.0, 0.0, -0.4));
    spec.add_body(0, body).unwrap();
    let modes = modes(&spec.build().unwrap(), &[]);
    assert_eq!((modes.dof(), modes.rigid()), (1, 0));
    assert_close(hertz(&modes)[0], (7.0f64 / (0.02 + 1.3 * 0.16)).sqrt() / TAU, 1e-12);
    assert_close(hertz(&modes)[0], 0.881_864_232, 1e-9);
}

/// `n` thin rods of mass 1/n and length 1/n, hinged, with springs EI/L for EI = 1: a free–free beam in the limit.
fn rods(n: usize) -> Creature {
    let length = 1.0 / n as f64;
    let mass = length;
    let inertia = mass * length * length / 12.0;
    let mut spec = CreatureSpec::new("rods");
    for k in 0..n {
        let mut body = BodySpec::new(format!("rod {k}"));
        body.parent = k;
        body.parent_from_body = Transform::translation(if k == 0 { 0.0 } else { length }, 0.0, 0.0);
        body.joints.push(if k == 0 {
            JointSpec::free("root")
        } else {
            JointSpec::hinge(format!("hinge {k}"), Vec3::y()).with_stiffness(1.0 / length)
        });
        let across = Vec3::new(1e-3 * inertia, inertia, inertia);
        body.inertia = point_inertia(mass, across, Vec3::new(length / 2.0, 0.0, 0.0));
        spec.bodies.push(body);
    }
    spec.build().unwrap()
}

#[test]
fn a_chain_of_rods_tends_to_the_beam_with_the_fourth_power() {
    // Free–free Euler–Bernoulli beam: β l = 4.73004 …; for thin rods the error falls as n⁻⁴ (oracle: −5.7e-6, −4.7e-5,
    // −2.0e-4 at n = 16).
    let beta = [4.730_040_744_862_704, 7.853_204_624_095_838, 10.995_607_838_001_671];
    let error = |n: usize| -> Vec<f64> {
        let found = hertz(&modes(&rods(n), &[]));
        beta.iter().zip(found).map(|(b, f)| f * TAU / (b * b) - 1.0).collect()
    };
    for (found, expected) in error(16).iter().zip([-5.7e-6, -4.7e-5, -2.0e-4]) {
        // The oracle gives two digits.
        assert!((found / expected - 1.0).abs() < 0.03, "{found} against {expected}");
    }
    for (coarse, fine) in error(16).iter().zip(error(32)) {
        let order = math::log2(coarse / fine);
        assert!((3.7..4.3).contains(&order), "order {order}");
    }
}

/// A ring of `n` links in the x–z plane, closed by a hinge, with the spring of the last joint as a tendon.
fn ring(n: usize) -> (Creature, f64, f64, f64) {
    let (length, mass, inertia) = (0.0571, 0.046_542, 1.6e-5);
    let turn = UnitQuaternion::from_scaled_axis(-Vec3::y() * (TAU / n as f64));
    let mut spec = CreatureSpec::new("ring");
    for k in 0..n {
        let mut body = BodySpec::new(format!("link {k}"));
        body.parent = k;
        if k > 0 {
            body.parent_from_body = Transform::from_parts(Vec3::new(length, 0.0, 0.0).into(), turn);
        }
        body.joints.push(if k == 0 { JointSpec::free("root") } else { named_hinge(k) });
        body.inertia =
            point_inertia(mass, Vec3::new(6e-6, inertia, inertia), Vec3::new(length / 2.0, 0.0, 0.0));
        spec.bodies.push(body);
    }
    spec.tendons.push(TendonSpec {
        name: "closing".into(),
        terms: (1..n).map(|k| (format!("hinge {k}"), 1.0)).collect(),
        stiffness: 1.0,
        damping: 0.0,
        rest: None,
    });
    let kind = ConstraintKind::Hinge {
        a: BodyPoint { body: n, point: Vec3::new(length, 0.0, 0.0) },
        b: BodyPoint { body: 1, point: Vec3::zeros() },
        axis_in_a: Vec3::y(),
        axis_in_b: Vec3::y(),
    };
    spec.constraints.push(Constraint { name: "closure".into(), kind });
    (spec.build().unwrap(), mass, inertia, length)
}

fn named_hinge(k: usize) -> JointSpec {
    JointSpec::hinge(format!("hinge {k}"), Vec3::y()).with_stiffness(1.0)
}

#[test]
fn the_ring_has_its_exact_pairs() {
    for n in [5, 16, 17] {
        let (creature, m, i, length) = ring(n);
        let modes = modes(&creature, &[]);
        assert_eq!((modes.dof(), modes.rigid()), (n + 3, 6), "ring of {n}");
        let a = TAU / n as f64;
        let exact = |h: usize| {
            let na = h as f64 * a;
            let lever = (math::square(math::sin(a)) + math::square(math::sin(na)))
                / math::square(math::cos(a) - math::cos(na));
            (4.0 * math::square(math::sin(na / 2.0)) / (i + m * length * length / 4.0 * lever)).sqrt() / TAU
        };
        // Every harmonic is a pair, but n/2 for even n.
        let expected = (2..=n / 2).flat_map(|h| vec![exact(h); if 2 * h == n { 1 } else { 2 }]);
        let found = hertz(&modes);
        assert_eq!(found.len(), n - 3);
        for (found, expected) in found.iter().zip(expected) {
            assert_close(*found, expected, 1e-10);
        }
    }
}

/// Uᵀ M U = 1, K U = M U Λ, J U = 0, ascending; tolerances eps · condition.
#[test]
fn modes_satisfy_their_definition_on_random_trees() {
    for seed in 0..30u32 {
        let kind =
            TreeKind { bodies: 3 + seed as usize % 20, free_root: seed % 3 > 0, armature: seed % 2 == 0 };
        let mut creature = random_tree(u64::from(seed), kind);
        for joint in 0..creature.joints().len() {
            if creature.joints()[joint].kind != gambol_model::JointKind::Free
                && creature.joints()[joint].stiffness == 0.0
            {
                creature.set_stiffness(joint, 5.0).unwrap();
            }
        }
        if creature.nv() == 0 {
            continue;
        }
        let q = Random::new(u64::from(seed)).pose(&creature, 0.5);
        let mut data = Data::new(&creature);
        let constraints = if creature.bodies().len() > 6 && kind.free_root {
            let frames = forward_kinematics(&creature, &mut data, &q).to_vec();
            let kind = ConstraintKind::Orientation { body: 4, world_from_body: frames[4].rotation };
            vec![Constraint { name: "head".into(), kind }]
        } else {
            vec![]
        };
        let settings = Settings { constraints, ..Settings::default() };
        let modes = analyze(&creature, &mut data, &q, &settings).unwrap();
        let expected_rigid = match (kind.free_root, settings.constraints.is_empty()) {
            (true, true) => 6,
            (true, false) => 3,
            (false, _) => 0,
        };
        assert_eq!(modes.rigid(), expected_rigid, "tree {seed}");
        assert_eq!(modes.directions().len(), modes.dof(), "tree {seed}");

        let mut m = TreeMatrix::new(&creature).unwrap();
        mass_matrix(&creature, &mut data, &q, &mut m);
        let (m, k) = (m.to_dense(), stiffness_matrix(&creature));
        let j = gambol_dynamics::constraint_jacobian(&creature, &mut data, &q, &settings.constraints);
        let u = DMatrix::from_columns(
            &modes
                .directions()
                .iter()
                .map(|mode| DVector::from_column_slice(&mode.shape))
                .collect::<Vec<_>>(),
        );
        if j.nrows() > 0 {
            assert!((&j * &u).amax() < 1e-9, "tree {seed}: J U = {}", (&j * &u).amax());
        }
        let gram = u.transpose() * &m * &u;
        let stiff = u.transpose() * &k * &u;
        let lambda = |mode: usize| modes.directions()[mode].omega_squared.unwrap();
        for a in 0..modes.dof() {
            for b in 0..a {
                let scale = (gram[(a, a)] * gram[(b, b)]).sqrt();
                if a >= modes.rigid() {
                    assert!(
                        gram[(a, b)].abs() < 1e-9 * scale,
                        "tree {seed}: modes {a}, {b} are not orthogonal"
                    );
                    let omega = (lambda(a) * lambda(b)).sqrt();
                    assert!(stiff[(a, b)].abs() <= 1e-7 * scale * (omega + lambda(a)), "tree {seed}");
                }
            }
            assert_close(1.0 + stiff[(a, a)], 1.0 + lambda(a) * gram[(a, a)], 1e-9);
        }
        assert!(modes.directions().is_sorted_by(|a, b| a.omega_squared <= b.omega_squared));
    }
}

#[test]
fn rigid_motions_are_canonical() {
    let creature = two_bodies([2.0, 3.5], [0.03, 0.01], [0.2, 0.45], hinge(5.0));
    let mut q = creature.reference_pose().to_vec();
    // Turned by a quarter about z: the free joint's angular velocity is in the body's axes.
    q[3..7].copy_from_slice(&[math::cos(PI / 4.0), 0.0, 0.0, math::sin(PI / 4.0)]);
    let mut data = Data::new(&creature);
    let modes = analyze(&creature, &mut data, &q, &Settings::default()).unwrap();
    for axis in 0..3 {
        let mut expected = vec![0.0; 7];
        expected[axis] = 1.0;
        assert_eq!(modes.directions()[axis].omega_squared, Some(0.0));
        for (found, expected) in modes.directions()[axis].shape.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12);
        }
    }
    // Roll about the world's x is −y in the turned body; the centre of mass does not move.
    let roll = &modes.directions()[3].shape;
    assert!((roll[4] + 1.0).abs() < 1e-12 && roll[3].abs() < 1e-12 && roll[5].abs() < 1e-12, "{roll:?}");
    let momentum = gambol_dynamics::momentum(&creature, &mut data, &q, roll);
    assert!(momentum.linear.norm() < 1e-12);
}

#[test]
fn rayleigh_damping_shifts_frequencies_and_sets_decay() {
    let creature = two_bodies([1.0, 1.0], [0.03, 0.03], [0.0, 0.0], hinge(5.0));
    let modes = modes(&creature, &[]);
    let mode = &modes.flexible()[0];
    let omega = mode.frequency().unwrap() * TAU;
    let damping = Damping { mass: 0.4, stiffness: 0.002 };
    let ratio = 0.2 / omega + 0.001 * omega;
    assert_close(damping.ratio(mode).unwrap(), ratio, 1e-12);
    assert_close(damping.frequency(mode), mode.frequency().unwrap() * (1.0 - ratio * ratio).sqrt(), 1e-12);
    assert_close(damping.decay_time(mode), 1.0 / (ratio * omega), 1e-12);
    // Nunes et al. 2012: k_d = 0.1 k_s overdamps everything above 1/(0.1 π) = 3.18 Hz; this one has 2.9 Hz.
    assert!(Damping { mass: 0.0, stiffness: 0.1 }.frequency(mode) > 0.0);
    assert_eq!(Damping { mass: 0.0, stiffness: 0.12 }.frequency(mode), 0.0);
}

#[test]
fn bad_input_is_told() {
    let data_of = |creature: &Creature, settings: &Settings| {
        let mut data = Data::new(creature);
        analyze(creature, &mut data, creature.reference_pose(), settings).unwrap_err()
    };
    let limp = two_bodies([1.0, 1.0], [0.1, 0.1], [0.1, 0.1], JointSpec::hinge("knee", Vec3::y()));
    assert_eq!(data_of(&limp, &Settings::default()), ModesError::NoStiffness { joint: "knee".into() });

    let creature = two_bodies([1.0, 1.0], [0.1, 0.1], [0.1, 0.1], hinge(1.0));
    let weld = |a: usize| Constraint {
        name: format!("weld {a}"),
        kind: ConstraintKind::Weld { a, b: 0, a_from_b: Transform::identity() },
    };
    let stuck = Settings { constraints: vec![weld(1), weld(2)], ..Settings::default() };
    assert!(matches!(data_of(&creature, &stuck), ModesError::OverConstrained { .. }));

    let apart = ConstraintKind::Connect {
        a: BodyPoint { body: 1, point: Vec3::zeros() },
        b: BodyPoint { body: 2, point: Vec3::x() },
    };
    let torn = Settings {
        constraints: vec![Constraint { name: "grip".into(), kind: apart }],
        ..Settings::default()
    };
    assert_eq!(data_of(&creature, &torn).to_string(), "grip does not hold in this pose: it is off by 1e0");

    let endless = gambol_model::samples::chain(6000);
    let message = data_of(&endless, &Settings::default()).to_string();
    assert_eq!(message, "all modes of 6005 coordinates do not fit into memory; set `count` to at most 750");

    // A hinge about the axis of a body without inertia about it.
    let mut spec = CreatureSpec::new("needle");
    let mut body = BodySpec::new("needle");
    body.joints.push(JointSpec::hinge("spin", Vec3::x()).with_stiffness(1.0));
    body.inertia = point_inertia(1.0, Vec3::new(0.0, 1.0, 1.0), Vec3::zeros());
    spec.add_body(0, body).unwrap();
    let needle = spec.build().unwrap();
    assert_eq!(
        data_of(&needle, &Settings::default()),
        ModesError::Massless { place: "joint \"spin\"".into() }
    );
}
