//! Searches for a stride of a sketch: `optimize SKETCH.toml [key=value …]`, for experiments.

use std::sync::atomic::AtomicBool;

use gambol::LoadOptions;
use gambol_control::locomotion::{Bursts, Method, Search, SearchSettings};
use gambol_control::{Plan, rollouts};
use gambol_dynamics::State;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let value = |key: &str| words.iter().find_map(|word| word.strip_prefix(&format!("{key}=")).map(str::to_owned));
    let number = |key: &str, own: f64| value(key).map_or(own, |text| text.parse().expect("a number"));
    let text = std::fs::read_to_string(&words[0]).expect("a sketch");
    let find = |name: &str| gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string());
    let (mut sketch, mut stage) = gambol_control::sketch::read(&text, find).unwrap_or_else(|error| panic!("{error}"));
    if let Some(damping) = value("damping") {
        sketch.damping = damping.parse().expect("a number");
        stage = gambol_control::sketch::Stage::new(&sketch, find(&sketch.creature).unwrap()).unwrap();
    }
    let own = SearchSettings::default();
    let settings = SearchSettings {
        method: if value("method").is_some() { Method::Multipliers } else { Method::Closing },
        seed: number("seed", 1.0) as u64,
        step: number("step", own.step),
        budget: number("budget", own.budget as f64) as usize,
        generations: number("generations", own.generations as f64) as usize,
        population: value("population").map(|text| text.parse().expect("a number")),
        shrink: number("shrink", own.shrink),
        penalty: number("penalty", own.penalty),
        ..own
    };
    let mut search = Search::new(&sketch, &stage, settings.clone()).unwrap_or_else(|error| panic!("{error}"));
    println!("{} numbers", search.space().dimension());
    let every = number("every", 20.0) as usize;
    let mut count = 0;
    let began = std::time::Instant::now();
    let outcome = search.run(number("threads", 2.0) as usize, &AtomicBool::new(false), &mut |_, progress| {
        count += 1;
        if count % every == 0 {
            let easy: Vec<String> = progress.score.easy.iter().map(|easy| format!("{easy:.3}")).collect();
            println!(
                "{:>7} round {:>2} gen {:>4} W {:>12.5} gap {:>7.2} v {:.2} effort {:>8.0} [{}] {:.0}/s",
                progress.evaluations,
                progress.round,
                progress.generation,
                progress.value,
                progress.gap,
                progress.score.speed,
                progress.score.effort,
                easy.join(" "),
                progress.per_second
            );
        }
    });
    println!("{outcome:?} after {:.1} s", began.elapsed().as_secs_f64());
    let Some((stride, score)) = search.nearest() else { return };
    println!("speed {:.3} effort {:.0} product {:.4} gap {:.3}", score.speed, score.effort, score.product(), search.largest_gap(score));
    println!("T {:.4} alpha {:.4} bursts {:?}", stride.period, stride.flight_share, stride.bursts);
    println!("flight {:?}\nground {:?}", stride.flight, stride.ground);
    let nv = stage.creature.nv();
    let mut gaps: Vec<(usize, f64)> = score.gap.iter().copied().enumerate().collect();
    gaps.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    println!("gaps {:?} (poses below {})", &gaps[..8], nv - 2);

    let controller = Bursts::new(&stage, &stride, settings.step);
    let plan = Plan {
        controller: &controller,
        start: State::new(&stride.q, &stride.v),
        seconds: number("cycles", 20.0) * stride.period,
        shoves: &[],
        torque_limits: &[],
        fps: 60.0,
        keep_poses: true,
    };
    let rollout = rollouts(search.world(), &[plan], 1).swap_remove(0);
    println!("{:?} heights {:?} way {:?}", rollout.status, rollout.report.heights, rollout.report.displacement);
    for touch in &rollout.report.touching {
        println!("{} {:.2} {:.2?}", touch.name, touch.duty, &touch.intervals[..touch.intervals.len().min(8)]);
    }
    if let Some(path) = value("save") {
        std::fs::write(path, search.checkpoint()).expect("written");
    }
    if let Some(path) = value("npz") {
        let clip = &rollout.clip;
        let rows: Vec<String> = clip.times.iter().zip(&clip.poses).map(|(time, pose)| {
            let numbers: Vec<String> = std::iter::once(time).chain(pose).map(|x| format!("{x:?}")).collect();
            numbers.join(" ")
        }).collect();
        std::fs::write(path, rows.join("\n")).expect("written");
    }
}
