//! As fast as can be believed.

use gambol_dynamics::Data;
use gambol_model::Creature;

use crate::belly::WINGED;
use crate::{Body, Design, Gait, GaitError, Performance, Sampling, Style, Wish, perform, prepare};

/// A gait as it was played, and the body that it moves.
#[derive(Clone, Debug)]
pub struct Believed {
    /// The body.
    pub body: Body,
    /// The gait; its hints say so where it is slower or faster than was asked for.
    pub design: Design,
    /// It as it was played.
    pub performance: Performance,
    /// It is slower, faster or lower than it would have been, as the last hint says.
    pub replaced: bool,
}

impl Performance {
    /// Whether its feet reach the ground and gravity believes it; so does all that no feet carry.
    pub fn is_believed(&self, body: &Body) -> bool {
        let Body { settings, legs, .. } = body;
        let most = 1e3 * settings.warnings.reach * legs.length;
        self.report.foot_miss_mm.is_none_or(|miss| miss <= most)
            && self.forces.as_ref().is_none_or(|forces| forces.doubt(settings.forces.believed).is_none())
    }
}

/// Plays the gait called `name` as [`crate::prepare`] makes it and `adjust` changes it. A speed at which its legs do not reach or
/// gravity would not believe it is replaced, and the design says so: one of `wish` by the nearest at which it would be believed, the gait's
/// own by a lower one. What is judged has 120 keys a second or more, so that a blow that falls between two keys of a coarse clip counts too.
pub fn perform_believed(
    creature: &Creature,
    data: &mut Data,
    name: &str,
    restyle: &dyn Fn(&mut Style),
    wish: &Wish,
    adjust: &dyn Fn(&Body, &mut Gait) -> Result<(), GaitError>,
    sampling: &Sampling,
) -> Result<Believed, GaitError> {
    // What is no rate at all is told by `perform`; what flies is not judged by its feet.
    if !(sampling.fps > 0.0 && sampling.fps < JUDGED) || WINGED.contains(&name) {
        return search(creature, data, name, restyle, wish, adjust, sampling);
    }
    let seconds = sampling.seconds.map(|seconds| seconds.min(LONGEST_JUDGED));
    let fine = Sampling { seconds, fps: JUDGED };
    let mut found = search(creature, data, name, restyle, wish, adjust, &fine)?;
    found.performance = perform(&found.body, data, &found.design.gait, sampling)?;
    Ok(found)
}

/// Keys per second at which a gait is judged.
const JUDGED: f64 = 120.0;
/// Of a longer clip, as over hills, this much is judged, s.
const LONGEST_JUDGED: f64 = 10.0;

/// As [`perform_believed`], by the keys of `sampling`.
fn search(
    creature: &Creature,
    data: &mut Data,
    name: &str,
    restyle: &dyn Fn(&mut Style),
    wish: &Wish,
    adjust: &dyn Fn(&Body, &mut Gait) -> Result<(), GaitError>,
    sampling: &Sampling,
) -> Result<Believed, GaitError> {
    let mut play = |pace: Pace, joints: Joints| -> Result<Believed, GaitError> {
        let wish = pace.of(wish);
        let (mut body, mut design) = prepare(creature.clone(), data, name, restyle, &wish)?;
        if joints == Joints::MayTwitch {
            body.settings.obey.jump = body.settings.obey.script_jump;
        }
        adjust(&body, &mut design.gait)?;
        let performance = perform(&body, data, &design.gait, sampling)?;
        Ok(Believed { body, design, performance, replaced: false })
    };
    let asked = play(wish.speed.map_or(Pace::Own, Pace::Speed), Joints::Smooth)?;
    // Two of speed, stride and frequency say what is wanted; then nobody else should.
    if asked.is_believed() || wish.frequency.is_some() || wish.stride_length.is_some() {
        return Ok(asked);
    }
    let Some(speed) = wish.speed else {
        return Ok(match gentler(&mut play, &asked)? {
            Some(gentler) => gentler.hinted(&asked.pace(), name),
            None => twitching(&mut play, Pace::Own)?.unwrap_or(asked),
        });
    };
    let mut own = play(Pace::Own, Joints::Smooth)?;
    if !own.is_believed() {
        let Some(gentler) = gentler(&mut play, &own)? else {
            return Ok(twitching(&mut play, Pace::Speed(speed))?.unwrap_or(asked));
        };
        own = gentler;
    }
    // As it was typed, or to a centimetre a second.
    let typed = format!("{} m/s", (speed * 100.0).round() / 100.0);
    Ok(nearest(&mut play, own, speed)?.hinted(&typed, name))
}

/// The same for a program that counts frames: a cycle is a whole number of them, so that a key lies on each and the loop ends on one. The
/// speed stays, strides become a little longer or shorter. It is played for so many `cycles`.
#[allow(clippy::too_many_arguments)] // those of `perform_believed`
pub fn perform_on_frames(
    creature: &Creature,
    data: &mut Data,
    name: &str,
    restyle: &dyn Fn(&mut Style),
    wish: &Wish,
    adjust: &dyn Fn(&Body, &mut Gait) -> Result<(), GaitError>,
    (fps, cycles): (f64, usize),
) -> Result<Believed, GaitError> {
    /// Fewer frames do not show a stride; as [`perform`] has it.
    const FEWEST: f64 = 4.0;
    let sampling = Sampling { seconds: None, fps };
    let mut played = perform_believed(creature, data, name, restyle, wish, adjust, &sampling)?;
    let Gait { frequency, ground, .. } = &mut played.design.gait;
    *frequency = fps / (fps / *frequency).round().max(FEWEST);
    if ground.speed.is_none() && played.performance.report.stride_length > 0.0 {
        ground.speed = Some(played.performance.report.speed); // else it would follow the frequency
    }
    let sampling = Sampling { seconds: Some(cycles as f64 / *frequency), fps };
    played.performance = perform(&played.body, data, &played.design.gait, &sampling)?;
    Ok(played)
}

/// How fast a gait is tried.
enum Pace {
    /// As it would be.
    Own,
    /// m/s
    Speed(f64),
    /// Cycles per second: what stays where it is jumps lower the more often it does.
    Frequency(f64),
}

impl Pace {
    fn of(&self, wish: &Wish) -> Wish {
        match *self {
            Self::Own => Wish { speed: None, ..wish.clone() },
            Self::Speed(speed) => Wish { speed: Some(speed), ..wish.clone() },
            Self::Frequency(frequency) => Wish { frequency: Some(frequency), ..wish.clone() },
        }
    }
}

/// Whether a joint may jump from one frame to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joints {
    Smooth,
    MayTwitch,
}

/// Plays a gait.
type Play<'a> = dyn FnMut(Pace, Joints) -> Result<Believed, GaitError> + 'a;

/// The last resort where it is believed at no pace: at the first one all the same, if that takes no more than a joint that twitches.
fn twitching(play: &mut Play, pace: Pace) -> Result<Option<Believed>, GaitError> {
    let mut played = play(pace, Joints::MayTwitch)?;
    played.design.hints.push("a joint twitches: its legs cannot do this smoothly".to_owned());
    Ok(played.is_believed().then_some(played))
}

/// The fastest of a few speeds below that of `played` that is believed, or the highest of a few lower jumps: what a gait takes for its own is
/// what animals of its size do, and not every body can.
fn gentler(play: &mut Play, played: &Believed) -> Result<Option<Believed>, GaitError> {
    let (report, settings) = (&played.performance.report, &played.body.settings.design);
    // What takes that much is wild by amplitudes or springs, and stays so at any speed.
    if report.residual_force.is_none_or(|force| force > settings.wild) {
        return Ok(None);
    }
    let travels = report.stride_length > 0.0;
    let tries = if travels { settings.held_back_tries } else { settings.lower_tries };
    let mut share = 1.0;
    // A sole a few millimetres deep is worth less than a blow from nowhere.
    let mut deep = None;
    for _ in 0..tries {
        share *= settings.held_back;
        let tried = play(
            if travels {
                Pace::Speed(share * report.speed)
            } else {
                Pace::Frequency(report.stride_frequency / share)
            },
            Joints::Smooth,
        )?;
        if tried.is_believed() {
            return Ok(Some(tried));
        }
        if deep.is_none() && tried.performance.is_believed(&tried.body) {
            deep = Some(tried);
        }
    }
    Ok(deep.filter(|_| !played.performance.is_believed(&played.body)))
}

/// The nearest to `speed` that is believed, from one that is.
fn nearest(play: &mut Play, believed: Believed, speed: f64) -> Result<Believed, GaitError> {
    let (mut good, mut bad) = (believed.performance.report.speed, speed);
    let mut nearest = believed;
    for _ in 0..nearest.body.settings.design.nearer_tries {
        // By ratio: what was asked for may be wild.
        let middle = if good * bad > 0.0 { (good * bad).sqrt() } else { 0.5 * (good + bad) };
        let tried = play(Pace::Speed(middle), Joints::Smooth)?;
        if tried.is_believed() {
            (good, nearest) = (middle, tried);
        } else {
            bad = middle;
        }
    }
    Ok(nearest)
}

impl Believed {
    /// And nothing is below the ground: a slower gait can do better.
    fn is_believed(&self) -> bool {
        let most = 1e3 * self.body.settings.warnings.below_ground;
        self.performance.is_believed(&self.body)
            && self.performance.report.penetration_mm.is_none_or(|depth| depth <= most)
    }

    /// In words.
    fn pace(&self) -> String {
        let report = &self.performance.report;
        if report.stride_length > 0.0 {
            format!("{:.2} m/s", report.speed)
        } else {
            format!("{:.2} times a second", report.stride_frequency)
        }
    }

    /// Says that it is not at the pace that was `asked` for.
    fn hinted(mut self, asked: &str, name: &str) -> Self {
        self.replaced = true;
        let pace = self.pace();
        self.design.hints.push(format!(
            "{asked} is not to be believed of its {name}: {pace} is, the nearest that could be found"
        ));
        self
    }
}
