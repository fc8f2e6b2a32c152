//! What would help, as options of the command line.

use gambol_model::{Hint, Hinted};

/// A message of the library, its hint as an option.
pub(super) fn told(message: &impl Hinted) -> String {
    message.worded(option)
}

fn option(hint: Hint) -> String {
    let words = match hint {
        Hint::Stiffness => "give it one, for example with --give-springs or --stiffness 20",
        Hint::FewerModes { most } => {
            return format!("ask for at most {most}, for example with --count {}", most.min(20));
        }
        Hint::FreeRoot => "--root free sets it free",
        Hint::OpenFolder => "--assets DIR opens another folder",
        Hint::Size => "--height or --unit sets it right",
        Hint::FilePose => "`--pose file` has it as drawn",
        Hint::Skeleton => "--asf names it",
        Hint::Class => "--class legs (or fish, wings, …) sets it right",
        Hint::Mover => "--creature NAME or FILE says who moves",
        Hint::Pipe => "--pipe TIP_RADIUS gives them by that of its tips, m",
    };
    words.to_owned()
}
