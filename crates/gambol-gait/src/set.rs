//! A set of clips for a game: all that a creature does on its feet, ready for a blend tree.
//!
//! Every loop begins with the touchdown of the same foot, so that loops can be blended phase by phase; what starts ends in the first pose of its
//! loop, and what stops begins there.

use gambol_dynamics::Data;
use gambol_model::{Creature, math};
use serde::Serialize;

use crate::script::{self, Cast, Company, Ends, natural, play};
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
    let mut maker = SetMaker::new(creature.clone(), data, restyle, fps)?;
    while let Some(name) = maker.next_clip() {
        progress(name, maker.done(), maker.most());
        maker.make(data)?;
    }
    Ok(maker.finish())
}

/// A set on the way: for who does other things between its clips, and may not want all of them.
///
/// ```no_run
/// # use gambol_gait::{GaitError, LocomotionSet, SetMaker, Style};
/// # fn set(dog: gambol_model::Creature, data: &mut gambol_dynamics::Data) -> Result<LocomotionSet, GaitError> {
/// let mut maker = SetMaker::new(dog, data, |_: &mut Style| (), 60.0)?;
/// while let Some(name) = maker.next_clip() {
///     println!("{name}: {} of {}", maker.done() + 1, maker.most());
///     maker.make(data)?;
/// }
/// # Ok(maker.finish())
/// # }
/// ```
pub struct SetMaker<R> {
    creature: Creature,
    restyle: R,
    base: (Body, Design),
    fps: f64,
    /// First standing and all paces; then what is made of those that it has.
    steps: Vec<Step>,
    done: usize,
    paces: Vec<Pace>,
    clips: Vec<SetClip>,
    left_out: Vec<String>,
}

/// A clip to be made.
#[derive(Clone)]
struct Step {
    name: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    /// Stands and breathes.
    Idle,
    /// A gait, and the share of its own speed.
    Pace { gait: &'static str, share: f64 },
    /// The same to a side: of which pace, and rad per stride.
    Curve { pace: usize, turn: f64 },
    /// From standing into the loop of a pace, or from the loop to standing.
    Change { pace: usize, role: SetRole },
    /// From standing to standing.
    Once(What),
}

/// A gait of the set, begun at the touchdown of the first foot.
struct Pace {
    name: String,
    body: Body,
    design: Design,
}

const SIDES: [(&str, f64); 2] = [("left", 1.0), ("right", -1.0)];

/// Clips of a set beside standing and its paces: curves, starts and stops of two of them, turns and a jump.
const BESIDE: usize = 2 * SIDES.len() + 2 * 2 + SIDES.len() + 1;

impl<R: Fn(&mut Style)> SetMaker<R> {
    /// A set of a creature on legs, as its file has it but for what `restyle` changes, at `fps` keys per second.
    pub fn new(creature: Creature, data: &mut Data, restyle: R, fps: f64) -> Result<Self, GaitError> {
        let base = script::base(&creature, data, &restyle)?;
        let steps = first_steps(&base.0);
        let (paces, clips, left_out) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { creature, restyle, base, fps, steps, done: 0, paces, clips, left_out })
    }

    /// What is made next; `None` when all is made.
    pub fn next_clip(&self) -> Option<&str> {
        self.steps.get(self.done).map(|step| step.name.as_str())
    }

    /// How many clips were made or left out.
    pub fn done(&self) -> usize {
        self.done
    }

    /// How many there are in all, at most: which gaits it has shows on the way.
    pub fn most(&self) -> usize {
        if self.is_planned() { self.steps.len() } else { self.steps.len() + BESIDE }
    }

    /// Makes the next clip; it takes up to some seconds. What cannot be made is left out; but a creature that cannot even stand has no set.
    pub fn make(&mut self, data: &mut Data) -> Result<(), GaitError> {
        let Some(Step { name, kind }) = self.steps.get(self.done).cloned() else { return Ok(()) };
        match kind {
            Kind::Idle => {
                let idle = self.idle(data)?;
                self.put(&name, SetRole::Loop, 0.0, Ok(idle));
            }
            Kind::Pace { gait, share } => self.pace(data, &name, gait, share),
            Kind::Curve { pace, turn } => {
                let (turn, made) = self.curve(data, pace, turn);
                self.put(&name, SetRole::Loop, turn, made);
            }
            Kind::Change { pace, role } => {
                let made = self.change(data, pace, role);
                self.put(&name, role, 0.0, made);
            }
            Kind::Once(what) => {
                let made = self.once(data, what);
                self.put(&name, SetRole::Once, 0.0, made);
            }
        }
        self.done += 1;
        if self.done == self.steps.len() && !self.is_planned() {
            self.steps.extend(steps_beside(&self.base.0, &self.paces));
        }
        Ok(())
    }

    /// What was made.
    pub fn finish(self) -> LocomotionSet {
        LocomotionSet { body: self.base.0, clips: self.clips, left_out: self.left_out }
    }
}

impl<R: Fn(&mut Style)> SetMaker<R> {
    /// Whether all steps are known: the last ones are from standing to standing.
    fn is_planned(&self) -> bool {
        matches!(self.steps.last(), Some(Step { kind: Kind::Once(_), .. }))
    }

    fn company(&self) -> Company<'_> {
        Company { creature: &self.creature, restyle: &self.restyle, base: &self.base }
    }

    fn sampling(&self) -> Sampling {
        Sampling { seconds: None, fps: self.fps }
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

    /// Stands and breathes.
    fn idle(&self, data: &mut Data) -> Result<Performance, GaitError> {
        let body = &self.base.0;
        let script = &body.settings.script;
        let rate = script.breaths * math::powf(body.creature.mass(), script.breaths_power);
        let seconds = body.settings.set.breaths / rate.clamp(script.slowest_breath, script.fastest_breath);
        play(&self.company(), data, vec![stands(seconds)], self.fps, Ends::Cut)
    }

    /// The loop of a gait, straight ahead.
    fn pace(&mut self, data: &mut Data, name: &str, gait: &str, share: f64) {
        match self.designed(data, gait, share) {
            Ok((body, design)) => {
                let performance = perform(&body, data, &design.gait, &self.sampling());
                self.put(name, SetRole::Loop, 0.0, performance);
                self.paces.push(Pace { name: name.to_owned(), body, design });
            }
            Err(error) => self.left_out.push(format!("{name}: {error}")),
        }
    }

    fn designed(&self, data: &mut Data, gait: &str, share: f64) -> Result<(Body, Design), GaitError> {
        let Company { creature, restyle, .. } = self.company();
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

    /// The loop of a pace while it turns by `turn`, rad per stride, or by as much less as can be believed; and the turn, rad/s.
    fn curve(&self, data: &mut Data, pace: usize, turn: f64) -> (f64, Result<Performance, GaitError>) {
        let Pace { body, design, .. } = &self.paces[pace];
        let mut gait = design.gait.clone();
        gait.ground.turn = turn * gait.frequency;
        let mut made = perform(body, data, &gait, &self.sampling());
        for _ in 0..body.settings.set.wider_tries {
            if matches!(&made, Ok(performance) if performance.is_believed(body)) {
                break;
            }
            gait.ground.turn *= 0.5;
            made = perform(body, data, &gait, &self.sampling());
        }
        (gait.ground.turn, made)
    }

    /// From standing into the loop, or from the loop to standing.
    fn change(&self, data: &mut Data, pace: usize, role: SetRole) -> Result<Performance, GaitError> {
        let Pace { body, design, .. } = &self.paces[pace];
        let (settings, gait) = (&body.settings.set, &design.gait);
        let goes = |seconds: f64| {
            let (name, speed) = (Some(gait.name.clone()), gait.ground.speed);
            let what = What::Go { gait: name, seconds, speed, turn: 0.0 };
            Cast { act: Act { what, change: None }, part: Some((body.clone(), design.clone())) }
        };
        let change = self.company().change(&goes(1.0));
        // Where its loop takes over, for a stride, it goes as fast as that; half a stride more, since it ends with a whole cycle.
        let strides = settings.strides.max(0.5 * change * gait.frequency + 1.5);
        let goes = goes(strides / gait.frequency);
        let rests = stands(settings.rest * natural(&self.base.0) + change * 0.5);
        let cast = if role == SetRole::Start { vec![rests, goes] } else { vec![goes, rests] };
        play(&self.company(), data, cast, self.fps, Ends::Loop)
    }

    /// From standing to standing: it stands before and after by itself.
    fn once(&self, data: &mut Data, what: What) -> Result<Performance, GaitError> {
        let script = Script { acts: vec![Act { what, change: None }] };
        let mut hints = Vec::new();
        let cast = self.company().cast(data, &script, &mut hints)?;
        let mut performance = play(&self.company(), data, cast, self.fps, Ends::Cut)?;
        // What was told before it was played goes first.
        performance.warnings.splice(0..0, hints);
        Ok(performance)
    }
}

fn stands(seconds: f64) -> Cast {
    Cast { act: Act { what: What::Stand { seconds }, change: None }, part: None }
}

/// Standing, and all paces from the slowest to the fastest.
fn first_steps(body: &Body) -> Vec<Step> {
    let jog = body.settings.set.jog;
    let paces = match body.legs.pairs {
        1 if body.legs.legs.len() == 1 => vec![("hop", "hop", 1.0)],
        1 => vec![("walk", "walk", 1.0), ("jog", "run", jog), ("run", "run", 1.0)],
        2 => vec![("walk", "walk", 1.0), ("trot", "trot", 1.0), ("gallop", "run", 1.0)],
        _ => vec![("walk", "walk", 1.0), ("run", "run", 1.0)],
    };
    let pace = |(name, gait, share): (&str, &'static str, f64)| step(name, Kind::Pace { gait, share });
    std::iter::once(step("idle", Kind::Idle)).chain(paces.into_iter().map(pace)).collect()
}

/// What is made of the slowest and the fastest of its paces, and from standing to standing.
fn steps_beside(body: &Body, paces: &[Pace]) -> Vec<Step> {
    let settings = &body.settings.set;
    let ends = match paces.len() {
        0 => vec![],
        1 => vec![(0, settings.slow_turn)],
        count => vec![(0, settings.slow_turn), (count - 1, settings.fast_turn)],
    };
    let mut steps = Vec::new();
    for &(pace, turn) in &ends {
        for (side, sign) in SIDES {
            let name = format!("{}-{side}", paces[pace].name);
            steps.push(step(&name, Kind::Curve { pace, turn: sign * turn }));
        }
    }
    for &(pace, _) in &ends {
        for (end, role) in [("start", SetRole::Start), ("stop", SetRole::Stop)] {
            steps.push(step(&format!("{}-{end}", paces[pace].name), Kind::Change { pace, role }));
        }
    }
    for (side, sign) in SIDES {
        steps.push(step(&format!("turn-{side}"), Kind::Once(What::Turn { angle: sign * settings.turn })));
    }
    let height = settings.jump_height * body.legs.length;
    steps.push(step("jump", Kind::Once(What::Jump { height, length: 0.0, push: None })));
    steps
}

fn step(name: &str, kind: Kind) -> Step {
    Step { name: name.to_owned(), kind }
}
