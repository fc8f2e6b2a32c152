//! How the bodies move in a mode, and where its energy is.

use gambol_anatomy::{Heading, LimbPart, Limbs, Mirror};
use gambol_dynamics::{Data, body_velocities};
use gambol_model::{Creature, Mat3, Vec3};

/// The creature in its pose: what is the same for all modes.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) pose: Vec<f64>,
    pub(super) heading: Heading,
    /// Centres of mass in the world, m.
    pub(super) com: Vec<Vec3>,
    /// Inertia about them, along the world axes, kg·m².
    pub(super) inertia: Vec<Mat3>,
    /// Points the joints turn about, in the world, m.
    pub(super) anchors: Vec<Vec3>,
    /// Landmarks in the world, m.
    pub(super) marks: Vec<Vec3>,
}

impl Scene {
    /// Needs `data.frames` and `data.axes` at `pose`.
    pub(super) fn new(creature: &Creature, data: &Data, pose: Vec<f64>, heading: Heading) -> Self {
        let frames = &data.frames;
        let bodies = || creature.bodies().iter().zip(frames);
        Self {
            pose,
            heading,
            com: bodies().map(|(body, frame)| frame.point_in_world(body.mass.com)).collect(),
            inertia: bodies()
                .map(|(body, frame)| frame.rotation * body.mass.inertia * frame.rotation.transpose())
                .collect(),
            anchors: creature.joints().iter().map(|j| frames[j.body].point_in_world(j.anchor)).collect(),
            marks: creature.landmarks().iter().map(|l| frames[l.body].point_in_world(l.point)).collect(),
        }
    }
}

/// Motion of a body: of its centre of mass, and its turning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    pub(super) linear: Vec3,
    pub(super) angular: Vec3,
}

/// A mode as it moves the bodies.
pub(super) struct Motion<'s> {
    pub(super) scene: &'s Scene,
    pub(super) bodies: Vec<Moving>,
    /// Per body, J at 1 rad/s of the mode.
    pub(super) kinetic: Vec<f64>,
    /// Part of the elastic energy in each joint.
    pub(super) elastic: Vec<f64>,
    /// Rotation of each joint along the world axes, rad.
    pub(super) turns: Vec<Vec3>,
}

impl<'s> Motion<'s> {
    pub(super) fn new(creature: &Creature, data: &mut Data, scene: &'s Scene, shape: &[f64]) -> Self {
        let velocities = body_velocities(creature, data, &scene.pose, shape).to_vec();
        let moving = |(index, velocity): (usize, &gambol_dynamics::Motion)| {
            let lever = scene.com[index] - data.frames[index].position;
            Moving { linear: velocity.linear + velocity.angular.cross(&lever), angular: velocity.angular }
        };
        let bodies: Vec<Moving> = velocities.iter().enumerate().map(moving).collect();
        let mut kinetic: Vec<f64> = bodies
            .iter()
            .zip(creature.bodies())
            .zip(&scene.inertia)
            .map(|((m, body), inertia)| {
                0.5 * (body.mass.mass * m.linear.norm_squared() + m.angular.dot(&(inertia * m.angular)))
            })
            .collect();
        for (dof, u) in creature.dofs().iter().zip(shape) {
            kinetic[dof.body] += 0.5 * dof.armature * u * u;
        }
        let turn = |joint: &gambol_model::Joint| -> Vec3 {
            (joint.v..joint.v + joint.kind.nv()).map(|dof| data.axes[dof].angular * shape[dof]).sum()
        };
        let turns = creature.joints().iter().map(turn).collect();
        Self { scene, bodies, kinetic, elastic: elastic_shares(creature, shape), turns }
    }

    /// Velocity of the point `x` of the world as if it were fixed to `body`.
    pub(super) fn carried(&self, body: usize, x: Vec3) -> Vec3 {
        let moving = self.bodies[body];
        moving.linear + moving.angular.cross(&(x - self.scene.com[body]))
    }

    /// Velocity of the point `x` of `body` as seen from the body `from`.
    pub(super) fn relative(&self, body: usize, x: Vec3, from: usize) -> Vec3 {
        self.carried(body, x) - self.carried(from, x)
    }

    /// Cosine between the motion and its mirror image in the metric of the kinetic energy, −1..1; 0 at rest.
    pub(super) fn symmetry(&self, creature: &Creature, mirror: &Mirror) -> f64 {
        let normal = self.scene.heading.left;
        let reflect = |x: Vec3| x - normal * (2.0 * normal.dot(&x));
        let (mut with_image, mut own) = (0.0, 0.0);
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            let (m, inertia) = (self.bodies[index], &self.scene.inertia[index]);
            own += body.mass.mass * m.linear.norm_squared() + m.angular.dot(&(inertia * m.angular));
            let Some(mate) = mirror.body(index) else { continue };
            let image = self.bodies[mate];
            with_image += body.mass.mass * m.linear.dot(&reflect(image.linear));
            with_image -= m.angular.dot(&(inertia * reflect(image.angular)));
        }
        share(with_image, own).clamp(-1.0, 1.0)
    }

    /// Parts of the motion in the sagittal plane, sideways, and turning with the trunk about its other two axes.
    ///
    /// Each body is carried by the trunk at the place its limb hangs from. What the trunk's roll and yaw there give it
    /// is twisting; what else moves it sideways is lateral, the rest sagittal. A rigid creature is all one trunk, about `centre`.
    pub(super) fn planes(&self, creature: &Creature, limbs: &Limbs, centre: Option<Vec3>) -> [f64; 3] {
        let Heading { forward, left, up } = self.scene.heading;
        let mut parts = [0.0; 3];
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            let (m, inertia) = (self.bodies[index], &self.scene.inertia[index]);
            let trunk = trunk_of(limbs, index);
            let about = |omega: Vec3| forward * omega.dot(&forward) + up * omega.dot(&up);
            let twist = about(self.bodies[trunk].angular)
                .cross(&(self.scene.com[index] - centre.unwrap_or(self.scene.com[trunk])));
            let other = m.linear - twist;
            let sideways = left * other.dot(&left);
            let in_plane = other - sideways;
            let spin = |omega: Vec3| omega.dot(&(inertia * omega));
            let turning = spin(about(m.angular));
            let pitching = spin(left * m.angular.dot(&left));
            parts[0] += body.mass.mass * in_plane.norm_squared() + pitching;
            parts[1] += body.mass.mass * sideways.norm_squared();
            parts[2] += body.mass.mass * twist.norm_squared() + turning;
        }
        let total: f64 = parts.iter().sum();
        parts.map(|part| share(part, total))
    }

    /// Centre of mass in the world.
    pub(super) fn centre(&self, creature: &Creature) -> Vec3 {
        let masses = creature.bodies().iter().map(|body| body.mass.mass);
        let sum: Vec3 = self.scene.com.iter().zip(masses.clone()).map(|(com, mass)| com * mass).sum();
        let mass: f64 = masses.sum();
        if mass > 0.0 { sum / mass } else { sum }
    }
}

/// The body of the trunk that carries `body`: itself where there is none.
fn trunk_of(limbs: &Limbs, body: usize) -> usize {
    let mut trunk = body;
    while let Some(limb) = limbs.owner[trunk].map(|limb| &limbs.all[limb]) {
        if limb.part == LimbPart::Spine || limb.attach == trunk {
            break;
        }
        trunk = limb.attach;
    }
    if trunk == 0 { body } else { trunk }
}

/// `part` of `total`; 0 where there is nothing to share.
pub(super) fn share(part: f64, total: f64) -> f64 {
    let share = part / total;
    if total > 0.0 && share.is_finite() { share } else { 0.0 }
}

/// Part of the elastic energy ½ uᵀ K u in each joint. A tendon's energy goes to its joints by the squares of what they
/// add to its length.
fn elastic_shares(creature: &Creature, shape: &[f64]) -> Vec<f64> {
    let square = |x: f64| x * x;
    let mut energy: Vec<f64> = creature
        .joints()
        .iter()
        .map(|joint| {
            joint.stiffness * shape[joint.v..joint.v + joint.kind.nv()].iter().map(|u| u * u).sum::<f64>()
        })
        .collect();
    for tendon in creature.tendons().iter().filter(|tendon| tendon.rest[0] == tendon.rest[1]) {
        let terms = || tendon.terms.iter().map(|&(joint, c)| (joint, c * shape[creature.joints()[joint].v]));
        let stored = tendon.stiffness * square(terms().map(|(_, x)| x).sum());
        let all: f64 = terms().map(|(_, x)| square(x)).sum();
        terms().for_each(|(joint, x)| energy[joint] += stored * share(square(x), all));
    }
    let total: f64 = energy.iter().sum();
    energy.into_iter().map(|part| share(part, total)).collect()
}
