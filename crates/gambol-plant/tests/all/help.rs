//! Plants that tests share.

use std::fmt::Write;

use gambol_formats::LoadOptions;
use gambol_formats::files::Memory;
use gambol_formats::plant::read_plant;
use gambol_plant::{Constants, Mechanics, Plant, PlantError, PlantMode, WoodSettings, plant_modes};

/// What a file of this name and text is as a plant.
pub(crate) fn plant(name: &str, text: &str) -> Result<Plant, PlantError> {
    plant_with(name, text, &LoadOptions { unit: Some(1.0), ..LoadOptions::default() })
}

pub(crate) fn plant_with(name: &str, text: &str, options: &LoadOptions) -> Result<Plant, PlantError> {
    let files = Memory::new().with(name, text);
    Plant::from_file(&read_plant(&files, name, options)?, options.pipe)
}

/// A rod along a direction, of length 1.5 m and radius 2 cm, in so many elements.
pub(crate) fn rod(elements: usize, direction: [f64; 3]) -> Plant {
    let [x, y, z] = direction;
    let mut text = "id,parent,x,y,z,radius\n".to_owned();
    for k in 0..=elements {
        let at = 1.5 * k as f64 / elements as f64;
        let parent = if k == 0 { String::new() } else { (k - 1).to_string() };
        writeln!(text, "{k},{parent},{},{},{},0.02", x * at, y * at, z * at).unwrap();
    }
    plant("rod.csv", &text).unwrap()
}

pub(crate) fn mechanics(plant: &Plant) -> Mechanics {
    Mechanics::new(plant, &WoodSettings::default(), Constants::Disc).unwrap()
}

pub(crate) fn solved(plant: &Plant, count: usize) -> (Mechanics, Vec<PlantMode>) {
    let mechanics = mechanics(plant);
    let modes = plant_modes(plant, &mechanics, count).unwrap();
    (mechanics, modes)
}

/// A plant of the gallery.
pub(crate) fn gallery(name: &str) -> Plant {
    gambol_plant::find_plant(name).unwrap().plant()
}
