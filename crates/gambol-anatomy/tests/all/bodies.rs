//! Bodies by hand, whose feet, springs and poses at ease are known: what belongs to a foot, who is whose mate, that the
//! springs that are given hold a body up, and that lowering the arms of a recorded T leaves its recorded poses alone.

use gambol_anatomy::recording::{
    Channel, ChannelKind, RecordedBody, RecordedJoint, RecordedSkeleton, RecordingSettings, Take, embody,
    lower_arms,
};
use gambol_anatomy::{
    Heading, Legs, Measures, SpringSettings, StandSettings, diagonal_feet, feet, give_springs, heights,
    stand, stiffness_from_weight,
};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{
    BodySpec, Creature, CreatureSpec, JointSpec, Quat, Role, Shape, ShapeSpec, Side, Transform, Vec3, math,
};

fn capsule(from: Vec3, to: Vec3, radius: f64) -> ShapeSpec {
    let turn = Quat::rotation_between(&Vec3::z(), &(to - from))
        .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
    ShapeSpec {
        body_from_shape: Transform::from_parts((0.5 * (from + to)).into(), turn),
        ..ShapeSpec::new(Shape::Capsule { radius, half_length: 0.5 * (to - from).norm() })
    }
}

/// A trunk on `pairs` pairs of straight legs with knees and feet, without springs.
fn table(pairs: usize) -> Creature {
    let mut spec = CreatureSpec::new("table");
    let mut trunk = BodySpec::new("trunk");
    trunk.parent_from_body = Transform::translation(0.0, 0.0, 0.6);
    trunk.joints.push(JointSpec::free("root"));
    trunk.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.4, 0.12, 0.1) }));
    let trunk = spec.add_body(0, trunk).unwrap();
    for pair in 0..pairs {
        for (side, y) in [("left", 0.12), ("right", -0.12)] {
            let x = 0.35 - 0.7 * pair as f64 / (pairs - 1).max(1) as f64;
            let mut add = |name: &str, parent: usize, at: Vec3, end: Vec3| {
                let mut body = BodySpec::new(format!("{name}.{pair}.{side}"));
                body.parent_from_body = Transform::from_parts(at.into(), Quat::identity());
                body.joints.push(JointSpec::hinge(format!("{name}.{pair}.{side}.joint"), Vec3::y()));
                body.shapes.push(capsule(Vec3::zeros(), end, 0.03));
                spec.add_body(parent, body).unwrap()
            };
            let thigh = add("thigh", trunk, Vec3::new(x, y, -0.05), Vec3::new(0.03, 0.0, -0.25));
            let shin = add("shin", thigh, Vec3::new(0.03, 0.0, -0.25), Vec3::new(-0.03, 0.0, -0.22));
            let paw = add("paw", shin, Vec3::new(-0.03, 0.0, -0.22), Vec3::new(0.06, 0.0, 0.0));
            add("toe", paw, Vec3::new(0.06, 0.0, 0.0), Vec3::new(0.03, 0.0, 0.0));
        }
    }
    spec.build().unwrap()
}

#[test]
fn a_foot_has_its_toes_a_hip_and_a_mate() {
    let creature = table(2);
    let mut data = Data::new(&creature);
    let all = feet(&creature, &mut data, creature.reference_pose());
    assert_eq!(all.len(), 4, "{:?}", creature.landmarks());
    for (index, foot) in all.iter().enumerate() {
        let name = |body: usize| creature.bodies()[body].name.as_str();
        let own = |body: &usize| name(*body).split_once('.').unwrap().1;
        assert!(foot.bodies.iter().all(|body| own(body) == own(&foot.toe.body)), "{foot:?}");
        assert!(foot.bodies.iter().any(|&body| name(body).starts_with("toe")), "toes go with their foot");
        assert!(name(foot.hip.body).starts_with("thigh"), "{}", name(foot.hip.body));
        let mate = foot.mate.expect("left has right");
        assert_eq!(all[mate].mate, Some(index));
        assert!((all[mate].place - Vec3::new(foot.place.x, -foot.place.y, foot.place.z)).norm() < 1e-12);
        // The heel is behind the toe, and no higher.
        let heel = data.frames[foot.heel.body].point_in_world(foot.heel.point);
        assert!(heel.x < foot.place.x + 1e-12 && heel.z < foot.place.z + 0.031, "{heel} {}", foot.place);
    }
    // The same legs, seen as legs.
    let legs = Legs::new(&creature, &mut data, creature.reference_pose());
    for (leg, foot) in
        legs.legs.iter().map(|leg| (leg, all.iter().find(|foot| foot.name == leg.name).unwrap()))
    {
        assert_eq!((leg.foot, leg.point, leg.side), (foot.toe.body, foot.toe.point, foot.side));
        assert_eq!(creature.joints()[leg.joints[0]].body, foot.hip.body);
    }
    // Front left with hind right.
    let heading = Heading::of_reference(&creature, &mut data);
    let sides: Vec<_> =
        diagonal_feet(&all, &heading).into_iter().map(|foot| (foot.place.x > 0.0, foot.side)).collect();
    assert_eq!(sides, [(true, Some(Side::Left)), (false, Some(Side::Right))]);
}

#[test]
fn springs_that_are_given_hold_the_body_up() {
    let mut creature = table(2);
    let mut data = Data::new(&creature);
    let settings = SpringSettings::default();
    let given = give_springs(&mut creature, &mut data, &settings).expect("it has none");
    assert_eq!(given.joints, creature.joints().len() - 1, "all but the root");
    let com: f64 = {
        let frames = forward_kinematics(&creature, &mut data, creature.reference_pose());
        let low = heights(&creature, frames)[0];
        let moment = creature
            .bodies()
            .iter()
            .zip(frames)
            .map(|(body, frame)| body.mass.mass * frame.point_in_world(body.mass.com).z);
        moment.sum::<f64>() / creature.mass() - low
    };
    let usual = settings.stance * creature.mass() * creature.gravity().norm() * com;
    assert!((given.usual / usual - 1.0).abs() < 1e-12, "{} and {usual}", given.usual);
    for joint in &creature.joints()[1..] {
        assert!(joint.stiffness >= usual * (1.0 - 1e-12), "{}", joint.name);
        assert_eq!(joint.damping, settings.damping * joint.stiffness, "{}", joint.name);
    }
    let pose = creature.reference_pose().to_vec();
    let report = stiffness_from_weight(&creature, &mut data, &pose, &StandSettings::default()).unwrap();
    assert!(report.suffices, "it stands with {} times its springs", report.scale);
    assert!(stand(&creature, &mut data, &pose, 1.0, &StandSettings::default()).unwrap().sag < 0.05);
    // Who has springs keeps them.
    assert_eq!(give_springs(&mut creature, &mut data, &settings), None);
}

/// A person in a T: hips, spine, head, arms along ±y, legs down. Each joint but the root is a ball of three turns.
fn person() -> (RecordedSkeleton, Take) {
    let mut joints: Vec<RecordedJoint> = Vec::new();
    let mut add = |name: &str, parent: Option<&str>, offset: [f64; 3], end: Option<[f64; 3]>| {
        let first = 3 * joints.len();
        let turn = |(k, axis): (usize, Vec3)| Channel {
            kind: ChannelKind::Turn,
            axis,
            column: first + k,
            limit: None,
        };
        let channels = [Vec3::z(), Vec3::x(), Vec3::y()].into_iter().enumerate().map(turn).collect();
        let parent = parent.map(|parent| joints.iter().position(|joint| joint.name == parent).unwrap());
        joints.push(RecordedJoint {
            name: name.to_owned(),
            parent,
            offset: offset.into(),
            ends: end.into_iter().map(Vec3::from).collect(),
            axes: Quat::identity(),
            channels,
            whole_place: false,
            fixed: false,
        });
    };
    add("Hips", None, [0.0, 0.0, 0.95], None);
    add("Chest", Some("Hips"), [0.0, 0.0, 0.3], None);
    add("Head", Some("Chest"), [0.0, 0.0, 0.3], Some([0.0, 0.0, 0.15]));
    for (side, y) in [("Left", 1.0), ("Right", -1.0)] {
        let named = |part: &str| format!("{side}{part}");
        add(&named("Arm"), Some("Chest"), [0.0, 0.18 * y, 0.2], None);
        add(&named("ForeArm"), Some(&named("Arm")), [0.0, 0.28 * y, 0.0], None);
        add(&named("Hand"), Some(&named("ForeArm")), [0.0, 0.25 * y, 0.0], Some([0.0, 0.15 * y, 0.0]));
        add(&named("UpLeg"), Some("Hips"), [0.0, 0.1 * y, -0.05], None);
        add(&named("Leg"), Some(&named("UpLeg")), [0.0, 0.0, -0.42], None);
        add(&named("Foot"), Some(&named("Leg")), [0.0, 0.0, -0.42], Some([0.15, 0.0, -0.05]));
    }
    let columns = 3 * joints.len();
    // Three frames that turn everything a little.
    let numbers = (0..3 * columns).map(|k| 0.1 * math::sin(k as f64)).collect();
    (RecordedSkeleton { joints }, Take { step: 0.01, columns, numbers })
}

fn places(creature: &Creature, pose: &[f64]) -> Vec<Vec3> {
    let mut data = Data::new(creature);
    forward_kinematics(creature, &mut data, pose).iter().map(|frame| frame.position).collect()
}

#[test]
fn arms_of_a_recorded_t_hang_down_and_its_poses_stay() {
    let (skeleton, take) = person();
    let RecordedBody { spec, poses, .. } = embody(
        "person",
        skeleton,
        &take,
        Some(1.0),
        &Measures::default(),
        &[],
        &RecordingSettings::default(),
    )
    .unwrap();
    let drawn = spec.clone().build().unwrap();
    let mut eased = spec;
    assert!(lower_arms(&mut eased));
    let eased = eased.build().unwrap();
    let hand = |creature: &Creature, side: Side| {
        let mark =
            creature.landmarks().iter().find(|mark| mark.role == Role::Hand && mark.side == Some(side));
        mark.expect("it has hands").body
    };
    for side in [Side::Left, Side::Right] {
        let at = hand(&eased, side);
        let (before, after) =
            (places(&drawn, drawn.reference_pose())[at], places(&eased, eased.reference_pose())[at]);
        assert!(before.z - after.z > 0.4, "the hand comes down: {before} and {after}");
        assert!(
            after.y.abs() > 0.15 && after.y.signum() == before.y.signum(),
            "and stays on its side: {after}"
        );
    }
    // The recorded poses, and that of the file, are where they were.
    let same = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-12);
    let first = eased.pose("first").expect("it has one");
    assert!(same(&places(&drawn, &poses[0]), &places(&eased, first)));
    let file = eased.pose("file").expect("it is kept");
    assert!(same(&places(&drawn, drawn.reference_pose()), &places(&eased, file)));
    // Who lets the arms hang already is left alone.
    let mut again = CreatureSpec::new("none");
    assert!(!lower_arms(&mut again));
}

#[test]
fn a_body_is_as_its_settings_say() {
    let made = |settings: &RecordingSettings| {
        let (skeleton, take) = person();
        embody("person", skeleton, &take, None, &Measures::default(), &[], settings)
    };
    let mut settings = RecordingSettings::default();
    let mass = |settings: &RecordingSettings| made(settings).unwrap().spec.build().unwrap().mass();
    let usual = mass(&settings);
    settings.flesh.trunk_radii = settings.flesh.trunk_radii.map(|radius| 1.2 * radius);
    settings.flesh.trunk *= 1.2;
    assert!(mass(&settings) > 1.1 * usual, "{} and {usual}", mass(&settings));
    settings.size.sure = 0.5;
    let error = made(&settings).unwrap_err().to_string();
    assert_eq!(error, "RecordedSizeSettings.sure: 0.5 is not a finite number of at least 1");
}
