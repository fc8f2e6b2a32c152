//! The unit of length of a file that does not say it, from the height of who stands in it.

use gambol_model::{Hint, Remark, math};

use super::settings::RecordedSizeSettings;
use super::skeleton::Stance;
use crate::{AnatomyError, Measures};

/// The units that are met in files: name and length in m. CMU's skeletons are in inches divided by 0.45.
const KNOWN_UNITS: [(&str, f64); 6] =
    [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048), ("cmu", 0.0254 / 0.45)];

/// How the file's lengths became metres.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthScale {
    /// Length of the file's unit, m.
    pub metres: f64,
    /// Height of who stands, m.
    pub height: f64,
    /// How it is known.
    pub source: ScaleSource,
}

/// How a scale is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScaleSource {
    /// The user gave the unit.
    Unit,
    /// The user gave the height.
    Height,
    /// The file says so.
    File,
    /// From the height, as of a person.
    Guess {
        /// Name of the unit.
        unit: &'static str,
        /// The height is like a person's.
        sure: bool,
    },
    /// It goes on all fours; its size is not known.
    Animal {
        /// Name of the unit.
        unit: &'static str,
    },
}

impl LengthScale {
    /// What the lengths are and why; where they were guessed, with what would set them right.
    pub fn remark(&self) -> Remark {
        let Self { metres, height, source } = self;
        match source {
            ScaleSource::Unit => format!("unit {metres:.6} m as told: {height:.2} m tall").into(),
            ScaleSource::Height => format!("{height:.2} m tall as told: unit {metres:.6} m").into(),
            ScaleSource::File => format!("unit {metres:.6} m as the file says: {height:.2} m tall").into(),
            ScaleSource::Guess { unit, sure } => {
                let doubt = if *sure { "" } else { ", which is not like a person" };
                let told = format!(
                    "the file's unit is taken for {unit} ({metres:.6} m), so that the height is {height:.2} m{doubt}"
                );
                Remark::new(told, Hint::Size)
            }
            ScaleSource::Animal { unit } => {
                let told = format!(
                    "it goes on all fours, so nothing tells its size; the file's unit is taken for {unit} ({metres:.6} m), so \
                     that it is {height:.2} m tall"
                );
                Remark::new(told, Hint::Size)
            }
        }
    }
}

/// The unit of a file in which somebody stands. `stated` is what the file says, in m, which is believed if it
/// makes a person.
pub(super) fn scale(
    stance: &Stance,
    stated: Option<f64>,
    measures: &Measures,
    settings: &RecordedSizeSettings,
) -> Result<LengthScale, AnatomyError> {
    let height = stance.height;
    if !(height.is_finite() && height > 0.0) {
        let reason = "the skeleton has no size: all its joints are in one place";
        return Err(AnatomyError::Figure(reason.to_owned()));
    }
    let from = |metres: f64, source| LengthScale { metres, height: metres * height, source };
    measures.check()?;
    if let Some(unit) = measures.unit {
        return Ok(from(unit, ScaleSource::Unit));
    }
    if let Some(wanted) = measures.height {
        return Ok(from(wanted / height, ScaleSource::Height));
    }
    let off = |metres: f64| math::ln(metres * height / settings.person).abs();
    let is_person = |metres: f64| off(metres) < math::ln(settings.sure);
    if let Some(metres) = stated.filter(|metres| metres.is_finite() && *metres > 0.0 && is_person(*metres)) {
        return Ok(from(metres, ScaleSource::File));
    }
    let [least, most] = settings.animals;
    let fits = |unit: &&(&str, f64)| (least..=most).contains(&(unit.1 * height));
    if let Some(&(unit, metres)) = KNOWN_UNITS[..3].iter().find(fits).filter(|_| stance.on_all_fours) {
        return Ok(from(metres, ScaleSource::Animal { unit }));
    }
    let mut best = KNOWN_UNITS[0];
    for unit in KNOWN_UNITS {
        if off(unit.1) < off(best.1) {
            best = unit;
        }
    }
    let (unit, metres) = best;
    Ok(from(metres, ScaleSource::Guess { unit, sure: is_person(metres) }))
}

/// Length in m of a unit that the user names: `cm`, or a number of metres.
pub fn unit_from_text(text: &str) -> Result<f64, String> {
    if let Some((_, metres)) = KNOWN_UNITS.iter().find(|(name, _)| *name == text.to_ascii_lowercase()) {
        return Ok(*metres);
    }
    match text.parse::<f64>() {
        Ok(metres) if metres.is_finite() && metres > 0.0 => Ok(metres),
        _ => {
            let names: Vec<&str> = KNOWN_UNITS.iter().map(|(name, _)| *name).collect();
            Err(format!("{text:?} is not a unit: {} or a length in metres", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stance(height: f64, on_all_fours: bool) -> Stance {
        Stance { height, frame: None, on_all_fours }
    }

    fn usual() -> RecordedSizeSettings {
        RecordedSizeSettings::default()
    }

    fn guess(height: f64) -> &'static str {
        match scale(&stance(height, false), None, &Measures::default(), &usual()).unwrap().source {
            ScaleSource::Guess { unit, .. } => unit,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn animals_are_not_measured_by_people() {
        // A cat, a dog and a horse; as people they would be in feet, inches and centimetres of all kinds.
        for (height, unit, metres) in
            [(0.25, "m", 1.0), (60.0, "cm", 0.01), (160.0, "cm", 0.01), (600.0, "mm", 0.001)]
        {
            let found = scale(&stance(height, true), None, &Measures::default(), &usual()).unwrap();
            assert_eq!(
                found,
                LengthScale { metres, height: height * metres, source: ScaleSource::Animal { unit } }
            );
            assert!(found.remark().text.contains("nothing tells its size"));
        }
    }

    #[test]
    fn people_from_a_child_to_a_giant() {
        // 1.3 m and 2.1 m in each unit. A foot and a metre are a factor of 3.3 apart, the others 2.2 or more.
        for (unit, metres) in KNOWN_UNITS {
            for height in [1.3, 1.7, 2.1] {
                assert_eq!(guess(height / metres), unit, "{height} m in {unit}");
            }
        }
    }

    #[test]
    fn what_is_told_wins() {
        let told = |unit, height| {
            scale(&stance(30.0, false), Some(0.05), &Measures { height, unit, mass: None }, &usual())
        };
        assert_eq!(told(Some(0.1), None).unwrap().height, 3.0);
        assert_eq!(told(None, Some(1.5)).unwrap().metres, 0.05);
        assert_eq!(told(None, None).unwrap().source, ScaleSource::File);
        assert!(told(Some(-1.0), None).unwrap_err().to_string().contains("a unit of -1 m"));
        assert!(told(None, Some(f64::NAN)).is_err());
        // A file that says a person is 30 m tall is not believed.
        let giant = scale(&stance(30.0, false), Some(1.0), &Measures::default(), &usual()).unwrap();
        assert_eq!(giant.source, ScaleSource::Guess { unit: "cmu", sure: true });
        assert_eq!(unit_from_text("CM"), Ok(0.01));
        assert_eq!(unit_from_text("0.5"), Ok(0.5));
        assert!(unit_from_text("ell").unwrap_err().contains("m, cm, mm, in, ft, cmu or a length"));
        assert!(unit_from_text("-1").is_err());
    }
}
