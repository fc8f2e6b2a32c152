//! Directions in which a creature moves: its vibrations, or those of recordings.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use gambol::dynamics::Data;
use gambol::formats::basis::{JointMatch, from_basis_file, to_basis_file};
use gambol::formats::write_file;
use gambol::gait::{Body, Style};
use gambol::modes::{Reader, Reading, Settings, analyze, parse_constraint};
use gambol::motion::{Basis, GeodesicSettings, Keep};
use gambol::render::vibration_sheet;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{from_plain, pose, rows, vector};
use crate::creature::{PyCreature, Who};
use crate::error::wrong;
use crate::motion::PyClip;

/// A mean pose and directions in its tangent space.
#[pyclass(frozen, module = "gambol", name = "Basis")]
pub(crate) struct PyBasis {
    pub(crate) who: Arc<Who>,
    pub(crate) basis: Basis,
    /// In words, of vibrations; made when it is asked for.
    readings: Mutex<Option<Arc<Vec<Reading>>>>,
}

impl PyBasis {
    pub(crate) fn new(who: Arc<Who>, basis: Basis) -> Self {
        Self { who, basis, readings: Mutex::default() }
    }

    /// What the directions do, in words.
    fn read(&self, py: Python<'_>) -> PyResult<Arc<Vec<Reading>>> {
        let mut kept = self.readings.lock().map_err(wrong)?;
        if let Some(readings) = &*kept {
            return Ok(Arc::clone(readings));
        }
        let (creature, basis) = (&self.who.creature, &self.basis);
        let readings = py.detach(|| {
            let mut data = Data::new(creature);
            let reader = Reader::new(creature, &mut data, basis.mean())?;
            Ok::<_, gambol::modes::ModesError>(
                basis.directions().iter().map(|mode| reader.read(&mut data, mode)).collect::<Vec<_>>(),
            )
        });
        Ok(Arc::clone(kept.insert(Arc::new(readings.map_err(wrong)?))))
    }
}

/// The natural vibrations of a creature.
pub(crate) fn modes(
    creature: &PyCreature,
    py: Python<'_>,
    count: Option<usize>,
    style: Option<&Bound<'_, PyAny>>,
    qpos: Option<&Bound<'_, PyAny>>,
    constrain: &[String],
) -> PyResult<PyBasis> {
    let own = &creature.who.creature;
    let style: Option<Style> = style.map(|style| from_plain("style", style)).transpose()?;
    let q = qpos.map(|qpos| pose("qpos", qpos, own)).transpose()?;
    if style.is_some() && q.is_some() {
        return Err(wrong("a style says the pose itself: give style or qpos, not both"));
    }
    py.detach(|| {
        let mut data = Data::new(own);
        let (who, q) = match style {
            None => (Arc::clone(&creature.who), q.unwrap_or_else(|| own.rest_pose().to_vec())),
            Some(style) => {
                let body = Body::new(own.clone(), &mut data, &style).map_err(|error| error.to_string())?;
                let q = body.creature.rest_pose().to_vec();
                (Arc::new(Who::alone(body.creature)), q)
            }
        };
        let read = |text: &String| parse_constraint(&who.creature, &mut data, &q, text);
        let constraints =
            constrain.iter().map(read).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        let basis = analyze(&who.creature, &mut data, &q, &Settings { count, constraints });
        Ok::<_, String>(PyBasis::new(Arc::clone(&who), basis.map_err(|error| error.to_string())?))
    })
    .map_err(wrong)
}

#[pymethods]
impl PyBasis {
    /// The principal geodesics of clips of one creature: as many directions as explain `variance`, or `count`.
    #[staticmethod]
    #[pyo3(signature = (clips, *, variance = 0.99, count = None))]
    fn from_clips(
        py: Python<'_>,
        clips: Vec<PyRef<'_, PyClip>>,
        variance: f64,
        count: Option<usize>,
    ) -> PyResult<Self> {
        let Some(first) = clips.first() else { return Err(wrong("no clip is given")) };
        let who = Arc::clone(&first.who);
        let all: Vec<_> = clips.iter().map(|clip| &*clip.clip).collect();
        for clip in &all {
            clip.check(&who.creature).map_err(wrong)?;
        }
        let keep = count.map_or(Keep::Variance(variance), Keep::Count);
        let settings = GeodesicSettings { keep, ..GeodesicSettings::default() };
        let found = py.detach(|| Basis::from_clips(&who.creature, all, &settings)).map_err(wrong)?;
        Ok(Self::new(who, found.basis))
    }

    /// Reads a `.basis` file for a creature.
    #[staticmethod]
    #[pyo3(signature = (creature, path, *, by_name = false))]
    fn load(creature: &PyCreature, path: PathBuf, by_name: bool) -> PyResult<Self> {
        let text = std::fs::read_to_string(&path)?;
        let joints = if by_name { JointMatch::ByName } else { JointMatch::Same };
        let basis = from_basis_file(&path.display().to_string(), &text, creature.creature(), joints);
        Ok(Self::new(Arc::clone(&creature.who), basis.map_err(wrong)?))
    }

    /// Writes a `.basis` file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        write_file(&path, to_basis_file(&self.who.creature, &self.basis).as_bytes(), true).map_err(wrong)
    }

    /// Hz; 0 of rigid motions. Empty if these are no vibrations.
    #[getter]
    fn frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let vibrates = |mode: &&gambol::motion::Direction| mode.omega_squared.is_some();
        let directions = self.basis.directions().iter().filter(vibrates);
        PyArray1::from_iter(py, directions.map(|mode| self.basis.frequency(&self.who.creature, mode)))
    }

    /// A row of nv numbers for each direction.
    #[getter]
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let shapes: Vec<Vec<f64>> = self.basis.directions().iter().map(|mode| mode.shape.clone()).collect();
        rows(py, &shapes, self.who.creature.nv())
    }

    /// Standard deviations of the coordinates.
    #[getter]
    fn spreads<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.basis.directions().iter().map(|direction| direction.spread))
    }

    /// What each vibration does, in words; else what the directions are called.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let vibrates = self.basis.directions().iter().all(|mode| mode.omega_squared.is_some());
        if !vibrates {
            return Ok(self.basis.directions().iter().map(|direction| direction.name.clone()).collect());
        }
        Ok(self.read(py)?.iter().map(|reading| reading.name.clone()).collect())
    }

    /// How many of the first directions bend nothing.
    #[getter]
    fn rigid(&self) -> usize {
        self.basis.rigid()
    }

    /// The pose that it is about.
    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.basis.mean())
    }

    /// The pose at coordinates.
    fn pose<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = vector("x", x, self.basis.directions().len())?;
        Ok(PyArray1::from_vec(py, self.basis.pose(&self.who.creature, &x).map_err(wrong)?))
    }

    /// The coordinates of the nearest pose of the basis.
    fn project<'py>(&self, py: Python<'py>, qpos: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = pose("qpos", qpos, &self.who.creature)?;
        let x = py.detach(|| self.basis.project(&self.who.creature, &q)).map_err(wrong)?;
        Ok(PyArray1::from_vec(py, x))
    }

    /// How the pose moves with its coordinates: nv rows, a column for each direction.
    fn jacobian<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = vector("x", x, self.basis.directions().len())?;
        let jacobian = py.detach(|| self.basis.jacobian(&self.who.creature, &x)).map_err(wrong)?;
        let lines: Vec<Vec<f64>> = jacobian.row_iter().map(|row| row.iter().copied().collect()).collect();
        rows(py, &lines, x.len())
    }

    /// The same with only the first directions that bend the creature.
    fn truncated(&self, flexible: usize) -> Self {
        Self::new(Arc::clone(&self.who), self.basis.truncated(flexible))
    }

    /// A picture of all directions, as PNG.
    fn to_png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let readings = self.read(py)?;
        let (creature, basis) = (&self.who.creature, &self.basis);
        let png = py.detach(|| {
            let sheet = vibration_sheet(creature, &mut Data::new(creature), basis, &readings);
            sheet.map_err(|error| error.to_string())?.to_png(1.0).map_err(|error| error.to_string())
        });
        Ok(PyBytes::new(py, &png.map_err(wrong)?))
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_png(py)
    }

    fn __len__(&self) -> usize {
        self.basis.directions().len()
    }

    fn __repr__(&self) -> String {
        let (name, count) = (self.who.creature.name(), self.basis.directions().len());
        format!("<gambol.Basis of {name:?}: {count} directions, {} rigid>", self.basis.rigid())
    }
}
