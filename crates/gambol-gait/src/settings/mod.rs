//! Every tuned number of this room, one struct per algorithm, each with unit, reason and origin.
//!
//! Where a paper or a measurement gives a number, it is named. "By eye" means that the gaits of the gallery and of creatures
//! that nobody tuned (`tests/zoo`) were looked at with larger and smaller numbers. What is mathematics (a step of a
//! difference, a rank tolerance) stands beside its formula instead.

mod design;
mod feet;
mod forces;
mod legless;
mod retarget;
mod script;
mod style;

pub use design::{
    DesignSettings, HeuristicSettings, MarkSettings, PaletteSettings, PostureSettings, SettleSettings,
    TempoSettings,
};
pub use feet::{FeetSettings, FootholdSettings, ObeySettings, PinSettings, RootSettings, WarningSettings};
pub use forces::{FeltSettings, ForceSettings, StanceSettings};
pub use legless::{FlightSettings, LieSettings, RowSettings, SwimSettings, WaveSettings, WaySettings};
pub use retarget::RetargetSettings;
pub use script::{ScriptSettings, SetSettings};
pub use style::{LimitSettings, StyleSettings};

use gambol_model::SettingError;

/// By what numbers gaits of a [`crate::Body`] are designed and played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GaitSettings {
    /// What a style does to a body.
    pub style: StyleSettings,
    /// Soft joint limits.
    pub limits: LimitSettings,
    /// Which modes are good for walking.
    pub heuristics: HeuristicSettings,
    /// Wanted motions of feet as sums of modes.
    pub palette: PaletteSettings,
    /// What goes with the legs.
    pub posture: PostureSettings,
    /// How fast, how often, how far.
    pub tempo: TempoSettings,
    /// From a name to a gait.
    pub design: DesignSettings,
    /// Modes that the user wants to see.
    pub marks: MarkSettings,
    /// A designed gait and the ground agree.
    pub settle: SettleSettings,
    /// Feet on the ground.
    pub feet: FeetSettings,
    /// Where feet stand, and how they get there.
    pub footholds: FootholdSettings,
    /// The way of the root.
    pub root: RootSettings,
    /// The pose that has all feet where they shall be.
    pub pin: PinSettings,
    /// A motion that gravity believes.
    pub obey: ObeySettings,
    /// One thing after another.
    pub script: ScriptSettings,
    /// A set for a game.
    pub set: SetSettings,
    /// What forces a clip takes.
    pub forces: ForceSettings,
    /// When feet stand in a clip that does not say it.
    pub stances: StanceSettings,
    /// How large a creature feels, by its own clips.
    pub felt: FeltSettings,
    /// What users are told.
    pub warnings: WarningSettings,
    /// Waves of bodies without legs.
    pub waves: WaveSettings,
    /// How a body lies on the ground.
    pub lie: LieSettings,
    /// How a body goes through water.
    pub swim: SwimSettings,
    /// How wings carry a body.
    pub flight: FlightSettings,
    /// How legs row through water.
    pub row: RowSettings,
    /// How a body turns in water and air.
    pub way: WaySettings,
}

impl GaitSettings {
    /// Refuses the first number that makes no sense.
    pub fn check(&self) -> Result<(), SettingError> {
        self.style.check()?;
        self.limits.check()?;
        self.heuristics.check()?;
        self.palette.check()?;
        self.posture.check()?;
        self.tempo.check()?;
        self.design.check()?;
        self.marks.check()?;
        self.settle.check()?;
        self.feet.check()?;
        self.footholds.check()?;
        self.root.check()?;
        self.pin.check()?;
        self.obey.check()?;
        self.script.check()?;
        self.set.check()?;
        self.forces.check()?;
        self.stances.check()?;
        self.felt.check()?;
        self.warnings.check()?;
        self.waves.check()?;
        self.lie.check()?;
        self.swim.check()?;
        self.flight.check()?;
        self.row.check()?;
        self.way.check()
    }
}
