//! Solid shapes and their mass in closed form.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::{MassProperties, Mat3, MeshMass, TriMesh, Vec3, math};

/// A solid, given in its own frame: centred at the origin, long axis along z.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Ball of `radius`.
    Sphere {
        /// m
        radius: f64,
    },
    /// Cylinder of half height `half_length` along z with hemispheres of `radius` on both ends.
    Capsule {
        /// m
        radius: f64,
        /// Half the length of the cylindrical part, m.
        half_length: f64,
    },
    /// Cylinder along z.
    Cylinder {
        /// m
        radius: f64,
        /// Half the height, m.
        half_length: f64,
    },
    /// Box with half sizes along x, y and z.
    Box {
        /// Half sizes, m.
        half: Vec3,
    },
    /// Ellipsoid with semi-axes along x, y and z.
    Ellipsoid {
        /// Semi-axes, m.
        radii: Vec3,
    },
    /// Triangle mesh. It is in its own frame as the file gave it: nothing is centred.
    Mesh {
        /// Shared, since one asset is often used by many bodies.
        mesh: Arc<TriMesh>,
        /// How the mesh is turned into a solid.
        mass: MeshMass,
    },
}

impl Shape {
    /// Mass properties at unit density, in the shape's own frame. With `shell`, the mass sits on the surface and the
    /// density is per area.
    pub fn unit_mass_properties(&self, shell: bool) -> MassProperties {
        match (self, shell) {
            (Self::Mesh { mesh, mass }, false) => mesh.unit_mass_properties(*mass),
            (Self::Mesh { mesh, .. }, true) => mesh.unit_mass_properties(MeshMass::Shell),
            (_, false) => self.solid(),
            (_, true) => self.shell(),
        }
    }

    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        self.unit_mass_properties(false).mass
    }

    /// Half extents of the smallest box along the shape's own axes that holds it, and its centre.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        match self {
            Self::Sphere { radius } => (Vec3::repeat(*radius), Vec3::zeros()),
            Self::Capsule { radius, half_length } => {
                (Vec3::new(*radius, *radius, radius + half_length), Vec3::zeros())
            }
            Self::Cylinder { radius, half_length } => {
                (Vec3::new(*radius, *radius, *half_length), Vec3::zeros())
            }
            Self::Box { half } => (*half, Vec3::zeros()),
            Self::Ellipsoid { radii } => (*radii, Vec3::zeros()),
            Self::Mesh { mesh, .. } => mesh.bounds(),
        }
    }

    /// The farthest point of the shape in `direction` (shape frame).
    pub fn support(&self, direction: Vec3) -> Vec3 {
        let unit = direction.try_normalize(0.0).unwrap_or_else(Vec3::z);
        match self {
            Self::Sphere { radius } => unit * *radius,
            Self::Capsule { radius, half_length } => {
                unit * *radius + Vec3::z() * half_length.copysign(unit.z)
            }
            Self::Cylinder { radius, half_length } => {
                let rim = Vec3::new(unit.x, unit.y, 0.0).try_normalize(1e-12).unwrap_or_else(Vec3::zeros);
                rim * *radius + Vec3::z() * half_length.copysign(unit.z)
            }
            Self::Box { half } => half.zip_map(&unit, f64::copysign),
            Self::Ellipsoid { radii } => {
                let scaled = radii.component_mul(&unit);
                radii.component_mul(&scaled) / scaled.norm()
            }
            Self::Mesh { mesh, .. } => mesh.support(unit),
        }
    }

    fn solid(&self) -> MassProperties {
        match self {
            Self::Sphere { radius: r } => {
                let mass = 4.0 / 3.0 * PI * math::powi(*r, 3);
                MassProperties::diagonal(mass, Vec3::repeat(0.4 * mass * r * r))
            }
            Self::Capsule { radius: r, half_length } => {
                // A cylinder and two hemispheres; a hemisphere's centroid lies 3r/8 from its flat side.
                let h = 2.0 * half_length;
                let (cylinder, ball) = (PI * r * r * h, 4.0 / 3.0 * PI * math::powi(*r, 3));
                let along = cylinder * r * r / 2.0 + ball * 0.4 * r * r;
                let across = cylinder * (3.0 * r * r + h * h) / 12.0
                    + ball * (0.4 * r * r + 0.375 * r * h + h * h / 4.0);
                MassProperties::diagonal(cylinder + ball, Vec3::new(across, across, along))
            }
            Self::Cylinder { radius: r, half_length } => {
                let h = 2.0 * half_length;
                let mass = PI * r * r * h;
                let across = mass * (3.0 * r * r + h * h) / 12.0;
                MassProperties::diagonal(mass, Vec3::new(across, across, mass * r * r / 2.0))
            }
            Self::Box { half } => {
                let mass = 8.0 * half.x * half.y * half.z;
                MassProperties::diagonal(mass, sums_of_squares(*half) * (mass / 3.0))
            }
            Self::Ellipsoid { radii } => {
                let mass = 4.0 / 3.0 * PI * radii.x * radii.y * radii.z;
                MassProperties::diagonal(mass, sums_of_squares(*radii) * (mass / 5.0))
            }
            Self::Mesh { mesh, mass } => mesh.unit_mass_properties(*mass),
        }
    }

    /// Mass on the surface, one unit per area.
    fn shell(&self) -> MassProperties {
        match self {
            Self::Sphere { radius: r } => {
                let mass = 4.0 * PI * r * r;
                MassProperties::diagonal(mass, Vec3::repeat(2.0 / 3.0 * mass * r * r))
            }
            Self::Capsule { radius: r, half_length } => {
                // A tube and two hemispherical shells; the centroid of such a shell lies r/2 from its rim.
                let h = 2.0 * half_length;
                let (tube, ball) = (2.0 * PI * r * h, 4.0 * PI * r * r);
                let along = tube * r * r + ball * 2.0 / 3.0 * r * r;
                let across = tube * (r * r / 2.0 + h * h / 12.0)
                    + ball * (2.0 / 3.0 * r * r + r * h / 2.0 + h * h / 4.0);
                MassProperties::diagonal(tube + ball, Vec3::new(across, across, along))
            }
            Self::Cylinder { radius: r, half_length } => {
                let h = 2.0 * half_length;
                let (tube, disks) = (2.0 * PI * r * h, 2.0 * PI * r * r);
                let along = tube * r * r + disks * r * r / 2.0;
                let across = tube * (r * r / 2.0 + h * h / 12.0) + disks * (r * r / 4.0 + h * h / 4.0);
                MassProperties::diagonal(tube + disks, Vec3::new(across, across, along))
            }
            Self::Box { half } => {
                // Per pair of opposite faces: a rectangle at a distance along one axis.
                let mut mass = 0.0;
                let mut second_moment = Vec3::zeros(); // ∫ x², ∫ y², ∫ z² over the surface
                for axis in 0..3 {
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    let pair = 2.0 * 4.0 * half[u] * half[v];
                    mass += pair;
                    second_moment[axis] += pair * half[axis] * half[axis];
                    second_moment[u] += pair * half[u] * half[u] / 3.0;
                    second_moment[v] += pair * half[v] * half[v] / 3.0;
                }
                let total = second_moment.sum();
                MassProperties {
                    mass,
                    com: Vec3::zeros(),
                    inertia: Mat3::from_diagonal(&second_moment.map(|s| total - s)),
                }
            }
            Self::Ellipsoid { radii } => ellipsoid_shell(*radii),
            Self::Mesh { mesh, .. } => mesh.unit_mass_properties(MeshMass::Shell),
        }
    }
}

/// (y² + z², z² + x², x² + y²)
fn sums_of_squares(v: Vec3) -> Vec3 {
    let total = v.norm_squared();
    v.map(|x| total - x * x)
}

/// The surface of an ellipsoid has no elementary closed form. MuJoCo's thin-shell rule is used: the difference of two
/// solid ellipsoids a small distance apart, with the area of Knud Thomsen's approximation (p = 1.6075, error < 1.1 %).
fn ellipsoid_shell(radii: Vec3) -> MassProperties {
    const P: f64 = 1.6075;
    const THICKNESS: f64 = 1e-6;
    let [a, b, c] = [radii.x, radii.y, radii.z].map(|r| math::powf(r, P));
    let area = 4.0 * PI * math::powf((a * b + b * c + c * a) / 3.0, 1.0 / P);
    let outer = Shape::Ellipsoid { radii: radii.add_scalar(THICKNESS) }.solid();
    let inner = Shape::Ellipsoid { radii }.solid();
    let shell_volume = outer.mass - inner.mass;
    MassProperties {
        mass: area,
        com: Vec3::zeros(),
        inertia: (outer.inertia - inner.inertia) * (area / shell_volume),
    }
}
