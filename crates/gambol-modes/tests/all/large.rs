//! The matrix-free solver against the dense one, against exact eigenvalues of long chains, against the beam of
//! Euler and Bernoulli, and against the definition of a mode. A Krylov method fails in its own ways: it overlooks
//! copies of an equal frequency, it returns pairs that have not converged, and its answer may depend on chance. There
//! is a test for each.

use std::f64::consts::PI;

use crate::chain_reference::Chain;
use gambol_dynamics::{Data, TreeMatrix, mass_matrix, stiffness_matrix};
use gambol_model::math;
use gambol_model::samples::{Random, TreeKind, branching, chain, random_tree, star};
use gambol_model::{
    BodyPoint, BodySpec, Constraint, ConstraintKind, Creature, CreatureSpec, InertiaSpec, JointKind,
    JointSpec, MassProperties, Mat3, TendonSpec, Transform, Vec3,
};
use gambol_modes::{ModesError, Settings, analyze, analyze_dense, analyze_large};
use gambol_motion::{Basis, Direction};

fn settings(count: usize, constraints: &[Constraint]) -> Settings {
    Settings { count: Some(count), constraints: constraints.to_vec() }
}

fn large(creature: &Creature, count: usize, constraints: &[Constraint]) -> Basis {
    let mut data = Data::new(creature);
    analyze_large(creature, &mut data, creature.reference_pose(), &settings(count, constraints)).unwrap()
}

/// A chain of `links` equal links along x, hinged about y; the first is free or fixed to the world.
fn rods(links: usize, clamped: bool, inertia: impl Fn(f64, f64) -> f64) -> CreatureSpec {
    let (length, mass) = (0.1, 0.05);
    let mut spec = CreatureSpec::new("rods");
    for link in 0..links {
        let mut body = BodySpec::new(format!("link.{link}"));
        body.parent = link;
        body.parent_from_body = Transform::translation(if link == 0 { 0.0 } else { length }, 0.0, 0.0);
        let moment = inertia(mass, length);
        body.inertia = InertiaSpec::Given(MassProperties {
            mass,
            com: Vec3::new(0.5 * length, 0.0, 0.0),
            inertia: Mat3::from_diagonal(&Vec3::new(0.1 * moment, moment, moment)),
        });
        if link > 0 {
            body.joints.push(JointSpec::hinge(format!("hinge.{link}"), Vec3::y()).with_stiffness(2.0));
        } else if !clamped {
            body.joints.push(JointSpec::free("root"));
        }
        spec.bodies.push(body);
    }
    spec
}

fn thin(mass: f64, length: f64) -> f64 {
    mass * length * length / 12.0
}

/// ω², rad²/s²
fn lambda(mode: &Direction) -> f64 {
    mode.omega_squared.unwrap()
}

/// Largest relative distance to the exact eigenvalues, over all vibrations found.
fn worst_error(modes: &Basis, exact: &Chain, rigid: usize) -> f64 {
    let error = |(i, mode): (usize, &Direction)| {
        (lambda(mode) / exact.eigenvalue(rigid + i, lambda(mode)) - 1.0).abs()
    };
    modes.flexible().iter().enumerate().map(error).fold(0.0, f64::max)
}

#[test]
fn long_chains_are_exact_to_ten_digits() {
    for links in [150, 1000, 4000] {
        let free = chain(links);
        let modes = large(&free, 26, &[]);
        assert_eq!((modes.rigid(), modes.directions().len()), (6, 26));
        let error = worst_error(&modes, &Chain::of(&free, 0), 2);
        assert!(error < 1e-10, "{links} links: {error:e}");

        // Held at its end by a constraint, it can still turn about that point.
        let end = BodyPoint { body: 1, point: Vec3::new(-0.02855, 0.0, 0.0) };
        let held = ConstraintKind::Pin { point: end, position_in_world: Vec3::new(-0.02855, 0.0, 0.0) };
        let modes = large(&free, 20, &[Constraint { name: "held".into(), kind: held }]);
        assert_eq!((modes.rigid(), modes.directions().len()), (3, 20));
        let error = worst_error(&modes, &Chain::of(&free, 1), 1);
        assert!(error < 1e-10, "{links} links, held: {error:e}");

        let clamped = rods(links, true, |mass, length| 0.3 * mass * length * length).build().unwrap();
        let modes = large(&clamped, 20, &[]);
        assert_eq!((modes.rigid(), modes.directions().len()), (0, 20));
        let error = worst_error(&modes, &Chain::of(&clamped, 2), 0);
        assert!(error < 1e-10, "{links} links, clamped: {error:e}");
    }
}

/// The 150th eigenvalue is 1e-8 of the first, so that rounding of the first modes would drown it: stages prevent that.
#[test]
fn many_modes_are_as_exact_as_few() {
    let creature = chain(1200);
    let modes = large(&creature, 156, &[]);
    assert_eq!(modes.flexible().len(), 150);
    let error = worst_error(&modes, &Chain::of(&creature, 0), 2);
    assert!(error < 1e-10, "{error:e}");
}

/// A chain of thin rods tends to the free beam as n^-4: the errors of 16 rods are 5.7e-6, 4.7e-5 and so on, those of
/// 128 rods 4096 times smaller in the limit. In double precision a dense solver on (K, M) is lost in rounding here.
#[test]
fn chain_of_thin_rods_is_a_beam() {
    let links = 128;
    let creature = rods(links, false, thin).build().unwrap();
    let found = large(&creature, 11, &[]);
    // ω = (β l)² √(EI / ρA l⁴) with EI = k L, ρA = m/L, l = n L.
    let unit = (2.0f64 * 0.1 / (0.05 / 0.1)).sqrt() / math::square(links as f64 * 0.1);
    let expected = [1.3e-9, 9.8e-9, 3.8e-8, 1.0e-7, 2.3e-7];
    for (k, (mode, expected)) in found.flexible().iter().zip(expected).enumerate() {
        let beta = free_beam(k + 1);
        let error = lambda(mode).sqrt() / (beta * beta * unit) - 1.0;
        assert!((-error / expected - 1.0).abs() < 0.06, "mode {k}: {error:e}");
    }
}

/// Root number `k` of cosh x cos x = 1, by Newton from (k + ½) π. Divided by cosh x, which would overflow.
fn free_beam(k: usize) -> f64 {
    let mut x = (k as f64 + 0.5) * PI;
    for _ in 0..20 {
        x -= (math::cos(x) - 1.0 / math::cosh(x)) / (-math::sin(x) + math::tanh(x) / math::cosh(x));
    }
    x
}

fn assert_agrees_with_dense(creature: &Creature, constraints: &[Constraint], name: &str) {
    let mut data = Data::new(creature);
    let pose = creature.reference_pose();
    let all = analyze_dense(creature, &mut data, pose, &settings(usize::MAX, constraints)).unwrap();
    let found = large(creature, all.rigid() + 15, constraints);
    assert_eq!((found.dof(), found.rigid()), (all.dof(), all.rigid()), "{name}");
    assert_eq!(found.directions().len(), all.directions().len().min(all.rigid() + 15), "{name}");
    for (i, (a, b)) in found.directions().iter().zip(all.directions()).enumerate() {
        let error = (lambda(a) - lambda(b)).abs() / lambda(b).max(f64::MIN_POSITIVE);
        assert!(error < 1e-10, "{name}, mode {i}: {error:e}");
        // Both pin signs by the same rule; where frequencies nearly meet, shapes mix at will.
        let gap = |j: usize| all.directions().get(j).map_or(1.0, |c| (lambda(c) / lambda(b) - 1.0).abs());
        if b.is_rigid() || gap(i + 1).min(i.checked_sub(1).map_or(1.0, gap)) > 1e-3 {
            let distance = a.shape.iter().zip(&b.shape).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let size = b.shape.iter().map(|b| b.abs()).fold(0.0, f64::max);
            assert!(distance < 1e-6 * size, "{name}, shape {i}: {distance:e}");
        }
    }
}

#[test]
fn trees_agree_with_the_dense_solver() {
    for seed in 0..6 {
        let (bodies, free_root) = (if seed < 3 { 20 } else { 160 }, seed % 2 == 0);
        let creature = random_tree(seed, TreeKind { bodies, free_root, armature: seed % 3 == 0 });
        assert_agrees_with_dense(&creature, &[], &format!("tree {seed}"));
    }
    assert_agrees_with_dense(&branching(200, 3), &[], "branching");
    assert_agrees_with_dense(&star(5, 40), &[], "star");
}

#[test]
fn uneven_springs_and_several_roots_agree_with_the_dense_solver() {
    let mut creature = branching(200, 9);
    let mut random = Random::new(4);
    for joint in 1..creature.joints().len() {
        creature.set_stiffness(joint, math::powf(10.0, 3.0 * random.symmetric())).unwrap();
    }
    assert_agrees_with_dense(&creature, &[], "uneven springs");

    // A free tree, one that slides and turns in a plane, and one that stands.
    let mut spec = CreatureSpec::new("three trees");
    for tree in 0..3 {
        let first = spec.bodies.len();
        for mut body in rods(70 + 5 * tree, true, thin).bodies.split_off(1) {
            body.name = format!("{tree}.{}", body.name);
            body.parent = if body.parent == 0 { 0 } else { body.parent + first - 1 };
            for joint in &mut body.joints {
                joint.name = format!("{tree}.{}", joint.name);
            }
            spec.bodies.push(body);
        }
        let roots = match tree {
            0 => vec![JointSpec::free("free")],
            1 => vec![
                JointSpec::slide("x", Vec3::x()),
                JointSpec::slide("z", Vec3::z()),
                JointSpec::hinge("pitch", Vec3::y()),
            ],
            _ => vec![],
        };
        spec.bodies[first].joints.extend(roots);
    }
    assert_agrees_with_dense(&spec.build().unwrap(), &[], "three trees");
}

/// Pendulums with frequencies side by side and no gap between them need many restarts; their modes are their own.
#[test]
fn crowded_frequencies_converge_to_closed_forms() {
    let mut random = Random::new(1);
    let mut spec = CreatureSpec::new("pendulums");
    let mut expected = Vec::new();
    for k in 0..400 {
        let mut body = BodySpec::new(format!("pendulum.{k}"));
        let inertia = Mat3::from_diagonal(&Vec3::new(0.02, 0.02, 0.01));
        body.inertia =
            InertiaSpec::Given(MassProperties { mass: 0.5, com: Vec3::new(0.0, 0.0, -0.3), inertia });
        let stiffness = 1.0 + random.unit();
        expected.push(stiffness / (0.02 + 0.5 * 0.3 * 0.3)); // k / (I + m d²)
        body.joints.push(JointSpec::hinge(format!("joint.{k}"), Vec3::y()).with_stiffness(stiffness));
        spec.bodies.push(body);
    }
    expected.sort_by(f64::total_cmp);
    let modes = large(&spec.build().unwrap(), 20, &[]);
    assert_eq!((modes.rigid(), modes.directions().len()), (0, 20));
    for (mode, expected) in modes.directions().iter().zip(expected) {
        assert!((lambda(mode) / expected - 1.0).abs() < 1e-12, "{} {expected}", lambda(mode));
    }
}

#[test]
fn tendons_agree_with_the_dense_solver() {
    let mut spec = rods(200, false, thin);
    for k in 0..7usize {
        let terms = (0..5).map(|i| (format!("hinge.{}", 20 * k + 3 * i + 1), 1.0 - 0.3 * i as f64)).collect();
        let stiffness = math::powi(10.0, i32::try_from(k).unwrap() - 3);
        spec.tendons.push(TendonSpec {
            name: format!("tendon.{k}"),
            terms,
            stiffness,
            damping: 0.0,
            rest: None,
        });
    }
    assert_agrees_with_dense(&spec.build().unwrap(), &[], "tendons");
}

#[test]
fn constraints_agree_with_the_dense_solver() {
    let constraint = |name: &str, kind| Constraint { name: name.into(), kind };
    let creature = rods(180, false, thin).build().unwrap();
    let at = |body: usize| BodyPoint { body, point: Vec3::zeros() };
    let place = |body: usize| Vec3::new(0.1 * (body as f64 - 1.0), 0.0, 0.0);
    let pin = |body: usize| {
        constraint("pin", ConstraintKind::Pin { point: at(body), position_in_world: place(body) })
    };
    let level =
        constraint("level", ConstraintKind::Orientation { body: 90, world_from_body: Mat3::identity() });
    let coupling = constraint(
        "coupling",
        ConstraintKind::Coupling {
            left: vec![(5, 1.0)],
            right: vec![(9, 1.0)],
            polynomial: [0.0, 0.7, 0.0, 0.0, 0.0],
        },
    );
    assert_agrees_with_dense(&creature, &[pin(60)], "pinned");
    assert_agrees_with_dense(&creature, &[pin(60), pin(120)], "pinned twice");
    assert_agrees_with_dense(&creature, std::slice::from_ref(&level), "level");
    assert_agrees_with_dense(&creature, &[level.clone(), level, coupling], "redundant rows");
    let tree = branching(200, 5);
    let mut data = Data::new(&tree);
    let frames = gambol_dynamics::forward_kinematics(&tree, &mut data, tree.reference_pose());
    let (a, b) = (150, 190);
    let on_a = frames[a].rotation.transpose() * (frames[b].position - frames[a].position);
    let closed =
        constraint("loop", ConstraintKind::Connect { a: BodyPoint { body: a, point: on_a }, b: at(b) });
    assert_agrees_with_dense(&tree, &[closed], "loop");
}

/// K u = λ M u by the matrix, which shares nothing with the recursion, and uᵀ M v = 0.
#[test]
fn modes_of_a_large_tree_keep_their_definition() {
    let creature = branching(3000, 7);
    let (nv, q) = (creature.nv(), creature.reference_pose());
    let modes = large(&creature, 20, &[]);
    let mut data = Data::new(&creature);
    let mut m = TreeMatrix::new(&creature).unwrap();
    mass_matrix(&creature, &mut data, q, &mut m);
    let stiffness: Vec<f64> = stiffness_diagonal(&creature);
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let momenta: Vec<Vec<f64>> = modes
        .directions()
        .iter()
        .map(|mode| {
            let mut momentum = vec![0.0; nv];
            m.multiply(&mode.shape, &mut momentum);
            momentum
        })
        .collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for (i, mode) in modes.flexible().iter().enumerate() {
        let momentum = &momenta[modes.rigid() + i];
        let rest: Vec<f64> =
            (0..nv).map(|k| stiffness[k] * mode.shape[k] - lambda(mode) * momentum[k]).collect();
        let residual = norm(&rest) / (lambda(mode) * norm(momentum));
        assert!(residual < 1e-9, "mode {i}: {residual:e}");
        for (j, other) in modes.directions().iter().enumerate().filter(|(j, _)| *j != modes.rigid() + i) {
            let sizes = dot(&mode.shape, momentum) * dot(&other.shape, &momenta[j]);
            let overlap = dot(&mode.shape, &momenta[j]).abs() / sizes.sqrt();
            assert!(overlap < 1e-10, "modes {i} and {j}: {overlap:e}");
        }
    }
}

fn stiffness_diagonal(creature: &Creature) -> Vec<f64> {
    let joints = creature.joints().iter();
    joints.flat_map(|joint| std::iter::repeat_n(joint.stiffness, joint.kind.nv())).collect()
}

/// Harmonics of the legs around the hub: one moves it up and down, two tilt it, all others leave it at rest and are
/// equal. A block of four vectors alone would see four of them.
#[test]
fn all_copies_of_a_frequency_are_found() {
    for (legs, links) in [(9, 30), (24, 12)] {
        let creature = star(legs, links);
        let modes = large(&creature, 6 + legs, &[]);
        let values: Vec<f64> = modes.flexible().iter().map(lambda).collect();
        let copies = |value: f64| values.iter().filter(|v| (*v / value - 1.0).abs() < 1e-10).count();
        let mut groups: Vec<usize> = values.iter().map(|v| copies(*v)).collect();
        groups.dedup();
        groups.retain(|n| *n > 2);
        assert_eq!(groups, [legs - 3], "{legs} legs: {values:?}");
        assert_eq!(values.iter().filter(|v| copies(**v) == 2).count(), 2);
        assert_eq!(values.iter().filter(|v| copies(**v) == 1).count(), 1);
    }
    // More copies than modes asked for, and nothing but copies.
    let modes = large(&star(60, 5), 26, &[]);
    let first = lambda(&modes.flexible()[0]);
    assert!(modes.flexible().iter().all(|mode| (lambda(mode) / first - 1.0).abs() < 1e-10));
}

#[test]
fn same_input_gives_the_same_bits_on_every_thread() {
    let creature = branching(400, 2);
    let shapes = |modes: Basis| -> Vec<(f64, Vec<f64>)> {
        modes.into_spec().directions.into_iter().map(|mode| (lambda(&mode), mode.shape)).collect()
    };
    let here = shapes(large(&creature, 20, &[]));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3).map(|_| scope.spawn(|| shapes(large(&creature, 20, &[])))).collect();
        for worker in workers {
            assert!(worker.join().unwrap() == here);
        }
    });
}

#[test]
fn asking_for_more_modes_gives_the_same_first_ones() {
    let creature = chain(500);
    let (few, many) = (large(&creature, 10, &[]), large(&creature, 60, &[]));
    for (a, b) in few.flexible().iter().zip(many.flexible()) {
        assert!((lambda(a) / lambda(b) - 1.0).abs() < 1e-11);
    }
    assert_eq!(large(&creature, 6, &[]).directions().len(), 6);
    assert_eq!(large(&creature, 0, &[]).directions().len(), 0);
    let short = chain(12);
    assert_eq!(large(&short, 1000, &[]).directions().len(), 17, "all there are");
}

#[test]
fn either_solver_gives_what_is_asked_for() {
    let creature = chain(200);
    let mut data = Data::new(&creature);
    let pose = creature.reference_pose();
    let few = analyze(&creature, &mut data, pose, &settings(20, &[])).unwrap();
    let all = analyze(&creature, &mut data, pose, &Settings::default()).unwrap();
    assert_eq!((few.directions().len(), all.directions().len()), (20, 205));
    for (a, b) in few.flexible().iter().zip(all.flexible()) {
        assert!((lambda(a) / lambda(b) - 1.0).abs() < 1e-10);
    }
}

#[test]
fn what_has_no_modes_says_why() {
    let mut creature = chain(200);
    creature.set_stiffness(100, 0.0).unwrap();
    let mut data = Data::new(&creature);
    let pose = creature.reference_pose().to_vec();
    let error = analyze_large(&creature, &mut data, &pose, &settings(20, &[])).unwrap_err();
    assert_eq!(error, ModesError::NoStiffness { joint: "joint.100".into() });

    // A swarm has six root coordinates to each of its members, and no room for a column to each of these.
    let mut spec = CreatureSpec::new("swarm");
    for k in 0..1200 {
        let mut pair = rods(2, false, thin).bodies.split_off(1);
        for body in &mut pair {
            body.name = format!("{k}.{}", body.name);
            for joint in &mut body.joints {
                joint.name = format!("{k}.{}", joint.name);
            }
        }
        pair[1].parent = spec.bodies.len();
        spec.bodies.extend(pair);
    }
    let swarm = spec.build().unwrap();
    let mut data = Data::new(&swarm);
    let error = analyze_large(&swarm, &mut data, swarm.reference_pose(), &settings(20, &[])).unwrap_err();
    assert_eq!(error, ModesError::TooLarge { columns: 14_400, nv: 8400 });

    let mut spec = CreatureSpec::new("statue");
    spec.bodies.push(BodySpec::new("stone"));
    let statue = spec.build().unwrap();
    let error = analyze_large(&statue, &mut Data::new(&statue), &[], &settings(20, &[])).unwrap_err();
    assert!(matches!(error, ModesError::OverConstrained { .. }));
    assert!(statue.joints().iter().all(|joint| joint.kind == JointKind::Free));
    assert_eq!(stiffness_matrix(&statue).nrows(), 0);
}
