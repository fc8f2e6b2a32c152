//! One error for all that goes wrong, in the library's words.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    gambol,
    Error,
    PyValueError,
    "What was asked for cannot be done: a bad file, a number out of range, a gait that a body has not."
);

/// An error in the library's words.
pub(crate) fn wrong(reason: impl Display) -> PyErr {
    Error::new_err(reason.to_string())
}

/// How often Ctrl-C is asked for; a person does not notice twice that.
pub(crate) const ASKED_EVERY: Duration = Duration::from_millis(50);

/// Does long work on another thread, without the interpreter's lock, and ends it on Ctrl-C: `work` looks at the flag from time
/// to time and comes back soon after it is set.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, result) = channel();
            let stop = &stop;
            scope.spawn(move || done.send(work(stop)));
            loop {
                match result.recv_timeout(ASKED_EVERY) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Timeout) => {
                        // The method itself has one lifetime only.
                        #[allow(clippy::redundant_closure_for_method_calls)]
                        let asked = Python::attach(|py| py.check_signals());
                        if let Err(interrupt) = asked {
                            stop.store(true, Ordering::Relaxed);
                            return Err(interrupt); // once the thread has ended, which the scope waits for
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("a thread of gambol panicked: this is a bug"));
                    }
                }
            }
        })
    })
}
