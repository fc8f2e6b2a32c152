//! What the page asks.

use std::ops::Range;

use gambol::dynamics::Goal;
use gambol::gait::Style;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CreatureWork, DriveWork, ExportWork, GaitWork, SketchWork};
#[allow(unused_imports)] // for links
use super::{answer::*, creature::*, motion::*, plant::*, sketch::*};

/// What the page can ask.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Request {
    /// Who is there: the gallery, and what the studio was started with. Answer: [`Hello`].
    Hello,
    /// Keep files: their contents are the bytes, one after the other. Answer: [`Kept`].
    Keep {
        /// In the order of the bytes.
        files: Vec<NewFile>,
    },
    /// The bytes of a kept file. Answer: `{}` and the bytes.
    File {
        /// Where it is kept.
        bundle: String,
        /// Its name there.
        name: String,
    },
    /// Read a creature. Answer: [`CreatureAnswer`].
    Creature {
        /// Which.
        creature: CreatureWork,
    },
    /// The modes of a body. Answer: [`BodyAnswer`].
    Body {
        /// Whose.
        creature: CreatureWork,
        /// As it is now.
        style: Style,
        /// As it was when `marks` were made.
        #[serde(default)]
        from: Option<Style>,
        /// Modes of the body as it was; the answer says which they are now.
        #[serde(default)]
        marks: Vec<usize>,
    },
    /// Which gaits suit a body. Answer: [`GaitsAnswer`].
    Gaits {
        /// Whose.
        creature: CreatureWork,
        /// Of its body.
        style: Style,
    },
    /// Play a gait. Answer: [`MotionAnswer`].
    Motion {
        /// Whose.
        creature: CreatureWork,
        /// Of its body.
        style: Style,
        /// Which.
        gait: GaitWork,
    },
    /// The least stiffness that carries the weight. Answer: [`StandAnswer`].
    Stand {
        /// Whose.
        creature: CreatureWork,
        /// Of its body; its stiffness is replaced.
        style: Style,
    },
    /// Pull points of the body to places: inverse kinematics from the rest pose. Answer: [`ReachAnswer`].
    Reach {
        /// Whose.
        creature: CreatureWork,
        /// Of its body, with the bends so far.
        style: Style,
        /// What is pulled where.
        pulls: Vec<Goal>,
    },
    /// A plant as what wind moves. Answer: [`PlantAnswer`].
    Plant {
        /// Which.
        creature: CreatureWork,
        /// How many nodes have displacements; the others follow them.
        nodes: usize,
    },
    /// Where the trees of a forest stand. Answer: [`ForestAnswer`].
    Forest {
        /// Of which plant.
        creature: CreatureWork,
        /// How many, at most [`MOST_TREES`].
        trees: usize,
        /// In one row, and not in a wood.
        row: bool,
        /// Of their places.
        seed: u64,
    },
    /// Begin a simulation; one at a time. Answer: [`SimulationAnswer`].
    Simulate {
        /// Whose.
        creature: CreatureWork,
        /// Of its body.
        style: Style,
        /// What moves it.
        drive: DriveWork,
        /// Whether there is a ground.
        ground: bool,
        /// Of the ground, up along x, rad.
        #[serde(default)]
        slope: f64,
        /// Whether springs are made stiff enough to carry it, and a hand holds its trunk upright.
        #[serde(default)]
        help: bool,
    },
    /// Go on with the simulation. Answer: [`SimulationAnswer`].
    Advance {
        /// s of the creature's time, at most [`MOST_ADVANCE`].
        seconds: f64,
        /// What the mouse pulls.
        #[serde(default)]
        pull: Option<Goal>,
    },
    /// The modes of a sketch's two phases. Answer: [`SketchAnswer`].
    Sketch {
        /// Whose.
        creature: CreatureWork,
        /// None: one that suits the creature.
        sketch: Option<SketchWork>,
        /// As it was when its modes were marked: the answer's sketch has them as they are counted now.
        #[serde(default)]
        from: Option<SketchWork>,
    },
    /// What the bursts of a sketch alone do, without gravity and ground. Answer: [`PreviewAnswer`].
    Preview {
        /// Whose.
        creature: CreatureWork,
        /// Which.
        sketch: SketchWork,
    },
    /// The cycle that was found of a sketch. Answer: [`PreviewAnswer`].
    Cycle {
        /// Whose.
        creature: CreatureWork,
        /// Which.
        sketch: SketchWork,
    },
    /// Begin a search for a controller, or go on with one; one at a time. Answer: [`SearchAnswer`].
    Search {
        /// Whose.
        creature: CreatureWork,
        /// Of what.
        sketch: SketchWork,
        /// Of all random numbers.
        seed: u64,
        /// Of a search with the same sketch and seed.
        #[serde(default)]
        checkpoint: Option<String>,
    },
    /// Go on with the search. Answer: [`SearchAnswer`].
    Improve {
        /// At most [`MOST_STEPS`]; each takes up to a few tenths of a second.
        steps: usize,
        /// Whether to tell all that outlives the engine.
        #[serde(default)]
        keep: bool,
    },
    /// End the search. Answer: `{}`.
    Stop,
    /// Go on with a set of clips for a game, by one clip; or begin it, where another was asked for last. Answer: [`SetAnswer`].
    Set {
        /// Whose.
        creature: CreatureWork,
        /// Of its body.
        style: Style,
        /// The gait that the style belongs to: what came with that is not for the others.
        #[serde(default)]
        gait: Option<String>,
    },
    /// A file to take home. Answer: [`ExportAnswer`] and the bytes.
    Export {
        /// Whose.
        creature: CreatureWork,
        /// Of its body.
        style: Style,
        /// What moves.
        what: ExportWork,
        /// As what: glb, gltf, bvh, json, npz, png, svg, gif, apng, gait, rig, sketch or controller.
        format: String,
        /// Whether it stays in place.
        #[serde(default)]
        in_place: bool,
        /// s, made whole cycles; one cycle if not given.
        #[serde(default)]
        seconds: Option<f64>,
        /// What the clip of a gait or controller is called; as that is if not given.
        #[serde(default)]
        name: Option<String>,
        /// Keys per second of gaits, [`FEWEST_KEYS`] to [`MOST_KEYS`]; 60 if not given.
        #[serde(default)]
        keys: Option<f64>,
    },
    /// Read a gait, a sketch or a controller. Answer: [`GaitFileAnswer`].
    ReadGait {
        /// Its text.
        text: String,
        /// What a sketch is of that names no creature of the gallery.
        #[serde(default)]
        creature: Option<CreatureWork>,
    },
    /// Keep the gait as a file of its own that a link opens. Answer: [`Shared`].
    Share {
        /// A wish; letters, digits, `-`, `_` and `.`.
        name: String,
        /// Whose.
        creature: CreatureWork,
        /// Of its body.
        style: Style,
        /// Which.
        gait: GaitWork,
        /// The sketch, if it is that and not the gait that is kept.
        #[serde(default)]
        sketch: Option<SketchWork>,
    },
    /// The gait that a link names. Answer: [`GaitFileAnswer`].
    OpenShared {
        /// As [`Shared::name`] has it.
        name: String,
        /// As in [`Self::ReadGait`].
        #[serde(default)]
        creature: Option<CreatureWork>,
    },
    /// Keep the user's work. Answer: `{}`.
    Save {
        /// Of the tab: letters and digits.
        tab: String,
        /// All of it, as the page likes: the engine does not look inside.
        work: Value,
    },
    /// What was kept. Answer: [`Loaded`].
    Load {
        /// Of the tab.
        tab: String,
    },
}

/// Most time that a simulation goes on at once, s.
pub const MOST_ADVANCE: f64 = 0.25;

/// Most trees of a forest.
pub const MOST_TREES: usize = 20_000;

/// Most nodes of a tree that have displacements: the width of a texture that every card has.
pub const MOST_NODES: usize = 2048;

/// How many modes of a plant the page is told.
pub const PLANT_MODES: usize = 25;

/// Keys per second of a clip: from what is jerky to what no screen shows.
pub const FEWEST_KEYS: f64 = 5.0;
/// The same.
pub const MOST_KEYS: f64 = 240.0;

/// Most gaits in one file.
pub const MOST_GAITS: usize = 32;

/// Most steps of a search at once.
pub const MOST_STEPS: usize = 100;

/// Most bytes of the files of one [`Request::Keep`]: characters with large textures have 300 MB.
pub const MOST_BYTES: usize = 512 << 20;

/// A file to keep.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct NewFile {
    /// As dropped, perhaps with folders: `textures/fur.png`.
    pub name: String,
    /// Bytes.
    pub size: usize,
}

/// Splits the bytes of a message into files of these sizes; `None` if they do not add up.
pub(crate) fn split(files: &[NewFile], bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut start = 0_usize;
    let mut ranges = Vec::new();
    for file in files {
        let end = start.checked_add(file.size)?;
        ranges.push(start..end);
        start = end;
    }
    (start == bytes.len()).then_some(ranges)
}
