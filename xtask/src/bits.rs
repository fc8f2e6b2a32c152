//! `cargo xtask bits`: the same bits on every machine. The program `bits` (xtask/bits) computes modes, gaits, simulations and
//! a search, and prints a number for each that all bits go into; it is built for WebAssembly and run by Node, and for aarch64
//! and run by qemu. `cargo test` runs it on this machine. All must print what `golden.txt` says.

use std::path::{Path, PathBuf};

use crate::shell::{Result, command, output, root, run, target};

const GOLDEN: &str = "xtask/bits/golden.txt";
const HEADER: &str = "\
# Numbers that all bits of a computation go into: see src/lib.rs. The same on every machine, or something is wrong there.
# `cargo xtask bits --write` writes new ones. They may change when an algorithm changes on purpose, and then CHANGELOG.md
# says which results are other than before and by how much.
";

/// WebAssembly with a system interface, which Node has and through which the program prints.
const WASM: &str = "wasm32-wasip1";
/// Static, so that neither a linker nor a C library for that machine is needed: Rust brings both.
const ARM: &str = "aarch64-unknown-linux-musl";

const PROFILE: &str = "bits";
const QEMU: &str = "qemu-aarch64";

/// Starts the module whose file it is given.
const START: &str = "\
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
const wasi = new WASI({ version: 'preview1', returnOnExit: true });
const module = await WebAssembly.compile(readFileSync(process.argv[1]));
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
";

/// Compares the bits of all machines with those written down, or writes down those of this one first.
pub(crate) fn run_all(write: bool) -> Result<()> {
    let golden = root().join(GOLDEN);
    if write {
        let lines = output(&mut command(cargo(), &["run", "--quiet", "--package", "bits"]))?;
        std::fs::write(&golden, format!("{HEADER}{lines}"))
            .map_err(|error| format!("{}: {error}", golden.display()))?;
    }
    need_tools()?;
    let golden =
        std::fs::read_to_string(&golden).map_err(|error| format!("{}: {error}", golden.display()))?;
    build()?;
    let mut node = command("node", &["--no-warnings", "--input-type=module", "--eval", START, "--"]);
    compare(&golden, WASM, &output(node.arg(program(WASM).with_extension("wasm")))?)?;
    compare(&golden, ARM, &output(command(QEMU, &[]).arg(program(ARM)))?)
}

/// What is missing on this machine, and how to get it.
fn need_tools() -> Result<()> {
    let mut missing = Vec::new();
    if output(&mut command("node", &["--version"])).is_err() {
        missing.push("Node (on Debian: apt-get install nodejs)".to_owned());
    }
    if output(&mut command(QEMU, &["--version"])).is_err() {
        missing.push(format!("{QEMU} (on Debian: apt-get install qemu-user)"));
    }
    let sysroot = output(&mut command("rustc", &["--print", "sysroot"]))?;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib");
    for target in [WASM, ARM] {
        if !libraries.join(target).join("lib").is_dir() {
            missing.push(format!("Rust's standard library for {target} (rustup target add {target})"));
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(format!("missing: {}", missing.join("; "))) }
}

/// Builds the program for both machines at once.
fn build() -> Result<()> {
    let mut build = command(cargo(), &["build", "--quiet", "--package", "bits", "--profile", PROFILE]);
    build.args(["--target", WASM, "--target", ARM]);
    build.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld");
    run(&mut build)
}

fn program(machine: &str) -> PathBuf {
    target().join(machine).join(PROFILE).join("bits")
}

fn compare(golden: &str, machine: &str, found: &str) -> Result<()> {
    let golden: Vec<&str> = golden.lines().filter(|line| !line.starts_with('#')).collect();
    let found: Vec<&str> = found.lines().collect();
    if golden == found {
        println!("{machine}: {} computations, the same bits as written down", found.len());
        return Ok(());
    }
    let other: Vec<&str> = found.into_iter().filter(|line| !golden.contains(line)).collect();
    Err(format!("{machine} computes other bits than {GOLDEN} says:\n{}", other.join("\n")))
}

fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}
