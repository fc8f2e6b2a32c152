//! The conditions that a pose meets where its feet are where they shall be, linearised.

use std::ops::Range;

use gambol_dynamics::{
    Data, constraint_jacobian, constraint_residual, each_axis_above, forward_kinematics, momentum_matrix,
};
use gambol_model::{Quat, Vec3, math};

use super::columns::{Columns, Factor};
use super::{Asked, Held};
use crate::feet::scene::FeetScene;
use crate::feet::sole::Local;
use crate::{Leg, Terrain};

/// A spring that sets in smoothly is not felt this many times its softness away: exp(−12) is six millionths.
const FAR: f64 = 12.0;

/// Conditions of a body on four legs; others have fewer, or grow into more.
const USUAL: usize = 64;

/// What `reach` does about a condition.
#[derive(Clone, Copy)]
enum Home {
    /// Brings this share of it home: all of what is exact, less of a foot that may go astray.
    Share(f64),
    /// Nothing: it is a wish.
    Wish,
    /// Lifts what is this far below the ground, m, and leaves alone what is not.
    Above(f64),
}

/// The linearised conditions.
pub(super) struct System<'a> {
    /// Jacobian, row by row, by small motions of the limited pose and after `chain_rule` by δ.
    rows: Vec<f64>,
    /// Per row: the coordinates that may have anything in it.
    movers: Vec<&'a [usize]>,
    /// target − f
    residual: Vec<f64>,
    /// Diagonal of S; `None` for what is exact.
    soft: Vec<Option<f64>>,
    /// Per row, what `reach` does about it.
    home: Vec<Home>,
    /// Whether all rows that are left are to be brought home.
    homing: bool,
    /// Largest distance of a foot from its target, m (or of a constraint from 0).
    pub(super) error: f64,
    /// Rows of the body as a whole, where it is held: three of its centre of mass, three of its turn.
    held: Range<usize>,
}

impl<'a> System<'a> {
    pub(super) fn new(scene: &'a FeetScene, data: &mut Data, pose: &[f64], asked: &Asked) -> Self {
        let Asked { goals, floor, held, .. } = *asked;
        let creature = scene.creature;
        let nv = creature.nv();
        let mut system = Self {
            rows: Vec::with_capacity(USUAL * nv),
            movers: Vec::with_capacity(USUAL),
            residual: Vec::with_capacity(USUAL),
            soft: Vec::with_capacity(USUAL),
            home: Vec::with_capacity(USUAL),
            homing: false,
            error: 0.0,
            held: 0..0,
        };
        if !scene.constraints.is_empty() {
            let gap = constraint_residual(creature, data, pose, &scene.constraints);
            let jacobian = constraint_jacobian(creature, data, pose, &scene.constraints);
            for row in 0..gap.len() {
                system.rows.extend(jacobian.row(row).iter());
                system.movers.push(&scene.movers.all);
                system.residual.push(-gap[row]);
                system.soft.push(None);
                system.home.push(Home::Share(1.0));
                system.error = system.error.max(gap[row].abs());
            }
        }
        if let Some(held) = held {
            system.hold(scene, data, pose, held);
        }
        // What holds the body has done that already.
        if held.is_none() {
            forward_kinematics(creature, data, pose);
        }
        let (settings, leg_compliance) = (&scene.settings.pin, scene.leg_compliance());
        let mut rows = vec![0.0; 3 * nv];
        for goal in goals {
            let leg = &scene.legs.legs[goal.leg];
            let stand = scene.stand(leg, &data.frames, &goal.ground);
            stand.rows(creature, data, leg, &mut rows);
            system.rows.extend_from_slice(&rows);
            system.movers.extend([&*scene.movers.soles[goal.leg]; 3]);
            let gap = goal.place - stand.place;
            system.residual.extend(gap.iter());
            let astray = held.map_or(settings.astray, |held| held.astray);
            let astray = (goal.astray * astray).max(settings.least_lent) * leg_compliance;
            let level = (goal.astray > 0.0).then_some(astray);
            system.soft.extend([level, level, None]);
            system.home.extend([1.0 - goal.astray, 1.0 - goal.astray, 1.0].map(Home::Share));
            system.error = system.error.max(if level.is_none() { gap.norm() } else { gap.z.abs() });
            for &(body, orientation, weight) in goal.flat.iter().filter(|(_, _, weight)| *weight > 0.0) {
                system.flatten(scene, data, body, orientation, weight, &mut rows);
            }
        }
        let margin = settings.margin * scene.legs.length;
        let near = margin * (1.0 + FAR * settings.margin_softness);
        let is_level = *scene.terrain == Terrain::Flat;
        for touch in &scene.low {
            // Most of them are far above the ground.
            if is_level && touch.is_above(&data.frames[touch.body], near) {
                continue;
            }
            let low = touch.lowest_point(&data.frames[touch.body], Vec3::z());
            let ground = Local { height: floor(low.x, low.y), ..Local::level() };
            system.keep_out(scene, data, touch.body, low, &ground, margin);
        }
        // A swinging foot goes by its planted point; heel and toes must not drag.
        for goal in goals.iter().filter(|goal| goal.ground.aloft > 0.0) {
            for touch in &scene.legs.legs[goal.leg].sole {
                let low = touch.lowest_point(&data.frames[touch.body], goal.ground.normal);
                let margin = margin * goal.ground.aloft.max(settings.least_aloft);
                system.keep_out(scene, data, touch.body, low, &goal.ground.plane_at(goal.place, low), margin);
            }
        }
        for leg in &scene.legs.legs {
            system.bend(scene, leg, pose);
        }
        if let Some((head, orientation)) = scene.head {
            system.flatten(scene, data, head, orientation, settings.steady_head, &mut rows);
        }
        system
    }

    /// For `chain_rule`.
    pub(super) fn rows_and_movers(&mut self) -> (&mut [f64], &[&'a [usize]]) {
        (&mut self.rows, &self.movers)
    }

    /// Leaves what `reach` asks for: wishes stay as they are, feet come home as far as they must.
    pub(super) fn bring_home(&mut self, nv: usize) {
        self.homing = true;
        for (i, home) in self.home.iter().enumerate() {
            self.residual[i] = match *home {
                Home::Share(share) => share * self.residual[i],
                Home::Above(depth) => depth.max(0.0),
                Home::Wish => 0.0,
            };
            if !matches!(home, Home::Above(_)) {
                self.soft[i] = None;
            }
            if matches!(home, Home::Wish) || matches!(home, Home::Above(depth) if *depth <= 0.0) {
                self.rows[i * nv..(i + 1) * nv].fill(0.0);
            }
        }
    }

    /// Six rows of the body as a whole: its centre of mass, and how it turns.
    fn hold(&mut self, scene: &'a FeetScene, data: &mut Data, pose: &[f64], held: &Held) {
        let nv = scene.creature.nv();
        let mut momenta = vec![0.0; 6 * nv];
        let gap = held.center - momentum_matrix(scene.creature, &held.base, data, pose, &mut momenta);
        self.rows.extend(momenta[..3 * nv].iter().map(|p| p / held.base.mass));
        self.held = self.residual.len()..self.residual.len() + 6;
        self.movers.extend([&*scene.movers.all; 6]);
        for i in 0..3 {
            let row =
                |dof: usize| (0..3).map(|j| held.unit[(i, j)] * momenta[(3 + j) * nv + dof]).sum::<f64>();
            self.rows.extend((0..nv).map(row));
        }
        self.residual.extend([gap.x, gap.y, gap.z, 0.0, 0.0, 0.0]); // for the last three see `turn`
        let [shift, turn] = scene.settings.obey.soft.map(|soft| Some(soft * scene.leg_compliance()));
        self.soft.extend([shift, shift, shift, turn, turn, turn]);
        self.home.extend([Home::Share(1.0); 6]);
    }

    /// What `delta` lacks of the turn that is asked for; after `chain_rule`.
    pub(super) fn turn(&mut self, held: Option<&Held>, delta: &[f64]) {
        let Some(held) = held else { return };
        let nv = delta.len();
        for i in 0..3 {
            let at = self.held.start + 3 + i;
            let row = self.rows[at * nv..(at + 1) * nv].iter();
            let done: f64 = row.zip(delta.iter().zip(&held.from)).map(|(a, (d, from))| a * (d - from)).sum();
            self.residual[at] = held.turn[i] - done;
        }
    }

    /// One row that keeps the point `low` of a body out of the ground: a spring that sets in smoothly at a `margin` m,
    /// φ = s ln(1 + exp((m − z)/s)), and is stiff enough to end above the ground.
    fn keep_out(
        &mut self,
        scene: &'a FeetScene,
        data: &Data,
        body: usize,
        low: Vec3,
        ground: &Local,
        margin: f64,
    ) {
        let soft = scene.settings.pin.margin_softness * margin;
        let height = (low.z - ground.height) * ground.normal.z;
        let x = (margin - height) / soft;
        if x < -FAR {
            return;
        }
        let depth = soft * if x > 30.0 { x } else { math::ln_1p(math::exp(x)) };
        let share = 1.0 / (1.0 + math::exp(-x));
        let nv = scene.creature.nv();
        let start = self.rows.len();
        self.rows.resize(start + nv, 0.0);
        self.movers.push(&scene.movers.bodies[body]);
        each_axis_above(scene.creature, data, body, |dof, angular, linear, origin| {
            self.rows[start + dof] = share * (linear + angular.cross(&(low - origin))).dot(&ground.normal);
        });
        self.residual.push(depth);
        self.soft.push(Some(scene.settings.pin.hard * scene.leg_compliance()));
        self.home.push(Home::Above(-height));
    }

    /// One row that keeps a knee bent: a straight leg can give in no direction along itself, and a foot that is drawn through
    /// that point jerks. φ as in `keep_out`.
    fn bend(&mut self, scene: &'a FeetScene, leg: &Leg, pose: &[f64]) {
        let (Some(knee), Some(straight)) = (leg.knee, leg.straight_knee) else { return };
        let joint = &scene.creature.joints()[knee];
        let settings = &scene.settings.pin;
        let soft = settings.bent_softness * settings.bent;
        let x = (settings.bent - leg.bend * (pose[joint.q] - straight)) / soft;
        if x < -FAR {
            return;
        }
        let lacks = soft * if x > 30.0 { x } else { math::ln_1p(math::exp(x)) };
        let start = self.rows.len();
        self.rows.resize(start + scene.creature.nv(), 0.0);
        self.movers.push(&scene.movers.bodies[joint.body]);
        self.rows[start + joint.v] = leg.bend / (1.0 + math::exp(-x));
        self.residual.push(lacks);
        self.soft.push(Some(scene.compliance[joint.v] / settings.bent_stiffness));
        self.home.push(Home::Wish);
    }

    /// Three rows that wish for the orientation of a body.
    fn flatten(
        &mut self,
        scene: &'a FeetScene,
        data: &Data,
        body: usize,
        orientation: Quat,
        weight: f64,
        rows: &mut [f64],
    ) {
        let nv = scene.creature.nv();
        // Axis times sine of the angle: as good as the angle where it is small, and smooth where a foot hangs upside down.
        let turn = orientation * data.frames[body].orientation.inverse();
        let turn = turn.imag() * (2.0 * turn.w);
        rows.fill(0.0);
        each_axis_above(scene.creature, data, body, |dof, angular, _, _| {
            for k in 0..3 {
                rows[k * nv + dof] = weight * angular[k];
            }
        });
        self.rows.extend_from_slice(rows);
        self.movers.extend([&*scene.movers.bodies[body]; 3]);
        self.residual.extend((turn * weight).iter());
        self.soft.extend([Some(scene.mean_compliance / scene.settings.pin.flat); 3]);
        self.home.extend([Home::Wish; 3]);
    }

    /// What a pose is worth where not all can be met: elastic energy of δ and of the wishes, and what feet miss. That
    /// counts by its size and not its square, so that a pose that misses a little to save energy is never the better one.
    pub(super) fn merit(&self, scene: &FeetScene, delta: &[f64]) -> f64 {
        let elastic: f64 = delta.iter().zip(&scene.compliance).map(|(d, c)| d * d / c).sum();
        let weight = scene.settings.pin.missed / (scene.mean_compliance * scene.legs.length.max(1e-6));
        let missed = |(r, s): (&f64, &Option<f64>)| s.map_or(weight * r.abs(), |s| r * r / s);
        elastic + self.residual.iter().zip(&self.soft).map(missed).sum::<f64>()
    }

    /// The step to the δ of least elastic energy that meets the linearised conditions, in two parts: the shortest one
    /// that brings the feet there, n = C Jᵀ A⁻¹ r with A = J C Jᵀ + S and r of the feet alone, and the one that relaxes
    /// without moving them, t = C Jᵀ λ − δ with A λ = J δ + (r of wishes) + (S λ of the round before, of the feet).
    pub(super) fn solve(
        &self,
        scene: &FeetScene,
        delta: &[f64],
        lent: f64,
        force: &mut Vec<f64>,
    ) -> Option<[Vec<f64>; 2]> {
        let columns = Columns::new(&self.rows, &self.movers, delta.len());
        let mut matrix = columns.weighed(&scene.compliance);
        let m = self.residual.len();
        for (i, soft) in self.soft.iter().enumerate() {
            matrix[i * m + i] += soft.unwrap_or(lent);
        }
        let factor = Factor::new(matrix, m)?;
        let of_feet = |i: usize| if self.homing || self.soft[i].is_none() { self.residual[i] } else { 0.0 };
        // Rows of feet and soles stand first and stay the same from round to round; those of knees near the ground do not.
        let held = |i: usize| match self.soft[i] {
            Some(_) => self.residual[i],
            None => lent * force.get(i).copied().unwrap_or(0.0),
        };
        let mut pulls: Vec<f64> = (0..m).map(of_feet).collect();
        let mut relaxed: Vec<f64> =
            columns.times(delta).iter().enumerate().map(|(i, done)| held(i) + done).collect();
        factor.solve([&mut pulls, &mut relaxed]);
        let reach = columns.pull(&scene.compliance, &pulls);
        let mut relax = columns.pull(&scene.compliance, &relaxed);
        for (t, d) in relax.iter_mut().zip(delta) {
            *t -= d;
        }
        *force = relaxed;
        Some([reach, relax])
    }
}
