//! The one place where parry's vectors (glam) and ours (nalgebra) meet.

use crate::Vec3;

pub(crate) fn to_parry(v: Vec3) -> parry3d_f64::math::Vector {
    parry3d_f64::math::Vector::new(v.x, v.y, v.z)
}

pub(crate) fn from_parry(v: parry3d_f64::math::Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}
