//! What several tests share.
#![allow(dead_code, missing_docs)] // each test file uses its own part

pub(crate) mod stepping;

use gambol_model::samples::{Random, TreeKind, random_tree};
use gambol_model::{BodySpec, Creature, CreatureSpec, InertiaSpec, JointSpec, Transform, Vec3};
use nalgebra::{DMatrix, DVector, Matrix6, Quaternion, UnitQuaternion};

/// Trees of many shapes: with and without a floating root, with and without armature, of 1 to 25 bodies.
pub(crate) fn trees() -> impl Iterator<Item = (u64, Creature)> {
    (0..40).zip(0usize..).map(|(seed, k)| {
        let kind = TreeKind { bodies: 1 + k % 25, free_root: k % 3 != 0, armature: k.is_multiple_of(2) };
        (seed, random_tree(seed, kind))
    })
}

/// A random state: pose, velocity.
pub(crate) fn state(creature: &Creature, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed ^ 0xabcd);
    let q = random.pose(creature, 0.8);
    let v = random.numbers(creature.nv(), 1.5);
    (q, v)
}

/// Largest difference relative to the largest entry.
pub(crate) fn relative(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(1e-12, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / scale
}

/// Central difference of `f` along every tangent direction of the pose `q`: rows × nv.
pub(crate) fn differences(
    creature: &Creature,
    q: &[f64],
    mut f: impl FnMut(&[f64]) -> DVector<f64>,
) -> DMatrix<f64> {
    // Best step for a second-order difference in double precision: eps^(1/3).
    let h = 6e-6;
    let columns: Vec<DVector<f64>> = (0..creature.nv())
        .map(|k| {
            let mut step = vec![0.0; creature.nv()];
            step[k] = 1.0;
            let (mut ahead, mut behind) = (q.to_vec(), q.to_vec());
            creature.integrate(&mut ahead, &step, h);
            creature.integrate(&mut behind, &step, -h);
            (f(&ahead) - f(&behind)) / (2.0 * h)
        })
        .collect();
    if columns.is_empty() {
        return DMatrix::zeros(f(q).len(), 0);
    }
    DMatrix::from_columns(&columns)
}

/// Bound on the error of [`differences`] for the functions tested here, whose third derivatives are of order ten.
pub(crate) const DIFFERENCE_ERROR: f64 = 1e-8;

/// Poses of all bodies by composing rigid transforms: an own second way, used by the oracles.
pub(crate) fn poses_by_composition(creature: &Creature, q: &[f64]) -> Vec<Transform> {
    use gambol_model::JointKind;
    let quat = |x: &[f64]| UnitQuaternion::from_quaternion(Quaternion::new(x[0], x[1], x[2], x[3]));
    let mut poses = vec![Transform::identity()];
    for body in &creature.bodies()[1..] {
        let mut pose = poses[body.parent] * body.parent_from_body;
        for joint in &creature.joints()[body.joints.clone()] {
            let about = |rotation| {
                Transform::from_parts(joint.anchor.into(), rotation)
                    * Transform::from_parts((-joint.anchor).into(), UnitQuaternion::identity())
            };
            match joint.kind {
                JointKind::Free => {
                    let x = &q[joint.q..];
                    pose = Transform::from_parts(Vec3::new(x[0], x[1], x[2]).into(), quat(&x[3..7]));
                }
                JointKind::Ball => pose *= about(quat(&q[joint.q..])),
                JointKind::Hinge => {
                    let angle = q[joint.q] - creature.reference_pose()[joint.q];
                    pose *= about(UnitQuaternion::from_scaled_axis(joint.axis * angle));
                }
                JointKind::Slide => {
                    let way = q[joint.q] - creature.reference_pose()[joint.q];
                    pose *= Transform::from_parts((joint.axis * way).into(), UnitQuaternion::identity());
                }
            }
        }
        poses.push(pose);
    }
    poses
}

/// The adjoint of appendix A: twists (ω; v) of frame a in frame b, `b_from_a` given.
pub(crate) fn adjoint(b_from_a: &Transform) -> Matrix6<f64> {
    let rotation = b_from_a.rotation.to_rotation_matrix();
    let mut ad = Matrix6::zeros();
    ad.fixed_view_mut::<3, 3>(0, 0).copy_from(rotation.matrix());
    ad.fixed_view_mut::<3, 3>(3, 3).copy_from(rotation.matrix());
    ad.fixed_view_mut::<3, 3>(3, 0)
        .copy_from(&(b_from_a.translation.vector.cross_matrix() * rotation.matrix()));
    ad
}

/// Eigenvalues of K u = λ M u in ascending order, by Cholesky of M.
pub(crate) fn generalized_eigenvalues(k: &DMatrix<f64>, m: &DMatrix<f64>) -> Vec<f64> {
    let l = m.clone().cholesky().expect("M is positive definite").l();
    let half = l.solve_lower_triangular(k).expect("L is regular");
    let reduced = l.solve_lower_triangular(&half.transpose()).expect("L is regular");
    let symmetric = (&reduced + reduced.transpose()) * 0.5;
    let mut values: Vec<f64> = symmetric.symmetric_eigenvalues().iter().copied().collect();
    values.sort_by(f64::total_cmp);
    values
}

/// A floating tree without gravity or damping, and without springs unless asked for.
pub(crate) fn tumbler(seed: u64, springs: bool) -> Creature {
    let tree = random_tree(seed, TreeKind { bodies: 8, free_root: true, armature: false });
    let mut spec = CreatureSpec::new("tumbler");
    spec.gravity = Vec3::zeros();
    for body in &tree.bodies()[1..] {
        let mut copy = BodySpec::new(body.name.clone());
        copy.parent = body.parent;
        copy.parent_from_body = body.parent_from_body;
        copy.inertia = InertiaSpec::Given(body.mass);
        for joint in &tree.joints()[body.joints.clone()] {
            let mut one = JointSpec::new(joint.name.clone(), joint.kind);
            one.anchor = joint.anchor;
            one.axis = joint.axis;
            one.stiffness = if springs { joint.stiffness } else { 0.0 };
            copy.joints.push(one);
        }
        spec.bodies.push(copy);
    }
    spec.build().unwrap()
}
