//! A clip as JSON, in gambol's own axes, out and in.

use gambol_model::{Creature, Vec3};
use gambol_motion::{Clip, Contact, Stride, Travel};
use serde_json::{Value, json};

use super::{ClipFileError, check, contacts_json, stride_json};
use crate::FormatError;

/// Changes when a reader of the old form would misread the new one.
const VERSION: u32 = 1;
/// What the file says it is.
const FORMAT: &str = "gambol-clip";

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
        "format": FORMAT,
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

/// Name of the creature that the clip is of; `file` names it in messages.
pub fn creature_of_json(file: &str, text: &str) -> Result<String, FormatError> {
    Reader::new(file, text)?.text("creature")
}

/// Reads a clip of `creature`, which must have the joints that the clip has.
pub fn from_json(file: &str, text: &str, creature: &Creature) -> Result<Clip, FormatError> {
    let reader = Reader::new(file, text)?;
    reader.check_joints(creature)?;
    let poses = reader.list("qpos")?.iter().map(|pose| reader.numbers("qpos", pose));
    let mut clip = Clip {
        name: reader.text("name")?,
        times: reader.numbers("times", reader.value("times")?)?,
        poses: poses.collect::<Result<_, _>>()?,
        stride: reader.optional("stride").map(|value| reader.stride(value)).transpose()?,
        contacts: reader
            .list("contacts")?
            .iter()
            .map(|contact| reader.contact(creature, contact))
            .collect::<Result<_, _>>()?,
        travel: reader.optional("travel").map(|value| reader.travel(value)).transpose()?,
    };
    clip.check(creature).map_err(|error| reader.error(error.to_string()))?;
    clip.align_signs(creature);
    Ok(clip)
}

struct Reader<'t> {
    file: &'t str,
    clip: Value,
}

impl<'t> Reader<'t> {
    fn new(file: &'t str, text: &str) -> Result<Self, FormatError> {
        let clip: Value = serde_json::from_str(text).map_err(|error| {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
            FormatError::new(file, format!("not JSON: {error}")).at_line(line)
        })?;
        let reader = Self { file, clip };
        if reader.clip["format"] != FORMAT {
            return Err(reader.error(format!("this is no clip: \"format\" is not {FORMAT:?}")));
        }
        if reader.clip["version"] != VERSION {
            let reason =
                format!("version {} of the format; this program reads {VERSION}", reader.clip["version"]);
            return Err(reader.error(reason));
        }
        Ok(reader)
    }

    fn error(&self, reason: impl Into<String>) -> FormatError {
        FormatError::new(self.file, reason)
    }

    fn wrong(&self, key: &str, wanted: &str) -> FormatError {
        self.error(format!("{key:?} is not {wanted}"))
    }

    fn value(&self, key: &str) -> Result<&Value, FormatError> {
        self.clip.get(key).ok_or_else(|| self.error(format!("{key:?} is missing")))
    }

    /// What may be missing or null.
    fn optional(&self, key: &str) -> Option<&Value> {
        self.clip.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Result<String, FormatError> {
        self.value(key)?.as_str().map(str::to_owned).ok_or_else(|| self.wrong(key, "a text"))
    }

    fn list(&self, key: &str) -> Result<&[Value], FormatError> {
        self.value(key)?.as_array().map(Vec::as_slice).ok_or_else(|| self.wrong(key, "a list"))
    }

    fn numbers(&self, key: &str, list: &Value) -> Result<Vec<f64>, FormatError> {
        let numbers = list.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        numbers.ok_or_else(|| self.wrong(key, "made of lists of numbers"))
    }

    fn number(&self, key: &str, value: &Value) -> Result<f64, FormatError> {
        value.as_f64().ok_or_else(|| self.wrong(key, "a number"))
    }

    fn vector(&self, key: &str, list: &Value) -> Result<Vec3, FormatError> {
        let [x, y, z] = self.numbers(key, list)?[..] else { return Err(self.wrong(key, "three numbers")) };
        Ok(Vec3::new(x, y, z))
    }

    fn check_joints(&self, creature: &Creature) -> Result<(), FormatError> {
        let (names, places) = (self.list("joint_names")?, self.list("joint_qpos")?);
        let own = creature.joints();
        let same = |((name, place), joint): ((&Value, &Value), &gambol_model::Joint)| {
            name == joint.name.as_str() && place.as_u64().is_some_and(|place| place == joint.q as u64)
        };
        if names.len() == own.len()
            && places.len() == own.len()
            && names.iter().zip(places).zip(own).all(same)
        {
            return Ok(());
        }
        Err(self.error(format!(
            "the clip is of another creature: its joints are not those of {}",
            creature.name()
        )))
    }

    fn stride(&self, value: &Value) -> Result<Stride, FormatError> {
        Ok(Stride { yaw: self.number("yaw", &value["yaw"])?, shift: self.vector("shift", &value["shift"])? })
    }

    fn travel(&self, value: &Value) -> Result<Travel, FormatError> {
        Ok(Travel {
            speed: self.number("speed", &value["speed"])?,
            stride_length: self.number("stride_length", &value["stride_length"])?,
            stride_frequency: self.number("stride_frequency", &value["stride_frequency"])?,
        })
    }

    fn contact(&self, creature: &Creature, value: &Value) -> Result<Contact, FormatError> {
        let text = |key: &str| value[key].as_str().ok_or_else(|| self.wrong(key, "a text"));
        let node = text("node")?;
        let Some(body) = creature.body_index(node) else {
            return Err(self.error(format!("a contact is on {node:?}; the creature has no such body")));
        };
        let intervals = value["intervals"].as_array().ok_or_else(|| self.wrong("intervals", "a list"))?;
        let interval = |pair: &Value| match self.numbers("intervals", pair)?[..] {
            [start, end] if start <= end => Ok([start, end]),
            _ => Err(self.wrong("intervals", "made of a start and an end")),
        };
        Ok(Contact {
            name: text("landmark")?.to_owned(),
            body,
            point: self.vector("point", &value["point"])?,
            intervals: intervals.iter().map(interval).collect::<Result<_, _>>()?,
        })
    }
}
