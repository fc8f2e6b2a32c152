//! The search knows nothing of strides: the same one solves textbook problems whose constrained minimum is known in closed form
//! or by a scan of all candidates, says which constraint cannot be met, and is the same bit by bit on any executor and after any
//! interruption. A search that was still made for nine constraints, or that depended on where candidates are judged, would
//! fail here.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use gambol_control::CheckpointError;
use gambol_control::cma::Bounds;
use gambol_control::search::{
    DescentSettings, Doing, Equality, Executor, Lead, Measure, Method, Number, OneThread, Outcome, Problem,
    Search, SearchError, SearchSettings, Threads, Values, Verdict,
};

/// A problem as a list of its parts.
struct Textbook {
    name: &'static str,
    numbers: Vec<Number>,
    inequalities: Vec<&'static str>,
    equalities: Vec<Equality>,
    judge: fn(&[f64]) -> Values,
}

impl Problem for Textbook {
    type Verdict = Values;

    fn identity(&self) -> String {
        self.name.to_owned()
    }

    fn numbers(&self) -> &[Number] {
        &self.numbers
    }

    fn inequalities(&self) -> &[&'static str] {
        &self.inequalities
    }

    fn equalities(&self) -> &[Equality] {
        &self.equalities
    }

    fn judge(&self) -> Box<dyn FnMut(&[f64]) -> Values + '_> {
        Box::new(self.judge)
    }
}

fn numbers(means: &[f64], bounds: Bounds) -> Vec<Number> {
    let number =
        |(k, mean): (usize, &f64)| Number { name: format!("x{k}"), mean: *mean, deviation: 0.5, bounds };
    means.iter().enumerate().map(number).collect()
}

/// The point of the unit ball that is nearest to (2, 1, −2): (2, 1, −2)/3, two away.
fn ball() -> Textbook {
    Textbook {
        name: "ball",
        numbers: numbers(&[0.3, -0.4, 1.5], Bounds::new(-3.0, 3.0)),
        inequalities: vec!["inside the ball"],
        equalities: vec![],
        judge: |x| {
            let apart: f64 = x.iter().zip([2.0, 1.0, -2.0]).map(|(x, c)| (x - c) * (x - c)).sum();
            Values::new(apart).at_most(x.iter().map(|x| x * x).sum(), 1.0, 0.02)
        },
    }
}

fn rosenbrock(x: f64, y: f64) -> f64 {
    100.0 * (y - x * x) * (y - x * x) + (1.0 - x) * (1.0 - x)
}

/// The lowest place of Rosenbrock's valley on the line x + y = 1.
fn valley() -> Textbook {
    Textbook {
        name: "valley",
        numbers: numbers(&[0.0, 0.2], Bounds::NONE),
        inequalities: vec![],
        equalities: vec![Equality { name: "on the line", tolerance: 1e-3 }],
        judge: |x| Values::new(rosenbrock(x[0], x[1])).equal(x[0] + x[1] - 1.0),
    }
}

fn settings(method: Method) -> SearchSettings {
    let mut settings =
        SearchSettings { method, measure: Measure::Difference, budget: 30_000, ..SearchSettings::default() };
    settings.closing.descent = DescentSettings { least_gain: 1e-5, steps: 400, ..DescentSettings::default() };
    settings
}

fn solved(problem: Textbook, method: Method) -> (Vec<f64>, f64) {
    let mut search = Search::new(problem, settings(method)).unwrap();
    assert_eq!(search.run(&mut OneThread, &mut |_| true), Outcome::Converged, "{method:?}");
    let (x, values) = search.nearest().unwrap();
    assert!(search.is_good(values));
    (x.to_vec(), values.objective())
}

#[test]
fn the_nearest_point_of_a_ball_is_found_by_both_methods() {
    for method in [Method::Closing, Method::Multipliers] {
        let (x, apart) = solved(ball(), method);
        // A margin of half a unit, 0.01, keeps it that far inside, where the objective rises by 4 times that.
        assert!((3.999..4.1).contains(&apart), "{method:?}: {apart}");
        for (x, at) in x.iter().zip([2.0 / 3.0, 1.0 / 3.0, -2.0 / 3.0]) {
            assert!((x - at).abs() < 0.03, "{method:?}: {x} instead of {at}");
        }
    }
}

#[test]
fn the_lowest_place_of_a_valley_on_a_line_is_found_by_both_methods() {
    // All candidates on the line, a tenth of a millimetre apart: f is flat to 1e-6 there.
    let scan = (-30_000..30_000).map(|k| f64::from(k) * 1e-4);
    let least = scan.map(|x| rosenbrock(x, 1.0 - x)).fold(f64::INFINITY, f64::min);
    for method in [Method::Closing, Method::Multipliers] {
        let (x, low) = solved(valley(), method);
        assert!((x[0] + x[1] - 1.0).abs() < 1e-3);
        // The line may be missed by 1e-3, where f changes by its multiplier times that. There is another dip, far from where
        // the search begins.
        assert!((low - least).abs() < 0.02, "{method:?}: {low} instead of {least} at {x:?}");
    }
}

#[test]
fn what_cannot_be_met_is_named() {
    let problem = Textbook {
        name: "nowhere",
        numbers: numbers(&[0.2, 0.0], Bounds::NONE),
        inequalities: vec!["far to the right", "far to the left"],
        equalities: vec![],
        judge: |x| Values::new(1.0 + x[1] * x[1]).at_least(x[0], 2.0, 1.0).at_most(x[0], -1.0, 1.0),
    };
    let mut search =
        Search::new(problem, SearchSettings { budget: 2000, ..settings(Method::Closing) }).unwrap();
    let outcome = search.run(&mut OneThread, &mut |_| true);
    // Between both, three apart in all.
    let Outcome::Stalled { constraint, by } = outcome else { panic!("{outcome:?}") };
    assert!(constraint.starts_with("far to the"), "{constraint}");
    assert!((1.5..3.1).contains(&by), "{by}");

    let apart = Textbook {
        name: "two lines",
        numbers: numbers(&[0.2, 0.0], Bounds::NONE),
        inequalities: vec![],
        equalities: ["one", "another"].map(|name| Equality { name, tolerance: 0.01 }).to_vec(),
        judge: |x| Values::new(1.0 + x[1] * x[1]).equal(x[0]).equal(3.0 * (x[0] - 1.0)),
    };
    for method in [Method::Closing, Method::Multipliers] {
        let mut search = Search::new(
            Textbook {
                equalities: apart.equalities.clone(),
                numbers: apart.numbers.clone(),
                inequalities: vec![],
                ..apart
            },
            SearchSettings { budget: 2000, ..settings(method) },
        )
        .unwrap();
        let outcome = search.run(&mut OneThread, &mut |_| true);
        assert!(matches!(outcome, Outcome::Stalled { by, .. } if by > 10.0), "{method:?}: {outcome:?}");
    }
}

#[test]
fn what_comes_to_nothing_is_never_the_best() {
    let problem = Textbook {
        name: "hole",
        numbers: numbers(&[0.0, 0.0], Bounds::NONE),
        inequalities: vec![],
        equalities: vec![],
        // Nothing is known of half of the plane, and the minimum lies on its edge.
        judge: |x| Values::new(if x[0] < 0.0 { f64::NAN } else { x[0] + x[1] * x[1] }),
    };
    let mut search = Search::new(problem, settings(Method::Closing)).unwrap();
    assert_eq!(search.run(&mut OneThread, &mut |_| true), Outcome::Converged);
    let (x, values) = search.nearest().unwrap();
    assert!(x[0] >= 0.0 && values.objective() < 0.05, "{x:?}");
}

#[test]
fn bounds_hold_and_a_minimum_on_them_is_found() {
    let problem = || Textbook {
        name: "corner",
        numbers: numbers(&[1.0, 1.0, 1.0], Bounds::new(0.5, 2.0)),
        inequalities: vec![],
        equalities: vec![Equality { name: "sum", tolerance: 1e-3 }],
        judge: |x| {
            assert!(x.iter().all(|x| (0.5..=2.0).contains(x)), "{x:?}");
            Values::new(x[0] + 2.0 * x[1] + 4.0 * x[2]).equal(x.iter().sum::<f64>() - 3.5)
        },
    };
    // All that is dear at its least: (2, 1, 0.5). Descents end where the shortest would run into a bound: within 0.02 deviations
    // of one, which leaves some way along the other.
    for (method, apart) in [(Method::Multipliers, 0.05), (Method::Closing, 0.3)] {
        let (x, least) = solved(problem(), method);
        assert!((least - 6.0).abs() < apart, "{method:?}, {x:?}: {least}");
    }
}

/// Judges in reverse, as machines may that answer when they like.
struct Backwards;

impl<P: Problem> Executor<P> for Backwards {
    fn judge(&mut self, problem: &P, candidates: &[Vec<f64>]) -> Vec<P::Verdict> {
        let mut verdicts: Vec<P::Verdict> = candidates.iter().rev().map(|x| problem.judge()(x)).collect();
        verdicts.reverse();
        verdicts
    }
}

#[test]
fn neither_executor_nor_interruption_changes_a_bit() {
    for method in [Method::Closing, Method::Multipliers] {
        let new = || Search::new(valley(), settings(method)).unwrap();
        let finished = |executor: &mut dyn Executor<Textbook>| {
            let mut search = new();
            search.run(executor, &mut |_| true);
            search.checkpoint()
        };
        let whole = finished(&mut OneThread);
        assert_eq!(whole, finished(&mut Threads(3)));
        assert_eq!(whole, finished(&mut Backwards));

        // Killed after every step, whatever it was at.
        let mut text = new().checkpoint();
        let mut done = Vec::new();
        loop {
            let mut search = Search::resume(valley(), settings(method), &text).unwrap();
            assert_eq!(search.checkpoint(), text);
            if search.ended().is_some() {
                break;
            }
            search.step(&mut OneThread);
            done.extend(search.progress().map(|progress| progress.doing));
            text = search.checkpoint();
        }
        assert_eq!(text, whole);
        let all = [Doing::Sampling, Doing::Closing, Doing::Improving, Doing::Sealing, Doing::Done];
        if method == Method::Closing {
            assert!(all.iter().all(|doing| done.contains(doing)), "{done:?}");
        }
    }
}

#[test]
fn a_checkpoint_of_another_problem_is_refused() {
    let text = Search::new(valley(), settings(Method::Closing)).unwrap().checkpoint();
    let error = Search::resume(ball(), settings(Method::Closing), &text).map(drop).unwrap_err();
    assert!(matches!(error, SearchError::Checkpoint(CheckpointError::Other { .. })), "{error}");
    let other = settings(Method::Multipliers);
    let error = Search::resume(valley(), other, &text).map(drop).unwrap_err();
    assert!(matches!(error, SearchError::Checkpoint(CheckpointError::Other { .. })), "{error}");
    let more = SearchSettings { budget: 40_000, ..settings(Method::Closing) };
    assert!(Search::resume(valley(), more, &text).is_ok());
}

/// How often the judge of [`fragile`] broke down.
static BROKE: AtomicUsize = AtomicUsize::new(0);

/// The ball, with a judge who breaks down in one half of it.
fn fragile() -> Textbook {
    let judge = |x: &[f64]| {
        if x[0] < 0.0 {
            BROKE.fetch_add(1, Ordering::Relaxed);
            resume_unwind(Box::new(())); // a panic without a word
        }
        (ball().judge)(x)
    };
    Textbook { name: "fragile", judge, ..ball() }
}

#[test]
fn a_judge_who_panics_loses_no_more_than_the_candidate() {
    let found = |executor: &mut dyn Executor<Textbook>| {
        let mut search = Search::new(fragile(), settings(Method::Closing)).unwrap();
        assert_eq!(search.run(executor, &mut |_| true), Outcome::Converged);
        search.nearest().unwrap().0.to_vec()
    };
    let alone = found(&mut OneThread);
    assert!(BROKE.load(Ordering::Relaxed) > 0, "it never broke down");
    assert_eq!(found(&mut Threads(3)), alone);
    for (x, best) in alone.iter().zip([2.0, 1.0, -2.0].map(|x| x / 3.0)) {
        assert!((x - best).abs() < 0.05, "{alone:?}");
    }
}

/// An iteration with a fixed point, which differences do not reach: the gap has a corner there.
struct Corner(Vec<Number>);

impl Problem for Corner {
    type Verdict = Values;

    fn identity(&self) -> String {
        "corner".to_owned()
    }

    fn numbers(&self) -> &[Number] {
        &self.0
    }

    fn equalities(&self) -> &[Equality] {
        &[Equality { name: "at rest", tolerance: 0.1 }]
    }

    fn judge(&self) -> Box<dyn FnMut(&[f64]) -> Values + '_> {
        Box::new(|x| Values::new(1.0).equal((x[0] - 0.3).abs().sqrt()))
    }

    fn lead(&self, _: &[f64]) -> Option<Lead<'_, Values>> {
        Some(Box::new(|x, _| Some(vec![0.5 * (x[0] + 0.3)])))
    }
}

#[test]
fn a_problems_own_lead_is_followed() {
    let mut search = Search::new(Corner(numbers(&[1.0], Bounds::NONE)), settings(Method::Closing)).unwrap();
    assert_eq!(search.run(&mut OneThread, &mut |_| true), Outcome::Converged);
    let (x, values) = search.nearest().unwrap();
    // Forty halvings of less than 0.01: all that is left is rounding, whose root the gap is.
    assert!((x[0] - 0.3).abs() < 1e-12 && search.largest_gap(values) < 1e-5, "{x:?}");
}

#[test]
fn a_search_begins_where_it_is_told_to() {
    let at = vec![0.62, 0.37];
    let mut search = Search::starting_at(valley(), settings(Method::Closing), at.clone()).unwrap();
    assert_eq!((search.evaluations(), search.nearest().unwrap().0), (1, at.as_slice()));
    assert_eq!(search.progress().unwrap().doing, Doing::Closing);
    assert_eq!(search.run(&mut OneThread, &mut |_| true), Outcome::Converged);
    assert!((search.nearest().unwrap().0[0] - at[0]).abs() < 0.05);
}
