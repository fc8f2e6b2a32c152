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
mod meshopt;
mod nodes;
mod rig;
#[cfg(feature = "samples")]
pub mod samples;
mod scene;
mod settings;
mod splice;
mod surface;
mod unpack;
mod vrm;

pub use append::{NodeContact, NodeMotion, NodeTrack, append_clips, node_motion};
pub use clips::{GltfClip, read_clips};
pub(crate) use container::is_gltf;
pub use rig::{GltfSource, Rig, read_gltf};
pub use settings::{BoneSettings, RigSettings, rig_to_toml};

use gambol_anatomy::skin::{Embodied, NodePlaces, RigWishes, Skin, embody, is_straighter, skin_of_bones};
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
    let scene = GltfScene::read(&container)?;
    if !scene.nodes.is_joint.contains(&true) {
        return Err(container.error(
            "it has no skin, no clip that moves its parts, and no parts that hang from parts: a creature is a mesh that is bound \
             to a skeleton, or one mesh for each limb; bind it in Blender (Ctrl+P, Armature Deform) or any other tool first",
        ));
    }
    let (places, skin, notes) = pose(&container, &scene)?;
    let wishes = settings::wishes(options, &scene.nodes)?;
    let given = vrm::landmarks(&container.document.extensions, &scene.nodes.names);
    // What the file says of a bone that has no body is no more than a guess.
    let as_given = if given.is_empty() {
        None
    } else {
        let landmarks = given.into_iter().chain(wishes.landmarks.iter().cloned()).collect();
        let wishes = RigWishes { landmarks, ..wishes.clone() };
        embody(stem(path), scene.nodes.clone(), &places, skin.clone(), &wishes).ok()
    };
    let embodied = as_given
        .map_or_else(|| embody(stem(path), scene.nodes.clone(), &places, skin, &wishes), Ok)
        .map_err(|error| settings::error_of(&error, &container, options, &scene.nodes))?;
    let Embodied { mut spec, world_from_scene, bones, joints, root, lies, notes: guesses } = embodied;
    let notes = notes.into_iter().map(Remark::from).chain(guesses).collect();
    spec.class = options.rig.as_ref().and_then(|settings| settings.class);
    spec.labels = labels(&container, &scene, &joints);
    Ok((spec, Rig { world_from_scene, bones, joints, root, lies, source, notes }))
}

/// What the file calls its clips, what its bones hang from, and bones that are no bodies: `joints` are those that are.
fn labels(container: &Container, scene: &GltfScene, joints: &[usize]) -> Vec<String> {
    let clips = container.document.animations.iter().filter_map(|clip| clip["name"].as_str());
    let above = (0..scene.nodes.names.len()).filter(|&node| {
        let holds = |joint: &usize| scene.nodes.is_joint[*joint] && scene.nodes.parent[*joint] == Some(node);
        let bodiless = scene.nodes.is_joint[node] && !joints.contains(&node);
        bodiless || !scene.nodes.is_joint[node] && (0..scene.nodes.names.len()).any(|joint| holds(&joint))
    });
    let above = above.map(|node| scene.nodes.names[node].clone());
    clips.map(words_after_bar).chain(above).collect()
}

/// Blender writes `Armature|Walk`: both are said.
fn words_after_bar(name: &str) -> String {
    name.replace(['|', ':', '/'], " ")
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
    let surface = Surface::read(container, scene, &binds, &places)?;
    if surface.is_bare() {
        notes.push("it is a skeleton without a skin: its flesh is guessed around its bones".to_owned());
        return Ok((places.clone(), skin_of_bones(&scene.nodes, &places), notes));
    }
    let (skin, told) = surface.finish(container)?;
    notes.extend(told);
    Ok((places, skin, notes))
}
