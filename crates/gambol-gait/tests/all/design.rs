//! A designed gait moves the feet as its name says, whatever the creature: the order of footfalls is that of the
//! literature (Hildebrand; written down here once more), every foot is high while it goes forward, speed is stride
//! length times frequency. All is measured on poses by forward kinematics, not on the parameters.

use crate::gaits::{GALLERY, apart, body, body_of, foot_paths, played_paths, walker};
use gambol_gait::{Design, GaitError, Legs, Sampling, Style, Support, Wish, design, gaits_for, perform};
use gambol_model::{Side, math};
use gambol_motion::Basis;

/// A wish that is no wish but keeps presets away: the duty does not change modes much.
fn automatic() -> Wish {
    Wish { duty: Some(0.45), ..Wish::default() }
}

/// Times of mid-stance from books, in cycles, hind left first. `hind` counts pairs from behind.
fn footfall(gait: &str, hind: usize, pairs: usize, right: bool) -> Option<f64> {
    let other = if right { 0.5 } else { 0.0 };
    let odd = if hind % 2 == 1 { 0.5 } else { 0.0 };
    let lead = if right { 0.05 } else { -0.05 };
    Some(match (gait, pairs) {
        ("walk" | "run", 1) | ("amble" | "pace", _) => other,
        // Left hind, left front, right hind, right front.
        ("walk" | "crawl" | "wave", 2) => [0.0, 0.25][hind] + other,
        ("walk" | "run", 3 | 4) | ("tripod" | "trot", _) => odd + other,
        ("bound", _) => odd,
        // Left hind, right hind with left front, right front, a pause.
        ("canter", 2) => 0.6 * (odd + other),
        ("gallop" | "transverse-gallop" | "run", 2) => odd + lead,
        ("rotary-gallop", 2) => odd + if hind == 1 { -lead } else { lead },
        ("wave" | "crawl" | "walk", n) => hind as f64 * 0.5 / n as f64 + other,
        ("hop", _) => 0.0,
        _ => return None,
    })
}

fn check_feet(name: &str, body: &gambol_gait::Body, data: &mut gambol_dynamics::Data, gait: &str) {
    let Design { gait: made, hints } = design(body, data, gait, &automatic()).unwrap();
    assert!(hints.is_empty(), "{name} {gait}: {hints:?}");
    let played = perform(body, data, &made, &Sampling { seconds: None, fps: 60.0 }).unwrap();
    let (pairs, length) = (body.legs.pairs, body.legs.length);
    let paths = played_paths(body, data, &played.clip);
    for ((leg, path), foot) in body.legs.legs.iter().zip(&paths).zip(&played.report.feet) {
        let right = leg.side == Some(Side::Right);
        let Some(phase) = footfall(gait, pairs - 1 - leg.pair, pairs, right) else { continue };
        // From touchdown and lift-off. The books give the leads of a gallop to about a hundredth of the cycle.
        let [start, end] = foot.stance[0];
        let middle = 0.5 * (start + end);
        assert!(apart(middle, phase) < 0.01, "{name} {gait} {}: {middle:.3} is not {phase:.3}", leg.name);
        // 0.06 cycles are half of what tells a gallop from a bound: the foot moves as it stands.
        assert!(
            apart(path.phase, phase) < 0.06,
            "{name} {gait} {}: {:.3} is not {phase:.3}",
            leg.name,
            path.phase
        );
        assert!(path.area > 0.0, "{name} {gait} {}: area {:.5}", leg.name, path.area / length / length);
        assert!(path.swing > 0.05 * length, "{name} {gait} {}: swing {:.3}", leg.name, path.swing / length);
    }
}

#[test]
fn every_suitable_gait_of_the_gallery() {
    let mut designed = 0;
    for name in GALLERY {
        let (body, mut data) = body(name, &Style::default());
        for (gait, fits) in gaits_for(&body, &mut data) {
            let own = ["t-pose-walk", "steady-run", "push-cart", "roll", "slither", "swim"];
            if fits.is_ok() && !own.contains(&gait.as_str()) && !body.legs.is_empty() {
                check_feet(name, &body, &mut data, &gait);
                designed += 1;
            }
        }
    }
    assert!(designed > 40, "{designed} gaits");
}

#[test]
fn creatures_that_nobody_tuned() {
    for pairs in 1..=5 {
        for sprawl in [0.0, 0.3] {
            let (body, mut data) = body_of(walker(pairs, sprawl, 1.0, false), &Style::default());
            assert_eq!(body.legs.pairs, pairs);
            for (gait, fits) in gaits_for(&body, &mut data) {
                match fits {
                    Ok(()) if gait == "swim" => {} // on no ground
                    Ok(()) => check_feet(&format!("{pairs} pairs, sprawl {sprawl}"), &body, &mut data, &gait),
                    Err(error) => assert!(error.to_string().starts_with("walker cannot"), "{error}"),
                }
            }
        }
    }
}

/// Legs that point along the way cannot step as far as their span: with strides of their span a spider sinks onto its
/// belly at every step.
#[test]
fn creatures_that_sprawl_keep_their_bellies_up() {
    for name in ["spider", "insect"] {
        let (body, mut data) = body(name, &Style::default());
        let Design { gait, .. } = design(&body, &mut data, "walk", &Wish::default()).unwrap();
        let clip = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: 60.0 }).unwrap().clip;
        let heights = clip.poses.iter().map(|pose| pose[2]);
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        // Two sets of four legs take turns, and what they push raises and lowers a spider's centre of mass by 0.07 of the hips' height;
        // its body, against the legs in the air, by half as much again.
        assert!(high - low < 0.12 * body.legs.length, "{name}: {:.3}", (high - low) / body.legs.length);
        // Nor does it go with bent legs: it is never lower than nine tenths of how it stands.
        let stands = body.basis.mean()[2];
        assert!(low > 0.9 * stands, "{name}: {low:.4} of {stands:.4}");
    }
}

#[test]
fn gaits_that_do_not_fit_say_why() {
    let (dog, mut data) = body("dog", &Style::default());
    let why = |gait: &str, data: &mut gambol_dynamics::Data| design(&dog, data, gait, &Wish::default());
    let reason = why("tripod", &mut data).unwrap_err().to_string();
    assert_eq!(
        reason,
        "dog cannot tripod: that takes three pairs of legs or more, and it has 2 pairs of legs"
    );
    assert!(matches!(why("moonwalk", &mut data), Err(GaitError::Unknown { known, .. }) if known.len() > 15));
    assert!(why("slither", &mut data).unwrap_err().to_string().contains("legs"));
    let (snake, mut data) = body("snake", &Style::default());
    let reason = design(&snake, &mut data, "trot", &Wish::default()).unwrap_err().to_string();
    assert_eq!(reason, "snake cannot trot: it has no legs");
    // On its head.
    let (mut human, mut data) = body("human", &Style::default());
    let mut spec = human.basis.clone().into_spec();
    spec.mean[3..7].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
    human.basis = Basis::new(&human.creature, spec).unwrap();
    human.legs = Legs::new(&human.creature, &mut data, human.basis.mean());
    let reason = design(&human, &mut data, "walk", &Wish::default()).unwrap_err().to_string();
    assert!(reason.contains("its hips are not above its feet"), "{reason}");
}

#[test]
fn two_of_speed_frequency_and_stride_give_the_third() {
    let (dog, mut data) = body("dog", &Style::default());
    let mut made = |wish: Wish| design(&dog, &mut data, "trot", &wish);
    let some = |speed: Option<f64>, frequency: Option<f64>, stride_length: Option<f64>| Wish {
        speed,
        frequency,
        stride_length,
        ..Wish::default()
    };
    let both = made(some(Some(2.0), Some(2.5), None)).unwrap().gait;
    assert_eq!((both.ground.speed, both.frequency), (Some(2.0), 2.5));
    let both = made(some(None, Some(2.5), Some(0.8))).unwrap().gait;
    assert_eq!((both.ground.speed, both.frequency), (Some(2.0), 2.5));
    let both = made(some(Some(2.0), None, Some(0.8))).unwrap().gait;
    assert_eq!((both.ground.speed, both.frequency), (Some(2.0), 2.5));
    assert!(made(some(Some(2.0), Some(2.5), Some(0.8))).is_ok());
    for bad in [
        some(Some(2.0), Some(2.5), Some(1.0)),
        some(Some(f64::NAN), None, None),
        some(Some(-1.0), None, None),
        some(None, Some(0.0), None),
        Wish { duty: Some(1.0), ..Wish::default() },
    ] {
        assert!(matches!(made(bad.clone()), Err(GaitError::Number { .. })), "{bad:?}");
    }
}

/// Alexander and Jayes 1983: at equal Froude numbers animals of all sizes take strides of equal length per leg.
#[test]
fn larger_animals_are_dynamically_similar() {
    let (small, mut data) = body("human", &Style::default());
    let speed = 1.5;
    let wish = |speed: f64| Wish { speed: Some(speed), ..Wish::default() };
    let gait = design(&small, &mut data, "walk", &wish(speed)).unwrap().gait;
    let froude = speed * speed / (9.81 * small.legs.length);
    let stride = speed / gait.frequency / small.legs.length;
    // A person's hip is 0.4 % nearer to the ground than to the ball of the foot.
    assert!((stride / (2.4 * math::powf(froude, 0.34)) - 1.0).abs() < 0.02, "{stride}");
    let faster = design(&small, &mut data, "walk", &wish(2.0)).unwrap().gait;
    assert!(faster.ground.duty < gait.ground.duty && faster.frequency > gait.frequency);
    assert_eq!(gait.ground.support, Support::Feet);
}

#[test]
fn more_speed_than_legs_have_is_said() {
    let (dog, mut data) = body("dog", &Style::default());
    let wish = Wish { speed: Some(12.0), frequency: Some(1.5), ..Wish::default() };
    let made = design(&dog, &mut data, "trot", &wish).unwrap();
    assert_eq!(made.gait.ground.speed, Some(12.0));
    assert!(made.hints.iter().any(|hint| hint.contains("swings")), "{:?}", made.hints);
}

/// A shape and its negative are one mode: which of them the solver gave must not show.
#[test]
fn the_sign_of_a_mode_does_not_matter() {
    for (name, gaits) in [("dog", ["walk", "gallop"]), ("human", ["walk", "jump"])] {
        let (mut body, mut data) = body(name, &Style::default());
        for gait in gaits {
            for wish in [Wish::default(), automatic()] {
                let before = design(&body, &mut data, gait, &wish).unwrap().gait;
                let used: Vec<usize> = before.components.iter().map(|c| c.mode).collect();
                let poses: Vec<Vec<f64>> =
                    (0..8).map(|k| crate::gaits::pose_at(&body, &before, f64::from(k) / 8.0, 1.0)).collect();
                let mut unique = used.clone();
                unique.dedup();
                let flip = |body: &mut gambol_gait::Body| {
                    let mut spec = body.basis.clone().into_spec();
                    for &mode in unique.iter().filter(|&&mode| mode >= body.basis.rigid()) {
                        spec.directions[mode].shape.iter_mut().for_each(|u| *u = -*u);
                    }
                    body.basis = Basis::new(&body.creature, spec).unwrap();
                };
                flip(&mut body);
                let after = design(&body, &mut data, gait, &wish).unwrap().gait;
                for (k, pose) in poses.iter().enumerate() {
                    let other = crate::gaits::pose_at(&body, &after, k as f64 / 8.0, 1.0);
                    let gap = pose.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    // Rounding of sums in another order.
                    assert!(gap < 1e-9, "{name} {gait}: {gap:e}");
                }
                flip(&mut body);
            }
        }
    }
}

/// The mirror image of a lame creature limps on the other side: the same gait with left and right exchanged, which for
/// alternating legs is half a cycle later.
#[test]
fn a_mirrored_creature_walks_in_the_mirror() {
    let (body, mut data) = body_of(walker(2, 0.0, 1.5, false), &Style::default());
    let (image, mut image_data) = body_of(walker(2, 0.0, 1.5, true), &Style::default());
    for gait in ["walk", "trot"] {
        let made = design(&body, &mut data, gait, &Wish::default()).unwrap().gait;
        let mirrored = design(&image, &mut image_data, gait, &Wish::default()).unwrap().gait;
        let paths = foot_paths(&body, &mut data, &made, 1.0);
        let image_paths = foot_paths(&image, &mut image_data, &mirrored, 1.0);
        for (index, path) in paths.iter().enumerate() {
            let partner = body.legs.partner(index).unwrap();
            let other = &image_paths[partner];
            // Modes of the two are equal to the precision of the eigenvalues, 1e-9 of the largest.
            assert!((path.swing - other.swing).abs() < 1e-6, "{gait} {index}");
            assert!((path.area - other.area).abs() < 1e-6, "{gait} {index}");
            assert!(apart(path.phase, other.phase + 0.5) < 1e-6, "{gait} {index}");
        }
    }
}
