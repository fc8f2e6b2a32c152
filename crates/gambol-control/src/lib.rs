//! A creature moved by physics: controllers, and simulations of them.
//!
//! ```text
//! World, Controller, start ──► simulate ──► Rollout { status, report, clip, end }
//!                              rollouts       many at once, the same bits on any number of threads
//! ```
//!
//! A [`Controller`] sees the creature at the start of a step ([`gambol_dynamics::Sense`]), remembers what it likes, and moves
//! the pose in which the springs of the joints are at rest; it may add torques. [`Pump`] is the
//! open loop of Kry et al. 2009, section 4.1: the equilibrium swings along a few vibrations. [`Follow`] leads it along a
//! clip. [`Passive`] leaves it where it is.
//!
//! [`sketch`] and [`locomotion`] are Nunes et al. 2012: from a few modes that are to be seen to a controller that runs. It is
//! found by a [`search`], which takes any problem: CMA-ES ([`cma`]) inside, Newton's method around it.
//!
//! [`solve`] has the small quadratic and linear programs that a controller solves at every step.

mod budget;
pub mod cma;
mod controller;
pub mod help;
pub mod legged;
pub mod locomotion;
mod pump;
pub mod reduced;
mod rollout;
pub mod search;
pub mod sketch;
pub mod solve;
mod start;
mod text;
mod threads;
mod touch;

pub use budget::Budget;
pub use controller::{AnyController, Command, Controller, Event, Follow, Memory, Passive};
pub use pump::{ControlError, Pump, PumpPreset, SuggestSettings, Wave, suggest};
pub use rollout::{Effort, Heights, Plan, Report, Rollout, Shove, Status, rollouts, simulate};
pub use start::{perturb, soft_ground, stand_on};
pub use text::CheckpointError;
pub use touch::Touching;

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;
