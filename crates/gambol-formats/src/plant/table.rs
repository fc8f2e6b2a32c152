//! Tables with a header: points (`id,parent[,edge],x,y,z,radius`) and TreeQSM's cylinders
//! (`id,parent,sx,sy,sz,ax,ay,az,length,radius,…`). Columns may come in any order, among others.

use std::collections::HashMap;

use super::numbers::{line_number, needed, radius};
use super::size::{Diameters, Told};
use super::{PlantEdge, PlantFile, PlantParent, PlantPoint, RadiusOf};
use crate::FormatError;
use gambol_model::Vec3;

/// What a row hangs on, by name.
pub(super) struct Row {
    pub(super) parent: String,
}

/// What says that a row hangs on nothing. TreeQSM counts from 1 and says 0, SWC −1.
const NOTHING: [&str; 7] = ["", "-1", "na", "nan", "none", "null", "root"];

/// Whether the first line that is no comment is a header of a plant: it has a parent and a place.
pub(super) fn is_plant(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let Some((_, header)) = header_line(text) else { return false };
    let names = cells(header, delimiter(header)).map(str::to_ascii_lowercase).collect::<Vec<_>>();
    let has = |name: &str| names.iter().any(|found| found == name);
    has("parent") && (has("id") || has("x") || has("sx") || has("radius"))
}

fn header_line(text: &str) -> Option<(usize, &str)> {
    let comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    text.lines().enumerate().find(|(_, line)| !comment(line))
}

fn delimiter(header: &str) -> char {
    [',', ';', '\t'].into_iter().find(|mark| header.contains(*mark)).unwrap_or(' ')
}

fn cells(line: &str, delimiter: char) -> impl Iterator<Item = &str> {
    let skip_empty = delimiter == ' ';
    let cells = line.trim_end_matches('\r').split(delimiter).map(|cell| cell.trim().trim_matches('"'));
    cells.filter(move |cell| !(skip_empty && cell.is_empty()))
}

/// Where a table has its columns.
struct Columns {
    names: Vec<String>,
    delimiter: char,
}

impl Columns {
    fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|found| found == name)
    }

    /// Where columns are that have to be there; all that are missing are told at once.
    fn needed<const N: usize>(
        &self,
        plant: &PlantFile,
        line: u32,
        wanted: [&str; N],
    ) -> Result<[usize; N], FormatError> {
        let missing: Vec<&str> = wanted.iter().filter(|name| self.find(name).is_none()).copied().collect();
        if missing.is_empty() {
            return Ok(wanted.map(|name| self.find(name).unwrap_or(0)));
        }
        let columns = if missing.len() == 1 { "is no column" } else { "are no columns" };
        Err(plant.error(line, format!("there {columns} {}", missing.join(", "))))
    }
}

pub(super) fn read(plant: &mut PlantFile, text: &str) -> Result<Told, FormatError> {
    let Some((index, header)) = header_line(text) else {
        return Err(FormatError::new(&plant.file, "the file is empty"));
    };
    let delimiter = delimiter(header);
    let names = cells(header, delimiter).map(str::to_ascii_lowercase).collect();
    let columns = Columns { names, delimiter };
    let cylinders = columns.find("sx").is_some() || columns.find("ax").is_some();
    let line = line_number(index);
    let place = columns.needed(plant, line, if cylinders { ["sx", "sy", "sz"] } else { ["x", "y", "z"] })?;
    let [id, parent] = columns.needed(plant, line, ["id", "parent"])?;
    let axis =
        if cylinders { Some(columns.needed(plant, line, ["ax", "ay", "az", "length"])?) } else { None };
    let layout = Layout {
        place,
        id,
        parent,
        axis,
        edge: columns.find("edge"),
        radius: columns.find("radius"),
        radius_of: if cylinders { RadiusOf::Segment } else { RadiusOf::Point },
    };
    rows(plant, text, index + 1, &columns, &layout)?;
    Ok(Told { unit: Some(1.0), length_divisor: 1.0, diameters: Diameters::Divided(1.0) })
}

/// Which column holds what.
struct Layout {
    id: usize,
    parent: usize,
    place: [usize; 3],
    axis: Option<[usize; 4]>,
    edge: Option<usize>,
    radius: Option<usize>,
    radius_of: RadiusOf,
}

fn rows(
    plant: &mut PlantFile,
    text: &str,
    first: usize,
    columns: &Columns,
    layout: &Layout,
) -> Result<(), FormatError> {
    let mut table = Vec::new();
    let mut ids = HashMap::new();
    // Starts of cylinders, by row.
    let mut starts = Vec::new();
    for (index, text) in text.lines().enumerate().skip(first) {
        let line = line_number(index);
        if text.trim().is_empty() || text.trim_start().starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = cells(text, columns.delimiter).collect();
        let cell = |column: usize| cells.get(column).copied();
        let named = |column: usize| columns.names[column].as_str();
        let at = |column: usize| needed(plant, line, named(column), cell(column));
        let [x, y, z] = layout.place;
        let start = Vec3::new(at(x)?, at(y)?, at(z)?);
        let position = match layout.axis {
            Some([x, y, z, length]) => {
                start + direction(plant, line, Vec3::new(at(x)?, at(y)?, at(z)?))? * at(length)?
            }
            None => start,
        };
        let radius = match layout.radius {
            Some(column) => radius(plant, line, "radius", cell(column))?,
            None => None,
        };
        let id = cell(layout.id).unwrap_or_default().to_owned();
        if id.is_empty() {
            return Err(plant.error(line, "id is missing"));
        }
        let Some(parent) = cell(layout.parent) else {
            return Err(plant.error(line, "parent is missing; the line may be cut off"));
        };
        if let Some((_, first)) = ids.insert(id.clone(), (table.len(), line)) {
            return Err(plant.error(line, format!("id {id} is that of line {first} too")));
        }
        table.push(Row { parent: parent.to_owned() });
        starts.push(start);
        plant.points.push(PlantPoint {
            line,
            parent: PlantParent::Missing,
            edge: edge(plant, line, layout.edge.and_then(cell))?,
            position,
            radius,
            radius_of: layout.radius_of,
        });
    }
    link(plant, &table, &ids);
    if layout.edge.is_none() {
        branch_off(plant);
    }
    if layout.axis.is_some() {
        begin(plant, &starts);
    }
    Ok(())
}

fn direction(plant: &PlantFile, line: u32, axis: Vec3) -> Result<Vec3, FormatError> {
    let length = axis.norm();
    if length > 0.0 {
        Ok(axis / length)
    } else {
        Err(plant.error(line, "ax, ay, az: the axis has no direction"))
    }
}

fn edge(plant: &PlantFile, line: u32, cell: Option<&str>) -> Result<PlantEdge, FormatError> {
    match cell.unwrap_or_default() {
        "" | "<" | "/" => Ok(PlantEdge::Follows),
        "+" => Ok(PlantEdge::Branches),
        other => Err(plant.error(line, format!("edge: {other:?} is not <, + or /"))),
    }
}

/// Names become indices.
pub(super) fn link(plant: &mut PlantFile, rows: &[Row], ids: &HashMap<String, (usize, u32)>) {
    let known = |name: &str| ids.get(name).map(|(index, _)| *index);
    // Where somebody is called 0, that is no word for nothing.
    let nothing = |name: &str| {
        let name = name.to_ascii_lowercase();
        NOTHING.contains(&name.as_str()) || name == "0" && known("0").is_none()
    };
    for (point, row) in plant.points.iter_mut().zip(rows) {
        point.parent = match known(&row.parent) {
            Some(parent) => PlantParent::Point(parent),
            None if nothing(&row.parent) => PlantParent::Root,
            None => PlantParent::Missing,
        };
    }
}

/// Where a file does not say what branches off: of several that hang on one point the thickest goes on, and of equals the
/// first.
pub(super) fn branch_off(plant: &mut PlantFile) {
    let mut main: HashMap<usize, usize> = HashMap::new();
    let thickness = |point: &PlantPoint| point.radius.unwrap_or(0.0);
    for (index, point) in plant.points.iter().enumerate() {
        let PlantParent::Point(parent) = point.parent else { continue };
        let best = main.entry(parent).or_insert(index);
        if thickness(point) > thickness(&plant.points[*best]) {
            *best = index;
        }
    }
    for (index, point) in plant.points.iter_mut().enumerate() {
        if let PlantParent::Point(parent) = point.parent
            && main.get(&parent) != Some(&index)
        {
            point.edge = PlantEdge::Branches;
        }
    }
}

/// Cylinders begin somewhere: the root's at a point of its own, one that starts away from the end of its parent at a point
/// that is joined to it by a piece of its own thickness.
fn begin(plant: &mut PlantFile, starts: &[Vec3]) {
    for (index, start) in starts.iter().enumerate() {
        let point = plant.points[index].clone();
        let apart = match point.parent {
            PlantParent::Point(parent) => (plant.points[parent].position - start).norm() > 0.0,
            PlantParent::Root | PlantParent::Missing => true,
        };
        if apart {
            plant.points[index].parent = PlantParent::Point(plant.points.len());
            plant.points[index].edge = PlantEdge::Follows;
            plant.points.push(PlantPoint { position: *start, ..point });
        }
    }
}
