//! Scaled conjugate gradients (Møller 1993, "A scaled conjugate gradient algorithm for fast supervised learning").

use std::ops::ControlFlow;

/// Where curvature is looked for, as a step.
const LOOK: f64 = 1e-5;

/// Least, first and largest damping.
const DAMPING: [f64; 3] = [1e-15, 1.0, 1e20];

/// Slopes whose squares sum up to less are none.
const LEVEL: f64 = 1e-12;

/// A step keeps so much less or more of what a parabola promises that the damping changes.
const POOR: f64 = 0.25;
const GOOD: f64 = 0.75;

/// Goes downhill from `at` for at most `rounds` steps, and leaves the lowest place in it. `cost` gives the value and its slopes; `None` is too far.
/// `tell` hears of each round and may end it. The result is the last value; `None` if there is none to begin with.
pub(super) fn descend(
    at: &mut Vec<f64>,
    rounds: usize,
    mut cost: impl FnMut(&[f64]) -> Option<(f64, Vec<f64>)>,
    mut tell: impl FnMut(usize, f64, &[f64]) -> ControlFlow<()>,
) -> Option<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let along = |at: &[f64], way: &[f64], step: f64| -> Vec<f64> {
        at.iter().zip(way).map(|(at, way)| at + step * way).collect()
    };
    let (mut value, mut slopes) = cost(at)?;
    let mut way: Vec<f64> = slopes.iter().map(|x| -x).collect();
    let (mut damping, mut is_fresh, mut curve, mut steps) = (DAMPING[1], true, 0.0, 0);
    for round in 0..rounds {
        let length = dot(&way, &way);
        if tell(round, value, at).is_break() || length < LEVEL || damping >= DAMPING[2] {
            break;
        }
        if is_fresh {
            // How the slope changes a little way on: the second derivative along the way.
            let small = LOOK / length.sqrt();
            curve = cost(&along(at, &way, small))
                .map_or(0.0, |(_, there)| (dot(&way, &there) - dot(&way, &slopes)) / small);
        }
        let mut held = curve + damping * length;
        if held <= 0.0 {
            held = damping * length;
            damping -= curve / length;
        }
        let pull = -dot(&way, &slopes);
        let step = pull / held;
        let next = along(at, &way, step);
        let found = cost(&next);
        let kept = found.as_ref().map_or(-1.0, |(lower, _)| 2.0 * (value - lower) / (step * pull));
        is_fresh = kept >= 0.0;
        if let Some((lower, there)) = found.filter(|_| is_fresh) {
            steps += 1;
            let mut turn = (dot(&slopes, &there) - dot(&there, &there)) / -pull;
            if steps % at.len().max(1) == 0 {
                turn = 0.0;
            }
            way.iter_mut().zip(&there).for_each(|(way, slope)| *way = turn * *way - slope);
            if dot(&way, &there) >= 0.0 {
                way = there.iter().map(|x| -x).collect();
            }
            (*at, value, slopes) = (next, lower, there);
        }
        if kept < POOR {
            damping = (4.0 * damping).min(DAMPING[2]);
        } else if kept > GOOD {
            damping = (0.5 * damping).max(DAMPING[0]);
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley, whose lowest place is (1, 1); and who is told to stop, stops.
    #[test]
    fn it_finds_the_end_of_a_valley() {
        let cost = |at: &[f64]| {
            let (a, b) = (1.0 - at[0], at[1] - at[0] * at[0]);
            Some((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * at[0] * b, 200.0 * b]))
        };
        let mut at = vec![-1.2, 1.0];
        let value = descend(&mut at, 2000, cost, |_, _, _| ControlFlow::Continue(())).unwrap();
        assert!(value < 1e-8 && (at[0] - 1.0).abs() < 1e-3, "{value} at {at:?}");
        let mut stopped = vec![-1.2, 1.0];
        let end = |round: usize| if round < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let value = descend(&mut stopped, 2000, cost, |round, _, _| end(round)).unwrap();
        assert!(value > 1e-3 && value < 24.2);
        let mut lower = vec![-1.2, 1.0];
        assert!(super::super::lbfgs::descend(&mut lower, 200, |at| cost(at).unwrap()) < 1e-8);
    }
}
