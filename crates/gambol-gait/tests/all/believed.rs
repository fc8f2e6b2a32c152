//! Gravity believes the gaits of the gallery: the forces that they take are forces that feet can give.

use crate::gaits::{body, preset_body};
use gambol_dynamics::{Data, center_of_mass};
use gambol_gait::{
    Body, Design, Performance, Report, Sampling, Style, Terrain, Wish, design, gaits_for, perform,
    perform_believed,
};
use gambol_model::{JointKind, Quat, Vec3, math};

/// Residuals are told at this rate.
const FPS: f64 = 120.0;

fn play(body: &Body, data: &mut gambol_dynamics::Data, gait: &str) -> Performance {
    let Design { gait, .. } = design(body, data, gait, &Wish::default()).unwrap();
    perform(body, data, &gait, &Sampling { seconds: None, fps: FPS }).unwrap()
}

/// As fast as it can be believed, as the command line and the library play it.
fn play_believed(body: &Body, data: &mut gambol_dynamics::Data, gait: &str) -> Performance {
    let sampling = Sampling { seconds: None, fps: FPS };
    let (wish, as_is) = (Wish::default(), |_: &Body, _: &mut gambol_gait::Gait| Ok(()));
    perform_believed(&body.creature, data, gait, &|_| (), &wish, &as_is, &sampling).unwrap().performance
}

/// Largest residual, body weights and body weights × height: life itself scores 0.13 in a person's recorded walk.
fn limit(gait: &str) -> f64 {
    if gait.ends_with("walk") || ["crawl", "wave", "tripod"].contains(&gait) { 0.15 } else { 0.3 }
}

/// Gaits with a flight, in which legs are springs.
fn bounces(gait: &str) -> bool {
    ["run", "trot", "pace", "bound", "canter", "hop", "jump"].iter().any(|name| gait.ends_with(name))
        || gait.ends_with("gallop")
}

/// What is wrong with a gait that was played.
fn wrong(name: &str, gait: &str, played: &Performance) -> Vec<String> {
    let Report { residual_force, residual_moment, com_swing, slip_mm, penetration_mm, loop_gap, .. } =
        &played.report;
    let (force, moment) = (residual_force.unwrap(), residual_moment.unwrap());
    let figures = &played.forces.as_ref().unwrap().figures;
    let mut wrong = Vec::new();
    let mut must = |holds: bool, what: String| {
        if !holds {
            wrong.push(format!("{name} {gait}: {what}"));
        }
    };
    let most = limit(gait);
    must(force <= most && moment <= most, format!("residual {force:.3} and {moment:.3}"));
    must(slip_mm.unwrap() < 1.0, format!("slips by {slip_mm:?}"));
    must(penetration_mm.unwrap() < 1.0, format!("below the ground by {penetration_mm:?}"));
    must(*loop_gap < 1e-9, format!("open by {loop_gap}"));
    if bounces(gait) {
        must(figures.low_in_stance() == Some(true), format!("lowest at {:?}", figures.com_phase));
    }
    // Recorded dogs swing by 5 to 10 % of the height of their centre of mass, a person by 4; a kangaroo in the simulation by
    // 27. Twice that, and no limit for who jumps on the spot as high as it likes.
    if !gait.starts_with("jump") {
        let most = if bounces(gait) { 0.54 } else { 0.15 };
        must(com_swing.unwrap() < most, format!("swings by {com_swing:?}"));
    }
    wrong
}

#[test]
fn gravity_believes_the_gallery() {
    let mut all = Vec::new();
    for name in ["dog", "human", "biped", "bird", "kangaroo", "monster", "insect", "spider"] {
        let (body, mut data) = body(name, &Style::default());
        for (gait, fits) in gaits_for(&body, &mut data) {
            let own = ["t-pose-walk", "steady-run", "push-cart"].contains(&gait.as_str());
            // In water there are no feet to push.
            if fits.is_ok() && !own && gait != "swim" {
                all.extend(wrong(name, &gait, &play_believed(&body, &mut data, &gait)));
            }
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn gravity_believes_the_presets() {
    for (name, gait) in [
        ("dog", "trot"),
        ("dog", "gallop"),
        ("dog", "amble"),
        ("human", "run"),
        ("human", "steady-run"),
        ("human", "t-pose-walk"),
        ("human", "push-cart"),
    ] {
        let (body, mut data) = preset_body(name, gait);
        let wrong = wrong(name, gait, &play(&body, &mut data, gait));
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

/// A leg of a robot: three hinges of one hip beside each other, as motors lie, a knee and a foot; `knee` are its limits.
fn motors(name: &str, x: f64, side: f64, knee: [f64; 2], foot: &str) -> String {
    let (hinge, [low, high]) = (r#"<joint type="hinge" stiffness="400""#, knee);
    let (yaw, roll, thigh) = (0.05 * side, 0.04, 0.1 * side);
    format!(
        r#"<body name="yaw.{name}" pos="{x} {yaw} -0.05">{hinge} name="yaw.{name}" axis="0 0 1"/><geom size="0.03" mass="1"/>
        <body name="roll.{name}" pos="{roll} 0 0">{hinge} name="roll.{name}" axis="1 0 0"/><geom size="0.03" mass="1"/>
        <body name="thigh.{name}" pos="0 {thigh} 0">{hinge} name="hip.{name}" axis="0 1 0"/>
          <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4" mass="3"/>
          <body name="shin.{name}" pos="0 0 -0.4">{hinge} name="knee.{name}" axis="0 1 0" range="{low} {high}"/>
            <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.4" mass="1.5"/>{foot}
          </body></body></body></body>"#
    )
}

/// Robots come as their makers drew them: legs straight, and past the limits of knees that cannot be; hips wide, with motors beside each other.
/// They walk and run in the pose that their file names, with knees that bend the way they can.
#[test]
fn gravity_believes_robots() {
    let load = |mjcf: &str| {
        let spec = gambol_formats::load_str("robot.xml", mjcf, &gambol::LoadOptions::default()).unwrap();
        spec.build().unwrap()
    };
    let trunk = |flesh: &str, legs: &str, key: &str| {
        format!(
            r#"<mujoco><compiler angle="radian" autolimits="true"/><worldbody><body name="trunk" pos="0 0 0.9"><freejoint/>
            {flesh}{legs}</body></worldbody>
            {key}</mujoco>"#
        )
    };
    let ball = r#"<geom name="foot" pos="0 0 -0.4" size="0.025" mass="0.1"/>"#;
    let paw = |name: &str| ball.replace("\"foot\"", &format!("\"foot.{name}\""));
    let legs = |x: f64, names: [&str; 2]| {
        names.map(|name| {
            let side = if name.ends_with("left") { 1.0 } else { -1.0 };
            motors(name, x, side, [-2.7, -0.8], &paw(name))
        })
    };
    let four = [legs(0.3, ["front.left", "front.right"]), legs(-0.3, ["hind.left", "hind.right"])].concat();
    let home = r#"<keyframe><key name="up" qpos="0 0 1.4 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"/><key name="home" qpos="0 0 0.6 1 0 0 0
        0 0 0.7 -1.4 0 0 0.7 -1.4 0 0 0.7 -1.4 0 0 0.7 -1.4"/></keyframe>"#;
    let long =
        r#"<geom type="box" size="0.3 0.1 0.06" mass="12"/><geom pos="0.3 0 0.1" size="0.06" mass="1"/>"#;
    let four = load(&trunk(long, &four.concat(), home));
    let sole = |name: &str| {
        format!(
            r#"<body name="foot.{name}" pos="0 0 -0.4"><joint type="hinge" name="ankle.{name}" axis="0 1 0" stiffness="200" range="-0.9 0.5"/>
            <geom type="box" pos="0.03 0 -0.03" size="0.1 0.04 0.01" mass="0.8"/></body>"#
        )
    };
    let two = ["left", "right"].map(|name| {
        let side = if name == "left" { 1.0 } else { -1.0 };
        motors(name, 0.0, side, [-0.26, 2.0], &sole(name))
    });
    let upright = r#"<geom type="box" pos="0 0 0.25" size="0.08 0.12 0.3" mass="25"/><geom pos="0.04 0 0.6" size="0.08" mass="2"/>"#;
    let two = load(&trunk(upright, &two.concat(), ""));
    for (name, robot, gaits) in [("four", four, ["walk", "trot"]), ("two", two, ["walk", "run"])] {
        let body =
            Body::new(robot.clone(), &mut gambol_dynamics::Data::new(&robot), &Style::default()).unwrap();
        if name == "four" {
            // The first pose that the file names is as impossible as that in which it is drawn.
            assert_eq!(body.style.pose.as_deref(), Some("home"));
        } else {
            assert_eq!(body.style.pose, None);
            let leg = &body.legs.legs[0];
            // Drawn straight; two bones of 0.4 m, and the hip across, from the first hinge to the thigh.
            assert!(leg.straight_knee.unwrap().abs() < 1e-12, "{:?}", leg.straight_knee);
            let straight = math::hypot(0.8, math::hypot(0.04, 0.1));
            assert!((leg.straight - straight).abs() < 1e-12, "{} m", leg.straight);
        }
        let mut data = gambol_dynamics::Data::new(&robot);
        for gait in gaits {
            let played = play_believed(&body, &mut data, gait);
            let wrong = wrong(name, gait, &played);
            assert!(wrong.is_empty(), "{wrong:?}");
        }
    }
}

/// On a slope the weight is askew, and the cones stand on the slope: up, down and across it. Where friction does not hold, it says so.
#[test]
fn gravity_believes_a_slope() {
    let sampling = Sampling { seconds: Some(2.0), fps: FPS };
    let on_slope = |name: &str, gait: &str, degrees: f64| {
        let (body, mut data) = body(name, &Style::default());
        let mut designed = design(&body, &mut data, gait, &Wish::default()).unwrap().gait;
        designed.ground.terrain = Terrain::Slope(degrees.to_radians());
        let played = perform(&body, &mut data, &designed, &sampling).unwrap();
        (body, data, designed, played)
    };
    for (name, gait, degrees) in [
        ("dog", "walk", 8.0),
        ("dog", "trot", -8.0),
        ("human", "walk", 15.0),
        ("human", "run", -8.0),
        ("spider", "walk", 8.0),
    ] {
        let (body, mut data, designed, played) = on_slope(name, gait, degrees);
        let wrong = wrong(name, gait, &played);
        assert!(
            wrong.is_empty() && played.warnings.is_empty(),
            "{degrees}°: {wrong:?} {:?}",
            played.warnings
        );
        // It climbs with the slope, at its speed along it: measured on where the body is and not on what the report says.
        let center = |pose: &[f64], data: &mut Data| center_of_mass(&body.creature, data, pose);
        let (first, last) = (&played.clip.poses[0], played.clip.poses.last().unwrap());
        let way = center(last, &mut data) - center(first, &mut data);
        let slope = degrees.to_radians();
        let along = played.report.speed * played.clip.duration();
        let expected = Vec3::new(math::cos(slope), 0.0, math::sin(slope)) * along;
        assert!((way - expected).norm() < 1e-9 * along, "{name} {gait} {degrees}°: {way} {expected}");
        // A person who walked there as on the level would fall back; four legs stand wide enough for that.
        if name == "human" && gait == "walk" {
            let mut level = designed;
            level.ground.terrain = Terrain::Flat;
            let level = perform(&body, &mut data, &level, &sampling).unwrap();
            let lacks = laid_on(&body, &mut data, &level, &Terrain::Slope(slope));
            assert!(
                lacks > 0.05,
                "{name} {gait}: what is right on the level is right on {degrees}°: {lacks}"
            );
        }
    }
    let (.., steep) = on_slope("dog", "walk", 40.0);
    assert!(
        steep.warnings.iter().any(|warning| warning.contains("do not hold on a slope of 40°")),
        "{:?}",
        steep.warnings
    );
}

/// What nothing could give, of a clip of level ground that is laid on `terrain`: body weights, or body weights × height.
fn laid_on(body: &Body, data: &mut Data, level: &Performance, terrain: &Terrain) -> f64 {
    let Terrain::Slope(slope) = terrain else { panic!("a slope") };
    let turn = Quat::from_axis_angle(&-Vec3::y_axis(), *slope);
    let root = body.creature.joints().iter().find(|joint| joint.kind == JointKind::Free).unwrap().q;
    let mut clip = level.clip.clone();
    clip.stride = None;
    for pose in &mut clip.poses {
        let place = turn * Vec3::new(pose[root], pose[root + 1], pose[root + 2]);
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| pose[root + 3 + k]);
        let turned = turn.into_inner() * nalgebra::Quaternion::new(w, x, y, z);
        pose[root..root + 7]
            .copy_from_slice(&[place.x, place.y, place.z, turned.w, turned.i, turned.j, turned.k]);
    }
    let settings = (&body.settings.forces, &body.settings.stances);
    let forces = gambol_gait::forces(&body.creature, data, &body.legs, terrain, &clip, settings).unwrap();
    forces.figures.residual_force.max(forces.figures.residual_moment)
}

/// Who strolls stays level: a step lasts so long that a push a little too hard lifts the body by a hand. A person at 0.3 m/s once sat
/// down at every step. Recorded walks swing by 4 to 5 % of the height of the centre of mass, and slower ones by less: at most twice that.
#[test]
fn strollers_do_not_bob() {
    for (name, speed) in
        [("human", 0.3), ("human", 0.6), ("biped", 0.4), ("bird", 0.4), ("dog", 0.2), ("kangaroo", 0.3)]
    {
        let (body, mut data) = body(name, &Style::default());
        let wish = Wish { speed: Some(speed), ..Wish::default() };
        let Design { gait, .. } = design(&body, &mut data, "walk", &wish).unwrap();
        let played = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: FPS }).unwrap();
        let mut wrong = wrong(name, "walk", &played);
        let swing = played.report.com_swing.unwrap();
        if swing > 0.09 {
            wrong.push(format!("{name} at {speed} m/s swings by {swing:.3}"));
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

/// Who runs through a curve leans into it, and rises and falls no more than half again as on the straight: upright, a person bobbed five times as much.
#[test]
fn runners_lean_into_a_curve() {
    for (name, gait) in [("human", "run"), ("dog", "gallop"), ("bird", "walk")] {
        let (body, mut data) = body(name, &Style::default());
        let mut designed = design(&body, &mut data, gait, &Wish::default()).unwrap().gait;
        let mut swing = |turn: f64| {
            designed.ground.turn = turn;
            let played = perform(&body, &mut data, &designed, &Sampling { seconds: None, fps: FPS }).unwrap();
            played.report.com_swing.unwrap()
        };
        let [straight, left, right] = [0.0, 0.7, -0.7].map(&mut swing);
        assert!(
            left.max(right) < 1.5 * straight,
            "{name} {gait}: {straight:.3}, but {left:.3} and {right:.3}"
        );
    }
}

/// A turn is believed as well: the ground pushes towards its middle.
#[test]
fn gravity_believes_a_turn() {
    for (name, gait, turn) in [("dog", "walk", 0.5), ("dog", "trot", -0.5), ("human", "walk", 0.5)] {
        let (body, mut data) = body(name, &Style::default());
        let mut designed = design(&body, &mut data, gait, &Wish::default()).unwrap().gait;
        designed.ground.turn = turn;
        let played = perform(&body, &mut data, &designed, &Sampling { seconds: None, fps: FPS }).unwrap();
        let (force, moment) = (played.report.residual_force.unwrap(), played.report.residual_moment.unwrap());
        assert!(force < limit(gait) && moment < limit(gait), "{name} {gait}: {force:.3} and {moment:.3}");
    }
}
