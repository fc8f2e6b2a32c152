//! Dynamics of a [`Creature`]: kinematics, mass matrix, bias forces, inverse and forward dynamics, constraints,
//! energy and momenta.
//!
//! Every function is an `algorithm(&creature, &mut data, …)`: the creature is shared and immutable, [`Data`] is one
//! thread's scratch memory and holds what the last call computed. Each function says what it leaves there, and
//! returns what it was called for. Nothing allocates after [`Data::new`].
//!
//! **Frames.** Spatial vectors are written along the world axes at the origin of the body they belong to: going from
//! a body to its parent is a shift by a vector, never a rotation, and lengths stay as small as the bones, so that a
//! chain of a thousand links loses no digits to a far origin.
//!
//! ```
//! use gambol_dynamics::{Data, TreeMatrix, forward_dynamics, mass_matrix};
//! use gambol_model::{BodySpec, CreatureSpec, JointSpec, Shape, ShapeSpec};
//!
//! let mut spec = CreatureSpec::new("stone");
//! let stone = spec.add_body(0, BodySpec::new("stone"))?;
//! spec.bodies[stone].joints.push(JointSpec::free("root"));
//! spec.bodies[stone].shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.1 }));
//! let creature = spec.build()?;
//! let mut data = Data::new(&creature);
//! let (q, v, tau) = (creature.reference_pose().to_vec(), vec![0.0; creature.nv()], vec![0.0; creature.nv()]);
//! let mut m = TreeMatrix::new(&creature)?;
//! mass_matrix(&creature, &mut data, &q, &mut m);
//! let acceleration = forward_dynamics(&creature, &mut data, &q, &v, &tau);
//! assert!((acceleration[2] + 9.81).abs() < 1e-12); // free fall
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aba;
mod centroidal;
mod constraints;
mod contact;
mod course;
mod crba;
mod data;
mod energy;
mod jacobian;
mod kinematics;
mod mass_multiply;
pub mod paper;
mod reach;
pub mod reduced;
mod rnea;
mod spatial;
mod springs;
mod step;
mod support;
mod terrain;
mod touch;
mod tree_matrix;
mod turn;

pub use aba::forward_dynamics;
pub use centroidal::{FloatingBase, Wrench, momentum_matrix, outside_wrench};
pub use constraints::{
    Reduction, constraint_jacobian, constraint_residual, constraint_rows, degrees_of_freedom, null_space,
};
pub use contact::{Collider, Contact};
pub use course::{Base, Block, Course, CourseSpec, Patch};
pub use crba::mass_matrix;
pub use data::{BodyFrame, Data};
pub use energy::{Energy, Momentum, center_of_mass, center_of_mass_of, energy, energy_about, momentum};
pub use jacobian::{body_jacobian, each_axis_above, point_jacobian};
pub use kinematics::{body_velocities, forward_kinematics};
pub use mass_multiply::{MassMultiplier, multiply_mass, prepare_mass, top_momentum};
pub use reach::{Goal, Hold, ReachSpace, Reached, SpringSpace, Stop, StopEnd, reach, reach_in};
pub use rnea::{bias_forces, inverse_dynamics};
pub use spatial::{Force, Motion};
pub use springs::{passive_forces, passive_forces_about, stiffness_matrix, tendon_stretch_about};
pub use step::{
    ContactForce, ContactModel, Divergence, Drive, Push, Sense, Springs, State, StepError, StepSettings,
    Stepper, Sweeps, World, step,
};
pub use support::{SupportPoint, SupportSettings, explain};
pub use terrain::{HeightField, Terrain, TerrainError};
pub use touch::{Lowest, Touch, touches};
pub use tree_matrix::{TooLarge, TreeMatrix};
pub use turn::Turn;

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;

pub(crate) use gambol_model::{Creature, JointKind, Mat3, Quat, Vec3};
