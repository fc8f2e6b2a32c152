//! `.pack`: a clip in a few bytes a frame. What it holds is in `docs/motion.md`.
//!
//! ```text
//! "gambolpk"   8 bytes
//! CRC-32       4 bytes, of what follows, lowest byte first
//! packed clip  gambol_motion::pack
//! ```

use gambol_model::Creature;
use gambol_motion::{Basis, Clip, Pack};

use crate::FormatError;

const MAGIC: &[u8; 8] = b"gambolpk";

/// A packed clip as the bytes of a `.pack` file.
pub fn to_pack_file(packed: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(crc32fast::hash(packed).to_le_bytes());
    bytes.extend(packed);
    bytes
}

/// The packed clip of a `.pack` file's bytes; `file` names it in messages.
pub fn packed_of<'b>(file: &str, bytes: &'b [u8]) -> Result<&'b [u8], FormatError> {
    let error = |reason: &str| FormatError::new(file, reason);
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| error("this is no packed clip"))?;
    let (sum, packed) = rest.split_first_chunk().ok_or_else(|| error("the packed clip ends early"))?;
    if crc32fast::hash(packed) != u32::from_le_bytes(*sum) {
        return Err(error("the packed clip is damaged: its checksum is another"));
    }
    Ok(packed)
}

/// Name of the creature that a `.pack` file's clip is of; `file` names it in messages.
pub fn creature_of_pack(file: &str, bytes: &[u8]) -> Result<String, FormatError> {
    let packed = packed_of(file, bytes)?;
    Pack::creature_of(packed).map_err(|error| FormatError::new(file, error.to_string()))
}

/// Name of the file of the basis that a `.pack` file's clip shares, if it does; `file` names the clip in messages.
pub fn basis_of_pack(file: &str, bytes: &[u8]) -> Result<Option<String>, FormatError> {
    let packed = packed_of(file, bytes)?;
    Pack::basis_of(packed).map_err(|error| FormatError::new(file, error.to_string()))
}

/// Opens a `.pack` file's clip of `creature`, with the basis that it shares if it does; `file` names it in messages.
pub fn open_pack(
    file: &str,
    bytes: &[u8],
    creature: &Creature,
    basis: Option<&Basis>,
) -> Result<Pack, FormatError> {
    let packed = packed_of(file, bytes)?;
    Pack::open_with(creature, packed, basis).map_err(|error| FormatError::new(file, error.to_string()))
}

/// Reads a `.pack` file as a clip of `creature`; `file` names it in messages.
pub fn clip_of_pack(file: &str, bytes: &[u8], creature: &Creature) -> Result<Clip, FormatError> {
    open_pack(file, bytes, creature, None).map(|pack| pack.clip())
}
