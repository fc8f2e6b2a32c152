//! `gambol compress`: a clip into a few bytes a frame.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gambol::{MotionOptions, guess_contacts, load_motion};
use gambol_formats::mocap::RecordingOptions;
use gambol_formats::pack::to_pack_file;
use gambol_formats::write_file;
use gambol_motion::{PackReport, PackSettings, PackTarget, pack};
use serde::Serialize;

use super::compare::{ComparisonJson, tell};
use super::files::check_motion;
use super::settings::{count, positive};
use super::{Failure, is_same_file, write_json, written};

/// Packs a clip into a few bytes a frame, with an error that you choose
#[derive(Args)]
#[command(
    after_help = "The largest error is that of points 3 cm off each joint at any key, as a reader of the file gets them. Feet that stand\n\
    in the clip are kept where they stand. gambol convert and gambol inspect read the file (docs/motion.md).\n\n\
    Examples:\n  gambol compress walk.bvh -o walk.pack\n  gambol compress 17_10.amc -o boxing.pack --max-error 5\n  \
    gambol compress dance.bvh -o dance.pack --bytes 20000 --json\n  gambol convert walk.pack walk.glb --creature walk.bvh"
)]
pub(super) struct CompressVerb {
    /// .bvh, .amc, .json, .npz or .pack, or a clip in a skinned character: fox.glb#Walk
    clip: PathBuf,

    /// The file to write
    #[arg(short, long, value_name = "FILE.pack")]
    output: PathBuf,

    /// The largest error, mm; 1 if nothing is given
    #[arg(long, value_name = "MM", value_parser = positive, conflicts_with_all = ["rms", "bytes"])]
    max_error: Option<f64>,

    /// The root mean square error of joints, mm
    #[arg(long, value_name = "MM", value_parser = positive, conflicts_with = "bytes")]
    rms: Option<f64>,

    /// As exact as so many bytes allow
    #[arg(long, value_name = "N", value_parser = count)]
    bytes: Option<usize>,

    /// Store so many principal directions of the clip; as many as pay if not given
    #[arg(long, value_name = "K")]
    count: Option<usize>,

    /// Who moves in a .json, .npz or .pack clip: a name from the gallery or a file; as the clip says if not given
    #[arg(long, value_name = "CREATURE")]
    creature: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct CompressJson<'a> {
    bytes: usize,
    keys: usize,
    bytes_per_key: f64,
    /// Of a recording's floats: four bytes for each number of a pose by angles.
    ratio: f64,
    segment: usize,
    directions: usize,
    stances_held: usize,
    comparison: ComparisonJson<'a>,
}

impl CompressVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.check_files()?;
        let options =
            MotionOptions { recording: RecordingOptions::default(), creature: self.creature.clone() };
        let mut motion = load_motion(&self.clip, &options).map_err(|error| Failure::hinted(&error))?;
        if motion.drop_first_apart() {
            eprintln!("gambol: the first frame is a pose apart from the motion and left out");
        }
        let (creature, mut clip) = (motion.creature, motion.clip);
        if clip.contacts.is_empty() {
            clip.contacts = guess_contacts(&creature, &clip);
        }
        let settings = PackSettings { target: self.target(), count: self.count };
        let report = pack(&creature, &clip, &settings)
            .map_err(|error| Failure::Failed(format!("{}: {error}", self.clip.display())))?;
        let file = to_pack_file(&report.bytes);
        write_file(&self.output, &file, self.force)?;
        written::tell(
            &self.output,
            &format!("{}, {} bytes", written::clips(std::slice::from_ref(&clip)), file.len()),
        );
        let PackReport { comparison, segment, directions, held, .. } = report;
        let keys = clip.times.len();
        let ratio = (4 * creature.nv() * keys) as f64 / file.len() as f64;
        if self.json {
            return write_json(
                out,
                &CompressJson {
                    bytes: file.len(),
                    keys,
                    bytes_per_key: file.len() as f64 / keys as f64,
                    ratio,
                    segment,
                    directions,
                    stances_held: held,
                    comparison: ComparisonJson::new(&creature, &comparison),
                },
            );
        }
        writeln!(out, "{} bytes, {:.1} a key, 1:{ratio:.1}", file.len(), file.len() as f64 / keys as f64)?;
        writeln!(
            out,
            "knots every {segment} keys, {}, {} held",
            written::count(directions, "direction"),
            written::count(held, "stance")
        )?;
        tell(out, &creature, &comparison)
    }

    fn target(&self) -> PackTarget {
        match (self.bytes, self.rms) {
            // The file's own head and checksum.
            (Some(bytes), _) => PackTarget::Bytes(bytes.saturating_sub(12)),
            (None, Some(rms)) => PackTarget::Rms(1e-3 * rms),
            (None, None) => PackTarget::MaxError(1e-3 * self.max_error.unwrap_or(1.0)),
        }
    }

    /// What can be known before the work.
    fn check_files(&self) -> Result<(), Failure> {
        let fail = |path: &PathBuf, reason: &str| Err(Failure::Failed(format!("{}{reason}", path.display())));
        let place = check_motion(&self.clip)?;
        if !self.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pack")) {
            return fail(&self.output, ": a packed clip's file ends in .pack");
        }
        if is_same_file(&place.file, &self.output) {
            return fail(&self.output, " is read here and never written over; choose another name");
        }
        if self.output.exists() && !self.force {
            return fail(&self.output, " exists; --force replaces it");
        }
        Ok(())
    }
}
