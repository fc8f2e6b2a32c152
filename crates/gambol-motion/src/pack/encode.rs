//! From poses to whole numbers: the coarsest that keep what is promised.
//!
//! Several lengths of segments, with and without principal directions, are tried, and the smallest is kept. For a largest error
//! every segment chooses its own step, by halving; for a root mean square, all have one.

use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{Creature, Vec3};
use nalgebra::{DMatrix, DVector};

use super::bytes::{Chunk, Head, Header, Packed, SharedBasis, write};
use super::decode::{MOST_EXPONENT, Stage};
use super::hold::HeldFoot;
use super::symbols::Segment;
use super::transform::{Frame, weight};
use super::{MOST_NUMBERS, Pack, PackError};
use crate::basis::metric::shell;
use crate::compare::shell_error;
use crate::{Basis, Clip, Comparison, GeodesicSettings, Keep, Metric, compare};

/// What a packed clip is to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PackTarget {
    /// The largest error of a 3 cm shell about any joint at any key, m.
    MaxError(f64),
    /// The root mean square distance of joints, m.
    Rms(f64),
    /// No more bytes than these.
    Bytes(usize),
}

/// How a clip is packed.
#[derive(Clone, Debug, PartialEq)]
pub struct PackSettings {
    /// What is to be kept. Default: 1 mm at most.
    pub target: PackTarget,
    /// Principal directions of the clip to store. Default: as many as pay.
    pub count: Option<usize>,
}

impl Default for PackSettings {
    fn default() -> Self {
        Self { target: PackTarget::MaxError(1e-3), count: None }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PackReport {
    /// The packed clip.
    pub bytes: Vec<u8>,
    /// What a reader gets, beside the original.
    pub comparison: Comparison,
    /// Keys from knot to knot.
    pub segment: usize,
    /// Principal directions that are stored.
    pub directions: usize,
    /// Stances whose foot is kept where it stands.
    pub held: usize,
}

/// Keys from knot to knot that are tried.
const SEGMENTS: [usize; 3] = [32, 64, 128];

/// Directions are whole numbers up to this.
const SHAPE: f64 = 31.0;

/// A coefficient is rounded up from this part of a step on: a little more than half of it, since zeros and small numbers are cheap.
const ROUND_UP: f64 = 0.6;

/// A file's step in parts of the error that it is to keep, at exponent 0; and the exponent that usually keeps it.
const COARSEST: f64 = 4.0;
const USUAL: i32 = 10;

/// Of the ways that look smallest, so many are gone to their end.
const TRIED: usize = 3;

/// The largest error in parts of the root mean square, as it usually is.
const SPREAD: f64 = 6.0;

/// Rounds of halving for a size or a root mean square; they leave a tenth of a per cent.
const HALVINGS: usize = 14;

/// A foot that goes by less than this part of the error while it stands is held.
const STANDS: f64 = 0.5;

/// Packs a clip.
pub fn pack(creature: &Creature, clip: &Clip, settings: &PackSettings) -> Result<PackReport, PackError> {
    pack_with(creature, clip, settings, None)
}

/// The same, with a basis that is kept elsewhere, in a file of this name: its mean and directions are not stored, and whoever reads the
/// clip needs it.
pub fn pack_with(
    creature: &Creature,
    clip: &Clip,
    settings: &PackSettings,
    shared: Option<(&Basis, &str)>,
) -> Result<PackReport, PackError> {
    clip.check(creature)?;
    let numbers = clip.times.len().saturating_mul(creature.nq());
    if numbers > MOST_NUMBERS {
        return Err(PackError::TooLong { numbers, most: MOST_NUMBERS });
    }
    if let Some(count) = settings.count.filter(|count| *count > creature.nv()) {
        return Err(PackError::Count { count, nv: creature.nv() });
    }
    if let Some((basis, _)) = shared
        && basis.mean().len() != creature.nq()
    {
        return Err(PackError::OtherBasis {
            file: shared.map_or_else(String::new, |(_, file)| file.to_owned()),
        });
    }
    let wanted = Wanted { count: settings.count, shared };
    match settings.target {
        PackTarget::MaxError(error) | PackTarget::Rms(error) if !(error > 0.0 && error.is_finite()) => {
            Err(PackError::Target(error))
        }
        PackTarget::MaxError(error) => within(creature, clip, error, wanted),
        PackTarget::Rms(rms) => by_rms(creature, clip, rms, wanted),
        PackTarget::Bytes(bytes) => by_size(creature, clip, bytes, wanted),
    }
}

/// The smallest that stays within a largest error.
fn within(creature: &Creature, clip: &Clip, error: f64, wanted: Wanted) -> Result<PackReport, PackError> {
    let mut best: Option<PackReport> = None;
    for plan in ranked(creature, clip, wanted, error)?.into_iter().take(TRIED) {
        let report = within_by(creature, clip, &plan, error)?;
        if best.as_ref().is_none_or(|best| report.bytes.len() < best.bytes.len()) {
            best = Some(report);
        }
    }
    best.ok_or(PackError::Damaged("there is no way to pack it"))
}

/// The same by one way to pack.
fn within_by(creature: &Creature, clip: &Clip, plan: &Plan, error: f64) -> Result<PackReport, PackError> {
    let mut target = error;
    let mut feet = held(creature, clip, STANDS * error);
    loop {
        let job = Job::new(creature, clip, plan, feet.clone(), COARSEST * target)?;
        let report = job.report(&job.packed(Choice::Within(target))?)?;
        if report.comparison.shell_error <= error {
            return Ok(report);
        }
        // Feet that are put in their place move the leg a little more than they moved in the recording; then more is asked of the
        // rest, and at last they are left where the numbers put them.
        if target > 0.7 * error {
            target *= 0.9;
        } else if feet.iter().any(|foot| foot.places.iter().any(Option::is_some)) {
            for foot in &mut feet {
                foot.places.fill(None);
            }
            target = error;
        } else if target > 1e-3 * error {
            target *= 0.5;
        } else {
            return Ok(report);
        }
    }
}

/// Ways to pack, by the bytes that they take where every segment has the step that usually keeps an error.
fn ranked<'b>(
    creature: &'b Creature,
    clip: &'b Clip,
    wanted: Wanted<'b>,
    error: f64,
) -> Result<Vec<Plan<'b>>, PackError> {
    let mut sized = Vec::new();
    for plan in plans(creature, clip, wanted)? {
        let job = Job::new(creature, clip, &plan, Vec::new(), COARSEST * error)?;
        sized.push((write(creature, &job.packed(Choice::Same(USUAL))?).len(), plan));
    }
    sized.sort_by_key(|(bytes, _)| *bytes);
    Ok(sized.into_iter().map(|(_, plan)| plan).collect())
}

fn smallest<'b>(
    creature: &'b Creature,
    clip: &'b Clip,
    wanted: Wanted<'b>,
    error: f64,
) -> Result<Plan<'b>, PackError> {
    let first = ranked(creature, clip, wanted, error)?.into_iter().next();
    first.ok_or(PackError::Damaged("there is no way to pack it"))
}

/// The smallest with this root mean square.
fn by_rms(creature: &Creature, clip: &Clip, rms: f64, wanted: Wanted) -> Result<PackReport, PackError> {
    let feet = held(creature, clip, STANDS * rms);
    let plan = smallest(creature, clip, wanted, SPREAD * rms)?;
    let (mut low, mut high) = (0.01 * rms, 1e3 * rms);
    let mut found = None;
    for _ in 0..HALVINGS {
        let middle = (low * high).sqrt();
        let job = Job::new(creature, clip, &plan, feet.clone(), middle)?;
        let report = job.report(&job.packed(Choice::Same(USUAL))?)?;
        if report.comparison.rms <= rms {
            low = middle;
            found = Some(report);
        } else {
            high = middle;
        }
    }
    found.ok_or(PackError::Target(rms))
}

/// The most exact within a size.
fn by_size(creature: &Creature, clip: &Clip, bytes: usize, wanted: Wanted) -> Result<PackReport, PackError> {
    let (mut low, mut high) = (1e-6_f64, 10.0_f64);
    let mut found: Option<PackReport> = None;
    let mut least = usize::MAX;
    let mut plan = smallest(creature, clip, wanted, 1e-2)?;
    for round in 0..HALVINGS {
        let middle = (low * high).sqrt();
        if round == HALVINGS / 2 {
            // Near the error that it will be, another way may be smaller.
            plan = smallest(creature, clip, wanted, middle)?;
        }
        let report = within_by(creature, clip, &plan, middle)?;
        least = least.min(report.bytes.len());
        if report.bytes.len() <= bytes {
            high = middle;
            found = Some(report);
        } else {
            low = middle;
        }
    }
    found.ok_or(PackError::Bytes { bytes, least })
}

/// A way to pack.
#[derive(Clone)]
struct Plan<'b> {
    segment: usize,
    mean: Vec<f64>,
    directions: Vec<Vec<i32>>,
    shared: Shared<'b>,
}

/// A basis that is kept elsewhere, and the name of its file.
type Shared<'b> = Option<(&'b Basis, &'b str)>;

/// What is asked of the directions.
#[derive(Clone, Copy)]
struct Wanted<'b> {
    count: Option<usize>,
    shared: Shared<'b>,
}

/// Those worth trying: of all lengths, without directions and with those of the clip.
fn plans<'b>(creature: &Creature, clip: &Clip, wanted: Wanted<'b>) -> Result<Vec<Plan<'b>>, PackError> {
    if let Some((basis, _)) = wanted.shared {
        return shared_plans(creature, wanted, basis);
    }
    let count = wanted.count;
    let poses: Vec<&[f64]> = clip.poses.iter().map(Vec::as_slice).collect();
    let settings = GeodesicSettings { keep: Keep::All, metric: Some(Metric::position(creature)) };
    let found = Basis::from_poses(creature, &poses, &settings).ok().map(|found| found.basis);
    let mean = found.as_ref().map_or_else(|| clip.poses[0].clone(), |basis| basis.mean().to_vec());
    // What a reader gets of it.
    #[allow(clippy::cast_possible_truncation)]
    let mean: Vec<f64> = mean.iter().map(|x| f64::from(*x as f32)).collect();
    let mean = creature.checked_pose("mean", &mean).map_err(|_| PackError::Damaged("its mean is no pose"))?;
    let rows: Vec<Vec<i32>> =
        found.map_or_else(Vec::new, |basis| basis.directions().iter().map(|d| whole(&d.shape)).collect());
    let counts = match count {
        Some(count) => vec![count.min(rows.len())],
        None => vec![0, rows.len() / 3, rows.len()],
    };
    let w = weight(creature, &mean);
    let mut plans = Vec::new();
    for count in counts {
        let directions = independent(&w, &rows[..count]);
        for segment in SEGMENTS {
            let (mean, directions) = (mean.clone(), directions.clone());
            plans.push(Plan { segment, mean, directions, shared: None });
        }
    }
    Ok(plans)
}

/// The same of a basis that is kept elsewhere: all of its directions cost nothing.
fn shared_plans<'b>(
    creature: &Creature,
    wanted: Wanted<'b>,
    basis: &Basis,
) -> Result<Vec<Plan<'b>>, PackError> {
    let mean =
        creature.checked_pose("mean", basis.mean()).map_err(|_| PackError::Damaged("its mean is no pose"))?;
    let mut directions = whole_directions(creature, basis, &mean);
    directions.truncate(wanted.count.unwrap_or(directions.len()));
    let plan =
        |segment| Plan { segment, mean: mean.clone(), directions: directions.clone(), shared: wanted.shared };
    Ok(SEGMENTS.map(plan).to_vec())
}

/// The directions of a basis that bend the creature, in whole numbers and without those that others do as well.
pub(super) fn whole_directions(creature: &Creature, basis: &Basis, mean: &[f64]) -> Vec<Vec<i32>> {
    let rows: Vec<Vec<i32>> = basis.flexible().iter().map(|direction| whole(&direction.shape)).collect();
    independent(&weight(creature, mean), &rows)
}

/// A direction in whole numbers, of any scale.
fn whole(shape: &[f64]) -> Vec<i32> {
    let largest = shape.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    #[allow(clippy::cast_possible_truncation)] // at most SHAPE
    let round = |x: &f64| (x / largest * SHAPE).round() as i32;
    shape.iter().map(round).collect()
}

/// Those that rounding has not made equal to ones before them.
fn independent(weight: &DMatrix<f64>, rows: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let mut kept: Vec<Vec<i32>> = Vec::new();
    for row in rows {
        kept.push(row.clone());
        let matrix = DMatrix::from_fn(weight.nrows(), kept.len(), |dof, k| f64::from(kept[k][dof]));
        if Frame::new(weight, &matrix).is_err() {
            kept.pop();
        }
    }
    kept
}

/// How segments choose their steps.
#[derive(Clone, Copy)]
enum Choice {
    /// The coarsest within this error, m.
    Within(f64),
    /// This exponent.
    Same(i32),
}

/// One way to pack a clip, at work.
struct Job<'c> {
    creature: &'c Creature,
    clip: &'c Clip,
    header: Header,
    stage: Stage<'c>,
    frames: Vec<Vec<BodyFrame>>,
    shell: f64,
    /// A basis that is kept elsewhere.
    shared: Option<&'c Basis>,
}

impl<'c> Job<'c> {
    fn new(
        creature: &'c Creature,
        clip: &'c Clip,
        plan: &Plan<'c>,
        feet: Vec<HeldFoot>,
        step: f64,
    ) -> Result<Self, PackError> {
        let header = Header {
            head: Head {
                feet,
                ..Head::of(clip, plan.shared.map(|(basis, file)| SharedBasis::of(basis, file)))
            },
            mean: plan.mean.clone(),
            segment: plan.segment,
            step,
            directions: plan.directions.clone(),
        };
        let stage = Stage::new(creature, &header)?;
        let mut data = Data::new(creature);
        let frames =
            clip.poses.iter().map(|pose| forward_kinematics(creature, &mut data, pose).to_vec()).collect();
        let shared = plan.shared.map(|(basis, _)| basis);
        Ok(Self { creature, clip, header, stage, frames, shell: shell(creature), shared })
    }

    fn packed(&self, choice: Choice) -> Result<Packed, PackError> {
        let mut chunks = Vec::new();
        let mut key = 0;
        for lengths in self.header.chunks() {
            let mut chunk = Chunk { start: self.numbers(&self.stage.mean, key), segments: Vec::new() };
            let mut from = self.stage.knot(&self.stage.mean, &chunk.start);
            for (index, &length) in lengths.iter().enumerate() {
                let base = if index + 1 == lengths.len() { &self.stage.mean } else { &from };
                let knot = self.numbers(base, key + length);
                let to = self.stage.knot(base, &knot);
                chunk.segments.push(self.segment(choice, key, length, [&from, &to], &knot)?);
                key += length;
                from = to;
            }
            chunks.push(chunk);
        }
        Ok(Packed { header: self.header.clone(), chunks })
    }

    /// The knot at a key, from a base.
    fn numbers(&self, base: &[f64], key: usize) -> Vec<i32> {
        let mut way = DVector::zeros(self.creature.nv());
        self.creature.difference(base, &self.clip.poses[key], way.as_mut_slice());
        let step = self.stage.knot_step();
        self.stage.frame.coordinates(&way).iter().map(|y| rounded(y / step, 0.5)).collect()
    }

    fn segment(
        &self,
        choice: Choice,
        key: usize,
        length: usize,
        knots: [&[f64]; 2],
        knot: &[i32],
    ) -> Result<Segment, PackError> {
        let coefficients = self.coefficients(key, length, knots)?;
        let at = |exponent: i32| Segment {
            exponent,
            coefficients: quantised(&coefficients, self.stage.step(exponent)),
            knot: knot.to_vec(),
        };
        let error = match choice {
            Choice::Same(exponent) => return Ok(at(exponent)),
            Choice::Within(error) => error,
        };
        let mut data = Data::new(self.creature);
        let (mut low, mut high) = (-1, MOST_EXPONENT.min(48));
        let mut best = at(high);
        while high - low > 1 {
            let middle = i32::midpoint(low, high);
            let segment = at(middle);
            if self.error(&mut data, key, length, knots, &segment)? <= error {
                (best, high) = (segment, middle);
            } else {
                low = middle;
            }
        }
        Ok(best)
    }

    /// What is left over the line between two knots, as sines.
    fn coefficients(
        &self,
        key: usize,
        length: usize,
        [from, to]: [&[f64]; 2],
    ) -> Result<DMatrix<f64>, PackError> {
        let nv = self.creature.nv();
        let (mut way, mut left) = (vec![0.0; nv], DVector::zeros(nv));
        self.creature.difference(from, to, &mut way);
        let mut rows = DMatrix::zeros(nv, length - 1);
        for n in 1..length {
            let mut line = from.to_vec();
            self.creature.integrate(&mut line, &way, n as f64 / length as f64);
            self.creature.difference(&line, &self.clip.poses[key + n], left.as_mut_slice());
            rows.set_column(n - 1, &self.stage.frame.coordinates(&left));
        }
        let sines = self.stage.sines(length).ok_or(PackError::Damaged("a segment has no length"))?;
        Ok(sines.transform(&rows))
    }

    /// The largest error of a shell in a segment.
    fn error(
        &self,
        data: &mut Data,
        key: usize,
        length: usize,
        knots: [&[f64]; 2],
        segment: &Segment,
    ) -> Result<f64, PackError> {
        let poses = self.stage.between(knots, length, segment)?;
        let mut most = 0.0_f64;
        for (pose, frames) in poses.iter().zip(&self.frames[key + 1..]) {
            let decoded = forward_kinematics(self.creature, data, pose);
            most = most.max(shell_error(frames, decoded, self.shell).error);
        }
        Ok(most)
    }

    /// The bytes, and what a reader makes of them.
    fn report(&self, packed: &Packed) -> Result<PackReport, PackError> {
        let bytes = write(self.creature, packed);
        let read = Pack::open_with(self.creature, &bytes, self.shared)?;
        let comparison = compare(self.creature, self.clip, &read.clip())?;
        let held = packed.header.head.feet.iter().flat_map(|foot| &foot.places).flatten().count();
        let (segment, directions) = (self.header.segment, self.header.directions.len());
        Ok(PackReport { bytes, comparison, segment, directions, held })
    }
}

/// Towards 0 unless it is `up` of a step further.
fn rounded(x: f64, up: f64) -> i32 {
    const MOST: f64 = ((1 << 30) - 1) as f64;
    #[allow(clippy::cast_possible_truncation)] // at most MOST
    let size = (x.abs() + 1.0 - up).floor().min(MOST) as i32;
    if x < 0.0 { -size } else { size }
}

/// Whole multiples of a step, without the zeros at the end.
fn quantised(coefficients: &DMatrix<f64>, step: f64) -> Vec<Vec<i32>> {
    let row = |row: nalgebra::MatrixView<f64, nalgebra::U1, nalgebra::Dyn, nalgebra::U1, nalgebra::Dyn>| {
        let mut numbers: Vec<i32> = row.iter().map(|c| rounded(c / step, ROUND_UP)).collect();
        let count = numbers.iter().rposition(|x| *x != 0).map_or(0, |last| last + 1);
        numbers.truncate(count);
        numbers
    };
    coefficients.row_iter().map(row).collect()
}

/// Feet, and the places of those that stand still to within `drift`, m.
fn held(creature: &Creature, clip: &Clip, drift: f64) -> Vec<HeldFoot> {
    let mut data = Data::new(creature);
    let mut place = |contact: &crate::Contact, [start, end]: [f64; 2]| {
        let keys = clip.times.iter().zip(&clip.poses).filter(|(time, _)| (start..=end).contains(*time));
        let places: Vec<Vec3> = keys
            .map(|(_, pose)| {
                forward_kinematics(creature, &mut data, pose)[contact.body].point_in_world(contact.point)
            })
            .collect();
        let mean = places.iter().sum::<Vec3>() / places.len().max(1) as f64;
        let far = places.iter().map(|place| (place - mean).norm()).fold(0.0, f64::max);
        (!places.is_empty() && far <= drift).then_some(mean)
    };
    let known = clip.contacts.iter().filter(|contact| contact.body < creature.bodies().len());
    known
        .map(|contact| HeldFoot {
            places: contact.intervals.iter().map(|interval| place(contact, *interval)).collect(),
            contact: contact.clone(),
        })
        .collect()
}
