//! A picture as pixels.

use tiny_skia::{
    Color, FillRule, FilterQuality, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint,
    Stroke as Line, Transform,
};

use crate::picture::{Colour, Item, Picture, Point, Stroke};
use crate::text::{Line as TextLine, Mark, Pen};
use crate::{PictureError, png};

/// The most pixels on a side: what common viewers open, and a gigabyte at most.
const MOST: u32 = 16_384;

/// Pixels, each red, green and blue, row by row from the top.
pub struct Raster {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// All of them.
    pub rgb: Vec<[u8; 3]>,
}

impl Picture {
    /// With `scale` pixels for each of the picture's own, antialiased. Without opacity, which the page has not.
    pub fn to_raster(&self, scale: f64) -> Result<Raster, PictureError> {
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
        let rgb = canvas.pixels.pixels().iter().map(|p| [p.red(), p.green(), p.blue()]).collect();
        Ok(Raster { width, height, rgb })
    }
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
                for mark in TextLine::new(text).marks(*size, *at, *anchor) {
                    match mark {
                        Mark::Outline(pens) => self.area(path(&pens), *colour, None),
                        Mark::Image(place, png) => self.image(place, png),
                    }
                }
            }
        }
    }

    /// A picture within a text, scaled to its place: left, top, width, height. One that cannot be read is not there.
    fn image(&mut self, [left, top, width, height]: [f64; 4], file: &[u8]) {
        let Some(image) = png::read(file) else { return };
        let scale = [width / f64::from(image.width()), height / f64::from(image.height())].map(single);
        let place = Transform::from_row(scale[0], 0.0, 0.0, scale[1], single(left), single(top));
        let paint = PixmapPaint { quality: FilterQuality::Bicubic, ..PixmapPaint::default() };
        self.pixels.draw_pixmap(
            0,
            0,
            image.as_ref(),
            &paint,
            place.post_concat(self.picture_to_pixels),
            None,
        );
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
            Pen::Cubic([ax, ay], [bx, by], [x, y]) => builder.cubic_to(ax, ay, bx, by, x, y),
            Pen::Close => builder.close(),
        }
    }
    builder.finish()
}

/// Where two rasters of one size differ: left, top, width and height of the smallest rectangle around it.
pub(crate) fn changed<T: PartialEq>(width: u32, before: &[T], after: &[T]) -> Option<[u32; 4]> {
    let mut low = [u32::MAX; 2];
    let mut high = [0; 2];
    let rows = before.chunks_exact(width as usize).zip(after.chunks_exact(width as usize));
    for (y, (before, after)) in (0..).zip(rows) {
        let differs = |&x: &u32| before[x as usize] != after[x as usize];
        if let Some(left) = (0..width).find(differs) {
            let right = (0..width).rev().find(differs).unwrap_or(left);
            low = [low[0].min(left), low[1].min(y)];
            high = [high[0].max(right + 1), y + 1];
        }
    }
    (high[0] > 0).then(|| [low[0], low[1], high[0] - low[0], high[1] - low[1]])
}

/// The part of a raster within left, top, width and height.
pub(crate) fn part<T: Copy>(all: &[T], width: u32, [x, y, wide, high]: [u32; 4]) -> Vec<T> {
    let rows = all.chunks_exact(width as usize).skip(y as usize).take(high as usize);
    rows.flat_map(|row| &row[x as usize..(x + wide) as usize]).copied().collect()
}
