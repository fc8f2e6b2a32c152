//! Benchmark.
use gambol_model::samples;
use std::time::Instant;
fn main() {
    for n in [1000, 10_000, 100_000] {
        let t = Instant::now();
        let c = samples::chain(n);
        println!("{n} {} {:?}", c.nv(), t.elapsed());
    }
}
