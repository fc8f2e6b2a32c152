//! Creatures that go on legs by their own torques: strides that can be followed, legs that know when to push, and controllers that keep
//! the balance.
//!
//! ```text
//! Clip with contacts ──► StrideReference ──► Pilot ──────────────► Whole ──► torques
//!                        GaitGraph            phase, carriage,      forces at the contacts
//!                                             legs, set-down        that the simulator found
//!
//! several strides ──► Ladder ──► Roam ──► Course of one of them, and which one
//!                                  ▲
//!                                Errand: speeds, headings, targets
//! ```
//!
//! A clip says how a creature goes, from wherever it comes; nothing here knows how it was made. See `docs/roam.md`.

mod automaton;
mod between;
mod controllers;
mod coros;
mod dense;
mod errand_file;
mod graph;
mod kokkevis;
mod ladder;
mod limbs;
mod pilot;
mod reference;
mod regulator;
mod roam;
mod settings;
mod slope;
mod walker;
mod whole;

pub use automaton::{LegSight, LegState, next_state};
pub use controllers::{LegAccount, LegController, Method};
pub use coros::{Coros, CorosMemory, Trajectory};
pub use errand_file::{ERRAND_VERSION, errand_from_toml};
pub use graph::{FootPhase, FootStances, GaitGraph};
pub use kokkevis::{Kokkevis, KokkevisMemory, double_integral, single_integral};
pub use ladder::{Ladder, LadderError, Rung, standing};
pub use limbs::{Aim, LegFrame, Limb, LimbGains, LimbMemory, Limbs, LimbsMemory};
pub use pilot::{Course, LegMemory, LegUnits, Pilot, PilotMemory};
pub use reference::{FootPlan, Moment, Moving, ReferenceError, STRIDE_KEYS, StrideReference};
pub use regulator::{Deviation, Regulator};
pub use roam::{CATCHES, CHANGES, Errand, Roam, RoamMemory, Steer, Timed};
pub use settings::{
    CorosSettings, KokkevisSettings, PilotSettings, RegulatorSettings, RoamSettings, WholeSettings,
};
pub use walker::{Walker, WalkerError, WalkerSettings};
pub use whole::{SolverCount, Whole, WholeMemory};

use whole::muscles;
