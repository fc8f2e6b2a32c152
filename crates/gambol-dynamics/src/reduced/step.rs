//! Steps of a reduced body in time (section 4 and appendix A).
//!
//! ```text
//! ∂L/∂v(gₖ, vₖ₊₁) dτₖ₊₁ = pₖ dτₖ Ad_dₖ + h (∂L/∂g(gₖ, vₖ₊₁) + f)         (5a, 6)
//! gₖ₊₁ = gₖ exp(h vₖ₊₁),   pₖ₊₁ = ∂L/∂v(gₖ, vₖ₊₁)                            (5b, 5c)
//! ```
//!
//! On R³ and Rᵏ dτ and Ad are the identity. On SO(3), with D the derivative of the exponential ([`Turn`]), a momentum m at the
//! end of a step reads m dτ = D(hω)⁻¹ m at its start, and m dτ Ad = D(hω)⁻ᵀ m at its end: rotated by exp(hω), both are the same vector.

use crate::{Divergence, Quat, Turn, Vec3};
use gambol_model::Creature;
use nalgebra::{Quaternion, UnitQuaternion};

use super::{PLACE, ROOT, ReducedBody, ReducedData, solve_dense};

/// How a reduced body is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// Equation 5, by Newton's method: momentum stays to rounding, energy does not drift.
    Variational,
    /// Equation 7: ∂L/∂g and dτ of the velocity before. The paper's choice.
    Explicit,
    /// Equation 8: as if the group were flat. For comparison.
    Euclidean,
    /// Equation 7 once more, with ∂L/∂g and dτ of the velocity that it found; the default.
    Corrected,
}

impl Integrator {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Variational, Self::Explicit, Self::Euclidean, Self::Corrected];

    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Variational => "variational",
            Self::Explicit => "explicit",
            Self::Euclidean => "euclidean",
            Self::Corrected => "corrected",
        }
    }
}

/// All that a simulation goes on from.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedState {
    /// s
    pub time: f64,
    /// Place of the root (position, quaternion w x y z), then x.
    pub g: Vec<f64>,
    /// Of the last step: ṗ in the world, ω in the root, ẋ.
    pub v: Vec<f64>,
    /// ∂L/∂v of the last step, taken where it began.
    pub p: Vec<f64>,
    /// Length of the last step, s; 0 at the start.
    pub h: f64,
}

impl ReducedState {
    /// At `g`, with the velocity v and its momentum there.
    pub fn new(body: &ReducedBody, data: &mut ReducedData, g: &[f64], v: &[f64]) -> Self {
        let mut p = vec![0.0; body.n()];
        data.place(body, g);
        data.momentum(v, &mut p);
        Self { time: 0.0, g: g.to_vec(), v: v.to_vec(), p, h: 0.0 }
    }

    /// Adds an impulse along the group's axes: n numbers. The velocity changes with it at the last place of `data`.
    pub fn kick(&mut self, data: &mut ReducedData, impulse: &[f64]) {
        data.out.copy_from_slice(impulse);
        data.matrix.copy_from_slice(&data.mass);
        if solve_dense(&mut data.matrix, &mut data.out) {
            for k in 0..impulse.len() {
                self.v[k] += data.out[k];
                self.p[k] += impulse[k];
            }
        }
    }
}

fn omega(v: &[f64]) -> Vec3 {
    Vec3::new(v[3], v[4], v[5])
}

fn replace(p: &mut [f64], with: impl FnOnce(Vec3) -> Vec3) {
    let new = with(omega(p));
    p[3..ROOT].copy_from_slice(new.as_slice());
}

/// The right side of equation 7, the momentum p with which M vₖ₊₁ = p, where `guess` stands for vₖ₊₁ in ∂L/∂g and dτ. `force` are
/// n numbers along the group's axes. Needs `data` to be placed at the state.
pub fn net_momentum(
    body: &ReducedBody,
    data: &mut ReducedData,
    state: &ReducedState,
    (integrator, h): (Integrator, f64),
    guess: &[f64],
    force: &[f64],
    net: &mut [f64],
) {
    data.gradient(body, guess, net);
    let curved = integrator != Integrator::Euclidean;
    for ((net, force), p) in net.iter_mut().zip(force).zip(&state.p) {
        *net = p + h * (*net + force);
    }
    if curved {
        let before = Turn::new(omega(&state.v) * state.h);
        let p = omega(&state.p);
        let carried = before.transposed_rate(p) - p;
        replace(net, |sum| Turn::new(omega(guess) * h).velocity(sum + carried));
    }
}

/// One step without contact under `force`, n numbers along the group's axes. A step that diverges leaves the state as it was.
pub fn reduced_step(
    body: &ReducedBody,
    data: &mut ReducedData,
    state: &mut ReducedState,
    (integrator, h): (Integrator, f64),
    force: &[f64],
) -> Result<(), Divergence> {
    data.place(body, &state.g);
    let mut v = std::mem::take(&mut data.step);
    v.copy_from_slice(&state.v);
    let solved = match integrator {
        Integrator::Explicit | Integrator::Euclidean => {
            linear(body, data, state, (integrator, h), force, &mut v)
        }
        Integrator::Corrected => {
            linear(body, data, state, (integrator, h), force, &mut v)
                && linear(body, data, state, (integrator, h), force, &mut v)
        }
        Integrator::Variational => newton(body, data, state, h, force, &mut v),
    };
    let result =
        if solved { advance(body, data, state, h, &v) } else { Err(diverged(body.creature(), state)) };
    data.step = v;
    result
}

/// Equation 7 with v in place of vₖ₊₁ on the right; v becomes its solution.
fn linear(
    body: &ReducedBody,
    data: &mut ReducedData,
    state: &ReducedState,
    how: (Integrator, f64),
    force: &[f64],
    v: &mut [f64],
) -> bool {
    let mut net = std::mem::take(&mut data.net);
    net_momentum(body, data, state, how, v, force, &mut net);
    v.copy_from_slice(&net);
    data.net = net;
    data.matrix.copy_from_slice(&data.mass);
    solve_dense(&mut data.matrix, v)
}

/// Most steps of Newton's method; three are usual.
const ROUNDS: usize = 20;

/// Newton's method has settled when a step changes v by less than this share of it: the next would change nothing but rounding.
const SETTLED: f64 = 1e-12;

/// Equation 5 for vₖ₊₁, from v on.
fn newton(
    body: &ReducedBody,
    data: &mut ReducedData,
    state: &ReducedState,
    h: f64,
    force: &[f64],
    v: &mut [f64],
) -> bool {
    // A first guess.
    if !linear(body, data, state, (Integrator::Explicit, h), force, v) {
        return false;
    }
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    for _ in 0..ROUNDS {
        let mut residual = std::mem::take(&mut data.net);
        residual_of(body, data, state, h, force, v, &mut residual);
        fill_slope(body, data, h, v);
        let solved = solve_dense(&mut data.matrix, &mut residual);
        for (v, change) in v.iter_mut().zip(&residual) {
            *v -= change;
        }
        let change = norm(&residual);
        data.net = residual;
        if !solved {
            return false;
        }
        if change <= SETTLED * norm(v) || change == 0.0 {
            return true;
        }
    }
    false
}

/// M v dτ − pₖ dτₖ Ad − h (∂L/∂g(v) + f).
fn residual_of(
    body: &ReducedBody,
    data: &mut ReducedData,
    state: &ReducedState,
    h: f64,
    force: &[f64],
    v: &[f64],
    residual: &mut [f64],
) {
    let mut gradient = std::mem::take(&mut data.out);
    data.gradient(body, v, &mut gradient);
    data.momentum(v, residual);
    let own = Turn::new(omega(v) * h);
    replace(residual, |m| own.rate(m));
    let carried = Turn::new(omega(&state.v) * state.h).transposed_rate(omega(&state.p));
    for k in 0..v.len() {
        let before = if (3..ROOT).contains(&k) { carried[k - 3] } else { state.p[k] };
        residual[k] -= before + h * (gradient[k] + force[k]);
    }
    data.out = gradient;
}

/// The derivative of [`residual_of`] by v, into `data.matrix`. ∂L/∂g is quadratic in v but for gravity, so that half of the difference
/// of its values at v + e and v − e is its derivative along e itself.
fn fill_slope(body: &ReducedBody, data: &mut ReducedData, h: f64, v: &mut [f64]) {
    let n = v.len();
    let (turn, momentum) = (Turn::new(omega(v) * h), row_times(&data.mass, v));
    for k in 0..n {
        let kept = v[k];
        let mut ahead = std::mem::take(&mut data.out);
        v[k] = kept + 1.0;
        data.gradient(body, v, &mut ahead);
        for (r, ahead) in ahead.iter().enumerate() {
            data.matrix[r * n + k] = -0.5 * h * ahead;
        }
        v[k] = kept - 1.0;
        data.gradient(body, v, &mut ahead);
        for (r, behind) in ahead.iter().enumerate() {
            data.matrix[r * n + k] += 0.5 * h * behind;
        }
        data.out = ahead;
        v[k] = kept;
        let about = Vec3::new(data.mass[3 * n + k], data.mass[4 * n + k], data.mass[5 * n + k]);
        let mut turned = turn.rate(about);
        if (3..ROOT).contains(&k) {
            turned += turn.rate_slope(Vec3::ith(k - 3, h), momentum);
        }
        for r in 0..n {
            let own = if (3..ROOT).contains(&r) { turned[r - 3] } else { data.mass[r * n + k] };
            data.matrix[r * n + k] += own;
        }
    }
}

/// The part of M v along the root's rotations.
fn row_times(mass: &[f64], v: &[f64]) -> Vec3 {
    let n = v.len();
    let row = |r: usize| mass[r * n..(r + 1) * n].iter().zip(v).map(|(m, v)| m * v).sum();
    Vec3::new(row(3), row(4), row(5))
}

/// Equations 5b and 5c: moves the state by the velocity `v`, with `data` still where the step began.
pub fn advance(
    body: &ReducedBody,
    data: &ReducedData,
    state: &mut ReducedState,
    h: f64,
    v: &[f64],
) -> Result<(), Divergence> {
    if v.iter().any(|v| !v.is_finite()) || v.iter().fold(0.0, |most: f64, v| most.max(v.abs())) > FASTEST {
        return Err(diverged(body.creature(), state));
    }
    data.momentum(v, &mut state.p);
    state.v.copy_from_slice(v);
    state.time += h;
    state.h = h;
    for k in 0..3 {
        state.g[k] += h * v[k];
    }
    let q = &state.g[3..PLACE];
    let before: Quat = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
    let after = UnitQuaternion::new_normalize((before * Quat::from_scaled_axis(omega(v) * h)).into_inner());
    state.g[3..PLACE].copy_from_slice(&[after.w, after.i, after.j, after.k]);
    for (x, rate) in state.g[PLACE..].iter_mut().zip(&v[ROOT..]) {
        *x += h * rate;
    }
    Ok(())
}

/// No creature moves as fast, m/s or rad/s.
const FASTEST: f64 = 1e4;

fn diverged(creature: &Creature, state: &ReducedState) -> Divergence {
    let body = creature.bodies().get(1).map_or_else(String::new, |body| body.name.clone());
    let reason = "a reduced step has no solution that is a number, or one of more than 10000 m/s or rad/s";
    Divergence { time: state.time, body, reason: reason.to_owned() }
}

/// The angular momentum about the world's origin that the steps keep, N·m·s: Rₖ (D(hω)⁻¹ p_ω) + xₖ₊₁ × p, where the last step
/// began in `data`.
pub fn discrete_momentum(body: &ReducedBody, data: &ReducedData, state: &ReducedState) -> Vec3 {
    let rotation = data.full.frames[body.base().body].rotation;
    let turned = rotation * Turn::new(omega(&state.v) * state.h).rate(omega(&state.p));
    let place = Vec3::new(state.g[0], state.g[1], state.g[2]);
    turned + place.cross(&Vec3::new(state.p[0], state.p[1], state.p[2]))
}
