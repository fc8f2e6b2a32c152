//! The books must be right where the answer is known: a push on a free body does the work ½ m v², dampers take all that a
//! swinging chain had, friction takes μ m g times the way of a sliding box, and a creature that is pumped in the air,
//! where nothing else can take energy, has a remainder that vanishes with the step. A wrong sign, factor or half step
//! in any of them shows here.

use gambol_control::{AnyController, Passive, Plan, Pump, Report, Shove, Status, Wave, simulate};
use gambol_dynamics::{Data, Push, State, StepSettings, Stepper, World};
use gambol_formats::load_str;
use gambol_model::{Creature, Vec3};
use gambol_modes::{Settings, analyze};

fn creature(mjcf: &str) -> Creature {
    load_str("test.xml", mjcf, &gambol::LoadOptions::default()).unwrap().build().unwrap()
}

fn run(
    creature: &Creature,
    settings: StepSettings,
    controller: &dyn AnyController,
    start: State,
    (seconds, shoves): (f64, &[Shove]),
) -> Report {
    let world = World::new(creature.clone(), settings).unwrap();
    let plan = Plan { shoves, ..Plan::new(controller, start, seconds) };
    let run = simulate(&world, &mut Stepper::new(&world), &plan, &mut |_| ());
    assert_eq!(run.status, Status::Finished);
    run.report
}

fn in_air() -> StepSettings {
    StepSettings { ground: None, ..StepSettings::default() }
}

const BOX: &str = r#"<mujoco><worldbody><body name="box" pos="0 0 0.1">
    <freejoint/><geom type="box" size="0.2 0.2 0.1" mass="2"/></body></worldbody></mujoco>"#;

#[test]
fn a_push_does_its_work() {
    let creature = creature(BOX);
    let start = State::new(creature.reference_pose(), &[0.0; 6]);
    let push = Push { body: 1, force: Vec3::new(3.0, 0.0, 0.0) };
    let shoves = [Shove { push, start: 0.2, duration: 0.5 }];
    let report = run(&creature, in_air(), &Passive, start, (1.0, &shoves));
    let speed = 3.0 * 0.5 / 2.0;
    // The push lasts a whole number of steps, and the velocity is exact in each: rounding alone.
    assert!((report.budget.pushes - 0.5 * 2.0 * speed * speed).abs() < 1e-9, "{:?}", report.budget);
    // Gravity is exact too: what is left over is nothing.
    assert!(report.budget.contact.abs() < 1e-9, "{:?}", report.budget);
}

#[test]
fn friction_takes_its_work() {
    let creature = creature(BOX);
    let mut v = [0.0; 6];
    v[0] = 1.0;
    let start = State::new(creature.reference_pose(), &v);
    let settings = StepSettings { friction: 0.3, ..StepSettings::default() };
    let report = run(&creature, settings, &Passive, start, (1.0, &[]));
    let way = 1.0 / (2.0 * 0.3 * 9.81); // v²/2μg
    // The first and the last step are cut short: an error of v h in the way.
    assert!((report.displacement.x - way).abs() < 2.0 * 0.002, "{}", report.displacement);
    assert!((report.budget.contact - 1.0).abs() < 1e-3, "all of ½ m v² = 1 J: {:?}", report.budget);
}

/// Two hinges in the air, without gravity, with springs and dampers.
const CHAIN: &str = r#"<mujoco><option gravity="0 0 0"/><worldbody><body name="a">
    <freejoint/><geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0" mass="1"/>
    <body name="b" pos="0.4 0 0"><joint name="ab" axis="0 1 0" stiffness="20" damping="0.05"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0" mass="1"/>
      <body name="c" pos="0.4 0 0"><joint name="bc" axis="0 1 0" stiffness="20" damping="0.05"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0" mass="1"/></body></body></body></worldbody></mujoco>"#;

#[test]
fn dampers_take_all_of_a_vibration() {
    let creature = creature(CHAIN);
    let mut q = creature.reference_pose().to_vec();
    (q[7], q[8]) = (0.05, -0.05);
    let report = run(&creature, in_air(), &Passive, State::new(&q, &[0.0; 8]), (60.0, &[]));
    let had = 0.5 * 20.0 * 2.0 * 0.05 * 0.05;
    assert!((report.budget.start.total() - had).abs() < 1e-12);
    // What the step itself adds or takes at this amplitude is of third order in the angles.
    assert!((report.budget.damping - had).abs() < 1e-3 * had, "{:?}", report.budget);
    assert!(report.budget.end.total() < 1e-3 * had, "{:?}", report.budget);
}

#[test]
fn in_the_air_the_remainder_vanishes_with_the_step() {
    let creature = creature(CHAIN);
    let mut data = Data::new(&creature);
    let modes = analyze(&creature, &mut data, creature.reference_pose(), &Settings::default()).unwrap();
    let frequency = modes.directions()[6].frequency().unwrap();
    let wave = Wave { mode: 6, amplitude: 0.05, phase: 0.3, frequency };
    let pump = Pump::new(&creature, &modes, &[wave]).unwrap();
    let remainder = |step: f64| {
        let start = State::new(creature.reference_pose(), &[0.0; 8]);
        let report = run(&creature, StepSettings { step, ..in_air() }, &pump, start, (2.0, &[]));
        let budget = report.budget;
        assert!(budget.drive > 0.0 && budget.damping > 0.0);
        budget.contact.abs() / budget.positive_drive
    };
    let [coarse, middle, fine] = [0.008, 0.004, 0.002].map(remainder);
    println!("{coarse:.1e} {middle:.1e} {fine:.1e}");
    // Second order: a quarter each time, and at 2 ms a ten-thousandth of the work done.
    assert!(middle < 0.3 * coarse && fine < 1e-4, "{coarse}, {middle}, {fine} at 8, 4 and 2 ms");
}
