//! Which way a creature faces.

use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{Creature, Role, Side, Vec3};

/// Right-handed unit axes of a creature in the world.
#[derive(Clone, Copy, Debug)]
pub struct Heading {
    /// The way it walks.
    pub forward: Vec3,
    /// To its left.
    pub left: Vec3,
    /// Against gravity.
    pub up: Vec3,
}

impl Heading {
    /// In the reference pose, where left and right stand side by side: from the sides of the landmarks, else from
    /// tail to head, else x. Leaves the frames of the reference pose in `data`.
    pub fn of_reference(creature: &Creature, data: &mut Data) -> Self {
        let frames = forward_kinematics(creature, data, creature.reference_pose());
        let up = (-creature.gravity()).try_normalize(1e-9).unwrap_or_else(Vec3::z);
        let left = from_sides(creature, frames)
            .and_then(|left| level(left, up))
            .or_else(|| from_ends(creature, frames).and_then(|ahead| level(ahead, up)).map(|f| up.cross(&f)))
            .or_else(|| level(Vec3::y(), up))
            .unwrap_or_else(|| up.cross(&Vec3::y()).normalize());
        Self { forward: left.cross(&up), left, up }
    }

    /// The same creature with its left carried to `left_in_pose` by its root; up stays up.
    pub fn turned(&self, left_in_pose: Vec3) -> Self {
        let left = level(left_in_pose, self.up).unwrap_or(self.left);
        Self { forward: left.cross(&self.up), left, up: self.up }
    }

    /// Components forward, left and up.
    pub fn components(&self, x: Vec3) -> Vec3 {
        Vec3::new(x.dot(&self.forward), x.dot(&self.left), x.dot(&self.up))
    }
}

fn level(x: Vec3, up: Vec3) -> Option<Vec3> {
    let flat = x - up * up.dot(&x);
    // A direction that is mostly vertical says nothing about left and right.
    flat.try_normalize(1e-9).filter(|_| flat.norm() > 0.1 * x.norm())
}

fn from_sides(creature: &Creature, frames: &[BodyFrame]) -> Option<Vec3> {
    let landmarks = creature.landmarks();
    let place = |index: usize| frames[landmarks[index].body].point_in_world(landmarks[index].point);
    let mut across = Vec3::zeros();
    for (l, left) in landmarks.iter().enumerate().filter(|(_, mark)| mark.side == Some(Side::Left)) {
        let fits = |r: &usize| {
            let right = &landmarks[*r];
            right.side == Some(Side::Right) && right.role == left.role && right.row == left.row
        };
        if let Some(r) = (0..landmarks.len()).find(fits) {
            across += place(l) - place(r);
        }
    }
    across.try_normalize(1e-9)
}

fn from_ends(creature: &Creature, frames: &[BodyFrame]) -> Option<Vec3> {
    let place = |role: Role| {
        let mark = creature.landmarks().iter().find(|mark| mark.role == role)?;
        Some(frames[mark.body].point_in_world(mark.point))
    };
    (place(Role::Head)? - place(Role::Tail)?).try_normalize(1e-9)
}
