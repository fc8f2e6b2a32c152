//! The same file gives the same modes on every machine: sign, and the choice among equal frequencies, are pinned.
//!
//! An eigenvector has no sign of its own, and where several modes share a frequency any rotation among them is as
//! good. Both are settled by *probes*: fixed smooth force fields in space, relative to the centre of mass and size of
//! the creature. Probes 0, 2, 4 … are mirror-symmetric left to right, probes 1, 3, 5 … antisymmetric. The rule:
//!
//! * **Sign**: the work of the first probe that does work on the mode at all is positive.
//! * **Equal frequencies** (to [`SAME_FREQUENCY`]): the first mode is the motion on which the first probe does the most
//!   work for its kinetic energy; the next is that among the motions M-orthogonal to it for the next probe; and so on.
//!   A probe that does no work on what is left is passed over.
//!
//! Probes live in space and act on mass, so the order of joints in the file, the direction of their axes and the last
//! bits of the arithmetic do not matter. Among a symmetric and an antisymmetric mode of one frequency, the rule finds
//! just these two.

use gambol_dynamics::Data;
use gambol_model::{Creature, Vec3, math};

/// Relative distance of eigenvalues below which they count as one: far above rounding (1e-13), far below what bodies
/// differ by on purpose.
pub(crate) const SAME_FREQUENCY: f64 = 1e-9;

/// A probe does no work if it does less than this share of what it could on a motion of the same kinetic energy.
/// Well above rounding, well below chance.
const NO_WORK: f64 = 1e-5;

/// Probes tried beyond one for each mode of a group before the rest is left to the eigensolver.
const SPARE_PROBES: usize = 16;

/// One vibration that is scaled to unit kinetic energy: uᵀ M u = 1.
#[derive(Clone, Debug)]
pub struct Raw {
    /// λ = ω², rad²/s²
    pub eigenvalue: f64,
    /// One number for each coordinate.
    pub shape: Vec<f64>,
}

/// Pins the signs and the choice among equal frequencies of `modes`, which ascend and are M-orthonormal.
///
/// Needs `data.frames` and `data.axes` at the pose.
pub(crate) fn pin(creature: &Creature, data: &Data, modes: &mut [Raw]) {
    let mut probes = Probes::new(creature, data);
    pin_by(modes, &mut |probe, shape| probes.work(probe, shape));
}

/// The same for what is no creature: `work` says how much work [`probe_field`] number k does on a shape, in parts of what it
/// could do on a motion of the same kinetic energy.
pub fn pin_by(modes: &mut [Raw], work: &mut dyn FnMut(usize, &[f64]) -> f64) {
    let mut start = 0;
    while start < modes.len() {
        let same = |mode: &Raw| mode.eigenvalue <= modes[start].eigenvalue * (1.0 + SAME_FREQUENCY);
        let end = start + modes[start..].iter().take_while(|mode| same(mode)).count();
        pin_group(work, &mut modes[start..end]);
        start = end;
    }
}

/// Pins one group of equal frequencies by Householder reflections within the group.
fn pin_group(work: &mut dyn FnMut(usize, &[f64]) -> f64, group: &mut [Raw]) {
    let most = group.len() + SPARE_PROBES;
    let mut probe = 0;
    for first in 0..group.len() {
        let rest = &mut group[first..];
        while probe < most {
            let works: Vec<f64> = rest.iter().map(|mode| work(probe, &mode.shape)).collect();
            let total = works.iter().map(|w| w * w).sum::<f64>().sqrt();
            probe += 1;
            if total > NO_WORK {
                turn_to_front(rest, &works, total);
                break;
            }
        }
        if group.len() == 1 {
            return;
        }
    }
}

/// Turns an M-orthonormal group so that its first mode is Σ work_i mode_i / total; the others stay orthonormal.
fn turn_to_front(group: &mut [Raw], work: &[f64], total: f64) {
    // The reflection that maps the unit vector of `work` to the first axis; for one mode it is just the sign.
    let mut normal: Vec<f64> = work.iter().map(|w| w / total).collect();
    let first = normal[0];
    if group.len() == 1 {
        if first < 0.0 {
            group[0].shape.iter_mut().for_each(|x| *x = -*x);
        }
        return;
    }
    normal[0] -= 1.0;
    let squared: f64 = normal.iter().map(|x| x * x).sum();
    if squared < 1e-30 {
        return; // it points to the front already
    }
    for k in 0..group[0].shape.len() {
        let along: f64 = group.iter().zip(&normal).map(|(mode, n)| mode.shape[k] * n).sum();
        for (mode, n) in group.iter_mut().zip(&normal) {
            mode.shape[k] -= 2.0 * n * along / squared;
        }
    }
}

/// Force fields in space, as generalised forces on the creature's coordinates.
struct Probes<'a> {
    creature: &'a Creature,
    data: &'a Data,
    centre: Vec3,
    /// Root mean square distance of mass from the centre, m.
    size: f64,
    /// Generalised forces of the probes made so far, scaled so that their work is at most 1 on unit kinetic energy.
    made: Vec<Vec<f64>>,
}

impl<'a> Probes<'a> {
    fn new(creature: &'a Creature, data: &'a Data) -> Self {
        let places = || {
            let bodies = creature.bodies().iter().zip(&data.frames).skip(1);
            bodies.map(|(body, frame)| (body.mass.mass, frame.point_in_world(body.mass.com)))
        };
        let mass: f64 = places().map(|(mass, _)| mass).sum();
        let centre = places().map(|(mass, at)| at * mass).sum::<Vec3>() / mass;
        let spread: f64 = places().map(|(mass, at)| mass * (at - centre).norm_squared()).sum();
        Self { creature, data, centre, size: (spread / mass).sqrt().max(f64::MIN_POSITIVE), made: Vec::new() }
    }

    /// Work of probe `k` on `shape`.
    fn work(&mut self, k: usize, shape: &[f64]) -> f64 {
        while self.made.len() <= k {
            self.made.push(self.make(self.made.len()));
        }
        self.made[k].iter().zip(shape).map(|(force, u)| force * u).sum()
    }

    /// Probe `k` at the centre of mass of a body.
    fn field(&self, k: usize, body: usize) -> (Vec3, Vec3) {
        let at = self.data.frames[body].point_in_world(self.creature.bodies()[body].mass.com);
        probe_field(k, (at - self.centre) / self.size)
    }

    /// Generalised forces τ = Σ J_bᵀ (moment; force) of the probe, by one pass towards the root.
    fn make(&self, k: usize) -> Vec<f64> {
        let bodies = self.creature.bodies();
        let mut forces = vec![(Vec3::zeros(), Vec3::zeros()); bodies.len()]; // moment about the body's origin, force
        let mut tau = vec![0.0; self.creature.nv()];
        let mut norm = 0.0;
        for (index, body) in bodies.iter().enumerate().skip(1) {
            let frame = &self.data.frames[index];
            let arm = frame.rotation * body.mass.com;
            let (push, turn) = self.field(k, index);
            let force = push * body.mass.mass;
            let moment = frame.rotation * (body.mass.inertia * (frame.rotation.transpose() * turn));
            norm += force.dot(&push) + moment.dot(&turn);
            forces[index] = (moment + arm.cross(&force), force);
        }
        for (index, body) in bodies.iter().enumerate().skip(1).rev() {
            let (moment, force) = forces[index];
            for dof in body.dofs.clone() {
                let axis = &self.data.axes[dof];
                tau[dof] = axis.angular.dot(&moment) + axis.linear.dot(&force);
                // A rotor (armature) turns with the joint's axis, wherever its body's mass is.
                let armature = self.creature.dofs()[dof].armature;
                if armature > 0.0 {
                    let (push, turn) = self.field(k, index);
                    let along = if axis.angular == Vec3::zeros() {
                        axis.linear.dot(&push)
                    } else {
                        axis.angular.dot(&turn)
                    };
                    tau[dof] += armature * along;
                    norm += armature * along * along;
                }
            }
            let above = &mut forces[body.parent];
            above.0 += moment + self.data.frames[index].offset.cross(&force);
            above.1 += force;
        }
        let scale = if norm > 0.0 { 1.0 / norm.sqrt() } else { 0.0 };
        for force in &mut tau {
            *force *= scale;
        }
        tau
    }
}

/// Probe `k` at the place `x` (sizes of the creature from its centre), as force per mass and moment per inertia: waves
/// of about the creature's own length, with directions from irrational steps so that no two probes are alike.
/// Mirror-symmetric for even `k`, else antisymmetric.
pub fn probe_field(k: usize, x: Vec3) -> (Vec3, Vec3) {
    let step = |by: f64| (k as f64 * by).fract();
    let wave =
        Vec3::new(0.4 + 1.3 * step(0.618_034), 0.5 + 1.1 * step(0.754_878), 0.3 + 1.2 * step(0.569_840));
    let along = wave.x * x.x + wave.z * x.z + 0.7 + step(0.414_214);
    let (even, odd) =
        (math::cos(along) * math::cos(wave.y * x.y), math::sin(along) * math::sin(wave.y * x.y));
    let (same, other) = if k.is_multiple_of(2) { (even, odd) } else { (odd, even) };
    let push = Vec3::new(1.0, 0.8 - 0.3 * step(0.324_718), 0.6 + 0.5 * step(0.259_921));
    let turn = Vec3::new(0.9 - 0.4 * step(0.732_051), 1.1, 0.7 + 0.4 * step(0.236_068));
    // In the mirror y → −y, a force keeps x and z and turns y round; a moment the other way.
    let force = Vec3::new(push.x * same, push.y * other, push.z * same);
    let moment = Vec3::new(turn.x * other, turn.y * same, turn.z * other);
    (force, moment)
}
