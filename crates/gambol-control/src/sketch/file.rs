//! Sketches as small TOML files; `docs/controllers.md` explains every key.

use gambol_formats::toml_file::{FINITE, FileError, Section, digits, error_in, parse, quoted};
use gambol_model::Creature;

use super::{Legs, Misfit, Palette, Phase, Priority, Sketch, Stage};

/// The version that is written, and the highest that is read.
const VERSION: u64 = 1;

/// Whether a text is a sketch or a controller, and not a gait: these have no period. It may have mistakes all the same.
pub fn is_sketch(text: &str) -> bool {
    text.lines().any(|line| {
        line.trim_start().strip_prefix("period").is_some_and(|rest| rest.trim_start().starts_with('='))
    })
}

/// The creature that a sketch or a controller names; the rest is not looked at.
pub fn creature_of(text: &str) -> Result<String, FileError> {
    let document = parse(text)?;
    named_creature(&Section::new(text, "a sketch", &document)).map(str::to_owned)
}

fn named_creature<'a>(root: &Section<'a, '_>) -> Result<&'a str, FileError> {
    let missing = || root.error("creature is missing: a name of the gallery or a file");
    root.string("creature")?.ok_or_else(missing)
}

/// Where each mode of each phase is named.
type Lines = Vec<(Phase, usize, usize)>;

/// Reads a sketch and prepares the creature that it names, as `find` gives it. Mistakes are told with their lines: those of the
/// file itself, and modes, poses and feet that the creature does not have.
pub fn read(
    text: &str,
    find: impl FnOnce(&str) -> Result<Creature, String>,
) -> Result<(Sketch, Stage), FileError> {
    let document = parse(text)?;
    let root = Section::new(text, "a sketch", &document);
    root.check_version(VERSION)?;
    root.only(&[
        "version",
        "name",
        "creature",
        "pose",
        "legs",
        "stance",
        "stiffness",
        "damping",
        "period",
        "flight_share",
        "bursts",
        "speed",
        "least_speed",
        "most_effort",
        "size",
        "flight",
        "ground",
        // What makes a sketch a controller: see `locomotion::read_controller`.
        "stride",
        "found",
    ])?;
    let creature = named_creature(&root)?;
    let mut lines = Lines::new();
    let sketch = Sketch {
        name: root.string("name")?.unwrap_or("sketch").to_owned(),
        creature: creature.to_owned(),
        pose: root.string("pose")?.map(str::to_owned),
        legs: legs(&root)?,
        stance: root.strings("stance")?.into_iter().map(|(_, name)| name.to_owned()).collect(),
        stiffness: root.number("stiffness", FINITE)?.unwrap_or(1.0),
        damping: root.number("damping", FINITE)?.unwrap_or(PAPER_DAMPING),
        period: root.number("period", FINITE)?.ok_or_else(|| root.error("period is missing (s)"))?,
        flight_share: root.number("flight_share", FINITE)?.unwrap_or(0.5),
        bursts: bursts(&root)?,
        speed: root.number("speed", FINITE)?.ok_or_else(|| root.error("speed is missing (m/s)"))?,
        least_speed: root.number("least_speed", FINITE)?.unwrap_or(PAPER_SPEED),
        most_effort: root.number("most_effort", FINITE)?.unwrap_or(PAPER_EFFORT),
        size: root.number("size", FINITE)?.unwrap_or(PAPER_SIZE),
        flight: palette(&root, Phase::Flight, "[flight]", &mut lines)?,
        ground: palette(&root, Phase::Ground, "[ground]", &mut lines)?,
    };
    sketch.check().map_err(|misfit| told(&root, &lines, misfit))?;
    let creature = find(&sketch.creature).map_err(|reason| root.error_at("creature", reason))?;
    let stage = Stage::new(&sketch, creature).map_err(|misfit| told(&root, &lines, misfit))?;
    Ok((sketch, stage))
}

/// k_d / k_s, s, and the least mean speed, m/s, of Nunes et al. 2012.
const PAPER_DAMPING: f64 = 0.1;
const PAPER_SPEED: f64 = 2.0;

/// Its most effort, N²m².
pub(crate) const PAPER_EFFORT: f64 = 500_000.0;

/// Height of its runner's centre of mass, m.
pub(crate) const PAPER_SIZE: f64 = 1.0;

fn told(root: &Section, lines: &Lines, misfit: Misfit) -> FileError {
    let Misfit { key, mode, reason } = misfit;
    // Of a mode that is named twice, the later place is the mistake.
    let line = mode.and_then(|(phase, mode)| {
        let found = lines.iter().rfind(|(in_phase, named, _)| *in_phase == phase && *named == mode);
        found.map(|(_, _, line)| *line)
    });
    match line {
        Some(line) => error_in(line, reason),
        None => root.error_at(key, reason),
    }
}

fn legs(root: &Section) -> Result<Legs, FileError> {
    match root.string("legs")?.unwrap_or("alternate") {
        "alternate" => Ok(Legs::Alternate),
        "together" => Ok(Legs::Together),
        other => Err(root.error_at("legs", format!("{other:?} is neither \"alternate\" nor \"together\""))),
    }
}

/// Where a file does not say: about what half of a leg's push takes, s.
const DEFAULT_BURST: f64 = 0.1;

fn bursts(root: &Section) -> Result<[f64; 2], FileError> {
    let Some(list) = root.numbers("bursts")? else { return Ok([DEFAULT_BURST; 2]) };
    let wanted = "they are two lengths above 0, in flight and on the ground (s)";
    <[f64; 2]>::try_from(list).map_err(|_| root.error_at("bursts", wanted))
}

fn palette(
    root: &Section,
    phase: Phase,
    name: &'static str,
    lines: &mut Lines,
) -> Result<Palette, FileError> {
    let Some(section) = root.table(phase.name(), name)? else { return Ok(Palette::default()) };
    section.only(&["priority", "permissible", "excluded"])?;
    let mut palette = Palette::default();
    for entry in section.tables("priority", "priority")? {
        entry.only(&["mode", "amplitude"])?;
        let Some(mode) = entry.integer("mode")? else { return Err(entry.error("mode is missing")) };
        let Some(amplitude) = entry.number("amplitude", FINITE)? else {
            return Err(entry.error("amplitude is missing: above or below 0, in radians"));
        };
        let mode = index(mode);
        let line = entry.table.get("mode").map_or(0, |value| entry.line_at(value));
        lines.push((phase, mode, line));
        palette.priority.push(Priority { mode, amplitude });
    }
    let mut list = |key: &str| -> Result<Option<Vec<usize>>, FileError> {
        let Some(named) = modes(&section, key)? else { return Ok(None) };
        lines.extend(named.iter().map(|(mode, line)| (phase, *mode, *line)));
        Ok(Some(named.into_iter().map(|(mode, _)| mode).collect()))
    };
    palette.excluded = list("excluded")?.unwrap_or_default();
    palette.permissible = list("permissible")?;
    Ok(palette)
}

/// A list of modes, each with its line.
fn modes(section: &Section, key: &str) -> Result<Option<Vec<(usize, usize)>>, FileError> {
    let Some(list) = section.list(key)? else { return Ok(None) };
    let Some(numbers) = section.numbers(key)? else { return Ok(None) };
    let mut modes = Vec::new();
    for (value, number) in list.iter().zip(numbers) {
        let whole = number.fract() == 0.0 && (0.0..1e9).contains(&number);
        if !whole {
            return Err(section.wrong(key, value, "the number of a mode"));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole and in range
        modes.push((number as usize, section.line_at(value)));
    }
    Ok(Some(modes))
}

fn index(mode: u64) -> usize {
    usize::try_from(mode).unwrap_or(usize::MAX)
}

/// Writes a sketch of the current version.
pub fn to_toml(sketch: &Sketch) -> String {
    let about = "A sketch of a gait: natural vibrations to be seen in flight and on the ground (docs/controllers.md).";
    written(sketch, about)
}

/// The same with other words at the top.
pub(crate) fn written(sketch: &Sketch, about: &str) -> String {
    let mut out = format!("# {about}\n");
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    let explained = |text: String, comment: &str| format!("{text:<24} # {comment}");
    line(format!("version = {VERSION}"));
    line(format!("name = {}", quoted(&sketch.name)));
    line(format!("creature = {}", quoted(&sketch.creature)));
    if let Some(pose) = &sketch.pose {
        line(explained(format!("pose = {}", quoted(pose)), "in which the springs are at rest"));
    }
    let legs = match sketch.legs {
        Legs::Alternate => "alternate",
        Legs::Together => "together",
    };
    line(explained(format!("legs = {}", quoted(legs)), "alternate or together"));
    if !sketch.stance.is_empty() {
        let names: Vec<String> = sketch.stance.iter().map(|name| quoted(name)).collect();
        line(explained(format!("stance = [{}]", names.join(", ")), "feet that stand first"));
    }
    line(explained(format!("stiffness = {}", digits(sketch.stiffness)), "times the creature's own"));
    line(explained(format!("damping = {}", digits(sketch.damping)), "over stiffness, s"));
    line(explained(format!("period = {}", digits(sketch.period)), "to begin with, s"));
    line(explained(
        format!("flight_share = {}", digits(sketch.flight_share)),
        "of a foot's cycle, to begin with",
    ));
    let [flight, ground] = sketch.bursts.map(digits);
    line(explained(format!("bursts = [{flight}, {ground}]"), "of torque, to begin with, s"));
    line(explained(format!("speed = {}", digits(sketch.speed)), "forward, to begin with, m/s"));
    line(explained(format!("least_speed = {}", digits(sketch.least_speed)), "on average, m/s"));
    line(explained(format!("most_effort = {}", digits(sketch.most_effort)), "squared torques, N²m²"));
    if sketch.size != PAPER_SIZE {
        line(explained(format!("size = {}", digits(sketch.size)), "of which thresholds are parts, m"));
    }
    for phase in Phase::BOTH {
        let palette = sketch.palette(phase);
        line(format!("\n[{}]", phase.name()));
        let list = |modes: &[usize]| {
            let modes: Vec<String> = modes.iter().map(ToString::to_string).collect();
            format!("[{}]", modes.join(", "))
        };
        if let Some(permissible) = &palette.permissible {
            line(format!("permissible = {}", list(permissible)));
        }
        if !palette.excluded.is_empty() {
            line(format!("excluded = {}", list(&palette.excluded)));
        }
        for Priority { mode, amplitude } in &palette.priority {
            line(format!("\n[[{}.priority]]", phase.name()));
            line(format!("mode = {mode}"));
            line(explained(format!("amplitude = {}", digits(*amplitude)), "at least, rad"));
        }
    }
    out
}
