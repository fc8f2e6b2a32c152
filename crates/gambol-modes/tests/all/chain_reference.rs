//! Exact eigenvalues of a straight planar chain by a second formulation, in numbers of 32 digits.
//!
//! The heights z₀ … z_n of the ends of n equal links describe the chain without a joint angle in sight: link i turns by
//! φ = (z_{i+1} − z_i)/L and its centre moves by w = (z_i + z_{i+1})/2, so that
//!
//! ```text
//! 2 T = Σ m ẇ² + I φ̇²  (M is tridiagonal)        2 V = Σ k (φ_{i+1} − φ_i)²  (K has five diagonals)
//! ```
//!
//! The number of negative pivots of K − λ M is the number of eigenvalues below λ (Sylvester), which brackets each of
//! them. The smallest are 1e-21 of the largest for 100 000 links: double precision would not see them, twice as many
//! digits leave ten to spare.

use std::ops::{Add, Div, Mul, Sub};

use gambol_model::Creature;

/// An unevaluated sum of two doubles (Dekker 1971).
#[derive(Clone, Copy, Debug)]
struct Double(f64, f64);

fn two_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    let part = sum - a;
    Double(sum, (a - (sum - part)) + (b - part))
}

fn quick_two_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    Double(sum, b - (sum - a))
}

impl From<f64> for Double {
    fn from(x: f64) -> Self {
        Self(x, 0.0)
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        let (high, low) = (two_sum(self.0, b.0), two_sum(self.1, b.1));
        let sum = quick_two_sum(high.0, high.1 + low.0);
        quick_two_sum(sum.0, sum.1 + low.1)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        self + Self(-b.0, -b.1)
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let high = self.0 * b.0;
        let low = self.0.mul_add(b.0, -high);
        quick_two_sum(high, low + (self.0 * b.1 + self.1 * b.0))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        let first = self.0 / b.0;
        let rest = self - b * first.into();
        let second = rest.0 / b.0;
        let rest = rest - b * second.into();
        quick_two_sum(first, second) + (rest.0 / b.0).into()
    }
}

/// A chain of equal links along x with hinges about y.
pub(crate) struct Chain {
    links: usize,
    /// Ends at rest, from the first on: one is a pinned chain, two are a clamped one.
    at_rest: usize,
    mass: f64,
    inertia: f64,
    length: f64,
    stiffness: f64,
}

impl Chain {
    /// Reads the numbers of one link from a creature made of equal ones.
    pub(crate) fn of(creature: &Creature, at_rest: usize) -> Self {
        let link = &creature.bodies()[2];
        Self {
            links: creature.bodies().len() - 1,
            at_rest,
            mass: link.mass.mass,
            inertia: link.mass.inertia.m22,
            length: link.parent_from_body.translation.vector.x,
            stiffness: creature.joints()[creature.bodies()[2].joints.start].stiffness,
        }
    }

    /// Number of eigenvalues below `lambda`, the rigid ones in the plane included: two, less those at rest.
    pub(crate) fn count_below(&self, lambda: f64) -> usize {
        let d = |x: f64| Double::from(x);
        let (four, length) = (d(4.0), d(self.length));
        let along = d(lambda) * d(self.mass) / four; // m/4: of [1 1; 1 1]
        let turn = d(lambda) * d(self.inertia) / (length * length); // I/L²: of [1 −1; −1 1]
        let bend = d(self.stiffness) / (length * length); // k/L²: of the squares of 1 −2 1
        // Rows of K − λ M: diagonal, and the two entries right of it.
        let row = |i: usize| {
            let touches = |joint: usize| joint >= 1 && joint < self.links;
            let mut k = [d(0.0); 3];
            for joint in i.saturating_sub(1)..=i + 1 {
                if touches(joint) {
                    // Entry of the second difference at `joint`: z_{joint−1} − 2 z_joint + z_{joint+1}.
                    let c = |z: usize| match z.abs_diff(joint) {
                        0 => -2.0,
                        1 => 1.0,
                        _ => 0.0,
                    };
                    for (offset, k) in k.iter_mut().enumerate() {
                        *k = *k + bend * d(c(i) * c(i + offset));
                    }
                }
            }
            let ends = usize::from(i > 0) + usize::from(i < self.links);
            k[0] = k[0] - (along + turn) * d(ends as f64);
            if i < self.links {
                k[1] = k[1] - (along - turn);
            }
            k
        };
        // L D Lᵀ of a matrix with two diagonals beside the main one, a row at a time.
        let (mut next, mut after) = ([d(0.0); 2], d(0.0)); // what rows before take from this one and the next
        let mut negative = 0;
        for i in self.at_rest..=self.links {
            let [diagonal, right, far] = row(i);
            let pivot = diagonal - next[0];
            let right = right - next[1];
            negative += usize::from(pivot.0 < 0.0);
            let (l1, l2) = (right / pivot, far / pivot);
            next = [after + l1 * right, l2 * right];
            after = l2 * far;
        }
        negative
    }

    /// Eigenvalue number `index` (the rigid ones in the plane counted), which lies within 1e-4 of `near`.
    pub(crate) fn eigenvalue(&self, index: usize, near: f64) -> f64 {
        let (mut low, mut high) = (near * (1.0 - 1e-4), near * (1.0 + 1e-4));
        assert!(
            self.count_below(low) <= index && self.count_below(high) > index,
            "eigenvalue {index} is elsewhere"
        );
        while high - low > 4.0 * f64::EPSILON * near {
            let middle = 0.5 * (low + high);
            *(if self.count_below(middle) > index { &mut high } else { &mut low }) = middle;
        }
        0.5 * (low + high)
    }
}
