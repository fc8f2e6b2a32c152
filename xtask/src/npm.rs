//! `cargo xtask npm`: the package `@gambol/engine`, in `target/npm/engine`. It is the module of `crates/gambol-wasm`, the way into
//! it that the studio's page takes itself, and the words of both as types.

use std::fs;
use std::path::Path;

use crate::page;
use crate::shell::{Result, command, root, run as run_command, target};
use crate::wasm;

/// What it has in common with the page, in `web/src`.
const SHARED: [&str; 3] = ["protocol.ts", "engine/module.ts", "engine/frame.ts"];

/// Makes the package, and lets a program in Node use it.
pub(crate) fn run() -> Result<()> {
    page::install()?;
    let (ours, folder) = (root().join("crates/gambol-wasm/npm"), target().join("npm"));
    let (sources, package) = (folder.join("src"), folder.join("engine"));
    for folder in [&sources.join("engine"), &package] {
        fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    }
    for name in SHARED {
        copy(&page::web().join("src").join(name), &sources.join(name))?;
    }
    copy(&ours.join("index.ts"), &sources.join("index.ts"))?;
    for name in ["package.json", "README.md"] {
        copy(&ours.join(name), &package.join(name))?;
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root().join(name), &package.join(name))?;
    }
    copy(&wasm::build()?, &package.join("gambol.wasm"))?;
    let options =
        "--declaration --strict --target ES2022 --module ES2022 --moduleResolution bundler --lib ES2023,DOM";
    let mut compile = command("node", &[]);
    compile.arg(page::web().join("node_modules/typescript/bin/tsc")).args(options.split(' '));
    compile
        .args(["--ignoreConfig", "--types", ""])
        .arg("--rootDir")
        .arg(&sources)
        .arg("--outDir")
        .arg(&package);
    run_command(compile.arg(sources.join("index.ts")))?;
    run_command(command("node", &[]).arg(ours.join("try.mjs")).arg(&package))?;
    println!("the package is in {}", package.display());
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(|_| ()).map_err(|error| told(from, &error))
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
