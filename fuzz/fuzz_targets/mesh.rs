//! Any bytes as a mesh of each format, on a body: the first byte chooses the format.
#![no_main]

use gambol_formats::files::Memory;
use gambol_formats::{LoadOptions, load_from};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, content)) = bytes.split_first() else { return };
    let name = ["mesh.stl", "mesh.obj", "mesh.msh"][usize::from(first % 3)];
    let inertia = ["legacy", "exact", "convex", "shell"][usize::from(first / 3 % 4)];
    let xml = format!(
        "<mujoco><asset><mesh name='m' file='{name}' inertia='{inertia}'/></asset>\
         <worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
    );
    let files = Memory::new().with("fuzz.xml", xml).with(name, content);
    gambol_fuzz::read_and_move(load_from(&files, "fuzz.xml", &LoadOptions::default()));
});
