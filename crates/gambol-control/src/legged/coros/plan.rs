//! What is read from a stride: trajectories, where feet are set down, and what hangs on what.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Quat, Vec3};

use crate::legged::limbs::Limbs;
use crate::legged::{CorosSettings, FootPhase, Moment};

/// Points of a trajectory: the paper has four to six.
const POINTS: usize = 6;

/// A piecewise linear function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// Evenly spaced: over a stride, of which the last is followed by the first; or from the start of a swing to its end.
    pub points: [f64; POINTS],
}

impl Trajectory {
    /// At phases of a stride.
    pub fn over_stride(value: impl Fn(f64) -> f64) -> Self {
        Self { points: std::array::from_fn(|k| value(k as f64 / POINTS as f64)) }
    }

    /// At shares from 0 to 1, both ends included.
    pub fn over_share(value: impl Fn(f64) -> f64) -> Self {
        Self { points: std::array::from_fn(|k| value(k as f64 / (POINTS - 1) as f64)) }
    }

    /// Value and rate per second at a phase of a stride of `period`.
    pub fn at(&self, phase: f64, period: f64) -> (f64, f64) {
        let at = phase.rem_euclid(1.0) * POINTS as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 ≤ at ≤ POINTS
        let key = (at as usize).min(POINTS - 1);
        let (from, to) = (self.points[key], self.points[(key + 1) % POINTS]);
        (from + (at - key as f64) * (to - from), (to - from) * POINTS as f64 / period)
    }

    /// Value at a share; beyond its ends, that of the end.
    pub fn at_share(&self, share: f64) -> f64 {
        self.with_rate(share).0
    }

    /// Value and rate at a share.
    pub fn with_rate(&self, share: f64) -> (f64, f64) {
        let at = share.clamp(0.0, 1.0) * (POINTS - 1) as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 ≤ at ≤ POINTS − 1
        let key = (at as usize).min(POINTS - 2);
        let (from, to) = (self.points[key], self.points[key + 1]);
        (from + (at - key as f64) * (to - from), (to - from) * (POINTS - 1) as f64)
    }
}

/// A leg frame over a stride.
#[derive(Clone, Debug)]
pub(super) struct FramePlan {
    /// h_LF(Φ), m over the ground.
    pub(super) height: Trajectory,
    /// Ω(Φ) beside its mean, rad along the carriage's axes.
    pub(super) orientation: [Trajectory; 3],
    /// Its mean orientation in the carriage.
    pub(super) mean: Quat,
    /// Weight that rests on it, N.
    pub(super) weight: f64,
    /// Share of the stride in which a leg of its own stands.
    pub(super) duty: f64,
    /// Its orientation in the carriage at even phases, finer than the trajectory.
    turns: Vec<Quat>,
}

impl FramePlan {
    /// In the stride itself.
    pub(super) fn orientation_at(&self, phase: f64) -> Quat {
        let count = self.turns.len();
        let at = phase.rem_euclid(1.0) * count as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 ≤ at ≤ count
        let key = (at as usize).min(count - 1);
        self.turns[key].nlerp(&self.turns[(key + 1) % count], at - key as f64)
    }
}

/// A leg over a stride.
#[derive(Clone, Debug)]
pub(super) struct LimbPlan {
    /// P_LF: where its foot is set down beside its frame, m along the carriage's axes.
    pub(super) stepping: Vec3,
    /// t_sw(φ)
    pub(super) advance: Trajectory,
    /// h_sw(φ), m over the line from where it was lifted to where it is set down.
    pub(super) lift: Trajectory,
    /// Square root of k_ft(φ) over the mass, √(g/l).
    pub(super) tracking: Trajectory,
    /// F_D(D), weights, over a leg length.
    pub(super) drive: Trajectory,
    /// What of the leg goes with its foot, kg.
    pub(super) mass: f64,
    /// θ_a and θ_b, rad, toes down.
    pitch: [f64; 2],
    /// Δt_a and Δt_b, s.
    ahead: [f64; 2],
}

impl LimbPlan {
    /// How a foot is pitched at a moment, rad, toes down.
    pub(super) fn pitch_at(&self, phase: FootPhase, period: f64) -> f64 {
        let [off, strike] = self.pitch;
        let [before_off, before_strike] = self.ahead.map(|time| time.max(f64::MIN_POSITIVE));
        match phase {
            FootPhase::Stands { share, left, length } => {
                let since = share * length * period;
                let lifts = (1.0 - left * period / before_off).max(0.0);
                let struck = (1.0 - since / before_strike).max(0.0);
                off * lifts + strike * struck
            }
            FootPhase::Swings { share, left, .. } => {
                let strikes = (1.0 - left * period / before_strike).max(0.0);
                off * (1.0 - share) * (1.0 - strikes) + strike * strikes
            }
        }
    }
}

/// The links from one leg frame to another.
#[derive(Clone, Debug)]
pub(super) struct Spine {
    /// Front and hind.
    pub(super) frames: [usize; 2],
    /// Bodies whose joints lie between, from the front: with 1 if turning with the joint turns the front, −1 if it turns the hind.
    pub(super) joints: Vec<(usize, f64)>,
    /// Bodies of the two frames.
    bodies: [usize; 2],
}

impl Spine {
    /// The joint next to a frame: its body, and 1 if a torque along it turns the frame that way.
    pub(super) fn next_to(&self, body: usize) -> Option<(usize, f64)> {
        if body == self.bodies[0] {
            self.joints.first().copied()
        } else if body == self.bodies[1] {
            self.joints.last().map(|(joint, sign)| (*joint, -sign))
        } else {
            None
        }
    }
}

/// Looks at a stride.
const LOOKS: usize = 48;

/// Share of a leg's mass that goes with its foot: of a rod that turns about its end a third, of a leg, which is thicker above, less.
const GOES_WITH_FOOT: f64 = 0.3;

/// A frame that legs hang on bears this share of the weight at least.
const LEAST_SHARE: f64 = 0.05;

/// A frame whose legs stand for less of the stride than this is not asked for more.
const LEAST_DUTY: f64 = 0.1;

pub(super) fn frames(creature: &Creature, limbs: &Limbs) -> Vec<FramePlan> {
    let mut data = Data::new(creature);
    let mut moment = Moment::new(creature);
    let mut seen: Vec<Vec<(f64, Quat)>> = vec![Vec::new(); limbs.frames.len()];
    for k in 0..LOOKS {
        limbs.reference.at(creature, k as f64 / LOOKS as f64, &mut moment);
        let bodies = forward_kinematics(creature, &mut data, &moment.pose);
        for (frame, seen) in limbs.frames.iter().zip(&mut seen) {
            seen.push((bodies[frame.body].position.z, bodies[frame.body].orientation));
        }
    }
    let weights = weights(limbs);
    let one = |(frame, seen): (usize, Vec<(f64, Quat)>)| {
        let mut mean = seen[0].1;
        for _ in 0..3 {
            let off: Vec3 = seen.iter().map(|(_, turn)| (turn * mean.inverse()).scaled_axis()).sum();
            mean = Quat::from_scaled_axis(off / LOOKS as f64) * mean;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // phases are from 0 to 1
        let key = |phase: f64| ((phase * LOOKS as f64).round() as usize) % LOOKS;
        let turn = |k: usize| {
            Trajectory::over_stride(|phase| (seen[key(phase)].1 * mean.inverse()).scaled_axis()[k])
        };
        let bears = |k: &usize| {
            let phase = *k as f64 / LOOKS as f64;
            let stands =
                |limb: &usize| matches!(limbs.reference.graph.at(*limb, phase), FootPhase::Stands { .. });
            limbs.frames[frame].limbs.iter().any(stands)
        };
        let duty = (0..LOOKS).filter(bears).count() as f64 / LOOKS as f64;
        FramePlan {
            height: Trajectory::over_stride(|phase| seen[key(phase)].0),
            orientation: [0, 1, 2].map(turn),
            mean,
            weight: weights[frame],
            duty: duty.max(LEAST_DUTY),
            turns: seen.iter().map(|(_, turn)| *turn).collect(),
        }
    };
    seen.into_iter().enumerate().map(one).collect()
}

/// The weight that rests on each frame, N: in all that of the creature, and none of it topples it.
fn weights(limbs: &Limbs) -> Vec<f64> {
    // Where the legs of each frame stand, ahead of the centre of mass.
    let places = limbs.frames.iter().map(|frame| {
        let sum: f64 =
            frame.limbs.iter().map(|limb| limbs.limbs[*limb].neutral.dot(&limbs.units.forward)).sum();
        sum / frame.limbs.len().max(1) as f64
    });
    let places: Vec<f64> = places.collect();
    let count = places.len() as f64;
    let mean = places.iter().sum::<f64>() / count;
    let spread: f64 = places.iter().map(|x| (x - mean) * (x - mean)).sum();
    let total = limbs.reference.base.mass * limbs.units.gravity;
    let share = |x: &f64| 1.0 / count - if spread > 0.0 { (x - mean) * mean / spread } else { 0.0 };
    places.iter().map(|x| total * share(x).max(LEAST_SHARE)).collect()
}

pub(super) fn limbs(creature: &Creature, limbs: &Limbs, settings: &CorosSettings) -> Vec<LimbPlan> {
    let mut data = Data::new(creature);
    let mut moment = Moment::new(creature);
    let one = |limb: usize| {
        let plan = &limbs.reference.feet[limb];
        let stances = &limbs.reference.graph.feet[limb].stances;
        let [from, length] = stances.first().copied().unwrap_or([0.0, 1.0]);
        let swing = |share: f64| from + length + share * (1.0 - length);
        let period = limbs.reference.period();
        let frame = limbs.frames[limbs.limbs[limb].frame].body;
        limbs.reference.at(creature, from, &mut moment);
        let bodies = forward_kinematics(creature, &mut data, &moment.pose);
        let stepping = limbs.reference.foot(limb, from).place - bodies[frame].position;
        let place = |share: f64| {
            let drift = limbs.reference.velocity * (share * (1.0 - length) * period);
            limbs.reference.foot(limb, swing(share)).place + drift
        };
        let (first, last) = (place(0.0), place(1.0));
        let way = Vec3::new(last.x - first.x, last.y - first.y, 0.0);
        let advance = |share: f64| {
            let all = way.norm_squared();
            if all > 0.0 { (place(share) - first).dot(&way) / all } else { share }
        };
        let lift = |share: f64| place(share).z - (first.z + share * (last.z - first.z));
        let mean = limbs.limbs[limb].flat;
        let left = Vec3::z().cross(&limbs.units.forward);
        let pitched =
            |phase: f64| (limbs.reference.foot_turn(limb, phase).0 * mean.inverse()).scaled_axis().dot(&left);
        let mut bodies: Vec<usize> =
            limbs.limbs[limb].dofs.iter().map(|dof| creature.dofs()[*dof].body).collect();
        bodies.dedup();
        LimbPlan {
            stepping: Vec3::new(stepping.x, stepping.y, 0.0),
            advance: Trajectory::over_share(advance),
            lift: Trajectory::over_share(lift),
            tracking: Trajectory { points: [settings.tracking; POINTS] },
            drive: Trajectory { points: settings.drive },
            mass: GOES_WITH_FOOT * bodies.iter().map(|body| creature.bodies()[*body].mass.mass).sum::<f64>(),
            pitch: if plan.sole > 0.0 { [pitched(from + length), pitched(from)] } else { [0.0; 2] },
            ahead: settings.feet.map(|share| share * limbs.units.time()),
        }
    };
    (0..limbs.limbs.len()).map(one).collect()
}

/// Bodies from one to the first that both hang on, which is left out.
fn up_to(creature: &Creature, mut body: usize, top: usize) -> Vec<usize> {
    let mut all = Vec::new();
    while body != top && body != 0 {
        all.push(body);
        body = creature.bodies()[body].parent;
    }
    all
}

fn hangs_on(creature: &Creature, mut body: usize, above: usize) -> bool {
    while body != above && body != 0 {
        body = creature.bodies()[body].parent;
    }
    body == above
}

/// Between neighbours among the frames.
pub(super) fn spines(creature: &Creature, limbs: &Limbs) -> Vec<Spine> {
    let between = |pair: &[crate::legged::LegFrame]| {
        let (front, hind) = (pair[0].body, pair[1].body);
        let mut shared = front;
        while !hangs_on(creature, hind, shared) {
            shared = creature.bodies()[shared].parent;
        }
        let mut joints: Vec<(usize, f64)> =
            up_to(creature, front, shared).into_iter().map(|body| (body, 1.0)).collect();
        joints.extend(up_to(creature, hind, shared).into_iter().rev().map(|body| (body, -1.0)));
        joints.retain(|(body, _)| !creature.bodies()[*body].dofs.is_empty());
        joints
    };
    let one = |(k, pair): (usize, &[crate::legged::LegFrame])| Spine {
        frames: [k, k + 1],
        joints: between(pair),
        bodies: [pair[0].body, pair[1].body],
    };
    limbs.frames.windows(2).enumerate().map(one).collect()
}

/// Per body: the leg that it is of.
pub(super) fn legs_of_bodies(creature: &Creature, limbs: &Limbs) -> Vec<Option<usize>> {
    let mut of = vec![None; creature.bodies().len()];
    for (limb, own) in limbs.limbs.iter().enumerate() {
        let first = own.dofs.first().map(|dof| creature.dofs()[*dof].body);
        let Some(first) = first else { continue };
        for (body, of) in of.iter_mut().enumerate().skip(1) {
            if hangs_on(creature, body, first) {
                *of = Some(limb);
            }
        }
    }
    of
}

/// Per body: the frames that bear it as a virtual force. A link of the spine rests on both of its frames, the nearer the more; a leg on its own;
/// all else on the frame that it hangs on, or that is nearest on the way.
pub(super) fn borne(creature: &Creature, limbs: &Limbs, spines: &[Spine]) -> Vec<[(usize, f64); 2]> {
    let legs = legs_of_bodies(creature, limbs);
    let one = |body: usize| {
        let none = [(0, 0.0); 2];
        if body == 0 || limbs.frames.iter().any(|frame| frame.body == body) {
            return none;
        }
        if let Some(leg) = legs[body] {
            return [(limbs.limbs[leg].frame, 1.0), (0, 0.0)];
        }
        // The body itself, then what it hangs on, is a frame or a link of a spine.
        let mut at = body;
        loop {
            if let Some(frame) = limbs.frames.iter().position(|frame| frame.body == at) {
                return [(frame, 1.0), (0, 0.0)];
            }
            for spine in spines {
                if let Some(k) = spine.joints.iter().position(|(joint, _)| *joint == at) {
                    // n links have n − 1 joints: the link behind joint k is k + 1 links from the front.
                    let back = (k as f64 + 0.5) / spine.joints.len() as f64;
                    return [(spine.frames[0], 1.0 - back), (spine.frames[1], back)];
                }
            }
            if at == 0 {
                return [(0, 1.0), (0, 0.0)];
            }
            at = creature.bodies()[at].parent;
        }
    };
    (0..creature.bodies().len()).map(one).collect()
}
