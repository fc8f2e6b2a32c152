//! Where the parts of a body are before it is a creature: its joints are still to be made, and what each should be
//! depends on where the limbs are.

use std::collections::HashMap;

use gambol_dynamics::BodyFrame;
use gambol_model::{Creature, CreatureSpec, Landmark, ModelError, Quat, Role, Vec3};

/// A described body whose frames all have the axes of the world, as it stands in its file.
#[derive(Clone, Debug)]
pub(crate) struct Survey {
    /// The body that each hangs from; the world, body 0, from itself.
    pub(crate) parents: Vec<usize>,
    /// Where each body's joint is in the world, m.
    pub(crate) origins: Vec<Vec3>,
    /// The body that each joint moves.
    pub(crate) moved: Vec<usize>,
    /// Points are along the axes of the world about the origin of their body.
    pub(crate) landmarks: Vec<Landmark>,
}

impl Survey {
    /// Looks at a description. No creature is made of it.
    pub(crate) fn new(spec: &CreatureSpec) -> Result<Self, ModelError> {
        let landmarks = spec.landmarks()?;
        let parents: Vec<usize> = spec.bodies.iter().map(|body| body.parent).collect();
        let mut origins: Vec<Vec3> = Vec::with_capacity(spec.bodies.len());
        for (index, body) in spec.bodies.iter().enumerate() {
            let above = if index == 0 { Vec3::zeros() } else { origins[body.parent] };
            origins.push(above + body.parent_from_body.translation.vector);
        }
        let of_body = |(index, body): (usize, &gambol_model::BodySpec)| vec![index; body.joints.len()];
        let moved = spec.bodies.iter().enumerate().flat_map(of_body).collect();
        Ok(Self { parents, origins, moved, landmarks })
    }

    /// A creature as it stands in `frames`. Origins are where the joints of the bodies are.
    pub(crate) fn of_creature(creature: &Creature, frames: &[BodyFrame]) -> Self {
        let origin = |(body, frame): (&gambol_model::Body, &BodyFrame)| {
            let joint = creature.joints()[body.joints.clone()].first();
            joint.map_or(frame.position, |joint| frame.point_in_world(joint.anchor))
        };
        let origins: Vec<Vec3> = creature.bodies().iter().zip(frames).map(origin).collect();
        let seen = |mark: &Landmark| {
            let point = frames[mark.body].point_in_world(mark.point) - origins[mark.body];
            Landmark { point, ..mark.clone() }
        };
        let landmarks = creature.landmarks().iter().map(seen).collect();
        Self {
            parents: creature.bodies().iter().map(|body| body.parent).collect(),
            moved: creature.joints().iter().map(|joint| joint.body).collect(),
            origins,
            landmarks,
        }
    }

    /// The same body turned about the origin of the world.
    pub(crate) fn turned(mut self, turn: &Quat) -> Self {
        self.origins.iter_mut().for_each(|origin| *origin = turn * *origin);
        self.landmarks.iter_mut().for_each(|mark| mark.point = turn * mark.point);
        self
    }

    /// From a body up to the root's body.
    pub(crate) fn up(&self, body: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(body), |&body| Some(self.parents[body])).take_while(|&body| body != 0)
    }

    /// The landmarks of one kind.
    pub(crate) fn marks(&self, role: Role) -> impl Iterator<Item = &Landmark> {
        self.landmarks.iter().filter(move |mark| mark.role == role)
    }

    /// Where a landmark is in the world, m.
    pub(crate) fn place(&self, mark: &Landmark) -> Vec3 {
        self.origins[mark.body] + mark.point
    }
}

/// A limb with a middle joint.
pub(crate) struct MiddleJoint {
    /// Knee or elbow.
    pub(crate) role: Role,
    /// The body that the foot or hand is on, and the point of it.
    pub(crate) end: usize,
    pub(crate) point: Vec3,
}

/// A leg or an arm.
pub(crate) struct Chain {
    /// From its top to its end.
    pub(crate) bodies: Vec<usize>,
    pub(crate) is_arm: bool,
}

/// Which bodies are on legs and arms.
pub(crate) struct Chains {
    /// By the body that a knee or elbow moves.
    pub(crate) middle: HashMap<usize, MiddleJoint>,
    pub(crate) all: Vec<Chain>,
}

impl Chains {
    pub(crate) fn new(survey: &Survey) -> Self {
        let marks = &survey.landmarks;
        let ends: Vec<_> = marks.iter().filter(|mark| matches!(mark.role, Role::Foot | Role::Hand)).collect();
        let mut users = vec![0; survey.parents.len()];
        for mark in ends.iter().copied().chain(survey.marks(Role::Head)) {
            survey.up(mark.body).for_each(|body| users[body] += 1);
        }
        let mut middle = HashMap::new();
        let mut all = Vec::new();
        for end in ends {
            let mut bodies: Vec<usize> = survey
                .up(end.body)
                .take_while(|&body| users[body] == 1 && survey.parents[body] != 0)
                .collect();
            bodies.reverse();
            let bends = marks.iter().find(|mark| {
                matches!(mark.role, Role::Knee | Role::Elbow)
                    && mark.joint.is_some_and(|joint| bodies.contains(&survey.moved[joint]))
            });
            if let Some(mark) = bends {
                middle.insert(mark.body, MiddleJoint { role: mark.role, end: end.body, point: end.point });
            }
            all.push(Chain { bodies, is_arm: end.role == Role::Hand });
        }
        Self { middle, all }
    }

    /// Those that stand.
    pub(crate) fn legs(&self) -> impl Iterator<Item = &Chain> {
        self.all.iter().filter(|chain| !chain.is_arm)
    }

    /// Place in a chain of the body that its knee or elbow moves.
    pub(crate) fn middle_of(&self, chain: &Chain) -> Option<usize> {
        chain.bodies.iter().position(|body| self.middle.contains_key(body))
    }
}
