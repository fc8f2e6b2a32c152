//! Volume, centre and inertia of a triangle mesh, by MuJoCo's rules.
//!
//! A solid is the sum of tetrahedra between its triangles and a common apex; with signed volumes the apex does not
//! matter. MuJoCo's `legacy` rule takes the volumes without sign, and then it does: the centre of mass is computed
//! with the apex at the area-weighted mean of the face centres, and the volume and inertia once more with the apex at
//! that centre of mass. Both passes are done here for all rules, as MuJoCo does, so that even meshes which enclose
//! nothing agree with it.

use super::{MeshMass, TriMesh, error};
use crate::{MassProperties, Mat3, ModelError, Vec3};

/// Areas and volumes below this are taken as zero (MuJoCo's `mjMINVAL`), m² or m³.
const TINY: f64 = 1e-15;

/// A triangle: its area with the outward normal, and its centre.
struct Face {
    corners: [Vec3; 3],
    /// Half the cross product of two sides; zero for a triangle too small to have a direction.
    area: Vec3,
}

impl Face {
    fn new(corners: [Vec3; 3]) -> Self {
        let [a, b, c] = corners;
        let cross = (b - a).cross(&(c - a));
        Self { corners, area: if cross.norm() < TINY { Vec3::zeros() } else { cross / 2.0 } }
    }

    fn centre(&self) -> Vec3 {
        self.corners.iter().sum::<Vec3>() / 3.0
    }

    /// Signed volume of the tetrahedron with its apex at `apex`.
    fn volume(&self, apex: Vec3) -> f64 {
        (self.centre() - apex).dot(&self.area) / 3.0
    }

    /// Σ over pairs of corners of a bᵀ, both orders, and twice a aᵀ: twelve times the mean of x xᵀ over the triangle,
    /// twenty times that over the tetrahedron with its apex at the origin.
    fn second_moment(&self) -> Mat3 {
        let sum = self.corners.iter().sum::<Vec3>();
        sum * sum.transpose() + self.corners.iter().map(|a| a * a.transpose()).sum::<Mat3>()
    }
}

impl TriMesh {
    /// Mass properties at unit density, zero where the mesh has none; see [`TriMesh::try_unit_mass_properties`].
    pub fn unit_mass_properties(&self, mass: MeshMass) -> MassProperties {
        self.try_unit_mass_properties(mass).unwrap_or_default()
    }

    /// Mass properties at unit density in the mesh's own frame. An error where the mesh has no volume (or, as a
    /// shell, no area), or a negative one, as in MuJoCo; there is no silent change of rule.
    pub fn try_unit_mass_properties(&self, mass: MeshMass) -> Result<MassProperties, ModelError> {
        match mass {
            MeshMass::ClosedOrHull if self.defect().is_none() => self.integrate(MeshMass::Exact),
            MeshMass::ClosedOrHull | MeshMass::Convex => self.convex_hull()?.integrate(MeshMass::Exact),
            MeshMass::Exact | MeshMass::Legacy | MeshMass::Shell => self.integrate(mass),
        }
    }

    /// Volume by the signed rule, m³.
    pub(super) fn signed_volume(&self) -> f64 {
        // An apex near the mesh keeps the rounding error small where the mesh lies far from its origin.
        let apex = self.vertices.first().copied().unwrap_or_default();
        self.faces.iter().map(|face| Face::new(self.corners(*face)).volume(apex)).sum()
    }

    fn integrate(&self, mass: MeshMass) -> Result<MassProperties, ModelError> {
        let apex = self.surface_centroid()?;
        let com = self.centre_of_mass(mass, apex)?;
        let mut total = 0.0;
        let mut moment = Mat3::zeros();
        for face in &self.faces {
            let face = Face::new(self.corners(*face).map(|corner| corner - com));
            let (weight, divisor) = weight(mass, &face, Vec3::zeros());
            total += weight;
            moment += face.second_moment() * (weight / divisor);
        }
        let inertia = Mat3::from_diagonal_element(moment.trace()) - moment;
        Ok(MassProperties { mass: total, com, inertia })
    }

    /// Mean of the face centres weighted by area.
    fn surface_centroid(&self) -> Result<Vec3, ModelError> {
        let mut total = 0.0;
        let mut sum = Vec3::zeros();
        for face in &self.faces {
            let face = Face::new(self.corners(*face));
            let area = face.area.norm();
            total += area;
            sum += face.centre() * area;
        }
        if total < TINY {
            return Err(error(format!("its surface of {total:e} m² is too small")));
        }
        Ok(sum / total)
    }

    fn centre_of_mass(&self, mass: MeshMass, apex: Vec3) -> Result<Vec3, ModelError> {
        if mass == MeshMass::Shell {
            return Ok(apex);
        }
        let mut total = 0.0;
        let mut sum = Vec3::zeros();
        for face in &self.faces {
            let face = Face::new(self.corners(*face));
            let (volume, _) = weight(mass, &face, apex);
            total += volume;
            sum += (face.centre() * 0.75 + apex * 0.25) * volume;
        }
        if total < 0.0 {
            return Err(error(format!("its volume of {total:e} m³ is negative: faces point inwards")));
        }
        if total < TINY {
            return Err(error(format!("its volume of {total:e} m³ is too small for a solid")));
        }
        Ok(sum / total)
    }
}

/// Weight of one triangle in the sums, and the divisor of its second moment.
fn weight(mass: MeshMass, face: &Face, apex: Vec3) -> (f64, f64) {
    match mass {
        MeshMass::Shell => (face.area.norm(), 12.0),
        MeshMass::Legacy => (face.volume(apex).abs(), 20.0),
        MeshMass::Exact | MeshMass::ClosedOrHull | MeshMass::Convex => (face.volume(apex), 20.0),
    }
}
