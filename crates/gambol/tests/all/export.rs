//! A creature that goes out as MJCF and comes in again is the same creature: mass matrix, gravity and Coriolis forces,
//! springs and dampers at random states, reference and rest pose, limits, tendons, constraints, vibrations, named poses,
//! shapes, sites and landmarks. Every number is written to its last digit, so that what differs is the rounding of a
//! quaternion made unit length once more. MuJoCo reads the same files in `cargo xtask export`.

use std::collections::HashSet;

use gambol::dynamics::{
    Data, TreeMatrix, bias_forces, constraint_jacobian, constraint_residual, mass_matrix, null_space,
    passive_forces,
};
use gambol::formats::files::Memory;
use gambol::formats::{Actuators, MjcfFiles, MjcfOptions, load_from, to_mjcf};
use gambol::model::samples::{Random, TreeKind, branching, chain, random_tree, star};
use gambol::model::{
    BodyPoint, BodySpec, Constraint, ConstraintKind, Creature, CreatureSpec, InertiaSpec, JointSpec,
    MassProperties, Mat3, MeshMass, PoseSpec, Quat, Shape, ShapeSpec, SiteSpec, TendonSpec, Transform,
    TriMesh, Vec3,
};
use gambol::modes::{Settings, analyze};
use gambol::{LoadOptions, gallery, load};

/// Rounding of some ten operations, and of unit quaternions over the length of a tree.
const CLOSE: f64 = 1e-12;
/// Frequencies and null spaces come out of iterations that multiply rounding by the conditioning of the mass matrix.
const SOLVED: f64 = 1e-9;

fn read(files: &MjcfFiles) -> Creature {
    let mut memory = Memory::new().with("out.xml", files.xml.as_str());
    for (name, bytes) in &files.meshes {
        memory = memory.with(name, bytes.clone());
    }
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    let spec =
        load_from(&memory, "out.xml", &strict).unwrap_or_else(|error| panic!("{error}\n{}", files.xml));
    spec.build().unwrap_or_else(|error| panic!("{error}"))
}

fn round_trip(creature: &Creature) -> Creature {
    let files = to_mjcf(creature, &MjcfOptions::default());
    assert!(files.warnings.is_empty(), "{}: {:?}", creature.name(), files.warnings);
    read(&files)
}

#[track_caller]
fn assert_close(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = a.iter().fold(f64::MIN_POSITIVE, |scale, x| scale.max(x.abs()));
    for (k, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}, number {k}: {x} is {y} after the way");
    }
}

fn pose(transform: &Transform) -> [f64; 7] {
    let (at, turn) = (transform.translation.vector, transform.rotation);
    [at.x, at.y, at.z, turn.w, turn.i, turn.j, turn.k]
}

/// Everything that moves the creature.
#[track_caller]
fn assert_same_motion(a: &Creature, b: &Creature) {
    assert_eq!((a.nq(), a.nv(), a.bodies().len()), (b.nq(), b.nv(), b.bodies().len()));
    assert_close("gravity", a.gravity().as_slice(), b.gravity().as_slice(), CLOSE);
    assert_close("reference pose", a.reference_pose(), b.reference_pose(), CLOSE);
    assert_close("rest pose", a.rest_pose(), b.rest_pose(), CLOSE);
    let mut random = Random::new(7);
    for _ in 0..2 {
        let q = random.pose(a, 0.7);
        let v = random.numbers(a.nv(), 1.0);
        let [m, n] = [a, b].map(|creature| {
            let mut matrix = TreeMatrix::new(creature).unwrap();
            mass_matrix(creature, &mut Data::new(creature), &q, &mut matrix);
            matrix.to_dense()
        });
        for i in 0..a.nv() {
            for j in 0..=i {
                let scale = (m[(i, i)] * m[(j, j)]).sqrt();
                assert!((m[(i, j)] - n[(i, j)]).abs() <= CLOSE * scale, "mass matrix at {i}, {j}");
            }
        }
        let (mut of_a, mut of_b) = (Data::new(a), Data::new(b));
        assert_close("bias", bias_forces(a, &mut of_a, &q, &v), bias_forces(b, &mut of_b, &q, &v), SOLVED);
        let springs = [passive_forces(a, &mut of_a, &q, &v), passive_forces(b, &mut of_b, &q, &v)];
        assert_close("springs and dampers", springs[0], springs[1], CLOSE);
    }
    for (x, y) in a.joints().iter().zip(b.joints()) {
        assert_eq!((&x.name, x.kind, x.limit, x.armature), (&y.name, y.kind, y.limit, y.armature));
    }
    for (x, y) in a.bodies().iter().zip(b.bodies()) {
        assert_eq!((&x.name, x.parent, x.mass.mass), (&y.name, y.parent, y.mass.mass));
    }
    for (x, y) in a.tendons().iter().zip(b.tendons()) {
        assert_eq!((&x.name, &x.terms, x.rest), (&y.name, &y.terms, y.rest));
    }
}

/// Constraints allow the same motion, and hold in the same poses.
#[track_caller]
fn assert_same_constraints(a: &Creature, b: &Creature) {
    let (mut of_a, mut of_b) = (Data::new(a), Data::new(b));
    let mut random = Random::new(3);
    for size in [0.0, 0.4] {
        let q = random.pose(a, size);
        let free = null_space(a, &mut of_a, &q, a.constraints());
        let rank = null_space(b, &mut of_b, &q, b.constraints()).rank;
        // Off the constraint, two points that are to meet say more about a hinge than its axis: compare where it holds.
        if size == 0.0 {
            assert_eq!(free.rank, rank);
            let rows = constraint_jacobian(b, &mut of_b, &q, b.constraints());
            if rank > 0 && rank < a.nv() {
                assert!(
                    (&rows * &free.basis).amax() <= SOLVED * rows.amax(),
                    "constraints allow other motion"
                );
            }
        }
        let [x, y] = [
            constraint_residual(a, &mut of_a, &q, a.constraints()),
            constraint_residual(b, &mut of_b, &q, b.constraints()),
        ];
        if x.len() == y.len() {
            assert!((&x - &y).amax() <= SOLVED * x.amax().max(1.0), "{x} {y}");
        }
    }
}

#[track_caller]
fn assert_same_vibrations(a: &Creature, b: &Creature) {
    let frequencies = |creature: &Creature| -> Vec<f64> {
        let settings = Settings { constraints: creature.constraints().to_vec(), ..Settings::default() };
        let modes = analyze(creature, &mut Data::new(creature), creature.rest_pose(), &settings).unwrap();
        modes
            .directions()
            .iter()
            .skip(modes.rigid())
            .filter_map(gambol::motion::Direction::frequency)
            .collect()
    };
    assert_close("frequencies", &frequencies(a), &frequencies(b), SOLVED);
}

/// What is to be seen and spoken of.
#[track_caller]
fn assert_same_body(a: &Creature, b: &Creature) {
    assert_eq!((a.name(), a.shapes().len()), (b.name(), b.shapes().len()));
    for (x, y) in a.shapes().iter().zip(b.shapes()) {
        assert_eq!((&x.name, x.collides, x.rgba), (&y.name, y.collides, y.rgba));
        assert_close("shape's pose", &pose(&x.body_from_shape), &pose(&y.body_from_shape), CLOSE);
        match (&x.shape, &y.shape) {
            (Shape::Mesh { mesh: x, .. }, Shape::Mesh { mesh: y, .. }) => {
                assert_eq!(x.faces(), y.faces());
                let worst = x.vertices().iter().zip(y.vertices()).map(|(x, y)| (x - y).amax());
                // 32 bits.
                assert!(worst.fold(0.0, f64::max) < 1e-6 * (x.bounds().0 + x.bounds().1).amax());
            }
            (x, y) => assert_eq!(x, y),
        }
    }
    assert_eq!(a.poses().len(), b.poses().len());
    for (x, y) in a.poses().iter().zip(b.poses()) {
        assert_eq!(x.name, y.name);
        assert_close("pose", &x.qpos, &y.qpos, CLOSE);
    }
    for site in a.sites() {
        let there = b.sites().iter().find(|other| other.name == site.name && other.body == site.body);
        let there = there.unwrap_or_else(|| panic!("site {} is gone", site.name));
        assert_close("site", &pose(&site.body_from_site), &pose(&there.body_from_site), CLOSE);
    }
    let places = |creature: &Creature| -> Vec<_> {
        let place = |l: &gambol::model::Landmark| (l.name(), l.body, l.joint, l.point);
        creature.landmarks().iter().map(place).collect()
    };
    assert_eq!(places(a), places(b), "{}", a.name());
}

#[test]
fn the_gallery_comes_back() {
    for name in gallery::names() {
        let creature = load(name, &LoadOptions::default()).unwrap();
        let back = round_trip(&creature);
        assert!(back.warnings().is_empty(), "{name}: {:?}", back.warnings());
        assert_same_motion(&creature, &back);
        assert_same_constraints(&creature, &back);
        assert_same_vibrations(&creature, &back);
        assert_same_body(&creature, &back);
        assert_eq!(back.tendons().len(), creature.tendons().len());
        // A second time nothing changes any more, but for the last digit of a quaternion.
        assert_same_body(&back, &round_trip(&back));
    }
}

/// Joints of all kinds with off-centre anchors, several on a body, references and rests apart, general inertias.
#[test]
fn random_trees_come_back() {
    for seed in 0..40 {
        let kind = TreeKind { bodies: 12, free_root: seed % 2 == 0, armature: seed % 3 == 0 };
        let tree = random_tree(seed, kind);
        let back = round_trip(&tree);
        assert_same_motion(&tree, &back);
        assert_same_body(&tree, &back);
        if tree.nv() > 0 {
            assert_same_vibrations(&tree, &back);
        }
    }
    for creature in [chain(16), star(5, 3)] {
        let back = round_trip(&creature);
        assert_same_motion(&creature, &back);
        assert_same_vibrations(&creature, &back);
    }
}

/// A creature whose bodies stand level by level is told, its poses follow the new order, and it vibrates the same.
#[test]
fn bodies_that_are_not_nested_are_put_in_order() {
    let tree = branching(40, 1);
    let files = to_mjcf(&tree, &MjcfOptions::default());
    assert!(files.warnings[0].text.contains("order"), "{:?}", files.warnings);
    let back = read(&files);
    assert_ne!(back.bodies()[10].name, tree.bodies()[10].name);
    assert_same_vibrations(&tree, &back);
}

/// Three bodies in a chain, and one beside them, in which everything hangs together that can.
fn tangle() -> CreatureSpec {
    let mut spec = CreatureSpec::new("tangle & <\"friends\">");
    spec.gravity = Vec3::new(0.1, -0.2, -1.62);
    let mut random = Random::new(5);
    for index in 1..=4 {
        let mut body = BodySpec::new(format!("part {index} of \"it\" & <more>\n"));
        body.parent = if index == 4 { 0 } else { index - 1 };
        body.parent_from_body = Transform::from_parts(random.vector(0.3).into(), random.rotation());
        let mut joint = JointSpec::hinge(format!("j<{index}>"), random.vector(1.0)).with_stiffness(2.0);
        joint.limit = Some([-0.5, 0.25 * f64::from(u8::try_from(index).unwrap())]);
        joint.reference = 0.1;
        body.joints.push(joint);
        body.joints.push(JointSpec::slide(format!("s{index}"), random.vector(1.0)).with_stiffness(3.0));
        // Two shapes and two sites of one name, and some without.
        for (name, shape) in [
            ("twin", Shape::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.3) }),
            ("", Shape::Cylinder { radius: 0.05, half_length: 0.1 }),
        ] {
            let shape = ShapeSpec { name: name.into(), rgba: [0.1, 0.2, 0.3, 0.4], ..ShapeSpec::new(shape) };
            body.shapes.push(shape);
        }
        body.shapes[1].collides = false;
        body.sites.push(SiteSpec {
            name: format!("site {index}"),
            body_from_site: Transform::translation(0.1, 0.2, 0.3),
        });
        spec.bodies.push(body);
    }
    spec.poses.push(PoseSpec { name: "bent".into(), qpos: (0..8).map(|k| 0.1 * f64::from(k)).collect() });
    spec
}

#[test]
fn tendons_come_back() {
    let mut spec = tangle();
    let tendon = |name: &str, terms: &[(&str, f64)], rest| TendonSpec {
        name: name.into(),
        terms: terms.iter().map(|(joint, c)| ((*joint).to_owned(), *c)).collect(),
        stiffness: 5.0,
        damping: 0.5,
        rest,
    };
    spec.tendons = vec![
        tendon("slack", &[("j<1>", 1.0), ("s2", -2.0)], Some([-0.25, 0.125])),
        // MJCF's word for "work it out".
        tendon("minus one", &[("s3", 1.0)], Some([-1.0, -1.0])),
        tendon("twice", &[("s3", 1.0), ("s3", 0.5)], None),
    ];
    let creature = spec.build().unwrap();
    let back = round_trip(&creature);
    assert_eq!(
        (back.tendons()[0].rest, back.tendons()[2].rest),
        ([-0.25, 0.125], creature.tendons()[2].rest)
    );
    assert!((back.tendons()[1].rest[0] + 1.0).abs() < 1e-15 && back.tendons()[1].stiffness == 5.0);
    let (mut of_a, mut of_b) = (Data::new(&creature), Data::new(&back));
    let q: Vec<f64> = (0..8).map(|k| 0.3 * f64::from(k) - 1.0).collect();
    let [x, y] = [
        passive_forces(&creature, &mut of_a, &q, &[0.5; 8]),
        passive_forces(&back, &mut of_b, &q, &[0.5; 8]),
    ];
    assert_close("tendons", x, y, CLOSE);
}

#[test]
fn every_constraint_that_mjcf_has_comes_back() {
    let at = |body, x, y, z| BodyPoint { body, point: Vec3::new(x, y, z) };
    let turned = Transform::from_parts(
        Vec3::new(0.1, 0.0, 0.2).into(),
        Quat::from_scaled_axis(Vec3::new(0.3, 0.2, 0.1)),
    );
    let kinds = [
        ConstraintKind::Connect { a: at(3, 0.1, 0.2, 0.3), b: at(4, 0.3, 0.2, 0.1) },
        ConstraintKind::Connect { a: at(0, 0.1, 0.2, 0.3), b: at(4, 0.3, 0.2, 0.1) },
        ConstraintKind::Pin { point: at(2, 0.1, 0.0, 0.0), position_in_world: Vec3::new(0.5, 0.6, 0.7) },
        ConstraintKind::Hinge {
            a: at(3, 0.1, 0.2, 0.3),
            b: at(4, 0.3, 0.2, 0.1),
            axis_in_a: Vec3::y(),
            axis_in_b: Vec3::new(0.6, 0.0, 0.8),
        },
        ConstraintKind::Weld { a: 3, b: 4, a_from_b: turned },
        ConstraintKind::Weld { a: 0, b: 4, a_from_b: turned },
        ConstraintKind::Coupling {
            left: vec![(0, 1.0)],
            right: vec![(2, 1.0)],
            polynomial: [0.1, 0.2, 0.3, 0.4, 0.5],
        },
        ConstraintKind::Coupling {
            left: vec![(0, 2.0)],
            right: vec![(2, -3.0)],
            polynomial: [0.1, 0.2, 0.3, 0.4, 0.5],
        },
        ConstraintKind::Coupling {
            left: vec![(1, 1.0)],
            right: vec![],
            polynomial: [0.1, 0.0, 0.0, 0.0, 0.0],
        },
        ConstraintKind::Coupling {
            left: vec![(0, 2.0), (4, 1.0)],
            right: vec![(2, -3.0), (3, 1.0)],
            polynomial: [0.0, 1.0, 0.5, 0.0, 0.0],
        },
    ];
    for kind in kinds {
        let mut spec = tangle();
        spec.constraints.push(Constraint { name: "tie".into(), kind: kind.clone() });
        let creature = spec.build().unwrap();
        let back = round_trip(&creature);
        assert_eq!((back.constraints().len(), back.constraints()[0].name.as_str()), (1, "tie"), "{kind:?}");
        let q = creature.reference_pose();
        let rows = |creature: &Creature| {
            constraint_jacobian(creature, &mut Data::new(creature), q, creature.constraints())
        };
        let free = null_space(&creature, &mut Data::new(&creature), q, creature.constraints());
        let reduced = null_space(&back, &mut Data::new(&back), q, back.constraints());
        assert_eq!(free.rank, reduced.rank, "{kind:?}");
        assert!((rows(&back) * free.basis).amax() < SOLVED, "{kind:?}");
        let elsewhere = Random::new(2).pose(&creature, 0.3);
        let residual = |creature: &Creature| {
            constraint_residual(creature, &mut Data::new(creature), &elsewhere, creature.constraints())
        };
        let scale = residual(&creature).norm() / residual(&back).norm();
        // A coupling is written with its first coefficient divided out.
        let expected = if matches!(&kind, ConstraintKind::Coupling { left, .. } if left == &[(0, 2.0)]) {
            2.0
        } else {
            1.0
        };
        assert!((scale / expected - 1.0).abs() < SOLVED, "{kind:?}: {scale}");
    }
}

#[test]
fn what_mujoco_cannot_say_is_told() {
    let mut spec = tangle();
    let orientation = ConstraintKind::Orientation { body: 2, world_from_body: Mat3::identity() };
    spec.constraints.push(Constraint { name: "level".into(), kind: orientation });
    let hand = BodyPoint { body: 3, point: Vec3::zeros() };
    let cart = ConstraintKind::Cart {
        hands: vec![hand],
        positions_in_world: vec![Vec3::zeros()],
        forward: Vec3::x(),
    };
    spec.constraints.push(Constraint { name: String::new(), kind: cart });
    spec.bodies[1].inertia = InertiaSpec::Given(MassProperties::diagonal(1.0, Vec3::new(1.0, 1.0, 3.0)));
    let files = to_mjcf(&spec.build().unwrap(), &MjcfOptions::default());
    let told: Vec<String> = files.warnings.iter().map(ToString::to_string).collect();
    assert!(
        told[0].starts_with("constraint \"level\": MuJoCo has no constraint that keeps an orientation"),
        "{told:?}"
    );
    assert!(
        told[1].starts_with("constraint \"constraint 1\": MuJoCo has no constraint for hands"),
        "{told:?}"
    );
    assert!(told[2].contains("refuses an inertia"), "{told:?}");

    let mut ball = CreatureSpec::new("ball");
    let mut body = BodySpec::new("body");
    body.joints.push(JointSpec::ball("neck").with_stiffness(1.0));
    body.shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.1 }));
    ball.bodies.push(body);
    let mut ball = ball.build().unwrap();
    ball.set_rest_pose(&[0.8, 0.6, 0.0, 0.0]).unwrap();
    let options = MjcfOptions { actuators: Actuators::Position, ..MjcfOptions::default() };
    let files = to_mjcf(&ball, &options);
    assert!(files.warnings[0].text.contains("qpos_spring"), "{:?}", files.warnings);
    assert_eq!(read(&files).pose("springs' rest"), Some(ball.rest_pose()));
    assert!(!files.xml.contains("<general"), "it would pull to another pose");

    let deep = to_mjcf(&chain(497), &MjcfOptions::default());
    assert!(deep.warnings[0].text.contains("496 deep"), "{:?}", deep.warnings);
    assert!(to_mjcf(&chain(496), &MjcfOptions::default()).warnings.is_empty());
}

#[test]
fn springs_become_actuators() {
    let dog = load("dog", &LoadOptions::default()).unwrap();
    let options = MjcfOptions { actuators: Actuators::Position, ..MjcfOptions::default() };
    let files = to_mjcf(&dog, &options);
    let sprung: usize =
        dog.joints().iter().filter(|j| j.stiffness > 0.0 && j.kind.nv() < 6).map(|j| j.kind.nv()).sum();
    assert_eq!(files.xml.matches("<general").count(), sprung);
    assert!(read(&files).joints().iter().all(|joint| joint.stiffness == 0.0));
}

/// A mesh that two bodies share is one file; flat ones cannot touch in MuJoCo.
#[test]
fn meshes_go_beside_the_model() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0 / 3.0]].map(Vec3::from);
    let solid = TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
    let flat = TriMesh::new(square.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let mesh = |mesh: &std::sync::Arc<TriMesh>| {
        ShapeSpec::new(Shape::Mesh { mesh: mesh.clone(), mass: MeshMass::ClosedOrHull })
    };
    let (solid, flat) = (std::sync::Arc::new(solid), std::sync::Arc::new(flat));
    let mut spec = tangle();
    spec.bodies[1].shapes = vec![mesh(&solid)];
    spec.bodies[2].shapes = vec![mesh(&solid), ShapeSpec { massive: false, collides: false, ..mesh(&flat) }];
    let creature = spec.clone().build().unwrap();
    let files = to_mjcf(&creature, &MjcfOptions { assets: "in & out".into(), ..MjcfOptions::default() });
    let names: Vec<&str> = files.meshes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["in & out/mesh-0.obj", "in & out/mesh-1.obj"]);
    assert!(files.warnings.is_empty(), "{:?}", files.warnings);
    let back = read(&files);
    assert_same_motion(&creature, &back);
    assert!(
        matches!(&back.shapes()[0].shape, Shape::Mesh { mesh, mass: MeshMass::Exact } if mesh.faces().len() == 4)
    );

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.xml");
    files.write(&path, false).unwrap();
    assert!(folder.path().join("in & out/mesh-1.obj").exists());
    assert_eq!(load(path.to_str().unwrap(), &LoadOptions::default()).unwrap().nv(), creature.nv());
    // All or none: one file is there, so no other is written and no folder is left.
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("out.xml"), "mine").unwrap();
    files.write(&elsewhere.path().join("out.xml"), false).unwrap_err();
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);

    spec.bodies[2].shapes[1].collides = true;
    let files = to_mjcf(&spec.build().unwrap(), &MjcfOptions::default());
    assert!(files.warnings[0].text.contains("flat mesh"), "{:?}", files.warnings);
}

/// Three hinges about one point, each a joint of the spine: the sites tell which is which, also the one along z.
#[test]
fn landmarks_keep_their_joints() {
    let mut spec = CreatureSpec::new("worm");
    for index in 0..4 {
        let mut body = BodySpec::new(["tail", "waist", "chest", "head"][index]);
        body.parent = index;
        body.parent_from_body = Transform::translation(0.3, 0.0, if index == 0 { 0.05 } else { 0.0 });
        if index == 0 {
            body.joints.push(JointSpec::free("root"));
        } else {
            for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                body.joints
                    .push(JointSpec::hinge(format!("{index}{axis:?}"), axis).with_anchor(-0.15 * Vec3::x()));
            }
        }
        body.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.14, 0.05, 0.05) }));
        spec.bodies.push(body);
    }
    let worm = spec.build().unwrap();
    let joints: HashSet<_> = worm.landmarks().iter().filter_map(|landmark| landmark.joint).collect();
    assert_eq!(joints.len(), 9, "{:?}", worm.landmarks());
    assert_same_body(&worm, &round_trip(&worm));
}
