//! Plays a gait: from modes to a clip with feet on the ground.

use gambol_dynamics::{Data, stiffness_matrix};
use gambol_model::{Creature, Vec3, math};
use gambol_modes::parse_constraint;
use gambol_motion::{Clip, Contact, Stride, Travel};
use serde::Serialize;

use crate::belly;
use crate::close::close;
use crate::feet::{Grounded, Slope, ground};
use crate::forces::{Forces, WorstResidual, forces};
use crate::limits::overshoot;
use crate::measure;
use crate::modal::ModalMotion;
use crate::path;
use crate::stance::Stance;
use crate::{Body, Gait, GaitError, Ground, Support, Terrain};

/// How long and how finely to sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// s, made a whole number of cycles; one cycle if not given.
    pub seconds: Option<f64>,
    /// Keys per second, made to divide the cycle.
    pub fps: f64,
}

/// A gait as it was played.
#[derive(Clone, Debug)]
pub struct Performance {
    /// First pose at time 0; the last one equals the first up to the stride.
    pub clip: Clip,
    /// What was measured on it.
    pub report: Report,
    /// The forces that one cycle of it takes, or the whole way on uneven ground; `None` if no feet carry it.
    pub forces: Option<Forces>,
    /// What a user should know: a speed beyond reach, a leg folded through itself.
    pub warnings: Vec<String>,
}

/// Measured on the finished poses, not taken from the parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename = "GaitReport")]
pub struct Report {
    /// m/s
    pub speed: f64,
    /// m per cycle
    pub stride_length: f64,
    /// Cycles per second.
    pub stride_frequency: f64,
    /// From front to hind, left before right.
    pub feet: Vec<FootReport>,
    /// Way of a standing foot along the ground: the worst, mm; `None` without feet on the ground.
    pub slip_mm: Option<f64>,
    /// The mean over all stances, mm.
    pub mean_slip_mm: Option<f64>,
    /// The worst slip in percent of the leg's length.
    pub slip_percent_leg: Option<f64>,
    /// How far a foot is at most from where it should be, mm: more than a little where legs do not reach.
    pub foot_miss_mm: Option<f64>,
    /// Depth of the lowest point below the ground, mm.
    pub penetration_mm: Option<f64>,
    /// Distance of last and first pose, less the stride: rad and m, the largest.
    pub loop_gap: f64,
    /// How far a joint is past its limit at most, rad (or m).
    pub limit_overshoot_rad: f64,
    /// Elastic energy of what the ground changed, as a share of that of the modal motion.
    pub ground_correction_energy: Option<f64>,
    /// Elastic energy of the motion along the vibrations of the gait, as a share of that of the whole motion: how much of its style comes
    /// from the body.
    pub modal_share: Option<f64>,
    /// v²/(g h); `None` for a legless creature.
    pub froude: Option<f64>,
    /// Force that no foot could give, body weights, root mean square ([`crate::ForceFigures::residual_force`]); this and all that
    /// follows is `None` without feet on the ground.
    pub residual_force: Option<f64>,
    /// Moment that no foot could give, body weights × height of the centre of mass, root mean square.
    pub residual_moment: Option<f64>,
    /// The largest residual force, and when.
    pub worst_force: Option<WorstResidual>,
    /// The largest residual moment, and when.
    pub worst_moment: Option<WorstResidual>,
    /// The centre of mass from its lowest to its highest, as a share of its mean height.
    pub com_swing: Option<f64>,
    /// When it is lowest, in cycles of its own from the middle of the stances: 0 in a run, ±0.5 in a stiff-legged walk.
    pub com_phase: Option<f64>,
    /// The heaviest body from its lowest to its highest, as a share of its mean height.
    pub trunk_swing: Option<f64>,
    /// What the joints give, J per cycle.
    pub positive_work: Option<f64>,
    /// What the joints take, J per cycle.
    pub negative_work: Option<f64>,
    /// What the joints give per weight and way.
    pub cost_of_transport: Option<f64>,
}

impl Report {
    /// Of a clip that nothing carries.
    pub(crate) fn of_clip(creature: &Creature, frequency: f64, clip: &Clip) -> Self {
        Self {
            speed: 0.0,
            stride_length: 0.0,
            stride_frequency: frequency,
            feet: Vec::new(),
            slip_mm: None,
            mean_slip_mm: None,
            slip_percent_leg: None,
            foot_miss_mm: None,
            penetration_mm: None,
            loop_gap: loop_gap(creature, clip),
            limit_overshoot_rad: largest_overshoot(creature, clip),
            ground_correction_energy: None,
            modal_share: None,
            froude: None,
            residual_force: None,
            residual_moment: None,
            worst_force: None,
            worst_moment: None,
            com_swing: None,
            com_phase: None,
            trunk_swing: None,
            positive_work: None,
            negative_work: None,
            cost_of_transport: None,
        }
    }

    /// With what was measured of the forces.
    pub(crate) fn with_forces(mut self, forces: &Forces) -> Self {
        for (report, foot) in self.feet.iter_mut().zip(&forces.feet) {
            report.peak_force = Some(foot.peak);
            report.load = Some(foot.share);
        }
        let figures = &forces.figures;
        Self {
            residual_force: Some(figures.residual_force),
            residual_moment: Some(figures.residual_moment),
            worst_force: Some(figures.worst_force),
            worst_moment: Some(figures.worst_moment),
            com_swing: Some(figures.com_swing),
            com_phase: figures.com_phase,
            trunk_swing: Some(figures.trunk_swing),
            positive_work: Some(figures.positive_work),
            negative_work: Some(figures.negative_work),
            cost_of_transport: figures.cost_of_transport,
            ..self
        }
    }
}

/// How one foot stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FootReport {
    /// Name of its landmark.
    pub name: String,
    /// Share of the cycle that it stands.
    pub duty: f64,
    /// Start and end in cycle fractions, 0 ≤ start < 1, start < end; the end is above 1 where it runs over the end.
    pub stance: Vec<[f64; 2]>,
    /// Worst way along the ground in stance, mm.
    pub slip_mm: f64,
    /// Largest force that it would take, body weights; `None` where none was measured.
    pub peak_force: Option<f64>,
    /// Its share of all vertical push.
    pub load: Option<f64>,
}

/// Most keys of a clip: ten minutes at 240 a second.
pub(crate) const MOST_CLIP_KEYS: usize = 144_000;

/// Plays `gait` on `body`.
pub fn perform(
    body: &Body,
    data: &mut Data,
    gait: &Gait,
    sampling: &Sampling,
) -> Result<Performance, GaitError> {
    check(gait, sampling)?;
    let steered = belly::steered(body, data, gait)?;
    let gait = steered.as_ref().unwrap_or(gait);
    let motion = ModalMotion::new(body, gait)?;
    let schedule = Schedule::new(gait, sampling)?;
    match gait.ground.support {
        Support::Air => in_air(body, data, gait, &motion, &schedule),
        Support::Feet | Support::Crouch => on_feet(body, data, gait, &motion, &schedule),
        Support::Belly { .. } | Support::Water { .. } | Support::Wings { .. } => {
            on_belly(body, data, gait, &motion, &schedule)
        }
        Support::Launch { .. } => belly::launch(body, data, gait, sampling.fps),
    }
}

/// When the keys are.
struct Schedule {
    /// Keys per cycle.
    per_cycle: usize,
    /// Whole cycles.
    cycles: usize,
    /// s between keys
    step: f64,
}

impl Schedule {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be small and positive
    fn new(gait: &Gait, sampling: &Sampling) -> Result<Self, GaitError> {
        /// Fewer keys than this do not show a stride.
        const FEWEST_CYCLE_KEYS: f64 = 4.0;
        let per_cycle = (sampling.fps / gait.frequency).round().max(FEWEST_CYCLE_KEYS);
        let cycles = sampling.seconds.map_or(1.0, |seconds| (seconds * gait.frequency).round().max(1.0));
        if per_cycle * cycles > MOST_CLIP_KEYS as f64 {
            return Err(GaitError::Number {
                place: "seconds × fps".to_owned(),
                reason: format!("{} keys are too many; at most {MOST_CLIP_KEYS}", per_cycle * cycles),
            });
        }
        let (per_cycle, cycles) = (per_cycle as usize, cycles as usize);
        Ok(Self { per_cycle, cycles, step: 1.0 / (gait.frequency * per_cycle as f64) })
    }

    fn keys(&self) -> usize {
        self.per_cycle * self.cycles + 1
    }

    fn times(&self) -> Vec<f64> {
        (0..self.keys()).map(|k| k as f64 * self.step).collect()
    }

    /// One cycle repeated, each time moved on by `stride`: what recurs is equal to the last bit, and so the loop closes.
    fn repeat(&self, creature: &Creature, cycle: &[Vec<f64>], stride: &Stride) -> Vec<Vec<f64>> {
        let mut poses: Vec<Vec<f64>> = cycle.to_vec();
        while poses.len() < self.keys() {
            let mut next = poses[poses.len() - self.per_cycle].clone();
            stride.apply(creature, &mut next);
            poses.push(next);
        }
        poses
    }

    /// In cycles, for one cycle or for all of them.
    fn cycles_of(&self, keys: usize) -> Vec<f64> {
        (0..keys).map(|k| k as f64 / self.per_cycle as f64).collect()
    }
}

/// Equation 4 and nothing else.
fn in_air(
    body: &Body,
    data: &mut Data,
    gait: &Gait,
    motion: &ModalMotion,
    schedule: &Schedule,
) -> Result<Performance, GaitError> {
    let mut cycle: Vec<Vec<f64>> =
        schedule.cycles_of(schedule.per_cycle).into_iter().map(|at| motion.pose(at)).collect();
    for pose in &mut cycle {
        close(&body.creature, data, pose)?;
    }
    let stay = Stride::NONE;
    let clip = finish(
        body,
        gait,
        schedule,
        schedule.repeat(&body.creature, &cycle, &stay),
        Some(stay),
        Vec::new(),
        0.0,
    );
    let report = Report::of_clip(&body.creature, gait.frequency, &clip);
    let warnings = overdone(body, data, motion, &clip);
    Ok(Performance { clip, report, forces: None, warnings })
}

fn on_feet(
    body: &Body,
    data: &mut Data,
    gait: &Gait,
    motion: &ModalMotion,
    schedule: &Schedule,
) -> Result<Performance, GaitError> {
    let creature = &body.creature;
    let slope = Slope::of(gait);
    let constraints = body
        .style
        .constraints
        .iter()
        .map(|text| parse_constraint(creature, data, body.basis.mean(), text))
        .collect::<Result<Vec<_>, _>>()?;
    // On a plane one cycle is all there is to know.
    let keys = if slope.is_some() { schedule.per_cycle } else { schedule.keys() };
    let Grounded { poses, modal, stances, path, miss } =
        ground(body, data, gait, motion, constraints, &schedule.cycles_of(keys), false)?;
    let stride = slope.map(|slope| slope.stride(path.after(1.0 / gait.frequency)));
    let stiffness = stiffness_matrix(creature).diagonal();
    let rest = std::iter::repeat(body.basis.mean());
    let changed =
        measure::elastic(creature, stiffness.as_slice(), modal.iter().map(Vec::as_slice).zip(&poses));
    let moved = measure::elastic(creature, stiffness.as_slice(), rest.zip(&modal));
    let modal_share = measure::modal_share(body, gait, &poses);
    let poses = match &stride {
        Some(stride) => schedule.repeat(creature, &poses, stride),
        None => poses,
    };
    // Who ends higher than it began does not begin again.
    let level = slope.is_some_and(|slope| slope.is_level());
    let closes = level.then(|| path.after(schedule.cycles as f64 / gait.frequency));
    let clip = finish(
        body,
        gait,
        schedule,
        poses,
        closes,
        contacts(body, &stances, gait.frequency, schedule),
        path.speed,
    );
    // On uneven ground feet are held by their level places.
    let normal = slope.map_or_else(Vec3::z, |slope| slope.normal());
    let slip = measure::slip(creature, data, &body.legs, &stances, &clip, gait.frequency, &normal);
    let (depth, deepest) = measure::penetration(creature, data, &gait.ground.terrain, &clip.poses);
    let g = creature.gravity().norm();
    let report = Report {
        speed: path.speed,
        stride_length: path.speed / gait.frequency,
        feet: slip.feet,
        slip_mm: Some(slip.worst * 1e3),
        mean_slip_mm: Some(slip.mean * 1e3),
        slip_percent_leg: Some(slip.share * 1e2),
        foot_miss_mm: Some(miss * 1e3),
        penetration_mm: Some(depth * 1e3),
        ground_correction_energy: Some(if moved > 0.0 { changed / moved } else { 0.0 }),
        modal_share,
        froude: (g > 0.0 && body.legs.length > 0.0).then(|| path.speed * path.speed / (g * body.legs.length)),
        ..Report::of_clip(creature, gait.frequency, &clip)
    };
    let mut warnings = overdone(body, data, motion, &clip);
    warnings.extend(not_carried(body, gait, slope.as_ref()));
    let cycle = stride.map(|stride| (schedule.per_cycle, stride));
    let measured = measure_forces(body, data, &gait.ground.terrain, &clip, cycle, &mut warnings);
    let report = match &measured {
        Some(forces) => report.with_forces(forces),
        None => report,
    };
    if miss > body.settings.warnings.reach * body.legs.length {
        warnings.push(format!(
            "a foot is {} from where it should stand: the legs do not reach; try a lower speed, a shorter stride or \
             smaller amplitudes",
            in_mm(miss)
        ));
    }
    if depth > body.settings.warnings.below_ground {
        let name = &creature.bodies()[deepest].name;
        warnings.push(format!("{name} is {} below the ground at most", in_mm(depth)));
    }
    Ok(Performance { clip, report, forces: measured, warnings })
}

/// The forces of a clip on feet; of its first cycle, if that many keys and a stride are all there is to know. Says why
/// where they cannot be told.
pub(crate) fn measure_forces(
    body: &Body,
    data: &mut Data,
    ground: &Terrain,
    clip: &Clip,
    cycle: Option<(usize, Stride)>,
    warnings: &mut Vec<String>,
) -> Option<Forces> {
    let cycle = cycle.map(|(keys, stride)| Clip { stride: Some(stride), ..clip.part(0, keys) });
    let (clip, settings) = (cycle.as_ref().unwrap_or(clip), &body.settings);
    let settings = (&settings.forces, &settings.stances);
    forces(&body.creature, data, &body.legs, ground, clip, settings)
        .inspect_err(|reason| warnings.push(format!("what forces it takes cannot be told: {reason}")))
        .ok()
}

/// A length for a message: two digits are enough.
pub(crate) fn in_mm(length: f64) -> String {
    match length * 1e3 {
        mm if mm >= 10.0 => format!("{mm:.0} mm"),
        mm if mm >= 0.1 => format!("{mm:.1} mm"),
        mm => format!("{mm:.2e} mm"),
    }
}

/// What amplitudes are too large for: legs that fold through themselves, joints that are asked for far more than they can.
fn overdone(body: &Body, data: &mut Data, motion: &ModalMotion, clip: &Clip) -> Vec<String> {
    let mut warnings = measure::folded(body, data, clip);
    if let Some((joint, past)) = measure::demanded(&body.creature, motion, body.settings.warnings.beyond) {
        warnings.push(format!(
            "amplitudes take joint {joint:?} {:.0}° past its limit, where it is held; try smaller ones",
            past.to_degrees()
        ));
    }
    warnings
}

/// Why the pushes of its feet do not carry a body over the ground of `gait`.
fn not_carried(body: &Body, gait: &Gait, slope: Option<&Slope>) -> Option<String> {
    let friction = body.settings.obey.friction;
    match (&gait.ground.terrain, slope) {
        (Terrain::Slope(angle), Some(slope)) if !slope.holds(friction) => Some(format!(
            "feet do not hold on a slope of {:.0}°: with a friction of {friction} they slide beyond {:.0}°",
            angle.abs().to_degrees(),
            math::atan(friction).to_degrees()
        )),
        (Terrain::Slope(_), None) => Some(
            "who turns on a slope stands and tilts as it does, and is not carried by its pushes; straight on it would be"
                .to_owned(),
        ),
        (Terrain::Field(_) | Terrain::Course(_), _) => Some(
            "on uneven ground feet stand and bodies tilt, but their pushes do not carry them".to_owned(),
        ),
        _ => None,
    }
}

/// A body without legs, carried by friction or drag.
fn on_belly(
    body: &Body,
    data: &mut Data,
    gait: &Gait,
    motion: &ModalMotion,
    schedule: &Schedule,
) -> Result<Performance, GaitError> {
    let creature = &body.creature;
    let finer = body.settings.waves.samples.div_ceil(schedule.per_cycle);
    let samples = finer * schedule.per_cycle;
    let mut cycle: Vec<Vec<f64>> = (0..samples).map(|k| motion.pose(k as f64 / samples as f64)).collect();
    for pose in &mut cycle {
        close(creature, data, pose)?;
    }
    let lies = matches!(gait.ground.support, Support::Belly { .. });
    let way = if lies { belly::Way::STRAIGHT } else { belly::Way::of(&gait.ground) };
    let carried = belly::carry_along(
        creature,
        data,
        &body.legs.heading,
        &cycle,
        1.0 / gait.frequency,
        (gait.ground.support, way),
        &body.settings,
    )?;
    // What rolls over needs more than one cycle to come back to its first pose.
    let whole = Schedule {
        per_cycle: schedule.per_cycle * carried.periods,
        cycles: schedule.cycles.div_ceil(carried.periods),
        step: schedule.step,
    };
    let keys: Vec<Vec<f64>> = carried.poses.into_iter().step_by(finer).collect();
    let poses = whole.repeat(creature, &keys, &carried.stride);
    let mut stride = Stride::NONE;
    for _ in 0..whole.cycles {
        stride = Stride {
            yaw: stride.yaw + carried.stride.yaw,
            shift: path::moved(&carried.stride, stride.shift),
        };
    }
    let speed = carried.figures.speed;
    let clip = finish(body, gait, &whole, poses, Some(stride), Vec::new(), speed);
    let (depth, _) = measure::penetration(creature, data, &Terrain::Flat, &clip.poses);
    let report = Report {
        speed,
        stride_length: speed / gait.frequency,
        penetration_mm: lies.then_some(depth * 1e3),
        residual_force: matches!(gait.ground.support, Support::Wings { .. })
            .then_some(carried.figures.missing),
        ..Report::of_clip(creature, gait.frequency, &clip)
    };
    let mut warnings = Vec::new();
    let uneven = matches!(gait.ground.terrain, Terrain::Field(_) | Terrain::Course(_));
    if lies && (gait.ground.terrain != Terrain::Flat || gait.ground.turn != 0.0) {
        warnings.push(
            "slopes and turns are for who walks, swims or flies; this one goes straight on the level"
                .to_owned(),
        );
    } else if uneven {
        warnings.push("uneven ground is for creatures with legs; this one goes above it".to_owned());
    }
    if gait.ground.speed.is_some() {
        warnings.push(
            "without legs the speed follows from the frequency; the one in the gait is not used".to_owned(),
        );
    }
    Ok(Performance { clip, report, forces: None, warnings })
}

fn contacts(body: &Body, stances: &[Stance], frequency: f64, schedule: &Schedule) -> Vec<Contact> {
    let duration = schedule.cycles as f64 / frequency;
    let mut contacts = Vec::new();
    for (index, leg) in body.legs.legs.iter().enumerate() {
        let mut intervals: Vec<[f64; 2]> = Vec::new();
        for stance in stances.iter().filter(|stance| stance.leg == index) {
            let mut number = -1.0;
            while number < schedule.cycles as f64 {
                let [start, end] =
                    [stance.start + number, stance.end + number].map(|cycle| cycle / frequency);
                let [start, end] = [start.max(0.0), end.min(duration)];
                if start < end {
                    intervals.push([start, end]);
                }
                number += 1.0;
            }
        }
        intervals.sort_by(|a, b| a[0].total_cmp(&b[0]));
        contacts.push(Contact { name: leg.name.clone(), body: leg.foot, point: leg.point, intervals });
    }
    contacts
}

fn finish(
    body: &Body,
    gait: &Gait,
    schedule: &Schedule,
    poses: Vec<Vec<f64>>,
    stride: Option<Stride>,
    contacts: Vec<Contact>,
    speed: f64,
) -> Clip {
    let travel = Travel { speed, stride_length: speed / gait.frequency, stride_frequency: gait.frequency };
    let mut clip = Clip {
        name: gait.name.clone(),
        times: schedule.times(),
        poses,
        stride,
        contacts,
        travel: Some(travel),
    };
    clip.align_signs(&body.creature);
    clip
}

/// Largest difference of the last pose from the first moved by the stride.
fn loop_gap(creature: &Creature, clip: &Clip) -> f64 {
    let (Some(first), Some(last), Some(stride)) = (clip.poses.first(), clip.poses.last(), clip.stride) else {
        return 0.0;
    };
    let mut moved = first.clone();
    stride.apply(creature, &mut moved);
    let mut gap = vec![0.0; creature.nv()];
    creature.difference(&moved, last, &mut gap);
    gap.iter().map(|x| x.abs()).fold(0.0, f64::max)
}

fn largest_overshoot(creature: &Creature, clip: &Clip) -> f64 {
    clip.poses.iter().map(|pose| overshoot(creature, pose)).fold(0.0, f64::max)
}

/// Numbers that make no sense end here.
fn check(gait: &Gait, sampling: &Sampling) -> Result<(), GaitError> {
    let bad = |place: &str, reason: String| Err(GaitError::Number { place: place.to_owned(), reason });
    let positive = |x: f64| x.is_finite() && x > 0.0;
    if !positive(gait.frequency) {
        return bad("frequency", format!("{} Hz is not a positive number", gait.frequency));
    }
    if !positive(sampling.fps) {
        return bad("fps", format!("{} is not a positive number", sampling.fps));
    }
    if let Some(seconds) = sampling.seconds.filter(|&seconds| !positive(seconds)) {
        return bad("seconds", format!("{seconds} is not a positive number"));
    }
    let Ground { duty, speed, turn, clearance, .. } = &gait.ground;
    let legged = matches!(gait.ground.support, Support::Feet | Support::Crouch);
    if legged && !(*duty > 0.0 && *duty < 1.0) {
        return bad("duty", format!("{duty} is not between 0 and 1"));
    }
    if let Some(speed) = speed.filter(|speed| !speed.is_finite()) {
        return bad("speed", format!("{speed} is not a number"));
    }
    if !turn.is_finite() || !clearance.is_finite() || *clearance < 0.0 {
        return bad("ground", "turn and clearance must be finite, clearance at least 0".to_owned());
    }
    if let Some((foot, phase)) = gait.ground.footfalls.iter().find(|(_, phase)| !phase.is_finite()) {
        return bad(&format!("footfall of {foot}"), format!("{phase} is not a number"));
    }
    for (k, component) in gait.components.iter().enumerate() {
        let numbers = [component.amplitude, component.phase, component.offset];
        if numbers.iter().any(|x| !x.is_finite()) || component.harmonic == 0 {
            return bad(
                &format!("component {}", k + 1),
                "its numbers must be finite, its harmonic 1 or more".to_owned(),
            );
        }
    }
    Ok(())
}
