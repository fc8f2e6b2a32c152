//! Our side of `cargo xtask roam`: `roam_bench TABLE [WORD ...]` simulates creatures that go by their own torques, and prints a table of
//! docs/roam.md. With words, only rows with one of them.
//!
//! | | |
//! |---|---|
//! | `gaits` | the dog's gaits at the speeds of Coros et al. 2011, 20 s each |
//! | `pushes` | their table 1: four directions at two bodies at eight moments of a stride |
//! | `ground` | slopes, low steps and slippery ground |
//! | `speed` | how long a step takes: controller and physics apart |
//! | `creatures` | designed walks of the gallery; or of files instead, named as FILE:HEIGHT |

use std::error::Error;
use std::time::Instant;

use gambol::LoadOptions;
use gambol::control::legged::{Walker, WalkerSettings, Whole, WholeMemory};
use gambol::control::{AnyController, Command, Plan, Rollout, Shove, rollouts, simulate};
use gambol::dynamics::{
    Base, Block, Course, CourseSpec, Data, Drive, Push, Sense, StepSettings, Stepper, Terrain, World,
};
use gambol::gait::{Sampling, Wish, perform, prepare};
use gambol::model::Vec3;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// N·m at every joint, and m/s: the dog of Coros et al. 2011.
const DOG_LIMIT: f64 = 100.0;
const GAITS: [(&str, &[f64]); 7] = [
    ("walk", &[0.3, 1.0, 1.5]),
    ("trot", &[1.0, 1.5, 2.2, 2.5]),
    ("pace", &[1.5, 2.0]),
    ("bound", &[1.5, 2.0]),
    ("canter", &[2.2, 3.0, 3.5]),
    ("gallop", &[3.5, 5.0]),
    ("rotary-gallop", &[4.0]),
];

/// Gait, m/s, N and s of their table 1.
const PUSHES: [(&str, f64, f64, f64); 8] = [
    ("walk", 1.0, 80.0, 0.3),
    ("walk", 1.0, 230.0, 0.1),
    ("trot", 2.2, 100.0, 0.35),
    ("trot", 2.2, 200.0, 0.1),
    ("canter", 3.0, 120.0, 0.35),
    ("canter", 3.0, 400.0, 0.1),
    ("gallop", 5.0, 100.0, 0.35),
    ("gallop", 5.0, 400.0, 0.1),
];

/// Bodies of the dog that bear its front and hind legs.
const LEG_FRAMES: [&str; 2] = ["chest", "pelvis"];

const DIRECTIONS: [(&str, Vec3); 4] = [
    ("left", Vec3::new(0.0, 1.0, 0.0)),
    ("right", Vec3::new(0.0, -1.0, 0.0)),
    ("ahead", Vec3::new(1.0, 0.0, 0.0)),
    ("back", Vec3::new(-1.0, 0.0, 0.0)),
];

/// Moments of a stride, s before a push and after its end.
const MOMENTS: u32 = 8;
const BEFORE: f64 = 1.0;
const AFTER: f64 = 3.0;

/// "Up" means so long, s.
const LONG: f64 = 20.0;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((table, words)) = arguments.split_first() else {
        return Err("usage: roam_bench gaits|pushes|ground|creatures|speed [WORD ...]".into());
    };
    match table.as_str() {
        "gaits" => gaits(words),
        "pushes" => pushes(words),
        "ground" => ground(words),
        "creatures" => creatures(words),
        "speed" => speed(words),
        other => Err(format!("no table is called {other:?}").into()),
    }
}

fn is_wanted(row: &str, words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| row.contains(word.as_str()))
}

/// A creature that is ready, in its world.
struct Ready {
    world: World,
    walker: Walker,
    whole: Whole,
}

struct Outcome {
    /// Until it fell, s.
    up: f64,
    /// m/s along its way.
    speed: f64,
    /// rad
    heading: f64,
    /// N·m
    peak: f64,
    at_limit: f64,
    outside: f64,
    failures: usize,
}

fn ready(
    name: &str,
    height: Option<f64>,
    gait: &str,
    speed: Option<f64>,
    limit: Option<f64>,
    settings: &StepSettings,
) -> Result<Ready> {
    let creature = gambol::load(name, &LoadOptions { height, ..LoadOptions::default() })?;
    let mut data = Data::new(&creature);
    let wish = Wish { speed, ..Wish::default() };
    let (body, design) = prepare(creature, &mut data, gait, |_| (), &wish)?;
    let clip = perform(&body, &mut data, &design.gait, &Sampling { seconds: None, fps: 240.0 })?.clip;
    let walker = Walker::new(body.creature, &clip, limit, &WalkerSettings::default())?;
    let whole = walker.whole(None)?;
    let settings = StepSettings { step: walker.step, ..settings.clone() };
    Ok(Ready { world: World::new(walker.creature.clone(), settings)?, walker, whole })
}

impl Ready {
    fn plan<'a>(&'a self, seconds: f64, shoves: &'a [Shove]) -> Plan<'a> {
        Plan {
            shoves,
            torque_limits: &self.walker.strength,
            keep_poses: true,
            ..Plan::new(&self.whole, self.walker.start.clone(), seconds)
        }
    }

    fn run(&self, seconds: f64) -> Outcome {
        let plan = self.plan(seconds, &[]);
        self.outcome(&simulate(&self.world, &mut Stepper::new(&self.world), &plan, &mut |_| ()))
    }

    fn up(&self, rollout: &Rollout) -> f64 {
        let (creature, ground) = (self.world.creature(), self.world.settings().ground.as_ref());
        let fall = self.walker.upright.fall(creature, &rollout.clip, ground);
        fall.map_or(rollout.report.seconds, |fall| fall.time)
    }

    fn outcome(&self, rollout: &Rollout) -> Outcome {
        let up = self.up(rollout);
        let q = self.walker.pilot.reference.base.q;
        let place = |pose: &[f64]| Vec3::new(pose[q], pose[q + 1], 0.0);
        let poses = &rollout.clip.poses;
        let last = rollout.clip.times.partition_point(|time| *time <= up).max(1) - 1;
        let way = place(&poses[last]) - place(&poses[0]);
        let ahead = self.walker.pilot.reference.velocity.normalize();
        let efforts = &rollout.report.efforts;
        let memory: Option<&WholeMemory> = rollout.memory.get();
        Outcome {
            up,
            speed: way.dot(&ahead) / up.max(1e-9),
            heading: gambol::model::math::atan2(ahead.cross(&way).z, ahead.dot(&way)),
            peak: efforts.iter().fold(0.0, |most, own| own.peak.max(most)),
            at_limit: efforts.iter().map(|own| own.at_limit).fold(0.0, f64::max),
            outside: rollout.report.outside_force,
            failures: memory.map_or(0, |memory| memory.solver.failures),
        }
    }

    fn wanted(&self) -> f64 {
        self.walker.pilot.own_course().speed
    }
}

fn told_up(up: f64, seconds: f64) -> String {
    if up >= seconds - 0.01 { format!("{seconds:.0} s") } else { format!("falls at {up:.1} s") }
}

const GAIT_HEADER: &str = "| m/s wanted | up | mean speed, m/s | heading, rad | peak torque, N·m | most of the time at the limit, one joint | outside force, N | solver failures |
|--:|--:|--:|--:|--:|--:|--:|--:|";

fn gait_cells(own: &Ready, seconds: f64) -> String {
    let outcome = own.run(seconds);
    format!(
        "{:.2} | {} | {:.2} | {:.3} | {:.3} | {:.1} % | {} | {} |",
        own.wanted(),
        told_up(outcome.up, seconds),
        outcome.speed,
        outcome.heading,
        outcome.peak,
        100.0 * outcome.at_limit,
        outcome.outside,
        outcome.failures
    )
}

fn header(first: &str) {
    let (names, rule) = GAIT_HEADER.split_once('\n').unwrap_or_default();
    println!("| {first} {names}\n|---{rule}");
}

fn gaits(words: &[String]) -> Result<()> {
    header("dog, 100 N·m");
    for (gait, speeds) in GAITS {
        for speed in speeds.iter().filter(|speed| is_wanted(&format!("{gait} {speed}"), words)) {
            let own = ready("dog", None, gait, Some(*speed), Some(DOG_LIMIT), &StepSettings::default())?;
            println!("| {gait} | {}", gait_cells(&own, LONG));
        }
    }
    Ok(())
}

fn pushes(words: &[String]) -> Result<()> {
    println!("| push | survived | of | fell: direction at body, eighths of the stride |\n|---|--:|--:|---|");
    for (gait, speed, force, duration) in PUSHES {
        let row = format!("{gait} {speed} m/s, {force} N for {duration} s");
        if !is_wanted(&row, words) {
            continue;
        }
        let own = ready("dog", None, gait, Some(speed), Some(DOG_LIMIT), &StepSettings::default())?;
        let (survived, all, fell) = pushed(&own, force, duration)?;
        println!("| {row} | {survived} | {all} | {} |", fell.join("; "));
    }
    Ok(())
}

fn pushed(own: &Ready, force: f64, duration: f64) -> Result<(usize, usize, Vec<String>)> {
    let period = own.walker.pilot.reference.period();
    let (mut fell, mut survived, mut all) = (Vec::new(), 0, 0);
    for frame in LEG_FRAMES {
        let body = own.world.creature().body_index(frame).ok_or("a dog has chest and pelvis")?;
        for (name, direction) in DIRECTIONS {
            let shove = |k: u32| {
                let start = BEFORE + f64::from(k) / f64::from(MOMENTS) * period;
                [Shove { push: Push { body, force: direction * force }, start, duration }]
            };
            let shoves: Vec<[Shove; 1]> = (0..MOMENTS).map(shove).collect();
            let seconds = BEFORE + period + duration + AFTER;
            let plans: Vec<Plan> = shoves.iter().map(|shove| own.plan(seconds, shove)).collect();
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let ends = rollouts(&own.world, &plans, threads);
            let up = |rollout: &Rollout| own.up(rollout) >= rollout.report.seconds;
            let down: Vec<String> =
                (0..ends.len()).filter(|k| !up(&ends[*k])).map(|k| k.to_string()).collect();
            survived += ends.len() - down.len();
            all += ends.len();
            if !down.is_empty() {
                fell.push(format!("{name} at {frame}: {}", down.join(", ")));
            }
        }
    }
    Ok((survived, all, fell))
}

/// rad: 8°. m: where what is not level begins, how far it goes, how wide it is.
const STEEP: f64 = 0.139_626;
const LEVEL: f64 = 1.5;
const FAR: f64 = 60.0;
const WIDE: f64 = 40.0;

/// Height and length of a low step, m: a tenth of the dog's legs, every metre and a half.
const RISE: f64 = 0.05;
const TREAD: f64 = 1.5;

fn block(from: f64, to: f64, top: f64, slope: f64) -> Block {
    let (center, size) = ([0.5 * (from + to), 0.0], [to - from, WIDE]);
    Block { name: String::new(), center, size, heading: 0.0, top, slope, friction: None }
}

fn course(blocks: Vec<Block>) -> Result<Terrain> {
    // Far below, so that all that is stood on is a block.
    let base = Base::Level(-0.5 * FAR);
    Ok(Terrain::Course(Course::new(CourseSpec { base, blocks, patches: Vec::new() })?))
}

fn ramp(slope: f64) -> Result<Terrain> {
    let top = 0.5 * (FAR - LEVEL) * gambol::model::math::tan(slope);
    course(vec![block(-LEVEL, LEVEL, 0.0, 0.0), block(LEVEL, FAR, top, slope)])
}

fn steps(rise: f64) -> Result<Terrain> {
    let step = |k: u32| {
        let from = LEVEL + f64::from(k) * TREAD;
        // Up and down in turn, so that it goes on.
        block(from, from + TREAD, if k.is_multiple_of(2) { rise } else { 0.0 }, 0.0)
    };
    let mut blocks = vec![block(-LEVEL, LEVEL, 0.0, 0.0)];
    blocks.extend((0..36).map(step));
    course(blocks)
}

fn ground(words: &[String]) -> Result<()> {
    let flat = StepSettings::default();
    let on = |ground: Terrain| StepSettings { ground: Some(ground), ..flat.clone() };
    let grounds = [
        ("8° up", on(ramp(STEEP)?)),
        ("8° down", on(ramp(-STEEP)?)),
        ("steps of 5 cm", on(steps(RISE)?)),
        ("friction 0.4", StepSettings { friction: 0.4, ..flat.clone() }),
    ];
    header("dog, 100 N·m");
    for (name, settings) in grounds {
        for (gait, speed) in [("walk", 1.0), ("trot", 1.5)] {
            let row = format!("{gait}, {name}");
            if is_wanted(&row, words) {
                let own = ready("dog", None, gait, Some(speed), Some(DOG_LIMIT), &settings)?;
                println!("| {row} | {}", gait_cells(&own, LONG));
            }
        }
    }
    Ok(())
}

fn creatures(words: &[String]) -> Result<()> {
    header("designed walk");
    let gallery = ["dog", "insect", "spider", "kangaroo", "human", "biped", "bird", "monster"];
    let named: Vec<(String, Option<f64>)> = if words.is_empty() {
        gallery.iter().map(|name| ((*name).to_owned(), None)).collect()
    } else {
        let read = |word: &String| match word.rsplit_once(':') {
            Some((file, height)) => Ok((file.to_owned(), Some(height.parse()?))),
            None => Ok((word.clone(), None)),
        };
        words.iter().map(read).collect::<Result<_>>()?
    };
    for (name, height) in named {
        let shown = name.rsplit('/').next().unwrap_or(&name).to_owned();
        match ready(&name, height, "walk", None, None, &StepSettings::default()) {
            Ok(own) => println!("| {shown} | {}", gait_cells(&own, LONG)),
            Err(error) => println!("| {shown} | {error} |"),
        }
    }
    Ok(())
}

/// Gaits that are timed, and for how long, s of the dog's time.
const TIMED: [(&str, f64); 4] = [("walk", 1.0), ("trot", 1.5), ("canter", 3.0), ("gallop", 5.0)];
const TIMED_FOR: f64 = 10.0;

/// Steps one by one, on one core. The clock itself takes a few hundredths of a microsecond.
fn speed(words: &[String]) -> Result<()> {
    println!(
        "| dog, 100 N·m | m/s | steps | controller, ms | physics, ms | both, 99th percentile, ms | longest, ms | times real time |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (gait, speed) in TIMED.into_iter().filter(|(gait, _)| is_wanted(gait, words)) {
        let own = ready("dog", None, gait, Some(speed), Some(DOG_LIMIT), &StepSettings::default())?;
        let (creature, h) = (own.world.creature(), own.world.settings().step);
        let (mut stepper, mut state) = (Stepper::new(&own.world), own.walker.start.clone());
        let (mut memory, mut command) = (own.whole.begin(creature), Command::new(creature));
        let mut times: Vec<[f64; 2]> = Vec::new();
        while state.time < TIMED_FOR {
            let began = Instant::now();
            let sense = Sense::new(&own.world, &mut stepper, &mut state);
            own.whole.drive(&sense, &mut memory, &mut command);
            let driven = began.elapsed().as_secs_f64();
            let strength = &own.walker.strength;
            sense.step(&Drive { rest: &command.rest, torque: &command.torque, strength, pushes: &[] })?;
            times.push([driven, began.elapsed().as_secs_f64()]);
        }
        let count = times.len() as f64;
        let driven = 1e3 * times.iter().map(|[driven, _]| driven).sum::<f64>() / count;
        let mut both: Vec<f64> = times.iter().map(|[_, both]| 1e3 * both).collect();
        both.sort_by(f64::total_cmp);
        let mean = both.iter().sum::<f64>() / count;
        println!(
            "| {gait} | {speed:.1} | {} | {driven:.4} | {:.4} | {:.4} | {:.3} | {:.1} |",
            times.len(),
            mean - driven,
            both[both.len() * 99 / 100],
            both[both.len() - 1],
            1e3 * h / mean
        );
    }
    Ok(())
}
