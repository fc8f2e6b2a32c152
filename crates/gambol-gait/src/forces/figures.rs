//! Forces in a few numbers.

use std::f64::consts::TAU;

use gambol_dynamics::{Data, SupportSettings, center_of_mass, forward_kinematics};
use gambol_model::{Vec3, math};
use serde::Serialize;

use super::{FootForces, Forces, Meter, Moment};
use crate::Legs;

/// How far a clip is from what physics allows, and what it costs. Residuals are in body weights, and body weights × height of
/// the centre of mass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForceFigures {
    /// Force that nothing could give: root mean square over the clip.
    pub residual_force: f64,
    /// Moment that nothing could give: root mean square over the clip.
    pub residual_moment: f64,
    /// The largest residual force.
    pub worst_force: WorstResidual,
    /// The largest residual moment.
    pub worst_moment: WorstResidual,
    /// Mean height of the centre of mass over the ground, m.
    pub com_height: f64,
    /// From its lowest to its highest, as a share of `com_height`.
    pub com_swing: f64,
    /// When the centre of mass is lowest, in cycles of its own from the middle of the stances: 0 where it sinks over the standing
    /// legs, as in a run, ±0.5 where it vaults over them, as in a walk. `None` if it does not swing, or all feet stand always.
    pub com_phase: Option<f64>,
    /// The heaviest body from its lowest to its highest, as a share of its mean height.
    pub trunk_swing: f64,
    /// Over the ground, m/s.
    pub speed: f64,
    /// What the joints give, J per cycle of a loop or over the clip; power of opposite sign in two joints does not cancel.
    pub positive_work: f64,
    /// What the joints take, J, not negative.
    pub negative_work: f64,
    /// What the joints give per weight and way, as for a simulation. `None` for a creature that does not travel.
    pub cost_of_transport: Option<f64>,
}

/// Where a residual is largest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorstResidual {
    /// Body weights, or body weights × height of the centre of mass.
    pub value: f64,
    /// s
    pub time: f64,
    /// Share of the clip, 0 to 1.
    pub cycle: f64,
}

impl ForceFigures {
    /// Whether the centre of mass is lowest while feet stand, as it is when legs are springs.
    pub fn low_in_stance(&self) -> Option<bool> {
        self.com_phase.map(|phase| phase.abs() < 0.25)
    }
}

impl Forces {
    /// In plain words that and where the clip cannot be believed; `None` if it can. `believed` is the largest residual that is,
    /// [`crate::ForceSettings::believed`].
    pub fn doubt(&self, believed: f64) -> Option<String> {
        let figures = &self.figures;
        let (force, moment) = (figures.residual_force, figures.residual_moment);
        if force <= believed && moment <= believed {
            return None;
        }
        let (worst, unit) = if force >= moment {
            (figures.worst_force, "body weights")
        } else {
            (figures.worst_moment, "body weights × height")
        };
        Some(format!(
            "gravity would not believe it: {force:.2} body weights and a moment of {moment:.2} body weights × height would have \
             to come from nowhere (root mean square); the worst is {:.1} {unit} at {:.0} % of the clip",
            worst.value,
            100.0 * worst.cycle
        ))
    }
}

/// Heights over the ground at all keys.
pub(super) struct Heights {
    centers: Vec<Vec3>,
    /// Of the centre of mass, m.
    center: Vec<f64>,
    /// Of the heaviest body, m.
    trunk: Vec<f64>,
    /// How the ground moves, m/s.
    belt: Vec3,
    /// Length in which moments are told, m.
    pub(super) unit: f64,
}

impl Heights {
    pub(super) fn new(meter: &Meter, data: &mut Data, legs: &Legs) -> Self {
        let Meter { creature, ground, track, feet, .. } = meter;
        let bodies = creature.bodies();
        let heaviest = |a: &usize, b: &usize| bodies[*a].mass.mass.total_cmp(&bodies[*b].mass.mass);
        let trunk = (1..bodies.len()).max_by(heaviest).unwrap_or(0);
        let over = |point: Vec3| point.z - ground.height(point.x, point.y);
        // The ground of a recording may be anywhere: it is where the soles stand.
        let (mut soles, mut count) = (0.0, 0.0);
        let (mut centers, mut center, mut trunks) = (Vec::new(), Vec::new(), Vec::new());
        let mut places: Vec<Vec<Vec3>> = vec![Vec::new(); feet.len()];
        for key in 0..track.count {
            let here = meter.center(data, key);
            centers.push(here);
            center.push(over(here));
            trunks.push(over(data.frames[trunk].point_in_world(bodies[trunk].mass.com)));
            for (foot, places) in feet.iter().zip(&mut places) {
                places.push(data.frames[foot.planted.0].point_in_world(foot.planted.1));
                if foot.stands[key] {
                    let low = |touch: &gambol_dynamics::Touch| {
                        over(touch.lowest_point(&data.frames[touch.body], Vec3::z()))
                    };
                    soles += foot.sole.iter().map(low).fold(f64::INFINITY, f64::min);
                    count += 1.0;
                }
            }
        }
        let level = if count > 0.0 { soles / count } else { 0.0 };
        for height in center.iter_mut().chain(&mut trunks) {
            *height -= level;
        }
        let rest = creature.rest_pose();
        let standing = center_of_mass(creature, data, rest).dot(&legs.heading.up) - legs.ground;
        forward_kinematics(creature, data, rest);
        let mean = mean(&center);
        // In flight alone, or lying, the height over the ground says nothing about the size of the body.
        let sound = count > 0.0 && (legs.is_empty() || mean > 0.2 * standing);
        let unit = if sound { mean } else { standing };
        let belt = belt(meter, &places);
        Self { centers, center, trunk: trunks, belt, unit: if unit > 0.0 { unit } else { 1.0 } }
    }
}

/// Velocity of the ground: the median of that of feet that stand, m/s.
fn belt(meter: &Meter, places: &[Vec<Vec3>]) -> Vec3 {
    let track = &meter.track;
    let mut velocities: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for (foot, places) in meter.feet.iter().zip(places) {
        for key in 1..track.count {
            if foot.stands[key - 1] && foot.stands[key] {
                let velocity =
                    (places[key] - places[key - 1]) / (track.time(key, 0) - track.time(key - 1, 0));
                velocities[0].push(velocity.x);
                velocities[1].push(velocity.y);
            }
        }
    }
    let [x, y] = velocities.map(|mut numbers| {
        numbers.sort_by(f64::total_cmp);
        numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
    });
    Vec3::new(x, y, 0.0)
}

pub(super) fn summary(
    meter: &Meter,
    heights: &Heights,
    support: &SupportSettings,
    keys: std::ops::Range<usize>,
    moments: &[Moment],
    found_stances: bool,
) -> Forces {
    let Meter { track, settings, .. } = meter;
    let SupportSettings { weight, length, .. } = *support;
    let times: Vec<f64> = keys.clone().map(|key| track.time(key, 0)).collect();
    // What a key stands for, s: from the middle between it and the one before to that of the one after.
    let spans: Vec<f64> = keys.clone().map(|key| 0.5 * (track.time(key, 1) - track.time(key, -1))).collect();
    let residual_force: Vec<f64> = moments.iter().map(|m| m.residual.force.norm() / weight).collect();
    let residual_moment: Vec<f64> =
        moments.iter().map(|m| m.residual.moment.norm() / (weight * length)).collect();
    let whole: f64 = spans.iter().sum();
    let rms = |values: &[f64]| {
        (values.iter().zip(&spans).map(|(x, span)| x * x * span).sum::<f64>() / whole).sqrt()
    };
    let start = track.time(0, 0);
    let worst = |values: &[f64]| {
        let at = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
        let time = times[at];
        WorstResidual { value: values[at], time, cycle: ((time - start) / track.length()).clamp(0.0, 1.0) }
    };
    let work = |of: &dyn Fn(&Moment) -> f64| -> f64 {
        moments.iter().zip(&spans).map(|(m, span)| of(m) * span).sum()
    };
    let positive_work = work(&|m| 0.5 * (m.effort + m.power));
    let negative_work = work(&|m| 0.5 * (m.effort - m.power));
    let speed = speed(meter, heights);
    let leg_speed = (meter.creature.gravity().norm() * length).sqrt();
    let travels = speed > settings.travels * leg_speed;
    let figures = ForceFigures {
        residual_force: rms(&residual_force),
        residual_moment: rms(&residual_moment),
        worst_force: worst(&residual_force),
        worst_moment: worst(&residual_moment),
        com_height: mean(&heights.center),
        com_swing: swing(&heights.center) / length,
        com_phase: phase(meter, heights, length),
        trunk_swing: swing(&heights.trunk) / mean(&heights.trunk).abs().max(f64::MIN_POSITIVE),
        speed,
        positive_work,
        negative_work,
        cost_of_transport: travels.then(|| positive_work / (weight * speed * whole)),
    };
    let unbelieved =
        stretches(meter, &keys, |k| residual_force[k].max(residual_moment[k]) > settings.believed);
    Forces {
        feet: feet(meter, &keys, moments, &spans, weight),
        residual_force,
        residual_moment,
        center_of_pressure: moments.iter().map(|m| m.pressure).collect(),
        center_of_mass: heights.centers[keys].to_vec(),
        power: moments.iter().map(|m| m.power).collect(),
        unbelieved,
        found_stances,
        figures,
        times,
    }
}

fn feet(
    meter: &Meter,
    keys: &std::ops::Range<usize>,
    moments: &[Moment],
    spans: &[f64],
    weight: f64,
) -> Vec<FootForces> {
    let push = |index: usize| -> f64 {
        moments.iter().zip(spans).map(|(moment, span)| moment.forces[index].z * span).sum()
    };
    let all: f64 = (0..meter.feet.len()).map(push).sum();
    let whole: f64 = spans.iter().sum();
    let of_foot = |(index, foot): (usize, &super::Foot)| {
        let force: Vec<Vec3> = moments.iter().map(|moment| moment.forces[index] / weight).collect();
        let stands = foot.stands[keys.clone()].to_vec();
        let stood: f64 = stands.iter().zip(spans).filter(|(stands, _)| **stands).map(|(_, span)| span).sum();
        FootForces {
            name: foot.name.clone(),
            peak: force.iter().map(Vec3::norm).fold(0.0, f64::max),
            share: if all > 0.0 { push(index) / all } else { 0.0 },
            duty: stood / whole,
            force,
            stands,
        }
    };
    meter.feet.iter().enumerate().map(of_foot).collect()
}

/// Stretches of time in which `holds` of measured keys, s, half a key beyond the first and the last.
fn stretches(meter: &Meter, keys: &std::ops::Range<usize>, holds: impl Fn(usize) -> bool) -> Vec<[f64; 2]> {
    let track = &meter.track;
    let mut found: Vec<[f64; 2]> = Vec::new();
    let mut before = false;
    for (index, key) in keys.clone().enumerate() {
        let now = track.time(key, 0);
        let [from, to] = [-1, 1].map(|by| 0.5 * (now + track.time(key, by)));
        match found.last_mut() {
            Some(last) if before && holds(index) => last[1] = to,
            _ if holds(index) => found.push([from, to]),
            _ => {}
        }
        before = holds(index);
    }
    let (start, length) = (track.time(0, 0), track.length());
    let end = start + length;
    // Half a key before the start of a loop is half a key before its end.
    let over = found.first().map(|first| first[0]).filter(|from| *from < start);
    match (over, found.last_mut()) {
        (Some(from), Some(last)) if last[1] >= from + length => last[1] = end,
        (Some(from), Some(_)) => found.push([from + length, end]),
        _ => {}
    }
    found.into_iter().map(|[from, to]| [from.max(start), to.min(end)]).collect()
}

/// Over the ground, m/s: of the way that the centre of mass goes against the belt.
fn speed(meter: &Meter, heights: &Heights) -> f64 {
    let track = &meter.track;
    let length = track.length();
    if length <= 0.0 {
        return 0.0;
    }
    // Along the path of a turning loop, by chords between its keys a tenth apart: finer ones would count the sway too.
    let every = track.count.div_ceil(10).max(1);
    let mut way = 0.0;
    let mut key = 0;
    let place = |key: usize| -> Vec3 {
        if key < track.count {
            return heights.centers[key];
        }
        // The end of a loop is its start, moved on by the stride.
        let [x, y, z] = heights.centers[0].into();
        match track.turn() {
            Some(stride) => {
                let (sine, cosine) = math::sin_cos(stride.yaw);
                Vec3::new(cosine * x - sine * y, sine * x + cosine * y, z) + stride.shift
            }
            None => Vec3::new(x, y, z),
        }
    };
    let last = if track.loops() { track.count } else { track.count - 1 };
    let straight = track.turn().is_none_or(|stride| stride.yaw.abs() < 0.1);
    if straight {
        let mean = (place(last) - place(0)) / length - heights.belt;
        return mean.xy().norm();
    }
    while key < last {
        let next = (key + every).min(last);
        way += (place(next) - place(key)).xy().norm();
        key = next;
    }
    way / length
}

/// When the centre of mass is lowest, in cycles from the middle of the stances.
///
/// Any motion has its largest force where it is lowest, since m z̈ is that force: forces do not tell a run from a vault. Feet do.
/// Their load wave is the sum of a hump over each stance, cos(π (t − middle)/duration); its own cycle is the step, whether there
/// are one, two or four to a stride. With L = cos ωt and a height z = −A cos(ωt − ψ), lowest at the phase ψ,
///
/// ```text
/// Σ z L ∝ −cos ψ,   Σ z L̇/ω ∝ sin ψ,   ω² = Σ L̇² / Σ L²
/// ```
fn phase(meter: &Meter, heights: &Heights, unit: f64) -> Option<f64> {
    let track = &meter.track;
    if swing(&heights.center) < meter.settings.swings * unit {
        return None;
    }
    let load = load(meter);
    let keys: Vec<usize> = super::measured(track).collect();
    let middle = |values: &[f64]| keys.iter().map(|&key| values[key]).sum::<f64>() / keys.len() as f64;
    let (mean_load, mean_height) = (middle(&load), middle(&heights.center));
    let (mut with, mut against, mut square, mut slopes) = (0.0, 0.0, 0.0, 0.0);
    for &key in &keys {
        let (Some(before), Some(after)) = (track.neighbour(key, -1), track.neighbour(key, 1)) else {
            continue;
        };
        let slope = (load[after] - load[before]) / (track.time(key, 1) - track.time(key, -1));
        let (l, z) = (load[key] - mean_load, heights.center[key] - mean_height);
        with += z * l;
        against += z * slope;
        square += l * l;
        slopes += slope * slope;
    }
    if square <= 1e-12 || slopes <= 0.0 {
        return None;
    }
    let omega = (slopes / square).sqrt();
    let psi = math::atan2(against / omega, -with);
    Some(psi / TAU)
}

/// Per key: the sum of a hump for each foot that stands.
fn load(meter: &Meter) -> Vec<f64> {
    let track = &meter.track;
    let mut load = vec![0.0; track.count];
    for foot in &meter.feet {
        for key in (0..track.count).filter(|&key| foot.stands[key]) {
            let until = |by: isize| {
                let mut steps = 0;
                while steps < track.count
                    && track
                        .neighbour(key, by * (steps + 1).cast_signed())
                        .is_some_and(|near| foot.stands[near])
                {
                    steps += 1;
                }
                track.time(key, by * steps.cast_signed())
            };
            let [from, to] = [until(-1), until(1)];
            // Half a key beyond the first and the last that stands, where it comes and goes.
            let step = track.length() / track.count as f64;
            let share = (track.time(key, 0) - 0.5 * (from + to)) / (to - from + step);
            if to - from < track.length() {
                load[key] += math::cos(std::f64::consts::PI * share.clamp(-0.5, 0.5));
            }
        }
    }
    load
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn swing(values: &[f64]) -> f64 {
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    (high - low).max(0.0)
}
