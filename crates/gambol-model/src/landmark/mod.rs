//! Landmarks: the feet, knees, hands, elbows, head, spine and tail of a creature.
//!
//! Gaits are chosen by what feet, knees and elbows do (Kry et al. 2009, section 5.1: "with the hands, feet, knees,
//! and elbows correctly labeled"), so every creature gets its labels, from three sources in this order of authority:
//!
//! 1. the user ([`crate::LandmarkOverride`]);
//! 2. the file: sites, joints and bodies whose name *is* a landmark name, then ordinary names (`L_calf`, `FR_foot`,
//!    `mixamorig:LeftForeArm`) that say which body of a limb is which;
//! 3. a guess from the tree, the geometry and the symmetry of the standing creature.
//!
//! Left and right, front and hind always come from the geometry where it shows them: names only help to find out
//! which way the creature faces, and a name that says otherwise is reported. `stand` puts the creature into its
//! pose, `symmetry` finds the plane and the limbs, `facing` the forward direction, `limbs` tells legs from arms,
//! `ends` finds what is on each, `midline` what lies between them, `explicit` what somebody said, and this file decides
//! who has the last word.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{Creature, LandmarkOverride, ModelError, Vec3, Warning};

mod ends;
mod explicit;
mod facing;
mod grammar;
mod limb;
mod limbs;
mod midline;
mod stand;
mod symmetry;
#[cfg(test)]
mod tests;
mod words;

pub use grammar::LandmarkName;
pub use words::words_of_name;

use facing::Facing;
use limb::Limb;
use stand::Stand;
use words::Words;

/// What a landmark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The part of a leg that stands on the ground.
    Foot,
    /// The joint in the middle of a leg; of a hind leg where there are front legs.
    Knee,
    /// The end of an arm.
    Hand,
    /// The joint in the middle of an arm or front leg.
    Elbow,
    /// The head.
    Head,
    /// A joint of the spine.
    Spine,
    /// The tip of the tail.
    Tail,
}

impl Role {
    /// Whether the landmark is a joint rather than a point on a body.
    const fn is_joint(self) -> bool {
        matches!(self, Self::Knee | Self::Elbow | Self::Spine)
    }
}

/// Left or right of the plane of symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// +y of a creature that faces +x.
    Left,
    /// −y of a creature that faces +x.
    Right,
}

/// Which of several pairs of limbs, from front to hind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Row {
    /// The foremost of two or three pairs.
    Front,
    /// The middle one of three pairs.
    Middle,
    /// The hindmost of two or three pairs.
    Hind,
    /// Counted from 1: from the front where there are more pairs of legs, from the top where there are several
    /// pairs of arms, from the pelvis (or tail) to the head for spine joints.
    Number(u32),
}

/// How a landmark came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase", rename = "LandmarkSource")]
pub enum Source {
    /// The file names it.
    File,
    /// Found from the tree, the geometry and the symmetry of the body.
    Guess,
    /// The user said so.
    User,
}

/// A landmark: a point on a body, and the joint it marks if it marks one.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// What it is.
    pub role: Role,
    /// Which pair of limbs, where there are several.
    pub row: Option<Row>,
    /// Left or right; `None` on the midline.
    pub side: Option<Side>,
    /// The body it is on.
    pub body: usize,
    /// In the body frame, m.
    pub point: Vec3,
    /// The joint it marks: knees, elbows and spine joints have one.
    pub joint: Option<usize>,
    /// How it came to be known.
    pub source: Source,
    /// Why, in words a user can check.
    pub reason: String,
}

impl Landmark {
    /// Its name: `role[.row][.side]`, e.g. `foot.front.left`; see [`LandmarkName`].
    pub fn name(&self) -> String {
        self.key().to_string()
    }

    fn key(&self) -> LandmarkName {
        LandmarkName { role: self.role, row: self.row, side: self.side }
    }
}

/// Landmarks by name. The order of the map (role, row, side) is the order of [`Creature::landmarks`].
type Found = BTreeMap<LandmarkName, Landmark>;

/// Fills `creature.landmarks`, sorted by role, row and side.
pub(crate) fn find(creature: &mut Creature, overrides: &[LandmarkOverride]) -> Result<(), ModelError> {
    let mut warnings = Vec::new();
    let user = explicit::from_user(creature, overrides)?;
    let file = explicit::from_file(creature);
    let found = match stand_upright(creature, &mut warnings) {
        Some(stand) => {
            let mut anatomy = Anatomy::new(creature, &stand, &user, &file);
            let mut guessed = anatomy.landmarks(&mut warnings);
            let file = file.resolve(creature, &stand);
            leave_spine_to_file(&mut guessed, &file);
            let mut found = merge(guessed, file, &anatomy);
            user.removed.iter().for_each(|name| drop(found.remove(name)));
            let found = merge(found, user.resolve(creature, &stand), &anatomy);
            anatomy.warn_if_footless(&found, &user, &mut warnings);
            found
        }
        None => Found::new(),
    };
    creature.landmarks = found.into_values().collect();
    creature.warnings.append(&mut warnings);
    Ok(())
}

/// The creature in its pose, raised to its feet if it was drawn lying.
fn stand_upright(creature: &Creature, warnings: &mut Vec<Warning>) -> Option<Stand> {
    let stand = Stand::new(creature, None)?;
    let words = vec![Words::default(); creature.bodies.len()];
    let Some(up) = limbs::upright(creature, &stand, &symmetry::best_split(creature, &stand, &words)) else {
        return Some(stand);
    };
    let text = format!(
        "the creature lies in {}: its legs point along its back. {} is taken for up to tell feet from hands",
        stand.pose,
        facing::in_words(up)
    );
    warnings.push(Warning::new("landmarks", text));
    Stand::new(creature, Some(up))
}

/// The direction that ought to be up, if the creature was drawn lying and has limbs that could carry it.
pub(crate) fn lies(creature: &Creature) -> Option<Vec3> {
    let stand = Stand::new(creature, None)?;
    let words = words::of_bodies(creature);
    limbs::raised(creature, &stand, &words, &symmetry::best_split(creature, &stand, &words))
}

/// `stronger` wins over `weaker`: where both use a name, and where both give one limb, body or joint the same role
/// under different names.
fn merge(weaker: Found, stronger: Found, anatomy: &Anatomy) -> Found {
    let place = |landmark: &Landmark| match (anatomy.limb_of[landmark.body], landmark.joint) {
        (Some(limb), _) => (landmark.role, 0, limb),
        (None, Some(joint)) if landmark.role.is_joint() => (landmark.role, 1, joint),
        (None, _) => (landmark.role, 2, landmark.body),
    };
    let taken: HashSet<_> = stronger.values().map(place).collect();
    let mut all: Found = weaker.into_iter().filter(|(_, weak)| !taken.contains(&place(weak))).collect();
    all.extend(stronger);
    all
}

/// A file that numbers its spine numbers all of it: no guess comes between.
fn leave_spine_to_file(guessed: &mut Found, file: &Found) {
    if file.keys().any(|name| name.role == Role::Spine) {
        guessed.retain(|name, _| name.role != Role::Spine);
    }
}

/// What is known about the standing creature: which way it faces, its limbs, and what the names say.
struct Anatomy<'a> {
    creature: &'a Creature,
    stand: &'a Stand,
    words: Vec<Words>,
    facing: Facing,
    limbs: Vec<Limb>,
    /// Limb of each body, if it is on one.
    limb_of: Vec<Option<usize>>,
}

impl<'a> Anatomy<'a> {
    fn new(
        creature: &'a Creature,
        stand: &'a Stand,
        user: &explicit::Explicit,
        file: &explicit::Explicit,
    ) -> Self {
        let mut words = words::of_bodies(creature);
        // What the user says of a body counts like its name, and more.
        for explicit in [file, user] {
            explicit.given.iter().for_each(|given| words[given.body(creature)].overrule(given.name));
        }
        let split = symmetry::best_split(creature, stand, &words);
        let facing = facing::find(creature, stand, &words, &split);
        let limbs = limbs::sort_out(creature, stand, &words, &split, &facing);
        let mut limb_of = vec![None; creature.bodies.len()];
        for (index, limb) in limbs.iter().enumerate() {
            limb.bodies.iter().for_each(|&body| limb_of[body] = Some(index));
        }
        Self { creature, stand, words, facing, limbs, limb_of }
    }

    fn landmarks(&mut self, warnings: &mut Vec<Warning>) -> Found {
        warnings.append(&mut self.facing.warnings);
        let mut found = Found::new();
        for landmark in ends::landmarks(self).into_iter().chain(midline::landmarks(self)) {
            found.entry(landmark.key()).or_insert(landmark);
        }
        for landmark in ends::named_only(self, &found) {
            found.entry(landmark.key()).or_insert(landmark);
        }
        found
    }

    fn warn_if_footless(&self, found: &Found, user: &explicit::Explicit, warnings: &mut Vec<Warning>) {
        // A pendulum is not a creature without feet, and a snake does well without.
        const CREATURE_JOINTS: usize = 4;
        let has = |role| found.keys().any(|name| name.role == role);
        let removed = user.removed.iter().any(|name| name.role == Role::Foot);
        let legless = has(Role::Head) && has(Role::Spine) || midline::is_ring(self);
        if !has(Role::Foot) && !removed && !legless && self.creature.joints.len() >= CREATURE_JOINTS {
            warnings.push(Warning::new(
                "landmarks",
                format!("no feet found: no limb reaches the ground in {}", self.stand.pose),
            ));
        }
    }
}
