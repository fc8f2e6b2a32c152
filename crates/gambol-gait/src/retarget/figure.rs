//! A creature at rest, cut into limbs, and how far along its limb each body is.

use std::f64::consts::FRAC_PI_4;
use std::ops::Range;

use gambol_anatomy::{Heading, Legs, LimbPart, Limbs, Mirror};
use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{Creature, JointKind, Mat3, Quat, Vec3};
use nalgebra::{Rotation3, UnitQuaternion};

/// Where a body is on its limb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) limb: usize,
    pub(super) part: Part,
    /// Share of the way along that part, at the middle of the body's bone.
    pub(super) along_part: f64,
    /// The same along the whole limb.
    pub(super) along: f64,
}

/// What a limb has of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Up to the knee or elbow, or all of a limb that has none.
    Upper,
    /// From there on.
    Lower,
    /// Bones at the end of a leg that lie rather than stand: the sole of who walks on it.
    Sole,
}

/// Bones at the end of a leg that are turned off its direction by more than this lie, rad.
const LIES: f64 = FRAC_PI_4;

/// A creature at rest.
pub(super) struct Figure<'c> {
    pub(super) creature: &'c Creature,
    /// The body of the free joint, or the first one.
    pub(super) root: usize,
    pub(super) limbs: Limbs,
    pub(super) legs: Legs,
    /// All bodies at rest.
    pub(super) rest: Vec<BodyFrame>,
    /// From its own frame, forward, left and up, to the world.
    pub(super) world_from_own: Quat,
    /// From hip to foot at rest, the mean over its legs, or its size where it has none, m.
    pub(super) length: f64,
    /// Where the root is at rest, in its own frame, as high as if the legs went straight down: skeletons are drawn with legs spread.
    pub(super) root_at_rest: Vec3,
    /// Per body; none for the world, and for what is no part of the way from the trunk to the end of a limb.
    pub(super) places: Vec<Option<Place>>,
    /// Per limb, whether it has a knee or an elbow.
    pub(super) has_middle: Vec<bool>,
}

impl<'c> Figure<'c> {
    pub(super) fn new(creature: &'c Creature, data: &mut Data) -> Self {
        let mirror = Mirror::new(creature, data);
        let limbs = Limbs::new(creature, &mirror);
        let legs = Legs::new(creature, data, creature.rest_pose());
        let free = creature.joints().iter().find(|joint| joint.kind == JointKind::Free);
        let root = free.map_or(1, |joint| joint.body);
        let before = forward_kinematics(creature, data, creature.reference_pose())[root].orientation;
        let rest = forward_kinematics(creature, data, creature.rest_pose()).to_vec();
        let turned = rest[root].orientation * before.inverse();
        let heading: Heading = legs.heading.turned(turned * legs.heading.left);
        let axes = Mat3::from_columns(&[heading.forward, heading.left, heading.up]);
        let world_from_own = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
        let size = rest.iter().skip(1).map(|frame| (frame.position - rest[root].position).norm());
        let size = size.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let reach = |leg: &gambol_anatomy::Leg| {
            (leg.hip_in_world(creature, &rest) - rest[leg.foot].point_in_world(leg.point)).norm()
        };
        let count = legs.legs.len().max(1) as f64;
        let reach = legs.legs.iter().map(reach).sum::<f64>() / count;
        let length = if reach > 0.0 { reach } else { size };
        let mut root_at_rest = world_from_own.inverse() * rest[root].position;
        root_at_rest.z += reach - legs.length;
        let has_middle = limbs.all.iter().map(|limb| limb.middle.is_some()).collect();
        let mut figure = Self {
            places: vec![None; rest.len()],
            creature,
            root,
            limbs,
            legs,
            rest,
            world_from_own,
            length,
            root_at_rest,
            has_middle,
        };
        for limb in 0..figure.limbs.all.len() {
            if figure.limbs.all[limb].part == LimbPart::Spine {
                figure.lay_trunk(limb);
            } else {
                figure.lay_limb(limb);
            }
        }
        figure
    }

    /// A vector of the world in the creature's own frame.
    pub(super) fn own(&self, x: Vec3) -> Vec3 {
        self.world_from_own.inverse() * x
    }

    /// A turn in the world as one in the creature's own frame.
    pub(super) fn own_turn(&self, turn: Quat) -> Quat {
        self.world_from_own.inverse() * turn * self.world_from_own
    }

    /// How far a body's bone goes, from its joint to the next body of the chain, m.
    fn bone(&self, body: usize, next: Option<usize>, end: Vec3) -> f64 {
        let to = next.map_or(end, |next| self.rest[next].position);
        (to - self.rest[body].position).norm()
    }

    /// Bodies of a limb by the way from the trunk: along the chain to its landmark. What hangs beside or beyond it, as fingers, has no place.
    fn lay_limb(&mut self, limb: usize) {
        let of = &self.limbs.all[limb];
        let bodies = self.creature.bodies();
        let end_body = of.landmark.map(|mark| self.creature.landmarks()[mark].body);
        let end_body = end_body.or_else(|| of.bodies.last().copied());
        let mut chain = Vec::new();
        let mut body = end_body.unwrap_or(0);
        while body != 0 && self.limbs.owner[body] == Some(limb) {
            chain.push(body);
            body = bodies[body].parent;
        }
        chain.reverse();
        let Some(&last) = chain.last() else { return };
        let end = of.landmark.map_or_else(
            || self.rest[last].point_in_world(2.0 * bodies[last].mass.com),
            |mark| {
                let mark = &self.creature.landmarks()[mark];
                self.rest[mark.body].point_in_world(mark.point)
            },
        );
        let middle = of.middle.map(|joint| self.creature.joints()[joint].body);
        let cut = middle.and_then(|middle| chain.iter().position(|body| *body == middle));
        let bones: Vec<f64> =
            (0..chain.len()).map(|k| self.bone(chain[k], chain.get(k + 1).copied(), end)).collect();
        let shares = |range: Range<usize>| -> Vec<f64> {
            let total: f64 = bones[range.clone()].iter().sum::<f64>().max(f64::MIN_POSITIVE);
            let mut before = 0.0;
            let share = |k: usize| {
                let middle = (before + 0.5 * bones[k]) / total;
                before += bones[k];
                middle
            };
            range.map(share).collect()
        };
        let (all, cut) = (chain.len(), cut.unwrap_or(chain.len()));
        let is_leg = of.part == LimbPart::Leg;
        let sole = if is_leg { self.sole_from(&chain, end, cut.min(all - 1)) } else { all };
        let lower = cut.min(sole);
        let along = shares(0..all);
        let parts = [(Part::Upper, 0..lower), (Part::Lower, lower..sole), (Part::Sole, sole..all)];
        for (part, range) in parts {
            for (k, along_part) in range.clone().zip(shares(range)) {
                self.places[chain[k]] = Some(Place { limb, part, along_part, along: along[k] });
            }
        }
    }

    /// The first body of the sole of a leg, whose chain ends at `end`, beyond its middle.
    fn sole_from(&self, chain: &[usize], end: Vec3, middle: usize) -> usize {
        let place = |k: usize| chain.get(k).map_or(end, |&body| self.rest[body].position);
        let leg = end - place(0);
        let lies = |k: &usize| (place(k + 1) - place(*k)).angle(&leg) > LIES;
        (middle + 1..chain.len()).rev().take_while(lies).last().unwrap_or(chain.len())
    }

    /// Bodies of the trunk by where they are along the way from the hind end to the head, so that it does not matter which of them is the root.
    fn lay_trunk(&mut self, limb: usize) {
        let of_part = |part: LimbPart| self.limbs.all.iter().filter(move |limb| limb.part == part);
        let begins = |limb: &gambol_anatomy::Limb| self.rest[limb.bodies[0]].position;
        let bodies = self.limbs.all[limb].bodies.clone();
        let middles: Vec<Vec3> = bodies.iter().map(|&body| self.middle_of(body)).collect();
        let mean = |places: Vec<Vec3>| {
            (!places.is_empty()).then(|| places.iter().sum::<Vec3>() / places.len() as f64)
        };
        let last_row = of_part(LimbPart::Leg).map(|limb| limb.row).max();
        let hind: Vec<Vec3> =
            of_part(LimbPart::Leg).filter(|limb| Some(limb.row) == last_row).map(begins).collect();
        let tails = || of_part(LimbPart::Tail).chain(of_part(LimbPart::HindBody)).map(begins).collect();
        let low = mean(hind).or_else(|| mean(tails())).unwrap_or(middles[middles.len() - 1]);
        let high = mean(of_part(LimbPart::Head).map(begins).collect()).unwrap_or(middles[0]);
        let way = high - low;
        let length = way.norm_squared();
        for (&body, middle) in bodies.iter().zip(&middles) {
            let along = if length > 0.0 { (middle - low).dot(&way) / length } else { 0.0 };
            self.places[body] = Some(Place { limb, part: Part::Upper, along_part: along, along });
        }
    }

    /// Where the middle of a body is at rest.
    fn middle_of(&self, body: usize) -> Vec3 {
        self.rest[body].point_in_world(self.creature.bodies()[body].mass.com)
    }

    /// Which way a limb points at rest, from its first body to its landmark, in the creature's own frame.
    pub(super) fn limb_points(&self, limb: usize) -> Option<Vec3> {
        let limb = &self.limbs.all[limb];
        let mark = &self.creature.landmarks()[limb.landmark?];
        let end = self.rest[mark.body].point_in_world(mark.point);
        self.own(end - self.rest[limb.bodies[0]].position).try_normalize(1e-9)
    }

    /// Which way the bone of a body points at rest, in the creature's own frame: to the next body of its limb, or to the landmark.
    pub(super) fn points(&self, body: usize) -> Option<Vec3> {
        let place = self.places[body]?;
        let limb = &self.limbs.all[place.limb];
        let next = limb.bodies.iter().find(|&&next| self.creature.bodies()[next].parent == body);
        let end = limb.landmark.map(|mark| &self.creature.landmarks()[mark]);
        let to = match (next, end) {
            (Some(&next), _) if end.is_none_or(|end| end.body != body) => self.rest[next].position,
            (_, Some(end)) if end.body == body => self.rest[body].point_in_world(end.point),
            _ => self.middle_of(body),
        };
        self.own(to - self.rest[body].position).try_normalize(1e-9)
    }
}
