//! Reads a creature and says what it is: `load [CREATURE]`, a name of the gallery or a file.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "dog".to_owned());
    let creature = gambol::load(&name, &gambol::LoadOptions::default())?;

    // Body 0 is the world.
    let bodies = &creature.bodies()[1..];
    let mass: f64 = bodies.iter().map(|body| body.mass.mass).sum();
    println!("{name}: {} bodies, {} degrees of freedom, {mass:.1} kg", bodies.len(), creature.nv());
    for landmark in creature.landmarks() {
        println!("  {} on {}", landmark.name(), creature.bodies()[landmark.body].name);
    }
    // What the file asks for and gambol cannot do.
    for warning in creature.warnings() {
        println!("  warning: {warning}");
    }
    Ok(())
}
