//! Ground in TOML files: the base of a course, its blocks and patches. `docs/formats.md` explains every key.
//!
//! A course is a file of its own, or the `[ground.terrain]` of a gait file.

use std::f64::consts::FRAC_PI_2;

use gambol_dynamics::{Base, Block, Course, CourseSpec, HeightField, Patch, Terrain, TerrainError};

use crate::toml_file::{ABOVE_0, AT_LEAST_0, FINITE, FileError, Section, TomlWriter, digits, parse, quoted};

/// The version of course files that is written, and the highest that is read.
pub const COURSE_VERSION: u64 = 1;

/// A picture of the ground that a file names.
#[derive(Clone, Debug, PartialEq)]
pub struct TerrainFile {
    /// As the file has it.
    pub file: String,
    /// Length along x, m.
    pub size: f64,
    /// Height of white over black, m.
    pub height: f64,
}

/// Fetches the heights of a picture.
pub type FetchHeights<'f> = &'f mut dyn FnMut(&TerrainFile) -> Result<HeightField, String>;

/// The keys of a course.
pub const COURSE_KEYS: [&str; 3] = ["base", "block", "patch"];
const SLOPE: [&str; 2] = ["slope_degrees", "slope_radians"];
const HEADING: [&str; 2] = ["heading_degrees", "heading_radians"];
const PICTURE: [&str; 3] = ["file", "size", "height"];
const GRID: [&str; 4] = ["origin", "spacing", "columns", "heights"];

/// Reads a course file of this or an earlier version that names no other file.
pub fn course_from_toml(text: &str) -> Result<Course, FileError> {
    course_from_toml_with(text, &mut |terrain| {
        Err(format!("the terrain {:?} cannot be read from here", terrain.file))
    })
}

/// Reads a course file of this or an earlier version; `fetch` gets the heights of a picture that it names.
pub fn course_from_toml_with(text: &str, fetch: FetchHeights) -> Result<Course, FileError> {
    let document = parse(text)?;
    let root = Section::new(text, "a course file", &document);
    root.check_version(COURSE_VERSION)?;
    root.only(&["version", COURSE_KEYS[0], COURSE_KEYS[1], COURSE_KEYS[2]])?;
    read_course(&root, fetch)
}

/// The course in a table.
pub fn read_course(section: &Section, fetch: FetchHeights) -> Result<Course, FileError> {
    let base =
        section.table("base", "[base]")?.map_or(Ok(Base::Level(0.0)), |base| read_base(&base, fetch))?;
    let (blocks, patches) = (section.tables("block", "[[block]]")?, section.tables("patch", "[[patch]]")?);
    let spec = CourseSpec {
        base,
        blocks: blocks.iter().map(read_block).collect::<Result<_, _>>()?,
        patches: patches.iter().map(read_patch).collect::<Result<_, _>>()?,
    };
    Course::new(spec).map_err(|error| match error {
        TerrainError::Block { index, reason, .. } => blocks[index].error(reason),
        TerrainError::Patch { index, reason, .. } => patches[index].error(reason),
        other => section.error(other.to_string()),
    })
}

fn read_base(section: &Section, fetch: FetchHeights) -> Result<Base, FileError> {
    if let Some(level) = section.number("level", FINITE)? {
        section.only(&["level"])?;
        return Ok(Base::Level(level));
    }
    let known: Vec<&str> = std::iter::once("level").chain(ground_keys()).collect();
    section.only(&known)?;
    match read_ground(section, fetch)? {
        Terrain::Slope(angle) => Ok(Base::Slope(angle)),
        Terrain::Field(field) => Ok(Base::Field(field)),
        Terrain::Flat | Terrain::Course(_) => Ok(Base::Level(0.0)),
    }
}

/// The keys that [`read_ground`] knows.
pub fn ground_keys() -> impl Iterator<Item = &'static str> {
    SLOPE.into_iter().chain(GRID).chain(PICTURE)
}

/// A slope, or heights that are listed or in a picture.
pub fn read_ground(section: &Section, fetch: FetchHeights) -> Result<Terrain, FileError> {
    if let Some(angle) = section.angle(SLOPE[0], SLOPE[1])? {
        section.only(&SLOPE)?;
        if angle.abs() >= FRAC_PI_2 {
            return Err(section.error_at(SLOPE[0], "a slope is less than 90° steep"));
        }
        return Ok(Terrain::Slope(angle));
    }
    if let Some(file) = section.string("file")? {
        section.only(&PICTURE)?;
        let need = |key: &str| {
            let missing = || section.error(format!("{key} is missing (m)"));
            section.number(key, ABOVE_0)?.ok_or_else(missing)
        };
        let named = TerrainFile { file: file.to_owned(), size: need("size")?, height: need("height")? };
        return match fetch(&named) {
            Ok(field) => Ok(Terrain::Field(field)),
            Err(reason) => Err(section.error_at("file", reason)),
        };
    }
    section.only(&GRID)?;
    read_heights(section).map(Terrain::Field)
}

fn read_heights(section: &Section) -> Result<HeightField, FileError> {
    let missing = |key: &str| section.error(format!("{key} is missing"));
    let origin = section.numbers("origin")?.unwrap_or_else(|| vec![0.0, 0.0]);
    let Ok(origin) = <[f64; 2]>::try_from(origin) else {
        return Err(section.error_at("origin", "it is two numbers, x and y (m)"));
    };
    let spacing = section.number("spacing", ABOVE_0)?.ok_or_else(|| missing("spacing"))?;
    let columns = section.integer("columns")?.ok_or_else(|| missing("columns"))?;
    let columns = usize::try_from(columns).unwrap_or(usize::MAX);
    let heights = section.numbers("heights")?.ok_or_else(|| missing("heights"))?;
    if columns < 2 || heights.len() < columns.saturating_mul(2) || heights.len() % columns != 0 {
        let reason = format!(
            "{} heights do not fill rows of {columns}; a grid has at least 2 rows of at least 2",
            heights.len()
        );
        return Err(section.error_at("heights", reason));
    }
    Ok(HeightField { origin, spacing, columns, heights })
}

/// Two numbers that have to be there.
fn pair(section: &Section, key: &str, what: &str) -> Result<[f64; 2], FileError> {
    let numbers = section.numbers(key)?.ok_or_else(|| section.error(format!("{key} is missing: {what}")))?;
    <[f64; 2]>::try_from(numbers).map_err(|_| section.error_at(key, format!("it is two numbers, {what}")))
}

fn read_size(section: &Section) -> Result<[f64; 2], FileError> {
    let size = pair(section, "size", "length along its heading and width (m)")?;
    let small = |side: &&f64| **side <= 0.0;
    match size.iter().find(small) {
        Some(side) => Err(section.error_at("size", format!("a side of {side} m is not above 0"))),
        None => Ok(size),
    }
}

fn read_block(section: &Section) -> Result<Block, FileError> {
    let known = ["name", "center", "size", HEADING[0], HEADING[1], "top", SLOPE[0], SLOPE[1], "friction"];
    section.only(&known)?;
    let slope = section.angle(SLOPE[0], SLOPE[1])?.unwrap_or(0.0);
    if slope.abs() >= FRAC_PI_2 {
        return Err(section.error_at(SLOPE[0], "a slope is less than 90° steep"));
    }
    Ok(Block {
        name: section.string("name")?.unwrap_or_default().to_owned(),
        center: pair(section, "center", "x and y of its middle (m)")?,
        size: read_size(section)?,
        heading: section.angle(HEADING[0], HEADING[1])?.unwrap_or(0.0),
        top: section.number("top", FINITE)?.ok_or_else(|| section.error("top is missing: its height (m)"))?,
        slope,
        friction: section.number("friction", AT_LEAST_0)?,
    })
}

fn read_patch(section: &Section) -> Result<Patch, FileError> {
    section.only(&["name", "center", "size", HEADING[0], HEADING[1], "friction"])?;
    let friction = section.number("friction", AT_LEAST_0)?;
    Ok(Patch {
        name: section.string("name")?.unwrap_or_default().to_owned(),
        center: pair(section, "center", "x and y of its middle (m)")?,
        size: read_size(section)?,
        heading: section.angle(HEADING[0], HEADING[1])?.unwrap_or(0.0),
        friction: friction.ok_or_else(|| section.error("friction is missing: Coulomb's coefficient"))?,
    })
}

/// Writes a course file of the current version.
pub fn course_to_toml(course: &Course) -> String {
    let mut out = TomlWriter::default();
    out.line("# Ground with sharp edges for gambol (docs/formats.md). Lengths in m; x is ahead, y to the left, z up.");
    out.key("version", COURSE_VERSION);
    write_course(&mut out, "", course);
    out.into_text()
}

/// Writes the tables of a course; `parent` is what their names begin with, with a dot at its end, if anything.
pub fn write_course(out: &mut TomlWriter, parent: &str, course: &Course) {
    let CourseSpec { base, blocks, patches } = course.spec();
    out.line(&format!("\n[{parent}base]"));
    match base {
        Base::Level(height) => out.explained("level", digits(*height), "m"),
        Base::Slope(angle) => out.angle(SLOPE[0], SLOPE[1], *angle),
        Base::Field(field) => write_heights(out, field),
    }
    for block in blocks {
        out.line(&format!("\n[[{parent}block]]"));
        write_footprint(out, &block.name, block.center, block.size, block.heading);
        out.explained("top", digits(block.top), "over its middle");
        if block.slope != 0.0 {
            out.angle(SLOPE[0], SLOPE[1], block.slope);
        }
        if let Some(friction) = block.friction {
            out.key("friction", digits(friction));
        }
    }
    for patch in patches {
        out.line(&format!("\n[[{parent}patch]]"));
        write_footprint(out, &patch.name, patch.center, patch.size, patch.heading);
        out.key("friction", digits(patch.friction));
    }
}

fn write_footprint(out: &mut TomlWriter, name: &str, center: [f64; 2], size: [f64; 2], heading: f64) {
    if !name.is_empty() {
        out.key("name", quoted(name));
    }
    let pair = |[a, b]: [f64; 2]| format!("[{}, {}]", digits(a), digits(b));
    out.key("center", pair(center));
    out.explained("size", pair(size), "length along its heading, width");
    if heading != 0.0 {
        out.angle(HEADING[0], HEADING[1], heading);
    }
}

/// Writes the keys of a height field.
pub fn write_heights(out: &mut TomlWriter, field: &HeightField) {
    let [x, y] = field.origin.map(digits);
    out.explained("origin", format!("[{x}, {y}]"), "x and y of the first height, m");
    out.explained("spacing", digits(field.spacing), "m");
    out.explained("columns", field.columns, "heights in a row, along x");
    out.line("heights = [");
    for row in field.heights.chunks(field.columns.max(1)) {
        let row: Vec<String> = row.iter().copied().map(digits).collect();
        out.line(&format!("  {},", row.join(", ")));
    }
    out.line("]");
}
