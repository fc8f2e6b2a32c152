//! The peer: convex model-predictive control of one rigid body (Di Carlo et al. 2018, "Dynamic locomotion in the MIT Cheetah 3 through convex
//! model-predictive control"), twelve nodes of 20 ms, on legs led as those of our other controllers are.
//!
//! ```text
//! v⁺ = v + h (Σ f / m + g)       c⁺ = c + h v⁺
//! ω⁺ = ω + h I⁻¹ Σ (p − c) × f   θ⁺ = θ + h ω⁺      f of the feet that the gait has on the ground at each node
//! min Σ over nodes of deviations from a straight way, each by its tolerance, and of forces;  f inside friction pyramids
//! ```

use gambol::control::legged::{
    Course, FootPhase, LegAccount, LegController, LimbGains, Limbs, LimbsMemory, RegulatorSettings, Walker,
};
use gambol::control::solve::{QuadraticProgram, SolveStatus};
use gambol::control::{Command, Controller};
use gambol::dynamics::{Sense, TooLarge};
use gambol::model::{Creature, Vec3, math};

/// Nodes, and how far apart they are, s.
const NODES: usize = 12;
const NODE: f64 = 0.02;

/// Most that a foot bears, weights, and part of the friction that is made use of.
const MOST: f64 = 2.0;
const GRIP: f64 = 0.9;

/// Frequencies of swinging and standing legs and of all else, √(g/l), and share of a swing in which it lands: as of the controllers of the papers.
const SWING: f64 = 15.0;
const SHAPE: f64 = 4.0;
const HOLD: f64 = 8.0;
const LANDS: f64 = 0.95;

/// Tolerance of its speed, √(g l): a third of what our regulator has, which knows that it can make up for it with steps.
const TOLERATED: f64 = 0.1;

/// By how much further a foot is set down for a speed that is not wanted, √(l/g).
const CAPTURE: f64 = 0.8;

/// Plans forces over the next quarter of a second, fifty times a second.
#[derive(Clone, Debug)]
pub(crate) struct Horizon {
    limbs: Limbs,
    course: Course,
    tolerances: RegulatorSettings,
}

/// What it remembers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HorizonMemory {
    limbs: LimbsMemory,
    program: QuadraticProgram,
    /// Of the present node, per foot, N.
    forces: Vec<Vec3>,
    /// When it is planned again, s.
    next: f64,
    /// Forces that are planned: node, foot, axis, what they do to velocity and spin.
    pushes: Vec<Push>,
}

/// One unknown: a force along an axis of a foot at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Push {
    node: usize,
    foot: usize,
    axis: Vec3,
    linear: Vec3,
    angular: Vec3,
}

impl Horizon {
    pub(crate) fn new(walker: &Walker) -> Result<Self, TooLarge> {
        let limbs = Limbs::new(&walker.creature, &walker.pilot)?;
        let course = walker.pilot.own_course();
        Ok(Self { limbs, course, tolerances: RegulatorSettings::default() })
    }

    /// Level, m/s in the world.
    fn wanted(&self, heading: f64) -> Vec3 {
        let (sin, cos) = math::sin_cos(heading);
        let forward = self.limbs.units.forward;
        let ahead = Vec3::new(cos * forward.x - sin * forward.y, sin * forward.x + cos * forward.y, 0.0);
        ahead * self.course.speed + Vec3::z().cross(&ahead) * self.course.side
    }

    /// Where a foot is to come down: half of the way that the body will go over it ahead of the middle of its stance, m.
    fn set_down(&self, sense: &Sense, foot: usize, memory: &LimbsMemory) -> Vec3 {
        let FootPhase::Swings { left, .. } = memory.legs[foot].phase else {
            return memory.legs[foot].set_down;
        };
        let (reference, units) = (&self.limbs.reference, &self.limbs.units);
        let stands = reference.graph.duty(foot) * reference.period();
        let velocity = self.limbs.velocity(sense);
        let level = Vec3::new(velocity.x, velocity.y, 0.0);
        let further = (level - self.wanted(memory.heading)) * (CAPTURE * units.time());
        let beside = self.limbs.beside(foot, memory.heading);
        let mut place =
            sense.center_of_mass() + level * (left * reference.period() + 0.5 * stands) + beside + further;
        place.z = memory.ground + beside.z - 0.03 * units.length;
        place
    }

    /// Plans anew.
    fn plan(&self, sense: &Sense, memory: &mut HorizonMemory) {
        self.find_pushes(sense, memory);
        let HorizonMemory { limbs, program, forces, pushes, .. } = memory;
        forces.fill(Vec3::zeros());
        limbs.solver.solves += 1;
        let count = pushes.len();
        if count == 0 {
            return;
        }
        let (units, own) = (&self.limbs.units, &self.tolerances);
        let tolerance = |value: f64, unit: f64| 1.0 / math::square(value * unit);
        let rate = 1.0 / units.time();
        // Along the ground it has a speed and no place.
        let place = Vec3::new(0.0, 0.0, tolerance(own.height, units.length));
        let level = tolerance(TOLERATED, units.speed());
        let velocity = Vec3::new(level, level, tolerance(own.rise, units.speed()));
        let lean = tolerance(own.lean, 1.0);
        let turned = Vec3::new(lean, lean, tolerance(own.heading, 1.0));
        let spun = Vec3::repeat(tolerance(own.spin, rate));
        let weight = self.limbs.reference.base.mass * units.gravity;
        let price = tolerance(own.force, weight);

        let (leans, spin) = self.limbs.lean(sense, limbs.heading);
        let spin = spin - Vec3::new(0.0, 0.0, self.course.turn);
        let fast = self.limbs.velocity(sense) - self.wanted(limbs.heading);
        let high = sense.center_of_mass().z - limbs.ground - self.limbs.height;
        let gravity = sense.creature().gravity();
        program.begin(count);
        for i in 0..count {
            let a = pushes[i];
            let mut gradient = 0.0;
            for node in a.node..NODES {
                // Without forces: falling, from how it is now.
                let time = NODE * (node + 1) as f64;
                let free = (
                    fast + gravity * time,
                    Vec3::z() * (high + fast.z * time) + gravity * (0.5 * time * (time + NODE)),
                );
                let free_turn = (spin, leans + spin * time);
                let along = NODE * NODE * (node - a.node + 1) as f64;
                gradient += NODE * a.linear.component_mul(&velocity).dot(&free.0)
                    + along * a.linear.component_mul(&place).dot(&free.1)
                    + NODE * a.angular.component_mul(&spun).dot(&free_turn.0)
                    + along * a.angular.component_mul(&turned).dot(&free_turn.1);
            }
            program.gradient_mut()[i] = gradient;
            for j in i..count {
                let b = pushes[j];
                let first = a.node.max(b.node);
                let nodes = (NODES - first) as f64;
                let ways: f64 =
                    (first..NODES).map(|node| ((node - a.node + 1) * (node - b.node + 1)) as f64).sum();
                let (h2, h4) = (NODE * NODE * nodes, NODE * NODE * NODE * NODE * ways);
                let mut entry = h2 * a.linear.component_mul(&velocity).dot(&b.linear)
                    + h4 * a.linear.component_mul(&place).dot(&b.linear)
                    + h2 * a.angular.component_mul(&spun).dot(&b.angular)
                    + h4 * a.angular.component_mul(&turned).dot(&b.angular);
                if i == j {
                    entry += price;
                }
                program.hessian_mut()[i * count + j] = entry;
            }
        }
        let friction = sense.world().settings().friction * GRIP;
        for k in (0..count).step_by(3) {
            program.at_least(0.0)[k] = 1.0;
            program.at_most(MOST * weight)[k] = 1.0;
            for (side, sign) in [(1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
                let row = program.at_least(0.0);
                (row[k], row[k + side]) = (friction, sign);
            }
        }
        program.forget();
        let status = program.solve();
        limbs.solver.iterations += program.steps();
        if status != SolveStatus::Optimal {
            limbs.solver.failures += 1;
            return;
        }
        for (push, force) in pushes.iter().zip(program.x()).filter(|(push, _)| push.node == 0) {
            forces[push.foot] += push.axis * *force;
        }
    }

    /// Feet that stand at each node: now those that touch, later those that the gait has on the ground.
    fn find_pushes(&self, sense: &Sense, memory: &mut HorizonMemory) {
        memory.pushes.clear();
        let inertia = Limbs::inertia(sense);
        let Some(ease) = inertia.try_inverse() else { return };
        let (mass, period) = (self.limbs.reference.base.mass, self.limbs.reference.period());
        let wanted = self.wanted(memory.limbs.heading);
        for node in 0..NODES {
            let time = NODE * (node as f64 + 0.5);
            let center = sense.center_of_mass() + wanted * time;
            for (foot, leg) in memory.limbs.legs.iter().enumerate() {
                let phase = memory.limbs.phase + time / period;
                let stands = if node == 0 {
                    leg.state.pushes() && leg.touches
                } else {
                    matches!(self.limbs.reference.graph.at(foot, phase), FootPhase::Stands { .. })
                };
                if !stands {
                    continue;
                }
                let lands = matches!(leg.phase, FootPhase::Swings { .. });
                let place = if lands { leg.set_down } else { leg.contact };
                let arm = place - center;
                for axis in [Vec3::z(), Vec3::x(), Vec3::y()] {
                    let (linear, angular) = (axis / mass, ease * arm.cross(&axis));
                    memory.pushes.push(Push { node, foot, axis, linear, angular });
                }
            }
        }
    }
}

impl Controller for Horizon {
    type Memory = HorizonMemory;

    fn memory(&self, creature: &Creature) -> HorizonMemory {
        let feet = self.limbs.limbs.len();
        HorizonMemory {
            limbs: self.limbs.memory(creature),
            program: QuadraticProgram::new(3 * feet * NODES, 6 * feet * NODES),
            forces: vec![Vec3::zeros(); feet],
            next: f64::NEG_INFINITY,
            pushes: Vec::with_capacity(3 * feet * NODES),
        }
    }

    fn command(&self, sense: &Sense, memory: &mut HorizonMemory, command: &mut Command) {
        command.rest.copy_from_slice(&sense.state().q);
        self.limbs.look(sense, &self.limbs.reference.graph, &mut memory.limbs, command);
        let stands = |leg: &gambol::control::legged::LimbMemory| leg.state.pushes() && leg.touches;
        // Also when a foot has come or gone.
        let changed =
            memory.limbs.legs.iter().zip(&memory.forces).any(|(leg, force)| stands(leg) != (force.z > 0.0));
        if sense.time() >= memory.next || (changed && sense.time() >= memory.next - NODE + 2e-3) {
            memory.next = sense.time() + NODE - 1e-9;
            self.plan(sense, memory);
        }
        self.limbs.bear(sense, command);
        let rate = 1.0 / self.limbs.units.time();
        self.limbs.hold(sense, HOLD * rate, &mut memory.limbs);
        let gains = LimbGains { swing: SWING * rate, shape: SHAPE * rate, lands: LANDS };
        for foot in 0..memory.limbs.legs.len() {
            let aim = (memory.forces[foot], self.set_down(sense, foot, &memory.limbs));
            self.limbs.move_leg(sense, foot, aim, &gains, &mut memory.limbs, command);
        }
        self.limbs.apply(sense, &mut memory.limbs, command);
        self.limbs.go_on(sense, self.course.turn, &mut memory.limbs);
    }
}

impl LegController for Horizon {
    fn account(memory: &HorizonMemory) -> LegAccount {
        LegAccount { solver: memory.limbs.solver, slip: memory.limbs.slip }
    }
}
