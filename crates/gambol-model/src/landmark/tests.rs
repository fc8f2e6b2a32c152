//! Creatures built in code, with and without names, in every direction: the labels must be those an animator would
//! give. Each creature here is a body plan, reduced to what matters for telling its limbs apart.

use std::collections::BTreeMap;

use nalgebra::UnitQuaternion;

use super::{LandmarkName, Role, Row, Side, Source};
use crate::{
    BodySpec, Creature, CreatureSpec, JointKind, JointSpec, LandmarkOverride, PoseSpec, Shape, ShapeSpec,
    SiteSpec, Transform, Vec3,
};

fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Adds a floating body.
fn root(spec: &mut CreatureSpec, name: &str, height: f64, half: Vec3) -> usize {
    let mut body = BodySpec::new(name);
    body.parent_from_body = Transform::translation(0.0, 0.0, height);
    body.joints.push(JointSpec::free("root"));
    body.shapes.push(ShapeSpec::new(Shape::Box { half }));
    spec.add_body(0, body).expect("the world is there")
}

/// Adds a bone: a body that starts at `from` in its parent, turns there about y, and ends at `from + along`.
fn bone(spec: &mut CreatureSpec, parent: usize, name: &str, from: Vec3, along: Vec3, radius: f64) -> usize {
    let mut body = BodySpec::new(name);
    body.parent_from_body = Transform::translation(from.x, from.y, from.z);
    body.joints.push(JointSpec::hinge(format!("{name} joint"), Vec3::y()));
    let rotation =
        UnitQuaternion::rotation_between(&Vec3::z(), &along).unwrap_or_else(UnitQuaternion::identity);
    let mut shape = ShapeSpec::new(Shape::Capsule { radius, half_length: along.norm() / 2.0 });
    shape.body_from_shape = Transform::from_parts((along / 2.0).into(), rotation);
    body.shapes.push(shape);
    spec.add_body(parent, body).expect("the parent is there")
}

fn sides() -> [(&'static str, f64); 2] {
    [("left", 1.0), ("right", -1.0)]
}

/// Stands on two legs, arms hanging, feet ahead.
fn biped() -> CreatureSpec {
    let mut s = CreatureSpec::new("biped");
    let pelvis = root(&mut s, "pelvis", 1.0, v(0.08, 0.15, 0.08));
    let chest = bone(&mut s, pelvis, "chest", v(0.0, 0.0, 0.1), v(0.0, 0.0, 0.4), 0.12);
    bone(&mut s, chest, "head", v(0.0, 0.0, 0.55), v(0.0, 0.0, 0.15), 0.1);
    for (side, y) in sides() {
        let thigh =
            bone(&mut s, pelvis, &format!("{side}_thigh"), v(0.0, y * 0.1, -0.05), v(0.0, 0.0, -0.42), 0.06);
        let shin = bone(&mut s, thigh, &format!("{side}_shin"), v(0.0, 0.0, -0.45), v(0.0, 0.0, -0.4), 0.05);
        bone(&mut s, shin, &format!("{side}_foot"), v(0.0, 0.0, -0.45), v(0.16, 0.0, 0.0), 0.04);
        let upper = bone(
            &mut s,
            chest,
            &format!("{side}_upper_arm"),
            v(0.0, y * 0.2, 0.4),
            v(0.0, y * 0.05, -0.28),
            0.04,
        );
        let lower = bone(
            &mut s,
            upper,
            &format!("{side}_lower_arm"),
            v(0.0, y * 0.05, -0.3),
            v(0.0, 0.0, -0.22),
            0.035,
        );
        bone(&mut s, lower, &format!("{side}_hand"), v(0.0, 0.0, -0.25), v(0.0, 0.0, -0.1), 0.03);
    }
    s
}

/// Digitigrade: stands on its toes, with scapulae, a jaw and a tail.
fn dog() -> CreatureSpec {
    let mut s = CreatureSpec::new("dog");
    let pelvis = root(&mut s, "pelvis", 0.5, v(0.1, 0.07, 0.08));
    let loin = bone(&mut s, pelvis, "loin", v(0.1, 0.0, 0.03), v(0.2, 0.0, 0.0), 0.08);
    let chest = bone(&mut s, loin, "chest", v(0.2, 0.0, 0.0), v(0.25, 0.0, 0.0), 0.1);
    let neck = bone(&mut s, chest, "neck", v(0.3, 0.0, 0.05), v(0.1, 0.0, 0.1), 0.05);
    let head = bone(&mut s, neck, "head", v(0.12, 0.0, 0.12), v(0.12, 0.0, 0.0), 0.06);
    bone(&mut s, head, "jaw", v(0.08, 0.0, -0.04), v(0.08, 0.0, -0.01), 0.015);
    let tail = bone(&mut s, pelvis, "tail_1", v(-0.12, 0.0, 0.03), v(-0.12, 0.0, 0.02), 0.015);
    bone(&mut s, tail, "tail_2", v(-0.14, 0.0, 0.03), v(-0.12, 0.0, 0.06), 0.01);
    for (side, y) in sides() {
        let scapula = bone(
            &mut s,
            chest,
            &format!("{side}_scapula"),
            v(0.18, y * 0.07, 0.0),
            v(0.05, y * 0.03, -0.08),
            0.02,
        );
        let arm = bone(
            &mut s,
            scapula,
            &format!("{side}_humerus"),
            v(0.06, y * 0.03, -0.1),
            v(-0.1, 0.0, -0.14),
            0.03,
        );
        let fore =
            bone(&mut s, arm, &format!("{side}_radius"), v(-0.11, 0.0, -0.15), v(0.02, 0.0, -0.18), 0.02);
        bone(&mut s, fore, &format!("{side}_front_paw"), v(0.02, 0.0, -0.2), v(0.03, 0.0, -0.06), 0.015);
        let thigh = bone(
            &mut s,
            pelvis,
            &format!("{side}_femur"),
            v(0.0, y * 0.08, -0.03),
            v(0.08, 0.0, -0.13),
            0.04,
        );
        let shin =
            bone(&mut s, thigh, &format!("{side}_tibia"), v(0.09, 0.0, -0.15), v(-0.14, 0.0, -0.12), 0.02);
        let pastern =
            bone(&mut s, shin, &format!("{side}_pastern"), v(-0.15, 0.0, -0.13), v(0.02, 0.0, -0.1), 0.015);
        bone(&mut s, pastern, &format!("{side}_hind_paw"), v(0.03, 0.0, -0.12), v(0.05, 0.0, -0.02), 0.015);
    }
    s
}

/// Pairs of legs with coxa, femur and tibia that spread, and a head.
fn insect(pairs: u32) -> CreatureSpec {
    let mut s = CreatureSpec::new("insect");
    let half_length = 0.05 * f64::from(pairs);
    let trunk = root(&mut s, "thorax", 0.1, v(half_length, 0.03, 0.03));
    bone(&mut s, trunk, "head", v(half_length + 0.02, 0.0, 0.02), v(0.04, 0.0, 0.02), 0.02);
    for row in 0..pairs {
        let x = half_length - 0.05 - 0.1 * f64::from(row);
        let spread = 0.3 * x;
        for (side, y) in sides() {
            let name = |part: &str| format!("{part}_{row}_{side}");
            let coxa = bone(&mut s, trunk, &name("coxa"), v(x, y * 0.04, 0.0), v(0.0, y * 0.02, 0.0), 0.01);
            let femur =
                bone(&mut s, coxa, &name("femur"), v(0.0, y * 0.03, 0.0), v(spread, y * 0.1, 0.06), 0.008);
            bone(&mut s, femur, &name("tibia"), v(spread, y * 0.1, 0.06), v(spread, y * 0.04, -0.15), 0.006);
        }
    }
    s
}

/// Two legs with spread toes, wings, neck and tail.
fn bird() -> CreatureSpec {
    let mut s = CreatureSpec::new("bird");
    let trunk = root(&mut s, "trunk", 0.3, v(0.1, 0.05, 0.05));
    let neck = bone(&mut s, trunk, "neck", v(0.1, 0.0, 0.04), v(0.05, 0.0, 0.1), 0.02);
    bone(&mut s, neck, "head", v(0.05, 0.0, 0.12), v(0.05, 0.0, 0.0), 0.025);
    bone(&mut s, trunk, "tail", v(-0.1, 0.0, 0.0), v(-0.15, 0.0, -0.02), 0.01);
    for (side, y) in sides() {
        let thigh = bone(
            &mut s,
            trunk,
            &format!("{side} thigh"),
            v(0.0, y * 0.05, -0.03),
            v(0.05, 0.0, -0.06),
            0.015,
        );
        let shank =
            bone(&mut s, thigh, &format!("{side} shank"), v(0.05, 0.0, -0.07), v(-0.06, 0.0, -0.07), 0.01);
        let tarsus =
            bone(&mut s, shank, &format!("{side} tarsus"), v(-0.06, 0.0, -0.08), v(0.02, 0.0, -0.07), 0.006);
        for (toe, dy) in [("inner", -0.02), ("middle", 0.0), ("outer", 0.02)] {
            let radius = if toe == "middle" { 0.006 } else { 0.005 };
            bone(
                &mut s,
                tarsus,
                &format!("{side} {toe} toe"),
                v(0.02, 0.0, -0.09),
                v(0.05, dy, -0.006),
                radius,
            );
        }
        let wing = bone(
            &mut s,
            trunk,
            &format!("{side} wing"),
            v(0.05, y * 0.06, 0.03),
            v(-0.02, y * 0.15, 0.0),
            0.01,
        );
        bone(
            &mut s,
            wing,
            &format!("{side} wing tip"),
            v(-0.02, y * 0.16, 0.0),
            v(-0.1, y * 0.12, 0.0),
            0.008,
        );
    }
    s
}

fn snake(joints: usize) -> CreatureSpec {
    let mut s = CreatureSpec::new("snake");
    let mut body = root(&mut s, "segment 0", 0.02, v(0.03, 0.02, 0.02));
    for k in 1..=joints {
        let from = if k == 1 { 0.035 } else { 0.07 };
        body = bone(&mut s, body, &format!("segment {k}"), v(from, 0.0, 0.0), v(0.06, 0.0, 0.0), 0.02);
    }
    s
}

/// A machine bolted to the ground, its hand in the air.
fn robot_arm() -> CreatureSpec {
    let mut s = CreatureSpec::new("arm");
    let mut base = BodySpec::new("base");
    base.shapes.push(ShapeSpec::new(Shape::Box { half: v(0.1, 0.1, 0.1) }));
    let mut body = s.add_body(0, base).expect("the world is there");
    for (name, along) in [
        ("shoulder", v(0.0, 0.1, 0.2)),
        ("upper", v(0.1, 0.0, 0.4)),
        ("lower", v(0.3, -0.05, 0.0)),
        ("tool", v(0.1, 0.0, -0.05)),
    ] {
        body = bone(&mut s, body, name, along * 0.9, along, 0.04);
    }
    s
}

fn all() -> Vec<CreatureSpec> {
    vec![biped(), dog(), insect(3), insect(4), bird(), snake(12), robot_arm()]
}

fn build(spec: &CreatureSpec) -> Creature {
    spec.clone().build().expect("a valid creature")
}

/// Landmark name → body name, or joint name where it marks one.
fn labels(creature: &Creature) -> BTreeMap<String, String> {
    let place = |l: &super::Landmark| match l.joint {
        Some(joint) => creature.joints()[joint].name.clone(),
        None => creature.bodies()[l.body].name.clone(),
    };
    creature.landmarks().iter().map(|l| (l.name(), place(l))).collect()
}

/// Landmark name → body and joint index.
fn places(creature: &Creature) -> BTreeMap<String, (usize, Option<usize>)> {
    creature.landmarks().iter().map(|l| (l.name(), (l.body, l.joint))).collect()
}

fn anonymous(mut spec: CreatureSpec) -> CreatureSpec {
    for (index, body) in spec.bodies.iter_mut().enumerate().skip(1) {
        body.name = format!("b{index}");
        body.joints.iter_mut().enumerate().for_each(|(k, joint)| joint.name = format!("j{index}x{k}"));
        body.sites.clear();
    }
    spec
}

fn turned(mut spec: CreatureSpec, degrees: f64) -> CreatureSpec {
    let turn = Transform::rotation(Vec3::z() * degrees.to_radians());
    for body in spec.bodies.iter_mut().skip(1).filter(|body| body.parent == 0) {
        body.parent_from_body = turn * body.parent_from_body;
    }
    spec
}

/// The creature seen in a mirror: y ↦ −y. Rotations and axes of rotation keep their y instead.
fn mirrored(mut spec: CreatureSpec) -> CreatureSpec {
    let flip = |x: &mut Transform| {
        x.translation.vector.y *= -1.0;
        let q = x.rotation.into_inner();
        x.rotation = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q.w, -q.i, q.j, -q.k));
    };
    for body in &mut spec.bodies {
        flip(&mut body.parent_from_body);
        body.shapes.iter_mut().for_each(|shape| flip(&mut shape.body_from_shape));
        body.sites.iter_mut().for_each(|site| flip(&mut site.body_from_site));
        for joint in &mut body.joints {
            joint.anchor.y *= -1.0;
            let sign = if joint.kind == JointKind::Slide { -1.0 } else { 1.0 };
            joint.axis = v(-sign * joint.axis.x, sign * joint.axis.y, -sign * joint.axis.z);
        }
    }
    spec
}

fn expect(creature: &Creature, expected: &[(&str, &str)]) {
    let found = labels(creature);
    let expected: BTreeMap<String, String> =
        expected.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
    assert_eq!(found, expected, "{}", creature.name());
}

#[test]
fn biped_has_feet_knees_hands_elbows_head_and_spine() {
    expect(
        &build(&biped()),
        &[
            ("foot.left", "left_foot"),
            ("foot.right", "right_foot"),
            ("knee.left", "left_shin joint"),
            ("knee.right", "right_shin joint"),
            ("hand.left", "left_hand"),
            ("hand.right", "right_hand"),
            ("elbow.left", "left_lower_arm joint"),
            ("elbow.right", "right_lower_arm joint"),
            ("head", "head"),
            ("spine.1", "chest joint"),
        ],
    );
}

#[test]
fn dog_has_elbows_in_front_and_knees_behind() {
    expect(
        &build(&dog()),
        &[
            ("foot.front.left", "left_front_paw"),
            ("foot.front.right", "right_front_paw"),
            ("foot.hind.left", "left_hind_paw"),
            ("foot.hind.right", "right_hind_paw"),
            ("knee.left", "left_tibia joint"),
            ("knee.right", "right_tibia joint"),
            ("elbow.left", "left_radius joint"),
            ("elbow.right", "right_radius joint"),
            ("head", "head"),
            ("tail", "tail_2"),
            ("spine.1", "loin joint"),
            ("spine.2", "chest joint"),
        ],
    );
}

/// A gun in the right hand hangs to the ground, and is no foot: legs come in pairs.
#[test]
fn a_gun_in_one_hand_is_not_a_leg() {
    let mut spec = biped();
    let hand = spec.bodies.iter().position(|body| body.name == "right_hand").expect("it has one");
    let mut barrel = ShapeSpec::new(Shape::Capsule { radius: 0.005, half_length: 0.42 });
    barrel.body_from_shape = Transform::translation(0.0, 0.0, -0.45);
    spec.bodies[hand].shapes.push(barrel);
    let found = labels(&build(&spec));
    assert_eq!(found["foot.left"], "left_foot");
    assert_eq!(found["hand.right"], "right_hand");
    assert!(!found.keys().any(|name| name.starts_with("foot.front")), "{found:?}");
}

/// Artists call the shin an upper leg and what hangs from the hock a lower one: the knee is where the leg bends forwards.
#[test]
fn a_lower_leg_below_the_hock_does_not_make_it_a_knee() {
    let mut spec = dog();
    for body in &mut spec.bodies {
        for (said, usual) in [("_femur", "_back_leg"), ("_tibia", "_upper_leg"), ("_pastern", "_lower_leg")] {
            body.name = body.name.replace(said, usual);
            body.joints.iter_mut().for_each(|joint| joint.name = joint.name.replace(said, usual));
        }
    }
    let labels = labels(&build(&spec));
    assert_eq!(labels["knee.left"], "left_upper_leg joint");
    assert_eq!(labels["knee.right"], "right_upper_leg joint");
}

#[test]
fn six_legs_have_rows_and_eight_have_numbers() {
    let six = labels(&build(&insect(3)));
    for (row, index) in [("front", 0), ("middle", 1), ("hind", 2)] {
        assert_eq!(six[&format!("foot.{row}.left")], format!("tibia_{index}_left"));
        assert_eq!(six[&format!("knee.{row}.right")], format!("tibia_{index}_right joint"));
    }
    assert_eq!(six["head"], "head");
    let eight = labels(&build(&insect(4)));
    for row in 1..=4 {
        assert_eq!(eight[&format!("foot.{row}.right")], format!("tibia_{}_right", row - 1));
        assert_eq!(eight[&format!("knee.{row}.left")], format!("tibia_{}_left joint", row - 1));
    }
}

#[test]
fn bird_stands_on_its_middle_toes_and_has_hands_at_its_wing_tips() {
    let bird = labels(&build(&anonymous(bird())));
    let names = labels(&build(&self::bird()));
    assert_eq!(names["hand.left"], "left wing tip");
    assert_eq!(names["elbow.right"], "right wing tip joint");
    assert_eq!(names["head"], "head");
    assert_eq!(names["tail"], "tail");
    assert_eq!(names["foot.left"], "left inner toe", "the first of several toes by name");
    let middle_toe = build(&self::bird()).body_index("left middle toe").expect("it has one");
    assert_eq!(bird["foot.left"], format!("b{middle_toe}"), "without names the heaviest digit");
}

#[test]
fn snake_is_all_spine_between_tail_and_head() {
    let snake = build(&snake(12));
    let found = labels(&snake);
    assert_eq!((found["tail"].as_str(), found["head"].as_str()), ("segment 0", "segment 12"));
    assert_eq!(found["spine.1"], "segment 1 joint");
    assert_eq!(found["spine.12"], "segment 12 joint");
    assert_eq!(found.len(), 14);
    assert!(snake.warnings().is_empty(), "a snake needs no feet: {:?}", snake.warnings());
}

#[test]
fn robot_arm_has_no_feet_and_says_so() {
    let arm = build(&robot_arm());
    assert!(arm.landmarks().iter().all(|l| l.role != Role::Foot), "{:?}", labels(&arm));
    assert!(arm.warnings().iter().any(|w| w.to_string().contains("no feet found")), "{:?}", arm.warnings());
}

/// The geometry alone must give what names and geometry give together. (Birds are left out: of three toes a name
/// means the first, the geometry the heaviest.)
#[test]
fn meaningless_names_change_nothing() {
    for spec in all().into_iter().filter(|spec| spec.name != "bird") {
        let named = build(&spec);
        let nameless = build(&anonymous(spec));
        assert_eq!(places(&named), places(&nameless), "{}", named.name());
        assert!(nameless.landmarks().iter().all(|l| l.source == Source::Guess && !l.reason.is_empty()));
    }
}

#[test]
fn mirroring_swaps_left_and_right_and_nothing_else() {
    for spec in all() {
        let spec = anonymous(spec);
        let (before, after) = (places(&build(&spec)), places(&build(&mirrored(spec.clone()))));
        let swap = |name: &str| match name.rsplit_once('.') {
            Some((rest, "left")) => format!("{rest}.right"),
            Some((rest, "right")) => format!("{rest}.left"),
            _ => name.into(),
        };
        let swapped: BTreeMap<_, _> = before.iter().map(|(name, place)| (swap(name), *place)).collect();
        assert_eq!(swapped, after, "{}", spec.name);
    }
}

/// A creature may be drawn facing any way. Biped and dog show it by their toes, with names or without; an insect
/// without names only by the convention.
#[test]
fn facing_is_found_from_names_or_toes() {
    for degrees in [90.0, 180.0, -90.0, 30.0] {
        for spec in [biped(), dog(), anonymous(biped()), anonymous(dog()), insect(3)] {
            let (straight, turned) = (build(&spec), build(&turned(spec.clone(), degrees)));
            assert_eq!(places(&straight), places(&turned), "{} turned by {degrees}°", spec.name);
            let told = turned.warnings().iter().any(|w| w.text.contains("faces"));
            assert!(told || degrees == 30.0 && straight.warnings().is_empty(), "{:?}", turned.warnings());
        }
    }
}

#[test]
fn names_that_say_the_wrong_side_are_reported_and_not_believed() {
    let mut spec = biped();
    for body in &mut spec.bodies {
        let swap = |name: &str| match name.split_once('_') {
            Some(("left", part)) => format!("right_{part}"),
            Some(("right", part)) => format!("left_{part}"),
            _ => name.into(),
        };
        body.name = swap(&body.name);
        body.joints.iter_mut().for_each(|joint| joint.name = swap(&joint.name));
    }
    let creature = build(&spec);
    assert_eq!(places(&creature), places(&build(&biped())), "toes say which way is forward");
    let warned = creature.warnings().iter().any(|w| w.text.contains("its name says right, but it is left"));
    assert!(warned, "{:?}", creature.warnings());
}

/// A lone letter is no side: lumbar vertebrae are called L_1, L_2.
#[test]
fn chance_letters_do_not_count() {
    let mut spec = dog();
    for (body, name) in [(2, "L_1"), (3, "R_1"), (4, "l")] {
        spec.bodies[body].name = name.into();
    }
    let creature = build(&spec);
    assert!(creature.warnings().is_empty(), "{:?}", creature.warnings());
    assert_eq!(labels(&creature)["foot.hind.left"], "left_hind_paw");
}

#[test]
fn feet_are_points_on_the_ground_mirrored_left_and_right() {
    let creature = build(&biped());
    let point = |name: &str| creature.landmark(name).expect("a biped has feet").point;
    let (left, right) = (point("foot.left"), point("foot.right"));
    assert!((left - v(right.x, -right.y, right.z)).norm() < 1e-12, "{left} {right}");
    assert!((left - v(0.08, 0.0, -0.04)).norm() < 1e-9, "middle of the sole: {left}");
}

#[test]
fn sites_with_landmark_names_win_over_guesses() {
    let mut spec = dog();
    let paw = spec.body("left_front_paw").expect("a paw");
    let site = |name: &str, x: f64| SiteSpec {
        name: name.into(),
        body_from_site: Transform::translation(x, 0.0, 0.0),
    };
    spec.bodies[paw].sites.push(site("foot.front.left", 0.123));
    let loin = spec.body("loin").expect("a loin");
    spec.bodies[loin].joints[0].name = "spine.1".into();
    let creature = build(&spec);
    let foot = creature.landmark("foot.front.left").expect("named in the file");
    assert_eq!((foot.point.x, foot.source, foot.body), (0.123, Source::File, paw));
    assert!(
        creature.landmark("spine.1").is_some() && creature.landmark("spine.2").is_none(),
        "the file numbers its spine"
    );
    assert_eq!(creature.landmarks().len(), build(&dog()).landmarks().len() - 1);
}

fn with(spec: &CreatureSpec, landmark: &str, target: &str) -> Result<Creature, crate::ModelError> {
    let mut spec = spec.clone();
    spec.landmark_overrides.push(LandmarkOverride { landmark: landmark.into(), target: target.into() });
    spec.build()
}

#[test]
fn the_user_has_the_last_word() {
    let creature = with(&dog(), "foot.front.left", "left_radius").expect("a body");
    let foot = creature.landmark("foot.front.left").expect("given");
    assert_eq!((creature.bodies()[foot.body].name.as_str(), foot.source), ("left_radius", Source::User));
    let creature = with(&dog(), "tail", "").expect("removal is fine");
    assert!(creature.landmark("tail").is_none());
    let creature = with(&dog(), "knee.hind.left", "left_pastern joint").expect("a joint");
    assert!(creature.landmark("knee.left").is_none(), "one leg has one knee");
    let knee = creature.landmark("knee.hind.left").expect("given");
    assert_eq!(creature.joints()[knee.joint.expect("a joint")].name, "left_pastern joint");
}

#[test]
fn mistakes_of_the_user_are_named_with_the_nearest_name() {
    let error = with(&dog(), "foot.front.left", "left_fornt_paw").expect_err("no such body").to_string();
    assert!(error.contains("left_fornt_paw") && error.contains("\"left_front_paw\""), "{error}");
    let error = with(&dog(), "fot.left", "head").expect_err("no such landmark").to_string();
    assert!(error.contains("fot.left") && error.contains("\"foot.left\""), "{error}");
    let error = with(&biped(), "spine.1", "pelvis").expect_err("floats").to_string();
    assert!(error.contains("no joint that turns"), "{error}");
}

/// A creature drawn with its legs up is looked at in its home pose, which turns them down.
#[test]
fn the_home_pose_is_the_one_that_counts() {
    const TURN: f64 = 2.5;
    let straight = biped();
    let mut spec = straight.clone();
    let mut qpos = build(&straight).reference_pose().to_vec();
    for thigh in ["left_thigh", "right_thigh"] {
        let body = spec.body(thigh).expect("a thigh");
        spec.bodies[body].parent_from_body.rotation = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), -TURN);
        let creature = build(&straight);
        qpos[creature.joints()[creature.bodies()[body].joints.start].q] = TURN;
    }
    let (straight, mut spec) = (anonymous(straight), anonymous(spec));
    assert_ne!(places(&build(&spec)), places(&build(&straight)), "legs in the air");
    spec.poses.push(PoseSpec { name: "other".into(), qpos: build(&spec).reference_pose().to_vec() });
    spec.poses.push(PoseSpec { name: "Home".into(), qpos });
    let creature = build(&spec);
    assert_eq!(places(&creature), places(&build(&straight)));
    let reason = &creature.landmark("foot.left").expect("a foot").reason;
    assert!(reason.contains("`Home`"), "{reason}");
}

#[test]
fn a_creature_drawn_lying_is_raised_to_its_feet() {
    let mut spec = anonymous(biped());
    // On its back along x: z ↦ x.
    spec.bodies[1].parent_from_body.rotation =
        UnitQuaternion::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
    let creature = build(&spec);
    assert_eq!(places(&creature), places(&build(&biped())));
    assert!(creature.warnings().iter().any(|w| w.text.contains("lies")), "{:?}", creature.warnings());
}

#[test]
fn landmarks_are_sorted_by_role_row_and_side() {
    for spec in all() {
        let creature = build(&spec);
        let names: Vec<LandmarkName> = creature.landmarks().iter().map(super::Landmark::key).collect();
        assert!(names.is_sorted());
        let again: Vec<LandmarkName> =
            creature.landmarks().iter().map(|l| l.name().parse().expect("its own name")).collect();
        assert_eq!(names, again, "names can be read back");
    }
}

#[test]
fn grammar_accepts_what_it_writes_and_nothing_else() {
    let good = [
        "foot.left",
        "foot.front.left",
        "knee.hind.right",
        "hand.1.left",
        "elbow.left",
        "head",
        "tail",
        "spine.1",
        "foot",
        "foot.middle",
    ];
    for text in good {
        assert_eq!(text.parse::<LandmarkName>().expect(text).to_string(), text);
    }
    let bad = [
        "",
        "Foot.left",
        "foot.left.front",
        "foot.0",
        "foot.01",
        "foot.+1",
        "foot.left.left",
        "head.left",
        "tail.1",
        "spine.front",
        "foot.",
        ".left",
        "toe.left",
    ];
    for text in bad {
        let error = text.parse::<LandmarkName>().expect_err(text);
        assert!(error.to_string().contains("role[.row][.side]"));
    }
    assert_eq!(
        "hand.2.right".parse(),
        Ok(LandmarkName { role: Role::Hand, row: Some(Row::Number(2)), side: Some(Side::Right) })
    );
}

/// Degenerate creatures must not panic: nothing, one body, everything in one point, no gravity.
#[test]
fn nothing_panics() {
    assert!(build(&CreatureSpec::new("nothing")).landmarks().is_empty());
    assert!(build(&snake(0)).landmarks().is_empty());
    let mut weightless = dog();
    weightless.gravity = Vec3::zeros();
    assert_eq!(places(&build(&weightless)), places(&build(&dog())));
    let mut sideways = biped();
    sideways.gravity = v(9.81, 0.0, 0.0);
    build(&sideways);
    let mut point = dog();
    for body in point.bodies.iter_mut().skip(1) {
        body.parent_from_body = Transform::identity();
        body.shapes = vec![ShapeSpec::new(Shape::Sphere { radius: 0.1 })];
    }
    build(&point);
    let mut far = dog();
    far.bodies[1].parent_from_body = Transform::translation(1e150, -1e150, 1e150);
    build(&far);
}

/// Bodies without offsets or shape differences: only names can tell, and both sides must be named.
#[test]
fn names_alone_are_enough_where_geometry_is_silent() {
    let mut spec = CreatureSpec::new("names");
    let hips = root(&mut spec, "Hips", 1.0, v(0.1, 0.1, 0.1));
    for name in ["LeftFoot", "RightFoot"] {
        bone(&mut spec, hips, name, v(0.0, 0.0, 0.3), v(0.0, 0.0, 0.2), 0.05);
    }
    let found = labels(&build(&spec));
    assert_eq!(found.get("foot.left").map(String::as_str), Some("LeftFoot"), "{found:?}");
    assert_eq!(found.get("foot.right").map(String::as_str), Some("RightFoot"), "{found:?}");
}

/// 100,000 joints as one snake, as a centipede and as a brush: no shape of tree may take quadratic time.
#[test]
fn a_hundred_thousand_joints_take_no_time() {
    let brush = || {
        let mut s = CreatureSpec::new("brush");
        let trunk = root(&mut s, "trunk", 1.0, v(1.0, 1.0, 0.1));
        for k in 0..100_000 {
            let (x, y) = (f64::from(k % 300) / 150.0 - 1.0, f64::from(k / 300) / 150.0 - 1.0);
            bone(&mut s, trunk, &format!("hair {k}"), v(x, y, -0.1), v(0.0, 0.0, -0.5), 0.001);
        }
        s
    };
    for spec in [snake(100_000), insect(16_000), brush()] {
        let name = spec.name.clone();
        let creature = spec.build().expect("valid");
        // Building takes its time; what counts here is to look for landmarks once more.
        let mut again = creature.clone();
        let start = std::time::Instant::now();
        super::find(&mut again, &[]).expect("no overrides");
        let taken = start.elapsed();
        assert_eq!(again.landmarks().len(), creature.landmarks().len());
        assert!(taken.as_secs_f64() < 10.0, "{name}: {taken:?}");
        println!("{name}: {} landmarks in {taken:?}", creature.landmarks().len());
    }
}

mod any_tree {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [&str; 10] =
        ["L_foot", "FR_calf", "tail", "head", "spine.1", "foot.left", "rhand", "x", "knee.1.left", "é"];

    prop_compose! {
        fn part()(
            parent in 0..1000_usize,
            at in prop::array::uniform3(-2..=2_i8),
            kind in 0..5_u8,
            name in 0..NAMES.len(),
            radius in 1..3_u8,
            collides: bool,
        ) -> (usize, Vec3, u8, usize, f64, bool) {
            (parent, v(f64::from(at[0]), f64::from(at[1]), f64::from(at[2])), kind, name, f64::from(radius), collides)
        }
    }

    fn spec(parts: Vec<(usize, Vec3, u8, usize, f64, bool)>) -> CreatureSpec {
        let mut s = CreatureSpec::new("any");
        for (index, (parent, at, kind, name, radius, collides)) in parts.into_iter().enumerate() {
            let plain = NAMES[name].to_owned();
            let unique = if s.body(&plain).is_some() { format!("{plain} {index}") } else { plain };
            let mut body = BodySpec::new(unique.clone());
            body.parent_from_body = Transform::translation(at.x, at.y, at.z);
            let parent = parent % s.bodies.len();
            let axis = [Vec3::x(), Vec3::y(), Vec3::z()][index % 3];
            match kind {
                0 => body.joints.push(JointSpec::ball(unique)),
                1 => body.joints.push(JointSpec::slide(unique, axis)),
                2 => {}
                3 if parent == 0 => body.joints.push(JointSpec::free(unique)),
                _ => body.joints.push(JointSpec::hinge(unique, axis)),
            }
            let mut shape = ShapeSpec::new(Shape::Sphere { radius });
            shape.collides = collides;
            body.shapes.push(shape);
            s.add_body(parent, body).expect("the parent is there");
        }
        s
    }

    proptest! {
        /// Whatever the tree: no panic, valid indices, the same answer twice.
        #[test]
        fn gets_labels_that_hold(parts in prop::collection::vec(part(), 0..40)) {
            let spec = spec(parts);
            let creature = build(&spec);
            for l in creature.landmarks() {
                prop_assert!(l.body < creature.bodies().len());
                prop_assert_eq!(l.joint.is_some(), l.role.is_joint());
                prop_assert!(l.joint.is_none_or(|j| creature.joints()[j].body == l.body));
                prop_assert!(l.point.iter().all(|x| x.is_finite()));
                prop_assert!(!l.reason.is_empty());
            }
            let again = build(&spec);
            prop_assert_eq!(creature.landmarks(), again.landmarks());
            prop_assert_eq!(creature.warnings(), again.warnings());
        }
    }
}
