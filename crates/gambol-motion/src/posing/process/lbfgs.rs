//! Limited-memory BFGS (Nocedal and Wright 2006, algorithms 7.4 and 3.1), for poses.

use std::collections::VecDeque;

/// Pairs of steps and changes of slope that are remembered.
const MEMORY: usize = 10;

/// Halvings of a step, and the share of what the slope promises that it has to keep.
const HALVINGS: usize = 30;
const ENOUGH: f64 = 1e-4;

/// It hardly falls any more, as a share of it.
const LEVEL: f64 = 1e-7;

/// Goes downhill from `at` for at most `rounds` steps.
pub(super) fn descend(
    at: &mut Vec<f64>,
    rounds: usize,
    mut cost: impl FnMut(&[f64]) -> (f64, Vec<f64>),
) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut value, mut slopes) = cost(at);
    let mut known: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    for _ in 0..rounds {
        let mut way: Vec<f64> = slopes.iter().map(|x| -x).collect();
        let mut shares = Vec::with_capacity(known.len());
        for (step, change, along) in known.iter().rev() {
            let share = dot(step, &way) / along;
            way.iter_mut().zip(change).for_each(|(way, x)| *way -= share * x);
            shares.push(share);
        }
        if let Some((_, change, along)) = known.back() {
            let scale = along / dot(change, change);
            for x in &mut way {
                *x *= scale;
            }
        } else {
            // A first step of about a hundredth.
            let scale = 0.01 / dot(&way, &way).sqrt().max(f64::MIN_POSITIVE);
            for x in &mut way {
                *x *= scale.min(1.0);
            }
        }
        for ((step, change, along), share) in known.iter().zip(shares.iter().rev()) {
            let back = dot(change, &way) / along;
            way.iter_mut().zip(step).for_each(|(way, x)| *way += (share - back) * x);
        }
        let promised = dot(&way, &slopes);
        if promised.is_nan() || promised >= 0.0 {
            break;
        }
        let mut length = 1.0;
        let mut found = None;
        for _ in 0..HALVINGS {
            let next: Vec<f64> = at.iter().zip(&way).map(|(at, way)| at + length * way).collect();
            let (lower, there) = cost(&next);
            if lower <= value + ENOUGH * length * promised {
                found = Some((next, lower, there));
                break;
            }
            length *= 0.5;
        }
        let Some((next, lower, there)) = found else { break };
        let step: Vec<f64> = next.iter().zip(at.iter()).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = there.iter().zip(&slopes).map(|(a, b)| a - b).collect();
        let along = dot(&step, &change);
        if along > 1e-12 * dot(&change, &change) {
            known.push_back((step, change, along));
            if known.len() > MEMORY {
                known.pop_front();
            }
        }
        let is_level = value - lower <= LEVEL * (1.0 + value.abs());
        (*at, value, slopes) = (next, lower, there);
        if is_level {
            break;
        }
    }
    value
}
