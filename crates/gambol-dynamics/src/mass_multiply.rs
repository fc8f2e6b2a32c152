//! The mass matrix times a vector, without the matrix: inverse dynamics at rest, O(n).
//!
//! ```text
//! for each body b, parents first:    a_b = a_parent + Σ s_i x_i;  f_b = I_b a_b
//! for each body b, children first:   (M x)_i = s_i · f_b + armature_i x_i;  f_parent += f_b
//! ```
//!
//! The matrix of a chain of 100 000 joints would fill 40 GB; this needs nothing but [`Data`].

use nalgebra::DMatrix;

use crate::crba::composite_inertias;
use crate::kinematics::{body_inertias, forward_kinematics};
use crate::spatial::RigidInertia;
use crate::{Creature, Data, Force, Motion, Vec3};

/// Writes what [`multiply_mass`] and [`MassMultiplier`] need at the pose `q`: `data.frames`, `data.axes` and the
/// inertias of the bodies along the world axes.
pub fn prepare_mass(creature: &Creature, data: &mut Data, q: &[f64]) {
    forward_kinematics(creature, data, q);
    body_inertias(creature, data);
}

/// `out` = M x at the pose of the last [`prepare_mass`] (or of any function that computes dynamics).
///
/// Overwrites `data.accelerations`; allocates nothing.
pub fn multiply_mass(creature: &Creature, data: &mut Data, x: &[f64], out: &mut [f64]) {
    assert_eq!(x.len(), creature.nv(), "the vector has the wrong length");
    assert_eq!(out.len(), creature.nv(), "the product has the wrong length");
    data.accelerations[0] = Motion::ZERO;
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let mut acceleration = data.accelerations[body.parent].shifted(data.frames[index].offset);
        for dof in body.dofs.clone() {
            acceleration += data.axes[dof] * x[dof];
        }
        data.accelerations[index] = acceleration;
        data.forces[index] = data.inertias[index].apply(acceleration);
    }
    for (index, body) in creature.bodies().iter().enumerate().skip(1).rev() {
        let force = data.forces[index];
        for dof in body.dofs.clone() {
            out[dof] = data.axes[dof].dot(&force) + creature.dofs()[dof].armature * x[dof];
        }
        data.forces[body.parent] += force.shifted(data.frames[index].offset);
    }
    data.forces[0] = Force::default();
}

/// What moves whole trees: `inertia` = M_tt and `momentum` = (M v)_t for the coordinates t = `top`, each of a body that
/// hangs on the world, at the pose `q`. O(n) where the whole matrix is not.
///
/// Writes what [`prepare_mass`] and [`multiply_mass`] write; allocates nothing.
pub fn top_momentum(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
    top: &[usize],
    inertia: &mut DMatrix<f64>,
    momentum: &mut [f64],
) {
    assert_eq!(inertia.shape(), (top.len(), top.len()), "the inertia has the wrong size");
    assert_eq!((v.len(), momentum.len()), (creature.nv(), top.len()), "a vector has the wrong length");
    prepare_mass(creature, data, q);
    composite_inertias(creature, data);
    data.accelerations[0] = Motion::ZERO;
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let mut velocity = data.accelerations[body.parent].shifted(data.frames[index].offset);
        for dof in body.dofs.clone() {
            velocity += data.axes[dof] * v[dof];
        }
        data.accelerations[index] = velocity;
        data.forces[index] = data.inertias[index].apply(velocity);
    }
    for (index, body) in creature.bodies().iter().enumerate().skip(1).rev() {
        if body.parent != 0 {
            let force = data.forces[index].shifted(data.frames[index].offset);
            data.forces[body.parent] += force;
        }
    }
    let body_of = |dof: usize| creature.joints()[creature.dofs()[dof].joint].body;
    for (row, &i) in top.iter().enumerate() {
        let armature = creature.dofs()[i].armature;
        momentum[row] = data.axes[i].dot(&data.forces[body_of(i)]) + armature * v[i];
        let force = data.composites[body_of(i)].apply(data.axes[i]);
        for (column, &j) in top.iter().enumerate() {
            let together = if body_of(i) == body_of(j) { data.axes[j].dot(&force) } else { 0.0 };
            inertia[(row, column)] = together + if i == j { armature } else { 0.0 };
        }
    }
}

/// Several numbers that are worked on side by side: one coordinate of `B` vectors.
type Lanes<const B: usize> = [f64; B];

/// The mass matrix at one pose, ready to multiply `B` vectors at a time.
///
/// The recursion along a chain waits at every body for the one before. With several vectors side by side the
/// processor has something to do meanwhile, and each body is read from memory once for all of them.
#[derive(Clone, Debug)]
pub struct MassMultiplier<const B: usize> {
    bodies: Vec<Link>,
    /// Per velocity coordinate: its axis and its armature.
    axes: Vec<(Motion, f64)>,
    /// Per body: acceleration on the way out, force on the way back; angular part first.
    spatial: Vec<[Lanes<B>; 6]>,
}

/// What the recursion reads of a body.
#[derive(Clone, Debug)]
struct Link {
    parent: usize,
    dofs: std::ops::Range<usize>,
    /// Origin of the body minus that of its parent, along the world axes, m.
    offset: Vec3,
    /// About the body's origin, along the world axes.
    inertia: RigidInertia,
}

impl<const B: usize> MassMultiplier<B> {
    /// The mass matrix at the pose of the last [`prepare_mass`].
    pub fn new(creature: &Creature, data: &Data) -> Self {
        let link = |(index, body): (usize, &gambol_model::Body)| Link {
            parent: body.parent,
            dofs: body.dofs.clone(),
            offset: data.frames[index].offset,
            inertia: data.inertias[index],
        };
        Self {
            bodies: creature.bodies().iter().enumerate().map(link).collect(),
            axes: data.axes.iter().zip(creature.dofs()).map(|(axis, dof)| (*axis, dof.armature)).collect(),
            spatial: vec![[[0.0; B]; 6]; creature.bodies().len()],
        }
    }

    /// `out` = M x for each of the `B` vectors; `x[i][l]` is coordinate i of vector l. Allocates nothing.
    pub fn multiply(&mut self, x: &[Lanes<B>], out: &mut [Lanes<B>]) {
        assert_eq!(x.len(), self.axes.len(), "the vectors have the wrong length");
        assert_eq!(out.len(), self.axes.len(), "the products have the wrong length");
        let spatial = &mut self.spatial;
        spatial[0] = [[0.0; B]; 6];
        for (index, link) in self.bodies.iter().enumerate().skip(1) {
            let mut acceleration = shifted_motion(&spatial[link.parent], link.offset);
            for dof in link.dofs.clone() {
                let s = components(&self.axes[dof].0);
                for k in 0..6 {
                    for l in 0..B {
                        acceleration[k][l] += s[k] * x[dof][l];
                    }
                }
            }
            spatial[index] = acceleration;
        }
        // The force of a body takes the place of its acceleration. A child comes before its parent here, and adds
        // to a force: the accelerations must all have become forces by then.
        for (force, link) in spatial.iter_mut().zip(&self.bodies) {
            *force = apply(&link.inertia, force);
        }
        for (index, link) in self.bodies.iter().enumerate().skip(1).rev() {
            let force = spatial[index];
            for dof in link.dofs.clone() {
                let (axis, armature) = &self.axes[dof];
                let s = components(axis);
                for l in 0..B {
                    let mut sum = armature * x[dof][l];
                    for k in 0..6 {
                        sum += s[k] * force[k][l];
                    }
                    out[dof][l] = sum;
                }
            }
            add_shifted_force(&mut spatial[link.parent], &force, link.offset);
        }
    }
}

#[inline(always)]
fn components(m: &Motion) -> [f64; 6] {
    [m.angular.x, m.angular.y, m.angular.z, m.linear.x, m.linear.y, m.linear.z]
}

/// The same motions read at an origin that lies `d` further on: v + ω × d.
#[inline(always)]
fn shifted_motion<const B: usize>(m: &[Lanes<B>; 6], d: Vec3) -> [Lanes<B>; 6] {
    let mut out = *m;
    for l in 0..B {
        out[3][l] += m[1][l] * d.z - m[2][l] * d.y;
        out[4][l] += m[2][l] * d.x - m[0][l] * d.z;
        out[5][l] += m[0][l] * d.y - m[1][l] * d.x;
    }
    out
}

/// Adds forces with their moments about an origin from which theirs lies `d` away: τ + d × f.
#[inline(always)]
fn add_shifted_force<const B: usize>(sum: &mut [Lanes<B>; 6], f: &[Lanes<B>; 6], d: Vec3) {
    for l in 0..B {
        sum[0][l] += f[0][l] + (d.y * f[5][l] - d.z * f[4][l]);
        sum[1][l] += f[1][l] + (d.z * f[3][l] - d.x * f[5][l]);
        sum[2][l] += f[2][l] + (d.x * f[4][l] - d.y * f[3][l]);
        sum[3][l] += f[3][l];
        sum[4][l] += f[4][l];
        sum[5][l] += f[5][l];
    }
}

/// Forces that accelerate a body so: τ = I ω + h × v, f = m v + ω × h.
#[inline(always)]
fn apply<const B: usize>(inertia: &RigidInertia, a: &[Lanes<B>; 6]) -> [Lanes<B>; 6] {
    let [xx, yy, zz, xy, xz, yz] = inertia.second;
    let (m, h) = (inertia.mass, inertia.first);
    let mut f = [[0.0; B]; 6];
    for l in 0..B {
        let [wx, wy, wz, vx, vy, vz] = [a[0][l], a[1][l], a[2][l], a[3][l], a[4][l], a[5][l]];
        f[0][l] = xx * wx + xy * wy + xz * wz + (h.y * vz - h.z * vy);
        f[1][l] = xy * wx + yy * wy + yz * wz + (h.z * vx - h.x * vz);
        f[2][l] = xz * wx + yz * wy + zz * wz + (h.x * vy - h.y * vx);
        f[3][l] = m * vx + (wy * h.z - wz * h.y);
        f[4][l] = m * vy + (wz * h.x - wx * h.z);
        f[5][l] = m * vz + (wx * h.y - wy * h.x);
    }
    f
}
