//! Bodies for skinned models: a skin on a tree of nodes becomes bodies, joints and shapes, and keeps the way back to its
//! nodes.
//!
//! A reader makes [`RigNodes`], their [`NodePlaces`] and a [`Skin`] of its file; [`embody`] does the rest. `crowd` picks one
//! of several characters, `segments` says which joints matter, `solid` weighs what each carries, `symmetry` balances left
//! and right, `fit` draws simple shapes around it, `build` puts the creature together and `joints` tells knees from hips.
//! Every guess is a note.

mod bones;
mod build;
mod crowd;
mod fit;
mod joints;
mod nodes;
mod segments;
mod settings;
mod solid;
mod surface;
mod symmetry;
mod voxels;
mod wishes;

pub use bones::skin_of_bones;
pub use build::{Embodied, RigBone};
pub use nodes::{NodePlaces, RigNodes, asymmetry, is_straighter};
pub use settings::{
    BalanceSettings, BallSettings, CrowdSettings, FleshSettings, HingeSettings, SegmentSettings,
    SkinSettings, SkinShapeSettings, SkinSizeSettings,
};
pub use surface::Skin;
pub use wishes::{BoneWish, JointType, RigWishes};

use gambol_model::Remark;

use crate::AnatomyError;
use build::Model;
use segments::Segments;

/// A creature for a skin on nodes that stand in `places`; `name` is what it is called.
pub fn embody(
    name: &str,
    mut nodes: RigNodes,
    places: &NodePlaces,
    mut skin: Skin,
    wishes: &RigWishes,
) -> Result<Embodied, AnatomyError> {
    wishes.measures.check()?;
    wishes.settings.check()?;
    let mut notes: Vec<String> =
        crowd::keep_largest(&mut nodes, &mut skin, &wishes.settings.crowd).into_iter().collect();
    let mut segments = Segments::find(&nodes, places, &skin, wishes);
    if segments.all.is_empty() {
        return Err(AnatomyError::Figure("no joint of its skin moves anything".to_owned()));
    }
    notes.append(&mut segments.notes);
    let model = Model { name, nodes: &nodes, places, skin: &skin, segments, wishes };
    model.embody(notes.into_iter().map(Remark::from).collect())
}
