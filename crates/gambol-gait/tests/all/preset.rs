//! All eleven rows of figure 3 of Kry et al. 2009 are there, on the modes that do what the rows say, and move forward.
//! Seven of them have the numbers printed. They come with a creature of the gallery, and whoever only bears its name does
//! not have them.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::gaits::{GALLERY, apart, body, body_of, foot_paths, preset_body};
use gambol_gait::{Gait, GaitError, Presets, Style, Support, Wish, design, gaits_for};
use gambol_model::{Creature, CreatureSpec};
use gambol_modes::read_mode;

fn preset(creature: &str, name: &str) -> (gambol_gait::Body, gambol_dynamics::Data, Gait) {
    let (body, mut data) = preset_body(creature, name);
    assert!(Presets::of(&body.creature).iter().any(|preset| preset.name == name), "{creature} {name}");
    let gait = design(&body, &mut data, name, &Wish::default()).unwrap().gait;
    (body, data, gait)
}

const ROWS: [(&str, &str); 11] = [
    ("loop", "roll"),
    ("linear", "crawl"),
    ("dog", "trot"),
    ("dog", "amble"),
    ("dog", "gallop"),
    ("human", "t-pose-walk"),
    ("human", "jump"),
    ("human", "jumping-jacks"),
    ("human", "run"),
    ("human", "steady-run"),
    ("human", "push-cart"),
];

#[test]
fn eleven_rows() {
    for (creature, name) in ROWS {
        let (body, mut data, gait) = preset(creature, name);
        assert_eq!(gait.name, name);
        // As the figure has it: swings at 0°, bends at 90°, or the opposite.
        let quarters = |phase: f64| apart(phase / TAU * 4.0, 0.0) < 1e-9;
        let eighths = |phase: f64| apart(phase / TAU * 8.0, 0.0) < 1e-9;
        for component in &gait.components {
            assert!(eighths(component.phase), "{creature} {name}: {component:?}");
            assert!(quarters(component.phase) || name == "jumping-jacks", "{creature} {name}: {component:?}");
        }
        if gait.ground.support == Support::Feet {
            for (leg, foot) in body.legs.legs.iter().zip(foot_paths(&body, &mut data, &gait, 1.0)) {
                assert!(foot.area > 0.0, "{creature} {name} {}: {}", leg.name, foot.area);
            }
        }
    }
}

/// Figure 3 as printed: amplitude (rad), phase (rad, to two decimals) and frequency (Hz) of each line. A rise is a rigid
/// motion of arbitrary scale, and its amplitude is left to gravity. The other four rows are ours: two cannot be read in
/// our copy (loop, amble), and two have smaller amplitudes than printed (linear, gallop).
#[test]
fn seven_rows_are_as_printed() {
    type Line = (f64, f64, f64);
    const RISE: f64 = 0.0;
    let printed: [(&str, &str, &[Line]); 7] = [
        ("dog", "trot", &[(0.5, 0.0, 2.0), (0.5, 0.0, 2.0), (0.5, 1.57, 2.0), (0.5, 1.57, 2.0)]),
        ("human", "t-pose-walk", &[(0.5, 0.0, 2.0), (0.76, 1.57, 2.0)]),
        ("human", "jump", &[(RISE, 0.0, 2.0), (0.75, 0.0, 2.0), (0.75, 0.0, 2.0)]),
        (
            "human",
            "jumping-jacks",
            &[(RISE, 0.0, 2.0), (0.35, 0.79, 1.0), (0.95, 0.79, 1.0), (0.75, 0.0, 2.0), (0.75, 0.0, 2.0)],
        ),
        ("human", "run", &[(0.5, 0.0, 2.0), (0.5, 1.57, 2.0), (0.75, 1.57, 2.0)]),
        ("human", "steady-run", &[(0.5, 0.0, 2.0), (0.5, 1.57, 2.0), (0.5, 1.57, 2.0), (0.5, 0.0, 2.0)]),
        ("human", "push-cart", &[(0.5, 0.0, 2.0), (0.5, 1.57, 2.0), (0.5, 1.57, 2.0)]),
    ];
    for (creature, name, lines) in printed {
        let creature = load(creature);
        let preset = Presets::of(&creature).iter().find(|preset| preset.name == name).unwrap();
        assert_eq!(preset.parts.len(), lines.len(), "{name}");
        for (part, &(amplitude, phase, frequency)) in preset.parts.iter().zip(lines) {
            assert_eq!(part.amplitude, amplitude, "{name}: {part:?}");
            assert!((part.phase - phase).abs() < 0.005, "{name}: {part:?}"); // printed to two decimals
            assert_eq!(preset.frequency * f64::from(part.harmonic), frequency, "{name}: {part:?}");
        }
    }
    let all = GALLERY.iter().map(|name| Presets::of(&load(name)).len()).sum::<usize>();
    assert_eq!(all, printed.len() + 4);
}

fn load(name: &str) -> Creature {
    gambol::load(name, &gambol::LoadOptions::default()).unwrap()
}

fn modes_and_amplitudes(gait: &Gait) -> Vec<(usize, f64)> {
    gait.components.iter().map(|component| (component.mode, component.amplitude)).collect()
}

/// Diagonal legs together in the trot, legs of one side in the amble.
#[test]
fn the_dogs_trot_and_amble() {
    let (body, mut data, trot) = preset("dog", "trot");
    assert_eq!(modes_and_amplitudes(&trot), [(9, 0.5), (13, 0.5), (23, 0.5), (29, 0.5)]);
    assert_eq!((trot.frequency, trot.ground.speed), (2.0, None));
    let swings = |gait: &Gait, mode: usize| gait.components.iter().find(|c| c.mode == mode).unwrap().phase;
    for (mode, quarter) in [(9, 0.0), (13, 0.0), (23, FRAC_PI_2), (29, FRAC_PI_2)] {
        assert!(apart((swings(&trot, mode) - quarter) / PI, 0.0) < 1e-9);
    }
    // Legs: front left, front right, hind left, hind right.
    let feet = foot_paths(&body, &mut data, &trot, 0.02);
    assert!(apart(feet[0].phase, feet[3].phase) < 0.06 && apart(feet[1].phase, feet[2].phase) < 0.06);
    assert!(apart(feet[0].phase, feet[1].phase) > 0.49);
    let (body, mut data, amble) = preset("dog", "amble");
    assert_eq!(modes_and_amplitudes(&amble), modes_and_amplitudes(&trot));
    let feet = foot_paths(&body, &mut data, &amble, 0.02);
    assert!(apart(feet[0].phase, feet[2].phase) < 0.06 && apart(feet[1].phase, feet[3].phase) < 0.06);
}

/// The gallop's modes, which the authors picked by hand, come from rules: they are the two that figure 1 calls
/// bounding and stretching, and the pitch of the body.
#[test]
fn the_dogs_gallop() {
    let (body, mut data, gallop) = preset("dog", "gallop");
    let modes: Vec<usize> = gallop.components.iter().map(|component| component.mode).collect();
    assert_eq!(modes, [4, 6, 8, 9, 13, 24]);
    let mut name = |mode: usize| read_mode(&body.creature, &mut data, &body.basis, mode).unwrap().name;
    assert_eq!((name(6), name(8)), ("bounding".to_owned(), "stretching".to_owned()));
    // Front feet follow the hind feet by less than half a cycle, as those of a galloping dog do.
    let feet = foot_paths(&body, &mut data, &gallop, 0.02);
    for side in 0..2 {
        let after = (feet[side].phase - feet[side + 2].phase).rem_euclid(1.0);
        assert!((0.2..0.5).contains(&after), "{after}");
    }
}

#[test]
fn the_human() {
    let (_, _, walk) = preset("human", "t-pose-walk");
    // As printed, and knees that are not straight to begin with.
    let swings: Vec<(usize, f64)> =
        modes_and_amplitudes(&walk).into_iter().filter(|(_, amplitude)| *amplitude > 0.0).collect();
    assert_eq!(swings, [(6, 0.5), (15, 0.76)]);
    assert!(walk.components.iter().any(|component| component.offset != 0.0));
    let (body, mut data, run) = preset("human", "run");
    let (mut amplitudes, mut names): (Vec<f64>, Vec<String>) = run
        .components
        .iter()
        .map(|c| (c.amplitude, read_mode(&body.creature, &mut data, &body.basis, c.mode).unwrap().name))
        .unzip();
    amplitudes.sort_by(f64::total_cmp);
    names.sort();
    assert_eq!(amplitudes, [0.5, 0.5, 0.75]);
    assert_eq!(names, ["ankles bend in turn", "knees bend in turn", "legs alternate"]);
    let (_, _, jacks) = preset("human", "jumping-jacks");
    assert_eq!(jacks.frequency, 1.0);
    let harmonics: Vec<u32> = jacks.components.iter().map(|component| component.harmonic).collect();
    assert_eq!(harmonics, [2, 1, 1, 2, 2]);
    // The head of the steady runner does not turn.
    let (body, mut data, steady) = preset("human", "steady-run");
    assert_eq!(steady.style.constraints, ["orientation:head"]);
    let head = body.creature.body_index("head").unwrap();
    let rest =
        gambol_dynamics::forward_kinematics(&body.creature, &mut data, body.basis.mean())[head].orientation;
    for k in 0..8 {
        // Small: the constraint holds to first order, the rest is a matter of the performance.
        let pose = crate::gaits::pose_at(&body, &steady, f64::from(k) / 8.0, 1e-3);
        let head = gambol_dynamics::forward_kinematics(&body.creature, &mut data, &pose)[head].orientation;
        assert!(head.angle_to(&rest) < 1e-5);
    }
}

#[test]
fn a_wish_or_another_pose_asks_for_the_automatic_gait() {
    let (dog, mut data) = body("dog", &Style::default());
    let wish = Wish { speed: Some(2.0), ..Wish::default() };
    let trot = design(&dog, &mut data, "trot", &wish).unwrap().gait;
    assert_eq!(trot.ground.speed, Some(2.0));
    let (human, mut data) = body("human", &Style::default());
    let run = design(&human, &mut data, "run", &Wish::default()).unwrap().gait;
    assert!(run.ground.speed.is_some());
    let gaits = gaits_for(&human, &mut data);
    assert!(gaits.iter().any(|(name, fits)| name == "push-cart" && fits.is_ok()));
    let (human, mut data) = body("human", &Style::default());
    let error = design(&human, &mut data, "push-cart", &Wish::default()).unwrap_err();
    assert!(error.to_string().contains("preset"), "{error}");
}

/// A creature of the gallery as a stranger has it: the same body under any name, without what comes with the gallery.
fn stranger(file: &str, name: &str) -> Creature {
    let mjcf = gambol::gallery::find(name).unwrap().mjcf;
    let spec = gambol_formats::load_str(file, mjcf, &gambol::LoadOptions::default()).unwrap();
    CreatureSpec { name: file.trim_end_matches(".xml").to_owned(), ..spec }.build().unwrap()
}

/// Whatever it is called: the same body has the same gaits, one by one, and those are the gallery's but for presets.
#[test]
fn names_of_creatures_mean_nothing() {
    for (name, gaits) in [("human", ["walk", "run", "jump"]), ("dog", ["walk", "trot", "gallop"])] {
        let (ours, mut our_data) = body(name, &Style::default());
        let mut same_name = body_of(stranger(&format!("{name}.xml"), name), &Style::default());
        let mut other_name = body_of(stranger("rex.xml", name), &Style::default());
        let other_creature = if name == "dog" { "human.xml" } else { "dog.xml" };
        let mut false_name = body_of(stranger(other_creature, name), &Style::default());
        for gait in gaits {
            let mut designed = [&mut same_name, &mut other_name, &mut false_name].map(|(body, data)| {
                let gait = design(body, data, gait, &Wish::default()).unwrap().gait;
                Gait { creature: None, ..gait }
            });
            let [same, other, falsely] = &mut designed;
            assert_eq!(same, other, "{gait} of {name}");
            assert_eq!(same, falsely, "{gait} of {name}");
            // The automatic gait, which the gallery's creature has too where no preset is in the way.
            assert!(same.ground.speed.is_some(), "{gait} of {name}");
            if Presets::of(&ours.creature).iter().all(|preset| preset.name != gait) {
                let ours = design(&ours, &mut our_data, gait, &Wish::default()).unwrap().gait;
                assert_eq!(*same, Gait { creature: None, ..ours }, "{gait} of {name}");
            }
        }
        let known = |(body, data): &mut (gambol_gait::Body, gambol_dynamics::Data)| {
            gaits_for(body, data).into_iter().map(|(name, fits)| (name, fits.is_ok())).collect::<Vec<_>>()
        };
        assert_eq!(known(&mut same_name), known(&mut false_name));
        let (body, data) = &mut false_name;
        let error = design(body, data, "steady-run", &Wish::default()).unwrap_err();
        assert!(matches!(error, GaitError::Unknown { .. }), "{error}");
    }
}

/// A preset is data: whoever has one attached plays it, whatever he is called.
#[test]
fn presets_come_with_the_creature() {
    let mut rex = stranger("rex.xml", "dog");
    rex.attach(Presets(Presets::of(&load("dog")).to_vec()));
    let (body, mut data) = body_of(rex, &Style::default());
    let trot = design(&body, &mut data, "trot", &Wish::default()).unwrap().gait;
    let (_, _, ours) = preset("dog", "trot");
    assert_eq!(Gait { creature: ours.creature.clone(), ..trot }, ours);
    // One that asks for a mode that the body does not have is left alone, and the rule takes its place.
    let mut wrong = Presets::of(&load("dog")).to_vec();
    wrong[0].parts[0].mode = gambol_gait::PresetMode::Number(10_000);
    let mut rex = stranger("rex.xml", "dog");
    rex.attach(Presets(wrong));
    let (body, mut data) = body_of(rex, &Style::default());
    assert!(design(&body, &mut data, "trot", &Wish::default()).unwrap().gait.ground.speed.is_some());
}
