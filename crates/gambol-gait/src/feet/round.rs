//! Corrections without jumps: the nearest pose may change sides, as a foot that tips does.

use gambol_model::math;

/// The mean of the corrections around each, weighted by a bell over time, whose standard deviation is `width` cycles; around
/// the loop if it `repeats`.
pub(super) fn round_off(deltas: &[Vec<f64>], cycles: &[f64], repeats: bool, width: f64) -> Vec<Vec<f64>> {
    let apart = |a: f64, b: f64| {
        let gap = (a - b).abs();
        if repeats { gap.min(1.0 - gap) } else { gap }
    };
    // Three deviations on either side, in samples.
    let step = if cycles.len() > 1 { cycles[1] - cycles[0] } else { 1.0 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most the number of samples
    let reach = (3.0 * width / step).floor().min(0.5 * (cycles.len() - 1) as f64) as usize;
    let count = deltas.len();
    let around = |k: usize| {
        let (mut sum, mut weights) = (vec![0.0; deltas[k].len()], 0.0);
        for offset in 0..=2 * reach {
            let at = (k + count + offset - reach) % count;
            let wraps = k + offset < reach || k + offset - reach >= count;
            if wraps && !repeats {
                continue;
            }
            let weight = math::exp(-0.5 * math::square(apart(cycles[k], cycles[at]) / width));
            sum.iter_mut().zip(&deltas[at]).for_each(|(s, d)| *s += weight * d);
            weights += weight;
        }
        sum.iter().map(|s| s / weights).collect()
    };
    (0..count).map(around).collect()
}
