//! Draws a creature from three sides: `picture [CREATURE [FILE]]`, as SVG or PNG by the ending of the file.

use gambol::picture::{three_views, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |usual: &str| arguments.next().unwrap_or_else(|| usual.to_owned());
    let (name, file) = (argument("spider"), argument("spider.png"));
    let creature = gambol::load(&name, &gambol::LoadOptions::default())?;

    let picture = three_views(&creature, creature.reference_pose());
    write(&file, &picture, true)?;
    println!("{file}: {} by {} px", picture.width, picture.height);
    Ok(())
}
