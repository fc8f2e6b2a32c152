//! The same creature gives the same modes: sign, order and the choice among equal frequencies do not depend on the
//! order of bodies in the file, on the direction of joint axes, on which side is written first, or on the last bits.

use std::collections::HashMap;

use gambol::dynamics::{Data, body_velocities};
use gambol::formats::load_str;
use gambol::gallery;
use gambol::model::math;
use gambol::model::samples::Random;
use gambol::model::{BodySpec, ConstraintKind, Creature, CreatureSpec, InertiaSpec, JointKind, Vec3};
use gambol::modes::{Settings, analyze};
use gambol::motion::{Basis, Direction};

fn spec(name: &str) -> CreatureSpec {
    load_str(name, gallery::find(name).unwrap().mjcf, &gambol::LoadOptions::default()).unwrap()
}

fn modes(creature: &Creature) -> Basis {
    let mut data = Data::new(creature);
    analyze(creature, &mut data, creature.reference_pose(), &Settings::default()).unwrap()
}

/// Velocity of every body in every mode, by name: what the modes are in space, whatever the coordinates.
fn fields(creature: &Creature) -> Vec<HashMap<String, (Vec3, Vec3)>> {
    let mut data = Data::new(creature);
    let field = |mode: &Direction| {
        let velocities = body_velocities(creature, &mut data, creature.reference_pose(), &mode.shape);
        let named = creature.bodies().iter().zip(velocities).skip(1);
        named.map(|(body, motion)| (body.name.clone(), (motion.angular, motion.linear))).collect()
    };
    modes(creature).directions().iter().map(field).collect()
}

/// Largest difference over the first `count` modes, relative to joint angles of 1 rad.
fn difference(a: &Creature, b: &Creature, count: usize) -> f64 {
    let mut worst = 0.0f64;
    for (x, y) in fields(a).iter().zip(&fields(b)).take(count) {
        for (name, (angular, linear)) in x {
            worst = worst.max((angular - y[name].0).norm()).max((linear - y[name].1).norm());
        }
    }
    worst
}

/// The same creature with the children of every body in reverse order.
fn reversed(spec: &CreatureSpec) -> CreatureSpec {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); spec.bodies.len()];
    for (index, body) in spec.bodies.iter().enumerate().skip(1) {
        children[body.parent].push(index);
    }
    let mut new = CreatureSpec { bodies: vec![BodySpec::new("world")], poses: Vec::new(), ..spec.clone() };
    let mut place = vec![0; spec.bodies.len()];
    let mut stack: Vec<usize> = children[0].clone();
    while let Some(index) = stack.pop() {
        place[index] = new.bodies.len();
        let mut body = spec.bodies[index].clone();
        body.parent = place[body.parent];
        new.bodies.push(body);
        stack.extend(&children[index]);
    }
    for constraint in &mut new.constraints {
        if let ConstraintKind::Hinge { a, b, .. } = &mut constraint.kind {
            a.body = place[a.body];
            b.body = place[b.body];
        }
    }
    new
}

#[test]
fn the_order_of_bodies_in_the_file_does_not_matter() {
    for name in ["dog", "human", "insect", "spider", "monster"] {
        let spec = spec(name);
        let (a, b) = (spec.clone().build().unwrap(), reversed(&spec).build().unwrap());
        assert_ne!(a.bodies()[3].name, b.bodies()[3].name, "{name}: nothing was reversed");
        // Rounding, multiplied by the inverse distance of neighbouring frequencies (1e-2 and more).
        let worst = difference(&a, &b, 40);
        assert!(worst < 1e-8, "{name}: {worst:e}");
    }
}

#[test]
fn the_direction_of_axes_does_not_matter() {
    for name in ["linear", "human", "snake"] {
        let given = spec(name);
        let mut turned = given.clone();
        for (index, body) in turned.bodies.iter_mut().enumerate() {
            for joint in
                body.joints.iter_mut().filter(|joint| joint.kind == JointKind::Hinge && index % 2 == 0)
            {
                joint.axis = -joint.axis;
                joint.limit = joint.limit.map(|[low, high]| [-high, -low]);
            }
        }
        turned.poses.clear();
        let worst = difference(&given.build().unwrap(), &turned.build().unwrap(), 40);
        assert!(worst < 1e-8, "{name}: {worst:e}");
    }
}

#[test]
fn the_last_bits_do_not_matter() {
    for name in ["loop", "linear", "dog", "human", "spider", "snake"] {
        let given = spec(name).build().unwrap();
        let mut random = Random::new(5);
        let mut noisy = given.clone();
        for body in 1..noisy.bodies().len() {
            noisy.scale_mass(body, 1.0 + 4e-16 * random.symmetric()).unwrap();
        }
        // The loop's frequencies come in pairs: the choice within each must hold too.
        let worst = difference(&given, &noisy, 40);
        assert!(worst < 1e-7, "{name}: {worst:e}");
    }
}

/// Three equal legs at 120° have modes of equal frequency; turned by a third they are the same creature with other
/// names, and the modes must be the same motions in space.
#[test]
fn equal_frequencies_are_chosen_in_space() {
    let star = |first: usize| {
        let mut spec = CreatureSpec::new("star");
        let mut hub = BodySpec::new("hub");
        hub.joints.push(gambol::model::JointSpec::free("root"));
        hub.inertia = given(2.0, Vec3::repeat(0.1), Vec3::zeros());
        spec.add_body(0, hub).unwrap();
        for k in 0..3 {
            let leg = (first + k) % 3;
            let angle = std::f64::consts::TAU * leg as f64 / 3.0 + 0.2;
            let out = Vec3::new(math::cos(angle), math::sin(angle), 0.0);
            let mut body = BodySpec::new(format!("leg {leg}"));
            body.parent_from_body = gambol::model::Transform::translation(0.3 * out.x, 0.3 * out.y, 0.0);
            body.joints.push(gambol::model::JointSpec::ball(format!("hip {leg}")).with_stiffness(10.0));
            body.inertia = given(1.0, Vec3::repeat(0.02), 0.4 * out);
            spec.add_body(1, body).unwrap();
        }
        spec.build().unwrap()
    };
    let frequencies: Vec<f64> = modes(&star(0)).flexible().iter().filter_map(Direction::frequency).collect();
    let pairs = frequencies.windows(2).filter(|pair| (pair[1] / pair[0] - 1.0).abs() < 1e-10).count();
    assert!(pairs >= 3, "a threefold creature has pairs: {frequencies:?}");
    for first in [1, 2] {
        let worst = difference(&star(0), &star(first), 15);
        assert!(worst < 1e-8, "{worst:e}");
    }
}

fn given(mass: f64, inertia: Vec3, com: Vec3) -> InertiaSpec {
    let inertia = gambol::model::Mat3::from_diagonal(&inertia);
    InertiaSpec::Given(gambol::model::MassProperties { mass, com, inertia })
}

#[test]
fn shapes_are_scaled_to_a_joint_angle_of_one() {
    for name in gallery::names() {
        let creature = spec(name).build().unwrap();
        for mode in modes(&creature).flexible() {
            let angle = |joint: &gambol::model::Joint| {
                let angles = &mode.shape[joint.v..joint.v + joint.kind.nv()];
                angles.iter().map(|x| x * x).sum::<f64>().sqrt()
            };
            let joints = creature.joints().iter().filter(|joint| joint.kind != JointKind::Free);
            let largest = joints.map(angle).fold(0.0, f64::max);
            assert!((largest - 1.0).abs() < 1e-12, "{name} u{}: {largest}", mode.index);
        }
    }
}
