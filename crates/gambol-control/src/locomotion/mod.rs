//! From a sketch to a controller (Nunes et al. 2012): bursts of torque along modes, a cycle of them simulated and judged,
//! and a search for one that is fast, cheap and repeats itself.
//!
//! ```text
//! Sketch, Creature ──► Stage ──► StrideProblem ──► Search ──► Stride ──► Bursts: a Controller
//!                                                    │  ▲
//!                                          candidates ▼  │ Score
//!                                                 cycle by cycle
//! ```

mod balance;
mod bursts;
mod cycle;
mod file;
mod film;
mod problem;
mod score;
mod space;
mod spectrum;
mod upright;

pub use balance::{AT_LIMIT, Balance, BalanceSettings, Balanced, Corrections};
pub use bursts::Bursts;
pub use cycle::{Cycle, Judge, world};
pub use file::{Found, controller_to_toml, is_controller, read_controller};
pub use film::cycle_clip;
pub use problem::{Coordinates, StrideError, StrideProblem, StrideSearch, StrideSettings, Tolerance};
pub use score::{CONSTRAINTS, JudgeSettings, Limits, Score, WEIGHT_EASY, WEIGHT_OBJECTIVE};
pub use space::{Space, SpaceSettings, Stride};
pub use spectrum::spectrum;
pub use upright::{Fall, Upright};
