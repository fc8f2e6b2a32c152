//! A creature of the gallery at one of its gaits.

use gambol::LoadOptions;
use gambol::dynamics::Data;
use gambol::gait::{
    Believed, Body, Gait, Performance, Sampling, Style, Wish, gaits_for, perform, perform_believed,
};

use gambol::model::Creature;

use crate::shell::Result;

/// A gait as the library makes it, and a clip of one cycle.
pub(crate) struct Played {
    pub(crate) body: Body,
    pub(crate) gait: Gait,
    pub(crate) performance: Performance,
    /// What design and performance warn of.
    pub(crate) warnings: Vec<String>,
}

/// The gaits that suit a creature, presets included.
pub(crate) fn names(creature: &str) -> Result<Vec<String>> {
    let (body, mut data) = body(load(creature)?, &Style::default())?;
    let all = gaits_for(&body, &mut data);
    Ok(all.into_iter().filter(|(_, fits)| fits.is_ok()).map(|(name, _)| name).collect())
}

/// One cycle of a gait at `fps`, as users get it.
pub(crate) fn play(creature: &str, gait: &str, fps: f64) -> Result<Played> {
    let creature = load(creature)?;
    let mut data = Data::new(&creature);
    let (wish, sampling) = (Wish::default(), Sampling { seconds: None, fps });
    let Believed { body, mut design, performance, replaced } =
        perform_believed(&creature, &mut data, gait, &|_| (), &wish, &|_, _| Ok(()), &sampling)
            .map_err(|error| error.to_string())?;
    // That another speed is taken is no fault.
    design.hints.truncate(design.hints.len() - usize::from(replaced));
    let warnings = design.hints.into_iter().chain(performance.warnings.iter().cloned()).collect();
    Ok(Played { body, gait: design.gait, performance, warnings })
}

impl Played {
    /// The same at another rate.
    pub(crate) fn again(&self, fps: f64) -> Result<Performance> {
        let mut data = Data::new(&self.body.creature);
        perform(&self.body, &mut data, &self.gait, &Sampling { seconds: None, fps })
            .map_err(|error| error.to_string())
    }
}

fn load(creature: &str) -> Result<Creature> {
    gambol::load(creature, &LoadOptions::default()).map_err(|error| error.to_string())
}

fn body(creature: Creature, style: &Style) -> Result<(Body, Data)> {
    let mut data = Data::new(&creature);
    let body = Body::new(creature, &mut data, style).map_err(|error| error.to_string())?;
    Ok((body, data))
}
