//! A clip as JSON, in gambol's own axes.

use gambol_model::Creature;
use gambol_motion::Clip;
use serde_json::json;

use super::{ClipFileError, check, contacts_json, stride_json};

/// Changes when a reader of the old form would misread the new one.
const VERSION: u32 = 1;

/// The clip as one JSON object.
pub fn to_json(creature: &Creature, clip: &Clip) -> Result<String, ClipFileError> {
    check(creature, clip)?;
    let joint_names: Vec<&str> = creature.joints().iter().map(|joint| joint.name.as_str()).collect();
    let travel = clip.travel.map(|travel| {
        json!({
            "speed": travel.speed,
            "stride_length": travel.stride_length,
            "stride_frequency": travel.stride_frequency,
        })
    });
    let object = json!({
        "format": "gambol-clip",
        "version": VERSION,
        "name": clip.name,
        "creature": creature.name(),
        "joint_names": joint_names,
        "joint_qpos": creature.joints().iter().map(|joint| joint.q).collect::<Vec<_>>(),
        "nq": creature.nq(),
        "times": clip.times,
        "qpos": clip.poses,
        "stride": clip.stride.as_ref().map(|stride| stride_json(stride, |v| v)),
        "contacts": contacts_json(creature, &clip.contacts, |v| v),
        "travel": travel,
    });
    Ok(object.to_string())
}
