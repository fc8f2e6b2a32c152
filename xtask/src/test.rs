//! `cargo xtask test`: everything that must hold before a change lands. CI runs this and nothing else.

use std::path::PathBuf;

use crate::shell::{Result, command};
use crate::{
    architecture, bits, blender, bvh, cma, compare, export, gaits, gltf, modes, peers, physics, pump, replay,
    studio, vibrate,
};

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
    architecture::run()?;
    bits::run_all(false)?;
    gaits::run(&[], gaits::Table::Text)?;
    against_mujoco()?;
    gltf::run(None)?;
    bvh::run(&[])?;
    studio::run(&[])?;
    blender::run_if_possible()
}

fn run_step(mut step: std::process::Command) -> Result<()> {
    crate::shell::run(&mut step)
}

/// Every articulated model of dm_control's suite and walkers, and our own, against MuJoCo.
fn against_mujoco() -> Result<()> {
    for folder in dm_control()? {
        compare::run(&folder)?;
    }
    export()?;
    modes::run_all()?;
    vibrate::run()?;
    physics::flights()?;
    pump::run()?;
    replay::check()?;
    cma::check()
}

/// The gallery and dm_control's models, exported and read by MuJoCo.
pub(crate) fn export() -> Result<()> {
    export::run(&dm_control()?)
}

/// Folders of dm_control's articulated models.
fn dm_control() -> Result<[PathBuf; 2]> {
    let folder = peers::dm_control()?;
    Ok(["suite", "locomotion/walkers"].map(|part| folder.join(part)))
}
