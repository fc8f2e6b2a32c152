//! Rows of A: contacts with their friction pyramids, and limits of joints.

use gambol_dynamics::reduced::{ReducedBody, ReducedData};
use gambol_dynamics::{Collider, Contact, Terrain};
use gambol_model::Vec3;

/// Contacts farther than this are not looked at, m: more than a limb moves in a step of 10 ms.
const REACH: f64 = 0.05;

/// Below this gap a contact rubs, m; above, it only must not sink in.
const TOUCH: f64 = 1e-3;

/// What overlaps is pushed out at this speed at most, m/s, as in [`gambol_dynamics::step`].
const PUSH_OUT: f64 = 0.1;

/// Directions across a normal: the friction pyramid has as many sides.
pub(super) const SIDES: usize = 4;

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReducedContact {
    /// Where, and between what.
    pub contact: Contact,
    /// It is near enough to bear load.
    pub touches: bool,
    /// Force on the body, N, along the world axes.
    pub force: Vec3,
    /// Coulomb's coefficient there.
    pub friction: f64,
}

/// All rows a·v ≥ b of a step.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    collider: Collider,
    reach: Vec<f64>,
    found: Vec<Contact>,
    /// Contacts, those that touch with [`SIDES`] rows and others with one.
    pub contacts: Vec<ReducedContact>,
    /// n numbers each.
    pub numbers: Vec<f64>,
    /// b, m/s or 1/s.
    pub bounds: Vec<f64>,
    /// Force of the multiplier of each row of a contact, per unit.
    pub pushes: Vec<(usize, Vec3)>,
    /// How many of those are of contacts that touch; they come first.
    pub bearing: usize,
}

impl Rows {
    pub(super) fn new(body: &ReducedBody) -> Self {
        let bodies = body.creature().bodies().len();
        Self {
            collider: Collider::new(body.creature(), false),
            reach: vec![REACH; bodies],
            found: Vec::with_capacity(64),
            contacts: Vec::with_capacity(64),
            numbers: Vec::with_capacity(64 * SIDES * body.n()),
            bounds: Vec::with_capacity(64 * SIDES),
            pushes: Vec::with_capacity(64 * SIDES),
            bearing: 0,
        }
    }

    /// The rows of all contacts of a body that is placed.
    pub(super) fn meet(
        &mut self,
        body: &ReducedBody,
        data: &ReducedData,
        ground: Option<&Terrain>,
        friction: f64,
        h: f64,
    ) {
        self.collider.find(&data.full.frames, ground, &self.reach, &mut self.found);
        self.contacts.clear();
        self.numbers.clear();
        self.bounds.clear();
        self.pushes.clear();
        // Those that touch come first: only they can bear load.
        self.meet_those(body, data, ground, friction, h, |gap| gap < TOUCH);
        self.bearing = self.pushes.len();
        self.meet_those(body, data, ground, friction, h, |gap| gap >= TOUCH);
    }

    fn meet_those(
        &mut self,
        body: &ReducedBody,
        data: &ReducedData,
        ground: Option<&Terrain>,
        friction: f64,
        h: f64,
        is_now: impl Fn(f64) -> bool,
    ) {
        for k in 0..self.found.len() {
            let contact = self.found[k];
            if !is_now(contact.gap) {
                continue;
            }
            let own = ground.and_then(|ground| ground.friction(contact.point.x, contact.point.y));
            let friction = own.unwrap_or(friction);
            let touches = contact.gap < TOUCH;
            let k = self.contacts.len();
            self.contacts.push(ReducedContact { contact, touches, force: Vec3::zeros(), friction });
            let bound = (-contact.gap / h).min(PUSH_OUT);
            if touches {
                for across in directions(contact.normal) {
                    self.push_row(body, data, k, contact.normal + across * friction, bound);
                }
            } else {
                self.push_row(body, data, k, contact.normal, bound);
            }
        }
    }

    fn push_row(&mut self, body: &ReducedBody, data: &ReducedData, k: usize, push: Vec3, bound: f64) {
        let contact = self.contacts[k].contact;
        let row = self.add(body.n(), bound);
        data.point_motion(body, contact.bodies[0], contact.point, |at, _, linear| {
            row[at] = push.dot(&linear);
        });
        self.pushes.push((k, push));
    }

    /// A further row, to be filled in.
    pub(super) fn add(&mut self, n: usize, bound: f64) -> &mut [f64] {
        self.bounds.push(bound);
        let first = self.numbers.len();
        self.numbers.resize(first + n, 0.0);
        &mut self.numbers[first..]
    }

    /// Forces from the multipliers of the rows, impulses of a step of length h.
    pub(super) fn take_forces(&mut self, impulses: &[f64], h: f64) {
        for contact in &mut self.contacts {
            contact.force = Vec3::zeros();
        }
        for ((k, push), impulse) in self.pushes.iter().zip(impulses) {
            self.contacts[*k].force += push * (impulse.max(0.0) / h);
        }
    }
}

/// Four directions across a normal.
fn directions(normal: Vec3) -> [Vec3; SIDES] {
    let other = if normal.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let first = (other - normal * normal.dot(&other)).normalize();
    let second = normal.cross(&first);
    [first, -first, second, -second]
}
