//! Gaits: designed, changed and played.

use std::sync::Arc;

use gambol::dynamics::{Data, Terrain};
use gambol::gait::{
    Believed, Body, Gait, GaitError, Performance, Sampling, Script, SetMaker, Style, Wish, adopt, from_toml,
    gaits_for, perform, perform_believed, perform_on_frames, perform_script, prepare, to_toml,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::from_plain;
use crate::basis::{PyBasis, modes};
use crate::creature::{PyCreature, Who};
use crate::error::wrong;
use crate::motion::PyClip;

/// A few vibrations of a body with amplitudes and phases, and how it meets the ground.
#[pyclass(frozen, module = "gambol", name = "Gait")]
pub(crate) struct PyGait {
    base: Arc<Who>,
    body: Body,
    gait: Gait,
    hints: Vec<String>,
}

/// What is asked of a gait by name.
struct Asked {
    wish: Wish,
    style: Option<Style>,
    /// rad/s to the left.
    turn: Option<f64>,
    terrain: Option<Terrain>,
}

/// Options that `design` and `animate` share.
const OPTIONS: [&str; 9] =
    ["speed", "frequency", "stride", "duty", "prefer", "avoid", "style", "turn", "slope"];

impl Asked {
    fn of(options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let get = |key: &str| {
            let value = options.map(|options| options.get_item(key)).transpose()?.flatten();
            Ok::<_, PyErr>(value.filter(|value| !value.is_none()))
        };
        for key in options.iter().flat_map(|options| options.keys()) {
            let key: String = key.extract()?;
            if !OPTIONS.contains(&key.as_str()) {
                return Err(wrong(format!("there is no option {key:?}; there are {}", OPTIONS.join(", "))));
            }
        }
        let number = |key: &str| {
            let value: Option<f64> = get(key)?.map(|value| value.extract()).transpose()?;
            match value.filter(|value| !value.is_finite()) {
                Some(value) => Err(wrong(format!("{key}: {value} is not a finite number"))),
                None => Ok(value),
            }
        };
        let list =
            |key: &str| Ok::<_, PyErr>(get(key)?.map(|list| list.extract()).transpose()?.unwrap_or_default());
        let slope = number("slope")?;
        Ok(Self {
            wish: Wish {
                speed: number("speed")?,
                frequency: number("frequency")?,
                stride_length: number("stride")?,
                duty: number("duty")?,
                prefer: list("prefer")?,
                avoid: list("avoid")?,
            },
            style: get("style")?.map(|style| from_plain("style", &style)).transpose()?,
            turn: number("turn")?,
            terrain: slope.map(|degrees| Terrain::Slope(degrees.to_radians())),
        })
    }

    fn restyle(&self, style: &mut Style) {
        if let Some(own) = &self.style {
            style.clone_from(own);
        }
    }

    fn adjust(&self, gait: &mut Gait) {
        if let Some(turn) = self.turn {
            gait.ground.turn = turn;
        }
        if let Some(terrain) = &self.terrain {
            gait.ground.terrain = terrain.clone();
        }
    }
}

fn sampling(fps: f64, seconds: Option<f64>) -> PyResult<Sampling> {
    let positive = |what: &str, x: f64| {
        if x.is_finite() && x > 0.0 {
            Ok(x)
        } else {
            Err(wrong(format!("{what}: {x} is not a number above 0")))
        }
    };
    Ok(Sampling { seconds: seconds.map(|x| positive("seconds", x)).transpose()?, fps: positive("fps", fps)? })
}

/// A performance as a clip of `base`, or of a body that follows from it.
fn clip(
    base: &Arc<Who>,
    body: &Body,
    terrain: Terrain,
    performance: Performance,
    hints: Vec<String>,
) -> PyResult<PyClip> {
    let Performance { clip, report, forces, warnings, .. } = performance;
    let who = base.changed(body.creature.clone());
    let warnings = hints.into_iter().chain(warnings).collect();
    PyClip::new(Arc::new(who), clip).on(terrain, forces).told(&report, warnings)
}

#[pymethods]
impl PyCreature {
    /// Natural vibrations about the rest pose, that of a style, or `qpos`.
    #[pyo3(signature = (count = None, *, style = None, qpos = None, constrain = Vec::new()))]
    fn modes(
        &self,
        py: Python<'_>,
        count: Option<usize>,
        style: Option<&Bound<'_, PyAny>>,
        qpos: Option<&Bound<'_, PyAny>>,
        constrain: Vec<String>,
    ) -> PyResult<PyBasis> {
        modes(self, py, count, style, qpos, &constrain)
    }

    /// All gaits: None for those that suit it, best first; else why not.
    #[pyo3(signature = (*, style = None))]
    fn gaits<'py>(&self, py: Python<'py>, style: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let style: Style = style.map(|style| from_plain("style", style)).transpose()?.unwrap_or_default();
        let own = self.creature();
        let all = py.detach(|| {
            let mut data = Data::new(own);
            let body = Body::new(own.clone(), &mut data, &style)?;
            Ok::<_, GaitError>(gaits_for(&body, &mut data))
        });
        let gaits = PyDict::new(py);
        let mut all = all.map_err(wrong)?;
        all.sort_by_key(|(_, fits)| fits.is_err());
        for (name, fits) in all {
            gaits.set_item(name, fits.err().map(|error| error.to_string()))?;
        }
        Ok(gaits)
    }

    /// Presses walk: picks modes, amplitudes and phases. Options: speed (m/s), frequency (Hz), stride (m), duty, turn (rad/s to the
    /// left), slope (degrees), prefer and avoid (numbers of modes), style (a dictionary).
    #[pyo3(signature = (gait, **options))]
    fn design(&self, py: Python<'_>, gait: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyGait> {
        let asked = Asked::of(options)?;
        let own = self.creature();
        let prepared = py.detach(|| {
            let mut data = Data::new(own);
            prepare(own.clone(), &mut data, gait, |style| asked.restyle(style), &asked.wish)
        });
        let (body, mut design) = prepared.map_err(wrong)?;
        asked.adjust(&mut design.gait);
        Ok(PyGait { base: Arc::clone(&self.who), body, gait: design.gait, hints: design.hints })
    }

    /// A gait of a file's text.
    fn gait_from_toml(&self, py: Python<'_>, text: &str) -> PyResult<PyGait> {
        let gait = from_toml(text).map_err(wrong)?;
        let own = self.creature();
        let adopted = py
            .detach(|| adopt(own.clone(), &mut Data::new(own), gait, |_| (), &Wish::default()))
            .map_err(wrong)?;
        let (body, design) = adopted;
        Ok(PyGait { base: Arc::clone(&self.who), body, gait: design.gait, hints: design.hints })
    }

    /// Plays a gait that was designed for it, or for another: then with this body's own vibrations.
    #[pyo3(signature = (gait, *, fps = 60.0, seconds = None))]
    fn perform(&self, py: Python<'_>, gait: &PyGait, fps: f64, seconds: Option<f64>) -> PyResult<PyClip> {
        if Arc::ptr_eq(&self.who, &gait.base) {
            return gait.perform(py, fps, seconds);
        }
        self.gait_from_toml(py, &gait.to_toml())?.perform(py, fps, seconds)
    }

    /// Designs and plays a gait at the nearest speed that gravity believes. Options as of `design`. With `cycles`, so many of them, each
    /// a whole number of frames at `fps`: a little longer or shorter than it would be, at the same speed.
    #[pyo3(signature = (gait, *, fps = 60.0, seconds = None, cycles = None, **options))]
    fn animate(
        &self,
        py: Python<'_>,
        gait: &str,
        fps: f64,
        seconds: Option<f64>,
        cycles: Option<usize>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClip> {
        if seconds.is_some() && cycles.is_some() || cycles == Some(0) {
            return Err(wrong("seconds and cycles: one of them, and at least one cycle"));
        }
        let (asked, sampling) = (Asked::of(options)?, sampling(fps, seconds)?);
        let own = self.creature();
        let played = py.detach(|| {
            let adjust = |_: &Body, gait: &mut Gait| {
                asked.adjust(gait);
                Ok(())
            };
            let restyle = |style: &mut Style| asked.restyle(style);
            let (data, wish) = (&mut Data::new(own), &asked.wish);
            match cycles {
                Some(cycles) => perform_on_frames(own, data, gait, &restyle, wish, &adjust, (fps, cycles)),
                None => perform_believed(own, data, gait, &restyle, wish, &adjust, &sampling),
            }
        });
        let Believed { body, design, performance, .. } = played.map_err(wrong)?;
        clip(&self.who, &body, design.gait.ground.terrain, performance, design.hints)
    }

    /// All clips that a game needs of a creature on legs: standing, going, turning, starting, stopping, a jump. `progress` is called with
    /// the name of each clip, its number and how many there are at most.
    #[pyo3(signature = (*, fps = 60.0, style = None, progress = None))]
    fn locomotion_set(
        &self,
        py: Python<'_>,
        fps: f64,
        style: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PyClip>> {
        let style: Option<Style> = style.map(|style| from_plain("style", style)).transpose()?;
        let restyle = |own: &mut Style| {
            if let Some(style) = &style {
                own.clone_from(style);
            }
        };
        let fps = sampling(fps, None)?.fps;
        let (own, mut data) = (self.creature(), Data::new(self.creature()));
        let mut maker = py.detach(|| SetMaker::new(own.clone(), &mut data, restyle, fps)).map_err(wrong)?;
        while let Some(name) = maker.next_clip() {
            if let Some(progress) = progress {
                progress.call1((name, maker.done(), maker.most()))?;
            }
            py.check_signals()?;
            py.detach(|| maker.make(&mut data)).map_err(wrong)?;
        }
        let set = maker.finish();
        let of_body = |made: gambol::gait::SetClip| {
            clip(&self.who, &set.body, Terrain::Flat, made.performance, Vec::new())
        };
        set.clips.into_iter().map(of_body).collect()
    }

    /// One act after another: "idle 1, walk 3 @1.2, run 4 @3, stop".
    #[pyo3(signature = (script, *, fps = 60.0))]
    fn perform_script(&self, py: Python<'_>, script: &str, fps: f64) -> PyResult<PyClip> {
        let acts: Script = script.parse().map_err(wrong)?;
        let fps = sampling(fps, None)?.fps;
        let own = self.creature();
        let (body, performance) = py
            .detach(|| {
                let mut data = Data::new(own);
                let performance = perform_script(own, &mut data, &acts, &|_| (), fps)?;
                Ok::<_, GaitError>((Body::new(own.clone(), &mut data, &Style::default())?, performance))
            })
            .map_err(wrong)?;
        clip(&self.who, &body, Terrain::Flat, performance, Vec::new())
    }
}

#[pymethods]
impl PyGait {
    #[getter]
    fn name(&self) -> &str {
        &self.gait.name
    }

    /// Cycles per second.
    #[getter]
    fn frequency(&self) -> f64 {
        self.gait.frequency
    }

    /// Mode, amplitude (rad), phase (rad), harmonic and offset (rad) of each vibration in it.
    #[getter]
    fn components(&self) -> Vec<(usize, f64, f64, u32, f64)> {
        let parts = self.gait.components.iter();
        parts.map(|part| (part.mode, part.amplitude, part.phase, part.harmonic, part.offset)).collect()
    }

    /// What a user should know: a speed that asks for more than the legs can swing.
    #[getter]
    fn hints(&self) -> Vec<String> {
        self.hints.clone()
    }

    /// The vibrations of its body.
    #[getter]
    fn basis(&self) -> PyBasis {
        PyBasis::new(Arc::new(Who::alone(self.body.creature.clone())), self.body.basis.clone())
    }

    /// The gait as a file that a person can edit.
    fn to_toml(&self) -> String {
        to_toml(&self.gait, &[])
    }

    /// Plays it: one cycle, or so many seconds, at `fps` keys per second.
    #[pyo3(signature = (*, fps = 60.0, seconds = None))]
    fn perform(&self, py: Python<'_>, fps: f64, seconds: Option<f64>) -> PyResult<PyClip> {
        let sampling = sampling(fps, seconds)?;
        let mut data = Data::new(&self.body.creature);
        let performance =
            py.detach(|| perform(&self.body, &mut data, &self.gait, &sampling)).map_err(wrong)?;
        clip(&self.base, &self.body, self.gait.ground.terrain.clone(), performance, self.hints.clone())
    }

    fn __repr__(&self) -> String {
        let (name, who, count) = (&self.gait.name, self.base.creature.name(), self.gait.components.len());
        format!("<gambol.Gait {name:?} of {who:?}: {count} vibrations, {:.3} Hz>", self.gait.frequency)
    }
}
