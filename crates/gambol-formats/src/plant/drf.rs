//! Dressing files (`.drf`) beside an MTG: of all that they say, the units.

use crate::{Files, FormatError};

/// By what the numbers of an MTG are divided: `LengthUnit` and `DiameterUnit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DrfUnits {
    pub(super) length: f64,
    pub(super) diameter: f64,
}

/// Those of the file of the same name, or else of all `.drf` files beside it where they agree.
pub(super) fn units(files: &dyn Files, main: &str) -> Result<Option<DrfUnits>, FormatError> {
    let stem = main.rsplit_once('.').map_or(main, |(stem, _)| stem);
    let beside = files.all("drf");
    let own = format!("{stem}.drf");
    let named = beside.iter().find(|name| name.eq_ignore_ascii_case(&own));
    if let Some(name) = named {
        return parse(name, &files.read(name)?).map(Some);
    }
    let mut found: Option<DrfUnits> = None;
    for name in &beside {
        let units = parse(name, &files.read(name)?)?;
        if found.is_some_and(|found| found != units) {
            return Ok(None); // they contradict each other, and none has the name
        }
        found = Some(units);
    }
    Ok(found)
}

fn parse(name: &str, bytes: &[u8]) -> Result<DrfUnits, FormatError> {
    let text = String::from_utf8_lossy(bytes);
    let mut units = DrfUnits { length: 1.0, diameter: 1.0 };
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once('=') else { continue };
        let place = match key.trim() {
            "LengthUnit" => &mut units.length,
            "DiameterUnit" => &mut units.diameter,
            _ => continue,
        };
        match value.trim().parse() {
            Ok(unit) if f64::is_finite(unit) && unit > 0.0 => *place = unit,
            _ => {
                let reason = format!("{}: {:?} is not a number above 0", key.trim(), value.trim());
                return Err(FormatError::new(name, reason).at_line(super::numbers::line_number(index)));
            }
        }
    }
    Ok(units)
}
