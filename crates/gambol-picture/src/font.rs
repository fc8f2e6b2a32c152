//! A stroke font of our own: each letter is a few lines and curves, drawn with a round pen.
//!
//! A glyph lies on a grid whose unit is 0.06 of the text's size. The pen's points are two digits in base 36, right
//! and up: the base line is at 4, small letters reach c (12), capitals and figures g (16), descenders 0. A point with
//! `~` is not on the line: it pulls a quadratic curve towards itself, and the curve goes through the middle between
//! two such points, as in TrueType. `,` lifts the pen, `z` closes the line, and a single point is a dot.

use crate::picture::{Anchor, Point};

/// Units of the grid per text size.
const UNIT: f64 = 0.06;
/// Units between two letters, and so from pen to pen.
const GAP: f64 = 3.2;
/// The row of the base line.
const BASE: f64 = 4.0;
/// A dot is a little wider than the pen, by twice this many units.
const DOT: f64 = 0.3;

/// A movement of the pen; control points first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pen<T = f64> {
    Move([T; 2]),
    Line([T; 2]),
    Quad([T; 2], [T; 2]),
    Close,
}

impl<T> Pen<T> {
    /// The same movement with every coordinate mapped.
    pub(crate) fn map<U>(self, f: impl Fn(T) -> U) -> Pen<U> {
        self.place(|point| point.map(&f))
    }

    fn place<U>(self, f: impl Fn([T; 2]) -> [U; 2]) -> Pen<U> {
        match self {
            Self::Move(to) => Pen::Move(f(to)),
            Self::Line(to) => Pen::Line(f(to)),
            Self::Quad(control, to) => Pen::Quad(f(control), f(to)),
            Self::Close => Pen::Close,
        }
    }
}

/// Width of `text` at `size`, px, from the first letter's left edge to the last one's right.
pub fn text_width(text: &str, size: f64) -> f64 {
    let units: f64 = text.chars().map(|c| glyph(c).0 + GAP).sum();
    (units - GAP).max(0.0) * UNIT * size + if text.is_empty() { 0.0 } else { stroke_width(size) }
}

/// Width of the pen for text of this size, px. Small text gets a slightly stronger one.
pub(crate) fn stroke_width(size: f64) -> f64 {
    0.062 * size + 0.28
}

/// The pen's way for a line of text.
pub(crate) fn strokes(text: &str, size: f64, at: Point, anchor: Anchor) -> Vec<Pen> {
    let width = text_width(text, size);
    let mut left = stroke_width(size) / 2.0
        + match anchor {
            Anchor::Start => at[0],
            Anchor::Middle => at[0] - width / 2.0,
            Anchor::End => at[0] - width,
        };
    let unit = UNIT * size;
    let mut pens = Vec::new();
    for character in text.chars() {
        let (width, strokes) = glyph(character);
        for stroke in strokes.split(',').filter(|stroke| !stroke.is_empty()) {
            let place = |[x, y]: Point| [left + x * unit, at[1] - (y - BASE) * unit];
            pens.extend(trace(stroke).into_iter().map(|pen| pen.place(place)));
        }
        left += (width + GAP) * unit;
    }
    pens
}

/// One stroke of a glyph on its grid.
fn trace(stroke: &str) -> Vec<Pen> {
    let closed = stroke.ends_with('z');
    let mut points: Vec<(Point, bool)> = stroke.split(' ').filter_map(read_point).collect();
    let Some(&(first, _)) = points.first() else { return Vec::new() };
    if points.len() == 1 {
        let [x, y] = first;
        let (left, right) = ([x - DOT, y], [x + DOT, y]);
        let (top, bottom) = ([x, y + 2.0 * DOT], [x, y - 2.0 * DOT]);
        return vec![Pen::Move(left), Pen::Quad(top, right), Pen::Quad(bottom, left), Pen::Close];
    }
    if closed {
        // Begin on the line: between the last point and the first where both only pull.
        let (last, last_pulls) = points[points.len() - 1];
        if points[0].1 {
            points.insert(0, (if last_pulls { middle(last, first) } else { last }, false));
        }
        points.push(points[0]);
    }
    let mut pens = vec![Pen::Move(points[0].0)];
    for k in 1..points.len() {
        let (point, pulls) = points[k];
        let (_, previous_pulls) = points[k - 1];
        if pulls {
            let (next, next_pulls) = points[(k + 1).min(points.len() - 1)];
            pens.push(Pen::Quad(point, if next_pulls { middle(point, next) } else { next }));
        } else if !previous_pulls {
            pens.push(Pen::Line(point));
        }
    }
    if closed {
        pens.push(Pen::Close);
    }
    pens
}

fn middle(a: Point, b: Point) -> Point {
    [f64::midpoint(a[0], b[0]), f64::midpoint(a[1], b[1])]
}

/// `7c~` is 7 right, 12 up, and pulls.
fn read_point(text: &str) -> Option<(Point, bool)> {
    let mut digits = text.chars().filter_map(|c| c.to_digit(36)).map(f64::from);
    let pulls = text.ends_with('~');
    (text != "z").then_some(())?;
    Some(([digits.next()?, digits.next()?], pulls))
}

/// Width in units and strokes. What the font does not have is an empty box.
fn glyph(character: char) -> (f64, &'static str) {
    let (width, strokes) = find(character).unwrap_or((6, "04 0g 6g 64 z"));
    (f64::from(width), strokes)
}

/// The glyph of a character, if the font has it.
fn find(character: char) -> Option<(u8, &'static str)> {
    Some(match character {
        ' ' => (2, ""),
        '!' => (0, "0g 08,04"),
        '"' => (3, "0g 0d,3g 3d"),
        '#' => (8, "14 3g,54 7g,08 78,1c 8c"),
        '$' => (6, "6d 6g~ 0g~ 0a~ 6a~ 64~ 04~ 07,3i 32"),
        '%' => (10, "14 9g,0g~ 4g~ 4b~ 0b~ z,69~ a9~ a4~ 64~ z"),
        '&' => (9, "94 2c~ 2g~ 6g~ 6c~ 0a~ 04~ 64~ 9a"),
        '\'' => (0, "0g 0d"),
        '(' => (3, "3h 0e~ 05~ 32"),
        ')' => (3, "0h 3e~ 35~ 02"),
        '*' => (6, "3g 3a,0f 6b,0b 6f"),
        '+' => (8, "45 4d,09 89"),
        ',' => (1, "14 02"),
        '-' => (5, "09 59"),
        '.' => (0, "04"),
        '/' => (6, "03 6h"),
        '0' => (7, "0g~ 7g~ 74~ 04~ z"),
        '1' => (7, "1d 4g 44"),
        '2' => (7, "0d 0g~ 7g~ 7c 7a~ 04 74"),
        '3' => (7, "0d 0g~ 6g~ 6a~ 3a 7a~ 74~ 04~ 07"),
        '4' => (7, "54 5g 07 77"),
        '5' => (7, "6g 1g 0a 1c~ 3c 7c~ 74~ 04~ 07"),
        '6' => (7, "0c~ 7c~ 74~ 04~ z,5g 0f~ 08"),
        '7' => (7, "0g 7g 24"),
        '8' => (7, "1g~ 6g~ 6a~ 1a~ z,0a~ 7a~ 74~ 04~ z"),
        '9' => (7, "0g~ 7g~ 78~ 08~ z,7c 75~ 24"),
        ':' => (0, "04,0b"),
        ';' => (1, "1b,14 02"),
        '<' => (7, "7e 09 74"),
        '=' => (7, "07 77,0b 7b"),
        '>' => (7, "0e 79 04"),
        '?' => (6, "0d 0g~ 6g~ 6b~ 3b~ 38,34"),
        '@' => (11, "4b~ 8b~ 86~ 46~ z,8b 87 85~ b5~ bg~ 0g~ 02~ 52 82~ 93"),
        'A' => (8, "04 4g 84,28 68"),
        'B' => (8, "3a 0a 04 0g 3g 7g~ 7a~ 3a 8a~ 84~ 34 04"),
        'C' => (8, "8d 7g~ 4g 0g~ 0a 04~ 44 74~ 87"),
        'D' => (8, "04 0g 3g 8g~ 8a 84~ 34 z"),
        'E' => (7, "7g 0g 04 74,0a 6a"),
        'F' => (7, "7g 0g 04,0a 5a"),
        'G' => (8, "8d 7g~ 4g 0g~ 0a 04~ 44 84~ 89 59"),
        'H' => (8, "04 0g,84 8g,0a 8a"),
        'I' => (0, "04 0g"),
        'J' => (5, "5g 57 54~ 34 04~ 07"),
        'K' => (8, "04 0g,8g 08,3b 84"),
        'L' => (6, "0g 04 64"),
        'M' => (10, "04 0g 57 ag a4"),
        'N' => (8, "04 0g 84 8g"),
        'O' => (9, "0g~ 9g~ 94~ 04~ z"),
        'P' => (8, "04 0g 3g 8g~ 89~ 39 09"),
        'Q' => (9, "0g~ 9g~ 94~ 04~ z,68 93"),
        'R' => (8, "04 0g 3g 8g~ 89~ 39 09,39 84"),
        'S' => (7, "7d 7g~ 0g~ 0a~ 7a~ 74~ 04~ 07"),
        'T' => (8, "0g 8g,4g 44"),
        'U' => (8, "0g 09 04~ 84~ 89 8g"),
        'V' => (8, "0g 44 8g"),
        'W' => (12, "0g 34 6f 94 cg"),
        'X' => (8, "04 8g,0g 84"),
        'Y' => (8, "0g 4a 8g,4a 44"),
        'Z' => (8, "0g 8g 04 84"),
        '[' => (3, "3h 0h 02 32"),
        '\\' => (6, "0h 63"),
        ']' => (3, "0h 3h 32 02"),
        '^' => (6, "0c 3g 6c"),
        '_' => (7, "02 72"),
        '`' => (2, "0g 2e"),
        'a' => (6, "0b 1c~ 3c 6c~ 69 64,69 39 09~ 04~ 34 64~ 67"),
        'b' => (7, "0g 04,0c~ 7c~ 74~ 04~ z"),
        'c' => (6, "6b 5c~ 3c 0c~ 08 04~ 34 54~ 65"),
        'd' => (7, "7g 74,0c~ 7c~ 74~ 04~ z"),
        'e' => (7, "08 78 7c~ 0c~ 04~ 44 64~ 75"),
        'f' => (5, "5g 2g~ 2c 24,0c 5c"),
        'g' => (7, "0c~ 7c~ 74~ 04~ z,7c 73 70~ 40 10~ 01"),
        'h' => (6, "0g 04,08 0c~ 6c~ 68 64"),
        'i' => (0, "04 0c,0g"),
        'j' => (3, "3c 33 30~ 00,3g"),
        'k' => (6, "0g 04,6c 06,28 64"),
        'l' => (2, "0g 06 04~ 24"),
        'm' => (10, "0c 04,08 0c~ 5c~ 58 54,58 5c~ ac~ a8 a4"),
        'n' => (6, "0c 04,08 0c~ 6c~ 68 64"),
        'o' => (7, "0c~ 7c~ 74~ 04~ z"),
        'p' => (7, "0c 00,0c~ 7c~ 74~ 04~ z"),
        'q' => (7, "7c 70,0c~ 7c~ 74~ 04~ z"),
        'r' => (4, "0c 04,08 0c~ 4c"),
        's' => (6, "6b 5c~ 3c 0c~ 0a 08~ 38 68~ 66 64~ 34 14~ 05"),
        't' => (5, "2f 27 24~ 54,0c 5c"),
        'u' => (6, "0c 08 04~ 64~ 68,6c 64"),
        'v' => (6, "0c 34 6c"),
        'w' => (10, "0c 34 5c 74 ac"),
        'x' => (6, "04 6c,0c 64"),
        'y' => (6, "0c 34,6c 34 20~ 00"),
        'z' => (6, "0c 6c 04 64"),
        '{' => (4, "4h 2h~ 2c 29~ 09 29~ 26 22~ 42"),
        '|' => (0, "0h 02"),
        '}' => (4, "0h 2h~ 2c 29~ 49 29~ 26 22~ 02"),
        '~' => (8, "08 2c~ 49 66~ 8a"),
        '°' => (4, "0g~ 4g~ 4c~ 0c~ z"),
        '·' => (0, "09"),
        '–' => (8, "09 89"),
        'µ' => (6, "0c 00,08 04~ 64~ 68,6c 64"),
        '²' => (4, "0e 0g~ 4g~ 4e 4d~ 0a 4a"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn characters() -> impl Iterator<Item = char> {
        (' '..='~').chain("°·–µ²".chars())
    }

    #[test]
    fn every_printable_character_has_a_glyph_within_its_width() {
        for character in characters() {
            let (width, strokes) = find(character).unwrap_or_else(|| panic!("no glyph for {character:?}"));
            assert_eq!(strokes.is_empty(), character == ' ', "{character:?}");
            for word in strokes.split([',', ' ']).filter(|word| !word.is_empty() && *word != "z") {
                let digits = word.trim_end_matches('~');
                assert!(digits.len() == 2 && word.len() <= 3, "{character:?}: {word}");
                let ([x, y], _) = read_point(word).unwrap();
                assert!(x <= f64::from(width) && y <= 18.0, "{character:?}: {word}");
            }
        }
    }

    #[test]
    fn no_two_characters_look_the_same() {
        let mut seen = std::collections::HashMap::new();
        for character in characters() {
            if let Some(twin) = seen.insert(find(character).unwrap(), character) {
                panic!("{twin:?} and {character:?} look the same");
            }
        }
    }

    #[test]
    fn closed_curves_start_where_they_end() {
        let ring = trace("0c~ 6c~ 64~ 04~ z");
        assert_eq!(ring[0], Pen::Move([0.0, 8.0]));
        assert_eq!(ring[ring.len() - 2], Pen::Quad([0.0, 4.0], [0.0, 8.0]));
        assert_eq!(ring.len(), 6);
    }

    #[test]
    fn text_is_as_wide_as_its_strokes() {
        let size = 20.0;
        let pens = strokes("nun", size, [100.0, 50.0], Anchor::Middle);
        let ends = pens.iter().filter_map(|pen| match pen {
            Pen::Move(to) | Pen::Line(to) | Pen::Quad(_, to) => Some(to[0]),
            Pen::Close => None,
        });
        let (low, high) = ends.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        assert!((low + high - 200.0).abs() < 1e-9, "centred");
        assert!((high - low + stroke_width(size) - text_width("nun", size)).abs() < 1e-9);
        assert_eq!(text_width("", size), 0.0);
    }
}
