//! Any text as a plant: an error, or one that can be solved, read and drawn. The first byte says what kind of file it is.
#![no_main]

use gambol_formats::LoadOptions;
use gambol_formats::files::Memory;
use gambol_formats::plant::read_plant;
use gambol_plant::{
    AirSettings, Constants, Mechanics, Plant, PlantReader, WindBasis, WoodSettings, articulated, plant_modes,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (u8, &str)| {
    let (kind, text) = data;
    let name = ["fuzz.mtg", "fuzz.csv", "fuzz.swc", "fuzz.txt"][usize::from(kind % 4)];
    let options =
        LoadOptions { pipe: (kind & 4 != 0).then_some(0.01), unit: (kind & 8 != 0).then_some(0.01), ..LoadOptions::default() };
    let files = Memory::new().with(name, text);
    let Ok(file) = read_plant(&files, name, &options) else { return };
    let Ok(plant) = Plant::from_file(&file, options.pipe) else { return };
    if plant.len() > 60 {
        return;
    }
    if let Ok(spec) = articulated(&plant, &WoodSettings::default(), Constants::Disc, 1) {
        let _ = spec.build();
    }
    let Ok(mechanics) = Mechanics::new(&plant, &WoodSettings::default(), Constants::Disc) else { return };
    let Ok(modes) = plant_modes(&plant, &mechanics, 3) else { return };
    WindBasis::new(&mechanics, &modes, &AirSettings::default());
    let reader = PlantReader::new(&plant, &mechanics);
    modes.iter().for_each(|mode| drop(reader.read(mode)));
});
