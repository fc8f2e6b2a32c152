//! Whole numbers as bits: what was near in time and frequency tells how large a number will be.
//!
//! A number is said as the count of its bits, one by one, in a context of how large its neighbours are; then the bit below its
//! highest, then the others plainly; then its sign.

use super::range_coder::{Chance, RangeDecoder, RangeEncoder};

/// Most bits of a number.
const MOST_BITS: usize = 30;
/// Contexts of neighbours: counts of bits of their sum.
const NEIGHBOURS: usize = 14;
/// Segments have fewer moments than this.
pub(crate) const LONGEST_SEGMENT: usize = 256;

/// Writes and reads the same numbers, so that one description serves both.
pub(crate) trait Numbers {
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool;
    fn plain(&mut self, number: u32, count: u32) -> u32;
}

impl Numbers for RangeEncoder {
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool {
        RangeEncoder::bit(self, chance, bit);
        bit
    }

    fn plain(&mut self, number: u32, count: u32) -> u32 {
        RangeEncoder::plain(self, number, count);
        number
    }
}

/// Reading, what is to be written is not looked at.
impl Numbers for RangeDecoder<'_> {
    fn bit(&mut self, chance: &mut Chance, _: bool) -> bool {
        RangeDecoder::bit(self, chance)
    }

    fn plain(&mut self, _: u32, count: u32) -> u32 {
        RangeDecoder::plain(self, count)
    }
}

/// One kind of numbers, as learnt so far.
#[derive(Clone)]
struct Kind {
    bits: Vec<[Chance; MOST_BITS + 1]>,
    second: Vec<[Chance; MOST_BITS + 1]>,
}

impl Kind {
    fn new() -> Self {
        let chances = vec![[Chance::default(); MOST_BITS + 1]; NEIGHBOURS];
        Self { bits: chances.clone(), second: chances }
    }

    /// A number whose neighbours sum up to `near`.
    fn number(&mut self, code: &mut impl Numbers, near: u32, value: i32) -> i32 {
        let context = ((u32::BITS - near.leading_zeros()) as usize).min(NEIGHBOURS - 1);
        let size = value.unsigned_abs();
        let wanted = (u32::BITS - size.leading_zeros()) as usize;
        let mut bits = 0;
        while bits < MOST_BITS && code.bit(&mut self.bits[context][bits], bits < wanted) {
            bits += 1;
        }
        if bits == 0 {
            return 0;
        }
        let mut read = 1_u32;
        if bits > 1 {
            let shift = bits - 2;
            let second = code.bit(&mut self.second[context][bits], (size >> shift) & 1 == 1);
            read = (read << 1) | u32::from(second);
            #[allow(clippy::cast_possible_truncation)] // at most 30
            let rest = code.plain(size & ((1 << shift) - 1), shift as u32);
            read = (read << shift) | rest;
        }
        let negative = code.plain(u32::from(value < 0), 1) == 1;
        let size = i32::try_from(read).unwrap_or(i32::MAX);
        if negative { -size } else { size }
    }
}

/// All that is learnt about a motion while it is written or read.
pub(crate) struct Model {
    coefficients: Kind,
    knots: Kind,
    shapes: Kind,
    exponents: Kind,
    /// How many coefficients of a coordinate there are, as a tree of bits, by how many there were before.
    counts: Vec<[Chance; LONGEST_SEGMENT]>,
    before: Segment,
    knot: Vec<u32>,
}

/// A segment in whole numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Segment {
    /// Its step is the file's by 2^(−exponent/4).
    pub(crate) exponent: i32,
    /// Per coordinate, its first coefficients; the others are 0.
    pub(crate) coefficients: Vec<Vec<i32>>,
    /// The knot at its end.
    pub(crate) knot: Vec<i32>,
}

impl Model {
    pub(crate) fn new(coordinates: usize) -> Self {
        let before =
            Segment { exponent: 8, coefficients: vec![Vec::new(); coordinates], knot: vec![0; coordinates] };
        Self {
            coefficients: Kind::new(),
            knots: Kind::new(),
            shapes: Kind::new(),
            exponents: Kind::new(),
            counts: vec![[Chance::default(); LONGEST_SEGMENT]; 10],
            before,
            knot: vec![0; coordinates],
        }
    }

    /// A knot that does not depend on another one.
    pub(crate) fn start(&mut self, code: &mut impl Numbers, knot: &[i32]) -> Vec<i32> {
        let mut near = 0;
        knot.iter()
            .map(|value| {
                let value = self.knots.number(code, near, *value);
                near = value.unsigned_abs();
                value
            })
            .collect()
    }

    /// A row of numbers of a direction.
    pub(crate) fn shape(&mut self, code: &mut impl Numbers, shape: &[i32]) -> Vec<i32> {
        let mut near = 0;
        shape
            .iter()
            .map(|value| {
                let value = self.shapes.number(code, near, *value);
                near = u32::midpoint(near, 2 * value.unsigned_abs());
                value
            })
            .collect()
    }

    /// A segment with `moments` between its knots.
    pub(crate) fn segment(&mut self, code: &mut impl Numbers, moments: usize, segment: &Segment) -> Segment {
        let change = segment.exponent - self.before.exponent;
        let exponent = self.before.exponent + self.exponents.number(code, 0, change);
        let mut coefficients = Vec::with_capacity(segment.coefficients.len());
        let mut knot = Vec::with_capacity(segment.knot.len());
        for coordinate in 0..self.knot.len() {
            let given = segment.coefficients.get(coordinate).map_or(&[][..], Vec::as_slice);
            let row = self.row(code, moments, coordinate, given);
            coefficients.push(row);
            let given = segment.knot.get(coordinate).copied().unwrap_or(0);
            let value = self.knots.number(code, self.knot[coordinate], given);
            self.knot[coordinate] = u32::midpoint(self.knot[coordinate], value.unsigned_abs());
            knot.push(value);
        }
        self.before = Segment { exponent, coefficients, knot };
        self.before.clone()
    }

    /// The coefficients of a coordinate.
    fn row(&mut self, code: &mut impl Numbers, moments: usize, coordinate: usize, given: &[i32]) -> Vec<i32> {
        let before = std::mem::take(&mut self.before.coefficients[coordinate]);
        let count = self.count(code, before.len(), given.len()).min(moments);
        let at = |row: &[i32], k: usize| row.get(k).map_or(0, |x| x.unsigned_abs());
        let mut row: Vec<i32> = Vec::with_capacity(count);
        for k in 0..count {
            let same = if k > 0 { 2 * at(&row, k - 1) } else { 0 } + if k > 1 { at(&row, k - 2) } else { 0 };
            let last = at(&before, k) + at(&before, k + 1) + if k > 0 { at(&before, k - 1) } else { 0 };
            let near = same.saturating_add(last);
            row.push(self.coefficients.number(code, near, given.get(k).copied().unwrap_or(0)));
        }
        row
    }

    fn count(&mut self, code: &mut impl Numbers, before: usize, count: usize) -> usize {
        let context = ((usize::BITS - before.leading_zeros()) as usize).min(9);
        let tree = &mut self.counts[context];
        let mut node = 1;
        for shift in (0..8).rev() {
            let bit = code.bit(&mut tree[node], (count >> shift) & 1 == 1);
            node = 2 * node + usize::from(bit);
        }
        node - LONGEST_SEGMENT
    }
}

#[cfg(test)]
mod tests {
    use gambol_model::Random;

    use super::*;

    /// Segments of all lengths and sizes of numbers come back as they went.
    #[test]
    fn segments_come_back() {
        let mut random = Random::new(3);
        let mut whole = |size: f64| {
            #[allow(clippy::cast_possible_truncation)]
            let number = (size * random.symmetric()) as i32;
            number
        };
        let segments: Vec<Segment> = (0..20_u8)
            .map(|k| Segment {
                exponent: 8 + i32::from(k) % 5,
                coefficients: (0..6)
                    .map(|c| {
                        (0..(usize::from(k) * c) % 63)
                            .map(|n| whole(3e8 / ((1 + n) * (1 + n) * (1 + n)) as f64))
                            .collect()
                    })
                    .collect(),
                knot: (0..6).map(|_| whole(1e3)).collect(),
            })
            .collect();
        let start = [5, -100_000, 0, 7, 1_000_000_000, -1];
        let mut encoder = RangeEncoder::new();
        let mut model = Model::new(6);
        model.start(&mut encoder, &start);
        for segment in &segments {
            model.segment(&mut encoder, 63, segment);
        }
        let bytes = encoder.finish();
        let mut decoder = RangeDecoder::new(&bytes);
        let mut model = Model::new(6);
        assert_eq!(model.start(&mut decoder, &[0; 6]), start);
        for segment in &segments {
            assert_eq!(model.segment(&mut decoder, 63, &Segment::default()), *segment);
        }
    }
}
