//! Small TOML files that people edit: gaits, rigs and courses.
//!
//! Reading is by hand over the parsed tables, because every mistake is to be told with its line, and a misspelt key with
//! the one that was meant.

use std::f64::consts::PI;
use std::fmt::Write as _;

use gambol_model::math;
use strsim::levenshtein;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct FileError {
    /// Counted from 1; `None` if it is about the whole file.
    pub line: Option<usize>,
    /// What is wrong, and what would be right.
    pub reason: String,
}

/// The tables of a text.
pub fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, FileError> {
    DeTable::parse(text).map_err(|error| FileError {
        line: error.span().map(|span| line_of(text, span.start)),
        reason: error.message().to_owned(),
    })
}

/// What a number has to be, in words and as a test.
pub type Range = (&'static str, fn(f64) -> bool);

/// A range of numbers.
pub const FINITE: Range = ("a finite number", f64::is_finite);
/// A range of numbers.
pub const ABOVE_0: Range = ("a finite number above 0", |x| x.is_finite() && x > 0.0);
/// A range of numbers.
pub const AT_LEAST_0: Range = ("a finite number of at least 0", |x| x.is_finite() && x >= 0.0);

/// A table of the file, and how to speak of it.
pub struct Section<'a, 'i> {
    text: &'i str,
    name: &'static str,
    /// Where it begins; `None` for the whole file.
    line: Option<usize>,
    /// Its keys and values.
    pub table: &'a DeTable<'i>,
}

/// An error at a line.
pub fn error_in(line: usize, reason: impl Into<String>) -> FileError {
    FileError { line: Some(line), reason: reason.into() }
}

/// The line of a byte of the text, counted from 1.
fn line_of(text: &str, place: usize) -> usize {
    // Bytes, since `place` may lie within a letter.
    1 + text.bytes().take(place).filter(|byte| *byte == b'\n').count()
}

impl<'a, 'i> Section<'a, 'i> {
    /// The whole file; errors call it `name`.
    pub fn new(text: &'i str, name: &'static str, document: &'a Spanned<DeTable<'i>>) -> Self {
        Self { text, name, line: None, table: document.get_ref() }
    }

    /// Before anything else: what a later version means by its keys is not for us to judge.
    pub fn check_version(&self, highest: u64) -> Result<(), FileError> {
        let Some(version) = self.integer("version")? else {
            return Err(self.error(format!("version is missing; {} begins with version = 1", self.name)));
        };
        match version {
            0 => Err(self.error_at("version", "there is no version 0; the first is 1")),
            later if later > highest => {
                let reason = format!("version {later} is newer than this gambol (reads up to {highest})");
                Err(self.error_at("version", reason))
            }
            _ => Ok(()),
        }
    }

    /// About the table as a whole.
    pub fn error(&self, reason: impl Into<String>) -> FileError {
        FileError { line: self.line, reason: format!("{}: {}", self.name, reason.into()) }
    }

    /// About the value of `key`.
    pub fn error_at(&self, key: &str, reason: impl Into<String>) -> FileError {
        let reason = format!("{key}: {}", reason.into());
        match self.table.get(key) {
            Some(value) => error_in(self.line_at(value), reason),
            None => self.error(reason),
        }
    }

    /// The line of a value or key.
    pub fn line_at<T>(&self, value: &Spanned<T>) -> usize {
        line_of(self.text, value.span().start)
    }

    /// Refuses the first key that is none of `known`, and names the one that was meant.
    pub fn only(&self, known: &[&str]) -> Result<(), FileError> {
        let strangers = self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        let Some(first) = strangers.min_by_key(|key| key.span().start) else { return Ok(()) };
        let key = first.get_ref();
        let hint = match nearest(key, known.iter().copied()) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("it has {}", known.join(", ")),
        };
        Err(error_in(self.line_at(first), format!("{} has no key {key:?}; {hint}", self.name)))
    }

    /// A value that is not what it has to be.
    pub fn wrong(&self, key: &str, value: &Spanned<DeValue>, wanted: &str) -> FileError {
        let found = match value.get_ref() {
            DeValue::Integer(x) => x.to_string(),
            DeValue::Float(x) => x.to_string(),
            DeValue::String(x) => format!("{x:?}"),
            other => format!("this {}", other.type_str()),
        };
        error_in(self.line_at(value), format!("{key}: {found} is not {wanted}"))
    }

    /// The text under `key`.
    pub fn string(&self, key: &str) -> Result<Option<&'a str>, FileError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some(text.as_ref())),
            _ => Err(self.wrong(key, value, "a text in quotes")),
        }
    }

    /// The whole number under `key`.
    pub fn integer(&self, key: &str) -> Result<Option<u64>, FileError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let number = match value.get_ref() {
            DeValue::Integer(x) => u64::from_str_radix(x.as_str(), x.radix()).ok(),
            _ => None,
        };
        number.map(Some).ok_or_else(|| self.wrong(key, value, "a whole number of at least 0"))
    }

    /// The number under `key`.
    pub fn number(&self, key: &str, (wanted, fits): Range) -> Result<Option<f64>, FileError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let number = number(value.get_ref()).filter(|x| fits(*x));
        number.map(Some).ok_or_else(|| self.wrong(key, value, wanted))
    }

    /// In degrees under one key or in radians under the other.
    pub fn angle(&self, degrees: &str, radians: &str) -> Result<Option<f64>, FileError> {
        let angle = self.number(degrees, FINITE)?.map(from_degrees);
        match (angle, self.number(radians, FINITE)?) {
            (Some(_), Some(_)) => Err(self.error_at(radians, format!("{degrees} is given already"))),
            (angle, other) => Ok(angle.or(other)),
        }
    }

    /// The list under `key`.
    pub fn list(&self, key: &str) -> Result<Option<&'a [Spanned<DeValue<'i>>]>, FileError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::Array(list) => Ok(Some(list)),
            _ => Err(self.wrong(key, value, "a list in brackets")),
        }
    }

    /// The list of numbers under `key`.
    pub fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>, FileError> {
        let Some(list) = self.list(key)? else { return Ok(None) };
        let (wanted, fits) = FINITE;
        let read = |value: &Spanned<DeValue>| {
            number(value.get_ref()).filter(|x| fits(*x)).ok_or_else(|| self.wrong(key, value, wanted))
        };
        list.iter().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// With the line of each.
    pub fn strings(&self, key: &str) -> Result<Vec<(usize, &'a str)>, FileError> {
        let read = |value: &'a Spanned<DeValue<'i>>| match value.get_ref() {
            DeValue::String(text) => Ok((self.line_at(value), text.as_ref())),
            _ => Err(self.wrong(key, value, "a text in quotes")),
        };
        self.list(key)?.unwrap_or(&[]).iter().map(read).collect()
    }

    /// The table that `value` is.
    pub fn section(
        &self,
        key: &str,
        name: &'static str,
        value: &'a Spanned<DeValue<'i>>,
    ) -> Result<Section<'a, 'i>, FileError> {
        match value.get_ref() {
            DeValue::Table(table) => {
                Ok(Section { text: self.text, name, line: Some(self.line_at(value)), table })
            }
            _ => Err(self.wrong(key, value, &format!("a table {name}"))),
        }
    }

    /// The table under `key`; errors call it `name`.
    pub fn table(&self, key: &str, name: &'static str) -> Result<Option<Section<'a, 'i>>, FileError> {
        self.table.get(key).map(|value| self.section(key, name, value)).transpose()
    }

    /// The tables in the list under `key`; errors call each `name`.
    pub fn tables(&self, key: &str, name: &'static str) -> Result<Vec<Section<'a, 'i>>, FileError> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|value| self.section(key, name, value)).collect(),
            _ => Err(self.wrong(key, value, &format!("a list of tables {name}"))),
        }
    }
}

/// Whole numbers are numbers too; `None` for what is none, or too large.
fn number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Integer(x) if x.radix() == 10 => x.as_str().parse().ok(),
        DeValue::Float(x) => x.as_str().parse().ok(),
        _ => None,
    }
}

/// The name that `word` was meant to be, if one is near.
pub fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let meant = names.min_by_key(|name| levenshtein(word, name))?;
    (levenshtein(word, meant) <= meant.len().div_ceil(3)).then_some(meant)
}

/// rad
pub fn from_degrees(degrees: f64) -> f64 {
    degrees * (PI / 180.0)
}

/// The fewest digits that are read back as exactly this number.
pub fn digits(x: f64) -> String {
    format!("{x:?}")
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other if other.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(other)); // a String takes all
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// The shortest number of degrees that is read back as exactly this angle. One angle in ten has none: degrees are spaced
/// more widely than radians over most of each power of two.
fn to_degrees(radians: f64) -> Option<f64> {
    const MOST_DECIMALS: i32 = 15;
    let degrees = radians / (PI / 180.0);
    let rounded = (0..=MOST_DECIMALS).map(|decimals| {
        let shift = math::powi(10.0, decimals);
        (degrees * shift).round() / shift
    });
    let near = [degrees, degrees.next_down(), degrees.next_up()];
    rounded.chain(near).find(|degrees| from_degrees(*degrees).to_bits() == radians.to_bits())
}

/// A file that is written for people, so far.
#[derive(Debug, Default)]
pub struct TomlWriter(String);

impl TomlWriter {
    /// The whole of it.
    pub fn into_text(self) -> String {
        self.0
    }

    /// A line as it is.
    pub fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// A key and its value.
    pub fn key(&mut self, key: &str, value: impl std::fmt::Display) {
        self.line(&format!("{key} = {value}"));
    }

    /// A key, its value and a comment.
    pub fn explained(&mut self, key: &str, value: impl std::fmt::Display, comment: &str) {
        // Comments stand in one column where the values are short.
        self.line(&format!("{:<24} # {comment}", format!("{key} = {value}")));
    }

    /// An angle in degrees if it has a short number of these, else in radians.
    pub fn angle(&mut self, in_degrees: &str, in_radians: &str, radians: f64) {
        match to_degrees(radians) {
            Some(degrees) => self.key(in_degrees, digits(degrees)),
            None => self.key(in_radians, digits(radians)),
        }
    }
}
