//! Mass of bodies: from `<inertial>` or from geoms, bounded, balanced and scaled as the compiler says.

use gambol_model::{MassProperties, Mat3, Transform, Vec3};
use nalgebra::{Rotation3, UnitQuaternion};

use super::compiler::Compiler;
use super::orient::{orientation, transform};
use crate::FormatError;
use crate::xml::Element;

/// An `<inertial>` element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertial {
    /// In the body frame.
    pub(crate) mass: MassProperties,
    /// Pose of the principal axes in the body.
    pub(crate) body_from_axes: Transform,
}

/// Reads an `<inertial>` that stands in a frame of its body.
pub(crate) fn read(
    element: Element<'_>,
    compiler: &Compiler,
    body_from_frame: &Transform,
) -> Result<Inertial, FormatError> {
    let position = element.vec3("pos")?.ok_or_else(|| element.error("the attribute \"pos\" is missing"))?;
    let mass = element.f64("mass")?.ok_or_else(|| element.error("the attribute \"mass\" is missing"))?;
    if mass < 0.0 {
        return Err(element.error(format!("a mass of {mass} kg is negative")));
    }
    let rotation = orientation(element, compiler)?;
    let diagonal = element.vec3("diaginertia")?;
    let full = element.array::<6>("fullinertia")?;
    if full.is_some() && (rotation.is_some() || diagonal.is_some()) {
        return Err(element.error("\"fullinertia\" stands alone, without \"diaginertia\" or an orientation"));
    }
    let frame_from_axes = transform(position, rotation.unwrap_or_default());
    let Some([xx, yy, zz, xy, xz, yz]) = full else {
        let local = MassProperties::diagonal(mass, diagonal.unwrap_or_default());
        if local.inertia.diagonal().iter().any(|moment| *moment < 0.0) {
            return Err(element.error("moments of inertia cannot be negative"));
        }
        let body_from_axes = body_from_frame * frame_from_axes;
        return Ok(Inertial { mass: local.transformed(&body_from_axes), body_from_axes });
    };
    let inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let in_frame = MassProperties { mass, com: position, inertia };
    let (frame_from_axes, moments) = principal_axes(&in_frame, Axes::Exact);
    if moments.min() <= 0.0 && compiler.bound_inertia <= 0.0 {
        return Err(element.error("\"fullinertia\" must have positive principal moments"));
    }
    Ok(Inertial {
        mass: in_frame.transformed(body_from_frame),
        body_from_axes: body_from_frame * frame_from_axes,
    })
}

/// How far the principal axes are worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axes {
    /// To the last digit, as MuJoCo does for bodies.
    Exact,
    /// Until the products of inertia are below 1e-7 of the largest moment, as MuJoCo 4.0 does for meshes. What is
    /// left shows in the eighth digit of the inertia; we agree with MuJoCo rather than with the exact axes.
    OfMesh,
}

/// Pose of the principal axes, largest moment first as MuJoCo orders them, and the moments: Jacobi's method (Golub &
/// Van Loan, Matrix Computations, section 8.5), the largest product of inertia first.
pub(crate) fn principal_axes(mass: &MassProperties, how: Axes) -> (Transform, Vec3) {
    const MAX_TURNS: usize = 100;
    let share = match how {
        Axes::Exact => 1e-17,
        Axes::OfMesh => 1e-7,
    };
    let small = share * mass.inertia.amax();
    let mut axes = Mat3::identity();
    let mut turned = mass.inertia;
    for _ in 0..MAX_TURNS {
        let size = |(row, column): (usize, usize)| turned[(row, column)].abs();
        let larger = |best, next| if size(next) > size(best) { next } else { best };
        let (row, column) = larger(larger((1, 2), (0, 2)), (0, 1));
        if size((row, column)) <= small {
            break;
        }
        // tan of the angle that makes this product zero; the smaller of two solutions.
        let tau = (turned[(column, column)] - turned[(row, row)]) / (2.0 * turned[(row, column)]);
        let tangent = 1.0_f64.copysign(tau) / (tau.abs() + (1.0 + tau * tau).sqrt());
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        let mut turn = Mat3::identity();
        turn[(row, row)] = cosine;
        turn[(column, column)] = cosine;
        turn[(row, column)] = tangent * cosine;
        turn[(column, row)] = -tangent * cosine;
        axes *= turn;
        turned = axes.transpose() * mass.inertia * axes;
    }
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| turned[(*b, *b)].total_cmp(&turned[(*a, *a)]));
    let moments = Vec3::from_iterator(order.iter().map(|k| turned[(*k, *k)]));
    let [x, y] = [order[0], order[1]].map(|k| axes.column(k).into_owned());
    let axes = Rotation3::from_matrix_unchecked(Mat3::from_columns(&[x, y, x.cross(&y)]));
    (transform(mass.com, UnitQuaternion::from_rotation_matrix(&axes)), moments)
}

/// The least mass and inertia that the compiler allows, and inertias of no real body made isotropic. `None` if
/// nothing changes.
pub(crate) fn corrected(mass: &MassProperties, compiler: &Compiler) -> Option<MassProperties> {
    if compiler.bound_mass <= 0.0 && compiler.bound_inertia <= 0.0 && !compiler.balance_inertia {
        return None;
    }
    let (body_from_axes, moments) = principal_axes(mass, Axes::Exact);
    let mut new = moments.map(|moment| moment.max(compiler.bound_inertia));
    // The triangle inequality may miss by rounding: a rod has moments a, a, 0.
    let possible = new.sum() - 2.0 * new.max() >= -1e-12 * new.max();
    if compiler.balance_inertia && !possible {
        new = Vec3::repeat(new.sum() / 3.0);
    }
    let new_mass = mass.mass.max(compiler.bound_mass);
    if new == moments && new_mass == mass.mass {
        return None;
    }
    Some(MassProperties::diagonal(new_mass, new).transformed(&body_from_axes))
}
