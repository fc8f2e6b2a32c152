//! Creatures from glTF and GLB files: a skinned model becomes bodies, joints and shapes, and keeps the way back to its
//! nodes.
//!
//! `container` opens the file, `accessor` reads numbers, `scene` places the nodes and `surface` the skin, `crowd` picks one
//! of several characters; `skeleton` says
//! which joints matter, `solid` weighs what each carries, `symmetry` balances left and right, `fit` draws simple shapes around it, `build` puts the creature
//! together and `joints` tells knees from hips. Every guess is a note.
//!
//! The JSON is read by our own types on `serde`: the crate `gltf` 1.4 leaves the ranges of accessors to the caller, and
//! its iterators panic where a file lies about them.

mod accessor;
mod append;
mod base64;
mod build;
mod container;
mod crowd;
mod embed;
mod fit;
mod joints;
mod json;
mod nodes;
mod rig;
pub mod samples;
mod scene;
mod settings;
mod skeleton;
mod solid;
mod splice;
mod surface;
mod symmetry;
mod voxels;

pub use append::append_clips;
pub(crate) use container::is_gltf;
pub use rig::{Bone, Rig, Source, read_gltf};
pub use settings::{BoneSettings, JointType, RigSettings, rig_to_toml};

use gambol_model::{CreatureSpec, Vec3};

use crate::{Files, FormatError, LoadOptions};
use container::Container;
use scene::{Globals, Scene};
use settings::Told;
use skeleton::Skeleton;
use surface::Surface;

/// Reads a skinned model.
pub(crate) fn read(
    files: &dyn Files,
    path: &str,
    options: &LoadOptions,
) -> Result<(CreatureSpec, Rig), FormatError> {
    let options = &options.with_rig();
    let (container, source) = container::open(files, path)?;
    if container.document.skins.is_empty() {
        return Err(container.error(
            "it has no skin: a creature is a mesh that is bound to a skeleton; bind it in Blender (Ctrl+P, Armature \
             Deform) or any other tool first",
        ));
    }
    let mut scene = Scene::read(&container)?;
    let (globals, mut surface, mut notes) = pose(&container, &scene)?;
    let told = Told::new(options.rig.as_ref(), &scene)?;
    notes.extend(crowd::keep_largest(&mut scene, &mut surface));
    let mut skeleton = Skeleton::find(&scene, &globals, &surface, &told);
    if skeleton.segments.is_empty() {
        return Err(container.error("no joint of its skin moves anything"));
    }
    notes.append(&mut skeleton.notes);
    let model = build::Model {
        container: &container,
        scene: &scene,
        globals: &globals,
        surface: &surface,
        skeleton,
        told,
    };
    model.build(source, notes, options)
}

/// The pose in which the creature is drawn, its skin in it, and what is to be said about that.
fn pose(container: &Container, scene: &Scene) -> Result<(Globals, Surface, Vec<String>), FormatError> {
    let binds = scene::inverse_binds(container)?;
    let rest = scene.at_rest();
    let mut notes = Vec::new();
    let mut globals = rest.clone();
    for bound in scene.bound(container, &rest, &binds) {
        if is_straighter(scene, &bound, &globals) {
            globals = bound;
            notes = vec![
                "the nodes stand in some pose of a clip: the pose in which the skin was bound is taken, it is more \
                 symmetric"
                    .to_owned(),
            ];
        }
    }
    let surface = Surface::read(container, scene, &binds, &globals)?;
    if surface.skinned == 0 {
        return Err(container.error("it has a skin, but no mesh of its scene uses it"));
    }
    if surface.triangles.is_empty() {
        return Err(container.error("its skinned meshes have no triangles"));
    }
    if surface.weightless == surface.points.len() {
        return Err(container.error("no vertex of its skins has a weight above zero"));
    }
    if let Some(vertex) = surface.points.iter().position(|p| !p.iter().all(|x| x.abs() < 1e12)) {
        return Err(container.error(format!("vertex {vertex} of its skin ends up at infinity")));
    }
    if surface.weightless > 0 {
        notes.push(format!("{} vertices have no weights and go with the first joint", surface.weightless));
    }
    if surface.rigid > 0 {
        notes.push(format!("{} meshes hang rigidly from joints and count as skin", surface.rigid));
    }
    if surface.scenery > 0 {
        notes.push(format!("{} meshes do not move with any joint and were left out", surface.scenery));
    }
    Ok((globals, surface, notes))
}

/// Whether the joints in pose `a` are much nearer to their mirror images than in pose `b`.
fn is_straighter(scene: &Scene, a: &Globals, b: &Globals) -> bool {
    /// Of the size; a rig is drawn no more exactly than this.
    const SYMMETRIC: f64 = 1e-4;
    /// Half as far off is clearly better.
    const BETTER: f64 = 0.5;
    let (a, b) = (asymmetry(scene, a), asymmetry(scene, b));
    b > SYMMETRIC && a < BETTER * b
}

/// Mean distance of each joint's mirror image from the nearest joint, over the size of the rig; for the better of the
/// two upright planes along the axes.
fn asymmetry(scene: &Scene, globals: &Globals) -> f64 {
    // A larger crowd is not compared pair by pair.
    const MOST: usize = 1000;
    let joints: Vec<Vec3> = (0..scene.is_joint.len())
        .filter(|&node| scene.is_joint[node])
        .map(|node| globals.origin(node))
        .take(MOST)
        .collect();
    let count = joints.len().max(1) as f64;
    let middle = joints.iter().sum::<Vec3>() / count;
    let size = joints.iter().map(|joint| (joint - middle).norm()).fold(f64::MIN_POSITIVE, f64::max);
    let across = |axis: usize| {
        // The middle of the box, not the mean: one loose target must not shift the plane of all.
        let (low, high) = joints
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[axis]), high.max(p[axis])));
        let distance = |joint: &Vec3| {
            let mut mirrored = *joint;
            mirrored[axis] = low + high - joint[axis];
            joints.iter().map(|other| (other - mirrored).norm()).fold(f64::INFINITY, f64::min)
        };
        joints.iter().map(distance).sum::<f64>() / count / size
    };
    across(0).min(across(2))
}
