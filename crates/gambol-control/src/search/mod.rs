//! A search for the best of some dozens of numbers under constraints that can only be computed, not differentiated.
//!
//! ```text
//! Problem ──► Search ──► the nearest candidate, and how it ended
//!              │  ▲
//!   candidates ▼  │ verdicts
//!             Executor: one thread, several, or whatever the caller has
//! ```
//!
//! A [`Problem`] says what is searched for: numbers with bounds, an objective to be made least, inequalities and equalities,
//! all with names. [`Search`] goes on a little at each [`step`](Search::step), and its [checkpoint](Search::checkpoint) is all
//! that it goes on from, bit for bit. It has no thread, clock or file of its own; where candidates are judged is up to the
//! [`Executor`], and what is found does not depend on it.
//!
//! ```
//! use gambol_control::cma::Bounds;
//! use gambol_control::search::{Equality, Measure, Number, OneThread, Outcome, Problem, Search, SearchSettings, Values};
//!
//! /// The point of a line that is nearest to the origin.
//! struct Nearest([Number; 2]);
//!
//! impl Problem for Nearest {
//!     type Verdict = Values;
//!     fn identity(&self) -> String {
//!         "x + y = 2".to_owned()
//!     }
//!     fn numbers(&self) -> &[Number] {
//!         &self.0
//!     }
//!     fn equalities(&self) -> &[Equality] {
//!         &[Equality { name: "on the line", tolerance: 1e-3 }]
//!     }
//!     fn judge(&self) -> Box<dyn FnMut(&[f64]) -> Values + '_> {
//!         Box::new(|x| Values::new(x[0] * x[0] + x[1] * x[1]).equal(x[0] + x[1] - 2.0))
//!     }
//! }
//!
//! let number = |name: &str, mean| Number { name: name.to_owned(), mean, deviation: 1.0, bounds: Bounds::NONE };
//! let problem = Nearest([number("x", 3.0), number("y", -2.0)]);
//! let mut search = Search::new(problem, SearchSettings { measure: Measure::Difference, ..SearchSettings::default() })?;
//! assert_eq!(search.run(&mut OneThread, &mut |_| true), Outcome::Converged);
//! let (x, _) = search.nearest().unwrap();
//! assert!((x[0] - 1.0).abs() < 0.05 && (x[1] - 1.0).abs() < 0.05);
//! # Ok::<(), gambol_control::search::SearchError>(())
//! ```

mod algorithm;
mod executor;
mod newton;
mod problem;
mod progress;
mod saved;
mod settings;

pub use algorithm::{Search, SearchError, augmented};
pub use executor::{Executor, OneThread, Threads};
pub use problem::{Equality, Judging, Lead, Number, Problem, Values, Verdict};
pub use progress::{Doing, Outcome, Progress};
pub use settings::{
    ClosingSettings, DescentSettings, Measure, Method, MultiplierSettings, NewtonSettings, SearchSettings,
};
