//! `gambol sketch`: a first sketch of a run, for `gambol optimize`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gambol::gallery;
use gambol_control::sketch::{Misfit, SuggestSettings, suggest, to_toml};
use gambol_formats::write_file;

use super::creature::CreatureArguments;
use super::files::folder_of;
use super::sketch_file::way_from;
use super::{Failure, is_same_file};

/// Writes a first sketch of a run for a creature: what `gambol optimize` makes a controller of
#[derive(Args)]
#[command(
    after_help = "Period, bursts and speed come from the creature's size, its springs from its weight; legs alternate along the \
                  diagonals\nif it has a left and a right, else all feet hop. No mode is marked yet: the twelve lowest vibrations may all \
                  help. Add [[flight.priority]]\nand [[ground.priority]] for those that are to be seen (docs/controllers.md).\n\n\
                  Examples:\n  gambol sketch dog\n  gambol sketch fox.glb -o fox-runs.toml\n  \
                  gambol optimize fox-runs.toml --preview -o bursts.gif\n  gambol optimize fox-runs.toml -o fox-runs.glb"
)]
pub(super) struct SketchVerb {
    #[command(flatten)]
    creature: CreatureArguments,

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
        let (sketch, _) = suggest(&creature, &self.name(), &SuggestSettings::default()).map_err(
            |Misfit { reason, .. }| Failure::Failed(format!("{}: {reason}", self.creature.creature)),
        )?;
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
