//! The Hessian of the potential energy against differences of its gradient, and the gradient against the work done.

use gambol_dynamics::Data;
use gambol_model::samples::Random;
use gambol_model::{
    BodySpec, Creature, CreatureSpec, JointSpec, Shape, ShapeSpec, TendonSpec, Transform, Vec3,
};
use nalgebra::DVector;

use super::StandSettings;
use super::equilibrium::State;
use super::potential::{Multipliers, Problem};

/// A free trunk on two legs of a ball and a hinge each, with every kind of foot, and a tendon across the knees.
fn creature() -> Creature {
    let mut spec = CreatureSpec::new("stool");
    let mut trunk = BodySpec::new("trunk");
    trunk.parent_from_body = Transform::translation(0.0, 0.0, 1.0);
    trunk.joints.push(JointSpec::free("root"));
    trunk.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.2, 0.1, 0.1) }));
    let trunk = spec.add_body(0, trunk).unwrap();
    let feet = [
        Shape::Ellipsoid { radii: Vec3::new(0.08, 0.05, 0.03) },
        Shape::Box { half: Vec3::new(0.06, 0.04, 0.03) },
    ];
    for (side, foot) in [-1.0, 1.0].into_iter().zip(feet) {
        let mut thigh = BodySpec::new(format!("thigh {side}"));
        thigh.parent_from_body = Transform::translation(0.05 * side, 0.1 * side, 0.0);
        thigh.joints.push(JointSpec::ball(format!("hip {side}")).with_stiffness(300.0));
        let mut bone = ShapeSpec::new(Shape::Capsule { radius: 0.04, half_length: 0.15 });
        bone.body_from_shape = Transform::translation(0.0, 0.0, -0.25);
        thigh.shapes.push(bone);
        let thigh = spec.add_body(trunk, thigh).unwrap();
        let mut shank = BodySpec::new(format!("shank {side}"));
        shank.parent_from_body = Transform::translation(0.02, 0.0, -0.5);
        shank.joints.push(JointSpec::hinge(format!("knee {side}"), Vec3::y()).with_stiffness(200.0));
        let mut sole = ShapeSpec::new(foot);
        sole.body_from_shape = Transform::translation(0.03, 0.0, -0.47);
        shank.shapes.push(sole);
        spec.add_body(thigh, shank).unwrap();
    }
    spec.tendons.push(TendonSpec {
        name: "across".into(),
        terms: vec![("knee -1".into(), 1.0), ("knee 1".into(), -0.5)],
        stiffness: 40.0,
        damping: 0.0,
        rest: None,
    });
    spec.build().unwrap()
}

/// Multipliers that load all features at `q`; every other one slides.
fn loaded(problem: &mut Problem, q: &[f64], random: &mut Random) -> Multipliers {
    let (up, level, weight) = (problem.ground.up, problem.ground.level, problem.weight);
    let mut multipliers = State::at_rest(problem).multipliers;
    let touches = problem.evaluate(q, &multipliers, false).touches;
    for (index, touch) in touches.iter().enumerate() {
        let gap = touch.lowest.point.dot(&up) - level;
        multipliers.normal[index] = problem.contact_stiffness * gap + weight * (1.0 + random.unit());
        let pull = Vec3::new(random.symmetric(), random.symmetric(), 0.0) * weight;
        multipliers.tangent[index] = pull - touch.drag;
        multipliers.bound[index] = if index % 2 == 0 { 10.0 * weight } else { 0.5 * pull.norm() };
    }
    multipliers
}

/// A pose with all joints away from rest.
fn pose_of(creature: &Creature, random: &mut Random) -> Vec<f64> {
    let mut q = creature.reference_pose().to_vec();
    creature.integrate(&mut q, &random.numbers(creature.nv(), 0.2), 1.0);
    q
}

fn moved(problem: &Problem, q: &[f64], direction: &DVector<f64>, by: f64) -> Vec<f64> {
    let mut there = q.to_vec();
    problem.creature.integrate(&mut there, direction.as_slice(), by);
    there
}

#[test]
fn hessian_is_the_derivative_of_the_gradient() {
    let creature = creature();
    let mut data = Data::new(&creature);
    let pose = creature.reference_pose().to_vec();
    let mut problem = Problem::new(&creature, &mut data, &pose, &StandSettings::default()).unwrap();
    problem.scale = 0.7;
    let mut random = Random::new(5);
    let q = pose_of(&creature, &mut random);
    let multipliers = loaded(&mut problem, &q, &mut random);
    let nv = creature.nv();

    let here = problem.evaluate(&q, &multipliers, false);
    assert!(here.touches.iter().any(|touch| touch.slides && touch.normal > 0.0));
    assert!(here.touches.iter().any(|touch| !touch.slides && touch.normal > 0.0 && touch.bound > 0.0));
    let hessian = problem.hessian(&q, &here, 1.0);
    // uᵀ H u is the second derivative of E along q ⊕ t u: the rate at which u · ∇E grows.
    let step = 1e-7; // a contact lets go after some 1e-5
    for _ in 0..30 {
        let direction = DVector::from_vec(random.numbers(nv, 1.0));
        let [ahead, behind] = [step, -step].map(|by| {
            let there = moved(&problem, &q, &direction, by);
            problem.evaluate(&there, &multipliers, false).gradient.dot(&direction)
        });
        let (found, expected) = (direction.dot(&(&hessian * &direction)), (ahead - behind) / (2.0 * step));
        // Differences of a function with third derivatives of the order of its second ones, at a step of 1e-7.
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} against {expected}");
    }
}

#[test]
fn gradient_is_the_work_of_gravity_springs_and_contacts() {
    let creature = creature();
    let mut data = Data::new(&creature);
    let pose = creature.reference_pose().to_vec();
    let mut problem = Problem::new(&creature, &mut data, &pose, &StandSettings::default()).unwrap();
    let mut random = Random::new(6);
    let q = pose_of(&creature, &mut random);
    let multipliers = loaded(&mut problem, &q, &mut random);

    // The energies as `potential` states them.
    let energy = |problem: &mut Problem, q: &[f64]| {
        let kappa = problem.contact_stiffness;
        let touches = problem.evaluate(q, &multipliers, false).touches;
        let contacts: f64 = touches
            .iter()
            .map(|touch| {
                let (drag, b) = (touch.drag.norm(), touch.bound);
                let friction = if drag > b { b * drag - 0.5 * b * b } else { 0.5 * drag * drag };
                (0.5 * touch.normal * touch.normal + friction) / kappa
            })
            .sum();
        let rest = problem.creature.rest_pose().to_vec();
        let drop = problem.drop(q) - problem.drop(&rest);
        problem.elastic_energy(q) - problem.weight * drop + contacts
    };
    let gradient = problem.evaluate(&q, &multipliers, false).gradient;
    let step = 1e-7; // a contact lets go after some 1e-5
    for _ in 0..30 {
        let direction = DVector::from_vec(random.numbers(creature.nv(), 1.0));
        let [ahead, behind] = [step, -step].map(|by| {
            let there = moved(&problem, &q, &direction, by);
            energy(&mut problem, &there)
        });
        let (found, expected) = (gradient.dot(&direction), (ahead - behind) / (2.0 * step));
        assert!((found - expected).abs() < 1e-6 * gradient.norm(), "{found} against {expected}");
    }
}
