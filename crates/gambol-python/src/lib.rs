//! gambol for Python: thin, as every way in. What is here turns arguments into the library's types and results into NumPy's; what they
//! mean is in the library.

#![allow(clippy::needless_pass_by_value)] // PyO3 hands arguments over by value

mod arrays;
mod basis;
mod creature;
mod error;
mod gait;
mod motion;
mod roam;
mod search;
mod world;

/// The module that the package `gambol` is made of.
#[pyo3::pymodule]
mod _gambol {
    #[pymodule_export]
    use crate::basis::PyBasis;
    #[pymodule_export]
    use crate::creature::{_restore, PyCreature, load};
    #[pymodule_export]
    use crate::error::Error;
    #[pymodule_export]
    use crate::gait::PyGait;
    #[pymodule_export]
    use crate::motion::{PyClip, load_clip};
    #[pymodule_export]
    use crate::roam::PyRoam;
    #[pymodule_export]
    use crate::search::{PyCma, PySearch};
    #[pymodule_export]
    use crate::world::{_restore_state, PyController, PyRollout, PyState, PyWalker, PyWorld};

    /// Names of the gallery's creatures.
    #[pyo3::pyfunction]
    fn gallery() -> Vec<&'static str> {
        gambol::gallery::names()
    }

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
