//! Joint springs and dampers.

use nalgebra::DMatrix;

use crate::{Creature, Data, JointKind};
use gambol_model::Tendon;

/// Forces of the joint springs and dampers and of the tendons at (q, v), per velocity coordinate:
/// τ = −k (q ⊖ rest) − d v − Σ cᵀ (k_t Δl + d_t l̇).
///
/// The spring of a ball turns it back along the shortest rotation; that is the gradient of ½ k angle².
pub fn passive_forces<'d>(creature: &Creature, data: &'d mut Data, q: &[f64], v: &[f64]) -> &'d [f64] {
    passive_forces_about(creature, creature.rest_pose(), data, q, v)
}

/// The same with the springs at rest in the pose `rest`: what muscles do that move the equilibrium. Tendons move along: what
/// the joints of one are displaced by at rest is added to its rest length, so that the stiffness about the moved
/// equilibrium is that of the analysis.
pub fn passive_forces_about<'d>(
    creature: &Creature,
    rest: &[f64],
    data: &'d mut Data,
    q: &[f64],
    v: &[f64],
) -> &'d [f64] {
    let tau = &mut data.passive;
    creature.difference(rest, q, tau);
    for joint in creature.joints() {
        for dof in joint.v..joint.v + joint.kind.nv() {
            tau[dof] = -joint.stiffness * tau[dof] - joint.damping * v[dof];
        }
        if joint.kind == JointKind::Free && joint.stiffness == 0.0 && joint.damping == 0.0 {
            tau[joint.v..joint.v + 6].fill(0.0); // a free root far away must not give 0 · ∞
        }
    }
    for tendon in creature.tendons() {
        let rate: f64 = tendon.terms.iter().map(|&(joint, c)| c * v[creature.joints()[joint].v]).sum();
        let stretch = tendon_stretch_about(creature, rest, tendon, q);
        let force = -tendon.stiffness * stretch - tendon.damping * rate;
        for &(joint, c) in &tendon.terms {
            tau[creature.joints()[joint].v] += c * force;
        }
    }
    tau
}

/// How far a tendon is longer (positive) or shorter (negative) than its rest length, which has moved by as much as the
/// pose `rest` moves its joints away from the creature's own rest pose.
pub fn tendon_stretch_about(creature: &Creature, rest: &[f64], tendon: &Tendon, q: &[f64]) -> f64 {
    let own = creature.rest_pose();
    let term = |&(joint, c): &(usize, f64)| {
        let k = creature.joints()[joint].q;
        c * (q[k] - (rest[k] - own[k]))
    };
    let length: f64 = tendon.terms.iter().map(term).sum();
    let [low, high] = tendon.rest;
    if length > high {
        length - high
    } else if length < low {
        length - low
    } else {
        0.0
    }
}

/// The stiffness matrix K of the joints about their rest pose: the joint stiffnesses on the diagonal (zero for a free
/// root without a spring) and k c cᵀ for every tendon whose spring has one rest length.
pub fn stiffness_matrix(creature: &Creature) -> DMatrix<f64> {
    let mut k = DMatrix::zeros(creature.nv(), creature.nv());
    for joint in creature.joints() {
        for dof in joint.v..joint.v + joint.kind.nv() {
            k[(dof, dof)] = joint.stiffness;
        }
    }
    for tendon in creature.tendons().iter().filter(|tendon| tendon.rest[0] == tendon.rest[1]) {
        for &(a, ca) in &tendon.terms {
            for &(b, cb) in &tendon.terms {
                k[(creature.joints()[a].v, creature.joints()[b].v)] += tendon.stiffness * ca * cb;
            }
        }
    }
    k
}
