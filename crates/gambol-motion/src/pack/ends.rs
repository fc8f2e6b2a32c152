//! A clip as trajectories of its root and of the ends of its limbs, and a basis that says how all else goes along (Tournier and others 2009,
//! section 3).
//!
//! ```text
//! root, ends ← levels of detail that were kept                                  (pyramid)
//! y = root⁻¹ ends                                                                in the root's frame
//! xₜ = argmin |f(x) − y|² + λ |x − xₜ₋₁|²                                        (EndSolver)
//! ```
//!
//! Coordinates of poses are not stored: they are found by whoever reads it. A long clip may have several bases, one after the other; where
//! they meet, poses go over from one to the next.

use gambol_dynamics::{Data, each_axis_above, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Quat, Vec3, math};
use nalgebra::{DMatrix, DVector, Quaternion};

use super::PackError;
use super::bytes::Head;
use super::edit::{LIMB, PackEdit, move_limbs};
use super::hold::{limb_of, way_to};
use super::pyramid::refined;
use crate::basis::metric::metric_block;
use crate::posing::free_root;
use crate::{Basis, BasisSpec, Clip, Direction, Metric};

/// Keys over which one basis goes over to the next, before and after they meet: a quarter of a second of a recording altogether.
pub(crate) const CROSSING: usize = 15;

/// The longest clip, keys: half an hour of a recording. Each key is solved for.
pub(crate) const MOST_KEYS: usize = 1 << 18;

/// The most ends, and the most edits of a clip: beyond what any creature and any animator has.
pub(crate) const MOST_ENDS: usize = 64;
pub(crate) const MOST_EDITS: usize = 1024;

/// Rounds of a frame at most, and of the first one, which has none before it; two or three are usual.
const ROUNDS: usize = 12;
const FIRST_FRAMES: usize = 30;

/// Coordinates that move by less, m in the metric of positions, stay: a tenth of a millimetre is far below what levels lose.
const STILL: f64 = 1e-4;

/// What of the way in the basis a moved end's body goes, and how near, m, the end has to come for that.
const PARTS_OF_WAY: [f64; 4] = [1.0, 0.6, 0.3, 0.0];
const REACHED: f64 = 1e-4;

/// First and largest share of the diagonal that holds a round back, and by how much it grows.
const HOLD_BACK: [f64; 2] = [1e-6, 1e6];
const HARDER: f64 = 10.0;

/// A clip without its coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EndsClip {
    pub(crate) head: Head,
    pub(crate) ends: Vec<BodyPoint>,
    /// λ
    pub(crate) smooth: f64,
    /// Levels left out of the root and of the ends.
    pub(crate) left_out: [usize; 2],
    /// Samples of a free root: how it is turned, and where it is, m.
    pub(crate) turns: Vec<Quat>,
    pub(crate) places: Vec<Vec3>,
    /// Samples of each end, m of the world.
    pub(crate) tracks: Vec<Vec<Vec3>>,
    pub(crate) parts: Vec<Part>,
}

/// Keys with a basis of their own, up to the next part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) first: usize,
    /// `nq` numbers, and the root where the reference has it.
    pub(crate) mean: Vec<f64>,
    /// `nv` numbers each, and 0 for the root.
    pub(crate) directions: Vec<Vec<f64>>,
}

impl Part {
    /// From the first key on, the first directions of a basis that is kept elsewhere.
    pub(crate) fn shared(creature: &Creature, basis: &Basis, count: usize) -> Self {
        let directions = basis.flexible().iter().take(count).map(|direction| direction.shape.clone());
        Self { first: 0, mean: at_reference(creature, basis.mean()), directions: directions.collect() }
    }
}

/// A pose with its free root where the reference has it.
pub(crate) fn at_reference(creature: &Creature, pose: &[f64]) -> Vec<f64> {
    let mut pose = pose.to_vec();
    if let Some(root) = free_root(creature) {
        pose[root.q..root.q + 7].copy_from_slice(&creature.reference_pose()[root.q..root.q + 7]);
    }
    pose
}

/// All poses of it, with its edits.
pub(crate) fn poses(creature: &Creature, clip: &EndsClip) -> Result<Vec<Vec<f64>>, PackError> {
    let mut poses = followed(creature, clip, &clip.head.edits)?;
    let (of_ends, others): (Vec<&PackEdit>, Vec<&PackEdit>) =
        clip.head.edits.iter().partition(|edit| clip.ends.contains(&edit.point));
    if !of_ends.is_empty() {
        let plain = followed(creature, clip, &[])?;
        for edit in &of_ends {
            meet(creature, &clip.head.times, &plain, &mut poses, edit, &of_ends);
        }
    }
    // What has no trajectory is moved by its limb alone.
    move_limbs(creature, &clip.head.times, &mut poses, others.into_iter());
    if poses.len() != clip.head.times.len() || poses.iter().flatten().any(|x| !x.is_finite()) {
        return Err(PackError::Damaged("its poses are none"));
    }
    let times = clip.head.times.clone();
    let mut clip =
        Clip { name: String::new(), times, poses, stride: None, contacts: Vec::new(), travel: None };
    clip.align_signs(creature);
    Ok(clip.poses)
}

/// All poses, whose ends follow their trajectories as far as the basis goes.
fn followed(creature: &Creature, clip: &EndsClip, edits: &[PackEdit]) -> Result<Vec<Vec<f64>>, PackError> {
    let count = clip.head.times.len();
    let turns = refined(&clip.turns, count, clip.left_out[0]);
    let places = refined(&clip.places, count, clip.left_out[0]);
    let targets = targets(clip, &turns, &places, edits);
    let mut poses: Vec<Vec<f64>> = Vec::with_capacity(count);
    for (index, part) in clip.parts.iter().enumerate() {
        let next = clip.parts.get(index + 1).map_or(count, |next| (next.first + CROSSING).min(count));
        let from = if index == 0 { 0 } else { part.first.saturating_sub(CROSSING) };
        let mut solver = EndSolver::new(creature, part, &clip.ends, clip.smooth)?;
        for (key, target) in targets.iter().enumerate().take(next).skip(from) {
            let pose = solver.solve(target);
            match poses.get_mut(key) {
                Some(before) => cross(creature, before, &pose, key + CROSSING - part.first),
                None => poses.push(pose),
            }
        }
    }
    if let Some(root) = free_root(creature) {
        for (pose, (turn, place)) in poses.iter_mut().zip(turns.iter().zip(&places)) {
            pose[root.q..root.q + 3].copy_from_slice(place.as_slice());
            pose[root.q + 3..root.q + 7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        }
    }
    Ok(poses)
}

/// Brings an end that was moved all the way, by the joints of its limb: a few directions go only so far. Where the basis takes the rest of the
/// body so that the limb cannot reach, the body goes only a part of the way there.
fn meet(
    creature: &Creature,
    times: &[f64],
    plain: &[Vec<f64>],
    poses: &mut [Vec<f64>],
    edit: &PackEdit,
    all: &[&PackEdit],
) {
    let limb = limb_of(creature, edit.point.body, LIMB);
    if limb.is_empty() {
        return;
    }
    let moved: Vec<usize> = (0..times.len()).filter(|key| edit.at(times[*key]) != Vec3::zeros()).collect();
    let mut data = Data::new(creature);
    let mut best: Option<(f64, Vec<Vec<f64>>)> = None;
    for share in PARTS_OF_WAY {
        let mut found = Vec::with_capacity(moved.len());
        let mut worst = 0.0_f64;
        for &key in &moved {
            let same = all.iter().filter(|other| other.point == edit.point);
            let offset: Vec3 = same.map(|other| other.at(times[key])).sum();
            let mut place = |pose: &[f64]| {
                forward_kinematics(creature, &mut data, pose)[edit.point.body]
                    .point_in_world(edit.point.point)
            };
            let wanted = place(&plain[key]) + offset;
            let mut pose = plain[key].clone();
            let mut way = vec![0.0; creature.nv()];
            creature.difference(&plain[key], &poses[key], &mut way);
            creature.integrate(&mut pose, &way, share);
            let by_limb = way_to(creature, &mut data, &pose, edit.point, wanted, &limb);
            way.fill(0.0);
            limb.iter().zip(&by_limb).for_each(|(dof, x)| way[*dof] = *x);
            creature.integrate(&mut pose, &way, 1.0);
            let there = forward_kinematics(creature, &mut data, &pose)[edit.point.body]
                .point_in_world(edit.point.point);
            worst = worst.max((there - wanted).norm());
            found.push(pose);
        }
        if best.as_ref().is_none_or(|(least, _)| worst < *least) {
            best = Some((worst, found));
        }
        if worst < REACHED {
            break;
        }
    }
    for (key, pose) in moved.into_iter().zip(best.map_or_else(Vec::new, |(_, found)| found)) {
        poses[key] = pose;
    }
}

/// Per key, where the ends are in the root's frame, with edits.
fn targets(clip: &EndsClip, turns: &[Quat], places: &[Vec3], edits: &[PackEdit]) -> Vec<Vec<Vec3>> {
    let count = clip.head.times.len();
    let tracks: Vec<Vec<Vec3>> =
        clip.tracks.iter().map(|track| refined(track, count, clip.left_out[1])).collect();
    let target = |key: usize, time: f64, end: usize| {
        let edits = edits.iter().filter(|edit| edit.point == clip.ends[end]);
        let place = tracks[end][key] + edits.map(|edit| edit.at(time)).sum::<Vec3>();
        match (turns.get(key), places.get(key)) {
            (Some(turn), Some(root)) => turn.inverse() * (place - root),
            _ => place,
        }
    };
    let of_key =
        |(key, time): (usize, &f64)| (0..clip.ends.len()).map(|end| target(key, *time, end)).collect();
    clip.head.times.iter().enumerate().map(of_key).collect()
}

/// Takes a pose a part of the way to that of the next part: by a smooth step over twice the keys of a crossing.
fn cross(creature: &Creature, pose: &mut [f64], next: &[f64], key: usize) {
    let share = (key as f64 + 0.5) / (2 * CROSSING) as f64;
    let smooth = 0.5 - 0.5 * math::cos(std::f64::consts::PI * share.clamp(0.0, 1.0));
    let mut way = vec![0.0; creature.nv()];
    creature.difference(pose, next, &mut way);
    creature.integrate(pose, &way, smooth);
}

/// Poses of a basis whose ends are where they should be, each near the one before.
struct EndSolver<'c> {
    creature: &'c Creature,
    /// With directions of length 1 in the metric of positions.
    basis: Basis,
    ends: &'c [BodyPoint],
    smooth: f64,
    data: Data,
    x: DVector<f64>,
    is_first: bool,
}

impl<'c> EndSolver<'c> {
    fn new(
        creature: &'c Creature,
        part: &Part,
        ends: &'c [BodyPoint],
        smooth: f64,
    ) -> Result<Self, PackError> {
        let all: Vec<usize> = (0..creature.nv()).collect();
        let mut mean = part.mean.clone();
        if let Some(root) = free_root(creature) {
            mean[root.q..root.q + 7].copy_from_slice(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        }
        let metric = Metric::position(creature);
        let weight = metric_block(creature, &metric, &mean, &all);
        let unit = |shape: &Vec<f64>| {
            let shape = DVector::from_column_slice(shape);
            let length = shape.dot(&(&weight * &shape)).sqrt();
            // What moves nothing is left as it is.
            let scale = if length > 1e-9 { 1.0 / length } else { 1.0 };
            Direction::new((shape * scale).as_slice().to_vec())
        };
        let directions: Vec<Direction> = part.directions.iter().map(unit).collect();
        let x = DVector::zeros(directions.len());
        let basis = Basis::new(creature, BasisSpec::new(mean, metric, directions))?;
        Ok(Self { creature, basis, ends, smooth, data: Data::new(creature), x, is_first: true })
    }

    /// The pose, with its root at the origin.
    fn solve(&mut self, targets: &[Vec3]) -> Vec<f64> {
        // A first frame has none before it that it has to be near to.
        let frames = if std::mem::take(&mut self.is_first) { FIRST_FRAMES } else { 1 };
        for _ in 0..frames {
            let before = self.x.clone();
            self.step_to(targets, &before);
            if (&self.x - before).amax() < STILL {
                break;
            }
        }
        self.pose(&self.x)
    }

    fn pose(&self, x: &DVector<f64>) -> Vec<f64> {
        let mut pose = self.basis.mean().to_vec();
        self.creature.integrate(&mut pose, &self.tangent(x), 1.0);
        pose
    }

    fn tangent(&self, x: &DVector<f64>) -> Vec<f64> {
        let mut tangent = vec![0.0; self.creature.nv()];
        for (x, direction) in x.iter().zip(self.basis.directions()) {
            tangent.iter_mut().zip(&direction.shape).for_each(|(sum, u)| *sum += x * u);
        }
        tangent
    }

    /// |f(x) − y|² + λ |x − before|²; leaves the frames of the pose in `data`.
    fn energy(&mut self, x: &DVector<f64>, targets: &[Vec3], before: &DVector<f64>) -> f64 {
        let pose = self.pose(x);
        let frames = forward_kinematics(self.creature, &mut self.data, &pose);
        let apart = |(end, target): (&BodyPoint, &Vec3)| {
            (target - frames[end.body].point_in_world(end.point)).norm_squared()
        };
        self.ends.iter().zip(targets).map(apart).sum::<f64>() + self.smooth * (x - before).norm_squared()
    }

    /// Levenberg's and Marquardt's method for one frame.
    fn step_to(&mut self, targets: &[Vec3], before: &DVector<f64>) {
        let mut energy = self.energy(&self.x.clone(), targets, before);
        for _ in 0..ROUNDS {
            let (system, force) = self.linearised(targets, before);
            let mut hold_back = HOLD_BACK[0];
            let step = loop {
                let mut held = system.clone();
                (0..held.nrows())
                    .for_each(|k| held[(k, k)] = held[(k, k)] * (1.0 + hold_back) + f64::MIN_POSITIVE);
                let next = held.cholesky().map(|factor| &self.x + factor.solve(&force));
                if let Some(next) = next {
                    let lower = self.energy(&next, targets, before);
                    if lower < energy {
                        let step = (&next - &self.x).amax();
                        (self.x, energy) = (next, lower);
                        break step;
                    }
                }
                hold_back *= HARDER;
                if hold_back > HOLD_BACK[1] {
                    break 0.0;
                }
            };
            if step < STILL {
                break;
            }
        }
    }

    /// Jᵀ J + λ and Jᵀ (y − f) − λ (x − before), at the frames in `data`.
    fn linearised(&self, targets: &[Vec3], before: &DVector<f64>) -> (DMatrix<f64>, DVector<f64>) {
        let count = self.x.len();
        let velocities = self.basis.velocities(self.creature, &self.tangent(&self.x));
        let mut jacobian = DMatrix::zeros(3 * self.ends.len(), count);
        let mut missing = DVector::zeros(3 * self.ends.len());
        for (index, (end, target)) in self.ends.iter().zip(targets).enumerate() {
            let there = self.data.frames[end.body].point_in_world(end.point);
            missing.fixed_rows_mut::<3>(3 * index).copy_from(&(target - there));
            let mut rows = jacobian.rows_mut(3 * index, 3);
            each_axis_above(self.creature, &self.data, end.body, |dof, angular, linear, origin| {
                let way = linear + angular.cross(&(there - origin));
                for (k, mut column) in rows.column_iter_mut().enumerate() {
                    column += way * velocities[(dof, k)];
                }
            });
        }
        let mut system = jacobian.tr_mul(&jacobian);
        (0..count).for_each(|k| system[(k, k)] += self.smooth);
        let force = jacobian.tr_mul(&missing) - (&self.x - before) * self.smooth;
        (system, force)
    }
}

/// A root's turn in a pose.
pub(crate) fn root_turn(q: &[f64]) -> Quat {
    Quat::new_normalize(Quaternion::new(q[0], q[1], q[2], q[3]))
}
