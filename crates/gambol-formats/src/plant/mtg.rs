//! MTG, multi-scale tree graphs as AMAPmod and OpenAlea write them (Godin and Caraglio 1998), coded in FORM-A.
//!
//! ```text
//! /P1                       a cell without ^ hangs on the last entity of the columns to its left,
//! <tab>/A1                  one with ^ on the last entity of its own column;
//! <tab>^/S1<S2              / goes into an entity, < follows, + branches off; several codes may stand in a cell,
//! <tab><tab>+A1/E1<<E5      << is a run of entities, of which the last has the numbers of the line; <.< is one that shares them
//! ```
//!
//! Whatever the scales are, an entity with coordinates is a point, and hangs on the nearest one above it that has some.

use super::drf::DrfUnits;
use super::numbers::{line_number, number, radius};
use super::size::{Diameters, Told};
use super::{PlantEdge, PlantFile, PlantParent, PlantPoint, RadiusOf};
use crate::FormatError;
use gambol_model::Vec3;

/// Columns of coordinates, in small letters.
const PLACES: [[&str; 2]; 3] = [["xx", "x"], ["yy", "y"], ["zz", "z"]];
/// Columns of diameters, and of radii.
const DIAMETERS: [&str; 6] = ["topdia", "topdiameter", "diameter", "dia", "diam", "botdia"];
const RADII: [&str; 2] = ["radius", "r"];

/// What the header of the MTG section says.
struct Header {
    /// Columns of codes, which come first.
    codes: usize,
    places: [usize; 3],
    thickness: Option<(usize, bool)>,
}

/// An entity, of whatever scale.
struct Entity {
    parent: Option<usize>,
    branches: bool,
    /// The point that it is.
    point: Option<usize>,
    /// The topmost entity above it.
    top: usize,
}

pub(super) fn read(plant: &mut PlantFile, text: &str, drf: Option<DrfUnits>) -> Result<Told, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    check_code(plant, &lines)?;
    let section = lines.iter().position(|line| keyword(line) == Some("MTG"));
    let Some(section) = section else {
        return Err(FormatError::new(&plant.file, "there is no section MTG: in it; the file may be cut off"));
    };
    let starts = |line: &&str| line.trim_start().to_ascii_uppercase().starts_with("ENTITY-CODE");
    let Some(at) = lines[section..].iter().position(starts).map(|offset| section + offset) else {
        let reason = "no line ENTITY-CODE with the names of columns follows; the file may be cut off";
        return Err(plant.error(line_number(section), reason));
    };
    let header = header(plant, line_number(at), lines[at])?;
    let mut reader = Reader { header, entities: Vec::new(), last: Vec::new(), root: None };
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        reader.line(plant, line_number(index), line)?;
    }
    check_end(plant, text, &lines)?;
    let is_radius = reader.header.thickness.is_some_and(|(_, is_radius)| is_radius);
    let diameters = match drf {
        Some(drf) => Diameters::Divided(drf.diameter / drf.length),
        None if is_radius => Diameters::Divided(1.0),
        None => Diameters::Unknown,
    };
    Ok(Told { unit: None, length_divisor: drf.map_or(1.0, |drf| drf.length), diameters })
}

/// A file that was cut off ends in the middle of a line: one without its end that has fewer cells than the points before it.
fn check_end(plant: &PlantFile, text: &str, lines: &[&str]) -> Result<(), FormatError> {
    let Some((last, before)) = lines.split_last().filter(|_| !text.ends_with(['\n', '\r'])) else {
        return Ok(());
    };
    let last_line = line_number(before.len());
    let cells = |line: &str| line.split('\t').count();
    let points = plant.points.iter().filter(|point| point.line < last_line);
    let most = points.filter_map(|point| lines.get(point.line as usize - 1)).map(|line| cells(line)).max();
    if most.is_none_or(|most| cells(last) >= most) {
        return Ok(());
    }
    let reason = "the file ends in the middle of this line, as one that was cut off does; if the line is whole, end it";
    Err(plant.error(last_line, reason))
}

/// `CODE: FORM-A`; FORM-B differs in how it codes.
fn check_code(plant: &PlantFile, lines: &[&str]) -> Result<(), FormatError> {
    let code = lines.iter().position(|line| keyword(line) == Some("CODE"));
    let Some(index) = code else {
        return Err(FormatError::new(&plant.file, "an MTG file begins with CODE: FORM-A"));
    };
    let form = lines[index].split_once(':').map_or("", |(_, form)| form.trim());
    if form.eq_ignore_ascii_case("FORM-A") {
        return Ok(());
    }
    Err(plant.error(line_number(index), format!("CODE: {form:?} is not read, only FORM-A")))
}

/// `MTG :` as `MTG`.
fn keyword(line: &str) -> Option<&str> {
    line.split_once(':').map(|(word, _)| word.trim()).filter(|word| !word.is_empty())
}

fn header(plant: &PlantFile, line: u32, text: &str) -> Result<Header, FormatError> {
    let names: Vec<String> = text.split('\t').map(|name| name.trim().to_ascii_lowercase()).collect();
    let codes = (1..names.len()).find(|&k| !names[k].is_empty()).unwrap_or(names.len());
    let find =
        |known: &[&str]| known.iter().find_map(|known| (codes..names.len()).find(|&k| names[k] == *known));
    let mut places = [0; 3];
    for (place, known) in places.iter_mut().zip(PLACES) {
        *place = find(&known).ok_or_else(|| {
            plant.error(
                line,
                format!("there is no column {}; a plant needs coordinates", known[0].to_uppercase()),
            )
        })?;
    }
    let diameter = find(&DIAMETERS).map(|column| (column, false));
    Ok(Header { codes, places, thickness: diameter.or(find(&RADII).map(|column| (column, true))) })
}

struct Reader {
    header: Header,
    entities: Vec<Entity>,
    /// The last entity of each column of codes, as far as one that is written there now can see.
    last: Vec<Option<usize>>,
    /// The entity at the top of the plant that has the root.
    root: Option<usize>,
}

impl Reader {
    fn line(&mut self, plant: &mut PlantFile, line: u32, text: &str) -> Result<(), FormatError> {
        let text = text.split('#').next().unwrap_or_default();
        let cells: Vec<&str> = text.split('\t').collect();
        let codes = self.header.codes.min(cells.len());
        let Some(column) = (0..codes).find(|&k| !cells[k].trim().is_empty()) else { return Ok(()) };
        let code = cells[column].trim();
        let (own, code) = match code.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, code),
        };
        let mut parent = if own {
            self.last.get(column).copied().flatten()
        } else {
            self.last.iter().take(column).rev().find_map(|last| *last)
        };
        if parent.is_none() && (own || column > 0 && !self.entities.is_empty()) {
            let reason = format!("{:?} hangs on nothing: no entity stands above it", cells[column].trim());
            return Err(plant.error(line, reason));
        }
        for branches in steps(code).map_err(|reason| plant.error(line, reason))? {
            let top = parent.map_or(self.entities.len(), |parent| self.entities[parent].top);
            self.entities.push(Entity { parent, branches, point: None, top });
            parent = Some(self.entities.len() - 1);
        }
        self.last.truncate(column);
        self.last.resize(column, None);
        self.last.push(parent);
        if let Some(entity) = parent {
            self.point(plant, line, &cells, entity)?;
        }
        Ok(())
    }

    /// The coordinates of a line belong to its last entity.
    fn point(
        &mut self,
        plant: &mut PlantFile,
        line: u32,
        cells: &[&str],
        entity: usize,
    ) -> Result<(), FormatError> {
        let cell = |column: usize| cells.get(column).copied();
        let mut place = [None; 3];
        for (place, (column, names)) in place.iter_mut().zip(self.header.places.iter().zip(PLACES)) {
            *place = number(plant, line, &names[0].to_uppercase(), cell(*column))?;
        }
        let [Some(x), Some(y), Some(z)] = place else {
            if place == [None; 3] {
                return Ok(());
            }
            return Err(plant.error(line, "of XX, YY and ZZ only some are given; the line may be cut off"));
        };
        let radius = match self.header.thickness {
            Some((column, true)) => radius(plant, line, "radius", cell(column))?,
            Some((column, false)) => radius(plant, line, "diameter", cell(column))?.map(|d| 0.5 * d),
            None => None,
        };
        let (parent, branches) = self.above(entity);
        let top = self.entities[entity].top;
        let parent = match parent {
            Some(point) => PlantParent::Point(point),
            None if self.root.is_none_or(|root| root != top) => PlantParent::Root,
            None => PlantParent::Missing,
        };
        if parent == PlantParent::Root && self.root.is_none() {
            self.root = Some(top);
        }
        self.entities[entity].point = Some(plant.points.len());
        plant.points.push(PlantPoint {
            line,
            parent,
            edge: if branches { PlantEdge::Branches } else { PlantEdge::Follows },
            position: Vec3::new(x, y, z),
            radius,
            radius_of: RadiusOf::Point,
        });
        Ok(())
    }

    /// The nearest point above an entity, and whether something branches off on the way.
    fn above(&self, entity: usize) -> (Option<usize>, bool) {
        let mut branches = self.entities[entity].branches;
        let mut above = self.entities[entity].parent;
        while let Some(index) = above {
            if let Some(point) = self.entities[index].point {
                return (Some(point), branches);
            }
            branches |= self.entities[index].branches;
            above = self.entities[index].parent;
        }
        (None, branches)
    }
}

/// The relations of a cell's entities, from the left: whether each branches off. `/E1<<E5` is two of them: what lies
/// within a run has no numbers.
fn steps(code: &str) -> Result<Vec<bool>, String> {
    let wrong = || format!("{code:?} is not a code as /A1, <S2, +A3 or E1<<E5 are");
    let mut steps = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let mark = rest.chars().next().filter(|c| matches!(c, '/' | '<' | '+')).ok_or_else(wrong)?;
        rest = rest.trim_start_matches(mark);
        rest = rest.strip_prefix('.').and_then(|run| run.strip_prefix(mark)).unwrap_or(rest);
        let end = rest.find(['/', '<', '+', '^']).unwrap_or(rest.len());
        let label = rest[..end].trim();
        let letters = label.trim_end_matches(|c: char| c.is_ascii_digit());
        if letters.is_empty() || !letters.chars().all(|c| c.is_alphabetic() || c == '$' || c == '_') {
            return Err(wrong());
        }
        steps.push(mark == '+');
        rest = &rest[end..];
    }
    if steps.is_empty() { Err(wrong()) } else { Ok(steps) }
}
