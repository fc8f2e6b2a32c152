//! What each limb, or pair of limbs, does in a mode.

use gambol_anatomy::{Limb, LimbPart};
use gambol_model::{JointKind, Row, Vec3, math};

use super::Reader;
use super::motion::{Motion, share};
use super::wave::directions;

/// Which way a limb goes, seen from where it hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Forward,
    Sideways,
    Vertical,
    /// About its own axis.
    Twist,
    /// It bends in this joint below its root.
    Bend(usize),
    /// It tilts sideways in this joint.
    Tilt(usize),
    /// It turns about its own axis in this joint.
    Turn(usize),
}

impl Way {
    /// The same for all joints of one kind, so that the two knees of a creature do the same.
    pub(super) fn joint(self) -> Option<usize> {
        match self {
            Self::Bend(joint) | Self::Tilt(joint) | Self::Turn(joint) => Some(joint),
            _ => None,
        }
    }
}

/// How the limbs of a pair go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sync {
    Together,
    InTurn,
    Uneven,
    /// Only this limb of the pair moves.
    Only(usize),
    /// There is one limb.
    Single,
}

/// What a group of limbs does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Act {
    pub(super) part: LimbPart,
    pub(super) row: Option<Row>,
    /// The limb that stands for the group: the left one of a pair.
    pub(super) limb: usize,
    /// Part of the elastic energy.
    pub(super) share: f64,
    pub(super) way: Way,
    pub(super) sync: Sync,
    /// Motion of that limb: forward, left, up, in lengths of the limb.
    pub(super) swing: Vec3,
    /// How often its bending changes direction along it.
    pub(super) turns_back: usize,
}

/// What all groups do, in their order.
pub(super) fn of_groups(reader: &Reader, motion: &Motion) -> Vec<Act> {
    let stage = Stage { reader, motion };
    let groups = reader.limbs.groups.iter();
    groups
        .filter(|group| group.iter().any(|&limb| !stage.limb(limb).joints.is_empty()))
        .map(|g| stage.act(g))
        .collect()
}

struct Stage<'a> {
    reader: &'a Reader<'a>,
    motion: &'a Motion<'a>,
}

impl Stage<'_> {
    fn limb(&self, limb: usize) -> &Limb {
        &self.reader.limbs.all[limb]
    }

    fn energy(&self, limb: usize) -> f64 {
        self.limb(limb).joints.iter().map(|&joint| self.motion.elastic[joint]).sum()
    }

    fn act(&self, group: &[usize]) -> Act {
        let total: f64 = group.iter().map(|&limb| self.energy(limb)).sum();
        let alone = group.iter().position(|&limb| self.energy(limb) > self.reader.settings.alone * total);
        let chosen = match alone {
            Some(index) => &group[index..=index],
            None => group,
        };
        let first = chosen[0];
        let limb = self.limb(first);
        let way = match limb.part {
            LimbPart::Spine => self.way_of_spine(limb),
            LimbPart::Head | LimbPart::Tail | LimbPart::HindBody => self.way_of_chain(limb),
            LimbPart::Leg | LimbPart::Arm | LimbPart::Other => self.way_of_limbs(chosen),
        };
        let sync = match (alone, group.len()) {
            (_, 1) => Sync::Single,
            (Some(index), _) => Sync::Only(group[index]),
            (None, 2) => self.sync(group[0], group[1], way),
            _ => Sync::Uneven,
        };
        Act {
            part: limb.part,
            row: limb.row,
            limb: first,
            share: total,
            way,
            sync,
            swing: self.swing(limb),
            turns_back: self.turns_back(limb, way),
        }
    }

    /// The body at its end, the point that shows how it moves, and its length.
    fn end(&self, limb: &Limb) -> (usize, Vec3, Vec3) {
        let scene = self.motion.scene;
        let last = limb.bodies[limb.bodies.len() - 1];
        let (body, point) = limb.landmark.map_or((last, scene.com[last]), |mark| {
            (self.reader.creature.landmarks()[mark].body, scene.marks[mark])
        });
        let base = limb.joints.first().map_or(scene.com[limb.attach], |&joint| scene.anchors[joint]);
        (body, point, point - base)
    }

    /// Motion of a limb's end against the body it hangs from: forward, left, up, in lengths of the limb.
    fn swing(&self, limb: &Limb) -> Vec3 {
        let (body, point, along) = self.end(limb);
        let moved = self.motion.relative(body, point, limb.attach);
        let length = along.norm();
        if length > 1e-9 { self.motion.scene.heading.components(moved) / length } else { Vec3::zeros() }
    }

    /// Rotation of a limb's end about the limb, rad.
    fn twist(&self, limb: &Limb) -> f64 {
        let (body, _, along) = self.end(limb);
        let turned = self.motion.bodies[body].angular - self.motion.bodies[limb.attach].angular;
        along.try_normalize(1e-9).map_or(0.0, |along| turned.dot(&along))
    }

    fn way_of_limbs(&self, limbs: &[usize]) -> Way {
        if let Some(joint) = self.joint_that_bends(limbs) {
            return self.way_of_joint(self.limb(limbs[0]), joint);
        }
        let mut parts = [0.0; 4];
        for &limb in limbs {
            let (swing, twist) = (self.swing(self.limb(limb)), self.twist(self.limb(limb)));
            for (part, x) in parts.iter_mut().zip([swing.x, swing.y, swing.z, twist]) {
                *part += x * x;
            }
        }
        [Way::Forward, Way::Sideways, Way::Vertical, Way::Twist][largest(&parts)]
    }

    fn way_of_chain(&self, limb: &Limb) -> Way {
        let (swing, twist) = (self.swing(limb), self.twist(limb));
        let sagittal = swing.x * swing.x + swing.z * swing.z;
        [Way::Vertical, Way::Sideways, Way::Twist][largest(&[sagittal, swing.y * swing.y, twist * twist])]
    }

    /// By the energy of bending in the sagittal plane, across it, and of twisting.
    fn way_of_spine(&self, limb: &Limb) -> Way {
        let axis = self.axis_of_spine(limb);
        let left = self.motion.scene.heading.left;
        let side = left.cross(&axis);
        let mut parts = [0.0; 3];
        for &joint in &limb.joints {
            let Some(turn) = self.motion.turns[joint].try_normalize(1e-12) else { continue };
            for (part, about) in parts.iter_mut().zip([left, side, axis]) {
                *part += self.motion.elastic[joint] * math::square(turn.dot(&about));
            }
        }
        [Way::Vertical, Way::Sideways, Way::Twist][largest(&parts)]
    }

    /// From the hind end of the trunk to the front, within the sagittal plane.
    fn axis_of_spine(&self, limb: &Limb) -> Vec3 {
        let (scene, bodies) = (self.motion.scene, self.reader.creature.bodies());
        let body = |joint: usize| self.reader.creature.joints()[joint].body;
        let ends = limb.joints.first().zip(limb.joints.last());
        let along = ends.map_or(scene.heading.forward, |(&first, &last)| {
            scene.com[body(last)] - scene.com[bodies[body(first)].parent]
        });
        let flat = along - scene.heading.left * along.dot(&scene.heading.left);
        flat.try_normalize(1e-9).unwrap_or(scene.heading.forward)
    }

    /// The joint below the root of these limbs that takes most of their energy; also one at the root if the end of the
    /// limb hardly moves.
    fn joint_that_bends(&self, limbs: &[usize]) -> Option<usize> {
        let limb = self.limb(limbs[0]);
        let alike = limbs.iter().all(|&other| self.limb(other).joints.len() == limb.joints.len());
        let counted = if alike { limbs } else { &limbs[..1] };
        let energy = |place: usize| -> f64 {
            counted.iter().map(|&other| self.motion.elastic[self.limb(other).joints[place]]).sum()
        };
        let energies: Vec<f64> = (0..limb.joints.len()).map(energy).collect();
        let total: f64 = energies.iter().sum();
        let below = self.first_below_root(limb);
        let most =
            |from: usize| (from < energies.len()).then(|| limb.joints[from + largest(&energies[from..])]);
        if energies[below..].iter().sum::<f64>() > self.reader.settings.below_root * total {
            return most(below);
        }
        let angle = limb.joints.iter().map(|&joint| self.motion.turns[joint].norm()).fold(0.0, f64::max);
        let least = self.reader.settings.swings * angle;
        let still = self.swing(limb).norm() < least && self.twist(limb).abs() < least;
        if still && limb.joints.len() > 1 { most(0) } else { None }
    }

    /// Place of the knee, or of the first joint that is not on the limb's first jointed body.
    fn first_below_root(&self, limb: &Limb) -> usize {
        let body = |joint: usize| self.reader.creature.joints()[joint].body;
        let middle = limb.middle.and_then(|middle| limb.joints.iter().position(|&j| body(j) == body(middle)));
        middle.filter(|&place| place > 0).unwrap_or_else(|| {
            limb.joints.iter().take_while(|&&joint| body(joint) == body(limb.joints[0])).count()
        })
    }

    fn way_of_joint(&self, limb: &Limb, joint: usize) -> Way {
        let creature = self.reader.creature;
        let (scene, turn) = (self.motion.scene, self.motion.turns[joint]);
        if creature.joints()[joint].kind != JointKind::Ball {
            return Way::Bend(joint);
        }
        let next =
            limb.joints.iter().find(|&&next| creature.joints()[next].body > creature.joints()[joint].body);
        let further = next.map_or(scene.com[creature.joints()[joint].body], |&next| scene.anchors[next]);
        let along = (further - scene.anchors[joint]).try_normalize(1e-9).unwrap_or(scene.heading.up);
        let about_bone = turn.dot(&along);
        let flexion = turn.dot(&scene.heading.left);
        let rest = (turn.norm_squared() - math::square(about_bone) - math::square(flexion)).max(0.0);
        [Way::Bend(joint), Way::Tilt(joint), Way::Turn(joint)]
            [largest(&[math::square(flexion), rest, math::square(about_bone)])]
    }

    /// How two limbs that mirror each other go together.
    fn sync(&self, left: usize, right: usize, way: Way) -> Sync {
        let (a, b) = (self.limb(left), self.limb(right));
        let heading = &self.motion.scene.heading;
        let polar = |x: Vec3| Vec3::new(x.x, -x.y, x.z);
        let axial = |x: Vec3| Vec3::new(-x.x, x.y, -x.z);
        let turn = |joint: usize| heading.components(self.motion.turns[joint]);
        let (own, image) = match (way, way.joint()) {
            (Way::Twist, _) => (Vec3::x() * self.twist(a), Vec3::x() * -self.twist(b)),
            (_, Some(joint)) => {
                let place = a.joints.iter().position(|&j| j == joint);
                let other = place.and_then(|place| b.joints.get(place));
                (turn(joint), other.map_or(Vec3::zeros(), |&other| axial(turn(other))))
            }
            _ => (self.swing(a), polar(self.swing(b))),
        };
        match share(2.0 * own.dot(&image), own.norm_squared() + image.norm_squared()) {
            c if c > self.reader.settings.in_step => Sync::Together,
            c if c < -self.reader.settings.in_step => Sync::InTurn,
            _ => Sync::Uneven,
        }
    }

    /// How often the bending of a chain changes direction, in the plane in which it goes.
    fn turns_back(&self, limb: &Limb, way: Way) -> usize {
        if matches!(limb.part, LimbPart::Leg | LimbPart::Arm | LimbPart::Other) {
            return 0;
        }
        let heading = &self.motion.scene.heading;
        let axis = self.axis_of_spine(limb);
        let about = match way {
            Way::Vertical => heading.left,
            Way::Sideways => heading.left.cross(&axis),
            Way::Twist => axis,
            _ => return 0,
        };
        let spine = &self.reader.spine;
        let joints = if limb.part == LimbPart::Spine && !spine.is_empty() { spine } else { &limb.joints };
        let signs = directions(self.reader.creature, joints);
        let turn = |(&joint, sign): (&usize, &f64)| sign * self.motion.turns[joint].dot(&about);
        let turns: Vec<f64> = joints.iter().zip(&signs).map(turn).collect();
        changes_of_sign(&turns, self.reader.settings.bends_back)
    }
}

/// Place of the largest number; the first of equals, where rounding does not make a difference.
pub(super) fn largest(values: &[f64]) -> usize {
    let mut best = 0;
    for (index, &value) in values.iter().enumerate().skip(1) {
        if value > values[best] * (1.0 + 1e-6) {
            best = index;
        }
    }
    best
}

/// How often a row of numbers changes its sign; small ones do not count.
pub(super) fn changes_of_sign(values: &[f64], least: f64) -> usize {
    let most = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let clear: Vec<bool> = values.iter().filter(|x| x.abs() > least * most).map(|&x| x > 0.0).collect();
    clear.windows(2).filter(|two| two[0] != two[1]).count()
}
