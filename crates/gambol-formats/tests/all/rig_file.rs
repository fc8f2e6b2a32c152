//! What was guessed about a rig is written as a file that says the same when it is read, and what the user changes in it
//! changes the creature, and nothing else does. Every mistake in it is told with its line and, where one is near, the name
//! that was meant.

use gambol_formats::files::Memory;
use gambol_formats::gltf::samples::{Awkward, awkward, quadruped};
use gambol_formats::gltf::{Rig, RigSettings, read_gltf, rig_to_toml};
use gambol_formats::{FormatError, LoadOptions};
use gambol_model::{Creature, JointKind, Vec3};

fn load(bytes: &[u8], toml: Option<&str>) -> Result<(Creature, Rig), FormatError> {
    let rig = toml.map(|text| RigSettings::from_toml("beast.toml", text)).transpose()?;
    let options = LoadOptions { rig, ..LoadOptions::default() };
    read_gltf(&Memory::new().with("beast.glb", bytes), "beast.glb", &options)
}

fn plain() -> Vec<u8> {
    quadruped(&Awkward { helpers: true, ..Awkward::default() })
}

fn mass(creature: &Creature) -> f64 {
    creature.bodies().iter().map(|body| body.mass.mass).sum()
}

/// The kind of joint of a body; `None` if it is fixed.
fn joint<'c>(creature: &'c Creature, body: &str) -> Option<&'c gambol_model::Joint> {
    let body = &creature.bodies()[creature.body_index(body).unwrap()];
    creature.joints()[body.joints.clone()].first()
}

/// The file has four digits of most numbers, and 0.1 degrees of angles.
#[test]
fn guesses_come_back() {
    for (trouble, awkward) in awkward() {
        let bytes = quadruped(&awkward);
        let (guessed, rig) = load(&bytes, None).unwrap();
        let text = rig_to_toml(&guessed, &rig).unwrap();
        let (told, told_rig) =
            load(&bytes, Some(&text)).unwrap_or_else(|error| panic!("{trouble}: {error}\n{text}"));
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-3 * a.abs().max(b.abs()) + 1e-12;
        assert!(close(mass(&guessed), mass(&told)));
        assert_eq!(rig.bones.len(), told_rig.bones.len());
        assert_eq!((rig.root, rig.world_from_scene), (told_rig.root, told_rig.world_from_scene));
        for (a, b) in guessed.bodies().iter().zip(told.bodies()) {
            assert_eq!((&a.name, a.parent), (&b.name, b.parent), "{trouble}");
            assert!(close(a.mass.mass, b.mass.mass), "{trouble}: {}", a.name);
        }
        for (a, b) in guessed.joints().iter().zip(told.joints()) {
            assert_eq!((&a.name, a.kind), (&b.name, b.kind), "{trouble}");
            assert!(
                close(a.stiffness, b.stiffness) && (a.axis - b.axis).norm() < 1e-3,
                "{trouble}: {}",
                a.name
            );
            let angles = a.limit.into_iter().flatten().zip(b.limit.into_iter().flatten());
            assert!(
                a.limit.is_some() == b.limit.is_some()
                    && angles.into_iter().all(|(a, b)| (a - b).abs() < 1e-3)
            );
        }
        for (a, b) in guessed.landmarks().iter().zip(told.landmarks()) {
            assert_eq!((a.name(), a.body, a.joint), (b.name(), b.body, b.joint), "{trouble}");
        }
        assert_eq!(guessed.landmarks().len(), told.landmarks().len(), "{trouble}");
    }
}

#[test]
fn what_is_told_is_done() {
    let bytes = plain();
    let (guessed, guessed_rig) = load(&bytes, None).unwrap();
    let told = |text: &str| load(&bytes, Some(&format!("version = 1\n{text}"))).unwrap();

    // Nothing said changes nothing.
    let (same, _) = told("");
    assert_eq!((same.bodies().len(), mass(&same)), (guessed.bodies().len(), mass(&guessed)));

    let (creature, rig) = told("forward = \"-z\"");
    let forward = rig.world_from_scene.inverse_transform_vector(&Vec3::x()).normalize();
    assert!((forward + Vec3::z()).norm() < 1e-12, "{forward}");
    assert_eq!(creature.bodies().len(), guessed.bodies().len());

    let (creature, rig) = told("height = 2\nmass = 30");
    assert!((mass(&creature) - 30.0).abs() < 1e-9);
    let ratio = rig.world_from_scene.scaling() / guessed_rig.world_from_scene.scaling();
    assert!((2.0..2.7).contains(&ratio), "the animal is between 0.75 and 1 m high: {ratio}");

    let (creature, _) = told("[bones]\nTail2 = { fold = true }");
    assert_eq!(creature.bodies().len(), guessed.bodies().len() - 1);
    assert!(creature.body_index("Tail2").is_none());
    assert!((mass(&creature) - mass(&guessed)).abs() < 1e-9, "its skin goes with its parent");

    let (creature, _) =
        told("[bones]\nNeck = { joint = \"fixed\" }\nHead = { body = \"skull\", mass = 2.5 }");
    assert!(joint(&creature, "Neck").is_none());
    assert_eq!(creature.nv(), guessed.nv() - 3);
    let skull = creature.body_index("skull").unwrap();
    assert!((creature.bodies()[skull].mass.mass - 2.5).abs() < 1e-12);

    let (creature, _) =
        told("[bones]\nHead = { joint = \"hinge\", axis = [0, 2, 0], limits = [-10, 30], stiffness = 7 }");
    let hinge = joint(&creature, "Head").unwrap();
    assert_eq!((hinge.kind, hinge.axis, hinge.stiffness), (JointKind::Hinge, Vec3::y(), 7.0));
    let [low, high] = hinge.limit.unwrap().map(f64::to_degrees);
    assert!((low + 10.0).abs() < 1e-9 && (high - 30.0).abs() < 1e-9);

    let (creature, _) = told("[landmarks]\ntail = \"\"\nhead = \"Neck\"");
    assert!(creature.landmarks().iter().all(|landmark| landmark.name() != "tail"));
    let head = creature.landmarks().iter().find(|landmark| landmark.name() == "head").unwrap();
    assert_eq!(head.body, creature.body_index("Neck").unwrap());
}

/// The command line says more than the file.
#[test]
fn options_come_before_the_file() {
    let rig = RigSettings::from_toml("beast.toml", "version = 1\nunit = 2\nmass = 5").unwrap();
    let options = LoadOptions { rig: Some(rig), unit: Some(1.0), ..LoadOptions::default() };
    let (creature, rig) = read_gltf(&Memory::new().with("a.glb", plain()), "a.glb", &options).unwrap();
    assert!((rig.world_from_scene.scaling() - 1.0).abs() < 1e-12 && (mass(&creature) - 5.0).abs() < 1e-9);
}

#[test]
fn mistakes_are_told_with_their_line() {
    let bytes = plain();
    for (text, message) in [
        ("", "beast.toml: a rig file: version is missing"),
        ("version = 2", "beast.toml:1: version: version 2 is newer"),
        (
            "version = 1\nforwad = \"x\"",
            "beast.toml:2: a rig file has no key \"forwad\"; did you mean forward?",
        ),
        ("version = 1\nforward = \"north\"", "beast.toml:2: forward: it is not an axis like \"+z\""),
        ("version = 1\nforward = \"-y\"", "beast.toml:2: forward: it is the same direction as up"),
        ("version = 1\nunit = 1\nheight = 2", "beast.toml:3: height: the unit is given already"),
        ("version = 1\nmass = -1", "beast.toml:2: mass: -1 is not a finite number above 0"),
        ("version = 1\nmass = 1 kg", "beast.toml:2: "),
        (
            "version = 1\n[bones]\nHaed = {}",
            "beast.toml:3: there is no bone \"Haed\"; did you mean \"Head\"?",
        ),
        (
            "version = 1\n[bones]\nHead = { stifness = 1 }",
            "beast.toml:3: a bone has no key \"stifness\"; did you mean stiffness?",
        ),
        (
            "version = 1\n[bones]\nHead = { joint = \"saddle\" }",
            "beast.toml:3: joint: \"saddle\" is not free, ball, hinge or fixed",
        ),
        ("version = 1\n[bones]\nHead = { joint = \"hinge\" }", "beast.toml:3: Head: a hinge needs an axis"),
        ("version = 1\n[bones]\nHead = { axis = [1, 0, 0] }", "beast.toml:3: Head: only a hinge has an axis"),
        (
            "version = 1\n[bones]\nHead = { joint = \"free\" }",
            "beast.toml:3: Head: only the root's joint can be free",
        ),
        ("version = 1\n[bones]\nHips = { joint = \"ball\" }", "beast.toml:3: Hips: it is the root"),
        (
            "version = 1\n[bones]\nHead = { limits = [30, 10] }",
            "beast.toml:3: limits: they are not two numbers",
        ),
        (
            "version = 1\n[bones]\nHead = { limits = [-30, 10] }",
            "beast.toml:3: Head: the limits of a ball begin with 0",
        ),
        (
            "version = 1\n[bones]\nHead = { fold = true, mass = 1 }",
            "beast.toml:3: Head: a bone that is folded has no",
        ),
        ("version = 1\n[bones]\nHead = { fold = 1 }", "beast.toml:3: fold: 1 is not true or false"),
        ("version = 1\n[bones]\nRoot = { mass = 1 }", "beast.toml:3: Root: it goes with its parent"),
        ("version = 1\n[bones]\nRoot = { fold = false }", "beast.toml:3: Root: it carries no skin"),
        ("version = 1\n[landmarks]\nfoot = 3", "beast.toml:3: foot: 3 is not a text in quotes"),
        ("version = 1\n[landmarks]\npaw = \"Head\"", "beast.toml:3: [landmarks]: "),
        (
            "version = 1\n[landmarks]\nhead = \"Haed\"",
            "beast.toml:3: there is no body, site or joint \"Haed\"; the nearest name is \"Head\"",
        ),
    ] {
        let error = load(&bytes, Some(text)).map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
    let same_names = quadruped(&Awkward { names: true, ..Awkward::default() });
    let error =
        load(&same_names, Some("version = 1\n[bones]\n\"尾\" = {}")).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("did you mean \"尾#"), "{error}");
}

/// A hub without skin may be where the body begins that it is one with; the file must name the body, not the hub. In
/// others the hub is below the body.
#[test]
fn bones_in_one_place_come_back() {
    use crate::skinned::{Character, Skeleton};
    let mut rig = Skeleton::default();
    rig.add("Below", None, [0.0, 0.5, 0.0], [0.0, 0.5, 0.02], 0.012);
    rig.add("Trunk", Some("Below"), [0.0, 0.5, 0.0], [0.0, 0.5, 0.5], 0.1);
    rig.add("Back", Some("Below"), [0.0, 0.5, -0.1], [0.0, 0.5, -0.5], 0.1);
    rig.add("At trunk", Some("Trunk"), [0.0, 0.5, 0.0], [0.0; 3], 0.0);
    for (side, x) in [("L", 0.15), ("R", -0.15)] {
        rig.add(&format!("Thigh.{side}"), Some("Below"), [x, 0.45, 0.0], [x, 0.25, 0.0], 0.04);
        rig.add(&format!("Shin.{side}"), Some(&format!("Thigh.{side}")), [x, 0.24, 0.0], [x, 0.0, 0.0], 0.04);
    }
    let bytes = Character::new(rig.0).glb();
    let (guessed, rig) = load(&bytes, None).unwrap();
    let text = rig_to_toml(&guessed, &rig).unwrap();
    let (told, _) = load(&bytes, Some(&text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let names = |creature: &Creature| -> Vec<String> {
        creature.bodies().iter().map(|body| body.name.clone()).collect()
    };
    assert_eq!(names(&guessed), names(&told), "{text}");
}
