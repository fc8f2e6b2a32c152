//! Work for several threads. The only place in this crate that makes any.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` on all `items`, on up to `threads` threads, each with a worker of its own; on one it is done right here. Answers
/// are in the order of the items. Where each is a computation of its own, they do not depend on how many threads there are.
pub(crate) fn on_threads<T, R, W>(threads: usize, items: &[T], worker: impl Fn() -> W + Sync) -> Vec<R>
where
    T: Sync,
    R: Send,
    W: FnMut(&T) -> R,
{
    if threads.min(items.len()) <= 1 {
        return items.iter().map(worker()).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(|| {
                let mut work = worker();
                while let Some((item, slot)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    items.get(index).zip(done.get(index))
                } {
                    let answer = work(item);
                    *slot.lock().expect("nobody panics while holding it") = Some(answer);
                }
            });
        }
    });
    let take = |slot: Mutex<Option<R>>| slot.into_inner().expect("no thread panicked");
    done.into_iter().map(|slot| take(slot).expect("every item was worked on")).collect()
}
