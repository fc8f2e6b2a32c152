//! A controller is found once and simulated on other days and machines: all its numbers must come back bit for bit, or what
//! ran there falls here. It is its sketch as well, so that a search can begin where another one ended. A file that was edited
//! wrongly, or that is of another creature, must be told with its line. What people see of it is one cycle as a loop, which
//! has to close and to be the same on both sides.

use gambol::LoadOptions;
use gambol_control::locomotion::{
    Fall, Found, Space, Stride, Upright, controller_to_toml, cycle_clip, is_controller, read_controller,
    world,
};
use gambol_control::sketch::{FileError, Sketch, Stage, read, to_toml};
use gambol_dynamics::{Data, center_of_mass};
use gambol_model::{Creature, math};
use gambol_motion::{Clip, Contact};

fn find(name: &str) -> Result<Creature, String> {
    gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())
}

/// A stride somewhere in the space of a sketch of the gallery, with numbers of many digits.
fn somewhere(name: &str) -> (Sketch, Stage, Stride) {
    let (sketch, stage) = read(gambol::gallery::sketch(name).unwrap(), find).unwrap();
    let space = Space::modal(&sketch, &stage);
    let numbers = space.numbers.iter().enumerate();
    let x: Vec<f64> = numbers
        .map(|(k, number)| {
            let x = number.mean + number.deviation * math::sin(k as f64 + 0.1);
            x.clamp(number.bounds.least, number.bounds.most)
        })
        .collect();
    let stride = space.stride(&stage, &x);
    (sketch, stage, stride)
}

const STEP: f64 = 0.002_7;

fn text_of(name: &str) -> String {
    let (sketch, stage, stride) = somewhere(name);
    controller_to_toml(&sketch, &stage, &stride, STEP, None)
}

#[test]
fn all_numbers_come_back_bit_for_bit() {
    let bits = |stride: &Stride| -> Vec<u64> {
        let Stride { q, v, flight, ground, bursts, period, flight_share } = stride;
        let all = q.iter().chain(v).chain(flight).chain(ground).chain(bursts).chain([period, flight_share]);
        all.map(|x| x.to_bits()).collect()
    };
    for name in gambol::gallery::sketches() {
        let (sketch, stage, mut stride) = somewhere(name);
        // Numbers that are written in other ways.
        stride.v[7] = 1e-300;
        stride.v[8] = -0.0;
        stride.v[9] = 1e21;
        let found = Found {
            status: "stalled: \"cycle\" violated by 2".to_owned(),
            seed: u64::MAX,
            evaluations: 12_345,
            speed: 2.1,
            effort: 1e5,
            gap: f64::INFINITY,
        };
        for found in [None, Some(&found)] {
            let text = controller_to_toml(&sketch, &stage, &stride, STEP, found);
            let (same, stage, back, step) =
                read_controller(&text, find).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert_eq!(same, sketch, "{name}");
            assert_eq!(bits(&back), bits(&stride), "{name}");
            assert_eq!(step.to_bits(), STEP.to_bits());
            assert_eq!(controller_to_toml(&same, &stage, &back, step, found), text, "{name}");
        }
    }
}

#[test]
fn a_controller_is_also_its_sketch() {
    let (sketch, ..) = somewhere("runner");
    let text = text_of("runner");
    assert!(is_controller(&text));
    assert!(!is_controller(&to_toml(&sketch)) && !is_controller("stride"));
    assert_eq!(read(&text, find).unwrap().0, sketch);
    let missing = read_controller(&to_toml(&sketch), find).unwrap_err();
    assert!(missing.reason.contains("[stride] is missing; gambol optimize makes"), "{missing}");
}

#[test]
fn a_stride_is_found_again_in_the_space_it_came_from() {
    for name in gambol::gallery::sketches() {
        let (sketch, stage, stride) = somewhere(name);
        // A stride of the modal space lies in the canonical one too, which has all.
        for space in [Space::modal(&sketch, &stage), Space::canonical(&sketch, &stage)] {
            let place = space.place(&stage, &stride).unwrap();
            let back = space.stride(&stage, &place);
            // Rotations go through an angle and back, and shapes of modes are solved for: roundings of numbers of the order of
            // 1, times how nearly alike two modes are.
            assert!(far(&stride.q, &back.q) < 1e-11, "{name}: {}", far(&stride.q, &back.q));
            assert!(far(&stride.v, &back.v) < 1e-11, "{name}: {}", far(&stride.v, &back.v));
            let (q, v) = (stride.q.clone(), stride.v.clone());
            assert_eq!(Stride { q, v, ..back.clone() }, stride, "{name}");
            // Where it stands does not matter.
            let mut elsewhere = stride.clone();
            elsewhere.q[0] += 3.0;
            elsewhere.q[1] -= 2.0;
            assert!(far(&space.place(&stage, &elsewhere).unwrap(), &place) < 1e-11);
        }
    }
}

#[test]
fn a_place_is_within_bounds_and_only_for_strides_of_the_space() {
    let (sketch, stage, stride) = somewhere("runner");
    let space = Space::modal(&sketch, &stage);
    let long = Stride { period: 100.0, ..stride.clone() };
    let place = space.place(&stage, &long).unwrap();
    assert_eq!(place[place.len() - 2], space.numbers[place.len() - 2].bounds.most);
    let (_, _, other) = somewhere("kangaroo");
    assert_eq!(space.place(&stage, &other), None);
    let fewer = Stride { flight: Vec::new(), ..stride };
    assert_eq!(space.place(&stage, &fewer), None);
}

#[test]
fn mistakes_are_told_with_their_lines() {
    let text = text_of("runner");
    let error = |text: &str| -> FileError { read_controller(text, find).unwrap_err() };
    let line_of = |start: &str| 1 + text.lines().position(|line| line.starts_with(start)).expect(start);
    // The whole line that starts with the first becomes the second.
    for (start, instead, message) in [
        ("step =", "step = 0", "step: 0 is not a finite number above 0"),
        ("bursts =", "bursts = [0.1]", "bursts: they are two lengths above 0"),
        ("bursts =", "bursts = [0.1, -0.1]", "bursts: they are two lengths above 0"),
        ("velocity =", "velocity = [inf,", "velocity: inf is not a finite number"),
        ("velocity =", "velocity = [1.0,", "velocity: 37 numbers for 36 velocities of biped"),
        ("flight = [", "flight = [1.0,", "flight: 6 numbers for 5 permissible modes in [flight]"),
        ("ground = [", "ground = [true,", "ground: this boolean is not a finite number"),
        ("pose = [", "poses = [", "[stride] has no key \"poses\"; did you mean pose?"),
    ] {
        // The tables of the sketch have some keys of the same names: those of the stride are the last.
        let (at, whole) =
            text.lines().enumerate().filter(|(_, line)| line.starts_with(start)).last().expect(start);
        let wrong = text.lines().enumerate().map(|(k, line)| if k == at { instead } else { line });
        let error = error(&wrong.collect::<Vec<_>>().join("\n"));
        assert_eq!(error.line, Some(at + 1), "{whole} → {instead}: {error}");
        assert!(error.reason.contains(message), "{error}");
    }
    let without =
        |key: &str| text.lines().filter(|line| !line.starts_with(key)).collect::<Vec<_>>().join("\n");
    let missing = error(&without("step ="));
    assert_eq!(
        (missing.line, missing.reason.as_str()),
        (Some(line_of("[stride]")), "[stride]: step is missing (s)")
    );
}

#[test]
fn a_controller_for_another_creature_says_so() {
    // The stride of a kangaroo in the sketch of a runner.
    let (sketch, ..) = somewhere("runner");
    let kangaroo = text_of("kangaroo");
    let (_, stride) = kangaroo.split_at(kangaroo.find("\n[stride]").unwrap());
    let error = read_controller(&(to_toml(&sketch) + "\n" + stride), find).unwrap_err();
    assert!(error.reason.contains("coordinates of biped; is it of another creature?"), "{error}");
    assert!(error.line.is_some());
}

/// Largest difference of two lists of numbers.
fn far(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_cycle_is_a_loop_and_the_same_on_both_sides() {
    for name in ["runner", "kangaroo"] {
        let (sketch, stage) = read(gambol::gallery::sketch(name).unwrap(), find).unwrap();
        let space = Space::modal(&sketch, &stage);
        // Where a search begins: far from a cycle, so that there is a gap to be spread.
        let stride = space.stride(&stage, &space.mean());
        let creature = &stage.creature;
        let world = world(&stage, 0.004).unwrap();
        let open = cycle_clip(&stage, &world, &stride, 60.0, 0.1);
        assert!(open.stride.is_none() && (open.duration() - stride.period).abs() < 1e-12, "{name}");
        let clip = cycle_clip(&stage, &world, &stride, 60.0, f64::INFINITY);
        clip.check(creature).unwrap();
        // To the last bit but for sums of times.
        assert!((clip.duration() - stride.period).abs() < 1e-12, "{name}: {} s", clip.duration());
        let (first, last) = (&clip.poses[0], clip.poses.last().unwrap());
        assert_eq!(first, &stride.q, "{name}");
        let mut end = first.clone();
        clip.stride.unwrap().apply(creature, &mut end);
        let mut way = vec![0.0; creature.nv()];
        creature.difference(&end, last, &mut way);
        // Through rotations and back.
        assert!(far(&way, &vec![0.0; way.len()]) < 1e-12, "{name}: {way:?}");
        assert!(clip.travel.unwrap().speed > 0.5, "{name}: {:?}", clip.travel);
        assert!(!clip.contacts.is_empty(), "{name}");
        if stage.mirror.is_none() {
            continue;
        }
        let keys = (clip.poses.len() - 1) / 2;
        let bent = |key: usize| {
            let mut bent = vec![0.0; creature.nv()];
            creature.difference(creature.rest_pose(), &clip.poses[key], &mut bent);
            bent
        };
        for key in 0..=keys {
            assert!(far(&stage.mirrored(&bent(key))[2..], &bent(key + keys)[2..]) < 1e-12, "{name}: {key}");
        }
        let stood = |name: &str| {
            let contact = clip.contacts.iter().find(|contact| contact.name == name).expect(name);
            contact.intervals.iter().map(|[start, end]| end - start).sum::<f64>()
        };
        for contact in clip.contacts.iter().filter(|contact| contact.name.contains(".left")) {
            let mate = contact.name.replace(".left", ".right");
            // Sums of times.
            assert!((stood(&contact.name) - stood(&mate)).abs() < 1e-9, "{name}: {:?}", clip.contacts);
        }
    }
}

#[test]
fn a_creature_has_fallen_when_it_is_low_or_on_something_else_than_its_feet() {
    let (_, stage, _) = somewhere("runner");
    let creature = &stage.creature;
    let upright = Upright::new(&stage);
    let rest = creature.rest_pose().to_vec();
    let com = center_of_mass(creature, &mut Data::new(creature), &rest);
    let sunk = |by: f64| {
        let mut pose = rest.clone();
        pose[2] -= by * com.z;
        pose
    };
    let touch = |name: &str, start: f64| Contact {
        name: name.to_owned(),
        body: creature.body_index(name).expect(name),
        point: com,
        intervals: vec![[start, start + 0.1]],
    };
    let mut clip = Clip {
        name: String::new(),
        times: vec![0.0, 0.5, 1.0],
        poses: vec![rest.clone(), sunk(0.49), sunk(0.51)],
        stride: None,
        contacts: vec![touch("foot.left", 0.2), touch("toes.right", 0.3)],
        travel: None,
    };
    assert_eq!(upright.fall(creature, &clip, None), Some(Fall { time: 1.0, body: None }));
    assert_eq!(upright.fall(creature, &clip.part(0, 1), None), None);
    clip.contacts.push(touch("thigh.left", 0.7));
    let thigh = creature.body_index("thigh.left");
    assert_eq!(upright.fall(creature, &clip, None), Some(Fall { time: 0.7, body: thigh }));
}
