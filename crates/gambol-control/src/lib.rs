//! A creature moved by physics: controllers, and simulations of them.
//!
//! ```text
//! World, Controller, start ──► simulate ──► Rollout { status, report, clip, end }
//!                              rollouts       many at once, the same bits on any number of threads
//! ```
//!
//! A [`Controller`] moves the pose in which the springs of the joints are at rest, and may add torques. [`Pump`] is the
//! open loop of Kry et al. 2009, section 4.1: the equilibrium swings along a few vibrations. [`Follow`] leads it along a
//! clip. [`Passive`] leaves it where it is.
//!
//! [`sketch`] and [`locomotion`] are Nunes et al. 2012: from a few modes that are to be seen to a controller that runs, found
//! by [`cma`] and Newton's method.

mod budget;
pub mod cma;
mod controller;
pub mod locomotion;
mod pump;
mod rollout;
pub mod sketch;
mod start;
mod text;
mod touch;

pub use budget::Budget;
pub use controller::{Command, Controller, Follow, Passive};
pub use pump::{ControlError, Pump, Wave, suggest};
pub use rollout::{Heights, Plan, Report, Rollout, Shove, Status, rollouts, simulate};
pub use start::{perturb, soft_ground, stand_on};
pub use text::CheckpointError;
pub use touch::Touching;
