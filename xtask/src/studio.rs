//! `cargo xtask studio`: the studio as its users have it: the program, its server, and the page in Chromium.
//!
//! The tests are scripts in `studio/`, run by Node with playwright; here is what they need: the program, the browser,
//! and a skinned file of our own to drop.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gambol::formats::gltf::samples::{Awkward, quadruped};
use gambol::formats::write_file;
use serde_json::json;

use crate::node;
use crate::shell::{Result, build_gambol, command, root, run as run_command, target};
use crate::site;

/// What the tests import; they are written beside the packages that they need.
const SCRIPTS: &[(&str, &str)] = &[
    ("harness.mjs", include_str!("studio/harness.mjs")),
    ("gltf.mjs", include_str!("studio/gltf.mjs")),
    ("run.mjs", include_str!("studio/run.mjs")),
    ("first.mjs", include_str!("studio/first.mjs")),
    ("way.mjs", include_str!("studio/way.mjs")),
    ("files.mjs", include_str!("studio/files.mjs")),
    ("sets.mjs", include_str!("studio/sets.mjs")),
    ("keeping.mjs", include_str!("studio/keeping.mjs")),
    ("palette.mjs", include_str!("studio/palette.mjs")),
    ("forest.mjs", include_str!("studio/forest.mjs")),
    ("physics.mjs", include_str!("studio/physics.mjs")),
    ("controller.mjs", include_str!("studio/controller.mjs")),
    ("keyboard.mjs", include_str!("studio/keyboard.mjs")),
    ("looks.mjs", include_str!("studio/looks.mjs")),
    ("rigs.mjs", include_str!("studio/rigs.mjs")),
    ("site.mjs", include_str!("studio/site.mjs")),
    ("last.mjs", include_str!("studio/last.mjs")),
    ("pictures.mjs", include_str!("studio/pictures.mjs")),
    ("bench.mjs", include_str!("studio/bench.mjs")),
];

/// Names under which systems have it.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// What the tests are about: two halves that take about as long, so that they can go side by side.
const THEMES: [&[&str]; 2] = [
    &["way", "files", "sets", "keeping", "palette", "forest"],
    &["physics", "controller", "keyboard", "looks"],
];

/// What the page is served by.
enum Host {
    /// `gambol studio`.
    Program(PathBuf),
    /// A site of files, with its engine in the page.
    Site(PathBuf),
}

/// What shows it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Browser {
    /// The one that all tests are written for.
    Chromium,
    /// Over WebDriver BiDi.
    Firefox,
}

/// All tests, or those with one of the words in their sentence; of the program, or of the site of files.
pub(crate) fn run(only: &[String], files: bool, browser: Browser) -> Result<()> {
    let host = if files { Host::Site(site::for_tests()?) } else { Host::Program(build_gambol("debug")?) };
    let themes = [&THEMES.concat()[..], &["site"]].concat();
    drive("run.mjs", &host, browser, &target().join("studio"), &themes, only)
}

/// One half of the tests.
pub(crate) fn half(which: usize) -> Result<()> {
    let host = Host::Program(build_gambol("debug")?);
    let out = target().join(format!("studio-{which}"));
    drive("run.mjs", &host, Browser::Chromium, &out, THEMES[which], &[])
}

/// Of the site of files: the way of the first minute, and what it alone has. All others are as well tried with the program.
pub(crate) fn of_files() -> Result<()> {
    let host = Host::Site(site::for_tests()?);
    drive("run.mjs", &host, Browser::Chromium, &target().join("studio-site"), &["way", "site"], &[])
}

/// Every rig of a folder through the page of the site: a table, and a sheet of what is seen.
pub(crate) fn rigs(folder: &Path) -> Result<()> {
    let host = Host::Site(site::for_tests()?);
    let folder = std::path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let words = [folder.to_string_lossy().into_owned()];
    drive("rigs.mjs", &host, Browser::Chromium, &target().join("studio"), &[], &words)
}

/// Screenshots of the docs, in `docs/studio`.
pub(crate) fn pictures() -> Result<()> {
    let program = Host::Program(build_gambol("release")?);
    drive("pictures.mjs", &program, Browser::Chromium, &root().join("docs/studio"), &[], &[])
}

/// Times, weight and frames of the studio, as tables.
pub(crate) fn bench() -> Result<()> {
    let program = Host::Program(build_gambol("release")?);
    drive("bench.mjs", &program, Browser::Chromium, &target().join("studio"), &[], &[])
}

/// Runs one of the scripts, which leaves what it has to show in `out`.
fn drive(
    script: &str,
    host: &Host,
    browser: Browser,
    out: &Path,
    themes: &[&str],
    only: &[String],
) -> Result<()> {
    let chromium = (browser == Browser::Chromium).then(chromium).transpose()?;
    let firefox = (browser == Browser::Firefox).then(firefox).transpose()?;
    let (program, site) = match host {
        Host::Program(program) => (Some(program), None),
        Host::Site(site) => (None, Some(site)),
    };
    // Beside other runs, each has its own.
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let folder = node::scripts(&name, SCRIPTS)?;
    let beast = folder.join("beast.glb");
    // As an artist's file is: in centimetres, z up, with helpers, two skins and clips of its own.
    let awkward =
        Awkward { scale: 0.01, turned: true, helpers: true, two_skins: true, clips: true, ..Awkward::PLAIN };
    write_file(&beast, &quadruped(&awkward), true).map_err(|error| error.to_string())?;
    let walker = root().join("crates/gambol-studio/tests/walker.xml");
    let config = json!({
        "program": program,
        "site": site,
        "chromium": chromium,
        "firefox": firefox,
        "out": out,
        "samples": { "quadruped": beast, "walker": walker },
        "themes": themes,
        "only": only,
    });
    let file = folder.join("config.json");
    std::fs::write(&file, config.to_string()).map_err(|error| format!("{}: {error}", file.display()))?;
    // Without a screen Firefox has no WebGL: it gets one that nobody sees.
    let screen = browser == Browser::Firefox && std::env::var_os("DISPLAY").is_none();
    let mut node =
        if screen { command("xvfb-run", &["--auto-servernum", "node"]) } else { command("node", &[]) };
    run_command(node.arg(folder.join(script)).arg(file))
}

/// The browser: `$CHROME`, or one on the path.
pub(crate) fn chromium() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("CHROME") {
        return Ok(named.into());
    }
    found(&BROWSERS).ok_or_else(|| {
        "no Chromium found; on Debian: apt-get install chromium; or set CHROME to the program".to_owned()
    })
}

fn firefox() -> Result<PathBuf> {
    found(&["firefox-esr", "firefox"])
        .ok_or_else(|| "no Firefox found; on Debian: apt-get install firefox-esr".to_owned())
}

/// A program on the path.
fn found(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = names.iter().flat_map(|name| std::env::split_paths(&path).map(move |at| at.join(name)));
    places.into_iter().find(|file| file.is_file())
}
