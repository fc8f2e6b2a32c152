//! Everything longer than one cargo command: all tests, comparison with peers, benchmarks, pictures, fuzzing.

mod bench;
mod bench_modes;
mod bvh;
mod compare;
mod fuzz;
mod gltf;
mod modes;
mod node;
mod peers;
mod pictures;
mod shell;
mod test;
mod vibrate;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Everything longer than one cargo command")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Format, lints, docs, all tests, and the comparisons with MuJoCo (dm_control's models, their vibrations) and with
    /// readers of our clips
    Test,
    /// Compare every MJCF and URDF model below a folder with MuJoCo
    Compare {
        /// The folder, or a single model
        folder: PathBuf,
    },
    /// Compare the vibrations of every MJCF and URDF model below a folder with MuJoCo's mass matrix and LAPACK
    Modes {
        /// The folder, or a single model; dm_control's models and the gallery if not given
        folder: Option<PathBuf>,
    },
    /// Let MuJoCo swing creatures along their first vibrations and compare frequencies
    Vibrate,
    /// Read clips back with the Khronos validator, three.js and NumPy, and compare with our kinematics
    Gltf,
    /// Read recordings with three.js and compare with our reader
    Bvh {
        /// BVH files; our own awkward ones if not given
        files: Vec<PathBuf>,
    },
    /// Time the dynamics against MuJoCo and Pinocchio on the same models and states
    Bench {
        /// Rounds of all three programs, interleaved
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// Time modal analysis instead, against MuJoCo with LAPACK
        #[arg(long)]
        modes: bool,
    },
    /// Draw the pictures of the docs
    Pictures,
    /// Run every fuzz target (needs a nightly toolchain and `cargo install cargo-fuzz`)
    Fuzz {
        /// Seconds for each target
        #[arg(long, default_value_t = 600)]
        seconds: u64,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Test => test::run(),
        Task::Compare { folder } => compare::run(&folder),
        Task::Modes { folder: Some(folder) } => modes::run(&folder),
        Task::Modes { folder: None } => modes::run_all(),
        Task::Vibrate => vibrate::run(),
        Task::Gltf => gltf::run(),
        Task::Bvh { files } => bvh::run(&files),
        Task::Bench { rounds, modes: false } => bench::run(rounds),
        Task::Bench { rounds, modes: true } => bench_modes::run(rounds),
        Task::Pictures => pictures::run(),
        Task::Fuzz { seconds } => fuzz::run(seconds),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
