//! `cargo xtask gaits`: how good every gait of the gallery is, measured on its poses.

mod footfalls;
mod play;
mod quality;

use gambol::gait::{ForceFigures, Report};
use gambol::gallery;

use crate::docs::put_table;
use crate::shell::Result;
use footfalls::Footfalls;
pub(crate) use play::{Played, play};

/// The rate at which a clip is made by default, and the rates at which it is measured once more.
const FPS: f64 = 60.0;
const FINE: f64 = 240.0;
const FINEST: f64 = 960.0;
/// The rate at which forces are measured.
const FORCES: f64 = 120.0;

/// Slip of a standing foot, mm and percent of the leg's length.
const SLIP: f64 = 1.0;
const SLIP_PERCENT: f64 = 0.1;
/// Depth below the ground, mm.
const DEPTH: f64 = 1.0;
/// Height of a standing foot above the ground, as a share of the leg's length: feet that float would slip and sink as
/// little as one likes. A foot stands by a soft lowest point, which is some millimetres below that of a large flat sole.
const HEIGHT: f64 = 5e-3;
/// How far a swinging foot may go aside of where it stands, as a share of the leg's length: an ambling dog's goes by 0.32, the sprawling legs of a
/// running insect by 0.33. Those of a person go by 0.06.
const ASIDE: f64 = 0.4;
/// Distance of the last pose from the first, less the stride, rad or m: rounding and nothing else.
const GAP: f64 = 1e-9;
/// Δθ_soft: past its limit by so much a joint never is, rad.
const SOFT: f64 = 0.1;
/// A change of velocity between two keys at 240 a second by this share of the top speed is a pop.
const POP: f64 = 0.5;
/// So is one at 960 a second that takes a body this share of the leg's length off its way: a smooth motion has a sixteenth
/// of what it had at 240, a pop keeps its size.
const OFF: f64 = 0.01;

/// Words in the names of gaits that fly or bounce: the body is lowest over its standing feet.
const BOUNCES: [&str; 7] = ["run", "trot", "pace", "gallop", "canter", "bound", "hop"];
/// Words in the names of gaits in which a foot stands at all times, what force (body weights) and moment (times height) may come from nowhere
/// in them, root mean square, and in all others.
const WALKS: [&str; 5] = ["walk", "amble", "crawl", "tripod", "wave"];
const WALKS_LACK: f64 = 0.15;
const LACK: f64 = 0.3;

/// Where the table is in the docs.
const DOCS: &str = "docs/gaits.md";

/// What to do with the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Text,
    Markdown,
    Docs,
}

/// Creatures that are not judged unless they are named: ten keys of a wingbeat at 240 a second say nothing of jumps, and what carries
/// them is the air. Tests `wings::` of gambol-gait look at such.
const FLIERS: [&str; 2] = ["gull", "dragonfly"];

/// Measures the gaits of `creatures`, or of the whole gallery, and fails where one is not as it must be.
pub(crate) fn run(creatures: &[String], table: Table) -> Result<()> {
    let all: Vec<String> =
        gallery::names().into_iter().filter(|name| !FLIERS.contains(name)).map(str::to_owned).collect();
    let creatures = if creatures.is_empty() { &all } else { creatures };
    let mut rows = vec![HEADER.map(str::to_owned)];
    let mut failures = Vec::new();
    for creature in creatures {
        for gait in play::names(creature)? {
            let row = row(creature, &gait)?;
            failures.extend(row.wrong.iter().map(|wrong| format!("{creature} {gait}: {}", wrong.what)));
            rows.push(row.cells);
        }
    }
    match table {
        Table::Text => print!("{}", text(&rows)),
        Table::Markdown => print!("{}", markdown(&rows)),
        Table::Docs => put_table(DOCS, "quality", &markdown(&rows))?,
    }
    for failure in &failures {
        println!("FAILED {failure}");
    }
    let (count, failed) = (rows.len() - 1, failures.len());
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of the criteria fail on {count} gaits")) }
}

/// Of the table.
const COLUMNS: usize = 23;

const HEADER: [&str; COLUMNS] = [
    "creature",
    "gait",
    "m/s",
    "stride m",
    "Hz",
    "Froude",
    "duty",
    "slip mm (mean)",
    "% leg",
    "below mm",
    "above mm",
    "aside % leg",
    "loop gap",
    "jump",
    "past limit",
    "changed",
    "rise mm",
    "from nowhere",
    "moment",
    "swing %",
    "over feet",
    "footfalls",
    "status",
];

/// A line of the table.
struct Row {
    cells: [String; COLUMNS],
    wrong: Vec<Wrong>,
}

/// What is not as it must be: the column that tells it, and the whole story.
struct Wrong {
    column: &'static str,
    what: String,
}

impl Wrong {
    fn new(column: &'static str, what: impl Into<String>) -> Self {
        Self { column, what: what.into() }
    }
}

fn row(creature: &str, gait: &str) -> Result<Row> {
    let failed = |error: String| format!("{creature} {gait}: {error}");
    let played = play(creature, gait, FPS).map_err(failed)?;
    let fine = played.again(FINE).map_err(failed)?;
    let finest = played.again(FINEST).map_err(failed)?;
    let forces = played.again(FORCES).map_err(failed)?.forces.map(|forces| forces.figures);
    let Played { body, performance, warnings, .. } = &played;
    let report = &performance.report;
    let footfalls = Footfalls::new(body, &fine);

    let mut wrong = Vec::new();
    for (fps, report) in [(FPS, report), (FINE, &fine.report)] {
        wrong.extend(broken(report, fps));
    }
    let [hover, share] = quality::hover(body, &fine.clip);
    if share >= HEIGHT {
        wrong.push(Wrong::new("above", format!("a standing foot is {:.1} mm above the ground", 1e3 * hover)));
    }
    let aside = quality::aside(body, &fine.clip);
    if let Some(share) = aside.filter(|share| *share > ASIDE) {
        wrong.push(Wrong::new("aside", format!("a foot swings aside by {:.0} % of its leg", 100.0 * share)));
    }
    let [jump, _] = quality::kink(body, &fine.clip);
    let [_, off] = quality::kink(body, &finest.clip);
    let size = if body.legs.is_empty() { f64::INFINITY } else { body.legs.length };
    if jump > POP || off > OFF * size {
        let what = format!(
            "velocity jumps by {jump:.3} of the top speed at {FINE} fps, a body by {:.1} mm at {FINEST}",
            1e3 * off
        );
        wrong.push(Wrong::new("jump", what));
    }
    let rise = quality::rise(body, &fine.clip).map(|rise| 1e3 * rise);
    if BOUNCES.iter().any(|word| gait.contains(word)) && rise.is_some_and(|rise| rise <= 0.0) {
        wrong.push(Wrong::new("rise", "the body is not lowest over its standing feet"));
    }
    let most = if WALKS.iter().any(|word| gait.contains(word)) { WALKS_LACK } else { LACK };
    if let Some(forces) = &forces {
        for (column, lacks) in [("from nowhere", forces.residual_force), ("moment", forces.residual_moment)] {
            if lacks > most || lacks.is_nan() {
                wrong.push(Wrong::new(column, format!("{column} {lacks:.2} at {FORCES} fps")));
            }
        }
    }
    wrong.extend(footfalls.wrong(gait).into_iter().map(|what| Wrong::new("footfalls", what)));
    wrong.extend(warnings.iter().map(|warning| Wrong::new("warning", warning)));

    let number = |value: Option<f64>, digits: usize| value.map_or_else(dash, |x| format!("{x:.digits$}"));
    let slip = match (report.slip_mm, report.mean_slip_mm) {
        (Some(worst), Some(mean)) => format!("{worst:.4} ({mean:.4})"),
        _ => dash(),
    };
    let order = footfalls.order();
    let cells = [
        creature.to_owned(),
        gait.to_owned(),
        format!("{:.2}", report.speed),
        format!("{:.2}", report.stride_length),
        format!("{:.2}", report.stride_frequency),
        number(report.froude, 2),
        number(footfalls.duty(), 2),
        slip,
        number(report.slip_percent_leg, 4),
        number(report.penetration_mm, 3),
        number(report.slip_mm.map(|_| 1e3 * hover), 1),
        number(aside.map(|aside| 100.0 * aside), 0),
        if report.loop_gap == 0.0 { "0".to_owned() } else { format!("{:.0e}", report.loop_gap) },
        format!("{jump:.3}"),
        format!("{:.3}", report.limit_overshoot_rad),
        report.ground_correction_energy.map_or_else(dash, |share| format!("{:.0} %", 100.0 * share)),
        number(rise, 0),
        number(forces.as_ref().map(|forces| forces.residual_force), 2),
        number(forces.as_ref().map(|forces| forces.residual_moment), 2),
        number(forces.as_ref().map(|forces| 100.0 * forces.com_swing), 1),
        forces
            .as_ref()
            .and_then(ForceFigures::low_in_stance)
            .map_or_else(dash, |low| if low { "low" } else { "high" }.to_owned()),
        if order.is_empty() { dash() } else { order },
        status(&wrong),
    ];
    Ok(Row { cells, wrong })
}

fn dash() -> String {
    "–".to_owned()
}

/// `ok`, or the columns that are not.
fn status(wrong: &[Wrong]) -> String {
    let mut columns: Vec<&str> = wrong.iter().map(|wrong| wrong.column).collect();
    columns.dedup();
    if columns.is_empty() { "ok".to_owned() } else { format!("fails: {}", columns.join(", ")) }
}

/// Criteria that a report does not meet; what is not a number does not.
fn broken(report: &Report, fps: f64) -> Vec<Wrong> {
    let criteria = [
        ("slip", "mm", report.slip_mm, SLIP),
        ("slip", "% of the leg", report.slip_percent_leg, SLIP_PERCENT),
        ("below", "mm", report.penetration_mm, DEPTH),
        ("loop gap", "rad or m", Some(report.loop_gap), GAP),
        ("past limit", "rad", Some(report.limit_overshoot_rad), SOFT),
    ];
    let fails = |(column, unit, value, bound): (&'static str, &str, Option<f64>, f64)| {
        let value = value.filter(|value| *value >= bound || value.is_nan())?;
        Some(Wrong::new(column, format!("{column} {value:.3e} {unit} at {fps} fps")))
    };
    criteria.into_iter().filter_map(fails).collect()
}

fn text(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
    let line = |row: &[String; COLUMNS]| {
        let cell = |(k, text): (usize, &String)| match k {
            0 | 1 | 20.. => format!("{text:<0$}", widths[k]),
            _ => format!("{text:>0$}", widths[k]),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn markdown(rows: &[[String; COLUMNS]]) -> String {
    let line = |row: &[String]| format!("| {} |\n", row.join(" | "));
    let rule: Vec<String> =
        (0..HEADER.len()).map(|k| if (2..20).contains(&k) { "--:" } else { "---" }.to_owned()).collect();
    let (header, rest) = rows.split_at(1);
    header.iter().map(|row| line(row)).chain([line(&rule)]).chain(rest.iter().map(|row| line(row))).collect()
}
