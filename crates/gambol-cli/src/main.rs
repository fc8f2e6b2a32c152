//! The command line: one module per verb. Data goes to stdout, talk to stderr; the exit status is 0, 1 (failed) or
//! 2 (usage), and `optimize` has two of its own.

mod animate;
mod basis;
mod clip_report;
mod compare;
mod compress;
mod convert;
mod creature;
mod edit;
mod ends;
mod export;
mod files;
mod forces;
mod gait_file;
mod gallery;
mod hint;
mod inspect;
mod interrupt;
mod learn;
mod modes;
mod optimize;
mod plant_modes;
mod plant_report;
mod plant_settings;
mod pose;
mod reach;
mod render;
mod retarget;
mod rig;
mod settings;
mod simulate;
mod sketch;
mod sketch_file;
mod stiffness;
mod studio;
mod table;
mod wind;
mod wind_files;
mod wind_forest;
mod written;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gambol_formats::WriteError;
use gambol_model::Hinted;
use gambol_picture::PictureError;

use hint::told;

#[derive(Parser)]
#[command(
    name = "gambol",
    version = concat!(env!("CARGO_PKG_VERSION"), ", licence MIT OR Apache-2.0"),
    about = "Brings any creature to life from its own body",
    after_help = "A CREATURE is a name from `gambol gallery` or an MJCF, URDF, glTF, VRM, FBX, BVH, ASF or AMC file,\nor a plant: MTG, SWC or CSV.\n\n\
                  Examples:\n  gambol studio\n  gambol gallery\n  gambol inspect dog\n  gambol modes dog --count 12\n  gambol animate dog trot -o trot.glb\n  gambol simulate loop pump --phase 90 -o roll.glb\n  gambol roam dog --speed 1@1 --turn 30@4 -o dog-roams.glb\n  gambol sketch dog -o dog-runs.toml\n  gambol optimize runner --controller my-runner.toml -o run.glb\n  gambol animate fox.glb walk -o fox-walks.glb\n  gambol convert walk.bvh walk.glb --loop\n  gambol basis walk.bvh -o walk.basis\n  gambol compress walk.bvh -o walk.pack\n  gambol edit walk.pack --move foot.left:0,0,0.1@1.2+0.4\n  gambol retarget walk.bvh fox.glb -o fox-walks.glb\n  gambol export dog -o dog.xml\n  gambol wind oak --gusts 0.3 -o oak.gif\n  gambol inspect robot.urdf --root free --json"
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Animate(Box<animate::Animate>),
    Basis(basis::BasisVerb),
    Compare(compare::CompareVerb),
    Compress(compress::CompressVerb),
    Convert(convert::Convert),
    Edit(edit::EditVerb),
    Export(export::Export),
    Gallery(gallery::Gallery),
    Inspect(inspect::Inspect),
    Learn(learn::LearnVerb),
    Modes(modes::ModesVerb),
    Optimize(Box<optimize::Optimize>),
    Pose(pose::PoseVerb),
    Reach(reach::ReachVerb),
    Retarget(retarget::RetargetVerb),
    Rig(rig::RigVerb),
    Roam(Box<simulate::RoamVerb>),
    Simulate(Box<simulate::Simulate>),
    Sketch(sketch::SketchVerb),
    Stiffness(stiffness::StiffnessVerb),
    Studio(studio::Studio),
    Wind(Box<wind::WindVerb>),
}

/// How a verb can end other than well.
#[derive(Debug)]
enum Failure {
    /// The work could not be done: exit 1.
    Failed(String),
    /// The work was done, but what it was for was not reached.
    Ended { status: u8, message: Option<String> },
    /// Nobody reads our output any more; that is no failure of ours.
    OutputClosed,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Failed(format!("cannot write the output: {error}")),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let hint = if matches!(error, WriteError::Exists { .. }) { "; --force replaces it" } else { "" };
        Self::Failed(format!("{error}{hint}"))
    }
}

impl From<PictureError> for Failure {
    fn from(error: PictureError) -> Self {
        match error {
            PictureError::File(error) => error.into(),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<gambol_modes::ModesError> for Failure {
    fn from(error: gambol_modes::ModesError) -> Self {
        Self::hinted(&error)
    }
}

impl From<gambol_plant::PlantError> for Failure {
    fn from(error: gambol_plant::PlantError) -> Self {
        Self::hinted(&error)
    }
}

impl Failure {
    /// An error of the library, its hint as an option of the command line.
    fn hinted(error: &impl Hinted) -> Self {
        Self::Failed(told(error))
    }
}

impl From<gambol_motion::BasisError> for Failure {
    fn from(error: gambol_motion::BasisError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Parses the arguments of this process and runs the verb.
fn main() -> ExitCode {
    let arguments = Arguments::parse(); // exits with 2 and a message on bad usage
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let result = match arguments.verb {
        Verb::Animate(verb) => verb.run(&mut out),
        Verb::Basis(verb) => verb.run(&mut out),
        Verb::Compare(verb) => verb.run(&mut out),
        Verb::Compress(verb) => verb.run(&mut out),
        Verb::Convert(verb) => verb.run(),
        Verb::Edit(verb) => verb.run(&mut out),
        Verb::Export(verb) => verb.run(),
        Verb::Gallery(verb) => verb.run(&mut out),
        Verb::Inspect(verb) => verb.run(&mut out),
        Verb::Learn(verb) => verb.run(&mut out),
        Verb::Modes(verb) => verb.run(&mut out),
        Verb::Optimize(verb) => verb.run(&mut out),
        Verb::Pose(verb) => verb.run(&mut out),
        Verb::Reach(verb) => verb.run(&mut out),
        Verb::Retarget(verb) => verb.run(&mut out),
        Verb::Rig(verb) => verb.run(&mut out),
        Verb::Roam(verb) => verb.run(&mut out),
        Verb::Simulate(verb) => verb.run(&mut out),
        Verb::Sketch(verb) => verb.run(&mut out),
        Verb::Stiffness(verb) => verb.run(&mut out),
        Verb::Studio(verb) => verb.run(&mut out),
        Verb::Wind(verb) => verb.run(&mut out),
    };
    match result.and_then(|()| Ok(out.flush()?)) {
        Ok(()) | Err(Failure::OutputClosed) => ExitCode::SUCCESS,
        Err(Failure::Failed(message)) => {
            eprintln!("gambol: {message}");
            ExitCode::FAILURE
        }
        Err(Failure::Ended { status, message }) => {
            if let Some(message) = message {
                eprintln!("gambol: {message}");
            }
            ExitCode::from(status)
        }
    }
}

/// Writes `value` as JSON, indented, with a line end.
fn write_json(out: &mut impl Write, value: &impl serde::Serialize) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(std::io::Error::from)?;
    Ok(writeln!(out)?)
}

/// Whether two paths lead to one file, also through links.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let (Ok(real_a), Ok(real_b)) = (a.canonicalize(), b.canonicalize()) else { return false };
    real_a == real_b || is_hard_link(&real_a, &real_b)
}

#[cfg(unix)]
fn is_hard_link(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) else { return false };
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// A hard link stays whole: files are replaced by renaming, which leaves its other names alone.
#[cfg(not(unix))]
fn is_hard_link(_: &Path, _: &Path) -> bool {
    false
}
