//! A clip as NumPy arrays, in gambol's own axes, out and in.

use gambol_model::{Creature, Joint, Vec3};
use gambol_motion::{Clip, Contact, Stride, Travel};

use super::{ClipFileError, check};
use crate::FormatError;
use crate::npz::{Array, Arrays, Values, to_bytes};

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
    let contact_bodies: Vec<String> =
        clip.contacts.iter().map(|contact| creature.bodies()[contact.body].name.clone()).collect();
    let contact_points: Vec<f64> =
        clip.contacts.iter().flat_map(|contact| contact.point.iter().copied()).collect();
    let of_foot = |(foot, contact): (usize, &Contact)| -> Vec<f64> {
        contact.intervals.iter().flat_map(|[start, end]| [foot as f64, *start, *end]).collect()
    };
    let stances: Vec<f64> = clip.contacts.iter().enumerate().flat_map(of_foot).collect();
    let stands = |time: f64, contact: &Contact| {
        contact.intervals.iter().any(|[start, end]| (start - SAME_TIME..=end + SAME_TIME).contains(&time))
    };
    let at_key = |&time| clip.contacts.iter().map(move |contact| i64::from(stands(time, contact)));
    let contacts: Vec<i64> = clip.times.iter().flat_map(at_key).collect();
    let stride = clip.stride.map_or([f64::NAN; 4], |s| [s.yaw, s.shift.x, s.shift.y, s.shift.z]);
    let travel = clip
        .travel
        .map_or([f64::NAN; 3], |travel| [travel.speed, travel.stride_length, travel.stride_frequency]);
    let who = [creature.name().to_owned()];

    let array = |name, shape: &[usize], values| Array { name, shape: shape.to_vec(), values };
    Ok(to_bytes(&[
        array("times", &[keys], Values::Numbers(&clip.times)),
        array("qpos", &[keys, creature.nq()], Values::Numbers(&qpos)),
        array("joint_names", &[joints], Values::Text(&joint_names)),
        array("joint_qpos", &[joints], Values::Integers(&joint_qpos)),
        array("contact_names", &[feet], Values::Text(&contact_names)),
        array("contacts", &[keys, feet], Values::Integers(&contacts)),
        array("stride", &[4], Values::Numbers(&stride)),
        array("speed", &[], Values::Numbers(&travel[..1])),
        array("travel", &[3], Values::Numbers(&travel)),
        array("contact_bodies", &[feet], Values::Text(&contact_bodies)),
        array("contact_points", &[feet, 3], Values::Numbers(&contact_points)),
        array("stances", &[stances.len() / 3, 3], Values::Numbers(&stances)),
        array("name", &[], Values::Text(std::slice::from_ref(&clip.name))),
        array("creature", &[], Values::Text(&who)),
    ])?)
}

/// Name of the creature that the clip is of, if it says; `file` names it in messages.
pub fn creature_of_npz(file: &str, bytes: &[u8]) -> Result<Option<String>, FormatError> {
    let arrays = Arrays::from_bytes(file, bytes)?;
    if !arrays.has("creature") {
        return Ok(None);
    }
    Ok(arrays.texts("creature", 0)?.first().cloned())
}

/// Reads a clip of `creature`, which must have the joints that the clip has. `times`, `qpos`, `joint_names` and
/// `joint_qpos` must be there, so that a script may write a clip; the rest may.
pub fn from_npz(file: &str, bytes: &[u8], creature: &Creature) -> Result<Clip, FormatError> {
    let arrays = Arrays::from_bytes(file, bytes)?;
    check_joints(&arrays, creature)?;
    let (_, times) = arrays.numbers("times", 1)?;
    let (shape, qpos) = arrays.numbers("qpos", 2)?;
    if shape != [times.len(), creature.nq()] {
        let reason = format!(
            "\"qpos\" is {} by {}: {} times of {} numbers are wanted",
            shape[0],
            shape[1],
            times.len(),
            creature.nq()
        );
        return Err(arrays.error(reason));
    }
    let mut clip = Clip {
        name: name(&arrays, file)?,
        times: times.to_vec(),
        // A creature that cannot move has poses without numbers.
        poses: (0..times.len()).map(|k| qpos[k * creature.nq()..(k + 1) * creature.nq()].to_vec()).collect(),
        stride: optional(&arrays, "stride", 4)?
            .map(|s| Stride { yaw: s[0], shift: Vec3::new(s[1], s[2], s[3]) }),
        contacts: contacts(&arrays, creature)?,
        travel: optional(&arrays, "travel", 3)?.map(|t| Travel {
            speed: t[0],
            stride_length: t[1],
            stride_frequency: t[2],
        }),
    };
    clip.check(creature).map_err(|error| arrays.error(error.to_string()))?;
    clip.align_signs(creature);
    Ok(clip)
}

/// As the clip says; else the file's own.
fn name(arrays: &Arrays, file: &str) -> Result<String, FormatError> {
    if arrays.has("name") {
        return Ok(arrays.texts("name", 0)?.first().cloned().unwrap_or_default());
    }
    let own = file.rsplit(['/', '\\']).next().unwrap_or(file);
    Ok(own.rsplit_once('.').map_or(own, |(stem, _)| stem).to_owned())
}

/// Some numbers that may be missing or NaN.
fn optional<'a>(arrays: &'a Arrays, name: &str, count: usize) -> Result<Option<&'a [f64]>, FormatError> {
    if !arrays.has(name) {
        return Ok(None);
    }
    let (shape, numbers) = arrays.numbers(name, 1)?;
    if shape != [count] {
        return Err(arrays.error(format!("array {name:?} has {} numbers, not {count}", numbers.len())));
    }
    Ok(Some(numbers).filter(|numbers| numbers.iter().all(|x| x.is_finite())))
}

fn check_joints(arrays: &Arrays, creature: &Creature) -> Result<(), FormatError> {
    let names = arrays.texts("joint_names", 1)?;
    let (_, places) = arrays.numbers("joint_qpos", 1)?;
    let own = creature.joints();
    #[allow(clippy::float_cmp)] // whole numbers
    let same =
        |((name, place), joint): ((&String, &f64), &Joint)| *name == joint.name && *place == joint.q as f64;
    let alike =
        names.len() == own.len() && places.len() == own.len() && names.iter().zip(places).zip(own).all(same);
    if alike {
        return Ok(());
    }
    Err(arrays
        .error(format!("the clip is of another creature: its joints are not those of {}", creature.name())))
}

fn contacts(arrays: &Arrays, creature: &Creature) -> Result<Vec<Contact>, FormatError> {
    if !arrays.has("stances") {
        return Ok(Vec::new());
    }
    let (names, bodies) = (arrays.texts("contact_names", 1)?, arrays.texts("contact_bodies", 1)?);
    let (points_shape, points) = arrays.numbers("contact_points", 2)?;
    let (stances_shape, stances) = arrays.numbers("stances", 2)?;
    if bodies.len() != names.len() || points_shape != [names.len(), 3] || stances_shape[1] != 3 {
        return Err(arrays.error("the arrays of contacts do not fit each other"));
    }
    let mut contacts = Vec::new();
    for ((name, body), point) in names.iter().zip(bodies).zip(points.chunks_exact(3)) {
        let Some(body) = creature.body_index(body) else {
            return Err(arrays.error(format!("a contact is on {body:?}; the creature has no such body")));
        };
        let point = Vec3::from_column_slice(point);
        contacts.push(Contact { name: name.clone(), body, point, intervals: Vec::new() });
    }
    for stance in stances.chunks_exact(3) {
        let (foot, interval) = (stance[0], [stance[1], stance[2]]);
        let known = (0..contacts.len()).find(|k| (*k as f64 - foot).abs() < 0.5);
        let known = known.filter(|_| interval[0] <= interval[1]);
        let Some(known) = known else {
            return Err(arrays.error("\"stances\" is not made of a foot's number, a start and an end"));
        };
        contacts[known].intervals.push(interval);
    }
    Ok(contacts)
}
