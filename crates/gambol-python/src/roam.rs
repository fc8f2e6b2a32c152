//! Creatures that go where they are told.

use std::sync::Arc;

use gambol::control::legged::{CATCHES, CHANGES, Errand, RoamMemory, Timed};
use gambol::control::{Event, Rollout};
use gambol::{RoamWish, Roaming};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::creature::{PyCreature, Who};
use crate::error::wrong;
use crate::world::{Pushes, PyRollout, balanced};

/// (time, value)
type Times = Vec<(f64, f64)>;

/// A creature on legs that goes where it is told, by its own torques, in the gait that suits its speed.
#[pyclass(frozen, module = "gambol", name = "Roam")]
pub(crate) struct PyRoam {
    roaming: Roaming,
    who: Arc<Who>,
}

#[pymethods]
impl PyRoam {
    /// `speeds` (m/s), `turns` (rad/s to the left) and `headings` (rad to the left of where it faced at first) are pairs of a time and what
    /// holds from then on; `targets` are places (m) to go to one after another, and `ball` is one that rolls on when it is nearly reached.
    #[new]
    #[pyo3(signature = (creature, *, speeds = Vec::new(), turns = Vec::new(), headings = Vec::new(), targets = Vec::new(), ball = None, seed = 1, gait = None, torque_limit = None))]
    #[allow(clippy::too_many_arguments)] // options by name, as Python has them
    fn of(
        py: Python<'_>,
        creature: &PyCreature,
        speeds: Times,
        turns: Times,
        headings: Times,
        targets: Vec<[f64; 2]>,
        ball: Option<[f64; 2]>,
        seed: u64,
        gait: Option<String>,
        torque_limit: Option<f64>,
    ) -> PyResult<Self> {
        let pursues = !targets.is_empty() || ball.is_some();
        let fastest = speeds.iter().map(|(_, speed)| *speed).reduce(f64::max);
        let errand = Errand {
            speeds: in_order(speeds),
            turns: in_order(turns),
            headings: in_order(headings),
            targets,
            ball: ball.map(|place| (place, seed)),
        };
        // Who pursues may run as fast as it can; who does not needs no gait beyond the fastest that is asked for.
        let fastest = if pursues { None } else { fastest.or(Some(0.0)) };
        let wish = RoamWish { gait, fastest, torque_limit, errand };
        let roaming = py.detach(|| gambol::roam(creature.creature(), &wish)).map_err(wrong)?;
        let who = Arc::new(creature.who.changed(roaming.walker.creature.clone()));
        Ok(Self { roaming, who })
    }

    /// With muscles in place of springs.
    #[getter]
    fn creature(&self) -> PyCreature {
        PyCreature { who: Arc::clone(&self.who) }
    }

    /// Its gaits, from standing to the fastest.
    #[getter]
    fn gaits(&self) -> Vec<String> {
        self.roaming.controller.ladder().gaits.clone()
    }

    /// What a user should know.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.roaming.warnings.clone()
    }

    /// The step with which it is simulated, s.
    #[getter]
    fn step(&self) -> f64 {
        self.roaming.walker.step
    }

    /// Goes for so many seconds, pushed or not. The report tells its `gaits` and since when, and which targets were `caught` when.
    #[pyo3(signature = (seconds, *, pushes = Vec::new(), friction = 1.0, fps = 60.0))]
    fn go(
        &self,
        py: Python<'_>,
        seconds: f64,
        pushes: Pushes,
        friction: f64,
        fps: f64,
    ) -> PyResult<PyRollout> {
        let Roaming { walker, controller, .. } = &self.roaming;
        let tell = |rollout: &Rollout, told: &Bound<'_, PyDict>| {
            let names = &controller.ladder().gaits;
            let of_kind =
                |kind| rollout.report.events.iter().filter(move |event: &&Event| event.what == kind);
            let first = names.first().map(|name| (name.as_str(), 0.0));
            let then = of_kind(CHANGES).map(|event| (names[event.which].as_str(), event.time));
            told.set_item("gaits", first.into_iter().chain(then).collect::<Vec<_>>())?;
            told.set_item("caught", rollout.memory.get::<RoamMemory>().map_or(0, |memory| memory.caught))?;
            told.set_item("caught_at", of_kind(CATCHES).map(|event| event.time).collect::<Vec<_>>())
        };
        balanced(py, &self.who, (walker, controller), (seconds, pushes, friction, fps), &tell)
    }

    fn __repr__(&self) -> String {
        format!("<gambol.Roam of {:?}: {}>", self.who.creature.name(), self.gaits().join(", "))
    }
}

fn in_order(mut times: Times) -> Vec<Timed> {
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    times.into_iter().map(|(time, value)| Timed { time, value }).collect()
}
