//! The body of a legless creature as a line: from tail to head, or around a ring.

use std::f64::consts::FRAC_PI_2;

use gambol_anatomy::Heading;
use gambol_dynamics::Data;
use gambol_model::{ConstraintKind, Creature, Vec3, math};

/// Bodies in a row, and the joints between them.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// From tail to head.
    pub(super) bodies: Vec<usize>,
    /// Between each body and the next.
    pub(super) links: Vec<Link>,
    /// m
    pub(super) length: f64,
    /// Its ends are joined by a constraint.
    pub(super) ring: bool,
}

/// What joins a body of a chain to the next.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// Velocity coordinates of its joints.
    dofs: std::ops::Range<usize>,
    /// +1 if the next body hangs on this one, −1 the other way round.
    sign: f64,
    /// Its place along the chain, from the tail, m.
    pub(super) place: f64,
}

impl Chain {
    /// The longest way from body to body. Needs `data.frames` and `data.axes` at the rest pose.
    pub(super) fn find(creature: &Creature, data: &Data, heading: &Heading) -> Option<Self> {
        let com = |body: usize| data.frames[body].point_in_world(creature.bodies()[body].mass.com);
        let parent = |body: usize| Some(creature.bodies()[body].parent).filter(|&parent| parent != 0);
        let first = (1..creature.bodies().len()).find(|&body| !creature.bodies()[body].dofs.is_empty())?;
        let farthest = |from: usize| {
            let far = ways(creature, &com, from);
            (1..far.len()).max_by(|&a, &b| far[a].total_cmp(&far[b])).unwrap_or(from)
        };
        let one = farthest(first);
        let other = farthest(one);
        let above = |body: usize| std::iter::successors(Some(body), |&body| parent(body)).collect::<Vec<_>>();
        let (from_one, from_other) = (above(one), above(other));
        let meet = *from_one.iter().find(|body| from_other.contains(body))?;
        let mut bodies: Vec<usize> = from_one.iter().copied().take_while(|&body| body != meet).collect();
        bodies.push(meet);
        bodies.extend(from_other.iter().rev().skip_while(|&&body| body != meet).skip(1));
        if (com(bodies[bodies.len() - 1]) - com(bodies[0])).dot(&heading.forward) < 0.0 {
            bodies.reverse();
        }
        let ring = is_closed(creature, &bodies);
        if !ring {
            let fork = Fork { creature, data };
            fork.cut(&mut bodies);
            bodies.reverse();
            fork.cut(&mut bodies);
            bodies.reverse();
        }
        let mut length = 0.0;
        let mut links = Vec::new();
        for pair in bodies.windows(2) {
            let (outer, sign) =
                if parent(pair[1]) == Some(pair[0]) { (pair[1], 1.0) } else { (pair[0], -1.0) };
            let body = &creature.bodies()[outer];
            let anchor = creature.joints()[body.joints.clone()].first().map_or(body.mass.com, |j| j.anchor);
            let at = data.frames[outer].point_in_world(anchor);
            let place = length + (at - com(pair[0])).norm();
            links.push(Link { dofs: body.dofs.clone(), sign, place });
            length = place + (com(pair[1]) - at).norm();
        }
        Some(Self { bodies, links, length, ring })
    }

    /// How much each link bends about the axis `about` at the velocity `shape`, along the way from tail to head.
    pub(super) fn bends(&self, data: &Data, shape: &[f64], about: Vec3) -> Vec<f64> {
        let bend = |link: &Link| -> f64 {
            link.dofs.clone().map(|dof| link.sign * data.axes[dof].angular.dot(&about) * shape[dof]).sum()
        };
        self.links.iter().map(bend).collect()
    }

    /// A tangent vector that bends the whole by `angle` about `about`, from tail to head, as evenly over its length as links can.
    pub(super) fn evenly_bent(&self, data: &Data, about: Vec3, angle: f64, nv: usize) -> Vec<f64> {
        let mut tangent = vec![0.0; nv];
        let place = |k: usize| self.links.get(k).map_or(self.length, |link| link.place);
        for (k, link) in self.links.iter().enumerate() {
            // Each link bends for the length around it, to halfway to its neighbours and at the ends to those.
            let from = if k == 0 { 0.0 } else { 0.5 * (place(k - 1) + link.place) };
            let to = if k + 1 == self.links.len() { self.length } else { 0.5 * (link.place + place(k + 1)) };
            let share = angle * (to - from) / self.length.max(f64::MIN_POSITIVE);
            for dof in link.dofs.clone() {
                tangent[dof] = share * link.sign * data.axes[dof].angular.dot(&about);
            }
        }
        tangent
    }

    /// Stiffness of each link about an axis, N·m/rad; 0 where it cannot bend about it.
    pub(super) fn stiffness(&self, creature: &Creature, data: &Data, about: Vec3) -> Vec<f64> {
        let stiffness = |link: &Link| {
            let along = |dof: usize| math::square(data.axes[dof].angular.dot(&about));
            let joint = |dof: usize| creature.joints()[creature.dofs()[dof].joint].stiffness;
            // 1 for a ball, cos² of the angle between the axes for a hinge.
            let free: f64 = link.dofs.clone().map(along).sum();
            let held: f64 = link.dofs.clone().map(|dof| joint(dof) * along(dof)).sum();
            if free > 0.5 { held / free } else { 0.0 }
        };
        self.links.iter().map(stiffness).collect()
    }
}

/// Ends of a back that part: flukes, the lobes of a fin, jaws. The back ends where they begin.
struct Fork<'c> {
    creature: &'c Creature,
    data: &'c Data,
}

impl Fork<'_> {
    /// Cuts the first bodies off where they are one side of a fork, which is no more than a third of the whole.
    fn cut(&self, bodies: &mut Vec<usize>) {
        let most = bodies.len() / 3;
        let parts = |&k: &usize| self.parts(bodies[k], bodies[k + 1]);
        if let Some(last) = (0..most).rev().find(parts) {
            bodies.drain(..=last);
        }
    }

    /// Whether `body` leaves `parent` to one side, and something else to the other.
    fn parts(&self, body: usize, parent: usize) -> bool {
        const ASIDE: f64 = 0.34; // sine of 20°: what goes on along its parent leaves it by less
        if self.creature.bodies()[body].parent != parent {
            return false;
        }
        let Some(own) = self.aside(body, parent) else { return false };
        let is_other = |&other: &usize| other != body && self.creature.bodies()[other].parent == parent;
        own.norm() > ASIDE
            && (1..self.creature.bodies().len())
                .filter(is_other)
                .filter_map(|other| self.aside(other, parent))
                .any(|other| {
                    other.norm() > ASIDE && other.dot(&own) < 0.0 && other.angle(&own) > FRAC_PI_2 + ASIDE
                })
    }

    /// The direction of a body across that of its parent, by the way from joint to joint to centre.
    fn aside(&self, body: usize, parent: usize) -> Option<Vec3> {
        let at = |body: usize| {
            let joint = self.creature.joints()[self.creature.bodies()[body].joints.clone()].first()?;
            Some(self.data.frames[body].point_in_world(joint.anchor))
        };
        let com = |body: usize| self.data.frames[body].point_in_world(self.creature.bodies()[body].mass.com);
        let along = (at(body)? - com(parent)).try_normalize(1e-9)?;
        let own = (com(body) - at(body)?).try_normalize(1e-9)?;
        Some(own - along * own.dot(&along))
    }
}

/// Way from the centre of `from` to those of all bodies along the tree, m; not a number for other trees.
fn ways(creature: &Creature, com: &impl Fn(usize) -> Vec3, from: usize) -> Vec<f64> {
    let bodies = creature.bodies();
    let mut far = vec![f64::NEG_INFINITY; bodies.len()];
    far[from] = 0.0;
    let mut body = from;
    while bodies[body].parent != 0 {
        let parent = bodies[body].parent;
        far[parent] = far[body] + (com(parent) - com(body)).norm();
        body = parent;
    }
    for body in 1..bodies.len() {
        let parent = bodies[body].parent;
        if far[body] == f64::NEG_INFINITY && parent != 0 {
            far[body] = far[parent] + (com(parent) - com(body)).norm();
        }
    }
    far
}

fn is_closed(creature: &Creature, bodies: &[usize]) -> bool {
    let ends = [bodies[0], bodies[bodies.len() - 1]];
    creature.constraints().iter().any(|constraint| {
        let joined = match &constraint.kind {
            ConstraintKind::Connect { a, b } | ConstraintKind::Hinge { a, b, .. } => [a.body, b.body],
            ConstraintKind::Weld { a, b, .. } => [*a, *b],
            _ => return false,
        };
        joined == ends || joined == [ends[1], ends[0]]
    })
}
