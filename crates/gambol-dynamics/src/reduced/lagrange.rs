//! ∂L/∂v and ∂L/∂g, in one pass down the tree and one up.
//!
//! With hᵦ the momentum of a body and Jᵦ its columns, spatial vectors of the world, for a variation ξ of g at constant v:
//!
//! ```text
//! δT = Σ hᵦ · (J̇ᵦ ξ − Jᵦ ad_v ξ)                J̇ᵦ: how the columns change in space while the body moves on at v
//! ```
//!
//! because body velocities νᵦ = Jᵦ v vary by η̇ + ν × η with η = Jᵦ ξ, and ξ̇ = −ad_v ξ. A column is a sum over the joints above
//! of y = s D φ, which is carried by its joint's body and changes with the chart: ẏ = ν × y + s Ḋ φ. So with H the momentum and W
//! the weight of all that hangs on a joint
//!
//! ```text
//! ∂L/∂x = Φᵀ Σ [ Dᵀ sᵀ (W − ν ×* H) + Ḋᵀ sᵀ H ],      ∂L/∂x˙ = Φᵀ Σ Dᵀ sᵀ H
//! ∂L/∂R = P × ṗ + the moment of the weight about the root,   ∂L/∂p = the weight
//! ```

use gambol_model::{Creature, JointKind};

use crate::{Force, Motion, Vec3};

use super::{ROOT, ReducedBody, ReducedData};

impl ReducedData {
    /// p = ∂L/∂v = M v at the last place: n numbers.
    pub fn momentum(&self, v: &[f64], p: &mut [f64]) {
        let n = v.len();
        for (p, row) in p.iter_mut().zip(self.mass.chunks_exact(n)) {
            *p = row.iter().zip(v).map(|(m, v)| m * v).sum();
        }
    }

    /// ∂L/∂g at the last place and the velocity v, along the group's own axes: n numbers.
    pub fn gradient(&mut self, body: &ReducedBody, v: &[f64], gradient: &mut [f64]) {
        self.move_bodies(body, v);
        self.gather_momenta(body.creature());
        self.pull_joints(body);
        let base = body.base();
        let (momentum, weight) = (self.momenta[base.body], self.weights[base.body]);
        let moment = momentum.force.cross(&Vec3::new(v[0], v[1], v[2])) + weight.moment;
        let along = self.full.frames[base.body].rotation.tr_mul(&moment);
        gradient[..3].copy_from_slice(weight.force.as_slice());
        gradient[3..ROOT].copy_from_slice(along.as_slice());
        gradient[ROOT..].fill(0.0);
        for (dof, pulled) in self.pulled.iter().enumerate() {
            for (sum, u) in gradient[ROOT..].iter_mut().zip(body.shape(dof)) {
                *sum += u * pulled;
            }
        }
    }

    /// Velocities of joints and bodies at v, and the motion that carries each axis.
    pub(super) fn move_bodies(&mut self, body: &ReducedBody, v: &[f64]) {
        let (k, creature, base) = (body.directions(), body.creature(), body.base());
        let along = |row: &[f64]| row.iter().zip(&v[ROOT..]).map(|(u, v)| u * v).sum();
        for dof in 0..creature.nv() {
            self.velocity[dof] = along(&self.chart[dof * k..(dof + 1) * k]);
            self.rate[dof] = along(body.shape(dof));
        }
        self.velocity[base.dofs()].copy_from_slice(&v[..ROOT]);
        let full = &mut self.full;
        full.velocities[0] = Motion::ZERO;
        for (index, own) in creature.bodies().iter().enumerate().skip(1) {
            let mut motion = full.velocities[own.parent].shifted(full.frames[index].offset);
            for joint in &creature.joints()[own.joints.clone()] {
                let dofs = joint.v..joint.v + joint.kind.nv();
                for dof in dofs.clone() {
                    motion += full.axes[dof] * self.velocity[dof];
                }
                self.carriers[dofs].fill(motion);
            }
            full.velocities[index] = motion;
        }
    }

    /// Momentum and weight of each body with all that hangs on it.
    fn gather_momenta(&mut self, creature: &Creature) {
        let full = &self.full;
        for index in 1..creature.bodies().len() {
            let inertia = &full.inertias[index];
            self.momenta[index] = inertia.apply(full.velocities[index]);
            let force = creature.gravity() * inertia.mass;
            self.weights[index] = Force { moment: inertia.first.cross(&creature.gravity()), force };
        }
        for index in (1..creature.bodies().len()).rev() {
            let (parent, offset) = (creature.bodies()[index].parent, full.frames[index].offset);
            if parent != 0 {
                let (momentum, weight) = (self.momenta[index], self.weights[index]);
                self.momenta[parent] += momentum.shifted(offset);
                self.weights[parent] += weight.shifted(offset);
            }
        }
    }

    /// Dᵀ sᵀ (W − ν ×* H) + Ḋᵀ sᵀ H of every joint but the root's.
    fn pull_joints(&mut self, body: &ReducedBody) {
        let creature = body.creature();
        let mut turns = self.turns.iter();
        for joint in creature.joints() {
            if joint.kind == JointKind::Free {
                self.pulled[joint.v..joint.v + ROOT].fill(0.0);
                continue;
            }
            let (momentum, carrier) = (self.momenta[joint.body], self.carriers[joint.v]);
            let force = self.weights[joint.body] + negative(carrier.cross_force(&momentum));
            let pull = |dof: usize| self.full.axes[dof].dot(&force);
            if joint.kind != JointKind::Ball {
                self.pulled[joint.v] = pull(joint.v);
                continue;
            }
            let vector = |of: &dyn Fn(usize) -> f64| Vec3::new(of(joint.v), of(joint.v + 1), of(joint.v + 2));
            let turned = |dof: usize| {
                self.full.axes[dof].dot(&momentum) + creature.dofs()[dof].armature * self.velocity[dof]
            };
            let turn = turns.next().expect("a turn for every ball");
            let rate = vector(&|dof| self.rate[dof]);
            let pulled = turn.transposed(vector(&pull)) + turn.transposed_drift(rate, vector(&turned));
            self.pulled[joint.v..joint.v + 3].copy_from_slice(pulled.as_slice());
        }
    }
}

fn negative(force: Force) -> Force {
    Force { moment: -force.moment, force: -force.force }
}
