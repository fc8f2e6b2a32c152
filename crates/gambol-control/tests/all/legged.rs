//! Creatures that go on legs by their own torques. They must stay up at the wanted speed within their limits, which no controller does that
//! plans forces where the simulator finds none; the books of momentum must close with the ground and gravity alone, so that no outside hand
//! is at work; copies must go on bit for bit; and clips that cannot be followed must say why.

use gambol::gait::{Sampling, Wish, perform, prepare};
use gambol_control::legged::{
    FootPhase, LegSight, LegState, Moment, PilotSettings, ReferenceError, StrideReference, Walker,
    WalkerError, WalkerSettings, Whole, WholeMemory, next_state,
};
use gambol_control::{Plan, Rollout, Shove, Status, simulate};
use gambol_dynamics::{
    Base, Block, Course, CourseSpec, Data, Push, State, StepSettings, Stepper, Terrain, World,
    body_velocities, center_of_mass, momentum,
};
use gambol_model::{Creature, Vec3};
use gambol_motion::Clip;

/// N·m at every joint, that of Coros et al. 2011's dog.
const LIMIT: f64 = 100.0;

/// N·m, about twice what strong people have in their hips.
const PERSON: f64 = 400.0;

fn performed(name: &str, gait: &str, speed: Option<f64>) -> (Creature, Clip) {
    let creature = gambol::gallery::find(name).unwrap().load(&gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let wish = Wish { speed, ..Wish::default() };
    let (body, design) = prepare(creature, &mut data, gait, |_| (), &wish).unwrap();
    let clip = perform(&body, &mut data, &design.gait, &Sampling { seconds: None, fps: 240.0 }).unwrap().clip;
    (body.creature, clip)
}

struct Scene {
    world: World,
    walker: Walker,
    controller: Whole,
}

fn scene(name: &str, gait: &str, speed: Option<f64>, limit: f64) -> Scene {
    scene_on(None, name, gait, speed, limit)
}

fn scene_on(ground: Option<Terrain>, name: &str, gait: &str, speed: Option<f64>, limit: f64) -> Scene {
    let (creature, clip) = performed(name, gait, speed);
    let walker = Walker::new(creature, &clip, Some(limit), &WalkerSettings::default()).unwrap();
    let controller = walker.whole(None).unwrap();
    let flat = StepSettings::default();
    let ground = ground.or(flat.ground.clone());
    let settings = StepSettings { step: walker.step, ground, ..flat };
    Scene { world: World::new(walker.creature.clone(), settings).unwrap(), walker, controller }
}

impl Scene {
    fn plan<'a>(&'a self, seconds: f64, shoves: &'a [Shove]) -> Plan<'a> {
        let torque_limits = &self.walker.strength;
        let plan = Plan::new(&self.controller, self.walker.start.clone(), seconds);
        Plan { shoves, torque_limits, keep_poses: true, ..plan }
    }

    fn run(&self, seconds: f64, shoves: &[Shove]) -> Rollout {
        simulate(&self.world, &mut Stepper::new(&self.world), &self.plan(seconds, shoves), &mut |_| ())
    }

    /// Until it falls, s; all of it if it does not.
    fn up(&self, rollout: &Rollout) -> f64 {
        let ground = self.world.settings().ground.as_ref();
        let fall = self.walker.upright.fall(self.world.creature(), &rollout.clip, ground);
        fall.map_or(rollout.report.seconds, |fall| fall.time)
    }
}

fn peak(rollout: &Rollout) -> f64 {
    rollout.report.efforts.iter().fold(0.0, |most, own| own.peak.max(most))
}

/// A limit is kept but for rounding.
fn keeps(rollout: &Rollout, limit: f64) -> bool {
    peak(rollout) <= limit * (1.0 + 1e-9)
}

#[test]
fn a_dog_trots_at_the_speed_that_is_asked_for() {
    let scene = scene("dog", "trot", Some(1.5), LIMIT);
    let rollout = scene.run(4.0, &[]);
    let report = &rollout.report;
    assert_eq!(rollout.status, Status::Finished);
    assert_eq!(scene.up(&rollout), report.seconds, "it stays up");
    assert!((report.mean_speed - 1.5).abs() < 0.05 * 1.5, "{} m/s", report.mean_speed);
    assert_eq!(report.outside_force, 0.0, "nothing holds its root");
    let memory: &WholeMemory = rollout.memory.get().unwrap();
    assert!(peak(&rollout) > 10.0 && keeps(&rollout, LIMIT), "{} N·m", peak(&rollout));
    assert_eq!(memory.solver.failures, 0);
    for (foot, plan) in scene.controller.pilot().reference.feet.iter().enumerate() {
        let lifts = report.events.iter().filter(|event| event.which == foot && event.what == "lifts").count();
        assert!((5..=8).contains(&lifts), "{} lifts {lifts} times in six and a half strides", plan.name);
    }
}

/// In flight nothing can be done about pitch, and on one pair of feet not about all at once: who asks for each by itself is down within
/// seconds here.
/// A metre and a half of level ground, then 8° up or down.
fn ramp(slope: f64) -> Terrain {
    let (level, far) = (1.5, 21.5);
    let block = |from: f64, to: f64, top: f64, slope: f64| {
        let (center, size) = ([0.5 * (from + to), 0.0], [to - from, 10.0]);
        Block { name: String::new(), center, size, heading: 0.0, top, slope, friction: None }
    };
    let top = 0.5 * (far - level) * gambol_model::math::tan(slope);
    let blocks = vec![block(-level, level, 0.0, 0.0), block(level, far, top, slope)];
    Terrain::Course(
        Course::new(CourseSpec { base: Base::Level(-10.0), blocks, patches: Vec::new() }).unwrap(),
    )
}

/// It took the ground for level and fell where it began to rise or to sink, at 1.3 and 2.7 s.
#[test]
fn a_dog_trots_up_and_down_a_slope() {
    for slope in [8.0_f64.to_radians(), -8.0_f64.to_radians()] {
        let scene = scene_on(Some(ramp(slope)), "dog", "trot", Some(1.5), LIMIT);
        let rollout = scene.run(4.0, &[]);
        assert_eq!(scene.up(&rollout), rollout.report.seconds, "it stays up");
        let speed = rollout.report.mean_speed;
        assert!((speed - 1.5).abs() < 0.05 * 1.5, "{speed} m/s");
        let memory: &WholeMemory = rollout.memory.get().unwrap();
        let found = memory.pilot.slope;
        let steep = gambol_model::math::tan(slope);
        // The feet of one stride bend the plane through them by a few millimetres.
        assert!((found.x - steep).abs() < 0.1 * steep.abs() && found.y.abs() < 0.03, "{found}");
    }
}

/// Its tail lies on the ground in its walk. It dragged for half of the time, with a load that nobody had planned.
#[test]
fn a_tail_is_kept_off_the_ground() {
    let scene = scene("kangaroo", "walk", None, PERSON);
    let rollout = scene.run(1.0, &[]);
    let creature = scene.world.creature();
    let of_tail = |body: usize| creature.bodies()[body].name.starts_with("tail");
    let tails = rollout.clip.contacts.iter().filter(|contact| of_tail(contact.body));
    let time: f64 = tails.flat_map(|contact| &contact.intervals).map(|[from, to]| to - from).sum();
    assert!(time < 0.05, "{time} s");
}

#[test]
fn gaits_with_flight_stay_up_at_their_limit() {
    for (gait, speed) in [("canter", 3.0), ("gallop", 5.0)] {
        let scene = scene("dog", gait, Some(speed), LIMIT);
        let rollout = scene.run(3.0, &[]);
        assert_eq!(scene.up(&rollout), rollout.report.seconds, "{gait} stays up");
        let mean = rollout.report.mean_speed;
        assert!((mean - speed).abs() < 0.05 * speed, "{gait}: {mean} m/s");
        assert!(keeps(&rollout, LIMIT), "{gait}: {} N·m", peak(&rollout));
        assert!(rollout.report.efforts.iter().any(|own| own.at_limit > 0.0), "{gait}: a limit that matters");
    }
}

/// A body that crashes into the ground drives its joints back faster than any muscle: dampers would give thousands of newton metres.
#[test]
fn a_limit_is_kept_in_a_fall_and_the_books_close() {
    let weak = 15.0;
    let scene = scene("dog", "trot", Some(2.2), weak);
    let rollout = scene.run(1.2, &[]);
    assert_eq!(rollout.status, Status::Finished);
    assert!(scene.up(&rollout) < rollout.report.seconds, "{weak} N·m do not carry a dog");
    assert!(keeps(&rollout, weak), "{} N·m", peak(&rollout));
    assert!(rollout.report.efforts.iter().any(|own| own.at_limit > 0.05));
    // What dampers took while they were bounded is in the books: contact is what is left over, and it makes nothing.
    let budget = &rollout.report.budget;
    assert!(budget.contact > 0.0 && budget.damping > 0.0, "{budget:?}");
}

#[test]
fn momentum_comes_from_the_ground_and_gravity_alone() {
    let scene = scene("insect", "walk", None, LIMIT);
    let seconds = 1.0;
    let rollout = scene.run(seconds, &[]);
    assert_eq!(scene.up(&rollout), rollout.report.seconds, "it stays up");
    let creature = scene.world.creature();
    let mut data = Data::new(creature);
    let mut rises = |state: &State| momentum(creature, &mut data, &state.q, &state.v).linear.z;
    let gained = rises(&rollout.end) - rises(&scene.walker.start);
    let carried: f64 = rollout.report.touching.iter().map(|touching| touching.load).sum();
    let weight = creature.mass() * creature.gravity().norm();
    let time = rollout.report.seconds;
    // Velocities lie half a step behind poses, so that momenta at a pose are off by about h a of the parts: 1e-3 of the weight's
    // impulse in a second.
    let open = (gained - (carried - weight) * time).abs();
    assert!(open < 2e-3 * weight * time, "{open} N·s of {}", weight * time);
}

#[test]
fn two_legs_keep_their_balance() {
    let scene = scene("biped", "walk", None, PERSON);
    let rollout = scene.run(3.0, &[]);
    assert_eq!(scene.up(&rollout), rollout.report.seconds, "it stays up");
    let wanted = scene.controller.pilot().own_course().speed;
    let mean = rollout.report.mean_speed;
    assert!((mean - wanted).abs() < 0.1 * wanted, "{mean} of {wanted} m/s");
}

#[test]
fn a_push_is_taken_and_copies_go_on_bit_for_bit() {
    let scene = scene("dog", "walk", Some(1.0), LIMIT);
    let body = scene.world.creature().body_index("chest").unwrap();
    let push = Push { body, force: Vec3::new(0.0, 80.0, 0.0) };
    let shoves = [Shove { push, start: 0.3, duration: 0.3 }];
    let rollout = scene.run(2.0, &shoves);
    assert_eq!(
        scene.up(&rollout),
        rollout.report.seconds,
        "80 N for 0.3 s, as in table 1 of Coros et al. 2011"
    );
    let sideways = rollout.report.displacement.y;
    assert!(sideways > 0.02, "it gave way by {sideways} m");

    let half = scene.run(0.4, &[]);
    let whole = scene.run(0.8, &[]);
    let plan = Plan { memory: Some(half.memory.clone()), start: half.end.clone(), ..scene.plan(0.4, &[]) };
    let rest = simulate(&scene.world, &mut Stepper::new(&scene.world), &plan, &mut |_| ());
    assert_eq!(rest.end.q, whole.end.q);
    assert_eq!(rest.end.v, whole.end.v);
}

#[test]
fn a_reference_is_the_clip_at_any_phase() {
    let (creature, clip) = performed("dog", "trot", None);
    let reference = StrideReference::new(&creature, &clip).unwrap();
    let travel = clip.travel.unwrap();
    assert!((reference.velocity.norm() - travel.speed).abs() < 1e-6 * travel.speed);
    let mut moment = Moment::new(&creature);
    let mut data = Data::new(&creature);
    let mut off = 0.0;
    for k in 0..40 {
        let phase = f64::from(k) / 40.0;
        reference.at(&creature, phase, &mut moment);
        // The centre of mass is that of the pose: linear between keys 4 ms apart, so to g h²/8 and what joints bend more.
        let com = center_of_mass(&creature, &mut data, &moment.pose);
        assert!((com - moment.com.place).norm() < 1e-3, "{phase}: {com} {}", moment.com.place);
        // Momentum of the velocities is that of the centre of mass.
        let own = momentum(&creature, &mut data, &moment.pose, &moment.v).linear / reference.base.mass;
        assert!((own - moment.com.velocity).norm() < 0.05, "{phase}: {own} {}", moment.com.velocity);
        // Feet move as the joints make them.
        let motions = body_velocities(&creature, &mut data, &moment.pose, &moment.v).to_vec();
        for (foot, plan) in reference.feet.iter().enumerate() {
            let (motion, frame) = (motions[plan.body], &data.frames[plan.body]);
            let own =
                motion.linear + motion.angular.cross(&(frame.point_in_world(plan.point) - frame.position));
            let planned = reference.foot(foot, phase).velocity;
            off += (own - planned).norm_squared() / (40 * reference.feet.len()) as f64;
        }
    }
    // Where a foot lands or lifts, within 12 ms on either side, the two differ by a tenth of the speed.
    assert!(off.sqrt() < 0.05 * travel.speed, "{} m/s", off.sqrt());
    // It starts again where it ended.
    let (first, again) = (reference.start(&creature, 0.0), reference.start(&creature, 1.0));
    assert_eq!(first, again);
}

#[test]
fn what_cannot_be_followed_says_why() {
    let (creature, clip) = performed("insect", "walk", None);
    let refused = |clip: &Clip| StrideReference::new(&creature, clip).unwrap_err();
    let no_loop = Clip { stride: None, ..clip.clone() };
    assert_eq!(refused(&no_loop).to_string(), "walk does not loop: a stride is needed that can be repeated");
    let no_contacts = Clip { contacts: Vec::new(), ..clip.clone() };
    let message = "walk has no contacts: nothing says when which foot stands";
    assert_eq!(refused(&no_contacts).to_string(), message);
    let mut short = clip.clone();
    short.poses.iter_mut().for_each(|pose| {
        pose.pop();
    });
    assert!(matches!(refused(&short), ReferenceError::Clip(_)));
    let mut floating = creature.clone();
    floating.remove_gravity();
    let error = StrideReference::new(&floating, &clip).unwrap_err();
    assert_eq!(error.to_string(), "there is no gravity, and nothing to balance");
    for limit in [0.0, -1.0, f64::NAN] {
        let error =
            Walker::new(creature.clone(), &clip, Some(limit), &WalkerSettings::default()).unwrap_err();
        assert!(matches!(error, WalkerError::Strength { .. }), "{error}");
    }
}

#[test]
fn legs_follow_the_automaton() {
    use LegState::{Jammed, Late, Pushes, ToCenter, ToSetDown};
    let settings = PilotSettings::default();
    let swings = |share: f64| FootPhase::Swings { share, left: 0.2, length: 0.5, next: 0.5 };
    let stands = FootPhase::Stands { share: 0.5, left: 0.2, length: 0.5 };
    let next = |state, phase, touches, away, since| {
        next_state(state, &LegSight { phase, touches, others: 2, away, since }, &settings)
    };
    assert_eq!(next(Pushes, stands, true, 0.1, 0.3), Pushes);
    assert_eq!(next(Pushes, swings(0.0), true, 0.1, 0.5), ToCenter, "its duty is over");
    assert_eq!(next(ToCenter, swings(0.3), true, 0.1, 0.1), ToCenter, "it may brush the ground");
    assert_eq!(next(ToCenter, swings(0.6), false, 0.1, 0.3), ToSetDown);
    assert_eq!(next(ToSetDown, swings(0.7), true, 0.1, 0.3), ToSetDown);
    assert_eq!(next(ToSetDown, swings(0.85), true, 0.1, 0.4), Pushes, "it landed early");
    assert_eq!(next(Pushes, swings(0.85), true, 0.1, 0.0), Pushes, "and stays");
    assert_eq!(next(ToSetDown, stands, false, 0.1, 0.5), Late);
    assert_eq!(next(Late, stands, true, 0.1, 0.1), Pushes);
    assert_eq!(next(Late, swings(0.1), false, 0.1, 0.4), ToCenter, "it never found the ground");
    assert_eq!(next(Pushes, stands, true, 0.9, 0.3), Jammed);
    assert_eq!(next(Jammed, stands, false, 0.9, 0.1), Jammed);
    assert_eq!(next(Jammed, stands, false, 0.2, 0.2), Late, "a moment later it goes down again");
    let alone = LegSight { phase: stands, touches: true, others: 1, away: 0.9, since: 0.3 };
    assert_eq!(
        next_state(Pushes, &alone, &settings),
        Pushes,
        "who has no two others to stand on is not lifted"
    );
}
