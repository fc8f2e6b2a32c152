//! `gambol gallery`: the creatures that come with gambol, their gaits and sketches.

use std::io::Write;

use clap::Args;
use comfy_table::{Table, presets};
use gambol_gait::{Body, Style, gaits_for};
use gambol_plant::PLANTS;
use serde::Serialize;

use super::plant_report::PlantReport;
use super::{Failure, write_json};
use gambol::gallery::{ENTRIES, find, names, sketch, sketches};
use gambol::{LoadOptions, load};

/// Lists the creatures that come with gambol, their gaits and sketches, or prints the MJCF of one
#[derive(Args)]
#[command(
    after_help = "Examples:\n  gambol gallery\n  gambol gallery dog > my-dog.xml\n  gambol gallery --sketch runner > my-sketch.toml"
)]
pub(super) struct Gallery {
    /// Print the MJCF file of this creature
    #[arg(conflicts_with = "json")]
    name: Option<String>,

    /// Print the sketch with this name, for `gambol optimize`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["json", "name"])]
    sketch: Option<String>,

    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    about: &'static str,
    bodies: usize,
    joints: usize,
    dof: usize,
    mass: f64,
    poses: Vec<String>,
    gaits: Vec<String>,
    /// Of controllers.
    sketches: Vec<&'static str>,
}

impl Gallery {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(name) = &self.name {
            let entry = find(name).ok_or_else(|| {
                Failure::Failed(format!("the gallery has no {name:?}; it has {}", names().join(", ")))
            })?;
            return Ok(out.write_all(entry.mjcf.as_bytes())?);
        }
        if let Some(name) = &self.sketch {
            let text = sketch(name).ok_or_else(|| {
                let known = sketches().join(", ");
                Failure::Failed(format!("the gallery has no sketch {name:?}; it has {known}"))
            })?;
            return Ok(out.write_all(text.as_bytes())?);
        }
        let rows = ENTRIES.iter().map(|entry| row(entry.name, entry.about)).collect::<Result<Vec<_>, _>>()?;
        if self.json {
            return write_json(out, &rows);
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(["creature", "bodies", "DOF", "mass", ""]);
        for row in &rows {
            let mass = format!("{:.3} kg", row.mass);
            table.add_row([row.name, &row.bodies.to_string(), &row.dof.to_string(), &mass, row.about]);
        }
        let mut gaits = Table::new();
        gaits.load_style(presets::NOTHING).set_header(["creature", "gaits"]);
        for row in &rows {
            gaits.add_row([row.name, &row.gaits.join(", ")]);
        }
        let mut controllers = Table::new();
        controllers.load_style(presets::NOTHING).set_header(["creature", "sketches"]);
        for row in rows.iter().filter(|row| !row.sketches.is_empty()) {
            controllers.add_row([row.name, &row.sketches.join(", ")]);
        }
        let mut plants = Table::new();
        plants.load_style(presets::NOTHING).set_header(["plant", "nodes", "height", "mass", ""]);
        for entry in &PLANTS {
            let report = PlantReport::new(&entry.plant())?;
            let (height, mass) = (format!("{:.2} m", report.height), format!("{:.3} kg", report.mass));
            plants.add_row([entry.name, &report.nodes.to_string(), &height, &mass, entry.about]);
        }
        Ok(writeln!(out, "{table}\n\n{gaits}\n\n{controllers}\n\n{plants}")?)
    }
}

fn row(name: &'static str, about: &'static str) -> Result<Row, Failure> {
    let creature = load(name, &LoadOptions::default()).map_err(|error| Failure::hinted(&error))?;
    let mut data = gambol_dynamics::Data::new(&creature);
    let dof = gambol_dynamics::degrees_of_freedom(&creature, &mut data, creature.reference_pose());
    let body = Body::new(creature.clone(), &mut data, &Style::default())?;
    let gaits = gaits_for(&body, &mut data).into_iter();
    Ok(Row {
        name,
        about,
        bodies: creature.bodies().len() - 1,
        joints: creature.joints().len(),
        dof,
        mass: creature.mass(),
        poses: creature.poses().iter().map(|pose| pose.name.clone()).collect(),
        gaits: gaits.filter(|(_, suits)| suits.is_ok()).map(|(gait, _)| gait).collect(),
        sketches: sketches().into_iter().filter(|sketch| made_for(sketch) == Some(name)).collect(),
    })
}

/// The creature of a sketch of the gallery.
fn made_for(name: &str) -> Option<&'static str> {
    let mut lines = sketch(name)?.lines();
    lines.find_map(|line| line.strip_prefix("creature = \"")?.split('"').next())
}
