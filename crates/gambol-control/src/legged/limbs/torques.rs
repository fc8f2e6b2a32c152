//! Torques of legs and of all else.

use gambol_dynamics::{Sense, each_axis_above};
use gambol_model::{Quat, Vec3};

use super::{Limbs, LimbsMemory};
use crate::Command;
use crate::legged::dense;
use crate::legged::reference::{about_z, orientation, yaw_of};
use crate::legged::{FootPhase, LegState, Moving};

/// Rows of what is asked of a foot: its place, and with a sole its orientation.
const ROWS: usize = 6;

/// Most joints of one leg that are led: those nearest to the foot.
const MOST: usize = 24;

/// Added to what joints can do about a foot, in parts of the most that they can in any direction: a stretched leg stays calm.
const STIFF: f64 = 1e-3;

/// What is asked of a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// By how much its foot is to move, m.
    pub off: Vec3,
    /// By how much its velocity is to change, m/s.
    pub slower: Vec3,
    /// What it is to accelerate by besides, m/s².
    pub acceleration: Vec3,
    /// By how much the foot is to turn, rad about the world's axes.
    pub turn: Vec3,
    /// Frequency at which it comes there, critically damped, rad/s.
    pub frequency: f64,
}

/// How stiffly legs are led that push with a force and swing to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbGains {
    /// Frequency at which swinging legs go to where they are to be, rad/s.
    pub swing: f64,
    /// Frequency at which standing legs keep their shape, rad/s.
    pub shape: f64,
    /// Share of its swing in which a foot is led to the ground.
    pub lands: f64,
}

impl Limbs {
    /// A leg that stands has Jᵀ f; one that swings goes by way of the centre of its swing to its set-down point; a late one goes on down, and
    /// one that is jammed to the centre of its swing (Kokkevis et al. 1995, figure 4).
    pub fn move_leg(
        &self,
        sense: &Sense,
        foot: usize,
        (force, set_down): (Vec3, Vec3),
        gains: &LimbGains,
        memory: &mut LimbsMemory,
        command: &mut Command,
    ) {
        let leg = memory.legs[foot];
        let still = Moving { place: leg.place, velocity: leg.velocity, acceleration: Vec3::zeros() };
        let mut center = sense.center_of_mass() + self.beside(foot, memory.heading);
        center.z = memory.ground + self.limbs[foot].neutral.z + self.limbs[foot].clearance;
        let (wanted, frequency) = match (leg.state, leg.phase) {
            (LegState::Pushes, _) if leg.touches => {
                self.push_at(sense, (self.reference.feet[foot].body, leg.contact), -force, 0, command);
                (still, gains.shape)
            }
            (LegState::Pushes | LegState::Late, _) => {
                let falls = self.velocity(sense).z.min(0.0);
                let down = Vec3::new(0.0, 0.0, falls - self.settings.late * self.units.speed());
                (Moving { velocity: down, ..still }, gains.swing)
            }
            (LegState::Jammed, _) | (_, FootPhase::Stands { .. }) => {
                (Moving { place: center, velocity: self.velocity(sense), ..still }, gains.swing)
            }
            (_, FootPhase::Swings { share, .. }) => {
                if share < 1.0 - self.settings.settled {
                    memory.legs[foot].set_down = set_down;
                }
                (self.swing(memory, foot, center, gains.lands), gains.swing)
            }
        };
        let (off, slower) = (wanted.place - leg.place, wanted.velocity - leg.velocity);
        let turn = self.foot_turn(sense, foot, 0.0, memory);
        let aim = Aim { off, slower, acceleration: wanted.acceleration, turn, frequency };
        self.lead(sense, foot, &aim, memory);
    }

    /// What gravity and the motion ask of all joints, so that nothing but forces at the feet and what is asked besides is left.
    pub fn bear(&self, sense: &Sense, command: &mut Command) {
        let root = self.root();
        for (dof, bias) in sense.bias_forces().iter().enumerate().filter(|(dof, _)| !root.contains(dof)) {
            command.torque[dof] += bias;
        }
    }

    /// Joint torques Jᵀ f that are as good as a force on `body` at a point of the world, from the `base` link on, which does not move of
    /// them: 0, the world, gives the whole column but for the root.
    pub fn push_at(
        &self,
        sense: &Sense,
        (body, at): (usize, Vec3),
        force: Vec3,
        base: usize,
        command: &mut Command,
    ) {
        let (root, creature) = (self.root(), sense.creature());
        // What the base hangs on does not count.
        let mut shared = base;
        while shared != 0 && !is_above(creature, shared, body) {
            shared = creature.bodies()[shared].parent;
        }
        let torque = &mut command.torque;
        each_axis_above(creature, sense.data(), body, |dof, angular, linear, origin| {
            let of = creature.dofs()[dof].body;
            if !root.contains(&dof) && (shared == 0 || (of != shared && is_above(creature, shared, of))) {
                torque[dof] += force.dot(&(linear + angular.cross(&(at - origin))));
            }
        });
        if base != shared {
            // The way from what both hang on to the base carries the reaction.
            each_axis_above(creature, sense.data(), base, |dof, angular, linear, origin| {
                let of = creature.dofs()[dof].body;
                if !root.contains(&dof) && (shared == 0 || (of != shared && is_above(creature, shared, of))) {
                    torque[dof] -= force.dot(&(linear + angular.cross(&(at - origin))));
                }
            });
        }
    }

    /// Joints that are no leg's go to their posture: a = ω² δ + 2 ω (v* − v).
    pub fn hold(&self, sense: &Sense, frequency: f64, memory: &mut LimbsMemory) {
        let root = self.root();
        Self::to_posture(sense, memory);
        for dof in (0..memory.way.len()).filter(|dof| !root.contains(dof) && !self.of_leg[*dof]) {
            memory.wish[dof] = self.returns(sense, dof, 0.0, frequency, memory);
        }
    }

    /// The acceleration with which a coordinate returns to its posture and `further`, critically damped.
    pub fn returns(
        &self,
        sense: &Sense,
        dof: usize,
        further: f64,
        frequency: f64,
        memory: &LimbsMemory,
    ) -> f64 {
        let slower = memory.moment.v[dof] - sense.state().v[dof];
        frequency * (frequency * (memory.way[dof] + further) + 2.0 * slower)
    }

    /// The way of every coordinate from where it is to the stride at its phase.
    fn to_posture(sense: &Sense, memory: &mut LimbsMemory) {
        sense.creature().difference(&sense.state().q, &memory.moment.pose, &mut memory.way);
    }

    /// The torques of all springs and dampers at once, M a, each as strong as what it moves is heavy; and what the dampers that the simulator takes
    /// implicitly will do about the present velocity is undone, so that only their calm is left.
    pub fn apply(&self, sense: &Sense, memory: &mut LimbsMemory, command: &mut Command) {
        memory.mass.multiply(&memory.wish, &mut memory.way);
        let root = self.root();
        for dof in (0..self.damping.len()).filter(|dof| !root.contains(dof)) {
            command.torque[dof] += memory.way[dof] + self.damping[dof] * sense.state().v[dof];
        }
    }

    /// Leads a leg: of all motions of its joints that bring its foot where it is to be, the one nearest to its posture in the stride: the inverse
    /// kinematics of Coros et al. 2011 for legs of any number of joints, by one step of Gauss and Newton from where the leg is. Then every joint
    /// has a spring and a damper.
    ///
    /// ```text
    /// min ½ |δ − δ₀|²   with   J δ = e:      δ = δ₀ + Jᵀ (J Jᵀ + ε)⁻¹ (e − J δ₀)
    /// ```
    pub fn lead(&self, sense: &Sense, limb: usize, aim: &Aim, memory: &mut LimbsMemory) {
        let (foot, plan) = (&self.limbs[limb], &self.reference.feet[limb]);
        let count = foot.dofs.len().min(MOST);
        let dofs = &foot.dofs[foot.dofs.len() - count..];
        let rows = if plan.sole > 0.0 { ROWS } else { 3 };
        Self::to_posture(sense, memory);
        let at = memory.legs[limb].place;
        let jacobian = &mut memory.jacobian;
        each_axis_above(sense.creature(), sense.data(), plan.body, |dof, angular, linear, origin| {
            let moves = linear + angular.cross(&(at - origin));
            for k in 0..3 {
                jacobian[(k, dof)] = moves[k];
                jacobian[(3 + k, dof)] = angular[k];
            }
        });
        let spin = sense.velocities()[plan.body].angular;
        let (mut off, mut slower, mut ahead) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
        for (k, dof) in dofs.iter().enumerate() {
            off[k] = memory.way[*dof];
            slower[k] = memory.moment.v[*dof] - sense.state().v[*dof];
        }
        let whole = |linear: Vec3, angular: Vec3| {
            let (a, b) = (linear, angular);
            [a.x, a.y, a.z, b.x, b.y, b.z]
        };
        let asked =
            [whole(aim.off, aim.turn), whole(aim.slower, -spin), whole(aim.acceleration, Vec3::zeros())];
        for (own, asked) in [&mut off, &mut slower, &mut ahead].into_iter().zip(asked) {
            nearest(memory, dofs, rows, &asked, &mut own[..count]);
        }
        for (k, dof) in dofs.iter().enumerate() {
            memory.wish[*dof] = ahead[k] + aim.frequency * (aim.frequency * off[k] + 2.0 * slower[k]);
        }
    }

    /// By how much a foot is to turn to be as it stands, pitched by an angle (toes down), rad about the world's axes.
    pub fn foot_turn(&self, sense: &Sense, limb: usize, pitch: f64, memory: &LimbsMemory) -> Vec3 {
        let heading = about_z(memory.heading);
        let left = heading * Vec3::z().cross(&self.units.forward);
        let wanted = Quat::from_scaled_axis(left * pitch) * heading * self.limbs[limb].flat;
        let body = self.reference.feet[limb].body;
        (wanted * sense.frames()[body].orientation.inverse()).scaled_axis()
    }

    /// How the trunk is turned from its mean posture on its heading, rad about the world's axes; and how it spins, rad/s.
    pub fn lean(&self, sense: &Sense, heading: f64) -> (Vec3, Vec3) {
        let base = &self.reference.base;
        let now = orientation(&sense.state().q, base.q);
        let wanted = about_z(heading) * orientation(&self.posture, base.q);
        let v = &sense.state().v;
        let spin = now * Vec3::new(v[base.v + 3], v[base.v + 4], v[base.v + 5]);
        ((now * wanted.inverse()).scaled_axis(), spin)
    }

    /// By how much the trunk is turned about the vertical from where its stride has it, rad.
    pub(super) fn turned(&self, sense: &Sense, memory: &LimbsMemory) -> f64 {
        let q = self.reference.base.q;
        yaw_of(&(orientation(&sense.state().q, q) * orientation(&memory.moment.pose, q).inverse()))
    }

    /// Coordinates of the root.
    pub fn root(&self) -> std::ops::Range<usize> {
        let first = self.reference.base.v;
        first..first + 6
    }
}

/// Replaces δ₀ by the δ nearest to it with J δ = e, as nearly as the joints can.
fn nearest(memory: &LimbsMemory, dofs: &[usize], rows: usize, asked: &[f64; ROWS], delta: &mut [f64]) {
    let jacobian = &memory.jacobian;
    let mut square = [0.0; ROWS * ROWS];
    let mut short = [0.0; ROWS];
    for i in 0..rows {
        short[i] = asked[i];
        for (dof, own) in dofs.iter().zip(delta.iter()) {
            short[i] -= jacobian[(i, *dof)] * own;
        }
        for j in 0..rows {
            for dof in dofs {
                square[j * rows + i] += jacobian[(i, *dof)] * jacobian[(j, *dof)];
            }
        }
    }
    // Each row by its own kind: metres and radians.
    let most = |range: std::ops::Range<usize>| range.map(|k| square[k * rows + k]).fold(0.0, f64::max);
    let (linear, angular) = (most(0..3), most(3..rows));
    for k in 0..rows {
        square[k * rows + k] += STIFF * if k < 3 { linear } else { angular } + f64::MIN_POSITIVE;
    }
    if !dense::factor(&mut square[..rows * rows], rows) {
        return;
    }
    dense::solve(&square[..rows * rows], &mut short[..rows]);
    for (dof, own) in dofs.iter().zip(delta) {
        for i in 0..rows {
            *own += jacobian[(i, *dof)] * short[i];
        }
    }
}

/// Whether `body` hangs on `above`, or is it.
fn is_above(creature: &gambol_model::Creature, above: usize, mut body: usize) -> bool {
    while body != above && body != 0 {
        body = creature.bodies()[body].parent;
    }
    body == above
}
