//! Creatures that go on legs by their own torques: strides that can be followed, legs that know when to push, and controllers that keep
//! the balance.
//!
//! ```text
//! Clip with contacts ──► StrideReference ──► Pilot ──────────────► Whole ──► torques
//!                        GaitGraph            phase, carriage,      forces at the contacts
//!                                             legs, set-down        that the simulator found
//! ```
//!
//! A clip says how a creature goes, from wherever it comes; nothing here knows how it was made. See `docs/roam.md`.

mod automaton;
mod dense;
mod graph;
mod pilot;
mod reference;
mod regulator;
mod settings;
mod walker;
mod whole;

pub use automaton::{LegSight, LegState, next_state};
pub use graph::{FootPhase, FootStances, GaitGraph};
pub use pilot::{Course, LegMemory, LegUnits, Pilot, PilotMemory};
pub use reference::{FootPlan, Moment, Moving, ReferenceError, StrideReference};
pub use regulator::{Deviation, Regulator};
pub use settings::{PilotSettings, RegulatorSettings, WholeSettings};
pub use walker::{Walker, WalkerError, WalkerSettings};
pub use whole::{SolverCount, Whole, WholeMemory};

use whole::muscles;
