//! Which limb moves as which.

use gambol_anatomy::{Limb, LimbPart};
use gambol_model::Row;

use super::figure::Figure;

/// What moves a limb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Partner {
    /// Nothing: it goes along.
    Alone,
    /// A limb of the first creature.
    Of { limb: usize, points: Points },
}

/// How a limb is made to point where the other does, however both are drawn at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Points {
    /// Not at all: trunks, heads, tails.
    Free,
    /// As a whole: legs, which animals have bent in other ways than people.
    Limb,
    /// Bone by bone: arms.
    Bones,
}

/// The partner of each limb of `other`. Legs count from the hind ones, as people stand on theirs; the front legs of an animal
/// are the arms of a person.
pub(super) fn partners(first: &Figure, other: &Figure) -> Vec<Partner> {
    let rows = |figure: &Figure| -> Vec<Option<Row>> {
        let legs = figure.limbs.all.iter().filter(|limb| limb.part == LimbPart::Leg);
        let mut rows: Vec<Option<Row>> = legs.map(|limb| limb.row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    };
    let (theirs, own) = (rows(first), rows(other));
    let find = |part: LimbPart, row: Option<Row>, of: &Limb| {
        first.limbs.all.iter().position(|limb| (limb.part, limb.row, limb.side) == (part, row, of.side))
    };
    let first_arm = |of: &Limb| {
        first.limbs.all.iter().position(|limb| limb.part == LimbPart::Arm && limb.side == of.side)
    };
    let partner = |limb: &Limb| {
        let found = match limb.part {
            LimbPart::Leg => {
                let at = own.iter().position(|row| *row == limb.row)?;
                if own.len() == theirs.len() {
                    find(LimbPart::Leg, theirs[at], limb)
                } else if at + 1 == own.len() {
                    find(LimbPart::Leg, *theirs.last()?, limb)
                } else if at == 0 && theirs.len() > 1 {
                    find(LimbPart::Leg, theirs[0], limb)
                } else if at == 0 {
                    first_arm(limb)
                } else {
                    None
                }
            }
            LimbPart::Arm => find(LimbPart::Arm, limb.row, limb).or_else(|| first_arm(limb)).or_else(|| {
                // Legs in front that the other has not.
                (theirs.len() > own.len()).then(|| find(LimbPart::Leg, theirs[0], limb)).flatten()
            }),
            LimbPart::Tail | LimbPart::HindBody => {
                find(LimbPart::Tail, limb.row, limb).or_else(|| find(LimbPart::HindBody, limb.row, limb))
            }
            LimbPart::Head | LimbPart::Spine => find(limb.part, limb.row, limb),
            LimbPart::Other => {
                first.limbs.all.iter().position(|of| of.part == LimbPart::Other && of.name == limb.name)
            }
        };
        let is_limb = |part| matches!(part, LimbPart::Leg | LimbPart::Arm);
        let points = |at: usize| match (limb.part, first.limbs.all[at].part) {
            (LimbPart::Arm, LimbPart::Arm) => Points::Bones,
            (own, other) if is_limb(own) && is_limb(other) => Points::Limb,
            _ => Points::Free,
        };
        found.map(|at| Partner::Of { limb: at, points: points(at) })
    };
    other.limbs.all.iter().map(|limb| partner(limb).unwrap_or(Partner::Alone)).collect()
}
