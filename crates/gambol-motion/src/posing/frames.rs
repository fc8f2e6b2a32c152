//! Representative frames of many recordings (Wu and others 2011, "Selecting a representative frame set", figure 2).
//!
//! ```text
//! until all frames were seen:
//!     take the frames that were kept and some thousand new ones
//!     split them into cells of a kd-tree, always the one with the largest spread, at its mean
//!     keep the frame in the middle of each cell, and how many it stands for
//! ```
//!
//! Frames are as far apart as their bone ends, with the root at the origin: a thumb that noise turns is no other pose. Memory is that of
//! one round, however many frames there are.

use std::collections::BinaryHeap;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{BodyPoint, Creature};

use super::mirror::at_origin;
use super::{bone_ends, free_root};
use crate::BasisError;
use crate::basis::wound_back;

/// Representative poses of recordings, and how many frames each stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseFrames {
    poses: Vec<Vec<f64>>,
    counts: Vec<f64>,
}

impl PoseFrames {
    /// Checks poses against their creature. Roots keep their orientation and lose their place; hinges that were turned by whole turns
    /// are wound back.
    pub fn new(creature: &Creature, poses: &[Vec<f64>], counts: Vec<f64>) -> Result<Self, BasisError> {
        if poses.len() < 2 {
            return Err(BasisError::Frames { frames: poses.len() });
        }
        if counts.len() != poses.len() || counts.iter().any(|count| !(count.is_finite() && *count > 0.0)) {
            return Err(BasisError::Counts);
        }
        let mut checked = Vec::with_capacity(poses.len());
        for (k, pose) in poses.iter().enumerate() {
            let mut pose = creature
                .checked_pose(&format!("frame {k}"), pose)
                .map_err(|error| BasisError::Pose(error.to_string()))?;
            if let Some(root) = free_root(creature) {
                pose[root.q..root.q + 3].fill(0.0);
            }
            checked.push(pose);
        }
        let slices: Vec<&[f64]> = checked.iter().map(Vec::as_slice).collect();
        let poses = wound_back(creature, &slices).into_iter().map(std::borrow::Cow::into_owned).collect();
        Ok(Self { poses, counts })
    }

    /// `nq` numbers each.
    pub fn poses(&self) -> &[Vec<f64>] {
        &self.poses
    }

    /// How many frames each stands for.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }
}

gambol_model::settings! {
    /// Of the choice of representative frames.
    pub struct SelectorSettings {
        /// So many are kept: the paper's.
        keep: usize = 2000, AtLeastOne;
        /// So many new ones come to them in a round: the paper's.
        fresh: usize = 8000, AtLeastOne;
    }
}

/// Chooses representative frames of any number that pass by.
pub struct FrameSelector<'c> {
    creature: &'c Creature,
    settings: SelectorSettings,
    ends: Vec<BodyPoint>,
    data: Data,
    frames: Vec<Frame>,
    seen: usize,
}

struct Frame {
    pose: Vec<f64>,
    /// Bone ends with the root at the origin, m.
    places: Vec<f64>,
    count: f64,
}

impl<'c> FrameSelector<'c> {
    /// With nothing seen yet.
    pub fn new(creature: &'c Creature, settings: SelectorSettings) -> Self {
        let (ends, data) = (bone_ends(creature), Data::new(creature));
        Self { creature, settings, ends, data, frames: Vec::new(), seen: 0 }
    }

    /// How many frames were seen.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// Takes one more into account.
    pub fn add(&mut self, pose: &[f64]) -> Result<(), BasisError> {
        let name = format!("frame {}", self.seen);
        let pose =
            self.creature.checked_pose(&name, pose).map_err(|error| BasisError::Pose(error.to_string()))?;
        let rooted = at_origin(self.creature, &pose);
        let frames = forward_kinematics(self.creature, &mut self.data, &rooted);
        let place = |end: &BodyPoint| {
            let at = frames[end.body].point_in_world(end.point);
            [at.x, at.y, at.z]
        };
        let places = self.ends.iter().flat_map(place).collect();
        self.frames.push(Frame { pose, places, count: 1.0 });
        self.seen += 1;
        if self.frames.len() >= self.settings.keep.saturating_add(self.settings.fresh) {
            self.frames = representative(std::mem::take(&mut self.frames), self.settings.keep);
        }
        Ok(())
    }

    /// Takes frames into account that were kept before, with the counts of those that they stand for.
    pub fn add_kept(&mut self, kept: &PoseFrames) -> Result<(), BasisError> {
        for (pose, count) in kept.poses.iter().zip(&kept.counts) {
            let before = self.frames.len();
            self.add(pose)?;
            // Else a round has just made few of them.
            if let Some(frame) = self.frames.get_mut(before) {
                frame.count = *count;
            }
        }
        Ok(())
    }

    /// Those that stand for all.
    pub fn finish(self) -> Result<PoseFrames, BasisError> {
        let kept = representative(self.frames, self.settings.keep);
        let (poses, counts): (Vec<_>, Vec<_>) =
            kept.into_iter().map(|frame| (frame.pose, frame.count)).unzip();
        PoseFrames::new(self.creature, &poses, counts)
    }
}

/// One cell of the kd-tree, ordered by how far its frames are spread along its widest axis.
struct Cell {
    /// Σ count (x − mean)² along the axis, m².
    spread: f64,
    axis: usize,
    mean: f64,
    /// Among all frames, rising.
    members: Vec<usize>,
}

impl Cell {
    fn new(frames: &[Frame], members: Vec<usize>) -> Self {
        let axes = frames[members[0]].places.len();
        let count: f64 = members.iter().map(|&k| frames[k].count).sum();
        let (mut sums, mut squares) = (vec![0.0; axes], vec![0.0; axes]);
        // Counted from the first frame, so that squares keep their digits.
        let base = &frames[members[0]].places;
        for &k in &members {
            let Frame { places, count, .. } = &frames[k];
            for axis in 0..axes {
                let x = places[axis] - base[axis];
                sums[axis] += count * x;
                squares[axis] += count * x * x;
            }
        }
        let along = |axis: usize| squares[axis] - sums[axis] * sums[axis] / count;
        let axis = (0..axes).max_by(|a, b| along(*a).total_cmp(&along(*b))).unwrap_or(0);
        let spread = if axes == 0 { 0.0 } else { along(axis) };
        Self { spread, axis, mean: sums.get(axis).map_or(0.0, |sum| base[axis] + sum / count), members }
    }

    /// Two cells, on both sides of the mean; `None` if all frames are on one.
    fn split(&self, frames: &[Frame]) -> Option<[Self; 2]> {
        let below = |k: &usize| frames[*k].places.get(self.axis).is_some_and(|x| *x < self.mean);
        let (low, high): (Vec<usize>, Vec<usize>) = self.members.iter().copied().partition(below);
        let two = !low.is_empty() && !high.is_empty();
        two.then(|| [Self::new(frames, low), Self::new(frames, high)])
    }

    /// The frame nearest to the mean of all.
    fn middle(&self, frames: &[Frame]) -> usize {
        let axes = frames[self.members[0]].places.len();
        let mut mean = vec![0.0; axes];
        let count: f64 = self.members.iter().map(|&k| frames[k].count).sum();
        for &k in &self.members {
            let share = frames[k].count / count;
            mean.iter_mut().zip(&frames[k].places).for_each(|(sum, x)| *sum += share * x);
        }
        let far = |k: usize| mean.iter().zip(&frames[k].places).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        self.members.iter().copied().min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(self.members[0])
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.spread.total_cmp(&other.spread).then_with(|| other.members.cmp(&self.members))
    }
}

/// At most `keep` frames, in their order, with the counts of those that they stand for.
fn representative(mut frames: Vec<Frame>, keep: usize) -> Vec<Frame> {
    if frames.len() <= keep {
        return frames;
    }
    let mut cells = BinaryHeap::from([Cell::new(&frames, (0..frames.len()).collect())]);
    let mut whole = Vec::new();
    while cells.len() + whole.len() < keep {
        let Some(widest) = cells.pop() else { break };
        match widest.split(&frames) {
            Some(parts) => cells.extend(parts),
            None => whole.push(widest),
        }
    }
    let chosen =
        |cell: &Cell| (cell.middle(&frames), cell.members.iter().map(|&k| frames[k].count).sum::<f64>());
    let mut kept: Vec<(usize, f64)> = cells.iter().chain(&whole).map(chosen).collect();
    kept.sort_by_key(|(index, _)| *index);
    let mut take = |(index, count): (usize, f64)| {
        let frame = &mut frames[index];
        let (pose, places) = (std::mem::take(&mut frame.pose), std::mem::take(&mut frame.places));
        Frame { pose, places, count }
    };
    kept.into_iter().map(&mut take).collect()
}
