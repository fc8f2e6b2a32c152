//! Sketches of controllers: their two palettes, what suits a creature, a preview without gravity.

use std::sync::Arc;

use gambol::control::locomotion::Space;
use gambol::control::sketch::{
    Active, Palette, Phase, Priority, Sketch, Stage, SuggestSettings, preview, suggest,
};
use gambol::dynamics::Data;
use gambol::gait::counterparts;
use gambol::model::{Landmark, Role};
use gambol::motion::Basis;

use super::body::{SWING, mode_parts, roots};
use super::creature::{Read, clip_part};
use super::{Answer, Trouble};
use crate::protocol::{BasisPart, PreviewAnswer, SketchAnswer, SketchWork, push};

/// A sketch, and its creature made ready for it.
#[derive(Clone)]
pub(super) struct Staged {
    read: Arc<Read>,
    pub(super) sketch: Sketch,
    pub(super) stage: Arc<Stage>,
}

/// How many are remembered: the one on the stage, the one before a slider moved, and what undo goes back to.
const REMEMBERED: usize = 4;

/// The sketches last asked about, the latest last.
#[derive(Default)]
pub(super) struct Stages(Vec<Staged>);

impl Stages {
    /// A sketch of a creature.
    pub(super) fn get(&mut self, read: &Arc<Read>, work: &SketchWork) -> Result<Staged, Trouble> {
        let sketch = sketch_of(read, work);
        let known = |staged: &Staged| Arc::ptr_eq(&staged.read, read) && staged.sketch == sketch;
        if let Some(staged) = self.0.iter().find(|staged| known(staged)) {
            return Ok(staged.clone());
        }
        check(&sketch)?;
        let stage = Stage::new(&sketch, read.creature.clone()).map_err(Trouble::from_error)?;
        Ok(self.keep(Staged { read: read.clone(), sketch, stage: Arc::new(stage) }))
    }

    fn keep(&mut self, staged: Staged) -> Staged {
        if self.0.len() == REMEMBERED {
            self.0.remove(0);
        }
        self.0.push(staged.clone());
        staged
    }
}

/// The sketch, of the creature of the work.
pub(super) fn sketch_of(read: &Read, work: &SketchWork) -> Sketch {
    Sketch { creature: read.name().to_owned(), ..work.sketch.clone() }
}

/// Cycles that last longer or shorter, s, are no gait, and would keep the engine busy for ever.
const PERIODS: std::ops::RangeInclusive<f64> = 0.02..=10.0;
/// Speeds beyond this, m/s, or factors, or amplitudes, are no wish of anybody.
const LARGEST: f64 = 1e3;
/// N²m²: that of a whale.
const LARGEST_EFFORT: f64 = 1e18;

/// Numbers that would go wrong far from here, or keep the engine busy for ever.
fn check(work: &Sketch) -> Result<(), Trouble> {
    let bad =
        |what: &str, number: f64| Err(Trouble(format!("{what} of {number} makes no sense; choose another")));
    if !PERIODS.contains(&work.period) {
        return bad("a period", work.period);
    }
    let amplitudes =
        work.flight.priority.iter().chain(&work.ground.priority).map(|priority| priority.amplitude);
    let numbers = [work.stiffness, work.damping, work.speed, work.least_speed].into_iter().chain(work.bursts);
    if !(work.most_effort > 0.0 && work.most_effort < LARGEST_EFFORT) {
        return bad("an effort", work.most_effort);
    }
    match numbers.chain(amplitudes).find(|number| number.abs() > LARGEST) {
        Some(number) => bad("a number", number),
        None => Ok(()),
    }
}

/// As the page has it; feet that a file leaves out are named.
pub(super) fn work_of(sketch: &Sketch, stage: &Stage) -> SketchWork {
    let stance = stage.stance.iter().map(|foot| foot.name.clone()).collect();
    SketchWork { sketch: Sketch { stance, ..sketch.clone() }, found: None }
}

/// The two palettes of a sketch; without one, of a sketch that suits the creature.
pub(super) fn answer(
    stages: &mut Stages,
    read: &Arc<Read>,
    work: Option<&SketchWork>,
    from: Option<&SketchWork>,
) -> Result<Answer, Trouble> {
    let work = match (work, from) {
        (None, _) => suggested(stages, read)?,
        (Some(work), None) => work.clone(),
        (Some(work), Some(from)) => recounted(stages, read, work, from)?,
    };
    let Staged { sketch, stage, .. } = stages.get(read, &work)?;
    let mut bytes = Vec::new();
    let mut data = Data::new(&stage.creature);
    let mut basis = |phase: Phase, active: &[Active]| -> Result<BasisPart, Trouble> {
        let basis = stage.basis(phase);
        Ok(BasisPart {
            modes: mode_parts(&stage.creature, basis, &mut data)?,
            shapes: push(&mut bytes, basis.directions().iter().flat_map(|mode| mode.shape.iter().copied())),
            roots: push(&mut bytes, roots(&stage.creature, basis, &mut data)?),
            swing: SWING,
            pose: basis.mean().to_vec(),
            active: active.iter().map(|active| active.mode).collect(),
        })
    };
    let (flight, ground) = (basis(Phase::Flight, &stage.active[0])?, basis(Phase::Ground, &stage.active[1])?);
    let feet = stage.creature.landmarks().iter().filter(|mark| mark.role == Role::Foot);
    let head = SketchAnswer {
        sketch: work,
        flight,
        ground,
        feet: feet.map(Landmark::name).collect(),
        numbers: Space::modal(&sketch, &stage).dimension(),
    };
    Answer::new(head, bytes)
}

/// `work` with the modes that were marked on `from`, as they are counted now: other poses and other feet have other modes.
fn recounted(
    stages: &mut Stages,
    read: &Arc<Read>,
    work: &SketchWork,
    from: &SketchWork,
) -> Result<SketchWork, Trouble> {
    let with = |flight: Palette, ground: Palette| {
        let sketch = Sketch { flight, ground, ..work.sketch.clone() };
        SketchWork { sketch, found: work.found.clone() }
    };
    let old = stages.get(read, from)?;
    let new = stages.get(read, &with(Palette::default(), Palette::default()))?;
    let palette = |phase: Phase| {
        let marked = work.sketch.palette(phase);
        recount(&new.stage, new.stage.basis(phase), old.stage.basis(phase), marked)
    };
    Ok(with(palette(Phase::Flight), palette(Phase::Ground)))
}

fn recount(stage: &Stage, own: &Basis, from: &Basis, marked: &Palette) -> Palette {
    let follow = |mode: usize| counterparts(&stage.creature, own, from, &[mode]).into_iter().next();
    let mut taken: Vec<usize> = Vec::new();
    let mut numbers = |modes: &[usize]| -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for new in modes.iter().filter_map(|mode| follow(*mode)).map(|pair| pair.new) {
            if !taken.contains(&new) {
                taken.push(new);
                found.push(new);
            }
        }
        found
    };
    let named: Vec<usize> = marked.priority.iter().map(|priority| priority.mode).collect();
    let green = numbers(&named);
    let priority = marked
        .priority
        .iter()
        .filter_map(|priority| Some((follow(priority.mode)?, priority.amplitude)))
        .filter(|(pair, _)| green.contains(&pair.new))
        .map(|(pair, amplitude)| Priority { mode: pair.new, amplitude: pair.factor * amplitude });
    let mut once: Vec<Priority> = Vec::new();
    for priority in priority {
        if once.iter().all(|known| known.mode != priority.mode) {
            once.push(priority);
        }
    }
    Palette {
        priority: once,
        excluded: numbers(&marked.excluded),
        permissible: marked.permissible.as_ref().map(|modes| numbers(modes)),
    }
}

/// A sketch that suits a creature.
fn suggested(stages: &mut Stages, read: &Arc<Read>) -> Result<SketchWork, Trouble> {
    let (sketch, stage) =
        suggest(&read.creature, read.name(), &SuggestSettings::default()).map_err(|misfit| {
            // A creature whose feet were not found can be told where they are.
            let has_feet = read.creature.landmarks().iter().any(|mark| mark.role == Role::Foot);
            let hint = if has_feet { "" } else { "; mark them in the Creature panel" };
            Trouble(format!("{}{hint}", misfit.reason))
        })?;
    stages.keep(Staged { read: read.clone(), sketch: sketch.clone(), stage: Arc::new(stage) });
    Ok(SketchWork { sketch, found: None })
}

/// What the bursts alone do.
pub(super) fn previewed(Staged { sketch, stage, .. }: &Staged) -> Result<Answer, Trouble> {
    let clip = preview(sketch, stage, sketch.preview_seconds()).map_err(Trouble::from_error)?;
    let mut bytes = Vec::new();
    Answer::new(PreviewAnswer { clip: clip_part(&clip, &mut bytes) }, bytes)
}
