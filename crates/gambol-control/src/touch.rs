//! Which bodies stand on the ground, and when.

use gambol_dynamics::{State, Stepper, World};
use gambol_model::{Landmark, Role, Vec3};
use gambol_motion::Contact;

/// How a body touched the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Touching {
    /// Of its foot landmark, else of the body.
    pub name: String,
    /// The body.
    pub body: usize,
    /// Share of the time that it touched, 0 to 1.
    pub duty: f64,
    /// Mean upward force over the whole time, N.
    pub load: f64,
    /// Start and end, s from the start of the simulation. A lift of less than 20 ms does not end one.
    pub intervals: Vec<[f64; 2]>,
    /// Where it touched first, in the body frame, m.
    pub point: Vec3,
}

/// A body that leaves the ground for less has not left it, s: about a frame of film.
const LIFT: f64 = 0.02;

/// Keeps the record of all bodies.
#[derive(Clone, Debug)]
pub(crate) struct Touches {
    /// Per body.
    bodies: Vec<Option<Touching>>,
    now: Vec<bool>,
    steps: usize,
}

impl Touches {
    pub(crate) fn new(world: &World) -> Self {
        let count = world.creature().bodies().len();
        Self { bodies: vec![None; count], now: vec![false; count], steps: 0 }
    }

    /// The step that was just made to `state`, from `time` for `h`, s.
    pub(crate) fn record(&mut self, world: &World, stepper: &Stepper, state: &State, time: f64, h: f64) {
        self.steps += 1;
        self.now.fill(false);
        for force in state.contact_forces(world).filter(|force| force.contact.bodies[1] == 0) {
            let body = force.contact.bodies[0];
            let touching = self.bodies[body].get_or_insert_with(|| {
                let frame = &stepper.data.frames[body];
                let point = frame.rotation.tr_mul(&(force.contact.point - frame.position));
                first_touch(world, body, point)
            });
            touching.load += force.force.z;
            if std::mem::replace(&mut self.now[body], true) {
                continue;
            }
            touching.duty += 1.0;
            match touching.intervals.last_mut() {
                Some(last) if time - last[1] < LIFT => last[1] = time + h,
                _ => touching.intervals.push([time, time + h]),
            }
        }
    }

    /// All bodies that touched, in order.
    pub(crate) fn finish(self) -> Vec<Touching> {
        let share = 1.0 / (self.steps.max(1) as f64);
        let all = self.bodies.into_iter().flatten();
        all.map(|touching| Touching { duty: touching.duty * share, load: touching.load * share, ..touching })
            .collect()
    }
}

fn first_touch(world: &World, body: usize, point: Vec3) -> Touching {
    let creature = world.creature();
    let foot = creature.landmarks().iter().find(|mark| mark.role == Role::Foot && mark.body == body);
    let name = foot.map_or_else(|| creature.bodies()[body].name.clone(), Landmark::name);
    Touching { name, body, duty: 0.0, load: 0.0, intervals: Vec::new(), point }
}

impl From<&Touching> for Contact {
    fn from(touching: &Touching) -> Self {
        Self {
            name: touching.name.clone(),
            body: touching.body,
            point: touching.point,
            intervals: touching.intervals.clone(),
        }
    }
}
