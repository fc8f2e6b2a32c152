//! Plants as creatures: from files and from the gallery.

use std::path::Path;

use gambol_formats::LoadOptions;
use gambol_formats::files::Files;
use gambol_formats::plant::{is_plant, read_plant};
use gambol_model::{Creature, CreatureSpec};
use gambol_plant::{Constants, Plant, WoodSettings, articulated, find_plant};

use crate::LoadError;

/// Reads a plant: a name from [`gambol_plant::PLANTS`], or else the path of a file. Nothing if it is another creature.
pub fn load_plant(name: &str, options: &LoadOptions) -> Result<Option<Plant>, LoadError> {
    if let Some(entry) = find_plant(name) {
        return Ok(Some(entry.plant()));
    }
    let path = Path::new(name);
    let known =
        |ending: &str| ["mtg", "swc", "csv", "tsv", "txt"].contains(&ending.to_ascii_lowercase().as_str());
    if !path.is_file() || !path.extension().and_then(|ending| ending.to_str()).is_some_and(known) {
        return Ok(None);
    }
    let (files, main) = gambol_formats::open(path, options)?;
    load_plant_from(&files, &main, options)
}

/// The same of files that are not on disk.
pub fn load_plant_from(
    files: &dyn Files,
    main: &str,
    options: &LoadOptions,
) -> Result<Option<Plant>, LoadError> {
    if !is_plant(main, &files.read(main)?) {
        return Ok(None);
    }
    let file = read_plant(files, main, options)?;
    Ok(Some(Plant::from_file(&file, options.pipe)?))
}

/// The creature of a plant: a rigid link on three hinges for each element, of wood as it usually is.
pub fn plant_spec(plant: &Plant, options: &LoadOptions) -> Result<CreatureSpec, LoadError> {
    let mut spec = articulated(plant, &WoodSettings::default(), Constants::Disc, 1)?;
    spec.landmark_overrides.clone_from(&options.landmarks);
    if options.free_root {
        spec.free_roots();
    }
    Ok(spec)
}

/// The same, built.
pub(crate) fn plant_creature(plant: &Plant, options: &LoadOptions) -> Result<Creature, LoadError> {
    let built = plant_spec(plant, options)?.build();
    built.map_err(|error| LoadError::Model { file: plant.name.clone(), error })
}
