//! Features in TOML files. `docs/formats.md` explains every key.

use gambol_anatomy::Heading;
use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_formats::toml_file::{ABOVE_0, AT_LEAST_0, FINITE, FileError, Section, nearest, parse};
use gambol_model::{Creature, Mat3, Quat, Vec3};
use nalgebra::Rotation3;

use super::feature::{Aim, Feature};

/// The highest version of feature files that is read.
pub const FEATURE_VERSION: u64 = 1;

/// Kinds of features, as files name them.
const KINDS: [&str; 10] = [
    "point",
    "orientation",
    "look-at",
    "center",
    "height",
    "momentum",
    "over-support",
    "point-over-support",
    "held",
    "posture",
];

const KEYS: [&str; 15] = [
    "kind",
    "at",
    "target",
    "offset",
    "axis",
    "angle_degrees",
    "angle_radians",
    "height",
    "coordinates",
    "time",
    "gain",
    "damping",
    "weight",
    "priority",
    "during",
];

/// A spring to the aim, s, where a file gives neither time nor gain.
const TIME: f64 = 0.2;

/// Reads a file of features of `creature`, whose bodies stand in `frames` at the start, for steps of `h`.
pub fn features_from_toml(
    text: &str,
    creature: &Creature,
    frames: &[BodyFrame],
    h: f64,
) -> Result<Vec<Feature>, FileError> {
    let document = parse(text)?;
    let root = Section::new(text, "a feature file", &document);
    root.check_version(FEATURE_VERSION)?;
    root.only(&["version", "feature"])?;
    let reader = Reader { creature, frames };
    let tables = root.tables("feature", "[[feature]]")?;
    let features = tables.iter().map(|table| reader.feature(table, h)).collect::<Result<Vec<_>, _>>()?;
    if features.is_empty() {
        return Err(root.error("it has no [[feature]]"));
    }
    Ok(features)
}

struct Reader<'a> {
    creature: &'a Creature,
    frames: &'a [BodyFrame],
}

impl Reader<'_> {
    fn feature(&self, section: &Section, h: f64) -> Result<Feature, FileError> {
        section.only(&KEYS)?;
        let time = section.number("time", ABOVE_0)?;
        let weight = section.number("weight", AT_LEAST_0)?.unwrap_or(1.0);
        let mut feature = Feature::calm(self.aim(section)?, time.unwrap_or(TIME), weight, h);
        let (gain, damping) = (section.number("gain", AT_LEAST_0)?, section.number("damping", FINITE)?);
        if time.is_some() && (gain.is_some() || damping.is_some()) {
            return Err(section.error("a time, and gain or damping besides: the time says both"));
        }
        feature.gain = gain.unwrap_or(feature.gain);
        feature.damping = damping.unwrap_or(if gain.is_some() { 0.0 } else { feature.damping });
        feature.priority = section.integer("priority")?.unwrap_or(0).min(3) as usize;
        if let Some(during) = section.numbers("during")? {
            feature.during = <[f64; 2]>::try_from(during)
                .ok()
                .filter(|[from, to]| from < to)
                .ok_or_else(|| section.error_at("during", "it is two times, from and until (s)"))?;
        }
        Ok(feature)
    }

    fn aim(&self, section: &Section) -> Result<Aim, FileError> {
        let kind = section
            .string("kind")?
            .ok_or_else(|| section.error(format!("kind is missing: {}", KINDS.join(", "))))?;
        match kind {
            "point" => {
                let (body, point) = self.place(section)?;
                let target = Self::target(section, self.frames[body].point_in_world(point))?;
                Ok(Aim::Point { body, point, target })
            }
            "orientation" => {
                let (body, _) = self.place(section)?;
                let turn = Self::turn(section)?;
                Ok(Aim::Orientation { body, target: turn * self.frames[body].orientation })
            }
            "look-at" => {
                let (body, eyes) = self.place(section)?;
                let target = Self::target(section, self.frames[body].point_in_world(eyes))?;
                Ok(Aim::LookAt { body, eyes, level: level(self.creature, body), target })
            }
            "center" => {
                let here = gambol_dynamics::center_of_mass_of(self.creature, self.frames);
                Ok(Aim::Center { target: Self::target(section, here)? })
            }
            "height" => {
                let height = section.number("height", ABOVE_0)?;
                let height = height.ok_or_else(|| section.error("height is missing (m over the support)"))?;
                Ok(Aim::CenterHeight { height })
            }
            "momentum" => Ok(Aim::AngularMomentum),
            "over-support" => Ok(Aim::OverSupport),
            "point-over-support" => {
                let (body, point) = self.place(section)?;
                Ok(Aim::PointOverSupport { body, point })
            }
            "held" => {
                let (body, point) = self.place(section)?;
                let frame = &self.frames[body];
                let place = frame.point_in_world(point);
                Ok(Aim::Held { body, point, place, orientation: frame.orientation })
            }
            "posture" => Ok(Aim::Posture { target: section.numbers("coordinates")?.unwrap_or_default() }),
            other => {
                let hint = nearest(other, KINDS.into_iter()).map_or_else(
                    || format!("it is one of {}", KINDS.join(", ")),
                    |name| format!("did you mean {name}?"),
                );
                Err(section.error_at("kind", format!("{other:?} is no kind of feature; {hint}")))
            }
        }
    }

    /// A landmark, or a body at its centre of mass.
    fn place(&self, section: &Section) -> Result<(usize, Vec3), FileError> {
        let name =
            section.string("at")?.ok_or_else(|| section.error("at is missing: a landmark or a body"))?;
        if let Some(mark) = self.creature.landmark(name) {
            return Ok((mark.body, mark.point));
        }
        let body = self.creature.body_index(name).filter(|body| *body > 0).ok_or_else(|| {
            let marks: Vec<String> =
                self.creature.landmarks().iter().map(gambol_model::Landmark::name).collect();
            let bodies = self.creature.bodies().iter().skip(1).map(|body| body.name.as_str());
            let near = nearest(name, marks.iter().map(String::as_str).chain(bodies));
            let hint = near.map_or_else(
                || format!("it has {}", marks.join(", ")),
                |near| format!("did you mean {near}?"),
            );
            section
                .error_at("at", format!("{} has no landmark or body {name:?}; {hint}", self.creature.name()))
        })?;
        Ok((body, self.creature.bodies()[body].mass.com))
    }

    /// A place in the world, or an offset from where it is at the start.
    fn target(section: &Section, here: Vec3) -> Result<Vec3, FileError> {
        let vector = |key: &str| -> Result<Option<Vec3>, FileError> {
            let Some(numbers) = section.numbers(key)? else { return Ok(None) };
            let three = <[f64; 3]>::try_from(numbers);
            let three = three.map_err(|_| section.error_at(key, "it is three numbers, x, y and z (m)"))?;
            Ok(Some(Vec3::from(three)))
        };
        match (vector("target")?, vector("offset")?) {
            (Some(target), None) => Ok(target),
            (None, Some(offset)) => Ok(here + offset),
            (None, None) => {
                Err(section.error("it needs a target, or an offset from where it is at first (m)"))
            }
            (Some(_), Some(_)) => Err(section.error("a target and an offset at once: one of them")),
        }
    }

    /// From the orientation at the start, about an axis of the world.
    fn turn(section: &Section) -> Result<Quat, FileError> {
        let angle = section.angle("angle_degrees", "angle_radians")?.unwrap_or(0.0);
        let axis = section.numbers("axis")?.unwrap_or_else(|| vec![0.0, 0.0, 1.0]);
        let axis = <[f64; 3]>::try_from(axis).ok().and_then(|axis| Vec3::from(axis).try_normalize(1e-9));
        let axis = axis.ok_or_else(|| section.error_at("axis", "it is three numbers that are not all 0"))?;
        Ok(Quat::from_scaled_axis(axis * angle))
    }
}

/// How a body is turned against the way that it looks in the reference pose.
fn level(creature: &Creature, body: usize) -> Quat {
    let mut data = Data::new(creature);
    let heading = Heading::of_reference(creature, &mut data);
    let frames = forward_kinematics(creature, &mut data, creature.reference_pose());
    let axes = Mat3::from_columns(&[heading.forward, heading.left, heading.up]);
    let ahead = Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    ahead.inverse() * frames[body].orientation
}
