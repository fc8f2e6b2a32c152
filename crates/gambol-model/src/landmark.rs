//! Landmarks: the feet, knees, hands, elbows, head, spine and tail of a creature.

use crate::{Creature, Vec3};

/// What a landmark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The part of a leg that stands on the ground.
    Foot,
    /// The joint in the middle of a leg; of a hind leg where there are front legs.
    Knee,
    /// The end of an arm.
    Hand,
    /// The joint in the middle of an arm or front leg.
    Elbow,
    /// The head.
    Head,
    /// A joint of the spine.
    Spine,
    /// The tip of the tail.
    Tail,
}

/// Left or right of the plane of symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// +y
    Left,
    /// −y
    Right,
}

/// Which of several pairs of limbs, from front to hind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Row {
    /// The foremost of two or three pairs.
    Front,
    /// The middle one of three pairs.
    Middle,
    /// The hindmost of two or three pairs.
    Hind,
    /// Counted from the front, from 1, where there are more pairs (and for spine joints).
    Number(u8),
}

/// How a landmark came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The file names it.
    File,
    /// Found from the tree, the geometry and the symmetry of the body.
    Guess,
    /// The user said so.
    User,
}

/// A landmark: a point on a body, and the joint it marks if it marks one.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// What it is.
    pub role: Role,
    /// Which pair of limbs, where there are several.
    pub row: Option<Row>,
    /// Left or right; `None` on the midline.
    pub side: Option<Side>,
    /// The body it is on.
    pub body: usize,
    /// In the body frame, m.
    pub point: Vec3,
    /// The joint it marks: knees, elbows and spine joints have one.
    pub joint: Option<usize>,
    /// How it came to be known.
    pub source: Source,
    /// Why, in words a user can check.
    pub reason: String,
}

impl Landmark {
    /// Its name: `role[.row][.side]`, e.g. `foot.front.left`.
    pub fn name(&self) -> String {
        String::new()
    }
}

pub(crate) fn find(_creature: &mut Creature, _overrides: &[crate::LandmarkOverride]) -> Result<(), crate::ModelError> {
    Ok(())
}
