//! A clip as NumPy arrays, in gambol's own axes.

use gambol_model::Creature;
use gambol_motion::{Clip, Contact};

use super::{ClipFileError, check};
use crate::npz::{Array, Values, to_bytes};

/// A key this close to the end of a stance stands, s: ends are often computed, keys as well.
const SAME_TIME: f64 = 1e-9;

/// The clip as the bytes of an `.npz` file.
pub fn to_npz(creature: &Creature, clip: &Clip) -> Result<Vec<u8>, ClipFileError> {
    check(creature, clip)?;
    let (keys, feet, joints) = (clip.times.len(), clip.contacts.len(), creature.joints().len());
    let qpos = clip.poses.concat();
    let joint_names: Vec<String> = creature.joints().iter().map(|joint| joint.name.clone()).collect();
    let joint_qpos: Vec<i64> =
        creature.joints().iter().map(|joint| i64::try_from(joint.q).unwrap_or(i64::MAX)).collect();
    let contact_names: Vec<String> = clip.contacts.iter().map(|contact| contact.name.clone()).collect();
    let stands = |time: f64, contact: &Contact| {
        contact.intervals.iter().any(|[start, end]| (start - SAME_TIME..=end + SAME_TIME).contains(&time))
    };
    let at_key = |&time| clip.contacts.iter().map(move |contact| i64::from(stands(time, contact)));
    let contacts: Vec<i64> = clip.times.iter().flat_map(at_key).collect();
    let stride = clip.stride.map_or([f64::NAN; 4], |s| [s.yaw, s.shift.x, s.shift.y, s.shift.z]);
    let speed = [clip.travel.map_or(f64::NAN, |travel| travel.speed)];

    let array = |name, shape: &[usize], values| Array { name, shape: shape.to_vec(), values };
    Ok(to_bytes(&[
        array("times", &[keys], Values::Numbers(&clip.times)),
        array("qpos", &[keys, creature.nq()], Values::Numbers(&qpos)),
        array("joint_names", &[joints], Values::Text(&joint_names)),
        array("joint_qpos", &[joints], Values::Integers(&joint_qpos)),
        array("contact_names", &[feet], Values::Text(&contact_names)),
        array("contacts", &[keys, feet], Values::Integers(&contacts)),
        array("stride", &[4], Values::Numbers(&stride)),
        array("speed", &[], Values::Numbers(&speed)),
    ])?)
}
