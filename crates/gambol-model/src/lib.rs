//! The creature: bodies in a tree, elastic joints, mass from geometry, constraints, landmarks and poses.
//!
//! A [`CreatureSpec`] is the editable description that importers and programs write. [`CreatureSpec::build`] checks
//! it and turns it into a [`Creature`], which is compact and can no longer be invalid. Everything to the right of
//! this crate reads a `Creature`; nothing here reads or writes files.
//!
//! Units are SI, angles radians, axes right-handed with z up and x forward. Poses (`qpos`, length `nq`) and
//! velocities (`qvel`, length `nv`) are laid out as MuJoCo lays them out; poses move only by
//! [`Creature::integrate`] and [`Creature::difference`].
//!
//! ```
//! use gambol_model::{BodySpec, CreatureSpec, JointSpec, Shape, ShapeSpec, Vec3};
//!
//! let mut spec = CreatureSpec::new("pendulum");
//! let rod = spec.add_body(0, BodySpec::new("rod"))?;
//! spec.bodies[rod].joints.push(JointSpec::hinge("pivot", Vec3::y()).with_stiffness(7.0));
//! spec.bodies[rod].shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.02, 0.02, 0.4) }));
//! let pendulum = spec.build()?;
//! assert_eq!((pendulum.nq(), pendulum.nv()), (1, 1));
//! # Ok::<(), gambol_model::ModelError>(())
//! ```

mod class;
mod constraint;
mod creature;
mod error;
mod hint;
mod inertia;
mod landmark;
pub mod math;
mod mesh;
mod pose;
mod random;
mod rotation;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
mod settings;
mod shape;
mod spec;
mod validate;

pub use class::BodyClass;
pub use constraint::{BodyPoint, Constraint, ConstraintKind};
pub use creature::{Body, Creature, Dof, Joint, JointKind, NamedPose, Site, Tendon};
pub use error::{ModelError, Warning};
pub use hint::{Hint, Hinted, Remark, ending};
pub use inertia::MassProperties;
pub use landmark::{Landmark, LandmarkName, Role, Row, Side, Source, words_of_name};
pub use mesh::{MAX_MESH_FACES, MeshDefect, MeshMass, TriMesh};
pub use random::Random;
pub use rotation::{mean_rotation, nearest_rotation, orientation_of, svd};
pub use settings::{Setting, SettingError, SettingRange};
pub use shape::Shape;
pub use spec::{
    BodySpec, CreatureSpec, InertiaSpec, JointSpec, LandmarkOverride, PoseSpec, ShapeSpec, SiteSpec,
    TendonSpec,
};

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;

/// A point or direction in space.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 3 × 3 matrix: a rotation or a rotational inertia.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A rotation as a unit quaternion.
pub type Quat = nalgebra::UnitQuaternion<f64>;
/// A rigid transform, always named `target_from_source`.
pub type Transform = nalgebra::Isometry3<f64>;
