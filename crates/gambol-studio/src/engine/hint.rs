//! What would help, as what is seen on the page.

use gambol::model::{Hint, Hinted};

use super::Trouble;

/// A message of the library, its hint as a control of the page.
pub(super) fn told(message: &impl Hinted) -> String {
    message.worded(control)
}

impl Trouble {
    /// From an error with a hint.
    #[allow(clippy::needless_pass_by_value)] // for `map_err`
    pub(super) fn hinted(error: impl Hinted) -> Self {
        Self(told(&error))
    }
}

fn control(hint: Hint) -> String {
    match hint {
        Hint::Stiffness => "\u{201c}The same for every joint\u{201d} under Muscles gives it one",
        Hint::FewerModes { .. } => "it is too large for the studio",
        Hint::FreeRoot => "\u{201c}Floats freely\u{201d} under Root sets it free",
        Hint::OpenFolder => "drop it here together with the creature's file",
        Hint::Size => "Height under Size sets it right",
        Hint::FilePose => "the rest pose \u{201c}file\u{201d} has it as drawn",
        Hint::Skeleton => "drop it here together with the recording",
        Hint::Class => "a rig file with `class = \"legs\"` (or fish, wings, …) sets it right",
        Hint::Mover => "open its creature first",
        Hint::Pipe => "give it radii in its file",
    }
    .to_owned()
}
