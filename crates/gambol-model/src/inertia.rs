//! Mass, centre of mass and rotational inertia of a rigid piece.

use crate::{Mat3, Transform, Vec3};

/// Mass properties of a rigid piece, in some frame of reference that the owner states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// kg
    pub mass: f64,
    /// Centre of mass, in the frame of reference, m.
    pub com: Vec3,
    /// Rotational inertia about the centre of mass, along the axes of the frame of reference, kg·m².
    pub inertia: Mat3,
}

impl Default for MassProperties {
    fn default() -> Self {
        Self { mass: 0.0, com: Vec3::zeros(), inertia: Mat3::zeros() }
    }
}

impl MassProperties {
    /// A piece centred at the origin with its principal axes along the axes of the frame.
    pub fn diagonal(mass: f64, inertia: Vec3) -> Self {
        Self { mass, com: Vec3::zeros(), inertia: Mat3::from_diagonal(&inertia) }
    }

    /// The same piece seen from the target frame.
    pub fn transformed(&self, target_from_source: &Transform) -> Self {
        let rotation = target_from_source.rotation.to_rotation_matrix();
        Self {
            mass: self.mass,
            com: target_from_source * nalgebra::Point3::from(self.com) - nalgebra::Point3::origin(),
            inertia: rotation * self.inertia * rotation.transpose(),
        }
    }

    /// Rotational inertia about `point` instead of the centre of mass (parallel axes theorem).
    pub fn inertia_about(&self, point: Vec3) -> Mat3 {
        self.inertia + point_mass_inertia(self.mass, self.com - point)
    }

    /// The same shape with its mass (and inertia) multiplied by `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self { mass: self.mass * factor, com: self.com, inertia: self.inertia * factor }
    }

    /// Several pieces, all given in one frame, rigidly joined.
    pub fn sum(pieces: &[Self]) -> Self {
        let mass: f64 = pieces.iter().map(|p| p.mass).sum();
        if mass == 0.0 {
            return Self::default();
        }
        let com = pieces.iter().map(|p| p.com * p.mass).sum::<Vec3>() / mass;
        let inertia = pieces.iter().map(|p| p.inertia_about(com)).sum();
        Self { mass, com, inertia }
    }

    /// Principal moments of inertia in ascending order.
    pub fn principal_moments(&self) -> Vec3 {
        let mut moments = self.inertia.symmetric_eigenvalues();
        moments.as_mut_slice().sort_by(f64::total_cmp);
        moments
    }
}

/// Inertia about the origin of a point of `mass` at `r`: m (r·r 1 − r rᵀ).
pub(crate) fn point_mass_inertia(mass: f64, r: Vec3) -> Mat3 {
    (Mat3::from_diagonal_element(r.norm_squared()) - r * r.transpose()) * mass
}
