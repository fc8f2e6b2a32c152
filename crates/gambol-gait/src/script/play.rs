//! Plays a script: from acts to a clip.

use gambol_dynamics::Data;
use gambol_model::{Creature, math};
use gambol_motion::{Clip, Contact, Stride};

use super::cast::{self, Cast, Company};
use super::{Act, Kind, Pace, Script, Timeline, What};
use crate::feet::{Breath, Journey, Part, Seams, journey};
use crate::modal::ModalMotion;
use crate::perform::{MOST_CLIP_KEYS, in_mm, measure_forces};
use crate::posture::breath;
use crate::{Body, GaitError, Performance, Report, Style, Terrain, measure};

/// How a clip of a script begins and ends, where the first or the last act goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// On the way, for as long as the act was asked for.
    Cut,
    /// At the beginning of a cycle of the gait, with its own motion there: so that its loop goes on from it.
    Loop,
}

/// Plays `script` on a creature as its file has it, at `fps` keys per second. Styles of all acts are as `restyle` changes them.
pub fn perform_script(
    creature: &Creature,
    data: &mut Data,
    script: &Script,
    restyle: &dyn Fn(&mut Style),
    fps: f64,
) -> Result<Performance, GaitError> {
    if script.acts.is_empty() {
        return Err(number("script", "there is nothing to do in it".to_owned()));
    }
    let base = cast::base(creature, data, restyle)?;
    let company = Company { creature, restyle, base: &base };
    let settings = &base.0.settings.script;
    let mut warnings = Vec::new();
    let cast = company.cast(data, script, &mut warnings)?;
    let speeds: Vec<Option<f64>> = cast.iter().map(Cast::speed).collect();
    let mut performance = play(&company, data, cast, fps, Ends::Cut)?;
    // From one gait to another takes more than either: who is not believed goes slower all the way.
    let mut share = 1.0;
    for _ in 0..settings.slower_tries {
        share *= settings.slower;
        let Some(slower) = slowed(script, &speeds, share).filter(|_| !performance.is_believed(&base.0))
        else {
            break;
        };
        let mut told = Vec::new();
        let cast = company.cast(data, &slower, &mut told)?;
        let played = play(&company, data, cast, fps, Ends::Cut)?;
        if played.is_believed(&base.0) {
            told.push(format!(
                "its changes of gait are not to be believed at these speeds: at {:.0} % of them they are",
                100.0 * share
            ));
            (performance, warnings) = (played, told);
        }
    }
    performance.warnings.splice(0..0, warnings);
    Ok(performance)
}

/// The same at a share of the speeds that its acts have; `None` where nothing goes anywhere.
fn slowed(script: &Script, speeds: &[Option<f64>], share: f64) -> Option<Script> {
    let mut slower = script.clone();
    let mut goes = false;
    for (act, own) in slower.acts.iter_mut().zip(speeds) {
        if let (What::Go { speed, .. }, Some(own)) = (&mut act.what, own) {
            *speed = Some(share * own);
            goes |= *own > 0.0;
        }
    }
    goes.then_some(slower)
}

fn number(place: &str, reason: String) -> GaitError {
    GaitError::Number { place: place.to_owned(), reason }
}

/// Plays acts whose gaits are known.
///
/// Where it rests for long enough, a script falls into legs that are planned each for itself: the time that a plan takes grows with the cube of
/// its length.
pub(crate) fn play(
    company: &Company,
    data: &mut Data,
    cast: Vec<Cast>,
    fps: f64,
    ends: Ends,
) -> Result<Performance, GaitError> {
    let (body, base) = &company.base;
    if !(fps.is_finite() && fps > 0.0) {
        return Err(number("fps", format!("{fps} keys per second make no clip")));
    }
    let (cast, cut) = from_rest_to_rest(cast, body);
    let paces = paces(body, &cast)?;
    let whole: f64 = paces.iter().map(|pace| pace.seconds).sum();
    if whole * fps > MOST_CLIP_KEYS as f64 {
        return Err(number("fps", format!("{:.0} keys are too many; at most {MOST_CLIP_KEYS}", whole * fps)));
    }
    let motions = cast
        .iter()
        .map(|cast| cast.part.as_ref().map(|(body, design)| ModalMotion::new(body, &design.gait)).transpose())
        .collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<Option<Part>> = cast
        .iter()
        .zip(&motions)
        .map(|(cast, motion)| {
            let ((body, design), motion) = cast.part.as_ref().zip(motion.as_ref())?;
            Some(Part { body, gait: &design.gait, motion })
        })
        .collect();
    let motion = ModalMotion::new(body, &base.gait)?;
    let stands = Part { body, gait: &base.gait, motion: &motion };
    let breath = breath(body, data)?;
    let stretches = stretches(&paces, &parts);
    let longest = body.settings.script.longest;
    if let Some(long) = stretches.iter().map(Stretch::seconds).find(|seconds| *seconds > longest) {
        return Err(number(
            "script",
            format!(
                "it goes for {long:.0} s without a rest, and {longest} can be planned as one; let it idle in between"
            ),
        ));
    }
    let only = stretches.len() == 1;
    let (first, last) = (0, stretches.len() - 1);
    let (from, to) = (
        if cut[0] > 0.0 { paces[0].seconds + cut[0] } else { 0.0 },
        whole - if cut[1] > 0.0 { paces[paces.len() - 1].seconds + cut[1] } else { 0.0 },
    );
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be few
    let keys = ((to - from) * fps).round().max(2.0) as usize;
    let times: Vec<f64> = (0..=keys).map(|k| from + (to - from) * k as f64 / keys as f64).collect();
    let mut played: Option<Journey> = None;
    for (index, stretch) in stretches.into_iter().enumerate() {
        let (begins, seconds) = (stretch.begins, stretch.seconds());
        let own =
            |time: &f64| (index == first || *time >= begins) && (index == last || *time < begins + seconds);
        let own: Vec<f64> = times.iter().filter(|time| own(time)).map(|time| time - begins).collect();
        let window = |timeline: &Timeline, ahead: &[f64]| match ends {
            Ends::Loop if only => window(timeline, ahead, cut, fps),
            Ends::Loop | Ends::Cut => (own.clone(), Seams::default()),
        };
        let breath = Breath::over(breath.clone(), body, seconds);
        let leg = journey(&stands, data, stretch.paces, &stretch.parts, breath.as_ref(), &window)?;
        played = Some(match played {
            None => leg,
            Some(before) => before.and_then(&body.creature, leg, begins),
        });
    }
    let played = played.ok_or_else(|| number("script", "there is nothing to do in it".to_owned()))?;
    Ok(report(body, data, played))
}

/// Acts from rest to rest.
struct Stretch<'a> {
    /// s, in the script.
    begins: f64,
    paces: Vec<Pace>,
    parts: Vec<Option<Part<'a>>>,
}

impl Stretch<'_> {
    fn seconds(&self) -> f64 {
        self.paces.iter().map(|pace| pace.seconds).sum()
    }
}

/// The acts of a script, cut in the middle of each rest that is more than the end of one motion and the beginning of the next.
fn stretches<'a>(paces: &[Pace], parts: &[Option<Part<'a>>]) -> Vec<Stretch<'a>> {
    let last = paces.len() - 1;
    let mut all = vec![Stretch { begins: 0.0, paces: Vec::new(), parts: Vec::new() }];
    let mut at = 0.0;
    for (index, (pace, part)) in paces.iter().zip(parts).enumerate() {
        let after = paces.get(index + 1).map_or(0.0, |pace| pace.change);
        let middle = 0.5 * (pace.seconds + 0.5 * pace.change - 0.5 * after);
        let rests = index > 0 && index < last && pace.kind == Kind::Stand;
        let own = all.len() - 1;
        // Both changes are over for at least a tenth of the rest.
        if rests && middle > 0.55 * pace.change && pace.seconds - middle > 0.55 * after {
            all[own].paces.push(Pace { seconds: middle, ..*pace });
            all[own].parts.push(*part);
            let rest = Pace { seconds: pace.seconds - middle, ..*pace };
            all.push(Stretch { begins: at + middle, paces: vec![rest], parts: vec![*part] });
        } else {
            all[own].paces.push(*pace);
            all[own].parts.push(*part);
        }
        at += pace.seconds;
    }
    all
}

/// Times of the keys where a clip begins or ends with a cycle of the gait, and where the motion of its loop is taken over.
fn window(timeline: &Timeline, ahead: &[f64], cut: [f64; 2], fps: f64) -> (Vec<f64>, Seams) {
    let last = timeline.paces.len() - 1;
    let (mut from, mut to) = (0.0, timeline.period());
    let mut seams = Seams::default();
    // The cycle of the gait that is nearest to the cut begins here.
    let begins =
        |time: f64, act: usize| timeline.time((timeline.cycle(time) + ahead[act]).round() - ahead[act]);
    let stride = |act: usize| match timeline.paces[act].kind {
        Kind::Go { frequency, .. } => 1.0 / frequency,
        Kind::Stand | Kind::Jump { .. } => 0.0,
    };
    if cut[0] > 0.0 {
        from = begins(timeline.starts[1] + cut[0], 1);
        seams.first = Some((1, [from, from + stride(1)]));
    }
    if cut[1] > 0.0 {
        to = begins(timeline.starts[last] - cut[1], last - 1);
        seams.last = Some((last - 1, [to - stride(last - 1), to]));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be few
    let keys = ((to - from) * fps).round().max(2.0) as usize;
    ((0..=keys).map(|k| from + (to - from) * k as f64 / keys as f64).collect(), seams)
}

/// A script that begins or ends on the way is played from rest to rest all the same, and cut: returns how much of the first and of the last
/// act is cut off, s.
fn from_rest_to_rest(mut cast: Vec<Cast>, body: &Body) -> (Vec<Cast>, [f64; 2]) {
    let settings = &body.settings.script;
    // How long it stands, and how long it goes on before it is looked at.
    let stand = |near: Option<&Cast>| {
        let change = near.map_or(0.0, |near| change(body, None, near));
        let what = What::Stand { seconds: 0.5 * change + settings.pause * natural(body) };
        Cast { act: Act { what, change: None }, part: None }
    };
    let run_up = |cast: &mut Cast| -> f64 {
        let Some((_, design)) = &cast.part else { return 0.0 };
        let extra = 0.5 * change(body, None, cast) + 1.0 / design.gait.frequency;
        if let What::Go { seconds, .. } = &mut cast.act.what {
            *seconds += extra;
        }
        extra
    };
    let mut cut = [0.0; 2];
    let last = cast.len() - 1;
    if cast[last].part.is_some() {
        if cast[last].can_be_cut() {
            cut[1] = run_up(&mut cast[last]);
        }
        let rests = stand(cast.last());
        cast.push(rests);
    }
    if cast[0].part.is_some() {
        if cast[0].can_be_cut() {
            cut[0] = run_up(&mut cast[0]);
        }
        let rests = stand(cast.first());
        cast.insert(0, rests);
    }
    // Who leaps stands before and after it.
    let mut index = 0;
    while index < cast.len() {
        let leaps = matches!(cast[index].act.what, What::Jump { .. });
        let stands =
            |cast: Option<&Cast>| cast.is_some_and(|cast| matches!(cast.act.what, What::Stand { .. }));
        if leaps && !stands(cast.get(index + 1)) {
            let rests = stand(cast.get(index + 1));
            cast.insert(index + 1, rests);
        }
        if leaps && (index == 0 || !stands(cast.get(index - 1))) {
            let rests = stand(index.checked_sub(1).map(|before| &cast[before]));
            cast.insert(index, rests);
            index += 1;
        }
        index += 1;
    }
    (cast, cut)
}

/// The time in which legs fall, s: √(h/g).
pub(crate) fn natural(body: &Body) -> f64 {
    (body.legs.length / body.creature.gravity().norm()).sqrt()
}

/// Time of a change between two acts, s, if nobody says it; `None` stands.
pub(super) fn change(body: &Body, from: Option<&Cast>, to: &Cast) -> f64 {
    let settings = &body.settings.script;
    let g = body.creature.gravity().norm();
    let both =
        [from, Some(to)].map(|cast| cast.and_then(|cast| cast.part.as_ref()).map(|(_, design)| &design.gait));
    let slowest = both.iter().flatten().map(|gait| gait.frequency).fold(f64::INFINITY, f64::min);
    // A gait whose speed its vibrations say goes about as fast as legs fall.
    let speed = |gait: Option<&crate::Gait>| {
        gait.map_or(0.0, |gait| gait.ground.speed.unwrap_or((g * body.legs.length).sqrt()))
    };
    let faster = (speed(both[1]) - speed(both[0])).abs();
    let strides =
        if slowest.is_finite() { settings.change / slowest } else { settings.change * natural(body) };
    strides.max(faster / (settings.haste * g))
}

/// When all of it happens.
fn paces(body: &Body, cast: &[Cast]) -> Result<Vec<Pace>, GaitError> {
    let settings = &body.settings.script;
    let g = body.creature.gravity().norm();
    if g <= 0.0 {
        return Err(GaitError::Body("without gravity nothing stands".to_owned()));
    }
    let mut paces: Vec<Pace> = Vec::new();
    for (index, now) in cast.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &cast[before]);
        let change = now.act.change.unwrap_or_else(|| change(body, before, now));
        let (seconds, kind) = match &now.act.what {
            What::Stand { seconds } => (*seconds, Kind::Stand),
            What::Go { seconds, turn, .. } => {
                let frequency = now.part.as_ref().map_or(1.0, |(_, design)| design.gait.frequency);
                (*seconds, Kind::Go { frequency, speed: 0.0, turn: *turn })
            }
            What::Jump { height, length, push } => {
                let flight = 2.0 * (2.0 * height / g).sqrt();
                let push = push.unwrap_or(settings.push[0] * natural(body));
                (flight + 2.0 * push, Kind::Jump { flight, speed: length / (flight + push) })
            }
            // Was cast as steps on the spot.
            What::Turn { .. } => (natural(body), Kind::Stand),
        };
        paces.push(Pace { seconds, change, kind });
    }
    fit_changes(&mut paces, cast)?;
    Ok(paces)
}

/// Changes do not overlap: those that nobody asked for give way, and where that is not enough, acts that nobody cut short.
fn fit_changes(paces: &mut [Pace], cast: &[Cast]) -> Result<(), GaitError> {
    for index in 0..paces.len() {
        let after = paces.get(index + 1).map_or(0.0, |pace| pace.change);
        let before = if index == 0 { 0.0 } else { paces[index].change };
        let needs = 0.5 * (before + after);
        if needs <= paces[index].seconds {
            continue;
        }
        let shrink = paces[index].seconds / needs;
        for (at, change) in [(index, before), (index + 1, after)] {
            if change == 0.0 || at >= paces.len() {
                continue;
            }
            if cast[at].act.change.is_some() {
                return Err(number(
                    &format!("act {} of the script", index + 1),
                    format!("it is over before it has come about: {:.2} s", paces[index].seconds),
                ));
            }
            paces[at].change *= shrink;
        }
    }
    Ok(())
}

/// What was played, and what was measured on it.
fn report(body: &Body, data: &mut Data, played: Journey) -> Performance {
    let creature = &body.creature;
    let (from, to) = (played.times[0], played.times[played.times.len() - 1]);
    let contacts = body.legs.legs.iter().zip(&played.stands).map(|(leg, stands)| {
        let inside = |[start, end]: &[f64; 2]| {
            let interval = [start.max(from) - from, end.min(to) - from];
            (interval[1] > interval[0]).then_some(interval)
        };
        let intervals = stands.iter().filter_map(inside).collect();
        Contact { name: leg.name.clone(), body: leg.foot, point: leg.point, intervals }
    });
    let mut clip = Clip {
        name: "script".to_owned(),
        times: played.times.iter().map(|time| time - from).collect(),
        poses: played.poses,
        // Who only breathes begins again as it ended.
        stride: played.rests.then_some(Stride::NONE),
        contacts: contacts.collect(),
        travel: None,
    };
    if clip.stride.is_some()
        && let [first, .., last] = clip.poses.as_mut_slice()
    {
        // It recurs but for the last digits, by which a pose depends on the one it was sought from.
        last.clone_from(first);
    }
    clip.align_signs(creature);
    let slip = measure::slip_of_contacts(creature, data, &clip);
    let (depth, deepest) = measure::penetration(creature, data, &Terrain::Flat, &clip.poses);
    let way: f64 =
        clip.poses.windows(2).map(|pair| math::hypot(pair[1][0] - pair[0][0], pair[1][1] - pair[0][1])).sum();
    let report = Report {
        speed: way / (to - from),
        slip_mm: Some(slip * 1e3),
        penetration_mm: Some(depth * 1e3),
        foot_miss_mm: Some(played.miss * 1e3),
        ..Report::of_clip(creature, 0.0, &clip)
    };
    let mut warnings = Vec::new();
    let forces = measure_forces(body, data, &Terrain::Flat, &clip, None, &mut warnings);
    let report = match &forces {
        Some(forces) => report.with_forces(forces),
        None => report,
    };
    if !played.obeys {
        warnings.push("its joints cannot do what the pushes of its feet would ask of them".to_owned());
    }
    if played.miss > body.settings.warnings.reach * body.legs.length {
        warnings.push(format!(
            "a foot is {} from where it should stand: the legs do not reach; try lower speeds or more time to change",
            in_mm(played.miss)
        ));
    }
    if depth > body.settings.warnings.below_ground {
        warnings.push(format!(
            "{} is {} below the ground at most",
            creature.bodies()[deepest].name,
            in_mm(depth)
        ));
    }
    Performance { clip, report, forces, warnings }
}
