//! Springs ring. A vibration stepped by the default neither grows nor fades, whatever its stiffness and the step, and
//! its frequency is that of Newmark's average acceleration; the paper's implicit Euler eats it at the rate that its
//! discrete formula says. One oscillator has closed forms for all of it, so nothing here is taken from a run of the code.

use crate::support::stepping::{Run, single};
use gambol_dynamics::{Data, Springs, StepSettings, energy};
use gambol_model::math;
use gambol_model::samples::{Ringing, chain, ringing};
use gambol_model::{Creature, JointSpec, Shape, Vec3};

/// Moment of inertia of a ball of 1 kg and 0.1 m: ⅖ m r².
const INERTIA: f64 = 0.004;

/// A ball that turns about the z axis on a spring: one coordinate, ω² = k / I, exactly linear.
fn oscillator(stiffness: f64, damping: f64) -> Creature {
    let mut joint = JointSpec::hinge("turn", Vec3::z()).with_stiffness(stiffness);
    joint.damping = damping;
    single(Shape::Sphere { radius: 0.1 }, vec![joint], Vec3::zeros())
}

fn ring(stiffness: f64, damping: f64, h: f64, springs: Springs) -> Ringing {
    let settings = StepSettings { step: h, springs, ground: None, ..StepSettings::default() };
    let mut run = Run::new(oscillator(stiffness, damping), settings);
    run.state.q[0] = 0.3;
    let samples: Vec<f64> = (0..2000)
        .map(|_| {
            run.step();
            run.state.q[0]
        })
        .collect();
    ringing(&samples)
}

/// Rounding of a fit over two thousand samples.
const ROUNDING: f64 = 1e-9;

#[test]
fn the_default_keeps_amplitudes_and_its_frequency_is_newmarks() {
    for omega in [30.0_f64, 300.0, 5000.0] {
        for h in [0.0005, 0.002, 0.01] {
            let found = ring(INERTIA * omega * omega, 0.0, h, Springs::Elastic);
            // tan(θ/2) = ωh/2; no factor on the amplitude.
            let angle = 2.0 * math::atan(0.5 * omega * h);
            assert!((found.ratio - 1.0).abs() < ROUNDING, "{omega} {h}: {found:?}");
            assert!((found.angle / angle - 1.0).abs() < ROUNDING, "{omega} {h}: {found:?}");
        }
    }
}

#[test]
fn its_frequency_is_low_by_a_twelfth_of_the_squared_phase() {
    for x in [0.02_f64, 0.05] {
        let h = 0.002;
        let omega = x / h;
        let found = ring(INERTIA * omega * omega, 0.0, h, Springs::Elastic);
        let low = 1.0 - found.angle / x;
        // The next term of the series is 3/20 (ωh)² of this one: 4e-4 at the larger.
        assert!((low / (x * x / 12.0) - 1.0).abs() < 1e-3, "{x}: low by {low}");
    }
}

#[test]
fn dampers_take_what_their_discrete_formula_says() {
    let (omega, h) = (30.0_f64, 0.002);
    for damping in [0.001, 0.01] {
        let c = damping / INERTIA;
        let s = omega * omega * h * h;
        // Roots of a z² − b z + d = 0: implicit Euler from the oracle's formula, the default by the same way with s/4.
        let implicit = (1.0 + h * c + s, 2.0 + h * c, 1.0);
        let elastic = (1.0 + h * c + 0.25 * s, 2.0 + h * c - 0.5 * s, 1.0 + 0.25 * s);
        for (springs, (a, b, d)) in [(Springs::ImplicitEuler, implicit), (Springs::Elastic, elastic)] {
            let found = ring(INERTIA * omega * omega, damping, h, springs);
            let ratio = (d / a).sqrt();
            let angle = math::acos(0.5 * b / (a * ratio));
            assert!((found.ratio - ratio).abs() < ROUNDING, "{springs:?}: {found:?}, {ratio}");
            assert!((found.angle / angle - 1.0).abs() < ROUNDING, "{springs:?}: {found:?}, {angle}");
        }
        // The default is near the truth, exp(−c h / 2) a step: the damper is first order, so within a share c h of what is lost,
        // and the springs' share of the inertia, (ωh)²/4, shields from it.
        let found = ring(INERTIA * omega * omega, damping, h, Springs::Elastic);
        let lost = 0.5 * c * h;
        assert!((-math::ln(found.ratio) / lost - 1.0).abs() < c * h + 0.5 * s, "{found:?}");
    }
}

#[test]
fn implicit_euler_eats_vibrations_as_the_paper_has_it() {
    for (omega, h) in [(33.0_f64, 0.005), (33.0, 0.001), (200.0, 0.002)] {
        let found = ring(INERTIA * omega * omega, 0.0, h, Springs::ImplicitEuler);
        let x = omega * h;
        assert!((found.ratio - 1.0 / (1.0 + x * x).sqrt()).abs() < ROUNDING, "{found:?}");
        assert!((found.angle - math::atan(x)).abs() < ROUNDING, "{found:?}");
    }
}

/// Largest kinetic energy of a chain with springs of 1e9 N·m/rad that is let fall, without the fall itself, as a share of
/// what was in its springs at the start. MuJoCo's explicit springs would need steps below a microsecond.
fn most_kinetic(h: f64, springs: Springs) -> f64 {
    let mut creature = chain(16);
    for joint in 1..creature.joints().len() {
        creature.set_stiffness(joint, 1e9).unwrap();
    }
    let settings = StepSettings { step: h, springs, ground: None, ..StepSettings::default() };
    let mut run = Run::new(creature, settings);
    run.state.q[7..].fill(1e-6);
    let mut data = Data::new(run.world.creature());
    let start = energy(run.world.creature(), &mut data, &run.state.q, &run.state.v).elastic;
    let mut most = 0.0_f64;
    for _ in 0..2000 {
        run.step();
        let mut v = run.state.v.clone();
        v[2] += 9.81 * run.state.time;
        most = most.max(energy(run.world.creature(), &mut data, &run.state.q, &v).kinetic / start);
    }
    println!("{h} s, {springs:?}: {most}");
    most
}

#[test]
fn absurd_stiffness_gains_nothing_at_any_step() {
    for h in [0.001, 0.05] {
        // The paper's way eats all of it, the default leaves it ringing.
        assert!(most_kinetic(h, Springs::ImplicitEuler) < 1.0);
        assert!(most_kinetic(h, Springs::Elastic) < 2.0);
    }
}
