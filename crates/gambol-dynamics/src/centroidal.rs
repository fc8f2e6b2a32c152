//! A creature as seen from its centre of mass: the momenta that its joints make, and the wrench from outside that a motion
//! needs (Orin, Goswami and Lee 2013).

use gambol_model::JointKind;

use crate::crba::composite_inertias;
use crate::kinematics::{body_inertias, forward_kinematics};
use crate::rnea::inverse_dynamics;
use crate::{Creature, Data, Vec3};

/// The one body of a creature that nothing holds, and on which all else that moves hangs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatingBase {
    /// Index of the body.
    pub body: usize,
    /// First pose coordinate of its free joint: position, then quaternion.
    pub q: usize,
    /// First velocity coordinate: linear in the world, then angular in the body.
    pub v: usize,
    /// Mass of the body and of all that hangs on it, kg.
    pub mass: f64,
}

impl FloatingBase {
    /// The floating base of `creature`; `None` if it is held by the world, or is several creatures.
    pub fn of(creature: &Creature) -> Option<Self> {
        let free = creature.joints().iter().find(|joint| joint.kind == JointKind::Free)?;
        let mut hangs = vec![false; creature.bodies().len()];
        let mut mass = 0.0;
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            hangs[index] = index == free.body || hangs[body.parent];
            if hangs[index] {
                mass += body.mass.mass;
            } else if !body.dofs.is_empty() {
                return None;
            }
        }
        (mass > 0.0).then_some(Self { body: free.body, q: free.q, v: free.v, mass })
    }
}

/// A force and a moment about the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// N, along the world axes.
    pub force: Vec3,
    /// N·m about the centre of mass, along the world axes.
    pub moment: Vec3,
    /// The centre of mass in the world, m.
    pub center: Vec3,
}

/// The centroidal momentum matrix A(q): the momenta of the creature are A v. Rows 0–2 are linear momentum, N·s, rows 3–5
/// angular momentum about the centre of mass, N·m·s, along the world axes; six rows of `nv` numbers, written to `rows`.
/// Returns the centre of mass, m.
///
/// ```text
/// for each coordinate i of body b:   h = I_b^c s_i at b's origin, then moved to the centre of mass
/// ```
///
/// Writes what [`forward_kinematics`] writes.
pub fn momentum_matrix(
    creature: &Creature,
    base: &FloatingBase,
    data: &mut Data,
    q: &[f64],
    rows: &mut [f64],
) -> Vec3 {
    let nv = creature.nv();
    assert_eq!(rows.len(), 6 * nv, "the momentum matrix has six rows");
    forward_kinematics(creature, data, q);
    body_inertias(creature, data);
    composite_inertias(creature, data);
    let center = composite_center(base, data);
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        for dof in body.dofs.clone() {
            let own = data.composites[index].apply(data.axes[dof]);
            let about_center = own.shifted(data.frames[index].position - center);
            for k in 0..3 {
                rows[k * nv + dof] = about_center.force[k];
                rows[(3 + k) * nv + dof] = about_center.moment[k];
            }
        }
    }
    center
}

/// What must act on the creature from outside, besides gravity, for it to move like this, and the joint forces if it all acts
/// at the base: what [`inverse_dynamics`] returns.
///
/// The force through the base's joint is that on all that hangs on it: the rate of change of its momenta, less gravity.
///
/// ```text
/// Σ f = m (c̈ − g),   Σ (p − c) × f = L̇ about the centre of mass c
/// ```
///
/// Writes what [`inverse_dynamics`] writes.
pub fn outside_wrench<'d>(
    creature: &Creature,
    base: &FloatingBase,
    data: &'d mut Data,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) -> (Wrench, &'d [f64]) {
    inverse_dynamics(creature, data, q, v, a);
    composite_inertias(creature, data);
    let center = composite_center(base, data);
    let through_root = data.forces[base.body].shifted(data.frames[base.body].position - center);
    (Wrench { force: through_root.force, moment: through_root.moment, center }, &data.tau)
}

/// Centre of mass of all that hangs on the base, m, from `data.composites`.
fn composite_center(base: &FloatingBase, data: &Data) -> Vec3 {
    data.frames[base.body].position + data.composites[base.body].first / base.mass
}
