//! From the bytes of a packed clip to what they say; nothing of them is believed before it is checked.

use gambol_model::{BodyPoint, Creature, Quat, Vec3};

use super::bytes::{Chunk, Content, Head, Header, Packed, SharedBasis, fingerprint};
use super::edit::PackEdit;
use super::encode::whole_directions;
use super::ends::{EndsClip, MOST_EDITS, MOST_ENDS, MOST_KEYS, Part};
use super::hold::HeldFoot;
use super::pyramid::level_sizes;
use super::range_coder::RangeDecoder;
use super::symbols::{LONGEST_SEGMENT, Model, Segment};
use super::{MOST_NUMBERS, PackError, VERSION};
use crate::basis::metric::posture_dofs;
use crate::posing::free_root;
use crate::{Basis, Contact, Stride, Travel};

pub(crate) fn creature_of(bytes: &[u8]) -> Result<String, PackError> {
    Reader::begin(bytes)?.0.text()
}

/// The file of the basis that it needs.
pub(crate) fn basis_of(bytes: &[u8]) -> Result<Option<String>, PackError> {
    let (mut from, version) = Reader::begin(bytes)?;
    from.text()?;
    from.u64()?;
    Ok(from.kind(version)?.1.map(|basis| basis.file))
}

pub(crate) fn parse(creature: &Creature, bytes: &[u8], basis: Option<&Basis>) -> Result<Content, PackError> {
    let (mut from, version) = Reader::begin(bytes)?;
    let packed = from.text()?;
    if from.u64()? != fingerprint(creature) {
        return Err(PackError::Creature { packed, creature: creature.name().to_owned() });
    }
    let (is_ends, shared) = from.kind(version)?;
    let basis = shared.as_ref().map(|shared| shared.found(creature, basis)).transpose()?;
    let mut head = from.head(creature, version)?;
    head.basis = shared;
    let content = if is_ends {
        Content::Ends(from.ends(creature, head, basis)?)
    } else {
        Content::Direct(from.packed(creature, head, basis)?)
    };
    if !from.bytes.is_empty() {
        return Err(PackError::Damaged("something follows its end"));
    }
    Ok(content)
}

impl SharedBasis {
    /// The basis that is given, if it is this one.
    fn found<'b>(&self, creature: &Creature, given: Option<&'b Basis>) -> Result<&'b Basis, PackError> {
        let basis = given.ok_or_else(|| PackError::NeedsBasis { file: self.file.clone() })?;
        if basis.mean().len() != creature.nq() || Self::of(basis, &self.file) != *self {
            return Err(PackError::OtherBasis { file: self.file.clone() });
        }
        Ok(basis)
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
}

const SHORT: PackError = PackError::Damaged("it ends early");

impl<'b> Reader<'b> {
    /// And the version.
    fn begin(bytes: &'b [u8]) -> Result<(Self, u8), PackError> {
        match bytes {
            [version @ 1..=VERSION, rest @ ..] => Ok((Self { bytes: rest }, *version)),
            [version, ..] => Err(PackError::Version(*version)),
            [] => Err(SHORT),
        }
    }

    /// Whether it is one of end joints, and the basis that it shares.
    fn kind(&mut self, version: u8) -> Result<(bool, Option<SharedBasis>), PackError> {
        if version == 1 {
            return Ok((false, None));
        }
        let flags = self.count()?;
        if flags > 3 {
            return Err(PackError::Damaged("it is packed in an unknown way"));
        }
        let basis =
            if flags & 2 == 2 { Some(SharedBasis { file: self.text()?, hash: self.u64()? }) } else { None };
        Ok((flags & 1 == 1, basis))
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

    fn head(&mut self, creature: &Creature, version: u8) -> Result<Head, PackError> {
        let name = self.text()?;
        let times = self.times(creature)?;
        let flags = self.count()?;
        let stride = (flags & 1 == 1).then(|| self.stride()).transpose()?;
        let travel = (flags & 2 == 2).then(|| self.travel()).transpose()?;
        let feet = (0..self.count()?).map(|_| self.foot(creature)).collect::<Result<_, _>>()?;
        let edits = if version == 1 { 0 } else { self.count()? };
        if edits > MOST_EDITS {
            return Err(PackError::Damaged("it has more edits than anybody makes"));
        }
        let edits = (0..edits).map(|_| self.edit(creature)).collect::<Result<_, _>>()?;
        Ok(Head { name, times, stride, travel, feet, edits, basis: None })
    }

    fn edit(&mut self, creature: &Creature) -> Result<PackEdit, PackError> {
        let point = self.point(creature)?;
        let (offset, start, length) = (self.vector()?, self.number()?, self.number()?);
        if length <= 0.0 {
            return Err(PackError::Damaged("an edit has no length"));
        }
        Ok(PackEdit { point, offset, start, length })
    }

    fn point(&mut self, creature: &Creature) -> Result<BodyPoint, PackError> {
        let (body, point) = (self.count()?, self.vector()?);
        if body == 0 || body >= creature.bodies().len() {
            return Err(PackError::Damaged("an end is on a body that there is not"));
        }
        Ok(BodyPoint { body, point })
    }

    fn packed(
        &mut self,
        creature: &Creature,
        head: Head,
        basis: Option<&Basis>,
    ) -> Result<Packed, PackError> {
        let nv = creature.nv();
        let mean = match basis {
            Some(basis) => basis.mean().to_vec(),
            None => (0..creature.nq()).map(|_| self.short()).collect::<Result<Vec<_>, _>>()?,
        };
        let mean =
            creature.checked_pose("mean", &mean).map_err(|_| PackError::Damaged("its mean is no pose"))?;
        let (segment, step, count) = (self.count()?, self.number()?, self.count()?);
        if !(1..=LONGEST_SEGMENT).contains(&segment) || step <= 0.0 || count > nv {
            return Err(PackError::Damaged("its segments make no sense"));
        }
        let mut directions = Vec::new();
        if let Some(basis) = basis {
            directions = whole_directions(creature, basis, &mean);
            directions.truncate(count);
        } else {
            let mut decoder = RangeDecoder::new(self.block()?);
            let mut model = Model::new(nv);
            directions.extend((0..count).map(|_| model.shape(&mut decoder, &vec![0; nv])));
        }
        let header = Header { head, mean, segment, step, directions };
        let mut chunks = Vec::new();
        for lengths in header.chunks() {
            let mut decoder = RangeDecoder::new(self.block()?);
            let mut model = Model::new(nv);
            let mut chunk = Chunk { start: model.start(&mut decoder, &vec![0; nv]), segments: Vec::new() };
            for length in lengths {
                chunk.segments.push(model.segment(&mut decoder, length - 1, &Segment::default()));
                if decoder.is_spent() {
                    return Err(SHORT);
                }
            }
            chunks.push(chunk);
        }
        Ok(Packed { header, chunks })
    }

    fn ends(
        &mut self,
        creature: &Creature,
        head: Head,
        basis: Option<&Basis>,
    ) -> Result<EndsClip, PackError> {
        let count = head.times.len();
        if count == 0 || count > MOST_KEYS {
            return Err(PackError::Damaged("it has no keys, or more than can be solved for"));
        }
        let count_ends = self.count()?;
        if count_ends > MOST_ENDS {
            return Err(PackError::Damaged("it has more ends than any creature"));
        }
        let ends: Vec<BodyPoint> = (0..count_ends).map(|_| self.point(creature)).collect::<Result<_, _>>()?;
        let smooth = self.number()?;
        let left_out = [self.count()?, self.count()?];
        if smooth < 0.0 || left_out.iter().any(|levels| *levels >= level_sizes(count).len()) {
            return Err(PackError::Damaged("its levels make no sense"));
        }
        let [of_root, of_ends] = left_out.map(|levels| count.div_ceil(1 << levels));
        let (mut turns, mut places) = (Vec::new(), Vec::new());
        for _ in 0..if free_root(creature).is_some() { of_root } else { 0 } {
            turns.push(Quat::from_scaled_axis(self.short_vector()?));
            places.push(self.short_vector()?);
        }
        let track = |from: &mut Self| (0..of_ends).map(|_| from.short_vector()).collect::<Result<_, _>>();
        let tracks = ends.iter().map(|_| track(self)).collect::<Result<_, _>>()?;
        let mut parts: Vec<Part> = Vec::new();
        for index in 0..self.count()? {
            let part = self.part(creature, basis)?;
            let is_next = parts.last().map_or(part.first == 0, |last| part.first > last.first);
            if !is_next || part.first >= count || (index > 0 && basis.is_some()) {
                return Err(PackError::Damaged("its parts are in no order"));
            }
            parts.push(part);
        }
        if parts.is_empty() {
            return Err(PackError::Damaged("it has no directions"));
        }
        Ok(EndsClip { head, ends, smooth, left_out, turns, places, tracks, parts })
    }

    fn part(&mut self, creature: &Creature, basis: Option<&Basis>) -> Result<Part, PackError> {
        let (first, count) = (self.count()?, self.count()?);
        if count > creature.nv() {
            return Err(PackError::Damaged("it has more directions than the creature"));
        }
        if let Some(basis) = basis {
            return Ok(Part::shared(creature, basis, count));
        }
        let dofs = posture_dofs(creature);
        let mut motion = || -> Result<Vec<f64>, PackError> {
            let mut motion = vec![0.0; creature.nv()];
            for &dof in &dofs {
                motion[dof] = self.short()?;
            }
            Ok(motion)
        };
        let mut mean = creature.reference_pose().to_vec();
        creature.integrate(&mut mean, &motion()?, 1.0);
        let directions = (0..count).map(|_| motion()).collect::<Result<_, _>>()?;
        Ok(Part { first, mean, directions })
    }

    fn short_vector(&mut self) -> Result<Vec3, PackError> {
        Ok(Vec3::new(self.short()?, self.short()?, self.short()?))
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

    fn foot(&mut self, creature: &Creature) -> Result<HeldFoot, PackError> {
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
        Ok(HeldFoot { contact: Contact { name, body, point, intervals }, places })
    }
}
