//! Eigenvalues of a diagonal matrix and a dyad, D + ρ z zᵀ: the roots of the secular equation
//!
//! ```text
//! f(λ) = 1 + Σ ρ zᵢ² / (dᵢ − λ) = 0
//! ```
//!
//! There is one between every two neighbours of D and one above the last. Each is found as its distance τ from the nearer
//! of the two, by an interpolation that has the same two poles ("the middle way", Li 1993), kept within a bracket. Then
//! dᵢ − λ = (dᵢ − d) − τ is right to the last digit for every i, however close the root is to a pole, which is what makes
//! eigenvectors orthogonal.

use super::{NotConverged, ROUNDING};

/// Steps for one root: four are usual. Those that an interpolation leads astray end as halves of the bracket.
const MOST: usize = 400;

/// Steps after which every other one halves the bracket.
const PATIENCE: usize = 12;

/// Partial sums.
const LANES: usize = 4;

/// D, ascending and distinct, and ρ zᵢ², all positive.
pub(super) struct Secular<'a> {
    pub(super) poles: &'a [f64],
    pub(super) weights: &'a [f64],
}

/// Values and derivatives of the two parts of f: poles up to the root, and beyond.
struct Parts {
    below: [f64; 2],
    beyond: [f64; 2],
}

impl Parts {
    fn value(&self) -> f64 {
        1.0 + self.below[0] + self.beyond[0]
    }

    fn slope(&self) -> f64 {
        self.below[1] + self.beyond[1]
    }

    /// Whether f is 0 but for rounding at `tau`: of its sum, and of τ itself.
    fn is_root(&self, tau: f64) -> bool {
        let size = 1.0 + self.below[0].abs() + self.beyond[0].abs();
        self.value().abs() <= ROUNDING * (8.0 * size + tau.abs() * self.slope())
    }
}

impl Secular<'_> {
    /// Root `j`: its place, and in `distances` the distances dᵢ − λ.
    pub(super) fn root(&self, j: usize, distances: &mut [f64]) -> Result<f64, NotConverged> {
        let d = self.poles;
        if let ([pole], [weight]) = (d, self.weights) {
            distances.fill(-weight);
            return Ok(pole + weight);
        }
        let last = j + 1 == d.len();
        // All of it lies within Σ ρ z² above the last pole; else the root is in the half in which f changes its sign.
        let gap = if last { self.weights.iter().sum() } else { d[j + 1] - d[j] };
        let middle = 0.5 * gap;
        set(distances, d, d[j]);
        let at_middle = self.parts(j, distances, middle);
        let upper = at_middle.value() < 0.0;
        let from_right = upper && !last;
        let origin = if from_right { d[j + 1] } else { d[j] };
        let mut bracket = match (upper, from_right) {
            (true, true) => [-middle, 0.0],
            (true, false) => [middle, gap],
            (false, _) => [0.0, middle],
        };
        set(distances, d, origin);
        let mut tau = if last { middle } else { self.guess(j, gap, from_right, &at_middle) };
        for step in 0..MOST {
            if !(bracket[0] < tau && tau < bracket[1]) || step > PATIENCE && step % 2 == 0 {
                tau = 0.5 * (bracket[0] + bracket[1]);
                if !(bracket[0] < tau && tau < bracket[1]) {
                    break; // neighbours: nothing between
                }
            }
            let parts = self.parts(j, distances, tau);
            let f = parts.value();
            if f.is_nan() {
                return Err(NotConverged);
            }
            if parts.is_root(tau) {
                break;
            }
            bracket[usize::from(f > 0.0)] = tau;
            tau += step_from(j, distances, tau, &parts);
        }
        // The last step of a bracket without room may have left it.
        tau = tau.clamp(bracket[0], bracket[1]);
        for distance in distances {
            *distance -= tau;
        }
        Ok(origin + tau)
    }

    /// The two parts of f at `tau`, with poles at `places`.
    fn parts(&self, j: usize, places: &[f64], tau: f64) -> Parts {
        // Above the last root there is no pole: its own one is taken as beyond, to have two for the interpolation.
        let split = if j + 1 == places.len() { j } else { j + 1 };
        let ((near, far), (light, heavy)) = (places.split_at(split), self.weights.split_at(split));
        Parts { below: sums(near, light, tau), beyond: sums(far, heavy, tau) }
    }

    /// The root of f with all poles but the two around it frozen at the middle.
    fn guess(&self, j: usize, gap: f64, from_right: bool, at_middle: &Parts) -> f64 {
        let (left, right) = (self.weights[j], self.weights[j + 1]);
        // 1/(d − λ) at the middle is −2/gap and 2/gap.
        let c = at_middle.value() - 2.0 * (right - left) / gap;
        let (b, a) = if from_right {
            (-right * gap, left + right - c * gap)
        } else {
            (left * gap, left + right + c * gap)
        };
        smaller_root(a, b, c)
    }
}

/// From `tau` to the root of r + s/(d₁ − λ) + S/(d₂ − λ), where each part of f keeps its value and slope.
fn step_from(j: usize, places: &[f64], tau: f64, parts: &Parts) -> f64 {
    let (f, slope) = (parts.value(), parts.slope());
    let newton = -f / slope;
    let last = j + 1 == places.len();
    let k = if last { j - 1 } else { j };
    let (near, far) = (places[k] - tau, places[k + 1] - tau);
    let c = f - near * parts.below[1] - far * parts.beyond[1];
    let a = (near + far) * f - near * far * slope;
    let b = near * far * f;
    let step = if last { larger_root(a, b, c.abs()) } else { smaller_root(a, b, c) };
    // f rises: a step to the wrong side is rounding, or no number.
    if step * f < 0.0 { step } else { newton }
}

/// Places of all poles, seen from `origin`.
fn set(places: &mut [f64], poles: &[f64], origin: f64) {
    places.iter_mut().zip(poles).for_each(|(place, pole)| *place = pole - origin);
}

/// Σ weight/(place − τ) and Σ weight/(place − τ)²
fn sums(places: &[f64], weights: &[f64], tau: f64) -> [f64; 2] {
    let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
    let (chunks, heavy) = (places.chunks_exact(LANES), weights.chunks_exact(LANES));
    let (rest, rest_heavy) = (chunks.remainder(), heavy.remainder());
    for (place, weight) in chunks.zip(heavy) {
        for l in 0..LANES {
            let inverse = 1.0 / (place[l] - tau);
            let term = weight[l] * inverse;
            values[l] += term;
            slopes[l] += term * inverse;
        }
    }
    for (l, (place, weight)) in rest.iter().zip(rest_heavy).enumerate() {
        let inverse = 1.0 / (place - tau);
        let term = weight * inverse;
        values[l] += term;
        slopes[l] += term * inverse;
    }
    [values, slopes].map(|s| (s[0] + s[2]) + (s[1] + s[3]))
}

/// The root of c x² − a x + b that goes to b/a with c → 0, without cancellation.
fn smaller_root(a: f64, b: f64, c: f64) -> f64 {
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    if a <= 0.0 { (a - root) / (2.0 * c) } else { 2.0 * b / (a + root) }
}

/// The other sign of the root.
fn larger_root(a: f64, b: f64, c: f64) -> f64 {
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    if a >= 0.0 { (a + root) / (2.0 * c) } else { 2.0 * b / (a - root) }
}
