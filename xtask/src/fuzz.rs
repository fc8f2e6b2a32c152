//! `cargo xtask fuzz`: every fuzz target for a while, from the seeds in `fuzz/seeds` and the gallery. `cargo xtask fuzz fbx vrm draco`: the
//! readers of characters, by files that are changed at random, without libFuzzer (`src/bin/mutate.rs`).

use std::path::Path;

use crate::shell::{Result, cargo, command, output, root, run as run_command, target};

/// KiB of memory that a reader may take: a file that claims much is found out.
const MOST_MEMORY: &str = "4194304";

/// These readers in turn, beginning with the files of a folder too.
pub(crate) fn mutate(readers: &[String], seconds: u64, seeds: Option<&Path>) -> Result<()> {
    // Of the workspace: so that what it stands on is built once.
    run_command(&mut command(cargo(), &["build", "--quiet", "--release", "--workspace", "--bin", "mutate"]))?;
    let program = target().join("release/mutate");
    let failed = readers.iter().filter(|reader| {
        let limited = format!("ulimit -v {MOST_MEMORY}; exec \"$0\" \"$@\"");
        let mut hunt = command("sh", &["-c", &limited]);
        hunt.arg(&program).arg(reader).arg(seconds.to_string()).args(seeds);
        run_command(&mut hunt).is_err()
    });
    let failed: Vec<&str> = failed.map(String::as_str).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("something was found in {}", failed.join(", "))) }
}

pub(crate) fn run(seconds: u64) -> Result<()> {
    let fuzz = root().join("fuzz");
    let list = output(command("cargo", &["+nightly", "fuzz", "list"]).current_dir(root()))
        .map_err(|error| format!("{error}\nneeds a nightly toolchain and `cargo install cargo-fuzz`"))?;
    for target in list.lines() {
        let corpus = fuzz.join("corpus").join(target);
        let seeds = fuzz.join("seeds").join(target);
        std::fs::create_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
        // Memory is limited so that a file that claims much is found out; a unit may take ten seconds at most.
        let limits = format!("-max_total_time={seconds}");
        let mut fuzz = command("cargo", &["+nightly", "fuzz", "run", target]);
        fuzz.arg(&corpus).arg(&seeds);
        if target == "mjcf" {
            fuzz.arg(root().join("crates/gambol/gallery"));
        }
        fuzz.args(["--", &limits, "-rss_limit_mb=2048", "-timeout=10", "-max_len=65536"]);
        run_command(&mut fuzz)?;
    }
    Ok(())
}
