//! The way through water or air: straight on, or along an arc, up or down.
//!
//! All is planned on the straight and level, in a frame that travels along the way; then that frame is led along the arc and the slope, and
//! leans into the turn as far as puts weight and the pull of the arc onto the body's own up:
//!
//! ```text
//! lean    tan φ = V cos γ ω / g
//! demand  sin γ along the way, cos γ / cos φ square to it, weights that air must give
//! bend    a back that swims lies along the arc: κ = ω / V cos γ per metre of it
//! ```

use gambol_anatomy::Heading;
use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Quat, Transform, Vec3, math};
use gambol_motion::Stride;
use nalgebra::{Translation3, Unit};

use super::chain::Chain;
use super::path::Path;
use super::scene::{BellyScene, yaw};
use super::swim::off_the_bottom;
use crate::limits::{Give, limit};
use crate::{GaitSettings, Ground, Terrain, path};

/// Turn and slope of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    /// ω, rad/s to the left
    turn: f64,
    /// γ, rad upwards
    climb: f64,
}

impl Way {
    pub(crate) const STRAIGHT: Self = Self { turn: 0.0, climb: 0.0 };

    pub(crate) fn of(ground: &Ground) -> Self {
        let climb = if let Terrain::Slope(slope) = ground.terrain { slope } else { 0.0 };
        Self { turn: ground.turn, climb }
    }

    pub(crate) fn is_straight(&self) -> bool {
        *self == Self::STRAIGHT
    }

    /// φ, rad to the left.
    fn lean(&self, speed: f64, gravity: f64, settings: &GaitSettings) -> f64 {
        let most = settings.way.most_lean;
        math::atan2(speed * math::cos(self.climb) * self.turn, gravity.max(f64::MIN_POSITIVE))
            .clamp(-most, most)
    }

    /// What the air must give along the way and square to it beyond carrying the weight on the straight and level, in weights.
    pub(super) fn demand(&self, speed: f64, gravity: f64, settings: &GaitSettings) -> [f64; 2] {
        let (climbs, level) = math::sin_cos(self.climb);
        [climbs, level / math::cos(self.lean(speed, gravity, settings)) - 1.0]
    }

    /// A straight path that was aligned with the heading, led along this way.
    pub(super) fn lead(&self, straight: Path, scene: &BellyScene, heading: &Heading) -> Path {
        if self.is_straight() {
            return straight;
        }
        let duration = straight.duration(scene);
        let speed = straight.travel().dot(&heading.forward) / duration;
        let (climbs, level) = math::sin_cos(self.climb);
        let arc = path::Path { forward: heading.forward, speed: speed * level, turn: self.turn };
        let about = |axis: Vec3, angle: f64| Quat::from_axis_angle(&Unit::new_normalize(axis), angle);
        let lean = self.lean(speed, scene.creature.gravity().norm(), scene.settings);
        // Nose up is a turn to the right of left; the left side sinks in a turn to the left.
        let tilt = about(heading.left, -self.climb) * about(heading.forward, -lean);
        let start = straight.world_from_float[0].translation.vector;
        let led = |seconds: f64| {
            let Stride { yaw: turned, shift } = arc.after(seconds);
            let at = start + shift + Vec3::z() * (speed * climbs * seconds);
            Transform::from_parts(Translation3::from(at), yaw(turned))
        };
        let frame = |(k, frame): (usize, &Transform)| {
            let seconds = k as f64 * scene.step;
            let mean = start + heading.forward * (speed * seconds);
            let own = Translation3::from(-mean) * frame;
            led(seconds) * Transform::from_parts(Translation3::identity(), tilt) * own
        };
        // Who leans must not dip a wing into the ground.
        let world_from_float =
            off_the_bottom(scene, straight.world_from_float.iter().enumerate().map(frame).collect());
        let end = led(duration);
        let turned = self.turn * duration;
        let shift = end.translation.vector - yaw(turned) * start;
        Path { world_from_float, stride: Stride { yaw: turned, shift }, slip: straight.slip }
    }

    /// Poses with the back bent along the arc at this speed; `None` where there is nothing to bend.
    pub(super) fn bent(
        &self,
        creature: &Creature,
        data: &mut Data,
        heading: &Heading,
        poses: &[Vec<f64>],
        (speed, settings): (f64, &GaitSettings),
    ) -> Option<Vec<Vec<f64>>> {
        let pace = speed * math::cos(self.climb);
        if self.turn == 0.0 || pace <= 0.0 {
            return None;
        }
        forward_kinematics(creature, data, creature.reference_pose());
        let chain = Chain::find(creature, data, heading).filter(|chain| !chain.ring)?;
        let most = settings.way.most_bend;
        let all = (self.turn / pace * chain.length).clamp(-most, most);
        let by = chain.evenly_bent(data, heading.up, all, creature.nv());
        let bend = |pose: &Vec<f64>| {
            let mut pose = pose.clone();
            creature.integrate(&mut pose, &by, 1.0);
            let mut give: Vec<Give> = Vec::new();
            limit(creature, settings.limits.soft, &mut pose, &mut give);
            pose
        };
        Some(poses.iter().map(bend).collect())
    }
}
