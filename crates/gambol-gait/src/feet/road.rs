//! How the creature's ground frame goes over the ground, in cycles: at one speed and turn for a gait, or as a script has it.

use gambol_model::{Quat, Vec3};
use gambol_motion::Stride;

use crate::path::{Path, moved};

/// The way of the ground frame.
#[derive(Clone, Debug)]
pub(crate) enum Road {
    /// Along a path at one speed, with so many cycles per second.
    Steady { path: Path, frequency: f64 },
    /// At a speed and a turn that change.
    Varied(Varied),
}

/// Frames at even moments of one long cycle, from rest to rest; after it, it recurs from where it ended.
#[derive(Clone, Debug)]
pub(crate) struct Varied {
    forward: Vec3,
    /// s
    period: f64,
    /// From the first frame to each, and what it does there; one more than intervals.
    frames: Vec<(Stride, Moving)>,
}

/// What the ground frame does at a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moving {
    /// m/s ahead
    pub(crate) speed: f64,
    /// rad/s to the left
    pub(crate) turn: f64,
    /// Their rates: m/s², rad/s².
    pub(crate) faster: f64,
    pub(crate) tighter: f64,
}

impl Road {
    /// Where the ground frame is at the cycle `to`, as seen from where it is at `from`.
    pub(super) fn between(&self, from: f64, to: f64) -> Stride {
        match self {
            Self::Steady { path, frequency } => path.after((to - from) / frequency),
            Self::Varied(varied) => seen(&varied.frame(from), &varied.frame(to)),
        }
    }

    /// Horizontal unit vector ahead, in the ground frame.
    pub(super) fn forward(&self) -> Vec3 {
        match self {
            Self::Steady { path, .. } => path.forward,
            Self::Varied(varied) => varied.forward,
        }
    }

    pub(super) fn moving(&self, cycle: f64) -> Moving {
        match self {
            Self::Steady { path, .. } => Moving { speed: path.speed, turn: path.turn, ..Moving::default() },
            Self::Varied(varied) => varied.moving(cycle),
        }
    }

    /// Whether the ground frame is one that Newton's laws hold in.
    pub(super) fn is_inertial(&self) -> bool {
        matches!(self, Self::Steady { path, .. } if path.turn == 0.0)
    }
}

impl Varied {
    /// `moving` tells what the frame does at a time in s; `forward` is its heading at first.
    pub(crate) fn new(forward: Vec3, period: f64, moving: &dyn Fn(f64) -> Moving) -> Self {
        /// Intervals per second: the frame goes on by arcs, whose error goes with the square of this.
        const FINE: f64 = 960.0;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // minutes at most
        let count = (period * FINE).ceil().max(1.0) as usize;
        let step = period / count as f64;
        let mut frames = vec![(Stride::NONE, moving(0.0))];
        for k in 0..count {
            let ((frame, now), then) = (frames[k], moving((k + 1) as f64 * step));
            let (speed, turn) = (0.5 * (now.speed + then.speed), 0.5 * (now.turn + then.turn));
            let arc = Path { forward, speed, turn }.after(step);
            frames.push((onward(&frame, &arc), then));
        }
        Self { forward, period, frames }
    }

    /// From the first frame to that at `cycle`.
    fn frame(&self, cycle: f64) -> Stride {
        let last = self.frames.len() - 1;
        let (round, at) = (cycle.floor(), (cycle - cycle.floor()) * last as f64);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the frames
        let k = (at.floor() as usize).min(last - 1);
        let ((a, moves), (_, then)) = (self.frames[k], self.frames[k + 1]);
        let s = at - k as f64;
        let speed = moves.speed + 0.5 * s * (then.speed - moves.speed);
        let turn = moves.turn + 0.5 * s * (then.turn - moves.turn);
        let arc = Path { forward: self.forward, speed, turn }.after(s * self.period / last as f64);
        let mut frame = onward(&a, &arc);
        let whole = self.frames[last].0;
        let mut rounds = round;
        while rounds > 0.0 {
            frame = onward(&whole, &frame);
            rounds -= 1.0;
        }
        while rounds < 0.0 {
            frame = seen(&whole, &frame);
            rounds += 1.0;
        }
        frame
    }

    fn moving(&self, cycle: f64) -> Moving {
        let last = self.frames.len() - 1;
        let at = (cycle - cycle.floor()) * last as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the frames
        let k = (at.floor() as usize).min(last - 1);
        let ((_, a), (_, b), s) = (self.frames[k], self.frames[k + 1], at - k as f64);
        let mix = |a: f64, b: f64| a + s * (b - a);
        Moving {
            speed: mix(a.speed, b.speed),
            turn: mix(a.turn, b.turn),
            faster: mix(a.faster, b.faster),
            tighter: mix(a.tighter, b.tighter),
        }
    }
}

/// A stride and then another, as seen from before the first.
pub(super) fn onward(first: &Stride, then: &Stride) -> Stride {
    Stride { yaw: first.yaw + then.yaw, shift: moved(first, then.shift) }
}

/// The frame `to` as seen from the frame `from`.
fn seen(from: &Stride, to: &Stride) -> Stride {
    let back = Quat::from_axis_angle(&Vec3::z_axis(), -from.yaw);
    Stride { yaw: to.yaw - from.yaw, shift: back * (to.shift - from.shift) }
}

#[cfg(test)]
mod tests {
    use gambol_model::math;

    use super::*;

    #[test]
    fn a_road_is_the_integral_of_its_speed() {
        // From rest to rest: v = v₀ (1 − cos 2πt/T)/2, and a turn that comes and goes the same way.
        let (period, v, w) = (2.0, 1.5, 0.8);
        let bell = |t: f64| 0.5 * (1.0 - math::cos(std::f64::consts::TAU * t / period));
        let road = Road::Varied(Varied::new(Vec3::x(), period, &|t| Moving {
            speed: v * bell(t),
            turn: w * bell(t),
            ..Moving::default()
        }));
        let whole = road.between(0.0, 1.0);
        assert!((whole.yaw - 0.5 * w * period).abs() < 1e-6);
        // Speed and turn in proportion make a circle of radius v/w.
        let chord = 2.0 * v / w * math::sin(0.5 * whole.yaw);
        assert!((whole.shift.norm() - chord).abs() < 1e-6, "{} {chord}", whole.shift.norm());
        // What is seen from one frame and then from the next is seen from the first; also beyond the cycle.
        for (a, b, c) in [(0.1, 0.45, 0.9), (-0.3, 0.2, 1.7)] {
            let (ab, bc, ac) = (road.between(a, b), road.between(b, c), road.between(a, c));
            let both = onward(&ab, &bc);
            assert!((both.shift - ac.shift).norm() < 1e-12 && (both.yaw - ac.yaw).abs() < 1e-12);
        }
        let round = road.between(0.25, 1.25);
        assert!((round.yaw - whole.yaw).abs() < 1e-12);
    }
}
