//! The body whose modes are meant: pose, bent joints, stiffness, weight, tension, injuries.
//!
//! Everything here changes the creature before its modes are computed. Some parts of a style also change how a gait is
//! designed or played, and do so there: a tense creature takes shorter and quicker steps, a heavy one stands longer on
//! each foot, an injured leg stands for a shorter time.

use std::collections::BTreeMap;

use gambol_anatomy::{
    ClassSettings, Classified, FOLDED_WINGS, Heading, RunningSettings, classify, running_pose,
};
use gambol_dynamics::{
    Data, body_jacobian, constraint_residual, forward_kinematics, multiply_mass, prepare_mass,
};
use gambol_model::{Creature, Hint, Joint, JointKind, Quat, Remark, math};
use gambol_modes::{Scale, Settings, analyze, parse_constraint, set_uniform};
use gambol_motion::Basis;
use nalgebra::{DMatrix, DVector, Quaternion};
use serde::Serialize;

use crate::belly::WINGED;
use crate::limits::overshoot;
use crate::{Gait, GaitError, GaitSettings, Leg, Legs, LimitSettings, Style, StyleSettings, Wish};

/// A creature as a style changes it, with its modes and legs.
#[derive(Clone, Debug)]
pub struct Body {
    /// With the stiffness and mass of the style; its springs are at rest in `basis.mean()`.
    pub creature: Creature,
    /// What it moves along: its natural vibrations about its rest pose, or any other basis with that mean.
    pub basis: Basis,
    /// Its legs in that pose; none of somebody who does not walk on them.
    pub legs: Legs,
    /// What kind of body it is.
    pub class: Classified,
    /// The style, with the full names of injured feet.
    pub style: Style,
    /// By what numbers its gaits are made.
    pub settings: GaitSettings,
}

impl Body {
    /// Applies `style` to a creature and computes its modes. `data` becomes the memory of the changed creature.
    pub fn new(creature: Creature, data: &mut Data, style: &Style) -> Result<Self, GaitError> {
        Self::with_settings(creature, data, style, GaitSettings::default())
    }

    /// The same by other numbers than the usual ones.
    pub fn with_settings(
        mut creature: Creature,
        data: &mut Data,
        style: &Style,
        settings: GaitSettings,
    ) -> Result<Self, GaitError> {
        settings.check()?;
        let style = &style.posed(&creature, &settings.limits);
        let mut pose = style.bent_pose(&creature)?;
        if let Some(stiffness) = style.stiffness {
            set_uniform(&mut creature, stiffness)?;
        }
        for (pattern, factor) in &style.scale {
            Scale::new(pattern, *factor)?.apply(&mut creature)?;
        }
        let mut legs = Legs::new(&creature, data, &pose);
        let injured = injured_legs(&creature, &legs, &style.injured)?;
        for &leg in &injured {
            stiffen(&mut creature, &legs.legs[leg], &settings.style)?;
        }
        if factor("tension", style.tension)? != 1.0 {
            scale_springs(&mut creature, style.tension)?;
        }
        if factor("weight", style.weight)? != 1.0 {
            for body in 1..creature.bodies().len() {
                creature.scale_mass(body, style.weight).map_err(body_error)?;
            }
            sag(&creature, data, &legs, style.weight, &mut pose, &settings.style);
            legs = Legs::new(&creature, data, &pose);
        }
        creature.set_rest_pose(&pose).map_err(body_error)?;
        *data = Data::new(&creature); // it remembers inertias
        let constraints = style
            .constraints
            .iter()
            .map(|text| parse_constraint(&creature, data, &pose, text))
            .collect::<Result<_, _>>()?;
        let basis = analyze(&creature, data, &pose, &Settings { count: None, constraints })?;
        let class = classify(&creature, data, &ClassSettings::default());
        if !class.walks {
            legs = legs.put_aside();
        }
        let injured = injured.iter().filter_map(|&leg| Some(legs.legs.get(leg)?.name.clone())).collect();
        Ok(Self { creature, basis, legs, class, style: Style { injured, ..style.clone() }, settings })
    }
}

impl Body {
    /// The joint by which the whole body floats, or why there is none.
    pub(crate) fn free_root(&self) -> Result<&Joint, Remark> {
        let creature = &self.creature;
        let of_root = |joint: &&Joint| creature.bodies()[joint.body].parent == 0;
        let mut joints = creature.joints().iter().filter(of_root);
        if let Some(free) = joints.clone().find(|joint| joint.kind == JointKind::Free) {
            return Ok(free);
        }
        Err(match joints.next() {
            Some(joint) => format!(
                "it hangs on the world by joint {:?} and cannot float; give its trunk a free joint instead",
                joint.name
            )
            .into(),
            None => Remark::new("it is fixed to the world and cannot walk", Hint::FreeRoot),
        })
    }
}

/// A mode of one body, found again on another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Counterpart {
    /// Its number on the body that it comes from.
    pub old: usize,
    /// The number of the mode that is most like it.
    pub new: usize,
    /// Amplitude of the new mode per amplitude of the old one, at the same kinetic energy; negative where the shapes point
    /// opposite ways.
    pub factor: f64,
    /// |cosine| of the two shapes in the metric of the mass: 1 for the same shape. Below 0.7 the eye sees another motion.
    pub likeness: f64,
}

impl Body {
    /// The vibrations of this body that are most like `modes` of the body `from`: see [`counterparts`]. Both are bodies of one
    /// creature.
    pub fn counterparts(&self, from: &Self, modes: &[usize]) -> Vec<Counterpart> {
        counterparts(&self.creature, &self.basis, &from.basis, modes)
    }

    /// A gait of the body `from` on this one: the numbers of modes follow their shapes ([`Body::counterparts`]), which
    /// another style puts into another order. Also what a user should know: modes that this body does not have.
    pub fn follow(&self, from: &Self, gait: &Gait) -> (Gait, Vec<String>) {
        let mut used: Vec<usize> = gait.components.iter().map(|component| component.mode).collect();
        used.sort_unstable();
        used.dedup();
        let mut found = self.counterparts(from, &used);
        found.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
        let unlike = found.iter().filter(|pair| pair.likeness < self.settings.style.counterpart);
        let hints = unlike.map(|Counterpart { old, new, likeness, .. }| {
            let percent = 100.0 * likeness;
            format!(
                "mode {old} of the gait has no like on the changed body; mode {new} ({percent:.0} % of it) takes its place"
            )
        });
        let hints = hints.collect();
        let mut gait = Gait { style: self.style.clone(), ..gait.clone() };
        // The same elastic energy ½ k α² at another k, and every natural frequency with its root.
        let tenser = (self.style.tension / from.style.tension).sqrt();
        gait.frequency *= tenser;
        for component in &mut gait.components {
            component.amplitude /= tenser;
            if let Some(pair) = found.iter().find(|pair| pair.old == component.mode) {
                component.mode = pair.new;
                component.amplitude *= pair.factor;
                component.offset *= pair.factor;
            }
        }
        (gait, hints)
    }
}

#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn body_error(error: gambol_model::ModelError) -> GaitError {
    GaitError::Body(error.to_string())
}

impl Style {
    /// Where no pose is asked for, that of the file, unless joints are past their limits there: robots are drawn with straight legs, and stand
    /// in the first pose that their file names and that their joints can take.
    fn posed(&self, creature: &Creature, settings: &LimitSettings) -> Self {
        let possible = |pose: &[f64]| overshoot(creature, pose) <= settings.soft;
        let mut style = self.clone();
        if style.pose.is_none() && !possible(creature.reference_pose()) {
            style.pose =
                creature.poses().iter().find(|pose| possible(&pose.qpos)).map(|pose| pose.name.clone());
        }
        style
    }

    /// The rest pose by its name, before anything is bent.
    pub fn named_pose(&self, creature: &Creature) -> Result<Vec<f64>, GaitError> {
        let Some(name) = &self.pose else { return Ok(creature.reference_pose().to_vec()) };
        if let Some(pose) = creature.pose(name) {
            return Ok(pose.to_vec());
        }
        if name == REFERENCE {
            return Ok(creature.reference_pose().to_vec());
        }
        let (settings, asked) = (RunningSettings::default(), running_lean(name)?);
        let running = running_pose(creature, asked.unwrap_or(settings.lean_at(None)), &settings);
        let mut names = vec![REFERENCE];
        if let Some(pose) = running {
            if name == RUNNING || asked.is_some() {
                return Ok(pose);
            }
            names.push(RUNNING);
        }
        names.extend(creature.poses().iter().map(|pose| pose.name.as_str()));
        let message = format!("{} has no pose {name:?}; it has {}", creature.name(), names.join(", "));
        Err(GaitError::Body(message))
    }

    /// The same with all springs so many times as stiff.
    pub fn stiffer(&self, factor: f64) -> Self {
        let mut style = self.clone();
        if factor == 1.0 {
            return style;
        }
        if let Some(stiffness) = &mut style.stiffness {
            *stiffness *= factor;
        } else if let Some((_, all)) = style.scale.iter_mut().find(|(pattern, _)| pattern == ALL) {
            *all *= factor;
        } else {
            style.scale.push((ALL.to_owned(), factor));
        }
        style
    }

    /// The rest pose with its bends, before the weight makes it sag.
    pub fn bent_pose(&self, creature: &Creature) -> Result<Vec<f64>, GaitError> {
        let mut pose = self.named_pose(creature)?;
        bend(creature, &self.bend, &mut pose)?;
        Ok(pose)
    }
}

/// Bends joints of a pose by hand. Limits are left to the gait: who bends a joint sees where it is.
fn bend(creature: &Creature, bends: &[(String, Vec<f64>)], pose: &mut [f64]) -> Result<(), GaitError> {
    let mut turn = vec![0.0; creature.nv()];
    for (k, (name, by)) in bends.iter().enumerate() {
        let bad = |reason: String| Err(GaitError::Body(format!("bend of joint {name:?}: {reason}")));
        let Some(joint) = creature.joints().iter().find(|joint| joint.name == *name) else {
            return bad(format!("{} has no such joint", creature.name()));
        };
        let count = joint.kind.nv();
        if joint.kind == JointKind::Free {
            return bad("it is free: it moves the whole creature and bends nothing".to_owned());
        }
        if by.len() != count {
            let numbers = if count == 1 { "one number" } else { "three numbers, axis times angle" };
            return bad(format!("it takes {numbers}, not {}", by.len()));
        }
        if let Some(number) = by.iter().find(|number| !number.is_finite()) {
            return bad(format!("{number} is not a finite number"));
        }
        if bends[..k].iter().any(|(other, _)| other == name) {
            return bad("it is given twice".to_owned());
        }
        turn[joint.v..joint.v + count].copy_from_slice(by);
    }
    creature.integrate(pose, &turn, 1.0);
    Ok(())
}

/// A pattern that all joints match.
const ALL: &str = ".*";

/// What the reference pose is called.
const REFERENCE: &str = "reference";

/// What the pose is called in which a person runs ([`running_pose`]), at a usual speed or, as `running:12`, with a trunk
/// that leans ahead by so many degrees; a pose of the file with this name comes first.
const RUNNING: &str = "running";

/// Nobody leans further, degrees.
const MOST_LEAN: f64 = 60.0;

/// The lean that the name of a running pose asks for, rad; `None` for other names.
fn running_lean(name: &str) -> Result<Option<f64>, GaitError> {
    let Some(degrees) = name.strip_prefix(RUNNING).and_then(|rest| rest.strip_prefix(':')) else {
        return Ok(None);
    };
    match degrees.parse::<f64>() {
        Ok(degrees) if (0.0..=MOST_LEAN).contains(&degrees) => Ok(Some(degrees.to_radians())),
        _ => Err(GaitError::Body(format!(
            "pose {name:?}: the lean of the trunk is a number of degrees from 0 to {MOST_LEAN}, as in {RUNNING}:10"
        ))),
    }
}

impl Style {
    /// The style for a gait that a creature's file says nothing about: who can fold its wings does so on the ground and on the water, and
    /// people run with bent arms and knees. Who has a pose for it already, or no arms to bend, is as in the file.
    pub(crate) fn for_gait(creature: &Creature, gait: &str) -> Option<Self> {
        if creature.pose(FOLDED_WINGS).is_some() && !WINGED.contains(&gait) {
            return Some(Self { pose: Some(FOLDED_WINGS.to_owned()), ..Self::default() });
        }
        let runs = gait == RUN && running_pose(creature, 0.0, &RunningSettings::default()).is_some();
        runs.then(|| Self { pose: Some(RUNNING.to_owned()), ..Self::default() })
    }

    /// Who runs at a speed that was asked for leans as that speed has it.
    pub(crate) fn lean_for(&mut self, creature: &Creature, data: &mut Data, wish: &Wish) {
        let speed = wish.speed.or(wish.frequency.zip(wish.stride_length).map(|(f, stride)| f * stride));
        let is_ours = self.pose.as_deref() == Some(RUNNING) && creature.pose(RUNNING).is_none();
        let Some(speed) = speed.filter(|speed| is_ours && speed.is_finite()) else { return };
        let length = Legs::new(creature, data, creature.reference_pose()).length;
        let froude = speed * speed / (creature.gravity().norm() * length).max(f64::MIN_POSITIVE);
        let lean = RunningSettings::default().lean_at(Some(froude));
        self.pose = Some(format!("{RUNNING}:{:.1}", lean.to_degrees()));
    }
}

/// The gait that has a pose of its own on two legs.
const RUN: &str = "run";

fn factor(place: &str, factor: f64) -> Result<f64, GaitError> {
    if factor.is_finite() && factor > 0.0 {
        return Ok(factor);
    }
    let reason = format!("a factor of {factor} is not a finite number above 0");
    Err(GaitError::Number { place: place.to_owned(), reason })
}

/// The legs with these feet; `hind.left` is short for `foot.hind.left`.
fn injured_legs(creature: &Creature, legs: &Legs, feet: &[String]) -> Result<Vec<usize>, GaitError> {
    let mut found = Vec::new();
    for foot in feet {
        let is_it = |leg: &Leg| leg.name == *foot || leg.name.strip_prefix("foot.") == Some(foot);
        let Some(leg) = legs.legs.iter().position(is_it) else {
            let names: Vec<&str> = legs.legs.iter().map(|leg| leg.name.as_str()).collect();
            let has = if names.is_empty() {
                "it has no legs".into()
            } else {
                format!("it has {}", names.join(", "))
            };
            return Err(GaitError::Body(format!("{} has no foot {foot:?}; {has}", creature.name())));
        };
        if !found.contains(&leg) {
            found.push(leg);
        }
    }
    Ok(found)
}

fn stiffen(creature: &mut Creature, leg: &Leg, settings: &StyleSettings) -> Result<(), GaitError> {
    let hip = leg.joints.first().map(|&joint| creature.joints()[joint].body);
    for &index in &leg.joints {
        let joint = &creature.joints()[index];
        let factor =
            if Some(joint.body) == hip { settings.hurt_hip_stiffness } else { settings.hurt_stiffness };
        creature.set_stiffness(index, joint.stiffness * factor).map_err(body_error)?;
    }
    Ok(())
}

fn scale_springs(creature: &mut Creature, factor: f64) -> Result<(), GaitError> {
    for joint in 0..creature.joints().len() {
        let stiffness = creature.joints()[joint].stiffness * factor;
        creature.set_stiffness(joint, stiffness).map_err(body_error)?;
    }
    for tendon in 0..creature.tendons().len() {
        let stiffness = creature.tendons()[tendon].stiffness * factor;
        creature.set_tendon_stiffness(tendon, stiffness).map_err(body_error)?;
    }
    Ok(())
}

/// Lets a creature with `weight` times its mass crouch, or stretch up if it is lighter, its feet where they were.
///
/// A leg under the load F − 1 (the extra weight in units of its own) gives along the direction δ that costs least
/// elastic energy per bend of the knee, while its foot stays under the hip and stays flat. With H the foot's motion along
/// the ground and R its turn, per motion of the leg's joints,
///
/// ```text
/// minimise ½ δᵀ A δ,  A = K + κ HᵀH + ρ RᵀR,  subject to δ_knee = 1      ⇒  δ = A⁻¹ e / (eᵀ A⁻¹ e)
/// ```
///
/// The springs of a creature say which joint gives more than another, but they may be far from carrying its weight.
/// So the size of δ is not theirs: the hips sink by [`StyleSettings::sag_per_weight`] (F − 1) of the legs' length, to first order, and by nothing at
/// weight 1, where the pose is the posture of the animal in its own weight. It is linear in F, up to the joint limits.
/// All legs then give as much as the one that can give least, so that the trunk stays level: a leg that is straight
/// already keeps a lighter creature from stretching. A creature whose own constraints would break keeps its posture.
fn sag(
    creature: &Creature,
    data: &mut Data,
    legs: &Legs,
    weight: f64,
    pose: &mut Vec<f64>,
    settings: &StyleSettings,
) {
    let load = weight - 1.0;
    forward_kinematics(creature, data, pose);
    let gives: Option<Vec<Vec<f64>>> =
        legs.legs.iter().map(|leg| give(creature, data, legs, leg, pose, load, settings)).collect();
    let Some(gives) = gives else { return };
    let moved = |shares: &[f64]| {
        let mut moved = pose.clone();
        for (give, &share) in gives.iter().zip(shares) {
            creature.integrate(&mut moved, give, share);
        }
        moved
    };
    // How far each sole comes up while the hips stay; down, counted positive, if the creature is lighter.
    let before = sole_heights(creature, data, legs, pose);
    let mut gave = |shares: &[f64]| -> Vec<f64> {
        let after = sole_heights(creature, data, legs, &moved(shares));
        after.iter().zip(&before).map(|(after, before)| (after - before) * load.signum()).collect()
    };
    let most = gave(&vec![1.0; gives.len()]);
    let Some(common) = most.into_iter().reduce(f64::min).filter(|common| *common > 0.0) else { return };
    let mut sagged = moved(&shares_for(&mut gave, common, gives.len()));
    if let Some(root) = creature.joints().iter().find(|joint| joint.kind == JointKind::Free) {
        for (k, up) in legs.heading.up.iter().enumerate() {
            sagged[root.q + k] -= common * load.signum() * up;
        }
    }
    let own = creature.constraints();
    if own.is_empty() || constraint_residual(creature, data, &sagged, own).amax() < CROUCH_OPENS {
        *pose = sagged;
    }
}

/// What a crouch may open a closed loop by, m or rad: poses in files carry six digits.
const CROUCH_OPENS: f64 = 1e-5;

/// How a leg gives under the load, over all velocity coordinates and within the limits of its joints.
///
/// Needs `data.frames` and `data.axes` at the pose.
fn give(
    creature: &Creature,
    data: &Data,
    legs: &Legs,
    leg: &Leg,
    pose: &[f64],
    load: f64,
    settings: &StyleSettings,
) -> Option<Vec<f64>> {
    let (dofs, direction, rise) = crouch(creature, data, legs, leg, settings)?;
    let most = direction.amax();
    let straight = settings.bend_per_weight / most;
    let bend =
        if rise > 0.0 { (settings.sag_per_weight * legs.length / rise).min(straight) } else { straight };
    let bend = (load.abs() * bend).min(settings.most_give / most);
    let mut give = vec![0.0; creature.nv()];
    for (&dof, x) in dofs.iter().zip(direction.iter()) {
        give[dof] = bend.copysign(load) * x;
    }
    let excess = |joint: usize, pose: &[f64]| excess(creature, &creature.joints()[joint], pose);
    let within = |share: f64| {
        let mut moved = pose.to_vec();
        creature.integrate(&mut moved, &give, share);
        leg.joints.iter().all(|&joint| excess(joint, &moved) <= excess(joint, pose).max(0.0))
    };
    let share = if within(1.0) { 1.0 } else { bisect(1, |share| vec![within(share[0])])[0] };
    Some(give.into_iter().map(|x| x * share).collect())
}

/// The shares of 1 at which all feet come as near to their hips as `common`.
fn shares_for(gave: &mut impl FnMut(&[f64]) -> Vec<f64>, common: f64, feet: usize) -> Vec<f64> {
    bisect(feet, |shares| gave(shares).into_iter().map(|x| x <= common).collect())
}

/// For each of several numbers between 0 and 1 the largest that is small enough, where 0 is.
fn bisect(count: usize, mut is_small: impl FnMut(&[f64]) -> Vec<bool>) -> Vec<f64> {
    const BISECTIONS: i32 = 20; // six digits, a micrometre of a leg
    let mut low = vec![0.0; count];
    for halving in 1..=BISECTIONS {
        let step = math::powi(0.5, halving);
        let middle: Vec<f64> = low.iter().map(|x| x + step).collect();
        for (k, is_small) in is_small(&middle).into_iter().enumerate() {
            if is_small {
                low[k] = middle[k];
            }
        }
    }
    low
}

/// Height of each foot's lowest point, m.
fn sole_heights(creature: &Creature, data: &mut Data, legs: &Legs, pose: &[f64]) -> Vec<f64> {
    let frames = forward_kinematics(creature, data, pose);
    let up = legs.heading.up;
    let lowest = |leg: &Leg| {
        let heights = leg.sole.iter().map(|touch| touch.lowest_point(&frames[touch.body], up).dot(&up));
        heights.fold(f64::INFINITY, f64::min)
    };
    legs.legs.iter().map(lowest).collect()
}

/// Velocity coordinates of a leg, how they give per bend of the knee, and how far the foot comes up, m.
fn crouch(
    creature: &Creature,
    data: &Data,
    legs: &Legs,
    leg: &Leg,
    settings: &StyleSettings,
) -> Option<(Vec<usize>, DVector<f64>, f64)> {
    let springy: Vec<&Joint> = leg.joints.iter().map(|&joint| &creature.joints()[joint]).collect();
    let dofs: Vec<usize> = springy.iter().flat_map(|joint| joint.v..joint.v + joint.kind.nv()).collect();
    let stiffness: Vec<f64> =
        springy.iter().flat_map(|joint| vec![joint.stiffness; joint.kind.nv()]).collect();
    if dofs.is_empty() || stiffness.contains(&0.0) {
        return None;
    }
    let foot = data.frames[leg.foot].point_in_world(leg.point);
    let mut jacobian = DMatrix::zeros(6, creature.nv());
    body_jacobian(creature, data, leg.foot, foot, &mut jacobian);
    let jacobian = jacobian.select_columns(&dofs);
    let (turns, moves) = (jacobian.rows(0, 3), jacobian.rows(3, 3));
    let along = |rows: &nalgebra::DMatrixView<f64>, axis: gambol_model::Vec3| -> DVector<f64> {
        rows.tr_mul(&DVector::from_column_slice(axis.as_slice()))
    };
    let mean = stiffness.iter().sum::<f64>() / stiffness.len() as f64;
    let mut a = DMatrix::from_diagonal(&DVector::from_column_slice(&stiffness));
    let Heading { forward, left, up } = legs.heading;
    for axis in [forward, left] {
        let slide = along(&moves, axis);
        a.ger(mean / math::square(settings.foot_slides * legs.length), &slide, &slide, 1.0);
    }
    for axis in [forward, left, up] {
        let turn = along(&turns, axis);
        a.ger(mean / math::square(settings.foot_turns), &turn, &turn, 1.0);
    }
    let lifts = along(&moves, up);
    let factors = a.cholesky()?;
    let by_knee = leg.knee.and_then(|knee| {
        let place = dofs.iter().position(|&dof| dof == creature.joints()[knee].v)?;
        let mut load = DVector::zeros(dofs.len());
        load[place] = leg.bend;
        let give = factors.solve(&load);
        let give = &give / give[place].abs();
        (give.dot(&lifts) > -settings.straight_knee * legs.length).then_some(give)
    });
    // Without a knee, as a push from below bends the leg.
    let direction = by_knee.unwrap_or_else(|| {
        let give = factors.solve(&lifts);
        let most = give.amax();
        if most > 0.0 { give / most } else { give }
    });
    let rise = direction.dot(&lifts);
    Some((dofs, direction, rise))
}

/// How far a joint is past its limit, rad or m; negative inside.
fn excess(creature: &Creature, joint: &Joint, pose: &[f64]) -> f64 {
    let Some([low, high]) = joint.limit else { return f64::NEG_INFINITY };
    let place = match joint.kind {
        JointKind::Hinge | JointKind::Slide => pose[joint.q],
        JointKind::Ball => {
            let quat = |q: &[f64]| Quat::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
            let range = joint.q..joint.q + 4;
            return quat(&creature.reference_pose()[range.clone()]).angle_to(&quat(&pose[range])) - high;
        }
        JointKind::Free => return f64::NEG_INFINITY,
    };
    (low - place).max(place - high)
}

/// The vibrations `own` of a creature that are most like `modes` of its vibrations `from` (about another pose, with other
/// springs or constraints), in the order of `modes`.
///
/// Of all vibrations w, u becomes the one that is most like it in the metric of the mass at the pose of `own`, at the
/// same kinetic energy: α' = ±α ‖u‖ / ‖w‖, the sign that of ⟨u, w⟩. Each is taken once, and modes that are alike most
/// choose first. Rigid motions keep their numbers. A mode that `from` does not have, or that finds nothing left, has
/// no counterpart.
pub fn counterparts(creature: &Creature, own: &Basis, from: &Basis, modes: &[usize]) -> Vec<Counterpart> {
    let mut asked: Vec<usize> = modes.to_vec();
    asked.sort_unstable();
    asked.dedup();
    asked.retain(|&mode| mode >= from.rigid() && mode < from.directions().len());
    let mut data = Data::new(creature);
    prepare_mass(creature, &mut data, own.mean());
    let mut heavy = |shape: &[f64]| {
        let mut product = vec![0.0; shape.len()];
        multiply_mass(creature, &mut data, shape, &mut product);
        DVector::from_vec(product)
    };
    let shapes_of_new: Vec<_> = own
        .flexible()
        .iter()
        .map(|mode| {
            let w = DVector::from_column_slice(&mode.shape);
            let weight = heavy(w.as_slice()).dot(&w);
            (mode.index, w, weight)
        })
        .collect();
    let mut pairs = Vec::new();
    for &old in &asked {
        let u = DVector::from_column_slice(&from.directions()[old].shape);
        let mu = heavy(u.as_slice());
        let size = mu.dot(&u);
        for (new, w, weight) in &shapes_of_new {
            let along = mu.dot(w);
            let likeness = along.abs() / (size * weight).sqrt();
            pairs.push(Counterpart {
                old,
                new: *new,
                factor: (size / weight).sqrt().copysign(along),
                likeness,
            });
        }
    }
    pairs.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
    let is_rigid = |mode: usize| mode < from.rigid() && mode < own.rigid();
    let same = |mode: usize| Counterpart { old: mode, new: mode, factor: 1.0, likeness: 1.0 };
    let mut found: BTreeMap<usize, Counterpart> =
        modes.iter().filter(|&&mode| is_rigid(mode)).map(|&mode| (mode, same(mode))).collect();
    for pair in pairs {
        if !found.contains_key(&pair.old) && found.values().all(|taken| taken.new != pair.new) {
            found.insert(pair.old, pair);
        }
    }
    modes.iter().filter_map(|mode| found.get(mode).copied()).collect()
}
