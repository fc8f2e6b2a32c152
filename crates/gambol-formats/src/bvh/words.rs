//! A text as words, each with its line. Braces are words of their own.

/// A word and its line, counted from 1.
#[derive(Clone, Copy)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) line: u32,
}

impl Word<'_> {
    /// Capital and small letters are the same.
    pub(super) fn is(&self, other: &str) -> bool {
        self.text.eq_ignore_ascii_case(other)
    }
}

/// What is left of a text.
pub(super) struct Words<'t> {
    rest: &'t str,
    line: u32,
}

impl<'t> Words<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 }
    }

    /// The line that is being read.
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    /// All that was not read yet, and the line in which it starts.
    pub(super) fn rest(&self) -> (&'t str, u32) {
        (self.rest, self.line)
    }

    pub(super) fn next(&mut self) -> Option<Word<'t>> {
        let start = self.rest.find(|c: char| !c.is_whitespace())?;
        let lines = self.rest[..start].bytes().filter(|byte| *byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        let from_start = &self.rest[start..];
        let length = if from_start.starts_with(['{', '}']) {
            1
        } else {
            from_start.find(|c: char| c.is_whitespace() || c == '{' || c == '}').unwrap_or(from_start.len())
        };
        let (text, rest) = from_start.split_at(length);
        self.rest = rest;
        Some(Word { text, line: self.line })
    }

    /// The words up to a brace or the end of the line, as a name.
    pub(super) fn rest_of_line(&mut self) -> String {
        let end = self.rest.find(['\n', '{', '}']).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
