//! A motion, as turns from rest and ways, in the creature's own frame.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Quat, Vec3, math};
use gambol_motion::Clip;
use nalgebra::Quaternion;

use super::feet::{intervals, within};
use super::figure::{Figure, Part, Place};

/// What a creature does, key by key.
pub(super) struct Source {
    /// Per key and body: its turn from rest.
    pub(super) turns: Vec<Vec<Quat>>,
    /// Per key: where the root is, m.
    pub(super) roots: Vec<Vec3>,
    /// Per key: which way it faces, rad about the vertical.
    pub(super) yaws: Vec<f64>,
    /// Per leg and key: where its foot is, m.
    pub(super) feet: Vec<Vec<Vec3>>,
    /// Per leg and key: how far the foot is from the hip, m.
    pub(super) reaches: Vec<Vec<f64>>,
    /// Per limb, bodies by how far along they are: over the whole limb, and over each of its parts.
    whole: Vec<Vec<(f64, usize)>>,
    parts: [Vec<Vec<(f64, usize)>>; 3],
}

/// Of the heading a trunk that is nearly upright has none: what is level of it is less than this.
const LEVEL: f64 = 0.1;

/// A sole that is turned by more than this where it stands, rad, does not stand at rest: skeletons are drawn with toes that point down, or up.
/// Animals lean no paw as far.
const STANDS: f64 = 0.5;

impl Source {
    pub(super) fn new(figure: &Figure, data: &mut Data, clip: &Clip) -> Self {
        let count = figure.limbs.all.len();
        let [mut whole, mut upper, mut lower, mut sole] = [(); 4].map(|()| vec![Vec::new(); count]);
        for (body, place) in figure.places.iter().enumerate() {
            let Some(place) = place else { continue };
            whole[place.limb].push((place.along, body));
            let part = match place.part {
                Part::Upper => &mut upper,
                Part::Lower => &mut lower,
                Part::Sole => &mut sole,
            };
            part[place.limb].push((place.along_part, body));
        }
        for bodies in whole.iter_mut().chain(&mut upper).chain(&mut lower).chain(&mut sole) {
            bodies.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let mut source = Self {
            turns: Vec::new(),
            roots: Vec::new(),
            yaws: Vec::new(),
            feet: vec![Vec::new(); figure.legs.legs.len()],
            reaches: vec![Vec::new(); figure.legs.legs.len()],
            whole,
            parts: [upper, lower, sole],
        };
        let mut yaw = 0.0;
        for pose in &clip.poses {
            let frames = forward_kinematics(figure.creature, data, pose);
            let turn = |(now, rest): (&gambol_dynamics::BodyFrame, &gambol_dynamics::BodyFrame)| {
                figure.own_turn(now.orientation * rest.orientation.inverse())
            };
            let turns: Vec<Quat> = frames.iter().zip(&figure.rest).map(turn).collect();
            let ahead = turns[figure.root] * Vec3::x();
            if math::hypot(ahead.x, ahead.y) > LEVEL {
                yaw = math::atan2(ahead.y, ahead.x);
            }
            source.yaws.push(yaw);
            source.roots.push(figure.own(frames[figure.root].position));
            for (index, leg) in figure.legs.legs.iter().enumerate() {
                let foot = frames[leg.foot].point_in_world(leg.point);
                source.feet[index].push(figure.own(foot));
                source.reaches[index].push((foot - leg.hip_in_world(figure.creature, frames)).norm());
            }
            source.turns.push(turns);
        }
        source.stand_on_soles(figure, clip);
        source
    }

    /// Soles that do not stand at rest count their turns from how they stand in the middle of stances.
    fn stand_on_soles(&mut self, figure: &Figure, clip: &Clip) {
        for leg in &figure.legs.legs {
            let Some(limb) = figure.limbs.owner[leg.foot] else { continue };
            let keys: Vec<usize> = intervals(clip, &leg.name)
                .iter()
                .flat_map(|[start, end]| within(clip, [0.75 * start + 0.25 * end, 0.25 * start + 0.75 * end]))
                .collect();
            for &(_, body) in &self.parts[Part::Sole as usize][limb] {
                let seen = keys.iter().map(|&key| {
                    let ahead = Quat::from_axis_angle(&Vec3::z_axis(), self.yaws[key]);
                    ahead.inverse() * self.turns[key][body]
                });
                let Some(stands) = mean_turn(seen).filter(|turn| turn.angle() > STANDS) else { continue };
                self.turns.iter_mut().for_each(|turns| turns[body] *= stands.inverse());
            }
        }
    }

    /// The turn at a place on the limb that is its partner's; `None` where that has no bodies.
    pub(super) fn turn_at(&self, key: usize, limb: usize, place: &Place, by_parts: bool) -> Option<Quat> {
        if place.part == Part::Sole && self.parts[Part::Sole as usize][limb].is_empty() {
            // The soles of who walks on its toes lie nowhere; one that does has them level.
            return Some(Quat::from_axis_angle(&Vec3::z_axis(), self.yaws[key]));
        }
        let (bodies, along) = self.bodies_at(limb, place, by_parts);
        let turns = &self.turns[key];
        let after = bodies.iter().position(|(at, _)| *at >= along).unwrap_or(bodies.len());
        match (after.checked_sub(1).map(|k| bodies[k]), bodies.get(after).copied()) {
            (Some((from, a)), Some((to, b))) => {
                let share = if to > from { (along - from) / (to - from) } else { 0.0 };
                let way = (turns[b] * turns[a].inverse()).scaled_axis();
                Some(Quat::from_scaled_axis(share * way) * turns[a])
            }
            (Some((_, only)), None) | (None, Some((_, only))) => Some(turns[only]),
            (None, None) => None,
        }
    }

    /// The body that a place on the other's limb is like most.
    pub(super) fn body_at(&self, limb: usize, place: &Place, by_parts: bool) -> Option<usize> {
        let (bodies, along) = self.bodies_at(limb, place, by_parts);
        let near = |a: &&(f64, usize), b: &&(f64, usize)| (a.0 - along).abs().total_cmp(&(b.0 - along).abs());
        bodies.iter().min_by(near).map(|(_, body)| *body)
    }

    /// The bodies that a place on the other's limb is compared with: part by part where both have a knee or an elbow, and soles in any case.
    fn bodies_at(&self, limb: usize, place: &Place, by_parts: bool) -> (&[(f64, usize)], f64) {
        let part = &self.parts[place.part as usize][limb];
        if (by_parts || place.part == Part::Sole) && !part.is_empty() {
            (part, place.along_part)
        } else {
            (&self.whole[limb], place.along)
        }
    }
}

/// The turn between some that are not far apart.
fn mean_turn(turns: impl Iterator<Item = Quat>) -> Option<Quat> {
    let mut sum = Quaternion::new(0.0, 0.0, 0.0, 0.0);
    for turn in turns {
        // q and −q are one turn.
        sum += turn.into_inner() * if turn.coords.dot(&sum.coords) < 0.0 { -1.0 } else { 1.0 };
    }
    Quat::try_new(sum, 1e-9)
}
