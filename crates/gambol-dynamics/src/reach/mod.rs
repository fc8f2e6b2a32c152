//! Inverse kinematics: points of a creature go where they are pulled, and it gives way as cheaply as it can.
//!
//! ```text
//! minimise ½ xᵀ K x   with   f(pose(x)) = target,   closed loops closed,   joints within their limits
//! ```
//!
//! What the coordinates x are, a [`ReachSpace`] says. In the elastic metric they are those of the joints, and K are their springs
//! ([`reach`]); in a basis they are those of its directions, and K = 1/σ² is what a pose costs there. All springs and all
//! vibrations are the same space in other words.
//!
//! What is out of reach is missed as little as possible: the goals are springs too, a million times as stiff as what is
//! behind them. So it is a problem of least squares, E = ½ xᵀ K x + ½ |target − f|² / s, and solved as one by the method
//! of Levenberg and Marquardt. What is far away pulls no harder than what is near (Huber's loss): else the turns of the
//! limb, which that method does not see, would outweigh all else. A joint on its limit stays there while it is drawn against it, and
//! leaves the work to the others.

mod springs;

use gambol_model::{BodyPoint, Creature, Vec3};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

pub use springs::SpringSpace;

use crate::{
    Data, constraint_jacobian, constraint_residual, constraint_rows, forward_kinematics, point_jacobian,
};

/// A point and where it shall be.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Goal {
    /// On the creature.
    #[serde(flatten)]
    pub point: BodyPoint,
    /// In the world, m.
    pub target: Vec3,
}

/// What holds the creature while it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Its root stays where it is.
    Root,
    /// Nothing: the root goes along with less effort than any joint. Goals hold what shall stay.
    Goals,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reached {
    /// `nq` numbers.
    pub pose: Vec<f64>,
    /// Largest distance of a point from its target, m.
    pub miss: f64,
    /// The coordinates of the pose, in the space that it was looked for in.
    pub coordinates: Vec<f64>,
}

/// Iterations; a leg that bends by a radian takes about fifteen.
const MOST: usize = 200;

/// Nothing moves any more, rad or m.
const STILL: f64 = 1e-9;

/// Largest step of one iteration, rad: beyond, the linear picture does not hold.
const STRIDE: f64 = 0.3;

/// Compliance of the goals as a share of the mean compliance of what they move: a point within reach is missed by that
/// share of its way.
const SOFT: f64 = 1e-6;

/// A goal pulls harder with its distance up to this share of the creature's size, and no more beyond.
const NEAR: f64 = 0.1;

/// Least, first and largest multiple of K that holds an iteration back, and the factors by which it goes up and down. The
/// goals are a million times as stiff as K: the first hardly holds them back, the least not even the joints.
const HOLD_BACK: [f64; 3] = [1e-3, 1e3, 1e14];
const HARDER: f64 = 8.0;
const SOFTER: f64 = 4.0;

/// Softness of a stop as a share of what its joint gives way by: enough for two stops that say the same, and a millionth of that of
/// the goals that pull at it.
const STOP: f64 = 1e-12;

/// Poses of a creature by coordinates, in which [`reach_in`] looks for one. At 0 is where it begins.
pub trait ReachSpace {
    /// How many coordinates there are.
    fn dimension(&self) -> usize;

    /// Per coordinate, what it gives way by: the inverse of its stiffness K. What has 0 stays. `size` is the creature's, m.
    fn compliance(&self, size: f64) -> DVector<f64>;

    /// `nq` numbers.
    fn pose(&self, x: &DVector<f64>) -> Vec<f64>;

    /// Derivatives by the coordinates, of what has these derivatives by the velocity coordinates at the pose.
    fn derivatives(&self, x: &DVector<f64>, by_velocity: DMatrix<f64>) -> DMatrix<f64>;

    /// How far a step goes, rad or m of the joint that goes farthest.
    fn length(&self, step: &DVector<f64>) -> f64;

    /// Joints that are on a limit.
    fn stops(&self, x: &DVector<f64>) -> Vec<Stop>;

    /// Draws `to` back, on the way from `from`, to where joints are within their limits.
    fn confine(&self, from: &DVector<f64>, to: &mut DVector<f64>);

    /// Puts joints that are still past a limit within it, at the end.
    fn settle(&self, _x: &mut DVector<f64>) {}
}

/// A joint on a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// How its angle goes with the coordinates.
    pub row: DVector<f64>,
    /// How far it is to the limit, rad or m: below 0 if it is past an upper one, above if it is past a lower one.
    pub gap: f64,
    /// Which of the two.
    pub end: StopEnd,
}

/// Which limit of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopEnd {
    /// It may turn no further back.
    Low,
    /// It may turn no further.
    High,
}

/// Draws the points of `goals` to their targets, starting from `pose`; joints give way as their springs would. Bodies of
/// goals must be bodies of the creature.
pub fn reach(creature: &Creature, data: &mut Data, pose: &[f64], goals: &[Goal], hold: Hold) -> Reached {
    reach_in(creature, data, &SpringSpace { creature, from: pose, hold, power: 1.0 }, goals)
}

/// Draws the points of `goals` to their targets within a space of poses. Bodies of goals must be bodies of the creature.
pub fn reach_in(creature: &Creature, data: &mut Data, space: &impl ReachSpace, goals: &[Goal]) -> Reached {
    let size = size(creature, data, space);
    let compliance = space.compliance(size);
    let mut pull = Pull { creature, data, space, goals, near: NEAR * size };
    let mut hold_back = HOLD_BACK[1];
    let mut now = pull.look(DVector::zeros(space.dimension()));
    let weighted = &now.rows * DMatrix::from_diagonal(&compliance);
    let soft = SOFT * (weighted.dot(&now.rows) / now.rows.nrows().max(1) as f64).max(f64::MIN_POSITIVE);
    for _ in 0..MOST {
        let metric = HeldBack { compliance: &compliance, soft, hold_back };
        let Some(mut x) = now.next(&metric, space.stops(&now.x)) else { break };
        if space.length(&(&x - &now.x)) > STRIDE {
            hold_back *= HARDER;
            continue;
        }
        space.confine(&now.x, &mut x);
        let moved = space.length(&(&x - &now.x));
        let next = pull.look(x);
        // Not `>`, so that what is not a number counts as worse.
        if next.energy(&compliance, soft) < now.energy(&compliance, soft) {
            now = next;
            hold_back = (hold_back / SOFTER).max(HOLD_BACK[0]);
        } else {
            hold_back *= HARDER;
        }
        if moved < STILL || hold_back > HOLD_BACK[2] {
            break;
        }
    }
    let mut x = now.x.clone();
    space.settle(&mut x);
    if x != now.x {
        now = pull.look(x);
    }
    Reached { pose: now.pose, miss: now.miss, coordinates: now.x.as_slice().to_vec() }
}

/// What is asked.
struct Pull<'p, S> {
    creature: &'p Creature,
    data: &'p mut Data,
    space: &'p S,
    goals: &'p [Goal],
    /// A goal pulls no harder from beyond, m.
    near: f64,
}

impl<S: ReachSpace> Pull<'_, S> {
    /// What is missing at the coordinates `x`.
    fn look(&mut self, x: DVector<f64>) -> Try {
        let Self { creature, data, goals, near, .. } = self;
        let pose = self.space.pose(&x);
        let (nv, loops) = (creature.nv(), constraint_rows(creature.constraints()));
        let mut rows = DMatrix::zeros(3 * goals.len() + loops, nv);
        let mut residual = DVector::zeros(rows.nrows());
        let (mut loss, mut miss) = (0.0, 0.0_f64);
        forward_kinematics(creature, data, &pose);
        let mut jacobian = DMatrix::zeros(3, nv);
        for (index, goal) in goals.iter().enumerate() {
            let at = data.frames[goal.point.body].point_in_world(goal.point.point);
            point_jacobian(creature, data, goal.point.body, at, &mut jacobian);
            rows.rows_mut(3 * index, 3).copy_from(&jacobian);
            let missing = goal.target - at;
            let far = missing.norm();
            residual.rows_mut(3 * index, 3).copy_from(&missing.cap_magnitude(*near));
            loss += if far > *near { *near * (2.0 * far - *near) } else { far * far };
            miss = miss.max(far);
        }
        if loops > 0 {
            let open = constraint_residual(creature, data, &pose, creature.constraints());
            loss += open.norm_squared();
            residual.rows_mut(3 * goals.len(), loops).copy_from(&-open);
            let closed = constraint_jacobian(creature, data, &pose, creature.constraints());
            rows.rows_mut(3 * goals.len(), loops).copy_from(&closed);
        }
        let rows = self.space.derivatives(&x, rows);
        Try { x, pose, rows, residual, loss, miss }
    }
}

/// A pose, and what is missing there.
struct Try {
    x: DVector<f64>,
    pose: Vec<f64>,
    /// Derivatives of goals and closed loops by the coordinates.
    rows: DMatrix<f64>,
    /// What is missing to them, m (or rad), a goal's cut off at `near`.
    residual: DVector<f64>,
    /// Huber's loss of it: |r|² near, and rising with |r| beyond.
    loss: f64,
    /// Largest distance of a point from its target, m.
    miss: f64,
}

/// What an iteration is weighed by.
struct HeldBack<'c> {
    /// K⁻¹
    compliance: &'c DVector<f64>,
    /// s
    soft: f64,
    /// μ: a step meets K (1 + μ).
    hold_back: f64,
}

impl Try {
    /// E of the module's text; what has no compliance does not move.
    fn energy(&self, compliance: &DVector<f64>, soft: f64) -> f64 {
        let springs = self.x.iter().zip(compliance).filter(|(_, c)| **c > 0.0);
        let elastic: f64 = springs.map(|(x, c)| x * x / c).sum();
        elastic + self.loss / soft
    }

    /// x at the least of E about here, with joints on their stops unless they come away by themselves: a stop pushes and
    /// never pulls, and the one that would pull hardest is let go, until none would.
    fn next(&self, metric: &HeldBack, mut stops: Vec<Stop>) -> Option<DVector<f64>> {
        // A joint that none of the coordinates moves needs no stop.
        stops.retain(|stop| stop.row.iter().zip(metric.compliance).any(|(x, c)| x * x * c > 0.0));
        loop {
            let (x, pushes) = self.solve(metric, &stops)?;
            let pulls = stops.iter().zip(&pushes).map(|(stop, push)| match stop.end {
                StopEnd::Low => -push,
                StopEnd::High => *push,
            });
            match pulls.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((hardest, pull)) if pull > 0.0 => stops.swap_remove(hardest),
                _ => return Some(x),
            };
        }
    }

    /// x at the least of E about here with these stops held, and how hard each pushes. With c = C / (1 + μ), and stops as
    /// further rows of J:
    /// x' = x μ / (1 + μ) + c Jᵀ y, y = (J c Jᵀ + s)⁻¹ (residual + J x / (1 + μ)).
    fn solve(&self, metric: &HeldBack, stops: &[Stop]) -> Option<(DVector<f64>, Vec<f64>)> {
        let share = 1.0 / (1.0 + metric.hold_back);
        let goals = self.rows.nrows();
        let mut rows = self.rows.clone().resize_vertically(goals + stops.len(), 0.0);
        let mut residual = self.residual.clone().resize_vertically(goals + stops.len(), 0.0);
        for (row, stop) in (goals..).zip(stops) {
            rows.row_mut(row).copy_from(&stop.row.transpose());
            residual[row] = stop.gap;
        }
        let weighted = &rows * DMatrix::from_diagonal(&(metric.compliance * share));
        let mut system = &weighted * rows.transpose();
        for row in 0..system.nrows() {
            system[(row, row)] += if row < goals { metric.soft } else { STOP * system[(row, row)] };
        }
        let back = self.x.zip_map(metric.compliance, |x, c| if c > 0.0 { share * x } else { 0.0 });
        let force = system.cholesky()?.solve(&(&residual + &rows * &back));
        let step = weighted.transpose() * &force - back;
        Some((&self.x + step, force.as_slice()[goals..].to_vec()))
    }
}

/// The largest distance of a body from the root where it begins, m.
fn size(creature: &Creature, data: &mut Data, space: &impl ReachSpace) -> f64 {
    let begin = DVector::zeros(space.dimension());
    forward_kinematics(creature, data, &space.pose(&begin));
    let root = data.frames.get(1).map_or_else(Vec3::zeros, |frame| frame.position);
    data.frames.iter().skip(1).map(|frame| (frame.position - root).norm()).fold(1e-3, f64::max)
}
