//! ASF and AMC in: Acclaim's skeleton and motion, as CMU's database has them.
//!
//! A bone starts where its parent's ends and leads by `length` along `direction`, both in the pose with all angles zero.
//! Its angles turn it about axes of its own, C: with M the product of the turns, the first in the list acting first
//! (M = R₃ R₂ R₁), the bone is turned by C M C⁻¹ in its parent.

mod amc;
mod skeleton;

use gambol_anatomy::recording::{RecordedSkeleton, Take};
use gambol_model::CreatureSpec;

use crate::mocap::{Draft, Recording};
use crate::{FormatError, LoadOptions};
use skeleton::Asf;

/// Frames per second of CMU's recordings; the files do not say it.
const CMU_RATE: f64 = 120.0;

/// A text and the name of its file for messages.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    /// As the user names it.
    pub file: &'t str,
    /// All of it.
    pub text: &'t str,
}

/// Reads a skeleton and a motion of it. `rate` is in frames per second, CMU's 120 if not given.
pub fn read_amc(
    asf: Text<'_>,
    amc: Text<'_>,
    rate: Option<f64>,
    options: &LoadOptions,
) -> Result<Recording, FormatError> {
    draft(asf, amc, rate, options)?.finish()
}

/// The skeleton of a motion, as a creature.
pub(crate) fn read_moving(
    asf: Text<'_>,
    amc: Text<'_>,
    options: &LoadOptions,
) -> Result<CreatureSpec, FormatError> {
    Ok(draft(asf, amc, None, options)?.creature())
}

/// The skeleton of an ASF file, as a creature.
pub(crate) fn read(asf: Text<'_>, options: &LoadOptions) -> Result<CreatureSpec, FormatError> {
    let file = asf.file;
    let asf = Asf::read(asf, options.strict)?;
    // One frame in which nothing is turned, to be drawn in and then forgotten.
    let take = Take { step: 1.0, columns: asf.columns, numbers: vec![0.0; asf.columns] };
    let mut spec = finish(file, asf, &take, options)?.creature();
    spec.poses.retain(|pose| pose.name == "file");
    Ok(spec)
}

fn draft(
    asf: Text<'_>,
    amc: Text<'_>,
    rate: Option<f64>,
    options: &LoadOptions,
) -> Result<Draft, FormatError> {
    let rate = rate.unwrap_or(CMU_RATE);
    if !(rate.is_finite() && rate > 0.0) {
        return Err(FormatError::new(amc.file, format!("{rate} frames per second are not above 0")));
    }
    let asf = Asf::read(asf, options.strict)?;
    let take = amc::read(amc, &asf, rate)?;
    finish(amc.file, asf, &take, options)
}

fn finish(file: &str, asf: Asf, take: &Take, options: &LoadOptions) -> Result<Draft, FormatError> {
    Draft::new(file, RecordedSkeleton { joints: asf.joints }, take, asf.unit, options, asf.warnings)
}

/// The words of each line that says something, with its number, counted from 1.
fn lines(text: &str) -> impl Iterator<Item = (u32, Vec<&str>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = (1..).zip(text.lines()).map(|(number, line)| (number, words(line)));
    numbered.filter(|(_, words)| !words.is_empty())
}

/// The words of a line without its comment; brackets and commas part words.
fn words(line: &str) -> Vec<&str> {
    let said = line.split('#').next().unwrap_or("");
    let between = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',');
    said.split(between).filter(|word| !word.is_empty()).collect()
}
