//! Clips for tests: two modes in quadrature (equation 4 of Kry 2009) on a root that moves on evenly. Feet stand while
//! they move back; they slide, because nothing holds them.

use std::f64::consts::{FRAC_PI_2, TAU};

use gambol::model::{Creature, JointKind, Role};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Vec3, math};
use gambol_motion::{Clip, Contact, Stride, Travel};

pub(crate) fn creature(name: &str) -> Creature {
    gambol::load(name, &gambol::LoadOptions::default()).expect("the gallery is valid")
}

/// What a fake gait is made of.
pub(crate) struct Fake {
    pub(crate) name: &'static str,
    /// Mode and amplitude, rad; the second is a quarter of a cycle ahead.
    pub(crate) modes: [(usize, f64); 2],
    /// m/s
    pub(crate) speed: f64,
    /// rad per cycle
    pub(crate) yaw: f64,
    /// Hz
    pub(crate) frequency: f64,
}

impl Fake {
    pub(crate) fn clip(&self, creature: &Creature) -> Clip {
        const KEYS: u32 = 60;
        let period = 1.0 / self.frequency;
        let mut data = Data::new(creature);
        let rest = creature.rest_pose().to_vec();
        let settings = gambol::modes::Settings { count: Some(20), ..Default::default() };
        let modes = gambol::modes::analyze(creature, &mut data, &rest, &settings).expect("it has modes");
        let step = Stride {
            yaw: self.yaw / f64::from(KEYS),
            shift: Vec3::x() * self.speed * period / f64::from(KEYS),
        };
        let mut times = Vec::new();
        let mut poses = Vec::new();
        // Foot positions as seen from the mean travel.
        let feet: Vec<_> = creature.landmarks().iter().filter(|mark| mark.role == Role::Foot).collect();
        let mut ways = vec![Vec::new(); feet.len()];
        for key in 0..=KEYS {
            let phase = TAU * f64::from(key % KEYS) / f64::from(KEYS);
            let mut way = vec![0.0; creature.nv()];
            for ((mode, amplitude), lead) in self.modes.iter().zip([0.0, FRAC_PI_2]) {
                let swing = amplitude * math::sin(phase + lead);
                way.iter_mut().zip(&modes.directions()[*mode].shape).for_each(|(v, u)| *v += swing * u);
            }
            let mut pose = rest.clone();
            creature.integrate(&mut pose, &way, 1.0);
            let frames = forward_kinematics(creature, &mut data, &pose);
            for (way, foot) in ways.iter_mut().zip(&feet) {
                way.push(frames[foot.body].point_in_world(foot.point).x);
            }
            // The lowest point is on the ground.
            let low = feet.iter().map(|foot| frames[foot.body].point_in_world(foot.point).z);
            let low = low.fold(f64::INFINITY, f64::min);
            for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
                if low.is_finite() {
                    pose[joint.q + 2] -= low - 0.01;
                }
            }
            (0..key).for_each(|_| step.apply(creature, &mut pose));
            times.push(period * f64::from(key) / f64::from(KEYS));
            poses.push(pose);
        }
        let mut end = Stride { yaw: self.yaw, shift: Vec3::zeros() };
        let mut origin = Vec3::zeros();
        for _ in 0..KEYS {
            origin = gambol_model::Quat::from_axis_angle(&Vec3::z_axis(), step.yaw) * origin + step.shift;
        }
        end.shift = origin;
        let contacts = feet.iter().zip(&ways).map(|(foot, way)| Contact {
            name: foot.name(),
            body: foot.body,
            point: foot.point,
            intervals: back(way, &times),
        });
        Clip {
            name: self.name.to_owned(),
            contacts: contacts.collect(),
            times,
            poses,
            stride: Some(end),
            travel: Some(Travel {
                speed: self.speed,
                stride_length: self.speed * period,
                stride_frequency: self.frequency,
            }),
        }
    }
}

/// When a foot moves back.
fn back(way: &[f64], times: &[f64]) -> Vec<[f64; 2]> {
    let mut intervals: Vec<[f64; 2]> = Vec::new();
    for k in 1..way.len() {
        if way[k] < way[k - 1] {
            match intervals.last_mut() {
                Some(last) if last[1] == times[k - 1] => last[1] = times[k],
                _ => intervals.push([times[k - 1], times[k]]),
            }
        }
    }
    intervals
}

pub(crate) const TROT: Fake =
    Fake { name: "trot", modes: [(9, 0.5), (13, 0.35)], speed: 1.4, yaw: 0.0, frequency: 2.0 };
