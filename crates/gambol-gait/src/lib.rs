//! Gaits from natural vibrations (Kry et al. 2009, sections 4.2, 4.3 and 5), with feet on the ground.
//!
//! ```text
//! Style::apply ──► analyze ──► design ──► Gait ──► perform ──► Clip, Report
//!   style           (modes)    heuristics          modal, stance, root, pin   (feet)
//!                              footfall, tempo     belly                      (legless)
//!                              palette, posture
//!                              preset
//! ```
//!
//! [`Style`] changes the body, [`design`] presses walk: it picks modes, amplitudes and phases for a named gait.
//! [`prepare`] does both for a creature as its file has it, [`adopt`] the same for a gait of a file. [`perform`] plays a
//! gait: equation 4 with soft limits, then feet on the ground.

mod believe;
mod belly;
mod close;
mod design;
mod ease;
mod edit;
mod error;
mod feet;
mod felt;
mod file;
mod forces;
mod gait;
mod heuristics;
mod limits;
mod marks;
mod measure;
mod modal;
mod palette;
mod path;
mod perform;
mod posture;
mod prepare;
mod preset;
mod reach;
mod retarget;
mod script;
mod set;
mod settings;
mod settle;
mod stance;
mod style;
mod tempo;
mod terrain;

pub use believe::{Believed, perform_believed, perform_on_frames};
pub use design::{Design, Wish, design, gaits_for};
pub use edit::ModeEdit;
pub use error::GaitError;
pub use felt::{Felt, FeltError, OwnGait, feel};
pub use file::{FileError, TerrainFile, VERSION, from_toml, from_toml_with, to_toml};
pub use forces::{
    FootForces, ForceError, ForceFigures, Forces, Stances, WorstResidual, find_stances, forces,
};
pub use gait::{Component, Gait, Ground, Style, Support};
pub use gambol_anatomy::{Leg, Legs};
pub use gambol_dynamics::{HeightField, Terrain};
pub use heuristics::{Action, Category, LegMotion, Measure, Ranking, Rejection, Timing, measure, rank};
pub use measure::modal_share;
pub use perform::{FootReport, Performance, Report, Sampling, perform};
pub use prepare::{adopt, adopt_onto, design_at_pace, prepare};
pub use preset::{Preset, PresetMode, PresetPart, Presets, preset_style};
pub use reach::Reach;
pub use retarget::{LimbPair, RetargetError, Retargeted, retarget};
pub use script::{Act, Script, What, perform_script};
pub use set::{LocomotionSet, SetClip, SetMaker, SetProgress, SetRole, locomotion_set};
pub use settings::{
    DesignSettings, FeetSettings, FeltSettings, FlightSettings, FootholdSettings, ForceSettings,
    GaitSettings, HeuristicSettings, LieSettings, LimitSettings, MarkSettings, ObeySettings, PaletteSettings,
    PinSettings, PostureSettings, RetargetSettings, RootSettings, RowSettings, ScriptSettings, SetSettings,
    SettleSettings, StanceSettings, StyleSettings, SwimSettings, TempoSettings, WarningSettings,
    WaveSettings, WaySettings,
};
pub use style::{Body, Counterpart, counterparts};

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;
