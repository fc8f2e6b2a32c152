//! "Stand it up": the least stiffness that carries the weight.

use gambol::anatomy::{StandSettings, WeightReport, WeightStatus, stiffness_from_weight};
use gambol::gait::Style;

use super::body::Dressed;
use super::{Answer, Trouble};
use crate::protocol::StandAnswer;

/// Finds the stiffness that carries the weight.
pub(super) fn answer(dressed: &mut Dressed, style: &Style) -> Result<Answer, Trouble> {
    let Dressed { body, data, .. } = dressed;
    let report = stiffness_from_weight(&body.creature, data, body.basis.mean(), &StandSettings::default())
        .map_err(Trouble::hinted)?;
    let name = body.creature.name();
    let (factor, text) = match report.status {
        WeightStatus::Found => (report.scale, sentence(name, &report)),
        WeightStatus::NoStiffnessNeeded => {
            (1.0, format!("The {name} keeps its posture with next to no stiffness: nothing has to change."))
        }
        WeightStatus::NeverStands => {
            return Err(Trouble(format!(
                "The {name} topples in this pose, however stiff it is; choose another pose, or bring its feet under \
                 its weight"
            )));
        }
    };
    Answer::new(StandAnswer { factor, style: style.stiffer(factor), text }, Vec::new())
}

fn sentence(name: &str, report: &WeightReport) -> String {
    let carries = match report.scale {
        scale if scale >= 1.005 => format!("It now carries its weight: {} times stiffer", short(scale)),
        scale if scale <= 0.995 => {
            format!("It carried more than its weight: now {} times softer", short(1.0 / scale))
        }
        _ => "It carries just its weight".to_owned(),
    };
    let sag = 100.0 * report.stand.sag.max(0.0);
    format!("{carries}. The {name} sags {} %.", short(sag))
}

/// Two digits.
fn short(number: f64) -> String {
    match number {
        number if number >= 9.95 => format!("{number:.0}"),
        number => format!("{number:.1}"),
    }
}
