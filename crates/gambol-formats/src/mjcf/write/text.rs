//! XML text: tags, attributes, and numbers that come back as they were.

use std::fmt::Write;

use gambol_model::{Quat, Vec3};

/// Deeper levels are not indented further: the text of a long chain must not grow with the square of its length.
const MAX_INDENT: usize = 24;

/// An element on its way into the text.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    name: &'static str,
    attributes: String,
}

impl Tag {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new() }
    }

    /// An attribute; one without text is left out.
    pub(super) fn text(mut self, name: &str, value: &str) -> Self {
        if !value.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(self.attributes, " {name}=\"{}\"", escaped(value));
        }
        self
    }

    /// Numbers, to the last digit.
    pub(super) fn numbers(self, name: &str, values: &[f64]) -> Self {
        let words: Vec<String> = values.iter().map(|value| number(*value)).collect();
        self.text(name, &words.join(" "))
    }

    /// Numbers that differ from what MJCF takes if they are not given.
    pub(super) fn numbers_unless(self, name: &str, values: &[f64], default: &[f64]) -> Self {
        if values == default { self } else { self.numbers(name, values) }
    }

    /// Where something is in the frame around it.
    pub(super) fn pose(self, position: Vec3, rotation: Quat) -> Self {
        let wxyz = [rotation.w, rotation.i, rotation.j, rotation.k];
        self.numbers_unless("pos", position.as_slice(), &[0.0; 3]).numbers_unless(
            "quat",
            &wxyz,
            &[1.0, 0.0, 0.0, 0.0],
        )
    }
}

/// The shortest text that is read as the same number.
pub(super) fn number(value: f64) -> String {
    let text = format!("{:?}", value + 0.0); // −0 becomes 0
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Text as the value of an attribute. Characters that XML cannot say at all become underscores.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // Plain white space in an attribute would be read as blanks.
            '\t' | '\n' | '\r' => {
                let _ = write!(safe, "&#{};", u32::from(c));
            }
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => safe.push('_'),
            _ => safe.push(c),
        }
    }
    safe
}

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Page {
    text: String,
    open: Vec<&'static str>,
}

impl Page {
    /// An element without children.
    pub(super) fn leaf(&mut self, tag: &Tag) {
        self.line(&format!("<{}{}/>", tag.name, tag.attributes));
    }

    /// An element whose children follow.
    pub(super) fn open(&mut self, tag: &Tag) {
        self.line(&format!("<{}{}>", tag.name, tag.attributes));
        self.open.push(tag.name);
    }

    /// The end of the innermost open element.
    pub(super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.line(&format!("</{name}>"));
        }
    }

    /// Elements open now.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// A section of `tags`; none if there are none.
    pub(super) fn section(&mut self, name: &'static str, tags: &[Tag]) {
        if tags.is_empty() {
            return;
        }
        self.blank();
        self.open(&Tag::new(name));
        for tag in tags {
            self.leaf(tag);
        }
        self.close();
    }

    /// An empty line.
    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// The whole text, all elements closed.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn line(&mut self, line: &str) {
        let indent = self.open.len().min(MAX_INDENT);
        (0..indent).for_each(|_| self.text.push_str("  "));
        self.text.push_str(line);
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_were() {
        for value in [0.1, -1.0, 1e-300, 123_456_789.123_456_79, f64::MAX, 5e-324, 1.0 / 3.0] {
            assert_eq!(number(value).parse::<f64>().unwrap().to_bits(), value.to_bits(), "{}", number(value));
        }
        assert_eq!((number(-0.0), number(2.0)), ("0".to_owned(), "2".to_owned()));
    }

    #[test]
    fn names_are_escaped() {
        let tag = Tag::new("body").text("name", "a<b> & \"c\"\n\u{1}").text("class", "");
        assert_eq!(tag.attributes, " name=\"a&lt;b&gt; &amp; &quot;c&quot;&#10;_\"");
    }
}
