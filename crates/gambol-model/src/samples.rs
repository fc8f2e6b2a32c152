//! Creatures written once, for tests, benchmarks and examples, and how a vibration is measured there.

pub use crate::Random;
use crate::math;
use crate::{
    BodySpec, Creature, CreatureSpec, InertiaSpec, JointKind, JointSpec, MassProperties, Mat3, Quat, Shape,
    ShapeSpec, Transform, Vec3,
};

/// A free chain of `links` boxes along x, hinged about y, with springs of 1 N·m/rad: the paper's linear creature for
/// 16 links.
pub fn chain(links: usize) -> Creature {
    let half = Vec3::new(0.0571, 0.02855, 0.02855) * 0.5;
    let mut spec = CreatureSpec::new(format!("chain of {links}"));
    for link in 0..links {
        let mut body = BodySpec::new(format!("link.{}", link + 1));
        body.parent = link; // the world for the first
        body.parent_from_body = Transform::translation(if link == 0 { 0.0 } else { 2.0 * half.x }, 0.0, 0.0);
        let anchor = Vec3::new(-half.x, 0.0, 0.0);
        body.joints.push(if link == 0 {
            JointSpec::free("root")
        } else {
            JointSpec::hinge(format!("joint.{link}"), Vec3::y()).with_anchor(anchor).with_stiffness(1.0)
        });
        body.shapes.push(ShapeSpec::new(Shape::Box { half }));
        spec.bodies.push(body);
    }
    spec.build().unwrap_or_else(|error| unreachable!("a chain is valid: {error}"))
}

/// What a random tree may be made of.
#[derive(Clone, Copy, Debug)]
pub struct TreeKind {
    /// Number of bodies, the world not counted.
    pub bodies: usize,
    /// The first body floats.
    pub free_root: bool,
    /// Joints get armature.
    pub armature: bool,
}

/// A random tree with joints of all kinds: off-centre anchors, several joints on a body, fixed bodies, general
/// inertias. The same seed gives the same tree.
pub fn random_tree(seed: u64, kind: TreeKind) -> Creature {
    let mut random = Random::new(seed);
    let mut spec = CreatureSpec::new(format!("tree {seed}"));
    for index in 1..=kind.bodies {
        let mut body = BodySpec::new(format!("body.{index}"));
        body.parent = index - 1;
        // Up the last branch by a few bodies, so that the tree forks.
        for _ in 0..random.below(4) {
            if body.parent > 1 {
                body.parent = spec.bodies[body.parent].parent;
            }
        }
        body.parent_from_body = Transform::from_parts(random.vector(0.3).into(), random.rotation());
        body.inertia = InertiaSpec::Given(random.mass());
        let joints = if index == 1 && kind.free_root { vec![JointKind::Free] } else { random.joints() };
        for (k, joint_kind) in joints.into_iter().enumerate() {
            let mut joint = JointSpec::new(format!("joint.{index}.{k}"), joint_kind);
            joint.anchor = random.vector(0.1);
            joint.axis = random.vector(1.0) + Vec3::new(1e-3, 0.0, 0.0);
            if joint_kind != JointKind::Free {
                joint.stiffness = 1.0 + 9.0 * random.unit();
                joint.damping = 0.1 * random.unit();
                joint.reference = random.symmetric();
                joint.rest = joint.reference + 0.1 * random.symmetric();
                joint.armature = if kind.armature { 0.1 * random.unit() } else { 0.0 };
            }
            body.joints.push(joint);
        }
        spec.bodies.push(body);
    }
    spec.build().unwrap_or_else(|error| unreachable!("a random tree is valid: {error}"))
}

/// What bodies are made of at random.
impl Random {
    /// Uniform in a cube of half size `size`.
    pub fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.symmetric(), self.symmetric(), self.symmetric()) * size
    }

    /// Some rotation.
    pub fn rotation(&mut self) -> Quat {
        Quat::from_scaled_axis(self.vector(3.0))
    }

    /// `n` numbers in −`size`..`size`.
    pub fn numbers(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.symmetric()).collect()
    }

    /// A pose `size` away from the reference in every coordinate.
    pub fn pose(&mut self, creature: &Creature, size: f64) -> Vec<f64> {
        let mut q = creature.reference_pose().to_vec();
        let step = self.numbers(creature.nv(), size);
        creature.integrate(&mut q, &step, 1.0);
        q
    }

    /// A body that could be real: the principal moments are sums of two positive second moments.
    fn mass(&mut self) -> MassProperties {
        let mass = 0.2 + self.unit();
        let second = self.vector(0.5).add_scalar(0.6) * (0.02 * mass);
        let rotation = self.rotation().to_rotation_matrix();
        let moments =
            Mat3::from_diagonal(&Vec3::new(second.y + second.z, second.z + second.x, second.x + second.y));
        MassProperties { mass, com: self.vector(0.1), inertia: rotation * moments * rotation.transpose() }
    }

    fn joints(&mut self) -> Vec<JointKind> {
        match self.below(8) {
            0 => vec![],
            1 => vec![JointKind::Slide],
            2 => vec![JointKind::Ball],
            3 => vec![JointKind::Hinge, JointKind::Hinge],
            4 => vec![JointKind::Slide, JointKind::Hinge],
            5 => vec![JointKind::Hinge, JointKind::Slide, JointKind::Hinge],
            _ => vec![JointKind::Hinge],
        }
    }
}

/// A star of `legs` equal legs of `links` rods each, set evenly around a free disc in the x-y plane; every link bends
/// up and down (hinge) with 1 N·m/rad. Its vibrations come in groups of equal frequency, up to `legs` − 1 of them.
pub fn star(legs: usize, links: usize) -> Creature {
    let (reach, length, radius) = (0.2, 0.1, 0.02);
    let mut spec = CreatureSpec::new(format!("star of {legs} legs of {links}"));
    let mut hub = BodySpec::new("hub");
    hub.parent_from_body = Transform::translation(0.0, 0.0, 1.0);
    hub.joints.push(JointSpec::free("root"));
    hub.shapes.push(ShapeSpec::new(Shape::Cylinder { radius: reach, half_length: radius }));
    spec.bodies.push(hub);
    for leg in 0..legs {
        let turn = Quat::from_scaled_axis(Vec3::z() * (std::f64::consts::TAU * leg as f64 / legs as f64));
        for link in 0..links {
            let mut body = BodySpec::new(format!("leg.{}.{}", leg + 1, link + 1));
            body.parent = if link == 0 { 1 } else { spec.bodies.len() - 1 };
            body.parent_from_body = if link == 0 {
                Transform::from_parts((turn * Vec3::new(reach, 0.0, 0.0)).into(), turn)
            } else {
                Transform::translation(length, 0.0, 0.0)
            };
            let name = format!("joint.{}.{}", leg + 1, link + 1);
            body.joints.push(JointSpec::hinge(name, Vec3::y()).with_stiffness(1.0));
            let mut rod = ShapeSpec::new(Shape::Box { half: Vec3::new(0.5 * length, radius, radius) });
            rod.body_from_shape = Transform::translation(0.5 * length, 0.0, 0.0);
            body.shapes.push(rod);
            spec.bodies.push(body);
        }
    }
    spec.build().unwrap_or_else(|error| unreachable!("a star is valid: {error}"))
}

/// A free tree of `joints` hinges that forks like a plant: every branch is a run of rods, from whose end two or three
/// thinner and softer ones go on. Axes, angles and sizes vary with `seed`.
pub fn branching(joints: usize, seed: u64) -> Creature {
    // Rods in a run; long enough that bending of whole branches comes before that of single joints.
    const RUN: usize = 6;
    let mut random = Random::new(seed);
    let mut spec = CreatureSpec::new(format!("tree of {joints} joints, seed {seed}"));
    let mut trunk = BodySpec::new("trunk");
    trunk.joints.push(JointSpec::free("root"));
    trunk.shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.3 }));
    spec.bodies.push(trunk);
    // Ends of runs that wait to fork: body, and generation.
    let mut ends = std::collections::VecDeque::from([(1, 0)]);
    let mut made = 0;
    while made < joints {
        let Some((end, generation)) = ends.pop_front() else { break };
        for _ in 0..2 + random.below(2) {
            let size = math::powi(0.85, generation) * (0.9 + 0.2 * random.unit());
            let half = Vec3::new(0.05, 0.05, 0.15) * size;
            let mut parent = end;
            for link in 0..RUN.min(joints - made) {
                made += 1;
                let mut body = BodySpec::new(format!("rod.{made}"));
                body.parent = parent;
                // A fork leans away from the run below it; the rods of a run go nearly straight on.
                let lean = random.vector(if link == 0 { 0.8 } else { 0.1 });
                let start = if parent == 1 { 0.0 } else { 2.0 * half.z };
                body.parent_from_body =
                    Transform::from_parts(Vec3::new(0.0, 0.0, start).into(), Quat::from_scaled_axis(lean));
                let axis = random.vector(1.0) + Vec3::new(1e-3, 0.0, 0.0);
                let stiffness = 100.0 * math::powi(size, 3);
                body.joints.push(JointSpec::hinge(format!("joint.{made}"), axis).with_stiffness(stiffness));
                let mut rod = ShapeSpec::new(Shape::Box { half });
                rod.body_from_shape = Transform::translation(0.0, 0.0, half.z);
                body.shapes.push(rod);
                parent = spec.bodies.len();
                spec.bodies.push(body);
            }
            ends.push_back((parent, generation + 1));
        }
    }
    spec.build().unwrap_or_else(|error| unreachable!("a branching tree is valid: {error}"))
}

/// How a vibration goes on from sample to sample: xₙ₊₁ = 2 r cos θ xₙ − r² xₙ₋₁.
#[derive(Clone, Copy, Debug)]
pub struct Ringing {
    /// Phase per step, rad.
    pub angle: f64,
    /// Amplitude per step.
    pub ratio: f64,
}

/// Fits a damped sine to samples by least squares on its recurrence: exact for one, whatever its phase.
pub fn ringing(x: &[f64]) -> Ringing {
    let (mut aa, mut ab, mut bb, mut ac, mut bc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for w in x.windows(3) {
        let (b, a, c) = (w[0], w[1], w[2]);
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ac += a * c;
        bc += b * c;
    }
    let determinant = aa * bb - ab * ab;
    let (first, second) = ((ac * bb - bc * ab) / determinant, (aa * bc - ab * ac) / determinant);
    let ratio = (-second).sqrt();
    Ringing { angle: math::acos(0.5 * first / ratio), ratio }
}
