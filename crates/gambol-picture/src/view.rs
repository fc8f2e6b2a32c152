//! Where a creature is seen from.

use gambol_model::{Mat3, Vec3, math};

/// A direction to look from. The eye is far away: nothing gets smaller with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Caption.
    pub name: &'static str,
    /// Rows: right, up, towards the eye.
    pub(crate) eye_from_world: Mat3,
}

impl View {
    /// From the creature's right side, so that it looks to the right.
    pub fn side() -> Self {
        Self { name: "side", eye_from_world: Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0) }
    }

    /// From before it.
    pub fn front() -> Self {
        Self { name: "front", eye_from_world: Mat3::new(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0) }
    }

    /// From above, looking to the right.
    pub fn top() -> Self {
        Self { name: "top", eye_from_world: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) }
    }

    /// From half before and a little above.
    pub fn three_quarter() -> Self {
        Self::turned(0.6, 0.3)
    }

    /// From the side view, `azimuth` radians towards the front and `elevation` radians up.
    pub fn turned(azimuth: f64, elevation: f64) -> Self {
        let (sa, ca) = math::sin_cos(azimuth);
        let (se, ce) = math::sin_cos(elevation);
        let right = Vec3::new(ca, sa, 0.0);
        let towards = Vec3::new(sa * ce, -ca * ce, se);
        let up = towards.cross(&right);
        Self {
            name: "three-quarter",
            eye_from_world: Mat3::from_rows(&[right.transpose(), up.transpose(), towards.transpose()]),
        }
    }

    /// Unit vector to the right on the picture, in the world.
    pub(crate) fn right(&self) -> Vec3 {
        self.eye_from_world.row(0).transpose()
    }

    /// Unit vector towards the eye, in the world.
    pub(crate) fn towards(&self) -> Vec3 {
        self.eye_from_world.row(2).transpose()
    }

    /// Whether the ground is seen edge on, as a line.
    pub(crate) fn is_level(&self) -> bool {
        self.towards().z.abs() < 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_rotations() {
        for view in [View::side(), View::front(), View::top(), View::three_quarter(), View::turned(2.0, -0.7)]
        {
            let eye = view.eye_from_world;
            assert!((eye * eye.transpose() - Mat3::identity()).norm() < 1e-12, "{}", view.name);
            assert!((eye.determinant() - 1.0).abs() < 1e-12, "{} mirrors", view.name);
        }
        assert_eq!(View::turned(0.0, 0.0).eye_from_world, View::side().eye_from_world);
    }
}
