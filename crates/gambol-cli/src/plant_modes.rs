//! `gambol modes` of a plant.

use std::io::Write;
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use gambol_formats::{npz, write_file};
use gambol_modes::Damping;
use gambol_plant::{
    Mechanics, Plant, PlantMode, PlantReader, PlantReading, WindBasis, plant_mode_sheet, plant_modes,
};
use serde::Serialize;

use super::plant_settings::{AirArguments, WoodArguments};
use super::{Failure, write_json, written};

/// As many as the paper takes of its walnut.
const COUNT: usize = 25;

/// What is asked of a plant.
pub(super) struct Question<'a> {
    pub(super) count: Option<usize>,
    pub(super) damping: Option<Damping>,
    pub(super) json: bool,
    pub(super) npz: Option<&'a Path>,
    pub(super) sheet: Option<&'a Path>,
    pub(super) force: bool,
}

#[derive(Serialize)]
struct PlantModesJson<'a> {
    name: &'a str,
    kind: &'static str,
    mass: f64,
    nodes: usize,
    loose_pieces: usize,
    height: f64,
    /// C = ½ ρ C_D, kg/m³; the projection has it as a factor.
    drag_constant: f64,
    frequencies: Vec<f64>,
    projection: Vec<[f64; 3]>,
    modes: Vec<PlantModeJson<'a>>,
}

#[derive(Serialize)]
struct PlantModeJson<'a> {
    index: usize,
    frequency: f64,
    #[serde(flatten)]
    reading: &'a PlantReading,
    projection: [f64; 3],
    /// m, of the node that moves most, per unit of the mode's coordinate
    reach: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    damping_ratio: Option<f64>,
}

pub(super) fn run(
    plant: &Plant,
    wood: &WoodArguments,
    air: &AirArguments,
    question: &Question<'_>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let refused = |error: gambol_model::SettingError| Failure::Failed(error.to_string());
    let (wood, constants) = (wood.settings().map_err(refused)?, wood.constants());
    let air = air.settings().map_err(refused)?;
    let mechanics = Mechanics::new(plant, &wood, constants)?;
    let most = 6 * (plant.len() - 1);
    let modes = plant_modes(plant, &mechanics, question.count.unwrap_or(COUNT.min(most)))?;
    let basis = WindBasis::new(&mechanics, &modes, &air);
    let reader = PlantReader::new(plant, &mechanics);
    let readings: Vec<PlantReading> = modes.iter().map(|mode| reader.read(mode)).collect();
    if let Some(file) = question.sheet {
        let caption = |(index, (mode, reading)): (usize, (&PlantMode, &PlantReading))| {
            format!("u{index}  {:.3} Hz  {}", mode.frequency(), reading.name)
        };
        let captions: Vec<String> = modes.iter().zip(&readings).enumerate().map(caption).collect();
        written::picture(file, &plant_mode_sheet(plant, &modes, &captions), question.force)?;
    }
    if let Some(file) = question.npz {
        write_file(file, &arrays(plant, &modes, &basis)?, question.force)?;
        written::tell(file, &written::count(modes.len(), "mode"));
    }
    let ratio = |mode: &PlantMode| {
        let omega = mode.omega_squared.sqrt();
        question.damping.map(|damping| 0.5 * (damping.mass / omega + damping.stiffness * omega))
    };
    if question.json {
        let mut told = Vec::with_capacity(modes.len());
        for (index, (mode, reading)) in modes.iter().zip(&readings).enumerate() {
            told.push(PlantModeJson {
                index,
                frequency: mode.frequency(),
                reading,
                projection: basis.projection[index].into(),
                reach: mode.reach(),
                damping_ratio: ratio(mode),
            });
        }
        return write_json(
            out,
            &PlantModesJson {
                name: &plant.name,
                kind: "plant",
                mass: mechanics.total_mass(),
                nodes: plant.len(),
                loose_pieces: plant.loose_pieces,
                height: plant.height(),
                drag_constant: air.constant(),
                frequencies: modes.iter().map(PlantMode::frequency).collect(),
                projection: basis.projection.iter().map(|p| (*p).into()).collect(),
                modes: told,
            },
        );
    }
    writeln!(
        out,
        "{}: {} nodes, {:.4} kg of wood, {} modes\n",
        plant.name,
        plant.len(),
        mechanics.total_mass(),
        modes.len()
    )?;
    let mut table = Table::new();
    let mut header = vec!["mode", "Hz", "name", "|p|/C", "energy by order"];
    if question.damping.is_some() {
        header.push("damping");
    }
    table.load_style(presets::NOTHING).set_header(header);
    for (index, (mode, reading)) in modes.iter().zip(&readings).enumerate() {
        let shares: Vec<String> =
            reading.energy_by_order.iter().map(|share| format!("{:.0}%", 100.0 * share)).collect();
        let strength = basis.projection[index].norm() / air.constant().max(f64::MIN_POSITIVE);
        let mut row = vec![
            format!("u{index}"),
            format!("{:.4}", mode.frequency()),
            reading.name.clone(),
            format!("{strength:.3}"),
            shares.join(" "),
        ];
        row.extend(ratio(mode).map(|ratio| format!("{ratio:.4}")));
        table.add_row(row);
    }
    for column in [1, 3, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    Ok(writeln!(out, "{table}")?)
}

/// `nodes` (n × 3), `parents` (n, −1 for the root), `element_radii` (n, 0 for the root), `frequencies` (k), `shapes` (k × n × 3),
/// `projection` (k × 3), `residual` (3 × n × 3).
fn arrays(plant: &Plant, modes: &[PlantMode], basis: &WindBasis) -> Result<Vec<u8>, Failure> {
    let n = plant.len();
    let nodes: Vec<f64> = plant.nodes.iter().flat_map(|node| [node.x, node.y, node.z]).collect();
    let index = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    let parents: Vec<i64> = plant
        .parents
        .iter()
        .enumerate()
        .map(|(node, parent)| if node == 0 { -1 } else { index(*parent) })
        .collect();
    let radii: Vec<f64> =
        plant.radii.iter().enumerate().map(|(node, radius)| if node == 0 { 0.0 } else { *radius }).collect();
    let frequencies: Vec<f64> = modes.iter().map(PlantMode::frequency).collect();
    let shapes: Vec<f64> =
        modes.iter().flat_map(|mode| mode.shape.iter().flat_map(|u| [u[0], u[1], u[2]])).collect();
    let projection: Vec<f64> = basis.projection.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    let residual: Vec<f64> = basis.residual.iter().flatten().flat_map(|u| [u.x, u.y, u.z]).collect();
    let numbers = |name, shape, values| npz::Array { name, shape, values: npz::Values::Numbers(values) };
    Ok(npz::to_bytes(&[
        numbers("nodes", vec![n, 3], &nodes),
        npz::Array { name: "parents", shape: vec![n], values: npz::Values::Integers(&parents) },
        numbers("element_radii", vec![n], &radii),
        numbers("frequencies", vec![modes.len()], &frequencies),
        numbers("shapes", vec![modes.len(), n, 3], &shapes),
        numbers("projection", vec![modes.len(), 3], &projection),
        numbers("residual", vec![3, n, 3], &residual),
    ])?)
}
