//! A creature at one of its gaits, in one call.

use std::path::Path;

use gambol_dynamics::Data;
use gambol_formats::clip::RootMotion;
use gambol_formats::write_file;
use gambol_gait::{Believed, Body, Gait, GaitError, Performance, Report, Sampling, Wish, perform_believed};
use gambol_model::Creature;
use gambol_motion::Clip;

use crate::render::{Format, RenderError, render};

/// Keys per second of [`animate`]: what screens show.
const FPS: f64 = 60.0;

/// A creature at one of its gaits.
#[derive(Clone, Debug)]
pub struct Animation {
    /// The creature in the pose and with the springs of the gait, its natural vibrations and its legs.
    pub body: Body,
    /// Which vibrations move it, and how it meets the ground.
    pub gait: Gait,
    /// One cycle of it.
    pub clip: Clip,
    /// What was measured on the clip: speed, footfalls, slip, limits.
    pub report: Report,
    /// What a user should know: a leg that does not reach, a body that is below the ground.
    pub warnings: Vec<String>,
}

/// Makes a creature move: `gait` is what one would call it (`walk`, `trot`, `jump`, `slither`) or a preset that comes with
/// the creature. Everything else follows from the body; see [`gambol_gait::gaits_for`] for what suits it, and
/// [`gambol_gait::prepare`] and [`gambol_gait::perform`] for speed, style and ground.
///
/// ```
/// let dog = gambol::load("dog", &gambol::LoadOptions::default())?;
/// let trot = gambol::animate(&dog, "trot")?;
/// assert!(trot.report.speed > 1.0); // m/s
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn animate(creature: &Creature, gait: &str) -> Result<Animation, GaitError> {
    let mut data = Data::new(creature);
    let sampling = Sampling { seconds: None, fps: FPS };
    let Believed { body, design, performance, .. } =
        perform_believed(creature, &mut data, gait, &|_| (), &Wish::default(), &|_, _| Ok(()), &sampling)?;
    let Performance { clip, report, warnings, .. } = performance;
    let warnings = design.hints.into_iter().chain(warnings).collect();
    Ok(Animation { body, gait: design.gait, clip, report, warnings })
}

impl Animation {
    /// The clip as the bytes of a file, with a body of ours where the format has one.
    pub fn render(&self, format: Format) -> Result<Vec<u8>, RenderError> {
        let terrain = Some(&self.gait.ground.terrain);
        render(format, &self.body.creature, terrain, &self.clip, RootMotion::Travel, &mut |_, _| ())
    }

    /// Writes the clip, in the format of the file's ending. A file that is there already is replaced.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), RenderError> {
        let path = path.as_ref();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let format = Format::of_ending(&ending).ok_or_else(|| RenderError::Ending(path.to_owned()))?;
        Ok(write_file(path, &self.render(format)?, true)?)
    }
}
