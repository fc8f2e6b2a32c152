//! When feet stand in a recording that does not say it.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Landmark, Role, Vec3};
use gambol_motion::{Clip, Contact};

/// A foot that stands is lower than this above its lowest place, in parts of the creature's height,
const LOW: f64 = 0.04;
/// and slower than this, in parts of √(g·height): for a person 0.5 m/s, where a foot in the air does 1 to 4 m/s.
const SLOW: f64 = 0.12;
/// A foot's lowest place is the height that it is below in this share of the keys: single keys may be measured wrongly.
const LOWEST: f64 = 0.05;
/// Stances and steps shorter than this are noise, s.
const SHORTEST: f64 = 0.05;

/// Guesses from the height and the speed of each foot's sole when it stands. Feet are the creature's landmarks.
pub fn guess_contacts(creature: &Creature, clip: &Clip) -> Vec<Contact> {
    let feet: Vec<&Landmark> =
        creature.landmarks().iter().filter(|landmark| landmark.role == Role::Foot).collect();
    let mut data = Data::new(creature);
    let mut places: Vec<Vec<Vec3>> = vec![Vec::with_capacity(clip.poses.len()); feet.len()];
    let mut heights = Vec::with_capacity(clip.poses.len());
    for pose in &clip.poses {
        let frames = forward_kinematics(creature, &mut data, pose);
        for (foot, places) in feet.iter().zip(&mut places) {
            places.push(frames[foot.body].point_in_world(foot.point));
        }
        let z = || frames.iter().skip(1).map(|frame| frame.position.z);
        heights.push(z().fold(f64::MIN, f64::max) - z().fold(f64::MAX, f64::min));
    }
    let height = quantile(heights, 0.5);
    let gravity = creature.gravity().norm();
    let slow = SLOW * (gravity * height).sqrt();
    let contact = |(foot, places): (&&Landmark, &Vec<Vec3>)| {
        let ground = quantile(places.iter().map(|place| place.z).collect(), LOWEST);
        let stands =
            |key: usize| places[key].z < ground + LOW * height && speed(&clip.times, places, key) < slow;
        let stands: Vec<bool> = (0..places.len()).map(stands).collect();
        Contact {
            name: foot.name(),
            body: foot.body,
            point: foot.point,
            intervals: intervals(&clip.times, &stands),
        }
    };
    feet.iter().zip(&places).map(contact).collect()
}

/// Between the keys around `key`, m/s.
fn speed(times: &[f64], places: &[Vec3], key: usize) -> f64 {
    let (before, after) = (key.saturating_sub(1), (key + 1).min(places.len() - 1));
    if before == after {
        return 0.0;
    }
    (places[after] - places[before]).norm() / (times[after] - times[before])
}

/// Runs of keys that stand, without short gaps and then without short stances.
fn intervals(times: &[f64], stands: &[bool]) -> Vec<[f64; 2]> {
    let mut runs: Vec<[f64; 2]> = Vec::new();
    let mut before = false;
    for (&time, &stands) in times.iter().zip(stands) {
        match runs.last_mut() {
            Some(run) if stands && (before || time - run[1] < SHORTEST) => run[1] = time,
            _ if stands => runs.push([time, time]),
            _ => {}
        }
        before = stands;
    }
    runs.retain(|[start, end]| end - start >= SHORTEST);
    runs
}

/// The number that a share of all is below.
fn quantile(mut numbers: Vec<f64>, share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let count = numbers.len();
    let place = (0..count).find(|k| *k as f64 >= share * (count as f64 - 1.0)).unwrap_or(0);
    numbers.get(place).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_gaps_are_closed_and_short_stances_dropped() {
        let times: Vec<f64> = (0..20).map(|k| 0.02 * f64::from(k)).collect();
        let stands = "##.####......#...###".bytes().map(|c| c == b'#').collect::<Vec<_>>();
        let found = intervals(&times, &stands);
        // Keys 0 to 6 in spite of the gap of one key; the single key 13 is noise; 17 to 19 lasts 0.04 s only.
        assert_eq!(found, [[0.0, times[6]]]);
    }

    #[test]
    fn quantiles() {
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 0.0), 1.0);
        assert_eq!(quantile(Vec::new(), 0.5), 0.0);
    }
}
