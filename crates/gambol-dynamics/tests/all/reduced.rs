//! Principal geodesic dynamics: equations of motion in a few directions against differences on the group, what steps conserve,
//! and the creature's own step where the directions are all of them.

use gambol_dynamics::reduced::{
    Integrator, PLACE, ROOT, ReducedBody, ReducedData, ReducedError, ReducedState, discrete_momentum,
    reduced_step,
};
use gambol_dynamics::{Data, Drive, State, StepSettings, Stepper, World, energy, step};
use gambol_model::samples::{Random, TreeKind, chain, random_tree};
use gambol_model::{Creature, Vec3};
use nalgebra::UnitQuaternion;

use crate::support::relative;

/// A tree with balls, hinges and slides, several to a body, in `k` random directions.
fn random_body(seed: u64, k: usize) -> ReducedBody {
    let creature =
        random_tree(seed, TreeKind { bodies: 12, free_root: true, armature: seed.is_multiple_of(2) });
    let mut random = Random::new(seed ^ 0x5eed);
    let mean = random.pose(&creature, 0.5);
    let directions: Vec<Vec<f64>> = (0..k).map(|_| random.numbers(creature.nv(), 1.0)).collect();
    ReducedBody::new(&creature, &mean, directions.iter().map(Vec::as_slice)).unwrap()
}

fn random_state(body: &ReducedBody, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let mut g = body.start();
    let n = body.n();
    let step = random.numbers(n, 0.8);
    moved(&mut g, &step, 1.0);
    (g, random.numbers(n, 1.5))
}

/// g exp(ε ξ), written out apart from the library's own.
fn moved(g: &mut [f64], along: &[f64], by: f64) {
    for k in 0..3 {
        g[k] += by * along[k];
    }
    let turn = UnitQuaternion::from_scaled_axis(Vec3::new(along[3], along[4], along[5]) * by);
    let now = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(g[3], g[4], g[5], g[6])) * turn;
    g[3..PLACE].copy_from_slice(&[now.w, now.i, now.j, now.k]);
    for (x, rate) in g[PLACE..].iter_mut().zip(&along[ROOT..]) {
        *x += by * rate;
    }
}

/// L = ½ vᵀ M v − V, with V from the creature's own energy.
fn lagrangian(body: &ReducedBody, data: &mut ReducedData, full: &mut Data, g: &[f64], v: &[f64]) -> f64 {
    let m = data.place(body, g);
    let kinetic: f64 = m.chunks_exact(v.len()).zip(v).map(|(row, a)| a * dot(row, v)).sum();
    let still = vec![0.0; body.creature().nv()];
    0.5 * kinetic - energy(body.creature(), full, &data.q, &still).gravity
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// M against the creature's own kinetic energy, with joint velocities taken as differences of poses along the group.
#[test]
fn the_mass_matrix_is_the_kinetic_energy_of_the_creature() {
    for seed in 0..10 {
        let body = random_body(seed, 5);
        let (g, v) = random_state(&body, seed);
        let (mut data, mut full) = (ReducedData::new(&body), Data::new(body.creature()));
        let m = data.place(&body, &g).to_vec();
        let own = 0.5 * m.chunks_exact(v.len()).zip(&v).map(|(row, a)| a * dot(row, &v)).sum::<f64>();
        let here = data.q.clone();
        let pose = |by: f64, data: &mut ReducedData| {
            let mut g = g.clone();
            moved(&mut g, &v, by);
            data.place(&body, &g);
            data.q.clone()
        };
        let h = 1e-5;
        let (ahead, behind) = (pose(h, &mut data), pose(-h, &mut data));
        let (mut fore, mut back) = (vec![0.0; body.creature().nv()], vec![0.0; body.creature().nv()]);
        body.creature().difference(&here, &ahead, &mut fore);
        body.creature().difference(&behind, &here, &mut back);
        // Away from θ = 0 the two are the velocity ± its change, which halves cancel.
        let velocity: Vec<f64> = fore.iter().zip(&back).map(|(a, b)| (a + b) / (2.0 * h)).collect();
        let kinetic = energy(body.creature(), &mut full, &here, &velocity).kinetic;
        // Differences of second order: h² times third derivatives of order ten.
        assert!((own - kinetic).abs() < 1e-7 * kinetic, "{seed}: {own} and {kinetic}");
    }
}

/// ∂L/∂g, which is analytic, against central differences on the group.
#[test]
fn the_gradient_is_that_of_the_lagrangian_on_the_group() {
    for seed in 0..10 {
        let body = random_body(seed, 6);
        let (g, v) = random_state(&body, seed);
        let (mut data, mut full) = (ReducedData::new(&body), Data::new(body.creature()));
        data.place(&body, &g);
        let mut gradient = vec![0.0; body.n()];
        data.gradient(&body, &v, &mut gradient);
        let h = 6e-6;
        let differences: Vec<f64> = (0..body.n())
            .map(|k| {
                let mut along = vec![0.0; body.n()];
                along[k] = 1.0;
                let mut at = |by: f64| {
                    let mut g = g.clone();
                    moved(&mut g, &along, by);
                    lagrangian(&body, &mut data, &mut full, &g, &v)
                };
                (at(h) - at(-h)) / (2.0 * h)
            })
            .collect();
        assert!(relative(&gradient, &differences) < 1e-7, "{seed}: {gradient:?} and {differences:?}");
    }
}

/// Without gravity, linear and discrete angular momentum stay what they were, however coarse the step; those of the flat step do not,
/// which shows that the measure can fail.
#[test]
fn variational_steps_keep_the_momentum_and_flat_ones_do_not() {
    let mut body_of = random_body(3, 6).creature().clone();
    body_of.remove_gravity();
    let with = random_body(3, 6);
    let directions: Vec<Vec<f64>> =
        (0..6).map(|i| (0..body_of.nv()).map(|dof| with.shape(dof)[i]).collect()).collect();
    let mean = random_body(3, 6);
    let mut q = vec![0.0; body_of.nq()];
    mean.pose(&mean.start(), &mut vec![0.0; body_of.nv()], &mut q);
    let body = ReducedBody::new(&body_of, &q, directions.iter().map(Vec::as_slice)).unwrap();
    let mut worst = Vec::new();
    for integrator in [Integrator::Variational, Integrator::Corrected, Integrator::Euclidean] {
        let (g, v) = random_state(&body, 5);
        let v: Vec<f64> = v.iter().map(|v| 0.3 * v).collect();
        let mut data = ReducedData::new(&body);
        let mut state = ReducedState::new(&body, &mut data, &g, &v);
        let first = discrete_momentum(&body, &data, &state);
        let linear = state.p[..3].to_vec();
        let mut deviation: f64 = 0.0;
        for _ in 0..60 {
            reduced_step(&body, &mut data, &mut state, (integrator, 0.05), &vec![0.0; body.n()]).unwrap();
            deviation =
                deviation.max((discrete_momentum(&body, &data, &state) - first).norm() / first.norm());
            assert!(relative(&state.p[..3], &linear) < 1e-9, "no force, so no change");
        }
        worst.push(deviation);
    }
    assert!(worst[0] < 1e-9, "{worst:?}");
    assert!(worst[1] < 0.05 && worst[2] > 0.05, "{worst:?}");
}

/// All directions at once are no reduction: with ever smaller steps the way is that of the creature's own step, which `cargo xtask
/// physics` compares with MuJoCo. Both are of first order, so that half a step halves the distance. The flat step leaves out how the
/// group turns (ω × its momentum): it goes another way, whatever its step.
#[test]
fn in_all_directions_it_moves_as_the_creature_does() {
    let mut creature = random_tree(8, TreeKind { bodies: 6, free_root: true, armature: true });
    for joint in 0..creature.joints().len() {
        creature.set_stiffness(joint, 0.0).unwrap();
        creature.set_damping(joint, 0.0).unwrap();
    }
    let nv = creature.nv();
    let directions: Vec<Vec<f64>> = (ROOT..nv).map(|dof| unit(nv, dof)).collect();
    let mean = creature.reference_pose().to_vec();
    let body = ReducedBody::new(&creature, &mean, directions.iter().map(Vec::as_slice)).unwrap();
    let v = Random::new(4).numbers(nv, 1.0);
    // After 0.4 s in so many steps.
    let distance = |steps: u32, integrator| {
        let h = 0.4 / f64::from(steps);
        let mut data = ReducedData::new(&body);
        // At the mean the chart is straight: velocities are the creature's own.
        let mut state = ReducedState::new(&body, &mut data, &body.start(), &v);
        let settings = StepSettings { step: h, ground: None, ..StepSettings::default() };
        let world = World::new(creature.clone(), settings).unwrap();
        let (mut stepper, drive) = (Stepper::new(&world), Drive::passive(&creature));
        let mut own = State::new(&mean, &v);
        for _ in 0..steps {
            reduced_step(&body, &mut data, &mut state, (integrator, h), &vec![0.0; nv]).unwrap();
            step(&world, &mut stepper, &mut own, &drive).unwrap();
        }
        data.place(&body, &state.g);
        let mut apart = vec![0.0; nv];
        creature.difference(&own.q, &data.q, &mut apart);
        apart.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
    };
    for integrator in Integrator::ALL {
        let (coarse, fine) = (distance(400, integrator), distance(800, integrator));
        let is_flat = integrator == Integrator::Euclidean;
        assert_eq!(fine > 6e-3 || fine > 0.6 * coarse, is_flat, "{}: {coarse} and {fine}", integrator.name());
    }
}

fn unit(n: usize, at: usize) -> Vec<f64> {
    let mut vector = vec![0.0; n];
    vector[at] = 1.0;
    vector
}

#[test]
fn what_is_no_reduced_body_is_refused() {
    let creature = chain(4);
    let (mean, nv) = (creature.reference_pose().to_vec(), creature.nv());
    let refused = |creature: &Creature, directions: &[Vec<f64>]| {
        ReducedBody::new(creature, &mean, directions.iter().map(Vec::as_slice)).unwrap_err()
    };
    assert_eq!(refused(&creature, &[]), ReducedError::NoDirections);
    let twice = [unit(nv, 6), unit(nv, 6)];
    assert_eq!(refused(&creature, &twice), ReducedError::WithoutMass { direction: 1 });
    // The root moves by itself: a direction that moves nothing else is none.
    assert_eq!(refused(&creature, &[unit(nv, 2)]), ReducedError::WithoutMass { direction: 0 });
    assert!(matches!(refused(&creature, &[vec![1.0]]), ReducedError::Length { found: 1, .. }));
    let held = random_tree(1, TreeKind { bodies: 3, free_root: false, armature: false });
    assert!(matches!(refused(&held, &[unit(held.nv(), 0)]), ReducedError::NoRoot { .. }));
}
