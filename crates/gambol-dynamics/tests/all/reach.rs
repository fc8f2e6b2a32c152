//! Inverse kinematics. A limb that is pulled must get there if it can, bend as little as its springs allow, keep its
//! limits, leave the rest of the body alone, and stretch towards what is out of reach.

use gambol_dynamics::{Data, Goal, Hold, Reached, forward_kinematics, point_jacobian, reach};
use gambol_model::{
    BodyPoint, BodySpec, Creature, CreatureSpec, JointSpec, Shape, ShapeSpec, Transform, Vec3,
};
use nalgebra::{DMatrix, DVector};

/// Length of each bone of the arm, m.
const BONE: f64 = 0.4;

/// Three bones along x that turn about y, on a root that floats; stiffnesses as given.
fn arm(stiffness: [f64; 3], limit_of_first: Option<[f64; 2]>) -> Creature {
    let mut spec = CreatureSpec::new("arm");
    let trunk = spec.add_body(0, BodySpec::new("trunk")).unwrap();
    spec.bodies[trunk].joints.push(JointSpec::free("root"));
    let mut parent = trunk;
    for (k, stiffness) in stiffness.into_iter().enumerate() {
        let mut bone = BodySpec::new(format!("bone{k}"));
        bone.parent_from_body = Transform::translation(if k == 0 { 0.0 } else { BONE }, 0.0, 0.0);
        parent = spec.add_body(parent, bone).unwrap();
        let mut joint = JointSpec::hinge(format!("joint{k}"), Vec3::y()).with_stiffness(stiffness);
        joint.limit = limit_of_first.filter(|_| k == 0);
        spec.bodies[parent].joints.push(joint);
        spec.bodies[parent].shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.02 }));
    }
    spec.bodies[trunk].shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.1 }));
    spec.build().unwrap()
}

const HAND: BodyPoint = BodyPoint { body: 4, point: Vec3::new(BONE, 0.0, 0.0) };

/// A pose that is not straight, where Newton's first step would be blind.
fn bent(creature: &Creature) -> Vec<f64> {
    let mut pose = creature.reference_pose().to_vec();
    pose[7..10].copy_from_slice(&[-0.3, 0.4, 0.2]);
    pose
}

fn pull(creature: &Creature, pose: &[f64], target: Vec3) -> Reached {
    reach(creature, &mut Data::new(creature), pose, &[Goal { point: HAND, target }], Hold::Root)
}

#[test]
fn a_hand_gets_there_and_the_root_stays() {
    let creature = arm([20.0, 30.0, 10.0], None);
    let pose = bent(&creature);
    let target = Vec3::new(0.6, 0.0, 0.5);
    let Reached { pose: reached, miss, .. } = pull(&creature, &pose, target);
    // The goal is soft by a millionth of the way.
    assert!(miss < 1e-5, "{miss}");
    assert_eq!(reached[..7], pose[..7]);
    let mut data = Data::new(&creature);
    forward_kinematics(&creature, &mut data, &reached);
    assert!((data.frames[4].point_in_world(HAND.point) - target).norm() < 1e-5);
}

#[test]
fn the_springs_give_way_as_little_as_they_can() {
    // At the least energy the spring forces are what a force at the hand holds: K δ = Jᵀ λ. A second formula, solved for λ
    // by least squares at the pose that was found.
    let stiffness = [20.0, 30.0, 10.0];
    let creature = arm(stiffness, None);
    let pose = bent(&creature);
    let reached = pull(&creature, &pose, Vec3::new(0.6, 0.0, 0.5)).pose;
    let springs = DVector::from_iterator(3, (0..3).map(|k| stiffness[k] * (reached[7 + k] - pose[7 + k])));
    let mut data = Data::new(&creature);
    forward_kinematics(&creature, &mut data, &reached);
    let at = data.frames[4].point_in_world(HAND.point);
    let mut jacobian = DMatrix::zeros(3, creature.nv());
    point_jacobian(&creature, &data, 4, at, &mut jacobian);
    let of_joints = jacobian.columns(6, 3).transpose();
    let force = gambol_model::svd(of_joints.clone()).unwrap().solve(&springs, 1e-9).unwrap();
    let left = (of_joints * force - &springs).norm() / springs.norm();
    assert!(left < 1e-4, "{left}"); // the iteration ends within 1e-9 rad, the goal's softness is 1e-6 of it
}

#[test]
fn what_is_out_of_reach_is_pointed_at() {
    let creature = arm([20.0, 30.0, 10.0], None);
    let far = Vec3::new(3.0, 0.0, 4.0); // 5 m away, the arm is 1.2 m long
    let Reached { pose, miss, .. } = pull(&creature, &bent(&creature), far);
    assert!((miss - (5.0 - 3.0 * BONE)).abs() < 1e-3, "{miss}"); // a straight arm; the last 0.1 % costs all its springs
    assert!(pose.iter().all(|x| x.is_finite()));
}

#[test]
fn joints_stay_within_their_limits_and_others_do_the_work() {
    let loose = arm([20.0, 30.0, 10.0], None);
    let (pose, target) = (bent(&loose), Vec3::new(0.45, 0.0, -0.9));
    let free = pull(&loose, &pose, target).pose;
    let (low, high) = (-0.5, free[7] - 0.1);
    let creature = arm([20.0, 30.0, 10.0], Some([low, high]));
    let Reached { pose: reached, miss, .. } = pull(&creature, &pose, target);
    assert!((reached[7] - high).abs() < 1e-12, "{} of {high}", reached[7]); // rounding of from + (high − from)
    assert!(miss < 1e-5, "{miss}");
}

#[test]
fn a_root_that_goes_along_leaves_joints_straight() {
    let creature = arm([20.0; 3], None);
    let pose = bent(&creature);
    let mut data = Data::new(&creature);
    let goal = Goal { point: HAND, target: Vec3::new(2.0, 1.0, 0.3) };
    let reached = reach(&creature, &mut data, &pose, &[goal], Hold::Goals);
    assert!(reached.miss < 1e-4, "{}", reached.miss);
    for k in 7..10 {
        assert!((reached.pose[k] - pose[k]).abs() < 0.1, "joint {k} bends by {}", reached.pose[k] - pose[k]);
    }
}
