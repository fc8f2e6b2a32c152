//! Zips whose files are stored as they are, which is all that `.npz` needs (PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and
//! 4.3.16). No dates, no packing, no encryption, nothing beyond 4 GiB. The same files give the same bytes.
//!
//! ```text
//! [local header, name, content] …   [central header, name] …   end record
//! ```
//!
//! Ours, because crates for zips need random numbers for what is not needed here, and a module of WebAssembly with them
//! cannot be loaded without a program around it.

use std::io;

const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
/// Lengths of the three records before their names and extras, bytes.
const LOCAL_LENGTH: usize = 30;
const CENTRAL_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
/// PKZIP 1.0 could read it.
const VERSION: u16 = 10;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
/// The first of January 1980, the earliest date there is.
const DATE: u16 = (1 << 5) | 1;
/// The longest comment that may stand after the end record.
const COMMENT: usize = u16::MAX as usize;

/// A file of a zip that was read.
#[derive(Debug, PartialEq)]
pub(crate) struct Entry<'a> {
    pub(crate) name: String,
    /// None: it is packed.
    pub(crate) content: Option<&'a [u8]>,
}

/// A zip of these files.
pub(crate) fn write(files: &[(String, Vec<u8>)]) -> io::Result<Vec<u8>> {
    let large = || io::Error::other("it is too large for a zip");
    let (mut out, mut central) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let size = u32::try_from(content.len()).map_err(|_| large())?;
        let place = u32::try_from(out.len()).map_err(|_| large())?;
        let length =
            u16::try_from(name.len()).map_err(|_| io::Error::other("a name is too long for a zip"))?;
        let mut about = Vec::with_capacity(26);
        for number in [VERSION, UTF8, 0, 0, DATE] {
            about.extend(number.to_le_bytes());
        }
        for number in [crc32fast::hash(content), size, size] {
            about.extend(number.to_le_bytes());
        }
        about.extend(length.to_le_bytes());
        about.extend([0; 2]); // no extras

        out.extend(LOCAL);
        out.extend(&about);
        out.extend(name.as_bytes());
        out.extend(content);

        central.extend(CENTRAL);
        central.extend(VERSION.to_le_bytes());
        central.extend(&about);
        central.extend([0; 10]); // no comment, first disk, no attributes
        central.extend(place.to_le_bytes());
        central.extend(name.as_bytes());
    }
    let count = u16::try_from(files.len()).map_err(|_| large())?;
    let start = u32::try_from(out.len()).map_err(|_| large())?;
    let size = u32::try_from(central.len()).map_err(|_| large())?;
    out.extend(central);
    out.extend(END);
    for number in [0, 0, count, count] {
        out.extend(number.to_le_bytes());
    }
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]); // no comment
    Ok(out)
}

/// The files of a zip, at most so many. What is said about a file in the central directory counts: writers that do not go
/// back leave sizes out in front of the content.
pub(crate) fn read(bytes: &[u8], most: usize) -> Result<Vec<Entry<'_>>, String> {
    let tail = bytes.len().saturating_sub(END_LENGTH + COMMENT);
    let end = bytes[tail..].windows(END_LENGTH).rposition(|window| window.starts_with(&END));
    let end = tail + end.ok_or("it has no end record")?;
    let count = usize::from(u16_at(bytes, end + 10)?);
    if count > most {
        return Err(format!("it holds {count} files, more than {most}"));
    }
    let mut place = offset(bytes, end + 16)?;
    let mut entries = Vec::with_capacity(count);
    for index in 0..count {
        let (entry, next) = entry(bytes, place).map_err(|reason| format!("file {index}: {reason}"))?;
        entries.push(entry);
        place = next;
    }
    Ok(entries)
}

/// The file that the central header at `place` is about, and where the next header is.
fn entry(bytes: &[u8], place: usize) -> Result<(Entry<'_>, usize), String> {
    if part(bytes, place, 4)? != CENTRAL {
        return Err("it is damaged".to_owned());
    }
    let [name, extra, comment] = [28, 30, 32].map(|at| u16_at(bytes, place + at));
    let (name, more) = (usize::from(name?), usize::from(extra?) + usize::from(comment?));
    let next = place + CENTRAL_LENGTH + name + more;
    let name = String::from_utf8_lossy(part(bytes, place + CENTRAL_LENGTH, name)?).into_owned();
    if u16_at(bytes, place + 10)? != 0 {
        return Ok((Entry { name, content: None }, next));
    }
    let (sum, size, local) =
        (u32_at(bytes, place + 16)?, offset(bytes, place + 24)?, offset(bytes, place + 42)?);
    if part(bytes, local, 4)? != LOCAL {
        return Err("it is damaged".to_owned());
    }
    let before = usize::from(u16_at(bytes, local + 26)?) + usize::from(u16_at(bytes, local + 28)?);
    let content = part(bytes, local + LOCAL_LENGTH + before, size)?;
    if crc32fast::hash(content) != sum {
        return Err("its checksum is wrong".to_owned());
    }
    Ok((Entry { name, content: Some(content) }, next))
}

/// What is at a place that the file itself claims: it may be anywhere.
fn part(bytes: &[u8], place: usize, length: usize) -> Result<&[u8], String> {
    let end = place.checked_add(length).filter(|end| *end <= bytes.len());
    end.map(|end| &bytes[place..end]).ok_or_else(|| "it is cut off".to_owned())
}

fn u16_at(bytes: &[u8], place: usize) -> Result<u16, String> {
    let two = part(bytes, place, 2)?;
    Ok(u16::from_le_bytes([two[0], two[1]]))
}

fn u32_at(bytes: &[u8], place: usize) -> Result<u32, String> {
    let four = part(bytes, place, 4)?;
    Ok(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// A size or a place; all bits set is a file of more than 4 GiB.
fn offset(bytes: &[u8], place: usize) -> Result<usize, String> {
    match u32_at(bytes, place)? {
        u32::MAX => Err("it is larger than 4 GiB".to_owned()),
        number => usize::try_from(number).map_err(|_| "it is too large".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    //! A zip comes from anywhere. What we write is read back; so is what NumPy writes, with its extras; and no prefix or
    //! flipped bit of a zip is more than an error.

    use super::*;

    /// `numpy.savez(f, a=numpy.array([1.5]))` by NumPy 2: extras in front of the content, none in the directory.
    const NUMPY: &[u8] = include_bytes!("../tests/files/numpy.npz");

    fn files() -> Vec<(String, Vec<u8>)> {
        vec![("a.npy".to_owned(), vec![1, 2, 3]), ("größe.npy".to_owned(), Vec::new())]
    }

    #[test]
    fn what_is_written_is_read() {
        let files = files();
        let bytes = write(&files).unwrap();
        let read = read(&bytes, 2).unwrap();
        assert_eq!(read.len(), files.len());
        for (entry, (name, content)) in read.iter().zip(&files) {
            assert_eq!((&entry.name, entry.content), (name, Some(content.as_slice())));
        }
        assert!(super::read(&bytes, 1).unwrap_err().contains("more than 1"));
        assert_eq!(super::read(&write(&[]).unwrap(), 0).unwrap(), []);
    }

    #[test]
    fn numpy_is_read() {
        let read = read(NUMPY, 1).unwrap();
        assert_eq!(read[0].name, "a.npy");
        assert!(read[0].content.unwrap().ends_with(&1.5_f64.to_le_bytes()));
    }

    #[test]
    fn damage_is_an_error_or_does_no_harm() {
        for whole in [write(&files()).unwrap(), NUMPY.to_vec()] {
            for length in 0..whole.len() {
                assert!(read(&whole[..length], 10).is_err(), "{length}");
            }
            for bit in 0..8 * whole.len() {
                let mut bytes = whole.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                // Dates and versions may change unseen, contents not.
                if let Ok(entries) = read(&bytes, 10) {
                    for (entry, before) in entries.iter().zip(read(&whole, 10).unwrap()) {
                        assert!(entry.content.is_none() || entry.content == before.content, "bit {bit}");
                    }
                }
            }
        }
    }
}
