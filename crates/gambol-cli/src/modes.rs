//! `gambol modes`: the natural vibrations of a creature.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use gambol::render::{hertz, vibration_sheet};
use gambol_dynamics::Data;
use gambol_formats::{npz, write_file};
use gambol_model::Creature;
use gambol_modes::{Damping, Reader, Reading, Settings, analyze, parse_constraint};
use gambol_motion::{Basis, Direction};
use gambol_plant::Plant;
use serde::Serialize;

use super::creature::ElasticArguments;
use super::hint::told;
use super::plant_settings::{AirArguments, WoodArguments};
use super::{Failure, plant_modes, write_json, written};

/// Computes the natural vibrations of a creature: rigid motions first, then by frequency
#[derive(Args)]
#[command(
    after_help = "Constraints: ground:foot.left pins a point, orientation:head keeps a body's orientation,\n\
    hands:cart puts all hands on a cart that slides forward, weld:A,B and connect:A,B join bodies.\n\n\
    Examples:\n  gambol modes dog --count 12\n  gambol modes dog --sheet dog-modes.png\n  \
    gambol modes robot.xml --stiffness 20 --scale 'spine.*=5' --json\n  \
    gambol modes walnut.mtg --count 25 --sheet walnut.png\n  gambol modes human --pose run --constrain orientation:head --npz run.npz"
)]
pub(super) struct ModesVerb {
    #[command(flatten)]
    body: ElasticArguments,

    /// How many modes, the rigid ones included; all of them if not given, 25 of a plant
    #[arg(long, value_name = "N")]
    count: Option<usize>,

    /// A constraint for this analysis; may be given several times
    #[arg(long, value_name = "C")]
    constrain: Vec<String>,

    /// Rayleigh damping a,b of C = a M + b K (1/s, s): adds damped frequencies and decay times
    #[arg(long, value_name = "A,B", value_parser = rayleigh)]
    damping: Option<Damping>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Write frequencies and shapes for NumPy
    #[arg(long, value_name = "FILE.npz")]
    npz: Option<PathBuf>,

    #[command(flatten)]
    wood: WoodArguments,

    #[command(flatten)]
    air: AirArguments,

    /// Draw a contact sheet: each vibration's two extreme poses over each other
    #[arg(long, value_name = "FILE.png|.svg")]
    sheet: Option<PathBuf>,

    /// Replace existing files
    #[arg(long)]
    force: bool,
}

fn rayleigh(text: &str) -> Result<Damping, String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|x| x.trim().parse().map_err(|_| format!("{x:?} is not a number")))
        .collect::<Result<_, _>>()?;
    match numbers[..] {
        [mass, stiffness] if mass >= 0.0 && stiffness >= 0.0 && (mass + stiffness).is_finite() => {
            Ok(Damping { mass, stiffness })
        }
        _ => Err("expected two numbers of at least 0, a,b".to_owned()),
    }
}

#[derive(Serialize)]
struct ModesJson<'a> {
    name: &'a str,
    pose: &'a str,
    dof: usize,
    rigid: usize,
    frequencies: Vec<f64>,
    joint_names: Vec<&'a str>,
    modes: Vec<ModeJson<'a>>,
}

#[derive(Serialize)]
struct ModeJson<'a> {
    index: usize,
    frequency: f64,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    damping_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damped_frequency: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decay_time: Option<f64>,
    symmetry: &'static str,
    symmetry_measure: f64,
    plane: &'static str,
    limbs: Vec<LimbJson<'a>>,
    participation: &'a [f64],
    strongest: Option<StrongestJson<'a>>,
    shape: &'a [f64],
}

/// Share of a limb in the energy of a mode.
#[derive(Serialize)]
struct LimbJson<'a> {
    name: &'a str,
    elastic: f64,
    kinetic: f64,
}

/// The landmark that moves most, m per rad of the joint that moves most.
#[derive(Serialize)]
struct StrongestJson<'a> {
    landmark: &'a str,
    direction: [f64; 3],
    distance: f64,
}

impl ModesVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(plant) = self.body.load_plant()? {
            return self.run_plant(&plant, out);
        }
        if self.wood.is_given() || self.air.is_given() {
            return Err(Failure::Failed("only a plant has wood and feels the air".to_owned()));
        }
        let (creature, pose) = self.body.load()?;
        let mut data = Data::new(&creature);
        let constraints = self
            .constrain
            .iter()
            .map(|text| parse_constraint(&creature, &mut data, &pose.qpos, text))
            .collect::<Result<_, _>>()?;
        let settings = Settings { count: self.count, constraints };
        let modes = analyze(&creature, &mut data, &pose.qpos, &settings)?;
        let reader = Reader::new(&creature, &mut data, &pose.qpos)?;
        let readings: Vec<Reading> =
            modes.directions().iter().map(|mode| reader.read(&mut data, mode)).collect();

        if let Some(file) = &self.sheet {
            let sheet = vibration_sheet(&creature, &mut data, &modes, &readings)?;
            written::picture(file, &sheet, self.force)?;
        }
        if let Some(file) = &self.npz {
            write_file(file, &arrays(&creature, &modes, &readings)?, self.force)?;
            written::tell(file, &written::count(modes.directions().len(), "mode"));
        }
        if self.json {
            return write_json(out, &self.json(&creature, &pose.name, &modes, &readings));
        }
        writeln!(out, "{}: {} degrees of freedom, {} rigid", creature.name(), modes.dof(), modes.rigid())?;
        writeln!(out, "\n{}", self.table(&creature, &modes, &readings))?;
        for warning in creature.warnings() {
            eprintln!("gambol: warning: {}", told(warning));
        }
        Ok(())
    }

    fn run_plant(&self, plant: &Plant, out: &mut impl Write) -> Result<(), Failure> {
        if !self.constrain.is_empty() {
            return Err(Failure::Failed(
                "a plant is clamped at its root; it takes no --constrain".to_owned(),
            ));
        }
        let question = plant_modes::Question {
            count: self.count,
            damping: self.damping,
            json: self.json,
            npz: self.npz.as_deref(),
            sheet: self.sheet.as_deref(),
            force: self.force,
        };
        plant_modes::run(plant, &self.wood, &self.air, &question, out)
    }

    fn json<'a>(
        &self,
        creature: &'a Creature,
        pose: &'a str,
        modes: &'a Basis,
        readings: &'a [Reading],
    ) -> ModesJson<'a> {
        let mode = |(mode, reading): (&'a Direction, &'a Reading)| ModeJson {
            index: mode.index,
            frequency: modes.frequency(creature, mode),
            name: &reading.name,
            damping_ratio: self.damping.and_then(|damping| damping.ratio(mode)),
            damped_frequency: self.damping.map(|damping| damping.frequency(mode)),
            decay_time: self.damping.map(|damping| damping.decay_time(mode)).filter(|time| time.is_finite()),
            symmetry: reading.symmetry.name(),
            symmetry_measure: reading.symmetry_measure,
            plane: reading.plane.name(),
            limbs: reading.limbs.iter().map(limb_json).collect(),
            participation: &reading.joints,
            strongest: reading.strongest.as_ref().map(strongest_json),
            shape: &mode.shape,
        };
        ModesJson {
            name: creature.name(),
            pose,
            dof: modes.dof(),
            rigid: modes.rigid(),
            frequencies: frequencies(creature, modes),
            joint_names: creature.joints().iter().map(|joint| joint.name.as_str()).collect(),
            modes: modes.directions().iter().zip(readings).map(mode).collect(),
        }
    }

    fn table(&self, creature: &Creature, modes: &Basis, readings: &[Reading]) -> Table {
        let mut table = Table::new();
        let mut header = vec!["mode", "Hz", "name", "sides", "plane"];
        if self.damping.is_some() {
            header.extend(["damped Hz", "decay s"]);
        }
        table.load_style(presets::NOTHING).set_header(header);
        for (mode, reading) in modes.directions().iter().zip(readings) {
            let frequency = hertz(modes.frequency(creature, mode));
            let mut row = vec![mode.name.clone(), frequency, reading.name.clone()];
            row.extend([reading.symmetry.name(), reading.plane.name()].map(str::to_owned));
            if let Some(damping) = self.damping {
                row.push(hertz(damping.frequency(mode)));
                row.push(if mode.is_rigid() {
                    String::new()
                } else {
                    format!("{:.3}", damping.decay_time(mode))
                });
            }
            table.add_row(row);
        }
        for column in [1, 5, 6] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}

fn frequencies(creature: &Creature, modes: &Basis) -> Vec<f64> {
    modes.directions().iter().map(|mode| modes.frequency(creature, mode)).collect()
}

fn limb_json(limb: &gambol_modes::LimbShare) -> LimbJson<'_> {
    LimbJson { name: &limb.name, elastic: limb.elastic, kinetic: limb.kinetic }
}

fn strongest_json(strongest: &gambol_modes::Strongest) -> StrongestJson<'_> {
    StrongestJson {
        landmark: &strongest.landmark,
        direction: strongest.direction.into(),
        distance: strongest.distance,
    }
}

/// `frequencies` (n), `shapes` (n × nv), `names` (n), `rigid`, `qpos`, `joint_names`, and the first coordinate of each joint.
fn arrays(creature: &Creature, modes: &Basis, readings: &[Reading]) -> Result<Vec<u8>, Failure> {
    let frequencies = frequencies(creature, modes);
    let shapes: Vec<f64> = modes.directions().iter().flat_map(|mode| mode.shape.iter().copied()).collect();
    let names: Vec<String> = creature.joints().iter().map(|joint| joint.name.clone()).collect();
    let index = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    let mode_names: Vec<String> = readings.iter().map(|reading| reading.name.clone()).collect();
    let first: Vec<i64> = creature.joints().iter().map(|joint| index(joint.v)).collect();
    let bytes = npz::to_bytes(&[
        npz::Array {
            name: "frequencies",
            shape: vec![frequencies.len()],
            values: npz::Values::Numbers(&frequencies),
        },
        npz::Array {
            name: "shapes",
            shape: vec![modes.directions().len(), creature.nv()],
            values: npz::Values::Numbers(&shapes),
        },
        npz::Array { name: "rigid", shape: vec![], values: npz::Values::Integers(&[index(modes.rigid())]) },
        npz::Array {
            name: "qpos",
            shape: vec![modes.mean().len()],
            values: npz::Values::Numbers(modes.mean()),
        },
        npz::Array { name: "names", shape: vec![mode_names.len()], values: npz::Values::Text(&mode_names) },
        npz::Array { name: "joint_names", shape: vec![names.len()], values: npz::Values::Text(&names) },
        npz::Array { name: "joint_qvel", shape: vec![first.len()], values: npz::Values::Integers(&first) },
    ])?;
    Ok(bytes)
}
