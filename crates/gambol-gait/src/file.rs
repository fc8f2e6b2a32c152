//! A gait as a small TOML file; `docs/gaits.md` explains every key.
//!
//! Reading is by hand over the parsed tables, because every mistake is to be told with its line, and a misspelt key with
//! the one that was meant. Writing is by hand too, because a person is to like the file. Numbers are written with as
//! many digits as they need to come back bit by bit.

use std::collections::BTreeMap;

use gambol_formats::course::{
    COURSE_KEYS, ground_keys, read_course, read_ground, write_course, write_heights,
};
use gambol_formats::toml_file::{
    ABOVE_0, AT_LEAST_0, FINITE, Range, Section, TomlWriter, digits, error_in, parse, quoted,
};
use toml::Spanned;
use toml::de::DeValue;

pub use gambol_formats::course::TerrainFile;
pub use gambol_formats::toml_file::FileError;

use crate::{Component, Gait, Ground, HeightField, Style, Support, Terrain};

/// The version that is written, and the highest that is read.
pub const VERSION: u64 = 1;

/// A component's frequency is a whole multiple of the gait's up to this share: people write three or four digits.
const WHOLE: f64 = 1e-3;

/// Reads a gait file of this or an earlier version that names no other file.
pub fn from_toml(text: &str) -> Result<Gait, FileError> {
    from_toml_with(text, |terrain| Err(format!("the terrain {:?} cannot be read from here", terrain.file)))
}

/// Reads a gait file of this or an earlier version; `terrain` fetches the heights of a picture that it names.
pub fn from_toml_with(
    text: &str,
    terrain: impl FnOnce(&TerrainFile) -> Result<HeightField, String>,
) -> Result<Gait, FileError> {
    let document = parse(text)?;
    let root = Section::new(text, "a gait file", &document);
    root.check_version(VERSION)?;
    root.only(&["version", "name", "creature", "frequency", "style", "component", "ground"])?;
    let (frequency, components) = components(&root)?;
    Ok(Gait {
        name: root.string("name")?.unwrap_or("gait").to_owned(),
        creature: root.string("creature")?.map(str::to_owned),
        style: style(&root)?,
        frequency,
        components,
        ground: ground(&root, terrain)?,
    })
}

pub(crate) fn style(root: &Section) -> Result<Style, FileError> {
    let Some(section) = root.table("style", "[style]")? else { return Ok(Style::default()) };
    section.only(&["pose", "stiffness", "scale", "constraints", "weight", "tension", "injured", "bend"])?;
    let own = Style::default();
    let mut scale = Vec::new();
    for (line, text) in section.strings("scale")? {
        let bad = |reason: &str| error_in(line, format!("scale {text:?}: {reason}"));
        let (pattern, factor) = text.rsplit_once('=').ok_or_else(|| bad("expected PATTERN=FACTOR"))?;
        let factor: f64 = factor.trim().parse().map_err(|_| bad("the factor is not a number"))?;
        if !(factor.is_finite() && factor > 0.0) {
            return Err(bad("the factor is not a finite number above 0"));
        }
        scale.push((pattern.to_owned(), factor));
    }
    let list = |key: &str| -> Result<Vec<String>, FileError> {
        Ok(section.strings(key)?.into_iter().map(|(_, text)| text.to_owned()).collect())
    };
    Ok(Style {
        pose: section.string("pose")?.map(str::to_owned),
        bend: bend(&section)?,
        stiffness: section.number("stiffness", ABOVE_0)?,
        scale,
        constraints: list("constraints")?,
        weight: section.number("weight", ABOVE_0)?.unwrap_or(own.weight),
        tension: section.number("tension", ABOVE_0)?.unwrap_or(own.tension),
        injured: list("injured")?,
    })
}

/// Joints in the order of the file. Radians and metres: a file does not know which joints slide.
fn bend(style: &Section) -> Result<Vec<(String, Vec<f64>)>, FileError> {
    let Some(section) = style.table("bend", "[style.bend]")? else { return Ok(Vec::new()) };
    let mut joints: Vec<_> = section.table.iter().collect();
    joints.sort_by_key(|(joint, _)| joint.span().start);
    let read = |(joint, by): (&Spanned<_>, &Spanned<DeValue>)| {
        let joint: &str = AsRef::as_ref(Spanned::get_ref(joint));
        let by = match by.get_ref() {
            DeValue::Array(_) => section.numbers(joint)?,
            _ => section.number(joint, FINITE)?.map(|angle| vec![angle]),
        };
        Ok((joint.to_owned(), by.unwrap_or_default()))
    };
    joints.into_iter().map(read).collect()
}

/// The gait's frequency, which is that of its slowest component if the file does not say, and its components.
fn components(root: &Section) -> Result<(f64, Vec<Component>), FileError> {
    let sections = root.tables("component", "[[component]]")?;
    let mut own = Vec::new();
    for section in &sections {
        let keys = ["mode", "amplitude", "phase", "phase_radians", "frequency", "offset"];
        section.only(&keys)?;
        own.push(section.number("frequency", ABOVE_0)?);
    }
    let slowest = own.iter().flatten().copied().reduce(f64::min);
    let Some(frequency) = root.number("frequency", ABOVE_0)?.or(slowest) else {
        return Err(root.error("frequency is missing: how many cycles per second"));
    };
    let mut components = Vec::new();
    for (section, own) in sections.iter().zip(own) {
        let Some(mode) = section.integer("mode")? else { return Err(section.error("mode is missing")) };
        components.push(Component {
            mode: usize::try_from(mode).unwrap_or(usize::MAX),
            amplitude: section.number("amplitude", FINITE)?.unwrap_or(0.0),
            phase: section.angle("phase", "phase_radians")?.unwrap_or(0.0),
            harmonic: harmonic(section, own.unwrap_or(frequency), frequency)?,
            offset: section.number("offset", FINITE)?.unwrap_or(0.0),
        });
    }
    Ok((frequency, components))
}

fn harmonic(section: &Section, own: f64, gait: f64) -> Result<u32, FileError> {
    let whole = (own / gait).round();
    if (1.0..=f64::from(u32::MAX)).contains(&whole) && (own / gait - whole).abs() <= WHOLE * whole {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the range of u32
        return Ok(whole as u32);
    }
    let reason = format!(
        "a frequency of {own} Hz is no whole multiple of the gait's {gait} Hz, so that the motion would never repeat"
    );
    Err(section.error_at("frequency", reason))
}

/// Where a file has no [ground], or leaves one of these out.
const DEFAULT_DUTY: f64 = 0.5;
/// High enough to see that the foot leaves the ground.
const DEFAULT_CLEARANCE: f64 = 0.1;

fn ground(
    root: &Section,
    fetch: impl FnOnce(&TerrainFile) -> Result<HeightField, String>,
) -> Result<Ground, FileError> {
    let mut ground = Ground {
        support: Support::Feet,
        duty: DEFAULT_DUTY,
        speed: None,
        turn: 0.0,
        clearance: DEFAULT_CLEARANCE,
        footfalls: BTreeMap::new(),
        terrain: Terrain::Flat,
    };
    let Some(section) = root.table("ground", "[ground]")? else { return Ok(ground) };
    let turn = ("turn_degrees_per_second", "turn_radians_per_second");
    section.only(&[
        "support",
        "across",
        "advance",
        "airspeed",
        "pitch_degrees",
        "density",
        "duty",
        "speed",
        turn.0,
        turn.1,
        "clearance",
        "footfalls",
        "terrain",
    ])?;
    ground.support = support(&section)?;
    ground.duty = section.number("duty", SHARE)?.unwrap_or(DEFAULT_DUTY);
    ground.speed = section.number("speed", AT_LEAST_0)?;
    ground.turn = section.angle(turn.0, turn.1)?.unwrap_or(0.0);
    ground.clearance = section.number("clearance", AT_LEAST_0)?.unwrap_or(DEFAULT_CLEARANCE);
    if let Some(feet) = section.table("footfalls", "[ground.footfalls]")? {
        for foot in feet.table.keys() {
            let name = foot.get_ref().to_string();
            let phase = feet.number(&name, FINITE)?.unwrap_or(0.0);
            ground.footfalls.insert(name, phase);
        }
    }
    ground.terrain = terrain(&section, fetch)?;
    Ok(ground)
}

fn support(section: &Section) -> Result<Support, FileError> {
    let across = section.number("across", ABOVE_0)?;
    let name = section.string("support")?.unwrap_or("feet");
    let rough = |what: &str| {
        let missing = format!("support = {name:?} needs across: {what} across the body over that along it");
        across.ok_or_else(|| section.error_at("support", missing))
    };
    let support = match name {
        "feet" => Support::Feet,
        "crouch" => Support::Crouch,
        "air" => Support::Air,
        "belly" => return Ok(Support::Belly { across: rough("friction")? }),
        "water" => {
            return Ok(Support::Water {
                across: rough("drag")?,
                advance: section.number("advance", FINITE)?,
            });
        }
        "wings" => {
            let pitch = section.number("pitch_degrees", FINITE)?.unwrap_or(0.0).to_radians();
            let need = |key: &str| section.error_at("support", format!("support = \"wings\" needs {key}"));
            let speed = section.number("airspeed", AT_LEAST_0)?.ok_or_else(|| need("airspeed: m/s"))?;
            let density =
                section.number("density", ABOVE_0)?.ok_or_else(|| need("density: kg/m³ of the air"))?;
            return Ok(Support::Wings { speed, pitch, density });
        }
        "take-off" | "landing" => {
            let need = |key: &str| section.error_at("support", format!("support = {name:?} needs {key}"));
            let speed =
                section.number("airspeed", ABOVE_0)?.ok_or_else(|| need("airspeed: m/s of level flight"))?;
            let density =
                section.number("density", ABOVE_0)?.ok_or_else(|| need("density: kg/m³ of the air"))?;
            return Ok(Support::Launch { speed, density, lands: name == "landing" });
        }
        other => {
            let reason = format!("{other:?} carries nothing; there are {}", SUPPORTS.join(", "));
            return Err(section.error_at("support", reason));
        }
    };
    match across {
        None => Ok(support),
        Some(_) => Err(section.error_at("across", "it is for belly and water only")),
    }
}

const SUPPORTS: [&str; 8] = ["feet", "crouch", "belly", "water", "air", "wings", "take-off", "landing"];

fn terrain(
    ground: &Section,
    fetch: impl FnOnce(&TerrainFile) -> Result<HeightField, String>,
) -> Result<Terrain, FileError> {
    match ground.table.get("terrain").map(Spanned::get_ref) {
        None => return Ok(Terrain::Flat),
        Some(DeValue::String(name)) if name == "flat" => return Ok(Terrain::Flat),
        Some(DeValue::String(name)) => {
            let reason = format!("there is no terrain {name:?}; it is \"flat\" or a table");
            return Err(ground.error_at("terrain", reason));
        }
        Some(_) => (),
    }
    let Some(section) = ground.table("terrain", "[ground.terrain]")? else { return Ok(Terrain::Flat) };
    let known: Vec<&str> = ground_keys().chain(COURSE_KEYS).collect();
    section.only(&known)?;
    let mut fetch = Some(fetch);
    let mut fetch =
        |file: &TerrainFile| fetch.take().map_or(Err("it is named twice".into()), |fetch| fetch(file));
    if COURSE_KEYS.iter().any(|key| section.table.contains_key(*key)) {
        section.only(&COURSE_KEYS)?;
        return read_course(&section, &mut fetch).map(Terrain::Course);
    }
    read_ground(&section, &mut fetch)
}

const SHARE: Range = ("a share of the cycle, above 0 and at most 1", |x| x > 0.0 && x <= 1.0);

/// Writes a gait file of the current version. `labels` say in words what each component does; there may be fewer.
pub fn to_toml(gait: &Gait, labels: &[String]) -> String {
    let mut out = TomlWriter::default();
    out.line("# A gait of gambol: a few natural vibrations of a body, and how it meets the ground (docs/gaits.md).");
    out.key("version", VERSION);
    out.key("name", quoted(&gait.name));
    if let Some(creature) = &gait.creature {
        out.key("creature", quoted(creature));
    }
    out.explained("frequency", digits(gait.frequency), "cycles per second");
    write_style(&mut out, &gait.style);
    if !gait.components.is_empty() {
        out.line("\n# Each moves as amplitude × shape × sin(2π frequency t + phase) + offset × shape: the amplitude in rad of the");
        out.line(
            "# joint that moves most, the phase in degrees, the frequency in Hz (the gait's if not given).",
        );
    }
    for (k, component) in gait.components.iter().enumerate() {
        write_component(&mut out, gait.frequency, component, labels.get(k));
    }
    write_ground(&mut out, &gait.ground);
    out.into_text()
}

fn write_style(out: &mut TomlWriter, style: &Style) {
    let own = Style::default();
    if *style == own {
        return;
    }
    out.line("\n# The body whose vibrations are meant: what differs from the creature's file.\n[style]");
    if let Some(pose) = &style.pose {
        out.key("pose", quoted(pose));
    }
    if let Some(stiffness) = style.stiffness {
        out.explained("stiffness", digits(stiffness), "of every joint, N·m/rad");
    }
    let scale: Vec<String> = style.scale.iter().map(|(name, x)| format!("{name}={}", digits(*x))).collect();
    for (key, list) in [("scale", &scale), ("constraints", &style.constraints), ("injured", &style.injured)] {
        if !list.is_empty() {
            let list: Vec<String> = list.iter().map(|text| quoted(text)).collect();
            out.key(key, format!("[{}]", list.join(", ")));
        }
    }
    if style.weight != own.weight {
        out.explained("weight", digits(style.weight), "times its mass");
    }
    if style.tension != own.tension {
        out.explained("tension", digits(style.tension), "times its stiffness, at the same energy");
    }
    if !style.bend.is_empty() {
        out.line("\n[style.bend] # on top of the pose: rad, m of a slide, three numbers of a ball (axis times angle)");
        for (joint, by) in &style.bend {
            let numbers: Vec<String> = by.iter().copied().map(digits).collect();
            match numbers.as_slice() {
                [one] => out.key(&quoted(joint), one),
                several => out.key(&quoted(joint), format!("[{}]", several.join(", "))),
            }
        }
    }
}

fn write_component(out: &mut TomlWriter, frequency: f64, component: &Component, label: Option<&String>) {
    let label: String =
        label.map(|label| format!(" # {label}")).unwrap_or_default().replace(char::is_control, " ");
    out.line(&format!("\n[[component]]{label}"));
    out.key("mode", component.mode);
    out.key("amplitude", digits(component.amplitude));
    out.angle("phase", "phase_radians", component.phase);
    if component.harmonic != 1 {
        out.key("frequency", digits(f64::from(component.harmonic) * frequency));
    }
    if component.offset.to_bits() != 0 {
        out.key("offset", digits(component.offset));
    }
}

fn write_ground(out: &mut TomlWriter, ground: &Ground) {
    out.line("\n[ground]");
    let (name, across) = match ground.support {
        Support::Feet => (SUPPORTS[0], None),
        Support::Crouch => (SUPPORTS[1], None),
        Support::Belly { across } => (SUPPORTS[2], Some((across, "friction"))),
        Support::Water { across, .. } => (SUPPORTS[3], Some((across, "drag"))),
        Support::Air => (SUPPORTS[4], None),
        Support::Wings { .. } => (SUPPORTS[5], None),
        Support::Launch { lands, .. } => (SUPPORTS[6 + usize::from(lands)], None),
    };
    out.explained("support", quoted(name), "what carries the body: feet, crouch, belly, water or air");
    if let Support::Wings { speed, pitch, density } = ground.support {
        out.explained("airspeed", digits(speed), "m/s ahead, on the mean");
        out.explained("pitch_degrees", digits(pitch.to_degrees()), "how far the body points up");
        out.explained("density", digits(density), "kg/m³ of what the wings beat");
    }
    if let Support::Launch { speed, density, .. } = ground.support {
        out.explained("airspeed", digits(speed), "m/s of level flight");
        out.explained("density", digits(density), "kg/m³ of what the wings beat");
    }
    if let Some((across, what)) = across {
        out.explained("across", digits(across), &format!("{what} across the body over that along it"));
    }
    if let Support::Water { advance: Some(advance), .. } = ground.support {
        out.explained("advance", digits(advance), "m per cycle, where the push of its tail equals its drag");
    }
    let steps = matches!(ground.support, Support::Feet | Support::Crouch);
    if steps || ground.duty != DEFAULT_DUTY {
        out.explained("duty", digits(ground.duty), "share of the cycle that a foot stands");
    }
    if let Some(speed) = ground.speed {
        out.explained("speed", digits(speed), "m/s");
    }
    if ground.turn.to_bits() != 0 {
        out.angle("turn_degrees_per_second", "turn_radians_per_second", ground.turn);
    }
    if steps || ground.clearance != DEFAULT_CLEARANCE {
        out.explained("clearance", digits(ground.clearance), "height of a swinging foot, share of the leg");
    }
    if !ground.footfalls.is_empty() {
        out.line("\n[ground.footfalls] # middle of each foot's stance, in cycles");
        for (foot, phase) in &ground.footfalls {
            out.key(&quoted(foot), digits(*phase));
        }
    }
    match &ground.terrain {
        Terrain::Flat => (),
        Terrain::Slope(angle) => {
            out.line("\n[ground.terrain]");
            out.angle("slope_degrees", "slope_radians", *angle);
        }
        Terrain::Field(field) => {
            out.line("\n[ground.terrain]");
            write_heights(out, field);
        }
        Terrain::Course(course) => write_course(out, "ground.terrain.", course),
    }
}
