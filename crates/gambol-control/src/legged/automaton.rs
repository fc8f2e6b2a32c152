//! What a leg is about (Kokkevis et al. 1995, figure 4).

use super::{FootPhase, PilotSettings};

/// The state of a leg. Numbers are those of the paper's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LegState {
    /// 4: it pushes.
    Pushes,
    /// 1: it swings to the centre of its motion.
    ToCenter,
    /// 2: it goes to its set-down point.
    ToSetDown,
    /// 2, but its time to push has come and it found no ground: it goes on down.
    Late,
    /// 3: it is jammed, and lifted for a moment.
    Jammed,
}

impl LegState {
    /// In words, as events of a report have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pushes => "pushes",
            Self::ToCenter => "lifts",
            Self::ToSetDown => "reaches out",
            Self::Late => "is late",
            Self::Jammed => "is jammed",
        }
    }

    /// Whether contacts of the foot are to bear load.
    pub fn pushes(self) -> bool {
        self == Self::Pushes
    }
}

/// What is known of a leg when it decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegSight {
    /// Where the gait has it.
    pub phase: FootPhase,
    /// Whether its foot touches.
    pub touches: bool,
    /// Other legs whose feet push and touch.
    pub others: usize,
    /// Distance of the foot from its place in the stride, leg lengths.
    pub away: f64,
    /// Cycles since the state began.
    pub since: f64,
}

/// The next state of a leg.
///
/// ```text
///          duty is over              centre              duty begins, or touches from 0.8 on
/// pushes ──────────────► to centre ───────► to set-down ────────────────────────────────────► pushes
///    ▲│ too far away, and two others push                            │ duty begins, nothing touches      ▲
///    │└────────► jammed ─── a moment ──► late   └────────────────► late ── touches ─┘
/// ```
pub fn next_state(state: LegState, sight: &LegSight, settings: &PilotSettings) -> LegState {
    let stands = |touches: bool| if touches { LegState::Pushes } else { LegState::Late };
    match (state, sight.phase) {
        (LegState::Pushes, FootPhase::Swings { share, .. }) if share < settings.early => LegState::ToCenter,
        (LegState::Pushes, FootPhase::Stands { .. }) if sight.away > settings.jammed && sight.others > 1 => {
            LegState::Jammed
        }
        (LegState::Pushes, _) => LegState::Pushes,
        (LegState::Jammed, FootPhase::Swings { share, .. }) if share < settings.early => LegState::ToCenter,
        (LegState::Jammed, _) if sight.since < settings.unjam => LegState::Jammed,
        (LegState::Jammed, FootPhase::Swings { .. }) => LegState::ToSetDown,
        (LegState::ToCenter | LegState::ToSetDown, FootPhase::Swings { share, .. }) => {
            if sight.touches && share >= settings.early {
                LegState::Pushes
            } else if share < settings.center {
                LegState::ToCenter
            } else {
                LegState::ToSetDown
            }
        }
        // Late until the next swing begins.
        (LegState::Late, FootPhase::Swings { share, .. }) if share < settings.early && !sight.touches => {
            LegState::ToCenter
        }
        (_, _) => stands(sight.touches),
    }
}
