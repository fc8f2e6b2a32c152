//! The heuristics find the modes that people picked by looking at pictures of them (`gambol/tests/all/mode_names.rs`), and
//! throw out those that people throw out: twists and jumping jacks (Kry et al. 2009, sections 3.1 and 4.3).

use crate::gaits::{GALLERY, body, body_of, pose_at, walker};
use gambol_dynamics::forward_kinematics;
use gambol_gait::{
    Action, Body, Category, Component, Gait, Ground, Style, Support, Terrain, Timing, measure, rank,
};

fn best(body: &Body, data: &mut gambol_dynamics::Data, pair: usize, action: Action, timing: Timing) -> usize {
    let (rankings, _) =
        rank(&body.creature, data, &body.basis, &body.legs, &body.settings.heuristics).unwrap();
    let category = Category { pair, action, timing };
    rankings.iter().find(|ranking| ranking.category == category).unwrap().modes[0].0
}

#[test]
fn the_dogs_modes() {
    let (dog, mut data) = body("dog", &Style::default());
    let (front, hind) = (0, 1);
    let mut top = |pair, action, timing| best(&dog, &mut data, pair, action, timing);
    assert_eq!(top(hind, Action::Swing, Timing::Alternating), 13);
    assert_eq!(top(front, Action::Swing, Timing::Alternating), 9);
    assert_eq!(top(hind, Action::Bend, Timing::Alternating), 23);
    assert_eq!(top(front, Action::Bend, Timing::Alternating), 29);
    assert_eq!(top(hind, Action::Swing, Timing::Together), 12);
    assert_eq!(top(front, Action::Swing, Timing::Together), 8);
    assert_eq!(top(hind, Action::Bend, Timing::Together), 24);
    let (rankings, rejections) =
        rank(&dog.creature, &mut data, &dog.basis, &dog.legs, &dog.settings.heuristics).unwrap();
    let reason = |mode: usize| {
        let found = rejections.iter().find(|rejection| rejection.mode == mode);
        found.map(|rejection| rejection.reason.as_str())
    };
    assert_eq!(reason(7), Some("twists the body (back twists)"));
    assert_eq!(reason(10), Some("spreads the feet, as jumping jacks do (front legs splay)"));
    assert_eq!(reason(14), Some("spreads the feet, as jumping jacks do (hind legs splay)"));
    assert_eq!(reason(50), Some("moves no leg (jaw opens and shuts)"));
    for useful in [6, 8, 9, 12, 13, 23, 24, 29] {
        assert_eq!(reason(useful), None, "u{useful}");
    }
    for ranking in rankings {
        assert!(ranking.modes.iter().all(|(mode, _)| reason(*mode).is_none()));
        assert!(ranking.modes.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    }
}

#[test]
fn the_humans_modes() {
    let (human, mut data) = body("human", &Style::default());
    let mut top = |action, timing| best(&human, &mut data, 0, action, timing);
    assert_eq!(top(Action::Swing, Timing::Alternating), 6); // B
    assert_eq!(top(Action::Bend, Timing::Alternating), 15); // A
    assert_eq!(top(Action::Bend, Timing::Together), 17); // D
    let (_, rejections) =
        rank(&human.creature, &mut data, &human.basis, &human.legs, &human.settings.heuristics).unwrap();
    let splay = rejections.iter().find(|rejection| rejection.mode == 7).unwrap();
    assert!(splay.reason.contains("jumping jacks"), "{}", splay.reason);
}

#[test]
fn letters_are_those_of_the_paper() {
    let letter = |pair, action, timing, pairs| Category { pair, action, timing }.letter(pairs);
    assert_eq!(letter(0, Action::Bend, Timing::Alternating, 1), Some('A'));
    assert_eq!(letter(1, Action::Swing, Timing::Alternating, 2), Some('B'));
    assert_eq!(letter(1, Action::Lift, Timing::Alternating, 2), Some('C'));
    assert_eq!(letter(1, Action::Bend, Timing::Together, 2), Some('D'));
    assert_eq!(letter(1, Action::Lift, Timing::Together, 2), Some('E'));
    assert_eq!(letter(0, Action::Bend, Timing::Alternating, 2), Some('F'));
    assert_eq!(letter(0, Action::Swing, Timing::Together, 2), Some('G'));
    assert_eq!(letter(1, Action::Swing, Timing::Together, 2), None);
}

/// What a mode does to feet and knees against differences of poses: another way to the same numbers.
#[test]
fn measures_are_the_differences_of_poses() {
    let step = 1e-5; // central differences: error of the order of its square
    for name in ["dog", "human", "spider"] {
        let (body, mut data) = body(name, &Style::default());
        let measures = measure(&body.creature, &mut data, &body.basis, &body.legs, &body.settings.heuristics);
        for mode in (0..body.basis.directions().len()).step_by(5) {
            let component = Component { mode, amplitude: 1.0, phase: 0.0, harmonic: 1, offset: 0.0 };
            let gait = Gait {
                name: String::new(),
                creature: None,
                style: Style::default(),
                frequency: 1.0,
                components: vec![component],
                ground: Ground {
                    support: Support::Air,
                    duty: 0.5,
                    speed: None,
                    turn: 0.0,
                    clearance: 0.0,
                    footfalls: std::collections::BTreeMap::new(),
                    terrain: Terrain::Flat,
                },
            };
            // A quarter of a cycle is the mode at its amplitude.
            let ahead = pose_at(&body, &gait, 0.25, step);
            let behind = pose_at(&body, &gait, 0.25, -step);
            for (leg, motion) in body.legs.legs.iter().zip(&measures[mode].legs) {
                let mut place = |pose: &[f64]| {
                    forward_kinematics(&body.creature, &mut data, pose)[leg.foot].point_in_world(leg.point)
                };
                let moved = body.legs.heading.components(place(&ahead) - place(&behind)) / (2.0 * step);
                let expected = [motion.forward, motion.left, motion.up];
                for (a, b) in moved.iter().zip(expected) {
                    assert!((a - b).abs() < 1e-7, "{name} u{mode} {}: {a} {b}", leg.name);
                }
                let joint = &body.creature.joints()[leg.knee.unwrap()];
                let bend = leg.bend * (ahead[joint.q] - behind[joint.q]) / (2.0 * step);
                assert!((bend - motion.bend).abs() < 1e-7, "{name} u{mode} {}", leg.name);
            }
        }
    }
}

/// Where left differs from right no mode is quite symmetric; the ranking still finds what alternates.
#[test]
fn an_uneven_creature_is_read_by_what_its_legs_do() {
    let (lame, mut data) = body_of(walker(2, 0.0, 1.6, false), &Style::default());
    let measures = measure(&lame.creature, &mut data, &lame.basis, &lame.legs, &lame.settings.heuristics);
    for pair in 0..2 {
        let mode = best(&lame, &mut data, pair, Action::Swing, Timing::Alternating);
        let forward: Vec<f64> = lame
            .legs
            .legs
            .iter()
            .zip(&measures[mode].legs)
            .filter(|(leg, _)| leg.pair == pair)
            .map(|(_, m)| m.forward)
            .collect();
        assert!(forward[0] * forward[1] < 0.0, "u{mode}: {forward:?}");
    }
}

#[test]
fn every_creature_is_ranked_or_has_no_legs() {
    for name in GALLERY {
        let (body, mut data) = body(name, &Style::default());
        let (rankings, rejections) =
            rank(&body.creature, &mut data, &body.basis, &body.legs, &body.settings.heuristics).unwrap();
        assert_eq!(rankings.len(), 6 * body.legs.pairs, "{name}");
        for ranking in &rankings {
            assert!(!ranking.modes.is_empty(), "{name}: {:?}", ranking.category);
        }
        assert!(rejections.iter().all(|rejection| rejection.mode >= body.basis.rigid()));
    }
}
