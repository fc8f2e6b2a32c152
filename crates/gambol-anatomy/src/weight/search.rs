//! The search for the smallest scale: down from stiff until the creature no longer stands, then bisection.

use gambol_dynamics::Data;
use gambol_model::{Creature, math};

use super::equilibrium::{State, is_kept, keep};
use super::potential::Problem;
use super::{
    Attempt, Stand, StandSettings, StandStatus, StiffnessGroup, WeightError, WeightReport, WeightStatus,
    is_root,
};

/// The search starts at this many times the natural scale, where most creatures stand by far.
pub(super) const START: f64 = 8.0;

/// It ends this many times above, or this many below the natural scale.
const RANGE: f64 = 1e4;

/// The smallest uniform scaling of all springs with which `creature` keeps `pose` under its weight.
///
/// Sag and deflection fall with growing stiffness, so the scale is bracketed and bisected. Every solution starts from
/// the next stiffer one: from stiff to soft the creature sinks step by step, as if its springs went slack.
pub fn stiffness_from_weight(
    creature: &Creature,
    data: &mut Data,
    pose: &[f64],
    settings: &StandSettings,
) -> Result<WeightReport, WeightError> {
    let mut problem = Problem::new(creature, data, pose, settings)?;
    let natural = natural_scale(&problem)?;
    let mut search = Search::new(&mut problem, settings);

    let mut scale = START * natural;
    while !search.stands(scale) {
        // What weighs infinitely much has no natural scale.
        if scale.is_nan() || scale >= RANGE * natural {
            return Ok(search.finish(WeightStatus::NeverStands));
        }
        scale *= START;
    }
    scale *= 0.5;
    while search.stands(scale) {
        if scale <= natural / RANGE {
            return Ok(search.finish(WeightStatus::NoStiffnessNeeded));
        }
        scale *= 0.5;
    }
    let mut fails = scale;
    while search.least > (1.0 + settings.precision) * fails {
        let middle = (search.least * fails).sqrt();
        if middle <= fails || middle >= search.least {
            break; // no number lies between them: this is as precise as numbers are
        }
        if !search.stands(middle) {
            fails = middle;
        }
    }
    Ok(search.finish(WeightStatus::Found))
}

struct Search<'p, 'a> {
    problem: &'p mut Problem<'a>,
    settings: &'p StandSettings,
    /// The softest creature that stands, and where the next solution starts.
    least: f64,
    state: State,
    /// The softest that stands, else the last one looked at.
    best: Option<Stand>,
    attempts: Vec<Attempt>,
}

impl<'p, 'a> Search<'p, 'a> {
    fn new(problem: &'p mut Problem<'a>, settings: &'p StandSettings) -> Self {
        let state = State::at_rest(problem);
        Self { problem, settings, least: f64::INFINITY, state, best: None, attempts: Vec::new() }
    }

    /// Whether the creature stands at `scale`, and keeps its posture with its reserve of weight on top.
    fn stands(&mut self, scale: f64) -> bool {
        let (stand, state) = keep(self.problem, &self.state, scale, self.settings);
        let mut attempt =
            Attempt { scale, status: stand.status, sag: stand.sag, deflection: stand.deflection() };
        if stand.status == StandStatus::Stands && self.settings.reserve > 0.0 {
            let loaded = keep(self.problem, &state, scale / (1.0 + self.settings.reserve), self.settings).0;
            if !is_kept(loaded.status) {
                attempt.status = StandStatus::NoReserve;
            }
        }
        self.attempts.push(attempt);
        let stands = attempt.status == StandStatus::Stands;
        if stands || self.least.is_infinite() {
            self.best = Some(stand);
        }
        if stands {
            (self.least, self.state) = (scale, state);
        }
        stands
    }

    fn finish(mut self, status: WeightStatus) -> WeightReport {
        let last = self.attempts.last().map_or(1.0, |attempt| attempt.scale);
        let scale = if self.least.is_finite() { self.least } else { last };
        let below = self.attempts.iter().filter(|attempt| attempt.scale < scale);
        let below = below.max_by(|a, b| a.scale.total_cmp(&b.scale)).copied();
        let stand = match self.best.take() {
            Some(stand) => stand,
            None => keep(self.problem, &self.state, scale, self.settings).0,
        };
        WeightReport {
            status,
            scale,
            suffices: status != WeightStatus::NeverStands && scale <= 1.0,
            stand,
            below,
            groups: groups(&self.problem.creature, scale),
            attempts: self.attempts,
        }
    }
}

/// Weight × height over the mean stiffness of the joints: the scale at which the weight, at the height of the centre of
/// mass as its lever, turns a joint by the order of a radian.
pub(super) fn natural_scale(problem: &Problem) -> Result<f64, WeightError> {
    let creature = &problem.creature;
    let springs: Vec<f64> = (0..creature.joints().len())
        .filter(|&joint| !is_root(creature, joint))
        .map(|joint| creature.joints()[joint].stiffness)
        .chain(creature.tendons().iter().map(|tendon| tendon.stiffness))
        .filter(|k| *k > 0.0)
        .collect();
    if springs.is_empty() {
        let first = creature.joints().first().map(|joint| joint.name.clone());
        return Err(first.map_or(WeightError::Rigid, |joint| WeightError::NoStiffness { joint }));
    }
    // Stiffnesses spread over orders of magnitude: the geometric mean is a typical one.
    let mean = math::exp(springs.iter().map(|k| math::ln(*k)).sum::<f64>() / springs.len() as f64);
    Ok(problem.weight * problem.length / mean)
}

/// Joints and tendons by their stiffness.
fn groups(creature: &Creature, scale: f64) -> Vec<StiffnessGroup> {
    let joints = creature.joints().iter().map(|joint| (joint.stiffness, &joint.name));
    let tendons = creature.tendons().iter().map(|tendon| (tendon.stiffness, &tendon.name));
    let mut groups: Vec<StiffnessGroup> = Vec::new();
    for (before, name) in joints.chain(tendons).filter(|(stiffness, _)| *stiffness > 0.0) {
        match groups.iter_mut().find(|group| group.before == before) {
            Some(group) => group.members.push(name.clone()),
            None => {
                groups.push(StiffnessGroup { before, after: before * scale, members: vec![name.clone()] });
            }
        }
    }
    groups.sort_by(|a, b| a.before.total_cmp(&b.before));
    groups
}
