//! Creatures that balance by themselves: on a gait, or where they are told to go.

use gambol::RoamWish;
use gambol::control::legged::{
    Errand, GaitGraph, Ladder, PilotMemory, RoamMemory, STRIDE_KEYS, Steer, Walker, WalkerSettings,
    WholeMemory,
};
use gambol::control::{AnyController, Memory};
use gambol::dynamics::{State, Terrain};
use gambol::gait::{Sampling, perform};
use gambol::model::Creature;

use super::Trouble;
use super::body::Dressed;
use super::motion::gait;
use crate::protocol::{BalanceAnswer, GaitWork, LegAnswer, SteerWork};

/// A creature that is ready to balance.
pub(super) struct Ready {
    /// With muscles in place of springs.
    pub(super) creature: Creature,
    pub(super) controller: Box<dyn AnyController + Send>,
    pub(super) start: State,
    /// s
    pub(super) step: f64,
    /// Of each coordinate, N·m or N.
    pub(super) strength: Vec<f64>,
    pub(super) walks: Walks,
}

/// What it goes by.
pub(super) enum Walks {
    /// One stride, and the name of its gait.
    One(String, GaitGraph),
    /// All that it has, from standing to the fastest.
    Many(Ladder),
}

impl Ready {
    /// On a gait. What has no legs to balance on is told as a reason, not as an error: it moves by its springs.
    pub(super) fn on_gait(
        dressed: &mut Dressed,
        work: &GaitWork,
        warnings: &mut Vec<String>,
    ) -> Result<Result<Self, String>, Trouble> {
        let (mut gait, hints) = gait(dressed, work)?;
        warnings.extend(hints);
        gait.ground.terrain = Terrain::Flat; // the simulation has its own ground
        let Dressed { body, data, .. } = dressed;
        let sampling = Sampling { seconds: None, fps: STRIDE_KEYS };
        let played = perform(body, data, &gait, &sampling).map_err(Trouble::hinted)?;
        let made = Walker::new(body.creature.clone(), &played.clip, None, &WalkerSettings::default());
        let walker = match made {
            Ok(walker) => walker,
            Err(error) => return Ok(Err(format!("It does not balance by itself: {error}."))),
        };
        let controller = Box::new(walker.whole(None).map_err(Trouble::from_error)?);
        let walks = Walks::One(gait.name, walker.pilot.reference.graph.clone());
        Ok(Ok(Self::of(walker, controller, walks)))
    }

    /// Where it is told, from standing on.
    pub(super) fn anywhere(dressed: &Dressed, warnings: &mut Vec<String>) -> Result<Self, Trouble> {
        let wish = RoamWish { errand: Errand::default(), ..RoamWish::default() };
        let roaming = gambol::roam(&dressed.body.creature, &wish).map_err(Trouble::hinted)?;
        warnings.extend(roaming.warnings);
        let walks = Walks::Many(roaming.controller.ladder().clone());
        Ok(Self::of(roaming.walker, Box::new(roaming.controller), walks))
    }

    fn of(walker: Walker, controller: Box<dyn AnyController + Send>, walks: Walks) -> Self {
        let Walker { creature, start, step, strength, .. } = walker;
        Self { creature, controller, start, step, strength, walks }
    }
}

/// Tells a creature that goes where it is told; others do not listen.
pub(super) fn steer(memory: &mut Memory, work: Option<&SteerWork>) -> Result<(), Trouble> {
    let Some(roams) = memory.get_mut::<RoamMemory>() else { return Ok(()) };
    let Some(&SteerWork { speed, turn }) = work else { return Ok(()) };
    if !(speed.is_finite() && speed >= 0.0 && turn.is_finite()) {
        return Err(Trouble(format!("it cannot go at {speed} m/s and turn by {turn} rad/s")));
    }
    roams.steer = Some(Steer { speed, turn });
    Ok(())
}

impl Walks {
    /// What its legs are about.
    pub(super) fn answer(&self, memory: &Memory) -> Option<BalanceAnswer> {
        match self {
            Self::One(gait, graph) => {
                let whole: &WholeMemory = memory.get()?;
                Some(balance(gait, graph, &whole.pilot))
            }
            Self::Many(ladder) => {
                let roams: &RoamMemory = memory.get()?;
                let rung = &ladder.rungs[roams.rung];
                Some(balance(&ladder.gaits[rung.gait], &rung.reference.graph, &roams.whole.pilot))
            }
        }
    }
}

fn balance(gait: &str, graph: &GaitGraph, pilot: &PilotMemory) -> BalanceAnswer {
    let leg = |(foot, leg): (&gambol::control::legged::FootStances, &gambol::control::legged::LegMemory)| {
        LegAnswer {
            foot: foot.name.clone(),
            stances: foot.stances.clone(),
            state: leg.state.name().to_owned(),
            touches: leg.touches,
        }
    };
    BalanceAnswer {
        gait: gait.to_owned(),
        phase: pilot.phase.rem_euclid(1.0),
        legs: graph.feet.iter().zip(&pilot.legs).map(leg).collect(),
    }
}
