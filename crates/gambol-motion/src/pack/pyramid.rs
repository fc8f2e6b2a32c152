//! Places and rotations over time in levels of detail: a lifting scheme with tangent splines (Tournier and others 2009, section 3.5;
//! Rahman and others 2005).
//!
//! ```text
//! m → ⌈m/2⌉ → … → 1                every other sample is a level, down to one
//! r½ = r₀ exp((9 v₁ − v₋₁ − v₂)/16),   vₖ = log(r₀⁻¹ rₖ)     one between r₀ and r₁, as the cubic through four says
//! d = log(r½⁻¹ r)                   the detail: what that lacks
//! ```
//!
//! Details of the finest levels are left out. Those of the others together with the one coarsest sample are as many numbers as the
//! samples of the finest level that is kept, and say the same: these are what is stored.

use gambol_model::{Quat, Vec3};

/// Something that a tangent vector leads away from, and that has one to each of its kind.
pub(crate) trait Sample: Copy {
    /// From here to there.
    fn log(&self, there: &Self) -> Vec3;
    /// Where a tangent vector leads.
    fn exp(&self, way: Vec3) -> Self;
}

impl Sample for Vec3 {
    fn log(&self, there: &Self) -> Vec3 {
        there - self
    }

    fn exp(&self, way: Vec3) -> Self {
        self + way
    }
}

impl Sample for Quat {
    fn log(&self, there: &Self) -> Vec3 {
        (self.inverse() * there).scaled_axis()
    }

    fn exp(&self, way: Vec3) -> Self {
        self * Self::from_scaled_axis(way)
    }
}

/// How many samples the levels of `samples` samples have, the finest first, down to one.
pub fn level_sizes(samples: usize) -> Vec<usize> {
    let mut sizes = vec![samples];
    while let Some(&last) = sizes.last().filter(|last| **last > 1) {
        sizes.push(last.div_ceil(2));
    }
    sizes
}

/// How many samples so many levels leave, and how many levels are left out; all levels if there are no more.
pub(crate) fn kept(samples: usize, levels: usize) -> (usize, usize) {
    let sizes = level_sizes(samples);
    let left_out = sizes.len().saturating_sub(levels.max(1));
    (sizes[left_out], left_out)
}

/// Every 2ⁿ-th sample.
pub(crate) fn coarse<S: Sample>(fine: &[S], left_out: usize) -> Vec<S> {
    fine.iter().step_by(1 << left_out).copied().collect()
}

/// All `samples` of them from those of the finest level that was kept.
pub(crate) fn refined<S: Sample>(coarse: &[S], samples: usize, left_out: usize) -> Vec<S> {
    let mut level = coarse.to_vec();
    for halvings in (0..left_out).rev() {
        let size = samples.div_ceil(1 << halvings);
        level = (0..size).map(|k| if k % 2 == 0 { level[k / 2] } else { between(&level, k / 2) }).collect();
    }
    level
}

/// What is expected half a step after a sample: by the cubic through the four about it, or by those that there are.
fn between<S: Sample>(level: &[S], index: usize) -> S {
    let here = level[index];
    let way = |other: Option<&S>| other.map(|other| here.log(other));
    let before = way(index.checked_sub(1).and_then(|k| level.get(k)));
    let step = match (before, way(level.get(index + 1)), way(level.get(index + 2))) {
        (Some(a), Some(b), Some(c)) => (9.0 * b - a - c) / 16.0,
        (Some(a), Some(b), None) => (3.0 * b - a) / 8.0,
        (None, Some(b), Some(c)) => (6.0 * b - c) / 8.0,
        (None, Some(b), None) => 0.5 * b,
        (Some(a), None, _) => -0.5 * a,
        (None, None, _) => Vec3::zeros(),
    };
    here.exp(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cubic is what four of its samples say, and a parabola what three do at the ends; turns about one axis are a line. With a level left
    /// out or two, they come back to the last digit.
    #[test]
    fn polynomials_come_back() {
        let at = |k: usize| k as f64 / 40.0;
        let inner = |t: f64| Vec3::new(t * t * t - t, 2.0 * t * t, 1.0 - t);
        let square = |t: f64| Vec3::new(t * t, 3.0 - t, 0.5 * t * t);
        for left_out in [1, 2] {
            let fine: Vec<Vec3> = (0..41).map(|k| square(at(k))).collect();
            let again = refined(&coarse(&fine, left_out), fine.len(), left_out);
            assert!(fine.iter().zip(&again).all(|(a, b)| (a - b).norm() < 1e-14));
        }
        let fine: Vec<Vec3> = (0..41).map(|k| inner(at(k))).collect();
        let again = refined(&coarse(&fine, 1), fine.len(), 1);
        assert!((3..38).all(|k| (fine[k] - again[k]).norm() < 1e-14));
        let axis = Vec3::new(0.6, 0.0, 0.8);
        let turns: Vec<Quat> =
            (0..41).map(|k| Quat::from_scaled_axis(axis * (3.0 * at(k) * at(k)))).collect();
        let again = refined(&coarse(&turns, 2), turns.len(), 2);
        assert!(turns.iter().zip(&again).all(|(a, b)| a.angle_to(b) < 1e-12));
    }

    /// The levels of the paper's table 2, and every length comes back whole where nothing is left out.
    #[test]
    fn levels_are_the_papers() {
        for (frames, levels) in [(141, 9), (6179, 14), (22948, 16), (4499, 14), (2783, 13)] {
            assert_eq!(level_sizes(frames).len(), levels);
        }
        for samples in 1..40 {
            let fine: Vec<Vec3> = (0..samples).map(|k| Vec3::repeat(k as f64)).collect();
            for levels in 1..8 {
                let (count, left_out) = kept(samples, levels);
                let kept = coarse(&fine, left_out);
                assert_eq!(kept.len(), count);
                let again = refined(&kept, samples, left_out);
                assert_eq!(again.len(), samples);
                assert!(left_out > 0 || again == fine);
            }
        }
    }
}
