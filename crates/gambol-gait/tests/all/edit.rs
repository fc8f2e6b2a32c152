//! Changes of a gait by hand, as sliders make them: each does what it says, leaves all else alone, and says which mode is
//! not there. And marks that follow the modes while the body changes: a mode is found again by its shape, once, at the same
//! kinetic energy.

use gambol_dynamics::{Data, TreeMatrix, mass_matrix};
use gambol_gait::{Body, Component, Counterpart, Gait, GaitError, Style, Wish, adopt, design, prepare};
use gambol_model::Creature;

fn creature(name: &str) -> Creature {
    gambol::load(name, &gambol::LoadOptions::default()).unwrap()
}

fn body(name: &str, style: &Style) -> (Body, Data) {
    let creature = creature(name);
    let mut data = Data::new(&creature);
    (Body::new(creature, &mut data, style).unwrap(), data)
}

fn trot() -> (Body, Gait) {
    let (body, mut data) = body("dog", &Style::default());
    let gait = design(&body, &mut data, "trot", &Wish { speed: Some(1.5), ..Wish::default() }).unwrap().gait;
    (body, gait)
}

#[test]
fn amplitudes_phases_and_offsets_of_single_modes() {
    let (body, gait) = trot();
    let mut changed = gait.clone();
    // Two components of one mode, as designed gaits have them.
    let mode = gait.components[0].mode;
    let first = Component { mode, amplitude: 0.5, phase: 0.5, harmonic: 1, offset: 0.0 };
    let second = Component { amplitude: 0.125, phase: 2.0, ..first };
    let others: Vec<Component> = gait.components.iter().filter(|c| c.mode != mode).copied().collect();
    changed.components = [&[first], others.as_slice(), &[second]].concat();
    let last = changed.components.len() - 1;
    changed.set_amplitude(&body, mode, -0.25).unwrap();
    assert_eq!((changed.components[0].amplitude, changed.components[last].amplitude), (-0.25, -0.0625));
    changed.set_offset(&body, mode, 0.3).unwrap();
    assert_eq!((changed.components[0].offset, changed.components[last].offset), (0.3, 0.0));
    assert!(!changed.ground.footfalls.is_empty(), "an amplitude says nothing about footfalls");
    changed.set_phase(&body, mode, 1.5).unwrap();
    assert_eq!((changed.components[0].phase, changed.components[last].phase), (1.5, 3.0));
    assert!(changed.ground.footfalls.is_empty());
    assert_eq!(changed.components[1..last], others, "other modes");

    let unused = (6..80).find(|mode| gait.components.iter().all(|c| c.mode != *mode)).unwrap();
    let mut changed = gait.clone();
    changed.set_amplitude(&body, unused, 0.25).unwrap();
    let added = Component { mode: unused, amplitude: 0.25, phase: 0.0, harmonic: 1, offset: 0.0 };
    assert_eq!(changed.components.last(), Some(&added));
}

#[test]
fn modes_that_are_not_there_and_numbers_that_are_none_are_told() {
    let (body, gait) = trot();
    let mut changed = gait.clone();
    for error in [
        changed.set_amplitude(&body, 80, 0.1).unwrap_err(),
        changed.set_offset(&body, 80, 0.1).unwrap_err(),
        changed.set_phase(&body, 80, 0.1).unwrap_err(),
    ] {
        assert_eq!(error, GaitError::NoMode { mode: 80, creature: "dog".into(), last: 79 });
    }
    for error in [
        changed.set_amplitude(&body, 9, f64::NAN).unwrap_err(),
        changed.set_offset(&body, 9, f64::INFINITY).unwrap_err(),
        changed.set_phase(&body, 9, f64::NAN).unwrap_err(),
    ] {
        assert!(error.to_string().contains("of mode 9: "), "{error}");
        assert!(error.to_string().contains("is not a finite number"), "{error}");
    }
    assert_eq!(changed, gait, "a refused change leaves the gait as it was");
    changed.components[1].mode = 99;
    let message = "component 2: there is no mode 99; dog has modes 0 to 79";
    assert_eq!(changed.check_modes(&body).unwrap_err().to_string(), message);
}

#[test]
fn two_of_speed_stride_and_frequency_decide_the_third() {
    let (_, gait) = trot();
    let wish = |speed, stride_length, frequency| Wish { speed, stride_length, frequency, ..Wish::default() };
    for (wish, frequency, speed) in [
        (Wish::default(), gait.frequency, gait.ground.speed),
        (wish(Some(1.0), None, None), gait.frequency, Some(1.0)),
        (wish(None, None, Some(3.0)), 3.0, gait.ground.speed),
        (wish(None, Some(0.5), Some(3.0)), 3.0, Some(1.5)),
        (wish(Some(1.5), Some(0.5), None), 3.0, Some(1.5)),
        (wish(Some(0.0), Some(0.5), None), gait.frequency, Some(0.0)),
        (wish(None, Some(0.5), None), gait.frequency, Some(0.5 * gait.frequency)),
    ] {
        let mut changed = gait.clone();
        changed.retime(&wish);
        assert_eq!((changed.frequency, changed.ground.speed), (frequency, speed), "{wish:?}");
        assert_eq!((changed.components, changed.ground.duty), (gait.components.clone(), gait.ground.duty));
    }
}

#[test]
fn a_gait_comes_with_the_body_that_it_is_for() {
    let human = creature("human");
    let mut data = Data::new(&human);
    let heavy = |style: &mut Style| style.weight = 1.2;
    let (body, run) = prepare(human.clone(), &mut data, "run", heavy, &Wish::default()).unwrap();
    // The preset's pose, and the user's weight.
    assert_eq!((body.style.pose.as_deref(), body.style.weight), (Some("run"), 1.2));
    assert_eq!(run.gait.style, body.style);
    // A preset that is no gait of the list at another pace.
    let wish = Wish { frequency: Some(1.5), ..Wish::default() };
    let (_, slow) = prepare(human.clone(), &mut data, "push-cart", |_| (), &wish).unwrap();
    assert_eq!(slow.gait.frequency, 1.5);
    // From a file: as it is, and on another body.
    let (same, kept) = adopt(human.clone(), &mut data, run.gait.clone(), |_| (), &Wish::default()).unwrap();
    assert_eq!((kept.gait, kept.hints.len()), (run.gait.clone(), 0));
    assert_eq!(same.basis.directions(), body.basis.directions());
    let tense = |style: &mut Style| style.tension = 4.0;
    let (_, quick) = adopt(human, &mut data, run.gait.clone(), tense, &Wish::default()).unwrap();
    // Up to rounding: every natural frequency is twice as high.
    assert!((quick.gait.frequency - 2.0 * run.gait.frequency).abs() < 1e-9);
}

/// uᵀ M u
fn twice_kinetic(body: &Body, shape: &[f64]) -> f64 {
    let mut m = TreeMatrix::new(&body.creature).unwrap();
    mass_matrix(&body.creature, &mut Data::new(&body.creature), body.basis.mean(), &mut m);
    let mut momentum = vec![0.0; shape.len()];
    m.multiply(shape, &mut momentum);
    momentum.iter().zip(shape).map(|(p, v)| p * v).sum()
}

#[test]
fn modes_are_found_again_by_their_shape() {
    let (own, _) = body("dog", &Style::default());
    let all: Vec<usize> = (0..own.basis.directions().len()).collect();
    for pair in own.counterparts(&own, &all) {
        assert_eq!(pair.new, pair.old);
        // Up to rounding of products of the mass.
        assert!((pair.factor - 1.0).abs() < 1e-9 && (pair.likeness - 1.0).abs() < 1e-9, "{pair:?}");
    }
    let (stiff, _) = body("dog", &Style { scale: vec![("spine.*".into(), 1.1)], ..Style::default() });
    let found = stiff.counterparts(&own, &all);
    assert_eq!(found.iter().map(|pair| pair.old).collect::<Vec<_>>(), all);
    let mut taken: Vec<usize> = found.iter().map(|pair| pair.new).collect();
    taken.sort_unstable();
    assert_eq!(taken, all, "each is taken once");
    for Counterpart { old, new, factor, likeness } in found {
        // A tenth of stiffness hardly turns a shape away, but where two frequencies are close.
        assert!(likeness > 0.5, "{old}: {likeness}");
        let (u, w) = (&own.basis.directions()[old].shape, &stiff.basis.directions()[new].shape);
        let ratio = factor * factor * twice_kinetic(&stiff, w) / twice_kinetic(&stiff, u);
        assert!((ratio - 1.0).abs() < 1e-9, "{old}: {ratio} of its kinetic energy");
    }
    // In the order that they were asked for; without those that are not there.
    let asked = stiff.counterparts(&own, &[30, 2, 200, 9]);
    assert_eq!(asked.iter().map(|pair| pair.old).collect::<Vec<_>>(), [30, 2, 9]);
}
