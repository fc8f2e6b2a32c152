//! Wings carry what they must: the beat that design finds for a body of given span, area and mass is that of the animal within a
//! factor of two, and the flight that is played takes nothing from nowhere. Speeds of tails likewise. The oracles are published
//! measurements, and Newton's law by differences of the centre of mass of the finished clip.

use std::fmt::Write;

use gambol_dynamics::{Data, center_of_mass, forward_kinematics};
use gambol_formats::{LoadOptions, load_str};
use gambol_gait::{Body, Performance, Sampling, Style, Support, Terrain, Wish, design, gaits_for, perform};
use gambol_model::{BodyClass, Creature, Vec3, math};

/// An animal with wings: mass, kg; span, m; area of all wings, m².
struct Flier {
    name: &'static str,
    mass: f64,
    span: f64,
    area: f64,
    pairs: usize,
}

/// A trunk, and wings of two parts each with springs that hold them.
fn flier(animal: &Flier) -> Creature {
    let Flier { mass, span, area, pairs, .. } = *animal;
    let half = 0.46 * span; // the trunk is between them
    let chord = area / (2.0 * half * pairs as f64);
    let wing_mass = 0.12 * mass / (4.0 * pairs as f64);
    let (long, thick) = (0.35 * span, 0.04 * span);
    let stiffness = mass * 9.81 * span;
    let mut wings = String::new();
    for pair in 0..pairs {
        let x = 0.05 * span - 1.1 * chord * pair as f64;
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            let (root, piece) = (sign * 0.04 * span, sign * 0.25 * half);
            let _ = write!(
                wings,
                r#"<body name="wing.{pair}.{side}" pos="{x} {root} 0"><joint type="ball" stiffness="{stiffness}"/>
                   <geom type="box" pos="0 {piece} 0" size="{} {} {}" mass="{wing_mass}"/>
                   <body name="wingtip.{pair}.{side}" pos="0 {} 0"><joint type="ball" stiffness="{stiffness}"/>
                   <geom type="box" pos="0 {piece} 0" size="{} {} {}" mass="{wing_mass}"/></body></body>"#,
                0.5 * chord,
                0.25 * half,
                0.002 * span,
                2.0 * piece,
                0.5 * chord,
                0.25 * half,
                0.002 * span
            );
        }
    }
    let text = format!(
        r#"<mujoco model="{}"><worldbody><body name="trunk" pos="0 0 {span}"><freejoint/>
           <geom type="ellipsoid" size="{} {thick} {thick}" mass="{}"/>{wings}</body></worldbody></mujoco>"#,
        animal.name,
        0.5 * long,
        0.88 * mass
    );
    load_str("it.xml", &text, &LoadOptions::default()).unwrap().build().unwrap()
}

fn played(creature: &Creature, gait: &str) -> (Body, Performance, Support) {
    let mut data = Data::new(creature);
    let body = Body::new(creature.clone(), &mut data, &Style::default()).unwrap();
    let designed = design(&body, &mut data, gait, &Wish::default()).unwrap().gait;
    let performance = perform(&body, &mut data, &designed, &Sampling { seconds: None, fps: 60.0 }).unwrap();
    (body, performance, designed.ground.support)
}

const GULL: Flier = Flier { name: "gull", mass: 0.92, span: 1.34, area: 0.2, pairs: 1 };

#[test]
fn beats_of_wings_are_those_of_animals_within_a_factor_of_two() {
    // Herring gull 3.05 Hz and pigeon 5.5 to 8 Hz in level flight (Pennycuick 1990 and 1968), honeybee 230 Hz hovering (Altshuler et
    // al. 2005: 0.1 g, wings of 9.7 mm), Aeshna juncea 36 Hz hovering (Norberg 1975: 0.75 g, 4.7 cm, 24 cm²).
    let animals = [
        (GULL, "fly", 3.05),
        (Flier { name: "pigeon", mass: 0.35, span: 0.66, area: 0.064, pairs: 1 }, "fly", 6.5),
        (Flier { name: "bee", mass: 1e-4, span: 0.0217, area: 6e-5, pairs: 1 }, "hover", 230.0),
        (Flier { name: "dragonfly", mass: 7.5e-4, span: 0.1, area: 2.4e-3, pairs: 2 }, "hover", 36.0),
    ];
    for (animal, gait, wanted) in animals {
        let (body, performance, _) = played(&flier(&animal), gait);
        assert_eq!(body.class.class, BodyClass::Wings, "{}", animal.name);
        let found = performance.report.stride_frequency;
        println!(
            "{} {gait}: {found:.2} Hz, {wanted} Hz measured, {:.1} m/s",
            animal.name, performance.report.speed
        );
        assert!((0.5..2.0).contains(&(found / wanted)), "{}: {found} Hz, not {wanted} Hz", animal.name);
    }
}

#[test]
fn a_flight_takes_nothing_from_nowhere() {
    let creature = flier(&GULL);
    for gait in ["fly", "hover"] {
        let (body, performance, support) = played(&creature, gait);
        let missing = performance.report.residual_force.expect("the air is counted");
        assert!(missing < 0.02, "{gait}: {missing} weights are missing");
        // Newton by differences: over a whole beat the centre of mass gains nothing, and it travels as the report says.
        let clip = &performance.clip;
        let mut data = Data::new(&body.creature);
        let mut at = |pose: &Vec<f64>| center_of_mass(&body.creature, &mut data, pose);
        let (first, last) = (at(&clip.poses[0]), at(clip.poses.last().unwrap()));
        let time = clip.times.last().unwrap();
        let ahead = (last - first).dot(&body.legs.heading.forward) / time;
        assert!((ahead - performance.report.speed).abs() < 1e-6 * (1.0 + ahead), "{gait}: {ahead}");
        assert!((last - first).dot(&Vec3::z()).abs() < 1e-9, "{gait} climbs");
        let Support::Wings { density, .. } = support else { panic!("{gait} is flown") };
        assert_eq!(density, 1.2);
    }
}

#[test]
fn fliers_fly_first_and_say_so() {
    let mut data = Data::new(&flier(&GULL));
    let body = Body::new(flier(&GULL), &mut data, &Style::default()).unwrap();
    let gaits = gaits_for(&body, &mut data);
    let first: Vec<&str> =
        gaits.iter().filter(|(_, fits)| fits.is_ok()).map(|(name, _)| name.as_str()).take(3).collect();
    assert_eq!(first, ["fly", "hover", "glide"]);
    assert!(body.class.reason.contains("wings"), "{}", body.class.reason);
}

/// A swimmer of ten pieces with a fin at its end that is `fin` deep, both along z for a fish and along y for a whale.
fn swimmer(length: f64, thick: f64, fin: f64, whale: bool) -> Creature {
    let piece = length / 10.0;
    let mass = 1000.0 * length * thick * thick * 0.6;
    let stiffness = mass * 9.81 * length;
    let mut text = String::from("<mujoco model=\"swimmer\"><worldbody>");
    for k in 0..10 {
        let name = if k == 0 {
            "head"
        } else if k == 9 {
            "tail"
        } else {
            "body"
        };
        let at = if k == 0 { "0 0 1".to_owned() } else { format!("{} 0 0", -piece) };
        let taper = if k < 4 { 1.0 } else { 1.0 - 0.15 * f64::from(k - 4) };
        let joint = if k == 0 {
            "<freejoint/>".to_owned()
        } else {
            format!(r#"<joint type="ball" stiffness="{stiffness}"/>"#)
        };
        let _ = write!(
            text,
            r#"<body name="{name}.{k}" pos="{at}">{joint}<geom type="ellipsoid" pos="{} 0 0" size="{} {} {}" mass="{}"/>"#,
            -0.5 * piece,
            0.5 * piece,
            0.5 * thick * taper,
            0.5 * thick * taper,
            mass * taper / 7.75
        );
    }
    let (y, z) = if whale { (0.5 * fin, 0.01 * fin) } else { (0.01 * fin, 0.5 * fin) };
    let _ = write!(
        text,
        r#"<geom type="box" pos="{} 0 0" size="{} {y} {z}" mass="{}"/>"#,
        -piece,
        0.3 * piece,
        0.002 * mass
    );
    text.push_str(&"</body>".repeat(10));
    text.push_str("</worldbody></mujoco>");
    let options = LoadOptions { class: whale.then_some(BodyClass::Whale), ..LoadOptions::default() };
    load_str("it.xml", &text, &options).unwrap().build().unwrap()
}

#[test]
fn speeds_of_tails_are_those_of_animals_within_a_factor_of_two() {
    // Body lengths per beat: 0.6 to 0.75 of dace, trout and goldfish (Bainbridge 1958), 0.8 to 0.9 of bottlenose dolphins (Fish 1993).
    let animals = [
        ("trout", swimmer(0.25, 0.045, 0.06, false), 0.25, 0.68),
        ("shark", swimmer(2.0, 0.3, 0.4, false), 2.0, 0.7),
        ("dolphin", swimmer(2.5, 0.45, 0.6, true), 2.5, 0.85),
    ];
    for (name, creature, length, wanted) in animals {
        let (body, performance, _) = played(&creature, "swim");
        let found = performance.report.stride_length / length;
        let sweep = sweep(&body, &performance, length);
        println!(
            "{name}: {}, {found:.2} lengths per beat, {wanted} measured, sweep {sweep:.2}",
            body.class.class
        );
        assert!(body.class.class.swims(), "{name}: {:?}", body.class);
        assert!((0.5..2.0).contains(&(found / wanted)), "{name}: {found} lengths per beat, not {wanted}");
    }
}

/// How far the end of the tail goes from side to side (or up and down), as a share of the length.
fn sweep(body: &Body, performance: &Performance, length: f64) -> f64 {
    let mut data = Data::new(&body.creature);
    let tail = body.creature.bodies().len() - 1;
    let across = if body.class.class == BodyClass::Whale { Vec3::z() } else { body.legs.heading.left };
    let mut place = |pose: &Vec<f64>| {
        let frames = forward_kinematics(&body.creature, &mut data, pose);
        frames[tail].position.dot(&across)
    };
    let places: Vec<f64> = performance.clip.poses.iter().map(&mut place).collect();
    let [low, high] = [f64::min, f64::max].map(|pick| places.iter().copied().reduce(pick).unwrap());
    (high - low) / length
}

/// Thrust grows with the square of the fin's depth, drag does not: a larger fin swims faster, up to the speed of the wave.
#[test]
fn a_larger_fin_swims_faster() {
    let speeds: Vec<f64> = [0.08, 0.15, 0.25, 0.4]
        .into_iter()
        .map(|fin| {
            let (body, performance, _) = played(&swimmer(1.0, 0.18, fin, false), "swim");
            let sweep = sweep(&body, &performance, 1.0);
            println!("fin {fin}: {:.3} lengths per beat, sweep {sweep:.3}", performance.report.stride_length);
            // Fish sweep a fifth of their length (Bainbridge 1958); the last joint is a tenth of it ahead of the end.
            assert!((0.1..0.3).contains(&sweep), "its tail sweeps {sweep} of its length");
            performance.report.stride_length
        })
        .collect();
    assert!(speeds.windows(2).all(|pair| pair[1] > 1.02 * pair[0]), "{speeds:?}");
    assert!(speeds[3] > 1.3 * speeds[0], "{speeds:?}");
}

/// Whoever swims or flies along an arc or a slope goes where its way leads: heading and place after a cycle are those of the circle, the
/// whole leans by tan φ = V ω / g, and the air gives what that takes.
#[test]
fn ways_turn_and_climb() {
    let turn = 0.5;
    for (creature, gait) in [
        (flier(&GULL), "fly"),
        (swimmer(1.0, 0.18, 0.25, false), "swim"),
        (swimmer(2.5, 0.45, 0.6, true), "swim"),
    ] {
        let mut data = Data::new(&creature);
        let body = Body::new(creature, &mut data, &Style::default()).unwrap();
        let mut designed = design(&body, &mut data, gait, &Wish::default()).unwrap().gait;
        let sampling = Sampling { seconds: None, fps: 60.0 };
        designed.ground.turn = turn;
        let turned = perform(&body, &mut data, &designed, &sampling).unwrap();
        let (clip, speed) = (&turned.clip, turned.report.speed);
        let stride = clip.stride.unwrap();
        assert!((stride.yaw - turn * clip.duration()).abs() < 1e-9, "{gait}: {}", stride.yaw);
        // The chord of the arc from the first centre of mass to the one after the last.
        let start = center_of_mass(&body.creature, &mut data, &clip.poses[0]);
        let end = center_of_mass(&body.creature, &mut data, clip.poses.last().unwrap());
        let half = 0.5 * turn * clip.duration();
        let chord = speed * clip.duration() * math::sin(half) / half;
        assert!(
            ((end - start).norm() / chord - 1.0).abs() < 0.02,
            "{gait}: {} of {chord}",
            (end - start).norm()
        );
        assert!((end - start).dot(&body.legs.heading.left) > 0.0, "{gait} turns to the right");
        if gait == "fly" {
            // One wing is below the other by sin φ of the distance between them, on the mean over a beat.
            let lean = math::atan2(speed * turn, 9.81);
            let lean_of = |pose: &Vec<f64>, data: &mut Data| {
                let frames = forward_kinematics(&body.creature, data, pose);
                let at = |name: &str| {
                    let index = body.creature.bodies().iter().position(|body| body.name == name).unwrap();
                    frames[index].position
                };
                let apart = at("wing.0.left") - at("wing.0.right");
                -apart.z / apart.norm()
            };
            let mean =
                clip.poses.iter().map(|pose| lean_of(pose, &mut data)).sum::<f64>() / clip.poses.len() as f64;
            assert!((mean - math::sin(lean)).abs() < 0.02, "leans by {mean}, not {}", math::sin(lean));
            let missing = turned.report.residual_force.unwrap();
            assert!(missing < 0.02, "{missing} weights are missing in the turn");
        }
        designed.ground.turn = 0.0;
        designed.ground.terrain = Terrain::Slope(0.15);
        let climbs = perform(&body, &mut data, &designed, &sampling).unwrap();
        let shift = climbs.clip.stride.unwrap().shift;
        let wanted = climbs.report.speed * climbs.clip.duration() * math::sin(0.15);
        assert!((shift.z / wanted - 1.0).abs() < 1e-3, "{gait} climbs by {}, not {wanted}", shift.z);
        assert!(
            climbs.report.residual_force.is_none_or(|missing| missing < 0.02),
            "{gait} climbs from nothing"
        );
    }
}

/// From standing to the speed of level flight and back, by nothing but air and feet.
#[test]
fn who_flies_takes_off_and_lands() {
    let creature = flier(&GULL);
    let speed = played(&creature, "fly").1.report.speed;
    for (gait, lands) in [("take-off", false), ("land", true)] {
        let (body, performance, _) = played(&creature, gait);
        let missing = performance.report.residual_force.expect("the air is counted");
        println!("{gait}: {:.2} s, {missing:.3} weights", performance.clip.duration());
        let mut data = Data::new(&body.creature);
        let poses = &performance.clip.poses;
        let mut at = |k: usize| center_of_mass(&body.creature, &mut data, &poses[k]);
        let last = poses.len() - 1;
        let steps =
            [at(1) - at(0), at(last) - at(last - 1)].map(|step| step.dot(&body.legs.heading.forward) * 60.0);
        let [ground, air] = if lands { [last, 0] } else { [0, last] };
        let [slow, fast] = if lands { [steps[1], steps[0]] } else { steps };
        assert!(slow.abs() < 0.02 * speed, "{gait}: {slow} m/s on the ground");
        assert!((fast / speed - 1.0).abs() < 0.1, "{gait}: {fast} m/s, not {speed}");
        assert!(at(air).z > at(ground).z + 0.5, "{gait} climbs by {}", at(air).z - at(ground).z);
        assert!(performance.clip.stride.is_none());
        assert!(missing < 0.25, "{gait}: {missing} weights come from nowhere");
    }
}

/// Who has legs swims with them as fast as animals do: dogs at 0.4 to 1.1 m/s, strokes left hind, right fore, right hind, left fore (Fish,
/// DiNenno and Trail 2020), and nothing pushes from nowhere. People would have to lie down, and are told so.
#[test]
fn legs_paddle_as_dogs_do() {
    let dog = gambol::load("dog", &gambol::LoadOptions::default()).unwrap();
    let (body, performance, _) = played(&dog, "swim");
    let report = &performance.report;
    println!("dog: {:.2} m/s, {:.2} strokes a second", report.speed, report.speed / report.stride_length);
    // The middle of what was measured, within a factor of two.
    assert!((0.35..1.4).contains(&report.speed), "{} m/s", report.speed);
    let residual = report.residual_force.unwrap();
    assert!(residual < 0.05, "{residual} weights from nowhere");
    let mut data = Data::new(&body.creature);
    // When each foot is farthest ahead of its hip.
    let forward = body.legs.heading.forward;
    let ahead = |data: &mut Data, pose: &Vec<f64>, leg: &gambol_gait::Leg| {
        let frames = forward_kinematics(&body.creature, data, pose);
        (frames[leg.foot].point_in_world(leg.point) - leg.hip_in_world(&body.creature, frames)).dot(&forward)
    };
    let poses = &performance.clip.poses;
    let mut reaches: Vec<(String, usize)> = Vec::new();
    for leg in &body.legs.legs {
        let places: Vec<f64> = poses.iter().map(|pose| ahead(&mut data, pose, leg)).collect();
        let first = (0..places.len() - 1).max_by(|&a, &b| places[a].total_cmp(&places[b])).unwrap();
        reaches.push((leg.name.clone(), first));
    }
    let after_left_hind = |name: &str| {
        let at = |name: &str| reaches.iter().find(|(known, _)| known == name).unwrap().1;
        let keys = poses.len() - 1;
        (at(name) + keys - at("foot.hind.left")) % keys
    };
    let order = ["foot.front.right", "foot.hind.right", "foot.front.left"].map(after_left_hind);
    assert!(order.windows(2).all(|pair| pair[0] < pair[1]), "{reaches:?}");

    let human = gambol::load("human", &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&human);
    let body = Body::new(human, &mut data, &Style::default()).unwrap();
    let refused = design(&body, &mut data, "swim", &Wish::default()).unwrap_err().to_string();
    assert!(refused.contains("lie down"), "{refused}");
}
