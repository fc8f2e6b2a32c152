//! `cargo xtask bench WHAT`: how fast gambol is, next to its peers where there are some.

mod dynamics;
mod gaits;
mod modes;
mod physics;
mod plants;
mod python;
mod rigs;
mod strides;

use std::path::PathBuf;

use clap::ValueEnum;

use crate::shell::{Result, cargo, command, run as run_command, target};
use crate::{cma, programs, studio};

/// What is timed.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum What {
    /// Mass matrix, bias forces and forward dynamics, against MuJoCo and Pinocchio
    Dynamics,
    /// Modal analysis, against MuJoCo with LAPACK
    Modes,
    /// Modes, design and a grounded loop of two seconds
    Gaits,
    /// The way from a skinned glTF file to one with a walk in it
    Rigs,
    /// Steps of physics, against MuJoCo
    Physics,
    /// Modes and wind basis of plants and displacements of a forest, against SciPy and NumPy
    Plants,
    /// Evaluations of a search for a controller, against the same rollouts in MuJoCo
    Strides,
    /// Generations of CMA-ES, against pycma
    Cma,
    /// Quadratic and linear programs at the size of a dog's feet
    Programs,
    /// Steps and rollouts from Python, against Rust's own loop
    Python,
    /// The studio: slider to palette, page weight, frames per second in Chromium
    Studio,
}

/// Programs in turn, the best of `rounds` where there is more than one.
pub(crate) fn run(what: What, rounds: usize) -> Result<()> {
    match what {
        What::Dynamics => dynamics::run(rounds),
        What::Modes => modes::run(rounds),
        What::Gaits => gaits::run(),
        What::Rigs => rigs::run(rounds),
        What::Physics => physics::run(rounds),
        What::Plants => plants::run(),
        What::Strides => strides::run(rounds),
        What::Cma => cma::bench(rounds),
        What::Programs => programs::bench(),
        What::Python => python::run(rounds),
        What::Studio => studio::bench(),
    }
}

/// One of our programs under `src/bin`, for the processor at hand, as the peers' are.
pub(crate) fn build_ours(program: &str) -> Result<PathBuf> {
    let folder = target().join("bench");
    let mut build = command(cargo(), &["build", "--release", "--quiet", "-p", "xtask", "--bin", program]);
    run_command(build.arg("--target-dir").arg(&folder).env("RUSTFLAGS", "-C target-cpu=native"))?;
    Ok(folder.join("release").join(program))
}
