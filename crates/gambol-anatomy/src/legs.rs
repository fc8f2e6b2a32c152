//! The legs of a creature: what stands, what bends, and how they are paired.

use std::f64::consts::PI;

use gambol_dynamics::{BodyFrame, Data, Touch, forward_kinematics, touches};
use gambol_model::{Creature, JointKind, Landmark, Role, Side, Vec3, math};
use nalgebra::{Rotation3, Unit};

use crate::Heading;
use crate::feet::{foot_bodies, leg_bodies, users};

/// A knee is folded by this angle to see which way it bends the leg, rad.
const FOLD: f64 = 1.0;

/// A leg, from the joint where it leaves the body to its foot.
#[derive(Clone, Debug)]
pub struct Leg {
    /// Name of its foot, e.g. `foot.front.left`.
    pub name: String,
    /// Which pair, from 0 in front.
    pub pair: usize,
    /// Left or right; `None` on the midline.
    pub side: Option<Side>,
    /// The body that stands.
    pub foot: usize,
    /// The point of it that stays where it stands, in the body frame, m.
    pub point: Vec3,
    /// The knee, or the elbow of a front leg.
    pub knee: Option<usize>,
    /// +1 if a larger coordinate of the knee draws the foot towards the hip, −1 if it stretches the leg.
    pub bend: f64,
    /// Joints from the hip to the foot.
    pub joints: Vec<usize>,
    /// The hip in the rest pose, in the world, m.
    pub hip: Vec3,
    /// Height of the hip over the foot in the rest pose, m.
    pub length: f64,
    /// Distance of its first and last joints if the leg were straight, m; limits may keep it from that.
    pub straight: f64,
    /// The coordinate of a hinged knee at which hip, knee and ankle are in a line, rad.
    pub straight_knee: Option<f64>,
    /// What of the foot, and of all that hangs on it, can touch the ground.
    pub sole: Vec<Touch>,
}

impl Leg {
    /// The hip in another pose, m; the foot itself if nothing lets it move against the body.
    pub fn hip_in_world(&self, creature: &Creature, frames: &[BodyFrame]) -> Vec3 {
        self.joints.first().map_or(frames[self.foot].position, |&hip| {
            let hip = &creature.joints()[hip];
            frames[hip.body].point_in_world(hip.anchor)
        })
    }

    /// Its last joint in another pose, m: the ankle, or the foot itself if nothing lets it move against the body.
    pub fn ankle_in_world(&self, creature: &Creature, frames: &[BodyFrame]) -> Vec3 {
        self.joints.last().map_or(frames[self.foot].position, |&ankle| {
            let ankle = &creature.joints()[ankle];
            frames[ankle.body].point_in_world(ankle.anchor)
        })
    }

    /// Angle at the knee between hip and foot, rad: π for a straight leg and for one without a knee.
    pub fn stretch(&self, creature: &Creature, frames: &[BodyFrame]) -> f64 {
        self.knee.map_or(PI, |knee| {
            let joint = &creature.joints()[knee];
            let knee = frames[joint.body].point_in_world(joint.anchor);
            let foot = frames[self.foot].point_in_world(self.point);
            (self.hip_in_world(creature, frames) - knee).angle(&(foot - knee))
        })
    }
}

/// All legs of a creature in its rest pose.
#[derive(Clone, Debug)]
pub struct Legs {
    /// From front to hind, left before right.
    pub legs: Vec<Leg>,
    /// Number of pairs (a single leg in the middle counts as one).
    pub pairs: usize,
    /// The creature's directions in its rest pose.
    pub heading: Heading,
    /// Mean height of the hips over their feet, m: the length in Froude's number.
    pub length: f64,
    /// Height of the ground under the standing creature, m along `heading.up`.
    pub ground: f64,
}

impl Legs {
    /// The legs of `creature` in `pose`. None at all for a legless one.
    pub fn new(creature: &Creature, data: &mut Data, pose: &[f64]) -> Self {
        let heading = Heading::of_reference(creature, data);
        let frames = forward_kinematics(creature, data, pose);
        let feet: Vec<&Landmark> =
            creature.landmarks().iter().filter(|mark| mark.role == Role::Foot).collect();
        let mut rows: Vec<_> = feet.iter().map(|foot| foot.row).collect();
        rows.sort_unstable();
        rows.dedup();
        let users = users(creature, &feet);
        let mut legs: Vec<Leg> = feet
            .iter()
            .map(|foot| {
                let pair = rows.iter().position(|row| *row == foot.row).unwrap_or(0);
                leg(creature, frames, pose, heading.up, &users, foot, pair)
            })
            .collect();
        legs.sort_by_key(|leg| (leg.pair, leg.side));
        let count = legs.len().max(1) as f64;
        let length = legs.iter().map(|leg| leg.length).sum::<f64>() / count;
        let lowest = |leg: &Leg| sole_height(leg, frames, heading.up);
        let ground = legs.iter().map(lowest).sum::<f64>() / count;
        Self { pairs: rows.len(), legs, heading, length, ground }
    }

    /// The same without them: limbs that look like legs and carry nobody.
    #[must_use]
    pub fn put_aside(self) -> Self {
        Self { legs: Vec::new(), pairs: 0, length: 0.0, ..self }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.legs.is_empty()
    }

    /// The leg on the other side of the same pair.
    pub fn partner(&self, leg: usize) -> Option<usize> {
        let Leg { pair, side, .. } = self.legs[leg];
        (0..self.legs.len())
            .find(|&other| other != leg && self.legs[other].pair == pair && self.legs[other].side != side)
    }
}

/// Height of the lowest point of a foot along `up`, m.
fn sole_height(leg: &Leg, frames: &[BodyFrame], up: Vec3) -> f64 {
    let height = |touch: &Touch| touch.lowest(&frames[touch.body], up).point.dot(&up);
    leg.sole.iter().map(height).fold(f64::INFINITY, f64::min)
}

fn leg(
    creature: &Creature,
    frames: &[BodyFrame],
    pose: &[f64],
    up: Vec3,
    users: &[usize],
    foot: &Landmark,
    pair: usize,
) -> Leg {
    let bodies = creature.bodies();
    let chain = leg_bodies(creature, users, foot.body);
    let joints: Vec<usize> = chain.iter().flat_map(|&body| bodies[body].joints.clone()).collect();
    let place = |joint: usize| {
        let joint = &creature.joints()[joint];
        frames[joint.body].point_in_world(joint.anchor)
    };
    let hip = joints.first().map_or(frames[chain[0]].position, |&joint| place(joint));
    let stands = frames[foot.body].point_in_world(foot.point);
    let knee = knee(creature, foot, &joints);
    let wide = knee.and_then(|knee| thigh_of_wide_hip(&joints, knee, &place));
    let thigh = wide.unwrap_or(hip);
    let above = if wide.is_some() {
        joints.iter().position(|joint| Some(*joint) == knee).unwrap_or(1) - 1
    } else {
        0
    };
    let bones = joints[above..].windows(2).map(|pair| (place(pair[1]) - place(pair[0])).norm()).sum();
    let straight = math::hypot((thigh - hip).norm(), bones);
    let bend = knee.map_or(1.0, |knee| {
        // The leg bends the way that brings the foot nearer to the hip, as far as the limits let it. To first order
        // a toe ahead of a straight leg comes nearer when the knee bends the wrong way.
        let joint = &creature.joints()[knee];
        let Some(axis) = Unit::try_new(frames[joint.body].rotation * joint.axis, 1e-9) else { return 1.0 };
        let [low, high] = joint.limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let distance = |angle: f64| {
            let turn = Rotation3::from_axis_angle(&axis, angle);
            (place(knee) + turn * (stands - place(knee)) - hip).norm()
        };
        let less = distance((low - pose[joint.q]).clamp(-FOLD, 0.0));
        let more = distance((high - pose[joint.q]).clamp(0.0, FOLD));
        if more <= less { 1.0 } else { -1.0 }
    });
    // Straight is where the leg would go if the knee stretched by what it lacks of a half turn.
    let straight_knee = knee.zip(joints.last()).and_then(|(knee, &ankle)| {
        let joint = &creature.joints()[knee];
        let (up, down) = (thigh - place(knee), place(ankle) - place(knee));
        let lacks = PI - up.angle(&down);
        let bones = up.norm() > 0.0 && down.norm() > 0.0;
        (joint.kind == JointKind::Hinge && bones).then(|| pose[joint.q] - bend * lacks)
    });
    let seen = |body: usize| !bodies[body].shapes.is_empty();
    let mut sole: Vec<Touch> = foot_bodies(creature, foot.body)
        .into_iter()
        .flat_map(|body| touches(creature, body, &frames[body], up))
        .collect();
    if !sole.iter().any(|touch| seen(touch.body)) {
        // A foot without a shape stands on the end of what it hangs on.
        let shin = chain.iter().rev().find(|&&body| seen(body));
        sole.extend(shin.into_iter().flat_map(|&body| touches(creature, body, &frames[body], up)));
    }
    if sole.is_empty() {
        sole.push(Touch { body: foot.body, center: foot.point, ellipsoid: gambol_model::Mat3::zeros() });
    }
    Leg {
        name: foot.name(),
        pair,
        side: foot.side,
        foot: foot.body,
        point: foot.point,
        knee,
        bend,
        joints,
        hip,
        length: (hip - stands).dot(&up),
        straight,
        straight_knee,
        sole,
    }
}

/// The upper end of the thigh where the hip is wide: hinges of robots lie beside each other, across the leg, and do not make it longer. That of
/// an animal is its first joint, the shoulder blade a bone of the leg.
fn thigh_of_wide_hip(joints: &[usize], knee: usize, place: &dyn Fn(usize) -> Vec3) -> Option<Vec3> {
    /// Of the thigh: hinges of one hip are no further apart.
    const NEAR: f64 = 0.5;
    /// Of the way between them: they lie across the leg if no more of it is along the thigh.
    const ALONG: f64 = 0.3;
    let at = joints.iter().position(|&joint| joint == knee)?;
    let hip = place(*joints.first()?);
    let thigh = place(joints[at.checked_sub(1)?]);
    let (wide, bone) = (thigh - hip, place(knee) - thigh);
    let along = wide.dot(&bone.try_normalize(0.0)?).abs();
    (wide.norm() < NEAR * bone.norm() && along < ALONG * wide.norm()).then_some(thigh)
}

/// The knee of this leg, or its elbow.
fn knee(creature: &Creature, foot: &Landmark, joints: &[usize]) -> Option<usize> {
    let marks = creature.landmarks().iter();
    let own = marks.filter(|mark| matches!(mark.role, Role::Knee | Role::Elbow) && mark.side == foot.side);
    own.filter_map(|mark| mark.joint).find(|joint| joints.contains(joint))
}
