//! Modal analysis without matrices, for creatures of a hundred thousand joints: time and memory linear in their size.
//!
//! The inverse problem of `dense`, S u = μ K u with μ = 1/λ, needs nothing but products. The root is eliminated within
//! each product: it follows the joints so that no rigid momentum is left, u = (j, r(j)), and S j is the joints' part of
//! M u, which a recursion over the bodies gives in O(n). The lowest vibrations are the *largest* eigenvalues of
//! A = Fᵀ S F, K⁻¹ = F Fᵀ: just where a Krylov method converges by itself, with no system to solve.
//!
//! The result carries its own proof: every mode's residual ‖K u − λ M u‖ is checked before it is returned.

mod block;
mod lanczos;
mod problem;

use gambol_dynamics::Data;
use gambol_model::{Constraint, Creature, math};
use gambol_motion::Basis;

use crate::coordinates::Coordinates;
use crate::dense::{all_constraints, place_name};
use crate::finish::finish;
use crate::pin::{Raw, SAME_FREQUENCY};
use crate::{ModesError, Settings, rigid};
pub use block::{Block, LANES, Row};
pub use lanczos::{Largest, Operator, Stopped, largest};
use problem::Problem;

/// Modes when no number is asked for: all modes of a large creature would be a dense matrix.
const DEFAULT_COUNT: usize = 20;

/// Largest ‖A x − μ x‖ / μ of a mode that is returned.
const LARGEST_RESIDUAL: f64 = 1e-8;

/// The lowest modes of `creature` about the pose `q`, matrix-free: `settings.count` of them, or 20.
///
/// Time and memory grow in proportion to joints × modes.
pub fn analyze_large(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    settings: &Settings,
) -> Result<Basis, ModesError> {
    let coordinates = Coordinates::new(creature)?;
    let constraints = all_constraints(creature, data, q, settings)?;
    let count = settings.count.unwrap_or(DEFAULT_COUNT);
    let lowest = lowest(creature, data, q, &coordinates, &constraints, count)?;
    finish(creature, data, q, lowest.dof, lowest.rigid, lowest.vibrations, Some(count))
}

/// Bare modes.
struct Lowest {
    /// Degrees of freedom.
    dof: usize,
    /// Rigid motions, canonical.
    rigid: Vec<Vec<f64>>,
    /// Ascending, M-orthonormal; some more than asked for where the last ones share their frequency.
    vibrations: Vec<Raw>,
}

fn lowest(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    coordinates: &Coordinates,
    constraints: &[Constraint],
    count: usize,
) -> Result<Lowest, ModesError> {
    let mut problem = Problem::new(creature, data, q, coordinates, constraints)?;
    let rigid = rigid::canonical(creature, data, coordinates, problem.free());
    let dof = problem.free().ncols() + problem.dimension();
    if dof == 0 {
        return Err(ModesError::OverConstrained { rank: creature.nv(), nv: creature.nv() });
    }
    let wanted = count.saturating_sub(problem.free().ncols());
    let pairs = largest(&mut problem, wanted).map_err(|_| ModesError::NotConverged)?;
    let vibrations = vibrations(creature, &mut problem, &pairs, wanted)?;
    Ok(Lowest { dof, rigid, vibrations })
}

/// Eigenpairs (μ, x) as vibrations: λ = 1/μ, u = F x / √μ so that uᵀ M u = 1.
fn vibrations(
    creature: &Creature,
    problem: &mut Problem,
    pairs: &Largest,
    wanted: usize,
) -> Result<Vec<Raw>, ModesError> {
    // Whoever pins the choice among equal frequencies should see all of them.
    let (first, others) = pairs.values.split_at(wanted.min(pairs.values.len()));
    let same = |value: &&f64| first.last().is_some_and(|last| **value >= last * (1.0 - SAME_FREQUENCY));
    let returned = first.len() + others.iter().take_while(same).count();

    let mut vibrations: Vec<Raw> = Vec::with_capacity(returned);
    let mut image: Block = vec![[0.0; LANES]; creature.nv()];
    for (k, x) in pairs.vectors.iter().enumerate() {
        problem.apply(x, &mut image);
        let u = problem.motion(x);
        for l in 0..LANES.min(returned.saturating_sub(k * LANES)) {
            // The Rayleigh quotient is right to the square of what the vector is off by.
            let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
                x.iter().zip(&image).map(|(x, image)| term(x[l], image[l])).sum()
            };
            let mu = sum(&|x, image| x * image) / sum(&|x, _| x * x);
            if mu.is_nan() || mu <= 0.0 {
                return Err(massless(creature, u, l));
            }
            let residual = sum(&|x, image| math::square(image - mu * x)).sqrt() / mu;
            if residual.is_nan() || residual > LARGEST_RESIDUAL {
                return Err(ModesError::NotConverged);
            }
            let shape = u.iter().map(|u| u[l] / mu.sqrt()).collect();
            vibrations.push(Raw { eigenvalue: 1.0 / mu, shape });
        }
    }
    vibrations.sort_by(|a, b| a.eigenvalue.total_cmp(&b.eigenvalue));
    Ok(vibrations)
}

/// The joint that moves most in a motion without inertia.
fn massless(creature: &Creature, u: &[Row], lane: usize) -> ModesError {
    let most = (0..u.len()).max_by(|&a, &b| u[a][lane].abs().total_cmp(&u[b][lane].abs()));
    ModesError::Massless { place: place_name(creature, most.unwrap_or(0)) }
}
