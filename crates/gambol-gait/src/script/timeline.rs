//! When the acts of a script are: how one goes over into the next, how fast the body goes, and how far the cycle of its legs is.

use crate::ease::{ease, ease_rate};
use crate::feet::Moving;

/// What an act asks of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// s
    pub(crate) seconds: f64,
    /// Time that it takes to come about from the act before, s.
    pub(crate) change: f64,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Stand,
    /// Cycles per second, m/s ahead, rad/s to the left.
    Go {
        frequency: f64,
        speed: f64,
        turn: f64,
    },
    /// With so many s of flight in the middle, at m/s ahead.
    Jump {
        flight: f64,
        speed: f64,
    },
}

/// All acts, from rest to rest.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    pub(crate) paces: Vec<Pace>,
    /// When each begins, s, and the end of the last.
    pub(crate) starts: Vec<f64>,
    /// Cycles gone at even moments, one more than intervals.
    cycles: Vec<f64>,
}

/// Moments per second at which cycles are counted.
const FINE: f64 = 960.0;

impl Timeline {
    pub(crate) fn new(paces: Vec<Pace>) -> Self {
        let mut starts = vec![0.0];
        for pace in &paces {
            starts.push(starts[starts.len() - 1] + pace.seconds);
        }
        let mut timeline = Self { paces, starts, cycles: vec![0.0] };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // minutes at most
        let count = (timeline.period() * FINE).ceil().max(1.0) as usize;
        let step = timeline.period() / count as f64;
        for k in 0..count {
            let rate = timeline.frequency((k as f64 + 0.5) * step);
            let gone = timeline.cycles[k] + rate * step;
            timeline.cycles.push(gone);
        }
        timeline
    }

    /// s
    pub(crate) fn period(&self) -> f64 {
        self.starts[self.starts.len() - 1]
    }

    /// How much of each act there is at `time`, and how that changes per s; acts without a share are left out.
    pub(crate) fn shares(&self, time: f64) -> Vec<(usize, f64, f64)> {
        let mut shares = Vec::new();
        for index in 0..self.paces.len() {
            let (come, coming) = self.begun(index, time);
            let (gone, going) = self.begun(index + 1, time);
            if come - gone > 0.0 {
                shares.push((index, come - gone, coming - going));
            }
        }
        shares
    }

    /// How far the act `index` has come about, 0 to 1, and its rate.
    fn begun(&self, index: usize, time: f64) -> (f64, f64) {
        if index == 0 {
            return (1.0, 0.0);
        }
        let Some(pace) = self.paces.get(index) else { return (0.0, 0.0) };
        let s = (time - self.starts[index]) / pace.change + 0.5;
        (ease(s), ease_rate(s) / pace.change)
    }

    /// How the ground frame moves at `time`.
    pub(crate) fn moving(&self, time: f64) -> Moving {
        let mut moving = Moving::default();
        for (index, share, rate) in self.shares(time) {
            match self.paces[index].kind {
                Kind::Stand => {}
                Kind::Go { speed, turn, .. } => {
                    moving.speed += share * speed;
                    moving.turn += share * turn;
                    moving.faster += rate * speed;
                    moving.tighter += rate * turn;
                }
                Kind::Jump { speed, .. } => {
                    // Up to speed while it pushes off, and down while it lands.
                    let [off, on] = self.flight(index);
                    let (from, to) = (self.starts[index], self.starts[index + 1]);
                    let (push, land) = ((time - from) / (off - from), (time - on) / (to - on));
                    moving.speed += speed * (ease(push) - ease(land));
                    moving.faster += speed * (ease_rate(push) / (off - from) - ease_rate(land) / (to - on));
                }
            }
        }
        moving
    }

    /// Take-off and landing of a jump, s.
    pub(crate) fn flight(&self, index: usize) -> [f64; 2] {
        let Kind::Jump { flight, .. } = self.paces[index].kind else { return [self.starts[index]; 2] };
        let middle = 0.5 * (self.starts[index] + self.starts[index + 1]);
        [middle - 0.5 * flight, middle + 0.5 * flight]
    }

    /// How much higher than in standing the body is in a leap at `time`, m, under `gravity`: it sinks and pushes off by the polynomial of fifth
    /// order that begins at rest and ends as the parabola of its flight begins, without a push; it lands as it pushed off, backwards.
    pub(crate) fn rise(&self, time: f64, gravity: f64) -> f64 {
        let Some(index) = self.leap(time) else { return 0.0 };
        let [off, on] = self.flight(index);
        let speed = 0.5 * gravity * (on - off);
        let pushed = |left: f64, push: f64| {
            let s = (1.0 - left / push).max(0.0);
            let by_speed = -4.0 + s * (7.0 - 3.0 * s);
            let by_weight = 0.5 - s * (1.0 - 0.5 * s);
            s * s * s * push * (speed * by_speed - gravity * push * by_weight)
        };
        if time < off {
            pushed(off - time, off - self.starts[index])
        } else if time > on {
            pushed(time - on, self.starts[index + 1] - on)
        } else {
            (time - off) * (speed - 0.5 * gravity * (time - off))
        }
    }

    /// The leap that is under way at `time`.
    pub(crate) fn leap(&self, time: f64) -> Option<usize> {
        let leaps = |index: &usize| matches!(self.paces[*index].kind, Kind::Jump { .. });
        let now = |index: &usize| (self.starts[*index]..self.starts[index + 1]).contains(&time);
        (0..self.paces.len()).filter(leaps).find(now)
    }

    /// Whether it leaps at `time`, or stands in a script with a leap in it.
    pub(crate) fn is_about_to_leap(&self, time: f64) -> bool {
        let leaps = self.paces.iter().any(|pace| matches!(pace.kind, Kind::Jump { .. }));
        let goes = |share: &(usize, f64, f64)| matches!(self.paces[share.0].kind, Kind::Go { .. });
        leaps && !self.shares(time).iter().any(goes)
    }

    /// Cycles per second: that of who goes, also where standing begins or ends.
    fn frequency(&self, time: f64) -> f64 {
        let (mut sum, mut shares) = (0.0, 0.0);
        for (index, share, _) in self.shares(time) {
            if let Kind::Go { frequency, .. } = self.paces[index].kind {
                sum += share * frequency;
                shares += share;
            }
        }
        if shares > 0.0 { sum / shares } else { 0.0 }
    }

    /// Cycles gone at `time`.
    pub(crate) fn cycle(&self, time: f64) -> f64 {
        let last = self.cycles.len() - 1;
        let at = (time / self.period() * last as f64).clamp(0.0, last as f64);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the table
        let k = (at.floor() as usize).min(last - 1);
        self.cycles[k] + (at - k as f64) * (self.cycles[k + 1] - self.cycles[k])
    }

    /// The time at which so many cycles are gone.
    pub(crate) fn time(&self, cycle: f64) -> f64 {
        let last = self.cycles.len() - 1;
        let k = self.cycles.partition_point(|gone| *gone < cycle).clamp(1, last);
        let (a, b) = (self.cycles[k - 1], self.cycles[k]);
        let s = if b > a { ((cycle - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 };
        (k as f64 - 1.0 + s) * self.period() / last as f64
    }

    /// Whether nothing but standing is in it.
    pub(crate) fn rests(&self) -> bool {
        self.paces.iter().all(|pace| pace.kind == Kind::Stand)
    }

    /// How long it rests before the first motion and after the last, s.
    pub(crate) fn rest(&self) -> [f64; 2] {
        let last = self.paces.len() - 1;
        let moves = |index: usize| self.starts[index] - 0.5 * self.paces[index].change;
        let first = if last > 0 { moves(1) } else { self.period() };
        let end = if last > 0 { self.starts[last] + 0.5 * self.paces[last].change } else { 0.0 };
        [first, self.period() - end].map(|rest| rest.max(f64::MIN_POSITIVE))
    }

    /// A time at rest between two times, s: where the frame moves least.
    pub(crate) fn pause(&self, from: f64, to: f64) -> f64 {
        const LOOKS: u32 = 64;
        let times = (0..=LOOKS).map(|k| from + (to - from) * f64::from(k) / f64::from(LOOKS));
        let haste = |time: &f64| {
            let moving = self.moving(*time);
            moving.speed.abs() + moving.turn.abs()
        };
        times.min_by(|a, b| haste(a).total_cmp(&haste(b))).unwrap_or(from)
    }

    /// Runs of acts that go, without a pause: first and last act, and from when to when they move, s.
    pub(crate) fn runs(&self) -> Vec<(usize, usize, [f64; 2])> {
        let goes = |index: usize| matches!(self.paces[index].kind, Kind::Go { .. });
        let mut runs = Vec::new();
        let mut index = 0;
        while index < self.paces.len() {
            if !goes(index) {
                index += 1;
                continue;
            }
            let first = index;
            while index + 1 < self.paces.len() && goes(index + 1) {
                index += 1;
            }
            let from = self.starts[first] - 0.5 * self.paces[first].change;
            let to = self.starts[index + 1] + self.paces.get(index + 1).map_or(0.0, |pace| 0.5 * pace.change);
            runs.push((first, index, [from, to]));
            index += 1;
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk_and_run() -> Timeline {
        let stand = |seconds| Pace { seconds, change: 0.8, kind: Kind::Stand };
        let go = |seconds, frequency, speed| Pace {
            seconds,
            change: 0.8,
            kind: Kind::Go { frequency, speed, turn: 0.0 },
        };
        Timeline::new(vec![stand(1.0), go(3.0, 1.0, 1.4), go(2.0, 1.5, 3.0), stand(1.0)])
    }

    #[test]
    fn shares_sum_to_one_and_have_their_rates() {
        let timeline = walk_and_run();
        for k in 0..70 {
            let (time, h) = (0.1 * f64::from(k), 1e-6);
            let sum: f64 = timeline.shares(time).iter().map(|share| share.1).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{time}: {sum}");
            let [before, now, after] = [time - h, time, time + h].map(|time| timeline.moving(time));
            // Central differences lose 1e-16/h and err by h².
            assert!(((after.speed - before.speed) / (2.0 * h) - now.faster).abs() < 1e-6);
        }
        assert_eq!(timeline.moving(2.5).speed, 1.4);
        assert_eq!(timeline.runs(), vec![(1, 2, [0.6, 6.4])]);
    }

    #[test]
    fn a_leap_joins_its_parabola_smoothly() {
        let stand = |seconds| Pace { seconds, change: 0.4, kind: Kind::Stand };
        let leap = Pace { seconds: 1.2, change: 0.4, kind: Kind::Jump { flight: 0.5, speed: 1.0 } };
        let timeline = Timeline::new(vec![stand(1.0), leap, stand(1.0)]);
        let (g, h) = (9.81, 1e-4);
        let rise = |time: f64| timeline.rise(time, g);
        let speed = |time: f64| (rise(time + h) - rise(time - h)) / (2.0 * h);
        let pull = |time: f64| (rise(time + h) + rise(time - h) - 2.0 * rise(time)) / (h * h);
        for time in [1.0, 1.35, 1.85, 2.2] {
            // Differences err by h times the third derivative, which is some hundreds.
            assert!((speed(time + 2.0 * h) - speed(time - 2.0 * h)).abs() < 0.1, "{time}");
            assert!((pull(time + 2.0 * h) - pull(time - 2.0 * h)).abs() < 0.5, "{time}");
        }
        assert!((speed(1.35) - 0.25 * g).abs() < 1e-3, "as fast as a flight of half a second asks for");
        assert!((pull(1.6) + g).abs() < 1e-5);
        assert!((rise(1.6) - 0.125 * 0.25 * g).abs() < 1e-12);
        assert!(rise(1.2) < -0.02, "it sinks before it pushes off");
        assert_eq!((rise(0.9), rise(2.3)), (0.0, 0.0));
    }

    #[test]
    fn cycles_go_on_with_the_gait() {
        let timeline = walk_and_run();
        assert!((timeline.cycle(3.0) - timeline.cycle(2.0) - 1.0).abs() < 1e-9);
        assert!((timeline.cycle(5.5) - timeline.cycle(4.5) - 1.5).abs() < 1e-9);
        for time in [0.7, 2.0, 3.9, 5.0] {
            assert!((timeline.time(timeline.cycle(time)) - time).abs() < 1e-9);
        }
    }
}
