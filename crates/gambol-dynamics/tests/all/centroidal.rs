//! Momenta about the centre of mass and the wrench from outside, on random creatures of all kinds of joints: against the sums
//! over bodies of `momentum`, against differences in time of these, and against free fall.

use crate::support::{relative, state, trees};
use gambol_dynamics::{
    Data, FloatingBase, center_of_mass, forward_dynamics, inverse_dynamics, momentum, momentum_matrix,
    outside_wrench,
};
use gambol_model::samples::{Random, TreeKind, random_tree};
use gambol_model::{Creature, Vec3};

fn floating() -> impl Iterator<Item = (u64, Creature, FloatingBase)> {
    trees().filter_map(|(seed, creature)| {
        let base = FloatingBase::of(&creature)?;
        Some((seed, creature, base))
    })
}

fn momenta(creature: &Creature, data: &mut Data, q: &[f64], v: &[f64]) -> [f64; 6] {
    let total = momentum(creature, data, q, v);
    let ([x, y, z], [a, b, c]) = (total.linear.into(), total.angular.into());
    [x, y, z, a, b, c]
}

#[test]
fn the_momentum_matrix_times_velocity_is_the_sum_over_bodies() {
    let mut met = 0;
    for (seed, creature, base) in floating() {
        let (q, v) = state(&creature, seed);
        let mut data = Data::new(&creature);
        let nv = creature.nv();
        let mut rows = vec![0.0; 6 * nv];
        let center = momentum_matrix(&creature, &base, &mut data, &q, &mut rows);
        assert!((center - center_of_mass(&creature, &mut data, &q)).norm() < 1e-12, "tree {seed}");
        let product: Vec<f64> =
            rows.chunks(nv).map(|row| row.iter().zip(&v).map(|(a, v)| a * v).sum()).collect();
        assert!(relative(&product, &momenta(&creature, &mut data, &q, &v)) < 1e-12, "tree {seed}");
        met += 1;
    }
    assert!(met > 20);
}

/// The first three rows are the mass times how the centre of mass moves: differences on the manifold.
#[test]
fn its_linear_rows_are_differences_of_the_centre_of_mass() {
    for (seed, creature, base) in floating() {
        let (q, _) = state(&creature, seed);
        let mut data = Data::new(&creature);
        let nv = creature.nv();
        let mut rows = vec![0.0; 6 * nv];
        momentum_matrix(&creature, &base, &mut data, &q, &mut rows);
        let moved = crate::support::differences(&creature, &q, |q| {
            let center = center_of_mass(&creature, &mut data, q) * base.mass;
            nalgebra::DVector::from_column_slice(center.as_slice())
        });
        for k in 0..3 {
            for dof in 0..nv {
                let (row, difference) = (rows[k * nv + dof], moved[(k, dof)]);
                assert!((row - difference).abs() < 1e-7 * base.mass, "tree {seed}: {row} and {difference}");
            }
        }
    }
}

/// The wrench is the rate of change of the momenta less gravity. With q(t) = q ⊕ (v t + a t²/2) the velocity and the
/// acceleration at t = 0 are v and a, and a central difference of the momenta needs no more than `momentum`.
#[test]
fn the_wrench_is_the_rate_of_change_of_the_momenta() {
    for (seed, creature, base) in floating() {
        let (q, v) = state(&creature, seed);
        let a = Random::new(seed ^ 0x77).numbers(creature.nv(), 3.0);
        let mut data = Data::new(&creature);
        let (wrench, tau) = outside_wrench(&creature, &base, &mut data, &q, &v, &a);
        let tau = tau.to_vec();
        assert_eq!(tau, inverse_dynamics(&creature, &mut data, &q, &v, &a));
        // Error of order h² and of rounding over h: both about 1e-9.
        let h = 1e-4;
        let mut at = |t: f64| {
            let mut moved = q.clone();
            let way: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v * t + 0.5 * a * t * t).collect();
            creature.integrate(&mut moved, &way, 1.0);
            // The velocity there, by a difference of the motion itself.
            let (mut ahead, mut behind) = (q.clone(), q.clone());
            let e = 1e-5;
            for (pose, t) in [(&mut ahead, t + e), (&mut behind, t - e)] {
                let way: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v * t + 0.5 * a * t * t).collect();
                creature.integrate(pose, &way, 1.0);
            }
            let (mut to, mut from) = (vec![0.0; creature.nv()], vec![0.0; creature.nv()]);
            creature.difference(&moved, &ahead, &mut to);
            creature.difference(&moved, &behind, &mut from);
            let speed: Vec<f64> = to.iter().zip(&from).map(|(to, from)| (to - from) / (2.0 * e)).collect();
            momenta(&creature, &mut data, &moved, &speed)
        };
        let (later, earlier) = (at(h), at(-h));
        let rate: Vec<f64> = later.iter().zip(&earlier).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let weight = creature.gravity() * base.mass;
        let expected =
            [rate[0] - weight.x, rate[1] - weight.y, rate[2] - weight.z, rate[3], rate[4], rate[5]];
        let ([x, y, z], [l, m, n]) = (wrench.force.into(), wrench.moment.into());
        assert!(relative(&[x, y, z, l, m, n], &expected) < 1e-5, "tree {seed}: {expected:?} {wrench:?}");
    }
}

/// What falls freely needs nothing, however its joints are driven.
#[test]
fn free_fall_needs_no_wrench() {
    for (seed, creature, base) in floating() {
        let (q, v) = state(&creature, seed);
        let mut data = Data::new(&creature);
        let mut tau = Random::new(seed).numbers(creature.nv(), 5.0);
        tau[base.v..base.v + 6].fill(0.0);
        let a = forward_dynamics(&creature, &mut data, &q, &v, &tau).to_vec();
        let (wrench, _) = outside_wrench(&creature, &base, &mut data, &q, &v, &a);
        // Armature of the free joint itself counts as a force at the joint, not as one on the bodies.
        let armature = creature.dofs()[base.v..base.v + 6].iter().any(|dof| dof.armature != 0.0);
        let size = base.mass * 9.81 + 5.0;
        assert!(
            armature || wrench.force.norm() + wrench.moment.norm() < 1e-9 * size,
            "tree {seed}: {wrench:?}"
        );
    }
}

#[test]
fn a_creature_that_is_held_or_is_two_has_no_floating_base() {
    let held = random_tree(3, TreeKind { bodies: 5, free_root: false, armature: false });
    assert_eq!(FloatingBase::of(&held), None);
    let floats = random_tree(3, TreeKind { bodies: 5, free_root: true, armature: false });
    let base = FloatingBase::of(&floats).unwrap();
    assert!((base.mass - floats.mass()).abs() < 1e-12 && base.body == 1);
    let q = floats.reference_pose().to_vec();
    let zero = vec![0.0; floats.nv()];
    let mut data = Data::new(&floats);
    let (wrench, _) = outside_wrench(&floats, &base, &mut data, &q, &zero, &zero);
    assert!((wrench.force - Vec3::z() * 9.81 * base.mass).norm() < 1e-9 * base.mass);
    assert!(wrench.moment.norm() < 1e-9 * base.mass);
}
