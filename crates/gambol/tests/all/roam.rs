//! A creature that goes where it is told. It must begin by standing, change its gaits by the speed, turn and come to rest, all by its own
//! torques: each change of gait once made dogs stumble whose strides were not in step or whose feet did not lean into what was asked for.
//! Targets must be reached, copies must go on bit for bit, and what cannot go must say why.

use gambol::control::legged::{CHANGES, Errand, RoamMemory, StrideReference, Timed};
use gambol::control::{Plan, Rollout, Status, simulate};
use gambol::dynamics::{Data, StepSettings, Stepper, World, forward_kinematics};
use gambol::gait::{Sampling, Wish, perform, prepare};
use gambol::model::Vec3;
use gambol::{LoadOptions, RoamWish, Roaming, load, roam};

/// N·m at every joint, that of Coros et al. 2011's dog.
const LIMIT: f64 = 100.0;

fn roaming(name: &str, errand: Errand, fastest: f64) -> (World, Roaming) {
    let creature = load(name, &LoadOptions::default()).unwrap();
    let wish = RoamWish { fastest: Some(fastest), torque_limit: Some(LIMIT), errand, ..RoamWish::default() };
    let roaming = roam(&creature, &wish).unwrap();
    let settings = StepSettings { step: roaming.walker.step, ..StepSettings::default() };
    (World::new(roaming.walker.creature.clone(), settings).unwrap(), roaming)
}

fn run(world: &World, roaming: &Roaming, seconds: f64) -> Rollout {
    let start = roaming.walker.start.clone();
    let plan = Plan {
        keep_poses: true,
        torque_limits: &roaming.walker.strength,
        ..Plan::new(&roaming.controller, start, seconds)
    };
    simulate(world, &mut Stepper::new(world), &plan, &mut |_| ())
}

fn at(time: f64, value: f64) -> Timed {
    Timed { time, value }
}

fn assert_up(world: &World, roaming: &Roaming, rollout: &Rollout) {
    assert_eq!(rollout.status, Status::Finished);
    let ground = world.settings().ground.as_ref();
    assert_eq!(roaming.walker.upright.fall(world.creature(), &rollout.clip, ground), None, "it stays up");
    assert_eq!(rollout.report.outside_force, 0.0, "nothing holds its root");
}

#[test]
fn a_dog_stands_walks_trots_turns_and_stands() {
    let speeds = vec![at(0.3, 0.8), at(2.3, 1.7), at(5.0, 0.0)];
    let errand = Errand { speeds, turns: vec![at(3.5, 0.7), at(4.8, 0.0)], ..Errand::default() };
    let (world, roaming) = roaming("dog", errand, 1.7);
    let rollout = run(&world, &roaming, 8.5);
    assert_up(&world, &roaming, &rollout);
    let changes = rollout.report.events.iter().filter(|event| event.what == CHANGES);
    let gaits: Vec<&str> =
        changes.map(|event| roaming.controller.ladder().gaits[event.which].as_str()).collect();
    assert_eq!(gaits, ["walk", "trot", "walk", "stand"]);
    let memory: &RoamMemory = rollout.memory.get().unwrap();
    // 0.7 rad/s for 1.3 s, which begins and ends within a fifth of a second.
    let turned = memory.whole.pilot.heading;
    assert!((turned - 0.9).abs() < 0.15, "it turned by {turned} rad");
    let off = (memory.sums[2] / rollout.report.seconds).sqrt();
    assert!(off < 0.1, "its trunk is {off} rad off its heading, in the mean");
    let speed = gambol::model::math::hypot(rollout.end.v[0], rollout.end.v[1]);
    assert!(speed < 0.1, "it came to rest: {speed} m/s");
}

#[test]
fn a_target_is_reached_and_copies_go_on_bit_for_bit() {
    let errand = Errand { targets: vec![[1.6, 0.4]], ..Errand::default() };
    let (world, roaming) = roaming("dog", errand, 1.0);
    let half = run(&world, &roaming, 1.5);
    let plan = Plan {
        memory: Some(half.memory.clone()),
        torque_limits: &roaming.walker.strength,
        ..Plan::new(&roaming.controller, half.end.clone(), 1.5)
    };
    let rest = simulate(&world, &mut Stepper::new(&world), &plan, &mut |_| ());
    let whole = run(&world, &roaming, 3.0);
    assert_up(&world, &roaming, &whole);
    assert_eq!((rest.end.q, rest.end.v), (whole.end.q, whole.end.v));
    assert_eq!(whole.memory.get::<RoamMemory>().unwrap().caught, 1);
}

#[test]
fn strides_are_brought_into_step_and_blend() {
    let creature = load("dog", &LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let (body, design) = prepare(creature, &mut data, "trot", |_| (), &Wish::default()).unwrap();
    let clip = perform(&body, &mut data, &design.gait, &Sampling { seconds: None, fps: 240.0 }).unwrap().clip;
    let trot = StrideReference::new(&body.creature, &clip).unwrap();
    assert_eq!(trot.clone().begun_later(37).in_step_with(&trot), trot, "the same stride, begun as it was");
    let half = trot.blended(&body.creature, &trot, 0.5);
    assert_eq!((half.velocity, half.period()), (trot.velocity, trot.period()));
    for phase in [0.0, 0.2, 0.7] {
        let apart = (half.center_of_mass(phase).place - trot.center_of_mass(phase).place).norm();
        assert!(apart < 1e-12, "{apart} m");
        for foot in 0..trot.feet.len() {
            assert!((half.graph.duty(foot) - trot.graph.duty(foot)).abs() < 1e-12);
        }
    }
}

#[test]
fn who_has_no_legs_says_so() {
    let snake = load("snake", &LoadOptions::default()).unwrap();
    let error = roam(&snake, &RoamWish::default()).unwrap_err().to_string();
    assert!(error.contains("leg") || error.contains("feet"), "{error}");
}

/// The target lies ahead and aside, beyond what it reaches in a second. A head that only follows its stride looks 0.5 rad past it.
#[test]
fn the_head_turns_to_what_is_pursued() {
    let target = [2.0, 3.0];
    let errand = Errand { targets: vec![target], ..Errand::default() };
    let (world, roaming) = roaming("dog", errand, 1.0);
    let rollout = run(&world, &roaming, 1.2);
    assert_up(&world, &roaming, &rollout);
    let creature = world.creature();
    let head = creature.landmark("head").unwrap().body;
    let mut data = Data::new(creature);
    let at_rest = forward_kinematics(creature, &mut data, creature.rest_pose())[head].orientation;
    let frame = &forward_kinematics(creature, &mut data, &rollout.end.q)[head];
    let looks = frame.orientation * at_rest.inverse() * Vec3::x();
    let there = Vec3::new(target[0], target[1], 0.1) - frame.position;
    let off = looks.angle(&there);
    // Its neck springs back to the stride a little, and it goes up and down with it.
    assert!(off < 0.25, "it looks {off} rad past the target");
}

#[test]
fn an_errand_that_cannot_be_gone_on_says_where() {
    let dog = load("dog", &LoadOptions::default()).unwrap();
    let wrong = [
        (Errand { speeds: vec![at(0.0, 1.0), at(1.0, -1.0)], ..Errand::default() }, "speed 2"),
        (Errand { speeds: vec![at(f64::NAN, 1.0)], ..Errand::default() }, "speed 1"),
        (Errand { turns: vec![at(0.0, f64::INFINITY)], ..Errand::default() }, "turn 1"),
        (Errand { headings: vec![at(-1.0, 0.0)], ..Errand::default() }, "heading 1"),
        (Errand { targets: vec![[1.0, 1.0], [f64::NAN, 0.0]], ..Errand::default() }, "target 2"),
        (Errand { ball: Some(([0.0, f64::NEG_INFINITY], 1)), ..Errand::default() }, "ball 1"),
    ];
    for (errand, place) in wrong {
        let wish = RoamWish { gait: Some("walk".to_owned()), errand, ..RoamWish::default() };
        let said = roam(&dog, &wish).unwrap_err().to_string();
        assert!(said.contains(place), "{said}");
    }
}
