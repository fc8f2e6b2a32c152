//! Where candidates are judged.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Problem, Verdict};
use crate::threads::on_threads;

/// Judges candidates: here, on threads, in workers of a browser, on other machines. A search does not depend on which.
pub trait Executor<P: Problem> {
    /// A verdict for each candidate, in their order, as any [judge](Problem::judge) of the problem gives it.
    fn judge(&mut self, problem: &P, candidates: &[Vec<f64>]) -> Vec<P::Verdict>;
}

/// Judges one after the other on the thread of the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneThread;

impl<P: Problem> Executor<P> for OneThread {
    fn judge(&mut self, problem: &P, candidates: &[Vec<f64>]) -> Vec<P::Verdict> {
        candidates.iter().map(unharmed(problem)).collect()
    }
}

/// Judges on so many threads at most.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub usize);

impl<P: Problem> Executor<P> for Threads {
    fn judge(&mut self, problem: &P, candidates: &[Vec<f64>]) -> Vec<P::Verdict> {
        on_threads(self.0, candidates, || unharmed(problem))
    }
}

/// A judge of whom a candidate cannot take more than itself: where it panics the candidate came to nothing, and a search of
/// hours goes on. What it had in memory may be half written then, so the next one is judged afresh.
fn unharmed<P: Problem>(problem: &P) -> impl FnMut(&Vec<f64>) -> P::Verdict {
    let mut judge = problem.judge();
    move |x| {
        catch_unwind(AssertUnwindSafe(|| judge(x))).unwrap_or_else(|_| {
            judge = problem.judge();
            P::Verdict::nothing(problem.inequalities().len(), problem.equalities().len())
        })
    }
}
