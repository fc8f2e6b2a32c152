//! Files out: never half there, never over another one by accident.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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

/// Writes `bytes` to the file `path`; see [`write_files`].
pub fn write_file(path: impl AsRef<Path>, bytes: &[u8], force: bool) -> Result<(), WriteError> {
    write_files(&[(path, bytes)], force)
}

/// Writes files, all or none, and none by half: they are written beside their places, brought to the disk, and renamed
/// when all are there. What is there already is kept unless `force`. A link stays a link to the file that it names; a
/// device or a pipe, which cannot be replaced, is written to.
pub fn write_files<P: AsRef<Path>, B: AsRef<[u8]>>(files: &[(P, B)], force: bool) -> Result<(), WriteError> {
    for path in files.iter().map(|(path, _)| path.as_ref()) {
        if !force && path.exists() {
            return Err(WriteError::Exists { path: path.to_owned() });
        }
    }
    let mut halves = Vec::new();
    let result = write_halves(files, &mut halves).and_then(|()| {
        let named = files.iter().map(|(path, bytes)| (path.as_ref(), bytes.as_ref()));
        named.zip(&halves).try_for_each(|((path, bytes), half)| {
            half.finish(bytes).map_err(|error| WriteError::Io { path: path.to_owned(), error })
        })
    });
    if result.is_err() {
        // Nothing more can be done if a half cannot be removed either; the first error is the one to tell.
        halves.iter().for_each(Half::remove);
    }
    result
}

/// What is written before its time.
enum Half {
    /// Beside the file that it will become.
    Beside { half: PathBuf, whole: PathBuf },
    /// Nothing: a device.
    Device(PathBuf),
}

fn write_halves<P: AsRef<Path>, B: AsRef<[u8]>>(
    files: &[(P, B)],
    halves: &mut Vec<Half>,
) -> Result<(), WriteError> {
    for (path, bytes) in files {
        let path = path.as_ref();
        let failed = |error| WriteError::Io { path: path.to_owned(), error };
        let whole = match path.metadata() {
            Ok(there) if there.is_file() => path.canonicalize().map_err(failed)?,
            Ok(there) if there.is_dir() => return Err(failed(std::io::ErrorKind::IsADirectory.into())),
            Ok(_) => {
                halves.push(Half::Device(path.to_owned()));
                continue;
            }
            Err(_) => path.to_owned(),
        };
        let half = beside(&whole);
        let file = File::create_new(&half).map_err(failed)?;
        halves.push(Half::Beside { half, whole });
        fill(file, bytes.as_ref()).map_err(failed)?;
    }
    Ok(())
}

/// Programs and threads may write the same file: each has a half of its own.
fn beside(path: &Path) -> PathBuf {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}.{}.part", std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed)));
    path.with_file_name(name)
}

fn fill(mut file: File, bytes: &[u8]) -> std::io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

impl Half {
    fn finish(&self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Beside { half, whole } => std::fs::rename(half, whole),
            Self::Device(path) => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        }
    }

    fn remove(&self) {
        if let Self::Beside { half, .. } = self {
            let _ = std::fs::remove_file(half);
        }
    }
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
        // A folder cannot be replaced by a file.
        let taken = folder.path().join("taken");
        std::fs::create_dir(&taken).unwrap();
        let other = folder.path().join("other");
        assert!(matches!(write_files(&[(&other, b""), (&taken, b"")], true), Err(WriteError::Io { .. })));
        assert_eq!(count(folder.path()), 1, "only the folder is there");
        assert!(write_file("", b"", true).is_err());
    }

    /// The second of two files cannot be written: the first is not there either, and an old one stays as it was.
    #[test]
    fn all_files_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new, nowhere] = ["old", "new", "no/such/file"].map(|name| folder.path().join(name));
        std::fs::write(&old, "old").unwrap();
        assert!(write_files(&[(&old, "1"), (&new, "2"), (&nowhere, "3")], true).is_err());
        assert!(matches!(write_files(&[(&new, "2"), (&old, "1")], false), Err(WriteError::Exists { .. })));
        assert_eq!((std::fs::read(&old).unwrap(), count(folder.path())), (b"old".to_vec(), 1));
        write_files(&[(&old, "1"), (&new, "2")], true).unwrap();
        assert_eq!((std::fs::read(&old).unwrap(), std::fs::read(&new).unwrap()), (vec![b'1'], vec![b'2']));
        assert_eq!(count(folder.path()), 2);
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
