//! Several drawings on one page.

use gambol_model::Creature;

use crate::picture::{Anchor, Colour, Picture};
use crate::{Bounds, Drawing, Look, Marks, Placement, View, labels};

pub(crate) const DARK: Colour = Colour::hex(0x2a_2d_33);
pub(crate) const GREY: Colour = Colour::hex(0x6d_71_78);

/// A drawing with a caption.
pub struct Tile {
    /// What is in it.
    pub drawing: Drawing,
    /// How it is drawn.
    pub look: Look,
    /// Below it.
    pub caption: String,
}

/// Tiles in rows of `columns`, each drawing as large as its tile allows.
pub fn sheet(tiles: &[Tile], columns: usize) -> Picture {
    const TILE: [f64; 2] = [216.0, 210.0];
    const MARGIN: f64 = 16.0;
    const CAPTION: f64 = 20.0;
    let columns = columns.clamp(1, tiles.len().max(1));
    let rows = tiles.len().div_ceil(columns);
    let mut picture = Picture::new(TILE[0] * columns as f64, TILE[1] * rows as f64);
    for (k, tile) in tiles.iter().enumerate() {
        let middle = TILE[0] * ((k % columns) as f64 + 0.5);
        let bottom = TILE[1] * ((k / columns) as f64 + 1.0);
        let room = [TILE[0] - 2.0 * MARGIN, TILE[1] - 2.0 * MARGIN - CAPTION];
        let bounds = tile.drawing.bounds();
        let placement =
            Placement::standing(&bounds, fitting(&bounds, room), [middle, bottom - MARGIN - CAPTION]);
        tile.drawing.draw(&mut picture, placement, &tile.look);
        let at = [middle, bottom - 10.0];
        picture.text_within(TILE[0] - 8.0, at, Anchor::Middle, 14.0, DARK, &tile.caption);
    }
    picture
}

/// Side, front and top beside each other, with landmarks.
pub fn three_views(creature: &Creature, qpos: &[f64]) -> Picture {
    const MARGIN: f64 = labels::ROOM;
    const HEIGHT: f64 = 320.0;
    const TITLE: f64 = 40.0;
    let views = [View::side(), View::front(), View::top()];
    let drawings = views.map(|view| Drawing::new(creature, qpos, view));
    let all = drawings.iter().map(Drawing::size);
    let largest = all.clone().fold([1e-9_f64; 2], |m, [w, h]| [m[0].max(w), m[1].max(h)]);
    let scale = (HEIGHT / largest[1]).min(2.0 * HEIGHT / largest[0]);
    let width = all.map(|[w, _]| w * scale + 2.0 * MARGIN).sum::<f64>().max(200.0);
    let height = largest[1] * scale + 1.6 * MARGIN + TITLE;
    let mut picture = Picture::new(width, height);
    picture.title = format!("{} from the side, the front and above", creature.name());
    picture.text([width / 2.0, 26.0], Anchor::Middle, 17.0, DARK, creature.name());
    let look = Look { ground: true, landmarks: Marks::Named, ..Look::default() };
    let mut left = 0.0;
    for (drawing, view) in drawings.iter().zip(views) {
        let wide = drawing.size()[0] * scale + 2.0 * MARGIN;
        let at = [left + 0.5 * wide, height - MARGIN];
        drawing.draw(&mut picture, Placement::standing(&drawing.bounds(), scale, at), &look);
        picture.text([at[0], height - 14.0], Anchor::Middle, 12.0, GREY, view.name);
        left += wide;
    }
    picture
}

/// Pixels per metre at which `bounds` fills a room of this size, px.
pub(crate) fn fitting(bounds: &Bounds, room: [f64; 2]) -> f64 {
    let [width, height] = bounds.size();
    // A creature without any size is a dot at any scale.
    (room[0] / width.max(1e-9)).min(room[1] / height.max(1e-9)).min(1e9)
}
