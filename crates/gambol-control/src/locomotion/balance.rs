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

use gambol_dynamics::{Drive, Sense, State, Stepper, World, step};
use gambol_model::{Creature, Vec3, math};
use nalgebra::{DMatrix, DVector, Quaternion, Unit, UnitQuaternion};

use super::space::PLACE;
use super::{Bursts, Judge, Score, Stride, Tolerance, Upright};
use crate::sketch::Stage;
use crate::{Command, Controller, Event, Plan, simulate};

/// How corrections are found and used. Where no other origin is given, a number was found by trying, on the controllers of
/// the gallery.
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceSettings {
    /// Lengths of differences of poses and velocities. Default: the tolerance of a cycle; shorter ones see every corner of a
    /// sole.
    pub difference: Tolerance,
    /// The same of amplitudes, rad. Default: 0.05, what moves a stride about as far.
    pub difference_amplitude: f64,
    /// Deviations that count as much as a correction by `unit_amplitude`. Default: the tolerance of a cycle.
    pub unit: Tolerance,
    /// rad. Default: 0.2. Dearer corrections come too late, cheaper ones trust the slopes too far.
    pub unit_amplitude: f64,
    /// Lengths of differences that are tried one after the other, in parts of the above, until corrections keep the
    /// creature up. Default: 1, 2, ½.
    pub lengths: [f64; 3],
    /// Prices of corrections that are tried with each. Default: 1, 0.3, 3, 0.1.
    pub prices: [f64; 4],
    /// For how many cycles it has to stay up. Default: 20, in which a deviation that grows by a tenth per
    /// half cycle becomes 45 times as large.
    pub cycles: f64,
    /// Looks at a creature that is tried, per second. Default: 30; a fall takes longer.
    pub looks: f64,
    /// Most that an amplitude is changed by, rad. Default: 0.5; more would be another gait.
    pub most_change: f64,
    /// Heading that is steered against, rad; what is more counts as this much. Default: 0.1; slopes say nothing about running
    /// sideways.
    pub steer: f64,
    /// Half cycles that are looked ahead at most. Default: 300.
    pub ahead: usize,
    /// Relative change of G at which looking ahead ends. Default: 10⁻⁶, far below what slopes are known to.
    pub settled: f64,
}

impl Default for BalanceSettings {
    fn default() -> Self {
        Self {
            difference: Tolerance::default(),
            difference_amplitude: 0.05,
            unit: Tolerance::default(),
            unit_amplitude: 0.2,
            lengths: [1.0, 2.0, 0.5],
            prices: [1.0, 0.3, 3.0, 0.1],
            cycles: 20.0,
            looks: 30.0,
            most_change: 0.5,
            steer: 0.1,
            ahead: 300,
            settled: 1e-6,
        }
    }
}

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
    /// Most that an amplitude is changed by, and that the heading is steered against, rad.
    most_change: f64,
    steer: f64,
}

impl Balance {
    /// Corrections of `stride` in `world`: the first that keep it up for twenty cycles, else those that do so for longest;
    /// none at all if that is what does.
    pub fn new(stage: &Stage, world: &World, stride: &Stride) -> Self {
        Self::with_settings(stage, world, stride, &BalanceSettings::default())
    }

    /// The same with other settings.
    pub fn with_settings(stage: &Stage, world: &World, stride: &Stride, settings: &BalanceSettings) -> Self {
        let none = Self {
            gain: DMatrix::zeros(stride.flight.len() + stride.ground.len(), 2 * stage.creature.nv() - PLACE),
            ..Self::linear(stage, world, stride, settings)
        };
        let Some(time) = none.clone().fall(stage, world, stride, settings) else { return none };
        let mut longest = (time, none);
        for length in settings.lengths {
            let slopes = slopes(stage, world, stride, length, settings);
            for price in settings.prices {
                let balance = Self::priced(stage, world, stride, &slopes, price, settings);
                match balance.clone().fall(stage, world, stride, settings) {
                    None => return balance,
                    Some(time) if time > longest.0 => longest = (time, balance),
                    Some(_) => {}
                }
            }
        }
        longest.1
    }

    /// Corrections that have not been tried.
    pub(super) fn linear(stage: &Stage, world: &World, stride: &Stride, settings: &BalanceSettings) -> Self {
        let slopes = slopes(stage, world, stride, 1.0, settings);
        Self::priced(stage, world, stride, &slopes, 1.0, settings)
    }

    fn priced(
        stage: &Stage,
        world: &World,
        stride: &Stride,
        [a, b]: &[DMatrix<f64>; 2],
        price: f64,
        settings: &BalanceSettings,
    ) -> Self {
        let nv = stage.creature.nv();
        let unit = |k: usize| if k < nv - PLACE { settings.unit.pose } else { settings.unit.rate };
        let gain =
            riccati(a, b, &DVector::from_fn(a.nrows(), |k, _| math::powi(unit(k), -2)), price, settings);
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
            most_change: settings.most_change,
            steer: settings.steer,
        }
    }

    /// When a stride with these corrections falls, s; none if it does not.
    fn fall(self, stage: &Stage, world: &World, stride: &Stride, settings: &BalanceSettings) -> Option<f64> {
        let controller = Balanced::new(Bursts::new(stage, stride, world.settings().step), self);
        let start = State::new(&stride.q, &stride.v);
        let plan = Plan {
            fps: settings.looks,
            keep_poses: true,
            ..Plan::new(&controller, start, settings.cycles * stride.period)
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
        let mut work = Correction::new(&stage.creature, self.gain.nrows());
        self.correct(&stage.creature, &State::new(&next.q, &next.v), 0.0, false, &mut work);
        let (flight, ground) = work.change.as_slice().split_at(reference.flight.len());
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        next.flight = add(&reference.flight, flight);
        next.ground = add(&reference.ground, ground);
        next
    }

    /// Δa of a span that began `late` s ago, for a state now, into `work.change`. `odd`: it is the other side's turn.
    fn correct(&self, creature: &Creature, state: &State, late: f64, odd: bool, work: &mut Correction) {
        let nv = creature.nv();
        let Correction { q, v, bent, image, deviation, change } = work;
        self.face(creature, state, q, v.as_mut_slice());
        creature.difference(creature.rest_pose(), q, bent.as_mut_slice());
        if let Some(mirror) = self.mirror.as_ref().filter(|_| odd) {
            for x in [&mut *bent, &mut *v] {
                mirror.mul_to(x, image);
                x.copy_from(image);
            }
        }
        q.copy_from_slice(creature.rest_pose());
        creature.integrate(q, bent.as_slice(), 1.0);
        // Back to the start of the span.
        creature.integrate(q, v.as_slice(), -late);
        creature.difference(&self.q, q, bent.as_mut_slice());
        deviation.rows_mut(0, nv - PLACE).copy_from(&bent.rows(PLACE, nv - PLACE));
        for k in 0..nv {
            deviation[nv - PLACE + k] = v[k] - late * self.acceleration[k] - self.v[k];
        }
        self.gain.mul_to(deviation, change);
        change.apply(|x| *x = (-*x).clamp(-self.most_change, self.most_change));
    }

    /// The pose and velocity of a creature that has been turned about `up` until it heads at most `steer` away from where its
    /// rest pose does.
    fn face(&self, creature: &Creature, state: &State, q: &mut [f64], v: &mut [f64]) {
        let up = self.up;
        q.copy_from_slice(&state.q);
        v.copy_from_slice(&state.v);
        let root = &creature.joints()[0];
        let orientation = |q: &[f64]| {
            let [w, x, y, z] = [3, 4, 5, 6].map(|k| q[root.q + k]);
            UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
        };
        let now = orientation(q);
        let turned = now * orientation(creature.rest_pose()).inverse();
        // The twist of a rotation about an axis, within ±π.
        let heading = 2.0 * math::atan2(turned.imag().dot(&up) * turned.w.signum(), turned.w.abs());
        let excess = heading - heading.clamp(-self.steer, self.steer);
        let back = UnitQuaternion::from_axis_angle(&Unit::new_normalize(up), -excess);
        let facing = back * now;
        q[root.q + 3..root.q + 7].copy_from_slice(&[facing.w, facing.i, facing.j, facing.k]);
        let velocity = back * Vec3::from_column_slice(&v[root.v..root.v + 3]);
        v[root.v..root.v + 3].copy_from_slice(velocity.as_slice());
    }
}

/// A correction of one span, and room to work it out.
#[derive(Clone, Debug, PartialEq)]
struct Correction {
    q: Vec<f64>,
    v: DVector<f64>,
    bent: DVector<f64>,
    image: DVector<f64>,
    deviation: DVector<f64>,
    /// Δa, rad.
    change: DVector<f64>,
}

impl Correction {
    /// Of so many amplitudes.
    fn new(creature: &Creature, amplitudes: usize) -> Self {
        let still = DVector::zeros(creature.nv());
        Self {
            q: creature.rest_pose().to_vec(),
            v: still.clone(),
            bent: still.clone(),
            image: still,
            deviation: DVector::zeros(2 * creature.nv() - PLACE),
            change: DVector::zeros(amplitudes),
        }
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

/// A and B, by differences of this length.
fn slopes(
    stage: &Stage,
    world: &World,
    stride: &Stride,
    length: f64,
    settings: &BalanceSettings,
) -> [DMatrix<f64>; 2] {
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
            slope(settings.difference.pose, &|there, by| {
                let mut unit = vec![0.0; nv];
                unit[PLACE + k] = by;
                stage.creature.integrate(&mut there.q, &unit, 1.0);
            })
        } else {
            slope(settings.difference.rate, &|there, by| there.v[k - (nv - PLACE)] += by)
        };
        let mut into = a.column_mut(k);
        into += column;
    }
    let count = stride.flight.len();
    let m = count + stride.ground.len();
    let mut b = DMatrix::zeros(n, m);
    for k in 0..m {
        let column = slope(settings.difference_amplitude, &|there, by| {
            if k < count { there.flight[k] += by } else { there.ground[k - count] += by }
        });
        b.set_column(k, &column);
    }
    [a, b]
}

/// G = (R + BᵀPB)⁻¹ BᵀPA, with P of the span after.
fn riccati(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
    q: &DVector<f64>,
    price: f64,
    settings: &BalanceSettings,
) -> DMatrix<f64> {
    let m = b.ncols();
    let r = DMatrix::identity(m, m) * (price * math::powi(settings.unit_amplitude, -2));
    let mut p = DMatrix::from_diagonal(q);
    let mut gain = DMatrix::zeros(m, a.nrows());
    for _ in 0..settings.ahead {
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
        if change < settings.settled {
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
    let drive = Drive { rest: world.creature().rest_pose(), torque: &torque, strength: &[], pushes: &[] };
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

/// What [`Balanced`] remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrections {
    /// Which span it is; none before the first.
    span: Option<f64>,
    /// How its bursts are changed.
    now: Correction,
}

/// The event of a span, by number, in which an amplitude would have to change by more than it may.
pub const AT_LIMIT: &str = "a correction is at its limit";

impl Controller for Balanced {
    type Memory = Corrections;

    fn memory(&self, creature: &Creature) -> Corrections {
        Corrections { span: None, now: Correction::new(creature, self.balance.gain.nrows()) }
    }

    fn command(&self, sense: &Sense, memory: &mut Corrections, command: &mut Command) {
        let (time, span) = (sense.time(), self.balance.span);
        // A step that starts a rounding before the next span belongs to it.
        let number = (time / span + 1e-9).floor();
        if memory.span != Some(number) {
            let late = (time - number * span).max(0.0);
            let odd = number.rem_euclid(2.0) == 1.0;
            self.balance.correct(sense.creature(), sense.state(), late, odd, &mut memory.now);
            memory.span = Some(number);
            if memory.now.change.iter().any(|change| change.abs() >= self.balance.most_change) {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                // half cycles are counted from 0
                command.events.push(Event { time, what: AT_LIMIT, which: number as usize });
            }
        }
        self.bursts.add(time, memory.now.change.as_slice(), &mut command.torque);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// e' = 2 e + Δa with Q = R = 1: P² − 4P − 1 = 0, so P = 2 + √5 and G = 2P/(1 + P).
    #[test]
    fn gains_solve_the_riccati_equation() {
        let (a, b) = (DMatrix::from_element(1, 1, 2.0), DMatrix::from_element(1, 1, 1.0));
        let settings = BalanceSettings { unit_amplitude: 1.0, ..BalanceSettings::default() };
        let gain = riccati(&a, &b, &DVector::from_element(1, 1.0), 1.0, &settings)[(0, 0)];
        let p = 2.0 + 5.0_f64.sqrt();
        // Iterations end at relative changes of 1e-6, and each divides the error by (2 − G)⁻² ≈ 7.
        assert!((gain - 2.0 * p / (1.0 + p)).abs() < 1e-6, "{gain}");
        assert!((largest(&(&a - &b * gain)) - (2.0 - gain)).abs() < 1e-12);
    }
}
