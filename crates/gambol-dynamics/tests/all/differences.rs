//! Every derivative against central differences taken on the manifold (`integrate` along one tangent direction at a
//! time), the way a wrong frame or a forgotten quaternion shows at once.

use crate::support::{DIFFERENCE_ERROR, differences, relative, state, trees};
use gambol_dynamics::{
    Data, bias_forces, body_jacobian, constraint_jacobian, constraint_residual, energy, forward_kinematics,
    passive_forces, point_jacobian, stiffness_matrix,
};
use gambol_model::math;
use gambol_model::samples::Random;
use gambol_model::{BodyPoint, Constraint, ConstraintKind, Creature, JointKind, Vec3};
use nalgebra::{DMatrix, DVector};

#[test]
fn point_and_body_jacobians() {
    for (seed, creature) in trees() {
        let (q, _) = state(&creature, seed);
        let mut data = Data::new(&creature);
        let body = creature.bodies().len() - 1;
        let point = Vec3::new(0.1, -0.2, 0.3);
        forward_kinematics(&creature, &mut data, &q);
        let frame = data.frames[body];
        let at = frame.point_in_world(point);
        let mut jacobian = DMatrix::zeros(3, creature.nv());
        point_jacobian(&creature, &data, body, at, &mut jacobian);
        let mut six = DMatrix::zeros(6, creature.nv());
        body_jacobian(&creature, &data, body, at, &mut six);
        assert_eq!(six.rows(3, 3), jacobian);

        let by_position = differences(&creature, &q, |q| {
            DVector::from_column_slice(
                forward_kinematics(&creature, &mut data, q)[body].point_in_world(point).as_slice(),
            )
        });
        assert!((by_position - jacobian).amax() < DIFFERENCE_ERROR, "tree {seed}");
        let by_turn = differences(&creature, &q, |q| {
            let turned = forward_kinematics(&creature, &mut data, q)[body].orientation;
            DVector::from_column_slice((turned * frame.orientation.inverse()).scaled_axis().as_slice())
        });
        assert!((by_turn - six.rows(0, 3)).amax() < DIFFERENCE_ERROR, "tree {seed}");
    }
}

#[test]
fn gravity_and_springs_are_gradients_of_their_energy() {
    for (seed, creature) in trees() {
        let (q, _) = state(&creature, seed);
        let mut data = Data::new(&creature);
        let still = vec![0.0; creature.nv()];
        let gravity = bias_forces(&creature, &mut data, &q, &still).to_vec();
        let springs = passive_forces(&creature, &mut data, &q, &still).to_vec();
        let slopes = differences(&creature, &q, |q| {
            let energy = energy(&creature, &mut data, q, &still);
            DVector::from_column_slice(&[energy.gravity, -energy.elastic])
        });
        // Energies of order 100 J carry more rounding than lengths.
        for k in 0..creature.nv() {
            assert!((slopes[(0, k)] - gravity[k]).abs() < 1e-6, "tree {seed}, coordinate {k}");
            assert!((slopes[(1, k)] - springs[k]).abs() < 1e-6, "tree {seed}, coordinate {k}");
        }
    }
}

#[test]
fn stiffness_matrix_is_the_slope_of_the_spring_forces_at_rest() {
    for (seed, creature) in trees() {
        let mut data = Data::new(&creature);
        let still = vec![0.0; creature.nv()];
        let slope = differences(&creature, creature.rest_pose(), |q| {
            DVector::from_column_slice(passive_forces(&creature, &mut data, q, &still))
        });
        assert!((slope + stiffness_matrix(&creature)).amax() < DIFFERENCE_ERROR, "tree {seed}");
    }
}

/// One constraint of every kind that holds at the pose `q`.
fn constraints(creature: &Creature, q: &[f64], seed: u64) -> Vec<Constraint> {
    let mut random = Random::new(seed);
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, q).to_vec();
    let last = frames.len() - 1;
    let middle = frames.len() / 2;
    let in_body = |body: usize, at: Vec3| frames[body].rotation.transpose() * (at - frames[body].position);
    let at = random.vector(0.5);
    let (a, b) = (
        BodyPoint { body: last, point: in_body(last, at) },
        BodyPoint { body: middle, point: in_body(middle, at) },
    );
    let axis = random.vector(1.0);
    let pose = |body: usize| {
        gambol_model::Transform::from_parts(frames[body].position.into(), frames[body].orientation)
    };
    let mut kinds = vec![
        ConstraintKind::Connect { a, b },
        ConstraintKind::Hinge {
            a,
            b,
            axis_in_a: frames[last].rotation.transpose() * axis,
            axis_in_b: frames[middle].rotation.transpose() * axis,
        },
        ConstraintKind::Weld { a: last, b: middle, a_from_b: pose(last).inverse() * pose(middle) },
        ConstraintKind::Orientation { body: last, world_from_body: frames[last].rotation },
        ConstraintKind::Pin { point: a, position_in_world: at },
        ConstraintKind::Cart {
            hands: vec![a, b, BodyPoint { body: last, point: Vec3::x() }],
            positions_in_world: vec![at, at, frames[last].point_in_world(Vec3::x())],
            forward: random.vector(1.0).normalize(),
        },
    ];
    let scalar: Vec<usize> = (0..creature.joints().len())
        .filter(|&j| matches!(creature.joints()[j].kind, JointKind::Hinge | JointKind::Slide))
        .collect();
    if scalar.len() >= 3 {
        let mut polynomial = [0.0, 0.5, 0.3, -0.2, 0.1];
        let x = |j: usize| q[creature.joints()[j].q] - creature.reference_pose()[creature.joints()[j].q];
        let (left, right) = (vec![(scalar[0], 1.0), (scalar[1], -0.5)], vec![(scalar[2], 2.0)]);
        let r = 2.0 * x(scalar[2]);
        let p = 0.5 * r + 0.3 * math::square(r) - 0.2 * math::powi(r, 3) + 0.1 * math::powi(r, 4);
        polynomial[0] = x(scalar[0]) - 0.5 * x(scalar[1]) - p;
        kinds.push(ConstraintKind::Coupling { left, right, polynomial });
    }
    kinds.into_iter().map(|kind| Constraint { name: String::new(), kind }).collect()
}

#[test]
fn constraint_jacobians() {
    for (seed, creature) in trees().filter(|(_, creature)| creature.bodies().len() > 4) {
        let (q, _) = state(&creature, seed);
        let mut data = Data::new(&creature);
        for constraint in constraints(&creature, &q, seed) {
            creature.check_constraint(&constraint).unwrap();
            let one = [constraint];
            let residual = constraint_residual(&creature, &mut data, &q, &one);
            assert_eq!(residual.len(), one[0].kind.rows());
            assert!(residual.amax() < 1e-12, "tree {seed}: {:?} does not hold: {residual}", one[0].kind);
            let jacobian = constraint_jacobian(&creature, &mut data, &q, &one);
            let slope = differences(&creature, &q, |q| constraint_residual(&creature, &mut data, q, &one));
            assert!((slope - jacobian).amax() < DIFFERENCE_ERROR, "tree {seed}: {:?}", one[0].kind);
        }
    }
}

#[test]
fn integrate_and_difference_are_inverse() {
    for (seed, creature) in trees() {
        let (q, v) = state(&creature, seed);
        let mut moved = q.clone();
        creature.integrate(&mut moved, &v, 0.7);
        let mut back = vec![0.0; creature.nv()];
        creature.difference(&q, &moved, &mut back);
        let expected: Vec<f64> = v.iter().map(|x| 0.7 * x).collect();
        assert!(relative(&back, &expected) < 1e-12, "tree {seed}");
    }
}
