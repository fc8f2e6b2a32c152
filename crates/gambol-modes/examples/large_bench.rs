//! Benchmark.
use gambol_model::{samples, Creature};
use gambol_dynamics::Data;
use gambol_modes::{Settings, analyze_large};
use std::time::Instant;
fn time(n: usize, name: &str, build: impl Fn(usize)->Creature, k: usize) {
        let t = Instant::now();
        let c = build(n);
        let b = t.elapsed();
        let t = Instant::now();
        let mut data = Data::new(&c);
        let m = analyze_large(&c, &mut data, c.reference_pose(), &Settings { count: Some(k), ..Settings::default() });
        println!("{name} {n} {} build {b:?} modes {:?}", c.nv(), t.elapsed());
        match m { Ok(m) => println!("  {:?}", m.modes.iter().skip(6).take(20).map(|m| m.frequency() as f32).collect::<Vec<_>>()), Err(e) => println!("{e}") }
}
fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let k = only.get(1).and_then(|k| k.parse().ok()).unwrap_or(20);
    for n in std::env::var("NS").map_or(vec![128, 1000, 3000, 10_000, 100_000], |s| s.split(",").map(|x| x.parse().unwrap()).collect()) {
        if only[0] == "chain" {time(n, "chain", samples::chain, k);}
        if only[0] == "tree" { time(n, "tree", |n| samples::branching(n, 1), k);}
        if only[0] == "star" { time(n, "star", |n| samples::star(8, n/8), k);}
        if only[0] == "star2" { time(n, "star2", |n| samples::star(n/8, 8), k);}
    }
}
