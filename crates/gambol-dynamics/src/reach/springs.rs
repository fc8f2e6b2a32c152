//! All that a creature's joints can do, each against its spring: the elastic metric.

use gambol_model::{Creature, Joint, JointKind, Quat, Vec3, math};
use nalgebra::{DMatrix, DVector, DVectorViewMut, Quaternion};

use super::{Hold, ReachSpace, Stop, StopEnd};

/// Compliance of a root that goes along, times that of the softest joint per square of the creature's size.
const EASY: f64 = 100.0;

/// The tangent space at a pose: each joint by itself, within its limits.
#[derive(Clone, Copy, Debug)]
pub struct SpringSpace<'c> {
    /// Who reaches.
    pub creature: &'c Creature,
    /// The pose that it begins with, `nq` numbers.
    pub from: &'c [f64],
    /// What holds it.
    pub hold: Hold,
    /// A spring K costs by K to this power: 1 for its energy, less where what is stiff is to move as well.
    pub power: f64,
}

impl ReachSpace for SpringSpace<'_> {
    fn dimension(&self) -> usize {
        self.creature.nv()
    }

    /// rad²/J or m²/J. A joint without a spring gives way like the mean of the others.
    fn compliance(&self, size: f64) -> DVector<f64> {
        let joints = self.creature.joints();
        // The bits of the springs themselves where nothing is changed.
        let priced = |k: f64| if self.power == 1.0 { k } else { math::powf(k, self.power) };
        let springs: Vec<f64> =
            joints.iter().map(|joint| joint.stiffness).filter(|k| *k > 0.0).map(priced).collect();
        let mean = if springs.is_empty() { 1.0 } else { springs.iter().sum::<f64>() / springs.len() as f64 };
        let softest = springs.iter().copied().fold(mean, f64::min);
        let of_dof = self.creature.dofs().iter().enumerate().map(|(index, dof)| {
            let joint = &joints[dof.joint];
            match (joint.kind, self.hold) {
                (JointKind::Free, Hold::Root) => 0.0,
                // Three shifts, which carry everything as far as a turn carries its far end; three turns.
                (JointKind::Free, Hold::Goals) if index < joint.v + 3 => EASY * size * size / softest,
                (JointKind::Free, Hold::Goals) => EASY / softest,
                _ if joint.stiffness > 0.0 => 1.0 / priced(joint.stiffness),
                _ => 1.0 / mean,
            }
        });
        DVector::from_iterator(self.creature.nv(), of_dof)
    }

    fn pose(&self, x: &DVector<f64>) -> Vec<f64> {
        let mut pose = self.from.to_vec();
        self.creature.integrate(&mut pose, x.as_slice(), 1.0);
        pose
    }

    /// A step of a ball or of the root goes on from where it has turned to, up to the turns' own change, which an iteration leaves to the next.
    fn derivatives(&self, _x: &DVector<f64>, by_velocity: DMatrix<f64>) -> DMatrix<f64> {
        by_velocity
    }

    fn length(&self, step: &DVector<f64>) -> f64 {
        step.amax()
    }

    /// Hinges and slides; balls are put back by [`Self::confine`] alone.
    fn stops(&self, x: &DVector<f64>) -> Vec<Stop> {
        let stop = |joint: &Joint, end| {
            let mut row = DVector::zeros(self.creature.nv());
            row[joint.v] = 1.0;
            Stop { row, gap: 0.0, end }
        };
        let mut stops = Vec::new();
        for (joint, [low, high]) in self.limited() {
            if x[joint.v] <= low {
                stops.push(stop(joint, StopEnd::Low));
            }
            if x[joint.v] >= high {
                stops.push(stop(joint, StopEnd::High));
            }
        }
        stops
    }

    /// Each joint by itself: what is past a limit is put onto it.
    fn confine(&self, _from: &DVector<f64>, to: &mut DVector<f64>) {
        for (joint, [low, high]) in self.limited() {
            to[joint.v] = to[joint.v].clamp(low, high);
        }
        for joint in self.creature.joints().iter().filter(|joint| joint.kind == JointKind::Ball) {
            if let Some([_, most]) = joint.limit {
                within_cone(&self.from[joint.q..joint.q + 4], most, to.rows_mut(joint.v, 3));
            }
        }
    }
}

impl SpringSpace<'_> {
    /// Hinges and slides with limits, and how far they may go. One that is past its limit already does not go further.
    fn limited(&self) -> impl Iterator<Item = (&Joint, [f64; 2])> {
        let simple = self.creature.joints().iter().filter(|joint| joint.kind.nq() == 1);
        simple.filter_map(|joint| {
            let ([low, high], from) = (joint.limit?, self.from[joint.q]);
            Some((joint, [low.min(from) - from, high.max(from) - from]))
        })
    }
}

/// Shortens the turn of a ball so that its angle is at most `most`, or what it was before if that is more, rad.
fn within_cone(pose: &[f64], most: f64, mut turn: DVectorViewMut<f64>) {
    let from = Quat::new_normalize(Quaternion::new(pose[0], pose[1], pose[2], pose[3]));
    let to = from * Quat::from_scaled_axis(Vec3::new(turn[0], turn[1], turn[2]));
    let most = most.max(from.angle());
    if to.angle() > most {
        let nearest = Quat::from_scaled_axis(to.scaled_axis() * (most / to.angle()));
        turn.copy_from(&(from.inverse() * nearest).scaled_axis());
    }
}
