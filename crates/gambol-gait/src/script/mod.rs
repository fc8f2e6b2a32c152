//! Scripts: what a creature does, one thing after another, in one clip.

mod cast;
mod parse;
mod play;
mod timeline;

pub(crate) use cast::{Cast, Company, base};
pub use play::perform_script;
pub(crate) use play::{Ends, natural, play};
pub(crate) use timeline::{Kind, Pace, Timeline};

/// What a creature does, one act after another; written as `idle 1, walk 3 @1.2, run 4 @3, stop`.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// At least one.
    pub acts: Vec<Act>,
}

/// One thing that a creature does.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// What it does.
    pub what: What,
    /// Time that it takes to come about from the act before, s; about a stride if not given.
    pub change: Option<f64>,
}

/// What is done in an act.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// Stands on all feet.
    Stand {
        /// s
        seconds: f64,
    },
    /// Goes by a gait of the creature.
    Go {
        /// Its name; the one that suits the speed if not given.
        gait: Option<String>,
        /// s
        seconds: f64,
        /// m/s; its own if not given.
        speed: Option<f64>,
        /// rad/s to the left
        turn: f64,
    },
    /// Turns on the spot, stepping.
    Turn {
        /// rad to the left
        angle: f64,
    },
    /// Leaps from all feet onto all feet.
    Jump {
        /// How high its centre of mass rises above where it leaves the ground, m.
        height: f64,
        /// How far ahead its feet land, m.
        length: f64,
        /// Time to push off, and to land, s; what suits its legs if not given.
        push: Option<f64>,
    },
}
