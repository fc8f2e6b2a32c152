//! Errands in TOML files. `docs/formats.md` explains every key.

use gambol_formats::toml_file::{AT_LEAST_0, FileError, Section, parse};

use super::{Errand, Timed};

/// The highest version of errand files that is read.
pub const ERRAND_VERSION: u64 = 1;

/// Reads an errand file: `[[step]]` tables with a time and what holds from then on, `[[target]]` places, and a `[ball]`.
pub fn errand_from_toml(text: &str) -> Result<Errand, FileError> {
    let document = parse(text)?;
    let root = Section::new(text, "an errand file", &document);
    root.check_version(ERRAND_VERSION)?;
    root.only(&["version", "step", "target", "ball"])?;
    let mut errand = Errand::default();
    for step in root.tables("step", "[[step]]")? {
        read_step(&step, &mut errand)?;
    }
    for target in root.tables("target", "[[target]]")? {
        target.only(&["place"])?;
        errand.targets.push(place(&target)?);
    }
    if let Some(ball) = root.table("ball", "[ball]")? {
        ball.only(&["place", "seed"])?;
        errand.ball = Some((place(&ball)?, ball.integer("seed")?.unwrap_or(0)));
    }
    Ok(errand)
}

const TURN: [&str; 2] = ["turn_degrees", "turn_radians"];
const HEADING: [&str; 2] = ["heading_degrees", "heading_radians"];

fn read_step(step: &Section, errand: &mut Errand) -> Result<(), FileError> {
    step.only(&["time", "speed", TURN[0], TURN[1], HEADING[0], HEADING[1]])?;
    let time = step.number("time", AT_LEAST_0)?.unwrap_or(0.0);
    let speed = step.number("speed", AT_LEAST_0)?;
    let (turn, heading) = (step.angle(TURN[0], TURN[1])?, step.angle(HEADING[0], HEADING[1])?);
    if speed.is_none() && turn.is_none() && heading.is_none() {
        return Err(
            step.error("it asks for nothing: speed (m/s), turn_degrees (a second) or heading_degrees")
        );
    }
    if turn.is_some() && heading.is_some() {
        return Err(step.error("a turn and a heading at once: it can do one of them"));
    }
    let timed = |value: f64| Timed { time, value };
    errand.speeds.extend(speed.map(timed));
    errand.turns.extend(turn.map(timed));
    errand.headings.extend(heading.map(timed));
    Ok(())
}

/// m
fn place(section: &Section) -> Result<[f64; 2], FileError> {
    let numbers = section.numbers("place")?.ok_or_else(|| section.error("place is missing (x and y, m)"))?;
    let place = <[f64; 2]>::try_from(numbers);
    place.map_err(|_| section.error_at("place", "it is two numbers, x and y (m)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_errand_is_read_as_it_is_written() {
        let text = "version = 1\n[[step]]\ntime = 1\nspeed = 0.8\n[[step]]\ntime = 4\nspeed = 1.5\nheading_degrees = 90\n\
                    [[target]]\nplace = [4, 1]\n[ball]\nplace = [3, 0]\nseed = 7\n";
        let errand = errand_from_toml(text).unwrap();
        assert_eq!(errand.speeds, [Timed { time: 1.0, value: 0.8 }, Timed { time: 4.0, value: 1.5 }]);
        assert_eq!(errand.headings.len(), 1);
        assert!((errand.headings[0].value - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert_eq!((errand.targets, errand.ball), (vec![[4.0, 1.0]], Some(([3.0, 0.0], 7))));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let wrong = [
            ("version = 1\n[[step]]\ntime = 1\n", "asks for nothing"),
            ("version = 1\n[[step]]\nturn_degrees = 3\nheading_degrees = 4\n", "one of them"),
            ("version = 1\n[[step]]\nspeed = nan\n", "speed"),
            ("version = 1\n[[target]]\nplace = [1]\n", "two numbers"),
            ("version = 1\n[[target]]\n", "place is missing"),
            ("version = 1\nspeeds = 1\n", "no key"),
        ];
        for (text, reason) in wrong {
            let error = errand_from_toml(text).unwrap_err();
            assert!(error.reason.contains(reason) && error.line.is_some(), "{text}: {error:?}");
        }
    }
}
