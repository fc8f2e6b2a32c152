//! Pulling at creatures of the gallery: closed loops stay closed, and whatever is pulled however far, poses stay poses. In a
//! basis of all vibrations a creature reaches as its springs do, limits included, and in one of a few it gives way no more than these must.

use gambol::LoadOptions;
use gambol::dynamics::{
    Data, Goal, Hold, Reached, constraint_residual, forward_kinematics, point_jacobian, reach,
};
use gambol::model::samples::Random;
use gambol::model::{
    BodyPoint, BodySpec, Creature, CreatureSpec, JointKind, JointSpec, Quat, Shape, ShapeSpec, Transform,
    Vec3, svd,
};
use gambol::modes::{Settings, analyze};
use gambol::motion::Basis;
use gambol::nalgebra::{DMatrix, DVector, Quaternion};

#[test]
fn closed_loops_stay_closed() {
    let creature = gambol::load("loop", &LoadOptions::default()).unwrap();
    let pose = creature.reference_pose().to_vec();
    let mut data = Data::new(&creature);
    forward_kinematics(&creature, &mut data, &pose);
    let body = creature.bodies().len() / 2;
    let place = data.frames[body].position;
    let size = (place - data.frames[1].position).norm();
    let goal = Goal {
        point: BodyPoint { body, point: Vec3::zeros() },
        target: place + 0.2 * (data.frames[1].position - place),
    };
    let reached = reach(&creature, &mut data, &pose, &[goal], Hold::Root);
    let open = constraint_residual(&creature, &mut data, &reached.pose, creature.constraints());
    // The goals and the closing share one softness: a millionth of the way.
    assert!(open.amax() < 1e-4 * size, "{}", open.amax());
    assert!(reached.miss < 0.02 * size, "{} of {size}", reached.miss);
}

#[test]
fn no_pull_breaks_a_creature() {
    for name in gambol::gallery::names() {
        let creature = gambol::load(name, &LoadOptions::default()).unwrap();
        let mut data = Data::new(&creature);
        let few = vibrations(&creature).truncated(8);
        let mut random = Random::new(7);
        for _ in 0..20 {
            let body = 1 + random.below(creature.bodies().len() - 1);
            let goal =
                Goal { point: BodyPoint { body, point: random.vector(0.2) }, target: random.vector(3.0) };
            for hold in [Hold::Root, Hold::Goals] {
                let by_springs = reach(&creature, &mut data, creature.reference_pose(), &[goal], hold);
                let by_modes = few.reach(&creature, &mut data, &[goal], hold).unwrap();
                for reached in [by_springs, by_modes] {
                    creature.checked_pose(name, &reached.pose).unwrap();
                    stays_within_limits(&creature, &reached.pose);
                }
            }
        }
    }
}

fn vibrations(creature: &Creature) -> Basis {
    let pose = creature.reference_pose().to_vec();
    analyze(creature, &mut Data::new(creature), &pose, &Settings::default()).unwrap()
}

/// Those that were within them before.
fn stays_within_limits(creature: &Creature, pose: &[f64]) {
    let name = creature.name();
    for joint in creature.joints() {
        let Some([low, high]) = joint.limit else { continue };
        let angle = |pose: &[f64]| match joint.kind {
            JointKind::Ball => {
                let [w, x, y, z] = [0, 1, 2, 3].map(|k| pose[joint.q + k]);
                Quat::new_normalize(Quaternion::new(w, x, y, z)).angle()
            }
            _ => pose[joint.q],
        };
        let (before, after) = (angle(creature.reference_pose()), angle(pose));
        let low = if joint.kind == JointKind::Ball { 0.0 } else { low.min(before) };
        let within = low - 1e-9..=high.max(before) + 1e-9;
        assert!(within.contains(&after), "{name}: {} at {after}", joint.name);
    }
}

/// An arm of five bones that is fixed to the world; its hinges turn about y and z in turn, with springs of their own.
fn arm(limit: Option<[f64; 2]>) -> Creature {
    let mut spec = CreatureSpec::new("arm");
    let mut parent = 0;
    for k in 0..5_u8 {
        let mut bone = BodySpec::new(format!("bone{k}"));
        bone.parent_from_body = Transform::translation(if k == 0 { 0.0 } else { 0.3 }, 0.0, 0.0);
        parent = spec.add_body(parent, bone).unwrap();
        let axis = if k % 2 == 0 { Vec3::y() } else { Vec3::z() };
        let mut joint = JointSpec::hinge(format!("joint{k}"), axis).with_stiffness(10.0 + 7.0 * f64::from(k));
        joint.limit = limit.filter(|_| k % 2 == 0);
        spec.bodies[parent].joints.push(joint);
        let mut shape = ShapeSpec::new(Shape::Capsule { radius: 0.03, half_length: 0.1 });
        shape.body_from_shape = Transform::translation(0.15, 0.0, 0.0);
        spec.bodies[parent].shapes.push(shape);
    }
    spec.build().unwrap()
}

const HAND: BodyPoint = BodyPoint { body: 5, point: Vec3::new(0.3, 0.0, 0.0) };

#[test]
fn all_vibrations_reach_as_the_springs_do() {
    // ½ Σ (x/σ)² over all vibrations is ½ δᵀ K δ in other coordinates, and hinges turn the same: one minimum, found on two ways.
    for (limit, on_limits) in [(None, 0), (Some([-0.35, 0.35]), 1)] {
        let creature = arm(limit);
        let (pose, basis) = (creature.reference_pose(), vibrations(&creature));
        let mut data = Data::new(&creature);
        for target in [Vec3::new(1.2, 0.5, -0.5), Vec3::new(1.15, -0.6, 0.45)] {
            let goals = [Goal { point: HAND, target }];
            let springs = reach(&creature, &mut data, pose, &goals, Hold::Root);
            let modes = basis.reach(&creature, &mut data, &goals, Hold::Root).unwrap();
            let gap = springs.pose.iter().zip(&modes.pose).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // The goals' softness is the same share of two measures of what gives way.
            assert!(gap < 1e-4, "{limit:?}: {:?} and {:?}", springs.pose, modes.pose);
            let on = |pose: &[f64]| pose.iter().filter(|x| (x.abs() - 0.35).abs() < 1e-5).count();
            assert!(
                on(&springs.pose) >= on_limits && on(&springs.pose) == on(&modes.pose),
                "{:?}",
                modes.pose
            );
            assert!(modes.miss < 1e-4, "{}", modes.miss);
        }
    }
}

#[test]
fn all_vibrations_miss_what_the_springs_miss() {
    // Out of reach with three joints on their limits: the least miss is the same, whichever way it is found.
    let creature = arm(Some([-0.35, 0.35]));
    let (pose, basis) = (creature.reference_pose(), vibrations(&creature));
    let mut data = Data::new(&creature);
    for target in [Vec3::new(0.9, 0.5, -0.8), Vec3::new(1.0, -0.4, 0.7)] {
        let goals = [Goal { point: HAND, target }];
        let springs = reach(&creature, &mut data, pose, &goals, Hold::Root);
        let modes = basis.reach(&creature, &mut data, &goals, Hold::Root).unwrap();
        assert!(springs.miss > 0.01, "{}", springs.miss);
        assert!((springs.miss - modes.miss).abs() < 1e-3, "{springs:?} and {modes:?}");
    }
}

#[test]
fn a_few_vibrations_give_way_as_little_as_they_can() {
    // At the least of ½ Σ (x/σ)² a force at the hand holds every direction: x/σ² = (J B)ᵀ λ. Solved for λ by least squares at what was found.
    let creature = arm(None);
    let basis = vibrations(&creature).truncated(4);
    let mut data = Data::new(&creature);
    let goals = [Goal { point: HAND, target: Vec3::new(1.1, 0.4, -0.6) }];
    let Reached { pose, miss, coordinates, .. } =
        basis.reach(&creature, &mut data, &goals, Hold::Root).unwrap();
    assert!(miss < 1e-4, "{miss}");
    assert_eq!(pose, basis.pose(&creature, &coordinates).unwrap());
    let forces = basis
        .directions()
        .iter()
        .zip(&coordinates)
        .map(|(direction, x)| x / (direction.spread * direction.spread));
    let forces = DVector::from_iterator(4, forces);
    forward_kinematics(&creature, &mut data, &pose);
    let at = data.frames[HAND.body].point_in_world(HAND.point);
    let mut jacobian = DMatrix::zeros(3, creature.nv());
    point_jacobian(&creature, &data, HAND.body, at, &mut jacobian);
    let of_directions = (jacobian * basis.jacobian(&creature, &coordinates).unwrap()).transpose();
    let force = svd(of_directions.clone()).unwrap().solve(&forces, 1e-12).unwrap();
    let left = (of_directions * force - &forces).norm() / forces.norm();
    assert!(left < 1e-4, "{left}"); // the iteration ends within 1e-9 rad, the goal's softness is 1e-6 of it
}
