//! What a plant is made of.

use std::io::Write;

use gambol_plant::{Constants, Mechanics, Plant, WoodSettings};
use serde::Serialize;

use super::Failure;
use super::hint::told;

/// What is printed of a plant.
#[derive(Serialize)]
pub(super) struct PlantReport {
    name: String,
    kind: &'static str,
    pub(super) nodes: usize,
    tips: usize,
    loose_pieces: usize,
    /// m
    pub(super) height: f64,
    /// m
    width: [f64; 2],
    /// kg
    pub(super) mass: f64,
    /// Thinnest and thickest element, m.
    radii: [f64; 2],
    /// How many elements there are of the trunk, of its branches, of theirs, and so on.
    elements_by_order: Vec<usize>,
    remarks: Vec<String>,
}

impl PlantReport {
    pub(super) fn new(plant: &Plant) -> Result<Self, Failure> {
        let mechanics = Mechanics::new(plant, &WoodSettings::default(), Constants::Disc)?;
        let [low, high] = plant.bounds();
        let deepest = plant.orders.iter().copied().max().unwrap_or(0) as usize;
        let mut elements_by_order = vec![0; deepest + 1];
        plant.orders.iter().skip(1).for_each(|order| elements_by_order[*order as usize] += 1);
        let radii = plant.radii.iter().skip(1).fold([f64::MAX, 0.0], |[a, b], r| [r.min(a), r.max(b)]);
        Ok(Self {
            name: plant.name.clone(),
            kind: "plant",
            nodes: plant.len(),
            tips: plant.tips().iter().filter(|tip| **tip).count(),
            loose_pieces: plant.loose_pieces,
            height: plant.height(),
            width: [high.x - low.x, high.y - low.y],
            mass: mechanics.total_mass(),
            radii,
            elements_by_order,
            remarks: plant.remarks.iter().map(told).collect(),
        })
    }

    pub(super) fn write(&self, out: &mut impl Write) -> Result<(), Failure> {
        let [thin, thick] = self.radii.map(|radius| 2000.0 * radius);
        writeln!(out, "{}: a plant", self.name)?;
        writeln!(
            out,
            "  {} nodes, {} tips, {} loose pieces left out",
            self.nodes, self.tips, self.loose_pieces
        )?;
        writeln!(out, "  {:.3} m high, {:.3} by {:.3} m wide", self.height, self.width[0], self.width[1])?;
        writeln!(out, "  wood {:.4} kg, {thin:.1} to {thick:.1} mm thick", self.mass)?;
        let orders = self.elements_by_order.iter().enumerate();
        let orders: Vec<String> = orders.map(|(order, count)| format!("{count} of order {order}")).collect();
        Ok(writeln!(out, "  elements: {}", orders.join(", "))?)
    }
}
