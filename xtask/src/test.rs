//! `cargo xtask test`: everything that must hold before a change lands. CI runs this and nothing else.

use crate::shell::{Result, command, output};
use crate::{compare, peers};

pub(crate) fn run() -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    run_step(command(&cargo, &["fmt", "--all", "--check"]))?;
    run_step(command(
        &cargo,
        &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
    ))?;
    let mut docs = command(&cargo, &["doc", "--workspace", "--no-deps", "--quiet"]);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    run_step(docs)?;
    run_step(command(&cargo, &["test", "--workspace", "--quiet"]))?;
    dm_control()
}

fn run_step(mut step: std::process::Command) -> Result<()> {
    crate::shell::run(&mut step)
}

/// Every articulated model of dm_control's suite and walkers against MuJoCo.
fn dm_control() -> Result<()> {
    let python = peers::python()?;
    let script = "import importlib.util as u; print(u.find_spec('dm_control').submodule_search_locations[0])";
    let folder = output(&mut command(python, &["-c", script]))?;
    let folder = std::path::Path::new(folder.trim());
    for part in ["suite", "locomotion/walkers"] {
        compare::run(&folder.join(part))?;
    }
    Ok(())
}
