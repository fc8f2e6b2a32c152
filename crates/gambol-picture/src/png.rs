//! A picture as PNG.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke as Line, Transform,
};

use crate::PictureError;
use crate::font::{self, Pen};
use crate::picture::{Colour, Item, Picture, Point, Stroke};

/// The most pixels on a side: what common viewers open, and a gigabyte at most.
const MOST: u32 = 16_384;

impl Picture {
    /// The picture as a PNG file with `scale` pixels for each of its own, antialiased.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PictureError> {
        let size = [self.width * scale, self.height * scale];
        let refused = || PictureError::Size { width: size[0], height: size[1], most: MOST };
        if !size.iter().all(|side| (0.5..=f64::from(MOST)).contains(side)) {
            return Err(refused());
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked above
        let [width, height] = size.map(|side| side.round() as u32);
        let mut canvas = Canvas {
            pixels: Pixmap::new(width, height).ok_or_else(refused)?,
            picture_to_pixels: Transform::from_scale(single(scale), single(scale)),
        };
        let Colour { red, green, blue, .. } = self.background;
        canvas.pixels.fill(Color::from_rgba8(red, green, blue, 255));
        self.items.iter().for_each(|item| canvas.item(item));
        encode(&canvas.pixels).map_err(|_| refused())
    }
}

/// Without opacity, which the page has not, and quickly: a quarter larger than by default, in a third of the time.
fn encode(pixels: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let rgb: Vec<u8> = pixels.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.write_header()?.write_image_data(&rgb)?;
    Ok(file)
}

#[allow(clippy::cast_possible_truncation)] // f32 is what the rasteriser takes; a pixel is far larger than its error
fn single(x: f64) -> f32 {
    x as f32
}

struct Canvas {
    pixels: Pixmap,
    picture_to_pixels: Transform,
}

impl Canvas {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Polygon { points, fill, outline } => {
                self.area(through(points, true), *fill, *outline);
            }
            Item::Polyline { points, stroke } => self.area(through(points, false), CLEAR, Some(*stroke)),
            Item::Circle { centre, radius, fill, outline, .. } => {
                let circle = PathBuilder::from_circle(single(centre[0]), single(centre[1]), single(*radius));
                self.area(circle, *fill, *outline);
            }
            Item::Text { at, anchor, size, colour, text } => {
                let stroke = Stroke { colour: *colour, width: font::stroke_width(*size) };
                self.area(path(&font::strokes(text, *size, *at, *anchor)), CLEAR, Some(stroke));
            }
        }
    }

    /// No path means that there is nothing to see: no points, or numbers that are not finite.
    fn area(&mut self, path: Option<Path>, fill: Colour, outline: Option<Stroke>) {
        let Some(path) = path else { return };
        if fill.alpha > 0 {
            let (paint, place) = (paint(fill), self.picture_to_pixels);
            self.pixels.fill_path(&path, &paint, FillRule::Winding, place, None);
        }
        if let Some(Stroke { colour, width }) = outline {
            let line = Line {
                width: single(width),
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                ..Line::default()
            };
            self.pixels.stroke_path(&path, &paint(colour), &line, self.picture_to_pixels, None);
        }
    }
}

const CLEAR: Colour = Colour { red: 0, green: 0, blue: 0, alpha: 0 };

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(colour.red, colour.green, colour.blue, colour.alpha);
    paint
}

fn through(points: &[Point], closed: bool) -> Option<Path> {
    let first = points.iter().take(1).map(|point| Pen::Move(*point));
    let rest = points.iter().skip(1).map(|point| Pen::Line(*point));
    let mut pens: Vec<Pen> = first.chain(rest).collect();
    if closed {
        pens.push(Pen::Close);
    }
    path(&pens)
}

fn path(pens: &[Pen]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for pen in pens {
        match pen.map(single) {
            Pen::Move([x, y]) => builder.move_to(x, y),
            Pen::Line([x, y]) => builder.line_to(x, y),
            Pen::Quad([cx, cy], [x, y]) => builder.quad_to(cx, cy, x, y),
            Pen::Close => builder.close(),
        }
    }
    builder.finish()
}
