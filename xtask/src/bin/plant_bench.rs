//! `plant_bench PLANT FILE.npz TREES NODES`: times a plant's way to its wind basis, and a forest of it, and writes the plant for its
//! peer. Prints one JSON object; times in s, the best of a few.

use std::time::Instant;

use gambol::LoadOptions;
use gambol::formats::{npz, write_file};
use gambol::plant::{
    AirSettings, Constants, Forest, ForestSettings, Mechanics, PlantMode, Planting, SwaySettings, Wind,
    WindBasis, WoodSettings, plant_modes, stand_of,
};
use serde_json::json;

const MODES: usize = 25;
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [plant, file, trees, nodes] = arguments.as_slice() else {
        return Err("plant_bench PLANT FILE.npz TREES NODES".into());
    };
    let (trees, nodes): (usize, usize) = (trees.parse()?, nodes.parse()?);
    let plant = gambol::load_plant(plant, &LoadOptions::default())?.ok_or("that is no plant")?;
    let air = AirSettings::default();
    let mut basis_s = f64::MAX;
    let mut solved = None;
    for _ in 0..3 {
        let start = Instant::now();
        let mechanics = Mechanics::new(&plant, &WoodSettings::default(), Constants::Disc)?;
        let modes = plant_modes(&plant, &mechanics, MODES)?;
        let basis = WindBasis::new(&mechanics, &modes, &air);
        basis_s = basis_s.min(start.elapsed().as_secs_f64());
        solved = Some((modes, basis));
    }
    let (modes, basis) = solved.ok_or("no round")?;
    let wind = Wind::from_bearing(8.0, 270.0);
    let stand = stand_of(&plant, trees, 1, Planting::Wood, &ForestSettings::default())?;
    let mut forest = Forest::new(&plant, (&modes, &basis), stand, nodes, &SwaySettings::default(), &wind)?;
    let mut moved = Vec::new();
    let (mut oscillators, mut displacements) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        forest.step_oscillators(wind.mean());
        oscillators = oscillators.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        forest.displacements(MODES, &mut moved);
        displacements = displacements.min(start.elapsed().as_secs_f64());
    }
    let places: Vec<f64> = plant.nodes.iter().flat_map(|node| [node.x, node.y, node.z]).collect();
    let parents: Vec<i64> =
        plant.parents.iter().map(|parent| i64::try_from(*parent)).collect::<Result<_, _>>()?;
    let bytes = npz::to_bytes(&[
        npz::Array { name: "nodes", shape: vec![plant.len(), 3], values: npz::Values::Numbers(&places) },
        npz::Array { name: "parents", shape: vec![plant.len()], values: npz::Values::Integers(&parents) },
        npz::Array {
            name: "element_radii",
            shape: vec![plant.len()],
            values: npz::Values::Numbers(&plant.radii),
        },
    ])?;
    write_file(file, &bytes, true)?;
    let projection: Vec<f64> = basis.projection.iter().map(|p| p.norm() / air.constant()).collect();
    let told = json!({
        "nodes": plant.len(),
        "forest_nodes": forest.detail.kept.len(),
        "basis": basis_s,
        "oscillators": oscillators,
        "displacements": displacements,
        "frequencies": modes.iter().map(PlantMode::frequency).collect::<Vec<_>>(),
        "projection": projection,
    });
    println!("{told}");
    Ok(())
}
