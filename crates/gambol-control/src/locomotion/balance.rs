//! Staying up: small corrections of the bursts, once per half cycle.
//!
//! A stride by the clock alone repeats itself if nothing disturbs it, and falls if something does: its own rounding is enough.
//! Where the creature is at the start of each half cycle says what goes wrong, e, and the amplitudes of the half cycle that
//! follows are changed by Δa to mend it. Both act on the next start as
//!
//! ```text
//! e' = A e + B Δa,      Δa = −G e
//! ```
//!
//! with A and B from differences of the simulation itself, and G that minimises Σ eᵀQe + ΔaᵀRΔa over all half cycles to come
//! (the discrete Riccati equation). Only modes of the sketch act, so that its style stays.

use gambol_dynamics::{Drive, State, Stepper, World, step};
use gambol_model::{Creature, Vec3, math};
use nalgebra::{DMatrix, DVector, Quaternion, Unit, UnitQuaternion};

use super::space::PLACE;
use super::{Bursts, Judge, Score, Stride, Upright};
use crate::sketch::Stage;
use crate::{Command, Controller, Plan, simulate};

/// Lengths of differences: of poses, rad or m; of velocities, rad/s or m/s; of amplitudes, rad. About the tolerance of a cycle:
/// shorter ones see every corner of a sole.
const POSE: f64 = 0.02;
const RATE: f64 = 0.2;
const AMPLITUDE: f64 = 0.05;

/// What counts as much as what: a deviation by the tolerance of a cycle, and a correction, rad. Dearer corrections come too
/// late, cheaper ones trust the slopes too far.
const UNIT_POSE: f64 = 0.02;
const UNIT_RATE: f64 = 0.2;
const UNIT_AMPLITUDE: f64 = 0.2;

/// Lengths of differences and prices of corrections that are tried, in parts of these, until one keeps the creature up.
const LENGTHS: [f64; 3] = [1.0, 2.0, 0.5];
const PRICES: [f64; 4] = [1.0, 0.3, 3.0, 0.1];

/// For how many cycles it has to stay up.
const CYCLES: f64 = 20.0;

/// Most that an amplitude is changed by, rad. More would be another gait.
const MOST: f64 = 0.5;

/// Heading that is steered against, rad; what is more counts as this much. Slopes say nothing about running sideways.
const STEER: f64 = 0.1;

/// Looks at a creature that is tried, per second: a fall takes longer.
const LOOKS: f64 = 30.0;

/// Half cycles that are looked ahead at most, and the relative change of G at which looking ahead ends.
const AHEAD: usize = 300;
const SETTLED: f64 = 1e-6;

/// How a stride is kept up.
#[derive(Clone, Debug)]
pub struct Balance {
    /// G
    gain: DMatrix<f64>,
    /// Half of the period where legs alternate, else the period, s.
    span: f64,
    /// Where each span should start.
    q: Vec<f64>,
    v: Vec<f64>,
    /// Change of velocity there, per second.
    acceleration: Vec<f64>,
    mirror: Option<DMatrix<f64>>,
    up: Vec3,
    /// The largest factor by which a deviation grows from span to span, without and with corrections.
    growth: [f64; 2],
}

impl Balance {
    /// Corrections of `stride` in `world`: the first that keep it up for twenty cycles, else those that do so for longest;
    /// none at all if that is what does.
    pub fn new(stage: &Stage, world: &World, stride: &Stride) -> Self {
        let none = Self {
            gain: DMatrix::zeros(stride.flight.len() + stride.ground.len(), 2 * stage.creature.nv() - PLACE),
            ..Self::linear(stage, world, stride)
        };
        let Some(time) = none.clone().fall(stage, world, stride) else { return none };
        let mut longest = (time, none);
        for length in LENGTHS {
            let slopes = slopes(stage, world, stride, length);
            for price in PRICES {
                let balance = Self::with(stage, world, stride, &slopes, price);
                match balance.clone().fall(stage, world, stride) {
                    None => return balance,
                    Some(time) if time > longest.0 => longest = (time, balance),
                    Some(_) => {}
                }
            }
        }
        longest.1
    }

    /// Corrections that have not been tried.
    pub(super) fn linear(stage: &Stage, world: &World, stride: &Stride) -> Self {
        Self::with(stage, world, stride, &slopes(stage, world, stride, 1.0), 1.0)
    }

    fn with(stage: &Stage, world: &World, stride: &Stride, [a, b]: &[DMatrix<f64>; 2], price: f64) -> Self {
        let nv = stage.creature.nv();
        let unit = |k: usize| if k < nv - PLACE { UNIT_POSE } else { UNIT_RATE };
        let gain = riccati(a, b, &DVector::from_fn(a.nrows(), |k, _| math::powi(unit(k), -2)), price);
        let growth = [largest(a), largest(&(a - b * &gain))];
        Self {
            gain,
            span: if stage.mirror.is_some() { 0.5 * stride.period } else { stride.period },
            q: stride.q.clone(),
            v: stride.v.clone(),
            acceleration: first_acceleration(world, stage, stride),
            mirror: stage.mirror.clone(),
            up: stage.axes[2],
            growth,
        }
    }

    /// When a stride with these corrections falls, s; none if it does not.
    fn fall(self, stage: &Stage, world: &World, stride: &Stride) -> Option<f64> {
        let controller = Balanced::new(Bursts::new(stage, stride, world.settings().step), self);
        let plan = Plan {
            controller: &controller,
            start: State::new(&stride.q, &stride.v),
            seconds: CYCLES * stride.period,
            shoves: &[],
            torque_limits: &[],
            fps: LOOKS,
            keep_poses: true,
        };
        let rollout = simulate(world, &mut Stepper::new(world), &plan, &mut |_| ());
        let ground = world.settings().ground.as_ref();
        Upright::new(stage).fall(&stage.creature, &rollout.clip, ground).map(|fall| fall.time)
    }

    /// The largest factor by which a deviation grows from one half cycle to the next, without and with corrections.
    pub fn growth(&self) -> [f64; 2] {
        self.growth
    }

    /// The stride of the span after `stride`, whose score says where it ended: from there, corrected. `reference` is the stride
    /// that the corrections were found for.
    pub(super) fn next(&self, stage: &Stage, reference: &Stride, stride: &Stride, score: &Score) -> Stride {
        let nv = stage.creature.nv();
        let mut next = stride.clone();
        let gap = image(stage, &score.gap);
        let mut pose = vec![0.0; nv];
        pose[PLACE..].copy_from_slice(&gap.as_slice()[..nv - PLACE]);
        stage.creature.integrate(&mut next.q, &pose, 1.0);
        for (v, gap) in next.v.iter_mut().zip(gap.iter().skip(nv - PLACE)) {
            *v += gap;
        }
        let changed = self.correction(&stage.creature, &State::new(&next.q, &next.v), 0.0, false);
        let (flight, ground) = changed.split_at(reference.flight.len());
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        next.flight = add(&reference.flight, flight);
        next.ground = add(&reference.ground, ground);
        next
    }

    /// Δa of a span that began `late` s ago, for a state now. `odd`: it is the other side's turn.
    fn correction(&self, creature: &Creature, state: &State, late: f64, odd: bool) -> Vec<f64> {
        let nv = creature.nv();
        let image = |x: Vec<f64>| match &self.mirror {
            Some(mirror) if odd => (mirror * DVector::from_vec(x)).as_slice().to_vec(),
            _ => x,
        };
        let (q, v) = facing(creature, self.up, state);
        let mut now = vec![0.0; nv];
        creature.difference(creature.rest_pose(), &q, &mut now);
        let v = image(v);
        let mut q = creature.rest_pose().to_vec();
        creature.integrate(&mut q, &image(now), 1.0);
        // Back to the start of the span.
        creature.integrate(&mut q, &v, -late);
        let mut pose = vec![0.0; nv];
        creature.difference(&self.q, &q, &mut pose);
        let rate = (0..nv).map(|k| v[k] - late * self.acceleration[k] - self.v[k]);
        let deviation = DVector::from_iterator(2 * nv - PLACE, pose.into_iter().skip(PLACE).chain(rate));
        (&self.gain * deviation).iter().map(|x| (-x).clamp(-MOST, MOST)).collect()
    }
}

/// A gap at the end of a span as a deviation at the start of the next.
fn image(stage: &Stage, gap: &[f64]) -> DVector<f64> {
    let nv = stage.creature.nv();
    let mut pose = vec![0.0; nv];
    pose[PLACE..].copy_from_slice(&gap[..nv - PLACE]);
    let (pose, rate) = (stage.mirrored(&pose), stage.mirrored(&gap[nv - PLACE..]));
    DVector::from_iterator(2 * nv - PLACE, pose.into_iter().skip(PLACE).chain(rate))
}

/// The pose and velocity of a creature that has been turned about `up` until it heads at most [`STEER`] away from where its
/// rest pose does.
fn facing(creature: &Creature, up: Vec3, state: &State) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut v) = (state.q.clone(), state.v.clone());
    let root = &creature.joints()[0];
    let orientation = |q: &[f64]| {
        let [w, x, y, z] = [3, 4, 5, 6].map(|k| q[root.q + k]);
        UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
    };
    let now = orientation(&q);
    let turned = now * orientation(creature.rest_pose()).inverse();
    // The twist of a rotation about an axis, within ±π.
    let heading = 2.0 * math::atan2(turned.imag().dot(&up) * turned.w.signum(), turned.w.abs());
    let excess = heading - heading.clamp(-STEER, STEER);
    let back = UnitQuaternion::from_axis_angle(&Unit::new_normalize(up), -excess);
    let facing = back * now;
    q[root.q + 3..root.q + 7].copy_from_slice(&[facing.w, facing.i, facing.j, facing.k]);
    let velocity = back * Vec3::from_column_slice(&v[root.v..root.v + 3]);
    v[root.v..root.v + 3].copy_from_slice(velocity.as_slice());
    (q, v)
}

/// A and B, by differences of this length.
fn slopes(stage: &Stage, world: &World, stride: &Stride, length: f64) -> [DMatrix<f64>; 2] {
    let mut judge = Judge::new(stage, world);
    let nv = stage.creature.nv();
    let n = 2 * nv - PLACE;
    let mut slope = |unit: f64, change: &dyn Fn(&mut Stride, f64)| {
        let mut gap = |by: f64| {
            let mut there = stride.clone();
            change(&mut there, by);
            image(stage, &judge.cycle(&there, false).score.gap)
        };
        let by = length * unit;
        (gap(by) - gap(-by)) / (2.0 * by)
    };
    let mut a = DMatrix::identity(n, n); // a gap is the end less the start
    for k in 0..n {
        let column = if k < nv - PLACE {
            slope(POSE, &|there, by| {
                let mut unit = vec![0.0; nv];
                unit[PLACE + k] = by;
                stage.creature.integrate(&mut there.q, &unit, 1.0);
            })
        } else {
            slope(RATE, &|there, by| there.v[k - (nv - PLACE)] += by)
        };
        let mut into = a.column_mut(k);
        into += column;
    }
    let count = stride.flight.len();
    let m = count + stride.ground.len();
    let mut b = DMatrix::zeros(n, m);
    for k in 0..m {
        let column = slope(AMPLITUDE, &|there, by| {
            if k < count { there.flight[k] += by } else { there.ground[k - count] += by }
        });
        b.set_column(k, &column);
    }
    [a, b]
}

/// G = (R + BᵀPB)⁻¹ BᵀPA, with P of the span after.
fn riccati(a: &DMatrix<f64>, b: &DMatrix<f64>, q: &DVector<f64>, price: f64) -> DMatrix<f64> {
    let m = b.ncols();
    let r = DMatrix::identity(m, m) * (price * math::powi(UNIT_AMPLITUDE, -2));
    let mut p = DMatrix::from_diagonal(q);
    let mut gain = DMatrix::zeros(m, a.nrows());
    for _ in 0..AHEAD {
        let (pa, pb) = (&p * a, &p * b);
        let inner = &r + b.transpose() * &pb;
        let Some(inner) = inner.cholesky() else { break };
        let next = inner.solve(&(b.transpose() * &pa));
        let change = (&next - &gain).norm() / next.norm().max(f64::MIN_POSITIVE);
        gain = next;
        p = a.transpose() * pa - a.transpose() * pb * &gain;
        for k in 0..q.len() {
            p[(k, k)] += q[k];
        }
        p = 0.5 * (&p + p.transpose()); // rounding must not add up
        if change < SETTLED {
            break;
        }
    }
    gain
}

/// The largest eigenvalue by size.
fn largest(matrix: &DMatrix<f64>) -> f64 {
    matrix.complex_eigenvalues().iter().map(|x| math::length(*x)).fold(0.0, f64::max)
}

/// Of the first step of a stride.
fn first_acceleration(world: &World, stage: &Stage, stride: &Stride) -> Vec<f64> {
    let h = world.settings().step;
    let mut torque = vec![0.0; stage.creature.nv()];
    let mut state = State::new(&stride.q, &stride.v);
    Bursts::new(stage, stride, h).add(0.0, &[], &mut torque);
    let drive = Drive { rest: world.creature().rest_pose(), torque: &torque, pushes: &[] };
    let mut stepper = Stepper::new(world);
    match step(world, &mut stepper, &mut state, &drive) {
        Ok(()) => state.v.iter().zip(&stride.v).map(|(next, now)| (next - now) / h).collect(),
        Err(_) => vec![0.0; stride.v.len()],
    }
}

/// Bursts that are corrected.
#[derive(Clone, Debug)]
pub struct Balanced {
    bursts: Bursts,
    balance: Balance,
}

impl Balanced {
    /// The bursts of a stride with its corrections.
    pub fn new(bursts: Bursts, balance: Balance) -> Self {
        Self { bursts, balance }
    }
}

impl Controller for Balanced {
    /// Notes which span it is, and its corrections.
    fn command(&self, creature: &Creature, state: &State, command: &mut Command) {
        let span = self.balance.span;
        // A step that starts a rounding before the next span belongs to it.
        let number = (state.time / span + 1e-9).floor();
        if command.notes.first() != Some(&number) {
            let late = (state.time - number * span).max(0.0);
            let odd = number.rem_euclid(2.0) == 1.0;
            command.notes.clear();
            command.notes.push(number);
            command.notes.extend(self.balance.correction(creature, state, late, odd));
        }
        self.bursts.add(state.time, &command.notes[1..], &mut command.torque);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// e' = 2 e + Δa with Q = R = 1: P² − 4P − 1 = 0, so P = 2 + √5 and G = 2P/(1 + P).
    #[test]
    fn gains_solve_the_riccati_equation() {
        let (a, b) = (DMatrix::from_element(1, 1, 2.0), DMatrix::from_element(1, 1, 1.0));
        let gain = riccati(&a, &b, &DVector::from_element(1, 1.0), math::square(UNIT_AMPLITUDE))[(0, 0)];
        let p = 2.0 + 5.0_f64.sqrt();
        // Iterations end at relative changes of 1e-6, and each divides the error by (2 − G)⁻² ≈ 7.
        assert!((gain - 2.0 * p / (1.0 + p)).abs() < 1e-6, "{gain}");
        assert!((largest(&(&a - &b * gain)) - (2.0 - gain)).abs() < 1e-12);
    }
}
