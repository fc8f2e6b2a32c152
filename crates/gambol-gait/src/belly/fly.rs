//! Through air or water by wings: the forces on their blades move the whole.
//!
//! Quasi-steady blade elements: a blade has the lift and drag that it would have in a steady stream of its own speed and angle.
//! Large wings have those of a lifting line until they stall; coefficients of insects are by Dickinson, Lehmann and Sane 1999 (Wing
//! rotation and the aerodynamic basis of insect flight, Science 284), as measured on a flapping wing at all angles:
//!
//! ```text
//! C_L = 0.225 + 1.58 sin(2.13 α − 7.2°),   C_D = 1.92 − 1.55 cos(2.04 α − 9.82°)
//! ```
//!
//! The centre of mass is moved by what these add up to, less weight and the drag of the trunk, about a mean speed that is given; the
//! body keeps its pitch, as tails and the turns of wings hold it. Inertia of the air that a wing moves is left out.

use gambol_anatomy::{Blade, ClassSettings, Legs, blades, classify, oars, wings};
use gambol_dynamics::Data;
use gambol_model::{Quat, Transform, Vec3, math};
use gambol_motion::Stride;
use nalgebra::{Point3, Translation3, Unit};

use super::balance::derivative;
use super::path::{Path, Slip};
use super::scene::BellyScene;
use super::swim::off_the_bottom;
use crate::{FlightSettings, GaitError};

/// What beats, and what it beats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Flow {
    /// Mean speed ahead, m/s.
    pub(crate) speed: f64,
    /// Mean speed upwards, m/s.
    pub(crate) climb: f64,
    /// How far the body points up, rad.
    pub(crate) pitch: f64,
    /// Of air or water, kg/m³.
    pub(crate) density: f64,
}

impl Flow {
    /// Whether it floats by itself.
    pub(crate) fn is_water(&self, settings: &FlightSettings) -> bool {
        self.density > 0.5 * settings.water
    }
}

/// Force of the medium on blades and trunk at every sample, in the world, N.
pub(super) fn forces(scene: &BellyScene, flow: &Flow) -> Result<Vec<Vec3>, GaitError> {
    let air = Air::new(scene, flow)?;
    Ok((0..scene.samples()).map(|k| air.force(k, flow)).collect())
}

/// What the medium does to a body in its scene.
pub(super) struct Air<'s> {
    scene: &'s BellyScene<'s>,
    blades: Vec<Blade>,
    foil: Foil,
}

impl<'s> Air<'s> {
    pub(super) fn new(scene: &'s BellyScene<'s>, flow: &Flow) -> Result<Self, GaitError> {
        let (blades, foil) = all_blades(scene, flow)?;
        Ok(Self { scene, blades, foil })
    }

    /// Force on blades and trunk at a sample, in the world, N.
    pub(super) fn force(&self, k: usize, flow: &Flow) -> Vec3 {
        let (scene, n) = (self.scene, self.scene.samples());
        let upright = nose_up(scene, flow.pitch);
        let forward = scene.left.cross(&Vec3::z());
        let of_blade = |blade: &Blade| {
            let at =
                |k: usize| upright * (scene.frames[k % n][blade.body] * Point3::from(blade.point)).coords;
            let velocity = derivative([k + n - 2, k + n - 1, k + 1, k + 2].map(at), scene.step);
            let turn = upright * scene.frames[k][blade.body].rotation;
            let goes = forward * flow.speed + Vec3::z() * flow.climb;
            let force = blade_force(blade, &self.foil, velocity + goes, &turn, flow.density);
            if (velocity + goes).dot(&forward) > 0.0 { force * self.foil.ahead } else { force }
        };
        self.blades.iter().map(of_blade).sum::<Vec3>() - forward * trunk_drag(scene, flow)
    }
}

/// The turn that lifts the nose by `pitch`.
pub(super) fn nose_up(scene: &BellyScene, pitch: f64) -> Quat {
    Quat::from_axis_angle(&Unit::new_normalize(scene.left), -pitch)
}

fn all_blades(scene: &BellyScene, flow: &Flow) -> Result<(Vec<Blade>, Foil), GaitError> {
    let mut data = Data::new(scene.creature);
    if flow.is_water(&scene.settings.flight)
        && classify(scene.creature, &mut data, &ClassSettings::default()).walks
    {
        return all_oars(scene, &mut data);
    }
    let wings = wings(scene.creature, &mut data);
    let all: Vec<Blade> = wings.iter().flat_map(|wing| blades(scene.creature, &mut data, wing)).collect();
    if all.is_empty() {
        return Err(GaitError::Body(format!("{} has no wings to beat", scene.creature.name())));
    }
    let area: f64 = all.iter().map(|blade| blade.chord * blade.width).sum();
    let length = wings.iter().map(|wing| wing.length).fold(0.0, f64::max);
    // Of one pair: span² / area.
    let aspect = 2.0 * wings.len() as f64 * length * length / area.max(f64::MIN_POSITIVE);
    let settings = &scene.settings.flight;
    let insect = length < settings.insect;
    Ok((all, Foil { aspect, insect, stall: settings.stall, ahead: 1.0 }))
}

/// Legs that row. They are no wings: whatever their angle, water has left them.
fn all_oars(scene: &BellyScene, data: &mut Data) -> Result<(Vec<Blade>, Foil), GaitError> {
    let legs = Legs::new(scene.creature, data, scene.creature.reference_pose());
    let all: Vec<Blade> = legs.legs.iter().flat_map(|leg| oars(scene.creature, data, &legs, leg)).collect();
    if all.is_empty() {
        return Err(GaitError::Body(format!("{} has no legs to row with", scene.creature.name())));
    }
    let stall = [f64::MIN_POSITIVE, 2.0 * f64::MIN_POSITIVE];
    Ok((all, Foil { aspect: 1.0, insect: false, stall, ahead: scene.settings.row.closed }))
}

/// What a blade's angle does.
struct Foil {
    /// Span² / area.
    aspect: f64,
    /// It is small and slow enough that air is thick for it.
    insect: bool,
    /// Angles at which it begins and ends to stall, rad.
    stall: [f64; 2],
    /// Share of the force on what moves ahead: a wing is the same on both ways, a paw closes.
    ahead: f64,
}

impl Foil {
    /// Of lift and drag at an angle from 0 to a right one, rad.
    fn coefficients(&self, angle: f64) -> [f64; 2] {
        let (sine, cosine) = math::sin_cos(angle);
        if self.insect {
            // Dickinson, Lehmann and Sane 1999, note 26; angles in degrees.
            let degrees = angle.to_degrees();
            let lift = 0.225 + 1.58 * math::sin((2.13 * degrees - 7.2).to_radians());
            return [lift, 1.92 - 1.55 * math::cos((2.04 * degrees - 9.82).to_radians())];
        }
        // A plate that the air has left: a push of 1.8 sin α square to it (Hoerner 1965).
        let stalled = [1.8 * sine * cosine, 0.02 + 1.8 * sine * sine];
        // Prandtl's lifting line: slope 2π / (1 + 2/A), induced drag C_L² / (π A e) with e = 0.9; skin 0.02 (Pennycuick 2008).
        let lift = std::f64::consts::TAU / (1.0 + 2.0 / self.aspect) * sine;
        let attached = [lift, 0.02 + lift * lift / (std::f64::consts::PI * self.aspect * 0.9)];
        let [begins, ends] = self.stall;
        let left = ((angle - begins) / (ends - begins)).clamp(0.0, 1.0);
        [0, 1].map(|k| attached[k] + left * (stalled[k] - attached[k]))
    }
}

/// Lift and drag of a blade that moves at `velocity` through the medium at rest.
fn blade_force(blade: &Blade, foil: &Foil, velocity: Vec3, turn: &Quat, density: f64) -> Vec3 {
    let (span, ahead) = (turn * blade.span, turn * blade.ahead);
    let stream = velocity - span * span.dot(&velocity); // what goes along the span does nothing
    let Some(along) = stream.try_normalize(1e-9) else { return Vec3::zeros() };
    let normal = span.cross(&ahead);
    // The angle between the blade and its way, whichever edge leads and whichever face is hit.
    let sine = along.dot(&normal).abs().min(1.0);
    let [lift, drag] = foil.coefficients(math::asin(sine));
    // Lift is square to the way, on the side that the blade is pushed to.
    let pushed = -normal * along.dot(&normal).signum();
    let up = (pushed - along * along.dot(&pushed)).try_normalize(1e-9).unwrap_or_else(Vec3::zeros);
    (up * lift - along * drag) * (0.5 * density * stream.norm_squared() * blade.chord * blade.width)
}

/// Drag of what is no wing, N.
fn trunk_drag(scene: &BellyScene, flow: &Flow) -> f64 {
    let settings = &scene.settings.flight;
    // As thick as water of its mass along its length.
    let area = settings.frontal * math::powf(scene.creature.mass() / settings.water, 2.0 / 3.0);
    let coefficient = if flow.is_water(settings) { settings.water_drag } else { settings.air_drag };
    0.5 * flow.density * flow.speed * flow.speed.abs() * area * coefficient
}

/// Weight that wings have to carry, N upwards.
pub(super) fn weight(scene: &BellyScene, flow: &Flow) -> Vec3 {
    let lifted = if flow.is_water(&scene.settings.flight) { 0.0 } else { scene.creature.gravity().norm() };
    Vec3::z() * (lifted * scene.creature.mass())
}

/// The mean of what moves it less its weight, in weights: nothing for a flight that goes on as it is.
pub(super) fn missing(scene: &BellyScene, flow: &Flow) -> Result<Vec3, GaitError> {
    let forces = forces(scene, flow)?;
    let mean = forces.iter().sum::<Vec3>() / forces.len() as f64;
    Ok((mean - weight(scene, flow)) / in_weights(scene))
}

fn in_weights(scene: &BellyScene) -> f64 {
    (scene.creature.gravity().norm() * scene.creature.mass()).max(f64::MIN_POSITIVE)
}

/// The path of the centre of mass: a mean speed, and what the beats add to it. `demand` is what a turn or a climb asks of the air beyond
/// the weight, ahead and upwards, in weights; water carries whoever turns in it.
pub(super) fn path(scene: &BellyScene, flow: &Flow, demand: [f64; 2]) -> Result<Path, GaitError> {
    let forces = forces(scene, flow)?;
    let n = forces.len();
    let mean = forces.iter().sum::<Vec3>() / n as f64;
    let pushes: Vec<Vec3> = forces.iter().map(|force| (force - mean) / scene.creature.mass()).collect();
    let sway = integrated(&integrated(&pushes, scene.step), scene.step);
    let forward = scene.left.cross(&Vec3::z());
    let turn = nose_up(scene, flow.pitch);
    let base = scene.given.iter().map(|frame| frame.translation.vector).sum::<Vec3>() / n as f64;
    let place = |(k, sway): (usize, &Vec3)| {
        let ahead = forward * (flow.speed * scene.step * k as f64);
        Transform::from_parts(Translation3::from(base + ahead + sway), turn)
    };
    let frames = sway.iter().enumerate().map(place).collect();
    let stride = Stride { yaw: 0.0, shift: forward * (flow.speed * scene.step * n as f64) };
    let demanded = if flow.is_water(&scene.settings.flight) {
        Vec3::zeros()
    } else {
        forward * demand[0] + Vec3::z() * demand[1]
    };
    let mut lacks = (mean - weight(scene, flow)) / in_weights(scene) - demanded;
    if flow.is_water(&scene.settings.flight) {
        lacks.z = 0.0; // lungs are filled so that it keeps its depth
    }
    let slip = Slip { missing: lacks.norm(), ..Slip::default() };
    Ok(Path { world_from_float: off_the_bottom(scene, frames), stride, slip })
}

/// The integral of a periodic series that comes back, with a mean of nothing.
fn integrated(series: &[Vec3], step: f64) -> Vec<Vec3> {
    let n = series.len();
    let mean = series.iter().sum::<Vec3>() / n as f64;
    let mut sum = Vec3::zeros();
    let mut out = Vec::with_capacity(n);
    for k in 0..n {
        out.push(sum);
        sum += (series[k] + series[(k + 1) % n] - mean * 2.0) * (0.5 * step);
    }
    let mean = out.iter().sum::<Vec3>() / n as f64;
    out.iter().map(|x| x - mean).collect()
}
