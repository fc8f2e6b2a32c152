//! A number that changes when any bit changes that goes into it: FNV-1a (Fowler, Noll, Vo).

use std::error::Error;

/// Offset basis and prime of the 64-bit hash.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Takes numbers.
pub(crate) struct Digest {
    hash: u64,
    taken: usize,
    not_numbers: usize,
}

impl Digest {
    /// Of all numbers in order.
    pub(crate) fn of<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Self {
        let mut digest = Self { hash: BASIS, taken: 0, not_numbers: 0 };
        digest.add(numbers);
        digest
    }

    /// Takes further numbers.
    pub(crate) fn add<'a>(&mut self, numbers: impl IntoIterator<Item = &'a f64>) {
        for number in numbers {
            for byte in number.to_bits().to_le_bytes() {
                self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(PRIME);
            }
            self.taken += 1;
            self.not_numbers += usize::from(number.is_nan());
        }
    }

    /// The hash. An error if there was nothing to hash, or no number: IEEE 754 leaves the bits of these open, and a result
    /// that has some is wrong anyway.
    pub(crate) fn number(&self) -> Result<u64, Box<dyn Error>> {
        match self {
            Self { taken: 0, .. } => Err("nothing was computed".into()),
            Self { not_numbers: 0, hash, .. } => Ok(*hash),
            Self { taken, not_numbers, .. } => {
                Err(format!("{not_numbers} of {taken} are not numbers").into())
            }
        }
    }
}
