//! A preview is what an animator judges a sketch by, so it must show the sketch and nothing else. Nothing acts from outside:
//! linear and angular momentum stay zero, which no part of the preview computes. What it shows grows with the amplitudes that
//! were sketched, and a sketch without any stands still.

use gambol::LoadOptions;
use gambol::gallery;
use gambol_control::sketch::{Sketch, Stage, preview, read};
use gambol_dynamics::{Data, center_of_mass, momentum};
use gambol_motion::Clip;

fn stage(name: &str) -> (Sketch, Stage) {
    let find = |name: &str| gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string());
    read(gallery::sketch(name).unwrap(), find).unwrap()
}

/// Largest angle of any joint from where it began, rad.
fn swing(stage: &Stage, clip: &Clip) -> f64 {
    let creature = &stage.creature;
    let mut bent = vec![0.0; creature.nv()];
    let mut most = 0.0_f64;
    for pose in &clip.poses {
        creature.difference(&clip.poses[0], pose, &mut bent);
        most = bent[6..].iter().fold(most, |most, x| most.max(x.abs()));
    }
    most
}

#[test]
fn a_creature_floats_and_is_moved_by_its_bursts_alone() {
    for name in gallery::sketches() {
        let (sketch, stage) = stage(name);
        let clip = preview(&sketch, &stage, 2.0).unwrap();
        let creature = &stage.creature;
        let mut data = Data::new(creature);
        assert!((clip.duration() - 2.0).abs() < 0.02, "{name}: {}", clip.duration());
        let start = center_of_mass(creature, &mut data, &clip.poses[0]);
        for (key, pose) in clip.poses.iter().enumerate() {
            let drift = (center_of_mass(creature, &mut data, pose) - start).norm();
            // Steps of the first order; by weight it would have fallen 20 m.
            assert!(drift < 5e-3, "{name} key {key}: {drift} m");
            let Some(next) = clip.poses.get(key + 1) else { continue };
            let h = clip.times[key + 1] - clip.times[key];
            let mut v = vec![0.0; creature.nv()];
            creature.difference(pose, next, &mut v);
            for v in &mut v {
                *v /= h;
            }
            // Velocities as differences of keys, so the bound is a share of what one turn a second would be.
            let turn = momentum(creature, &mut data, pose, &v).angular.norm();
            let mut still = vec![0.0; creature.nv()];
            still[4] = std::f64::consts::TAU;
            let scale = momentum(creature, &mut data, pose, &still).angular.norm();
            assert!(turn < 0.05 * scale, "{name} key {key}: {turn} of {scale}");
        }
        assert!(swing(&stage, &clip) > 0.05, "{name} moves by {} rad", swing(&stage, &clip));
    }
}

#[test]
fn it_shows_the_amplitudes_and_nothing_else() {
    let (sketch, stage) = stage("runner");
    let find = |name: &str| gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string());
    let scaled = |factor: f64| {
        let mut scaled = sketch.clone();
        for palette in [&mut scaled.flight, &mut scaled.ground] {
            if factor == 0.0 {
                palette.priority.clear();
            }
            palette.priority.iter_mut().for_each(|priority| priority.amplitude *= factor);
        }
        let stage = Stage::new(&scaled, find(&scaled.creature).unwrap()).unwrap();
        swing(&stage, &preview(&scaled, &stage, 1.0).unwrap())
    };
    assert!(scaled(0.0) < 1e-9, "{}", scaled(0.0));
    let (half, whole) = (scaled(0.5), swing(&stage, &preview(&sketch, &stage, 1.0).unwrap()));
    // Springs are linear and joints turn little: near the double.
    assert!((whole / half - 2.0).abs() < 0.2, "{half} and {whole} rad");
}
