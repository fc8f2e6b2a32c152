//! `gambol compare`: how far two clips are apart.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gambol::{MotionOptions, guess_contacts, load_motion};
use gambol_formats::mocap::RecordingOptions;
use gambol_model::Creature;
use gambol_motion::{Clip, Comparison, JointList, compare};
use serde::Serialize;

use super::files::check_motion;
use super::table::plain;
use super::{Failure, write_json};

/// Tells how far a clip is from another of the same creature: distortion, distances, and how feet slide
#[derive(Args)]
#[command(
    after_help = "The distortion is d = 100 |A - B| / |A - mean of A| over the positions of all joints (Karni and Gotsman 2004).\n\
    The shell error is the largest distance of points 3 cm off each joint, which turns show in too.\n\n\
    Examples:\n  gambol compare walk.bvh walk.pack --creature walk.bvh\n  gambol compare trot.json edited.json --json\n  gambol compare wolf.fbx#Run wolf.glb#Run"
)]
pub(super) struct CompareVerb {
    /// The original: .bvh, .amc, .json, .npz or .pack, or a clip in a skinned character: fox.glb#Walk
    a: PathBuf,

    /// What it became
    b: PathBuf,

    /// Who moves in .json, .npz or .pack clips: a name from the gallery or a file; as the clips say if not given
    #[arg(long, value_name = "CREATURE")]
    creature: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// In metres, seconds and per cent.
#[derive(Serialize)]
pub(super) struct ComparisonJson<'a> {
    distortion: f64,
    distortion_squared: f64,
    rms: f64,
    max: f64,
    shell: f64,
    shell_error: f64,
    body: &'a str,
    time: f64,
    skate: [f64; 2],
}

impl<'a> ComparisonJson<'a> {
    pub(super) fn new(creature: &'a Creature, found: &Comparison) -> Self {
        Self {
            distortion: found.distortion,
            distortion_squared: found.distortion_squared,
            rms: found.rms,
            max: found.max,
            shell: found.shell,
            shell_error: found.shell_error,
            body: &creature.bodies()[found.body].name,
            time: found.time,
            skate: found.skate,
        }
    }
}

impl CompareVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let (creature, [mut a, b]) = self.load()?;
        if a.contacts.is_empty() {
            a.contacts = guess_contacts(&creature, &a);
        }
        let found = compare(&creature, &a, &b).map_err(|error| Failure::Failed(error.to_string()))?;
        if self.json {
            return write_json(out, &ComparisonJson::new(&creature, &found));
        }
        writeln!(out, "{} and {}: {} keys", self.a.display(), self.b.display(), a.times.len())?;
        tell(out, &creature, &found)
    }

    /// Both clips, as clips of the first one's creature.
    fn load(&self) -> Result<(Creature, [Clip; 2]), Failure> {
        let options =
            MotionOptions { recording: RecordingOptions::default(), creature: self.creature.clone() };
        let mut motions = Vec::new();
        for path in [&self.a, &self.b] {
            check_motion(path)?;
            motions.push(load_motion(path, &options).map_err(|error| Failure::hinted(&error))?);
        }
        let (Some(b), Some(a)) = (motions.pop(), motions.pop()) else {
            return Err(Failure::Failed("two clips are compared".to_owned()));
        };
        let other = |error: &dyn std::fmt::Display| Failure::Failed(format!("{}: {error}", self.b.display()));
        let map = JointList::of(&b.creature).same(&a.creature).map_err(|error| other(&error))?;
        let poses = b.clip.poses.iter().filter_map(|pose| map.pose(&a.creature, pose)).collect();
        Ok((a.creature, [a.clip, Clip { poses, ..b.clip }]))
    }
}

/// A comparison in words.
pub(super) fn tell(out: &mut impl Write, creature: &Creature, found: &Comparison) -> Result<(), Failure> {
    let mut table = plain(&[]);
    let millimetres = |metres: f64| format!("{:.3} mm", 1e3 * metres);
    let worst = &creature.bodies()[found.body].name;
    let rows = [
        ("distortion d", format!("{:.4} %", found.distortion)),
        ("its square", format!("{:.6} %", found.distortion_squared)),
        ("joints, root mean square", millimetres(found.rms)),
        ("joints, at most", millimetres(found.max)),
        (
            "shell, at most",
            format!(
                "{} at {:.0} mm off {worst}, at {:.3} s",
                millimetres(found.shell_error),
                1e3 * found.shell,
                found.time
            ),
        ),
        (
            "feet slide per stance",
            format!("{} instead of {}", millimetres(found.skate[1]), millimetres(found.skate[0])),
        ),
    ];
    for (what, value) in rows {
        table.add_row([what.to_owned(), value]);
    }
    Ok(writeln!(out, "{table}")?)
}
