//! What a style does to a body. Frequencies have closed forms in stiffness and mass, an injured leg must be stiff and no
//! other, and a heavier body must stand lower on the same feet: all of it on every creature of the gallery, since nothing
//! here may know their names.

use gambol::dynamics::{Data, forward_kinematics};
use gambol::model::{Creature, JointKind};
use gambol_gait::{Body, Component, Gait, Style, Wish, design};
use gambol_model::math;
use gambol_motion::Basis;

const LEGGED: [&str; 7] = ["dog", "human", "bird", "kangaroo", "monster", "insect", "spider"];

fn creature(name: &str) -> Creature {
    gambol::load(name, &gambol::LoadOptions::default()).unwrap()
}

fn body(name: &str, style: &Style) -> Body {
    let creature = creature(name);
    let mut data = Data::new(&creature);
    // Of another body first: nothing of it may be left in `data`.
    Body::new(creature.clone(), &mut data, &Style { weight: 3.0, ..Style::default() }).unwrap();
    Body::new(creature, &mut data, style).unwrap()
}

fn message(name: &str, style: &Style) -> String {
    let creature = creature(name);
    let mut data = Data::new(&creature);
    Body::new(creature, &mut data, style).unwrap_err().to_string()
}

fn frequencies(body: &Body) -> Vec<f64> {
    body.basis.flexible().iter().filter_map(gambol::motion::Direction::frequency).collect()
}

/// Both lists are eigenvalues of one matrix up to a factor, to the precision of an eigensolver on a span of 1e4.
fn assert_ratio(a: &[f64], b: &[f64], ratio: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    for (k, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x / y / ratio - 1.0).abs() < 1e-9, "{what}: vibration {k}: {x} {y}");
    }
}

#[test]
fn tension_and_stiffness_are_roots_on_all_frequencies() {
    for name in ["dog", "loop", "snake"] {
        let own = frequencies(&body(name, &Style::default()));
        let tense = body(name, &Style { tension: 4.0, ..Style::default() });
        assert_ratio(&frequencies(&tense), &own, 2.0, name); // the loop's last joint is a tendon
    }
    let soft = body("human", &Style { stiffness: Some(20.0), ..Style::default() });
    let stiff = body(
        "human",
        &Style {
            stiffness: Some(5.0),
            scale: vec![(".*".into(), 8.0), (".*".into(), 2.0)],
            ..Style::default()
        },
    );
    assert_ratio(&frequencies(&stiff), &frequencies(&soft), 2.0, "human");
}

#[test]
fn mass_is_a_root_under_all_frequencies_where_nothing_sags() {
    // Without legs there is nothing to sag.
    for name in ["snake", "loop", "linear"] {
        let heavy = body(name, &Style { weight: 4.0, ..Style::default() });
        assert_ratio(&frequencies(&heavy), &frequencies(&body(name, &Style::default())), 0.5, name);
        assert_eq!(heavy.basis.mean(), creature(name).reference_pose());
    }
    let (own, heavy) = (creature("dog"), body("dog", &Style { weight: 1.5, ..Style::default() }));
    assert!((heavy.creature.mass() / own.mass() - 1.5).abs() < 1e-12);
}

/// Height of the first hip over the ground, the lowest points of all soles, and the places of all feet.
fn standing(body: &Body) -> (f64, Vec<f64>, Vec<[f64; 2]>) {
    let mut data = Data::new(&body.creature);
    let frames = forward_kinematics(&body.creature, &mut data, body.basis.mean());
    let up = body.legs.heading.up;
    let sole = |leg: &gambol_gait::Leg| {
        let heights = leg.sole.iter().map(|touch| touch.lowest(&frames[touch.body], up).point.dot(&up));
        heights.fold(f64::INFINITY, f64::min)
    };
    let feet = |leg: &gambol_gait::Leg| {
        let foot = frames[leg.foot].point_in_world(leg.point);
        [foot.x, foot.y]
    };
    let legs = &body.legs.legs;
    (legs[0].hip.dot(&up), legs.iter().map(sole).collect(), legs.iter().map(feet).collect())
}

#[test]
fn a_heavier_creature_stands_lower_on_the_same_feet() {
    for name in LEGGED {
        let own = body(name, &Style::default());
        let (hip, soles, feet) = standing(&own);
        let mut before = f64::INFINITY;
        for weight in [0.7, 0.9, 1.1, 1.3, 1.5, 2.0] {
            let heavy = body(name, &Style { weight, ..Style::default() });
            let (height, on_ground, there) = standing(&heavy);
            let sank = (hip - height) / own.legs.length;
            assert!(height <= before, "{name} at {weight}: {height} m");
            before = height;
            // A straight leg cannot stretch; the others do by what the eye sees.
            if weight < 1.0 {
                assert!((-0.15..=1e-9).contains(&sank), "{name} at {weight}: {sank}");
            } else if weight >= 1.5 {
                assert!((0.05..0.4).contains(&sank), "{name} at {weight}: {sank}");
            }
            for (a, b) in soles.iter().zip(&on_ground) {
                // Twenty halvings of a give of less than a leg: 1e-6 of it.
                assert!((a - b).abs() < 2e-6 * own.legs.length, "{name} at {weight}: sole at {a}, then {b}");
            }
            for (a, b) in feet.iter().zip(&there) {
                // To first order feet stay; what a bend of half a radian adds is a tenth of the leg at most.
                let slid = math::hypot(a[0] - b[0], a[1] - b[1]) / own.legs.length;
                assert!(slid < 0.12, "{name} at {weight}: a foot slid by {slid} of its leg");
            }
        }
    }
}

#[test]
fn weight_is_smooth_and_keeps_limits() {
    for name in LEGGED {
        let mut before: Option<Vec<f64>> = None;
        for step in 0..=60 {
            let weight = 0.7 + f64::from(step) * 0.02;
            let heavy = body(name, &Style { weight, ..Style::default() });
            for joint in heavy.creature.joints() {
                if let (JointKind::Hinge, Some([low, high])) = (joint.kind, joint.limit) {
                    let angle = heavy.basis.mean()[joint.q];
                    let rest = heavy.creature.reference_pose()[joint.q];
                    assert!(
                        angle >= low.min(rest) - 1e-9 && angle <= high.max(rest) + 1e-9,
                        "{name} at {weight}: {}",
                        joint.name
                    );
                }
            }
            if let Some(before) = before {
                let mut step = vec![0.0; heavy.creature.nv()];
                heavy.creature.difference(&before, heavy.basis.mean(), &mut step);
                let most = step.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                // 1.6 rad per body weight is the most, 0.032 rad per step; bends are matched among legs, hence the margin.
                assert!(most < 0.08, "{name} jumps by {most} at {weight}");
            }
            before = Some(heavy.basis.mean().to_vec());
        }
    }
    let own = body("dog", &Style::default());
    assert_eq!(own.basis.mean(), creature("dog").reference_pose());
}

#[test]
fn an_injured_leg_is_stiff_and_no_other() {
    let own = creature("dog");
    let limping = body(
        "dog",
        &Style { injured: vec!["hind.left".into(), "foot.hind.left".into()], ..Style::default() },
    );
    assert_eq!(limping.style.injured, ["foot.hind.left"]);
    let leg = limping.legs.legs.iter().find(|leg| leg.name == "foot.hind.left").unwrap();
    for (index, (a, b)) in own.joints().iter().zip(limping.creature.joints()).enumerate() {
        let factor = if leg.joints.contains(&index) { b.stiffness / a.stiffness } else { 1.0 };
        if leg.joints.first() == Some(&index) {
            assert_eq!(factor, 3.0, "{}", a.name);
        } else if leg.joints.contains(&index) {
            assert_eq!(factor, 8.0, "{}", a.name);
        } else {
            assert_eq!(a.stiffness, b.stiffness, "{}", a.name);
        }
    }
    assert!(
        body("human", &Style { injured: vec!["left".into()], ..Style::default() }).style.injured
            == ["foot.left"]
    );
}

#[test]
fn pose_and_constraints_are_those_of_the_analysis() {
    let run = body(
        "human",
        &Style { pose: Some("run".into()), constraints: vec!["orientation:head".into()], ..Style::default() },
    );
    assert_eq!(run.basis.mean(), creature("human").pose("run").unwrap());
    assert_eq!(run.creature.rest_pose(), run.basis.mean());
    assert_eq!((run.basis.dof(), run.basis.rigid()), (44, 3)); // Kry et al. 2009, figure 3
    let reference = body("dog", &Style { pose: Some("reference".into()), ..Style::default() });
    assert_eq!(reference.basis.mean(), creature("dog").reference_pose());
}

#[test]
fn nonsense_is_told() {
    let own = Style::default;
    let cases = [
        (
            "dog",
            Style { pose: Some("sit".into()), ..own() },
            "dog has no pose \"sit\"; it has reference, rest",
        ),
        (
            "human",
            Style { injured: vec!["hind.left".into()], ..own() },
            "human has no foot \"hind.left\"; it has foot.left, foot.right",
        ),
        (
            "snake",
            Style { injured: vec!["left".into()], ..own() },
            "snake has no foot \"left\"; it has no legs",
        ),
        ("dog", Style { weight: 0.0, ..own() }, "weight: a factor of 0 is not a finite number above 0"),
        ("dog", Style { tension: f64::NAN, ..own() }, "tension: a factor of NaN is not"),
        ("dog", Style { stiffness: Some(-1.0), ..own() }, "a stiffness of -1 is not a finite number above 0"),
        (
            "dog",
            Style { scale: vec![("wing.*".into(), 2.0)], ..own() },
            "\"wing.*=2.0\" matches no joint of dog",
        ),
        ("dog", Style { scale: vec![("(".into(), 2.0)], ..own() }, "\"(=2.0\""),
        ("dog", Style { constraints: vec!["glue:tail".into()], ..own() }, "constraint \"glue:tail\""),
        ("human", bent(&[("wing", &[0.1])]), "bend of joint \"wing\": human has no such joint"),
        (
            "human",
            bent(&[("knee.left", &[0.1, 0.0, 0.0])]),
            "bend of joint \"knee.left\": it takes one number, not 3",
        ),
        (
            "human",
            bent(&[("hip.left", &[0.1])]),
            "bend of joint \"hip.left\": it takes three numbers, axis times",
        ),
        (
            "human",
            bent(&[("knee.left", &[f64::NAN])]),
            "bend of joint \"knee.left\": NaN is not a finite number",
        ),
        ("human", bent(&[("root", &[0.0; 6])]), "bend of joint \"root\": it is free"),
        (
            "human",
            bent(&[("knee.left", &[0.1]), ("knee.left", &[0.1])]),
            "bend of joint \"knee.left\": it is given",
        ),
    ];
    for (name, style, expected) in cases {
        let message = message(name, &style);
        assert!(message.starts_with(expected), "{message}");
    }
}

fn bent(joints: &[(&str, &[f64])]) -> Style {
    let bend = joints.iter().map(|(joint, by)| ((*joint).to_owned(), by.to_vec())).collect();
    Style { bend, ..Style::default() }
}

/// A bend is on top of the named pose, in the joint's own frame, and the springs rest in it.
#[test]
fn joints_are_bent_by_hand() {
    let style = Style {
        pose: Some("run".into()),
        ..bent(&[("knee.left", &[0.4]), ("hip.right", &[0.1, -0.2, 0.3])])
    };
    let body = body("human", &style);
    let own = creature("human");
    let before = own.pose("run").unwrap();
    let mut way = vec![0.0; own.nv()];
    own.difference(before, body.basis.mean(), &mut way);
    let joint = |name: &str| own.joints().iter().find(|joint| joint.name == name).unwrap();
    let (knee, hip) = (joint("knee.left").v, joint("hip.right").v);
    let expected = |dof: usize| match dof {
        dof if dof == knee => 0.4,
        dof if (hip..hip + 3).contains(&dof) => [0.1, -0.2, 0.3][dof - hip],
        _ => 0.0,
    };
    for (dof, way) in way.iter().enumerate() {
        assert!((way - expected(dof)).abs() < 1e-12, "{dof}: {way}"); // rounding
    }
    assert_eq!(body.creature.rest_pose(), body.basis.mean());
}

fn named(body: &Body, mode: usize) -> String {
    let mut data = Data::new(&body.creature);
    gambol::modes::read_mode(&body.creature, &mut data, &body.basis, mode).unwrap().name
}

/// Modes of a gait keep their meaning while a slider moves: they are found again by shape, not by number.
#[test]
fn a_gait_follows_the_modes_of_a_changed_body() {
    let own = body("dog", &Style::default());
    let mut data = Data::new(&own.creature);
    let trot = design(&own, &mut data, "trot", &Wish::default()).unwrap().gait;
    // Tension changes no shape: the gait is the same at the same elastic energy and twice the pace, up to the rounding
    // of an eigensolver.
    let (same, hints) = body("dog", &Style { tension: 4.0, ..Style::default() }).follow(&own, &trot);
    assert!(hints.is_empty());
    for (a, b) in trot.components.iter().zip(&same.components) {
        assert_eq!((a.mode, a.phase, a.harmonic), (b.mode, b.phase, b.harmonic));
        assert!((0.5 * a.amplitude - b.amplitude).abs() < 1e-9);
    }
    assert!((same.frequency - 2.0 * trot.frequency).abs() < 1e-12);
    // Each of these puts some modes into another order; no mode is taken twice.
    for style in [
        Style { scale: vec![("neck.*|head.*|tail.*".into(), 30.0)], ..Style::default() },
        Style { weight: 1.5, ..Style::default() },
        Style { injured: vec!["hind.left".into()], ..Style::default() },
    ] {
        let changed = body("dog", &style);
        let (moved, _) = changed.follow(&own, &trot);
        assert_eq!(moved.style, changed.style);
        assert_ne!(moved.components, trot.components);
        let mut modes: Vec<usize> = moved.components.iter().map(|component| component.mode).collect();
        modes.sort_unstable();
        modes.dedup();
        assert_eq!(modes.len(), trot.components.len());
        // The legs still swing in turn.
        let swing =
            trot.components.iter().position(|c| named(&own, c.mode) == "front legs alternate").unwrap();
        assert_eq!(named(&changed, moved.components[swing].mode), "front legs alternate", "{style:?}");
    }
}

#[test]
fn a_mode_that_is_lost_is_told() {
    let own = body("dog", &Style::default());
    let mut gait = gambol_gait::from_toml("version = 1\nfrequency = 1").unwrap();
    gait.components = vec![Component { mode: 23, amplitude: 0.1, phase: 0.0, harmonic: 1, offset: 0.0 }];
    let stiff = body("dog", &Style { scale: vec![("knee.*".into(), 30.0)], ..Style::default() });
    let (_, hints) = stiff.follow(&own, &gait);
    assert!(hints.len() == 1 && hints[0].starts_with("mode 23 of the gait has no like"), "{hints:?}");
}

/// The defining property: with a reversed mode of another length, what moves is the same.
#[test]
fn amplitudes_follow_the_sign_and_length_of_a_shape() {
    let own = body("dog", &Style::default());
    let mut turned = own.clone();
    let mut spec = own.basis.clone().into_spec();
    spec.directions[9].shape.iter_mut().for_each(|x| *x *= -2.0);
    spec.directions.swap(9, 13);
    turned.basis = Basis::new(&own.creature, spec).unwrap();
    let component = Component { mode: 9, amplitude: 0.4, phase: 0.5, harmonic: 2, offset: -0.1 };
    let rise = Component { mode: 2, ..component };
    let mut gait = gambol_gait::from_toml("version = 1\nfrequency = 1").unwrap();
    gait.components = vec![component, rise];
    let (moved, hints): (Gait, _) = turned.follow(&own, &gait);
    assert!(hints.is_empty());
    let Component { mode, amplitude, phase, harmonic, offset } = moved.components[0];
    assert_eq!((mode, phase, harmonic), (13, 0.5, 2));
    assert!((amplitude + 0.2).abs() < 1e-12 && (offset - 0.05).abs() < 1e-12);
    assert_eq!(moved.components[1], rise);
}
