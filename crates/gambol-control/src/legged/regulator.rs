//! How deviations from a stride are taken back: what the feet can do about them in the strides to come, seen from each moment of one.
//!
//! While one pair of feet stands, speed, height and pitch cannot all be had at once, and in flight none of them. So it does not help to
//! ask for each of them by itself: what a creature does now must suit what it will be able to do later. Near the stride it is a
//! rigid body, moved by the feet that stand:
//!
//! ```text
//! m δc̈ = Σ δf_i                                        c the centre of mass, f_i the planned force of foot i at p_i
//! I δω̇ = Σ ((p_i − c) × δf_i + δm_i + δp_i × f_i) − δc × Σ f_i        δm_i: what a sole can do besides
//! δp_i ← δc + s_i                                      when foot i lands: further by s_i than the stride has it beside c
//! ```
//!
//! Forces δf, moments δm and steps s are what can be chosen; the tolerances of [`RegulatorSettings`] say what they cost and what deviations
//! do. The stride repeats, so the best choice is linear in the deviation, x = (δc, δċ, δθ, δω, δp), with gains that are periodic: those of
//! Riccati's equation, stepped back through the stride until it comes back to itself (Bittanti, Colaneri and De Nicolao 1991).
//!
//! What is kept are not the gains but what they lead to: the accelerations of centre of mass and trunk, which the feet can bring about, and
//! where each foot that swings will be set down.

use gambol_dynamics::{
    Data, SupportPoint, SupportSettings, Wrench, explain, momentum_matrix, outside_wrench,
};
use gambol_model::{Creature, Vec3, math};
use nalgebra::{DMatrix, Matrix3};

use super::dense::{factor, solve, times, transposed_times};
use super::reference::orientation;
use super::{FootPhase, LegUnits, Moment, RegulatorSettings, StrideReference};

/// Moments of a stride at which it is looked at: 8 ms apart at two strides a second.
const NODES: usize = 64;

/// Most strides until Riccati's equation comes back to itself, and the share by which it may change then.
const MOST_STRIDES: usize = 60;
const SAME: f64 = 1e-4;

/// Of the body: δc, δċ, δθ, δω.
const BODY: usize = 12;

/// What is done about deviations, for every moment of a stride.
#[derive(Clone, Debug, PartialEq)]
pub struct Regulator {
    /// Numbers of a deviation.
    size: usize,
    /// Per node: accelerations δc̈, δω̇ for a deviation, 6 × size.
    answers: Vec<DMatrix<f64>>,
    /// Per node and foot: by how much its next set-down moves along the ground, 2 × size.
    steps: Vec<Vec<DMatrix<f64>>>,
}

/// A creature that deviates from its stride, along the axes of the carriage.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    x: Vec<f64>,
}

impl Deviation {
    /// None yet, of a creature with so many feet.
    pub fn new(feet: usize) -> Self {
        Self { x: vec![0.0; BODY + 2 * feet] }
    }

    /// Centre of mass, m and m/s; trunk, rad and rad/s.
    pub fn set_body(&mut self, place: Vec3, velocity: Vec3, turn: Vec3, spin: Vec3) {
        for (out, value) in self.x.chunks_exact_mut(3).zip([place, velocity, turn, spin]) {
            out.copy_from_slice(value.as_slice());
        }
    }

    /// A foot that stands, m along the ground.
    pub fn set_foot(&mut self, foot: usize, off: Vec3) {
        self.x[BODY + 2 * foot..BODY + 2 * foot + 2].copy_from_slice(&off.as_slice()[..2]);
    }
}

impl Regulator {
    /// For a stride of `creature`.
    pub fn new(
        creature: &Creature,
        reference: &StrideReference,
        units: &LegUnits,
        settings: &RegulatorSettings,
    ) -> Self {
        let rigid = Rigid::new(creature, reference, units, settings);
        let size = BODY + 2 * reference.feet.len();
        let mut value = DMatrix::zeros(size, size);
        let mut strides = Vec::new();
        for _ in 0..MOST_STRIDES {
            let before = value.clone();
            strides = rigid.stride_back(&mut value);
            if (&value - &before).norm() <= SAME * value.norm() {
                break;
            }
        }
        let answers = strides.iter().map(|node| node.answer.clone()).collect();
        Self { size, answers, steps: rigid.steps(&strides) }
    }

    /// δc̈, m/s², and δω̇, rad/s², for a deviation at `phase`.
    pub fn answer(&self, phase: f64, deviation: &Deviation) -> (Vec3, Vec3) {
        let rows = &self.answers[node(phase)];
        let row = |k: usize| (0..self.size).map(|j| rows[(k, j)] * deviation.x[j]).sum::<f64>();
        (Vec3::new(row(0), row(1), row(2)), Vec3::new(row(3), row(4), row(5)))
    }

    /// By how much the next set-down of a foot that swings at `phase` moves, m along the ground.
    pub fn step(&self, phase: f64, foot: usize, deviation: &Deviation) -> Vec3 {
        let rows = &self.steps[node(phase)][foot];
        let row = |k: usize| (0..self.size).map(|j| rows[(k, j)] * deviation.x[j]).sum::<f64>();
        Vec3::new(row(0), row(1), 0.0)
    }
}

fn node(phase: f64) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 ≤ at ≤ NODES
    let node = (phase.rem_euclid(1.0) * NODES as f64) as usize;
    node.min(NODES - 1)
}

/// A foot at a node.
struct Standing {
    foot: usize,
    /// From the centre of mass, m.
    arm: Vec3,
    /// Planned, N.
    force: Vec3,
}

/// What is known of a node.
struct Node {
    /// Feet that stand.
    feet: Vec<Standing>,
    /// Of the whole about its centre of mass: the inverse of its inertia, 1/(kg·m²).
    ease: Matrix3<f64>,
    /// Feet that land at its start.
    lands: Vec<usize>,
}

/// A node with its feedback.
struct Regulated {
    answer: DMatrix<f64>,
    /// From its start, after feet have landed, to its end.
    through: DMatrix<f64>,
    /// For each foot that lands, in order: where, beside the stride's place (2 × size), and what all is after that.
    landings: Vec<(usize, DMatrix<f64>, DMatrix<f64>)>,
}

/// The rigid body of a stride, and what deviations cost.
struct Rigid<'r> {
    settings: &'r RegulatorSettings,
    units: &'r LegUnits,
    nodes: Vec<Node>,
    mass: f64,
    soles: Vec<f64>,
    /// Share of the stride that each foot stands.
    duties: Vec<f64>,
    /// Of a node, s.
    step: f64,
}

impl<'r> Rigid<'r> {
    fn new(
        creature: &Creature,
        reference: &'r StrideReference,
        units: &'r LegUnits,
        settings: &'r RegulatorSettings,
    ) -> Self {
        let mut data = Data::new(creature);
        let mut moment = Moment::new(creature);
        let stands = |foot: usize, node: usize| {
            let middle = (node as f64 + 0.5) / NODES as f64;
            matches!(reference.graph.at(foot, middle), FootPhase::Stands { .. })
        };
        let mut nodes = Vec::with_capacity(NODES);
        for node in 0..NODES {
            let phase = (node as f64 + 0.5) / NODES as f64;
            reference.at(creature, phase, &mut moment);
            let base = &reference.base;
            let (wrench, _) = outside_wrench(creature, base, &mut data, &moment.pose, &moment.v, &moment.a);
            let standing: Vec<usize> = (0..reference.feet.len()).filter(|foot| stands(*foot, node)).collect();
            let places: Vec<Vec3> = standing.iter().map(|foot| reference.foot(*foot, phase).place).collect();
            let forces = planned(&wrench, &places, base.mass * units.gravity);
            let feet = standing
                .iter()
                .zip(places.iter().zip(forces))
                .map(|(foot, (place, force))| Standing { foot: *foot, arm: place - wrench.center, force });
            let feet = feet.collect();
            let lands = standing.iter().copied().filter(|foot| !stands(*foot, (node + NODES - 1) % NODES));
            let lands = lands.collect();
            nodes.push(Node { feet, lands, ease: ease(creature, reference, &mut data, &moment) });
        }
        Self {
            settings,
            units,
            nodes,
            mass: reference.base.mass,
            duties: (0..reference.feet.len()).map(|foot| reference.graph.duty(foot)).collect(),
            soles: reference.feet.iter().map(|foot| foot.sole).collect(),
            step: reference.period() / NODES as f64,
        }
    }

    fn size(&self) -> usize {
        BODY + 2 * self.soles.len()
    }

    /// Riccati's equation, back through one stride from the value of deviations at its end to that at its start.
    fn stride_back(&self, value: &mut DMatrix<f64>) -> Vec<Regulated> {
        let mut strides: Vec<Regulated> = Vec::with_capacity(NODES);
        for node in self.nodes.iter().rev() {
            let (rates, push) = self.accelerations(node);
            let (a, b) = (self.moves(node, &rates), self.moved(&push));
            let cost = self.prices(node);
            let gain = riccati(value, &a, &b, &cost);
            for (k, price) in self.deviations().into_iter().enumerate() {
                value[(k, k)] += price;
            }
            let answer = &rates - times(&push, &gain);
            let through = a - times(&b, &gain);
            let mut landings = Vec::new();
            // The last to land is the first on the way back.
            for &foot in node.lands.iter().rev() {
                let (a, b) = self.lands(foot);
                let price = self.units.time() / math::square(self.settings.step * self.units.length);
                let gain = riccati(value, &a, &b, &[price; 2]);
                let after = a - times(&b, &gain);
                let place = after.rows(BODY + 2 * foot, 2).into_owned();
                landings.insert(0, (foot, place, after));
            }
            strides.push(Regulated { answer, through, landings });
        }
        strides.reverse();
        strides
    }

    /// Accelerations (δc̈, δω̇) for a deviation, and for forces and moments of the feet that stand.
    fn accelerations(&self, node: &Node) -> (DMatrix<f64>, DMatrix<f64>) {
        let mut rates = DMatrix::zeros(6, self.size());
        let total: Vec3 = node.feet.iter().map(|foot| foot.force).sum();
        // −δc × F = F × δc
        rates.view_mut((3, 0), (3, 3)).copy_from(&times3(&node.ease, &total.cross_matrix()));
        let soles = node.feet.iter().filter(|foot| self.soles[foot.foot] > 0.0).count();
        let mut push = DMatrix::zeros(6, 3 * (node.feet.len() + soles));
        let mut moment = 3 * node.feet.len();
        for (k, foot) in node.feet.iter().enumerate() {
            // δp × f = −f × δp
            let sweeps = -times3(&node.ease, &foot.force.cross_matrix());
            rates.view_mut((3, BODY + 2 * foot.foot), (3, 2)).copy_from(&sweeps.columns(0, 2));
            for axis in 0..3 {
                push[(axis, 3 * k + axis)] = 1.0 / self.mass;
            }
            let turns = times3(&node.ease, &foot.arm.cross_matrix());
            push.view_mut((3, 3 * k), (3, 3)).copy_from(&turns);
            if self.soles[foot.foot] > 0.0 {
                push.view_mut((3, moment), (3, 3)).copy_from(&node.ease);
                moment += 3;
            }
        }
        (rates, push)
    }

    /// x at the end of a node for x at its start: velocities first, which then move the body.
    fn moves(&self, node: &Node, rates: &DMatrix<f64>) -> DMatrix<f64> {
        let (size, h) = (self.size(), self.step);
        let mut a = DMatrix::identity(size, size);
        for k in 0..3 {
            for j in 0..size {
                a[(3 + k, j)] += h * rates[(k, j)];
                a[(9 + k, j)] += h * rates[(3 + k, j)];
            }
            for j in 0..size {
                let (velocity, spin) = (a[(3 + k, j)], a[(9 + k, j)]);
                a[(k, j)] += h * velocity;
                a[(6 + k, j)] += h * spin;
            }
        }
        for foot in (0..self.soles.len()).filter(|foot| node.feet.iter().all(|own| own.foot != *foot)) {
            // Where a foot was that no longer stands is forgotten.
            a[(BODY + 2 * foot, BODY + 2 * foot)] = 0.0;
            a[(BODY + 2 * foot + 1, BODY + 2 * foot + 1)] = 0.0;
        }
        a
    }

    /// x at the end of a node for pushes in it.
    fn moved(&self, push: &DMatrix<f64>) -> DMatrix<f64> {
        let h = self.step;
        let mut b = DMatrix::zeros(self.size(), push.ncols());
        for (k, j) in (0..3).flat_map(|k| (0..push.ncols()).map(move |j| (k, j))) {
            b[(3 + k, j)] = h * push[(k, j)];
            b[(9 + k, j)] = h * push[(3 + k, j)];
            b[(k, j)] = h * b[(3 + k, j)];
            b[(6 + k, j)] = h * b[(9 + k, j)];
        }
        b
    }

    /// x after a foot has landed, for x before and for its step.
    fn lands(&self, foot: usize) -> (DMatrix<f64>, DMatrix<f64>) {
        let size = self.size();
        let mut a = DMatrix::identity(size, size);
        let mut b = DMatrix::zeros(size, 2);
        for k in 0..2 {
            let own = BODY + 2 * foot + k;
            a[(own, own)] = 0.0;
            a[(own, k)] = 1.0;
            b[(own, k)] = 1.0;
        }
        (a, b)
    }

    /// What each number of a deviation costs in a node: the square of its share of what is tolerable, for a time.
    fn deviations(&self) -> Vec<f64> {
        let RegulatorSettings { place, height, velocity, rise, lean, heading, spin, swerve, .. } =
            *self.settings;
        let (l, v, t) = (self.units.length, self.units.speed(), self.units.time());
        let tolerances = [
            [place * l, place * l, height * l],
            [velocity * v, velocity * v, rise * v],
            [lean, lean, heading],
            [spin / t, spin / t, swerve / t],
        ];
        let mut prices: Vec<f64> =
            tolerances.as_flattened().iter().map(|tolerance| self.step / (tolerance * tolerance)).collect();
        prices.resize(self.size(), 0.0);
        prices
    }

    /// The same of forces, and of the moments of soles.
    fn prices(&self, node: &Node) -> Vec<f64> {
        let weight = self.mass * self.units.gravity;
        let RegulatorSettings { force, stands, .. } = *self.settings;
        let force = |foot: &Standing| force * weight * (stands / self.duties[foot.foot]).max(1.0);
        let price = |foot| self.step / math::square(force(foot));
        let mut prices: Vec<f64> = node.feet.iter().flat_map(|foot| [price(foot); 3]).collect();
        for foot in node.feet.iter().filter(|foot| self.soles[foot.foot] > 0.0) {
            let moment = force(foot) * self.settings.sole * self.units.length * self.soles[foot.foot].sqrt();
            prices.extend([self.step / (moment * moment); 3]);
        }
        prices
    }

    /// Where each foot will be set down, as seen from every node before: its landing, carried back through all that happens until then.
    fn steps(&self, strides: &[Regulated]) -> Vec<Vec<DMatrix<f64>>> {
        let feet = self.soles.len();
        let mut steps = vec![vec![DMatrix::zeros(2, self.size()); feet]; NODES];
        for (land, node) in strides.iter().enumerate() {
            for (index, (foot, place, _)) in node.landings.iter().enumerate() {
                let mut rows = place.clone();
                for (_, _, after) in node.landings[..index].iter().rev() {
                    rows = times(&rows, after);
                }
                for back in 1..NODES {
                    let at = (land + NODES - back) % NODES;
                    rows = times(&rows, &strides[at].through);
                    if self.nodes[at].feet.iter().any(|own| own.foot == *foot) {
                        break;
                    }
                    steps[at][*foot].copy_from(&rows);
                    for (_, _, after) in strides[at].landings.iter().rev() {
                        rows = times(&rows, after);
                    }
                }
            }
        }
        steps
    }
}

/// Forces at the feet that explain a wrench, N, as evenly as they can.
fn planned(wrench: &Wrench, places: &[Vec3], weight: f64) -> Vec<Vec3> {
    let points: Vec<SupportPoint> =
        places.iter().map(|point| SupportPoint { point: *point, normal: Vec3::z(), price: 1.0 }).collect();
    let mut forces = vec![Vec3::zeros(); points.len()];
    let settings = SupportSettings { friction: 1.0, weight, length: wrench.center.z.abs().max(1e-9) };
    explain(wrench, &points, &settings, &mut forces);
    forces
}

/// The inverse of the inertia of the whole about its centre of mass, along the carriage's axes: momentum of its turns about the base.
fn ease(creature: &Creature, reference: &StrideReference, data: &mut Data, moment: &Moment) -> Matrix3<f64> {
    let (nv, base) = (creature.nv(), &reference.base);
    let mut rows = vec![0.0; 6 * nv];
    momentum_matrix(creature, base, data, &moment.pose, &mut rows);
    let about_own = Matrix3::from_fn(|k, j| rows[(3 + k) * nv + base.v + 3 + j]);
    let turn = orientation(&moment.pose, base.q).to_rotation_matrix();
    let inertia = about_own * turn.matrix().transpose();
    inertia.try_inverse().unwrap_or_else(Matrix3::zeros)
}

fn times3(a: &Matrix3<f64>, b: &Matrix3<f64>) -> Matrix3<f64> {
    a * b
}

/// One step back of x' = A x + B u with prices of u: the gain K of u = −K x, and the value P ← Aᵀ P (A − B K).
fn riccati(value: &mut DMatrix<f64>, a: &DMatrix<f64>, b: &DMatrix<f64>, prices: &[f64]) -> DMatrix<f64> {
    let size = a.nrows();
    let ahead = times(value, a);
    let mut gain = DMatrix::zeros(prices.len(), size);
    if !prices.is_empty() {
        let mut cost = transposed_times(b, &times(value, b));
        for (k, price) in prices.iter().enumerate() {
            cost[(k, k)] += price;
        }
        gain = transposed_times(b, &ahead);
        // Prices are above zero and the value is not negative: it has a factor, unless a number is not one.
        if factor(cost.as_mut_slice(), prices.len()) {
            for column in gain.as_mut_slice().chunks_exact_mut(prices.len()) {
                solve(cost.as_slice(), column);
            }
        } else {
            gain.fill(0.0);
        }
    }
    let next = transposed_times(a, &(ahead - times(&times(value, b), &gain)));
    // Symmetric but for rounding, which would grow.
    for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
        value[(i, j)] = 0.5 * (next[(i, j)] + next[(j, i)]);
    }
    gain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One number, x' = a x + b u at prices q and r: the value obeys p = q + a² p r / (r + b² p), a quadratic equation.
    #[test]
    fn one_number_comes_to_its_closed_form() {
        let (a, b, q, r) = (1.3_f64, 0.7_f64, 0.4_f64, 2.0_f64);
        let single = |value: f64| DMatrix::from_element(1, 1, value);
        let mut value = single(0.0);
        let mut gain = single(0.0);
        for _ in 0..200 {
            gain = riccati(&mut value, &single(a), &single(b), &[r]);
            value[(0, 0)] += q;
        }
        // b² p² + (r − a² r − q b²) p − q r = 0
        let half = 0.5 * (r - a * a * r - q * b * b) / (b * b);
        let p = -half + (half * half + q * r / (b * b)).sqrt();
        assert!((value[(0, 0)] - p).abs() < 1e-12 * p, "{} is not {p}", value[(0, 0)]);
        assert!((gain[(0, 0)] - a * b * p / (r + b * b * p)).abs() < 1e-12);
        assert!((a - b * gain[(0, 0)]).abs() < 1.0, "what grew by {a} shrinks");
    }

    /// A mass that is pushed: for small steps the gains are those of continuous time, k = √(q/r) and √(2 k) (Anderson and Moore 1990,
    /// example of the double integrator).
    #[test]
    fn a_pushed_mass_comes_to_that_of_continuous_time() {
        let h = 1e-3;
        let (q, r) = (4.0, 0.25);
        let a = DMatrix::from_row_slice(2, 2, &[1.0, h, 0.0, 1.0]);
        let b = DMatrix::from_row_slice(2, 1, &[0.5 * h * h, h]);
        let mut value = DMatrix::zeros(2, 2);
        let mut gain = DMatrix::zeros(1, 2);
        for _ in 0..20_000 {
            gain = riccati(&mut value, &a, &b, &[r * h]);
            value[(0, 0)] += q * h;
        }
        let (place, speed) = ((q / r).sqrt(), (2.0 * (q / r).sqrt()).sqrt());
        // First order in the step.
        assert!((gain[(0, 0)] - place).abs() < 5.0 * h * place, "{gain}");
        assert!((gain[(0, 1)] - speed).abs() < 5.0 * h * speed, "{gain}");
    }
}
