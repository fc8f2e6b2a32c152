//! `cargo xtask test`: everything that must hold before a change lands. CI runs this and nothing else.
//!
//! Cargo's steps use all cores by themselves and go one after another. The comparisons with peers use one core each: they
//! go side by side, each in a process of its own, whose words are shown when it ends. What the comparisons are made with
//! is downloaded while cargo compiles.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use crate::shell::{Result, command, run as run_command};
use crate::{
    architecture, bits, blender, bvh, cma, compare, export, extension, gaits, gltf, legged, modes, node,
    page, peers, physics, programs, publish, pump, python, replay, studio, vibrate, wasm,
};

/// Something that must hold.
struct Step {
    name: &'static str,
    check: fn() -> Result<()>,
    goes: Goes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Goes {
    /// Takes all cores.
    Alone,
    /// Takes one core and needs what is downloaded.
    Beside,
}

/// In this order; neighbours that go beside others start together.
const STEPS: &[Step] = &[
    alone("format", || cargo(&["fmt", "--all", "--check"])),
    alone("table of crates", architecture::run),
    alone("lints", || cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])),
    alone("docs", docs),
    alone("tests", || cargo(&["test", "--workspace", "--quiet"])),
    alone("packages", publish::check),
    alone("oldest Rust", publish::oldest_rust),
    alone("same bits on other machines", || bits::run_all(false)),
    alone("engine in WebAssembly", || wasm::run(false)),
    // The longest first, so that no lane is left with it at the end.
    beside("studio in a browser, first half", || studio::half(0)),
    beside("studio in a browser, second half", || studio::half(1)),
    beside("studio as a site of files", studio::of_files),
    beside("replayed controllers", replay::check),
    beside("legs in MuJoCo", legged::check),
    beside("gaits", || gaits::run(&[], gaits::Table::Text)),
    beside("models in MuJoCo", || dm_control()?.iter().try_for_each(|folder| compare::run(folder))),
    beside("exported models in MuJoCo", || export::run(&dm_control()?)),
    beside("modes in MuJoCo", modes::run_all),
    beside("vibrations in MuJoCo", vibrate::run),
    beside("flights in MuJoCo", physics::flights),
    beside("pumping in MuJoCo", pump::run),
    beside("CMA-ES and pycma", cma::check),
    beside("programs, Clarabel and HiGHS", programs::run),
    beside("package for Python", python::run),
    beside("clips in other readers", || gltf::run(None)),
    beside("recordings in three.js", || bvh::run(&[])),
    beside("clips and extension in Blender", || {
        blender::run_if_possible()?;
        extension::run_if_possible()
    }),
    beside("page is up to date", page::check),
    beside("tests of the page", page::test),
];

const fn alone(name: &'static str, check: fn() -> Result<()>) -> Step {
    Step { name, check, goes: Goes::Alone }
}

const fn beside(name: &'static str, check: fn() -> Result<()>) -> Step {
    Step { name, check, goes: Goes::Beside }
}

/// All steps, or those with one of the words in their name. What fails does not keep the rest from being looked at,
/// unless it is cargo itself.
pub(crate) fn run(words: &[String]) -> Result<()> {
    // A name in full means that step alone, also where it is part of another's: so the lanes ask for theirs.
    if let Some(step) = STEPS.iter().find(|step| words.len() == 1 && words[0] == step.name) {
        return (step.check)();
    }
    let asked = |step: &&Step| words.is_empty() || words.iter().any(|word| step.name.contains(word.as_str()));
    let steps: Vec<&Step> = STEPS.iter().filter(asked).collect();
    if let [step] = steps[..] {
        return (step.check)();
    }
    if steps.is_empty() {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        return Err(format!("no step has one of {words:?} in its name; there are: {}", names.join(", ")));
    }
    let times = Mutex::new(Vec::new());
    let start = Instant::now();
    let result = std::thread::scope(|scope| {
        let needs_peers = steps.iter().any(|step| step.goes == Goes::Beside);
        let downloads = needs_peers.then(|| scope.spawn(download));
        for group in steps.chunk_by(|a, b| a.goes == b.goes) {
            match group[0].goes {
                Goes::Alone => group.iter().try_for_each(|step| timed(&times, step.name, step.check))?,
                Goes::Beside => side_by_side(group, &times)?,
            }
        }
        downloads
            .map_or(Ok(()), |downloads| downloads.join().unwrap_or_else(|_| Err("downloads panicked".into())))
    });
    tell(&times.into_inner().unwrap_or_default(), start);
    result
}

type Times = Mutex<Vec<(&'static str, f64)>>;

fn timed(times: &Times, name: &'static str, check: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("== {name}");
    let start = Instant::now();
    let result = check();
    times.lock().map_err(|error| error.to_string())?.push((name, start.elapsed().as_secs_f64()));
    result
}

/// Runs steps on as many lanes as there are cores; all are run, and what failed is told at the end.
fn side_by_side(steps: &[&Step], times: &Times) -> Result<()> {
    download()?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let lanes = std::thread::available_parallelism().map_or(1, usize::from).min(steps.len());
    let (waiting, failed) = (Mutex::new(steps.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..lanes {
            scope.spawn(|| {
                loop {
                    let Some(step) = waiting.lock().ok().and_then(|mut steps| steps.next()) else { return };
                    if timed(times, step.name, || in_a_process(&program, step.name)).is_err() {
                        failed.lock().into_iter().for_each(|mut failed| failed.push(step.name));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_default();
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// One step, whose words are shown together when it ends.
fn in_a_process(program: &PathBuf, name: &str) -> Result<()> {
    let output = Command::new(program).args(["test", name]).output().map_err(|error| error.to_string())?;
    let said = [&output.stdout[..], &output.stderr].concat();
    let end = if output.status.success() { "passed" } else { "FAILED" };
    eprintln!("== {name}: {end}\n{}", String::from_utf8_lossy(&said));
    if output.status.success() { Ok(()) } else { Err(name.to_owned()) }
}

/// What the comparisons are made with. It may be asked for twice: one waits for the other.
fn download() -> Result<()> {
    static ONE: Mutex<()> = Mutex::new(());
    let _turn = ONE.lock().map_err(|error| error.to_string())?;
    peers::python_with_cma()?;
    peers::python_with_clarabel()?;
    page::install()?;
    node::install()
}

fn tell(times: &[(&str, f64)], start: Instant) {
    eprintln!("== times, s");
    for (name, seconds) in times {
        eprintln!("{seconds:8.1}  {name}");
    }
    eprintln!("{:8.1}  all", start.elapsed().as_secs_f64());
}

fn cargo(arguments: &[&str]) -> Result<()> {
    run_command(&mut command(crate::shell::cargo(), arguments))
}

fn docs() -> Result<()> {
    let mut docs = command(crate::shell::cargo(), &["doc", "--workspace", "--no-deps", "--quiet"]);
    run_command(docs.env("RUSTDOCFLAGS", "-D warnings"))
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
