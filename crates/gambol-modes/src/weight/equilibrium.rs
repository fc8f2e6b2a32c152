//! The equilibrium under weight: Newton's method on the manifold of poses, in rounds that update the multipliers.
//!
//! ```text
//! nothing slips; λₙ shares the weight among what stands on the ground
//! repeat
//!     q ← argmin E(q; λ, b)      Newton with line search
//!     λ ← the forces at q        (augmented Lagrangian)
//!     b ← μ N                    (friction)
//! until nothing sinks, slips within its cone, or changes
//! is the Hessian positive definite?
//! ```

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use gambol_model::{JointKind, Vec3};

use super::ground::name_of;
use super::potential::{Evaluation, Multipliers, Problem};
use super::{Deflection, Reaction, Stand, StandSettings, StandStatus, is_root};

/// Forces balance to this share of the weight, moments to this share of weight times height: rounding allows 1e-12,
/// see `SINK`.
const BALANCE: f64 = 1e-9;

/// Contacts sink and slip, and constraints gape, by no more than this share of the height.
const CLOSED: f64 = 1e-8;

/// The friction bound is μ N to this share of the weight.
const BOUND: f64 = 1e-6;

/// Newton steps in one round; ten do where there is an equilibrium near.
const MAX_STEPS: usize = 100;

/// Rounds; the error falls by a factor of hundreds in each, more slowly where feet slide.
const MAX_ROUNDS: usize = 60;

/// No step turns a joint by more, rad, or moves the root by more of the height: the energy is far from quadratic there.
const STRIDE: f64 = 0.3;

/// Beyond these nothing is left of a posture: half the height of the centre of mass, or a joint turned by 120°.
const LOST_DROP: f64 = 0.5;
const LOST_ANGLE: f64 = 2.1;

/// Stability is that of hard contact: this many times κ is hard, and leaves eight digits to decide a sign with.
const HARD: f64 = 1e4;

/// Curvatures of E below this (in weight × height) count as none.
const FLAT: f64 = 1e-8;

/// A pose and the forces that go with it.
#[derive(Clone)]
pub(super) struct State {
    pub(super) q: Vec<f64>,
    pub(super) multipliers: Multipliers,
}

impl State {
    /// The pose itself, the weight shared by all that stands on the ground, and no slip.
    pub(super) fn at_rest(problem: &Problem) -> Self {
        let features = &problem.ground.features;
        let standing = features.iter().filter(|feature| feature.grips).count();
        let share = |grips: bool| if grips { problem.weight / standing as f64 } else { 0.0 };
        let rows = gambol_dynamics::constraint_rows(problem.creature.constraints());
        Self {
            q: problem.creature.rest_pose().to_vec(),
            multipliers: Multipliers {
                normal: features.iter().map(|feature| share(feature.grips)).collect(),
                tangent: vec![Vec3::zeros(); features.len()],
                bound: vec![f64::INFINITY; features.len()],
                closure: DVector::zeros(rows),
            },
        }
    }
}

/// How a minimisation ended.
enum Descent {
    Balanced(Evaluation),
    Lost(Evaluation),
    Stuck(Evaluation),
}

/// Lets the creature settle from `state`, which is where it settles afterwards.
pub(super) fn settle(problem: &mut Problem, state: &mut State, settings: &StandSettings) -> Stand {
    let mut iterations = 0;
    for _ in 0..MAX_ROUNDS {
        match minimise(problem, state, &mut iterations) {
            Descent::Balanced(evaluation) => {
                let error = update(problem, state, &evaluation, settings.friction);
                if error <= 1.0 {
                    return judge(problem, state, &evaluation, iterations, settings);
                }
            }
            Descent::Lost(evaluation) => {
                return report(problem, state, &evaluation, iterations, StandStatus::Collapses);
            }
            Descent::Stuck(evaluation) => {
                return report(problem, state, &evaluation, iterations, StandStatus::IterationLimit);
            }
        }
    }
    let evaluation = problem.evaluate(&state.q, &state.multipliers);
    report(problem, state, &evaluation, iterations, StandStatus::IterationLimit)
}

/// Minimises E at constant multipliers by Newton's method with a line search.
fn minimise(problem: &mut Problem, state: &mut State, iterations: &mut usize) -> Descent {
    let mut here = problem.evaluate(&state.q, &state.multipliers);
    for _ in 0..MAX_STEPS {
        if imbalance(problem, &here.gradient) <= BALANCE {
            return Descent::Balanced(here);
        }
        if is_lost(problem, &state.q) {
            return Descent::Lost(here);
        }
        *iterations += 1;
        let step = newton_step(problem, &state.q, &here);
        match search_line(problem, state, &here, &step) {
            Some((q, evaluation)) => (state.q, here) = (q, evaluation),
            None => return Descent::Stuck(here),
        }
    }
    Descent::Stuck(here)
}

/// Largest component of the gradient in units of weight and height.
fn imbalance(problem: &Problem, gradient: &DVector<f64>) -> f64 {
    let unit = problem.weight * problem.length;
    gradient.iter().enumerate().fold(0.0, |most: f64, (dof, g)| most.max((g * problem.unit(dof) / unit).abs()))
}

fn is_lost(problem: &mut Problem, q: &[f64]) -> bool {
    let worst = deflections(problem, q).first().map_or(0.0, |worst| worst.amount);
    problem.drop(q) > LOST_DROP * problem.length || worst > LOST_ANGLE || !worst.is_finite()
}

/// −H⁻¹ ∇E, with enough added to the diagonal of H to make it positive definite, and no longer than a stride.
fn newton_step(problem: &mut Problem, q: &[f64], here: &Evaluation) -> DVector<f64> {
    let hessian = problem.hessian(q, here, 1.0);
    let mut shift = 0.0;
    loop {
        // Coarser and coarser: from a thousandth of what the weight does to the posture.
        if let Some(factor) = factor(problem, &hessian, shift) {
            let mut step = -factor.solve(&here.gradient);
            let longest =
                step.iter().enumerate().fold(0.0, |m: f64, (dof, x)| m.max((x / problem.unit(dof)).abs()));
            step *= (STRIDE / longest).min(1.0);
            return step;
        }
        shift = if shift == 0.0 { 1e-3 } else { shift * 10.0 };
        if shift > 1e12 {
            return -&here.gradient * (1e-3 / here.gradient.norm().max(f64::MIN_POSITIVE)); // not finite: downhill
        }
    }
}

/// Cholesky factor of H + shift · D, D the weight's own stiffness: weight × height per rad², weight / height per m².
fn factor(problem: &Problem, hessian: &DMatrix<f64>, shift: f64) -> Option<Cholesky<f64, Dyn>> {
    let mut shifted = hessian.clone();
    for dof in 0..shifted.nrows() {
        shifted[(dof, dof)] += shift * problem.weight * problem.length / problem.unit(dof).powi(2);
    }
    Cholesky::new(shifted)
}

/// The first of the step, its half, its quarter … that lowers the energy enough (Armijo), or, where the energy no
/// longer shows a difference, the imbalance.
fn search_line(
    problem: &mut Problem,
    state: &State,
    here: &Evaluation,
    step: &DVector<f64>,
) -> Option<(Vec<f64>, Evaluation)> {
    const ENOUGH: f64 = 1e-4; // Nocedal and Wright 2006, section 3.1
    const NOISE: f64 = 1e-10; // of weight × height; E loses digits to the far larger contact energies
    let slope = here.gradient.dot(step);
    let noise = NOISE * problem.weight * problem.length;
    let unbalanced = imbalance(problem, &here.gradient);
    let mut length = 1.0;
    for _ in 0..40 {
        let mut q = state.q.clone();
        problem.creature.integrate(&mut q, step.as_slice(), length);
        let there = problem.evaluate(&q, &state.multipliers);
        let lower = there.energy <= here.energy + ENOUGH * length * slope;
        let flat = (there.energy - here.energy).abs() <= noise && imbalance(problem, &there.gradient) < unbalanced;
        if lower || flat {
            return Some((q, there));
        }
        length *= 0.5;
    }
    None
}

/// Takes the forces at `here` for the next multipliers; returns by how much contacts, constraints and friction still
/// miss what is asked of them, 1 being good enough.
fn update(problem: &Problem, state: &mut State, here: &Evaluation, friction: f64) -> f64 {
    let (kappa, multipliers) = (problem.contact_stiffness, &mut state.multipliers);
    let mut error: f64 = 0.0;
    for (index, touch) in here.touches.iter().enumerate() {
        // How far the contact spring is from carrying the multiplier without giving way.
        let gives = (touch.normal - multipliers.normal[index]).abs() / kappa;
        let slips = if touch.slides { 0.0 } else { (touch.tangent - multipliers.tangent[index]).norm() / kappa };
        let bound = friction * touch.normal;
        let grows =
            if touch.tangent.norm() >= multipliers.bound[index].min(bound) { (bound - multipliers.bound[index]).abs() } else { 0.0 };
        error = error.max(gives / (CLOSED * problem.length)).max(slips / (CLOSED * problem.length));
        error = error.max(grows / (BOUND * problem.weight));
        multipliers.normal[index] = touch.normal;
        multipliers.bound[index] = bound;
        multipliers.tangent[index] = touch.tangent;
    }
    for (row, f) in here.closure.iter().enumerate() {
        error = error.max(here.residual[row].abs() / (CLOSED * problem.length));
        multipliers.closure[row] = *f;
    }
    error
}

/// Whether the balanced creature stands.
fn judge(
    problem: &mut Problem,
    state: &State,
    here: &Evaluation,
    iterations: usize,
    settings: &StandSettings,
) -> Stand {
    let hessian = problem.hessian(&state.q, here, HARD);
    let stable = factor(problem, &hessian, -FLAT).is_some();
    let mut stand = report(problem, state, here, iterations, StandStatus::Stands);
    if !stable {
        stand.status = StandStatus::Unstable;
    } else if stand.sag > settings.sag || stand.deflection() > settings.deflection {
        stand.status = StandStatus::Sags;
    }
    stand
}

fn report(
    problem: &mut Problem,
    state: &State,
    here: &Evaluation,
    iterations: usize,
    status: StandStatus,
) -> Stand {
    let drop = problem.drop(&state.q);
    Stand {
        status,
        qpos: state.q.clone(),
        drop,
        sag: drop / problem.length,
        height: problem.length,
        deflections: deflections(problem, &state.q),
        reactions: reactions(problem, here),
        weight: problem.weight,
        elastic_energy: problem.elastic_energy(&state.q),
        iterations,
    }
}

/// How far the joints are from the pose, the largest angle first, slides last.
fn deflections(problem: &Problem, q: &[f64]) -> Vec<Deflection> {
    let creature = &problem.creature;
    let mut turned = vec![0.0; creature.nv()];
    creature.difference(creature.rest_pose(), q, &mut turned);
    let mut all: Vec<Deflection> = (0..creature.joints().len())
        .filter(|&joint| !is_root(creature, joint) && creature.joints()[joint].kind != JointKind::Slide)
        .map(|index| {
            let joint = &creature.joints()[index];
            let part = &turned[joint.v..joint.v + joint.kind.nv()];
            let amount = part.iter().map(|x| x * x).sum::<f64>().sqrt();
            Deflection { joint: index, name: joint.name.clone(), amount }
        })
        .collect();
    all.sort_by(|a, b| b.amount.total_cmp(&a.amount));
    all
}

/// The ground's forces, summed over each foot.
fn reactions(problem: &Problem, here: &Evaluation) -> Vec<Reaction> {
    let up = problem.ground.up;
    let mut all: Vec<Reaction> = Vec::new();
    for (feature, touch) in problem.ground.features.iter().zip(&here.touches) {
        if touch.normal == 0.0 {
            continue;
        }
        let name = name_of(&problem.creature, feature.body);
        let place = all.iter().position(|reaction| reaction.name == name).unwrap_or_else(|| {
            let (force, normal, tangential) = (Vec3::zeros(), 0.0, 0.0);
            all.push(Reaction { name, force, normal, tangential, points: 0, slides: false });
            all.len() - 1
        });
        all[place].force += up * touch.normal + touch.tangent;
        all[place].points += 1;
        all[place].slides |= touch.slides;
    }
    for reaction in &mut all {
        reaction.normal = reaction.force.dot(&up);
        reaction.tangential = (reaction.force - up * reaction.normal).norm();
    }
    all.sort_by(|a, b| b.normal.total_cmp(&a.normal));
    all
}
