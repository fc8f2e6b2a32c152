//! What the engine answers about itself, and about files.

use gambol::gait::Style;
use serde::Serialize;
use serde_json::Value;

use super::{CreatureWork, GaitWork, SketchWork};

/// Numbers in the bytes of a message: f32, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Numbers {
    /// Where the first is, in bytes from the end of the head.
    pub offset: usize,
    /// How many.
    pub count: usize,
}

/// See [`super::Request::Hello`].
#[derive(Clone, Debug, Serialize)]
pub struct Hello {
    /// [`super::VERSION`].
    pub version: u32,
    /// Of gambol.
    pub program: String,
    /// In order.
    pub gallery: Vec<GalleryEntry>,
    /// In order.
    pub sketches: Vec<GallerySketch>,
    /// What the studio was started with.
    pub start: CreatureWork,
    /// And with which gait: the text of a gait file, if it was one.
    pub start_gait: Option<String>,
    /// Largest upload, bytes.
    pub most_bytes: usize,
}

/// A creature of the gallery.
#[derive(Clone, Debug, Serialize)]
pub struct GalleryEntry {
    /// Name.
    pub name: String,
    /// One line.
    pub about: String,
    /// SVG, three quarters.
    pub picture: String,
    /// Whether wind moves it.
    pub plant: bool,
}

/// A sketch of the gallery.
#[derive(Clone, Debug, Serialize)]
pub struct GallerySketch {
    /// Name.
    pub name: String,
    /// Of which creature.
    pub creature: String,
    /// The file.
    pub text: String,
}

/// See [`super::Request::Keep`].
#[derive(Clone, Debug, Serialize)]
pub struct Kept {
    /// Where they are kept, together.
    pub bundle: String,
    /// Which of them is the creature.
    pub name: String,
}

/// See [`super::Request::Export`].
#[derive(Clone, Debug, Serialize)]
pub struct ExportAnswer {
    /// A name for the file.
    pub name: String,
    /// What it is.
    pub mime: &'static str,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// See [`super::Request::ReadGait`].
#[derive(Clone, Debug, Serialize)]
pub struct GaitFileAnswer {
    /// The creature it was made for, as it says.
    pub creature: Option<CreatureWork>,
    /// Its body.
    pub style: Style,
    /// The gait, with the file in it.
    pub gait: GaitWork,
    /// If it was no gait: the sketch, with the controller in it if it was one.
    pub sketch: Option<SketchWork>,
}

/// See [`super::Request::Share`].
#[derive(Clone, Debug, Serialize)]
pub struct Shared {
    /// Of the gait.
    pub name: String,
    /// Where the file is, for people.
    pub path: String,
}

/// See [`super::Request::Load`].
#[derive(Clone, Debug, Serialize)]
pub struct Loaded {
    /// What [`super::Request::Save`] kept, if it did.
    pub work: Option<Value>,
}

/// Adds numbers to the bytes of a message.
pub(crate) fn push(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = f64>) -> Numbers {
    let offset = bytes.len();
    #[allow(clippy::cast_possible_truncation)] // a screen shows no more digits
    for number in numbers {
        bytes.extend((number as f32).to_le_bytes());
    }
    Numbers { offset, count: (bytes.len() - offset) / 4 }
}
