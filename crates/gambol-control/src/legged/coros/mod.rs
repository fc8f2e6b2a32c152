//! The controller of Coros, Karpathy, Jones, Revéret and van de Panne 2011, for quadrupeds: leg frames that each keep their height, their
//! speed and their orientation, by virtual forces on the legs that stand under them, with a flexible spine between.
//!
//! ```text
//! algorithm 1                                    algorithm 2, for each leg frame with N legs that stand
//!   τ = τ_PD + τ_VF                                τ_LF = PD of its orientation Ω(Φ)
//!   τ = applyNetLegFrameTorque(each frame, τ)      τ_stance = (τ_LF − τ_swing − τ_spine) / N      at each standing hip
//!   Φ = Φ + dt / T
//! ```
//!
//! Virtual forces go from a base link to a point, τ = Jᵀ F over the joints between them ([`Limbs::push_at`]). The base is the leg frame: a foot
//! that stands has −F_D(D) − F_h/n − F_v/n, one that swings F_sw, and gravity is taken off all that does not stand. Two leg frames of a
//! quadruped, one of an insect or a person: any number of bodies that legs hang on will do.
//!
//! Trajectories have six points. The paper starts with constants and lets a search find them, with a filmed dog to compare; here the stride is
//! the film, and they are read from it. The search may go on from there (`CorosSettings`).

mod frames;
mod plan;

use gambol_dynamics::{Sense, TooLarge};
use gambol_model::{Creature, Vec3};

use super::limbs::{Aim, Limbs, LimbsMemory};
use super::pilot::{Course, Pilot};
use super::reference::about_z;
use super::{CorosSettings, FootPhase, LegState};
use crate::{Command, Controller};

pub use plan::Trajectory;
use plan::{FramePlan, LimbPlan, Spine};

/// Goes by virtual forces.
#[derive(Clone, Debug)]
pub struct Coros {
    limbs: Limbs,
    course: Course,
    settings: CorosSettings,
    /// Per leg frame.
    frames: Vec<FramePlan>,
    /// Per leg.
    plans: Vec<LimbPlan>,
    /// Joints between neighbouring frames.
    spines: Vec<Spine>,
    /// Per body: what bears its weight as a virtual force, up to two leg frames with their shares; none of a frame itself and of standing legs.
    borne: Vec<[(usize, f64); 2]>,
    /// Per body: the leg it is of.
    leg_of: Vec<Option<usize>>,
}

/// What it remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct CorosMemory {
    /// Legs.
    pub limbs: LimbsMemory,
    /// Torques of the virtual forces alone, N·m.
    virtual_torque: Vec<f64>,
}

impl Coros {
    /// A controller of `creature`, which a [`super::Walker`] made ready, on a course.
    pub fn new(
        creature: &Creature,
        pilot: &Pilot,
        course: Course,
        settings: CorosSettings,
    ) -> Result<Self, TooLarge> {
        let limbs = Limbs::new(creature, pilot)?;
        let frames = plan::frames(creature, &limbs);
        let plans = plan::limbs(creature, &limbs, &settings);
        let spines = plan::spines(creature, &limbs);
        let leg_of = plan::legs_of_bodies(creature, &limbs);
        let borne = plan::borne(creature, &limbs, &spines);
        Ok(Self { limbs, course, settings, frames, plans, spines, borne, leg_of })
    }

    /// What it goes by.
    pub fn limbs(&self) -> &Limbs {
        &self.limbs
    }

    /// As [`Controller::command`], on another course than its own: algorithm 1.
    pub fn steer(&self, sense: &Sense, course: &Course, memory: &mut CorosMemory, command: &mut Command) {
        command.rest.copy_from_slice(&sense.state().q);
        self.limbs.look(sense, &self.limbs.reference.graph, &mut memory.limbs, command);
        // Virtual forces first, as what hips have of them is known apart.
        self.bear_weight(sense, memory, command);
        for foot in 0..self.limbs.limbs.len() {
            self.virtual_force(sense, course, foot, memory, command);
        }
        memory.virtual_torque.copy_from_slice(&command.torque);
        self.limbs.hold(sense, self.settings.hold / self.limbs.units.time(), &mut memory.limbs);
        self.bend_spines(sense, memory);
        for foot in 0..self.limbs.limbs.len() {
            self.lead_leg(sense, course, foot, memory);
        }
        self.limbs.apply(sense, &mut memory.limbs, command);
        for frame in 0..self.frames.len() {
            self.apply_net_leg_frame_torque(sense, course, frame, memory, command);
        }
        self.limbs.go_on(sense, course.turn, &mut memory.limbs);
    }

    /// The velocity that is wanted, level, m/s in the world.
    fn wanted(&self, course: &Course, heading: f64) -> Vec3 {
        let ahead = about_z(heading) * self.limbs.units.forward;
        ahead * course.speed + Vec3::z().cross(&ahead) * course.side
    }

    /// Legs of a frame that push, by `memory`.
    fn stance(&self, frame: usize, memory: &LimbsMemory) -> usize {
        let own = &self.limbs.frames[frame].limbs;
        own.iter().filter(|limb| memory.legs[**limb].state.pushes() && memory.legs[**limb].touches).count()
    }

    /// Gravity compensation: every link that is no leg frame and no part of a standing leg is held by a virtual force −m g at its centre of
    /// mass, from the leg frames that are to bear it.
    fn bear_weight(&self, sense: &Sense, memory: &CorosMemory, command: &mut Command) {
        let creature = sense.creature();
        for (body, bearers) in self.borne.iter().enumerate().skip(1) {
            let stands = self.leg_of[body]
                .is_some_and(|leg| memory.limbs.legs[leg].state.pushes() && memory.limbs.legs[leg].touches);
            if stands {
                continue;
            }
            let at = sense.frames()[body].point_in_world(creature.bodies()[body].mass.com);
            let lift = -creature.gravity() * creature.bodies()[body].mass.mass;
            for (frame, share) in bearers.iter().filter(|(_, share)| *share > 0.0) {
                let base = self.limbs.frames[*frame].body;
                self.limbs.push_at(sense, (body, at), lift * *share, base, command);
            }
        }
    }

    /// The virtual force of a leg: on the ground if it stands, towards its way if it swings.
    fn virtual_force(
        &self,
        sense: &Sense,
        course: &Course,
        foot: usize,
        memory: &mut CorosMemory,
        command: &mut Command,
    ) {
        let frame = self.limbs.limbs[foot].frame;
        let base = self.limbs.frames[frame].body;
        let leg = memory.limbs.legs[foot];
        if leg.state.pushes() && leg.touches {
            let count = self.stance(frame, &memory.limbs).max(1) as f64;
            let force = (self.height_force(sense, frame, memory)
                + self.speed_force(sense, course, frame, memory))
                / count
                + self.leg_force(sense, foot, memory);
            self.limbs.push_at(
                sense,
                (self.limbs.reference.feet[foot].body, leg.contact),
                -force,
                base,
                command,
            );
        } else if let (FootPhase::Swings { share, .. }, true) = (leg.phase, leg.state != LegState::Late) {
            let (place, velocity) = self.swing(sense, course, foot, memory);
            let time = self.limbs.units.time();
            let rate = self.plans[foot].tracking.at_share(share) / time;
            let mass = self.plans[foot].mass;
            let force = ((place - leg.place) * rate + (velocity - leg.velocity) * 2.0) * (rate * mass);
            self.limbs.push_at(
                sense,
                (self.limbs.reference.feet[foot].body, leg.place),
                force,
                base,
                command,
            );
        }
    }

    /// F_h, up, N: what holds the frame at its height, and the weight that rests on it.
    fn height_force(&self, sense: &Sense, frame: usize, memory: &CorosMemory) -> Vec3 {
        let plan = &self.frames[frame];
        let rate = self.settings.height / self.limbs.units.time();
        let (height, slower) = self.height_error(sense, frame, memory);
        let mass = plan.weight / self.limbs.units.gravity;
        Vec3::z()
            * (plan.weight / plan.duty
                + mass * rate * (rate * height + 2.0 * self.settings.height_damping * slower))
                .max(0.0)
    }

    /// By how much a frame is too low, m, and by how much it rises too slowly, m/s.
    fn height_error(&self, sense: &Sense, frame: usize, memory: &CorosMemory) -> (f64, f64) {
        let body = self.limbs.frames[frame].body;
        let (wanted, rises) = self.frames[frame].height.at(memory.limbs.phase, self.limbs.reference.period());
        let now = sense.frames()[body].position.z - memory.limbs.ground;
        (wanted - now, rises - sense.velocities()[body].linear.z)
    }

    /// F_v = k_v (v_d − v), level, N.
    fn speed_force(&self, sense: &Sense, course: &Course, frame: usize, memory: &CorosMemory) -> Vec3 {
        let velocity = sense.velocities()[self.limbs.frames[frame].body].linear;
        let short = self.wanted(course, memory.limbs.heading) - velocity;
        let mass = self.frames[frame].weight / self.limbs.units.gravity;
        Vec3::new(short.x, short.y, 0.0) * (mass * self.settings.speed / self.limbs.units.time())
    }

    /// F_D(D): by how far the frame has come over the foot, N ahead.
    fn leg_force(&self, sense: &Sense, foot: usize, memory: &CorosMemory) -> Vec3 {
        let frame = self.limbs.frames[self.limbs.limbs[foot].frame].body;
        let ahead = about_z(memory.limbs.heading) * self.limbs.units.forward;
        let progress = (sense.frames()[frame].position - memory.limbs.legs[foot].place).dot(&ahead);
        let share = 0.5 + progress / self.limbs.units.length;
        let weight = self.limbs.reference.base.mass * self.limbs.units.gravity;
        ahead * (self.plans[foot].drive.at_share(share) * weight)
    }

    /// Where a swinging foot is to be, and how it is to move: P = (1 − t_sw) P₁ + t_sw P₂ over the ground, h_sw(φ) over it.
    fn swing(&self, sense: &Sense, course: &Course, foot: usize, memory: &mut CorosMemory) -> (Vec3, Vec3) {
        let FootPhase::Swings { share, left, .. } = memory.limbs.legs[foot].phase else {
            return (memory.limbs.legs[foot].place, Vec3::zeros());
        };
        let period = self.limbs.reference.period();
        let swung = self.limbs.swung(&memory.limbs.legs[foot], self.settings.lands);
        let Some((way, time)) = swung else { return (memory.limbs.legs[foot].place, Vec3::zeros()) };
        if share < 1.0 - self.limbs.settings.settled {
            memory.limbs.legs[foot].set_down = self.set_down(sense, course, foot, left * period, memory);
        }
        let (leg, plan) = (&memory.limbs.legs[foot], &self.plans[foot]);
        let (height, rise) = plan.lift.with_rate(way);
        let (way, rate) = plan.advance.with_rate(way);
        let (from, to) = (leg.lifted, leg.set_down);
        let mut place = from + (to - from) * way;
        let mut velocity = (to - from) * (rate / time);
        place.z += height;
        velocity.z += rise / time;
        (place, velocity)
    }

    /// P₂ = P_LF + (v − v_d) s_fp, from where the frame will be when the foot lands, m.
    fn set_down(&self, sense: &Sense, course: &Course, foot: usize, time: f64, memory: &CorosMemory) -> Vec3 {
        let frame = self.limbs.frames[self.limbs.limbs[foot].frame].body;
        let (place, velocity) = (sense.frames()[frame].position, sense.velocities()[frame].linear);
        let level = Vec3::new(velocity.x, velocity.y, 0.0);
        let heading = memory.limbs.heading;
        let off = level - self.wanted(course, heading);
        let scale = self.settings.placement * self.limbs.units.time();
        let beside = about_z(heading + course.turn * time) * self.plans[foot].stepping;
        let mut place = place + level * time + beside + off * scale;
        let ground = sense.world().settings().ground.as_ref();
        place.z = ground.map_or(0.0, |ground| ground.height(place.x, place.y))
            + self.limbs.limbs[foot].neutral.z
            - self.settings.firmly * self.limbs.units.length;
        place
    }

    /// Joint control of a leg. A standing leg keeps its shape under a frame at its height, and its hip is left to algorithm 2.
    fn lead_leg(&self, sense: &Sense, course: &Course, foot: usize, memory: &mut CorosMemory) {
        let time = self.limbs.units.time();
        let leg = memory.limbs.legs[foot];
        // Towards θ_a before it is lifted, towards θ_b before it strikes.
        let pitch = self.plans[foot].pitch_at(leg.phase, self.limbs.reference.period());
        let turn = self.limbs.foot_turn(sense, foot, pitch, &memory.limbs);
        let zero = Vec3::zeros();
        let swing = self.settings.swing / time;
        let stands = leg.state.pushes() && leg.touches;
        let aim = match (leg.state, leg.phase) {
            _ if stands => {
                let (low, slow) = self.height_error(sense, self.limbs.limbs[foot].frame, memory);
                let (off, slower) = (Vec3::z() * -low, Vec3::z() * -slow);
                Aim { off, slower, acceleration: zero, turn, frequency: self.settings.stance / time }
            }
            (LegState::ToCenter | LegState::ToSetDown, FootPhase::Swings { .. }) => {
                let (place, velocity) = self.swing(sense, course, foot, memory);
                Aim {
                    off: place - leg.place,
                    slower: velocity - leg.velocity,
                    acceleration: zero,
                    turn,
                    frequency: swing,
                }
            }
            (LegState::Jammed, _) => {
                let lift = Vec3::z() * (0.1 * self.limbs.units.length);
                let place = sense.center_of_mass() + self.limbs.beside(foot, memory.limbs.heading);
                let off = Vec3::new(place.x, place.y, memory.limbs.ground) + lift - leg.place;
                Aim {
                    off,
                    slower: self.limbs.velocity(sense) - leg.velocity,
                    acceleration: zero,
                    turn,
                    frequency: swing,
                }
            }
            // Late: the target goes down by a fixed way.
            _ => {
                let down = Vec3::z() * -(self.settings.late * self.limbs.units.length);
                let frame = self.limbs.frames[self.limbs.limbs[foot].frame].body;
                let slower = sense.velocities()[frame].linear - leg.velocity;
                Aim {
                    off: down,
                    slower: Vec3::new(0.0, 0.0, slower.z),
                    acceleration: zero,
                    turn,
                    frequency: swing,
                }
            }
        };
        self.limbs.lead(sense, foot, &aim, &mut memory.limbs);
        if stands {
            memory.limbs.wish[self.limbs.limbs[foot].hip.clone()].fill(0.0);
        }
    }
}

impl Controller for Coros {
    type Memory = CorosMemory;

    fn memory(&self, creature: &Creature) -> CorosMemory {
        let nv = creature.nv();
        CorosMemory { limbs: self.limbs.memory(creature), virtual_torque: vec![0.0; nv] }
    }

    fn command(&self, sense: &Sense, memory: &mut CorosMemory, command: &mut Command) {
        self.steer(sense, &self.course, memory, command);
    }
}
