//! Sketches of controllers: their two palettes, what suits a creature, a preview without gravity.

use std::sync::Arc;

use gambol::anatomy::{Foot, Heading, StandSettings, diagonal_feet, feet, stiffness_from_weight};
use gambol::control::locomotion::Space;
use gambol::control::sketch::{
    Active, FileError, Legs, Palette, Phase, Priority, Sketch, Stage, preview, read, to_toml,
};
use gambol::dynamics::{Data, center_of_mass};
use gambol::gait::counterparts;
use gambol::model::{Landmark, Role, math};
use gambol::motion::Basis;

use super::body::{SWING, mode_parts, roots};
use super::creature::{Read, clip_part};
use super::{Answer, Trouble};
use crate::protocol::{
    BasisPart, LegsWork, PaletteWork, PreviewAnswer, PriorityWork, SketchAnswer, SketchWork, push,
};

/// A sketch, and its creature made ready for it.
#[derive(Clone)]
pub(super) struct Staged {
    read: Arc<Read>,
    work: SketchWork,
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
        let work = SketchWork { found: None, ..work.clone() };
        let known = |staged: &Staged| Arc::ptr_eq(&staged.read, read) && staged.work == work;
        if let Some(staged) = self.0.iter().find(|staged| known(staged)) {
            return Ok(staged.clone());
        }
        let staged = Staged::new(read, work)?;
        if self.0.len() == REMEMBERED {
            self.0.remove(0);
        }
        self.0.push(staged.clone());
        Ok(staged)
    }
}

impl Staged {
    /// A sketch is checked as its file is: there is one place that knows what is wrong.
    fn new(read: &Arc<Read>, work: SketchWork) -> Result<Self, Trouble> {
        check(&work)?;
        let text = to_toml(&sketch_of(read, &work));
        let (sketch, stage) = self::read(&text, |_| Ok(read.creature.clone()))
            .map_err(|FileError { reason, .. }| Trouble(reason))?;
        Ok(Self { read: read.clone(), work, sketch, stage: Arc::new(stage) })
    }
}

/// Cycles that last longer or shorter, s, are no gait, and would keep the engine busy for ever.
const PERIODS: std::ops::RangeInclusive<f64> = 0.02..=10.0;
/// Speeds beyond this, m/s, or factors, or amplitudes, are no wish of anybody.
const LARGEST: f64 = 1e3;
/// N²m²: that of a whale.
const LARGEST_EFFORT: f64 = 1e18;

fn check(work: &SketchWork) -> Result<(), Trouble> {
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

/// As files have it.
pub(super) fn sketch_of(read: &Read, work: &SketchWork) -> Sketch {
    let palette = |work: &PaletteWork| Palette {
        priority: work
            .priority
            .iter()
            .map(|&PriorityWork { mode, amplitude }| Priority { mode, amplitude })
            .collect(),
        permissible: work.permissible.clone(),
        excluded: work.excluded.clone(),
    };
    Sketch {
        name: work.name.clone(),
        creature: read.name().to_owned(),
        pose: work.pose.clone(),
        legs: match work.legs {
            LegsWork::Alternate => Legs::Alternate,
            LegsWork::Together => Legs::Together,
        },
        stance: work.stance.clone(),
        stiffness: work.stiffness,
        damping: work.damping,
        period: work.period,
        flight_share: work.flight_share,
        bursts: work.bursts,
        speed: work.speed,
        least_speed: work.least_speed,
        most_effort: work.most_effort,
        flight: palette(&work.flight),
        ground: palette(&work.ground),
    }
}

/// As the page has it; feet that a file leaves out are named.
pub(super) fn work_of(sketch: &Sketch, stage: &Stage) -> SketchWork {
    let palette = |palette: &Palette| PaletteWork {
        priority: palette
            .priority
            .iter()
            .map(|&Priority { mode, amplitude }| PriorityWork { mode, amplitude })
            .collect(),
        permissible: palette.permissible.clone(),
        excluded: palette.excluded.clone(),
    };
    SketchWork {
        name: sketch.name.clone(),
        pose: sketch.pose.clone(),
        legs: match sketch.legs {
            Legs::Alternate => LegsWork::Alternate,
            Legs::Together => LegsWork::Together,
        },
        stance: stage.stance.iter().map(|foot| foot.name.clone()).collect(),
        stiffness: sketch.stiffness,
        damping: sketch.damping,
        period: sketch.period,
        flight_share: sketch.flight_share,
        bursts: sketch.bursts,
        speed: sketch.speed,
        least_speed: sketch.least_speed,
        most_effort: sketch.most_effort,
        flight: palette(&sketch.flight),
        ground: palette(&sketch.ground),
        found: None,
    }
}

/// The two palettes of a sketch; without one, of a sketch that suits the creature.
pub(super) fn answer(
    stages: &mut Stages,
    read: &Arc<Read>,
    work: Option<&SketchWork>,
    from: Option<&SketchWork>,
) -> Result<Answer, Trouble> {
    let work = match (work, from) {
        (None, _) => suggest(stages, read)?,
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
    let old = stages.get(read, from)?;
    let unmarked = PaletteWork::default;
    let new = stages.get(read, &SketchWork { flight: unmarked(), ground: unmarked(), ..work.clone() })?;
    let palette = |phase: Phase, marked: &PaletteWork| {
        recount(&new.stage, new.stage.basis(phase), old.stage.basis(phase), marked)
    };
    Ok(SketchWork {
        flight: palette(Phase::Flight, &work.flight),
        ground: palette(Phase::Ground, &work.ground),
        ..work.clone()
    })
}

fn recount(stage: &Stage, own: &Basis, from: &Basis, marked: &PaletteWork) -> PaletteWork {
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
        .map(|(pair, amplitude)| PriorityWork { mode: pair.new, amplitude: pair.factor * amplitude });
    let mut once: Vec<PriorityWork> = Vec::new();
    for priority in priority {
        if once.iter().all(|known| known.mode != priority.mode) {
            once.push(priority);
        }
    }
    PaletteWork {
        priority: once,
        excluded: numbers(&marked.excluded),
        permissible: marked.permissible.as_ref().map(|modes| numbers(modes)),
    }
}

/// A run at Froude number 1 in Nunes' runner: speed √(g h), and the least one in parts of it.
const LEAST_SPEED: f64 = 0.65;
/// Its period in parts of √(h / g), s, and its bursts in parts of the period.
const PERIOD: f64 = 2.2;
const BURSTS: [f64; 2] = [0.17, 0.21];
/// Most effort in parts of the square of mass and height, N²m²: the paper's 500 000 for its runner of 70 kg.
const EFFORT: f64 = 100.0;
/// k_d / k_s as published, s.
const DAMPING: f64 = 0.1;
/// Springs are this many times as stiff as it takes to stand: who lands needs more.
const STRONGER: f64 = 1.5;
/// m/s²
const GRAVITY: f64 = 9.81;
/// Rest poses that are made for running, if a creature has one.
const RUNS: [&str; 2] = ["run", "hop"];

/// A sketch that suits a creature, without marks: legs alternate along the diagonals if it has a left and a right, else all
/// feet hop; its size says how fast.
fn suggest(stages: &mut Stages, read: &Arc<Read>) -> Result<SketchWork, Trouble> {
    let creature = &read.creature;
    let mut data = Data::new(creature);
    let feet = feet(creature, &mut data, creature.reference_pose());
    if feet.is_empty() {
        let name = creature.name();
        return Err(Trouble(format!("{name} has no feet to run on; mark them in the Creature panel")));
    }
    let lowest = feet.iter().map(|foot| foot.place.z).fold(f64::INFINITY, f64::min);
    let height = (center_of_mass(creature, &mut data, creature.reference_pose()).z - lowest).max(1e-3);
    let heading = Heading::of_reference(creature, &mut data);
    let names = |feet: Vec<&Foot>| feet.into_iter().map(|foot| foot.name.clone()).collect::<Vec<_>>();
    let speed = (GRAVITY * height).sqrt();
    let period = PERIOD * (height / GRAVITY).sqrt();
    let stands =
        stiffness_from_weight(creature, &mut data, creature.reference_pose(), &StandSettings::default());
    let stiffness = stands.map_or(1.0, |report| (STRONGER * report.scale).max(1.0));
    let work = |pose: Option<&str>, legs: LegsWork, stance: Vec<String>| SketchWork {
        name: "run".to_owned(),
        pose: pose.map(str::to_owned),
        legs,
        stance,
        stiffness: round(stiffness),
        damping: DAMPING,
        period: round(period),
        flight_share: 0.5,
        bursts: BURSTS.map(|share| round(share * period)),
        speed: round(speed),
        least_speed: round(LEAST_SPEED * speed),
        most_effort: round(EFFORT * math::square(creature.mass() * height)),
        flight: PaletteWork::default(),
        ground: PaletteWork::default(),
        found: None,
    };
    let poses = RUNS.into_iter().filter(|name| creature.pose(name).is_some()).map(Some).chain([None]);
    let mut trouble = None;
    for pose in poses {
        for (legs, stance) in [
            (LegsWork::Alternate, names(diagonal_feet(&feet, &heading))),
            (LegsWork::Together, names(feet.iter().collect())),
        ] {
            let work = work(pose, legs, stance);
            if work.stance.is_empty() {
                continue;
            }
            match stages.get(read, &work) {
                Ok(_) => return Ok(work),
                Err(why) => trouble = trouble.or(Some(why)),
            }
        }
    }
    Err(trouble.unwrap_or_else(|| Trouble("no sketch suits this creature".to_owned())))
}

/// Two digits are enough for a beginning.
fn round(number: f64) -> f64 {
    let scale = math::powf(10.0, 1.0 - math::log10(number.abs().max(1e-9)).floor());
    (number * scale).round() / scale
}

/// A preview lasts this many cycles, and at most so long, s.
const CYCLES: f64 = 4.0;
const LONGEST: f64 = 8.0;

/// What the bursts alone do.
pub(super) fn previewed(Staged { sketch, stage, .. }: &Staged) -> Result<Answer, Trouble> {
    let clip = preview(sketch, stage, (CYCLES * sketch.period).min(LONGEST)).map_err(Trouble::from_error)?;
    let mut bytes = Vec::new();
    Answer::new(PreviewAnswer { clip: clip_part(&clip, &mut bytes) }, bytes)
}
