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
    /// The branch that it is of, where the file says so.
    pub(super) branch: Option<String>,
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
        branch: if cylinders { columns.find("branch") } else { None },
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
    /// Which branch a cylinder is of.
    branch: Option<usize>,
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
        table
            .push(Row { parent: parent.to_owned(), branch: layout.branch.and_then(cell).map(str::to_owned) });
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
    match (layout.edge, layout.branch) {
        (Some(_), _) => {}
        (None, Some(_)) => branch_by_name(plant, &table),
        (None, None) => branch_off(plant),
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

/// What is of another branch than what it hangs on branches off.
fn branch_by_name(plant: &mut PlantFile, rows: &[Row]) {
    for (point, row) in plant.points.iter_mut().zip(rows) {
        if let PlantParent::Point(parent) = point.parent
            && rows[parent].branch != row.branch
        {
            point.edge = PlantEdge::Branches;
        }
    }
}

/// Cylinders begin somewhere. One that goes on begins where its parent ends, whatever little gap the file has between them; the
/// root's begins at a point of its own; and a branch at one that is joined, by a piece of its own thickness, to the place of its
/// parent's axis that is nearest: the middle of a long cylinder of the trunk, for instance, which has a node there then.
fn begin(plant: &mut PlantFile, starts: &[Vec3]) {
    // Where each branch begins: the cylinder that bears it, and the point of its own.
    let mut branches = Vec::new();
    for (index, start) in starts.iter().enumerate() {
        let point = plant.points[index].clone();
        match point.parent {
            PlantParent::Point(_) if point.edge == PlantEdge::Follows => continue,
            PlantParent::Point(parent) => branches.push((parent, plant.points.len())),
            PlantParent::Root | PlantParent::Missing => {}
        }
        plant.points[index].parent = PlantParent::Point(plant.points.len());
        plant.points[index].edge = PlantEdge::Follows;
        plant.points.push(PlantPoint { position: *start, ..point });
    }
    let mut forks: Vec<(usize, f64, usize)> = branches
        .into_iter()
        .map(|(bearer, start)| (bearer, share_along(plant, bearer, start), start))
        .collect();
    forks.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    // Where each cylinder begins, before it is cut into pieces.
    let bases: Vec<Option<Vec3>> = (0..starts.len()).map(|bearer| base(plant, bearer)).collect();
    for (bearer, share, start) in forks {
        let end = plant.points[bearer].clone();
        let fork = match bases[bearer] {
            Some(from) if share < 1.0 => {
                let fork = plant.points.len();
                plant.points.push(PlantPoint { position: from.lerp(&end.position, share), ..end });
                plant.points[bearer].parent = PlantParent::Point(fork);
                plant.points[bearer].edge = PlantEdge::Follows;
                fork
            }
            _ => bearer,
        };
        plant.points[start].parent = PlantParent::Point(fork);
    }
}

/// Where a cylinder begins.
fn base(plant: &PlantFile, cylinder: usize) -> Option<Vec3> {
    match plant.points[cylinder].parent {
        PlantParent::Point(parent) => Some(plant.points[parent].position),
        PlantParent::Root | PlantParent::Missing => None,
    }
}

/// How far along a cylinder's axis the place nearest to a point is, 0 to 1; 1 where it has no length.
fn share_along(plant: &PlantFile, cylinder: usize, point: usize) -> f64 {
    let Some(from) = base(plant, cylinder) else { return 1.0 };
    let axis = plant.points[cylinder].position - from;
    let share = (plant.points[point].position - from).dot(&axis) / axis.norm_squared();
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
}
