//! Plants from files: MTG (FORM-A), tables of points (CSV), TreeQSM's cylinder tables and SWC.
//!
//! A reader gives points with their parents, in metres and z up, as the file has them; what a plant is made of them
//! (which points merge, what radius an element has) is not decided here.

mod drf;
mod mtg;
mod numbers;
mod size;
mod swc;
mod table;
mod wind_table;

use gambol_model::{Remark, Vec3};

use crate::{Files, FormatError, LoadOptions};

pub use wind_table::WindTable;

/// How a point follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantEdge {
    /// It goes on in the same axis (MTG `<` and `/`).
    Follows,
    /// It starts a branch (MTG `+`).
    Branches,
}

/// What a radius is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadiusOf {
    /// The point: a segment between two points tapers.
    Point,
    /// The segment that ends in the point: a cylinder.
    Segment,
}

/// Where a point hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantParent {
    /// Nowhere: the plant starts here.
    Root,
    /// On another point of the file.
    Point(usize),
    /// On something that the file has not: a loose piece.
    Missing,
}

/// A point of a plant's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantPoint {
    /// Line in the file, counted from 1.
    pub line: u32,
    /// Where it hangs.
    pub parent: PlantParent,
    /// How.
    pub edge: PlantEdge,
    /// m, z up
    pub position: Vec3,
    /// m, if the file says so.
    pub radius: Option<f64>,
    /// What that is of.
    pub radius_of: RadiusOf,
}

/// A plant as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantFile {
    /// The file's name, for messages.
    pub file: String,
    /// In the order of the file; a parent may stand behind its child.
    pub points: Vec<PlantPoint>,
    /// What was guessed or left out.
    pub remarks: Vec<Remark>,
}

impl PlantFile {
    /// The name without its ending.
    pub fn stem(&self) -> &str {
        self.file.rsplit_once('.').map_or(self.file.as_str(), |(stem, _)| stem)
    }

    /// Something is wrong at a line.
    pub fn error(&self, line: u32, reason: impl Into<String>) -> FormatError {
        FormatError::new(&self.file, reason).at_line(line)
    }
}

/// Which way is up in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// +x
    X,
    /// +y
    Y,
    /// +z
    #[default]
    Z,
    /// −x
    MinusX,
    /// −y
    MinusY,
    /// −z
    MinusZ,
}

impl std::str::FromStr for UpAxis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "x" | "+x" => Self::X,
            "y" | "+y" => Self::Y,
            "z" | "+z" => Self::Z,
            "-x" => Self::MinusX,
            "-y" => Self::MinusY,
            "-z" => Self::MinusZ,
            _ => return Err(format!("{text:?} is not an axis: x, y, z, -x, -y or -z")),
        })
    }
}

impl UpAxis {
    /// The same vector with z up; a rotation, so that left stays left.
    fn to_z_up(self, v: Vec3) -> Vec3 {
        match self {
            Self::Z => v,
            Self::Y => Vec3::new(v.x, -v.z, v.y),
            Self::X => Vec3::new(-v.z, v.y, v.x),
            Self::MinusZ => Vec3::new(v.x, -v.y, -v.z),
            Self::MinusY => Vec3::new(v.x, v.z, -v.y),
            Self::MinusX => Vec3::new(v.z, v.y, -v.x),
        }
    }
}

/// What kind of plant file this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mtg,
    Swc,
    Table,
}

/// Endings whose files are plants whatever they hold, and endings of tables, which are plants if their header says so.
fn kind(name: &str, bytes: &[u8]) -> Option<Kind> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())?;
    match ending.as_str() {
        "mtg" => Some(Kind::Mtg),
        "swc" => Some(Kind::Swc),
        "csv" | "tsv" | "txt" if table::is_plant(bytes) => Some(Kind::Table),
        _ => None,
    }
}

/// Whether a file is a plant, by its ending and, of a table, by its header.
pub fn is_plant(name: &str, bytes: &[u8]) -> bool {
    kind(name, bytes).is_some()
}

/// Reads the plant `main` from `files`.
pub fn read_plant(files: &dyn Files, main: &str, options: &LoadOptions) -> Result<PlantFile, FormatError> {
    let bytes = files.read(main)?;
    let text = String::from_utf8_lossy(&bytes); // old files have names in Latin-1, which nobody needs
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut plant = PlantFile { file: main.to_owned(), points: Vec::new(), remarks: Vec::new() };
    let told = match kind(main, &bytes) {
        Some(Kind::Mtg) => mtg::read(&mut plant, text, drf::units(files, main)?)?,
        Some(Kind::Swc) => swc::read(&mut plant, text)?,
        Some(Kind::Table) => table::read(&mut plant, text)?,
        None => {
            return Err(FormatError::new(
                main,
                "this is no plant: .mtg, .swc or a table with columns id, parent, x, y, z and radius is read",
            ));
        }
    };
    if plant.points.is_empty() {
        return Err(FormatError::new(main, "there is no point with coordinates in it"));
    }
    size::to_metres(&mut plant, told, options)?;
    Ok(plant)
}
