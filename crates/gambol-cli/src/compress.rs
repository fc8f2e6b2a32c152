//! `gambol compress`: a clip into a few bytes a frame.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gambol::{MotionOptions, guess_contacts, load_motion};
use gambol_formats::basis::{JointMatch, from_basis_file};
use gambol_formats::mocap::RecordingOptions;
use gambol_formats::pack::to_pack_file;
use gambol_formats::write_file;
use gambol_model::Creature;
use gambol_motion::{Basis, Clip, PackReport, PackSettings, PackTarget, pack_with};
use serde::Serialize;

use super::compare::{ComparisonJson, tell};
use super::ends::EndsArguments;
use super::files::check_motion;
use super::settings::{count, positive};
use super::{Failure, is_same_file, write_json, written};

/// Packs a clip into a few bytes a frame, with an error that you choose
#[derive(Args)]
#[command(
    after_help = "The largest error is that of points 3 cm off each joint at any key, as a reader of the file gets them. Feet that stand\n\
    in the clip are kept where they stand. With --method ik only the root and the ends of limbs are kept, and poses are found by inverse\n\
    kinematics in a basis. gambol convert and gambol inspect read the file, gambol edit moves its ends (docs/motion.md).\n\n\
    Examples:\n  gambol compress walk.bvh -o walk.pack\n  gambol compress 09_06.amc -o run.pack --method ik --count 6 --levels 4,4\n  \
    gambol compress walk.bvh -o walk.pack --basis human.basis\n  gambol compress 17_10.amc -o boxing.pack --max-error 5\n  \
    gambol compress dance.bvh -o dance.pack --bytes 20000 --json\n  gambol convert walk.pack walk.glb --creature walk.bvh"
)]
pub(super) struct CompressVerb {
    /// .bvh, .amc, .json, .npz or .pack, or a clip in a skinned character: fox.glb#Walk
    clip: PathBuf,

    /// The file to write
    #[arg(short, long, value_name = "FILE.pack")]
    output: PathBuf,

    /// How it is packed
    #[arg(long, value_enum, default_value_t = Method::Direct)]
    method: Method,

    /// The largest error, mm; 1 if nothing is given
    #[arg(long, value_name = "MM", value_parser = positive, conflicts_with_all = ["rms", "bytes"])]
    max_error: Option<f64>,

    /// The root mean square error of joints, mm
    #[arg(long, value_name = "MM", value_parser = positive, conflicts_with = "bytes")]
    rms: Option<f64>,

    /// As exact as so many bytes allow
    #[arg(long, value_name = "N", value_parser = count)]
    bytes: Option<usize>,

    /// So many principal directions of the clip, or of --basis; as many as pay if not given, and 12 with --method ik
    #[arg(long, value_name = "K")]
    count: Option<usize>,

    /// A basis that several clips share: it is not stored, and has to be beside the packed clip when that is read
    #[arg(long, value_name = "FILE.basis")]
    basis: Option<PathBuf>,

    #[command(flatten)]
    ends: EndsArguments,

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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// coordinates of poses, to within an error
    Direct,
    /// the root and the ends of limbs; the rest by inverse kinematics
    Ik,
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
        let basis = self.basis.as_ref().map(|file| self.shared(file, &creature)).transpose()?;
        let shared = basis.as_ref().map(|(basis, file)| (basis, file.as_str()));
        if self.method == Method::Ik {
            let report =
                self.ends.pack(&creature, &clip, self.count, shared).map_err(|error| self.failed(&error))?;
            self.write(&report.bytes, &clip)?;
            return EndsArguments::tell(out, &creature, &clip, &report, self.json);
        }
        let settings = PackSettings { target: self.target(), count: self.count };
        let report = pack_with(&creature, &clip, &settings, shared).map_err(|error| self.failed(&error))?;
        let file = self.write(&report.bytes, &clip)?;
        let PackReport { comparison, segment, directions, held, .. } = report;
        let keys = clip.times.len();
        let ratio = (4 * creature.nv() * keys) as f64 / file as f64;
        if self.json {
            return write_json(
                out,
                &CompressJson {
                    bytes: file,
                    keys,
                    bytes_per_key: file as f64 / keys as f64,
                    ratio,
                    segment,
                    directions,
                    stances_held: held,
                    comparison: ComparisonJson::new(&creature, &comparison),
                },
            );
        }
        writeln!(out, "{} bytes, {:.1} a key, 1:{ratio:.1}", file, file as f64 / keys as f64)?;
        writeln!(
            out,
            "knots every {segment} keys, {}, {} held",
            written::count(directions, "direction"),
            written::count(held, "stance")
        )?;
        tell(out, &creature, &comparison)
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::Failed(format!("{}: {error}", self.clip.display()))
    }

    /// Writes the file, and tells its bytes.
    fn write(&self, packed: &[u8], clip: &Clip) -> Result<usize, Failure> {
        let file = to_pack_file(packed);
        write_file(&self.output, &file, self.force)?;
        let clips = written::clips(std::slice::from_ref(clip));
        written::tell(&self.output, &format!("{clips}, {} bytes", file.len()));
        Ok(file.len())
    }

    /// The basis of a file, and the name that it is to have beside the packed clip.
    fn shared(&self, file: &PathBuf, creature: &Creature) -> Result<(Basis, String), Failure> {
        let place = file.display().to_string();
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::Failed(format!("{place}: cannot be read: {error}")))?;
        let basis = from_basis_file(&place, &text, creature, JointMatch::Same)
            .map_err(|error| Failure::Failed(error.to_string()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = self.output.with_file_name(&name);
        if !is_same_file(file, &beside) {
            eprintln!("gambol: {} is read with {name} beside it: copy it there", self.output.display());
        }
        Ok((basis, name))
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
        if self.method == Method::Direct && self.ends.is_given() {
            return Err(Failure::Failed(
                "--levels, --ends, --lambda, --metric and --parts go with --method ik".to_owned(),
            ));
        }
        if self.method == Method::Ik
            && (self.max_error.is_some() || self.rms.is_some() || self.bytes.is_some())
        {
            let told = "--method ik is set by --count and --levels, not by an error or a size";
            return Err(Failure::Failed(told.to_owned()));
        }
        if self.basis.as_ref().is_some_and(|basis| is_same_file(basis, &self.output)) {
            return fail(&self.output, " is read here and never written over; choose another name");
        }
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
