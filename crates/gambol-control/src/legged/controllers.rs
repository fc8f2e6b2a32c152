//! The controllers that a creature on legs can go by, and what all of them can tell.

use super::walker::{Walker, WalkerError};
use super::{Coros, CorosMemory, Course, Kokkevis, KokkevisMemory, SolverCount, Whole, WholeMemory};
use crate::{AnyController, Controller, Memory};

/// A controller of a creature on legs: it sees, follows a stride and finds torques, as any [`Controller`] does, and can tell what that cost.
pub trait LegController: Controller {
    /// What there is to tell of a simulation that ended with this memory.
    fn account(memory: &Self::Memory) -> LegAccount;
}

/// What a controller on legs can tell at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LegAccount {
    /// Of its programs.
    pub solver: SolverCount,
    /// Way of pushing feet along the ground, m, over all of them.
    pub slip: f64,
}

/// Which controller finds the torques.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Forces at all contacts at once, for the accelerations of the whole body.
    #[default]
    Whole,
    /// Coros et al. 2011: virtual forces on leg frames.
    Coros,
    /// Kokkevis et al. 1995: six controllers of a rigid body, forces by linear programming.
    Kokkevis,
}

impl Method {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Coros, Self::Kokkevis];

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Coros => "coros",
            Self::Kokkevis => "kokkevis",
        }
    }
}

impl LegAccount {
    /// Of a memory, if it is one of a controller on legs.
    pub fn of(memory: &Memory) -> Option<Self> {
        fn own<C: LegController>(memory: &Memory) -> Option<LegAccount> {
            memory.get::<C::Memory>().map(C::account)
        }
        own::<Whole>(memory).or_else(|| own::<Coros>(memory)).or_else(|| own::<Kokkevis>(memory))
    }
}

impl LegController for Whole {
    fn account(memory: &WholeMemory) -> LegAccount {
        LegAccount { solver: memory.solver, slip: memory.slip }
    }
}

impl LegController for Coros {
    fn account(memory: &CorosMemory) -> LegAccount {
        LegAccount { solver: memory.limbs.solver, slip: memory.limbs.slip }
    }
}

impl LegController for Kokkevis {
    fn account(memory: &KokkevisMemory) -> LegAccount {
        LegAccount { solver: memory.limbs.solver, slip: memory.limbs.slip }
    }
}

impl Walker {
    /// The controller of a method on a course; none: the stride's own.
    pub fn controller(
        &self,
        method: Method,
        course: Option<Course>,
    ) -> Result<Box<dyn AnyController>, WalkerError> {
        let own = course.unwrap_or_else(|| self.pilot.own_course());
        Ok(match method {
            Method::Whole => Box::new(self.whole(course)?),
            Method::Coros => {
                let settings = self.settings().coros.clone();
                Box::new(Coros::new(&self.creature, &self.pilot, own, settings)?)
            }
            Method::Kokkevis => {
                let settings = self.settings().kokkevis.clone();
                Box::new(Kokkevis::new(&self.creature, &self.pilot, own, settings)?)
            }
        })
    }
}
