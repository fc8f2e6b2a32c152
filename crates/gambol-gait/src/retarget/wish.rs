//! Where all bodies of the other creature would be, by turns and ways of the first.

use gambol_dynamics::{BodyFrame, Data, Goal};
use gambol_model::{BodyPoint, JointKind, Quat, Vec3};
use gambol_motion::{Clip, Contact, HeldFoot, PoseWish, RootMotion, Stride, fit_pose};

use super::feet::{Foot, feet, ground};
use super::figure::{Figure, Part};
use super::partners::{Partner, Points};
use super::source::Source;
use crate::RetargetSettings;

/// A swinging sole that is less than this part of the leg's length below the ground touches it: a millimetre of a person's.
const DEEP: f64 = 1e-3;

/// All that is wished, key by key.
pub(super) struct Wishes<'w> {
    first: &'w Figure<'w>,
    other: &'w Figure<'w>,
    source: &'w Source,
    scale: f64,
    settings: &'w RetargetSettings,
    /// Per body of the other: the limb that it turns as, and the turn by which it points where that does at rest.
    bodies: Vec<Option<Turns>>,
    /// Points whose places say how bodies are turned: three for each that moves.
    pub(super) points: Vec<BodyPoint>,
    /// m²
    pub(super) variances: Vec<f64>,
    /// Joints that nothing pulls at stay as they are at rest; the others hardly feel it. rad²
    at_rest: Vec<f64>,
    feet: Vec<Foot>,
    /// How much lower the root goes than it would, key by key, so that legs reach where feet stand, m.
    drops: Vec<f64>,
    /// How much higher the ground of the motion is than where the first creature stands at rest, m.
    ground: f64,
}

enum Turns {
    /// As the other's limb does at the same place.
    Limb { limb: usize, by_parts: bool, points: Quat },
    /// As this body of the other: fingers and the like, by name.
    Body(usize),
}

/// One key.
pub(super) struct Wish {
    root: (usize, Vec3, Quat),
    pub(super) places: Vec<Vec3>,
    pub(super) goals: Vec<Goal>,
}

impl Wish {
    /// Puts the root of a pose where it is wished.
    pub(super) fn put_root(&self, pose: &mut [f64]) {
        let (q, position, turn) = self.root;
        pose[q..q + 3].copy_from_slice(position.as_slice());
        pose[q + 3..q + 7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
    }
}

impl<'w> Wishes<'w> {
    pub(super) fn new(
        first: &'w Figure<'w>,
        other: &'w Figure<'w>,
        partners: &[Partner],
        (source, clip): (&'w Source, &Clip),
        scale: f64,
        settings: &'w RetargetSettings,
    ) -> Self {
        let mut wishes = Self {
            first,
            other,
            source,
            scale,
            settings,
            bodies: Vec::new(),
            points: Vec::new(),
            variances: Vec::new(),
            at_rest: vec![settings.rest * settings.rest; other.creature.nv()],
            feet: Vec::new(),
            drops: vec![0.0; clip.times.len()],
            ground: ground(first, source, clip),
        };
        wishes.bodies = (0..other.rest.len()).map(|body| wishes.turns(body, partners)).collect();
        wishes.mark_points();
        let roots: Vec<Vec3> = (0..clip.times.len()).map(|key| wishes.root_at(key)).collect();
        let ways = (roots.as_slice(), wishes.ground, scale);
        wishes.feet = feet((first, other), partners, (source, clip), ways, settings);
        let short: Vec<f64> = (0..clip.times.len()).map(|key| wishes.short(key)).collect();
        wishes.drops = evened(&short, &clip.times, settings.evens);
        wishes
    }

    /// What a body turns as.
    fn turns(&self, body: usize, partners: &[Partner]) -> Option<Turns> {
        let Partner::Of { limb, points } = partners[self.other.limbs.owner[body]?] else { return None };
        let Some(place) = self.other.places[body] else {
            let name = &self.other.creature.bodies()[body].name;
            let theirs = &self.first.limbs.all[limb].bodies;
            let same = theirs.iter().find(|&&theirs| self.first.creature.bodies()[theirs].name == *name);
            return same.map(|&theirs| Turns::Body(theirs));
        };
        let by_parts = self.other.has_middle[place.limb] && self.first.has_middle[limb];
        let pointed = match points {
            _ if place.part == Part::Sole => None, // it lies on the ground, however the leg is spread
            Points::Free => None,
            Points::Limb => self.other.limb_points(place.limb).zip(self.first.limb_points(limb)),
            Points::Bones => {
                let like = self.source.body_at(limb, &place, by_parts);
                self.other.points(body).zip(like.and_then(|like| self.first.points(like)))
            }
        };
        let pointed = pointed.and_then(|(own, other)| Quat::rotation_between(&own, &other));
        Some(Turns::Limb { limb, by_parts, points: pointed.unwrap_or_else(Quat::identity) })
    }

    /// Three points of each body that can move, as far off its origin as its bone is long.
    fn mark_points(&mut self) {
        let creature = self.other.creature;
        let least = self.settings.least_bone * self.other.length;
        for body in self.tree() {
            let bone = gambol_motion::bone_end(creature, body).point.norm().max(least);
            for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                self.points.push(BodyPoint { body, point: bone * axis });
                let blur = self.settings.turns * bone;
                self.variances.push(blur * blur);
            }
        }
    }

    /// The root and all bodies that hang from it, parents first.
    fn tree(&self) -> Vec<usize> {
        let bodies = self.other.creature.bodies();
        let mut hangs = vec![false; bodies.len()];
        hangs[self.other.root] = true;
        for body in self.other.root + 1..bodies.len() {
            hangs[body] = hangs[bodies[body].parent];
        }
        (0..bodies.len()).filter(|body| hangs[*body]).collect()
    }

    /// Where the root goes: ways are longer by the scale, heights count from the rest of both.
    fn root_at(&self, key: usize) -> Vec3 {
        let (first, other) = (self.first, self.other);
        let mut way = self.source.roots[key] - first.root_at_rest;
        way.z -= self.ground;
        let mut root = other.root_at_rest + self.scale * way;
        root.z -= self.drops[key];
        root
    }

    /// How far the hips are too high for legs that stand, m.
    fn short(&self, key: usize) -> f64 {
        let frames = self.frames(key);
        self.feet.iter().map(|foot| foot.short(key, self.other, &frames)).fold(0.0, f64::max)
    }

    /// All that is wished at a key.
    pub(super) fn at(&self, key: usize) -> Wish {
        let creature = self.other.creature;
        let frames = self.frames(key);
        let place = |point: &BodyPoint| frames[point.body].0 + frames[point.body].1 * point.point;
        let goals = self.feet.iter().map(|foot| foot.goal(key));
        let free = creature.joints().iter().find(|joint| joint.kind == JointKind::Free);
        let (position, orientation) = frames[self.other.root];
        Wish {
            root: (free.map_or(0, |joint| joint.q), position, orientation),
            places: self.points.iter().map(place).collect(),
            goals: goals.collect(),
        }
    }

    /// Where all bodies are wished to be, and how they are turned.
    fn frames(&self, key: usize) -> Vec<(Vec3, Quat)> {
        let other = self.other;
        let (creature, bodies) = (other.creature, other.creature.bodies());
        let world = other.world_from_own;
        let mut turned = vec![Quat::identity(); bodies.len()];
        let mut frames = vec![(Vec3::zeros(), Quat::identity()); bodies.len()];
        for body in self.tree() {
            let parent = bodies[body].parent;
            let own = match (&self.bodies[body], other.places[body]) {
                (Some(Turns::Limb { limb, by_parts, points }), Some(place)) => {
                    self.source.turn_at(key, *limb, &place, *by_parts).map(|turn| turn * points)
                }
                (Some(Turns::Body(theirs)), _) => Some(self.source.turns[key][*theirs]),
                _ => None,
            };
            turned[body] = own.unwrap_or(turned[parent]);
            let orientation = world * turned[body] * world.inverse() * other.rest[body].orientation;
            let position = if body == other.root {
                world * self.root_at(key)
            } else {
                // The point that it turns about stays where it is on the parent.
                let anchor = bodies[body]
                    .joints
                    .clone()
                    .next()
                    .map_or_else(Vec3::zeros, |j| creature.joints()[j].anchor);
                let rest = (&other.rest[parent], &other.rest[body]);
                let on_parent =
                    rest.0.orientation.inverse() * (rest.1.point_in_world(anchor) - rest.0.position);
                frames[parent].0 + frames[parent].1 * on_parent - orientation * anchor
            };
            frames[body] = (position, orientation);
        }
        frames
    }

    /// The pose nearest to a wish, sought from `start` on.
    pub(super) fn fit(&self, data: &mut Data, wish: &Wish, start: &[f64]) -> Vec<f64> {
        let (creature, settings) = (self.other.creature, self.settings);
        let wish = PoseWish {
            ends: &self.points,
            places: &wish.places,
            variances: &self.variances,
            goals: &wish.goals,
            handle_blur: settings.stands * self.other.length,
            start,
            anchor: creature.rest_pose(),
            angle_variances: &self.at_rest,
            past_limits: Some(settings.past_limits),
            root: RootMotion::Free,
        };
        fit_pose(creature, data, &wish).pose
    }

    /// Lifts the goals of swinging feet whose soles are below the ground in a pose whose frames these are; whether there were any.
    pub(super) fn lift(&self, key: usize, frames: &[BodyFrame], goals: &mut [Goal]) -> bool {
        let mut lifted = false;
        for (foot, goal) in self.feet.iter().zip(goals) {
            let depth = foot.depth(key, self.other, frames);
            if depth > DEEP * self.other.length {
                goal.target += depth * self.other.legs.heading.up;
                lifted = true;
            }
        }
        lifted
    }

    /// When feet stand, and where, in the motion whose wishes these are.
    pub(super) fn held(&self, clip: &Clip) -> Vec<HeldFoot> {
        self.feet.iter().map(|foot| foot.held(clip)).collect()
    }

    /// When they stand in `clip`, whose times are so many times as long.
    pub(super) fn contacts(&self, clip: &Clip, slower: f64) -> Vec<Contact> {
        self.feet.iter().map(|foot| foot.contact(clip, slower)).collect()
    }

    /// The stride of a loop, which the first creature's places x carry to x' = R x + s. Those of the other are
    /// y = H (k Gᵀ x + b), with the headings G and H; so y' = R y + k H Gᵀ s + H b − R H b.
    pub(super) fn stride(&self, stride: &Stride) -> Stride {
        let (first, other) = (self.first, self.other);
        let b = other.world_from_own * (other.root_at_rest - self.scale * first.root_at_rest);
        let turned = Quat::from_axis_angle(&Vec3::z_axis(), stride.yaw) * b;
        let way = other.world_from_own * first.own(stride.shift);
        Stride { yaw: stride.yaw, shift: self.scale * way + b - turned }
    }
}

/// What is at least as much as asked for at each key, without jumps: the most within `width` seconds, and of that the mean.
fn evened(asked: &[f64], times: &[f64], width: f64) -> Vec<f64> {
    let near = |key: usize| {
        let first = times.partition_point(|time| *time < times[key] - width);
        first..times.partition_point(|time| *time <= times[key] + width)
    };
    let most: Vec<f64> =
        (0..asked.len()).map(|key| asked[near(key)].iter().fold(0.0, |a, b| b.max(a))).collect();
    (0..asked.len()).map(|key| most[near(key)].iter().sum::<f64>() / near(key).len() as f64).collect()
}
