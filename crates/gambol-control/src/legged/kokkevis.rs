//! The controller of Kokkevis, Metaxas and Badler 1995, for four-legged animals: the body is one rigid thing with six numbers, each with a
//! controller of its own; what they ask for is shared out to the legs by linear programming.
//!
//! ```text
//! x = (c, ċ, θ, θ̇)                                                   equation 1, of the centre of gravity and of the trunk
//! c̈, θ̈ wanted: height and angles  ω² (yᵈ − y) − 2 ζ ω ẏ               double integral plant, figure 3a
//!               velocities           ∫ ω² (vᵈ − v) dt − 2 ζ ω v        single integral plant, figure 3b
//! F = m (c̈ − g),  N = I θ̈                                            equation 2
//! min Σ wₖ |Fₖ − Σ fₖ| + Σ wₖ |Nₖ − Σ (r × f)ₖ|,  |f| at most         equations 4 to 7
//! |f_t| ≤ μ f_n                                                       equations 8 and 9
//! ```
//!
//! Both laws close to y / yᵈ = ω² / (s² + 2 ζ ω s + ω²), equation 3. Forces act at the middle of what of each foot touches; friction is in the
//! program as a pyramid, so that nothing is asked of the ground which it would not give.

use gambol_dynamics::{Sense, TooLarge};
use gambol_model::{Creature, Vec3};

use super::limbs::{LimbGains, LimbMemory, Limbs, LimbsMemory};
use super::pilot::{Course, Pilot};
use super::reference::about_z;
use super::{FootPhase, GaitGraph, KokkevisSettings};
use crate::solve::{LinearProgram, SolveStatus};
use crate::{Command, Controller};

/// Goes by the laws of Kokkevis et al. 1995.
#[derive(Clone, Debug)]
pub struct Kokkevis {
    limbs: Limbs,
    course: Course,
    settings: KokkevisSettings,
    /// Of slow and of fast; the stride's own twice for who has not two pairs of legs.
    graphs: [GaitGraph; 2],
}

/// What it remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct KokkevisMemory {
    /// Legs.
    pub limbs: LimbsMemory,
    /// What the single integral controllers have summed up, ∫ ω² (vᵈ − v) dt, m/s² in the world.
    integral: Vec3,
    /// The gait by which it goes: 0 walks, 1 trots.
    pub gait: usize,
    program: LinearProgram,
    /// Of the ground on each foot, N.
    pub forces: Vec<Vec3>,
}

/// A law of equation 3 for what is controlled by its acceleration: height and angles.
pub fn double_integral(wanted: f64, now: f64, rate: f64, damping: f64, frequency: f64) -> f64 {
    frequency * frequency * (wanted - now) - 2.0 * damping * frequency * rate
}

/// A law of equation 3 for a velocity: the acceleration, and by how much what is summed up grows per second.
pub fn single_integral(wanted: f64, now: f64, sum: f64, damping: f64, frequency: f64) -> (f64, f64) {
    (sum - 2.0 * damping * frequency * now, frequency * frequency * (wanted - now))
}

/// What a foot can do in the program.
struct Reach {
    foot: usize,
    axes: [Vec3; 3],
    /// From the centre of gravity, m.
    arm: Vec3,
}

impl Reach {
    fn new(foot: usize, leg: &LimbMemory, center: Vec3) -> Self {
        let other = if leg.normal.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        let first = (other - leg.normal * leg.normal.dot(&other)).normalize();
        Self { foot, axes: [leg.normal, first, leg.normal.cross(&first)], arm: leg.contact - center }
    }
}

impl Kokkevis {
    /// A controller of `creature`, which a [`super::Walker`] made ready, on a course.
    pub fn new(
        creature: &Creature,
        pilot: &Pilot,
        course: Course,
        settings: KokkevisSettings,
    ) -> Result<Self, TooLarge> {
        let limbs = Limbs::new(creature, pilot)?;
        let graphs = [(&settings.walk, settings.walk_duty), (&settings.trot, settings.trot_duty)]
            .map(|(lifts, duty)| four_legged(&limbs, lifts, duty));
        Ok(Self { limbs, course, settings, graphs })
    }

    /// What it goes by.
    pub fn limbs(&self) -> &Limbs {
        &self.limbs
    }

    /// The graph by which it goes at a speed, m/s.
    pub fn graph(&self, speed: f64) -> &GaitGraph {
        &self.graphs[self.gait(speed)]
    }

    /// The gait of a speed, m/s: 0 walks, 1 trots.
    fn gait(&self, speed: f64) -> usize {
        usize::from(speed.abs() > self.settings.trots * self.limbs.units.speed())
    }

    /// As [`Controller::command`], on another course than its own.
    pub fn steer(&self, sense: &Sense, course: &Course, memory: &mut KokkevisMemory, command: &mut Command) {
        command.rest.copy_from_slice(&sense.state().q);
        memory.gait = self.gait(course.speed);
        let graph = &self.graphs[memory.gait];
        self.limbs.look(sense, graph, &mut memory.limbs, command);
        let (force, torque) = self.ask(sense, course, memory);
        self.share_out(sense, (force, torque), memory);
        self.limbs.bear(sense, command);
        self.limbs.hold(sense, self.settings.hold / self.limbs.units.time(), &mut memory.limbs);
        let gains = self.gains();
        for foot in 0..memory.limbs.legs.len() {
            let set_down = self.set_down(sense, course, foot, memory);
            let force = memory.forces[foot];
            self.limbs.move_leg(sense, foot, (force, set_down), &gains, &mut memory.limbs, command);
        }
        self.limbs.apply(sense, &mut memory.limbs, command);
        self.limbs.go_on(sense, course.turn, &mut memory.limbs);
    }

    fn gains(&self) -> LimbGains {
        let time = self.limbs.units.time();
        LimbGains {
            swing: self.settings.swing / time,
            shape: self.settings.shape / time,
            lands: self.settings.lands,
        }
    }

    /// The six controllers: force and torque that the body is to have, N and N·m.
    fn ask(&self, sense: &Sense, course: &Course, memory: &mut KokkevisMemory) -> (Vec3, Vec3) {
        let (units, own) = (self.limbs.units, &self.settings);
        let (zeta, omega) = (own.damping, own.frequency / units.time());
        let heading = memory.limbs.heading;
        let ahead = about_z(heading) * units.forward;
        let wanted = ahead * course.speed + Vec3::z().cross(&ahead) * course.side;
        let (center, velocity) = (sense.center_of_mass(), self.limbs.velocity(sense));
        let h = sense.world().settings().step;
        let mut wish = Vec3::zeros();
        for axis in 0..2 {
            if memory.integral[axis] == f64::INFINITY {
                // It begins as if it had gone like that for ever.
                memory.integral[axis] = 2.0 * zeta * omega * velocity[axis];
            }
            let (now, grows) =
                single_integral(wanted[axis], velocity[axis], memory.integral[axis], zeta, omega);
            wish[axis] = now;
            memory.integral[axis] += h * grows;
        }
        let height = memory.limbs.ground + self.limbs.height;
        wish.z = double_integral(height, center.z, velocity.z, zeta, omega);
        let (lean, spin) = self.limbs.lean(sense, heading);
        let turning = Vec3::new(0.0, 0.0, course.turn);
        let twist = Vec3::from_fn(|k, _| double_integral(0.0, lean[k], spin[k] - turning[k], zeta, omega));
        let inertia = Limbs::inertia(sense);
        // Six controllers that know nothing of each other: each with its own part of the inertia.
        let torque = Vec3::from_fn(|k, _| inertia[(k, k)] * twist[k]);
        ((wish - sense.creature().gravity()) * self.limbs.reference.base.mass, torque)
    }

    /// Equations 4 to 9: forces of the legs that push. Where none can be found, they have those of the step before.
    fn share_out(&self, sense: &Sense, wanted: (Vec3, Vec3), memory: &mut KokkevisMemory) {
        let center = sense.center_of_mass();
        let friction = sense.world().settings().friction * self.settings.grip;
        let KokkevisMemory { limbs, program, forces, .. } = memory;
        limbs.solver.solves += 1;
        let pushing = limbs.legs.iter().enumerate().filter(|(_, leg)| leg.state.pushes() && leg.touches);
        let feet = pushing.map(|(foot, leg)| Reach::new(foot, leg, center));
        let count = feet.clone().count();
        program.begin(3 * count);
        self.want(wanted, limbs.heading, &feet, program);
        self.bound(count, wanted.0.z, friction, program);
        let status = program.solve();
        limbs.solver.iterations += program.steps();
        if status != SolveStatus::Optimal {
            limbs.solver.failures += 1;
            return;
        }
        forces.fill(Vec3::zeros());
        for (k, foot) in feet.enumerate() {
            forces[foot.foot] = (0..3).map(|side| foot.axes[side] * program.x()[3 * k + side]).sum();
        }
    }

    /// Equations 4 to 6: what forces of feet add up to is to be near to what is wanted, ahead, aside and up.
    fn want(
        &self,
        (force, torque): (Vec3, Vec3),
        heading: f64,
        feet: &(impl Iterator<Item = Reach> + Clone),
        program: &mut LinearProgram,
    ) {
        let [fx, fy, fz] = self.settings.forces;
        let [nx, ny, nz] = self.settings.torques.map(|price| price / self.limbs.units.length);
        for (row, price) in [fx, fy, fz, nx, ny, nz].into_iter().enumerate() {
            let axis = about_z(heading) * along(row % 3, self.limbs.units.forward);
            let wanted = if row < 3 { force } else { torque }.dot(&axis);
            let entries = program.near(wanted, price);
            for (k, foot) in feet.clone().enumerate() {
                for (side, direction) in foot.axes.iter().enumerate() {
                    let does = if row < 3 { *direction } else { foot.arm.cross(direction) };
                    entries[3 * k + side] = does.dot(&axis);
                }
            }
        }
    }

    /// Equations 7 and 8, and what it costs that a foot bears more or less than the others.
    fn bound(&self, count: usize, lift: f64, friction: f64, program: &mut LinearProgram) {
        let weight = self.limbs.reference.base.mass * self.limbs.units.gravity;
        for k in 0..count {
            program.set_bounds(3 * k, 0.0, self.settings.most * weight);
            program.near(lift.max(0.0) / count as f64, self.settings.even)[3 * k] = 1.0;
            for side in [1, 2] {
                program.set_bounds(3 * k + side, f64::NEG_INFINITY, f64::INFINITY);
                for sign in [1.0, -1.0] {
                    let row = program.at_least(0.0);
                    (row[3 * k], row[3 * k + side]) = (friction, sign);
                }
            }
        }
    }

    /// The set-down point, by the speed and the turn of the body: half of the way that it will go over the foot ahead of
    /// the middle of the stance, m.
    fn set_down(&self, sense: &Sense, course: &Course, foot: usize, memory: &KokkevisMemory) -> Vec3 {
        let limbs = &self.limbs;
        let period = limbs.reference.period();
        let FootPhase::Swings { left, .. } = memory.limbs.legs[foot].phase else {
            return memory.limbs.legs[foot].set_down;
        };
        let (comes, stands) = (left * period, self.graphs[memory.gait].duty(foot) * period);
        let velocity = limbs.velocity(sense);
        let level = Vec3::new(velocity.x, velocity.y, 0.0);
        let beside = limbs.beside(foot, memory.limbs.heading + course.turn * comes);
        let sweep = Vec3::new(0.0, 0.0, course.turn).cross(&Vec3::new(beside.x, beside.y, 0.0));
        let ahead = about_z(memory.limbs.heading) * limbs.units.forward;
        let wanted = ahead * course.speed + Vec3::z().cross(&ahead) * course.side;
        let further = (level - wanted) * (self.settings.capture * limbs.units.time());
        let mut place = sense.center_of_mass()
            + level * (comes + 0.5 * stands)
            + beside
            + sweep * (0.5 * stands)
            + further;
        let ground = sense.world().settings().ground.as_ref();
        place.z = ground.map_or(0.0, |ground| ground.height(place.x, place.y)) + beside.z
            - self.settings.firmly * limbs.units.length;
        place
    }
}

/// Ahead, left and up.
fn along(k: usize, forward: Vec3) -> Vec3 {
    match k {
        0 => forward,
        1 => Vec3::z().cross(&forward),
        _ => Vec3::z(),
    }
}

/// The paper's gaits for two pairs of legs: `lifts` is when each foot leaves the ground, left hind, left fore, right hind, right fore. The stride's
/// graph says where it begins, so that as many feet as can be are where it has them; for other legs it is the gait itself.
fn four_legged(limbs: &Limbs, lifts: &[f64; 4], duty: f64) -> GaitGraph {
    let own = &limbs.reference.graph;
    let two = limbs.limbs.len() == 4
        && limbs.frames.len() == 2
        && limbs.frames.iter().all(|frame| frame.limbs.len() == 2);
    if !two {
        return own.clone();
    }
    let left = Vec3::z().cross(&limbs.units.forward);
    let mut from = [0.0; 4];
    for (frame, own) in limbs.frames.iter().enumerate() {
        for &limb in &own.limbs {
            let is_left = limbs.limbs[limb].neutral.dot(&left) > 0.0;
            // Frames go from front to hind.
            let k = usize::from(frame == 0) + if is_left { 0 } else { 2 };
            from[limb] = lifts[k] + 1.0 - duty;
        }
    }
    let names: Vec<&str> = own.feet.iter().map(|foot| foot.name.as_str()).collect();
    let shifted = |shift: f64| {
        let rows: Vec<(&str, f64, f64)> =
            names.iter().zip(from).map(|(name, from)| (*name, from + shift, duty)).collect();
        GaitGraph::of_table(own.period, &rows)
    };
    let shifts = (0..SHIFTS).map(|k| k as f64 / SHIFTS as f64);
    let fits = |graph: &GaitGraph| {
        let same = |foot: usize, phase: f64| {
            let stands = |graph: &GaitGraph| matches!(graph.at(foot, phase), FootPhase::Stands { .. });
            stands(graph) == stands(own)
        };
        (0..4 * SHIFTS).filter(|k| same(k % 4, (k / 4) as f64 / SHIFTS as f64)).count()
    };
    let best = shifts.map(shifted).max_by_key(fits);
    best.unwrap_or_else(|| shifted(0.0))
}

/// Phases at which a gait may begin.
const SHIFTS: usize = 64;

impl Controller for Kokkevis {
    type Memory = KokkevisMemory;

    fn memory(&self, creature: &Creature) -> KokkevisMemory {
        let feet = self.limbs.limbs.len();
        KokkevisMemory {
            limbs: self.limbs.memory(creature),
            integral: Vec3::repeat(f64::INFINITY),
            gait: self.gait(self.course.speed),
            program: LinearProgram::new(3 * feet, 6 + 5 * feet),
            forces: vec![Vec3::zeros(); feet],
        }
    }

    fn command(&self, sense: &Sense, memory: &mut KokkevisMemory, command: &mut Command) {
        self.steer(sense, &self.course, memory, command);
    }
}
