//! A pose whose bones are about where they are expected, and whose handles are where they are pulled: least squares by the method of
//! Levenberg and Marquardt.
//!
//! ```text
//! E = Σ |p(q) − p̂|² / σ²  +  Σ |h(q) − t|² / ε²  +  Σ (q ⊖ q̄)² / s²
//! ```

use gambol_dynamics::{Data, Goal, each_axis_above, forward_kinematics};
use gambol_model::{BodyPoint, Creature, JointKind, Vec3};
use nalgebra::{DMatrix, DVector};

use super::{Posed, RootMotion};

/// Rounds; ten are usual.
const ROUNDS: usize = 60;

/// Nothing moves any more, rad or m.
const STILL: f64 = 1e-5;

/// E hardly falls any more, as a share of it.
const LEVEL: f64 = 1e-4;

/// Largest step of a round, rad: beyond, the linear picture does not hold.
const STRIDE: f64 = 0.6;

/// Least, first and largest share of the diagonal that holds a round back, and the factors by which it goes up and down.
const HOLD_BACK: [f64; 3] = [1e-9, 1e-4, 1e8];
const HARDER: f64 = 8.0;
const SOFTER: f64 = 10.0;

/// What a pose is wanted to be like.
pub(super) struct Wish<'w> {
    /// Ends of bones, where they are expected, m, and the variance of that, m².
    pub(super) ends: &'w [BodyPoint],
    pub(super) places: &'w [Vec3],
    pub(super) variances: &'w [f64],
    /// Handles, met to a part of `handle_blur`, m.
    pub(super) goals: &'w [Goal],
    pub(super) handle_blur: f64,
    /// Where it begins, `nq` numbers, and the variances of its angles, `nv` numbers.
    pub(super) anchor: &'w [f64],
    pub(super) angle_variances: &'w [f64],
    /// A free root goes anywhere.
    pub(super) root: RootMotion,
}

pub(super) fn fit(creature: &Creature, data: &mut Data, wish: &Wish) -> Posed {
    let mut work = Work::new(creature);
    let mut pose = wish.anchor.to_vec();
    let mut energy = work.energy(data, wish, &pose);
    let mut hold_back = HOLD_BACK[1];
    for _ in 0..ROUNDS {
        work.linearise(data, wish, &pose);
        let Some((next, lower, moved)) = work.descend(data, wish, &pose, energy, &mut hold_back) else {
            break;
        };
        let level = energy - lower <= LEVEL * energy;
        (pose, energy) = (next, lower);
        if moved < STILL || level {
            break;
        }
    }
    let frames = forward_kinematics(creature, data, &pose);
    let miss = |goal: &Goal| (goal.target - frames[goal.point.body].point_in_world(goal.point.point)).norm();
    Posed { miss: wish.goals.iter().map(miss).fold(0.0, f64::max), pose }
}

/// The memory of one fit.
struct Work<'c> {
    creature: &'c Creature,
    /// Jᵀ W J and Jᵀ W r of all points, and of the angles.
    system: DMatrix<f64>,
    force: DVector<f64>,
    delta: Vec<f64>,
    /// Coordinates that move a point, and how.
    moves: Vec<(usize, Vec3)>,
}

impl<'c> Work<'c> {
    fn new(creature: &'c Creature) -> Self {
        let nv = creature.nv();
        let (system, force) = (DMatrix::zeros(nv, nv), DVector::zeros(nv));
        Self { creature, system, force, delta: vec![0.0; nv], moves: Vec::with_capacity(nv) }
    }

    /// E at a pose; leaves its frames in `data`.
    fn energy(&mut self, data: &mut Data, wish: &Wish, pose: &[f64]) -> f64 {
        forward_kinematics(self.creature, data, pose);
        let mut energy: f64 = points(wish)
            .map(|(at, target, weight)| {
                weight * (target - data.frames[at.body].point_in_world(at.point)).norm_squared()
            })
            .sum();
        self.creature.difference(pose, wish.anchor, &mut self.delta);
        for (dof, x) in self.delta.iter().enumerate() {
            energy += x * x * self.angle_weight(wish, dof);
        }
        energy
    }

    /// 1/s² of a coordinate; nothing of the root.
    fn angle_weight(&self, wish: &Wish, dof: usize) -> f64 {
        if self.is_root(dof) { 0.0 } else { 1.0 / wish.angle_variances[dof] }
    }

    fn is_root(&self, dof: usize) -> bool {
        self.creature.joints()[self.creature.dofs()[dof].joint].kind == JointKind::Free
    }

    /// The quadratic picture of E about a pose whose frames are in `data`.
    fn linearise(&mut self, data: &Data, wish: &Wish, pose: &[f64]) {
        self.system.fill(0.0);
        self.force.fill(0.0);
        for (at, target, weight) in points(wish) {
            let there = data.frames[at.body].point_in_world(at.point);
            self.moves.clear();
            let moves = &mut self.moves;
            each_axis_above(self.creature, data, at.body, |dof, angular, linear, origin| {
                moves.push((dof, linear + angular.cross(&(there - origin))));
            });
            let pull = weight * (target - there);
            for (k, (i, a)) in self.moves.iter().enumerate() {
                self.force[*i] += a.dot(&pull);
                let a = weight * a;
                for (j, b) in &self.moves[..=k] {
                    self.system[(*i.max(j), *i.min(j))] += a.dot(b);
                }
            }
        }
        self.creature.difference(pose, wish.anchor, &mut self.delta);
        for dof in 0..self.creature.nv() {
            let weight = self.angle_weight(wish, dof);
            self.system[(dof, dof)] += weight;
            self.force[dof] += weight * self.delta[dof];
        }
        if wish.root == RootMotion::Given {
            for dof in (0..self.creature.nv()).filter(|dof| self.is_root(*dof)).collect::<Vec<_>>() {
                self.system.row_mut(dof).fill(0.0);
                self.system.column_mut(dof).fill(0.0);
                (self.system[(dof, dof)], self.force[dof]) = (1.0, 0.0);
            }
        }
    }

    /// A pose with a lower E, whose frames it leaves in `data`, that, and how far it is; `None` if there is none.
    fn descend(
        &mut self,
        data: &mut Data,
        wish: &Wish,
        pose: &[f64],
        energy: f64,
        hold_back: &mut f64,
    ) -> Option<(Vec<f64>, f64, f64)> {
        while *hold_back <= HOLD_BACK[2] {
            let mut held = self.system.clone();
            for dof in 0..held.nrows() {
                // What nothing pulls at stays.
                held[(dof, dof)] = held[(dof, dof)] * (1.0 + *hold_back) + f64::MIN_POSITIVE;
            }
            let Some(factor) = held.cholesky() else {
                *hold_back *= HARDER;
                continue;
            };
            let mut step = factor.solve(&self.force);
            let longest = step.amax();
            if longest > STRIDE {
                step *= STRIDE / longest;
            }
            let mut next = pose.to_vec();
            self.creature.integrate(&mut next, step.as_slice(), 1.0);
            let lower = self.energy(data, wish, &next);
            if lower < energy {
                *hold_back = (*hold_back / SOFTER).max(HOLD_BACK[0]);
                return Some((next, lower, step.amax()));
            }
            *hold_back *= HARDER;
        }
        None
    }
}

/// All points, where they should be, and how much that counts.
fn points<'w>(wish: &'w Wish) -> impl Iterator<Item = (BodyPoint, Vec3, f64)> + 'w {
    let ends = wish.ends.iter().zip(wish.places).zip(wish.variances);
    let ends = ends.map(|((&at, &place), variance)| (at, place, 1.0 / variance));
    let handle = 1.0 / (wish.handle_blur * wish.handle_blur);
    ends.chain(wish.goals.iter().map(move |goal| (goal.point, goal.target, handle)))
}
