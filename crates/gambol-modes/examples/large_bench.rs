//! Benchmark.
use gambol_model::samples;
use gambol_dynamics::Data;
use gambol_modes::{Settings, analyze_large};
use std::time::Instant;
fn main() {
    for n in [128, 1000, 3000, 10_000, 100_000] {
        let t = Instant::now();
        let c = samples::chain(n);
        println!("{n} {} {:?}", c.nv(), t.elapsed());
        let t = Instant::now();
        let mut data = Data::new(&c);
        let m = analyze_large(&c, &mut data, c.reference_pose(), &Settings { count: Some(20), ..Settings::default() });
        let Ok(m) = m else { println!("{m:?}"); continue };
        println!("  {:?}", t.elapsed());
        println!("  {:?}", m.modes.iter().map(|m| m.frequency()).collect::<Vec<_>>());
    }
}
