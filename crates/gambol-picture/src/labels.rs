//! Dots with names beside them, none over another.

use crate::picture::{Anchor, Colour, Item, Picture, Point, Stroke};
use crate::text::text_width;
use gambol_model::math;

/// A named point on a picture.
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) at: Point,
    /// Towards the eye, m.
    pub(crate) depth: f64,
}

/// Names reach this far beyond the creature, px.
pub(crate) const ROOM: f64 = 56.0;

const RADIUS: f64 = 2.6;
const SIZE: f64 = 10.0;
const INK: Colour = Colour::hex(0x8c_1c_1c);

/// One dot for each label.
pub(crate) fn draw_dots(picture: &mut Picture, labels: &[Label]) {
    for label in labels {
        picture.items.push(Item::Circle {
            centre: label.at,
            radius: RADIUS,
            fill: Colour::hex(0xd6_28_28),
            outline: Some(Stroke { colour: Colour::hex(0xff_ff_ff), width: 1.0 }),
            title: label.name.clone(),
        });
    }
}

/// Names around the dots, within `page` (upper left and lower right corner), outwards where that is free. Where two dots coincide, the nearer is named;
/// where there is no room, none is.
pub(crate) fn draw_names(picture: &mut Picture, labels: &[Label], page: [Point; 2]) {
    let middle = [0, 1].map(|axis| 0.5 * (page[0][axis] + page[1][axis]));
    let mut order: Vec<&Label> = labels.iter().collect();
    order.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    let mut named: Vec<Point> = Vec::new();
    let mut taken: Vec<[Point; 2]> = labels.iter().map(|label| around(label.at, RADIUS)).collect();
    for label in order {
        if named.iter().any(|at| math::hypot(at[0] - label.at[0], at[1] - label.at[1]) < 2.0 * RADIUS) {
            continue;
        }
        named.push(label.at);
        let free = |place: &Place| {
            let [low, high] = place.area;
            let inside = (0..2).all(|axis| low[axis] > page[0][axis] && high[axis] < page[1][axis]);
            inside && taken.iter().all(|other| !overlap(other, &place.area))
        };
        let Some(place) = places(label, middle).find(free) else { continue };
        taken.push(place.area);
        let paper = Colour { alpha: 190, ..picture.background };
        picture.line(label.at, place.hook, Stroke { colour: INK, width: 0.7 });
        picture.rectangle(place.area[0], place.area[1], paper, None);
        picture.text(place.area_start(), Anchor::Start, SIZE, INK, label.name.clone());
    }
}

/// Where a name could go.
struct Place {
    area: [Point; 2],
    /// End of the line from the dot.
    hook: Point,
}

impl Place {
    /// Left end of the base line.
    fn area_start(&self) -> Point {
        [self.area[0][0] + 2.0, self.area[1][1] - 3.0]
    }
}

/// Places from near to far, at each distance those that lead away from `middle` first.
fn places(label: &Label, middle: Point) -> impl Iterator<Item = Place> {
    const DIRECTIONS: usize = 12;
    let (width, height) = (text_width(&label.name, SIZE) + 4.0, SIZE + 1.0);
    let out = math::atan2(label.at[1] - middle[1], label.at[0] - middle[0]);
    let at = label.at;
    [9.0, 18.0, 30.0, 45.0, 62.0].into_iter().flat_map(move |distance| {
        (0..DIRECTIONS).map(move |k| {
            let turn = k.div_ceil(2) as f64 * if k % 2 == 0 { 1.0 } else { -1.0 };
            let (sine, cosine) = math::sin_cos(out + std::f64::consts::TAU * turn / DIRECTIONS as f64);
            let hook = [at[0] + distance * cosine, at[1] + distance * sine];
            let left = hook[0] - 0.5 * width * (1.0 - cosine);
            let top = hook[1] - 0.5 * height * (1.0 - sine);
            Place { area: [[left, top], [left + width, top + height]], hook }
        })
    })
}

fn around(at: Point, radius: f64) -> [Point; 2] {
    [[at[0] - radius, at[1] - radius], [at[0] + radius, at[1] + radius]]
}

fn overlap(a: &[Point; 2], b: &[Point; 2]) -> bool {
    (0..2).all(|axis| a[0][axis] < b[1][axis] && b[0][axis] < a[1][axis])
}
