//! How large a creature feels: the tempo of the clips that come with it.
//!
//! Animals that move alike have f √(h/g) alike, f strides per second on legs of the length h (Alexander and Jayes 1983; this
//! room's own gaits go by it). An artist's horse may be four metres tall because somebody liked these units; if its own
//! gallop takes three strides a second where its size has one, it feels a ninth as large. Nothing is made smaller for that:
//! gravity and springs are made stronger, by the square of how much faster its clips are, and all that moves takes as
//! much less time. So lengths stay those of the file, and forces in body weights are as they would be.

use std::f64::consts::TAU;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Vec3, math};
use gambol_motion::Clip;
use nalgebra::Complex;
use serde::Serialize;

use crate::palette::area;
use crate::tempo::reach;
use crate::{Body, FeltSettings, GaitError};

/// A clip that is a gait.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OwnGait {
    /// Of the clip.
    pub name: String,
    /// m, by how far the feet go to and fro below the hips.
    pub stride_length: f64,
    /// Strides per second.
    pub frequency: f64,
    /// Strides of this length per second that this creature would take by its size.
    pub usual: f64,
}

/// How large a creature feels.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Felt {
    /// How many times as fast its own clips are as its size has them.
    pub faster: f64,
    /// Acceleration of gravity that makes it so, m/s².
    pub gravity: f64,
    /// The clips that say it.
    pub clips: Vec<OwnGait>,
}

/// Why nothing is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FeltError {
    /// Nothing to look at.
    #[error("it has no clips of its own")]
    NoClips,
    /// It stands about, falls, waves.
    #[error(
        "none of its clips is a gait: a loop that goes somewhere, in which every foot is set down and lifted"
    )]
    NoGait,
    /// Nothing falls.
    #[error("it has no weight, or no legs")]
    Weightless,
}

/// What the clips of a creature, made for its own skeleton, say about how large it feels. `body` is that creature in its usual style.
pub fn feel(body: &Body, data: &mut Data, clips: &[Clip]) -> Result<Felt, FeltError> {
    let gravity = body.creature.gravity().norm();
    if gravity <= 0.0 || body.legs.is_empty() || body.legs.length <= 0.0 {
        return Err(FeltError::Weightless);
    }
    if clips.is_empty() {
        return Err(FeltError::NoClips);
    }
    let found: Vec<OwnGait> = clips.iter().filter_map(|clip| own_gait(body, data, clip)).collect();
    let mut times: Vec<f64> = found.iter().map(|gait| math::ln(gait.frequency / gait.usual)).collect();
    times.sort_by(f64::total_cmp);
    let count = times.len();
    if count == 0 {
        return Err(FeltError::NoGait);
    }
    // The median, since one clip in slow motion says nothing about the others; of two the one that is nearer to its size.
    let (low, high) = (times[(count - 1) / 2], times[count / 2]);
    let faster = math::exp(if low.abs() <= high.abs() { low } else { high });
    Ok(Felt { faster, gravity: gravity * faster * faster, clips: found })
}

impl Felt {
    /// Whether its clips are so much faster or slower that an eye sees it.
    pub fn differs(&self, settings: &FeltSettings) -> bool {
        math::ln(self.faster).abs() > math::ln(settings.seen)
    }

    /// What its clips say, in words.
    pub fn offer(&self) -> String {
        let clip = |OwnGait { name, frequency, usual, .. }: &OwnGait| {
            format!("its own {name:?} takes {frequency:.2} strides per second, where its size has {usual:.2}")
        };
        self.clips.first().map(clip).unwrap_or_default()
    }

    /// What was taken of them, in words.
    pub fn taken(&self) -> String {
        let Self { faster, gravity, clips } = self;
        let clip = |clip: &OwnGait| {
            format!("{} {:.2} Hz ({:.2} by its size)", clip.name, clip.frequency, clip.usual)
        };
        let clips: Vec<String> = clips.iter().map(clip).collect();
        format!(
            "in step with its own clips, {}: {faster:.2} times as fast as its size has it, as under {gravity:.2} m/s²; \
             forces are told under that",
            clips.join(", ")
        )
    }

    /// Makes a creature feel so: gravity and all springs stronger by the square of `faster`. Every vibration is faster by that
    /// itself, and so is all that falls.
    pub fn apply(&self, creature: &mut Creature) -> Result<(), GaitError> {
        let square = self.faster * self.faster;
        let wrong = |error: gambol_model::ModelError| GaitError::Body(error.to_string());
        creature.scale_gravity(square).map_err(wrong)?;
        for joint in 0..creature.joints().len() {
            let stiffness = creature.joints()[joint].stiffness * square;
            creature.set_stiffness(joint, stiffness).map_err(wrong)?;
        }
        for tendon in 0..creature.tendons().len() {
            let stiffness = creature.tendons()[tendon].stiffness * square;
            creature.set_tendon_stiffness(tendon, stiffness).map_err(wrong)?;
        }
        Ok(())
    }
}

/// The clip as a gait; `None` if it is none. Artists' feet slide and sink, so nothing is asked of the ground: in a gait every foot
/// goes to and fro below its hip, high on its way ahead, as often as all the others. How far tells the stride, and a stride of
/// that length in leg lengths tells the Froude number (Alexander and Jayes 1983), whatever the tempo.
fn own_gait(body: &Body, data: &mut Data, clip: &Clip) -> Option<OwnGait> {
    let settings = &body.settings.felt;
    let length = clip.times.last()? - clip.times.first()?;
    if clip.stride.is_none() || clip.times.len() < settings.fewest_keys || length <= 0.0 {
        return None; // what does not recur has no cadence
    }
    let feet = foot_paths(body, data, clip, settings.samples);
    let whole = |path: &[Vec3], h: usize| harmonic(path, h)[0].norm_sqr();
    let power = |h: usize| feet.iter().map(|path| whole(path, h)).sum::<f64>();
    let harmonics = 1..=settings.most_strides;
    let strides = harmonics.clone().max_by(|&a, &b| power(a).total_cmp(&power(b)).then(b.cmp(&a)))?;
    let mut swing = 0.0;
    for path in &feet {
        let [x, z] = harmonic(path, strides);
        let all: f64 = harmonics.clone().map(|h| whole(path, h)).sum();
        if whole(path, strides) < settings.pure * all || area(x, z) <= 0.0 {
            return None; // it turns about, kicks, or drags the foot
        }
        swing += math::length(x) / feet.len() as f64;
    }
    if swing < settings.least_swing * body.legs.length {
        return None; // it stands about, or steps on the spot
    }
    let (tempo, reach) = (&body.settings.tempo, reach(body, data));
    let stride_length = swing / settings.swing_per_stride;
    let froude = math::powf(stride_length / (tempo.stride * reach), 1.0 / tempo.stride_power);
    let usual = (froude * body.creature.gravity().norm() * body.legs.length).sqrt() / stride_length;
    let frequency = strides as f64 / length;
    let [least, most] = settings.times;
    let within = (least..=most).contains(&(frequency / usual));
    within.then(|| OwnGait { name: clip.name.clone(), stride_length, frequency, usual })
}

/// Where each foot is at even moments of a loop: ahead of its hip, to its left, and above the ground, m.
fn foot_paths(body: &Body, data: &mut Data, clip: &Clip, samples: usize) -> Vec<Vec<Vec3>> {
    let (creature, legs) = (&body.creature, &body.legs.legs);
    let mut paths = vec![Vec::with_capacity(samples); legs.len()];
    let start = clip.times[0];
    let length = clip.times[clip.times.len() - 1] - start;
    for k in 0..samples {
        let pose = clip.pose_at(creature, start + length * k as f64 / samples as f64);
        let frames = forward_kinematics(creature, data, &pose);
        for (leg, path) in legs.iter().zip(&mut paths) {
            let foot = frames[leg.foot].point_in_world(leg.point);
            let way = body.legs.heading.components(foot - leg.hip_in_world(creature, frames));
            path.push(Vec3::new(way.x, way.y, body.legs.heading.components(foot).z));
        }
    }
    paths
}

/// The harmonic `h` of a path, ahead and up: complex amplitudes, m.
fn harmonic(path: &[Vec3], h: usize) -> [Complex<f64>; 2] {
    let n = path.len();
    let wave = |k: usize| math::polar(2.0 / n as f64, -TAU * (h * k % n) as f64 / n as f64);
    let of = |axis: usize| path.iter().enumerate().map(|(k, place)| wave(k) * place[axis]).sum();
    [of(0), of(2)]
}
