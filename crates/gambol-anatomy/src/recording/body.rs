//! Bodies for a skeleton: how thick a bone's flesh is, from its length and its place in the body.

use gambol_model::{
    BodySpec, CreatureSpec, InertiaSpec, JointSpec, Quat, Shape, ShapeSpec, Transform, Vec3, math,
};
use nalgebra::Point3;

use super::settings::BoneFleshSettings;
use super::skeleton::{Channel, ChannelKind, RecordedJoint, RecordedSkeleton};
use super::unit::LengthScale;
use crate::springs::{SpringSettings, limp_spring};

/// A bone shorter than this, in parts of the height, is a point.
const NO_LENGTH: f64 = 1e-4;
/// Skin, and a shirt for the trunk.
const COLOURS: [[f32; 4]; 2] = [[0.87, 0.68, 0.54, 1.0], [0.32, 0.52, 0.66, 1.0]];

/// The creature of a skeleton: a body for every joint, which has its name, with the bones to its children as capsules.
/// It stands on the ground in the pose with all angles zero.
pub(super) fn creature(
    name: &str,
    skeleton: &RecordedSkeleton,
    scale: &LengthScale,
    mass: Option<f64>,
    thickness: &BoneFleshSettings,
) -> CreatureSpec {
    let metres = scale.metres;
    let tree = BoneTree::new(skeleton, metres, scale.height, thickness);
    let mut spec = CreatureSpec::new(name);
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let mut body = BodySpec::new(&joint.name);
        body.parent = joint.parent.map_or(0, |parent| parent + 1);
        body.parent_from_body = Transform::from_parts((joint.offset * metres).into(), Quat::identity());
        body.shapes = tree.flesh(index);
        body.joints = joints(joint);
        spec.bodies.push(body);
    }
    put_on_ground(&mut spec);
    scale_to(&mut spec, mass);
    spec
}

/// The flesh of each joint of a skeleton that is `height` high, about the joint, in the skeleton's own unit.
pub(crate) fn flesh_of_bones(
    skeleton: &RecordedSkeleton,
    height: f64,
    settings: &BoneFleshSettings,
) -> Vec<Vec<ShapeSpec>> {
    let tree = BoneTree::new(skeleton, 1.0, height, settings);
    (0..skeleton.joints.len()).map(|joint| tree.flesh(joint)).collect()
}

/// Springs by what hangs from each joint.
pub(super) fn give_springs(
    spec: &mut CreatureSpec,
    skeleton: &RecordedSkeleton,
    scale: &LengthScale,
    thickness: &BoneFleshSettings,
) {
    let tree = BoneTree::new(skeleton, scale.metres, scale.height, thickness);
    let weights = weights(spec);
    let (gravity, settings) = (spec.gravity.norm(), SpringSettings::default());
    for (index, body) in spec.bodies.iter_mut().enumerate().skip(1) {
        let weight = weights[index] * gravity;
        let reach = tree.reach[index - 1].max(thickness.limb_radii[0] * tree.height);
        for joint in &mut body.joints {
            let stiffness = limp_spring(joint.kind, weight, reach, tree.height, &settings);
            joint.stiffness = three_digits(stiffness);
            joint.damping = settings.damping * joint.stiffness;
        }
    }
}

/// A root floats; one or two turns are hinges, more are a ball.
fn joints(joint: &RecordedJoint) -> Vec<JointSpec> {
    if joint.parent.is_none() {
        return vec![JointSpec::free(&joint.name)];
    }
    if joint.fixed {
        return Vec::new();
    }
    let named = |channel: &Channel, kind: &str| {
        let letter = ["z", "x", "y"][channel.axis.iamax()]; // as the file calls them
        format!("{}.{kind}{letter}", joint.name)
    };
    let axis = |channel: &Channel| joint.axes * channel.axis;
    let slide = |channel: &Channel| JointSpec::slide(named(channel, "t"), axis(channel));
    let mut joints: Vec<JointSpec> = joint.channels(ChannelKind::Shift).map(slide).collect();
    let turns: Vec<&Channel> = joint.channels(ChannelKind::Turn).collect();
    match turns.as_slice() {
        [only] => joints.push(JointSpec { limit: only.limit, ..JointSpec::hinge(&joint.name, axis(only)) }),
        [first, second] => joints.extend([first, second].map(|channel| JointSpec {
            limit: channel.limit,
            ..JointSpec::hinge(named(channel, "r"), axis(channel))
        })),
        [] => {}
        many => {
            let largest = |limit: [f64; 2]| limit[0].abs().max(limit[1].abs());
            let limits: Option<Vec<f64>> = many.iter().map(|channel| channel.limit.map(largest)).collect();
            let limit = limits.map(|limits| limits.into_iter().fold(0.0, f64::max));
            let limit = limit.filter(|limit| *limit > 0.0 && *limit < std::f64::consts::PI);
            joints.push(JointSpec { limit: limit.map(|limit| [0.0, limit]), ..JointSpec::ball(&joint.name) });
        }
    }
    joints
}

/// What the tree of bones says about the body. Lengths in m.
struct BoneTree<'s> {
    skeleton: &'s RecordedSkeleton,
    settings: &'s BoneFleshSettings,
    height: f64,
    /// Of each joint, the longest way along bones to an end.
    reach: Vec<f64>,
    /// Whether two limbs part at or beyond each joint.
    trunk: Vec<bool>,
    /// Of the flesh around each joint's bones.
    radius: Vec<f64>,
    /// Bones of each joint: to its children and to ends.
    bones: Vec<Vec<Vec3>>,
}

impl<'s> BoneTree<'s> {
    fn new(
        skeleton: &'s RecordedSkeleton,
        metres: f64,
        height: f64,
        settings: &'s BoneFleshSettings,
    ) -> Self {
        let joints = &skeleton.joints;
        let mut bones: Vec<Vec<Vec3>> =
            joints.iter().map(|joint| joint.ends.iter().map(|end| end * metres).collect()).collect();
        let mut reach: Vec<f64> =
            bones.iter().map(|ends| ends.iter().map(Vec3::norm).fold(0.0, f64::max)).collect();
        let mut children = vec![0; joints.len()];
        joints.iter().filter_map(|joint| joint.parent).for_each(|parent| children[parent] += 1);
        for (index, joint) in joints.iter().enumerate().rev() {
            let Some(parent) = joint.parent else { continue };
            // Some files have a root on the floor with the hips moving above it: there is no bone between them.
            let on_floor = joints[parent].parent.is_none() && children[parent] == 1;
            if !(on_floor && joint.channels(ChannelKind::Shift).next().is_some()) {
                reach[parent] = reach[parent].max(joint.offset.norm() * metres + reach[index]);
                bones[parent].push(joint.offset * metres);
            }
        }
        let mut limbs = vec![0; joints.len()];
        let mut trunk = vec![false; joints.len()];
        for (index, joint) in joints.iter().enumerate().rev() {
            trunk[index] |= limbs[index] > 1;
            if let Some(parent) = joint.parent {
                trunk[parent] |= trunk[index];
                limbs[parent] +=
                    usize::from(joint.offset.norm() * metres + reach[index] > settings.limb_reach * height);
            }
        }
        let mut length = vec![0.0; joints.len()];
        for (index, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|_| trunk[index]) {
                length[index] = length[parent] + joint.offset.norm() * metres;
            }
        }
        let longest = length.into_iter().fold(0.0, f64::max);
        let [least, most] = settings.trunk_radii.map(|share| share * height);
        let trunk_radius = (settings.trunk * longest).clamp(least, most);
        let [least, most] = settings.limb_radii.map(|share| share * height);
        let mut radius = vec![trunk_radius; joints.len()];
        for (index, joint) in joints.iter().enumerate().filter(|(index, _)| !trunk[*index]) {
            let bone = bones[index].iter().map(Vec3::norm).fold(0.0, f64::max);
            let tapered = joint.parent.map_or(0.0, |parent| settings.taper * radius[parent]);
            radius[index] = (settings.limb * bone).max(tapered).clamp(least, most);
        }
        Self { skeleton, settings, height, reach, trunk, radius, bones }
    }

    /// Capsules along the bones of a joint; a ball where it has none.
    fn flesh(&self, index: usize) -> Vec<ShapeSpec> {
        let trunk = self.trunk[index];
        let is_head = self.skeleton.joints[index].name.to_ascii_lowercase().contains("head");
        let mut bones: Vec<Vec3> = Vec::new();
        for bone in &self.bones[index] {
            // Several joints may sit at the end of one bone.
            let near = |other: &Vec3| (bone - other).norm() <= NO_LENGTH * self.height;
            if !near(&Vec3::zeros()) && !bones.iter().any(near) {
                bones.push(*bone);
            }
        }
        let mut shapes: Vec<ShapeSpec> =
            bones.into_iter().map(|bone| self.along(bone, self.radius[index], is_head)).collect();
        if shapes.is_empty() {
            let radius = if is_head { self.settings.head * self.height } else { self.radius[index] };
            shapes.push(ShapeSpec::new(Shape::Sphere { radius }));
        }
        let [skin, shirt] = COLOURS;
        for shape in &mut shapes {
            shape.rgba = if trunk { shirt } else { skin };
        }
        shapes
    }

    fn along(&self, bone: Vec3, radius: f64, is_head: bool) -> ShapeSpec {
        let length = bone.norm();
        let (shape, turn) = if is_head {
            (Shape::Sphere { radius: (0.5 * length).max(self.settings.head * self.height) }, Quat::identity())
        } else {
            // A half turn about x leads from z to −z, for which there is no shortest turn.
            let turn = Quat::rotation_between(&Vec3::z(), &bone)
                .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
            (Shape::Capsule { radius, half_length: 0.5 * length }, turn)
        };
        ShapeSpec {
            body_from_shape: Transform::from_parts((0.5 * bone).into(), turn),
            ..ShapeSpec::new(shape)
        }
    }
}

/// Moves the roots so that the lowest point is on the ground, and the first root above the origin.
fn put_on_ground(spec: &mut CreatureSpec) {
    let mut world_from_body = vec![Transform::identity()];
    let mut ground = f64::MAX;
    for body in spec.bodies.iter().skip(1) {
        let world = world_from_body[body.parent] * body.parent_from_body;
        for shape in &body.shapes {
            let world_from_shape = world * shape.body_from_shape;
            let down = world_from_shape.inverse_transform_vector(&-Vec3::z());
            ground = ground.min((world_from_shape * Point3::from(shape.shape.support(down))).z);
        }
        world_from_body.push(world);
    }
    let Some(first) = spec.bodies.get(1) else { return };
    let place = first.parent_from_body.translation.vector;
    let shift = Vec3::new(place.x, place.y, ground);
    for body in spec.bodies.iter_mut().skip(1).filter(|body| body.parent == 0) {
        body.parent_from_body.translation.vector -= shift;
    }
}

/// Mass of a body, kg.
pub(super) fn body_mass(body: &BodySpec) -> f64 {
    match &body.inertia {
        InertiaSpec::Given(given) => given.mass,
        InertiaSpec::FromShapes => body.shapes.iter().map(|s| s.mass_properties().mass).sum(),
    }
}

/// Scales all masses together to `mass`, kg, if given.
fn scale_to(spec: &mut CreatureSpec, mass: Option<f64>) {
    let total: f64 = spec.bodies.iter().map(body_mass).sum();
    if let Some(mass) = mass {
        spec.bodies
            .iter_mut()
            .flat_map(|body| &mut body.shapes)
            .for_each(|shape| shape.density *= mass / total);
    }
}

/// The mass of each body and all that hangs from it, kg.
fn weights(spec: &CreatureSpec) -> Vec<f64> {
    let mut below: Vec<f64> = spec.bodies.iter().map(body_mass).collect();
    for index in (1..below.len()).rev() {
        below[spec.bodies[index].parent] += below[index];
    }
    below
}

/// More would look as if it were known.
fn three_digits(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let unit = math::powf(10.0, math::log10(x.abs()).floor() - 2.0);
    (x / unit).round() * unit
}
