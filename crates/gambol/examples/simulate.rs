//! Drops a creature and looks where it comes to rest: `simulate [CREATURE]`. Nothing moves it but gravity and its springs.

use gambol::control::{Passive, Plan, simulate};
use gambol::dynamics::{State, StepSettings, Stepper, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "spider".to_owned());
    let creature = gambol::load(&name, &gambol::LoadOptions::default())?;
    let start = State::new(creature.reference_pose(), &vec![0.0; creature.nv()]);

    // The world is shared by all threads; a stepper is the memory of one.
    let world = World::new(creature, StepSettings::default())?;
    let plan = Plan { keep_poses: true, ..Plan::new(&Passive, start, 1.0) };
    let rollout = simulate(&world, &mut Stepper::new(&world), &plan, &mut |_| ());
    println!(
        "{:?} after {:.2} s, {} poses",
        rollout.status,
        rollout.report.seconds,
        rollout.clip.times.len()
    );
    Ok(())
}
