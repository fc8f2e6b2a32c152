//! From whole numbers to poses. The encoder plays every segment by the same function, so that it knows what a reader gets.

use gambol_model::Creature;
use nalgebra::{DMatrix, DVector};

use super::PackError;
use super::bytes::{Chunk, Header, Packed};
use super::edit::move_limbs;
use super::hold::hold_feet;
use super::symbols::Segment;
use super::transform::{Frame, Sines, weight};
use crate::Clip;

/// Steps of knots in parts of the file's step, the one of exponent 0.
const KNOT: f64 = 1.0 / 32.0;

/// The largest exponent that makes sense: a step of a billionth of the file's.
pub(crate) const MOST_EXPONENT: i32 = 120;

/// What all segments of a file have in common.
pub(crate) struct Stage<'c> {
    pub(crate) creature: &'c Creature,
    pub(crate) mean: Vec<f64>,
    pub(crate) frame: Frame,
    pub(crate) step: f64,
    /// Of whole segments and of a shorter last one.
    sines: Vec<Sines>,
}

impl<'c> Stage<'c> {
    pub(crate) fn new(creature: &'c Creature, header: &Header) -> Result<Self, PackError> {
        let nv = creature.nv();
        let rows = &header.directions;
        let directions = DMatrix::from_fn(nv, rows.len(), |dof, k| f64::from(rows[k][dof]));
        let frame = Frame::new(&weight(creature, &header.mean), &directions)?;
        let steps = header.head.times.len().saturating_sub(1);
        let mut lengths = vec![header.segment.min(steps), steps % header.segment];
        lengths.retain(|length| *length > 0);
        lengths.dedup();
        let sines = lengths.into_iter().map(Sines::new).collect();
        Ok(Self { creature, mean: header.mean.clone(), frame, step: header.step, sines })
    }

    /// Δ of a segment: quarters of octaves.
    pub(crate) fn step(&self, exponent: i32) -> f64 {
        const QUARTERS: [f64; 4] =
            [1.0, 0.840_896_415_253_714_5, 0.707_106_781_186_547_5, 0.594_603_557_501_360_5];
        let exponent = exponent.clamp(0, MOST_EXPONENT);
        let quarter = QUARTERS[usize::try_from(exponent % 4).unwrap_or(0)];
        self.step * quarter / (1_u64 << (exponent / 4)) as f64
    }

    pub(crate) fn knot_step(&self) -> f64 {
        KNOT * self.step
    }

    /// The knot that is so far from `from`.
    pub(crate) fn knot(&self, from: &[f64], numbers: &[i32]) -> Vec<f64> {
        let y =
            DVector::from_iterator(numbers.len(), numbers.iter().map(|x| f64::from(*x) * self.knot_step()));
        let mut pose = from.to_vec();
        self.creature.integrate(&mut pose, self.frame.motion(&y).as_slice(), 1.0);
        pose
    }

    pub(crate) fn sines(&self, length: usize) -> Option<&Sines> {
        self.sines.iter().find(|sines| sines.length == length)
    }

    /// Poses between two knots, both left out.
    pub(crate) fn between(
        &self,
        [from, to]: [&[f64]; 2],
        length: usize,
        segment: &Segment,
    ) -> Result<Vec<Vec<f64>>, PackError> {
        let sines = self.sines(length).ok_or(PackError::Damaged("a segment has no length"))?;
        let (nv, step) = (self.creature.nv(), self.step(segment.exponent));
        let mut coefficients = DMatrix::zeros(nv, length - 1);
        for (coordinate, row) in segment.coefficients.iter().enumerate() {
            for (k, x) in row.iter().enumerate() {
                coefficients[(coordinate, k)] = step * f64::from(*x);
            }
        }
        let motions = &self.frame.motions * sines.transform(&coefficients);
        let mut way = vec![0.0; nv];
        self.creature.difference(from, to, &mut way);
        let pose = |n: usize| {
            let mut pose = from.to_vec();
            self.creature.integrate(&mut pose, &way, (n + 1) as f64 / length as f64);
            self.creature.integrate(&mut pose, motions.column(n).as_slice(), 1.0);
            pose
        };
        Ok((0..length - 1).map(pose).collect())
    }

    /// Poses of a chunk, and whether its first one was the last of the chunk before.
    fn chunk(&self, chunk: &Chunk, lengths: &[usize], poses: &mut Vec<Vec<f64>>) -> Result<(), PackError> {
        let mut from = self.knot(&self.mean, &chunk.start);
        if poses.is_empty() {
            poses.push(from.clone());
        }
        for (index, (segment, &length)) in chunk.segments.iter().zip(lengths).enumerate() {
            // The last knot of a chunk is the first of the next.
            let base = if index + 1 == lengths.len() { &self.mean } else { &from };
            let to = self.knot(base, &segment.knot);
            poses.extend(self.between([&from, &to], length, segment)?);
            poses.push(to.clone());
            from = to;
        }
        Ok(())
    }
}

/// All poses, before rounding to what is kept in memory.
pub(crate) fn poses(creature: &Creature, packed: &Packed) -> Result<Vec<Vec<f64>>, PackError> {
    let stage = Stage::new(creature, &packed.header)?;
    let mut poses = Vec::new();
    for (chunk, lengths) in packed.chunks.iter().zip(packed.header.chunks()) {
        stage.chunk(chunk, &lengths, &mut poses)?;
    }
    if poses.len() != packed.header.head.times.len() || poses.iter().flatten().any(|x| !x.is_finite()) {
        return Err(PackError::Damaged("its poses are none"));
    }
    hold_feet(creature, &packed.header.head.times, &mut poses, &packed.header.head.feet);
    let head = &packed.header.head;
    move_limbs(creature, &head.times, &mut poses, head.edits.iter());
    let mut clip = Clip {
        name: String::new(),
        times: packed.header.head.times.clone(),
        poses,
        stride: None,
        contacts: Vec::new(),
        travel: None,
    };
    clip.align_signs(creature);
    Ok(clip.poses)
}
