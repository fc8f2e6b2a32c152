//! One cycle, simulated and judged. Of legs that alternate it is half of one, whose end is compared with the mirror image
//! of its start.

use gambol_anatomy::Foot;
use gambol_dynamics::{
    Data, Divergence, Drive, State, StepError, StepSettings, Stepper, World, center_of_mass_of,
    forward_kinematics, step,
};
use gambol_model::{BodyPoint, Vec3};

use super::score::{JudgeSettings, Term, WEIGHT_OBJECTIVE};
use super::space::PLACE;
use super::{Bursts, Limits, Score, Stride, Upright};
use crate::sketch::{PAPER_EFFORT, Stage};

/// What was seen of a foot at the start of a step.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Lowest point, m.
    low: f64,
    toe: f64,
    heel: f64,
    /// From hip to toe, m.
    length: f64,
}

/// What was seen of the creature at the start of a step.
#[derive(Clone, Debug, Default)]
struct Moment {
    com: Vec3,
    torso: f64,
    /// Feet that stand first, then their mates.
    feet: Vec<Seen>,
}

/// A simulated cycle.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// How it was judged.
    pub score: Score,
    /// Poses at the start of every step, if they were to be kept.
    pub poses: Vec<Vec<f64>>,
    /// Why it broke off, if it did.
    pub broke: Option<Divergence>,
}

/// A simulation that has ended.
struct Run<'s> {
    stride: &'s Stride,
    /// After the last step.
    state: State,
    /// Pose and velocity before it.
    last: (Vec<f64>, Vec<f64>),
    /// Steps made, and those of a whole cycle.
    made: usize,
    steps: usize,
    /// Share of the last step that belongs to the cycle.
    part: f64,
    /// E_e
    effort: f64,
}

/// Simulates strides: one thread's memory.
#[derive(Clone, Debug)]
pub struct Judge<'a> {
    stage: &'a Stage,
    world: &'a World,
    limits: Limits,
    settings: JudgeSettings,
    upright: Upright,
    stepper: Stepper,
    data: Data,
    moments: Vec<Moment>,
}

impl<'a> Judge<'a> {
    /// For strides of `stage` in `world`, which [`world`] makes.
    pub fn new(stage: &'a Stage, world: &'a World) -> Self {
        Self::with_settings(stage, world, JudgeSettings::default())
    }

    /// The same with other settings.
    pub fn with_settings(stage: &'a Stage, world: &'a World, settings: JudgeSettings) -> Self {
        let creature = world.creature();
        Self {
            stage,
            world,
            limits: Limits::new(stage),
            settings,
            upright: Upright::new(stage),
            stepper: Stepper::new(world),
            data: Data::new(creature),
            moments: Vec::new(),
        }
    }

    /// Simulates a cycle, or half of one, and judges it.
    pub fn cycle(&mut self, stride: &Stride, keep_poses: bool) -> Cycle {
        let (stage, world) = (self.stage, self.world);
        let creature = world.creature();
        let h = world.settings().step;
        let share = if stage.mirror.is_some() { 0.5 } else { 1.0 };
        let length = share * stride.period;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // periods are bounded
        let steps = (length / h).ceil().max(1.0) as usize;

        let controller = Bursts::new(stage, stride, h);
        let mut state = State::new(&stride.q, &stride.v);
        let mut torque = vec![0.0; creature.nv()];
        let mut last = (state.q.clone(), state.v.clone());
        let mut effort = 0.0;
        let JudgeSettings { mut units, margin, barrier, .. } = self.settings;
        units[3] *= self.limits.most_effort;
        let mut easy = units.map(|unit| Term::new(unit, margin, barrier));
        let mut poses = Vec::new();
        let mut broke = None;
        self.moments.clear();
        for _ in 0..steps {
            torque.fill(0.0);
            controller.add(state.time, &[], &mut torque);
            last.0.copy_from_slice(&state.q);
            last.1.copy_from_slice(&state.v);
            if keep_poses {
                poses.push(state.q.clone());
            }
            let drive = Drive { rest: creature.rest_pose(), torque: &torque, strength: &[], pushes: &[] };
            if let Err(divergence) = step(world, &mut self.stepper, &mut state, &drive) {
                broke = Some(divergence);
                break;
            }
            let moment = look(stage, &self.stepper.data);
            let fallen = self.upright.has_fallen(moment.com.dot(&stage.axes[2]));
            self.moments.push(moment);
            effort += torque.iter().map(|torque| torque * torque).sum::<f64>() / steps as f64;
            for rate in &state.v[6..] {
                easy[2].within(*rate, self.limits.most_rate);
            }
            if fallen {
                let reason = "it fell".to_owned();
                broke = Some(Divergence {
                    time: state.time,
                    body: creature.bodies()[stage.torso].name.clone(),
                    reason,
                });
                break;
            }
        }
        forward_kinematics(creature, &mut self.data, &state.q);
        self.moments.push(look(stage, &self.data));

        let made = self.moments.len() - 1;
        let part = if broke.is_some() { 1.0 } else { length / h - (steps - 1) as f64 };
        let run = Run { stride, state, last, made, steps, part, effort };
        Cycle { score: self.judge(&run, easy), poses, broke }
    }

    fn judge(&self, run: &Run, mut easy: [Term; 9]) -> Score {
        let (stage, limits, moments) = (self.stage, &self.limits, &self.moments);
        let &Run { stride, made, steps, part, effort, .. } = run;
        let h = self.world.settings().step;
        let [forward, left, up] = stage.axes;
        let velocity = |k: usize| (moments[k + 1].com - moments[k].com) / h;
        let lost = (steps - made) as f64 * self.settings.lost;

        // The mean velocity up to the end of the cycle, which lies within the last step.
        let mut mean = Vec3::zeros();
        let mut time = 0.0;
        for k in 0..made {
            let share = if k + 1 == steps { part } else { 1.0 };
            mean += velocity(k) * share;
            time += share;
        }
        mean /= f64::max(time, 1e-9);

        for k in 0..made {
            easy[0].at_least(velocity(k).dot(&forward), limits.least_speed_ever);
            easy[5].at_least(moments[k].torso - moments[k].com.dot(&up), 0.0);
        }
        easy[1].at_least(mean.dot(&forward), limits.least_speed);
        easy[1].within(mean.dot(&left), limits.most_drift);
        easy[1].within(mean.dot(&up), limits.most_drift);
        easy[3].at_most(effort, limits.most_effort);
        priority(stage, stride, &mut easy[4]);
        let order = Turns::new(stage, stride, h, steps);
        self.stance(&order, stride.bursts[1], made, &mut easy[6]);
        for foot in &moments[0].feet {
            // Nothing is to be gained from a start inside the ground.
            easy[6].at_least(foot.low, -limits.most_gap);
        }
        let [lift, fading] = self.lift(&order, made, h);
        easy[7].at_least(lift, limits.least_lift);
        easy[7].followed_by(fading, limits.least_lift);
        if stage.mirror.is_some() {
            self.stub(&order, made, &mut easy[8]);
        }
        for k in [0, 5, 6] {
            easy[k].value += lost;
        }
        // Some are added up over a cycle.
        let short =
            |k: usize| easy[k].shortage(if [0, 2, 5, 6, 8].contains(&k) { self.settings.moment } else { 1 });
        Score {
            speed: mean.dot(&forward),
            effort,
            weight: WEIGHT_OBJECTIVE * PAPER_EFFORT / limits.most_effort,
            easy: easy.map(|term| term.value),
            short: std::array::from_fn(short),
            gap: self.gap(run),
        }
    }

    /// E7: the foot stands while it thrusts.
    fn stance(&self, order: &Turns, burst: f64, made: usize, term: &mut Term) {
        let h = self.world.settings().step;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bursts are bounded
        let window = order.steps.min((burst / h).ceil().max(1.0) as usize);
        for (step, others) in (0..window).map(|k| order.at(k)).filter(|(step, _)| *step < made) {
            let feet = order.feet(&self.moments[step], others);
            let gap = feet.iter().map(|foot| foot.low).fold(f64::NEG_INFINITY, f64::max);
            term.at_most(gap, self.limits.most_gap);
        }
    }

    /// δ of E8: how far the toe goes up as the creature takes off from it, m. The heel is higher than the toe, the body rises
    /// and has sunk since the foot became the one that stands, and the toe is not drawn up faster than that. Second, the
    /// same with conditions that fade instead of jump.
    fn lift(&self, order: &Turns, made: usize, h: f64) -> [f64; 2] {
        let up = self.stage.axes[2];
        let [sinks, rises, behind, lifted] = self.settings.fades;
        let fade = |margin: f64, width: f64| (0.2 + 0.8 * margin / width).clamp(0.0, 1.0);
        let mut sinking = f64::INFINITY;
        let mut lift = [0.0; 2];
        for (step, others) in (0..order.steps).map(|k| order.at(k)).filter(|(step, _)| *step < made) {
            let (now, next) = (&self.moments[step], &self.moments[step + 1]);
            let rise = (next.com - now.com).dot(&up) / h;
            sinking = f64::min(sinking, rise);
            // Of feet that stand together the one that lifts least counts.
            let mut least = [f64::INFINITY; 2];
            for (now, next) in order.feet(now, others).iter().zip(order.feet(next, others)) {
                let way = (next.toe - now.toe).max(0.0);
                let (ahead, heel) = (rise - way / h + self.settings.most_drawn, next.heel - next.toe);
                let off = sinking < 0.0 && rise > 0.0 && ahead > 0.0 && heel > 0.0;
                least[0] = f64::min(least[0], if off { way } else { 0.0 });
                let faded = way
                    * fade(-sinking, sinks)
                    * fade(rise, rises)
                    * fade(ahead, behind)
                    * fade(heel, lifted);
                least[1] = f64::min(least[1], faded);
            }
            lift[0] += least[0];
            lift[1] += least[1];
        }
        lift
    }

    /// E9: while one foot stands, the leg that swings is the shorter one.
    fn stub(&self, order: &Turns, made: usize, term: &mut Term) {
        let turns = (0..order.steps).map(|k| order.at(k));
        for (step, others) in turns.filter(|(step, _)| *step < made) {
            let moment = &self.moments[step];
            let (stance, swing) = (order.feet(moment, others), order.feet(moment, !others));
            for (stance, swing) in stance.iter().zip(swing) {
                let above = (stance.low - self.limits.most_gap).max(0.0);
                term.at_least_if(
                    above == 0.0,
                    1.0 - above / self.settings.low,
                    stance.length - swing.length,
                    0.0,
                );
            }
        }
    }

    /// φ, interpolated to the end of the cycle, which lies within the last step.
    fn gap(&self, run: &Run) -> Vec<f64> {
        let Run { stride, state, last, part, .. } = run;
        let creature = self.world.creature();
        let nv = creature.nv();
        let mut end = last.0.clone();
        creature.integrate(&mut end, &state.v, *part * self.world.settings().step);
        let mut at_start = vec![0.0; nv];
        creature.difference(creature.rest_pose(), &stride.q, &mut at_start);
        let mut wanted = creature.rest_pose().to_vec();
        creature.integrate(&mut wanted, &self.stage.mirrored(&at_start), 1.0);
        let mut gap = vec![0.0; nv];
        creature.difference(&wanted, &end, &mut gap);
        gap.drain(..PLACE);
        let wanted = self.stage.mirrored(&stride.v);
        gap.extend((0..nv).map(|k| last.1[k] + part * (state.v[k] - last.1[k]) - wanted[k]));
        gap
    }
}

/// E5: in each phase the modes with priority are stronger than all others together.
fn priority(stage: &Stage, stride: &Stride, term: &mut Term) {
    for (active, amplitudes) in stage.active.iter().zip([&stride.flight, &stride.ground]) {
        if active.iter().all(|active| active.priority.is_none()) {
            continue;
        }
        let signed = active.iter().zip(amplitudes).map(|(active, amplitude)| {
            if active.priority.is_some() { amplitude.abs() } else { -amplitude.abs() }
        });
        term.at_least(signed.sum(), 0.0);
    }
}

/// Steps in the order in which a foot lives through them, from the start of its thrust on, and whose turn it is.
///
/// Only half of a cycle is simulated where legs alternate. What comes after its end is the mirror image of its beginning: the
/// other foot at the first steps.
struct Turns {
    steps: usize,
    /// The step in which a thrust begins.
    first: usize,
    /// Whether that is one of the others.
    others: bool,
    /// How many stand at a time.
    count: usize,
    alternate: bool,
}

impl Turns {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the cycle
    fn new(stage: &Stage, stride: &Stride, h: f64, steps: usize) -> Self {
        let alternate = stage.mirror.is_some();
        let start = stride.flight_share * stride.period;
        let half = if alternate { 0.5 * stride.period } else { stride.period };
        let others = start >= half;
        let start = if others { start - half } else { start };
        let first = ((start / h).round() as usize).min(steps - 1);
        Self { steps, first, others, count: stage.stance.len(), alternate }
    }

    /// The k-th step after the thrust begins, and whether the others stand in it.
    fn at(&self, k: usize) -> (usize, bool) {
        let step = self.first + k;
        if step < self.steps {
            (step, self.others)
        } else {
            (step - self.steps, self.others != self.alternate)
        }
    }

    /// The feet whose turn it is.
    fn feet<'m>(&self, moment: &'m Moment, others: bool) -> &'m [Seen] {
        if others { &moment.feet[self.count..] } else { &moment.feet[..self.count] }
    }
}

/// Looks at the creature with the frames in `data`.
fn look(stage: &Stage, data: &Data) -> Moment {
    let creature = &stage.creature;
    let up = stage.axes[2];
    let in_world = |point: BodyPoint| data.frames[point.body].point_in_world(point.point);
    let torso = BodyPoint { body: stage.torso, point: creature.bodies()[stage.torso].mass.com };
    let see = |foot: &Foot| Seen {
        low: lowest(stage, data, &foot.bodies),
        toe: in_world(foot.toe).dot(&up),
        heel: in_world(foot.heel).dot(&up),
        length: (in_world(foot.toe) - in_world(foot.hip)).norm(),
    };
    Moment {
        com: center_of_mass_of(creature, &data.frames),
        torso: in_world(torso).dot(&up),
        feet: stage.stance.iter().chain(&stage.others).map(see).collect(),
    }
}

/// Height of the lowest point of some bodies, m.
fn lowest(stage: &Stage, data: &Data, bodies: &[usize]) -> f64 {
    let creature = &stage.creature;
    let down = -stage.axes[2];
    let mut lowest = f64::INFINITY;
    for &body in bodies {
        let frame = &data.frames[body];
        for spec in &creature.shapes()[creature.bodies()[body].shapes.clone()] {
            let in_shape = spec.body_from_shape.rotation.inverse() * frame.rotation.tr_mul(&down);
            let point = spec.body_from_shape.transform_point(&spec.shape.support(in_shape).into()).coords;
            lowest = lowest.min(-frame.point_in_world(point).dot(&down));
        }
    }
    lowest
}

/// The flat world that a stage is simulated in, with steps of `step`, s.
pub fn world(stage: &Stage, step: f64) -> Result<World, StepError> {
    World::new(stage.creature.clone(), StepSettings { step, ..StepSettings::default() })
}
