//! `gambol stiffness`: the smallest stiffness that carries a creature's weight.

use std::io::Write;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use gambol_anatomy::{StandSettings, WeightReport, WeightStatus, stiffness_from_weight};
use gambol_dynamics::Data;
use serde::Serialize;

use super::creature::ElasticArguments;
use super::{Failure, write_json};

/// Finds the smallest uniform scaling of the stiffness with which the creature stands under its own weight
#[derive(Args)]
#[command(
    after_help = "The posture counts as kept while the centre of mass sinks by at most --sag of its height and \
    no joint gives\nby more than --deflection. The equilibrium is solved for, not simulated.\n\n\
    Examples:\n  gambol stiffness dog\n  gambol stiffness human --pose run --sag 3\n  \
    gambol stiffness robot.xml --stiffness 20 --json"
)]
pub(super) struct StiffnessVerb {
    #[command(flatten)]
    body: ElasticArguments,

    /// Largest drop of the centre of mass, percent of its height
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0)]
    sag: f64,

    /// Largest turn of a joint, degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 15.0)]
    deflection: f64,

    /// Coefficient of friction with the ground
    #[arg(long, value_name = "MU", default_value_t = 1.0)]
    friction: f64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct StiffnessJson<'a> {
    name: &'a str,
    pose: &'a str,
    status: &'static str,
    scale: f64,
    suffices: bool,
    sag: f64,
    drop: f64,
    deflections: Vec<DeflectionJson<'a>>,
    reactions: Vec<ReactionJson<'a>>,
    weight: f64,
    stiffness: Vec<GroupJson<'a>>,
    qpos: &'a [f64],
}

#[derive(Serialize)]
struct DeflectionJson<'a> {
    joint: &'a str,
    amount: f64,
}

#[derive(Serialize)]
struct ReactionJson<'a> {
    name: &'a str,
    force: [f64; 3],
    slides: bool,
}

#[derive(Serialize)]
struct GroupJson<'a> {
    before: f64,
    after: f64,
    joints: &'a [String],
}

impl StiffnessVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let (creature, pose) = self.body.load()?;
        let settings = StandSettings {
            sag: self.sag / 100.0,
            deflection: self.deflection.to_radians(),
            friction: self.friction,
            ..StandSettings::default()
        };
        let mut data = Data::new(&creature);
        let report = stiffness_from_weight(&creature, &mut data, &pose.qpos, &settings)
            .map_err(|error| Failure::hinted(&error))?;
        if self.json {
            return write_json(out, &json(creature.name(), &pose.name, &report));
        }
        write_report(out, creature.name(), &report)
    }
}

fn status(report: &WeightReport) -> &'static str {
    match report.status {
        WeightStatus::Found => "found",
        WeightStatus::NoStiffnessNeeded => "no stiffness needed",
        WeightStatus::NeverStands => "never stands",
    }
}

fn json<'a>(name: &'a str, pose: &'a str, report: &'a WeightReport) -> StiffnessJson<'a> {
    let stand = &report.stand;
    StiffnessJson {
        name,
        pose,
        status: status(report),
        scale: report.scale,
        suffices: report.suffices,
        sag: stand.sag,
        drop: stand.drop,
        deflections: stand
            .deflections
            .iter()
            .map(|d| DeflectionJson { joint: &d.name, amount: d.amount })
            .collect(),
        reactions: stand
            .reactions
            .iter()
            .map(|r| ReactionJson { name: &r.name, force: r.force.into(), slides: r.slides })
            .collect(),
        weight: stand.weight,
        stiffness: report
            .groups
            .iter()
            .map(|group| GroupJson { before: group.before, after: group.after, joints: &group.members })
            .collect(),
        qpos: &stand.qpos,
    }
}

fn write_report(out: &mut impl Write, name: &str, report: &WeightReport) -> Result<(), Failure> {
    let stand = &report.stand;
    match report.status {
        WeightStatus::Found => {
            let own = if report.suffices {
                "its own stiffness is enough"
            } else {
                "its own stiffness is too small"
            };
            writeln!(out, "{name} stands with {:.3} times its stiffness; {own}", report.scale)?;
        }
        WeightStatus::NoStiffnessNeeded => {
            writeln!(out, "{name} keeps its posture with next to no stiffness")?;
        }
        WeightStatus::NeverStands => {
            writeln!(out, "{name} does not stand in this pose, however stiff it is")?;
        }
    }
    writeln!(out, "  sag {:.2} % of the height ({:.1} mm)", 100.0 * stand.sag, 1e3 * stand.drop)?;
    if let Some(worst) = stand.deflections.first() {
        writeln!(out, "  joint {} gives most, {:.1}°", worst.name, worst.amount.to_degrees())?;
    }
    if let Some(below) = &report.below {
        writeln!(out, "  with {:.3} times it {}", below.scale, below.status.name())?;
    }
    writeln!(out, "\n{}", group_table(report))?;
    if !stand.reactions.is_empty() {
        writeln!(out, "\n{}", reaction_table(report))?;
    }
    Ok(())
}

fn group_table(report: &WeightReport) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["stiffness", "needed", "joints"]);
    for group in &report.groups {
        let shown: Vec<&str> = group.members.iter().take(4).map(String::as_str).collect();
        let more = group.members.len().saturating_sub(4);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        table.add_row([group.before.to_string(), format!("{:.4}", group.after), shown.join(", ") + &more]);
    }
    right_align(&mut table, &[0, 1]);
    table
}

fn reaction_table(report: &WeightReport) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["on the ground", "carries", "of the weight", ""]);
    for reaction in &report.stand.reactions {
        let share = 100.0 * reaction.normal / report.stand.weight;
        let slides = if reaction.slides { "slides" } else { "" };
        table.add_row([
            &reaction.name,
            &format!("{:.1} N", reaction.normal),
            &format!("{share:.1} %"),
            slides,
        ]);
    }
    right_align(&mut table, &[1, 2]);
    table
}

fn right_align(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
