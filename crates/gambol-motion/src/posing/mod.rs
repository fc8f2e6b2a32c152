//! Natural poses from a few handles: the likeliest pose that brings them where they are pulled.
//!
//! ```text
//! Prior::Frames    what poses of recordings with handles near these have in common      (neighbours, fit)
//! Prior::Process   a Gaussian process of a few hidden coordinates, as Wu and others (2011) pose   (process)
//! Prior::Basis     the spreads of a basis: with all principal geodesics, a Gaussian      (Basis::pose_for)
//! Prior::Elastic   every joint by its stiffness, without a recording                     (elastic)
//! ```
//!
//! A [`Poser`] keeps what does not change while handles are dragged.

mod elastic;
mod fit;
mod frames;
mod look;
mod mirror;
mod neighbours;
mod process;
mod reconstruct;

use gambol_dynamics::{Data, Goal};
use gambol_model::{BodyPoint, Creature, Joint, JointKind, Vec3};

pub use elastic::ElasticSettings;
pub use fit::{PoseWish, fit_pose};
pub use frames::{FrameSelector, PoseFrames, SelectorSettings};
pub use look::Look;
use neighbours::Neighbours;
pub use process::{PoseProcess, ProcessMethod, ProcessSettings, ProcessSpec};
pub use reconstruct::{Reconstruction, reconstruct};

use crate::{Basis, BasisError};

/// Whether the root is where it is given, or goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootMotion {
    /// It stays in its place.
    Given,
    /// It goes where the handles take it.
    Free,
}

/// What makes a pose likely.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Prior {
    /// Poses of recordings: those with handles near the wanted ones say where all other bones are.
    Frames(PoseFrames),
    /// A Gaussian process of a few hidden coordinates.
    Process(Box<PoseProcess>),
    /// The spreads of a basis: with all principal geodesics of recordings, a Gaussian.
    Basis(Basis),
    /// Every joint by itself, within its limits: an angle costs ½ K^p θ², from the creature at rest with its knees and elbows bent to
    /// their side. No recording is needed.
    Elastic(ElasticSettings),
}

/// A pose that was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Posed {
    /// `nq` numbers.
    pub pose: Vec<f64>,
    /// Largest distance of a handle from its target, m.
    pub miss: f64,
}

/// Poses a creature by some of its points; made by [`Prior::poser`].
pub struct Poser<'p> {
    creature: &'p Creature,
    handles: Vec<BodyPoint>,
    way: Way<'p>,
}

enum Way<'p> {
    Frames(Box<Neighbours<'p>>),
    Process(&'p PoseProcess),
    Basis(&'p Basis),
    Elastic(&'p ElasticSettings),
}

impl Prior {
    /// What poses of `creature` by these handles have in common. Bodies of handles must be bodies of the creature.
    pub fn poser<'p>(
        &'p self,
        creature: &'p Creature,
        handles: &[BodyPoint],
    ) -> Result<Poser<'p>, BasisError> {
        let way = match self {
            Self::Frames(frames) => Way::Frames(Box::new(Neighbours::new(creature, frames, handles)?)),
            Self::Process(process) => Way::Process(process.of(creature)?),
            Self::Basis(basis) => Way::Basis(basis),
            Self::Elastic(settings) => Way::Elastic(settings),
        };
        Ok(Poser { creature, handles: handles.to_vec(), way })
    }

    /// The likeliest pose with the points of `goals` at their targets, once: see [`Poser::pose`].
    pub fn pose_for(
        &self,
        creature: &Creature,
        data: &mut Data,
        at: &[f64],
        goals: &[Goal],
        root: RootMotion,
    ) -> Result<Posed, BasisError> {
        let (handles, targets): (Vec<BodyPoint>, Vec<Vec3>) =
            goals.iter().map(|goal| (goal.point, goal.target)).unzip();
        self.poser(creature, &handles)?.pose(data, at, &targets, root)
    }
}

impl Poser<'_> {
    /// The likeliest pose with the handles at `targets`, one for each. A given root is where `at` has it; a free one starts where the
    /// creature fits the targets best as a whole.
    pub fn pose(
        &self,
        data: &mut Data,
        at: &[f64],
        targets: &[Vec3],
        root: RootMotion,
    ) -> Result<Posed, BasisError> {
        let creature = self.creature;
        let at = creature.checked_pose("pose", at).map_err(|error| BasisError::Pose(error.to_string()))?;
        if targets.len() != self.handles.len() {
            return Err(BasisError::Handles { handles: self.handles.len(), targets: targets.len() });
        }
        let pair = |(&point, &target): (&BodyPoint, &Vec3)| Goal { point, target };
        let goals: Vec<Goal> = self.handles.iter().zip(targets).map(pair).collect();
        let reached = match &self.way {
            Way::Frames(neighbours) => return finite(neighbours.pose(data, &at, &goals, root)),
            Way::Process(process) => return finite(process.pose(creature, data, &at, &goals, root)),
            Way::Basis(basis) => basis.rooted(creature, &at)?.pose_for(creature, data, &goals, root)?,
            Way::Elastic(settings) => elastic::pose(creature, data, &at, &goals, root, settings),
        };
        Ok(Posed { pose: reached.pose, miss: reached.miss })
    }
}

/// Slides of a file may go as far as numbers do, and their squares farther.
fn finite(posed: Posed) -> Result<Posed, BasisError> {
    if posed.pose.iter().all(|x| x.is_finite()) { Ok(posed) } else { Err(BasisError::Bounds) }
}

/// The far end of a body's bone: where its children are joined to it; of one without, twice as far as its centre of mass.
pub fn bone_end(creature: &Creature, body: usize) -> BodyPoint {
    let children = creature.bodies().iter().skip(1).filter(|child| child.parent == body);
    let joined: Vec<Vec3> = children.map(|child| child.parent_from_body.translation.vector).collect();
    let point = if joined.is_empty() {
        2.0 * creature.bodies()[body].mass.com
    } else {
        joined.iter().sum::<Vec3>() / joined.len() as f64
    };
    BodyPoint { body, point }
}

/// Those of all bodies.
fn bone_ends(creature: &Creature) -> Vec<BodyPoint> {
    (1..creature.bodies().len()).map(|body| bone_end(creature, body)).collect()
}

/// The joint by which a creature is free, if it is.
pub(crate) fn free_root(creature: &Creature) -> Option<&Joint> {
    creature.joints().iter().find(|joint| joint.kind == JointKind::Free)
}
