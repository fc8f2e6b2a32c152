//! `gambol convert`: a clip from one file to another, cut, looped and resampled on the way.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use gambol_anatomy::recording::unit_from_text;
use gambol_formats::clip::{self, GlbOptions, to_bvh, to_glb, to_json, to_npz};
use gambol_formats::mocap::RecordingOptions;
use gambol_formats::write_file;
use gambol_motion::{Clip, Seam};
use gambol_picture::{ClipOptions, ForceCurves, write_clip};

use super::animate::RootMotion;
use super::files::check_motion;
use super::hint::told;
use super::render::to_rig_bytes;
use super::{Failure, forces, written};
use gambol::render::{Format, force_curves};
use gambol::{LoadOptions, Motion, MotionOptions, MotionPlace, guess_contacts, load_motion};

const ENDINGS: [&str; 8] = ["glb", "bvh", "json", "npz", "png", "svg", "gif", "apng"];

/// Converts a clip, and cuts, loops or resamples it on the way
#[derive(Args)]
#[command(
    after_help = "FROM: .bvh, .amc (its .asf beside it or by --asf), .json, .npz or .pack (a clip that gambol wrote), or a clip in a .glb, .gltf, \
    .vrm or .fbx: fox.glb#Walk.\n\
    TO by ending: .glb (glTF), .bvh, .json, .npz (NumPy); .png or .svg (a film strip), .gif or .apng (an animation).\n\
    A recording becomes a creature with a body for every joint; of a skinned character .glb is its own file with the clip added. Steps are made in this order: trim, loop, fps.\n\n\
    Examples:\n  gambol convert walk.bvh walk.glb\n  gambol convert 02_01.amc 02_01.gif --asf 02.asf\n  \
    gambol convert walk.bvh cycle.glb --loop --fps 30 --root-motion in-place\n  \
    gambol convert dance.bvh part.bvh --trim 2.5,4 --height 1.8\n  gambol convert trot.json trot.png\n  gambol convert wolf.fbx#Run run.bvh\n  gambol convert edited.npz edited.glb --creature dog"
)]
#[allow(clippy::struct_excessive_bools)] // each is an option of its own
pub(super) struct Convert {
    /// The file to read; it is never changed
    from: PathBuf,

    /// The file to write
    to: PathBuf,

    /// Keys per second of the new clip; those of the old one if not given
    #[arg(long, value_name = "F", value_parser = rate, allow_negative_numbers = true)]
    fps: Option<f64>,

    /// Only this part, s: 0.5,2.25; either may be left out
    #[arg(long, value_name = "T0,T1", value_parser = trim, allow_hyphen_values = true)]
    trim: Option<[Option<f64>; 2]>,

    /// Cut the best loop out and close it
    #[arg(long = "loop")]
    make_loop: bool,

    /// Length of the file's unit: m, cm, mm, in, ft, cmu or a number of metres; guessed from the height if not given
    #[arg(long, value_name = "U", value_parser = unit_from_text, conflicts_with = "height")]
    unit: Option<f64>,

    /// Height of who stands in the recording, m
    #[arg(long, value_name = "M", value_parser = positive, allow_negative_numbers = true)]
    height: Option<f64>,

    /// The skeleton of an .amc file
    #[arg(long, value_name = "FILE.asf")]
    asf: Option<PathBuf>,

    /// Frames per second of an .amc file, which does not say it; 120 if not given, as CMU records
    #[arg(long, value_name = "F", value_parser = rate, allow_negative_numbers = true)]
    amc_fps: Option<f64>,

    /// Who moves in a .json, .npz or .pack clip: a name from the gallery or a file; as the clip says if not given
    #[arg(long, value_name = "CREATURE")]
    creature: Option<String>,

    /// Keep a first frame that is apart from the motion, such as an added T-pose
    #[arg(long)]
    keep_first: bool,

    /// Whether the creature travels in the file, or stays in place for a game to lead it
    #[arg(long, value_enum, default_value_t = RootMotion::Travel)]
    root_motion: RootMotion,

    /// Show the forces on the feet under a film strip (.png, .svg), and in red what no foot could give
    #[arg(long)]
    forces: bool,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        self.check_files()?;
        let mut motion = self.load()?;
        for warning in motion.creature.warnings() {
            eprintln!("gambol: warning: {}", told(warning));
        }
        if !self.keep_first && motion.drop_first_apart() {
            eprintln!(
                "gambol: the first frame is a pose apart from the motion and left out; --keep-first keeps it"
            );
        }
        self.shape(&mut motion)?;
        self.write(&motion)?;
        written::tell(&self.to, &written::clips(std::slice::from_ref(&motion.clip)));
        Ok(())
    }

    /// What can be known before the work.
    fn check_files(&self) -> Result<(), Failure> {
        let fail = |path: &Path, reason: &str| Err(Failure::Failed(format!("{}{reason}", path.display())));
        if !ENDINGS.contains(&ending(&self.to).as_str()) {
            let endings: Vec<String> = ENDINGS.iter().map(|ending| format!(".{ending}")).collect();
            return fail(&self.to, &format!(": a clip's file ends in one of {}", endings.join(", ")));
        }
        let place = check_motion(&self.from)?;
        for input in [Some(&place.file), self.asf.as_ref()].into_iter().flatten() {
            let same =
                input.canonicalize().ok().zip(self.to.canonicalize().ok()).is_some_and(|(a, b)| a == b);
            if same {
                return fail(&self.to, " is the file to read; it is never replaced");
            }
        }
        if self.to.exists() && !self.force {
            return fail(&self.to, " exists; --force replaces it");
        }
        Ok(())
    }

    fn load_options(&self) -> LoadOptions {
        LoadOptions { unit: self.unit, height: self.height, ..LoadOptions::default() }
    }

    fn load(&self) -> Result<Motion, Failure> {
        let options = MotionOptions {
            recording: RecordingOptions {
                asf: self.asf.clone(),
                rate: self.amc_fps,
                load: self.load_options(),
            },
            creature: self.creature.clone(),
        };
        load_motion(&self.from, &options).map_err(|error| Failure::hinted(&error))
    }

    /// Trim, loop, resample. Feet are looked at between, while all keys are there.
    fn shape(&self, motion: &mut Motion) -> Result<(), Failure> {
        let Motion { creature, clip, .. } = motion;
        if let Some([start, end]) = self.trim {
            let (start, end) = (start.unwrap_or(clip.times[0]), end.unwrap_or(clip.duration()));
            *clip = clip.trimmed(start, end).map_err(failed)?;
        }
        if clip.contacts.is_empty() {
            clip.contacts = guess_contacts(creature, clip);
        }
        if self.make_loop && clip.stride.is_none() {
            let seam = clip.best_loop(creature).ok_or_else(|| {
                Failure::Failed(format!("{}: the clip is too short for a loop", self.from.display()))
            })?;
            eprintln!("gambol: {}", loop_in_words(clip, &seam));
            *clip = clip.looped(creature, &seam);
        }
        // Keys of a character's clips are where its artist put them, and BVH has them at equal steps.
        let artist = motion.rig.is_some() && ending(&self.to) == "bvh";
        let mean = (clip.times.len() - 1) as f64 / clip.duration();
        let rate = self.fps.or((artist && mean.is_finite()).then_some(mean));
        if let Some(rate) = rate {
            *clip = clip.resampled(creature, rate).map_err(failed)?;
        }
        Ok(())
    }

    fn write(&self, motion: &Motion) -> Result<(), Failure> {
        let Motion { creature, clip, .. } = motion;
        let placed = || match self.root_motion {
            RootMotion::Travel => clip.clone(),
            RootMotion::InPlace => clip.in_place(creature),
        };
        let bytes = match ending(&self.to).as_str() {
            "glb" => {
                let root_motion = match self.root_motion {
                    RootMotion::Travel => clip::RootMotion::Travel,
                    RootMotion::InPlace => clip::RootMotion::InPlace,
                };
                match &motion.rig {
                    // A character's own file, skin and all, with the clip beside those that it has.
                    Some(rig) => {
                        let (file, options) = (MotionPlace::of(&self.from).file, self.load_options());
                        let (to, rig) = ((Format::Glb, self.to.as_path()), (rig, file.as_path(), &options));
                        let clips = std::slice::from_ref(clip);
                        let bytes = to_rig_bytes(to, rig, creature, clips, root_motion);
                        let bytes = bytes
                            .map_err(|reason| Failure::Failed(format!("{}: {reason}", self.to.display())))?;
                        return Ok(write_file(&self.to, &bytes, self.force)?);
                    }
                    None => to_glb(creature, clip, &GlbOptions { root_motion }),
                }
            }
            "bvh" => to_bvh(creature, &placed()).map(String::into_bytes),
            "json" => to_json(creature, &placed()).map(String::into_bytes),
            "npz" => to_npz(creature, &placed()),
            _ => {
                let mut progress = |done, all| show_progress(done, all);
                let forces = if self.forces { Some(self.force_curves(motion)?) } else { None };
                let title = Some(clip.name.clone());
                let options = ClipOptions { title, forces: forces.as_ref(), ..ClipOptions::default() };
                return Ok(write_clip(&self.to, creature, clip, &options, self.force, &mut progress)?);
            }
        };
        let bytes = bytes.map_err(|error| Failure::Failed(format!("{}: {error}", self.to.display())))?;
        Ok(write_file(&self.to, &bytes, self.force)?)
    }
}

impl Convert {
    fn force_curves(&self, motion: &Motion) -> Result<ForceCurves, Failure> {
        // Stances of a recording are found there too, and its noise is known by that.
        let recorded = motion.scale.is_some();
        let clip = &motion.clip;
        let contacts = if recorded { Vec::new() } else { clip.contacts.clone() };
        let measured = forces::measure(&motion.creature, &Clip { contacts, ..clip.clone() });
        let told =
            |error| Failure::Failed(format!("{}: no forces can be shown: {error}", self.from.display()));
        measured.map(|forces| force_curves(&forces)).map_err(told)
    }
}

/// A line that is written over, where somebody watches.
fn show_progress(done: usize, all: usize) {
    if std::io::stderr().is_terminal() {
        let end = if done == all { "\n" } else { "" };
        let _ = write!(std::io::stderr(), "\rgambol: frame {done} of {all}{end}"); // nobody has to see it
    }
}

/// `loop from 0.42 s to 1.55 s, …`
pub(super) fn loop_in_words(clip: &Clip, seam: &Seam) -> String {
    let [start, end] = seam.keys.map(|key| clip.times[key]);
    format!(
        "loop from {start:.2} s to {end:.2} s ({:.2} s): poses {:.1}° apart (most {:.1}°), velocities {:.0}°/s, \
         together {:.0} % of the motion",
        end - start,
        seam.pose.to_degrees(),
        seam.largest.to_degrees(),
        seam.velocity.to_degrees(),
        100.0 * seam.share
    )
}

#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn failed(error: gambol_motion::ClipError) -> Failure {
    Failure::Failed(error.to_string())
}

fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn checked(text: &str, is_good: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    let number: f64 = text.trim().parse().map_err(|_| format!("{text:?} is not a number"))?;
    if number.is_finite() && is_good(number) { Ok(number) } else { Err(format!("{number} is not {wanted}")) }
}

fn positive(text: &str) -> Result<f64, String> {
    checked(text, |x| x > 0.0, "a finite number above 0")
}

fn rate(text: &str) -> Result<f64, String> {
    checked(text, |x| (1.0..=1000.0).contains(&x), "a rate from 1 to 1000 per second")
}

fn trim(text: &str) -> Result<[Option<f64>; 2], String> {
    let (start, end) = text.split_once(',').ok_or("expected T0,T1 in seconds, for example 0.5,2")?;
    let time = |text: &str| -> Result<Option<f64>, String> {
        let given = !text.trim().is_empty();
        given.then(|| checked(text, |x| x >= 0.0, "a time of at least 0 s")).transpose()
    };
    Ok([time(start)?, time(end)?])
}
