//! Why something is no basis, or no pose of one.

/// What is wrong with a basis or with what is asked of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BasisError {
    /// Handles and targets that do not go together.
    #[error("{handles} handles cannot go to {targets} targets")]
    Handles {
        /// How many points there are.
        handles: usize,
        /// How many places for them.
        targets: usize,
    },
    /// Frames from which no pose can be told.
    #[error("poses of the prior, or targets, are too far away to be compared")]
    Bounds,
    /// Frames that stand for nothing.
    #[error("every frame of a prior needs a count above 0")]
    Counts,
    /// A mean or another pose that is not one of the creature's.
    #[error("{0}")]
    Pose(String),
    /// A direction that is no tangent vector of the creature.
    #[error("direction {direction} has {found} numbers; the creature moves by {nv}")]
    Length {
        /// Counted from 0.
        direction: usize,
        /// How many numbers it has.
        found: usize,
        /// How many it should have.
        nv: usize,
    },
    /// A number of a direction that makes no sense.
    #[error("{what} of direction {direction}: {value} is not {wanted}")]
    Number {
        /// Counted from 0.
        direction: usize,
        /// Which number.
        what: &'static str,
        /// As given.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
    /// A rigid motion after one that bends.
    #[error("direction {direction} is rigid, but comes after one that bends")]
    Order {
        /// Counted from 0.
        direction: usize,
    },
    /// Numbers of directions that contradict each other.
    #[error(
        "{directions} directions and {rigid} rigid motions do not fit into {dof} degrees of freedom of {nv} coordinates"
    )]
    Count {
        /// Directions given.
        directions: usize,
        /// Rigid motions said.
        rigid: usize,
        /// Degrees of freedom said.
        dof: usize,
        /// Velocity coordinates.
        nv: usize,
    },
    /// A metric that is none.
    #[error("the metric: {0}")]
    Metric(&'static str),
    /// As many coordinates as there are directions are needed.
    #[error("{found} coordinates for {directions} directions")]
    Coordinates {
        /// How many were given.
        found: usize,
        /// How many are needed.
        directions: usize,
    },
    /// A basis of another creature.
    #[error(
        "{creature} has {} position and {} velocity coordinates; the basis is of a creature with {} and {}",
        found[0], found[1], expected[0], expected[1]
    )]
    Creature {
        /// Its name.
        creature: String,
        /// nq and nv of the creature.
        found: [usize; 2],
        /// nq and nv of the basis.
        expected: [usize; 2],
    },
    /// A direction that the ones before it can do as well, so that coordinates would not be unique.
    #[error("direction {direction} is a sum of the ones before it, or weighs nothing in the metric")]
    Dependent {
        /// Counted from 0.
        direction: usize,
    },
    /// Joints that move without inertia cannot lead a root along.
    #[error("{creature} cannot swing freely: its root has no inertia")]
    Massless {
        /// Its name.
        creature: String,
    },
    /// Too few poses to say how a creature moves.
    #[error("{frames} poses are too few to tell how a creature moves; it takes 2 at least")]
    Frames {
        /// How many there are.
        frames: usize,
    },
    /// All poses are one.
    #[error("no joint of {creature} moves, but for its root: there is no direction to find")]
    Still {
        /// Its name.
        creature: String,
    },
    /// More directions than the poses have.
    #[error("{count} directions are asked for; the poses go in {rank}")]
    Rank {
        /// How many are asked for.
        count: usize,
        /// How many there are.
        rank: usize,
    },
    /// A share of the variance that is none.
    #[error("a share of the variance is above 0 and at most 1, which {share} is not")]
    Share {
        /// As given.
        share: f64,
    },
    /// Numbers that have no eigenvalues, because they are not finite or too large.
    #[error("the variance of the poses cannot be decomposed: their numbers are too large")]
    Decomposition,
}
