//! Numbers to NumPy and back.

use gambol::model::Creature;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::wrong;

/// Rows of one length as an array of two dimensions. It is made once and handed over.
pub(crate) fn rows<'py>(
    py: Python<'py>,
    rows: &[Vec<f64>],
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: Vec<f64> = rows.iter().flatten().copied().collect();
    PyArray1::from_vec(py, flat).reshape([rows.len(), columns])
}

/// Anything that NumPy takes for real numbers (lists, float32, other orders, read-only arrays), as ours. `what` it is called in errors.
fn numbers<'py>(what: &str, any: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    /// Of NumPy's kinds of numbers: truth, whole and not negative, whole, with a fraction, and Python's own objects. What would lose
    /// something (complex) or is a guess (text, dates) is not among them.
    const REAL: &str = "buifO";
    if let Ok(array) = any.extract::<PyReadonlyArrayDyn<'py, f64>>()
        && array.is_c_contiguous()
    {
        return Ok(array);
    }
    let py = any.py();
    let numpy = py.import("numpy")?;
    let not_numbers = |reason: String| wrong(format!("{what}: these are not numbers: {reason}"));
    let of_python = |error: PyErr| not_numbers(error.value(py).to_string());
    let array = numpy.call_method1("asarray", (any,)).map_err(of_python)?;
    let dtype = array.getattr("dtype")?;
    if !REAL.contains(dtype.getattr("kind")?.extract::<char>()?) {
        return Err(not_numbers(format!("they are of type {}", dtype.str()?)));
    }
    let options = PyDict::new(py);
    options.set_item("dtype", "float64")?;
    let array = numpy.call_method("ascontiguousarray", (array,), Some(&options)).map_err(of_python)?;
    let array = array.extract::<PyReadonlyArrayDyn<'py, f64>>();
    array.map_err(|error| not_numbers(error.to_string()))
}

/// So many finite numbers in one dimension.
pub(crate) fn vector(what: &str, any: &Bound<'_, PyAny>, length: usize) -> PyResult<Vec<f64>> {
    let array = numbers(what, any)?;
    if array.shape() != [length] {
        return Err(wrong(format!("{what}: expected {length} numbers, found the shape {:?}", array.shape())));
    }
    finite(what, array.as_slice().map_err(wrong)?)
}

/// Finite numbers in one dimension, however many.
pub(crate) fn any_vector(what: &str, any: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = numbers(what, any)?;
    if array.ndim() != 1 {
        return Err(wrong(format!("{what}: expected one dimension, found the shape {:?}", array.shape())));
    }
    finite(what, array.as_slice().map_err(wrong)?)
}

/// Rows of finite numbers, at least one.
pub(crate) fn matrix(what: &str, any: &Bound<'_, PyAny>, columns: usize) -> PyResult<Vec<Vec<f64>>> {
    let array = numbers(what, any)?;
    let shape = array.shape().to_vec();
    if shape.len() != 2 || shape[1] != columns || shape[0] == 0 {
        return Err(wrong(format!("{what}: expected rows of {columns} numbers, found the shape {shape:?}")));
    }
    let flat = finite(what, array.as_slice().map_err(wrong)?)?;
    Ok(flat.chunks(columns.max(1)).map(<[f64]>::to_vec).collect())
}

fn finite(what: &str, numbers: &[f64]) -> PyResult<Vec<f64>> {
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(wrong(format!("{what}: number {at} is {}", numbers[at]))),
        None => Ok(numbers.to_vec()),
    }
}

/// A pose of a creature, its quaternions made of unit length.
pub(crate) fn pose(what: &str, any: &Bound<'_, PyAny>, creature: &Creature) -> PyResult<Vec<f64>> {
    let pose = vector(what, any, creature.nq())?;
    creature.checked_pose(what, &pose).map_err(wrong)
}

/// What serializes, as dictionaries, lists and numbers.
pub(crate) fn plain<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(wrong)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// The other way, for settings that users write as dictionaries; a key that there is not is no silence but a mistake.
pub(crate) fn from_plain<T>(what: &str, any: &Bound<'_, PyAny>) -> PyResult<T>
where
    T: Default + Serialize + DeserializeOwned,
{
    let text: String = any.py().import("json")?.call_method1("dumps", (any,))?.extract()?;
    let given: Value = serde_json::from_str(&text).map_err(wrong)?;
    let known = serde_json::to_value(T::default()).map_err(wrong)?;
    if let (Some(given), Some(known)) = (given.as_object(), known.as_object())
        && let Some(strange) = given.keys().find(|key| !known.contains_key(*key))
    {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        return Err(wrong(format!("{what}: there is no {strange:?}; there are {}", names.join(", "))));
    }
    serde_json::from_value(given).map_err(|error| wrong(format!("{what}: {error}")))
}
