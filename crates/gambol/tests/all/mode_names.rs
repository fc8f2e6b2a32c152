//! The vibrations of the gallery's creatures have the names that people gave them by looking: Kry et al. 2009, figure 1
//! for the dog ("bounding, back twisting, stretching, and alternating legs"), pictures of the extremes for the others.

use gambol::model::{Creature, Transform, Vec3};
use gambol::{LoadOptions, gallery, load};
use gambol_dynamics::Data;
use gambol_modes::{Plane, Reader, Reading, Settings, Symmetry, analyze};
use nalgebra::UnitQuaternion;

fn creature(name: &str) -> Creature {
    load(name, &LoadOptions::default()).expect("the gallery is valid")
}

fn readings(creature: &Creature) -> Vec<Reading> {
    let mut data = Data::new(creature);
    let modes = analyze(creature, &mut data, creature.reference_pose(), &Settings::default()).unwrap();
    let reader = Reader::new(creature, &mut data, modes.mean()).unwrap();
    modes.directions().iter().map(|mode| reader.read(&mut data, mode)).collect()
}

fn check(name: &str, expected: &[(usize, &str)]) {
    let readings = readings(&creature(name));
    for &(index, words) in expected {
        assert_eq!(readings[index].name, words, "{name} u{index}");
    }
}

#[test]
fn the_dog_of_figure_1() {
    check(
        "dog",
        &[
            (6, "bounding"),
            (7, "back twists"),
            (8, "stretching"),
            (9, "front legs alternate"),
            (10, "front legs splay"),
            (12, "hind legs swing together"),
            (13, "hind legs alternate"),
            (14, "hind legs splay"),
            (17, "back arches"),
        ],
    );
    let readings = readings(&creature("dog"));
    let symmetries: Vec<Symmetry> = readings[6..10].iter().map(|reading| reading.symmetry).collect();
    assert_eq!(
        symmetries,
        [Symmetry::Symmetric, Symmetry::Antisymmetric, Symmetry::Symmetric, Symmetry::Antisymmetric]
    );
    // "All but one of the first four modes are parallel to the sagittal plane" (section 3.1).
    let sagittal: Vec<bool> =
        readings[6..10].iter().map(|reading| reading.plane == Plane::Sagittal).collect();
    assert_eq!(sagittal, [true, false, true, true]);
    assert_eq!(readings[9].strongest.as_ref().unwrap().landmark, "foot.front.left");
}

#[test]
fn the_human_at_rest() {
    check(
        "human",
        &[
            (6, "legs alternate"),
            (7, "legs splay"),
            (8, "body sways sideways"),
            (9, "arms swing against legs"),
            (10, "arms spread"),
            (11, "arms and legs swing together"),
            (12, "arms swing in turn"),
            (15, "knees bend in turn"),
            (17, "knees bend together"),
        ],
    );
}

#[test]
fn other_bodies_get_other_words() {
    check("insect", &[(6, "hind body sways"), (7, "hind body bobs"), (18, "middle legs alternate")]);
    check("spider", &[(6, "fourth legs lift together"), (18, "second and third legs alternate")]);
    check("monster", &[(6, "legs alternate"), (9, "top arms swing together"), (10, "top arms spread")]);
    check("bird", &[(6, "head nods"), (7, "neck sways"), (8, "legs alternate"), (14, "wings flap together")]);
    check("kangaroo", &[(6, "tail wags up and down"), (7, "tail sways"), (8, "legs alternate")]);
    check("snake", &[(6, "bends once sideways"), (7, "bends once up and down"), (8, "bends twice sideways")]);
    check("linear", &[(6, "bends once"), (7, "bends twice"), (8, "bends three times")]);
}

#[test]
fn the_loop_has_pairs_of_waves() {
    let readings = readings(&creature("loop"));
    for (pair, nodes) in readings[6..14].chunks(2).zip([4, 6, 8, 10]) {
        for reading in pair {
            assert!(reading.name.starts_with(&format!("wave with {nodes} nodes")), "{}", reading.name);
        }
    }
}

#[test]
fn every_creature_is_its_own_mirror_image() {
    for name in gallery::names() {
        let creature = creature(name);
        let mut data = Data::new(&creature);
        let reader = Reader::new(&creature, &mut data, creature.reference_pose()).unwrap();
        assert_eq!(reader.mirror().matched(), 1.0, "{name}");
        let v = vec![1.0; creature.nv()];
        assert!(reader.mirror().tangent(&creature, creature.reference_pose(), &v).is_some(), "{name}");
    }
}

#[test]
fn the_sign_of_a_shape_does_not_matter() {
    for name in gallery::names() {
        let creature = creature(name);
        let mut data = Data::new(&creature);
        let modes = analyze(&creature, &mut data, creature.reference_pose(), &Settings::default()).unwrap();
        let reader = Reader::new(&creature, &mut data, modes.mean()).unwrap();
        for mode in modes.directions() {
            let mut other = mode.clone();
            other.shape.iter_mut().for_each(|x| *x = -*x);
            assert_eq!(
                reader.read(&mut data, mode),
                reader.read(&mut data, &other),
                "{name} u{}",
                mode.index
            );
        }
    }
}

/// The creature reflected in its sagittal plane, names of the sides included: left and right have changed places in the
/// file and nothing else has.
fn reflected(name: &str) -> Creature {
    let entry = gallery::find(name).unwrap();
    let mut spec = gambol::formats::load_str(name, entry.mjcf, &LoadOptions::default()).unwrap();
    let polar = |x: Vec3| Vec3::new(x.x, -x.y, x.z);
    let axial = |x: Vec3| Vec3::new(-x.x, x.y, -x.z);
    let moved = |t: Transform| {
        let turn = UnitQuaternion::from_scaled_axis(axial(t.rotation.scaled_axis()));
        Transform::from_parts(polar(t.translation.vector).into(), turn)
    };
    let renamed =
        |name: &str| name.replace(".left", ".LEFT").replace(".right", ".left").replace(".LEFT", ".right");
    for body in &mut spec.bodies {
        body.name = renamed(&body.name);
        body.parent_from_body = moved(body.parent_from_body);
        for joint in &mut body.joints {
            joint.name = renamed(&joint.name);
            joint.anchor = polar(joint.anchor);
            joint.axis = axial(joint.axis); // all of them are hinges or balls
        }
        body.shapes.iter_mut().for_each(|shape| shape.body_from_shape = moved(shape.body_from_shape));
        for site in &mut body.sites {
            site.name = renamed(&site.name);
            site.body_from_site = moved(site.body_from_site);
        }
    }
    spec.poses.clear();
    spec.build().unwrap()
}

#[test]
fn a_reflected_creature_keeps_its_names() {
    for name in ["dog", "human", "insect", "monster", "kangaroo"] {
        let names = |creature: &Creature| readings(creature).into_iter().map(|r| r.name).collect::<Vec<_>>();
        assert_eq!(names(&reflected(name)), names(&creature(name)), "{name}");
    }
}
