//! What kind of body a creature has, as far as it decides how it gets about.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a body gets about. Guessed by `gambol_anatomy::classify`, or said by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyClass {
    /// On legs.
    Legs,
    /// On its belly: snakes, worms, rings that roll.
    Belly,
    /// By a tail that beats from side to side: fish, eels, tadpoles.
    Fish,
    /// By flukes that beat up and down: dolphins, whales.
    Whale,
    /// By broad fins that wave like wings: rays.
    Ray,
    /// By flippers that row: turtles, penguins under water, seals.
    Paddles,
    /// By wings, through the air.
    Wings,
    /// It hangs in the air, and nothing says by what: ghosts, drones.
    Floats,
    /// On wheels or tracks.
    Wheels,
    /// A hand, which grasps.
    Hand,
    /// Rooted in the ground.
    Plant,
    /// Nothing that moves by itself: chests, doors, chains.
    Thing,
}

impl BodyClass {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Legs,
        Self::Belly,
        Self::Fish,
        Self::Whale,
        Self::Ray,
        Self::Paddles,
        Self::Wings,
        Self::Floats,
        Self::Wheels,
        Self::Hand,
        Self::Plant,
        Self::Thing,
    ];

    /// As files and the command line have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legs => "legs",
            Self::Belly => "belly",
            Self::Fish => "fish",
            Self::Whale => "whale",
            Self::Ray => "ray",
            Self::Paddles => "paddles",
            Self::Wings => "wings",
            Self::Floats => "floats",
            Self::Wheels => "wheels",
            Self::Hand => "hand",
            Self::Plant => "plant",
            Self::Thing => "thing",
        }
    }

    /// Whether it lives in water.
    pub const fn swims(self) -> bool {
        matches!(self, Self::Fish | Self::Whale | Self::Ray | Self::Paddles)
    }

    /// Whether it goes nowhere by itself.
    pub const fn stays(self) -> bool {
        matches!(self, Self::Wheels | Self::Hand | Self::Plant | Self::Thing)
    }
}

impl fmt::Display for BodyClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BodyClass {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|class| class.name() == text);
        found.ok_or_else(|| format!("{text:?} is no class of bodies; there are {}", names()))
    }
}
