//! Our side of `cargo xtask bench cma`: `cma_bench N GENERATIONS` prints the microseconds that asking and telling took per
//! generation, in the best of ten stretches. pycma answers the same in `xtask/peers/cma_peer.py`.

use std::time::Instant;

use gambol_control::cma::{Cma, Settings};

#[path = "../tests/all/functions/mod.rs"]
#[allow(dead_code)] // one of four
mod functions;

/// Of other work on the machine some are free.
const STRETCHES: usize = 10;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let [n, generations] = numbers[..] else { panic!("usage: cma_bench N GENERATIONS") };
    let mut cma = Cma::new(&vec![1.0; n], &vec![0.5; n], Settings::default()).expect("sound settings");
    let stretch = generations.div_ceil(STRETCHES);
    let mut best = f64::INFINITY;
    for _ in 0..STRETCHES {
        let mut spent = 0.0;
        for _ in 0..stretch {
            let start = Instant::now();
            cma.ask();
            spent += start.elapsed().as_secs_f64();
            let values: Vec<f64> = cma.ask().iter().map(|x| functions::ellipsoid(x)).collect();
            let start = Instant::now();
            cma.tell(&values);
            spent += start.elapsed().as_secs_f64();
        }
        best = f64::min(best, spent / stretch as f64);
    }
    println!("{:.2}", 1e6 * best);
}
