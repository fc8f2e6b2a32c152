//! Boxes to stay in.

use gambol_model::math;

/// The least and the most of one coordinate; infinite where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least.
    pub least: f64,
    /// Most.
    pub most: f64,
}

impl Bounds {
    /// Everything.
    pub const NONE: Self = Self { least: f64::NEG_INFINITY, most: f64::INFINITY };

    /// Between two numbers.
    pub fn new(least: f64, most: f64) -> Self {
        Self { least, most }
    }

    /// Width of the zone inside of a bound in which the map bends.
    fn zone(self, bound: f64) -> f64 {
        if bound.is_infinite() {
            return 0.0;
        }
        (0.5 * (self.most - self.least)).min(ZONE * (1.0 + bound.abs()))
    }

    /// Folds the line into the box (Hansen's boundary transformation): the identity inside but for a zone at each bound,
    /// where it bends as a parabola, is level at the bound, and comes back. It has no kink and no flat part, so that a search
    /// on the line neither sees an edge nor gets lost beyond it.
    pub(super) fn fold(self, x: f64) -> f64 {
        let (low, high) = (self.zone(self.least), self.zone(self.most));
        if x.is_nan() || (x >= self.least + low && x <= self.most - high) {
            return x;
        }
        // The map is level a zone beyond each bound and mirrors itself there.
        let (first, last) = (self.least - low, self.most + high);
        let x = reflect(x, first, last);
        if x < self.least + low {
            self.least + math::square(x - first) / (4.0 * low)
        } else if x > self.most - high {
            self.most - math::square(last - x) / (4.0 * high)
        } else {
            x
        }
    }

    /// A place on the line that `fold` takes to `y`; the nearest in the box if `y` is outside.
    pub(super) fn unfold(self, y: f64) -> f64 {
        let y = y.clamp(self.least, self.most);
        let (low, high) = (self.zone(self.least), self.zone(self.most));
        if y < self.least + low {
            self.least - low + 2.0 * (low * (y - self.least)).sqrt()
        } else if y > self.most - high {
            self.most + high - 2.0 * (high * (self.most - y)).sqrt()
        } else {
            y
        }
    }
}

/// Width of the bending zone in parts of 1 + the bound.
const ZONE: f64 = 0.05;

/// Mirrors x at both ends until it lies between.
fn reflect(x: f64, first: f64, last: f64) -> f64 {
    if last == f64::INFINITY {
        return if x < first { 2.0 * first - x } else { x };
    }
    if first == f64::NEG_INFINITY {
        return if x > last { 2.0 * last - x } else { x };
    }
    let width = last - first;
    let along = (x - first).rem_euclid(2.0 * width);
    first + if along > width { 2.0 * width - along } else { along }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything lands inside; nothing jumps; what is inside is reached.
    #[test]
    fn folding_stays_inside_and_unfolding_finds_the_way_back() {
        let boxes = [
            Bounds::new(0.0, 1.0),
            Bounds::new(-2.0, 50.0),
            Bounds::new(0.3, f64::INFINITY),
            Bounds::new(f64::NEG_INFINITY, -4.0),
            Bounds::new(0.1, 0.12),
            Bounds::NONE,
        ];
        for bounds in boxes {
            let mut last: Option<f64> = None;
            for k in -4000..4000 {
                let x = f64::from(k) * 0.005;
                let y = bounds.fold(x);
                // A hair of rounding at the bound itself.
                assert!(y >= bounds.least - 1e-12 && y <= bounds.most + 1e-12, "{bounds:?} {x} {y}");
                // No slope is above 1.
                assert!(last.is_none_or(|last| (y - last).abs() < 0.00501), "{bounds:?} {x}");
                assert!((bounds.fold(bounds.unfold(y)) - y).abs() < 1e-9, "{bounds:?} {x} {y}");
                last = Some(y);
            }
        }
        assert_eq!(Bounds::new(0.0, 1.0).fold(0.5), 0.5);
    }
}
