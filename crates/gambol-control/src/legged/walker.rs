//! All that it takes for a creature to go on its own legs, from a clip.

use gambol_dynamics::State;
use gambol_model::{Creature, ModelError};
use gambol_motion::Clip;

use super::{
    CorosSettings, Course, KokkevisSettings, Pilot, PilotSettings, ReferenceError, RegulatorSettings,
    StrideReference, Whole, WholeSettings, muscles,
};
use crate::locomotion::Upright;

/// Longest step of a simulation, s, and in parts of the legs' natural time: a dog has 1 ms.
const LONGEST_STEP: f64 = 1e-3;
const STEP_SHARE: f64 = 0.005;

/// A creature that is ready to go, and what leads it.
#[derive(Clone, Debug)]
pub struct Walker {
    /// With muscles in place of its springs.
    pub creature: Creature,
    /// What leads it.
    pub pilot: Pilot,
    /// Most torque of each coordinate, its damper's counted in, N·m or N.
    pub strength: Vec<f64>,
    /// Where it starts: in the stride.
    pub start: State,
    /// Of its simulation, s.
    pub step: f64,
    /// Knows when it has fallen.
    pub upright: Upright,
    settings: WalkerSettings,
}

/// By what numbers a creature walks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkerSettings {
    /// How it follows its stride.
    pub pilot: PilotSettings,
    /// What is done about deviations.
    pub regulator: RegulatorSettings,
    /// How torques are found.
    pub whole: WholeSettings,
    /// How by the controller of Coros et al. 2011.
    pub coros: CorosSettings,
    /// How by the controller of Kokkevis et al. 1995.
    pub kokkevis: KokkevisSettings,
}

/// Why a creature cannot go on legs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WalkerError {
    /// The clip cannot be followed.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// A number that makes no sense.
    #[error(transparent)]
    Setting(#[from] gambol_model::SettingError),
    /// Muscles that it cannot have.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No limit for a torque.
    #[error("a torque limit of {limit} N·m: it must be above 0")]
    Strength {
        /// N·m
        limit: f64,
    },
    /// An errand that cannot be gone on.
    #[error("{what} {} of the errand: {value} cannot be gone by; numbers are finite, speeds and times at least 0", .index + 1)]
    Errand {
        /// Speed, turn, heading, target or ball.
        what: &'static str,
        /// Which of them, from 0.
        index: usize,
        /// What is wrong.
        value: f64,
    },
    /// More joints than the controller has room for.
    #[error(transparent)]
    TooLarge(#[from] gambol_dynamics::TooLarge),
}

impl Walker {
    /// For a clip of `creature` that loops and says when its feet stand. Every joint has at most `strength`, N·m or N; if nobody says, what
    /// suits its weight and the length of its legs.
    pub fn new(
        creature: Creature,
        clip: &Clip,
        strength: Option<f64>,
        settings: &WalkerSettings,
    ) -> Result<Self, WalkerError> {
        let reference = StrideReference::new(&creature, clip)?;
        Self::on(creature, reference, strength, settings)
    }

    /// The same for a stride of `creature`.
    pub fn on(
        mut creature: Creature,
        reference: StrideReference,
        strength: Option<f64>,
        settings: &WalkerSettings,
    ) -> Result<Self, WalkerError> {
        settings.pilot.check()?;
        settings.regulator.check()?;
        settings.whole.check()?;
        settings.coros.check()?;
        settings.kokkevis.check()?;
        if let Some(limit) = strength.filter(|limit| limit.is_nan() || *limit <= 0.0) {
            return Err(WalkerError::Strength { limit });
        }
        let pilot = Pilot::new(&creature, reference, settings.pilot.clone(), &settings.regulator);
        muscles(&mut creature, &pilot, &settings.whole)?;
        let (q, v) = pilot.reference.start(&creature, pilot.start_phase);
        let weight = pilot.reference.base.mass * pilot.units.gravity;
        let limit = strength.unwrap_or(settings.whole.strength * weight * pilot.units.stretched);
        Ok(Self {
            start: State::new(&q, &v),
            step: LONGEST_STEP.min(STEP_SHARE * pilot.units.time()),
            upright: pilot.reference.upright(&creature),
            strength: vec![limit; creature.nv()],
            settings: settings.clone(),
            creature,
            pilot,
        })
    }

    /// By what numbers it walks.
    pub fn settings(&self) -> &WalkerSettings {
        &self.settings
    }

    /// The whole-body controller on a course; none: the stride's own.
    pub fn whole(&self, course: Option<Course>) -> Result<Whole, WalkerError> {
        let course = course.unwrap_or_else(|| self.pilot.own_course());
        let limits = self.strength.clone();
        Ok(Whole::new(&self.creature, self.pilot.clone(), course, limits, self.settings.whole.clone())?)
    }
}
