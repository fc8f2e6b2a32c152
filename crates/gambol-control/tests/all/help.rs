//! Hands from outside do what their settings say, on a body whose motion is known in closed form: a hand that holds is a spring
//! about the trunk, damped critically, that leads it to its speed in `lead` and bends no joint; one that pulls is a spring to a
//! place, and has a greatest force. A hand that pulled at one part of the body alone, or before its time, would fail here.

use gambol_control::help::{Grip, GripSettings, Hand, Held, HelpSettings, Pulled};
use gambol_control::{AnyController, Passive, Plan, Rollout, simulate};
use gambol_dynamics::{Goal, State, StepSettings, Stepper, World};
use gambol_model::samples::star;
use gambol_model::{
    BodyPoint, BodySpec, Creature, CreatureSpec, JointSpec, MassProperties, Quat, Shape, ShapeSpec, Vec3,
    math,
};

/// s
const STEP: f64 = 1e-3;

fn world(creature: Creature) -> World {
    World::new(creature, StepSettings { step: STEP, ground: None, ..StepSettings::default() }).unwrap()
}

fn run(world: &World, controller: &dyn AnyController, start: State, seconds: f64) -> Rollout {
    simulate(world, &mut Stepper::new(world), &Plan::new(controller, start, seconds), &mut |_| ())
}

/// What is left after `time` of a way on which a critically damped spring pulls.
fn left(frequency: f64, time: f64) -> f64 {
    let angle = std::f64::consts::TAU * frequency * time;
    (1.0 + angle) * math::exp(-angle)
}

#[test]
fn a_hand_that_holds_turns_the_trunk_upright_and_leads_it_on() {
    const TILT: f64 = 0.1;
    let world = world(star(5, 3));
    let creature = world.creature();
    let settings = HelpSettings::default();
    let hand = Hand::new(creature, creature.reference_pose(), Vec3::new(0.8, -0.3, 5.0), &settings).unwrap();
    let held = Held::new(Passive, hand, creature).unwrap();

    let tilted = |tilt: f64| {
        let mut start = State::new(creature.reference_pose(), &vec![0.0; creature.nv()]);
        let mut turn = vec![0.0; creature.nv()];
        turn[4] = tilt;
        creature.integrate(&mut start.q, &turn, 1.0);
        start
    };
    for time in [0.1, 0.25, 0.5] {
        let end = run(&world, &held, tilted(TILT), time).end;
        let orientation =
            Quat::new_normalize(nalgebra::Quaternion::new(end.q[3], end.q[4], end.q[5], end.q[6]));
        let tilt = TILT * left(settings.sway, time);
        // An explicit hand of 1.5 Hz in steps of a millisecond is half a step late: some percent at most.
        assert!((orientation.angle() - tilt).abs() < 0.02 * TILT, "{} and {tilt}", orientation.angle());
        let led = 1.0 - math::exp(-time / settings.lead);
        assert!(
            (end.v[0] - 0.8 * led).abs() < 0.01 && (end.v[1] + 0.3 * led).abs() < 0.01,
            "{:?}",
            &end.v[..3]
        );
        // Up and down it does nothing: it falls.
        assert!((end.v[2] + 9.81 * time).abs() < 0.03 * time, "{:?}", &end.v[..3]);
    }
    // Upright, it only leads, and that by the mass of every part.
    let end = run(&world, &held, tilted(0.0), 0.5).end;
    let bent = end.q[7..].iter().zip(&creature.reference_pose()[7..]).map(|(a, b)| (a - b).abs());
    assert!(bent.fold(0.0, f64::max) < 1e-9, "it bends the joints");
}

/// A ball of 2 kg, far from all gravity.
fn ball() -> Creature {
    let mut spec = CreatureSpec::new("ball");
    spec.gravity = Vec3::zeros();
    let ball = spec.add_body(0, BodySpec::new("ball")).unwrap();
    spec.bodies[ball].joints.push(JointSpec::free("root"));
    let mut shape = ShapeSpec::new(Shape::Sphere { radius: 0.1 });
    shape.mass = Some(2.0);
    spec.bodies[ball].shapes.push(shape);
    spec.build().unwrap()
}

#[test]
fn a_hand_that_pulls_is_a_spring_with_a_greatest_force() {
    let world = world(ball());
    let creature = world.creature();
    let MassProperties { mass, .. } = creature.bodies()[1].mass;
    assert_eq!(mass, 2.0);
    let start = State::new(creature.reference_pose(), &vec![0.0; creature.nv()]);
    let settings = GripSettings::default();
    let grip = |target: Vec3| {
        let goal = Goal { point: BodyPoint { body: 1, point: Vec3::zeros() }, target };
        Grip::new(&world, &start, &goal, &settings).unwrap()
    };
    let pulled =
        |target: Vec3, from: f64, until: f64| Pulled::new(Passive, vec![(grip(target), [from, until])]);

    // 0.2 m away the spring is weaker than four times the weight.
    let near = pulled(Vec3::new(0.0, 0.2, 0.0), 0.0995, 0.3995);
    assert_eq!(run(&world, &near, start.clone(), 0.1).end.q, start.q, "it pulls before its time");
    let end = run(&world, &near, start.clone(), 0.35).end;
    let way = 0.2 * (1.0 - left(settings.frequency, 0.25));
    assert!((end.q[1] - way).abs() < 0.002, "{} and {way}", end.q[1]);
    let [let_go, later] = [0.4, 0.6].map(|time| run(&world, &near, start.clone(), time).end);
    assert!((later.q[1] - let_go.q[1] - 0.2 * let_go.v[1]).abs() < 1e-12, "it pulls after its time");

    // Far away it is as strong as it can be, and no stronger.
    let far = pulled(Vec3::new(100.0, 0.0, 0.0), 0.0, 1.0);
    let end = run(&world, &far, start.clone(), 0.5).end;
    assert!((end.v[0] - 0.5 * settings.strongest * 9.81).abs() < 1e-9, "{:?}", end.v);

    // There must be something to pull at.
    for body in [0, 2] {
        let goal = Goal { point: BodyPoint { body, point: Vec3::zeros() }, target: Vec3::zeros() };
        assert_eq!(Grip::new(&world, &start, &goal, &settings).map(drop).unwrap_err().body, body);
    }
}
