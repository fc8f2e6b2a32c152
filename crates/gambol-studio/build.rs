//! Builds the page under `web/` with Vite and makes a table of its files, which `src/server/page.rs` includes.
//!
//! Without Node the table is empty and a warning says so: everything but the page still builds.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set to skip the page, for a quick build without one.
const SKIP: &str = "GAMBOL_STUDIO_NO_PAGE";
/// The oldest Node that Vite runs on.
const NODE: u32 = 20;
/// What the page is made of. Not all of `web/`: what npm and tests put there is no reason to build it again.
const SOURCES: [&str; 6] =
    ["src", "index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json"];
/// Lines of a failed tool that are told: the last ones say why.
const TOLD: usize = 12;

fn main() {
    let web = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("web");
    let out = PathBuf::from(env("OUT_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={SKIP}");
    for source in SOURCES {
        println!("cargo::rerun-if-changed=web/{source}");
    }
    let page = out.join("web");
    let files = match build(&web, &page).and_then(|()| files_in(&page)) {
        Ok(files) => files,
        Err(reason) => {
            for line in reason.lines() {
                println!("cargo::warning={line}");
            }
            // Try again at the next build, when Node may be there: a file that is missing counts as changed.
            println!("cargo::rerun-if-changed={}", out.join("no-page").display());
            Vec::new()
        }
    };
    let table: String = files.iter().map(|file| row(&page, file)).collect();
    fs::write(out.join("page.rs"), format!("&[\n{table}]\n")).expect("cargo's own folder can be written to");
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// Builds the page into the folder `page`.
fn build(web: &Path, page: &Path) -> Result<(), String> {
    if std::env::var_os(SKIP).is_some_and(|value| !value.is_empty()) {
        return Err(format!("gambol studio has no page: {SKIP} is set"));
    }
    check_node()?;
    // Builds of several targets at once share `node_modules`. Any file serves as a lock; this one no tool reads.
    let lock = File::open(web.join(".gitignore")).and_then(|file| file.lock().map(|()| file));
    if !is_installed(web) {
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        // As the lock file says, and leaves that as it is. `npm ci` would refuse a lock file that lacks the parts of
        // some other system, which npm leaves out where they cannot be had.
        let arguments =
            ["install", "--no-save", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
        run(Command::new(npm).args(arguments).current_dir(web), "npm install")?;
    }
    let vite = Path::new("node_modules").join("vite").join("bin").join("vite.js");
    let mut command = Command::new("node");
    command.arg(vite).args(["build", "--emptyOutDir", "--logLevel", "warn", "--outDir"]).arg(page);
    run(command.current_dir(web), "vite build")?;
    drop(lock);
    Ok(())
}

fn check_node() -> Result<(), String> {
    let install = format!("install Node {NODE} or newer with npm, and build again");
    let said = Command::new("node").arg("--version").output();
    let said = said.map_err(|_| {
        format!("gambol studio has no page: it is built with Node, which is not here; {install}")
    })?;
    let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_some_and(|major| major >= NODE) {
        Ok(())
    } else {
        Err(format!("gambol studio has no page: Node {version} is too old for it; {install}"))
    }
}

/// Whether npm installed what the lock file lists, or later.
fn is_installed(web: &Path) -> bool {
    let time = |path: &str| web.join(path).metadata().and_then(|there| there.modified()).ok();
    match (time("node_modules/.package-lock.json"), time("package-lock.json")) {
        (Some(installed), Some(wanted)) => installed >= wanted,
        _ => false,
    }
}

fn run(command: &mut Command, name: &str) -> Result<(), String> {
    let failed = |why: &str| format!("gambol studio has no page: `{name}` failed\n{why}");
    let output = command.output().map_err(|error| failed(&error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(failed(&lines[lines.len().saturating_sub(TOLD)..].join("\n")))
}

/// All files of the page, in order.
fn files_in(page: &Path) -> Result<Vec<PathBuf>, String> {
    fn add(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { add(&path, files)? } else { files.push(path) }
        }
        Ok(())
    }
    let mut files = Vec::new();
    add(page, &mut files).map_err(|error| format!("gambol studio has no page: {error}"))?;
    files.sort();
    Ok(files)
}

/// One row of the table: path in the URL, type, content.
fn row(page: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(page).expect("it was found there");
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    let kind = match file.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/vnd.microsoft.icon",
        Some("wasm") => "application/wasm",
        Some("json" | "webmanifest") => "application/json",
        _ => "application/octet-stream",
    };
    let (path, file) = (parts.join("/"), file.to_string_lossy());
    format!("    ({path:?}, {kind:?}, include_bytes!({file:?}) as &[u8]),\n")
}
