//! How fast a tail drives a body: thrust against drag of its own shape.
//!
//! Lighthill's elongated bodies (1960, Note on the swimming of slender fish, J. Fluid Mech. 9; mean thrust as in Lighthill 1970,
//! section 2): the tail leaves water behind that it has moved aside,
//!
//! ```text
//! T = ½ m (⟨ẇ²⟩ − U² ⟨w′²⟩)   at the end of the tail,   m = ρ π s² / 4
//! D = ½ ρ S C U²,   C = k C_f (1 + 1.5 (d/l)^1.5 + 7 (d/l)³)
//! ```
//!
//! with w the place of the tail aside, w′ its slope, s its depth, S the skin. C_f is that of a plate (laminar below Re 5·10⁵, turbulent
//! above), the bracket Hoerner's for streamlined bodies (1965), and k what swimming adds to it: 3 to 5 (Lighthill 1971, Webb 1975).
//! The speed at which both are equal is what module `swim` moves the body at.

use gambol_dynamics::Data;
use gambol_model::{Vec3, math};
use nalgebra::Point3;

use super::balance::derivative;
use super::chain::Chain;
use super::scene::BellyScene;
use crate::{Body, GaitError, SwimSettings};

/// Way per beat by the body's own thrust and drag, m. `about` is the axis that it bends about; poses are those of one beat, which takes
/// `period` s.
pub(super) fn advance(
    body: &Body,
    data: &mut Data,
    chain: &Chain,
    poses: &[Vec<f64>],
    (about, period): (Vec3, f64),
) -> Result<f64, GaitError> {
    let heading = body.legs.heading;
    let settings = &body.settings.swim;
    let last = chain.bodies[0];
    let scene = BellyScene::new(&body.creature, data, &heading, poses, period, &body.settings)?;
    let speed = Tail::new(&scene, (chain, last), heading.forward, about).speed(&scene, chain, settings);
    Ok(speed * period)
}

/// What the end of the tail does over a beat.
struct Tail {
    /// ⟨ẇ²⟩, m²/s²
    speed_squared: f64,
    /// ⟨w′²⟩
    slope_squared: f64,
    /// s, m
    depth: f64,
}

impl Tail {
    /// `last` is the body that ends the back.
    fn new(scene: &BellyScene, (chain, last): (&Chain, usize), forward: Vec3, about: Vec3) -> Self {
        let aside = about.cross(&forward);
        let segment = &scene.segments[last];
        let ends = segment.ends.map(|end| (scene.frames[0][last] * Point3::from(end)).coords.dot(&forward));
        let tip = segment.ends[usize::from(ends[1] < ends[0])];
        let axis = segment.axis.unwrap_or_else(Vec3::x);
        let n = scene.samples();
        let at = |k: usize| (scene.frames[k % n][last] * Point3::from(tip)).coords;
        let (mut speed, mut slope) = (0.0, 0.0);
        for k in 0..n {
            let moves = derivative([k + n - 2, k + n - 1, k + 1, k + 2].map(at), scene.step).dot(&aside);
            let along = scene.frames[k][last].rotation * axis;
            let slant = along.dot(&aside) / along.dot(&forward).abs().max(0.1);
            speed += moves * moves / n as f64;
            slope += slant * slant / n as f64;
        }
        Self { speed_squared: speed, slope_squared: slope, depth: depth(scene, chain, about) }
    }

    /// Thrust equals drag, m/s.
    fn speed(&self, scene: &BellyScene, chain: &Chain, settings: &SwimSettings) -> f64 {
        let (length, density) = (chain.length.max(f64::MIN_POSITIVE), settings.density);
        let volume = scene.creature.mass() / density;
        let thick = (volume / length * 4.0 / std::f64::consts::PI).sqrt();
        let skin = settings.skin * (volume * length).sqrt();
        let virtual_mass = density * std::f64::consts::PI * self.depth * self.depth / 4.0;
        let form = 1.0 + 1.5 * math::powf(thick / length, 1.5) + 7.0 * math::powi(thick / length, 3);
        let drag = |u: f64| {
            let reynolds = (u * length / settings.viscosity).max(1.0);
            let plate = if reynolds < settings.turbulent {
                1.33 / reynolds.sqrt()
            } else {
                0.072 * math::powf(reynolds, -0.2)
            };
            0.5 * density * skin * settings.swimming_drag * plate * form * u * u
        };
        let thrust = |u: f64| 0.5 * virtual_mass * (self.speed_squared - u * u * self.slope_squared);
        let [mut low, mut high] = [0.0, (self.speed_squared / self.slope_squared.max(1e-12)).sqrt()];
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if thrust(middle) > drag(middle) { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

/// The largest extent of the hind third along the axis that it bends about, with what hangs there: a fin's or fluke's depth, m.
fn depth(scene: &BellyScene, chain: &Chain, about: Vec3) -> f64 {
    let creature = scene.creature;
    let hind = &chain.bodies[..chain.bodies.len().div_ceil(3)];
    let belongs = |body: usize| {
        let up = std::iter::successors(Some(body), |&body| Some(creature.bodies()[body].parent));
        up.take_while(|&body| body != 0)
            .find(|body| chain.bodies.contains(body))
            .is_some_and(|body| hind.contains(&body))
    };
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for body in (1..creature.bodies().len()).filter(|&body| belongs(body)) {
        let frame = &scene.frames[0][body];
        for shape in &creature.shapes()[creature.bodies()[body].shapes.clone()] {
            for sign in [1.0, -1.0] {
                let inner = (frame.rotation * shape.body_from_shape.rotation).inverse() * (about * sign);
                let point = frame * (shape.body_from_shape * Point3::from(shape.shape.support(inner)));
                let at = point.coords.dot(&about);
                if at.is_finite() {
                    (low, high) = (low.min(at), high.max(at));
                }
            }
        }
    }
    (high - low).max(0.0)
}
