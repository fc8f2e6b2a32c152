//! Mass of bodies: from `<inertial>` or from geoms, bounded, balanced and scaled as the compiler says.

use gambol_model::{MassProperties, Mat3, Transform, Vec3};
use nalgebra::{Rotation3, SymmetricEigen, UnitQuaternion};

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
    let (frame_from_axes, moments) = principal_axes(&in_frame);
    if moments.min() <= 0.0 && compiler.bound_inertia <= 0.0 {
        return Err(element.error("\"fullinertia\" must have positive principal moments"));
    }
    Ok(Inertial {
        mass: in_frame.transformed(body_from_frame),
        body_from_axes: body_from_frame * frame_from_axes,
    })
}

/// Pose of the principal axes, largest moment first as MuJoCo orders them, and the moments.
pub(crate) fn principal_axes(mass: &MassProperties) -> (Transform, Vec3) {
    let eigen = SymmetricEigen::new(mass.inertia);
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let moments = Vec3::from_iterator(order.iter().map(|k| eigen.eigenvalues[*k]));
    let [x, y] = [order[0], order[1]].map(|k| eigen.eigenvectors.column(k).into_owned());
    let axes = Rotation3::from_matrix_unchecked(Mat3::from_columns(&[x, y, x.cross(&y)]));
    (transform(mass.com, UnitQuaternion::from_rotation_matrix(&axes)), moments)
}

/// The least mass and inertia that the compiler allows, and inertias of no real body made isotropic. `None` if
/// nothing changes.
pub(crate) fn corrected(mass: &MassProperties, compiler: &Compiler) -> Option<MassProperties> {
    if compiler.bound_mass <= 0.0 && compiler.bound_inertia <= 0.0 && !compiler.balance_inertia {
        return None;
    }
    let (body_from_axes, moments) = principal_axes(mass);
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
