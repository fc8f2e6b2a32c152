//! From the numbers of a file to metres, z up.

use gambol_model::{Hint, Remark, Vec3, math};

use super::{PlantFile, PlantParent};
use crate::{FormatError, LoadOptions};

/// Higher plants do not exist: the tallest tree known, a coast redwood, has 116 m.
const TALLEST: f64 = 130.0;

/// Trees are about a quarter as high as one of their thickness could be before it buckled under its weight
/// (McMahon 1973, Size and shape in biology, Science 179).
const OF_BUCKLING: f64 = 0.25;

/// Height in metres at which a wooden column of diameter 1 m buckles; it grows with the diameter to the power of 2/3:
/// 0.792 (E/ρg)^⅓ with E = 10 GPa and ρ = 1000 kg/m³ (McMahon 1973).
const BUCKLING: f64 = 79.7;

/// Units that lengths may be in, m, and by how much diameters may be finer.
const UNITS: [(f64, &str); 3] = [(1.0, "m"), (0.01, "cm"), (0.001, "mm")];
const FINER: [f64; 2] = [1.0, 10.0];

/// What is known of a file's units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// The unit that files of this kind have, m, if there is one.
    pub(super) unit: Option<f64>,
    /// By what lengths are to be divided first.
    pub(super) length_divisor: f64,
    pub(super) diameters: Diameters,
}

/// The unit of diameters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Diameters {
    /// They are this many times finer than lengths.
    Divided(f64),
    /// Nobody says.
    Unknown,
}

/// Scales and turns all points.
pub(super) fn to_metres(plant: &mut PlantFile, told: Told, options: &LoadOptions) -> Result<(), FormatError> {
    let up = options.up.unwrap_or_default();
    for point in &mut plant.points {
        point.position = up.to_z_up(point.position) / told.length_divisor;
        // A length's own divisor is in that of diameters.
        point.radius = point.radius.map(|radius| radius / told.length_divisor);
    }
    let raw = Raw::of(plant);
    let (unit, finer) = choose(plant, &raw, told, options)?;
    for point in &mut plant.points {
        point.position *= unit;
        point.radius = point.radius.map(|radius| radius * unit / finer);
    }
    let height = raw.height * unit;
    if height.is_nan() || height > TALLEST {
        let reason = format!("the plant is {height:.0} m high, and no tree is above {TALLEST:.0} m");
        let highest = plant.points.iter().max_by(|a, b| a.position.z.total_cmp(&b.position.z));
        let error = FormatError::new(&plant.file, reason).with_hint(Hint::Size);
        return Err(highest.map_or(error.clone(), |point| error.at_line(point.line)));
    }
    Ok(())
}

/// Sizes in the file's numbers.
struct Raw {
    height: f64,
    /// Of the root, or else the largest.
    diameter: Option<f64>,
}

impl Raw {
    fn of(plant: &PlantFile) -> Self {
        let mut low = Vec3::repeat(f64::MAX);
        let mut high = Vec3::repeat(f64::MIN);
        for point in &plant.points {
            low = low.inf(&point.position);
            high = high.sup(&point.position);
        }
        let root = plant.points.iter().find(|point| point.parent == PlantParent::Root);
        let largest = plant.points.iter().filter_map(|point| point.radius).reduce(f64::max);
        // What lies flat, as grass or a root, is as long as it is wide.
        let size = high - low;
        let height = if size.z > 0.0 { size.z } else { size.max() };
        Self { height, diameter: root.and_then(|root| root.radius).or(largest).map(|radius| 2.0 * radius) }
    }
}

/// The length of the file's unit, m, and how much finer its diameters are.
fn choose(
    plant: &mut PlantFile,
    raw: &Raw,
    told: Told,
    options: &LoadOptions,
) -> Result<(f64, f64), FormatError> {
    if let Some(height) = options.height {
        if raw.height.is_nan() || raw.height <= 0.0 {
            return Err(FormatError::new(&plant.file, "it has no height that could be set"));
        }
        let unit = height / raw.height;
        return Ok((unit, finest(raw, unit, told.diameters)));
    }
    if let Some(unit) = options.unit.or(told.unit) {
        return Ok((unit, finest(raw, unit, told.diameters)));
    }
    let candidates = UNITS.iter().filter(|(unit, _)| raw.height * unit <= TALLEST);
    let judged = candidates.map(|(unit, name)| {
        let finer = finest(raw, *unit, told.diameters);
        (misfit(raw, *unit, finer), *unit, *name, finer)
    });
    let Some((_, unit, name, finer)) = judged.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Ok((UNITS[2].0, 1.0)); // too high in any unit, which the caller tells
    };
    let text = format!("lengths are taken as {name}, which makes the plant {:.2} m high", raw.height * unit);
    plant.remarks.push(Remark::new(text, Hint::Size));
    Ok((unit, finer))
}

/// How much finer diameters are than lengths: as told, or as fits best.
fn finest(raw: &Raw, unit: f64, diameters: Diameters) -> f64 {
    match diameters {
        Diameters::Divided(divisor) => divisor,
        Diameters::Unknown => {
            let best = |a: &f64, b: &f64| misfit(raw, unit, *a).total_cmp(&misfit(raw, unit, *b));
            FINER.into_iter().min_by(best).unwrap_or(1.0)
        }
    }
}

/// How far the height is from what trees of this thickness have, as a logarithm; without a thickness the coarser unit
/// that is possible is the better.
fn misfit(raw: &Raw, unit: f64, finer: f64) -> f64 {
    match raw.diameter {
        Some(diameter) => {
            let diameter = diameter * unit / finer;
            let usual = OF_BUCKLING * BUCKLING * math::powf(diameter, 2.0 / 3.0);
            math::ln(raw.height * unit / usual).abs()
        }
        None => -unit,
    }
}
