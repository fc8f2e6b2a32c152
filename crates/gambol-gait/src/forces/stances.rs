//! When feet stand in a clip that does not say it: a recording, an artist's loop, a file of another program.
//!
//! A foot stands while some part of its sole is near the ground and nearly still against it. The ground may be a belt: in a
//! loop that stays in place it runs back below the creature, and standing feet go with it.

use gambol_dynamics::{Data, Touch, forward_kinematics};
use gambol_model::{Creature, Vec3};
use gambol_motion::{Clip, Contact};

use super::ForceError;
use super::track::Track;
use crate::{Legs, StanceSettings};

/// When each foot of a clip stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Stances {
    /// One per leg, in the order of the legs.
    pub contacts: Vec<Contact>,
    /// How the ground moves, m/s: zero unless the clip stays in place.
    pub belt: Vec3,
}

/// A part of a sole at a key.
#[derive(Clone, Copy)]
struct Sample {
    /// m
    height: f64,
    /// Of this part of the sole, m/s.
    velocity: Vec3,
}

/// Finds the stances of all legs of a clip, on level ground.
pub fn find_stances(
    creature: &Creature,
    data: &mut Data,
    legs: &Legs,
    clip: &Clip,
    settings: &StanceSettings,
) -> Result<Stances, ForceError> {
    clip.check(creature)?;
    if legs.is_empty() {
        return Err(ForceError::NoFeet);
    }
    let track = Track::new(creature, clip);
    let soles = Soles::new(creature, data, legs, &track, settings);
    let grounds = soles.grounds();
    let belt = soles.belt(&track, &grounds);
    let contacts = legs.legs.iter().enumerate().map(|(index, leg)| Contact {
        name: leg.name.clone(),
        body: leg.foot,
        point: leg.point,
        intervals: soles.intervals(&track, index, grounds[index], &belt),
    });
    Ok(Stances { contacts: contacts.collect(), belt })
}

/// Where the soles are at all keys.
struct Soles<'s> {
    settings: &'s StanceSettings,
    /// m
    leg_length: f64,
    /// m/s: √(g · leg length)
    speed: f64,
    /// Per leg and key: all parts of the sole that are near its lowest one, with the height of that.
    feet: Vec<Vec<Vec<Sample>>>,
}

impl<'s> Soles<'s> {
    fn new(
        creature: &Creature,
        data: &mut Data,
        legs: &Legs,
        track: &Track,
        settings: &'s StanceSettings,
    ) -> Self {
        let leg_length = if legs.length > 0.0 { legs.length } else { 1.0 };
        let speed = (creature.gravity().norm() * leg_length).sqrt().max(f64::MIN_POSITIVE);
        let low = settings.low * leg_length;
        // Lowest points of all touches at all keys, as points of their bodies, and the frames to move them by.
        let mut feet = vec![Vec::with_capacity(track.count); legs.legs.len()];
        for key in 0..track.count {
            let [before, after] = [-1, 1].map(|by| if track.neighbour(key, by).is_some() { by } else { 0 });
            let time = track.time(key, after) - track.time(key, before);
            let points = lowest_points(creature, data, legs, &track.pose(key, 0));
            let earlier = places(creature, data, legs, &track.pose(key, before), &points);
            let later = places(creature, data, legs, &track.pose(key, after), &points);
            for (index, foot) in feet.iter_mut().enumerate() {
                let lowest = points[index].iter().map(|(_, z)| *z).fold(f64::INFINITY, f64::min);
                let near = points[index].iter().zip(earlier[index].iter().zip(&later[index]));
                foot.push(
                    near.filter(|((_, z), _)| z - lowest <= low)
                        .map(|((_, z), (from, to))| Sample {
                            height: *z,
                            velocity: if time > 0.0 { (to - from) / time } else { Vec3::zeros() },
                        })
                        .collect(),
                );
            }
        }
        Self { settings, leg_length, speed, feet }
    }

    /// Height of the ground under each foot, m; `None` if it never stands.
    fn grounds(&self) -> Vec<Option<f64>> {
        let own: Vec<f64> = self
            .feet
            .iter()
            .map(|keys| quantile(keys.iter().map(|parts| lowest(parts)).collect(), self.settings.lowest))
            .collect();
        let held_up = self.settings.held_up * self.leg_length;
        let least = own.iter().copied().fold(f64::INFINITY, f64::min);
        // Who never comes near the ground of the world flies; a recording's ground may lie below it.
        let least = if least > held_up { 0.0 } else { least };
        own.into_iter().map(|ground| (ground - least <= held_up).then_some(ground)).collect()
    }

    /// How the ground moves below a clip that stays in place, m/s: as low feet do on the whole, whose way back is long and even where
    /// that of feet in the air is high and short.
    fn belt(&self, track: &Track, grounds: &[Option<f64>]) -> Vec3 {
        let slow = self.settings.slow * self.speed;
        if track.travel().norm() > slow {
            return Vec3::zeros();
        }
        let low = self.settings.low * self.leg_length;
        let mut velocities: Vec<Vec3> = Vec::new();
        for (keys, ground) in self.feet.iter().zip(grounds) {
            let Some(ground) = ground else { continue };
            // What is lowest, not what is slowest: toes that roll off would be near standing still. And the lower part of its own
            // way, since the feet of a walk are hardly lifted.
            let parts =
                keys.iter().filter_map(|parts| parts.iter().min_by(|a, b| a.height.total_cmp(&b.height)));
            let lifted = quantile(keys.iter().map(|parts| lowest(parts) - ground).collect(), 1.0);
            let low = low.min(self.settings.lower * lifted).max(f64::EPSILON * self.leg_length);
            let near = parts.filter(|part| part.height - ground <= low);
            velocities.extend(near.map(|part| Vec3::new(part.velocity.x, part.velocity.y, 0.0)));
        }
        let mean = velocities.iter().sum::<Vec3>() / velocities.len().max(1) as f64;
        if mean.norm() < self.settings.belt * slow {
            return Vec3::zeros();
        }
        // Feet come down and leave slowly in artists' loops: the faster half of what goes along is the belt.
        let along = mean.normalize();
        let fast = quantile(velocities.iter().map(|v| v.dot(&along)).collect(), 0.75);
        let with: Vec<&Vec3> = velocities.iter().filter(|v| v.dot(&along) >= 0.5 * fast).collect();
        let middle = |k: usize| quantile(with.iter().map(|v| v[k]).collect(), 0.5);
        Vec3::new(middle(0), middle(1), 0.0)
    }

    /// When a leg stands, s. A foot that stands goes on until it is well away or well moving.
    fn intervals(&self, track: &Track, leg: usize, ground: Option<f64>, belt: &Vec3) -> Vec<[f64; 2]> {
        let Some(ground) = ground else { return Vec::new() };
        let low = self.settings.low * self.leg_length;
        let slow = (self.settings.slow * self.speed).max(self.settings.slow_belt * belt.norm());
        let within = |key: usize, times: f64| {
            self.feet[leg][key].iter().any(|part| {
                part.height - ground < times * low && (part.velocity - belt).norm() < times * slow
            })
        };
        let mut stands: Vec<bool> = (0..track.count).map(|key| within(key, 1.0)).collect();
        // Keys next to one that stands, as long as they are not well away: forwards, then back; a loop has no first key.
        let lasts = self.settings.lasts;
        for by in [1, -1] {
            let rounds = if track.loops() { 2 * track.count } else { track.count };
            let mut key = if by == 1 { 0 } else { track.count - 1 };
            for _ in 1..rounds {
                let Some(next) = track.neighbour(key, by) else { break };
                stands[next] |= stands[key] && within(next, lasts);
                key = next;
            }
        }
        runs(track, &stands, self.settings.shortest)
    }
}

/// Lowest points of the touches of each leg, in the frames of their bodies, with their heights, m.
fn lowest_points(creature: &Creature, data: &mut Data, legs: &Legs, pose: &[f64]) -> Vec<Vec<(Vec3, f64)>> {
    let frames = forward_kinematics(creature, data, pose);
    let own = |touch: &Touch| {
        let frame = &frames[touch.body];
        let point = touch.lowest_point(frame, Vec3::z());
        (frame.rotation.tr_mul(&(point - frame.position)), point.z)
    };
    legs.legs.iter().map(|leg| leg.sole.iter().map(own).collect()).collect()
}

/// These points of the bodies in another pose, in the world, m.
fn places(
    creature: &Creature,
    data: &mut Data,
    legs: &Legs,
    pose: &[f64],
    points: &[Vec<(Vec3, f64)>],
) -> Vec<Vec<Vec3>> {
    let frames = forward_kinematics(creature, data, pose);
    let of_leg = |(leg, points): (&crate::Leg, &Vec<(Vec3, f64)>)| {
        leg.sole
            .iter()
            .zip(points)
            .map(|(touch, (point, _))| frames[touch.body].point_in_world(*point))
            .collect()
    };
    legs.legs.iter().zip(points).map(of_leg).collect()
}

fn lowest(parts: &[Sample]) -> f64 {
    parts.iter().map(|part| part.height).fold(f64::INFINITY, f64::min)
}

/// Runs of keys that stand, s, without short gaps and then without short stances. Of a loop, a run over the end is two.
fn runs(track: &Track, stands: &[bool], shortest: f64) -> Vec<[f64; 2]> {
    let count = stands.len();
    if stands.iter().all(|stands| *stands) {
        let last = track.time(0, 0) + track.length();
        return vec![[track.time(0, 0), last]];
    }
    // From a key that does not stand on, so that no run of a loop is cut.
    let start = if track.loops() { stands.iter().position(|stands| !stands).unwrap_or(0) } else { 0 };
    let mut runs: Vec<[f64; 2]> = Vec::new();
    let mut before = false;
    for by in 0..count {
        let Some(key) = track.neighbour(start, by.cast_signed()) else { break };
        let time = track.time(start, by.cast_signed());
        match runs.last_mut() {
            Some(run) if stands[key] && (before || time - run[1] < shortest) => run[1] = time,
            _ if stands[key] => runs.push([time, time]),
            _ => {}
        }
        before = stands[key];
    }
    // Over the seam too.
    if let (true, [first, .., last]) = (track.loops(), runs.as_mut_slice())
        && first[0] + track.length() - last[1] < shortest
    {
        last[1] = first[1] + track.length();
        runs.remove(0);
    }
    runs.retain(|[from, to]| to - from >= shortest);
    let (first, length) = (track.time(0, 0), track.length());
    let end = first + length;
    let mut cut: Vec<[f64; 2]> = Vec::new();
    for [from, to] in runs {
        let back = if from >= end { length } else { 0.0 };
        let [from, to] = [from - back, to - back];
        if to > end {
            cut.push([from, end]);
            cut.push([first, to - length]);
        } else {
            cut.push([from, to]);
        }
    }
    cut.sort_by(|a, b| a[0].total_cmp(&b[0]));
    cut
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
    use gambol_model::samples::chain;
    use gambol_motion::Stride;

    fn film(keys: usize, loops: bool) -> (Creature, Clip) {
        let creature = chain(2);
        let clip = Clip {
            name: String::new(),
            times: (0..keys).map(|k| 0.02 * k as f64).collect(),
            poses: vec![creature.rest_pose().to_vec(); keys],
            stride: loops.then_some(Stride::NONE),
            contacts: Vec::new(),
            travel: None,
        };
        (creature, clip)
    }

    fn marks(text: &str) -> Vec<bool> {
        text.bytes().map(|c| c == b'#').collect()
    }

    #[test]
    fn short_gaps_are_closed_and_short_stances_dropped() {
        let (creature, clip) = film(20, false);
        let found = runs(&Track::new(&creature, &clip), &marks("##.####......#...###"), 0.05);
        // Keys 0 to 6 in spite of the gap of one key; the single key 13 is noise; 17 to 19 lasts 0.04 s only.
        assert_eq!(found, [[0.0, clip.times[6]]]);
    }

    #[test]
    fn a_stance_over_the_end_of_a_loop_is_two() {
        let (creature, clip) = film(21, true);
        let track = Track::new(&creature, &clip);
        let found = runs(&track, &marks("###...######.....###"), 0.05);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert_eq!(found.len(), 3);
        for ([from, to], [a, b]) in found.iter().zip([[0.0, 0.04], [0.12, 0.22], [0.34, 0.4]]) {
            assert!(near(*from, a) && near(*to, b), "{found:?}");
        }
        // A gap of one key at the seam is closed, and a foot that always stands has no ends.
        let found = runs(&track, &marks("###...######.....##."), 0.05);
        assert!(near(found[2][0], 0.34) && near(found[2][1], 0.4) && near(found[0][1], 0.04), "{found:?}");
        assert_eq!(runs(&track, &[true; 20], 0.05), [[0.0, clip.times[20]]]);
        assert!(runs(&track, &[false; 20], 0.05).is_empty());
    }

    #[test]
    fn quantiles() {
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 0.0), 1.0);
        assert_eq!(quantile(Vec::new(), 0.5), 0.0);
    }
}
