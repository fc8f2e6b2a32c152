//! Motion: oscillators against their closed forms, and lengths of branches.

use gambol_model::Vec3;
use gambol_plant::{
    AirSettings, Correction, CorrectionSettings, OscillatorStep, Plant, Stepping, Sway, SwaySettings,
    WindBasis,
};

use crate::help::{gallery, solved};

/// One step of a second is a thousand of a millisecond: under-, over- and critically damped.
#[test]
fn exact_steps_do_not_depend_on_their_length() {
    for gamma in [0.0, 0.3, 14.0, 20.0, 500.0] {
        let (omega_squared, force) = (49.0, 3.0);
        let long = OscillatorStep::new(omega_squared, gamma, 1.0, Stepping::Exact).apply([0.2, -1.0], force);
        let short = OscillatorStep::new(omega_squared, gamma, 1e-3, Stepping::Exact);
        let many = (0..1000).fold([0.2, -1.0], |state, _| short.apply(state, force));
        for k in 0..2 {
            assert!((long[k] - many[k]).abs() < 1e-10, "γ {gamma}: {long:?} {many:?}");
        }
    }
}

/// Free and undamped it is a cosine; its energy stays; under a force it ends at f/ω².
#[test]
fn exact_steps_are_the_closed_form() {
    let omega: f64 = 7.0;
    let step = OscillatorStep::new(omega * omega, 0.0, 0.05, Stepping::Exact);
    let mut state = [1.0, 0.0];
    for k in 1..=2000 {
        state = step.apply(state, 0.0);
        let expected = gambol_model::math::cos(omega * 0.05 * f64::from(k));
        assert!((state[0] - expected).abs() < 1e-10, "{k}");
    }
    let damped = OscillatorStep::new(omega * omega, 2.0, 0.05, Stepping::Exact);
    let rest = (0..2000).fold([1.0, 5.0], |state, _| damped.apply(state, 4.9));
    assert!((rest[0] - 0.1).abs() < 1e-12 && rest[1].abs() < 1e-12);
}

/// The paper's step explodes once ω dt > 2, and not before; the exact one never does.
#[test]
fn the_papers_step_explodes_where_it_should() {
    let run = |omega: f64, stepping| {
        let step = OscillatorStep::new(omega * omega, 0.0, 0.1, stepping);
        (0..2000).fold([1.0, 0.0], |state, _| step.apply(state, 0.0))[0].abs()
    };
    assert!(run(19.9, Stepping::Explicit) < 100.0);
    assert!(run(20.5, Stepping::Explicit) > 1e30 || run(20.5, Stepping::Explicit).is_nan());
    assert!(run(20.5, Stepping::Exact) < 1.0 + 1e-9);
}

/// A plant at rest in a steady wind stays there, also by many steps, and where it stays is the static solution.
#[test]
fn a_steady_wind_moves_nothing() {
    let plant = gallery("palm");
    let (mechanics, modes) = solved(&plant, 6);
    let basis = WindBasis::new(&mechanics, &modes, &AirSettings::default());
    let wind = Vec3::new(9.0, 0.0, 0.0);
    let mut sway = Sway::new(&modes, &basis, &SwaySettings::default(), wind, Stepping::Exact).unwrap();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    sway.displacements(&modes, &basis, None, &mut first);
    (0..500).for_each(|_| sway.step(&basis, wind));
    sway.displacements(&modes, &basis, None, &mut last);
    let top = plant.top();
    assert!(first[top].x > 0.0, "to the lee");
    assert!(first.iter().zip(&last).all(|(a, b)| (a - b).norm() < 1e-10));
    assert_eq!(first[0], Vec3::zeros());
}

/// Mean change of the elements' lengths at a displacement, in parts of them.
fn mean_error(plant: &Plant, moved: &[Vec3]) -> f64 {
    let error = |node: usize| {
        let parent = plant.parents[node];
        let now = (plant.nodes[node] + moved[node] - plant.nodes[parent] - moved[parent]).norm();
        (now / plant.length(node) - 1.0).abs()
    };
    (1..plant.len()).map(error).sum::<f64>() / (plant.len() - 1) as f64
}

/// Equations 17 to 19: with a sway of an eighth of the height branches keep their lengths ten times better, and small motions are
/// the mode's own.
#[test]
fn corrected_branches_keep_their_lengths() {
    for name in ["oak", "palm"] {
        let mut plant = gallery(name);
        if name == "oak" {
            plant = gallery("sapling");
        }
        let (_, modes) = solved(&plant, 2);
        let correction = Correction::new(&plant, &modes, &CorrectionSettings::default());
        for (mode, ways) in modes.iter().zip(&correction.ways) {
            let far = plant.height() / 8.0 / mode.reach();
            let linear: Vec<Vec3> = (0..plant.len()).map(|node| mode.displacement(node) * far).collect();
            let bent: Vec<Vec3> = ways.iter().map(|way| way.at(far)).collect();
            let (before, after) = (mean_error(&plant, &linear), mean_error(&plant, &bent));
            assert!(after < 0.2 * before && after < 2.5e-3, "{name}: {before} became {after}");
            let small = 1e-3 * far;
            for (node, way) in ways.iter().enumerate() {
                let off = (way.at(small) - mode.displacement(node) * small).norm();
                // The fit is over the whole range, so that it starts a little too slowly.
                assert!(off < 0.1 * small * mode.reach(), "{name}: node {node} is off by {off}");
            }
        }
    }
}
