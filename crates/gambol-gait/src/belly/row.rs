//! Rowing with legs: a dog's paddle, a frog's kick.
//!
//! ```text
//! hip   back by o − Θ cos ωt          from ahead to behind while it pushes, and forward again
//! knee  from 0 to K with −sin ωt      stretched in the middle of the push, folded in the middle of the way back
//! push  Σ ½ ρ C A |v⊥| v⊥             of all parts of the legs, v⊥ their speed across themselves (Hoerner 1965, cross-flow); toes spread
//!                                     while they push and close on the way forward
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
        let (trails, fold) = if kicks {
            (settings.kick_trails, settings.kick_fold)
        } else {
            (settings.paddle_trails, settings.paddle_fold)
        };
        let bend = Bend::at_rest(body, data, leg);
        let (stretches, ahead) = bend.as_ref().map_or((0.0, 0.0), |bend| (bend.angle, bend.thigh_ahead));
        // −Θ cos(ωt − later), and ½ a (1 + sin(ωt − later)): a knee that is stretched leaves the leg along its thigh.
        let parts_of = |cosine_part: f64, sine_part: f64, lasts: f64| {
            // cos(ωt − later) = cos ωt cos later + sin ωt sin later, sin(ωt − later) = sin ωt cos later − cos ωt sin later
            [cosine_part * cosine - sine_part * sine, cosine_part * sine + sine_part * cosine, lasts]
        };
        let swings = parts_of(-settings.swing, 0.5 * ahead, trails + 0.5 * ahead);
        for (part, by) in parts.iter_mut().zip(swings) {
            turn(creature, data, hip, back * by, part);
        }
        let Some(Bend { knee, folds, .. }) = bend else { continue };
        // From stretched in the middle of the push to folded by K in the middle of the way back.
        let further = (fold - stretches).max(0.0);
        let knees = parts_of(0.0, -0.5 * (further + stretches), 0.5 * (further - stretches));
        for (part, by) in parts.iter_mut().zip(knees) {
            turn(creature, data, knee, folds * by, part);
        }
    }
    modal_parts(body, parts)
}

/// How a knee is bent at rest.
struct Bend {
    /// The body that it turns, and the axis about which that folds the leg.
    knee: usize,
    folds: Vec3,
    /// From a straight leg, rad.
    angle: f64,
    /// How far the thigh is ahead of the line from hip to foot, rad.
    thigh_ahead: f64,
}

impl Bend {
    fn at_rest(body: &Body, data: &Data, leg: &Leg) -> Option<Self> {
        let (creature, heading) = (&body.creature, body.legs.heading);
        let knee = &creature.joints()[leg.knee?];
        let at = data.frames[knee.body].point_in_world(knee.anchor);
        let ankle = leg.ankle_in_world(creature, &data.frames);
        // Of a hanging limb, ahead of straight down.
        let ahead = |v: Vec3| math::atan2(v.dot(&heading.forward), -v.dot(&heading.up));
        let thigh_ahead = ahead(at - leg.hip) - ahead(ankle - leg.hip);
        // A knee that is ahead bends the shank back, one behind it forward.
        let folds = heading.left * if thigh_ahead >= 0.0 { 1.0 } else { -1.0 };
        Some(Self { knee: knee.body, folds, angle: (at - leg.hip).angle(&(ankle - at)), thigh_ahead })
    }
}

/// Legs in the water.
struct Oars<'s> {
    scene: &'s BellyScene<'s>,
    /// Their bodies, and ½ ρ C A of half of each, kg/m, while it goes back and while it goes forward.
    parts: Vec<(usize, [f64; 2])>,
    forward: Vec3,
}

impl<'s> Oars<'s> {
    fn new(scene: &'s BellyScene<'s>, body: &Body) -> Self {
        let (settings, water) = (&body.settings.row, body.settings.swim.density);
        let of_legs = body.legs.legs.iter().flat_map(|leg| &leg.joints);
        let mut bodies: Vec<usize> = of_legs.map(|&joint| body.creature.joints()[joint].body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let feet: Vec<usize> = body.legs.legs.iter().map(|leg| leg.foot).collect();
        let part = |body: usize| {
            let length = scene.segments[body].length;
            // As thick as water of its mass along its length: A = l √(4 m / π ρ l).
            let mass = scene.creature.bodies()[body].mass.mass;
            let area = (4.0 * mass * length / (std::f64::consts::PI * water)).sqrt();
            // Toes spread, with a web or without, while the foot pushes, and close on the way forward.
            let web = if feet.contains(&body) { settings.web * length * length } else { 0.0 };
            (body, [area.max(web), area].map(|area| 0.25 * water * settings.drag_across * area))
        };
        Self { scene, parts: bodies.into_iter().map(part).collect(), forward: scene.left.cross(&Vec3::z()) }
    }

    /// Mean push ahead at a speed, N.
    fn push(&self, speed: f64) -> f64 {
        let (scene, n) = (self.scene, self.scene.samples());
        let mut sum = 0.0;
        for k in 0..n {
            for &(body, weights) in &self.parts {
                let axis = scene.segments[body].axis.map(|axis| scene.frames[k][body].rotation * axis);
                for point in scene.segments[body].points() {
                    let at = |k: usize| (scene.frames[k % n][body] * Point3::from(point)).coords;
                    let moves = derivative([k + n - 2, k + n - 1, k + 1, k + 2].map(at), scene.step);
                    let all = moves + self.forward * speed;
                    let across = axis.map_or(all, |axis| all - axis * axis.dot(&all));
                    let ahead = across.dot(&self.forward);
                    sum -= weights[usize::from(ahead > 0.0)] * across.norm() * ahead;
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
