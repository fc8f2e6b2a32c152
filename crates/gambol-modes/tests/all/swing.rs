//! A mode at finite amplitude: the joints go along the shape, and a floating creature gains no momentum on the way.

use gambol_dynamics::{Data, center_of_mass};
use gambol_model::samples::{TreeKind, chain, random_tree};
use gambol_modes::{Settings, analyze};
use gambol_motion::{Swinger, swing};

#[test]
fn a_swing_keeps_the_centre_of_mass_and_the_shape_of_the_joints() {
    for creature in [chain(12), random_tree(3, TreeKind { bodies: 8, free_root: true, armature: false })] {
        let mut data = Data::new(&creature);
        let q = creature.reference_pose().to_vec();
        let modes = analyze(&creature, &mut data, &q, &Settings::default()).unwrap();
        let before = center_of_mass(&creature, &mut data, &q);
        for mode in modes.flexible().iter().take(4) {
            let pose = swing(&creature, &mut data, &modes, mode, 0.4).unwrap();
            let mut way = vec![0.0; creature.nv()];
            creature.difference(&q, &pose, &mut way);
            for (found, shape) in way.iter().zip(&mode.shape).skip(6) {
                assert!((found - 0.4 * shape).abs() < 1e-12, "the joints left the shape");
            }
            // The midpoint rule is of second order: what is left is a thousandth of the way.
            let drift = (center_of_mass(&creature, &mut data, &pose) - before).norm();
            assert!(drift < 1e-3 * 0.4, "u{}: the centre of mass moves by {drift} m", mode.index);
        }
    }
}

#[test]
fn a_small_swing_is_the_mode_itself() {
    let creature = chain(12);
    let mut data = Data::new(&creature);
    let q = creature.reference_pose().to_vec();
    let modes = analyze(&creature, &mut data, &q, &Settings::default()).unwrap();
    let mode = &modes.flexible()[1];
    let small = 1e-5;
    let pose = swing(&creature, &mut data, &modes, mode, small).unwrap();
    let mut way = vec![0.0; creature.nv()];
    creature.difference(&q, &pose, &mut way);
    for (found, shape) in way.iter().zip(&mode.shape) {
        // The next term of the series is small².
        assert!((found - small * shape).abs() < 10.0 * small * small, "{found} against {}", small * shape);
    }
}

/// Several poses on one way are those of single swings: all that differs is the length of the steps of the midpoint rule,
/// of which an error of second order is left.
#[test]
fn swings_on_one_way_are_single_swings() {
    for creature in [
        chain(12),
        random_tree(3, TreeKind { bodies: 8, free_root: true, armature: true }),
        random_tree(4, TreeKind { bodies: 8, free_root: false, armature: false }),
    ] {
        let mut data = Data::new(&creature);
        let q = creature.reference_pose().to_vec();
        let modes = analyze(&creature, &mut data, &q, &Settings::default()).unwrap();
        let mut swinger = Swinger::new(&creature, &modes).unwrap();
        let amplitudes = [-0.35, 0.175, 0.0, 0.35, -0.175];
        for mode in modes.directions() {
            let poses = swinger.poses(&mut data, mode, &amplitudes).unwrap();
            for (pose, amplitude) in poses.iter().zip(amplitudes) {
                let single = swing(&creature, &mut data, &modes, mode, amplitude).unwrap();
                let mut gap = vec![0.0; creature.nv()];
                creature.difference(&single, pose, &mut gap);
                // Of a swing of a third of a radian, m and rad: a thousandth, which no picture shows.
                let worst = gap.iter().fold(0.0, |most: f64, gap| most.max(gap.abs()));
                assert!(worst < 1e-3, "{} u{} at {amplitude}: {worst}", creature.name(), mode.index);
            }
        }
    }
}
