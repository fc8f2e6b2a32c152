//! NumPy's `.npz`: a zip of `.npy` arrays, as `numpy.load` reads and `numpy.savez` writes it.
//!
//! Format: NumPy Enhancement Proposal 1; version 1.0 headers, little-endian, C order. Zips are read if their arrays are
//! stored as they are; unpacking would be a door for files that claim to be small.

use std::collections::HashMap;

use crate::FormatError;
use crate::stored_zip::{self, Entry};

/// The most arrays in a file that is read: ours have a dozen.
const MAX_ARRAYS: usize = 1000;

/// One array of a file.
#[derive(Clone, Debug)]
pub struct Array<'a> {
    /// Key in the file.
    pub name: &'a str,
    /// Sizes of its axes, the last one running fastest.
    pub shape: Vec<usize>,
    /// Its entries.
    pub values: Values<'a>,
}

/// Entries of an array.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// `<f8`
    Numbers(&'a [f64]),
    /// `<i8`
    Integers(&'a [i64]),
    /// `<U…`
    Text(&'a [String]),
}

/// The bytes of an `.npz` file with these arrays.
pub fn to_bytes(arrays: &[Array<'_>]) -> std::io::Result<Vec<u8>> {
    let files: Vec<_> = arrays.iter().map(|array| (format!("{}.npy", array.name), npy(array))).collect();
    stored_zip::write(&files)
}

fn npy(array: &Array<'_>) -> Vec<u8> {
    let (kind, body) = match array.values {
        Values::Numbers(numbers) => {
            ("<f8".to_owned(), numbers.iter().flat_map(|x| x.to_le_bytes()).collect())
        }
        Values::Integers(numbers) => {
            ("<i8".to_owned(), numbers.iter().flat_map(|x| x.to_le_bytes()).collect())
        }
        Values::Text(texts) => text_entries(texts),
    };
    // A tuple of one needs its comma.
    let axes = array.shape.iter().fold(String::new(), |axes, n| axes + &n.to_string() + ", ");
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", axes.trim_end());
    // Magic, version and length take 10 bytes; the data start at a multiple of 64.
    let padding = 64 - (10 + header.len() + 1) % 64;
    header.extend(std::iter::repeat_n(' ', padding % 64));
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend::<Vec<u8>>(body);
    bytes
}

/// UTF-32, every entry padded to the longest.
fn text_entries(texts: &[String]) -> (String, Vec<u8>) {
    let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = Vec::with_capacity(4 * longest * texts.len());
    for text in texts {
        let letters = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
        bytes.extend(letters.flat_map(u32::to_le_bytes));
    }
    (format!("<U{longest}"), bytes)
}

/// Arrays that were read, by name.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    file: String,
    arrays: HashMap<String, OwnedArray>,
}

#[derive(Clone, Debug)]
struct OwnedArray {
    shape: Vec<usize>,
    values: OwnedValues,
}

#[derive(Clone, Debug)]
enum OwnedValues {
    Numbers(Vec<f64>),
    Text(Vec<String>),
}

impl Arrays {
    /// Reads the bytes of an `.npz` file; `file` names it in messages.
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self, FormatError> {
        let error = |reason: String| FormatError::new(file, reason);
        let files = stored_zip::read(bytes, MAX_ARRAYS)
            .map_err(|why| error(format!("this is no .npz file, which is a zip of arrays: {why}")))?;
        let mut arrays = HashMap::new();
        for Entry { name, content } in files {
            let name = name.trim_end_matches(".npy").to_owned();
            let packed = "it is packed; numpy.savez writes what can be read, numpy.savez_compressed does not";
            let array = content.ok_or_else(|| packed.to_owned()).and_then(from_npy);
            let array = array.map_err(|reason| error(format!("array {name:?}: {reason}")))?;
            arrays.insert(name, array);
        }
        Ok(Self { file: file.to_owned(), arrays })
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    fn get(&self, name: &str, axes: usize) -> Result<&OwnedArray, FormatError> {
        let array = self.arrays.get(name).ok_or_else(|| self.error(format!("there is no array {name:?}")))?;
        if array.shape.len() == axes {
            return Ok(array);
        }
        Err(self.error(format!("array {name:?} has {} axes, not {axes}", array.shape.len())))
    }

    /// An array of numbers: its shape and its entries, the last axis running fastest.
    pub fn numbers(&self, name: &str, axes: usize) -> Result<(&[usize], &[f64]), FormatError> {
        match self.get(name, axes)? {
            OwnedArray { shape, values: OwnedValues::Numbers(numbers) } => Ok((shape, numbers)),
            _ => Err(self.error(format!("array {name:?} is not made of numbers"))),
        }
    }

    /// An array of texts.
    pub fn texts(&self, name: &str, axes: usize) -> Result<&[String], FormatError> {
        match &self.get(name, axes)?.values {
            OwnedValues::Text(texts) => Ok(texts),
            OwnedValues::Numbers(_) => Err(self.error(format!("array {name:?} is not made of texts"))),
        }
    }

    /// Something is wrong with the file.
    pub fn error(&self, reason: impl Into<String>) -> FormatError {
        FormatError::new(&self.file, reason)
    }
}

/// Reads one `.npy` array.
fn from_npy(bytes: &[u8]) -> Result<OwnedArray, String> {
    let damaged = || "it is damaged".to_owned();
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("it does not start as NumPy's arrays do")?;
    // The length of the header has two bytes in version 1 and four from version 2 on.
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        _ => return Err(damaged()),
    };
    let (header, body) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let header = std::str::from_utf8(header).map_err(|_| damaged())?;
    if value_of(header, "fortran_order") != Some("False") {
        return Err("it is in Fortran's order; numpy.ascontiguousarray turns it".to_owned());
    }
    let shape = shape_of(header).ok_or_else(damaged)?;
    let count = shape.iter().try_fold(1_usize, |count, n| count.checked_mul(*n)).ok_or_else(damaged)?;
    let kind = value_of(header, "descr").and_then(|kind| kind.strip_prefix('\'')?.strip_suffix('\''));
    let kind = kind.ok_or("it has fields, or objects, which are not read")?;
    let values = match (kind, kind.strip_prefix("<U")) {
        ("<f8", _) => OwnedValues::Numbers(entries(body, count, f64::from_le_bytes)?),
        ("<f4", _) => OwnedValues::Numbers(entries(body, count, |b| f64::from(f32::from_le_bytes(b)))?),
        #[allow(clippy::cast_precision_loss)] // counts and indices
        ("<i8", _) => OwnedValues::Numbers(entries(body, count, |b| i64::from_le_bytes(b) as f64)?),
        ("<i4", _) => OwnedValues::Numbers(entries(body, count, |b| f64::from(i32::from_le_bytes(b)))?),
        ("|b1" | "|u1", _) => OwnedValues::Numbers(entries(body, count, |[byte]: [u8; 1]| f64::from(byte))?),
        (_, Some(letters)) => OwnedValues::Text(texts(body, count, letters.parse().map_err(|_| damaged())?)?),
        _ => return Err(format!("its entries are {kind}; <f8, <f4, <i8, <i4, |b1, |u1 and <U are read")),
    };
    Ok(OwnedArray { shape, values })
}

/// The value of a key in a header, which is a Python dictionary, if it is neither a tuple nor a list.
fn value_of<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let (_, rest) = header.split_once(&format!("'{key}':"))?;
    Some(rest.split([',', '}']).next()?.trim())
}

fn shape_of(header: &str) -> Option<Vec<usize>> {
    let (_, rest) = header.split_once("'shape':")?;
    let (inside, _) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    let sizes = inside.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().ok()).collect()
}

fn entries<const N: usize>(
    body: &[u8],
    count: usize,
    number: impl Fn([u8; N]) -> f64,
) -> Result<Vec<f64>, String> {
    let (chunks, left) = body.as_chunks::<N>();
    if chunks.len() != count || !left.is_empty() {
        return Err(format!("{count} entries are claimed and {} bytes are there", body.len()));
    }
    Ok(chunks.iter().map(|chunk| number(*chunk)).collect())
}

/// UTF-32; zeros at the end are padding.
fn texts(body: &[u8], count: usize, letters: usize) -> Result<Vec<String>, String> {
    if letters.checked_mul(4).and_then(|size| size.checked_mul(count)) != Some(body.len()) {
        return Err(format!("{count} texts of {letters} are claimed and {} bytes are there", body.len()));
    }
    if letters == 0 {
        return if count <= MAX_ARRAYS { Ok(vec![String::new(); count]) } else { Err("it is empty".into()) };
    }
    let text = |entry: &[u8]| -> Option<String> {
        let letters = entry.as_chunks::<4>().0.iter().map(|letter| u32::from_le_bytes(*letter));
        letters.take_while(|letter| *letter != 0).map(char::from_u32).collect()
    };
    let texts: Option<Vec<String>> = body.chunks_exact(4 * letters).map(text).collect();
    texts.ok_or_else(|| "it holds letters that do not exist".to_owned())
}
