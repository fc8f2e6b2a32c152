//! Our own corpus of odd bodies: what each is, and the gait that comes first, are what somebody who looks at it would say. A small part
//! of it; `cargo xtask corpus` takes all of them through export, the validator and physics too.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::files::Memory;
use gambol_formats::gltf::samples::odd_bodies;
use gambol_formats::{LoadOptions, load_from};
use gambol_gait::{Body, Sampling, Style, Wish, design, gaits_for, perform};
use gambol_model::BodyClass;

const SMALL: [&str; 54] = [
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
