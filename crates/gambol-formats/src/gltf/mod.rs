//! Skinned models in glTF and GLB files: their nodes, skins and settings in, and the way back to the nodes.
//!
//! `container` opens the file, `accessor` reads numbers, `scene` places the nodes, `surface` the skin, and `clips` reads what
//! the file's own animations do to the creature; what a creature is
//! made of them is `gambol-anatomy`'s business (`skin::embody`).
//!
//! The JSON is read by our own types on `serde`: the crate `gltf` 1.4 leaves the ranges of accessors to the caller, and
//! its iterators panic where a file lies about them.

mod accessor;
mod append;
mod clips;
mod container;
mod data_uri;
mod embed;
mod json;
mod nodes;
mod rig;
#[cfg(feature = "samples")]
pub mod samples;
mod scene;
mod settings;
mod splice;
mod surface;

pub use append::append_clips;
pub use clips::{GltfClip, read_clips};
pub(crate) use container::is_gltf;
pub use rig::{GltfSource, Rig, read_gltf};
pub use settings::{BoneSettings, RigSettings, rig_to_toml};

use gambol_anatomy::skin::{Embodied, NodePlaces, Skin, embody, is_straighter};
use gambol_model::{CreatureSpec, Remark};

use crate::{Files, FormatError, LoadOptions};
use container::Container;
use scene::GltfScene;
use surface::Surface;

/// Reads a skinned model.
pub(crate) fn read(
    files: &dyn Files,
    path: &str,
    options: &LoadOptions,
) -> Result<(CreatureSpec, Rig), FormatError> {
    let (container, source) = container::open(files, path)?;
    if container.document.skins.is_empty() {
        return Err(container.error(
            "it has no skin: a creature is a mesh that is bound to a skeleton; bind it in Blender (Ctrl+P, Armature \
             Deform) or any other tool first",
        ));
    }
    let scene = GltfScene::read(&container)?;
    let (places, skin, notes) = pose(&container, &scene)?;
    let wishes = settings::wishes(options, &scene.nodes)?;
    let embodied = embody(stem(path), scene.nodes.clone(), &places, skin, &wishes)
        .map_err(|error| settings::error_of(&error, &container, options, &scene.nodes))?;
    let Embodied { spec, world_from_scene, bones, joints, root, notes: guesses } = embodied;
    let notes = notes.into_iter().map(Remark::from).chain(guesses).collect();
    Ok((spec, Rig { world_from_scene, bones, joints, root, source, notes }))
}

/// `fox` of `path/fox.glb`.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The pose in which the creature is drawn, its skin in it, and what is to be said about that.
fn pose(container: &Container, scene: &GltfScene) -> Result<(NodePlaces, Skin, Vec<String>), FormatError> {
    let binds = scene::inverse_binds(container)?;
    let rest = scene.at_rest();
    let mut notes = Vec::new();
    let mut places = rest.clone();
    for bound in scene.bound(container, &rest, &binds) {
        if is_straighter(&scene.nodes, &bound, &places) {
            places = bound;
            notes = vec![
                "the nodes stand in some pose of a clip: the pose in which the skin was bound is taken, it is more \
                 symmetric"
                    .to_owned(),
            ];
        }
    }
    let (skin, told) = Surface::read(container, scene, &binds, &places)?.finish(container)?;
    notes.extend(told);
    Ok((places, skin, notes))
}
