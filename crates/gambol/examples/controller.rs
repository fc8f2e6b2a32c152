//! A controller of one's own: it sees the creature at every step, remembers what it likes, and drives the joints. This one
//! slows every joint down and remembers the hardest that it had to pull.

use gambol::control::{Command, Controller, Plan, simulate};
use gambol::dynamics::{Sense, State, StepSettings, Stepper, World};
use gambol::model::Creature;

/// N·m·s/rad: little enough for the ears, which a harder brake would throw back and forth within a step.
const BRAKE: f64 = 0.001;

struct Brake;

impl Controller for Brake {
    /// The largest torque so far, N·m.
    type Memory = f64;

    fn memory(&self, _creature: &Creature) -> f64 {
        0.0
    }

    fn command(&self, sense: &Sense, hardest: &mut f64, command: &mut Command) {
        // The first six coordinates of a free creature are its root, which nothing can hold.
        for (torque, velocity) in command.torque.iter_mut().zip(&sense.state().v).skip(6) {
            *torque = -BRAKE * velocity;
            *hardest = hardest.max(torque.abs());
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dog = gambol::load("dog", &gambol::LoadOptions::default())?;
    let start = State::new(dog.reference_pose(), &vec![0.0; dog.nv()]);
    let world = World::new(dog, StepSettings::default())?;
    let rollout = simulate(&world, &mut Stepper::new(&world), &Plan::new(&Brake, start, 0.5), &mut |_| ());
    println!("{:?} after {:.2} s", rollout.status, rollout.report.seconds);
    Ok(())
}
