//! Everything longer than one cargo command: all tests, comparison with peers, benchmarks, pictures, fuzzing.

mod architecture;
mod artists;
mod bench;
mod bits;
mod blender;
mod bvh;
mod cma;
mod compare;
mod corpus;
mod docs;
mod export;
mod extension;
mod fuzz;
mod gaits;
mod gltf;
mod legged;
mod masses;
mod modes;
mod motion;
mod node;
mod npm;
mod page;
mod peers;
mod physics;
mod pictures;
mod programs;
mod protocol;
mod publish;
mod pump;
mod python;
mod replay;
mod rigs;
mod rigs_out;
mod roam;
mod shell;
mod site;
mod strides;
mod studio;
mod test;
mod vibrate;
mod wasm;

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
    /// Format, lints, docs, all tests, packages, the gallery's gaits, the comparisons with MuJoCo (dm_control's models,
    /// their vibrations) and with readers of our clips, and the studio in a browser
    Test {
        /// Only steps with one of these words in their name
        only: Vec<String>,
    },
    /// Compare the bits of modes, gaits, simulations and a search on wasm32 (Node) and aarch64 (qemu) with those written down
    Bits {
        /// Write down those of this machine first
        #[arg(long)]
        write: bool,
    },
    /// Compare every MJCF and URDF model below a folder with MuJoCo
    Compare {
        /// The folder, or a single model
        folder: PathBuf,
    },
    /// Export the gallery and every MJCF model below folders, and compare what MuJoCo makes of it with the originals
    Export {
        /// The folders; dm_control's models if not given
        folders: Vec<PathBuf>,
    },
    /// Compare the vibrations of every MJCF and URDF model below a folder with MuJoCo's mass matrix and LAPACK
    Modes {
        /// The folder, or a single model; dm_control's models and the gallery if not given
        folder: Option<PathBuf>,
    },
    /// Pump the loop and the linear creature here and in MuJoCo and compare where they go
    Pump,
    /// Replay the torques of controllers in MuJoCo and compare centre of mass, joint angles and contact times
    Replay {
        /// Controller files or names of the gallery's; all of these if not given
        controllers: Vec<String>,
    },
    /// Let the dog go by its own torques in MuJoCo: a stride of each gait replayed open loop, and twenty seconds closed loop
    Legged {
        /// Only this question
        question: Option<legged::Question>,
        /// Only gaits with one of these words in their name
        words: Vec<String>,
        /// Put the table of closed loops into docs/roam.md
        #[arg(long, conflicts_with = "words")]
        docs: bool,
    },
    /// Compare our CMA-ES with pycma: evaluations to a target
    Cma,
    /// Compare our quadratic and linear programs with Clarabel and HiGHS
    Programs,
    /// Build the package for Python and run its tests, and mypy on it
    Python {
        /// Make the wheel that goes to PyPI instead, install it into a new environment, and run them there
        #[arg(long)]
        wheel: bool,
    },
    /// Say how long controllers stay up and what vibrations they are made of, or how well searches for them do
    Strides {
        /// Controller files or names of the gallery's; all of these if not given
        controllers: Vec<String>,
        /// Draw a cycle of each as film strips in docs/controllers
        #[arg(long)]
        film: bool,
        /// Compare modes of this sketch with all joints, the lowest modes and modes with priority alone instead
        #[arg(long, value_name = "SKETCH", conflicts_with_all = ["controllers", "film"])]
        compare: Option<String>,
        /// Seeds of a comparison
        #[arg(long, default_value_t = 10)]
        seeds: u64,
        /// Most cycles that a search of a comparison simulates
        #[arg(long, default_value_t = 15_000)]
        budget: usize,
    },
    /// Let creatures go by their own torques, and print or write the tables of docs/roam.md: gaits, pushes, ground, creatures,
    /// controllers
    Roam {
        /// Only this table
        table: Option<roam::Table>,
        /// Only rows with one of these words; for `creatures`, these instead of the gallery: names, or files as FILE:HEIGHT
        words: Vec<String>,
        /// Put them into docs/roam.md instead
        #[arg(long, conflicts_with = "words")]
        docs: bool,
    },
    /// Let MuJoCo swing creatures along their first vibrations and compare frequencies
    Vibrate,
    /// Compare free flights with MuJoCo's as the step shrinks, and drop every creature of the gallery for a minute
    Physics,
    /// Measure every gait of the gallery and print a table; fails where a foot slips, sinks or steps out of turn
    Gaits {
        /// Gallery names or files; all of the gallery if not given
        creatures: Vec<String>,
        /// Print the table as Markdown
        #[arg(long)]
        markdown: bool,
        /// Put it into docs/gaits.md instead
        #[arg(long, conflicts_with_all = ["markdown", "creatures"])]
        docs: bool,
    },
    /// Compare our gaits with the walks and runs that artists drew for the characters of a folder: a table, and sheets of skinned strips
    Artists {
        /// The folder
        folder: PathBuf,
    },
    /// Take every creature of a folder through loading, its first gait, export, the validator and physics, with time limits, and
    /// write a table and a sheet of film strips
    Corpus {
        /// The folder; our own odd bodies if not given
        folder: Option<PathBuf>,
        /// The first so many files
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Read clips back with the Khronos validator, three.js and NumPy, and compare with our kinematics
    Gltf {
        /// A folder of glTF files that get a clip each, besides our own
        folder: Option<PathBuf>,
    },
    /// Try the extension for Blender as its users do, and read glTF files with a clip in them by Blender and compare its bones with
    /// our kinematics
    Blender {
        /// A folder of glTF files that get a clip each, besides our own
        folder: Option<PathBuf>,
        /// Only the clips in files
        #[arg(long)]
        clips: bool,
        /// Only the extension
        #[arg(long, conflicts_with = "clips")]
        extension: bool,
        /// Read the files, write them as GLB and FBX, and compare the creatures instead
        #[arg(long, conflicts_with_all = ["clips", "extension"])]
        round: bool,
        /// Make the zip that goes to users instead
        #[arg(long, conflicts_with_all = ["folder", "clips", "extension"])]
        zip: bool,
        /// Write the table and the pictures of docs/blender.md instead, of the characters in the folder
        #[arg(long, requires = "folder", conflicts_with_all = ["clips", "extension"])]
        docs: bool,
    },
    /// Read recordings with three.js and compare with our reader
    Bvh {
        /// BVH files; our own awkward ones if not given
        files: Vec<PathBuf>,
    },
    /// Time something, next to its peers
    Bench {
        /// What
        what: bench::What,
        /// Rounds of all programs, interleaved
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// Say what is found in every skinned glTF model below a folder, as a table
    Rigs {
        /// The folder
        folder: PathBuf,
    },
    /// Compare mass and inertia of limbs from a skin alone with the MJCF model that the skin belongs to
    Masses {
        /// The model
        model: PathBuf,
        /// Its skin in MuJoCo's binary format
        skin: PathBuf,
    },
    /// Use the studio in Chromium as people do, and check what is on the screen and what is exported
    Studio {
        /// Only tests with one of these words in their sentence
        only: Vec<String>,
        /// Take the screenshots of the docs instead
        #[arg(long, conflicts_with = "only")]
        pictures: bool,
        /// Of the site of files (`cargo xtask site`) instead of the program
        #[arg(long)]
        site: bool,
        /// Take every rig of this folder through the page of the site instead, and draw a sheet of what is seen
        #[arg(long, value_name = "FOLDER", conflicts_with_all = ["only", "pictures"])]
        rigs: Option<PathBuf>,
        /// In this browser
        #[arg(long, value_enum, default_value = "chromium")]
        browser: studio::Browser,
    },
    /// Make the studio's page, which is kept in crates/gambol-studio/page, from its sources in web
    Page,
    /// Write the studio's messages in TypeScript, from their Rust types
    Protocol,
    /// Let the engine answer a session in WebAssembly, and compare with its answers here
    Wasm {
        /// Say how long each took as well
        #[arg(long)]
        times: bool,
    },
    /// Make the studio as a site of files alone, with the engine in WebAssembly and the docs: `cargo xtask site -o site`, then
    /// `python3 -m http.server -d site`
    Site {
        /// The folder; made, or replaced if it is such a site
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
    },
    /// Make the package @gambol/engine for npm: the engine in WebAssembly, with types
    Npm,
    /// Draw the pictures of the docs
    Pictures {
        /// Only these: gallery, modes, physics, gaits, rigs, animation
        only: Vec<String>,
    },
    /// Print the tables of docs/motion.md: directions, sizes and poses of the recordings (BVH, AMC) in a folder
    Motion {
        /// The folder, such as one of CMU's
        folder: PathBuf,
    },
    /// Run every fuzz target (needs a nightly toolchain and `cargo install cargo-fuzz`), or change files at random for some readers (needs
    /// neither)
    Fuzz {
        /// Readers of which files are changed at random: fbx, vrm, draco
        readers: Vec<String>,
        /// Begin with the files below this folder, too
        #[arg(long, value_name = "FOLDER", requires = "readers")]
        seeds: Option<PathBuf>,
        /// Seconds for each target
        #[arg(long, default_value_t = 600)]
        seconds: u64,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Test { only } => test::run(&only),
        Task::Bits { write } => bits::run_all(write),
        Task::Compare { folder } => compare::run(&folder),
        Task::Export { folders } if folders.is_empty() => test::export(),
        Task::Export { folders } => export::run(&folders),
        Task::Modes { folder: Some(folder) } => modes::run(&folder),
        Task::Modes { folder: None } => modes::run_all(),
        Task::Pump => pump::run(),
        Task::Replay { controllers } => replay::run(&controllers),
        Task::Legged { question, words, docs } => legged::run(question, &words, docs),
        Task::Cma => cma::run(),
        Task::Programs => programs::run(),
        Task::Python { wheel: false } => python::run(),
        Task::Python { wheel: true } => python::wheel(),
        Task::Strides { compare: Some(sketch), seeds, budget, .. } => {
            strides::compare(&sketch, seeds, budget)
        }
        Task::Strides { controllers, film, .. } => strides::tell(&controllers, film),
        Task::Roam { table, words, docs } => roam::run(table, &words, docs),
        Task::Vibrate => vibrate::run(),
        Task::Physics => physics::run(),
        Task::Gaits { creatures, markdown, docs } => gaits::run(
            &creatures,
            match (markdown, docs) {
                (_, true) => gaits::Table::Docs,
                (true, false) => gaits::Table::Markdown,
                (false, false) => gaits::Table::Text,
            },
        ),
        Task::Artists { folder } => artists::run(&folder),
        Task::Corpus { folder, limit } => corpus::run(folder.as_deref(), limit),
        Task::Gltf { folder } => gltf::run(folder.as_deref()),
        Task::Blender { zip: true, .. } => extension::zip(),
        Task::Blender { folder: Some(folder), docs: true, .. } => extension::write_docs(&folder),
        Task::Blender { folder, round: true, .. } => blender::round(folder.as_deref()),
        Task::Blender { folder, clips: true, .. } => blender::run(folder.as_deref()),
        Task::Blender { extension: true, .. } => extension::run(),
        Task::Blender { folder, .. } => extension::run().and_then(|()| blender::run(folder.as_deref())),
        Task::Bvh { files } => bvh::run(&files),
        Task::Bench { what, rounds } => bench::run(what, rounds),
        Task::Rigs { folder } => rigs::run(&folder),
        Task::Masses { model, skin } => masses::run(&model, &skin),
        Task::Studio { pictures: true, .. } => studio::pictures(),
        Task::Studio { rigs: Some(folder), .. } => studio::rigs(&folder),
        Task::Studio { only, site, browser, .. } => studio::run(&only, site, browser),
        Task::Page => page::run(),
        Task::Protocol => protocol::write(),
        Task::Wasm { times } => wasm::run(times),
        Task::Site { output } => site::run(&output),
        Task::Npm => npm::run(),
        Task::Pictures { only } => pictures::run(&only),
        Task::Motion { folder } => motion::run(&folder),
        Task::Fuzz { readers, seconds, .. } if readers.is_empty() => fuzz::run(seconds),
        Task::Fuzz { readers, seconds, seeds } => fuzz::mutate(&readers, seconds, seeds.as_deref()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
