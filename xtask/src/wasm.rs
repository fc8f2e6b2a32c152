//! `cargo xtask wasm`: the engine without threads, clocks and files, in WebAssembly.
//!
//! A session that asks all there is to ask is answered here and, by the same engine as a module of WebAssembly, in Node. The
//! module must import nothing: then there is no thread, clock, file or random number that it could reach. What still
//! asks for one fails there, since `wasm32-unknown-unknown` has none of them.

use std::path::{Path, PathBuf};

use crate::shell::{Result, command, run as run_command, target};

const TARGET: &str = "wasm32-unknown-unknown";

/// Runs the session in both and compares.
pub(crate) fn run() -> Result<()> {
    let module = build("gambol-studio", "engine_wasm")?;
    let session = target().join("engine.session");
    // Of the workspace and not of one package, whose dependencies would be built once more with fewer features.
    run_command(&mut command(cargo(), &["build", "--quiet", "--workspace", "--example", "engine_session"]))?;
    run_command(command(target().join("debug/examples/engine_session"), &[]).arg(&session))?;
    node("engine.mjs", include_str!("wasm/engine.mjs"), &[&module, &session])
}

/// Builds an example that is a module; where that is.
pub(crate) fn build(package: &str, example: &str) -> Result<PathBuf> {
    // The page is not part of it.
    let arguments = ["build", "--quiet", "--target", TARGET, "--package", package, "--example", example];
    run_command(command(cargo(), &arguments).env("GAMBOL_STUDIO_NO_PAGE", "1"))
        .map_err(|error| format!("{error}; if Rust has no {TARGET} here: rustup target add {TARGET}"))?;
    Ok(target().join(TARGET).join("debug/examples").join(format!("{example}.wasm")))
}

/// Runs a script with files as its arguments.
pub(crate) fn node(name: &str, script: &str, files: &[&Path]) -> Result<()> {
    let folder = target().join("wasm");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join(name);
    std::fs::write(&file, script).map_err(|error| format!("{}: {error}", file.display()))?;
    run_command(command("node", &[]).arg(&file).args(files))
}

fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}
