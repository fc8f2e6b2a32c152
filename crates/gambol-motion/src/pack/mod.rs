//! Packed clips: motion in a few bytes a frame, and any pose of it at once.
//!
//! ```text
//! knots every N keys, lines between them, and what is left over as sines        (transform)
//! in coordinates of length 1 in the metric of positions, principal ones first    (Frame)
//! as whole multiples of a step that every segment chooses for itself              (encode)
//! with bits for what is unlikely only                                             (symbols, range_coder)
//! and feet put to where they stand                                                (hold)
//! ```
//!
//! Another way, that of Tournier and others (2009): trajectories of the root and of the ends of limbs in levels of detail, and poses by inverse
//! kinematics in a basis (pyramid, ends). Ends of both can be moved while they are packed (edit).
//!
//! The error that is promised is measured on what a reader gets: the largest distance, over all bodies and keys, of points 3 cm off
//! each joint. Chunks of some seconds are read without those before them.

mod bytes;
mod decode;
mod edit;
mod encode;
mod ends;
mod ends_encode;
mod hold;
mod pyramid;
mod range_coder;
mod read;
mod symbols;
mod transform;

use gambol_model::{Creature, JointKind};

use bytes::Content;
pub use edit::{EditReport, PackEdit, edit_pack};
pub use encode::{PackReport, PackSettings, PackTarget, pack, pack_with};
pub use ends_encode::{EndsChoice, EndsReport, EndsSettings, end_points, ends_floats, pack_ends};
pub use hold::{HeldFoot, hold_feet};
pub use pyramid::level_sizes;

use crate::{Basis, Clip, Contact, Stride, Travel};

/// Why a clip cannot be packed, or bytes are no packed clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// Not a clip of this creature.
    #[error("{0}")]
    Clip(#[from] crate::ClipError),
    /// Bytes that no packing wrote.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// Bytes of a later program.
    #[error("version {0} of the format; this program reads {VERSION}")]
    Version(u8),
    /// A clip of another skeleton.
    #[error("the clip is of {packed:?}, whose joints or bones are not those of {creature:?}")]
    Creature {
        /// Name of the creature that was packed.
        packed: String,
        /// Name of the creature given.
        creature: String,
    },
    /// An error that cannot be kept.
    #[error("an error of {0} m is asked for; it must be a length above 0")]
    Target(f64),
    /// Fewer bytes than the motion takes at its coarsest.
    #[error("{bytes} bytes are too few: the coarsest packing takes {least}")]
    Bytes {
        /// As asked for.
        bytes: usize,
        /// What it would take.
        least: usize,
    },
    /// More directions than there are coordinates.
    #[error("{count} directions are asked for; the creature moves by {nv}")]
    Count {
        /// As asked for.
        count: usize,
        /// Velocity coordinates.
        nv: usize,
    },
    /// No basis of the motion.
    #[error("{0}")]
    Basis(#[from] crate::BasisError),
    /// Settings that make no sense.
    #[error("{0}")]
    Settings(String),
    /// An edit that cannot be made.
    #[error("the edit cannot be made: {0}")]
    Edit(String),
    /// A basis that is kept elsewhere.
    #[error("it shares the basis {file:?}, which is not there; put that file beside it")]
    NeedsBasis {
        /// Its file.
        file: String,
    },
    /// Another basis of that name.
    #[error("the basis {file:?} is another than the one that it was packed with")]
    OtherBasis {
        /// Its file.
        file: String,
    },
    /// Longer than the format holds.
    #[error("{numbers} numbers in all poses are more than {most}")]
    TooLong {
        /// Of all poses.
        numbers: usize,
        /// The most there may be.
        most: usize,
    },
}

/// The latest version that is written and read. What needs nothing of it is written as version 1.
pub(crate) const VERSION: u8 = 2;

/// The most numbers of all poses: a quarter of a GiB when unpacked.
pub(crate) const MOST_NUMBERS: usize = 1 << 26;

/// A clip that was packed, ready to be sampled.
#[derive(Clone, Debug)]
pub struct Pack {
    name: String,
    times: Vec<f64>,
    /// `nq` numbers per key.
    poses: Vec<f32>,
    nq: usize,
    /// First numbers of quaternions.
    turns: Vec<usize>,
    stride: Option<Stride>,
    travel: Option<Travel>,
    contacts: Vec<Contact>,
}

impl Pack {
    /// Reads what [`pack`] or [`pack_ends`] wrote for this creature.
    pub fn open(creature: &Creature, bytes: &[u8]) -> Result<Self, PackError> {
        Self::open_with(creature, bytes, None)
    }

    /// The same of a clip that shares a basis ([`Self::basis_of`]).
    pub fn open_with(creature: &Creature, bytes: &[u8], basis: Option<&Basis>) -> Result<Self, PackError> {
        Self::of_content(creature, read::parse(creature, bytes, basis)?)
    }

    fn of_content(creature: &Creature, content: Content) -> Result<Self, PackError> {
        let (head, poses) = match content {
            Content::Direct(packed) => {
                let poses = decode::poses(creature, &packed)?;
                (packed.header.head, poses)
            }
            Content::Ends(clip) => {
                let poses = ends::poses(creature, &clip)?;
                (clip.head, poses)
            }
        };
        let bytes::Head { name, times, stride, travel, feet, .. } = head;
        let contacts = feet.into_iter().map(|foot| foot.contact).collect();
        let clip = Clip { name, times, poses, stride, contacts, travel };
        clip.check(creature)?;
        Ok(Self::from_clip(creature, clip))
    }

    /// Name of the file of the basis that the bytes share, if they do.
    pub fn basis_of(bytes: &[u8]) -> Result<Option<String>, PackError> {
        read::basis_of(bytes)
    }

    /// Name of the creature that the bytes are of.
    pub fn creature_of(bytes: &[u8]) -> Result<String, PackError> {
        read::creature_of(bytes)
    }

    fn from_clip(creature: &Creature, clip: Clip) -> Self {
        let turn = |joint: &gambol_model::Joint| match joint.kind {
            JointKind::Free => Some(joint.q + 3),
            JointKind::Ball => Some(joint.q),
            JointKind::Hinge | JointKind::Slide => None,
        };
        #[allow(clippy::cast_possible_truncation)] // seven digits are enough for the eye
        let poses = clip.poses.iter().flatten().map(|x| *x as f32).collect();
        Self {
            name: clip.name,
            times: clip.times,
            poses,
            nq: creature.nq(),
            turns: creature.joints().iter().filter_map(turn).collect(),
            stride: clip.stride,
            travel: clip.travel,
            contacts: clip.contacts,
        }
    }

    /// What it shows.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// s
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Numbers of a pose.
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Writes the pose at `time`, s, into `pose`, `nq` numbers; before the first key and after the last one, those. Nothing is
    /// allocated. Between keys, numbers are blended and quaternions made of length 1 again, which at the rates of recordings is the
    /// shortest way to seven digits.
    pub fn sample(&self, time: f64, pose: &mut [f64]) {
        let count = self.times.len();
        let after = self.times.partition_point(|key| *key <= time).clamp(1, count.max(2) - 1);
        let before = after - 1;
        let share = if after < count {
            ((time - self.times[before]) / (self.times[after] - self.times[before])).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let from = &self.poses[before * self.nq..(before + 1) * self.nq];
        let to = self.poses.get(after * self.nq..(after + 1) * self.nq).unwrap_or(from);
        for ((pose, from), to) in pose.iter_mut().zip(from).zip(to) {
            *pose = f64::from(*from) + share * f64::from(to - from);
        }
        for &turn in &self.turns {
            let Some(q) = pose.get_mut(turn..turn + 4) else { continue };
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            for x in q {
                *x /= length;
            }
        }
    }

    /// All of it as a clip.
    pub fn clip(&self) -> Clip {
        let pose = |&time: &f64| {
            let mut pose = vec![0.0; self.nq];
            self.sample(time, &mut pose);
            pose
        };
        Clip {
            name: self.name.clone(),
            times: self.times.clone(),
            poses: self.times.iter().map(pose).collect(),
            stride: self.stride,
            contacts: self.contacts.clone(),
            travel: self.travel,
        }
    }
}
