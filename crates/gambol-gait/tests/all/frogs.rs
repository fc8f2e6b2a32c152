//! Who has hind legs for leaping leaps when asked to run, by the lengths of its legs alone: both hind feet together, both
//! front feet together, and a word about it. Dogs gallop.

use gambol_dynamics::Data;
use gambol_gait::{Design, Wish, prepare};
use gambol_model::{BodySpec, Creature, CreatureSpec, JointSpec, Shape, ShapeSpec, Transform, Vec3};
use nalgebra::{Translation3, UnitQuaternion};

/// A low body on four legs, the hind ones `longer` times as long as the front ones, their knees `ahead` of hip and foot, m.
fn frog(longer: f64, ahead: f64, names: [&str; 2]) -> Creature {
    let at = |p: Vec3| Transform::from_parts(Translation3::from(p), UnitQuaternion::identity());
    let capsule = |to: Vec3, radius: f64| {
        let turn = UnitQuaternion::rotation_between(&Vec3::z(), &to)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
        let mut shape = ShapeSpec::new(Shape::Capsule { radius, half_length: 0.5 * to.norm() });
        shape.body_from_shape = Transform::from_parts((0.5 * to).into(), turn);
        shape
    };
    let (front, hip) = (0.1, 0.09); // m: length of a front leg's bones together, height of all hips
    let mut spec = CreatureSpec::new("frog");
    let mut trunk = BodySpec::new("trunk");
    trunk.parent_from_body = at(Vec3::new(0.0, 0.0, hip));
    trunk.shapes.push(capsule(Vec3::new(-0.12, 0.0, 0.0), 0.03));
    trunk.joints.push(JointSpec::free("root"));
    let trunk = spec.add_body(0, trunk).unwrap();
    for (pair, name) in names.into_iter().enumerate() {
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            // Two bones of equal length that meet at a knee ahead of the upright from hip to foot.
            let bone = if pair == 0 { 0.5 * front } else { 0.5 * front * longer };
            let down = 0.5 * (hip - 0.01);
            let knee = if pair == 0 { (bone * bone - down * down).max(0.0).sqrt() } else { ahead };
            let thigh = Vec3::new(knee, 0.0, -down);
            let shin = Vec3::new(-knee, 0.0, -down);
            let mut parent = trunk;
            let mut place = at(Vec3::new(-0.12 * pair as f64, 0.035 * sign, 0.0));
            for (part, joint, to) in [
                ("thigh", "hip", thigh),
                ("shin", "knee", shin),
                ("foot", "ankle", Vec3::new(0.03, 0.0, -0.005)),
            ] {
                let mut body = BodySpec::new(format!("{part}.{name}.{side}"));
                body.parent_from_body = place;
                body.shapes.push(capsule(to, 0.006));
                let joint_name = format!("{joint}.{name}.{side}");
                body.joints.push(if joint == "hip" {
                    JointSpec::ball(joint_name).with_stiffness(0.3)
                } else {
                    JointSpec::hinge(joint_name, Vec3::y()).with_stiffness(0.3)
                });
                parent = spec.add_body(parent, body).unwrap();
                place = at(to);
            }
        }
    }
    spec.build().unwrap()
}

fn run(creature: Creature) -> Design {
    let mut data = Data::new(&creature);
    prepare(creature, &mut data, "run", |_| (), &Wish::default()).unwrap().1
}

#[test]
fn long_folded_hind_legs_leap() {
    let Design { gait, hints } = run(frog(2.2, 0.1, ["front", "hind"]));
    let phase = |row: &str, side: &str| gait.ground.footfalls[&format!("foot.{row}.{side}")];
    for row in ["front", "hind"] {
        assert_eq!(phase(row, "left"), phase(row, "right"), "{row}");
    }
    assert_eq!((phase("front", "left") - phase("hind", "left")).abs(), 0.5);
    assert!(hints.iter().any(|hint| hint.contains("leaps")), "{hints:?}");
}

#[test]
fn others_gallop() {
    let dog = gambol::load("dog", &gambol::LoadOptions::default()).unwrap();
    // Legs alike; and hind legs that are longer, but hardly folded.
    for (what, creature) in [("alike", frog(1.0, 0.03, ["front", "hind"])), ("dog", dog)] {
        let Design { gait, hints } = run(creature);
        let phase = |side: &str| gait.ground.footfalls[&format!("foot.hind.{side}")];
        assert!(phase("left") != phase("right"), "{what}: {:?}", gait.ground.footfalls);
        assert!(!hints.iter().any(|hint| hint.contains("leaps")), "{what}: {hints:?}");
    }
}
