//! Feet that stand, stand: a stored place per stance, met by the joints of the limb alone.

use gambol_dynamics::{Data, forward_kinematics, point_jacobian};
use gambol_model::{BodyPoint, Creature, Vec3};
use nalgebra::{DMatrix, DVector};

use crate::Contact;

/// A foot and where it stands in each of its stances, if it does.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldFoot {
    /// When it stands.
    pub contact: Contact,
    /// World, m; one per interval of the contact. None: the foot slides in the recording.
    pub places: Vec<Option<Vec3>>,
}

impl HeldFoot {
    /// Where it is to be at a time.
    fn place_at(&self, time: f64) -> Option<Vec3> {
        let within = |[start, end]: &[f64; 2]| (*start..=*end).contains(&time);
        self.contact
            .intervals
            .iter()
            .position(within)
            .and_then(|stance| self.places.get(stance).copied().flatten())
    }
}

/// Seconds over which a correction fades in before a stance and out after it: as long as a foot takes to leave the ground.
const FADE: f64 = 0.05;

/// Rounds of Newton's method; from a few millimetres three are enough.
const ROUNDS: usize = 12;

/// A foot this near to its place, m, stands there.
const MET: f64 = 1e-7;

/// Damping as a share of the trace of J Jᵀ: a stretched leg is not torn.
const DAMPING: f64 = 1e-9;

/// A round turns no joint of a limb by more, rad: what is out of reach is not chased.
const STRIDE: f64 = 0.2;

/// Puts standing feet to their places, by the joints of their limbs alone. Before and after a stance the correction fades.
pub fn hold_feet(creature: &Creature, times: &[f64], poses: &mut [Vec<f64>], feet: &[HeldFoot]) {
    let mut data = Data::new(creature);
    for foot in feet {
        let limb = limb_of(creature, foot.contact.body, 1);
        if limb.is_empty() {
            continue;
        }
        let sole = BodyPoint { body: foot.contact.body, point: foot.contact.point };
        let corrections: Vec<Option<DVector<f64>>> = times
            .iter()
            .zip(poses.iter())
            .map(|(&time, pose)| {
                foot.place_at(time).map(|place| way_to(creature, &mut data, pose, sole, place, &limb))
            })
            .collect();
        let mut whole = vec![0.0; creature.nv()];
        for (key, pose) in poses.iter_mut().enumerate() {
            let Some(way) = faded(times, &corrections, key) else { continue };
            for (&dof, x) in limb.iter().zip(&way) {
                whole[dof] = *x;
            }
            creature.integrate(pose, &whole, 1.0);
        }
    }
}

/// The correction of a key, or what fades of the nearest stance before and after it.
fn faded(times: &[f64], corrections: &[Option<DVector<f64>>], key: usize) -> Option<DVector<f64>> {
    if let Some(own) = &corrections[key] {
        return Some(own.clone());
    }
    let share = |other: usize| 1.0 - (times[other] - times[key]).abs() / FADE;
    let near = |other: usize| share(other) > 0.0;
    let before = (0..key).rev().take_while(|other| near(*other)).find(|other| corrections[*other].is_some());
    let after =
        (key + 1..times.len()).take_while(|other| near(*other)).find(|other| corrections[*other].is_some());
    let part = |other: Option<usize>| other.and_then(|k| corrections[k].as_ref().map(|way| way * share(k)));
    match (part(before), part(after)) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

/// Velocity coordinates from the foot up to where the body branches, after `least` of them.
pub(crate) fn limb_of(creature: &Creature, foot: usize, least: usize) -> Vec<usize> {
    let bodies = creature.bodies();
    let children = |of: usize| bodies.iter().skip(1).filter(|body| body.parent == of).count();
    let mut dofs = Vec::new();
    let mut body = foot;
    while body != 0 && bodies[body].parent != 0 {
        dofs.extend(bodies[body].dofs.clone());
        body = bodies[body].parent;
        if children(body) > 1 && dofs.len() >= least {
            break;
        }
    }
    dofs.sort_unstable();
    dofs
}

/// How the limb moves to bring the point to its place: x over `limb`, by damped least squares.
pub(crate) fn way_to(
    creature: &Creature,
    data: &mut Data,
    pose: &[f64],
    at: BodyPoint,
    place: Vec3,
    limb: &[usize],
) -> DVector<f64> {
    let mut all = DMatrix::zeros(3, creature.nv());
    let (mut x, mut whole) = (DVector::zeros(limb.len()), vec![0.0; creature.nv()]);
    for _ in 0..ROUNDS {
        let mut moved = pose.to_vec();
        for (&dof, x) in limb.iter().zip(&x) {
            whole[dof] = *x;
        }
        creature.integrate(&mut moved, &whole, 1.0);
        forward_kinematics(creature, data, &moved);
        let there = data.frames[at.body].point_in_world(at.point);
        let missing = place - there;
        if missing.norm() < MET {
            break;
        }
        point_jacobian(creature, data, at.body, there, &mut all);
        let jacobian = DMatrix::from_fn(3, limb.len(), |row, k| all[(row, limb[k])]);
        let mut squares = &jacobian * jacobian.transpose();
        let damping = (DAMPING * squares.trace()).max(f64::MIN_POSITIVE);
        (0..3).for_each(|k| squares[(k, k)] += damping);
        let Some(factor) = squares.cholesky() else { break };
        let force = factor.solve(&DVector::from_column_slice(missing.as_slice()));
        let step = jacobian.tr_mul(&force);
        let far = step.amax();
        x += if far > STRIDE { step * (STRIDE / far) } else { step };
    }
    x
}
