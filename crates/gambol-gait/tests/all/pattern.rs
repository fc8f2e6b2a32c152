//! Support follows from footfalls and duty: a crawl keeps three feet down at all times, a tripod three of six, a trot
//! and a run leave the ground, a walk never does. Measured on the clip.

use crate::gaits::{body, body_of, walker};
use gambol_gait::{Body, Sampling, Style, Wish, design, perform};
use gambol_motion::Contact;

/// Least and greatest number of standing feet over a cycle, from the contacts of the clip.
fn standing(body: &Body, data: &mut gambol_dynamics::Data, gait: &str) -> [usize; 2] {
    let made = design(body, data, gait, &Wish::default()).unwrap().gait;
    let clip = perform(body, data, &made, &Sampling { seconds: None, fps: 60.0 }).unwrap().clip;
    let count = |time: f64| {
        let stands =
            |contact: &&Contact| contact.intervals.iter().any(|[start, end]| (*start..=*end).contains(&time));
        clip.contacts.iter().filter(stands).count()
    };
    // Not at the very moment at which one foot leaves and another comes.
    let counts: Vec<usize> =
        (0..200).map(|k| count((f64::from(k) + 0.37) / 200.0 * clip.duration())).collect();
    [*counts.iter().min().unwrap(), *counts.iter().max().unwrap()]
}

#[test]
fn feet_that_stand() {
    let (dog, mut data) = body("dog", &Style::default());
    assert_eq!(standing(&dog, &mut data, "crawl"), [3, 4]);
    let [least, _] = standing(&dog, &mut data, "walk");
    assert!(least >= 2, "{least}");
    assert_eq!(standing(&dog, &mut data, "pace"), [0, 2]);
    assert_eq!(standing(&dog, &mut data, "trot")[0], 0);
    assert_eq!(standing(&dog, &mut data, "bound"), [0, 2]);
    let (human, mut data) = body("human", &Style::default());
    assert_eq!(standing(&human, &mut data, "walk"), [1, 2]);
    assert_eq!(standing(&human, &mut data, "run"), [0, 1]);
    assert_eq!(standing(&human, &mut data, "hop"), [0, 2]);
    let (insect, mut data) = body("insect", &Style::default());
    assert_eq!(standing(&insect, &mut data, "tripod"), [3, 6]);
    assert!(standing(&insect, &mut data, "wave")[0] >= 4);
    let (spider, mut data) = body("spider", &Style::default());
    assert!(standing(&spider, &mut data, "walk")[0] >= 4);
}

#[test]
fn crawls_keep_three_feet_down() {
    for pairs in 2..=5 {
        let (body, mut data) = body_of(walker(pairs, 0.1, 1.0, false), &Style::default());
        assert!(standing(&body, &mut data, "crawl")[0] >= 3, "{pairs}");
    }
}

/// One leg in the middle is no pair: it hops, and cannot walk.
#[test]
fn one_leg_hops() {
    use gambol_model::{BodySpec, CreatureSpec, JointSpec, Shape, ShapeSpec, Transform, Vec3};
    let mut spec = CreatureSpec::new("pogo");
    let mut parent = 0;
    for (name, joint, z) in [
        ("trunk", JointSpec::free("root"), 1.0),
        ("thigh", JointSpec::hinge("hip", Vec3::y()).with_stiffness(60.0), 0.0),
        ("shin", JointSpec::hinge("knee", Vec3::y()).with_stiffness(60.0), -0.4),
        ("foot", JointSpec::hinge("ankle", Vec3::y()).with_stiffness(60.0), -0.4),
    ] {
        let mut segment = BodySpec::new(name);
        let x = match name {
            "shin" => 0.1,
            "foot" => -0.1,
            _ => 0.0,
        };
        segment.parent_from_body = Transform::translation(x, 0.0, z);
        segment.joints.push(joint);
        let half = if name == "trunk" { Vec3::new(0.2, 0.1, 0.1) } else { Vec3::new(0.04, 0.04, 0.19) };
        let mut shape = ShapeSpec::new(Shape::Box {
            half: if name == "foot" { Vec3::new(0.1, 0.04, 0.02) } else { half },
        });
        let down = match name {
            "trunk" => 0.1,
            "foot" => -0.02,
            _ => -0.2,
        };
        shape.body_from_shape = Transform::translation(0.0, 0.0, down);
        segment.shapes.push(shape);
        parent = spec.add_body(parent, segment).unwrap();
    }
    let (pogo, mut data) = body_of(spec.build().unwrap(), &Style::default());
    assert_eq!((pogo.legs.pairs, pogo.legs.legs.len()), (1, 1));
    let made = design(&pogo, &mut data, "hop", &Wish::default()).unwrap();
    assert!(!made.gait.components.is_empty());
    let reason = design(&pogo, &mut data, "walk", &Wish::default()).unwrap_err().to_string();
    assert_eq!(reason, "pogo cannot walk: it has one leg, and two must go in turn; it may hop");
}
