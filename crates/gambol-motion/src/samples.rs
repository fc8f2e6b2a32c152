//! Clips written once, for tests and for the comparison with other programs.

use std::f64::consts::TAU;

use gambol_model::math;
use gambol_model::samples::Random;
use gambol_model::{
    BodySpec, Creature, CreatureSpec, JointSpec, Landmark, Role, Shape, ShapeSpec, SiteSpec, Transform, Vec3,
};

use crate::{Clip, Contact, Stride, Travel};

/// A creature that sways and travels: every joint swings by up to `size` (rad or m) at once and at twice the pace, its
/// free bodies too, while they do `stride` at a steady pace. It takes a second and has `keys` keys, at least two. The
/// same seed gives the same clip.
pub fn wander(creature: &Creature, seed: u64, keys: usize, size: f64, stride: Stride) -> Clip {
    let mut random = Random::new(seed);
    let swings = [(); 4].map(|()| random.numbers(creature.nv(), 0.25 * size));
    let times: Vec<f64> = (0..keys).map(|key| key as f64 / (keys - 1) as f64).collect();
    let pose = |time: f64| {
        let [once, twice] = [1.0, 2.0].map(|pace| math::sin_cos(TAU * pace * time));
        let mut way = vec![0.0; creature.nv()];
        for (swing, factor) in swings.iter().zip([once.0, once.1, twice.0, twice.1]) {
            way.iter_mut().zip(swing).for_each(|(way, swing)| *way += factor * swing);
        }
        let mut pose = creature.reference_pose().to_vec();
        creature.integrate(&mut pose, &way, 1.0);
        pose
    };
    let mut clip = Clip {
        name: String::from("wander"),
        poses: times.iter().map(|&time| pose(time)).collect(),
        times,
        stride: Some(stride),
        contacts: contacts(creature),
        travel: Some(Travel {
            speed: stride.shift.norm(),
            stride_length: stride.shift.norm(),
            stride_frequency: 1.0,
        }),
    };
    let first = clip.poses[0].clone();
    clip.poses[keys - 1] = first;
    let path = clip.path(creature);
    clip.poses.iter_mut().zip(path).for_each(|(pose, way)| way.apply(creature, pose));
    clip.align_signs(creature);
    clip
}

/// Feet that stand by turns: their times are made up, their names and points are the creature's.
fn contacts(creature: &Creature) -> Vec<Contact> {
    let feet = creature.landmarks().iter().filter(|landmark| landmark.role == Role::Foot);
    let contact = |(number, foot): (usize, &Landmark)| Contact {
        name: foot.name(),
        body: foot.body,
        point: foot.point,
        intervals: if number % 2 == 0 { vec![[0.0, 0.5]] } else { vec![[0.0, 0.125], [0.625, 1.0]] },
    };
    feet.enumerate().map(contact).collect()
}

/// A small person in a T: a free pelvis, a chest, a head, and on each side an arm and a leg of two bones and a foot, with landmarks.
/// Knees bend backwards, elbows forwards, and no further than straight.
pub fn stick_person() -> Creature {
    let mut spec = CreatureSpec::new("stick person");
    let mut add = |name: &str, parent: usize, at: Vec3, end: Vec3, joint: JointSpec, site: &str| {
        let mut body = BodySpec::new(name);
        (body.parent, body.parent_from_body) = (parent, Transform::translation(at.x, at.y, at.z));
        body.joints.push(joint);
        let mut bone = ShapeSpec::new(Shape::Box { half: end.abs() * 0.5 + Vec3::repeat(0.03) });
        bone.body_from_shape = Transform::translation(0.5 * end.x, 0.5 * end.y, 0.5 * end.z);
        body.shapes.push(bone);
        if !site.is_empty() {
            // A joint is marked where it is, an end at the end.
            let is_end = ["foot", "hand", "head"].iter().any(|end| site.starts_with(end));
            let at = if is_end { end } else { Vec3::zeros() };
            body.sites.push(SiteSpec {
                name: site.to_owned(),
                body_from_site: Transform::translation(at.x, at.y, at.z),
            });
        }
        spec.bodies.push(body);
        spec.bodies.len() - 1
    };
    let ball = |name: &str, stiffness: f64| JointSpec::ball(name).with_stiffness(stiffness);
    let bend = |name: &str, axis: Vec3, stiffness: f64| JointSpec {
        limit: Some([0.0, 2.5]),
        ..JointSpec::hinge(name, axis).with_stiffness(stiffness)
    };
    let up = Vec3::z();
    let pelvis = add("pelvis", 0, 0.95 * up, 0.1 * up, JointSpec::free("root"), "");
    let chest = add("chest", pelvis, 0.1 * up, 0.4 * up, ball("spine", 200.0), "");
    add("head", chest, 0.45 * up, 0.2 * up, ball("neck", 10.0), "head");
    for (side, y) in [("left", 1.0), ("right", -1.0)] {
        let name = |part: &str| format!("{part}.{side}");
        let along = |length: f64| Vec3::new(0.0, y * length, 0.0);
        let down = |length: f64| Vec3::new(0.0, 0.0, -length);
        let shoulder = 0.4 * up + along(0.18);
        let upper = add(&name("upper"), chest, shoulder, along(0.3), ball(&name("shoulder"), 20.0), "");
        let elbow = bend(&name("elbow"), Vec3::z() * y, 5.0);
        add(&name("lower"), upper, along(0.3), along(0.35), elbow, &name("hand"));
        let thigh = add(&name("thigh"), pelvis, along(0.1), down(0.43), ball(&name("hip"), 100.0), "");
        let knee = bend(&name("knee"), Vec3::y(), 20.0);
        add(&name("shank"), thigh, down(0.43), down(0.47), knee, &name("foot"));
    }
    spec.build().unwrap_or_else(|error| unreachable!("a stick person is valid: {error}"))
}

/// Poses of a [`stick_person`] that does what two numbers say: how far it swings its left arm and leg, from −1 to 1, and how far it crouches,
/// from 0 to 1. `turn` is where it looks, rad about z.
pub fn stick_pose(person: &Creature, swing: f64, crouch: f64, turn: f64) -> Vec<f64> {
    let mut way = vec![0.0; person.nv()];
    let mut set = |joint: &str, turn: Vec3| {
        for joint in person.joints().iter().filter(|known| known.name == joint) {
            way[joint.v..joint.v + 3].copy_from_slice(turn.as_slice());
        }
    };
    set("spine", Vec3::new(0.2 * swing, 0.3 * crouch, 0.4 * swing));
    set("neck", Vec3::new(0.0, -0.2 * crouch, -0.3 * swing));
    set("shoulder.left", Vec3::new(-0.5 - 0.3 * crouch, 0.2, 0.9 * swing));
    set("shoulder.right", Vec3::new(0.9 - 0.3 * crouch, 0.0, -0.2 * swing));
    set("hip.left", Vec3::new(0.1 * swing, -0.6 * crouch - 0.5 * swing, 0.1));
    set("hip.right", Vec3::new(0.0, -0.6 * crouch + 0.3 * swing, 0.0));
    for (joint, angle) in [
        ("knee.left", 1.2 * crouch + 0.3 + 0.2 * swing),
        ("knee.right", 1.2 * crouch + 0.3),
        ("elbow.left", 0.8 + 0.5 * swing),
        ("elbow.right", 0.5 + 0.3 * crouch),
    ] {
        for joint in person.joints().iter().filter(|known| known.name == joint) {
            way[joint.v] = angle;
        }
    }
    let mut pose = person.reference_pose().to_vec();
    way[5] = turn;
    person.integrate(&mut pose, &way, 1.0);
    pose
}
