//! How near a prior comes to recorded poses.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Vec3};

use super::{Prior, RootMotion, bone_ends};
use crate::{BasisError, Clip};

/// How near frames of a recording come to themselves when they are posed by the places of their own handles.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reconstruction {
    /// Poses that were found, in their order.
    pub poses: Vec<Vec<f64>>,
    /// The frames of the clip that they are of.
    pub keys: Vec<usize>,
    /// Mean distance of the ends of all bones from where they were, m.
    pub distance: f64,
    /// Mean of the largest distances of handles from their places, m.
    pub miss: f64,
}

/// Poses `frames` equally spaced frames of a clip by the places of `handles` in them, as Wu and others (2011, table 3) measure. With a
/// given root it is where the frame has it.
pub fn reconstruct(
    creature: &Creature,
    clip: &Clip,
    prior: &Prior,
    handles: &[BodyPoint],
    root: RootMotion,
    frames: usize,
) -> Result<Reconstruction, BasisError> {
    let frames = frames.min(clip.poses.len());
    let ends = bone_ends(creature);
    let mut data = Data::new(creature);
    let mut places = |pose: &[f64], points: &[BodyPoint]| -> Vec<Vec3> {
        let frames = forward_kinematics(creature, &mut data, pose);
        points.iter().map(|at| frames[at.body].point_in_world(at.point)).collect()
    };
    let mut scratch = Data::new(creature);
    let poser = prior.poser(creature, handles)?;
    let mut sum = Reconstruction { poses: Vec::new(), keys: Vec::new(), distance: 0.0, miss: 0.0 };
    for k in 0..frames {
        let key = k * (clip.poses.len() - 1) / (frames - 1).max(1);
        let truth = &clip.poses[key];
        // A free root is not told where it was.
        let at = if root == RootMotion::Given { truth } else { creature.reference_pose() };
        let posed = poser.pose(&mut scratch, at, &places(truth, handles), root)?;
        let [found, there] = [&posed.pose, truth].map(|pose| places(pose, &ends));
        let apart = found.iter().zip(&there).map(|(a, b)| (a - b).norm()).sum::<f64>();
        sum.distance += apart / (ends.len().max(1) * frames) as f64;
        sum.miss += posed.miss / frames as f64;
        sum.poses.push(posed.pose);
        sum.keys.push(key);
    }
    Ok(sum)
}
