//! Searches for a stride of a sketch and lets it run: `find_stride SKETCH.toml [key=value …]`, with keys `seed`, `threads`,
//! `budget`, `generations`, `step`, `shrink`, `method=multipliers`, `damping`, `cycles`, `film=OUT.png` or `.svg` with `frames`,
//! `checkpoint=FILE` (read if it is there, written as it goes).

use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gambol::LoadOptions;
use gambol::picture::{ClipOptions, clip_strip};
use gambol_control::locomotion::{Balance, Balanced, Bursts, Method, Progress, Search, SearchSettings};
use gambol_control::sketch::{Stage, read};
use gambol_control::{Plan, rollouts};
use gambol_dynamics::State;

/// Generations between two lines of talk, and between two checkpoints.
const EVERY: usize = 20;

struct Words(Vec<String>);

impl Words {
    fn text(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .filter_map(|word| word.split_once('='))
            .find(|(name, _)| *name == key)
            .map(|(_, text)| text)
    }

    fn get<T: FromStr>(&self, key: &str, own: T) -> T {
        self.text(key).map_or(own, |text| text.parse().unwrap_or_else(|_| panic!("{key}: {text:?}")))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words = Words(std::env::args().skip(1).collect());
    let find = |name: &str| gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string());
    let (mut sketch, mut stage) = read(&std::fs::read_to_string(&words.0[0])?, find)?;
    if words.text("damping").is_some() {
        sketch.damping = words.get("damping", sketch.damping);
        stage = Stage::new(&sketch, find(&sketch.creature)?)?;
    }
    let own = SearchSettings::default();
    let settings = SearchSettings {
        method: if words.text("method").is_some() { Method::Multipliers } else { Method::Closing },
        seed: words.get("seed", own.seed),
        step: words.get("step", own.step),
        budget: words.get("budget", own.budget),
        rounds: words.get("rounds", own.rounds),
        generations: words.get("generations", own.generations),
        shrink: words.get("shrink", own.shrink),
        hop: words.get("hop", own.hop),
        hops: words.get("hops", own.hops),
        hop_generations: words.get("hop_generations", own.hop_generations),
        ..own
    };
    let checkpoint = words.text("checkpoint").map(Path::new);
    let mut search = match checkpoint.filter(|path| path.exists()) {
        Some(path) => Search::resume(&sketch, &stage, settings, &std::fs::read_to_string(path)?)?,
        None => Search::new(&sketch, &stage, settings)?,
    };
    println!("{}: {} numbers", sketch.name, search.space().dimension());
    let (began, mut count, mut evaluations) = (Instant::now(), 0, 0);
    let outcome = search.run(words.get("threads", 2), &AtomicBool::new(false), &mut |search, progress| {
        count += 1;
        evaluations = progress.evaluations;
        if count % EVERY == 0 {
            tell(progress);
            if let Some(path) = checkpoint {
                std::fs::write(path, search.checkpoint()).expect("a place to write to");
            }
        }
    });
    println!("{outcome:?} after {evaluations} cycles, {:.1} s", began.elapsed().as_secs_f64());
    if let Some(path) = checkpoint {
        std::fs::write(path, search.checkpoint())?;
    }
    show(&search, &stage, &words)
}

fn tell(progress: &Progress) {
    let Progress { round, generation, doing, evaluations, per_second, value, score, gap } = progress;
    println!(
        "{evaluations:>7} round {round:>2} {:<9} {generation:>3} W {value:>10.4} gap {gap:>6.2} {:.2} m/s {:.1?} {per_second:.0}/s",
        doing.name(),
        score.speed,
        score.easy
    );
}

/// Lets the nearest stride run, and says how far it gets.
fn show(search: &Search, stage: &Stage, words: &Words) -> Result<(), Box<dyn std::error::Error>> {
    let Some((stride, score)) = search.nearest() else { return Ok(()) };
    println!("{:.3} m/s, effort {:.0}, E_v E_e {:.0}", score.speed, score.effort, score.product());
    println!("gap {:.3} tolerances, easy constraints {:?}", search.largest_gap(score), score.easy);
    println!("T {:.4} s, α {:.4}, δ {:.4?}", stride.period, stride.flight_share, stride.bursts);
    println!("ψ_f {:.4?}\nψ_g {:.4?}", stride.flight, stride.ground);
    let bursts = Bursts::new(stage, &stride, search.settings().step);
    let balance = Balance::new(stage, search.world(), &stride);
    println!("deviations grow by {:.2?} per half cycle, without and with corrections", balance.growth());
    let balanced = Balanced::new(bursts.clone(), balance);
    let plan = Plan {
        controller: if words.text("balance").is_some() { &balanced } else { &bursts },
        start: State::new(&stride.q, &stride.v),
        seconds: words.get("cycles", 20.0) * stride.period,
        shoves: &[],
        torque_limits: &[],
        fps: 60.0,
        keep_poses: true,
    };
    let rollout = rollouts(search.world(), &[plan], 1).swap_remove(0);
    println!("{:?}, {:.2?} m, {:?}", rollout.status, rollout.report.displacement, rollout.report.heights);
    for touch in &rollout.report.touching {
        println!("{} {:.2?}", touch.name, &touch.intervals[..touch.intervals.len().min(6)]);
    }
    if let Some(path) = words.text("film") {
        let frames = words.get("frames", 12);
        let picture =
            clip_strip(&stage.creature, &rollout.clip, &ClipOptions { frames, ..ClipOptions::default() })?;
        let svg = Path::new(path).extension().is_some_and(|extension| extension == "svg");
        std::fs::write(path, if svg { picture.to_svg().into_bytes() } else { picture.to_png(1.0)? })?;
    }
    Ok(())
}
