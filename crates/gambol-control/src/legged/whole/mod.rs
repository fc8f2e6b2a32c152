//! The whole body at once: at every step, the contact forces that let all of it come nearest to the accelerations that are wanted.
//!
//! ```text
//! minimise   ½ (a − a*)ᵀ H (a − a*)                    H a* = Σ Jᵀ w (wanted − J̇ v)
//! subject to M_r a + C_r = G f                          the root's six equations
//!            f inside the friction cones                at the contacts that the simulator found
//!            |τ| ≤ limit,   τ = M_j a + C_j − J_jᵀ f
//! ```
//!
//! H = Σ Jᵀ w J sums up joints, trunk and feet, each weighted by its own inertia: as sparse as the tree. Given the wrench G f, the best
//! accelerations are a = a* + X W (G f − w*), with X = H⁻¹ M_rᵀ, W = (M_r X)⁻¹ and w* = M_r a* + C_r the wrench that would be best: so what
//! is left is a program in the forces alone. A joint that would need more than it has joins the rows r, and its torque the unknowns.
//!
//! ```text
//! minimise ½ (G f − w*)ᵀ W (G f − w*) + ½ k/m ‖Σ f − m (c̈* − g)‖² + ½ ε ‖f‖²
//! ```
//!
//! The centre of mass is where the forces lead it, whatever the joints do: what is wanted of it, c̈*, is about the forces alone.
//!
//! Dampers of the joints act implicitly about the planned velocity v + h a: they do nothing as long as all goes as planned, and calm
//! what does not.

mod forces;
mod look;
mod wishes;

use gambol_anatomy::Legs;
use gambol_dynamics::{Data, Sense, TooLarge, Touch, TreeMatrix, forward_kinematics, touches};
use gambol_model::{Creature, JointKind, ModelError, Vec3};
use nalgebra::DMatrix;

use super::WholeSettings;
use super::pilot::{Course, Pilot, PilotMemory};
use crate::solve::QuadraticProgram;
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
    /// What may touch the ground and is no foot.
    others: Vec<Other>,
    /// The head, if it has one.
    gaze: Option<look::Gaze>,
    mass: TreeMatrix,
}

/// Takes the springs out of a creature, since its controller does their work, and gives its joints the dampers that the controller counts
/// on: those that stop a joint, all others held, within `WholeSettings::damper`.
pub(super) fn muscles(
    creature: &mut Creature,
    pilot: &Pilot,
    settings: &WholeSettings,
) -> Result<(), ModelError> {
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

/// What may touch the ground and is not to.
#[derive(Clone, Debug)]
struct Other {
    touch: Touch,
    /// The foot that it bears. While that stands, shins stand over it, and not high.
    foot: Option<usize>,
}

/// What of a creature may touch the ground and belongs to no foot.
fn no_feet(creature: &Creature, pilot: &Pilot) -> Vec<Other> {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, creature.rest_pose());
    let feet = &pilot.reference.feet;
    let others =
        (1..creature.bodies().len()).filter(|body| feet.iter().all(|foot| !foot.bodies.contains(body)));
    let one = |body: usize| {
        let foot = feet.iter().position(|foot| creature.bodies()[foot.body].parent == body);
        let touches = touches(creature, body, &frames[body], Vec3::z());
        touches.into_iter().map(move |touch| Other { touch, foot })
    };
    others.flat_map(one).collect()
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
    /// H, then its factor: as sparse as the tree, since a foot's rows are those of the joints above it.
    h: TreeMatrix,
    /// H a*, then a*.
    best: Vec<f64>,
    a: Vec<f64>,
    /// Coordinates whose forces count: the root's, which are zero, and those of joints that are bounded.
    given: Vec<usize>,
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

/// Coordinates of the root, and most of which the forces count: those and bounded joints.
const ROOT: usize = 6;
const MOST_GIVEN: usize = ROOT + 26;

/// A joint that had this share of its limit is bounded in the next step too.
const NEAR_LIMIT: f64 = 0.9;

/// Most unknowns of the program: forces, and torques of bounded joints.
const MOST_UNKNOWNS: usize = 3 * MOST_POINTS + MOST_GIVEN - ROOT;

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
        let others = no_feet(creature, &pilot);
        let gaze = look::Gaze::new(creature, pilot.units.forward, pilot.reference.base.body);
        let mass = TreeMatrix::new(creature)?;
        Ok(Self { pilot, course, settings, limits, damping, joint_weights, others, gaze, mass })
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
            h: self.mass.clone(),
            best: vec![0.0; nv],
            a: vec![0.0; nv],
            given: Vec::with_capacity(MOST_GIVEN),
            rows: vec![0.0; MOST_GIVEN * nv],
            x: vec![0.0; MOST_GIVEN * nv],
            wanted: vec![0.0; MOST_GIVEN],
            w: vec![0.0; MOST_GIVEN * MOST_GIVEN],
            reach: vec![0.0; MOST_GIVEN * MOST_UNKNOWNS],
            pulled: vec![0.0; MOST_GIVEN],
            way: vec![0.0; nv],
            tau: vec![0.0; nv],
            jacobian: DMatrix::zeros(3, nv),
            points: Vec::with_capacity(MOST_POINTS),
            program: QuadraticProgram::new(MOST_UNKNOWNS, 5 * MOST_POINTS + 2 * (MOST_GIVEN - ROOT)),
            forces: vec![0.0; MOST_UNKNOWNS],
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
        Self::begin(sense, memory);
        self.want_joints(sense, memory);
        self.want_trunk(sense, memory);
        self.want_feet(sense, memory);
        self.want_clear(sense, memory);
        self.want_look(sense, memory);
        self.find_points(sense, memory);
        self.solve(sense, memory);
        self.torques(sense, memory, command);
    }

    /// Mass matrix; no wishes yet.
    fn begin(sense: &Sense, memory: &mut WholeMemory) {
        sense.mass_matrix(&mut memory.mass);
        memory.h.clear();
        memory.best.fill(0.0);
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
