//! Times one gait: `gaits_bench CREATURE GAIT SECONDS` prints the best time of each stage, ms, as JSON.
//!
//! A stage is what a user waits for: `modes` is the body with its vibrations and legs, `design` picks modes and settles
//! them on the ground (a preset of the paper is not settled), `perform` makes and measures a loop of two seconds. `slider` is what
//! the studio does about a slider of a motion: `design`, and one cycle made and measured.

use std::time::Instant;

use gambol::LoadOptions;
use gambol::dynamics::Data;
use gambol::gait::{Body, Sampling, Wish, design, perform, preset_style};

const LOOP: Sampling = Sampling { seconds: Some(2.0), fps: 60.0 };
const CYCLE: Sampling = Sampling { seconds: None, ..LOOP };

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, gait, seconds] = arguments.as_slice() else {
        return Err("usage: gaits_bench CREATURE GAIT SECONDS".into());
    };
    let seconds: f64 = seconds.parse()?;
    let creature = gambol::load(name, &LoadOptions::default())?;
    let style = preset_style(&creature, gait).unwrap_or_default();
    let start = Instant::now();
    let (mut best, mut runs) = ([f64::INFINITY; 5], 0);
    let mut last = None;
    while runs == 0 || start.elapsed().as_secs_f64() < seconds {
        let creature = creature.clone();
        let mut data = Data::new(&creature);
        let begin = Instant::now();
        let body = Body::new(creature, &mut data, &style)?;
        let analysed = Instant::now();
        let designed = design(&body, &mut data, gait, &Wish::default())?;
        let settled = Instant::now();
        let performance = perform(&body, &mut data, &designed.gait, &LOOP)?;
        let end = Instant::now();
        let again = design(&body, &mut data, gait, &Wish::default())?;
        perform(&body, &mut data, &again.gait, &CYCLE)?;
        let slider = end.elapsed();
        let times = [analysed - begin, settled - analysed, end - settled, end - begin, slider];
        for (best, time) in best.iter_mut().zip(times) {
            *best = best.min(1e3 * time.as_secs_f64());
        }
        last = Some((performance.is_believed(&body), performance));
        runs += 1;
    }
    let (believed, played) = last.ok_or("nothing was played")?;
    let [modes, design, perform, total, slider] = best;
    println!(
        "{}",
        serde_json::json!({
            "modes": modes, "design": design, "perform": perform, "total": total, "slider": slider,
            "keys": played.clip.times.len(), "runs": runs, "believed": believed,
            "residual_force": played.report.residual_force, "residual_moment": played.report.residual_moment,
        })
    );
    Ok(())
}
