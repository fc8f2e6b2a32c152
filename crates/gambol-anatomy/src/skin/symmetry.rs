//! Left and right weigh the same. The joints of a rig are symmetric, but the weights an artist painted are not quite, and
//! a chest that one arm carries would make that arm three times as heavy as the other. Twins get the mean of both, and
//! what lies in the plane of symmetry the mean of itself and its mirror image.

use gambol_model::{MassProperties, Mat3, Vec3};

use super::build::Part;
use super::settings::BalanceSettings;

/// A plane through the rig, across an axis of the world.
#[derive(Clone, Copy)]
struct Plane {
    axis: usize,
    offset: f64,
}

impl Plane {
    fn mirror(self, mut point: Vec3) -> Vec3 {
        point[self.axis] = 2.0 * self.offset - point[self.axis];
        point
    }

    /// The mirror image of a piece, given about `origin`, seen about `other`.
    fn mirrored(self, mass: &MassProperties, origin: Vec3, other: Vec3) -> MassProperties {
        let mut flip = Mat3::identity();
        flip[(self.axis, self.axis)] = -1.0;
        let com = self.mirror(origin + mass.com) - other;
        MassProperties { mass: mass.mass, com, inertia: flip * mass.inertia * flip }
    }
}

/// Makes twins weigh the same where the joints are symmetric; the total stays.
pub(super) fn balance(parts: &mut [Part], settings: &BalanceSettings) {
    let origins: Vec<Vec3> = parts.iter().map(|part| part.origin).collect();
    let (low, high) =
        origins.iter().fold((origins[0], origins[0]), |(low, high), p| (low.inf(p), high.sup(p)));
    let near = settings.twin_place * (high - low).norm();
    let twins = [1, 0].into_iter().find_map(|axis| {
        let plane = Plane { axis, offset: 0.5 * (low[axis] + high[axis]) };
        let twins: Vec<Option<usize>> = (0..parts.len()).map(|k| twin(&origins, plane, k, near)).collect();
        let odd = twins.iter().filter(|twin| twin.is_none()).count();
        (odd as f64 <= settings.odd_ones * parts.len() as f64).then_some((plane, twins))
    });
    let Some((plane, twins)) = twins else { return };
    let own: Vec<MassProperties> = parts.iter().map(|part| part.mass).collect();
    for (k, twin) in twins.into_iter().enumerate() {
        let Some(twin) = twin else { continue };
        let image = plane.mirrored(&own[twin], origins[twin], origins[k]);
        parts[k].mass = MassProperties::sum(&[own[k], image]).scaled(0.5);
    }
}

/// The joint nearest to the mirror image of joint `k`, if it is near and each is the other's.
fn twin(origins: &[Vec3], plane: Plane, k: usize, near: f64) -> Option<usize> {
    let nearest = |k: usize| {
        let image = plane.mirror(origins[k]);
        let apart = |other: usize| (origins[other] - image).norm();
        let found = (0..origins.len()).min_by(|&a, &b| apart(a).total_cmp(&apart(b)))?;
        (apart(found) < near).then_some(found)
    };
    nearest(k).filter(|&other| nearest(other) == Some(k))
}
