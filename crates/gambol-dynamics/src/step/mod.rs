//! A step in time: gravity, springs and dampers, torques and pushes, closed loops, joint limits and contact.
//!
//! Positions and velocities leap over each other, and springs are taken half implicitly:
//!
//! ```text
//! (M + h D + s h² K) (v' − v) = h (τ − K (q ⊖ rest) − D v − C) + Jᵀ p,        q' = q ⊕ h v'
//! ```
//!
//! - s = ¼ is the default ([`Springs::Elastic`]). With q' − 2 q + q₋ = h (v' − v) it is Newmark's average acceleration,
//!   M (q' − 2q + q₋)/h² + K (q' + 2q + q₋)/4 = 0: a linear vibration of any stiffness is stable at any step and loses nothing, and its
//!   frequency is low by (ωh)²/12.
//! - s = 1, with −h K v on the right, is the paper's equation 6, implicit Euler ([`Springs::ImplicitEuler`]).
//!
//! C is the mean of that at v and at v', in two rounds of correction. With C at v alone a body that spins fast gains
//! energy, (ωh)²/2 a step; this loses (ωh)⁴/8. v' is the velocity after contacts have acted: what turns the momentum of a leg
//! round during the second half of the step is its velocity after the blow.
//!
//! Dampers are implicit. The impulses p of contacts and limits act so that the velocity v' at the end of the step obeys
//! them, and v' is what moves the pose: a foot that would sink within the step stops on the ground.

mod blocks;
mod inertia;
mod loops;
mod muscles;
mod newton;
mod one_sided;
mod sense;
mod solve;
mod world;

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use crate::constraints::add_residuals;
use crate::kinematics::{body_inertias, forward_kinematics};
use crate::rnea::newton_euler_here;
use crate::spatial::RigidInertia;
use crate::springs::passive_forces_about;
use crate::{Contact, Creature, Data, Vec3, each_axis_above};
use blocks::Blocks;
use inertia::Inertia;
use loops::Loops;
use muscles::Muscles;
use newton::Newton;

pub use sense::Sense;
pub use solve::Sweeps;
pub use world::{ContactModel, Springs, StepError, StepSettings, World};

/// Why and where a simulation cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("at {time} s, body {body:?}: {reason}")]
pub struct Divergence {
    /// s
    pub time: f64,
    /// Name of the body.
    pub body: String,
    /// In words.
    pub reason: String,
}

/// All that a simulation goes on from: a copy continues bit for bit, also one that was written down and read again.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct State {
    /// s
    pub time: f64,
    /// `nq` numbers.
    pub q: Vec<f64>,
    /// `nv` numbers, half a step behind `q`.
    pub v: Vec<f64>,
    /// Impulses of the last step: a start for the next. Of joint limits by key, N·s or N·m·s, ...
    limits: Vec<(u64, f64)>,
    /// ... and of contacts.
    contacts: Vec<ContactImpulse>,
}

/// A contact of the last step, and the impulse on its first body, in the world, N·s.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
struct ContactImpulse {
    contact: Contact,
    impulse: Vec3,
}

impl State {
    /// A pose and a velocity at time zero.
    pub fn new(q: &[f64], v: &[f64]) -> Self {
        Self { time: 0.0, q: q.to_vec(), v: v.to_vec(), limits: Vec::new(), contacts: Vec::new() }
    }

    /// Contacts of the last step in `world` that bore a load.
    pub fn contact_forces(&self, world: &World) -> impl Iterator<Item = ContactForce> {
        let h = world.settings.step;
        let loaded = self.contacts.iter().filter(|touch| touch.contact.normal.dot(&touch.impulse) > 0.0);
        loaded.map(move |touch| ContactForce { contact: touch.contact, force: touch.impulse / h })
    }
}

/// A force on a body from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Index of the body; `step` panics if there is none.
    pub body: usize,
    /// In the world, N; at the body's centre of mass.
    pub force: Vec3,
}

/// What drives a creature during one step.
#[derive(Clone, Copy, Debug)]
pub struct Drive<'a> {
    /// Pose in which the joint springs are at rest; tendons are lengthened or shortened with it.
    pub rest: &'a [f64],
    /// Forces on the coordinates besides springs and dampers; may be empty.
    pub torque: &'a [f64],
    /// Most that torque and damper of a coordinate have together, N·m or N, at least 0; may be empty: no bounds.
    pub strength: &'a [f64],
    /// From outside.
    pub pushes: &'a [Push],
}

impl<'a> Drive<'a> {
    /// Nothing but springs with their own rest pose.
    pub fn passive(creature: &'a Creature) -> Self {
        Self { rest: creature.rest_pose(), torque: &[], strength: &[], pushes: &[] }
    }
}

/// A contact and the force in it during the last step.
#[derive(Clone, Copy, Debug)]
pub struct ContactForce {
    /// Where.
    pub contact: Contact,
    /// On its first body, in the world, N.
    pub force: Vec3,
}

/// Scratch memory for the end of a step, of creatures with closed loops.
#[derive(Clone, Debug)]
struct End {
    data: Data,
    q: Vec<f64>,
    /// z before it becomes a velocity.
    white: Vec<f64>,
    residual: Vec<f64>,
}

/// One thread's scratch memory for stepping.
#[derive(Clone, Debug)]
pub struct Stepper {
    /// Kinematics at the start of the last step.
    pub data: Data,
    inertia: Inertia,
    loops: Loops,
    limits: Blocks<1>,
    contacts: Blocks<3>,
    found: Vec<Contact>,
    /// Two directions across each contact's normal.
    tangents: Vec<[Vec3; 2]>,
    reach: Vec<f64>,
    z: Vec<f64>,
    tau: Vec<f64>,
    muscles: Muscles,
    /// C at the start of the step, and in its mean.
    first_bias: Vec<f64>,
    bias: Vec<f64>,
    scratch: Vec<f64>,
    /// For a mass matrix that a controller asks for.
    composites: RefCell<Vec<RigidInertia>>,
    end: Option<End>,
    newton: Newton,
    sweeps: Sweeps,
}

impl Stepper {
    /// Memory for one world.
    pub fn new(world: &World) -> Self {
        let (bodies, nv) = (world.creature.bodies().len(), world.creature.nv());
        Self {
            data: Data::new(&world.creature),
            inertia: Inertia::new(&world.creature),
            loops: Loops::default(),
            limits: Blocks::default(),
            contacts: Blocks::default(),
            found: Vec::new(),
            tangents: Vec::new(),
            reach: vec![0.0; bodies],
            z: vec![0.0; nv],
            tau: vec![0.0; nv],
            muscles: Muscles::new(nv),
            first_bias: vec![0.0; nv],
            bias: vec![0.0; nv],
            scratch: Vec::with_capacity(nv),
            composites: RefCell::new(vec![RigidInertia::default(); bodies]),
            end: (!world.creature.constraints().is_empty()).then(|| End {
                data: Data::new(&world.creature),
                q: vec![0.0; world.creature.nq()],
                white: vec![0.0; nv],
                residual: Vec::new(),
            }),
            newton: Newton::default(),
            sweeps: Sweeps::default(),
        }
    }

    /// How the last step's contacts were solved.
    pub fn sweeps(&self) -> Sweeps {
        self.sweeps
    }

    /// Force of each coordinate's damper in the last step, against its motion, N·m or N: D v', or what was left to it where a bound of
    /// [`Drive::strength`] was met. Torque less this is what the coordinate had.
    pub fn damper_forces(&self) -> &[f64] {
        &self.muscles.damped
    }

    fn impulse_in_world(&self, k: usize) -> Vec3 {
        let [n, a, b] = self.contacts.list[k].impulse;
        let [first, second] = self.tangents[k];
        self.found[k].normal * n + first * a + second * b
    }
}

/// Moves `state` on by one step. On [`Divergence`] the state is left as it was before the step. Who wants to see first what
/// there is to drive takes a [`Sense`].
pub fn step(
    world: &World,
    stepper: &mut Stepper,
    state: &mut State,
    drive: &Drive,
) -> Result<(), Divergence> {
    Sense::new(world, stepper, state).step(drive)
}

/// What follows from the state alone: kinematics, inertial forces and the places that touch or may.
fn look(world: &World, stepper: &mut Stepper, state: &State) {
    let creature = &world.creature;
    forward_kinematics(creature, &mut stepper.data, &state.q);
    body_inertias(creature, &mut stepper.data);
    stepper.first_bias.copy_from_slice(newton_euler_here(creature, &mut stepper.data, &state.v, None));
    one_sided::find_contacts(world, stepper);
}

/// The rest of the step, after [`look`].
fn advance(world: &World, stepper: &mut Stepper, state: &mut State, drive: &Drive) -> Result<(), Divergence> {
    forces(world, stepper, state, drive);
    muscles::begin(world, stepper);
    loop {
        find_velocity(world, stepper, state, drive)?;
        if !muscles::tire(world, stepper, state, drive) {
            break;
        }
    }
    state.v.copy_from_slice(&stepper.z);
    world.creature.integrate(&mut state.q, &state.v, world.settings.step);
    state.time += world.settings.step;
    remember(stepper, state);
    Ok(())
}

/// The velocity that moves the pose into `stepper.z`.
fn find_velocity(
    world: &World,
    stepper: &mut Stepper,
    state: &State,
    drive: &Drive,
) -> Result<(), Divergence> {
    let (creature, settings) = (&world.creature, &world.settings);
    if !stepper.inertia.factor(creature, &mut stepper.data, &state.v, &stepper.muscles.extra) {
        return Err(diverged(world, state, &state.v, "its inertia is not positive"));
    }
    stepper.bias.copy_from_slice(&stepper.first_bias);
    let about = (drive.rest, state.q.as_slice(), state.v.as_slice());
    let timing = (settings.step, settings.springs.share());
    stepper.loops.prepare(creature, &mut stepper.data, &stepper.inertia, about, timing);
    one_sided::add_limits(world, stepper, state);
    one_sided::add_contacts(world, stepper, state);
    solve_velocity(world, stepper, state);
    if moves(&state.v) {
        for _ in 0..CORRECTIONS {
            if !correct_bias(world, stepper) {
                break;
            }
            solve_velocity(world, stepper, state);
        }
    }
    close_loops(world, stepper, state);
    if !stepper.z.iter().all(|v| v.abs() <= FASTEST) {
        return Err(diverged(world, state, &stepper.z, "its velocity grows beyond all bounds"));
    }
    Ok(())
}

/// The velocity at the end of the step, in whitened coordinates, under the forces so far: free, then with loops closed, then
/// with contacts and limits.
fn solve_velocity(world: &World, stepper: &mut Stepper, state: &State) {
    let (creature, settings) = (&world.creature, &world.settings);
    let Stepper { data, inertia, loops, z, tau, bias, scratch, .. } = stepper;
    for ((z, tau), bias) in z.iter_mut().zip(&*tau).zip(&*bias) {
        *z = settings.step * (tau - bias);
    }
    inertia.advance(creature, data, &state.v, z);
    loops.close(z, scratch);
    stepper.sweeps = solve::solve(
        &mut stepper.newton,
        &mut stepper.limits,
        &mut stepper.contacts,
        &mut stepper.z,
        (settings.sweeps, settings.tolerance),
    );
}

/// Rounds in which inertial forces are corrected, and the share of the largest force below which no correction is worth
/// solving contacts again.
const CORRECTIONS: usize = 2;
const LEAST_CORRECTION: f64 = 1e-5;

/// Inertial forces as the mean of those at the start and at the end of the step, so far as that is known. `false` if they
/// are what they were; `stepper.z` is then as it was.
fn correct_bias(world: &World, stepper: &mut Stepper) -> bool {
    let Stepper { data, inertia, z, bias, first_bias, scratch, .. } = stepper;
    scratch.clear();
    scratch.extend_from_slice(z);
    inertia.velocity(scratch);
    let end = newton_euler_here(&world.creature, data, scratch, None);
    let (mut change, mut largest) = (0.0_f64, 0.0_f64);
    for ((bias, first), end) in bias.iter_mut().zip(&*first_bias).zip(end) {
        let mean = 0.5 * (first + end);
        change = change.max((mean - *bias).abs());
        largest = largest.max(mean.abs());
        *bias = mean;
    }
    change > LEAST_CORRECTION * largest
}

/// Whether anything moves so fast, in rad/s or m/s, that it matters at which of two velocities C is taken: of a creature
/// that stands still it is gravity alone.
fn moves(v: &[f64]) -> bool {
    v.iter().any(|v| v.abs() > 0.02)
}

/// Most Newton steps that close the loops after contacts are solved, and the gap at which they end, m or rad.
const CLOSINGS: usize = 4;
const CLOSED: f64 = 1e-12;

/// Turns `stepper.z` into the velocity that moves the pose, with which all loops are closed at the end of the step.
fn close_loops(world: &World, stepper: &mut Stepper, state: &State) {
    let (creature, h) = (&world.creature, world.settings.step);
    let Stepper { inertia, loops, z, scratch, end, .. } = stepper;
    if let Some(End { data, q, white, residual }) = end {
        white.copy_from_slice(z);
        for _ in 0..CLOSINGS {
            inertia.velocity(z);
            q.copy_from_slice(&state.q);
            creature.integrate(q, z, h);
            forward_kinematics(creature, data, q);
            residual.clear();
            add_residuals(creature, data, q, creature.constraints(), residual);
            if residual.iter().all(|g| g.abs() <= CLOSED) {
                return;
            }
            loops.tighten(white, residual, h, scratch);
            z.copy_from_slice(white);
        }
    }
    inertia.velocity(z);
}

/// m/s or rad/s. A creature that is a thousand times faster than sound is no longer one.
const FASTEST: f64 = 1e6;

/// Springs, dampers, torques and pushes into `stepper.tau`.
fn forces(world: &World, stepper: &mut Stepper, state: &State, drive: &Drive) {
    let creature = &world.creature;
    let Stepper { data, tau, .. } = stepper;
    tau.copy_from_slice(passive_forces_about(creature, drive.rest, data, &state.q, &state.v));
    if world.settings.springs == Springs::ImplicitEuler {
        for (dof, (tau, v)) in creature.dofs().iter().zip(tau.iter_mut().zip(&state.v)) {
            *tau -= world.settings.step * creature.joints()[dof.joint].stiffness * v;
        }
    }
    for (tau, torque) in tau.iter_mut().zip(drive.torque) {
        *tau += torque;
    }
    for push in drive.pushes {
        let at = data.frames[push.body].point_in_world(creature.bodies()[push.body].mass.com);
        each_axis_above(creature, data, push.body, |dof, angular, linear, origin| {
            tau[dof] += push.force.dot(&(linear + angular.cross(&(at - origin))));
        });
    }
}

/// Keeps the impulses for the next step.
fn remember(stepper: &Stepper, state: &mut State) {
    let limits = stepper.limits.list.iter().map(|block| (block.key, block.impulse[0]));
    state.limits.clear();
    state.limits.extend(limits);
    let contacts = stepper.found.iter().enumerate();
    let contacts = contacts
        .map(|(k, contact)| ContactImpulse { contact: *contact, impulse: stepper.impulse_in_world(k) });
    state.contacts.clear();
    state.contacts.extend(contacts);
}

fn diverged(world: &World, state: &State, v: &[f64], reason: &str) -> Divergence {
    let worst = v.iter().position(|v| v.is_nan() || v.abs() > FASTEST).unwrap_or(0);
    let body = world.creature.dofs().get(worst).map_or(0, |dof| dof.body);
    Divergence { time: state.time, body: world.creature.bodies()[body].name.clone(), reason: reason.into() }
}
