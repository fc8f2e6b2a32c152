//! Rotations out of matrices, and singular values, by iterations that are bounded.
//!
//! nalgebra's `UnitQuaternion::from_matrix` follows a torque towards the nearest rotation until that is zero. From a half
//! turn away the torque *is* zero, or as good as, and it goes on for ever: exporters write half turns all the time. Its
//! `svd` never ends on numbers that are not finite. Here every loop has a last round.

use nalgebra::{DMatrix, Dyn, Rotation3, SVD};

use crate::{Mat3, Quat, Vec3};

/// Rounds of Newton's iteration. With the scaling below nine are enough for the worst matrix that has an inverse in
/// double precision (Higham 1986, section 3.3).
const ROUNDS: usize = 32;

/// An orthogonal matrix to rounding: the iteration is quadratic, so that the next round would change nothing.
const SETTLED: f64 = 1e-14;

/// Rounds of the singular value iteration per row; three are usual.
const SVD_ROUNDS: usize = 100;

/// What nalgebra itself takes for zero beside other singular values.
const SVD_ZERO: f64 = 5.0 * f64::EPSILON;

/// The rotation nearest to a linear map: its polar factor R, where A = R S with S symmetric and positive. A map that
/// mirrors is turned inside out first. `None` if the map flattens space or is not finite.
///
/// Newton's iteration with Higham's scaling (Computing the polar decomposition, 1986), which has R as its limit:
///
/// ```text
/// X₀ = A,   Xₖ₊₁ = ½ (γ Xₖ + Xₖ⁻ᵀ / γ),   γ² = ‖Xₖ⁻¹‖ / ‖Xₖ‖
/// ```
pub fn nearest_rotation(linear: &Mat3) -> Option<Quat> {
    let size = linear.amax();
    if !linear.iter().all(|x| x.is_finite()) || size == 0.0 {
        return None;
    }
    let scaled = linear / size; // so that no product overflows
    let mut x = if scaled.determinant() < 0.0 { -scaled } else { scaled };
    for _ in 0..ROUNDS {
        let inverse = x.try_inverse().filter(|inverse| inverse.iter().all(|x| x.is_finite()))?;
        let flatness = x.norm() * inverse.norm();
        if flatness * f64::EPSILON >= 1.0 {
            return None;
        }
        let gamma = (inverse.norm() / x.norm()).sqrt();
        let next = 0.5 * (gamma * x + inverse.transpose() / gamma);
        let moved = (next - x).amax();
        x = next;
        if moved < SETTLED {
            break;
        }
    }
    Some(quaternion(&x))
}

/// The orientation of a node's axes, whatever their lengths: the nearest rotation; of axes that are flattened, that of the
/// axes that are left, the first one first; none at all look along the world's.
pub fn orientation_of(axes: &Mat3) -> Quat {
    nearest_rotation(axes).unwrap_or_else(|| completed(axes))
}

/// Right-handed axes out of those columns that point somewhere (Gram and Schmidt), and square to them where none does.
fn completed(axes: &Mat3) -> Quat {
    /// A column that is shorter than this part of the longest, or sticks out of the others by less, points nowhere.
    const POINTS: f64 = 1e-9;
    let longest = axes.column_iter().map(|column| column.norm()).fold(0.0, f64::max);
    if !axes.iter().all(|x| x.is_finite()) || longest == 0.0 {
        return Quat::identity();
    }
    let mut found: [Option<Vec3>; 3] = [None; 3];
    for k in 0..3 {
        let mut rest: Vec3 = axes.column(k) / longest;
        for known in found.iter().flatten() {
            rest -= known * known.dot(&rest);
        }
        found[k] = rest.try_normalize(POINTS);
    }
    let [x, y, z] = found;
    // An axis square to `to`, as near to `wish` as can be.
    let square = |to: Vec3, wish: Vec3| {
        let flat = wish - to * to.dot(&wish);
        flat.try_normalize(0.1).unwrap_or_else(|| to.cross(&Vec3::new(to.y, to.z, to.x)).normalize())
    };
    let [x, y] = match (x, y, z) {
        (Some(x), Some(y), _) => [x, y],
        (Some(x), None, Some(z)) => [x, z.cross(&x)],
        (None, Some(y), Some(z)) => [y.cross(&z), y],
        (Some(x), None, None) => [x, square(x, Vec3::y())],
        (None, Some(y), None) => [square(y, Vec3::x()), y],
        (None, None, Some(z)) => {
            let x = square(z, Vec3::x());
            [x, z.cross(&x)]
        }
        (None, None, None) => return Quat::identity(),
    };
    quaternion(&Mat3::from_columns(&[x, y, x.cross(&y)]))
}

/// The quaternion of an orthogonal matrix, in closed form: from the largest of its four squares (Shepperd 1978).
fn quaternion(rotation: &Mat3) -> Quat {
    Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation))
}

/// The rotation that is nearest to all of several, given the sum of their matrices. The sum of rotations that are far
/// apart may mirror; then its least direction is turned round. The identity if the sum is not finite.
pub fn mean_rotation(sum: &Mat3) -> Quat {
    if !sum.iter().all(|x| x.is_finite()) {
        return Quat::identity();
    }
    let Some(svd) = sum.try_svd(true, true, SVD_ZERO, 3 * SVD_ROUNDS) else { return Quat::identity() };
    let (u, v) = (svd.u.unwrap_or_else(Mat3::identity), svd.v_t.unwrap_or_else(Mat3::identity));
    let mut signs = Vec3::repeat(1.0);
    signs[svd.singular_values.imin()] = (u * v).determinant().signum();
    quaternion(&(u * Mat3::from_diagonal(&signs) * v))
}

/// The singular value decomposition of a matrix, with both sets of vectors; `None` if it is not finite or does not
/// settle.
pub fn svd(matrix: DMatrix<f64>) -> Option<SVD<f64, Dyn, Dyn>> {
    if !matrix.iter().all(|x| x.is_finite()) {
        return None;
    }
    let rounds = SVD_ROUNDS * matrix.nrows().max(matrix.ncols()).max(1);
    matrix.try_svd(true, true, SVD_ZERO, rounds)
}

#[cfg(test)]
mod tests {
    //! Half turns, mirrored and scaled axes, and what is no number at all: each has an answer, at once, and the answer
    //! has the defining property of a polar factor: RᵀA is symmetric, and positive.

    use std::f64::consts::PI;

    use nalgebra::Unit;

    use super::*;

    /// Directions all over the sphere, the axes and diagonals among them.
    fn directions() -> Vec<Vec3> {
        let steps = [-1.0, -0.5, 0.0, 1e-9, 0.3, 1.0];
        let mut all = Vec::new();
        for x in steps {
            for y in steps {
                for z in steps {
                    all.extend(Vec3::new(x, y, z).try_normalize(1e-3));
                }
            }
        }
        all
    }

    fn scales() -> [Vec3; 6] {
        [
            Vec3::repeat(1.0),
            Vec3::repeat(0.01),
            Vec3::new(1.0, 100.0, 1e-3),
            Vec3::new(-1.0, 1.0, 1.0),
            Vec3::new(-0.01, -0.01, -0.01),
            Vec3::new(1e-150, 2e-150, 1e-150),
        ]
    }

    #[test]
    fn every_rotation_has_its_polar_factor() {
        for axis in directions().into_iter().map(Unit::new_normalize) {
            for angle in [0.0, 1e-9, 1.0, 0.5 * PI, PI - 1e-9, PI, PI + 1e-9, 1.9 * PI] {
                let turn = Rotation3::from_axis_angle(&axis, angle).into_inner();
                for scale in scales() {
                    let map = turn * Mat3::from_diagonal(&scale);
                    let found = nearest_rotation(&map).expect("it has a volume");
                    let sign = map.unscale(scale.amax()).determinant().signum();
                    let stretch = found.to_rotation_matrix().into_inner().transpose() * map * sign;
                    let size = scale.amax();
                    // Rounding of a product of three rotations, over the largest scale.
                    assert!(
                        (stretch - stretch.transpose()).amax() < 1e-13 * size,
                        "{axis:?} {angle} {scale:?}"
                    );
                    let positive = stretch.unscale(size).symmetric_eigenvalues().min();
                    assert!(positive > -1e-13, "{axis:?} {angle} {scale:?}: {positive}");
                    assert_eq!(orientation_of(&map), found);
                }
            }
        }
    }

    /// Exact half turns about every axis: from here the torque towards the nearest rotation vanishes.
    #[test]
    fn half_turns_are_themselves() {
        for axis in directions() {
            let turn = 2.0 * axis * axis.transpose() - Mat3::identity();
            let found = nearest_rotation(&turn).expect("it is a rotation").to_rotation_matrix().into_inner();
            assert!((found - turn).amax() < 1e-14, "{axis:?}: {found}");
        }
    }

    #[test]
    fn flat_axes_keep_the_orientation_of_what_is_left() {
        let turn = Rotation3::from_euler_angles(0.4, -1.1, 2.5).into_inner();
        for flat in 0..3 {
            let mut scale = Vec3::new(1.0, 2.0, 0.5);
            scale[flat] = 0.0;
            let map = turn * Mat3::from_diagonal(&scale);
            assert_eq!(nearest_rotation(&map), None);
            let found = orientation_of(&map).to_rotation_matrix().into_inner();
            assert!((found - turn).amax() < 1e-12, "without axis {flat}: {found}");
            // One axis alone stays where it is.
            let mut scale = Vec3::zeros();
            scale[flat] = 3.0;
            let found =
                orientation_of(&(turn * Mat3::from_diagonal(&scale))).to_rotation_matrix().into_inner();
            assert!((found.column(flat) - turn.column(flat)).amax() < 1e-12, "axis {flat} alone: {found}");
            assert!((found.determinant() - 1.0).abs() < 1e-12);
        }
        assert_eq!(orientation_of(&Mat3::zeros()), Quat::identity());
    }

    #[test]
    fn what_is_no_number_has_no_rotation() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in 0..9 {
                let mut map = Mat3::identity();
                map[place] = bad;
                assert_eq!(nearest_rotation(&map), None);
                assert_eq!(orientation_of(&map), Quat::identity());
                assert_eq!(mean_rotation(&map), Quat::identity());
                assert!(svd(DMatrix::from_column_slice(3, 3, map.as_slice())).is_none());
            }
        }
    }

    #[test]
    fn the_mean_of_rotations_about_one_axis_is_their_middle() {
        let about = |angle: f64| Rotation3::from_axis_angle(&Vec3::z_axis(), angle).into_inner();
        let mean = mean_rotation(&(about(0.2) + about(0.5) + about(0.8)));
        assert!(mean.angle_to(&Quat::from_axis_angle(&Vec3::z_axis(), 0.5)) < 1e-12);
        // Half a turn apart in all directions: the sum mirrors or vanishes, and there is still a rotation.
        let sum = about(0.0) + Rotation3::from_axis_angle(&Vec3::x_axis(), PI).into_inner();
        assert!((mean_rotation(&sum).norm() - 1.0).abs() < 1e-12);
    }
}
