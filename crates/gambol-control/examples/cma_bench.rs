//! CMA-ES for `cargo xtask cma`: `count FUNCTION N SEEDS` prints the evaluations to the target of so many runs, `time N
//! GENERATIONS` the microseconds that asking and telling took per generation. pycma answers the same in `xtask/peers/cma_peer.py`.

use std::time::Instant;

use gambol_control::cma::{Bounds, Cma, Policy, Restarts, Settings, Stop};

#[path = "../tests/functions/mod.rs"]
mod functions;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| words[k].parse::<usize>().expect("a number");
    match words[0].as_str() {
        "count" => {
            for seed in 1..=number(3) {
                println!("{}", count(&words[1], number(2), seed as u64));
            }
        }
        _ => println!("{:.2}", time(number(1), number(2))),
    }
}

fn count(name: &str, n: usize, seed: u64) -> usize {
    let (f, start): (functions::Function, f64) = match name {
        "sphere" => (functions::sphere, 1.0),
        "ellipsoid" => (functions::ellipsoid, 1.0),
        "rosenbrock" => (functions::rosenbrock, 0.0),
        _ => (functions::rastrigin, 3.0),
    };
    let settings = Settings { target: 1e-9, seed, budget: 2_000_000, ..Settings::default() };
    if name == "rastrigin" {
        let settings = Settings { bounds: vec![Bounds::new(-5.0, 5.0); n], ..settings };
        let mut search =
            Restarts::new(&vec![start; n], &vec![2.0; n], settings, Policy::Ipop).expect("sound settings");
        while search.tell_all(f).is_none() {}
        return search.evaluations();
    }
    let mut cma = Cma::new(&vec![start; n], &vec![0.5; n], settings).expect("sound settings");
    while cma.tell_all(f).is_none() {}
    cma.evaluations()
}

/// Asks, evaluates and tells.
trait TellAll {
    fn tell_all(&mut self, f: functions::Function) -> Option<Stop>;
}

impl TellAll for Cma {
    fn tell_all(&mut self, f: functions::Function) -> Option<Stop> {
        let values: Vec<f64> = self.ask().iter().map(|x| f(x)).collect();
        self.tell(&values)
    }
}

impl TellAll for Restarts {
    fn tell_all(&mut self, f: functions::Function) -> Option<Stop> {
        let values: Vec<f64> = self.ask().iter().map(|x| f(x)).collect();
        self.tell(&values)
    }
}

fn time(n: usize, generations: usize) -> f64 {
    let mut cma = Cma::new(&vec![1.0; n], &vec![0.5; n], Settings::default()).expect("sound settings");
    let mut spent = 0.0;
    for _ in 0..generations {
        let start = Instant::now();
        cma.ask();
        spent += start.elapsed().as_secs_f64();
        let values: Vec<f64> = cma.ask().iter().map(|x| functions::ellipsoid(x)).collect();
        let start = Instant::now();
        cma.tell(&values);
        spent += start.elapsed().as_secs_f64();
    }
    1e6 * spent / generations as f64
}
