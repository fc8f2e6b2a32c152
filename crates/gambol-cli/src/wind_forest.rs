//! `gambol wind --forest`: many trees of one kind.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use comfy_table::{CellAlignment, Table, presets};
use gambol_formats::write_file;
use gambol_model::Vec3;
use gambol_picture::{AnimationFormat, Picture, picture_animation};
use gambol_plant::{Forest, ForestSettings, ForestShot, forest_picture, stand_of};
use serde::Serialize;

use super::wind::Stage;
use super::wind_files::{ending, progress};
use super::{Failure, write_json, written};

/// px
const PICTURE: [f64; 2] = [1200.0, 560.0];
const FILM: [f64; 2] = [760.0, 360.0];
/// Nodes of a tree that is drawn among many.
const NODES: usize = 400;
/// Each time is the best of so many.
const ROUNDS: usize = 5;
/// Numbers that U may have in a report; more would not fit into the memory of a small machine.
const MOST_NUMBERS: usize = 250_000_000;

/// A number of trees or modes, and Hz where the paper has them.
type Measured = (usize, Option<f64>);

/// Trees by nodes of table 1 of Diener et al. 2009, with 25 modes, Hz on a GeForce 8800; and modes by trees of table 2.
const TABLE_1: [(usize, [Measured; 6]); 3] = [
    (
        100,
        [(20, None), (100, None), (500, None), (1000, Some(712.0)), (2000, Some(385.0)), (8000, Some(103.0))],
    ),
    (
        1000,
        [
            (20, None),
            (100, Some(690.0)),
            (500, Some(169.0)),
            (1000, Some(87.0)),
            (2000, Some(43.0)),
            (8000, Some(11.0)),
        ],
    ),
    (
        8000,
        [
            (20, Some(426.0)),
            (100, Some(102.0)),
            (500, Some(21.0)),
            (1000, Some(11.0)),
            (2000, None),
            (8000, None),
        ],
    ),
];
const TABLE_2: [(usize, [f64; 4]); 3] =
    [(5, [73.0, 39.0, 19.0, 10.0]), (15, [57.0, 29.0, 14.0, 7.0]), (25, [43.0, 22.0, 11.0, 6.0])];
const TABLE_2_TREES: [usize; 4] = [500, 1000, 2000, 4000];
const TABLE_2_NODES: usize = 3437;

#[derive(Serialize)]
struct ForestReport {
    name: String,
    trees: usize,
    nodes: usize,
    modes: usize,
    /// ms for one step of all oscillators under one wind
    oscillators_ms: f64,
    /// ms for the same with a wind of its own for each tree
    step_ms: f64,
    /// ms for the displacements of all nodes of all trees
    displacements_ms: f64,
    /// Bytes of T, P, Φ, Q and U as single numbers.
    bytes: [usize; 5],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<Rate>,
}

/// One cell of the paper's tables, and ours.
#[derive(Serialize)]
struct Rate {
    table: u8,
    trees: usize,
    nodes: usize,
    modes: usize,
    /// Hz, of step and displacements on one core
    ours: f64,
    /// Hz, as the paper has it
    paper: Option<f64>,
}

pub(super) fn run(
    stage: &Stage,
    trees: usize,
    output: &[PathBuf],
    (report, json): (bool, bool),
    out: &mut impl Write,
) -> Result<(), Failure> {
    for path in output {
        draw(stage, trees, path)?;
    }
    if !report && !json && !output.is_empty() {
        return Ok(());
    }
    let nodes = stage.scene.nodes.unwrap_or(stage.scene.plant.len().min(TABLE_2_NODES));
    let mut told = measure(stage, trees, nodes)?;
    if report {
        told.tables = tables(stage)?;
    }
    if json { write_json(out, &told) } else { write(&told, out) }
}

fn forest(stage: &Stage, trees: usize, nodes: usize) -> Result<Forest, Failure> {
    if trees.saturating_mul(nodes).saturating_mul(3) > MOST_NUMBERS {
        let most = MOST_NUMBERS / 3 / nodes.max(1);
        return Err(Failure::Failed(format!(
            "{trees} trees of {nodes} nodes do not fit; at most {most} do, or fewer --nodes"
        )));
    }
    let settings = ForestSettings::of(&stage.scene.plant);
    let stand = stand_of(&stage.scene.plant, trees, stage.seed, stage.planting, &settings)?;
    Ok(Forest::new(
        &stage.scene.plant,
        (&stage.scene.modes, &stage.scene.basis),
        stand,
        nodes,
        &stage.scene.sway,
        &stage.scene.wind,
    )?)
}

/// The best of a few, ms.
fn timed(mut work: impl FnMut()) -> f64 {
    let once = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        1e3 * start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(|_| once(&mut work)).fold(f64::MAX, f64::min)
}

fn measure(stage: &Stage, trees: usize, nodes: usize) -> Result<ForestReport, Failure> {
    let mut forest = forest(stage, trees, nodes)?;
    let modes = forest.modes();
    let load = Vec3::new(stage.scene.wind.mean().norm(), 0.0, 0.0);
    let oscillators_ms = timed(|| forest.step_oscillators(load));
    let mut time = 0.0;
    let step_ms = timed(|| {
        forest.step(&stage.scene.wind, time);
        time += forest.time_step();
    });
    let mut moved = Vec::new();
    let displacements_ms = timed(|| forest.displacements(modes, &mut moved));
    let kept = forest.detail.kept.len();
    let single = |numbers: usize| 4 * numbers;
    Ok(ForestReport {
        name: stage.scene.plant.name.clone(),
        trees,
        nodes: kept,
        modes,
        oscillators_ms,
        step_ms,
        displacements_ms,
        bytes: [5 * trees, 7 * modes, 3 * modes * kept, 2 * trees * modes, 3 * trees * kept].map(single),
        tables: Vec::new(),
    })
}

/// The paper's tables beside ours: one step and all displacements, without drawing.
fn tables(stage: &Stage) -> Result<Vec<Rate>, Failure> {
    let mut rates = Vec::new();
    for (trees, row) in TABLE_1 {
        for (nodes, paper) in row.into_iter().filter(|(_, paper)| paper.is_some()) {
            rates.push(rate(stage, (1, trees, nodes, 25), paper)?);
        }
    }
    for (modes, row) in TABLE_2 {
        for (trees, paper) in TABLE_2_TREES.into_iter().zip(row) {
            rates.push(rate(stage, (2, trees, TABLE_2_NODES, modes), Some(paper))?);
        }
    }
    Ok(rates)
}

fn rate(
    stage: &Stage,
    (table, trees, nodes, modes): (u8, usize, usize, usize),
    paper: Option<f64>,
) -> Result<Rate, Failure> {
    let mut forest = forest(stage, trees, nodes)?;
    let modes = modes.min(forest.modes());
    let mut moved = Vec::new();
    let ms = timed(|| {
        forest.step(&stage.scene.wind, 0.0);
        forest.displacements(modes, &mut moved);
    });
    Ok(Rate { table, trees, nodes: forest.detail.kept.len(), modes, ours: 1e3 / ms, paper })
}

fn write(report: &ForestReport, out: &mut impl Write) -> Result<(), Failure> {
    writeln!(
        out,
        "{}: {} trees, {} nodes and {} modes each",
        report.name, report.trees, report.nodes, report.modes
    )?;
    writeln!(
        out,
        "  oscillators {:.3} ms, with a wind of its own for each tree {:.3} ms",
        report.oscillators_ms, report.step_ms
    )?;
    writeln!(out, "  displacements {:.1} ms", report.displacements_ms)?;
    let names = ["T", "P", "Φ", "Q", "U"].iter().zip(report.bytes);
    let sizes: Vec<String> =
        names.map(|(name, bytes)| format!("{name} {:.1} kB", bytes as f64 / 1e3)).collect();
    writeln!(out, "  matrices {}", sizes.join(", "))?;
    if report.tables.is_empty() {
        return Ok(());
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "table",
        "trees",
        "nodes",
        "modes",
        "Hz",
        "Diener et al. 2009, Hz",
    ]);
    for Rate { table: number, trees, nodes, modes, ours, paper } in &report.tables {
        let paper = paper.map(|paper| format!("{paper:.0}")).unwrap_or_default();
        let counts = [trees, nodes, modes].map(usize::to_string);
        let [trees, nodes, modes] = counts;
        table.add_row([number.to_string(), trees, nodes, modes, format!("{ours:.0}"), paper]);
    }
    for column in 1..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    Ok(writeln!(out, "\n{table}")?)
}

fn draw(stage: &Stage, trees: usize, path: &std::path::Path) -> Result<(), Failure> {
    let mut forest = forest(stage, trees, stage.scene.nodes.unwrap_or(NODES))?;
    let start = forest.clone();
    let mut moved = Vec::new();
    let mut now = 0.0;
    let is_film = ["gif", "apng"].contains(&ending(path).as_str());
    let size = if is_film { FILM } else { PICTURE };
    let mut shot = |time: f64| -> Picture {
        if time < now {
            (forest, now) = (start.clone(), 0.0);
        }
        while now < time {
            forest.step(&stage.scene.wind, now);
            now += forest.time_step();
        }
        let modes = forest.modes();
        forest.displacements(modes, &mut moved);
        let shot = ForestShot {
            plant: &stage.scene.plant,
            leaves: &stage.scene.leaves,
            forest: &forest,
            displacements: &moved,
            wind: &stage.scene.wind,
            time,
        };
        forest_picture(&shot, size[0], size[1])
    };
    if !is_film {
        return Ok(written::picture(
            path,
            &shot(stage.scene.times.last().copied().unwrap_or(0.0)),
            stage.force,
        )?);
    }
    let format = if ending(path) == "gif" { AnimationFormat::Gif } else { AnimationFormat::Apng };
    let mut frame = |k: usize| shot(stage.scene.times[k]);
    let bytes =
        picture_animation(stage.scene.times.len(), 1.0 / stage.scene.fps, format, &mut frame, &mut progress)?;
    write_file(path, &bytes, stage.force)?;
    written::tell(path, &written::count(stage.scene.times.len(), "frame"));
    Ok(())
}
