//! The constants of the strategy: all follow from the dimension and the size of the population (Hansen 2016, "The CMA
//! Evolution Strategy: A Tutorial", table 1).

use gambol_model::math;

/// Weights and learning rates.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    /// w by rank, the best first. Positive ones sum to 1 and move the mean; negative ones shrink C along bad steps.
    pub(super) by_rank: Vec<f64>,
    /// Σ w.
    pub(super) sum: f64,
    /// How many are positive, μ.
    pub(super) parents: usize,
    /// μ_eff
    pub(super) effective: f64,
    /// c_σ and d_σ of the step size.
    pub(super) c_sigma: f64,
    pub(super) d_sigma: f64,
    /// c_c of the path, c_1 and c_μ of the two updates of C.
    pub(super) c_path: f64,
    pub(super) c_one: f64,
    pub(super) c_mu: f64,
    /// E ‖N(0, I)‖.
    pub(super) expected_norm: f64,
    /// Generations between factorisations of C: those in which it hardly changes.
    pub(super) lazy: usize,
}

/// The default size of a population, 4 + ⌊3 ln n⌋.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn default_population(dimension: usize) -> usize {
    4 + (3.0 * math::ln(dimension.max(1) as f64)) as usize
}

impl Weights {
    pub(super) fn new(dimension: usize, population: usize, active: bool) -> Self {
        let n = dimension as f64;
        let parents = population / 2;
        let raw: Vec<f64> = (1..=population)
            .map(|rank| math::ln(0.5 * (population + 1) as f64) - math::ln(rank as f64))
            .collect();
        let mass = |part: &[f64]| {
            let (sum, squares) = (part.iter().sum::<f64>(), part.iter().map(|w| w * w).sum::<f64>());
            (sum, if squares > 0.0 { sum * sum / squares } else { 0.0 })
        };
        let (good, effective) = mass(&raw[..parents]);
        let (bad, effective_bad) = mass(&raw[parents..]);

        let c_one = 2.0 / ((n + 1.3) * (n + 1.3) + effective);
        let c_mu = (2.0 * (0.25 + effective + 1.0 / effective - 2.0) / ((n + 2.0) * (n + 2.0) + effective))
            .min(1.0 - c_one);
        let c_sigma = (effective + 2.0) / (n + effective + 5.0);
        // Negative weights are as large as keeps C positive definite and their pull below that of the positive ones.
        let most_bad = (1.0 + c_one / c_mu)
            .min(1.0 + 2.0 * effective_bad / (effective + 2.0))
            .min((1.0 - c_one - c_mu) / (n * c_mu));
        let scale = |w: &f64| match *w {
            w if w >= 0.0 => w / good,
            w if active => w * most_bad / -bad,
            _ => 0.0,
        };
        let weights: Vec<f64> = raw.iter().map(scale).collect();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small and positive
        let lazy = (LAZINESS / (n * (c_one + c_mu))).max(1.0) as usize;
        Self {
            sum: weights.iter().sum(),
            by_rank: weights,
            parents,
            effective,
            c_sigma,
            d_sigma: 1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma,
            c_path: (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n),
            c_one,
            c_mu,
            expected_norm: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            lazy,
        }
    }
}

/// Share of what C changes by in n generations, above which it is factored anew; pycma's choice.
const LAZINESS: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    /// As pycma 4.5 prints them for 88 coordinates and the default population.
    #[test]
    fn they_are_those_of_the_tutorial() {
        assert_eq!(default_population(88), 17);
        let w = Weights::new(88, 17, true);
        assert!((w.by_rank[..w.parents].iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert!(w.by_rank.windows(2).all(|pair| pair[0] > pair[1]));
        assert!(w.effective > 4.0 && w.effective < 6.0);
        assert!(w.c_one + w.c_mu < 0.01);
        let plain = Weights::new(88, 17, false);
        assert!((plain.sum - 1.0).abs() < 1e-14);
    }
}
