//! Searches: CMA-ES by asking and telling, and from a sketch of modes to a controller.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use gambol::control::cma::{Bounds, Cma, Settings, Stop};
use gambol::control::locomotion::{Found, StrideSearch, controller_to_toml, cycle_clip};
use gambol::control::search::{Outcome, SearchSettings, Threads};
use gambol::control::sketch::{Sketch, Stage, read};
use gambol::{LoadOptions, gallery};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays::{any_vector, rows, vector};
use crate::creature::Who;
use crate::error::{interruptible, wrong};
use crate::motion::PyClip;
use crate::world::{cores, positive};

/// CMA-ES: minimises what it is told.
#[pyclass(module = "gambol", name = "Cma")]
pub(crate) struct PyCma {
    cma: Cma,
}

#[pymethods]
impl PyCma {
    /// Starts around `mean`, with a standard deviation for each coordinate; `bounds` are pairs.
    #[new]
    #[pyo3(signature = (mean, deviation, *, seed = 1, population = None, bounds = None, budget = None, target = None))]
    fn around(
        mean: &Bound<'_, PyAny>,
        deviation: &Bound<'_, PyAny>,
        seed: u64,
        population: Option<usize>,
        bounds: Option<Vec<(f64, f64)>>,
        budget: Option<usize>,
        target: Option<f64>,
    ) -> PyResult<Self> {
        let mean = any_vector("mean", mean)?;
        let deviation = match deviation.extract::<f64>() {
            Ok(one) => vec![one; mean.len()],
            Err(_) => vector("deviation", deviation, mean.len())?,
        };
        let bounds = bounds.unwrap_or_default();
        if !bounds.is_empty() && bounds.len() != mean.len() {
            return Err(wrong(format!("bounds: {} pairs for {} numbers", bounds.len(), mean.len())));
        }
        let usual = Settings::default();
        let settings = Settings {
            seed,
            population,
            bounds: bounds.into_iter().map(|(least, most)| Bounds::new(least, most)).collect(),
            budget: budget.unwrap_or(usual.budget),
            target: target.unwrap_or(usual.target),
            ..usual
        };
        Ok(Self { cma: Cma::new(&mean, &deviation, settings).map_err(wrong)? })
    }

    /// The candidates of this generation, a row each; the same until their values are told.
    fn ask<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let columns = self.cma.mean().len();
        let cma = &mut self.cma;
        rows(py, py.detach(|| cma.ask()), columns)
    }

    /// Learns from their values, in their order; NaN is worse than all others. Why it should stop, if it should.
    fn tell(&mut self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let values: Vec<f64> = values.try_iter()?.map(|value| value?.extract()).collect::<PyResult<_>>()?;
        if values.len() != self.cma.population() {
            let (found, wanted) = (values.len(), self.cma.population());
            return Err(wrong(format!("values: {found} for {wanted} candidates")));
        }
        let cma = &mut self.cma;
        Ok(py.detach(|| cma.tell(&values)).map(Stop::name))
    }

    /// The best so far and its value.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyArray1<f64>>, f64)> {
        self.cma.best().map(|best| (PyArray1::from_slice(py, &best.x), best.value))
    }

    #[getter]
    fn evaluations(&self) -> usize {
        self.cma.evaluations()
    }

    #[getter]
    fn population(&self) -> usize {
        self.cma.population()
    }

    /// Why it should stop, if it should.
    #[getter]
    fn stopped(&self) -> Option<&'static str> {
        self.cma.stopped().map(Stop::name)
    }

    /// All that it goes on from, as text.
    fn checkpoint(&self) -> String {
        self.cma.checkpoint()
    }

    /// Goes on from a checkpoint, bit for bit.
    #[staticmethod]
    fn resume(text: &str) -> PyResult<Self> {
        Ok(Self { cma: Cma::resume(text).map_err(wrong)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let class = py.import("gambol._gambol")?.getattr("Cma")?;
        Ok((class.getattr("resume")?, (self.checkpoint(),)))
    }
}

/// A search for a controller that runs, hops or jumps, from a sketch of the modes that are to be seen.
#[pyclass(frozen, module = "gambol", name = "Search")]
pub(crate) struct PySearch {
    sketch: Sketch,
    stage: Arc<Stage>,
    search: Mutex<(StrideSearch, Option<Outcome>)>,
}

impl PySearch {
    fn locked(&self) -> PyResult<MutexGuard<'_, (StrideSearch, Option<Outcome>)>> {
        self.search.try_lock().map_err(|_| wrong("the search is at work on another thread"))
    }
}

/// The text of a sketch of the gallery, or of a file, and the folder in which its creature is looked for.
fn sketch_text(sketch: &str) -> PyResult<(String, PathBuf)> {
    if let Some(text) = gallery::sketch(sketch) {
        return Ok((text.to_owned(), PathBuf::new()));
    }
    if sketch.contains('\n') {
        return Ok((sketch.to_owned(), PathBuf::new()));
    }
    let path = PathBuf::from(sketch);
    if !path.exists() {
        let known = gallery::sketches().join(", ");
        return Err(wrong(format!("there is no sketch or file {sketch:?}; the gallery has {known}")));
    }
    Ok((std::fs::read_to_string(&path)?, path.parent().map(PathBuf::from).unwrap_or_default()))
}

#[pymethods]
impl PySearch {
    /// Of a sketch: a name (runner, hopper, monster, kangaroo …), a file, or its text.
    #[new]
    #[pyo3(signature = (sketch, *, seed = 1, budget = 1_000_000, step = 0.002, checkpoint = None))]
    fn of_sketch(
        py: Python<'_>,
        sketch: &str,
        seed: u64,
        budget: usize,
        step: f64,
        checkpoint: Option<&str>,
    ) -> PyResult<Self> {
        let (text, folder) = sketch_text(sketch)?;
        let settings = SearchSettings { seed, budget, ..SearchSettings::default() };
        py.detach(|| {
            let find = |name: &str| {
                let place = folder.join(name);
                let name = if gallery::find(name).is_some() { name } else { place.to_str().unwrap_or(name) };
                gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())
            };
            let (sketch, stage) = read(&text, find).map_err(|error| match error.line {
                Some(line) => format!("line {line}: {}", error.reason),
                None => error.reason,
            })?;
            let stage = Arc::new(stage);
            let search = match checkpoint {
                Some(text) => StrideSearch::of_checkpoint(&sketch, &stage, step, settings, text),
                None => StrideSearch::of_sketch(&sketch, &stage, step, settings),
            };
            let search = Mutex::new((search.map_err(|error| error.to_string())?, None));
            Ok(Self { sketch, stage, search })
        })
        .map_err(|reason: String| wrong(reason))
    }

    /// Goes on a little, on so many threads (0: one for each core); False when it has ended.
    #[pyo3(signature = (threads = 0))]
    fn step(&self, py: Python<'_>, threads: usize) -> PyResult<bool> {
        let mut guard = self.locked()?;
        let (search, outcome) = &mut *guard;
        if outcome.is_none() {
            py.detach(|| search.step(&mut Threads(cores(threads))));
            py.check_signals()?;
            *outcome = search.ended();
        }
        Ok(outcome.is_none())
    }

    /// Goes on to the end, or for so many simulated cycles more. Ctrl-C ends it, and what was found so far stays.
    #[pyo3(signature = (threads = 0, *, cycles = None))]
    fn run(&self, py: Python<'_>, threads: usize, cycles: Option<usize>) -> PyResult<Option<&'static str>> {
        let mut guard = self.locked()?;
        let (search, outcome) = &mut *guard;
        let end = cycles.map(|cycles| search.evaluations().saturating_add(cycles));
        if outcome.is_none() {
            interruptible(py, |stop| {
                let go_on = |search: &StrideSearch| {
                    !stop.load(std::sync::atomic::Ordering::Relaxed)
                        && end.is_none_or(|end| search.evaluations() < end)
                };
                search.run(&mut Threads(cores(threads)), &mut |search| go_on(search))
            })?;
            *outcome = search.ended();
        }
        drop(guard);
        self.outcome()
    }

    /// How it ended: "converged" or "stalled"; None while it goes on.
    #[getter]
    fn outcome(&self) -> PyResult<Option<&'static str>> {
        Ok(self.locked()?.1.as_ref().map(|outcome| match outcome {
            Outcome::Converged => "converged",
            Outcome::Stalled { .. } => "stalled",
            Outcome::Stopped => "stopped",
        }))
    }

    /// Simulated cycles.
    #[getter]
    fn evaluations(&self) -> PyResult<usize> {
        Ok(self.locked()?.0.evaluations())
    }

    /// Speed (m/s) and effort (N²m²) of the best stride, and its largest gap in parts of the tolerance.
    #[getter]
    fn best(&self) -> PyResult<Option<(f64, f64, f64)>> {
        let guard = self.locked()?;
        let search = &guard.0;
        Ok(search.nearest().map(|(_, score)| (score.speed, score.effort, search.largest_gap(score))))
    }

    /// The best controller as a file, for `gambol simulate`.
    fn controller(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let guard = self.locked()?;
        let (search, outcome) = &*guard;
        let found = Found::of(search, outcome.as_ref().unwrap_or(&Outcome::Stopped));
        let step = search.problem().settings().step;
        let text = |stride: &_| controller_to_toml(&self.sketch, &self.stage, stride, step, found.as_ref());
        Ok(py.detach(|| search.nearest_stride().map(|(stride, _)| text(&stride))))
    }

    /// One cycle of the best.
    #[pyo3(signature = (*, fps = 60.0))]
    fn clip(&self, py: Python<'_>, fps: f64) -> PyResult<Option<PyClip>> {
        let fps = positive("fps", fps)?;
        let guard = self.locked()?;
        let search = &guard.0;
        let Some((stride, _)) = search.nearest_stride() else { return Ok(None) };
        let world = search.problem().world();
        let clip = py.detach(|| cycle_clip(&self.stage, world, &stride, fps, MOST_GAP));
        Ok(Some(PyClip::new(Arc::new(Who::alone(self.stage.creature.clone())), clip)))
    }

    /// All that it goes on from, as text: `Search(sketch, checkpoint=…)`.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<String> {
        let guard = self.locked()?;
        Ok(py.detach(|| guard.0.checkpoint()))
    }
}

/// A cycle that ends farther from where it began, rad or m, is not shown as a loop, as on the command line.
const MOST_GAP: f64 = 0.1;
