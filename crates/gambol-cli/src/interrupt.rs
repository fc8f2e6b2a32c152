//! Ctrl-C, for verbs that have something to keep.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gambol_studio::server::interrupted;

use super::Failure;

/// What shells say of a program that Ctrl-C ended: 128 and the number of the signal.
pub(super) const STOPPED: u8 = 130;

/// Becomes true when the user presses Ctrl-C or the system asks us to end. Asked a second time, we end at once.
pub(super) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .map_err(|error| Failure::Failed(format!("cannot listen for Ctrl-C: {error}")))?;
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    std::thread::spawn(move || {
        runtime.block_on(interrupted());
        asked.store(true, Ordering::Relaxed);
        runtime.block_on(interrupted());
        std::process::exit(i32::from(STOPPED));
    });
    Ok(stop)
}
