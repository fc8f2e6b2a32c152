//! Numbers and short texts of the command line, checked as they are read.

use std::path::PathBuf;
use std::str::FromStr;

use gambol_gait::TerrainFile;

/// Side of a terrain from a picture that does not say, m.
const SIZE: f64 = 10.0;

/// Height of white over black of one that does not say, m: a step that a dog or a person climbs.
const HEIGHT: f64 = 0.3;

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is not a number"))
}

pub(super) fn checked(text: &str, is_good: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    let number = number(text)?;
    if number.is_finite() && is_good(number) { Ok(number) } else { Err(format!("{number} is not {wanted}")) }
}

pub(super) fn finite(text: &str) -> Result<f64, String> {
    checked(text, |_| true, "a finite number")
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    checked(text, |x| x > 0.0, "a finite number above 0")
}

pub(super) fn at_least_0(text: &str) -> Result<f64, String> {
    checked(text, |x| x >= 0.0, "a finite number of at least 0")
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    checked(text, |x| x > 0.0 && x <= 1.0, "a share above 0 and at most 1")
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    checked(text, |x| x > 0.0 && x <= 3600.0, "a time above 0 and at most an hour")
}

pub(super) fn rate(text: &str) -> Result<f64, String> {
    checked(text, |x| (1.0..=1000.0).contains(&x), "a rate from 1 to 1000 per second")
}

/// Longest step of a simulation, s. At a tenth of a second nothing that has contacts moves sensibly.
const LONGEST_STEP: f64 = 0.1;

/// Shortest step, s: a minute of it would take a day.
const SHORTEST_STEP: f64 = 1e-7;

pub(super) fn step(text: &str) -> Result<f64, String> {
    checked(text, |x| (SHORTEST_STEP..=LONGEST_STEP).contains(&x), "a time from 1e-7 to 0.1 s")
}

pub(super) fn count(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|count| *count > 0);
    number.ok_or_else(|| format!("{text} is not a whole number above 0"))
}

/// Degrees to radians, per second.
pub(super) fn turn_rate(text: &str) -> Result<f64, String> {
    finite(text).map(f64::to_radians)
}

/// `PATTERN=F`; the pattern itself is checked against the creature.
pub(super) fn scale(text: &str) -> Result<(String, f64), String> {
    let (pattern, factor) = text.rsplit_once('=').ok_or("expected PATTERN=FACTOR")?;
    Ok((pattern.to_owned(), positive(factor)?))
}

/// `JOINT=DEG` or `JOINT=DEG,DEG,DEG`; the joint is checked against the creature.
pub(super) fn bend(text: &str) -> Result<(String, Vec<f64>), String> {
    let (joint, angles) =
        text.rsplit_once('=').ok_or("expected JOINT=DEGREES, or three of them for a ball joint")?;
    let angles = angles.split(',').map(finite).collect::<Result<_, _>>()?;
    Ok((joint.to_owned(), angles))
}

/// A mode's number, as tables print it or without the `u`.
pub(super) fn mode(text: &str) -> Result<usize, String> {
    let digits = text.trim().trim_start_matches('u');
    digits.parse().map_err(|_| format!("{text:?} is not the number of a mode"))
}

/// `M=X`: a number for a mode.
#[derive(Clone, Copy)]
pub(super) struct ModeValue {
    pub(super) mode: usize,
    pub(super) value: f64,
}

impl FromStr for ModeValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mode, value) = text.split_once('=').ok_or("expected MODE=NUMBER, for example 9=0.3")?;
        Ok(Self { mode: self::mode(mode)?, value: finite(value)? })
    }
}

/// What `--terrain` asks for.
#[derive(Clone)]
pub(super) enum Ground {
    Flat,
    /// rad
    Slope(f64),
    Picture(TerrainFile),
    /// A course file.
    Course(PathBuf),
}

pub(super) fn ground(text: &str) -> Result<Ground, String> {
    if text == "flat" {
        return Ok(Ground::Flat);
    }
    if let Some(degrees) = text.strip_prefix("slope:") {
        let steep = "a slope between -90 and 90 degrees";
        return checked(degrees, |x| x.abs() < 90.0, steep).map(|x| Ground::Slope(x.to_radians()));
    }
    if text.to_ascii_lowercase().ends_with(".toml") {
        return Ok(Ground::Course(text.into()));
    }
    // A path may have colons of its own; the last one counts if numbers follow it.
    let sizes = text.rsplit_once(':').and_then(|(file, sizes)| Some((file, sizes.split_once(',')?)));
    let (file, size, height) = match sizes {
        Some((file, (size, height))) => (file, positive(size)?, positive(height)?),
        None => (text, SIZE, HEIGHT),
    };
    if !file.to_ascii_lowercase().ends_with(".png") {
        return Err("expected flat, slope:DEGREES or FILE.png:SIZE,HEIGHT, or a course, FILE.toml".to_owned());
    }
    Ok(Ground::Picture(TerrainFile { file: file.to_owned(), size, height }))
}
