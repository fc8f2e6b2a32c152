//! Lets a designed gait and the ground agree.
//!
//! Amplitudes come from what feet do to first order, at the rest pose, in the air. On the ground, at full swing, feet are
//! then drawn to where they stand. The motion that results is a little different; its nearest motion among the chosen
//! modes, in the elastic metric, needs less of a draw. Modes are orthogonal in that metric, so that the nearest motion
//! is found mode by mode: a_i(t) = u_iᵀ K θ(t) / u_iᵀ K u_i, of which each component keeps its harmonic and the mean.
//! This is alternating projection between the motions that stand on the ground and those made of a few modes.

use std::f64::consts::TAU;

use gambol_dynamics::{Data, stiffness_matrix};
use gambol_model::math;
use nalgebra::DVector;

use crate::feet::ground;
use crate::modal::ModalMotion;
use crate::{Body, Component, Gait, GaitError, SettleSettings};

/// The same gait with amplitudes, phases (in steps of 90°) and offsets that suit the ground. Feet are to lift by `lift`
/// leg lengths: what the modes can do of that, the ground need not.
pub(crate) fn settle(body: &Body, data: &mut Data, gait: Gait, lift: f64) -> Result<Gait, GaitError> {
    let creature = &body.creature;
    let k = stiffness_matrix(creature);
    let SettleSettings { rounds, samples, small } = body.settings.settle;
    let cycles: Vec<f64> = (0..samples).map(|sample| sample as f64 / samples as f64).collect();
    let mut modes: Vec<(usize, u32)> = gait.components.iter().map(|c| (c.mode, c.harmonic)).collect();
    modes.sort_unstable();
    modes.dedup();
    let clearance = gait.ground.clearance;
    let mut gait = gait;
    gait.ground.clearance = clearance.max(lift);
    for _ in 0..rounds {
        let motion = ModalMotion::new(body, &gait)?;
        let grounded = ground(body, data, &gait, &motion, Vec::new(), &cycles, true)?;
        let mut theta = DVector::zeros(creature.nv());
        let pulls: Vec<DVector<f64>> = grounded
            .poses
            .iter()
            .map(|pose| {
                creature.difference(body.basis.mean(), pose, theta.as_mut_slice());
                &k * &theta
            })
            .collect();
        gait.components = modes
            .iter()
            .enumerate()
            .flat_map(|(place, &(mode, harmonic))| {
                let before =
                    || gait.components.iter().filter(move |c| c.mode == mode && c.harmonic == harmonic);
                if body.basis.directions()[mode].is_rigid() {
                    return before().copied().collect::<Vec<_>>();
                }
                let shape = DVector::from_column_slice(&body.basis.directions()[mode].shape);
                let norm = (shape.transpose() * &k * &shape)[0];
                let along: Vec<f64> = pulls.iter().map(|pull| shape.dot(pull) / norm).collect();
                // The mean belongs to one component of a mode.
                let first = place == 0 || modes[place - 1].0 != mode;
                components(mode, harmonic, &along, first)
            })
            .collect();
        let largest = gait.components.iter().map(|c| c.amplitude).fold(0.0, f64::max);
        let small = small * largest;
        gait.components.retain(|c| c.amplitude > small || c.offset.abs() > small);
    }
    gait.ground.clearance = clearance;
    Ok(gait)
}

/// One harmonic of a motion along a mode, as components with phases of 0° or 180° and 90° or 270°.
fn components(mode: usize, harmonic: u32, along: &[f64], with_mean: bool) -> Vec<Component> {
    let count = along.len() as f64;
    let (mut sine, mut cosine) = (0.0, 0.0);
    for (sample, a) in along.iter().enumerate() {
        let angle = TAU * f64::from(harmonic) * sample as f64 / count;
        sine += 2.0 / count * a * math::sin(angle);
        cosine += 2.0 / count * a * math::cos(angle);
    }
    let offset = if with_mean { along.iter().sum::<f64>() / count } else { 0.0 };
    let part = |value: f64, quarter: f64, offset: f64| {
        let phase = quarter + if value < 0.0 { 0.5 * TAU } else { 0.0 };
        Component { mode, amplitude: value.abs(), phase, harmonic, offset }
    };
    vec![part(sine, 0.0, offset), part(cosine, 0.25 * TAU, 0.0)]
}
