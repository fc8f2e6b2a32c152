//! All eleven rows of figure 3 of Kry et al. 2009 are there, with the numbers printed, on the modes that do what the
//! rows say; and they move forward.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::gaits::{apart, body, foot_paths};
use gambol_gait::{Gait, Style, Support, Wish, design, gaits_for, preset_style};
use gambol_modes::read_mode;
use gambol_motion::Basis;

fn preset(creature: &str, name: &str) -> (gambol_gait::Body, gambol_dynamics::Data, Gait) {
    let style = preset_style(creature, name).unwrap();
    let (body, mut data) = body(creature, &style);
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
    assert!(preset_style("human", "trot").is_none() && preset_style("unicorn", "trot").is_none());
    let gaits = gaits_for(&human, &mut data);
    assert!(gaits.iter().any(|(name, fits)| name == "push-cart" && fits.is_ok()));
    // A dog of another build is not the dog of the figure.
    let (mut other, mut data) = body("dog", &Style::default());
    let mut spec = other.basis.clone().into_spec();
    spec.directions.pop();
    spec.dof = Some(spec.directions.len());
    other.basis = Basis::new(&other.creature, spec).unwrap();
    assert!(design(&other, &mut data, "trot", &Wish::default()).unwrap().gait.ground.speed.is_some());
    let (human, mut data) = body("human", &Style::default());
    let error = design(&human, &mut data, "push-cart", &Wish::default()).unwrap_err();
    assert!(error.to_string().contains("preset"), "{error}");
}
