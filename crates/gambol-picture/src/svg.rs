//! A picture as SVG. Coordinates are rounded and relative, which keeps a sheet of many creatures small.

use std::fmt::Write;

use crate::picture::{Anchor, Colour, Item, Picture, Point, Stroke};
use crate::text::text_width;

/// Outlines have this width unless they say otherwise.
const USUAL_WIDTH: f64 = 0.8;
/// Fonts for text: ours, what looks like it, and what there is.
const FAMILIES: &str = "Noto Sans, DejaVu Sans, Verdana, sans-serif";

impl Picture {
    /// The picture as an SVG file. Text is text: it can be searched and copied, and is drawn with the viewer's fonts, at
    /// the width that it has in ours.
    pub fn to_svg(&self) -> String {
        self.svg(true)
    }

    /// The same without the page behind it, to lie on another.
    pub fn to_transparent_svg(&self) -> String {
        self.svg(false)
    }

    fn svg(&self, page: bool) -> String {
        let (width, height) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" fill=\"none\" stroke-width=\"{USUAL_WIDTH}\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\" font-family=\"{FAMILIES}\">\n"
        );
        if !self.title.is_empty() {
            let _ = writeln!(svg, "<title>{}</title>", escape(&self.title));
        }
        if page {
            let paint = paint("fill", Colour { alpha: 255, ..self.background });
            let _ = writeln!(svg, "<path d=\"M0 0h{width}v{height}h-{width}z\"{paint}/>");
        }
        for item in &self.items {
            write_item(&mut svg, item);
            svg.push('\n');
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn write_item(svg: &mut String, item: &Item) {
    // Writing to a string cannot fail.
    let _ = match item {
        Item::Polygon { points, fill, outline } => {
            let d = PathData::through(points, true);
            write!(svg, "<path d=\"{d}\"{}{}/>", paint("fill", *fill), outlined(*outline))
        }
        Item::Polyline { points, stroke } => {
            let d = PathData::through(points, false);
            write!(svg, "<path d=\"{d}\"{}/>", outlined(Some(*stroke)))
        }
        Item::Circle { centre: [x, y], radius, fill, outline, title } => {
            let look = format!("{}{}", paint("fill", *fill), outlined(*outline));
            let _ = write!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"{look}");
            if title.is_empty() {
                write!(svg, "/>")
            } else {
                write!(svg, "><title>{}</title></circle>", escape(title))
            }
        }
        Item::Text { at, anchor, size, colour, text } => {
            let anchored = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            // Other fonts are wider or narrower: the width keeps them within the place that was made for the text.
            let width = text_width(text, *size);
            let (x, y) = (at[0], at[1]);
            write!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.1}\"{anchored} textLength=\"{width:.1}\" \
                 lengthAdjust=\"spacingAndGlyphs\"{}>{}</text>",
                paint("fill", *colour),
                escape(text)
            )
        }
    };
}

/// ` fill="#rrggbb"`, with the opacity where it is not full.
fn paint(what: &str, Colour { red, green, blue, alpha }: Colour) -> String {
    let mut text = format!(" {what}=\"#{red:02x}{green:02x}{blue:02x}\"");
    if alpha < 255 {
        let _ = write!(text, " {what}-opacity=\"{:.2}\"", f64::from(alpha) / 255.0);
    }
    text
}

fn outlined(stroke: Option<Stroke>) -> String {
    let Some(Stroke { colour, width }) = stroke else { return String::new() };
    let mut text = paint("stroke", colour);
    if width != USUAL_WIDTH {
        let _ = write!(text, " stroke-width=\"{}\"", (width * 100.0).round() / 100.0);
    }
    text
}

/// For text and for attributes. XML has no way to write a control character.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The `d` of a path. Points are rounded before they are made relative, so that no error adds up.
struct PathData {
    text: String,
    at: [i64; 2],
}

/// Steps of a coordinate in a pixel.
const STEPS_PER_PIXEL: i64 = 10;

impl PathData {
    fn through(points: &[Point], closed: bool) -> String {
        let mut data = Self { text: String::new(), at: [0; 2] };
        for (k, point) in points.iter().enumerate() {
            data.text.push(if k == 0 { 'm' } else { 'l' });
            data.move_to(rounded(*point));
        }
        if closed && !points.is_empty() {
            data.text.push('z');
        }
        data.text
    }

    fn move_to(&mut self, to: [i64; 2]) {
        for axis in 0..2 {
            self.number(to[axis] - self.at[axis]);
        }
        self.at = to;
    }

    /// Shortest form: `-.5`, and no blank where a sign or a letter parts two numbers.
    fn number(&mut self, value: i64) {
        if value < 0 {
            self.text.push('-');
        } else if self.text.ends_with(|c: char| c.is_ascii_digit()) {
            self.text.push(' ');
        }
        let (whole, part) = (value.abs() / STEPS_PER_PIXEL, value.abs() % STEPS_PER_PIXEL);
        if whole > 0 || part == 0 {
            let _ = write!(self.text, "{whole}");
        }
        if part > 0 {
            let _ = write!(self.text, ".{part}");
        }
    }
}

#[allow(clippy::cast_possible_truncation)] // a picture is far smaller than 2⁶³
fn rounded(point: Point) -> [i64; 2] {
    point.map(|x| (x * STEPS_PER_PIXEL as f64).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_data_is_short_and_adds_up() {
        let points = [[0.04, 1.0], [10.26, 0.5], [10.0, -0.5], [-3.0, 2.0]];
        assert_eq!(PathData::through(&points, true), "m0 1l10.3-.5l-.3-1l-13 2.5z");
    }

    #[test]
    fn numbers_are_parted() {
        let mut data = PathData { text: String::new(), at: [0; 2] };
        for value in [5, 50, -5, 1200, 0, 7] {
            data.number(value);
        }
        assert_eq!(data.text, ".5 5-.5 120 0 .7");
    }
}
