//! Running other programs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What went wrong, in words.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// Where everything built or downloaded goes.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The cargo that runs this.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}

/// A command in the project's root.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// The program `gambol`, with the studio's page in it.
pub(crate) fn build_gambol(profile: &str) -> Result<PathBuf> {
    // Of the workspace and not of one package: so the tests have built it already.
    let mut build = command(cargo(), &["build", "--quiet", "--workspace", "--bin", "gambol"]);
    if profile == "release" {
        build.arg("--release");
    }
    run(&mut build)?;
    Ok(target().join(profile).join(format!("gambol{}", std::env::consts::EXE_SUFFIX)))
}

/// Runs a command and shows what it prints; an exit status other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", line(command));
    let status = command.status().map_err(|error| format!("{}: {error}", line(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", line(command))) }
}

/// Runs a command and returns what it printed on stdout.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("{}: {error}", line(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}\n{said}", line(command), output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{}: output is not UTF-8", line(command)))
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
