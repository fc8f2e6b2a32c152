//! Text: which glyph goes where.
//!
//! A line is cut where direction (Unicode's bidirectional algorithm), script or font change. Each piece is shaped by
//! HarfBuzz' rules, which join Arabic letters, reorder Devanagari vowels and put accents where they belong, and the
//! pieces are set side by side from left to right. Lengths are in ems until a size is given.

mod fonts;

use std::sync::Arc;

use harfrust::{Buffer, Direction, Script, ShapeOptions, ShaperFont, shape};
use skrifa::{GlyphId, PathSink};
use unicode_bidi::BidiInfo;
use unicode_segmentation::UnicodeSegmentation;

use crate::picture::{Anchor, Point};
use fonts::{Face, embedded, face_for};

/// A movement of the pen; control points first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pen<T = f64> {
    Move([T; 2]),
    Line([T; 2]),
    Quad([T; 2], [T; 2]),
    Cubic([T; 2], [T; 2], [T; 2]),
    Close,
}

impl<T> Pen<T> {
    /// The same movement with every coordinate mapped.
    pub(crate) fn map<U>(self, f: impl Fn(T) -> U) -> Pen<U> {
        let place = |point: [T; 2]| point.map(&f);
        match self {
            Self::Move(to) => Pen::Move(place(to)),
            Self::Line(to) => Pen::Line(place(to)),
            Self::Quad(control, to) => Pen::Quad(place(control), place(to)),
            Self::Cubic(first, second, to) => Pen::Cubic(place(first), place(second), place(to)),
            Self::Close => Pen::Close,
        }
    }
}

/// Something to paint for a line of text, in pixels of the picture.
pub(crate) enum Mark<'a> {
    /// An area in the text's colour.
    Outline(Vec<Pen>),
    /// A picture of its own, as PNG: left, top, width, height.
    Image([f64; 4], &'a [u8]),
}

/// A line of text, set.
pub(crate) struct Line {
    /// em
    width: f64,
    glyphs: Vec<Glyph>,
    /// Letters that no font here has; an empty box stands for each.
    pub(crate) missing: Vec<char>,
}

struct Glyph {
    face: Arc<Face>,
    id: GlyphId,
    /// Its origin from the line's left end: right and up, em.
    at: Point,
}

/// A part of a line with one direction, script and font.
struct Piece<'a> {
    text: &'a str,
    script: Script,
    face: Arc<Face>,
}

/// Width of `text` at `size`, px.
pub fn text_width(text: &str, size: f64) -> f64 {
    Line::new(text).width * size
}

/// Letters of `texts` that no font here has, each once; pixels show an empty box for them.
pub fn missing_letters<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<char> {
    let mut missing: Vec<char> = texts.into_iter().flat_map(|text| Line::new(text).missing).collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

impl Line {
    pub(crate) fn new(text: &str) -> Self {
        // What breaks lines or moves a typewriter's carriage is a blank in one line.
        let blank = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        let text: String = text.chars().map(|c| if blank(c) { ' ' } else { c }).collect();
        let mut line = Self { width: 0.0, glyphs: Vec::new(), missing: Vec::new() };
        let order = BidiInfo::new(&text, None);
        if let Some(paragraph) = order.paragraphs.first() {
            let (levels, runs) = order.visual_runs(paragraph, paragraph.range.clone());
            for run in runs {
                let leftwards = levels[run.start].is_rtl();
                let mut pieces = line.cut(&text[run]);
                if leftwards {
                    pieces.reverse();
                }
                for piece in &pieces {
                    line.set(piece, leftwards);
                }
            }
        }
        line
    }

    /// Cuts a run where script or font change. What is drawn as one, such as a letter and its accents, stays together.
    fn cut<'a>(&mut self, run: &'a str) -> Vec<Piece<'a>> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut start = 0;
        for (at, cluster) in run.grapheme_indices(true) {
            let before = pieces.last().map(|piece| &piece.face);
            let face = face_for(cluster, before).unwrap_or_else(|| {
                self.missing
                    .extend(cluster.chars().filter(|c| !self.missing.contains(c)).collect::<Vec<_>>());
                embedded().clone()
            });
            let script = script(cluster);
            match pieces.last_mut() {
                Some(last) if Arc::ptr_eq(&last.face, &face) && agree(last.script, script) => {
                    if is_common(last.script) {
                        last.script = script;
                    }
                    last.text = &run[start..at + cluster.len()];
                }
                _ => {
                    start = at;
                    pieces.push(Piece { text: cluster, script, face });
                }
            }
        }
        pieces
    }

    /// Shapes a piece and sets it at the end of the line.
    fn set(&mut self, piece: &Piece, leftwards: bool) {
        let mut buffer = Buffer::new();
        buffer.push_str(piece.text);
        buffer.set_direction(if leftwards { Direction::RightToLeft } else { Direction::LeftToRight });
        buffer.set_script(Some(piece.script));
        buffer.guess_segment_properties();
        let font = ShaperFont::new(&piece.face.font);
        // It fails only for a buffer that is not text or has no direction.
        if shape(&font, &mut buffer, ShapeOptions::new()).is_err() {
            return;
        }
        let em = piece.face.units_per_em();
        for (info, place) in buffer.glyph_infos().iter().zip(buffer.glyph_positions()) {
            let at = [self.width + f64::from(place.x_offset) / em, f64::from(place.y_offset) / em];
            let id = GlyphId::new(info.glyph_id);
            self.glyphs.push(Glyph { face: piece.face.clone(), id, at });
            self.width += f64::from(place.x_advance) / em;
        }
    }

    /// px
    pub(crate) fn width(&self, size: f64) -> f64 {
        self.width * size
    }

    /// All that is to be painted, at `size`, with `at` on the base line.
    pub(crate) fn marks(&self, size: f64, at: Point, anchor: Anchor) -> Vec<Mark<'_>> {
        let left = match anchor {
            Anchor::Start => at[0],
            Anchor::Middle => at[0] - self.width(size) / 2.0,
            Anchor::End => at[0] - self.width(size),
        };
        let marks = self.glyphs.iter().map(|glyph| {
            let origin = [left + glyph.at[0] * size, at[1] - glyph.at[1] * size];
            let mut outline = Outline { origin, scale: size / glyph.face.units_per_em(), pens: Vec::new() };
            glyph.face.draw(glyph.id, &mut outline);
            match glyph.face.bitmap(glyph.id) {
                Some(([x, top, width, height], png)) if outline.pens.is_empty() => {
                    let corner = [origin[0] + x * size, origin[1] - top * size];
                    Mark::Image([corner[0], corner[1], width * size, height * size], png)
                }
                _ => Mark::Outline(outline.pens),
            }
        });
        marks.collect()
    }
}

/// The script of what is drawn as one: that of its first letter that has one.
fn script(cluster: &str) -> Script {
    let mut scripts = cluster.chars().map(|c| harfrust::unicode::script(c.into()));
    scripts.find(|script| !is_common(*script)).unwrap_or(Script::COMMON)
}

/// Blanks, stops, digits and accents go with any script.
fn is_common(script: Script) -> bool {
    [Script::COMMON, Script::INHERITED].contains(&script)
}

fn agree(a: Script, b: Script) -> bool {
    a == b || is_common(a) || is_common(b)
}

/// Takes an outline down in pixels.
struct Outline {
    origin: Point,
    scale: f64,
    pens: Vec<Pen>,
}

impl Outline {
    fn place(&self, x: f32, y: f32) -> Point {
        [self.origin[0] + f64::from(x) * self.scale, self.origin[1] - f64::from(y) * self.scale]
    }
}

impl PathSink for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.pens.push(Pen::Move(self.place(x, y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.pens.push(Pen::Line(self.place(x, y)));
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.pens.push(Pen::Quad(self.place(cx, cy), self.place(x, y)));
    }

    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.pens.push(Pen::Cubic(self.place(ax, ay), self.place(bx, by), self.place(x, y)));
    }

    fn close(&mut self) {
        self.pens.push(Pen::Close);
    }
}

#[cfg(test)]
mod tests;
