//! Feet on the ground, measured on finished clips by forward kinematics alone: a standing foot stays where it stands,
//! nothing is below the ground, the loop closes and is smooth over its seam, on the level, in a turn, on a slope and on
//! uneven ground; and what a style changes can be seen.

use gambol_dynamics::{Data, center_of_mass, forward_kinematics};
use gambol_gait::{
    Body, Gait, GaitError, HeightField, Performance, Sampling, Style, Support, Terrain, Wish, design,
    gaits_for, perform, preset_style,
};
use gambol_model::{Vec3, math};
use gambol_motion::Clip;

const SIXTY: Sampling = Sampling { seconds: None, fps: 60.0 };

fn body(name: &str, style: &Style) -> (Body, Data) {
    let creature = gambol::load(name, &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    (Body::new(creature, &mut data, style).unwrap(), data)
}

/// In the style that its preset of this gait asks for, if it has one.
fn preset_body(name: &str, gait: &str) -> (Body, Data) {
    let creature = gambol::load(name, &gambol::LoadOptions::default()).unwrap();
    body(name, &preset_style(&creature, gait).unwrap_or_default())
}

fn gait(body: &Body, data: &mut Data, name: &str) -> Gait {
    design(body, data, name, &Wish::default()).unwrap().gait
}

fn play(body: &Body, data: &mut Data, gait: &Gait, sampling: Sampling) -> Performance {
    perform(body, data, gait, &sampling).unwrap()
}

/// The largest way along the ground of a planted point within one interval of contact, m.
fn worst_slip(body: &Body, data: &mut Data, clip: &Clip) -> f64 {
    slip_along(body, data, clip, &Vec3::z())
}

/// Longest way of a contact point along a plane of this `normal`, m.
fn slip_along(body: &Body, data: &mut Data, clip: &Clip, normal: &Vec3) -> f64 {
    let mut worst: f64 = 0.0;
    for contact in &clip.contacts {
        for [start, end] in &contact.intervals {
            let keys =
                (0..clip.times.len()).filter(|&k| clip.times[k] > start - 1e-9 && clip.times[k] < end + 1e-9);
            let places: Vec<Vec3> = keys
                .map(|key| {
                    let frames = forward_kinematics(&body.creature, data, &clip.poses[key]);
                    frames[contact.body].point_in_world(contact.point)
                })
                .collect();
            for place in &places {
                let way = place - places[0];
                worst = worst.max((way - normal * normal.dot(&way)).norm());
            }
        }
    }
    worst
}

/// Depth of the deepest corner or round piece of any body, m.
fn depth(body: &Body, data: &mut Data, clip: &Clip, terrain: &Terrain) -> f64 {
    let mut deepest: f64 = 0.0;
    for pose in &clip.poses {
        let frames = forward_kinematics(&body.creature, data, pose).to_vec();
        for (index, frame) in frames.iter().enumerate().skip(1) {
            for touch in gambol_dynamics::touches(&body.creature, index, frame, Vec3::z()) {
                let low = touch.lowest(frame, Vec3::z()).point;
                deepest = deepest.max(terrain.height(low.x, low.y) - low.z);
            }
        }
    }
    deepest
}

/// Positions of all bodies at all keys.
fn places(body: &Body, data: &mut Data, clip: &Clip) -> Vec<Vec<Vec3>> {
    let of = |pose: &Vec<f64>| {
        forward_kinematics(&body.creature, data, pose).iter().skip(1).map(|frame| frame.position).collect()
    };
    clip.poses.iter().map(of).collect()
}

#[test]
fn standing_feet_stand() {
    let mut played = 0;
    for name in ["dog", "human", "kangaroo", "insect"] {
        let (plain, mut data) = body(name, &Style::default());
        for (gait_name, fits) in gaits_for(&plain, &mut data) {
            // Nobody stands in water.
            if fits.is_err() || gait_name == "swim" {
                continue;
            }
            let (body, mut data) = preset_body(name, &gait_name);
            let gait = gait(&body, &mut data, &gait_name);
            let Performance { clip, report, warnings, .. } = play(&body, &mut data, &gait, SIXTY);
            let slip = worst_slip(&body, &mut data, &clip);
            let what = format!("{name} {gait_name}");
            // What is asked for: 1 mm and 0.1 % of the leg. The report must say the same as these few lines.
            assert!(slip < 1e-3 && slip < 1e-3 * body.legs.length, "{what}: slips by {slip}");
            assert!(
                slip * 1e3 <= 2.0 * report.slip_mm.unwrap() + 1e-9,
                "{what}: {slip} {:?}",
                report.slip_mm
            );
            let depth = depth(&body, &mut data, &clip, &Terrain::Flat);
            assert!(depth < 1e-3, "{what}: {depth} below the ground");
            assert!(report.limit_overshoot_rad < 0.1 && warnings.is_empty(), "{what}: {warnings:?}");
            // The pose after a cycle is the first one, moved along.
            let mut moved = clip.poses[0].clone();
            clip.stride.unwrap().apply(&body.creature, &mut moved);
            let mut gap = vec![0.0; body.creature.nv()];
            body.creature.difference(&moved, clip.poses.last().unwrap(), &mut gap);
            assert!(gap.iter().all(|x| x.abs() < 1e-12), "{what}: the loop does not close");
            played += 1;
        }
    }
    assert!(played > 25, "{played}");
}

/// A person who bent the knees by hand walks on bent knees, feet on the ground and lower than before.
#[test]
fn bent_knees_walk() {
    // Hips and ankles take back what the knees turn, so that the feet stay flat under the hips.
    let crouched = |angle: f64| {
        let of_side = |side: &str| {
            let half = vec![0.0, -0.5 * angle, 0.0];
            let joint = |name: &str, by: Vec<f64>| (format!("{name}.{side}"), by);
            [joint("hip", half.clone()), joint("knee", vec![angle]), joint("ankle", half)]
        };
        Style { bend: ["left", "right"].map(of_side).concat(), ..Style::default() }
    };
    let mut heights = Vec::new();
    for style in [Style::default(), crouched(0.8), crouched(1.4)] {
        let (body, mut data) = body("human", &style);
        let gait = gait(&body, &mut data, "walk");
        let Performance { clip, warnings, .. } = play(&body, &mut data, &gait, SIXTY);
        let slip = worst_slip(&body, &mut data, &clip);
        let deepest = depth(&body, &mut data, &clip, &Terrain::Flat);
        // As for every other gait: 1 mm and 0.1 % of the leg.
        assert!(slip < 1e-3 && slip < 1e-3 * body.legs.length && deepest < 1e-3, "{slip} {deepest}");
        assert!(warnings.is_empty(), "{warnings:?}");
        let root = clip.poses.iter().map(|pose| pose[2]).sum::<f64>() / clip.poses.len() as f64;
        heights.push(root);
    }
    assert!(heights[0] > heights[1] && heights[1] > heights[2], "{heights:?}");
}

/// Nothing pops: between two keys at 960 a second no body leaves its way by more than a hundredth of the leg's length, at
/// the seam as well. Of a smooth motion that is a sixteenth of what it is at 240, a pop keeps its size.
#[test]
fn motion_does_not_pop() {
    for (name, gait_name) in
        [("dog", "trot"), ("dog", "walk"), ("human", "walk"), ("human", "run"), ("spider", "wave")]
    {
        let (body, mut data) = body(name, &Style::default());
        let gait = gait(&body, &mut data, gait_name);
        let sampling = Sampling { seconds: Some(2.0 / gait.frequency), fps: 960.0 };
        let clip = play(&body, &mut data, &gait, sampling).clip;
        let mut worst: f64 = 0.0;
        for three in places(&body, &mut data, &clip).windows(3) {
            for body in 0..three[0].len() {
                worst = worst.max((three[2][body] - three[1][body] * 2.0 + three[0][body]).norm());
            }
        }
        assert!(worst < 0.01 * body.legs.length, "{name} {gait_name}: off by {worst} m");
    }
}

#[test]
fn a_turn_takes_the_feet_along() {
    let (body, mut data) = body("dog", &Style::default());
    let mut walk = gait(&body, &mut data, "walk");
    walk.ground.turn = 0.6;
    let clip = play(&body, &mut data, &walk, Sampling { seconds: Some(3.0), fps: 60.0 }).clip;
    assert!(worst_slip(&body, &mut data, &clip) < 1e-4);
    let stride = clip.stride.unwrap();
    assert!((stride.yaw - 0.6 * clip.duration()).abs() < 1e-12);
    // An arc: its chord is 2 v/ω sin(ωt/2).
    let (speed, angle) = (clip.travel.unwrap().speed, stride.yaw);
    let chord = 2.0 * speed / 0.6 * math::sin(0.5 * angle);
    let seen = |pose: &[f64]| Vec3::new(pose[0], pose[1], 0.0);
    let walked = seen(clip.poses.last().unwrap()) - stride.shift;
    let turned = Vec3::new(
        clip.poses[0][0] * math::cos(angle) - clip.poses[0][1] * math::sin(angle),
        clip.poses[0][0] * math::sin(angle) + clip.poses[0][1] * math::cos(angle),
        0.0,
    );
    assert!((walked - turned).norm() < 1e-9 && (stride.shift.norm() - chord).abs() < 1e-9);
}

#[test]
fn slopes_and_bumps_are_stood_on() {
    let bumps: Vec<f64> =
        (0..400).map(|k| 0.03 * math::sin(f64::from(k % 20)) * math::cos(f64::from(k / 20))).collect();
    let field = HeightField { origin: [-2.0, -2.0], spacing: 0.3, columns: 20, heights: bumps };
    for terrain in [Terrain::Slope(0.2), Terrain::Slope(-0.2), Terrain::Field(field)] {
        for name in ["dog", "human", "spider"] {
            let (body, mut data) = body(name, &Style::default());
            let mut walk = gait(&body, &mut data, "walk");
            walk.ground.terrain = terrain.clone();
            let played = play(&body, &mut data, &walk, Sampling { seconds: Some(3.0), fps: 60.0 });
            // Feet stay along a plane; on a field by their level places.
            let normal = match terrain {
                Terrain::Slope(_) => terrain.normal(0.0, 0.0),
                _ => Vec3::z(),
            };
            let slip = slip_along(&body, &mut data, &played.clip, &normal);
            assert!(slip < 1e-3 * body.legs.length.min(1.0), "{name}: slips by {slip}");
            // Planted points are on the ground in the middle of their stance: a sole's height above it at most.
            for contact in &played.clip.contacts {
                let [start, end] = contact.intervals[contact.intervals.len() / 2];
                let key =
                    played.clip.times.iter().position(|time| *time >= start + 0.3 * (end - start)).unwrap();
                let frames = forward_kinematics(&body.creature, &mut data, &played.clip.poses[key]);
                let place = frames[contact.body].point_in_world(contact.point);
                let above = place.z - terrain.height(place.x, place.y);
                assert!(above.abs() < 0.06 * body.legs.length, "{name} {}: {above}", contact.name);
            }
            // A field is bumpy between the planted points; a plane is not.
            let deepest = played.report.penetration_mm.unwrap();
            let allowed = if matches!(terrain, Terrain::Slope(_)) { 1.0 } else { 30.0 };
            assert!(deepest < allowed, "{name}: {deepest} mm below the ground");
            assert_eq!(played.clip.stride, None, "uneven ground does not repeat");
        }
    }
}

#[test]
fn the_frame_rate_changes_nothing_but_the_keys() {
    let (body, mut data) = body("human", &Style::default());
    let walk = gait(&body, &mut data, "walk");
    let exact = |keys: f64| Sampling { seconds: None, fps: keys * walk.frequency };
    let coarse = play(&body, &mut data, &walk, exact(20.0)).clip;
    let fine = play(&body, &mut data, &walk, exact(60.0)).clip;
    let mut gap = vec![0.0; body.creature.nv()];
    for (k, pose) in coarse.poses.iter().enumerate() {
        body.creature.difference(pose, &fine.poses[3 * k], &mut gap);
        // Feet are exact; what else relaxes does so until feet are exact, from the pose of the key before.
        assert!(gap.iter().all(|x| x.abs() < 2e-2), "key {k}: {gap:?}");
    }
    // The same twice, to the last bit, whatever `data` held before.
    let again = play(&body, &mut Data::new(&body.creature), &walk, exact(60.0)).clip;
    assert_eq!(fine, again);
}

#[test]
fn the_modal_motion_remains() {
    // Aim of the design: the ground, and the pushes that carry the body, change less than the motion has of elastic energy.
    for (name, gait_name) in [("dog", "walk"), ("dog", "trot"), ("human", "walk"), ("human", "run")] {
        let (body, mut data) = preset_body(name, gait_name);
        let gait = gait(&body, &mut data, gait_name);
        let share = play(&body, &mut data, &gait, SIXTY).report.ground_correction_energy.unwrap();
        assert!(share < 1.0, "{name} {gait_name}: {share}");
    }
}

#[test]
fn style_is_seen() {
    let (own, mut data) = body("dog", &Style::default());
    let walk = gait(&own, &mut data, "walk");
    let plain = play(&own, &mut data, &walk, SIXTY);
    let height = |body: &Body, data: &mut Data, clip: &Clip| {
        let sum: f64 = clip.poses.iter().map(|pose| center_of_mass(&body.creature, data, pose).z).sum();
        sum / clip.poses.len() as f64
    };
    let usual = height(&own, &mut data, &plain.clip);
    // Heavy: lower, and longer on each foot.
    let (heavy, mut data) = body("dog", &Style { weight: 1.5, ..Style::default() });
    let walk = gait(&heavy, &mut data, "walk");
    let loaded = play(&heavy, &mut data, &walk, SIXTY);
    assert!(height(&heavy, &mut data, &loaded.clip) < 0.97 * usual);
    assert!(loaded.report.feet[0].duty > plain.report.feet[0].duty);
    // Hurt: that leg stands for a shorter time than its fellow.
    let (lame, mut data) = body("dog", &Style { injured: vec!["hind.left".to_owned()], ..Style::default() });
    let walk = gait(&lame, &mut data, "walk");
    let limping = play(&lame, &mut data, &walk, SIXTY).report;
    let duty = |name: &str| limping.feet.iter().find(|foot| foot.name == name).unwrap().duty;
    assert!(duty("foot.hind.left") < 0.8 * duty("foot.hind.right"));
    // Tense: shorter and quicker steps at the same speed.
    let (tense, mut data) = body("dog", &Style { tension: 4.0, ..Style::default() });
    let quick = gait(&tense, &mut data, "walk");
    assert!((quick.frequency / walk.frequency - 2.0).abs() < 0.05);
}

#[test]
fn a_speed_is_kept_and_a_speed_too_far_is_told() {
    let (body, mut data) = body("human", &Style::default());
    for speed in [0.5, 1.0, 2.0] {
        let wish = Wish { speed: Some(speed), ..Wish::default() };
        let walk = design(&body, &mut data, "walk", &wish).unwrap().gait;
        let played = play(&body, &mut data, &walk, SIXTY);
        assert!(
            (played.report.speed - speed).abs() < 1e-12 && played.warnings.is_empty(),
            "{:?}",
            played.warnings
        );
        // The root's own way over the cycle, not the number in the report.
        let (first, last) = (&played.clip.poses[0], played.clip.poses.last().unwrap());
        assert!(((last[0] - first[0]) / played.clip.duration() - speed).abs() < 1e-9);
    }
    let wish = Wish { speed: Some(30.0), ..Wish::default() };
    let flat_out = design(&body, &mut data, "walk", &wish).unwrap().gait;
    let played = play(&body, &mut data, &flat_out, SIXTY);
    assert!(!played.warnings.is_empty(), "a walk at 30 m/s");
    assert!(played.clip.poses.iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn nonsense_is_an_error() {
    let (body, mut data) = body("dog", &Style::default());
    let good = gait(&body, &mut data, "trot");
    let mut fails = |change: &dyn Fn(&mut Gait), expected: &str| {
        let mut bad = good.clone();
        change(&mut bad);
        let message = perform(&body, &mut data, &bad, &SIXTY).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    };
    fails(&|gait| gait.frequency = f64::NAN, "frequency");
    fails(&|gait| gait.components[0].mode = 999, "there is no mode 999; dog has modes 0 to 79");
    fails(&|gait| gait.components[0].amplitude = f64::INFINITY, "component 1");
    fails(&|gait| gait.ground.duty = 0.0, "duty");
    fails(&|gait| gait.ground.speed = Some(f64::NAN), "speed");
    fails(&|gait| gait.ground.support = Support::Belly { across: f64::NAN }, "");
    let sampling = Sampling { seconds: Some(1e9), fps: 60.0 };
    assert!(matches!(perform(&body, &mut data, &good, &sampling), Err(GaitError::Number { .. })));
}
