//! What may push but not pull: joint limits and contacts, found anew in every step.

use nalgebra::Quaternion;

use super::blocks::Blocks;
use super::{ContactImpulse, ContactModel, State, Stepper, World};
use crate::{Contact, Creature, Data, JointKind, Quat, Vec3};

/// Share of an overlap that is undone in a step, and the largest speed for it, m/s: an overlap at the start must not
/// become a leap. At this speed a body flies up by half a millimetre.
const CORRECTION: f64 = 0.2;
const FASTEST_CORRECTION: f64 = 0.1;

/// rad or m: a limit this near is watched even when nothing moves towards it.
const LIMIT_REACH: f64 = 1e-3;

/// Keys of limits, apart from those of contacts: this bit, the joint, and whether it is the upper one.
const LIMIT_KEY: u64 = 1 << 63;

/// A share of the largest diagonal that keeps the block of a contact invertible where a body cannot move sideways.
const INVERTIBLE: f64 = 1e-12;

/// Hard contact gives way by this share of the velocity that its impulse changes. Corners of a foot share its load by it,
/// where rigid bodies leave that open. A creature at rest sinks by g h² times this over [`CORRECTION`]: a micrometre
/// at 5 ms.
const GIVE: f64 = 1e-3;

/// A change of impulse from the last step to this one gives way by this share of the velocity that it changes. Where friction
/// holds a foot in more ways than one, the way it was held decides; at rest nothing changes, so nothing creeps.
const HABIT: f64 = 1e-2;

/// A hard constraint with room `gap`: what is added to its velocity, so that zero is the least it may be. Room is used up
/// within the step; an overlap is undone slowly.
fn hard_bias(gap: f64, h: f64) -> f64 {
    if gap >= 0.0 { gap / h } else { (CORRECTION * gap / h).max(-FASTEST_CORRECTION) }
}

/// A row for every joint that is at a limit or would pass it within the step.
pub(super) fn add_limits(world: &World, stepper: &mut Stepper, state: &State) {
    let (creature, h) = (&world.creature, world.settings.step);
    let Stepper { data, inertia, loops, limits, .. } = stepper;
    limits.clear();
    for (index, joint) in creature.joints().iter().enumerate() {
        let Some([low, high]) = joint.limit else { continue };
        // The gap grows along `direction`, given over the joint's own coordinates.
        let mut add = |gap: f64, upper: u64, direction: Vec3| {
            let dofs = joint.kind.nv();
            let rate: f64 = (0..dofs).map(|k| direction[k] * state.v[joint.v + k]).sum();
            // Forces act too, so twice of what the velocity alone uses up.
            if gap + 2.0 * h * rate.min(0.0) > LIMIT_REACH {
                return;
            }
            let along = |_: &Data, dof: usize| [if dof < joint.v { 0.0 } else { direction[dof - joint.v] }];
            let last = [Some(joint.v + dofs - 1), None];
            let block = limits.push(creature, data, (inertia, loops), last, along);
            block.key = LIMIT_KEY | (index as u64) << 1 | upper;
            block.bias[0] = hard_bias(gap, h);
            block.compliance[0] = GIVE * block.matrix[0][0];
        };
        match joint.kind {
            JointKind::Hinge | JointKind::Slide => {
                add(state.q[joint.q] - low, 0, Vec3::x());
                add(high - state.q[joint.q], 1, -Vec3::x());
            }
            JointKind::Ball => {
                let [w, x, y, z] = [0, 1, 2, 3].map(|k| state.q[joint.q + k]);
                let turn = Quat::from_quaternion(Quaternion::new(w, x, y, z));
                if let Some(axis) = turn.axis() {
                    add(high - turn.angle(), 1, -axis.into_inner());
                }
            }
            JointKind::Free => (),
        }
    }
    warm_start(limits, &state.limits, |(key, _)| *key, |_, (_, impulse)| [*impulse]);
}

/// All places that touch the ground or another body, or would within the step: into `stepper.found`. Needs the frames and
/// velocities of `stepper.data`.
pub(super) fn find_contacts(world: &World, stepper: &mut Stepper) {
    let (creature, settings) = (&world.creature, &world.settings);
    let h = settings.step;
    let Stepper { data, found, reach, .. } = stepper;
    found.clear();
    if settings.ground.is_none() && !settings.self_collision {
        return;
    }
    let fall = h * h * creature.gravity().norm();
    for ((reach, velocity), extent) in reach.iter_mut().zip(&data.velocities).zip(&world.extents) {
        *reach = 2.0 * (h * (velocity.linear.norm() + velocity.angular.norm() * extent) + fall);
    }
    world.collider.find(&data.frames, settings.ground.as_ref(), reach, found);
    found.retain(|contact| contact.bodies.iter().any(|&body| last_dof(creature, body).is_some()));
}

/// Three rows for every place that was found.
pub(super) fn add_contacts(world: &World, stepper: &mut Stepper, state: &State) {
    let (creature, settings) = (&world.creature, &world.settings);
    let h = settings.step;
    let Stepper { data, inertia, loops, contacts, found, tangents, .. } = stepper;
    contacts.clear();
    tangents.clear();
    for contact in found.iter() {
        let directions = across(contact.normal);
        let block = contacts.push(creature, data, (inertia, loops), paths(creature, contact), |data, dof| {
            let velocity = relative_velocity(creature, data, contact, dof);
            [contact.normal.dot(&velocity), directions[0].dot(&velocity), directions[1].dot(&velocity)]
        });
        block.key = contact.key;
        block.friction = settings.friction_at(contact);
        let largest = (0..3).map(|k| block.matrix[k][k]).fold(f64::MIN_POSITIVE, f64::max);
        for k in 0..3 {
            block.matrix[k][k] += INVERTIBLE * largest;
        }
        match settings.contact {
            ContactModel::Hard => {
                block.bias[0] = hard_bias(contact.gap, h);
                block.compliance[0] = GIVE * block.matrix[0][0];
            }
            ContactModel::Penalty { stiffness, damping } => {
                // p = −h k (gap + h w) − h d w
                let implicit = h * h * stiffness + h * damping;
                block.bias[0] = h * stiffness * contact.gap / implicit;
                block.compliance = [1.0 / implicit; 3];
            }
        }
        tangents.push(directions);
    }
    let key = |touch: &ContactImpulse| touch.contact.key;
    warm_start(contacts, &state.contacts, key, |k, ContactImpulse { impulse, .. }| {
        let [first, second] = &tangents[k];
        [found[k].normal.dot(impulse).max(0.0), first.dot(impulse), second.dot(impulse)]
    });
}

/// The last coordinate that moves a body; none for one that is fixed to the world.
fn last_dof(creature: &Creature, mut body: usize) -> Option<usize> {
    while body != 0 && creature.bodies()[body].dofs.is_empty() {
        body = creature.bodies()[body].parent;
    }
    creature.bodies()[body].dofs.clone().next_back()
}

/// The last coordinates of the bodies of a contact, those that move first.
fn paths(creature: &Creature, contact: &Contact) -> [Option<usize>; 2] {
    match contact.bodies.map(|body| last_dof(creature, body)) {
        [None, other] => [other, None],
        both => both,
    }
}

/// Velocity at a contact of its first body against its second, per unit of the coordinate `dof`.
fn relative_velocity(creature: &Creature, data: &Data, contact: &Contact, dof: usize) -> Vec3 {
    let axis = &data.axes[dof];
    let origin = data.frames[creature.dofs()[dof].body].position;
    let velocity = axis.linear + axis.angular.cross(&(contact.point - origin));
    match contact.bodies.map(|body| last_dof(creature, body)) {
        [_, None] => velocity,
        [None, _] => -velocity,
        // What moves both moves neither against the other.
        [first, second] => {
            let moves = |last: Option<usize>| f64::from(u8::from(is_above(creature, dof, last)));
            velocity * (moves(first) - moves(second))
        }
    }
}

/// Whether `dof` is on the way from `last` to the root.
fn is_above(creature: &Creature, dof: usize, mut last: Option<usize>) -> bool {
    while let Some(next) = last.filter(|&next| next > dof) {
        last = creature.dofs()[next].parent;
    }
    last == Some(dof)
}

/// Two unit vectors across `normal`; along x and y on level ground.
fn across(normal: Vec3) -> [Vec3; 2] {
    let helper = if normal.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let first = (helper - normal * normal.dot(&helper)).normalize();
    [first, normal.cross(&first)]
}

/// Gives every block the impulse that the block with its key had in the last step.
fn warm_start<const N: usize, W>(
    blocks: &mut Blocks<N>,
    warm: &[W],
    key: impl Fn(&W) -> u64,
    impulse: impl Fn(usize, &W) -> [f64; N],
) {
    // Both lists are in the same order but for what came and went, so the search starts where the last one ended.
    let mut next = 0;
    for (k, block) in blocks.list.iter_mut().enumerate() {
        let from_here = (next..warm.len()).chain(0..next).find(|&w| key(&warm[w]) == block.key);
        if let Some(w) = from_here {
            block.impulse = impulse(k, &warm[w]);
            next = w + 1;
        }
        for n in 0..N {
            let inertia = HABIT * block.matrix[n][n];
            block.compliance[n] += inertia;
            block.bias[n] -= inertia * block.impulse[n];
        }
    }
}
