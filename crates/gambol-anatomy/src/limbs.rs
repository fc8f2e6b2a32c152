//! A creature cut into trunk and limbs by its landmarks.
//!
//! A body from which two or more of the ends (feet, hands, head, tail) hang belongs to the trunk, one from which a
//! single end hangs to the limb of that end. What hangs beyond an end is part of its leg, arm or tail (toes, fingers);
//! on head and trunk it is something of its own (antennae, a jaw).

use std::ops::Range;

use gambol_model::{Creature, JointKind, Landmark, Role, Row, Side};

use crate::Mirror;

/// What a limb is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimbPart {
    /// Ends in a foot.
    Leg,
    /// Ends in a hand.
    Arm,
    /// Neck and head.
    Head,
    /// A tail.
    Tail,
    /// A hind body that hangs by the spine alone, as an insect's.
    HindBody,
    /// The trunk itself.
    Spine,
    /// Antennae, jaws, ears; all branches of a creature without landmarks.
    Other,
}

/// A chain, or the trunk.
#[derive(Clone, Debug)]
pub struct Limb {
    /// `leg.front.left`, `arm.right`, `head`, `tail`, `spine`, or the name of its first body.
    pub name: String,
    /// What it is.
    pub part: LimbPart,
    /// Which pair of limbs, where there are several.
    pub row: Option<Row>,
    /// Left or right; `None` on the midline.
    pub side: Option<Side>,
    /// From the trunk outwards.
    pub bodies: Vec<usize>,
    /// Joints of those bodies that bend it, from the trunk outwards.
    pub joints: Vec<usize>,
    /// The body it hangs from.
    pub attach: usize,
    /// The landmark at its end.
    pub landmark: Option<usize>,
    /// Its knee or elbow.
    pub middle: Option<usize>,
}

/// All limbs, and which one each body belongs to.
#[derive(Clone, Debug)]
pub struct Limbs {
    /// In the order in which they leave the trunk.
    pub all: Vec<Limb>,
    /// Limb of each body but the world.
    pub owner: Vec<Option<usize>>,
    /// Limbs that mirror each other, and single ones: left before right.
    pub groups: Vec<Vec<usize>>,
}

impl Limbs {
    /// Cuts a creature into its limbs; `mirror` says which of those without landmarks belong together.
    pub fn new(creature: &Creature, mirror: &Mirror) -> Self {
        let mut cut = Cut::new(creature);
        for body in 1..creature.bodies().len() {
            cut.assign(body);
        }
        let Cut { mut limbs, owner, .. } = cut;
        find_middles(creature, &owner, &mut limbs);
        let groups = group(&limbs, &owner, mirror);
        Self { all: limbs, owner, groups }
    }

    /// Whether there are legs or arms.
    pub fn has_extremities(&self) -> bool {
        self.all.iter().any(|limb| matches!(limb.part, LimbPart::Leg | LimbPart::Arm))
    }

    /// How many rows of this part there are.
    pub fn rows(&self, part: LimbPart) -> usize {
        self.groups.iter().filter(|group| self.all[group[0]].part == part).count()
    }
}

/// Landmarks that end a limb.
fn ends_limb(landmark: &Landmark) -> bool {
    matches!(landmark.role, Role::Foot | Role::Hand | Role::Head | Role::Tail)
}

/// The work of cutting.
struct Cut<'c> {
    creature: &'c Creature,
    /// How many ends hang from each body, and the first of them.
    below: Vec<(usize, Option<usize>)>,
    /// Bodies with a spine joint.
    on_spine: Vec<bool>,
    /// Bodies with a spine joint at or beyond them.
    spine_from_here: Vec<bool>,
    /// Whether anything from this body on can move on its own.
    jointed: Vec<bool>,
    has_legs: bool,
    limbs: Vec<Limb>,
    owner: Vec<Option<usize>>,
    /// Limb of each landmark, once it has begun.
    limb_of_end: Vec<Option<usize>>,
    trunk: Option<usize>,
}

impl<'c> Cut<'c> {
    fn new(creature: &'c Creature) -> Self {
        let bodies = creature.bodies();
        let landmarks = creature.landmarks();
        let mut below = vec![(0, None); bodies.len()];
        for (index, landmark) in landmarks.iter().enumerate().filter(|(_, landmark)| ends_limb(landmark)) {
            below[landmark.body].0 += 1;
            below[landmark.body].1.get_or_insert(index);
        }
        let mut on_spine = vec![false; bodies.len()];
        for landmark in landmarks.iter().filter(|landmark| landmark.role == Role::Spine) {
            on_spine[landmark.body] = true;
        }
        let mut spine_from_here = on_spine.clone();
        let mut jointed: Vec<bool> = bodies.iter().map(|body| !body.joints.is_empty()).collect();
        for body in (1..bodies.len()).rev() {
            let parent = bodies[body].parent;
            let (count, first) = below[body];
            below[parent].0 += count;
            below[parent].1 = below[parent].1.or(first);
            let moves = jointed[body];
            jointed[parent] |= moves;
            spine_from_here[parent] |= spine_from_here[body];
        }
        Self {
            creature,
            below,
            on_spine,
            spine_from_here,
            jointed,
            has_legs: landmarks.iter().any(|landmark| landmark.role == Role::Foot),
            limbs: Vec::new(),
            owner: vec![None; bodies.len()],
            limb_of_end: vec![None; landmarks.len()],
            trunk: None,
        }
    }

    fn assign(&mut self, body: usize) {
        let parent = self.creature.bodies()[body].parent;
        let limb = match self.below[body] {
            _ if parent == 0 => self.trunk(body),
            (1, Some(end)) if !self.is_trunk_before(body, end) => self.limb_at(end, body, parent),
            (0, _) => self.beyond(body, parent),
            _ => self.trunk(body),
        };
        self.owner[body] = Some(limb);
        self.limbs[limb].bodies.push(body);
        let joints: Range<usize> = self.creature.bodies()[body].joints.clone();
        let bends = joints.filter(|&joint| self.creature.joints()[joint].kind != JointKind::Free);
        self.limbs[limb].joints.extend(bends);
    }

    /// Spine joints towards the head belong to the trunk although only the head hangs from them; towards the tail they
    /// do in a snake, while an insect's hind body is a limb.
    fn is_trunk_before(&self, body: usize, end: usize) -> bool {
        let is_tail = self.creature.landmarks()[end].role == Role::Tail;
        if is_tail && self.has_legs {
            return false;
        }
        self.spine_from_here[body]
    }

    fn trunk(&mut self, body: usize) -> usize {
        if let Some(trunk) = self.trunk {
            return trunk;
        }
        let trunk = self.begin("spine".to_owned(), LimbPart::Spine, body);
        self.trunk = Some(trunk);
        trunk
    }

    fn limb_at(&mut self, end: usize, body: usize, parent: usize) -> usize {
        if let Some(limb) = self.limb_of_end[end] {
            return limb;
        }
        let landmark = &self.creature.landmarks()[end];
        let part = match landmark.role {
            Role::Foot => LimbPart::Leg,
            Role::Hand => LimbPart::Arm,
            Role::Tail if self.on_spine[body] => LimbPart::HindBody,
            Role::Tail => LimbPart::Tail,
            _ => LimbPart::Head,
        };
        let noun = match part {
            LimbPart::Leg => "leg",
            LimbPart::Arm => "arm",
            LimbPart::Tail | LimbPart::HindBody => "tail",
            _ => "head",
        };
        let landmark_name = landmark.name(); // foot.front.left: the leg has its row and side
        let name = landmark_name
            .split_once('.')
            .map_or_else(|| noun.to_owned(), |(_, row_and_side)| format!("{noun}.{row_and_side}"));
        let limb = self.begin(name, part, parent);
        (self.limbs[limb].row, self.limbs[limb].side) = (landmark.row, landmark.side);
        self.limbs[limb].landmark = Some(end);
        self.limb_of_end[end] = Some(limb);
        limb
    }

    /// What hangs beyond the ends.
    fn beyond(&mut self, body: usize, parent: usize) -> usize {
        let Some(limb) = self.owner[parent] else { return self.trunk(body) };
        let goes_along = !matches!(self.limbs[limb].part, LimbPart::Head | LimbPart::Spine);
        if goes_along || !self.jointed[body] {
            return limb;
        }
        let name = self.creature.bodies()[body].name.clone();
        self.begin(name, LimbPart::Other, parent)
    }

    fn begin(&mut self, name: String, part: LimbPart, attach: usize) -> usize {
        self.limbs.push(Limb {
            name,
            part,
            row: None,
            side: None,
            bodies: Vec::new(),
            joints: Vec::new(),
            attach,
            landmark: None,
            middle: None,
        });
        self.limbs.len() - 1
    }
}

fn find_middles(creature: &Creature, owner: &[Option<usize>], limbs: &mut [Limb]) {
    for landmark in creature.landmarks().iter().filter(|l| matches!(l.role, Role::Knee | Role::Elbow)) {
        if let Some(limb) = owner[landmark.body] {
            limbs[limb].middle = landmark.joint;
        }
    }
}

/// Limbs of one part and row go together, others with their mirror images.
fn group(limbs: &[Limb], owner: &[Option<usize>], mirror: &Mirror) -> Vec<Vec<usize>> {
    let is_extremity = |limb: &Limb| matches!(limb.part, LimbPart::Leg | LimbPart::Arm);
    let extremities: Vec<usize> = (0..limbs.len()).filter(|&index| is_extremity(&limbs[index])).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut taken = vec![false; limbs.len()];
    for (index, limb) in limbs.iter().enumerate() {
        if taken[index] {
            continue;
        }
        let alike = |&other: &usize| limbs[other].part == limb.part && limbs[other].row == limb.row;
        let mut group: Vec<usize> = if is_extremity(limb) {
            extremities.iter().copied().filter(alike).collect()
        } else {
            let mate = mirror.body(limb.bodies[0]).and_then(|body| owner[body]);
            let mate =
                mate.filter(|&mate| limb.part == LimbPart::Other && limbs[mate].part == LimbPart::Other);
            std::iter::once(index).chain(mate.filter(|&mate| mate != index)).collect()
        };
        group.retain(|&member| !std::mem::replace(&mut taken[member], true));
        group.sort_by_key(|&member| limbs[member].side);
        groups.push(group);
    }
    groups
}
