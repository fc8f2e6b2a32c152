//! Files that a verb writes.

use std::path::Path;

use super::Failure;

/// Writes beside and renames, so that a file is never half there; an existing one is kept unless `force`.
pub(super) fn write_file(file: &Path, content: &[u8], force: bool) -> Result<(), Failure> {
    let place = file.display();
    if file.exists() && !force {
        return Err(Failure::Failed(format!("{place} exists; --force replaces it")));
    }
    let mut beside = file.as_os_str().to_owned();
    beside.push(".part");
    std::fs::write(&beside, content).and_then(|()| std::fs::rename(&beside, file)).map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Failure::Failed(format!("{place}: cannot be written: {error}"))
    })
}
