//! Controllers of the gallery are what they say: strides that repeat themselves and break no constraint, that a search finds
//! again from nearby, and that corrections keep up. Measures of strides are checked against motions whose answer is known.

use std::f64::consts::TAU;
use std::sync::Arc;

use gambol::LoadOptions;
use gambol_control::locomotion::{
    Balance, Balanced, Bursts, Judge, Space, Stride, StrideSearch, Upright, read_controller, spectrum, world,
};
use gambol_control::search::{Outcome, SearchSettings, Threads};
use gambol_control::sketch::{Phase, Sketch, Stage, read};
use gambol_control::{AnyController, Plan, rollouts};
use gambol_dynamics::{State, World};
use gambol_model::{Creature, math};

fn find(name: &str) -> Result<Creature, String> {
    gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())
}

fn controller(text: &str) -> (Sketch, Stage, Stride, World) {
    let (sketch, stage, stride, step) = read_controller(text, find).unwrap();
    let world = world(&stage, step).unwrap();
    (sketch, stage, stride, world)
}

fn runner() -> (Sketch, Stage, Stride, World) {
    controller(gambol::gallery::controller("runner").expect("it is in the gallery"))
}

fn sketch(name: &str) -> (Sketch, Stage) {
    read(gambol::gallery::sketch(name).expect("it is in the gallery"), find).unwrap()
}

#[test]
fn strides_of_the_gallery_repeat_themselves_and_break_no_constraint() {
    assert!(gambol::gallery::controllers().len() >= 3);
    for (name, text) in gambol::gallery::controllers() {
        let (_, stage, stride, world) = controller(text);
        let score = Judge::new(&stage, &world).cycle(&stride, false).score;
        let poses = stage.creature.nv() - 2;
        for (k, gap) in score.gap.iter().enumerate() {
            // The tolerance of a search.
            assert!(gap.abs() < if k < poses { 0.02 } else { 0.2 }, "{name}: coordinate {k} is {gap} off");
        }
        for (k, short) in score.short.iter().enumerate() {
            // 0.5 at the threshold itself, where descents like to end: to as many digits as the file has.
            assert!(*short < 0.5 + 1e-6, "{name}: constraint {} is short by {short} units", k + 1);
        }
        for (active, amplitudes) in stage.active.iter().zip([&stride.flight, &stride.ground]) {
            for (active, amplitude) in active.iter().zip(amplitudes) {
                let Some(least) = active.priority else { continue };
                assert!(amplitude * least.signum() >= least.abs() - 1e-12, "{name}: mode {}", active.mode);
            }
        }
    }
}

/// Cycles until it falls, of twenty.
fn cycles_up(stage: &Stage, world: &World, stride: &Stride, controller: &dyn AnyController) -> f64 {
    let start = State::new(&stride.q, &stride.v);
    let plan = Plan { keep_poses: true, ..Plan::new(controller, start, 20.0 * stride.period) };
    let clip = rollouts(world, &[plan], 1).swap_remove(0).clip;
    let fall = Upright::new(stage).fall(&stage.creature, &clip, world.settings().ground.as_ref());
    fall.map_or(20.0, |fall| fall.time / stride.period)
}

#[test]
fn corrections_keep_the_runner_up() {
    let (_, stage, stride, world) = runner();
    let bursts = Bursts::new(&stage, &stride, world.settings().step);
    let balance = Balance::new(&stage, &world, &stride);
    let [free, corrected] = balance.growth();
    assert!(free > 1.0, "a run by the clock alone is not stable: {free}");
    assert!(corrected < 1.0, "{corrected}");
    let balanced = Balanced::new(bursts.clone(), balance);
    let alone = cycles_up(&stage, &world, &stride, &bursts);
    let corrected = cycles_up(&stage, &world, &stride, &balanced);
    assert!(alone < 20.0, "by the clock alone it falls, or this tests nothing");
    assert_eq!(corrected, 20.0);
}

#[test]
fn a_search_from_nearby_finds_a_stride_again() {
    let (sketch, stage, stride, world) = runner();
    let mut near = stride.clone();
    near.v[0] += 0.05; // m/s
    near.ground[0] += 0.02; // rad
    let (step, settings) =
        (world.settings().step, SearchSettings { budget: 6000, ..SearchSettings::default() });
    let mut search = StrideSearch::of_stride(&sketch, &Arc::new(stage), step, settings, &near).unwrap();
    let outcome = search.run(&mut Threads(2), &mut |_| true);
    assert_eq!(outcome, Outcome::Converged);
    let (_, score) = search.nearest().unwrap();
    assert!(score.is_easy() && search.largest_gap(score) < 1.0);
}

#[test]
fn a_swing_along_one_vibration_is_all_of_its_spectrum() {
    let (_, stage) = sketch("runner");
    let creature = &stage.creature;
    for mode in [6, 11, 18] {
        let poses: Vec<Vec<f64>> = (0..40)
            .map(|k| {
                let mut q = creature.rest_pose().to_vec();
                let swing = 0.01 * math::sin(TAU * f64::from(k) / 40.0);
                creature.integrate(&mut q, &stage.flight.directions()[mode].shape, swing);
                q
            })
            .collect();
        let shares = spectrum(&stage, Phase::Flight, &poses);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // Modes are M-orthogonal to what the eigensolver leaves, and a hundredth of a radian is straight to 1e-4.
        assert!(shares[mode] > 1.0 - 1e-3, "mode {mode}: {}", shares[mode]);
    }
}

#[test]
fn a_hop_on_two_legs_begins_as_its_own_mirror_image() {
    let (kangaroo, stage) = sketch("kangaroo");
    let mirror = stage.symmetry.as_ref().expect("both feet stand");
    let space = Space::modal(&kangaroo, &stage);
    assert!(space.dimension() < Space::canonical(&kangaroo, &stage).dimension() * 2 / 3);
    let x: Vec<f64> = space
        .numbers
        .iter()
        .enumerate()
        .map(|(k, n)| n.mean + n.deviation * math::sin(1.7 * k as f64))
        .collect();
    let stride = space.stride(&stage, &x);
    let nv = stage.creature.nv();
    let mut bent = vec![0.0; nv];
    stage.creature.difference(stage.creature.rest_pose(), &stride.q, &mut bent);
    for side in [bent, stride.v.clone()] {
        let side = nalgebra::DVector::from_vec(side);
        let apart = (mirror * &side - &side).amax();
        // Rounding, and ball joints that turn a little about several axes at once.
        assert!(apart < 1e-6, "{apart}");
    }
    // Hopping on one leg has no such symmetry.
    assert!(sketch("hopper").1.symmetry.is_none());
}

#[test]
fn the_canonical_basis_has_every_joint() {
    let stage = sketch("runner").1.joint_by_joint();
    assert_eq!(stage.active.each_ref().map(Vec::len), [30, 30]);
    for active in &stage.active[0] {
        assert_eq!(active.torque.iter().filter(|torque| **torque != 0.0).count(), 1);
    }
}
