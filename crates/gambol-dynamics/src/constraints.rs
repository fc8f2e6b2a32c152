//! Constraints beyond the tree: their residual, their Jacobian, and the directions they leave free.
//!
//! In joint coordinates a tree needs no constraint at all; only closed loops and extra demands are left, a few rows.
//! The residual g(q) and the Jacobian J = ∂g/∂q belong together: g(q ⊕ ε δ) = g(q) + ε J δ + O(ε²) where g = 0.

use nalgebra::{DMatrix, DVector};

use crate::{Creature, Data, Mat3, Vec3, each_axis_above, forward_kinematics};
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
    let mut residual = Vec::with_capacity(constraint_rows(constraints));
    add_residuals(creature, data, q, constraints, &mut residual);
    residual.into()
}

/// Jacobian J(q) of the constraints: rows × nv.
pub fn constraint_jacobian(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    constraints: &[Constraint],
) -> DMatrix<f64> {
    forward_kinematics(creature, data, q);
    let mut rows = Vec::with_capacity(constraint_rows(constraints) * creature.nv());
    add_jacobian(creature, data, q, constraints, &mut rows);
    DMatrix::from_row_slice(constraint_rows(constraints), creature.nv(), &rows)
}

/// Appends the residual at the pose of `data.frames`.
pub(crate) fn add_residuals(
    creature: &Creature,
    data: &Data,
    q: &[f64],
    constraints: &[Constraint],
    residual: &mut Vec<f64>,
) {
    for constraint in constraints {
        add_residual(creature, data, q, &constraint.kind, residual);
    }
}

/// Appends the Jacobian at the pose of `data.frames`, row by row.
pub(crate) fn add_jacobian(
    creature: &Creature,
    data: &Data,
    q: &[f64],
    constraints: &[Constraint],
    rows: &mut Vec<f64>,
) {
    for constraint in constraints {
        let start = rows.len();
        rows.resize(start + constraint.kind.rows() * creature.nv(), 0.0);
        fill_rows(creature, data, q, &constraint.kind, &mut rows[start..]);
    }
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

fn add_residual(creature: &Creature, data: &Data, q: &[f64], kind: &ConstraintKind, residual: &mut Vec<f64>) {
    match kind {
        ConstraintKind::Connect { a, b } => {
            residual.extend((in_world(data, a) - in_world(data, b)).iter());
        }
        ConstraintKind::Pin { point, position_in_world } => {
            residual.extend((in_world(data, point) - position_in_world).iter());
        }
        ConstraintKind::Hinge { a, b, axis_in_a, axis_in_b } => {
            residual.extend((in_world(data, a) - in_world(data, b)).iter());
            let (e1, e2) = perpendicular(*axis_in_a);
            let rotation = data.frames[a.body].rotation;
            let tilt = (rotation * axis_in_a.normalize())
                .cross(&(data.frames[b.body].rotation * axis_in_b.normalize()));
            residual.extend([-(rotation * e1).dot(&tilt), -(rotation * e2).dot(&tilt)]);
        }
        ConstraintKind::Weld { a, b, a_from_b } => {
            let (a, b) = (&data.frames[*a], &data.frames[*b]);
            residual.extend((a.point_in_world(a_from_b.translation.vector) - b.position).iter());
            let target = a.rotation * a_from_b.rotation.to_rotation_matrix().matrix();
            residual.extend(rotation_error(&target, &b.rotation).iter());
        }
        ConstraintKind::Coupling { left, right, polynomial: p } => {
            residual.push(combination(creature, q, left) - polynomial(p, combination(creature, q, right)));
        }
        ConstraintKind::Orientation { body, world_from_body } => {
            residual.extend(rotation_error(&data.frames[*body].rotation, world_from_body).iter());
        }
        ConstraintKind::Cart { hands, positions_in_world, forward } => {
            let [e1, e2, forward] = cart_axes(*forward);
            let gap = |k: usize| in_world(data, &hands[k]) - positions_in_world[k];
            for k in 0..hands.len() {
                residual.extend([e1.dot(&gap(k)), e2.dot(&gap(k))]);
                if k > 0 {
                    residual.push(forward.dot(&(gap(k) - gap(0))));
                }
            }
        }
    }
}

/// Two directions across a cart's way, and the way: every hand keeps its place across it, and its distance along it to
/// the first hand.
fn cart_axes(forward: Vec3) -> [Vec3; 3] {
    let (e1, e2) = perpendicular(forward);
    [e1, e2, forward.normalize()]
}

/// Rows of one constraint; `rows` is zero and is filled row by row.
fn fill_rows(creature: &Creature, data: &Data, q: &[f64], kind: &ConstraintKind, rows: &mut [f64]) {
    let nv = creature.nv();
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    match kind {
        ConstraintKind::Connect { a, b } => {
            add_point(creature, data, rows, a, &axes, 1.0);
            add_point(creature, data, rows, b, &axes, -1.0);
        }
        ConstraintKind::Pin { point, .. } => add_point(creature, data, rows, point, &axes, 1.0),
        ConstraintKind::Hinge { a, b, axis_in_a, .. } => {
            add_point(creature, data, rows, a, &axes, 1.0);
            add_point(creature, data, rows, b, &axes, -1.0);
            let (e1, e2) = perpendicular(*axis_in_a);
            let rotation = data.frames[a.body].rotation;
            let across = [rotation * e1, rotation * e2];
            add_turn(creature, data, &mut rows[3 * nv..], a.body, &across, 1.0);
            add_turn(creature, data, &mut rows[3 * nv..], b.body, &across, -1.0);
        }
        ConstraintKind::Weld { a, b, a_from_b } => {
            let on_a = BodyPoint { body: *a, point: a_from_b.translation.vector };
            let on_b = BodyPoint { body: *b, point: Vec3::zeros() };
            add_point(creature, data, rows, &on_a, &axes, 1.0);
            add_point(creature, data, rows, &on_b, &axes, -1.0);
            add_turn(creature, data, &mut rows[3 * nv..], *a, &axes, 1.0);
            add_turn(creature, data, &mut rows[3 * nv..], *b, &axes, -1.0);
        }
        ConstraintKind::Coupling { left, right, polynomial: p } => {
            let slope = polynomial_slope(p, combination(creature, q, right));
            for &(joint, c) in left {
                rows[creature.joints()[joint].v] += c;
            }
            for &(joint, c) in right {
                rows[creature.joints()[joint].v] -= slope * c;
            }
        }
        ConstraintKind::Orientation { body, .. } => add_turn(creature, data, rows, *body, &axes, 1.0),
        ConstraintKind::Cart { hands, forward, .. } => {
            let [e1, e2, forward] = cart_axes(*forward);
            let mut rest = rows;
            for (k, hand) in hands.iter().enumerate() {
                let (own, further) = rest.split_at_mut(if k == 0 { 2 * nv } else { 3 * nv });
                add_point(creature, data, own, hand, &[e1, e2], 1.0);
                if k > 0 {
                    add_point(creature, data, &mut own[2 * nv..], hand, &[forward], 1.0);
                    add_point(creature, data, &mut own[2 * nv..], &hands[0], &[forward], -1.0);
                }
                rest = further;
            }
        }
    }
}

/// Adds `sign` times the velocity of a point along each of `directions`, one row each.
fn add_point(
    creature: &Creature,
    data: &Data,
    rows: &mut [f64],
    point: &BodyPoint,
    directions: &[Vec3],
    sign: f64,
) {
    let at = in_world(data, point);
    each_axis_above(creature, data, point.body, |dof, angular, linear, origin| {
        let velocity = linear + angular.cross(&(at - origin));
        for (k, direction) in directions.iter().enumerate() {
            rows[k * creature.nv() + dof] += sign * direction.dot(&velocity);
        }
    });
}

/// Adds `sign` times the angular velocity of a body along each of `directions`, one row each.
fn add_turn(creature: &Creature, data: &Data, rows: &mut [f64], body: usize, directions: &[Vec3], sign: f64) {
    each_axis_above(creature, data, body, |dof, angular, _, _| {
        for (k, direction) in directions.iter().enumerate() {
            rows[k * creature.nv() + dof] += sign * direction.dot(&angular);
        }
    });
}
