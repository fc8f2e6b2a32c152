//! Forces under a film strip: a curve for each foot, their sum, and in red what no foot could give.

use gambol_motion::Clip;

use crate::picture::{Anchor, Colour, Item, Picture, Stroke};
use crate::sheet::GREY;
use crate::stage::{FAR, NEAR};

/// Forces of a clip over time, in body weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceCurves {
    /// s, rising, within the clip; one for each number of the curves.
    pub times: Vec<f64>,
    /// What pushes each foot up, with the name of its landmark.
    pub feet: Vec<(String, Vec<f64>)>,
    /// The force that no foot could give.
    pub residual: Vec<f64>,
    /// When the clip cannot be believed, s.
    pub unbelieved: Vec<[f64; 2]>,
}

const RED: Colour = Colour::hex(0xc8_2a_2a);
const PALE_RED: Colour = Colour { alpha: 38, ..RED };
const LINE: Stroke = Stroke { colour: Colour::hex(0xd4_d5_d8), width: 0.8 };
const SUM: Stroke = Stroke { colour: Colour::hex(0x3b_6e_a8), width: 1.6 };
const REST: Stroke = Stroke { colour: RED, width: 1.6 };

/// A chart on a strip.
pub(crate) struct ForceChart<'c> {
    curves: &'c ForceCurves,
    loops: bool,
    /// s
    start: f64,
    /// s
    duration: f64,
    /// Upper end of its axis, body weights.
    most: f64,
}

/// Where a chart is, px, and what of the time it shows.
pub(crate) struct ForcePlace<'p> {
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    /// s after the first key.
    pub(crate) shown: [f64; 2],
    pub(crate) x_at: &'p dyn Fn(f64) -> f64,
    /// Size of its letters.
    pub(crate) small: f64,
}

impl<'c> ForceChart<'c> {
    /// Of all curves, so that all rows of a strip have one scale.
    pub(crate) fn new(curves: &'c ForceCurves, clip: &Clip) -> Self {
        /// A chart goes up to at least two body weights, so that who stands is not at its upper edge, …
        const LEAST: f64 = 2.0;
        /// … and to no more than so many: what is above that is off the chart.
        const MOST: f64 = 20.0;
        let sums = (0..curves.times.len()).map(|key| sum(curves, key));
        let largest =
            sums.chain(curves.residual.iter().copied()).filter(|x| x.is_finite()).fold(LEAST, f64::max);
        Self {
            curves,
            loops: clip.stride.is_some(),
            start: clip.times[0],
            duration: clip.duration() - clip.times[0],
            most: largest.min(MOST).ceil(),
        }
    }

    pub(crate) fn draw(&self, picture: &mut Picture, place: &ForcePlace, is_far: &dyn Fn(&str) -> bool) {
        let &ForcePlace { top, bottom, shown, x_at, small } = place;
        let y_at = |weights: f64| bottom - (bottom - top) * (weights / self.most).clamp(-0.02, 1.0);
        let [left, right] = shown.map(x_at);
        for [from, to] in self.turns(self.curves.unbelieved.iter().copied()) {
            let [from, to] = [from.max(shown[0]), to.min(shown[1])];
            if from < to {
                picture.rectangle([x_at(from), top], [x_at(to), bottom], PALE_RED, None);
            }
        }
        // A line for every weight, or for every fifth of many.
        let step = if self.most > 8.0 { 5.0 } else { 1.0 };
        let mut weights = 0.0;
        while weights <= self.most {
            let y = y_at(weights);
            picture.line([left, y], [right, y], LINE);
            let at = [left - 6.0, y + 0.36 * small];
            picture.text(at, Anchor::End, small, GREY, format!("{weights:.0}"));
            weights += step;
        }
        // A foot that carries all is seen on top of the sum.
        if self.curves.feet.len() > 1 {
            self.curve(picture, place, &|key| sum(self.curves, key), &y_at, SUM);
        }
        for (name, force) in &self.curves.feet {
            let colour = if is_far(name) { FAR } else { NEAR };
            self.curve(picture, place, &|key| force[key], &y_at, Stroke { colour, width: 1.0 });
        }
        self.curve(picture, place, &|key| self.curves.residual[key], &y_at, REST);
        let mut x = left;
        for (words, colour) in [
            ("forces in body weights:", GREY),
            ("each foot", NEAR),
            ("all together", SUM.colour),
            ("from nowhere", RED),
        ] {
            picture.text([x, bottom + 1.25 * small], Anchor::Start, small, colour, words);
            x += crate::text_width(words, small) + 10.0;
        }
    }

    /// A curve through the keys that are shown; it breaks off where a number is missing.
    fn curve(
        &self,
        picture: &mut Picture,
        place: &ForcePlace,
        value: &dyn Fn(usize) -> f64,
        y_at: &dyn Fn(f64) -> f64,
        stroke: Stroke,
    ) {
        let mut keys: Vec<(f64, f64)> = Vec::new();
        for turn in self.turn_numbers() {
            for (key, time) in self.curves.times.iter().enumerate() {
                keys.push((time - self.start + turn * self.duration, value(key)));
            }
        }
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [first, last] = place.shown;
        let mut points = Vec::new();
        for pair in keys.windows(2) {
            let [(from, a), (to, b)] = [pair[0], pair[1]];
            // The part of the line between the two keys that is shown.
            let [enter, leave] = [first.max(from), last.min(to)];
            if enter < leave && to > from {
                let at = |time: f64| a + (b - a) * (time - from) / (to - from);
                if points.is_empty() {
                    points.push([(place.x_at)(enter), y_at(at(enter))]);
                }
                points.push([(place.x_at)(leave), y_at(at(leave))]);
            }
        }
        if points.len() > 1 {
            picture.items.push(Item::Polyline { points, stroke });
        }
    }

    /// A loop goes on before its start and after its end.
    fn turn_numbers(&self) -> &'static [f64] {
        if self.loops { &[-1.0, 0.0, 1.0] } else { &[0.0] }
    }

    fn turns(&self, stretches: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
        let moved = |[from, to]: [f64; 2]| {
            self.turn_numbers()
                .iter()
                .map(move |turn| [from, to].map(|time| time - self.start + turn * self.duration))
        };
        stretches.flat_map(moved).collect()
    }
}

fn sum(curves: &ForceCurves, key: usize) -> f64 {
    curves.feet.iter().map(|(_, force)| force[key]).sum()
}

impl ForceCurves {
    /// Whether all curves have a number for each time.
    pub(crate) fn fits(&self) -> bool {
        let count = self.times.len();
        self.residual.len() == count && self.feet.iter().all(|(_, force)| force.len() == count)
    }
}
