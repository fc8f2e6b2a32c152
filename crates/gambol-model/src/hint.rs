//! What would set right what a message tells.

use std::fmt;

/// A setting that would help. What is wrong is said where it is found, in any room; how to set it right is another thing on a
/// command line, in a page and in a program. So a message keeps its hint apart, and whoever shows it [words](Hinted::worded) the
/// hint for the reader. As text it names the library's own setting.
///
/// Every front end matches all of them: a new one is not to be forgotten there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A joint has no spring.
    Stiffness,
    /// More modes were asked for than can be had.
    FewerModes {
        /// As many as can be had.
        most: usize,
    },
    /// The creature hangs fixed from the world and could float.
    FreeRoot,
    /// A file lies in a folder that is not open.
    OpenFolder,
    /// How large the creature is was guessed.
    Size,
    /// The creature does not stand as its file has it, and could.
    FilePose,
    /// The skeleton of a recording is in a file that was not found.
    Skeleton,
    /// A clip does not say who moves.
    Mover,
    /// A plant has no radii; they could follow from those of its tips.
    Pipe,
    /// What kind of body it is was guessed.
    Class,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stiffness => f.write_str("set its `stiffness`"),
            Self::FewerModes { most } => write!(f, "set `count` to at most {most}"),
            Self::FreeRoot => f.write_str("`free_root` sets it free"),
            Self::OpenFolder => f.write_str("`assets` opens another folder"),
            Self::Size => f.write_str("`height` or `unit` sets it right"),
            Self::FilePose => f.write_str("its pose `file` is as drawn"),
            Self::Skeleton => f.write_str("`asf` names it"),
            Self::Mover => f.write_str("`creature` says who moves"),
            Self::Pipe => f.write_str("`pipe` gives them by the radius of its tips"),
            Self::Class => f.write_str("`class` sets it right"),
        }
    }
}

/// A message that may have a hint. Its text ends with the hint in the library's words.
pub trait Hinted: fmt::Display {
    /// What would set it right, if a setting would.
    fn hint(&self) -> Option<Hint>;

    /// The message with its hint in the words of a front end.
    fn worded(&self, word: impl Fn(Hint) -> String) -> String {
        let text = self.to_string();
        match self.hint() {
            Some(hint) => text.replace(&hint.to_string(), &word(hint)),
            None => text,
        }
    }
}

/// Something noticed, and what would set it right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What was noticed and what was done about it.
    pub text: String,
    /// What would change it.
    pub hint: Option<Hint>,
}

impl Remark {
    /// A remark that a setting would change.
    pub fn new(text: impl Into<String>, hint: Hint) -> Self {
        Self { text: text.into(), hint: Some(hint) }
    }
}

impl From<String> for Remark {
    fn from(text: String) -> Self {
        Self { text, hint: None }
    }
}

impl From<&str> for Remark {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        ending(f, self.hint)
    }
}

impl Hinted for Remark {
    fn hint(&self) -> Option<Hint> {
        self.hint
    }
}

/// Writes a hint at the end of a message.
pub fn ending(f: &mut fmt::Formatter<'_>, hint: Option<Hint>) -> fmt::Result {
    match hint {
        Some(hint) => write!(f, "; {hint}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_end_words_the_hint_and_leaves_the_rest() {
        let remark = Remark::new("it is 3 m high", Hint::Size);
        assert_eq!(remark.to_string(), "it is 3 m high; `height` or `unit` sets it right");
        assert_eq!(remark.worded(|hint| format!("{hint:?}!")), "it is 3 m high; Size!");
        let plain = Remark::from("it stands".to_owned());
        assert_eq!(plain.worded(|_| unreachable!("there is no hint")), "it stands");
    }
}
