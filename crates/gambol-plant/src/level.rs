//! Levels of detail of what is drawn: the plant with fewer branches and leaves, for where it is small.

use gambol_formats::clip::JointedPart;

use crate::detail::{Binding, Detail};
use crate::leaves::Leaf;
use crate::tubes::{TubeSettings, bark};
use crate::{Foliage, Plant};

/// How many leaves there are for each node that is left; and how many times as large one that stands for others is at most. Sprays of
/// needles would look like leaves if they were large.
fn leaves_left(foliage: Foliage) -> (usize, f64) {
    match foliage {
        Foliage::Needles => (8, 3.0),
        Foliage::Fronds => (5, 3.0),
        Foliage::Broad | Foliage::Blades => (3, 5.0),
    }
}

/// The plant with fewer nodes and leaves.
#[derive(Clone, Debug)]
pub struct PlantLevel {
    /// What is left of it; its elements go from fork to fork.
    pub plant: Plant,
    /// For each of its nodes, the node of the whole plant.
    pub nodes: Vec<usize>,
    /// Fewer and larger, so that the crown stays as green; on nodes of `plant`.
    pub leaves: Vec<Leaf>,
}

impl PlantLevel {
    /// With at most `count` nodes, and leaves in proportion.
    pub fn new(plant: &Plant, leaves: &[Leaf], count: usize) -> Self {
        let detail = Detail::new(plant, count.min(plant.len()));
        let mut index = vec![usize::MAX; plant.len()];
        detail.kept.iter().enumerate().for_each(|(k, node)| index[*node] = k);
        let above = |node: usize| {
            let mut parent = plant.parents[node];
            while index[parent] == usize::MAX {
                parent = plant.parents[parent];
            }
            index[parent]
        };
        let pick = |node: &usize| if *node == 0 { 0 } else { above(*node) };
        let parents = detail.kept.iter().map(pick).collect();
        let of = |values: &[f64]| detail.kept.iter().map(|node| values[*node]).collect();
        let small = Plant {
            nodes: detail.kept.iter().map(|node| plant.nodes[*node]).collect(),
            parents,
            radii: of(&plant.radii),
            orders: detail.kept.iter().map(|node| plant.orders[*node]).collect(),
            remarks: Vec::new(),
            ..plant.clone()
        };
        let (each, largest) = leaves_left(plant.foliage);
        let every = (leaves.len() / (each * detail.kept.len()).max(1)).max(1);
        let grown = (every as f64).sqrt().min(largest);
        let leaves = leaves
            .iter()
            .step_by(every)
            .map(|leaf| {
                let binding = detail.bindings[leaf.node];
                let node = if binding.share > 0.5 { binding.second } else { binding.first };
                let away = plant.nodes[leaf.node] - plant.nodes[detail.kept[node]];
                Leaf { node, radius: leaf.radius * grown, offset: leaf.offset + away, ..*leaf }
            })
            .collect();
        Self { nodes: detail.kept, plant: small, leaves }
    }

    /// What each of its nodes follows among the nodes of a forest's matrices.
    pub fn bindings(&self, detail: &Detail) -> Vec<Binding> {
        self.nodes.iter().map(|node| detail.bindings[*node]).collect()
    }

    /// Its bark, on the nodes of a forest's matrices.
    pub fn bark(&self, detail: &Detail, settings: &TubeSettings) -> JointedPart {
        let mut plant = self.plant.clone();
        if plant.foliage == Foliage::Blades {
            // Blades are flat and wider than the beams that stand for them.
            plant.radii.iter_mut().for_each(|radius| *radius *= 1.6);
        }
        bark(&plant, &self.bindings(detail), settings)
    }
}
