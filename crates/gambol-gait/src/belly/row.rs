//! Rowing with legs: a dog's paddle, a frog's kick.
//!
//! ```text
//! hip   back by o − Θ cos ωt          from ahead to behind while it pushes, and forward again
//! knee  folds by ½ K (1 − sin ωt)     stretched in the middle of the push, folded in the middle of the way back
//! push  Σ ½ ρ C A |v⊥| v⊥             of all parts of the legs, v⊥ their speed across themselves (Hoerner 1965, cross-flow)
//! ```
//!
//! The speed is that at which the mean push equals the drag of the trunk. Frogs, hares and all whose hind legs are folded to leap kick with
//! both of these and lay the front ones back; others row with diagonal pairs in turn, as dogs do.

use std::collections::BTreeMap;

use gambol_anatomy::footfall::{LeapSettings, leaps};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Side, Vec3, math};
use nalgebra::Point3;

use super::balance::derivative;
use super::design::sampled;
use super::fly::{Flow, trunk_drag};
use super::scene::BellyScene;
use super::stroke::{modal_parts, turn};
use crate::{Body, Component, Design, Gait, GaitError, Ground, Leg, RowSettings, Support, Terrain, Wish};

/// Whether this body swims by rowing with its legs.
pub(crate) fn is_rowed(body: &Body, name: &str) -> bool {
    name == "swim" && body.class.rows && !body.legs.is_empty()
}

/// The gait `swim` of a body with legs.
pub(crate) fn design_rowed(body: &Body, data: &mut Data, wish: &Wish) -> Result<Design, GaitError> {
    let misfit = |reason: String| GaitError::DoesNotFit {
        creature: body.creature.name().to_owned(),
        gait: "swim".to_owned(),
        reason: reason.into(),
    };
    body.free_root().map_err(|reason| misfit(reason.to_string()))?;
    let settings = &body.settings.row;
    let components = strokes(body, data, settings);
    let beat = settings.beat / body.legs.length.max(f64::MIN_POSITIVE).sqrt();
    let poses = sampled(body, data, &components, body.settings.waves.samples / 2)?;
    // Push and drag both grow with the square of speeds: the way per stroke is the same at any beat.
    let way = {
        let period = 1.0 / beat;
        let scene =
            BellyScene::new(&body.creature, data, &body.legs.heading, &poses, period, &body.settings)?;
        Oars::new(&scene, body).speed() * period
    };
    if way <= 0.0 {
        return Err(misfit("its legs do not push it ahead".to_owned()));
    }
    let frequency = wish.frequency.or(wish.speed.map(|speed| speed / way)).unwrap_or(beat);
    let gait = Gait {
        name: "swim".to_owned(),
        creature: Some(body.creature.name().to_owned()),
        style: body.style.clone(),
        frequency,
        components,
        ground: Ground {
            support: Support::Water { across: body.settings.waves.swim_across, advance: Some(way) },
            duty: 1.0,
            speed: None,
            turn: 0.0,
            clearance: 0.0,
            footfalls: BTreeMap::new(),
            terrain: Terrain::Flat,
        },
    };
    Ok(Design { gait, hints: Vec::new() })
}

/// The strokes of all legs as a sum of modes.
fn strokes(body: &Body, data: &mut Data, settings: &RowSettings) -> Vec<Component> {
    let (creature, heading) = (&body.creature, body.legs.heading);
    forward_kinematics(creature, data, body.basis.mean());
    let kicks = leaps(&body.legs, &LeapSettings::default());
    let mut parts = [0, 1, 2].map(|_| vec![0.0; creature.nv()]);
    for leg in &body.legs.legs {
        let Some(&hip) = leg.joints.first() else { continue };
        let hip = creature.joints()[hip].body;
        // A hanging limb goes back by a turn about left.
        let back = heading.left;
        if kicks && leg.pair == 0 {
            turn(creature, data, hip, back * settings.laid_back, &mut parts[2]);
            continue;
        }
        let aside = usize::from(leg.side == Some(Side::Right));
        let later = if kicks || (leg.pair + aside).is_multiple_of(2) { 0.0 } else { std::f64::consts::PI };
        let (sine, cosine) = math::sin_cos(later);
        let trails = if kicks { settings.kick_trails } else { settings.paddle_trails };
        // −Θ cos(ωt − later)
        turn(creature, data, hip, back * (-settings.swing * cosine), &mut parts[0]);
        turn(creature, data, hip, back * (-settings.swing * sine), &mut parts[1]);
        turn(creature, data, hip, back * trails, &mut parts[2]);
        let Some((knee, folds)) = fold(body, data, leg) else { continue };
        // ½ K (1 − sin(ωt − later))
        let half = 0.5 * if kicks { settings.kick_fold } else { settings.paddle_fold };
        turn(creature, data, knee, folds * (half * sine), &mut parts[0]);
        turn(creature, data, knee, folds * (-half * cosine), &mut parts[1]);
        turn(creature, data, knee, folds * half, &mut parts[2]);
    }
    modal_parts(body, parts)
}

/// The body that a knee turns, and the axis about which that folds the leg.
fn fold(body: &Body, data: &Data, leg: &Leg) -> Option<(usize, Vec3)> {
    let (creature, heading) = (&body.creature, body.legs.heading);
    let knee = &creature.joints()[leg.knee?];
    let at = data.frames[knee.body].point_in_world(knee.anchor);
    let foot = data.frames[leg.foot].point_in_world(leg.point);
    // A knee that is ahead of the line from hip to foot bends the shank back, one behind it forward.
    let line = foot - leg.hip;
    let along = ((at - leg.hip).dot(&line) / line.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let ahead = (at - leg.hip - line * along).dot(&heading.forward);
    Some((knee.body, heading.left * if ahead >= 0.0 { 1.0 } else { -1.0 }))
}

/// Legs in the water.
struct Oars<'s> {
    scene: &'s BellyScene<'s>,
    /// Their bodies, and ½ ρ C A of half of each, kg/m.
    parts: Vec<(usize, f64)>,
    forward: Vec3,
}

impl<'s> Oars<'s> {
    fn new(scene: &'s BellyScene<'s>, body: &Body) -> Self {
        let (settings, water) = (&body.settings.row, body.settings.swim.density);
        let of_legs = body.legs.legs.iter().flat_map(|leg| &leg.joints);
        let mut bodies: Vec<usize> = of_legs.map(|&joint| body.creature.joints()[joint].body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let part = |body: usize| {
            let length = scene.segments[body].length;
            // As thick as water of its mass along its length: A = l √(4 m / π ρ l).
            let mass = scene.creature.bodies()[body].mass.mass;
            let area = (4.0 * mass * length / (std::f64::consts::PI * water)).sqrt();
            (body, 0.25 * water * settings.drag_across * area)
        };
        Self { scene, parts: bodies.into_iter().map(part).collect(), forward: scene.left.cross(&Vec3::z()) }
    }

    /// Mean push ahead at a speed, N.
    fn push(&self, speed: f64) -> f64 {
        let (scene, n) = (self.scene, self.scene.samples());
        let mut sum = 0.0;
        for k in 0..n {
            for &(body, weight) in &self.parts {
                let axis = scene.segments[body].axis.map(|axis| scene.frames[k][body].rotation * axis);
                for point in scene.segments[body].points() {
                    let at = |k: usize| (scene.frames[k % n][body] * Point3::from(point)).coords;
                    let moves = derivative([k + n - 2, k + n - 1, k + 1, k + 2].map(at), scene.step);
                    let all = moves + self.forward * speed;
                    let across = axis.map_or(all, |axis| all - axis * axis.dot(&all));
                    sum -= weight * across.norm() * across.dot(&self.forward);
                }
            }
        }
        sum / n as f64
    }

    /// Where it equals the drag of the trunk, m/s; none if it pushes back.
    fn speed(&self) -> f64 {
        let flow =
            |speed: f64| Flow { speed, climb: 0.0, pitch: 0.0, density: self.scene.settings.swim.density };
        let wins = |speed: f64| self.push(speed) > trunk_drag(self.scene, &flow(speed));
        let reach = self.scene.size / (self.scene.step * self.scene.samples() as f64);
        let [mut low, mut high] = [0.0, std::f64::consts::TAU * reach];
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if wins(middle) { low = middle } else { high = middle }
        }
        low
    }
}
