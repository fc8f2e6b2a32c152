//! `gambol sketch`: a first sketch of a run, for `gambol optimize`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gambol::gallery;
use gambol_control::sketch::{Misfit, Sketch, SuggestSettings, suggest, suggest_after, to_toml};
use gambol_dynamics::Data;
use gambol_formats::write_file;
use gambol_gait::{Sampling, Wish, perform, prepare};
use gambol_model::Creature;

use super::creature::CreatureArguments;
use super::files::folder_of;
use super::sketch_file::way_from;
use super::{Failure, is_same_file};

/// Writes a first sketch of a run for a creature: what `gambol optimize` makes a controller of
#[derive(Args)]
#[command(
    after_help = "Period, bursts and speed come from the creature's size, its springs from its weight; legs alternate along the \
                  diagonals\nif it has a left and a right, else all feet hop. No mode is marked yet: the twelve lowest vibrations may all \
                  help. Add [[flight.priority]]\nand [[ground.priority]] for those that are to be seen (docs/controllers.md).\n\
                  With a gait, all that is taken from the gait as gambol designs it, and the modes that are most to be seen in it are marked.\n\n\
                  Examples:\n  gambol sketch dog\n  gambol sketch kangaroo hop -o hop.toml\n  gambol sketch fox.glb -o fox-runs.toml\n  \
                  gambol optimize fox-runs.toml --preview -o bursts.gif\n  gambol optimize fox-runs.toml -o fox-runs.glb"
)]
pub(super) struct SketchVerb {
    #[command(flatten)]
    creature: CreatureArguments,

    /// A gait that it is to be like: trot, pace, hop, a run on two legs
    #[arg(value_name = "GAIT")]
    gait: Option<String>,

    /// The file; it is printed if not given
    #[arg(short, long, value_name = "FILE.toml")]
    output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl SketchVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(file) = self.output.as_deref().filter(|file| is_same_file(file, self.creature.file())) {
            let message =
                format!("{} is read here and never written over; choose another name", file.display());
            return Err(Failure::Failed(message));
        }
        let creature = self.creature.load()?;
        let sketch = first(&creature, &self.name(), self.gait.as_deref())?;
        let text = to_toml(&sketch);
        match &self.output {
            Some(file) => Ok(write_file(file, text.as_bytes(), self.force)?),
            None => Ok(out.write_all(text.as_bytes())?),
        }
    }

    /// What the sketch has to call the creature, so that it is found from where the sketch is.
    fn name(&self) -> String {
        let name = &self.creature.creature;
        if gallery::find(name).is_some() {
            return name.clone();
        }
        let folder = self.output.as_deref().map_or(Path::new("."), folder_of);
        way_from(Path::new(name), folder).unwrap_or_else(|| name.clone())
    }
}

/// A first sketch of a creature that the sketch is to call `name`, after a gait if one is given.
pub(super) fn first(creature: &Creature, name: &str, gait: Option<&str>) -> Result<Sketch, Failure> {
    let told = |Misfit { reason, .. }| Failure::Failed(format!("{}: {reason}", creature.name()));
    let settings = SuggestSettings::default();
    let Some(gait) = gait else {
        return Ok(suggest(creature, name, &settings).map_err(told)?.0);
    };
    let mut data = Data::new(creature);
    let (body, design) = prepare(creature.clone(), &mut data, gait, |_| (), &Wish::default())?;
    let clip = perform(&body, &mut data, &design.gait, &Sampling { seconds: None, fps: GAIT_KEYS })?.clip;
    Ok(suggest_after(creature, name, &clip, &settings).map_err(told)?.0)
}

/// Keys per second of a gait that a sketch is made after: a stance of a tenth of a second has a dozen.
const GAIT_KEYS: f64 = 120.0;
