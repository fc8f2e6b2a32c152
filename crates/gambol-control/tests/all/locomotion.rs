//! A cycle is judged by what physics says of it, and the search for one can be stopped, resumed and spread over threads
//! without changing a bit. Judging is checked against closed forms (a creature in the air follows a parabola, bursts have a
//! known effort) and by mirror symmetry: the second half of a cycle, simulated from the mirror image of the start, must be the
//! mirror image of the first, or half a cycle would not be enough.

use gambol_model::math;
use std::sync::Arc;

use gambol::LoadOptions;
use gambol_control::locomotion::{
    Bursts, CONSTRAINTS, Judge, Space, Stride, StrideError, StrideSearch, world,
};
use gambol_control::search::{Method, OneThread, Outcome, SearchError, SearchSettings, Threads, augmented};
use gambol_control::sketch::{Sketch, Stage, read};
use gambol_control::{CheckpointError, Command, Controller};
use gambol_dynamics::{Drive, Sense, State, StepSettings, Stepper, World};

/// Of simulations here, s: coarse, for speed.
const STEP: f64 = 0.004;

fn gallery(name: &str) -> (Sketch, Arc<Stage>) {
    let find = |name: &str| gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string());
    let (sketch, stage) = read(gambol::gallery::sketch(name).expect("it is in the gallery"), find).unwrap();
    (sketch, Arc::new(stage))
}

/// The stride with which a search begins, in a cycle of 0.72 s: whole steps.
fn stride(sketch: &Sketch, stage: &Stage) -> Stride {
    let space = Space::canonical(sketch, stage);
    Stride { period: 0.72, ..space.stride(stage, &space.mean()) }
}

fn state_at(time: f64, q: &[f64], v: &[f64]) -> State {
    let mut state = State::new(q, v);
    state.time = time;
    state
}

#[test]
fn the_papers_runner_has_as_many_numbers_less_two() {
    // 36 + 36 for the initial state, 5 + 7 amplitudes, two bursts, period and share; x and y are of no consequence.
    let (sketch, stage) = gallery("runner");
    let space = Space::canonical(&sketch, &stage);
    assert_eq!(space.dimension(), 88 - 2);
    // Amplitudes of the sketch are lower bounds.
    let numbers = &space.numbers[34 + 36..34 + 36 + 3];
    for (number, priority) in numbers.iter().zip(&sketch.flight.priority) {
        assert_eq!(number.name, format!("amplitude, flight mode {}", priority.mode));
        let nearest = if priority.amplitude > 0.0 { number.bounds.least } else { number.bounds.most };
        assert_eq!(nearest, priority.amplitude);
    }
}

#[test]
fn what_left_does_right_does_half_a_cycle_later() {
    let (sketch, stage) = gallery("runner");
    let stride = stride(&sketch, &stage);
    let bursts = Bursts::new(&stage, &stride, STEP);
    let world = world(&stage, STEP).unwrap();
    let torque = |time: f64| {
        let mut command = Command::new(&stage.creature);
        let mut state = state_at(time, &stride.q, &stride.v);
        let mut stepper = Stepper::new(&world);
        let sense = Sense::new(&world, &mut stepper, &mut state);
        bursts.command(&sense, &mut (), &mut command);
        command.torque
    };
    let mut busy = 0;
    for k in 0..90 {
        let time = f64::from(k) * 0.008;
        let (now, later) = (stage.mirrored(&torque(time)), torque(time + 0.36));
        assert!(now.iter().zip(&later).all(|(a, b)| (a - b).abs() < 1e-9), "at {time} s");
        busy += usize::from(now.iter().any(|torque| *torque != 0.0));
    }
    assert!(busy > 20, "most of a cycle without a torque would test nothing");
}

#[test]
fn the_second_half_is_the_mirror_image_of_the_first() {
    let (sketch, stage) = gallery("runner");
    let mut stride = stride(&sketch, &stage);
    stride.v[3] = 0.3; // not its own mirror image
    stride.v[7] = 0.5;
    // Contacts are solved one after another, in another order on the other side: to the end here, so that it does not show.
    let settings = StepSettings { step: STEP, sweeps: 100_000, tolerance: 1e-13, ..StepSettings::default() };
    let world = World::new(stage.creature.clone(), settings).unwrap();
    let creature = world.creature();
    let bursts = Bursts::new(&stage, &stride, STEP);
    let simulate = |mut state: State| {
        let mut stepper = Stepper::new(&world);
        for _ in 0..90 {
            let mut command = Command::new(creature);
            let sense = Sense::new(&world, &mut stepper, &mut state);
            bursts.command(&sense, &mut (), &mut command);
            let drive = Drive { rest: &command.rest, torque: &command.torque, strength: &[], pushes: &[] };
            sense.step(&drive).unwrap();
        }
        state
    };
    let displacement = |q: &[f64]| {
        let mut displacement = vec![0.0; creature.nv()];
        creature.difference(creature.rest_pose(), q, &mut displacement);
        displacement
    };
    let mut image = creature.rest_pose().to_vec();
    creature.integrate(&mut image, &stage.mirrored(&displacement(&stride.q)), 1.0);
    let first = simulate(State::new(&stride.q, &stride.v));
    let second = simulate(state_at(0.36, &image, &stage.mirrored(&stride.v)));
    let (a, b) = (stage.mirrored(&displacement(&first.q)), displacement(&second.q));
    for (a, b) in a.iter().zip(&b).chain(stage.mirrored(&first.v).iter().zip(&second.v)) {
        // 1e-13 m/s a step, over 90 steps, which a stumble makes ten thousand times as much.
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }

    // And what the judge calls the gap is the end of the first half less the mirror image of the start.
    let gap = Judge::new(&stage, &world).cycle(&stride, false).score.gap;
    let (end, start) = (displacement(&first.q), stage.mirrored(&displacement(&stride.q)));
    for k in 6..creature.nv() {
        if creature.joints()[creature.dofs()[k].joint].kind == gambol_model::JointKind::Hinge {
            assert!((gap[k - 2] - (end[k] - start[k])).abs() < 1e-9);
        }
    }
    let image = stage.mirrored(&stride.v);
    for k in 0..creature.nv() {
        assert!((gap[creature.nv() - 2 + k] - (first.v[k] - image[k])).abs() < 1e-9);
    }
}

#[test]
fn a_creature_in_the_air_follows_a_parabola() {
    let (sketch, stage) = gallery("runner");
    let mut stride = stride(&sketch, &stage);
    stride.flight.fill(0.0);
    stride.ground.fill(0.0);
    stride.q[2] += 5.0;
    let world = world(&stage, STEP).unwrap();
    let score = Judge::new(&stage, &world).cycle(&stride, false).score;
    assert!((score.speed - sketch.speed).abs() < 1e-9, "{}", score.speed);
    assert_eq!(score.effort, 0.0);
    // Half a cycle of 0.36 s: it ends g t faster, velocities being half a step behind.
    let nv = stage.creature.nv();
    assert!((score.gap[nv - 2 + 2] + 9.81 * 0.36).abs() < 1e-9);
    let [forward, mean, rates, effort, _, upright, stance, lift, stub] = score.easy;
    assert_eq!([forward, rates, effort, upright, stub], [0.0; 5]);
    // Down at g t/2 on average, one step more than half of the way: Q_b beyond 0.25 m/s.
    let fall = 9.81 * 0.5 * (0.36 + STEP);
    assert!((mean - (math::square(fall - 0.25) + 1.0)).abs() < 1e-6, "{mean}");
    assert!(stance > 1.0, "no foot is on the ground");
    assert!((lift - (1.0 + math::square(0.02))).abs() < 1e-12);
}

#[test]
fn effort_is_the_mean_square_of_active_torques() {
    let (sketch, stage) = gallery("hopper");
    let mut stride = stride(&sketch, &stage);
    stride.q[2] += 5.0;
    stride.bursts = [0.08, 0.12]; // whole steps
    stride.flight_share = 0.5;
    let world = world(&stage, STEP).unwrap();
    let score = Judge::new(&stage, &world).cycle(&stride, false).score;
    let square = |phase: usize, amplitudes: &[f64]| -> f64 {
        let of = |k: usize| -> f64 {
            stage.active[phase].iter().zip(amplitudes).map(|(active, a)| a * active.torque[k]).sum()
        };
        (0..stage.creature.nv()).map(|k| of(k) * of(k)).sum()
    };
    let expected = (0.08 * square(0, &stride.flight) + 0.12 * square(1, &stride.ground)) / 0.72;
    assert!((score.effort / expected - 1.0).abs() < 1e-9, "{} {expected}", score.effort);
}

#[test]
fn weights_and_multipliers_add_up_as_in_the_paper() {
    let (sketch, stage) = gallery("runner");
    let world = world(&stage, STEP).unwrap();
    let mut score = Judge::new(&stage, &world).cycle(&stride(&sketch, &stage), false).score;
    score.speed = 2.0;
    score.effort = 40_000.0;
    score.easy = [0.0; 9];
    // 1e-5 · 40000 / 2²
    assert!((score.value() - 0.1).abs() < 1e-12);
    score.gap = vec![0.0; score.gap.len()];
    score.gap[3] = 2.0;
    let mut multipliers = vec![0.0; score.gap.len()];
    multipliers[3] = 0.5;
    // λ φ + k φ² = 1 + 0.4
    assert!((augmented(&score, &multipliers, &SearchSettings::default()) - 1.5).abs() < 1e-12);
    score.easy[8] = 1.0;
    assert!((score.value() - 100_000.1).abs() < 1e-6);
}

fn settings() -> SearchSettings {
    SearchSettings { budget: 400, generations: 8, ..SearchSettings::default() }
}

#[test]
fn threads_and_checkpoints_change_nothing() {
    let (sketch, stage) = gallery("runner");
    for method in [Method::Closing, Method::Multipliers] {
        let settings = SearchSettings { method, ..settings() };
        let mut whole = StrideSearch::of_sketch(&sketch, &stage, STEP, settings.clone()).unwrap();
        let outcome = whole.run(&mut OneThread, &mut |_| true);
        assert!(matches!(outcome, Outcome::Stalled { .. }), "{outcome:?}");

        // On two threads, killed and resumed every third generation.
        let begun = StrideSearch::of_sketch(&sketch, &stage, STEP, settings.clone()).unwrap();
        let mut text = begun.checkpoint();
        let outcome = loop {
            let mut part =
                StrideSearch::of_checkpoint(&sketch, &stage, STEP, settings.clone(), &text).unwrap();
            let mut left = 3;
            let outcome = part.run(&mut Threads(2), &mut |search| {
                if left == 0 {
                    text = search.checkpoint();
                    return false;
                }
                left -= 1;
                true
            });
            if outcome != Outcome::Stopped {
                text = part.checkpoint();
                break outcome;
            }
        };
        assert!(matches!(outcome, Outcome::Stalled { .. }));
        assert_eq!(text, whole.checkpoint(), "{method:?}");
    }
}

#[test]
fn a_search_says_how_it_ended() {
    let (sketch, stage) = gallery("runner");
    let few = SearchSettings { budget: 40, ..settings() };
    let mut search = StrideSearch::of_sketch(&sketch, &stage, STEP, few).unwrap();
    assert!(search.nearest().is_none() && search.progress().is_none());
    let mut heard = 0;
    let outcome = search.run(&mut Threads(2), &mut |search| {
        if let Some(progress) = search.progress() {
            heard += 1;
            assert!(progress.value.is_finite() && progress.gap > 0.0);
            assert!(progress.evaluations > 0 && progress.evaluations <= 40);
            assert_eq!(progress.score.easy.len(), CONSTRAINTS.len());
        }
        true
    });
    assert!(heard > 1);
    let Outcome::Stalled { constraint, by } = outcome else { panic!("{outcome:?}") };
    assert!(constraint == "cycle" || CONSTRAINTS.contains(&constraint));
    assert!(by > 0.0);
    let (best, score) = search.nearest_stride().unwrap();
    assert_eq!(search.show().unwrap().score, *score);
    assert_eq!(best.flight.len(), 5);

    let mut search = StrideSearch::of_sketch(&sketch, &stage, STEP, settings()).unwrap();
    assert_eq!(search.run(&mut OneThread, &mut |_| false), Outcome::Stopped);
    assert_eq!(search.evaluations(), 0);
}

#[test]
fn what_cannot_be_searched_for_is_refused() {
    let (sketch, stage) = gallery("runner");
    let new = |step: f64, settings| StrideSearch::of_sketch(&sketch, &stage, step, settings);
    let error = new(STEP, SearchSettings { budget: 0, ..settings() }).expect_err("no budget");
    assert!(error.to_string().contains("budget"), "{error}");
    let error = new(0.0, settings()).expect_err("no step");
    assert!(error.to_string().contains("step"), "{error}");

    let text = new(STEP, settings()).unwrap().checkpoint();
    let resume = |sketch: &Sketch, step: f64, settings, text: &str| {
        StrideSearch::of_checkpoint(sketch, &stage, step, settings, text)
    };
    let is_other = |error: &StrideError| {
        matches!(error, StrideError::Search(SearchError::Checkpoint(CheckpointError::Other { .. })))
    };
    let other = Sketch { period: 0.8, ..sketch.clone() };
    let error = resume(&other, STEP, settings(), &text).expect_err("another sketch");
    assert!(is_other(&error), "{error}");
    let error = resume(&sketch, 0.5 * STEP, settings(), &text).expect_err("another step");
    assert!(is_other(&error), "{error}");
    let error =
        resume(&sketch, STEP, SearchSettings { seed: 2, ..settings() }, &text).expect_err("another seed");
    assert!(is_other(&error), "{error}");
    let cut = &text[..text.len() - 10];
    assert!(resume(&sketch, STEP, settings(), cut).is_err());
    // A larger budget is another matter.
    assert!(resume(&sketch, STEP, SearchSettings { budget: 500, ..settings() }, &text).is_ok());
}
