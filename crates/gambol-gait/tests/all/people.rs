//! People run as people do, whatever pose their file has: elbows bent, hands ahead, knees that fold in the swing, at the
//! cadence of runners. Angles are measured on played poses between the places of joints, not on coordinates, so that a
//! hinge about a strange axis, or a ball, is judged as an eye would. Bodies that are no people run as they stand.
//!
//! Arms swing as people's do, which they did not while every correction of the body as a whole was paid by them: through 84°
//! in a walk, as far aside as ahead, and together in the flight of a run.

use std::f64::consts::FRAC_PI_2;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_gait::{
    Body, Design, Gait, GaitSettings, Sampling, Style, Wish, design, perform, prepare, preset_style,
};
use gambol_model::{
    BodySpec, Creature, CreatureSpec, JointSpec, Role, Shape, ShapeSpec, Side, Transform, Vec3, math,
};
use gambol_motion::Clip;
use nalgebra::{Translation3, UnitQuaternion};

/// How an elbow is made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Elbow {
    /// About the axis that brings the hand forward.
    Hinge,
    /// The same, with the other sign and hardly any range to stretch.
    Backwards,
    Ball,
    None,
}

/// A person of 1.75 m times `scale`.
#[derive(Clone, Copy, Debug)]
struct Person {
    /// Angle of the arms from straight down, rad: π/2 for a T.
    arms: f64,
    /// Bend of the elbows in the file, rad.
    bent: f64,
    elbow: Elbow,
    /// Arms of each side; negative: only the left ones.
    rows: i32,
    /// Of legs and arms against the trunk: a child's are short.
    limbs: f64,
    scale: f64,
    /// rad: it faces this way.
    yaw: f64,
}

const USUAL: Person =
    Person { arms: 0.15, bent: 0.0, elbow: Elbow::Hinge, rows: 1, limbs: 1.0, scale: 1.0, yaw: 0.0 };

fn hinge(name: String, axis: Vec3, limit: [f64; 2]) -> JointSpec {
    JointSpec { limit: Some(limit), ..JointSpec::hinge(name, axis) }
}

fn person(plan: Person) -> Creature {
    let k = plan.scale;
    let mut spec = CreatureSpec::new("person");
    let at = |x: f64, y: f64, z: f64| {
        Transform::from_parts(Translation3::new(k * x, k * y, k * z), UnitQuaternion::identity())
    };
    let capsule = |to: Vec3, radius: f64| {
        let to = k * to;
        let turn = UnitQuaternion::rotation_between(&Vec3::z(), &to)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
        let mut shape = ShapeSpec::new(Shape::Capsule { radius: k * radius, half_length: 0.5 * to.norm() });
        shape.body_from_shape = Transform::from_parts((0.5 * to).into(), turn);
        shape
    };
    // As stiff as the weight asks: it goes with the fourth power of the size.
    let stiff = |x: f64| x * k * k * k * k;
    let limb = plan.limbs;
    let mut pelvis = BodySpec::new("pelvis");
    let yaw = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), plan.yaw);
    pelvis.parent_from_body = Transform::from_parts(Translation3::new(0.0, 0.0, k * 0.95 * limb), yaw);
    pelvis.shapes.push(capsule(Vec3::new(0.0, 0.0, 0.15), 0.12));
    pelvis.joints.push(JointSpec::free("root"));
    let pelvis = spec.add_body(0, pelvis).unwrap();
    let mut chest = BodySpec::new("chest");
    chest.parent_from_body = at(0.0, 0.0, 0.2);
    chest.shapes.push(capsule(Vec3::new(0.0, 0.0, 0.28), 0.13));
    chest.joints.push(JointSpec::ball("spine").with_stiffness(stiff(1000.0)));
    let chest = spec.add_body(pelvis, chest).unwrap();
    let mut head = BodySpec::new("head");
    head.parent_from_body = at(0.0, 0.0, 0.42);
    head.shapes.push(capsule(Vec3::new(0.0, 0.0, 0.2), 0.08));
    head.joints.push(JointSpec::ball("neck").with_stiffness(stiff(100.0)));
    spec.add_body(chest, head).unwrap();
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let segments = [
            ("thigh", "hip", Vec3::new(0.0, 0.0, -0.43 * limb), 0.07),
            ("shin", "knee", Vec3::new(0.0, 0.0, -0.43 * limb), 0.05),
            ("foot", "ankle", Vec3::new(0.16, 0.0, -0.06 * limb), 0.03),
        ];
        let (mut parent, mut place) = (pelvis, at(0.0, 0.09 * sign, 0.0));
        for (name, joint, to, radius) in segments {
            let mut segment = BodySpec::new(format!("{name}.{side}"));
            segment.parent_from_body = place;
            segment.shapes.push(capsule(to, radius));
            let name = format!("{joint}.{side}");
            segment.joints.push(match joint {
                "knee" => hinge(name, Vec3::y(), [-0.02, 2.5]).with_stiffness(stiff(100.0)),
                _ => JointSpec::ball(name).with_stiffness(stiff(100.0)),
            });
            parent = spec.add_body(parent, segment).unwrap();
            place = at(to.x, to.y, to.z);
        }
        if plan.rows < 0 && side == "right" {
            continue;
        }
        for row in 0..plan.rows.abs() {
            let name = |what: &str| {
                if plan.rows > 1 { format!("{what}.{}.{side}", row + 1) } else { format!("{what}.{side}") }
            };
            // Straight down, then out to its side.
            let out = UnitQuaternion::from_axis_angle(&Vec3::x_axis(), plan.arms * sign);
            let elbow = match plan.elbow {
                Elbow::Hinge => Some(hinge(name("elbow"), -Vec3::y(), [-0.1, 2.4])),
                Elbow::Backwards => Some(hinge(name("elbow"), Vec3::y(), [-2.4, 0.1])),
                Elbow::Ball => Some(JointSpec::ball(name("elbow"))),
                Elbow::None => None,
            };
            let height = 0.26 - 0.2 * f64::from(row);
            let mut upper = BodySpec::new(name("upperarm"));
            upper.parent_from_body = Transform::from_parts(at(0.0, 0.19 * sign, height).translation, out);
            upper.shapes.push(capsule(Vec3::new(0.0, 0.0, -0.29 * limb), 0.045));
            upper.joints.push(JointSpec::ball(name("shoulder")).with_stiffness(stiff(60.0)));
            let upper = spec.add_body(chest, upper).unwrap();
            let mut fore = BodySpec::new(name("forearm"));
            let bent = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), -plan.bent);
            fore.parent_from_body = Transform::from_parts(at(0.0, 0.0, -0.29 * limb).translation, bent);
            fore.shapes.push(capsule(Vec3::new(0.0, 0.0, -0.26 * limb), 0.035));
            fore.joints.extend(elbow.map(|joint| joint.with_stiffness(stiff(60.0))));
            let fore = spec.add_body(upper, fore).unwrap();
            let mut hand = BodySpec::new(name("hand"));
            hand.parent_from_body = at(0.0, 0.0, -0.26 * limb);
            hand.shapes.push(capsule(Vec3::new(0.0, 0.0, -0.12 * limb), 0.03));
            hand.joints.push(JointSpec::ball(name("wrist")).with_stiffness(stiff(30.0)));
            spec.add_body(fore, hand).unwrap();
        }
    }
    spec.build().unwrap()
}

/// Places of shoulder, elbow and hand of each arm that has them, in the ways ahead, left and up of the body.
fn arms(body: &Body, data: &mut Data, pose: &[f64]) -> Vec<(Option<Side>, [Vec3; 3])> {
    let creature = &body.creature;
    let frames = forward_kinematics(creature, data, pose);
    let hands = creature.landmarks().iter().filter(|mark| mark.role == Role::Hand);
    let place = |joint: usize| {
        let joint = &creature.joints()[joint];
        frames[joint.body].point_in_world(joint.anchor)
    };
    let arm = |hand: &gambol_model::Landmark| {
        let elbow = creature.landmarks().iter().find(|mark| {
            let row = (mark.role, mark.side, mark.row);
            row == (Role::Elbow, hand.side, hand.row)
        })?;
        let elbow = elbow.joint?;
        let mut above = creature.bodies()[creature.joints()[elbow].body].parent;
        while creature.bodies()[above].joints.is_empty() {
            above = creature.bodies()[above].parent;
        }
        let shoulder = creature.bodies()[above].joints.start;
        let points = [place(shoulder), place(elbow), frames[hand.body].point_in_world(hand.point)];
        Some((hand.side, points.map(|point| body.legs.heading.components(point))))
    };
    hands.filter_map(arm).collect()
}

fn bend([shoulder, elbow, hand]: [Vec3; 3]) -> f64 {
    (elbow - shoulder).angle(&(hand - elbow))
}

/// Least and largest angle of each knee over a clip, rad from straight.
fn knees(body: &Body, data: &mut Data, clip: &Clip) -> Vec<[f64; 2]> {
    let creature = &body.creature;
    let mut found = vec![[f64::INFINITY, f64::NEG_INFINITY]; body.legs.legs.len()];
    for pose in &clip.poses {
        let frames = forward_kinematics(creature, data, pose);
        for (leg, [least, most]) in body.legs.legs.iter().zip(&mut found) {
            let knee = &creature.joints()[leg.knee.unwrap()];
            let knee = frames[knee.body].point_in_world(knee.anchor);
            let (hip, ankle) = (leg.hip_in_world(creature, frames), leg.ankle_in_world(creature, frames));
            let bend = (knee - hip).angle(&(ankle - knee));
            (*least, *most) = (least.min(bend), most.max(bend));
        }
    }
    found
}

fn running(creature: Creature, wish: &Wish) -> (Body, Data, Gait, Clip) {
    going(creature, "run", wish)
}

fn going(creature: Creature, gait: &str, wish: &Wish) -> (Body, Data, Gait, Clip) {
    let mut data = Data::new(&creature);
    let (body, Design { gait, .. }) = prepare(creature, &mut data, gait, |_| (), wish).unwrap();
    let played = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: 60.0 }).unwrap();
    (body, data, gait, played.clip)
}

/// Elbows near a right angle with the hands ahead of them, knees beyond 80° in the swing, a runner's cadence.
fn check_runner(what: &str, creature: Creature) {
    let (body, mut data, gait, clip) = running(creature, &Wish::default());
    assert_eq!(body.style.pose.as_deref(), Some("running"), "{what}");
    let rest = body.basis.mean().to_vec();
    for (side, arm) in arms(&body, &mut data, &rest) {
        let degrees = bend(arm).to_degrees();
        assert!((75.0..=100.0).contains(&degrees), "{what}: {side:?} elbow at {degrees:.0}°");
        let [shoulder, elbow, hand] = arm;
        let lower = (hand - elbow).norm();
        assert!(
            hand.x - elbow.x > 0.7 * lower,
            "{what}: {side:?} hand is {:.2} ahead",
            (hand.x - elbow.x) / lower
        );
        assert!(
            elbow.z < shoulder.z && elbow.x < shoulder.x,
            "{what}: {side:?} upper arm {shoulder} {elbow}"
        );
    }
    // Over the cycle elbows stay bent, and hands before the elbows.
    let mean: f64 =
        clip.poses.iter().flat_map(|pose| arms(&body, &mut data, pose)).map(|(_, arm)| bend(arm)).sum();
    let count = clip.poses.len() * arms(&body, &mut data, &rest).len();
    if count > 0 {
        let mean = (mean / count as f64).to_degrees();
        assert!((65.0..=105.0).contains(&mean), "{what}: elbows at {mean:.0}° on average");
    }
    for [_, most] in knees(&body, &mut data, &clip) {
        assert!(most.to_degrees() > 80.0, "{what}: a knee folds by {:.0}°", most.to_degrees());
    }
    let cadence = gait.frequency * (body.legs.length / body.creature.gravity().norm()).sqrt();
    assert!((0.4..=0.5).contains(&cadence), "{what}: f √(h/g) = {cadence:.3}");
}

#[test]
fn whatever_pose_the_file_has() {
    for (what, arms, bent) in [
        ("hanging", 0.15, 0.0),
        ("A", 0.8, 0.1),
        ("T", FRAC_PI_2, 0.0),
        ("bent", 0.2, 0.9),
        ("high", 2.4, 0.3),
    ] {
        check_runner(what, person(Person { arms, bent, ..USUAL }));
    }
}

#[test]
fn whatever_their_elbows_are() {
    for elbow in [Elbow::Hinge, Elbow::Backwards, Elbow::Ball] {
        for arms in [0.15, FRAC_PI_2] {
            check_runner(&format!("{elbow:?} {arms}"), person(Person { arms, elbow, ..USUAL }));
        }
    }
}

#[test]
fn odd_people() {
    check_runner("one-armed", person(Person { rows: -1, ..USUAL }));
    check_runner("four arms", person(Person { rows: 2, ..USUAL }));
    check_runner("child", person(Person { limbs: 0.7, scale: 0.6, ..USUAL }));
    check_runner("giant", person(Person { scale: 30.0, ..USUAL }));
    check_runner("facing elsewhere", person(Person { yaw: 2.0, arms: FRAC_PI_2, ..USUAL }));
    check_runner("no elbows", person(Person { elbow: Elbow::None, ..USUAL }));
    for name in ["biped", "monster"] {
        check_runner(name, gambol::load(name, &gambol::LoadOptions::default()).unwrap());
    }
}

/// The feet stay flat and under the hips, at the height at which they stood; the trunk leans a little, the head does not.
#[test]
fn the_pose_is_balanced() {
    let creature = person(USUAL);
    let mut data = Data::new(&creature);
    let (body, _) = prepare(creature.clone(), &mut data, "run", |_| (), &Wish::default()).unwrap();
    let body_named = |name: &str| creature.bodies().iter().position(|body| body.name == name).unwrap();
    let before = forward_kinematics(&creature, &mut data, creature.reference_pose()).to_vec();
    let after = forward_kinematics(&creature, &mut data, body.basis.mean()).to_vec();
    for side in ["left", "right"] {
        let foot = body_named(&format!("foot.{side}"));
        let turn = before[foot].orientation.angle_to(&after[foot].orientation);
        assert!(turn < 0.01, "{side} foot turned by {turn}");
        let sunk = after[foot].position.z - before[foot].position.z;
        assert!(sunk.abs() < 2e-3, "{side} foot at {sunk}");
        let ahead = after[foot].position.x - after[body_named(&format!("thigh.{side}"))].position.x;
        assert!(ahead.abs() < 2e-3, "{side} foot {ahead} m ahead of its hip");
    }
    let ahead = |frames: &[gambol_dynamics::BodyFrame], name: &str| {
        (frames[body_named(name)].rotation * Vec3::z()).x.clamp(-1.0, 1.0)
    };
    assert!((0.05..0.2).contains(&ahead(&after, "chest")), "{}", ahead(&after, "chest"));
    assert!(ahead(&after, "head").abs() < 0.02, "{}", ahead(&after, "head"));
}

/// Presets keep the pose that somebody chose; animals with tails or wings, and other gaits, have that of their file.
#[test]
fn others_run_as_they_stand() {
    let pose = |name: &str, gait: &str| {
        let creature = gambol::load(name, &gambol::LoadOptions::default()).unwrap();
        preset_style(&creature, gait).and_then(|style| style.pose)
    };
    assert_eq!(pose("human", "run").as_deref(), Some("run"));
    for (name, gait) in
        [("kangaroo", "run"), ("bird", "run"), ("dog", "run"), ("spider", "run"), ("biped", "walk")]
    {
        assert_eq!(pose(name, gait), None, "{name} {gait}");
    }
}

/// A slow run has shorter strides, not slower ones; a frequency that is asked for stays.
#[test]
fn cadence_hardly_depends_on_speed() {
    let creature = person(USUAL);
    let at = |wish: Wish| running(creature.clone(), &wish).2.frequency;
    let usual = at(Wish::default());
    let slow = at(Wish { speed: Some(2.0), ..Wish::default() });
    let fast = at(Wish { speed: Some(4.0), ..Wish::default() });
    assert!(slow > 0.95 * usual && fast < 1.15 * usual, "{slow} {usual} {fast}");
    let asked = at(Wish { frequency: Some(1.1), ..Wish::default() });
    assert!((asked - 1.1).abs() < 1e-9, "{asked}");
}

/// Over the keys of a clip.
#[derive(Default)]
struct Series(Vec<f64>);

impl Series {
    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    fn range(&self) -> f64 {
        let most = self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Coefficient of correlation.
    fn goes_with(&self, other: &Self) -> f64 {
        let apart = |series: &Self| -> Vec<f64> { series.0.iter().map(|x| x - series.mean()).collect() };
        let (a, b) = (apart(self), apart(other));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
    }
}

/// What an arm and the leg of its side do over a clip.
#[derive(Default)]
struct Swings {
    /// Upper arm from straight down, ahead and aside, rad.
    ahead: Series,
    aside: Series,
    /// Hand against shoulder, arm lengths: ahead, up.
    hand: Series,
    height: Series,
    /// From hip to ankle, rad ahead of straight down.
    leg: Series,
}

/// Left, right.
fn swings(body: &Body, data: &mut Data, clip: &Clip) -> [Swings; 2] {
    let mut found = [Swings::default(), Swings::default()];
    for pose in &clip.poses {
        let arms = arms(body, data, pose);
        let frames = forward_kinematics(&body.creature, data, pose);
        for (side, [shoulder, elbow, hand]) in arms {
            let swings = &mut found[usize::from(side == Some(Side::Right))];
            let (upper, whole) = (elbow - shoulder, hand - shoulder);
            let length = upper.norm() + (hand - elbow).norm();
            swings.ahead.0.push(math::atan2(upper.x, -upper.z));
            swings.aside.0.push(math::atan2(upper.y, -upper.z));
            swings.hand.0.push(whole.x / length);
            swings.height.0.push(whole.z / length);
            let leg = body.legs.legs.iter().find(|leg| leg.side == side).unwrap();
            let (hip, ankle) =
                (leg.hip_in_world(&body.creature, frames), leg.ankle_in_world(&body.creature, frames));
            let way = body.legs.heading.components(ankle - hip);
            swings.leg.0.push(math::atan2(way.x, -way.z));
        }
    }
    found
}

/// Through 30° to 45° in people (Murray, Sepic and Barnard 1967), here with up to 10° of pitch of the trunk in it; against the leg
/// of the same side, and along the way far more than aside.
#[test]
fn arms_swing_as_peoples_do_in_a_walk() {
    let gallery = |name: &str| gambol::load(name, &gambol::LoadOptions::default()).unwrap();
    // Who has short legs, or arms as short on a long trunk, has less to balance.
    for (what, least, creature) in [
        ("human", 25.0, gallery("human")),
        ("biped", 25.0, gallery("biped")),
        ("usual", 20.0, person(USUAL)),
        ("bent", 20.0, person(Person { bent: 0.5, ..USUAL })),
        ("ball", 20.0, person(Person { elbow: Elbow::Ball, ..USUAL })),
        ("child", 15.0, person(Person { limbs: 0.7, scale: 0.6, ..USUAL })),
        ("giant", 20.0, person(Person { scale: 30.0, ..USUAL })),
        ("facing elsewhere", 20.0, person(Person { yaw: 2.0, ..USUAL })),
    ] {
        let (body, mut data, _, clip) = going(creature, "walk", &Wish::default());
        for arm in swings(&body, &mut data, &clip) {
            let [ahead, aside] = [&arm.ahead, &arm.aside].map(|series| series.range().to_degrees());
            assert!((least..=55.0).contains(&ahead), "{what}: an arm swings through {ahead:.0}°");
            assert!(aside < 0.8 * ahead, "{what}: through {aside:.0}° aside and {ahead:.0}° ahead");
            let with = arm.hand.goes_with(&arm.leg);
            assert!(with < -0.8, "{what}: hand and foot of a side go together by {with:.2}");
        }
    }
}

/// The same of runs, where bent arms swing further; and hands do not rise together.
#[test]
fn arms_swing_in_turn_in_a_run() {
    let biped = gambol::load("biped", &gambol::LoadOptions::default()).unwrap();
    for (what, creature) in
        [("biped", biped), ("usual", person(USUAL)), ("T", person(Person { arms: FRAC_PI_2, ..USUAL }))]
    {
        let (body, mut data, _, clip) = running(creature, &Wish::default());
        let arms = swings(&body, &mut data, &clip);
        let sum: Vec<f64> =
            arms[0].height.0.iter().zip(&arms[1].height.0).map(|(a, b)| 0.5 * (a + b)).collect();
        let (sum, own) = (Series(sum).range(), arms[0].height.range());
        assert!(sum < 0.6 * own, "{what}: hands rise together by {sum:.2}, each by {own:.2} arm lengths");
        for arm in arms {
            let [ahead, aside] = [&arm.ahead, &arm.aside].map(|series| series.range().to_degrees());
            assert!((35.0..=80.0).contains(&ahead), "{what}: an arm swings through {ahead:.0}°");
            assert!(aside < 0.8 * ahead, "{what}: through {aside:.0}° aside and {ahead:.0}° ahead");
            let with = arm.hand.goes_with(&arm.leg);
            assert!(with < -0.7, "{what}: hand and foot of a side go together by {with:.2}");
        }
    }
}

/// Of a foot over a clip.
struct Steps {
    /// How far its toes point up, rad, at touchdown, in the middle of the stance and at lift-off.
    pitch: [f64; 3],
    /// How far its lowest point is above the ground at most, leg lengths.
    lifted: f64,
}

/// The left foot of a clip of one cycle.
fn steps(body: &Body, data: &mut Data, clip: &Clip) -> Steps {
    let leg = body.legs.legs.iter().find(|leg| leg.side == Some(Side::Left)).unwrap();
    let rest = forward_kinematics(&body.creature, data, body.basis.mean())[leg.foot].orientation;
    let (mut pitch, mut lifted) = (Vec::new(), f64::NEG_INFINITY);
    for pose in &clip.poses {
        let frames = forward_kinematics(&body.creature, data, pose);
        let ahead = frames[leg.foot].orientation * rest.inverse() * body.legs.heading.forward;
        pitch.push(math::asin(ahead.z.clamp(-1.0, 1.0)));
        let low = leg.sole.iter().map(|touch| touch.lowest(&frames[touch.body], Vec3::z()).point.z);
        lifted = f64::max(lifted, low.fold(f64::INFINITY, f64::min) / body.legs.length);
    }
    let contact = clip.contacts.iter().find(|contact| contact.name == leg.name).unwrap();
    // A stance that goes over the end of the cycle is told as two.
    let wraps = contact.intervals.len() == 2;
    let ends = [contact.intervals[usize::from(wraps)][0], contact.intervals[0][1]];
    let middle = 0.5 * (ends[0] + ends[1] - if wraps { clip.duration() } else { 0.0 });
    let at = |time: f64| {
        let time = time.rem_euclid(clip.duration());
        let near = |key: &usize| (clip.times[*key] - time).abs();
        pitch[(0..pitch.len()).min_by(|a, b| near(a).total_cmp(&near(b))).unwrap()]
    };
    Steps { pitch: [at(ends[0]), at(middle), at(ends[1])], lifted }
}

/// In a walk the heel comes down first, the sole lies flat, and the toes leave last; and nobody marches: feet were flung up
/// by a quarter of the leg, twice in each swing.
#[test]
fn soles_roll_from_heel_to_toe_in_a_walk() {
    let gallery = |name: &str| gambol::load(name, &gambol::LoadOptions::default()).unwrap();
    for (what, creature) in [("human", gallery("human")), ("biped", gallery("biped"))] {
        let mut data = Data::new(&creature);
        let (body, Design { gait, .. }) =
            prepare(creature, &mut data, "walk", |_| (), &Wish::default()).unwrap();
        let played = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: 240.0 }).unwrap();
        let Steps { pitch, lifted } = steps(&body, &mut data, &played.clip);
        let [strikes, stands, leaves] = pitch.map(f64::to_degrees);
        assert!((8.0..25.0).contains(&strikes), "{what}: comes down at {strikes:.0}°");
        assert!(stands.abs() < 3.0, "{what}: stands at {stands:.1}°");
        assert!((-60.0..-15.0).contains(&leaves), "{what}: leaves at {leaves:.0}°");
        assert!(lifted < 0.15, "{what}: a foot is lifted by {lifted:.2} of the leg");
        let (slip, depth) = (played.report.slip_mm.unwrap(), played.report.penetration_mm.unwrap());
        assert!(slip < 1.0 && depth < 1.0, "{what}: slips by {slip} mm, {depth} mm deep");
    }
    // Animals on four legs, and runners, come down as they did.
    for (name, gait) in [("dog", "walk"), ("biped", "run")] {
        let played = |strike: f64| {
            let creature = gallery(name);
            let mut data = Data::new(&creature);
            let mut settings = GaitSettings::default();
            settings.footholds.strike = strike;
            let style = preset_style(&creature, gait).unwrap_or_default();
            let body = Body::with_settings(creature, &mut data, &style, settings).unwrap();
            let made = design(&body, &mut data, gait, &Wish::default()).unwrap().gait;
            perform(&body, &mut data, &made, &Sampling { seconds: None, fps: 30.0 }).unwrap().clip.poses
        };
        assert_eq!(played(0.0), played(0.4), "{name} {gait}");
    }
}

/// The trunk leans with the root of the Froude number, in the pose and in what is played; a lean that is asked for by name
/// is taken, and nonsense is told.
#[test]
fn trunks_lean_with_speed() {
    let creature = person(USUAL);
    let chest = creature.bodies().iter().position(|body| body.name == "chest").unwrap();
    let lean = |data: &mut Data, pose: &[f64]| {
        let up = forward_kinematics(&creature, data, pose)[chest].rotation * Vec3::z();
        math::atan2(up.x, up.z).to_degrees()
    };
    let mut before = [0.0, 0.0];
    // Its legs are 0.95 m long: Froude numbers of 0.43, 1.1 and 2.2.
    for (speed, wanted) in [(2.0, 4.1), (3.2, 6.6), (4.5, 9.3)] {
        let wish = Wish { speed: Some(speed), ..Wish::default() };
        let (body, mut data, _, clip) = running(creature.clone(), &wish);
        let rest = lean(&mut data, body.basis.mean());
        assert!((rest - wanted).abs() < 0.4, "{speed} m/s: {rest:.1}° instead of {wanted}°");
        let mean = clip.poses.iter().map(|pose| lean(&mut data, pose)).sum::<f64>() / clip.poses.len() as f64;
        assert!(
            rest > before[0] && mean > before[1],
            "{speed} m/s: {rest:.1}° and {mean:.1}° after {before:?}"
        );
        before = [rest, mean];
    }
    let mut data = Data::new(&creature);
    let posed = |name: &str| Style { pose: Some(name.to_owned()), ..Style::default() }.named_pose(&creature);
    let asked = posed("running:15").unwrap();
    assert!((lean(&mut data, &asked) - 15.0).abs() < 0.1);
    for name in ["running:", "running:far", "running:-3", "running:NaN", "running:200"] {
        let told = posed(name).unwrap_err().to_string();
        assert!(told.contains("degrees"), "{name}: {told}");
    }
}
