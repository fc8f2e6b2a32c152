//! `cargo xtask bench rigs`: from a skinned glTF file to the same file with a walk in it, as a user waits for it: a new
//! process each time, from the disk to the disk.

use std::time::Instant;

use gambol::LoadOptions;
use gambol::formats::gltf::samples::{Awkward, quadruped};
use gambol::formats::write_file;

use crate::shell::{Result, cargo, command, output, run as run_command, target};

/// The longest that a user shall wait for an animal of 50 joints and 5,000 vertices, s.
const MOST: f64 = 0.5;
/// That animal: 17 bones and a long tail, 13 rings of 8 vertices on each.
const ANIMAL: Awkward = Awkward { tail: TAIL, rings: RINGS, ..Awkward::PLAIN };
const TAIL: usize = 33;
const RINGS: usize = 12;

pub(crate) fn run(rounds: usize) -> Result<()> {
    run_command(&mut command(cargo(), &["build", "--release", "--quiet", "-p", "gambol-cli"]))?;
    let folder = target().join("gltf");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let [file, walks] = ["bench.glb", "bench.walks.glb"].map(|name| folder.join(name));
    let bytes = quadruped(&ANIMAL);
    write_file(&file, &bytes, true).map_err(|error| error.to_string())?;
    let loaded = gambol::load_rig(&file.display().to_string(), &LoadOptions::default());
    let (creature, _) = loaded.map_err(|error| error.to_string())?;

    let mut best = f64::MAX;
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        let program = target().join("release/gambol");
        output(command(program, &["animate"]).arg(&file).args(["walk", "--force", "-o"]).arg(&walks))?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let (joints, vertices) = (17 + TAIL, (17 + TAIL) * (RINGS + 1) * 8);
    let bodies = creature.bodies().len() - 1;
    println!(
        "{joints} joints, {vertices} vertices, {bodies} bodies: {best:.3} s, best of {rounds}; at most {MOST} s"
    );
    if best < MOST { Ok(()) } else { Err("a user waits too long for a walk".into()) }
}
