//! Gait files, read and written.

use gambol::gait::{Gait, Support, Terrain, from_toml, to_toml};
use gambol::modes::Reader;

use super::body::Dressed;
use super::{Answer, Trouble, motion};
use crate::protocol::{CreatureWork, GaitFileAnswer, GaitWork, Source};

/// A gait file as the page's work: the gait stays the file's, and edits go on top of it.
pub(super) fn read(text: &str) -> Result<Answer, Trouble> {
    let gait = from_toml(text).map_err(|error| {
        let line = error.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        Trouble(format!("This is not a gait file: {line}{}", error.reason))
    })?;
    let creature = gait.creature.as_deref().filter(|name| gambol::gallery::find(name).is_some());
    let creature = creature.map(|name| CreatureWork::new(Source::Gallery { name: name.to_owned() }));
    let Gait { name, ground, style, .. } = gait;
    let gait = GaitWork {
        name: Some(name),
        file: Some(text.to_owned()),
        turn: ground.turn,
        slope: if let Terrain::Slope(angle) = ground.terrain { angle } else { 0.0 },
        ground: ground.support != Support::Air,
        ..GaitWork::default()
    };
    Answer::new(GaitFileAnswer { creature, style, gait, sketch: None }, Vec::new())
}

/// The gait as a file, with a word about each mode; and its name.
pub(super) fn write(dressed: &mut Dressed, work: &GaitWork) -> Result<(String, String), Trouble> {
    let (mut gait, _) = motion::gait(dressed, work)?;
    let Dressed { read, body, data, .. } = dressed;
    gait.creature = Some(read.name().to_owned());
    let reader = Reader::new(&body.creature, data, body.basis.mean()).map_err(Trouble::from_error)?;
    let modes = gait.components.iter().map(|component| &body.basis.directions()[component.mode]);
    let names: Vec<String> = modes.map(|mode| reader.read(data, mode).name).collect();
    Ok((to_toml(&gait, &names), gait.name))
}
