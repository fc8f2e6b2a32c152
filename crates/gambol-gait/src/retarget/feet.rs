//! Where feet go and stand.

use std::ops::Range;

use gambol_dynamics::{BodyFrame, Goal, Touch};
use gambol_model::{BodyPoint, Quat, Vec3};
use gambol_motion::{Clip, Contact, HeldFoot};
use nalgebra::Rotation3;

use super::figure::Figure;
use super::partners::Partner;
use super::source::Source;
use crate::RetargetSettings;

/// Feet that stand further to the side than at rest, or less far, by this part of the leg's length do not stand at rest: skeletons are drawn with
/// legs spread by 20°, a third of their length.
const STRADDLES: f64 = 0.15;

/// Of what a leg lacks at rest of being straight, a stance takes no more: knees do not lock.
const STRETCHES: f64 = 0.95;

/// Hips go no lower than this part of the leg's reach for a foot that is out of reach.
const LOWEST: f64 = 0.6;

/// A foot that goes as another's.
pub(super) struct Foot {
    point: BodyPoint,
    /// Its name, and that of the foot it goes as.
    name: String,
    of: String,
    /// Where it goes, key by key, in the world, m.
    way: Vec<Vec3>,
    /// Whether it stands, key by key.
    stands: Vec<bool>,
    /// How far the other's is from its hip, in lengths of that leg at rest, key by key.
    reaches: Vec<f64>,
    /// Where it stands in each stance of the other; `None` where no key is in it, or the foot goes along with a belt.
    places: Vec<Option<Vec3>>,
}

/// How much higher the ground of a motion is than where its creature stands at rest: as high as its lowest stance, m.
pub(super) fn ground(first: &Figure, source: &Source, clip: &Clip) -> f64 {
    let heights = first.legs.legs.iter().zip(&source.feet).flat_map(|(leg, feet)| {
        let rest = foot_at_rest(first, leg).z;
        let stances = intervals(clip, &leg.name).iter();
        stances
            .filter_map(move |stance| mean(&within(clip, *stance).map(|key| feet[key]).collect::<Vec<_>>()))
            .map(move |x| x.z - rest)
    });
    let lowest = heights.fold(f64::INFINITY, f64::min);
    if lowest.is_finite() { lowest } else { 0.0 }
}

/// The feet of `other` that have a partner. `roots` is where its root goes, in its own frame.
pub(super) fn feet(
    (first, other): (&Figure, &Figure),
    partners: &[Partner],
    (source, clip): (&Source, &Clip),
    (roots, ground, scale): (&[Vec3], f64, f64),
    settings: &RetargetSettings,
) -> Vec<Foot> {
    let mut feet = Vec::new();
    for leg in &other.legs.legs {
        let limb = other.limbs.owner[leg.foot];
        let Some(Partner::Of { limb: of, .. }) = limb.map(|limb| partners[limb]) else { continue };
        let is_of = |leg: &gambol_anatomy::Leg| first.limbs.owner[leg.foot] == Some(of);
        let Some(of) = first.legs.legs.iter().position(is_of) else { continue };
        let their = &first.legs.legs[of];
        let (rest, their_rest) = (foot_at_rest(other, leg), foot_at_rest(first, their));
        let stances: Vec<_> =
            intervals(clip, &their.name).iter().map(|&stance| within(clip, stance)).collect();
        let seen = |key: usize| {
            let turn = Rotation3::from_axis_angle(&Vec3::z_axis(), source.yaws[key]);
            turn.inverse() * (source.feet[of][key] - source.roots[key])
        };
        let mut below = their_rest - first.root_at_rest;
        let standing: Vec<Vec3> = stances.iter().cloned().flatten().map(seen).collect();
        if let Some(stands) = mean(&standing).filter(|x| (x.y - below.y).abs() > STRADDLES * first.length) {
            below.y = stands.y;
        }
        let at = |key: usize| {
            // Where it is from its place below the root at rest, as seen from the root, which faces somewhere.
            let turn = Rotation3::from_axis_angle(&Vec3::z_axis(), source.yaws[key]);
            let mut place = roots[key] + turn * (rest - other.root_at_rest + scale * (seen(key) - below));
            place.z = rest.z + scale * (source.feet[of][key].z - their_rest.z - ground);
            place
        };
        let raw: Vec<Vec3> = (0..clip.times.len()).map(at).collect();
        let stances: Vec<_> =
            intervals(clip, &their.name).iter().map(|&stance| within(clip, stance)).collect();
        let place = |keys: &Range<usize>| {
            let mut place = mean(&raw[keys.clone()])?;
            let far = raw[keys.clone()].iter().map(|x| (x - place).xy().norm()).fold(0.0, f64::max);
            if far > settings.slides * other.length {
                return None;
            }
            if (place.z - rest.z).abs() <= settings.level * other.length {
                place.z = rest.z;
            }
            Some(place)
        };
        let places: Vec<Option<Vec3>> = stances.iter().map(place).collect();
        let standing: Vec<_> =
            stances.iter().cloned().zip(&places).filter_map(|(k, p)| Some((k, (*p)?))).collect();
        let way = set_down(&raw, &standing, rest.z);
        let world = |x: Vec3| other.world_from_own * x;
        feet.push(Foot {
            point: BodyPoint { body: leg.foot, point: leg.point },
            name: leg.name.clone(),
            of: their.name.clone(),
            way: way.into_iter().map(world).collect(),
            stands: (0..raw.len()).map(|key| stances.iter().any(|keys| keys.contains(&key))).collect(),
            reaches: source.reaches[of].iter().map(|reach| reach / rest_reach(first, their)).collect(),
            places: places.into_iter().map(|place| place.map(world)).collect(),
        });
    }
    feet
}

/// A way whose stances are places; swings go from the one to the next with what that takes. Nothing goes below the ground.
fn set_down(raw: &[Vec3], standing: &[(Range<usize>, Vec3)], ground: f64) -> Vec<Vec3> {
    let mut way = raw.to_vec();
    // What is missing at the ends of each stance, in the order of time.
    let ends: Vec<(usize, Vec3)> = standing
        .iter()
        .flat_map(|(keys, place)| [keys.start, keys.end - 1].map(|key| (key, place - raw[key])))
        .collect();
    for (key, point) in way.iter_mut().enumerate() {
        if let Some((_, place)) = standing.iter().find(|(keys, _)| keys.contains(&key)) {
            *point = *place;
            continue;
        }
        let after = ends.iter().position(|(at, _)| *at > key).unwrap_or(ends.len());
        let missing = match (after.checked_sub(1).map(|k| ends[k]), ends.get(after)) {
            (Some((from, a)), Some((to, b))) => {
                let share = (key - from) as f64 / (to - from) as f64;
                let smooth = share * share * (3.0 - 2.0 * share);
                a + smooth * (b - a)
            }
            (Some((_, only)), None) => only,
            (None, Some((_, only))) => *only,
            (None, None) => Vec3::zeros(),
        };
        *point += missing;
        point.z = point.z.max(ground);
    }
    way
}

impl Foot {
    /// Where it is to be.
    pub(super) fn goal(&self, key: usize) -> Goal {
        Goal { point: self.point, target: self.way[key] }
    }

    /// How far the hip is too high for the leg to reach its place while it stands, where bodies are as wished, m.
    pub(super) fn short(&self, key: usize, figure: &Figure, frames: &[(Vec3, Quat)]) -> f64 {
        let leg = figure.legs.legs.iter().find(|leg| leg.name == self.name && self.stands[key]);
        let Some((leg, &hip)) = leg.and_then(|leg| Some((leg, leg.joints.first()?))) else { return 0.0 };
        let joint = &figure.creature.joints()[hip];
        let (position, orientation) = frames[joint.body];
        let way = figure.own(self.way[key] - position - orientation * joint.anchor);
        let at_rest = leg.hip_in_world(figure.creature, &figure.rest);
        let ankle = leg.ankle_in_world(figure.creature, &figure.rest);
        let rest = rest_reach(figure, leg);
        let stretched = rest + STRETCHES * (leg.straight - (at_rest - ankle).norm()).max(0.0);
        // It may be stretched as far as the other's is.
        let reach = stretched.max(rest * self.reaches[key]);
        let level = reach * reach - way.xy().norm_squared();
        // Who cannot reach however low it goes does not lie down for it.
        let lowest = level.max(0.0).sqrt().max(LOWEST * reach);
        (-way.z - lowest).max(0.0)
    }

    /// How far its sole is below the ground in a pose whose frames these are, while it swings, m.
    pub(super) fn depth(&self, key: usize, figure: &Figure, frames: &[BodyFrame]) -> f64 {
        let leg = figure.legs.legs.iter().find(|leg| leg.name == self.name);
        let soles = leg.into_iter().flat_map(|leg| &leg.sole);
        let up = figure.legs.heading.up;
        let height = |touch: &Touch| touch.lowest_point(&frames[touch.body], up).dot(&up);
        let lowest = soles.map(height).fold(f64::INFINITY, f64::min);
        if self.stands[key] { 0.0 } else { (figure.legs.ground - lowest).max(0.0) }
    }

    /// Its stances, `clip` being the motion whose feet stand.
    pub(super) fn contact(&self, clip: &Clip, slower: f64) -> Contact {
        let later = |stance: &[f64; 2]| stance.map(|time| time * slower);
        Contact {
            name: self.name.clone(),
            body: self.point.body,
            point: self.point.point,
            intervals: intervals(clip, &self.of).iter().map(later).collect(),
        }
    }

    /// The same with its places.
    pub(super) fn held(&self, clip: &Clip) -> HeldFoot {
        HeldFoot { contact: self.contact(clip, 1.0), places: self.places.clone() }
    }
}

/// From hip to foot at rest, m.
fn rest_reach(figure: &Figure, leg: &gambol_anatomy::Leg) -> f64 {
    (leg.hip_in_world(figure.creature, &figure.rest) - figure.rest[leg.foot].point_in_world(leg.point)).norm()
}

/// In the creature's own frame, m.
fn foot_at_rest(figure: &Figure, leg: &gambol_anatomy::Leg) -> Vec3 {
    figure.own(figure.rest[leg.foot].point_in_world(leg.point))
}

/// When a foot stands.
pub(super) fn intervals<'c>(clip: &'c Clip, foot: &str) -> &'c [[f64; 2]] {
    clip.contacts.iter().find(|contact| contact.name == foot).map_or(&[], |contact| &contact.intervals)
}

/// Keys in an interval.
pub(super) fn within(clip: &Clip, [start, end]: [f64; 2]) -> Range<usize> {
    let first = clip.times.partition_point(|time| *time < start);
    first..clip.times.partition_point(|time| *time <= end).max(first)
}

fn mean(points: &[Vec3]) -> Option<Vec3> {
    let sum: Vec3 = points.iter().sum();
    (!points.is_empty()).then(|| sum / points.len() as f64)
}
