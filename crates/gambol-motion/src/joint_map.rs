//! From one skeleton to another by the names of joints.

use gambol_model::{Creature, JointKind};

/// The joints of a creature, in their order: what a file remembers of the one that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointList {
    /// Name and kind of each.
    pub joints: Vec<(String, JointKind)>,
}

/// Why poses of one skeleton are not those of another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JointMismatch {
    /// Not the same joints.
    #[error("its joints are not those of {creature}: {differences}")]
    Joints {
        /// Name of the creature that is to move.
        creature: String,
        /// The first few that differ, in words.
        differences: String,
    },
    /// Nothing in common.
    #[error("it has no joint in common with {creature}")]
    Nothing {
        /// Name of the creature that is to move.
        creature: String,
    },
}

/// So many joints are named in a message.
const NAMED: usize = 4;

impl JointList {
    /// Those of a creature.
    pub fn of(creature: &Creature) -> Self {
        Self { joints: creature.joints().iter().map(|joint| (joint.name.clone(), joint.kind)).collect() }
    }

    /// Numbers of a pose.
    pub fn nq(&self) -> usize {
        self.joints.iter().map(|(_, kind)| kind.nq()).sum()
    }

    /// Numbers of a velocity.
    pub fn nv(&self) -> usize {
        self.joints.iter().map(|(_, kind)| kind.nv()).sum()
    }

    /// The way to a creature with the same joints in the same order.
    pub fn same(&self, creature: &Creature) -> Result<JointMap, JointMismatch> {
        let map = self.map(creature);
        let in_order = map.iter().enumerate().all(|(to, from)| *from == Some(to));
        if in_order && self.joints.len() == creature.joints().len() {
            return Ok(JointMap { nq: self.nq(), nv: self.nv(), places: self.places(creature, &map) });
        }
        Err(JointMismatch::Joints {
            creature: creature.name().to_owned(),
            differences: self.differences(creature, &map),
        })
    }

    /// The way to a creature with some joints of the same names and kinds; its others stay in the reference pose.
    pub fn by_name(&self, creature: &Creature) -> Result<JointMap, JointMismatch> {
        let map = self.map(creature);
        if map.iter().all(Option::is_none) {
            return Err(JointMismatch::Nothing { creature: creature.name().to_owned() });
        }
        Ok(JointMap { nq: self.nq(), nv: self.nv(), places: self.places(creature, &map) })
    }

    /// Per joint of the creature, the one here with its name and kind.
    fn map(&self, creature: &Creature) -> Vec<Option<usize>> {
        let find = |joint: &gambol_model::Joint| {
            self.joints.iter().position(|(name, kind)| *name == joint.name && *kind == joint.kind)
        };
        creature.joints().iter().map(find).collect()
    }

    fn places(&self, creature: &Creature, map: &[Option<usize>]) -> Vec<Place> {
        let mut starts = vec![[0, 0]];
        for (_, kind) in &self.joints {
            let [q, v] = starts[starts.len() - 1];
            starts.push([q + kind.nq(), v + kind.nv()]);
        }
        let found = creature.joints().iter().zip(map).filter_map(|(joint, from)| Some((joint, (*from)?)));
        found
            .map(|(joint, from)| Place { kind: joint.kind, from: starts[from], to: [joint.q, joint.v] })
            .collect()
    }

    fn differences(&self, creature: &Creature, map: &[Option<usize>]) -> String {
        let own = creature.joints();
        let missing: Vec<String> = self
            .joints
            .iter()
            .filter(|(name, kind)| !own.iter().any(|joint| joint.name == *name && joint.kind == *kind))
            .map(|(name, kind)| format!("{name:?} ({})", kind.name()))
            .collect();
        let further: Vec<String> = own
            .iter()
            .zip(map)
            .filter(|(_, from)| from.is_none())
            .map(|(joint, _)| format!("{:?} ({})", joint.name, joint.kind.name()))
            .collect();
        let list = |what: &str, names: &[String]| match names.len() {
            0 => None,
            count if count <= NAMED => Some(format!("{what} {}", names.join(", "))),
            count => Some(format!("{what} {} and {} more", names[..NAMED].join(", "), count - NAMED)),
        };
        let parts: Vec<String> = [list("the creature lacks", &missing), list("the file lacks", &further)]
            .into_iter()
            .flatten()
            .collect();
        if parts.is_empty() { "they are in another order".to_owned() } else { parts.join("; ") }
    }
}

/// Where the numbers of a joint come from and go to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    kind: JointKind,
    /// First coordinates of pose and velocity.
    from: [usize; 2],
    to: [usize; 2],
}

/// Takes poses and motions from the skeleton of a [`JointList`] to that of a creature.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMap {
    nq: usize,
    nv: usize,
    places: Vec<Place>,
}

impl JointMap {
    /// A pose of the creature; `None` if `pose` has not as many numbers as the list has.
    pub fn pose(&self, creature: &Creature, pose: &[f64]) -> Option<Vec<f64>> {
        let mut mapped = creature.reference_pose().to_vec();
        self.copy(pose, self.nq, &mut mapped, |place| (place.from[0], place.to[0], place.kind.nq()))?;
        Some(mapped)
    }

    /// A velocity of the creature, 0 for what the list has not.
    pub fn velocity(&self, creature: &Creature, velocity: &[f64]) -> Option<Vec<f64>> {
        let mut mapped = vec![0.0; creature.nv()];
        self.copy(velocity, self.nv, &mut mapped, |place| (place.from[1], place.to[1], place.kind.nv()))?;
        Some(mapped)
    }

    fn copy(
        &self,
        from: &[f64],
        length: usize,
        to: &mut [f64],
        range: impl Fn(&Place) -> (usize, usize, usize),
    ) -> Option<()> {
        if from.len() != length {
            return None;
        }
        for place in &self.places {
            let (source, target, count) = range(place);
            to[target..target + count].copy_from_slice(&from[source..source + count]);
        }
        Some(())
    }
}
