//! The whole body at once: at every step, the contact forces that let all of it come nearest to the accelerations that are wanted.
//!
//! ```text
//! minimise   ½ (a − a*)ᵀ H (a − a*)                    H a* = Σ Jᵀ w (wanted − J̇ v)
//! subject to M_r a + C_r = G f                          the root's six equations
//!            f inside the friction cones                at the contacts that the simulator found
//!            |τ| ≤ limit,   τ = M_j a + C_j − J_jᵀ f
//! ```
//!
//! H = Σ Jᵀ w J sums up joints, trunk, centre of mass and feet, each weighted by its own inertia. Given the wrench G f, the best
//! accelerations are a = a* + X W (G f − w*), with X = H⁻¹ M_rᵀ, W = (M_r X)⁻¹ and w* = M_r a* + C_r the wrench that would be best: so what
//! is left is a program in the forces alone. A joint at its limit joins the root's rows r, with its limit as given force.
//!
//! ```text
//! minimise ½ (G f − w*)ᵀ W (G f − w*) + ½ ε ‖f‖²
//! ```
//!
//! Dampers of the joints act implicitly about the planned velocity v + h a: they do nothing as long as all goes as planned, and calm
//! what does not.

use gambol_anatomy::Legs;
use gambol_dynamics::{Data, Sense, TooLarge, TreeMatrix, each_axis_above};
use gambol_model::{Creature, JointKind, ModelError, Vec3};
use nalgebra::DMatrix;

use super::dense;
use super::pilot::{Course, Pilot, PilotMemory};
use super::reference::{about_z, orientation};
use super::{FootPlan, LegState, WholeSettings};
use crate::solve::{QuadraticProgram, SolveStatus};
use crate::{Command, Controller};

/// Follows a stride by joint torques, and keeps the balance.
#[derive(Clone, Debug)]
pub struct Whole {
    pilot: Pilot,
    course: Course,
    settings: WholeSettings,
    /// Largest torque of each coordinate, N·m or N; infinite where there is no limit.
    limits: Vec<f64>,
    /// Of each coordinate: that of the creature it is made for, N·m·s.
    damping: Vec<f64>,
    /// Of each coordinate: weight of its joint, in parts of its inertia.
    joint_weights: Vec<f64>,
    mass: TreeMatrix,
}

/// Takes the springs out of a creature, since its controller does their work, and gives its joints the dampers that the controller counts
/// on: those that stop a joint, all others held, within `WholeSettings::damper`.
pub(super) fn muscles(creature: &mut Creature, pilot: &Pilot, settings: &WholeSettings) -> Result<(), ModelError> {
    let mut data = Data::new(creature);
    let Ok(mut mass) = TreeMatrix::new(creature) else { return Ok(()) };
    gambol_dynamics::mass_matrix(creature, &mut data, creature.rest_pose(), &mut mass);
    let time = settings.damper * pilot.units.time();
    for joint in 0..creature.joints().len() {
        let (kind, v) = (creature.joints()[joint].kind, creature.joints()[joint].v);
        if kind == JointKind::Free {
            continue;
        }
        let inertia = (v..v + kind.nv()).map(|dof| diagonal(&mass, dof)).sum::<f64>() / kind.nv() as f64;
        creature.set_stiffness(joint, 0.0)?;
        creature.set_damping(joint, inertia / time)?;
    }
    for tendon in 0..creature.tendons().len() {
        creature.set_tendon_stiffness(tendon, 0.0)?;
    }
    Ok(())
}

/// Legs do what feet, trunk and balance ask for; all else has its own part in the stride.
fn joint_weights(creature: &Creature, pilot: &Pilot, settings: &WholeSettings) -> Vec<f64> {
    let legs = Legs::new(creature, &mut Data::new(creature), creature.rest_pose());
    let mut weights = vec![settings.body_weight; creature.nv()];
    let of_legs =
        legs.legs.iter().flat_map(|leg| leg.joints.iter().map(|&joint| creature.joints()[joint].body));
    let of_feet = pilot.reference.feet.iter().flat_map(|foot| foot.bodies.iter().copied());
    for body in of_legs.chain(of_feet) {
        weights[creature.bodies()[body].dofs.clone()].fill(settings.joint_weight);
    }
    weights
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn diagonal(mass: &TreeMatrix, dof: usize) -> f64 {
    mass.row(dof).last().copied().unwrap_or(0.0)
}

/// How often the program was solved, and how that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverCount {
    /// Steps of the simulation.
    pub solves: usize,
    /// Rows added and dropped in all.
    pub iterations: usize,
    /// Steps in which it kept the last forces, since it found no others.
    pub failures: usize,
}

/// What the controller remembers, and room for work.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeMemory {
    /// Phase, carriage and legs.
    pub pilot: PilotMemory,
    /// Of the program.
    pub solver: SolverCount,
    /// Way of pushing feet along the ground, m, over all of them.
    pub slip: f64,
    mass: TreeMatrix,
    /// H, then its factor.
    h: DMatrix<f64>,
    /// H a*, then a*.
    best: Vec<f64>,
    a: Vec<f64>,
    /// Rows of the root, 6 × nv.
    root: DMatrix<f64>,
    /// Coordinates whose forces are given, and these: zero for the root, their limits for joints that have no more.
    given: Vec<(usize, f64)>,
    /// Per such coordinate: its row of M, ...
    rows: Vec<f64>,
    /// ... its column of X, ...
    x: Vec<f64>,
    /// ... and w*.
    wanted: Vec<f64>,
    /// M_r X, then its factor: the inverse of W.
    w: Vec<f64>,
    /// G, a column for each of three directions at each contact.
    reach: Vec<f64>,
    pulled: Vec<f64>,
    way: Vec<f64>,
    tau: Vec<f64>,
    jacobian: DMatrix<f64>,
    points: Vec<Pushed>,
    program: QuadraticProgram,
    forces: Vec<f64>,
}

/// A contact that may bear load.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pushed {
    body: usize,
    point: Vec3,
    /// Normal, and two directions across it.
    axes: [Vec3; 3],
    friction: f64,
}

/// Most contacts that are made use of: beyond, feet have more corners than help.
const MOST_POINTS: usize = 32;

/// Most coordinates whose forces are given: the root's, and joints at their limits.
const MOST_GIVEN: usize = 6 + 26;

/// Most times that a step is solved because further joints are at their limits.
const ROUNDS: usize = 4;

impl Whole {
    /// A controller of `creature`, which a [`super::Walker`] made ready. `limits` are those of each coordinate, N·m or N.
    pub fn new(
        creature: &Creature,
        pilot: Pilot,
        course: Course,
        limits: Vec<f64>,
        settings: WholeSettings,
    ) -> Result<Self, TooLarge> {
        let mut damping = vec![0.0; creature.nv()];
        for joint in creature.joints() {
            damping[joint.v..joint.v + joint.kind.nv()].fill(joint.damping);
        }
        let joint_weights = joint_weights(creature, &pilot, &settings);
        let mass = TreeMatrix::new(creature)?;
        Ok(Self { pilot, course, settings, limits, damping, joint_weights, mass })
    }

    /// What it follows.
    pub fn pilot(&self) -> &Pilot {
        &self.pilot
    }
}

impl Controller for Whole {
    type Memory = WholeMemory;

    fn memory(&self, creature: &Creature) -> WholeMemory {
        let nv = creature.nv();
        WholeMemory {
            pilot: self.pilot.memory(creature),
            solver: SolverCount::default(),
            slip: 0.0,
            mass: self.mass.clone(),
            h: DMatrix::zeros(nv, nv),
            best: vec![0.0; nv],
            a: vec![0.0; nv],
            root: DMatrix::zeros(6, nv),
            given: Vec::with_capacity(MOST_GIVEN),
            rows: vec![0.0; MOST_GIVEN * nv],
            x: vec![0.0; MOST_GIVEN * nv],
            wanted: vec![0.0; MOST_GIVEN],
            w: vec![0.0; MOST_GIVEN * MOST_GIVEN],
            reach: vec![0.0; MOST_GIVEN * 3 * MOST_POINTS],
            pulled: vec![0.0; MOST_GIVEN],
            way: vec![0.0; nv],
            tau: vec![0.0; nv],
            jacobian: DMatrix::zeros(3, nv),
            points: Vec::with_capacity(MOST_POINTS),
            program: QuadraticProgram::new(3 * MOST_POINTS, 5 * MOST_POINTS),
            forces: vec![0.0; 3 * MOST_POINTS],
        }
    }

    fn command(&self, sense: &Sense, memory: &mut WholeMemory, command: &mut Command) {
        self.steer(sense, &self.course, memory, command);
    }
}

impl Whole {
    /// As [`Controller::command`], on another course than its own.
    pub(super) fn steer(
        &self,
        sense: &Sense,
        course: &Course,
        memory: &mut WholeMemory,
        command: &mut Command,
    ) {
        command.rest.copy_from_slice(&sense.state().q);
        self.pilot.lead(sense, course, &mut memory.pilot, command);
        self.begin(sense, memory);
        self.want_joints(sense, memory);
        self.want_trunk(sense, memory);
        self.want_center(sense, memory);
        self.want_feet(sense, memory);
        self.find_points(sense, memory);
        self.solve(sense, memory);
        self.torques(sense, memory, command);
    }
}

impl Whole {
    /// Mass matrix and rows of the root; no wishes yet.
    fn begin(&self, sense: &Sense, memory: &mut WholeMemory) {
        let base = self.pilot.reference.base.v;
        sense.mass_matrix(&mut memory.mass);
        memory.h.fill(0.0);
        memory.best.fill(0.0);
        for dof in 0..memory.a.len() {
            // Rows begin with the root's columns.
            for (value, column) in memory.mass.row(dof).iter().zip(memory.mass.row_columns(dof)).take(6) {
                let k = *column as usize - base;
                memory.root[(k, dof)] = *value;
                if (base..base + 6).contains(&dof) {
                    memory.root[(dof - base, *column as usize)] = *value;
                }
            }
        }
    }

    /// Joints go back to the stride: a* = ä + ω² (q* ⊖ q) + 2 ω (v* − v).
    fn want_joints(&self, sense: &Sense, memory: &mut WholeMemory) {
        let omega = self.settings.joints / self.pilot.units.time();
        let root = self.root();
        let state = sense.state();
        sense.creature().difference(&state.q, &memory.pilot.moment.pose, &mut memory.way);
        let moment = &memory.pilot.moment;
        for dof in (0..memory.a.len()).filter(|dof| !root.contains(dof)) {
            let wanted = moment.a[dof]
                + omega * omega * memory.way[dof]
                + 2.0 * omega * (moment.v[dof] - state.v[dof]);
            let weight = self.joint_weights[dof] * diagonal(&memory.mass, dof);
            memory.h[(dof, dof)] += weight;
            memory.best[dof] += weight * wanted;
        }
    }

    /// The trunk turns as in the stride, and as the pilot wants it. Angular coordinates of the root are along its own axes.
    fn want_trunk(&self, sense: &Sense, memory: &mut WholeMemory) {
        let base = &self.pilot.reference.base;
        let pilot = &memory.pilot;
        let twist = orientation(&sense.state().q, base.q).inverse() * pilot.twist;
        for k in 0..3 {
            let dof = base.v + 3 + k;
            let weight = self.settings.trunk_weight * memory.root[(3 + k, dof)];
            memory.h[(dof, dof)] += weight;
            memory.best[dof] += weight * (pilot.moment.a[dof] + twist[k]);
        }
    }

    /// m c̈ = M_lin a + C_lin + m g: the first rows of the root are linear momentum.
    fn want_center(&self, sense: &Sense, memory: &mut WholeMemory) {
        let base = &self.pilot.reference.base;
        let (mass, gravity) = (base.mass, sense.creature().gravity());
        let pilot = &memory.pilot;
        let wanted = pilot.acceleration + pilot.push;
        let nv = memory.a.len();
        for k in 0..3 {
            let drift = sense.bias_forces()[base.v + k] / mass + gravity[k];
            let weight = self.settings.center_weight * mass;
            for i in 0..nv {
                let row = memory.root[(k, i)] / mass;
                if row == 0.0 {
                    continue;
                }
                memory.best[i] += weight * row * (wanted[k] - drift);
                for j in 0..=i {
                    memory.h[(i, j)] += weight * row * memory.root[(k, j)] / mass;
                }
            }
        }
    }

    /// Swinging feet go their way, standing ones stay.
    fn want_feet(&self, sense: &Sense, memory: &mut WholeMemory) {
        let time = self.pilot.units.time();
        let (swing, stance) = (self.settings.swing / time, self.settings.stance / time);
        let creature = sense.creature();
        for foot in 0..memory.pilot.legs.len() {
            let leg = memory.pilot.legs[foot];
            let body = self.pilot.reference.feet[foot].body;
            let slower = leg.wanted.velocity - leg.velocity;
            let (wanted, weight) = match leg.state {
                LegState::Pushes if leg.touches => (slower * stance, self.settings.stance_weight),
                LegState::Pushes | LegState::Late => (slower * stance, self.settings.swing_weight),
                _ => {
                    let off = leg.wanted.place - leg.place;
                    let back = off * (swing * swing) + slower * (2.0 * swing);
                    (leg.wanted.acceleration + back, self.settings.swing_weight)
                }
            };
            let wanted = wanted - sense.point_drift(body, leg.place);
            sense.point_jacobian(body, leg.place, &mut memory.jacobian);
            let weight = weight * self.foot_mass(memory, body, creature);
            Self::want_rows(creature, memory, body, wanted, weight);
            self.turn_foot(sense, memory, foot);
        }
    }

    /// A foot with a sole is turned as in the stride, so that it stands on all of it.
    fn turn_foot(&self, sense: &Sense, memory: &mut WholeMemory, foot: usize) {
        let FootPlan { body, sole, .. } = self.pilot.reference.feet[foot];
        if sole <= 0.0 {
            return;
        }
        let omega = self.settings.sole / self.pilot.units.time();
        let turn = about_z(memory.pilot.legs[foot].heading);
        let (planned, spin) = self.pilot.reference.foot_turn(foot, memory.pilot.phase);
        let off = (turn * planned * sense.frames()[body].orientation.inverse()).scaled_axis();
        let slower = turn * spin - sense.velocities()[body].angular;
        let wanted =
            off * (omega * omega) + slower * (2.0 * omega) - sense.data().accelerations[body].angular;
        memory.jacobian.fill(0.0);
        let jacobian = &mut memory.jacobian;
        each_axis_above(sense.creature(), sense.data(), body, |dof, angular, _, _| {
            jacobian.column_mut(dof).copy_from(&angular);
        });
        let weight = self.settings.sole_weight * sole * self.foot_mass(memory, body, sense.creature());
        Self::want_rows(sense.creature(), memory, body, wanted, weight);
    }

    /// Adds `weight` ½ ‖J a − wanted‖² for the three rows of the Jacobian of `body` in memory.
    fn want_rows(creature: &Creature, memory: &mut WholeMemory, body: usize, wanted: Vec3, weight: f64) {
        let mut own = body;
        while own != 0 {
            for i in creature.bodies()[own].dofs.clone() {
                let column = memory.jacobian.column(i);
                memory.best[i] +=
                    weight * (column[0] * wanted.x + column[1] * wanted.y + column[2] * wanted.z);
                let mut other = own;
                while other != 0 {
                    for j in creature.bodies()[other].dofs.clone().filter(|j| *j <= i) {
                        let beside = memory.jacobian.column(j);
                        let product = column[0] * beside[0] + column[1] * beside[1] + column[2] * beside[2];
                        memory.h[(i, j)] += weight * product;
                    }
                    other = creature.bodies()[other].parent;
                }
            }
            own = creature.bodies()[own].parent;
        }
    }

    /// What of a leg moves with the rows of the Jacobian in memory, kg or kg·m²: 1 / mean over directions of Σ J² / M_ii.
    fn foot_mass(&self, memory: &WholeMemory, body: usize, creature: &Creature) -> f64 {
        let root = self.root();
        let mut ease = 0.0;
        let mut own = body;
        while own != 0 {
            for dof in creature.bodies()[own].dofs.clone().filter(|dof| !root.contains(dof)) {
                ease += memory.jacobian.column(dof).norm_squared() / diagonal(&memory.mass, dof);
            }
            own = creature.bodies()[own].parent;
        }
        if ease > 0.0 {
            (3.0 / ease).min(self.pilot.reference.base.mass)
        } else {
            self.pilot.reference.base.mass
        }
    }

    /// Contacts of feet that are to push.
    fn find_points(&self, sense: &Sense, memory: &mut WholeMemory) {
        memory.points.clear();
        let near = self.pilot.settings.touch * self.pilot.units.length;
        let friction = sense.world().settings().friction * self.settings.grip;
        for contact in sense.contacts().iter().filter(|contact| contact.bodies[1] == 0 && contact.gap < near)
        {
            let of_foot = |(leg, plan): (&super::LegMemory, &super::FootPlan)| {
                leg.state.pushes() && plan.bodies.contains(&contact.bodies[0])
            };
            let pushes = memory.pilot.legs.iter().zip(&self.pilot.reference.feet).any(of_foot);
            if pushes && memory.points.len() < MOST_POINTS {
                let normal = contact.normal;
                let other = if normal.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
                let first = (other - normal * normal.dot(&other)).normalize();
                let axes = [normal, first, normal.cross(&first)];
                memory.points.push(Pushed { body: contact.bodies[0], point: contact.point, axes, friction });
            }
        }
    }

    /// Forces, accelerations and torques. A joint that would need more than it has is one more coordinate whose force is given, as the
    /// root is one whose force is zero: so all is solved anew, a few times at most.
    fn solve(&self, sense: &Sense, memory: &mut WholeMemory) {
        let nv = memory.a.len();
        memory.solver.solves += 1;
        memory.given.clear();
        memory.given.extend(self.root().map(|dof| (dof, 0.0)));
        if !dense::factor(memory.h.as_mut_slice(), nv) {
            memory.solver.failures += 1;
            memory.tau.fill(0.0);
            return;
        }
        dense::solve(memory.h.as_slice(), &mut memory.best);
        let mut first = 0;
        for _ in 0..ROUNDS {
            if !Self::reduce(sense, memory, first) {
                memory.solver.failures += 1;
                break;
            }
            first = memory.given.len();
            self.find_forces(memory);
            Self::accelerate(sense, memory);
            if !self.find_limited(memory) {
                break;
            }
        }
    }

    /// Rows of M for the coordinates whose forces are given, from the `first` new one on; X, W and w*, and what forces at the contacts do.
    fn reduce(sense: &Sense, memory: &mut WholeMemory, first: usize) -> bool {
        let nv = memory.a.len();
        for k in first..memory.given.len() {
            let (dof, _) = memory.given[k];
            memory.way.fill(0.0);
            memory.way[dof] = 1.0;
            let row = &mut memory.rows[k * nv..(k + 1) * nv];
            memory.mass.multiply(&memory.way, row);
            let x = &mut memory.x[k * nv..(k + 1) * nv];
            x.copy_from_slice(row);
            dense::solve(memory.h.as_slice(), x);
        }
        let count = memory.given.len();
        for (k, (dof, force)) in memory.given.iter().enumerate() {
            let row = &memory.rows[k * nv..(k + 1) * nv];
            memory.wanted[k] = dot(row, &memory.best) + sense.bias_forces()[*dof] - force;
            for l in 0..count {
                memory.w[l * count + k] = dot(row, &memory.x[l * nv..(l + 1) * nv]);
            }
        }
        memory.reach.fill(0.0);
        for (p, point) in memory.points.iter().enumerate() {
            let (given, reach) = (&memory.given, &mut memory.reach);
            each_axis_above(sense.creature(), sense.data(), point.body, |dof, angular, linear, origin| {
                if let Some(k) = given.iter().position(|(own, _)| *own == dof) {
                    let moves = linear + angular.cross(&(point.point - origin));
                    for (side, axis) in point.axes.iter().enumerate() {
                        reach[(3 * p + side) * count + k] = moves.dot(axis);
                    }
                }
            });
        }
        dense::factor(&mut memory.w[..count * count], count)
    }

    /// The program in the forces alone.
    fn find_forces(&self, memory: &mut WholeMemory) {
        let (rows, count) = (memory.given.len(), 3 * memory.points.len());
        if count == 0 {
            return;
        }
        let price = self.settings.force_price * self.settings.center_weight / self.pilot.reference.base.mass;
        let program = &mut memory.program;
        program.begin(count);
        for i in 0..count {
            let pulled = &mut memory.pulled[..rows];
            pulled.copy_from_slice(&memory.reach[i * rows..(i + 1) * rows]);
            dense::solve(&memory.w[..rows * rows], pulled);
            program.gradient_mut()[i] = -dot(pulled, &memory.wanted);
            for j in i..count {
                let entry = dot(pulled, &memory.reach[j * rows..(j + 1) * rows]);
                program.hessian_mut()[i * count + j] = entry + if i == j { price } else { 0.0 };
            }
        }
        for (k, point) in memory.points.iter().enumerate() {
            program.at_least(0.0)[3 * k] = 1.0;
            for (side, sign) in [(1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
                let row = program.at_least(0.0);
                row[3 * k] = point.friction;
                row[3 * k + side] = sign;
            }
        }
        let status = program.solve();
        memory.solver.iterations += program.steps();
        if status == SolveStatus::Optimal {
            memory.forces[..count].copy_from_slice(program.x());
        } else {
            memory.solver.failures += 1;
            program.forget();
        }
    }

    /// a = a* + X W (G f − w*), and τ = M a + C − Jᵀ f.
    fn accelerate(sense: &Sense, memory: &mut WholeMemory) {
        let (rows, nv) = (memory.given.len(), memory.a.len());
        let short = &mut memory.pulled[..rows];
        for (short, wanted) in short.iter_mut().zip(&memory.wanted) {
            *short = -wanted;
        }
        for (i, force) in memory.forces.iter().take(3 * memory.points.len()).enumerate() {
            for (short, reach) in short.iter_mut().zip(&memory.reach[i * rows..]) {
                *short += reach * force;
            }
        }
        dense::solve(&memory.w[..rows * rows], short);
        memory.a.copy_from_slice(&memory.best);
        for (k, change) in short.iter().enumerate() {
            for (a, x) in memory.a.iter_mut().zip(&memory.x[k * nv..]) {
                *a += x * change;
            }
        }
        memory.mass.multiply(&memory.a, &mut memory.tau);
        for (tau, bias) in memory.tau.iter_mut().zip(sense.bias_forces()) {
            *tau += bias;
        }
        for (point, force) in memory.points.iter().zip(memory.forces.chunks_exact(3)) {
            let force = point.axes[0] * force[0] + point.axes[1] * force[1] + point.axes[2] * force[2];
            let tau = &mut memory.tau;
            each_axis_above(sense.creature(), sense.data(), point.body, |dof, angular, linear, origin| {
                tau[dof] -= force.dot(&(linear + angular.cross(&(point.point - origin))));
            });
        }
    }

    /// Joints that would need more than they have: their forces are given from now on. Whether there are new ones.
    fn find_limited(&self, memory: &mut WholeMemory) -> bool {
        let before = memory.given.len();
        for (dof, tau) in memory.tau.iter().enumerate() {
            let limit = self.limits[dof];
            let known = memory.given.iter().any(|(own, _)| *own == dof);
            if tau.abs() > limit * (1.0 + 1e-9) && !known && memory.given.len() < MOST_GIVEN {
                memory.given.push((dof, limit.copysign(*tau)));
            }
        }
        memory.given.len() > before
    }

    /// What muscles have, and the damper about the planned velocity.
    fn torques(&self, sense: &Sense, memory: &mut WholeMemory, command: &mut Command) {
        let h = sense.world().settings().step;
        let root = self.root();
        for dof in (0..memory.tau.len()).filter(|dof| !root.contains(dof)) {
            let (limit, planned) = (self.limits[dof], sense.state().v[dof] + h * memory.a[dof]);
            command.torque[dof] = memory.tau[dof].clamp(-limit, limit) + self.damping[dof] * planned;
        }
        for leg in memory.pilot.legs.iter().filter(|leg| leg.state.pushes() && leg.touches) {
            memory.slip += h * gambol_model::math::hypot(leg.velocity.x, leg.velocity.y);
        }
    }

    fn root(&self) -> std::ops::Range<usize> {
        let first = self.pilot.reference.base.v;
        first..first + 6
    }
}
