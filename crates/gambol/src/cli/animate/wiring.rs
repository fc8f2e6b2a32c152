//! THE ONE PLACE where `gambol animate` and `gambol gallery` meet rooms that are still being built. Each function names
//! the call that belongs here.

use gambol_dynamics::Data;
use gambol_gait::{Body, Gait, GaitError, HeightField, Style, TerrainFile, Wish};
use gambol_motion::Clip;

use super::RootMotion;
use super::files::Format;

/// `gambol_gait::preset_style(creature, gait)`
pub(super) fn preset_style(creature: &str, gait: &str) -> Option<Style> {
    gambol_gait::preset_style(creature, gait)
}

/// `gambol_gait::design(body, data, name, wish)`, with the hints of `Design`.
pub(super) fn design(
    body: &Body,
    data: &mut Data,
    name: &str,
    wish: &Wish,
) -> Result<(Gait, Vec<String>), GaitError> {
    let gambol_gait::Design { gait, hints } = gambol_gait::design(body, data, name, wish)?;
    Ok((gait, hints))
}

/// `gambol_gait::gaits_for(body, data)`
pub(in crate::cli) fn gaits_for(body: &Body, data: &mut Data) -> Vec<(String, Result<(), GaitError>)> {
    gambol_gait::gaits_for(body, data)
}

/// `gambol_formats::height_field_from_png`
pub(super) fn height_field(terrain: &TerrainFile, _bytes: &[u8]) -> Result<HeightField, String> {
    Err(format!("{}: pictures of the ground cannot be read yet", terrain.file))
}

/// `gambol_formats::clip::{to_glb, to_bvh, to_json, to_npz}` and `gambol_picture::{clip_strip, clip_animation}`
pub(super) fn to_bytes(
    format: Format,
    _body: &Body,
    _gait: &Gait,
    _clip: &Clip,
    _root_motion: RootMotion,
) -> Result<Vec<u8>, String> {
    Err(format!("a clip cannot be written as {format:?} yet"))
}
