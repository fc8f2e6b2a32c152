//! Readings of creatures whose modes are known beforehand: a trunk with two or four legs has exactly symmetric and
//! exactly antisymmetric vibrations, a chain bends once, twice, three times. A reading must not depend on the sign of a
//! shape, nor on which side of a creature was written down first.

use gambol_anatomy::Mirror;
use gambol_dynamics::{Data, TreeMatrix, mass_matrix};
use gambol_model::{
    BodySpec, Creature, CreatureSpec, JointSpec, Shape, ShapeSpec, SiteSpec, Transform, Vec3, math, samples,
};
use gambol_modes::{Plane, Reader, Reading, Settings, Symmetry, analyze, read_mode};
use gambol_motion::{Basis, Direction};

fn capsule(to: Vec3, radius: f64) -> ShapeSpec {
    let mut shape = ShapeSpec::new(Shape::Sphere { radius });
    shape.body_from_shape = Transform::translation(to.x, to.y, to.z);
    shape
}

fn site(name: &str, at: Vec3) -> SiteSpec {
    SiteSpec { name: name.to_owned(), body_from_site: Transform::translation(at.x, at.y, at.z) }
}

/// A leg with a ball for a hip and a hinge for a knee, `side` = ±1; the knee's axis points left on the left and right
/// on the right, as files often have it.
fn add_leg(spec: &mut CreatureSpec, trunk: usize, row: &str, at: Vec3, side: f64) {
    let word = if side > 0.0 { "left" } else { "right" };
    let dotted = if row.is_empty() { word.to_owned() } else { format!("{row}.{word}") };
    let mut thigh = BodySpec::new(format!("thigh.{dotted}"));
    thigh.parent_from_body = Transform::translation(at.x, side * at.y, at.z);
    thigh.joints.push(JointSpec::ball(format!("hip.{dotted}")).with_stiffness(20.0));
    thigh.shapes.push(capsule(Vec3::new(0.0, 0.0, -0.2), 0.06));
    let thigh = spec.add_body(trunk, thigh).unwrap();
    let mut shin = BodySpec::new(format!("shin.{dotted}"));
    shin.parent_from_body = Transform::translation(0.02, 0.0, -0.4);
    let bend = JointSpec::hinge(format!("knee.{dotted}"), Vec3::new(0.0, side, 0.0));
    shin.joints.push(bend.with_stiffness(40.0));
    shin.shapes.push(capsule(Vec3::new(0.0, 0.0, -0.2), 0.05));
    shin.sites.push(site(&format!("foot.{dotted}"), Vec3::new(0.0, 0.0, -0.4)));
    spec.add_body(thigh, shin).unwrap();
}

/// A trunk on two legs; `first` = ±1 is the side that stands first in the list.
fn biped(first: f64) -> Creature {
    let mut spec = CreatureSpec::new("biped");
    let mut trunk = BodySpec::new("trunk");
    trunk.parent_from_body = Transform::translation(0.0, 0.0, 1.0);
    trunk.joints.push(JointSpec::free("root"));
    trunk.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.1, 0.15, 0.25) }));
    let trunk = spec.add_body(0, trunk).unwrap();
    let at = Vec3::new(0.01, 0.12, -0.2);
    add_leg(&mut spec, trunk, "", at, first);
    add_leg(&mut spec, trunk, "", at, -first);
    spec.build().unwrap()
}

/// A stiff trunk on four legs.
fn quadruped(first: f64) -> Creature {
    let mut spec = CreatureSpec::new("quadruped");
    let mut trunk = BodySpec::new("trunk");
    trunk.parent_from_body = Transform::translation(0.0, 0.0, 0.9);
    trunk.joints.push(JointSpec::free("root"));
    trunk.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.5, 0.15, 0.12) }));
    let trunk = spec.add_body(0, trunk).unwrap();
    for (row, x) in [("front", 0.4), ("hind", -0.45)] {
        for side in [first, -first] {
            add_leg(&mut spec, trunk, row, Vec3::new(x, 0.13, -0.1), side);
        }
    }
    spec.build().unwrap()
}

fn modes_of(creature: &Creature) -> Basis {
    analyze(creature, &mut Data::new(creature), creature.reference_pose(), &Settings::default()).unwrap()
}

fn read_all(creature: &Creature, modes: &Basis) -> Vec<Reading> {
    let mut data = Data::new(creature);
    let reader = Reader::new(creature, &mut data, modes.mean()).unwrap();
    modes.directions().iter().map(|mode| reader.read(&mut data, mode)).collect()
}

fn names(creature: &Creature) -> Vec<String> {
    read_all(creature, &modes_of(creature)).into_iter().map(|reading| reading.name).collect()
}

/// A mode made by hand: `turns` are coordinates by joint name.
fn by_hand(creature: &Creature, turns: &[(&str, usize, f64)]) -> Direction {
    let mut shape = vec![0.0; creature.nv()];
    for (joint, k, angle) in turns {
        shape[creature.joints()[creature.joint_index(joint).unwrap()].v + k] = *angle;
    }
    direction(1.0, shape)
}

fn direction(omega_squared: f64, shape: Vec<f64>) -> Direction {
    let mut direction = Direction::new(shape);
    direction.omega_squared = Some(omega_squared);
    direction
}

fn read_by_hand(creature: &Creature, turns: &[(&str, usize, f64)]) -> Reading {
    let mut data = Data::new(creature);
    let reader = Reader::new(creature, &mut data, creature.reference_pose()).unwrap();
    reader.read(&mut data, &by_hand(creature, turns))
}

#[test]
fn every_vibration_of_a_symmetric_creature_is_symmetric_or_antisymmetric() {
    for creature in [biped(1.0), biped(-1.0), quadruped(1.0)] {
        for (index, reading) in read_all(&creature, &modes_of(&creature)).iter().enumerate() {
            let measure = reading.symmetry_measure.abs();
            assert!((measure - 1.0).abs() < 1e-9, "{} {index}: {measure}", creature.name());
            assert_ne!(reading.symmetry, Symmetry::Neither);
        }
    }
}

#[test]
fn shares_add_up_to_one() {
    let creature = quadruped(1.0);
    let readings = read_all(&creature, &modes_of(&creature));
    let near_one = |x: f64| (x - 1.0).abs() < 1e-12;
    for reading in &readings[6..] {
        assert!(near_one(reading.joints.iter().sum()));
        assert!(near_one(reading.limbs.iter().map(|limb| limb.elastic).sum()));
        assert!(near_one(reading.limbs.iter().map(|limb| limb.kinetic).sum()));
        let planes = reading.planes;
        assert!(near_one(planes.sagittal + planes.lateral + planes.twisting));
    }
    assert!(readings[0].joints.iter().all(|&part| part == 0.0), "a rigid motion has no elastic energy");
}

#[test]
fn rigid_motions_are_named_by_their_axis() {
    let expected = ["forward", "sideways", "up", "roll", "pitch", "yaw"];
    for (name, word) in names(&biped(1.0)).iter().zip(expected) {
        assert_eq!(name, &format!("rigid: {word}"));
    }
}

#[test]
fn motions_of_two_legs_get_their_names() {
    let creature = biped(1.0);
    let both = |joint: &str, k, left, right| {
        let (l, r) = (format!("{joint}.left"), format!("{joint}.right"));
        read_by_hand(&creature, &[(&l, k, left), (&r, k, right)])
    };
    // Balls turn about x forward, y left, z up; a turn about −y takes a foot forward, about +x to the left.
    assert_eq!(both("hip", 1, -1.0, 1.0).name, "legs alternate");
    assert_eq!(both("hip", 1, -1.0, -1.0).name, "legs swing together");
    assert_eq!(both("hip", 0, 1.0, -1.0).name, "legs splay");
    assert_eq!(both("hip", 0, 1.0, 1.0).name, "legs sway sideways");
    assert_eq!(both("hip", 2, 1.0, -1.0).name, "legs twist together");
    // The knees' axes point away from each other: equal numbers bend them in turn.
    assert_eq!(both("knee", 0, 1.0, 1.0).name, "knees bend in turn");
    assert_eq!(both("knee", 0, 1.0, -1.0).name, "knees bend together");
    assert_eq!(read_by_hand(&creature, &[("hip.left", 1, 1.0)]).name, "left leg swings");
}

#[test]
fn readings_say_where_and_how_far() {
    let creature = biped(1.0);
    let reading = read_by_hand(&creature, &[("hip.left", 1, -1.0), ("hip.right", 1, 1.0)]);
    assert_eq!((reading.symmetry, reading.plane), (Symmetry::Antisymmetric, Plane::Sagittal));
    let strongest = reading.strongest.unwrap();
    assert_eq!(strongest.landmark, "foot.left", "left before right where both go equally far");
    // The foot hangs 0.8 m below the hip and 2 cm ahead.
    assert!((strongest.distance - math::hypot(0.8, 0.02)).abs() < 1e-12);
    assert!(strongest.direction.x > 0.99 && strongest.direction.y.abs() < 1e-12);
    let leg = |name: &str| reading.limbs.iter().find(|limb| limb.name == name).unwrap();
    assert!((leg("leg.left").elastic - 0.5).abs() < 1e-12);
    assert!((leg("leg.right").kinetic - 0.5).abs() < 1e-12);
    let splay = read_by_hand(&creature, &[("hip.left", 0, 1.0), ("hip.right", 0, -1.0)]);
    assert_eq!((splay.symmetry, splay.plane), (Symmetry::Symmetric, Plane::Lateral));
}

#[test]
fn rows_of_legs_are_told_apart() {
    let creature = quadruped(1.0);
    let turn = |turns: &[(&str, f64)]| {
        let turns: Vec<(String, usize, f64)> =
            turns.iter().map(|(limb, angle)| (format!("hip.{limb}"), 1, *angle)).collect();
        let turns: Vec<(&str, usize, f64)> = turns.iter().map(|(j, k, a)| (j.as_str(), *k, *a)).collect();
        read_by_hand(&creature, &turns).name
    };
    let legs = ["front.left", "front.right", "hind.left", "hind.right"];
    let all = |angles: [f64; 4]| turn(&legs.into_iter().zip(angles).collect::<Vec<_>>());
    assert_eq!(turn(&[("hind.left", 1.0), ("hind.right", -1.0)]), "hind legs alternate");
    assert_eq!(turn(&[("front.left", 1.0), ("front.right", 1.0)]), "front legs swing together");
    assert_eq!(all([1.0, -1.0, -1.0, 1.0]), "legs alternate diagonally");
    assert_eq!(all([1.0, -1.0, 1.0, -1.0]), "legs alternate side by side");
    assert_eq!(all([1.0, 1.0, -1.0, -1.0]), "legs gather and stretch");
    assert_eq!(all([1.0, 1.0, 1.0, 1.0]), "legs swing together");
}

#[test]
fn the_side_written_first_does_not_matter() {
    assert_eq!(names(&biped(1.0)), names(&biped(-1.0)));
    assert_eq!(names(&quadruped(1.0)), names(&quadruped(-1.0)));
}

#[test]
fn the_sign_of_a_shape_does_not_matter() {
    for creature in [biped(1.0), quadruped(1.0), samples::chain(9)] {
        let modes = modes_of(&creature);
        let mut other = modes.clone().into_spec();
        other.directions.iter_mut().flat_map(|mode| &mut mode.shape).for_each(|x| *x = -*x);
        let other = Basis::new(&creature, other).unwrap();
        assert_eq!(read_all(&creature, &modes), read_all(&creature, &other), "{}", creature.name());
    }
}

#[test]
fn a_chain_bends_once_twice_three_times() {
    let creature = samples::chain(12);
    assert_eq!(names(&creature)[6..10], ["bends once", "bends twice", "bends three times", "bends 4 times"]);
}

#[test]
fn the_mirror_is_an_involution_that_keeps_the_energies() {
    let creature = biped(-1.0);
    let mut data = Data::new(&creature);
    let mirror = Mirror::new(&creature, &mut data);
    assert_eq!(mirror.matched(), 1.0);
    assert_eq!(mirror.body_pairs().count(), 2);
    assert_eq!(mirror.joint_pairs().count(), 4 - 2);
    let mut random = samples::Random::new(7);
    // Symmetric poses keep the mass matrix; another heading must not matter.
    let mut q = creature.reference_pose().to_vec();
    q[3..7].copy_from_slice(&[0.8, 0.0, 0.0, 0.6]);
    let mut m = TreeMatrix::new(&creature).unwrap();
    mass_matrix(&creature, &mut data, &q, &mut m);
    let m = m.to_dense();
    for _ in 0..20 {
        let v: Vec<f64> = (0..creature.nv()).map(|_| random.symmetric()).collect();
        let image = mirror.tangent(&creature, &q, &v).unwrap();
        let again = mirror.tangent(&creature, &q, &image).unwrap();
        assert!(v.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-12));
        let energy = |v: &[f64]| {
            let v = nalgebra::DVector::from_column_slice(v);
            v.dot(&(&m * &v))
        };
        assert!((energy(&v) / energy(&image) - 1.0).abs() < 1e-9);
    }
    assert!(mirror.tangent(&creature, &q, &[0.0]).is_none(), "wrong length");
}

#[test]
fn the_mirror_image_of_a_mode_is_plus_or_minus_itself() {
    let creature = quadruped(1.0);
    let modes = modes_of(&creature);
    let mut data = Data::new(&creature);
    let mirror = Mirror::new(&creature, &mut data);
    for (mode, reading) in modes.directions().iter().zip(read_all(&creature, &modes)) {
        let image = mirror.tangent(&creature, modes.mean(), &mode.shape).unwrap();
        let sign = reading.symmetry_measure.signum();
        let off = mode.shape.iter().zip(&image).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-7, "mode {}: {off}", mode.index);
    }
}

#[test]
fn any_tree_can_be_read() {
    for (seed, bodies) in (0..60).zip((1..15).cycle()) {
        let kind = samples::TreeKind { bodies, free_root: seed % 2 == 0, armature: true };
        let creature = samples::random_tree(seed, kind);
        let mut data = Data::new(&creature);
        let reader = Reader::new(&creature, &mut data, creature.reference_pose()).unwrap();
        let mut random = samples::Random::new(seed);
        for omega_squared in [0.0, 1.0] {
            let shape = (0..creature.nv()).map(|_| random.symmetric()).collect();
            let reading = reader.read(&mut data, &direction(omega_squared, shape));
            assert!(!reading.name.is_empty());
            assert!(reading.symmetry_measure.is_finite());
        }
    }
}

#[test]
fn odd_input_is_no_panic() {
    let creature = biped(1.0);
    let mut data = Data::new(&creature);
    let reader = Reader::new(&creature, &mut data, creature.reference_pose()).unwrap();
    for shape in [vec![], vec![f64::NAN; creature.nv()], vec![0.0; 3], vec![f64::INFINITY; 99]] {
        assert!(!reader.read(&mut data, &direction(1.0, shape)).name.is_empty());
    }
    assert!(Reader::new(&creature, &mut data, &[1.0]).is_err());
    let modes = modes_of(&creature);
    let error = read_mode(&creature, &mut data, &modes, 99).unwrap_err().to_string();
    assert!(error.contains("no mode 99"), "{error}");
    let empty = CreatureSpec::new("nothing").build();
    if let Ok(nothing) = empty {
        let mut data = Data::new(&nothing);
        let reader = Reader::new(&nothing, &mut data, &[]).unwrap();
        let reading = reader.read(&mut data, &direction(1.0, vec![]));
        assert!(!reading.name.is_empty());
    }
}
