//! Goes where it is told: speed and heading, the gait that suits the speed, and targets that are pursued.

use gambol_dynamics::Sense;
use gambol_model::{Creature, Random, Vec3, math};

use super::pilot::{Course, LegUnits, Pilot, PilotMemory, ground_height};
use super::reference::{about_z, orientation, yaw_of};
use super::{
    FootPhase, Ladder, RoamSettings, Rung, StrideReference, Walker, WalkerError, WalkerSettings, Whole,
    WholeMemory,
};
use crate::{Command, Controller, Event};

/// Something that is wanted from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// s
    pub time: f64,
    /// What: m/s, rad/s or rad.
    pub value: f64,
}

/// Where a creature is to go, and how fast.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errand {
    /// m/s, each until the next; before the first it stands.
    pub speeds: Vec<Timed>,
    /// rad/s to the left.
    pub turns: Vec<Timed>,
    /// rad from where it faced at the start, to the left. Of a turn and a heading, the later one holds.
    pub headings: Vec<Timed>,
    /// Places to go to one after another, m. They come before speeds and headings, as long as there are any.
    pub targets: Vec<[f64; 2]>,
    /// A ball that rolls on when it is nearly reached, after all targets: where it lies first, m, and by what its way is chosen.
    pub ball: Option<([f64; 2], u64)>,
}

impl Errand {
    /// Refuses what makes no sense, and says where it is.
    pub(super) fn check(&self) -> Result<(), WalkerError> {
        let refuse =
            |what: &'static str, index: usize, value: f64| WalkerError::Errand { what, index, value };
        for (what, list, least) in [
            ("speed", &self.speeds, 0.0),
            ("turn", &self.turns, f64::NEG_INFINITY),
            ("heading", &self.headings, f64::NEG_INFINITY),
        ] {
            for (index, Timed { time, value }) in list.iter().enumerate() {
                let bad = [(*time, 0.0), (*value, least)];
                let bad = bad.into_iter().find(|(number, least)| !(number.is_finite() && number >= least));
                bad.map_or(Ok(()), |(number, _)| Err(refuse(what, index, number)))?;
            }
        }
        let ball = self.ball.iter().map(|(place, _)| ("ball", 0, place));
        let targets = self.targets.iter().enumerate().map(|(index, place)| ("target", index, place));
        for (what, index, place) in targets.chain(ball) {
            let bad = place.iter().find(|number| !number.is_finite());
            bad.map_or(Ok(()), |number| Err(refuse(what, index, *number)))?;
        }
        Ok(())
    }
}

/// What somebody asks for at the moment, who leads a creature by hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steer {
    /// m/s
    pub speed: f64,
    /// rad/s to the left.
    pub turn: f64,
}

/// A creature that goes where it is told.
#[derive(Clone, Debug)]
pub struct Roam {
    /// One controller a rung.
    wholes: Vec<Whole>,
    ladder: Ladder,
    units: LegUnits,
    errand: Errand,
    settings: RoamSettings,
    /// Phase at which who stands waits for its first step, cycles.
    first_step: f64,
}

/// What it remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct RoamMemory {
    /// Of the stride that is followed.
    pub whole: WholeMemory,
    /// Number of that stride in the ladder.
    pub rung: usize,
    /// When it came there, s.
    since: f64,
    /// Since when who begins to go leans over the feet that will bear it, s.
    leans: Option<f64>,
    /// Speed along its heading over about a stride, m/s.
    pub speed: f64,
    /// What is asked of the stride, m/s, ...
    asked: f64,
    /// ... and rad/s.
    turn: f64,
    /// The heading at the start, rad; none before it began.
    first: Option<f64>,
    /// Comes before its errand, if anybody steers.
    pub steer: Option<Steer>,
    /// Targets and balls that were reached.
    pub caught: usize,
    /// Where the ball is, m.
    pub ball: Option<[f64; 2]>,
    random: Random,
    /// Sums over all steps: of the speed that was wanted and of that which was had, m, and of the square of the angle between where its
    /// trunk faces and where it is led, rad² s.
    pub sums: [f64; 3],
}

impl Roam {
    /// For a walker on the first stride of `ladder`, by the same numbers.
    pub fn new(
        walker: &Walker,
        ladder: Ladder,
        errand: Errand,
        (walking, settings): (&WalkerSettings, RoamSettings),
    ) -> Result<Self, WalkerError> {
        settings.check()?;
        errand.check()?;
        let Walker { creature, strength, .. } = walker;
        let units = walker.pilot.units;
        let one = |rung: &Rung| {
            let reference = rung.reference.clone();
            let pilot = Pilot::new(creature, reference, walking.pilot.clone(), &walking.regulator);
            let course = pilot.own_course();
            Whole::new(creature, pilot, course, strength.clone(), walking.whole.clone())
        };
        let wholes = ladder.rungs.iter().map(one).collect::<Result<_, _>>()?;
        let slowest = ladder.rungs.iter().find(|rung| rung.speed > 0.0);
        let first_step = slowest.map_or(0.0, first_step);
        Ok(Self { wholes, ladder, units, errand, settings, first_step })
    }

    /// What it goes by.
    pub fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// Where it goes now: a place, or nothing if it follows its speeds and headings.
    fn target(&self, memory: &RoamMemory) -> Option<[f64; 2]> {
        self.errand.targets.get(memory.caught).copied().or(memory.ball)
    }

    /// What is asked for now: m/s, and how it is to turn.
    fn ask(&self, sense: &Sense, memory: &RoamMemory) -> (f64, Turning) {
        if let Some(Steer { speed, turn }) = memory.steer {
            return (speed, Turning::By(turn));
        }
        if let Some(target) = self.target(memory) {
            return self.pursue(sense, memory, target);
        }
        if !self.errand.targets.is_empty() {
            return (0.0, Turning::By(0.0));
        }
        let time = sense.time();
        let now = |list: &[Timed]| list.iter().rev().find(|timed| timed.time <= time).copied();
        let turning = match (now(&self.errand.turns), now(&self.errand.headings)) {
            (Some(turn), to) if to.is_none_or(|to| to.time < turn.time) => Turning::By(turn.value),
            (_, Some(to)) => Turning::To(memory.first.unwrap_or(0.0) + to.value),
            _ => Turning::By(0.0),
        };
        (now(&self.errand.speeds).map_or(0.0, |timed| timed.value), turning)
    }

    /// In proportion to the distance (Kokkevis et al. 1995, pursuit), slowly while it faces elsewhere.
    fn pursue(&self, sense: &Sense, memory: &RoamMemory, target: [f64; 2]) -> (f64, Turning) {
        let center = sense.center_of_mass();
        let (x, y) = (target[0] - center.x, target[1] - center.y);
        let present = memory.whole.pilot.heading;
        let heading = nearest_turn(present, math::atan2(y, x) - self.yaw_of_forward());
        let ahead = math::cos(heading - present).max(self.settings.aside);
        let speed = self.settings.pursuit / self.units.time() * math::hypot(x, y) * ahead;
        (speed.min(self.settings.hurry * self.units.speed()), Turning::To(heading))
    }

    /// The angle of the way it faces in its clip, rad.
    fn yaw_of_forward(&self) -> f64 {
        math::atan2(self.units.forward.y, self.units.forward.x)
    }

    /// Speed and turn that are asked of the stride.
    fn course(&self, sense: &Sense, memory: &mut RoamMemory) -> Course {
        let h = sense.world().settings().step;
        let settings = &self.settings;
        let (natural, unit) = (self.units.time(), self.units.speed());
        let (wanted, turning) = self.ask(sense, memory);
        let reference = &self.ladder.rungs[memory.rung].reference;
        let heading = memory.whole.pilot.heading;
        let velocity = sense.momentum().linear / reference.base.mass;
        let speed = velocity.dot(&(about_z(heading) * self.units.forward));
        memory.speed += (h / reference.period()).min(1.0) * (speed - memory.speed);
        // Not further from what it does than it can follow.
        let most = settings.spread * unit;
        let asked = wanted.clamp(memory.speed - most, memory.speed + most).max(0.0);
        let faster = settings.haste * self.units.gravity * h;
        memory.asked += (asked - memory.asked).clamp(-faster, faster);
        let sideways = settings.sideways * self.units.gravity / memory.speed.abs().max(settings.slow * unit);
        let fastest = sideways.min(settings.turn / natural);
        let turn = match turning {
            Turning::By(rate) => rate,
            Turning::To(angle) => settings.heading / natural * (angle - heading),
        };
        let off = facing(sense, &memory.whole.pilot, reference) - heading;
        for (sum, value) in memory.sums.iter_mut().zip([wanted, speed, off * off]) {
            *sum += h * value;
        }
        let swerve = settings.swerve / (natural * natural) * h;
        memory.turn += (turn.clamp(-fastest, fastest) - memory.turn).clamp(-swerve, swerve);
        Course { speed: memory.asked, side: 0.0, turn: memory.turn }
    }

    /// Goes up or down the ladder by a rung, if it is time.
    fn climb(&self, sense: &Sense, speed: f64, memory: &mut RoamMemory, command: &mut Command) {
        let stays = sense.time() - memory.since;
        let natural = self.units.time();
        if stays < self.settings.dwell * natural
            || stays < self.settings.patience * natural && !self.is_calm(sense, &memory.whole.pilot)
        {
            return;
        }
        let next = self.ladder.step_towards(memory.rung, speed, self.settings.margin);
        let (from, to) = (self.ladder.rungs[memory.rung].gait, self.ladder.rungs[next].gait);
        if next != memory.rung {
            if self.stands(memory.rung) {
                memory.leans = Some(sense.time());
            }
            (memory.rung, memory.since) = (next, sense.time());
            self.wholes[next].pilot().take_over(sense, &mut memory.whole.pilot);
        }
        if from != to {
            command.tell(Event { time: sense.time(), what: CHANGES, which: to });
        }
    }

    /// Whether it is near its stride: who still makes up for the last change does not begin the next.
    fn is_calm(&self, sense: &Sense, pilot: &PilotMemory) -> bool {
        let velocity = sense.momentum().linear / self.ladder.rungs[0].reference.base.mass;
        let (off, faster) = (sense.center_of_mass() - pilot.center, velocity - pilot.velocity);
        off.norm() < self.settings.calm * self.units.length
            && faster.norm() < self.settings.calm * self.units.speed()
    }

    /// Whether the stride on a rung goes nowhere.
    fn stands(&self, rung: usize) -> bool {
        self.ladder.rungs[rung].speed == 0.0
    }

    /// Whether who begins to go has still to bring its weight over the feet that will bear it: those of one side alone topple who does not
    /// move towards them. It does not wait for ever.
    fn leans_on(&self, sense: &Sense, since: f64, pilot: &PilotMemory) -> bool {
        let natural = self.units.time();
        let left = about_z(pilot.heading) * Vec3::z().cross(&self.units.forward);
        let velocity = sense.momentum().linear / self.ladder.rungs[0].reference.base.mass;
        // The capture point (Pratt et al. 2006), against that of the stride.
        let pendulum = (pilot.moment.com.place.z.max(0.0) / self.units.gravity).sqrt();
        let off = sense.center_of_mass() - pilot.center + (velocity - pilot.velocity) * pendulum;
        off.dot(&left).abs() > self.settings.lean * self.units.length
            && sense.time() - since < self.settings.patience * natural
    }

    /// Counts a target that is reached, and lets a ball roll on.
    fn catch(&self, sense: &Sense, memory: &mut RoamMemory, command: &mut Command) {
        let Some(target) = self.target(memory) else { return };
        let center = sense.center_of_mass();
        let away = Vec3::new(target[0] - center.x, target[1] - center.y, 0.0);
        if away.norm() > self.settings.reach * self.units.length {
            return;
        }
        command.tell(Event { time: sense.time(), what: CATCHES, which: memory.caught });
        let of_list = memory.caught < self.errand.targets.len();
        memory.caught += 1;
        if let (false, Some(ball)) = (of_list, &mut memory.ball) {
            let [near, far] = self.settings.rolls.map(|lengths| lengths * self.units.length);
            let way = near + (far - near) * memory.random.unit();
            let course = memory.whole.pilot.heading + self.yaw_of_forward();
            let angle = course + self.settings.aslant * memory.random.symmetric();
            *ball = [ball[0] + way * math::cos(angle), ball[1] + way * math::sin(angle)];
        }
    }
}

/// The phase of a stride at which most feet stand, for the longest time, just before one of them is lifted, cycles.
fn first_step(rung: &Rung) -> f64 {
    let graph = &rung.reference.graph;
    let starts = graph.feet.iter().flat_map(|foot| foot.stances.iter().map(|[start, _]| *start));
    let stand = |phase: f64| {
        let left = |foot: usize| match graph.at(foot, phase) {
            FootPhase::Stands { left, .. } => Some(left),
            FootPhase::Swings { .. } => None,
        };
        let lefts: Vec<f64> = (0..graph.feet.len()).filter_map(left).collect();
        (lefts.len(), lefts.into_iter().fold(1.0, f64::min))
    };
    let mut starts: Vec<f64> = starts.collect();
    starts.sort_by(f64::total_cmp);
    // The first of the best, whatever the order of feet.
    let better = |a: &((usize, f64), f64), b: &((usize, f64), f64)| {
        a.0.0.cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)).then(b.1.total_cmp(&a.1))
    };
    let best = starts.into_iter().map(|start| (stand(start), start)).max_by(better);
    best.map_or(0.0, |((_, left), start)| start + (1.0 - BEFORE) * left)
}

/// Share of the time that most feet stand that is left when the first is lifted.
const BEFORE: f64 = 0.1;

/// How a creature is to turn.
enum Turning {
    /// rad/s
    By(f64),
    /// rad
    To(f64),
}

/// Where its trunk faces, as the heading of a carriage that it would be at ease in, rad.
fn facing(sense: &Sense, pilot: &PilotMemory, reference: &StrideReference) -> f64 {
    let q = reference.base.q;
    let turn = orientation(&sense.state().q, q) * orientation(&pilot.moment.pose, q).inverse();
    nearest_turn(pilot.heading, yaw_of(&turn))
}

/// What events say when the gait changes, ...
pub const CHANGES: &str = "changes gait";
/// ... and when a target is reached.
pub const CATCHES: &str = "catches";

/// The angle that is `angle` but for whole turns, and nearest to `to`, rad.
fn nearest_turn(to: f64, angle: f64) -> f64 {
    let off = (angle - to + std::f64::consts::PI).rem_euclid(2.0 * std::f64::consts::PI);
    to + off - std::f64::consts::PI
}

impl Controller for Roam {
    type Memory = RoamMemory;

    fn memory(&self, creature: &Creature) -> RoamMemory {
        let ball = self.errand.ball;
        RoamMemory {
            whole: self.wholes[0].memory(creature),
            rung: 0,
            since: 0.0,
            leans: None,
            speed: 0.0,
            asked: 0.0,
            turn: 0.0,
            first: None,
            steer: None,
            caught: 0,
            ball: ball.map(|(place, _)| place),
            random: Random::new(ball.map_or(0, |(_, seed)| seed)),
            sums: [0.0; 3],
        }
    }

    fn command(&self, sense: &Sense, memory: &mut RoamMemory, command: &mut Command) {
        if memory.first.is_none() {
            // Where it faces is known when its stride has begun.
            let course = Course { speed: 0.0, side: 0.0, turn: 0.0 };
            self.wholes[0].steer(sense, &course, &mut memory.whole, command);
            memory.first = Some(memory.whole.pilot.heading);
            return;
        }
        self.catch(sense, memory, command);
        let course = self.course(sense, memory);
        self.climb(sense, course.speed, memory, command);
        if self.stands(memory.rung) || memory.leans.is_some() {
            memory.whole.pilot.phase = self.first_step;
        }
        memory.whole.pilot.looks_at = self.target(memory).map(|[x, y]| {
            let ground = ground_height(sense, Vec3::new(x, y, 0.0));
            Vec3::new(x, y, ground + self.settings.ball * self.units.length)
        });
        self.wholes[memory.rung].steer(sense, &course, &mut memory.whole, command);
        memory.leans = memory.leans.filter(|since| self.leans_on(sense, *since, &memory.whole.pilot));
    }
}
