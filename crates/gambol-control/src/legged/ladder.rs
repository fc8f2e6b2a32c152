//! From standing to the fastest gait: strides of one creature in the order of their speed, all in step.

use gambol_model::{Creature, Vec3};
use gambol_motion::{Clip, Contact, Stride};

use super::{ReferenceError, StrideReference};

/// One stride of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// What is followed.
    pub reference: StrideReference,
    /// Number of the gait that it is of, or nearest to.
    pub gait: usize,
    /// m/s
    pub speed: f64,
}

/// Strides of one creature, from the slowest to the fastest. Neighbours differ little, and phases mean the same in all: so a creature that
/// follows one can follow the next from any moment on.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// From the slowest to the fastest.
    pub gaits: Vec<String>,
    /// Never empty.
    pub rungs: Vec<Rung>,
}

/// Why strides are no ladder.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LadderError {
    /// Nothing to follow.
    #[error("no stride is given to go by")]
    Empty,
    /// Two strides are not of the same feet.
    #[error(
        "{first} and {second} do not stand on the same feet in the same order: one cannot go over into the other"
    )]
    Feet {
        /// Of the slower.
        first: String,
        /// Of the faster.
        second: String,
    },
}

/// Strides between two gaits: a change of 0.3 s (Coros et al. 2011, section 3.3) passes both in a dog's time of a rung.
const BETWEEN: usize = 2;

/// Keys of who stands: what a clip has at least that can be followed.
const STANDING_KEYS: usize = 5;

impl Ladder {
    /// Gaits with their strides from slow to fast, slower gaits first. Each is brought into step with the one before, and between gaits
    /// that go there are blends of both.
    pub fn new(creature: &Creature, gaits: Vec<(String, Vec<StrideReference>)>) -> Result<Self, LadderError> {
        let mut ladder = Self { gaits: Vec::new(), rungs: Vec::new() };
        for (name, strides) in gaits {
            let gait = ladder.gaits.len();
            ladder.gaits.push(name);
            for stride in strides {
                let stride = match ladder.rungs.last().cloned() {
                    Some(below) => ladder.above(creature, &below, stride, gait)?,
                    None => stride,
                };
                let speed = stride.velocity.norm();
                ladder.rungs.push(Rung { reference: stride, gait, speed });
            }
        }
        if ladder.rungs.is_empty() { Err(LadderError::Empty) } else { Ok(ladder) }
    }

    /// The stride in step with the one below; where that is of another gait, what lies between is added.
    fn above(
        &mut self,
        creature: &Creature,
        below: &Rung,
        stride: StrideReference,
        gait: usize,
    ) -> Result<StrideReference, LadderError> {
        let same = |(a, b): (&super::FootPlan, &super::FootPlan)| a.body == b.body && a.name == b.name;
        let lower = &below.reference;
        if lower.feet.len() != stride.feet.len() || !lower.feet.iter().zip(&stride.feet).all(same) {
            return Err(LadderError::Feet { first: lower.name.clone(), second: stride.name });
        }
        let stride = stride.in_step_with(lower);
        // Who stands begins with a step, not with a part of one.
        if below.gait != gait && below.speed > 0.0 {
            for k in 1..=BETWEEN {
                let share = k as f64 / (BETWEEN + 1) as f64;
                let reference = lower.blended(creature, &stride, share);
                let speed = below.speed + share * (stride.velocity.norm() - below.speed);
                let gait = if share < 0.5 { below.gait } else { gait };
                self.rungs.push(Rung { reference, gait, speed });
            }
        }
        Ok(stride)
    }

    /// The rung for a speed, m/s, as seen from the present one: a neighbour, and only where that is nearer by `margin` of the distance
    /// between both, so that a creature does not change to and fro.
    pub fn step_towards(&self, present: usize, speed: f64, margin: f64) -> usize {
        let wants = |next: usize| {
            let (own, other) = (self.rungs[present].speed, self.rungs[next].speed);
            let share = (speed - own) / (other - own);
            // Where both go at one speed, from standing to steps on the spot, the sign alone decides.
            if other == own {
                (speed - own) * (next as f64 - present as f64) > 0.0
            } else {
                share > 0.5 + margin
            }
        };
        if present + 1 < self.rungs.len() && wants(present + 1) {
            present + 1
        } else if present > 0 && wants(present - 1) {
            present - 1
        } else {
            present
        }
    }

    /// The fastest of it, m/s.
    pub fn fastest(&self) -> f64 {
        self.rungs.iter().map(|rung| rung.speed).fold(0.0, f64::max)
    }
}

/// A creature that stands in `pose` on the feet of `contacts`, for as long as a stride of `period`, as something that can be followed.
pub fn standing(
    creature: &Creature,
    pose: &[f64],
    contacts: &[Contact],
    period: f64,
) -> Result<StrideReference, ReferenceError> {
    let always = |contact: &Contact| Contact { intervals: vec![[0.0, period]], ..contact.clone() };
    let last = (STANDING_KEYS - 1) as f64;
    let clip = Clip {
        name: "stand".to_owned(),
        times: (0..STANDING_KEYS).map(|key| period * key as f64 / last).collect(),
        poses: vec![pose.to_vec(); STANDING_KEYS],
        stride: Some(Stride { yaw: 0.0, shift: Vec3::zeros() }),
        contacts: contacts.iter().map(always).collect(),
        travel: None,
    };
    StrideReference::new(creature, &clip)
}
