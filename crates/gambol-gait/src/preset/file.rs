//! Presets as a small TOML file beside the creature's; `docs/gaits.md` explains every key.

use gambol_formats::toml_file::{ABOVE_0, FINITE, FileError, Section, nearest, parse};

use super::{Preset, PresetMode, PresetPart, Presets};
use crate::file::style;
use crate::heuristics::{Action, Timing};

/// The highest version that is read.
const VERSION: u64 = 1;

impl Presets {
    /// Reads a file of presets.
    pub fn from_toml(text: &str) -> Result<Self, FileError> {
        let document = parse(text)?;
        let root = Section::new(text, "a file of presets", &document);
        root.check_version(VERSION)?;
        root.only(&["version", "gait"])?;
        let mut presets: Vec<Preset> = Vec::new();
        for section in root.tables("gait", "[[gait]]")? {
            let preset = preset(&section)?;
            if presets.iter().any(|other| other.name == preset.name) {
                return Err(section.error_at("name", format!("{:?} is there already", preset.name)));
            }
            presets.push(preset);
        }
        Ok(Self(presets))
    }
}

fn preset(section: &Section) -> Result<Preset, FileError> {
    section.only(&["name", "footfalls", "frequency", "style", "parts"])?;
    let missing = |key: &str| section.error(format!("{key} is missing"));
    let parts = section.tables("parts", "parts")?;
    if parts.is_empty() {
        return Err(missing("parts"));
    }
    Ok(Preset {
        name: section.string("name")?.ok_or_else(|| missing("name"))?.to_owned(),
        footfalls: section.string("footfalls")?.map(str::to_owned),
        style: style(section)?,
        frequency: section.number("frequency", ABOVE_0)?.ok_or_else(|| missing("frequency"))?,
        parts: parts.iter().map(part).collect::<Result<_, _>>()?,
    })
}

fn part(section: &Section) -> Result<PresetPart, FileError> {
    section.only(&[
        "mode",
        "does",
        "pair_from_hind",
        "timing",
        "amplitude",
        "phase",
        "harmonic",
        "offset",
    ])?;
    let harmonic = section.integer("harmonic")?.unwrap_or(1);
    let harmonic = u32::try_from(harmonic).ok().filter(|harmonic| *harmonic > 0);
    Ok(PresetPart {
        mode: mode(section)?,
        amplitude: section.number("amplitude", FINITE)?.unwrap_or(0.0),
        phase: section.number("phase", FINITE)?.map_or(0.0, gambol_formats::toml_file::from_degrees),
        harmonic: harmonic.ok_or_else(|| section.error_at("harmonic", "it is 1 or more"))?,
        offset: section.number("offset", FINITE)?.unwrap_or(0.0),
    })
}

/// What a mode can do, as the file calls it.
const DOES: [&str; 8] =
    ["swing", "bend", "lift", "twisting-swing", "bound", "rise", "spread-feet", "spread-hands"];

fn mode(section: &Section) -> Result<PresetMode, FileError> {
    let mode = match (section.integer("mode")?, section.string("does")?) {
        (Some(number), None) => PresetMode::Number(usize::try_from(number).unwrap_or(usize::MAX)),
        (None, Some("swing")) => return best(section, Action::Swing),
        (None, Some("bend")) => return best(section, Action::Bend),
        (None, Some("lift")) => return best(section, Action::Lift),
        (None, Some("twisting-swing")) => PresetMode::TwistingSwing,
        (None, Some("bound")) => PresetMode::Bound,
        (None, Some("rise")) => PresetMode::Rise,
        (None, Some("spread-feet")) => PresetMode::SpreadFeet,
        (None, Some("spread-hands")) => PresetMode::SpreadHands,
        (None, Some(other)) => {
            let hint = match nearest(other, DOES.into_iter()) {
                Some(meant) => format!("did you mean {meant:?}?"),
                None => format!("there are {}", DOES.join(", ")),
            };
            return Err(section.error_at("does", format!("no mode does {other:?}; {hint}")));
        }
        (Some(_), Some(_)) => return Err(section.error_at("does", "its mode is given already")),
        (None, None) => return Err(section.error("it needs mode, or what the mode does")),
    };
    for key in ["pair_from_hind", "timing"] {
        if section.table.contains_key(key) {
            return Err(section.error_at(key, "it is for swing, bend and lift"));
        }
    }
    Ok(mode)
}

fn best(section: &Section, action: Action) -> Result<PresetMode, FileError> {
    let timing = match section.string("timing")? {
        Some("alternating") => Timing::Alternating,
        Some("together") => Timing::Together,
        Some(other) => {
            let reason = format!("{other:?} is none; there are alternating and together");
            return Err(section.error_at("timing", reason));
        }
        None => return Err(section.error("timing is missing: alternating or together")),
    };
    let pair = section.integer("pair_from_hind")?.unwrap_or(0);
    Ok(PresetMode::Best { pair_from_hind: usize::try_from(pair).unwrap_or(usize::MAX), action, timing })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "version = 1\n[[gait]]\nname = \"trot\"\nfootfalls = \"trot\"\nfrequency = 2\n\
        style = { pose = \"low\" }\nparts = [\n\
        { does = \"swing\", pair_from_hind = 1, timing = \"alternating\", amplitude = 0.5, phase = 90 },\n\
        { does = \"rise\", harmonic = 2 },\n{ mode = 6, offset = -0.25 },\n]\n";

    #[test]
    fn a_file_is_read() {
        let Presets(presets) = Presets::from_toml(GOOD).unwrap();
        let [preset] = presets.as_slice() else { panic!("{presets:?}") };
        assert_eq!((preset.name.as_str(), preset.footfalls.as_deref()), ("trot", Some("trot")));
        assert_eq!((preset.frequency, preset.style.pose.as_deref()), (2.0, Some("low")));
        let swing =
            PresetMode::Best { pair_from_hind: 1, action: Action::Swing, timing: Timing::Alternating };
        let part = |mode, amplitude, phase, harmonic, offset| PresetPart {
            mode,
            amplitude,
            phase,
            harmonic,
            offset,
        };
        assert_eq!(preset.parts[0], part(swing, 0.5, std::f64::consts::FRAC_PI_2, 1, 0.0));
        assert_eq!(preset.parts[1], part(PresetMode::Rise, 0.0, 0.0, 2, 0.0));
        assert_eq!(preset.parts[2], part(PresetMode::Number(6), 0.0, 0.0, 1, -0.25));
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        let told = |from: &str, to: &str| {
            assert!(GOOD.contains(from), "{from}");
            Presets::from_toml(&GOOD.replacen(from, to, 1)).unwrap_err().to_string()
        };
        for (from, to, wanted) in [
            (
                "version = 1",
                "version = 2",
                "line 1: version: version 2 is newer than this gambol (reads up to 1)",
            ),
            ("name = \"trot\"\n", "", "line 2: [[gait]]: name is missing"),
            ("frequency = 2", "frequency = 0", "line 5: frequency: 0 is not a finite number above 0"),
            ("\"swing\"", "\"swign\"", "line 8: does: no mode does \"swign\"; did you mean \"swing\"?"),
            (
                "\"alternating\"",
                "\"in turn\"",
                "line 8: timing: \"in turn\" is none; there are alternating and together",
            ),
            (
                "pair_from_hind",
                "pair_from_hnd",
                "line 8: parts has no key \"pair_from_hnd\"; did you mean pair_from_hind?",
            ),
            ("harmonic = 2", "harmonic = 0", "line 9: harmonic: it is 1 or more"),
            ("harmonic = 2", "timing = \"together\"", "line 9: timing: it is for swing, bend and lift"),
            ("mode = 6", "mode = 6, does = \"rise\"", "line 10: does: its mode is given already"),
            ("mode = 6, ", "", "line 10: parts: it needs mode, or what the mode does"),
        ] {
            assert_eq!(told(from, to), wanted);
        }
        let twice = format!("{GOOD}{}", GOOD.trim_start_matches("version = 1\n"));
        assert_eq!(
            Presets::from_toml(&twice).unwrap_err().to_string(),
            "line 13: name: \"trot\" is there already"
        );
    }
}
