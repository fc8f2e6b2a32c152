//! Motion: poses over time, and the few directions that they are made of.
//!
//! A [`Basis`] is a mean pose and some directions in its tangent space; vibrations are one, principal geodesics another.
//! A [`Clip`] is what a gait, a simulation or a recording gives, and what a file takes home: poses of one creature on a
//! rising time line, how the loop closes, and which foot stands when.

mod basis;
mod clip;
mod compare;
mod in_place;
mod joint_map;
mod pack;
mod posing;
mod sample;
#[cfg(feature = "samples")]
pub mod samples;
mod seam;

pub use basis::{
    Basis, BasisError, BasisSpec, Direction, ExactSettings, FarTurn, GeodesicSettings, Geodesics, Keep,
    Metric, Projector, Refined, Swinger, shell, swing,
};
pub use clip::{Clip, ClipError, Contact, Stride, Travel};
pub use compare::{Comparison, compare};
pub use joint_map::{JointList, JointMap, JointMismatch};
pub use pack::{
    EditReport, EndsChoice, EndsReport, EndsSettings, HeldFoot, Pack, PackEdit, PackError, PackReport,
    PackSettings, PackTarget, edit_pack, end_points, ends_floats, hold_feet, level_sizes, pack, pack_ends,
    pack_with,
};
pub use posing::{
    ElasticSettings, FrameSelector, Look, PoseFrames, PoseProcess, PoseWish, Posed, Poser, Prior,
    ProcessMethod, ProcessSettings, ProcessSpec, Reconstruction, RootMotion, SelectorSettings, bone_end,
    fit_pose, reconstruct,
};
pub use seam::Seam;

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;
