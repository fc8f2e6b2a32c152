//! The only place that touches the file system. A creature file may name other files; it may only reach those in its
//! own folder, in the package that the folder is part of, or in one that the user opens with `--assets`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use gambol_model::Hint;

use crate::FormatError;

/// Largest single file, bytes. The meshes of real robots stay below a tenth of this.
pub const MAX_FILE_BYTES: u64 = 256 << 20;
/// Largest sum over all files of one creature, bytes.
pub const MAX_TOTAL_BYTES: u64 = 1 << 30;

/// Where a creature's files come from. Paths use `/` and are relative to the folder of the main file.
pub trait Files {
    /// The whole content of a file.
    fn read(&self, path: &str) -> Result<Vec<u8>, FormatError>;

    /// Name of the only file beside the main one with this ending, if there is one and no other.
    fn only_one(&self, _ending: &str) -> Option<String> {
        None
    }

    /// Names of all files beside the main one with this ending, sorted.
    fn all(&self, _ending: &str) -> Vec<String> {
        Vec::new()
    }
}

/// Whether a file's name ends so.
fn has_ending(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending))
}

/// Bytes read so far, against [`MAX_FILE_BYTES`] and [`MAX_TOTAL_BYTES`].
#[derive(Debug, Default)]
struct Budget {
    spent: Cell<u64>,
}

impl Budget {
    fn spend(&self, path: &str, bytes: u64) -> Result<(), FormatError> {
        let mebibytes = |limit: u64| limit >> 20;
        if bytes > MAX_FILE_BYTES {
            let reason = format!("the file is larger than {} MiB", mebibytes(MAX_FILE_BYTES));
            return Err(FormatError::new(path, reason));
        }
        self.spent.set(self.spent.get().saturating_add(bytes));
        if self.spent.get() > MAX_TOTAL_BYTES {
            let reason = format!("all files together are larger than {} MiB", mebibytes(MAX_TOTAL_BYTES));
            return Err(FormatError::new(path, reason));
        }
        Ok(())
    }
}

/// Files on disk, confined to the folder of the main file, its package, and an optional further folder.
#[derive(Debug)]
pub struct Folder {
    /// Real path (no links) of the main file's folder; relative paths start here.
    base: PathBuf,
    /// Real path of the folder that the user opened besides, if any; a second place to look.
    assets: Option<PathBuf>,
    /// Real paths of the folders that may be read.
    allowed: Vec<PathBuf>,
    budget: Budget,
}

impl Folder {
    /// Opens the folder `base` for reading and, if given, the folder `assets` beside it.
    pub fn new(base: &Path, assets: Option<&Path>) -> Result<Self, FormatError> {
        // The folder of `dog.xml` is the current one, which has the empty path.
        let base = if base.as_os_str().is_empty() { Path::new(".") } else { base };
        let real = |folder: &Path| {
            folder.canonicalize().map_err(|error| {
                FormatError::new(folder.display().to_string(), format!("cannot open: {error}"))
            })
        };
        let base = real(base)?;
        let assets = assets.map(real).transpose()?;
        let allowed = [Some(base.clone()), assets.clone(), package(&base)].into_iter().flatten().collect();
        Ok(Self { base, assets, allowed, budget: Budget::default() })
    }

    /// The real path of `path`: beside the main file or, when it is not there, in the assets folder.
    fn find(&self, path: &str) -> Result<PathBuf, FormatError> {
        let beside = self.base.join(path).canonicalize();
        let found = match (&beside, &self.assets) {
            (Err(_), Some(assets)) => assets.join(path).canonicalize().or(beside),
            _ => beside,
        };
        let found = found.map_err(|error| FormatError::new(path, format!("cannot open: {error}")))?;
        if self.allowed.iter().any(|folder| found.starts_with(folder)) {
            return Ok(found);
        }
        let reason = "it lies outside of the creature's folder";
        Err(FormatError::new(path, reason).with_hint(Hint::OpenFolder))
    }
}

/// The package that `folder` is part of. Robots are published as ROS packages (`package.xml`) with `urdf` and `meshes`
/// side by side, and models in Python packages (`__init__.py`) share assets between folders.
fn package(folder: &Path) -> Option<PathBuf> {
    // As deep as real packages nest their models; a marker farther up belongs to something else.
    const DEEPEST: usize = 5;
    let near = || folder.ancestors().take(DEEPEST);
    if let Some(ros) = near().find(|folder| folder.join("package.xml").is_file()) {
        return Some(ros.to_path_buf());
    }
    let python = |folder: &&Path| folder.join("__init__.py").is_file();
    let innermost = near().find(python)?;
    innermost.ancestors().take_while(python).last().map(Path::to_path_buf)
}

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, FormatError> {
        let failed = |error: std::io::Error| FormatError::new(path, format!("cannot read: {error}"));
        let file = File::open(self.find(path)?).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(FormatError::new(path, "it is not a plain file"));
        }
        self.budget.spend(path, metadata.len())?;
        let mut bytes = Vec::new();
        // One byte more than allowed, to notice a file that grows while it is read.
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > metadata.len() {
            self.budget.spend(path, bytes.len() as u64 - metadata.len())?;
        }
        Ok(bytes)
    }

    fn only_one(&self, ending: &str) -> Option<String> {
        let mut found = self.all(ending);
        if found.len() == 1 { found.pop() } else { None }
    }

    fn all(&self, ending: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.base) else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut found: Vec<String> = names.filter(|name| has_ending(name, ending)).collect();
        found.sort();
        found
    }
}

/// Files held in memory: embedded creatures and tests.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same files and one more.
    #[must_use]
    pub fn with(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), content.into());
        self
    }
}

impl Files for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>, FormatError> {
        let clean = tidy(path);
        self.files.get(clean.as_str()).cloned().ok_or_else(|| FormatError::new(path, "there is no such file"))
    }

    fn only_one(&self, ending: &str) -> Option<String> {
        let mut found = self.all(ending);
        if found.len() == 1 { found.pop() } else { None }
    }

    fn all(&self, ending: &str) -> Vec<String> {
        self.files.keys().filter(|name| has_ending(name, ending)).cloned().collect()
    }
}

/// `a/./b/../c` as `a/c`. A path that leaves its folder keeps its leading `..`.
fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}
