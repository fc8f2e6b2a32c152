//! Where a creature touches the ground and itself.
//!
//! A [`Collider`] holds the shapes of a creature in the frames of their bodies, made once and shared by threads.
//! [`Collider::find`] is a pure function of where the bodies are. The ground meets corners and round pieces in closed
//! form (`ground`), and so do blocks with sharp edges (`blocks`); shapes meet each other in closed form where both are balls or capsules, else by GJK (`pairs`).
//!
//! What is left out: shapes that do not collide; shapes of the world and of bodies fixed to it, which are scenery and
//! no obstacle; faces and edges of hulls over bumps of a height field, which meets only balls, capsules, ellipsoids,
//! corners, edges of boxes and the lowest line of a cylinder; a second point where a ball bridges a valley. Shapes
//! that meet by GJK have one point, also face on face. A mesh is its convex hull.

mod blocks;
mod ground;
mod hull;
mod narrow;
mod pairs;
mod solid;

use serde::{Deserialize, Serialize};

use crate::{BodyFrame, Creature, Terrain, Vec3};

use ground::{Field, Plane};
use pairs::Pairs;
use solid::{Ball, Solid};

/// A place where two things touch, or will within the reach asked for.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename = "SurfaceContact")] // a clip's is another
pub struct Contact {
    /// The body that is pushed along `normal`, and the other one: 0 is the ground.
    pub bodies: [usize; 2],
    /// In the world, m: on the surface of the first body nearest to the other (for ground: the lowest point).
    pub point: Vec3,
    /// Unit, out of the other into the first body.
    pub normal: Vec3,
    /// Distance between the two surfaces along the normal, m; negative where they overlap.
    pub gap: f64,
    /// The same number from step to step while the same features touch: impulses are warm started by it.
    pub key: u64,
}

/// The shapes of a creature, ready to be asked where they touch.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Shapes that collide on bodies that move, grouped by body.
    solids: Vec<Solid>,
    /// The bodies that have such shapes, in order.
    clusters: Vec<Cluster>,
    /// Which of them may touch each other, if any.
    pairs: Option<Pairs>,
}

/// The shapes of one body.
#[derive(Clone, Debug)]
struct Cluster {
    body: usize,
    /// Around all of them.
    bounds: Ball,
    solids: std::ops::Range<usize>,
}

impl Collider {
    /// The shapes of `creature` that collide: with the ground always, with each other if asked for.
    ///
    /// Not with each other: shapes of one body, of bodies next to each other in the tree or joined by a constraint, and
    /// shapes that overlap in the reference pose or the rest pose, where an artist meant them to.
    pub fn new(creature: &Creature, self_collision: bool) -> Self {
        let mut solids = Vec::new();
        let mut clusters = Vec::new();
        let mut moves = vec![false; creature.bodies().len()];
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            moves[index] = moves[body.parent] || !body.dofs.is_empty();
            if !moves[index] {
                continue;
            }
            let first = solids.len();
            for shape in body.shapes.clone().filter(|shape| creature.shapes()[*shape].collides) {
                solids.push(Solid::new(&creature.shapes()[shape], shape));
            }
            if let Some(bounds) = Ball::around(solids[first..].iter().map(|solid| solid.bounds)) {
                clusters.push(Cluster { body: index, bounds, solids: first..solids.len() });
            }
        }
        let mut collider = Self { solids, clusters, pairs: None };
        if self_collision {
            collider.pairs = Some(Pairs::new(creature, &collider));
        }
        collider
    }

    /// Writes all contacts with a gap below `reach[body]` (m, per body; for a pair the sum of both), in a fixed order,
    /// into `found` (cleared first). Without terrain there is no ground. A body whose place is not a number touches nothing.
    ///
    /// Nothing is allocated but growth of `found`, and room for EPA where two shapes of a creature that are not balls
    /// or capsules overlap, or one of those overlaps the edge of a block.
    pub fn find<'t>(
        &self,
        frames: &[BodyFrame],
        terrain: impl Into<Option<&'t Terrain>>,
        reach: &[f64],
        found: &mut Vec<Contact>,
    ) {
        found.clear();
        match terrain.into() {
            None => (),
            Some(Terrain::Flat) => self.meet(&Plane::level(), frames, reach, found),
            Some(slope @ Terrain::Slope(_)) => {
                self.meet(&Plane::new(slope.normal(0.0, 0.0)), frames, reach, found);
            }
            Some(Terrain::Field(field)) => self.meet(&Field(field), frames, reach, found),
            Some(Terrain::Course(course)) => self.meet_course(course, frames, reach, found),
        }
        if let Some(pairs) = &self.pairs {
            pairs.find(self, frames, reach, found);
        }
    }
}

/// A number for a feature of one or two shapes; 0 stands for the ground. A creature with more than two million shapes
/// or a hull of more than four million corners may repeat one, which costs iterations and nothing else.
fn key(shape: usize, other: usize, feature: usize) -> u64 {
    ((shape as u64) << 43) ^ ((other as u64) << 22) ^ feature as u64
}
