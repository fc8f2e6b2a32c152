//! A set of clips for a game: one clip for each time that the page asks.

use std::sync::Arc;

use gambol::dynamics::Data;
use gambol::gait::{LocomotionSet, SetClip, SetMaker, Style, preset_style};

use super::Trouble;
use super::creature::Read;
use super::hint::told;
use crate::protocol::{CreatureWork, SetAnswer};

/// Keys per second, as on the command line.
const FPS: f64 = 60.0;

/// What a set is of.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'w> {
    pub(super) creature: &'w CreatureWork,
    pub(super) style: &'w Style,
    /// The gait that the style belongs to.
    pub(super) gait: Option<&'w str>,
}

/// The set that was asked for last, so far. Whoever asks for the same goes on with it.
pub(super) struct Making {
    pub(super) read: Arc<Read>,
    style: Style,
    gait: Option<String>,
    data: Data,
    stage: Stage,
}

enum Stage {
    On(Box<SetMaker<Restyle>>),
    Made(Box<LocomotionSet>),
}

type Restyle = Box<dyn Fn(&mut Style) + Send>;

impl Making {
    /// Nothing of it yet; or why this creature has no set.
    pub(super) fn begin(read: &Arc<Read>, &Wanted { style, gait, .. }: &Wanted) -> Result<Self, Trouble> {
        let creature = read.creature.clone();
        let mut data = Data::new(&creature);
        let restyle = restyle(style.clone(), gait.and_then(|gait| preset_style(&creature, gait)));
        let maker = SetMaker::new(creature, &mut data, restyle, FPS)
            .map_err(|error| Trouble(format!("A set is for what goes on legs: {}", told(&error))))?;
        let gait = gait.map(str::to_owned);
        Ok(Self { read: read.clone(), style: style.clone(), gait, data, stage: Stage::On(Box::new(maker)) })
    }

    /// Whether it is the set that is wanted.
    pub(super) fn is_of(&self, &Wanted { creature, style, gait }: &Wanted) -> bool {
        self.read.work == *creature && self.style == *style && self.gait.as_deref() == gait
    }

    /// All of it, once all of it is made.
    pub(super) fn made(&self) -> Option<&LocomotionSet> {
        match &self.stage {
            Stage::Made(set) => Some(set),
            Stage::On(_) => None,
        }
    }

    /// With one more clip.
    pub(super) fn go_on(mut self) -> Result<Self, Trouble> {
        if let Stage::On(mut maker) = self.stage {
            maker.make(&mut self.data).map_err(Trouble::hinted)?;
            self.stage = match maker.next_clip() {
                Some(_) => Stage::On(maker),
                None => Stage::Made(Box::new(doubted(maker.finish()))),
            };
        }
        Ok(self)
    }

    /// How far it is.
    pub(super) fn told(&self) -> SetAnswer {
        match &self.stage {
            Stage::On(maker) => {
                let next = maker.next_clip().map(str::to_owned);
                SetAnswer { done: maker.done(), most: maker.most(), next }
            }
            Stage::Made(set) => {
                let done = set.clips.len() + set.left_out.len();
                SetAnswer { done, most: done, next: None }
            }
        }
    }
}

/// What the user says of the body, on top of the style that each gait comes with: all but what came with the gait on the stage.
fn restyle(said: Style, came: Option<Style>) -> Restyle {
    fn replace<T: Clone + PartialEq>(own: &mut T, said: &T, came: &T) {
        if said != came {
            own.clone_from(said);
        }
    }
    let came = came.unwrap_or_default();
    Box::new(move |own| {
        replace(&mut own.pose, &said.pose, &came.pose);
        replace(&mut own.bend, &said.bend, &came.bend);
        replace(&mut own.stiffness, &said.stiffness, &came.stiffness);
        replace(&mut own.scale, &said.scale, &came.scale);
        replace(&mut own.constraints, &said.constraints, &came.constraints);
        replace(&mut own.weight, &said.weight, &came.weight);
        replace(&mut own.tension, &said.tension, &came.tension);
        replace(&mut own.injured, &said.injured, &came.injured);
    })
}

/// With a word about clips that gravity would not believe.
fn doubted(mut set: LocomotionSet) -> LocomotionSet {
    let believed = set.body.settings.forces.believed;
    for SetClip { performance, .. } in &mut set.clips {
        let doubt = performance.forces.as_ref().and_then(|forces| forces.doubt(believed));
        performance.warnings.extend(doubt);
    }
    set
}

/// What a user should know of a set.
pub(super) fn warnings(set: &LocomotionSet) -> Vec<String> {
    let named = |SetClip { performance, .. }: &SetClip| {
        let name = performance.clip.name.clone();
        performance.warnings.iter().map(move |warning| format!("{name}: {warning}")).collect::<Vec<_>>()
    };
    let left_out = set.left_out.iter().map(|reason| format!("left out: {reason}"));
    set.clips.iter().flat_map(named).chain(left_out).collect()
}
