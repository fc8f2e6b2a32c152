//! A search runs tens of thousands of simulations, on as many threads as there are, and branches them: the same plan must
//! give the same bits on any number of threads, in the order asked for, and a state that is kept and gone on from must
//! not differ from one that was never stopped. Compared are all numbers of the last state.

use std::sync::atomic::{AtomicBool, Ordering};

use gambol_control::{Plan, Pump, Rollout, Status, Wave, advance, rollouts, simulate, stand_on};
use gambol_dynamics::{Data, Drive, Push, State, StepSettings, Stepper, Terrain, World, step};
use gambol_model::Vec3;
use gambol_modes::{Settings, analyze};

struct Stage {
    world: World,
    start: State,
    pumps: Vec<Pump>,
}

/// The loop creature with eleven amplitudes.
fn stage() -> Stage {
    let creature = gambol::load("loop", &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let modes = analyze(&creature, &mut data, creature.reference_pose(), &Settings::default()).unwrap();
    let wave = |mode, amplitude, phase| Wave { mode, amplitude, phase, frequency: 5.25 };
    let pumps = (1..=11)
        .map(|k| {
            let amplitude = 0.02 * f64::from(k);
            Pump::new(&creature, &modes, &[wave(6, amplitude, 0.0), wave(7, amplitude, 1.5)]).unwrap()
        })
        .collect();
    let mut start = modes.mean().to_vec();
    stand_on(&creature, &Terrain::Flat, &mut start);
    let start = State::new(&start, &vec![0.0; creature.nv()]);
    Stage { world: World::new(creature, StepSettings::default()).unwrap(), start, pumps }
}

fn plan(pump: &Pump, start: State, seconds: f64) -> Plan<'_> {
    Plan { keep_poses: true, ..Plan::new(pump, start, seconds) }
}

fn bits(rollout: &Rollout) -> Vec<u64> {
    let end = &rollout.end;
    let poses = rollout.clip.poses.iter().flatten();
    std::iter::once(&end.time).chain(&end.q).chain(&end.v).chain(poses).map(|x| x.to_bits()).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let stage = stage();
    let plans: Vec<Plan> = stage.pumps.iter().map(|pump| plan(pump, stage.start.clone(), 0.7)).collect();
    let alone = rollouts(&stage.world, &plans, 1);
    assert_ne!(bits(&alone[0]), bits(&alone[1]), "plans must differ for their order to be seen");
    for threads in [2, 7] {
        let together = rollouts(&stage.world, &plans, threads);
        assert_eq!(together.len(), alone.len());
        for (k, (a, b)) in alone.iter().zip(&together).enumerate() {
            assert_eq!(bits(a), bits(b), "plan {k} on {threads} threads");
            assert_eq!(a.report, b.report);
            assert_eq!(a.end, b.end, "with what contacts start from");
        }
    }
}

#[test]
fn a_branch_goes_on_as_if_nothing_had_happened() {
    let stage = stage();
    let pump = &stage.pumps[4];
    let run = |start: &State, seconds: f64| {
        let mut stepper = Stepper::new(&stage.world);
        simulate(&stage.world, &mut stepper, &plan(pump, start.clone(), seconds), &mut |_| ())
    };
    let whole = run(&stage.start, 1.0);
    let half = run(&stage.start, 0.5);
    let branches = [run(&half.end, 0.5), run(&half.end, 0.5)];
    for branch in &branches {
        assert_eq!(branch.end, whole.end);
    }
    // Another branch of the same state, pushed, goes elsewhere: the comparison can fail.
    let push = Push { body: 3, force: Vec3::new(0.0, 1.0, 0.0) };
    let shoves = [gambol_control::Shove { push, start: 0.1, duration: 0.1 }];
    let pushed = Plan { shoves: &shoves, ..plan(pump, half.end.clone(), 0.5) };
    let pushed = simulate(&stage.world, &mut Stepper::new(&stage.world), &pushed, &mut |_| ());
    assert_ne!(pushed.end, whole.end);
}

#[test]
fn a_push_beyond_all_bounds_ends_the_run_and_names_the_body() {
    let stage = stage();
    let push = Push { body: 3, force: Vec3::new(0.0, 0.0, 1e30) };
    let shoves = [gambol_control::Shove { push, start: 0.1, duration: 1.0 }];
    let plan = Plan { shoves: &shoves, ..plan(&stage.pumps[0], stage.start.clone(), 1.0) };
    let run = simulate(&stage.world, &mut Stepper::new(&stage.world), &plan, &mut |_| ());
    let Status::Diverged(divergence) = &run.status else { panic!("{:?}", run.status) };
    assert!((0.09..0.12).contains(&divergence.time), "{divergence}");
    assert!(stage.world.creature().body_index(&divergence.body).is_some(), "{divergence}");
    assert!(run.clip.poses.iter().flatten().all(|x| x.is_finite()));
    assert!(run.report.displacement.iter().all(|x| x.is_finite()));
}

#[test]
fn many_states_move_on_together_as_each_would_alone() {
    let Stage { world, start, .. } = stage();
    let pushed = |k: usize| {
        let mut state = start.clone();
        state.v.iter_mut().for_each(|v| *v += 0.01 * (k + 1) as f64);
        state
    };
    let rests: Vec<Vec<f64>> = (0..5).map(|k| pushed(k).q).collect();
    let alone: Vec<State> = (0..5)
        .map(|k| {
            let (mut state, mut stepper) = (pushed(k), Stepper::new(&world));
            let drive = Drive { rest: &rests[k], ..Drive::passive(world.creature()) };
            (0..50).for_each(|_| step(&world, &mut stepper, &mut state, &drive).unwrap());
            state
        })
        .collect();
    for threads in [1, 3] {
        let mut states: Vec<State> = (0..5).map(pushed).collect();
        let ends = advance(&world, &mut states, &rests, 50, threads);
        assert!(ends.iter().all(Result::is_ok));
        assert_eq!(states, alone);
    }
    // One that cannot go on stops nobody else.
    let mut states = vec![pushed(0), pushed(1)];
    states[0].v[0] = f64::INFINITY;
    let ends = advance(&world, &mut states, &[], 50, 2);
    assert!(ends[0].is_err() && ends[1].is_ok());
}

#[test]
fn a_simulation_ends_when_it_is_told_to() {
    let stage = stage();
    let stop = AtomicBool::new(false);
    let plan = Plan { stop: Some(&stop), ..plan(&stage.pumps[0], stage.start.clone(), 1.0) };
    let mut looks = 0;
    let run = simulate(&stage.world, &mut Stepper::new(&stage.world), &plan, &mut |_| {
        looks += 1;
        stop.store(looks == 10, Ordering::Relaxed);
    });
    assert_eq!(run.status, Status::Stopped);
    // Ten looks at sixty a second, and the step in which it was told.
    assert!((run.report.seconds - 10.0 / 60.0).abs() < 0.01, "{}", run.report.seconds);
}
