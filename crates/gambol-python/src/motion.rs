//! Clips: poses over time, and what they take.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gambol::anatomy::Legs;
use gambol::dynamics::{Data, Terrain};
use gambol::formats::clip::{GlbOptions, RootMotion};
use gambol::formats::gltf::node_motion;
use gambol::formats::write_file;
use gambol::gait::{ForceSettings, Forces, StanceSettings, forces};
use gambol::motion::Clip;
use gambol::render::{Format, RenderError, render, render_into};
use gambol::{LoadOptions, MotionOptions, load_motion, load_motion_of};
use numpy::{PyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde::Serialize;

use crate::arrays::{any_vector, matrix, plain, rows};
use crate::creature::{PyCreature, Who};
use crate::error::wrong;

/// Poses of a creature over time.
#[pyclass(frozen, module = "gambol", name = "Clip")]
pub(crate) struct PyClip {
    pub(crate) who: Arc<Who>,
    pub(crate) clip: Arc<Clip>,
    /// What it stands on.
    terrain: Terrain,
    /// What was measured, as JSON; of gaits and simulations.
    report: Option<String>,
    warnings: Vec<String>,
    forces: OnceLock<Result<Forces, String>>,
    /// The poses as an array, made once and handed over.
    qpos: PyOnceLock<Py<PyArray2<f64>>>,
    times: PyOnceLock<Py<PyArray1<f64>>>,
}

impl PyClip {
    pub(crate) fn new(who: Arc<Who>, clip: Clip) -> Self {
        Self {
            who,
            clip: Arc::new(clip),
            terrain: Terrain::Flat,
            report: None,
            warnings: Vec::new(),
            forces: OnceLock::new(),
            qpos: PyOnceLock::new(),
            times: PyOnceLock::new(),
        }
    }

    /// With what was measured on it.
    pub(crate) fn told(mut self, report: &impl Serialize, warnings: Vec<String>) -> PyResult<Self> {
        self.report = Some(serde_json::to_string(report).map_err(wrong)?);
        self.warnings = warnings;
        Ok(self)
    }

    pub(crate) fn on(mut self, terrain: Terrain, forces: Option<Forces>) -> Self {
        self.terrain = terrain;
        if let Some(forces) = forces {
            self.forces = OnceLock::from(Ok(forces));
        }
        self
    }

    /// The forces that it takes; measured when they are asked for first.
    fn measured(&self, py: Python<'_>) -> Result<&Forces, &String> {
        let measure = || {
            let creature = &self.who.creature;
            let mut data = Data::new(creature);
            let legs = Legs::new(creature, &mut data, creature.rest_pose());
            let settings = (&ForceSettings::default(), &StanceSettings::default());
            forces(creature, &mut data, &legs, &self.terrain, &self.clip, settings)
                .map_err(|error| error.to_string())
        };
        py.detach(|| self.forces.get_or_init(measure).as_ref())
    }

    /// The clip as a file: into the user's own where it came from one.
    fn rendered(&self, format: Format, root_motion: RootMotion) -> Result<Vec<u8>, RenderError> {
        let creature = &self.who.creature;
        match (&self.who.rig, self.who.files()) {
            (Some(rig), Some((files, main))) if format.is_gltf() => {
                let clips = std::slice::from_ref(&*self.clip);
                render_into(format, rig, (&files, main), true, creature, clips, root_motion)
            }
            _ => render(format, creature, Some(&self.terrain), &self.clip, root_motion, &mut |_, _| ()),
        }
    }
}

/// An array that cannot be written to, since it is shared.
fn sealed<D: numpy::ndarray::Dimension>(array: Bound<'_, PyArray<f64, D>>) -> Bound<'_, PyArray<f64, D>> {
    drop(array.readwrite().make_nonwriteable());
    array
}

fn root_motion(name: &str) -> PyResult<RootMotion> {
    match name {
        "travel" => Ok(RootMotion::Travel),
        "in-place" => Ok(RootMotion::InPlace),
        other => Err(wrong(format!("root_motion: {other:?} is neither \"travel\" nor \"in-place\""))),
    }
}

fn format_of(ending: &str) -> PyResult<Format> {
    let endings = Format::ALL.map(|(ending, _)| ending).join(", ");
    Format::of_ending(ending).ok_or_else(|| wrong(format!("the ending {ending:?} is none of {endings}")))
}

/// Reads a motion: a recording, a clip of ours, or one inside of a character's file (`fox.glb#Walk`).
#[pyfunction]
#[pyo3(signature = (path, /, *, of = None, by_name = false, height = None))]
pub(crate) fn load_clip(
    py: Python<'_>,
    path: PathBuf,
    of: Option<&PyCreature>,
    by_name: bool,
    height: Option<f64>,
) -> PyResult<PyClip> {
    let options = MotionOptions::from(LoadOptions { height, ..LoadOptions::default() });
    let loaded = py.detach(|| match of {
        Some(creature) => {
            let clip = load_motion_of(&path, creature.creature(), &options, by_name)?;
            Ok((Arc::clone(&creature.who), clip))
        }
        None => load_motion(&path, &options).map(|mut motion| {
            motion.drop_first_apart();
            (Arc::new(Who::alone(motion.creature)), motion.clip)
        }),
    });
    let (who, clip) = loaded.map_err(|error: gambol::LoadError| wrong(error))?;
    Ok(PyClip::new(who, clip))
}

#[pymethods]
impl PyClip {
    /// A clip of poses: `times` in seconds from 0 on, `qpos` a row of nq numbers for each.
    #[new]
    #[pyo3(signature = (creature, times, qpos, *, name = "clip"))]
    fn of_poses(
        creature: &PyCreature,
        times: &Bound<'_, PyAny>,
        qpos: &Bound<'_, PyAny>,
        name: &str,
    ) -> PyResult<Self> {
        let own = creature.creature();
        let mut clip = Clip {
            name: name.to_owned(),
            times: any_vector("times", times)?,
            poses: matrix("qpos", qpos, own.nq())?,
            stride: None,
            contacts: Vec::new(),
            travel: None,
        };
        clip.check(own).map_err(wrong)?;
        clip.align_signs(own);
        Ok(Self::new(Arc::clone(&creature.who), clip))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.clip.name
    }

    /// Who moves.
    #[getter]
    fn creature(&self) -> PyCreature {
        PyCreature { who: Arc::clone(&self.who) }
    }

    /// s
    #[getter]
    fn duration(&self) -> f64 {
        self.clip.duration()
    }

    /// s, one for each pose.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let make = || sealed(PyArray1::from_slice(py, &self.clip.times)).unbind();
        self.times.get_or_init(py, make).bind(py).clone()
    }

    /// Poses, a row of nq numbers each. The array is the clip's own, always the same one, and cannot be written to.
    #[getter]
    fn qpos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let make = || rows(py, &self.clip.poses, self.who.creature.nq()).map(|array| sealed(array).unbind());
        Ok(self.qpos.get_or_try_init(py, make)?.bind(py).clone())
    }

    /// When each foot stands: name, body, point in its frame (m), and intervals (s).
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let contacts = PyList::empty(py);
        for contact in &self.clip.contacts {
            let one = PyDict::new(py);
            one.set_item("name", &contact.name)?;
            one.set_item("body", &self.who.creature.bodies()[contact.body].name)?;
            one.set_item("point", PyArray1::from_slice(py, contact.point.as_slice()))?;
            let intervals: Vec<Vec<f64>> = contact.intervals.iter().map(|ends| ends.to_vec()).collect();
            one.set_item("intervals", rows(py, &intervals, 2)?)?;
            contacts.append(one)?;
        }
        Ok(contacts)
    }

    /// If it loops: yaw (rad) and shift (m) from the first pose to the last.
    #[getter]
    fn stride<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.clip.stride.map(|stride| plain(py, &stride)).transpose()
    }

    /// What was measured on it, as `gambol animate --json` has it; none of a recording.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let report = self.report.as_ref();
        report.map(|text| py.import("json")?.call_method1("loads", (text,))).transpose()
    }

    /// What a user should know.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Forces at the feet and what they leave unexplained, in body weights.
    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, self.measured(py).map_err(wrong)?)
    }

    /// Force that nothing could give, root mean square, body weights.
    #[getter]
    fn residual_force(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.measured(py).map_err(wrong)?.figures.residual_force)
    }

    /// Moment that nothing could give, root mean square, body weights × height of the centre of mass.
    #[getter]
    fn residual_moment(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.measured(py).map_err(wrong)?.figures.residual_moment)
    }

    /// The same without its way over the ground.
    fn in_place(&self) -> Self {
        let mut still = Self::new(Arc::clone(&self.who), self.clip.in_place(&self.who.creature));
        still.report.clone_from(&self.report);
        still.warnings.clone_from(&self.warnings);
        still
    }

    /// What it does to the nodes of the glTF file that its creature came from, for programs that have these nodes themselves: `times` (s),
    /// `nodes` (index, `translation` and `rotation` in the parent at each key, w first, and whether its place `shifts`), and `contacts`
    /// (name, node, point in its frame and intervals).
    #[pyo3(signature = (*, root_motion = "travel"))]
    fn nodes<'py>(&self, py: Python<'py>, root_motion: &str) -> PyResult<Bound<'py, PyDict>> {
        let options = GlbOptions { root_motion: self::root_motion(root_motion)? };
        let who = &self.who;
        let rig =
            who.rig.as_ref().ok_or_else(|| wrong("it did not come from a glTF file: it has no nodes"))?;
        let motion = py.detach(|| node_motion(rig, &who.creature, &self.clip, &options)).map_err(wrong)?;
        let (nodes, contacts) = (PyList::empty(py), PyList::empty(py));
        for track in &motion.tracks {
            let one = PyDict::new(py);
            let keys = || track.keys.iter();
            let places: Vec<Vec<f64>> =
                keys().map(|key| key.translation.vector.as_slice().to_vec()).collect();
            let turns: Vec<Vec<f64>> =
                keys().map(|key| key.rotation).map(|turn| vec![turn.w, turn.i, turn.j, turn.k]).collect();
            one.set_item("node", track.node)?;
            one.set_item("shifts", track.shifts)?;
            one.set_item("translation", rows(py, &places, 3)?)?;
            one.set_item("rotation", rows(py, &turns, 4)?)?;
            nodes.append(one)?;
        }
        for contact in &motion.contacts {
            let one = PyDict::new(py);
            one.set_item("name", &contact.name)?;
            one.set_item("node", contact.node)?;
            one.set_item("point", PyArray1::from_slice(py, contact.point.as_slice()))?;
            let intervals: Vec<Vec<f64>> = contact.intervals.iter().map(|ends| ends.to_vec()).collect();
            one.set_item("intervals", rows(py, &intervals, 2)?)?;
            contacts.append(one)?;
        }
        let told = PyDict::new(py);
        told.set_item("times", PyArray1::from_vec(py, motion.times))?;
        told.set_item("nodes", nodes)?;
        told.set_item("contacts", contacts)?;
        Ok(told)
    }

    /// Writes it in the format of the file's ending: glb, gltf, bvh, json, npz, png, svg, gif, apng. A glTF creature's own file comes
    /// back with the clip in it.
    #[pyo3(signature = (path, *, root_motion = "travel"))]
    fn save(&self, py: Python<'_>, path: PathBuf, root_motion: &str) -> PyResult<()> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = self.bytes(py, &ending, root_motion)?;
        write_file(Path::new(&path), &bytes, true).map_err(wrong)
    }

    /// The bytes of such a file.
    #[pyo3(signature = (format, *, root_motion = "travel"))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        root_motion: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.bytes(py, format, root_motion)?))
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_bytes(py, "png", "travel")
    }

    fn __len__(&self) -> usize {
        self.clip.times.len()
    }

    fn __repr__(&self) -> String {
        let (name, who) = (&self.clip.name, self.who.creature.name());
        format!(
            "<gambol.Clip {name:?} of {who:?}: {} keys, {:.3} s>",
            self.clip.times.len(),
            self.clip.duration()
        )
    }
}

impl PyClip {
    fn bytes(&self, py: Python<'_>, format: &str, root: &str) -> PyResult<Vec<u8>> {
        let (format, root) = (format_of(format)?, root_motion(root)?);
        py.detach(|| self.rendered(format, root)).map_err(wrong)
    }
}
