//! How to search. Where no other origin is given, a number was found by trying, on the sketches of the gallery.

/// How constraints are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By the method of multipliers alone, as in Nunes et al. 2012, section 6.2.
    Multipliers,
    /// Rounds minimise squares of gaps and of what inequalities are short of, besides the objective. After each round
    /// Newton's method closes the gaps from the best candidate. Rounds hop on from where the line of them got to, until hops
    /// no longer help; then a new line begins. What is closed is made cheaper by descents that keep it so. The
    /// default: what takes CMA-ES a hundred thousand evaluations takes this a few thousand.
    Closing,
}

/// How one objective is better than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// By a share of it; for what is above 0, as a cost is.
    Share,
    /// By a difference.
    Difference,
}

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// How constraints are met. Default: closing.
    pub method: Method,
    /// How objectives are compared. Default: by shares.
    pub measure: Measure,
    /// Of all random numbers. Default: 1.
    pub seed: u64,
    /// Candidates in a generation. Default: 4 + ⌊3 ln n⌋ (Hansen 2016).
    pub population: Option<usize>,
    /// Most evaluations in all. Default: a million, an hour or so of strides.
    pub budget: usize,
    /// Most rounds. Default: 1000, so that the budget ends a search; the paper has 20, and far longer ones.
    pub rounds: usize,
    /// Most generations in a round. Default: 60, a second of strides.
    pub generations: usize,
    /// First deviations of a round that starts from a good place, in parts of the problem's: of the first one, and of all of
    /// the method of multipliers. Default: 0.05.
    pub shrink: f64,
    /// w_s: what a broken inequality counts while these are looked for. Default: 10⁵, the paper's 10¹⁰ times its w₀ of 10⁻⁵; any
    /// that is large enough does, as they end at zero.
    pub weight_violations: f64,
    /// Differences of what is minimised that do not matter in a round. Default: 10⁻⁶ of a price of about 1.
    pub tolerance_value: f64,
    /// Steps in parts of the first deviations that do not matter in a round. Default: 10⁻⁵; slopes are taken over a tenth.
    pub tolerance_step: f64,
    /// Of the method of multipliers.
    pub multipliers: MultiplierSettings,
    /// Of the other one.
    pub closing: ClosingSettings,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            method: Method::Closing,
            measure: Measure::Share,
            seed: 1,
            population: None,
            budget: 1_000_000,
            rounds: 1000,
            generations: 60,
            shrink: 0.05,
            weight_violations: 1e10 * 1e-5,
            tolerance_value: 1e-6,
            tolerance_step: 1e-5,
            multipliers: MultiplierSettings::default(),
            closing: ClosingSettings::default(),
        }
    }
}

/// The method of multipliers: W = f + λᵀφ + k φᵀφ, and λ ← λ + 2 k φ after each round.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiplierSettings {
    /// k. Default: 0.1, as in the paper.
    pub penalty: f64,
}

impl Default for MultiplierSettings {
    fn default() -> Self {
        Self { penalty: 0.1 }
    }
}

/// Rounds, Newton's method and hops.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosingSettings {
    /// What a square of a tolerance counts beside the price. Default: 0.01, so that a gap of three tolerances counts a tenth of
    /// a price of 1.
    pub weight_merit: f64,
    /// What a unit of an inequality counts, in tolerances of a gap. Default: 1.5.
    pub weight_short: f64,
    /// First deviations of a hop in parts of the problem's. Default: 0.3: beyond what Newton's method
    /// reaches, and still about the same place.
    pub hop: f64,
    /// Most generations in a hop. Default: 3; Newton's method does the rest.
    pub hop_generations: usize,
    /// Hops in a row that do not help before a new line begins. Default: 3.
    pub hops: usize,
    /// Gaps below this part of their tolerances are closed well. Default: 0.5, so that descents have some
    /// way to go before they open them.
    pub well: f64,
    /// Most candidates along the problem's own lead. Default: 40, of strides half cycles.
    pub seals: usize,
    /// Steps that close gaps.
    pub newton: NewtonSettings,
    /// Steps that make what is closed cheaper.
    pub descent: DescentSettings,
}

impl Default for ClosingSettings {
    fn default() -> Self {
        Self {
            weight_merit: 1e-2,
            weight_short: 1.5,
            hop: 0.3,
            hop_generations: 3,
            hops: 3,
            well: 0.5,
            seals: 40,
            newton: NewtonSettings::default(),
            descent: DescentSettings::default(),
        }
    }
}

/// Newton's method with Levenberg's damping.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Length of the differences in parts of the deviations. Default: 0.1, of a joint angle 10 mrad: far more than contacts
    /// are solved to, and short beside what a stride bends.
    pub difference: f64,
    /// μ that are tried, in parts of the mean diagonal of J Jᵀ. Default: 10⁻⁶ to 10: from a step that trusts the slopes to one
    /// straight down, in one go, since trials are cheap beside J.
    pub dampings: [f64; 10],
    /// Most steps in a round. Default: 20; where these did not help, the place is wrong.
    pub steps: usize,
    /// A step must lessen the merit by this share. Default: 0.003.
    pub least_gain: f64,
    /// Numbers that run into their bounds one after the other are held there, at most this many times over. Default: 4.
    pub held: usize,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            difference: 0.1,
            dampings: [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 10.0],
            steps: 20,
            least_gain: 0.003,
            held: 4,
        }
    }
}

/// Descents among candidates that stay closed.
#[derive(Clone, Debug, PartialEq)]
pub struct DescentSettings {
    /// Lengths that are tried, in deviations of all numbers together. Default: 0.02 to 2.7, each about half as long again.
    pub lengths: [f64; 10],
    /// μ of the way that leaves what is closed closed. Default: 10⁻⁴: little, since it is straight for a short while at least.
    pub damping: f64,
    /// Most of them. Default: 40.
    pub steps: usize,
    /// The least by which one must lessen the objective: a share or a difference, as [`Measure`] says. Default: 0.01.
    pub least_gain: f64,
}

impl Default for DescentSettings {
    fn default() -> Self {
        Self {
            lengths: [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 1.8, 2.7],
            damping: 1e-4,
            steps: 40,
            least_gain: 0.01,
        }
    }
}
