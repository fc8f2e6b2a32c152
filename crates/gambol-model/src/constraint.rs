//! Constraints beyond the tree: closed loops, and what a pose or a task demands.

use serde::{Deserialize, Serialize};

use crate::{Mat3, Transform, Vec3};

/// A point fixed to a body.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct BodyPoint {
    /// Index of the body; 0 is the world.
    pub body: usize,
    /// In the body frame, m.
    pub point: Vec3,
}

/// A constraint with a name to speak of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// May be empty.
    pub name: String,
    /// What is constrained.
    pub kind: ConstraintKind,
}

/// What a constraint holds together. Bodies are indices into the creature's bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// Two points stay together: 3 rows.
    Connect {
        /// First point.
        a: BodyPoint,
        /// Second point.
        b: BodyPoint,
    },
    /// A hinge that closes a loop: 5 rows. Two `connect` equalities between the same two bodies are one of these.
    Hinge {
        /// Point of the hinge line on the first body.
        a: BodyPoint,
        /// The same point on the second body.
        b: BodyPoint,
        /// Direction of the hinge line in the first body.
        axis_in_a: Vec3,
        /// Direction of the hinge line in the second body.
        axis_in_b: Vec3,
    },
    /// Two bodies keep their relative pose: 6 rows.
    Weld {
        /// First body.
        a: usize,
        /// Second body.
        b: usize,
        /// Pose of the second body in the first.
        a_from_b: Transform,
    },
    /// Σ cᵢ (qᵢ − refᵢ) over `left` = p(Σ cⱼ (qⱼ − refⱼ) over `right`), p a polynomial: 1 row. Joints are hinges or
    /// slides. This is the joint coupling of MJCF and, with several terms a side, its coupling of fixed tendons.
    Coupling {
        /// Joint index and coefficient.
        left: Vec<(usize, f64)>,
        /// Joint index and coefficient; empty: the left side is constant.
        right: Vec<(usize, f64)>,
        /// p₀ … p₄
        polynomial: [f64; 5],
    },
    /// A body keeps its orientation in the world: 3 rows.
    Orientation {
        /// The body.
        body: usize,
        /// Orientation to keep, the columns are the body's axes in the world.
        world_from_body: Mat3,
    },
    /// A point of a body stays where it is in the world: 3 rows.
    Pin {
        /// The point.
        point: BodyPoint,
        /// Where it stays, m.
        position_in_world: Vec3,
    },
    /// Several points (hands) hold one rigid cart that can only slide along `forward`: 3 rows each, less 1.
    Cart {
        /// The hands.
        hands: Vec<BodyPoint>,
        /// Where the hands are in the world when the cart is at its origin, m.
        positions_in_world: Vec<Vec3>,
        /// Unit vector in the world.
        forward: Vec3,
    },
}

impl ConstraintKind {
    /// Number of scalar equations.
    pub fn rows(&self) -> usize {
        match self {
            Self::Connect { .. } | Self::Orientation { .. } | Self::Pin { .. } => 3,
            Self::Hinge { .. } => 5,
            Self::Weld { .. } => 6,
            Self::Coupling { .. } => 1,
            Self::Cart { hands, .. } => (3 * hands.len()).saturating_sub(1),
        }
    }
}
