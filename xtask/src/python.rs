//! `cargo xtask python`: the package `gambol` for Python, built and tried.
//!
//! In the test command the module is the one that cargo has built with the workspace anyway, laid beside the package's own Python. With
//! `--wheel` it is the wheel that goes to PyPI, made by maturin and installed by pip into an environment that is new.

use std::path::{Path, PathBuf};

use crate::shell::{Result, build_gambol, cargo, command, output, root, run as run_command, target};

/// What its tests need, in the versions that they were written with.
const TESTS: &[&str] = &["numpy==2.4.6", "pytest==9.2.0", "mypy==2.4.1", "gymnasium==1.4.0"];
/// The largest wheel, MB.
const MOST_MB: f64 = 3.0;
/// The profile for who simulates in Python: stepping has nine tenths of Rust's speed in the small one.
const FAST: &str = "release";
/// The small profile, for who is sent the package and simulates nothing.
pub(crate) const SMALL: &str = "wheel";
/// What makes wheels.
const MATURIN: &str = "maturin>=1.9,<2";

/// The tests of the package, of the module that cargo builds.
pub(crate) fn run() -> Result<()> {
    let python = environment("python", TESTS)?;
    // Of the workspace, whose crates the tests have built already.
    run_command(&mut command(cargo(), &["build", "--quiet", "--workspace", "--lib", "--bins"]))?;
    let package = target().join("python-package");
    lay_out(&package)?;
    check(&python, Some(&package))
}

/// The wheel, as it goes to PyPI, tried where nothing else of the project is.
pub(crate) fn wheel() -> Result<()> {
    let wheel = make_wheel(FAST)?;
    weigh(&wheel, MOST_MB)?;
    check(&with_wheel("python-installed", TESTS, &wheel)?, None)
}

/// A new environment with the optimised wheel in it.
pub(crate) fn installed_wheel() -> Result<PathBuf> {
    with_wheel("python-bench", &TESTS[..1], &make_wheel(FAST)?)
}

/// A new environment with these packages and a wheel.
fn with_wheel(name: &str, packages: &[&str], wheel: &Path) -> Result<PathBuf> {
    let _ = std::fs::remove_dir_all(target().join(name));
    let python = environment(name, packages)?;
    run_command(command(&python, &["-m", "pip", "install", "--quiet", "--no-deps"]).arg(wheel))?;
    Ok(python)
}

/// Says how large a file is, and fails where that is too large to be sent to everybody.
pub(crate) fn weigh(file: &Path, most: f64) -> Result<()> {
    let bytes = std::fs::metadata(file).map_err(|error| format!("{}: {error}", file.display()))?.len();
    let size = bytes as f64 / 1e6;
    println!("{}: {size:.2} MB of at most {most}", file.display());
    if size <= most {
        Ok(())
    } else {
        Err(format!("{}: {size:.2} MB, and at most {most} are wanted", file.display()))
    }
}

/// The optimised wheel for this machine, by a profile of Cargo's.
pub(crate) fn make_wheel(profile: &str) -> Result<PathBuf> {
    let wheels = target().join("wheels");
    let _ = std::fs::remove_dir_all(&wheels); // those of yesterday; the next step tells if they cannot be replaced
    let manifest = source().join("Cargo.toml");
    let mut make = command(maker()?, &["-m", "maturin", "build", "--profile", profile, "--quiet", "--out"]);
    run_command(make.arg(&wheels).arg("--manifest-path").arg(manifest))?;
    let entries = std::fs::read_dir(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    let wheel =
        entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "whl"));
    wheel.ok_or_else(|| "maturin made no wheel".to_owned())
}

/// A wheel of the module that cargo builds with the workspace: for tests.
pub(crate) fn dev_wheel() -> Result<PathBuf> {
    run_command(&mut command(cargo(), &["build", "--quiet", "--workspace", "--lib", "--bins"]))?;
    let package = target().join("python-wheel-package");
    lay_out(&package)?;
    let mut make = command(maker()?, &["xtask/peers/dev_wheel.py"]);
    let said = output(make.arg(&package).arg(env!("CARGO_PKG_VERSION")).arg(target().join("wheels-dev")))?;
    Ok(PathBuf::from(said.trim()))
}

/// A Python that makes wheels.
pub(crate) fn maker() -> Result<PathBuf> {
    environment("python-maker", &[MATURIN])
}

fn source() -> PathBuf {
    root().join("crates/gambol-python")
}

/// pytest, and mypy of stubs, package and tests; `package` is a folder to import from, if nothing is installed.
fn check(python: &Path, package: Option<&Path>) -> Result<()> {
    let program = build_gambol("debug")?;
    let with_package = |arguments: &[&str]| {
        let mut one = command(python, arguments);
        if let Some(package) = package {
            one.env("PYTHONPATH", package).env("MYPYPATH", package);
        }
        one.env("GAMBOL_PROGRAM", &program).env("PYTHONDONTWRITEBYTECODE", "1");
        one
    };
    let tests = source().join("tests");
    // Its settings are those of pyproject.toml, which is found from here.
    run_command(with_package(&["-m", "mypy", "--no-incremental", "-p", "gambol"]).current_dir(source()))?;
    run_command(with_package(&["-m", "mypy", "--no-incremental"]).arg(&tests).current_dir(source()))?;
    let mut pytest = with_package(&["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    run_command(pytest.arg(&tests).current_dir(target()))
}

/// The package's own Python with the module beside it.
fn lay_out(package: &Path) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", package.display());
    let _ = std::fs::remove_dir_all(package);
    let folder = package.join("gambol");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for entry in std::fs::read_dir(source().join("python/gambol")).map_err(failed)?.flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), folder.join(entry.file_name())).map_err(failed)?;
        }
    }
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let module = target().join("debug").join(format!("{prefix}_gambol{suffix}"));
    let named = if cfg!(windows) { "_gambol.pyd" } else { "_gambol.abi3.so" };
    std::fs::copy(&module, folder.join(named)).map_err(|error| format!("{}: {error}", module.display()))?;
    Ok(())
}

/// A Python with packages, under `target`.
fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join(name);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = folder.join("installed");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let has_venv = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    let system = ["python3.13", "python3.12", "python3.11", "python3"]
        .into_iter()
        .find(|python| output(&mut command(python, &["-c", has_venv])).is_ok())
        .ok_or(
            "no Python of 3.11 or newer with venv found; on Debian: apt-get install python3 python3-venv",
        )?;
    run_command(command(system, &["-m", "venv"]).arg(&folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run_command(command(&python, &install).args(packages))?;
    std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(python)
}
