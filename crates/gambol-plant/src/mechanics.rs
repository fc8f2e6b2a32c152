//! A plant of wood: its elements, its mass and its stiffness (Diener et al. 2009, equations 1 and 2).

use crate::beam::{Beam, Constants, Section, WoodSettings};
use crate::tree_system::{TreeFactor, TreeSystem};
use crate::{Plant, PlantError};

/// M and K of equation 1, and the factor of K.
#[derive(Clone, Debug)]
pub struct Mechanics {
    /// The element that ends in each node; the root has none, so that node i's is `beams[i - 1]`.
    beams: Vec<Beam>,
    parents: Vec<usize>,
    mass: TreeSystem,
    stiffness: TreeSystem,
    factor: TreeFactor,
    total_mass: f64,
}

impl Mechanics {
    /// The beams of a plant, its root clamped.
    pub fn new(plant: &Plant, wood: &WoodSettings, constants: Constants) -> Result<Self, PlantError> {
        wood.check()?;
        let beam = |node: usize| {
            let section = Section::new(plant.radii[node], wood, constants);
            Beam::new(plant.nodes[plant.parents[node]], plant.nodes[node], plant.radii[node], section)
        };
        let beams: Vec<Beam> = (1..plant.len()).map(beam).collect();
        let mut mass = TreeSystem::new(&plant.parents);
        let mut stiffness = TreeSystem::new(&plant.parents);
        for (node, beam) in (1..).zip(&beams) {
            mass.add(node, &beam.mass());
            stiffness.add(node, &beam.stiffness());
        }
        let mut leaves = 0.0;
        if wood.leaf_mass > 0.0 {
            for (node, _) in plant.tips().iter().enumerate().filter(|(_, tip)| **tip) {
                mass.add_point(node, wood.leaf_mass);
                leaves += wood.leaf_mass;
            }
        }
        let total_mass = beams.iter().map(|beam| beam.section.mass * beam.length).sum::<f64>() + leaves;
        let factor = stiffness.factor()?;
        Ok(Self { beams, parents: plant.parents.clone(), mass, stiffness, factor, total_mass })
    }

    /// The element that ends in a node, which is not the root.
    pub fn beam(&self, node: usize) -> &Beam {
        &self.beams[node - 1]
    }

    /// Nodes with their parents and elements, without the root.
    pub fn elements(&self) -> impl Iterator<Item = (usize, usize, &Beam)> {
        self.beams.iter().enumerate().map(|(index, beam)| (index + 1, self.parents[index + 1], beam))
    }

    /// How many nodes there are, the root included.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// M.
    pub fn mass(&self) -> &TreeSystem {
        &self.mass
    }

    /// K.
    pub fn stiffness(&self) -> &TreeSystem {
        &self.stiffness
    }

    /// K = L Lᵀ.
    pub fn factor(&self) -> &TreeFactor {
        &self.factor
    }

    /// Wood and leaves, kg.
    pub fn total_mass(&self) -> f64 {
        self.total_mass
    }
}
