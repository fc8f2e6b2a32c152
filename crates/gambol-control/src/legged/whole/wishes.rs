//! What is wanted of joints, trunk and feet: H and H a*.

use gambol_dynamics::{Sense, each_axis_above};
use gambol_model::{Creature, Vec3};

use super::{Other, Whole, WholeMemory, diagonal};
use crate::legged::pilot::ground_height;
use crate::legged::reference::{about_z, orientation};
use crate::legged::{FootPlan, LegState};

impl Whole {
    /// Joints go back to the stride: a* = ä + ω² (q* ⊖ q) + 2 ω (v* − v).
    pub(super) fn want_joints(&self, sense: &Sense, memory: &mut WholeMemory) {
        let omega = self.settings.joints / self.pilot.units.time();
        let root = self.root();
        let state = sense.state();
        sense.creature().difference(&state.q, &memory.pilot.moment.pose, &mut memory.way);
        let moment = &memory.pilot.moment;
        for dof in (0..memory.a.len()).filter(|dof| !root.contains(dof)) {
            let wanted = moment.a[dof]
                + omega * omega * memory.way[dof]
                + 2.0 * omega * (moment.v[dof] - state.v[dof]);
            let weight = self.joint_weights[dof] * diagonal(&memory.mass, dof);
            memory.h.add_diagonal(dof, weight);
            memory.best[dof] += weight * wanted;
        }
    }

    /// The trunk turns as in the stride, and as the pilot wants it. Angular coordinates of the root are along its own axes.
    pub(super) fn want_trunk(&self, sense: &Sense, memory: &mut WholeMemory) {
        let base = &self.pilot.reference.base;
        let pilot = &memory.pilot;
        let twist = orientation(&sense.state().q, base.q).inverse() * pilot.twist;
        for k in 0..3 {
            let dof = base.v + 3 + k;
            let weight = self.settings.trunk_weight * diagonal(&memory.mass, dof);
            memory.h.add_diagonal(dof, weight);
            memory.best[dof] += weight * (pilot.moment.a[dof] + twist[k]);
        }
    }

    /// Swinging feet go their way, standing ones stay.
    pub(super) fn want_feet(&self, sense: &Sense, memory: &mut WholeMemory) {
        let time = self.pilot.units.time();
        let (swing, stance) = (self.settings.swing / time, self.settings.stance / time);
        let creature = sense.creature();
        for foot in 0..memory.pilot.legs.len() {
            let leg = memory.pilot.legs[foot];
            let body = self.pilot.reference.feet[foot].body;
            let slower = leg.wanted.velocity - leg.velocity;
            let (wanted, weight) = match leg.state {
                LegState::Pushes if leg.touches => (slower * stance, self.settings.stance_weight),
                LegState::Pushes | LegState::Late => (slower * stance, self.settings.swing_weight),
                _ => {
                    let off = leg.wanted.place - leg.place;
                    let back = off * (swing * swing) + slower * (2.0 * swing);
                    (leg.wanted.acceleration + back, self.settings.swing_weight)
                }
            };
            let wanted = wanted - sense.point_drift(body, leg.place);
            let jacobian = &mut memory.jacobian;
            each_axis_above(creature, sense.data(), body, |dof, angular, linear, origin| {
                jacobian.column_mut(dof).copy_from(&(linear + angular.cross(&(leg.place - origin))));
            });
            let weight = weight * self.foot_mass(memory, body, creature);
            Self::want_rows(creature, memory, body, wanted, weight);
            self.turn_foot(sense, memory, foot);
        }
    }

    /// A foot with a sole is turned as in the stride, so that it stands on all of it.
    fn turn_foot(&self, sense: &Sense, memory: &mut WholeMemory, foot: usize) {
        let FootPlan { body, sole, .. } = self.pilot.reference.feet[foot];
        if sole <= 0.0 {
            return;
        }
        let omega = self.settings.sole / self.pilot.units.time();
        let turn = about_z(memory.pilot.legs[foot].heading);
        let (planned, spin) = self.pilot.reference.foot_turn(foot, memory.pilot.phase);
        // On a slope the sole lies on it.
        let turn = memory.pilot.tilt * turn;
        let off = (turn * planned * sense.frames()[body].orientation.inverse()).scaled_axis();
        let slower = turn * spin - sense.velocities()[body].angular;
        let wanted =
            off * (omega * omega) + slower * (2.0 * omega) - sense.data().accelerations[body].angular;
        let jacobian = &mut memory.jacobian;
        each_axis_above(sense.creature(), sense.data(), body, |dof, angular, _, _| {
            jacobian.column_mut(dof).copy_from(&angular);
        });
        let weight = self.settings.sole_weight * sole * self.foot_mass(memory, body, sense.creature());
        Self::want_rows(sense.creature(), memory, body, wanted, weight);
    }

    /// What is no foot keeps clear of the ground: a tail that drags, or a wrist that grazes, would carry what nobody planned for. The nearer,
    /// the more it weighs.
    pub(super) fn want_clear(&self, sense: &Sense, memory: &mut WholeMemory) {
        let clear = self.settings.clear * self.pilot.units.length;
        let omega = self.settings.swing / self.pilot.units.time();
        for Other { touch, foot } in &self.others {
            if foot.is_some_and(|foot| memory.pilot.legs[foot].state.pushes()) {
                continue;
            }
            let frame = &sense.frames()[touch.body];
            let point = touch.lowest(frame, Vec3::z()).point;
            // Most are far off: no need to ask for the ground under them.
            if point.z > memory.pilot.ground + self.pilot.units.length {
                continue;
            }
            let gap = point.z - ground_height(sense, point);
            if gap >= clear {
                continue;
            }
            let rises = sense.point_velocity(touch.body, point).z;
            let wanted = omega * omega * (clear - gap) - 2.0 * omega * rises;
            let wanted = Vec3::new(0.0, 0.0, wanted - sense.point_drift(touch.body, point).z);
            let jacobian = &mut memory.jacobian;
            each_axis_above(sense.creature(), sense.data(), touch.body, |dof, angular, linear, origin| {
                let rises = (linear + angular.cross(&(point - origin))).z;
                jacobian.column_mut(dof).copy_from(&Vec3::new(0.0, 0.0, rises));
            });
            let near = (1.0 - gap / clear).min(1.0);
            let weight = self.settings.swing_weight * near;
            let weight = weight * self.foot_mass(memory, touch.body, sense.creature());
            Self::want_rows(sense.creature(), memory, touch.body, wanted, weight);
        }
    }

    /// Adds `weight` ½ ‖J a − wanted‖² for the three rows of the Jacobian in memory, of which the columns above `body` count.
    pub(super) fn want_rows(
        creature: &Creature,
        memory: &mut WholeMemory,
        body: usize,
        wanted: Vec3,
        weight: f64,
    ) {
        let Some(last) = last_above(creature, body) else { return };
        let WholeMemory { mass, h, best, jacobian, .. } = memory;
        let path = mass.row_columns(last);
        let columns = jacobian.as_slice().as_chunks::<3>().0;
        for (depth, &i) in path.iter().enumerate() {
            let [x, y, z] = columns[i as usize].map(|entry| weight * entry);
            best[i as usize] += x * wanted.x + y * wanted.y + z * wanted.z;
            for (entry, &j) in h.row_mut(i as usize).iter_mut().zip(&path[..=depth]) {
                let [a, b, c] = columns[j as usize];
                *entry += x * a + y * b + z * c;
            }
        }
    }

    /// What of a leg moves with the rows of the Jacobian in memory, kg or kg·m²: 1 / mean over directions of Σ J² / M_ii.
    pub(super) fn foot_mass(&self, memory: &WholeMemory, body: usize, creature: &Creature) -> f64 {
        let root = self.root();
        let path = last_above(creature, body).map_or(&[][..], |last| memory.mass.row_columns(last));
        let joints = path.iter().map(|dof| *dof as usize).filter(|dof| !root.contains(dof));
        let eases =
            joints.map(|dof| memory.jacobian.column(dof).norm_squared() / diagonal(&memory.mass, dof));
        let (ease, whole) = (eases.sum::<f64>(), self.pilot.reference.base.mass);
        if ease > 0.0 { (3.0 / ease).min(whole) } else { whole }
    }
}

/// The last coordinate between the root and a body: it and all above it move the body.
fn last_above(creature: &Creature, mut body: usize) -> Option<usize> {
    while body != 0 {
        if let Some(last) = creature.bodies()[body].dofs.clone().last() {
            return Some(last);
        }
        body = creature.bodies()[body].parent;
    }
    None
}
