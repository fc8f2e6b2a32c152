//! What moves a creature: the pose its springs pull to, and torques besides.

use std::any::Any;
use std::fmt::Debug;

use gambol_dynamics::{Sense, State};
use gambol_model::{Creature, JointKind};
use gambol_motion::Clip;

/// What a controller asks for during one step.
#[derive(Clone, Debug)]
pub struct Command {
    /// Pose in which the springs are at rest, `nq` numbers; the creature's own rest pose before a controller writes it, and
    /// then what it wrote last.
    pub rest: Vec<f64>,
    /// Forces on the coordinates besides springs and dampers, N·m or N; zero before a controller writes them.
    pub torque: Vec<f64>,
    /// What happened that a report should tell; none before a controller adds some.
    pub events: Vec<Event>,
}

/// Something that a controller did or saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// s
    pub time: f64,
    /// In words, the same for all events of a kind.
    pub what: &'static str,
    /// To which of several: the number of a leg, of a half cycle.
    pub which: usize,
}

/// Room for events of one step, so that telling them does not touch the heap.
const EVENTS: usize = 64;

impl Command {
    /// Springs at rest where the creature has them, no torques.
    pub fn new(creature: &Creature) -> Self {
        let events = Vec::with_capacity(EVENTS);
        Self { rest: creature.rest_pose().to_vec(), torque: vec![0.0; creature.nv()], events }
    }

    /// Adds an event, as long as there is room for it.
    pub fn tell(&mut self, event: Event) {
        if self.events.len() < self.events.capacity() {
            self.events.push(event);
        }
    }

    /// Makes it ready for another step: no torques, no events.
    pub fn clear(&mut self) {
        self.torque.fill(0.0);
        self.events.clear();
    }
}

/// Moves a creature. It is the same for all threads and all the time: what changes from step to step is in its memory, which
/// is kept beside the state, so that a simulation can be copied anywhere and both go on bit for bit.
///
/// Nothing may touch the heap in [`Controller::command`]: what it needs room for is part of its memory.
pub trait Controller: Sync {
    /// What it remembers from step to step, and its room for work.
    type Memory: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// The memory with which it begins.
    fn memory(&self, creature: &Creature) -> Self::Memory;

    /// Writes what is wanted for the step that begins.
    fn command(&self, sense: &Sense, memory: &mut Self::Memory, command: &mut Command);
}

/// A controller of any kind, for whoever does not care which: every [`Controller`] is one.
pub trait AnyController: Sync {
    /// The memory with which it begins.
    fn begin(&self, creature: &Creature) -> Memory;

    /// Clears `command` and writes what is wanted for the step that begins. A memory of another kind of controller is of no
    /// use to it: it begins anew then.
    fn drive(&self, sense: &Sense, memory: &mut Memory, command: &mut Command);
}

impl<C: Controller> AnyController for C {
    fn begin(&self, creature: &Creature) -> Memory {
        Memory(Box::new(self.memory(creature)))
    }

    fn drive(&self, sense: &Sense, memory: &mut Memory, command: &mut Command) {
        if memory.get::<C::Memory>().is_none() {
            *memory = self.begin(sense.creature());
        }
        let own = memory.0.as_any_mut().downcast_mut().expect("of its own kind, as was just made sure");
        command.clear();
        self.command(sense, own, command);
    }
}

/// A controller of any kind in a box is one too, so that others can be put around it.
impl<T: AnyController + ?Sized> Controller for Box<T> {
    type Memory = Memory;

    fn memory(&self, creature: &Creature) -> Memory {
        self.as_ref().begin(creature)
    }

    fn command(&self, sense: &Sense, memory: &mut Memory, command: &mut Command) {
        self.as_ref().drive(sense, memory, command);
    }
}

/// What a controller of some kind remembers.
#[derive(Debug)]
pub struct Memory(Box<dyn Remembered>);

impl Memory {
    /// As what it is, if it is one.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_any().downcast_ref()
    }

    /// The same, to change it: who steers a creature tells it so.
    pub fn get_mut<T: 'static>(&mut self) -> Option<&mut T> {
        self.0.as_any_mut().downcast_mut()
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_any())
    }
}

/// What can be done with a memory without knowing its type.
trait Remembered: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn copy(&self) -> Box<dyn Remembered>;
    fn equals(&self, other: &dyn Any) -> bool;
}

impl<T: Clone + Debug + PartialEq + Send + Sync + 'static> Remembered for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn copy(&self) -> Box<dyn Remembered> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// Springs and dampers alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passive;

impl Controller for Passive {
    type Memory = ();

    fn memory(&self, _: &Creature) {}

    fn command(&self, _: &Sense, (): &mut (), _: &mut Command) {}
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
    /// The way from one key to the next.
    type Memory = Vec<f64>;

    fn memory(&self, creature: &Creature) -> Vec<f64> {
        vec![0.0; creature.nv()]
    }

    fn command(&self, sense: &Sense, way: &mut Vec<f64>, command: &mut Command) {
        let creature = sense.creature();
        let time = match self.period {
            Some(period) => sense.time().rem_euclid(period),
            None => sense.time(),
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
        creature.difference(&self.poses[last], &self.poses[next], way);
        for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
            way[joint.v..joint.v + 6].fill(0.0); // nothing holds the root
        }
        creature.integrate(&mut command.rest, way, share);
    }
}
