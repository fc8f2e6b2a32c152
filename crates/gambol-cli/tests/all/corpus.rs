//! Our own corpus of odd bodies: what each is, and the gait that comes first, are what somebody who looks at it would say. A small part
//! of it; `cargo xtask corpus` takes all of them through export, the validator and physics too.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::files::Memory;
use gambol_formats::gltf::samples::odd_bodies;
use gambol_formats::{LoadOptions, load_from};
use gambol_gait::{
    Body, Performance, Sampling, Style, Wish, design, gaits_for, perform, perform_believed, prepare,
};
use gambol_model::{BodyClass, Creature};

const SMALL: [&str; 57] = [
    "dog-mirrored",
    "dog-0.01",
    "dog-askew",
    "dog-japanese",
    "person-lying-on-face",
    "person-no-names",
    "fish-with-fins",
    "dolphin",
    "dolphin-nameless-flippers",
    "manta",
    "turtle",
    "snake-no-names",
    "bee",
    "bee-japanese",
    "gull-no-names",
    "ghost",
    "hand",
    "tank",
    "one-bone",
    "dog-z-up",
    "dog-on-its-back",
    "dog-z-up-no-names",
    "person-on-its-side",
    "person-chinese",
    "person-german",
    "robot-dog",
    "person-and-dog",
    "fish-from-its-head",
    "fish-from-its-head-no-names",
    "snake-in-a-coil",
    "bat-of-fingers",
    "bird-of-arms",
    "bee-on-legs-no-names",
    "penguin-with-wings",
    "person-with-a-sword",
    "car-no-names",
    "helicopter",
    "tree",
    "tree-no-names",
    "robot-arm",
    "lamp",
    "gun",
    "pigeon-wings-folded",
    "duck-wings-laid-back",
    "ostrich",
    "bat-of-many-fingers",
    "bat-of-many-fingers-no-names",
    "mermaid",
    "whale-low-flippers-no-names",
    "arms-of-the-viewer",
    "hand-no-names",
    "hand-flat-no-names",
    "cobra-reared-no-names",
    "robot-that-hangs",
    "butterfly-no-names",
    "sea-turtle-no-names",
    "centaur",
];

/// Lengths that swimmers go in a beat: at most twice what dolphins do (0.8 to 0.9, Fish 1993; trout 0.6 to 0.75, Bainbridge 1958). These tubes
/// have hardly any fins, and are slower.
const PER_BEAT: [f64; 2] = [0.1, 1.8];

#[test]
fn odd_bodies_are_what_they_look_like() {
    let all = odd_bodies();
    assert!(all.len() >= 40, "{}", all.len());
    for odd in all.iter().filter(|odd| SMALL.contains(&odd.name.as_str())) {
        let files = Memory::new().with("it.glb", odd.file.clone());
        let spec = load_from(&files, "it.glb", &LoadOptions::default())
            .unwrap_or_else(|e| panic!("{}: {e}", odd.name));
        let creature = spec.build().unwrap();
        let mut data = Data::new(&creature);
        let body = match Body::new(creature, &mut data, &Style::default()) {
            Ok(body) => body,
            Err(error) => {
                assert!(odd.gait.is_none(), "{}: {error}", odd.name);
                continue;
            }
        };
        assert_eq!(body.class.class, odd.class, "{}: {}", odd.name, body.class.reason);
        let gaits = gaits_for(&body, &mut data);
        let first = gaits.iter().find(|(_, fits)| fits.is_ok()).map(|(name, _)| name.as_str());
        assert_eq!(first, odd.gait, "{}: {gaits:?}", odd.name);
        // Whoever its bones hang from, a tail drives it ahead, as far in a beat as tails do.
        if matches!(odd.class, BodyClass::Fish | BodyClass::Whale) {
            let gait = design(&body, &mut data, "swim", &Wish::default()).unwrap().gait;
            let played = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: 30.0 }).unwrap();
            let lengths = played.report.stride_length / length(&body, &mut data);
            assert!((PER_BEAT[0]..PER_BEAT[1]).contains(&lengths), "{}: {lengths} lengths a beat", odd.name);
        }
    }
}

/// From its hindmost joint to its foremost, m.
fn length(body: &Body, data: &mut Data) -> f64 {
    let frames = forward_kinematics(&body.creature, data, body.creature.reference_pose());
    let ahead = frames.iter().skip(1).map(|frame| frame.position.dot(&body.legs.heading.forward));
    let (low, high) = ahead.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    high - low
}

#[test]
fn who_stays_is_told_kindly_and_can_be_overruled() {
    let all = odd_bodies();
    let tank = all.iter().find(|odd| odd.name == "tank").unwrap();
    let files = Memory::new().with("it.glb", tank.file.clone());
    let body = |options: &LoadOptions| {
        let creature = load_from(&files, "it.glb", options).unwrap().build().unwrap();
        let mut data = Data::new(&creature);
        let body = Body::new(creature, &mut data, &Style::default()).unwrap();
        let gaits = gaits_for(&body, &mut data);
        (body.class.is_stated, gaits)
    };
    let (stated, gaits) = body(&LoadOptions::default());
    let why = gaits.iter().find(|(name, _)| name == "walk").unwrap().1.as_ref().unwrap_err().to_string();
    assert!(!stated && why.contains("vehicle") && why.contains("`class`"), "{why}");
    let (stated, gaits) =
        body(&LoadOptions { class: Some("belly".parse().unwrap()), ..LoadOptions::default() });
    let why = gaits.iter().find(|(name, _)| name == "walk").unwrap().1.as_ref().unwrap_err().to_string();
    assert!(stated && !why.contains("vehicle"), "{why}");
}

/// One of the corpus.
fn creature(name: &str) -> Creature {
    let odd = odd_bodies().into_iter().find(|odd| odd.name == name).unwrap();
    let files = Memory::new().with("it.glb", odd.file);
    load_from(&files, "it.glb", &LoadOptions::default()).unwrap().build().unwrap()
}

/// A gait as it is played where nothing is said of it.
fn played(creature: &Creature, gait: &str) -> (Body, Performance) {
    let mut data = Data::new(creature);
    let (body, design) = prepare(creature.clone(), &mut data, gait, |_| (), &Wish::default()).unwrap();
    let performance =
        perform(&body, &mut data, &design.gait, &Sampling { seconds: None, fps: 30.0 }).unwrap();
    (body, performance)
}

/// Birds, a dragon and a horse that are drawn with their wings folded fly with them spread, and walk with them as they are drawn. They once
/// walked with them spread; then, as soft limits of joints gave way, half open. The nameless pigeon stands on legs too thin for it.
#[test]
fn birds_walk_with_their_wings_folded() {
    for name in [
        "pigeon-wings-folded",
        "pigeon-wings-folded-no-names",
        "duck-wings-laid-back",
        "dragon-wings-folded",
        "pegasus-wings-folded",
    ] {
        let creature = creature(name);
        let mut data = Data::new(&creature);
        let drawn = width(&creature, &mut data, creature.pose("file").unwrap());
        let mut widths = |gait: &str| -> Vec<f64> {
            let (body, played) = played(&creature, gait);
            played.clip.poses.iter().map(|pose| width(&body.creature, &mut data, pose)).collect()
        };
        let most = |widths: &[f64]| widths.iter().fold(0.0, |most: f64, x| most.max(*x));
        let (flies, walks) = (most(&widths("fly")), most(&widths("walk")));
        assert!(walks < 0.45 * flies, "{name}: {walks} m wide as it walks, {flies} as it flies");
        assert!(walks < 1.3 * drawn, "{name}: {walks} m wide as it walks, {drawn} as drawn");
        let (off, lands) = (widths("take-off"), widths("land"));
        for (folded, all) in [(off[0], &off), (lands[lands.len() - 1], &lands)] {
            assert!(folded < 0.45 * flies, "{name}: {folded} m wide on the ground");
            assert!(most(all) > 0.8 * flies, "{name}: {} m wide at most", most(all));
        }
    }
}

/// A search for the beat that gives up early leaves a tenth of the weight to nobody.
#[test]
fn level_flight_is_balanced() {
    for name in ["bee-japanese", "gull-askew"] {
        let force = played(&creature(name), "fly").1.report.residual_force.unwrap();
        assert!(force < 0.01, "{name}: {force} weights from nowhere");
    }
}

/// Wings do not swing against the legs as arms do: an ostrich's once stood up behind it at every step.
#[test]
fn wings_are_held_still_in_a_walk() {
    for name in ["ostrich", "pigeon-wings-folded", "duck-wings-laid-back"] {
        let creature = creature(name);
        let (body, played) = played(&creature, "walk");
        let mut data = Data::new(&creature);
        let root = creature.bodies().iter().position(|part| part.name == "Wing.L").unwrap();
        let above = creature.bodies()[root].parent;
        let mut turn = |pose: &[f64]| {
            let frames = forward_kinematics(&body.creature, &mut data, pose);
            frames[above].orientation.inverse() * frames[root].orientation
        };
        let rest = turn(body.basis.mean());
        let most = played.clip.poses.iter().map(|pose| turn(pose).angle_to(&rest)).fold(0.0, f64::max);
        assert!(most < 0.12, "{name}: its wings turn by {most} rad");
    }
}

/// Who hangs in the air is seen to live: ghosts and octopuses once rose and fell by a centimetre, and nothing else.
#[test]
fn limbs_of_who_hangs_in_the_air_sway() {
    for name in ["ghost", "octopus", "robot-that-hangs"] {
        let creature = creature(name);
        let (body, played) = played(&creature, "hover");
        let mut data = Data::new(&creature);
        let mut heights = |pose: &[f64]| -> Vec<f64> {
            let frames = forward_kinematics(&body.creature, &mut data, pose);
            let bodies = body.creature.bodies().iter().zip(frames).skip(1);
            let root = frames[1].position.z;
            bodies.map(|(part, frame)| frame.point_in_world(part.mass.com).z - root).collect()
        };
        let all: Vec<Vec<f64>> = played.clip.poses.iter().map(|pose| heights(pose)).collect();
        let sway = |part: usize| {
            let heights = all.iter().map(|heights| heights[part]);
            let (low, high) =
                heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
            high - low
        };
        let most = (0..all[0].len()).map(sway).fold(0.0, f64::max);
        let reach = width(&creature, &mut data, creature.reference_pose());
        assert!(most > 0.05 * reach, "{name}: limbs sway by {most} m of {reach}");
    }
}

/// A snake that is drawn in a coil slithers as one that lies straight; it once turned about itself at 2 cm/s.
#[test]
fn coiled_snakes_uncoil() {
    let creature = creature("snake-in-a-coil");
    let mut data = Data::new(&creature);
    let frames = forward_kinematics(&creature, &mut data, creature.reference_pose());
    let way: f64 = frames[1..].windows(2).map(|pair| (pair[1].position - pair[0].position).norm()).sum();
    let apart = (frames[1].position - frames[frames.len() - 1].position).norm();
    assert!(apart > 0.99 * way, "{apart} m of {way}");
    let (_, played) = played(&creature, "slither");
    assert!(played.report.speed > 0.1 * way, "{} m/s", played.report.speed);
}

/// Legs that cannot do the walk of their size without blows from nowhere do a slower one: this penguin's took 1.3 body weights.
#[test]
fn penguins_waddle_as_slowly_as_it_takes() {
    let creature = creature("penguin-with-wings");
    let mut data = Data::new(&creature);
    let sampling = Sampling { seconds: None, fps: 60.0 };
    let walk =
        perform_believed(&creature, &mut data, "walk", &|_| (), &Wish::default(), &|_, _| Ok(()), &sampling);
    let report = walk.unwrap().performance.report;
    let force = report.residual_force.unwrap();
    assert!(force < 0.1 && report.speed > 0.15, "{force} weights from nowhere at {} m/s", report.speed);
}

/// Long arms that hang are arms: those of three.js' robot reached the ground, and it went on all fours.
#[test]
fn long_arms_carry_nobody() {
    let creature = creature("robot-of-long-arms");
    let mut data = Data::new(&creature);
    let body = Body::new(creature, &mut data, &Style::default()).unwrap();
    assert_eq!(body.legs.pairs, 1, "{:?}", body.legs.legs.iter().map(|leg| &leg.name).collect::<Vec<_>>());
}

/// Drawn upright, she swims on her belly; she once stood in the water and went ahead by a centimetre in a beat.
#[test]
fn mermaids_swim_ahead() {
    let creature = creature("mermaid");
    let mut data = Data::new(&creature);
    let place = |data: &mut Data, name: &str, pose: &[f64]| {
        let frames = forward_kinematics(&creature, data, pose);
        frames[creature.bodies().iter().position(|part| part.name == name).unwrap()].position
    };
    let [head, tail] = ["Head", "Tail4"].map(|name| place(&mut data, name, creature.reference_pose()));
    assert!(head.x - tail.x > 0.9 * (head - tail).norm(), "her head is {:?} from her tail", head - tail);
    let file = creature.pose("file").unwrap();
    let [head, tail] = ["Head", "Tail4"].map(|name| place(&mut data, name, file));
    assert!(
        head.z - tail.z > 0.9 * (head - tail).norm(),
        "drawn, her head is {:?} from her tail",
        head - tail
    );
}

/// From the leftmost joint or centre of mass to the rightmost, m: it looks along x.
fn width(creature: &Creature, data: &mut Data, pose: &[f64]) -> f64 {
    let frames = forward_kinematics(creature, data, pose);
    let bodies = creature.bodies().iter().zip(frames).skip(1);
    let aside = bodies.flat_map(|(body, frame)| [frame.position.y, frame.point_in_world(body.mass.com).y]);
    let (low, high) = aside.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
    high - low
}
