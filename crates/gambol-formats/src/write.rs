//! Files out: never half there, never over another one by accident.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// There is a file already, and it was not said that it may go.
    #[error("{} exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{}: cannot be written: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

/// Writes `bytes` to the file `path`, all or nothing: they are written beside it, brought to the disk, and renamed. What
/// is there already is kept unless `force`. A link stays a link to the file that it names; a device or a pipe, which
/// cannot be replaced, is written to.
pub fn write_file(path: impl AsRef<Path>, bytes: &[u8], force: bool) -> Result<(), WriteError> {
    let path = path.as_ref();
    let failed = |error| WriteError::Io { path: path.to_owned(), error };
    let Ok(there) = path.metadata() else { return replace(path, bytes).map_err(failed) };
    if !force {
        return Err(WriteError::Exists { path: path.to_owned() });
    }
    let result = if there.is_file() || there.is_dir() {
        path.canonicalize().and_then(|path| replace(&path, bytes))
    } else {
        OpenOptions::new().write(true).open(path).and_then(|mut device| device.write_all(bytes))
    };
    result.map_err(failed)
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // Programs and threads may write the same file: each has a half of its own.
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}.{}.part", std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed)));
    let beside = path.with_file_name(name);
    let written = File::create_new(&beside)?;
    let result = fill(written, bytes).and_then(|()| std::fs::rename(&beside, path));
    if result.is_err() {
        // Nothing more can be done if the half cannot be removed either; the first error is the one to tell.
        let _ = std::fs::remove_file(&beside);
    }
    result
}

fn fill(mut file: File, bytes: &[u8]) -> std::io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_is_kept_unless_forced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("clip.glb");
        write_file(&file, b"one", false).unwrap();
        let error = write_file(&file, b"two", false).unwrap_err();
        assert!(matches!(error, WriteError::Exists { .. }) && error.to_string().ends_with("clip.glb exists"));
        assert_eq!(std::fs::read(&file).unwrap(), b"one");
        write_file(&file, b"two", true).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"two");
        assert_eq!(count(folder.path()), 1, "nothing is left beside it");
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("no/such/clip.glb");
        let error = write_file(&nowhere, b"", false).unwrap_err();
        assert!(matches!(error, WriteError::Io { .. }) && error.to_string().contains("clip.glb: cannot be"));
        // A folder cannot be replaced by a file: the rename fails after the file was written beside.
        let taken = folder.path().join("taken");
        std::fs::create_dir(&taken).unwrap();
        assert!(matches!(write_file(&taken, b"", true), Err(WriteError::Io { .. })));
        assert_eq!(count(folder.path()), 1, "only the folder is there");
        assert!(write_file("", b"", true).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, b"new", true).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(link.is_symlink());
        let device = folder.path().join("device");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        write_file(&device, b"new", true).unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }
}
