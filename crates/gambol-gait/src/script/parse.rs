//! Scripts as text.

use std::str::FromStr;

use super::{Act, Script, What};
use crate::GaitError;

/// How long a creature stands that stops, s, if nobody says it.
const STOPS: f64 = 1.0;

/// Longest act, s: ten minutes.
const LONGEST: f64 = 600.0;

/// Fastest, m/s: no animal and no artist's giant goes faster.
const FASTEST: f64 = 300.0;

/// Tightest turn on the way, degrees per second: once around.
const TIGHTEST: f64 = 360.0;

/// Widest turn on the spot, degrees: ten times around.
const WIDEST: f64 = 3600.0;

/// Highest and farthest leap, m.
const FARTHEST: f64 = 100.0;

impl FromStr for Script {
    type Err = GaitError;

    /// Acts between commas: `idle 1`, `walk 3 @1.2 left 30 in 0.8` (for 3 s at 1.2 m/s, turning by 30° a second, reached within 0.8 s),
    /// `go 3 @2.5` (by the gait that suits the speed), `turn left 90` (on the spot), `jump 0.4 far 1.2` (m), `stop`.
    fn from_str(text: &str) -> Result<Self, GaitError> {
        let acts = text.split(',').enumerate().map(|(index, text)| act(index + 1, text.trim()));
        Ok(Self { acts: acts.collect::<Result<_, _>>()? })
    }
}

fn act(number: usize, text: &str) -> Result<Act, GaitError> {
    // `@ 1.2` is meant as `@1.2`.
    let text = text.replace("@ ", "@");
    let mut words = text.split_whitespace();
    let Some(name) = words.next() else {
        return Err(wrong(number, "it is empty; write for instance \"walk 2\"".to_owned()));
    };
    Words::read(number, name, words)?.act()
}

fn wrong(number: usize, reason: String) -> GaitError {
    GaitError::Number { place: format!("act {number} of the script"), reason }
}

/// The numbers that follow the name of an act.
struct Words<'a> {
    /// Of the act, from 1.
    number: usize,
    name: &'a str,
    /// The one without a word before it.
    plain: Option<f64>,
    /// m/s, after `@`
    speed: Option<f64>,
    /// Degrees, or degrees per second: to the left.
    turn: Option<f64>,
    /// s, after `in`
    change: Option<f64>,
    /// m, after `far`
    far: Option<f64>,
}

impl<'a> Words<'a> {
    fn read(number: usize, name: &'a str, mut words: std::str::SplitWhitespace) -> Result<Self, GaitError> {
        let value = |word: &str, what: &str| match word.parse::<f64>() {
            Ok(found) if found.is_finite() => Ok(found),
            _ => Err(wrong(number, format!("{word:?} is no {what}"))),
        };
        let mut own = Self { number, name, plain: None, speed: None, turn: None, change: None, far: None };
        while let Some(word) = words.next() {
            let mut next = |what: &str| {
                let next = words.next();
                let next = next.ok_or_else(|| wrong(number, format!("{word:?} needs a {what} after it")))?;
                value(next, what)
            };
            let (place, found) = match word {
                "left" => (&mut own.turn, next("number of degrees")?),
                "right" => (&mut own.turn, -next("number of degrees")?),
                "in" => (&mut own.change, next("time in seconds")?),
                "far" => (&mut own.far, next("length in metres")?),
                _ if word.starts_with('@') => (&mut own.speed, value(&word[1..], "speed in m/s")?),
                _ => (&mut own.plain, value(word, "number")?),
            };
            if place.replace(found).is_some() {
                return Err(own.wrong(format!("{word:?} is one number too many")));
            }
        }
        Ok(own)
    }

    fn wrong(&self, reason: String) -> GaitError {
        wrong(self.number, reason)
    }

    fn act(self) -> Result<Act, GaitError> {
        if let Some(change) = self.change.filter(|change| *change <= 0.0) {
            let reason =
                format!("it cannot come about in {change} s: a body cannot change its speed at once");
            return Err(self.wrong(reason));
        }
        let what = match self.name {
            "idle" | "stand" => What::Stand { seconds: self.seconds(None)? },
            "stop" => What::Stand { seconds: self.seconds(Some(STOPS))? },
            "turn" => What::Turn { angle: self.angle()? },
            "jump" | "leap" => self.leap()?,
            name => {
                let gait = (name != "go").then(|| name.to_owned());
                if gait.is_none() && self.speed.is_none() {
                    return Err(self.wrong("go needs a speed: \"go 3 @1.5\" for 3 s at 1.5 m/s".to_owned()));
                }
                if let Some(speed) = self.speed.filter(|speed| !(0.0..=FASTEST).contains(speed)) {
                    return Err(self.wrong(format!("{speed} m/s is out of range; 0 to {FASTEST}")));
                }
                let turn = self.turn.unwrap_or(0.0);
                if turn.abs() > TIGHTEST {
                    return Err(self.wrong(format!("{turn}° per second is out of range; at most {TIGHTEST}")));
                }
                self.only("far", self.far)?;
                What::Go { gait, seconds: self.seconds(None)?, speed: self.speed, turn: turn.to_radians() }
            }
        };
        let goes = matches!(what, What::Go { .. });
        if !goes {
            self.only("@", self.speed)?;
        }
        if !goes && !matches!(what, What::Turn { .. }) {
            self.only("left and right", self.turn)?;
        }
        // Of a leap it is the time to push off.
        let change = self.change.filter(|_| !matches!(what, What::Jump { .. }));
        Ok(Act { what, change })
    }

    /// Refuses what says nothing about this act.
    fn only(&self, word: &str, given: Option<f64>) -> Result<(), GaitError> {
        match given {
            Some(_) => Err(self.wrong(format!("{word} says nothing about {}", self.name))),
            None => Ok(()),
        }
    }

    fn seconds(&self, usual: Option<f64>) -> Result<f64, GaitError> {
        match self.plain.or(usual) {
            Some(seconds) if seconds > 0.0 && seconds <= LONGEST => Ok(seconds),
            Some(seconds) => {
                Err(self.wrong(format!("{seconds} s is out of range; above 0, at most {LONGEST}")))
            }
            None => Err(self.wrong(format!("{} needs a time in seconds after it", self.name))),
        }
    }

    fn angle(&self) -> Result<f64, GaitError> {
        match self.turn {
            Some(_) if self.plain.is_some() => {
                Err(self.wrong("turn takes the time that its steps take".to_owned()))
            }
            Some(turn) if turn != 0.0 && turn.abs() <= WIDEST => Ok(turn.to_radians()),
            Some(turn) => Err(self.wrong(format!("{turn}° is out of range; at most {WIDEST}, and not 0"))),
            None => Err(self.wrong("turn needs a side and degrees: \"turn left 90\"".to_owned())),
        }
    }

    fn leap(&self) -> Result<What, GaitError> {
        let (height, length) = (self.plain, self.far.unwrap_or(0.0));
        match height {
            Some(height) if height > 0.0 && height <= FARTHEST && (0.0..=FARTHEST).contains(&length) => {
                Ok(What::Jump { height, length, push: self.change })
            }
            Some(height) => Err(self.wrong(format!(
                "a leap of {height} m over {length} m is out of range; above 0 and at most {FARTHEST} m"
            ))),
            None => Err(self.wrong(format!("{} needs a height in metres after it", self.name))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read() {
        let script: Script =
            "idle 1, walk 3 @1.2 left 30, run 4 @ 3 in 0.8, jump 0.4 far 1, turn right 90, go 2 @1, stop"
                .parse()
                .unwrap();
        let go = |gait: &str, seconds, speed, turn| What::Go {
            gait: (gait != "go").then(|| gait.to_owned()),
            seconds,
            speed,
            turn,
        };
        let expected = [
            (What::Stand { seconds: 1.0 }, None),
            (go("walk", 3.0, Some(1.2), 30_f64.to_radians()), None),
            (go("run", 4.0, Some(3.0), 0.0), Some(0.8)),
            (What::Jump { height: 0.4, length: 1.0, push: None }, None),
            (What::Turn { angle: -90_f64.to_radians() }, None),
            (go("go", 2.0, Some(1.0), 0.0), None),
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
            ("walk 2 3", "\"3\" is one number too many"),
            ("walk 2 @1 @2", "\"@2\" is one number too many"),
            ("walk 2 @-1", "-1 m/s is out of range"),
            ("walk 2 @1e9", "out of range"),
            ("walk 2 left 4000", "4000° per second is out of range"),
            ("walk 2 far 3", "far says nothing about walk"),
            ("idle 2 @1", "@ says nothing about idle"),
            ("jump 0.3 left 20", "left and right says nothing about jump"),
            ("jump 1e6", "out of range"),
            ("jump 0.3 far 1e6", "out of range"),
            ("go 3", "go needs a speed"),
            ("turn 90", "turn needs a side"),
            ("turn left 90 3", "turn takes the time"),
            ("turn", "turn needs a side"),
            ("turn left 0", "not 0"),
            ("jump", "jump needs a height"),
            ("walk 2 left", "\"left\" needs a number of degrees"),
        ] {
            let error = text.parse::<Script>().unwrap_err().to_string();
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }
}
