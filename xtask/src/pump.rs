//! `cargo xtask pump`: the loop rolls and the linear creature crawls in MuJoCo too, with the same equilibrium on the MJCF
//! that we export.

use gambol::LoadOptions;
use gambol::control::{Plan, Pump, Status, Wave, rollouts, soft_ground, stand_on, suggest};
use gambol::dynamics::{Data, State, StepSettings, Terrain, World};
use gambol::formats::{Integrator, MjcfOptions, to_mjcf};
use gambol::modes::{Settings, analyze};
use serde::Deserialize;

use crate::peers;
use crate::shell::{Result, command, output, target};

/// Phases between the two modes, degrees.
const PHASES: [f64; 3] = [90.0, -90.0, 0.0];

const SECONDS: f64 = 8.0;

/// MuJoCo's time step, s: its contacts are springs of 5 ms.
const STEP: f64 = 0.0005;

/// m/s that the loop must make with a quarter of a cycle between its modes, and share of that which it may in phase.
const ROLLS: f64 = 0.5;
const STANDS: f64 = 0.2;

/// m/s of the linear creature that turn around with the phase: a tenth of its length a second. What it drifts besides,
/// whatever the phase, is less (MuJoCo's drifts towards its root, ours at coarse steps).
const CRAWLS: f64 = 0.09;

/// How far MuJoCo's speed may be from ours, relative: it hops, and where it lands is chance. The same class, not the same
/// run.
const SAME_CLASS: f64 = 0.5;

#[derive(Deserialize)]
struct Pumped {
    displacement: [f64; 3],
}

/// Pumps the gallery's simple creatures here and in MuJoCo and compares.
pub(crate) fn run() -> Result<()> {
    println!("{:<8} {:>6} {:>12} {:>12}", "creature", "phase", "ours, m/s", "MuJoCo, m/s");
    let roll = compare("loop")?;
    let crawl = compare("linear")?;
    check_loop("gambol", roll.map(|speeds| speeds[0]))?;
    check_loop("MuJoCo", roll.map(|speeds| speeds[1]))?;
    for [ours, theirs] in &roll[..2] {
        if (ours - theirs).abs() > SAME_CLASS * ours.abs() {
            return Err(format!("the loop rolls at {ours:.3} m/s here and at {theirs:.3} m/s in MuJoCo"));
        }
    }
    let [ours, theirs] = [0, 1].map(|k| 0.5 * (crawl[0][k] - crawl[1][k]));
    for (program, k, led) in [("gambol", 0, ours), ("MuJoCo", 1, theirs)] {
        let [ahead, behind] = [crawl[0][k], crawl[1][k]];
        if !(ahead > 0.0 && behind < 0.0 && led > CRAWLS) {
            return Err(format!(
                "{program}: the phase does not lead the linear creature: {ahead:.3}, {behind:.3} m/s"
            ));
        }
    }
    if (ours - theirs).abs() > SAME_CLASS * ours {
        return Err(format!(
            "the phase leads the linear creature by {ours:.3} m/s here and by {theirs:.3} in MuJoCo"
        ));
    }
    Ok(())
}

fn check_loop(program: &str, [ahead, behind, standing]: [f64; 3]) -> Result<()> {
    let slower = ahead.abs().min(behind.abs());
    if ahead * behind < 0.0 && slower > ROLLS && standing.abs() < STANDS * slower {
        return Ok(());
    }
    Err(format!("{program}: the loop makes {ahead:.3}, {behind:.3} and in phase {standing:.3} m/s"))
}

/// Speeds along x, ours and MuJoCo's, for each phase.
fn compare(name: &str) -> Result<[[f64; 2]; 3]> {
    let mut creature = gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())?;
    let pose = creature.reference_pose().to_vec();
    creature.set_rest_pose(&pose).map_err(|error| error.to_string())?;
    let modes = analyze(&creature, &mut Data::new(&creature), &pose, &Settings::default())
        .map_err(|error| error.to_string())?;
    let waves = PHASES.map(|phase| {
        let mut waves = suggest(&creature, &modes, &[]);
        waves[1].phase = phase.to_radians();
        waves
    });
    let mut start = pose.clone();
    stand_on(&creature, &Terrain::Flat, &mut start);

    let pumps = waves.iter().map(|waves| Pump::new(&creature, &modes, waves));
    let pumps: Vec<Pump> = pumps.collect::<std::result::Result<_, _>>().map_err(|error| error.to_string())?;
    let at_rest = State::new(&start, &vec![0.0; creature.nv()]);
    let plans: Vec<Plan> = pumps.iter().map(|pump| Plan::new(pump, at_rest.clone(), SECONDS)).collect();
    let settings = StepSettings { contact: soft_ground(&creature), ..StepSettings::default() };
    let world = World::new(creature.clone(), settings).map_err(|error| error.to_string())?;
    let ours = rollouts(&world, &plans, PHASES.len());
    if let Some(run) = ours.iter().find(|run| run.status != Status::Finished) {
        return Err(format!("{name}: {:?}", run.status));
    }

    let folder = target().join("pump");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join(format!("{name}.xml"));
    let options =
        MjcfOptions { ground: true, integrator: Integrator::Rk4, timestep: STEP, ..MjcfOptions::default() };
    to_mjcf(&creature, &options).write(&file, true).map_err(|error| error.to_string())?;
    let wave = |wave: &Wave| {
        serde_json::json!({
            "shape": modes.directions()[wave.mode].shape,
            "amplitude": wave.amplitude,
            "phase": wave.phase,
            "frequency": wave.frequency,
        })
    };
    let run = |waves: &Vec<Wave>| {
        serde_json::json!({
            "name": name,
            "path": file,
            "seconds": SECONDS,
            "start": start,
            "rest": pose,
            "waves": waves.iter().map(wave).collect::<Vec<_>>(),
        })
    };
    let runs = folder.join(format!("{name}.json"));
    let text = serde_json::Value::from(waves.iter().map(run).collect::<Vec<_>>()).to_string();
    std::fs::write(&runs, text).map_err(|error| format!("{}: {error}", runs.display()))?;
    let lines = output(command(peers::python()?, &["xtask/peers/pump.py"]).arg(&runs))?;

    let mut speeds = [[f64::NAN; 2]; 3];
    for (k, line) in lines.lines().enumerate().take(PHASES.len()) {
        let theirs: Pumped =
            serde_json::from_str(line).map_err(|error| format!("pump.py: {error}: {line}"))?;
        speeds[k] = [ours[k].report.displacement.x / SECONDS, theirs.displacement[0] / SECONDS];
        println!("{name:<8} {:>5}° {:>12.3} {:>12.3}", PHASES[k], speeds[k][0], speeds[k][1]);
    }
    Ok(speeds)
}
