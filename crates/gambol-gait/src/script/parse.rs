//! Scripts as text.

use std::str::FromStr;

use super::{Act, Script, What};
use crate::GaitError;

/// How long a creature stands that stops, s, if nobody says it.
const STOPS: f64 = 1.0;

/// Longest act, s: ten minutes.
const LONGEST: f64 = 600.0;

impl FromStr for Script {
    type Err = GaitError;

    /// Acts between commas: `idle 1`, `walk 3 @1.2 left 30 in 0.8` (for 3 s at 1.2 m/s, turning by 30° a second, reached within 0.8 s),
    /// `jump 0.4 far 1.2` (m), `stop`.
    fn from_str(text: &str) -> Result<Self, GaitError> {
        let acts = text.split(',').enumerate().map(|(index, text)| act(index + 1, text.trim()));
        Ok(Self { acts: acts.collect::<Result<_, _>>()? })
    }
}

fn act(number: usize, text: &str) -> Result<Act, GaitError> {
    let wrong = |reason: String| GaitError::Number { place: format!("act {number} of the script"), reason };
    // `@ 1.2` is meant as `@1.2`.
    let text = text.replace("@ ", "@");
    let mut words = text.split_whitespace();
    let Some(name) = words.next() else {
        return Err(wrong("it is empty; write for instance \"walk 2\"".to_owned()));
    };
    let number_of = |word: &str, what: &str| -> Result<f64, GaitError> {
        let found: f64 = word.parse().map_err(|_| wrong(format!("{word:?} is no {what}")))?;
        if found.is_finite() { Ok(found) } else { Err(wrong(format!("{word:?} is no {what}"))) }
    };
    let mut first = None;
    let (mut speed, mut turn, mut change, mut far) = (None, 0.0, None, 0.0);
    while let Some(word) = words.next() {
        let mut value = |what: &str| {
            let next = words.next().ok_or_else(|| wrong(format!("{word:?} needs a {what} after it")))?;
            number_of(next, what)
        };
        match word {
            "left" => turn += value("turn in degrees per second")?.to_radians(),
            "right" => turn -= value("turn in degrees per second")?.to_radians(),
            "in" => change = Some(value("time in seconds")?),
            "far" => far = value("length in metres")?,
            _ if word.starts_with('@') => speed = Some(number_of(&word[1..], "speed in m/s")?),
            _ if first.is_none() => first = Some(number_of(word, "number")?),
            _ => return Err(wrong(format!("{word:?} is not understood; {text:?} has its number already"))),
        }
    }
    if let Some(change) = change
        && change <= 0.0
    {
        return Err(wrong(format!(
            "it cannot come about in {change} s: a body cannot change its speed at once"
        )));
    }
    let seconds = |first: Option<f64>| match first {
        Some(seconds) if seconds > 0.0 && seconds <= LONGEST => Ok(seconds),
        Some(seconds) => Err(wrong(format!("{seconds} s is out of range; above 0, at most {LONGEST}"))),
        None => Err(wrong(format!("{name} needs a time in seconds after it"))),
    };
    let what = match name {
        "idle" | "stand" => What::Stand { seconds: seconds(first)? },
        "stop" => What::Stand { seconds: seconds(Some(first.unwrap_or(STOPS)))? },
        "jump" | "leap" => {
            let height = first.ok_or_else(|| wrong(format!("{name} needs a height in metres after it")))?;
            if height <= 0.0 {
                return Err(wrong(format!("a leap of {height} m is none")));
            }
            What::Jump { height, length: far }
        }
        gait => What::Go { gait: gait.to_owned(), seconds: seconds(first)?, speed, turn },
    };
    Ok(Act { what, change })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read() {
        let script: Script =
            "idle 1, walk 3 @1.2 left 30, run 4 @ 3 in 0.8, jump 0.4 far 1, stop".parse().unwrap();
        let go = |gait: &str, seconds, speed, turn| What::Go { gait: gait.to_owned(), seconds, speed, turn };
        let expected = [
            (What::Stand { seconds: 1.0 }, None),
            (go("walk", 3.0, Some(1.2), 30_f64.to_radians()), None),
            (go("run", 4.0, Some(3.0), 0.0), Some(0.8)),
            (What::Jump { height: 0.4, length: 1.0 }, None),
            (What::Stand { seconds: 1.0 }, None),
        ];
        let expected = expected.map(|(what, change)| Act { what, change });
        assert_eq!(script.acts, expected);
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_place() {
        for (text, told) in [
            ("", "act 1 of the script: it is empty"),
            ("walk 2,, run 1", "act 2 of the script: it is empty"),
            ("walk", "act 1 of the script: walk needs a time in seconds"),
            ("walk 2 @fast", "\"fast\" is no speed"),
            ("walk 2, run 2 in 0", "act 2 of the script: it cannot come about in 0 s"),
            ("walk -1", "-1 s is out of range"),
            ("walk inf", "\"inf\" is no number"),
            ("walk 2 3", "\"3\" is not understood"),
            ("jump", "jump needs a height"),
            ("walk 2 left", "\"left\" needs a turn"),
        ] {
            let error = text.parse::<Script>().unwrap_err().to_string();
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }
}
