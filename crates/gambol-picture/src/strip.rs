//! A film strip: the frames of a motion beside each other on one ground.

use gambol_dynamics::{Data, center_of_mass};
use gambol_model::Creature;

use crate::picture::{Anchor, Colour, Picture, Stroke};
use crate::sheet::{DARK, GREY};
use crate::{Bounds, Drawing, Look, Placement, View};

/// One frame of a film strip.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Below it, e.g. a time.
    pub caption: String,
    /// A pose, `nq` numbers.
    pub pose: Vec<f64>,
}

/// Frames from left to right and then in further rows, each row on its ground. All have one scale, and each has the
/// creature's centre of mass in its middle.
pub fn film_strip(creature: &Creature, title: &str, frames: &[Frame], view: View) -> Picture {
    const MARGIN: f64 = 14.0;
    const TITLE: f64 = 34.0;
    const CAPTION: f64 = 26.0;
    const TALLEST: f64 = 150.0;
    const WIDEST: f64 = 190.0;
    const MOST_IN_ROW: usize = 8;
    let mut data = Data::new(creature);
    let shots: Vec<(Drawing, f64)> = frames
        .iter()
        .map(|frame| {
            let com = center_of_mass(creature, &mut data, &frame.pose);
            (Drawing::new(creature, &frame.pose, view), com.dot(&view.right()))
        })
        .collect();
    // As seen from the centre of mass, and down to the ground.
    let around =
        shots.iter().fold(Bounds { low: [-1e-9, 0.0], high: [1e-9, 1e-9] }, |all, (drawing, middle)| {
            let Bounds { low, high } = drawing.bounds();
            all.union(&Bounds { low: [low[0] - middle, low[1]], high: [high[0] - middle, high[1]] })
        });
    let [reach, tall] = [2.0 * around.high[0].max(-around.low[0]), around.size()[1]];
    let scale = (TALLEST / tall).min(WIDEST / reach);
    let columns = frames.len().clamp(1, MOST_IN_ROW);
    let rows = frames.len().div_ceil(columns);
    let tile = [reach * scale + MARGIN, tall * scale + MARGIN + CAPTION];
    let width = (tile[0] * columns as f64 + 2.0 * MARGIN).max(200.0);
    let mut picture = Picture::new(width, TITLE + tile[1] * rows as f64 + MARGIN / 2.0);
    title.clone_into(&mut picture.title);
    picture.text_within(width - 2.0 * MARGIN, [MARGIN, 23.0], Anchor::Start, 16.0, DARK, title);
    for row in 0..rows {
        let ground = TITLE + tile[1] * row as f64 + MARGIN + around.high[1] * scale;
        if view.is_level() {
            let stroke = Stroke { colour: Colour::hex(0xa8_a8_a4), width: 1.0 };
            picture.line([MARGIN, ground], [width - MARGIN, ground], stroke);
        }
        let in_row = frames.iter().zip(&shots).skip(row * columns).take(columns);
        for (column, (frame, (drawing, middle))) in in_row.enumerate() {
            let x = MARGIN + tile[0] * (column as f64 + 0.5);
            let placement = Placement { scale, origin: [x - middle * scale, ground] };
            let shadow = !view.is_level();
            drawing.draw(&mut picture, placement, &Look { shadow, ..Look::default() });
            let below = [x, ground - around.low[1].min(0.0) * scale + 17.0];
            picture.text_within(tile[0] - 4.0, below, Anchor::Middle, 11.0, GREY, &frame.caption);
        }
    }
    picture
}
