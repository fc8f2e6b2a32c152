//! Bodies: creatures as a style changes them, and their modes.

use std::sync::Arc;

use gambol::dynamics::Data;
use gambol::gait::{Body, Counterpart, Design, Style, Wish};
use gambol::model::math;
use gambol::model::{Creature, Joint, JointKind};
use gambol::modes::Reader;
use gambol::motion::{Basis, Swinger};

use super::creature::Read;
use super::{Answer, Shelf, Trouble};
use crate::protocol::{BodyAnswer, CreatureWork, ModePart, SWINGS, push};

/// A body, and memory to compute with it.
pub(super) struct Dressed {
    pub(super) read: Arc<Read>,
    pub(super) style: Style,
    pub(super) body: Body,
    pub(super) data: Data,
    /// The gait that was designed last: the same for many changes by hand.
    pub(super) designed: Option<(String, Wish, Design)>,
}

/// How many bodies are remembered: the one on the stage, the one before a slider moved, and what undo goes back to.
const REMEMBERED: usize = 4;

/// The creature and the bodies last asked about, the latest last.
#[derive(Default)]
pub(super) struct Bodies {
    read: Option<Arc<Read>>,
    dressed: Vec<Dressed>,
}

impl Bodies {
    /// Reads a creature, or remembers it.
    pub(super) fn creature(&mut self, shelf: &dyn Shelf, work: &CreatureWork) -> Result<Arc<Read>, Trouble> {
        if let Some(read) = self.read.as_ref().filter(|read| read.work == *work) {
            return Ok(read.clone());
        }
        let read = Arc::new(Read::new(shelf, work)?);
        self.dressed.clear();
        self.read = Some(read.clone());
        Ok(read)
    }

    /// The body of a creature in a style.
    pub(super) fn body(
        &mut self,
        shelf: &dyn Shelf,
        creature: &CreatureWork,
        style: &Style,
    ) -> Result<&mut Dressed, Trouble> {
        let read = self.creature(shelf, creature)?;
        let known = self.dressed.iter().position(|dressed| dressed.style == *style);
        let dressed = if let Some(index) = known {
            self.dressed.remove(index)
        } else {
            check(style)?;
            let mut data = Data::new(&read.creature);
            let body = Body::new(read.creature.clone(), &mut data, style).map_err(Trouble::hinted)?;
            Dressed { read, style: style.clone(), body, data, designed: None }
        };
        if self.dressed.len() == REMEMBERED {
            self.dressed.remove(0);
        }
        self.dressed.push(dressed);
        self.dressed.last_mut().ok_or_else(|| Trouble("no body".to_owned()))
    }

    /// What `marks`, modes of the body in the style `from`, are on the body in `style`.
    fn follows(
        &mut self,
        shelf: &dyn Shelf,
        creature: &CreatureWork,
        [from, style]: [&Style; 2],
        marks: &[usize],
    ) -> Result<Vec<Counterpart>, Trouble> {
        self.body(shelf, creature, from)?;
        self.body(shelf, creature, style)?;
        let find = |style: &Style| self.dressed.iter().find(|dressed| dressed.style == *style);
        let (Some(old), Some(new)) = (find(from), find(style)) else { return Ok(Vec::new()) };
        Ok(new.body.counterparts(&old.body, marks))
    }
}

/// Factors beyond this, or below its inverse, are no wish of anybody, and their products must stay finite.
const LARGEST_FACTOR: f64 = 1e6;
/// N·m/rad or N/m; steel beams have less.
const LARGEST_STIFFNESS: f64 = 1e9;

/// Numbers that would go wrong far from here.
fn check(style: &Style) -> Result<(), Trouble> {
    let sensible = |factor: f64| (1.0 / LARGEST_FACTOR..=LARGEST_FACTOR).contains(&factor);
    let bad = |what: &str, number: f64| {
        Err(Trouble(format!("{what} of {number} makes no sense; put the slider back")))
    };
    for (what, factor) in [("a weight", style.weight), ("a tension", style.tension)] {
        if !sensible(factor) {
            return bad(what, factor);
        }
    }
    if let Some(stiffness) =
        style.stiffness.filter(|stiffness| !(0.0..=LARGEST_STIFFNESS).contains(stiffness))
    {
        return bad("a stiffness", stiffness);
    }
    if let Some((_, factor)) = style.scale.iter().find(|(_, factor)| !sensible(*factor)) {
        return bad("a factor", *factor);
    }
    let all: f64 = style.scale.iter().map(|(_, factor)| math::ln(*factor).abs()).sum();
    if all > 2.0 * math::ln(LARGEST_FACTOR) {
        return Err(Trouble("the factors of stiffness make no sense together; reset them".to_owned()));
    }
    Ok(())
}

/// How far a mode swings to be seen well, rad of the joint that moves most: 20°.
pub(super) const SWING: f64 = 0.35;

/// Tells the page about a body and its modes.
pub(super) fn answer(
    bodies: &mut Bodies,
    shelf: &dyn Shelf,
    creature: &CreatureWork,
    style: &Style,
    from: Option<&Style>,
    marks: &[usize],
) -> Result<Answer, Trouble> {
    let follows = match from {
        Some(from) if !marks.is_empty() => bodies.follows(shelf, creature, [from, style], marks)?,
        _ => Vec::new(),
    };
    let Dressed { body, data, .. } = bodies.body(shelf, creature, style)?;
    let modes = mode_parts(&body.creature, &body.basis, data)?;
    let mut bytes = Vec::new();
    let shapes = push(&mut bytes, body.basis.directions().iter().flat_map(|mode| mode.shape.iter().copied()));
    let roots = push(&mut bytes, roots(&body.creature, &body.basis, data)?);
    let head = BodyAnswer {
        modes,
        shapes,
        roots,
        swing: SWING,
        pose: body.basis.mean().to_vec(),
        stiffness: body.creature.joints().iter().map(|joint| joint.stiffness).collect(),
        mass: body.creature.mass(),
        follows,
    };
    Answer::new(head, bytes)
}

/// What modes are called, and how fast they are.
pub(super) fn mode_parts(
    creature: &Creature,
    basis: &Basis,
    data: &mut Data,
) -> Result<Vec<ModePart>, Trouble> {
    let reader = Reader::new(creature, data, basis.mean()).map_err(Trouble::from_error)?;
    let mut parts = Vec::with_capacity(basis.directions().len());
    for mode in basis.directions() {
        let reading = reader.read(data, mode);
        parts.push(ModePart {
            index: mode.index,
            frequency: basis.frequency(creature, mode),
            name: reading.name,
            rigid: mode.is_rigid(),
            symmetry: reading.symmetry,
        });
    }
    Ok(parts)
}

/// The joint by which the first body floats.
fn free_root(creature: &Creature) -> Option<&Joint> {
    creature.joints().iter().find(|joint| joint.kind == JointKind::Free)
}

/// Where the root is at each of [`SWINGS`] along each mode, 7 numbers each.
pub(super) fn roots(creature: &Creature, basis: &Basis, data: &mut Data) -> Result<Vec<f64>, Trouble> {
    const STILL: [f64; 7] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let Some(root) = free_root(creature).map(|joint| joint.q..joint.q + JointKind::Free.nq()) else {
        return Ok(STILL.repeat(SWINGS.len() * basis.directions().len()));
    };
    let mut numbers = Vec::with_capacity(basis.directions().len() * SWINGS.len() * root.len());
    let mut swinger = Swinger::new(creature, basis).map_err(Trouble::from_error)?;
    let amplitudes = SWINGS.map(|share| share * SWING);
    for mode in basis.directions() {
        for pose in swinger.poses(data, mode, &amplitudes).map_err(Trouble::from_error)? {
            numbers.extend(&pose[root.clone()]);
        }
    }
    Ok(numbers)
}
