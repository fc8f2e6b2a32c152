//! A first sketch after a gait that is there already: its turns of legs, its pace, and the vibrations that are most to be seen in it.

use gambol_model::Creature;
use gambol_motion::{Basis, Clip};

use super::stage::LOWEST;
use super::suggest::{SuggestSettings, round, suggest};
use super::{Legs, Misfit, Palette, Phase, Priority, Sketch, Stage};
use crate::legged::{FootPhase, GaitGraph};

/// Feet whose stances are this near to each other take their turn together, cycles: the two feet of a gallop's pair are 0.11 apart and
/// still no diagonal.
const TOGETHER: f64 = 0.1;

/// So many modes of each phase have priority: what is to be seen, and no more than the eye can tell apart.
const SEEN: usize = 2;

/// Of their mean amplitude in the gait, this share is asked for at least, ...
const ASKED: f64 = 0.5;

/// ... and modes whose amplitude is less than that are not to be seen, rad.
const FAINT: f64 = 0.05;

/// Looks at the gait in each phase.
const LOOKS: usize = 16;

/// Flight shares that a search can begin with.
const FLIGHT: [f64; 2] = [0.3, 0.7];

/// A sketch after `clip`, a gait of `creature` that loops and says when its feet stand, and its creature made ready for it. What the clip
/// does not say is as in [`suggest`]. Legs must take turns half a cycle apart, or all stand together: there is no sketch of a gallop.
pub fn suggest_after(
    creature: &Creature,
    name: &str,
    clip: &Clip,
    settings: &SuggestSettings,
) -> Result<(Sketch, Stage), Misfit> {
    let (plain, _) = suggest(creature, name, settings)?;
    let graph = GaitGraph::of_clip(clip);
    let (legs, stance) = turns(&graph, &clip.name)?;
    let duty = (0..graph.feet.len()).map(|foot| graph.duty(foot)).sum::<f64>() / graph.feet.len() as f64;
    let travels = clip.travel.map_or(0.0, |travel| travel.speed);
    let speed = if travels > 0.0 { travels } else { plain.speed };
    let mut sketch = Sketch {
        name: clip.name.clone(),
        legs,
        stance: stance.iter().map(|foot| graph.feet[*foot].name.clone()).collect(),
        period: round(graph.period),
        flight_share: round((1.0 - duty).clamp(FLIGHT[0], FLIGHT[1])),
        bursts: settings.bursts.map(|share| round(share * graph.period)),
        speed: round(speed),
        least_speed: round(settings.least_speed * speed),
        ..plain
    };
    let stage = Stage::new(&sketch, creature.clone())?;
    for phase in Phase::BOTH {
        let priority = seen(&stage, phase, clip, &graph, stance[0])?;
        let palette = Palette { priority, ..Palette::default() };
        match phase {
            Phase::Flight => sketch.flight = palette,
            Phase::Ground => sketch.ground = palette,
        }
    }
    let stage = Stage::new(&sketch, creature.clone())?;
    Ok((sketch, stage))
}

/// How legs take turns, and the feet that stand in the first half of the cycle.
fn turns(graph: &GaitGraph, gait: &str) -> Result<(Legs, Vec<usize>), Misfit> {
    let blame = |reason: String| Misfit::new("legs", reason);
    let middle = |foot: &crate::legged::FootStances| match foot.stances.as_slice() {
        [[start, length]] => Ok(start + 0.5 * length),
        _ => Err(blame(format!("{} does not stand just once in a cycle of {gait}", foot.name))),
    };
    let middles: Vec<f64> = graph.feet.iter().map(middle).collect::<Result<_, _>>()?;
    let Some(first) = middles.first() else {
        return Err(blame(format!("no foot stands in {gait}")));
    };
    let near = |phase: f64| {
        let off = phase.rem_euclid(1.0);
        off.min(1.0 - off) < TOGETHER
    };
    let with_first: Vec<usize> = (0..middles.len()).filter(|foot| near(middles[*foot] - first)).collect();
    if with_first.len() == middles.len() {
        return Ok((Legs::Together, with_first));
    }
    let opposite = |foot: usize| near(middles[foot] - first - 0.5);
    if (0..middles.len()).all(|foot| with_first.contains(&foot) || opposite(foot)) {
        return Ok((Legs::Alternate, with_first));
    }
    Err(blame(format!(
        "in {gait} feet neither take turns half a cycle apart nor stand all together, and a sketch knows nothing else; \
         trot, pace, hop and a run on two legs do"
    )))
}

/// The vibrations that the gait is bent along most, in the mean over a phase of `foot`, with their signs.
fn seen(
    stage: &Stage,
    phase: Phase,
    clip: &Clip,
    graph: &GaitGraph,
    foot: usize,
) -> Result<Vec<Priority>, Misfit> {
    let basis: &Basis = stage.basis(phase);
    let fault = |error: gambol_motion::BasisError| Misfit::new(phase.name(), error.to_string());
    let projector = basis.projector(&stage.creature).map_err(fault)?;
    let [[from, stands]] = graph.feet[foot].stances[..] else { return Ok(Vec::new()) };
    let (from, length) = match phase {
        Phase::Ground => (from, stands),
        Phase::Flight => (from + stands, 1.0 - stands),
    };
    debug_assert!(
        matches!(graph.at(foot, from + 0.5 * length), FootPhase::Stands { .. }) == (phase == Phase::Ground)
    );
    let last = (basis.rigid() + LOWEST).min(basis.directions().len());
    let mut means = vec![0.0; last];
    for look in 0..LOOKS {
        let at = from + length * (look as f64 + 0.5) / LOOKS as f64;
        let pose = clip.sample(&stage.creature, clip.times[0] + at.rem_euclid(1.0) * graph.period);
        let bent = projector.project(&stage.creature, &pose).map_err(fault)?;
        for (mean, amplitude) in means.iter_mut().zip(&bent) {
            *mean += amplitude / LOOKS as f64;
        }
    }
    let mut modes: Vec<usize> = (basis.rigid()..last).filter(|mode| means[*mode].abs() > FAINT).collect();
    modes.sort_by(|a, b| means[*b].abs().total_cmp(&means[*a].abs()));
    modes.truncate(SEEN);
    Ok(modes.into_iter().map(|mode| Priority { mode, amplitude: round(ASKED * means[mode]) }).collect())
}
