//! What a step must keep. In free flight the momenta and the energy: what drifts must vanish with the step, and must not
//! grow in the long run, else a simulation of minutes gains speed from nothing. Closed loops stay closed, joint limits
//! are limits, a state can be copied and goes on bit for bit, and a heap of bodies only ever loses energy.

use crate::support::stepping::{Run, ring, single};
use crate::support::{state, tumbler};
use gambol_dynamics::{
    Data, Drive, Momentum, Push, State, StepSettings, Stepper, TreeMatrix, World, constraint_residual,
    energy, mass_matrix, momentum, step,
};
use gambol_model::math;
use gambol_model::samples::{Random, chain};
use gambol_model::{Creature, JointSpec, Shape, Vec3};

fn in_flight(step: f64) -> StepSettings {
    StepSettings { step, ground: None, ..StepSettings::default() }
}

/// Largest drifts over half a second: of energy, linear and angular momentum, each as a share of its size at the start.
fn drift(creature: &Creature, seed: u64, h: f64) -> [f64; 3] {
    let mut data = Data::new(creature);
    let mut run = Run::new(creature.clone(), in_flight(h));
    let (q, v) = state(creature, seed);
    run.state = State::new(&q, &v);
    let start = momentum(creature, &mut data, &q, &v);
    let energy_at_start = energy(creature, &mut data, &q, &v).total();
    let mut drifts = [0.0_f64; 3];
    while run.state.time < 0.5 {
        run.step();
        let State { q, v, .. } = &run.state;
        let Momentum { linear, angular } = momentum(creature, &mut data, q, v);
        let now = [
            (energy(creature, &mut data, q, v).total() / energy_at_start - 1.0).abs(),
            (linear - start.linear).norm() / start.linear.norm(),
            (angular - start.angular).norm() / start.angular.norm(),
        ];
        for (worst, now) in drifts.iter_mut().zip(now) {
            *worst = worst.max(now);
        }
    }
    drifts
}

#[test]
fn drifts_in_flight_vanish_with_the_step() {
    for (seed, springs) in [(3, false), (4, false), (5, true), (8, true)] {
        let creature = tumbler(seed, springs);
        let [coarse, fine] = [1e-3, 2.5e-4].map(|h| drift(&creature, seed, h));
        for ((what, coarse), fine) in ["energy", "linear", "angular"].into_iter().zip(coarse).zip(fine) {
            let order = math::log2(coarse / fine) / 2.0;
            println!("tree {seed}: {what} drifts {coarse:.1e}, {fine:.1e}: order {order:.2}");
            // First order, with room for the next term.
            assert!(
                fine < 1e-12 || order > 0.85,
                "tree {seed}: {what} drifts {coarse:e}, {fine:e}: order {order:.2}"
            );
            assert!(fine < 1e-2, "tree {seed}: {what} drifts {fine:e}");
        }
    }
}

#[test]
fn a_thrown_body_flies_a_parabola() {
    let ball = single(Shape::Sphere { radius: 0.1 }, vec![JointSpec::free("root")], Vec3::zeros());
    let mut run = Run::new(ball, in_flight(0.002));
    run.state.v = vec![3.0, 0.0, 4.0, 5.0, 6.0, 7.0];
    run.until(0.8);
    // A ball has no gyroscopic moment. Semi-implicit: z = v t − g t (t + h)/2 exactly.
    let t = run.state.time;
    let expected = [3.0 * t, 0.0, 4.0 * t - 0.5 * 9.81 * t * (t + 0.002)];
    for (x, expected) in run.state.q.iter().zip(expected) {
        assert!((x - expected).abs() < 1e-12, "{x} {expected}");
    }
    assert!((run.state.v[2] - (4.0 - 9.81 * t)).abs() < 1e-12);
    assert!((run.state.v[5] - 7.0).abs() < 1e-12);
}

#[test]
fn a_push_gives_its_momentum_to_the_whole() {
    let creature = tumbler(5, false);
    let mut run = Run::new(creature.clone(), in_flight(0.001));
    let body = creature.bodies().len() - 1;
    let force = Vec3::new(3.0, -2.0, 5.0);
    let drive = Drive { pushes: &[Push { body, force }], ..Drive::passive(&creature) };
    step(&run.world, &mut run.stepper, &mut run.state, &drive).unwrap();
    // From rest nothing turns yet: exact at the pose of the start.
    let mut data = Data::new(&creature);
    let given = momentum(&creature, &mut data, creature.reference_pose(), &run.state.v).linear;
    assert!((given - force * 0.001).norm() < 1e-12, "{given}");
}

/// Energy and angular momentum about the centre of mass after `seconds` of free fall, as shares of those at the start.
fn gains(h: f64, seconds: f64) -> (f64, f64) {
    let creature = chain(8);
    let mut data = Data::new(&creature);
    let mut run = Run::new(creature.clone(), in_flight(h));
    run.state.v = Random::new(2).numbers(creature.nv(), 2.0);
    // Velocities stand half a step before and after a pose; their mean belongs to it.
    let mut look = |run: &mut Run| {
        let State { q, v: before, .. } = run.state.clone();
        run.step();
        let v: Vec<f64> = before.iter().zip(&run.state.v).map(|(a, b)| 0.5 * (a + b)).collect();
        let Momentum { linear, angular } = momentum(&creature, &mut data, &q, &v);
        let energy = energy(&creature, &mut data, &q, &v);
        (energy.kinetic + energy.elastic - 0.5 * linear.norm_squared() / creature.mass(), angular.norm())
    };
    run.step();
    let start = look(&mut run);
    run.until(seconds);
    let end = look(&mut run);
    (end.0 / start.0, end.1 / start.1)
}

#[test]
fn a_tumbling_chain_keeps_its_energy_and_angular_momentum() {
    for h in [0.002, 0.0005] {
        let (energy, angular) = gains(h, 10.0);
        // A thousandth in ten seconds and 5,000 steps; inertia taken at the velocity half a step back gains 3 %.
        assert!((energy - 1.0).abs() < 1e-3 && (angular - 1.0).abs() < 1e-3, "{h} s: {energy} {angular}");
    }
}

#[test]
fn a_tumbling_chain_gains_no_energy_in_a_minute() {
    let (energy, angular) = gains(0.002, 60.0);
    // A hundredth in a minute: what no eye sees. Inertia taken at the velocity half a step back gains 17 %.
    assert!(energy < 1.01 && angular < 1.01, "energy {energy}, angular momentum {angular}");
}

/// Largest gap of a ring that falls from `height` and rolls, from the time `from` to `seconds`, as a share of its size.
fn widest_gap(links: usize, h: f64, height: f64, [from, seconds]: [f64; 2]) -> f64 {
    let creature = ring(links);
    let mut run = Run::new(creature.clone(), StepSettings { step: h, ..StepSettings::default() });
    run.state.q[2] = 0.02 + height;
    run.state.v[0] = 1.0;
    let mut data = Data::new(&creature);
    let mut widest = 0.0_f64;
    while run.state.time < seconds {
        run.step();
        if run.state.time > from {
            let gap = constraint_residual(&creature, &mut data, &run.state.q, creature.constraints()).amax();
            widest = widest.max(gap);
        }
    }
    let size = 0.0571 * links as f64 / std::f64::consts::PI;
    println!("{links} links at {h} s from {height} m: {widest:.1e} m, {:.1e} of its size", widest / size);
    widest / size
}

#[test]
fn a_ring_that_rolls_stays_closed() {
    for (links, h) in [(8, 0.001), (16, 0.001)] {
        // What one step of Newton's method leaves while it bends.
        assert!(widest_gap(links, h, 0.01, [0.0, 10.0]) < 0.01);
        // At rest a hundred thousandth is more than any eye sees.
        assert!(widest_gap(links, h, 0.01, [20.0, 60.0]) < 1e-5);
    }
}

#[test]
fn a_ring_that_is_dropped_stays_closed_and_comes_to_rest() {
    // Without dampers or limits it whips about at a hundred radians a second. At 2 ms that is a fifth of a radian a step,
    // which it may not survive: there it ends as a divergence.
    for (links, h) in [(16, 0.001), (8, 0.001)] {
        assert!(widest_gap(links, h, 1.0, [0.0, 20.0]) < 1e-5);
    }
}

/// A pendulum that can swing between −0.5 and 1 rad.
fn stopped_pendulum() -> Creature {
    let mut joint = JointSpec::hinge("pivot", Vec3::y());
    joint.limit = Some([-0.5, 1.0]);
    joint.anchor = Vec3::new(0.0, 0.0, 0.5);
    single(Shape::Sphere { radius: 0.1 }, vec![joint], Vec3::zeros())
}

#[test]
fn limits_stop_a_joint_without_giving_it_anything() {
    for h in [0.001, 0.005] {
        let mut run = Run::new(stopped_pendulum(), in_flight(h));
        run.state.v[0] = 6.0;
        let mut data = Data::new(run.world.creature());
        let total = |run: &Run, data: &mut Data| {
            energy(run.world.creature(), data, &run.state.q, &run.state.v).total() // zero at the bottom
        };
        let start = total(&run, &mut data);
        let (mut stops, mut most) = (0, 0.0_f64);
        while run.state.time < 20.0 {
            let before = total(&run, &mut data);
            run.step();
            let (q, now) = (run.state.q[0], total(&run, &mut data));
            // Beyond a limit by a hundredth of the last step at most, which a new limit gives way by.
            assert!((-0.5 - 3e-4..=1.0 + 3e-4).contains(&q), "{h}: {q}");
            most = most.max(now);
            stops += usize::from(now < 0.9 * before);
        }
        assert!(stops >= 2, "it was never stopped");
        // Kinetic and potential energy are taken half a step apart: ω h/2 of what sloshes between them.
        assert!(most < start * (1.0 + 4.4 * h), "{h}: {most} of {start} J");
        // What is left swings within the nearer limit.
        let least = 9.81 * 0.5 * (1.0 - math::cos(0.5));
        assert!(total(&run, &mut data) <= least * 1.02, "{h}: {} of {least} J", total(&run, &mut data));
    }
}

#[test]
fn a_copy_of_a_state_goes_on_bit_for_bit() {
    let creature = ring(8);
    let world = World::new(creature.clone(), StepSettings::default()).unwrap();
    let mut stepper = Stepper::new(&world);
    let mut state = State::new(creature.reference_pose(), &vec![0.1; creature.nv()]);
    let drive = Drive::passive(&creature);
    for _ in 0..500 {
        step(&world, &mut stepper, &mut state, &drive).unwrap();
    }
    let mut branch = state.clone();
    for _ in 0..500 {
        step(&world, &mut stepper, &mut state, &drive).unwrap();
    }
    // Another thread's memory, used for something else before.
    let branch = std::thread::spawn(move || {
        let mut other = Stepper::new(&world);
        let drive = Drive::passive(world.creature());
        let mut elsewhere = State::new(world.creature().reference_pose(), &vec![-0.3; world.creature().nv()]);
        for _ in 0..100 {
            step(&world, &mut other, &mut elsewhere, &drive).unwrap();
        }
        for _ in 0..500 {
            step(&world, &mut other, &mut branch, &drive).unwrap();
        }
        branch
    })
    .join()
    .unwrap();
    assert_eq!(state, branch);
}

/// Torque and damper of a coordinate together are at most its strength: a wheel that spins freely slows down evenly while its damper
/// would take more, I Δω = −h s, and as the damper says from then on, ω ← ω / (1 + h D / I).
#[test]
fn a_bounded_damper_brakes_evenly_and_then_as_it_says() {
    let mut wheel =
        single(Shape::Sphere { radius: 0.1 }, vec![JointSpec::hinge("axle", Vec3::z())], Vec3::zeros());
    let damping = 0.5;
    wheel.set_damping(0, damping).unwrap();
    let mut run = Run::new(wheel.clone(), in_flight(0.001));
    let mut mass = TreeMatrix::new(&wheel).unwrap();
    mass_matrix(&wheel, &mut Data::new(&wheel), wheel.reference_pose(), &mut mass);
    let (inertia, h, strength) = (mass.row(0)[0], 0.001, 1.0);
    let drive = Drive { strength: &[strength], ..Drive::passive(&wheel) };
    let mut omega = 10.0;
    run.state.v = vec![omega];
    let mut bounded = 0;
    for _ in 0..400 {
        step(&run.world, &mut run.stepper, &mut run.state, &drive).unwrap();
        let free = omega / (1.0 + h * damping / inertia);
        let spent = damping * free > strength;
        omega = if spent { omega - h * strength / inertia } else { free };
        bounded += usize::from(spent);
        assert!((run.state.v[0] - omega).abs() < 1e-12 * 10.0, "{} is not {omega}", run.state.v[0]);
        let braked = run.stepper.damper_forces()[0];
        assert!(braked <= strength * (1.0 + 1e-9), "{braked} N·m");
    }
    assert!((10..390).contains(&bounded), "both happen: {bounded}");
}
