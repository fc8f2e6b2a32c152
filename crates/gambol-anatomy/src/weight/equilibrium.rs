//! The equilibrium under weight: Newton's method on the manifold of poses, in rounds that update the multipliers.
//!
//! ```text
//! nothing slips; λₙ shares the weight among what stands on the ground
//! repeat
//!     q ← solution of ∇E(q; λ, b) = 0
//!     λ ← the forces at q        (augmented Lagrangian)
//!     b ← μ N                    (friction)
//! until nothing sinks, slips within its cone, or changes
//! is the Hessian positive definite?
//! ```
//!
//! This *follows* the posture from stiff to soft: Newton steps lead to the equilibrium next to the last, be it stable or
//! not, so that a posture that buckles is caught in the act. What then becomes of it is another matter: the creature
//! *creeps* on, each round with a viscous force against the last one's pose, and moves as it would in honey until it
//! comes to rest or is lost.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, LU};

use gambol_model::{JointKind, Vec3, math};

use super::ground::name_of;
use super::potential::{Evaluation, Multipliers, Problem, Trend};
use super::{Deflection, Reaction, Stand, StandSettings, StandStatus, is_root};

/// Forces balance to this share of the weight, moments to this share of weight times size: rounding allows 1e-12,
/// see `SINK`.
const BALANCE: f64 = 1e-9;

/// Contacts sink and slip, and constraints gape, by no more than this share of the size.
const CLOSED: f64 = 1e-8;

/// The friction bound is μ N to this share of the weight.
const BOUND: f64 = 1e-5;

/// Newton steps in one round; ten do where there is an equilibrium near.
const MAX_STEPS: usize = 40;

/// Rounds in honey; some fifty lead from a push to the ground.
const MAX_CREEPS: usize = 200;

/// How often a creature that creeps into an unstable equilibrium is helped out of it.
const MAX_PUSHES: usize = 4;

/// A step is halved this often before the iteration gives up.
const MAX_HALVINGS: usize = 12;

/// Rounds; the error falls by a factor of hundreds in each, more slowly where feet slide.
const MAX_ROUNDS: usize = 60;

/// No step turns a joint by more, rad, or moves the root by more of the size: the energy is far from quadratic there.
const STRIDE: f64 = 0.3;

/// Beyond these nothing is left of a posture: half the height of the centre of mass, or a joint turned by 120°.
const LOST_DROP: f64 = 0.5;
const LOST_ANGLE: f64 = 2.1;

/// Stability is that of hard contact: this many times κ is hard, and leaves eight digits to decide a sign with.
const HARD: f64 = 1e4;

/// Curvatures of E down to minus this, in weight × size, are not held against a creature: a log on level ground may
/// roll, a snake a little more so, and still they lie.
const NEUTRAL: f64 = 1e-4;

/// What is added to the Hessian, in weight × size, so that a log can be solved for.
const FLAT_VALLEY: f64 = 1e-6;

/// A pose and the forces that go with it.
#[derive(Clone)]
pub(super) struct State {
    /// The scale of the springs with which they balance; infinite for a statue.
    pub(super) scale: f64,
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
            scale: f64::INFINITY,
            q: problem.creature.rest_pose().to_vec(),
            multipliers: Multipliers {
                normal: features.iter().map(|feature| share(feature.grips)).collect(),
                tangent: vec![Vec3::zeros(); features.len()],
                bound: vec![f64::INFINITY; features.len()],
                trend: vec![Trend::default(); features.len()],
                closure: DVector::zeros(rows),
            },
        }
    }
}

/// How the solution of ∇E = 0 ended.
enum Ending {
    Balanced(Evaluation),
    Lost(Evaluation),
    Stuck(Evaluation),
}

/// Honey: a force against the way from a pose, viscosity · D (q ⊖ from), D as in [`factor`].
struct Honey {
    from: Vec<f64>,
    viscosity: f64,
}

/// Follows the posture from `from` down to `scale`, in smaller steps where one does not do. Returns how it ended there, or
/// at the stiffer scale where it was lost.
pub(super) fn keep(
    problem: &mut Problem,
    from: &State,
    scale: f64,
    settings: &StandSettings,
) -> (Stand, State) {
    const SMALLEST_STEP: f64 = 1.02;
    let mut state = State { scale, ..from.clone() };
    problem.scale = scale;
    let stand = follow(problem, &mut state, settings);
    let ratio = from.scale / scale;
    if stand.status != StandStatus::NoEquilibrium || !ratio.is_finite() || ratio < SMALLEST_STEP {
        return (stand, state);
    }
    let (half_way, middle) = keep(problem, from, scale * ratio.sqrt(), settings);
    if is_kept(half_way.status) { keep(problem, &middle, scale, settings) } else { (half_way, middle) }
}

pub(super) fn is_kept(status: StandStatus) -> bool {
    matches!(status, StandStatus::Stands | StandStatus::Sags)
}

/// Lets the creature settle at `scale`: its posture is kept if it can be, and else it falls to wherever it comes to rest.
pub(super) fn settle(problem: &mut Problem, stiff: f64, scale: f64, settings: &StandSettings) -> Stand {
    let mut good = State::at_rest(problem);
    let mut next = stiff.max(scale);
    loop {
        let (stand, mut state) = keep(problem, &good, next, settings);
        if is_kept(stand.status) && next == scale {
            return stand;
        } else if !is_kept(stand.status) {
            problem.scale = scale;
            if stand.status == StandStatus::Unstable {
                push(problem, &mut state);
            } else {
                state = good;
            }
            return creep(problem, &mut state, settings);
        }
        (good, next) = (state, (0.5 * next).max(scale));
    }
}

/// Rounds of Newton's method towards the equilibrium next to `state`.
fn follow(problem: &mut Problem, state: &mut State, settings: &StandSettings) -> Stand {
    let mut iterations = 0;
    for _ in 0..MAX_ROUNDS {
        match solve(problem, state, None, &mut iterations) {
            Ending::Balanced(here) => {
                if update(problem, state, &here, settings.friction) <= 1.0 {
                    return judge(problem, state, &here, iterations, settings);
                }
            }
            Ending::Lost(here) | Ending::Stuck(here) => {
                return report(problem, state, &here, iterations, StandStatus::NoEquilibrium);
            }
        }
    }
    let here = problem.evaluate(&state.q, &state.multipliers, false);
    report(problem, state, &here, iterations, StandStatus::NoEquilibrium)
}

/// Rounds in honey, thinner and thinner, then without.
fn creep(problem: &mut Problem, state: &mut State, settings: &StandSettings) -> Stand {
    const LONG: f64 = 0.15; // rad, or sizes: a round that moves farther is taken again in thicker honey
    const SHORT: f64 = 0.05; // after a round that moves less the honey is thinned
    const AT_REST: f64 = 2e-5; // honey that holds back with less, in weight × size, is close to an equilibrium
    let (mut iterations, mut viscosity, mut pushes) = (0, 1.0, MAX_PUSHES);
    for _ in 0..MAX_CREEPS {
        let (from, before) = (state.q.clone(), state.clone());
        let ending = solve(problem, state, Some(&Honey { from, viscosity }), &mut iterations);
        let way = distance(problem, &before.q, &state.q);
        match ending {
            Ending::Lost(here) => return report(problem, state, &here, iterations, StandStatus::Collapses),
            Ending::Balanced(here) if way <= LONG => {
                update(problem, state, &here, settings.friction);
            }
            _ if viscosity < 1e6 => {
                *state = before;
                viscosity *= 4.0;
                continue;
            }
            _ => break,
        }
        if way * viscosity < AT_REST {
            let mut trial = state.clone();
            let stand = follow(problem, &mut trial, settings);
            iterations += stand.iterations;
            match stand.status {
                StandStatus::Stands => return Stand { iterations, status: StandStatus::Leans, ..stand },
                StandStatus::Sags => return Stand { iterations, ..stand },
                StandStatus::Unstable if pushes > 0 => {
                    *state = trial;
                    push(problem, state);
                    pushes -= 1;
                }
                _ => (),
            }
        }
        if way < SHORT {
            viscosity = (0.5 * viscosity).max(1e-6);
        }
    }
    let here = problem.evaluate(&state.q, &state.multipliers, false);
    report(problem, state, &here, iterations, StandStatus::NoEquilibrium)
}

/// Moves an unstable creature by a hair along its weakest direction.
fn push(problem: &mut Problem, state: &mut State) {
    const PUSH: f64 = 1e-2; // rad, or share of the size
    let here = problem.evaluate(&state.q, &state.multipliers, false);
    let mut hessian = problem.hessian(&state.q, &here, HARD);
    let units: Vec<f64> = (0..hessian.nrows()).map(|dof| problem.unit(dof)).collect();
    for (row, a) in units.iter().enumerate() {
        for (column, b) in units.iter().enumerate() {
            hessian[(row, column)] *= a * b;
        }
    }
    let eigen = hessian.symmetric_eigen();
    let mut push = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned();
    push *= PUSH / push[push.iamax()]; // the sign is pinned by the largest component
    push.iter_mut().zip(&units).for_each(|(x, unit)| *x *= unit);
    problem.creature.integrate(&mut state.q, push.as_slice(), 1.0);
}

/// The largest change of a coordinate, in rad or sizes.
fn distance(problem: &Problem, from: &[f64], to: &[f64]) -> f64 {
    let mut change = vec![0.0; problem.creature.nv()];
    problem.creature.difference(from, to, &mut change);
    longest(problem, &change)
}

fn longest(problem: &Problem, step: &[f64]) -> f64 {
    step.iter().enumerate().fold(0.0, |most: f64, (dof, x)| most.max((x / problem.unit(dof)).abs()))
}

/// Solves ∇E = 0, or ∇E + honey = 0, at constant multipliers, by Newton's method.
fn solve(problem: &mut Problem, state: &mut State, honey: Option<&Honey>, iterations: &mut usize) -> Ending {
    let mut here = evaluate(problem, &state.q, &state.multipliers, honey, false);
    for step in 0..MAX_STEPS {
        if is_lost(problem, &state.q) {
            return Ending::Lost(here);
        }
        if imbalance(problem, &here.gradient) <= BALANCE {
            return Ending::Balanced(here);
        }
        if step == 0 {
            here = evaluate(problem, &state.q, &state.multipliers, honey, true);
        }
        *iterations += 1;
        match newton_step(problem, state, &here, honey) {
            Some((q, there)) => (state.q, here) = (q, there),
            None => return Ending::Stuck(here),
        }
    }
    Ending::Stuck(here)
}

/// The gradient of E with the force of the honey.
fn evaluate(
    problem: &mut Problem,
    q: &[f64],
    multipliers: &Multipliers,
    honey: Option<&Honey>,
    hold: bool,
) -> Evaluation {
    let mut here = problem.evaluate(q, multipliers, hold);
    if let Some(Honey { from, viscosity }) = honey {
        let mut way = vec![0.0; here.gradient.len()];
        problem.creature.difference(from, q, &mut way);
        for (dof, x) in way.iter().enumerate() {
            here.gradient[dof] += viscosity * own_stiffness(problem, dof) * x;
        }
    }
    here
}

/// A Newton step −H⁻¹ ∇E, or its half, its quarter … that leads nearer to balance.
///
/// Nearer is what makes the *next* step of the same matrix shorter (Deuflhard 2004, section 3.3): forces do not tell,
/// since feet hold on to the ground along curves, steps are straight, and the ground is hard.
fn newton_step(
    problem: &mut Problem,
    state: &State,
    here: &Evaluation,
    honey: Option<&Honey>,
) -> Option<(Vec<f64>, Evaluation)> {
    let hessian = problem.hessian(&state.q, here, 1.0);
    let viscosity = honey.map_or(0.0, |honey| honey.viscosity);
    let factors = match factor(problem, &hessian, viscosity + FLAT_VALLEY) {
        Some(factor) => Factors::Positive(factor),
        None if honey.is_some() => return None, // it would not creep but jump
        None => Factors::Indefinite(hessian.lu()),
    };
    let step = factors.solve(&here.gradient)?;
    let whole = longest(problem, step.as_slice());
    let mut length = (STRIDE / whole).min(1.0);
    for _ in 0..MAX_HALVINGS {
        let mut q = state.q.clone();
        problem.creature.integrate(&mut q, step.as_slice(), -length);
        let there = evaluate(problem, &q, &state.multipliers, honey, false);
        let left = longest(problem, factors.solve(&there.gradient)?.as_slice());
        if left <= (1.0 - 0.25 * length) * whole || imbalance(problem, &there.gradient) <= BALANCE {
            return Some((q, there));
        }
        length *= 0.5;
    }
    None
}

/// A factored Hessian.
enum Factors {
    Positive(Cholesky<f64, Dyn>),
    Indefinite(LU<f64, Dyn, Dyn>),
}

impl Factors {
    fn solve(&self, gradient: &DVector<f64>) -> Option<DVector<f64>> {
        match self {
            Self::Positive(factor) => Some(factor.solve(gradient)),
            Self::Indefinite(factor) => factor.solve(gradient),
        }
    }
}

/// Norm of the gradient in units of weight and size.
fn imbalance(problem: &Problem, gradient: &DVector<f64>) -> f64 {
    let squares = gradient.iter().enumerate().map(|(dof, g)| math::square(g * problem.unit(dof)));
    squares.sum::<f64>().sqrt() / (problem.weight * problem.size)
}

fn is_lost(problem: &mut Problem, q: &[f64]) -> bool {
    let worst = deflections(problem, q).first().map_or(0.0, |worst| worst.amount);
    problem.drop(q) > LOST_DROP * problem.length || worst > LOST_ANGLE || !worst.is_finite()
}

/// Cholesky factor of H + shift · D, D the weight's own stiffness: weight × size per rad², weight / size per m².
fn factor(problem: &Problem, hessian: &DMatrix<f64>, shift: f64) -> Option<Cholesky<f64, Dyn>> {
    let mut shifted = hessian.clone();
    for dof in 0..shifted.nrows() {
        shifted[(dof, dof)] += shift * own_stiffness(problem, dof);
    }
    Cholesky::new(shifted)
}

fn own_stiffness(problem: &Problem, dof: usize) -> f64 {
    problem.weight * problem.size / math::square(problem.unit(dof))
}

/// Takes the forces at `here` for the next multipliers; returns by how much contacts, constraints and friction still
/// miss what is asked of them, 1 being good enough.
fn update(problem: &Problem, state: &mut State, here: &Evaluation, friction: f64) -> f64 {
    let (kappa, multipliers) = (problem.contact_stiffness, &mut state.multipliers);
    let mut error: f64 = 0.0;
    for (index, touch) in here.touches.iter().enumerate() {
        // How far the contact spring is from carrying the multiplier without giving way.
        let gives = (touch.normal - multipliers.normal[index]).abs() / kappa;
        let slips =
            if touch.slides { 0.0 } else { (touch.tangent - multipliers.tangent[index]).norm() / kappa };
        let bound = friction * touch.normal;
        if touch.slides {
            error = error.max((bound - multipliers.bound[index]).abs() / (BOUND * problem.weight));
        } else if touch.tangent.norm() > bound {
            error = f64::INFINITY;
        }
        error = error.max(gives / (CLOSED * problem.size)).max(slips / (CLOSED * problem.size));
        multipliers.normal[index] = touch.normal;
        multipliers.set_bound(index, bound, touch.slides);
        multipliers.tangent[index] = touch.tangent;
    }
    for (row, f) in here.closure.iter().enumerate() {
        error = error.max(here.residual[row].abs() / (CLOSED * problem.size));
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
    let stable = factor(problem, &hessian, NEUTRAL).is_some();
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
        if touch.normal == 0.0 && touch.tangent == Vec3::zeros() {
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
