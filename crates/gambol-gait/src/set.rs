//! A set of clips for a game: all that a creature does on its feet, ready for a blend tree.
//!
//! Every loop begins with the touchdown of the same foot, so that loops can be blended phase by phase; what starts ends in the first pose of its
//! loop, and what stops begins there.

use gambol_dynamics::Data;
use gambol_model::{Creature, math};
use serde::Serialize;

use crate::script::{Cast, Company, Ends, natural, play};
use crate::{
    Act, Body, Design, Gait, GaitError, Performance, Sampling, Script, Style, Terrain, What, Wish, perform,
    perform_believed,
};

/// Clips that belong together.
#[derive(Clone, Debug)]
pub struct LocomotionSet {
    /// The creature as it stands.
    pub body: Body,
    /// In the order in which a game needs them: standing, going, turning, starting, stopping, jumping.
    pub clips: Vec<SetClip>,
    /// What is not in it, and why.
    pub left_out: Vec<String>,
}

/// One clip of a set.
#[derive(Clone, Debug)]
pub struct SetClip {
    /// What it is for.
    pub role: SetRole,
    /// rad/s to the left while it goes.
    pub turn: f64,
    /// It as it was played; its clip has the name of its place in the set, e.g. `walk-left`.
    pub performance: Performance,
}

/// What a clip of a set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetRole {
    /// Loops.
    Loop,
    /// From standing into the loop of its gait.
    Start,
    /// From the loop of its gait to standing.
    Stop,
    /// From standing to standing.
    Once,
}

/// A gait of the set, begun at the touchdown of the first foot.
struct Pace {
    name: &'static str,
    body: Body,
    design: Design,
}

/// How a pace is asked for: its name in the set, the gait, and the share of its own speed.
type Order = (&'static str, &'static str, f64);

/// Tells which clip is made, its number from 0, and how many there are at most.
pub type SetProgress<'a> = &'a mut dyn FnMut(&str, usize, usize);

/// Makes all clips of a creature on legs at `fps` keys per second. It takes seconds, so `progress` is told of every clip.
pub fn locomotion_set(
    creature: &Creature,
    data: &mut Data,
    restyle: &dyn Fn(&mut Style),
    fps: f64,
    progress: SetProgress,
) -> Result<LocomotionSet, GaitError> {
    let company = Company::new(creature, data, restyle)?;
    let orders = orders(&company.base.0);
    let mut making = Making {
        company,
        fps,
        done: 0,
        all: 1 + orders.len() + 2 * SIDES.len() + 2 * 2 + SIDES.len() + 1,
        progress,
        clips: Vec::new(),
        left_out: Vec::new(),
    };
    making.idle(data)?;
    let mut paces = Vec::new();
    for order in &orders {
        paces.extend(making.pace(data, order));
    }
    let ends: Vec<&Pace> = match paces.as_slice() {
        [] => Vec::new(),
        [only] => vec![only],
        [first, .., last] => vec![first, last],
    };
    for (index, pace) in ends.iter().enumerate() {
        making.curves(data, pace, index > 0);
    }
    for pace in &ends {
        making.start_and_stop(data, pace);
    }
    making.turns_and_jump(data);
    let Making { company, clips, left_out, .. } = making;
    Ok(LocomotionSet { body: company.base.0, clips, left_out })
}

const SIDES: [(&str, f64); 2] = [("left", 1.0), ("right", -1.0)];

/// From the slowest to the fastest.
fn orders(body: &Body) -> Vec<Order> {
    let jog = body.settings.set.jog;
    match body.legs.pairs {
        1 if body.legs.legs.len() == 1 => vec![("hop", "hop", 1.0)],
        1 => vec![("walk", "walk", 1.0), ("jog", "run", jog), ("run", "run", 1.0)],
        2 => vec![("walk", "walk", 1.0), ("trot", "trot", 1.0), ("gallop", "run", 1.0)],
        _ => vec![("walk", "walk", 1.0), ("run", "run", 1.0)],
    }
}

/// A set on the way.
struct Making<'a> {
    company: Company<'a>,
    fps: f64,
    done: usize,
    all: usize,
    progress: SetProgress<'a>,
    clips: Vec<SetClip>,
    left_out: Vec<String>,
}

impl Making<'_> {
    fn tell(&mut self, name: &str) {
        (self.progress)(name, self.done, self.all);
        self.done += 1;
    }

    fn put(&mut self, name: &str, role: SetRole, turn: f64, made: Result<Performance, GaitError>) {
        match made {
            Ok(mut performance) => {
                name.clone_into(&mut performance.clip.name);
                self.clips.push(SetClip { role, turn, performance });
            }
            Err(error) => self.left_out.push(format!("{name}: {error}")),
        }
    }

    /// Stands and breathes; a creature that cannot even do that has no set.
    fn idle(&mut self, data: &mut Data) -> Result<(), GaitError> {
        self.tell("idle");
        let body = &self.company.base.0;
        let script = &body.settings.script;
        let rate = script.breaths * math::powf(body.creature.mass(), script.breaths_power);
        let seconds = body.settings.set.breaths / rate.clamp(script.slowest_breath, script.fastest_breath);
        let idle = play(&self.company, data, vec![stands(seconds)], self.fps, Ends::Cut)?;
        self.put("idle", SetRole::Loop, 0.0, Ok(idle));
        Ok(())
    }

    /// The loop of a gait, straight ahead.
    fn pace(&mut self, data: &mut Data, &(name, gait, share): &Order) -> Option<Pace> {
        self.tell(name);
        match self.designed(data, gait, share) {
            Ok((body, design)) => {
                let performance = perform(&body, data, &design.gait, &self.sampling());
                self.put(name, SetRole::Loop, 0.0, performance);
                Some(Pace { name, body, design })
            }
            Err(error) => {
                self.left_out.push(format!("{name}: {error}"));
                None
            }
        }
    }

    fn sampling(&self) -> Sampling {
        Sampling { seconds: None, fps: self.fps }
    }

    fn designed(&self, data: &mut Data, gait: &str, share: f64) -> Result<(Body, Design), GaitError> {
        let Company { creature, restyle, .. } = self.company;
        let level = |_: &Body, gait: &mut Gait| {
            gait.ground.terrain = Terrain::Flat;
            Ok(())
        };
        let mut played =
            perform_believed(creature, data, gait, restyle, &Wish::default(), &level, &self.sampling())?;
        if share < 1.0 {
            let speed = Some(share * played.performance.report.speed);
            let wish = Wish { speed, ..Wish::default() };
            played = perform_believed(creature, data, gait, restyle, &wish, &level, &self.sampling())?;
        }
        let touchdown = played.performance.report.feet.iter().find_map(|foot| foot.stance.first());
        let begins = touchdown.map_or(0.0, |stance| stance[0]);
        played.design.gait.begin_at(begins);
        Ok((played.body, played.design))
    }

    /// The same to the left and to the right.
    fn curves(&mut self, data: &mut Data, pace: &Pace, fast: bool) {
        for (side, sign) in SIDES {
            let name = format!("{}-{side}", pace.name);
            self.tell(&name);
            let settings = &pace.body.settings.set;
            let per_stride = if fast { settings.fast_turn } else { settings.slow_turn };
            let mut turn = sign * per_stride * pace.design.gait.frequency;
            let mut made = None;
            for _ in 0..=settings.wider_tries {
                let mut gait = pace.design.gait.clone();
                gait.ground.turn = turn;
                made = Some(perform(&pace.body, data, &gait, &self.sampling()));
                if matches!(&made, Some(Ok(performance)) if performance.is_believed(&pace.body)) {
                    break;
                }
                turn *= 0.5;
            }
            if let Some(made) = made {
                self.put(&name, SetRole::Loop, turn, made);
            }
        }
    }

    /// From standing into the loop, and from the loop to standing.
    fn start_and_stop(&mut self, data: &mut Data, pace: &Pace) {
        for role in [SetRole::Start, SetRole::Stop] {
            let name = format!("{}-{}", pace.name, if role == SetRole::Start { "start" } else { "stop" });
            self.tell(&name);
            let settings = &pace.body.settings.set;
            let gait = &pace.design.gait;
            let goes = What::Go {
                gait: Some(gait.name.clone()),
                seconds: settings.strides / gait.frequency,
                speed: gait.ground.speed,
                turn: 0.0,
            };
            let part = Some((pace.body.clone(), pace.design.clone()));
            let goes = Cast { act: Act { what: goes, change: None }, part };
            let rests = stands(settings.rest * self.natural() + self.company.change(&goes) * 0.5);
            let cast = if role == SetRole::Start { vec![rests, goes] } else { vec![goes, rests] };
            let made = play(&self.company, data, cast, self.fps, Ends::Loop);
            self.put(&name, role, 0.0, made);
        }
    }

    /// √(h/g), s.
    fn natural(&self) -> f64 {
        natural(&self.company.base.0)
    }

    fn turns_and_jump(&mut self, data: &mut Data) {
        let body = &self.company.base.0;
        let settings = body.settings.set.clone();
        let length = body.legs.length;
        let mut once = |name: &str, what: What| {
            self.tell(name);
            // It stands before and after by itself.
            let script = Script { acts: vec![Act { what, change: None }] };
            let mut warnings = Vec::new();
            let made = self
                .company
                .cast(data, &script, &mut warnings)
                .and_then(|cast| play(&self.company, data, cast, self.fps, Ends::Cut))
                .map(|performance| with_hints(performance, warnings));
            self.put(name, SetRole::Once, 0.0, made);
        };
        for (side, sign) in SIDES {
            once(&format!("turn-{side}"), What::Turn { angle: sign * settings.turn });
        }
        once("jump", What::Jump { height: settings.jump_height * length, length: 0.0, push: None });
    }
}

/// What was told before it was played goes first.
fn with_hints(mut performance: Performance, hints: Vec<String>) -> Performance {
    performance.warnings.splice(0..0, hints);
    performance
}

fn stands(seconds: f64) -> Cast {
    Cast { act: Act { what: What::Stand { seconds }, change: None }, part: None }
}
