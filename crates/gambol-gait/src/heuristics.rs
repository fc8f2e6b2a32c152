//! Heuristics A to G of Kry et al. 2009, section 4.3: what each mode is good for.

use gambol_dynamics::Data;
use gambol_model::Creature;
use gambol_modes::Modes;

use crate::Legs;

/// What a mode may be good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// A
    AlternatingKnees,
}

/// The modes of one category, best first.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// What they are good for.
    pub category: Category,
    /// Mode and score.
    pub modes: Vec<(usize, f64)>,
}

/// A mode that is of no use for locomotion.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// Index of the mode.
    pub mode: usize,
    /// In words, e.g. "twists the back".
    pub reason: String,
}

/// Ranks all vibrations.
pub fn rank(
    _creature: &Creature,
    _data: &mut Data,
    _modes: &Modes,
    _legs: &Legs,
) -> (Vec<Ranking>, Vec<Rejection>) {
    todo!()
}
