//! `cargo xtask fuzz`: every fuzz target for a while, from the seeds in `fuzz/seeds` and the gallery.

use crate::shell::{Result, command, output, root, run as run_command};

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
