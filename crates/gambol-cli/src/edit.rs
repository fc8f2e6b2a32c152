//! `gambol edit`: ends of limbs are moved in a packed clip, which stays packed.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gambol::{MotionOptions, PackedMotion, load_packed};
use gambol_formats::mocap::RecordingOptions;
use gambol_formats::pack::to_pack_file;
use gambol_formats::write_file;
use gambol_model::Vec3;
use gambol_motion::{PackEdit, edit_pack};
use serde::Serialize;

use super::pose::point;
use super::settings::finite;
use super::{Failure, is_same_file, write_json, written};

/// Moves ends of limbs in a packed clip, which stays packed
#[derive(Args)]
#[command(
    after_help = "An end goes its way from a time on for so long, farthest in the middle and back again; the rest of the body follows: in a clip of\n\
    --method ik in its basis, in others the joints of the limb. Edits add up, and --clear takes away those that were made before. Without -o the\n\
    clip itself is replaced, whole or not at all (docs/motion.md).\n\n\
    Examples:\n  gambol edit walk.pack --move foot.left:0,0,0.1@1.2+0.4\n  \
    gambol edit walk.pack --move hand.left:0.2,0,0.3@0.5+1 --move head:0,0,-0.1@0.5+1 -o wave.pack\n  gambol edit walk.pack --clear"
)]
pub(super) struct EditVerb {
    /// The .pack file
    pack: PathBuf,

    /// An end, a landmark or a body; how far it goes, m; when it begins and how long it takes, s. May be given several times
    #[arg(long = "move", value_name = "END:X,Y,Z@T+S", value_parser = edit, allow_hyphen_values = true)]
    moves: Vec<Move>,

    /// Take away the edits that were made before
    #[arg(long)]
    clear: bool,

    /// The file to write; the packed clip itself if not given
    #[arg(short, long, value_name = "FILE.pack")]
    output: Option<PathBuf>,

    /// Who moves: a name from the gallery or a file; as the clip says if not given
    #[arg(long, value_name = "CREATURE")]
    creature: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// An edit as it is written.
#[derive(Clone)]
struct Move {
    name: String,
    offset: Vec3,
    start: f64,
    length: f64,
}

fn edit(text: &str) -> Result<Move, String> {
    let expected = || "expected END:X,Y,Z@T+S, for example foot.left:0,0,0.1@1.2+0.4".to_owned();
    let (name, rest) = text.rsplit_once(':').ok_or_else(expected)?;
    let (offset, time) = rest.split_once('@').ok_or_else(expected)?;
    let (start, length) = time.rsplit_once('+').ok_or_else(expected)?;
    let numbers: Vec<f64> = offset.split(',').map(finite).collect::<Result<_, _>>()?;
    let [x, y, z] = numbers[..] else { return Err(expected()) };
    let (start, length) = (finite(start)?, finite(length)?);
    if length <= 0.0 {
        return Err(format!("{length} s is no time that a move takes"));
    }
    Ok(Move { name: name.to_owned(), offset: Vec3::new(x, y, z), start, length })
}

#[derive(Serialize)]
struct EditJson<'a> {
    name: &'a str,
    bytes: usize,
    /// How many the clip has now.
    edits: usize,
    moved: Vec<MovedJson<'a>>,
}

#[derive(Serialize)]
struct MovedJson<'a> {
    end: &'a str,
    /// m, at the worst key
    miss: f64,
}

impl EditVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let output = self.check_files()?;
        let options =
            MotionOptions { recording: RecordingOptions::default(), creature: self.creature.clone() };
        let PackedMotion { creature, packed, basis } =
            load_packed(&self.pack, &options).map_err(|error| Failure::hinted(&error))?;
        let edit = |wanted: &Move| -> Result<PackEdit, Failure> {
            let Move { ref name, offset, start, length } = *wanted;
            Ok(PackEdit { point: point(&creature, name)?, offset, start, length })
        };
        let edits: Vec<PackEdit> = self.moves.iter().map(edit).collect::<Result<_, _>>()?;
        let report = edit_pack(&creature, &packed, basis.as_ref(), &edits, self.clear)
            .map_err(|error| Failure::Failed(format!("{}: {error}", self.pack.display())))?;
        let file = to_pack_file(&report.bytes);
        // Its own file is replaced, as was asked for.
        write_file(output, &file, self.force || output == self.pack)?;
        written::tell(output, &written::count(report.edits, "edit"));
        let moved = self.moves.iter().zip(&report.misses);
        let moved = moved.map(|(wanted, miss)| MovedJson { end: &wanted.name, miss: *miss });
        if self.json {
            let (bytes, moved) = (file.len(), moved.collect());
            return write_json(out, &EditJson { name: creature.name(), bytes, edits: report.edits, moved });
        }
        for MovedJson { end, miss } in moved {
            writeln!(out, "{end}: within {:.1} mm of where it is moved", 1e3 * miss)?;
        }
        Ok(())
    }

    /// Where it is written.
    fn check_files(&self) -> Result<&Path, Failure> {
        let fail = |path: &Path, reason: &str| Err(Failure::Failed(format!("{}{reason}", path.display())));
        let is_pack =
            |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pack"));
        if self.moves.is_empty() && !self.clear {
            return Err(Failure::Failed("nothing is edited; --move says what, or --clear".to_owned()));
        }
        if !self.pack.exists() {
            return fail(&self.pack, ": there is no such file");
        }
        if !is_pack(&self.pack) {
            return fail(&self.pack, ": only .pack files are edited; gambol compress makes them");
        }
        let Some(output) = &self.output else { return Ok(&self.pack) };
        if !is_pack(output) {
            return fail(output, ": a packed clip's file ends in .pack");
        }
        if is_same_file(&self.pack, output) {
            return Ok(&self.pack);
        }
        if output.exists() && !self.force {
            return fail(output, " exists; --force replaces it");
        }
        Ok(output)
    }
}
