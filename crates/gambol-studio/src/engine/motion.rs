//! Gaits: which suit a body, and how one moves it.

use gambol::dynamics::Data;
use gambol::gait::{
    Body, Design, FootForces, Forces, Gait, GaitError, Sampling, Support, Terrain, Wish, adopt_onto,
    design_at_pace, from_toml, gaits_for, perform, preset_style,
};

use super::body::Dressed;
use super::creature::clip_part;
use super::hint::told;
use super::{Answer, Trouble};
use crate::protocol::{FootPush, ForcePart, GaitChoice, GaitWork, GaitsAnswer, MotionAnswer, push};

/// Tells which gaits suit a body.
pub(super) fn gaits(dressed: &mut Dressed) -> Result<Answer, Trouble> {
    let Dressed { body, data, .. } = dressed;
    let mut gaits = Vec::new();
    for (name, fits) in gaits_for(body, data) {
        gaits.push(GaitChoice {
            suits: fits.is_ok(),
            reason: fits.err().map(reason),
            style: preset_style(&body.creature, &name),
            name,
        });
    }
    Answer::new(GaitsAnswer { gaits }, Vec::new())
}

/// Why a gait does not suit, without what the page shows anyway.
fn reason(error: GaitError) -> String {
    match error {
        GaitError::DoesNotFit { reason, .. } => told(&reason),
        other => told(&other),
    }
}

/// Keys per second.
const RATE: f64 = 60.0;
/// Most keys of a cycle: a slow mode needs no more to be smooth.
const MOST_KEYS: f64 = 600.0;
/// On a slope a clip does not close; it shows this long, s.
const UPHILL: f64 = 4.0;

/// Plays a gait.
pub(super) fn answer(dressed: &mut Dressed, work: &GaitWork) -> Result<Answer, Trouble> {
    let (gait, mut warnings) = gait(dressed, work)?;
    let played =
        perform(&dressed.body, &mut dressed.data, &gait, &sampling(&gait)).map_err(Trouble::hinted)?;
    warnings.extend(played.warnings);
    let mut bytes = Vec::new();
    let head = MotionAnswer {
        clip: clip_part(&played.clip, &mut bytes),
        report: played.report,
        components: gait.components,
        frequency: gait.frequency,
        forces: played
            .forces
            .map(|forces| force_part(&forces, dressed.body.settings.forces.believed, &mut bytes)),
        warnings,
    };
    Answer::new(head, bytes)
}

/// Forces, their numbers among the bytes.
fn force_part(forces: &Forces, believed: f64, bytes: &mut Vec<u8>) -> ForcePart {
    let mut foot = |foot: &FootForces| FootPush {
        name: foot.name.clone(),
        up: push(bytes, foot.force.iter().map(|force| force.z)),
    };
    let feet = forces.feet.iter().map(&mut foot).collect();
    ForcePart {
        times: push(bytes, forces.times.iter().copied()),
        feet,
        residual_force: push(bytes, forces.residual_force.iter().copied()),
        residual_moment: push(bytes, forces.residual_moment.iter().copied()),
        unbelieved: push(bytes, forces.unbelieved.iter().flatten().copied()),
        believed,
    }
}

fn sampling(gait: &Gait) -> Sampling {
    let closes = gait.ground.terrain == Terrain::Flat || gait.ground.support == Support::Air;
    Sampling { seconds: (!closes).then_some(UPHILL), fps: RATE.min(MOST_KEYS * gait.frequency) }
}

/// The gait that the user asks for, on this body; and what he should know.
pub(super) fn gait(dressed: &mut Dressed, work: &GaitWork) -> Result<(Gait, Vec<String>), Trouble> {
    check(work)?;
    let Design { mut gait, hints } = match (&work.file, &work.name) {
        (Some(text), _) => from_file(dressed, text, &work.wish)?,
        (None, Some(name)) => designed(dressed, name, &work.wish).map_err(Trouble::hinted)?,
        (None, None) => Design { gait: in_air(&dressed.body, work), hints: Vec::new() },
    };
    for edit in &work.edits {
        gait.edit(&dressed.body, edit).map_err(Trouble::hinted)?;
    }
    if work.turn != 0.0 {
        gait.ground.turn = work.turn;
    }
    if work.slope != 0.0 {
        gait.ground.terrain = Terrain::Slope(work.slope);
    }
    if !work.ground {
        gait.ground.support = Support::Air;
    }
    Ok((gait, hints))
}

/// Slower or faster than this is no gait, Hz.
const FREQUENCIES: std::ops::RangeInclusive<f64> = 1e-2..=1e2;
/// rad, rad/s, m/s and m beyond this are no wish of anybody, and their squares must stay finite.
const LARGEST: f64 = 1e3;

/// Steeper is a wall and no ground, rad: 60°.
const STEEPEST: f64 = std::f64::consts::FRAC_PI_3;

/// Numbers that would go wrong far from here; JSON has no other than finite ones.
fn check(work: &GaitWork) -> Result<(), Trouble> {
    let bad =
        |what: &str, number: f64| Err(Trouble(format!("{what} of {number} makes no sense; choose another")));
    for (what, number) in
        [("a speed", work.wish.speed), ("a stride", work.wish.stride_length), ("a turn", Some(work.turn))]
    {
        if let Some(number) = number.filter(|number| number.abs() > LARGEST) {
            return bad(what, number);
        }
    }
    if let Some(frequency) = work.wish.frequency.filter(|frequency| !FREQUENCIES.contains(frequency)) {
        return bad("a frequency", frequency);
    }
    if work.slope.abs() > STEEPEST {
        return bad("a slope", work.slope);
    }
    for edit in &work.edits {
        let numbers = [("an amplitude", edit.amplitude), ("a phase", edit.phase), ("an offset", edit.offset)];
        for (what, number) in numbers {
            if let Some(number) = number.filter(|number| number.abs() > LARGEST) {
                return bad(what, number);
            }
        }
        if edit.harmonic.is_some_and(|harmonic| !(1..=2).contains(&harmonic)) {
            return Err(Trouble("a mode swings once or twice a cycle".to_owned()));
        }
    }
    Ok(())
}

/// The gait called `name`, as it was designed before or anew.
fn designed(dressed: &mut Dressed, name: &str, wish: &Wish) -> Result<Design, GaitError> {
    if let Some((_, _, design)) =
        dressed.designed.as_ref().filter(|(before, asked, _)| before == name && asked == wish)
    {
        return Ok(design.clone());
    }
    let design = design_at_pace(&dressed.body, &mut dressed.data, name, wish)?;
    dressed.designed = Some((name.to_owned(), wish.clone(), design.clone()));
    Ok(design)
}

/// The gait of a file; where the body is another than the file's, its modes follow.
fn from_file(dressed: &mut Dressed, text: &str, wish: &Wish) -> Result<Design, Trouble> {
    let gait = from_toml(text).map_err(Trouble::from_error)?;
    let is_at_home = gait.style == dressed.style || gait.style == dressed.body.style;
    let from = if is_at_home {
        None
    } else {
        let creature = dressed.read.creature.clone();
        let mut data = Data::new(&creature);
        Some(Body::new(creature, &mut data, &gait.style).map_err(Trouble::hinted)?)
    };
    adopt_onto(&dressed.body, &mut dressed.data, gait, from.as_ref(), wish).map_err(Trouble::hinted)
}

/// No gait: nothing moves but what the user adds.
fn in_air(body: &Body, work: &GaitWork) -> Gait {
    let edited: Vec<usize> = work.edits.iter().map(|edit| edit.mode).collect();
    let mut gait = Gait::in_air(body, &edited, work.wish.frequency);
    gait.frequency = gait.frequency.clamp(*FREQUENCIES.start(), *FREQUENCIES.end());
    gait
}
