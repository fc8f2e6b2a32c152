//! The other map from coordinates to poses: one direction after the other, each along its own geodesic.
//!
//! ```text
//! product(x) = mean ⊕ x₁ φ₁ ⊕ x₂ φ₂ ⊕ …      of a ball, R = μ exp(x₁ v₁) exp(x₂ v₂) …
//! ∂R/∂xⱼ = R [Adⱼ vⱼ],   Adⱼ = (exp(xⱼ₊₁ vⱼ₊₁) … exp(xₖ vₖ))ᵀ
//! ```
//!
//! These are canonical coordinates of the second kind (Tournier and others 2009, sections 3.3 and 3.4). They differ from
//! [`Basis::pose`] where a ball turns about several axes, by their commutators: in second order.

use gambol_model::{Creature, JointKind, Quat, Vec3};
use nalgebra::DMatrix;

use super::{Basis, BasisError};

impl Basis {
    /// The pose at the coordinates `x`, direction after direction: mean ⊕ x₁ φ₁ ⊕ x₂ φ₂ ⊕ …
    pub fn product_pose(&self, creature: &Creature, x: &[f64]) -> Result<Vec<f64>, BasisError> {
        self.check_creature(creature)?;
        self.tangent(x)?;
        let mut pose = self.mean.clone();
        for (x, direction) in x.iter().zip(&self.directions) {
            creature.integrate(&mut pose, &direction.shape, *x);
        }
        Ok(pose)
    }

    /// How [`Self::product_pose`] moves with its coordinates: v = J ẋ, `nv` rows and a column for each direction.
    pub fn product_jacobian(&self, creature: &Creature, x: &[f64]) -> Result<DMatrix<f64>, BasisError> {
        self.check_creature(creature)?;
        self.tangent(x)?;
        let shape = |row: usize, column: usize| self.directions[column].shape[row];
        let mut jacobian = DMatrix::from_fn(self.nv, self.directions.len(), shape);
        for joint in creature.joints() {
            let first = match joint.kind {
                JointKind::Free => joint.v + 3,
                JointKind::Ball => joint.v,
                JointKind::Hinge | JointKind::Slide => continue,
            };
            // From the last direction to the first, with the product of what comes after.
            let mut after = Quat::identity();
            for (column, x) in x.iter().enumerate().rev() {
                let axis: Vec3 = jacobian.fixed_view::<3, 1>(first, column).into_owned();
                jacobian.fixed_view_mut::<3, 1>(first, column).copy_from(&(after.inverse() * axis));
                after = Quat::from_scaled_axis(axis * *x) * after;
            }
        }
        Ok(jacobian)
    }
}
