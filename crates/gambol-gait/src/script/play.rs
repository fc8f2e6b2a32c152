//! Plays a script: from acts to a clip.

use gambol_dynamics::Data;
use gambol_model::{Creature, math};
use gambol_motion::{Clip, Contact};

use super::{Act, Kind, Pace, Script, What};
use crate::feet::{Journey, Part, journey};
use crate::modal::ModalMotion;
use crate::perform::{in_mm, measure_forces};
use crate::{
    Body, Design, GaitError, Performance, Report, ScriptSettings, Style, Terrain, Wish, gaits_for, measure,
    prepare,
};

/// An act with the gait that it needs.
struct Cast {
    act: Act,
    part: Option<(Body, Design)>,
}

/// Plays `script` on a creature as its file has it, at `fps` keys per second. Styles of all acts are as `restyle` changes them.
pub fn perform_script(
    creature: &Creature,
    data: &mut Data,
    script: &Script,
    restyle: &dyn Fn(&mut Style),
    fps: f64,
) -> Result<Performance, GaitError> {
    let number = |place: &str, reason: String| GaitError::Number { place: place.to_owned(), reason };
    if !(fps.is_finite() && fps > 0.0) {
        return Err(number("fps", format!("{fps} keys per second make no clip")));
    }
    if script.acts.is_empty() {
        return Err(number("script", "there is nothing to do in it".to_owned()));
    }
    let base = base(creature, data, script, restyle)?;
    let mut warnings = Vec::new();
    let mut cast = Vec::new();
    for act in &script.acts {
        let part = match &act.what {
            What::Go { gait, speed, turn, .. } => {
                let wish = Wish { speed: *speed, ..Wish::default() };
                let (body, mut design) = prepare(creature.clone(), data, gait, restyle, &wish)?;
                design.gait.ground.turn = *turn;
                design.gait.ground.terrain = Terrain::Flat;
                warnings.append(&mut design.hints);
                Some((body, design))
            }
            What::Stand { .. } | What::Jump { .. } => None,
        };
        cast.push(Cast { act: act.clone(), part });
    }
    let (cast, cut) = from_rest_to_rest(cast, &base.0);
    let paces = paces(&base.0, &cast)?;
    let starts: Vec<f64> = paces
        .iter()
        .scan(0.0, |at, pace| {
            let start = *at;
            *at += pace.seconds;
            Some(start)
        })
        .collect();
    let whole: f64 = paces.iter().map(|pace| pace.seconds).sum();
    let (from, to) = (
        if cut[0] > 0.0 { starts[1] + cut[0] } else { 0.0 },
        if cut[1] > 0.0 { starts[starts.len() - 1] - cut[1] } else { whole },
    );
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be few
    let keys = ((to - from) * fps).round().max(2.0) as usize;
    let times: Vec<f64> = (0..=keys).map(|k| from + (to - from) * k as f64 / keys as f64).collect();
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
    let motion = ModalMotion::new(&base.0, &base.1.gait)?;
    let stands = Part { body: &base.0, gait: &base.1.gait, motion: &motion };
    let played = journey(&stands, data, paces, &parts, &times)?;
    if !played.obeys {
        warnings.push(
            "its joints cannot do what the pushes of its feet would ask; gravity would not believe it"
                .to_owned(),
        );
    }
    Ok(report(&base.0, data, played, &times, warnings))
}

/// The body as it stands, with a gait that tells how it is put on its feet: a walk, or what it can do.
fn base(
    creature: &Creature,
    data: &mut Data,
    script: &Script,
    restyle: &dyn Fn(&mut Style),
) -> Result<(Body, Design), GaitError> {
    let wish = Wish::default();
    let walk = prepare(creature.clone(), data, "walk", restyle, &wish);
    let first = script.acts.iter().find_map(|act| match &act.what {
        What::Go { gait, .. } => Some(gait.clone()),
        What::Stand { .. } | What::Jump { .. } => None,
    });
    match (walk, first) {
        (Ok(walk), _) => Ok(walk),
        (Err(_), Some(gait)) => prepare(creature.clone(), data, &gait, restyle, &wish),
        (Err(error), None) => {
            let mut style = Style::default();
            restyle(&mut style);
            let body = Body::new(creature.clone(), data, &style)?;
            let fits = gaits_for(&body, data).into_iter().find(|(_, fits)| fits.is_ok());
            let (gait, _) = fits.ok_or(error)?;
            prepare(creature.clone(), data, &gait, restyle, &wish)
        }
    }
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
        cut[1] = run_up(&mut cast[last]);
        let rests = stand(cast.last());
        cast.push(rests);
    }
    if cast[0].part.is_some() {
        cut[0] = run_up(&mut cast[0]);
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
fn natural(body: &Body) -> f64 {
    (body.legs.length / body.creature.gravity().norm()).sqrt()
}

/// Time of a change between two acts, s, if nobody says it; `None` stands.
fn change(body: &Body, from: Option<&Cast>, to: &Cast) -> f64 {
    let settings = &body.settings.script;
    let g = body.creature.gravity().norm();
    let both =
        [from, Some(to)].map(|cast| cast.and_then(|cast| cast.part.as_ref()).map(|(_, design)| &design.gait));
    let slowest = both.iter().flatten().map(|gait| gait.frequency).fold(f64::INFINITY, f64::min);
    // A gait whose speed its vibrations say goes about as fast as legs fall.
    let speed = |gait: &Option<&crate::Gait>| {
        gait.map_or(0.0, |gait| gait.ground.speed.unwrap_or((g * body.legs.length).sqrt()))
    };
    let faster = (speed(&both[1]) - speed(&both[0])).abs();
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
            What::Jump { height, length } => {
                let flight = 2.0 * (2.0 * height / g).sqrt();
                let push = settings.push * natural(body);
                (flight + 2.0 * push, Kind::Jump { flight, speed: length / (flight + push) })
            }
        };
        paces.push(Pace { seconds, change, kind });
    }
    // Changes do not overlap: those that nobody asked for give way, and where that is not enough, acts that nobody cut short.
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
                return Err(GaitError::Number {
                    place: format!("act {} of the script", index + 1),
                    reason: format!("it is over before it has come about: {:.2} s", paces[index].seconds),
                });
            }
            paces[at].change *= shrink;
        }
    }
    Ok(paces)
}

/// What was played, and what was measured on it.
fn report(
    body: &Body,
    data: &mut Data,
    played: Journey,
    times: &[f64],
    mut warnings: Vec<String>,
) -> Performance {
    let creature = &body.creature;
    let (from, to) = (times[0], times[times.len() - 1]);
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
        times: times.iter().map(|time| time - from).collect(),
        poses: played.poses,
        stride: None,
        contacts: contacts.collect(),
        travel: None,
    };
    clip.align_signs(creature);
    let slip = measure::slip_of_contacts(creature, data, &clip);
    let (depth, deepest) = measure::penetration(creature, data, &Terrain::Flat, &clip.poses);
    let way: f64 =
        clip.poses.windows(2).map(|pair| math::hypot(pair[1][0] - pair[0][0], pair[1][1] - pair[0][1])).sum();
    let report = Report {
        speed: way / (to - from),
        slip_mm: Some(slip * 1e3),
        penetration_mm: Some(depth * 1e3),
        ..Report::of_clip(creature, 0.0, &clip)
    };
    let forces = measure_forces(body, data, &Terrain::Flat, &clip, None);
    let report = match &forces {
        Some(forces) => report.with_forces(forces),
        None => report,
    };
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
