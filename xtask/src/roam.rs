//! `cargo xtask roam`: how long creatures stay up that go by their own torques, at which speeds, and what pushes they take, as the tables
//! of docs/roam.md, and how long a step takes in docs/benchmarks.md.

use clap::ValueEnum;

use crate::bench::build_ours;
use crate::docs::put_table;
use crate::shell::{Result, command, output};

const DOCS: &str = "docs/roam.md";
const BENCHMARKS: &str = "docs/benchmarks.md";

/// What is simulated.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Table {
    /// The dog's gaits at the speeds of Coros et al. 2011
    Gaits,
    /// Their table 1: four directions at two bodies at eight moments of a stride
    Pushes,
    /// Slopes, low steps and slippery ground
    Ground,
    /// Designed walks
    Creatures,
    /// How long a step takes, controller and physics apart, on one core
    Speed,
    /// The three controllers and a model-predictive one on the same gaits
    Controllers,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::Gaits => "gaits",
            Self::Pushes => "pushes",
            Self::Ground => "ground",
            Self::Creatures => "creatures",
            Self::Speed => "speed",
            Self::Controllers => "controllers",
        }
    }
}

/// Simulates one table or all, and prints them, or puts each between its marks in the docs.
pub(crate) fn run(table: Option<Table>, words: &[String], docs: bool) -> Result<()> {
    let tables = table.map_or_else(|| Table::value_variants().to_vec(), |table| vec![table]);
    for table in tables {
        let text = match table {
            Table::Controllers => output(command(build_ours("controllers_bench")?, &[]).args(words))?,
            _ => output(command(build_ours("roam_bench")?, &[table.name()]).args(words))?,
        };
        if docs {
            let page = if matches!(table, Table::Speed) { BENCHMARKS } else { DOCS };
            put_table(page, table.name(), text.trim_end())?;
        } else {
            println!("{text}");
        }
    }
    Ok(())
}
