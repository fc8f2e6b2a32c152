//! `cargo xtask blender`: the extension for Blender, packed and tried as its users do. The zip is installed by Blender's own installer into a
//! folder of its own, and tests press its buttons, without a screen, in the oldest Blender that it says it runs in and in the newest.
//!
//! In the test command the wheel in it has the module that cargo has built with the workspace anyway. With `--zip` it is the one that goes to
//! users, made by maturin.

use std::path::{Path, PathBuf};

use crate::blender::{Blender, WHEELS};
use crate::shell::{Result, command, output, root, run as run_command, target};
use crate::{docs, python};

/// The largest zip of one platform, MB.
const MOST_MB: f64 = 4.0;
/// What its tests need beside Blender.
const TESTS: &str = "pytest==9.2.0";

/// The zip with the optimised wheel for this machine.
pub(crate) fn zip() -> Result<()> {
    let wheel = python::make_wheel(python::SMALL)?;
    let zip = pack(&wheel)?;
    python::weigh(&zip, MOST_MB)
}

/// In the test command: what Blender is not here for is told, and passes.
pub(crate) fn run_if_possible() -> Result<()> {
    check(false)
}

/// Tests of the extension in every Blender that can be had; one at least, if asked for by name.
pub(crate) fn run() -> Result<()> {
    check(true)
}

fn check(is_asked_for: bool) -> Result<()> {
    let mut found: Vec<(Blender, PathBuf)> = Vec::new();
    for wheel in WHEELS {
        match wheel.python() {
            Ok(python) => found.push((wheel, python)),
            Err(reason) => println!("Blender {} is left out: {reason}", wheel.name),
        }
    }
    if found.is_empty() {
        return if is_asked_for { Err("there is no Blender to try it in".to_owned()) } else { Ok(()) };
    }
    let zip = pack(&python::dev_wheel()?)?;
    for (blender, python) in &found {
        println!("== {}", blender.packages[0]);
        let tests = installed(blender, python, &zip)?;
        run_command(&mut pytest(blender, python, &tests))?;
    }
    Ok(())
}

/// The table and the pictures of docs/blender.md, of the characters in a folder, with the optimised zip.
pub(crate) fn write_docs(characters: &Path) -> Result<()> {
    let zip = pack(&python::make_wheel(python::SMALL)?)?;
    let blender = WHEELS[0];
    let python = blender.python()?;
    installed(&blender, &python, &zip)?;
    let characters = std::path::absolute(characters).map_err(|error| error.to_string())?;
    let mut show = blender_command(&blender, &python, &["blender/tests/show.py"]);
    docs::put_table(
        "docs/blender.md",
        "characters",
        &rows(show.arg(characters).arg(root().join("docs/blender")))?,
    )?;
    let mut rigs = blender_command(&blender, &python, &["blender/tests/show.py", "--rigify"]);
    docs::put_table("docs/blender.md", "rigify", &rows(&mut rigs)?)
}

/// The table among what a command says; Blender talks as well.
fn rows(command: &mut std::process::Command) -> Result<String> {
    let told = output(command)?;
    let lines: Vec<&str> = told.lines().filter(|line| line.starts_with('|')).collect();
    Ok(lines.join("\n") + "\n")
}

/// The extension as Blender takes it, with one wheel in it.
fn pack(wheel: &Path) -> Result<PathBuf> {
    let maker = python::maker()?;
    let said = output(
        command(maker, &["xtask/peers/extension.py"])
            .arg(root().join("blender"))
            .arg(wheel)
            .arg(target().join("extension")),
    )?;
    Ok(PathBuf::from(said.trim()))
}

/// Installs the zip as users do, where nothing else is.
fn installed(blender: &Blender, python: &Path, zip: &Path) -> Result<PathBuf> {
    let user = user_folder(blender);
    let _ = std::fs::remove_dir_all(&user); // that of the last time
    std::fs::create_dir_all(&user).map_err(|error| format!("{}: {error}", user.display()))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", TESTS];
    run_command(&mut command(python, &pip))?;
    run_command(blender_command(blender, python, &["blender/tests/install.py"]).arg(zip))?;
    Ok(root().join("blender/tests"))
}

fn pytest(blender: &Blender, python: &Path, tests: &Path) -> std::process::Command {
    let mut pytest = blender_command(blender, python, &["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    pytest.arg(tests);
    pytest
}

/// Python with Blender in it, whose user has nothing but the extension.
fn blender_command(blender: &Blender, python: &Path, arguments: &[&str]) -> std::process::Command {
    let mut one = command(python, arguments);
    one.env("BLENDER_USER_RESOURCES", user_folder(blender)).env("PYTHONDONTWRITEBYTECODE", "1");
    one
}

fn user_folder(blender: &Blender) -> PathBuf {
    target().join("blender").join(format!("{}-user", blender.name))
}
