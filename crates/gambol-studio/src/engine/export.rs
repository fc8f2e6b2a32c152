//! Files to take home.

use gambol::formats::clip::RootMotion;
use gambol::gait::{Sampling, Terrain, perform};
use gambol::model::Creature;
use gambol::motion::Clip;
use gambol::render::{Format, RenderError, render, render_clips, render_into};

use super::body::Dressed;
use super::controller::{Controller, repeated};
use super::creature::Read;
use super::set::{self, Making};
use super::simulation::Simulation;
use super::{Answer, Shelf, Trouble, controller, gait_file, motion};
use crate::protocol::{ExportAnswer, ExportWork, FEWEST_KEYS, GaitWork, MOST_GAITS, MOST_KEYS, Source};

/// Keys per second, as on the command line.
const FPS: f64 = 60.0;

/// Longest clip, s.
const LONGEST: f64 = 120.0;

/// Which file.
pub(super) struct Wanted<'w> {
    pub(super) format: &'w str,
    pub(super) in_place: bool,
    /// s
    pub(super) seconds: Option<f64>,
    /// Of the clip.
    pub(super) name: Option<&'w str>,
    /// Per second.
    pub(super) keys: Option<f64>,
}

/// What the browser is told that a file is.
const KINDS: [(&str, &str); 13] = [
    ("glb", "model/gltf-binary"),
    ("gltf", "model/gltf+json"),
    ("bvh", "text/plain"),
    ("json", "application/json"),
    ("npz", "application/zip"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("gif", "image/gif"),
    ("apng", "image/apng"),
    ("gait", "application/toml"),
    ("rig", "application/toml"),
    ("sketch", "application/toml"),
    ("controller", "application/toml"),
];

pub(super) fn answer(
    dressed: &mut Dressed,
    shelf: &dyn Shelf,
    what: &ExportWork,
    simulation: Option<&Simulation>,
    wanted: &Wanted,
) -> Result<Answer, Trouble> {
    let Some((format, mime)) = KINDS.iter().find(|(format, _)| *format == wanted.format) else {
        let known: Vec<&str> = KINDS.iter().map(|(format, _)| *format).collect();
        return Err(Trouble(format!(
            "there is no format {:?}; there are {}",
            wanted.format,
            known.join(", ")
        )));
    };
    let mut warnings = Vec::new();
    let (bytes, motion) = match (*format, what) {
        (_, ExportWork::Set { .. }) => return Err(unmade()),
        (_, ExportWork::Wind { .. }) => return Err(Trouble("only plants move in the wind".to_owned())),
        ("rig", _) => (dressed.read.rig_file()?.into_bytes(), "rig".to_owned()),
        ("gait", ExportWork::Gait { gait }) => {
            let (text, name) = gait_file::write(dressed, gait)?;
            (text.into_bytes(), name)
        }
        ("sketch" | "controller", ExportWork::Controller { sketch }) => {
            let text = controller::file(&dressed.read, sketch, *format == "controller")?;
            let name = if *format == "sketch" {
                format!("{}-sketch", sketch.sketch.name)
            } else {
                sketch.sketch.name.clone()
            };
            (text.into_bytes(), name)
        }
        ("gait" | "sketch" | "controller", _) => {
            return Err(Trouble(format!("this is no {format}; take it home as a clip")));
        }
        (_, ExportWork::Controller { sketch }) => {
            let controller = Controller::new(&dressed.read, sketch)?;
            let cycle = controller.cycle()?;
            let creature = &controller.stage.creature;
            let seconds = wanted.seconds.map(length).transpose()?.unwrap_or(0.0);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few
            let cycles = (seconds / cycle.duration().max(1e-2)).round().max(1.0) as usize;
            let mut clip = repeated(&cycle, creature, cycles);
            let name = wanted.name.unwrap_or(&sketch.sketch.name).to_owned();
            clip.name.clone_from(&name);
            let bytes = clip_file(dressed, shelf, wanted, &clip, creature, Some(&Terrain::Flat))?;
            (bytes, name)
        }
        (_, ExportWork::Gait { gait }) => {
            let Played { mut clip, terrain, name } = play(dressed, gait, wanted, &mut warnings)?;
            let name = wanted.name.map_or(name, str::to_owned);
            clip.name.clone_from(&name);
            let bytes = clip_file(dressed, shelf, wanted, &clip, &dressed.body.creature, Some(&terrain))?;
            (bytes, name)
        }
        (_, ExportWork::Gaits { gaits }) => {
            (several(dressed, shelf, gaits, wanted, &mut warnings)?, "gaits".to_owned())
        }
        (_, ExportWork::Simulation) => {
            let simulation =
                simulation.ok_or_else(|| Trouble("no simulation has been started yet".to_owned()))?;
            let (clip, creature, ground) = simulation.recording();
            (clip_file(dressed, shelf, wanted, &clip, creature, ground)?, clip.name)
        }
    };
    let ending = if matches!(*format, "gait" | "rig" | "sketch" | "controller") { "toml" } else { format };
    let name = format!("{}-{}.{ending}", plain(dressed.body.creature.name()), plain(&motion));
    Answer::new(ExportAnswer { name, mime, warnings }, bytes)
}

/// A gait as a clip.
struct Played {
    clip: Clip,
    terrain: Terrain,
    name: String,
}

fn play(
    dressed: &mut Dressed,
    work: &GaitWork,
    wanted: &Wanted,
    warnings: &mut Vec<String>,
) -> Result<Played, Trouble> {
    let (gait, hints) = motion::gait(dressed, work)?;
    let seconds = wanted.seconds.map(length).transpose()?;
    let fps = wanted.keys.map_or(Ok(FPS), keys)?;
    let Dressed { body, data, .. } = dressed;
    let played = perform(body, data, &gait, &Sampling { seconds, fps }).map_err(Trouble::hinted)?;
    warnings.extend(hints.into_iter().chain(played.warnings));
    Ok(Played { clip: played.clip, terrain: gait.ground.terrain, name: gait.name })
}

/// A clip of each gait in one file.
fn several(
    dressed: &mut Dressed,
    shelf: &dyn Shelf,
    gaits: &[GaitWork],
    wanted: &Wanted,
    warnings: &mut Vec<String>,
) -> Result<Vec<u8>, Trouble> {
    if gaits.is_empty() || gaits.len() > MOST_GAITS {
        return Err(Trouble(format!("one to {MOST_GAITS} gaits go into a file, not {}", gaits.len())));
    }
    let format = Format::of_ending(wanted.format).filter(|format| format.is_gltf());
    let format = format.ok_or_else(|| {
        Trouble(format!("several gaits go home in a GLB; as {} take one at a time", wanted.format))
    })?;
    let mut clips = Vec::with_capacity(gaits.len());
    for work in gaits {
        clips.push(play(dressed, work, wanted, warnings)?.clip);
    }
    let (creature, root_motion) = (&dressed.body.creature, root_motion(wanted.in_place));
    let bytes = match own_file(&dressed.read, shelf, format, creature, &clips, root_motion)? {
        Some(bytes) => bytes,
        None => render_clips(creature, &clips, root_motion),
    };
    bytes.map_err(Trouble::from_error)
}

fn keys(per_second: f64) -> Result<f64, Trouble> {
    if (FEWEST_KEYS..=MOST_KEYS).contains(&per_second) {
        return Ok(per_second);
    }
    Err(Trouble(format!("a clip has {FEWEST_KEYS} to {MOST_KEYS} keys per second, not {per_second}")))
}

fn length(seconds: f64) -> Result<f64, Trouble> {
    if seconds > 0.0 && seconds <= LONGEST {
        return Ok(seconds);
    }
    Err(Trouble(format!("a clip lasts above 0 and at most {LONGEST} s, not {seconds} s")))
}

fn unmade() -> Trouble {
    Trouble("the set is not made yet; press Set for a game once more".to_owned())
}

/// All clips of a set, once they are made, in one file.
pub(super) fn set(
    making: Option<&Making>,
    shelf: &dyn Shelf,
    format: &str,
    in_place: bool,
) -> Result<Answer, Trouble> {
    if format != "glb" {
        return Err(Trouble(format!("a set goes home as GLB, not as {format:?}")));
    }
    let Some((making, made)) = making.and_then(|making| Some((making, making.made()?))) else {
        return Err(unmade());
    };
    let clips: Vec<Clip> = made.clips.iter().map(|clip| clip.performance.clip.clone()).collect();
    let (creature, root_motion) = (&made.body.creature, root_motion(in_place));
    let bytes = match own_file(&making.read, shelf, Format::Glb, creature, &clips, root_motion)? {
        Some(bytes) => bytes,
        None => render_clips(creature, &clips, root_motion),
    };
    let name = format!("{}-locomotion.glb", plain(creature.name()));
    let answer = ExportAnswer { name, mime: KINDS[0].1, warnings: set::warnings(made) };
    Answer::new(answer, bytes.map_err(Trouble::from_error)?)
}

fn root_motion(in_place: bool) -> RootMotion {
    if in_place { RootMotion::InPlace } else { RootMotion::Travel }
}

/// Clips in the user's own glTF file, where there is one.
fn own_file(
    read: &Read,
    shelf: &dyn Shelf,
    format: Format,
    creature: &Creature,
    clips: &[Clip],
    root_motion: RootMotion,
) -> Result<Option<Result<Vec<u8>, RenderError>>, Trouble> {
    let (Some(rig), Source::File { bundle, name }) = (&read.rig, &read.work.source) else { return Ok(None) };
    let files = shelf.files(bundle)?;
    Ok(Some(render_into(format, rig, (files.as_ref(), name), true, creature, clips, root_motion)))
}

/// In the user's own glTF file where there is one.
fn clip_file(
    dressed: &Dressed,
    shelf: &dyn Shelf,
    wanted: &Wanted,
    clip: &Clip,
    creature: &Creature,
    ground: Option<&Terrain>,
) -> Result<Vec<u8>, Trouble> {
    let format = Format::of_ending(wanted.format).ok_or_else(|| Trouble("no such format".to_owned()))?;
    let root_motion = root_motion(wanted.in_place);
    let own = if format.is_gltf() {
        own_file(&dressed.read, shelf, format, creature, std::slice::from_ref(clip), root_motion)?
    } else {
        None
    };
    let bytes = match own {
        Some(bytes) => bytes,
        None if format == Format::Gltf => {
            return Err(Trouble(
                "glTF as text is for creatures that came from glTF; take the GLB".to_owned(),
            ));
        }
        None => render(format, creature, ground, clip, root_motion, &mut |_, _| ()),
    };
    bytes.map_err(Trouble::from_error)
}

/// What the browser is told that a file of this format is.
pub(super) fn mime(format: &str) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == format).map_or("application/octet-stream", |(_, mime)| mime)
}

/// A name that every file system takes.
pub(super) fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    let name: String = name.chars().map(kept).collect();
    if name.is_empty() { "creature".to_owned() } else { name }
}
