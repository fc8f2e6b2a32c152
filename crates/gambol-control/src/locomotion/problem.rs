//! Strides as a problem to search: the space of a sketch, simulated and judged.

use std::sync::Arc;

use gambol_dynamics::{StepError, World};

use super::space::PLACE;
use super::{
    Balance, BalanceSettings, CONSTRAINTS, Cycle, Judge, JudgeSettings, Score, Space, SpaceSettings, Stride,
    world,
};
use crate::search::{Equality, Lead, Method, Number, Problem, Search, SearchError, SearchSettings, Verdict};
use crate::sketch::{Sketch, Stage, to_toml};

/// How far a cycle may be from repeating itself, of each coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of a pose, rad or m.
    pub pose: f64,
    /// Of a velocity, rad/s or m/s.
    pub rate: f64,
}

impl Default for Tolerance {
    /// 0.02 rad or m, and 0.2 rad/s or m/s: less than an eye sees from one stride to the next.
    fn default() -> Self {
        Self { pose: 0.02, rate: 0.2 }
    }
}

/// Which numbers an initial state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Along the vibrations of the free creature: [`Space::modal`].
    Modal,
    /// Joint by joint, as in the paper: [`Space::canonical`].
    Canonical,
}

impl Coordinates {
    /// Those that a method does best with: what CMA-ES alone is to find is compared with the paper's.
    pub fn of(method: Method) -> Self {
        match method {
            Method::Closing => Self::Modal,
            Method::Multipliers => Self::Canonical,
        }
    }
}

/// How strides are simulated and judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrideSettings {
    /// Of the simulation, s. Default: 2 ms, at which strides differ from finer ones by less than they may be open
    /// (docs/controllers.md).
    pub step: f64,
    /// φ_tol.
    pub tolerance: Tolerance,
    /// Of the initial state. Default: modal.
    pub coordinates: Coordinates,
    /// Where the numbers begin, and their bounds.
    pub space: SpaceSettings,
    /// How a cycle is judged.
    pub judge: JudgeSettings,
}

impl Default for StrideSettings {
    fn default() -> Self {
        Self {
            step: 0.002,
            tolerance: Tolerance::default(),
            coordinates: Coordinates::Modal,
            space: SpaceSettings::default(),
            judge: JudgeSettings::default(),
        }
    }
}

/// A stride of a sketch: fast, cheap, and one that repeats itself (Nunes et al. 2012, section 6).
#[derive(Clone, Debug)]
pub struct StrideProblem {
    identity: String,
    stage: Arc<Stage>,
    space: Space,
    world: World,
    settings: StrideSettings,
    equalities: Vec<Equality>,
}

/// What the gaps are called.
const CYCLE: &str = "cycle";

impl StrideProblem {
    /// For a sketch for which `stage` was prepared.
    pub fn new(sketch: &Sketch, stage: &Arc<Stage>, settings: StrideSettings) -> Result<Self, StepError> {
        let space = match settings.coordinates {
            Coordinates::Modal => Space::modal_with(sketch, stage, &settings.space),
            Coordinates::Canonical => Space::canonical_with(sketch, stage, &settings.space),
        };
        let world = world(stage, settings.step)?;
        let nv = stage.creature.nv();
        let Tolerance { pose, rate } = settings.tolerance;
        let tolerances = std::iter::repeat_n(pose, nv - PLACE).chain(std::iter::repeat_n(rate, nv));
        Ok(Self {
            identity: format!("{}{:?}{settings:?}", to_toml(sketch), stage.creature),
            stage: Arc::clone(stage),
            space,
            world,
            settings,
            equalities: tolerances.map(|tolerance| Equality { name: CYCLE, tolerance }).collect(),
        })
    }

    /// What is searched.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The world in which it is simulated.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How it is simulated and judged.
    pub fn settings(&self) -> &StrideSettings {
        &self.settings
    }

    /// The stride of a candidate.
    pub fn stride(&self, x: &[f64]) -> Stride {
        self.space.stride(&self.stage, x)
    }
}

impl Problem for StrideProblem {
    type Verdict = Score;

    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn kind(&self) -> &'static str {
        "sketch, creature or step of the simulation"
    }

    fn numbers(&self) -> &[Number] {
        &self.space.numbers
    }

    fn inequalities(&self) -> &[&'static str] {
        &CONSTRAINTS
    }

    fn equalities(&self) -> &[Equality] {
        &self.equalities
    }

    fn judge(&self) -> Box<dyn FnMut(&[f64]) -> Score + '_> {
        let mut judge = Judge::with_settings(&self.stage, &self.world, self.settings.judge);
        Box::new(move |x| judge.cycle(&self.stride(x), false).score)
    }

    /// Lets a good cycle run with corrections that keep it up: what Newton's method cannot reach because slopes are not the same on
    /// both sides of a footfall, the creature runs into by itself.
    fn lead(&self, from: &[f64]) -> Option<Lead<'_, Score>> {
        let reference = self.stride(from);
        let balance = Balance::linear(&self.stage, &self.world, &reference, &BalanceSettings::default());
        Some(Box::new(move |x, score| {
            let next = balance.next(&self.stage, &reference, &self.stride(x), score);
            self.space.place(&self.stage, &next)
        }))
    }
}

impl Verdict for Score {
    fn nothing(_: usize, equalities: usize) -> Self {
        let (easy, gap) = ([f64::NAN; CONSTRAINTS.len()], vec![f64::NAN; equalities]);
        Self { speed: f64::NAN, effort: f64::NAN, weight: f64::NAN, easy, short: easy, gap }
    }

    fn objective(&self) -> f64 {
        self.product()
    }

    fn price(&self) -> f64 {
        Score::price(self)
    }

    fn violations(&self) -> &[f64] {
        &self.easy
    }

    fn shortages(&self) -> &[f64] {
        &self.short
    }

    fn gaps(&self) -> &[f64] {
        &self.gap
    }
}

/// A search for a stride.
pub type StrideSearch = Search<StrideProblem>;

/// What cannot be searched for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StrideError {
    /// The simulation.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The search.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl StrideSearch {
    /// A search for a stride of `sketch`, for which `stage` was prepared, in steps of `step`, s.
    pub fn of_sketch(
        sketch: &Sketch,
        stage: &Arc<Stage>,
        step: f64,
        settings: SearchSettings,
    ) -> Result<Self, StrideError> {
        Ok(Self::new(problem(sketch, stage, step, &settings)?, settings)?)
    }

    /// A search that begins at a stride, of this sketch or of one like it, and closes its cycle first. The same as
    /// [`Self::of_sketch`] if the stride is of another creature or of other modes.
    pub fn of_stride(
        sketch: &Sketch,
        stage: &Arc<Stage>,
        step: f64,
        settings: SearchSettings,
        stride: &Stride,
    ) -> Result<Self, StrideError> {
        let problem = problem(sketch, stage, step, &settings)?;
        let place = problem.space.place(stage, stride);
        Ok(match place {
            Some(x) => Self::starting_at(problem, settings, x)?,
            None => Self::new(problem, settings)?,
        })
    }

    /// Goes on from a checkpoint of the same sketch and settings.
    pub fn of_checkpoint(
        sketch: &Sketch,
        stage: &Arc<Stage>,
        step: f64,
        settings: SearchSettings,
        text: &str,
    ) -> Result<Self, StrideError> {
        Ok(Self::resume(problem(sketch, stage, step, &settings)?, settings, text)?)
    }

    /// The stride that is nearest to what is wanted, and its score; none before the first generation.
    pub fn nearest_stride(&self) -> Option<(Stride, &Score)> {
        self.nearest().map(|(x, score)| (self.problem().stride(x), score))
    }

    /// Simulates the nearest stride again, and keeps its poses.
    pub fn show(&self) -> Option<Cycle> {
        let (stride, _) = self.nearest_stride()?;
        let problem = self.problem();
        let mut judge = Judge::with_settings(&problem.stage, &problem.world, problem.settings.judge);
        Some(judge.cycle(&stride, true))
    }
}

fn problem(
    sketch: &Sketch,
    stage: &Arc<Stage>,
    step: f64,
    settings: &SearchSettings,
) -> Result<StrideProblem, StepError> {
    let coordinates = Coordinates::of(settings.method);
    StrideProblem::new(sketch, stage, StrideSettings { step, coordinates, ..StrideSettings::default() })
}
