//! From bare eigenvectors to a basis: rigid motions first, signs pinned, shapes scaled.

use gambol_dynamics::Data;
use gambol_model::{Creature, JointKind};
use gambol_motion::{Basis, BasisSpec, Direction, Metric};

use crate::ModesError;
use crate::pin::{Raw, pin};

/// Puts modes together. The spread of a vibration is that of a body in which every one of them has the same mean elastic
/// energy, ½ J: σ = 1/√(uᵀ K u). A rigid motion costs nothing. `vibrations` ascend and are M-orthonormal; `rigid` is canonical already.
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
) -> Result<Basis, ModesError> {
    pin(creature, data, &mut vibrations);
    let rigid_count = rigid.len();
    let rigid = rigid.into_iter().map(|shape| (0.0, f64::INFINITY, shape));
    let vibrations = vibrations.into_iter().map(|raw| {
        let (shape, largest) = scaled(creature, raw.shape);
        // uᵀ K u = λ uᵀ M u = λ / largest²
        (raw.eigenvalue, largest / raw.eigenvalue.sqrt(), shape)
    });
    let modes = rigid.chain(vibrations).take(count.unwrap_or(usize::MAX)).enumerate();
    let directions = modes.map(|(index, (eigenvalue, spread, shape))| {
        let mut direction = Direction::new(shape);
        direction.name = format!("u{index}");
        direction.spread = spread;
        direction.omega_squared = Some(eigenvalue);
        direction
    });
    let mut spec = BasisSpec::new(q.to_vec(), Metric::Mass, directions.collect());
    spec.dof = Some(dof);
    spec.rigid = Some(rigid_count);
    Ok(Basis::new(creature, spec)?)
}

/// The shape with the largest joint angle (or slide) at 1 rad (or m), and what that was before. The angle of a ball is
/// that of its rotation.
fn scaled(creature: &Creature, mut shape: Vec<f64>) -> (Vec<f64>, f64) {
    let angle = |joint: &gambol_model::Joint| match joint.kind {
        JointKind::Free => 0.0,
        JointKind::Ball => shape[joint.v..joint.v + 3].iter().map(|x| x * x).sum::<f64>().sqrt(),
        JointKind::Hinge | JointKind::Slide => shape[joint.v].abs(),
    };
    let largest = creature.joints().iter().map(angle).fold(0.0, f64::max);
    if largest <= 0.0 {
        return (shape, 1.0);
    }
    for x in &mut shape {
        *x /= largest;
    }
    (shape, largest)
}
