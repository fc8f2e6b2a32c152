//! Modes that an animator marked (Nunes et al. 2012, section 4.3): a gait never uses one that he avoids, and shows every one
//! that he prefers, whatever the mode and whatever the body, with its feet on the ground as without marks. Slip and depth
//! are measured on the poses of the clip.

use crate::zoo::{Hip, Plan};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_gait::{
    Body, Design, Gait, GaitError, Performance, Sampling, Style, Wish, adopt, design, perform,
};
use gambol_model::{Creature, Vec3};
use gambol_modes::{Reader, Symmetry};

fn creature(name: &str) -> Creature {
    gambol::load(name, &gambol::LoadOptions::default()).unwrap()
}

fn body_of(creature: Creature) -> (Body, Data) {
    let mut data = Data::new(&creature);
    (Body::new(creature, &mut data, &Style::default()).unwrap(), data)
}

fn marks(prefer: &[usize], avoid: &[usize]) -> Wish {
    Wish { prefer: prefer.to_vec(), avoid: avoid.to_vec(), ..Wish::default() }
}

fn modes_of(gait: &Gait) -> Vec<usize> {
    let mut modes: Vec<usize> = gait.components.iter().map(|component| component.mode).collect();
    modes.sort_unstable();
    modes.dedup();
    modes
}

fn amplitude(gait: &Gait, mode: usize) -> f64 {
    gait.components.iter().filter(|c| c.mode == mode).map(|c| c.amplitude * c.amplitude).sum::<f64>().sqrt()
}

/// The worst slip of a standing foot in leg lengths, and the largest depth of anything, m.
fn stands(body: &Body, data: &mut Data, played: &Performance) -> (f64, f64) {
    let clip = &played.clip;
    let (mut slip, mut depth): (f64, f64) = (0.0, 0.0);
    for pose in &clip.poses {
        let frames = forward_kinematics(&body.creature, data, pose).to_vec();
        for (index, frame) in frames.iter().enumerate().skip(1) {
            for touch in gambol_dynamics::touches(&body.creature, index, frame, Vec3::z()) {
                depth = depth.max(-touch.lowest(frame, Vec3::z()).point.z);
            }
        }
    }
    for contact in &clip.contacts {
        for [start, end] in &contact.intervals {
            let mut first: Option<Vec3> = None;
            for (time, pose) in clip.times.iter().zip(&clip.poses) {
                if *time > start - 1e-9 && *time < end + 1e-9 {
                    let frames = forward_kinematics(&body.creature, data, pose);
                    let place = frames[contact.body].point_in_world(contact.point);
                    slip = slip.max((place - *first.get_or_insert(place)).xy().norm());
                }
            }
        }
    }
    (slip / body.legs.length, depth)
}

fn assert_stands(body: &Body, data: &mut Data, gait: &Gait, what: &str) {
    let played = perform(body, data, gait, &Sampling { seconds: None, fps: 60.0 }).unwrap();
    let (slip, depth) = stands(body, data, &played);
    // What is asked for of every gait: 0.1 % of the leg and 1 mm.
    assert!(slip < 1e-3 && depth < 1e-3, "{what}: slip {slip}, depth {depth}, {:?}", played.warnings);
}

fn plan(pairs: usize) -> Plan {
    Plan { pairs, ..Plan::default() }
}

#[test]
fn avoided_modes_are_absent() {
    let zoo = [plan(1).build(), Plan { hip: Hip::Robot, ..plan(2) }.build()];
    let gallery =
        [("dog", "walk"), ("dog", "trot"), ("human", "walk"), ("human", "jump"), ("insect", "tripod")];
    let bodies = gallery.map(|(name, gait)| (creature(name), gait));
    for (creature, gait) in bodies.into_iter().chain(zoo.map(|creature| (creature, "walk"))) {
        let what = format!("{} {gait}", creature.name());
        let (body, mut data) = body_of(creature);
        let plain = design(&body, &mut data, gait, &Wish::default()).unwrap().gait;
        // Each mode that it uses, one after the other; then all of them at once.
        let used: Vec<usize> = modes_of(&plain).into_iter().filter(|&m| m >= body.basis.rigid()).collect();
        let singles = used.iter().take(2).map(|&mode| vec![mode]);
        for avoid in singles.chain([used.clone()]) {
            let found = design(&body, &mut data, gait, &marks(&[], &avoid));
            let Design { gait, .. } =
                found.unwrap_or_else(|error| panic!("{what} without {avoid:?}: {error}"));
            assert!(modes_of(&gait).iter().all(|mode| !avoid.contains(mode)), "{what}: {avoid:?}");
            assert_stands(&body, &mut data, &gait, &format!("{what} without {avoid:?}"));
        }
    }
}

#[test]
fn preferred_modes_are_seen() {
    let zoo = [plan(1).build(), Plan { sprawl: 0.2, ..plan(3) }.build()];
    let gallery = [("dog", "walk"), ("dog", "trot"), ("dog", "bound"), ("human", "walk"), ("human", "jump")];
    let bodies = gallery.map(|(name, gait)| (creature(name), gait));
    for (creature, gait_name) in bodies.into_iter().chain(zoo.map(|creature| (creature, "walk"))) {
        let what = format!("{} {gait_name}", creature.name());
        let (body, mut data) = body_of(creature);
        let plain = design(&body, &mut data, gait_name, &Wish::default()).unwrap().gait;
        let vibrations = body.basis.rigid()..body.basis.directions().len();
        let unused: Vec<usize> = vibrations.filter(|mode| !modes_of(&plain).contains(mode)).collect();
        // Low ones, as an animator would, and one from the middle.
        for &mode in unused.iter().take(5).chain(unused.get(unused.len() / 2)) {
            let gait = design(&body, &mut data, gait_name, &marks(&[mode], &[])).unwrap().gait;
            let seen = amplitude(&gait, mode);
            // A twentieth of a radian of a mode that bends many joints or whips a long tail; most get three tenths.
            assert!(seen > 0.05, "{what}: mode {mode} swings by {seen}");
            assert_stands(&body, &mut data, &gait, &format!("{what} with {mode}"));
        }
    }
}

/// Left and right half a cycle apart stay so: what is antisymmetric swings once a cycle, what is symmetric at every step,
/// but in a bound, where both sides do the same, once as well.
#[test]
fn preferred_modes_keep_the_symmetry_of_a_gait() {
    let (body, mut data) = body_of(creature("dog"));
    let reader = Reader::new(&body.creature, &mut data, body.basis.mean()).unwrap();
    for (name, of_symmetric) in [("walk", 2), ("bound", 1)] {
        let used = modes_of(&design(&body, &mut data, name, &Wish::default()).unwrap().gait);
        for mode in (6..40).filter(|mode| !used.contains(mode)).step_by(4) {
            let gait = design(&body, &mut data, name, &marks(&[mode], &[])).unwrap().gait;
            let symmetry = reader.read(&mut data, &body.basis.directions()[mode]).symmetry;
            let expected = if symmetry == Symmetry::Symmetric { of_symmetric } else { 1 };
            let own = gait.components.iter().filter(|component| component.mode == mode);
            assert!(own.map(|c| c.harmonic).all(|harmonic| harmonic == expected), "{name}: mode {mode}");
        }
    }
}

#[test]
fn waves_without_legs_have_marks_too() {
    for (name, gait_name) in
        [("snake", "slither"), ("snake", "swim"), ("linear", "swim"), ("linear", "crawl")]
    {
        let (body, mut data) = body_of(creature(name));
        let plain = design(&body, &mut data, gait_name, &Wish::default()).unwrap().gait;
        let used = modes_of(&plain);
        let other =
            (body.basis.rigid()..body.basis.directions().len()).find(|mode| !used.contains(mode)).unwrap();
        let last = *used.last().unwrap();
        match design(&body, &mut data, gait_name, &marks(&[other], &[last])) {
            Ok(Design { gait, .. }) => {
                assert!(
                    !modes_of(&gait).contains(&last) && amplitude(&gait, other) > 0.0,
                    "{name} {gait_name}"
                );
                let played =
                    perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: 60.0 }).unwrap();
                assert!(played.report.speed > 0.0, "{name} {gait_name}: {}", played.report.speed);
            }
            Err(GaitError::DoesNotFit { reason, .. }) => {
                assert!(reason.text.starts_with("without the modes to avoid, "), "{reason}");
            }
            Err(other) => panic!("{name} {gait_name}: {other}"),
        }
    }
}

#[test]
fn presets_and_files_take_marks() {
    let (body, mut data) = body_of(creature("dog"));
    let preset = design(&body, &mut data, "trot", &Wish::default()).unwrap().gait;
    let used = modes_of(&preset);
    let unused = (6..80).find(|mode| !used.contains(mode)).unwrap();
    // A mode that it does not use and nobody wants: the preset as it is.
    assert_eq!(design(&body, &mut data, "trot", &marks(&[], &[unused])).unwrap().gait, preset);
    // One more: the preset's own components, and this one.
    let more = design(&body, &mut data, "trot", &marks(&[unused], &[])).unwrap().gait;
    let own: Vec<_> = more.components.iter().filter(|c| c.mode != unused).copied().collect();
    assert_eq!((own, more.frequency), (preset.components.clone(), preset.frequency));
    assert!(amplitude(&more, unused) > 0.05);

    let wish = marks(&[unused], &used[..1]);
    let changed = adopt(creature("dog"), &mut data, preset.clone(), |_| (), &wish).unwrap().1.gait;
    assert!(!modes_of(&changed).contains(&used[0]) && amplitude(&changed, unused) > 0.05);
    let all = adopt(creature("dog"), &mut data, preset, |_| (), &marks(&[], &used)).unwrap_err();
    assert!(all.to_string().contains("without the modes to avoid, none of its modes is left"), "{all}");
}

#[test]
fn marks_that_make_no_sense_are_told() {
    let (body, mut data) = body_of(creature("dog"));
    for (wish, message) in [
        (marks(&[9], &[12, 9]), "prefer: mode 9 cannot be preferred and avoided"),
        (marks(&[80], &[]), "there is no mode 80; dog has modes 0 to 79"),
        (marks(&[], &[99]), "there is no mode 99; dog has modes 0 to 79"),
        (marks(&[], &[2]), "avoid: mode 2 moves the whole body"),
        (
            marks(&[], &(6..80).collect::<Vec<_>>()),
            "dog cannot walk: without the modes to avoid, none of its modes",
        ),
    ] {
        let error = design(&body, &mut data, "walk", &wish).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}
