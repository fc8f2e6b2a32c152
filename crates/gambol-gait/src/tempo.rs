//! How fast, how often, how far: strides by dynamic similarity.

use std::f64::consts::{PI, TAU};

use gambol_anatomy::footfall::{Order, Pattern};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::math;

use crate::feet::Bounce;
use crate::stance::Stance;
use crate::{Body, GaitError, Leg, Wish};

/// How fast, how often, how far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tempo {
    /// m/s
    pub(crate) speed: f64,
    /// Cycles per second.
    pub(crate) frequency: f64,
    /// m per cycle
    pub(crate) stride: f64,
    pub(crate) duty: f64,
}

impl Tempo {
    pub(crate) fn new(
        body: &Body,
        data: &mut Data,
        pattern: &Pattern,
        wish: &Wish,
    ) -> Result<Self, GaitError> {
        for (place, value) in
            [("speed", wish.speed), ("frequency", wish.frequency), ("stride length", wish.stride_length)]
        {
            // A speed of 0 is walking on the spot.
            let fits = |x: f64| x.is_finite() && (x > 0.0 || (x == 0.0 && place == "speed"));
            if let Some(bad) = value.filter(|x| !fits(*x)) {
                let reason = format!("{bad} is not a finite number above 0");
                return Err(GaitError::Number { place: place.to_owned(), reason });
            }
        }
        if let Some(duty) = wish.duty.filter(|duty| !(*duty > 0.0 && *duty < 1.0)) {
            let reason = format!("{duty} is not between 0 and 1");
            return Err(GaitError::Number { place: "duty".to_owned(), reason });
        }
        let settings = &body.settings.tempo;
        let gravity = Some(body.creature.gravity().norm()).filter(|g| *g > 0.0).unwrap_or(9.81);
        let height = body.legs.length.max(1e-6);
        let reach = reach(body, data);
        let in_place = pattern.froude == 0.0;
        let froude = |speed: f64| speed * speed / (gravity * height);
        let natural_stride = |speed: f64| {
            pattern.stride * settings.stride * math::powf(froude(speed), settings.stride_power) * reach
        };
        let usual_speed = (pattern.froude * gravity * height).sqrt();
        let usual_frequency = if in_place {
            settings.jump_frequency * (gravity / height).sqrt()
        } else {
            usual_speed / natural_stride(usual_speed)
        };
        // Stiffer springs swing faster, as their root: a tense creature takes shorter and quicker steps.
        let tense = body.style.tension.sqrt();
        let usual_frequency = tense * usual_frequency;
        let natural_stride = |speed: f64| natural_stride(speed) / tense;
        let (speed, frequency) = match (wish.speed, wish.frequency, wish.stride_length) {
            (Some(v), Some(f), Some(stride)) => {
                if (v - f * stride).abs() > settings.agree * v.max(f * stride) {
                    return Err(GaitError::Number {
                        place: "speed, frequency and stride length".to_owned(),
                        reason: format!("{f} /s times {stride} m is not {v} m/s; give two of the three"),
                    });
                }
                (v, f)
            }
            (Some(v), Some(f), None) => (v, f),
            (Some(v), None, Some(stride)) if v > 0.0 => (v, v / stride),
            (None, Some(f), Some(stride)) => (f * stride, f),
            // On the spot, and in jumps, the rhythm stays.
            (Some(v), None, _) if v == 0.0 || in_place => (v, usual_frequency),
            (Some(v), None, _) => (v, v / natural_stride(v)),
            // A frequency alone keeps the usual stride, a stride alone the usual frequency.
            (None, Some(f), None) => (f * usual_speed / usual_frequency, f),
            (None, None, Some(stride)) => (usual_frequency * stride, usual_frequency),
            (None, None, None) => (usual_speed, usual_frequency),
        };
        let faster = if in_place || speed == 0.0 { 1.0 } else { froude(speed) / pattern.froude };
        let [least, most] = pattern.duties;
        let duty =
            wish.duty.unwrap_or((pattern.duty * math::powf(faster, settings.duty_power)).clamp(least, most));
        // Long flights are high ones. Where nobody asked for them, steps are quickened until the legs can take them.
        let ours = wish.frequency.is_none() && wish.stride_length.is_none();
        let quick = if ours && !in_place { quickened(body, pattern, duty, gravity) } else { 0.0 };
        let runs = body.legs.pairs == 1 && pattern.order == Order::Alternating && duty < 0.5 && speed > 0.0;
        let cadence = if ours && runs { tense * settings.cadence * (gravity / height).sqrt() } else { 0.0 };
        let frequency = frequency.max(quick).max(cadence);
        Ok(Self { speed, frequency, stride: speed / frequency, duty })
    }

    /// X of the sinusoid that follows the ground best while the foot stands, m: the least-squares fit of X sin θ to
    /// λ θ/2π over |θ| ≤ a = π duty is X = (λ/2π) · 2 (sin a − a cos a) / (a − sin a cos a).
    pub(crate) fn swing(&self) -> f64 {
        let a = PI * self.duty;
        let (sine, cosine) = math::sin_cos(a);
        self.stride / TAU * 2.0 * (sine - a * cosine) / (a - sine * cosine)
    }
}

/// The least frequency at which the body bounces no higher than legs can take, cycles per second: the rise and fall under
/// pushes of animals goes with its inverse square.
fn quickened(body: &Body, pattern: &Pattern, duty: f64, gravity: f64) -> f64 {
    let of_leg = |(index, leg): (usize, &Leg)| {
        Stance::around(index, pattern.order.phase(leg.pair, body.legs.pairs, leg.side), duty)
    };
    let stances: Vec<Stance> = body.legs.legs.iter().enumerate().map(of_leg).collect();
    let at_one = Bounce::new(&stances, 1.0, gravity, body.settings.feet.push_humps).range();
    (at_one / (body.settings.tempo.highest_bounce * body.legs.length.max(1e-6))).sqrt()
}

/// The length that strides go by, m: a sprawled leg reaches further than its hip is high.
pub(crate) fn reach(body: &Body, data: &mut Data) -> f64 {
    span(body, data) * swings(body, data)
}

/// How far the legs swing along the way for their span, as a share of upright ones. A leg swings about its hip, so what
/// counts is its span across the way: a spider's first leg, which points ahead, must stretch to step further. All feet
/// take the same stride, so the least share counts.
fn swings(body: &Body, data: &mut Data) -> f64 {
    let frames = forward_kinematics(&body.creature, data, body.basis.mean());
    let share = |leg: &Leg| {
        let along = leg.hip - frames[leg.foot].point_in_world(leg.point);
        along.cross(&body.legs.heading.forward).norm()
            / (body.settings.tempo.upright * along.norm()).max(f64::MIN_POSITIVE)
    };
    body.legs.legs.iter().map(share).fold(1.0, f64::min)
}

/// Mean distance from hip to foot in the rest pose, m.
pub(crate) fn span(body: &Body, data: &mut Data) -> f64 {
    let frames = forward_kinematics(&body.creature, data, body.basis.mean());
    let legs = &body.legs.legs;
    let reach = legs.iter().map(|leg| (leg.hip - frames[leg.foot].point_in_world(leg.point)).norm());
    (reach.sum::<f64>() / legs.len().max(1) as f64).max(1e-6)
}
