//! Orientation of leg frames, and the spine between them.

use gambol_dynamics::Sense;
use gambol_model::{Quat, Vec3};

use super::{Coros, CorosMemory};
use crate::Command;
use crate::legged::Course;
use crate::legged::limbs::Limbs;
use crate::legged::reference::about_z;

impl Coros {
    /// The orientation that a leg frame is to have, Ω(Φ) on its heading.
    fn wanted_orientation(&self, frame: usize, memory: &CorosMemory) -> Quat {
        let plan = &self.frames[frame];
        let period = self.limbs.reference.period();
        let turn = Vec3::from_fn(|k, _| plan.orientation[k].at(memory.limbs.phase, period).0);
        about_z(memory.limbs.heading) * Quat::from_scaled_axis(turn) * plan.mean
    }

    /// The difference in orientation between two leg frames is shared evenly by the n − 1 joints of the n links from one to the other, each
    /// with a spring and a damper; that of the stride is in its pose already.
    pub(super) fn bend_spines(&self, sense: &Sense, memory: &mut CorosMemory) {
        let creature = sense.creature();
        for spine in &self.spines {
            let [front, hind] = spine.frames;
            let wanted =
                self.wanted_orientation(front, memory) * self.wanted_orientation(hind, memory).inverse();
            let planned = |frame: usize| {
                about_z(memory.limbs.heading) * self.frames[frame].orientation_at(memory.limbs.phase)
            };
            let own = planned(front) * planned(hind).inverse();
            let bend = (wanted * own.inverse()).scaled_axis() / spine.joints.len().max(1) as f64;
            for (body, sign) in &spine.joints {
                for dof in creature.bodies()[*body].dofs.clone() {
                    let along = sense.data().axes[dof].angular.dot(&bend) * sign;
                    let rate = self.settings.spine / self.limbs.units.time();
                    memory.limbs.wish[dof] = self.limbs.returns(sense, dof, along, rate, &memory.limbs);
                }
            }
        }
    }

    /// Algorithm 2: hips of the legs that stand give what the frame is to have and swinging legs and spine do not. The spine next to the first
    /// frame takes half of that frame's.
    pub(super) fn apply_net_leg_frame_torque(
        &self,
        sense: &Sense,
        course: &Course,
        frame: usize,
        memory: &CorosMemory,
        command: &mut Command,
    ) {
        let count = self.stance(frame, &memory.limbs);
        if count == 0 {
            // Both legs swing: it is not controlled.
            return;
        }
        let body = self.limbs.frames[frame].body;
        let off = (self.wanted_orientation(frame, memory) * sense.frames()[body].orientation.inverse())
            .scaled_axis();
        let slower = Vec3::new(0.0, 0.0, course.turn) - sense.velocities()[body].angular;
        let rate = self.settings.orientation / self.limbs.units.time();
        let inertia = Limbs::inertia(sense) * (self.frames[frame].weight / self.total_weight());
        let wish = (off * rate + slower * (2.0 * self.settings.orientation_damping)) * rate;
        let wanted = Vec3::from_fn(|k, _| inertia[(k, k)] * wish[k]);
        if frame == 0 {
            self.let_spine_help(sense, body, wanted * self.settings.spine_share, command);
        }
        let stands = |limb: usize| memory.limbs.legs[limb].state.pushes() && memory.limbs.legs[limb].touches;
        let limbs = &self.limbs.frames[frame].limbs;
        let mut others = -self.torque_on(sense, frame, command);
        for limb in limbs.iter().filter(|limb| !stands(**limb)) {
            // A hip that turns its leg turns the frame the other way.
            others += Self::vector(sense, self.limbs.limbs[*limb].hip.clone(), &command.torque);
        }
        let rest = wanted + others * self.settings.reaction;
        for limb in limbs.iter().filter(|limb| stands(**limb)) {
            for dof in self.limbs.limbs[*limb].hip.clone() {
                let share = -rest.dot(&sense.data().axes[dof].angular) / count as f64;
                let own = memory.virtual_torque[dof] * self.settings.hips;
                command.torque[dof] = own + share;
            }
        }
    }

    fn total_weight(&self) -> f64 {
        self.frames.iter().map(|frame| frame.weight).sum()
    }

    /// Torque of the spine and of all that is no leg on a leg frame, along the world's axes, N·m.
    fn torque_on(&self, sense: &Sense, frame: usize, command: &Command) -> Vec3 {
        let creature = sense.creature();
        let body = self.limbs.frames[frame].body;
        let mut sum = Vec3::zeros();
        if body != self.limbs.reference.base.body {
            sum += Self::vector(sense, creature.bodies()[body].dofs.clone(), &command.torque);
        }
        for (child, own) in creature.bodies().iter().enumerate().skip(1) {
            if own.parent == body && child != body && self.leg_of[child].is_none() {
                sum -= Self::vector(sense, own.dofs.clone(), &command.torque);
            }
        }
        sum
    }

    /// Adds a torque on a leg frame to the joint between it and the spine.
    fn let_spine_help(&self, sense: &Sense, body: usize, torque: Vec3, command: &mut Command) {
        for (joint, sign) in self.spines.iter().filter_map(|spine| spine.next_to(body)) {
            for dof in sense.creature().bodies()[joint].dofs.clone() {
                command.torque[dof] += sign * torque.dot(&sense.data().axes[dof].angular);
            }
        }
    }

    fn vector(sense: &Sense, dofs: std::ops::Range<usize>, torque: &[f64]) -> Vec3 {
        dofs.map(|dof| sense.data().axes[dof].angular * torque[dof]).sum()
    }
}
