//! `gambol rig`: what was guessed about a skinned model, as a file to edit.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gambol_formats::gltf::rig_to_toml;
use gambol_formats::write_file;

use super::creature::CreatureArguments;
use super::{Failure, is_same_file, written};

/// Writes what was guessed about a glTF model as a small file to edit, which every command takes with --rig
#[derive(Args)]
#[command(
    after_help = "The file says forward and up, unit, mass, landmarks, and of each bone its joint, axis, limits, stiffness \
                  and mass; lines that are right may be deleted. docs/formats.md explains every key.\n\nExamples:\n  gambol rig fox.glb -o fox.toml\n  gambol inspect fox.glb --rig fox.toml\n  \
                  gambol animate fox.glb walk --rig fox.toml -o fox-walks.glb"
)]
pub(super) struct RigVerb {
    #[command(flatten)]
    creature: CreatureArguments,

    /// The file; it is printed if not given
    #[arg(short, long, value_name = "FILE.toml")]
    output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl RigVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(file) = self.output.as_deref().filter(|file| is_same_file(file, self.creature.file())) {
            let message =
                format!("{} is read here and never written over; choose another name", file.display());
            return Err(Failure::Failed(message));
        }
        let (creature, rig) = self.creature.load_rig()?;
        let Some(rig) = rig else {
            let message = format!(
                "{}: only glTF models are guessed at; this file says itself what it is",
                creature.name()
            );
            return Err(Failure::Failed(message));
        };
        let text = rig_to_toml(&creature, &rig).map_err(|error| Failure::Failed(error.to_string()))?;
        match &self.output {
            Some(file) => {
                write_file(file, text.as_bytes(), self.force)?;
                written::tell(file, &format!("1 rig, {}", written::count(rig.bones.len(), "bone")));
                Ok(())
            }
            None => Ok(out.write_all(text.as_bytes())?),
        }
    }
}
