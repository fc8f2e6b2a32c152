//! What a page recomputes while a slider moves: `studio_bench CREATURE [SECONDS]` prints the best times of the body, the
//! names of its vibrations and five poses of each (rest, and half and whole of 0.35 rad to each side), in ms as JSON.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use gambol::LoadOptions;
use gambol::dynamics::Data;
use gambol::gait::{Body, Style};
use gambol::modes::Reader;
use gambol::motion::{Swinger, swing};

/// rad of the joint that moves most
const AMPLITUDES: [f64; 4] = [-0.35, -0.175, 0.175, 0.35];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("usage: studio_bench CREATURE [SECONDS]")?;
    let seconds = arguments.next().map_or(Ok(2.0), |text| text.parse())?;
    let creature = gambol::load(&name, &LoadOptions::default())?;
    let style = Style { tension: 1.1, ..Style::default() };
    let mut data = Data::new(&creature);
    let end = Instant::now() + Duration::try_from_secs_f64(seconds)?;
    let mut best = [f64::INFINITY; 6];
    let mut vibrations = 0;
    while Instant::now() < end {
        let mut times = [0.0; 6];
        let mut clock = Instant::now();
        let mut lap = |k: usize| {
            times[k] = clock.elapsed().as_secs_f64() * 1e3;
            clock = Instant::now();
        };
        let copy = creature.clone();
        let body = Body::new(copy, &mut data, &style)?;
        lap(0);
        let reader = Reader::new(&body.creature, &mut data, body.basis.mean())?;
        lap(1);
        for mode in body.basis.flexible() {
            black_box(reader.read(&mut data, mode));
        }
        lap(2);
        let mut swinger = Swinger::new(&body.creature, &body.basis)?;
        for mode in body.basis.flexible() {
            black_box(swinger.poses(&mut data, mode, &AMPLITUDES)?);
        }
        lap(3);
        for mode in body.basis.flexible() {
            for amplitude in AMPLITUDES {
                black_box(swing(&body.creature, &mut data, &body.basis, mode, amplitude)?);
            }
        }
        lap(4);
        times[5] = times[..4].iter().sum();
        vibrations = body.basis.flexible().len();
        best = std::array::from_fn(|k| best[k].min(times[k]));
    }
    let [body, reader, names, poses, single_swings, all] = best;
    let result = serde_json::json!({
        "vibrations": vibrations, "body": body, "reader": reader, "names": names, "poses": poses,
        "single_swings": single_swings, "all": all,
    });
    println!("{result}");
    Ok(())
}
