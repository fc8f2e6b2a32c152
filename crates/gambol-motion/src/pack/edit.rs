//! Edits of packed clips: the end of a limb is moved for a while, and the clip stays packed (Tournier and others 2009, figure 4).
//!
//! ```text
//! p(t) + offset · sin²(π (t − start)/length)        where the end goes, from `start` on for `length`
//! ```
//!
//! Edits are kept beside the motion, and played on it by whoever reads it: in a clip of end joints the trajectory goes another way, and
//! poses follow in the basis; in others the joints of the limb bring the end there.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Vec3, math};

use super::bytes::{Head, write_content};
use super::ends::MOST_EDITS;
use super::hold::{limb_of, way_to};
use super::read::parse;
use super::{Pack, PackError};
use crate::Basis;

/// A limb that moves an end has at least so many coordinates, for its three places: an arm goes on above the hand that branches to fingers.
pub(crate) const LIMB: usize = 4;

/// One edit: a point of a creature goes another way for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct PackEdit {
    /// The end of a limb.
    pub point: BodyPoint,
    /// How far, m of the world, in the middle of its time.
    pub offset: Vec3,
    /// When it begins, s.
    pub start: f64,
    /// How long it takes, s.
    pub length: f64,
}

/// What edits came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EditReport {
    /// The packed clip.
    pub bytes: Vec<u8>,
    /// For each new edit, how far its end is from where it shall be, m, at the worst key; infinite if no key is within its time.
    pub misses: Vec<f64>,
    /// How many edits the clip has now.
    pub edits: usize,
}

impl PackEdit {
    /// What is added at a time.
    pub(crate) fn at(&self, time: f64) -> Vec3 {
        let share = (time - self.start) / self.length;
        if !(0.0..=1.0).contains(&share) {
            return Vec3::zeros();
        }
        self.offset * math::square(math::sin(std::f64::consts::PI * share))
    }

    fn check(&self, creature: &Creature, head: &Head) -> Result<(), PackError> {
        if self.point.body == 0 || self.point.body >= creature.bodies().len() {
            return Err(PackError::Edit("its end is on no body of the creature".to_owned()));
        }
        let numbers = [self.start, self.length].into_iter().chain(self.offset.iter().copied());
        if numbers.chain(self.point.point.iter().copied()).any(|x| !x.is_finite()) || self.length <= 0.0 {
            return Err(PackError::Edit("its numbers must be finite and its length above 0".to_owned()));
        }
        let end = self.start + self.length;
        if !head.times.iter().any(|time| (self.start..=end).contains(time)) {
            let duration = head.times.last().copied().unwrap_or(0.0);
            let Self { start, .. } = self;
            return Err(PackError::Edit(format!(
                "no key is between {start} s and {end} s; the clip ends at {duration:.3} s"
            )));
        }
        Ok(())
    }
}

/// Adds edits to a packed clip, after those that it has, or in their place. `basis` is the shared one of a clip that needs it.
pub fn edit_pack(
    creature: &Creature,
    bytes: &[u8],
    basis: Option<&Basis>,
    edits: &[PackEdit],
    replace: bool,
) -> Result<EditReport, PackError> {
    let mut content = parse(creature, bytes, basis)?;
    if replace {
        content.head_mut().edits.clear();
    }
    let before = Pack::of_content(creature, content.clone())?.clip();
    let count = content.head().edits.len() + edits.len();
    if count > MOST_EDITS {
        return Err(PackError::Edit(format!("a clip has {MOST_EDITS} edits at most, and this were {count}")));
    }
    for edit in edits {
        edit.check(creature, content.head())?;
        content.head_mut().edits.push(edit.clone());
    }
    let bytes = write_content(creature, &content);
    let after = Pack::open_with(creature, &bytes, basis)?.clip();
    let mut data = Data::new(creature);
    let mut place = |pose: &[f64], at: BodyPoint| {
        forward_kinematics(creature, &mut data, pose)[at.body].point_in_world(at.point)
    };
    let mut miss = |edit: &PackEdit| {
        let keys = before.times.iter().zip(before.poses.iter().zip(&after.poses));
        let within = keys.filter(|(time, _)| (edit.start..=edit.start + edit.length).contains(*time));
        within
            .map(|(time, (before, after))| {
                // Others may move the same end.
                let wanted: Vec3 =
                    edits.iter().filter(|other| other.point == edit.point).map(|e| e.at(*time)).sum();
                (place(before, edit.point) + wanted - place(after, edit.point)).norm()
            })
            .fold(0.0, f64::max)
    };
    let misses = edits.iter().map(&mut miss).collect();
    Ok(EditReport { bytes, misses, edits: content.head().edits.len() })
}

/// Moves ends of limbs by the joints of the limb alone.
pub(crate) fn move_limbs<'e>(
    creature: &Creature,
    times: &[f64],
    poses: &mut [Vec<f64>],
    edits: impl Iterator<Item = &'e PackEdit>,
) {
    let mut data = Data::new(creature);
    let mut whole = vec![0.0; creature.nv()];
    for edit in edits {
        let limb = limb_of(creature, edit.point.body, LIMB);
        whole.fill(0.0);
        for (time, pose) in times.iter().zip(poses.iter_mut()) {
            let offset = edit.at(*time);
            if limb.is_empty() || offset == Vec3::zeros() {
                continue;
            }
            let frame = &forward_kinematics(creature, &mut data, pose)[edit.point.body];
            let place = frame.point_in_world(edit.point.point) + offset;
            let way = way_to(creature, &mut data, pose, edit.point, place, &limb);
            for (&dof, x) in limb.iter().zip(&way) {
                whole[dof] = *x;
            }
            creature.integrate(pose, &whole, 1.0);
        }
    }
}
