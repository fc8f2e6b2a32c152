//! Creatures: from a name, a file or bytes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gambol::anatomy::recording::unit_from_text;
use gambol::anatomy::{SpringSettings, give_springs};
use gambol::dynamics::{
    Data, TreeMatrix, bias_forces, center_of_mass, forward_kinematics, inverse_dynamics, mass_matrix,
};
use gambol::formats::files::{Files, Memory};
use gambol::formats::gltf::{Rig, RigSettings};
use gambol::formats::{FormatError, MjcfOptions, load_rig_from, to_mjcf};
use gambol::model::{BodyClass, Creature, LandmarkOverride};
use gambol::report::{Report, State};
use gambol::{LoadError, LoadOptions, gallery};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{plain, pose, rows, vector};
use crate::error::wrong;

/// What a creature was made of, to be made again elsewhere: so it is pickled.
pub(crate) struct Origin {
    /// A name of the gallery, or the file among `files`.
    main: String,
    /// All that was read; nothing for the gallery.
    files: BTreeMap<String, Vec<u8>>,
    /// As they were given to `load`, without what is on this machine only.
    options: Py<PyDict>,
}

/// A creature with all that Python may ask of it.
pub(crate) struct Who {
    pub(crate) creature: Creature,
    /// The way back to the user's own file.
    pub(crate) rig: Option<Rig>,
    pub(crate) origin: Option<Arc<Origin>>,
    /// It follows from the one that was read, as the body of a gait does.
    pub(crate) is_changed: bool,
}

impl Who {
    /// A creature of no file.
    pub(crate) fn alone(creature: Creature) -> Self {
        Self { creature, rig: None, origin: None, is_changed: true }
    }

    /// The same bones with other springs, masses or rest: the way back into the user's file stays.
    pub(crate) fn changed(&self, creature: Creature) -> Self {
        Self { creature, rig: self.rig.clone(), origin: self.origin.clone(), is_changed: true }
    }

    /// The files that it was made of.
    pub(crate) fn files(&self) -> Option<(Memory, &str)> {
        let origin = self.origin.as_ref()?;
        Some((memory(&origin.files), &origin.main))
    }
}

fn memory(files: &BTreeMap<String, Vec<u8>>) -> Memory {
    files.iter().fold(Memory::new(), |memory, (name, bytes)| memory.with(name.clone(), bytes.clone()))
}

/// Reads files, and keeps what was read.
struct Kept<F> {
    files: F,
    read: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl<F: Files> Files for Kept<F> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FormatError> {
        let bytes = self.files.read(path)?;
        self.read.borrow_mut().insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    fn only_one(&self, ending: &str) -> Option<String> {
        self.files.only_one(ending)
    }

    fn all(&self, ending: &str) -> Vec<String> {
        self.files.all(ending)
    }
}

/// A body of bones, masses and elastic joints.
#[pyclass(frozen, module = "gambol", name = "Creature")]
pub(crate) struct PyCreature {
    pub(crate) who: Arc<Who>,
}

/// Reads a creature: a name of the gallery (`dog`), the path of a file, or its bytes.
#[pyfunction]
#[pyo3(signature = (creature, /, *, name = None, rig = None, height = None, unit = None, mass = None, landmarks = None, body_class = None, free_root = false, strict = false, assets = None, springs = false))]
#[allow(clippy::too_many_arguments)] // options by name, as Python has them
pub(crate) fn load(
    py: Python<'_>,
    creature: &Bound<'_, PyAny>,
    name: Option<String>,
    rig: Option<PathBuf>,
    height: Option<f64>,
    unit: Option<&Bound<'_, PyAny>>,
    mass: Option<f64>,
    landmarks: Option<BTreeMap<String, String>>,
    body_class: Option<&str>,
    free_root: bool,
    strict: bool,
    assets: Option<PathBuf>,
    springs: bool,
) -> PyResult<PyCreature> {
    let kept = PyDict::new(py);
    kept.set_item("rig", rig.map(std::fs::read_to_string).transpose()?)?;
    kept.set_item("height", height)?;
    kept.set_item("unit", unit.map(metres).transpose()?)?;
    kept.set_item("mass", mass)?;
    kept.set_item("landmarks", landmarks)?;
    kept.set_item("body_class", body_class)?;
    kept.set_item("free_root", free_root)?;
    kept.set_item("strict", strict)?;
    kept.set_item("springs", springs)?;
    make(py, source(creature, name)?, kept, assets)
}

/// Makes a creature again of what it was made of: what `pickle` calls.
#[pyfunction]
pub(crate) fn _restore(
    main: String,
    files: BTreeMap<String, Vec<u8>>,
    options: Bound<'_, PyDict>,
) -> PyResult<PyCreature> {
    let place = if files.is_empty() { Place::Gallery(main) } else { Place::Memory(main, files) };
    make(options.py(), place, options, None)
}

/// By options as they were given.
fn make(
    py: Python<'_>,
    place: Place,
    kept: Bound<'_, PyDict>,
    assets: Option<PathBuf>,
) -> PyResult<PyCreature> {
    let rig: Option<String> = option(&kept, "rig")?;
    let landmarks: Option<BTreeMap<String, String>> = option(&kept, "landmarks")?;
    let class: Option<String> = option(&kept, "body_class")?;
    let landmarks = landmarks.unwrap_or_default().into_iter();
    let options = LoadOptions {
        strict: option(&kept, "strict")?.unwrap_or(false),
        free_root: option(&kept, "free_root")?.unwrap_or(false),
        assets,
        landmarks: landmarks.map(|(landmark, target)| LandmarkOverride { landmark, target }).collect(),
        class: class.map(|class| class.parse::<BodyClass>()).transpose().map_err(wrong)?,
        rig: rig.map(|text| RigSettings::from_toml("rig", &text)).transpose().map_err(wrong)?,
        height: option(&kept, "height")?,
        unit: option(&kept, "unit")?,
        mass: option(&kept, "mass")?,
        ..LoadOptions::default()
    };
    let springs = option(&kept, "springs")?.unwrap_or(false);
    let (creature, rig, main, files) = py.detach(|| read(place, &options, springs)).map_err(wrong)?;
    let origin = Some(Arc::new(Origin { main, files, options: kept.unbind() }));
    Ok(PyCreature { who: Arc::new(Who { creature, rig, origin, is_changed: false }) })
}

fn option<'py, T: FromPyObjectOwned<'py>>(options: &Bound<'py, PyDict>, key: &str) -> PyResult<Option<T>> {
    let given = options.get_item(key)?.filter(|value| !value.is_none());
    given.map(|value| value.extract::<T>().map_err(Into::into)).transpose()
}

/// Bytes with a name, or a path, or a name of the gallery.
enum Place {
    Gallery(String),
    Disk(PathBuf),
    Memory(String, BTreeMap<String, Vec<u8>>),
}

fn source(creature: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<Place> {
    if let Ok(bytes) = creature.cast::<PyBytes>() {
        let name = name.unwrap_or_else(|| "creature".to_owned());
        return Ok(Place::Memory(name.clone(), [(name, bytes.as_bytes().to_vec())].into()));
    }
    let path: PathBuf = creature
        .extract()
        .map_err(|_| wrong("a creature is a name of the gallery, the path of a file, or its bytes"))?;
    Ok(match path.to_str() {
        Some(name) if gallery::find(name).is_some() || !path.exists() => Place::Gallery(name.to_owned()),
        _ => Place::Disk(path),
    })
}

type Read = (Creature, Option<Rig>, String, BTreeMap<String, Vec<u8>>);

fn read(place: Place, options: &LoadOptions, springs: bool) -> Result<Read, LoadError> {
    let (mut creature, rig, main, files) = match place {
        Place::Gallery(name) => {
            let (creature, rig) = gambol::load_rig(&name, options)?;
            (creature, rig, name, BTreeMap::new())
        }
        Place::Disk(path) => {
            let (folder, main) = gambol::formats::open(&path, options)?;
            from_files(folder, main, options)?
        }
        Place::Memory(main, files) => from_files(memory(&files), main, options)?,
    };
    if springs {
        let mut data = Data::new(&creature);
        give_springs(&mut creature, &mut data, &SpringSettings::default());
    }
    Ok((creature, rig, main, files))
}

fn from_files(files: impl Files, main: String, options: &LoadOptions) -> Result<Read, LoadError> {
    let kept = Kept { files, read: RefCell::default() };
    let is_table = Path::new(&main).extension().is_some_and(|ending| {
        ["mtg", "swc", "csv", "tsv", "txt"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    });
    let plant = if is_table { gambol::load_plant_from(&kept, &main, options)? } else { None };
    let (spec, rig) = match plant {
        Some(plant) => (gambol::plant_spec(&plant, options)?, None),
        None => load_rig_from(&kept, &main, options)?,
    };
    let creature = spec.build().map_err(|error| LoadError::Model { file: main.clone(), error })?;
    Ok((creature, rig, main, kept.read.into_inner()))
}

/// A number of metres, or the name of a unit.
fn metres(unit: &Bound<'_, PyAny>) -> PyResult<f64> {
    match unit.extract::<f64>() {
        Ok(metres) => Ok(metres),
        Err(_) => unit_from_text(&unit.extract::<String>()?).map_err(wrong),
    }
}

impl PyCreature {
    pub(crate) fn creature(&self) -> &Creature {
        &self.who.creature
    }
}

#[pymethods]
impl PyCreature {
    #[getter]
    fn name(&self) -> &str {
        self.creature().name()
    }

    /// Length of a pose.
    #[getter]
    fn nq(&self) -> usize {
        self.creature().nq()
    }

    /// Length of a velocity.
    #[getter]
    fn nv(&self) -> usize {
        self.creature().nv()
    }

    /// kg
    #[getter]
    fn mass(&self) -> f64 {
        self.creature().mass()
    }

    /// Names of bodies in tree order; the world is the first.
    #[getter]
    fn bodies(&self) -> Vec<&str> {
        self.creature().bodies().iter().map(|body| body.name.as_str()).collect()
    }

    /// Names of joints in tree order.
    #[getter]
    fn joints(&self) -> Vec<&str> {
        self.creature().joints().iter().map(|joint| joint.name.as_str()).collect()
    }

    /// The pose in which it is drawn, `nq` numbers.
    #[getter]
    fn reference_pose<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.creature().reference_pose())
    }

    /// The pose in which its springs are at rest.
    #[getter]
    fn rest_pose<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.creature().rest_pose())
    }

    /// The poses that its file names.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let poses = PyDict::new(py);
        for pose in self.creature().poses() {
            poses.set_item(&pose.name, PyArray1::from_slice(py, &pose.qpos))?;
        }
        Ok(poses)
    }

    /// What was guessed of a rig, in words.
    #[getter]
    fn guesses(&self) -> Vec<String> {
        self.who.rig.iter().flat_map(|rig| &rig.notes).map(ToString::to_string).collect()
    }

    /// What the file asks for and gambol cannot do, and what looks wrong.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.creature().warnings().iter().map(ToString::to_string).collect()
    }

    /// All that `gambol inspect --json` tells, at a pose.
    #[pyo3(signature = (qpos = None))]
    fn inspect<'py>(&self, py: Python<'py>, qpos: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let creature = self.creature();
        let state = State {
            name: if qpos.is_some() { "given" } else { "reference" }.to_owned(),
            qpos: self.pose_or_reference(qpos)?,
            qvel: vec![0.0; creature.nv()],
        };
        let report = py.detach(|| Report::new(creature, &state, false)).map_err(wrong)?;
        plain(py, &report)
    }

    /// Moves a pose along a tangent vector: `qpos ⊕ v·t`.
    #[pyo3(signature = (qpos, v, t = 1.0))]
    fn integrate<'py>(
        &self,
        py: Python<'py>,
        qpos: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        t: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let creature = self.creature();
        let mut q = pose("qpos", qpos, creature)?;
        creature.integrate(&mut q, &vector("v", v, creature.nv())?, t);
        Ok(PyArray1::from_vec(py, q))
    }

    /// The tangent vector from one pose to another: `to ⊖ start`.
    fn difference<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        to: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let creature = self.creature();
        let mut way = vec![0.0; creature.nv()];
        creature.difference(&pose("start", start, creature)?, &pose("to", to, creature)?, &mut way);
        Ok(PyArray1::from_vec(py, way))
    }

    /// Origins of all bodies in the world, m, a row each.
    #[pyo3(signature = (qpos = None))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        qpos: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let creature = self.creature();
        let q = self.pose_or_reference(qpos)?;
        let mut data = Data::new(creature);
        let frames = forward_kinematics(creature, &mut data, &q);
        let places: Vec<Vec<f64>> = frames.iter().map(|frame| frame.position.as_slice().to_vec()).collect();
        rows(py, &places, 3)
    }

    /// The centre of mass in the world, m.
    #[pyo3(signature = (qpos = None))]
    fn center_of_mass<'py>(
        &self,
        py: Python<'py>,
        qpos: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let creature = self.creature();
        let q = self.pose_or_reference(qpos)?;
        let center = center_of_mass(creature, &mut Data::new(creature), &q);
        Ok(PyArray1::from_slice(py, center.as_slice()))
    }

    /// The mass matrix, nv × nv.
    #[pyo3(signature = (qpos = None))]
    fn mass_matrix<'py>(
        &self,
        py: Python<'py>,
        qpos: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let creature = self.creature();
        let q = self.pose_or_reference(qpos)?;
        let dense = py.detach(|| {
            let mut m = TreeMatrix::new(creature)?;
            mass_matrix(creature, &mut Data::new(creature), &q, &mut m);
            Ok::<_, gambol::dynamics::TooLarge>(m.to_dense())
        });
        let dense = dense.map_err(wrong)?;
        let lines: Vec<Vec<f64>> = dense.row_iter().map(|row| row.iter().copied().collect()).collect();
        rows(py, &lines, creature.nv())
    }

    /// Coriolis, centrifugal and gravity forces.
    fn bias_forces<'py>(
        &self,
        py: Python<'py>,
        qpos: &Bound<'py, PyAny>,
        qvel: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let creature = self.creature();
        let (q, v) = (pose("qpos", qpos, creature)?, vector("qvel", qvel, creature.nv())?);
        let mut data = Data::new(creature);
        Ok(PyArray1::from_slice(py, bias_forces(creature, &mut data, &q, &v)))
    }

    /// Forces on the coordinates that the acceleration `qacc` takes.
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        qpos: &Bound<'py, PyAny>,
        qvel: &Bound<'py, PyAny>,
        qacc: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let creature = self.creature();
        let nv = creature.nv();
        let (q, v) = (pose("qpos", qpos, creature)?, vector("qvel", qvel, nv)?);
        let a = vector("qacc", qacc, nv)?;
        let mut data = Data::new(creature);
        Ok(PyArray1::from_slice(py, inverse_dynamics(creature, &mut data, &q, &v, &a)))
    }

    /// The creature as MJCF, for MuJoCo; meshes are left out, with `to_mjcf_files` they come too.
    fn to_mjcf(&self, py: Python<'_>) -> String {
        py.detach(|| to_mjcf(self.creature(), &MjcfOptions::default()).xml)
    }

    /// The creature as MJCF: the model, and its meshes by their paths from there.
    fn to_mjcf_files<'py>(&self, py: Python<'py>) -> PyResult<(String, Bound<'py, PyDict>)> {
        let files = py.detach(|| to_mjcf(self.creature(), &MjcfOptions::default()));
        let meshes = PyDict::new(py);
        for (path, bytes) in &files.meshes {
            meshes.set_item(path, PyBytes::new(py, bytes))?;
        }
        Ok((files.xml, meshes))
    }

    /// From three sides, as PNG.
    #[pyo3(signature = (qpos = None))]
    fn to_png<'py>(
        &self,
        py: Python<'py>,
        qpos: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let creature = self.creature();
        let q = self.pose_or_reference(qpos)?;
        let png = py.detach(|| gambol::picture::three_views(creature, &q).to_png(1.0));
        Ok(PyBytes::new(py, &png.map_err(wrong)?))
    }

    /// The same as an array of rows of pixels: red, green, blue.
    #[pyo3(signature = (qpos = None))]
    fn to_pixels<'py>(
        &self,
        py: Python<'py>,
        qpos: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let creature = self.creature();
        let q = self.pose_or_reference(qpos)?;
        let pixels =
            py.detach(|| gambol::picture::three_views(creature, &q).to_raster(1.0)).map_err(wrong)?;
        let size = [pixels.height as usize, pixels.width as usize, 3];
        PyArray1::from_slice(py, pixels.rgb.as_flattened()).reshape(size)
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_png(py, None)
    }

    fn __repr__(&self) -> String {
        let creature = self.creature();
        let (bodies, nv) = (creature.bodies().len() - 1, creature.nv());
        format!(
            "<gambol.Creature {:?}: {bodies} bodies, nv = {nv}, {:.3} kg>",
            creature.name(),
            creature.mass()
        )
    }

    /// It never changes: a copy is itself.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let Some(origin) = self.who.origin.as_ref().filter(|_| !self.who.is_changed) else {
            return Err(wrong(
                "the body of a gait is not pickled; pickle the creature and the gait's text (Gait.to_toml)",
            ));
        };
        let restore = py.import("gambol._gambol")?.getattr("_restore")?;
        let files = PyDict::new(py);
        for (name, bytes) in &origin.files {
            files.set_item(name, PyBytes::new(py, bytes))?;
        }
        let arguments = (&origin.main, files, origin.options.bind(py)).into_pyobject(py)?;
        Ok((restore, arguments.into_any()))
    }
}

impl PyCreature {
    fn pose_or_reference(&self, qpos: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        match qpos {
            Some(qpos) => pose("qpos", qpos, self.creature()),
            None => Ok(self.creature().reference_pose().to_vec()),
        }
    }
}
