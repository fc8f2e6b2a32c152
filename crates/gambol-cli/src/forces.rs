//! What a clip's forces are like, in words.

use comfy_table::Table;
use gambol_dynamics::{Data, Terrain};
use gambol_gait::{
    ForceError, ForceFigures, ForceSettings, Forces, Legs, StanceSettings, WorstResidual, forces,
};
use gambol_model::Creature;
use gambol_motion::Clip;

use super::table::plain;

/// The forces of a clip of a file, on level ground.
pub(super) fn measure(creature: &Creature, clip: &Clip) -> Result<Forces, ForceError> {
    let mut data = Data::new(creature);
    let legs = Legs::new(creature, &mut data, creature.rest_pose());
    let settings = (&ForceSettings::default(), &StanceSettings::default());
    forces(creature, &mut data, &legs, &Terrain::Flat, clip, settings)
}

/// A line for each figure.
pub(super) fn table(figures: &ForceFigures) -> Table {
    let mut table = plain(&[]);
    let mut row = |what: &str, value: String| {
        table.add_row([what.to_owned(), value]);
    };
    let residual = |rms: f64, worst: &WorstResidual, unit: &str| {
        format!("{rms:.3} {unit}, {:.2} at worst ({:.0} % of the clip)", worst.value, 100.0 * worst.cycle)
    };
    row("force from nowhere", residual(figures.residual_force, &figures.worst_force, "body weights"));
    row(
        "moment from nowhere",
        residual(figures.residual_moment, &figures.worst_moment, "body weights × height"),
    );
    let phase = figures
        .low_in_stance()
        .map_or("", |low| if low { ", lowest over standing feet" } else { ", highest over standing feet" });
    row(
        "centre of mass",
        format!(
            "{:.3} m high, swings by {:.1} % of that{phase}",
            figures.com_height,
            100.0 * figures.com_swing
        ),
    );
    row("trunk", format!("swings by {:.1} % of its height", 100.0 * figures.trunk_swing));
    let cost =
        figures.cost_of_transport.map(|cost| format!("; cost of transport {cost:.3}")).unwrap_or_default();
    row(
        "work of the joints",
        format!("{:.4} J given, {:.4} J taken{cost}", figures.positive_work, figures.negative_work),
    );
    table
}

/// A foot's share of the load and the most that it takes, in words.
pub(super) fn carries(load: Option<f64>, peak: Option<f64>) -> [String; 2] {
    let load = load.map(|load| format!("{:.0} %", 100.0 * load));
    [load.unwrap_or_default(), peak.map(|peak| format!("{peak:.2} weights")).unwrap_or_default()]
}

/// Low or high over standing feet.
pub(super) fn phase_word(figures: &ForceFigures) -> &'static str {
    figures.low_in_stance().map_or("–", |low| if low { "low" } else { "high" })
}
