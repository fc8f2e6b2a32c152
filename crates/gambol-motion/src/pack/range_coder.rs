//! A binary range coder with probabilities that learn: what is likely takes less than a bit.
//!
//! The coder of LZMA (Martin 1979; Pavlov 1998): 32 bits of range, a carry that is kept back. A probability is the mean of two that
//! learn at different pace, so that it is quick at first and exact later.

/// Bits of a probability.
const BITS: u32 = 15;
/// Shifts of the quick and the slow estimate.
const PACE: [u32; 2] = [4, 7];
/// The range is filled up below.
const TOP: u32 = 1 << 24;

/// How likely a bit is 0, as learnt so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance([u16; 2]);

impl Default for Chance {
    fn default() -> Self {
        Self([1 << (BITS - 1); 2])
    }
}

impl Chance {
    fn of_zero(self) -> u32 {
        // Neither 0 nor 1, so that the other bit can still be said.
        (u32::midpoint(u32::from(self.0[0]), u32::from(self.0[1]))).clamp(32, (1 << BITS) - 32)
    }

    fn learn(&mut self, bit: bool) {
        for (chance, pace) in self.0.iter_mut().zip(PACE) {
            if bit { *chance -= *chance >> pace } else { *chance += ((1 << BITS) - *chance) >> pace }
        }
    }
}

#[derive(Debug)]
pub(crate) struct RangeEncoder {
    low: u64,
    range: u32,
    held: u8,
    /// Bytes of 255 kept back behind `held`, until a carry is known.
    full: u64,
    started: bool,
    bytes: Vec<u8>,
}

impl RangeEncoder {
    pub(crate) fn new() -> Self {
        Self { low: 0, range: u32::MAX, held: 0, full: 0, started: false, bytes: Vec::new() }
    }

    pub(crate) fn bit(&mut self, chance: &mut Chance, bit: bool) {
        let bound = (self.range >> BITS) * chance.of_zero();
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        chance.learn(bit);
        self.fill();
    }

    /// The lowest `count` bits of a number, each as likely 0 as 1.
    pub(crate) fn plain(&mut self, number: u32, count: u32) {
        for shift in (0..count).rev() {
            self.range >>= 1;
            if (number >> shift) & 1 == 1 {
                self.low += u64::from(self.range);
            }
            self.fill();
        }
    }

    fn fill(&mut self) {
        while self.range < TOP {
            self.range <<= 8;
            self.shift();
        }
    }

    #[allow(clippy::cast_possible_truncation)] // bytes of a number
    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if self.low < 0xff00_0000 || carry == 1 {
            if self.started {
                self.bytes.push(self.held.wrapping_add(carry));
            }
            self.started = true;
            for _ in 0..self.full {
                self.bytes.push(0xff_u8.wrapping_add(carry));
            }
            self.full = 0;
            self.held = (self.low >> 24) as u8;
        } else {
            self.full += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        // What is read past the end is 0.
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }
}

#[derive(Debug)]
pub(crate) struct RangeDecoder<'b> {
    code: u32,
    range: u32,
    bytes: std::slice::Iter<'b, u8>,
    /// Bytes read past the end. The encoder leaves out zeros only, so that more than a few mean that the file was cut.
    past: usize,
}

impl<'b> RangeDecoder<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        let mut decoder = Self { code: 0, range: u32::MAX, bytes: bytes.iter(), past: 0 };
        for _ in 0..4 {
            decoder.code = (decoder.code << 8) | decoder.next();
        }
        decoder
    }

    pub(crate) fn bit(&mut self, chance: &mut Chance) -> bool {
        let bound = (self.range >> BITS) * chance.of_zero();
        let bit = self.code >= bound;
        if bit {
            self.code -= bound;
            self.range -= bound;
        } else {
            self.range = bound;
        }
        chance.learn(bit);
        self.fill();
        bit
    }

    pub(crate) fn plain(&mut self, count: u32) -> u32 {
        let mut number = 0;
        for _ in 0..count {
            self.range >>= 1;
            let bit = self.code >= self.range;
            if bit {
                self.code -= self.range;
            }
            number = (number << 1) | u32::from(bit);
            self.fill();
        }
        number
    }

    /// Whether it has read far past its bytes: nothing sensible is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.past > 64
    }

    fn fill(&mut self) {
        while self.range < TOP {
            self.range <<= 8;
            self.code = (self.code << 8) | self.next();
        }
    }

    fn next(&mut self) -> u32 {
        self.bytes.next().map_or_else(
            || {
                self.past += 1;
                0
            },
            |byte| u32::from(*byte),
        )
    }
}

#[cfg(test)]
mod tests {
    use gambol_model::Random;

    use super::*;

    /// Bits of many chances, and plain ones among them, come back; likely ones take less than they would plainly.
    #[test]
    fn what_goes_in_comes_out() {
        let mut random = Random::new(7);
        let bits: Vec<(usize, bool)> = (0..40_000)
            .map(|k| {
                let context = k % 7;
                (context, random.symmetric() < -0.99 + 0.3 * context as f64)
            })
            .collect();
        let mut encoder = RangeEncoder::new();
        let mut chances = [Chance::default(); 7];
        for (context, bit) in &bits {
            encoder.bit(&mut chances[*context], *bit);
            if *context == 3 {
                encoder.plain(u32::from(*bit) * 5 + 2, 3);
            }
        }
        let bytes = encoder.finish();
        // H(½ %, 15 %, …) of the seven is 0.72 bits on average; the plain ones are three bits of every seventh.
        assert!(bytes.len() < (40_000 * 75 / 100 + 40_000 * 3 / 7) / 8 + 200, "{}", bytes.len());
        let mut decoder = RangeDecoder::new(&bytes);
        let mut chances = [Chance::default(); 7];
        for (context, bit) in &bits {
            assert_eq!(decoder.bit(&mut chances[*context]), *bit);
            if *context == 3 {
                assert_eq!(decoder.plain(3), u32::from(*bit) * 5 + 2);
            }
        }
        assert!(!decoder.is_spent());
    }

    #[test]
    fn a_cut_stream_is_spent_in_the_end() {
        let mut decoder = RangeDecoder::new(&[1, 2, 3]);
        for _ in 0..1000 {
            decoder.plain(8);
        }
        assert!(decoder.is_spent());
    }
}
