//! `gambol learn`: what poses are likely, from recordings, as a file.

use std::io::Write;
use std::path::{Path, PathBuf};

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use gambol::{MotionOptions, is_motion, load_motion, load_motion_of};
use gambol_formats::basis::JointMatch;
use gambol_formats::prior::{prior_of_file, to_prior_file, to_process_file};
use gambol_formats::write_file;
use gambol_model::Creature;
use gambol_motion::{
    Clip, FrameSelector, PoseFrames, PoseProcess, Prior, ProcessMethod, ProcessSettings, SelectorSettings,
};
use serde::Serialize;

use super::interrupt::{STOPPED, stop_flag};
use super::settings::count;
use super::{Failure, is_same_file, write_json, written};

/// Learns from recordings what poses are likely, for `gambol pose --prior`
#[derive(Args)]
#[command(
    after_help = "Of all frames, those that stand for the others are kept: new ones are read in rounds of 8000, and frames that are near each\n\
    other become one. Memory is that of a round, however long the recordings are. With --method fitc, dtc, pitc or gp a Gaussian process is\n\
    trained on them (Wu and others 2011). Ctrl-C writes what is there, and --resume goes on from a file (docs/motion.md).\n\n\
    Examples:\n  gambol learn walk.bvh run.bvh dance.bvh -o human.prior\n  gambol learn *.amc -o human.prior --frames 4000\n  \
    gambol learn *.amc -o fitc.prior --method fitc --rounds 100\n  \
    gambol learn walk.bvh --resume fitc.prior -o further.prior --rounds 50\n  \
    gambol pose 17_10.amc --prior human.prior --goal lfingers=0.4,0.3,1.2 -o pose.png"
)]
pub(super) struct LearnVerb {
    /// Clips: .bvh, .amc, .json, .npz or .pack; the skeleton is that of the first
    #[arg(required = true, value_name = "CLIP")]
    clips: Vec<PathBuf>,

    /// The file to write
    #[arg(short, long, value_name = "FILE.prior")]
    output: PathBuf,

    /// Keep so many frames
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = count)]
    frames: usize,

    /// What is learnt of them: poses are told by the neighbours of their handles, or by a Gaussian process
    #[arg(long, value_enum, default_value_t = Method::Neighbours)]
    method: Method,

    /// Rounds that a process is trained for
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count)]
    rounds: usize,

    /// Hidden coordinates of a process; 12 if not given
    #[arg(long, value_name = "N", value_parser = count)]
    latent: Option<usize>,

    /// Inducing points of a process; 200 if not given
    #[arg(long, value_name = "N", value_parser = count)]
    inducing: Option<usize>,

    /// Which frames the inducing points begin at
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: usize,

    /// Go on from a file: frames of further clips come to its own; a process is trained further, and of the clips only the first one's
    /// skeleton is taken
    #[arg(long, value_name = "FILE.prior", conflicts_with_all = ["latent", "inducing"])]
    resume: Option<PathBuf>,

    /// Take joints of the same names from clips of other skeletons, and leave the others as they are
    #[arg(long)]
    by_name: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// frames with handles near the wanted ones: the best
    Neighbours,
    /// fully independent training conditional, the paper's choice
    Fitc,
    /// deterministic training conditional
    Dtc,
    /// partially independent training conditional
    Pitc,
    /// the full process: time grows with the cube of the frames
    Gp,
}

impl Method {
    fn process(self) -> Option<ProcessMethod> {
        match self {
            Self::Neighbours => None,
            Self::Fitc => Some(ProcessMethod::Fitc),
            Self::Dtc => Some(ProcessMethod::Dtc),
            Self::Pitc => Some(ProcessMethod::Pitc),
            Self::Gp => Some(ProcessMethod::Full),
        }
    }
}

#[derive(Serialize)]
struct LearnJson<'a> {
    name: &'a str,
    clips: usize,
    seen: usize,
    kept: usize,
    bytes: usize,
    /// What was learnt, and of a process minus the logarithm of its likelihood and the seconds that it took.
    method: &'a str,
    cost: Option<f64>,
    seconds: Option<f64>,
    stopped: bool,
}

impl LearnVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.check_files()?;
        let read = |path: &Path| {
            let mut motion =
                load_motion(path, &MotionOptions::default()).map_err(|error| Failure::hinted(&error))?;
            motion.drop_first_apart();
            Ok::<_, Failure>(motion)
        };
        let first = read(&self.clips[0])?;
        let creature = first.creature;
        let stop = stop_flag()?;
        let before = self.resume.as_ref().map(|file| self.prior(file, &creature)).transpose()?;
        if let Some(Prior::Process(process)) = before {
            return self.train(out, &creature, *process, 0, &stop);
        }
        let settings = SelectorSettings { keep: self.frames, ..SelectorSettings::default() };
        let mut selector = FrameSelector::new(&creature, settings);
        if let Some(Prior::Frames(frames)) = &before {
            selector.add_kept(frames)?;
        }
        self.see(&mut selector, 0, &first.clip)?;
        for (index, path) in self.clips.iter().enumerate().skip(1) {
            if stop.load(Ordering::Relaxed) {
                eprintln!("gambol: stopped; what was seen is kept");
                break;
            }
            let clip = load_motion_of(path, &creature, &MotionOptions::default(), self.by_name)
                .map_err(|error| Failure::hinted(&error))?;
            self.see(&mut selector, index, &clip)?;
        }
        let seen = selector.seen();
        let frames = selector.finish()?;
        let Some(method) = self.method.process() else {
            return self.keep(out, &creature, Learnt::Frames(frames), seen, &stop);
        };
        let own = ProcessSettings::default();
        let settings = ProcessSettings {
            latent: self.latent.unwrap_or(own.latent),
            inducing: self.inducing.unwrap_or(own.inducing),
            seed: self.seed,
            ..own
        };
        let process = PoseProcess::begin(&creature, frames, method, settings)?;
        self.train(out, &creature, process, seen, &stop)
    }

    /// What a file says, for the same skeleton.
    fn prior(&self, file: &Path, creature: &Creature) -> Result<Prior, Failure> {
        let place = file.display().to_string();
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::Failed(format!("{place}: cannot be read: {error}")))?;
        let joints = if self.by_name { JointMatch::ByName } else { JointMatch::Same };
        prior_of_file(&place, &text, creature, joints).map_err(|error| Failure::Failed(error.to_string()))
    }

    fn train(
        &self,
        out: &mut impl Write,
        creature: &Creature,
        mut process: PoseProcess,
        seen: usize,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        /// Rounds between two words about it.
        const TOLD: usize = 10;
        let began = std::time::Instant::now();
        let cost = process.train(self.rounds, |round, cost| {
            if round % TOLD == 0 {
                let seconds = began.elapsed().as_secs_f64();
                eprintln!("gambol: round {round} of {}, {seconds:.0} s: {cost:.1}", self.rounds);
            }
            if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let seconds = began.elapsed().as_secs_f64();
        self.keep(out, creature, Learnt::Process { process: Box::new(process), cost, seconds }, seen, stop)
    }

    /// What can be known before the work.
    fn check_files(&self) -> Result<(), Failure> {
        let fail = |path: &Path, reason: &str| Err(Failure::Failed(format!("{}{reason}", path.display())));
        if let Some(stranger) = self.clips.iter().find(|path| !is_motion(path)) {
            return fail(stranger, ": motion is read from .bvh, .amc, .json, .npz and .pack files");
        }
        if self.clips.iter().any(|input| is_same_file(input, &self.output)) {
            return fail(&self.output, " is read here and never written over; choose another name");
        }
        if let Some(file) = self.resume.as_ref().filter(|file| !file.exists()) {
            return fail(file, ": there is no such file");
        }
        if self.output.exists() && !self.force {
            return fail(&self.output, " exists; --force replaces it");
        }
        Ok(())
    }

    fn see(&self, selector: &mut FrameSelector, index: usize, clip: &Clip) -> Result<(), Failure> {
        for pose in &clip.poses {
            selector.add(pose)?;
        }
        let (of, path) = (self.clips.len(), self.clips[index].display());
        let seen = written::count(selector.seen(), "frame");
        eprintln!("gambol: clip {} of {of}, {path}: {seen} seen", index + 1);
        Ok(())
    }

    /// Writes what was learnt.
    fn keep(
        &self,
        out: &mut impl Write,
        creature: &Creature,
        learnt: Learnt,
        seen: usize,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let (text, kept, method, cost, seconds) = match learnt {
            Learnt::Frames(frames) => {
                (to_prior_file(creature, &frames), frames.poses().len(), "neighbours", None, None)
            }
            Learnt::Process { process, cost, seconds } => {
                let text = to_process_file(creature, &process);
                (text, process.frames().poses().len(), process.method().name(), Some(cost), Some(seconds))
            }
        };
        write_file(&self.output, text.as_bytes(), self.force)?;
        written::tell(&self.output, &written::count(kept, "frame"));
        let stopped = stop.load(Ordering::Relaxed);
        let (clips, bytes, name) = (self.clips.len(), text.len(), creature.name());
        if self.json {
            let told = LearnJson { name, clips, seen, kept, bytes, method, cost, seconds, stopped };
            write_json(out, &told)?;
        } else {
            let (clips, seen) = (written::count(clips, "clip"), written::count(seen, "frame"));
            writeln!(out, "{name}: {kept} of {seen} of {clips} stand for all")?;
            if let (Some(cost), Some(seconds)) = (cost, seconds) {
                writeln!(
                    out,
                    "{method}: minus the logarithm of the likelihood {cost:.1} after {seconds:.1} s"
                )?;
            }
        }
        if stopped { Err(Failure::Ended { status: STOPPED, message: None }) } else { Ok(()) }
    }
}

/// What is written in the end.
enum Learnt {
    Frames(PoseFrames),
    Process { process: Box<PoseProcess>, cost: f64, seconds: f64 },
}
