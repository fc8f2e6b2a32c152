//! The hot functions are called tens of thousands of times a second by simulations and searches: none of them may
//! touch the heap. A counting allocator proves it, and proves with a positive control that it counts.

mod counting;
#[path = "all/support/mod.rs"]
mod support;

use gambol_dynamics::{
    Collider, Data, Drive, FloatingBase, HeightField, State, StepSettings, Stepper, SupportPoint,
    SupportSettings, Terrain, TreeMatrix, World, bias_forces, body_jacobian, body_velocities, center_of_mass,
    energy, explain, forward_dynamics, forward_kinematics, inverse_dynamics, mass_matrix, momentum,
    momentum_matrix, multiply_mass, outside_wrench, passive_forces, point_jacobian, prepare_mass, step,
};
use gambol_model::samples::{TreeKind, chain, random_tree, star};
use gambol_model::{Creature, Vec3};
use nalgebra::DMatrix;

use counting::allocations;

#[test]
fn hot_functions_do_not_allocate() {
    let creature = random_tree(7, TreeKind { bodies: 20, free_root: true, armature: true });
    let (mut q, v) = support::state(&creature, 1);
    let (a, tau) = (v.clone(), v.clone());
    let mut data = Data::new(&creature);
    let mut m = TreeMatrix::new(&creature).unwrap();
    let mut x = v.clone();
    let mut out = v.clone();
    let mut jacobian = DMatrix::zeros(3, creature.nv());
    let mut six = DMatrix::zeros(6, creature.nv());
    let base = FloatingBase::of(&creature).unwrap();
    let mut rows = vec![0.0; 6 * creature.nv()];
    let points =
        [-0.1, 0.2, 0.4].map(|x| SupportPoint { point: Vec3::x() * x, normal: Vec3::z(), price: 1.0 });
    let ground = SupportSettings { friction: 0.8, weight: 9.81 * base.mass, length: 1.0 };
    let mut forces = [Vec3::zeros(); 3];

    assert!(allocations(|| drop(vec![0u8; 16])) > 0, "the counter does not count");
    let count = allocations(|| {
        forward_kinematics(&creature, &mut data, &q);
        body_velocities(&creature, &mut data, &q, &v);
        mass_matrix(&creature, &mut data, &q, &mut m);
        m.multiply(&v, &mut out);
        prepare_mass(&creature, &mut data, &q);
        multiply_mass(&creature, &mut data, &v, &mut out);
        assert!(m.factor());
        m.solve(&mut x);
        bias_forces(&creature, &mut data, &q, &v);
        inverse_dynamics(&creature, &mut data, &q, &v, &a);
        forward_dynamics(&creature, &mut data, &q, &v, &tau);
        passive_forces(&creature, &mut data, &q, &v);
        energy(&creature, &mut data, &q, &v);
        momentum(&creature, &mut data, &q, &v);
        momentum_matrix(&creature, &base, &mut data, &q, &mut rows);
        let (wrench, _) = outside_wrench(&creature, &base, &mut data, &q, &v, &a);
        explain(&wrench, &points, &ground, &mut forces);
        center_of_mass(&creature, &mut data, &q);
        point_jacobian(&creature, &data, 5, Vec3::zeros(), &mut jacobian);
        body_jacobian(&creature, &data, 5, Vec3::zeros(), &mut six);
        creature.integrate(&mut q, &v, 0.01);
        creature.difference(creature.rest_pose(), &q, &mut out);
    });
    assert_eq!(count, 0);
}

#[test]
fn finding_contacts_does_not_allocate() {
    let creature = star(8, 4);
    let collider = Collider::new(&creature, true);
    let mut q = creature.reference_pose().to_vec();
    q[2] = 0.02; // flat on the ground
    let mut data = Data::new(&creature);
    let frames = forward_kinematics(&creature, &mut data, &q);
    let reach = vec![0.01; frames.len()];
    let mut found = Vec::with_capacity(1000);
    let field = HeightField::new([-1.0, -1.0], 0.5, 5, vec![0.0; 25]).unwrap();
    for terrain in [Terrain::Flat, Terrain::Slope(0.01), Terrain::Field(field)] {
        assert_eq!(allocations(|| collider.find(frames, &terrain, &reach, &mut found)), 0);
        assert!(found.len() > 100);
    }
}

/// Allocations of the last of `steps` steps together; the first let the memory grow to what the creature needs.
fn allocations_of_steps(creature: &Creature, ground: Option<Terrain>, warm_up: usize, steps: usize) -> usize {
    let world = World::new(creature.clone(), StepSettings { ground, ..StepSettings::default() }).unwrap();
    let mut stepper = Stepper::new(&world);
    let mut state = State::new(creature.reference_pose(), &vec![0.01; creature.nv()]);
    let drive = Drive::passive(creature);
    for _ in 0..warm_up {
        step(&world, &mut stepper, &mut state, &drive).unwrap();
    }
    let count = allocations(|| {
        for _ in 0..steps {
            step(&world, &mut stepper, &mut state, &drive).unwrap();
        }
    });
    assert!(
        world.settings().ground.is_none() || state.contact_forces(&world).count() > 0,
        "nothing touches the ground"
    );
    count
}

#[test]
fn steps_do_not_allocate() {
    let tree = random_tree(7, TreeKind { bodies: 20, free_root: true, armature: true });
    assert_eq!(allocations_of_steps(&tree, None, 1, 100), 0, "in flight");
    let deep = chain(200); // by articulated bodies
    assert_eq!(allocations_of_steps(&deep, None, 1, 100), 0, "a deep chain in flight");
    assert_eq!(allocations_of_steps(&support::stepping::ring(8), None, 1, 100), 0, "a closed loop in flight");
    // A metre up: it lands after 0.45 s and lies after 2 s. The most contacts it ever had are in the warm-up.
    for ground in [Terrain::Flat, Terrain::Slope(0.05)] {
        assert_eq!(allocations_of_steps(&star(6, 3), Some(ground), 1500, 200), 0, "on the ground");
    }
}
