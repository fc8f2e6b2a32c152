//! NumPy's `.npz` out: a zip of `.npy` arrays, read by `numpy.load`.
//!
//! Format: NumPy Enhancement Proposal 1; version 1.0 headers, little-endian, C order.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

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
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // Stored, with a fixed date: the same arrays give the same bytes.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for array in arrays {
        zip.start_file(format!("{}.npy", array.name), options).map_err(std::io::Error::other)?;
        zip.write_all(&npy(array))?;
    }
    Ok(zip.finish().map_err(std::io::Error::other)?.into_inner())
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
