//! Gaits on creatures that nobody tuned: other numbers of legs, other joints, other feet, other sizes, other worlds.
//!
//! Whatever the body, the clip is made, its numbers are finite, its loop closes, standing feet stand, nothing pops, and
//! feet stand in the order of the gait. Where the body cannot do it, a warning says so. Slip, smoothness and order are
//! measured here once more, by forward kinematics on the poses and contacts of the clip, not taken from the report.

use crate::zoo::{Foot, Hip, Plan};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_gait::{Body, Design, Performance, Sampling, Style, Wish, design, gaits_for, perform};
use gambol_model::{BodySpec, CreatureSpec, JointKind, JointSpec, Shape, ShapeSpec, Side, Vec3};

fn body(plan: &Plan) -> (Body, Data) {
    let creature = plan.build();
    let mut data = Data::new(&creature);
    let body = Body::new(creature, &mut data, &Style::default()).unwrap();
    (body, data)
}

fn play(body: &Body, data: &mut Data, gait: &str, wish: &Wish) -> (Design, Performance) {
    let designed = design(body, data, gait, wish).unwrap();
    let sampling = Sampling { seconds: None, fps: 240.0 };
    let played = perform(body, data, &designed.gait, &sampling).unwrap();
    (designed, played)
}

/// How far a standing foot is from where it stood first, in leg lengths: the worst.
fn slip(body: &Body, data: &mut Data, played: &Performance) -> f64 {
    let mut worst: f64 = 0.0;
    for (contact, leg) in played.clip.contacts.iter().zip(&body.legs.legs) {
        for &[start, end] in &contact.intervals {
            let mut first: Option<Vec3> = None;
            for (time, pose) in played.clip.times.iter().zip(&played.clip.poses) {
                if *time >= start && *time <= end {
                    let frames = forward_kinematics(&body.creature, data, pose);
                    let place = frames[contact.body].point_in_world(contact.point);
                    let first = *first.get_or_insert(place);
                    worst = worst.max((place - first).xy().norm() / leg.length);
                }
            }
        }
    }
    worst
}

/// Largest change of a joint's velocity from one frame to the next, over the seam too, in rad per cycle.
fn jolt(body: &Body, played: &Performance) -> f64 {
    let creature = &body.creature;
    let steps = played.clip.poses.len() - 1;
    let velocities: Vec<Vec<f64>> = played
        .clip
        .poses
        .windows(2)
        .map(|pair| {
            let mut step = vec![0.0; creature.nv()];
            creature.difference(&pair[0], &pair[1], &mut step);
            step.iter().map(|x| x * steps as f64).collect()
        })
        .collect();
    let turns = |dof: usize| creature.joints()[creature.dofs()[dof].joint].kind != JointKind::Free;
    let mut worst: f64 = 0.0;
    for k in 0..steps {
        for dof in (0..creature.nv()).filter(|&dof| turns(dof)) {
            worst = worst.max((velocities[(k + 1) % steps][dof] - velocities[k][dof]).abs());
        }
    }
    worst
}

/// What must hold for every clip. Only a warning about the feet excuses feet that slip, and one about depth what is below
/// the ground; whether there is such a warning is told.
fn check(name: &str, body: &Body, data: &mut Data, gait: &str) -> [bool; 2] {
    let (_, played) = play(body, data, gait, &Wish::default());
    let Performance { clip, report, warnings, .. } = &played;
    assert!(clip.poses.iter().flatten().all(|x| x.is_finite()), "{name} {gait}");
    assert!(report.loop_gap < 1e-9, "{name} {gait}: the loop is open by {}", report.loop_gap);
    let told = |what: &str| warnings.iter().any(|warning| warning.contains(what));
    let excused = [told("where it should stand"), told("below the ground")];
    // A thousandth of the leg, and a millimetre for anything below the ground.
    if !excused[0] {
        let slip = slip(body, data, &played);
        assert!(slip < 1e-3, "{name} {gait}: slips by {slip:.5} of the leg");
        assert!(report.slip_mm.unwrap() < 1.0, "{name} {gait}: {report:?}");
    }
    if !excused[1] {
        assert!(report.penetration_mm.unwrap() < 1.0, "{name} {gait}: {report:?}");
    }
    // Feet that the gait puts down together, and those half a cycle later, by the contacts.
    let middle = |foot: usize| 0.5 * (report.feet[foot].stance[0][0] + report.feet[foot].stance[0][1]);
    let late = |a: usize, b: usize| (middle(b) - middle(a)).rem_euclid(1.0);
    let legs = &body.legs.legs;
    for (a, leg) in legs.iter().enumerate() {
        for (b, other) in legs.iter().enumerate().skip(a + 1) {
            // A leg in the middle counts as a left one.
            let right = |leg: &gambol_gait::Leg| leg.side == Some(Side::Right);
            let (same_pair, same_side) = (leg.pair == other.pair, right(leg) == right(other));
            let wanted = match gait {
                "trot" | "tripod" if (leg.pair + other.pair) % 2 == 1 => {
                    if same_side {
                        0.5
                    } else {
                        0.0
                    }
                }
                "pace" | "amble" => {
                    if same_side {
                        0.0
                    } else {
                        0.5
                    }
                }
                "bound" => {
                    if same_pair {
                        0.0
                    } else {
                        0.5
                    }
                }
                "jump" | "hop" => 0.0,
                "walk" if same_pair && leg.side != Some(Side::Right) && other.side.is_some() => 0.5,
                _ => continue,
            };
            let off = (late(a, b) - wanted + 0.5).rem_euclid(1.0) - 0.5;
            assert!(
                off.abs() < 0.02,
                "{name} {gait}: {} and {} are {:.2} apart",
                leg.name,
                other.name,
                late(a, b)
            );
        }
    }
    excused
}

#[test]
fn every_kind_of_creature_stands_on_its_feet() {
    // All kinds with one gait each that suits them, and all gaits of a few kinds. One alone does not do it,
    // and says so: a robot whose joints turn by 14° does not get its feet to where they should stand.
    const EXCUSED: [(&str, &str, [bool; 2]); 1] = [("tight robot", "trot", [true, false])];
    let mut excused = Vec::new();
    for (name, plan) in crate::zoo::zoo() {
        let (body, mut data) = body(&plan);
        let fits: Vec<String> = gaits_for(&body, &mut data)
            .into_iter()
            .filter(|(gait, fits)| fits.is_ok() && gait != "swim") // nobody stands in water
            .map(|(gait, _)| gait)
            .collect();
        let all = ["robot", "three legs", "no shape"].contains(&name);
        let first =
            ["trot", "walk", "hop"].into_iter().find(|gait| fits.iter().any(|fit| fit == gait)).unwrap();
        for gait in fits.iter().filter(|gait| all || *gait == first) {
            let told = check(name, &body, &mut data, gait);
            if told != [false; 2] {
                excused.push((name, gait.clone(), told));
            }
        }
    }
    let excused: Vec<(&str, &str, [bool; 2])> =
        excused.iter().map(|(name, gait, told)| (*name, gait.as_str(), *told)).collect();
    assert_eq!(excused, EXCUSED);
}

#[test]
fn nothing_pops() {
    // A joint that swings 0.5 rad to each side changes its velocity by (2π)² 0.5 / 120 = 0.2 rad per cycle from frame to
    // frame; a foot that lands, in a few frames, by 3 rad per cycle. A pop of 0.1 rad is 12. Frames that did not end at
    // the nearest pose, but where the iteration happened to stop, had 25 to 100 here.
    for (name, plan, gaits) in [
        ("four", Plan::default(), &["walk", "trot", "bound"][..]),
        ("boxes", Plan { pairs: 1, foot: Foot::Box, ..Plan::default() }, &["walk", "run", "jump"]),
        ("planar", Plan { pairs: 1, hip: Hip::Planar, supple: false, ..Plan::default() }, &["walk", "run"]),
    ] {
        let (body, mut data) = body(&plan);
        for gait in gaits {
            let (_, played) = play(&body, &mut data, gait, &Wish::default());
            let jolt = jolt(&body, &played);
            assert!(jolt < 12.0, "{name} {gait}: {jolt:.1}");
        }
    }
}

#[test]
fn hinges_that_go_nowhere_sideways_still_stand() {
    // Eight hinges and a floating trunk: four feet on the ground ask for more than they have, but for plants that agree
    // with each other. Misses were half a metre once.
    let plan = Plan { hip: Hip::Planar, supple: false, ..Plan::default() };
    let (body, mut data) = body(&plan);
    for gait in ["walk", "trot", "pace", "gallop"] {
        let (_, played) = play(&body, &mut data, gait, &Wish::default());
        // A gallop may say that it folds its knees far; feet must be where they stand.
        let missed = |warning: &&String| warning.contains("where it should stand");
        assert_eq!(played.warnings.iter().find(missed), None, "{gait}");
        let slip = slip(&body, &mut data, &played);
        assert!(slip < 1e-3, "{gait}: slips by {slip:.5} of the leg");
    }
}

#[test]
fn joints_that_hardly_move_make_it_slower() {
    // 0.2 rad at every joint: the legs do not reach as far as at the usual speed of a pace, and the gait is made slower
    // until they do.
    let (free, mut data) = body(&Plan::default());
    let usual = play(&free, &mut data, "pace", &Wish::default()).1.report.speed;
    let (tight, mut data) = body(&Plan { limit: Some(0.2), ..Plan::default() });
    let (_, played) = play(&tight, &mut data, "pace", &Wish::default());
    assert!(played.report.speed < 0.95 * usual, "{} of {usual} m/s", played.report.speed);
    assert!(slip(&tight, &mut data, &played) < 1e-3, "{:?}", played.warnings);
}

#[test]
fn a_speed_beyond_the_legs_is_answered_with_one_that_works() {
    let (body, mut data) = body(&Plan::default());
    let far = Wish { speed: Some(9.0), ..Wish::default() };
    let (designed, played) = play(&body, &mut data, "walk", &far);
    let hint = designed.hints.iter().find(|hint| hint.contains("more than its legs can reach")).unwrap();
    assert!(!played.warnings.is_empty());
    // Something of the creature stays in the air: the trunk is not buried.
    let low = played.clip.poses.iter().map(|pose| pose[2]).fold(f64::INFINITY, f64::min);
    assert!(low > 0.0, "the trunk is {low:.2} m up");
    let most: f64 = hint.rsplit_once("about ").unwrap().1.trim_end_matches(" m/s").parse().unwrap();
    assert!(most < 9.0);
    let near = Wish { speed: Some(most), ..Wish::default() };
    let (_, played) = play(&body, &mut data, "walk", &near);
    assert!(slip(&body, &mut data, &played) < 1e-3);
}

#[test]
fn a_leg_that_folds_through_itself_is_reported_and_played() {
    let (body, mut data) = body(&Plan::default());
    let mut gait = design(&body, &mut data, "trot", &Wish::default()).unwrap().gait;
    for component in &mut gait.components {
        component.amplitude *= 12.0;
    }
    let sampling = Sampling { seconds: None, fps: 60.0 };
    let played = perform(&body, &mut data, &gait, &sampling).unwrap();
    let told =
        |warning: &String| warning.contains("folds") || warning.contains("hip") || warning.contains("turns");
    assert!(played.warnings.iter().any(told), "{:?}", played.warnings);
    assert!(played.clip.poses.iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn which_way_it_faces_and_how_large_it_is_makes_no_difference() {
    let (ahead, mut data) = body(&Plan::default());
    let reference = play(&ahead, &mut data, "trot", &Wish::default()).1;
    // To the left.
    let (left, mut data) = body(&Plan { yaw: 0.5 * std::f64::consts::PI, ..Plan::default() });
    let played = play(&left, &mut data, "trot", &Wish::default()).1;
    let way = played.clip.stride.unwrap().shift;
    assert!(way.y > 0.5 && way.x.abs() < 1e-6 * way.y, "{way}");
    assert!((played.report.speed / reference.report.speed - 1.0).abs() < 1e-6, "the same up to rounding");
    // Lengths by s and stiffness by s⁴ are dynamically similar: times go with √s, angles stay.
    for scale in [8e-3, 20.0] {
        let (body, mut data) = body(&Plan { scale, ..Plan::default() });
        let played = play(&body, &mut data, "trot", &Wish::default()).1;
        let slower = reference.report.stride_frequency / played.report.stride_frequency;
        assert!((slower / scale.sqrt() - 1.0).abs() < 1e-3, "{scale}: {slower}");
        assert!(slip(&body, &mut data, &played) < 1e-3, "{scale}");
    }
}

#[test]
fn a_trunk_on_rails_is_told_so() {
    // As the planar walkers of dm_control: no `--root free` can help.
    let mut spec = CreatureSpec::new("on rails");
    let mut trunk = BodySpec::new("trunk");
    trunk.joints.push(JointSpec::slide("rail", Vec3::x()));
    trunk.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.2, 0.1, 0.1) }));
    trunk.parent_from_body.translation.vector.z = 0.5;
    let trunk = spec.add_body(0, trunk).unwrap();
    for (side, y) in [("left", 0.1), ("right", -0.1)] {
        let mut leg = BodySpec::new(format!("foot.{side}"));
        leg.parent_from_body.translation.vector.y = y;
        leg.joints.push(JointSpec::hinge(format!("hip.{side}"), Vec3::y()).with_stiffness(10.0));
        let mut shape = ShapeSpec::new(Shape::Capsule { radius: 0.03, half_length: 0.2 });
        shape.body_from_shape.translation.vector.z = -0.25;
        leg.shapes.push(shape);
        spec.add_body(trunk, leg).unwrap();
    }
    let creature = spec.build().unwrap();
    let mut data = Data::new(&creature);
    let style = Style { stiffness: Some(10.0), ..Style::default() };
    let body = Body::new(creature, &mut data, &style).unwrap();
    let error = design(&body, &mut data, "walk", &Wish::default()).unwrap_err().to_string();
    assert!(error.contains("rail") && !error.contains("--root free"), "{error}");
}
