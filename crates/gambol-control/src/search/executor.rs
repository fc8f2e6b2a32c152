//! Where candidates are judged.

use super::Problem;
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
        let mut judge = problem.judge();
        candidates.iter().map(|x| judge(x)).collect()
    }
}

/// Judges on so many threads at most.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub usize);

impl<P: Problem> Executor<P> for Threads {
    fn judge(&mut self, problem: &P, candidates: &[Vec<f64>]) -> Vec<P::Verdict> {
        let worker = || {
            let mut judge = problem.judge();
            move |x: &Vec<f64>| judge(x)
        };
        on_threads(self.0, candidates, worker)
    }
}
