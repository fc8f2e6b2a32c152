//! Bodies for the skeletons of recordings: who is moved by numbers per frame, and has no skin.
//!
//! A reader makes a [`RecordedSkeleton`] and a [`Take`] of its file, in gambol's axes and radians but in the file's unit of
//! length. [`embody`] makes a creature of them with a body per joint: `unit` finds the unit of length, `body` the flesh
//! around the bones.

mod body;
mod people;
mod settings;
mod skeleton;
mod unit;

use gambol_model::{CreatureSpec, LandmarkOverride, PoseSpec, Remark};

use crate::ease;
use crate::survey::Survey;
use crate::{AnatomyError, Measures};

pub(crate) use body::flesh_of_bones;
pub use settings::{BoneFleshSettings, RecordedSizeSettings, RecordedStanceSettings, RecordingSettings};
pub use skeleton::{Channel, ChannelKind, RecordedJoint, RecordedSkeleton, Take};
pub use unit::{LengthScale, ScaleSource, unit_from_text};

/// A creature for a recording, in the pose with all angles zero.
#[derive(Clone, Debug)]
pub struct RecordedBody {
    /// A body for every joint, which has its name; it is yet to be built.
    pub spec: CreatureSpec,
    /// The creature's pose in every frame of the take.
    pub poses: Vec<Vec<f64>>,
    /// How the file's lengths became metres.
    pub scale: LengthScale,
    /// The first frame is a pose of its own, not part of the motion.
    pub first_apart: bool,
    /// Guesses, in words.
    pub notes: Vec<Remark>,
}

/// Makes bodies and poses. `stated_unit` is the unit of length that the file says, m.
pub fn embody(
    name: &str,
    mut skeleton: RecordedSkeleton,
    take: &Take,
    stated_unit: Option<f64>,
    measures: &Measures,
    landmarks: &[LandmarkOverride],
    settings: &RecordingSettings,
) -> Result<RecordedBody, AnatomyError> {
    settings.check()?;
    skeleton.read_places(take);
    skeleton.fix_still_doubles(take);
    let mut notes = Vec::new();
    if skeleton.is_z_up(take, &settings.stance) {
        skeleton.stand_up();
        notes
            .push("its feet are below its hips along z, so the file was taken as z up and -y forward".into());
    }
    let stance = skeleton.stance(take, &settings.stance);
    let scale = unit::scale(&stance, stated_unit, measures, &settings.size)?;
    let mut spec = body::creature(name, &skeleton, &scale, measures.mass, &settings.flesh);
    spec.landmark_overrides = landmarks.to_vec();
    if let ScaleSource::Guess { .. } | ScaleSource::Animal { .. } = scale.source {
        notes.push(scale.remark());
    }
    let poses: Vec<Vec<f64>> =
        (0..take.len()).map(|frame| skeleton.pose(take.frame(frame), scale.metres)).collect();
    let first_apart = skeleton.first_is_apart(take, &settings.stance);
    let named = |name: &str, frame: usize| {
        poses.get(frame).map(|qpos| PoseSpec { name: name.to_owned(), qpos: qpos.clone() })
    };
    // The landmarks are found in a pose of the name `stand`.
    let stands = stance.frame.or(first_apart.then_some(0));
    spec.poses.extend(stands.and_then(|frame| named("stand", frame)));
    spec.poses.extend(named("first", usize::from(first_apart)));
    people::weigh(&mut spec, &settings.flesh);
    body::give_springs(&mut spec, &skeleton, &scale, &settings.flesh);
    Ok(RecordedBody { spec, poses, scale, first_apart, notes })
}

/// Lowers arms that are stretched out: people are recorded from a T, and the zero pose of their skeletons is one. The zero
/// pose stays at hand under the name `file`. Returns whether anything was lowered.
pub fn lower_arms(spec: &mut CreatureSpec) -> bool {
    let Ok(survey) = Survey::new(spec) else { return false }; // what is wrong with it is told when it is built
    let turns = ease::lowered_arms(spec, &survey);
    if !turns.is_empty() {
        ease::remember(spec, ease::FILE_POSE);
    }
    ease::turn(spec, &turns);
    !turns.is_empty()
}
