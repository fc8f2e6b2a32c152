//! What the controllers of the papers share: legs that hang on leg frames, what each of them is about, and the torques that push with them,
//! swing them and hold all else in its posture.
//!
//! A *leg frame* is a body that legs hang on (Coros et al. 2011, figure 3): pelvis and chest of a dog, the one thorax of an insect, the pelvis
//! of a person. Neither paper has a clip: a stride lends them its feet, how high it goes, where feet stand in the middle of their stance
//! and how high they are lifted.

mod torques;

use std::ops::Range;

use gambol_anatomy::Legs;
use gambol_dynamics::{Data, Sense, TooLarge, TreeMatrix};
use gambol_model::{Creature, Mat3, Quat, Vec3, math};
use nalgebra::DMatrix;

use super::automaton::{LegSight, LegState, next_state};
use super::reference::about_z;
use super::{
    FootPhase, GaitGraph, LegUnits, Moment, Moving, Pilot, PilotSettings, SolverCount, StrideReference,
};
use crate::{Command, Event};

pub use torques::{Aim, LimbGains};

/// A body that legs hang on.
#[derive(Clone, Debug, PartialEq)]
pub struct LegFrame {
    /// Its number.
    pub body: usize,
    /// Legs that hang on it, in the order of the stride's feet.
    pub limbs: Vec<usize>,
    /// How far ahead of the root's origin it is in the mean posture, m.
    pub ahead: f64,
}

/// A leg from its frame to its foot.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// Number of its leg frame.
    pub frame: usize,
    /// Velocity coordinates of its first joints, the hip.
    pub hip: Range<usize>,
    /// Of all its joints from the hip to the foot, the root's end first.
    pub dofs: Vec<usize>,
    /// Where the foot stands beside the centre of mass in the middle of its stance, m along the carriage's axes; z over the ground.
    pub neutral: Vec3,
    /// How high it is lifted over that, m.
    pub clearance: f64,
    /// Orientation of the foot in the middle of its stance, in the carriage.
    pub flat: Quat,
}

/// Legs, posture and joints of a creature.
#[derive(Clone, Debug)]
pub struct Limbs {
    /// Lends feet and posture.
    pub reference: StrideReference,
    /// Of the creature.
    pub units: LegUnits,
    /// By which legs know what they are about.
    pub settings: PilotSettings,
    /// From front to hind.
    pub frames: Vec<LegFrame>,
    /// In the order of the stride's feet.
    pub limbs: Vec<Limb>,
    /// The mean of the stride in its carriage.
    pub posture: Vec<f64>,
    /// Height of the centre of mass over the ground in the mean of the stride, m.
    pub height: f64,
    /// Phase at the start, cycles.
    pub start_phase: f64,
    /// Per coordinate: whether it is of a leg.
    of_leg: Vec<bool>,
    /// Per coordinate: the damper that the simulator takes implicitly, N·m·s.
    damping: Vec<f64>,
    mass: TreeMatrix,
}

/// One leg from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbMemory {
    /// What it is about.
    pub state: LegState,
    /// Where its gait has it.
    pub phase: FootPhase,
    /// Phase at which the state began, cycles.
    since: f64,
    /// Where its foot was when it was lifted, m, ...
    pub lifted: Vec3,
    /// ... and at which share of the swing: who begins in mid-swing, or was jammed, has the rest of it.
    from: f64,
    /// Where it is to come down, m.
    pub set_down: Vec3,
    /// Whether the foot touches.
    pub touches: bool,
    /// Middle of the places where it touches; where the foot is if it does not, m.
    pub contact: Vec3,
    /// Mean normal there.
    pub normal: Vec3,
    /// Where the foot is, m.
    pub place: Vec3,
    /// m/s
    pub velocity: Vec3,
}

/// What is remembered of all legs, and room for work.
#[derive(Clone, Debug, PartialEq)]
pub struct LimbsMemory {
    /// Cycles since the start.
    pub phase: f64,
    /// Where it is to face, rad about z from the clip.
    pub heading: f64,
    /// Height of the ground under the feet that stand, m.
    pub ground: f64,
    /// In the order of the stride's feet.
    pub legs: Vec<LimbMemory>,
    /// Way of pushing feet along the ground, m, over all of them.
    pub slip: f64,
    /// Of programs that were solved.
    pub solver: SolverCount,
    /// The stride at the phase.
    pub moment: Moment,
    mass: TreeMatrix,
    /// Way from where the joints are to where they are to be.
    way: Vec<f64>,
    /// Accelerations that are wanted of the joints, rad/s².
    pub wish: Vec<f64>,
    jacobian: DMatrix<f64>,
    begun: bool,
}

/// Looks at a stride for means over it.
const LOOKS: usize = 64;

/// A foot that begins to swing when its time is nearly over has this share of the swing all the same.
const LEAST_WAY: f64 = 0.05;

impl Limbs {
    /// Of a creature that a [`super::Walker`] made ready.
    pub fn new(creature: &Creature, pilot: &Pilot) -> Result<Self, TooLarge> {
        let (reference, units) = (&pilot.reference, pilot.units);
        let legs = Legs::new(creature, &mut Data::new(creature), creature.rest_pose());
        let posture = mean_pose(creature, reference);
        let height =
            (0..LOOKS).map(|k| reference.center_of_mass(share(k)).place.z).sum::<f64>() / LOOKS as f64;
        let mut data = Data::new(creature);
        let bodies = gambol_dynamics::forward_kinematics(creature, &mut data, &posture);
        let root = bodies[reference.base.body].position;
        let hips: Vec<usize> =
            reference.feet.iter().map(|foot| hip_body(creature, &legs, foot.body)).collect();
        let mut frames: Vec<LegFrame> = Vec::new();
        for (limb, hip) in hips.iter().enumerate() {
            let body = creature.bodies()[*hip].parent;
            if let Some(frame) = frames.iter_mut().find(|frame| frame.body == body) {
                frame.limbs.push(limb);
            } else {
                let ahead = (bodies[body].position - root).dot(&units.forward);
                frames.push(LegFrame { body, limbs: vec![limb], ahead });
            }
        }
        frames.sort_by(|a, b| b.ahead.total_cmp(&a.ahead).then(a.body.cmp(&b.body)));
        let mut of_leg = vec![false; creature.nv()];
        let mut limbs = Vec::with_capacity(hips.len());
        for (foot, hip) in hips.into_iter().enumerate() {
            let dofs = dofs_between(creature, hip, reference.feet[foot].body);
            for dof in &dofs {
                of_leg[*dof] = true;
            }
            let frame = frames.iter().position(|frame| frame.limbs.contains(&foot)).unwrap_or(0);
            let (neutral, clearance) = stands(reference, foot);
            let [from, length] = reference.graph.feet[foot].stances.first().copied().unwrap_or([0.0, 1.0]);
            let flat = reference.foot_turn(foot, from + 0.5 * length).0;
            limbs.push(Limb {
                frame,
                hip: creature.bodies()[hip].dofs.clone(),
                dofs,
                neutral,
                clearance,
                flat,
            });
        }
        let mut damping = vec![0.0; creature.nv()];
        for joint in creature.joints() {
            damping[joint.v..joint.v + joint.kind.nv()].fill(joint.damping);
        }
        Ok(Self {
            reference: reference.clone(),
            units,
            settings: pilot.settings.clone(),
            frames,
            limbs,
            posture,
            height,
            start_phase: pilot.start_phase,
            of_leg,
            damping,
            mass: TreeMatrix::new(creature)?,
        })
    }

    /// The memory with which it begins.
    pub fn memory(&self, creature: &Creature) -> LimbsMemory {
        let zero = Vec3::zeros();
        let leg = LimbMemory {
            state: LegState::ToSetDown,
            phase: FootPhase::Swings { share: 0.0, left: 1.0, length: 1.0, next: 0.0 },
            since: 0.0,
            lifted: zero,
            from: 0.0,
            set_down: zero,
            touches: false,
            contact: zero,
            normal: Vec3::z(),
            place: zero,
            velocity: zero,
        };
        LimbsMemory {
            phase: self.start_phase,
            heading: 0.0,
            ground: 0.0,
            legs: vec![leg; self.limbs.len()],
            slip: 0.0,
            solver: SolverCount::default(),
            moment: Moment::new(creature),
            mass: self.mass.clone(),
            way: vec![0.0; creature.nv()],
            wish: vec![0.0; creature.nv()],
            jacobian: DMatrix::zeros(6, creature.nv()),
            begun: false,
        }
    }

    /// Looks at the creature: feet, and what each leg is about by `graph` at this phase.
    pub fn look(&self, sense: &Sense, graph: &GaitGraph, memory: &mut LimbsMemory, command: &mut Command) {
        let h = sense.world().settings().step;
        self.reference.at(sense.creature(), memory.phase, &mut memory.moment);
        sense.mass_matrix(&mut memory.mass);
        memory.wish.fill(0.0);
        self.feel(sense, memory);
        for (foot, leg) in memory.legs.iter_mut().enumerate() {
            leg.phase = graph.at(foot, memory.phase);
        }
        if !memory.begun {
            memory.heading = self.turned(sense, memory);
            Self::begin(memory);
        }
        for foot in 0..memory.legs.len() {
            self.decide(sense, memory, foot, command);
            let leg = &memory.legs[foot];
            if leg.state.pushes() && leg.touches {
                memory.slip += h * math::hypot(leg.velocity.x, leg.velocity.y);
            }
        }
    }

    /// Goes on by a step of the simulation.
    pub fn go_on(&self, sense: &Sense, turn: f64, memory: &mut LimbsMemory) {
        let h = sense.world().settings().step;
        memory.heading += turn * h;
        memory.phase += h / self.reference.period();
    }

    /// Places of feet and what touches.
    fn feel(&self, sense: &Sense, memory: &mut LimbsMemory) {
        let near = self.settings.touch * self.units.length;
        let (mut heights, mut all) = (0.0, 0.0);
        for (leg, plan) in memory.legs.iter_mut().zip(&self.reference.feet) {
            leg.place = sense.frames()[plan.body].point_in_world(plan.point);
            leg.velocity = sense.point_velocity(plan.body, leg.place);
            let (mut sum, mut normal, mut count) = (Vec3::zeros(), Vec3::zeros(), 0.0);
            for contact in sense.contacts().iter().filter(|contact| contact.bodies[1] == 0) {
                if contact.gap < near && plan.bodies.contains(&contact.bodies[0]) {
                    (sum, normal, count) = (sum + contact.point, normal + contact.normal, count + 1.0);
                    (heights, all) = (heights + contact.point.z - contact.gap, all + 1.0);
                }
            }
            leg.touches = count > 0.0;
            leg.contact = if leg.touches { sum / count } else { leg.place };
            leg.normal = normal.try_normalize(1e-9).unwrap_or(Vec3::z());
        }
        if all > 0.0 {
            // Slowly, as the trunk would rise on stairs: about a third of a stride.
            let rate = sense.world().settings().step / (0.3 * self.reference.period());
            let rate = if memory.begun { rate.min(1.0) } else { 1.0 };
            memory.ground += rate * (heights / all - memory.ground);
        }
    }

    /// Feet that stand push, those that swing go on from where they are.
    fn begin(memory: &mut LimbsMemory) {
        for leg in &mut memory.legs {
            (leg.since, leg.lifted, leg.set_down) = (memory.phase, leg.place, leg.place);
            (leg.state, leg.from) = match leg.phase {
                FootPhase::Stands { .. } => (LegState::Pushes, 0.0),
                FootPhase::Swings { share, .. } => (LegState::ToSetDown, share),
            };
        }
        memory.begun = true;
    }

    /// Kokkevis et al. 1995, figure 4, with the early and late landings of Coros et al. 2011.
    fn decide(&self, sense: &Sense, memory: &mut LimbsMemory, foot: usize, command: &mut Command) {
        let pushes = |(k, leg): &(usize, &LimbMemory)| *k != foot && leg.state.pushes() && leg.touches;
        let others = memory.legs.iter().enumerate().filter(pushes).count();
        let neutral = about_z(memory.heading) * self.limbs[foot].neutral;
        let leg = &mut memory.legs[foot];
        // A foot that stands goes back under the body, and is beside its place in mid-stance.
        let until_middle = match leg.phase {
            FootPhase::Stands { share, length, .. } => (0.5 - share) * length * self.reference.period(),
            FootPhase::Swings { .. } => 0.0,
        };
        let goes_by = about_z(memory.heading) * self.reference.velocity * until_middle;
        let off = leg.place - sense.center_of_mass() - neutral - goes_by;
        let away = math::hypot(off.x, off.y) / self.units.length;
        let since = memory.phase - leg.since;
        let sight = LegSight { phase: leg.phase, touches: leg.touches, others, away, since };
        let next = next_state(leg.state, &sight, &self.settings);
        if next != leg.state {
            if matches!(leg.state, LegState::Pushes | LegState::Jammed | LegState::Late) {
                (leg.lifted, leg.set_down) = (leg.place, leg.place);
                leg.from = if let FootPhase::Swings { share, .. } = leg.phase { share } else { 0.0 };
            }
            command.tell(Event { time: sense.time(), what: next.name(), which: foot });
            (leg.state, leg.since) = (next, memory.phase);
        }
    }

    /// Where the foot of a leg stands beside the centre of mass in the middle of its stance, in the world, m.
    pub fn beside(&self, foot: usize, heading: f64) -> Vec3 {
        about_z(heading) * self.limbs[foot].neutral
    }

    /// Of the creature, m/s.
    pub fn velocity(&self, sense: &Sense) -> Vec3 {
        sense.momentum().linear / self.reference.base.mass
    }

    /// Inertia of the whole about its centre of mass, along the world's axes, kg·m².
    pub fn inertia(sense: &Sense) -> Mat3 {
        let center = sense.center_of_mass();
        let mut sum = Mat3::zeros();
        for (body, frame) in sense.creature().bodies().iter().zip(sense.frames()).skip(1) {
            let arm = frame.point_in_world(body.mass.com) - center;
            let (r, own) = (&frame.rotation, &body.mass.inertia);
            let apart = Mat3::identity() * arm.norm_squared() - outer(arm, arm);
            // R I Rᵀ, column by column.
            let turned = Mat3::from_fn(|i, j| {
                let mut entry = 0.0;
                for k in 0..3 {
                    for l in 0..3 {
                        entry += r[(i, k)] * own[(k, l)] * r[(j, l)];
                    }
                }
                entry
            });
            sum += turned + apart * body.mass.mass;
        }
        sum
    }

    /// Share of its way that a foot has come, and how long all of it takes, s; none while it does not swing.
    pub fn swung(&self, leg: &LimbMemory, lands: f64) -> Option<(f64, f64)> {
        let FootPhase::Swings { share, length, .. } = leg.phase else { return None };
        let rest = (lands - leg.from).max(LEAST_WAY);
        Some((((share - leg.from) / rest).clamp(0.0, 1.0), length * self.reference.period() * rest))
    }

    /// Where a foot that swings is to be, how it is to move and to accelerate: from where it was lifted over the centre of its swing to its
    /// set-down point (states 1 and 2 of figure 4), at the share `lands` of its swing.
    pub fn swing(&self, memory: &LimbsMemory, foot: usize, center: Vec3, lands: f64) -> Moving {
        let (leg, limb) = (&memory.legs[foot], &self.limbs[foot]);
        let Some((share, time)) = self.swung(leg, lands) else {
            return Moving { place: leg.place, velocity: Vec3::zeros(), acceleration: Vec3::zeros() };
        };
        let middle = self.settings.center;
        // Through the centre at one and a half times the mean speed, at rest at both ends.
        let mut through = (leg.set_down - leg.lifted) * (1.5 / time);
        through.z = 0.0;
        let top = leg.lifted.z.max(leg.set_down.z) + limb.clearance;
        let center = Vec3::new(center.x, center.y, top);
        if share < middle {
            hermite([leg.lifted, center], [Vec3::zeros(), through], share / middle, middle * time)
        } else {
            let rest = 1.0 - middle;
            hermite([center, leg.set_down], [through, Vec3::zeros()], (share - middle) / rest, rest * time)
        }
    }
}

/// The cubic between two places with given velocities after `s` of a way of `time`.
fn hermite([a, b]: [Vec3; 2], [u, v]: [Vec3; 2], s: f64, time: f64) -> Moving {
    let s = s.clamp(0.0, 1.0);
    let (s2, s3) = (s * s, s * s * s);
    let place = a * (2.0 * s3 - 3.0 * s2 + 1.0)
        + u * (time * (s3 - 2.0 * s2 + s))
        + b * (3.0 * s2 - 2.0 * s3)
        + v * (time * (s3 - s2));
    let velocity =
        (b - a) * ((6.0 * s - 6.0 * s2) / time) + u * (3.0 * s2 - 4.0 * s + 1.0) + v * (3.0 * s2 - 2.0 * s);
    let acceleration =
        (b - a) * ((6.0 - 12.0 * s) / (time * time)) + (u * (6.0 * s - 4.0) + v * (6.0 * s - 2.0)) / time;
    Moving { place, velocity, acceleration }
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_fn(|i, j| a[i] * b[j])
}

fn share(look: usize) -> f64 {
    look as f64 / LOOKS as f64
}

/// The first body of the leg that `foot` belongs to; of a foot that is no leg's, itself.
fn hip_body(creature: &Creature, legs: &Legs, foot: usize) -> usize {
    let leg = legs.legs.iter().find(|leg| leg.foot == foot);
    let first = leg.and_then(|leg| leg.joints.first());
    first.map_or(foot, |joint| creature.joints()[*joint].body)
}

/// Coordinates from a body down to one that hangs on it, in their order.
fn dofs_between(creature: &Creature, top: usize, mut body: usize) -> Vec<usize> {
    let mut dofs = Vec::new();
    let above = creature.bodies()[top].parent;
    while body != above && body != 0 {
        dofs.extend(creature.bodies()[body].dofs.clone().rev());
        body = creature.bodies()[body].parent;
    }
    dofs.reverse();
    dofs
}

/// The pose in the middle of all poses of a stride: differences from the first add up to nothing.
fn mean_pose(creature: &Creature, reference: &StrideReference) -> Vec<f64> {
    let mut moment = Moment::new(creature);
    reference.at(creature, 0.0, &mut moment);
    let mut mean = moment.pose.clone();
    let (mut way, mut sum) = (vec![0.0; creature.nv()], vec![0.0; creature.nv()]);
    // Differences of a few tenths of a radian: three rounds leave nothing.
    for _ in 0..3 {
        sum.fill(0.0);
        for k in 0..LOOKS {
            reference.at(creature, share(k), &mut moment);
            creature.difference(&mean, &moment.pose, &mut way);
            sum.iter_mut().zip(&way).for_each(|(sum, way)| *sum += way / LOOKS as f64);
        }
        creature.integrate(&mut mean, &sum, 1.0);
    }
    mean
}

/// Where a foot stands beside the centre of mass in the mean of its stances, and how high over that it is lifted.
fn stands(reference: &StrideReference, foot: usize) -> (Vec3, f64) {
    let at = |k: usize| reference.foot(foot, share(k)).place;
    let on = |k: &usize| matches!(reference.graph.at(foot, share(*k)), FootPhase::Stands { .. });
    let stance: Vec<usize> = (0..LOOKS).filter(on).collect();
    let all = if stance.is_empty() { (0..LOOKS).collect() } else { stance };
    let beside = |k: &usize| {
        let com = reference.center_of_mass(share(*k)).place;
        at(*k) - Vec3::new(com.x, com.y, 0.0)
    };
    let neutral = all.iter().map(beside).sum::<Vec3>() / all.len() as f64;
    let top = (0..LOOKS).map(|k| at(k).z).fold(f64::NEG_INFINITY, f64::max);
    (neutral, (top - neutral.z).max(0.0))
}
