//! What every fuzz target does with a creature that could be read.

use gambol_dynamics::{Data, TreeMatrix, degrees_of_freedom, forward_dynamics, mass_matrix};
use gambol_anatomy::{ClassSettings, classify};
use gambol_formats::clip::GlbOptions;
use gambol_formats::files::Memory;
use gambol_formats::gltf::{append_clips, read_clips, read_gltf};
use gambol_formats::{FormatError, LoadOptions};
use gambol_model::{Creature, CreatureSpec};
use gambol_motion::Clip;

/// Builds the creature and runs the dynamics once, unless it is so large that a run of the fuzzer would crawl.
pub fn read_and_move(spec: Result<CreatureSpec, FormatError>) {
    let Ok(spec) = spec else { return };
    let Ok(creature) = spec.build() else { return };
    if creature.nv() > 200 {
        return;
    }
    let mut data = Data::new(&creature);
    let q = creature.reference_pose().to_vec();
    let zero = vec![0.0; creature.nv()];
    let Ok(mut m) = TreeMatrix::new(&creature) else { return };
    mass_matrix(&creature, &mut data, &q, &mut m);
    m.factor();
    forward_dynamics(&creature, &mut data, &q, &zero, &zero);
    degrees_of_freedom(&creature, &mut data, &q);
}

/// A clip that could be read can be sampled, cut and looped, and stays one of its creature.
pub fn play(creature: &Creature, clip: &Clip) {
    clip.check(creature).expect("a clip that was read is whole");
    if creature.nv() > 200 || clip.times.len() > 200 {
        return;
    }
    clip.pose_at(creature, 0.4 * clip.duration());
    if let Some(seam) = clip.best_loop(creature) {
        let looped = clip.looped(creature, &seam);
        looped.check(creature).expect("a loop is whole");
        looped.sample(creature, 3.3 * clip.duration());
    }
}

/// Any bytes as a character file of this name: an error, or a creature that moves, whose clips are whole and whose file takes one more.
pub fn read_character(name: &str, bytes: &[u8]) {
    let files = Memory::new().with(name, bytes.to_vec());
    let Ok((creature, rig)) = read_gltf(&files, name, &LoadOptions::default()) else { return };
    if creature.nv() > 200 {
        return;
    }
    let mut data = Data::new(&creature);
    classify(&creature, &mut data, &ClassSettings::default());
    let Ok(clips) = read_clips(&files, name, &rig, &creature) else { return };
    clips.iter().for_each(|clip| play(&creature, &clip.clip));
    let rest = creature.reference_pose().to_vec();
    let still = Clip {
        name: "still".to_owned(),
        times: vec![0.0, 0.5],
        poses: vec![rest.clone(), rest],
        stride: None,
        contacts: Vec::new(),
        travel: None,
    };
    let _ = append_clips(&rig, &creature, &[still], &GlbOptions::default());
}
