//! What is measured here and not taken from the library's report.

use gambol::dynamics::{BodyFrame, Data, center_of_mass, forward_kinematics};
use gambol::gait::{Body, Leg};
use gambol::model::Vec3;
use gambol::motion::{Clip, Contact};

/// A foot stands in one place if it moves by less than this in all its stances, leg lengths.
const STAYS: f64 = 0.05;

/// Largest change of a body's velocity from one key to the next, over the whole loop and its seam, as a share of the
/// highest speed of any body; and the way that makes in the time between two keys, m. Velocities are differences of the
/// bodies' centres of mass.
///
/// A motion that is C1 has changes in proportion to the time between keys, one with a kink has not.
pub(super) fn kink(body: &Body, clip: &Clip) -> [f64; 2] {
    let creature = &body.creature;
    let mut data = Data::new(creature);
    let mut poses = clip.poses.clone();
    if let (Some(stride), Some(second)) = (clip.stride, clip.poses.get(1)) {
        let mut again = second.clone();
        stride.apply(creature, &mut again);
        poses.push(again);
    }
    let places: Vec<Vec<Vec3>> = poses
        .iter()
        .map(|pose| {
            let frames = forward_kinematics(creature, &mut data, pose);
            let bodies = creature.bodies().iter().enumerate().skip(1);
            bodies.map(|(index, body)| frames[index].point_in_world(body.mass.com)).collect()
        })
        .collect();
    let (mut jump, mut fastest) = (0.0_f64, 0.0_f64);
    for keys in places.windows(3) {
        for ((a, b), c) in keys[0].iter().zip(&keys[1]).zip(&keys[2]) {
            jump = jump.max((c - b * 2.0 + a).norm());
            fastest = fastest.max((b - a).norm());
        }
    }
    [if fastest > 0.0 { jump / fastest } else { 0.0 }, jump]
}

/// Height of the lowest point of a foot, m.
pub(super) fn lowest(leg: &Leg, frames: &[BodyFrame]) -> f64 {
    let heights = leg.sole.iter().map(|touch| touch.lowest(&frames[touch.body], Vec3::z()).point.z);
    heights.fold(f64::INFINITY, f64::min)
}

/// How high a foot that is said to stand is above flat ground at most: m, and as a share of the leg's length.
pub(super) fn hover(body: &Body, clip: &Clip) -> [f64; 2] {
    let mut data = Data::new(&body.creature);
    let mut most = [0.0_f64; 2];
    for (time, pose) in clip.times.iter().zip(&clip.poses) {
        let frames = forward_kinematics(&body.creature, &mut data, pose);
        for (leg, contact) in body.legs.legs.iter().zip(&clip.contacts) {
            if contact.intervals.iter().any(|[start, end]| (*start..=*end).contains(time)) {
                let height = lowest(leg, frames);
                most = [most[0].max(height), most[1].max(height / leg.length)];
            }
        }
    }
    most
}

/// How far a swinging foot is aside of where it stands, at most, as a share of the leg's length: legs that pass under the body go straight, and an
/// eye before them sees it. `None` of feet that stand in two places, as in jumping jacks.
pub(super) fn aside(body: &Body, clip: &Clip) -> Option<f64> {
    let mut data = Data::new(&body.creature);
    let left = Vec3::z().cross(&body.legs.heading.forward);
    let mut places = vec![Vec::with_capacity(clip.times.len()); body.legs.legs.len()];
    for pose in &clip.poses {
        let frames = forward_kinematics(&body.creature, &mut data, pose);
        for (leg, places) in body.legs.legs.iter().zip(&mut places) {
            places.push(frames[leg.foot].point_in_world(leg.point).dot(&left));
        }
    }
    let of_leg = |((leg, contact), places): ((&Leg, &Contact), &Vec<f64>)| {
        let stands = |time: &f64| contact.intervals.iter().any(|[start, end]| (*start..=*end).contains(time));
        let stood =
            || clip.times.iter().zip(places).filter(|(time, _)| stands(time)).map(|(_, place)| *place);
        let (low, high) = stood().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        // A foot that rolls to its inner edge stands in one place all the same.
        (high - low < STAYS * leg.length).then(|| {
            let middle = 0.5 * (low + high);
            places.iter().map(|place| (place - middle).abs() / leg.length).fold(0.0, f64::max)
        })
    };
    body.legs.legs.iter().zip(&clip.contacts).zip(&places).filter_map(of_leg).reduce(f64::max)
}

/// How much higher the centre of mass is, in the mean, while the fewest feet stand than while the most do, m: a walker
/// vaults over one leg, a runner flies. `None` where always as many stand.
pub(super) fn rise(body: &Body, clip: &Clip) -> Option<f64> {
    let mut data = Data::new(&body.creature);
    let stand = |time: f64| {
        let stands = |[start, end]: &[f64; 2]| (*start..*end).contains(&time);
        clip.contacts.iter().filter(|contact| contact.intervals.iter().any(stands)).count()
    };
    let heights: Vec<(usize, f64)> = clip
        .times
        .iter()
        .zip(&clip.poses)
        .map(|(time, pose)| (stand(*time), center_of_mass(&body.creature, &mut data, pose).z))
        .collect();
    let mean = |feet: usize| {
        let of: Vec<f64> = heights.iter().filter(|(count, _)| *count == feet).map(|(_, z)| *z).collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    let counts = || heights.iter().map(|(count, _)| *count);
    let (fewest, most) = (counts().min()?, counts().max()?);
    (fewest < most).then(|| mean(fewest) - mean(most))
}
