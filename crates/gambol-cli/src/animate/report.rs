//! What was measured on a clip, for people and for programs.

use std::io::Write;

use comfy_table::Table;
use gambol_gait::{Body, Felt, FootReport, Gait, Performance, Report};
use serde::Serialize;

use super::Show;
use crate::table::{plain, right_align};
use crate::{Failure, forces};

/// Letters of a cycle in the footfall diagram.
const BAR: usize = 40;

#[derive(Serialize)]
pub(super) struct ReportJson<'a> {
    name: &'a str,
    creature: &'a str,
    /// How it goes with its own clips; not there where its size alone counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    tempo: Option<&'a Felt>,
    /// Under which all was made and measured, m/s².
    gravity: f64,
    modes: Vec<ModeJson<'a>>,
    #[serde(flatten)]
    report: &'a Report,
    seconds: f64,
    frames: usize,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct ModeJson<'a> {
    index: usize,
    name: &'a str,
    /// Natural, Hz; it moves at `harmonic` times the stride frequency.
    frequency: f64,
    /// rad
    amplitude: f64,
    /// rad
    phase: f64,
    harmonic: u32,
    /// rad
    offset: f64,
}

pub(super) fn json<'a>(show: &'a Show) -> ReportJson<'a> {
    let Show { felt, body, gait, names, performance } = show;
    let mode = |(component, name): (&gambol_gait::Component, &'a String)| ModeJson {
        index: component.mode,
        name,
        frequency: body.basis.frequency(&body.creature, &body.basis.directions()[component.mode]),
        amplitude: component.amplitude,
        phase: component.phase,
        harmonic: component.harmonic,
        offset: component.offset,
    };
    ReportJson {
        name: &gait.name,
        creature: body.creature.name(),
        tempo: felt.as_ref(),
        gravity: body.creature.gravity().norm(),
        modes: gait.components.iter().zip(names).map(mode).collect(),
        report: &performance.report,
        seconds: performance.clip.duration(),
        frames: performance.clip.times.len(),
        warnings: &performance.warnings,
    }
}

pub(super) fn write(out: &mut impl Write, show: &Show) -> Result<(), Failure> {
    let Show { felt, body, gait, names, performance } = show;
    let Performance { clip, report, .. } = performance;
    let froude = report.froude.map(|froude| format!(", Froude number {froude:.2}")).unwrap_or_default();
    writeln!(out, "{} {}: {:.3} m/s{froude}", body.creature.name(), gait.name, report.speed)?;
    writeln!(
        out,
        "  strides of {:.3} m, {:.3} per second; {} keys in {:.3} s",
        report.stride_length,
        report.stride_frequency,
        clip.times.len(),
        clip.duration()
    )?;
    if let Some(felt) = felt {
        writeln!(out, "  {}", felt.taken())?;
    }
    writeln!(out, "\n{}", modes(body, gait, names))?;
    if !report.feet.is_empty() {
        writeln!(out, "\n{}", feet(&report.feet))?;
    }
    writeln!(out, "\n{}", quality(performance))?;
    if let Some(forces) = &performance.forces {
        writeln!(out, "\n{}", forces::table(&forces.figures))?;
    }
    Ok(())
}

fn modes(body: &Body, gait: &Gait, names: &[String]) -> Table {
    let mut table = plain(&["mode", "name", "natural Hz", "moves at Hz", "amplitude", "phase", "offset"]);
    for (component, name) in gait.components.iter().zip(names) {
        let offset =
            if component.offset == 0.0 { String::new() } else { format!("{:.3} rad", component.offset) };
        table.add_row([
            format!("u{}", component.mode),
            name.clone(),
            format!("{:.3}", body.basis.frequency(&body.creature, &body.basis.directions()[component.mode])),
            format!("{:.3}", f64::from(component.harmonic) * gait.frequency),
            format!("{:.3} rad", component.amplitude),
            format!("{:.0}°", component.phase.to_degrees().rem_euclid(360.0)),
            offset,
        ]);
    }
    right_align(&mut table, &[2, 3, 4, 5, 6]);
    table
}

/// Hildebrand's diagram: a line of one cycle per foot, dark while it stands.
fn feet(feet: &[FootReport]) -> Table {
    let mut table = plain(&["foot", "stands", "from", "to", "carries", "at most", "one cycle"]);
    for foot in feet {
        let ends = |end: usize| -> String {
            let ends: Vec<String> = foot.stance.iter().map(|stance| format!("{:.3}", stance[end])).collect();
            ends.join(" ")
        };
        let duty = format!("{:.0} %", 100.0 * foot.duty);
        let [load, peak] = forces::carries(foot.load, foot.peak_force);
        table.add_row([foot.name.clone(), duty, ends(0), ends(1), load, peak, bar(&foot.stance)]);
    }
    right_align(&mut table, &[1, 2, 3, 4, 5]);
    table
}

/// A letter for each of [`BAR`] equal parts of the cycle, by whether the foot stands in the middle of it.
fn bar(stance: &[[f64; 2]]) -> String {
    let stands = |part: usize| {
        let middle = (part as f64 + 0.5) / BAR as f64;
        let within = |time: f64| stance.iter().any(|[start, end]| (*start..*end).contains(&time));
        within(middle) || within(middle + 1.0)
    };
    (0..BAR).map(|part| if stands(part) { '█' } else { '·' }).collect()
}

pub(super) fn quality(performance: &Performance) -> Table {
    let report = &performance.report;
    let mut table = plain(&[]);
    let mut row = |what: &str, value: String| {
        table.add_row([what.to_owned(), value]);
    };
    if let Some(slip) = report.slip_mm {
        let mean = report.mean_slip_mm.unwrap_or(0.0);
        let share = report.slip_percent_leg.unwrap_or(0.0);
        row(
            "slip of a standing foot",
            format!("{slip:.3} mm at worst ({share:.4} % of the leg), {mean:.3} mm in the mean"),
        );
    }
    if let Some(depth) = report.penetration_mm {
        row("below the ground", format!("{depth:.3} mm"));
    }
    row("loop gap", format!("{:.1e}", report.loop_gap));
    row("past a joint limit", format!("{:.4} rad", report.limit_overshoot_rad));
    if let Some(share) = report.ground_correction_energy {
        row("changed by the ground", format!("{:.1} % of the elastic energy", 100.0 * share));
    }
    if let Some(share) = report.modal_share {
        row("along its vibrations", format!("{:.1} % of the motion's elastic energy", 100.0 * share));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_stance_over_the_end_of_the_cycle_shows_at_both_ends() {
        let shown = bar(&[[0.75, 1.25]]);
        assert_eq!(shown, format!("{}{}{}", "█".repeat(10), "·".repeat(20), "█".repeat(10)));
        assert_eq!(bar(&[]), "·".repeat(40));
        assert_eq!(bar(&[[0.0, 1.0]]), "█".repeat(40));
        assert_eq!(bar(&[[0.0, 0.25], [0.5, 0.75]]).matches('█').count(), 20);
    }
}
