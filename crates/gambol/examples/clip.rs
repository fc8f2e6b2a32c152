//! From modes to a gait to a clip, step by step: `clip [CREATURE [GAIT [FILE]]]`. `gambol::animate` does this in one.

use gambol::dynamics::Data;
use gambol::formats::clip::{GlbOptions, to_glb};
use gambol::formats::write_file;
use gambol::gait::{Sampling, Wish, perform, prepare};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |usual: &str| arguments.next().unwrap_or_else(|| usual.to_owned());
    let (name, gait, file) = (argument("human"), argument("walk"), argument("walk.glb"));
    let creature = gambol::load(&name, &gambol::LoadOptions::default())?;
    let mut data = Data::new(&creature);

    // The body with its style, and the gait: modes, amplitudes, phases.
    let (body, designed) = prepare(creature, &mut data, &gait, |_| (), &Wish::default())?;
    let mut gait = designed.gait;
    gait.frequency *= 0.8; // slower than it was designed
    let sampling = Sampling { seconds: Some(2.0), fps: 30.0 };
    let performance = perform(&body, &mut data, &gait, &sampling)?;

    let clip = &performance.clip;
    write_file(&file, &to_glb(&body.creature, clip, &GlbOptions::default())?, true)?;
    println!("{file}: {} keys, {:.2} s", clip.times.len(), clip.duration());
    Ok(())
}
