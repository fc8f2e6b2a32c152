//! A creature that trots, in three lines: `animate [CREATURE [GAIT [FILE]]]`. The creature is a name of the gallery or a
//! file; the ending of the file that is written decides its format.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |usual: &str| arguments.next().unwrap_or_else(|| usual.to_owned());
    let (creature, gait, file) = (argument("dog"), argument("trot"), argument("trot.glb"));

    let creature = gambol::load(&creature, &gambol::LoadOptions::default())?;
    let animation = gambol::animate(&creature, &gait)?;
    animation.save(&file)?;

    println!("{file}: {:.2} s at {:.2} m/s", animation.clip.duration(), animation.report.speed);
    for warning in &animation.warnings {
        println!("{warning}");
    }
    Ok(())
}
