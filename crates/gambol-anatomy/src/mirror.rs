//! The mirror image of a creature in itself: which body and joint is which on the other side.

use std::collections::HashMap;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, JointKind, Mat3, Quat, Vec3};
use nalgebra::{Quaternion, UnitQuaternion};

use crate::Heading;

/// Bodies this part of the creature's size from the mirror image of another one are its mates.
const MATE_PLACE: f64 = 0.02;
/// Masses of mates differ by less than this part.
const MATE_MASS: f64 = 0.05;
/// Beyond this many siblings only names tell mates: comparing all with all would take quadratic time.
const MANY_SIBLINGS: usize = 256;
/// Cosine of the largest angle between an axis and the mirror image of its mate's.
const PARALLEL_AXES: f64 = 0.999;

/// The creature's mirror symmetry: left for right across its sagittal plane.
///
/// Mates are found in the reference pose, by geometry first and by names (`left`, `right`, `l`, `r`) where a limb is
/// drawn differently on both sides. A body on the midline is its own mate. The map of joints is in joint coordinates,
/// so that it holds in every pose.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// Unit normal of the plane in the reference pose; it points left.
    normal: Vec3,
    bodies: Vec<Option<usize>>,
    joints: Vec<Option<usize>>,
    blocks: Vec<Option<Block>>,
    matched: f64,
}

/// How the coordinates of a joint become those of its mate.
#[derive(Clone, Copy, Debug)]
enum Block {
    /// A hinge or slide.
    Sign(f64),
    /// A ball: its angular velocity in the mate's body frame.
    Turn(Mat3),
    /// A free joint: velocities and angular velocities in the mate's body frame.
    Float { linear: Mat3, angular: Mat3 },
}

impl Mirror {
    /// The mirror symmetry of `creature`. Writes what [`forward_kinematics`] writes, for the reference pose.
    pub fn new(creature: &Creature, data: &mut Data) -> Self {
        let heading = Heading::of_reference(creature, data);
        Self::across(creature, data, heading.left)
    }

    /// With the plane's normal given. Needs the frames of the reference pose.
    pub fn across(creature: &Creature, data: &mut Data, normal: Vec3) -> Self {
        forward_kinematics(creature, data, creature.reference_pose());
        let scene = MateSearch::new(creature, data, normal);
        let (bodies, matched) = scene.best_mates();
        let mut mirror = Self { normal, bodies, joints: Vec::new(), blocks: Vec::new(), matched };
        for index in 0..creature.joints().len() {
            let mate = mirror.mate_of_joint(creature, index);
            mirror.joints.push(mate);
            mirror.blocks.push(mate.and_then(|mate| mirror.block(creature, data, index, mate)));
        }
        mirror
    }

    /// Unit normal of the sagittal plane in the reference pose; it points to the creature's left.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// The mirror image of a body: itself on the midline, `None` where it has none.
    pub fn body(&self, body: usize) -> Option<usize> {
        self.bodies.get(body).copied().flatten()
    }

    /// The mirror image of a joint: itself on the midline, `None` where it has none.
    pub fn joint(&self, joint: usize) -> Option<usize> {
        self.joints.get(joint).copied().flatten()
    }

    /// Bodies with another one for a mate, each pair once, the smaller index first.
    pub fn body_pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        pairs(&self.bodies)
    }

    /// Joints with another one for a mate, each pair once, the smaller index first.
    pub fn joint_pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        pairs(&self.joints)
    }

    /// Part of the mass that has a mirror image or lies on the midline, 0..1.
    pub fn matched(&self) -> f64 {
        self.matched
    }

    /// The mirror image of the velocity `v` at the pose `q`: what the left did the right does. `None` where a joint
    /// has no mate or its axes are not those of its mate reflected; also if a length is wrong.
    ///
    /// Applied twice it gives `v` back. A free root is reflected in the plane that it carries along.
    pub fn tangent(&self, creature: &Creature, q: &[f64], v: &[f64]) -> Option<Vec<f64>> {
        let fits = q.len() == creature.nq() && v.len() == creature.nv();
        if !fits || self.joints.len() != creature.joints().len() {
            return None;
        }
        let mut mirrored = vec![0.0; v.len()];
        for (index, joint) in creature.joints().iter().enumerate() {
            let mate = &creature.joints()[self.joints[index]?];
            let three = |at: usize| Vec3::new(v[at], v[at + 1], v[at + 2]);
            let mut put = |at: usize, x: Vec3| mirrored[at..at + 3].copy_from_slice(x.as_slice());
            match self.blocks[index]? {
                Block::Sign(sign) => mirrored[mate.v] = sign * v[joint.v],
                Block::Turn(turn) => put(mate.v, turn * three(joint.v)),
                Block::Float { linear, angular } => {
                    let (here, there) = (orientation(&q[joint.q + 3..]), orientation(&q[mate.q + 3..]));
                    put(mate.v, there * (linear * (here.inverse() * three(joint.v))));
                    put(mate.v + 3, angular * three(joint.v + 3));
                }
            }
        }
        Some(mirrored)
    }

    /// The joint of the mate that has the same place among its body's joints and is of the same kind.
    fn mate_of_joint(&self, creature: &Creature, index: usize) -> Option<usize> {
        let joint = &creature.joints()[index];
        let (own, other) = (&creature.bodies()[joint.body], &creature.bodies()[self.body(joint.body)?]);
        let mate = other.joints.start + (index - own.joints.start);
        let fits = own.joints.len() == other.joints.len() && creature.joints()[mate].kind == joint.kind;
        fits.then_some(mate)
    }

    fn block(&self, creature: &Creature, data: &Data, index: usize, mate: usize) -> Option<Block> {
        let (joint, other) = (&creature.joints()[index], &creature.joints()[mate]);
        let reflect = Mat3::identity() - self.normal * self.normal.transpose() * 2.0;
        let (here, there) = (data.frames[joint.body].rotation, data.frames[other.body].rotation);
        let linear = there.transpose() * reflect * here;
        Some(match joint.kind {
            JointKind::Hinge => {
                let (axis, image) = (data.axes[other.v].angular, -(reflect * data.axes[joint.v].angular));
                Block::Sign(sign_between(axis, image)?)
            }
            JointKind::Slide => {
                let (axis, image) = (data.axes[other.v].linear, reflect * data.axes[joint.v].linear);
                Block::Sign(sign_between(axis, image)?)
            }
            JointKind::Ball => Block::Turn(-linear),
            JointKind::Free => Block::Float { linear, angular: -linear },
        })
    }
}

/// +1 or −1 for parallel unit vectors.
fn sign_between(a: Vec3, b: Vec3) -> Option<f64> {
    let cosine = a.dot(&b);
    (cosine.abs() > PARALLEL_AXES).then(|| cosine.signum())
}

fn orientation(wxyz: &[f64]) -> Quat {
    UnitQuaternion::from_quaternion(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]))
}

fn pairs(mates: &[Option<usize>]) -> impl Iterator<Item = (usize, usize)> + '_ {
    mates
        .iter()
        .enumerate()
        .filter_map(|(index, mate)| mate.filter(|&mate| mate > index).map(|mate| (index, mate)))
}

/// The creature in its reference pose, while mates are looked for.
struct MateSearch<'c> {
    creature: &'c Creature,
    normal: Vec3,
    /// Centres of mass in the world.
    com: Vec<Vec3>,
    children: Vec<Vec<usize>>,
    /// Bodies by name.
    named: HashMap<&'c str, usize>,
    size: f64,
}

impl<'c> MateSearch<'c> {
    fn new(creature: &'c Creature, data: &Data, normal: Vec3) -> Self {
        let bodies = creature.bodies();
        let com: Vec<Vec3> =
            bodies.iter().zip(&data.frames).map(|(b, f)| f.point_in_world(b.mass.com)).collect();
        let mut children = vec![Vec::new(); bodies.len()];
        for (index, body) in bodies.iter().enumerate().skip(1) {
            children[body.parent].push(index);
        }
        let named = bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect();
        let spread = |k: usize| {
            let values = com.iter().skip(1).map(|x| x[k]);
            let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
            (high - low).max(0.0)
        };
        let size = Vec3::new(spread(0), spread(1), spread(2)).norm();
        Self { creature, normal, com, children, named, size }
    }

    /// The mates across the plane through the first root or through the whole centre of mass, whichever matches more
    /// of the mass.
    fn best_mates(&self) -> (Vec<Option<usize>>, f64) {
        let bodies = self.creature.bodies();
        let mass: f64 = bodies.iter().map(|body| body.mass.mass).sum();
        let whole = bodies.iter().zip(&self.com).map(|(body, com)| com * body.mass.mass).sum::<Vec3>();
        let centre = if mass > 0.0 { whole / mass } else { Vec3::zeros() };
        let root = self.children[0].first().map_or(centre, |&root| self.com[root]);
        let try_plane = |through: Vec3| {
            let mates = self.mates(through.dot(&self.normal));
            let found = mates.iter().zip(bodies).filter(|(mate, _)| mate.is_some());
            let matched: f64 = found.map(|(_, body)| body.mass.mass).sum();
            (mates, if mass > 0.0 { matched / mass } else { 0.0 })
        };
        let (by_root, by_centre) = (try_plane(root), try_plane(centre));
        if by_centre.1 > by_root.1 + 1e-9 { by_centre } else { by_root }
    }

    /// Mates from the root outwards: the children of mates are matched with each other.
    fn mates(&self, offset: f64) -> Vec<Option<usize>> {
        let mut mates: Vec<Option<usize>> = vec![None; self.children.len()];
        mates[0] = Some(0);
        for body in 0..self.children.len() {
            if let Some(mate) = mates[body].filter(|&mate| mate >= body) {
                self.match_children(body, mate, offset, &mut mates);
            }
        }
        mates
    }

    fn match_children(&self, body: usize, mate: usize, offset: f64, mates: &mut [Option<usize>]) {
        let few = self.children[body].len().max(self.children[mate].len()) <= MANY_SIBLINGS;
        for &child in &self.children[body] {
            if mates[child].is_some() {
                continue;
            }
            let by_place = if few { self.nearest(child, mate, offset, mates) } else { None };
            let found = by_place.or_else(|| self.by_name(child, mate, mates)).or_else(|| {
                let own = !few && body == mate && self.gap(child, child, offset) < MATE_PLACE * self.size;
                own.then_some(child)
            });
            if let Some(other) = found {
                mates[child] = Some(other);
                mates[other] = Some(child);
            }
        }
    }

    fn gap(&self, body: usize, other: usize, offset: f64) -> f64 {
        let x = self.com[body];
        let image = x - self.normal * (2.0 * (x.dot(&self.normal) - offset));
        (image - self.com[other]).norm()
    }

    fn alike(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.creature.bodies()[a], &self.creature.bodies()[b]);
        let larger = a.mass.mass.max(b.mass.mass);
        a.joints.len() == b.joints.len() && (a.mass.mass - b.mass.mass).abs() <= MATE_MASS * larger
    }

    /// The child of `mate` nearest to where `child` has its mirror image; a name that says the other side decides
    /// between equals, as do the two antennae that lie in the plane.
    fn nearest(&self, child: usize, mate: usize, offset: f64, mates: &[Option<usize>]) -> Option<usize> {
        let limit = MATE_PLACE * self.size + 1e-9;
        let swapped = self.by_name(child, mate, mates);
        let cost = |other: usize| {
            let named = swapped == Some(other);
            self.gap(child, other, offset) - if named { 1e-6 * self.size } else { 0.0 }
        };
        let fits = |&&other: &&usize| {
            mates[other].is_none() && self.alike(child, other) && self.gap(child, other, offset) <= limit
        };
        let siblings = self.children[mate].iter().filter(fits).copied();
        siblings.min_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(a.cmp(&b)))
    }

    /// The child of `mate` that is called as `child` but for the side.
    fn by_name(&self, child: usize, mate: usize, mates: &[Option<usize>]) -> Option<usize> {
        let other_name = other_side(&self.creature.bodies()[child].name)?;
        let other = *self.named.get(other_name.as_str())?;
        let fits = self.creature.bodies()[other].parent == mate
            && mates[other].is_none()
            && self.alike(child, other);
        fits.then_some(other)
    }
}

/// The name with its side changed, if it says one: `paw.left`, `L_calf`, `LeftFoot`, `FL_thigh`.
fn other_side(name: &str) -> Option<String> {
    const WORDS: [(&str, &str); 3] = [("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT")];
    for (left, right) in WORDS {
        if name.contains(left) {
            return Some(name.replace(left, right));
        }
        if name.contains(right) {
            return Some(name.replace(right, left));
        }
    }
    // A single letter or a robot's two letters stand as a word of their own.
    let mut changed = false;
    let mut swap = |word: &str| {
        let swapped = match word {
            "l" => "r",
            "r" => "l",
            "L" => "R",
            "R" => "L",
            "FL" => "FR",
            "FR" => "FL",
            "RL" => "RR",
            "RR" => "RL",
            "HL" => "HR",
            "HR" => "HL",
            "LF" => "RF",
            "RF" => "LF",
            "LH" => "RH",
            "RH" => "LH",
            _ => return word.to_owned(),
        };
        changed = true;
        swapped.to_owned()
    };
    let words: Vec<String> = split_keeping(name).into_iter().map(&mut swap).collect();
    changed.then(|| words.concat())
}

/// Words of letters and what stands between them.
fn split_keeping(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut was_letter = None;
    for (at, c) in name.char_indices() {
        let letter = c.is_alphabetic();
        if was_letter.is_some_and(|was: bool| was != letter) {
            parts.push(&name[start..at]);
            start = at;
        }
        was_letter = Some(letter);
    }
    parts.push(&name[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_sides() {
        let table = [
            ("paw.front.left", Some("paw.front.right")),
            ("RightForeArm", Some("LeftForeArm")),
            ("L_calf", Some("R_calf")),
            ("FL_thigh", Some("FR_thigh")),
            ("RR_foot", Some("RL_foot")),
            ("spine.1", None),
            ("", None),
        ];
        for (name, other) in table {
            assert_eq!(other_side(name).as_deref(), other, "{name}");
        }
    }
}
