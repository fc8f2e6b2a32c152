//! The bytes of a packed clip: a head, the directions, and chunks that are read one without the other. `docs/motion.md` has the
//! layout.

use gambol_model::{BodyPoint, Creature, Quat, Vec3};

use super::edit::PackEdit;
use super::encode::whole_directions;
use super::ends::{EndsClip, MOST_KEYS, Part};
use super::hold::Held;
use super::pyramid::level_sizes;
use super::range_coder::{RangeDecoder, RangeEncoder};
use super::symbols::{LONGEST_SEGMENT, Model, Segment};
use super::{MOST_NUMBERS, PackError, VERSION};
use crate::basis::metric::posture_dofs;
use crate::posing::free_root;
use crate::{Basis, Clip, Contact, Stride, Travel};

/// Keys of a chunk: some eight seconds of a recording.
const CHUNK: usize = 1024;

/// Steps of a time line are even within this share of one.
const EVEN: f64 = 1e-6;

/// What is said of a clip, however it is packed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) times: Vec<f64>,
    pub(crate) stride: Option<Stride>,
    pub(crate) travel: Option<Travel>,
    pub(crate) feet: Vec<Held>,
    /// In the order in which they were made.
    pub(crate) edits: Vec<PackEdit>,
    /// A basis that is kept elsewhere.
    pub(crate) basis: Option<SharedBasis>,
}

/// A basis that several packed clips share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SharedBasis {
    /// Name of its file.
    pub(crate) file: String,
    pub(crate) hash: u64,
}

impl SharedBasis {
    pub(crate) fn of(basis: &Basis, file: &str) -> Self {
        let shapes = basis.directions().iter().flat_map(|direction| &direction.shape);
        let mut hash = Fingerprint::new();
        basis.mean().iter().chain(shapes).for_each(|x| hash.add(&x.to_le_bytes()));
        Self { file: file.to_owned(), hash: hash.0 }
    }
}

impl Head {
    /// Of a clip whose feet have no places of their own.
    pub(crate) fn of(clip: &Clip, basis: Option<SharedBasis>) -> Self {
        let free = |contact: &Contact| Held {
            places: vec![None; contact.intervals.len()],
            contact: contact.clone(),
        };
        Self {
            name: clip.name.clone(),
            times: clip.times.clone(),
            stride: clip.stride,
            travel: clip.travel,
            feet: clip.contacts.iter().map(free).collect(),
            edits: Vec::new(),
            basis,
        }
    }
}

/// What all segments of a clip have in common.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) head: Head,
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

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Direct(Packed),
    Ends(EndsClip),
}

impl Content {
    pub(crate) fn head(&self) -> &Head {
        match self {
            Self::Direct(packed) => &packed.header.head,
            Self::Ends(clip) => &clip.head,
        }
    }

    pub(crate) fn head_mut(&mut self) -> &mut Head {
        match self {
            Self::Direct(packed) => &mut packed.header.head,
            Self::Ends(clip) => &mut clip.head,
        }
    }
}

impl Header {
    /// Per chunk, the lengths of its segments.
    pub(crate) fn chunks(&self) -> Vec<Vec<usize>> {
        let steps = self.head.times.len().saturating_sub(1);
        let lengths: Vec<usize> =
            (0..steps).step_by(self.segment).map(|from| self.segment.min(steps - from)).collect();
        if lengths.is_empty() {
            return vec![Vec::new()];
        }
        lengths.chunks((CHUNK / self.segment).max(1)).map(<[usize]>::to_vec).collect()
    }
}

pub(crate) fn write(creature: &Creature, packed: &Packed) -> Vec<u8> {
    let mut out = Writer::begin(creature, &packed.header.head, false);
    out.packed(creature, packed);
    out.bytes
}

pub(crate) fn write_content(creature: &Creature, content: &Content) -> Vec<u8> {
    match content {
        Content::Direct(packed) => write(creature, packed),
        Content::Ends(clip) => {
            let mut out = Writer::begin(creature, &clip.head, true);
            out.ends(creature, clip);
            out.bytes
        }
    }
}

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

/// Of the joints and bones of a creature: FNV-1a over names, kinds and places, which are the same bits wherever its file is read.
fn fingerprint(creature: &Creature) -> u64 {
    let mut hash = Fingerprint::new();
    for joint in creature.joints() {
        hash.add(joint.name.as_bytes());
        hash.add(joint.kind.name().as_bytes());
        hash.add(&joint.body.to_le_bytes());
    }
    for body in creature.bodies() {
        hash.add(&body.parent.to_le_bytes());
        for x in body.parent_from_body.translation.vector.iter() {
            hash.add(&x.to_le_bytes());
        }
    }
    hash.0
}

/// FNV-1a
struct Fingerprint(u64);

impl Fingerprint {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
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

    /// What comes before the motion. Files without what version 2 brought stay of version 1.
    fn begin(creature: &Creature, head: &Head, is_ends: bool) -> Self {
        let is_new = is_ends || head.basis.is_some() || !head.edits.is_empty();
        let mut out = Self { bytes: vec![if is_new { VERSION } else { 1 }] };
        out.text(creature.name());
        out.bytes.extend(fingerprint(creature).to_le_bytes());
        if is_new {
            out.count(usize::from(is_ends) + 2 * usize::from(head.basis.is_some()));
            if let Some(basis) = &head.basis {
                out.text(&basis.file);
                out.bytes.extend(basis.hash.to_le_bytes());
            }
        }
        out.head(head);
        if is_new {
            out.count(head.edits.len());
            for edit in &head.edits {
                out.point(edit.point);
                edit.offset.iter().for_each(|x| out.number(*x));
                out.number(edit.start);
                out.number(edit.length);
            }
        }
        out
    }

    fn head(&mut self, head: &Head) {
        self.text(&head.name);
        self.times(&head.times);
        let flags = usize::from(head.stride.is_some()) + 2 * usize::from(head.travel.is_some());
        self.count(flags);
        if let Some(stride) = head.stride {
            for x in [stride.yaw, stride.shift.x, stride.shift.y, stride.shift.z] {
                self.number(x);
            }
        }
        if let Some(travel) = head.travel {
            for x in [travel.speed, travel.stride_length, travel.stride_frequency] {
                self.number(x);
            }
        }
        self.count(head.feet.len());
        for foot in &head.feet {
            self.foot(foot);
        }
    }

    fn point(&mut self, at: BodyPoint) {
        self.count(at.body);
        at.point.iter().for_each(|x| self.number(*x));
    }

    fn packed(&mut self, creature: &Creature, packed: &Packed) {
        let Packed { header, chunks } = packed;
        if header.head.basis.is_none() {
            header.mean.iter().for_each(|x| self.short(*x));
        }
        self.count(header.segment);
        self.number(header.step);
        self.count(header.directions.len());
        let coordinates = creature.nv();
        if header.head.basis.is_none() {
            let mut encoder = RangeEncoder::new();
            let mut model = Model::new(coordinates);
            for direction in &header.directions {
                model.shape(&mut encoder, direction);
            }
            self.block(&encoder.finish());
        }
        for (chunk, lengths) in chunks.iter().zip(header.chunks()) {
            let mut encoder = RangeEncoder::new();
            let mut model = Model::new(coordinates);
            model.start(&mut encoder, &chunk.start);
            for (segment, length) in chunk.segments.iter().zip(lengths) {
                model.segment(&mut encoder, length - 1, segment);
            }
            self.block(&encoder.finish());
        }
    }

    fn ends(&mut self, creature: &Creature, clip: &EndsClip) {
        self.count(clip.ends.len());
        clip.ends.iter().for_each(|end| self.point(*end));
        self.number(clip.smooth);
        clip.left_out.iter().for_each(|levels| self.count(*levels));
        for (turn, place) in clip.turns.iter().zip(&clip.places) {
            turn.scaled_axis().iter().chain(place.iter()).for_each(|x| self.short(*x));
        }
        clip.tracks.iter().flatten().flat_map(|place| place.iter()).for_each(|x| self.short(*x));
        let dofs = posture_dofs(creature);
        self.count(clip.parts.len());
        for part in &clip.parts {
            self.count(part.first);
            self.count(part.directions.len());
            if clip.head.basis.is_some() {
                continue;
            }
            let mut way = vec![0.0; creature.nv()];
            creature.difference(creature.reference_pose(), &part.mean, &mut way);
            for motion in std::iter::once(&way).chain(&part.directions) {
                dofs.iter().for_each(|dof| self.short(motion[*dof]));
            }
        }
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
        let ends: Vec<BodyPoint> =
            (0..self.count()?).map(|_| self.point(creature)).collect::<Result<_, _>>()?;
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
