//! Stiffness from weight against closed forms: pendulum that buckles, cantilever, two-link arm, mast on a base, rocker,
//! and a pair of legs that slide on too little friction.

use gambol_anatomy::{
    Stand, StandSettings, StandStatus, WeightError, WeightReport, WeightStatus, stand, stiffness_from_weight,
};
use gambol_dynamics::{Data, bias_forces, passive_forces};
use gambol_model::math;
use gambol_model::samples::{TreeKind, random_tree};
use gambol_model::{
    BodySpec, Creature, CreatureSpec, InertiaSpec, JointSpec, MassProperties, Mat3, Shape, ShapeSpec,
    Transform, Vec3,
};

const G: f64 = 9.81;

fn mass_at(mass: f64, com: Vec3) -> InertiaSpec {
    InertiaSpec::Given(MassProperties { mass, com, inertia: Mat3::identity() * 0.01 * mass })
}

/// A link on the world: a joint at the origin, all mass at `com`.
fn link(joint: JointSpec, mass: f64, com: Vec3) -> Creature {
    let mut spec = CreatureSpec::new("link");
    let mut body = BodySpec::new("link");
    body.joints.push(joint);
    body.inertia = mass_at(mass, com);
    spec.add_body(0, body).unwrap();
    spec.build().unwrap()
}

fn settle(creature: &Creature, scale: f64, settings: &StandSettings) -> Stand {
    stand(creature, &mut Data::new(creature), creature.reference_pose(), scale, settings).unwrap()
}

fn search(creature: &Creature, settings: &StandSettings) -> WeightReport {
    stiffness_from_weight(creature, &mut Data::new(creature), creature.reference_pose(), settings).unwrap()
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} against {expected}");
}

/// The root of a function that grows, between two numbers.
fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

#[test]
fn a_pendulum_upside_down_buckles_below_weight_times_height() {
    let (k, m, d) = (20.0, 3.0, 0.4);
    for joint in [JointSpec::hinge("pivot", Vec3::y()), JointSpec::ball("pivot")] {
        // A ball may spin about the vertical: its spring there is never used.
        let creature = link(joint.with_stiffness(k), m, Vec3::new(0.0, 0.0, d));
        let critical = m * G * d / k;
        let settings = StandSettings { reserve: 0.0, precision: 1e-4, ..StandSettings::default() };
        let report = search(&creature, &settings);
        assert_eq!(report.status, WeightStatus::Found);
        assert_close(report.scale, critical, 3e-4); // precision, and as much that counts as neutral
        assert_eq!(report.stand.sag, 0.0);
        assert_eq!(report.below.unwrap().status, StandStatus::Unstable);
        assert_close(report.groups[0].after, m * G * d, 3e-4);
        let with_reserve = search(&creature, &StandSettings { reserve: 0.1, ..settings });
        assert_close(with_reserve.scale, 1.1 * critical, 3e-4);

        // A little below it leans: k θ = m g d sin θ.
        let leaning = settle(&creature, 0.99 * critical, &StandSettings::default());
        assert_eq!(leaning.status, StandStatus::Leans);
        let angle = root(0.1, 1.0, |x| 0.99 * x - math::sin(x));
        assert_close(leaning.deflection(), angle, 1e-6);
        // Far below it falls: by so much that nothing is left of the posture.
        assert_eq!(
            settle(&creature, 0.3 * critical, &StandSettings::default()).status,
            StandStatus::Collapses
        );
    }
}

#[test]
fn a_cantilever_sags_by_the_root_of_its_equation() {
    let (k, m, d) = (40.0, 2.0, 0.5);
    for joint in [JointSpec::hinge("root", Vec3::y()), JointSpec::ball("root")] {
        let creature = link(joint.with_stiffness(k), m, Vec3::new(d, 0.0, 0.0));
        for scale in [0.5, 1.0, 30.0] {
            let found = settle(&creature, scale, &StandSettings::default());
            let angle = root(0.0, 1.5, |x| scale * k * x - m * G * d * math::cos(x));
            assert_close(found.deflection(), angle, 1e-8);
            assert_close(found.drop, d * math::sin(angle), 1e-8);
            assert_close(found.elastic_energy, 0.5 * scale * k * angle * angle, 1e-7);
        }
        // Its size is d: the centre of mass may drop by 5 % of that.
        let angle = math::asin(0.05);
        let report = search(&creature, &StandSettings { precision: 1e-4, ..StandSettings::default() });
        assert_close(report.scale, m * G * d * math::cos(angle) / (k * angle), 2e-4);
        assert_eq!(report.suffices, report.scale <= 1.0);
        assert_eq!(report.below.unwrap().status, StandStatus::Sags);
    }
}

#[test]
fn a_two_link_arm_sags_as_another_solver_says() {
    let mut spec = CreatureSpec::new("arm");
    let mut upper = BodySpec::new("upper");
    upper.joints.push(JointSpec::hinge("shoulder", Vec3::y()).with_stiffness(30.0));
    upper.inertia = mass_at(2.0, Vec3::new(0.3, 0.0, 0.0));
    let upper = spec.add_body(0, upper).unwrap();
    let mut lower = BodySpec::new("lower");
    lower.parent_from_body = Transform::translation(0.5, 0.0, 0.0);
    lower.joints.push(JointSpec::hinge("elbow", Vec3::y()).with_stiffness(12.0));
    lower.inertia = mass_at(1.0, Vec3::new(0.25, 0.0, 0.0));
    spec.add_body(upper, lower).unwrap();
    let found = settle(&spec.build().unwrap(), 1.0, &StandSettings::default());
    // scipy.optimize.fsolve on the two moment equations.
    assert_eq!(found.deflections[0].name, "shoulder");
    assert_close(found.deflections[0].amount, 0.400_041_484_225_731_9, 1e-9);
    assert_close(found.deflections[1].amount, 0.171_854_139_550_463_83, 1e-9);
    assert!(found.reactions.is_empty());
}

/// A mast on a box that stands on the ground: everything below the mast is rigid.
fn mast(half_width: f64, lean: f64) -> Creature {
    let mut spec = CreatureSpec::new("mast");
    let mut base = BodySpec::new("base");
    base.parent_from_body = Transform::translation(0.3, -0.2, 0.05);
    base.joints.push(JointSpec::free("root"));
    base.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(half_width, half_width, 0.05) }));
    base.inertia = mass_at(2.0, Vec3::zeros());
    let base = spec.add_body(0, base).unwrap();
    let mut mast = BodySpec::new("mast");
    mast.parent_from_body = Transform::translation(0.0, 0.0, 0.05);
    mast.joints.push(JointSpec::hinge("foot of the mast", Vec3::y()).with_stiffness(10.0));
    mast.inertia = mass_at(1.5, Vec3::new(lean, 0.0, 0.6));
    spec.add_body(base, mast).unwrap();
    spec.build().unwrap()
}

#[test]
fn a_mast_on_a_broad_base_buckles_as_if_the_base_were_the_world() {
    let creature = mast(0.2, 0.0);
    let settings = StandSettings { reserve: 0.0, precision: 1e-4, ..StandSettings::default() };
    let report = search(&creature, &settings);
    assert_close(report.scale, 1.5 * G * 0.6 / 10.0, 1e-3);
    let ground = &report.stand.reactions[0];
    assert_eq!((report.stand.reactions.len(), ground.name.as_str(), ground.points), (1, "base", 4));
    assert_close(ground.normal, report.stand.weight, 1e-8);
    assert!(ground.tangential < 1e-8 * report.stand.weight);
}

#[test]
fn a_mast_that_leans_over_the_edge_of_its_base_never_stands() {
    // Its centre of mass lies 1.5/3.5 of the lean away from the middle.
    let near = search(&mast(0.1, 0.2), &StandSettings::default());
    assert_eq!(near.status, WeightStatus::Found, "{:?}", near.attempts);
    let report = search(&mast(0.1, 0.26), &StandSettings::default());
    assert_eq!(report.status, WeightStatus::NeverStands);
    assert!(!report.suffices);
}

/// A body with a spherical foot of radius 0.3, its centre of mass `above` the middle of the sphere.
fn rocker(above: f64) -> Creature {
    let mut spec = CreatureSpec::new("rocker");
    let mut body = BodySpec::new("body");
    body.parent_from_body = Transform::translation(0.0, 0.0, 0.3);
    body.joints.push(JointSpec::free("root"));
    body.shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.3 }));
    body.inertia = mass_at(1.0, Vec3::new(0.0, 0.0, above));
    let body = spec.add_body(0, body).unwrap();
    let mut bob = BodySpec::new("bob");
    bob.joints.push(JointSpec::ball("neck").with_stiffness(50.0));
    bob.inertia = mass_at(0.001, Vec3::new(0.0, 0.0, 0.01));
    spec.add_body(body, bob).unwrap();
    spec.build().unwrap()
}

#[test]
fn a_rocker_rights_itself_if_its_weight_is_below_the_middle_of_its_foot() {
    let low = search(&rocker(-0.01), &StandSettings::default());
    assert_eq!(low.stand.status, StandStatus::Stands);
    let high = search(&rocker(0.01), &StandSettings::default());
    assert_eq!((high.status, high.stand.status), (WeightStatus::NeverStands, StandStatus::Unstable));
}

/// Two massless legs in a plane, `angle` apart from the vertical, under a mass that cannot turn.
fn legs(angle: f64) -> Creature {
    let mut spec = CreatureSpec::new("legs");
    let mut hip = BodySpec::new("hip");
    hip.parent_from_body = Transform::translation(0.0, 0.0, math::cos(angle));
    hip.joints.push(JointSpec::slide("x", Vec3::x()));
    hip.joints.push(JointSpec::slide("z", Vec3::z()));
    hip.inertia = mass_at(4.0, Vec3::zeros());
    let hip = spec.add_body(0, hip).unwrap();
    for side in [-1.0, 1.0] {
        let mut leg = BodySpec::new(format!("leg {side}"));
        leg.joints.push(JointSpec::hinge(format!("hip {side}"), Vec3::y()).with_stiffness(100.0));
        let mut foot = ShapeSpec::new(Shape::Sphere { radius: 1e-9 });
        foot.body_from_shape = Transform::translation(side * math::sin(angle), 0.0, -math::cos(angle));
        leg.shapes.push(foot);
        leg.inertia = mass_at(1e-9, Vec3::zeros());
        spec.add_body(hip, leg).unwrap();
    }
    spec.build().unwrap()
}

#[test]
fn legs_hold_by_friction_or_slide_until_the_springs_hold() {
    // Without slip the legs are a rigid triangle that needs T = N tan 30° = 0.577 N.
    let angle = 30_f64.to_radians();
    let creature = legs(angle);
    let held = settle(&creature, 1.0, &StandSettings { friction: 0.6, ..StandSettings::default() });
    assert_eq!(held.status, StandStatus::Stands);
    assert!(held.deflection() < 1e-6);
    let load = 0.5 * held.weight;
    for foot in &held.reactions {
        assert_close(foot.normal, load, 1e-6);
        assert_close(foot.tangential, load * math::tan(angle), 1e-5);
        assert!(!foot.slides);
    }
    // With less, each leg spreads by δ until N sin(α + δ) − μ N cos(α + δ) = k δ (the legs are 1 m long).
    let friction = 0.4;
    let slid = settle(&creature, 1.0, &StandSettings { friction, ..StandSettings::default() });
    let moment = |x: f64| load * (math::sin(angle + x) - friction * math::cos(angle + x));
    let spread = root(0.0, 1.0, |x| 100.0 * x - moment(x));
    assert_close(slid.deflection(), spread, 1e-4); // μ N is met to 1e-5 of the weight
    for foot in &slid.reactions {
        assert!(foot.slides);
        assert_close(foot.tangential, friction * foot.normal, 1e-4);
    }
}

#[test]
fn moments_balance_at_every_joint_of_random_trees() {
    let mut kept = 0;
    for (seed, k) in (0..40).zip(0usize..) {
        let bodies = 1 + k % 12;
        let mut tree = random_tree(seed, TreeKind { bodies, free_root: false, armature: false });
        let pose = tree.reference_pose().to_vec();
        let mut data = Data::new(&tree);
        for scale in [3.0, 30.0, 300.0] {
            let found = match stand(&tree, &mut data, &pose, scale, &StandSettings::default()) {
                Ok(found) => found,
                // Its root may slide or turn without a parent: then there is nothing below it.
                Err(WeightError::NothingToStandOn) => continue,
                // Of one body without a joint.
                Err(WeightError::Rigid) if tree.nv() == 0 => continue,
                Err(error) => panic!("tree {seed}: {error}"),
            };
            if !matches!(found.status, StandStatus::Stands | StandStatus::Leans | StandStatus::Sags) {
                continue;
            }
            kept += 1;
            tree.set_rest_pose(&pose).unwrap();
            let still = vec![0.0; tree.nv()];
            let gravity = bias_forces(&tree, &mut data, &found.qpos, &still).to_vec();
            let springs = passive_forces(&tree, &mut data, &found.qpos, &still);
            let off = gravity.iter().zip(springs).map(|(g, s)| (g - scale * s).abs()).fold(0.0, f64::max);
            assert!(off < 1e-8 * found.weight * found.height.max(1.0), "tree {seed} at {scale}: {off}");
        }
    }
    assert!(kept > 60, "only {kept} of 120");
}

#[test]
fn bad_input_is_an_error() {
    let creature = link(JointSpec::hinge("pivot", Vec3::y()).with_stiffness(1.0), 1.0, Vec3::x());
    let mut data = Data::new(&creature);
    let settings = StandSettings::default();
    assert!(matches!(stand(&creature, &mut data, &[0.0, 1.0], 1.0, &settings), Err(WeightError::Pose(_))));
    assert!(matches!(stand(&creature, &mut data, &[f64::NAN], 1.0, &settings), Err(WeightError::Pose(_))));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = stand(&creature, &mut data, &[0.0], scale, &settings).unwrap_err();
        assert!(matches!(error, WeightError::Setting { name: "scale", .. }), "{scale}: {error}");
    }
    let broken = StandSettings { sag: f64::NAN, ..settings };
    let error = stiffness_from_weight(&creature, &mut data, &[0.0], &broken).unwrap_err();
    assert!(matches!(error, WeightError::Setting { name: "sag", .. }), "{error}");

    let limp = link(JointSpec::hinge("pivot", Vec3::y()), 1.0, Vec3::x());
    let error = stiffness_from_weight(&limp, &mut Data::new(&limp), &[0.0], &settings).unwrap_err();
    assert_eq!(error, WeightError::NoStiffness { joint: "pivot".into() });

    let mut spec = CreatureSpec::new("bones");
    let mut first = BodySpec::new("first");
    first.joints.push(JointSpec::free("root"));
    first.inertia = mass_at(1.0, Vec3::x());
    let first = spec.add_body(0, first).unwrap();
    let mut second = BodySpec::new("second");
    second.joints.push(JointSpec::hinge("pivot", Vec3::y()).with_stiffness(1.0));
    second.inertia = mass_at(1.0, -Vec3::x());
    spec.add_body(first, second).unwrap();
    let bones = spec.build().unwrap();
    let pose = bones.reference_pose();
    let error = stiffness_from_weight(&bones, &mut Data::new(&bones), pose, &settings).unwrap_err();
    assert_eq!(error, WeightError::NothingToStandOn);

    let mut spec = CreatureSpec::new("in space");
    spec.gravity = Vec3::zeros();
    let mut body = BodySpec::new("body");
    body.joints.push(JointSpec::hinge("pivot", Vec3::y()).with_stiffness(1.0));
    body.inertia = mass_at(1.0, Vec3::x());
    spec.add_body(0, body).unwrap();
    let space = spec.build().unwrap();
    let error = stiffness_from_weight(&space, &mut Data::new(&space), &[0.0], &settings).unwrap_err();
    assert_eq!(error, WeightError::Weightless);
}

/// Bisection to a precision that numbers do not have went on for ever: the middle of two neighbours is one of them.
#[test]
fn the_search_ends_where_numbers_do() {
    let creature = link(JointSpec::hinge("pivot", Vec3::y()).with_stiffness(1.0), 1.0, Vec3::x());
    let exact =
        search(&creature, &StandSettings { precision: f64::MIN_POSITIVE, ..StandSettings::default() });
    let usual = search(&creature, &StandSettings::default());
    assert_eq!(exact.status, WeightStatus::Found);
    assert!(exact.scale <= usual.scale, "{} and {}", exact.scale, usual.scale);
    assert_close(exact.scale, usual.scale, 0.01);
}
