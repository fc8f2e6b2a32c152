//! What is kept, in a folder of this user.
//!
//! ```text
//! studio/
//!   token                   of the address
//!   bundles/<bundle>/…      files that were dropped on the page
//!   bundles/<bundle>.link   the path of a creature that stays where it is: what `gambol studio fox.glb` was given
//!   work/<tab>.json         what the user made in each tab
//!   gaits/<name>.toml       gaits that links open
//! ```
//!
//! Names come from the page. Each is checked as text before it becomes a path, and each path as what it really leads to,
//! so that not even a link in this folder leads out of it. Everything is written whole or not at all.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use gambol::formats::files::Folder;
use gambol::formats::{Files, FormatError, write_file};
use serde_json::Value;

use super::Token;
use crate::engine::shelf::{bundle_id, ending, free_name, safe_gait_name, safe_id, safe_name};
use crate::protocol::{MOST_BYTES, Shared, Source};
use crate::{Shelf, Trouble};

const BUNDLES: &str = "bundles";
const WORK: &str = "work";
const GAITS: &str = "gaits";

/// Most of all bundles together, bytes; those that were not used for the longest time go first.
const MOST_OF_ALL: u64 = 2 << 30;
/// Most tabs whose work is kept; those that were not changed for the longest time go first.
const MOST_WORKS: usize = 500;
/// Largest work with all its undo, bytes.
const MOST_WORK: usize = 16 << 20;
/// Largest shared gait, bytes, and how many there can be. None of them goes by itself: the user named it.
const MOST_GAIT: usize = 1 << 20;
const MOST_GAITS: usize = 2000;
/// How long a half-written bundle is left alone: another studio may be at it.
const OLD_HALF: Duration = Duration::from_secs(3600);

/// Files that a creature left in its place may be made of. Its folder may be the user's home: nothing else there is read.
const OF_CREATURES: [&str; 24] = [
    "amc", "asf", "bin", "bvh", "dae", "drf", "glb", "gltf", "hdr", "jpeg", "jpg", "ktx2", "msh", "mtg",
    "mtl", "obj", "png", "skn", "stl", "tga", "toml", "urdf", "webp", "xml",
];

/// A shelf on disk. Copies share the folder, and may be used by several threads.
#[derive(Clone)]
pub struct DiskShelf {
    /// Real path, without links.
    root: PathBuf,
    /// One at a time changes which files there are.
    changing: Arc<Mutex<()>>,
    most_of_all: u64,
    most_works: usize,
}

impl DiskShelf {
    /// Opens a folder, or makes it, for this user alone.
    pub fn open(folder: &Path) -> io::Result<Self> {
        make_folder(folder)?;
        let root = folder.canonicalize()?;
        for name in [BUNDLES, WORK, GAITS] {
            make_folder(&root.join(name))?;
        }
        remove_halves(&root.join(BUNDLES));
        Ok(Self { root, changing: Arc::default(), most_of_all: MOST_OF_ALL, most_works: MOST_WORKS })
    }

    /// The same folder with room for so many bytes in bundles, and so many works.
    pub fn with_room(self, most_of_all: u64, most_works: usize) -> Self {
        Self { most_of_all, most_works, ..self }
    }

    /// The token that is kept here.
    pub fn token(&self) -> io::Result<Token> {
        Token::kept_in(&self.root.join("token"))
    }

    /// A creature's file as a bundle that stays where it is, with all that lies beside it.
    pub fn link(&self, file: &Path) -> Result<Source, Trouble> {
        let told = |error: &dyn ToString| Trouble(format!("{}: {}", file.display(), error.to_string()));
        let real = file.canonicalize().map_err(|error| told(&error))?;
        let text = real.to_str().ok_or_else(|| told(&"its path is not Unicode; move it"))?;
        let name =
            real.file_name().and_then(|name| name.to_str()).ok_or_else(|| told(&"it is not a file"))?;
        safe_name(name)?;
        let bundle = bundle_id(&[("link".to_owned(), text.as_bytes())]);
        let link = self.place(BUNDLES, &format!("{bundle}.link"))?;
        write_file(link, text.as_bytes(), true).map_err(|error| Trouble(error.to_string()))?;
        Ok(Source::File { bundle, name: name.to_owned() })
    }

    /// One of our folders, which is where it says.
    fn folder(&self, name: &str) -> Result<PathBuf, Trouble> {
        let folder = self.root.join(name);
        if folder.canonicalize().is_ok_and(|real| real == folder) {
            Ok(folder)
        } else {
            Err(leads_out(&folder))
        }
    }

    /// The path of an entry of one of our folders; `name` is a checked one. A link there is none of ours.
    fn place(&self, folder: &str, name: &str) -> Result<PathBuf, Trouble> {
        let path = self.folder(folder)?.join(name);
        if path.is_symlink() { Err(leads_out(&path)) } else { Ok(path) }
    }

    fn bundle(&self, bundle: &str) -> Result<Bundle, Trouble> {
        safe_id(bundle)?;
        let folder = self.place(BUNDLES, bundle)?;
        if folder.is_dir() {
            touch(&folder);
            return Ok(Bundle::Kept(folder));
        }
        let link = self.place(BUNDLES, &format!("{bundle}.link"))?;
        let file = read_text(&link, MOST_WORK)?.map(PathBuf::from).ok_or_else(gone)?;
        let main = file.file_name().and_then(|name| name.to_str()).ok_or_else(gone)?.to_owned();
        let beside = file.parent().ok_or_else(gone)?;
        let folder = Folder::new(beside, None).map_err(|error| Trouble(error.to_string()))?;
        Ok(Bundle::Linked { folder, main })
    }

    fn change(&self) -> MutexGuard<'_, ()> {
        // Files are whole even if a thread ended in the middle of it.
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes what was not used for the longest time until there is room: first what no work speaks of. `newest` stays.
    fn make_room(&self, newest: &str) -> io::Result<()> {
        let mut bundles = Vec::new();
        for entry in fs::read_dir(self.root.join(BUNDLES))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                let name = entry.file_name().to_string_lossy().into_owned();
                bundles.push((name, entry.metadata()?.modified()?, size_of(&entry.path())?));
            }
        }
        let mut total: u64 = bundles.iter().map(|(.., size)| size).sum();
        if total <= self.most_of_all {
            return Ok(());
        }
        let works = self.works()?;
        let is_used = |name: &str| {
            works.iter().any(|(path, _)| fs::read_to_string(path).is_ok_and(|work| work.contains(name)))
        };
        let mut oldest: Vec<_> = bundles.into_iter().filter(|(name, ..)| name != newest).collect();
        oldest.sort_by_cached_key(|(name, used, _)| (is_used(name), *used));
        for (name, _, size) in oldest {
            if total <= self.most_of_all {
                break;
            }
            fs::remove_dir_all(self.root.join(BUNDLES).join(&name))?;
            total -= size;
        }
        Ok(())
    }

    /// Works and when they were last written.
    fn works(&self) -> io::Result<Vec<(PathBuf, SystemTime)>> {
        let mut works = Vec::new();
        for entry in fs::read_dir(self.root.join(WORK))? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_file() {
                works.push((entry.path(), metadata.modified()?));
            }
        }
        Ok(works)
    }

    fn forget_oldest_works(&self) -> io::Result<()> {
        let mut works = self.works()?;
        works.sort_by_key(|(_, written)| *written);
        let too_many = works.len().saturating_sub(self.most_works);
        works[..too_many].iter().try_for_each(|(path, _)| fs::remove_file(path))
    }
}

impl Shelf for DiskShelf {
    fn keep(&mut self, files: &[(String, &[u8])]) -> Result<String, Trouble> {
        if files.iter().map(|(_, content)| content.len()).sum::<usize>() > MOST_BYTES {
            return Err(Trouble(format!("the files are larger than {} MiB together", MOST_BYTES >> 20)));
        }
        files.iter().try_for_each(|(name, _)| safe_name(name))?;
        let bundle = bundle_id(files);
        let _change = self.change();
        let folder = self.place(BUNDLES, &bundle)?;
        if !holds(&folder, files) {
            let half = self.place(BUNDLES, &format!(".{bundle}.{}.part", std::process::id()))?;
            let written = write_bundle(&half, &folder, files).and_then(|()| self.make_room(&bundle));
            let _ = fs::remove_dir_all(&half); // there only if something failed
            written.map_err(|error| cannot_keep(&error))?;
        }
        touch(&folder);
        Ok(bundle)
    }

    fn file(&self, bundle: &str, name: &str) -> Result<Vec<u8>, Trouble> {
        safe_name(name)?;
        self.bundle(bundle)?.read(name).map_err(|error| Trouble(error.to_string()))
    }

    fn files(&self, bundle: &str) -> Result<Box<dyn Files>, Trouble> {
        Ok(Box::new(self.bundle(bundle)?))
    }

    fn save(&mut self, tab: &str, work: &Value) -> Result<(), Trouble> {
        safe_id(tab)?;
        let text = work.to_string();
        if text.len() > MOST_WORK {
            return Err(Trouble(format!("the work of this tab is larger than {} MiB", MOST_WORK >> 20)));
        }
        let _change = self.change();
        let path = self.place(WORK, &format!("{tab}.json"))?;
        let is_new = !path.exists();
        write_file(&path, text.as_bytes(), true).map_err(|error| Trouble(error.to_string()))?;
        if is_new {
            self.forget_oldest_works().map_err(|error| cannot_keep(&error))?;
        }
        Ok(())
    }

    fn load(&self, tab: &str) -> Result<Option<Value>, Trouble> {
        safe_id(tab)?;
        let Some(text) = read_text(&self.place(WORK, &format!("{tab}.json"))?, MOST_WORK)? else {
            return Ok(None);
        };
        let broken = |error| Trouble(format!("the work of this tab cannot be read: {error}"));
        serde_json::from_str(&text).map(Some).map_err(broken)
    }

    fn share(&mut self, name: &str, text: &str) -> Result<Shared, Trouble> {
        if text.len() > MOST_GAIT {
            return Err(Trouble(format!("the gait is larger than {} MiB", MOST_GAIT >> 20)));
        }
        let _change = self.change();
        let folder = self.folder(GAITS)?;
        let there = fs::read_dir(&folder).map_err(|error| cannot_keep(&error))?.count();
        if there >= MOST_GAITS {
            return Err(Trouble(format!("{} holds {there} gaits; remove some", folder.display())));
        }
        // A link is taken; what cannot be read is told below.
        let found = |name: &str| match self.place(GAITS, &format!("{name}.toml")) {
            Ok(path) => read_text(&path, MOST_GAIT).unwrap_or(None),
            Err(_) => Some(String::new()),
        };
        let name = free_name(name, text, found);
        let path = self.place(GAITS, &format!("{name}.toml"))?;
        if self.read_gait(&name)?.is_none() {
            write_file(&path, text.as_bytes(), false).map_err(|error| Trouble(error.to_string()))?;
        }
        Ok(Shared { name, path: path.display().to_string() })
    }

    fn shared(&self, name: &str) -> Result<String, Trouble> {
        safe_gait_name(name)?;
        let gone = || Trouble(format!("there is no shared gait {name:?} here; ask for the file itself"));
        self.read_gait(name)?.ok_or_else(gone)
    }
}

impl DiskShelf {
    fn read_gait(&self, name: &str) -> Result<Option<String>, Trouble> {
        read_text(&self.place(GAITS, &format!("{name}.toml"))?, MOST_GAIT)
    }
}

/// The files of a creature.
enum Bundle {
    /// In this folder of ours; a real path.
    Kept(PathBuf),
    /// Where the user has them.
    Linked { folder: Folder, main: String },
}

impl Files for Bundle {
    fn read(&self, path: &str) -> Result<Vec<u8>, FormatError> {
        let root = match self {
            Self::Kept(root) => root,
            Self::Linked { folder, main }
                if path == main || OF_CREATURES.contains(&ending(path).as_str()) =>
            {
                return folder.read(path);
            }
            Self::Linked { .. } => {
                return Err(FormatError::new(path, "it is not a file that creatures are made of"));
            }
        };
        let failed = |error: io::Error| FormatError::new(path, format!("cannot open: {error}"));
        let real = root.join(path).canonicalize().map_err(failed)?;
        if !real.starts_with(root) {
            return Err(FormatError::new(
                path,
                "it lies outside of the files that were dropped; drop it with them",
            ));
        }
        match read(&real, MOST_BYTES).map_err(failed)? {
            Some(bytes) => Ok(bytes),
            None => Err(FormatError::new(path, "there is no such file")),
        }
    }

    fn only_one(&self, wanted: &str) -> Option<String> {
        let mut found = self.all(wanted);
        if found.len() == 1 { found.pop() } else { None }
    }

    fn all(&self, wanted: &str) -> Vec<String> {
        let root = match self {
            Self::Kept(root) => root,
            Self::Linked { folder, .. } => return folder.all(wanted),
        };
        let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut found: Vec<String> = names.filter(|name| ending(name).eq_ignore_ascii_case(wanted)).collect();
        found.sort();
        found
    }
}

fn leads_out(path: &Path) -> Trouble {
    Trouble(format!("{} leads out of the studio's folder; remove it", path.display()))
}

fn gone() -> Trouble {
    Trouble("the files of this creature are no longer here; drop them again".to_owned())
}

fn cannot_keep(error: &io::Error) -> Trouble {
    Trouble(format!("the studio's folder cannot be written to: {error}"))
}

/// Only its user can look inside.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// What a studio that was killed left half written.
fn remove_halves(bundles: &Path) {
    for entry in fs::read_dir(bundles).into_iter().flatten().flatten() {
        let is_half = entry.path().extension().is_some_and(|ending| ending == "part");
        let age =
            entry.metadata().and_then(|there| there.modified()).ok().and_then(|time| time.elapsed().ok());
        if is_half && age.is_some_and(|age| age > OLD_HALF) {
            let _ = fs::remove_dir_all(entry.path()); // only untidy
        }
    }
}

/// Files in a folder of their own, which appears when all are in it.
fn write_bundle(half: &Path, whole: &Path, files: &[(String, &[u8])]) -> io::Result<()> {
    let _ = fs::remove_dir_all(half);
    make_folder(half)?;
    for (name, content) in files {
        let path = half.join(name);
        make_folder(path.parent().unwrap_or(half))?;
        fs::write(path, content)?;
    }
    if whole.exists() {
        fs::remove_dir_all(whole)?; // damaged, or it would do
    }
    fs::rename(half, whole)
}

/// Whether a folder holds these files, as they are.
fn holds(folder: &Path, files: &[(String, &[u8])]) -> bool {
    let is_same = |(name, content): &(String, &[u8])| {
        read(&folder.join(name), content.len()).is_ok_and(|there| there.as_deref() == Some(content))
    };
    folder.is_dir() && files.iter().all(is_same)
}

/// Remembers that a bundle was used. Where the system does not let us, its age counts.
fn touch(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.set_modified(SystemTime::now()));
}

fn size_of(folder: &Path) -> io::Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        size += if entry.file_type()?.is_dir() { size_of(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(size)
}

/// A plain file of at most `most` bytes, if there is one.
fn read(path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(io::Error::other("it is too large")) } else { Ok(Some(bytes)) }
}

fn read_text(path: &Path, most: usize) -> Result<Option<String>, Trouble> {
    let told = |error: &dyn ToString| Trouble(format!("{}: {}", path.display(), error.to_string()));
    let bytes = read(path, most).map_err(|error| told(&error))?;
    bytes.map(String::from_utf8).transpose().map_err(|error| told(&error))
}
