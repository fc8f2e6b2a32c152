//! Inverse kinematics in a basis: points of a creature go where they are pulled, by its directions alone.
//!
//! A pose costs ½ Σ (x/σ)². With all vibrations of a creature that is the energy of its springs, and it reaches as
//! [`gambol_dynamics::reach`] does.

use gambol_dynamics::{Data, Goal, Hold, ReachSpace, Reached, Stop, StopEnd, reach_in};
use gambol_model::{Creature, Joint, JointKind, Quat, Vec3};
use nalgebra::{DMatrix, DVector, Quaternion};

use super::{Basis, BasisError, Direction};

/// What every value is as likely of gives way by this many times the square of the largest spread: a root that goes along
/// takes less effort than any bend.
const EASY: f64 = 100.0;

/// A joint this near to its limit, rad or m, is on it. What a stop gives way by, while goals pull a million times as hard as
/// springs, is a tenth of it.
const TOUCH: f64 = 1e-6;

/// How far past its limit a ball may be on the way, rad: its cone is round, a step along it is straight, and the next one makes up
/// for the difference.
const ROUND: f64 = 1e-3;

/// Halvings of a step that goes past a limit: it ends within 1e-12 of its length.
const HALVINGS: usize = 40;

impl Basis {
    /// Draws the points of `goals` to their targets along the directions of the basis, starting from its mean. With
    /// [`Hold::Root`] rigid motions stay at 0; the root goes only where the other directions take it. Bodies of goals must be
    /// bodies of the creature.
    pub fn reach(
        &self,
        creature: &Creature,
        data: &mut Data,
        goals: &[Goal],
        hold: Hold,
    ) -> Result<Reached, BasisError> {
        self.check_creature(creature)?;
        Ok(reach_in(creature, data, &Directions::new(creature, self, hold), goals))
    }
}

impl Basis {
    /// The same without regard to the limits of joints: a basis of recordings goes where people went, and the limits of their files are
    /// guesses.
    pub(super) fn reach_unlimited(
        &self,
        creature: &Creature,
        data: &mut Data,
        goals: &[Goal],
        hold: Hold,
    ) -> Result<Reached, BasisError> {
        self.check_creature(creature)?;
        let space = Directions { creature, basis: self, hold, limits: Vec::new() };
        Ok(reach_in(creature, data, &space, goals))
    }
}

/// The poses of a basis.
struct Directions<'b> {
    creature: &'b Creature,
    basis: &'b Basis,
    hold: Hold,
    limits: Vec<Limit<'b>>,
}

/// A joint with a limit.
struct Limit<'b> {
    joint: &'b Joint,
    /// rad or m, of the angle of a ball its largest. What is past them at the mean goes no further.
    range: [f64; 2],
    /// How far past them it may be on the way.
    slack: f64,
}

impl<'b> Directions<'b> {
    fn new(creature: &'b Creature, basis: &'b Basis, hold: Hold) -> Self {
        let limit = |joint: &'b Joint| {
            let [low, high] = joint.limit?;
            match joint.kind {
                JointKind::Free => None,
                JointKind::Ball => {
                    let most = high.max(turn(joint, &basis.mean).angle());
                    Some(Limit { joint, range: [f64::NEG_INFINITY, most], slack: ROUND })
                }
                JointKind::Hinge | JointKind::Slide => {
                    let mean = basis.mean[joint.q];
                    Some(Limit { joint, range: [low.min(mean), high.max(mean)], slack: TOUCH })
                }
            }
        };
        Self { creature, basis, hold, limits: creature.joints().iter().filter_map(limit).collect() }
    }

    fn tangent(&self, x: &DVector<f64>) -> DVector<f64> {
        let mut tangent = DVector::zeros(self.basis.nv);
        for (x, direction) in x.iter().zip(&self.basis.directions) {
            tangent.iter_mut().zip(&direction.shape).for_each(|(sum, u)| *sum += x * u);
        }
        tangent
    }

    /// Draws `to` back, on the way from `from`, to where no joint is past its limit. One that was on its limit before may be past
    /// it by `slack`: it is held there, but not to the last digit.
    fn shorten(&self, from: &DVector<f64>, to: &mut DVector<f64>, slack: impl Fn(&Limit) -> f64) {
        if self.limits.is_empty() {
            return;
        }
        let before = self.pose(from);
        let bounds: Vec<[f64; 2]> = self
            .limits
            .iter()
            .map(|limit| {
                let ([low, high], value, slack) = (limit.range, limit.value(&before), slack(limit));
                let [at_low, at_high] = [value <= low + TOUCH, value >= high - TOUCH];
                [if at_low { low - slack } else { low }, if at_high { high + slack } else { high }]
            })
            .collect();
        let within = |x: &DVector<f64>| {
            let pose = self.pose(x);
            let mut limits = self.limits.iter().zip(&bounds);
            limits.all(|(limit, [low, high])| (*low..=*high).contains(&limit.value(&pose)))
        };
        if within(to) {
            return;
        }
        let way = &*to - from;
        let [mut near, mut far] = [0.0, 1.0];
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            if within(&(from + &way * middle)) { near = middle } else { far = middle }
        }
        to.copy_from(&(from + way * near));
    }
}

impl ReachSpace for Directions<'_> {
    fn dimension(&self) -> usize {
        self.basis.directions.len()
    }

    fn compliance(&self, size: f64) -> DVector<f64> {
        let finite = self.basis.directions.iter().map(|direction| direction.spread).filter(|x| x.is_finite());
        let largest = finite.fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let of_direction = |direction: &Direction| match self.hold {
            Hold::Root if direction.is_rigid() => 0.0,
            _ if direction.spread.is_finite() => direction.spread * direction.spread,
            _ => {
                let ease = largest / going(self.creature, direction, size);
                EASY * ease * ease
            }
        };
        DVector::from_iterator(self.dimension(), self.basis.directions.iter().map(of_direction))
    }

    fn pose(&self, x: &DVector<f64>) -> Vec<f64> {
        let mut pose = self.basis.mean.clone();
        self.creature.integrate(&mut pose, self.tangent(x).as_slice(), 1.0);
        pose
    }

    fn derivatives(&self, x: &DVector<f64>, by_velocity: DMatrix<f64>) -> DMatrix<f64> {
        by_velocity * self.basis.velocities(self.creature, self.tangent(x).as_slice())
    }

    fn length(&self, step: &DVector<f64>) -> f64 {
        self.tangent(step).amax()
    }

    fn stops(&self, x: &DVector<f64>) -> Vec<Stop> {
        if self.limits.is_empty() {
            return Vec::new();
        }
        let pose = self.pose(x);
        let velocities = self.basis.velocities(self.creature, self.tangent(x).as_slice());
        let mut stops = Vec::new();
        for limit in &self.limits {
            let ([low, high], value) = (limit.range, limit.value(&pose));
            let stop = |gap, end| Stop { row: limit.row(&pose, &velocities), gap, end };
            if value <= low + TOUCH {
                stops.push(stop(low - value, StopEnd::Low));
            }
            if value >= high - TOUCH {
                stops.push(stop(high - value, StopEnd::High));
            }
        }
        stops
    }

    /// A direction moves many joints: all stop where the first one does.
    fn confine(&self, from: &DVector<f64>, to: &mut DVector<f64>) {
        self.shorten(from, to, |limit| limit.slack);
    }

    fn settle(&self, x: &mut DVector<f64>) {
        self.shorten(&DVector::zeros(self.dimension()), x, |_| 0.0);
    }
}

impl Limit<'_> {
    /// The joint's angle, rad, or way, m.
    fn value(&self, pose: &[f64]) -> f64 {
        if self.joint.kind == JointKind::Ball { turn(self.joint, pose).angle() } else { pose[self.joint.q] }
    }

    /// How that goes with the coordinates. A ball's angle grows with what its angular velocity has along its axis.
    fn row(&self, pose: &[f64], velocities: &DMatrix<f64>) -> DVector<f64> {
        let first = self.joint.v;
        if self.joint.kind != JointKind::Ball {
            return velocities.row(first).transpose();
        }
        let axis = turn(self.joint, pose).axis().map_or_else(Vec3::zeros, nalgebra::Unit::into_inner);
        velocities.rows(first, 3).tr_mul(&axis)
    }
}

/// How a ball has turned.
fn turn(joint: &Joint, pose: &[f64]) -> Quat {
    let [w, x, y, z] = [0, 1, 2, 3].map(|k| pose[joint.q + k]);
    Quat::new_normalize(Quaternion::new(w, x, y, z))
}

/// How far one unit of a direction carries a creature or bends it: rad, or m in parts of its size.
fn going(creature: &Creature, direction: &Direction, size: f64) -> f64 {
    let dofs = direction.shape.iter().zip(creature.dofs()).enumerate();
    let parts = dofs.map(|(index, (x, dof))| {
        let joint = &creature.joints()[dof.joint];
        let shifts = match joint.kind {
            JointKind::Free => index < joint.v + 3,
            JointKind::Slide => true,
            JointKind::Ball | JointKind::Hinge => false,
        };
        if shifts { x.abs() / size } else { x.abs() }
    });
    parts.fold(0.0, f64::max)
}
