//! Features: what is wished of a velocity (sections 5.2 and 6).
//!
//! ```text
//! γ(v) = Γ v − γ̃,   Γ = J_e,   γ̃ = −φ_p e − φ_d J_e vₖ                                            (11)
//! ```
//!
//! φ_p = 1/h and φ_d = 0 would take an error away in one step. A calm way there, as critically damped springs go with the time
//! constant T, is φ_p = h/T² and φ_d = 2h/T − 1.

use gambol_dynamics::reduced::{PLACE, ROOT, ReducedBody, ReducedState};
use gambol_model::{Creature, Mat3, Quat, Vec3};
use nalgebra::Rotation3;

use super::step::{ReducedMemory, ReducedWorld};

/// What a feature is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Aim {
    /// A point of a body (m, body frame) goes to a place, m.
    Point {
        /// Index of the body.
        body: usize,
        /// In its frame, m.
        point: Vec3,
        /// In the world, m.
        target: Vec3,
    },
    /// A body turns to an orientation, on the group: e = log(q*⁻¹ q).
    Orientation {
        /// Index of the body.
        body: usize,
        /// In the world.
        target: Quat,
    },
    /// An axis of a body looks at a place (section 6.1). Nothing is wished where the view and the vertical are one line.
    LookAt {
        /// Index of the body.
        body: usize,
        /// The eyes, in its frame, m.
        eyes: Vec3,
        /// World from body, where the body looks along x with its head up.
        level: Quat,
        /// In the world, m.
        target: Vec3,
    },
    /// The centre of mass goes to a place, m.
    Center {
        /// In the world, m.
        target: Vec3,
    },
    /// The centre of mass goes to a height over the support, m.
    CenterHeight {
        /// m
        height: f64,
    },
    /// The angular momentum about the centre of mass goes to zero (section 6.2.2).
    AngularMomentum,
    /// The centre of mass goes over the centre of support (section 6.2.3).
    OverSupport,
    /// A point of a body, the head, goes over the centre of support.
    PointOverSupport {
        /// Index of the body.
        body: usize,
        /// In its frame, m.
        point: Vec3,
    },
    /// A body, a foot, stays where it is put.
    Held {
        /// Index of the body.
        body: usize,
        /// The point of it that stays, in its frame, m.
        point: Vec3,
        /// Where, in the world, m.
        place: Vec3,
        /// And how it is turned.
        orientation: Quat,
    },
    /// Where a foot, or what hangs on it, touches the ground, it neither slides nor leaves, and what is near to touching does so at the
    /// end of the step.
    Planted {
        /// Index of the body.
        body: usize,
    },
    /// The coordinates x go to these; zero is the mean pose.
    Posture {
        /// k numbers.
        target: Vec<f64>,
    },
}

/// Something to wish for, and how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// What it is about.
    pub aim: Aim,
    /// φ_p, 1/s: share of the error to be gone in a second.
    pub gain: f64,
    /// φ_d: share of the present velocity to be gone after a step; −1 keeps all of it.
    pub damping: f64,
    /// Against other features, in masses of the body.
    pub weight: f64,
    /// 0 comes first: what is reached of it is not given up for what comes after.
    pub priority: usize,
    /// From and until, s.
    pub during: [f64; 2],
}

/// At all times, s.
const ALWAYS: [f64; 2] = [0.0, f64::INFINITY];

impl Feature {
    /// Goes to its aim as a critically damped spring with the time constant `time`, s, in steps of h.
    pub fn calm(aim: Aim, time: f64, weight: f64, h: f64) -> Self {
        let time = time.max(h);
        Self {
            aim,
            gain: h / (time * time),
            damping: 2.0 * h / time - 1.0,
            weight,
            priority: 0,
            during: ALWAYS,
        }
    }
}

/// One row of Γ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    /// n numbers.
    pub numbers: &'a [f64],
    /// γ̃
    pub wanted: f64,
    /// kg, or what makes energy of it.
    pub weight: f64,
}

/// The rows of all features of a step.
#[derive(Clone, Debug)]
pub struct Wishes {
    n: usize,
    numbers: Vec<f64>,
    wanted: Vec<f64>,
    weights: Vec<f64>,
    priorities: Vec<usize>,
}

impl Wishes {
    /// None yet, with room for many.
    pub fn new(body: &ReducedBody) -> Self {
        let (n, most) = (body.n(), 64 + body.n());
        Self {
            n,
            numbers: Vec::with_capacity(most * n),
            wanted: Vec::with_capacity(most),
            weights: Vec::with_capacity(most),
            priorities: Vec::with_capacity(most),
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.wanted.clear();
        self.weights.clear();
        self.priorities.clear();
    }

    /// Whether nothing is wished.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    fn row(&self, k: usize) -> Row<'_> {
        let numbers = &self.numbers[k * self.n..(k + 1) * self.n];
        Row { numbers, wanted: self.wanted[k], weight: self.weights[k] }
    }

    pub(super) fn priorities(&self) -> impl Iterator<Item = usize> + use<> {
        let highest = self.priorities.iter().copied().max().unwrap_or(0);
        0..=highest.min(MOST_PRIORITIES)
    }

    pub(super) fn of(&self, priority: usize) -> impl Iterator<Item = Row<'_>> {
        let is_of = move |k: &usize| self.priorities[*k].min(MOST_PRIORITIES) == priority;
        (0..self.wanted.len()).filter(is_of).map(|k| self.row(k))
    }

    /// Those of higher priorities, in their order.
    pub(super) fn before(&self, priority: usize) -> impl Iterator<Item = Row<'_>> {
        (0..priority).flat_map(|before| self.of(before))
    }

    /// Adds a row, to be filled in.
    fn add(&mut self, wanted: f64, weight: f64, priority: usize) -> &mut [f64] {
        self.wanted.push(wanted);
        self.weights.push(weight);
        self.priorities.push(priority);
        let first = self.numbers.len();
        self.numbers.resize(first + self.n, 0.0);
        &mut self.numbers[first..]
    }

    /// Adds what a feature asks for of a body that was looked at ([`ReducedWorld::look`]), with its support centred at `support`.
    pub fn wish(
        &mut self,
        world: &ReducedWorld,
        memory: &ReducedMemory,
        state: &ReducedState,
        support: Option<Vec3>,
        feature: &Feature,
    ) {
        if !(feature.during[0]..feature.during[1]).contains(&state.time) {
            return;
        }
        let mass = world.body.base().mass;
        let maker = Maker { world, memory, state, feature, weight: feature.weight * mass };
        maker.make(self, support);
    }
}

/// Deeper priorities are one: each costs a program.
const MOST_PRIORITIES: usize = 3;

/// Radius of a foot, m: turning it counts as moving its rim.
const FOOT: f64 = 0.1;

/// Where the view is this near to the vertical, the sine between them, looking has no answer (section 6.1).
const ALIGNED: f64 = 0.05;

/// What the rows of one feature are made from.
struct Maker<'a> {
    world: &'a ReducedWorld,
    memory: &'a ReducedMemory,
    state: &'a ReducedState,
    feature: &'a Feature,
    /// kg
    weight: f64,
}

impl Maker<'_> {
    fn make(&self, wishes: &mut Wishes, support: Option<Vec3>) {
        let frames = &self.memory.data.full.frames;
        match &self.feature.aim {
            Aim::Point { body, point, target } => {
                let at = frames[*body].point_in_world(*point);
                self.move_point(wishes, *body, at, at - target, &[0, 1, 2]);
            }
            Aim::Orientation { body, target } => self.turn(wishes, *body, target, 1.0),
            Aim::LookAt { body, eyes, level, target } => {
                let eyes = frames[*body].point_in_world(*eyes);
                if let Some(view) = look(target - eyes) {
                    self.turn(wishes, *body, &(view * level), 1.0);
                }
            }
            Aim::Center { target } => self.move_center(wishes, *target, &[0, 1, 2]),
            Aim::CenterHeight { height } => {
                if let Some(support) = support {
                    self.move_center(wishes, support + Vec3::z() * *height, &[2]);
                }
            }
            Aim::AngularMomentum => self.stop_spinning(wishes),
            Aim::OverSupport => {
                if let Some(support) = support {
                    self.move_center(wishes, support, &[0, 1]);
                }
            }
            Aim::PointOverSupport { body, point } => {
                if let Some(support) = support {
                    let at = frames[*body].point_in_world(*point);
                    self.move_point(wishes, *body, at, at - support, &[0, 1]);
                }
            }
            Aim::Held { body, point, place, orientation } => {
                let at = frames[*body].point_in_world(*point);
                self.move_point(wishes, *body, at, at - place, &[0, 1, 2]);
                self.turn(wishes, *body, orientation, FOOT);
            }
            Aim::Planted { body } => self.plant(wishes, *body),
            Aim::Posture { target } => self.pose(wishes, target),
        }
    }

    fn plant(&self, wishes: &mut Wishes, foot: usize) {
        let (creature, h) = (self.world.body.creature(), self.world.settings.step);
        for contact in self.memory.contacts().iter().filter(|contact| contact.touches) {
            let (body, at, normal) =
                (contact.contact.bodies[0], contact.contact.point, contact.contact.normal);
            if !hangs(creature, body, foot) {
                continue;
            }
            for axis in 0..3 {
                let along = Vec3::ith(axis, 1.0);
                let wanted = along.dot(&normal) * -contact.contact.gap / h;
                let row = wishes.add(wanted, self.weight, self.feature.priority);
                self.memory
                    .data
                    .point_motion(&self.world.body, body, at, |k, _, linear| row[k] = linear[axis]);
            }
        }
    }

    /// Fills a row and says what is wanted of it: −φ_p e − φ_d Γ vₖ.
    fn finish(&self, wishes: &mut Wishes, error: f64, weight: f64, fill: impl FnOnce(&mut [f64])) {
        let row = wishes.add(0.0, weight, self.feature.priority);
        fill(row);
        let rate: f64 = row.iter().zip(&self.state.v).map(|(a, v)| a * v).sum();
        if let Some(wanted) = wishes.wanted.last_mut() {
            *wanted = -self.feature.gain * error - self.feature.damping * rate;
        }
    }

    fn move_point(&self, wishes: &mut Wishes, body: usize, at: Vec3, error: Vec3, axes: &[usize]) {
        for &axis in axes {
            self.finish(wishes, error[axis], self.weight, |row| {
                self.memory
                    .data
                    .point_motion(&self.world.body, body, at, |k, _, linear| row[k] = linear[axis]);
            });
        }
    }

    /// Along the body's axes, on the group: ω = −φ_p log(q*⁻¹ q). `arm` makes a way of an angle, m.
    fn turn(&self, wishes: &mut Wishes, body: usize, target: &Quat, arm: f64) {
        let frame = &self.memory.data.full.frames[body];
        let error = (target.inverse() * frame.orientation).scaled_axis() * arm;
        for axis in 0..3 {
            let along: Vec3 = frame.rotation.column(axis) * arm;
            self.finish(wishes, error[axis], self.weight, |row| {
                let data = &self.memory.data;
                data.point_motion(&self.world.body, body, frame.position, |k, angular, _| {
                    row[k] = along.dot(&angular);
                });
            });
        }
    }

    fn move_center(&self, wishes: &mut Wishes, target: Vec3, axes: &[usize]) {
        let (rows, center) = (&self.memory.momenta, self.memory.center);
        let (n, mass) = (self.world.body.n(), self.world.body.base().mass);
        for &axis in axes {
            self.finish(wishes, center[axis] - target[axis], self.weight, |row| {
                for (entry, momentum) in row.iter_mut().zip(&rows[axis * n..]) {
                    *entry = momentum / mass;
                }
            });
        }
    }

    /// Momentum over mass and height is the speed of a mass that goes round at arm's length.
    fn stop_spinning(&self, wishes: &mut Wishes) {
        let (rows, n) = (&self.memory.momenta, self.world.body.n());
        let scale = 1.0 / (self.world.body.base().mass * self.memory.length);
        for axis in 3..6 {
            self.finish(wishes, 0.0, self.weight, |row| {
                for (entry, momentum) in row.iter_mut().zip(&rows[axis * n..]) {
                    *entry = momentum * scale;
                }
            });
        }
    }

    /// Each coordinate weighs what moves along it.
    fn pose(&self, wishes: &mut Wishes, target: &[f64]) {
        let n = self.world.body.n();
        for (k, x) in self.state.g[PLACE..].iter().enumerate() {
            let at = ROOT + k;
            let inertia = self.memory.data.mass()[at * (n + 1)];
            let error = x - target.get(k).copied().unwrap_or(0.0);
            self.finish(wishes, error, self.feature.weight * inertia, |row| row[at] = 1.0);
        }
    }
}

/// Whether a body is a foot, or hangs on it.
pub(super) fn hangs(creature: &Creature, mut body: usize, foot: usize) -> bool {
    while body > foot {
        body = creature.bodies()[body].parent;
    }
    body == foot
}

/// The orientation that looks along `view` with its head up: x along the view, z as upright as can be. None along the vertical.
fn look(view: Vec3) -> Option<Quat> {
    let x = view.try_normalize(1e-9)?;
    let up = Vec3::z() - x * x.z;
    let z = up.try_normalize(ALIGNED)?;
    let axes = Mat3::from_columns(&[x, z.cross(&x), z]);
    Some(Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_has_no_answer_along_the_vertical_and_one_elsewhere() {
        assert_eq!(look(Vec3::z()), None);
        assert_eq!(look(Vec3::zeros()), None);
        let view = Vec3::new(1.0, -2.0, 0.5);
        let turned = look(view).unwrap();
        assert!((turned * Vec3::x() - view.normalize()).norm() < 1e-12);
        // Not rolled: the body's left stays level.
        assert!((turned * Vec3::y()).z.abs() < 1e-12 && (turned * Vec3::z()).z > 0.0);
    }
}
