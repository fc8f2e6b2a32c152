//! Left for right: a recorded pose is as likely as its mirror image.

use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Side, Vec3};

use super::{bone_ends, free_root};

/// Bones of the two sides lie as near to each other's mirror image as this, in parts of the creature's size: bodies of people and of
/// artists are not quite even.
const EVEN: f64 = 0.05;

/// A creature's plane of symmetry, in the frame of its root.
pub(super) struct Mirror {
    /// From right to left, length 1.
    side: Vec3,
    /// Per body, the one on the other side; those of the middle are their own.
    twins: Vec<usize>,
    /// Frames of the reference pose with its root at the origin.
    frames: Vec<BodyFrame>,
}

impl Mirror {
    /// Of a creature with landmarks on both sides, whose bones have twins there.
    pub(super) fn of(creature: &Creature, data: &mut Data) -> Option<Self> {
        let pose = at_origin(creature, creature.reference_pose());
        let frames = forward_kinematics(creature, data, &pose).to_vec();
        let side = side(creature, &frames)?;
        let flip = |v: Vec3| v - 2.0 * side.dot(&v) * side;
        let bones: Vec<[Vec3; 2]> = std::iter::once([Vec3::zeros(); 2])
            .chain(bone_ends(creature).iter().map(|end| {
                let frame = &frames[end.body];
                [frame.position, frame.point_in_world(end.point)]
            }))
            .collect();
        let apart = |a: usize, b: usize| {
            bones[a].iter().zip(&bones[b]).map(|(a, b)| (flip(*a) - b).norm()).fold(0.0, f64::max)
        };
        let size = bones.iter().flatten().map(Vec3::norm).fold(0.0, f64::max);
        let mut twins = vec![0];
        for body in 1..bones.len() {
            let near = |other: usize| (apart(body, other), other);
            let (far, twin) = (1..bones.len()).map(near).min_by(|a, b| a.0.total_cmp(&b.0))?;
            if far > EVEN * size {
                return None;
            }
            twins.push(twin);
        }
        let mutual = twins.iter().enumerate().all(|(body, twin)| twins[*twin] == body);
        mutual.then_some(Self { side, twins, frames })
    }

    /// The mirror image of a point or of a way.
    pub(super) fn flip(&self, v: Vec3) -> Vec3 {
        v - 2.0 * self.side.dot(&v) * self.side
    }

    /// The body on the other side.
    pub(super) fn twin(&self, body: usize) -> usize {
        self.twins[body]
    }

    /// The point on the other side that is where `at` is seen in the mirror.
    pub(super) fn point(&self, at: BodyPoint) -> BodyPoint {
        let (from, twin) = (&self.frames[at.body], &self.frames[self.twins[at.body]]);
        let seen = self.flip(from.point_in_world(at.point));
        BodyPoint { body: self.twins[at.body], point: twin.rotation.tr_mul(&(seen - twin.position)) }
    }
}

/// The mean way from right landmarks to left ones.
fn side(creature: &Creature, frames: &[BodyFrame]) -> Option<Vec3> {
    let marks = creature.landmarks();
    let mut way = Vec3::zeros();
    for left in marks.iter().filter(|mark| mark.side == Some(Side::Left)) {
        let twin = |mark: &&gambol_model::Landmark| {
            mark.side == Some(Side::Right) && (mark.role, mark.row) == (left.role, left.row)
        };
        if let Some(right) = marks.iter().find(twin) {
            let [left, right] = [left, right].map(|mark| frames[mark.body].point_in_world(mark.point));
            way += left - right;
        }
    }
    way.try_normalize(1e-6)
}

/// A pose with its free root at the world's origin, its axes along the world's.
pub(super) fn at_origin(creature: &Creature, pose: &[f64]) -> Vec<f64> {
    let mut pose = pose.to_vec();
    if let Some(root) = free_root(creature) {
        pose[root.q..root.q + 7].copy_from_slice(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    }
    pose
}
