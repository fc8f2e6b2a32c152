//! From bare eigenvectors to modes: rigid motions first, signs pinned, shapes scaled.

use gambol_dynamics::Data;
use gambol_model::{Creature, JointKind};

use crate::pin::{Raw, pin};
use crate::{Mode, Modes};

/// Puts modes together. `vibrations` ascend and are M-orthonormal; `rigid` is canonical already.
///
/// Needs `data.frames` and `data.axes` at the pose.
pub(crate) fn finish(
    creature: &Creature,
    data: &Data,
    q: &[f64],
    dof: usize,
    rigid: Vec<Vec<f64>>,
    mut vibrations: Vec<Raw>,
    count: Option<usize>,
) -> Modes {
    pin(creature, data, &mut vibrations);
    let rigid_count = rigid.len();
    let rigid = rigid.into_iter().map(|shape| (0.0, shape));
    let vibrations = vibrations.into_iter().map(|raw| (raw.eigenvalue, scaled(creature, raw.shape)));
    let modes = rigid
        .chain(vibrations)
        .take(count.unwrap_or(usize::MAX))
        .enumerate()
        .map(|(index, (eigenvalue, shape))| Mode { index, eigenvalue, shape })
        .collect();
    Modes { dof, rigid: rigid_count, modes, pose: q.to_vec() }
}

/// The shape with the largest joint angle (or slide) at 1 rad (or m). The angle of a ball is that of its rotation.
fn scaled(creature: &Creature, mut shape: Vec<f64>) -> Vec<f64> {
    let angle = |joint: &gambol_model::Joint| match joint.kind {
        JointKind::Free => 0.0,
        JointKind::Ball => shape[joint.v..joint.v + 3].iter().map(|x| x * x).sum::<f64>().sqrt(),
        JointKind::Hinge | JointKind::Slide => shape[joint.v].abs(),
    };
    let largest = creature.joints().iter().map(angle).fold(0.0, f64::max);
    if largest > 0.0 {
        for x in &mut shape {
            *x /= largest;
        }
    }
    shape
}
