//! How to search.

/// How far a cycle may be from repeating itself, of each coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of a pose, rad or m.
    pub pose: f64,
    /// Of a velocity, rad/s or m/s.
    pub rate: f64,
}

/// How the cycle is made to repeat itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By the method of multipliers alone, as in the paper.
    Multipliers,
    /// Rounds minimise squares of gaps and of what easy constraints are short of, besides the objective. After each round
    /// Newton's method closes the cycle from the best candidate. Rounds hop on from where the line of them got to, until hops
    /// no longer help; then a new line begins. A cycle that is closed is made cheaper by descents among closed ones. The
    /// default: what takes CMA-ES a hundred thousand cycles takes this a few thousand.
    Closing,
}

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// How the cycle is made to repeat itself.
    pub method: Method,
    /// Of all random numbers.
    pub seed: u64,
    /// Of the simulation, s. Default: 2 ms.
    pub step: f64,
    /// Candidates in a generation. Default: 4 + ⌊3 ln n⌋.
    pub population: Option<usize>,
    /// Most evaluations in all. Default: a million.
    pub budget: usize,
    /// Most rounds. Default: 1000; the paper has 20, and far longer ones.
    pub rounds: usize,
    /// Most generations in a round; a hop has fewer. Default: 60.
    pub generations: usize,
    /// k. Default: 0.1, as in the paper.
    pub penalty: f64,
    /// φ_tol. Default: 0.02 rad or m, and 0.2 rad/s or m/s: less than an eye sees from one stride to the next.
    pub tolerance: Tolerance,
    /// First deviations of a round of the method of multipliers in parts of those of the sketch. Default: 0.05; it starts from
    /// a good place.
    pub shrink: f64,
    /// The same of a hop. Default: 0.3.
    pub hop: f64,
    /// Hops that do not help before a new line begins. Default: 3.
    pub hops: usize,
    /// Most generations in a hop. Default: 3; Newton's method does the rest.
    pub hop_generations: usize,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            method: Method::Closing,
            seed: 1,
            step: 0.002,
            population: None,
            budget: 1_000_000,
            rounds: 1000,
            generations: 60,
            penalty: 0.1,
            tolerance: Tolerance { pose: 0.02, rate: 0.2 },
            shrink: 0.05,
            hop: 0.3,
            hops: 3,
            hop_generations: 3,
        }
    }
}
