//! `cargo xtask wasm`: the engine without threads, clocks and files, in WebAssembly.
//!
//! A session that asks all there is to ask is answered here and, by the same engine as a module of WebAssembly, in Node. The
//! module must import nothing: then there is no thread, clock, file or random number that it could reach. What still
//! asks for one fails there, since `wasm32-unknown-unknown` has none of them.

use std::path::{Path, PathBuf};

use crate::shell::{Result, command, run as run_command, target};

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "wasm";

/// Runs the session in both and compares; `times` also says how long each took, the engine here built as for users.
pub(crate) fn run(times: bool) -> Result<()> {
    let module = build()?;
    let session = target().join("engine.session");
    // Of the workspace and not of one package, whose dependencies would be built once more with fewer features.
    let mut build = command(cargo(), &["build", "--quiet", "--workspace", "--example", "engine_session"]);
    if times {
        build.arg("--release");
    }
    run_command(&mut build)?;
    let profile = if times { "release" } else { "debug" };
    let program = target().join(profile).join("examples/engine_session");
    run_command(command(program, &[]).arg(&session))?;
    node(
        "engine.mjs",
        include_str!("wasm/engine.mjs"),
        &[&module, &session],
        if times { &["times"] } else { &[] },
    )
}

/// The engine as a module, as it is published.
pub(crate) fn build() -> Result<PathBuf> {
    let arguments =
        ["build", "--quiet", "--target", TARGET, "--package", "gambol-wasm", "--profile", PROFILE];
    run_command(&mut command(cargo(), &arguments))
        .map_err(|error| format!("{error}; if Rust has no {TARGET} here: rustup target add {TARGET}"))?;
    Ok(target().join(TARGET).join(PROFILE).join("gambol_wasm.wasm"))
}

/// Runs a script with files, and then words, as its arguments.
fn node(name: &str, script: &str, files: &[&Path], words: &[&str]) -> Result<()> {
    let folder = target().join("wasm");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join(name);
    std::fs::write(&file, script).map_err(|error| format!("{}: {error}", file.display()))?;
    run_command(command("node", &[]).arg(&file).args(files).args(words))
}

fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}
