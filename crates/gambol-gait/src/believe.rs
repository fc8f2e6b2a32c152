//! As fast as can be believed.

use gambol_dynamics::Data;
use gambol_model::Creature;

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
}

impl Performance {
    /// Whether its feet reach the ground and gravity believes it; so does all that no feet carry.
    pub fn is_believed(&self, body: &Body) -> bool {
        let settings = &body.settings;
        let reaches = self
            .report
            .foot_miss_mm
            .is_none_or(|miss| miss <= 1e3 * settings.warnings.reach * body.legs.length);
        reaches && self.forces.as_ref().is_none_or(|forces| forces.doubt(settings.forces.believed).is_none())
    }
}

/// Plays the gait called `name` as [`crate::prepare`] makes it and `adjust` changes it. A speed of `wish` at which its legs do not reach or
/// gravity would not believe it is replaced by the nearest at which it would, and the design says so.
pub fn perform_believed(
    creature: &Creature,
    data: &mut Data,
    name: &str,
    restyle: &dyn Fn(&mut Style),
    wish: &Wish,
    adjust: &dyn Fn(&Body, &mut Gait) -> Result<(), GaitError>,
    sampling: &Sampling,
) -> Result<Believed, GaitError> {
    let mut play = |speed: Option<f64>| -> Result<Believed, GaitError> {
        let wish = Wish { speed, ..wish.clone() };
        let (body, mut design) = prepare(creature.clone(), data, name, restyle, &wish)?;
        adjust(&body, &mut design.gait)?;
        let performance = perform(&body, data, &design.gait, sampling)?;
        Ok(Believed { body, design, performance })
    };
    let asked = play(wish.speed)?;
    let Some(speed) = wish.speed else { return Ok(asked) };
    // Two of speed, stride and frequency say what is wanted; then nobody else should.
    if asked.performance.is_believed(&asked.body) || wish.frequency.is_some() || wish.stride_length.is_some()
    {
        return Ok(asked);
    }
    let own = play(None)?;
    if !own.performance.is_believed(&own.body) {
        return Ok(asked);
    }
    // Between a speed that is believed and one that is not.
    let (mut good, mut bad) = (own.performance.report.speed, speed);
    let mut nearest = own;
    for _ in 0..nearest.body.settings.design.nearer_tries {
        // By ratio: what was asked for may be wild.
        let middle = if good * bad > 0.0 { (good * bad).sqrt() } else { 0.5 * (good + bad) };
        let tried = play(Some(middle))?;
        if tried.performance.is_believed(&tried.body) {
            (good, nearest) = (middle, tried);
        } else {
            bad = middle;
        }
    }
    let reached = nearest.performance.report.speed;
    nearest.design.hints.push(format!(
        "{speed} m/s is not to be believed of its {name}: {reached:.2} m/s is, the nearest that could be found"
    ));
    Ok(nearest)
}
