//! The bytes of a packed clip: a head, the directions, and chunks that are read one without the other. `docs/motion.md` has the
//! layout.

use gambol_model::{BodyPoint, Creature};

use super::VERSION;
use super::edit::PackEdit;
use super::ends::EndsClip;
use super::hold::HeldFoot;
use super::range_coder::RangeEncoder;
use super::symbols::{Model, Segment};
use crate::basis::metric::posture_dofs;
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
    pub(crate) feet: Vec<HeldFoot>,
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
        let free = |contact: &Contact| HeldFoot {
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

/// Of the joints and bones of a creature: FNV-1a over names, kinds and places, which are the same bits wherever its file is read.
pub(super) fn fingerprint(creature: &Creature) -> u64 {
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
                for &dof in &dofs {
                    self.short(motion[dof]);
                }
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

    fn foot(&mut self, foot: &HeldFoot) {
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
