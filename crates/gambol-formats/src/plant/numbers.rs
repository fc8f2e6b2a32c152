//! Numbers and columns of text tables.

use super::PlantFile;
use crate::FormatError;

/// A finite number, nothing where the cell is empty or says so, or an error at the line.
pub(super) fn number(
    plant: &PlantFile,
    line: u32,
    column: &str,
    cell: Option<&str>,
) -> Result<Option<f64>, FormatError> {
    let Some(cell) = cell.map(str::trim).filter(|cell| !cell.is_empty() && *cell != "NA" && *cell != "?")
    else {
        return Ok(None);
    };
    // Old files were made with a comma for the point.
    let told = cell.parse().or_else(|error| cell.replacen(',', ".", 1).parse().map_err(|_| error));
    match told {
        Ok(value) if f64::is_finite(value) => Ok(Some(value)),
        Ok(_) => Err(plant.error(line, format!("{column}: {cell} is not a finite number"))),
        Err(_) => Err(plant.error(line, format!("{column}: {cell:?} is not a number"))),
    }
}

/// A number that has to be there.
pub(super) fn needed(
    plant: &PlantFile,
    line: u32,
    column: &str,
    cell: Option<&str>,
) -> Result<f64, FormatError> {
    number(plant, line, column, cell)?.ok_or_else(|| plant.error(line, format!("{column} is missing")))
}

/// A radius: none where it is 0, which is how many files say that nobody measured it.
pub(super) fn radius(
    plant: &PlantFile,
    line: u32,
    column: &str,
    cell: Option<&str>,
) -> Result<Option<f64>, FormatError> {
    match number(plant, line, column, cell)? {
        Some(value) if value < 0.0 => Err(plant.error(line, format!("{column}: {value} is negative"))),
        value => Ok(value.filter(|value| *value > 0.0)),
    }
}

/// The line's number as messages count it.
pub(super) fn line_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}
