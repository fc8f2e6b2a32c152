//! The bytes of a packed clip: a head, the directions, and chunks that are read one without the other. `docs/motion.md` has the
//! layout.

use gambol_model::{Creature, Vec3};

use super::hold::Held;
use super::range_coder::{RangeDecoder, RangeEncoder};
use super::symbols::{LONGEST_SEGMENT, Model, Segment};
use super::{MOST_NUMBERS, PackError, VERSION};
use crate::{Contact, Stride, Travel};

/// Keys of a chunk: some eight seconds of a recording.
const CHUNK: usize = 1024;

/// Steps of a time line are even within this share of one.
const EVEN: f64 = 1e-6;

/// What is said once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) times: Vec<f64>,
    pub(crate) stride: Option<Stride>,
    pub(crate) travel: Option<Travel>,
    pub(crate) feet: Vec<Held>,
    /// What knots are measured from.
    pub(crate) mean: Vec<f64>,
    /// Keys from knot to knot.
    pub(crate) segment: usize,
    /// What an exponent of 0 stands for.
    pub(crate) step: f64,
    /// Rows of principal directions, `nv` numbers each, any scale.
    pub(crate) directions: Vec<Vec<i32>>,
}

/// Some segments that start with a knot of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chunk {
    pub(crate) start: Vec<i32>,
    pub(crate) segments: Vec<Segment>,
}

/// A clip in whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packed {
    pub(crate) header: Header,
    pub(crate) chunks: Vec<Chunk>,
}

impl Header {
    /// Per chunk, the lengths of its segments.
    pub(crate) fn chunks(&self) -> Vec<Vec<usize>> {
        let steps = self.times.len().saturating_sub(1);
        let lengths: Vec<usize> =
            (0..steps).step_by(self.segment).map(|from| self.segment.min(steps - from)).collect();
        if lengths.is_empty() {
            return vec![Vec::new()];
        }
        lengths.chunks((CHUNK / self.segment).max(1)).map(<[usize]>::to_vec).collect()
    }
}

pub(crate) fn write(creature: &Creature, packed: &Packed) -> Vec<u8> {
    let mut out = Writer { bytes: vec![VERSION] };
    out.text(creature.name());
    out.bytes.extend(fingerprint(creature).to_le_bytes());
    out.header(&packed.header);
    let coordinates = creature.nv();
    let mut encoder = RangeEncoder::new();
    let mut model = Model::new(coordinates);
    for direction in &packed.header.directions {
        model.shape(&mut encoder, direction);
    }
    out.block(&encoder.finish());
    for (chunk, lengths) in packed.chunks.iter().zip(packed.header.chunks()) {
        let mut encoder = RangeEncoder::new();
        let mut model = Model::new(coordinates);
        model.start(&mut encoder, &chunk.start);
        for (segment, length) in chunk.segments.iter().zip(lengths) {
            model.segment(&mut encoder, length - 1, segment);
        }
        out.block(&encoder.finish());
    }
    out.bytes
}

pub(crate) fn creature_of(bytes: &[u8]) -> Result<String, PackError> {
    Reader::begin(bytes)?.text()
}

pub(crate) fn read(creature: &Creature, bytes: &[u8]) -> Result<Packed, PackError> {
    let mut from = Reader::begin(bytes)?;
    let packed = from.text()?;
    if from.u64()? != fingerprint(creature) {
        return Err(PackError::Creature { packed, creature: creature.name().to_owned() });
    }
    let (mut header, directions) = from.header(creature)?;
    let (nv, spent) = (creature.nv(), PackError::Damaged("it ends early"));
    let mut decoder = RangeDecoder::new(from.block()?);
    let mut model = Model::new(nv);
    for _ in 0..directions {
        header.directions.push(model.shape(&mut decoder, &vec![0; nv]));
    }
    let mut chunks = Vec::new();
    for lengths in header.chunks() {
        let mut decoder = RangeDecoder::new(from.block()?);
        let mut model = Model::new(nv);
        let mut chunk = Chunk { start: model.start(&mut decoder, &vec![0; nv]), segments: Vec::new() };
        for length in lengths {
            chunk.segments.push(model.segment(&mut decoder, length - 1, &Segment::default()));
            if decoder.is_spent() {
                return Err(spent);
            }
        }
        chunks.push(chunk);
    }
    if !from.bytes.is_empty() {
        return Err(PackError::Damaged("something follows its end"));
    }
    Ok(Packed { header, chunks })
}

/// Of the joints and bones of a creature: FNV-1a over names, kinds and places, which are the same bits wherever its file is read.
fn fingerprint(creature: &Creature) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for joint in creature.joints() {
        add(joint.name.as_bytes());
        add(joint.kind.name().as_bytes());
        add(&joint.body.to_le_bytes());
    }
    for body in creature.bodies() {
        add(&body.parent.to_le_bytes());
        for x in body.parent_from_body.translation.vector.iter() {
            add(&x.to_le_bytes());
        }
    }
    hash
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Seven bits at a time, the lowest first.
    fn count(&mut self, mut number: usize) {
        #[allow(clippy::cast_possible_truncation)] // below 128
        let low = |number: usize| (number & 0x7f) as u8;
        while number >= 0x80 {
            self.bytes.push(low(number) | 0x80);
            number >>= 7;
        }
        self.bytes.push(low(number));
    }

    fn block(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend(bytes);
    }

    fn text(&mut self, text: &str) {
        self.block(text.as_bytes());
    }

    fn number(&mut self, number: f64) {
        self.bytes.extend(number.to_le_bytes());
    }

    #[allow(clippy::cast_possible_truncation)] // seven digits are enough
    fn short(&mut self, number: f64) {
        self.bytes.extend((number as f32).to_le_bytes());
    }

    fn header(&mut self, header: &Header) {
        self.text(&header.name);
        self.times(&header.times);
        let flags = usize::from(header.stride.is_some()) + 2 * usize::from(header.travel.is_some());
        self.count(flags);
        if let Some(stride) = header.stride {
            for x in [stride.yaw, stride.shift.x, stride.shift.y, stride.shift.z] {
                self.number(x);
            }
        }
        if let Some(travel) = header.travel {
            for x in [travel.speed, travel.stride_length, travel.stride_frequency] {
                self.number(x);
            }
        }
        self.count(header.feet.len());
        for foot in &header.feet {
            self.foot(foot);
        }
        header.mean.iter().for_each(|x| self.short(*x));
        self.count(header.segment);
        self.number(header.step);
        self.count(header.directions.len());
    }

    fn times(&mut self, times: &[f64]) {
        self.count(times.len());
        let step = even_step(times);
        self.number(step.unwrap_or(0.0));
        match step {
            Some(_) => self.number(times[0]),
            None => times.iter().for_each(|time| self.number(*time)),
        }
    }

    fn foot(&mut self, foot: &Held) {
        self.text(&foot.contact.name);
        self.count(foot.contact.body);
        foot.contact.point.iter().for_each(|x| self.number(*x));
        self.count(foot.contact.intervals.len());
        for (interval, place) in foot.contact.intervals.iter().zip(&foot.places) {
            for time in interval {
                self.number(*time);
            }
            self.count(usize::from(place.is_some()));
            if let Some(place) = place {
                place.iter().for_each(|x| self.short(*x));
            }
        }
    }
}

/// The step of an even time line of two keys or more.
fn even_step(times: &[f64]) -> Option<f64> {
    let (first, last) = (*times.first()?, *times.last()?);
    let step = (last - first) / (times.len() - 1) as f64;
    let even = |(k, time): (usize, &f64)| (first + k as f64 * step - time).abs() <= EVEN * step;
    (times.len() > 1 && step > 0.0 && times.iter().enumerate().all(even)).then_some(step)
}

struct Reader<'b> {
    bytes: &'b [u8],
}

const SHORT: PackError = PackError::Damaged("it ends early");

impl<'b> Reader<'b> {
    fn begin(bytes: &'b [u8]) -> Result<Self, PackError> {
        match bytes {
            [VERSION, rest @ ..] => Ok(Self { bytes: rest }),
            [version, ..] => Err(PackError::Version(*version)),
            [] => Err(SHORT),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], PackError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(SHORT)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn count(&mut self) -> Result<usize, PackError> {
        let mut number = 0_usize;
        for shift in (0..35).step_by(7) {
            let byte = self.take(1)?[0];
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(PackError::Damaged("a count is too large"))
    }

    fn block(&mut self) -> Result<&'b [u8], PackError> {
        let length = self.count()?;
        self.take(length)
    }

    fn text(&mut self) -> Result<String, PackError> {
        let text = std::str::from_utf8(self.block()?);
        text.map(str::to_owned).map_err(|_| PackError::Damaged("a text is not UTF-8"))
    }

    fn u64(&mut self) -> Result<u64, PackError> {
        let bytes = self.take(8)?.try_into().map_err(|_| SHORT)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn number(&mut self) -> Result<f64, PackError> {
        let number = f64::from_bits(self.u64()?);
        if number.is_finite() { Ok(number) } else { Err(PackError::Damaged("a number is not finite")) }
    }

    fn short(&mut self) -> Result<f64, PackError> {
        let bytes = self.take(4)?.try_into().map_err(|_| SHORT)?;
        let number = f64::from(f32::from_le_bytes(bytes));
        if number.is_finite() { Ok(number) } else { Err(PackError::Damaged("a number is not finite")) }
    }

    fn vector(&mut self) -> Result<Vec3, PackError> {
        Ok(Vec3::new(self.number()?, self.number()?, self.number()?))
    }

    /// The header without its directions, and how many of these there are.
    fn header(&mut self, creature: &Creature) -> Result<(Header, usize), PackError> {
        let name = self.text()?;
        let times = self.times(creature)?;
        let flags = self.count()?;
        let stride = (flags & 1 == 1).then(|| self.stride()).transpose()?;
        let travel = (flags & 2 == 2).then(|| self.travel()).transpose()?;
        let feet = (0..self.count()?).map(|_| self.foot(creature)).collect::<Result<_, _>>()?;
        let mean = (0..creature.nq()).map(|_| self.short()).collect::<Result<Vec<_>, _>>()?;
        let mean =
            creature.checked_pose("mean", &mean).map_err(|_| PackError::Damaged("its mean is no pose"))?;
        let (segment, step, directions) = (self.count()?, self.number()?, self.count()?);
        if !(1..=LONGEST_SEGMENT).contains(&segment) || step <= 0.0 || directions > creature.nv() {
            return Err(PackError::Damaged("its segments make no sense"));
        }
        let directions_read = Vec::new();
        let header =
            Header { name, times, stride, travel, feet, mean, segment, step, directions: directions_read };
        Ok((header, directions))
    }

    fn times(&mut self, creature: &Creature) -> Result<Vec<f64>, PackError> {
        let (count, step) = (self.count()?, self.number()?);
        let numbers = count.saturating_mul(creature.nq());
        if numbers > MOST_NUMBERS || count > MOST_NUMBERS {
            return Err(PackError::TooLong { numbers, most: MOST_NUMBERS });
        }
        if step > 0.0 {
            let first = self.number()?;
            return Ok((0..count).map(|k| first + k as f64 * step).collect());
        }
        (0..count).map(|_| self.number()).collect()
    }

    fn stride(&mut self) -> Result<Stride, PackError> {
        Ok(Stride { yaw: self.number()?, shift: self.vector()? })
    }

    fn travel(&mut self) -> Result<Travel, PackError> {
        Ok(Travel { speed: self.number()?, stride_length: self.number()?, stride_frequency: self.number()? })
    }

    fn foot(&mut self, creature: &Creature) -> Result<Held, PackError> {
        let (name, body, point) = (self.text()?, self.count()?, self.vector()?);
        if body >= creature.bodies().len() {
            return Err(PackError::Damaged("a foot is on a body that there is not"));
        }
        let (mut intervals, mut places) = (Vec::new(), Vec::new());
        for _ in 0..self.count()? {
            let [start, end] = [self.number()?, self.number()?];
            if start > end {
                return Err(PackError::Damaged("a stance ends before it starts"));
            }
            intervals.push([start, end]);
            let held = self.count()? == 1;
            places.push(if held {
                Some(Vec3::new(self.short()?, self.short()?, self.short()?))
            } else {
                None
            });
        }
        Ok(Held { contact: Contact { name, body, point, intervals }, places })
    }
}
