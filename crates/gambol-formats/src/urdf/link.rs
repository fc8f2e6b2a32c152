//! `<link>`: its `<inertial>`, and `<origin>` of anything.

use gambol_model::{MassProperties, Mat3, Quat, Transform, Vec3};

use super::settings::{FromGeometry, Settings};
use crate::FormatError;
use crate::notes::Notes;
use crate::xml::Element;

/// Moments below this are taken as zero, as in MuJoCo (`mjMINVAL`), kg·m².
const TINY: f64 = 1e-15;

/// `<origin xyz rpy>`: a position, and rotations about the fixed axes x, y and z in this order.
pub(super) fn origin(element: Element<'_>) -> Result<Transform, FormatError> {
    let Some(origin) = element.children_named("origin").next() else { return Ok(Transform::identity()) };
    let position = origin.vec3("xyz")?.unwrap_or_default();
    let [roll, pitch, yaw] = origin.array("rpy")?.unwrap_or_default();
    Ok(Transform::from_parts(position.into(), Quat::from_euler_angles(roll, pitch, yaw)))
}

/// Mass properties in the link frame; `None` if the link's mass comes from its geometry.
pub(super) fn inertial(
    link: Element<'_>,
    settings: &Settings,
    notes: &mut Notes,
) -> Result<Option<MassProperties>, FormatError> {
    let nothing = (settings.from_geometry == FromGeometry::Never).then(MassProperties::default);
    let Some(element) = link.children_named("inertial").next() else { return Ok(nothing) };
    let mass = positive_mass(element)?;
    let inertia = inertia(element)?;
    if settings.from_geometry == FromGeometry::Always {
        return Ok(None);
    }
    if mass > 0.0 && inertia == Mat3::zeros() {
        let name = link.text("name").unwrap_or_default();
        notes.push(element.warning(format!("link {name:?}: its inertia is zero: it counts as a point")));
    }
    let piece = MassProperties { mass, com: Vec3::zeros(), inertia };
    Ok(Some(piece.transformed(&origin(element)?)))
}

fn required<'d>(inertial: Element<'d>, tag: &'d str) -> Result<Element<'d>, FormatError> {
    let found = inertial.children_named(tag).next();
    found.ok_or_else(|| inertial.error(format!("<{tag}> is missing")))
}

fn positive_mass(inertial: Element<'_>) -> Result<f64, FormatError> {
    let element = required(inertial, "mass")?;
    element.required("value")?;
    let mass = element.f64("value")?.unwrap_or_default();
    if mass < 0.0 { Err(element.error(format!("a mass of {mass} kg is negative"))) } else { Ok(mass) }
}

fn inertia(inertial: Element<'_>) -> Result<Mat3, FormatError> {
    let element = required(inertial, "inertia")?;
    let moment = |name: &str| {
        element.required(name)?;
        Ok(element.f64(name)?.unwrap_or_default())
    };
    let [xx, yy, zz] = [moment("ixx")?, moment("iyy")?, moment("izz")?];
    let [xy, xz, yz] = [moment("ixy")?, moment("ixz")?, moment("iyz")?];
    let inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    if inertia.amax() < TINY {
        return Ok(Mat3::zeros()); // 1e-20 stands for 0 in many files
    }
    let moments = inertia.symmetric_eigenvalues();
    // Rounded numbers in a file may make a thin rod slightly negative.
    if moments.min() < -1e-6 * moments.amax() {
        let reason =
            format!("the smallest moment of inertia is {:e} kg·m², not a positive number", moments.min());
        return Err(element.error(reason));
    }
    Ok(inertia)
}
