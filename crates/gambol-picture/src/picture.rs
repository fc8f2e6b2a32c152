//! A picture: a flat list of things to paint, in pixels, the first at the bottom.

use unicode_segmentation::UnicodeSegmentation;

use crate::text::{missing_letters, text_width};

/// A point in pixels: to the right and down from the upper left corner.
pub type Point = [f64; 2];

/// A colour with its opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// 0..=255
    pub red: u8,
    /// 0..=255
    pub green: u8,
    /// 0..=255
    pub blue: u8,
    /// 0 cannot be seen, 255 hides what is below.
    pub alpha: u8,
}

impl Colour {
    /// From `0xRRGGBB`, opaque.
    pub const fn hex(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self { red, green, blue, alpha: 255 }
    }

    /// From red, green, blue and opacity in 0..1.
    pub fn from_unit(rgba: [f64; 4]) -> Self {
        let [red, green, blue, alpha] = rgba.map(to_byte);
        Self { red, green, blue, alpha }
    }
}

/// 0..1 to 0..255.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
fn to_byte(c: f64) -> u8 {
    (c.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// A line with round caps and joins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub colour: Colour,
    /// Pixels.
    pub width: f64,
}

/// Which point of a text is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One thing on a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A filled area.
    Polygon {
        /// Corners; the last is joined to the first.
        points: Vec<Point>,
        /// Colour of the area.
        fill: Colour,
        /// Line around it.
        outline: Option<Stroke>,
    },
    /// A line through points.
    Polyline {
        /// From end to end.
        points: Vec<Point>,
        /// The line.
        stroke: Stroke,
    },
    /// A filled disk.
    Circle {
        /// Centre.
        centre: Point,
        /// Pixels.
        radius: f64,
        /// Colour of the disk.
        fill: Colour,
        /// Line around it.
        outline: Option<Stroke>,
        /// Shown by a browser under the pointer; may be empty.
        title: String,
    },
    /// One line of text.
    Text {
        /// On the base line.
        at: Point,
        /// Which point of the text `at` is.
        anchor: Anchor,
        /// Height of the line, px; capitals are 0.72 of it.
        size: f64,
        /// Colour.
        colour: Colour,
        /// The text.
        text: String,
    },
}

/// A picture; [`Picture::to_svg`] and [`Picture::to_png`] look the same, but for the fonts that a viewer of SVG has.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels.
    pub width: f64,
    /// Pixels.
    pub height: f64,
    /// Colour of the page, which is always opaque.
    pub background: Colour,
    /// What the picture shows, for those who cannot see it; may be empty.
    pub title: String,
    /// The things on it, the first at the bottom.
    pub items: Vec<Item>,
}

impl Picture {
    /// A white page.
    pub fn new(width: f64, height: f64) -> Self {
        Self {
            width: width.ceil().max(1.0),
            height: height.ceil().max(1.0),
            background: Colour::hex(0xff_ff_ff),
            title: String::new(),
            items: Vec::new(),
        }
    }

    /// Adds a line of text.
    pub fn text(&mut self, at: Point, anchor: Anchor, size: f64, colour: Colour, text: impl Into<String>) {
        self.items.push(Item::Text { at, anchor, size, colour, text: text.into() });
    }

    /// Adds a line of text that is made smaller, and then cut off, so that it is at most `width` pixels wide.
    pub fn text_within(
        &mut self,
        width: f64,
        at: Point,
        anchor: Anchor,
        size: f64,
        colour: Colour,
        text: &str,
    ) {
        // Below four fifths a smaller text is harder to read than a shorter one.
        let size = (size * width / text_width(text, size).max(1e-9)).clamp(0.8 * size, size);
        let mut text = text.to_owned();
        while text_width(&text, size) > width && text.chars().count() > 3 {
            // By what is drawn as one: a letter keeps its accents or goes with them.
            let kept: Vec<&str> = text.trim_end_matches("...").graphemes(true).collect();
            text = kept[..kept.len().saturating_sub(1)].concat().trim_end().to_owned() + "...";
        }
        self.text(at, anchor, size, colour, text);
    }

    /// Letters of its texts that no font here has, each once: as pixels, an empty box stands for them.
    pub fn missing_letters(&self) -> Vec<char> {
        missing_letters(self.items.iter().filter_map(|item| match item {
            Item::Text { text, .. } => Some(text.as_str()),
            _ => None,
        }))
    }

    /// Adds a rectangle: `low` and `high` are opposite corners.
    pub fn rectangle(&mut self, low: Point, high: Point, fill: Colour, outline: Option<Stroke>) {
        let points = vec![low, [high[0], low[1]], high, [low[0], high[1]]];
        self.items.push(Item::Polygon { points, fill, outline });
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.items.push(Item::Polyline { points: vec![from, to], stroke });
    }
}
