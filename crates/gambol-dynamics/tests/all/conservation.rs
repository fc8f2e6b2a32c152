//! A tumbling creature without gravity, springs or dampers keeps its energy and momenta. An integrator of order p
//! makes them drift by O(hᵖ): halving the step must divide the drift by about 2ᵖ, else a force is wrong somewhere.

use crate::support::{state, tumbler};
use gambol_dynamics::{Data, Momentum, energy, forward_dynamics, momentum, passive_forces};
use gambol_model::math;
use gambol_model::samples::{Random, TreeKind, random_tree};
use gambol_model::{Creature, JointKind};

/// Rate of change of the pose coordinates themselves: quaternions move by ½ q ∘ ω.
fn pose_rate(creature: &Creature, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut rate = vec![0.0; creature.nq()];
    for joint in creature.joints() {
        let (iq, iv) = (joint.q, joint.v);
        let spin = |quat: &[f64], w: &[f64]| {
            let [a, b, c, d] = [quat[0], quat[1], quat[2], quat[3]];
            [
                -0.5 * (b * w[0] + c * w[1] + d * w[2]),
                0.5 * (a * w[0] + c * w[2] - d * w[1]),
                0.5 * (a * w[1] + d * w[0] - b * w[2]),
                0.5 * (a * w[2] + b * w[1] - c * w[0]),
            ]
        };
        match joint.kind {
            JointKind::Free => {
                rate[iq..iq + 3].copy_from_slice(&v[iv..iv + 3]);
                rate[iq + 3..iq + 7].copy_from_slice(&spin(&q[iq + 3..iq + 7], &v[iv + 3..iv + 6]));
            }
            JointKind::Ball => rate[iq..iq + 4].copy_from_slice(&spin(&q[iq..iq + 4], &v[iv..iv + 3])),
            JointKind::Hinge | JointKind::Slide => rate[iq] = v[iv],
        }
    }
    rate
}

/// Classical fourth-order Runge–Kutta on (q, v).
fn runge_kutta(creature: &Creature, data: &mut Data, q: &mut [f64], v: &mut [f64], h: f64, springs: bool) {
    let nv = creature.nv();
    let mut slope = |q: &[f64], v: &[f64]| {
        let tau = if springs { passive_forces(creature, data, q, v).to_vec() } else { vec![0.0; nv] };
        (pose_rate(creature, q, v), forward_dynamics(creature, data, q, v, &tau).to_vec())
    };
    let along =
        |x: &[f64], dx: &[f64], h: f64| -> Vec<f64> { x.iter().zip(dx).map(|(x, dx)| x + h * dx).collect() };
    let (q1, v1) = slope(q, v);
    let (q2, v2) = slope(&along(q, &q1, h / 2.0), &along(v, &v1, h / 2.0));
    let (q3, v3) = slope(&along(q, &q2, h / 2.0), &along(v, &v2, h / 2.0));
    let (q4, v4) = slope(&along(q, &q3, h), &along(v, &v3, h));
    for k in 0..q.len() {
        q[k] += h / 6.0 * (q1[k] + 2.0 * q2[k] + 2.0 * q3[k] + q4[k]);
    }
    for k in 0..v.len() {
        v[k] += h / 6.0 * (v1[k] + 2.0 * v2[k] + 2.0 * v3[k] + v4[k]);
    }
}

/// Largest drift of energy and of the momenta over half a second.
fn drift(creature: &Creature, seed: u64, steps: u32, springs: bool) -> (f64, f64) {
    let mut data = Data::new(creature);
    let (mut q, mut v) = state(creature, seed);
    let total = |data: &mut Data, q: &[f64], v: &[f64]| energy(creature, data, q, v).total();
    let start: (f64, Momentum) = (total(&mut data, &q, &v), momentum(creature, &mut data, &q, &v));
    let (mut energy_drift, mut momentum_drift) = (0.0f64, 0.0f64);
    for _ in 0..steps {
        runge_kutta(creature, &mut data, &mut q, &mut v, 0.5 / f64::from(steps), springs);
        let now = momentum(creature, &mut data, &q, &v);
        energy_drift = energy_drift.max((total(&mut data, &q, &v) - start.0).abs() / start.0);
        momentum_drift = momentum_drift.max((now.linear - start.1.linear).norm() / start.1.linear.norm());
        momentum_drift = momentum_drift.max((now.angular - start.1.angular).norm() / start.1.angular.norm());
    }
    (energy_drift, momentum_drift)
}

#[test]
fn drift_of_energy_and_momenta_falls_with_the_fourth_power_of_the_step() {
    for (seed, springs) in [(3, false), (4, false), (5, true), (8, true)] {
        let creature = tumbler(seed, springs);
        let coarse = drift(&creature, seed, 100, springs);
        let fine = drift(&creature, seed, 200, springs);
        for (what, coarse, fine) in [("energy", coarse.0, fine.0), ("momenta", coarse.1, fine.1)] {
            let order = math::log2(coarse / fine);
            // Fourth order, with room for the next terms of the series; drifts at rounding level say nothing.
            assert!(
                fine < 1e-11 || (3.5..6.0).contains(&order),
                "tree {seed}: {what} drifts {coarse:e}, {fine:e}: order {order:.2}"
            );
            assert!(fine < 1e-5, "tree {seed}: {what} drifts {fine:e}");
        }
    }
}

#[test]
fn a_thrown_creature_falls_as_its_centre_of_mass() {
    let creature = random_tree(11, TreeKind { bodies: 10, free_root: true, armature: false });
    let mut random = Random::new(1);
    let mut data = Data::new(&creature);
    let (q, v) = (random.pose(&creature, 0.5), random.numbers(creature.nv(), 1.0));
    let h = 1e-5;
    let mut at = |q: &[f64], v: &[f64]| momentum(&creature, &mut data, q, v).linear / creature.mass();
    let before = at(&q, &v);
    let (mut q2, mut v2) = (q.clone(), v.clone());
    let mut data2 = Data::new(&creature);
    runge_kutta(&creature, &mut data2, &mut q2, &mut v2, h, false);
    let acceleration = (at(&q2, &v2) - before) / h;
    assert!((acceleration - creature.gravity()).norm() < 1e-8, "{acceleration}");
}
