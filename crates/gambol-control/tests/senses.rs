//! A controller that sees and remembers: a star that jumps by a virtual force under its legs whenever the ground has borne it
//! for a while. It decides by contact forces, so that a copy of a simulation goes on bit for bit only if these are kept with the
//! state and its automaton with them; and it needs room for a Jacobian, which must not be taken from the heap in a step.
//! A counting allocator proves that, for it and for the controllers of this crate.

#[path = "../../gambol-dynamics/tests/counting/mod.rs"]
mod counting;

use gambol_control::legged::{Method, Walker, WalkerSettings};
use gambol_control::locomotion::{Balance, Balanced, Bursts, Corrections, read_controller, world};
use gambol_control::solve::{LinearProgram, QuadraticProgram, SolveStatus};
use gambol_control::{
    AnyController, Command, Controller, Event, Follow, Passive, Plan, Pump, Rollout, rollouts, simulate,
    suggest,
};
use gambol_dynamics::{Data, Drive, Sense, State, StepSettings, Stepper, World};
use gambol_model::samples::star;
use gambol_model::{Creature, Random, Vec3};
use gambol_modes::{Settings, analyze};
use gambol_motion::Clip;
use nalgebra::DMatrix;

use counting::allocations;

/// Jumps again and again.
struct Jumper {
    /// Bodies at the ends of the legs.
    tips: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// On the ground since, s.
    Stands(f64),
    /// Since, s.
    Pushes(f64),
    Flies,
}

#[derive(Clone, Debug, PartialEq)]
struct Jumping {
    phase: Phase,
    jacobian: DMatrix<f64>,
}

/// Of a link of the star's legs in its own frame, m.
const TIP: Vec3 = Vec3::new(0.1, 0.0, 0.0);

impl Controller for Jumper {
    type Memory = Jumping;

    fn memory(&self, creature: &Creature) -> Jumping {
        Jumping { phase: Phase::Flies, jacobian: DMatrix::zeros(3, creature.nv()) }
    }

    fn command(&self, sense: &Sense, memory: &mut Jumping, command: &mut Command) {
        let weight = sense.creature().mass() * sense.creature().gravity().norm();
        let load: f64 = sense.contact_forces().map(|contact| contact.force.z).sum();
        let time = sense.time();
        let next = match memory.phase {
            Phase::Flies if load > 0.5 * weight => Some((Phase::Stands(time), "lands")),
            Phase::Stands(since) if time - since > 0.1 => Some((Phase::Pushes(time), "pushes")),
            Phase::Pushes(since) if time - since > 0.04 => Some((Phase::Flies, "lets go")),
            _ => None,
        };
        if let Some((phase, what)) = next {
            memory.phase = phase;
            command.events.push(Event { time, what, which: 0 });
        }
        if let Phase::Pushes(_) = memory.phase {
            let force = 4.0 * weight / self.tips.len() as f64;
            for &tip in &self.tips {
                let at = sense.frames()[tip].point_in_world(TIP);
                sense.point_jacobian(tip, at, &mut memory.jacobian);
                // Joints push the tips down; nothing pushes the root.
                for dof in 6..command.torque.len() {
                    command.torque[dof] -= force * memory.jacobian[(2, dof)];
                }
            }
        }
    }
}

fn jumper() -> (Jumper, World, State) {
    let creature = star(6, 3);
    let is_parent = |body: usize| creature.bodies().iter().any(|other| other.parent == body);
    let tips = (2..creature.bodies().len()).filter(|body| !is_parent(*body)).collect();
    let mut q = creature.reference_pose().to_vec();
    q[2] = 0.03;
    let start = State::new(&q, &vec![0.0; creature.nv()]);
    (Jumper { tips }, World::new(creature, StepSettings::default()).unwrap(), start)
}

fn run(world: &World, plan: &Plan) -> Rollout {
    simulate(world, &mut Stepper::new(world), plan, &mut |_| ())
}

#[test]
fn a_controller_that_feels_the_ground_jumps_and_tells_it() {
    let (jumper, world, start) = jumper();
    let rollout = run(&world, &Plan::new(&jumper, start.clone(), 1.5));
    let told: Vec<&str> = rollout.report.events.iter().map(|event| event.what).collect();
    assert!(told.len() >= 6, "{told:?}");
    for (told, expected) in told.iter().zip(["lands", "pushes", "lets go"].iter().cycle()) {
        assert_eq!(told, expected);
    }
    assert!(rollout.report.events.windows(2).all(|pair| pair[0].time < pair[1].time));
    // It leaves the ground, which springs alone do not lift it from.
    let passive = run(&world, &Plan::new(&Passive, start, 1.5));
    let rise = rollout.report.heights.most - passive.report.heights.most;
    assert!(rise > 0.02, "{rise} m");
    assert!(passive.report.events.is_empty());
    // What it remembers can be looked at as what it is, and as nothing else.
    assert!(rollout.memory.get::<Jumping>().is_some() && rollout.memory.get::<Corrections>().is_none());
}

/// A copy in the middle goes on as if nothing had happened, with its memory; and not without, or this would test nothing.
fn goes_on(world: &World, controller: &dyn AnyController, start: &State, seconds: [f64; 2]) {
    let whole = run(world, &Plan::new(controller, start.clone(), seconds[0] + seconds[1]));
    let half = run(world, &Plan::new(controller, start.clone(), seconds[0]));
    let rest = Plan::new(controller, half.end.clone(), seconds[1]);
    let with = Plan { memory: Some(half.memory.clone()), ..rest.clone() };
    // Two copies, on threads of their own.
    for copy in rollouts(world, &[with.clone(), with], 2) {
        assert_eq!(copy.end, whole.end);
        assert_eq!(copy.memory, whole.memory);
        let events = half.report.events.iter().chain(&copy.report.events);
        assert!(events.eq(&whole.report.events));
    }
    assert_ne!(run(world, &rest).end, whole.end, "it remembers nothing that matters");
}

#[test]
fn a_copied_simulation_goes_on_bit_for_bit() {
    let (jumper, world, start) = jumper();
    // In the middle of a push.
    let pushes = run(&world, &Plan::new(&jumper, start.clone(), 1.0));
    let push = pushes.report.events.iter().find(|event| event.what == "pushes").unwrap().time;
    goes_on(&world, &jumper, &start, [push + 0.02, 0.4]);
}

#[test]
fn corrections_are_remembered_in_a_copy() {
    let (stage, stride, world) = runner();
    let bursts = Bursts::new(&stage, &stride, world.settings().step);
    let balanced = Balanced::new(bursts, Balance::new(&stage, &world, &stride));
    // Somewhere within a half cycle.
    goes_on(&world, &balanced, &State::new(&stride.q, &stride.v), [1.3 * stride.period, stride.period]);
}

#[test]
fn controllers_on_legs_are_remembered_in_a_copy() {
    for method in [Method::Coros, Method::Kokkevis] {
        let (controller, world, start) = trotter(method);
        goes_on(&world, &*controller, &start, [0.15, 0.1]);
    }
}

#[test]
fn a_controller_begins_anew_where_another_one_was() {
    let (jumper, world, start) = jumper();
    let before = run(&world, &Plan::new(&Passive, start, 0.3));
    let fresh = Plan::new(&jumper, before.end.clone(), 0.5);
    let after_another = Plan { memory: Some(before.memory.clone()), ..fresh.clone() };
    assert_eq!(run(&world, &after_another).end, run(&world, &fresh).end);
}

fn runner() -> (gambol_control::sketch::Stage, gambol_control::locomotion::Stride, World) {
    let text = gambol::gallery::controller("runner").expect("it is in the gallery");
    let find = |name: &str| gambol::load(name, &gambol::LoadOptions::default()).map_err(|e| e.to_string());
    let (_, stage, stride, step) = read_controller(text, find).unwrap();
    let world = world(&stage, step).unwrap();
    (stage, stride, world)
}

fn trotter(method: Method) -> (Box<dyn AnyController>, World, State) {
    let creature = gambol::load("dog", &gambol::LoadOptions::default()).unwrap();
    let animation = gambol::animate(&creature, "trot").unwrap();
    let (creature, clip) = (animation.body.creature.clone(), &animation.clip);
    // N·m: so little that joints are at their limits.
    let walker = Walker::new(creature, clip, Some(40.0), &WalkerSettings::default()).unwrap();
    let controller = walker.controller(method, None).unwrap();
    let settings = StepSettings { step: walker.step, ..StepSettings::default() };
    (controller, World::new(walker.creature, settings).unwrap(), walker.start)
}

/// Allocations of a controller in so many steps. Those of the steps themselves, whose memory grows with contacts that are new, are
/// counted in `gambol-dynamics`.
fn allocations_of(world: &World, controller: &dyn AnyController, start: &State, steps: usize) -> usize {
    let creature = world.creature();
    let (mut stepper, mut state) = (Stepper::new(world), start.clone());
    let (mut command, mut memory) = (Command::new(creature), controller.begin(creature));
    let mut count = 0;
    for _ in 0..steps {
        let sense = Sense::new(world, &mut stepper, &mut state);
        count += allocations(|| controller.drive(&sense, &mut memory, &mut command));
        let drive = Drive { rest: &command.rest, torque: &command.torque, strength: &[], pushes: &[] };
        sense.step(&drive).unwrap();
    }
    count
}

#[test]
fn a_controller_does_not_allocate() {
    assert!(allocations(|| drop(vec![0_u8; 16])) > 0, "the counter does not count");

    // Several jumps.
    let (jumper, world, start) = jumper();
    assert_eq!(allocations_of(&world, &jumper, &start, 1000), 0, "a jumper");

    // Several half cycles, and so corrections.
    let (stage, stride, world) = runner();
    let bursts = Bursts::new(&stage, &stride, world.settings().step);
    let start = State::new(&stride.q, &stride.v);
    assert_eq!(allocations_of(&world, &bursts, &start, 800), 0, "bursts");
    let balanced = Balanced::new(bursts, Balance::new(&stage, &world, &stride));
    assert_eq!(allocations_of(&world, &balanced, &start, 1600), 0, "corrected bursts");

    // Feet that land and lift, and joints at their limits.
    for method in Method::ALL {
        let (controller, world, start) = trotter(method);
        let count = allocations_of(&world, &*controller, &start, 400);
        assert_eq!(count, 0, "a trot by torques alone, {}", method.name());
    }

    let creature = gambol::load("loop", &gambol::LoadOptions::default()).unwrap();
    let modes =
        analyze(&creature, &mut Data::new(&creature), creature.reference_pose(), &Settings::default())
            .unwrap();
    let pump = Pump::new(&creature, &modes, &suggest(&creature, &modes, &[])).unwrap();
    let mean = modes.mean().to_vec();
    let mut bent = mean.clone();
    creature.integrate(&mut bent, &modes.directions()[7].shape, 0.1);
    let clip = Clip {
        name: String::new(),
        times: vec![0.0, 0.5, 1.0],
        poses: vec![mean.clone(), bent, mean.clone()],
        stride: None,
        contacts: Vec::new(),
        travel: None,
    };
    let start = State::new(&mean, &vec![0.0; creature.nv()]);
    let world = World::new(creature, StepSettings { ground: None, ..StepSettings::default() }).unwrap();
    assert_eq!(allocations_of(&world, &pump, &start, 400), 0, "a pump");
    assert_eq!(allocations_of(&world, &Follow::new(&clip), &start, 400), 0, "a clip");
}

/// Programs up to the size that they were made for, of changing sizes, as feet that come and go make them.
#[test]
fn a_program_does_not_allocate() {
    let (most_unknowns, most_rows) = (24, 60);
    let mut quadratic = QuadraticProgram::new(most_unknowns, most_rows);
    let mut linear = LinearProgram::new(most_unknowns, most_rows);
    let mut random = Random::new(4);
    let mut steps = [0; 2];
    let count = allocations(|| {
        for round in 0..40 {
            let (unknowns, rows) = (most_unknowns - 3 * (round % 4), most_rows - 10 * (round % 3));
            quadratic.begin(unknowns);
            linear.begin(unknowns);
            for i in 0..unknowns {
                quadratic.hessian_mut()[i * (unknowns + 1)] = 1.0 + random.unit();
                linear.set_bounds(i, -1.0, 1.0);
            }
            random.fill_normal(quadratic.gradient_mut());
            random.fill_normal(linear.cost_mut());
            for k in 0..rows {
                let bound = -random.unit();
                random.fill_normal(if k < 4 { quadratic.equal(0.1) } else { quadratic.at_least(bound) });
                random.fill_normal(if k < 4 { linear.near(1.0, 0.5) } else { linear.at_least(bound) });
            }
            assert_eq!(quadratic.solve(), SolveStatus::Optimal);
            assert_eq!(linear.solve(), SolveStatus::Optimal);
            steps[0] += quadratic.steps();
            steps[1] += linear.steps();
        }
    });
    assert_eq!(count, 0);
    assert!(steps.iter().all(|steps| *steps > 40), "{steps:?} steps test little");
}
