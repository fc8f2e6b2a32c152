//! What moves a creature: the pose its springs pull to, and torques besides.

use gambol_dynamics::State;
use gambol_model::{Creature, JointKind};
use gambol_motion::Clip;

/// What a controller asks for during one step.
#[derive(Clone, Debug)]
pub struct Command {
    /// Pose in which the springs are at rest, `nq` numbers; the creature's own rest pose before a controller writes it.
    pub rest: Vec<f64>,
    /// Forces on the coordinates besides springs and dampers, N·m or N; zero before a controller writes them.
    pub torque: Vec<f64>,
    /// `nv` numbers for a controller's own use.
    pub scratch: Vec<f64>,
    /// What a controller noted to look at again in later steps; empty at first.
    pub notes: Vec<f64>,
}

impl Command {
    /// Springs at rest where the creature has them, no torques.
    pub fn new(creature: &Creature) -> Self {
        let still = vec![0.0; creature.nv()];
        Self { rest: creature.rest_pose().to_vec(), torque: still.clone(), scratch: still, notes: Vec::new() }
    }
}

/// Moves a creature. It has no memory but the state and its notes in the command, so that a controller can be shared by
/// threads and a simulation be branched anywhere; one that takes notes begins anew there.
pub trait Controller: Sync {
    /// Writes what is wanted from `state.time` on, for one step.
    fn command(&self, creature: &Creature, state: &State, command: &mut Command);
}

/// Springs and dampers alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passive;

impl Controller for Passive {
    fn command(&self, _: &Creature, _: &State, _: &mut Command) {}
}

/// The equilibrium follows the joints of a clip: again and again if it loops, else to its end, where it stays.
#[derive(Clone, Debug)]
pub struct Follow {
    times: Vec<f64>,
    poses: Vec<Vec<f64>>,
    /// s; none if it does not loop.
    period: Option<f64>,
}

impl Follow {
    /// A clip of the creature that is to move; [`Clip::check`] says whether it is one. An empty one leads nowhere.
    pub fn new(clip: &Clip) -> Self {
        let period = clip.stride.map(|_| clip.duration()).filter(|period| *period > 0.0);
        Self { times: clip.times.clone(), poses: clip.poses.clone(), period }
    }

    /// The first pose of a clip, and the velocity that leads to the second.
    pub fn start(creature: &Creature, clip: &Clip) -> State {
        let pose = clip.poses.first().map_or_else(|| creature.rest_pose(), Vec::as_slice);
        let mut start = State::new(pose, &vec![0.0; creature.nv()]);
        if let [now, next, ..] = clip.poses.as_slice() {
            creature.difference(now, next, &mut start.v);
            start.v.iter_mut().for_each(|v| *v /= clip.times[1] - clip.times[0]);
        }
        start
    }
}

impl Controller for Follow {
    fn command(&self, creature: &Creature, state: &State, command: &mut Command) {
        let time = match self.period {
            Some(period) => state.time.rem_euclid(period),
            None => state.time,
        };
        if self.times.is_empty() {
            return;
        }
        let next = self.times.partition_point(|key| *key <= time).min(self.times.len() - 1);
        let last = next.saturating_sub(1);
        let length = self.times[next] - self.times[last];
        let share = if length > 0.0 { ((time - self.times[last]) / length).clamp(0.0, 1.0) } else { 0.0 };
        for joint in creature.joints().iter().filter(|joint| joint.kind != JointKind::Free) {
            let range = joint.q..joint.q + joint.kind.nq();
            command.rest[range.clone()].copy_from_slice(&self.poses[last][range]);
        }
        creature.difference(&self.poses[last], &self.poses[next], &mut command.scratch);
        for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
            command.scratch[joint.v..joint.v + 6].fill(0.0); // nothing holds the root
        }
        creature.integrate(&mut command.rest, &command.scratch, share);
    }
}
