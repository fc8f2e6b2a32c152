//! What recorded poses with handles near the wanted ones have in common.
//!
//! ```text
//! w = count · exp(−½ d² / (d₀² + s d̄²))    how near a frame is: d² of its handles, d₀² the least and d̄² the mean of all frames
//! p̂ = p̄ + C_ph (C_hh + ε²)⁻¹ (t − h̄)      where its bone ends are, by regression on the handles among these
//! σ² = diag(C_pp − C_ph (C_hh + ε²)⁻¹ C_hp)   and how sure that is
//! ```
//!
//! Frames are compared in places, not in angles: the angles of recordings have turns about a bone's own axis in them that nobody sees. A
//! pose is then fitted to these places ([`super::fit`]), with what is left to the angles from the nearest frames. A frame counts as its
//! mirror image too. With a given root everything is in its frame; else each frame is turned about the vertical and shifted to where its
//! handles fit best, and keeps the tilt that its root was recorded with.

use gambol_dynamics::{Data, Goal, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Mat3, Quat, Vec3, math};
use nalgebra::{DMatrix, DVector, Quaternion, Rotation3};

use super::fit::{PoseWish, fit_pose};
use super::mirror::{Mirror, at_origin};
use super::{PoseFrames, Posed, RootMotion, bone_ends, free_root};
use crate::basis::eigen;
use crate::{BasisError, shell};

/// s: where a frame has the very handles, those within this share of the mean squared distance are near. Poses unlike all that was
/// recorded are far from each frame, and hear more of them. From 0.01 to 0.03 recordings of people are reconstructed alike.
const NEAR: f64 = 0.02;

/// Frames farther by more than this many widths of the bell weigh less than a hundredth of the nearest, and are left out.
const SLIGHT: f64 = 4.6;

/// ε and the least σ, as a share of the shell that stands for a body's flesh: 1 cm of a person.
const BLUR: f64 = 1.0 / 3.0;

/// What bone ends do is kept in as many principal components as leave this share of it.
const LEFT: f64 = 1e-3;

/// So many of the nearest frames say what angles are likely, and the farthest of them weighs e to the power of minus this.
const ANGLE_FRAMES: usize = 50;
const ANGLE_FALL: f64 = 3.0;

/// The least standard deviation of an angle, rad.
const ANGLE_BLUR: f64 = 0.03;

/// Frames with their handles and bone ends in place.
pub(super) struct Neighbours<'p> {
    creature: &'p Creature,
    frames: &'p PoseFrames,
    ends: Vec<BodyPoint>,
    placed: Vec<Placed>,
    /// Of all frames.
    counts: f64,
    components: Components,
    /// m
    blur: f64,
}

/// What bone ends do in the root's frame, in a few coordinates: p = centre + axes · c.
struct Components {
    centre: DVector<f64>,
    axes: DMatrix<f64>,
    /// A column for each placed frame.
    coordinates: DMatrix<f64>,
    /// The variance of each number that is left out, m².
    left: DVector<f64>,
}

/// A frame or its mirror image, in the frame of its root.
struct Placed {
    /// Its number, if it is no mirror image.
    frame: Option<usize>,
    count: f64,
    /// How its root was turned in the recording.
    root: Mat3,
    handles: Vec<Vec3>,
    ends: Vec<Vec3>,
}

/// A placed frame where its handles are to be compared.
struct Near<'n> {
    /// Among all that were placed.
    index: usize,
    placed: &'n Placed,
    /// Σ of squared distances of handles, m².
    far: f64,
    put: Put,
    /// All sum up to 1.
    weight: f64,
}

/// A rigid motion.
#[derive(Clone, Copy)]
struct Put {
    turn: Mat3,
    shift: Vec3,
}

impl Put {
    const STAY: Self = Self {
        turn: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        shift: Vec3::new(0.0, 0.0, 0.0),
    };

    fn of(&self, point: Vec3) -> Vec3 {
        self.turn * point + self.shift
    }

    fn back(&self, point: Vec3) -> Vec3 {
        self.turn.tr_mul(&(point - self.shift))
    }
}

impl<'p> Neighbours<'p> {
    pub(super) fn new(
        creature: &'p Creature,
        frames: &'p PoseFrames,
        handles: &[BodyPoint],
    ) -> Result<Self, BasisError> {
        let found = frames.poses().first().map_or(0, Vec::len);
        if found != creature.nq() {
            return Err(BasisError::Pose(format!(
                "poses of {found} numbers are none of {}",
                creature.name()
            )));
        }
        let mut data = Data::new(creature);
        let ends = bone_ends(creature);
        let mirror = Mirror::of(creature, &mut data);
        let seen: Vec<BodyPoint> =
            mirror.iter().flat_map(|mirror| handles.iter().map(|at| mirror.point(*at))).collect();
        let mut placed = Vec::new();
        for (frame, (pose, &count)) in frames.poses().iter().zip(frames.counts()).enumerate() {
            let root = root_put(creature, pose).turn;
            let at = forward_kinematics(creature, &mut data, &at_origin(creature, pose));
            let places = |points: &[BodyPoint]| -> Vec<Vec3> {
                points.iter().map(|point| at[point.body].point_in_world(point.point)).collect()
            };
            let own =
                Placed { frame: Some(frame), count, root, handles: places(handles), ends: places(&ends) };
            if let Some(mirror) = &mirror {
                placed.push(own.mirrored(mirror, &places(&seen)));
            }
            placed.push(own);
        }
        let components = Components::of(&placed).ok_or(BasisError::Decomposition)?;
        let counts = placed.iter().map(|placed| placed.count).sum();
        Ok(Self { creature, frames, ends, placed, counts, components, blur: BLUR * shell(creature) })
    }

    pub(super) fn pose(&self, data: &mut Data, at: &[f64], goals: &[Goal], root: RootMotion) -> Posed {
        let world_from_root = root_put(self.creature, at);
        let (put, targets): (Put, Vec<Vec3>) = match root {
            RootMotion::Given => {
                (world_from_root, goals.iter().map(|goal| world_from_root.back(goal.target)).collect())
            }
            RootMotion::Free => (Put::STAY, goals.iter().map(|goal| goal.target).collect()),
        };
        let near = self.near(&targets, root);
        let (mut places, variances) = match root {
            RootMotion::Given => self.expected(&near, &targets),
            RootMotion::Free => self.expected_where_put(&near, &targets),
        };
        for place in &mut places {
            *place = put.of(*place);
        }
        let (mut anchor, angle_variances) = self.angles(&near);
        if let (Some(joint), Some(nearest)) =
            (free_root(self.creature), near.iter().min_by(|a, b| a.far.total_cmp(&b.far)))
        {
            let there = if root == RootMotion::Given { put } else { nearest.put };
            write_put(&there, &mut anchor[joint.q..joint.q + 7]);
        }
        let wish = PoseWish {
            ends: &self.ends,
            places: &places,
            variances: &variances,
            goals,
            start: &anchor,
            anchor: &anchor,
            angle_variances: &angle_variances,
            root,
            handle_blur: 1e-2 * self.blur,
            past_limits: None,
        };
        fit_pose(self.creature, data, &wish)
    }

    /// Frames that are near, in no order, with their weights.
    fn near<'s>(&'s self, targets: &[Vec3], root: RootMotion) -> Vec<Near<'s>> {
        let put = |placed: &Placed| if root == RootMotion::Given { Put::STAY } else { placed.over(targets) };
        let far = |placed: &Placed| {
            let put = put(placed);
            let apart = |(point, target): (&Vec3, &Vec3)| (put.of(*point) - target).norm_squared();
            placed.handles.iter().zip(targets).map(apart).sum::<f64>()
        };
        let fars: Vec<f64> = self.placed.iter().map(far).collect();
        let nearest = fars.iter().copied().fold(f64::INFINITY, f64::min);
        let sum = self.placed.iter().zip(&fars).map(|(placed, far)| placed.count * far).sum::<f64>();
        let width = (2.0 * (nearest + NEAR * sum / self.counts)).max(f64::MIN_POSITIVE);
        // At least one that was recorded is among them, for its angles.
        let own = self.placed.iter().zip(&fars).filter(|(placed, _)| placed.frame.is_some());
        let nearest_own = own.map(|(_, far)| *far).fold(f64::INFINITY, f64::min);
        let limit = nearest_own.max(nearest + SLIGHT * width);
        let near = |index: usize| {
            let (placed, far) = (&self.placed[index], fars[index]);
            let weight = placed.count * math::exp(-(far - nearest) / width);
            Near { index, placed, far, put: put(placed), weight }
        };
        let mut some: Vec<Near> = (0..fars.len()).filter(|k| fars[*k] <= limit).map(near).collect();
        let sum: f64 = some.iter().map(|near| near.weight).sum();
        for near in &mut some {
            near.weight /= sum;
        }
        some
    }

    /// Where bone ends are in the root's frame, given the handles there, and the variance of that.
    fn expected(&self, near: &[Near], targets: &[Vec3]) -> (Vec<Vec3>, Vec<f64>) {
        let Components { centre, axes, coordinates, left } = &self.components;
        let (handles, handle_mean) = centred(near, targets.len(), |placed| &placed.handles);
        let mut ends = DMatrix::zeros(coordinates.nrows(), near.len());
        let mut mean = DVector::zeros(coordinates.nrows());
        for near in near {
            mean.axpy(near.weight, &coordinates.column(near.index), 1.0);
        }
        for (near, mut column) in near.iter().zip(ends.column_iter_mut()) {
            column.copy_from(&coordinates.column(near.index));
            column -= &mean;
            column *= near.weight.sqrt();
        }
        let (c_ch, gain) = self.regression(&handles, &ends);
        let missing =
            DVector::from_iterator(3 * targets.len(), targets.iter().flatten_places()) - handle_mean;
        let places = centre + axes * (mean + gain.tr_mul(&missing));
        let unsure = &ends * ends.transpose() - c_ch * gain;
        let spread = axes * unsure;
        let variance = |end: usize| {
            let of = |row: usize| spread.row(row).dot(&axes.row(row)).max(0.0) + left[row];
            (3 * end..3 * end + 3).map(of).sum::<f64>() / 3.0 + self.blur * self.blur
        };
        let place = |end: usize| Vec3::new(places[3 * end], places[3 * end + 1], places[3 * end + 2]);
        ((0..self.ends.len()).map(place).collect(), (0..self.ends.len()).map(variance).collect())
    }

    /// C_ph and (C_hh + ε²)⁻¹ C_hp, of columns about their means.
    fn regression(&self, handles: &DMatrix<f64>, ends: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
        let mut c_hh = handles * handles.transpose();
        for k in 0..c_hh.nrows() {
            c_hh[(k, k)] += self.blur * self.blur;
        }
        let c_ph = ends * handles.transpose();
        // ε² on the diagonal makes it positive definite, whatever the frames are.
        let gain = c_hh.cholesky().map_or_else(
            || DMatrix::zeros(c_ph.ncols(), c_ph.nrows()),
            |factor| factor.solve(&c_ph.transpose()),
        );
        (c_ph, gain)
    }

    /// The same where each frame was put to its handles.
    fn expected_where_put(&self, near: &[Near], targets: &[Vec3]) -> (Vec<Vec3>, Vec<f64>) {
        let (handles, handle_mean) = centred(near, targets.len(), |placed| &placed.handles);
        let (ends, end_mean) = centred(near, self.ends.len(), |placed| &placed.ends);
        let (c_ph, gain) = self.regression(&handles, &ends);
        let missing =
            DVector::from_iterator(3 * targets.len(), targets.iter().flatten_places()) - handle_mean;
        let places = end_mean + gain.tr_mul(&missing);
        let mut squares = DVector::<f64>::zeros(ends.nrows());
        for column in ends.column_iter() {
            squares += column.component_mul(&column);
        }
        let variance = |end: usize| {
            let left = |row: usize| squares[row] - c_ph.row(row).transpose().dot(&gain.column(row));
            (3 * end..3 * end + 3).map(left).sum::<f64>().max(0.0) / 3.0 + self.blur * self.blur
        };
        let place = |end: usize| Vec3::new(places[3 * end], places[3 * end + 1], places[3 * end + 2]);
        ((0..self.ends.len()).map(place).collect(), (0..self.ends.len()).map(variance).collect())
    }

    /// The mean angles of the nearest frames, and their variances.
    fn angles(&self, near: &[Near]) -> (Vec<f64>, Vec<f64>) {
        let creature = self.creature;
        let own = near.iter().filter_map(|near| Some((near.far, near.placed.frame?)));
        let mut own: Vec<(f64, usize)> = own.collect();
        own.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        own.truncate(ANGLE_FRAMES);
        let last = own.last().map_or(0.0, |(far, _)| *far).max(f64::MIN_POSITIVE);
        let weights: Vec<f64> = own
            .iter()
            .map(|(far, frame)| self.frames.counts()[*frame] * math::exp(-ANGLE_FALL * far / last))
            .collect();
        let sum: f64 = weights.iter().sum();
        let mut mean = own.first().map_or_else(
            || creature.reference_pose().to_vec(),
            |(_, frame)| self.frames.poses()[*frame].clone(),
        );
        let (mut delta, mut step) = (vec![0.0; creature.nv()], vec![0.0; creature.nv()]);
        for (weight, (_, frame)) in weights.iter().zip(&own) {
            creature.difference(&mean, &self.frames.poses()[*frame], &mut delta);
            step.iter_mut().zip(&delta).for_each(|(step, x)| *step += weight / sum * x);
        }
        creature.integrate(&mut mean, &step, 1.0);
        let mut variances = vec![ANGLE_BLUR * ANGLE_BLUR; creature.nv()];
        for (weight, (_, frame)) in weights.iter().zip(&own) {
            creature.difference(&mean, &self.frames.poses()[*frame], &mut delta);
            variances.iter_mut().zip(&delta).for_each(|(spread, x)| *spread += weight / sum * x * x);
        }
        (mean, variances)
    }
}

impl Components {
    /// `None` where numbers are too large to be squared.
    fn of(placed: &[Placed]) -> Option<Self> {
        let rows = 3 * placed.first().map_or(0, |placed| placed.ends.len());
        let counts: f64 = placed.iter().map(|placed| placed.count).sum();
        let mut all = DMatrix::zeros(rows, placed.len());
        for (placed, mut column) in placed.iter().zip(all.column_iter_mut()) {
            column.iter_mut().zip(placed.ends.iter().flatten_places()).for_each(|(to, from)| *to = from);
        }
        let shares = DVector::from_iterator(placed.len(), placed.iter().map(|placed| placed.count / counts));
        let centre = &all * &shares;
        all.column_iter_mut().for_each(|mut column| column -= &centre);
        let mut weighted = all.clone();
        weighted.column_iter_mut().zip(&shares).for_each(|(mut column, share)| column *= *share);
        let found = eigen(&(weighted * all.transpose()))?;
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by(|a, b| found.eigenvalues[*b].total_cmp(&found.eigenvalues[*a]));
        let whole: f64 = found.eigenvalues.iter().map(|x| x.max(0.0)).sum();
        let mut rest = whole;
        let kept = order.iter().take_while(|k| {
            let more = rest > LEFT * whole;
            rest -= found.eigenvalues[**k].max(0.0);
            more
        });
        let axes: Vec<DVector<f64>> = kept.map(|k| found.eigenvectors.column(*k).into_owned()).collect();
        let axes = if axes.is_empty() { DMatrix::zeros(rows, 0) } else { DMatrix::from_columns(&axes) };
        let coordinates = axes.tr_mul(&all);
        let apart = all - &axes * &coordinates;
        let left = DVector::from_fn(rows, |row, _| {
            apart.row(row).iter().zip(&shares).map(|(x, share)| share * x * x).sum()
        });
        Some(Self { centre, axes, coordinates, left })
    }
}

impl Placed {
    /// Its mirror image, given where the mirrored handles are.
    fn mirrored(&self, mirror: &Mirror, seen: &[Vec3]) -> Self {
        let other_end = |body: usize| mirror.flip(self.ends[mirror.twin(body) - 1]);
        // Across the plane of x and z of the world; which vertical plane it is, the turn over the targets makes up for.
        let across = Mat3::from_diagonal(&Vec3::new(1.0, -1.0, 1.0));
        let flipped = Mat3::from_columns(&[Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| mirror.flip(axis)));
        Self {
            frame: None,
            count: self.count,
            root: across * self.root * flipped,
            handles: seen.iter().map(|at| mirror.flip(*at)).collect(),
            ends: (1..=self.ends.len()).map(other_end).collect(),
        }
    }

    /// The turn about the vertical and the shift that bring the handles nearest to `targets`, after the root's own turn.
    fn over(&self, targets: &[Vec3]) -> Put {
        let count = targets.len().max(1) as f64;
        let points: Vec<Vec3> = self.handles.iter().map(|at| self.root * at).collect();
        let [from, to] = [points.iter().sum::<Vec3>() / count, targets.iter().sum::<Vec3>() / count];
        let (mut along, mut across) = (0.0, 0.0);
        for (point, target) in points.iter().zip(targets) {
            let (a, b) = (point - from, target - to);
            along += a.x * b.x + a.y * b.y;
            across += a.x * b.y - a.y * b.x;
        }
        let yaw = if across == 0.0 && along == 0.0 { 0.0 } else { math::atan2(across, along) };
        let yaw = Quat::from_axis_angle(&Vec3::z_axis(), yaw).to_rotation_matrix().into_inner();
        Put { turn: yaw * self.root, shift: to - yaw * from }
    }
}

/// Places of points as columns about their weighted mean, times the roots of the weights; and the mean.
fn centred(near: &[Near], points: usize, of: impl Fn(&Placed) -> &Vec<Vec3>) -> (DMatrix<f64>, DVector<f64>) {
    let mut columns = DMatrix::zeros(3 * points, near.len());
    let mut mean = DVector::zeros(3 * points);
    for (near, mut column) in near.iter().zip(columns.column_iter_mut()) {
        for (k, point) in of(near.placed).iter().enumerate() {
            column.fixed_rows_mut::<3>(3 * k).copy_from(&near.put.of(*point));
        }
        mean.axpy(near.weight, &column, 1.0);
    }
    for (near, mut column) in near.iter().zip(columns.column_iter_mut()) {
        column -= &mean;
        column *= near.weight.sqrt();
    }
    (columns, mean)
}

/// x, y and z of points, one after the other.
trait FlattenPlaces {
    fn flatten_places(self) -> impl Iterator<Item = f64>;
}

impl<'v, I: Iterator<Item = &'v Vec3>> FlattenPlaces for I {
    fn flatten_places(self) -> impl Iterator<Item = f64> {
        self.flat_map(|point| [point.x, point.y, point.z])
    }
}

/// From the root's frame to the world; nothing for a creature that is fixed to it.
fn root_put(creature: &Creature, pose: &[f64]) -> Put {
    let Some(root) = free_root(creature) else { return Put::STAY };
    let q = &pose[root.q..root.q + 7];
    let turn = Quat::new_normalize(Quaternion::new(q[3], q[4], q[5], q[6]));
    Put { turn: turn.to_rotation_matrix().into_inner(), shift: Vec3::new(q[0], q[1], q[2]) }
}

fn write_put(put: &Put, q: &mut [f64]) {
    let turn = Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(put.turn));
    q[..3].copy_from_slice(put.shift.as_slice());
    q[3..].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
}
