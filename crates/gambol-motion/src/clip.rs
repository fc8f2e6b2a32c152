//! Poses over time.

use gambol_model::{Creature, JointKind, Quat, Vec3};
use nalgebra::Quaternion;
use serde::{Deserialize, Serialize};

/// Poses of one creature over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// What it shows, e.g. `trot`.
    pub name: String,
    /// s, from 0, strictly increasing; one per pose.
    pub times: Vec<f64>,
    /// `nq` numbers each. Signs of quaternions are continuous from key to key.
    pub poses: Vec<Vec<f64>>,
    /// If it loops: where the last pose is, as seen from the first. All else of the two poses is equal.
    pub stride: Option<Stride>,
    /// When each foot stands.
    pub contacts: Vec<Contact>,
    /// How it travels, if it is a gait.
    pub travel: Option<Travel>,
}

/// A motion along the ground: a turn about the vertical through the world's origin, then a shift.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Stride {
    /// rad about z
    pub yaw: f64,
    /// m
    pub shift: Vec3,
}

/// A foot and the times at which it stands.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Contact {
    /// Name of the landmark, e.g. `foot.front.left`.
    pub name: String,
    /// The body that stands.
    pub body: usize,
    /// The point of it that stays where it is, in the body frame, m.
    pub point: Vec3,
    /// Start and end, s, within the clip; of a looping clip, one that runs over the end appears as two.
    pub intervals: Vec<[f64; 2]>,
}

/// The figures of a gait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// m/s along the path
    pub speed: f64,
    /// m per cycle
    pub stride_length: f64,
    /// cycles per second
    pub stride_frequency: f64,
}

/// What is wrong with a clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// No keys, or not as many times as poses.
    #[error(
        "a clip needs a time for every pose and at least one pose; it has {times} times and {poses} poses"
    )]
    Empty {
        /// Number of times.
        times: usize,
        /// Number of poses.
        poses: usize,
    },
    /// Times must rise.
    #[error("key {key}: times must start at 0 or later and rise strictly")]
    Time {
        /// Counted from 0.
        key: usize,
    },
    /// A pose that is not one of the creature's.
    #[error("{0}")]
    Pose(String),
    /// No keys, or more than memory holds.
    #[error("{rate} keys per second are not above 0, or too many for so long a clip")]
    Rate {
        /// 1/s
        rate: f64,
    },
    /// A part that is empty.
    #[error("there are no two keys from {start} s to {end} s; the clip ends at {length} s")]
    Part {
        /// s
        start: f64,
        /// s
        end: f64,
        /// s
        length: f64,
    },
}

impl Clip {
    /// s
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Checks lengths, times and poses against a creature.
    pub fn check(&self, creature: &Creature) -> Result<(), ClipError> {
        if self.poses.is_empty() || self.times.len() != self.poses.len() {
            return Err(ClipError::Empty { times: self.times.len(), poses: self.poses.len() });
        }
        let mut before = -f64::MIN_POSITIVE;
        for (key, &time) in self.times.iter().enumerate() {
            // Not `time <= before`, so that NaN is caught.
            if !(time > before && time.is_finite()) {
                return Err(ClipError::Time { key });
            }
            before = time;
        }
        for (key, pose) in self.poses.iter().enumerate() {
            creature
                .checked_pose(&format!("key {key}"), pose)
                .map_err(|error| ClipError::Pose(error.to_string()))?;
        }
        Ok(())
    }

    /// Makes the signs of all quaternions continuous: of q and −q, which are one rotation, the one nearer to the key
    /// before. Programs that blend keys number by number need it.
    pub fn align_signs(&mut self, creature: &Creature) {
        for key in 1..self.poses.len() {
            let (before, after) = self.poses.split_at_mut(key);
            let (before, after) = (&before[key - 1], &mut after[0]);
            for joint in creature.joints() {
                let range = match joint.kind {
                    JointKind::Free => joint.q + 3..joint.q + 7,
                    JointKind::Ball => joint.q..joint.q + 4,
                    JointKind::Hinge | JointKind::Slide => continue,
                };
                let dot: f64 = range.clone().map(|k| before[k] * after[k]).sum();
                if dot < 0.0 {
                    range.for_each(|k| after[k] = -after[k]);
                }
            }
        }
    }
}

impl Stride {
    /// Moves a pose of a creature with a free root by this motion.
    pub fn apply(&self, creature: &Creature, pose: &mut [f64]) {
        let turn = Quat::from_axis_angle(&Vec3::z_axis(), self.yaw);
        for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
            let q = joint.q;
            let position = turn * Vec3::new(pose[q], pose[q + 1], pose[q + 2]) + self.shift;
            let orientation =
                turn.into_inner() * Quaternion::new(pose[q + 3], pose[q + 4], pose[q + 5], pose[q + 6]);
            pose[q..q + 3].copy_from_slice(position.as_slice());
            pose[q + 3..q + 7].copy_from_slice(&[orientation.w, orientation.i, orientation.j, orientation.k]);
        }
    }
}
