//! Named gaits: which foot stands when, for how long, and which creatures they suit.
//!
//! Phases are times of mid-stance in cycles. Footfalls after Hildebrand 1965 and 1989 (symmetrical and asymmetrical
//! gaits), duty factors and Froude numbers after Alexander and Jayes 1983 (walks below Fr ½, trots up to 2 or 3,
//! gallops above), Hughes 1952 and Wilson 1966 for insects: the wave gait and the alternating tripod.

use gambol_model::Side;

use crate::{Leg, Legs};

/// A way to move, before it meets a body.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// What users call it.
    pub name: &'static str,
    /// The order of feet.
    pub order: Order,
    /// Share of the cycle that a foot stands, at the default speed.
    pub duty: f64,
    /// Least and largest duty that it keeps its character with.
    pub duties: [f64; 2],
    /// v²/(g h) at the default speed.
    pub froude: f64,
    /// Length of a stride in parts of that which most gaits have at the same speed.
    pub stride: f64,
    /// Amplitude of a foot's rise, in leg lengths.
    pub lift: f64,
    /// Least height of a swinging foot, in leg lengths.
    pub clearance: f64,
    /// rad of back and head at every step.
    pub bob: f64,
}

/// The order of feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Left and right in turn; each foot lands one of 2·pairs after the one behind it: the lateral sequence of four
    /// legs, the wave of six.
    Wave,
    /// Left and right in turn, and each pair against the next: trot, tripod.
    Alternating,
    /// Left and right in turn, all pairs alike: pace.
    Sides,
    /// Left and right together, each pair against the next.
    Pairs,
    /// Three beats and a shorter pause: the left hind foot, the right hind and the left front one together, the right front one.
    ThreeBeats,
    /// As `Pairs`, with a lead of the right foot in every pair.
    Transverse,
    /// As `Pairs`, with a lead of the right foot behind and of the left foot in front.
    Rotary,
    /// All feet together, forward.
    Together,
    /// All feet together, up.
    Jump,
    /// As `Jump`, with the feet apart at every other one.
    Jacks,
}

/// Half the time between the two feet of a pair in a gallop, cycles: dogs and horses have 0.1 to 0.12 between them.
const HALF_LEAD: f64 = 0.055;

/// Between the beats of a canter, cycles. Horses have 0.25 to 0.3 (Hildebrand 1965): the further apart, the less the body falls and is
/// thrown up between two middle beats, which bear most of it. Dogs hardly fly in a canter.
const BEAT: f64 = 0.3;

/// Stride of a canter in parts of that of other gaits at its speed. Who changes from trot to gallop makes 4.48 M^−0.14 strides a second
/// (Heglund, Taylor and McMahon 1974), 2.7 of a dog of 34 kg; at 2.0, the strides of a trot, it would swing by a third of its height.
const CANTER_STRIDE: f64 = 0.82;

impl Order {
    /// Time of mid-stance of a foot, in cycles. A leg in the middle counts as a left one.
    pub fn phase(self, pair: usize, pairs: usize, side: Option<Side>) -> f64 {
        let from_hind = pairs - 1 - pair;
        let right = side == Some(Side::Right);
        let half_if = |yes: bool| if yes { 0.5 } else { 0.0 };
        let odd = from_hind % 2 == 1;
        let lead = if right { HALF_LEAD } else { -HALF_LEAD };
        let phase: f64 = match self {
            Self::Wave => from_hind as f64 / (2 * pairs) as f64 + half_if(right),
            Self::Alternating => half_if(odd != right),
            Self::Sides => half_if(right),
            Self::Pairs => half_if(odd),
            Self::ThreeBeats => BEAT * (f64::from(odd) + f64::from(right)),
            Self::Transverse => half_if(odd) + lead,
            Self::Rotary => half_if(odd) + if odd { -lead } else { lead },
            Self::Together | Self::Jump | Self::Jacks => 0.0,
        };
        phase.rem_euclid(1.0)
    }

    /// Whether the same happens half a cycle later on the other side, so that a step is half a cycle.
    pub fn is_symmetrical(self) -> bool {
        matches!(self, Self::Wave | Self::Alternating | Self::Sides)
    }
}

gambol_model::settings! {
    /// Who leaps rather than gallops.
    pub struct LeapSettings {
        /// Hind legs are at least this many times as long as the front ones, both stretched: a frog's are twice as long, a
        /// hare's and a jerboa's more than one and a half times, those of dogs, cats and horses at most 1.2 times.
        hind: f64 = 1.45, AtLeastOne;
        /// They stand folded, hips this far from the ankles at most, as shares of their stretched length: a frog that sits has a
        /// third, a dog 0.8.
        folded: f64 = 0.7, Share;
    }
}

/// Whether the hindmost of two pairs of legs is much longer than the other, and folded to leap.
pub fn leaps(legs: &Legs, settings: &LeapSettings) -> bool {
    let of_pair = |pair: usize, part: fn(&Leg) -> f64| {
        let own: Vec<f64> = legs.legs.iter().filter(|leg| leg.pair == pair).map(part).collect();
        own.iter().sum::<f64>() / own.len().max(1) as f64
    };
    let straight = |pair: usize| of_pair(pair, |leg| leg.straight);
    let folded = of_pair(1, |leg| leg.length) < settings.folded * straight(1);
    legs.pairs == 2 && folded && straight(1) > settings.hind * straight(0)
}

/// All gaits on legs.
const LEGGED: [Pattern; 16] = [
    // Humans prefer 1.3 to 1.4 m/s, Fr 0.2, with each foot down for 0.62 to 0.65; dogs about as much.
    row("walk", Order::Wave, [0.52, 0.64, 0.8], 0.2, [0.08, 0.06], 0.04),
    row("run", Order::Alternating, [0.2, 0.36, 0.5], 1.2, [0.16, 0.2], 0.05),
    row("trot", Order::Alternating, [0.25, 0.45, 0.5], 0.8, [0.1, 0.08], 0.06),
    row("amble", Order::Sides, [0.51, 0.6, 0.75], 0.35, [0.07, 0.05], 0.04),
    row("pace", Order::Sides, [0.25, 0.45, 0.5], 0.8, [0.1, 0.08], 0.05),
    row("bound", Order::Pairs, [0.15, 0.35, 0.5], 1.8, [0.14, 0.1], 0.0),
    // Dogs canter between trot and gallop, at 2 to 3.5 m/s (Coros et al. 2011), each foot down a little longer than in a gallop.
    Pattern {
        stride: CANTER_STRIDE,
        ..row("canter", Order::ThreeBeats, [0.25, 0.38, 0.5], 1.6, [0.12, 0.12], 0.0)
    },
    row("gallop", Order::Transverse, [0.15, 0.32, 0.5], 2.5, [0.14, 0.18], 0.0),
    row("transverse-gallop", Order::Transverse, [0.15, 0.32, 0.5], 2.5, [0.14, 0.18], 0.0),
    row("rotary-gallop", Order::Rotary, [0.15, 0.3, 0.5], 3.0, [0.14, 0.18], 0.0),
    row("jump", Order::Jump, [0.2, 0.5, 0.9], 0.0, [0.12, 0.2], 0.0),
    row("hop", Order::Together, [0.15, 0.35, 0.6], 1.5, [0.14, 0.1], 0.0),
    row("jumping-jacks", Order::Jacks, [0.2, 0.6, 0.9], 0.0, [0.06, 0.06], 0.0),
    row("crawl", Order::Wave, [0.75, 0.78, 0.92], 0.03, [0.06, 0.04], 0.0),
    row("tripod", Order::Alternating, [0.4, 0.55, 0.7], 0.25, [0.12, 0.08], 0.0),
    row("wave", Order::Wave, [0.6, 0.75, 0.92], 0.04, [0.12, 0.08], 0.0),
];

/// Duty as least, usual, most; lift and clearance in leg lengths.
const fn row(
    name: &'static str,
    order: Order,
    [least, duty, most]: [f64; 3],
    froude: f64,
    [lift, clearance]: [f64; 2],
    bob: f64,
) -> Pattern {
    Pattern { name, order, duty, duties: [least, most], froude, stride: 1.0, lift, clearance, bob }
}

/// Gaits of bodies without legs; a legless body crawls too.
pub const LEGLESS: [&str; 4] = ["roll", "crawl", "slither", "swim"];

/// Names of all gaits, those on legs first.
pub fn names() -> Vec<&'static str> {
    let only_legless = LEGLESS.iter().filter(|name| LEGGED.iter().all(|pattern| pattern.name != **name));
    LEGGED.iter().map(|pattern| pattern.name).chain(only_legless.copied()).collect()
}

/// The gait called `name` as these legs do it, or why they cannot. `None`: there is no such gait on legs.
pub fn find(name: &str, legs: &Legs, has_hands: bool) -> Option<Result<Pattern, String>> {
    let pattern = *LEGGED.iter().find(|pattern| pattern.name == name)?;
    Some(fit(pattern, legs, has_hands))
}

fn fit(pattern: Pattern, legs: &Legs, has_hands: bool) -> Result<Pattern, String> {
    let pairs = legs.pairs;
    let both = (0..pairs).all(|pair| legs.legs.iter().filter(|leg| leg.pair == pair).count() == 2);
    let counted = match pairs {
        0 => return Err("it has no legs".to_owned()),
        1 if !both => "one leg".to_owned(),
        1 => "one pair of legs".to_owned(),
        _ => format!("{pairs} pairs of legs"),
    };
    let as_called = |other: &str| {
        let other = *LEGGED.iter().find(|pattern| pattern.name == other).unwrap_or(&pattern);
        Pattern { name: pattern.name, ..other }
    };
    match pattern.name {
        // What one expects of a creature's walk: a biped's steps, the lateral sequence of four legs (that of a wave),
        // the tripod of six, the two tetrapods of eight, the wave of more.
        "walk" if pairs == 1 && !both => {
            Err(format!("it has {counted}, and two must go in turn; it may hop"))
        }
        "walk" => Ok(match pairs {
            1 | 2 => pattern,
            3 | 4 => as_called("tripod"),
            _ => Pattern { duty: 0.65, froude: 0.15, ..as_called("wave") },
        }),
        // The fastest gait there is: on four legs that is a gallop, on more the tripod with longer flight.
        "run" if pairs == 1 && !both => Err(format!("it has {counted}, and two must go in turn; it may hop")),
        // Frogs, hares and jerboas leap off both hind feet and land on the front ones.
        "run" => Ok(match pairs {
            1 => pattern,
            2 if leaps(legs, &LeapSettings::default()) => as_called("bound"),
            2 => as_called("gallop"),
            _ => Pattern { duty: 0.48, froude: 0.8, ..as_called("tripod") },
        }),
        "trot" | "amble" | "pace" | "bound" | "canter" | "gallop" | "transverse-gallop" | "rotary-gallop"
            if pairs != 2 =>
        {
            Err(format!("that takes two pairs of legs, and it has {counted}"))
        }
        "crawl" if pairs < 2 => Err(format!("three feet must stand at all times, and it has {counted}")),
        "tripod" if pairs < 3 => Err(format!("that takes three pairs of legs or more, and it has {counted}")),
        "wave" if pairs < 2 => Err(format!("a wave runs over several pairs of legs, and it has {counted}")),
        "hop" if pairs != 1 => {
            Err(format!("one pair of legs hops, and it has {counted}; it may bound or jump"))
        }
        "jumping-jacks" if pairs != 1 || !both || !has_hands => {
            Err("that takes one pair of legs, and arms".to_owned())
        }
        _ => Ok(pattern),
    }
}
