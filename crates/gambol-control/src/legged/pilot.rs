//! What every controller on legs wants: phase and carriage, the state of each leg and where its foot is to go.

use gambol_anatomy::Legs;
use gambol_dynamics::{Contact, Data, Sense};
use gambol_model::{Creature, Quat, Vec3, math};

use super::automaton::{LegSight, LegState, next_state};
use super::reference::{about_z, orientation, yaw_of};
use super::slope::{slope_under, tilt};
use super::{
    Deviation, FootPhase, Moment, Moving, PilotSettings, Regulator, RegulatorSettings, StrideReference,
};
use crate::{Command, Event};

/// What a creature is measured in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegUnits {
    /// Mean height of the hips over the feet, m.
    pub length: f64,
    /// Mean length of the legs when they are stretched, m: a spider's are far longer than it is high.
    pub stretched: f64,
    /// m/s²
    pub gravity: f64,
    /// The way it faces in the clip, level, of length 1.
    pub forward: Vec3,
    /// How much of a slope the trunk follows, from 0 to 1, ahead and aside: a dog's nearly all ahead, a person's none.
    pub follows: [f64; 2],
}

/// Feet of different legs that stand so far before and behind each other (or beside), root of the mean square in leg lengths, let the trunk
/// follow half of a slope. A dog's have 0.6, a person's none.
const FOLLOWS: f64 = 0.2;

impl LegUnits {
    /// Of a creature with feet; of another one, by the height of its centre of mass over the lowest point of its stride.
    pub fn new(creature: &Creature, reference: &StrideReference) -> Self {
        let legs = Legs::new(creature, &mut Data::new(creature), creature.rest_pose());
        let height = reference.center_of_mass(0.0).place.z;
        let length = if legs.length > 0.0 { legs.length } else { height.max(f64::MIN_POSITIVE) };
        let stretched = legs.legs.iter().map(|leg| leg.straight).sum::<f64>() / legs.legs.len().max(1) as f64;
        let forward = legs.heading.forward;
        let follows = [forward, Vec3::z().cross(&forward)].map(|way| {
            let apart = math::square(reference.feet_apart(way) / (FOLLOWS * length));
            apart / (1.0 + apart)
        });
        Self {
            length,
            stretched: stretched.max(length),
            gravity: creature.gravity().norm(),
            forward,
            follows,
        }
    }

    /// √(l/g), s.
    pub fn time(&self) -> f64 {
        (self.length / self.gravity).sqrt()
    }

    /// √(g l), m/s.
    pub fn speed(&self) -> f64 {
        (self.length * self.gravity).sqrt()
    }
}

/// Where a creature is to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// m/s along its heading.
    pub speed: f64,
    /// m/s to its left.
    pub side: f64,
    /// rad/s
    pub turn: f64,
}

/// Leads a creature along its stride.
#[derive(Clone, Debug, PartialEq)]
pub struct Pilot {
    /// What is followed.
    pub reference: StrideReference,
    /// Of the creature.
    pub units: LegUnits,
    /// By what numbers.
    pub settings: PilotSettings,
    /// What is done about deviations.
    pub regulator: Regulator,
    /// Phase at the start, cycles.
    pub start_phase: f64,
}

/// One leg from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegMemory {
    /// What it is about.
    pub state: LegState,
    /// Phase at which that began, counted on over all strides, cycles.
    since: f64,
    /// Where its foot was when the swing began, m.
    lifted: Vec3,
    /// Where it is to come down, m.
    set_down: Vec3,
    /// Whether its foot touches.
    pub touches: bool,
    /// The ground where it touched last, m.
    stood: Option<Vec3>,
    /// What is wanted of its foot, in the world.
    pub wanted: Moving,
    /// Where its foot is, m.
    pub place: Vec3,
    /// How it moves, m/s.
    pub velocity: Vec3,
    /// Heading of the carriage by which its foot is turned, rad: that of the moment in which it was set down, as long as it stands.
    pub heading: f64,
}

/// What a pilot remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct PilotMemory {
    /// Cycles since the start, whole ones too.
    pub phase: f64,
    /// Of the carriage, rad about z.
    pub heading: f64,
    /// Of the carriage, m.
    pub place: Vec3,
    /// Height of the ground under the centre of mass, by the feet that stand, m, ...
    pub ground: f64,
    /// ... and its slope: metres up per metre along x and y.
    pub slope: Vec3,
    /// What that makes of all that is upright on the level, ...
    pub(super) tilt: Quat,
    /// ... and what the trunk follows of it.
    pub(super) trunk_tilt: Quat,
    /// In the order of the reference's feet.
    pub legs: Vec<LegMemory>,
    /// The stride at the phase.
    pub moment: Moment,
    /// The velocity of the centre of mass that is wanted, m/s in the world, ...
    pub velocity: Vec3,
    /// ... and its acceleration, m/s²: that of the stride, and what bends its way.
    pub acceleration: Vec3,
    /// Its place, m.
    pub center: Vec3,
    /// Velocity of the carriage in the step before, m/s in the world.
    drift: Option<Vec3>,
    /// Acceleration beyond that of the stride, m/s² in the world.
    bent: Vec3,
    /// Added to the velocity that is wanted, so that the mean is met, m/s in the world.
    trim: Vec3,
    /// From the stride, along the carriage's axes.
    deviation: Deviation,
    /// What is done about it, in the world: acceleration of the centre of mass, m/s², ...
    pub push: Vec3,
    /// ... and angular acceleration of the trunk, rad/s².
    pub twist: Vec3,
    /// What the head turns to, m; none: as in the stride.
    pub looks_at: Option<Vec3>,
    begun: bool,
}

impl Pilot {
    /// A pilot of `creature` along a stride, from its start.
    pub fn new(
        creature: &Creature,
        reference: StrideReference,
        settings: PilotSettings,
        tolerances: &RegulatorSettings,
    ) -> Self {
        let units = LegUnits::new(creature, &reference);
        let regulator = Regulator::new(creature, &reference, &units, tolerances);
        Self { reference, units, settings, regulator, start_phase: 0.0 }
    }

    /// The course of the stride itself.
    pub fn own_course(&self) -> Course {
        let (ahead, left) = self.directions();
        let velocity = self.reference.velocity;
        Course { speed: velocity.dot(&ahead), side: velocity.dot(&left), turn: self.reference.turn }
    }

    /// Ahead and left, in the clip.
    fn directions(&self) -> (Vec3, Vec3) {
        (self.units.forward, Vec3::z().cross(&self.units.forward))
    }

    /// Velocity that is wanted in the carriage, m/s.
    fn drift(&self, course: &Course) -> Vec3 {
        let (ahead, left) = self.directions();
        ahead * course.speed + left * course.side
    }

    pub(super) fn memory(&self, creature: &Creature) -> PilotMemory {
        let still = Moving { place: Vec3::zeros(), velocity: Vec3::zeros(), acceleration: Vec3::zeros() };
        let leg = LegMemory {
            state: LegState::ToSetDown,
            since: 0.0,
            lifted: Vec3::zeros(),
            set_down: Vec3::zeros(),
            touches: false,
            stood: None,
            wanted: still,
            place: Vec3::zeros(),
            velocity: Vec3::zeros(),
            heading: 0.0,
        };
        PilotMemory {
            phase: self.start_phase,
            heading: 0.0,
            place: Vec3::zeros(),
            ground: 0.0,
            slope: Vec3::zeros(),
            tilt: Quat::identity(),
            trunk_tilt: Quat::identity(),
            legs: vec![leg; self.reference.feet.len()],
            moment: Moment::new(creature),
            velocity: Vec3::zeros(),
            acceleration: Vec3::zeros(),
            center: Vec3::zeros(),
            drift: None,
            bent: Vec3::zeros(),
            trim: Vec3::zeros(),
            deviation: Deviation::new(self.reference.feet.len()),
            push: Vec3::zeros(),
            twist: Vec3::zeros(),
            looks_at: None,
            begun: false,
        }
    }

    /// Looks at the creature, moves phase and carriage on by a step, and decides what each leg does.
    pub(super) fn lead(
        &self,
        sense: &Sense,
        course: &Course,
        memory: &mut PilotMemory,
        command: &mut Command,
    ) {
        if !memory.begun {
            self.begin(sense, memory);
        }
        let h = sense.world().settings().step;
        let creature = sense.creature();
        self.reference.at(creature, memory.phase, &mut memory.moment);
        self.feel_feet(sense, memory);
        self.move_carriage(sense, course, memory, h);
        self.deviate(sense, course, memory);
        for foot in 0..memory.legs.len() {
            self.decide(sense, memory, foot, command);
            self.swing(sense, course, memory, foot);
            let leg = &mut memory.legs[foot];
            if !leg.state.pushes() {
                leg.heading = memory.heading;
            }
        }
        memory.phase += h / self.reference.period();
    }

    /// The carriage begins where the creature is.
    fn begin(&self, sense: &Sense, memory: &mut PilotMemory) {
        let base = &self.reference.base;
        self.reference.at(sense.creature(), memory.phase, &mut memory.moment);
        let turn = orientation(&sense.state().q, base.q) * orientation(&memory.moment.pose, base.q).inverse();
        memory.heading = yaw_of(&turn);
        let relative = about_z(memory.heading) * memory.moment.com.place;
        let center = sense.center_of_mass();
        memory.place = Vec3::new(center.x - relative.x, center.y - relative.y, 0.0);
        memory.ground = ground_height(sense, center);
        self.feel_feet(sense, memory);
        for foot in 0..memory.legs.len() {
            let leg = &mut memory.legs[foot];
            let stands = matches!(self.reference.graph.at(foot, memory.phase), FootPhase::Stands { .. });
            leg.state = if stands { LegState::Pushes } else { LegState::ToSetDown };
            leg.since = memory.phase;
            leg.set_down = leg.place;
            leg.lifted = leg.place;
            leg.heading = memory.heading;
            if let FootPhase::Swings { share, length, .. } = self.reference.graph.at(foot, memory.phase) {
                // As if it had come all the way.
                let (now, first) = (memory.phase, memory.phase - share * length);
                let way = self.reference.foot(foot, now).place - self.reference.foot(foot, first).place;
                let drift = self.reference.velocity * (share * length * self.reference.period());
                leg.lifted = leg.place - about_z(memory.heading) * (way + drift);
            }
        }
        memory.begun = true;
    }

    /// Goes on with this stride from another one: the carriage is put where the feet that stand are on their places in the stride, as nearly
    /// as can be.
    pub(super) fn take_over(&self, sense: &Sense, memory: &mut PilotMemory) {
        let turn = about_z(memory.heading);
        let stands = |(foot, _): &(usize, &LegMemory)| {
            matches!(self.reference.graph.at(*foot, memory.phase), FootPhase::Stands { .. })
        };
        let standing = memory.legs.iter().enumerate().filter(stands);
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        for (foot, leg) in standing {
            sum += leg.place - turn * self.reference.foot(foot, memory.phase).place;
            count += 1.0;
        }
        if count == 0.0 {
            sum = sense.center_of_mass() - turn * self.reference.center_of_mass(memory.phase).place;
            count = 1.0;
        }
        memory.place = Vec3::new(sum.x / count, sum.y / count, 0.0);
    }

    fn feel_feet(&self, sense: &Sense, memory: &mut PilotMemory) {
        let near = self.settings.touch * self.units.length;
        let (mut below, mut count) = (Vec3::zeros(), 0.0);
        for (leg, plan) in memory.legs.iter_mut().zip(&self.reference.feet) {
            leg.place = sense.frames()[plan.body].point_in_world(plan.point);
            leg.velocity = sense.point_velocity(plan.body, leg.place);
            let touching = |contact: &&Contact| {
                contact.bodies[1] == 0 && contact.gap < near && plan.bodies.contains(&contact.bodies[0])
            };
            let (mut sum, mut own) = (Vec3::zeros(), 0.0);
            for contact in sense.contacts().iter().filter(touching) {
                sum += contact.point - Vec3::z() * contact.gap;
                own += 1.0;
            }
            leg.touches = own > 0.0;
            if leg.touches {
                leg.stood = Some(sum / own);
                (below, count) = (below + sum, count + own);
            }
        }
        if count > 0.0 {
            self.feel_ground(sense, memory, below / count);
        }
    }

    /// Learns height and slope of the ground from the feet that stand, `below` in their mean: slowly, as the trunk would rise on stairs, in
    /// about a third of a stride.
    fn feel_ground(&self, sense: &Sense, memory: &mut PilotMemory, below: Vec3) {
        let rate = (sense.world().settings().step / (0.3 * self.reference.period())).min(1.0);
        let stood = memory.legs.iter().filter_map(|leg| leg.stood);
        let slope = slope_under(stood, self.units.length);
        memory.slope += rate * (slope - memory.slope);
        let height = below.z + memory.slope.dot(&(memory.center - below));
        memory.ground += rate * (height - memory.ground);
        let ahead = about_z(memory.heading) * self.units.forward;
        let left = Vec3::z().cross(&ahead);
        let [lengthwise, aside] = self.units.follows;
        let followed =
            ahead * (lengthwise * ahead.dot(&memory.slope)) + left * (aside * left.dot(&memory.slope));
        (memory.tilt, memory.trunk_tilt) = (tilt(memory.slope), tilt(followed));
    }

    /// What lies so far beside on the level is higher on the slope.
    fn on_slope(memory: &PilotMemory, beside: Vec3) -> Vec3 {
        beside + Vec3::z() * memory.slope.dot(&beside)
    }

    fn move_carriage(&self, sense: &Sense, course: &Course, memory: &mut PilotMemory, h: f64) {
        let reference = &self.reference;
        memory.heading += course.turn * h;
        let turn = about_z(memory.heading);
        let drift = turn * self.drift(course);
        memory.place += drift * h;
        let com = &memory.moment.com;
        let mean = reference.velocity;
        // What the course asks for beyond the stride: bends, and changes of speed.
        let change = memory.drift.map_or(Vec3::zeros(), |before| (drift - before) / h);
        let bent = change - turn * Vec3::z().cross(&mean) * reference.turn;
        memory.drift = Some(drift);
        memory.bent = bent.cap_magnitude(self.settings.haste * self.units.gravity);
        memory.acceleration = turn * com.acceleration + memory.bent;
        let relative = turn * com.place;
        let leash = self.settings.leash * self.units.length;
        let center = sense.center_of_mass();
        let ahead = memory.place + relative - center;
        let gap = math::hypot(ahead.x, ahead.y);
        if gap > leash {
            let back = Vec3::new(ahead.x, ahead.y, 0.0) * (1.0 - leash / gap);
            memory.place -= back;
        }
        let behind = Vec3::new(ahead.x, ahead.y, 0.0) * (leash / gap.max(leash));
        let time = self.units.time();
        memory.trim += behind * (h * math::square(self.settings.trim / time));
        let most = self.settings.most_trim * self.units.speed();
        memory.trim /= (memory.trim.norm() / most).max(1.0);
        let along = Self::on_slope(memory, drift + memory.trim);
        // The ground that is known moves on with the carriage.
        memory.ground += h * along.z;
        memory.velocity = turn * (com.velocity - Vec3::new(mean.x, mean.y, 0.0)) + along;
        memory.center = memory.place + relative;
        memory.center.z = memory.ground + com.place.z;
    }

    /// How far the creature is from its stride, and what is done about it.
    fn deviate(&self, sense: &Sense, course: &Course, memory: &mut PilotMemory) {
        let (base, state) = (&self.reference.base, sense.state());
        let turn = about_z(memory.heading);
        let back = turn.inverse();
        let spin_of = |v: &[f64]| Vec3::new(v[base.v + 3], v[base.v + 4], v[base.v + 5]);
        let now = orientation(&state.q, base.q);
        let planned = memory.trunk_tilt * turn * orientation(&memory.moment.pose, base.q);
        let extra = Vec3::z() * (course.turn - self.reference.turn);
        let spin = now * spin_of(&state.v) - planned * spin_of(&memory.moment.v) - extra;
        let velocity = sense.momentum().linear / base.mass - memory.velocity;
        let place = sense.center_of_mass() - memory.center;
        let lean = (now * planned.inverse()).scaled_axis();
        memory.deviation.set_body(back * place, back * velocity, back * lean, back * spin);
        let drift = turn * self.drift(course);
        for (foot, leg) in memory.legs.iter().enumerate() {
            let off = match self.reference.graph.at(foot, memory.phase) {
                FootPhase::Stands { share, length, .. } => {
                    let planned = self.reference.foot(foot, memory.phase).place;
                    let own = memory.place + turn * planned + self.against(memory);
                    // On another course, feet that stand go by otherwise; in mid-stance they are where the stride has them.
                    let until_middle = (0.5 - share) * length * self.reference.period();
                    let beside = turn * (planned - memory.moment.com.place);
                    let by = drift - turn * self.reference.velocity + extra.cross(&beside);
                    back * (leg.place - own - by * until_middle)
                }
                FootPhase::Swings { .. } => Vec3::zeros(),
            };
            memory.deviation.set_foot(foot, off);
        }
        let (push, twist) = self.regulator.answer(memory.phase, &memory.deviation);
        (memory.push, memory.twist) = (turn * push, turn * twist);
    }

    /// Who accelerates leans into it, or its feet would topple it: they stand further back by a h/g, m.
    fn against(&self, memory: &PilotMemory) -> Vec3 {
        let height = memory.moment.com.place.z.max(0.0);
        -Vec3::new(memory.bent.x, memory.bent.y, 0.0) * (height / self.units.gravity)
    }

    fn decide(&self, sense: &Sense, memory: &mut PilotMemory, foot: usize, command: &mut Command) {
        let phase = self.reference.graph.at(foot, memory.phase);
        let turn = about_z(memory.heading);
        let com = sense.center_of_mass();
        let planned = turn * (self.reference.foot(foot, memory.phase).place - memory.moment.com.place);
        let pushes = |(k, leg): &(usize, &LegMemory)| *k != foot && leg.state.pushes() && leg.touches;
        let others = memory.legs.iter().enumerate().filter(pushes).count();
        let leg = &mut memory.legs[foot];
        let off = leg.place - com - planned;
        let away = math::hypot(off.x, off.y) / self.units.length;
        let sight = LegSight { phase, touches: leg.touches, others, away, since: memory.phase - leg.since };
        let next = next_state(leg.state, &sight, &self.settings);
        if next == leg.state {
            return;
        }
        if leg.state == LegState::Pushes {
            leg.lifted = leg.place;
            leg.set_down = leg.place;
        }
        command.tell(Event { time: sense.time(), what: next.name(), which: foot });
        (leg.state, leg.since) = (next, memory.phase);
    }

    /// Where the foot of a leg is to be, and how it is to move.
    fn swing(&self, sense: &Sense, course: &Course, memory: &mut PilotMemory, foot: usize) {
        let reference = &self.reference;
        let period = reference.period();
        let turn = about_z(memory.heading);
        let planned = reference.foot(foot, memory.phase);
        let com = sense.center_of_mass();
        let leg = &memory.legs[foot];
        let zero = Vec3::zeros();
        let wanted = match (leg.state, reference.graph.at(foot, memory.phase)) {
            (LegState::Pushes, _) if leg.touches => {
                // Who landed on its heel comes down on its sole: the point that is to stand does not hang in the air over it.
                let ground = leg.stood.map_or(leg.place.z, |stood| stood.z);
                let above = (leg.place.z - ground - planned.place.z).max(0.0);
                let down = (self.settings.roll / self.units.time() * above)
                    .min(self.settings.late * self.units.speed());
                Moving { place: leg.place, velocity: Vec3::new(0.0, 0.0, -down), acceleration: zero }
            }
            // It goes on down, also where it pushed and the ground was lost.
            (LegState::Late | LegState::Pushes, _) => {
                // Faster than the creature falls.
                let falls = (sense.momentum().linear.z / reference.base.mass).min(0.0);
                let down = Vec3::new(0.0, 0.0, falls - self.settings.late * self.units.speed());
                Moving { place: leg.place, velocity: down, acceleration: zero }
            }
            (LegState::Jammed, _) | (_, FootPhase::Stands { .. }) => {
                let place = com + Self::on_slope(memory, turn * (planned.place - memory.moment.com.place));
                let lift = Vec3::new(0.0, 0.0, 0.1 * self.units.length);
                Moving { place: place + lift, velocity: memory.velocity, acceleration: zero }
            }
            (_, FootPhase::Swings { share, left, length, next }) => {
                if share < 1.0 - self.settings.settled {
                    let set_down = self.set_down(sense, course, memory, foot, (left, next));
                    memory.legs[foot].set_down = set_down;
                }
                self.on_the_way(memory, foot, (share, length * period))
            }
        };
        memory.legs[foot].wanted = wanted;
    }

    /// Where a foot is to be set down, m: where the stride has it, further by half a stance of the speed and turn that are wanted and the
    /// stride has not (Kokkevis et al. 1995, the gait controller), and by what the regulator makes of the deviation. Of a body over one
    /// foot that is Coros' P₂ = P_LF + (v − v_d) s_fp with a gain for each moment of the swing.
    fn set_down(
        &self,
        sense: &Sense,
        course: &Course,
        memory: &PilotMemory,
        foot: usize,
        (left, stance): (f64, f64),
    ) -> Vec3 {
        let reference = &self.reference;
        let land = memory.phase + left;
        let (time, stands) = (left * reference.period(), stance * reference.period());
        let turn = about_z(memory.heading + course.turn * time);
        let then = reference.foot(foot, land).place;
        let beside = turn * (then - reference.center_of_mass(land).place);
        let (drift, mean) = (turn * self.drift(course), turn * reference.velocity);
        // The carriage is on its way there in a bend.
        let carriage =
            memory.place + about_z(memory.heading + 0.5 * course.turn * time) * self.drift(course) * time;
        // Standing feet of a creature that turns sweep about it.
        let sweep = Vec3::new(0.0, 0.0, course.turn - reference.turn).cross(&beside) * (0.5 * stands);
        let planned = carriage + turn * then + self.against(memory) + (drift - mean) * (0.5 * stands) + sweep;
        // Not beyond reach from where the centre of mass will be, as it moves now.
        let velocity = sense.momentum().linear / reference.base.mass - memory.velocity;
        let along = sense.center_of_mass() - memory.center + velocity * time;
        let step = turn * self.regulator.step(memory.phase, foot, &memory.deviation) - along;
        let long = math::hypot(step.x, step.y) / (self.settings.reach * self.units.length);
        let mut place = planned + along + step / long.max(1.0);
        place.z = ground_height(sense, place) + then.z;
        place
    }

    /// On the stride's own way, bent so that it begins where the foot was lifted and ends where it is set down.
    fn on_the_way(&self, memory: &PilotMemory, foot: usize, (share, time): (f64, f64)) -> Moving {
        let reference = &self.reference;
        let period = reference.period();
        let leg = &memory.legs[foot];
        let turn = about_z(memory.heading);
        let land = memory.phase + (1.0 - share) * time / period;
        let lift = memory.phase - share * time / period;
        let now = reference.foot(foot, memory.phase);
        let (first, last) = (reference.foot(foot, lift), reference.foot(foot, land));
        let mean = reference.velocity;
        // In the world of the clip, with the end of the swing as its origin.
        let own = turn * (now.place - last.place - mean * ((1.0 - share) * time));
        let own_first = turn * (first.place - last.place - mean * time);
        let off = leg.lifted - (leg.set_down + own_first);
        let (s, ds, dds) = ease(share);
        Moving {
            place: leg.set_down + own + off * (1.0 - s),
            velocity: turn * now.velocity - off * (ds / time),
            acceleration: turn * now.acceleration - off * (dds / (time * time)),
        }
    }
}

/// From 0 to 1 with rates of 0 at both ends: the polynomial of fifth degree, its rate and that of its rate.
fn ease(x: f64) -> (f64, f64, f64) {
    let x = x.clamp(0.0, 1.0);
    let s = x * x * x * (10.0 + x * (6.0 * x - 15.0));
    let ds = 30.0 * x * x * (1.0 + x * (x - 2.0));
    let dds = 60.0 * x * (1.0 + x * (2.0 * x - 3.0));
    (s, ds, dds)
}

/// Of the ground below a place, m.
pub(super) fn ground_height(sense: &Sense, at: Vec3) -> f64 {
    sense.world().settings().ground.as_ref().map_or(0.0, |ground| ground.height(at.x, at.y))
}
