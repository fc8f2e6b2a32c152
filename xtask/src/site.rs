//! `cargo xtask site -o DIR`: the studio as files that any server of files can serve, from any folder.
//!
//! ```text
//! index.html                   the page, which says where its engine is
//! engine/gambol-….wasm.bin     the engine, packed by gzip: no server needs to know what it is
//! assets/                      page and worker
//! sw.js, manifest.webmanifest  for use without a network
//! README.html, docs/*.html     the docs
//! ```

use std::path::{Path, PathBuf};

use crate::shell::{Result, command, root, run as run_command, target};
use crate::{node, page, wasm};

/// A folder with this file in it is a site, and may be replaced by another.
const MARK: &str = "manifest.webmanifest";

/// Makes the site anew in a folder: all of it or nothing.
pub(crate) fn run(output: &Path) -> Result<()> {
    // As whoever asks sees it, not as from the project's root.
    let output = std::path::absolute(output).map_err(|error| told(output, &error))?;
    check(&output)?;
    let half = half_of(&output)?;
    remove(&half)?;
    let made = make(&half).and_then(|()| {
        remove(&output)?;
        std::fs::rename(&half, &output).map_err(|error| told(&output, &error))
    });
    if made.is_err() {
        remove(&half)?;
    }
    made?;
    println!("the site is in {0}; to look at it: python3 -m http.server -d {0}", output.display());
    Ok(())
}

/// The site for the tests, under `target`.
pub(crate) fn for_tests() -> Result<PathBuf> {
    let site = target().join("site");
    run(&site)?;
    Ok(site)
}

fn make(site: &Path) -> Result<()> {
    let module = wasm::build()?;
    page::build(site)?;
    let scripts = [
        ("site.mjs", include_str!("site/site.mjs")),
        ("sw.js", include_str!("site/sw.js")),
        ("docs.css", include_str!("site/docs.css")),
    ];
    let folder = node::scripts("site", &scripts)?;
    let mut script = command("node", &[]);
    run_command(script.arg(folder.join("site.mjs")).arg(root()).arg(module).arg(site))
}

/// Nothing of somebody else's is replaced.
fn check(output: &Path) -> Result<()> {
    let Ok(mut inside) = std::fs::read_dir(output) else {
        return if output.exists() { Err(format!("{} is a file", output.display())) } else { Ok(()) };
    };
    if inside.next().is_none() || output.join(MARK).is_file() {
        return Ok(());
    }
    Err(format!("{} holds other files than a site's; name a folder that is new or empty", output.display()))
}

/// Beside it, so that it is moved and not copied.
fn half_of(output: &Path) -> Result<PathBuf> {
    let name = output.file_name().ok_or_else(|| format!("{} is no name for a folder", output.display()))?;
    Ok(output.with_file_name(format!(".{}.part", name.to_string_lossy())))
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(told(folder, &error)),
        _ => Ok(()),
    }
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of somebody else's stays; an empty one and a site may be used.
    #[test]
    fn only_sites_are_replaced() {
        let folder = std::env::temp_dir().join(format!("gambol-site-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        check(&folder).unwrap();
        check(&folder.join("new")).unwrap();
        std::fs::write(folder.join("thesis.txt"), "").unwrap();
        assert!(check(&folder).unwrap_err().contains("other files"));
        assert!(check(&folder.join("thesis.txt")).unwrap_err().contains("is a file"));
        std::fs::write(folder.join(MARK), "{}").unwrap();
        check(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
