//! Draws all feet to where they shall be, as near as possible to the modal motion in the elastic metric.
//!
//! ```text
//! minimise ½ δᵀ K δ   with   f(y ⊕ δ) = target
//! ```
//!
//! y is the pose of equation 4 before limits, f takes limits (softly, as section 4.2) and then the feet. Newton's
//! iteration on the conditions of optimality: δ = C Jᵀ λ with (J C Jᵀ + S) λ = target − f + J δ, C = K⁻¹. The orientation
//! of a flat sole is a wish, of compliance S. Feet are exact: their S is lent, and given back through the force λ of the
//! round before (the proximal method of multipliers), so that it does not show in what the iteration ends at. It keeps
//! the matrix regular where legs cannot do what is asked of them, because they are at their limits or have too few
//! joints; there the iteration ends where the feet miss least.
//!
//! Where the pushes of the feet say how the body moves as a whole, that is exact too ([`Held`]), and δ is measured from
//! where it would like to be: K is then the energy of what differs from its neighbours in time.

use std::ops::Range;

use gambol_dynamics::{
    Data, FloatingBase, constraint_jacobian, constraint_residual, each_axis_above, forward_kinematics,
    momentum_matrix,
};
use gambol_model::{Joint, JointKind, Mat3, Quat, Vec3, math};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::scene::FeetScene;
use super::sole::Local;
use crate::limits::{Give, limit};
use crate::{Leg, PinSettings, Terrain};

/// A foot's target at one moment.
pub(super) struct Goal {
    pub(super) leg: usize,
    /// Planted point (x, y) and lowest height above the ground (z), m.
    pub(super) place: Vec3,
    /// How much it may go aside, 0 to 1: nothing for a standing foot.
    pub(super) astray: f64,
    /// The ground under it.
    pub(super) ground: Local,
    /// Orientations of sole and toes: body, its orientation in the ground frame, and how much it matters, 0 to 1.
    pub(super) flat: Vec<(usize, Quat, f64)>,
}

/// What the pushes of the feet make of the body as a whole, at one moment.
pub(super) struct Held {
    pub(super) base: FloatingBase,
    /// Where the centre of mass shall be, m.
    pub(super) center: Vec3,
    /// How δ shall turn the body, m, …
    pub(super) turn: Vec3,
    /// … from this δ on.
    pub(super) from: Vec<f64>,
    /// From ∫ of angular momentum, N·m·s², to m.
    pub(super) unit: Mat3,
    /// Compliance of a foot in the middle of its swing, as a share of a leg's.
    pub(super) astray: f64,
    /// Where δ would like to be: what its neighbours in time have, so that it moves smoothly.
    pub(super) around: Vec<f64>,
}

/// How a frame ended.
pub(super) struct Pinned {
    pub(super) pose: Vec<f64>,
    /// Largest distance of a foot from its target, m.
    pub(super) error: f64,
}

/// A spring that sets in smoothly is not felt this many times its softness away: exp(−12) is six millionths.
const FAR: f64 = 12.0;

/// Conditions of a body on four legs; others have fewer, or grow into more.
const USUAL: usize = 64;

/// `pin` or `reach`.
pub(super) type Solver =
    fn(&FeetScene, &mut Data, &[f64], &[Goal], &dyn Fn(f64, f64) -> f64, Option<&Held>, &mut [f64]) -> Pinned;

/// Pins one frame. `free` is the unlimited modal pose with its root in place; `delta` is a guess of its correction on entry,
/// the correction on return. `floor` is the height of the ground in the creature's ground frame.
pub(super) fn pin(
    scene: &FeetScene,
    data: &mut Data,
    free: &[f64],
    goals: &[Goal],
    floor: &dyn Fn(f64, f64) -> f64,
    held: Option<&Held>,
    delta: &mut [f64],
) -> Pinned {
    let creature = scene.creature;
    let nv = creature.nv();
    let settings = &scene.settings.pin;
    let near = settings.near * scene.legs.length.max(1e-6);
    let mut give: Vec<Give> = Vec::new();
    let (mut best, mut least) = (Pinned { pose: free.to_vec(), error: f64::INFINITY }, f64::INFINITY);
    // Feet come first: nothing that holds the body as a whole is stiffer.
    let most_lent = held.map_or(settings.most_lent, |_| settings.feet_first * scene.settings.obey.soft[0]);
    let (mut lent, mut error, mut slack) = (settings.first_lent.min(most_lent), f64::INFINITY, f64::INFINITY);
    let mut force: Vec<f64> = Vec::new();
    let mut kept = delta.to_vec();
    let mut relaxed = Relaxed { step: vec![0.0; nv], share: 0.0 };
    for _ in 0..settings.iterations {
        let mut pose = free.to_vec();
        creature.integrate(&mut pose, delta, 1.0);
        limit(creature, scene.settings.limits.soft, &mut pose, &mut give);
        let mut system = System::new(scene, data, &pose, goals, floor, held);
        chain_rule(scene, &give, delta, &mut system.rows, nv);
        system.turn(held, delta);
        let (arrived, merit) = (system.error <= near, system.merit(scene, &apart(delta, held)));
        if arrived || merit < least {
            (best, least) = (Pinned { pose, error: system.error }, merit);
            kept.copy_from_slice(delta);
        }
        if arrived && slack <= scene.settled {
            break;
        }
        (lent, error) = (lend(settings, lent, error, system.error).min(most_lent), system.error);
        let Some([reach, relax]) =
            system.solve(scene, &apart(delta, held), lent * scene.leg_compliance(), &mut force)
        else {
            break;
        };
        slack = largest(&relax);
        if largest(&reach).max(slack) <= settings.still {
            break;
        }
        let share = relaxed.next_share(scene, &relax);
        let step: Vec<f64> = reach.iter().zip(&relax).map(|(n, t)| n + share * t).collect();
        let part = (settings.longest_step / largest(&step)).min(1.0);
        for (d, s) in delta.iter_mut().zip(&step) {
            *d += part * s;
        }
        relaxed = Relaxed { step: relax, share: part * share };
    }
    delta.copy_from_slice(&kept);
    best
}

/// Brings the feet of a frame where they shall be by the shortest way from `delta`, and changes nothing else.
pub(super) fn reach(
    scene: &FeetScene,
    data: &mut Data,
    free: &[f64],
    goals: &[Goal],
    floor: &dyn Fn(f64, f64) -> f64,
    held: Option<&Held>,
    delta: &mut [f64],
) -> Pinned {
    let creature = scene.creature;
    let settings = &scene.settings.pin;
    let near = settings.near * scene.legs.length.max(1e-6);
    let (mut give, mut force) = (Vec::new(), Vec::new());
    let mut best = Pinned { pose: free.to_vec(), error: f64::INFINITY };
    let (mut lent, mut error) = (settings.least_lent, f64::INFINITY);
    for _ in 0..settings.reach_iterations {
        let mut pose = free.to_vec();
        creature.integrate(&mut pose, delta, 1.0);
        limit(creature, scene.settings.limits.soft, &mut pose, &mut give);
        let mut system = System::new(scene, data, &pose, goals, floor, held);
        chain_rule(scene, &give, delta, &mut system.rows, creature.nv());
        system.turn(held, delta);
        if system.error < best.error {
            best = Pinned { pose, error: system.error };
        }
        if best.error <= near {
            break;
        }
        (lent, error) = (lend(settings, lent, error, system.error), system.error);
        system.bring_home(creature.nv());
        let Some([step, _]) =
            system.solve(scene, &apart(delta, held), lent * scene.leg_compliance(), &mut force)
        else {
            break;
        };
        let part = (settings.longest_step / largest(&step)).min(1.0);
        for (d, s) in delta.iter_mut().zip(&step) {
            *d += part * s;
        }
    }
    best
}

/// δ as seen from where it would like to be.
fn apart(delta: &[f64], held: Option<&Held>) -> Vec<f64> {
    match held {
        Some(held) => delta.iter().zip(&held.around).map(|(d, a)| d - a).collect(),
        None => delta.to_vec(),
    }
}

fn largest(step: &[f64]) -> f64 {
    step.iter().map(|x| x.abs()).fold(0.0, f64::max)
}

/// What to lend to the feet after a round that brought their error from `before` to `now`.
fn lend(settings: &PinSettings, lent: f64, before: f64, now: f64) -> f64 {
    if before.is_infinite() {
        lent
    } else if now > settings.slow * before {
        (settings.lend * lent).min(settings.most_lent)
    } else if now < settings.fast * before {
        (lent / settings.lend).max(settings.least_lent)
    } else {
        lent
    }
}

/// The last relaxing step: what was wished for, and how much of it was done.
struct Relaxed {
    step: Vec<f64>,
    share: f64,
}

impl Relaxed {
    /// How much of the next one to do: the secant step of Barzilai and Borwein (1988), a = ⟨s, −y⟩ / ⟨y, y⟩ in the
    /// elastic metric, s what was done and y by how much the wish changed. It stands for the curvature of feet and limits
    /// that J leaves out: where the pull on a foot is strong, steps of 1 swing about the goal.
    fn next_share(&self, scene: &FeetScene, wish: &[f64]) -> f64 {
        let (mut sy, mut yy) = (0.0, 0.0);
        for ((before, now), c) in self.step.iter().zip(wish).zip(&scene.compliance) {
            let y = now - before;
            sy -= self.share * before * y / c;
            yy += y * y / c;
        }
        let [least, most] = scene.settings.pin.relax;
        if sy > 0.0 { (sy / yy).clamp(least, most) } else { 1.0 }
    }
}

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
struct System {
    /// Jacobian, row by row, by small motions of the limited pose and after `chain_rule` by δ.
    rows: Vec<f64>,
    /// target − f
    residual: Vec<f64>,
    /// Diagonal of S; `None` for what is exact.
    soft: Vec<Option<f64>>,
    /// Per row, what `reach` does about it.
    home: Vec<Home>,
    /// Whether all rows that are left are to be brought home.
    homing: bool,
    /// Largest distance of a foot from its target, m (or of a constraint from 0).
    error: f64,
    /// Rows of the body as a whole, where it is held: three of its centre of mass, three of its turn.
    held: Range<usize>,
}

impl System {
    fn new(
        scene: &FeetScene,
        data: &mut Data,
        pose: &[f64],
        goals: &[Goal],
        floor: &dyn Fn(f64, f64) -> f64,
        held: Option<&Held>,
    ) -> Self {
        let creature = scene.creature;
        let nv = creature.nv();
        let mut system = Self {
            rows: Vec::with_capacity(USUAL * nv),
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
            let low = touch.lowest(&data.frames[touch.body], Vec3::z()).point;
            let ground = Local { height: floor(low.x, low.y), ..Local::level() };
            system.keep_out(scene, data, touch.body, low, &ground, margin);
        }
        // A swinging foot goes by its planted point; heel and toes must not drag.
        for goal in goals.iter().filter(|goal| goal.ground.aloft > 0.0) {
            for touch in &scene.legs.legs[goal.leg].sole {
                let low = touch.lowest(&data.frames[touch.body], goal.ground.normal).point;
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

    /// Leaves what `reach` asks for: wishes stay as they are, feet come home as far as they must.
    fn bring_home(&mut self, nv: usize) {
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
    fn hold(&mut self, scene: &FeetScene, data: &mut Data, pose: &[f64], held: &Held) {
        let nv = scene.creature.nv();
        let mut momenta = vec![0.0; 6 * nv];
        let gap = held.center - momentum_matrix(scene.creature, &held.base, data, pose, &mut momenta);
        self.rows.extend(momenta[..3 * nv].iter().map(|p| p / held.base.mass));
        self.held = self.residual.len()..self.residual.len() + 6;
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
    fn turn(&mut self, held: Option<&Held>, delta: &[f64]) {
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
        scene: &FeetScene,
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
        each_axis_above(scene.creature, data, body, |dof, angular, linear, origin| {
            self.rows[start + dof] = share * (linear + angular.cross(&(low - origin))).dot(&ground.normal);
        });
        self.residual.push(depth);
        self.soft.push(Some(scene.settings.pin.hard * scene.leg_compliance()));
        self.home.push(Home::Above(-height));
    }

    /// One row that keeps a knee bent: a straight leg can give in no direction along itself, and a foot that is drawn through
    /// that point jerks. φ as in `keep_out`.
    fn bend(&mut self, scene: &FeetScene, leg: &Leg, pose: &[f64]) {
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
        self.rows[start + joint.v] = leg.bend / (1.0 + math::exp(-x));
        self.residual.push(lacks);
        self.soft.push(Some(scene.compliance[joint.v] / settings.bent_stiffness));
        self.home.push(Home::Wish);
    }

    /// Three rows that wish for the orientation of a body.
    fn flatten(
        &mut self,
        scene: &FeetScene,
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
        self.residual.extend((turn * weight).iter());
        self.soft.extend([Some(scene.mean_compliance / scene.settings.pin.flat); 3]);
        self.home.extend([Home::Wish; 3]);
    }

    /// What a pose is worth where not all can be met: elastic energy of δ and of the wishes, and what feet miss. That
    /// counts by its size and not its square, so that a pose that misses a little to save energy is never the better one.
    fn merit(&self, scene: &FeetScene, delta: &[f64]) -> f64 {
        let elastic: f64 = delta.iter().zip(&scene.compliance).map(|(d, c)| d * d / c).sum();
        let weight = scene.settings.pin.missed / (scene.mean_compliance * scene.legs.length.max(1e-6));
        let missed = |(r, s): (&f64, &Option<f64>)| s.map_or(weight * r.abs(), |s| r * r / s);
        elastic + self.residual.iter().zip(&self.soft).map(missed).sum::<f64>()
    }

    /// The step to the δ of least elastic energy that meets the linearised conditions, in two parts: the shortest one
    /// that brings the feet there, n = C Jᵀ A⁻¹ r with A = J C Jᵀ + S and r of the feet alone, and the one that relaxes
    /// without moving them, t = C Jᵀ λ − δ with A λ = J δ + (r of wishes) + (S λ of the round before, of the feet).
    fn solve(
        &self,
        scene: &FeetScene,
        delta: &[f64],
        lent: f64,
        force: &mut Vec<f64>,
    ) -> Option<[Vec<f64>; 2]> {
        let m = self.residual.len();
        let columns = Columns::new(&self.rows, delta.len());
        let mut matrix = columns.weighed(&scene.compliance, m);
        for (i, soft) in self.soft.iter().enumerate() {
            matrix[(i, i)] += soft.unwrap_or(lent);
        }
        let factor = factored(matrix)?;
        let of_feet = |i: usize| if self.homing || self.soft[i].is_none() { self.residual[i] } else { 0.0 };
        let reach = columns.pull(&scene.compliance, &factor.solve(&DVector::from_fn(m, |i, _| of_feet(i))));
        // Rows of feet and soles stand first and stay the same from round to round; those of knees near the ground do not.
        let held = |i: usize| match self.soft[i] {
            Some(_) => self.residual[i],
            None => lent * force.get(i).copied().unwrap_or(0.0),
        };
        let done = columns.times(delta, m);
        let solved = factor.solve(&DVector::from_fn(m, |i, _| held(i) + done[i]));
        let mut relax = columns.pull(&scene.compliance, &solved);
        for (t, d) in relax.iter_mut().zip(delta) {
            *t -= d;
        }
        force.clear();
        force.extend(solved.iter());
        Some([reach, relax])
    }
}

/// The Jacobian by columns, without what is 0: a foot moves with the joints of its leg alone, and most products are with nothing.
struct Columns {
    /// Per coordinate: where its entries begin; one more at the end.
    starts: Vec<usize>,
    /// Per entry: its row, rising in each column, …
    rows: Vec<usize>,
    /// … and what it is.
    slopes: Vec<f64>,
}

impl Columns {
    fn new(rows: &[f64], nv: usize) -> Self {
        let mut starts = vec![0; nv + 1];
        for row in rows.chunks_exact(nv) {
            for (start, slope) in starts[1..].iter_mut().zip(row) {
                *start += usize::from(*slope != 0.0);
            }
        }
        for dof in 0..nv {
            starts[dof + 1] += starts[dof];
        }
        let mut columns = Self { rows: vec![0; starts[nv]], slopes: vec![0.0; starts[nv]], starts };
        let mut next = columns.starts.clone();
        for (i, row) in rows.chunks_exact(nv).enumerate() {
            for (at, slope) in next.iter_mut().zip(row).filter(|(_, slope)| **slope != 0.0) {
                (columns.rows[*at], columns.slopes[*at]) = (i, *slope);
                *at += 1;
            }
        }
        columns
    }

    /// Of each coordinate: the rows that it moves, and how.
    fn each(&self) -> impl Iterator<Item = (&[usize], &[f64])> {
        self.starts.windows(2).map(|span| (&self.rows[span[0]..span[1]], &self.slopes[span[0]..span[1]]))
    }

    /// J C Jᵀ of `m` rows: the part below the diagonal.
    fn weighed(&self, compliance: &[f64], m: usize) -> DMatrix<f64> {
        let mut matrix = DMatrix::zeros(m, m);
        let entries = matrix.as_mut_slice();
        for ((rows, slopes), c) in self.each().zip(compliance) {
            for (k, (&j, b)) in rows.iter().zip(slopes).enumerate() {
                let (column, eased) = (&mut entries[j * m..(j + 1) * m], b * c);
                let (rows, slopes) = (&rows[k..], &slopes[k..]);
                // The root moves all of them, one after another.
                if rows[rows.len() - 1] - j + 1 == rows.len() {
                    for (entry, a) in column[j..].iter_mut().zip(slopes) {
                        *entry += a * eased;
                    }
                } else {
                    for (&i, a) in rows.iter().zip(slopes) {
                        column[i] += a * eased;
                    }
                }
            }
        }
        matrix
    }

    /// C Jᵀ `force`
    fn pull(&self, compliance: &[f64], force: &DVector<f64>) -> Vec<f64> {
        let sum = |((rows, slopes), c): ((&[usize], &[f64]), &f64)| {
            rows.iter().zip(slopes).map(|(&i, a)| a * c * force[i]).sum()
        };
        self.each().zip(compliance).map(sum).collect()
    }

    /// J `delta`, of `m` rows.
    fn times(&self, delta: &[f64], m: usize) -> Vec<f64> {
        let mut product = vec![0.0; m];
        for ((rows, slopes), d) in self.each().zip(delta) {
            for (&i, a) in rows.iter().zip(slopes) {
                product[i] += a * d;
            }
        }
        product
    }
}

/// L of L Lᵀ, column by column, of what is below the diagonal of `matrix`. nalgebra's own makes a call of every column that is taken from
/// another; these are short, and many are taken by nothing.
fn factored(mut matrix: DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    let m = matrix.nrows();
    let entries = matrix.as_mut_slice();
    for j in 0..m {
        let (before, rest) = entries.split_at_mut(j * m);
        let column = &mut rest[j..m];
        for other in before.chunks_exact(m) {
            let by = other[j];
            if by != 0.0 {
                for (a, b) in column.iter_mut().zip(&other[j..]) {
                    *a -= by * b;
                }
            }
        }
        // Not positive, or not a number.
        if column[0].is_nan() || column[0] <= 0.0 {
            return None;
        }
        let diagonal = column[0].sqrt();
        column[0] = diagonal;
        for a in &mut column[1..] {
            *a /= diagonal;
        }
    }
    Some(Cholesky::pack_dirty(matrix))
}

/// How a motion of one joint of the limited pose follows from one of δ.
enum Mapped {
    Scaled(usize, f64),
    Turned(usize, Mat3),
}

/// From motions of the limited pose to motions of δ: limits give less, and δ of a ball is a rotation vector.
fn chain_rule(scene: &FeetScene, give: &[Give], delta: &[f64], rows: &mut [f64], nv: usize) {
    let of_joint = |(joint, give): (&Joint, &Give)| {
        let turns = match joint.kind {
            JointKind::Hinge | JointKind::Slide => {
                let Give::Scalar(slope) = give else { return None };
                return (*slope != 1.0).then_some(Mapped::Scaled(joint.v, *slope));
            }
            JointKind::Ball => joint.v,
            JointKind::Free => joint.v + 3,
        };
        let map = right_jacobian(Vec3::from_column_slice(&delta[turns..turns + 3]));
        let map = if let Give::Ball(limited) = give { limited * map } else { map };
        Some(Mapped::Turned(turns, map))
    };
    let maps: Vec<Mapped> = scene.creature.joints().iter().zip(give).filter_map(of_joint).collect();
    for row in rows.chunks_exact_mut(nv) {
        for map in &maps {
            match map {
                Mapped::Scaled(dof, slope) => row[*dof] *= slope,
                Mapped::Turned(turns, map) => {
                    let turn = &mut row[*turns..turns + 3];
                    let [x, y, z] = [turn[0], turn[1], turn[2]];
                    if x != 0.0 || y != 0.0 || z != 0.0 {
                        for (i, out) in turn.iter_mut().enumerate() {
                            *out = map[(0, i)] * x + map[(1, i)] * y + map[(2, i)] * z;
                        }
                    }
                }
            }
        }
    }
}

/// Body velocity of exp(r) per change of r: I − (1 − cos a)/a² [r] + (a − sin a)/a³ [r]², a = |r|.
fn right_jacobian(r: Vec3) -> Mat3 {
    let a2 = r.norm_squared();
    let a = a2.sqrt();
    let (b, c) = if a < 1e-4 {
        (0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0)
    } else {
        ((1.0 - math::cos(a)) / a2, (a - math::sin(a)) / (a2 * a))
    };
    let cross = r.cross_matrix();
    Mat3::identity() - cross * b + cross * cross * c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_jacobian_is_the_difference_quotient() {
        for r in [Vec3::new(0.3, -0.8, 0.5), Vec3::new(1e-5, 0.0, 2e-5)] {
            let h = 1e-6;
            for k in 0..3 {
                let moved = Quat::from_scaled_axis(r + Vec3::ith(k, h));
                let turn = (Quat::from_scaled_axis(r).inverse() * moved).scaled_axis() / h;
                assert!((turn - right_jacobian(r).column(k)).norm() < 2e-6, "the quotient errs by h");
            }
        }
    }
}
