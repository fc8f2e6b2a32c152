//! What a controller sees at the start of a step is what the functions of this crate compute when they are called by hand, or
//! a second algorithm: momenta body by body from Jacobians, drift from differences of Jacobians along the motion. Contacts are
//! those at which the step then finds forces, and the forces that are seen afterwards are all that changes the momentum
//! besides gravity. A sense of the state before or of another pose would fail each of these.

use gambol_dynamics::{
    Data, Drive, Sense, State, StepSettings, Stepper, TreeMatrix, World, bias_forces, body_jacobian,
    body_velocities, center_of_mass, forward_kinematics, mass_matrix, point_jacobian, step,
};
use gambol_model::samples::{TreeKind, random_tree, star};
use gambol_model::{Creature, Vec3};
use nalgebra::{DMatrix, DVector};

use crate::support;

/// Random trees with all kinds of joints, and a star near the ground.
fn creatures() -> Vec<Creature> {
    let tree = |seed, free_root| random_tree(seed, TreeKind { bodies: 12, free_root, armature: true });
    vec![tree(1, true), tree(2, true), tree(3, false), star(6, 3)]
}

/// Each with a state that is not the one that was stepped before.
fn with_senses(check: impl Fn(&Creature, &Sense, &[f64], &[f64])) {
    for (seed, creature) in creatures().into_iter().enumerate() {
        let world = World::new(creature.clone(), StepSettings::default()).unwrap();
        let mut stepper = Stepper::new(&world);
        let (q, v) = support::state(&creature, 50 + seed as u64);
        step(&world, &mut stepper, &mut State::new(&q, &v), &Drive::passive(&creature)).unwrap();
        let (q, v) = support::state(&creature, 90 + seed as u64);
        let mut state = State::new(&q, &v);
        let sense = Sense::new(&world, &mut stepper, &mut state);
        check(&creature, &sense, &q, &v);
    }
}

#[test]
fn kinematics_are_those_of_the_state() {
    with_senses(|creature, sense, q, v| {
        let mut data = Data::new(creature);
        for (motion, seen) in body_velocities(creature, &mut data, q, v).iter().zip(sense.velocities()) {
            let apart = (motion.linear - seen.linear).norm() + (motion.angular - seen.angular).norm();
            // The same sums in another order.
            assert!(apart < 1e-12, "{apart}");
        }
        for (frame, seen) in forward_kinematics(creature, &mut data, q).iter().zip(sense.frames()) {
            assert_eq!((frame.position, frame.rotation), (seen.position, seen.rotation));
        }
        assert_eq!(center_of_mass(creature, &mut data, q), sense.center_of_mass());
        assert_eq!(bias_forces(creature, &mut data, q, v), sense.bias_forces());
        let mut m = [TreeMatrix::new(creature).unwrap(), TreeMatrix::new(creature).unwrap()];
        mass_matrix(creature, &mut data, q, &mut m[0]);
        sense.mass_matrix(&mut m[1]);
        assert_eq!(m[0].to_dense(), m[1].to_dense());
        let at = Vec3::new(0.3, -0.2, 0.5);
        let mut points = [0, 1].map(|_| DMatrix::zeros(3, creature.nv()));
        let mut bodies = [0, 1].map(|_| DMatrix::zeros(6, creature.nv()));
        for body in 1..creature.bodies().len() {
            point_jacobian(creature, &data, body, at, &mut points[0]);
            sense.point_jacobian(body, at, &mut points[1]);
            assert_eq!(points[0], points[1]);
            body_jacobian(creature, &data, body, at, &mut bodies[0]);
            sense.body_jacobian(body, at, &mut bodies[1]);
            assert_eq!(bodies[0], bodies[1]);
            let velocity = &points[0] * DVector::from_column_slice(v);
            let apart = (sense.point_velocity(body, at) - velocity.fixed_rows::<3>(0)).norm();
            // Two sums of a dozen terms of a few m/s.
            assert!(apart < 1e-12, "{apart}");
        }
    });
}

#[test]
fn momenta_are_those_of_the_bodies_one_by_one() {
    with_senses(|creature, sense, _, v| {
        let com = sense.center_of_mass();
        let v = DVector::from_column_slice(v);
        let (mut linear, mut angular) = (Vec3::zeros(), Vec3::zeros());
        let mut jacobian = DMatrix::zeros(6, creature.nv());
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            let frame = &sense.frames()[index];
            let at = frame.point_in_world(body.mass.com);
            body_jacobian(creature, sense.data(), index, at, &mut jacobian);
            let motion = &jacobian * &v;
            let (spin, velocity) = (motion.fixed_rows::<3>(0), motion.fixed_rows::<3>(3));
            let inertia = frame.rotation * body.mass.inertia * frame.rotation.transpose();
            linear += body.mass.mass * velocity;
            angular += inertia * spin + (at - com).cross(&(body.mass.mass * velocity));
        }
        let seen = sense.momentum();
        let size = linear.norm() + angular.norm();
        // Rounding of sums over a dozen bodies.
        assert!((seen.linear - linear).norm() < 1e-12 * size, "{} {linear}", seen.linear);
        assert!((seen.angular - angular).norm() < 1e-12 * size, "{} {angular}", seen.angular);
        assert_eq!(sense.momentum(), seen, "asked again it is what it was");
    });
}

#[test]
fn drift_is_how_the_jacobian_turns() {
    // Of central differences over ±1 µs: (1e-6 s)² of third derivatives of some 1e4 m/s³, and rounding of 1e-15 over 1e-6.
    let epsilon = 1e-6;
    with_senses(|creature, sense, q, v| {
        let mut data = Data::new(creature);
        let body = creature.bodies().len() - 1;
        let in_body = Vec3::new(0.1, 0.2, -0.1);
        let at = sense.frames()[body].point_in_world(in_body);
        let mut velocity = |time: f64| {
            let mut moved = q.to_vec();
            creature.integrate(&mut moved, v, time);
            let frames = forward_kinematics(creature, &mut data, &moved);
            let at = frames[body].point_in_world(in_body);
            let mut jacobian = DMatrix::zeros(3, creature.nv());
            point_jacobian(creature, &data, body, at, &mut jacobian);
            jacobian * DVector::from_column_slice(v)
        };
        let drift = (velocity(epsilon) - velocity(-epsilon)) / (2.0 * epsilon);
        let apart = (sense.point_drift(body, at) - drift.fixed_rows::<3>(0)).norm();
        assert!(drift.norm() > 0.1, "a drift that is not there tests nothing");
        assert!(apart < 1e-6 * (1.0 + drift.norm()), "{apart} of {}", drift.norm());
    });
}

/// A star that falls flat on the ground with some spin, seen step by step.
fn falls(step: f64, steps: usize, mut see: impl FnMut(&Sense)) -> State {
    let creature = star(6, 3);
    let world = World::new(creature.clone(), StepSettings { step, ..StepSettings::default() }).unwrap();
    let mut stepper = Stepper::new(&world);
    let mut q = creature.reference_pose().to_vec();
    q[2] = 0.1;
    let mut v = vec![0.0; creature.nv()];
    v[..6].copy_from_slice(&[0.5, 0.2, -0.3, 0.4, -0.3, 1.0]);
    let mut state = State::new(&q, &v);
    for _ in 0..steps {
        let sense = Sense::new(&world, &mut stepper, &mut state);
        see(&sense);
        sense.step(&Drive::passive(&creature)).unwrap();
    }
    state
}

#[test]
fn forces_at_contacts_are_all_that_changes_the_momentum_besides_gravity() {
    for h in [2e-4, 1e-4] {
        let (mut first, mut last) = (None, None);
        let (mut given, mut size, mut loads) = (Vec3::zeros(), 0.0_f64, 0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let steps = (0.4_f64 / h).round() as usize;
        falls(h, steps, |sense| {
            let momentum = sense.momentum().linear;
            if first.replace(first.unwrap_or(momentum)).is_some() {
                let forces: Vec3 = sense.contact_forces().map(|contact| contact.force).sum();
                loads += sense.contact_forces().count();
                given += h * (forces + sense.creature().mass() * sense.creature().gravity());
                size = size.max(given.norm());
            }
            last = Some(momentum);
        });
        assert!(loads > 100, "it must lie on the ground for this to test anything");
        let changed: Vec3 = last.unwrap() - first.unwrap();
        let miss = (changed - given).norm() / size;
        // Momenta are those of half a step before, and inertial forces are corrected twice: what that misses is 1.6e-4 with steps
        // of 2 ms and below 1e-6 with these.
        assert!(miss < 1e-5, "{miss} with steps of {h} s");
    }
}

#[test]
fn contacts_that_are_seen_are_those_that_bear_the_load() {
    let mut seen: Vec<(u64, Vec3)> = Vec::new();
    let mut loads = 0;
    falls(1e-3, 400, |sense| {
        for loaded in sense.contact_forces() {
            let before = seen.iter().find(|(key, _)| *key == loaded.contact.key);
            assert_eq!(before.map(|(_, point)| *point), Some(loaded.contact.point));
            loads += 1;
        }
        seen.clear();
        seen.extend(sense.contacts().iter().map(|contact| (contact.key, contact.point)));
    });
    assert!(loads > 100);
}

#[test]
fn seeing_changes_nothing() {
    let blind = falls(1e-3, 300, |_| ());
    let looking = falls(1e-3, 300, |sense| {
        let mut m = TreeMatrix::new(sense.creature()).unwrap();
        sense.mass_matrix(&mut m);
        let _ = (sense.momentum(), sense.contact_forces().count());
    });
    assert_eq!(blind, looking);
}
