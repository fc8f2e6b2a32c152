//! The order of feet, read from the contact intervals.

use gambol::gait::{Body, Report};
use gambol::model::Side;

/// Feet whose stances are no further apart than this, in cycles, go together: three frames of sixty.
const TOGETHER: f64 = 0.05;

/// Touchdowns that are nearer than this, in cycles, cannot be told apart by eye; a gallop's must be further apart.
const AT_ONCE: f64 = 0.02;

/// One foot over the cycle.
pub(super) struct Foot {
    /// As zoologists write it: LH is left hind. Of a biped L and R, of more than two pairs L1 in front.
    pub(super) label: String,
    /// From 0 in front.
    pub(super) pair: usize,
    pub(super) right: bool,
    /// Touchdown and lift-off, cycles; the first of them.
    stance: [f64; 2],
    /// Further ones in the same cycle.
    more: usize,
    pub(super) duty: f64,
}

impl Foot {
    /// Middle of its stance, cycles.
    fn middle(&self) -> f64 {
        0.5 * (self.stance[0] + self.stance[1])
    }

    fn stands(&self, cycle: f64) -> bool {
        (cycle - self.stance[0]).rem_euclid(1.0) < self.stance[1] - self.stance[0]
    }
}

/// All feet of a creature in a gait.
pub(super) struct Footfalls {
    pub(super) feet: Vec<Foot>,
    pairs: usize,
}

impl Footfalls {
    pub(super) fn new(body: &Body, report: &Report) -> Self {
        let pairs = body.legs.pairs;
        let foot = |(leg, report): (&gambol::gait::Leg, &gambol::gait::FootReport)| {
            let side = match leg.side {
                Some(Side::Left) => "L",
                Some(Side::Right) => "R",
                None => "M",
            };
            let row = match (pairs, leg.pair) {
                (1, _) => String::new(),
                (2, 0) => "F".to_owned(),
                (2, _) => "H".to_owned(),
                (_, pair) => (pair + 1).to_string(),
            };
            Foot {
                label: format!("{side}{row}"),
                pair: leg.pair,
                right: leg.side == Some(Side::Right),
                stance: report.stance.first().copied().unwrap_or([0.0, 0.0]),
                more: report.stance.len().saturating_sub(1),
                duty: report.duty,
            }
        };
        Self { feet: body.legs.legs.iter().zip(&report.feet).map(foot).collect(), pairs }
    }

    /// Share of the cycle that a foot stands, the mean.
    pub(super) fn duty(&self) -> Option<f64> {
        let sum: f64 = self.feet.iter().map(|foot| foot.duty).sum();
        (!self.feet.is_empty()).then(|| sum / self.feet.len() as f64)
    }

    /// Feet in the order in which they touch down, from the left hind one on (or one just before it);
    /// `+` joins those that do so at once.
    pub(super) fn order(&self) -> String {
        let Some(first) = self.feet.iter().rfind(|foot| !foot.right) else { return String::new() };
        let since = |foot: &Foot| (foot.stance[0] - first.stance[0] + TOGETHER).rem_euclid(1.0);
        let mut feet: Vec<&Foot> = self.feet.iter().collect();
        feet.sort_by(|a, b| since(a).total_cmp(&since(b)));
        let mut text = String::new();
        let mut before = f64::NEG_INFINITY;
        for foot in feet {
            let together = since(foot) - before <= AT_ONCE;
            if !text.is_empty() {
                text.push(if together { '+' } else { ' ' });
            }
            before = since(foot);
            text.push_str(&foot.label);
        }
        if first.more > 0 {
            text.push_str(" twice");
        }
        text
    }

    fn foot(&self, pair: usize, right: bool) -> Option<&Foot> {
        self.feet.iter().find(|foot| foot.pair == pair && foot.right == right)
    }

    /// Share of the cycle in which fewer than `count` feet stand.
    fn fewer(&self, count: usize) -> f64 {
        const MOMENTS: u32 = 1000;
        let stand = |k: u32| self.feet.iter().filter(|f| f.stands(f64::from(k) / f64::from(MOMENTS))).count();
        let fewer = (0..MOMENTS).filter(|&k| stand(k) < count).count();
        fewer as f64 / f64::from(MOMENTS)
    }
}

/// What a gait's footfalls must be.
enum Rule {
    /// More than half of the cycle, each foot.
    StandsLong,
    /// At most half of it.
    StandsShort,
    /// The two feet of every pair half a cycle apart.
    InTurn,
    /// The two feet of every pair together.
    Pairs,
    /// Each foot together with the one across in the next pair.
    Diagonals,
    /// All feet of a side together.
    Sides,
    /// Every foot together.
    All,
    /// On one side after the other, each foot after the one behind it: LH LF RH RF.
    Lateral,
    /// One foot of every pair some time before the other; the same side in front and behind, or the other.
    Leads { same: bool },
    /// So many feet on the ground at all times.
    Least(usize),
}

/// The rules of a gait on so many pairs of legs.
fn rules(gait: &str, pairs: usize) -> &'static [Rule] {
    use Rule::{All, Diagonals, InTurn, Lateral, Leads, Least, Pairs, Sides, StandsLong, StandsShort};
    match (gait, pairs) {
        ("walk" | "t-pose-walk" | "push-cart", 1) => &[StandsLong, InTurn],
        ("walk", 2) => &[StandsLong, InTurn, Lateral],
        ("walk", 3 | 4) => &[StandsLong, InTurn, Diagonals],
        ("walk", _) => &[StandsLong, InTurn, Lateral],
        ("run" | "steady-run", 1) => &[StandsShort, InTurn],
        ("run", 2) => &[StandsShort, Leads { same: true }],
        ("run", _) => &[StandsShort, InTurn, Diagonals],
        ("trot", _) => &[StandsShort, InTurn, Diagonals],
        ("pace", _) => &[StandsShort, InTurn, Sides],
        ("amble", _) => &[InTurn, Sides],
        ("bound", _) => &[Pairs],
        ("gallop" | "transverse-gallop", _) => &[StandsShort, Leads { same: true }],
        ("rotary-gallop", _) => &[StandsShort, Leads { same: false }],
        ("jump" | "hop" | "jumping-jacks", _) => &[All],
        ("crawl", _) => &[StandsLong, InTurn, Lateral, Least(3)],
        ("tripod", _) => &[InTurn, Diagonals, Least(3)],
        ("wave", _) => &[StandsLong, InTurn, Lateral],
        _ => &[],
    }
}

impl Footfalls {
    /// What is wrong with the footfalls of a gait, in words.
    pub(super) fn wrong(&self, gait: &str) -> Vec<String> {
        if self.feet.is_empty() {
            return Vec::new();
        }
        rules(gait, self.pairs).iter().filter_map(|rule| self.broken(rule)).collect()
    }

    fn broken(&self, rule: &Rule) -> Option<String> {
        let feet = &self.feet;
        match rule {
            Rule::StandsLong => {
                let short = feet.iter().find(|foot| foot.duty <= 0.5)?;
                Some(format!("{} stands for {:.2} of the cycle only", short.label, short.duty))
            }
            Rule::StandsShort => {
                let long = feet.iter().find(|foot| foot.duty > 0.5)?;
                Some(format!("{} stands for {:.2} of the cycle", long.label, long.duty))
            }
            Rule::InTurn => self.each(|a, b| a.pair == b.pair, 0.5),
            Rule::Pairs => self.each(|a, b| a.pair == b.pair, 0.0),
            Rule::Diagonals => self.each(|a, b| a.pair + 1 == b.pair && a.right != b.right, 0.0),
            Rule::Sides => self.each(|a, b| a.right == b.right, 0.0),
            Rule::All => self.each(|_, _| true, 0.0),
            Rule::Lateral => self.lateral(),
            Rule::Leads { same } => self.leads(*same),
            Rule::Least(count) => {
                let fewer = self.fewer(*count);
                (fewer > AT_ONCE)
                    .then(|| format!("fewer than {count} feet stand for {fewer:.2} of the cycle"))
            }
        }
    }

    /// The two feet of a kind that are not `apart` cycles apart.
    fn each(&self, kind: impl Fn(&Foot, &Foot) -> bool, apart: f64) -> Option<String> {
        for (k, a) in self.feet.iter().enumerate() {
            for b in self.feet[k + 1..].iter().filter(|b| kind(a, b)) {
                let is = distance(a.middle(), b.middle());
                if (is - apart).abs() > TOGETHER {
                    return Some(format!(
                        "{} and {} are {is:.2} cycles apart, not {apart}",
                        a.label, b.label
                    ));
                }
            }
        }
        None
    }

    /// Touchdowns from hind to front on the left side, then on the right.
    fn lateral(&self) -> Option<String> {
        let wanted: Vec<&Foot> = [false, true]
            .into_iter()
            .flat_map(|right| (0..self.pairs).rev().filter_map(move |pair| self.foot(pair, right)))
            .collect();
        let first = wanted.first()?.stance[0];
        let times: Vec<f64> = wanted.iter().map(|foot| (foot.stance[0] - first).rem_euclid(1.0)).collect();
        let rising = times.windows(2).all(|pair| pair[1] > pair[0] + AT_ONCE);
        let names: Vec<&str> = wanted.iter().map(|foot| foot.label.as_str()).collect();
        (!rising).then(|| format!("not in the order {}", names.join(" ")))
    }

    fn leads(&self, same: bool) -> Option<String> {
        let mut signs = Vec::new();
        for pair in 0..self.pairs {
            let (left, right) = (self.foot(pair, false)?, self.foot(pair, true)?);
            let lead = (right.middle() - left.middle() + 0.5).rem_euclid(1.0) - 0.5;
            if !(AT_ONCE..0.25).contains(&lead.abs()) {
                return Some(format!(
                    "{} and {} are {:.2} cycles apart",
                    left.label,
                    right.label,
                    lead.abs()
                ));
            }
            signs.push(lead > 0.0);
        }
        let is_same = signs.windows(2).all(|pair| pair[0] == pair[1]);
        (is_same != same).then(|| {
            format!("front and hind feet lead on {} side", if same { "another" } else { "the same" })
        })
    }
}

/// Distance of two times, cycles, 0 to ½.
fn distance(a: f64, b: f64) -> f64 {
    let d = (a - b).rem_euclid(1.0);
    d.min(1.0 - d)
}
