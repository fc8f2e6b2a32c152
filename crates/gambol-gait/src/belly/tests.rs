//! Bodies without legs against closed forms: a ring that rolls, a filament that swims (resistive force theory), a snake
//! that follows its own track, a caterpillar on its troughs, the scallop that cannot swim; and what every motion must
//! be: on the ground, not in it, smooth over the seam, driven by nothing from outside.

use std::f64::consts::{FRAC_PI_2, TAU};

use super::design::sampled;
use super::rest::Rest;
use super::*;
use crate::marks::Marks;
use crate::{Body, Component, Legs, Style};
use gambol::LoadOptions;
use gambol_dynamics::{body_velocities, center_of_mass, forward_kinematics};
use gambol_model::{BodySpec, CreatureSpec, JointSpec, Shape, ShapeSpec, Transform, Vec3, math};
use gambol_modes::{Settings, analyze};

/// Of a period, as gaits have them.
const SAMPLES: usize = 240;

fn body_of(creature: Creature) -> (Body, Data) {
    let mut data = Data::new(&creature);
    let rest = creature.rest_pose().to_vec();
    let modes = analyze(&creature, &mut data, &rest, &Settings::default()).unwrap();
    let legs = Legs::new(&creature, &mut data, &rest);
    let class = gambol_anatomy::classify(&creature, &mut data, &gambol_anatomy::ClassSettings::default());
    (
        Body {
            creature,
            basis: modes,
            legs,
            class,
            style: Style::default(),
            settings: GaitSettings::default(),
        },
        data,
    )
}

fn gallery(name: &str) -> (Body, Data) {
    body_of(gambol::load(name, &LoadOptions::default()).unwrap())
}

/// A free row of `links` beads along x with hinges about `axis` between them, `length` apart.
fn row(links: usize, length: f64, radius: f64, axis: Vec3) -> Creature {
    let mut spec = CreatureSpec::new("row");
    for link in 0..links {
        let mut body = BodySpec::new(format!("link.{link}"));
        body.parent = link;
        body.parent_from_body = Transform::translation(if link == 0 { 0.0 } else { length }, 0.0, 0.0);
        let anchor = Vec3::new(-0.5 * length, 0.0, 0.0);
        body.joints.push(if link == 0 {
            JointSpec::free("root")
        } else {
            JointSpec::hinge(format!("joint.{link}"), axis).with_anchor(anchor).with_stiffness(1.0)
        });
        body.shapes.push(ShapeSpec::new(Shape::Sphere { radius }));
        spec.bodies.push(body);
    }
    spec.build().unwrap()
}

/// A period of joint angles of a row.
fn waved(row: &Creature, count: usize, angle: impl Fn(usize, f64) -> f64) -> Vec<Vec<f64>> {
    let pose = |k: usize| {
        let mut pose = row.reference_pose().to_vec();
        (7..row.nq()).for_each(|joint| pose[joint] = angle(joint - 6, TAU * k as f64 / count as f64));
        pose
    };
    (0..count).map(pose).collect()
}

fn travel(creature: &Creature, carried: &Carried) -> Vec3 {
    let mut data = Data::new(creature);
    let start = center_of_mass(creature, &mut data, &carried.poses[0]);
    let mut last = carried.poses[0].clone();
    carried.stride.apply(creature, &mut last);
    (center_of_mass(creature, &mut data, &last) - start) / carried.periods as f64
}

fn carried(body: &Body, data: &mut Data, components: &[Component], support: Support) -> Carried {
    let poses = sampled(body, data, components, SAMPLES).unwrap();
    carry(&body.creature, data, &body.legs.heading, &poses, 1.0, support, &GaitSettings::default()).unwrap()
}

fn pair(modes: [usize; 2], amplitude: f64, phase: f64) -> [Component; 2] {
    let component = |mode: usize, phase: f64| Component { mode, amplitude, phase, harmonic: 1, offset: 0.0 };
    [component(modes[0], 0.0), component(modes[1], phase)]
}

/// A ring of beads through which an ellipse's flattening travels rolls on its flat side. Its shape stands still as seen
/// from the side while the body flows through it, half around in a period: the ground must move along as fast as the
/// outside of the beads, P/2 (1 + r κ), with the curvature κ of the flat side, r outside of the line of joints.
#[test]
fn a_ring_rolls_half_its_perimeter_in_a_period() {
    let (links, length, radius) = (60, 0.02, 0.01);
    let ring = row(links, length, radius, Vec3::y());
    let turn = TAU / links as f64;
    let mut data = Data::new(&ring);
    let heading = Heading::of_reference(&ring, &mut data);
    for (flat, way) in [(0.6, 1.0), (0.6, -1.0), (0.3, 1.0)] {
        // Two waves around: the ring closes by symmetry.
        let poses = waved(&ring, SAMPLES, |joint, t| {
            -turn * (1.0 + flat * math::cos(2.0 * turn * joint as f64 + way * t))
        });
        let carried = carry(
            &ring,
            &mut data,
            &heading,
            &poses,
            1.0,
            Support::Belly { across: 1.0 },
            &GaitSettings::default(),
        )
        .unwrap();
        assert_eq!(carried.periods, 2, "half a turn per period");
        let curvature = turn * (1.0 - flat) / length;
        let rolls = 0.5 * links as f64 * length * (1.0 + radius * curvature);
        let found = travel(&ring, &carried);
        // Beads are not a smooth curve, and the soft ground takes in a few of them: four parts in ten thousand.
        assert!((found.x.abs() / rolls - 1.0).abs() < 0.002, "{found:?} for {rolls}");
        assert!(found.y == 0.0 && carried.stride.yaw.abs() < 1e-9, "it leaves its plane");
        assert!(carried.figures.slip < 0.002 * rolls, "it slips by {}", carried.figures.slip);
        // The flat side wanders towards the root, which lies behind: way 1 leads back.
        assert!(found.x * way < 0.0, "{found:?}");
    }
}

/// Gray and Hancock 1955: a filament with the wave b sin(kx + ωt), of small amplitude, swims against its wave with
/// U/c = (ρ − 1) b²k²/2 / (1 + (ρ − 1) b²k²/2), where ρ is the drag across over that along. (From the mean force along x:
/// the drag of the sideways motion ∂y/∂t on a piece of slope ∂y/∂x pushes (ρ − 1) ⟨y_t y_x⟩, and that of U holds back by
/// 1 + (ρ − 1) ⟨y_x²⟩.)
#[test]
fn a_filament_swims_as_gray_and_hancock_say() {
    let (links, length, waves) = (160, 0.01, 8.0);
    let filament = row(links, length, 0.001, Vec3::z());
    let k = TAU * waves / (links as f64 * length);
    let mut data = Data::new(&filament);
    let heading = Heading::of_reference(&filament, &mut data);
    for (slope, across) in [(0.1, 2.0), (0.2, 2.0), (0.1, 4.0)] {
        // Slope bk cos(kx − ωt): the joint angle is its change from link to link.
        let poses =
            waved(&filament, 120, |joint, t| -slope * k * length * math::sin(k * length * joint as f64 + t));
        let carried = carry(
            &filament,
            &mut data,
            &heading,
            &poses,
            1.0,
            Support::Water { across, advance: None },
            &GaitSettings::default(),
        )
        .unwrap();
        let push = 0.5 * (across - 1.0) * slope * slope;
        let swims = (TAU / k) * push / (1.0 + push);
        let found = travel(&filament, &carried);
        // The ends of a filament of eight waves flap, and slope⁴ is left out: 1 % and, at twice the slope, 2.5 %.
        assert!((found.x / swims - 1.0).abs() < 0.03, "{found:?} for {swims}");
        assert!(carried.stride.yaw.abs() < 1e-9, "it turns by {}", carried.stride.yaw);
    }
}

/// A snake that cannot slip sideways follows its own track. A wave whose slope angle is φ sin(ks) (a serpenoid curve)
/// then gets it ahead by one wave in a period, as the crow flies: λ J₀(φ), since the mean of cos(φ sin x) is J₀(φ).
#[test]
fn a_snake_that_cannot_slip_follows_its_track() {
    let (links, length, waves, angle) = (100, 0.02, 2.0, 0.8);
    let snake = row(links, length, 0.01, Vec3::z());
    let k = TAU * waves / (links as f64 * length);
    let mut data = Data::new(&snake);
    let heading = Heading::of_reference(&snake, &mut data);
    let poses =
        waved(&snake, SAMPLES, |joint, t| angle * k * length * math::cos(k * length * joint as f64 + t));
    let mut before = f64::INFINITY;
    for across in [3.0, 30.0, 1e5] {
        let carried = carry(
            &snake,
            &mut data,
            &heading,
            &poses,
            1.0,
            Support::Belly { across },
            &GaitSettings::default(),
        )
        .unwrap();
        assert!(carried.figures.sideways < before, "the better held, the less it slips");
        before = carried.figures.sideways;
        if across > 1e3 {
            let ahead = TAU / k * libm::j0(angle);
            let found = travel(&snake, &carried);
            // Links are straight, and the rounding over time takes half a percent of a wave.
            assert!((found.x / ahead - 1.0).abs() < 0.005, "{found:?} for {ahead}");
            assert!(carried.figures.sideways < 1e-3, "{:?}", carried.figures);
            assert!(found.y.abs() < 1e-9 * ahead, "it was to travel along its heading");
        }
    }
}

/// A wave in the upright plane stands on its troughs. Where they touch, the body flows back through the wave at λ a
/// period along itself, while the mean of it flows back at λ J₀(φ): the difference is what it gets ahead, with the wave.
#[test]
fn a_caterpillar_walks_on_its_troughs() {
    let (links, length, waves, angle, radius) = (120, 0.01, 4.0, 0.7, 0.001);
    let worm = row(links, length, radius, Vec3::y());
    let k = TAU * waves / (links as f64 * length);
    let mut data = Data::new(&worm);
    let heading = Heading::of_reference(&worm, &mut data);
    for way in [1.0, -1.0] {
        let poses = waved(&worm, SAMPLES, |joint, t| {
            angle * k * length * math::cos(k * length * joint as f64 - way * t)
        });
        let carried = carry(
            &worm,
            &mut data,
            &heading,
            &poses,
            1.0,
            Support::Belly { across: 1.0 },
            &GaitSettings::default(),
        )
        .unwrap();
        // The soles are below the line of joints: outside of the bend by their radius.
        let ahead = TAU / k * (1.0 + radius * angle * k - libm::j0(angle));
        let found = travel(&worm, &carried).x * way;
        // Soft ground takes in the slopes beside a trough, which flow back more slowly by 1 − cos: half a percent of
        // the flow is 5 % of the small difference.
        assert!((found / ahead - 1.0).abs() < 0.1, "{found} for {ahead}");
    }
}

/// Purcell's scallop: where drag is linear in speed, what only opens and closes gets nowhere, and what is played
/// backwards goes back where it came from.
#[test]
fn one_hinge_does_not_swim_and_time_can_be_turned_back() {
    let (body, mut data) = gallery("snake");
    let one = [Component { mode: 8, amplitude: 0.6, phase: 0.3, harmonic: 1, offset: 0.0 }];
    let water = Support::Water { across: 10.0, advance: None };
    let stays = carried(&body, &mut data, &one, water);
    let way = travel(&body.creature, &stays).norm();
    // One shape forth and back is sampled symmetrically: what is left is rounding and the order of the steps.
    assert!(way < 1e-7, "the scallop swims {way} m");

    let components = design_legless(&body, &mut data, "swim", &Marks::default()).unwrap();
    let mut poses = sampled(&body, &mut data, &components, SAMPLES).unwrap();
    let there =
        carry(&body.creature, &mut data, &body.legs.heading, &poses, 1.0, water, &GaitSettings::default())
            .unwrap();
    poses.reverse();
    let back =
        carry(&body.creature, &mut data, &body.legs.heading, &poses, 1.0, water, &GaitSettings::default())
            .unwrap();
    let (there, back) = (travel(&body.creature, &there), travel(&body.creature, &back));
    // The error of a fourth-order step with 240 samples and a few harmonics.
    assert!((there + back).norm() < 1e-4 * there.norm(), "{there:?} and {back:?}");
    assert!(there.x > 0.1, "it does swim: {there:?}");
}

/// Nothing pushes the swimmer along from outside: the drag on all its segments, summed up finely from nothing but its
/// poses, has no resultant in the level plane and no moment about the vertical.
#[test]
fn a_swimmer_feels_no_force() {
    let (body, mut data) = gallery("snake");
    let components = design_legless(&body, &mut data, "swim", &Marks::default()).unwrap();
    let across = 10.0;
    let carried = carried(&body, &mut data, &components, Support::Water { across, advance: None });
    let creature = &body.creature;
    let h = 1.0 / SAMPLES as f64;
    let segments = segment::segments(creature);
    for k in (1..SAMPLES - 1).step_by(17) {
        let mut v = vec![0.0; creature.nv()];
        creature.difference(&carried.poses[k], &carried.poses[k + 1], &mut v);
        let mut back = vec![0.0; creature.nv()];
        creature.difference(&carried.poses[k], &carried.poses[k - 1], &mut back);
        v.iter_mut().zip(&back).for_each(|(v, back)| *v = (*v - back) / (2.0 * h));
        let velocities = body_velocities(creature, &mut data, &carried.poses[k], &v).to_vec();
        let com = center_of_mass(creature, &mut data, &carried.poses[k]);
        let (mut force, mut moment, mut all) = (Vec3::zeros(), Vec3::zeros(), 0.0);
        for (index, segment) in segments.iter().enumerate().skip(1) {
            let (frame, velocity) = (&data.frames[index], velocities[index]);
            let [a, b] = segment.ends.map(|end| frame.point_in_world(end));
            let axis = (b - a).normalize();
            for piece in 0..40 {
                let at = a + (b - a) * ((f64::from(piece) + 0.5) / 40.0);
                let moves = velocity.linear + velocity.angular.cross(&(at - frame.position));
                let along = axis * moves.dot(&axis);
                let drag = (along + (moves - along) * across) * (-segment.length / 40.0);
                force += drag;
                moment += (at - com).cross(&drag);
                all += drag.norm();
            }
        }
        // Second-order differences of 240 samples, midpoints of 40 pieces.
        assert!(force.xy().norm() < 2e-3 * all, "sample {k}: {force:?} of {all}");
        assert!(moment.z.abs() < 2e-3 * all * 2.4, "sample {k}: {moment:?} of {all}");
    }
}

/// The slope and curvature of the energy are those of differences, and a body at rest has its centre of mass over the
/// centre of the loads: the moment that holds it is the weight's.
#[test]
fn a_body_at_rest_is_balanced() {
    let (body, mut data) = gallery("snake");
    // A crooked pose that lies on few points.
    let mut components = design_legless(&body, &mut data, "crawl", &Marks::default()).unwrap();
    components.extend(design_legless(&body, &mut data, "slither", &Marks::default()).unwrap());
    let poses = sampled(&body, &mut data, &components, 16).unwrap();
    let scene =
        scene::BellyScene::new(&body.creature, &mut data, &body.legs.heading, &poses, 1.0, &body.settings)
            .unwrap();
    assert!(!scene.planar);
    let rest = Rest::new(&scene, false).unwrap();
    rest.check_differences(3);
    rest.check_balance(3);
}

/// Every gait of the gallery's legless creatures: it stays on the ground, out of it, comes back to itself, is smooth
/// (also where the loop closes), and goes ahead without turning.
#[test]
fn the_gallery_moves_well() {
    let gaits =
        [("loop", "roll"), ("linear", "crawl"), ("snake", "slither"), ("snake", "swim"), ("snake", "crawl")];
    for (name, gait) in gaits {
        let (body, mut data) = gallery(name);
        let components = design_legless(&body, &mut data, gait, &Marks::default()).unwrap();
        for component in &components {
            let quarters = component.phase / FRAC_PI_2;
            assert!((quarters - quarters.round()).abs() < 1e-12, "{name} {gait}: {component:?}");
        }
        let carried = carried(&body, &mut data, &components, legless_support(gait, &body.settings.waves));
        let Figures { speed, penetration, hover, slip, .. } = carried.figures;
        let found = travel(&body.creature, &carried);
        println!(
            "{name} {gait}: {:.2} Hz, {} periods, stride {:.4?}, yaw {:.1e}, {:.3?}, jerk {:.3}",
            legless_frequency(&body, &components),
            carried.periods,
            found.as_slice(),
            carried.stride.yaw,
            carried.figures,
            jerk(&body, &mut data, &carried)
        );
        assert!(
            speed > 0.0 && (found.x - speed).abs() < 1e-9 && found.y.abs() < 1e-6,
            "{name} {gait}: {found:?}"
        );
        assert!(carried.stride.yaw.abs() < 1e-9, "{name} {gait} turns by {}", carried.stride.yaw);
        assert!(carried.stride.shift.z.abs() < 1e-9, "{name} {gait} sinks");
        assert!(jerk(&body, &mut data, &carried) < 0.12, "{name} {gait} jerks");
        // Between the slowest and the fastest of its modes; for the ring's pair, which is one frequency, exactly that.
        let own = |pick: fn(f64, f64) -> f64| {
            components
                .iter()
                .map(|part| body.basis.directions()[part.mode].frequency().unwrap())
                .reduce(pick)
                .unwrap()
        };
        let frequency = legless_frequency(&body, &components);
        assert!(frequency > own(f64::min) - 1e-6 && frequency < own(f64::max) + 1e-6, "{frequency} Hz");
        assert!(lowest(&body, &mut data, &carried) > -1e-9, "{name} {gait} goes below the ground");
        if gait != "swim" {
            assert!(penetration < 1e-9 && hover < 3e-3 * 2.4, "{name} {gait}: {:?}", carried.figures);
            let lowest = lowest(&body, &mut data, &carried);
            assert!(lowest < 1e-3, "{name} {gait}: the lowest point is at {lowest} m");
        }
        if ["roll", "crawl"].contains(&gait) {
            assert!(slip < 0.2 * speed, "{name} {gait} slips by {slip} m of {speed} m");
        }
    }
}

/// Lowest point of all shapes over all samples, by the shapes themselves, m.
fn lowest(body: &Body, data: &mut Data, carried: &Carried) -> f64 {
    let mut lowest = f64::INFINITY;
    for pose in &carried.poses {
        let frames = forward_kinematics(&body.creature, data, pose);
        for (index, own) in body.creature.bodies().iter().enumerate().skip(1) {
            for shape in body.creature.shapes()[own.shapes.clone()].iter().filter(|shape| shape.collides) {
                let down = frames[index].rotation.tr_mul(&-Vec3::z());
                let in_shape = shape.body_from_shape.rotation.inverse() * down;
                let point = shape.body_from_shape * nalgebra::Point3::from(shape.shape.support(in_shape));
                lowest = lowest.min(frames[index].point_in_world(point.coords).z);
            }
        }
    }
    lowest
}

/// Largest change of velocity from sample to sample of any body's centre, over the highest speed of any; the seam
/// included. A sine of one wave per period has 2π/240 = 0.026.
fn jerk(body: &Body, data: &mut Data, carried: &Carried) -> f64 {
    let n = carried.poses.len();
    let places = |data: &mut Data, k: usize| {
        let mut pose = carried.poses[k % n].clone();
        if k >= n {
            carried.stride.apply(&body.creature, &mut pose);
        }
        let frames = forward_kinematics(&body.creature, data, &pose);
        let bodies = body.creature.bodies().iter().zip(frames).skip(1);
        bodies.map(|(body, frame)| frame.point_in_world(body.mass.com)).collect::<Vec<_>>()
    };
    let all: Vec<Vec<Vec3>> = (0..n + 2).map(|k| places(data, k)).collect();
    let (mut change, mut speed) = (0.0_f64, 0.0_f64);
    for three in all.windows(3) {
        for body in 0..all[0].len() {
            change = change.max((three[2][body] - three[1][body] * 2.0 + three[0][body]).norm());
            speed = speed.max((three[1][body] - three[0][body]).norm());
        }
    }
    change / speed
}

/// The paper's pairs of modes: a quarter of a period ahead it goes one way, behind the other way, as far; in step, a
/// symmetric body goes nowhere.
/// A snake with a head that is higher than wide would roll over onto its cheek, and then stand on it and on one other
/// point: it keeps its belly down, and all of it bears some load.
#[test]
fn a_snake_with_a_tall_head_keeps_its_belly_down() {
    let mut spec = CreatureSpec::new("cobra");
    for link in 0..12 {
        let mut body = BodySpec::new(format!("link.{link}"));
        body.parent = link;
        body.parent_from_body = Transform::translation(if link == 0 { 0.0 } else { 0.2 }, 0.0, 0.0);
        body.joints.push(match link {
            0 => JointSpec::free("root"),
            _ => JointSpec::hinge(format!("joint.{link}"), Vec3::z())
                .with_anchor(Vec3::new(-0.1, 0.0, 0.0))
                .with_stiffness(1.0),
        });
        let thick = 0.03 + 0.003 * link as f64;
        let tall = if link == 11 { 0.2 } else { thick };
        body.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.1, thick, tall) }));
        spec.bodies.push(body);
    }
    let cobra = spec.build().unwrap();
    let mut data = Data::new(&cobra);
    let heading = Heading::of_reference(&cobra, &mut data);
    let poses = waved(&cobra, SAMPLES, |joint, t| 0.5 * math::cos(TAU * joint as f64 / 8.0 - t));
    let carried = carry(
        &cobra,
        &mut data,
        &heading,
        &poses,
        1.0,
        Support::Belly { across: 10.0 },
        &GaitSettings::default(),
    )
    .unwrap();
    for pose in &carried.poses {
        let up = forward_kinematics(&cobra, &mut data, pose)[6].rotation.column(2).z;
        assert!(up > 0.95, "the back is up to 18°, as the head is higher than the tail: {up}");
    }
    // A slithering snake gets a good part of its wave's length ahead in a period: here 1.6 m.
    assert!(travel(&cobra, &carried).norm() > 0.4, "{:?}", travel(&cobra, &carried));
}

#[test]
fn the_phase_decides_the_way() {
    let ground = Support::Belly { across: 1.0 };
    for (name, amplitude) in [("loop", 0.45), ("linear", 0.15)] {
        let (body, mut data) = gallery(name);
        let mut way = |amplitude: f64, phase: f64| {
            let moved = carried(&body, &mut data, &pair([6, 7], amplitude, phase), ground);
            travel(&body.creature, &moved).x
        };
        let (ahead, behind) = (way(amplitude, FRAC_PI_2), way(amplitude, -FRAC_PI_2));
        // Small enough that a ring which stands on end for a moment does not fall over: it would roll on, each time.
        let together = way(0.4 * amplitude, 0.0);
        println!("{name}: {ahead:.4} {behind:.4} {together:.4} m per period");
        assert!(ahead * behind < 0.0, "{name}: {ahead} and {behind}");
        // One is the mirror image of the other.
        assert!((ahead + behind).abs() < 1e-3 * ahead.abs(), "{name}: {ahead} and {behind}");
        assert!(together.abs() < 0.05 * ahead.abs(), "{name} moves by {together} without a wave");
    }
}

#[test]
fn what_makes_no_sense_is_told() {
    let reasons = [
        ("dog", "crawl", "dog cannot crawl: it has legs"),
        ("linear", "roll", "linear cannot roll: its body is not closed to a ring"),
        (
            "linear",
            "slither",
            "linear cannot slither: it cannot bend sideways in enough joints to carry a wave",
        ),
        ("loop", "swim", "loop cannot swim: its body is a ring, which can only roll"),
    ];
    for (name, gait, reason) in reasons {
        let (body, mut data) = gallery(name);
        assert_eq!(
            design_legless(&body, &mut data, gait, &Marks::default()).unwrap_err().to_string(),
            reason
        );
    }
    let (body, mut data) = gallery("linear");
    assert!(
        design_legless(&body, &mut data, "trot", &Marks::default())
            .unwrap_err()
            .to_string()
            .contains("there is no gait")
    );
    // What bends up and down only swims like a whale.
    assert!(design_legless(&body, &mut data, "swim", &Marks::default()).is_ok());
    let poses = vec![body.basis.mean().to_vec(); 16];
    let across = Support::Water { across: -1.0, advance: None };
    let error =
        carry(&body.creature, &mut data, &body.legs.heading, &poses, 1.0, across, &GaitSettings::default())
            .unwrap_err();
    let told = "support.across: friction across the body, -1 times that along it, is no number above 0";
    assert_eq!(error.to_string(), told);
}

/// A worm whose root is in its middle, with balls for joints, of capsules.
fn worm(links: usize, scale: f64) -> Creature {
    let mut spec = CreatureSpec::new(format!("worm of {links}"));
    let (length, radius) = (0.1 * scale, 0.02 * scale);
    for link in 0..links {
        let mut body = BodySpec::new(format!("link.{link}"));
        // 0 is the middle; odd links go ahead, even ones back.
        let side = if link % 2 == 1 { 1.0 } else { -1.0 };
        body.parent = if link < 2 { link } else { link - 1 };
        let from = if link == 0 { 0.0 } else { side * length };
        body.parent_from_body = Transform::translation(from, 0.0, if link == 0 { radius } else { 0.0 });
        body.joints.push(if link == 0 {
            JointSpec::free("root")
        } else {
            let anchor = Vec3::new(-0.5 * side * length, 0.0, 0.0);
            JointSpec::ball(format!("joint.{link}")).with_anchor(anchor).with_stiffness(math::powi(scale, 5))
        });
        let mut shape = ShapeSpec::new(Shape::Capsule { radius, half_length: 0.5 * length });
        shape.body_from_shape.rotation = gambol_model::Quat::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2);
        body.shapes.push(shape);
        spec.bodies.push(body);
    }
    spec.build().unwrap()
}

/// Creatures that nobody drew for this: few links and many, beads, boxes and capsules, hinges one way only, balls, the
/// root at the tail or in the middle, the size of a maggot or of a whale. What bends can move, smoothly and ahead.
#[test]
fn others_move_too() {
    let creatures: Vec<(Creature, &[&str])> = vec![
        (row(4, 0.1, 0.03, Vec3::z()), &["slither", "swim"]),
        (row(7, 0.1, 0.03, Vec3::y()), &["crawl", "swim"]),
        (row(40, 0.002, 0.0008, Vec3::y()), &["crawl", "swim"]),
        (row(12, 1.5, 0.4, Vec3::z()), &["slither", "swim"]),
        (gambol_model::samples::chain(9), &["crawl", "swim"]),
        (worm(13, 1.0), &["crawl", "slither", "swim"]),
        (worm(21, 0.01), &["crawl", "slither", "swim"]),
    ];
    for (creature, gaits) in creatures {
        let (body, mut data) = body_of(creature);
        let name = body.creature.name();
        for gait in ["roll", "crawl", "slither", "swim"] {
            let designed = design_legless(&body, &mut data, gait, &Marks::default());
            if !gaits.contains(&gait) {
                assert!(matches!(designed, Err(GaitError::DoesNotFit { .. })), "{name} {gait}: {designed:?}");
                continue;
            }
            let components = designed.unwrap_or_else(|error| panic!("{error}"));
            let carried = carried(&body, &mut data, &components, legless_support(gait, &body.settings.waves));
            let jerk = jerk(&body, &mut data, &carried);
            assert!(carried.figures.speed > 0.0, "{name} {gait} backs");
            assert!(carried.stride.yaw.abs() < 1e-9 && jerk < 0.15, "{name} {gait}: jerk {jerk}");
            if gait != "swim" {
                let lowest = lowest(&body, &mut data, &carried);
                assert!(lowest > -1e-9, "{name} {gait}: the lowest point is at {lowest} m");
            }
        }
    }
}

/// Any mix of modes is carried: bent both ways, with several feet on the ground, rolled onto its side. It is smooth,
/// out of the ground, and comes back to itself.
#[test]
fn any_mix_of_modes_is_carried() {
    let (body, mut data) = gallery("snake");
    let mut random = gambol_model::samples::Random::new(5);
    for trial in 0..12 {
        let mut component = |_| Component {
            mode: 6 + random.below(9),
            amplitude: 0.3 * random.unit(),
            phase: TAU * random.unit(),
            harmonic: 1,
            offset: 0.0,
        };
        let components: Vec<Component> = (0..4).map(&mut component).collect();
        let support = Support::Belly { across: [1.0, 3.0, 30.0][trial % 3] };
        let carried = carried(&body, &mut data, &components, support);
        let (jerk, lowest) = (jerk(&body, &mut data, &carried), lowest(&body, &mut data, &carried));
        // What tips over onto its side is the least smooth of all.
        assert!(jerk < 0.2, "trial {trial} jerks by {jerk}");
        assert!(lowest > -1e-9, "trial {trial}: the lowest point is at {lowest} m");
    }
}

/// How finely a period is sampled must not matter: the velocity of tipping, the rounding and the softness are all in
/// parts of the period or of the body, not of the samples.
#[test]
fn finer_samples_give_the_same_way() {
    for (name, gait) in [("loop", "roll"), ("linear", "crawl"), ("snake", "slither"), ("snake", "swim")] {
        let (body, mut data) = gallery(name);
        let components = design_legless(&body, &mut data, gait, &Marks::default()).unwrap();
        let mut speed = |count: usize| {
            let poses = sampled(&body, &mut data, &components, count).unwrap();
            let heading = &body.legs.heading;
            let carried = carry(
                &body.creature,
                &mut data,
                heading,
                &poses,
                1.0,
                legless_support(gait, &body.settings.waves),
                &GaitSettings::default(),
            );
            carried.unwrap().figures.speed
        };
        let (few, many) = (speed(SAMPLES), speed(2 * SAMPLES));
        // The implicit step that tips the body is of first order.
        assert!((few / many - 1.0).abs() < 0.02, "{name} {gait}: {few} and {many} m/s");
    }
}
