//! What a search says while it goes on: a few lines that are drawn over on a terminal, else a line from time to time.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use gambol_control::locomotion::{CONSTRAINTS, Score, StrideSearch};

/// Between two drawings on a terminal, and two lines elsewhere.
const DRAWN_EVERY: Duration = Duration::from_millis(150);
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Longer lines would break on a narrow terminal, and then they cannot be drawn over.
const WIDTH: usize = 79;

pub(super) struct Teller {
    watched: bool,
    last: Option<Instant>,
    /// Lines that are on the terminal.
    drawn: usize,
}

impl Teller {
    pub(super) fn new() -> Self {
        Self { watched: std::io::stderr().is_terminal(), last: None, drawn: 0 }
    }

    /// `per_second` is how many cycles are simulated.
    pub(super) fn hear(&mut self, search: &StrideSearch, per_second: f64) {
        let Some(progress) = search.progress() else { return };
        let every = if self.watched { DRAWN_EVERY } else { TOLD_EVERY };
        if self.last.is_some_and(|last| last.elapsed() < every) {
            return;
        }
        self.last = Some(Instant::now());
        let budget = search.settings().budget;
        let left = budget.saturating_sub(progress.evaluations) as f64 / per_second.max(1e-9);
        let at = format!("round {}, {}, W {:.4}", progress.round, progress.doing.name(), progress.value);
        let pace = format!(
            "{} of {budget} cycles, {:.0}/s, at most {} left",
            progress.evaluations,
            per_second,
            clock(left)
        );
        let now = format!("now: {}", describe(search, progress.score));
        let best = search.nearest().map(|(_, score)| describe(search, score)).unwrap_or_default();
        let best = format!("best: {best}");
        if self.watched {
            self.draw(&[at, pace, now, best]);
        } else {
            let _ = writeln!(std::io::stderr(), "gambol: {at}; {pace}; {best}"); // nobody has to see it
        }
    }

    fn draw(&mut self, lines: &[String]) {
        let mut text = String::new();
        if self.drawn > 0 {
            let _ = write!(text, "\x1b[{}A\x1b[J", self.drawn); // up, and clear what is below
        }
        for line in lines {
            text.extend(line.chars().take(WIDTH));
            text.push('\n');
        }
        self.drawn = lines.len();
        let _ = std::io::stderr().write_all(text.as_bytes()); // nobody has to see it
    }
}

/// Speed, the largest gap, and each constraint that is violated.
pub(super) fn describe(search: &StrideSearch, score: &Score) -> String {
    format!("{:.2} m/s, gap {:.2} tolerances, {}", score.speed, search.largest_gap(score), violated(score))
}

/// Each constraint that is violated, and by how much.
pub(super) fn violated(score: &Score) -> String {
    let all = CONSTRAINTS.iter().zip(&score.easy).filter(|(_, value)| **value > 0.0);
    let all: Vec<String> = all.map(|(name, value)| format!("{name} {value:.3}")).collect();
    if all.is_empty() { "all constraints met".to_owned() } else { format!("violated: {}", all.join(", ")) }
}

/// A time that a person can plan with.
fn clock(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}
