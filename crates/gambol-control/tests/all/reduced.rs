//! A body in a few directions on the ground: what moves it is what the report says, features do what they say, and files that make no
//! sense are told.

use gambol_control::Shove;
use gambol_control::reduced::{
    Actuation, Aim, Balance, Feature, JointLimit, ReducedPlan, ReducedSettings, ReducedWorld, Wishes,
    features_from_toml, simulate_reduced,
};
use gambol_dynamics::reduced::{PLACE, ROOT, ReducedBody, ReducedState};
use gambol_dynamics::{Data, Push};
use gambol_model::{Creature, Vec3};

/// The gallery's dog in its lowest vibrations; it floats where there is no ground.
fn dog(settings: ReducedSettings) -> (Creature, ReducedWorld, Vec<f64>) {
    let mut creature = gambol::gallery::find("dog").unwrap().load(&gambol::LoadOptions::default()).unwrap();
    let pose = creature.rest_pose().to_vec();
    let basis = gambol_modes::analyze(
        &creature,
        &mut Data::new(&creature),
        &pose,
        &gambol_modes::Settings::default(),
    );
    let basis = basis.unwrap().truncated(15);
    let shapes = basis.flexible().iter().map(|direction| direction.shape.as_slice());
    if settings.ground.is_none() {
        creature.remove_gravity();
    }
    let body = ReducedBody::new(&creature, basis.mean(), shapes).unwrap();
    let g = body.start();
    (creature, ReducedWorld::new(body, settings, Vec::new()).unwrap(), g)
}

fn stood(creature: &Creature, world: &ReducedWorld, g: &mut [f64]) -> (Balance, ReducedState) {
    let balance = Balance::new(creature, creature.rest_pose());
    let mut memory = world.memory();
    // Level feet, to what the last round of Newton leaves.
    assert!(balance.stand(world, &mut memory, g) < 1e-3);
    let state = ReducedState::new(&world.body, &mut memory.data, g, &vec![0.0; world.body.n()]);
    (balance, state)
}

/// By its joints alone: it stands and takes a push, all its weight is on the ground, and no ghost moves it.
#[test]
fn a_dog_in_its_vibrations_stands_and_takes_a_push() {
    let (creature, world, mut g) = dog(ReducedSettings::default());
    let (balance, start) = stood(&creature, &world, &mut g);
    let push = Push { body: world.body.base().body, force: Vec3::new(0.0, 80.0, 0.0) };
    let shoves = [Shove { push, start: 0.3, duration: 0.2 }];
    let plan = ReducedPlan { start, seconds: 1.5, shoves: &shoves, balance: Some(&balance), fps: 60.0 };
    let rollout = simulate_reduced(&world, &plan, &mut |_| {});
    let report = rollout.report;
    assert_eq!((rollout.divergence, report.fell_at, report.unsolved), (None, None, 0));
    assert_eq!((report.ghost_force, report.ghost_moment), ([0.0; 2], [0.0; 2]));
    // At rest at both ends, so the mean force of the ground is the weight, but for what is left of its last motion.
    assert!((report.ground_force - 1.0).abs() < 0.01, "{}", report.ground_force);
    assert!(report.friction <= 1.0 + 1e-9, "{}", report.friction);
}

/// Newton's law for the whole: linear momentum changes by gravity and by the forces that contacts are said to have, step by step. With
/// the paper's actuation the ghost makes up for what is missing.
#[test]
fn forces_of_the_ground_and_the_ghost_are_all_that_moves_it() {
    for actuation in [Actuation::Internal, Actuation::Paper] {
        let (creature, world, mut g) = dog(ReducedSettings { actuation, ..ReducedSettings::default() });
        let (mut balance, mut state) = stood(&creature, &world, &mut g);
        balance.heights.push([0.1, 0.9]);
        let mut memory = world.memory();
        let mut command = balance.begin(&world, &mut memory, &state);
        let (mut wishes, force) = (Wishes::new(&world.body), vec![0.0; world.body.n()]);
        let (h, weight) = (world.settings.step, creature.gravity() * world.body.base().mass);
        let mut ghosts: f64 = 0.0;
        for _ in 0..40 {
            world.look(&mut memory, &state);
            wishes.clear();
            balance.wish(&world, &memory, &state, &mut command, &mut wishes);
            let before = Vec3::new(state.p[0], state.p[1], state.p[2]);
            let outcome = world.step(&mut memory, &mut state, &force, &wishes).unwrap();
            let change = (Vec3::new(state.p[0], state.p[1], state.p[2]) - before) / h;
            let ground: Vec3 = memory.contacts().iter().map(|contact| contact.force).sum();
            let left = change - weight - ground - outcome.ghost[0];
            assert!(left.norm() < 1e-6 * weight.norm(), "{actuation:?}: {left}");
            ghosts = ghosts.max(outcome.ghost[0].norm());
            for contact in memory.contacts().iter().filter(|contact| contact.touches) {
                let along = contact.force.dot(&contact.contact.normal);
                let across = (contact.force - contact.contact.normal * along).norm();
                assert!(across <= contact.friction * along + 1e-9 * weight.norm());
            }
        }
        assert_eq!(ghosts > 0.0, actuation == Actuation::Paper);
    }
}

/// In the air without gravity nothing resists: each feature alone is reached, and velocities are those of equation 11.
#[test]
fn features_are_reached_where_nothing_resists() {
    let settings = ReducedSettings {
        ground: None,
        actuation: Actuation::Paper,
        realism: 0.0,
        ..ReducedSettings::default()
    };
    let (creature, world, g) = dog(settings);
    let head = creature.landmarks().iter().find(|mark| mark.name() == "head").unwrap().clone();
    let mut memory = world.memory();
    memory.data.place(&world.body, &g);
    let at = memory.data.full.frames[head.body].point_in_world(head.point);
    let target = at + Vec3::new(0.05, 0.03, 0.02);
    let aim = Aim::Point { body: head.body, point: head.point, target };
    let feature = Feature::calm(aim, 0.05, 1.0, world.settings.step);
    let mut state = ReducedState::new(&world.body, &mut memory.data, &g, &vec![0.0; world.body.n()]);
    let (mut wishes, force) = (Wishes::new(&world.body), vec![0.0; world.body.n()]);
    for _ in 0..100 {
        world.look(&mut memory, &state);
        wishes.clear();
        wishes.wish(&world, &memory, &state, None, &feature);
        world.step(&mut memory, &mut state, &force, &wishes).unwrap();
    }
    memory.data.place(&world.body, &state.g);
    let reached = memory.data.full.frames[head.body].point_in_world(head.point);
    // Twenty time constants leave nothing of 6 cm but what a step is off by, ½ h² ω² r of a body that still moves, over the gain of 0.04
    // a step: 1 mm at 1 rad/s.
    assert!((reached - target).norm() < 2e-3, "{}", (reached - target).norm());
}

/// A joint that is led out of its ellipsoid stops at it.
#[test]
fn joints_stay_in_the_ellipsoids_they_were_seen_in() {
    let (creature, world, g) = dog(ReducedSettings { ground: None, ..ReducedSettings::default() });
    let mut seen = Vec::new();
    let mut random = gambol_model::Random::new(2);
    let mut pose = vec![0.0; creature.nq()];
    let mut tangent = vec![0.0; creature.nv()];
    for _ in 0..50 {
        let mut near = g.clone();
        near[PLACE..].iter_mut().for_each(|x| *x = 0.2 * random.symmetric());
        world.body.pose(&near, &mut tangent, &mut pose);
        seen.push(pose.clone());
    }
    let mean = creature.rest_pose().to_vec();
    let limits = JointLimit::learn(&creature, &mean, seen.iter().map(Vec::as_slice)).unwrap();
    let farthest = |limits: Vec<JointLimit>| {
        let world = ReducedWorld::new(world.body.clone(), world.settings.clone(), limits).unwrap();
        let mut memory = world.memory();
        let mut v = vec![0.0; world.body.n()];
        v[ROOT] = 2.0;
        let mut state = ReducedState::new(&world.body, &mut memory.data, &g, &v);
        let (wishes, force) = (Wishes::new(&world.body), vec![0.0; world.body.n()]);
        for _ in 0..60 {
            world.look(&mut memory, &state);
            world.step(&mut memory, &mut state, &force, &wishes).unwrap();
        }
        state.g
    };
    let (free, held) = (farthest(Vec::new()), farthest(limits.clone()));
    let beyond =
        |g: &[f64]| limits.iter().filter(|limit| limit.is_beyond(&world.body, &g[PLACE..], 0.1)).count();
    assert!(beyond(&free) > 0 && beyond(&held) == 0, "{} and {}", beyond(&free), beyond(&held));
}

#[test]
fn what_a_feature_file_gets_wrong_is_told_with_its_line() {
    let creature = gambol::gallery::find("dog").unwrap().load(&gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let frames = gambol_dynamics::forward_kinematics(&creature, &mut data, creature.rest_pose());
    let read = |text: &str| features_from_toml(text, &creature, frames, 0.01);
    let good = read(
        "version = 1\n[[feature]]\nkind = \"look-at\"\nat = \"head\"\noffset = [1, 0, 0]\ntime = 0.3\npriority = 1\n\
         [[feature]]\nkind = \"point\"\nat = \"foot.front.left\"\noffset = [0.1, 0, 0.2]\nduring = [1, 2]\n",
    );
    let good = good.unwrap();
    assert_eq!((good.len(), good[0].priority, good[1].during), (2, 1, [1.0, 2.0]));
    for (text, wanted) in [
        ("version = 1\n", "no [[feature]]"),
        ("version = 1\n[[feature]]\nkind = \"pont\"\n", "did you mean point?"),
        (
            "version = 1\n[[feature]]\nkind = \"point\"\nat = \"hed\"\noffset = [0, 0, 1]\n",
            "did you mean head?",
        ),
        ("version = 1\n[[feature]]\nkind = \"point\"\nat = \"head\"\n", "needs a target, or an offset"),
        ("version = 1\n[[feature]]\nkind = \"point\"\nat = \"head\"\ntarget = [1, 2]\n", "three numbers"),
        ("version = 1\n[[feature]]\nkind = \"momentum\"\ntime = 0.1\ngain = 3\n", "the time says both"),
        ("version = 1\n[[feature]]\nkind = \"height\"\n", "height is missing"),
        ("version = 1\n[[feature]]\nkind = \"momentum\"\nduring = [2, 1]\n", "two times"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}
