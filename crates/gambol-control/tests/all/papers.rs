//! The controllers of Kokkevis et al. 1995 and Coros et al. 2011, part by part against closed forms: the response of equation 3, virtual forces by
//! the work that they do, what holds a creature against gravity, leg frames, gaits from a table, and the linear program's forces against any
//! others that the feet could give. Then both of them on a dog, by their torques alone.

use gambol::gait::{Sampling, Wish, perform, prepare};
use gambol_control::legged::{
    FootPhase, GaitGraph, Kokkevis, LegAccount, Limbs, Method, Trajectory, Walker, WalkerSettings,
    double_integral, single_integral,
};
use gambol_control::solve::{LinearProgram, QuadraticProgram, SolveStatus};
use gambol_control::{Command, Plan, Status, simulate};
use gambol_dynamics::{Data, Sense, State, StepSettings, Stepper, World};
use gambol_model::{Random, Vec3, math};

/// N·m at every joint, that of Coros et al. 2011's dog.
const LIMIT: f64 = 100.0;

fn walker(name: &str, gait: &str, speed: Option<f64>) -> Walker {
    let creature = gambol::load(name, &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let wish = Wish { speed, ..Wish::default() };
    let (body, design) = prepare(creature, &mut data, gait, |_| (), &wish).unwrap();
    let clip = perform(&body, &mut data, &design.gait, &Sampling { seconds: None, fps: 240.0 }).unwrap().clip;
    Walker::new(body.creature, &clip, Some(LIMIT), &WalkerSettings::default()).unwrap()
}

fn world(walker: &Walker) -> World {
    let settings = StepSettings { step: walker.step, ..StepSettings::default() };
    World::new(walker.creature.clone(), settings).unwrap()
}

/// y(t) of ω² / (s² + 2 ζ ω s + ω²) after a step at time zero.
fn response(time: f64, zeta: f64, omega: f64) -> f64 {
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let (sin, cos) = math::sin_cos(damped * time);
    1.0 - math::exp(-zeta * omega * time) * (cos + zeta * omega / damped * sin)
}

#[test]
#[allow(clippy::approx_constant)] // 3.14 rad/s is the paper's number
fn both_plants_answer_as_equation_3_says() {
    let (zeta, omega, h) = (0.707, 3.14, 1e-5);
    let (mut place, mut rate) = (0.0, 0.0);
    let (mut velocity, mut sum) = (0.0, 0.0);
    for step in 0..200_000 {
        let time = h * f64::from(step);
        // Euler's rule is off by about h ω in two seconds.
        let wanted = response(time, zeta, omega);
        assert!((place - wanted).abs() < 5.0 * h * omega, "position at {time} s: {place}, {wanted}");
        assert!((velocity - wanted).abs() < 5.0 * h * omega, "velocity at {time} s: {velocity}, {wanted}");
        rate += h * double_integral(1.0, place, rate, zeta, omega);
        place += h * rate;
        let (acceleration, grows) = single_integral(1.0, velocity, sum, zeta, omega);
        velocity += h * acceleration;
        sum += h * grows;
    }
}

/// τ·v = F·(velocity of the point as part of its body − as part of the base link), for any motion: that is what a virtual force is.
#[test]
fn virtual_forces_do_the_work_of_forces_between_two_links() {
    let walker = walker("dog", "walk", None);
    let (creature, world) = (&walker.creature, world(&walker));
    let limbs = Limbs::new(creature, &walker.pilot).unwrap();
    let mut random = Random::new(3);
    let (mut stepper, mut state) = (Stepper::new(&world), walker.start.clone());
    random.fill_normal(&mut state.v);
    let sense = Sense::new(&world, &mut stepper, &mut state);
    let index = |name: &str| creature.body_index(name).unwrap();
    let pairs = [
        ("paw.front.left", "chest"),
        ("paw.hind.right", "pelvis"),
        ("pelvis", "chest"),
        ("head", "pelvis"),
        ("paw.front.left", "paw.hind.right"),
    ];
    for (body, base) in pairs {
        let (body, base) = (index(body), index(base));
        let at = sense.frames()[body].position + Vec3::new(0.1, -0.2, 0.3);
        let force = Vec3::new(random.symmetric(), random.symmetric(), random.symmetric()) * 100.0;
        let mut command = Command::new(creature);
        limbs.push_at(&sense, (body, at), force, base, &mut command);
        let power: f64 = command.torque.iter().zip(&sense.state().v).map(|(torque, v)| torque * v).sum();
        let slides = sense.point_velocity(body, at) - sense.point_velocity(base, at);
        assert!((power - force.dot(&slides)).abs() < 1e-9 * force.norm() * slides.norm().max(1.0));
        assert!(command.torque[limbs.root()].iter().all(|torque| *torque == 0.0), "nothing on the root");
    }
}

#[test]
fn virtual_forces_hold_a_creature_against_gravity() {
    let walker = walker("dog", "walk", None);
    let (creature, world) = (&walker.creature, world(&walker));
    let limbs = Limbs::new(creature, &walker.pilot).unwrap();
    let (mut stepper, mut state) =
        (Stepper::new(&world), State::new(&walker.start.q, &vec![0.0; creature.nv()]));
    let sense = Sense::new(&world, &mut stepper, &mut state);
    let mut command = Command::new(creature);
    for (body, own) in creature.bodies().iter().enumerate().skip(1) {
        let at = sense.frames()[body].point_in_world(own.mass.com);
        let lift = -creature.gravity() * own.mass.mass;
        limbs.push_at(&sense, (body, at), lift, limbs.reference.base.body, &mut command);
    }
    let root = limbs.root();
    for (dof, needed) in sense.bias_forces().iter().enumerate().filter(|(dof, _)| !root.contains(dof)) {
        assert!(
            (command.torque[dof] - needed).abs() < 1e-9 * LIMIT,
            "{dof}: {} {needed}",
            command.torque[dof]
        );
    }
}

#[test]
fn leg_frames_are_the_bodies_that_legs_hang_on() {
    let frames = |name: &str| {
        let walker = walker(name, "walk", None);
        let limbs = Limbs::new(&walker.creature, &walker.pilot).unwrap();
        let one = |frame: &gambol_control::legged::LegFrame| {
            (walker.creature.bodies()[frame.body].name.clone(), frame.limbs.len())
        };
        limbs.frames.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(frames("dog"), [("chest".to_owned(), 2), ("pelvis".to_owned(), 2)], "from front to hind");
    assert_eq!(frames("human").iter().map(|(_, legs)| *legs).collect::<Vec<_>>(), [2]);
    assert_eq!(frames("insect").iter().map(|(_, legs)| legs).sum::<usize>(), 6);
}

/// Left hind, left fore, right hind, right fore, three feet down; and the diagonals.
#[test]
fn the_dog_walks_and_trots_as_in_the_paper() {
    let walker = walker("dog", "walk", None);
    let settings = walker.settings().kokkevis.clone();
    let course = walker.pilot.own_course();
    let controller = Kokkevis::new(&walker.creature, &walker.pilot, course, settings).unwrap();
    let feet: Vec<&str> = walker.pilot.reference.feet.iter().map(|foot| foot.name.as_str()).collect();
    let number = |name: &str| feet.iter().position(|own| *own == name).unwrap();
    let [lh, lf, rh, rf] =
        ["foot.hind.left", "foot.front.left", "foot.hind.right", "foot.front.right"].map(number);
    let stands = |graph: &GaitGraph, foot: usize, phase: f64| {
        matches!(graph.at(foot, phase), FootPhase::Stands { .. })
    };
    let walk = controller.graph(0.8);
    let lifts = |foot: usize| {
        let [from, length] = walk.feet[foot].stances[0];
        (from + length).rem_euclid(1.0)
    };
    for (foot, next) in [(lh, lf), (lf, rh), (rh, rf), (rf, lh)] {
        let later = (lifts(next) - lifts(foot)).rem_euclid(1.0);
        assert!((later - 0.25).abs() < 1e-9, "{} then {}: {later}", feet[foot], feet[next]);
        assert!((walk.duty(foot) - 0.75).abs() < 1e-12);
    }
    let trot = controller.graph(2.0);
    for k in 0..100 {
        let phase = (f64::from(k) + 0.5) / 100.0;
        assert_eq!((0..4).filter(|foot| stands(walk, *foot, phase)).count(), 3);
        assert_eq!(stands(trot, lf, phase), stands(trot, rh, phase));
        assert_eq!(stands(trot, lh, phase), stands(trot, rf, phase));
        assert_ne!(stands(trot, lf, phase), stands(trot, rf, phase));
    }
}

#[test]
fn trajectories_are_linear_between_their_points() {
    let stride = Trajectory::over_stride(|phase| if phase < 0.1 { 3.0 } else { 0.0 });
    assert_eq!(stride.at(0.0, 2.0), (3.0, -9.0), "value, and rate with a period of two seconds");
    assert!((stride.at(11.0 / 12.0, 2.0).0 - 1.5).abs() < 1e-12, "the last point is followed by the first");
    let swing = Trajectory::over_share(|share| 2.0 * share + 1.0);
    for share in [0.0, 0.13, 0.5, 1.0] {
        let (value, rate) = swing.with_rate(share);
        assert!((value - 2.0 * share - 1.0).abs() < 1e-12 && (rate - 2.0).abs() < 1e-12);
    }
    assert_eq!(swing.at_share(7.0), 3.0);
}

/// The cost of equation 6 at the linear program's forces is at most that at the forces which a quadratic program finds for the same feet.
#[test]
fn no_other_forces_are_cheaper_by_equation_6() {
    let (mut linear, mut quadratic) = (LinearProgram::new(12, 30), QuadraticProgram::new(12, 24));
    let mut random = Random::new(11);
    for round in 0..50 {
        let feet = 1 + round % 4;
        let arms: Vec<Vec3> =
            (0..feet).map(|_| Vec3::new(0.4 * random.symmetric(), 0.2 * random.symmetric(), -0.5)).collect();
        let mut wanted = [0.0; 6];
        random.fill_normal(&mut wanted);
        let wanted: Vec<f64> =
            wanted.iter().zip([50.0, 50.0, 100.0, 20.0, 20.0, 20.0]).map(|(x, by)| x * by).collect();
        let row = |k: usize| -> Vec<f64> {
            let axes = [Vec3::z(), Vec3::x(), Vec3::y()];
            let entry = |arm: &Vec3, axis: &Vec3| if k < 3 { axis[k] } else { arm.cross(axis)[k - 3] };
            arms.iter().flat_map(|arm| axes.iter().map(move |axis| entry(arm, axis))).collect()
        };
        let rows: Vec<Vec<f64>> = (0..6).map(row).collect();
        linear.begin(3 * feet);
        quadratic.begin(3 * feet);
        let n = 3 * feet;
        for (row, wanted) in rows.iter().zip(&wanted) {
            linear.near(*wanted, 1.0).copy_from_slice(row);
            for i in 0..n {
                quadratic.gradient_mut()[i] -= row[i] * wanted;
                for j in i..n {
                    quadratic.hessian_mut()[i * n + j] += row[i] * row[j] + if i == j { 1e-6 } else { 0.0 };
                }
            }
        }
        for k in 0..feet {
            quadratic.at_least(0.0)[3 * k] = 1.0;
            for side in [1, 2] {
                linear.set_bounds(3 * k + side, f64::NEG_INFINITY, f64::INFINITY);
                for sign in [1.0, -1.0] {
                    for row in [linear.at_least(0.0), quadratic.at_least(0.0)] {
                        (row[3 * k], row[3 * k + side]) = (0.8, sign);
                    }
                }
            }
        }
        assert_eq!((linear.solve(), quadratic.solve()), (SolveStatus::Optimal, SolveStatus::Optimal));
        let cost = |x: &[f64]| {
            let off = |(row, wanted): (&Vec<f64>, &f64)| {
                (row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() - wanted).abs()
            };
            rows.iter().zip(&wanted).map(off).sum::<f64>()
        };
        let (least, other) = (cost(linear.x()), cost(quadratic.x()));
        assert!(least <= other + 1e-6, "{least} N by the simplex method, {other} otherwise");
    }
}

/// How long they stay up is told in docs/roam.md, and it is not long; here, that they go for some strides, by torques alone and within their
/// limits. When a single one falls hangs on its last digits, so the middle one of five speeds counts.
#[test]
fn both_go_by_torques_alone() {
    for (method, gait, wanted, seconds) in
        [(Method::Coros, "walk", 1.0, 3.0), (Method::Kokkevis, "trot", 1.5, 1.2)]
    {
        let mut up: Vec<f64> = [0.96, 0.98, 1.0, 1.02, 1.04]
            .map(|share| goes_for(method, gait, share * wanted, seconds))
            .to_vec();
        up.sort_by(f64::total_cmp);
        assert!(up[2] >= seconds, "{}: up for {up:?} s", method.name());
    }
}

/// Seconds until it falls, of as many as it is asked to go.
fn goes_for(method: Method, gait: &str, wanted: f64, seconds: f64) -> f64 {
    let walker = walker("dog", gait, Some(wanted));
    let world = world(&walker);
    let controller = walker.controller(method, None).unwrap();
    let plan = Plan {
        torque_limits: &walker.strength,
        keep_poses: true,
        ..Plan::new(controller.as_ref(), walker.start.clone(), seconds)
    };
    let rollout = simulate(&world, &mut Stepper::new(&world), &plan, &mut |_| ());
    let name = method.name();
    assert_eq!(rollout.report.outside_force, 0.0, "{name}: nothing holds its root");
    assert!(rollout.report.efforts.iter().all(|own| own.peak <= LIMIT * (1.0 + 1e-9)), "{name}");
    let fall = walker.upright.fall(&walker.creature, &rollout.clip, world.settings().ground.as_ref());
    match (&rollout.status, fall) {
        (_, Some(fall)) => return fall.time,
        (Status::Diverged(divergence), None) => return divergence.time,
        _ => {}
    }
    let speed = rollout.report.mean_speed;
    assert!((0.6 * wanted..1.4 * wanted).contains(&speed), "{name}: {speed} m/s");
    let account = LegAccount::of(&rollout.memory).unwrap();
    assert_eq!(account.solver.failures, 0, "{name}");
    let lifted =
        |foot: usize| rollout.report.events.iter().any(|event| event.which == foot && event.what == "lifts");
    assert!((0..4).all(lifted), "{name}: every foot was lifted");
    seconds
}
