//! When each foot stands, from the modal motion itself.
//!
//! A foot is of use while it moves back and is low. With p the foot's place relative to the moving body, that is where
//! s = −ẋ/ω − z is large, in metres both. The leading harmonic of s over the cycle has its peak in the middle of
//! stance; the duty factor says how far stance extends around it. In a jump all feet stand while the legs are bent:
//! there −z is the length of the leg.

use std::f64::consts::TAU;

use gambol_model::{Vec3, math};

/// One stance of one foot, in cycles. It recurs every cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stance {
    pub(crate) leg: usize,
    /// Touchdown, 0 to 1.
    pub(crate) start: f64,
    /// Lift-off, later than `start`, maybe above 1.
    pub(crate) end: f64,
}

impl Stance {
    /// Of a foot that stands once a cycle, around `middle`.
    pub(crate) fn around(leg: usize, middle: f64, duty: f64) -> Self {
        let start = (middle - 0.5 * duty).rem_euclid(1.0);
        Self { leg, start, end: start + duty }
    }

    pub(crate) fn middle(&self) -> f64 {
        0.5 * (self.start + self.end)
    }
}

/// What a foot must do to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Move back and be low.
    Sweep,
    /// Be drawn up to the body.
    Crouch,
}

/// Harmonics of the cycle in which a foot may stand: once, or twice as in jumping jacks.
const STANCE_HARMONICS: [u32; 2] = [1, 2];

/// The stances of one foot.
///
/// `path` is the foot relative to the body at even times over the cycle: forward, left, up, in m. It stands twice a cycle
/// where its second harmonic is more than `twice` times the first ([`crate::FeetSettings::stands_twice`]).
pub(crate) fn stances(leg: usize, path: &[Vec3], sign: Sign, duty: f64, twice: f64) -> Vec<Stance> {
    let wave = |harmonic: u32| peak(path, sign, harmonic);
    let (first, second) = (wave(STANCE_HARMONICS[0]), wave(STANCE_HARMONICS[1]));
    let (harmonic, middle) = if second.0 > twice * first.0 { (2_u32, second.1) } else { (1_u32, first.1) };
    let times = f64::from(harmonic);
    (0..harmonic)
        .map(|k| {
            let start = (middle + f64::from(k) - 0.5 * duty) / times;
            let start = start - start.floor();
            Stance { leg, start, end: start + duty / times }
        })
        .collect()
}

/// Size of a harmonic of s, and the place of its peak in its own cycle.
fn peak(path: &[Vec3], sign: Sign, harmonic: u32) -> (f64, f64) {
    let h = f64::from(harmonic);
    let (mut cosine, mut sine) = ([0.0; 2], [0.0; 2]); // of x and z
    for (k, p) in path.iter().enumerate() {
        let angle = TAU * h * k as f64 / path.len() as f64;
        for (part, value) in [p.x, p.z].into_iter().enumerate() {
            cosine[part] += value * math::cos(angle);
            sine[part] += value * math::sin(angle);
        }
    }
    // x = a cos + b sin has −ẋ/(hω) = a sin − b cos.
    let (c, s) = match sign {
        Sign::Sweep => (-sine[0] - cosine[1], cosine[0] - sine[1]),
        Sign::Crouch => (cosine[1], sine[1]),
    };
    let place = math::atan2(s, c) / TAU;
    (math::hypot(c, s) * 2.0 / path.len() as f64, place - place.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(phase: f64) -> Vec<Vec3> {
        // Forward at the top, back at the bottom: clockwise as seen from the creature's right.
        let at = |k: usize| {
            let angle = TAU * (k as f64 / 64.0 - phase);
            Vec3::new(-math::sin(angle), 0.0, -math::cos(angle))
        };
        (0..64).map(at).collect()
    }

    #[test]
    fn a_foot_on_a_circle_stands_at_the_bottom() {
        let found = stances(3, &circle(0.7), Sign::Sweep, 0.4, 1.5);
        assert_eq!(found.len(), 1);
        assert!((found[0].middle() - 0.7).abs() < 1e-12 && found[0].leg == 3);
        assert!((found[0].end - found[0].start - 0.4).abs() < 1e-12);
    }

    #[test]
    fn what_bends_twice_stands_twice() {
        let path: Vec<Vec3> =
            (0..64).map(|k| Vec3::z() * math::cos(2.0 * TAU * f64::from(k) / 64.0)).collect();
        let found = stances(0, &path, Sign::Crouch, 0.5, 1.5);
        assert_eq!(found.len(), 2);
        assert!((found[0].middle() % 0.5).abs() < 1e-12);
    }
}
