//! Creatures in the simulation.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gambol::control::legged::{Walker, WalkerSettings};
use gambol::control::locomotion::Upright;
use gambol::control::{
    AnyController, Follow, Passive, Plan, Pump, Rollout, Shove, Status, Wave, advance, rollouts, simulate,
    stand_on,
};
use gambol::dynamics::{Drive, Push, State, StepSettings, Stepper, Terrain, World, energy, step};
use gambol::model::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::{matrix, pose, rows, vector};
use crate::basis::PyBasis;
use crate::creature::{PyCreature, Who};
use crate::error::{ASKED_EVERY, interruptible, wrong};
use crate::motion::PyClip;

/// An array of rows.
type Rows<'py> = Bound<'py, PyArray2<f64>>;

/// All that a simulation goes on from; a copy goes on bit for bit.
#[pyclass(module = "gambol", name = "State")]
#[derive(Clone)]
pub(crate) struct PyState {
    state: State,
    /// What a pose has to be, for who writes one.
    who: Arc<Who>,
}

#[pymethods]
impl PyState {
    #[getter]
    fn time(&self) -> f64 {
        self.state.time
    }

    /// The pose, nq numbers.
    #[getter]
    fn qpos<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.state.q)
    }

    #[setter]
    fn set_qpos(&mut self, qpos: &Bound<'_, PyAny>) -> PyResult<()> {
        self.state.q = pose("qpos", qpos, &self.who.creature)?;
        Ok(())
    }

    /// The velocity, nv numbers.
    #[getter]
    fn qvel<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.state.v)
    }

    #[setter]
    fn set_qvel(&mut self, qvel: &Bound<'_, PyAny>) -> PyResult<()> {
        self.state.v = vector("qvel", qvel, self.who.creature.nv())?;
        Ok(())
    }

    fn copy(&self) -> Self {
        self.clone()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.state == other.state
    }

    /// With all that the next step is warm started by.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let own = slf.borrow();
        let text = serde_json::to_string(&own.state).map_err(wrong)?;
        let who = PyCreature { who: Arc::clone(&own.who) };
        let restore = py.import("gambol._gambol")?.getattr("_restore_state")?;
        let arguments = (who, PyBytes::new(py, text.as_bytes())).into_pyobject(py)?;
        Ok((restore, arguments.into_any()))
    }

    fn __repr__(&self) -> String {
        format!("<gambol.State of {:?} at {:.4} s>", self.who.creature.name(), self.state.time)
    }
}

/// What `pickle` calls.
#[pyfunction]
pub(crate) fn _restore_state(creature: &PyCreature, text: &[u8]) -> PyResult<PyState> {
    let state = serde_json::from_slice(text).map_err(wrong)?;
    Ok(PyState { state, who: Arc::clone(&creature.who) })
}

/// What moves a creature in the simulation.
#[pyclass(frozen, subclass, module = "gambol", name = "Controller")]
pub(crate) struct PyController {
    own: Arc<dyn AnyController + Send + Sync>,
    /// Of which creature, and where it starts, if it says so.
    start: Option<(Arc<Who>, State)>,
}

#[pymethods]
impl PyController {
    /// Springs and dampers alone.
    #[staticmethod]
    fn passive() -> Self {
        Self { own: Arc::new(Passive), start: None }
    }

    /// The rest of the springs follows a clip.
    #[staticmethod]
    fn follow(clip: &PyClip) -> Self {
        let start = Follow::start(&clip.who.creature, &clip.clip);
        let start = Some((Arc::clone(&clip.who), start));
        Self { own: Arc::new(Follow::new(&clip.clip)), start }
    }

    /// The rest of the springs swings along a few vibrations: (mode, amplitude in rad, phase in rad, frequency in Hz) each.
    #[staticmethod]
    fn pump(basis: &PyBasis, waves: Vec<(usize, f64, f64, f64)>) -> PyResult<Self> {
        let wave = |(mode, amplitude, phase, frequency)| Wave { mode, amplitude, phase, frequency };
        let waves: Vec<Wave> = waves.into_iter().map(wave).collect();
        let pump = Pump::new(&basis.who.creature, &basis.basis, &waves).map_err(wrong)?;
        Ok(Self { own: Arc::new(pump), start: None })
    }

    /// Where it starts, if it says so: the first pose of a clip that is followed, on the way to the second.
    #[getter]
    fn start(&self) -> Option<PyState> {
        self.start.as_ref().map(|(who, state)| PyState { state: state.clone(), who: Arc::clone(who) })
    }
}

/// A creature on legs that follows a gait by its own torques.
#[pyclass(frozen, module = "gambol", name = "Walker")]
pub(crate) struct PyWalker {
    walker: Walker,
    who: Arc<Who>,
}

#[pymethods]
impl PyWalker {
    /// For a clip that loops and says when feet stand. Every joint has at most `torque_limit`, N·m.
    #[new]
    #[pyo3(signature = (clip, *, torque_limit = None))]
    fn of_clip(py: Python<'_>, clip: &PyClip, torque_limit: Option<f64>) -> PyResult<Self> {
        let creature = clip.who.creature.clone();
        let walker = py
            .detach(|| Walker::new(creature, &clip.clip, torque_limit, &WalkerSettings::default()))
            .map_err(wrong)?;
        let who = Arc::new(clip.who.changed(walker.creature.clone()));
        Ok(Self { walker, who })
    }

    /// With muscles in place of springs.
    #[getter]
    fn creature(&self) -> PyCreature {
        PyCreature { who: Arc::clone(&self.who) }
    }

    /// The step with which it is simulated, s.
    #[getter]
    fn step(&self) -> f64 {
        self.walker.step
    }

    /// Walks for so many seconds, pushed or not; `status` of what comes back is "up", "fell" or "diverged".
    #[pyo3(signature = (seconds, *, pushes = Vec::new(), friction = 1.0, fps = 60.0))]
    fn walk(
        &self,
        py: Python<'_>,
        seconds: f64,
        pushes: Pushes,
        friction: f64,
        fps: f64,
    ) -> PyResult<PyRollout> {
        let whole = self.walker.whole(None).map_err(wrong)?;
        let wish = (seconds, pushes, friction, fps);
        balanced(py, &self.who, (&self.walker, &whole), wish, &|_, _| Ok(()))
    }
}

/// Body, force (N), from when (s), for how long (s).
pub(crate) type Pushes = Vec<(String, [f64; 3], f64, f64)>;

/// Lets who balances on legs go for so many seconds, with pushes, friction and looks a second; `tell` adds to the report.
pub(crate) fn balanced(
    py: Python<'_>,
    who: &Arc<Who>,
    (walker, controller): (&Walker, &dyn AnyController),
    (seconds, pushes, friction, fps): (f64, Pushes, f64, f64),
    tell: &dyn Fn(&Rollout, &Bound<'_, PyDict>) -> PyResult<()>,
) -> PyResult<PyRollout> {
    let Walker { creature, strength, start, step, upright, .. } = walker;
    let settings = StepSettings { step: *step, friction, ..StepSettings::default() };
    let world = World::new(creature.clone(), settings).map_err(wrong)?;
    let shoves = shoves(who, pushes)?;
    let plan = Plan {
        shoves: &shoves,
        torque_limits: strength,
        fps: positive("fps", fps)?,
        keep_poses: true,
        ..Plan::new(controller, start.clone(), positive("seconds", seconds)?)
    };
    let rollout = interruptible(py, |stop| {
        let plan = Plan { stop: Some(stop), ..plan.clone() };
        simulate(&world, &mut Stepper::new(&world), &plan, &mut |_| ())
    })?;
    let more = PyDict::new(py);
    tell(&rollout, &more)?;
    let told = PyRollout::new(who, rollout, Some((upright, &world)))?;
    told.report.bind(py).update(more.as_mapping())?;
    Ok(told)
}

/// As many threads as are asked for; 0: one for each core.
pub(crate) fn cores(threads: usize) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if threads == 0 { all() } else { threads }
}

pub(crate) fn positive(what: &str, x: f64) -> PyResult<f64> {
    if x.is_finite() && x > 0.0 { Ok(x) } else { Err(wrong(format!("{what}: {x} is not a number above 0"))) }
}

fn shoves(who: &Who, pushes: Pushes) -> PyResult<Vec<Shove>> {
    let shove = |(body, force, start, duration): (String, [f64; 3], f64, f64)| {
        let index = who.creature.body_index(&body).filter(|index| *index > 0);
        let index = index.ok_or_else(|| wrong(format!("pushes: there is no body {body:?}")))?;
        if !force.iter().all(|x| x.is_finite()) {
            return Err(wrong(format!("pushes: {force:?} N on {body} are not finite")));
        }
        Ok(Shove { push: Push { body: index, force: Vec3::from(force) }, start, duration })
    };
    pushes.into_iter().map(shove).collect()
}

/// A simulation that has ended.
#[pyclass(frozen, module = "gambol", name = "Rollout")]
pub(crate) struct PyRollout {
    status: String,
    reason: Option<String>,
    clip: Py<PyClip>,
    end: PyState,
    report: Py<PyDict>,
}

impl PyRollout {
    fn new(who: &Arc<Who>, rollout: Rollout, balances: Option<(&Upright, &World)>) -> PyResult<Self> {
        Python::attach(|py| {
            let Rollout { status, end, clip, report, .. } = rollout;
            let fall = balances.and_then(|(upright, world)| {
                upright.fall(&who.creature, &clip, world.settings().ground.as_ref())
            });
            let (status, reason) = match (status, &fall) {
                (_, Some(fall)) => {
                    let body = fall.body.map(|body| who.creature.bodies()[body].name.as_str());
                    let why = body.map_or("it sank".to_owned(), |body| format!("{body} touched the ground"));
                    ("fell".to_owned(), Some(format!("at {:.3} s: {why}", fall.time)))
                }
                (Status::Diverged(divergence), None) => ("diverged".to_owned(), Some(divergence.to_string())),
                (Status::Stopped, None) => ("stopped".to_owned(), None),
                (Status::Finished, None) => {
                    (if balances.is_some() { "up" } else { "finished" }.to_owned(), None)
                }
            };
            let told = PyDict::new(py);
            told.set_item("seconds", report.seconds)?;
            told.set_item("steps", report.steps)?;
            told.set_item("displacement", PyArray1::from_slice(py, report.displacement.as_slice()))?;
            told.set_item("mean_speed", report.mean_speed)?;
            told.set_item("cost_of_transport", report.cost_of_transport)?;
            told.set_item("outside_force", report.outside_force)?;
            told.set_item("least_height", report.heights.least)?;
            told.set_item("mean_height", report.heights.mean)?;
            told.set_item(
                "peak_torque",
                PyArray1::from_iter(py, report.efforts.iter().map(|effort| effort.peak)),
            )?;
            let clip = Py::new(py, PyClip::new(Arc::clone(who), clip))?;
            let end = PyState { state: end, who: Arc::clone(who) };
            Ok(Self { status, reason, clip, end, report: told.unbind() })
        })
    }
}

#[pymethods]
impl PyRollout {
    /// "finished", "diverged"; of a walker "up", "fell" or "diverged".
    #[getter]
    fn status(&self) -> &str {
        &self.status
    }

    /// Why it fell or diverged, and when.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    #[getter]
    fn clip<'py>(&self, py: Python<'py>) -> &Bound<'py, PyClip> {
        self.clip.bind(py)
    }

    /// The last state, to go on from.
    #[getter]
    fn end(&self) -> PyState {
        self.end.clone()
    }

    /// What was measured.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> &Bound<'py, PyDict> {
        self.report.bind(py)
    }

    fn __repr__(&self) -> String {
        format!("<gambol.Rollout: {} at {:.3} s>", self.status, self.end.state.time)
    }
}

/// A creature and its surroundings: shared by all threads.
#[pyclass(frozen, module = "gambol", name = "World")]
pub(crate) struct PyWorld {
    who: Arc<Who>,
    world: World,
    /// Room for computations, one for each thread that steps.
    steppers: Mutex<Vec<Stepper>>,
    pace: Pace,
}

/// Calls from here on leave the interpreter to other threads.
const RELEASED_FROM: Duration = Duration::from_micros(100);

/// How long a step took when it was last measured, ns: whether a call is a long one has to be known before. It changes no result.
struct Pace(AtomicU64);

impl Pace {
    /// A step of which nothing is known yet is a long one.
    fn unknown() -> Self {
        Self(AtomicU64::new(1_000_000_000))
    }

    fn of(&self, steps: usize) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed).saturating_mul(steps as u64))
    }

    /// As many steps as there are in a time, one at least.
    fn within(&self, time: Duration) -> usize {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        usize::try_from(nanos / self.0.load(Ordering::Relaxed).max(1)).unwrap_or(usize::MAX).max(1)
    }

    fn learn(&self, time: Duration, steps: usize) {
        if steps > 0 {
            let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            self.0.store(nanos / steps as u64, Ordering::Relaxed);
        }
    }
}

impl PyWorld {
    fn with_stepper<T>(&self, work: impl FnOnce(&mut Stepper) -> T) -> PyResult<T> {
        let kept = self.steppers.lock().map_err(wrong)?.pop();
        let mut stepper = kept.unwrap_or_else(|| Stepper::new(&self.world));
        let result = work(&mut stepper);
        self.steppers.lock().map_err(wrong)?.push(stepper);
        Ok(result)
    }

    fn advance(&self, state: &mut State, drive: &Drive, steps: usize) -> PyResult<()> {
        let began = Instant::now();
        let go =
            |stepper: &mut Stepper| (0..steps).try_for_each(|_| step(&self.world, stepper, state, drive));
        let moved = self.with_stepper(go)?;
        self.pace.learn(began.elapsed(), steps);
        moved.map_err(wrong)
    }

    fn check(&self, state: &PyState) -> PyResult<()> {
        let (nq, nv) = (self.who.creature.nq(), self.who.creature.nv());
        if state.state.q.len() == nq && state.state.v.len() == nv {
            return Ok(());
        }
        Err(wrong(format!(
            "this is a state of {:?}, not of {:?}",
            state.who.creature.name(),
            self.who.creature.name()
        )))
    }
}

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(signature = (creature, *, step = 0.002, ground = true, slope = 0.0, friction = 1.0, self_collision = false))]
    fn of(
        creature: &PyCreature,
        step: f64,
        ground: bool,
        slope: f64,
        friction: f64,
        self_collision: bool,
    ) -> PyResult<Self> {
        let terrain = if slope == 0.0 { Terrain::Flat } else { Terrain::Slope(slope.to_radians()) };
        let settings = StepSettings {
            step,
            ground: ground.then_some(terrain),
            friction,
            self_collision,
            ..StepSettings::default()
        };
        let world = World::new(creature.creature().clone(), settings).map_err(wrong)?;
        Ok(Self { who: Arc::clone(&creature.who), world, steppers: Mutex::default(), pace: Pace::unknown() })
    }

    #[getter]
    fn creature(&self) -> PyCreature {
        PyCreature { who: Arc::clone(&self.who) }
    }

    /// Length of a step, s.
    #[getter]
    fn step_length(&self) -> f64 {
        self.world.settings().step
    }

    /// A state at time 0: the reference pose, put on the ground, at rest, unless told otherwise.
    #[pyo3(signature = (qpos = None, qvel = None))]
    fn state(&self, qpos: Option<&Bound<'_, PyAny>>, qvel: Option<&Bound<'_, PyAny>>) -> PyResult<PyState> {
        let creature = self.world.creature();
        let q = match (qpos, &self.world.settings().ground) {
            (Some(qpos), _) => pose("qpos", qpos, creature)?,
            (None, None) => creature.reference_pose().to_vec(),
            (None, Some(ground)) => {
                let mut q = creature.reference_pose().to_vec();
                stand_on(creature, ground, &mut q);
                q
            }
        };
        let v = qvel.map_or_else(|| Ok(vec![0.0; creature.nv()]), |v| vector("qvel", v, creature.nv()))?;
        Ok(PyState { state: State::new(&q, &v), who: Arc::clone(&self.who) })
    }

    /// Moves `state` on by so many steps. `rest` is the pose in which springs are at rest, `torque` is added.
    #[pyo3(signature = (state, *, rest = None, torque = None, steps = 1))]
    fn step(
        &self,
        py: Python<'_>,
        state: &mut PyState,
        rest: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        steps: usize,
    ) -> PyResult<()> {
        self.check(state)?;
        let creature = self.world.creature();
        let rest = rest.map(|rest| pose("rest", rest, creature)).transpose()?;
        let torque = torque.map(|torque| vector("torque", torque, creature.nv())).transpose()?;
        let drive = Drive {
            rest: rest.as_deref().unwrap_or_else(|| creature.rest_pose()),
            torque: torque.as_deref().unwrap_or_default(),
            strength: &[],
            pushes: &[],
        };
        let state = &mut state.state;
        // A release of the interpreter is waited for until its other threads have had their turn, milliseconds: too dear for a step.
        if self.pace.of(steps) < RELEASED_FROM {
            return self.advance(state, &drive, steps);
        }
        let mut left = steps;
        while left > 0 {
            let part = self.pace.within(ASKED_EVERY).min(left);
            py.detach(|| self.advance(state, &drive, part))?;
            py.check_signals()?;
            left -= part;
        }
        Ok(())
    }

    /// Moves many states on by so many steps, on several threads: `rests` a row for each. Gives back poses and velocities, a row
    /// each. One that diverges stays where it was, and its row is not a number.
    #[pyo3(signature = (states, rests = None, *, steps = 1, threads = 0))]
    fn step_many<'py>(
        &self,
        py: Python<'py>,
        states: Vec<Py<PyState>>,
        rests: Option<&Bound<'py, PyAny>>,
        steps: usize,
        threads: usize,
    ) -> PyResult<(Rows<'py>, Rows<'py>)> {
        let creature = self.world.creature();
        let (nq, nv) = (creature.nq(), creature.nv());
        let checked = |rests: Vec<Vec<f64>>| -> PyResult<Vec<Vec<f64>>> {
            rests.iter().map(|rest| creature.checked_pose("rests", rest).map_err(wrong)).collect()
        };
        let rests = rests.map(|rests| checked(matrix("rests", rests, nq)?)).transpose()?;
        if let Some(rests) = rests.as_ref().filter(|rests| rests.len() != states.len()) {
            return Err(wrong(format!("rests: {} rows for {} states", rests.len(), states.len())));
        }
        let mut own: Vec<State> = Vec::with_capacity(states.len());
        for state in &states {
            let state = state.borrow(py);
            self.check(&state)?;
            own.push(state.state.clone());
        }
        let ends = py.detach(|| {
            advance(&self.world, &mut own, rests.as_deref().unwrap_or_default(), steps, cores(threads))
        });
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for ((state, moved), end) in states.iter().zip(own).zip(ends) {
            q.push(if end.is_ok() { moved.q.clone() } else { vec![f64::NAN; nq] });
            v.push(if end.is_ok() { moved.v.clone() } else { vec![f64::NAN; nv] });
            state.borrow_mut(py).state = moved;
        }
        Ok((rows(py, &q, nq)?, rows(py, &v, nv)?))
    }

    /// Simulates from many starts at once, `threads` at a time (0: one for each core); the same bits on any number of them.
    #[pyo3(signature = (starts, controller = None, seconds = 1.0, *, threads = 0, fps = 60.0, keep_poses = true, pushes = Vec::new()))]
    #[allow(clippy::too_many_arguments)] // options by name, as Python has them
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        starts: Vec<PyRef<'py, PyState>>,
        controller: Option<&PyController>,
        seconds: f64,
        threads: usize,
        fps: f64,
        keep_poses: bool,
        pushes: Pushes,
    ) -> PyResult<Bound<'py, PyList>> {
        starts.iter().try_for_each(|start| self.check(start))?;
        let starts: Vec<State> = starts.iter().map(|start| start.state.clone()).collect();
        let controller = controller.map_or_else(|| Arc::new(Passive) as Arc<_>, |own| Arc::clone(&own.own));
        let (shoves, seconds) = (shoves(&self.who, pushes)?, positive("seconds", seconds)?);
        let fps = positive("fps", fps)?;
        let rollouts = interruptible(py, |stop| {
            let plan = |start| Plan {
                shoves: &shoves,
                fps,
                keep_poses,
                stop: Some(stop),
                ..Plan::new(&*controller, start, seconds)
            };
            let plans: Vec<Plan> = starts.into_iter().map(plan).collect();
            rollouts(&self.world, &plans, cores(threads))
        })?;
        let all = PyList::empty(py);
        for rollout in rollouts {
            all.append(PyRollout::new(&self.who, rollout, None)?)?;
        }
        Ok(all)
    }

    /// Kinetic, gravitational and elastic energy, J.
    fn energy(&self, state: &PyState) -> PyResult<(f64, f64, f64)> {
        self.check(state)?;
        self.with_stepper(|stepper| {
            let found = energy(self.world.creature(), &mut stepper.data, &state.state.q, &state.state.v);
            (found.kinetic, found.gravity, found.elastic)
        })
    }

    fn __repr__(&self) -> String {
        format!("<gambol.World of {:?}: steps of {} s>", self.who.creature.name(), self.world.settings().step)
    }
}
