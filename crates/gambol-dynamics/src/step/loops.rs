//! Closed loops and springs over several joints: rows that always act, so they are eliminated exactly, before any contact.
//!
//! A constraint asks of the velocity v' that g(q ⊕ h v') = 0: the force acts along J at the start of the step, the equation holds
//! at its end. This is the SHAKE method, which neither gains nor loses energy. Its first Newton step, g + h J v' = 0, is taken before
//! contacts are solved; more of them follow after, since a loop that is closed a step late is shaken by the correction. A tendon with stiffness k and damping d is a row c with compliance 1/(s h² k + h d): what it adds to M' is
//! s h² k + h d times c cᵀ, and a row with compliance is Woodbury's formula for that.

use super::inertia::Inertia;
use crate::constraints::{add_jacobian, add_residuals};
use crate::springs::tendon_stretch_about;
use crate::{Creature, Data};

/// Rows that always act, in the coordinates z.
#[derive(Clone, Debug, Default)]
pub(super) struct Loops {
    count: usize,
    nv: usize,
    /// `count` rows of nv numbers, and the answers of z to unit impulses along them.
    rows: Vec<f64>,
    responses: Vec<f64>,
    /// What J v is to be, per row.
    target: Vec<f64>,
    compliance: Vec<f64>,
    /// Lower triangle of the Cholesky factor of J M'⁻¹ Jᵀ + compliance.
    factor: Vec<f64>,
}

/// Rows of a loop may repeat each other: a plane chain of hinges that closes in a hinge has three rows too many. This
/// share of the largest diagonal is added, so that such rows share the impulse and none is pushed without end. The Newton steps after
/// contact make up for what it leaves open.
const REGULARISATION: f64 = 1e-6;

impl Loops {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Computes all rows at the pose of `data.frames`; `spring_share` is s of M' = M + h D + s h² K.
    pub(super) fn prepare(
        &mut self,
        creature: &Creature,
        data: &mut Data,
        inertia: &Inertia,
        (rest, q, v): (&[f64], &[f64], &[f64]),
        (h, spring_share): (f64, f64),
    ) {
        let nv = creature.nv();
        self.nv = nv;
        self.rows.clear();
        self.target.clear();
        self.compliance.clear();
        let constraints = creature.constraints();
        add_jacobian(creature, data, q, constraints, &mut self.rows);
        add_residuals(creature, data, q, constraints, &mut self.target);
        for target in &mut self.target {
            *target /= -h;
        }
        self.compliance.resize(self.target.len(), 0.0);
        for tendon in creature.tendons() {
            let stretched = tendon_stretch_about(creature, rest, tendon, q) != 0.0;
            let one_length = tendon.rest[0] == tendon.rest[1];
            let stiffness = if stretched || one_length { tendon.stiffness } else { 0.0 };
            let stiff = spring_share * h * h * stiffness + h * tendon.damping;
            if stiff > 0.0 {
                let start = self.rows.len();
                self.rows.resize(start + nv, 0.0);
                for &(joint, c) in &tendon.terms {
                    self.rows[start + creature.joints()[joint].v] += c;
                }
                self.target.push(self.rows[start..].iter().zip(v).map(|(c, v)| c * v).sum());
                self.compliance.push(1.0 / stiff);
            }
        }
        self.count = self.target.len();
        self.responses.clear();
        for k in 0..self.count {
            inertia.whiten(&mut self.rows[k * nv..(k + 1) * nv]);
            let start = self.responses.len();
            self.responses.extend_from_slice(&self.rows[k * nv..(k + 1) * nv]);
            inertia.respond(creature, data, &mut self.responses[start..]);
        }
        self.factorise();
    }

    fn factorise(&mut self) {
        let (n, nv) = (self.count, self.nv);
        self.factor.clear();
        self.factor.resize(n * n, 0.0);
        for a in 0..n {
            for b in 0..=a {
                let row = &self.rows[a * nv..(a + 1) * nv];
                self.factor[a * n + b] =
                    row.iter().zip(&self.responses[b * nv..]).map(|(x, y)| x * y).sum::<f64>();
            }
            self.factor[a * n + a] += self.compliance[a];
        }
        let largest = (0..n).map(|a| self.factor[a * n + a]).fold(0.0, f64::max);
        for a in 0..n {
            self.factor[a * n + a] += REGULARISATION * largest;
            for b in 0..=a {
                let dot: f64 = (0..b).map(|k| self.factor[a * n + k] * self.factor[b * n + k]).sum();
                let rest = self.factor[a * n + b] - dot;
                self.factor[a * n + b] =
                    if a == b { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / self.factor[b * n + b] };
            }
        }
    }

    /// Moves `z` so that every row has its target velocity.
    pub(super) fn close(&self, z: &mut [f64], scratch: &mut Vec<f64>) {
        scratch.clear();
        scratch.extend((0..self.count).map(|k| self.target[k] - self.velocity(k, z)));
        self.push(z, scratch);
    }

    /// What is left of a response when the rows answer to it.
    pub(super) fn project(&self, response: &mut [f64], scratch: &mut Vec<f64>) {
        scratch.clear();
        scratch.extend((0..self.count).map(|k| -self.velocity(k, response)));
        self.push(response, scratch);
    }

    /// Moves `z` so that the loops, which would be open by the `residual` after a step of `h`, close.
    pub(super) fn tighten(&self, z: &mut [f64], residual: &[f64], h: f64, scratch: &mut Vec<f64>) {
        scratch.clear();
        scratch.extend(residual.iter().map(|g| -g / h));
        scratch.resize(self.count, 0.0); // tendons only follow
        self.push(z, scratch);
    }

    fn velocity(&self, row: usize, z: &[f64]) -> f64 {
        self.rows[row * self.nv..(row + 1) * self.nv].iter().zip(z).map(|(x, z)| x * z).sum()
    }

    /// Impulses along all rows that change their velocities by `change`, which they replace.
    fn push(&self, z: &mut [f64], change: &mut [f64]) {
        let (n, nv) = (self.count, self.nv);
        for a in 0..n {
            let dot: f64 = (0..a).map(|k| self.factor[a * n + k] * change[k]).sum();
            change[a] = (change[a] - dot) / self.factor[a * n + a];
        }
        for a in (0..n).rev() {
            let dot: f64 = (a + 1..n).map(|k| self.factor[k * n + a] * change[k]).sum();
            change[a] = (change[a] - dot) / self.factor[a * n + a];
        }
        for (k, impulse) in change.iter().enumerate() {
            for (z, response) in z.iter_mut().zip(&self.responses[k * nv..(k + 1) * nv]) {
                *z += response * impulse;
            }
        }
    }
}
