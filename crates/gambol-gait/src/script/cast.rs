//! Who plays the acts of a script: gaits, and the bodies that they move.

use gambol_dynamics::Data;
use gambol_model::Creature;

use super::play::{Ends, natural, play};
use super::{Act, Script, What};
use crate::design::suitable;
use crate::{Body, Design, GaitError, Sampling, Style, Terrain, Wish, gaits_for, perform_believed, prepare};

/// An act with the gait that it needs.
#[derive(Clone)]
pub(crate) struct Cast {
    pub(crate) act: Act,
    /// `None` stands or leaps.
    pub(crate) part: Option<(Body, Design)>,
}

impl Cast {
    /// How fast it goes, m/s, if that is known before it is played.
    pub(super) fn speed(&self) -> Option<f64> {
        self.part.as_ref().and_then(|(_, design)| design.gait.ground.speed)
    }

    /// Whether a clip may begin or end in the middle of it: who turns on the spot turns by all that was asked for.
    pub(super) fn can_be_cut(&self) -> bool {
        self.part.as_ref().is_some_and(|(_, design)| design.gait.ground.speed != Some(0.0))
    }
}

/// Keys per second at which a gait is looked at before it goes into a script: as gaits are judged.
const LOOKED_AT: f64 = 120.0;

/// How deep a body sinks before it pushes off, as a share of the way that it would go in that time at the speed of its take-off: the least of
/// s³ (−4 + 7 s − 3 s²), at s = ⅔ ([`super::Timeline::rise`]; the small part of its weight left out).
const CROUCH: f64 = 16.0 / 81.0;

/// What all acts have in common.
#[derive(Clone, Copy)]
pub(crate) struct Company<'a> {
    pub(crate) creature: &'a Creature,
    pub(crate) restyle: &'a dyn Fn(&mut Style),
    /// As [`base`] has it.
    pub(crate) base: &'a (Body, Design),
}

/// The body as it stands, with a gait that tells how it is put on its feet: a walk, or what it can do.
pub(crate) fn base(
    creature: &Creature,
    data: &mut Data,
    restyle: &dyn Fn(&mut Style),
) -> Result<(Body, Design), GaitError> {
    let wish = Wish::default();
    match prepare(creature.clone(), data, "walk", restyle, &wish) {
        Ok(walk) => Ok(walk),
        Err(error) => {
            let mut style = Style::default();
            restyle(&mut style);
            let body = Body::new(creature.clone(), data, &style)?;
            if body.legs.is_empty() {
                return Err(error);
            }
            let fits = gaits_for(&body, data).into_iter().find(|(_, fits)| fits.is_ok());
            let (gait, _) = fits.ok_or(error)?;
            prepare(creature.clone(), data, &gait, restyle, &wish)
        }
    }
}

impl Company<'_> {
    /// All acts with their gaits; what a user should know is added to `warnings`.
    pub(crate) fn cast(
        &self,
        data: &mut Data,
        script: &Script,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<Cast>, GaitError> {
        let mut cast = Vec::new();
        for act in &script.acts {
            cast.push(match &act.what {
                What::Stand { .. } => Cast { act: act.clone(), part: None },
                What::Jump { height, length, push } => {
                    self.leap(data, act, (*height, *length, *push), warnings)?
                }
                What::Turn { angle } => self.turn(data, act, *angle)?,
                What::Go { gait, speed, turn, .. } => {
                    let name = match gait {
                        Some(name) => name.clone(),
                        None => self.gait_at(data, speed.unwrap_or(0.0))?,
                    };
                    let wish = Wish { speed: *speed, ..Wish::default() };
                    let (body, mut design) = self.gait(data, &name, &wish, *turn)?;
                    warnings.append(&mut design.hints);
                    Cast { act: act.clone(), part: Some((body, design)) }
                }
            });
        }
        Ok(cast)
    }

    /// Time that it takes from standing until `goes` has come about, s.
    pub(crate) fn change(&self, goes: &Cast) -> f64 {
        super::play::change(&self.base.0, None, goes)
    }

    /// The gait called `name` on level ground, as fast as can be believed.
    fn gait(&self, data: &mut Data, name: &str, wish: &Wish, turn: f64) -> Result<(Body, Design), GaitError> {
        let level = |_: &Body, gait: &mut crate::Gait| {
            gait.ground.turn = turn;
            gait.ground.terrain = Terrain::Flat;
            Ok(())
        };
        let sampling = Sampling { seconds: None, fps: LOOKED_AT };
        let played = perform_believed(self.creature, data, name, self.restyle, wish, &level, &sampling)?;
        Ok((played.body, played.design))
    }

    /// A leap as high and as far as can be believed, pushed off as quickly as suits it.
    fn leap(
        &self,
        data: &mut Data,
        act: &Act,
        (height, length, push): (f64, f64, Option<f64>),
        warnings: &mut Vec<String>,
    ) -> Result<Cast, GaitError> {
        let settings = &self.base.0.settings.script;
        let cast = |share: f64, push: f64| {
            let what = What::Jump { height: share * height, length: share * length, push: Some(push) };
            Cast { act: Act { what, ..act.clone() }, part: None }
        };
        let own = settings.push.map(|push| push * natural(&self.base.0));
        let pushes = push.map_or(own.to_vec(), |push| vec![push]);
        let body = &self.base.0;
        let (legs, g) = (body.legs.length, body.creature.gravity().norm());
        // Up to which share of it the body sinks no deeper than it can before it pushes off.
        let most = |push: f64| {
            let speed = settings.deepest_crouch * legs / (CROUCH * push);
            (speed * speed / (2.0 * g * height)).min(settings.farthest_leap * legs / length).min(1.0)
        };
        let mut share = pushes.iter().map(|push| most(*push)).fold(0.0, f64::max);
        let mut least = cast(share, pushes[0]);
        for _ in 0..settings.smaller_tries {
            for push in pushes.iter().filter(|push| share <= most(**push)) {
                least = cast(share, *push);
                let played = play(self, data, vec![least.clone()], LOOKED_AT, Ends::Cut)?;
                if !played.is_believed(body) {
                    continue;
                }
                if share < 1.0 {
                    warnings.push(format!(
                        "a leap of {height:.2} m over {length:.2} m is not to be believed: {:.2} m over {:.2} m is",
                        share * height,
                        share * length
                    ));
                }
                return Ok(least);
            }
            share *= settings.smaller;
        }
        Ok(least)
    }

    /// Steps on the spot that turn the creature, each by what its legs take.
    fn turn(&self, data: &mut Data, act: &Act, angle: f64) -> Result<Cast, GaitError> {
        let settings = &self.base.0.settings.script;
        let wish = Wish { speed: Some(0.0), ..Wish::default() };
        let (body, mut design) = prepare(self.creature.clone(), data, "walk", self.restyle, &wish)?;
        let strides = (angle.abs() / settings.turn).ceil().max(settings.fewest_turns);
        let seconds = strides / design.gait.frequency;
        let turn = angle / seconds;
        design.gait.ground.turn = turn;
        design.gait.ground.terrain = Terrain::Flat;
        let what = What::Go { gait: Some("walk".to_owned()), seconds, speed: Some(0.0), turn };
        Ok(Cast { act: Act { what, change: act.change }, part: Some((body, design)) })
    }

    /// The gait that suits a speed, by its Froude number (Alexander and Jayes 1983): animals of all sizes change from a walk to a trot or
    /// a run at about the same, and to a gallop at another.
    fn gait_at(&self, data: &mut Data, speed: f64) -> Result<String, GaitError> {
        let body = &self.base.0;
        let settings = &body.settings.script;
        let froude =
            speed * speed / (body.creature.gravity().norm() * body.legs.length).max(f64::MIN_POSITIVE);
        let wanted: &[&str] = match (body.legs.pairs, froude) {
            (_, froude) if froude < settings.walks => &["walk", "run", "hop"],
            (2, froude) if froude < settings.trots => &["trot", "run", "walk"],
            (2, _) => &["gallop", "trot", "run", "walk"],
            _ => &["run", "hop", "walk"],
        };
        let mut first = None;
        for name in wanted {
            match suitable(body, data, name) {
                Ok(_) => return Ok((*name).to_owned()),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| GaitError::Body("it has no gait".to_owned())))
    }
}
