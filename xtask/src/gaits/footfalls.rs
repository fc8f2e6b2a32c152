//! Which foot stands when, measured on the poses, and whether that is the gait it is called.

use gambol::dynamics::{Data, forward_kinematics};
use gambol::gait::{Body, FootReport, Leg, Performance};
use gambol::model::{Side, Vec3};
use gambol::motion::Clip;

use super::quality::lowest;

/// Feet whose stances are no further apart than this, in cycles, go together: three frames of sixty.
const TOGETHER: f64 = 0.05;

/// Feet that leave and arrive softly seem to stand this much longer than they do, in cycles.
const SEEMS: f64 = 0.03;

/// Touchdowns that are nearer than this, in cycles, cannot be told apart by eye; in a gallop some are further apart.
const AT_ONCE: f64 = 0.03;

/// A report may differ from what is measured by this share of the cycle: feet leave and arrive softly, and in a jump on
/// the spot only their height tells.
const UNLIKE: f64 = 0.15;

/// One foot over the cycle.
pub(super) struct Foot {
    /// As zoologists write it: LH is left hind. Of a biped L and R, of more than two pairs L1 in front.
    label: String,
    /// From 0 in front.
    pair: usize,
    right: bool,
    /// Touchdown and lift-off of its longest stance, cycles; the end may be above 1.
    stance: [f64; 2],
    /// How often it touches down in a cycle.
    times: usize,
    /// Share of the cycle that it stands.
    duty: f64,
    /// The same as the report has it.
    reported: f64,
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
    feet: Vec<Foot>,
    pairs: usize,
}

impl Footfalls {
    /// From the poses of one cycle, whatever the gait's parameters say: a foot stands while it is on the ground and
    /// stays where it is.
    pub(super) fn new(body: &Body, performance: &Performance) -> Self {
        let pairs = body.legs.pairs;
        let standing = standing(body, &performance.clip);
        let foot = |((leg, report), standing): ((&Leg, &FootReport), &Vec<bool>)| {
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
            let runs = runs(standing);
            let longest = runs.iter().copied().max_by_key(|[start, end]| end - start).unwrap_or([0, 0]);
            let keys = standing.len() as f64;
            Foot {
                label: format!("{side}{row}"),
                pair: leg.pair,
                right: leg.side == Some(Side::Right),
                stance: longest.map(|key| key as f64 / keys),
                times: runs.len(),
                duty: standing.iter().filter(|stands| **stands).count() as f64 / keys,
                reported: report.duty,
            }
        };
        let reports = body.legs.legs.iter().zip(&performance.report.feet);
        Self { feet: reports.zip(&standing).map(foot).collect(), pairs }
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
        if first.times > 1 {
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

/// A foot stands from one key to the next if it moves by less than this share of the leg's length along the ground: a
/// tenth of a millimetre for half a metre, where a foot in its swing moves by a hundred times that.
const STILL: f64 = 2e-4;

/// It is on the ground if its lowest point is less than this share of the leg's length above it.
const LOW: f64 = 6e-3;

/// For every foot: from which keys of the cycle to the next it stands.
fn standing(body: &Body, clip: &Clip) -> Vec<Vec<bool>> {
    let mut data = Data::new(&body.creature);
    let places: Vec<Vec<(Vec3, f64)>> = clip
        .poses
        .iter()
        .map(|pose| {
            let frames = forward_kinematics(&body.creature, &mut data, pose);
            let place = |leg: &Leg| (frames[leg.foot].point_in_world(leg.point), lowest(leg, frames));
            body.legs.legs.iter().map(place).collect()
        })
        .collect();
    let stands = |foot: usize, leg: &Leg| -> Vec<bool> {
        let from_to = places.windows(2).map(|keys| (keys[0][foot], keys[1][foot]));
        from_to
            .map(|((before, height), (after, next))| {
                (after - before).xy().norm() < STILL * leg.length && height.max(next) < LOW * leg.length
            })
            .collect()
    };
    body.legs.legs.iter().enumerate().map(|(foot, leg)| stands(foot, leg)).collect()
}

/// Runs of `true` around the cycle, as first and one after the last; the end of one that runs over is beyond the cycle.
fn runs(stands: &[bool]) -> Vec<[usize; 2]> {
    let count = stands.len();
    if stands.iter().all(|stands| *stands) {
        return vec![[0, count]];
    }
    let starts = (0..count).filter(|&k| stands[k] && !stands[(k + count - 1) % count]);
    let end = |start: usize| (start..start + count).find(|k| !stands[k % count]).unwrap_or(start);
    starts.map(|start| [start, end(start)]).collect()
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
    /// One foot, then a diagonal, then the last one, evenly apart: LH RH+LF RF.
    ThreeBeats,
    /// So many feet on the ground at all times.
    Least(usize),
}

/// The rules of a gait on so many pairs of legs.
fn rules(gait: &str, pairs: usize) -> &'static [Rule] {
    use Rule::{
        All, Diagonals, InTurn, Lateral, Leads, Least, Pairs, Sides, StandsLong, StandsShort, ThreeBeats,
    };
    match (gait, pairs) {
        ("walk" | "t-pose-walk" | "push-cart", 1) => &[StandsLong, InTurn],
        ("walk", 3 | 4) => &[StandsLong, InTurn, Diagonals],
        ("walk" | "wave", _) => &[StandsLong, InTurn, Lateral],
        ("run" | "steady-run", 1) => &[StandsShort, InTurn],
        ("run", 2) | ("gallop" | "transverse-gallop", _) => &[StandsShort, Leads { same: true }],
        ("run" | "trot", _) => &[StandsShort, InTurn, Diagonals],
        ("pace", _) => &[StandsShort, InTurn, Sides],
        ("amble", _) => &[InTurn, Sides],
        ("bound", _) => &[Pairs],
        ("canter", _) => &[StandsShort, ThreeBeats],
        ("rotary-gallop", _) => &[StandsShort, Leads { same: false }],
        ("jump" | "hop" | "jumping-jacks", _) => &[All],
        ("crawl", _) => &[StandsLong, InTurn, Lateral, Least(3)],
        ("tripod", _) => &[InTurn, Diagonals, Least(3)],
        _ => &[],
    }
}

impl Footfalls {
    /// What is wrong with the footfalls of a gait, in words; also where they are not those of the report.
    pub(super) fn wrong(&self, gait: &str) -> Vec<String> {
        if self.feet.is_empty() {
            return Vec::new();
        }
        let rules = rules(gait, self.pairs).iter().filter_map(|rule| self.broken(rule));
        let off = |foot: &Foot| (foot.duty - foot.reported).abs();
        let worst = self.feet.iter().max_by(|a, b| off(a).total_cmp(&off(b)));
        let reports = worst.filter(|foot| off(foot) > UNLIKE).map(|foot| {
            let Foot { label, duty, reported, .. } = foot;
            format!("{label} stands for {duty:.2} of the cycle, and the report says {reported:.2}")
        });
        rules.chain(reports).collect()
    }

    fn broken(&self, rule: &Rule) -> Option<String> {
        let feet = &self.feet;
        match rule {
            Rule::StandsLong => {
                let short = feet.iter().find(|foot| foot.duty <= 0.5)?;
                Some(format!("{} stands for {:.2} of the cycle only", short.label, short.duty))
            }
            Rule::StandsShort => {
                // A foot that is low and slow just before and after its stance seems to stand a little longer.
                let long = feet.iter().find(|foot| foot.duty > 0.5 + SEEMS)?;
                Some(format!("{} stands for {:.2} of the cycle", long.label, long.duty))
            }
            Rule::InTurn => self.each(|a, b| a.pair == b.pair, 0.5),
            Rule::Pairs => self.each(|a, b| a.pair == b.pair, 0.0),
            Rule::Diagonals => self.each(|a, b| a.pair + 1 == b.pair && a.right != b.right, 0.0),
            Rule::Sides => self.each(|a, b| a.right == b.right, 0.0),
            Rule::All => self.each(|_, _| true, 0.0),
            Rule::Lateral => self.lateral(),
            Rule::Leads { same } => self.leads(*same),
            Rule::ThreeBeats => self.three_beats(),
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

    /// From the hind foot that is first to the diagonal, and from that to the other front foot, a quarter of a cycle or a little more: horses
    /// have 0.25 to 0.3 (Hildebrand 1965).
    fn three_beats(&self) -> Option<String> {
        let beat = |pair: usize, right: bool| self.foot(pair, right).map(Foot::middle);
        let (first, last) = (beat(1, false)?, beat(0, true)?);
        let diagonal = [beat(1, true)?, beat(0, false)?];
        let gaps = [diagonal[0] - first, diagonal[1] - first, last - diagonal[0], last - diagonal[1]];
        let off = |gap: f64| !(0.25 - TOGETHER..=0.3 + TOGETHER).contains(&gap.rem_euclid(1.0));
        let order = self.order();
        let told = || format!("not a beat, a diagonal and a beat 0.25 to 0.3 cycles apart: {order}");
        gaps.into_iter().any(off).then(told)
    }

    fn leads(&self, same: bool) -> Option<String> {
        let mut leads = Vec::new();
        for pair in 0..self.pairs {
            let (left, right) = (self.foot(pair, false)?, self.foot(pair, true)?);
            let lead = (right.middle() - left.middle() + 0.5).rem_euclid(1.0) - 0.5;
            if lead.abs() >= 0.25 {
                return Some(format!(
                    "{} and {} are {:.2} cycles apart",
                    left.label,
                    right.label,
                    lead.abs()
                ));
            }
            leads.push(lead);
        }
        if leads.iter().all(|lead| lead.abs() < AT_ONCE) {
            return Some("no foot leads".to_owned());
        }
        let is_same = leads.windows(2).all(|pair| (pair[0] > 0.0) == (pair[1] > 0.0));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn feet(starts: [f64; 4], duty: f64) -> Footfalls {
        let foot = |(k, label): (usize, &str)| Foot {
            label: label.to_owned(),
            pair: k / 2,
            right: k % 2 == 1,
            stance: [starts[k], starts[k] + duty],
            times: 1,
            duty,
            reported: duty,
        };
        Footfalls { feet: ["LF", "RF", "LH", "RH"].into_iter().enumerate().map(foot).collect(), pairs: 2 }
    }

    #[test]
    fn gaits_are_told_apart() {
        let (trot, pace) = (feet([0.5, 0.0, 0.01, 0.51], 0.45), feet([0.0, 0.5, 0.98, 0.5], 0.45));
        let (walk, bound) = (feet([0.25, 0.75, 0.0, 0.5], 0.64), feet([0.5, 0.5, 0.0, 0.0], 0.3));
        let diagonal = feet([0.75, 0.25, 0.0, 0.5], 0.64);
        let (transverse, rotary) = (feet([0.5, 0.6, 0.0, 0.1], 0.3), feet([0.6, 0.5, 0.0, 0.1], 0.3));
        let canter = feet([0.25, 0.5, 0.0, 0.25], 0.38);
        let all = [&trot, &pace, &walk, &bound, &diagonal, &transverse, &rotary, &canter];
        for (gait, only) in [
            ("trot", &trot),
            ("pace", &pace),
            ("walk", &walk),
            ("bound", &bound),
            ("gallop", &transverse),
            ("canter", &canter),
        ] {
            for feet in all {
                let fits = feet.wrong(gait).is_empty();
                assert_eq!(fits, std::ptr::eq(feet, only), "{gait}: {} {:?}", feet.order(), feet.wrong(gait));
            }
        }
        assert!(rotary.wrong("rotary-gallop").is_empty() && !transverse.wrong("rotary-gallop").is_empty());
        assert!(
            !feet([0.25, 0.75, 0.0, 0.5], 0.5).wrong("walk").is_empty(),
            "a walk stands for more than half"
        );
    }

    #[test]
    fn orders_start_with_the_left_hind_foot() {
        assert_eq!(feet([0.25, 0.75, 0.0, 0.5], 0.64).order(), "LH LF RH RF");
        assert_eq!(feet([0.5, 0.0, 0.01, 0.5], 0.45).order(), "RF+LH LF+RH");
        assert_eq!(feet([0.96, 0.46, 0.0, 0.5], 0.6).order(), "LF LH RF RH");
    }

    #[test]
    fn runs_go_around_the_cycle() {
        assert_eq!(runs(&[true, false, false, true, true]), [[3, 6]]);
        assert_eq!(runs(&[true, false, true, false]), [[0, 1], [2, 3]]);
        assert_eq!(runs(&[true; 3]), [[0, 3]]);
        assert!(runs(&[false; 3]).is_empty());
    }
}
