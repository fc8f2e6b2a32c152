//! What a simulation did, for people and for programs.

use std::io::Write;

use comfy_table::Table;
use gambol_control::locomotion::Fall;
use gambol_control::{Budget, Rollout, Status, Touching, Wave};
use gambol_dynamics::{Energy, World};
use serde::Serialize;

use super::Scene;
use super::legged::{self, BalanceJson};
use crate::Failure;
use crate::table::{plain, right_align};

#[derive(Serialize)]
pub(super) struct ReportJson<'a> {
    creature: &'a str,
    control: &'a str,
    status: &'static str,
    /// Where and why, if it diverged.
    divergence: Option<DivergenceJson<'a>>,
    /// s
    seconds: f64,
    /// s
    step: f64,
    steps: usize,
    /// Of the centre of mass, m.
    displacement: [f64; 3],
    /// m/s
    mean_speed: f64,
    heights: HeightsJson,
    contacts: Vec<ContactJson<'a>>,
    energy: EnergyJson,
    cost_of_transport: Option<f64>,
    modes: Vec<WaveJson>,
    /// Of a controller that was found for a sketch.
    cycles: Option<CyclesJson<'a>>,
    /// Of a creature that balances on its legs.
    #[serde(flatten)]
    balance: Option<BalanceJson>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct DivergenceJson<'a> {
    body: &'a str,
    /// s
    time: f64,
    reason: &'a str,
}

/// Over the ground, m.
#[derive(Serialize)]
struct HeightsJson {
    least: f64,
    mean: f64,
    most: f64,
    lowest_point: Option<f64>,
}

#[derive(Serialize)]
struct ContactJson<'a> {
    name: &'a str,
    /// Share of the time.
    duty: f64,
    /// Mean upward force, N.
    load: f64,
    /// s
    intervals: &'a [[f64; 2]],
}

/// J. start + drive + pushes = end + damping + contact
#[derive(Serialize)]
struct EnergyJson {
    start: PartsJson,
    end: PartsJson,
    drive: f64,
    positive_drive: f64,
    pushes: f64,
    damping: f64,
    contact: f64,
}

#[derive(Serialize)]
struct PartsJson {
    kinetic: f64,
    gravity: f64,
    elastic: f64,
    total: f64,
}

#[derive(Serialize)]
struct CyclesJson<'a> {
    /// s
    period: f64,
    simulated: f64,
    /// Whether its bursts were corrected.
    balance: bool,
    /// Until it fell.
    upright: f64,
    fall: Option<FallJson<'a>>,
}

#[derive(Serialize)]
struct FallJson<'a> {
    /// s
    time: f64,
    /// What touched the ground and is no foot; none: its centre of mass came below half of its height at rest.
    body: Option<&'a str>,
}

#[derive(Serialize)]
struct WaveJson {
    index: usize,
    /// rad
    amplitude: f64,
    /// rad
    phase: f64,
    /// Hz
    frequency: f64,
}

impl From<Energy> for PartsJson {
    fn from(energy: Energy) -> Self {
        let total = energy.total();
        Self { kinetic: energy.kinetic, gravity: energy.gravity, elastic: energy.elastic, total }
    }
}

pub(super) fn json<'a>(world: &'a World, scene: &'a Scene, rollout: &'a Rollout) -> ReportJson<'a> {
    let report = &rollout.report;
    let Budget { start, end, drive, positive_drive, pushes, damping, contact } = report.budget;
    let (status, divergence) = match &rollout.status {
        Status::Finished | Status::Stopped => ("finished", None),
        Status::Diverged(d) => {
            let divergence = DivergenceJson { body: &d.body, time: d.time, reason: &d.reason };
            ("diverged", Some(divergence))
        }
    };
    let status = scene.balancing.as_ref().map_or(status, |balancing| balancing.status(world, rollout));
    let touching = |touching: &'a Touching| ContactJson {
        name: &touching.name,
        duty: touching.duty,
        load: touching.load,
        intervals: &touching.intervals,
    };
    let wave = |wave: &Wave| WaveJson {
        index: wave.mode,
        amplitude: wave.amplitude,
        phase: wave.phase,
        frequency: wave.frequency,
    };
    ReportJson {
        creature: world.creature().name(),
        control: &scene.name,
        status,
        divergence,
        seconds: report.seconds,
        step: world.settings().step,
        steps: report.steps,
        displacement: report.displacement.into(),
        mean_speed: report.mean_speed,
        heights: HeightsJson {
            least: report.heights.least,
            mean: report.heights.mean,
            most: report.heights.most,
            lowest_point: report.heights.lowest_point,
        },
        contacts: report.touching.iter().map(touching).collect(),
        energy: EnergyJson {
            start: start.into(),
            end: end.into(),
            drive,
            positive_drive,
            pushes,
            damping,
            contact,
        },
        cost_of_transport: report.cost_of_transport,
        modes: scene.waves.iter().map(wave).collect(),
        cycles: scene.cycles.as_ref().map(|cycles| {
            let fall = cycles.fall(world, rollout);
            CyclesJson {
                period: cycles.period,
                balance: cycles.balance,
                simulated: report.seconds / cycles.period,
                upright: fall.as_ref().map_or(report.seconds, |fall| fall.time) / cycles.period,
                fall: fall
                    .map(|Fall { time, body }| FallJson { time, body: body.map(|body| name(world, body)) }),
            }
        }),
        balance: scene.balancing.as_ref().and_then(|balancing| balancing.json(world, rollout)),
        warnings: &scene.warnings,
    }
}

pub(super) fn write(
    out: &mut impl Write,
    world: &World,
    scene: &Scene,
    rollout: &Rollout,
) -> Result<(), Failure> {
    let report = &rollout.report;
    let [x, y, z]: [f64; 3] = report.displacement.into();
    writeln!(
        out,
        "{} {}: {:.3} m/s over {:.3} s in {} steps of {} s",
        world.creature().name(),
        scene.name,
        report.mean_speed,
        report.seconds,
        report.steps,
        world.settings().step
    )?;
    if let Status::Diverged(divergence) = &rollout.status {
        writeln!(out, "  diverged {divergence}")?;
    }
    for Wave { mode, amplitude, phase, frequency } in &scene.waves {
        let phase = phase.to_degrees();
        writeln!(out, "  mode u{mode}: {amplitude:.3} rad at {frequency:.3} Hz, {phase:.0}°")?;
    }
    if let Some(cycles) = &scene.cycles {
        let simulated = report.seconds / cycles.period;
        let how = if cycles.balance { "with corrections" } else { "by the clock alone" };
        match cycles.fall(world, rollout) {
            None => writeln!(out, "  {how} it stayed up for all {simulated:.2} cycles")?,
            Some(Fall { time, body }) => {
                let count = time / cycles.period;
                let what = body.map_or("it had sunk".to_owned(), |body| {
                    format!("{} touched the ground", name(world, body))
                });
                writeln!(
                    out,
                    "  {how} it stayed up for {count:.2} of {simulated:.2} cycles; at {time:.2} s {what}"
                )?;
            }
        }
    }
    if let Some(balancing) = &scene.balancing {
        match balancing.fall(world, rollout) {
            None => writeln!(out, "  it stayed up, by its own torques")?,
            Some(fall) => writeln!(out, "  {}", legged::told(world, &fall))?,
        }
    }
    let mut table = plain(&[]);
    let mut row = |what: &str, value: String| {
        table.add_row([what.to_owned(), value]);
    };
    row("way of the centre of mass", format!("{x:.3} {y:.3} {z:.3} m"));
    let heights = &report.heights;
    let (least, mean, most) = (heights.least, heights.mean, heights.most);
    row("its height", format!("{mean:.3} m in the mean, {least:.3} to {most:.3}"));
    if let Some(lowest) = heights.lowest_point {
        row("lowest point over the ground", format!("{:.3} mm", 1e3 * lowest));
    }
    let transport =
        report.cost_of_transport.map_or_else(|| "it does not travel".to_owned(), |c| format!("{c:.3}"));
    row("cost of transport", transport);
    writeln!(out, "\n{table}\n\n{}", energy(&report.budget))?;
    if !report.touching.is_empty() {
        writeln!(out, "\n{}", contacts(&report.touching))?;
    }
    Ok(())
}

fn name(world: &World, body: usize) -> &str {
    &world.creature().bodies()[body].name
}

fn energy(budget: &Budget) -> Table {
    let mut table = plain(&["energy", "J"]);
    let mut row = |what: &str, joules: f64| {
        table.add_row([what.to_owned(), format!("{joules:.4}")]);
    };
    row("at the start", budget.start.total());
    row("drive", budget.drive);
    row("  of which positive", budget.positive_drive);
    row("pushes", budget.pushes);
    row("lost in dampers", -budget.damping);
    row("lost in contacts and limits", -budget.contact);
    row("at the end", budget.end.total());
    row("  in motion", budget.end.kinetic);
    row("  in gravity", budget.end.gravity);
    row("  in springs", budget.end.elastic);
    right_align(&mut table, &[1]);
    table
}

fn contacts(touching: &[Touching]) -> Table {
    let mut table = plain(&["on the ground", "of the time", "times", "mean load"]);
    for touching in touching {
        table.add_row([
            touching.name.clone(),
            format!("{:.1} %", 100.0 * touching.duty),
            touching.intervals.len().to_string(),
            format!("{:.2} N", touching.load),
        ]);
    }
    right_align(&mut table, &[1, 2, 3]);
    table
}
