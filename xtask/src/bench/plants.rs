//! `cargo xtask bench plants`: a plant's modes and wind basis against SciPy's shift and invert on matrices assembled by another
//! program, and a forest's displacements against NumPy's product of matrices; one thread each. `GAMBOL_PLANTS` names further
//! plants, apart by colons.

use serde::Deserialize;

use super::build_ours;
use crate::peers;
use crate::shell::{Result, command, output, target};

/// Trees of the forest, and nodes of each: those of table 2 of Diener et al. 2009.
const TREES: &str = "4000";
const NODES: usize = 3437;
/// Frequencies of both programs agree to this.
const SAME: f64 = 1e-6;
/// Projections do, in parts of the largest: those of equal frequencies may be turned among each other, so only lengths of
/// single ones are compared.
const SAME_PROJECTION: f64 = 1e-4;

#[derive(Deserialize)]
struct Ours {
    nodes: usize,
    forest_nodes: usize,
    basis: f64,
    oscillators: f64,
    displacements: f64,
    frequencies: Vec<f64>,
    projection: Vec<f64>,
}

#[derive(Deserialize)]
struct Peer {
    basis: f64,
    product: f64,
    frequencies: Vec<f64>,
    projection: Vec<f64>,
}

pub(crate) fn run() -> Result<()> {
    let (program, python) = (build_ours("plant_bench")?, peers::python()?);
    let file = target().join("plant.npz");
    let more = std::env::var("GAMBOL_PLANTS").unwrap_or_default();
    println!(
        "| plant | nodes | basis ms | SciPy ms | 4,000 × 25 oscillators ms | displacements ms | sgemm ms |"
    );
    println!("|---|---|---|---|---|---|---|");
    for plant in ["spruce", "oak"].into_iter().chain(more.split(':').filter(|name| !name.is_empty())) {
        let path = file.display().to_string();
        let ours: Ours = read(&output(&mut command(&program, &[plant, &path, TREES, &NODES.to_string()]))?)?;
        let nodes = ours.forest_nodes.to_string();
        let peer: Peer =
            read(&output(&mut command(&python, &["xtask/peers/plants.py", &path, TREES, &nodes]))?)?;
        agree(plant, &ours, &peer)?;
        let ms =
            [ours.basis, peer.basis, ours.oscillators, ours.displacements, peer.product].map(|s| 1e3 * s);
        println!(
            "| {plant} | {} | {:.0} | {:.0} | {:.3} | {:.1} | {:.1} |",
            ours.nodes, ms[0], ms[1], ms[2], ms[3], ms[4]
        );
    }
    Ok(())
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| format!("{text}: {error}"))
}

fn agree(plant: &str, ours: &Ours, peer: &Peer) -> Result<()> {
    let apart = |k: usize| {
        let f = &peer.frequencies;
        let gap = |other: usize| (f[k] / f[other] - 1.0).abs() > SAME;
        (k == 0 || gap(k - 1)) && (k + 1 == f.len() || gap(k + 1))
    };
    let largest = peer.projection.iter().copied().fold(0.0, f64::max);
    for (k, (own, other)) in ours.frequencies.iter().zip(&peer.frequencies).enumerate() {
        if (own / other - 1.0).abs() > SAME {
            return Err(format!("{plant}: mode {k} has {own} Hz, and {other} by SciPy"));
        }
        let (own, other) = (ours.projection[k], peer.projection[k]);
        if apart(k) && (own - other).abs() > SAME_PROJECTION * largest {
            return Err(format!("{plant}: |p|/C of mode {k} is {own}, and {other} by SciPy"));
        }
    }
    Ok(())
}
