//! The tempo of a file's own clips.

use std::path::Path;

use gambol_dynamics::Data;
use gambol_formats::gltf::Rig;
use gambol_formats::{Files, LoadOptions};
use gambol_gait::{Body, Felt, FeltError, GaitError, Style, feel};
use gambol_model::Creature;
use gambol_motion::Clip;

use crate::LoadError;
use crate::recording::clips_from;

/// A clip whose bones are stretched or shifted by more than this, in leg lengths, is of another body: its feet are not where
/// the creature's would be.
const STRETCHED: f64 = 0.3;

/// Why the tempo of a file's clips is not known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TempoError {
    /// Its clips cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It has no gait of its own.
    #[error(transparent)]
    Felt(#[from] FeltError),
    /// Nothing can be made of the creature.
    #[error(transparent)]
    Gait(#[from] GaitError),
}

/// How large a creature of a skinned glTF file feels, by the cadence of the gaits among the clips that come with it
/// ([`feel`]). Let [`Felt::apply`] change the creature before it is animated, and its gaits go in step with these clips:
///
/// ```no_run
/// use std::path::Path;
/// let options = gambol::LoadOptions::default();
/// let (mut horse, rig) = gambol::load_rig("horse.glb", &options)?;
/// let felt = gambol::felt_tempo(Path::new("horse.glb"), &options, (&horse, &rig.expect("of a skin")))?;
/// println!("{} times as fast, as under {} m/s²", felt.faster, felt.gravity);
/// felt.apply(&mut horse)?;
/// gambol::animate(&horse, "walk")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn felt_tempo(
    path: &Path,
    options: &LoadOptions,
    (creature, rig): (&Creature, &Rig),
) -> Result<Felt, TempoError> {
    let (files, name) = gambol_formats::open(path, options).map_err(LoadError::from)?;
    felt_tempo_from(&files, &name, (creature, rig))
}

/// The same of a file called `name` among any files.
pub fn felt_tempo_from(
    files: &dyn Files,
    name: &str,
    (creature, rig): (&Creature, &Rig),
) -> Result<Felt, TempoError> {
    let mut data = Data::new(creature);
    let body = Body::new(creature.clone(), &mut data, &Style::default())?;
    let found = clips_from(files, name, (creature, rig))?;
    if found.is_empty() {
        return Err(FeltError::NoClips.into());
    }
    let fits = found.into_iter().filter(|found| found.miss <= STRETCHED * body.legs.length);
    let clips: Vec<Clip> = fits.map(|found| found.clip).collect();
    if clips.is_empty() {
        return Err(FeltError::NoGait.into());
    }
    Ok(feel(&body, &mut data, &clips)?)
}
