//! Where the head turns to: who pursues something looks at it (Kokkevis et al. 1995, pursuit).

use gambol_dynamics::{Data, Sense, each_axis_above, forward_kinematics};
use gambol_model::{Creature, Role, Vec3};

use super::{Whole, WholeMemory};
use crate::legged::reference::about_z;

/// A head that can be turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gaze {
    body: usize,
    /// Where it looks, in its own frame: ahead, as the creature faces at rest.
    way: Vec3,
}

impl Gaze {
    /// Of a creature that faces `forward` at rest, if it has a head on a neck.
    pub(super) fn new(creature: &Creature, forward: Vec3, root: usize) -> Option<Self> {
        let body = creature.landmarks().iter().find(|mark| mark.role == Role::Head)?.body;
        let mut data = Data::new(creature);
        let frames = forward_kinematics(creature, &mut data, creature.rest_pose());
        (body != root).then(|| Self { body, way: frames[body].orientation.inverse() * forward })
    }
}

impl Whole {
    /// The head turns to what is looked at, by the shortest way and as far as necks go: α* = ω² θ − 2 ω ω_head. How it is tilted about that
    /// way is left to the stride.
    pub(super) fn want_look(&self, sense: &Sense, memory: &mut WholeMemory) {
        let (Some(Gaze { body, way }), Some(at)) = (self.gaze, memory.pilot.looks_at) else { return };
        let frame = &sense.frames()[body];
        let ahead = about_z(memory.pilot.heading) * self.pilot.units.forward;
        let Some(there) = (at - frame.position).try_normalize(1e-9) else { return };
        let there = turned_at_most(ahead, there, self.settings.look_aside);
        let off = turned(frame.orientation * way, there).cap_magnitude(self.settings.look_step);
        let omega = self.settings.look / self.pilot.units.time();
        let spin = sense.velocities()[body].angular;
        let wanted = off * (omega * omega) - spin * (2.0 * omega) - sense.data().accelerations[body].angular;
        let jacobian = &mut memory.jacobian;
        each_axis_above(sense.creature(), sense.data(), body, |dof, angular, _, _| {
            jacobian.column_mut(dof).copy_from(&angular);
        });
        let weight = self.settings.look_weight * self.foot_mass(memory, body, sense.creature());
        Self::want_rows(sense.creature(), memory, body, wanted, weight);
    }
}

/// The turn by the shortest way from one direction to another, rad about its axis. Opposite ones: none, for there is no shortest.
fn turned(from: Vec3, to: Vec3) -> Vec3 {
    let axis = from.cross(&to);
    let sin = axis.norm();
    if sin > 1e-9 { axis * (gambol_model::math::atan2(sin, from.dot(&to)) / sin) } else { Vec3::zeros() }
}

/// `to`, or what lies on the shortest way to it, `most` rad from `from`.
fn turned_at_most(from: Vec3, to: Vec3, most: f64) -> Vec3 {
    gambol_model::Quat::from_scaled_axis(turned(from, to).cap_magnitude(most)) * from
}
