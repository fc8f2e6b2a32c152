//! Constraints beyond the tree: their residual, their Jacobian, and the directions they leave free.
//!
//! In joint coordinates a tree needs no constraint at all; only closed loops and extra demands are left, a few rows.
//! The residual g(q) and the Jacobian J = ∂g/∂q belong together: g(q ⊕ ε δ) = g(q) + ε J δ + O(ε²) where g = 0.

use nalgebra::{DMatrix, DVector, DVectorView};

use crate::{Creature, Data, Mat3, Vec3, body_jacobian, forward_kinematics, point_jacobian};
use gambol_model::{BodyPoint, Constraint, ConstraintKind};

/// Total number of scalar equations.
pub fn constraint_rows(constraints: &[Constraint]) -> usize {
    constraints.iter().map(|constraint| constraint.kind.rows()).sum()
}

/// Residual g(q) of the constraints, in m and rad: zero where they hold.
pub fn constraint_residual(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    constraints: &[Constraint],
) -> DVector<f64> {
    forward_kinematics(creature, data, q);
    let mut residual = DVector::zeros(constraint_rows(constraints));
    let mut row = 0;
    for constraint in constraints {
        let rows = constraint.kind.rows();
        let block = residual_block(creature, data, q, &constraint.kind);
        residual.rows_mut(row, rows).copy_from_slice(&block);
        row += rows;
    }
    residual
}

/// Jacobian J(q) of the constraints: rows × nv.
pub fn constraint_jacobian(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    constraints: &[Constraint],
) -> DMatrix<f64> {
    forward_kinematics(creature, data, q);
    let mut jacobian = DMatrix::zeros(constraint_rows(constraints), creature.nv());
    let mut row = 0;
    for constraint in constraints {
        let rows = constraint.kind.rows();
        let block = jacobian_block(creature, data, q, &constraint.kind);
        jacobian.rows_mut(row, rows).copy_from(&block);
        row += rows;
    }
    jacobian
}

/// What constraints leave free at a pose.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// Independent constraint rows; redundant ones do not count.
    pub rank: usize,
    /// Orthonormal columns that span the admissible velocities: nv × (nv − rank).
    pub basis: DMatrix<f64>,
}

/// Singular values below this share of the largest are taken as zero: coordinates in files carry some ten digits.
const RANK_TOLERANCE: f64 = 1e-9;

/// The null space of the constraints at the pose `q`: all admissible velocities.
pub fn null_space(creature: &Creature, data: &mut Data, q: &[f64], constraints: &[Constraint]) -> Reduction {
    let nv = creature.nv();
    let jacobian = constraint_jacobian(creature, data, q, constraints);
    if jacobian.nrows() == 0 || nv == 0 {
        return Reduction { rank: 0, basis: DMatrix::identity(nv, nv) };
    }
    // The rows span the constrained directions; a pivoted QR of Jᵀ gives an orthonormal basis of them and of the rest.
    let qr = jacobian.transpose().col_piv_qr();
    let r = qr.r();
    let diagonal: Vec<f64> = (0..r.nrows().min(r.ncols())).map(|k| r[(k, k)].abs()).collect();
    let least = RANK_TOLERANCE * diagonal[0].max(f64::MIN_POSITIVE);
    let rank = diagonal.iter().filter(|d| **d > least).count();
    // Columns of the full orthogonal factor beyond the rank: apply the reflections to unit vectors.
    let mut basis_transposed = DMatrix::identity(nv, nv);
    qr.q_tr_mul(&mut basis_transposed);
    let basis = basis_transposed.rows(rank, nv - rank).transpose();
    Reduction { rank, basis }
}

/// Degrees of freedom at the pose `q` with the creature's own constraints: nv less the independent rows.
pub fn degrees_of_freedom(creature: &Creature, data: &mut Data, q: &[f64]) -> usize {
    if creature.constraints().is_empty() {
        return creature.nv();
    }
    creature.nv() - null_space(creature, data, q, creature.constraints()).rank
}

fn in_world(data: &Data, point: &BodyPoint) -> Vec3 {
    data.frames[point.body].point_in_world(point.point)
}

/// Two unit vectors perpendicular to `axis` and to each other.
fn perpendicular(axis: Vec3) -> (Vec3, Vec3) {
    let axis = axis.normalize();
    let helper = Vec3::ith(axis.iamin(), 1.0);
    let first = axis.cross(&helper).normalize();
    (first, axis.cross(&first))
}

/// Small rotation, in the axes of `a`'s side, that takes `b` to `a`; exact to first order and zero only at a = ±b.
fn rotation_error(a: &Mat3, b: &Mat3) -> Vec3 {
    let skew = a * b.transpose();
    Vec3::new(skew.m32 - skew.m23, skew.m13 - skew.m31, skew.m21 - skew.m12) * 0.5
}

fn polynomial(p: &[f64; 5], x: f64) -> f64 {
    p.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

fn polynomial_slope(p: &[f64; 5], x: f64) -> f64 {
    p[1] + x * (2.0 * p[2] + x * (3.0 * p[3] + x * 4.0 * p[4]))
}

fn combination(creature: &Creature, q: &[f64], terms: &[(usize, f64)]) -> f64 {
    let reference = creature.reference_pose();
    terms
        .iter()
        .map(|&(joint, c)| (creature.joints()[joint].q, c))
        .map(|(k, c)| c * (q[k] - reference[k]))
        .sum()
}

fn residual_block(creature: &Creature, data: &Data, q: &[f64], kind: &ConstraintKind) -> Vec<f64> {
    match kind {
        ConstraintKind::Connect { a, b } => (in_world(data, a) - in_world(data, b)).as_slice().to_vec(),
        ConstraintKind::Pin { point, position_in_world } => {
            (in_world(data, point) - position_in_world).as_slice().to_vec()
        }
        ConstraintKind::Hinge { a, b, axis_in_a, axis_in_b } => {
            let gap = in_world(data, a) - in_world(data, b);
            let (e1, e2) = perpendicular(*axis_in_a);
            let rotation = data.frames[a.body].rotation;
            let tilt = (rotation * axis_in_a.normalize())
                .cross(&(data.frames[b.body].rotation * axis_in_b.normalize()));
            vec![gap.x, gap.y, gap.z, -(rotation * e1).dot(&tilt), -(rotation * e2).dot(&tilt)]
        }
        ConstraintKind::Weld { a, b, a_from_b } => {
            let (a, b) = (&data.frames[*a], &data.frames[*b]);
            let gap = a.point_in_world(a_from_b.translation.vector) - b.position;
            let target = a.rotation * a_from_b.rotation.to_rotation_matrix().matrix();
            let turn = rotation_error(&target, &b.rotation);
            vec![gap.x, gap.y, gap.z, turn.x, turn.y, turn.z]
        }
        ConstraintKind::Coupling { left, right, polynomial: p } => {
            vec![combination(creature, q, left) - polynomial(p, combination(creature, q, right))]
        }
        ConstraintKind::Orientation { body, world_from_body } => {
            rotation_error(&data.frames[*body].rotation, world_from_body).as_slice().to_vec()
        }
        ConstraintKind::Cart { hands, positions_in_world, forward } => {
            let gaps: Vec<Vec3> =
                hands.iter().zip(positions_in_world).map(|(hand, at)| in_world(data, hand) - at).collect();
            cart_rows(&gaps, *forward)
        }
    }
}

/// A cart that only slides along `forward`: every hand keeps its place across it, and its distance along it to the
/// first hand.
fn cart_rows(hands: &[Vec3], forward: Vec3) -> Vec<f64> {
    let forward = forward.normalize();
    let (e1, e2) = perpendicular(forward);
    let mut rows = Vec::with_capacity(3 * hands.len() - 1);
    for (k, hand) in hands.iter().enumerate() {
        rows.extend([e1.dot(hand), e2.dot(hand)]);
        if k > 0 {
            rows.push(forward.dot(&(hand - hands[0])));
        }
    }
    rows
}

fn jacobian_block(creature: &Creature, data: &Data, q: &[f64], kind: &ConstraintKind) -> DMatrix<f64> {
    let nv = creature.nv();
    let point = |p: &BodyPoint| {
        let mut jacobian = DMatrix::zeros(3, nv);
        point_jacobian(creature, data, p.body, in_world(data, p), &mut jacobian);
        jacobian
    };
    let angular = |body: usize| {
        let mut jacobian = DMatrix::zeros(6, nv);
        body_jacobian(creature, data, body, data.frames[body].position, &mut jacobian);
        jacobian.rows(0, 3).into_owned()
    };
    match kind {
        ConstraintKind::Connect { a, b } => point(a) - point(b),
        ConstraintKind::Pin { point: p, .. } => point(p),
        ConstraintKind::Hinge { a, b, axis_in_a, .. } => {
            let (e1, e2) = perpendicular(*axis_in_a);
            let rotation = data.frames[a.body].rotation;
            let turn = angular(a.body) - angular(b.body);
            let mut jacobian = DMatrix::zeros(5, nv);
            jacobian.rows_mut(0, 3).copy_from(&(point(a) - point(b)));
            jacobian.row_mut(3).copy_from(&((rotation * e1).transpose() * &turn));
            jacobian.row_mut(4).copy_from(&((rotation * e2).transpose() * &turn));
            jacobian
        }
        ConstraintKind::Weld { a, b, a_from_b } => {
            let on_a = BodyPoint { body: *a, point: a_from_b.translation.vector };
            let on_b = BodyPoint { body: *b, point: Vec3::zeros() };
            let mut jacobian = DMatrix::zeros(6, nv);
            jacobian.rows_mut(0, 3).copy_from(&(point(&on_a) - point(&on_b)));
            jacobian.rows_mut(3, 3).copy_from(&(angular(*a) - angular(*b)));
            jacobian
        }
        ConstraintKind::Coupling { left, right, polynomial: p } => {
            let slope = polynomial_slope(p, combination(creature, q, right));
            let mut jacobian = DMatrix::zeros(1, nv);
            for &(joint, c) in left {
                jacobian[(0, creature.joints()[joint].v)] += c;
            }
            for &(joint, c) in right {
                jacobian[(0, creature.joints()[joint].v)] -= slope * c;
            }
            jacobian
        }
        ConstraintKind::Orientation { body, .. } => angular(*body),
        ConstraintKind::Cart { hands, forward, .. } => {
            let jacobians: Vec<_> = hands.iter().map(point).collect();
            let mut jacobian = DMatrix::zeros(kind.rows(), nv);
            for dof in 0..nv {
                let columns: Vec<Vec3> =
                    jacobians.iter().map(|j| j.column(dof).fixed_rows::<3>(0).into_owned()).collect();
                let column = cart_rows(&columns, *forward);
                jacobian.column_mut(dof).copy_from(&DVectorView::from_slice(&column, column.len()));
            }
            jacobian
        }
    }
}
