//! Bodies, and their motion by equation 4, for the tests of gaits.

use std::f64::consts::TAU;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_gait::{Body, Gait, GaitSettings, Legs, Style, preset_style};
use gambol_model::{BodySpec, Creature, CreatureSpec, JointSpec, Shape, ShapeSpec, Transform, Vec3, math};
use gambol_modes::{Settings, analyze, parse_constraint, set_uniform};
use gambol_motion::Clip;
use nalgebra::{Complex, Translation3, UnitQuaternion};

pub(crate) const GALLERY: [&str; 10] =
    ["loop", "linear", "dog", "human", "bird", "kangaroo", "monster", "insect", "spider", "snake"];

pub(crate) fn body_of(mut creature: Creature, style: &Style) -> (Body, Data) {
    let mut data = Data::new(&creature);
    if let Some(k) = style.stiffness {
        set_uniform(&mut creature, k).unwrap();
    }
    let pose = style.named_pose(&creature).unwrap();
    creature.set_rest_pose(&pose).unwrap();
    let texts = style.constraints.iter();
    let constraints =
        texts.map(|text| parse_constraint(&creature, &mut data, &pose, text).unwrap()).collect();
    let modes = analyze(&creature, &mut data, &pose, &Settings { count: None, constraints }).unwrap();
    let legs = Legs::new(&creature, &mut data, &pose);
    let class = gambol_anatomy::classify(&creature, &mut data, &gambol_anatomy::ClassSettings::default());
    (
        Body { creature, basis: modes, legs, class, style: style.clone(), settings: GaitSettings::default() },
        data,
    )
}

pub(crate) fn body(name: &str, style: &Style) -> (Body, Data) {
    body_of(gambol::load(name, &gambol::LoadOptions::default()).unwrap(), style)
}

/// The body of a gallery creature in the style that its preset of this gait asks for, if it has one.
pub(crate) fn preset_body(name: &str, gait: &str) -> (Body, Data) {
    let creature = gambol::load(name, &gambol::LoadOptions::default()).unwrap();
    let style = preset_style(&creature, gait).unwrap_or_default();
    body_of(creature, &style)
}

/// The pose of equation 4 at a share of the cycle; `scale` makes the motion small.
pub(crate) fn pose_at(body: &Body, gait: &Gait, cycle: f64, scale: f64) -> Vec<f64> {
    let mut v = vec![0.0; body.creature.nv()];
    for c in &gait.components {
        let value = c.amplitude * math::sin(TAU * f64::from(c.harmonic) * cycle + c.phase) + c.offset;
        for (v, u) in v.iter_mut().zip(&body.basis.directions()[c.mode].shape) {
            *v += scale * value * u;
        }
    }
    let mut pose = body.basis.mean().to_vec();
    body.creature.integrate(&mut pose, &v, 1.0);
    pose
}

/// What a foot does over a cycle, measured on poses.
pub(crate) struct FootPath {
    /// Time at which it goes back fastest, cycles: the phase of the first harmonic of its way.
    pub(crate) phase: f64,
    /// Amplitude of that, m.
    pub(crate) swing: f64,
    /// ∮ z dx, m²; z is the height of the foot's centre of mass, or of its planted point.
    pub(crate) area: f64,
}

impl FootPath {
    /// From places forward and up at even times.
    fn of(points: &[(f64, f64)]) -> Self {
        let steps = points.len();
        let turn = |step: usize| math::polar(1.0, -TAU * step as f64 / steps as f64);
        let sum: Complex<f64> = points.iter().enumerate().map(|(k, (x, _))| turn(k) * *x).sum();
        let first = sum * 2.0 / steps as f64; // x = Re(first e^{iωt}) + …
        // x = −X sin(ωt − 2πψ) is Re(i X e^{−i2πψ} e^{iωt}).
        let phase = -math::angle(first * Complex::new(0.0, -1.0)) / TAU;
        let next = |k: usize| points[(k + 1) % steps];
        let area = points.iter().enumerate().map(|(k, (x, z))| 0.5 * (z + next(k).1) * (next(k).0 - x)).sum();
        Self { phase: phase.rem_euclid(1.0), swing: math::length(first), area }
    }
}

/// Paths of all feet by equation 4 alone.
pub(crate) fn foot_paths(body: &Body, data: &mut Data, gait: &Gait, scale: f64) -> Vec<FootPath> {
    const STEPS: usize = 64; // more than enough for two harmonics and their distortion
    let heading = body.legs.heading;
    let mut points: Vec<Vec<(f64, f64)>> = vec![Vec::new(); body.legs.legs.len()];
    for step in 0..STEPS {
        let pose = pose_at(body, gait, step as f64 / STEPS as f64, scale);
        let frames = forward_kinematics(&body.creature, data, &pose);
        for (leg, points) in body.legs.legs.iter().zip(&mut points) {
            let center = frames[leg.foot].point_in_world(body.creature.bodies()[leg.foot].mass.com);
            let stands = frames[leg.foot].point_in_world(leg.point);
            points.push((stands.dot(&heading.forward), center.dot(&heading.up)));
        }
    }
    points.iter().map(|points| FootPath::of(points)).collect()
}

/// Paths of all feet over a clip of one cycle, as seen by who goes along with the creature.
pub(crate) fn played_paths(body: &Body, data: &mut Data, clip: &Clip) -> Vec<FootPath> {
    let heading = body.legs.heading;
    let steps = clip.poses.len() - 1;
    let speed = clip.travel.unwrap().speed;
    let mut points: Vec<Vec<(f64, f64)>> = vec![Vec::new(); body.legs.legs.len()];
    for (time, pose) in clip.times.iter().zip(&clip.poses).take(steps) {
        let frames = forward_kinematics(&body.creature, data, pose);
        for (leg, points) in body.legs.legs.iter().zip(&mut points) {
            let place = frames[leg.foot].point_in_world(leg.point);
            points.push((place.dot(&heading.forward) - speed * time, place.dot(&heading.up)));
        }
    }
    points.iter().map(|points| FootPath::of(points)).collect()
}

/// Distance of two phases, cycles, 0 to ½.
pub(crate) fn apart(a: f64, b: f64) -> f64 {
    let d = (a - b).rem_euclid(1.0);
    d.min(1.0 - d)
}

/// A creature with `pairs` pairs of legs of three joints under a trunk with a joint between pairs. `sprawl` puts the
/// feet out; `heavier` makes the left legs heavier by this factor.
pub(crate) fn walker(pairs: usize, sprawl: f64, heavier: f64, mirrored: bool) -> Creature {
    let mut spec = CreatureSpec::new("walker");
    let at = |x: f64, y: f64, z: f64| {
        Transform::from_parts(Translation3::new(x, y, z), UnitQuaternion::identity())
    };
    let capsule = |from: Vec3, to: Vec3, radius: f64, density: f64| {
        let half_length = 0.5 * (to - from).norm();
        let turn = UnitQuaternion::rotation_between(&Vec3::z(), &(to - from))
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
        let mut shape = ShapeSpec::new(Shape::Capsule { radius, half_length });
        shape.body_from_shape = Transform::from_parts((0.5 * (from + to)).into(), turn);
        shape.density = density;
        shape
    };
    let mut carrier = 0;
    for pair in 0..pairs {
        let row = pair + 1;
        let mut trunk = BodySpec::new(format!("trunk.{row}"));
        trunk.parent_from_body = if pair == 0 { at(0.0, 0.0, 0.6) } else { at(-0.4, 0.0, 0.0) };
        trunk.shapes.push(capsule(Vec3::zeros(), Vec3::new(-0.3, 0.0, 0.0), 0.08, 1000.0));
        trunk.joints.push(if pair == 0 {
            JointSpec::free("root")
        } else {
            JointSpec::ball(format!("back.{row}")).with_stiffness(300.0)
        });
        carrier = spec.add_body(carrier, trunk).unwrap();
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            let y = if mirrored { -sign } else { sign };
            let density = if sign > 0.0 { 1000.0 * heavier } else { 1000.0 };
            // Names follow the place: the mirror image of a left leg is a right one.
            let side = if mirrored { if side == "left" { "right" } else { "left" } } else { side };
            let mut parent = carrier;
            let mut place = at(-0.05, 0.1 * y, 0.0);
            let knee_out = Vec3::new(0.06, 0.5 * sprawl * y, -0.28);
            let foot_out = Vec3::new(-0.06, 0.5 * sprawl * y, -0.28);
            let segments = [
                ("thigh", "hip", knee_out),
                ("shin", "knee", foot_out),
                ("foot", "ankle", Vec3::new(0.08, 0.0, -0.04)),
            ];
            for (name, joint, to) in segments {
                let mut segment = BodySpec::new(format!("{name}.{row}.{side}"));
                segment.parent_from_body = place;
                segment.shapes.push(capsule(Vec3::zeros(), to, 0.03, density));
                let joint_name = format!("{joint}.{row}.{side}");
                segment.joints.push(if joint == "hip" {
                    JointSpec::ball(joint_name).with_stiffness(30.0)
                } else {
                    JointSpec::hinge(joint_name, Vec3::y()).with_stiffness(30.0)
                });
                parent = spec.add_body(parent, segment).unwrap();
                place = at(to.x, to.y, to.z);
            }
        }
    }
    spec.build().unwrap()
}
