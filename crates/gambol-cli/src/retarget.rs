//! `gambol retarget`: a motion of one creature becomes a motion of another.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gambol::{Motion, MotionOptions, guess_contacts, load_motion};
use gambol_dynamics::Terrain;
use gambol_formats::mocap::RecordingOptions;
use gambol_formats::write_files;
use gambol_gait::{LimbPair, RetargetSettings, Retargeted, retarget};
use gambol_model::Creature;
use serde::Serialize;

use super::animate::RootMotion;
use super::creature::CreatureArguments;
use super::files::{Outputs, check_motion};
use super::hint::told;
use super::render::{bar, end_of_bar, to_bytes, to_rig_bytes};
use super::{Failure, write_json, written};

/// Lets a creature move as another one does
#[derive(Args)]
#[command(
    after_help = "Limbs are matched by what they are for, so that names and numbers of bones do not matter: legs from the hind ones on, the arms of a\n\
    person with the front legs of an animal, head, tail and trunk. Every body turns from its rest as the body at the same place of the other's\n\
    limb does, ways are longer by the ratio of the legs, feet stand where they stood, and joints stay within their limits.\n\
    Whether gravity believes it, `gambol inspect` tells of what was written (docs/motion.md).\n\n\
    Examples:\n  gambol retarget walk.bvh fox.glb -o fox-walks.glb\n  gambol retarget fox.glb#Run dog -o dog.gif\n  \
    gambol retarget 16_35.amc robot.xml --root free --tempo size -o robot.npz"
)]
pub(super) struct RetargetVerb {
    /// A motion: .bvh, .amc, .json, .npz or .pack, or a clip in a .glb, .gltf, .vrm or .fbx: fox.glb#Walk
    from: PathBuf,

    #[command(flatten)]
    creature: CreatureArguments,

    /// The file to write, by its ending: .glb, .gltf, .bvh, .json, .npz, .png, .svg, .gif or .apng; may be given several times
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Keep the times, or let a larger creature take its time: longer by the root of how many times as long its legs are
    #[arg(long, value_enum, default_value_t = Tempo::Same)]
    tempo: Tempo,

    /// Who moves in a .json, .npz or .pack clip: a name from the gallery or a file; as the clip says if not given
    #[arg(long, value_name = "CREATURE")]
    mover: Option<String>,

    /// The skeleton of an .amc file
    #[arg(long, value_name = "FILE.asf")]
    asf: Option<PathBuf>,

    /// Whether the creature travels in the file, or stays in place for a game to lead it
    #[arg(long, value_enum, default_value_t = RootMotion::Travel)]
    root_motion: RootMotion,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tempo {
    /// as it was
    Same,
    /// as the size has it
    Size,
}

/// In metres and seconds.
#[derive(Serialize)]
struct RetargetJson<'r> {
    clip: &'r str,
    keys: usize,
    seconds: f64,
    scale: f64,
    pairs: &'r [LimbPair],
    alone: &'r [String],
    lost: &'r [String],
    miss: f64,
}

impl RetargetVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let place = check_motion(&self.from)?;
        let mut inputs = self.creature.inputs();
        inputs.push(&place.file);
        inputs.extend(self.asf.as_deref());
        let outputs = Outputs::check(&self.output, None, &inputs, self.force)?;
        self.creature.refuse_plant()?;
        let motion = self.motion()?;
        let (creature, rig) = self.creature.load_rig()?;
        outputs.fit(1, rig.is_some())?;

        let tempo = if self.tempo == Tempo::Size { 0.5 } else { 0.0 };
        let settings = RetargetSettings { tempo, ..RetargetSettings::default() };
        let mut progress = |done, all| bar("poses", done, all);
        let made = retarget((&motion.creature, &motion.clip), &creature, &settings, &mut progress);
        end_of_bar();
        let made =
            made.map_err(|error| Failure::Failed(format!("{}: {}", self.from.display(), told(&error))))?;

        let mut ready: Vec<(&Path, Vec<u8>)> = Vec::new();
        for (path, format) in &outputs.clips {
            let (clip, root_motion) = (&made.clip, self.root_motion.into());
            let bytes = match rig.as_ref().filter(|_| format.is_gltf()) {
                Some(rig) => {
                    let (file, options) = (self.creature.file(), self.creature.options()?);
                    let to = ((*format, path.as_path()), (rig, file, &options));
                    to_rig_bytes(to.0, to.1, &creature, std::slice::from_ref(clip), root_motion)
                }
                None => to_bytes(*format, &creature, Some(&Terrain::Flat), clip, root_motion),
            };
            let bytes = bytes.map_err(|reason| Failure::Failed(format!("{}: {reason}", path.display())))?;
            ready.push((path.as_path(), bytes));
        }
        write_files(&ready, self.force)?;
        outputs.tell(std::slice::from_ref(&made.clip), &[creature.name(), &made.clip.name]);
        if self.json {
            return write_json(out, &json(&made));
        }
        tell(out, &motion.creature, &creature, &made)
    }

    /// The motion, and when its feet stand.
    fn motion(&self) -> Result<Motion, Failure> {
        let options = MotionOptions {
            recording: RecordingOptions { asf: self.asf.clone(), ..RecordingOptions::default() },
            creature: self.mover.clone(),
        };
        let mut motion = load_motion(&self.from, &options).map_err(|error| Failure::hinted(&error))?;
        motion.drop_first_apart();
        if motion.clip.contacts.is_empty() {
            motion.clip.contacts = guess_contacts(&motion.creature, &motion.clip);
        }
        Ok(motion)
    }
}

fn json(made: &Retargeted) -> RetargetJson<'_> {
    RetargetJson {
        clip: &made.clip.name,
        keys: made.clip.times.len(),
        seconds: made.clip.duration(),
        scale: made.scale,
        pairs: &made.pairs,
        alone: &made.alone,
        lost: &made.lost,
        miss: made.miss,
    }
}

fn tell(out: &mut impl Write, from: &Creature, to: &Creature, made: &Retargeted) -> Result<(), Failure> {
    let (from, to) = (from.name(), to.name());
    writeln!(
        out,
        "{to} moves as {from}: {}, ways {:.2} times as long",
        written::clips(std::slice::from_ref(&made.clip)),
        made.scale
    )?;
    let pairs: Vec<String> = made
        .pairs
        .iter()
        .map(
            |pair| {
                if pair.from == pair.to { pair.to.clone() } else { format!("{} as {}", pair.to, pair.from) }
            },
        )
        .collect();
    writeln!(out, "limbs: {}", pairs.join(", "))?;
    if !made.alone.is_empty() {
        writeln!(out, "nothing moves {}: they go along", made.alone.join(", "))?;
    }
    if !made.lost.is_empty() {
        writeln!(out, "{to} has no {}", made.lost.join(", "))?;
    }
    if made.miss > 1e-3 {
        writeln!(
            out,
            "feet are up to {:.0} mm off where they should stand: its legs do not reach",
            1e3 * made.miss
        )?;
    }
    Ok(())
}
