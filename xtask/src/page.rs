//! `cargo xtask page`: the studio's page, from `web/` into `page/`, where the program takes it from.

use std::path::{Path, PathBuf};

use crate::shell::{Result, command, output, root, run as run_command, target};

#[path = "../../crates/gambol-studio/page_sources.rs"]
mod page_sources;

/// The oldest Node that Vite runs on.
const NODE: u32 = 20;

/// Makes the page anew.
pub(crate) fn run() -> Result<()> {
    build(&page())?;
    let stamp = page_sources::stamp(&web()).map_err(|error| error.to_string())?;
    std::fs::write(page().join(page_sources::STAMP), stamp).map_err(|error| error.to_string())
}

/// Fails unless `page/` is what `web/` makes, file by file.
pub(crate) fn check() -> Result<()> {
    let fresh = target().join("page");
    build(&fresh)?;
    let stamp = page_sources::stamp(&web()).map_err(|error| error.to_string())?;
    std::fs::write(fresh.join(page_sources::STAMP), stamp).map_err(|error| error.to_string())?;
    if contents(&page())? == contents(&fresh)? {
        Ok(())
    } else {
        Err("the studio's page is not what its sources make: run `cargo xtask page`, and keep what it changes".into())
    }
}

/// Types and unit tests of the page.
pub(crate) fn test() -> Result<()> {
    install()?;
    for script in ["check", "test"] {
        run_command(command(npm(), &["run", "--silent", script]).current_dir(web()))?;
    }
    Ok(())
}

pub(crate) fn web() -> PathBuf {
    root().join("crates/gambol-studio/web")
}

fn page() -> PathBuf {
    root().join("crates/gambol-studio/page")
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// The page, of its sources as they are now, into a folder.
pub(crate) fn build(out: &Path) -> Result<()> {
    install()?;
    let mut vite =
        command("node", &["node_modules/vite/bin/vite.js", "build", "--emptyOutDir", "--logLevel", "warn"]);
    run_command(vite.arg("--outDir").arg(out).current_dir(web()))
}

/// What the lock file lists, unless it is there.
pub(crate) fn install() -> Result<()> {
    check_node()?;
    let time = |path: &str| web().join(path).metadata().and_then(|there| there.modified()).ok();
    let (installed, wanted) = (time("node_modules/.package-lock.json"), time("package-lock.json"));
    if installed.is_some() && installed >= wanted {
        return Ok(());
    }
    // As the lock file says, and leaves that as it is. `npm ci` would refuse a lock file that lacks the parts of some
    // other system, which npm leaves out where they cannot be had.
    let arguments = [
        "install",
        "--no-save",
        "--ignore-scripts",
        "--prefer-offline",
        "--no-audit",
        "--no-fund",
        "--silent",
    ];
    run_command(command(npm(), &arguments).current_dir(web()))
}

fn check_node() -> Result<()> {
    let version = output(&mut command("node", &["--version"])).unwrap_or_default();
    let major =
        version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major >= NODE => Ok(()),
        Some(_) => Err(format!("Node {} is too old for the studio's page; it needs {NODE}", version.trim())),
        None => Err(format!(
            "the studio's page is made with Node {NODE} or newer and npm; on Debian: nodejs, npm"
        )),
    }
}

/// Names and contents of all files, in order.
fn contents(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut files = Vec::new();
    page_sources::add_files(folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    files.sort();
    let read = |file: PathBuf| {
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok((file.strip_prefix(folder).unwrap_or(&file).to_owned(), bytes))
    };
    files.into_iter().map(read).collect()
}
