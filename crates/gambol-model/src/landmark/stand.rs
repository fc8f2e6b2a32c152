//! The creature in the pose in which it is looked at, and what can be summed up over its tree.

use nalgebra::{Point3, Quaternion, Translation3, UnitQuaternion};

use crate::{Body, Creature, JointKind, ShapeSpec, Transform, Vec3};

/// The standing creature. Positions are in the world; heights are along `up`.
///
/// Bodies of other trees than the largest one (a ball beside the player) and of the world are left out: only
/// `world_from_body` speaks of them.
pub(super) struct Stand {
    /// The pose in words.
    pub(super) pose: String,
    pub(super) up: Vec3,
    pub(super) world_from_body: Vec<Transform>,
    /// The point each joint turns about.
    pub(super) anchor: Vec<Vec3>,
    /// The axis of each hinge and slide.
    pub(super) axis: Vec<Vec3>,
    /// Topmost body of the largest tree.
    pub(super) root: usize,
    /// Whether a body belongs to the largest tree; parents stand before children.
    pub(super) in_tree: Vec<bool>,
    pub(super) children: Vec<Vec<usize>>,
    /// Centre of mass of each body; its origin where it has no mass.
    pub(super) com: Vec<Vec3>,
    /// Lowest height of each body.
    pub(super) low: Vec<f64>,
    /// Highest height of each body.
    pub(super) high: Vec<f64>,
    /// Sums over each body and all that hangs from it.
    pub(super) below: Vec<Below>,
    /// Height of the lowest point of all.
    pub(super) ground: f64,
    /// From the lowest point to the highest, m.
    pub(super) height: f64,
    /// Diagonal of the box around all bodies, m.
    pub(super) size: f64,
}

/// Sums over a body and all that hangs from it.
#[derive(Clone, Copy)]
pub(super) struct Below {
    pub(super) mass: f64,
    pub(super) com: Vec3,
    /// Number of free, ball, slide and hinge joints.
    pub(super) joints: [usize; 4],
    pub(super) low: f64,
}

impl Stand {
    /// Puts the creature into the first pose called home, rest or stand, else into its reference pose with joints
    /// inside their limits. `None` if there is nothing but the world. Up is against gravity unless told otherwise.
    pub(super) fn new(creature: &Creature, up: Option<Vec3>) -> Option<Self> {
        if creature.bodies.len() < 2 {
            return None;
        }
        let (pose, qpos) = standing_pose(creature);
        let up = up.or_else(|| (-creature.gravity).try_normalize(1e-9)).unwrap_or_else(Vec3::z);
        let Kinematics { world_from_body, anchor, axis } = kinematics(creature, &qpos);
        let (root, in_tree) = largest_tree(creature);

        let mut children = vec![Vec::new(); creature.bodies.len()];
        for (index, body) in creature.bodies.iter().enumerate().skip(1) {
            children[body.parent].push(index);
        }
        let com: Vec<Vec3> =
            world_from_body.iter().zip(&creature.bodies).map(|(x, body)| body_centre(x, body)).collect();
        let mut stand = Self {
            pose,
            up,
            world_from_body,
            anchor,
            axis,
            root,
            in_tree,
            children,
            com,
            low: Vec::new(),
            high: Vec::new(),
            below: Vec::new(),
            ground: 0.0,
            height: 0.0,
            size: 0.0,
        };
        stand.low =
            (0..creature.bodies.len()).map(|body| stand.extreme(creature, body, -up).dot(&up)).collect();
        stand.high =
            (0..creature.bodies.len()).map(|body| stand.extreme(creature, body, up).dot(&up)).collect();
        stand.below = stand.sum_below(creature);
        stand.measure();
        Some(stand)
    }

    /// Bodies of the tree, parents first.
    pub(super) fn bodies(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (1..self.in_tree.len()).filter(|&body| self.in_tree[body])
    }

    /// Position of the body's origin.
    pub(super) fn origin(&self, body: usize) -> Vec3 {
        self.world_from_body[body].translation.vector
    }

    /// Where the body is joined to its parent: its first joint, or its origin where it is fixed.
    pub(super) fn base(&self, creature: &Creature, body: usize) -> Vec3 {
        let turning =
            creature.bodies[body].joints.clone().find(|&j| creature.joints[j].kind != JointKind::Free);
        turning.map_or_else(|| self.origin(body), |joint| self.anchor[joint])
    }

    /// A world point in the frame of a body.
    pub(super) fn in_body(&self, body: usize, point_in_world: Vec3) -> Vec3 {
        self.world_from_body[body].inverse_transform_point(&Point3::from(point_in_world)).coords
    }

    /// The farthest point of a body in `direction`, both in the world. A body without shapes is a bundle of bones
    /// that lead from its origin to those of its children.
    pub(super) fn extreme(&self, creature: &Creature, body: usize, direction: Vec3) -> Vec3 {
        let world_from_body = &self.world_from_body[body];
        let shapes = &creature.shapes[creature.bodies[body].shapes.clone()];
        let solid = shapes.iter().any(|shape| shape.collides);
        let of_shape = |shape: &ShapeSpec| {
            let world_from_shape = world_from_body * shape.body_from_shape;
            let direction_in_shape = world_from_shape.inverse_transform_vector(&direction);
            world_from_shape.transform_point(&Point3::from(shape.shape.support(direction_in_shape))).coords
        };
        let farther = |a: Vec3, b: Vec3| if b.dot(&direction) > a.dot(&direction) { b } else { a };
        // What only decorates does not touch the ground, unless there is nothing else.
        let touching = shapes.iter().filter(|shape| shape.collides || !solid);
        touching
            .map(of_shape)
            .filter(|point| point.iter().all(|x| x.is_finite()))
            .reduce(farther)
            .unwrap_or_else(|| {
                self.children[body].iter().map(|&child| self.origin(child)).fold(self.origin(body), farther)
            })
    }

    /// The middle of what a body stands on, in the world: its lowest face, edge or point.
    ///
    /// The mean of four points that are lowest when the ground is tilted a little, put at the height of the lowest; on
    /// a flat sole these are its corners, so that left and right feet get mirrored points.
    pub(super) fn sole(&self, creature: &Creature, body: usize) -> Vec3 {
        const TILT: f64 = 0.04; // rad; a sole stays a sole while the ankle is off by two degrees
        let across = if self.up.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        let u = self.up.cross(&across).normalize();
        let v = self.up.cross(&u);
        let tilted = [u + v, u - v, v - u, -u - v].map(|tilt| tilt * TILT - self.up);
        let middle = tilted.iter().map(|down| self.extreme(creature, body, *down)).sum::<Vec3>() / 4.0;
        middle + self.up * (self.extreme(creature, body, -self.up) - middle).dot(&self.up)
    }

    fn sum_below(&self, creature: &Creature) -> Vec<Below> {
        let own = |(index, body): (usize, &Body)| {
            let mut joints = [0; 4];
            creature.joints[body.joints.clone()].iter().for_each(|joint| joints[joint.kind as usize] += 1);
            Below {
                mass: body.mass.mass,
                com: self.com[index] * body.mass.mass,
                joints,
                low: self.low[index],
            }
        };
        let mut below: Vec<Below> = creature.bodies.iter().enumerate().map(own).collect();
        for index in (1..below.len()).rev() {
            let Below { mass, com, joints, low } = below[index];
            below[index].com = if mass > 0.0 { com / mass } else { self.com[index] };
            let parent = &mut below[creature.bodies[index].parent];
            parent.mass += mass;
            parent.com += com;
            parent.low = parent.low.min(low);
            (0..4).for_each(|kind| parent.joints[kind] += joints[kind]);
        }
        below
    }

    fn measure(&mut self) {
        let (mut least, mut most) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (mut ground, mut top) = (f64::INFINITY, f64::NEG_INFINITY);
        for body in self.bodies() {
            for point in [self.origin(body), self.com[body]] {
                (least, most) = (least.inf(&point), most.sup(&point));
            }
            ground = ground.min(self.low[body]);
            top = top.max(self.high[body]);
        }
        self.ground = ground;
        self.height = top - ground;
        self.size = (most - least).norm().max(self.height);
    }
}

fn body_centre(world_from_body: &Transform, body: &Body) -> Vec3 {
    if body.mass.mass > 0.0 {
        world_from_body.transform_point(&Point3::from(body.mass.com)).coords
    } else {
        world_from_body.translation.vector
    }
}

fn standing_pose(creature: &Creature) -> (String, Vec<f64>) {
    let standing = |name: &str| ["home", "rest", "stand"].iter().any(|s| name.eq_ignore_ascii_case(s));
    if let Some(pose) = creature.poses.iter().find(|pose| standing(&pose.name)) {
        return (format!("the pose `{}`", pose.name), pose.qpos.clone());
    }
    let mut qpos = creature.reference_pose.clone();
    // A knee drawn straight but limited to bent would hold the leg where it can never be.
    for joint in creature.joints.iter().filter(|joint| joint.kind.nq() == 1) {
        if let Some([low, high]) = joint.limit {
            qpos[joint.q] = qpos[joint.q].max(low).min(high);
        }
    }
    ("the reference pose".into(), qpos)
}

/// The tree with the most joints and all its bodies.
fn largest_tree(creature: &Creature) -> (usize, Vec<bool>) {
    let count = creature.bodies.len();
    let mut top: Vec<usize> = (0..count).collect();
    let mut joints = vec![0; count];
    for (index, body) in creature.bodies.iter().enumerate().skip(1) {
        if body.parent != 0 {
            top[index] = top[body.parent];
        }
        joints[top[index]] += body.joints.len();
    }
    let root = (1..count).max_by_key(|&body| (joints[body], std::cmp::Reverse(body))).unwrap_or(0);
    let root = top[root];
    (root, top.into_iter().map(|t| t == root).collect())
}

struct Kinematics {
    world_from_body: Vec<Transform>,
    anchor: Vec<Vec3>,
    axis: Vec<Vec3>,
}

/// Where everything is in the pose `q`, as MuJoCo has it: a body starts at its place in the parent, then its joints
/// move it in their order, each by how far its coordinate is from the reference.
fn kinematics(creature: &Creature, q: &[f64]) -> Kinematics {
    let mut world_from_body: Vec<Transform> = Vec::with_capacity(creature.bodies.len());
    let mut anchor = vec![Vec3::zeros(); creature.joints.len()];
    let mut axis = vec![Vec3::zeros(); creature.joints.len()];
    for (index, body) in creature.bodies.iter().enumerate() {
        let mut pose = match index {
            0 => Transform::identity(),
            _ => world_from_body[body.parent] * body.parent_from_body,
        };
        for j in body.joints.clone() {
            let joint = &creature.joints[j];
            axis[j] = pose * joint.axis;
            let moved = || q[joint.q] - creature.reference_pose[joint.q];
            let about_anchor =
                |turn| Translation3::from(joint.anchor) * turn * Translation3::from(-joint.anchor);
            pose = match joint.kind {
                JointKind::Free => {
                    let position = Vec3::new(q[joint.q], q[joint.q + 1], q[joint.q + 2]);
                    Transform::from_parts(position.into(), read_quat(&q[joint.q + 3..]))
                }
                JointKind::Ball => pose * about_anchor(read_quat(&q[joint.q..])),
                JointKind::Slide => pose * Translation3::from(joint.axis * moved()),
                JointKind::Hinge => {
                    let unit = nalgebra::Unit::new_unchecked(joint.axis);
                    pose * about_anchor(UnitQuaternion::from_axis_angle(&unit, moved()))
                }
            };
            anchor[j] = pose.transform_point(&Point3::from(joint.anchor)).coords;
        }
        world_from_body.push(pose);
    }
    Kinematics { world_from_body, anchor, axis }
}

fn read_quat(wxyz: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]))
}
