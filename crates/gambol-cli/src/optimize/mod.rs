//! `gambol optimize`: from a sketch of modes to a controller.

mod many;
mod progress;
mod report;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use gambol_control::locomotion::{
    Found, StrideError, StrideSearch, controller_to_toml, cycle_clip, is_controller, read_controller,
};
use gambol_control::search::{Method, Outcome, SearchSettings, Threads};
use gambol_control::sketch::{Sketch, Stage, preview, read};
use gambol_dynamics::Terrain;
use gambol_formats::clip::RootMotion;
use gambol_formats::gltf::Rig;
use gambol_formats::{LoadOptions, WriteError, write_file, write_files};
use gambol_motion::Clip;

use super::files::{Outputs, folder_of};
use super::hint::told;
use super::interrupt::{STOPPED, stop_flag};
use super::settings::{count, rate, step};
use super::sketch_file::SketchFile;
use super::{Failure, is_same_file, render, write_json};
use many::ManyArguments;
use progress::Teller;
use report::Ended;

/// Exit status of a search that ended without a good cycle.
const STALLED: u8 = 3;

/// A cycle that ends farther from where it began, rad or m, is not shown as a loop: one would see how it is bent to close.
const MOST_GAP: f64 = 0.1;

/// What can be lost when we are killed.
const KEPT_EVERY: Duration = Duration::from_secs(2);

/// Finds a controller that runs, hops or jumps in the simulation, from a sketch of the modes that are to be seen
#[derive(Args)]
#[command(
    after_help = "SKETCH is a name (runner, hopper, monster, kangaroo) or a file, see docs/controllers.md; files that it names lie beside it.\n\
    Output by ending, as in `gambol animate`: one cycle as a loop. Without -o, --controller and --json the controller goes to stdout.\n\
    What it goes on from is kept in SKETCH's name with .checkpoint, beside the controller, else here, until it has converged.\n\
    Ctrl-C keeps the best. The same seed finds the same, on any number of threads.\n\
    With --seeds, -o is a folder, which gets NAME-SEED.toml for each search that is kept and found.json with what became of all; it ends\n\
    with 3 if no search for one of the sketches converged. --resume goes on with what is left.\n\n\
    Exit status: 0 converged, 1 failed, 2 usage, 3 stalled (the best is written all the same), 130 stopped by Ctrl-C (so too).\n\n\
    Examples:\n  gambol optimize runner --controller my-runner.toml -o run.glb -o run.gif\n  \
    gambol optimize runner --seed 2 --step 0.004 --json\n  \
    gambol optimize runner --controller my-runner.toml --resume --force\n  \
    gambol optimize runner --preview -o bursts.gif\n  \
    gambol optimize fox.glb trot --controller fox-trots.toml\n  \
    gambol optimize runner hopper --seeds 1-20 --keep all -o found\n  \
    gambol optimize my-sketch.toml --budget 200000 --threads 4 > my-controller.toml\n  \
    gambol simulate biped my-runner.toml"
)]
pub(super) struct Optimize {
    /// A sketch of the gallery, or a sketch file (.toml); with GAIT, a creature
    sketch: String,

    /// Make the sketch after this gait of a creature, as gambol designs it: trot, pace, hop, a run on two legs; with --seeds, one more
    /// sketch
    #[arg(value_name = "GAIT")]
    gait: Option<String>,

    /// Write one cycle of the motion; may be given several times. With --seeds, the folder for what is found
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Write the controller, as a file to simulate
    #[arg(long, value_name = "FILE.toml")]
    controller: Option<PathBuf>,

    /// Write what the bursts of the sketch alone do, without gravity and ground, and search for nothing
    #[arg(long, requires = "output", conflicts_with_all = ["controller", "json", "resume", "checkpoint"])]
    preview: bool,

    /// Print what was found as one JSON object
    #[arg(long)]
    json: bool,

    /// Replace existing files, and begin anew where there is a checkpoint
    #[arg(long)]
    force: bool,

    /// Keys per second of the motion that is written
    #[arg(long, value_name = "F", default_value_t = 60.0, value_parser = rate, allow_negative_numbers = true)]
    fps: f64,

    /// With --seeds: further sketches
    #[arg(value_name = "SKETCH", requires = "seeds")]
    more: Vec<String>,

    #[command(flatten, next_help_heading = "Search")]
    search: SearchArguments,

    #[command(flatten, next_help_heading = "Many searches")]
    many: ManyArguments,
}

#[derive(Args)]
struct SearchArguments {
    /// Of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Most cycles to be simulated
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = count, allow_negative_numbers = true)]
    budget: usize,

    /// Length of a step of the simulation, s
    #[arg(long, value_name = "S", default_value_t = 0.002, value_parser = step, allow_negative_numbers = true)]
    step: f64,

    /// How the cycle is made to repeat itself
    #[arg(long, value_enum, default_value_t = MethodName::Closing)]
    method: MethodName,

    /// How many threads; one for each core if not given
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    threads: Option<usize>,

    /// Go on from the checkpoint of a search that was stopped, killed or stalled; its budget may be another one
    #[arg(long)]
    resume: bool,

    /// Where it is kept what the search goes on from
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Newton's method between rounds of CMA-ES
    Closing,
    /// the paper's: CMA-ES alone, in the method of multipliers
    Multipliers,
}

impl From<StrideError> for Failure {
    fn from(error: StrideError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl Optimize {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(seeds) = &self.many.seeds {
            return self.run_many(seeds, out);
        }
        let file = match &self.gait {
            Some(gait) => SketchFile::after_gait(&self.sketch, gait)?,
            None => SketchFile::read(&self.sketch)?,
        };
        let checkpoint = self.checkpoint(&file);
        let mut inputs: Vec<&Path> = file.path.as_deref().into_iter().collect();
        let own = self.output.iter().chain(&self.controller).any(|path| *path == checkpoint);
        if own || inputs.iter().any(|input| is_same_file(input, &checkpoint)) {
            let message = format!("{} cannot be the checkpoint as well", checkpoint.display());
            return Err(Failure::Failed(message));
        }
        inputs.push(&checkpoint);
        let outputs = Outputs::check(&self.output, self.controller.as_deref(), &inputs, self.force)?;
        let mut rig = None;
        let find = |name: &str| {
            let (creature, of_creature) = file.find(name)?;
            rig = of_creature;
            Ok(creature)
        };
        let (sketch, stage) = read(&file.text, find).map_err(|error| file.error(&error))?;
        let stage = Arc::new(stage);
        outputs.fit(1, rig.is_some())?;
        let creature_path = file.creature_path(&sketch.creature);
        if let Some(path) = &creature_path {
            Outputs::check(&self.output, self.controller.as_deref(), &[path.as_path()], true)?;
        }
        let notes = rig.iter().flat_map(|rig| &rig.notes).map(|note| format!("guessed: {}", told(note)));
        let warnings = stage.creature.warnings().iter().map(|warning| format!("warning: {}", told(warning)));
        for line in notes.chain(warnings) {
            eprintln!("gambol: {line}");
        }
        if self.preview {
            let clip = preview(&sketch, &stage, sketch.preview_seconds())
                .map_err(|error| Failure::Failed(error.to_string()))?;
            let ready = Self::rendered(&file, &outputs, (&sketch, &stage), rig.as_ref(), clip)?;
            return Ok(write_files(&ready, self.force)?);
        }
        let mut search = self.begin(&file, &sketch, &stage, &checkpoint)?;
        self.probe()?;
        let keep = |search: &StrideSearch| write_file(&checkpoint, search.checkpoint().as_bytes(), true);
        keep(&search)?;

        let (outcome, seconds, cycles) = self.search(&mut search, &keep)?;
        keep(&search)?;
        let ready = self.ready(&file, &outputs, &search, (&sketch, &stage), rig.as_ref())?;
        let text = controller(&file, self.controller.as_deref(), &search, (&sketch, &stage), &outcome);
        let mut files: Vec<(&Path, Vec<u8>)> = ready;
        if let (Some(path), Some(text)) = (outputs.gait, &text) {
            files.push((path, text.clone().into_bytes()));
        }
        write_files(&files, self.force)?;
        let converged = outcome == Outcome::Converged;
        if converged {
            // What is left of it does no harm, and the work is done.
            let _ = std::fs::remove_file(&checkpoint);
        }
        let ended = Ended {
            sketch: &sketch,
            stage: &stage,
            search: &search,
            outcome: &outcome,
            seconds,
            cycles,
            checkpoint: (!converged).then_some(&checkpoint),
            files: files.iter().map(|(path, _)| *path).collect(),
        };
        let to_stdout = self.controller.is_none() && self.output.is_empty();
        if self.json {
            write_json(out, &ended.json())?;
        } else if to_stdout {
            out.write_all(text.unwrap_or_default().as_bytes())?;
            ended.write(&mut std::io::stderr())?;
        } else {
            ended.write(out)?;
        }
        // Not twice to a person who saw it just now.
        let seen = to_stdout || std::io::stdout().is_terminal();
        let message = (self.json || !seen).then(|| ended.headline());
        let ended = |status| Err(Failure::Ended { status, message });
        match outcome {
            Outcome::Converged => Ok(()),
            Outcome::Stalled { .. } => ended(STALLED),
            Outcome::Stopped => ended(STOPPED),
        }
    }

    /// Beside the controller, else here.
    fn checkpoint(&self, file: &SketchFile) -> PathBuf {
        let folder = self.controller.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let own = || folder.join(format!("{}.checkpoint", file.stem()));
        self.search.checkpoint.clone().unwrap_or_else(own)
    }

    fn settings(&self) -> SearchSettings {
        SearchSettings {
            method: match self.search.method {
                MethodName::Closing => Method::Closing,
                MethodName::Multipliers => Method::Multipliers,
            },
            seed: self.search.seed,
            budget: self.search.budget,
            ..SearchSettings::default()
        }
    }

    /// A new search, one from the stride of a controller, or one that goes on.
    fn begin(
        &self,
        file: &SketchFile,
        sketch: &Sketch,
        stage: &Arc<Stage>,
        checkpoint: &Path,
    ) -> Result<StrideSearch, Failure> {
        if checkpoint.exists() && !self.force && !self.search.resume {
            let place = checkpoint.display();
            let message = format!("{place} exists; --resume goes on from it, --force begins anew");
            return Err(Failure::Failed(message));
        }
        self.begun(file, (sketch, stage), checkpoint, (self.settings(), self.search.resume))
    }

    /// With these settings, from a checkpoint or not.
    fn begun(
        &self,
        file: &SketchFile,
        (sketch, stage): (&Sketch, &Arc<Stage>),
        checkpoint: &Path,
        (settings, is_kept): (SearchSettings, bool),
    ) -> Result<StrideSearch, Failure> {
        let (step, place) = (self.search.step, checkpoint.display());
        if is_kept {
            let text = std::fs::read_to_string(checkpoint).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => {
                    Failure::Failed(format!("--resume: there is no checkpoint {place}"))
                }
                _ => Failure::Failed(format!("{place}: cannot be read: {error}")),
            })?;
            return StrideSearch::of_checkpoint(sketch, stage, step, settings, &text)
                .map_err(|error| Failure::Failed(format!("{place}: {error}")));
        }
        if is_controller(&file.text) {
            let find = |name: &str| file.find(name).map(|(creature, _)| creature);
            let (_, _, stride, _) = read_controller(&file.text, find).map_err(|error| file.error(&error))?;
            return Ok(StrideSearch::of_stride(sketch, stage, step, settings, &stride)?);
        }
        Ok(StrideSearch::of_sketch(sketch, stage, step, settings)?)
    }

    /// Writes and removes a file in every folder that is to be written to, so that nothing is searched for in vain.
    fn probe(&self) -> Result<(), Failure> {
        for path in self.output.iter().chain(&self.controller) {
            let probe = folder_of(path).join(format!(".gambol.{}.probe", std::process::id()));
            write_file(&probe, b"", true).map_err(|error| match error {
                WriteError::Io { error, .. } => WriteError::Io { path: path.clone(), error },
                other => other,
            })?;
            let _ = std::fs::remove_file(&probe);
        }
        Ok(())
    }

    /// Searches to the end; how it ended, how long it took, s, and how many cycles were simulated, now and in all.
    fn search(
        &self,
        search: &mut StrideSearch,
        keep: &dyn Fn(&StrideSearch) -> Result<(), WriteError>,
    ) -> Result<(Outcome, f64, [usize; 2]), Failure> {
        let threads = self.search.threads.unwrap_or_else(cores);
        let stop = stop_flag()?;
        let mut teller = Teller::new();
        let began = Instant::now();
        let (mut kept, mut warned) = (began, false);
        let before = search.evaluations();
        let outcome = search.run(&mut Threads(threads), &mut |search| {
            let seconds = began.elapsed().as_secs_f64().max(1e-9);
            teller.hear(search, (search.evaluations() - before) as f64 / seconds);
            if kept.elapsed() >= KEPT_EVERY {
                kept = Instant::now();
                if let Err(error) = keep(search)
                    && !std::mem::replace(&mut warned, true)
                {
                    eprintln!("gambol: warning: {error}");
                }
            }
            !stop.load(Ordering::Relaxed)
        });
        let all = search.evaluations();
        Ok((outcome, began.elapsed().as_secs_f64(), [all - before, all]))
    }

    /// The motion as the bytes of its files. There is none before the first candidates.
    fn ready<'p>(
        &self,
        file: &SketchFile,
        outputs: &'p Outputs,
        search: &StrideSearch,
        (sketch, stage): (&Sketch, &Stage),
        rig: Option<&Rig>,
    ) -> Result<Vec<(&'p Path, Vec<u8>)>, Failure> {
        let Some((stride, _)) = search.nearest_stride() else { return Ok(Vec::new()) };
        if outputs.clips.is_empty() {
            return Ok(Vec::new());
        }
        let clip = cycle_clip(stage, search.problem().world(), &stride, self.fps, MOST_GAP);
        if clip.stride.is_none() {
            eprintln!("gambol: warning: the best does not repeat itself, so the motion does not loop");
        }
        Self::rendered(file, outputs, (sketch, stage), rig, clip)
    }

    /// A clip as the bytes of all files that are asked for.
    fn rendered<'p>(
        file: &SketchFile,
        outputs: &'p Outputs,
        (sketch, stage): (&Sketch, &Stage),
        rig: Option<&Rig>,
        mut clip: Clip,
    ) -> Result<Vec<(&'p Path, Vec<u8>)>, Failure> {
        clip.name.clone_from(&sketch.name);
        let mut ready = Vec::new();
        for (path, format) in &outputs.clips {
            let of_rig = rig.filter(|_| format.is_gltf()).zip(file.creature_path(&sketch.creature));
            let bytes = if let Some((rig, input)) = of_rig {
                let options = LoadOptions::default();
                let (written, rig) = ((*format, path.as_path()), (rig, input.as_path(), &options));
                let clips = std::slice::from_ref(&clip);
                render::to_rig_bytes(written, rig, &stage.creature, clips, RootMotion::Travel)
            } else {
                let ground = Some(&Terrain::Flat);
                render::to_bytes(*format, &stage.creature, ground, &clip, RootMotion::Travel)
            };
            let bytes = bytes.map_err(|reason| Failure::Failed(format!("{}: {reason}", path.display())))?;
            ready.push((path.as_path(), bytes));
        }
        Ok(ready)
    }
}

/// The text of the best controller; none before the first candidates.
fn controller(
    file: &SketchFile,
    path: Option<&Path>,
    search: &StrideSearch,
    (sketch, stage): (&Sketch, &Stage),
    outcome: &Outcome,
) -> Option<String> {
    let (stride, _) = search.nearest_stride()?;
    let found = Found::of(search, outcome);
    let folder = path.map_or(Path::new("."), folder_of);
    let sketch = Sketch { creature: file.creature_from(&sketch.creature, folder), ..sketch.clone() };
    Some(controller_to_toml(&sketch, stage, &stride, search.problem().settings().step, found.as_ref()))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
