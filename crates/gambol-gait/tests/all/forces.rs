//! What forces a clip takes, against truth: a simulation that knows its contact forces, a flight that takes none, and bodies
//! whose forces one can write down. And stances found where the clip does not say them.

use gambol::LoadOptions;
use gambol::control::locomotion::{Bursts, read_controller, world};
use gambol::control::{AnyController, Command};
use gambol_dynamics::{
    Data, Drive, FloatingBase, Sense, State, Stepper, Terrain, center_of_mass, forward_kinematics,
    momentum_matrix,
};
use gambol_gait::{ForceError, ForceSettings, Forces, Legs, StanceSettings, find_stances, forces};
use gambol_model::samples::{Random, chain};
use gambol_model::{Creature, Vec3};
use gambol_motion::{Clip, Contact, Stride};
use nalgebra::{Matrix6, Vector6};

fn load(name: &str) -> Creature {
    gambol::load(name, &LoadOptions::default()).unwrap()
}

fn legs(creature: &Creature) -> Legs {
    Legs::new(creature, &mut Data::new(creature), creature.rest_pose())
}

fn measure_on(creature: &Creature, ground: &Terrain, clip: &Clip) -> Result<Forces, ForceError> {
    let settings = (&ForceSettings::default(), &StanceSettings::default());
    forces(creature, &mut Data::new(creature), &legs(creature), ground, clip, settings)
}

fn measure(creature: &Creature, clip: &Clip) -> Forces {
    measure_on(creature, &Terrain::Flat, clip).unwrap()
}

/// `poses` at an even rate, s apart, that do not loop and say nothing of feet.
fn clip(poses: Vec<Vec<f64>>, step: f64) -> Clip {
    let times = (0..poses.len()).map(|k| k as f64 * step).collect();
    Clip { name: "test".into(), times, poses, stride: None, contacts: Vec::new(), travel: None }
}

/// Contacts of all legs over all of the time.
fn all_stand(creature: &Creature, seconds: f64) -> Vec<Contact> {
    let contact = |leg: &gambol_gait::Leg| Contact {
        name: leg.name.clone(),
        body: leg.foot,
        point: leg.point,
        intervals: vec![[0.0, seconds]],
    };
    legs(creature).legs.iter().map(contact).collect()
}

/// Who stands still carries its weight: forces sum to it, act under the centre of mass, and nothing is left or done.
#[test]
fn who_stands_carries_its_weight_under_the_centre_of_mass() {
    for name in ["dog", "human", "bird", "spider", "insect", "kangaroo", "biped"] {
        let creature = load(name);
        let poses = vec![creature.rest_pose().to_vec(); 9];
        let still = Clip { contacts: all_stand(&creature, 0.8), ..clip(poses, 0.1) };
        let found = measure(&creature, &still);
        let mut data = Data::new(&creature);
        let center = center_of_mass(&creature, &mut data, creature.rest_pose());
        assert_eq!(found.times.len(), 7);
        let figures = &found.figures;
        // Whether the centre of mass is over the feet is up to the pose.
        let supported = figures.residual_moment < 1e-3;
        assert!(supported || name == "bird" || name == "kangaroo", "{name}: {figures:?}");
        assert!(figures.residual_force < 1e-3, "{name}: {figures:?}");
        for (key, pressure) in found.center_of_pressure.iter().enumerate() {
            let sum: Vec3 = found.feet.iter().map(|foot| foot.force[key]).sum();
            assert!((sum - Vec3::z()).norm() < 1e-3, "{name}: {sum}");
            let pressure = pressure.unwrap();
            let off = (pressure - center).xy().norm() / figures.com_height;
            assert!(!supported || off < 2e-3, "{name}: {off}");
        }
        assert!((found.feet.iter().map(|foot| foot.share).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(figures.positive_work < 1e-9 && figures.cost_of_transport.is_none());
        assert_eq!((figures.com_swing, figures.com_phase), (0.0, None));
        assert!(found.unbelieved.is_empty() && found.doubt(0.3).is_none());
    }
}

/// On a slope that its paws cannot hold, a standing dog slides: sin(slope − arctan μ) of its weight is missing.
#[test]
fn a_slope_beyond_friction_leaves_what_slides() {
    let creature = load("dog");
    for (degrees, missing) in [(20.0_f64, 0.0), (50.0, (50.0_f64 - 38.659_808).to_radians())] {
        // The ground is turned and not the dog: it stands askew, but so that the slope goes through all paws' height.
        let slope = Terrain::Slope(degrees.to_radians());
        let poses = vec![creature.rest_pose().to_vec(); 5];
        let still = Clip { contacts: all_stand(&creature, 0.4), ..clip(poses, 0.1) };
        let found = measure_on(&creature, &slope, &still).unwrap();
        let left = gambol_model::math::sin(missing);
        let force = found.figures.residual_force;
        assert!(force >= left - 1e-3 && (missing > 0.0 || force < 0.02), "{degrees}°: {force}, {left}");
    }
}

/// Free flight, spinning, with joints that swing: nothing acts from outside. The truth is made by the conservation of momenta, and
/// the keys are the usual ones.
#[test]
fn a_free_flight_takes_no_forces() {
    for name in ["dog", "human", "spider"] {
        let creature = load(name);
        for fps in [60, 120, 240] {
            let found = measure(&creature, &flight(&creature, fps, 0.4));
            let figures = &found.figures;
            assert!(
                figures.residual_force < 1e-6 && figures.residual_moment < 1e-6,
                "{name} at {fps}: {:e} {:e}",
                figures.residual_force,
                figures.residual_moment
            );
            assert!(figures.positive_work > 0.0 && found.unbelieved.is_empty());
        }
    }
}

/// High above the ground, turning over, with every joint swinging about its own direction.
///
/// The joints are given, the root follows: A v = h with the linear momentum h = p + m g t and a constant angular one, so that the
/// root's velocity is A_root⁻¹ (h − A_joints v_joints). Steps of Runge and Kutta's fourth order in the chart of each step.
fn flight(creature: &Creature, fps: u32, seconds: f64) -> Clip {
    const STEPS: u32 = 4800; // a second, so that the steps' error is below rounding
    let base = FloatingBase::of(creature).unwrap();
    let nv = creature.nv();
    let mut random = Random::new(5);
    let (along, late) = (random.numbers(nv, 0.3), random.numbers(creature.joints().len(), 3.0));
    let swing = |time: f64, rate: bool| -> Vec<f64> {
        let mut x = vec![0.0; nv];
        for (joint, late) in creature.joints().iter().zip(&late).filter(|(joint, _)| joint.v != base.v) {
            let (sine, cosine) = gambol_model::math::sin_cos(5.0 * time + late);
            for dof in joint.v..joint.v + joint.kind.nv() {
                x[dof] = along[dof] * if rate { 5.0 * cosine } else { sine };
            }
        }
        x
    };
    let mut data = Data::new(creature);
    let mut rows = vec![0.0; 6 * nv];
    let pose = |time: f64, root: &[f64]| -> Vec<f64> {
        let mut q = creature.rest_pose().to_vec();
        creature.integrate(&mut q, &swing(time, false), 1.0);
        q[base.q..base.q + 7].copy_from_slice(root);
        q
    };
    let mut root = creature.rest_pose()[base.q..base.q + 7].to_vec();
    root[2] += 5.0;
    // As it starts: up and over.
    momentum_matrix(creature, &base, &mut data, &pose(0.0, &root), &mut rows);
    let mut start = swing(0.0, true);
    start[base.v..base.v + 6].copy_from_slice(&[1.0, 0.5, 2.0, 0.4, 2.0, -0.6]);
    let momentum =
        Vector6::from_fn(|row, _| (0..nv).map(|dof| rows[row * nv + dof] * start[dof]).sum::<f64>());
    let mut root_rate = |time: f64, root: &[f64]| -> Vector6<f64> {
        momentum_matrix(creature, &base, &mut data, &pose(time, root), &mut rows);
        let joints = swing(time, true);
        let mut h = momentum;
        h.z -= 9.81 * base.mass * time;
        let own = Matrix6::from_fn(|row, k| rows[row * nv + base.v + k]);
        h -= Vector6::from_fn(|row, _| (0..nv).map(|dof| rows[row * nv + dof] * joints[dof]).sum::<f64>());
        own.lu().solve(&h).unwrap()
    };
    let moved = |root: &[f64], x: &Vector6<f64>| -> Vec<f64> {
        let mut q = creature.rest_pose().to_vec();
        q[base.q..base.q + 7].copy_from_slice(root);
        let mut way = vec![0.0; nv];
        way[base.v..base.v + 6].copy_from_slice(x.as_slice());
        creature.integrate(&mut q, &way, 1.0);
        q[base.q..base.q + 7].to_vec()
    };
    // ẋ of the chart at x, with the body's velocity: ω + ½ x × ω + (1/12) x × (x × ω); places are flat.
    let chart = |x: &Vector6<f64>, v: &Vector6<f64>| {
        let [x, w] = [x, v].map(|six| Vec3::new(six[3], six[4], six[5]));
        let turned = w + x.cross(&w) * 0.5 + x.cross(&x.cross(&w)) / 12.0;
        Vector6::new(v[0], v[1], v[2], turned.x, turned.y, turned.z)
    };
    let h = 1.0 / f64::from(STEPS);
    let mut poses = vec![pose(0.0, &root)];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let steps = (seconds * f64::from(STEPS)) as u32;
    for step in 0..steps {
        let time = f64::from(step) * h;
        let k1 = root_rate(time, &root);
        let x2 = k1 * (0.5 * h);
        let k2 = chart(&x2, &root_rate(time + 0.5 * h, &moved(&root, &x2)));
        let x3 = k2 * (0.5 * h);
        let k3 = chart(&x3, &root_rate(time + 0.5 * h, &moved(&root, &x3)));
        let x4 = k3 * h;
        let k4 = chart(&x4, &root_rate(time + h, &moved(&root, &x4)));
        root = moved(&root, &((k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)));
        if (step + 1).is_multiple_of(STEPS / fps) {
            poses.push(pose(time + h, &root));
        }
    }
    clip(poses, 1.0 / f64::from(fps))
}

/// The gallery's controllers in our simulator, which knows the force of every contact. From the poses alone the forces of each foot
/// come back within 5 % of the weight in the middle of its stances, and little is left over.
#[test]
fn forces_of_a_simulation_come_back_from_its_poses() {
    for name in ["runner", "hopper", "kangaroo"] {
        let (creature, film, truth, friction) = simulated(name, 3.0);
        let settings = ForceSettings { friction, ..ForceSettings::default() };
        let settings = (&settings, &StanceSettings::default());
        let found =
            forces(&creature, &mut Data::new(&creature), &legs(&creature), &Terrain::Flat, &film, settings)
                .unwrap();
        let figures = &found.figures;
        assert!(figures.residual_force < 0.06 && figures.residual_moment < 0.06, "{name}: {figures:?}");
        assert_eq!(figures.low_in_stance(), Some(true), "{name}: {figures:?}");
        let mut looked = 0;
        for (foot, truth) in found.feet.iter().zip(&truth) {
            for key in 3..foot.stands.len() - 3 {
                // The same feet stand all around: no blow is near.
                let steady = found
                    .feet
                    .iter()
                    .all(|other| other.stands[key - 3..=key + 3].iter().all(|s| *s == other.stands[key]));
                if steady && foot.stands[key] {
                    // The measured keys begin with the second one. Two feet may push against each other, and no motion tells.
                    let mut off = foot.force[key] - truth[key + 1];
                    let alone = found.feet.iter().filter(|other| other.stands[key]).count() == 1;
                    off.y *= f64::from(u8::from(alone));
                    let time = found.times[key];
                    assert!(off.norm() < 0.05, "{name}, {}, {time:.3} s: {off}", foot.name);
                    looked += 1;
                }
            }
        }
        assert!(looked > 50, "{name}: {looked}");
    }
}

/// A clip of 240 keys a second, with contacts as they were, and per foot and key the mean of its true force around the key, with
/// the weights that a second difference has (a triangle of one key on either side), in body weights.
fn simulated(name: &str, cycles: f64) -> (Creature, Clip, Vec<Vec<Vec3>>, f64) {
    let text = gambol::gallery::controller(name).unwrap();
    let (_, stage, stride, step) = read_controller(text, |name| {
        gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())
    })
    .unwrap();
    let world = world(&stage, step).unwrap();
    let creature = stage.creature.clone();
    let legs = legs(&creature);
    let controller = Bursts::new(&stage, &stride, step);
    let mut memory = AnyController::begin(&controller, &creature);
    let mut command = Command::new(&creature);
    let mut state = State::new(&stride.q, &stride.v);
    let mut stepper = Stepper::new(&world);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let per_key = ((1.0 / 240.0) / step).round().max(1.0) as usize;
    let weight = creature.mass() * creature.gravity().norm();
    let (mut poses, mut steps): (Vec<Vec<f64>>, Vec<Vec<Vec3>>) = (vec![state.q.clone()], Vec::new());
    'up: while state.time < cycles * stride.period {
        let sense = Sense::new(&world, &mut stepper, &mut state);
        controller.drive(&sense, &mut memory, &mut command);
        let drive = Drive { rest: &command.rest, torque: &command.torque, strength: &[], pushes: &[] };
        sense.step(&drive).unwrap();
        let mut forces = vec![Vec3::zeros(); legs.legs.len()];
        for touch in state.contact_forces(&world) {
            let body = touch.contact.bodies[0];
            let leg = legs
                .legs
                .iter()
                .position(|leg| leg.foot == body || leg.sole.iter().any(|part| part.body == body));
            // By the clock alone it falls in the end.
            let Some(leg) = leg else { break 'up };
            forces[leg] += touch.force / weight;
        }
        steps.push(forces);
        if steps.len().is_multiple_of(per_key) {
            poses.push(state.q.clone());
        }
    }
    let keys = poses.len();
    let truth = |foot: usize, key: usize| -> Vec3 {
        let (mut sum, mut all) = (Vec3::zeros(), 0.0);
        for (k, forces) in steps.iter().enumerate() {
            // The force of a step changes the velocity with which that step moves the pose.
            let away = k as f64 / per_key as f64 - key as f64;
            let share = (1.0 - away.abs()).max(0.0);
            sum += forces[foot] * share;
            all += share;
        }
        sum / all.max(1e-12)
    };
    let step = per_key as f64 * step;
    let contacts = legs.legs.iter().enumerate().map(|(foot, leg)| {
        let mut intervals: Vec<[f64; 2]> = Vec::new();
        for k in (0..steps.len()).filter(|&k| steps[k][foot].norm() > 0.0) {
            let [from, to] = [k, k + 1].map(|k| k as f64 * step / per_key as f64);
            match intervals.last_mut() {
                Some(last) if from - last[1] < 1e-9 => last[1] = to,
                _ => intervals.push([from, to]),
            }
        }
        Contact { name: leg.name.clone(), body: leg.foot, point: leg.point, intervals }
    });
    let film = Clip { contacts: contacts.collect(), ..clip(poses, step) };
    let truths = (0..legs.legs.len()).map(|foot| (0..keys).map(|key| truth(foot, key)).collect()).collect();
    (creature, film, truths, world.settings().friction)
}

/// Stances that the clip says are found again without its word, also where the clip stays in place and the ground runs below it.
#[test]
fn stances_are_found_again_on_the_ground_and_on_a_belt() {
    for (name, gait) in
        [("dog", "walk"), ("dog", "trot"), ("human", "walk"), ("human", "run"), ("spider", "walk")]
    {
        let animation = gambol::animate(&load(name), gait).unwrap();
        let creature = &animation.body.creature;
        let told = &animation.clip;
        let mut bare = told.clone();
        bare.contacts.clear();
        let mut data = Data::new(creature);
        for film in [bare.clone(), bare.in_place(creature)] {
            let settings = StanceSettings::default();
            let found = find_stances(creature, &mut data, &animation.body.legs, &film, &settings).unwrap();
            let moves = film.stride.is_some_and(|stride| stride.shift.norm() < 1e-9);
            let belt = if moves { animation.report.speed } else { 0.0 };
            assert!(
                (found.belt.norm() - belt).abs() < 0.1 * animation.report.speed,
                "{name} {gait}: {}",
                found.belt
            );
            for (contact, own) in found.contacts.iter().zip(&told.contacts) {
                let both = stood(contact, told, |key| stood_at(own, told.times[key]));
                let union = (0..told.times.len())
                    .filter(|&key| stood_at(own, told.times[key]) || stood_at(contact, told.times[key]))
                    .count();
                assert!(
                    both as f64 > 0.7 * union as f64,
                    "{name} {gait}, {}: {both} of {union}",
                    contact.name
                );
            }
        }
    }
}

fn stood_at(contact: &Contact, time: f64) -> bool {
    contact.intervals.iter().any(|[from, to]| time > from - 1e-9 && time < to + 1e-9)
}

/// Keys at which it stands and `also` holds.
fn stood(contact: &Contact, clip: &Clip, also: impl Fn(usize) -> bool) -> usize {
    (0..clip.times.len()).filter(|&key| stood_at(contact, clip.times[key]) && also(key)).count()
}

/// A loop is measured over its seam: cut anywhere else, it takes the same forces.
#[test]
fn a_loop_takes_the_same_forces_wherever_it_is_cut() {
    let animation = gambol::animate(&load("dog"), "walk").unwrap();
    let (creature, own) = (&animation.body.creature, &animation.clip);
    let whole = measure(creature, own);
    let (last, cut) = (own.times.len() - 1, own.times.len() / 3);
    let stride = own.stride.unwrap();
    let mut turned = own.clone();
    turned.poses = (0..=last)
        .map(|k| {
            let mut pose = own.poses[(k + cut) % last].clone();
            let turns = if k + cut >= last { 1.0 } else { 0.0 };
            stride.repeated(turns).apply(creature, &mut pose);
            pose
        })
        .collect();
    let (length, later) = (own.duration(), own.times[cut]);
    for contact in &mut turned.contacts {
        let mut moved: Vec<[f64; 2]> = Vec::new();
        for [from, to] in &contact.intervals {
            for turn in [-1.0, 0.0, 1.0] {
                let [from, to] = [from, to].map(|time| (time - later + turn * length).clamp(0.0, length));
                if from < to {
                    moved.push([from, to]);
                }
            }
        }
        contact.intervals = moved;
    }
    let other = measure(creature, &turned);
    for (a, b) in [
        (whole.figures.residual_force, other.figures.residual_force),
        (whole.figures.residual_moment, other.figures.residual_moment),
        (whole.figures.com_swing, other.figures.com_swing),
        (whole.figures.positive_work, other.figures.positive_work),
        (whole.figures.com_phase.unwrap(), other.figures.com_phase.unwrap()),
        (whole.figures.speed, other.figures.speed),
    ] {
        assert!((a - b).abs() < 1e-4 * (1.0 + a.abs()), "{:?} {:?}", whole.figures, other.figures);
    }
}

/// A body whose height is set by hand: lowest over its standing legs, or highest.
#[test]
fn the_phase_tells_a_bounce_from_a_vault() {
    let creature = load("biped");
    for (sign, phase) in [(-1.0, 0.0), (1.0, 0.5)] {
        let keys = 40_u32;
        let poses: Vec<Vec<f64>> = (0..=keys)
            .map(|k| {
                let mut pose = creature.rest_pose().to_vec();
                // Twice a cycle, largest at a quarter and at three quarters.
                let angle = 2.0 * std::f64::consts::TAU * (f64::from(k) / f64::from(keys) - 0.25);
                pose[2] += sign * 0.03 * gambol_model::math::cos(angle);
                pose
            })
            .collect();
        let mut film =
            Clip { stride: Some(Stride::NONE), contacts: all_stand(&creature, 1.0), ..clip(poses, 0.025) };
        for (foot, contact) in film.contacts.iter_mut().enumerate() {
            let middle = 0.25 + 0.5 * foot as f64;
            contact.intervals = vec![[middle - 0.2, middle + 0.2]];
        }
        let found = measure(&creature, &film).figures;
        let off = (found.com_phase.unwrap().abs() - phase).abs();
        assert!(off < 0.02, "{found:?}");
        assert_eq!(found.low_in_stance(), Some(phase == 0.0));
    }
}

#[test]
fn what_cannot_be_measured_says_why() {
    let dog = load("dog");
    let still = |count: usize| clip(vec![dog.rest_pose().to_vec(); count], 0.1);
    let told = |creature: &Creature, clip: &Clip| measure_on(creature, &Terrain::Flat, clip).unwrap_err();
    assert_eq!(told(&dog, &still(2)), ForceError::TooFewKeys { keys: 2 });
    assert!(matches!(told(&dog, &still(0)), ForceError::Clip(_)));
    let mut weightless = dog.clone();
    weightless.remove_gravity();
    assert_eq!(told(&weightless, &still(5)), ForceError::NoGravity);
    let snake = chain(5);
    let lies = clip(vec![snake.rest_pose().to_vec(); 5], 0.1);
    assert_eq!(told(&snake, &lies), ForceError::NoFeet);
    let mut wild = still(5);
    wild.poses[2][2] = 1e300;
    wild.times = (0..5).map(|k| f64::from(k) * 1e-10).collect();
    assert!(matches!(told(&dog, &wild), ForceError::NotFinite { .. }));
    // In any order of magnitude nothing panics.
    let mut far = still(5);
    far.poses.iter_mut().for_each(|pose| pose[0] += 1e6);
    let mut data = Data::new(&dog);
    forward_kinematics(&dog, &mut data, &far.poses[0]);
    assert!(measure(&dog, &far).figures.residual_force.is_finite());
}
