//! The natural vibrations of a creature: `modes [CREATURE]`.

use gambol::dynamics::Data;
use gambol::modes::{Reader, Settings, analyze};
use gambol::motion::swing;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "dog".to_owned());
    let creature = gambol::load(&name, &gambol::LoadOptions::default())?;

    // Room for computations, one for each thread.
    let mut data = Data::new(&creature);
    let settings = Settings { count: Some(12), ..Settings::default() };
    let modes = analyze(&creature, &mut data, creature.rest_pose(), &settings)?;
    let reader = Reader::new(&creature, &mut data, creature.rest_pose())?;
    for mode in modes.flexible() {
        let reading = reader.read(&mut data, mode);
        println!("{:6.2} Hz  {}", modes.frequency(&creature, mode), reading.name);
    }

    // The pose half a radian along the first vibration.
    let pose = swing(&creature, &mut data, &modes, &modes.flexible()[0], 0.5)?;
    println!("a pose has {} numbers", pose.len());
    Ok(())
}
