//! A body in a few directions on the ground, and features that control it while it balances (Tournier and Reveret 2012, sections 5
//! and 6).
//!
//! ```text
//! ReducedWorld ── step(state, wishes) ──► ReducedState, Outcome: contact forces, ghost wrench, how the programs ended
//!      ▲                     ▲
//! ReducedBody       Wishes: Γ, γ̃ ◄── Feature, Balance
//! ```
//!
//! A step is a quadratic program in the velocity at its end, with M and the net momentum p of [`gambol_dynamics::reduced`]:
//!
//! ```text
//! (9)   v' = argmin ½ vᵀ M v − pᵀ v                        subject to A v ≥ b
//! (10)  v' = argmin ρ (½ vᵀ M v − pᵀ v) + (1 − ρ) ½ Σ w ‖Γ v − γ̃‖²   subject to A v ≥ b
//! ```
//!
//! Rows of A are (n + μ d)ᵀ J for four directions d across the normal n of each contact, and b = −gap/h: their multipliers are
//! impulses inside the friction pyramid, zero where a contact opens. It is Anitescu's convex form (2006): a foot that slides is
//! lifted by μ h times its speed, one that sticks is not.

mod balance;
mod contacts;
mod feature;
mod feature_file;
mod limits;
mod simulate;
mod stand;
mod step;

pub use balance::{Balance, BalanceSettings, Command, FootPlan};
pub use contacts::ReducedContact;
pub use feature::{Aim, Feature, Wishes};
pub use feature_file::{FEATURE_VERSION, features_from_toml};
pub use limits::{JointLimit, LimitError, enclose};
pub use simulate::{BalanceReport, ReducedPlan, ReducedRollout, simulate_reduced};
pub use stand::stand;
pub use step::{Actuation, Outcome, ReducedMemory, ReducedSettings, ReducedWorld, ReducedWorldError};
