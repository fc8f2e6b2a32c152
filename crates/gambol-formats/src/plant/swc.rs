//! SWC: `id type x y z radius parent`, one point a line; made for neurons, and used for every branching thing.

use std::collections::HashMap;

use super::numbers::{line_number, needed, radius};
use super::size::{Diameters, Told};
use super::table::{Row, link};
use super::{PlantEdge, PlantFile, PlantParent, PlantPoint, RadiusOf};
use crate::FormatError;
use gambol_model::Vec3;

const COLUMNS: [&str; 7] = ["id", "type", "x", "y", "z", "radius", "parent"];

pub(super) fn read(plant: &mut PlantFile, text: &str) -> Result<Told, FormatError> {
    let mut rows = Vec::new();
    let mut ids = HashMap::new();
    for (index, text) in text.lines().enumerate() {
        let line = line_number(index);
        let text = text.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let cells: Vec<&str> =
            text.split(|c: char| c.is_whitespace() || c == ',').filter(|c| !c.is_empty()).collect();
        if cells.len() < COLUMNS.len() {
            let reason = format!("{} numbers, not {}: {}", cells.len(), COLUMNS.len(), COLUMNS.join(" "));
            return Err(plant.error(line, reason));
        }
        let at = |column: usize| needed(plant, line, COLUMNS[column], Some(cells[column]));
        let position = Vec3::new(at(2)?, at(3)?, at(4)?);
        let radius = radius(plant, line, COLUMNS[5], Some(cells[5]))?;
        if let Some(first) = ids.insert(cells[0].to_owned(), (rows.len(), line)) {
            return Err(plant.error(line, format!("id {} is that of line {} too", cells[0], first.1)));
        }
        rows.push(Row { parent: cells[6].to_owned(), branch: None });
        plant.points.push(PlantPoint {
            line,
            parent: PlantParent::Missing,
            edge: PlantEdge::Follows,
            position,
            radius,
            radius_of: RadiusOf::Point,
        });
    }
    link(plant, &rows, &ids);
    super::table::branch_off(plant);
    Ok(Told { unit: Some(1.0), length_divisor: 1.0, diameters: Diameters::Divided(1.0) })
}
