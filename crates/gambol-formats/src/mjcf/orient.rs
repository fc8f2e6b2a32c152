//! Poses: a position and one of five ways to give an orientation.

use gambol_model::{Mat3, Quat, Transform, Vec3, math};
use nalgebra::{Quaternion, Rotation3, Translation3, Unit, UnitQuaternion};

use super::compiler::Compiler;
use super::defaults::Cascade;
use crate::FormatError;
use crate::xml::Element;

/// Vectors shorter than this have no direction (MuJoCo's `mjEPS`).
const SHORT: f64 = 1e-14;
const FORMS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// `pos` and orientation of an element and its classes.
pub(crate) fn pose(cascade: &Cascade<'_>, compiler: &Compiler) -> Result<Transform, FormatError> {
    let position = cascade.vec3("pos")?.unwrap_or_default();
    let rotation = match cascade.who_has(&FORMS) {
        Some(element) => orientation(element, compiler)?.unwrap_or_default(),
        None => Quat::identity(),
    };
    Ok(transform(position, rotation))
}

/// `pos` and orientation of an element without classes.
pub(crate) fn own_pose(element: Element<'_>, compiler: &Compiler) -> Result<Transform, FormatError> {
    let position = element.vec3("pos")?.unwrap_or_default();
    Ok(transform(position, orientation(element, compiler)?.unwrap_or_default()))
}

/// A transform from its parts.
pub(crate) fn transform(position: Vec3, rotation: Quat) -> Transform {
    Transform::from_parts(Translation3::from(position), rotation)
}

/// The orientation that the element itself gives, if it gives one.
pub(crate) fn orientation(element: Element<'_>, compiler: &Compiler) -> Result<Option<Quat>, FormatError> {
    let given: Vec<&str> = FORMS.into_iter().filter(|form| element.has(form)).collect();
    if let [first, second, ..] = given[..] {
        return Err(element.error(format!("both {first:?} and {second:?} give the orientation")));
    }
    let Some(form) = given.first() else { return Ok(None) };
    let rotation = match *form {
        "quat" => quat(element)?,
        "axisangle" => axis_angle(element, compiler)?,
        "euler" => element.array("euler")?.map(|angles| euler(angles, compiler)),
        "xyaxes" => xy_axes(element)?,
        _ => z_axis(element)?,
    };
    Ok(rotation)
}

fn quat(element: Element<'_>) -> Result<Option<Quat>, FormatError> {
    let Some(wxyz) = element.array("quat")? else { return Ok(None) };
    quat_from(wxyz).map(Some).ok_or_else(|| element.error("the quaternion is zero"))
}

/// A rotation from w x y z of any length but zero.
pub(crate) fn quat_from([w, x, y, z]: [f64; 4]) -> Option<Quat> {
    let quaternion = Quaternion::new(w, x, y, z);
    (quaternion.norm() > SHORT).then(|| UnitQuaternion::from_quaternion(quaternion))
}

fn axis_angle(element: Element<'_>, compiler: &Compiler) -> Result<Option<Quat>, FormatError> {
    let Some([x, y, z, angle]) = element.array("axisangle")? else { return Ok(None) };
    let axis = direction(element, "axisangle", Vec3::new(x, y, z))?;
    Ok(Some(UnitQuaternion::from_axis_angle(&axis, compiler.radians(angle))))
}

/// Three rotations in a row: lower case about the axes that turned already, upper case about the fixed ones.
pub(crate) fn euler(angles: [f64; 3], compiler: &Compiler) -> Quat {
    let mut rotation = Quat::identity();
    for (letter, angle) in compiler.euler_sequence.into_iter().zip(angles) {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vec3::x_axis(),
            'y' => Vec3::y_axis(),
            _ => Vec3::z_axis(),
        };
        let turn = UnitQuaternion::from_axis_angle(&axis, compiler.radians(angle));
        rotation = if letter.is_ascii_lowercase() { rotation * turn } else { turn * rotation };
    }
    UnitQuaternion::new_normalize(rotation.into_inner())
}

fn xy_axes(element: Element<'_>) -> Result<Option<Quat>, FormatError> {
    let Some([a, b, c, d, e, f]) = element.array("xyaxes")? else { return Ok(None) };
    let x = direction(element, "xyaxes", Vec3::new(a, b, c))?.into_inner();
    let y = Vec3::new(d, e, f);
    let y = direction(element, "xyaxes", y - x * x.dot(&y))?.into_inner();
    let axes = Rotation3::from_matrix_unchecked(Mat3::from_columns(&[x, y, x.cross(&y)]));
    Ok(Some(UnitQuaternion::from_rotation_matrix(&axes)))
}

fn z_axis(element: Element<'_>) -> Result<Option<Quat>, FormatError> {
    let Some(z) = element.vec3("zaxis")? else { return Ok(None) };
    Ok(Some(turn_z_to(direction(element, "zaxis", z)?.into_inner())))
}

/// The shortest rotation that takes the z axis to the unit vector `to`; for `to` = −z, half a turn about x.
pub(crate) fn turn_z_to(to: Vec3) -> Quat {
    let axis = Vec3::z().cross(&to);
    let sine = axis.norm();
    let axis = if sine < 1e-10 { Vec3::x_axis() } else { Unit::new_unchecked(axis / sine) };
    UnitQuaternion::from_axis_angle(&axis, math::atan2(sine, to.z))
}

fn direction(element: Element<'_>, name: &str, vector: Vec3) -> Result<Unit<Vec3>, FormatError> {
    Unit::try_new(vector, SHORT).ok_or_else(|| element.error(format!("{name:?} has no direction")))
}

/// A capsule, cylinder, box or ellipsoid between two points: its pose and half its length.
pub(crate) fn between(element: Element<'_>, fromto: [f64; 6]) -> Result<(Transform, f64), FormatError> {
    let [a, b, c, d, e, f] = fromto;
    let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
    let length = (from - to).norm();
    if length / 2.0 < SHORT {
        return Err(element.error("the two points of \"fromto\" are one"));
    }
    Ok((transform((from + to) / 2.0, turn_z_to((from - to) / length)), length / 2.0))
}
