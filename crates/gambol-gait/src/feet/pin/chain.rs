//! From motions of the limited pose to motions of its correction.

use gambol_model::{JointKind, Mat3, Vec3, math};

use crate::feet::scene::FeetScene;
use crate::limits::Give;

/// How a motion of the limited pose follows from one of δ.
#[derive(Clone, Copy)]
enum Mapped {
    /// One coordinate of a hinge or slide.
    Scaled(f64),
    /// The first of three coordinates that turn a ball.
    Turned(Mat3),
}

/// From motions of the limited pose to motions of δ: limits give less, and δ of a ball is a rotation vector. `movers` are the coordinates
/// that a row has anything of.
pub(super) fn chain_rule(
    scene: &FeetScene,
    give: &[Give],
    delta: &[f64],
    (rows, movers): (&mut [f64], &[&[usize]]),
) {
    let nv = delta.len();
    let mut maps = vec![None; nv];
    for (joint, give) in scene.creature.joints().iter().zip(give) {
        let turns = match joint.kind {
            JointKind::Hinge | JointKind::Slide => {
                if let Give::Scalar(slope) = give {
                    maps[joint.v] = (*slope != 1.0).then_some(Mapped::Scaled(*slope));
                }
                continue;
            }
            JointKind::Ball => joint.v,
            JointKind::Free => joint.v + 3,
        };
        let map = right_jacobian(Vec3::from_column_slice(&delta[turns..turns + 3]));
        maps[turns] = Some(Mapped::Turned(if let Give::Ball(limited) = give { limited * map } else { map }));
    }
    for (row, movers) in rows.chunks_exact_mut(nv).zip(movers) {
        for &dof in *movers {
            match &maps[dof] {
                Some(Mapped::Scaled(slope)) => row[dof] *= slope,
                Some(Mapped::Turned(map)) => {
                    let turn = &mut row[dof..dof + 3];
                    let [x, y, z] = [turn[0], turn[1], turn[2]];
                    for (i, out) in turn.iter_mut().enumerate() {
                        *out = map[(0, i)] * x + map[(1, i)] * y + map[(2, i)] * z;
                    }
                }
                None => {}
            }
        }
    }
}

/// Body velocity of exp(r) per change of r: I − (1 − cos a)/a² [r] + (a − sin a)/a³ [r]², a = |r|.
fn right_jacobian(r: Vec3) -> Mat3 {
    let a2 = r.norm_squared();
    let a = a2.sqrt();
    let (b, c) = if a < 1e-4 {
        (0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0)
    } else {
        ((1.0 - math::cos(a)) / a2, (a - math::sin(a)) / (a2 * a))
    };
    let cross = r.cross_matrix();
    Mat3::identity() - cross * b + cross * cross * c
}

#[cfg(test)]
mod tests {
    use gambol_model::Quat;

    use super::*;

    #[test]
    fn the_right_jacobian_is_the_difference_quotient() {
        for r in [Vec3::new(0.3, -0.8, 0.5), Vec3::new(1e-5, 0.0, 2e-5)] {
            let h = 1e-6;
            for k in 0..3 {
                let moved = Quat::from_scaled_axis(r + Vec3::ith(k, h));
                let turn = (Quat::from_scaled_axis(r).inverse() * moved).scaled_axis() / h;
                assert!((turn - right_jacobian(r).column(k)).norm() < 2e-6, "the quotient errs by h");
            }
        }
    }
}
