//! What the page is made of, as a number: `build.rs` and `cargo xtask page` compare it to see whether `page/` is up to date.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files and folders under `web/` that the page is made of. What npm and tests put there is no part of it.
pub(crate) const SOURCES: [&str; 6] =
    ["src", "index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json"];

/// The file in `page/` with the number of the sources that it was made of.
pub(crate) const STAMP: &str = "sources";

/// A number that changes with any source: FNV-1a over names and contents, in order of names. Carriage returns do not
/// count, which git may add on some systems.
pub(crate) fn stamp(web: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    for source in SOURCES {
        add_files(&web.join(source), &mut files)?;
    }
    files.sort();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().filter(|byte| **byte != b'\r') {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for file in files {
        let name: Vec<_> =
            file.strip_prefix(web).unwrap_or(&file).iter().map(|part| part.to_string_lossy()).collect();
        add(name.join("/").as_bytes());
        add(&fs::read(&file)?);
    }
    Ok(format!("{hash:016x}\n"))
}

/// A file, or all files below a folder.
pub(crate) fn add_files(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        fs::read_dir(path)?.try_for_each(|entry| add_files(&entry?.path(), files))
    } else {
        files.push(path.to_owned());
        Ok(())
    }
}
