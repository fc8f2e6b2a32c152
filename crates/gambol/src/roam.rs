//! A creature that goes where it is told, by its own torques: its gaits from standing to the fastest, ready for the simulation.

use gambol_control::legged::{
    Errand, Ladder, LadderError, ReferenceError, Roam, RoamSettings, STRIDE_KEYS, StrideReference, Walker,
    WalkerError, WalkerSettings, standing,
};
use gambol_control::stand_on;
use gambol_dynamics::{Data, Terrain};
use gambol_gait::{Body, GaitError, Performance, Sampling, Style, Wish, perform, prepare};
use gambol_model::{Creature, Hint, Hinted};
use gambol_motion::Clip;

/// Why a creature cannot go where it is told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoamError {
    /// It has not the gait that was asked for, or none at all.
    #[error(transparent)]
    Gait(#[from] GaitError),
    /// A gait that cannot be followed.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// Gaits that do not go together.
    #[error(transparent)]
    Ladder(#[from] LadderError),
    /// It cannot go on legs.
    #[error(transparent)]
    Walker(#[from] WalkerError),
}

impl Hinted for RoamError {
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Gait(error) => error.hint(),
            _ => None,
        }
    }
}

/// By what a creature goes where it is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoamWish {
    /// One gait for all speeds; none: that which suits the speed.
    pub gait: Option<String>,
    /// Speeds up to which gaits are needed, m/s; none: as fast as its gaits go.
    pub fastest: Option<f64>,
    /// Largest torque of every joint, N·m or N; none: as strong as it takes.
    pub torque_limit: Option<f64>,
    /// Where it goes.
    pub errand: Errand,
}

/// A creature ready to go.
#[derive(Clone, Debug)]
pub struct Roaming {
    /// With muscles in place of springs; it stands.
    pub walker: Walker,
    /// What leads it.
    pub controller: Roam,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// Gaits and their speeds, √(g l), slower ones first; the first of each list that suits takes part. Four legs after Coros et al. 2011,
/// section 3.3, for a dog with legs of half a metre: walk to 1.0 m/s, trot from 1.5, canter from 2.5, gallop from 3.5. All others change
/// at the Froude number ½ (Alexander and Jayes 1983).
const FOUR_LEGS: &[(&[&str], &[f64])] = &[
    (&["walk"], &[0.12, 0.28, 0.45]),
    (&["trot", "pace"], &[0.68, 0.84, 1.0]),
    (&["canter"], &[1.14, 1.36]),
    (&["gallop", "bound"], &[1.6, 1.9, 2.3]),
];
/// Who stands on one leg at a time is too long on it in a slower walk than that.
const TWO_LEGS: &[(&[&str], &[f64])] =
    &[(&["walk"], &[0.22, 0.31, 0.4, 0.5]), (&["run", "hop"], &[0.8, 1.0, 1.3])];
const MANY_LEGS: &[(&[&str], &[f64])] = &[(&["walk", "wave", "tripod"], &[0.1, 0.22, 0.34, 0.46, 0.58])];

/// Speeds of a gait that was asked for by name, in parts of its own.
const OF_ITS_OWN: [f64; 4] = [0.4, 0.7, 1.0, 1.3];

/// Makes `creature` ready to go where it is told, from where it stands.
///
/// ```no_run
/// use gambol::control::legged::{Errand, Timed};
///
/// let dog = gambol::load("dog", &gambol::LoadOptions::default())?;
/// let speeds = vec![Timed { time: 1.0, value: 0.8 }]; // m/s from 1 s on
/// let errand = Errand { speeds, ..Errand::default() };
/// let roaming = gambol::roam(&dog, &gambol::RoamWish { errand, ..gambol::RoamWish::default() })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn roam(creature: &Creature, wish: &RoamWish) -> Result<Roaming, RoamError> {
    let mut data = Data::new(creature);
    let mut warnings = Vec::new();
    let gaits = match &wish.gait {
        Some(name) => vec![(name.clone(), one_gait(creature, &mut data, name, &mut warnings)?)],
        None => gaits_by_speed(creature, &mut data, wish, &mut warnings)?,
    };
    let slowest = &gaits[0].1[0];
    let body = &slowest.0;
    let standing_creature = body.creature.clone();
    let mut pose = standing_creature.rest_pose().to_vec();
    stand_on(&standing_creature, &Terrain::Flat, &mut pose);
    let clip = &slowest.1;
    let stand = standing(&standing_creature, &pose, &clip.contacts, clip.duration() - clip.times[0])?;
    let mut rungs = vec![("stand".to_owned(), vec![stand.clone()])];
    for (name, strides) in &gaits {
        let references = strides.iter().map(|(body, clip)| StrideReference::new(&body.creature, clip));
        rungs.push((name.clone(), references.collect::<Result<_, _>>()?));
    }
    let ladder = Ladder::new(&standing_creature, rungs)?;
    let settings = WalkerSettings::default();
    let walker = Walker::on(standing_creature, stand, wish.torque_limit, &settings)?;
    let controller = Roam::new(&walker, ladder, wish.errand.clone(), (&settings, RoamSettings::default()))?;
    Ok(Roaming { walker, controller, warnings })
}

/// A gait with the body that it moves.
type Played = (Body, Clip);

/// The gaits that suit each speed. One that the creature has not is left out; none at all is an error, that of the walk.
fn gaits_by_speed(
    creature: &Creature,
    data: &mut Data,
    wish: &RoamWish,
    warnings: &mut Vec<String>,
) -> Result<Vec<(String, Vec<Played>)>, RoamError> {
    let body = Body::new(creature.clone(), data, &Style::default())?;
    let unit = (body.legs.length * creature.gravity().norm()).sqrt();
    let table = match body.legs.pairs {
        0 | 1 => TWO_LEGS,
        2 => FOUR_LEGS,
        _ => MANY_LEGS,
    };
    let mut gaits = Vec::new();
    let mut first_error = None;
    let mut reached = 0.0;
    for (names, speeds) in table {
        // What lies beyond all that is asked for is not needed.
        if !gaits.is_empty() && wish.fastest.is_some_and(|fastest| reached >= fastest) {
            break;
        }
        for name in *names {
            match at_speeds(creature, data, name, speeds.iter().map(|speed| speed * unit)) {
                Ok(strides) => {
                    reached = speeds[speeds.len() - 1] * unit;
                    gaits.push(((*name).to_owned(), strides));
                    break;
                }
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
    }
    if gaits.is_empty() {
        let none = || RoamError::Gait(GaitError::Body("it has no gait on legs".to_owned()));
        return Err(first_error.map_or_else(none, RoamError::Gait));
    }
    if let Some(fastest) = wish.fastest.filter(|fastest| *fastest > reached) {
        warnings.push(format!("{fastest} m/s is more than its gaits reach: at most {reached:.2} m/s"));
    }
    Ok(gaits)
}

/// One gait at several shares of its own speed.
fn one_gait(
    creature: &Creature,
    data: &mut Data,
    name: &str,
    warnings: &mut Vec<String>,
) -> Result<Vec<Played>, RoamError> {
    let (_, design) = prepare(creature.clone(), data, name, |_| (), &Wish::default())?;
    let (_, own) = played(creature, data, name, design.gait.ground.speed)?;
    warnings.extend(design.hints);
    let own = own.travel.map_or(0.0, |travel| travel.speed);
    Ok(at_speeds(creature, data, name, OF_ITS_OWN.iter().map(|share| share * own))?)
}

fn at_speeds(
    creature: &Creature,
    data: &mut Data,
    name: &str,
    speeds: impl Iterator<Item = f64>,
) -> Result<Vec<Played>, GaitError> {
    speeds.map(|speed| played(creature, data, name, Some(speed))).collect()
}

/// A gait at a speed, m/s, on level ground.
fn played(creature: &Creature, data: &mut Data, name: &str, speed: Option<f64>) -> Result<Played, GaitError> {
    let wish = Wish { speed, ..Wish::default() };
    let (body, mut design) = prepare(creature.clone(), data, name, |_| (), &wish)?;
    design.gait.ground.terrain = Terrain::Flat;
    let Performance { clip, .. } =
        perform(&body, data, &design.gait, &Sampling { seconds: None, fps: STRIDE_KEYS })?;
    Ok((body, clip))
}
